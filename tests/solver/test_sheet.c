/* The reference solution for isthmuses, tests/solver/sheet.h, compared with a cable and with exact solutions of the diffusion. */
#include <criterion/criterion.h>

#include "solver/cable.h"
#include "tests/solver/isthmus.h"

static const double along = 0.0953, across = 0.0126;

/* Returns a sheet of the default cells with the stimulus of the benchmark. */
static sheet sheet_of(size_t n_x, size_t n_y, double dx_mm, double dt_ms)
{
    sheet a = {.model = mt_cell_models[0],
        .variant = {&mt_cell_models[0]->variants[TP06_EPI], &mt_cell_models[0]->variants[TP06_EPI]},
        .diffusivity_x_mm2_ms = along,
        .diffusivity_y_mm2_ms = across,
        .n_x = n_x,
        .n_y = n_y,
        .dx_mm = dx_mm,
        .dt_ms = dt_ms,
        .duration_ms = 2,
        .rise_mV_ms = 50 / 1.4};
    sheet_new(&a);
    return a;
}

/* Returns the cable along x with the numbers of a sheet, stimulated below 1.5 mm. */
static mt_cable cable_of(const sheet *a)
{
    return (mt_cable){.model = a->model,
        .diffusivity_mm2_ms = a->diffusivity_x_mm2_ms,
        .length_mm = (double)a->n_x * a->dx_mm,
        .dx_mm = a->dx_mm,
        .dt_ms = a->dt_ms,
        .end_ms = 100,
        .splitting = MT_SPLITTING_COMPENSATED,
        .stimulated_mm = 1.5,
        .duration_ms = a->duration_ms,
        .rise_mV_ms = a->rise_mV_ms};
}

static mt_cable_wave wave_of(mt_arena *arena, const mt_cable *cable)
{
    mt_cable_wave wave;
    cr_assert_eq(mt_cable_run(arena, cable, &wave), MT_OK, "%s", mt_message());
    return wave;
}

/* Two strips of 3 points with a wall between them: ordinary and weak cells. Two diffusion substeps at 0.06 mm. */
static void expect_cables(double dx_mm)
{
    reduced_sodium_cells reduced;
    sheet a = sheet_of((size_t)llround(6 / dx_mm), 7, dx_mm, 0.02);
    reduced_sodium_model(&reduced, 0.3);
    a.variant[SHEET_WEAK] = &reduced.variant;
    for (size_t i = 0; i < a.n_x; i++)
        for (size_t j = 0; j < a.n_y; j++) {
            a.kind[sheet_at(&a, i, j)] = j < 3 ? SHEET_ORDINARY : j == 3 ? SHEET_WALL : SHEET_WEAK;
            a.stimulated[sheet_at(&a, i, j)] = ((double)i + 0.5) * dx_mm < 1.5;
        }
    sheet_run(&a, 40, 100);
    for (size_t strip = 0; strip < 2; strip++) {
        mt_cable cable = cable_of(&a);
        cable.changed = a.variant[strip];
        const mt_cable_wave wave = wave_of(&a.arena, &cable);
        for (size_t j = 4 * strip; j < 4 * strip + 3; j++)
            for (size_t i = 0; i < a.n_x; i++)
                cr_assert_float_eq(a.activation_ms[sheet_at(&a, i, j)], wave.activation_ms[i], 1e-6,
                    "dx %g, strip %zu, point %zu", dx_mm, strip, i);
    }
    mt_arena_free(&a.arena);
}

Test(sheet, plane_wavefronts_equal_those_on_a_cable)
{
    expect_cables(0.1);
    expect_cables(0.06);
}

/* A corner of 4 mm in isotropic tissue, stimulated within 1.5 mm: the wavefront is a quarter of a circle. The border of the stimulus
 * follows the grid; the intervals between 2 and 3.5 mm hardly depend on it. */
static void expect_circle(double dx_mm, double percent)
{
    const size_t n = (size_t)llround(4 / dx_mm);
    sheet a = sheet_of(n, n, dx_mm, 0.02);
    a.diffusivity_y_mm2_ms = a.diffusivity_x_mm2_ms;
    for (size_t i = 0; i < a.n_x; i++)
        for (size_t j = 0; j < a.n_y; j++)
            a.stimulated[sheet_at(&a, i, j)] = hypot((double)i + 0.5, (double)j + 0.5) * dx_mm < 1.5;
    sheet_run(&a, 40, 100);
    mt_cable cable = cable_of(&a);
    cable.round = true, cable.length_mm = 5, cable.dx_mm = 0.02;
    const mt_cable_wave wave = wave_of(&a.arena, &cable);
    const double right_ms = mt_cable_time(&wave, 3.5) - mt_cable_time(&wave, 2);
    for (int k = 0; k <= 6; k++) {
        const double x = cos(k * acos(0) / 6), y = sin(k * acos(0) / 6),
                     found_ms = sheet_time(&a, 3.5 * x, 3.5 * y) - sheet_time(&a, 2 * x, 2 * y),
                     late = 100 * (found_ms / right_ms - 1);
        cr_log_info("dx %g mm, %d degrees: %.4f ms, %.2f %% late", dx_mm, 15 * k, found_ms, late);
        cr_expect(late > 0 && late < percent, "dx %g mm, %d degrees: %g %%", dx_mm, 15 * k, late);
    }
    mt_arena_free(&a.arena);
}

/* Half of dx has a quarter of the error. */
Test(sheet, a_circular_wavefront_equals_that_on_a_cable_in_all_directions)
{
    expect_circle(0.1, 2.6);
    expect_circle(0.05, 0.65);
}

/* Exchanging x and y exchanges the activation times, to rounding errors. */
Test(sheet, x_and_y_are_equivalent)
{
    sheet a = sheet_of(40, 24, 0.1, 0.02), b = sheet_of(24, 40, 0.1, 0.02);
    b.diffusivity_x_mm2_ms = across, b.diffusivity_y_mm2_ms = along;
    for (size_t i = 0; i < a.n_x; i++)
        for (size_t j = 0; j < a.n_y; j++) {
            const size_t p = sheet_at(&a, i, j), q = sheet_at(&b, j, i);
            a.kind[p] = b.kind[q] = i / 4 == 5 && j / 4 != 3 ? SHEET_WALL : SHEET_ORDINARY;
            a.stimulated[p] = b.stimulated[q] = i < 10 && j < 20;
        }
    sheet_run(&a, 40, 100), sheet_run(&b, 40, 100);
    cr_expect_eq(a.n_activated, a.n_conducting);
    for (size_t i = 0; i < a.n_x; i++)
        for (size_t j = 0; j < a.n_y; j++) {
            const double time_ms = a.activation_ms[sheet_at(&a, i, j)];
            if (a.kind[sheet_at(&a, i, j)] != SHEET_WALL)
                cr_assert_float_eq(time_ms, b.activation_ms[sheet_at(&b, j, i)], 1e-9, "%zu, %zu", i, j);
            else
                cr_assert(isinf(time_ms));
        }
    mt_arena_free(&a.arena), mt_arena_free(&b.arena);
}

/* cos(pi x / X) cos(2 pi y / Y) in a box without flux through its sides is an eigenfunction of the differences, too. */
Test(sheet, diffusion_between_walls_decays_as_the_exact_cosine)
{
    enum { WEST = 7, SOUTH = 5, N_X = 20, N_Y = 12, STEPS = 50 };
    const double pi = 2 * acos(0);
    sheet a = sheet_of(WEST + N_X + 9, SOUTH + N_Y + 8, 0.1, 0.02);
    for (size_t k = 0; k < a.n; k++) a.kind[k] = SHEET_WALL, a.v[k] = a.next[k] = 30;
    for (size_t i = 0; i < N_X; i++)
        for (size_t j = 0; j < N_Y; j++) {
            const size_t k = sheet_at(&a, WEST + i, SOUTH + j);
            a.kind[k] = SHEET_ORDINARY;
            a.v[k] = cos(pi * ((double)i + 0.5) / N_X) * cos(2 * pi * ((double)j + 0.5) / N_Y);
        }
    sheet_couple(&a);
    cr_assert_eq(a.n_conducting, N_X * N_Y);
    for (int k = 0; k < STEPS; k++) sheet_diffuse(&a);
    const double per_mm2 = a.dt_ms / (double)a.substeps / (a.dx_mm * a.dx_mm),
                 decay =
                     1 - 4 * per_mm2 * (along * pow(sin(pi / (2 * N_X)), 2) + across * pow(sin(pi / N_Y), 2));
    for (size_t i = 0; i < N_X; i++)
        for (size_t j = 0; j < N_Y; j++) {
            const double right =
                pow(decay, STEPS) * cos(pi * ((double)i + 0.5) / N_X) * cos(2 * pi * ((double)j + 0.5) / N_Y);
            cr_assert_float_eq(a.v[sheet_at(&a, WEST + i, SOUTH + j)], right, 1e-12, "%zu, %zu", i, j);
        }
    mt_arena_free(&a.arena);
}

/* Random points, half of them conducting: their sum is constant, and the others are constant. */
Test(sheet, nothing_diffuses_into_walls)
{
    sheet a = sheet_of(30, 20, 0.1, 0.02);
    double sum[2] = {0};
    srand(1);
    for (size_t k = 0; k < a.n; k++) {
        if (rand() % 2) a.kind[k] = SHEET_WALL;
        a.v[k] = a.next[k] = a.kind[k] == SHEET_WALL ? 30 : rand() % 100 - 80;
    }
    sheet_couple(&a);
    for (int after = 0; after < 2; after++) {
        for (size_t k = 0; k < a.n; k++)
            if (a.kind[k] == SHEET_WALL)
                cr_assert_eq(a.v[k], 30);
            else
                sum[after] += a.v[k];
        for (int k = 0; k < 20; k++) sheet_diffuse(&a);
    }
    cr_expect_float_eq(sum[0], sum[1], 1e-9 * fabs(sum[0]), "%.12g, %.12g", sum[0], sum[1]);
    mt_arena_free(&a.arena);
}

/* Weak cells near the isthmus only. */
Test(sheet, the_half_sheet_equals_the_sheet)
{
    const isthmus c = {"", 0.8, 2, false, 0.4, true};
    const double half_ms = isthmus_time(&c, 0.2, 0.02, false), full_ms = isthmus_time(&c, 0.2, 0.02, true);
    cr_expect_float_eq(half_ms, full_ms, 1e-6, "%g, %g ms", half_ms, full_ms);
}
