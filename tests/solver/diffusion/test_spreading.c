/* Reaction spreading: properties of kappa, conservation of charge, and tissue that is excited everywhere at once. */
#include <criterion/criterion.h>

#include <math.h>

#include "solver/backends/backend.h"
#include "solver/diffusion/spreading.h"
#include "solver/kernels/block.h"
#include "tests/solver/diffusion/check_diffusion.h"
#include "tests/random.h"
#include "tests/solver/gmsh_box.h"

enum { ROW = MT_DIFFUSION_ROW };

typedef struct tissue_block {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_diffusion op;
} tissue_block;

/* Builds a Gmsh mesh of a cube of size_mm with fibres along its diagonals. If `graded`, elements are three times as coarse along x on
 * one side as on the other. */
static void make_by(tissue_block *p, double edges, double size_mm, bool graded, const mt_tissue *tissue,
    const mt_diffusion_scheme *scheme)
{
    *p = (tissue_block){0};
    gmsh_box(&p->arena, 1 / edges, &p->mesh);
    for (size_t v = 0; v < p->mesh.n_vertices; v++) {
        double *x = p->mesh.xyz_mm + 3 * v;
        if (graded) x[0] = x[0] * (1 + x[0]) / 2;
        for (int k = 0; k < 3; k++) x[k] *= size_mm;
    }
    for (size_t k = 0; k < 3 * p->mesh.n_elements; k++) p->mesh.fibre[k] = sqrt(1 / 3.);
    cr_assert_eq(mt_adjacency_make(&p->arena, &p->mesh, &p->adjacency), MT_OK);
    cr_assert_eq(mt_diffusion_make(&p->arena, &p->mesh, &p->adjacency, tissue, scheme, &p->op), MT_OK, "%s",
        mt_message());
    cr_assert_eq(diffusion_check(&p->op, &p->adjacency), MT_OK, "%s", mt_message());
}

static void make(tissue_block *p, double edges, double size_mm, bool graded, const mt_tissue *tissue)
{
    make_by(p, edges, size_mm, graded, tissue, &mt_diffusion_scheme_default);
}

static double *values(tissue_block *p) { return mt_arena_alloc(&p->arena, p->op.n_unknowns, sizeof(double)); }

static double mean(const tissue_block *p, const double *x)
{
    double sum = 0, volume = 0;
    for (size_t c = 0; c < p->op.n_unknowns; c++) {
        sum += p->op.volume_mm3[c] * x[c];
        volume += p->op.volume_mm3[c];
    }
    return sum / volume;
}

/* Returns -a_cc. */
static double diagonal(const tissue_block *p, size_t c)
{
    double sum = 0;
    for (size_t k = 0; k < ROW; k++) sum += p->op.rate[ROW * c + k];
    return sum;
}

static double kappa_of(double t, const mt_diffusion_scheme *scheme)
{
    return scheme->spreading * t * t / (t + scheme->front_ms);
}

/* kappa is between its values for the largest and the smallest element size; its diffusion, felt by a reaction equal in all elements,
 * is small. beta times the range of t, divided by e and the 1.7 t for which it is smoothed (d/dt of the decay of any mode is at most 1 /
 * (e t)), is a hundredth. Without smoothing several elements would feel more than all of it. */
Test(spreading, kappa_is_smooth_and_follows_the_element_size)
{
    for (int graded = 0; graded < 2; graded++) {
        tissue_block p;
        make(&p, 8, 3, graded, &mt_tissue_default);
        const double d = cbrt(mt_tissue_diffusivity_l(&mt_tissue_default) *
                              pow(mt_tissue_diffusivity_t(&mt_tissue_default), 2));
        double *by_size = values(&p), *felt = values(&p), *raw = values(&p), most = 0, most_raw = 0;
        for (size_t c = 0; c < p.op.n_unknowns; c++) {
            double here[3];
            int n_inner = 0;
            mt_mesh_centroid(&p.mesh, c, here);
            for (size_t f = 0; f < 4; f++) {
                const uint32_t n = p.adjacency.neighbour[4 * c + f];
                double there[3];
                if (n == MT_NO_ELEMENT) continue;
                mt_mesh_centroid(&p.mesh, n, there);
                for (int k = 0; k < 3; k++) by_size[c] += pow(there[k] - here[k], 2);
                n_inner++;
            }
            by_size[c] = kappa_of(by_size[c] / n_inner / d, &mt_diffusion_scheme_default);
        }
        mt_diffusion_apply(&p.op, p.op.kappa_ms, felt);
        mt_diffusion_apply(&p.op, by_size, raw);
        for (size_t c = 0; c < p.op.n_unknowns; c++) {
            most = fmax(most, fabs(felt[c])), most_raw = fmax(most_raw, fabs(raw[c]));
            cr_assert_geq(p.op.kappa_ms[c], 0);
        }
        cr_expect_lt(most, 0.015, "graded %d: %g", graded, most);
        cr_expect_gt(most_raw, 0.5, "graded %d: %g", graded, most_raw);
        cr_expect(fabs(mean(&p, p.op.kappa_ms) / mean(&p, by_size) - 1) < 0.05, "%g and %g ms",
            mean(&p, p.op.kappa_ms), mean(&p, by_size));
        mt_arena_free(&p.arena);
    }
}

/* Little damping, so patterns grow if no element is limited. kappa results from long diffusion and must not grow with them: it stays in
 * the range of the element sizes. */
Test(spreading, kappa_does_not_grow_with_limited_elements)
{
    tissue_block p;
    const mt_diffusion_scheme weak = {.damping = 0.3, .spreading = 0.04};
    make_by(&p, 8, 5.3, false, &mt_tissue_default, &weak);
    cr_assert_gt(p.op.n_limited, 10);
    const double typical = mean(&p, p.op.kappa_ms);
    for (size_t c = 0; c < p.op.n_unknowns; c++)
        cr_expect(p.op.kappa_ms[c] > 0.5 * typical && p.op.kappa_ms[c] < 2 * typical, "element %zu: %g ms", c,
            p.op.kappa_ms[c]);
    mt_arena_free(&p.arena);
}

/* Returns the mean of t, from which kappa is computed. */
static double mean_time(tissue_block *p)
{
    const double beta = mt_diffusion_scheme_default.spreading,
                 front_ms = mt_diffusion_scheme_default.front_ms;
    double *t = values(p);
    for (size_t c = 0; c < p->op.n_unknowns; c++) {
        const double kappa = p->op.kappa_ms[c];
        t[c] = (kappa + sqrt(kappa * kappa + 4 * beta * kappa * front_ms)) / (2 * beta);
    }
    return mean(p, t);
}

/* Replaces the operator by that of another tissue. */
static void conduct_as(tissue_block *p, const mt_tissue *tissue)
{
    cr_assert_eq(
        mt_diffusion_make(&p->arena, &p->mesh, &p->adjacency, tissue, &mt_diffusion_scheme_default, &p->op),
        MT_OK, "%s", mt_message());
}

/* t is the square of a length in the metric of D: four times as large if all diffusivities are a quarter, and 4^(1/3) times if only one
 * of the three is. */
Test(spreading, kappa_depends_on_the_tissue)
{
    tissue_block p;
    mt_tissue slow = mt_tissue_default, along = mt_tissue_default;
    slow.sigma_l_mS_mm /= 4, slow.sigma_t_mS_mm /= 4;
    along.sigma_l_mS_mm /= 4;
    make(&p, 8, 2, false, &mt_tissue_default);
    const double usual = mean_time(&p);
    conduct_as(&p, &slow);
    cr_expect_float_eq(mean_time(&p) / usual, 4, 0.05);
    conduct_as(&p, &along);
    cr_expect_float_eq(mean_time(&p) / usual, cbrt(4), 0.05);
    mt_arena_free(&p.arena);
}

/* True if the element or a neighbour is limited. Limits are computed for the increased V_c, and change the fluxes of neighbouring
 * elements. */
static bool beside_limits(const tissue_block *p, size_t c)
{
    bool limited = p->op.theta[c] < 1;
    for (size_t f = 0; f < 4; f++) {
        const uint32_t n = p->adjacency.neighbour[4 * c + f];
        limited |= n != MT_NO_ELEMENT && p->op.theta[n] < 1;
    }
    return limited;
}

/* Small elements: none is slowed. Large elements: the stiffest are slowed until the rule holds for all. They have little volume, and the
 * longest stable step can only increase. */
Test(spreading, the_stiffest_of_large_elements_are_slowed)
{
    tissue_block small, large;
    make(&small, 8, 1.6, false, &mt_tissue_default);
    make(&large, 8, 7, false, &mt_tissue_default);
    cr_expect_eq(small.op.n_slowed, 0);
    double slowed = 0, volume = 0;
    size_t n = 0;
    for (size_t c = 0; c < large.op.n_unknowns; c++) {
        const double stiffness = 2 * diagonal(&large, c) * (large.op.kappa_ms[c] - MT_SPREADING_REACTION_MS),
                     here = mt_mesh_volume_mm3(&large.mesh, c);
        cr_expect(stiffness <= 1 + 1e-6 || beside_limits(&large, c), "element %zu: %g", c, stiffness);
        cr_expect_float_eq(
            large.op.volume_mm3[c], here * (double)large.op.slowed[c], 1e-12 * large.op.volume_mm3[c]);
        n += large.op.slowed[c] > 1;
        slowed += large.op.volume_mm3[c], volume += here;
        cr_expect_not(mt_diffusion_effect_on(&large.op, &large.mesh, &large.adjacency, c).limited &&
                      large.op.theta[c] == 1);
    }
    cr_expect(n == large.op.n_slowed && n > 0 && n < large.op.n_unknowns / 10, "%zu", n);
    cr_expect(slowed < 1.03 * volume, "%g and %g mm^3", slowed, volume);
    mt_diffusion plain;
    mt_diffusion_scheme without = mt_diffusion_scheme_default;
    without.spreading = 0;
    cr_assert_eq(
        mt_diffusion_make(&large.arena, &large.mesh, &large.adjacency, &mt_tissue_default, &without, &plain),
        MT_OK);
    cr_expect_null(plain.kappa_ms);
    cr_expect_eq(plain.n_slowed, 0);
    cr_expect_gt(large.op.limit_dt_ms, plain.limit_dt_ms);
    mt_arena_free(&small.arena), mt_arena_free(&large.arena);
}

/* ---- with the reaction ---- */

/* Builds a problem with the first ionic model on the operator; the elements with x below near_mm are stimulated for 2 ms. */
static mt_monodomain monodomain(tissue_block *p, double near_mm, mt_stimulus *stimulus, size_t pde_steps)
{
    uint32_t *elements = mt_arena_alloc(&p->arena, p->op.n_unknowns, sizeof *elements);
    size_t n = 0;
    for (size_t c = 0; c < p->op.n_unknowns; c++) {
        double x[3];
        mt_mesh_centroid(&p->mesh, c, x);
        if (x[0] < near_mm) elements[n++] = (uint32_t)c;
    }
    *stimulus = (mt_stimulus){0, 2, 50 / 1.4, n, elements, 0, 0, NULL, 0, 0, 0, 0};
    return (mt_monodomain){.diffusion = &p->op,
        .model = mt_cell_models[0],
        .dt_ms = 0.02,
        .pde_steps = pde_steps,
        .splitting = MT_SPLITTING_COMPENSATED,
        .n_stimuli = 1,
        .stimulus = stimulus};
}

typedef struct watched {
    tissue_block *p;
    void *self;
    const mt_monodomain *problem;
    double *v, cell_v, *cell_state, most; /* largest difference in V, or of the charge */
} watched;

/* Advances a single cell and compares the block with it. */
static bool beside_a_cell(void *user, size_t steps)
{
    watched *w = user;
    const mt_stimulus *stimulus = w->problem->stimulus;
    if (mt_stimulus_is_on(stimulus, w->problem->dt_ms, steps - 1))
        w->cell_v += w->problem->dt_ms * stimulus->rise_mV_ms;
    mt_cell_step_double(
        w->problem->model, 0, NULL, w->problem->dt_ms, 1, w->cell_state, &w->cell_v, &w->cell_v);
    mt_backend_cpu.read(w->self, MT_ARRAY_V, w->v);
    for (size_t c = 0; c < w->p->op.n_unknowns; c++) w->most = fmax(w->most, fabs(w->v[c] - w->cell_v));
    return true;
}

/* All elements are stimulated at once, in a graded mesh. They follow a single cell to 1 mV, a hundredth of 130 mV, also in the upstroke
 * of 300 mV/ms. With kappa by the size of each element the difference would be tens of mV. */
Test(spreading, a_uniformly_stimulated_block_behaves_as_a_single_cell)
{
    tissue_block p;
    make(&p, 8, 3.3, true, &mt_tissue_default);
    for (size_t pde_steps = 1; pde_steps <= 4; pde_steps *= 2) {
        mt_stimulus stimulus;
        mt_arena arena = {0};
        const mt_monodomain problem = monodomain(&p, INFINITY, &stimulus, pde_steps);
        const size_t n_steps = pde_steps == 1 ? 500 : 150; /* to 10 ms; or just beyond the upstroke */
        double state[64];
        watched w = {.p = &p, .problem = &problem, .v = values(&p), .cell_state = state};
        const mt_cell_variant *variant = &problem.model->variants[0];
        cr_assert_leq(problem.model->n_states, sizeof state / sizeof *state);
        for (size_t k = 0; k < problem.model->n_states; k++) state[k] = variant->states[k];
        w.cell_v = variant->v_mV;
        cr_assert_eq(mt_backend_cpu.open(&arena, &problem, NULL, &w.self), MT_OK, "%s", mt_message());
        cr_assert_eq(mt_backend_run(&problem, &mt_backend_cpu, w.self, 0, n_steps, NULL, beside_a_cell, &w),
            MT_OK, "%s", mt_message());
        cr_expect(w.cell_v > 10, "the cell is not active: %g mV", w.cell_v);
        cr_expect(w.most < 1, "%zu substeps: %g mV", pde_steps, w.most);
        mt_arena_free(&arena);
    }
    mt_arena_free(&p.arena);
}

/* Returns the error of the charge after one time step, relative to the ionic model alone, from a state with a wavefront in the tissue. */
static double charge_error(tissue_block *p, const double *v_before, const double *v_after,
    const mt_monodomain *problem, double *state)
{
    const size_t n = p->op.n_unknowns;
    double *v = values(p), charge = 0, size = 0;
    memcpy(v, v_before, n * sizeof *v);
    mt_cell_step_double(problem->model, 0, NULL, problem->dt_ms, n, state, v, v);
    for (size_t c = 0; c < n; c++) {
        charge += p->op.volume_mm3[c] * (v_after[c] - v[c]);
        size += p->op.volume_mm3[c] * fabs(v[c]);
    }
    return fabs(charge) / size;
}

/* The first step starts from resting states, except for V, which has the values of a wavefront. With 1, 2 and 4 substeps. */
Test(spreading, charge_is_conserved)
{
    tissue_block p;
    mt_stimulus none;
    make(&p, 6, 2.4, true, &mt_tissue_default);
    const size_t n = p.op.n_unknowns;
    for (size_t pde_steps = 1; pde_steps <= 4; pde_steps *= 2) {
        const mt_monodomain at_rest = monodomain(&p, 1.5, &none, pde_steps);
        mt_arena arena = {0};
        void *self;
        double *before = values(&p), *after = values(&p),
               *state = mt_arena_alloc(&p.arena, n * at_rest.model->n_states, sizeof *state);
        cr_assert_eq(mt_backend_cpu.open(&arena, &at_rest, NULL, &self), MT_OK, "%s", mt_message());
        for (size_t c = 0; c < n; c++)
            for (size_t k = 0; k < at_rest.model->n_states; k++)
                state[mt_block_index(n, at_rest.model->n_states, c, k)] =
                    at_rest.model->variants[0].states[k];
        mt_backend_cpu.read(self, MT_ARRAY_V, before);
        for (size_t k = 0; k < none.n_elements; k++) before[none.element[k]] += 0.02 * none.rise_mV_ms;
        double worst = 0;
        for (size_t step = 0; step < 150; step++) { /* the stimulus is on for the first 100 */
            cr_assert_eq(mt_backend_cpu.advance(self, step, 1), MT_OK);
            mt_backend_cpu.read(self, MT_ARRAY_V, after);
            worst = fmax(worst, charge_error(&p, before, after, &at_rest, state));
            memcpy(before, after, n * sizeof *before);
            if (step + 1 < 100)
                for (size_t k = 0; k < none.n_elements; k++)
                    before[none.element[k]] += 0.02 * none.rise_mV_ms;
        }
        cr_expect(worst < 1e-12, "%zu substeps: %g", pde_steps, worst);
        mt_arena_free(&arena);
    }
    mt_arena_free(&p.arena);
}

/* ---- noise ---- */

enum { BITS = 4, STEPS_A_MS = 50 };

/* Adds random numbers to V of all elements, by stimuli of one step: BITS bits of 0.5, 1, 2 and 4 mV, minus 3.75 mV. The 16 values from
 * -3.75 to 3.75 mV have equal probability. */
static mt_stimulus *make_noise(tissue_block *p, double at_ms, double dt_ms)
{
    uint64_t seed = 11;
    const size_t n = p->op.n_unknowns;
    mt_stimulus *stimulus = mt_arena_alloc(&p->arena, BITS + 1, sizeof *stimulus);
    for (int bit = 0; bit <= BITS; bit++) {
        uint32_t *element = mt_arena_alloc(&p->arena, n, sizeof *element);
        size_t n_set = 0;
        for (uint32_t c = 0; c < n; c++)
            if (bit == BITS || draw(&seed, 2) == 1) element[n_set++] = c;
        const double mV = bit == BITS ? -3.75 : ldexp(0.5, bit);
        stimulus[bit] = (mt_stimulus){at_ms, dt_ms, mV / dt_ms, n_set, element, 0, 0, NULL, 0, 0, 0, 0};
    }
    return stimulus;
}

/* Two runs of the same tissue, one with noise. */
typedef struct twins {
    tissue_block *p;
    mt_monodomain problem[2];
    void *self[2];
    double *v[2], *square, largest;
} twins;

/* Advances both by one step; returns the root mean square of their difference, weighted by volume. */
static double step_twins(twins *t, size_t step)
{
    for (int k = 0; k < 2; k++) {
        cr_assert_eq(mt_backend_cpu.advance(t->self[k], step, 1), MT_OK);
        mt_backend_cpu.read(t->self[k], MT_ARRAY_V, t->v[k]);
    }
    t->largest = 0;
    for (size_t c = 0; c < t->p->op.n_unknowns; c++) {
        const double apart = t->v[0][c] - t->v[1][c];
        t->square[c] = apart * apart;
        t->largest = fmax(t->largest, fabs(apart));
    }
    return sqrt(mean(t->p, t->square));
}

/* Builds two problems on one mesh, one with noise at a given time. `near_mm` as above. */
static void make_twins(
    tissue_block *p, mt_arena *arena, double near_mm, double noise_ms, size_t pde_steps, twins *t)
{
    mt_stimulus *all = mt_arena_alloc(&p->arena, BITS + 2, sizeof *all);
    *t = (twins){.p = p, .square = values(p)};
    for (int k = 0; k < 2; k++) {
        t->problem[k] = monodomain(p, near_mm, &all[0], pde_steps);
        t->v[k] = values(p);
    }
    memcpy(all + 1, make_noise(p, noise_ms, t->problem[0].dt_ms), (BITS + 1) * sizeof *all);
    t->problem[0].stimulus = t->problem[1].stimulus = all;
    t->problem[0].n_stimuli += BITS + 1;
    for (int k = 0; k < 2; k++)
        cr_assert_eq(
            mt_backend_cpu.open(arena, &t->problem[k], NULL, &t->self[k]), MT_OK, "%s", mt_message());
}

/* Elements of 0.4 mm at rest. Differences between neighbours decay within a few ms, and the remaining mean as the membrane restores V.
 * No pattern grows, and no cell comes near its threshold. */
Test(spreading, noise_at_rest_decays_and_activates_nothing)
{
    tissue_block p;
    make(&p, 6, 4.5, false, &mt_tissue_default);
    cr_assert_gt(p.op.n_slowed, 5);
    for (size_t pde_steps = 1; pde_steps <= 4; pde_steps *= 2) {
        mt_arena arena = {0};
        twins t;
        make_twins(&p, &arena, -1, 0, pde_steps, &t);
        const double first = step_twins(&t, 0);
        double earlier = first;
        cr_assert(first > 2 && first < 2.4, "%g mV", first);
        const size_t end_ms = pde_steps == 1 ? 50 : 10;
        for (size_t ms = 0; ms < end_ms; ms++) {
            double now = 0;
            for (size_t step = ms * STEPS_A_MS + 1; step <= (ms + 1) * STEPS_A_MS; step++) {
                now = step_twins(&t, step);
                cr_assert_leq(t.largest, 3.75, "%zu substeps, step %zu: %g mV", pde_steps, step, t.largest);
            }
            cr_assert_lt(now, earlier, "%zu substeps, %zu ms: %g after %g mV", pde_steps, ms, now, earlier);
            earlier = now;
        }
        cr_expect_lt(
            earlier, (pde_steps == 1 ? 1e-4 : 0.05) * first, "%zu substeps: %g mV", pde_steps, earlier);
        for (size_t c = 0; c < p.op.n_unknowns; c++) cr_assert_lt(t.v[0][c], -85);
        mt_arena_free(&arena);
    }
    mt_arena_free(&p.arena);
}

/* Elements of 0.7 mm near 0 mV in an upstroke, when the open sodium channels restore V to their potential and 1/j is shortest. Without
 * slowing of the stiffest elements, sawtooth patterns would grow to nearly 6 mV within 0.2 ms. */
Test(spreading, noise_in_the_upstroke_decays)
{
    tissue_block p;
    make(&p, 8, 10, true, &mt_tissue_default);
    for (size_t pde_steps = 1; pde_steps <= 4; pde_steps *= 2) {
        mt_arena arena = {0};
        twins t;
        make_twins(&p, &arena, INFINITY, 1.2, pde_steps, &t);
        double earlier = INFINITY, most = 0;
        for (size_t step = 0; step < 160; step++) {
            const double now = step_twins(&t, step);
            most = fmax(most, t.largest);
            if (step == 60)
                cr_assert(t.v[1][0] > -20 && t.v[1][0] < 10, "not in the upstroke: %g mV", t.v[1][0]);
            if (step < 60) continue;
            cr_assert(now > 0 && now < earlier, "%zu substeps, step %zu: %g after %g mV", pde_steps, step,
                now, earlier);
            earlier = now;
        }
        cr_log_info("%zu substeps: at most %g mV, at the end %g", pde_steps, most, earlier);
        cr_expect_leq(most, 3.75, "%zu substeps: %g mV", pde_steps, most);
        mt_arena_free(&arena);
    }
    mt_arena_free(&p.arena);
}

/* Builds the operator of a Gmsh mesh of 0.4 mm with these laws; `of` may be NULL. */
static void make_with_laws(tissue_block *p, size_t n, const mt_spreading_law *law, const uint16_t *of)
{
    const mt_tissues tissues = mt_tissues_uniform(&mt_tissue_default);
    const mt_spreading spreading = {n, law, of};
    const mt_diffusion_options options = {.spreading = &spreading};
    cr_assert_eq(mt_diffusion_make_with(&p->arena, &p->mesh, &p->adjacency, &tissues,
                     &mt_diffusion_scheme_default, &options, &p->op),
        MT_OK, "%s", mt_message());
}

Test(spreading, the_law_of_the_scheme_for_all_elements_is_the_default_operator)
{
    tissue_block p;
    const mt_spreading_law law = mt_spreading_law_of(&mt_diffusion_scheme_default), twice[] = {law, law};
    char fingerprint[3][MT_HASH_SIZE];
    make(&p, 8, 6, false, &mt_tissue_default);
    uint16_t *of = mt_arena_alloc(&p.arena, p.op.n_unknowns, sizeof *of);
    for (size_t c = 0; c < p.op.n_unknowns; c++) of[c] = c % 2;
    cr_assert_gt(p.op.n_slowed, 0);
    cr_assert_eq(mt_diffusion_fingerprint(&p.op, fingerprint[0]), MT_OK);
    make_with_laws(&p, 1, &law, NULL);
    cr_assert_eq(mt_diffusion_fingerprint(&p.op, fingerprint[1]), MT_OK);
    make_with_laws(&p, 2, twice, of);
    cr_assert_eq(mt_diffusion_fingerprint(&p.op, fingerprint[2]), MT_OK);
    cr_expect_str_eq(fingerprint[1], fingerprint[0]);
    cr_expect_str_eq(fingerprint[2], fingerprint[0]);
    mt_arena_free(&p.arena);
}

/* Replaces kappa by its average over each element and its neighbours, within the bounds. */
static void average(tissue_block *p, const double *bound, double *kappa)
{
    double *from = values(p);
    memcpy(from, kappa, p->op.n_unknowns * sizeof *from);
    for (size_t c = 0; c < p->op.n_unknowns; c++) {
        double sum = from[c];
        for (size_t f = 0; f < 4; f++) sum += from[mt_adjacency_or_own(p->adjacency.neighbour, c, f)];
        kappa[c] = fmin(sum / 5, bound[c]);
    }
}

/* Returns the root mean square of V^-1 M kappa, weighted by volume: the share of a uniform reaction that moves. */
static double moved(tissue_block *p, const double *kappa)
{
    double *felt = values(p);
    mt_diffusion_apply(&p->op, kappa, felt);
    for (size_t c = 0; c < p->op.n_unknowns; c++) felt[c] *= felt[c];
    return sqrt(mean(p, felt));
}

/* The bounds of the header, and two averages; no V_c is raised. With averages a uniform reaction
 * moves less charge. */
Test(spreading, a_law_that_limits_kappa_raises_no_capacity)
{
    tissue_block p;
    const mt_spreading_law law = {.beta = 0.12, .reaction_ms = 0.4, .limits_kappa = true};
    size_t n_limited = 0;
    make(&p, 8, 6, false, &mt_tissue_default);
    double *usual = values(&p), *bound = values(&p), *expected = values(&p);
    memcpy(usual, p.op.kappa_ms, p.op.n_unknowns * sizeof *usual);
    make_with_laws(&p, 1, &law, NULL);
    cr_expect_eq(p.op.n_slowed, 0);
    for (size_t c = 0; c < p.op.n_unknowns; c++) {
        const double own_ms = 1 / diagonal(&p, c),
                     wanted = 0.12 / mt_diffusion_scheme_default.spreading * usual[c];
        bound[c] = fmin(own_ms, 0.4 + own_ms / 2);
        n_limited += wanted > bound[c];
        expected[c] = fmin(wanted, bound[c]);
        cr_expect_eq(p.op.slowed[c], 1);
    }
    cr_expect(n_limited > p.op.n_unknowns / 20 && n_limited < p.op.n_unknowns / 2, "%zu of %zu", n_limited,
        p.op.n_unknowns);
    const double before = moved(&p, expected);
    for (int k = 0; k < 2; k++) average(&p, bound, expected);
    for (size_t c = 0; c < p.op.n_unknowns; c++)
        cr_expect_float_eq(p.op.kappa_ms[c], expected[c], 1e-9 * expected[c], "element %zu", c);
    cr_log_info("%g of a uniform reaction moves, %g without averages", moved(&p, expected), before);
    cr_expect_lt(moved(&p, expected), 0.8 * before);
    mt_arena_free(&p.arena);
}

/* A uniform reaction moves charge at the border of two kinds of cells, where kappa changes (by 2 % beyond its values on both sides, since
 * diffusion is not monotone). Smoothed over some elements it moves about as
 * much as at a border of tissues; a jump would move several times the reaction. */
Test(spreading, kappa_changes_smoothly_at_a_border_of_cells)
{
    tissue_block p;
    const mt_spreading_law law[] = {{.beta = 0.055, .reaction_ms = 10, .limits_kappa = false},
        {.beta = 0.12, .reaction_ms = 10, .limits_kappa = false}};
    double most = 0, most_jump = 0;
    make(&p, 12, 9, false, &mt_tissue_default);
    double *usual = values(&p), *felt = values(&p), *jump = values(&p), *felt_jump = values(&p);
    uint16_t *of = mt_arena_alloc(&p.arena, p.op.n_unknowns, sizeof *of);
    memcpy(usual, p.op.kappa_ms, p.op.n_unknowns * sizeof *usual);
    for (size_t c = 0; c < p.op.n_unknowns; c++) {
        double x[3];
        mt_mesh_centroid(&p.mesh, c, x);
        of[c] = x[0] > 4.5;
        jump[c] = usual[c] * law[of[c]].beta / law[0].beta;
    }
    make_with_laws(&p, 2, law, of);
    mt_diffusion_apply(&p.op, p.op.kappa_ms, felt);
    mt_diffusion_apply(&p.op, jump, felt_jump);
    for (size_t c = 0; c < p.op.n_unknowns; c++) {
        most = fmax(most, fabs(felt[c])), most_jump = fmax(most_jump, fabs(felt_jump[c]));
        const double ratio = p.op.kappa_ms[c] / usual[c];
        cr_expect(ratio > 0.98 && ratio < 1.02 * 0.12 / 0.055, "element %zu: %g", c, ratio);
    }
    cr_expect_lt(most, 0.2, "%g", most);
    cr_expect_gt(most_jump, 1, "%g", most_jump);
    mt_arena_free(&p.arena);
}
