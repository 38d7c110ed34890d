/* Runs with a conduction network that are resumed, that start from the state of another one, and that have several beats. */
#include <criterion/criterion.h>

#include "tests/app/network_case.h"
#include "tests/app/same_files.h"

#include <ftw.h>
#include <omp.h>
#include <sys/wait.h>
#include <time.h>

/* Short action potentials, so that two beats fit into 185 ms. The slab has no stimulus. */
#define SHORT "scale: [tau_close=0.2, tau_open=0.3]"
static const char body[] = NETWORK_MESH NETWORK_TISSUE
    "cell: {model: mitchell-schaeffer, type: standard, " SHORT "}\n"
    "time: {dt_ms: 0.05, end_ms: 185}\n"
    "network:\n"
    "  file: net.csv\n" NETWORK_CABLES "  cell: {model: mitchell-schaeffer, type: standard, " SHORT "}\n"
    "  stimuli: [{node: 0, duration_ms: 2, period_ms: 150, count: 2}]\n"
    "output: {beats: every}\n"
    "series: {every_ms: 5}\n"
    "checkpoint: {at_end: true}\n"
    "machine: {backend: cpu}\n";

static void enter(void)
{
    enter_room();
    share_cache();
    omp_set_num_threads(1);
    write_text("case.yaml", body);
    write_text("net.csv", small_network);
}

TestSuite(network_resume, .init = enter, .fini = leave_room);

#define NODES " --set diffusion.discretisation=nodes"
#define MULTIRATE " --set cell.stepping=multirate"
#define DEVICE " --set machine.backend=opencl"
#define TISSUE_STIMULUS                                                                                      \
    " --set stimuli=[{\"max_mm\":[1,1,1],\"min_mm\":[0,0,0],\"duration_ms\":2,\"strength_uA_mm3\":50}]"
#define NO_NETWORK " --set network.file= --set network.stimuli=[]" TISSUE_STIMULUS

/* ---- beats ---- */

/* Checks the rows of the three junctions in each of two beats. */
static void expect_two_beats(const junction_row *row)
{
    for (int k = 0; k < 6; k++) {
        const double begin_ms = k % 2 == 0 ? 0 : 150;
        cr_assert_eq(row[k].junction, k / 2);
        cr_assert_eq(row[k].beat, k % 2 + 1);
        cr_expect(
            row[k].cable_ms > begin_ms + 5 && row[k].cable_ms < begin_ms + 15, "%d: %g", k, row[k].cable_ms);
        cr_expect(row[k].tissue_ms > row[k].cable_ms + 1 && row[k].tissue_ms < begin_ms + 20, "%d: %g", k,
            row[k].tissue_ms);
        cr_expect_str_eq(row[k].passage, "antegrade");
    }
}

Test(network_resume, beats_are_found_from_the_stimuli_of_the_network_alone)
{
    static junction_row row[ROWS_MOST];
    static float first[SLAB_ELEMENTS], second[SLAB_ELEMENTS];
    size_t n, n_second, n_third;
    run("run case.yaml -o two");
    cr_assert_eq(read_junctions("two", row), 6);
    expect_two_beats(row);
    double *in_first = read_network_array("two", "activation", &n),
           *in_second = read_network_array("two", "activation_beat2", &n_second);
    cr_assert(in_first && in_second && n_second == n);
    for (size_t k = 0; k < n; k++) {
        cr_expect(in_first[k] > 0 && in_first[k] < 15, "%zu: %g", k, in_first[k]);
        cr_expect(in_second[k] > 150 && in_second[k] < 165, "%zu: %g", k, in_second[k]);
    }
    cr_expect_null(read_network_array("two", "activation_beat3", &n_third));
    free(in_first), free(in_second);
    read_result("two", "activation", SLAB_ELEMENTS, first);
    read_result("two", "activation_beat2", SLAB_ELEMENTS, second);
    cr_expect(first[0] > 10 && first[0] < 20 && second[0] > 160 && second[0] < 170, "%g, %g",
        (double)first[0], (double)second[0]);
}

/* The second pulse is in the refractory period of the first: nothing is activated in its beat. */
Test(network_resume, a_beat_without_activation_has_empty_cells)
{
    static junction_row row[ROWS_MOST];
    run("run case.yaml -o one --set time.end_ms=100 --set network.stimuli.0.period_ms=80");
    cr_assert_eq(read_junctions("one", row), 6);
    for (int k = 0; k < 6; k++) {
        cr_expect_eq(
            isnan(row[k].cable_ms) && isnan(row[k].tissue_ms) && isnan(row[k].delay_ms), k % 2, "%d", k);
        cr_expect_str_eq(row[k].passage, k % 2 ? "none" : "antegrade");
    }
}

Test(network_resume, one_recorded_beat_has_the_first_activation)
{
    static junction_row row[ROWS_MOST], first[ROWS_MOST];
    run("run case.yaml -o two");
    run("run case.yaml -o one --set output.beats=first");
    cr_assert_eq(read_junctions("two", row), 6);
    cr_assert_eq(read_junctions("one", first), 3);
    for (int k = 0; k < 3; k++) {
        cr_expect_eq(first[k].cable_ms, row[2 * k].cable_ms);
        cr_expect_eq(first[k].tissue_ms, row[2 * k].tissue_ms);
    }
}

/* ---- resumed runs ---- */

/* Deletes the checkpoints in "two" except for one. */
static void keep_only(const char *name)
{
    DIR *folder = opendir("two");
    cr_assert_not_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char path[300];
        (void)snprintf(path, sizeof path, "two/%s", entry->d_name);
        if (strncmp(entry->d_name, "checkpoint-", 11) == 0 && strcmp(path, name) != 0)
            cr_assert_eq(remove(path), 0);
    }
    (void)closedir(folder);
}

/* Starts a run that would take minutes, and kills it after its checkpoint at this time. */
static void kill_after(double stop_ms, const char *sets)
{
    char name[100];
    int ended = 0;
    (void)snprintf(name, sizeof name, "two/checkpoint-%010.0f.hdf", stop_ms / 0.05);
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0)
        _exit(myotile("run case.yaml -o two --set time.end_ms=100000 --set checkpoint.keep=1000 "
                      "--set checkpoint.every_ms=%g%s",
            stop_ms, sets)
                  .code);
    while (!there(name) && waitpid(child, &ended, WNOHANG) == 0)
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    cr_assert(there(name), "%s: the run ended without it", name);
    cr_assert_eq(kill(child, SIGKILL), 0);
    cr_assert_eq(waitpid(child, &ended, 0), child);
    keep_only(name);
}

/* A run that is killed and resumed has the files of one that was not, also the final checkpoint. */
static void check_change(double stop_ms, const char *before, const char *after)
{
    char line[500];
    omp_set_num_threads(1);
    kill_after(stop_ms, before);
    (void)snprintf(line, sizeof line, "run case.yaml --resume two%s", after);
    omp_set_num_threads(2);
    run(line);
    omp_set_num_threads(1);
    cr_expect_eq(expect_same_files("one", "two", true), 15, "%s, stopped at %g ms", before, stop_ms);
    cr_assert_eq(nftw("two", remove_thing, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* The end of the last step before a time. */
static double step_before(double ms) { return floor(ms / 0.05) * 0.05; }

/* Stops in the time step before the activation of a cable and of the tissue, between both, at the beginning of the second beat, and in
 * it. */
Test(network_resume, a_resumed_run_writes_the_files_of_an_uninterrupted_run)
{
    static junction_row row[ROWS_MOST];
    run("run case.yaml -o one");
    cr_assert_eq(read_junctions("one", row), 6);
    check_change(step_before(row[0].cable_ms), "", "");
    check_change(step_before(row[0].tissue_ms), "", "");
    check_change(11, "", "");
    check_change(150, "", "");
    check_change(163, "", "");
}

/* In the second beat, as the device below: all that a checkpoint can have is in it. */
Test(network_resume, vertices_multirate_steps_and_double_precision_are_resumed)
{
    static const char *const kinds[] = {NODES MULTIRATE, " --set machine.precision=double" MULTIRATE};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char line[300];
        (void)snprintf(line, sizeof line, "run case.yaml -o one%s", kinds[k]);
        run(line);
        check_change(163, kinds[k], kinds[k]);
    }
}

Test(network_resume, a_run_of_the_host_is_resumed_on_a_device)
{
    run("run case.yaml -o one" DEVICE);
    check_change(163, "", DEVICE);
}

Test(network_resume, a_checkpoint_of_another_network_or_of_none_is_refused)
{
    static const char longer[] = "2.5,2.5,7.5,2.5,2.5,7,1\n";
    char changed[sizeof small_network + sizeof longer];
    run("run case.yaml -o two --set time.end_ms=1" TISSUE_STIMULUS);
    refuses(2, "of a run with network.junction.resistance_kOhm: 3, here network.junction.resistance_kOhm: 4",
        "run --resume two --set network.junction.resistance_kOhm=4 --set time.end_ms=2");
    refuses(2, "of a run with network.file: ", "run --resume two --set time.end_ms=2" NO_NETWORK);
    (void)snprintf(changed, sizeof changed, "%s%s", small_network, longer);
    write_text("net.csv", changed);
    refuses(2, "checkpoint-0000000020.hdf: from a run with another conduction system",
        "run --resume two --set time.end_ms=2");
    refuses(2, "checkpoint-0000000020.hdf: from a run with another conduction system",
        "run case.yaml -o x --set start.state=two/checkpoint-0000000020.hdf");
    write_text("net.csv", small_network);
    run("run case.yaml -o none --set time.end_ms=1" NO_NETWORK);
    refuses(2, "checkpoint-0000000020.hdf: from a run without a conduction system",
        "run case.yaml -o x --set start.state=none/checkpoint-0000000020.hdf");
    run("run --resume two --set time.end_ms=2");
}

/* The state of the network includes that of its stepping. */
Test(network_resume, a_state_of_another_stepping_is_refused_by_its_name)
{
    static const char *const stepping[] = {"uniform", "multirate"};
    for (int k = 0; k < 2; k++) {
        char line[200], message[200];
        (void)snprintf(line, sizeof line, "run case.yaml -o saved --set time.end_ms=1 --set cell.stepping=%s",
            stepping[k]);
        run(line);
        (void)snprintf(message, sizeof message,
            "checkpoint-0000000020.hdf: from a run with %s stepping; here %s", stepping[k], stepping[1 - k]);
        (void)snprintf(line, sizeof line,
            "run case.yaml -o x --set start.state=saved/checkpoint-0000000020.hdf --set cell.stepping=%s",
            stepping[1 - k]);
        refuses(2, message, "%s", line);
    }
}

/* ---- the initial state ---- */

/* At 11 ms the free ends are activated, and the tissue is not. */
Test(network_resume, a_simulation_starts_from_the_state_of_the_network_without_its_activations)
{
    static junction_row full[ROWS_MOST], later[ROWS_MOST];
    size_t n;
    run("run case.yaml -o one --set time.end_ms=30 --set output.beats=first");
    run("run case.yaml -o two --set time.end_ms=11 --set output.beats=first");
    run("run case.yaml -o later --set time.end_ms=19 --set start.state=two/checkpoint-0000000220.hdf --set "
        "network.stimuli=[{\"start_ms\":18.9}]");
    cr_assert_eq(read_junctions("one", full), 3);
    cr_assert_eq(read_junctions("later", later), 3);
    for (int k = 0; k < 3; k++) {
        cr_expect_lt(full[k].cable_ms, 11);
        cr_expect(isnan(later[k].cable_ms), "%d: %g", k, later[k].cable_ms);
        cr_expect_float_eq(later[k].tissue_ms + 11, full[k].tissue_ms, 4e-6); /* single precision */
    }
    double *activation = read_network_array("later", "activation", &n);
    for (size_t k = 0; k < n; k++) cr_expect(isnan(activation[k]), "%zu: %g", k, activation[k]);
    free(activation);
}

/* Without its network, the tissue is not activated. */
Test(network_resume, the_tissue_alone_starts_from_a_state_with_a_network)
{
    static float ms[SLAB_ELEMENTS];
    run("run case.yaml -o two --set time.end_ms=2 --set output.beats=first");
    run("run case.yaml -o alone --set time.end_ms=10 --set start.state=two/checkpoint-0000000040.hdf --set "
        "network.file= --set network.stimuli=[] "
        "--set "
        "stimuli=[{\"min_mm\":[0,0,0],\"max_mm\":[1,1,1],\"start_ms\":9.9,\"duration_ms\":1,\"strength_uA_"
        "mm3\":1}]");
    read_result("alone", "activation", SLAB_ELEMENTS, ms);
    for (size_t k = 0; k < SLAB_ELEMENTS; k++) cr_assert(isnan(ms[k]));
    cr_expect_not(there("alone/network.vtp") || there("alone/junctions.csv"));
}

/* The files of a network do not remain next to the results of another case. */
Test(network_resume, a_run_without_a_network_deletes_the_files_of_one)
{
    run("run case.yaml -o two --set time.end_ms=1");
    cr_expect(there("two/network.vtp") && there("two/network.hdf") && there("two/network.frames"));
    cr_expect(there("two/junctions.csv") && there("two/network.csv") && there("two/network.xdmf"));
    run("run case.yaml -o two --set time.end_ms=1" NO_NETWORK);
    cr_expect(there("two/result.hdf"));
    cr_expect_not(there("two/network.vtp") || there("two/network.hdf") || there("two/network.frames"));
    cr_expect_not(there("two/network.xdmf"));
    cr_expect_not(there("two/junctions.csv") || there("two/network.csv"));
}
