#include "solver/diffusion/growth.h"

/* ---- the elements ---- */

/* Returns the number of an element in the patch, or n_elements. */
static size_t place_of(const mt_growth_patch *patch, uint32_t element)
{
    size_t k = 0;
    while (k < patch->n_elements && patch->element[k] != element) k++;
    return k;
}

/* ---- the matrix ---- */

/* False for stars of farther elements that could create energy: these have their own patch. */
static bool counts(const mt_growth_stars *stars, const mt_growth_patch *patch, size_t k)
{
    return k < patch->n_own || !stars->indefinite[patch->element[k]];
}

/* Finds the numbers in the patch of the neighbours of element number k (k itself at the boundary), and k. */
static void members(const mt_growth_stars *stars, const mt_growth_patch *patch, size_t k, size_t number[5])
{
    const uint32_t *neighbour = stars->adjacency->neighbour + 4 * (size_t)patch->element[k];
    for (size_t f = 0; f < 4; f++)
        number[f] = neighbour[f] == MT_NO_ELEMENT ? k : place_of(patch, neighbour[f]);
    number[4] = k;
}

/* Subtracts half the energy of one star from the matrix: with u_f = z_n - z_c it is u' K u / 2. */
static void add_star(const mt_growth_stars *stars, mt_growth_patch *patch, size_t k)
{
    const double *star = stars->star + 16 * (size_t)patch->element[k];
    double form[5][5] = {{0}};
    size_t number[5];
    members(stars, patch, k, number);
    for (size_t f = 0; f < 4; f++)
        for (size_t g = 0; g < 4; g++) {
            double value = (star[4 * f + g] + star[4 * g + f]) / 4;
            form[f][g] += value;
            form[f][4] -= value;
            form[4][g] -= value;
            form[4][4] += value;
        }
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++) {
            size_t p = number[i], q = number[j];
            patch->matrix[p][q] -=
                stars->root[patch->element[p]] * stars->root[patch->element[q]] * form[i][j];
        }
}

void mt_growth_around(const mt_growth_stars *stars, uint32_t element, size_t rings, mt_growth_patch *patch)
{
    size_t end[MT_GROWTH_RINGS + 2];
    mt_adjacency_ball(stars->adjacency, element, rings + 1, patch->element, end);
    patch->n_own = end[1];
    patch->n_stars = end[rings];
    patch->n_elements = end[rings + 1];
    for (size_t i = 0; i < patch->n_elements; i++)
        for (size_t j = 0; j < patch->n_elements; j++) patch->matrix[i][j] = 0;
    for (size_t k = 0; k < patch->n_stars; k++)
        if (counts(stars, patch, k)) add_star(stars, patch, k);
}

/* ---- growing directions ---- */

/* Eliminates row and column k of a symmetric matrix, of which the lower half is stored. */
static void eliminate(double (*a)[MT_GROWTH_ELEMENTS], size_t k)
{
    for (size_t i = 0; i < k; i++) {
        double factor = a[k][i] / a[k][k];
        for (size_t j = 0; j <= i && factor != 0; j++) a[i][j] -= factor * a[k][j];
    }
}

/* Eliminates from the last row to the first: the outermost elements couple to few others, so many entries stay 0.
 * The form of the remaining rows is the optimum over the eliminated x_j; x with x_k = 1 and zeros before it has the
 * value of pivot k. */
bool mt_growth_direction(mt_growth_patch *patch, double above, double *x)
{
    double(*a)[MT_GROWTH_ELEMENTS] = patch->matrix;
    size_t n = patch->n_elements, k = n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) a[i][j] = (i == j ? above : 0) - a[i][j];
    while (k > 0 && a[k - 1][k - 1] > 0) eliminate(a, --k);
    if (k == 0) return false;
    for (size_t i = 0; i < n; i++) {
        x[i] = i + 1 == k;
        for (size_t j = k - 1; i >= k && j < i; j++) x[i] -= a[i][j] * x[j] / a[i][i];
    }
    return true;
}

void mt_growth_energies(
    const mt_growth_stars *stars, const mt_growth_patch *patch, const double *x, double *energy)
{
    for (size_t k = 0; k < patch->n_stars; k++) {
        const double *star = stars->star + 16 * (size_t)patch->element[k];
        size_t number[5];
        energy[k] = 0;
        members(stars, patch, k, number);
        double z[5];
        for (size_t i = 0; i < 5; i++) z[i] = stars->root[patch->element[number[i]]] * x[number[i]];
        for (size_t f = 0; f < 4 && counts(stars, patch, k); f++)
            for (size_t g = 0; g < 4; g++) energy[k] += (z[f] - z[4]) * star[4 * f + g] * (z[g] - z[4]);
    }
}

/* Returns z of an element, 0 outside the patch. */
static double value_of(
    const mt_growth_stars *stars, const mt_growth_patch *patch, const double *x, uint32_t element)
{
    const size_t k = place_of(patch, element);
    return k < patch->n_elements ? stars->root[element] * x[k] : 0;
}

/* Returns twice the energy that the star of any element dissipates. */
static double energy_of(
    const mt_growth_stars *stars, const mt_growth_patch *patch, const double *x, uint32_t element)
{
    const uint32_t *neighbour = stars->adjacency->neighbour + 4 * (size_t)element;
    const double *star = stars->star + 16 * (size_t)element, own = value_of(stars, patch, x, element);
    double delta[4], energy = 0;
    for (size_t f = 0; f < 4; f++)
        delta[f] = neighbour[f] == MT_NO_ELEMENT ? 0 : value_of(stars, patch, x, neighbour[f]) - own;
    for (size_t f = 0; f < 4; f++)
        for (size_t g = 0; g < 4; g++) energy += delta[f] * star[4 * f + g] * delta[g];
    return energy;
}

/* A star outside the patch is visited once for each of its faces on the patch, so each visit adds the energy
 * divided by the number of these faces. */
static double energy_beyond(const mt_growth_stars *stars, const mt_growth_patch *patch, const double *x)
{
    double sum = 0;
    for (size_t k = patch->n_stars; k < patch->n_elements; k++)
        for (size_t f = 0; f < 4; f++) {
            const uint32_t n = stars->adjacency->neighbour[4 * (size_t)patch->element[k] + f];
            if (n == MT_NO_ELEMENT || place_of(patch, n) < patch->n_elements) continue;
            size_t faces = 0;
            for (size_t g = 0; g < 4; g++) {
                const uint32_t m = stars->adjacency->neighbour[4 * (size_t)n + g];
                faces += m != MT_NO_ELEMENT && place_of(patch, m) < patch->n_elements;
            }
            sum += energy_of(stars, patch, x, n) / (double)faces;
        }
    return sum;
}

double mt_growth_rate(const mt_growth_stars *stars, const mt_growth_patch *patch, const double *x)
{
    double length2 = 0, energy = energy_beyond(stars, patch, x);
    for (size_t k = 0; k < patch->n_elements; k++) {
        length2 += x[k] * x[k];
        energy += energy_of(stars, patch, x, patch->element[k]);
    }
    return -energy / (2 * length2);
}
