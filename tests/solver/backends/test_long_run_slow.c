/* An action potential and the rest behind it, 500 ms: the machine's single precision beside double precision. */
#include <criterion/criterion.h>

#include "tests/solver/slab_problem.h"

enum { TIMES = 6, STEPS_A_MS = 50 };

static const size_t times_ms[TIMES] = {20, 100, 200, 300, 350, 500};

typedef struct film {
    const mt_backend *backend;
    void *self;
    double *before[TIMES], *frame[TIMES]; /* V at these times, and a millisecond before */
} film;

static bool take(void *user, size_t steps)
{
    film *f = user;
    for (int k = 0; k < TIMES; k++) {
        if (steps == STEPS_A_MS * (times_ms[k] - 1))
            cr_assert_eq(f->backend->read(f->self, f->before[k], NULL), MT_OK);
        if (steps == STEPS_A_MS * times_ms[k])
            cr_assert_eq(f->backend->read(f->self, f->frame[k], NULL), MT_OK);
    }
    return true;
}

static void run_film(slab_problem *s, const char *name, const mt_layout *layout, film *f, double *activation)
{
    mt_arena arena = {0};
    f->backend = mt_backend_find(name);
    for (int k = 0; k < TIMES; k++) {
        f->before[k] = mt_arena_alloc(&s->arena, s->mesh.n_elements, sizeof(double));
        f->frame[k] = mt_arena_alloc(&s->arena, s->mesh.n_elements, sizeof(double));
    }
    cr_assert_eq(f->backend->open(&arena, &s->problem, layout, &f->self), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_backend_run(&s->problem, f->backend, f->self, STEPS_A_MS * times_ms[TIMES - 1], take, f),
        MT_OK, "%s", mt_message());
    cr_assert_eq(f->backend->read(f->self, NULL, activation), MT_OK);
    mt_arena_free(&arena);
}

/* The study found 0.18 mV at most between two codes. A step rounds V at 24 bits, 4e-6 mV, and the gates as much of 1; 25,000 such
 * errors of either sign add up to 1e-3 mV in V, and a plateau's slow currents make a hundred times that of them. */
Test(long_run, the_machine_stays_by_double_precision_for_500_ms)
{
    slab_problem s;
    film cpu, ipu;
    make_slab_problem(&s, (double[]){10, 4, 2}, 0.5);
    const mt_layout layout = layout_on(&s, 64);
    double *by_cpu = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *by_cpu),
           *by_ipu = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *by_ipu), shift = 0;
    run_film(&s, "cpu", NULL, &cpu, by_cpu);
    run_film(&s, "ipu", &layout, &ipu, by_ipu);
    for (size_t c = 0; c < s.mesh.n_elements; c++) shift = fmax(shift, fabs(by_cpu[c] - by_ipu[c]));
    cr_log_info("activation: at most %.5f ms apart", shift);
    cr_expect_lt(shift, 0.01, "%g ms", shift);
    for (int k = 0; k < TIMES; k++) {
        double most = 0, in_front = 0;
        for (size_t c = 0; c < s.mesh.n_elements; c++) {
            const double apart = fabs(cpu.frame[k][c] - ipu.frame[k][c]);
            if (fabs(cpu.frame[k][c] - cpu.before[k][c]) > 5)
                in_front = fmax(in_front, apart);
            else
                most = fmax(most, apart);
        }
        cr_log_info("%zu ms: %.4f mV, in fronts %.4f mV", times_ms[k], most, in_front);
        cr_expect_lt(most, 0.1, "%zu ms: %g mV", times_ms[k], most);
    }
    mt_arena_free(&s.arena);
}
