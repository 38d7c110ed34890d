/* Removal of flat elements (mesh/repair/form.h) so that the surrounding elements close the gap. It is one step of a repair;
 * mesh/repair/repair.h specifies the steps before and after. */
#pragma once

#include "mesh/mesh.h"

/* The operations performed. */
typedef struct mt_flat {
    size_t edges;    /* collapsed edges of flat elements ... */
    size_t elements; /* ... and the elements that vanished with them */
    size_t surface;  /* flat elements removed at the surface */
    size_t inside;   /* flat elements removed inside; each leaves a slit without flux across it */
} mt_flat;

/* Sets dead[n_elements] (zero-initialised) for the elements to remove, reconnects the others to the remaining vertices, and
 * adds to the counts. The mesh has no inverted elements, duplicates or elements with a repeated vertex, neither before nor
 * after. Tagged triangles follow their vertices, and may then have a repeated vertex. MT_MEMORY. Time O(n), and a bounded
 * number of steps for each flat element: edges at a vertex of more than 256 elements are not collapsed, and collapsing ends
 * after visits to 262144 elements plus 20 times the number of elements (sufficient if a few per cent are flat); the remaining
 * flat elements are removed. Scratch: 20 bytes per element and 16 per vertex, freed. */
MT_NODISCARD mt_status mt_flat_remove(mt_mesh *mesh, uint8_t *dead, mt_flat *counts);
