/* Probes: places in a mesh, not necessarily element centres, at which a field is sampled.
 *
 * A field is sampled from the nearest element and the elements that its diffusion row reads (at most 17). Their values are fitted
 * by a linear function in the sense of least squares: second order, also at the corners of a slab, where the nearest centre is
 * off by a good part of an edge. If several elements are nearest, to 1e-9 of their distance, all of them count with their rows:
 * rounding does not decide between them, and probes that mirror each other have the same value if the field mirrors itself.
 *
 * At the surface a fit extrapolates. This suits an activation time, which is nearly linear over a few elements. It does not suit Vm
 * and the states of the cells: across an activation front they jump, and a fit leaves their range by half of the jump. These are
 * limited to the range of the values that they are fitted to, the limit of Barth and Jespersen (1989) at a single place. */
#pragma once

#include "mesh/mesh.h"
#include "solver/case/case.h"
#include "solver/diffusion/diffusion.h"

/* The probes of a case: its points, then those of its line. */
typedef struct mt_probes {
    size_t n, n_points;
    double *xyz_mm;    /* [n][3] */
    uint32_t *element; /* [n] whose centre is nearest; MT_NO_ELEMENT: one that is not part of the problem */
} mt_probes;

/* Finds the probes of a case on its mesh. MT_INPUT if one is outside the mesh (mt_probe_find); the message names its key. */
MT_NODISCARD mt_status mt_probes_make(
    mt_arena *arena, const mt_case *input, const mt_mesh *mesh, mt_probes *probes);

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

/* Returns the same, limited to the range of the values in the fit, for Vm and the states of the cells. */
double mt_probe_state(const mt_mesh *mesh, const mt_diffusion *diffusion, const double *field,
    const double xyz_mm[3], uint32_t element);

/* Sets needed[e] to 1 for the elements that these read; the others stay as they are. */
void mt_probe_needs(const mt_mesh *mesh, const mt_diffusion *diffusion, const double xyz_mm[3],
    uint32_t element, uint8_t *needed);

/* Returns the activation time at a probe, by its number, in a run that reached reached_ms. activation_ms [n_elements] is infinite
 * where not activated. NaN if a nearest element is not activated, if the fit exceeds reached_ms while elements in it are not
 * activated, or if the probe has no element. A probe at the surface is activated after the last element's centre: if all elements
 * of its fit are activated, the time may exceed reached_ms. */
double mt_probe_activation_ms(const mt_probes *probes, size_t probe, const mt_mesh *mesh,
    const mt_diffusion *diffusion, const double *activation_ms, double reached_ms);
