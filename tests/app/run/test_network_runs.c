/* Runs with a conduction network: the same files for any number of threads and on devices. (tests/app/ranks.sh: of ranks.) */
#include <criterion/criterion.h>

#include "tests/app/network_case.h"
#include "tests/app/same_files.h"

#include <omp.h>

/* Many points, so that the threads share the network, too. */
static const char body[] = NETWORK_SLAB "time: {dt_ms: 0.05, end_ms: 12}\n"
                                        "network:\n"
                                        "  file: net.csv\n" NETWORK_CABLES "  spacing_mm: 0.005\n"
                                        "  stimuli: [{node: 0, duration_ms: 2}]\n"
                                        "machine: {backend: cpu}\n";
enum { CHUNK = 1024 }; /* points of a thread (solver/conduction/conducting_part.h) */

static void enter(void)
{
    enter_room();
    share_cache();
    omp_set_num_threads(1);
    write_text("case.yaml", body);
    write_text("net.csv", small_network);
}

TestSuite(network_runs, .init = enter, .fini = leave_room);

#define NODES " --set diffusion.discretisation=nodes"
#define MULTIRATE " --set cell.stepping=multirate"
#define COARSE " --set network.spacing_mm=0.2"

static float ours[SLAB_ELEMENTS], others[SLAB_ELEMENTS]; /* activation */

static void run_kind(const char *kind, const char *more)
{
    char line[400];
    (void)snprintf(line, sizeof line, "run case.yaml%s%s", kind, more);
    run(line);
}

/* Counts the activated points of the network; *n: of all. */
static size_t count_activated(const char *folder, size_t *n)
{
    size_t n_activated = 0;
    double *values = read_network_array(folder, "activation", n);
    cr_assert_not_null(values);
    for (size_t k = 0; k < *n; k++) n_activated += values[k] > 0 && values[k] < 12;
    free(values);
    return n_activated;
}

Test(network_runs, threads_do_not_change_a_byte)
{
    static const char *const kinds[] = {"", NODES, MULTIRATE COARSE,
        " --set diffusion.method=implicit" COARSE, NODES MULTIRATE " --set machine.precision=double" COARSE};
    size_t n;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        omp_set_num_threads(1);
        run_kind(kinds[k], " -o one");
        cr_expect_eq(count_activated("one", &n), n, "%s", kinds[k]);
        cr_expect(k > 1 || n > 2 * CHUNK, "%zu points", n);
        omp_set_num_threads(5); /* the most first: OpenMP of clang loses memory if there are more later */
        run_kind(kinds[k], " -o five");
        omp_set_num_threads(2);
        run_kind(kinds[k], " -o two");
        cr_expect_geq(expect_same_files("one", "two", true), 5);
        cr_expect_geq(expect_same_files("one", "five", true), 5);
    }
}

Test(network_runs, a_device_writes_the_files_of_the_host)
{
    static const char *const kinds[] = {COARSE, MULTIRATE COARSE, NODES COARSE,
        (" --set diffusion.accumulation=double-word --set time.pde_steps=3" COARSE)};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const size_t n = k == 2 ? SLAB_VERTICES : SLAB_ELEMENTS;
        run_kind(kinds[k], " -o host");
        run_kind(kinds[k], " -o device --set machine.backend=opencl");
        cr_expect_geq(expect_same_files("host", "device", false), 4);
        cr_expect(there("device/network.vtp") && there("device/junctions.csv"));
        read_result("host", "activation", n, ours);
        read_result("device", "activation", n, others);
        cr_expect_arr_eq(ours, others, n * sizeof *ours, "%s", kinds[k]);
    }
}

static void expect_near(double a, double b, const char *what, size_t k)
{
    cr_assert(isfinite(a) == isfinite(b), "%s %zu: %g and %g", what, k, a, b);
    if (isfinite(a)) cr_assert_float_eq(a, b, 0.1, "%s %zu: %g and %g ms", what, k, a, b);
}

Test(network_runs, double_precision_activates_within_a_tenth_of_a_ms)
{
    static junction_row a[ROWS_MOST], b[ROWS_MOST];
    for (int at_nodes = 0; at_nodes < 2; at_nodes++) {
        const char *kind = at_nodes ? NODES COARSE : COARSE;
        const size_t n = at_nodes ? SLAB_VERTICES : SLAB_ELEMENTS;
        run_kind(kind, " -o single");
        run_kind(kind, " -o double --set machine.precision=double");
        read_result("single", "activation", n, ours);
        read_result("double", "activation", n, others);
        for (size_t k = 0; k < n; k++) expect_near((double)ours[k], (double)others[k], "place", k);
        cr_assert_eq(read_junctions("single", a), 3);
        cr_assert_eq(read_junctions("double", b), 3);
        for (size_t k = 0; k < 3; k++) {
            expect_near(a[k].cable_ms, b[k].cable_ms, "cable", k);
            expect_near(a[k].tissue_ms, b[k].tissue_ms, "tissue", k);
            cr_expect_str_eq(a[k].passage, "antegrade");
            cr_expect_str_eq(b[k].passage, "antegrade");
        }
        cr_expect_not(same_file("single/network.vtp", "double/network.vtp"));
    }
}

/* The slab has no stimulus. The columns of the table agree with each other, and with the fields. */
Test(network_runs, the_tissue_is_activated_through_its_junctions)
{
    static junction_row row[ROWS_MOST];
    double first_ms = INFINITY;
    run_kind(COARSE, " -o here");
    cr_assert_eq(read_junctions("here", row), 3);
    read_result("here", "activation", SLAB_ELEMENTS, ours);
    for (size_t k = 0; k < SLAB_ELEMENTS; k++)
        first_ms = fmin(first_ms, isnan(ours[k]) ? INFINITY : (double)ours[k]);
    cr_expect(first_ms > 5 && first_ms < 12, "%g ms", first_ms);
    for (size_t k = 0; k < 3; k++) {
        const double *x = row[k].x_mm;
        cr_expect(row[k].cable_ms > 2 && row[k].cable_ms < row[k].tissue_ms - 1);
        cr_expect_float_eq(row[k].delay_ms, row[k].tissue_ms - row[k].cable_ms, 1e-9);
        cr_expect_float_eq(network_value("here", "activation", x[0], x[1], x[2]), row[k].cable_ms, 1e-9);
        cr_expect_leq(first_ms, row[k].tissue_ms + 1);
    }
}
