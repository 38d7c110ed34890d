/* For tests: activation through an isthmus in weak tissue, on the sheet of tests/solver/sheet.h.
 *
 * The sheet is 12 mm x 6 mm. A non-conducting wall of the length of the isthmus (along x, about x = 6 mm) has a gap about y = 3 mm. The
 * stimulus at x < 1.5 mm starts a plane wavefront. The problem is symmetric about y = 3 mm: the grid is the half with y > 3 mm. */
#pragma once

#include "solver/diffusion/tissue.h"
#include "tests/solver/cells/reduced_sodium.h"
#include "tests/solver/sheet.h"

static const double isthmus_size_mm[2] = {12, 6}, isthmus_stimulated_mm = 1.5, isthmus_far_mm = 11;

typedef struct isthmus {
    const char *name;
    double gap_mm, length_mm;
    bool transverse; /* fibres along y, otherwise along x */
    double g_Na;     /* factor of weak cells */
    bool local;      /* weak cells only within the isthmus and 1 mm around it, otherwise everywhere */
} isthmus;

/* Converged activation times 11 mm from the start on the axis, for dx and dt to 0 (tests/solver/test_sheet_slow.c), and their
 * uncertainties. Names: along (fibres along the isthmus) or across, and local for weak cells near the isthmus only. */
static const struct isthmus_case {
    isthmus isthmus;
    double reference_ms, band_ms;
} isthmus_cases[] = {
    {{"along", 0.4, 2, false, 0.2, false}, 39.63, 0.06},
    {{"across, weak", 1.4, 2, true, 0.15, false}, 115.0, 0.4},
    {{"across", 0.7, 2, true, 0.3, false}, 75.4, 0.15},
    {{"along, local", 0.4, 2, false, 0.2, true}, 25.62, 0.04},
    {{"across, local", 0.7, 2, true, 0.3, true}, 56.82, 0.15},
};
enum { ISTHMUS_CASES = sizeof isthmus_cases / sizeof *isthmus_cases };

/* Fibres across the isthmus and 0.3 of g_Na in all cells: an isthmus of the first width blocks, one of the second conducts, at any length
 * from 0.5 to 4 mm. The critical width is between them. */
static const double isthmus_widths_mm[2] = {0.35, 0.4};

/* Returns the kind of a point at x, and y from the axis of the isthmus. */
static inline int8_t isthmus_kind(const isthmus *c, double x_mm, double y_mm)
{
    const double from_mm = fabs(x_mm - isthmus_size_mm[0] / 2) - c->length_mm / 2,
                 above_mm = y_mm - c->gap_mm / 2;
    if (from_mm < 0 && above_mm > 0) return SHEET_WALL;
    return !c->local || (from_mm < 1 && above_mm < 1) ? SHEET_WEAK : SHEET_ORDINARY;
}

/* Returns the activation time at x = 11 mm on the axis of the isthmus, infinite if the isthmus blocks. The sides of the gap, the wall and
 * the weak region must be multiples of dx. `full`: on the entire sheet, not on its half. */
static inline double isthmus_time(const isthmus *c, double dx_mm, double dt_ms, bool full)
{
    reduced_sodium_cells reduced;
    const double along = mt_tissue_diffusivity_l(&mt_tissue_default),
                 across = mt_tissue_diffusivity_t(&mt_tissue_default), half_mm = isthmus_size_mm[1] / 2;
    sheet a = {.model = mt_cell_models[0],
        .diffusivity_x_mm2_ms = c->transverse ? across : along,
        .diffusivity_y_mm2_ms = c->transverse ? along : across,
        .n_x = (size_t)llround(isthmus_size_mm[0] / dx_mm),
        .n_y = (size_t)llround((full ? 2 : 1) * half_mm / dx_mm),
        .dx_mm = dx_mm,
        .dt_ms = dt_ms,
        .duration_ms = 2,
        .rise_mV_ms = 50 / 1.4};
    reduced_sodium_model(&reduced, c->g_Na);
    a.variant[SHEET_ORDINARY] = &mt_cell_tp06.variants[TP06_EPI];
    a.variant[SHEET_WEAK] = &reduced.variant;
    sheet_new(&a);
    for (size_t j = 0; j < a.n_y; j++)
        for (size_t i = 0; i < a.n_x; i++) {
            const double y_mm = ((double)j + 0.5) * dx_mm - (full ? half_mm : 0);
            const double x_mm = ((double)i + 0.5) * dx_mm;
            a.kind[sheet_at(&a, i, j)] = isthmus_kind(c, x_mm, fabs(y_mm));
            a.stimulated[sheet_at(&a, i, j)] = x_mm < isthmus_stimulated_mm;
        }
    sheet_run(&a, 40, 300);
    const double time_ms = sheet_time(&a, isthmus_far_mm, full ? half_mm : 0);
    mt_arena_free(&a.arena);
    return time_ms;
}
