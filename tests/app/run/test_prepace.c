#include <criterion/criterion.h>

#include "tests/app/program.h"

#include "app/run/prepace.h"
#include "app/run/problem.h"
#include "solver/backends/backend.h"
#include "solver/cells/cell_state.h"
#include "tests/solver/small_case.h"

#include <dirent.h>
#include <omp.h>
#include <sys/wait.h>

/* Pre-pacing of cells: the initial state of tissue, the cache, and runs by command. */

/* One half has another cell type, and a part of that half other parameters. */
static const char body[] = SMALL_SLAB USUAL_TISSUE
    "time: {end_ms: 6}\nprepace: {bcl_ms: 250, beats: 2}\nregions:\n"
    "  - {min_mm: [1.5, 0, 0], max_mm: [3, 2, 1], type: mid}\n"
    "  - {min_mm: [2, 0, 0], max_mm: [2.5, 2, 1], scale: [g_Kr=0.5]}\n" SMALL_STIMULUS(
        "2") "machine: {tiles: 3}\ncheckpoint: {at_end: true}\n";

enum { NAME = 512, NUMBERS = 64 };

static mt_arena arena;

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1);
    write_text("case.yaml", body);
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(prepace, .init = enter, .fini = leave);

static void ok(mt_status status) { cr_assert_eq(status, MT_OK, "%s", mt_message()); }

/* Builds the problem of the case with one value set, in place, as a problem must not be copied. */
static void make(const char *set, bool cached, mt_problem *problem)
{
    const mt_yaml_override sets[] = {{"--set", set}};
    mt_case input;
    ok(mt_case_load(&arena, "case.yaml", sets, *set ? 1 : 0, &input));
    ok(mt_problem_make(&arena, &input, false, problem));
    ok(mt_problem_prepace(&arena, &input, cached, problem));
}

/* ---- initial state of tissue ---- */

/* Computes V and the states of a variant after two beats of 250 ms. */
static void pace_alone(const mt_cell_model *model, const mt_cell_variant *rest, double *number)
{
    const mt_pulses pulses = {250, 2, 1, 1, 52, false};
    number[0] = rest->v_mV;
    memcpy(number + 1, rest->states, model->n_states * sizeof *number);
    ok(mt_cell_pace(model, rest, 0.02, &pulses, NULL, NULL, number, number + 1));
}

/* Checks that every element on this backend has the state of its cell paced alone. `rest`: the same problem at rest. */
static void expect_paced(const mt_backend *backend, const mt_problem *problem, const mt_monodomain *rest)
{
    const mt_cell_model *model = problem->monodomain.model;
    const size_t n = problem->mesh.n_elements;
    void *self;
    double *value[NUMBERS], *alone;
    size_t n_variants;
    const mt_cell_variant *variants = mt_monodomain_variants(rest, &n_variants);
    ok(backend->open(&arena, &problem->monodomain, NULL, &self));
    for (size_t k = 0; k <= model->n_states; k++) {
        value[k] = mt_arena_alloc(&arena, n, sizeof **value);
        backend->read(self, k == 0 ? MT_ARRAY_V : mt_array_states(&problem->monodomain) + k - 1, value[k]);
    }
    alone = mt_arena_alloc(&arena, n_variants * NUMBERS, sizeof *alone);
    for (size_t v = 0; v < n_variants; v++) pace_alone(model, &variants[v], alone + v * NUMBERS);
    for (size_t e = 0; e < n; e++) {
        const double *expected = alone + (size_t)(mt_monodomain_variant(rest, e) - variants) * NUMBERS;
        for (size_t k = 0; k <= model->n_states; k++)
            cr_assert_eq(value[k][e], expected[k], "element %zu, number %zu", e, k);
    }
}

Test(prepace, tissue_starts_from_the_exact_state_of_single_paced_cells)
{
    static const char *const sets[] = {"", "regions=[]", "cell.set=[K_o=6]"};
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        mt_problem problem;
        mt_case input;
        const mt_yaml_override given[] = {{"--set", sets[s]}};
        ok(mt_case_load(&arena, "case.yaml", given, *sets[s] ? 1 : 0, &input));
        ok(mt_problem_make(&arena, &input, false, &problem));
        const mt_monodomain rest = problem.monodomain;
        ok(mt_problem_prepace(&arena, &input, false, &problem));
        expect_paced(&mt_backend_cpu, &problem, &rest);
    }
}

/* Compares with the state that the command saves. */
Test(prepace, prepaced_states_equal_those_saved_by_the_cell_command)
{
    mt_problem problem;
    mt_cell_state state;
    free(works("cell --type epi --bcl 250 --beats 2 --save epi.yaml"));
    ok(mt_cell_state_read(&arena, "epi.yaml", NULL, &state));
    make("regions=[]", false, &problem);
    const mt_cell_variant *epi = mt_monodomain_variant(&problem.monodomain, 0);
    cr_assert_eq(epi->v_mV, state.v_mV);
    cr_assert_eq(memcmp(epi->states, state.states, state.model->n_states * sizeof *epi->states), 0);
}

Test(prepace, cell_variants_without_elements_are_not_paced)
{
    mt_problem problem;
    size_t n;
    make("regions=[]", false, &problem);
    const mt_cell_model *model = problem.monodomain.model;
    const mt_cell_variant *variants = mt_monodomain_variants(&problem.monodomain, &n);
    cr_assert_eq(n, model->n_variants);
    for (size_t v = 0; v < n; v++) {
        cr_expect_eq(variants[v].states == model->variants[v].states, v > 0);
        cr_expect_eq(variants[v].parameters, model->variants[v].parameters);
    }
    make("prepace.beats=0", false, &problem);
    variants = mt_monodomain_variants(&problem.monodomain, &n);
    for (size_t v = 0; v < n; v++)
        cr_expect(variants[v].states == model->variants[0].states ||
                  variants[v].states == model->variants[1].states);
}

/* ---- the cache ---- */

/* Counts the files in the cache, and returns the name of one. */
static size_t kept(char name[NAME])
{
    size_t n = 0;
    DIR *in = opendir("cache/myotile");
    for (struct dirent *entry; in && (entry = readdir(in));)
        if (entry->d_name[0] != '.') n++, (void)snprintf(name, NAME, "cache/myotile/%s", entry->d_name);
    if (in) (void)closedir(in);
    return n;
}

static void use_cache(void)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/cache", room);
    cr_assert_eq(setenv("XDG_CACHE_HOME", path, 1), 0);
}

static double begin_mV(const char *set, bool cached)
{
    mt_problem problem;
    make(set, cached, &problem);
    return mt_monodomain_variant(&problem.monodomain, 0)->v_mV;
}

/* Changes V in a cached file. `whole`: true to update the fingerprint, so that the file is valid; false for a damaged file. */
static void change_kept(const char *name, double v_mV, bool whole)
{
    enum { BEFORE = 16 + MT_HASH_SIZE - 1 }; /* kind and key */
    size_t n;
    char *bytes = bytes_of(name, &n), sum[MT_HASH_SIZE];
    mt_hash hash;
    const size_t summed = n - (MT_HASH_SIZE - 1);
    memcpy(bytes + BEFORE, &v_mV, sizeof v_mV);
    ok(mt_hash_begin(&hash));
    mt_hash_add(&hash, bytes, summed);
    mt_hash_end(&hash, sum);
    if (whole) memcpy(bytes + summed, sum, MT_HASH_SIZE - 1);
    FILE *file = fopen(name, "wb");
    cr_assert(file && fwrite(bytes, 1, n, file) == n && fclose(file) == 0);
    free(bytes);
}

Test(prepace, paced_states_are_cached_and_reused)
{
    char name[NAME];
    use_cache();
    const double found_mV = begin_mV("regions=[]", true);
    cr_assert_eq(kept(name), 1);
    change_kept(name, -71, true);
    cr_expect_eq(begin_mV("regions=[]", true), -71);
    cr_expect_eq(begin_mV("regions=[]", false), found_mV, "the cache is not used");
    change_kept(name, -72, false);
    cr_expect_eq(begin_mV("regions=[]", true), found_mV, "a damaged file is not used");
    change_kept(name, -73, true);
    cr_expect_eq(begin_mV("regions=[]", true), -73, "it was replaced");
    cr_expect_eq(kept(name), 1);
}

/* Each variant is cached separately: unchanged variants are found again. */
Test(prepace, the_cache_key_depends_on_everything_that_affects_prepacing)
{
    static const char *const sets[] = {"regions=[]", "time.dt_ms=0.01", "cell.scale=[g_Ks=0.9]",
        "cell.type=endo", "prepace.beats=3", "prepace.bcl_ms=251", "prepace.start_ms=2",
        "prepace.duration_ms=1.02", "prepace.strength_mV_ms=53"};
    enum { SETS = sizeof sets / sizeof *sets };
    char name[NAME];
    write_text("case.yaml",
        SMALL_SLAB USUAL_TISSUE "time: {end_ms: 6}\nprepace: {bcl_ms: 250, beats: 2}\n" SMALL_STIMULUS("2"));
    use_cache();
    for (int again = 0; again < 2; again++)
        for (size_t s = 0; s < SETS; s++) {
            (void)begin_mV(sets[s], true);
            cr_expect_eq(kept(name), again ? SETS : s + 1, "%s", sets[s]);
        }
    (void)begin_mV("prepace.beats=1", true);
    cr_expect_eq(kept(name), SETS, "a single beat is not cached");
}

/* ---- by command ---- */

static void same_results(const char *a, const char *b)
{
    static const char *const names[] = {
        "result.hdf", "activation.csv", "used.yaml", "activation.png", "profile.json"};
    char in_a[64], in_b[64];
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        (void)snprintf(in_a, sizeof in_a, "%s/%s", a, names[k]);
        (void)snprintf(in_b, sizeof in_b, "%s/%s", b, names[k]);
        cr_expect(same_file(in_a, in_b), "%s and %s", in_a, in_b);
    }
}

Test(prepace, rerunning_used_yaml_writes_the_same_files)
{
    char *table = works("run case.yaml -o one --format json");
    cr_expect_eq(json_property(table, "beats_before"), 2);
    free(table);
    free(works("run one/used.yaml -o two"));
    same_results("one", "two");
    free(works("run case.yaml -o rest --set prepace.beats=0"));
    cr_expect_not(same_file("one/activation.csv", "rest/activation.csv") &&
                  same_file("one/result.hdf", "rest/result.hdf"));
}

Test(prepace, a_resumed_run_writes_the_same_files)
{
    free(works("run case.yaml -o one"));
    free(works("run case.yaml -o two --set time.end_ms=2.5"));
    refuses(2, "of a run with prepace.beats: 2, here prepace.beats: 3",
        "run --resume two --set time.end_ms=6 --set prepace.beats=3");
    free(works("run --resume two --set time.end_ms=6"));
    same_results("one", "two");
    cr_expect(same_file("one/checkpoint-0000000300.hdf", "two/checkpoint-0000000300.hdf"));
}

Test(prepace, invalid_prepacing_is_rejected)
{
    refuses(2,
        "case.yaml: prepace.beats: 2, and start.state also sets the initial state; allowed: one of them",
        "run case.yaml --set start.state=some.hdf");
    refuses(2, "case.yaml: prepace: bcl 0.01 ms; allowed: at least one step, 0.02 ms",
        "run case.yaml --set prepace.bcl_ms=0.01");
    refuses(2, "case.yaml: prepace: start 249.5, duration 1: ends after the cycle of 250 ms",
        "run case.yaml --set prepace.start_ms=249.5");
    refuses(2, "prepace.beats=-1", "run case.yaml --set prepace.beats=-1");
    refuses(5, "case.yaml: prepace: epi: pacing, beat 1: V is ",
        "run case.yaml --set prepace.strength_mV_ms=1000");
    refuses(2, "prepace.beats: 2; allowed for a plane wave: cells at rest",
        "tune --cv-l 0.5 --cv-t 0.4 --edge-mm 0.8 --case case.yaml");
}

Test(prepace, a_signal_ends_prepacing_immediately_and_leaves_no_files)
{
    const pid_t child = fork();
    if (child == 0) {
        (void)freopen("/dev/null", "w", stderr);
        reply r = myotile("run case.yaml -o long --set prepace.beats=50000");
        _exit(r.code);
    }
    int status;
    (void)usleep(300000);
    cr_assert_eq(kill(child, SIGTERM), 0);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 143);
    cr_assert_not(there("long"));
}

Test(prepace, a_cycle_length_that_is_not_a_multiple_of_the_time_step_causes_a_warning)
{
    char *table, *said = warnings(&table, "run case.yaml -o one --set prepace.bcl_ms=250.01");
    cr_expect(strstr(said, "case.yaml: prepace.bcl_ms: found 250.01 ms, which are 12500.5 steps of 0.02 ms; "
                           "used: 12501 steps, 250.02 ms"),
        "%s", said);
    free(said), free(table);
}
