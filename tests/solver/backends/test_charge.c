/* The single precision of the machine loses no more charge than its rounding errors allow, over ionic model, spreading and diffusion. */
#include <criterion/criterion.h>

#include <math.h>

#include "solver/kernels/block.h"
#include "tests/solver/gmsh_box.h"
#include "tests/solver/slab_problem.h"

enum { STEPS = 250, STIMULATED = 100, TILES = 12 };

/* A second computation of the ionic model, in the arithmetic of the machine and from its voltages. */
typedef struct ledger {
    slab_problem *s;
    double *v, *w, *w_next; /* V of the machine; w as it should be */
    float *cell_v, *cell_state;
    double *diagonal, *off;
    double drift, allowed; /* accumulated from the start [mV mm^3] */
} ledger;

static void *room(slab_problem *s, size_t entries, size_t size)
{
    void *room = mt_arena_alloc(&s->arena, s->mesh.n_elements * entries, size);
    cr_assert(room);
    return room;
}

/* Builds a Gmsh mesh of a cube of 4 mm with elements of 0.2 mm; fibres along x. The elements with x < 1.5 mm are stimulated. */
static void make(slab_problem *s, size_t pde_steps)
{
    *s = (slab_problem){0};
    gmsh_box(&s->arena, 0.1, &s->mesh);
    for (size_t k = 0; k < 3 * s->mesh.n_vertices; k++) s->mesh.xyz_mm[k] *= 4;
    make_problem(s, (double[]){1.5, INFINITY, INFINITY});
    s->problem.pde_steps = pde_steps;
}

static ledger open_ledger(slab_problem *s)
{
    const mt_monodomain *p = &s->problem;
    const size_t n = s->mesh.n_elements, n_states = p->model->n_states;
    ledger l = {.s = s, .v = room(s, 1, sizeof(double)), .w = room(s, 1, sizeof(double))};
    l.w_next = room(s, 1, sizeof(double));
    l.cell_v = room(s, 1, sizeof(float)), l.cell_state = room(s, n_states, sizeof(float));
    l.diagonal = room(s, 1, sizeof(double)), l.off = room(s, MT_DIFFUSION_ROW, sizeof(double));
    for (size_t c = 0; c < n; c++)
        l.diagonal[c] = mt_diffusion_step_row(p->diffusion->rate + MT_DIFFUSION_ROW * c,
            p->dt_ms / (double)p->pde_steps, l.off + MT_DIFFUSION_ROW * c);
    for (size_t c = 0; c < n; c++)
        for (size_t k = 0; k < n_states; k++)
            l.cell_state[mt_block_index(n, n_states, c, k)] = (float)p->model->variants[0].states[k];
    return l;
}

static double charge(const ledger *l, const double *v)
{
    double sum = 0;
    for (size_t c = 0; c < l->s->mesh.n_elements; c++) sum += l->s->diffusion.volume_mm3[c] * v[c];
    return sum;
}

/* Computes the charge after the reaction from V of the machine before a step. Afterwards w is the quantity that diffuses. */
static double react(ledger *l, bool stimulated)
{
    const mt_monodomain *p = &l->s->problem;
    const size_t n = l->s->mesh.n_elements;
    for (size_t c = 0; c < n; c++) l->cell_v[c] = (float)l->v[c];
    for (size_t k = 0; stimulated && k < l->s->stimulus[0].n_elements; k++)
        l->cell_v[l->s->stimulus[0].element[k]] += (float)(p->dt_ms * l->s->stimulus[0].rise_mV_ms);
    for (size_t c = 0; c < n; c++) l->w[c] = (double)l->cell_v[c];
    mt_cell_step_float(p->model, 0, NULL, p->dt_ms, n, l->cell_state, l->cell_v, l->cell_v);
    double left = 0;
    for (size_t c = 0; c < n; c++) {
        const double after = (double)l->cell_v[c];
        left += p->diffusion->volume_mm3[c] * after;
        l->w[c] = after + p->diffusion->kappa_ms[c] / p->dt_ms * (after - l->w[c]);
    }
    return left;
}

/* Returns the bound on the change of charge by the rounding errors of one substep, in units of u = 2^-24. A product is rounded once
 * itself and in at most 16 sums; each entry z of the matrix is also rounded. The diagonal is 1 minus the rounded others, so their
 * rounding errors multiply only differences of w. */
static double substep_allows(ledger *l)
{
    double sum = 0;
    for (size_t c = 0; c < l->s->mesh.n_elements; c++) {
        const double *z = l->off + MT_DIFFUSION_ROW * c, own = fabs(l->diagonal[c] * l->w[c]);
        const uint32_t *column = l->s->diffusion.column + MT_DIFFUSION_ROW * c;
        double terms = own, jumps = own;
        l->w_next[c] = l->diagonal[c] * l->w[c];
        for (size_t k = 0; k < MT_DIFFUSION_ROW; k++) {
            const double w = l->w[column[k]];
            l->w_next[c] += z[k] * w;
            terms += fabs(z[k] * w);
            jumps += fabs(z[k] * (w - l->w[c]));
        }
        sum += l->s->diffusion.volume_mm3[c] * (17 * terms + jumps);
    }
    double *swapped = l->w;
    l->w = l->w_next, l->w_next = swapped;
    return sum;
}

static double size_of(const ledger *l, const double *v)
{
    double sum = 0;
    for (size_t c = 0; c < l->s->mesh.n_elements; c++) sum += l->s->diffusion.volume_mm3[c] * fabs(v[c]);
    return sum;
}

/* Advances the machine and the ledger by one step. For any s, w = v* + s and v = w - s are rounded once each. */
static void book(ledger *l, void *machine, size_t step)
{
    const double left = react(l, step < STIMULATED);
    double allowed = size_of(l, l->w);
    for (size_t k = 0; k < l->s->problem.pde_steps; k++) allowed += substep_allows(l);
    cr_assert_eq(mt_backend_ipu.advance(machine, step, 1), MT_OK, "%s", mt_message());
    mt_backend_ipu.read(machine, MT_ARRAY_V, l->v);
    l->drift += charge(l, l->v) - left;
    l->allowed += 0x1p-24 * (allowed + size_of(l, l->v));
}

/* Checked at every step, so that the first step must satisfy the bound of one step; in most steps there is an activation wavefront in
 * the tissue. Rounding errors have either sign: at the end less than a fiftieth of the bound remains. */
Test(charge, charge_is_conserved_on_the_machine_to_within_rounding)
{
    for (size_t pde_steps = 1; pde_steps <= 4; pde_steps *= 2) {
        slab_problem s;
        mt_arena arena = {0};
        void *machine;
        make(&s, pde_steps);
        const mt_layout layout = layout_on(&s, TILES);
        ledger l = open_ledger(&s);
        cr_assert_eq(mt_backend_ipu.open(&arena, &s.problem, &layout, &machine), MT_OK, "%s", mt_message());
        mt_backend_ipu.read(machine, MT_ARRAY_V, l.v);
        const double at_first = charge(&l, l.v);
        for (size_t step = 0; step < STEPS; step++) {
            book(&l, machine, step);
            cr_assert_lt(fabs(l.drift), l.allowed, "%zu substeps, step %zu: %g of %g mV mm^3", pde_steps,
                step, l.drift, l.allowed);
        }
        cr_log_info("%zu substeps: %.2g of the charge, allowed %.2g", pde_steps, l.drift / at_first,
            l.allowed / fabs(at_first));
        cr_expect_lt(
            fabs(l.drift), 0.02 * l.allowed, "%zu substeps: %g of %g mV mm^3", pde_steps, l.drift, l.allowed);
        cr_expect_gt(charge(&l, l.v) - at_first, 0.3 * fabs(at_first), "no wavefront in the tissue");
        mt_arena_free(&arena), mt_arena_free(&s.arena);
    }
}
