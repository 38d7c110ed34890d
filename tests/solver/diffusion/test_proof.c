#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "mesh/make/slab.h"
#include "solver/diffusion/proof.h"
#include "solver/diffusion/spectrum.h"
#include "tests/random.h"

/* A cube of boxes with displaced inner vertices and rotating fibres; some stars are indefinite. */
typedef struct problem {
    mt_arena arena;
    mt_mesh mesh, ordered;
    mt_adjacency adjacency, adjacency_ordered;
    mt_element_order order;
    mt_tissue_axes tissue;
    mt_diffusion_scheme scheme;
    mt_watch watch;
    mt_stars s;
    double *form; /* [n][10] before the proof */
    size_t n_indefinite, n_unpaid;
    uint8_t *unpaid;
} problem;

static void turn_fibres(mt_mesh *mesh)
{
    for (size_t c = 0; c < mesh->n_elements; c++) {
        double x[3];
        mt_mesh_centroid(mesh, c, x);
        const double f[3] = {cos(3 * x[2]) + 0.4 * sin(3 * x[1]), sin(3 * x[2]) + 0.5 * cos(3 * x[0]),
            0.6 * sin(3 * (x[0] + x[1])) + 0.2};
        cr_assert(mt_mesh_put_directions(mesh, c, f, NULL));
    }
}

static void make(problem *p, double damping, double jitter)
{
    uint64_t seed = 1;
    *p = (problem){.tissue = {.d = {0.0953, 0.0126, 0.0126}, .capacity = 1},
        .scheme = {.damping = damping, .correction = MT_CORRECTION_OVER_RELAXED}};
    cr_assert_eq(mt_slab_make_cut(&p->arena, (double[]){1, 1, 1}, 0.125, MT_SLAB_KUHN, &p->mesh), MT_OK);
    for (size_t k = 0; k < 3 * p->mesh.n_vertices; k++) {
        const double move = jitter * 0.125 * between(&seed, -1, 1);
        double *x = p->mesh.xyz_mm + k;
        if (*x > 1e-9 && *x < 1 - 1e-9) *x += move;
    }
    turn_fibres(&p->mesh);
    cr_assert_eq(mt_adjacency_make(&p->arena, &p->mesh, &p->adjacency), MT_OK);
    cr_assert_eq(mt_element_order_make(&p->arena, &p->mesh, &p->order), MT_OK);
    cr_assert_eq(mt_element_order_apply(&p->arena, &p->arena, &p->order, &p->mesh, &p->adjacency, &p->ordered,
                     &p->adjacency_ordered),
        MT_OK);
    p->s = (mt_stars){.mesh = &p->ordered,
        .adjacency = &p->adjacency_ordered,
        .order = &p->order,
        .n = p->mesh.n_elements,
        .scheme = &p->scheme,
        .field = {.n = 1, .tissue = &p->tissue, .fibre = p->ordered.fibre},
        .watch = &p->watch};
    size_t n_slivers;
    cr_assert_eq(mt_stars_make(&p->arena, &p->arena, &p->s, true, &p->n_indefinite, &n_slivers), MT_OK);
    cr_assert_eq(mt_stars_alloc_forms(&p->arena, &p->s), MT_OK);
    p->form = mt_arena_alloc(&p->arena, 10 * p->s.n, sizeof *p->form);
    memcpy(p->form, p->s.form, 10 * p->s.n * sizeof *p->form);
    cr_assert_eq(mt_proof_pay_debts(&p->arena, &p->s, &p->unpaid, &p->n_unpaid), MT_OK, "%s", mt_message());
}

static double energy(const problem *p, const double *forms, const double *z)
{
    double sum = 0;
    for (size_t c = 0; c < p->s.n; c++) {
        const double *k = forms + 10 * c;
        double d[4];
        for (size_t f = 0; f < 4; f++)
            d[f] = z[mt_adjacency_or_own(p->adjacency_ordered.neighbour, c, f)] - z[c];
        for (size_t f = 0, i = 0; f < 4; f++)
            for (size_t g = f; g < 4; g++, i++) sum += (f == g ? 1 : 2) * k[i] * d[f] * d[g];
    }
    return sum;
}

/* Returns the smallest eigenvalue of a form divided by its largest. */
static double lowest(const double form[10])
{
    double a[4][4], value[4], vector[4][4];
    for (size_t f = 0, i = 0; f < 4; f++)
        for (size_t g = f; g < 4; g++, i++) a[f][g] = a[g][f] = form[i];
    mt_spectrum_small(4, a, value, vector);
    return value[0] / fmax(value[3], 1e-300);
}

/* The two parts of the proof: the remaining forms of the stars are never negative, and never exceed the original forms. z is nonzero
 * around some elements with debts, then noise everywhere. */
static void expect_proof(problem *p)
{
    uint64_t seed = 2;
    double *z = mt_arena_alloc(&p->arena, p->s.n, sizeof *z);
    for (size_t c = 0; c < p->s.n; c++)
        cr_assert(lowest(p->s.form + 10 * c) > -1e-9, "element %zu: %g", c, lowest(p->s.form + 10 * c));
    for (size_t c = 0; c < p->s.n; c++) {
        if (c % 50 != 0 && !p->s.indefinite[c]) continue;
        uint32_t ball[161];
        size_t end[5];
        mt_adjacency_ball(&p->adjacency_ordered, (uint32_t)c, 4, ball, end);
        memset(z, 0, p->s.n * sizeof *z);
        for (size_t k = 0; k < end[c % 5]; k++) z[ball[k]] = between(&seed, -1, 1);
        const double was = energy(p, p->form, z), left = energy(p, p->s.form, z);
        cr_assert(left <= was * (1 + 1e-9), "element %zu: %.12g of %.12g", c, left, was);
    }
}

Test(proof, the_proof_transfers_available_energy_only_and_leaves_no_negative_form)
{
    problem p;
    make(&p, 1.5, 0.1);
    cr_assert(p.n_indefinite > 50 && p.n_unpaid == 0, "%zu unpaid of %zu", p.n_unpaid, p.n_indefinite);
    expect_proof(&p);
    mt_arena_free(&p.arena);
}

enum { KEPT_RINGS = 4 };

/* Gives an element a debt above all dissipation around it, and expects that the stars at most KEPT_RINGS faces away keep their forms. */
static void expect_kept_around(problem *p, size_t c)
{
    uint32_t ball[161];
    size_t end[KEPT_RINGS + 1], n_paid = 0;
    double star[16];
    const uint8_t was_indefinite = p->s.indefinite[c];
    memcpy(star, p->s.star + 16 * c, sizeof star);
    for (size_t f = 0; f < 4; f++) p->s.star[16 * c + 5 * f] *= -100;
    p->s.indefinite[c] = 1;
    cr_assert_eq(mt_proof_pay_debts(&p->arena, &p->s, &p->unpaid, &p->n_unpaid), MT_OK, "%s", mt_message());
    for (size_t k = 0; k < p->s.n; k++) n_paid += p->s.indefinite[k] && !p->unpaid[k];
    cr_assert(p->unpaid[c] && n_paid > 20, "%zu paid", n_paid);
    mt_proof_restore_debts(&p->s, p->unpaid);
    memcpy(p->form, p->s.form, 10 * p->s.n * sizeof *p->form);
    mt_stars_form(&p->s);
    mt_adjacency_ball(&p->adjacency_ordered, (uint32_t)c, KEPT_RINGS, ball, end);
    for (size_t k = 0; k < 10 * end[KEPT_RINGS]; k++) {
        const double was = p->s.form[10 * ball[k / 10] + k % 10], left = p->form[10 * ball[k / 10] + k % 10];
        cr_assert(
            fabs(left - was) <= 1e-9 * fabs(was) + 1e-12, "element %u: %g of %g", ball[k / 10], left, was);
    }
    memcpy(p->s.star + 16 * c, star, sizeof star);
    p->s.indefinite[c] = was_indefinite;
}

/* Debts farther away are paid. */
Test(proof, stars_around_an_unpaid_debt_keep_their_dissipation)
{
    problem p;
    make(&p, 1.5, 0.1);
    for (size_t k = 1; k < 20; k++) expect_kept_around(&p, p.order.place[k * p.s.n / 20]);
    mt_arena_free(&p.arena);
}

/* With very little damping a mode grows, so there is no proof. The unpaid elements are among the indefinite ones. With their debts
 * entered no energy exceeds the original, and the forms can be restored. */
Test(proof, no_proof_is_found_if_a_mode_grows)
{
    problem p;
    make(&p, 0.15, 0.3);
    cr_assert(p.n_unpaid > 0 && p.n_unpaid <= p.n_indefinite, "%zu of %zu", p.n_unpaid, p.n_indefinite);
    for (size_t c = 0; c < p.s.n; c++) cr_assert(p.s.indefinite[c] || !p.unpaid[c]);
    mt_proof_restore_debts(&p.s, p.unpaid);
    double *z = mt_arena_alloc(&p.arena, p.s.n, sizeof *z);
    uint64_t seed = 3;
    for (int k = 0; k < 20; k++) {
        for (size_t c = 0; c < p.s.n; c++) z[c] = between(&seed, -1, 1);
        cr_assert(energy(&p, p.s.form, z) <= energy(&p, p.form, z) * (1 + 1e-9));
    }
    mt_stars_form(&p.s);
    cr_assert_eq(memcmp(p.form, p.s.form, 10 * p.s.n * sizeof *p.form), 0);
    mt_arena_free(&p.arena);
}
