/* Re-entry through a conduction network and tissue, by command. */
#include <criterion/criterion.h>

#include "tests/app/program.h"

#include <omp.h>

/* A strip of tissue, 30 mm long, and a strand above it that joins both ends: by six branches with a free end each on the left, and by one
 * on the right. With the resistance of the junctions, six free ends together activate the tissue, and one alone does not. Conversely, a
 * wavefront in the tissue activates each cable. */
static const char body[] =
    "mesh: {slab: {size_mm: [30, 1.5, 1], edge_mm: 0.5}}\n"
    "tissue: {intracellular_l_mS_mm: 0.05, intracellular_t_mS_mm: 0.019, extracellular_l_mS_mm: 0.2,\n"
    "         extracellular_t_mS_mm: 0.24, chi_per_mm: 140, cm_uF_mm2: 0.01}\n"
    "cell: {model: tp06, type: epi, scale: [g_Ks=20, g_Kr=10, g_CaL=0.2], stepping: multirate}\n"
    "time: {dt_ms: 0.05, end_ms: 500}\n"
    "network:\n"
    "  file: ring.csv\n"
    "  spacing_mm: 0.2\n"
    "  radius_mm: 0.05\n"
    "  conductivity_mS_mm: 2\n"
    "  cm_uF_mm2: 0.01\n"
    "  fibres: 300\n"
    "  cell: {model: mitchell-schaeffer, scale: [tau_close=0.15, tau_open=0.1]}\n"
    "  junction: {resistance_kOhm: 15, radius_mm: 1}\n"
    "  stimuli: [{node: 1, radius_mm: 2, duration_ms: 3, strength_mV_ms: 100}]\n"
    "points: [{name: left, at_mm: [1, 0.75, 0.5]}, {name: middle, at_mm: [15, 0.75, 0.5]},\n"
    "         {name: right, at_mm: [29, 0.75, 0.5]}]\n"
    "traces: {every_ms: 1}\n"
    "output: {maps: [activation]}\n"
    "machine: {backend: cpu}\n";
static const char network[] = "x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm,kind\n"
                              "2,0.75,8,2,0.75,4,1\n"
                              "2,0.75,4,29,0.75,4,2\n"
                              "29,0.75,4,29,0.75,0.5,3\n"
                              "2,0.75,4,0.8,0.75,0.5,4\n"
                              "2,0.75,4,1.2,0.75,0.5,4\n"
                              "2,0.75,4,1.6,0.75,0.5,4\n"
                              "2,0.75,4,2,0.75,0.5,4\n"
                              "2,0.75,4,2.4,0.75,0.5,4\n"
                              "2,0.75,4,2.8,0.75,0.5,4\n";
enum { LEFT, MIDDLE, RIGHT, PLACES, TIMES = 8 };

static void enter(void)
{
    enter_room();
    omp_set_num_threads(2);
    write_text("case.yaml", body);
    write_text("ring.csv", network);
}

TestSuite(network_reentry_slow, .init = enter, .fini = leave_room);

/* The times at which V passes -20 mV upwards at the points. */
typedef struct passings {
    size_t n[PLACES];
    double ms[PLACES][TIMES];
} passings;

static passings run_ring(const char *sets)
{
    size_t n;
    passings found = {0};
    double before[PLACES] = {0};
    char *table, line[300];
    (void)snprintf(line, sizeof line, "run case.yaml -o out%s", sets);
    free(warnings(&table, line));
    free(table);
    char *text = bytes_of("out/traces.csv", &n), *save, *row = strtok_r(text, "\n", &save);
    while ((row = strtok_r(NULL, "\n", &save))) {
        double at_ms, v_mV[PLACES];
        cr_assert_eq(
            sscanf(row, "%lf,%lf,%lf,%lf", &at_ms, &v_mV[LEFT], &v_mV[MIDDLE], &v_mV[RIGHT]), 4, "%s", row);
        for (int p = 0; p < PLACES; p++) {
            if (before[p] < -20 && v_mV[p] >= -20 && found.n[p] < TIMES) found.ms[p][found.n[p]++] = at_ms;
            before[p] = v_mV[p];
        }
    }
    free(text);
    return found;
}

/* Left to right in the tissue, then through the strand back to the left, twice. A turn is longer than the action potentials. */
Test(network_reentry_slow, a_wavefront_circulates_through_network_and_tissue)
{
    const passings found = run_ring("");
    cr_assert(found.n[LEFT] >= 3 && found.n[MIDDLE] >= 3 && found.n[RIGHT] >= 3, "%zu, %zu, %zu",
        found.n[LEFT], found.n[MIDDLE], found.n[RIGHT]);
    for (int turn = 0; turn < 3; turn++) {
        const double left = found.ms[LEFT][turn], middle = found.ms[MIDDLE][turn],
                     right = found.ms[RIGHT][turn];
        cr_expect(left + 30 < middle && middle + 30 < right, "%g, %g, %g", left, middle, right);
        if (turn == 0) continue;
        const double before = found.ms[RIGHT][turn - 1];
        cr_expect(left > before + 15 && left < before + 80, "%g after %g ms", left, before);
        cr_expect_gt(left, found.ms[LEFT][turn - 1] + 100);
    }
}

static void expect_one_activation(const char *sets)
{
    const passings found = run_ring(sets);
    for (int p = 0; p < PLACES; p++) cr_expect_eq(found.n[p], 1, "%s: %d: %zu", sets, p, found.n[p]);
}

/* Without the branch on the right, the wavefront ends there. With a lower resistance there is no unidirectional block: two wavefronts
 * collide in the tissue. */
Test(network_reentry_slow, without_the_strand_or_its_block_there_is_one_activation)
{
    expect_one_activation(" --set time.end_ms=250 --set network.block=[{\"kind\":3}]");
    expect_one_activation(" --set time.end_ms=250 --set network.junction.resistance_kOhm=3");
}
