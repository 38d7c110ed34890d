/* Probes: places in a mesh, not necessarily element centres, at which a field is sampled.
 *
 * A field is sampled from the nearest element and the elements in its diffusion row (at most 17). Their values are fitted by a linear
 * function in the least-squares sense: second order, also at the corners of a slab, where the nearest centre is a considerable part of an
 * edge away. If several elements are nearest, to 1e-9 of their distance, all of them and their rows are used. The choice then does not
 * depend on rounding, and symmetric probes have the same value in a symmetric field.
 *
 * At the surface a fit extrapolates. This suits an activation time, which is nearly linear over a few elements. It does not suit Vm and the
 * states of the cells, which jump across an activation front: a fit would exceed their range by half of the jump. They are limited to the
 * range of the fitted values, the limit of Barth and Jespersen (1989) at a single place.
 *
 * With voltages at the vertices (mesh/unknowns.h) all fields are interpolated linearly in the element that contains the probe, which is
 * exact for linear fields. A probe slightly outside the surface has the value of a point of the nearest element: its negative barycentric
 * coordinates are set to 0. */
#pragma once

#include "mesh/mesh.h"
#include "solver/case/case.h"
#include "solver/diffusion/diffusion.h"

/* The probes of a case: its points, then the points of its line. */
typedef struct mt_probes {
    size_t n, n_points;
    double *xyz_mm;    /* [n][3] */
    uint32_t *element; /* [n] element with the nearest centre; MT_NO_ELEMENT: not part of the problem */
    /* [n][4] with voltages at the vertices: barycentric coordinates in `element`, which contains the probe; NULL: at the centres */
    double *weight;
} mt_probes;

/* Finds the probes of a case on its mesh. MT_INPUT if a probe is outside the mesh (mt_probe_find); the message names its key. */
MT_NODISCARD mt_status mt_probes_make(
    mt_arena *arena, const mt_case *input, const mt_mesh *mesh, mt_probes *probes);

/* Replaces the elements of probes by the elements that contain them, in the numbering of `mesh`, and computes their weights in `arena`.
 * `mesh`: the conducting elements of `whole`. The element is MT_NO_ELEMENT if a non-conducting element contains the probe or is nearer to
 * it. MT_MEMORY. O(n n_elements), one pass over the elements. */
MT_NODISCARD mt_status mt_probes_locate(
    mt_arena *arena, const mt_mesh *whole, const mt_mesh *mesh, mt_probes *probes);

/* Finds the element with the nearest centre for each of the n probes xyz_mm [n][3]; the lowest of equals. MT_INPUT if a probe is
 * outside the mesh: farther from that centre than 1.5 times the farthest vertex of the element. The message has the coordinates of
 * the first such probe, its distance from the element, the box around the mesh, and the likely unit of a place far away (mesh/scale.h).
 * O(n n_elements), one pass over the elements. */
MT_NODISCARD mt_status mt_probe_find(const mt_mesh *mesh, size_t n, const double *xyz_mm, uint32_t *element);

/* Returns the linear fit of a field at a probe, for activation times. `element` is a nearest one. Values that are not finite do not
 * count in the fit; if the value of a nearest element is not finite, it is returned. If fewer than four elements remain, or all lie
 * in one plane, the mean over the nearest elements is returned. */
double mt_probe_fit(const mt_mesh *mesh, const mt_diffusion *diffusion, const double *field,
    const double xyz_mm[3], uint32_t element);

/* Returns the same, limited to the range of the fitted values, for Vm and the states of the cells. */
double mt_probe_state(const mt_mesh *mesh, const mt_diffusion *diffusion, const double *field,
    const double xyz_mm[3], uint32_t element);

/* Sets needed[e] to 1 for the elements that mt_probe_fit and mt_probe_state read; other entries are unchanged. */
void mt_probe_needs(const mt_mesh *mesh, const mt_diffusion *diffusion, const double xyz_mm[3],
    uint32_t element, uint8_t *needed);

/* Returns the value of a field [unknowns] at a probe, by its number, for Vm and the states of the cells; NaN without an element. */
double mt_probes_state(const mt_probes *probes, size_t probe, const mt_mesh *mesh,
    const mt_diffusion *diffusion, const double *field);

/* Sets needed[k] to 1 for the unknowns that mt_probes_state reads; other entries are unchanged. */
void mt_probes_needs(const mt_probes *probes, size_t probe, const mt_mesh *mesh,
    const mt_diffusion *diffusion, uint8_t *needed);

/* Returns the activation time at a probe, by its number, in a run that reached reached_ms. activation_ms [unknowns] is infinite if not
 * activated. NaN if a nearest element is not activated, if the fit exceeds reached_ms while elements in it are not activated, or if the
 * probe has no element. A probe at the surface can be activated after the last element's centre: if all elements of its fit are activated,
 * the time may exceed reached_ms. At vertices: NaN if a vertex with a weight is not activated. */
double mt_probe_activation_ms(const mt_probes *probes, size_t probe, const mt_mesh *mesh,
    const mt_diffusion *diffusion, const double *activation_ms, double reached_ms);
