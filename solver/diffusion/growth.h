/* Local search for growth near one element: a z on the few rings of elements around it with
 *
 *     1/2 sum_c delta_c' K_c delta_c <= -above sum_c V_c z_c^2,    delta_f = z_n - z_c
 *
 * where the sum runs over the stars (solver/diffusion/diffusion.h) of the element and its neighbours, and
 * over the stars farther out that are not indefinite. The other stars can only dissipate energy or are
 * examined in their own search. Growth fed by one element and its neighbours is therefore always found.
 * Elements farther out may still suppress growth that was found, and elements that share dissipating
 * neighbours may grow together even if none grows alone. Locates possible growth; does not limit anything. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mesh/adjacency.h"

/* The stars to search, all borrowed. Values may change between calls. */
typedef struct mt_growth_stars {
    const mt_adjacency *adjacency;
    const double *star;        /* [n][4][4] K_c; rows and columns of faces at the boundary are 0 */
    const uint8_t *indefinite; /* [n] 1 if sym(K_c) is indefinite */
    const double *root;        /* [n] V^-1/2 */
} mt_growth_stars;

enum {
    MT_GROWTH_RINGS = 3,   /* of stars, at most */
    MT_GROWTH_OWN = 1 + 4, /* elements at most 1 face away: their stars may create energy */
    /* at most 3 faces away: their stars count if they only dissipate */
    MT_GROWTH_STARS = MT_GROWTH_OWN + 12 + 36,
    MT_GROWTH_ELEMENTS = MT_GROWTH_STARS + 108 /* at most 4 faces away: the support of z */
};

/* The elements around one, nearest first. Fewer than three rings of stars dissipate less: the search may then
 * find growth that more rings suppress, and if it finds none, there is none with more rings either.
 *   matrix = V^-1/2 (minus half the sum of the first n_stars stars, symmetric part) V^-1/2 */
typedef struct mt_growth_patch {
    size_t n_own, n_stars, n_elements;
    uint32_t element[MT_GROWTH_ELEMENTS];
    double matrix[MT_GROWTH_ELEMENTS][MT_GROWTH_ELEMENTS];
} mt_growth_patch;

/* Fills the patch around an element, with 1 to 3 rings of stars. A patch has 210 kB: avoid the stack. */
void mt_growth_around(const mt_growth_stars *stars, uint32_t element, size_t rings, mt_growth_patch *patch);

/* Finds a growing direction: x with x' matrix x >= above |x|^2 > 0. False if there is none (elimination finds
 * all pivots of above - matrix positive). Destroys the matrix; fills x [n_elements] if true. */
bool mt_growth_direction(mt_growth_patch *patch, double above, double *x);

/* Computes twice the energy that each counted star dissipates for x: energy [n_stars], negative if the star
 * creates energy. */
void mt_growth_energies(
    const mt_growth_stars *stars, const mt_growth_patch *patch, const double *x, double *energy);

/* Returns the growth rate of |V^1/2 z|^2 / 2 over |x|^2, for the x of a patch and 0 outside. All stars count,
 * so this is a lower bound of the highest eigenvalue of S; a positive value proves growth. */
double mt_growth_rate(const mt_growth_stars *stars, const mt_growth_patch *patch, const double *x);
