/* A converged 1-D cable: the reference solution for activation wavefronts on meshes, computed without a mesh.
 *
 *       dv/dt = f(v, states) + D (v_rr + k v_r / r),     0 < r < length, no flux through the ends
 *
 * k = 0: a plane wavefront. k = 1: a circular wavefront around r = 0, in a plane. Tissue with longitudinal diffusivity D_l and transverse
 * diffusivity D_t is isotropic with D_l if y and z are scaled by 1 / sqrt(D_t / D_l). The two solutions therefore also describe the plane
 * transverse wavefront and an elliptic wavefront with this ratio of half axes.
 *
 * Points are at (i + 1/2) dx. Differences are central, of second order. Time steps are those of solver/monodomain.h in double precision,
 * with the smallest number of diffusion substeps that satisfies D dt <= 0.4 dx^2 (stable up to 0.5). The code shares only the ionic model
 * and the compensation of the splitting error with the solver on meshes. */
#pragma once

#include <stdbool.h>

#include "data/core/arena.h"
#include "solver/monodomain.h"
#include "solver/cells/model.h"

typedef struct mt_cable {
    const mt_cell_model *model;
    size_t variant;
    const mt_cell_variant *changed; /* replaces the variant; NULL: use the model's own */
    bool round;                     /* circular wavefront */
    double diffusivity_mm2_ms;
    double length_mm, dx_mm;
    double dt_ms, end_ms; /* the run ends earlier if all points are activated */
    double dead_ms;       /* and if no further point was activated for this time; 0: no such limit */
    mt_splitting splitting;
    mt_stepping stepping;
    double tolerance_mV; /* of multirate stepping */
    bool repolarises;    /* continue until all points are repolarised, at most to end_ms */
    /* The stimulus is on from the start, at the points below stimulated_mm. */
    double stimulated_mm, duration_ms, rise_mV_ms;
    double far_mm; /* start of the range that peak_mV is taken from */
} mt_cable;

typedef struct mt_cable_wave {
    size_t n;
    double dx_mm;
    double *activation_ms; /* [n] first passage through 0 mV, interpolated; infinite if not activated */
    /* [n] from activation to the passage through rest + 0.1 (peak - rest); infinite if not repolarised */
    double *apd90_ms;
    double peak_mV; /* highest Vm after a time step, from far_mm on */
} mt_cable_wave;

/* Runs the cable; returns the result in `arena`. MT_INPUT if a length, a time or the diffusivity is not finite and positive, or if dt_ms is
 * above the limit of the model. MT_NUMERICS if Vm is not a number. MT_MEMORY. Deterministic; time O(n steps). */
MT_NODISCARD mt_status mt_cable_run(mt_arena *arena, const mt_cable *cable, mt_cable_wave *wave);

/* Returns the activation time at a place [ms]: linear between points, and extrapolated beyond the first and the last. */
double mt_cable_time(const mt_cable_wave *wave, double at_mm);

/* Returns the conduction velocity between two places [mm/ms], by a linear fit of all activation times; NaN if a point is not activated. */
double mt_cable_speed(const mt_cable_wave *wave, double from_mm, double to_mm);
