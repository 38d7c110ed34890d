/* The values recorded by the time loop compared with V at every step, by a second, slow implementation of the definitions of
 * solver/record.h. */
#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>

#include "tests/solver/slab_problem.h"

#include "solver/record.h"

/* An activation wavefront, its repolarisation, and a second wavefront: 340 ms. */
enum { STEPS = 6800, SECOND_MS = 320 };
static const double dt_ms = 0.05;

/* One beat, in which the second wavefront changes nothing, or six beats. The second begins while the wavefront activates elements, the
 * third while all elements await repolarisation, the fourth while they repolarise, the fifth with the second stimulus, and the last
 * while its wavefront activates elements. Only the first begins at a multiple of the interval at which V at rest is sampled. */
static const size_t beats[] = {0, 55, 3333, 5700, SECOND_MS * 20, SECOND_MS * 20 + 51};
enum { BEATS = sizeof beats / sizeof *beats };

typedef struct film {
    slab_problem s;
    mt_stimulus stimuli[2];
    double *frame; /* [STEPS + 1][n] */
    const mt_backend *backend;
    void *self;
} film;

static bool take(void *user, size_t steps)
{
    film *f = user;
    f->backend->read(f->self, MT_ARRAY_V, f->frame + steps * f->s.mesh.n_elements);
    return true;
}

static void shoot(film *f, const mt_backend *backend, mt_record record)
{
    mt_arena arena = {0};
    *f = (film){.backend = backend};
    make_slab_problem(&f->s, (double[]){3, 1, 1}, 0.5);
    const size_t n = f->s.mesh.n_elements;
    const mt_layout layout = layout_on(&f->s, 5);
    mt_monodomain *p = &f->s.problem;
    use_model_for(&f->s, backend);
    p->dt_ms = dt_ms;
    p->pde_steps = mt_monodomain_pde_steps(&f->s.diffusion, dt_ms);
    p->record = record;
    f->stimuli[0] = f->stimuli[1] = f->s.stimulus[0];
    f->stimuli[1].start_ms = SECOND_MS;
    p->stimulus = f->stimuli;
    p->n_stimuli = 2;
    cr_assert_eq(mt_records_new(&f->s.arena, &record, n, &f->s.results.beats), MT_OK);
    f->frame = mt_arena_alloc(&f->s.arena, (STEPS + 1) * n, sizeof(double));
    cr_assert_not_null(f->frame);
    cr_assert_eq(backend->open(&arena, p, &layout, &f->self), MT_OK, "%s", mt_message());
    (void)take(f, 0);
    cr_assert_eq(
        mt_backend_run(p, backend, f->self, 0, STEPS, &f->s.results, take, f), MT_OK, "%s", mt_message());
    mt_arena_free(&arena);
}

/* Returns the time at which the line from step k to k + 1 crosses a level. */
static double passing_ms(const double *v, size_t n, size_t k, double level)
{
    const double from = v[k * n], to = v[(k + 1) * n];
    return dt_ms * ((double)k + (level - from) / (to - from));
}

typedef struct potential {
    double activation_ms, rest_mV, peak_mV, upstroke_mV_ms, repolarisation_ms;
} potential;

static const potential none = {INFINITY, INFINITY, INFINITY, 0, INFINITY};

static size_t beat_of_step(const mt_record *record, size_t step)
{
    return mt_record_beat(record, step + 1); /* the number of a step counts the steps after it is done */
}

/* Returns V at the second to last of the sampling times from `free` to k, or at the only one. */
static double rest_of(const double *v, size_t n, const mt_record *record, size_t free, size_t k)
{
    const size_t every = (size_t)llround(MT_RECORD_REST_MS / dt_ms);
    size_t last = free, before = free;
    for (size_t j = free + 1; j <= k; j++)
        if ((j - mt_record_first(record, beat_of_step(record, j))) % every == 0) before = last, last = j;
    return v[before * n];
}

/* Finds the next action potential of the element with potentials v[k n], available from step *free on. Also returns its beat, and in
 * *free the step from which the element is available again, or STEPS. */
static potential look(const double *v, size_t n, const mt_record *record, size_t *free, size_t *beat)
{
    const size_t every = (size_t)llround(MT_RECORD_REST_MS / dt_ms);
    potential p = none;
    size_t k = *free;
    while (k < STEPS && !(v[k * n] < record->threshold_mV && v[(k + 1) * n] >= record->threshold_mV)) k++;
    if (k == STEPS) return *free = STEPS, none;
    *beat = beat_of_step(record, k);
    p.rest_mV = rest_of(v, n, record, *free, k);
    p.activation_ms = passing_ms(v, n, k, record->threshold_mV);
    p.peak_mV = -INFINITY;
    size_t end = k + 1;
    for (; end <= STEPS; end++) {
        p.peak_mV = fmax(p.peak_mV, v[end * n]);
        const double level = p.peak_mV - record->fraction * (p.peak_mV - p.rest_mV);
        if (!(v[end * n] < level)) continue;
        p.repolarisation_ms = passing_ms(v, n, end - 1, level);
        break;
    }
    for (size_t j = *free; j < end && j < STEPS; j++)
        p.upstroke_mV_ms = fmax(p.upstroke_mV_ms, (v[(j + 1) * n] - v[j * n]) / dt_ms);
    if (p.upstroke_mV_ms < MT_RECORD_UPSTROKE_LEAST) p.upstroke_mV_ms = 0;
    *free = end;
    while (*free < STEPS) {
        const size_t now = beat_of_step(record, *free), begin = mt_record_first(record, now);
        if (now > *beat && (*free - begin) % every == 0) break;
        ++*free;
    }
    return p;
}

static void expect_close(double found, double expected, double relative, const char *what, size_t element)
{
    if (isinf(expected))
        cr_assert_eq(found, expected, "%s of element %zu: %g for %g", what, element, found, expected);
    else
        cr_assert(fabs(found - expected) <= relative * fmax(fabs(expected), 1),
            "%s of element %zu: %.9g for %.9g", what, element, found, expected);
}

static void expect_potential(const film *f, size_t beat, size_t c, potential p)
{
    const mt_records *found = &f->s.results.beats[beat];
    const double few_roundings =
        f->backend->single ? 8 * 0x1p-24 : 8 * 0x1p-53; /* and the rounding of step number times dt */
    expect_close(found->activation_ms[c], p.activation_ms, few_roundings, "activation", c);
    if (isinf(p.activation_ms)) return;
    expect_close(found->recorded[MT_RECORDED_REST][c], p.rest_mV, 0, "rest", c);
    expect_close(found->recorded[MT_RECORDED_PEAK][c], p.peak_mV, 0, "peak", c);
    expect_close(found->recorded[MT_RECORDED_UPSTROKE][c], p.upstroke_mV_ms, few_roundings, "upstroke", c);
    /* the level also has rounding errors, and V falls by about 1 mV/ms there */
    expect_close(found->recorded[MT_RECORDED_REPOLARISATION][c], p.repolarisation_ms, 4 * few_roundings,
        "repolarisation", c);
}

/* Compares all elements. Counts the action potentials that begin in each beat, and how many of them end. */
static void check(const mt_backend *backend, mt_record record, size_t begun[BEATS], size_t ended[BEATS])
{
    static film f;
    omp_set_num_threads(1); /* too little work to share */
    record.stored = (1 << MT_RECORDED_LOW) - 1;
    shoot(&f, backend, record);
    const size_t n = f.s.mesh.n_elements;
    for (size_t b = 0; b < BEATS; b++) begun[b] = ended[b] = 0;
    for (size_t c = 0; c < n; c++) {
        potential of[BEATS] = {none, none, none, none, none, none};
        for (size_t free = 0; free < STEPS;) {
            size_t beat = 0;
            const potential p = look(f.frame + c, n, &record, &free, &beat);
            if (isinf(p.activation_ms)) break;
            of[beat] = p;
            begun[beat]++;
            ended[beat] += isfinite(p.repolarisation_ms) != 0;
            cr_assert(p.peak_mV > 0 && p.rest_mV < -70 && p.upstroke_mV_ms > 20 && p.repolarisation_ms > 200,
                "%zu: %g, %g, %g, %g", c, p.peak_mV, p.rest_mV, p.upstroke_mV_ms, p.repolarisation_ms);
        }
        for (size_t b = 0; b < mt_record_beats(&record); b++) expect_potential(&f, b, c, of[b]);
    }
    mt_arena_free(&f.s.arena);
}

Test(record, records_match_the_voltages_of_every_step)
{
    size_t begun[BEATS], ended[BEATS];
    for (const mt_backend *const *b = mt_backends; *b; b++) {
        check(*b, (mt_record){.all = true, .fraction = 0.9}, begun, ended);
        cr_expect(begun[0] > 0 && begun[0] == ended[0] && begun[1] == 0);
        check(*b, (mt_record){.all = true, .threshold_mV = -30, .fraction = 0.5}, begun, ended);
        cr_expect(begun[0] > 0 && begun[0] == ended[0]);
    }
}

/* The beats are those of tp06. For devices: opencl/records_of_two_beats_have_the_bits_of_the_host. */
Test(record, recording_continues_from_beat_to_beat)
{
    size_t begun[BEATS], ended[BEATS];
    for (const mt_backend *const *b = mt_backends; *b; b++) {
        if (*b == &mt_backend_opencl) continue;
        check(*b, (mt_record){.all = true, .fraction = 0.9, .n_beats = BEATS, .beat = beats}, begun, ended);
        const size_t n = begun[0] + begun[1];
        cr_expect(
            begun[0] > 0 && begun[1] > 0 && ended[0] + ended[1] == n, "%zu and %zu", begun[0], begun[1]);
        cr_expect(begun[2] == 0 && begun[3] == 0 && begun[4] > 0 && begun[5] > 0 && begun[4] + begun[5] == n,
            "%zu and %zu of %zu", begun[4], begun[5], n);
        cr_expect(ended[4] == 0 && ended[5] == 0);
    }
}

/* Recording changes nothing else: the potentials are the same, and at 0 mV the activation times, to the bit. */
Test(record, recording_does_not_change_the_results)
{
    enum { N_STEPS = 400 };
    for (const mt_backend *const *b = mt_backends; *b; b++) {
        double *v[2], *activation[2];
        slab_problem s;
        make_slab_problem(&s, (double[]){3, 1, 1}, 0.5);
        use_model_for(&s, *b);
        const mt_layout layout = layout_on(&s, 4);
        for (int all = 0; all < 2; all++) {
            v[all] = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof(double));
            activation[all] = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof(double));
            s.problem.record = (mt_record){.all = all, .fraction = 0.9};
            run_backend(&s, (*b)->name, &layout, N_STEPS, v[all], activation[all]);
        }
        cr_expect_arr_eq(v[0], v[1], s.mesh.n_elements * sizeof(double), "%s", (*b)->name);
        cr_expect_arr_eq(activation[0], activation[1], s.mesh.n_elements * sizeof(double), "%s", (*b)->name);
        cr_expect_lt(activation[0][0], INFINITY);
        mt_arena_free(&s.arena);
    }
}
