/* Growth sought close to one element: is there a z on the few rings of elements around it with
 *
 *     1/2 sum_c delta_c' K_c delta_c <= -above sum_c V_c z_c^2,    delta_f = z_n - z_c
 *
 * where the sum runs over the stars (solver/diffusion/diffusion.h) of the element and its neighbours and over those farther
 * out that are not indefinite? The stars left out could only take energy, or are asked for themselves, so growth
 * fed by one element and its neighbours cannot be missed. Found growth may yet be held back by what lies farther
 * out; and elements that share the help of others may grow together where each alone does not. Not a limiter: it
 * says where growth may sit and changes nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mesh/adjacency.h"

/* All borrowed. The stars may change between calls. */
typedef struct mt_growth_stars {
    const mt_adjacency *adjacency;
    const double *star;        /* [n][4][4] K_c; rows and columns of faces at the boundary are 0 */
    const uint8_t *indefinite; /* [n] 1: sym(K_c) is */
    const double *root;        /* [n] V^-1/2 */
} mt_growth_stars;

enum {
    MT_GROWTH_RINGS = 3,   /* of stars, at most */
    MT_GROWTH_OWN = 1 + 4, /* elements at most 1 face away: their stars may create energy */
    MT_GROWTH_STARS = MT_GROWTH_OWN + 12 + 36, /* at most 3: their stars count if they can only take it */
    MT_GROWTH_ELEMENTS = MT_GROWTH_STARS + 108 /* at most 4: where z lives */
};

/* The elements around one, nearest first. With fewer rings of stars than three less can take energy: then growth may be found that
 * more rings hold back, and where none is found there is none with more.
 *   matrix = V^-1/2 (minus half the sum of the first n_stars stars, symmetric part) V^-1/2 */
typedef struct mt_growth_patch {
    size_t n_own, n_stars, n_elements;
    uint32_t element[MT_GROWTH_ELEMENTS];
    double matrix[MT_GROWTH_ELEMENTS][MT_GROWTH_ELEMENTS];
} mt_growth_patch;

/* Fills the patch around an element, with the stars of 1 to 3 rings. A patch is 210 kB: mind the stack. */
void mt_growth_around(const mt_growth_stars *stars, uint32_t element, size_t rings, mt_growth_patch *patch);

/* Seeks a direction that grows: x with x' matrix x >= above |x|^2 > 0. False if there is none (elimination
 * finds all pivots of above - matrix positive). Destroys the matrix; fills x [n_elements] where true. */
bool mt_growth_direction(mt_growth_patch *patch, double above, double *x);

/* What each star that counts takes from x (twice the energy): energy [n_stars]; below 0 where it creates some.
 */
void mt_growth_energies(
    const mt_growth_stars *stars, const mt_growth_patch *patch, const double *x, double *energy);

/* The rate at which |V^1/2 z|^2 / 2 grows for the x of a patch and 0 beyond it, over |x|^2: all stars count, so this is a lower bound
 * of the highest eigenvalue of S. Above 0 growth is certain. */
double mt_growth_rate(const mt_growth_stars *stars, const mt_growth_patch *patch, const double *x);
