/* The invariants of mt_fibres; the message names the first offending element. */
#pragma once

#include <math.h>

#include "data/core/vec3.h"
#include "mesh/anatomy/fibres.h"

static inline mt_status fibres_check(const mt_fibres *fibres)
{
    for (size_t c = 0; c < fibres->n_elements; c++) {
        const double *f = fibres->fibre + 3 * c, *s = fibres->sheet + 3 * c, *n = fibres->normal + 3 * c;
        double turn[3];
        mt_cross3(f, s, turn);
        double worst = fmax(fabs(mt_dot3(f, f) - 1), fabs(mt_dot3(s, s) - 1));
        worst = fmax(worst, fmax(fabs(mt_dot3(f, s)), fabs(mt_dot3(turn, n) - 1)));
        worst = fmax(worst, fmax(fabs(mt_dot3(n, n) - 1), fmax(fabs(mt_dot3(f, n)), fabs(mt_dot3(s, n)))));
        if (!(worst <= 1e-12) || !isfinite(mt_dot3(f, s) + mt_dot3(turn, n)))
            return mt_fail(
                MT_INPUT, "fibres of element %zu: off orthonormal by %g; 1e-12 is allowed", c, worst);
        if (!(fibres->depth[c] >= 0 && fibres->depth[c] <= 1))
            return mt_fail(
                MT_INPUT, "fibres of element %zu: depth %g; 0 .. 1 is allowed", c, fibres->depth[c]);
        if (fibres->layer[c] < MT_LAYER_ENDO || fibres->layer[c] > MT_LAYER_EPI)
            return mt_fail(
                MT_INPUT, "fibres of element %zu: layer %d; 1 .. 3 is allowed", c, (int)fibres->layer[c]);
    }
    if (fibres->n_jumps > fibres->n_inner_faces)
        return mt_fail(MT_INPUT, "fibres: %zu jumps at %zu faces", fibres->n_jumps, fibres->n_inner_faces);
    return MT_OK;
}
