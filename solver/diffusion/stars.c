#include "solver/diffusion/stars.h"

#include <math.h>
#include <string.h>

#include "data/core/vec3.h"
#include "solver/diffusion/spectrum.h"
#include "solver/diffusion/tissue.h"

enum { GROUP = MT_STARS_GROUP };
_Static_assert(MT_STARS_CHUNK % GROUP == 0, "chunks have complete groups");

static const double SHORTEST = 0.4;      /* lower bound of |d| / sqrt|S| of a face */
static const double LEAST_WEIGHT = 0.01; /* of the minimum correction */
static const double STIFFEST = 5e4;      /* largest |eigenvalue| of S, times e^2 / D_l */
static const double SECOND_NORMAL = 0.2; /* relative singular value from which a direction counts */
static const double RANK_CUT = 1e-8;     /* of the pseudo-inverse, relative */
static const double DEFINITE = 1e-12;    /* rounding allowed in the smallest eigenvalue of a star */

typedef double vec3[3];

/* ---- geometry of one element ---- */

/* The geometry of an element and its neighbours. Neighbours across a border of tissues appear as if in its own
 * tissue (seen_across). */
typedef struct element_shape {
    vec3 area[4];     /* S_f, outward [mm^2] */
    vec3 to[4];       /* d_f [mm]; 0 at the boundary */
    vec3 flux[4];     /* D_f S_f; at the boundary D_c S_f */
    double tau[4];    /* 0 at the boundary */
    double weight[4]; /* of the damping */
    bool oblique;     /* True if tau is bounded on a face */
} element_shape;

/* Computes the mean of the tensors of two elements of one tissue (c = n: the tensor of one element). */
static void mean_tensor(const mt_stars *s, size_t c, size_t n, double tensor[3][3])
{
    const double *d = mt_tissue_field_at(&s->field, c)->d, *p = s->field.fibre + 3 * c,
                 *q = s->field.fibre + 3 * n;
    const double along = (d[0] - d[1]) / 2, normal = (d[2] - d[1]) / 2;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) tensor[i][j] = (i == j ? d[1] : 0) + along * (p[i] * p[j] + q[i] * q[j]);
    if (!s->field.sheet) return;
    mt_tissue_tensor_add_normal(normal, p, s->field.sheet + 3 * c, tensor);
    mt_tissue_tensor_add_normal(normal, q, s->field.sheet + 3 * n, tensor);
}

/* Computes the mean tensor times S. */
static void mean_flux(const mt_stars *s, size_t c, size_t n, const vec3 area, vec3 flux)
{
    const double *d = mt_tissue_field_at(&s->field, c)->d, *p = s->field.fibre + 3 * c,
                 *q = s->field.fibre + 3 * n;
    double along = (d[0] - d[1]) / 2, sp = along * mt_dot3(p, area), sq = along * mt_dot3(q, area);
    for (int k = 0; k < 3; k++) flux[k] = d[1] * area[k] + (sp * p[k] + sq * q[k]);
    if (!s->field.sheet) return;
    double tensor[3][3] = {{0}};
    const double normal = (d[2] - d[1]) / 2;
    mt_tissue_tensor_add_normal(normal, p, s->field.sheet + 3 * c, tensor);
    mt_tissue_tensor_add_normal(normal, q, s->field.sheet + 3 * n, tensor);
    for (int k = 0; k < 3; k++) flux[k] += mt_dot3(tensor[k], area);
}

double mt_stars_lengths(const vec3 area, const vec3 to)
{
    const double size = sqrt(mt_dot3(area, area));
    return size * fmax(sqrt(mt_dot3(to, to)), SHORTEST * sqrt(size));
}

/* Returns the weight of the minimum correction (solver/diffusion/scheme.h), for the tensor D, S . d of the face and
 * its flux D S. */
static double minimum_weight(double d[3][3], const vec3 area, const vec3 flux, const vec3 to, double across)
{
    double cofactor[3][3];
    if (across <= 0) return LEAST_WEIGHT;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int a = (i + 1) % 3, b = (i + 2) % 3, e = (j + 1) % 3, g = (j + 2) % 3;
            cofactor[i][j] = d[a][e] * d[b][g] - d[a][g] * d[b][e];
        }
    const double determinant = mt_dot3(d[0], cofactor[0]);
    double inverse_norm = 0;
    for (int i = 0; i < 3; i++) inverse_norm += to[i] * mt_dot3(cofactor[i], to);
    const double cosine2 = across * across * determinant / (mt_dot3(area, flux) * inverse_norm);
    return fmin(fmax(cosine2, LEAST_WEIGHT), 1);
}

/* True if the tissues of two elements conduct differently, regardless of directions. */
static bool at_border(const mt_stars *s, size_t c, size_t n)
{
    if (!s->field.of || s->field.of[c] == s->field.of[n]) return false;
    const double *here = mt_tissue_field_at(&s->field, c)->d, *there = mt_tissue_field_at(&s->field, n)->d;
    return here[0] != there[0] || here[1] != there[1] || here[2] != there[2];
}

/* Replaces d of a face at a border of tissues by d~, and returns S . d~ / (S . d), for S . d and the flux D_c S. */
static double seen_across(
    const mt_stars *s, size_t c, size_t n, const vec3 area, const vec3 flux, double across, vec3 to)
{
    vec3 beyond;
    mean_flux(s, n, n, area, beyond);
    const double own = mt_mesh_volume_mm3(s->mesh, c), other = mt_mesh_volume_mm3(s->mesh, n),
                 share = other / (own + other), k_n = mt_dot3(area, beyond);
    for (int k = 0; k < 3; k++) to[k] += share * across / k_n * (flux[k] - beyond[k]);
    return (1 - share) + share * mt_dot3(area, flux) / k_n;
}

/* Computes all values of an inner face. */
static void shape_face(const mt_stars *s, size_t c, const vec3 here, size_t n, int f, element_shape *shape)
{
    const bool border = at_border(s, c, n);
    const size_t with = border ? c : n;
    double *area = shape->area[f], *to = shape->to[f], *flux = shape->flux[f];
    vec3 there;
    mean_flux(s, c, with, area, flux);
    mt_mesh_centroid(s->mesh, n, there);
    mt_minus3(there, here, to);
    const double across = mt_dot3(area, to), lengths = mt_stars_lengths(area, to);
    const bool oblique = across < MT_STARS_COSINE * lengths;
    const double longer = border ? seen_across(s, c, n, area, flux, across, to) : 1;
    shape->tau[f] = mt_dot3(area, flux) / (longer * (oblique ? lengths : across));
    shape->oblique = shape->oblique || oblique;
    shape->weight[f] = 1;
    if (s->scheme->correction != MT_CORRECTION_MINIMUM) return;
    double tensor[3][3];
    mean_tensor(s, c, with, tensor);
    shape->weight[f] = minimum_weight(tensor, area, flux, to, longer * across);
}

static void shape_of(const mt_stars *s, size_t c, element_shape *shape)
{
    vec3 here;
    shape->oblique = false;
    mt_mesh_centroid(s->mesh, c, here);
    for (int f = 0; f < 4; f++) {
        const uint32_t n = s->adjacency->neighbour[4 * c + (size_t)f];
        mt_mesh_face_area(s->mesh, c, (size_t)f, shape->area[f]);
        if (n != MT_NO_ELEMENT) {
            shape_face(s, c, here, n, f, shape);
            continue;
        }
        mean_flux(s, c, c, shape->area[f], shape->flux[f]);
        for (size_t k = 0; k < 3; k++) shape->to[f][k] = 0;
        shape->tau[f] = 0;
        shape->weight[f] = 1;
    }
}

/* ---- the star of one element ---- */

/* Removes the directions of the boundary's conormals (unit vectors D^1/2 S, as rows) from the space: P = I - sum u
 * u'. A direction counts if its singular value is not small compared with the largest: two nearly coplanar faces
 * remove one. */
static void project_out(int count, vec3 *normals, double p[3][3])
{
    double gram[4][4] = {{0}}, values[4], u[4][4];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            p[i][j] = i == j;
            for (int k = 0; k < count; k++) gram[i][j] += normals[k][i] * normals[k][j];
        }
    if (count == 0) return;
    mt_spectrum_small(3, gram, values, u);
    for (int m = 0; m < 3; m++) {
        if (values[m] <= SECOND_NORMAL * SECOND_NORMAL * values[2]) continue;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) p[i][j] -= u[m][i] * u[m][j];
    }
}

/* Computes the pseudo-inverse of matrix k of a group of positive semidefinite ones, from its eigenvalues on the diagonal and its axes;
 * eigenvalues small compared with `size` count as 0. */
static void pseudo_inverse(
    double matrix[3][3][GROUP], double axis[3][3][GROUP], size_t k, double size, double inverse[3][3])
{
    int order[3] = {0, 1, 2};
    for (int i = 1; i < 3; i++) /* ascending, which defines the order of the sums */
        for (int j = i; j > 0 && matrix[order[j]][order[j]][k] < matrix[order[j - 1]][order[j - 1]][k]; j--) {
            const int other = order[j];
            order[j] = order[j - 1], order[j - 1] = other;
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int m = 0; m < 3; m++) {
                const double value = matrix[order[m]][order[m]][k];
                if (value > RANK_CUT * size) sum += axis[order[m]][i][k] * axis[order[m]][j][k] / value;
            }
            inverse[i][j] = inverse[j][i] = sum;
        }
}

static void multiply3(double a[3][3], const vec3 x, vec3 y)
{
    for (int i = 0; i < 3; i++) y[i] = mt_dot3(a[i], x);
}

/* Computes P for the boundary faces of an element, in y = D^-1/2 x. */
static void boundary_projector(const mt_stars *s, size_t c, const element_shape *shape, double p[3][3])
{
    const double *d = mt_tissue_field_at(&s->field, c)->d;
    double half[3][3];
    vec3 normals[4];
    int count = 0;
    mt_tissue_field_tensor(&s->field, c, (double[]){sqrt(d[0]), sqrt(d[1]), sqrt(d[2])}, half);
    for (int f = 0; f < 4; f++) {
        if (s->adjacency->neighbour[4 * c + (size_t)f] != MT_NO_ELEMENT) continue;
        multiply3(half, shape->area[f], normals[count]);
        double length = sqrt(mt_dot3(normals[count], normals[count]));
        for (int k = 0; k < 3; k++) normals[count][k] /= length;
        count++;
    }
    project_out(count, normals, p);
}

/* An element whose star is computed. */
typedef struct parts {
    element_shape shape;
    double minus_half[3][3]; /* D^-1/2 */
    vec3 dp[4];              /* P D^-1/2 d_f */
    double size;    /* of the fit before the projection: with 3 boundary faces only rounding remains */
    vec3 column[4]; /* of B: the gradient is sum_f column[f] (v_n - v_c) */
    double damping[4], qb[4][4];
} parts;

/* Computes the matrix of the least-squares fit in y = D^-1/2 x, number k of a group. */
static void fit(const mt_stars *s, size_t c, parts *p, size_t k, double matrix[3][3][GROUP])
{
    const double *d = mt_tissue_field_at(&s->field, c)->d;
    double projector[3][3], sum[3][3] = {{0}};
    p->size = 0;
    mt_tissue_field_tensor(
        &s->field, c, (double[]){1 / sqrt(d[0]), 1 / sqrt(d[1]), 1 / sqrt(d[2])}, p->minus_half);
    boundary_projector(s, c, &p->shape, projector);
    for (int f = 0; f < 4; f++) {
        vec3 dy;
        multiply3(p->minus_half, p->shape.to[f], dy);
        multiply3(projector, dy, p->dp[f]);
        p->size += p->shape.tau[f] * mt_dot3(dy, dy);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) sum[i][j] += p->shape.tau[f] * p->dp[f][i] * p->dp[f][j];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) matrix[i][j][k] = sum[i][j];
}

static void put_columns(double inverse[3][3], parts *p)
{
    for (int f = 0; f < 4; f++) {
        vec3 y;
        multiply3(inverse, p->dp[f], y);
        multiply3(p->minus_half, y, p->column[f]);
        for (int k = 0; k < 3; k++) p->column[f][k] *= p->shape.tau[f];
    }
}

/* Computes shapes and gradients of n <= GROUP elements. */
static void gradients(const mt_stars *s, size_t n, const size_t *element, parts *p)
{
    double matrix[3][3][GROUP] = {{{0}}}, axis[3][3][GROUP], inverse[3][3];
    for (size_t k = 0; k < n; k++) {
        shape_of(s, element[k], &p[k].shape);
        fit(s, element[k], &p[k], k, matrix);
    }
    mt_axes_of_group(matrix, axis);
    for (size_t k = 0; k < n; k++) {
        pseudo_inverse(matrix, axis, k, p[k].size, inverse);
        put_columns(inverse, &p[k]);
    }
}

/* Computes the two parts of K_c = alpha diag(w tau) + theta Q B. */
static void star_parts(const mt_stars *s, size_t c, parts *p)
{
    for (int f = 0; f < 4; f++) {
        bool inner = s->adjacency->neighbour[4 * c + (size_t)f] != MT_NO_ELEMENT;
        p->damping[f] = s->scheme->damping * p->shape.tau[f] * p->shape.weight[f];
        vec3 q;
        for (int k = 0; k < 3; k++)
            q[k] = inner ? p->shape.flux[f][k] - p->damping[f] * p->shape.to[f][k] : 0;
        for (int g = 0; g < 4; g++) p->qb[f][g] = mt_dot3(q, p->column[g]);
    }
}

/* Returns the smallest eigenvalue of T^-1/2 sym(Q B) T^-1/2, T = alpha diag(w tau), over the inner faces; the star
 * is indefinite if it is below -1. */
static double star_lowest(const double damping[4], double qb[4][4])
{
    double a[4][4], values[4] = {0}, vectors[4][4];
    int order = 0, inner[4];
    for (int f = 0; f < 4; f++)
        if (damping[f] > 0) inner[order++] = f;
    for (int i = 0; i < order; i++)
        for (int j = 0; j < order; j++) {
            int f = inner[i], g = inner[j];
            a[i][j] = (qb[f][g] + qb[g][f]) / (2 * sqrt(damping[f] * damping[g]));
        }
    mt_spectrum_small(order, a, values, vectors);
    return values[0];
}

/* True if sym(Q B) + (1 - MARGIN) T has a Cholesky factor, T as in star_lowest. Then star_lowest is above -1: rounding is below
 * MARGIN / 100, because the diagonal is at most 1 / MARGIN times T. */
static bool is_clearly_definite(const double damping[4], double qb[4][4])
{
    static const double MARGIN = 1e-6;
    double a[4][4];
    for (int f = 0; f < 4; f++) {
        for (int g = 0; g <= f; g++) a[f][g] = (qb[f][g] + qb[g][f]) / 2;
        a[f][f] += (1 - MARGIN) * damping[f];
        if (damping[f] > 0 && !(a[f][f] * MARGIN <= damping[f])) return false;
    }
    for (int k = 0; k < 4; k++) {
        if (!(damping[k] > 0)) continue;
        if (!(a[k][k] > 0)) return false;
        for (int i = k + 1; i < 4; i++) {
            const double factor = a[i][k] / a[k][k];
            for (int j = k + 1; j <= i; j++) a[i][j] -= factor * a[j][k];
        }
    }
    return true;
}

static bool is_indefinite(const double damping[4], double qb[4][4])
{
    return !is_clearly_definite(damping, qb) && star_lowest(damping, qb) < -1 - DEFINITE;
}

/* Computes the upper triangle of sym(K_c). */
static void form_of(const double k[16], double half[10])
{
    for (size_t f = 0; f < 4; f++)
        for (size_t g = f; g < 4; g++) *half++ = (k[4 * f + g] + k[4 * g + f]) / 2;
}

static void put_star(const double damping[4], double qb[4][4], double theta, double star[16])
{
    for (size_t f = 0; f < 4; f++)
        for (size_t g = 0; g < 4; g++) star[4 * f + g] = (f == g ? damping[f] : 0) + theta * qb[f][g];
}

static void keep_star(mt_stars *s, size_t c, const double damping[4], double qb[4][4], double theta)
{
    put_star(damping, qb, theta, s->star + 16 * c);
    if (s->form) form_of(s->star + 16 * c, s->form + 10 * c);
}

/* Returns theta of an indefinite star that is limited. */
static double limited_theta(const double damping[4], double qb[4][4])
{
    return 0.98 / -star_lowest(damping, qb);
}

/* Computes all values of n <= GROUP elements. */
static void parts_of(const mt_stars *s, size_t n, const size_t *element, parts *p)
{
    size_t there[GROUP] = {0};
    const mt_stars *in = s;
    for (size_t k = 0; k < n; k++) {
        there[k] = element[k];
        in = mt_stars_geometry(s, &there[k]);
    }
    gradients(in, n, there, p);
    for (size_t k = 0; k < n; k++) star_parts(in, there[k], &p[k]);
}

void mt_stars_some(const mt_stars *s, size_t n, const uint32_t *element, double *star)
{
    size_t c[GROUP] = {0};
    parts p[GROUP];
    for (size_t k = 0; k < n; k++) c[k] = element[k];
    parts_of(s, n, c, p);
    for (size_t k = 0; k < n; k++)
        put_star(p[k].damping, p[k].qb, s->theta[c[k]] < 1 ? limited_theta(p[k].damping, p[k].qb) : 1,
            star + 16 * k);
}

size_t mt_stars_limit(mt_stars *s, size_t c)
{
    parts p;
    if (!s->indefinite[c]) return 0;
    parts_of(s, 1, &c, &p);
    const double theta = limited_theta(p.damping, p.qb);
    keep_star(s, c, p.damping, p.qb, theta);
    s->theta[c] = (float)theta;
    s->indefinite[c] = s->pending[c] = 0;
    return 1;
}

/* ---- all elements ---- */

static mt_status refuse_volume(const mt_stars *s, size_t c)
{
    double x[3];
    mt_mesh_centroid(s->mesh, c, x);
    return mt_fail(MT_INPUT,
        "element %zu at [%.6g, %.6g, %.6g] mm: volume %g mm^3; it must be finite and above 0 (`myotile mesh "
        "convert IN OUT --repair` reorients inverted elements and removes flat ones)",
        mt_mesh_number(s->mesh, c), x[0], x[1], x[2], s->volume[c]);
}

static mt_status volumes(mt_stars *s)
{
    size_t bad = s->n;
#pragma omp parallel for schedule(static) reduction(min : bad) if (s->n >= MT_STARS_PARALLEL_FROM)
    for (size_t c = 0; c < s->n; c++) {
        const size_t element = s->order->element[c];
        s->volume[c] = mt_mesh_volume_mm3(s->mesh, c);
        const bool holds = s->volume[c] > 0 && isfinite(s->volume[c]);
        if (holds) s->volume[c] *= mt_tissue_field_at(&s->field, c)->capacity;
        if (!holds && element < bad) bad = element;
    }
    return bad < s->n ? refuse_volume(s, s->order->place[bad]) : MT_OK;
}

/* Returns a bound of |sym(K_c)|. It includes the damping, so it holds for every theta: sym(K_c) is between alpha
 * diag(w tau) and its value at theta = 1. */
static double star_bound(const double damping[4], const double star[16])
{
    static const int at[4][4] = {{0, 1, 2, 3}, {1, 4, 5, 6}, {2, 5, 7, 8}, {3, 6, 8, 9}};
    double bound = 0, half[10];
    form_of(star, half);
    for (int f = 0; f < 4; f++) {
        double row = 0;
        for (int g = 0; g < 4; g++) row += fabs(half[at[f][g]]);
        bound = fmax(bound, fmax(row, damping[f]));
    }
    return bound;
}

void mt_stars_bound(mt_stars *s)
{
    static const double no_damping[4] = {0};
#pragma omp parallel for schedule(static) if (s->n >= MT_STARS_PARALLEL_FROM)
    for (size_t c = 0; c < s->n; c++) s->z[c] = star_bound(no_damping, s->star + 16 * c);
}

/* Builds the stars of n <= GROUP elements, from element `first` on, at theta = 1, with their bounds in z. If `ask`, finds whether they are
 * indefinite. */
static void make_stars(mt_stars *s, size_t n, size_t first, bool ask)
{
    size_t element[GROUP] = {0};
    parts all[GROUP];
    for (size_t k = 0; k < n; k++) element[k] = first + k;
    parts_of(s, n, element, all);
    for (size_t k = 0; k < n; k++) {
        const size_t c = first + k;
        parts *p = &all[k];
        s->indefinite[c] = s->pending[c] = ask && is_indefinite(p->damping, p->qb);
        keep_star(s, c, p->damping, p->qb, 1);
        s->theta[c] = 1;
        s->oblique[c] = p->shape.oblique;
        s->z[c] = star_bound(p->damping, s->star + 16 * c);
    }
}

static mt_status look_at_all(mt_stars *s, bool ask, size_t *n_indefinite)
{
    size_t indefinite = 0;
    for (size_t first = 0; first < s->n; first += MT_STARS_CHUNK) {
        MT_TRY(mt_watch_report(s->watch, "coupling elements", (double)first / (double)s->n));
#pragma omp parallel for schedule(static) reduction(+ : indefinite) if (s->n >= MT_STARS_PARALLEL_FROM)
        for (size_t at = first; at < mt_stars_chunk_end(s, first); at += GROUP) {
            const size_t n = s->n - at < GROUP ? s->n - at : GROUP;
            make_stars(s, n, at, ask);
            for (size_t c = at; c < at + n; c++) indefinite += s->indefinite[c];
        }
    }
    *n_indefinite = indefinite;
    return MT_OK;
}

/* ---- capacity of slivers ---- */

static double longest_edge_squared(const mt_mesh *mesh, size_t c)
{
    const uint32_t *v = mesh->element_vertex + 4 * c;
    double longest = 0;
    for (size_t i = 1; i < 4; i++)
        for (size_t j = 0; j < i; j++) {
            vec3 edge;
            mt_minus3(mesh->xyz_mm + 3 * (size_t)v[i], mesh->xyz_mm + 3 * (size_t)v[j], edge);
            longest = fmax(longest, mt_dot3(edge, edge));
        }
    return longest;
}

/* -v' M v = 1/2 sum delta_c' K_c delta_c <= 1/2 sum k_c |delta_c|^2, and (v_n - v_c)^2 <= 2 v_n^2 + 2 v_c^2: the
 * load is the largest coefficient of v_c^2. */
double mt_stars_load(const mt_stars *s, size_t c)
{
    double load = 0;
    for (size_t f = 0; f < 4; f++) {
        const uint32_t n = s->adjacency->neighbour[4 * c + f];
        if (n != MT_NO_ELEMENT) load += s->z[c] + s->z[n];
    }
    return load;
}

/* Returns the largest diffusivity of an element and its neighbours, each over its own chi Cm. */
static double largest_diffusivity(const mt_stars *s, size_t c)
{
    double largest = 0;
    for (size_t f = 0; f < 5; f++) {
        const uint32_t n = f < 4 ? s->adjacency->neighbour[4 * c + f] : (uint32_t)c;
        if (n == MT_NO_ELEMENT) continue;
        const mt_tissue_axes *t = mt_tissue_field_at(&s->field, n);
        largest = fmax(largest, fmax(fmax(t->d[0], t->d[1]), t->d[2]) / t->capacity);
    }
    return largest;
}

/* Sets V_c as the header defines it; z must have the bounds of the stars. Returns the number of slivers. */
static size_t hold_slivers(mt_stars *s)
{
    size_t slivers = 0;
#pragma omp parallel for schedule(static) reduction(+ : slivers) if (s->n >= MT_STARS_PARALLEL_FROM)
    for (size_t c = 0; c < s->n; c++) {
        const double least =
            mt_stars_load(s, c) * longest_edge_squared(s->mesh, c) / (STIFFEST * largest_diffusivity(s, c));
        const bool raised = least > s->volume[c];
        if (raised) s->volume[c] = least;
        slivers += raised || s->oblique[c];
    }
    return slivers;
}

static void ways_back(mt_stars *s)
{
    const uint32_t *neighbour = s->adjacency->neighbour;
#pragma omp parallel for schedule(static) if (s->n >= MT_STARS_PARALLEL_FROM)
    for (size_t c = 0; c < s->n; c++)
        for (size_t f = 0; f < 4; f++) {
            uint32_t n = neighbour[4 * c + f];
            s->back[4 * c + f] = (uint8_t)f;
            for (uint8_t g = 0; n != MT_NO_ELEMENT && g < 4; g++)
                if (neighbour[4 * (size_t)n + g] == c) s->back[4 * c + f] = g;
        }
}

void mt_stars_form(mt_stars *s)
{
#pragma omp parallel for schedule(static) if (s->n >= MT_STARS_PARALLEL_FROM)
    for (size_t c = 0; c < s->n; c++) form_of(s->star + 16 * c, s->form + 10 * c);
}

mt_status mt_stars_alloc_forms(mt_arena *scratch, mt_stars *s)
{
    MT_ALLOC(scratch, s->form, 10 * s->n);
    mt_stars_form(s);
    return MT_OK;
}

/* In sequence: a form ends before the next star begins. */
void mt_stars_become_forms(mt_stars *s)
{
    s->form = s->star;
    s->star = NULL;
    for (size_t c = 0; c < s->n; c++) {
        double star[16];
        memcpy(star, s->form + 16 * c, sizeof star);
        form_of(star, s->form + 10 * c);
    }
}

void mt_stars_update_volumes(mt_stars *s)
{
    double total = 0;
    for (size_t c = 0; c < s->n; c++) total += s->volume[c];
#pragma omp parallel for schedule(static) if (s->n >= MT_STARS_PARALLEL_FROM)
    for (size_t c = 0; c < s->n; c++) {
        s->root[c] = 1 / sqrt(s->volume[c]);
        s->null_root[c] = sqrt(s->volume[c] / total);
    }
}

/* ---- public functions ---- */

static mt_status take_room(mt_arena *arena, mt_arena *scratch, mt_stars *s)
{
    MT_ALLOC(arena, s->star, 16 * s->n);
    MT_ALLOC(arena, s->back, 4 * s->n);
    MT_ALLOC(arena, s->root, s->n);
    MT_ALLOC(arena, s->null_root, s->n);
    MT_ALLOC(scratch, s->volume, s->n);
    MT_ALLOC(scratch, s->theta, s->n);
    MT_ALLOC(scratch, s->indefinite, s->n);
    MT_ALLOC(scratch, s->pending, s->n);
    MT_ALLOC(scratch, s->oblique, s->n);
    MT_ALLOC(scratch, s->z, s->n);
    return MT_OK;
}

mt_status mt_stars_make(
    mt_arena *arena, mt_arena *scratch, mt_stars *s, bool ask, size_t *n_indefinite, size_t *n_slivers)
{
    MT_TRY(take_room(arena, scratch, s));
    MT_TRY(volumes(s));
    MT_TRY(look_at_all(s, ask, n_indefinite));
    *n_slivers = hold_slivers(s);
    ways_back(s);
    mt_stars_update_volumes(s);
    return MT_OK;
}

void mt_stars_gradients(const mt_stars *s, double *column)
{
#pragma omp parallel for schedule(static) if (s->n >= MT_STARS_PARALLEL_FROM)
    for (size_t c = 0; c < s->n; c++) {
        parts p;
        gradients(s, 1, &c, &p);
        memcpy(column + 12 * c, p.column, sizeof p.column);
    }
}

mt_status mt_stars_find_indefinite(mt_stars *s, size_t *n_indefinite)
{
    return look_at_all(s, true, n_indefinite);
}

bool mt_stars_is_indefinite(mt_stars *s, size_t c)
{
    make_stars(s, 1, c, true);
    return s->indefinite[c];
}
