/* What the loop records against what stands in V at every step: the definitions of solver/record.h, once more and the slow way. */
#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>

#include "tests/solver/slab_problem.h"

#include "solver/record.h"

/* A wave, its end, and a second one that must change nothing: 340 ms. */
enum { STEPS = 6800, SECOND_MS = 320 };
static const double dt_ms = 0.05;

typedef struct film {
    slab_problem s;
    mt_stimulus stimuli[2];
    double *frame; /* [STEPS + 1][n] */
    const mt_backend *backend;
    void *self;
    double *map[1 + MT_RECORDED]; /* activation, then the others */
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
    p->dt_ms = dt_ms;
    p->pde_steps = mt_monodomain_pde_steps(&f->s.diffusion, dt_ms);
    p->record = record;
    f->stimuli[0] = f->stimuli[1] = f->s.stimulus[0];
    f->stimuli[1].start_ms = SECOND_MS;
    p->stimulus = f->stimuli;
    p->n_stimuli = 2;
    f->frame = mt_arena_alloc(&f->s.arena, (STEPS + 1) * n, sizeof(double));
    cr_assert_not_null(f->frame);
    cr_assert_eq(backend->open(&arena, p, &layout, &f->self), MT_OK, "%s", mt_message());
    (void)take(f, 0);
    cr_assert_eq(mt_backend_run(p, backend, f->self, 0, STEPS, take, f), MT_OK, "%s", mt_message());
    for (int k = 0; k < 1 + MT_RECORDED; k++) {
        f->map[k] = mt_arena_alloc(&f->s.arena, n, sizeof(double));
        backend->read(f->self, k == 0 ? MT_ARRAY_ACTIVATION : MT_ARRAY_RECORD + (size_t)k - 1, f->map[k]);
    }
    mt_arena_free(&arena);
}

/* Where the straight line from step k to k + 1 passes a level. */
static double passing_ms(const double *v, size_t n, size_t k, double level)
{
    const double from = v[k * n], to = v[(k + 1) * n];
    return dt_ms * ((double)k + (level - from) / (to - from));
}

typedef struct potential {
    double activation_ms, rest_mV, peak_mV, upstroke_mV_ms, repolarisation_ms;
} potential;

/* Of the element whose potentials are v[k n]. */
static potential look(const double *v, size_t n, const mt_record *record)
{
    potential p = {INFINITY, INFINITY, -INFINITY, 0, INFINITY};
    const size_t every = (size_t)llround(MT_RECORD_REST_MS / dt_ms);
    size_t k = 0;
    while (k < STEPS && !(v[k * n] < record->threshold_mV && v[(k + 1) * n] >= record->threshold_mV)) k++;
    if (k == STEPS) return (potential){INFINITY, INFINITY, INFINITY, 0, INFINITY};
    p.rest_mV = v[(k / every > 0 ? k / every - 1 : 0) * every * n];
    p.activation_ms = passing_ms(v, n, k, record->threshold_mV);
    size_t end = k + 1;
    for (; end <= STEPS; end++) {
        p.peak_mV = fmax(p.peak_mV, v[end * n]);
        const double level = p.peak_mV - record->fraction * (p.peak_mV - p.rest_mV);
        if (!(v[end * n] < level)) continue;
        p.repolarisation_ms = passing_ms(v, n, end - 1, level);
        break;
    }
    for (size_t j = 0; j < end && j < STEPS; j++)
        p.upstroke_mV_ms = fmax(p.upstroke_mV_ms, (v[(j + 1) * n] - v[j * n]) / dt_ms);
    if (p.upstroke_mV_ms < MT_RECORD_UPSTROKE_LEAST) p.upstroke_mV_ms = 0;
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

static void check(const mt_backend *backend, mt_record record)
{
    static film f;
    omp_set_num_threads(1); /* there is little to share */
    shoot(&f, backend, record);
    const size_t n = f.s.mesh.n_elements;
    const double few_roundings =
        backend->single ? 8 * 0x1p-24 : 8 * 0x1p-53; /* and those of steps times dt */
    size_t ended = 0;
    for (size_t c = 0; c < n; c++) {
        const potential p = look(f.frame + c, n, &record);
        expect_close(f.map[0][c], p.activation_ms, few_roundings, "activation", c);
        expect_close(f.map[1 + MT_RECORDED_REST][c], p.rest_mV, 0, "rest", c);
        expect_close(f.map[1 + MT_RECORDED_PEAK][c], p.peak_mV, 0, "peak", c);
        expect_close(f.map[1 + MT_RECORDED_UPSTROKE][c], p.upstroke_mV_ms, few_roundings, "upstroke", c);
        /* the level has roundings of its own, and V falls by about a mV a ms there */
        expect_close(f.map[1 + MT_RECORDED_REPOLARISATION][c], p.repolarisation_ms, 4 * few_roundings,
            "repolarisation", c);
        ended += isfinite(p.repolarisation_ms) != 0;
        cr_assert(p.peak_mV > 10 && p.rest_mV < -80 && p.upstroke_mV_ms > 50 && p.repolarisation_ms > 200,
            "%zu", c);
    }
    cr_expect_eq(ended, n);
    mt_arena_free(&f.s.arena);
}

Test(record, is_what_stands_in_v_at_every_step)
{
    for (const mt_backend *const *b = mt_backends; *b; b++) {
        check(*b, (mt_record){true, 0, 0.9});
        check(*b, (mt_record){true, -30, 0.5});
    }
}

/* And recording changes nothing else: the same potentials, and at 0 mV the same activation, to the bit. */
Test(record, changes_no_bit)
{
    enum { N_STEPS = 400 };
    for (const mt_backend *const *b = mt_backends; *b; b++) {
        double *v[2], *activation[2];
        slab_problem s;
        make_slab_problem(&s, (double[]){3, 1, 1}, 0.5);
        const mt_layout layout = layout_on(&s, 4);
        for (int all = 0; all < 2; all++) {
            v[all] = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof(double));
            activation[all] = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof(double));
            s.problem.record = (mt_record){all, 0, 0.9};
            run_backend(&s, (*b)->name, &layout, N_STEPS, v[all], activation[all]);
        }
        cr_expect_arr_eq(v[0], v[1], s.mesh.n_elements * sizeof(double), "%s", (*b)->name);
        cr_expect_arr_eq(activation[0], activation[1], s.mesh.n_elements * sizeof(double), "%s", (*b)->name);
        cr_expect_lt(activation[0][0], INFINITY);
        mt_arena_free(&s.arena);
    }
}
