/* Conduction networks on the emulated machine. */
#include <criterion/criterion.h>

#include "tests/app/network_case.h"
#include "tests/app/same_files.h"

#include <omp.h>

#define SHORT "scale: [tau_close=0.2, tau_open=0.3]"
static const char body[] = NETWORK_MESH NETWORK_TISSUE
    "cell: {model: mitchell-schaeffer, type: standard, " SHORT "}\n"
    "time: {dt_ms: 0.05, end_ms: 16}\n"
    "network:\n"
    "  file: net.csv\n" NETWORK_CABLES "  cell: {model: mitchell-schaeffer, type: standard, " SHORT "}\n"
    "  stimuli: [{node: 0, duration_ms: 2}]\n"
    "output: {maps: [activation], report: false}\n"
    "checkpoint: {at_end: true}\n"
    "machine: {backend: cpu, tiles: 20}\n";

static void enter(void)
{
    enter_room();
    share_cache();
    omp_set_num_threads(1);
    write_text("case.yaml", body);
    write_text("net.csv", small_network);
}

TestSuite(network_machine, .init = enter, .fini = leave_room);

/* Appends a segment to the file of a network. */
static void put_segment(FILE *file, const double *a, const double *b)
{
    (void)fprintf(file, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,1\n", a[0], a[1], a[2], b[0], b[1], b[2]);
}

/* Writes a comb: a spine above the slab, some of whose segments are shorter than the spacing, with teeth into it; `loops` joins the tips of
 * neighbouring teeth above the tissue. It has 2 x 30 branch points. */
static void write_comb(bool loops)
{
    enum { TEETH = 60 };
    FILE *file = fopen("net.csv", "w");
    double last[3] = {0.2, 2.5, 5}, last_middle[3] = {0};
    cr_assert_not_null(file);
    (void)fprintf(file, "x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm,kind\n");
    for (int k = 0; k < TEETH; k++) {
        const double on[3] = {last[0] + (k % 5 == 0 ? 0.02 : 0.09), 2.5, 5},
                     middle[3] = {on[0], 2.5 + (k % 2 ? 1 : -1), 4}, tip[3] = {middle[0], middle[1], 1.5};
        put_segment(file, last, on);
        put_segment(file, on, middle);
        put_segment(file, middle, tip);
        if (loops && k % 4 == 3) put_segment(file, last_middle, middle);
        memcpy(last, on, sizeof last);
        memcpy(last_middle, middle, sizeof last_middle);
    }
    cr_assert_eq(fclose(file), 0);
}

/* Runs the case on the host, with these keys. */
static void run_host(const char *sets)
{
    char line[600];
    (void)snprintf(line, sizeof line, "run case.yaml -o cpu%s", sets);
    run(line);
}

/* Runs it on the machine, with further keys, and compares the results. Most points must be activated. */
static void expect_same(const char *sets, const char *mapping)
{
    static const char *const files[] = {"activation.csv", "junctions.csv", "network.vtp"};
    char line[700];
    (void)snprintf(line, sizeof line, "run case.yaml -o ipu --set machine.backend=ipu%s%s", sets, mapping);
    run(line);
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char a[100], b[100];
        (void)snprintf(a, sizeof a, "cpu/%s", files[k]);
        (void)snprintf(b, sizeof b, "ipu/%s", files[k]);
        cr_expect(same_file(a, b), "%s: %s", line, files[k]);
    }
    size_t n, activated = 0;
    double *activation_ms = read_network_array("ipu", "activation", &n);
    for (size_t k = 0; k < n; k++) activated += isfinite(activation_ms[k]) != 0;
    cr_expect_gt(2 * activated, n, "%s: %zu of %zu points are activated", line, activated, n);
    free(activation_ms);
}

/* ---- the same bits as the host ---- */

Test(network_machine, results_do_not_depend_on_tiles_and_chips)
{
    run_host("");
    expect_same("", " --set machine.tiles=1");
    expect_same("", " --set machine.tiles=7 --set machine.checked=true");
    expect_same("", " --set machine.tiles=300 --set machine.ipus=4 --set machine.scheme=exact");
    expect_same("", " --set machine.tiles=40 --set machine.balance_halo=true");
}

/* A comb has 60 branch points in several groups, and short chains without points; with loops the elimination has further entries. */
Test(network_machine, networks_with_groups_of_hubs_and_loops_have_the_same_results)
{
    for (int loops = 0; loops < 2; loops++) {
        write_comb(loops);
        run_host("");
        expect_same("", " --set machine.tiles=3 --set machine.checked=true");
        expect_same("", " --set machine.tiles=200");
    }
}

/* A ring above the slab, with a free end that is too far from it. */
Test(network_machine, networks_without_junctions_have_the_same_results)
{
    write_text("net.csv", "x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm,kind\n"
                          "2.5,2.5,9,2.5,2.5,7,1\n"
                          "2.5,2.5,7,3.5,2.5,7,1\n"
                          "3.5,2.5,7,3,3.5,7,1\n"
                          "3,3.5,7,2.5,2.5,7,1\n");
    run_host(" --set time.end_ms=4");
    expect_same(" --set time.end_ms=4", " --set machine.checked=true");
}

Test(network_machine, steps_of_all_kinds_have_the_same_results)
{
    static const char *const kinds[] = {" --set diffusion.discretisation=nodes --set cell.stepping=multirate",
        " --set diffusion.method=implicit",
        (" --set network.cell.model=stewart --set network.cell.type= --set network.cell.scale=[] --set "
         "time.dt_ms=0.1 --set cell.stepping=multirate")};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        run_host(kinds[k]);
        expect_same(kinds[k], "");
    }
}

Test(network_machine, beats_and_resumed_runs_have_the_same_results)
{
#define BEATS                                                                                                \
    " --set output.beats=every --set time.end_ms=170 --set "                                                 \
    "network.stimuli=[{\"duration_ms\":2,\"period_ms\":150,\"count\":2}]"
    run_host(BEATS);
    expect_same(BEATS, "");
    run("run case.yaml -o part --set machine.backend=ipu --set checkpoint.at_end=true --set time.end_ms=11");
    run("run case.yaml -o later --set time.end_ms=9 --set start.state=part/checkpoint-0000000220.hdf --set "
        "network.stimuli=[{\"start_ms\":8}]");
    run("run case.yaml -o later_ipu --set machine.backend=ipu --set time.end_ms=9 --set "
        "start.state=part/checkpoint-0000000220.hdf --set network.stimuli=[{\"start_ms\":8}]");
    cr_expect(same_file("later/activation.csv", "later_ipu/activation.csv"));
    cr_expect(same_file("later/junctions.csv", "later_ipu/junctions.csv"));
    cr_expect(same_file("later/network.vtp", "later_ipu/network.vtp"));
}

/* A partition that is saved with the mesh has no chains. */
Test(network_machine, a_saved_partition_places_the_chains_on_the_least_loaded_tiles)
{
    run("mesh slab --size-mm 5,5,2 --edge-mm 0.5 -o slab.hdf");
    run("partition slab.hdf --machine-set tiles=20 -o parted.hdf");
    run_host(" --set mesh={\"file\":\"parted.hdf\"}");
    expect_same(" --set mesh={\"file\":\"parted.hdf\"}", " --set machine.partition=saved");
}

/* ---- costs ---- */

/* Counts the vertices of a codelet in a compute set, from the profile. */
static size_t vertices_of(const char *codelet, const char *set)
{
    char mark[200];
    size_t n;
    (void)snprintf(
        mark, sizeof mark, "\"codelet\": \"%s\", \"compute_set\": \"%s\", \"instances\": ", codelet, set);
    char *text = bytes_of("cost/profile.json", &n);
    const char *at = strstr(text, mark);
    const size_t found = at ? strtoul(at + strlen(mark), NULL, 10) : 0;
    free(text);
    return found;
}

/* The small network has a trunk of 15 points, two sides and a chord of the loop, and three branches: seven chains, four with a free end. */
Test(network_machine, each_chain_and_junction_has_a_vertex_and_cells_are_computed_with_the_tissue)
{
    run("run case.yaml -o cost --set machine.backend=ipu --set time.end_ms=1");
    cr_expect_eq(vertices_of("network_forward", "network forward"), 7);
    cr_expect_eq(vertices_of("network_backward", "network backward"), 7);
    cr_expect_eq(vertices_of("network_shared", "network state"), 3); /* with 200 voltages each */
    const size_t tiles = vertices_of("network_state", "network state");
    cr_expect(tiles >= 1 && tiles <= 7, "%zu", tiles);
    cr_expect_eq(vertices_of("ode_increments", "ode"), tiles);
    cr_expect_eq(vertices_of("ode_spread", "ode"), 20);
    cr_expect_eq(vertices_of("network_up", "network up") + vertices_of("network_up", "network top up"),
        vertices_of("network_down", "network down") + vertices_of("network_down", "network top down"));
}

/* Junctions of fewer voltages have one vertex of one worker, and others shares. */
Test(network_machine, junctions_with_and_without_shares_have_the_same_results)
{
    static const char small[] =
        " --set network.junction.radius_mm=0.45 --set network.junction.resistance_kOhm=1";
    run_host(small);
    expect_same(small, "");
    run("run case.yaml -o cost --set machine.backend=ipu --set time.end_ms=1 --set "
        "network.junction.radius_mm=0.45");
    cr_expect_gt(vertices_of("network_junction", "network state"), 0);
}

/* ---- messages ---- */

/* The machine is looked at once in a millisecond, the host in each step. */
Test(network_machine, errors_name_the_stimulus_that_caused_them)
{
    static const char *const backends[] = {"cpu", "ipu"};
    for (int k = 0; k < 2; k++) {
        refuses(5, "stimuli.0 was on there and raises V by",
            "run case.yaml -o x --set machine.backend=%s --set time.end_ms=3 --set network.stimuli=[] --set "
            "stimuli=[{\"centre_mm\":[1,1,1],\"radius_mm\":1.5,\"start_ms\":1.05,\"duration_ms\":2,"
            "\"strength_uA_mm3\":3e4}]",
            backends[k]);
        refuses(5, "network.stimuli.0 was on and raises V by 4000 mV/ms",
            "run case.yaml -o x --set machine.backend=%s --set time.end_ms=3 --set "
            "network.stimuli=[{\"node\":0,\"strength_mV_ms\":4000,\"start_ms\":1.05,\"duration_ms\":0.8},"
            "{\"node\":0,\"strength_mV_ms\":1,\"start_ms\":2,\"duration_ms\":3}]",
            backends[k]);
    }
}
