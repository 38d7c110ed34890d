#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "data/core/vec3.h"
#include "mesh/make/slab.h"
#include "solver/diffusion/diffusion.h"
#include "solver/diffusion/stability_trial.h"
#include "tests/random.h"
#include "tests/solver/diffusion/check_diffusion.h"

/* Tissues that differ between elements: borders, effective volumes, and sheets. */

enum { ROW = MT_DIFFUSION_ROW };

static uint64_t seed = 1;

static double uniform(void) { return between(&seed, -1, 1); }

typedef struct block {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    uint16_t *of;
    mt_diffusion op;
} block;

static void make_slab(block *b, const double size_mm[3], double edge_mm, mt_slab_cut cut)
{
    *b = (block){0};
    cr_assert_eq(mt_slab_make_cut(&b->arena, size_mm, edge_mm, cut, &b->mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_adjacency_make(&b->arena, &b->mesh, &b->adjacency), MT_OK, "%s", mt_message());
    b->of = mt_arena_alloc(&b->arena, b->mesh.n_elements, sizeof *b->of);
}

static void make_operator(block *b, size_t n, const mt_tissue *tissue, const mt_diffusion_scheme *scheme)
{
    const mt_tissues tissues = {n, tissue, b->of};
    const mt_diffusion_options none = {.known = NULL};
    cr_assert_eq(mt_diffusion_make_with(&b->arena, &b->mesh, &b->adjacency, &tissues, scheme, &none, &b->op),
        MT_OK, "%s", mt_message());
    cr_assert_eq(diffusion_check(&b->op, &b->adjacency), MT_OK, "%s", mt_message());
}

static void centre_of(const block *b, size_t c, double x[3]) { mt_mesh_centroid(&b->mesh, c, x); }

/* Assigns elements beyond x_mm to the second tissue. */
static void part_at(block *b, double x_mm)
{
    for (size_t c = 0; c < b->mesh.n_elements; c++) {
        double x[3];
        centre_of(b, c, x);
        b->of[c] = x[0] > x_mm;
    }
}

/* Sets an orthonormal frame oblique to all axes; the frame differs between the tissues. */
static void set_frame(block *b, size_t c, bool turned)
{
    const double a = turned ? 0.4 : 1.1, e = turned ? 1.3 : 0.5;
    const double fibre[] = {cos(a) * cos(e), sin(a) * cos(e), sin(e)}, sheet[] = {-sin(a), cos(a), 0};
    memcpy(b->mesh.fibre + 3 * c, fibre, sizeof fibre);
    memcpy(b->mesh.sheet + 3 * c, sheet, sizeof sheet);
}

static void turn_frames(block *b)
{
    b->mesh.sheet = mt_arena_alloc(&b->arena, 3 * b->mesh.n_elements, sizeof *b->mesh.sheet);
    for (size_t c = 0; c < b->mesh.n_elements; c++) set_frame(b, c, b->of[c]);
}

/* Displaces vertices at random, within the planes x = plane_mm and the surface. */
static void shake(block *b, const double size_mm[3], double plane_mm, double most_mm)
{
    for (size_t v = 0; v < b->mesh.n_vertices; v++)
        for (size_t k = 0; k < 3; k++) {
            double *x = &b->mesh.xyz_mm[3 * v + k];
            const bool held =
                fabs(*x) < 1e-9 || fabs(*x - size_mm[k]) < 1e-9 || (k == 0 && fabs(*x - plane_mm) < 1e-9);
            const double by = most_mm * uniform();
            if (!held) *x += by;
        }
}

/* ---- a border ---- */

static void tensor_of(const block *b, const mt_tissue *t, size_t c, double d[3][3])
{
    const double along = mt_tissue_diffusivity_l(t), across = mt_tissue_diffusivity_t(t);
    const double *fibre = b->mesh.fibre + 3 * c, *sheet = b->mesh.sheet + 3 * c;
    mt_tissue_tensor(along, across, fibre, d);
    mt_tissue_tensor_add_normal(mt_tissue_diffusivity_n(t) - across, fibre, sheet, d);
}

/* Computes the gradient beyond a plane x = const for gradient `g` before it: the normal flux and the tangential gradient are continuous. */
static void beyond_plane(double before[3][3], double behind[3][3], const double g[3], double out[3])
{
    double jump = 0;
    for (int k = 0; k < 3; k++) jump += (before[0][k] - behind[0][k]) * g[k];
    memcpy(out, g, 3 * sizeof *g);
    out[0] += jump / behind[0][0];
}

static bool touches_surface(const block *b, size_t c, int depth)
{
    for (size_t f = 0; f < 4; f++) {
        const uint32_t n = b->adjacency.neighbour[4 * c + f];
        if (n == MT_NO_ELEMENT || (depth > 0 && touches_surface(b, n, depth - 1))) return true;
    }
    return false;
}

Test(tissues, the_flux_of_a_piecewise_linear_field_across_a_tissue_border_is_exact)
{
    const double size[3] = {6, 5, 5}, g[3] = {0.7, -1.3, 0.4};
    const mt_tissue tissue[2] = {{0.1, 0.02, 1, 1, 0.05}, {0.4, 0.3, 1, 1, 0.01}};
    const mt_diffusion_scheme schemes[2] = {
        mt_diffusion_scheme_plain, {.damping = 1.6, .correction = MT_CORRECTION_MINIMUM}};
    for (int k = 0; k < 2; k++) {
        block b;
        double before[3][3], behind[3][3], gradient[2][3], largest = 0;
        size_t n = 0, first = 0, last = 0;
        make_slab(&b, size, 1, MT_SLAB_KUHN);
        part_at(&b, 3);
        turn_frames(&b);
        shake(&b, size, 3, 0.05);
        make_operator(&b, 2, tissue, &schemes[k]);
        while (b.of[first] != 0) first++;
        while (b.of[last] != 1) last++;
        tensor_of(&b, &tissue[0], first, before);
        tensor_of(&b, &tissue[1], last, behind);
        memcpy(gradient[0], g, sizeof g);
        beyond_plane(before, behind, g, gradient[1]);
        double *v = mt_arena_alloc(&b.arena, b.mesh.n_elements, sizeof *v),
               *dv = mt_arena_alloc(&b.arena, b.mesh.n_elements, sizeof *dv);
        for (size_t c = 0; c < b.mesh.n_elements; c++) {
            double x[3];
            centre_of(&b, c, x);
            x[0] -= 3;
            v[c] = mt_dot3(gradient[b.of[c]], x);
        }
        mt_diffusion_apply(&b.op, v, dv);
        for (size_t c = 0; c < b.mesh.n_elements; c++) {
            if (b.op.theta[c] < 1 || touches_surface(&b, c, 2)) continue;
            largest = fmax(largest, fabs(dv[c]));
            n++;
        }
        cr_expect_gt(n, 60);
        cr_expect_lt(largest, 1e-12, "scheme %d: %g", k, largest);
        mt_arena_free(&b.arena);
    }
}

/* ---- the slowest mode of a bar of two tissues, in closed form ---- */

/* A mode of c v_t = (sigma v')' between insulated ends, with the border in the middle of the length 2 L: cos(k1 x) before it and a
 * cos(k2 (2 L - x)) after it, with the decay rate lambda = sigma k^2 / c on both sides. The flux is continuous if sigma1 k1 tan(k1 L) +
 * sigma2 k2 tan(k2 L) = 0. */
typedef struct mode {
    double half_mm, k[2], lambda, amplitude;
} mode;

static double mismatch(const double sigma[2], const double held[2], double half_mm, double lambda)
{
    double product[2], cosine[2], sum = 0;
    for (int i = 0; i < 2; i++) {
        const double k = sqrt(lambda * held[i] / sigma[i]);
        product[i] = sigma[i] * k * sin(k * half_mm);
        cosine[i] = cos(k * half_mm);
    }
    for (int i = 0; i < 2; i++) sum += product[i] * cosine[1 - i];
    return sum;
}

static mode slowest_mode(const double sigma[2], const double held[2], double half_mm)
{
    double low = 1e-9, high = low;
    while (mismatch(sigma, held, half_mm, high) > 0) high *= 1.02;
    low = high / 1.02;
    for (int i = 0; i < 200; i++) {
        const double mid = (low + high) / 2;
        *(mismatch(sigma, held, half_mm, mid) > 0 ? &low : &high) = mid;
    }
    mode m = {.half_mm = half_mm, .lambda = low};
    for (int i = 0; i < 2; i++) m.k[i] = sqrt(low * held[i] / sigma[i]);
    m.amplitude = cos(m.k[0] * half_mm) / cos(m.k[1] * half_mm);
    return m;
}

static double mode_at(const mode *m, double x)
{
    return x < m->half_mm ? cos(m->k[0] * x) : m->amplitude * cos(m->k[1] * (2 * m->half_mm - x));
}

/* Returns the error of the mode after its decay to a half: root mean square weighted by capacity, relative to the remaining mode. */
static double mode_error(const double sigma[2], const double held[2], double edge_mm)
{
    const double half_mm = 2, size[3] = {2 * half_mm, 2 * edge_mm, 2 * edge_mm};
    mt_tissue tissue[2] = {
        {sigma[0], 0.3 * sigma[0], held[0], 1, 0}, {sigma[1], 0.3 * sigma[1], held[1], 1, 0}};
    const mode m = slowest_mode(sigma, held, half_mm);
    block b;
    make_slab(&b, size, edge_mm, MT_SLAB_MIRRORED);
    part_at(&b, half_mm);
    make_operator(&b, 2, tissue, &mt_diffusion_scheme_plain);
    const double end_ms = log(2) / m.lambda;
    const size_t n = b.mesh.n_elements, steps = (size_t)ceil(4 * end_ms / b.op.limit_dt_ms);
    double *v = mt_arena_alloc(&b.arena, n, sizeof *v), *dv = mt_arena_alloc(&b.arena, n, sizeof *dv);
    double *place = mt_arena_alloc(&b.arena, n, sizeof *place), off = 0, all = 0;
    for (size_t c = 0; c < n; c++) {
        double x[3];
        centre_of(&b, c, x);
        place[c] = x[0];
        v[c] = mode_at(&m, x[0]);
    }
    /* Heun's method, so that the error in time is far below the error in space */
    double *w = mt_arena_alloc(&b.arena, n, sizeof *w), *dw = mt_arena_alloc(&b.arena, n, sizeof *dw);
    const double dt = end_ms / (double)steps;
    for (size_t s = 0; s < steps; s++) {
        mt_diffusion_apply(&b.op, v, dv);
        for (size_t c = 0; c < n; c++) w[c] = v[c] + dt * dv[c];
        mt_diffusion_apply(&b.op, w, dw);
        for (size_t c = 0; c < n; c++) v[c] += dt / 2 * (dv[c] + dw[c]);
    }
    for (size_t c = 0; c < n; c++) {
        const double right = mode_at(&m, place[c]) / 2, d = v[c] - right;
        off += b.op.volume_mm3[c] * d * d;
        all += b.op.volume_mm3[c] * right * right;
    }
    mt_arena_free(&b.arena);
    return sqrt(off / all);
}

Test(tissues, decay_in_a_bar_of_two_tissues_converges_to_the_closed_form_at_second_order)
{
    const struct {
        double sigma[2], held[2];
    } pairs[] = {{{0.1, 0.4}, {1, 1}}, {{0.1, 0.01}, {1, 1}}, {{0.1, 0.1}, {1, 3}}, {{0.1, 0.6}, {1, 0.4}}};
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++) {
        const int n = p == 0 ? 3 : 2; /* half the edge again would take ten times as long */
        double error[3] = {NAN, NAN, NAN};
        for (int k = 0; k < n; k++) error[k] = mode_error(pairs[p].sigma, pairs[p].held, 0.5 / (1 << k));
        cr_log_info("pair %zu: %.3g %.3g %.3g", p, error[0], error[1], error[2]);
        cr_expect_lt(error[0], 0.02, "pair %zu: %g", p, error[0]);
        for (int k = 0; k + 1 < n; k++)
            cr_expect_gt(log2(error[k] / error[k + 1]), 1.8, "pair %zu: %g, %g", p, error[k], error[k + 1]);
    }
}

/* ---- patches ---- */

Test(tissues, noise_decays_in_every_step_with_conductivity_contrasts_up_to_100)
{
    const double size[3] = {6, 5, 4};
    const mt_tissue tissue[3] = {mt_tissue_default, {0.01 * 0.133, 0.01 * 0.0176, 140, 0.01, 0},
        {4 * 0.133, 2 * 0.0176, 280, 0.01, 0.1}};
    block b;
    mt_stability_trial trial;
    make_slab(&b, size, 0.5, MT_SLAB_KUHN);
    for (size_t c = 0; c < b.mesh.n_elements; c++) {
        double x[3];
        centre_of(&b, c, x);
        b.of[c] = (uint16_t)((size_t)(7 * fabs(sin(x[0]) * cos(2 * x[1]) + sin(x[2]))) % 3);
    }
    turn_frames(&b);
    shake(&b, size, 3, 0.1);
    make_operator(&b, 3, tissue, &mt_diffusion_scheme_default);
    cr_log_info("limited %zu, slivers %zu, slowed %zu of %zu, indefinite %zu; dt %g", b.op.n_limited,
        b.op.n_slivers, b.op.n_slowed, b.op.n_unknowns, b.op.n_indefinite, b.op.limit_dt_ms);
    cr_expect_leq(b.op.top_per_ms, 1e-6);
    cr_expect_eq(b.op.n_slivers, 0, "%zu", b.op.n_slivers);
    cr_expect_eq(mt_stability_trial_run(&b.op, b.op.limit_dt_ms, 300, &trial), MT_OK, "%s", mt_message());
    cr_assert(b.op.capacity);
    for (size_t c = 0; c < b.mesh.n_elements; c++) {
        cr_expect_eq(b.op.capacity[c], b.of[c] == 2 ? 2 : 1);
        const mt_diffusion_limiting e = mt_diffusion_effect_on(&b.op, &b.mesh, &b.adjacency, c);
        cr_expect_float_eq(e.capacity, 1, 1e-6);
    }
    mt_arena_free(&b.arena);
}

/* ---- spreading ---- */

/* Returns the largest |V^-1 M kappa|: the effect on an element of a uniform reaction. */
static double largest_felt(block *b, double factor)
{
    mt_tissue tissue[2] = {mt_tissue_default, mt_tissue_default};
    tissue[1].sigma_l_mS_mm *= factor;
    tissue[1].sigma_t_mS_mm *= factor;
    make_operator(b, 2, tissue, &mt_diffusion_scheme_default);
    double *felt = mt_arena_alloc(&b->arena, b->mesh.n_elements, sizeof *felt), largest = 0;
    mt_diffusion_apply(&b->op, b->op.kappa_ms, felt);
    for (size_t c = 0; c < b->mesh.n_elements; c++) largest = fmax(largest, fabs(felt[c]));
    return largest;
}

Test(tissues, spreading_depends_on_the_tissue_of_each_element_and_is_smooth_at_the_border)
{
    const double size[3] = {24, 6, 6};
    static const double factor[] = {1, 4, 10};
    block b;
    make_slab(&b, size, 1, MT_SLAB_MIRRORED);
    part_at(&b, 12);
    for (size_t k = 0; k < 3; k++) {
        const double felt = largest_felt(&b, factor[k]);
        double kappa[2] = {0}, volume[2] = {0};
        for (size_t c = 0; c < b.mesh.n_elements; c++) {
            double x[3];
            centre_of(&b, c, x);
            if (fabs(x[0] - 12) < 8) continue;
            kappa[b.of[c]] += b.op.kappa_ms[c] * b.op.volume_mm3[c];
            volume[b.of[c]] += b.op.volume_mm3[c];
        }
        cr_log_info("factor %g: felt %.4f, kappa %.4f, %.4f, slowed %zu", factor[k], felt,
            kappa[0] / volume[0], kappa[1] / volume[1], b.op.n_slowed);
        const double usual = kappa[0] / volume[0], beta = mt_diffusion_scheme_default.spreading,
                     front = mt_diffusion_scheme_default.front_ms,
                     t = (usual + sqrt(usual * (usual + 4 * beta * front))) / (2 * beta) / factor[k];
        cr_expect_float_eq(kappa[1] / volume[1], beta * t * t / (t + front), 1e-3 * usual);
        cr_expect_lt(felt, 0.01, "factor %g: %g", factor[k], felt);
    }
    mt_arena_free(&b.arena);
}

/* ---- sheets ---- */

/* Permutes the axes of all frames: the fibre becomes the old normal, the sheet the old fibre, the normal the old sheet. */
static void rename_axes(block *b)
{
    for (size_t c = 0; c < b->mesh.n_elements; c++) {
        double *fibre = b->mesh.fibre + 3 * c, *sheet = b->mesh.sheet + 3 * c, normal[3];
        mt_cross3(fibre, sheet, normal);
        memcpy(sheet, fibre, sizeof normal);
        memcpy(fibre, normal, sizeof normal);
    }
}

static double *rates_of(block *b, const mt_tissue *tissue)
{
    make_operator(b, 1, tissue, &mt_diffusion_scheme_default);
    return b->op.rate;
}

static void expect_same_rates(const block *b, const double *one, const double *other)
{
    double largest = 0, off = 0;
    for (size_t k = 0; k < ROW * b->mesh.n_elements; k++) {
        largest = fmax(largest, fabs(one[k]));
        off = fmax(off, fabs(one[k] - other[k]));
    }
    cr_expect_lt(off, 1e-11 * largest, "%g beside %g", off, largest);
}

Test(tissues, the_sheet_normal_is_a_conductivity_axis_like_the_others)
{
    const double size[3] = {4, 3, 3};
    block b;
    make_slab(&b, size, 1, MT_SLAB_KUHN);
    turn_frames(&b);
    const double *before = rates_of(&b, &(mt_tissue){0.1, 0.04, 1, 1, 0.02});
    rename_axes(&b);
    expect_same_rates(&b, before, rates_of(&b, &(mt_tissue){0.02, 0.1, 1, 1, 0.04}));
    rename_axes(&b);
    expect_same_rates(&b, before, rates_of(&b, &(mt_tissue){0.04, 0.02, 1, 1, 0.1}));
    mt_arena_free(&b.arena);
}

Test(tissues, an_equal_sheet_normal_and_transverse_conductivity_changes_no_bit)
{
    const double size[3] = {4, 3, 3};
    block b;
    make_slab(&b, size, 1, MT_SLAB_KUHN);
    turn_frames(&b);
    const double *none = rates_of(&b, &(mt_tissue){0.1, 0.04, 1, 1, 0}),
                 *same = rates_of(&b, &(mt_tissue){0.1, 0.04, 1, 1, 0.04});
    cr_expect_eq(memcmp(none, same, ROW * b.mesh.n_elements * sizeof *none), 0);
    mt_arena_free(&b.arena);
}

Test(tissues, a_mesh_without_the_axes_of_its_tissue_is_rejected)
{
    const double size[3] = {2, 2, 2};
    const mt_diffusion_options none = {.known = NULL};
    const mt_tissue sheeted = {0.1, 0.04, 1, 1, 0.02}, bad = {0.1, 0.04, 1, 1, -1};
    mt_tissues tissues = {1, &sheeted, NULL};
    block b;
    make_slab(&b, size, 1, MT_SLAB_KUHN);
    cr_expect_eq(mt_diffusion_make_with(
                     &b.arena, &b.mesh, &b.adjacency, &tissues, &mt_diffusion_scheme_default, &none, &b.op),
        MT_INPUT);
    cr_expect(strstr(mt_message(), "the mesh has no sheets"), "%s", mt_message());
    tissues.tissue = &bad;
    cr_expect_eq(mt_diffusion_make_with(
                     &b.arena, &b.mesh, &b.adjacency, &tissues, &mt_diffusion_scheme_default, &none, &b.op),
        MT_INPUT);
    cr_expect(strstr(mt_message(), "sigma_n_mS_mm is -1"), "%s", mt_message());
    b.of[3] = 1;
    tissues = (mt_tissues){1, &mt_tissue_default, b.of};
    cr_expect_eq(mt_diffusion_make_with(
                     &b.arena, &b.mesh, &b.adjacency, &tissues, &mt_diffusion_scheme_default, &none, &b.op),
        MT_INPUT);
    cr_expect(strstr(mt_message(), "element 3 is of tissue 1; there are 1"), "%s", mt_message());
    mt_arena_free(&b.arena);
}
