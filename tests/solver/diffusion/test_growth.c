#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "mesh/make/slab.h"
#include "solver/diffusion/growth.h"

/* Stars on a slab of Kuhn boxes: all are the identity on the inner faces, so the matrix without volumes is minus the graph Laplacian
 * (two stars count each face, half each). One element can have a different star. */
typedef struct problem {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    double *star, *root;
    uint8_t *indefinite;
    mt_growth_stars stars;
} problem;

static uint32_t middle(const problem *p) { return (uint32_t)(p->mesh.n_elements / 2); }

static void laplace(problem *p)
{
    const double size[3] = {5, 5, 5};
    cr_assert(mt_slab_make(&p->arena, size, 1, &p->mesh) == MT_OK);
    cr_assert(mt_adjacency_make(&p->arena, &p->mesh, &p->adjacency) == MT_OK);
    size_t n = p->mesh.n_elements;
    p->star = mt_arena_alloc(&p->arena, 16 * n, sizeof *p->star);
    p->root = mt_arena_alloc(&p->arena, n, sizeof *p->root);
    p->indefinite = mt_arena_alloc(&p->arena, n, 1);
    for (size_t c = 0; c < n; c++) {
        p->root[c] = 1;
        for (size_t f = 0; f < 4; f++)
            p->star[16 * c + 5 * f] = p->adjacency.neighbour[4 * c + f] != MT_NO_ELEMENT;
    }
    p->stars = (mt_growth_stars){&p->adjacency, p->star, p->indefinite, p->root};
}

/* Changes the star of an element so that it takes `strength` times the energy of a single face from every face. */
static void spoil(problem *p, uint32_t element, double strength)
{
    for (size_t f = 0; f < 4; f++)
        if (p->star[16 * (size_t)element + 5 * f] != 0) p->star[16 * (size_t)element + 5 * f] = strength;
    p->indefinite[element] = strength < 0;
}

static double form(const mt_growth_patch *patch, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < patch->n_elements; i++)
        for (size_t j = 0; j < patch->n_elements; j++) sum += x[i] * patch->matrix[i][j] * x[j];
    return sum;
}

/* Rows of small integers and halves, so results are exact. */
Test(growth, the_matrix_is_the_laplacian_if_all_four_stars_are_in_the_patch)
{
    problem p = {0};
    laplace(&p);
    mt_growth_patch patch;
    mt_growth_around(&p.stars, middle(&p), MT_GROWTH_RINGS, &patch);
    cr_assert(patch.n_own == 5 && patch.n_stars > 5 && patch.n_elements > patch.n_stars);
    for (size_t i = 0; i < patch.n_elements; i++) {
        double sum = 0;
        for (size_t j = 0; j < patch.n_elements; j++) {
            sum += patch.matrix[i][j];
            cr_assert(patch.matrix[i][j] == patch.matrix[j][i]);
        }
        cr_assert(sum == 0, "the rows sum to 0");
    }
    for (size_t f = 1; f <= 4; f++) cr_assert(patch.matrix[0][0] == -4 && patch.matrix[0][f] == 1);
    mt_arena_free(&p.arena);
}

/* A star of -s between stars of 1: with z = 1 only in the element, its four faces take (1 - s) / 2 each and all others take nothing, so
 * s > 1 grows. With s < 1 the neighbours' halves of its faces compensate. */
Test(growth, a_star_has_a_growing_mode_if_its_neighbours_cannot_compensate)
{
    problem p = {0};
    laplace(&p);
    mt_growth_patch patch;
    double x[MT_GROWTH_ELEMENTS];
    spoil(&p, middle(&p), -0.99);
    mt_growth_around(&p.stars, middle(&p), MT_GROWTH_RINGS, &patch);
    cr_assert(!mt_growth_direction(&patch, 1e-6, x));
    spoil(&p, middle(&p), -1.01);
    mt_growth_around(&p.stars, middle(&p), MT_GROWTH_RINGS, &patch);
    cr_assert(mt_growth_direction(&patch, 1e-6, x));
    mt_arena_free(&p.arena);
}

/* The guarantee about x, and energies with the sum -2 x' matrix x; about 200 terms of size 1: 1e-12. */
Test(growth, the_found_direction_grows_and_its_energies_identify_the_sources)
{
    problem p = {0};
    laplace(&p);
    mt_growth_patch patch, used;
    double x[MT_GROWTH_ELEMENTS], energy[MT_GROWTH_STARS], sum = 0, length = 0;
    spoil(&p, middle(&p), -3);
    for (size_t c = 0; c < p.mesh.n_elements; c++) p.root[c] = 1 + 0.3 * sin((double)c);
    mt_growth_around(&p.stars, middle(&p), MT_GROWTH_RINGS, &patch);
    used = patch;
    cr_assert(mt_growth_direction(&used, 0.01, x));
    mt_growth_energies(&p.stars, &patch, x, energy);
    for (size_t i = 0; i < patch.n_elements; i++) length += x[i] * x[i];
    for (size_t k = 0; k < patch.n_stars; k++) {
        sum += energy[k];
        cr_assert(k == 0 ? energy[k] < 0 : energy[k] >= 0, "%zu: %g", k, energy[k]);
    }
    cr_assert(form(&patch, x) >= 0.01 * length * (1 - 1e-12));
    cr_assert_float_eq(sum, -2 * form(&patch, x), 1e-12 * fabs(energy[0]));
    mt_arena_free(&p.arena);
}

Test(growth, indefinite_stars_outside_the_centre_are_left_to_their_own_patch)
{
    problem p = {0};
    laplace(&p);
    mt_growth_patch patch;
    double x[MT_GROWTH_ELEMENTS];
    mt_growth_around(&p.stars, middle(&p), MT_GROWTH_RINGS, &patch);
    spoil(&p, patch.element[patch.n_own], -3);
    mt_growth_around(&p.stars, middle(&p), MT_GROWTH_RINGS, &patch);
    cr_assert(!mt_growth_direction(&patch, 1e-6, x));
    mt_growth_around(&p.stars, patch.element[patch.n_own], MT_GROWTH_RINGS, &patch);
    cr_assert(mt_growth_direction(&patch, 1e-6, x));
    mt_arena_free(&p.arena);
}

/* The growth rate of x with all stars of the mesh, for patches of every number of rings. */
Test(growth, the_growth_rate_includes_all_stars)
{
    for (size_t rings = 1; rings <= MT_GROWTH_RINGS; rings++) {
        problem p = {0};
        laplace(&p);
        mt_growth_patch patch, used;
        double x[MT_GROWTH_ELEMENTS], length2 = 0, energy = 0;
        spoil(&p, middle(&p), -3);
        for (size_t c = 0; c < p.mesh.n_elements; c++) p.root[c] = 1 + 0.3 * sin((double)c);
        mt_growth_around(&p.stars, middle(&p), rings, &patch);
        used = patch;
        cr_assert(mt_growth_direction(&used, 0.01, x));
        double *z = mt_arena_alloc(&p.arena, p.mesh.n_elements, sizeof *z);
        for (size_t k = 0; k < patch.n_elements; k++) {
            z[patch.element[k]] = p.root[patch.element[k]] * x[k];
            length2 += x[k] * x[k];
        }
        for (size_t k = 0; k < 4 * p.mesh.n_elements; k++) {
            const uint32_t n = p.adjacency.neighbour[k];
            if (n == MT_NO_ELEMENT) continue;
            const double delta = z[n] - z[k / 4];
            energy += p.star[16 * (k / 4) + 5 * (k % 4)] * delta * delta;
        }
        const double rate = mt_growth_rate(&p.stars, &patch, x);
        cr_assert_float_eq(rate, -energy / (2 * length2), 1e-12 * fabs(rate), "%zu rings: %g", rings, rate);
        mt_arena_free(&p.arena);
    }
}

/* If a small patch does not grow, no larger one does. */
Test(growth, additional_rings_only_reduce_the_growth)
{
    for (double strength = -0.2; strength > -3; strength -= 0.2) {
        problem p = {0};
        laplace(&p);
        mt_growth_patch patch;
        double x[MT_GROWTH_ELEMENTS];
        bool grew = true;
        spoil(&p, middle(&p), strength);
        for (size_t rings = 1; rings <= MT_GROWTH_RINGS; rings++) {
            mt_growth_around(&p.stars, middle(&p), rings, &patch);
            const bool grows = mt_growth_direction(&patch, 1e-6, x);
            cr_assert(grew || !grows, "%g, %zu rings", strength, rings);
            grew = grows;
        }
        mt_arena_free(&p.arena);
    }
}
