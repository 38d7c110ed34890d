/* Plane waves: along a 1-D cable without a mesh, and through slabs, longitudinal or transverse to the fibres.
 *
 * Lengths are for tissue with the default longitudinal diffusivity. In other tissue they scale with the square root of the diffusivity,
 * like the width and the velocity of a wavefront. The stimulus acts on the first 3 mm for 2 ms. It is a current of 50 uA/mm^3, applied as a
 * change of V [mV/ms] with the membrane of the default tissue. From 6 mm on the wavefront has its steady shape, and no end is near. */
#pragma once

#include "app/waves/slab_family.h"
#include "app/waves/wave_medium.h"
#include "solver/cable.h"

extern const double mt_plane_wave_stimulated_mm, mt_plane_wave_from_mm, mt_plane_wave_to_mm;
extern const double mt_plane_wave_duration_ms;

/* Extra length after the last measured point: a wavefront is faster near an end. */
extern const double mt_plane_wave_end_mm;

/* "along" (axis 0) and "across" (axis 1): the direction relative to the fibres, in messages. */
extern const char *const mt_plane_wave_direction[2];

/* Propagation has failed if no element was activated for mt_plane_wave_dead_ms. Propagation along a cable is computed up to
 * mt_plane_wave_end_ms, longer than any wavefront takes over such lengths. */
extern const double mt_plane_wave_dead_ms, mt_plane_wave_end_ms;

/* Returns the change of V by the stimulus [mV/ms]. */
double mt_plane_wave_rise_mV_ms(void);

/* Computes propagation along a cable of points 0.02 mm apart, for a variant of a model. The cable ends mt_plane_wave_end_mm after to_mm.
 * `round`: true for a circular wavefront, false for a plane one. `wave`: in `arena`. Fails with MT_NUMERICS if propagation fails; other
 * errors come from `mt_cable_run`. */
MT_NODISCARD mt_status mt_plane_wave_cable(mt_arena *arena, const mt_cell_model *model, size_t variant,
    bool round, double to_mm, double dt_ms, mt_cable_wave *wave);

/* Computes the conduction velocity of the plane wave along such a cable [mm/ms]. With time steps of MT_PLANE_WAVE_CONVERGED_MS it is
 * converged to 0.5 %, and scales with the square root of the diffusivity. Returns the errors of `mt_plane_wave_cable`. */
MT_NODISCARD mt_status mt_plane_wave_cable_speed(
    const mt_cell_model *model, size_t variant, double dt_ms, double *speed_mm_ms);

#define MT_PLANE_WAVE_CONVERGED_MS 0.002

/* Builds, in `arena`, a stimulus at time 0 of all elements with a place below stimulated_mm. */
MT_NODISCARD mt_status mt_plane_wave_stimulus(
    mt_arena *arena, size_t n, const double *place_mm, double stimulated_mm, mt_stimulus *stimulus);

/* Computes the conduction velocity by linear regression of the activation times of all places from from_mm to to_mm [mm/ms]. Returns NaN if
 * one of them is not activated, or if the wavefront does not propagate away from 0. */
double mt_plane_wave_speed(
    size_t n, const double *place_mm, const double *activation_ms, double from_mm, double to_mm);

/* A slab for a plane wave that starts at one end. It is 8 edges wide and thick, as the velocity at the surface differs from that inside.
 * The mean velocity differs by 1 % from that in wide slabs; in slabs of half the width it would be about 2 %. */
typedef struct mt_wave_slab {
    mt_mesh mesh;
    mt_adjacency adjacency;
    int axis;                             /* 0: longitudinal; 1: transverse */
    double speed_mm_ms;                   /* the expected conduction velocity */
    double edge_mm;                       /* mt_slab_kind_edge_mm */
    double stimulated_mm, from_mm, to_mm; /* the velocity is measured between the last two */
    double *place_mm;                     /* [n_elements] coordinates of the centroids along the axis */
} mt_wave_slab;

/* Builds a slab for a wavefront of about the given velocity. `unit` scales the lengths above. At least 2 edges are stimulated; the
 * measurement starts after at least 6 edges and covers at least 10. `arena` must be empty; it is freed between attempts to generate the
 * mesh. Fails with MT_INPUT if the slab would have more than MT_WAVE_SLAB_MOST elements, and with the errors of `mt_slab_kind_make`. */
MT_NODISCARD mt_status mt_wave_slab_make(
    mt_arena *arena, const mt_slab_kind *kind, int axis, double speed_mm_ms, double unit, mt_wave_slab *slab);

#define MT_WAVE_SLAB_MOST 3000000
#define MT_PLANE_WAVE_GIVEN 0.25

/* The measured plane wave. All numbers but pde_steps are NaN if propagation failed or the wavefront broke up, so that a velocity is defined
 * in less than a share of MT_PLANE_WAVE_GIVEN of the elements. */
typedef struct mt_plane_wave {
    size_t pde_steps;   /* diffusion substeps in a time step */
    double speed_mm_ms; /* by linear regression of all activation times */
    /* Root mean square of v / speed_mm_ms - 1, where v is the velocity at an element (solver/outputs/velocity.h). */
    double uneven;
    double given; /* the share of elements with a defined velocity */
} mt_plane_wave;

/* Computes a plane wave through the slab and measures it. Reports progress within the current stage. Fails with MT_NUMERICS if the number
 * of diffusion substeps is too small for stability, or if V diverges, and with the errors of `mt_operator_make`. */
MT_NODISCARD mt_status mt_plane_wave_measure(
    const mt_wave_slab *slab, const mt_wave_medium *medium, mt_plane_wave *wave);
