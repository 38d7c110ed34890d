#include <criterion/criterion.h>

#include "tests/solver/coarse_bar.h"

/* Propagation from one tissue into another: the conduction velocity on each side is that of the tissue alone, and the wavefront passes
 * the border at the time computed on a fine line. */

enum { HALF_MM = 10 };

static const double edge_mm = 0.5;

static mt_tissue with_factor(double factor)
{
    mt_tissue tissue = mt_tissue_default;
    tissue.sigma_l_mS_mm *= factor;
    tissue.sigma_t_mS_mm *= factor;
    return tissue;
}

/* Replaces the operator of a bar by one of two tissues with a border in the middle. */
static void make_halves(bar *b, const mt_tissue tissue[2])
{
    uint16_t *of = mt_arena_alloc(&b->s.arena, b->n, sizeof *of);
    for (size_t c = 0; c < b->n; c++) of[c] = b->place_mm[c] > HALF_MM;
    const mt_tissues tissues = {2, tissue, of};
    const mt_diffusion_options none = {.known = NULL};
    cr_assert_eq(mt_diffusion_make_with(&b->s.arena, &b->s.mesh, &b->s.adjacency, &tissues,
                     &mt_diffusion_scheme_default, &none, &b->s.diffusion),
        MT_OK, "%s", mt_message());
    b->s.problem.pde_steps = mt_monodomain_pde_steps(&b->s.diffusion, b->s.problem.dt_ms);
}

/* Builds the same on a line of points; two points are half a spacing before and after the border. */
static void make_line_of_halves(bar *b, const mt_tissue tissue[2], double dx_mm)
{
    mt_diffusion *d = &b->s.diffusion;
    const size_t border = (size_t)llround(HALF_MM / dx_mm);
    double sigma[2], held[2];
    for (int k = 0; k < 2; k++) {
        sigma[k] = tissue[k].sigma_l_mS_mm;
        held[k] = tissue[k].chi_per_mm * tissue[k].cm_uF_mm2;
    }
    d->limit_dt_ms = 0.4 * dx_mm * dx_mm / fmax(sigma[0] / held[0], sigma[1] / held[1]);
    for (size_t i = 0; i < d->n_unknowns; i++) {
        const size_t here = i >= border;
        for (size_t k = 0; k < MT_DIFFUSION_ROW; k++) {
            const size_t column = d->column[MT_DIFFUSION_ROW * i + k], there = column >= border;
            const double in_series = 2 * sigma[here] * sigma[there] / (sigma[here] + sigma[there]);
            if (column != i) d->rate[MT_DIFFUSION_ROW * i + k] = in_series / held[here] / (dx_mm * dx_mm);
        }
    }
    b->s.problem.pde_steps = mt_monodomain_pde_steps(d, b->s.problem.dt_ms);
}

/* A linear fit of the times between two positions. */
typedef struct passage {
    double speed_mm_ms, middle_ms;
} passage;

static passage passage_between(const bar *b, double from_mm, double to_mm)
{
    mt_line_fit fit = {0};
    double sum = 0;
    size_t n = 0;
    for (size_t c = 0; c < b->n; c++) {
        if (b->place_mm[c] < from_mm || b->place_mm[c] > to_mm) continue;
        mt_line_fit_add(&fit, b->place_mm[c], b->time_ms[0][c]);
        sum += b->time_ms[0][c];
        n++;
    }
    return (passage){1 / mt_line_fit_slope(&fit), sum / (double)n};
}

static const double before_mm[2] = {5, 8}, behind_mm[2] = {13, 17};

static passage passage_alone(const mt_tissue *tissue, const beats *w, const double range_mm[2])
{
    const mt_tissue both[2] = {*tissue, *tissue};
    bar alone;
    bar_of_boxes(&alone, &mt_diffusion_scheme_default, 0, edge_mm / cbrt(6), w);
    make_halves(&alone, both);
    bar_run(&alone, w);
    const passage found = passage_between(&alone, range_mm[0], range_mm[1]);
    mt_arena_free(&alone.s.arena);
    return found;
}

/* In boxes of 0.5 mm activation is 3 % late in the usual tissue, and less in a faster one (solver/README.md). The border adds at most
 * 0.25 ms, in either direction. */
static void expect_halves(const mt_tissue tissue[2])
{
    const beats w = {mt_cell_models[0], 2 * HALF_MM, 3, 0, 200};
    const double *range_mm[2] = {before_mm, behind_mm};
    passage found[2], right[2];
    bar halves, line;
    bar_of_boxes(&halves, &mt_diffusion_scheme_default, 0, edge_mm / cbrt(6), &w);
    make_halves(&halves, tissue);
    bar_run(&halves, &w);
    bar_of_points(&line, 0, 0.05, &w);
    make_line_of_halves(&line, tissue, 0.05);
    bar_run(&line, &w);
    const double alone = passage_alone(&tissue[1], &w, behind_mm).speed_mm_ms;
    cr_expect_float_eq(passage_between(&halves, behind_mm[0], behind_mm[1]).speed_mm_ms / alone, 1, 0.005);
    for (int k = 0; k < 2; k++) {
        found[k] = passage_between(&halves, range_mm[k][0], range_mm[k][1]);
        right[k] = passage_between(&line, range_mm[k][0], range_mm[k][1]);
        cr_log_info("half %d: %.4f mm/ms, on a line %.4f; at %.3f ms, on a line %.3f", k,
            found[k].speed_mm_ms, right[k].speed_mm_ms, found[k].middle_ms, right[k].middle_ms);
        cr_expect_float_eq(found[k].speed_mm_ms / right[k].speed_mm_ms, 0.977, 0.008);
    }
    const double by_speed_ms = (HALF_MM - 6.5) * (1 / found[0].speed_mm_ms - 1 / right[0].speed_mm_ms) +
                               (15 - HALF_MM) * (1 / found[1].speed_mm_ms - 1 / right[1].speed_mm_ms),
                 later_ms =
                     (found[1].middle_ms - found[0].middle_ms) - (right[1].middle_ms - right[0].middle_ms);
    cr_log_info("later at the border by %.3f ms", later_ms - by_speed_ms);
    cr_expect_float_eq(later_ms - by_speed_ms, 0, 0.25);
    mt_arena_free(&halves.s.arena);
    mt_arena_free(&line.s.arena);
}

Test(tissue_waves, activation_enters_tissue_of_four_times_the_conductivity)
{
    expect_halves((const mt_tissue[2]){with_factor(1), with_factor(4)});
}

Test(tissue_waves, activation_leaves_tissue_of_four_times_the_conductivity)
{
    expect_halves((const mt_tissue[2]){with_factor(4), with_factor(1)});
}

Test(tissue_waves, activation_enters_tissue_of_twice_the_surface_to_volume_ratio)
{
    mt_tissue tissue[2] = {with_factor(1), with_factor(1)};
    tissue[1].chi_per_mm *= 2;
    expect_halves(tissue);
}

/* ---- sheets ---- */

/* Returns the conduction velocity along y in a bar with sheets in the plane of x, the fibres, and `sheet_axis`. */
static double speed_by_sheets(const mt_tissue *tissue, size_t sheet_axis)
{
    const beats w = {mt_cell_models[0], 6, 1.5, 0, 60};
    const mt_tissues tissues = mt_tissues_uniform(tissue);
    const mt_diffusion_options none = {.known = NULL};
    bar b;
    bar_of_boxes(&b, &mt_diffusion_scheme_default, 1, edge_mm / cbrt(6), &w);
    b.s.mesh.sheet = mt_arena_alloc(&b.s.arena, 3 * b.n, sizeof *b.s.mesh.sheet);
    for (size_t c = 0; c < b.n; c++) b.s.mesh.sheet[3 * c + sheet_axis] = 1;
    cr_assert_eq(mt_diffusion_make_with(&b.s.arena, &b.s.mesh, &b.s.adjacency, &tissues,
                     &mt_diffusion_scheme_default, &none, &b.s.diffusion),
        MT_OK, "%s", mt_message());
    bar_run(&b, &w);
    const double speed = bar_speed(&b, &w, 0);
    mt_arena_free(&b.s.arena);
    return speed;
}

Test(tissue_waves, sheet_normal_cv_equals_transverse_cv_in_a_rotated_frame)
{
    mt_tissue by_normal = mt_tissue_default, by_sheet = mt_tissue_default;
    by_normal.sigma_t_mS_mm *= 2, by_normal.sigma_n_mS_mm = mt_tissue_default.sigma_t_mS_mm;
    by_sheet.sigma_n_mS_mm = 2 * mt_tissue_default.sigma_t_mS_mm;
    const double normal = speed_by_sheets(&by_normal, 2), across = speed_by_sheets(&by_sheet, 1),
                 without = speed_by_sheets(&mt_tissue_default, 1), in_sheet = speed_by_sheets(&by_normal, 1);
    cr_log_info("normal %.5f, across %.5f, without sheets %.5f, in the sheet %.5f mm/ms", normal, across,
        without, in_sheet);
    cr_expect_float_eq(normal / across, 1, 1e-9);
    cr_expect_float_eq(normal / without, 1, 0.04);
    cr_expect_float_eq(in_sheet / normal, sqrt(2), 0.05);
}
