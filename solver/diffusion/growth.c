#include "solver/diffusion/growth.h"

/* ---- the elements ---- */

/* Number of an element in the patch, or n_elements. */
static size_t place_of(const mt_growth_patch *patch, uint32_t element)
{
    size_t k = 0;
    while (k < patch->n_elements && patch->element[k] != element) k++;
    return k;
}

/* Appends the neighbours of the elements from number `first` on that are not there yet. */
static void add_ring(const mt_growth_stars *stars, mt_growth_patch *patch, size_t first)
{
    size_t end = patch->n_elements;
    for (size_t k = first; k < end; k++)
        for (size_t f = 0; f < 4; f++) {
            uint32_t n = stars->adjacency->neighbour[4 * (size_t)patch->element[k] + f];
            if (n != MT_NO_ELEMENT && place_of(patch, n) == patch->n_elements)
                patch->element[patch->n_elements++] = n;
        }
}

/* ---- the matrix ---- */

/* The stars of far elements that could create energy are left out: they have their own patch. */
static bool counts(const mt_growth_stars *stars, const mt_growth_patch *patch, size_t k)
{
    return k < patch->n_own || !stars->indefinite[patch->element[k]];
}

/* Numbers in the patch of the neighbours of element number k (its own where there is none), and its own. */
static void members(const mt_growth_stars *stars, const mt_growth_patch *patch, size_t k, size_t number[5])
{
    const uint32_t *neighbour = stars->adjacency->neighbour + 4 * (size_t)patch->element[k];
    for (size_t f = 0; f < 4; f++)
        number[f] = neighbour[f] == MT_NO_ELEMENT ? k : place_of(patch, neighbour[f]);
    number[4] = k;
}

/* Takes half the energy of one star from the matrix: with u_f = z_n - z_c it is u' K u / 2. */
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

void mt_growth_around(const mt_growth_stars *stars, uint32_t element, mt_growth_patch *patch)
{
    patch->element[0] = element;
    patch->n_elements = 1;
    add_ring(stars, patch, 0);
    patch->n_own = patch->n_elements;
    add_ring(stars, patch, 1);
    size_t two = patch->n_elements;
    add_ring(stars, patch, patch->n_own);
    patch->n_stars = patch->n_elements;
    add_ring(stars, patch, two);
    for (size_t i = 0; i < patch->n_elements; i++)
        for (size_t j = 0; j < patch->n_elements; j++) patch->matrix[i][j] = 0;
    for (size_t k = 0; k < patch->n_stars; k++)
        if (counts(stars, patch, k)) add_star(stars, patch, k);
}

/* ---- what grows ---- */

/* Eliminates row and column k of a symmetric matrix, of which the lower half is held. */
static void eliminate(double (*a)[MT_GROWTH_ELEMENTS], size_t k)
{
    for (size_t i = 0; i < k; i++) {
        double factor = a[k][i] / a[k][k];
        for (size_t j = 0; j <= i && factor != 0; j++) a[i][j] -= factor * a[k][j];
    }
}

/* From the last row to the first: the outermost elements couple to few, so many entries stay 0. The form of the
 * rows left is what remains where the eliminated x_j are chosen best; x with x_k = 1 before them has the value
 * of pivot k. */
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
