#include <criterion/criterion.h>

#include <arpack/arpack.h>
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "tests/solver/diffusion/check_diffusion.h"
#include "tests/solver/gmsh_box.h"
#include "data/core/vec3.h"
#include "mesh/adjacency.h"
#include "mesh/make/slab.h"
#include "solver/diffusion/diffusion.h"
#include "tests/random.h"

/* The tissue of the published slab: D = 0.0953 and 0.0126 mm^2/ms. */
static const mt_tissue muscle = {0.0953 * 1.4, 0.0126 * 1.4, 140, 0.01, 0};
enum { ROW = MT_DIFFUSION_ROW };

typedef struct problem {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_diffusion op;
} problem;

static uint64_t seed = 1;

static double uniform(void) { return between(&seed, -1, 1); }

static void kuhn(problem *p, double x, double y, double z, double edge)
{
    const double size[3] = {x, y, z};
    cr_assert(mt_slab_make_cut(&p->arena, size, edge, MT_SLAB_KUHN, &p->mesh) == MT_OK, "%s", mt_message());
}

static void set_fibre(mt_mesh *mesh, size_t c, double x, double y, double z)
{
    double length = sqrt(x * x + y * y + z * z);
    mesh->fibre[3 * c] = x / length;
    mesh->fibre[3 * c + 1] = y / length;
    mesh->fibre[3 * c + 2] = z / length;
}

static void oblique_fibres(mt_mesh *mesh)
{
    for (size_t c = 0; c < mesh->n_elements; c++) set_fibre(mesh, c, 1, 2, 3);
}

/* Sets fibres that turn by `rate` radians per unit length and are oblique to the walls nearly everywhere. */
static void curling_fibres(mt_mesh *mesh, double rate)
{
    for (size_t c = 0; c < mesh->n_elements; c++) {
        double x[3];
        mt_mesh_centroid(mesh, c, x);
        set_fibre(mesh, c, cos(rate * x[2]) + 0.4 * sin(rate * x[1]),
            sin(rate * x[2]) + 0.5 * cos(rate * x[0]), 0.6 * sin(rate * (x[0] + x[1])) + 0.2);
    }
}

static void stretch(mt_mesh *mesh, double factor)
{
    for (size_t k = 0; k < 3 * mesh->n_vertices; k++) mesh->xyz_mm[k] *= factor;
}

/* Damping 1, over-relaxed: more elements are limited than with 1.5. */
static const mt_diffusion_scheme weak = {.damping = 1, .correction = MT_CORRECTION_OVER_RELAXED};

static void make(problem *p, const mt_diffusion_scheme *scheme)
{
    cr_assert(mt_adjacency_make(&p->arena, &p->mesh, &p->adjacency) == MT_OK, "%s", mt_message());
    cr_assert(mt_diffusion_make(&p->arena, &p->mesh, &p->adjacency, &muscle, scheme, &p->op) == MT_OK, "%s",
        mt_message());
    cr_assert(diffusion_check(&p->op, &p->adjacency) == MT_OK, "%s", mt_message());
}

static mt_status try_make(problem *p, const mt_tissue *tissue, const mt_diffusion_scheme *scheme)
{
    cr_assert(mt_adjacency_make(&p->arena, &p->mesh, &p->adjacency) == MT_OK, "%s", mt_message());
    return mt_diffusion_make(&p->arena, &p->mesh, &p->adjacency, tissue, scheme, &p->op);
}

static double *values(problem *p) { return mt_arena_alloc(&p->arena, p->op.n_unknowns, sizeof(double)); }

static double v_norm(const mt_diffusion *op, const double *v)
{
    double sum = 0;
    for (size_t c = 0; c < op->n_unknowns; c++) sum += op->volume_mm3[c] * v[c] * v[c];
    return sqrt(sum);
}

/* Returns noise with integral 0, so that long diffusion leads to 0 instead of a constant. */
static double *noise(problem *p)
{
    double *v = values(p), integral = 0, volume = 0;
    for (size_t c = 0; c < p->op.n_unknowns; c++) {
        v[c] = uniform();
        integral += p->op.volume_mm3[c] * v[c];
        volume += p->op.volume_mm3[c];
    }
    for (size_t c = 0; c < p->op.n_unknowns; c++) v[c] -= integral / volume;
    return v;
}

static void small_kuhn(problem *p)
{
    kuhn(p, 4, 3, 3, 1);
    curling_fibres(&p->mesh, 0.5);
}

static void small_gmsh(problem *p)
{
    gmsh_box(&p->arena, 0.2, &p->mesh);
    curling_fibres(&p->mesh, 2);
}

static void (*const small_meshes[2])(problem *) = {small_kuhn, small_gmsh};

/* ---- Properties that hold to the last bit or within rounding errors. */

Test(diffusion, constants_do_not_change_at_all)
{
    for (int m = 0; m < 2; m++) {
        problem p = {0};
        small_meshes[m](&p);
        make(&p, &mt_diffusion_scheme_plain);
        double *v = values(&p), *dv = values(&p);
        for (size_t c = 0; c < p.op.n_unknowns; c++) v[c] = -85.23;
        mt_diffusion_apply(&p.op, v, dv);
        for (size_t c = 0; c < p.op.n_unknowns; c++) cr_assert(dv[c] == 0);
        mt_arena_free(&p.arena);
    }
}

/* sum V dv = sum_ij V_i a_ij (v_j - v_i). Both rows that share a star coefficient contain the same number, so rounding occurs only in
 * the sums of at most 8 coefficients per entry, the division by V, the multiplications and the two sums: about 30 epsilon of the
 * absolute terms, or some times more if the entries cancel. */
Test(diffusion, the_integral_is_conserved_to_rounding)
{
    for (int m = 0; m < 2; m++) {
        problem p = {0};
        small_meshes[m](&p);
        make(&p, &mt_diffusion_scheme_plain);
        double *v = noise(&p), *dv = values(&p), sum = 0, size = 0;
        mt_diffusion_apply(&p.op, v, dv);
        for (size_t c = 0; c < p.op.n_unknowns; c++) {
            sum += p.op.volume_mm3[c] * dv[c];
            for (size_t k = ROW * c; k < ROW * (c + 1); k++)
                size += p.op.volume_mm3[c] * fabs(p.op.rate[k] * (v[p.op.column[k]] - v[c]));
        }
        cr_assert(fabs(sum) <= 100 * DBL_EPSILON * size, "%g of %g", sum, size);
        mt_arena_free(&p.arena);
    }
}

static bool far_from_walls(const mt_adjacency *adjacency, size_t c, int rings)
{
    for (size_t f = 0; f < 4; f++) {
        uint32_t n = adjacency->neighbour[4 * c + f];
        if (n == MT_NO_ELEMENT || (rings > 0 && !far_from_walls(adjacency, n, rings - 1))) return false;
    }
    return true;
}

/* The flux of a linear field is exact if the element and its neighbours have only interior faces. Then dv = 0 within the rounding of the
 * stars, condition 7.6 and a pseudo-inverse: 1e-12 of the absolute sum. */
Test(diffusion, linear_fields_are_preserved_away_from_the_boundary)
{
    for (int m = 0; m < 2; m++) {
        problem p = {0};
        if (m == 0)
            kuhn(&p, 5, 5, 5, 1);
        else
            gmsh_box(&p.arena, 0.1, &p.mesh);
        oblique_fibres(&p.mesh);
        make(&p, &mt_diffusion_scheme_plain);
        double *v = values(&p), *dv = values(&p);
        for (size_t c = 0; c < p.op.n_unknowns; c++) {
            double x[3];
            mt_mesh_centroid(&p.mesh, c, x);
            v[c] = 3 * x[0] - 5 * x[1] + 2 * x[2] + 1;
        }
        mt_diffusion_apply(&p.op, v, dv);
        size_t inside = 0;
        for (size_t c = 0; c < p.op.n_unknowns; c++) {
            if (!far_from_walls(&p.adjacency, c, 1)) continue;
            double size = 0;
            for (size_t k = ROW * c; k < ROW * (c + 1); k++)
                size += fabs(p.op.rate[k] * (v[p.op.column[k]] - v[c]));
            cr_assert(fabs(dv[c]) <= 1e-12 * size, "mesh %d element %zu: %g of %g", m, c, dv[c], size);
            inside++;
        }
        cr_assert(inside > 100, "%zu", inside);
        mt_arena_free(&p.arena);
    }
}

/* ---- The oracle: the flux form, computed face by face, with Lagrange multipliers for the constraint. */

/* Solves a x = b of order n by Gaussian elimination with row exchanges. */
static void solve(int n, double a[6][6], double b[6])
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        for (int j = 0; j < n; j++) {
            double t = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = t;
        }
        double t = b[k];
        b[k] = b[best];
        b[best] = t;
        for (int i = k + 1; i < n; i++) {
            double m = a[i][k] / a[k][k];
            for (int j = k; j < n; j++) a[i][j] -= m * a[k][j];
            b[i] -= m * b[k];
        }
    }
    for (int k = n; k-- > 0;) {
        for (int j = k + 1; j < n; j++) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
}

/* Computes the outward area vector; its sign follows from the position of the opposite vertex. */
static void oracle_area(const mt_mesh *mesh, size_t c, int f, double s[3])
{
    const double *x[4];
    for (int k = 0; k < 4; k++) x[k] = mesh->xyz_mm + 3 * mesh->element_vertex[4 * c + (size_t)((f + k) % 4)];
    double a[3], b[3], in[3];
    for (int k = 0; k < 3; k++) a[k] = x[2][k] - x[1][k], b[k] = x[3][k] - x[1][k], in[k] = x[0][k] - x[1][k];
    s[0] = (a[1] * b[2] - a[2] * b[1]) / 2;
    s[1] = (a[2] * b[0] - a[0] * b[2]) / 2;
    s[2] = (a[0] * b[1] - a[1] * b[0]) / 2;
    if (mt_dot3(s, in) > 0) s[0] = -s[0], s[1] = -s[1], s[2] = -s[2];
}

static void oracle_tensor_times(const mt_mesh *mesh, size_t c, const double *x, double *y)
{
    const double *f = mesh->fibre + 3 * c, d_l = 0.0953, d_t = 0.0126;
    for (int k = 0; k < 3; k++) y[k] = d_t * x[k] + (d_l - d_t) * mt_dot3(f, x) * f[k];
}

/* Computes one face of c: S, d, D S and tau. At the boundary n = c: d = 0, and tau is not used. */
static void oracle_face(const problem *p, size_t c, int f, double *s, double *d, double *ds, double *tau)
{
    uint32_t n = p->adjacency.neighbour[4 * c + (size_t)f];
    double xc[3], xn[3], other[3];
    if (n == MT_NO_ELEMENT) n = (uint32_t)c;
    oracle_area(&p->mesh, c, f, s);
    mt_mesh_centroid(&p->mesh, c, xc);
    mt_mesh_centroid(&p->mesh, n, xn);
    oracle_tensor_times(&p->mesh, c, s, ds);
    oracle_tensor_times(&p->mesh, n, s, other);
    for (int k = 0; k < 3; k++) d[k] = xn[k] - xc[k], ds[k] = (ds[k] + other[k]) / 2;
    *tau = mt_dot3(s, ds) / mt_dot3(s, d);
}

/* min sum tau (d.g - delta)^2 with g.(D S_b) = 0 on boundary faces: [A C'; C 0] (g, lambda) = (rhs, 0). */
static void oracle_gradient(const problem *p, size_t c, const double *v, double g[3])
{
    double a[6][6] = {{0}}, b[6] = {0};
    int order = 3;
    for (int f = 0; f < 4; f++) {
        uint32_t n = p->adjacency.neighbour[4 * c + (size_t)f];
        double s[3], d[3], ds[3], tau;
        oracle_face(p, c, f, s, d, ds, &tau);
        for (int i = 0; i < 3 && n != MT_NO_ELEMENT; i++) {
            for (int j = 0; j < 3; j++) a[i][j] += tau * d[i] * d[j];
            b[i] += tau * d[i] * (v[n] - v[c]);
        }
        for (int i = 0; i < 3 && n == MT_NO_ELEMENT; i++) a[i][order] = a[order][i] = ds[i];
        order += n == MT_NO_ELEMENT;
    }
    solve(order, a, b);
    memcpy(g, b, 3 * sizeof *g);
}

/* (S . d)^2 / ((S . D S) (d . D^-1 d)), by elimination. */
static double oracle_weight(
    const problem *p, size_t c, size_t n, const double s[3], const double d[3], const double ds[3])
{
    double a[6][6] = {{0}}, x[6];
    const double d_l = mt_tissue_diffusivity_l(&muscle), d_t = mt_tissue_diffusivity_t(&muscle);
    for (int i = 0; i < 3; i++) {
        x[i] = d[i];
        for (int j = 0; j < 3; j++) {
            const double pp = p->mesh.fibre[3 * c + (size_t)i] * p->mesh.fibre[3 * c + (size_t)j],
                         qq = p->mesh.fibre[3 * n + (size_t)i] * p->mesh.fibre[3 * n + (size_t)j];
            a[i][j] = (i == j ? d_t : 0) + (d_l - d_t) / 2 * (pp + qq);
        }
    }
    solve(3, a, x);
    const double across = s[0] * d[0] + s[1] * d[1] + s[2] * d[2],
                 normal = s[0] * ds[0] + s[1] * ds[1] + s[2] * ds[2],
                 metric = d[0] * x[0] + d[1] * x[1] + d[2] * x[2];
    return across * across / (normal * metric);
}

/* theta [n_elements] scales the gradients; NULL: no scaling. */
static void oracle_apply(
    const problem *p, const mt_diffusion_scheme *scheme, const float *theta, const double *v, double *dv)
{
    double *gradient = calloc(3 * p->op.n_unknowns, sizeof *gradient);
    for (size_t c = 0; c < p->op.n_unknowns; c++) {
        oracle_gradient(p, c, v, gradient + 3 * c);
        for (size_t k = 0; theta && k < 3; k++) gradient[3 * c + k] *= (double)theta[c];
    }
    for (size_t c = 0; c < p->op.n_unknowns; c++) {
        double sum = 0;
        for (int f = 0; f < 4; f++) {
            uint32_t n = p->adjacency.neighbour[4 * c + (size_t)f];
            double s[3], d[3], ds[3], tau;
            if (n == MT_NO_ELEMENT) continue;
            oracle_face(p, c, f, s, d, ds, &tau);
            const double damping =
                scheme->damping * tau *
                (scheme->correction == MT_CORRECTION_MINIMUM ? oracle_weight(p, c, n, s, d, ds) : 1);
            for (size_t k = 0; k < 3; k++)
                sum += (ds[k] - damping * d[k]) * (gradient[3 * c + k] + gradient[3 * n + k]) / 2;
            sum += damping * (v[n] - v[c]);
        }
        dv[c] = sum / mt_mesh_volume_mm3(&p->mesh, c);
    }
    free(gradient);
}

/* Both have rounding errors of a few hundred epsilon (elimination of order 6, condition of an element below 1e3): 1e-11 of the largest. */
Test(diffusion, matrix_rows_equal_the_flux_form)
{
    static const mt_diffusion_scheme schemes[] = {{.damping = 1.5, .correction = MT_CORRECTION_OVER_RELAXED},
        {.damping = 1.6, .correction = MT_CORRECTION_MINIMUM}};
    for (int m = 0; m < 4; m++) {
        problem p = {0};
        const mt_diffusion_scheme *scheme = &schemes[m / 2];
        small_meshes[m % 2](&p);
        make(&p, scheme);
        cr_assert(p.op.n_limited == 0);
        double *v = noise(&p), *dv = values(&p), *expected = values(&p), largest = 0;
        mt_diffusion_apply(&p.op, v, dv);
        oracle_apply(&p, scheme, NULL, v, expected);
        for (size_t c = 0; c < p.op.n_unknowns; c++) largest = fmax(largest, fabs(expected[c]));
        for (size_t c = 0; c < p.op.n_unknowns; c++)
            cr_assert(fabs(dv[c] - expected[c]) <= 1e-11 * largest,
                "mesh %d element %zu: %.15g, flux form %.15g", m, c, dv[c], expected[c]);
        mt_arena_free(&p.arena);
    }
}

/* ---- Steps. */

typedef struct step_matrix {
    double *diagonal, *off;
} step_matrix;

static step_matrix step_of(problem *p, double dt_ms)
{
    step_matrix z = {values(p), mt_arena_alloc(&p->arena, ROW * p->op.n_unknowns, sizeof(double))};
    for (size_t c = 0; c < p->op.n_unknowns; c++)
        z.diagonal[c] = mt_diffusion_step_row(p->op.rate + ROW * c, dt_ms, z.off + ROW * c);
    return z;
}

/* v <- Z v; `old` is scratch memory. */
static void take_step(const mt_diffusion *op, const step_matrix *z, double *v, double *old)
{
    memcpy(old, v, op->n_unknowns * sizeof *v);
    for (size_t c = 0; c < op->n_unknowns; c++) {
        double sum = z->diagonal[c] * old[c];
        for (size_t k = ROW * c; k < ROW * (c + 1); k++) sum += z->off[k] * old[op->column[k]];
        v[c] = sum;
    }
}

static void norm_falls(problem *p, int steps)
{
    step_matrix z = step_of(p, p->op.limit_dt_ms);
    double *v = noise(p), *old = values(p), before = v_norm(&p->op, v);
    for (int s = 0; s < steps; s++) {
        take_step(&p->op, &z, v, old);
        double now = v_norm(&p->op, v);
        cr_assert(now < before, "step %d: %.17g after %.17g", s, now, before);
        before = now;
    }
}

static void steps_grow(problem *p, double dt_ms)
{
    step_matrix z = step_of(p, dt_ms);
    double *v = noise(p), *old = values(p), first = v_norm(&p->op, v);
    for (int s = 0; s < 100; s++) take_step(&p->op, &z, v, old);
    cr_assert(v_norm(&p->op, v) > 1e6 * first, "%g from %g", v_norm(&p->op, v), first);
}

/* The slowest mode decreases by pi^2 D dt / L^2 > 1e-4 per step, far above rounding errors. With a step 1.3 times too long the worst
 * mode grows by |1 - 2.6| = 1.6 per step, 1e20 in 100 steps, from 1 / sqrt(n) of the noise. */
Test(diffusion, noise_decays_at_every_step_of_500_ms_on_a_slab)
{
    problem p = {0};
    kuhn(&p, 8, 4, 2, 0.5);
    make(&p, &mt_diffusion_scheme_plain);
    cr_assert(3000 * p.op.limit_dt_ms > 500, "%g", p.op.limit_dt_ms);
    cr_assert(p.op.n_indefinite == 0 && p.op.n_rounds == 1);
    norm_falls(&p, 3000);
    steps_grow(&p, 1.3 * p.op.limit_dt_ms / 0.9);
    mt_arena_free(&p.arena);
}

Test(diffusion, noise_decays_at_every_step_of_500_ms_on_a_gmsh_box)
{
    problem p = {0};
    gmsh_box(&p.arena, 0.1, &p.mesh);
    stretch(&p.mesh, 14);
    curling_fibres(&p.mesh, 0.4);
    make(&p, &mt_diffusion_scheme_plain);
    cr_assert(3000 * p.op.limit_dt_ms > 500, "%g", p.op.limit_dt_ms);
    cr_assert(p.op.n_indefinite > 0 && p.op.top_per_ms < 0);
    norm_falls(&p, 3000);
    steps_grow(&p, 1.3 * p.op.limit_dt_ms / 0.9);
    mt_arena_free(&p.arena);
}

/* ---- The spectrum, computed by ARPACK for the symmetric part of V^1/2 A V^-1/2, stored as a dense matrix. */

/* Returns s [n][n], this symmetric part for the matrix with columns apply(unit vector j). */
static double *dense_symmetric(problem *p, void (*apply)(problem *p, const double *v, double *dv))
{
    size_t n = p->op.n_unknowns;
    double *s = mt_arena_alloc(&p->arena, n * n, sizeof *s), *v = values(p), *dv = values(p);
    for (size_t j = 0; j < n; j++) {
        v[j] = 1;
        apply(p, v, dv);
        v[j] = 0;
        for (size_t i = 0; i < n; i++) {
            double scaled = dv[i] * sqrt(p->op.volume_mm3[i] / p->op.volume_mm3[j]) / 2;
            s[i * n + j] += scaled;
            s[j * n + i] += scaled;
        }
    }
    return s;
}

static void apply_rows(problem *p, const double *v, double *dv) { mt_diffusion_apply(&p->op, v, dv); }

static void apply_flux_form(problem *p, const double *v, double *dv) { oracle_apply(p, &weak, NULL, v, dv); }

/* The entries of a matrix that are not 0. Those of row c are start[c] to start[c + 1]. */
typedef struct sparse {
    size_t n, *start, *column;
    double *value;
} sparse;

static sparse sparse_of(const double *s, size_t n)
{
    sparse a = {.n = n, .start = calloc(n + 1, sizeof *a.start)};
    size_t entries = 0;
    for (size_t k = 0; k < n * n; k++) entries += s[k] != 0;
    a.column = calloc(entries, sizeof *a.column), a.value = calloc(entries, sizeof *a.value);
    entries = 0;
    for (size_t c = 0; c < n; c++) {
        for (size_t j = 0; j < n; j++)
            if (s[c * n + j] != 0) a.column[entries] = j, a.value[entries++] = s[c * n + j];
        a.start[c + 1] = entries;
    }
    return a;
}

static void multiply(const sparse *a, const double *x, double *y)
{
    for (size_t c = 0; c < a->n; c++) {
        y[c] = 0;
        for (size_t k = a->start[c]; k < a->start[c + 1]; k++) y[c] += a->value[k] * x[a->column[k]];
    }
}

/* Returns the lowest ("SA") or highest ("LA") eigenvalue. */
static double arpack_end(const double *s, size_t elements, const char *which)
{
    enum { NCV = 30 };
    int n = (int)elements, ido = 0, info = 0, iparam[11] = {1, 0, 1000, 1, 0, 0, 1}, ipntr[11] = {0},
        select[NCV];
    double *resid = calloc(elements, sizeof *resid), *v = calloc(elements * NCV, sizeof *v);
    double *workd = calloc(3 * elements, sizeof *workd), workl[NCV * (NCV + 8)], value = NAN;
    const sparse a = sparse_of(s, elements);
    for (;;) {
        dsaupd_c(&ido, "I", n, which, 1, 1e-8, resid, NCV, v, n, iparam, ipntr, workd, workl, NCV * (NCV + 8),
            &info);
        if (ido != 1 && ido != -1) break;
        multiply(&a, workd + ipntr[0] - 1, workd + ipntr[1] - 1);
    }
    cr_assert(info == 0, "ARPACK: info %d", info);
    dseupd_c(0, "A", select, &value, v, n, 0, "I", n, which, 1, 1e-8, resid, NCV, v, n, iparam, ipntr, workd,
        workl, NCV * (NCV + 8), &info);
    free(a.start), free(a.column), free(a.value);
    free(resid);
    free(v);
    free(workd);
    return value;
}

/* Lanczos stops at a change of 1e-3 over ten steps, slightly inside the true end of the spectrum: one per cent, of a margin of ten. */
Test(diffusion, the_step_limit_agrees_with_arpack)
{
    for (int m = 0; m < 2; m++) {
        problem p = {0};
        small_meshes[m](&p);
        make(&p, &mt_diffusion_scheme_plain);
        double expected = 0.9 * 2 / -arpack_end(dense_symmetric(&p, apply_rows), p.op.n_unknowns, "SA");
        cr_assert(fabs(p.op.limit_dt_ms / expected - 1) < 0.01, "mesh %d: %g, ARPACK %g", m, p.op.limit_dt_ms,
            expected);
        mt_arena_free(&p.arena);
    }
}

/* Single precision: off is the double rounded to nearest, and the diagonal is nearest to 1 - sum. */
Test(diffusion, float_steps_preserve_constants_to_one_rounding)
{
    problem p = {0};
    small_gmsh(&p);
    make(&p, &mt_diffusion_scheme_plain);
    size_t n = p.op.n_unknowns;
    step_matrix z = step_of(&p, p.op.limit_dt_ms);
    for (size_t c = 0; c < n; c++) {
        float off[ROW], diagonal = mt_diffusion_step_row_float(p.op.rate + ROW * c, p.op.limit_dt_ms, off);
        double sum = 0, sum_float = 0;
        for (size_t k = 0; k < ROW; k++) {
            cr_assert(off[k] == (float)z.off[ROW * c + k]);
            sum += z.off[ROW * c + k];
            sum_float += (double)off[k];
        }
        cr_assert(z.diagonal[c] == 1 - sum);
        cr_assert(diagonal == (float)(1 - sum_float));
    }
    mt_arena_free(&p.arena);
}

/* ---- The limiter. */

/* Moves the inner vertices of a unit cube of Kuhn boxes by up to this share of an edge along each axis. */
static void jittered_by(problem *p, double edge, double share, uint64_t first)
{
    kuhn(p, 1, 1, 1, edge);
    seed = first;
    for (size_t k = 0; k < 3 * p->mesh.n_vertices; k++) {
        double move = share * edge * uniform(), *x = p->mesh.xyz_mm + k;
        if (*x > 1e-9 && *x < 1 - 1e-9) *x += move;
    }
    curling_fibres(&p->mesh, 3);
}

/* Builds a cube of poorly shaped elements. */
static void jittered(problem *p, double edge, uint64_t first) { jittered_by(p, edge, 0.25, first); }

enum { JITTER_SEED = 1 };

Test(diffusion, limiting_a_few_elements_removes_all_growing_modes)
{
    problem p = {0};
    jittered(&p, 0.2, JITTER_SEED);
    make(&p, &weak);
    cr_assert(p.op.n_limited > 0 && p.op.n_limited < p.op.n_indefinite / 4 && p.op.n_rounds > 1,
        "%zu limited of %zu indefinite in %zu rounds", p.op.n_limited, p.op.n_indefinite, p.op.n_rounds);
    cr_assert(p.op.top_per_ms <= 1e-6, "%g", p.op.top_per_ms);
    norm_falls(&p, 3000);
    steps_grow(&p, 1.3 * p.op.limit_dt_ms / 0.9);
    mt_arena_free(&p.arena);
}

/* theta is stored in single precision, 6e-8; the term that it scales may be some times the sum that contains it. */
Test(diffusion, theta_is_the_reduction_factor_of_each_gradient)
{
    problem p = {0};
    size_t limited = 0;
    jittered(&p, 0.2, JITTER_SEED);
    make(&p, &weak);
    for (size_t c = 0; c < p.op.n_unknowns; c++) {
        cr_assert(p.op.theta[c] > 0 && p.op.theta[c] <= 1, "element %zu: %g", c, (double)p.op.theta[c]);
        limited += p.op.theta[c] < 1;
    }
    cr_assert(limited > 0 && limited == p.op.n_limited);
    double *v = noise(&p), *dv = values(&p), *expected = values(&p), largest = 0;
    mt_diffusion_apply(&p.op, v, dv);
    oracle_apply(&p, &weak, p.op.theta, v, expected);
    for (size_t c = 0; c < p.op.n_unknowns; c++) largest = fmax(largest, fabs(expected[c]));
    for (size_t c = 0; c < p.op.n_unknowns; c++)
        cr_assert(fabs(dv[c] - expected[c]) <= 1e-6 * largest, "element %zu: %.15g, with theta %.15g", c,
            dv[c], expected[c]);
    mt_arena_free(&p.arena);
}

/* The reason for the limiter: with the flux form, which has no limiter, the norm can grow. With limited rows the highest eigenvalue is
 * that of the constant, 0 (which ARPACK may miss), up to rounding: epsilon of the other end, 1e3. */
Test(diffusion, the_flux_form_has_growing_modes_that_the_limited_rows_have_not)
{
    problem p = {0};
    jittered(&p, 0.2, JITTER_SEED);
    make(&p, &weak);
    cr_assert(p.op.n_limited > 0);
    double before = arpack_end(dense_symmetric(&p, apply_flux_form), p.op.n_unknowns, "LA");
    double after = arpack_end(dense_symmetric(&p, apply_rows), p.op.n_unknowns, "LA");
    cr_assert(before > 0.1, "%g", before);
    cr_assert(after < 1e-10, "%g", after);
    mt_arena_free(&p.arena);
}

/* If no mode grows, no element is limited, for any number of indefinite stars. If one grows, few elements are limited, and ARPACK finds
 * no growth afterwards (0 up to rounding, as above). */
Test(diffusion, few_elements_are_limited_and_only_near_growing_modes)
{
    size_t grew = 0;
    for (uint64_t first = 2; first <= 3; first++) {
        problem p = {0};
        jittered(&p, 0.2, first);
        make(&p, &weak);
        double before = arpack_end(dense_symmetric(&p, apply_flux_form), p.op.n_unknowns, "LA");
        double after = arpack_end(dense_symmetric(&p, apply_rows), p.op.n_unknowns, "LA");
        cr_assert(p.op.n_limited > 0 ? before > 1e-6 : before < 1e-6, "seed %d: %zu for %g", (int)first,
            p.op.n_limited, before);
        cr_assert(10 * p.op.n_limited <= p.op.n_indefinite, "seed %d: %zu of %zu", (int)first, p.op.n_limited,
            p.op.n_indefinite);
        cr_assert(p.op.top_per_ms <= 1e-6 && after < 1e-10, "seed %d: %g, ARPACK %g", (int)first,
            p.op.top_per_ms, after);
        grew += p.op.n_limited > 0;
        mt_arena_free(&p.arena);
    }
    cr_assert_eq(grew, 1, "%zu", grew);
}

/* On these meshes growth is possible around some elements, as far as the stars close to them show, and farther stars suppress it. */
Test(diffusion, no_element_is_limited_if_farther_stars_suppress_growth)
{
    static const uint64_t firsts[] = {3, 7, 10};
    for (int k = 0; k < 3; k++) {
        problem p = {0};
        jittered(&p, 0.1, firsts[k]);
        make(&p, &(mt_diffusion_scheme){.damping = 0.6, .correction = MT_CORRECTION_OVER_RELAXED});
        cr_assert(
            p.op.n_limited == 0 && p.op.n_indefinite > 100, "%zu of %zu", p.op.n_limited, p.op.n_indefinite);
        norm_falls(&p, 1000);
        mt_arena_free(&p.arena);
    }
}

/* With several growing elements and little damping, the local search around each is sufficient: the first spectrum shows a growing mode,
 * the second none. With the spectrum alone it takes a third. */
Test(diffusion, the_local_search_leaves_no_growing_modes)
{
    problem p = {0};
    jittered(&p, 1 / 12., JITTER_SEED);
    make(&p, &(mt_diffusion_scheme){.damping = 0.5, .correction = MT_CORRECTION_OVER_RELAXED});
    cr_assert(p.op.n_rounds == 2, "%zu rounds", p.op.n_rounds);
    cr_assert(10 * p.op.n_limited <= p.op.n_indefinite, "%zu of %zu", p.op.n_limited, p.op.n_indefinite);
    cr_assert(p.op.top_per_ms <= 1e-6, "%g", p.op.top_per_ms);
    norm_falls(&p, 3000);
    mt_arena_free(&p.arena);
}

static const mt_diffusion_scheme least_damped = {.damping = 0.3525, .correction = MT_CORRECTION_OVER_RELAXED};

/* Tall boxes with fibres across their diagonals and little damping. Elements of one kind are neighbours and share the same stabilising
 * stars, so they grow together although none grows in its own surroundings. The local search leaves this mode to the eigenvectors of the
 * spectrum, which identify the elements to limit: more than two rounds, and not all indefinite elements are limited. */
Test(diffusion, collectively_growing_modes_are_found_by_the_spectrum)
{
    problem p = {0};
    const mt_tissue tissue = {0.0953 * 1.4, 0.14 * 0.0953 * 1.4, 140, 0.01, 0};
    kuhn(&p, 1, 1, 1, 0.25);
    for (size_t v = 0; v < p.mesh.n_vertices; v++) p.mesh.xyz_mm[3 * v + 2] *= 4;
    for (size_t c = 0; c < p.mesh.n_elements; c++) set_fibre(&p.mesh, c, 1, -1, 0.3);
    cr_assert_eq(try_make(&p, &tissue, &least_damped), MT_OK, "%s", mt_message());
    cr_assert(p.op.n_rounds > 2 && p.op.n_limited < p.op.n_indefinite, "%zu rounds, %zu of %zu",
        p.op.n_rounds, p.op.n_limited, p.op.n_indefinite);
    cr_assert(p.op.top_per_ms <= 1e-6, "%g", p.op.top_per_ms);
    cr_assert(arpack_end(dense_symmetric(&p, apply_rows), p.op.n_unknowns, "LA") < 1e-10);
    norm_falls(&p, 1000);
    mt_arena_free(&p.arena);
}

/* Builds two separate copies of the mesh of a problem, scaled by 1e-11. */
static void twice_and_tiny(const mt_mesh *one, problem *p)
{
    const size_t n = one->n_elements, m = one->n_vertices;
    cr_assert_eq(mt_mesh_new(&p->arena, 2 * m, 2 * n, &p->mesh), MT_OK);
    cr_assert_eq(mt_mesh_new_fibres(&p->arena, &p->mesh), MT_OK);
    for (size_t k = 0; k < 6 * m; k++) p->mesh.xyz_mm[k] = 1e-11 * one->xyz_mm[k % (3 * m)];
    for (size_t k = 0; k < 8 * n; k++)
        p->mesh.element_vertex[k] = one->element_vertex[k % (4 * n)] + (k >= 4 * n ? (uint32_t)m : 0);
    for (size_t k = 0; k < 6 * n; k++) p->mesh.fibre[k] = one->fibre[k % (3 * n)];
}

/* Two equal separate cubes of a hundredth of a nanometre. A field that is constant in each does not grow, but its eigenvalue is a
 * rounding error, 1e-16 of about 1e22 per ms, of either sign; from the spectrum alone it may be growth. The proof is algebraic, star by
 * star, and independent of scale. */
Test(diffusion, elements_proved_stable_are_not_limited_due_to_rounding)
{
    for (uint64_t first = 1; first <= 8; first++) {
        problem one = {0}, p = {0};
        jittered_by(&one, 0.25, 0.05, first);
        twice_and_tiny(&one.mesh, &p);
        make(&p, &weak);
        cr_assert(
            p.op.n_indefinite > 0 && p.op.n_limited == 0, "%zu of %zu", p.op.n_limited, p.op.n_indefinite);
        mt_arena_free(&p.arena);
        mt_arena_free(&one.arena);
    }
}

/* ---- Determinism, memory, refused input. */

Test(diffusion, the_operator_is_equal_for_any_number_of_threads)
{
    problem p[3] = {{.op = {0}}}; /* 20,250 elements: enough for parallel loops */
    for (int k = 0; k < 3; k++) {
        omp_set_num_threads(k + 1);
        jittered(&p[k], 1 / 15., JITTER_SEED);
        make(&p[k], &weak);
        size_t entries = ROW * p[0].op.n_unknowns;
        cr_assert(memcmp(p[k].op.rate, p[0].op.rate, entries * sizeof(double)) == 0);
        cr_assert(memcmp(p[k].op.column, p[0].op.column, entries * sizeof(uint32_t)) == 0);
        cr_assert(p[k].op.limit_dt_ms == p[0].op.limit_dt_ms && p[k].op.top_per_ms == p[0].op.top_per_ms);
    }
    for (int k = 0; k < 3; k++) mt_arena_free(&p[k].arena);
}

Test(diffusion, out_of_memory_at_any_point_is_reported)
{
    problem p = {0};
    jittered(&p, 0.2, JITTER_SEED);
    make(&p, &weak);
    mt_status status = MT_MEMORY;
    size_t n = 0;
    while (status != MT_OK) {
        mt_arena arena = {0};
        mt_diffusion op;
        mt_arena_fail_at(++n);
        status = mt_diffusion_make(&arena, &p.mesh, &p.adjacency, &muscle, &weak, &op);
        mt_arena_fail_at(0);
        cr_assert(status == MT_OK || status == MT_MEMORY);
        mt_arena_free(&arena);
    }
    cr_assert(n > 15 && n < 200, "%zu", n);
    for (size_t k = 1; k <= 2; k++) {
        mt_arena_fail_at(k);
        cr_assert(diffusion_check(&p.op, &p.adjacency) == MT_MEMORY);
        mt_arena_fail_at(0);
    }
    mt_arena_free(&p.arena);
}

Test(diffusion, an_inverted_element_is_rejected_with_its_number)
{
    problem p = {0};
    kuhn(&p, 2, 2, 2, 1);
    uint32_t *v = p.mesh.element_vertex + 4 * 7, first = v[0];
    v[0] = v[1];
    v[1] = first;
    cr_assert(try_make(&p, &muscle, &mt_diffusion_scheme_plain) == MT_INPUT);
    cr_assert(
        strstr(mt_message(), "element 7 at [1.25, 0.75, 0.5] mm: volume -0.166667"), "%s", mt_message());
    cr_assert(strstr(mt_message(), "myotile mesh convert"), "%s", mt_message());
    mt_arena_free(&p.arena);
}

Test(diffusion, tissue_and_scheme_must_be_in_their_ranges)
{
    problem p = {0};
    kuhn(&p, 1, 1, 1, 1);
    const mt_diffusion_scheme wrong_ones[] = {{.damping = 0}, {.damping = NAN},
        {.damping = 1, .spreading = -1}, {.damping = 1, .spreading = INFINITY},
        {.damping = 1, .front_ms = -1}, {.damping = 1, .front_ms = NAN}};
    const char *const said[] = {"damping", "spreading", "front"};
    for (int k = 0; k < 6; k++)
        cr_assert(try_make(&p, &muscle, &wrong_ones[k]) == MT_INPUT && strstr(mt_message(), said[k / 2]),
            "%s", mt_message());
    const char *names[4] = {"sigma_l", "sigma_t", "chi", "cm"};
    for (int k = 0; k < 4; k++)
        for (int bad = 0; bad < 3; bad++) {
            const double wrong[3] = {0, -1, INFINITY};
            mt_tissue tissue = muscle;
            *(&tissue.sigma_l_mS_mm + k) = wrong[bad];
            cr_assert(try_make(&p, &tissue, &mt_diffusion_scheme_plain) == MT_INPUT &&
                          strstr(mt_message(), names[k]),
                "%s", mt_message());
        }
    mt_arena_free(&p.arena);
}

/* Two elements with three boundary faces each have no gradients, or weak ones if their normals are nearly coplanar. alpha tau between
 * them has the size of the flux, not of the inverse of a rounding error. */
Test(diffusion, an_element_with_three_boundary_faces_has_no_gradient_from_rounding)
{
    static const uint32_t elements[8] = {0, 1, 2, 3, 0, 2, 1, 4};
    for (int round = 0; round < 50; round++) {
        problem p = {0};
        double xyz[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.3, 0.3, 1, 0.3, 0.3, -1}, s[3], d[3], ds[3], tau;
        for (int k = 0; k < 15; k++) xyz[k] += 0.2 * uniform();
        cr_assert(mt_mesh_new(&p.arena, 5, 2, &p.mesh) == MT_OK);
        cr_assert(mt_mesh_new_fibres(&p.arena, &p.mesh) == MT_OK);
        memcpy(p.mesh.xyz_mm, xyz, sizeof xyz);
        memcpy(p.mesh.element_vertex, elements, sizeof elements);
        oblique_fibres(&p.mesh);
        make(&p, &mt_diffusion_scheme_plain);
        double v[2] = {0, 1}, dv[2];
        mt_diffusion_apply(&p.op, v, dv);
        oracle_face(&p, 0, 3, s, d, ds, &tau);
        double expected = 1.5 * tau / p.op.volume_mm3[0];
        cr_assert(fabs(dv[0]) <= 10 * expected, "%g, expected about %g", dv[0], expected);
        mt_arena_free(&p.arena);
    }
}

/* A single element exchanges no flux, and any step is stable. */
Test(diffusion, an_isolated_element_keeps_its_value)
{
    problem p = {0};
    cr_assert(mt_mesh_new(&p.arena, 4, 1, &p.mesh) == MT_OK);
    cr_assert(mt_mesh_new_fibres(&p.arena, &p.mesh) == MT_OK);
    for (uint32_t k = 0; k < 4; k++) p.mesh.element_vertex[k] = k;
    for (size_t k = 0; k < 3; k++) p.mesh.xyz_mm[3 * (k + 1) + k] = 1;
    oblique_fibres(&p.mesh);
    make(&p, &mt_diffusion_scheme_plain);
    double v = 3, dv = 1;
    mt_diffusion_apply(&p.op, &v, &dv);
    cr_assert(dv == 0 && isinf(p.op.limit_dt_ms));
    mt_arena_free(&p.arena);
}

Test(diffusion, the_check_detects_planted_faults)
{
    problem p = {0};
    small_kuhn(&p);
    make(&p, &mt_diffusion_scheme_plain);
    mt_diffusion *op = &p.op;
    double rate = op->rate[5 * ROW];
    op->rate[5 * ROW] = rate * (1 + 1e-9);
    cr_assert(diffusion_check(op, &p.adjacency) == MT_NUMERICS);
    op->rate[5 * ROW] = NAN;
    cr_assert(diffusion_check(op, &p.adjacency) == MT_NUMERICS);
    op->rate[5 * ROW] = rate;
    uint32_t *column = op->column + 5 * ROW, first = column[0];
    column[0] = (uint32_t)op->n_unknowns - 1;
    cr_assert(diffusion_check(op, &p.adjacency) == MT_INPUT);
    column[0] = column[1];
    cr_assert(diffusion_check(op, &p.adjacency) == MT_INPUT);
    column[0] = 5;
    cr_assert(diffusion_check(op, &p.adjacency) == MT_INPUT);
    column[0] = first;
    cr_assert(diffusion_check(op, &p.adjacency) == MT_OK, "%s", mt_message());
    mt_arena_free(&p.arena);
}
