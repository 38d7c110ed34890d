/* The complete published slab benchmark: takes minutes, so it is not an everyday test. */
#include <criterion/criterion.h>

#include <omp.h>
#include <string.h>

#include "tests/solver/niederer.h"

static slab_problem s;

static void activation_at_points(
    const char *backend, const mt_layout *layout, double end_ms, double at_point_ms[9])
{
    double *v = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *v);
    double *activation = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *activation);
    run_backend(&s, backend, layout, (size_t)llround(end_ms / s.problem.dt_ms), v, activation);
    uint32_t element[9];
    cr_assert_eq(mt_probe_find(&s.mesh, 9, &points_mm[0][0], element), MT_OK, "%s", mt_message());
    for (int p = 0; p < 9; p++)
        at_point_ms[p] = mt_probe_fit(&s.mesh, &s.diffusion, activation, points_mm[p], element[p]);
}

static void compare_backends(double edge_mm, double end_ms)
{
    double cpu[9], ipu[9];
    make_slab_problem(&s, (double[]){20, 7, 3}, edge_mm);
    const mt_layout layout = layout_on(&s, 1472);
    activation_at_points("cpu", NULL, end_ms, cpu);
    activation_at_points("ipu", &layout, end_ms, ipu);
    for (int p = 0; p < 9; p++) {
        cr_log_info("%g mm, P%d: cpu %.4f ms, ipu %.4f ms", edge_mm, p + 1, cpu[p], ipu[p]);
        cr_assert_lt(
            fabs(cpu[p] - ipu[p]), 0.05, "%g mm, P%d: cpu %g ms, ipu %g ms", edge_mm, p + 1, cpu[p], ipu[p]);
    }
    mt_arena_free(&s.arena);
}

Test(niederer, machine_and_cpu_activation_times_agree_at_0_5_mm) { compare_backends(0.5, 55); }
Test(niederer, machine_and_cpu_activation_times_agree_at_0_2_mm) { compare_backends(0.2, 45); }

Test(niederer, voltages_after_20_ms_are_bit_identical_on_1_64_and_1472_tiles)
{
    static const struct {
        uint32_t tiles;
        int threads;
    } runs[] = {{1, 1}, {64, 1}, {1472, 1}, {1472, 2}, {64, 2}};
    make_slab_problem(&s, (double[]){20, 7, 3}, 0.5);
    double *first = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *first);
    double *v = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *v);
    for (size_t r = 0; r < sizeof runs / sizeof runs[0]; r++) {
        const mt_layout layout = layout_on(&s, runs[r].tiles);
        omp_set_num_threads(runs[r].threads);
        run_backend(&s, "ipu", &layout, 1000, r ? v : first, NULL);
        cr_assert(r == 0 || memcmp(v, first, s.mesh.n_elements * sizeof *v) == 0, "%u tiles, %d threads",
            runs[r].tiles, runs[r].threads);
    }
    mt_arena_free(&s.arena);
}

/* solver/README.md, "Convergence": the activation times at the corner opposite to the stimulated one, for some corners of the base. */
static void check_corners(double edge_mm, size_t n, const size_t *corner, const double *readme_ms)
{
    s = (slab_problem){0};
    cr_assert_eq(mt_slab_make(&s.arena, benchmark_mm, edge_mm, &s.mesh), MT_OK, "%s", mt_message());
    make_problem(&s, (double[]){1.5, 1.5, 1.5});
    for (size_t k = 0; k < n; k++) {
        double ms[POINTS];
        corner_times(&s, "cpu", benchmark_mm, corner[k], 52, ms);
        cr_log_info("%g mm, corner %zu: %.3f ms", edge_mm, corner[k], ms[7]);
        cr_expect_float_eq(ms[7], readme_ms[k], 0.015, "%g mm, corner %zu: %g ms", edge_mm, corner[k], ms[7]);
    }
    mt_arena_free(&s.arena);
}

Test(niederer, activation_times_of_all_corners_at_0_5_mm_equal_the_readme)
{
    static const size_t all[CORNERS] = {0, 1, 2, 3};
    check_corners(0.5, CORNERS, all, (double[]){42.84, 42.84, 42.84, 42.84});
}

/* 35 boxes along y, so the slab is not its own mirror image. */
Test(niederer, activation_times_of_corners_at_0_2_mm_equal_the_readme)
{
    check_corners(0.2, 2, (size_t[]){0, 2}, (double[]){42.63, 42.65});
}
