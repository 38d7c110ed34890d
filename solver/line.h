/* A wave along a line: what waves through meshes are compared with, found without a mesh.
 *
 *     dv/dt = f(v, states) + D (v_rr + k v_r / r),     0 < r < length, no flux through the ends
 *
 * k = 0: a plane wave. k = 1: a wave out of a circle about r = 0, in a plane. Tissue of the diffusivities D_l along x and D_t across it
 * conducts in all directions with D_l where y and z are measured in sqrt(D_t / D_l) mm. So these two are also the plane wave
 * across the fibres and the wave out of an ellipse, whose half axes have that ratio.
 *
 * Points lie at (i + 1/2) dx. Differences are central and of second order; time steps are those of solver/monodomain.h in double
 * precision, the diffusion substeps as few as D dt <= 0.4 dx^2 allows (stable to 0.5). Shares with the meshes' solver only the
 * cell model and how a splitting is compensated. */
#pragma once

#include <stdbool.h>

#include "data/core/arena.h"
#include "solver/monodomain.h"
#include "solver/cells/model.h"

typedef struct mt_line {
    const mt_cell_model *model;
    size_t variant;
    const mt_cell_variant *changed; /* in place of that one; NULL: it is the model's */
    bool round;                     /* out of a circle */
    double diffusivity_mm2_ms;
    double length_mm, dx_mm;
    double dt_ms, end_ms; /* ends before, once all points are activated */
    mt_splitting splitting;
    mt_stepping stepping;
    double tolerance_mV; /* of multirate stepping */
    bool repolarises;    /* goes on until all points are, at most to end_ms */
    /* The stimulus is on from the start, at the points below stimulated_mm. */
    double stimulated_mm, duration_ms, rise_mV_ms;
    double far_mm; /* from here on V is looked at */
} mt_line;

typedef struct mt_line_wave {
    size_t n;
    double dx_mm;
    double *activation_ms; /* [n] first passage through 0 mV, interpolated; infinite where there was none */
    double *
        apd90_ms; /* [n] from there to the passage through rest + 0.1 (peak - rest); infinite where there was none */
    double peak_mV; /* the highest V after a step from far_mm on */
} mt_line_wave;

/* Gives the wave in `arena`. MT_INPUT: a length, a time or the diffusivity is not finite and above 0, or dt_ms is above what the model
 * allows. MT_NUMERICS: V is no number. MT_MEMORY. Deterministic; time O(n steps). */
MT_NODISCARD mt_status mt_line_run(mt_arena *arena, const mt_line *line, mt_line_wave *wave);

/* The time at which it passes a place, linear between points and beyond the first and the last [ms]. */
double mt_line_time(const mt_line_wave *wave, double at_mm);

/* The speed by a straight fit of all times between two places [mm/ms]; NaN where it does not reach a point there. */
double mt_line_speed(const mt_line_wave *wave, double from_mm, double to_mm);
