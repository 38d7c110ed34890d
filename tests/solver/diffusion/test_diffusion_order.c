#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "tests/solver/gmsh_box.h"
#include "mesh/adjacency.h"
#include "mesh/make/slab.h"
#include "tests/solver/slivers.h"
#include "solver/diffusion/diffusion.h"

/* Manufactured solutions of u - div(D grad u) = f on the unit cube with no flux through the walls: u at the centroids is compared in the
 * V norm with the solution of (I - V^-1 M) u_h = f. D = 1 longitudinally and 0.1322 transversely, as in the heart. */
static const double D_L = 1, D_T = 0.0126 / 0.0953;
enum { ROW = MT_DIFFUSION_ROW };

typedef struct solution {
    const char *name;
    double fibre[3];
    double (*exact)(const double x[3]);
    double (*source)(const double x[3]); /* u - div(D grad u) */
} solution;

static double pi(void) { return acos(-1); }

/* T1: fibres along x; on the walls the gradient is tangential, and so is the flux. */
static double cosines(const double x[3])
{
    return cos(pi() * x[0]) * cos(2 * pi() * x[1]) * cos(pi() * x[2]);
}

static double cosines_source(const double x[3])
{
    return (1 + pi() * pi() * (D_L + 4 * D_T + D_T)) * cosines(x);
}

/* T3: fibres in the xy plane at 35 degrees. On x = 0 the flux a u_x + b u_y vanishes with u_x and u_y both nonzero, which distinguishes
 * a conormal condition from a normal one: u = X(x) [G(y) - (b/a) x G'(y)] Z(z), X = cos^2(pi x / 2), G = sin^4(pi y), Z = 1 + cos(pi z)
 * / 2. X and X' vanish at x = 1; G, G' and G'' vanish at y = 0 and 1. */
static const double T3_ANGLE = 35;

static void t3_tensor(double *a, double *b, double *c)
{
    double angle = T3_ANGLE * pi() / 180, cosine = cos(angle), sine = sin(angle);
    *a = D_T + (D_L - D_T) * cosine * cosine;
    *b = (D_L - D_T) * cosine * sine;
    *c = D_T + (D_L - D_T) * sine * sine;
}

/* Computes values and derivatives: X up to the second, G up to the third. */
static void t3_factors(const double x[3], double X[3], double G[4], double Z[3])
{
    double p = pi(), s = sin(p * x[1]), k = cos(p * x[1]);
    X[0] = (1 + cos(p * x[0])) / 2;
    X[1] = -p * sin(p * x[0]) / 2;
    X[2] = -p * p * cos(p * x[0]) / 2;
    G[0] = s * s * s * s;
    G[1] = 4 * p * s * s * s * k;
    G[2] = 4 * p * p * (3 * s * s * k * k - s * s * s * s);
    G[3] = 4 * p * p * p * (6 * s * k * k * k - 10 * s * s * s * k);
    Z[0] = 1 + cos(p * x[2]) / 2;
    Z[1] = -p * sin(p * x[2]) / 2;
    Z[2] = -p * p * cos(p * x[2]) / 2;
}

static double oblique(const double x[3])
{
    double a, b, c, X[3], G[4], Z[3];
    t3_tensor(&a, &b, &c);
    t3_factors(x, X, G, Z);
    return X[0] * (G[0] - b / a * x[0] * G[1]) * Z[0];
}

static double oblique_source(const double x[3])
{
    double a, b, c, X[3], G[4], Z[3];
    t3_tensor(&a, &b, &c);
    t3_factors(x, X, G, Z);
    double r = b / a, w = x[0];
    double xx = X[2] * (G[0] - r * w * G[1]) - 2 * X[1] * r * G[1];
    double xy = X[1] * (G[1] - r * w * G[2]) - X[0] * r * G[2];
    double yy = X[0] * (G[2] - r * w * G[3]);
    double zz = X[0] * (G[0] - r * w * G[1]);
    return oblique(x) - (a * xx + 2 * b * xy + c * yy) * Z[0] - D_T * zz * Z[2];
}

static solution t1(void) { return (solution){"T1", {1, 0, 0}, cosines, cosines_source}; }

static solution t3(void)
{
    double angle = T3_ANGLE * pi() / 180;
    return (solution){"T3", {cos(angle), sin(angle), 0}, oblique, oblique_source};
}

/* ---- (I - V^-1 M) x = b by BiCGSTAB (van der Vorst 1992), with each row divided by its diagonal, to 1e-9 of |b|, far below the
 * measured errors. */

static double dot(size_t n, const double *x, const double *y)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static void residual_operator(const mt_diffusion *op, const double *diagonal, const double *x, double *y)
{
    mt_diffusion_apply(op, x, y);
    for (size_t i = 0; i < op->n_unknowns; i++) y[i] = (x[i] - y[i]) / diagonal[i];
}

static void solve(mt_arena *arena, const mt_diffusion *op, const double *b, double *x)
{
    size_t n = op->n_unknowns;
    double *r = mt_arena_alloc(arena, n, sizeof *r), *r0 = mt_arena_alloc(arena, n, sizeof *r);
    double *p = mt_arena_alloc(arena, n, sizeof *r), *v = mt_arena_alloc(arena, n, sizeof *r);
    double *t = mt_arena_alloc(arena, n, sizeof *r), *diagonal = mt_arena_alloc(arena, n, sizeof *r);
    for (size_t i = 0; i < n; i++) {
        diagonal[i] = 1;
        for (size_t k = 0; k < ROW; k++) diagonal[i] += op->rate[ROW * i + k];
        r[i] = r0[i] = b[i] / diagonal[i];
    }
    double rho = 1, a = 1, omega = 1, goal = 1e-9 * sqrt(dot(n, r, r));
    for (int round = 0; sqrt(dot(n, r, r)) > goal; round++) {
        cr_assert(round < 5000, "BiCGSTAB has not converged");
        double rho_new = dot(n, r0, r), beta = rho_new / rho * a / omega;
        rho = rho_new;
        for (size_t i = 0; i < n; i++) p[i] = r[i] + beta * (p[i] - omega * v[i]);
        residual_operator(op, diagonal, p, v);
        a = rho / dot(n, r0, v);
        for (size_t i = 0; i < n; i++) r[i] -= a * v[i];
        residual_operator(op, diagonal, r, t);
        omega = dot(n, t, r) / dot(n, t, t);
        for (size_t i = 0; i < n; i++) {
            x[i] += a * p[i] + omega * r[i];
            r[i] -= omega * t[i];
        }
    }
}

/* Returns the relative error in the V norm; h is the cube root of the mean volume. */
static double error_on(mt_arena *arena, mt_mesh *mesh, const solution *field, double *h)
{
    const mt_tissue tissue = {D_L, D_T, 1, 1, 0};
    mt_adjacency adjacency;
    mt_diffusion op;
    for (size_t c = 0; c < mesh->n_elements; c++)
        memcpy(mesh->fibre + 3 * c, field->fibre, sizeof field->fibre);
    cr_assert(mt_adjacency_make(arena, mesh, &adjacency) == MT_OK, "%s", mt_message());
    cr_assert(mt_diffusion_make(arena, mesh, &adjacency, &tissue, &mt_diffusion_scheme_plain, &op) == MT_OK,
        "%s", mt_message());
    double *b = mt_arena_alloc(arena, op.n_unknowns, sizeof *b),
           *u = mt_arena_alloc(arena, op.n_unknowns, sizeof *u);
    double x[3], wrong = 0, size = 0;
    for (size_t c = 0; c < op.n_unknowns; c++) {
        mt_mesh_centroid(mesh, c, x);
        b[c] = field->source(x);
    }
    solve(arena, &op, b, u);
    for (size_t c = 0; c < op.n_unknowns; c++) {
        mt_mesh_centroid(mesh, c, x);
        double exact = field->exact(x);
        wrong += op.volume_mm3[c] * (u[c] - exact) * (u[c] - exact);
        size += op.volume_mm3[c] * exact * exact;
    }
    *h = cbrt(1 / (double)op.n_unknowns);
    return sqrt(wrong / size);
}

typedef void (*cube_maker)(mt_arena *arena, double edge, mt_mesh *mesh);

static void kuhn_cube(mt_arena *arena, double edge, mt_mesh *mesh)
{
    const double size[3] = {1, 1, 1};
    cr_assert(mt_slab_make_cut(arena, size, edge, MT_SLAB_KUHN, mesh) == MT_OK, "%s", mt_message());
}

/* Three meshes, each with half the edge of the one before; the order between the last two, for both solutions. Asymptotically 2; 1.8
 * allows for coarse meshes. */
static void converge(cube_maker cube, double coarsest)
{
    const solution fields[2] = {t1(), t3()};
    double h[3], error[2][3];
    omp_set_num_threads(
        1); /* thousands of short loops: on a busy machine threads would spend their time waiting */
    for (int level = 0; level < 3; level++) {
        mt_arena arena = {0};
        mt_mesh mesh;
        cube(&arena, coarsest / (1 << level), &mesh);
        for (int m = 0; m < 2; m++) error[m][level] = error_on(&arena, &mesh, &fields[m], &h[level]);
        mt_arena_free(&arena);
    }
    for (int m = 0; m < 2; m++) {
        const double order = log(error[m][1] / error[m][2]) / log(h[1] / h[2]);
        cr_expect(order > 1.8 && error[m][2] < 0.05, "%s: errors %g %g %g, order %.3f", fields[m].name,
            error[m][0], error[m][1], error[m][2], order);
    }
}

Test(diffusion_order, convergence_is_second_order_on_kuhn_meshes_with_axial_and_oblique_fibres)
{
    converge(kuhn_cube, 0.25);
}

Test(diffusion_order, convergence_is_second_order_on_gmsh_meshes_with_axial_and_oblique_fibres)
{
    converge(gmsh_box, 0.25);
}

/* A sliver costs little accuracy. One pair of slivers per hundred elements is planted, by cuts that affect one element in fifty. The
 * error without them is 0.023 (T1) and 0.053 (T3), with them 0.98 to 1.22 times that; most if the slivers are just flat enough to be
 * limited. The method only implies that the error remains of this size. */
Test(diffusion_order, slivers_cost_little_accuracy)
{
    const double flatness[3] = {0.1, 1e-3, 1e-6}; /* none of the first is limited */
    const solution fields[2] = {t1(), t3()};
    omp_set_num_threads(1);
    for (int m = 0; m < 2; m++) {
        mt_arena arena = {0};
        mt_mesh mesh, worse;
        double h;
        kuhn_cube(&arena, 0.1, &mesh);
        const double without = error_on(&arena, &mesh, &fields[m], &h);
        for (int k = 0; k < 3; k++) {
            plant_slivers(&arena, &mesh, mesh.n_elements / 100, flatness[k], 1, &worse);
            const double with = error_on(&arena, &worse, &fields[m], &h);
            cr_assert(with < 1.5 * without, "%s, flatness %g: error %g, without slivers %g", fields[m].name,
                flatness[k], with, without);
        }
        mt_arena_free(&arena);
    }
}

/* Compares the right-hand sides above with differences of the exact solutions. Second differences with step e have errors of e^2 |u''''|
 * / 12 and epsilon / e^2: 1e-4 with e = 1e-3. The flux through x = 0 and the other walls by first differences. */
Test(diffusion_order, the_manufactured_sources_fit_their_solutions)
{
    solution fields[2] = {t1(), t3()};
    const double e = 1e-3;
    for (int m = 0; m < 2; m++)
        for (int point = 0; point < 27; point++) {
            double x[3] = {0.2 + 0.3 * (point % 3), 0.15 + 0.3 * (point / 3 % 3), 0.1 + 0.3 * (point / 9)};
            double sum = fields[m].exact(x), largest = 0;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    double d = (i == j ? D_T : 0) + (D_L - D_T) * fields[m].fibre[i] * fields[m].fibre[j],
                           second = 0;
                    for (int corner = 0; corner < 4; corner++) {
                        double y[3] = {x[0], x[1], x[2]};
                        y[i] += (corner & 1 ? e : -e) / 2;
                        y[j] += (corner & 2 ? e : -e) / 2;
                        second += ((corner & 1) == corner / 2 ? 1 : -1) * fields[m].exact(y);
                    }
                    sum -= d * second / (e * e);
                    largest = fmax(largest, fabs(d * second / (e * e)));
                }
            cr_assert(fabs(sum - fields[m].source(x)) < 1e-4 * (1 + largest), "%s at %d: %g, source %g",
                fields[m].name, point, sum, fields[m].source(x));
        }
}
