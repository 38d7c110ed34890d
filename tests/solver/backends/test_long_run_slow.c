/* An action potential and the rest after it, 500 ms: single precision of the machine compared with double precision, with sums of floats
 * and of double words. */
#include <criterion/criterion.h>

#include "mesh/anatomy/fibres.h"
#include "tests/mesh/gmsh_ventricles.h"
#include "tests/solver/slab_problem.h"

enum { TIMES = 9, STEPS_A_MS = 50 };

static const size_t times_ms[TIMES] = {20, 50, 100, 150, 200, 300, 350, 400, 500};

typedef struct film {
    const mt_backend *backend;
    void *self;
    double *before[TIMES], *frame[TIMES]; /* V at these times, and 1 ms before */
    double *activation_ms, *apd_ms;       /* [n_elements] */
} film;

static bool take(void *user, size_t steps)
{
    film *f = user;
    for (int k = 0; k < TIMES; k++) {
        if (steps == STEPS_A_MS * (times_ms[k] - 1)) f->backend->read(f->self, MT_ARRAY_V, f->before[k]);
        if (steps == STEPS_A_MS * times_ms[k]) f->backend->read(f->self, MT_ARRAY_V, f->frame[k]);
    }
    return true;
}

static void run_film(slab_problem *s, const char *name, const mt_layout *layout, film *f)
{
    mt_arena arena = {0};
    const size_t n = s->mesh.n_elements;
    f->backend = mt_backend_find(name);
    for (int k = 0; k < TIMES; k++) {
        f->before[k] = mt_arena_alloc(&s->arena, n, sizeof(double));
        f->frame[k] = mt_arena_alloc(&s->arena, n, sizeof(double));
    }
    f->activation_ms = mt_arena_alloc(&s->arena, n, sizeof(double));
    f->apd_ms = mt_arena_alloc(&s->arena, n, sizeof(double));
    cr_assert_eq(f->backend->open(&arena, &s->problem, layout, &f->self), MT_OK, "%s", mt_message());
    cr_assert_eq(
        mt_backend_run(&s->problem, f->backend, f->self, 0, STEPS_A_MS * times_ms[TIMES - 1], NULL, take, f),
        MT_OK, "%s", mt_message());
    f->backend->read(f->self, MT_ARRAY_ACTIVATION, f->activation_ms);
    f->backend->read(f->self, MT_ARRAY_RECORD + MT_RECORDED_REPOLARISATION, f->apd_ms);
    for (size_t c = 0; c < n; c++) {
        f->apd_ms[c] -= f->activation_ms[c];
        cr_assert(isfinite(f->apd_ms[c]), "%s: element %zu is not activated", name, c);
    }
    mt_arena_free(&arena);
}

typedef struct difference {
    double largest_mV, rms_mV;    /* outside wavefronts: V changes by less than 5 mV in 1 ms */
    double in_front_mV, shift_ms; /* in wavefronts, and the time shift from this difference and the slope */
} difference;

static difference difference_at(const film *a, const film *b, int k, size_t n)
{
    difference d = {0};
    double squares = 0;
    size_t n_outside = 0;
    for (size_t c = 0; c < n; c++) {
        const double apart = fabs(a->frame[k][c] - b->frame[k][c]),
                     slope = fabs(a->frame[k][c] - a->before[k][c]);
        if (slope > 5) {
            d.in_front_mV = fmax(d.in_front_mV, apart), d.shift_ms = fmax(d.shift_ms, apart / slope);
            continue;
        }
        d.largest_mV = fmax(d.largest_mV, apart);
        squares += apart * apart, n_outside++;
    }
    d.rms_mV = n_outside > 0 ? sqrt(squares / (double)n_outside) : 0;
    return d;
}

/* The study found at most 0.18 mV between two codes. A step rounds V to 24 bits, 4e-6 mV, and the gates to the same share of 1. 25,000
 * such errors of either sign add up to 1e-3 mV in V, and the slow currents of a plateau amplify them a hundred times. In wavefronts the
 * same 0.1 mV, at the foot of an upstroke of over 100 mV/ms, is less than 0.01 ms. */
static void expect_close(slab_problem *s)
{
    film cpu, ipu;
    const mt_layout layout = layout_on(s, 64);
    double shift = 0, latest = 0, volume = 0;
    s->problem.record = (mt_record){.all = true, .threshold_mV = 0, .fraction = 0.9};
    run_film(s, "cpu", NULL, &cpu);
    run_film(s, "ipu", &layout, &ipu);
    for (size_t c = 0; c < s->mesh.n_elements; c++) {
        shift = fmax(shift, fabs(cpu.activation_ms[c] - ipu.activation_ms[c]));
        latest = fmax(latest, cpu.activation_ms[c]);
        volume += mt_mesh_volume_mm3(&s->mesh, c);
    }
    cr_log_info("%zu elements of %.2f mm, the last activated at %.2f ms; activation: at most %.5f ms apart",
        s->mesh.n_elements, cbrt(volume / (double)s->mesh.n_elements), latest, shift);
    cr_expect_lt(shift, 0.01, "%g ms", shift);
    for (int k = 0; k < TIMES; k++) {
        const difference d = difference_at(&cpu, &ipu, k, s->mesh.n_elements);
        cr_log_info("%zu ms: %.4f mV, rms %.5f mV; in fronts %.4f mV, %.5f ms", times_ms[k], d.largest_mV,
            d.rms_mV, d.in_front_mV, d.shift_ms);
        cr_expect_lt(d.largest_mV, 0.1, "%zu ms: %g mV", times_ms[k], d.largest_mV);
        cr_expect_lt(d.shift_ms, 0.01, "%zu ms: %g ms", times_ms[k], d.shift_ms);
    }
}

Test(long_run, the_machine_agrees_with_double_precision_for_500_ms)
{
    slab_problem s;
    make_slab_problem(&s, (double[]){10, 4, 2}, 0.5);
    expect_close(&s);
    mt_arena_free(&s.arena);
}

/* Builds two ventricles, 15 mm high, with elements of 0.5 mm: rule-based fibres, endo, mid and epi cells in their layers, stimulated at
 * the apex. */
static void make_heart(slab_problem *s)
{
    enum { LAYERS = 3 };
    static const char *const names[LAYERS] = {"endo", "mid", "epi"}; /* from MT_LAYER_ENDO on */
    size_t variant[LAYERS];
    double low_mm[3], high_mm[3];
    mt_fibres fibres;
    mt_adjacency adjacency;
    *s = (slab_problem){0};
    gmsh_ventricles_alike(&s->arena, 5, &s->mesh);
    for (size_t k = 0; k < 3 * s->mesh.n_vertices; k++) s->mesh.xyz_mm[k] *= 0.18;
    cr_assert_eq(mt_adjacency_make(&s->arena, &s->mesh, &adjacency), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_fibres_make(&s->arena, &s->mesh, &adjacency, &mt_fibres_rule_default, &fibres), MT_OK,
        "%s", mt_message());
    s->mesh.fibre = fibres.fibre;
    mt_mesh_box(&s->mesh, low_mm, high_mm);
    make_problem(s, (double[]){INFINITY, INFINITY, low_mm[2] + 2});
    uint16_t *of = mt_arena_alloc(&s->arena, s->mesh.n_elements, sizeof *of);
    for (int k = 0; k < LAYERS; k++)
        cr_assert_eq(mt_cell_variant_find(s->problem.model, names[k], &variant[k]), MT_OK);
    for (size_t c = 0; c < s->mesh.n_elements; c++)
        of[c] = (uint16_t)variant[fibres.layer[c] - MT_LAYER_ENDO];
    s->problem.variant_of = of;
}

Test(long_run, the_machine_agrees_with_double_precision_on_a_layered_heart)
{
    slab_problem s;
    make_heart(&s);
    expect_close(&s);
    mt_arena_free(&s.arena);
}

/* ---- double words ---- */

enum { WAYS = 2 };

typedef struct apart {
    double largest, rms;
} apart;

static apart apart_by(const double *a, const double *b, size_t n)
{
    apart d = {0};
    for (size_t e = 0; e < n; e++) {
        d.largest = fmax(d.largest, fabs(a[e] - b[e]));
        d.rms += (a[e] - b[e]) * (a[e] - b[e]) / (double)n;
    }
    d.rms = sqrt(d.rms);
    return d;
}

/* Builds the slab of the benchmark, 20,160 elements. */
static void make_benchmark(slab_problem *s, size_t pde_steps)
{
    make_slab_problem(s, (double[]){20, 7, 3}, 0.5);
    s->problem.pde_steps = pde_steps;
    s->problem.record = (mt_record){.all = true, .threshold_mV = 0, .fraction = 0.9};
}

/* Compares activation times on the machine, with a number of diffusion steps and both kinds of sums, with double precision. They must
 * have the digits of the table in solver/README.md, since every processor computes the same. */
static void compare_ways(size_t pde_steps, const char *single_ms, const char *double_word_ms)
{
    slab_problem s;
    film cpu, ipu;
    make_benchmark(&s, pde_steps);
    const size_t n = s.mesh.n_elements;
    const mt_layout layout = layout_on(&s, 64);
    const char *const expected_ms[WAYS] = {single_ms, double_word_ms};
    run_film(&s, "cpu", NULL, &cpu);
    for (int way = 0; way < WAYS; way++) {
        s.problem.accumulation = (mt_accumulation)way;
        run_film(&s, "ipu", &layout, &ipu);
        for (int k = 0; k < TIMES; k++) {
            const apart v = apart_by(cpu.frame[k], ipu.frame[k], n);
            cr_log_info("%zu diffusion steps, %s, %zu ms: V %.2g mV, rms %.2g", pde_steps,
                mt_accumulation_name[way], times_ms[k], v.largest, v.rms);
        }
        const apart activation = apart_by(cpu.activation_ms, ipu.activation_ms, n),
                    duration = apart_by(cpu.apd_ms, ipu.apd_ms, n);
        cr_log_info("%zu diffusion steps, %s: activation %.2g ms, rms %.2g; APD90 %.2g ms, rms %.2g",
            pde_steps, mt_accumulation_name[way], activation.largest, activation.rms, duration.largest,
            duration.rms);
        char digits[16];
        (void)snprintf(digits, sizeof digits, "%.1e", activation.largest);
        cr_expect_str_eq(digits, expected_ms[way], "%s: %s ms", mt_accumulation_name[way], digits);
    }
    mt_arena_free(&s.arena);
}

Test(double_words, double_words_reduce_the_error_with_one_diffusion_step_per_time_step)
{
    compare_ways(1, "1.8e-04", "3.6e-05");
}
Test(double_words, double_words_reduce_the_error_with_four_diffusion_steps_per_time_step)
{
    compare_ways(4, "7.9e-04", "3.7e-05");
}
