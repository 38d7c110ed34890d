/* The library against the program, and against what it promises to the process that uses it. */
#include <criterion/criterion.h>

#include <math.h>
#include <pthread.h>

#include "app/library/myotile.h"
#include "data/files/h5.h"
#include "tests/app/program.h"

static const char case_text[] =
    "mesh: {slab: {size_mm: [4, 2, 1], edge_mm: 0.5}}\n"
    "tissue: {intracellular_l_mS_mm: 0.17, intracellular_t_mS_mm: 0.019, extracellular_l_mS_mm: 0.62,\n"
    "  extracellular_t_mS_mm: 0.24, chi_per_mm: 140, cm_uF_mm2: 0.01}\n"
    "cell: {model: mitchell-schaeffer, type: standard}\n"
    "time: {dt_ms: 0.05, end_ms: 12}\n"
    "diffusion: {spreading: 0}\n"
    "stimuli:\n"
    "  - {min_mm: [0, 0, 0], max_mm: [1, 2, 1], start_ms: 0, duration_ms: 2, strength_uA_mm3: 50}\n"
    "points:\n"
    "  - {name: near, at_mm: [0.5, 0.5, 0.5]}\n"
    "  - {name: far, at_mm: [3.5, 1.5, 0.5]}\n"
    "traces: {every_ms: 2}\n"
    "series: {every_ms: 4}\n"
    "output: {maps: [peak]}\n"
    "machine: {backend: cpu}\n";

static void begin(void)
{
    enter_room();
    FILE *file = fopen("slab.yaml", "w");
    cr_assert_not_null(file);
    (void)fputs(case_text, file);
    (void)fclose(file);
}

TestSuite(library, .init = begin, .fini = leave_room);

static myotile_case *opened(const char *const *sets, size_t n)
{
    myotile_case *c;
    cr_assert_eq(myotile_open("slab.yaml", sets, n, NULL, &c), MYOTILE_OK, "%s", myotile_message());
    return c;
}

static myotile_result *run(myotile_case *c, const char *set)
{
    myotile_result *r;
    cr_assert_eq(myotile_run(c, &set, set ? 1 : 0, NULL, &r), MYOTILE_OK, "%s", myotile_message());
    return r;
}

static myotile_map map_of(const myotile_result *r, const char *name)
{
    myotile_map map;
    cr_assert_eq(myotile_result_map(r, name, 0, &map), MYOTILE_OK, "%s", myotile_message());
    return map;
}

/* ---- against the program ---- */

static void expect_field(const char *folder, const char *name, const myotile_map *map)
{
    char path[128], array[128];
    mt_arena arena = {0};
    mt_h5 h5 = {0};
    float *there = mt_arena_alloc(&arena, map->n, sizeof *there);
    (void)snprintf(path, sizeof path, "%s/result.hdf", folder);
    (void)snprintf(array, sizeof array, "VTKHDF/CellData/%s", name);
    cr_assert_eq(mt_h5_open(path, &h5), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_h5_read(&h5, array, MT_H5_FLOAT, 1, &map->n, there), MT_OK, "%s", mt_message());
    cr_expect_arr_eq(there, map->value, map->n * sizeof *there, "%s", name);
    mt_h5_close(&h5);
    mt_arena_free(&arena);
}

Test(library, maps_have_the_bits_of_the_program_on_every_backend)
{
    static const char *const sets[] = {"machine.backend=cpu", "machine.backend=ipu"};
    myotile_case *c = opened(NULL, 0);
    for (size_t k = 0; k < 2; k++) {
        char folder[16];
        (void)snprintf(folder, sizeof folder, "run%zu", k);
        free(works("run slab.yaml --set %s --output %s", sets[k], folder));
        myotile_result *r = run(c, sets[k]);
        const myotile_map activation = map_of(r, "activation"), peak = map_of(r, "peak");
        cr_expect_eq(activation.n, 8 * 4 * 2 * 6);
        expect_field(folder, "activation", &activation);
        expect_field(folder, "peak", &peak);
        cr_expect_str_eq(activation.unit, "ms");
        cr_expect_eq(myotile_result_cycles(r) > 0, k == 1);
        cr_expect_eq(myotile_result_reached_ms(r), 12);
        myotile_result_free(r);
    }
    myotile_close(c);
}

/* Writes a table as the program does, to compare the texts. */
static void write_table(const char *path, const myotile_table *t)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    (void)fputs("time_ms", file);
    for (size_t k = 0; k < t->n_columns; k++) (void)fprintf(file, ",%s", t->column[k]);
    for (size_t row = 0; row < t->n_rows; row++) {
        (void)fprintf(file, "\n%.10g", t->time_ms[row]);
        for (size_t k = 0; k < t->n_columns; k++)
            (void)fprintf(file, ",%.7g", t->value[row * t->n_columns + k]);
    }
    (void)fputc('\n', file);
    (void)fclose(file);
}

Test(library, traces_frames_points_and_the_case_agree_with_the_files)
{
    myotile_case *c = opened(NULL, 0);
    myotile_result *r = run(c, NULL);
    myotile_table traces, points;
    myotile_frames frames;
    size_t n;
    free(works("run slab.yaml --output out"));
    cr_assert_eq(myotile_result_table(r, "traces", &traces), MYOTILE_OK);
    write_table("traces.csv", &traces);
    cr_expect(same_file("traces.csv", "out/traces.csv"));
    cr_expect_str_eq(myotile_result_frames_name(r, 0), "V");
    cr_expect_null(myotile_result_frames_name(r, 1));
    cr_assert_eq(myotile_result_frames(r, "V", &frames), MYOTILE_OK);
    cr_expect_eq(frames.n_frames, 4);
    cr_expect_eq(frames.time_ms[3], 12);
    cr_expect_eq(frames.n, map_of(r, "peak").n);
    cr_assert_eq(myotile_result_table(r, "points", &points), MYOTILE_OK);
    cr_expect_str_eq(points.row[1], "far");
    cr_expect_str_eq(points.column[3], "activation_ms");
    cr_expect_eq(points.value[points.n_columns + 0], 3.5);
    cr_expect(points.value[3] > 0 && points.value[3] < points.value[points.n_columns + 3]);
    char *used = bytes_of("out/used.yaml", &n);
    cr_expect_str_eq(used, myotile_result_used(r));
    free(used);
    myotile_result_free(r);
    myotile_close(c);
}

/* Its machine outlives the run that mapped the case. */
Test(library, a_second_run_on_the_machine_has_the_same_cycles)
{
    static const char *const sets[] = {"machine.backend=ipu", "machine.tiles=20"};
    myotile_case *c = opened(sets, 2);
    myotile_result *first = run(c, NULL), *second = run(c, NULL), *later = run(c, "stimuli.0.start_ms=1");
    cr_expect_eq(myotile_result_cycles(first), myotile_result_cycles(second));
    cr_expect_str_eq(myotile_result_used(first), myotile_result_used(second));
    cr_expect(myotile_result_cycles(later) > 0);
    myotile_result_free(first), myotile_result_free(second), myotile_result_free(later);
    myotile_close(c);
}

/* ---- shared preparations, and callbacks ---- */

typedef struct heard {
    size_t meshes, operators, messages, samples;
    double last_ms;
    size_t stop_after;   /* samples; 0: never */
    const char *stop_at; /* a stage; NULL: never */
} heard;

static void on_message(void *user, const char *kind, const char *text)
{
    heard *h = user;
    h->messages += strcmp(kind, "warning") == 0 && text[0];
}

static bool on_progress(void *user, const char *what, double done, double total)
{
    heard *h = user;
    (void)done, (void)total;
    h->meshes += strstr(what, "mesh") && strstr(what, "reading");
    h->operators += strstr(what, "operator") != NULL;
    return h->stop_at && strstr(what, h->stop_at);
}

static bool on_sample(void *user, const myotile_sample *sample)
{
    heard *h = user;
    cr_expect_float_eq(sample->time_ms, 3 * (double)h->samples, 1e-9);
    cr_expect_eq(sample->number[sample->n - 1], sample->n - 1);
    h->last_ms = sample->time_ms;
    return ++h->samples == h->stop_after;
}

Test(library, a_run_builds_only_what_its_values_affect)
{
    heard h = {0};
    const myotile_options options = {.progress = on_progress, .message = on_message, .user = &h};
    myotile_case *c;
    cr_assert_eq(myotile_open("slab.yaml", NULL, 0, &options, &c), MYOTILE_OK, "%s", myotile_message());
    cr_expect_eq(h.meshes, 1);
    cr_expect_eq(h.operators, 1);
    myotile_result_free(run(c, "stimuli.0.start_ms=1"));
    cr_expect_eq(h.meshes, 1);
    cr_expect_eq(h.operators, 1);
    myotile_result_free(run(c, "tissue.intracellular_l_mS_mm=0.3"));
    cr_expect_eq(h.operators, 2);
    cr_expect_eq(h.messages, 0);
    myotile_result_free(run(c, "time.end_ms=3"));
    cr_expect(h.messages > 0, "activation had not ended");
    myotile_close(c);
}

Test(library, samples_arrive_in_time_and_can_stop_a_run)
{
    heard h = {.stop_after = 3};
    const myotile_watch watch = {.every_ms = 3, .sample = on_sample, .user = &h};
    myotile_case *c = opened(NULL, 0);
    myotile_result *r;
    cr_expect_eq(myotile_run(c, NULL, 0, &watch, &r), MYOTILE_STOPPED);
    cr_expect(strstr(myotile_message(), "stopped by a callback at 6"), "%s", myotile_message());
    cr_assert_not_null(r);
    cr_expect_eq(h.last_ms, 6);
    cr_expect(myotile_result_reached_ms(r) <= 6.05001, "%g", myotile_result_reached_ms(r));
    cr_expect(isnan(map_of(r, "activation").value[map_of(r, "activation").n - 1]));
    myotile_result_free(r);
    h = (heard){0};
    cr_expect_eq(myotile_run(c, NULL, 0, &watch, &r), MYOTILE_OK, "%s", myotile_message());
    cr_expect_eq(h.samples, 5);
    myotile_result_free(r);
    myotile_close(c);
}

Test(library, a_preparation_can_be_stopped)
{
    heard h = {.stop_at = "mapping"};
    const myotile_options options = {.progress = on_progress, .user = &h};
    myotile_case *c;
    myotile_result *r = (myotile_result *)&h;
    cr_assert_eq(myotile_open("slab.yaml", NULL, 0, &options, &c), MYOTILE_OK);
    cr_expect_eq(myotile_run(c, NULL, 0, NULL, &r), MYOTILE_STOPPED);
    cr_expect_null(r);
    myotile_close(c);
}

/* ---- errors ---- */

Test(library, errors_are_values_with_a_message)
{
    static const char *const bad[] = {"time.end_ms=-1"}, *const none[] = {"cell.model=no-such-model"};
    myotile_case *c = NULL;
    myotile_result *r;
    myotile_map map;
    myotile_table table;
    myotile_frames frames;
    cr_expect_eq(myotile_open("missing.yaml", NULL, 0, NULL, &c), MYOTILE_FILE);
    cr_expect_null(c);
    cr_expect(strstr(myotile_message(), "missing.yaml"), "%s", myotile_message());
    cr_expect_eq(myotile_open("slab.yaml", none, 1, NULL, &c), MYOTILE_INPUT);
    c = opened(NULL, 0);
    cr_expect_eq(myotile_run(c, bad, 1, NULL, &r), MYOTILE_INPUT);
    cr_expect_null(r);
    cr_expect(strstr(myotile_message(), "time.end_ms"), "%s", myotile_message());
    const myotile_watch watch = {.every_ms = 0.07, .sample = on_sample};
    cr_expect_eq(myotile_run(c, NULL, 0, &watch, &r), MYOTILE_INPUT);
    cr_expect(strstr(myotile_message(), "samples every 0.07 ms"), "%s", myotile_message());
    r = run(c, NULL);
    cr_expect_eq(myotile_result_map(r, "apd", 0, &map), MYOTILE_INPUT);
    cr_expect_str_eq(myotile_message(), "map apd of beat 0; allowed: activation, peak, of beats 0 to 0");
    cr_expect_eq(myotile_result_map(r, "peak", 1, &map), MYOTILE_INPUT);
    cr_expect_eq(myotile_result_table(r, "ecg", &table), MYOTILE_INPUT);
    cr_expect_str_eq(myotile_message(), "table ecg; allowed, by the case: traces, points");
    cr_expect_eq(myotile_result_frames(r, "m", &frames), MYOTILE_INPUT);
    cr_expect_str_eq(myotile_result_map_name(r, 1), "peak");
    cr_expect_null(myotile_result_map_name(r, 2));
    myotile_result_free(r);
    myotile_result_free(NULL);
    myotile_close(c);
    myotile_close(NULL);
}

/* ---- the process ---- */

/* Files open, handlers, environment and output of the process. */
typedef struct process {
    struct sigaction handler[NSIG];
    char *environment;
    off_t printed;
    int files;
} process;

static process look(int output)
{
    process p = {.printed = lseek(output, 0, SEEK_CUR)};
    size_t n;
    FILE *text = open_memstream(&p.environment, &n);
    for (char **e = environ; *e; e++) (void)fprintf(text, "%s\n", *e);
    (void)fclose(text);
    for (int s = 1; s < NSIG; s++) (void)sigaction(s, NULL, &p.handler[s]);
    for (int fd = 0; fd < 256; fd++) p.files += fcntl(fd, F_GETFD) >= 0;
    return p;
}

Test(library, the_process_is_left_as_it_was)
{
    (void)fflush(NULL);
    const int file = open("printed", O_RDWR | O_CREAT | O_TRUNC, 0600), out = dup(1), err = dup(2);
    cr_assert(file >= 0 && dup2(file, 1) == 1 && dup2(file, 2) == 2);
    const process before = look(file);
    myotile_case *c;
    myotile_result *r;
    static const char *const bad[] = {"time.end_ms=-1"};
    const myotile_status status = myotile_open("slab.yaml", NULL, 0, NULL, &c);
    if (status == MYOTILE_OK && myotile_run(c, NULL, 0, NULL, &r) == MYOTILE_OK) myotile_result_free(r);
    if (status == MYOTILE_OK) (void)myotile_run(c, bad, 1, NULL, &r);
    if (status == MYOTILE_OK) myotile_close(c);
    (void)fflush(NULL);
    const process after = look(file);
    (void)dup2(out, 1), (void)dup2(err, 2);
    cr_assert_eq(status, MYOTILE_OK, "%s", myotile_message());
    cr_expect_eq(after.printed, 0, "it printed %d bytes", (int)after.printed);
    cr_expect_eq(before.files, after.files);
    cr_expect_str_eq(before.environment, after.environment);
    for (int s = 1; s < NSIG; s++)
        cr_expect_eq(before.handler[s].sa_handler, after.handler[s].sa_handler, "signal %d", s);
    cr_expect_neq(access("slab/result.hdf", F_OK), 0, "no files");
    free(before.environment), free(after.environment);
    (void)close(file), (void)close(out), (void)close(err);
}

/* ---- threads ---- */

enum { RUNS = 3 };
static const char *const conductivity[2][RUNS] = {
    {"tissue.intracellular_l_mS_mm=0.1", "stimuli.0.start_ms=1", "tissue.intracellular_l_mS_mm=0.2"},
    {"machine.backend=ipu", "tissue.intracellular_t_mS_mm=0.03", "time.dt_ms=0.025"}};

typedef struct worker {
    size_t which;
    float *map[RUNS];
    size_t n;
    myotile_status status;
} worker;

static void *work(void *of)
{
    worker *w = of;
    myotile_case *c;
    const myotile_options options = {.threads = 1};
    w->status = myotile_open("slab.yaml", NULL, 0, &options, &c);
    for (size_t k = 0; w->status == MYOTILE_OK && k < RUNS; k++) {
        myotile_result *r;
        myotile_map map;
        w->status = myotile_run(c, &conductivity[w->which][k], 1, NULL, &r);
        if (w->status != MYOTILE_OK) break;
        w->status = myotile_result_map(r, "activation", 0, &map);
        w->n = map.n;
        w->map[k] = memcpy(malloc(map.n * sizeof(float)), map.value, map.n * sizeof(float));
        myotile_result_free(r);
    }
    myotile_close(c);
    return NULL;
}

Test(library, two_cases_in_two_threads_compute_what_they_compute_alone)
{
    worker alone[2] = {{.which = 0}, {.which = 1}}, together[2] = {{.which = 0}, {.which = 1}};
    pthread_t thread[2];
    for (size_t k = 0; k < 2; k++) (void)work(&alone[k]);
    for (size_t k = 0; k < 2; k++) cr_assert_eq(pthread_create(&thread[k], NULL, work, &together[k]), 0);
    for (size_t k = 0; k < 2; k++) cr_assert_eq(pthread_join(thread[k], NULL), 0);
    for (size_t k = 0; k < 2; k++) {
        cr_assert_eq(alone[k].status, MYOTILE_OK);
        cr_assert_eq(together[k].status, MYOTILE_OK);
        for (size_t j = 0; j < RUNS; j++) {
            cr_expect_arr_eq(
                alone[k].map[j], together[k].map[j], alone[k].n * sizeof(float), "%zu, %zu", k, j);
            free(alone[k].map[j]), free(together[k].map[j]);
        }
    }
}
