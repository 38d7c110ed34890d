#include <criterion/criterion.h>

#include <omp.h>

#include "solver/conduction/elimination.h"
#include "tests/solver/conduction/networks.h"
#include "tests/solver/conduction/passive.h"

enum { SAMPLES = 60, POINTS_MOST = 400, HUBS_MOST = 256 };

typedef struct sample {
    mt_arena arena;
    mt_network network;
    mt_cables cables;
    double *capacitance_mS; /* C / dt + B */
    double *matrix;         /* [n_points][n_points] C / dt + B + G */
} sample;

static double *entry(const sample *s, size_t row, size_t column)
{
    return &s->matrix[row * s->cables.n_points + column];
}

/* Adds the conductances to the matrix, from the pieces alone. */
static void add_pieces(const sample *s)
{
    const mt_cables *c = &s->cables;
    for (size_t k = 0; k < c->n_chains; k++)
        for (size_t p = c->chain[k].first + k; p <= c->chain[k].end + k; p++) {
            uint32_t point[2];
            mt_cables_piece(c, k, p, point);
            if (point[0] == MT_NO_POINT || point[1] == MT_NO_POINT) continue;
            for (int a = 0; a < 2; a++) {
                *entry(s, point[a], point[a]) += c->conductance_mS[p];
                *entry(s, point[a], point[1 - a]) -= c->conductance_mS[p];
            }
        }
}

/* A random network, with C / dt from negligible to dominant. The last one is a grid, whose chains have no points. */
static void make_sample(sample *s, uint64_t number)
{
    uint64_t seed = number + 1000;
    mt_cables_rule rule = usual_rule;
    *s = (sample){0};
    if (number + 1 == SAMPLES) {
        rule.spacing_mm = 2;
        grid_network(&s->arena, &seed, 16, &s->network);
    } else {
        random_network(&s->arena, &seed, (int)(number % SHAPES), 1.5, &s->network);
    }
    ok(mt_cables_make(&s->arena, &s->network, NULL, &rule, &s->cables));
    const size_t n = s->cables.n_points;
    cr_assert_leq(n, POINTS_MOST);
    s->capacitance_mS = mt_arena_alloc(&s->arena, n, sizeof *s->capacitance_mS);
    s->matrix = mt_arena_alloc(&s->arena, n * n, sizeof *s->matrix);
    const double dt_ms = pow(10, between(&seed, -4, 1));
    for (size_t k = 0; k < n; k++) {
        s->capacitance_mS[k] = s->cables.capacitance_uF[k] / dt_ms + (draw(&seed, 10) == 0 ? 1e-3 : 0);
        *entry(s, k, k) = s->capacitance_mS[k];
    }
    add_pieces(s);
}

/* Solves the dense equations by Cholesky's method; destroys the matrix. */
static void solve_dense(const sample *s, double *x)
{
    const size_t n = s->cables.n_points;
    for (size_t k = 0; k < n; k++) {
        for (size_t j = 0; j < k; j++) *entry(s, k, k) -= *entry(s, k, j) * *entry(s, k, j);
        *entry(s, k, k) = sqrt(*entry(s, k, k));
        for (size_t i = k + 1; i < n; i++) {
            for (size_t j = 0; j < k; j++) *entry(s, i, k) -= *entry(s, i, j) * *entry(s, k, j);
            *entry(s, i, k) /= *entry(s, k, k);
        }
    }
    for (size_t k = 0; k < n; k++) {
        for (size_t j = 0; j < k; j++) x[k] -= *entry(s, k, j) * x[j];
        x[k] /= *entry(s, k, k);
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++) x[k] -= *entry(s, j, k) * x[j];
        x[k] /= *entry(s, k, k);
    }
}

/* ---- the factors, applied as the header describes ---- */

static void solve_by_factors(const sample *s, const mt_elimination *e, double *b)
{
    const mt_cables *c = &s->cables;
    double *hub = b + c->n_chained, unused = 0;
    for (size_t k = 0; k < c->n_chains; k++)
        for (uint32_t i = c->chain[k].first; i < c->chain[k].end; i++) {
            const uint32_t next = i + 1 < c->chain[k].end ? i + 1 : c->chain[k].right,
                           left = c->chain[k].left;
            *(next == MT_NO_POINT ? &unused : &b[next]) += e->along[i] * b[i];
            *(left == MT_NO_POINT ? &unused : &b[left]) += e->across[i] * b[i];
        }
    for (size_t k = 0; k < e->n_hubs; k++)
        for (size_t i = e->column[k]; i < e->column[k + 1]; i++)
            hub[e->hub[i]] += e->factor[i] * hub[e->order[k]];
    for (size_t k = e->n_hubs; k-- > 0;) {
        hub[e->order[k]] *= e->inverse[c->n_chained + e->order[k]];
        for (size_t i = e->column[k]; i < e->column[k + 1]; i++)
            hub[e->order[k]] += e->factor[i] * hub[e->hub[i]];
    }
    for (size_t k = 0; k < c->n_chains; k++)
        for (uint32_t i = c->chain[k].end; i-- > c->chain[k].first;) {
            const uint32_t next = i + 1 < c->chain[k].end ? i + 1 : c->chain[k].right,
                           left = c->chain[k].left;
            b[i] = e->inverse[i] * b[i] + e->along[i] * (next == MT_NO_POINT ? 0 : b[next]) +
                   e->across[i] * (left == MT_NO_POINT ? 0 : b[left]);
        }
}

static void check_equal(const double *found, const double *expected, size_t n, uint64_t number)
{
    double largest = 0;
    for (size_t k = 0; k < n; k++) largest = fmax(largest, fabs(expected[k]));
    for (size_t k = 0; k < n; k++)
        cr_assert_float_eq(found[k], expected[k], 1e-10 * largest,
            "sample %d, %s: x of point %zu is %.15g, expected %.15g", (int)number,
            shape_name[number % SHAPES], k, found[k], expected[k]);
}

/* Of right-hand sides with both signs, and with one. The coefficients are not negative, so that with one sign nothing cancels. */
Test(elimination, factors_solve_the_equations_of_any_network)
{
    for (uint64_t number = 0; number < SAMPLES; number++) {
        uint64_t seed = number;
        sample s;
        mt_elimination e;
        double b[POINTS_MOST], x[POINTS_MOST];
        make_sample(&s, number);
        ok(mt_elimination_make(&s.arena, &s.cables, s.capacitance_mS, &e));
        for (size_t k = 0; k < s.cables.n_points; k++)
            b[k] = x[k] = between(&seed, number % 3 == 0 ? 0 : -1, 1);
        solve_by_factors(&s, &e, b);
        solve_dense(&s, x);
        check_equal(b, x, s.cables.n_points, number);
        for (size_t k = 0; k < s.cables.n_points; k++) cr_assert_gt(e.inverse[k], 0);
        for (size_t k = 0; k < s.cables.n_chained; k++) cr_assert(e.along[k] >= 0 && e.across[k] >= 0);
        for (size_t k = 0; k < e.column[e.n_hubs]; k++) cr_assert_gt(e.factor[k], 0);
        mt_arena_free(&s.arena);
    }
}

/* ---- a step of a conduction system ---- */

static const double inert[] = {0, -81.3}, leaky[] = {2.5, -81.3};

/* Computes V after a step of a leaky system with the increments d: (C / dt + G) x = -G (V + d), V becomes V + x, then d = dt f(V) and
 * V + d. */
static void step_dense(sample *s, double dt_ms, double *v, double *d)
{
    const size_t n = s->cables.n_points;
    double b[POINTS_MOST];
    memset(s->matrix, 0, n * n * sizeof *s->matrix);
    add_pieces(s);
    double w[POINTS_MOST];
    for (size_t k = 0; k < n; k++) w[k] = v[k] + d[k];
    for (size_t k = 0; k < n; k++) {
        b[k] = 0;
        for (size_t j = 0; j < n; j++) b[k] -= *entry(s, k, j) * w[j];
    }
    for (size_t k = 0; k < n; k++) *entry(s, k, k) += s->cables.capacitance_uF[k] / dt_ms;
    solve_dense(s, b);
    for (size_t k = 0; k < n; k++) {
        v[k] += b[k];
        d[k] = -dt_ms * leaky[0] * (v[k] - leaky[1]);
        v[k] += d[k];
    }
}

Test(elimination, a_step_of_cables_is_one_of_backward_euler_with_compensated_splitting)
{
    for (uint64_t number = 0; number < SAMPLES; number++) {
        uint64_t seed = number;
        sample s;
        mt_conducting conducting;
        double v[POINTS_MOST], d[POINTS_MOST] = {0}, found[POINTS_MOST];
        const double dt_ms = pow(10, between(&seed, -4, -1));
        make_sample(&s, number);
        const mt_conduction conduction = passive_conduction(&s.network, &s.cables, leaky);
        ok(mt_conducting_open(&s.arena, &conduction, dt_ms, false, &conducting));
        for (size_t k = 0; k < s.cables.n_points; k++) v[k] = between(&seed, -80, 20);
        mt_conducting_write(&conducting, 0, v);
        for (size_t step = 0; step < 3; step++) {
            mt_conducting_step(&conducting, step, NULL);
            step_dense(&s, dt_ms, v, d);
        }
        mt_conducting_read(&conducting, 0, found);
        check_equal(found, v, s.cables.n_points, number);
        mt_arena_free(&s.arena);
    }
}

Test(elimination, uniform_voltages_do_not_change_in_any_bit)
{
    for (uint64_t number = 0; number < 2 * SAMPLES; number++) {
        sample s;
        mt_conducting conducting;
        double v[POINTS_MOST];
        const bool single = number >= SAMPLES;
        make_sample(&s, number);
        const mt_conduction conduction = passive_conduction(&s.network, &s.cables, inert);
        ok(mt_conducting_open(&s.arena, &conduction, 0.05, single, &conducting));
        for (size_t step = 0; step < 10; step++) mt_conducting_step(&conducting, step, NULL);
        mt_conducting_read(&conducting, 0, v);
        for (size_t k = 0; k < s.cables.n_points; k++)
            cr_assert_eq(v[k], single ? (double)-81.3F : -81.3, "sample %d: %.17g", (int)number, v[k]);
        mt_arena_free(&s.arena);
    }
}

/* ---- threads ---- */

static void run_on_threads(int n_threads, const mt_conduction *conduction, bool single, double *v)
{
    mt_arena arena = {0};
    mt_conducting conducting;
    uint64_t seed = 9;
    omp_set_num_threads(n_threads);
    ok(mt_conducting_open(&arena, conduction, 0.05, single, &conducting));
    for (size_t k = 0; k < conduction->cables.n_points; k++) v[k] = between(&seed, -80, 20);
    mt_conducting_write(&conducting, 0, v);
    for (size_t step = 0; step < 12; step++) mt_conducting_step(&conducting, step, NULL);
    mt_conducting_read(&conducting, 0, v);
    mt_arena_free(&arena);
}

/* Long chains, and many hubs. After 2 threads, clang's OpenMP would leak memory with 5. */
Test(elimination, bits_do_not_depend_on_the_number_of_threads)
{
    static const int n_threads[] = {1, 5, 2};
    mt_arena arena = {0};
    mt_network network[2];
    mt_conduction conduction[2];
    draft d = {0};
    uint64_t seed = 3;
    add_tree(&d, &seed, 60);
    add_loops(&d, &seed, 20);
    place_nodes(&arena, &d, &seed, 1.5, &network[0]);
    grid_network(&arena, &seed, 40, &network[1]);
    double *first[2][2], *v = NULL;
    for (int k = 0; k < 2; k++) {
        mt_cables_rule rule = usual_rule;
        mt_conduction *c = &conduction[k];
        *c = (mt_conduction){.junctions = {.start = (size_t *)no_junctions}, .steps = 1, .threshold_mV = -20};
        c->model = stewart();
        c->variant = c->model->variants[0];
        rule.spacing_mm = k == 0 ? 0.01 : 0.6;
        ok(mt_cables_make(&arena, &network[k], NULL, &rule, &c->cables));
        cr_assert(c->cables.n_points > 4 * 1024, "%zu points: too few for 5 threads", c->cables.n_points);
        for (int single = 0; single < 2; single++)
            first[k][single] = mt_arena_alloc(&arena, c->cables.n_points, sizeof *v);
    }
    v = mt_arena_alloc(&arena, 100000, sizeof *v);
    for (size_t t = 0; t < 3; t++)
        for (int k = 0; k < 4; k++) {
            const size_t n = conduction[k / 2].cables.n_points;
            cr_assert_leq(n, 100000);
            run_on_threads(n_threads[t], &conduction[k / 2], k % 2, v);
            if (t == 0) memcpy(first[k / 2][k % 2], v, n * sizeof *v);
            cr_assert_eq(memcmp(first[k / 2][k % 2], v, n * sizeof *v), 0, "%d threads", n_threads[t]);
        }
    mt_arena_free(&arena);
}

/* ---- the order of the hubs, and the entries ---- */

/* Couplings of hubs, eliminated one by one. */
typedef struct couplings {
    size_t n;
    bool done[HUBS_MOST], are[HUBS_MOST][HUBS_MOST];
} couplings;

static couplings couplings_of(const mt_cables *c)
{
    couplings g = {.n = c->n_points - c->n_chained};
    for (size_t k = 0; k < c->n_chains; k++) {
        const mt_cable_chain *chain = &c->chain[k];
        if (chain->left == MT_NO_POINT || chain->right == MT_NO_POINT || chain->left == chain->right)
            continue;
        const size_t a = chain->left - c->n_chained, b = chain->right - c->n_chained;
        g.are[a][b] = g.are[b][a] = true;
    }
    return g;
}

static size_t n_coupled(const couplings *g, size_t hub)
{
    size_t n = 0;
    for (size_t k = 0; k < g->n; k++) n += !g->done[k] && g->are[hub][k];
    return n;
}

static size_t n_components_with_hubs(const couplings *g)
{
    size_t component[HUBS_MOST], n = g->n;
    for (size_t k = 0; k < g->n; k++) component[k] = k;
    for (size_t a = 0; a < g->n; a++)
        for (size_t b = 0; b < g->n; b++) {
            const size_t old = component[a];
            if (!g->are[a][b] || old == component[b]) continue;
            for (size_t k = 0; k < g->n; k++)
                if (component[k] == old) component[k] = component[b];
            n--;
        }
    return n;
}

/* True if a hub precedes another one: the least degree, at least 2, then the lowest round, then the lowest number. */
static bool precedes(const couplings *g, const size_t *round, size_t a, size_t b)
{
    const size_t n_a = n_coupled(g, a) > 2 ? n_coupled(g, a) : 2,
                 n_b = n_coupled(g, b) > 2 ? n_coupled(g, b) : 2;
    if (n_a != n_b) return n_a < n_b;
    return round[a] != round[b] ? round[a] < round[b] : a < b;
}

/* Returns the number of rounds. */
static size_t check_order(couplings *g, const mt_elimination *e)
{
    size_t round[HUBS_MOST] = {0}, rounds = 0;
    cr_assert_eq(e->n_hubs, g->n);
    for (size_t k = 0; k < g->n; k++) {
        const size_t hub = e->order[k], degree = n_coupled(g, hub);
        cr_assert(hub < g->n && !g->done[hub]);
        for (size_t other = 0; other < g->n; other++)
            cr_assert(g->done[other] || other == hub || precedes(g, round, hub, other),
                "hub %zu has %zu couplings and round %zu, hub %zu has %zu and %zu", hub, degree, round[hub],
                other, n_coupled(g, other), round[other]);
        cr_assert_eq(e->column[k + 1] - e->column[k], degree);
        g->done[hub] = true;
        rounds = round[hub] + 1 > rounds ? round[hub] + 1 : rounds;
        for (size_t i = e->column[k]; i < e->column[k + 1]; i++) {
            cr_assert(g->are[hub][e->hub[i]] && !g->done[e->hub[i]]);
            if (round[e->hub[i]] <= round[hub]) round[e->hub[i]] = round[hub] + 1;
        }
        for (size_t a = 0; a < g->n; a++)
            for (size_t b = 0; b < g->n; b++)
                g->are[a][b] = g->are[a][b] || (a != b && g->are[hub][a] && g->are[hub][b]);
    }
    return rounds;
}

Test(elimination, hubs_are_eliminated_by_least_degree_and_round_and_trees_have_at_most_two_entries_a_hub)
{
    size_t most = 0;
    for (uint64_t number = 0; number < 4 * SAMPLES; number++) {
        sample s;
        mt_elimination e;
        make_sample(&s, number);
        ok(mt_elimination_make(&s.arena, &s.cables, s.capacitance_mS, &e));
        couplings g = couplings_of(&s.cables);
        const size_t least = g.n - n_components_with_hubs(&g), n = e.column[e.n_hubs];
        cr_assert(n >= least, "sample %d: %zu entries, expected %zu", (int)number, n, least);
        if (number % SHAPES != LOOPS && number + 1 != SAMPLES)
            cr_assert_leq(n, 2 * g.n, "sample %d: %zu entries of %zu hubs", (int)number, n, g.n);
        most = n > most ? n : most;
        (void)check_order(&g, &e);
        mt_arena_free(&s.arena);
    }
    cr_assert_gt(most, 1000);
}

/* A straight cable is divided by more than 150 hubs in a row. Eliminated one after another, they would take as many rounds. */
Test(elimination, a_row_of_hubs_is_eliminated_in_a_number_of_rounds_like_a_logarithm)
{
    mt_arena arena = {0};
    mt_network network;
    mt_cables cables;
    mt_elimination e;
    double *capacitance_mS;
    straight_network(&arena, 1000, 1, &network);
    ok(mt_cables_make(&arena, &network, NULL, &usual_rule, &cables));
    capacitance_mS = mt_arena_alloc(&arena, cables.n_points, sizeof *capacitance_mS);
    for (size_t k = 0; k < cables.n_points; k++) capacitance_mS[k] = 1;
    ok(mt_elimination_make(&arena, &cables, capacitance_mS, &e));
    couplings g = couplings_of(&cables);
    const size_t rounds = check_order(&g, &e);
    cr_assert_gt(e.n_hubs, 150);
    cr_assert_leq(rounds, 12, "%zu rounds of %zu hubs", rounds, e.n_hubs);
    mt_arena_free(&arena);
}

/* ---- memory ---- */

Test(elimination, a_failing_allocation_is_reported)
{
    mt_arena arena = {0};
    sample s;
    size_t n = 0;
    make_sample(&s, 1);
    for (mt_status status = MT_MEMORY; status == MT_MEMORY; mt_arena_free(&arena)) {
        mt_elimination e;
        mt_arena_fail_at(++n);
        status = mt_elimination_make(&arena, &s.cables, s.capacitance_mS, &e);
        mt_arena_fail_at(0);
        cr_assert(status == MT_MEMORY || status == MT_OK);
    }
    cr_assert_gt(n, 10);
    mt_arena_free(&s.arena);
}
