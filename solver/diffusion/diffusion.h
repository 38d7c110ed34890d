/* The diffusion operator: element-centred finite volumes on tetrahedra, an element coupled to its 4 neighbours and
 * theirs.
 *
 * For every element c and its faces f (area vector S outward, neighbour n, d = x_n - x_c, D the mean of both
 * tensors)
 *
 *     V_c dv_c/dt = sum_f F_f
 *     F_f         = q_f . (g_c + g_n) / 2 + alpha w_f tau_f (v_n - v_c)
 *     tau_f       = S . D S / (S . d)     or S . D S / (|S| l) where S . d < 0.05 |S| l, l = max(|d|, 0.4 sqrt|S|)
 *     q_f         = D S - alpha w_f tau_f d
 *
 * where alpha and the weights w_f of the damping are the scheme's (solver/diffusion/scheme.h) and
 * g_c is the gradient that fits the differences to the neighbours with weights tau_f and has no
 * conormal part through the boundary faces of c. The outer boundary lets nothing through.
 *
 * The same thing element by element, as "stars", where B_c has the coefficients of g_c and Q_c has the rows q_f:
 *
 *     F_f     = (p_cf - p_nf) / 2
 *     p_c     = K_c delta_c
 *     K_c     = alpha diag(w tau) + theta_c Q_c B_c
 *     delta_f = v_n - v_c
 *
 * so that -v' M v = 1/2 sum_c delta_c' K_c delta_c: only an element whose sym(K_c) is indefinite can create
 * energy. Most of those are harmless beside their neighbours; where the spectrum shows growth, the few that are
 * not get theta_c < 1. They are found close by (solver/diffusion/growth.h), which costs little and errs on the safe side;
 * the spectrum has the last word.
 *
 * Slivers, elements that are nearly flat, cost accuracy in themselves but never the run:
 *   - Between two of them the line d may run almost within the face, or be very short beside it where they lie flat upon each
 *     other. Either would make tau_f as large as one likes. There tau_f is that of a face that is met at a right angle, by a
 *     line that is not so short (above). F_f stays exact for linear fields, whatever tau_f is, and the same for both sides but
 *     for a face on the very threshold; what is lost is damping of the jumps across the thin direction. tau_f stays above 0
 *     even where elements overlap (S . d <= 0). No face of a well-shaped mesh is met like that: there nothing changes, to the
 *     bit.
 *   - An element with hardly any volume would follow its neighbours in hardly any time. V_c is its volume, but at least
 *
 *         e^2 (m_c k_c + sum_n k_n) / (50,000 D_l)
 *
 *     with e its longest edge, D_l the largest diffusivity of the element and its neighbours, m_c the number of these n and
 *     k_c a bound of sym(K_c): the largest of alpha w_f tau_f and of the absolute row sums. No eigenvalue of S (below) then lies below -50,000
 *     D_l / e^2 for the smallest e, so that the longest stable step is at least 3.6e-5 e^2 / D_l. Well-shaped elements
 *     need 100 to 5,000 in place of 50,000 and keep their volume to the bit. The element holds more charge (and membrane)
 *     than its volume has; fluxes stay as they are.
 *
 * Borders of tissues. Where two tissues meet, the gradient jumps and the flux does not: with the normal N of the face,
 *
 *     D_c g_c . N = D_n g_n . N,   g_n - g_c along N,   so that   v_n - v_c = g_c . d~_c
 *     d~_c = d + s (N . d) / (N . D_n N) (D_c - D_n) N,   s = V_n / (V_c + V_n)
 *
 * for a field that is linear on either side; s is the share of the way that lies in n, as a centroid lies at a quarter of the
 * height and heights over one face are as the volumes. At such a face, and only there, the element sees d~_c in place of d and its own
 * D_c in place of the mean: its star is that of its own tissue, whose neighbour lies elsewhere. Fluxes are then exact for fields
 * that are linear on either side of a plane, whatever the tensors are, and tau_f is what two resistances in series let through,
 *
 *     tau_f = |S| / (h_c / k_c + h_n / k_n),   h the heights of the centroids over the face,   k = N . D N
 *
 * the same from both sides. A mean of the tensors would let through a border of D and 4 D what 2.5 D lets, where it is 1.6 D. All
 * else, which is algebra of the stars, stays as it is: conservation, limits, the look at the spectrum. tests/solver/diffusion/
 * test_tissues.c has what comes of it. Within a tissue D is the mean, also where fibres turn.
 *
 * Where chi Cm differs, fluxes and V_c are told over the chi Cm of the first tissue: the V_c of an element is its volume times its own
 * chi Cm over that one, and what is conserved is the charge, the sum of chi Cm V v.
 *
 * With spreading it also has what the reaction needs, kappa_c (solver/diffusion/spreading.h): some V_c are larger for it.
 *
 * Linear, second order, conservative; not monotone. Not a time loop, and it knows of no machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"
#include "mesh/adjacency.h"
#include "mesh/cut/pattern.h"
#include "mesh/mesh.h"
#include "solver/diffusion/limits.h"
#include "solver/diffusion/rows.h"
#include "solver/diffusion/scheme.h"
#include "solver/diffusion/watch.h"
#include "solver/diffusion/tissue.h"

enum { MT_DIFFUSION_ROW = MT_ROW }; /* off-diagonals of a row */

/* V^-1 M, rows of the mesh's elements. With a_ij = rate where column = j:
 *   dv_i/dt = sum_j a_ij (v_j - v_i): the diagonal is minus the sum of the others, so constants stay;
 *   sum_i V_i a_ij = V_j sum_k a_jk to rounding: the sum of V v stays;
 *   columns of a row ascend, are not the row itself and lie at most two faces away;
 *   behind them padding: the own row, rate 0.
 * S is the symmetric part of V^1/2 (V^-1 M) V^-1/2 on what is not constant. Its highest eigenvalue says how
 * fast the V norm could grow; its lowest limits an explicit Euler step.
 *
 * Rows are most of an operator, and whoever computes with them holds them in an order and a precision of its own. A lean operator
 * therefore keeps none: they are made anew of the mesh for whoever asks (mt_diffusion_rows_of), to the same bits. */
typedef struct mt_diffusion {
    size_t n_elements;
    double *volume_mm3;    /* [n_elements] > 0 V_c: the element's volume (times `capacity`), more in some */
    double *rate;          /* [n_elements][16] per ms; NULL, as the next: it is lean */
    uint32_t *column;      /* [n_elements][16] */
    const mt_stars *stars; /* of which rows are made anew; NULL: it is not lean */
    char *fingerprint;     /* of a lean one: mt_diffusion_fingerprint */
    double *capacity;      /* [n_elements] chi Cm over that of the first tissue; NULL: they have the same */
    float *theta;          /* [n_elements] 1, and between 0 and 1 in the elements that were limited */
    double *kappa_ms;      /* [n_elements] >= 0 how far the reaction spreads; NULL: not at all */
    float *slowed;      /* [n_elements] >= 1 by how much V_c was raised for the spreading; NULL without it */
    double limit_dt_ms; /* 0.9 * 2 / |lowest eigenvalue of S|; infinite where nothing couples */
    double top_per_ms;  /* highest eigenvalue of S that was seen; a lower bound of the true one */
    size_t
        n_indefinite; /* elements whose sym(K_c) at theta = 1 is indefinite; with none, top <= 0 is proved */
    size_t n_limited; /* elements with theta < 1 */
    size_t n_slivers; /* elements with a face whose tau_f is another, or a V_c that is raised as above */
    size_t n_slowed;  /* elements whose V_c was raised for the spreading */
    size_t n_rounds;  /* times the spectrum was looked at */
} mt_diffusion;

/* What mt_diffusion_make may be told besides. All zero: nothing. */
typedef struct mt_diffusion_options {
    const mt_limits *known; /* borrowed; NULL, or where it does not fit the mesh: it is found */
    bool lean;              /* keep no rows; mesh, adjacency and who is of which tissue are kept then */
    mt_watch watch;
} mt_diffusion_options;

/* Gives the operator of one tissue in `arena` (204 bytes an element, a lean one 12; 12 more with spreading, 8 with chi Cm that differ; on
 * the way some 280 more). Borrows mesh and adjacency. Fails with MT_INPUT on a scheme out of its range, a tissue that is not above 0,
 * a mesh without fibres, or without sheets, in a tissue that conducts otherwise along or normal to them than across, or an
 * element without volume, with its place; with MT_NUMERICS where the spectrum
 * cannot be found. Deterministic. */
MT_NODISCARD mt_status mt_diffusion_make(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_tissue *tissue, const mt_diffusion_scheme *scheme, mt_diffusion *diffusion);

/* The same of several tissues, told more; also MT_STOPPED where the watch says so. */
MT_NODISCARD mt_status mt_diffusion_make_with(mt_arena *arena, const mt_mesh *mesh,
    const mt_adjacency *adjacency, const mt_tissues *tissues, const mt_diffusion_scheme *scheme,
    const mt_diffusion_options *options, mt_diffusion *diffusion);

/* How one element was limited. */
typedef struct mt_diffusion_effect {
    double theta; /* its gradient counts so much; 1: all */
    /* The smallest S . d / (|S| l) of its inner faces, l as above (1 without any): below 0.05 a tau_f is another. */
    double cosine;
    double capacity; /* V_c / its volume, without what spreading and another chi Cm made of it; 1: as it is */
    bool limited;    /* in any of the three */
} mt_diffusion_effect;

mt_diffusion_effect mt_diffusion_effect_on(
    const mt_diffusion *diffusion, const mt_mesh *mesh, const mt_adjacency *adjacency, size_t element);

/* Gives what was found for an operator, enough to make it again without seeking. MT_MEMORY. */
MT_NODISCARD mt_status mt_diffusion_limits(mt_arena *arena, const mt_diffusion *diffusion, mt_limits *found);

/* Gives the gradients that the operator of this tissue takes, none of them limited: with column[n_elements][4][3] per mm, in `arena`,
 *
 *     g_c = sum_f column[c][f] (v_n - v_c)
 *
 * where n is the neighbour behind face f; 0 for a face at the boundary. Borrows mesh and adjacency. MT_INPUT: a tissue or a mesh that
 * mt_diffusion_make would refuse, too. MT_MEMORY. */
MT_NODISCARD mt_status mt_diffusion_gradients(mt_arena *arena, const mt_mesh *mesh,
    const mt_adjacency *adjacency, const mt_tissues *tissues, double **column);

/* Which elements its rows read; borrows the operator. */
mt_pattern mt_diffusion_pattern(const mt_diffusion *diffusion);

/* Gives the fingerprint of its rows and kappa: operators with the same one are equal. A lean one makes all its rows for that, the first
 * time it is asked. MT_MEMORY. */
MT_NODISCARD mt_status mt_diffusion_fingerprint(const mt_diffusion *diffusion, char text[MT_HASH_SIZE]);

/* Rates of rows, for lists of elements; a lean operator makes them anew, with OpenMP, in some microseconds each. Elements that are near
 * each other are best asked for together: most of the work is done once for a list and the neighbours of its elements. */
typedef struct mt_diffusion_rows {
    const mt_diffusion *diffusion;
    double *rate; /* NULL: made anew */
    mt_rows anew;
} mt_diffusion_rows;

/* Gives room for lists of at most `most` elements in `arena`: 128 bytes each, of a lean operator as mt_rows_room; keeps the operator.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_diffusion_rows_room(
    mt_arena *arena, const mt_diffusion *diffusion, size_t most, mt_diffusion_rows *rows);

/* Gives rate [n][16] of n different elements, until the next call. */
const double *mt_diffusion_rows_of(const mt_diffusion_rows *rows, size_t n, const uint32_t *element);

/* Gives all elements [n_elements] in an order in which lists of them are best asked for. MT_MEMORY. */
MT_NODISCARD mt_status mt_diffusion_order(mt_arena *arena, const mt_diffusion *diffusion, uint32_t **element);

/* Makes the rows of a lean operator, and keeps them in `arena` from here on. MT_MEMORY. */
MT_NODISCARD mt_status mt_diffusion_keep_rows(mt_arena *arena, mt_diffusion *diffusion);

/* dv_dt = V^-1 M v [per ms], of one that keeps its rows. A constant v gives exactly 0. */
void mt_diffusion_apply(const mt_diffusion *diffusion, const double *v, double *dv_dt);

/* One explicit Euler step is Z = I + dt V^-1 M: (Z v)_i = diagonal_i v_i + sum_k off[i][k] v[column[i][k]].
 * Fills off [16] of a row, by its rates [16], and gives its diagonal, 1 - sum of off, added in column order. In single precision off is rounded first,
 * and the diagonal is 1 minus the sum (in double) of the rounded ones, so that constants stay to one rounding; conservation then
 * holds to rounding only. */
double mt_diffusion_step_row(const double *rate, double dt_ms, double *off);
float mt_diffusion_step_row_float(const double *rate, double dt_ms, float *off);
