#include "solver/diffusion/diffusion.h"

#include <math.h>
#include <stdbool.h>

#include "data/vec3.h"
#include "solver/diffusion/growth.h"
#include "solver/diffusion/spectrum.h"

enum {
    ROW = MT_DIFFUSION_ROW,
    MAX_LANCZOS = 400,
    MAX_VECTORS = 12,
    MAX_ROUNDS = 24,
    PARALLEL_FROM = 8192, /* cells; below that, threads cost more than they bring */
    CHUNK = 65536         /* cells between two calls of the watch */
};

static const double SMALLEST_COSINE = 0.05; /* S . d / lengths_of a face; below, tau is another */
static const double SHORTEST = 0.4;         /* |d| / sqrt|S| of a face; below, this counts in its place */
static const double STIFFEST = 5e4;         /* eigenvalues of S, times e^2 / D_l */
static const double SECOND_NORMAL = 0.2;    /* singular value, relative, from which a direction counts */
static const double RANK_CUT = 1e-8;        /* of the pseudo-inverse, relative */
static const double DEFINITE = 1e-12;       /* rounding allowed in the smallest eigenvalue of a star */
static const double TOP_ALLOWED = 1e-6;     /* [per ms] */
static const double DT_SAFETY = 0.9;        /* covers the part of M that is not symmetric, and Lanczos */

typedef double vec3[3];

/* What is needed while the operator is made. star and w are per cell and face. */
typedef struct builder {
    const mt_mesh *mesh;
    const mt_adjacency *adjacency;
    size_t n;
    double alpha, d_l, d_t;
    const double *fibre; /* [n][3] */
    double *volume;      /* [n] V_c */
    double *centroid;    /* [n][3] */
    double *star;        /* [n][4][4] K_c */
    uint32_t *near;      /* [n][4] the neighbours; at the boundary the cell itself, which differs by 0 */
    uint8_t *back;       /* [n][4] the face of `near` that leads back here; at the boundary the same face */
    uint8_t *indefinite; /* [n] 1 as long as the star can create energy */
    float *theta;        /* [n] */
    uint8_t *pending;    /* [n] 1: indefinite, and nobody has looked since a star close by changed */
    uint8_t *oblique;    /* [n] 1: tau is bounded on a face */
    double *root;        /* [n] V^-1/2 */
    double *null_root;   /* [n] V^1/2 / |V^1/2|: the constants, as S sees them */
    double *form;        /* [n][10] sym(K_c), upper half, row by row */
    double *w, *z;       /* [n][4], [n] scratch of apply_symmetric */
    struct watching *watching;
} builder;

/* Whom to tell, and what is being done. */
typedef struct watching {
    mt_diffusion_watch *watch; /* or NULL */
    void *user;
    size_t applied; /* times that the symmetric part was, in this look at the spectrum */
} watching;

static bool go_on(const builder *b, const char *stage, double done)
{
    return !b->watching->watch || b->watching->watch(b->watching->user, stage, fmin(done, 1));
}

static mt_status go_on_or_stop(const builder *b, const char *stage, size_t cells_done)
{
    if (go_on(b, stage, (double)cells_done / (double)b->n)) return MT_OK;
    return mt_fail(MT_STOPPED, "stopped while the diffusion operator was made");
}

static size_t chunk_end(const builder *b, size_t first)
{
    return first + CHUNK < b->n ? first + CHUNK : b->n;
}

/* ---- geometry of one cell ---- */

typedef struct cell_shape {
    vec3 area[4];  /* S_f, outward [mm^2] */
    vec3 to[4];    /* d_f [mm]; 0 at the boundary */
    vec3 flux[4];  /* D_f S_f; at the boundary D_c S_f */
    double tau[4]; /* 0 at the boundary */
    bool oblique;  /* tau is bounded on a face */
} cell_shape;

/* D S for the mean of the tensors of two cells (twice the same for one cell). */
static void mean_flux(const builder *b, size_t c, size_t n, const vec3 area, vec3 flux)
{
    const double *p = b->fibre + 3 * c, *q = b->fibre + 3 * n;
    double along = (b->d_l - b->d_t) / 2, sp = along * mt_dot3(p, area), sq = along * mt_dot3(q, area);
    for (int k = 0; k < 3; k++) flux[k] = b->d_t * area[k] + (sp * p[k] + sq * q[k]);
}

/* |S| |d| of a face; of one whose d is short beside it, of a longer d. */
static double lengths_of(const vec3 area, const vec3 to)
{
    const double size = sqrt(mt_dot3(area, area));
    return size * fmax(sqrt(mt_dot3(to, to)), SHORTEST * sqrt(size));
}

static void shape_of(const builder *b, size_t c, cell_shape *shape)
{
    shape->oblique = false;
    for (int f = 0; f < 4; f++) {
        uint32_t n = b->adjacency->neighbour[4 * c + (size_t)f];
        bool inner = n != MT_NO_CELL;
        mt_mesh_face_area(b->mesh, c, (size_t)f, shape->area[f]);
        mean_flux(b, c, inner ? n : c, shape->area[f], shape->flux[f]);
        for (size_t k = 0; k < 3; k++)
            shape->to[f][k] = inner ? b->centroid[3 * (size_t)n + k] - b->centroid[3 * c + k] : 0;
        shape->tau[f] = 0;
        if (!inner) continue;
        double across = mt_dot3(shape->area[f], shape->to[f]);
        double lengths = lengths_of(shape->area[f], shape->to[f]);
        const bool oblique = across < SMALLEST_COSINE * lengths;
        shape->tau[f] = mt_dot3(shape->area[f], shape->flux[f]) / (oblique ? lengths : across);
        shape->oblique = shape->oblique || oblique;
    }
}

/* ---- the star of one cell ---- */

/* Takes the directions of the boundary's conormals (unit vectors D^1/2 S, as rows) out of the space:
 * P = I - sum u u'. A direction counts if its singular value is not small beside the largest: two nearly
 * coplanar faces remove one. */
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

/* inverse = pseudo-inverse of a symmetric matrix without negative eigenvalues; what is small beside `size` is 0. */
static void pseudo_inverse(double a[4][4], double size, double inverse[3][3])
{
    double values[4], u[4][4];
    mt_spectrum_small(3, a, values, u);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            inverse[i][j] = 0;
            for (int m = 0; m < 3; m++)
                if (values[m] > RANK_CUT * size) inverse[i][j] += u[m][i] * u[m][j] / values[m];
        }
}

static void multiply3(double a[3][3], const vec3 x, vec3 y)
{
    for (int i = 0; i < 3; i++) y[i] = mt_dot3(a[i], x);
}

/* P for the boundary faces of a cell, in y = D^-1/2 x. */
static void boundary_projector(const builder *b, size_t c, const cell_shape *shape, double p[3][3])
{
    double half[3][3];
    vec3 normals[4];
    int count = 0;
    mt_tissue_tensor(sqrt(b->d_l), sqrt(b->d_t), b->fibre + 3 * c, half);
    for (int f = 0; f < 4; f++) {
        if (b->adjacency->neighbour[4 * c + (size_t)f] != MT_NO_CELL) continue;
        multiply3(half, shape->area[f], normals[count]);
        double length = sqrt(mt_dot3(normals[count], normals[count]));
        for (int k = 0; k < 3; k++) normals[count][k] /= length;
        count++;
    }
    project_out(count, normals, p);
}

/* column[f] of B: the gradient is sum_f column[f] (v_n - v_c). */
static void gradient(const builder *b, size_t c, const cell_shape *shape, vec3 column[4])
{
    double minus_half[3][3], p[3][3], fit[4][4] = {{0}}, inverse[3][3];
    double size =
        0; /* the fit before the boundary took its part: with 3 boundary faces only rounding is left */
    vec3 dp[4];
    mt_tissue_tensor(1 / sqrt(b->d_l), 1 / sqrt(b->d_t), b->fibre + 3 * c, minus_half);
    boundary_projector(b, c, shape, p);
    for (int f = 0; f < 4; f++) {
        vec3 dy;
        multiply3(minus_half, shape->to[f], dy);
        multiply3(p, dy, dp[f]);
        size += shape->tau[f] * mt_dot3(dy, dy);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) fit[i][j] += shape->tau[f] * dp[f][i] * dp[f][j];
    }
    pseudo_inverse(fit, size, inverse);
    for (int f = 0; f < 4; f++) {
        vec3 y;
        multiply3(inverse, dp[f], y);
        multiply3(minus_half, y, column[f]);
        for (int k = 0; k < 3; k++) column[f][k] *= shape->tau[f];
    }
}

/* The two parts of K_c = alpha diag(tau) + theta Q B. */
static void star_parts(
    const builder *b, size_t c, const cell_shape *shape, double damping[4], double qb[4][4])
{
    vec3 column[4];
    gradient(b, c, shape, column);
    for (int f = 0; f < 4; f++) {
        bool inner = b->adjacency->neighbour[4 * c + (size_t)f] != MT_NO_CELL;
        damping[f] = b->alpha * shape->tau[f];
        vec3 q;
        for (int k = 0; k < 3; k++) q[k] = inner ? shape->flux[f][k] - damping[f] * shape->to[f][k] : 0;
        for (int g = 0; g < 4; g++) qb[f][g] = mt_dot3(q, column[g]);
    }
}

/* Smallest eigenvalue of T^-1/2 sym(Q B) T^-1/2, T = alpha diag(tau), over the inner faces; below -1 the star
 * is indefinite. */
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

static void keep_star(builder *b, size_t c, const double damping[4], double qb[4][4], double theta)
{
    double *k = b->star + 16 * c, *half = b->form + 10 * c;
    for (size_t f = 0; f < 4; f++)
        for (size_t g = 0; g < 4; g++) k[4 * f + g] = (f == g ? damping[f] : 0) + theta * qb[f][g];
    for (size_t f = 0; f < 4; f++)
        for (size_t g = f; g < 4; g++) *half++ = (k[4 * f + g] + k[4 * g + f]) / 2;
}

/* Makes the star of a cell definite where it is not: theta = 0.98 / -lowest. 1 if that was new, else 0. */
static size_t limit_star(builder *b, size_t c)
{
    cell_shape shape;
    double damping[4], qb[4][4];
    if (!b->indefinite[c]) return 0;
    shape_of(b, c, &shape);
    star_parts(b, c, &shape, damping, qb);
    const double theta = 0.98 / -star_lowest(damping, qb);
    keep_star(b, c, damping, qb, theta);
    b->theta[c] = (float)theta;
    b->indefinite[c] = b->pending[c] = 0;
    return 1;
}

/* ---- all cells ---- */

static mt_status refuse_volume(const builder *b, size_t c)
{
    const double *x = b->centroid + 3 * c;
    return mt_fail(MT_INPUT,
        "cell %zu at [%.6g, %.6g, %.6g] mm: volume %g mm^3; it must be finite and above 0 (`myotile mesh "
        "convert IN "
        "OUT --repair` turns inverted cells and removes flat ones)",
        c, x[0], x[1], x[2], b->volume[c]);
}

static mt_status volumes(builder *b)
{
    size_t bad = b->n;
#pragma omp parallel for schedule(static) reduction(min : bad) if (b->n >= PARALLEL_FROM)
    for (size_t c = 0; c < b->n; c++) {
        mt_mesh_centroid(b->mesh, c, b->centroid + 3 * c);
        b->volume[c] = mt_mesh_volume_mm3(b->mesh, c);
        if ((!(b->volume[c] > 0) || !isfinite(b->volume[c])) && c < bad) bad = c;
    }
    return bad < b->n ? refuse_volume(b, bad) : MT_OK;
}

/* A bound of |sym(K_c)| for every theta: it lies between those of alpha diag(tau) and of K_c at theta = 1. */
static double star_bound(const double damping[4], const double half[10])
{
    static const int at[4][4] = {{0, 1, 2, 3}, {1, 4, 5, 6}, {2, 5, 7, 8}, {3, 6, 8, 9}};
    double bound = 0;
    for (int f = 0; f < 4; f++) {
        double row = 0;
        for (int g = 0; g < 4; g++) row += fabs(half[at[f][g]]);
        bound = fmax(bound, fmax(row, damping[f]));
    }
    return bound;
}

/* The star of one cell as it is at theta = 1; z has the bound of it. Is it indefinite? Not asked where that is known. */
static void make_star(builder *b, size_t c, bool ask)
{
    cell_shape shape;
    double damping[4], qb[4][4];
    shape_of(b, c, &shape);
    star_parts(b, c, &shape, damping, qb);
    b->indefinite[c] = b->pending[c] = ask && star_lowest(damping, qb) < -1 - DEFINITE;
    keep_star(b, c, damping, qb, 1);
    b->theta[c] = 1;
    b->oblique[c] = shape.oblique;
    b->z[c] = star_bound(damping, b->form + 10 * c);
}

static mt_status stars(builder *b, bool ask, size_t *n_indefinite)
{
    size_t indefinite = 0;
    for (size_t first = 0; first < b->n; first += CHUNK) {
        MT_TRY(go_on_or_stop(b, "coupling the elements", first));
#pragma omp parallel for schedule(static) reduction(+ : indefinite) if (b->n >= PARALLEL_FROM)
        for (size_t c = first; c < chunk_end(b, first); c++) {
            make_star(b, c, ask);
            indefinite += b->indefinite[c];
        }
    }
    *n_indefinite = indefinite;
    return MT_OK;
}

/* ---- what slivers hold ---- */

static double longest_edge_squared(const mt_mesh *mesh, size_t c)
{
    const uint32_t *v = mesh->cell_vertex + 4 * c;
    double longest = 0;
    for (size_t i = 1; i < 4; i++)
        for (size_t j = 0; j < i; j++) {
            vec3 edge;
            mt_minus3(mesh->xyz_mm + 3 * (size_t)v[i], mesh->xyz_mm + 3 * (size_t)v[j], edge);
            longest = fmax(longest, mt_dot3(edge, edge));
        }
    return longest;
}

/* -v' M v = 1/2 sum delta_c' K_c delta_c <= 1/2 sum k_c |delta_c|^2, and (v_n - v_c)^2 <= 2 v_n^2 + 2 v_c^2: the most that
 * can stand beside v_c^2. */
static double load_of(const builder *b, size_t c)
{
    double load = 0;
    for (size_t f = 0; f < 4; f++) {
        const uint32_t n = b->adjacency->neighbour[4 * c + f];
        if (n != MT_NO_CELL) load += b->z[c] + b->z[n];
    }
    return load;
}

/* V_c as the header has it, once z has the bounds of the stars. Gives the number of slivers. */
static size_t hold_slivers(builder *b)
{
    size_t slivers = 0;
    const double d_max = fmax(b->d_l, b->d_t);
#pragma omp parallel for schedule(static) reduction(+ : slivers) if (b->n >= PARALLEL_FROM)
    for (size_t c = 0; c < b->n; c++) {
        const double least = load_of(b, c) * longest_edge_squared(b->mesh, c) / (STIFFEST * d_max);
        const bool raised = least > b->volume[c];
        if (raised) b->volume[c] = least;
        slivers += raised || b->oblique[c];
    }
    return slivers;
}

static void ways_back(builder *b)
{
    const uint32_t *neighbour = b->adjacency->neighbour;
#pragma omp parallel for schedule(static) if (b->n >= PARALLEL_FROM)
    for (size_t c = 0; c < b->n; c++)
        for (size_t f = 0; f < 4; f++) {
            uint32_t n = neighbour[4 * c + f];
            b->near[4 * c + f] = n == MT_NO_CELL ? (uint32_t)c : n;
            b->back[4 * c + f] = (uint8_t)f;
            for (uint8_t g = 0; n != MT_NO_CELL && g < 4; g++)
                if (neighbour[4 * (size_t)n + g] == c) b->back[4 * c + f] = g;
        }
}

static void roots(builder *b)
{
    double total = 0;
    for (size_t c = 0; c < b->n; c++) total += b->volume[c];
#pragma omp parallel for schedule(static) if (b->n >= PARALLEL_FROM)
    for (size_t c = 0; c < b->n; c++) {
        b->root[c] = 1 / sqrt(b->volume[c]);
        b->null_root[c] = sqrt(b->volume[c] / total);
    }
}

/* ---- the symmetric part ---- */

/* delta of a cell for values z. */
static void differences(const builder *b, size_t c, const double *z, double delta[4])
{
    for (size_t f = 0; f < 4; f++) delta[f] = z[b->near[4 * c + f]] - z[c];
}

/* w = sym(K) d */
static void apply_form(const double k[10], const double d[4], double w[4])
{
    w[0] = k[0] * d[0] + k[1] * d[1] + k[2] * d[2] + k[3] * d[3];
    w[1] = k[1] * d[0] + k[4] * d[1] + k[5] * d[2] + k[6] * d[3];
    w[2] = k[2] * d[0] + k[5] * d[1] + k[7] * d[2] + k[8] * d[3];
    w[3] = k[3] * d[0] + k[6] * d[1] + k[8] * d[2] + k[9] * d[3];
}

/* y = S x = V^-1/2 (M + M')/2 V^-1/2 x:
 * first sym(K_c) delta_c for every cell, then each cell sums what is its own. */
static bool apply_symmetric(const void *context, const double *x, double *y)
{
    const builder *b = context;
    const double share = (double)b->watching->applied++ / MAX_LANCZOS;
    if (!go_on(b, "measuring the longest stable step", share)) return false;
#pragma omp parallel if (b->n >= PARALLEL_FROM)
    {
#pragma omp for schedule(static)
        for (size_t c = 0; c < b->n; c++) b->z[c] = b->root[c] * x[c];
#pragma omp for schedule(static)
        for (size_t c = 0; c < b->n; c++) {
            double delta[4];
            differences(b, c, b->z, delta);
            apply_form(b->form + 10 * c, delta, b->w + 4 * c);
        }
#pragma omp for schedule(static)
        for (size_t c = 0; c < b->n; c++) {
            double sum = 0;
            for (size_t f = 0; f < 4; f++)
                sum += b->w[4 * c + f] - b->w[4 * (size_t)b->near[4 * c + f] + b->back[4 * c + f]];
            y[c] = b->root[c] * sum / 2;
        }
    }
    return true;
}

/* ---- the limiter, close to each cell ---- */

/* The cells that matter for growth create at least this much of what the worst one does. */
static const double SHARE = 0.05;

static const char looking_close_by[] = "looking where patterns could grow";

/* The indefinite cells whose patch holds the star of this one are to be looked at again. */
static void ask_again(builder *b, const mt_growth_stars *stars, uint32_t cell)
{
    mt_growth_patch patch;
    mt_growth_around(stars, cell, &patch);
    for (size_t k = 0; k < patch.n_cells; k++) b->pending[patch.cell[k]] = b->indefinite[patch.cell[k]];
}

static size_t limit_in_patch(
    builder *b, const mt_growth_stars *stars, const mt_growth_patch *patch, const double *energy)
{
    double most = 0;
    size_t fresh = 0;
    for (size_t k = 0; k < patch->n_stars; k++) most = fmin(most, energy[k]);
    for (size_t k = 0; k < patch->n_stars; k++) {
        if (!(energy[k] < SHARE * most) || limit_star(b, patch->cell[k]) == 0) continue;
        ask_again(b, stars, patch->cell[k]);
        fresh++;
    }
    return fresh;
}

/* Limits cells until nothing grows in the patch around a cell, or nobody is left to blame. Gives how many. */
static size_t limit_around(builder *b, const mt_growth_stars *stars, uint32_t cell)
{
    mt_growth_patch patch;
    double x[MT_GROWTH_CELLS], energy[MT_GROWTH_STARS];
    size_t fresh = 0;
    for (size_t more = 1; more > 0; fresh += more) {
        mt_growth_around(stars, cell, &patch);
        if (!mt_growth_direction(&patch, TOP_ALLOWED, x)) break;
        mt_growth_energies(stars, &patch, x, energy);
        more = limit_in_patch(b, stars, &patch, energy);
    }
    b->pending[cell] = 0;
    return fresh;
}

/* Pending cells around which nothing grows become indefinite. Counts the others. */
static mt_status clear_pending(builder *b, const mt_growth_stars *stars, size_t *left)
{
    size_t others = 0;
    for (size_t first = 0; first < b->n; first += CHUNK) {
        MT_TRY(go_on_or_stop(b, looking_close_by, first));
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : others) if (b->n >= PARALLEL_FROM)
        for (size_t c = first; c < chunk_end(b, first); c++) {
            mt_growth_patch patch;
            double x[MT_GROWTH_CELLS];
            if (!b->pending[c]) continue;
            mt_growth_around(stars, (uint32_t)c, &patch);
            b->pending[c] = mt_growth_direction(&patch, TOP_ALLOWED, x);
            others += b->pending[c];
        }
    }
    *left = others;
    return MT_OK;
}

/* Limits until nothing grows around any cell that could feed it. Costs a few steps of the spectrum's search and
 * nearly always leaves it nothing to find. Ends, as every turn but the last limits a cell or clears all. */
static mt_status limit_close_by(builder *b, size_t *fresh)
{
    const mt_growth_stars stars = {b->adjacency, b->star, b->indefinite, b->root};
    size_t left;
    for (;;) {
        MT_TRY(clear_pending(b, &stars, &left));
        if (left == 0) return MT_OK;
        for (size_t c = 0; c < b->n; c++) {
            if (!b->pending[c]) continue;
            MT_TRY(go_on_or_stop(b, looking_close_by, c));
            *fresh += limit_around(b, &stars, (uint32_t)c);
        }
    }
}

/* ---- the limiter, guided by the spectrum ---- */

/* Energy that the star of a cell takes from z; below 0 it creates some. */
static double star_energy(const builder *b, size_t c, const double *z)
{
    double delta[4], w[4];
    differences(b, c, z, delta);
    apply_form(b->form + 10 * c, delta, w);
    return delta[0] * w[0] + delta[1] * w[1] + delta[2] * w[2] + delta[3] * w[3];
}

/* Limits the cells that matter for one growing vector: those that create at least 5 % of what the worst one
 * does. Some cell does, since the energies sum to less than 0; and it was not limited before, since its star
 * is indefinite. */
static size_t limit_vector(builder *b, const double *x)
{
    double *energy = b->w, most = 0;
#pragma omp parallel for schedule(static) if (b->n >= PARALLEL_FROM)
    for (size_t c = 0; c < b->n; c++) b->z[c] = b->root[c] * x[c];
#pragma omp parallel for schedule(static) reduction(min : most) if (b->n >= PARALLEL_FROM)
    for (size_t c = 0; c < b->n; c++) {
        energy[c] = star_energy(b, c, b->z);
        if (energy[c] < most) most = energy[c];
    }
    size_t fresh = 0;
    for (size_t c = 0; c < b->n; c++)
        if (energy[c] < SHARE * most) fresh += limit_star(b, c);
    return fresh;
}

static size_t limit_all(builder *b)
{
    size_t fresh = 0;
    for (size_t c = 0; c < b->n; c++) fresh += limit_star(b, c);
    return fresh;
}

static mt_status limit_some(const mt_spectrum_map *map, const mt_spectrum *ends, builder *b, size_t *fresh)
{
    mt_arena scratch = {0};
    size_t count = 0;
    double *values, *vectors;
    mt_status status =
        mt_spectrum_vectors(&scratch, map, ends, TOP_ALLOWED, MAX_VECTORS, &count, &values, &vectors);
    if (status == MT_OK)
        for (size_t k = 0; k < count; k++) *fresh += limit_vector(b, vectors + k * b->n);
    mt_arena_free(&scratch);
    return status;
}

/* Both ends of the spectrum; the highest only as far as needed when every star is definite, and in the first
 * round, where any Ritz value above what is allowed is answer enough. */
static mt_status look(
    mt_arena *scratch, const mt_spectrum_map *map, const mt_diffusion *diffusion, mt_spectrum *ends)
{
    const mt_spectrum_goal goal = {.max_steps = MAX_LANCZOS,
        .lowest_only = diffusion->n_limited == diffusion->n_indefinite,
        .lowest_tolerance = 1e-3,
        .above = TOP_ALLOWED,
        .above_tolerance = diffusion->n_rounds == 0 ? INFINITY : 1e-2};
    MT_TRY(mt_spectrum_run(scratch, map, &goal, ends));
    if (!ends->settled)
        return mt_fail(MT_NUMERICS, "the lowest eigenvalue %g per ms had not settled after %zu Lanczos steps",
            ends->lowest, ends->steps);
    return MT_OK;
}

/* Limits until nothing grows, and nothing where nothing does: the first round only asks whether something
 * grows, and if so cells are limited by what lies close to them; later rounds are guided by the spectrum. Each
 * limits at least one cell more; after many, or should rounding hide the culprit, all indefinite cells are
 * limited, and then top <= 0 is a matter of algebra. */
static mt_status stabilise(mt_arena *scratch, builder *b, mt_diffusion *diffusion)
{
    const mt_spectrum_map map = {b->n, apply_symmetric, b, b->null_root};
    mt_spectrum ends;
    for (;;) {
        b->watching->applied = 0;
        MT_TRY(look(scratch, &map, diffusion, &ends));
        diffusion->n_rounds++;
        if (ends.highest <= TOP_ALLOWED || diffusion->n_limited == diffusion->n_indefinite) break;
        size_t fresh = 0;
        if (diffusion->n_rounds == 1) MT_TRY(limit_close_by(b, &fresh));
        if (fresh == 0 && diffusion->n_rounds < MAX_ROUNDS) MT_TRY(limit_some(&map, &ends, b, &fresh));
        if (fresh == 0) fresh = limit_all(b);
        diffusion->n_limited += fresh;
    }
    diffusion->top_per_ms = ends.highest;
    diffusion->limit_dt_ms = ends.lowest < 0 ? DT_SAFETY * 2 / -ends.lowest : INFINITY;
    return MT_OK;
}

/* Limits the cells that are known to need it, in place of all of stabilise. False, and all as it was, where they are not
 * indefinite, or no cells: then that was of another mesh. */
static bool recall(builder *b, const mt_diffusion_known *known, mt_diffusion *diffusion)
{
    if (!(known->limit_dt_ms > 0) || !isfinite(known->top_per_ms) || known->n_limited > known->n_indefinite ||
        known->n_indefinite > b->n)
        return false;
    for (size_t k = 0; k < known->n_limited; k++) {
        const uint32_t c = known->limited[k];
        if (c >= b->n || (k > 0 && c <= known->limited[k - 1])) return false;
        make_star(b, c, true);
        if (!b->indefinite[c]) return false;
    }
    for (size_t k = 0; k < known->n_limited; k++) (void)limit_star(b, known->limited[k]);
    diffusion->limit_dt_ms = known->limit_dt_ms;
    diffusion->top_per_ms = known->top_per_ms;
    diffusion->n_indefinite = known->n_indefinite;
    diffusion->n_limited = known->n_limited;
    diffusion->n_rounds = known->n_rounds;
    return true;
}

/* ---- rows ---- */

typedef struct row {
    size_t count;
    uint32_t column[ROW]; /* mt_adjacency_ring */
    double value[ROW];
} row;

/* Adds to the entry of a column, which is there. */
static void row_add(row *r, uint32_t column, double value)
{
    size_t k = 0;
    while (r->column[k] < column) k++;
    r->value[k] += value;
}

/* Row c of M without its diagonal: half the fluxes of its own star, minus half those its neighbours' stars
 * send here. */
static void row_of(const builder *b, size_t c, row *r)
{
    const uint32_t *neighbour = b->adjacency->neighbour + 4 * c;
    const double *own = b->star + 16 * c;
    r->count = mt_adjacency_ring(b->adjacency, c, r->column);
    for (size_t k = 0; k < ROW; k++) r->value[k] = 0;
    for (size_t f = 0; f < 4; f++) {
        uint32_t n = neighbour[f];
        if (n == MT_NO_CELL) continue;
        const double *k = b->star + 16 * (size_t)n + 4 * (size_t)b->back[4 * c + f];
        const uint32_t *beyond = b->adjacency->neighbour + 4 * (size_t)n;
        row_add(r, n, (own[f] + own[4 + f] + own[8 + f] + own[12 + f]) / 2);
        row_add(r, n, (k[0] + k[1] + k[2] + k[3]) / 2);
        for (size_t g = 0; g < 4; g++)
            if (beyond[g] != MT_NO_CELL && beyond[g] != c) row_add(r, beyond[g], -k[g] / 2);
    }
}

static void assemble(const builder *b, mt_diffusion *diffusion)
{
#pragma omp parallel for schedule(static) if (b->n >= PARALLEL_FROM)
    for (size_t c = 0; c < b->n; c++) {
        row r;
        row_of(b, c, &r);
        for (size_t k = 0; k < ROW; k++) {
            diffusion->column[ROW * c + k] = r.column[k];
            diffusion->rate[ROW * c + k] = k < r.count ? r.value[k] / b->volume[c] : 0;
        }
    }
}

/* ---- what the header promises ---- */

static mt_status builder_make(mt_arena *scratch, builder *b)
{
    MT_TAKE(scratch, b->centroid, 3 * b->n);
    MT_TAKE(scratch, b->star, 16 * b->n);
    MT_TAKE(scratch, b->back, 4 * b->n);
    MT_TAKE(scratch, b->indefinite, b->n);
    MT_TAKE(scratch, b->pending, b->n);
    MT_TAKE(scratch, b->oblique, b->n);
    MT_TAKE(scratch, b->root, b->n);
    MT_TAKE(scratch, b->null_root, b->n);
    return MT_OK;
}

/* The rows are not needed before the end: their place serves as scratch. */
static mt_status operator_make(mt_arena *arena, builder *b, mt_diffusion *diffusion)
{
    MT_TAKE(arena, diffusion->volume_mm3, b->n);
    MT_TAKE(arena, diffusion->rate, ROW * b->n);
    MT_TAKE(arena, diffusion->column, ROW * b->n);
    MT_TAKE(arena, diffusion->theta, b->n);
    b->form = diffusion->rate;
    b->w = b->form + 10 * b->n;
    b->z = b->w + 4 * b->n;
    b->near = diffusion->column;
    b->theta = diffusion->theta;
    b->volume = diffusion->volume_mm3;
    return MT_OK;
}

static mt_status build(
    mt_arena *arena, mt_arena *scratch, builder *b, const mt_diffusion_known *known, mt_diffusion *diffusion)
{
    MT_TRY(operator_make(arena, b, diffusion));
    MT_TRY(builder_make(scratch, b));
    MT_TRY(volumes(b));
    MT_TRY(stars(b, !known, &diffusion->n_indefinite));
    diffusion->n_slivers = hold_slivers(b);
    ways_back(b);
    roots(b);
    if (!known || !recall(b, known, diffusion)) {
        if (known) MT_TRY(stars(b, true, &diffusion->n_indefinite));
        MT_TRY(stabilise(scratch, b, diffusion));
    }
    assemble(b, diffusion);
    return MT_OK;
}

/* Where all directions are the same to the tissue any will do. */
static mt_status get_fibres(mt_arena *scratch, builder *b)
{
    mt_mesh any = {.n_cells = b->n};
    b->fibre = b->mesh->fibre;
    if (b->fibre) return MT_OK;
    if (b->d_l != b->d_t)
        return mt_fail(MT_INPUT,
            "the mesh has no fibres, and the tissue conducts otherwise along than across them; `myotile mesh "
            "fibres` makes some, equal conductivities need none");
    MT_TRY(mt_mesh_new_fibres(scratch, &any));
    b->fibre = any.fibre;
    return MT_OK;
}

mt_status mt_diffusion_make(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_tissue *tissue, double alpha, mt_diffusion *diffusion)
{
    return mt_diffusion_make_with(
        arena, mesh, adjacency, tissue, alpha, &(mt_diffusion_options){.known = NULL}, diffusion);
}

mt_status mt_diffusion_make_with(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_tissue *tissue, double alpha, const mt_diffusion_options *options, mt_diffusion *diffusion)
{
    MT_TRY(mt_tissue_check(tissue));
    if (!(alpha > 0) || !isfinite(alpha))
        return mt_fail(MT_INPUT, "alpha is %g; it must be finite and above 0", alpha);
    if (adjacency->n_cells != mesh->n_cells)
        return mt_fail(
            MT_INPUT, "an adjacency of %zu cells for a mesh of %zu", adjacency->n_cells, mesh->n_cells);
    *diffusion = (mt_diffusion){.n_cells = mesh->n_cells};
    watching telling = {options->watch, options->user, 0};
    builder b = {.mesh = mesh,
        .adjacency = adjacency,
        .n = mesh->n_cells,
        .alpha = alpha,
        .d_l = mt_tissue_diffusivity_l(tissue),
        .d_t = mt_tissue_diffusivity_t(tissue),
        .watching = &telling};
    mt_arena scratch = {0};
    mt_status status = get_fibres(&scratch, &b);
    if (status == MT_OK) status = build(arena, &scratch, &b, options->known, diffusion);
    mt_arena_free(&scratch);
    return status;
}

mt_diffusion_effect mt_diffusion_effect_on(
    const mt_diffusion *diffusion, const mt_mesh *mesh, const mt_adjacency *adjacency, size_t cell)
{
    mt_diffusion_effect effect = {.theta = (double)diffusion->theta[cell],
        .cosine = 1,
        .capacity = diffusion->volume_mm3[cell] / mt_mesh_volume_mm3(mesh, cell)};
    double here[3];
    mt_mesh_centroid(mesh, cell, here);
    for (size_t f = 0; f < 4; f++) {
        const uint32_t n = adjacency->neighbour[4 * cell + f];
        if (n == MT_NO_CELL) continue;
        double area[3], there[3], to[3];
        mt_mesh_face_area(mesh, cell, f, area);
        mt_mesh_centroid(mesh, n, there);
        mt_minus3(there, here, to);
        effect.cosine = fmin(effect.cosine, mt_dot3(area, to) / lengths_of(area, to));
    }
    effect.limited = effect.theta < 1 || effect.cosine < SMALLEST_COSINE || effect.capacity > 1;
    return effect;
}

void mt_diffusion_apply(const mt_diffusion *diffusion, const double *v, double *dv_dt)
{
#pragma omp parallel for schedule(static) if (diffusion->n_cells >= PARALLEL_FROM)
    for (size_t c = 0; c < diffusion->n_cells; c++) {
        const double *rate = diffusion->rate + ROW * c;
        const uint32_t *column = diffusion->column + ROW * c;
        double sum = 0, own = v[c];
        for (size_t k = 0; k < ROW; k++) sum += rate[k] * (v[column[k]] - own);
        dv_dt[c] = sum;
    }
}

void mt_diffusion_step_matrix(const mt_diffusion *diffusion, double dt_ms, double *diagonal, double *off)
{
#pragma omp parallel for schedule(static) if (diffusion->n_cells >= PARALLEL_FROM)
    for (size_t c = 0; c < diffusion->n_cells; c++) {
        double sum = 0;
        for (size_t k = 0; k < ROW; k++) {
            off[ROW * c + k] = dt_ms * diffusion->rate[ROW * c + k];
            sum += off[ROW * c + k];
        }
        diagonal[c] = 1 - sum;
    }
}

void mt_diffusion_step_matrix_float(const mt_diffusion *diffusion, double dt_ms, float *diagonal, float *off)
{
#pragma omp parallel for schedule(static) if (diffusion->n_cells >= PARALLEL_FROM)
    for (size_t c = 0; c < diffusion->n_cells; c++) {
        double sum = 0;
        for (size_t k = 0; k < ROW; k++) {
            off[ROW * c + k] = (float)(dt_ms * diffusion->rate[ROW * c + k]);
            sum += (double)off[ROW * c + k];
        }
        diagonal[c] = (float)(1 - sum);
    }
}

/* ---- the check ---- */

static bool within_two_faces(const mt_adjacency *adjacency, size_t c, uint32_t column)
{
    uint32_t ring[MT_RING_MAX];
    size_t n = mt_adjacency_ring(adjacency, c, ring), k = 0;
    while (k < n && ring[k] != column) k++;
    return k < n;
}

static mt_status check_row(const mt_diffusion *diffusion, const mt_adjacency *adjacency, size_t c)
{
    const double *rate = diffusion->rate + ROW * c;
    const uint32_t *column = diffusion->column + ROW * c;
    size_t k = 0;
    for (; k < ROW && column[k] != c; k++) {
        if (!isfinite(rate[k]))
            return mt_fail(MT_NUMERICS, "row %zu: rate %g at column %u", c, rate[k], column[k]);
        if (k > 0 && column[k] <= column[k - 1])
            return mt_fail(
                MT_INPUT, "row %zu: column %u after %u; columns must ascend", c, column[k], column[k - 1]);
        if (!within_two_faces(adjacency, c, column[k]))
            return mt_fail(MT_INPUT, "row %zu: column %u; it must lie at most two faces away", c, column[k]);
    }
    for (; k < ROW; k++)
        if (column[k] != c || rate[k] != 0)
            return mt_fail(MT_INPUT,
                "row %zu: column %u with rate %g after the row's end; padding must be the row "
                "itself with rate 0",
                c, column[k], rate[k]);
    return MT_OK;
}

/* sum_i V_i a_ij = V_j sum_k a_jk. An entry is the sum of a few star coefficients that may cancel, so the
 * rounding is some ten epsilon of the stars, which are no more than some hundred times the row: 1e-12 of the
 * absolute sums allows for that. */
static mt_status check_conservation(mt_arena *scratch, const mt_diffusion *diffusion)
{
    double *sum, *size;
    MT_TAKE(scratch, sum, diffusion->n_cells);
    MT_TAKE(scratch, size, diffusion->n_cells);
    for (size_t c = 0; c < diffusion->n_cells; c++)
        for (size_t k = 0; k < ROW; k++) {
            double weighted = diffusion->volume_mm3[c] * diffusion->rate[ROW * c + k];
            uint32_t column = diffusion->column[ROW * c + k];
            sum[column] += weighted;
            sum[c] -= weighted;
            size[column] += fabs(weighted);
            size[c] += fabs(weighted);
        }
    for (size_t c = 0; c < diffusion->n_cells; c++)
        if (!(fabs(sum[c]) <= 1e-12 * size[c]))
            return mt_fail(MT_NUMERICS,
                "column %zu: the volume-weighted sum is %g beside entries of %g; it must be 0", c, sum[c],
                size[c]);
    return MT_OK;
}

mt_status mt_diffusion_check(const mt_diffusion *diffusion, const mt_adjacency *adjacency)
{
    if (adjacency->n_cells != diffusion->n_cells)
        return mt_fail(MT_INPUT, "an adjacency of %zu cells for an operator of %zu", adjacency->n_cells,
            diffusion->n_cells);
    for (size_t c = 0; c < diffusion->n_cells; c++) {
        if (!(diffusion->volume_mm3[c] > 0))
            return mt_fail(
                MT_INPUT, "row %zu: volume %g mm^3; it must be above 0", c, diffusion->volume_mm3[c]);
        MT_TRY(check_row(diffusion, adjacency, c));
    }
    mt_arena scratch = {0};
    mt_status status = check_conservation(&scratch, diffusion);
    mt_arena_free(&scratch);
    return status;
}
