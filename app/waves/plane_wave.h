/* Plane waves: along a line without a mesh, and through slabs, along the fibres or across them.
 *
 * Lengths are those of tissue with the usual diffusivity along the fibres. In other tissue they go with the root of the
 * diffusivity, as a front's width and speed do. The first 3 mm get 50 uA/mm^3 of the usual tissue for 2 ms, as a change of V in mV/ms;
 * from 6 mm on the wave has its form, and no end is near. */
#pragma once

#include "app/waves/slab_family.h"
#include "app/waves/wave_medium.h"
#include "solver/line.h"

extern const double mt_plane_wave_stimulated_mm, mt_plane_wave_from_mm, mt_plane_wave_to_mm;
extern const double mt_plane_wave_duration_ms;

/* Behind the last place where it is measured there is so much more: a wave is faster near an end. */
extern const double mt_plane_wave_end_mm;

/* "along", "across": of axis 0 and 1, as beside the fibres. */
extern const char *const mt_plane_wave_direction[2];

/* A wave that activates nothing for so long has died out; no wave through such lengths takes longer than the second. */
extern const double mt_plane_wave_dead_ms, mt_plane_wave_end_ms;

/* What a stimulus adds to V. */
double mt_plane_wave_rise_mV_ms(void);

/* Runs a wave of a model's variant along a line of points 0.02 mm apart, from a circle or plane, until to_mm and a little farther, and gives
 * it in `arena`. MT_INPUT: mt_line_run's. MT_NUMERICS: the wave dies out. MT_MEMORY. */
MT_NODISCARD mt_status mt_plane_wave_line(mt_arena *arena, const mt_cell_model *model, size_t variant,
    bool round, double to_mm, double dt_ms, mt_line_wave *wave);

/* Gives the speed of the plane wave along such a line [mm/ms]. With steps of MT_PLANE_WAVE_CONVERGED_MS and a diffusivity D it is converged
 * to 0.5 % and goes with the root of D. Failures: as above. */
MT_NODISCARD mt_status mt_plane_wave_line_speed(
    const mt_cell_model *model, size_t variant, double dt_ms, double *speed_mm_ms);

#define MT_PLANE_WAVE_CONVERGED_MS 0.002

/* Gives in `arena` the stimulus of a wave at time 0, of those of n places that are below stimulated_mm. MT_MEMORY. */
MT_NODISCARD mt_status mt_plane_wave_stimulus(
    mt_arena *arena, size_t n, const double *place_mm, double stimulated_mm, mt_stimulus *stimulus);

/* The speed by a straight fit of the times of all places between two [mm/ms]; NaN where the wave does not come to one of them, or is no
 * wave away from 0. */
double mt_plane_wave_speed(
    size_t n, const double *place_mm, const double *activation_ms, double from_mm, double to_mm);

/* A slab that a plane wave runs through, from its end. It is 8 edges wide and thick: waves along its surface are slower, or faster, than
 * inside, and in slabs half as wide they differ by some 2 % from those in wide ones, here by 1 %. */
typedef struct mt_wave_slab {
    mt_mesh mesh;
    mt_adjacency adjacency;
    int axis;                             /* 0: along the fibres; 1: across */
    double speed_mm_ms;                   /* that is expected */
    double edge_mm;                       /* mt_slab_kind_edge_mm */
    double stimulated_mm, from_mm, to_mm; /* the wave is measured between the last two */
    double *place_mm;                     /* [n_elements] of centres along the axis */
} mt_wave_slab;

/* Gives a slab for waves of about this speed. Its lengths are `unit` times those above; at least 2 edges are stimulated, and the wave is
 * measured after 6 edges at least, over 10 at least. The arena is empty at first, and freed between attempts to make the mesh.
 * MT_INPUT: it would have more than MT_WAVE_SLAB_MOST elements. Failures of mt_slab_kind_make. MT_MEMORY. */
MT_NODISCARD mt_status mt_wave_slab_make(
    mt_arena *arena, const mt_slab_kind *kind, int axis, double speed_mm_ms, double unit, mt_wave_slab *slab);

#define MT_WAVE_SLAB_MOST 3000000
#define MT_PLANE_WAVE_GIVEN 0.25

/* What was measured. All numbers but the first are NaN where the wave died out, or fell apart: fewer than MT_PLANE_WAVE_GIVEN of the elements
 * lie where a front passes. */
typedef struct mt_plane_wave {
    size_t pde_steps;
    double speed_mm_ms; /* by a straight fit of all activation times */
    double
        uneven; /* root mean square of single elements' speeds (solver/outputs/velocity.h) over it, less 1 */
    double given; /* the share of elements for which there is such a speed */
} mt_plane_wave;

/* Sends a wave through it. Shows progress in the stage that the caller has begun. MT_NUMERICS: the diffusion steps asked for are
 * unstable, or V grows beyond all bounds. Failures of mt_diffusion_make. MT_MEMORY. */
MT_NODISCARD mt_status mt_plane_wave_measure(
    const mt_wave_slab *slab, const mt_wave_medium *medium, mt_plane_wave *wave);
