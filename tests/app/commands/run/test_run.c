#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/app/sketch.h"
#include "tests/solver/small_case.h"

#include "app/cli/console.h"
#include "data/core/progress.h"
#include "ipu/compile/memory.h"
#include "mesh/vtk/vtkhdf.h"
#include "solver/kernels/kernels.h"

#include <dirent.h>
#include <omp.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

/* 3 x 2 x 1 mm at 0.5 mm: 6 * 4 * 2 boxes of 6 elements. */
enum { CELLS = 288 };
static const double end_ms = 3;

static const char small[] =
    "title: Small slab\n" SMALL_SLAB USUAL_TISSUE
    "time: {end_ms: 3}\n" SMALL_STIMULUS("2") "points:\n"
                                              "  - {name: near, at_mm: [0, 0, 0]}\n"
                                              "  - {name: far, at_mm: [3, 2, 1]}\n"
                                              "line: {from_mm: [0, 0, 0], to_mm: [3, 2, 1], points: 5}\n"
                                              "machine: {tiles: 8}\n";

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1); /* with so few elements more threads would mostly wait */
    write_text("small.yaml", small);
}

TestSuite(run, .init = enter, .fini = leave_room);

/* Writes the small case with one part of its text replaced. */
static void write_changed(const char *path, const char *old, const char *new)
{
    char text[sizeof small + 256];
    const char *at = strstr(small, old);
    cr_assert_not_null(at);
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - small), small, new, at + strlen(old));
    write_text(path, text);
}

/* Returns the activation field of a run's result. */
static const double *activation_of(mt_arena *arena, const char *folder)
{
    char path[256];
    double *value;
    (void)snprintf(path, sizeof path, "%s/result.hdf", folder);
    cr_assert_eq(mt_vtkhdf_read_field(arena, path, "activation", CELLS, &value), MT_OK, "%s", mt_message());
    return value;
}

/* ---- the files of a run ---- */

/* Checks that the first n of these files exist. */
static void check_files(const char *backend, size_t n)
{
    static const char *const files[] = {
        "result.hdf", "activation.png", "activation.csv", "report.html", "used.yaml", "profile.json"};
    char path[64];
    free(works("run small.yaml --output out --set time.end_ms=0.5 --set machine.backend=%s", backend));
    for (size_t k = 0; k < n; k++) {
        (void)snprintf(path, sizeof path, "out/%s", files[k]);
        cr_assert(there(path), "%s: no %s", backend, path);
    }
    cr_assert_eq(entries("out"), n, "%s", backend);
    (void)things(); /* no incomplete files */
}

Test(run, writes_six_complete_files_on_the_emulated_machine) { check_files("ipu", 6); }

Test(run, writes_five_complete_files_on_the_host) { check_files("cpu", 5); }

Test(run, the_files_contain_the_mesh_a_picture_points_tables_and_used_values)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    size_t n;
    sketch_draws = true;
    free(works("run small.yaml --output out"));
    cr_assert_eq(mt_vtkhdf_read(&arena, "out/result.hdf", &mesh), MT_OK);
    cr_assert_eq(mesh.n_elements, CELLS);
    mt_arena_free(&arena);

    char *png = bytes_of("out/activation.png", &n);
    cr_assert(n > 1000 && memcmp(png, "\x89PNG\r\n\x1a\n", 8) == 0);
    char *json = bytes_of("out/profile.json", &n);
    cr_assert(is_json(json), "%s", json);
    char *used = bytes_of("out/used.yaml", &n);
    cr_assert(strncmp(used, "# Every value used by a run of myotile ", 39) == 0, "%s", used);
    cr_assert(
        strstr(used, "compiled with ") && strstr(used, "# The emulated machine:\n#   name: \"GC200\"\n"),
        "%s", used);
    /* automatic values are written as chosen */
    cr_assert(strstr(used, "pde_steps: 1\n") && strstr(used, "tiles: 8\n") && strstr(used, "dt_ms: 0.02\n"));
    free(png), free(json), free(used);
}

/* The specified points, then the line from end to end in equal steps. */
Test(run, activation_csv_lists_the_points_and_the_line)
{
    static const char *const begin[] = {"point,x_mm,y_mm,z_mm,activation_ms", "near,0,0,0,", "far,3,2,1,",
        "line,0,0,0,", "line,0.75,0.5,0.25,", "line,1.5,1,0.5,", "line,2.25,1.5,0.75,", "line,3,2,1,"};
    size_t n, rows = 0;
    free(works("run small.yaml --output out"));
    char *text = bytes_of("out/activation.csv", &n), *save, *near = NULL, *line_start = NULL;
    for (char *row = strtok_r(text, "\n", &save); row; row = strtok_r(NULL, "\n", &save), rows++) {
        cr_assert(rows < 8 && strncmp(row, begin[rows], strlen(begin[rows])) == 0, "row %zu: %s", rows, row);
        if (rows == 1) near = strrchr(row, ',');
        if (rows == 2) cr_assert_str_eq(row, "far,3,2,1,"); /* not activated in 3 ms: empty, not a number */
        if (rows == 3) line_start = strrchr(row, ',');
    }
    cr_assert_eq(rows, 8);
    cr_assert_str_eq(near, line_start); /* the same point */
    const double ms = strtod(near + 1, NULL);
    cr_assert(ms > 0 && ms < 2, "%g", ms); /* inside the stimulus, during it */
    free(text);
}

/* ---- reproducibility ---- */

/* Also with another number of threads. */
Test(run, rerunning_used_yaml_is_bit_identical)
{
    static const char *const backends[] = {"ipu", "cpu"};
    for (int k = 0; k < 2; k++) {
        mt_arena arena = {0};
        free(works(
            "run small.yaml --output one --set time.end_ms=2 --set machine.backend=%s --set time.dt_ms=0.025",
            backends[k]));
        omp_set_num_threads(2);
        free(works("run one/used.yaml --output two"));
        omp_set_num_threads(1);
        cr_assert(same_file("one/activation.csv", "two/activation.csv"), "%s", backends[k]);
        cr_assert(same_file("one/used.yaml", "two/used.yaml"), "%s", backends[k]);
        cr_assert(k > 0 || same_file("one/profile.json", "two/profile.json"));
        const double *one = activation_of(&arena, "one"), *two = activation_of(&arena, "two");
        cr_assert_eq(memcmp(one, two, CELLS * sizeof *one), 0, "%s", backends[k]);
        mt_arena_free(&arena);
    }
}

/* The guaranteed accuracy is 0.05 ms; single precision and the order of its sums must not change more. An element activated in
 * only one precision must have been activated at the very end. */
Test(run, machine_and_host_agree_on_activation)
{
    mt_arena arena = {0};
    size_t both = 0;
    free(works("run small.yaml --output ipu"));
    free(works("run small.yaml --output single --set machine.backend=cpu"));
    free(works("run small.yaml --output double --set machine.backend=cpu --set machine.precision=double"));
    const double *a = activation_of(&arena, "ipu"), *b = activation_of(&arena, "double");
    cr_assert_arr_eq(a, activation_of(&arena, "single"), CELLS * sizeof *a);
    cr_assert(memcmp(a, b, CELLS * sizeof *a) != 0);
    for (size_t c = 0; c < CELLS; c++) {
        if (isnan(a[c]) && isnan(b[c])) continue;
        if (isnan(a[c]) || isnan(b[c])) {
            cr_assert_gt(fmax(a[c], b[c]), end_ms - 0.05, "element %zu: %g and %g ms", c, a[c], b[c]);
            continue;
        }
        both++;
        cr_assert_lt(fabs(a[c] - b[c]), 0.05, "element %zu: %g and %g ms", c, a[c], b[c]);
    }
    /* The stimulated box is 3 * 3 * 2 boxes of the 6 * 4 * 2; the wavefront has not reached some elements. */
    cr_assert(both >= 18 * 6 && both < CELLS, "%zu elements", both);
    mt_arena_free(&arena);
}

/* The other model's wavefront crosses the slab on both backends. */
Test(run, another_ionic_model_agrees_on_both_backends_and_any_tiles)
{
    static const char other[] =
        "--set cell.model=mitchell-schaeffer --set cell.type=standard --set time.end_ms=12";
    mt_arena arena = {0};
    free(works("run small.yaml --output tp06 --set time.end_ms=12"));
    free(works("run small.yaml --output eight %s", other));
    free(works("run small.yaml --output three --set machine.tiles=3 %s", other));
    free(works("run small.yaml --output cpu --set machine.backend=cpu %s", other));
    free(works("run eight/used.yaml --output again"));
    const double *eight = activation_of(&arena, "eight"), *tp06 = activation_of(&arena, "tp06");
    cr_assert_arr_eq(activation_of(&arena, "three"), eight, CELLS * sizeof *eight);
    cr_assert_arr_eq(activation_of(&arena, "again"), eight, CELLS * sizeof *eight);
    cr_assert_arr_eq(activation_of(&arena, "cpu"), eight, CELLS * sizeof *eight);
    cr_assert(memcmp(eight, tp06, CELLS * sizeof *eight) != 0);
    mt_arena_free(&arena);
    size_t n;
    char *used = bytes_of("eight/used.yaml", &n);
    cr_assert(strstr(used, "model: mitchell-schaeffer\n"), "%s", used);
    free(used);
}

Test(run, every_instruction_set_computes_the_same_bits)
{
    static const char *const backends[] = {"ipu", "cpu"};
    const mt_kernels *all[MT_ISAS];
    const size_t n = mt_kernels_all(all);
    for (int b = 0; b < 2; b++)
        for (size_t k = 0; k < n; k++) {
            mt_arena arena = {0};
            cr_assert_eq(setenv("MYOTILE_ISA", all[k]->isa, 1), 0);
            free(works(
                "run small.yaml --output %zu --set time.end_ms=2 --set machine.backend=%s", k, backends[b]));
            cr_assert_eq(mt_kernels_used(), all[k], "it uses the requested instruction set");
            const double *first = activation_of(&arena, "0");
            char folder[24];
            (void)snprintf(folder, sizeof folder, "%zu", k);
            cr_assert_arr_eq(activation_of(&arena, folder), first, CELLS * sizeof(double), "%s, %s",
                all[k]->isa, backends[b]);
            mt_arena_free(&arena);
        }
    cr_assert_eq(setenv("MYOTILE_ISA", "mmx", 1), 0);
    refuses(2, "MYOTILE_ISA: instruction set 'mmx'; allowed on this processor: ", "run small.yaml");
}

/* ---- machines of several chips, and saved partitions ---- */

Test(run, a_partition_saved_with_the_mesh_is_used)
{
    mt_arena arena = {0};
    size_t n;
    free(works("mesh slab --size-mm 3,2,1 --edge-mm 0.5 -o slab.hdf"));
    write_changed("slab.yaml", "slab: {size_mm: [3, 2, 1], edge_mm: 0.5}", "file: slab.hdf");
    write_changed("saved.yaml", "slab: {size_mm: [3, 2, 1], edge_mm: 0.5}", "file: cut.hdf");
    write_machine("eight.yaml", 8);
    free(works("partition slab.hdf --target eight.yaml --ipus 4 --imbalance 1.5 -o cut.hdf"));
    static const char on[] =
        "--set machine.target=eight.yaml --set machine.ipus=4 --format json --set time.end_ms=1";
    char *cut = works("run slab.yaml --output cut %s --set machine.imbalance=1.5", on);
    char *other = works("run slab.yaml --output other %s", on);
    char *saved = works("run saved.yaml --output saved %s --set machine.partition=saved", on);
    cr_assert_str_eq(saved, cut, "the same partition costs the same");
    cr_assert_str_neq(other, cut, "another partition has another cost");
    cr_assert_arr_eq(activation_of(&arena, "saved"), activation_of(&arena, "other"), CELLS * sizeof(double));
    char *used = bytes_of("saved/used.yaml", &n);
    cr_assert(strstr(used, "ipus: 4\n") && strstr(used, "partition: saved\n"), "%s", used);
    free(used), free(cut), free(other), free(saved);

    refuses(2, "partition for 4 IPUs of 8 tiles; machine.ipus and machine.tiles request 2 of 8",
        "run saved.yaml --output out --set machine.target=eight.yaml --set machine.ipus=2 --set "
        "machine.partition=saved");
    refuses(2, "slab.hdf: has no partition",
        "run slab.yaml --output out --set machine.target=eight.yaml --set machine.partition=saved");
    refuses(2, "machine.partition: saved; allowed: with mesh.file",
        "run small.yaml --output out --set machine.partition=saved");
    refuses(2, "machine.balance_halo: true; allowed: with a machine.partition other than saved",
        "run saved.yaml --set machine.partition=saved --set machine.balance_halo=true");
    refuses(2,
        "--set machine.partition=round: round; allowed: flat, hierarchical, curve, bisection, auto, saved",
        "run small.yaml --set machine.partition=round");
    refuses(2, "machine.scheme: separator scheme 'exact' has no limit of ranges, but 3 is given",
        "run small.yaml --set machine.scheme=exact --set machine.ranges=3");
    mt_arena_free(&arena);
}

/* The host refuses every wrong value of the emulated machine with the same message, although it does not use it. */
Test(run, the_host_validates_machine_settings_although_it_ignores_them)
{
    static const char *const wrong[] = {"machine.target=gc9000", "machine.target=none.yaml",
        "machine.scheme=best", "machine.partition=round", "machine.partition=saved", "machine.tiles=1473",
        "machine.ipus=0", "machine.ipus=5000", "machine.imbalance=3",
        "machine.scheme=exact --set machine.ranges=3",
        "machine.partition=saved --set mesh.file=slab.hdf --set mesh.slab.edge_mm=0"};
    free(works("mesh slab --size-mm 3,2,1 --edge-mm 0.5 -o slab.hdf"));
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        reply machine = myotile("run small.yaml --set %s", wrong[k]),
              host = myotile("run small.yaml --set %s --set machine.backend=cpu", wrong[k]);
        cr_assert(machine.code == 2 || machine.code == 3, "%s: %d", wrong[k], machine.code);
        cr_assert_eq(host.code, machine.code, "%s: %s", wrong[k], host.said);
        cr_assert_str_eq(host.said, machine.said);
        forget(&machine), forget(&host);
    }
}

/* Also with a file with a path without a dot. */
Test(run, used_yaml_reruns_from_another_folder_with_any_machine_file)
{
    static const char *const paths[] = {"here/eight", "./here/eight", "eight.yaml"};
    static const char *const backends[] = {"ipu", "cpu"};
    cr_assert_eq(mkdir("here", 0777), 0);
    cr_assert_eq(mkdir("there", 0777), 0);
    write_machine("here/eight", 8);
    write_machine("eight.yaml", 8);
    for (int k = 0; k < 4; k++) { /* the last on the host */
        free(works("run small.yaml --output one --set time.end_ms=0.1 --set machine.tiles=0 --set "
                   "machine.target=%s --set machine.backend=%s",
            paths[k % 3], backends[k / 3]));
        cr_assert_eq(chdir("there"), 0);
        free(works("run ../one/used.yaml --output two"));
        cr_assert_eq(chdir(".."), 0);
        cr_assert(same_file("one/used.yaml", "there/two/used.yaml"), "%s", paths[k % 3]);
    }
}

/* The machine and the partition change the cost of a run, and nothing else. */
Test(run, activation_is_bit_identical_for_any_partition)
{
    static const char *const ways[] = {"machine.scheme=full", "machine.scheme=ranged",
        "machine.scheme=exact --set machine.partition=hierarchical --set machine.ipus=2",
        "machine.scheme=budget --set machine.ranges=2 --set machine.balance_halo=true",
        "machine.ipus=4 --set machine.partition=hierarchical --set machine.balance_halo=true",
        "machine.ipus=2 --set machine.partition=curve", "machine.partition=bisection",
        "machine.target=wse2 --set machine.tiles=0 --set machine.set=[tiles=600,fabric.width=30]",
        "machine.target=wse2 --set machine.tiles=50 --set machine.set=[tiles=600,fabric.width=30]"};
    mt_arena arena = {0};
    char *usual = works("run small.yaml --output usual --format json");
    const double *activation = activation_of(&arena, "usual");
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
        char *text = works("run small.yaml --output other --format json --set %s", ways[k]);
        cr_assert_str_neq(text, usual, "%s has the same cost", ways[k]);
        cr_assert_arr_eq(activation_of(&arena, "other"), activation, CELLS * sizeof(double), "%s", ways[k]);
        free(text);
    }
    free(usual);
    mt_arena_free(&arena);
}

/* ---- options ---- */

/* The subdivision of the slab is that of the case, and is written to used.yaml. */
Test(run, a_slab_is_divided_as_the_case_specifies)
{
    mt_arena arena = {0};
    size_t n;
    free(works("run small.yaml --output usual --set machine.backend=cpu"));
    free(works("run small.yaml --output mirrored --set machine.backend=cpu --set mesh.slab.cut=mirrored"));
    free(works("run small.yaml --output kuhn --set machine.backend=cpu --set mesh.slab.cut=kuhn"));
    char *usual = bytes_of("usual/used.yaml", &n), *kuhn = bytes_of("kuhn/used.yaml", &n);
    cr_assert(strstr(usual, "cut: mirrored\n") && strstr(kuhn, "cut: kuhn\n"), "%s%s", usual, kuhn);
    cr_assert_arr_eq(
        activation_of(&arena, "usual"), activation_of(&arena, "mirrored"), CELLS * sizeof(double));
    cr_assert_arr_neq(activation_of(&arena, "usual"), activation_of(&arena, "kuhn"), CELLS * sizeof(double));
    refuses(2, "mesh.slab.cut", "run small.yaml --set mesh.slab.cut=fair");
    free(usual), free(kuhn);
    mt_arena_free(&arena);
}

Test(run, set_overrides_the_case_and_is_recorded_in_used_yaml)
{
    size_t n;
    free(works("run small.yaml --output out --set time.end_ms=0.5 --set title=Other --set machine.tiles=9 "
               "--set machine.tiles=5 --set points=[] --set stimuli.0.duration_ms=1.5 --set cell.type=mid"));
    char *used = bytes_of("out/used.yaml", &n);
    cr_assert(strstr(used, "end_ms: 0.5\n") && strstr(used, "title: \"Other\"\n"), "%s", used);
    cr_assert(strstr(used, "tiles: 5\n"), "the last option applies: %s", used);
    cr_assert(strstr(used, "duration_ms: 1.5\n") && strstr(used, "type: mid\n"), "%s", used);
    cr_assert(!strstr(used, "far"), "%s", used);
    free(used);
}

/* The option adds to the case; the resulting values are used, printed and written to used.yaml. */
Test(run, machine_values_can_be_set_and_are_recorded_in_used_yaml)
{
    size_t n;
    char *plain = works("run small.yaml --output plain --format json --set time.end_ms=0.1");
    write_changed("slow.yaml", "tiles: 8", "tiles: 8, set: [clock_hz=1.0e9]");
    char *text = works("run slow.yaml --output slow --format json --set time.end_ms=0.1 --machine-set "
                       "exchange.sync_cycles=1000 --machine-set exchange.sync_cycles=900");
    cr_assert_str_neq(text, plain);
    char *used = bytes_of("slow/used.yaml", &n);
    cr_assert(
        strstr(used,
            "  set: [\"clock_hz=1.0e9\", \"exchange.sync_cycles=1000\", \"exchange.sync_cycles=900\"]\n"),
        "%s", used);
    cr_assert(
        strstr(used, "#   clock_hz: 1000000000\n") && strstr(used, "#     sync_cycles: 900\n"), "%s", used);
    char *again = works("run slow/used.yaml --output again --format json");
    cr_assert_str_eq(again, text);
    cr_assert(same_file("slow/used.yaml", "again/used.yaml"));
    free(plain), free(text), free(used), free(again);
}

Test(run, an_invalid_machine_value_is_reported_where_it_was_set)
{
    refuses(2, "myotile: --machine-set links.shape=ring: ring; allowed: ladder, torus, list",
        "run small.yaml --machine-set links.shape=ring");
    refuses(2, "myotile: --set machine.set=[clock_hz=1e-300]: clock_hz=1e-300: 1e-300; allowed: at least",
        "run small.yaml --set machine.set=[clock_hz=1e-300]");
    refuses(2, "myotile: --set machine.set=[tiles=x]: tiles=x: x; allowed: a whole number",
        "run small.yaml --set machine.set=[tiles=x]");
    write_changed("wrong.yaml", "tiles: 8", "tiles: 8, set: [clock_hz=1e9,\n  tilse=4]");
    refuses(2, "wrong.yaml:23: machine.set.1: tilse=4: unknown key; allowed here: name, tiles,",
        "run wrong.yaml --machine-set tiles=x");
    refuses(2, "machine.set={}: a mapping; allowed: pairs key=value in brackets",
        "run small.yaml --set machine.set={}");
    refuses(
        2, "machine.set=[{}]: a mapping; allowed: pairs key=value", "run small.yaml --set machine.set=[{}]");
}

/* Sums of the table equal the totals of the run: every cycle belongs to one phase. */
Test(run, json_has_all_tables_and_their_values_are_consistent)
{
    static const char *const phases[] = {
        "pde_compute", "pde_exchange", "ode_compute", "activation", "stimulus", "sync", "waiting"};
    char *text = works("run small.yaml --output out --format json"), *at = text;
    static const char *const titles[] = {"\"title\": \"Small slab\"",
        "\"title\": \"Activation times at the points", "\"title\": \"Cycles of a time step",
        "\"title\": \"Exchange", "\"title\": \"Complete run", "\"title\": \"Memory of a tile\""};
    cr_assert(is_json(text), "%s", text);
    for (int k = 0; k < 6; k++) cr_assert_not_null(at = strstr(at, titles[k]), "%s", titles[k]);
    cr_assert_null(strstr(text, "In out/"));

    cr_assert_eq(json_property(text, "elements"), CELLS);
    cr_assert_float_eq(json_property(text, "simulated_time_ms"), end_ms, 1e-12);
    cr_assert(json_number(text, "near", "activation_ms") > 0);
    cr_assert(isnan(json_number(text, "far", "activation_ms")));
    double step = 0, share = 0, seconds = 0;
    for (int k = 0; k < 4; k++) { /* 8 of 1,472 tiles are used, and all of them for every phase */
        cr_assert_eq(json_number(text, phases[k], "tiles"), 8, "%s", phases[k]);
        cr_assert(json_number(text, phases[k], "load_balance_percent") > 50 &&
                  json_number(text, phases[k], "min_cycles") > 0);
    }
    for (int k = 0; k < 7; k++) {
        const double mean = json_number(text, phases[k], "mean_cycles"),
                     most = json_number(text, phases[k], "max_cycles");
        cr_assert(json_number(text, phases[k], "min_cycles") <= mean && mean <= most, "%s", phases[k]);
        step += most;
        share += json_number(text, phases[k], "share_percent");
        seconds += json_number(text, phases[k], "whole_run_s");
    }
    /* rounding of seven terms: 7 * 2^-53 of the sum, with room */
    cr_assert_float_eq(step, json_number(text, "time_step", "max_cycles"), 1e-12 * step);
    cr_assert_float_eq(share, 100, 1e-10);
    cr_assert_float_eq(seconds, json_number(text, "time_step", "whole_run_s"), 1e-12 * seconds);
    /* cycles a step * 150 steps at 1.325 GHz (data/machines/gc200.yaml) */
    cr_assert_float_eq(seconds, step * 150 / 1.325e9, 1e-12 * seconds);
    /* activation, once: 288 floats in one packet per tile, for 8 tiles; 1,344 bytes with their headers at 31.5 GB/s */
    const double taken = json_number(text, "streams", "cycles");
    cr_assert_eq(json_number(text, "streams", "streams"), 1);
    cr_assert_eq(json_number(text, "streams", "bytes"), CELLS * 4);
    cr_assert_eq(taken, 126 + 600 + ceil((CELLS * 4 + 8 * 24) / 31.5e9 * 1.325e9));
    cr_assert_float_eq(json_number(text, "time_steps", "time_s"), seconds, 1e-12 * seconds);
    cr_assert_float_eq(
        json_number(text, "time_steps", "cycles") + taken, json_number(text, "whole_run", "cycles"), 0.5);
    cr_assert_eq(json_number(text, "available", "bytes"), 638976);
    const double fullest = json_number(text, "fullest_tile", "bytes"),
                 all = json_number(text, "fullest_tile", "all_tiles_bytes");
    cr_assert_leq(fullest, 638976);
    double bytes = json_number(text, "gaps", "bytes"),
           everywhere = json_number(text, "gaps", "all_tiles_bytes");
    static const char *const categories[IPU_MEMORY_CATEGORIES] = {"variables", "temporary_variables",
        "received", "rearrangement", "vertex_state", "vertex_code", "exchange_code", "reserved"};
    for (int k = 0; k < IPU_MEMORY_CATEGORIES; k++) {
        bytes += json_number(text, categories[k], "bytes");
        everywhere += json_number(text, categories[k], "all_tiles_bytes");
    }
    cr_assert_eq(bytes, fullest);
    cr_assert_eq(everywhere, all);
    free(text);
}

Test(run, csv_separates_the_tables)
{
    char *text = works("run small.yaml --output out --set time.end_ms=0.5 --format csv");
    cr_assert(strncmp(text, "# run: Small slab\nkey,value,unit\nelements,288,\n", 46) == 0, "%s", text);
    cr_assert(strstr(text, "\n\n# activation: Activation times at the points, from linear fits to the "
                           "nearest elements\npoint,x_mm,y_mm,z_mm,activation_ms\nnear,0,0,0,"));
    cr_assert(strstr(text, "\n\n# cycles: Cycles of a time step"));
    cr_assert(strstr(text, "\n\n# memory: Memory of a tile\nitem,bytes,share_percent,all_tiles_bytes\n"));
    free(text);
}

Test(run, the_host_reports_no_cycles)
{
    char *text =
        works("run small.yaml --output out --set time.end_ms=0.5 --set machine.backend=cpu --format json");
    cr_assert(is_json(text) && !strstr(text, "Cycles") && !strstr(text, "Memory"), "%s", text);
    free(text);
}

/* The profile of an earlier run on the machine is deleted by a run on the host. */
Test(run, rerunning_in_the_same_folder_replaces_every_file)
{
    free(works("run small.yaml --output out --set time.end_ms=0.5"));
    write_text("out/notes.txt", "mine");
    free(works("run small.yaml --output out --set time.end_ms=0.5 --set machine.backend=cpu"));
    cr_assert(!there("out/profile.json"));
    cr_assert_eq(entries("out"), 6);
    cr_assert(there("out/notes.txt"));
}

Test(run, without_output_the_folder_is_named_after_the_case)
{
    char *text = works("run ./small.yaml --set time.end_ms=0.1");
    cr_assert_eq(entries("small"), 6);
    cr_assert(strstr(text, "\nIn small/: activation.png"), "%s", text);
    free(text);
    write_text("plain", small); /* no extension to remove: the folder cannot have the same name */
    free(works("run plain --set time.end_ms=0.1"));
    cr_assert_eq(entries("plain.out"), 6);
}

/* ---- bad input ---- */

Test(run, a_misspelt_key_is_reported_with_its_line_and_the_allowed_keys)
{
    write_changed("bad.yaml", "  slab: {size_mm: [3, 2, 1], edge_mm: 0.5}",
        "  slab: {size_mm: [3, 2, 1], egde_mm: 0.5}");
    refuses(
        2, "bad.yaml:3: mesh.slab.egde_mm: unknown key; allowed here: size_mm, edge_mm, cut", "run bad.yaml");
}

Test(run, a_negative_edge_is_reported_with_its_line)
{
    write_changed("bad.yaml", "edge_mm: 0.5", "edge_mm: -0.5");
    refuses(2, "bad.yaml:3: mesh.slab.edge_mm: -0.5; allowed: ", "run bad.yaml");
}

Test(run, text_instead_of_a_number_is_reported_with_its_line)
{
    write_changed("bad.yaml", "end_ms: 3", "end_ms: soon");
    refuses(2, "bad.yaml:12: time.end_ms: soon; allowed: a number at least 0.0001 and at most 1000000000",
        "run bad.yaml");
}

Test(run, a_missing_key_is_reported)
{
    write_changed("bad.yaml", "  chi_per_mm: 140\n", "");
    refuses(2, "chi_per_mm", "run bad.yaml");
}

Test(run, a_missing_case_file_is_reported)
{
    refuses(3, "nowhere/case.yaml: cannot be read: No such file", "run nowhere/case.yaml");
}

Test(run, an_override_that_matches_no_key_or_value_is_rejected)
{
    refuses(2, "--set time.stop_ms=1: unknown key; allowed here: dt_ms, end_ms",
        "run small.yaml --set time.stop_ms=1");
    refuses(2, "--set time.end_ms=x", "run small.yaml --set time.end_ms=x");
    refuses(2, "--set time.end_ms", "run small.yaml --set time.end_ms");
    refuses(2, "--set stimuli.1.start_ms=1", "run small.yaml --set stimuli.1.start_ms=1");
    refuses(2, "machine.backend=gpu", "run small.yaml --set machine.backend=gpu");
}

Test(run, a_missing_or_unspecified_mesh_is_rejected)
{
    write_changed("bad.yaml", "slab: {size_mm: [3, 2, 1], edge_mm: 0.5}", "file: gone.hdf");
    refuses(3, "gone.hdf: ", "run bad.yaml");
    write_changed("bad.yaml", "mesh:\n  slab: {size_mm: [3, 2, 1], edge_mm: 0.5}\n", "");
    refuses(2, "mesh: neither file nor slab is given", "run bad.yaml");
    refuses(2, "mesh: both file and slab are given", "run small.yaml --set mesh.file=gone.hdf");
    refuses(2, "whole multiple of the edge", "run small.yaml --set mesh.slab.edge_mm=0.3");
}

/* Permissions do not restrict root; a path below a file is impossible for every user. */
Test(run, a_folder_that_cannot_be_created_or_written_is_rejected)
{
    refuses(3, "small.yaml/out: this folder cannot be created: Not a directory",
        "run small.yaml --output small.yaml/out");
    refuses(3, "small.yaml: is not a folder", "run small.yaml --output small.yaml");
    refuses(3, "a/b: this folder cannot be created: No such file", "run small.yaml --output a/b");
}

Test(run, a_nonexistent_machine_is_rejected)
{
    refuses(2, "machine 'gc9000'", "run small.yaml --set machine.target=gc9000");
    refuses(3, "none.yaml: cannot be read: No such file", "run small.yaml --set machine.target=none.yaml");
    refuses(2, "--set machine.scheme=best: best; allowed: full, ranged, mixed-clean, exact, budget",
        "run small.yaml --set machine.scheme=best");
    refuses(2, "machine.tiles: 1473; allowed: at most 1472, the tiles of GC200",
        "run small.yaml --set machine.tiles=1473");
}

/* 20 * 14 * 6 boxes: 10,080 elements of 19 floats of state alone are 766,080 bytes; a tile has 638,976. */
Test(run, a_mesh_too_large_for_the_tiles_is_rejected_with_the_tile_and_its_memory)
{
    static const char too_large[] = "run small.yaml --set mesh.slab.size_mm=[10,7,3] --set machine.tiles=1";
    refuses(4, "tile 0: ", "%s", too_large);
    refuses(4, " bytes required, 638976 available", "%s", too_large);
    refuses(4, "tile 0: ", "%s --output made_for_this", too_large);
    cr_assert_eq(mkdir("mine", 0777), 0);
    refuses(4, "tile 0: ", "%s --output mine", too_large); /* an existing folder is kept */
    cr_assert(there("mine"));
}

/* At 0.1 mm the limit is about 0.007 ms, so a step of 0.05 ms needs several substeps. */
Test(run, unstable_diffusion_steps_are_rejected_with_the_limit)
{
    static const char *const backends[] = {"ipu", "cpu"};
    for (int k = 0; k < 2; k++)
        refuses(5, "pde_steps 1: diffusion steps of 0.05 ms are unstable on this mesh; the limit is 0.00",
            "run small.yaml --set mesh.slab.size_mm=[3,2,1] --set mesh.slab.edge_mm=0.1 --set "
            "time.dt_ms=0.05 --set time.pde_steps=1 --set machine.backend=%s",
            backends[k]);
}

Test(run, a_stimulus_without_elements_is_rejected)
{
    refuses(
        2, "stimuli.0: no element centre is in the box [", "run small.yaml --set stimuli.0.max_mm=[0,0,0]");
    refuses(2, "stimuli.0: min_mm 5 is above max_mm 1.5 on axis x",
        "run small.yaml --set stimuli.0.min_mm=[5,0,0]");
}

Test(run, a_point_outside_the_mesh_is_reported_by_its_name_in_the_case)
{
    static const char far_point[] = "run small.yaml --set points.1.at_mm=[100,0,0]";
    refuses(2, "small.yaml: points.1, 'far': [100, 0, 0] mm is outside the mesh: 97.", "%s", far_point);
    refuses(2,
        "]; the mesh extends from [0, 0, 0] to [3, 2, 1] mm; this appears to be in micrometres: 1 mm = 1000 "
        "um\n",
        "%s", far_point);
    refuses(2, "small.yaml: line, point 3 of 5: [5, 0, 0] mm is outside the mesh: ",
        "run small.yaml --set line.to_mm=[10,0,0]");
}

Test(run, an_end_time_shorter_than_a_step_is_rejected)
{
    refuses(2, "time.end_ms: 0.01; allowed: a whole number of steps of dt_ms = 0.02, at least one",
        "run small.yaml --set time.end_ms=0.01");
}

/* Boxes of 2 mm have an element size of 1.1 mm, boxes of 0.5 mm of 0.28 mm. Sixteen times the diffusivity makes the wavefront
 * four times as wide. */
Test(run, elements_too_large_for_the_wavefront_cause_a_warning)
{
    static const char *const lines[] = {
        "run large.yaml", "run large.yaml --set tissue.chi_per_mm=8.75", "run small.yaml"};
    write_changed("large.yaml", "{size_mm: [3, 2, 1], edge_mm: 0.5}", "{size_mm: [4, 4, 4], edge_mm: 2}");
    for (int k = 0; k < 3; k++) {
        char line[256], *table;
        (void)snprintf(
            line, sizeof line, "%s --output out --set time.end_ms=0.1 --set machine.backend=cpu", lines[k]);
        char *said = warnings(&table, line);
        if (k == 0)
            cr_assert(strstr(said, "myotile: warning: mesh.slab: conduction velocity (CV) is underestimated "
                                   "on this mesh: found element size 1.1 mm") &&
                          strstr(said, "; propagation may fail with elements of more than 0.8 mm"),
                "%s", said);
        else
            cr_assert_null(strstr(said, "conduction velocity"), "%s", said);
        free(said), free(table);
    }
}

/* Ctrl-C before the first step: reported in one line, and the folder created for the results is deleted. */
Test(run, an_interrupted_run_leaves_no_files)
{
    mt_console_listen(stdout);
    mt_progress_catch_interrupt(NULL);
    (void)raise(SIGTERM);
    refuses(143, "", "run small.yaml --output out");
}

/* In any phase 0.3 s after its start: 1000 ms take minutes, and the set-up alone takes seconds. */
Test(run, a_run_that_is_interrupted_during_setup_leaves_no_files)
{
    int ended = 0;
    write_changed("large.yaml", "{size_mm: [3, 2, 1], edge_mm: 0.5}", "{size_mm: [20, 7, 3], edge_mm: 0.2}");
    const size_t before = things();
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) _exit(myotile("run large.yaml --output out --set time.end_ms=1000").code);
    (void)nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    cr_assert_eq(kill(child, SIGINT), 0);
    cr_assert_eq(waitpid(child, &ended, 0), child);
    cr_assert(WIFEXITED(ended) && WEXITSTATUS(ended) == 130, "status %d", ended);
    cr_assert_eq(things(), before);
}

/* ---- the model of a file, interpreted and compiled ---- */

#define SMALL_FILE_MODEL                                                                                     \
    "--set cell.model=mitchell_schaeffer.mmt --set cell.type=default --set "                                 \
    "diffusion.spreading_of_cells=[0.05]"

static void copy_model(void)
{
    char path[1200];
    size_t n;
    (void)snprintf(path, sizeof path, "%s/tests/solver/cells/graph/mitchell_schaeffer.mmt", source_root);
    char *text = bytes_of(path, &n);
    write_text("mitchell_schaeffer.mmt", text);
    free(text);
}

Test(run, a_compiled_model_has_the_results_of_the_interpreted_one)
{
    static const char *const settings[] = {
        "machine.backend=cpu", "machine.backend=ipu", "cell.stepping=multirate"};
    enable_cache(); /* for the machine code */
    copy_model();
    for (int k = 0; k < 3; k++) {
        free(works("run small.yaml -o interpreted --set %s --set cell.compile=never " SMALL_FILE_MODEL,
            settings[k]));
        free(works(
            "run small.yaml -o compiled --set %s --set cell.compile=always " SMALL_FILE_MODEL, settings[k]));
        cr_expect(same_file("interpreted/activation.csv", "compiled/activation.csv"), "%s", settings[k]);
    }
}

Test(run, a_missing_compiler_is_an_error_only_if_the_case_requires_it)
{
    copy_model();
    cr_assert_eq(setenv("CC", "no-compiler", 1), 0);
    free(works("run small.yaml -o out --set time.end_ms=0.1 " SMALL_FILE_MODEL));
    refuses(3, "no-compiler: found no such compiler",
        "run small.yaml -o out --set time.end_ms=0.1 --set cell.compile=always " SMALL_FILE_MODEL);
}
