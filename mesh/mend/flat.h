/* Removing flat elements (mesh/mend/form.h) so that the elements around them close the gap: one step of a repair
 * (mesh/mend/repair.h), which says what comes before and after. */
#pragma once

#include "mesh/mesh.h"

/* What it took. */
typedef struct mt_flat {
    size_t edges;    /* edges of flat elements collapsed ... */
    size_t elements; /* ... and the elements that vanished with them */
    size_t surface;  /* flat elements removed at the surface */
    size_t inside;   /* flat elements removed inside; each leaves a slit that nothing flows through */
} mt_flat;

/* Sets dead [n_elements] (all 0 before) for the elements that go, moves the others to the vertices that stay, and adds to the
 * counts. The mesh has no inverted element, no duplicate and none that has a vertex twice, neither before nor after. Tagged
 * triangles move with their vertices; they may then have one twice. MT_MEMORY.
 * Time O(n) and a bounded number of steps for each flat element: no edge collapses at a vertex of more than 256 elements, nor
 * any after 262144 elements and 20 for each element of the mesh have been looked at (enough where a few per cent are flat);
 * what is flat then is removed. Scratch: 20 bytes an element and 16 a vertex, freed. */
MT_NODISCARD mt_status mt_flat_remove(mt_mesh *mesh, uint8_t *dead, mt_flat *counts);
