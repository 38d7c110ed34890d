/* Probes: places in a mesh, which need not be the centres of elements, where the values of a field are asked for.
 *
 * The value at a probe is that of the linear function which fits best, in the sense of least squares, the values of the
 * nearest element and of the elements its diffusion row reads (at most 17): second order, also at the corners of a slab, where
 * the nearest centre is off by a good part of an edge. Where several elements are nearest, to 1e-9 of their distance, all of
 * them count with their rows: which of them rounding puts first does not matter, and probes that mirror each other have
 * the same value where the field mirrors itself. */
#ifndef MT_SOLVER_CASE_PROBE_H
#define MT_SOLVER_CASE_PROBE_H

#include "mesh/mesh.h"
#include "solver/case/case.h"
#include "solver/diffusion/diffusion.h"

/* The probes of a case: its points, then those of its line. */
typedef struct mt_probes {
    size_t n, n_points;
    double *xyz_mm;    /* [n][3] */
    uint32_t *element; /* [n] whose centre is nearest; MT_NO_ELEMENT: one that is not part of the problem */
} mt_probes;

/* Gives the probes of a case on its mesh. MT_INPUT where one is outside the mesh (mt_probe_find); the message names it as the
 * case does. MT_MEMORY. */
MT_NODISCARD mt_status mt_probes_make(
    mt_arena *arena, const mt_case *input, const mt_mesh *mesh, mt_probes *probes);

/* Finds the element whose centre is nearest to each of the n probes xyz_mm [n][3]; the lowest of equals. MT_INPUT where a probe
 * is outside the mesh: farther from that centre than 1.5 times the element's farthest vertex; the message gives the coordinates of
 * the first one, how far it is from which element, the bounding box of the mesh, and the likely unit of a place far away (mesh/scale.h). O(n n_elements), one pass over the elements. */
MT_NODISCARD mt_status mt_probe_find(const mt_mesh *mesh, size_t n, const double *xyz_mm, uint32_t *element);

/* The value of a field at a probe of which one nearest element is known. Values that are not finite do not count in the fit; where
 * that of a nearest element is not finite, the answer is that value. Where fewer than four elements, or elements in one plane, are
 * left, the mean of the nearest elements' own values is given. */
double mt_probe_value(const mt_mesh *mesh, const mt_diffusion *diffusion, const double *field,
    const double xyz_mm[3], uint32_t element);

/* Sets needed[e] to 1 for the elements whose values that asks for; the others stay. */
void mt_probe_needs(const mt_mesh *mesh, const mt_diffusion *diffusion, const double xyz_mm[3],
    uint32_t element, uint8_t *needed);

/* The activation time at a probe, by its number, in a run that came to reached_ms; NaN where the wave did not arrive by
 * then, or there is no element. activation_ms [n_elements] is infinite where not activated. */
double mt_probe_activation_ms(const mt_probes *probes, size_t probe, const mt_mesh *mesh,
    const mt_diffusion *diffusion, const double *activation_ms, double reached_ms);

#endif
