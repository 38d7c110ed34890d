/* Devices compute the bits of the host in single precision, which are those of the emulated machine. The device is pocl's
 * processor, whose work-items compute 8 unknowns of a block, or one as on GPUs. */
#include <criterion/criterion.h>

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "solver/cells/open.h"
#include "solver/cells/mitchell_schaeffer/mitchell_schaeffer.h"
#include "solver/diffusion/nodal.h"
#include "tests/opencl_library.h"
#include "tests/random.h"
#include "tests/solver/same_bits.h"
#include "tests/solver/slab_problem.h"

static slab_problem s;
static mt_stimulus stimuli[4];
static mt_layout layout; /* the default one, or with another number of unknowns of a work-item */
static const size_t numbers_of_lanes[] = {8, 1}; /* 16: test_opencl_slow.c */
#define EACH_NUMBER_OF_LANES                                                                                 \
    size_t l = 0;                                                                                            \
    l < 2 && (layout.lanes = numbers_of_lanes[l], true);                                                     \
    l++

static void enter(void)
{
    omp_set_num_threads(1); /* too little work to share */
    use_faults("");
}

static void leave(void) { mt_arena_free(&s.arena); }

TestSuite(opencl, .init = enter, .fini = leave);

/* ---- problems ---- */

static void use_model(const char *name)
{
    cr_assert_eq(mt_cell_model_open(&s.arena, name, &s.problem.model), MT_OK, "%s", mt_message());
}

/* A slab with a scheme of diffusion; NULL: the default one. */
static void make_elements(const double size_mm[3], const mt_diffusion_scheme *scheme)
{
    leave();
    s = (slab_problem){.scheme = scheme};
    cr_assert_eq(mt_slab_make(&s.arena, size_mm, 0.5, &s.mesh), MT_OK, "%s", mt_message());
    make_problem(&s, (double[]){1.5, 1.5, 1.5});
    use_model(
        "mitchell-schaeffer"); /* kinds of steps do not depend on it; devices compile larger ones for seconds */
    s.problem.mesh = &s.mesh;
    s.problem.tolerance_mV = 0.1;
}

/* Same with voltages at the vertices, with or without spreading of the reaction. */
static void make_vertices(const double size_mm[3], bool spreads)
{
    const mt_tissues tissues = mt_tissues_uniform(&mt_tissue_default);
    const mt_nodal_spreading spreading = {1, &mt_nodal_law_default, NULL};
    make_elements(size_mm, NULL);
    cr_assert_eq(mt_nodal_diffusion_make(
                     &s.arena, &s.mesh, &tissues, spreads ? &spreading : NULL, &(mt_watch){0}, &s.diffusion),
        MT_OK, "%s", mt_message());
    uint32_t *near = mt_arena_alloc(&s.arena, s.mesh.n_vertices, sizeof *near);
    size_t n = 0;
    for (uint32_t v = 0; v < s.mesh.n_vertices; v++)
        if (s.mesh.xyz_mm[3 * (size_t)v] < 1.2) near[n++] = v;
    s.stimulus[0].n_elements = n, s.stimulus[0].element = near;
    s.problem.pde_steps = mt_monodomain_pde_steps(&s.diffusion, s.problem.dt_ms);
}

/* Adds a stimulus of every second unknown during the first one, one of no unknown, and one with delays. */
static void overlap_stimuli(void)
{
    enum { LONGEST = 6 };
    const size_t n = s.diffusion.n_unknowns;
    uint16_t *delay = mt_arena_alloc(&s.arena, n, sizeof *delay);
    uint32_t *second = mt_arena_alloc(&s.arena, n, sizeof *second);
    size_t n_second = 0;
    for (uint32_t k = 0; k < n; k += 2) {
        delay[n_second] = (uint16_t)(5 * k % (LONGEST + 1));
        second[n_second++] = k;
    }
    stimuli[0] = s.stimulus[0];
    stimuli[1] = (mt_stimulus){0.5, 0.3, 15, n_second, second, 1, 2, NULL, 0, 0, 0, 0};
    stimuli[2] = (mt_stimulus){1, 1, 15, 0, NULL, 0, 0, NULL, 0, 0, 0, 0};
    s.problem.stimulus = stimuli;
    stimuli[3] = (mt_stimulus){0.6, 0.1, 15, n_second, second, 0.9, 1, delay, LONGEST, 3, -75, -50};
    s.problem.n_stimuli = 4;
}

static const mt_record all_recorded = {
    .all = true, .threshold_mV = -20, .fraction = 0.9, .stored = (1 << MT_RECORDED_LOW) - 1};

/* 120 elements or 60 vertices: a last block of 8 or 12. */
static const double small_mm[3] = {2.5, 2, 0.5};

/* ---- steps ---- */

/* One kind of time steps of a slab. */
typedef struct way {
    const char *name;
    bool vertices, spreads, mixed;
    mt_stepping stepping;
    mt_splitting splitting;
    mt_accumulation accumulation;
    size_t pde_steps; /* times the least number */
} way;

#define ELEMENTS false
#define VERTICES true
#define UNIFORM MT_STEPPING_UNIFORM
#define MULTIRATE MT_STEPPING_MULTIRATE
#define GODUNOV MT_SPLITTING_GODUNOV
#define COMPENSATED MT_SPLITTING_COMPENSATED
#define SINGLE MT_ACCUMULATION_SINGLE
#define WORDS MT_ACCUMULATION_DOUBLE_WORD

static const way ways[] = {{"elements", ELEMENTS, true, false, UNIFORM, GODUNOV, SINGLE, 1},
    {"without spreading", ELEMENTS, false, false, UNIFORM, GODUNOV, SINGLE, 1},
    {"without spreading, several steps", ELEMENTS, false, false, MULTIRATE, GODUNOV, SINGLE, 2},
    {"compensated", ELEMENTS, true, false, UNIFORM, COMPENSATED, SINGLE, 4},
    {"compensated without spreading", ELEMENTS, false, true, MULTIRATE, COMPENSATED, SINGLE, 3},
    {"variants", ELEMENTS, true, true, UNIFORM, COMPENSATED, SINGLE, 3},
    {"multirate", ELEMENTS, true, false, MULTIRATE, COMPENSATED, SINGLE, 1},
    {"multirate variants", ELEMENTS, true, true, MULTIRATE, GODUNOV, SINGLE, 2},
    {"double words", ELEMENTS, true, false, UNIFORM, COMPENSATED, WORDS, 1},
    {"double words, several steps", ELEMENTS, true, true, MULTIRATE, COMPENSATED, WORDS, 3},
    {"double words without spreading", ELEMENTS, false, false, UNIFORM, GODUNOV, WORDS, 4},
    {"vertices", VERTICES, true, false, UNIFORM, GODUNOV, SINGLE, 1},
    {"vertices without spreading", VERTICES, false, true, UNIFORM, GODUNOV, SINGLE, 2},
    {"vertices, compensated without spreading", VERTICES, false, false, MULTIRATE, COMPENSATED, SINGLE, 3},
    {"vertices, compensated", VERTICES, true, true, UNIFORM, COMPENSATED, SINGLE, 2},
    {"vertices, multirate", VERTICES, true, false, MULTIRATE, COMPENSATED, SINGLE, 3},
    {"vertices, multirate variants", VERTICES, true, true, MULTIRATE, GODUNOV, SINGLE, 1},
    {"vertices, double words", VERTICES, true, false, UNIFORM, COMPENSATED, WORDS, 1},
    {"vertices, double words, several steps", VERTICES, true, true, MULTIRATE, COMPENSATED, WORDS, 3},
    {"vertices, double words without spreading", VERTICES, false, false, UNIFORM, GODUNOV, WORDS, 2}};

static void make_way(const way *w, const double size_mm[3])
{
    static mt_diffusion_scheme plain;
    plain = mt_diffusion_scheme_default;
    plain.spreading = 0;
    if (w->vertices)
        make_vertices(size_mm, w->spreads);
    else
        make_elements(size_mm, w->spreads ? NULL : &plain);
    if (w->mixed) mix_variants(&s.arena, &s.problem);
    overlap_stimuli();
    s.problem.stepping = w->stepping;
    s.problem.splitting = w->splitting;
    s.problem.accumulation = w->accumulation;
    s.problem.pde_steps *= w->pde_steps;
}

/* Each kind of steps has one of the numbers of lanes in turn; all quantities are recorded in every second of each. */
Test(opencl, all_kinds_of_steps_have_the_bits_of_the_host)
{
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        layout.lanes = numbers_of_lanes[k % 2];
        make_way(&ways[k], small_mm);
        if (k / 2 % 2) s.problem.record = all_recorded;
        expect_bits_of_host(&s.arena, &s.problem, &layout, 300, ways[k].name);
    }
}

/* 6 to 144 elements, and 8 to 100 vertices: one narrow block, and blocks before it. */
Test(opencl, any_number_of_unknowns_has_the_bits_of_the_host)
{
    for (EACH_NUMBER_OF_LANES)
        for (int vertices = 0; vertices < 2; vertices++)
            for (int boxes = 1; boxes <= 24; boxes += boxes < 4 ? 1 : 10) {
                char what[64];
                (void)snprintf(what, sizeof what, "%d boxes, vertices %d", boxes, vertices);
                const double size_mm[3] = {0.5 * boxes, 0.5, 0.5};
                make_way(&ways[vertices ? 14 : 5], size_mm);
                expect_bits_of_host(&s.arena, &s.problem, &layout, 100, what);
            }
}

/* Functions of V from tables, in two variants. Stimuli push V beyond both ends of the tables, where functions are computed. */
static void make_tabulated(const char *model, mt_stepping stepping)
{
    make_elements(small_mm, NULL);
    use_model(model);
    mix_variants(&s.arena, &s.problem);
    overlap_stimuli();
    stimuli[0].rise_mV_ms = 90;
    stimuli[1].rise_mV_ms = -130, stimuli[1].start_ms = 0;
    s.problem.stepping = stepping;
    s.problem.evaluation = MT_EVALUATION_TABULATED;
    s.problem.record = all_recorded;
}

/* A model with many states. Its functions are computed, too, outside of the tables. All models, without tables, and this one with multirate
 * stepping and with one cell at a time: test_opencl_slow.c. */
Test(opencl, tp06_with_functions_of_v_from_tables_has_the_bits_of_the_host)
{
    layout.lanes = 8;
    make_tabulated("tp06", UNIFORM);
    expect_bits_of_host(&s.arena, &s.problem, &layout, 300, "tables");
}

/* With both kinds of steps in vectors, and one of them with one cell at a time; the other: test_opencl_slow.c. */
Test(opencl, functions_of_v_of_an_imported_model_from_tables_have_the_bits_of_the_host)
{
    static const size_t lanes[] = {8, 8, 1};
    for (size_t k = 0; k < sizeof lanes / sizeof *lanes; k++) {
        layout.lanes = lanes[k];
        make_tabulated("tests/solver/cells/import/hodgkin_huxley.cellml", k == 1 ? UNIFORM : MULTIRATE);
        cr_assert_not_null(s.problem.model->program);
        cr_assert_gt(s.problem.model->n_functions, 0);
        expect_bits_of_host(&s.arena, &s.problem, &layout, 200, "tables of an imported model");
    }
}

Test(opencl, an_imported_model_has_the_bits_of_the_host)
{
    make_elements(small_mm, NULL);
    use_model("tests/solver/cells/graph/mitchell_schaeffer.mmt");
    cr_assert_not_null(s.problem.model->program);
    mix_variants(&s.arena, &s.problem);
    s.problem.stepping = MT_STEPPING_MULTIRATE;
    expect_bits_of_host(&s.arena, &s.problem, &layout, 200, "imported");
}

/* Smaller work-groups than those that the kernels are compiled for. */
Test(opencl, a_device_that_allows_few_items_in_a_group_has_the_bits_of_the_host)
{
    use_group_max("24");
    layout.lanes = 1;
    make_way(&ways[7], small_mm);
    expect_bits_of_host(&s.arena, &s.problem, &layout, 100, "small groups");
}

/* ---- columns far apart ---- */

static void shuffle(uint32_t *list, size_t n)
{
    uint64_t state = 7;
    for (size_t k = n; k > 1; k--) {
        const size_t other = draw(&state, k);
        const uint32_t one = list[k - 1];
        list[k - 1] = list[other], list[other] = one;
    }
}

/* 66,000 elements in random order, so that the columns of most blocks have 32 bits. */
static void make_far_elements(mt_accumulation accumulation)
{
    leave();
    s = (slab_problem){0};
    cr_assert_eq(mt_slab_make(&s.arena, (double[]){25, 10, 5.5}, 0.5, &s.mesh), MT_OK, "%s", mt_message());
    const size_t n = s.mesh.n_elements;
    uint32_t *order = mt_arena_alloc(&s.arena, n, sizeof *order),
             *vertex = mt_arena_alloc(&s.arena, 4 * n, sizeof *vertex);
    cr_assert_gt(n, 65536);
    for (uint32_t e = 0; e < n; e++) order[e] = e;
    shuffle(order, n);
    for (size_t e = 0; e < n; e++)
        memcpy(vertex + 4 * e, s.mesh.element_vertex + 4 * (size_t)order[e], 4 * sizeof *vertex);
    s.mesh.element_vertex = vertex; /* fibres are along x everywhere */
    make_problem(&s, (double[]){3, 10, 5.5});
    use_model("mitchell-schaeffer");
    s.problem.mesh = &s.mesh;
    s.problem.pde_steps = 2;
    s.problem.accumulation = accumulation;
}

/* A short and strong stimulus of every third unknown, so that all columns count from the first step. */
static void check_far(const char *what)
{
    uint32_t *third = mt_arena_alloc(&s.arena, s.diffusion.n_unknowns, sizeof *third);
    s.stimulus[0] = (mt_stimulus){0, 0.08, 1200, 0, third, 0, 0, NULL, 0, 0, 0, 0};
    for (uint32_t k = 0; k < s.diffusion.n_unknowns; k += 3) third[s.stimulus[0].n_elements++] = k;
    for (EACH_NUMBER_OF_LANES) expect_bits_of_host(&s.arena, &s.problem, &layout, 10, what);
}

Test(opencl, columns_far_apart_have_the_bits_of_the_host)
{
    make_far_elements(MT_ACCUMULATION_SINGLE);
    check_far("far columns");
    s.problem.accumulation = MT_ACCUMULATION_DOUBLE_WORD;
    check_far("far columns, double words");
}

/* 66,400 vertices of a rod, computed in a random order. */
Test(opencl, columns_of_vertices_far_apart_have_the_bits_of_the_host)
{
    make_vertices((double[]){8300, 0.5, 0.5}, true);
    const size_t n = s.diffusion.n_unknowns;
    cr_assert_gt(n, 65536);
    mt_element_order *order = (mt_element_order *)(uintptr_t)&s.diffusion.nodal->order;
    shuffle(order->element, n);
    for (uint32_t k = 0; k < n; k++) order->place[order->element[k]] = k;
    s.problem.pde_steps *= 2;
    check_far("far columns of vertices");
    s.problem.accumulation = MT_ACCUMULATION_DOUBLE_WORD;
    check_far("far columns of vertices, double words");
}

/* ---- beats ---- */

/* Cells whose action potentials last 20 ms, in two beats of which the second begins during an action potential. */
static void make_beats(bool vertices)
{
    static const size_t beats[] = {0, 850};
    static double parameters[MS_PARAMETERS];
    static mt_cell_variant brief;
    make_way(&ways[vertices ? 14 : 5], small_mm);
    use_model("mitchell-schaeffer");
    const mt_cell_variant *usual = s.problem.model->variants;
    memcpy(parameters, usual->parameters, sizeof parameters);
    parameters[MS_TAU_IN] = 0.1, parameters[MS_TAU_OUT] = 2;
    parameters[MS_TAU_CLOSE] = 6, parameters[MS_TAU_OPEN] = 4;
    brief = (mt_cell_variant){"brief", parameters, usual->v_mV, usual->states};
    s.problem.variants = &brief;
    s.problem.n_variants = 1;
    s.problem.variant_of = NULL;
    stimuli[0].period_ms = 15, stimuli[0].repeats = 2;
    s.problem.n_stimuli = 1;
    s.problem.record = all_recorded;
    s.problem.record.n_beats = 2, s.problem.record.beat = beats;
}

enum { BEATS_END = 2700 };

static void expect_beats(const outcome *o)
{
    size_t ended[2] = {0, 0};
    for (size_t b = 0; b < 2; b++)
        for (size_t k = 0; k < o->n; k++)
            ended[b] += isfinite(o->results.beats[b].recorded[MT_RECORDED_REPOLARISATION][k]) != 0;
    cr_assert(ended[0] > o->n / 2 && ended[1] > 0, "%zu and %zu of %zu", ended[0], ended[1], o->n);
}

Test(opencl, records_of_two_beats_have_the_bits_of_the_host)
{
    for (int k = 0; k < 4; k++) {
        make_beats((k & 1) != 0);
        if (k & 2) s.problem.stepping = MT_STEPPING_MULTIRATE;
        const outcome on_host =
            outcome_of(&s.arena, &s.problem, &mt_backend_cpu_single, NULL, NULL, 0, BEATS_END);
        expect_beats(&on_host);
        const outcome on_device =
            outcome_of(&s.arena, &s.problem, &mt_backend_opencl, &layout, NULL, 0, BEATS_END);
        expect_same_outcome(&s.problem, &on_host, &on_device, "two beats");
    }
}

/* From the host to the device and back, in each beat. Runs with voltages in the elements, at the vertices, with uniform and multirate steps
 * begin on either. */
Test(opencl, a_run_continues_on_another_backend_with_the_same_bits)
{
    static const size_t ends[] = {0, 333, 840, 901, 1600, BEATS_END};
    const mt_backend *const both[] = {&mt_backend_cpu_single, &mt_backend_opencl};
    for (int k = 0; k < 4; k++) {
        make_beats((k & 1) != 0);
        if (k & 2) s.problem.stepping = MT_STEPPING_MULTIRATE;
        const outcome uninterrupted =
            outcome_of(&s.arena, &s.problem, &mt_backend_cpu_single, NULL, NULL, 0, BEATS_END);
        const size_t begin = k == 1 || k == 2;
        outcome o[2] = {{0}};
        for (size_t part = 0; part + 1 < sizeof ends / sizeof *ends; part++)
            o[part % 2] = outcome_of(&s.arena, &s.problem, both[(begin + part) % 2], NULL,
                part ? &o[1 - part % 2] : NULL, ends[part], ends[part + 1]);
        for (size_t a = 0; a < uninterrupted.n_arrays; a++)
            expect_same_values(uninterrupted.array + a * uninterrupted.n, o[0].array + a * o[0].n, o[0].n,
                "continued", mt_array(&s.problem, a).name);
    }
}

/* ---- reading and writing between steps ---- */

/* The two backends, in lock-step. */
typedef struct pair {
    void *self[2];
    double *value[2];
    uint32_t *list;
    uint64_t state;
} pair;

static const mt_backend *const compared[2] = {&mt_backend_cpu_single, &mt_backend_opencl};

static void expect_same_arrays(const pair *p, size_t array, const char *what)
{
    expect_same_values(
        p->value[0], p->value[1], s.diffusion.n_unknowns, what, mt_array(&s.problem, array).name);
}

static void read_one(pair *p, size_t array)
{
    for (int b = 0; b < 2; b++)
        cr_assert_eq(compared[b]->read(p->self[b], array, p->value[b]), MT_OK, "%s", mt_message());
    expect_same_arrays(p, array, "read");
}

/* A list of up to 3,000 unknowns, with repetitions. */
static void stream_one(pair *p, size_t array)
{
    const size_t n = draw(&p->state, 2) ? draw(&p->state, 9) : 1000 + draw(&p->state, 2000);
    for (size_t k = 0; k < n; k++) p->list[k] = (uint32_t)draw(&p->state, s.diffusion.n_unknowns);
    for (int b = 0; b < 2; b++) {
        for (size_t k = 0; k < s.diffusion.n_unknowns; k++) p->value[b][k] = -12345;
        cr_assert_eq(compared[b]->stream(p->self[b], array, n, n ? p->list : &(uint32_t){0}, p->value[b]),
            MT_OK, "%s", mt_message());
    }
    expect_same_arrays(p, array, "streamed");
}

/* Writes values close to the present ones, as single-precision numbers. */
static void write_one(pair *p, size_t array)
{
    read_one(p, array);
    for (size_t k = 0; k < s.diffusion.n_unknowns; k++)
        if (isfinite(p->value[0][k])) p->value[0][k] = (float)(p->value[0][k] * between(&p->state, 0.999, 1));
    for (int b = 0; b < 2; b++) compared[b]->write(p->self[b], array, p->value[0]);
}

static bool survey_of_device(const pair *p, double *extreme_mV)
{
    return mt_backend_opencl.survey(p->self[1], p->value[1], extreme_mV);
}

/* The extremes of every stimulus without delays are those of V. */
static void survey_one(pair *p)
{
    double extreme_mV[8];
    read_one(p, MT_ARRAY_V);
    const double *v = p->value[0];
    const bool possible = survey_of_device(p, extreme_mV);
    bool expected = true;
    for (size_t k = 0; k < s.diffusion.n_unknowns; k++) expected &= mt_backend_possible_mV(v[k]);
    cr_assert_eq(possible, expected);
    for (size_t i = 0; possible && i < s.problem.n_stimuli; i++) {
        const mt_stimulus *stimulus = &s.problem.stimulus[i];
        double high = -INFINITY, low = -INFINITY;
        for (size_t k = 0; !stimulus->delay && k < stimulus->n_elements; k++)
            high = fmax(high, v[stimulus->element[k]]), low = fmax(low, -v[stimulus->element[k]]);
        cr_assert(extreme_mV[i] == high && extreme_mV[s.problem.n_stimuli + i] == low,
            "stimulus %zu: %g and %g for %g and %g", i, extreme_mV[i], extreme_mV[s.problem.n_stimuli + i],
            high, low);
    }
}

static void open_pair(pair *p)
{
    const size_t n = s.diffusion.n_unknowns;
    for (int b = 0; b < 2; b++) {
        p->value[b] = mt_arena_alloc(&s.arena, n, sizeof(double));
        cr_assert_eq(
            compared[b]->open(&s.arena, &s.problem, &layout, &p->self[b]), MT_OK, "%s", mt_message());
    }
    p->list = mt_arena_alloc(&s.arena, 3000, sizeof *p->list);
}

/* One random call of both backends. */
static void call_one(pair *p, size_t step)
{
    const size_t array = draw(&p->state, mt_arrays(&s.problem));
    switch (draw(&p->state, 8)) {
    case 0:
        read_one(p, array);
        break;
    case 1:
        stream_one(p, array);
        break;
    case 2:
        write_one(p, array);
        break;
    case 3:
        survey_one(p);
        break;
    case 4:
        for (int b = 0; b < 2; b++)
            cr_assert_eq(
                compared[b]->turn(p->self[b], step, draw(&(uint64_t){step}, 2)), MT_OK, "%s", mt_message());
        break;
    case 5:
        for (int b = 0; b < 2; b++) compared[b]->resume(p->self[b], step);
        break;
    default:
        break;
    }
}

/* 600 random calls between 200 steps, each after any other, of 2,160 elements or 520 vertices: lists are longer than the room for them.
 */
Test(opencl, any_order_of_calls_has_the_bits_of_the_host)
{
    for (int k = 0; k < 8; k++) {
        pair p = {.state = (uint64_t)k};
        layout.lanes = numbers_of_lanes[k / 4];
        make_way(&ways[k & 1 ? 14 : 5], (double[]){6, 2.5, 1.5});
        if (k & 2) s.problem.stepping = MT_STEPPING_MULTIRATE;
        s.problem.record = all_recorded;
        open_pair(&p);
        for (size_t step = 0; step < 200; step++) {
            for (int call = 0; call < 3; call++) call_one(&p, step);
            for (int b = 0; b < 2; b++)
                cr_assert_eq(compared[b]->advance(p.self[b], step, 1), MT_OK, "%s", mt_message());
        }
        for (size_t array = 0; array < mt_arrays(&s.problem); array++) read_one(&p, array);
    }
}

/* ---- voltages that are not possible ---- */

Test(opencl, a_survey_finds_an_impossible_voltage_in_any_unknown)
{
    static const struct {
        double v_mV;
        bool possible;
    } voltages[] = {{200, true}, {-200, true}, {200.0001, false}, {-200.0001, false}, {NAN, false},
        {INFINITY, false}, {-INFINITY, false}};
    for (EACH_NUMBER_OF_LANES) {
        pair p = {0};
        double extreme_mV[8];
        make_way(&ways[5], small_mm);
        open_pair(&p);
        for (size_t k = 0; k < s.diffusion.n_unknowns; k += 7)
            for (size_t v = 0; v < sizeof voltages / sizeof *voltages; v++) {
                cr_assert_eq(mt_backend_opencl.read(p.self[1], MT_ARRAY_V, p.value[0]), MT_OK);
                const double before = p.value[0][k];
                p.value[0][k] = voltages[v].v_mV;
                mt_backend_opencl.write(p.self[1], MT_ARRAY_V, p.value[0]);
                cr_assert_eq(
                    survey_of_device(&p, extreme_mV), voltages[v].possible, "%zu: %g", k, voltages[v].v_mV);
                p.value[0][k] = before;
                mt_backend_opencl.write(p.self[1], MT_ARRAY_V, p.value[0]);
            }
        survey_one(&p);
    }
}

/* The message of the time loop, which then reads V. */
Test(opencl, an_impossible_voltage_has_the_message_of_the_host)
{
    char message[2][512];
    make_way(&ways[5], small_mm);
    stimuli[1].rise_mV_ms = 1e6;
    for (int b = 0; b < 2; b++) {
        void *self;
        cr_assert_eq(compared[b]->open(&s.arena, &s.problem, NULL, &self), MT_OK, "%s", mt_message());
        cr_assert_eq(
            mt_backend_run(&s.problem, compared[b], self, 0, 300, &s.results, NULL, NULL), MT_NUMERICS);
        (void)snprintf(message[b], sizeof *message, "%s", mt_message());
    }
    cr_expect_str_eq(message[0], message[1]);
    cr_expect(strstr(message[1], "stimuli.1 was on there"), "%s", message[1]);
}
