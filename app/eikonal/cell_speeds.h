/* CV of the elements of a problem, for the eikonal equation: v = v_k sqrt(D / D_0) along each axis of the tissue of an element, with its
 * diffusivity D there, that of the default tissue D_0, and the CV v_k of its cells (app/eikonal/cell_front.h). */
#pragma once

#include "app/run/problem.h"
#include "solver/eikonal/eikonal.h"

typedef struct mt_cell_speeds {
    const mt_problem *problem;       /* borrowed */
    const mt_cell_variant *variants; /* [n_variants] of the problem */
    size_t n_variants;
    double *speed_mm_ms; /* [n_variants] in the default tissue; NaN: no propagation, or no elements */
    mt_tissues tissues;
    mt_tissue_field field;
    double default_mm2_ms; /* D_0 */
} mt_cell_speeds;

/* Measures CV of the cells of a problem, in `arena`, in their state at the start; warns of cells without propagation. `path`: of the case,
 * for messages. `cached`: true to use the cache. Returns the errors of `mt_cell_front_speed` and `mt_tissue_field_make`. */
MT_NODISCARD mt_status mt_cell_speeds_make(mt_arena *arena, const char *path, const mt_case *input,
    const mt_problem *problem, bool cached, mt_cell_speeds *speeds);

/* Returns the variant of the cells of an element: that of most of its vertices, the first of equals. */
size_t mt_cell_speeds_variant(const mt_problem *problem, size_t element);

/* Computes the squared CV of an element along the axes of its tissue [mm^2/ms^2]. Returns false if it does not conduct. */
bool mt_cell_speeds_squared(const mt_cell_speeds *speeds, size_t element, double along_axes[3]);

/* Returns tau = D / v^2 of an element, the same along all axes of its tissue [ms]; NaN if it does not conduct. */
double mt_cell_speeds_tau_ms(const mt_cell_speeds *speeds, size_t element);

/* Computes the squared velocity tensor of an element (mt_eikonal_velocity). `context`: mt_cell_speeds. */
bool mt_cell_speeds_velocity(const void *context, size_t element, double squared[3][3]);
