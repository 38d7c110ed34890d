/* The diffusion operator: element-centred finite volumes on tetrahedra. The stencil of an element contains
 * its 4 neighbours and their neighbours.
 *
 * For every element c and its faces f (area vector S outward, neighbour n, d = x_n - x_c, D the mean of both
 * tensors)
 *
 *     V_c dv_c/dt = sum_f F_f
 *     F_f         = q_f . (g_c + g_n) / 2 + alpha w_f tau_f (v_n - v_c)
 *     tau_f       = S . D S / (S . d)     or S . D S / (|S| l) if S . d < 0.05 |S| l, l = max(|d|, 0.4 sqrt|S|)
 *     q_f         = D S - alpha w_f tau_f d
 *
 * where alpha and the weights w_f of the damping belong to the scheme (solver/diffusion/scheme.h). g_c is the
 * least-squares gradient of the differences to the neighbours with weights tau_f; its conormal component
 * through boundary faces of c is 0. The outer boundary has zero flux.
 *
 * The same operator element by element, as "stars", where B_c has the coefficients of g_c and Q_c has the
 * rows q_f:
 *
 *     F_f     = (p_cf - p_nf) / 2
 *     p_c     = K_c delta_c
 *     K_c     = alpha diag(w tau) + theta_c Q_c B_c
 *     delta_f = v_n - v_c
 *
 * so that -v' M v = 1/2 sum_c delta_c' K_c delta_c: only an element with an indefinite sym(K_c) can create
 * energy. Most such elements are harmless because their neighbours dissipate more. If the spectrum has
 * growing modes, the few elements that cause them get theta_c < 1. A local search (solver/diffusion/growth.h)
 * finds them at low cost and errs on the safe side; the spectrum decides.
 *
 * Slivers (nearly flat elements) reduce the local accuracy but never the stability:
 *   - Between two slivers, d may be almost parallel to the face, or very short compared with the face if the
 *     slivers are stacked. Either would make tau_f arbitrarily large. tau_f then is that of a face that d
 *     meets at a right angle, with a lower bound of the length of d (above). F_f remains exact for linear
 *     fields, for any tau_f, and equal from both sides except for a face exactly at the threshold. Only
 *     damping of jumps across the thin direction is lost. tau_f remains positive even if elements overlap,
 *     S . d <= 0. Faces of well-shaped meshes never reach the threshold; their tau_f is unchanged to the bit.
 *   - The time constant of an element tends to 0 with its volume. V_c is the volume, but at least
 *
 *         e^2 (m_c k_c + sum_n k_n) / (50,000 D_l)
 *
 *     with e its longest edge, D_l the largest diffusivity of the element and its neighbours, m_c the number of these
 *     neighbours n, and k_c a bound of sym(K_c): the largest of alpha w_f tau_f and of the absolute row sums. Hence no
 *     eigenvalue of S (below) is less than -50,000 D_l / e^2 for the smallest e, and the longest stable step is at least
 *     3.6e-5 e^2 / D_l. Well-shaped elements need 100 to 5,000 instead of 50,000 and keep their volume to the bit. The
 *     element holds more charge (and membrane) than its volume has; the fluxes do not change.
 *
 * Borders of tissues. At a border the gradient jumps and the flux is continuous: with the normal N of the
 * face,
 *
 *     D_c g_c . N = D_n g_n . N,   g_n - g_c along N,   so that   v_n - v_c = g_c . d~_c
 *     d~_c = d + s (N . d) / (N . D_n N) (D_c - D_n) N,   s = V_n / (V_c + V_n)
 *
 * for a field that is linear on either side. s is the fraction of d inside n: a centroid is at a quarter of
 * the height, and heights over one face are proportional to the volumes. Only at such a face, the element
 * uses d~_c instead of d and its own D_c instead of the mean: its star is a star inside its own tissue with a
 * displaced neighbour. The fluxes are exact for fields that are linear on either side of a plane, for any
 * tensors, and tau_f is the conductance of two resistances in series,
 *
 *     tau_f = |S| / (h_c / k_c + h_n / k_n),   h the heights of the centroids over the face,   k = N . D N
 *
 * equal from both sides. A mean of the tensors would transmit 2.5 D through a border of D and 4 D; the
 * correct value is 1.6 D. The algebra of the stars does not change: conservation, limiting, the check of the
 * spectrum. Within a tissue D is the mean, also if the fibres rotate. tests/solver/diffusion/test_tissues.c
 * tests the result.
 *
 * If chi Cm differs between tissues, fluxes and V_c are relative to the chi Cm of the first tissue: V_c is
 * the volume times the ratio of the element's own chi Cm to it. The conserved quantity is the charge, the sum
 * of chi Cm V v.
 *
 * With reaction spreading the operator also has kappa_c for the reaction (solver/diffusion/spreading.h), and
 * some V_c are larger.
 *
 * Linear, second order, conservative; not monotone. Contains no time loop and is independent of the machine. */
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

/* V^-1 M by rows, one per element of the mesh. With a_ij = rate for column = j:
 *   dv_i/dt = sum_j a_ij (v_j - v_i): the diagonal is minus the sum of the others, so constants are preserved;
 *   sum_i V_i a_ij = V_j sum_k a_jk to rounding: the sum of V v is conserved;
 *   columns of a row ascend, exclude the row itself and are at most two faces away;
 *   padding after them: the row's own index, rate 0.
 * S is the symmetric part of V^1/2 (V^-1 M) V^-1/2 on the complement of the constants. Its highest eigenvalue
 * bounds the growth rate of the V norm; its lowest limits the explicit Euler step.
 *
 * Rows take most of the memory of an operator, and backends store them in their own order and precision. A
 * lean operator therefore stores no rows: mt_diffusion_rows_of recomputes them from the mesh, to the same
 * bits. */
typedef struct mt_diffusion {
    size_t n_unknowns;     /* voltages: one per element, or per vertex if `nodal` */
    double *volume_mm3;    /* [n_elements] V_c > 0: the element's volume (times `capacity`), raised in some */
    double *rate;          /* [n_elements][16] per ms; NULL (as is `column`) if lean */
    uint32_t *column;      /* [n_elements][16] */
    const mt_stars *stars; /* for recomputing rows; NULL if not lean */
    char *fingerprint;     /* of a lean operator: the result of mt_diffusion_fingerprint */
    double *capacity;      /* [n_elements] chi Cm relative to the first tissue; NULL if all are equal */
    float *theta;          /* [n_elements] 1; between 0 and 1 in limited elements */
    double *kappa_ms;      /* [n_elements] >= 0, spreading of the reaction; NULL without spreading */
    float *slowed;         /* [n_elements] >= 1, factor of V_c due to the spreading; NULL without spreading */
    double limit_dt_ms;    /* 0.9 * 2 / |lowest eigenvalue of S|; infinite if nothing couples */
    double top_per_ms;     /* highest eigenvalue of S that was found; a lower bound of the true one */
    /* elements with indefinite sym(K_c) at theta = 1; 0 proves top <= 0 */
    size_t n_indefinite;
    size_t n_limited; /* elements with theta < 1 */
    size_t n_slivers; /* elements with a modified tau_f on a face, or with a raised V_c, as above */
    size_t n_slowed;  /* elements with V_c raised for the spreading */
    size_t n_rounds;  /* number of spectrum computations */
    /* Voltages at the vertices (solver/diffusion/nodal.h): the unknowns of this header are then vertices, and rows have this form instead
     * of `rate` and `column`. NULL: voltages at the centres of the elements. */
    const struct mt_nodal *nodal;
} mt_diffusion;

/* Options of mt_diffusion_make_with. Zero-initialised means no options. */
typedef struct mt_diffusion_options {
    /* borrowed; NULL, or of another mesh: limits are computed. With values, a lean operator needs no stars and no temporary memory. */
    const mt_limits *known;
    /* borrowed; NULL: the law of the scheme. No spreading if that of the scheme is 0. */
    const mt_spreading *spreading;
    bool lean; /* True if no rows are stored; mesh, adjacency and tissue indices are kept instead */
    mt_watch watch;
} mt_diffusion_options;

/* Builds the operator of one tissue in `arena`: 204 bytes per element, 12 if lean; 12 more with spreading, 8
 * more with different chi Cm; about 250 more temporarily. Borrows mesh and adjacency. Deterministic. Fails
 * with MT_INPUT if a value of the scheme is out of range, a value of the tissue is not above 0, or an element
 * (reported with its position) has no volume. Also if the mesh lacks fibres and the tissue is anisotropic, or
 * lacks sheets and the tissue is orthotropic. Fails with MT_NUMERICS if the spectrum cannot be found. */
MT_NODISCARD mt_status mt_diffusion_make(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_tissue *tissue, const mt_diffusion_scheme *scheme, mt_diffusion *diffusion);

/* Same, for several tissues and with options; also MT_STOPPED if the watch requests it. */
MT_NODISCARD mt_status mt_diffusion_make_with(mt_arena *arena, const mt_mesh *mesh,
    const mt_adjacency *adjacency, const mt_tissues *tissues, const mt_diffusion_scheme *scheme,
    const mt_diffusion_options *options, mt_diffusion *diffusion);

/* How one element was limited. */
typedef struct mt_diffusion_limiting {
    double theta; /* factor of its gradient; 1: unlimited */
    /* Smallest S . d / (|S| l) of the inner faces, l as above (1 if there are none); below 0.05 a tau_f is
     * modified. */
    double cosine;
    double capacity; /* V_c / volume, without spreading and differences of chi Cm; 1 if not raised */
    bool limited;    /* True if any of the three differs from its default */
} mt_diffusion_limiting;

mt_diffusion_limiting mt_diffusion_effect_on(
    const mt_diffusion *diffusion, const mt_mesh *mesh, const mt_adjacency *adjacency, size_t element);

/* Returns in `arena` the limits that were found for an operator, which suffice to rebuild it without a
 * search; of a lean operator with values. Keeps kappa of the operator. MT_MEMORY. */
MT_NODISCARD mt_status mt_diffusion_limits(mt_arena *arena, const mt_diffusion *diffusion, mt_limits *found);

/* Computes the unlimited gradients of the operator of these tissues: column[n_elements][4][3] per mm, in
 * `arena`, with
 *
 *     g_c = sum_f column[c][f] (v_n - v_c)
 *
 * where n is the neighbour across face f; 0 for a boundary face. Borrows mesh and adjacency. Fails with
 * MT_INPUT if mt_diffusion_make would reject the tissues or the mesh. MT_MEMORY. */
MT_NODISCARD mt_status mt_diffusion_gradients(mt_arena *arena, const mt_mesh *mesh,
    const mt_adjacency *adjacency, const mt_tissues *tissues, double **column);

/* Returns the pattern of elements that the rows read; borrows the operator. Of voltages at the vertices: that of vertices, with rows of
 * different lengths. */
mt_pattern mt_diffusion_pattern(const mt_diffusion *diffusion);

/* Computes the fingerprint of rows, kappa and s_ij: operators with equal fingerprints are equal. A lean operator
 * computes all its rows for this on the first call. MT_MEMORY. */
MT_NODISCARD mt_status mt_diffusion_fingerprint(const mt_diffusion *diffusion, char text[MT_HASH_SIZE]);

/* Rates of rows, for lists of elements. A lean operator recomputes them with OpenMP, in some microseconds
 * each. Lists should contain elements that are close to each other, since the stars of the list and of its
 * neighbours are computed once per list. */
typedef struct mt_diffusion_rows {
    const mt_diffusion *diffusion;
    double *rate; /* NULL if rows are recomputed */
    mt_rows anew;
} mt_diffusion_rows;

/* Allocates in `arena` for lists of at most `most` elements: 128 bytes each; as mt_rows_allocate for a lean
 * operator. Keeps the operator. MT_MEMORY. */
MT_NODISCARD mt_status mt_diffusion_rows_allocate(
    mt_arena *arena, const mt_diffusion *diffusion, size_t most, mt_diffusion_rows *rows);

/* Returns rate [n][16] of n different elements, valid until the next call. */
const double *mt_diffusion_rows_of(const mt_diffusion_rows *rows, size_t n, const uint32_t *element);

/* Returns all unknowns in an order in which consecutive ones form efficient lists, and are close in space. For voltages at the vertices:
 * that of solver/diffusion/nodal_rows.h. For elements without a lean operator: that of the mesh. MT_MEMORY. */
MT_NODISCARD mt_status mt_diffusion_order(
    mt_arena *arena, const mt_diffusion *diffusion, mt_element_order *order);

/* Computes the rows of a lean operator and stores them in `arena`; the operator is no longer lean. Does nothing
 * for voltages at the vertices. MT_MEMORY. */
MT_NODISCARD mt_status mt_diffusion_keep_rows(mt_arena *arena, mt_diffusion *diffusion);

/* Computes dv_dt = V^-1 M v [per ms]; not for lean operators. A constant v yields exactly 0. */
void mt_diffusion_apply(const mt_diffusion *diffusion, const double *v, double *dv_dt);

/* One explicit Euler step is Z = I + dt V^-1 M: (Z v)_i = diagonal_i v_i + sum_k off[i][k] v[column[i][k]].
 * Computes off [16] of a row from its rates [16] and returns its diagonal, 1 - sum of off, added in column
 * order. In single precision off is rounded first, and the diagonal is 1 minus the sum (in double) of the
 * rounded values. Constants are then preserved to one rounding, and conservation holds to rounding only. */
double mt_diffusion_step_row(const double *rate, double dt_ms, double *off);
float mt_diffusion_step_row_float(const double *rate, double dt_ms, float *off);
