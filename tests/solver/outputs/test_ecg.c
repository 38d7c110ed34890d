/* Potentials in a bath, compared with closed forms or with integrals that need no mesh. */
#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>
#include <string.h>

#include "data/core/vec3.h"
#include "mesh/make/slab.h"
#include "solver/outputs/ecg.h"
#include "tests/random.h"
#include "tests/solver/gmsh_box.h"

static const double BATH = 0.7; /* mS/mm */

/* Intracellular conductivities. The extracellular ones are proportional, such that the monodomain tissue is that of a muscle. */
typedef struct intracellular {
    double sigma_l_mS_mm, sigma_t_mS_mm;
} intracellular;

static const intracellular inside = {.sigma_l_mS_mm = 0.17, .sigma_t_mS_mm = 0.019};
static const intracellular isotropic = {.sigma_l_mS_mm = 0.1, .sigma_t_mS_mm = 0.1};

typedef struct muscle {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_tissue tissue;
    bool at_vertices;
    double *v;
} muscle;

static mt_unknowns unknowns_of(const muscle *m) { return (mt_unknowns){&m->mesh, m->at_vertices}; }

static muscle of_mesh(muscle m)
{
    cr_assert_eq(mt_adjacency_make(&m.arena, &m.mesh, &m.adjacency), MT_OK, "%s", mt_message());
    m.v = mt_arena_alloc(&m.arena, m.mesh.n_elements, sizeof *m.v);
    m.tissue = mt_tissue_default;
    return m;
}

static muscle slab(double x, double y, double z, double edge, mt_slab_cut cut)
{
    muscle m = {0};
    const double size[3] = {x, y, z};
    cr_assert_eq(mt_slab_make_cut(&m.arena, size, edge, cut, &m.mesh), MT_OK, "%s", mt_message());
    return of_mesh(m);
}

static mt_medium medium_of(const muscle *m, const intracellular *sigma)
{
    const double l = sigma->sigma_l_mS_mm, t = sigma->sigma_t_mS_mm,
                 part = 0.5 * fmin(l / m->tissue.sigma_l_mS_mm, t / m->tissue.sigma_t_mS_mm),
                 both_l = part * m->tissue.sigma_l_mS_mm, both_t = part * m->tissue.sigma_t_mS_mm;
    return (mt_medium){.intracellular_l_mS_mm = l,
        .intracellular_t_mS_mm = t,
        .intracellular_n_mS_mm = NAN,
        .extracellular_l_mS_mm = l * both_l / (l - both_l),
        .extracellular_t_mS_mm = t * both_t / (t - both_t),
        .extracellular_n_mS_mm = NAN,
        .chi_per_mm = m->tissue.chi_per_mm,
        .cm_uF_mm2 = m->tissue.cm_uF_mm2};
}

static mt_status make_in(
    muscle *m, const mt_media *media, double bath, size_t n, const mt_electrode *electrode, mt_ecg *ecg)
{
    const mt_unknowns unknowns = unknowns_of(m);
    return mt_ecg_make(&m->arena, &unknowns, &m->adjacency, media, bath, n, electrode, ecg);
}

static mt_status make(
    muscle *m, const intracellular *sigma, size_t n, const mt_electrode *electrode, mt_ecg *ecg)
{
    mt_medium medium = medium_of(m, sigma);
    return make_in(m, &(mt_media){.n = 1, .medium = &medium}, BATH, n, electrode, ecg);
}

static void potentials(
    muscle *m, const intracellular *sigma, size_t n, const mt_electrode *electrode, double *phi)
{
    mt_ecg ecg;
    cr_assert_eq(make(m, sigma, n, electrode, &ecg), MT_OK, "%s", mt_message());
    mt_ecg_potentials(&ecg, m->v, phi);
}

typedef double field(const double x[3], const void *how);

static void set(muscle *m, field *of, const void *how)
{
    const mt_unknowns unknowns = unknowns_of(m);
    for (size_t k = 0; k < mt_unknowns_count(&unknowns); k++) {
        double x[3];
        mt_unknowns_place(&unknowns, k, x);
        m->v[k] = of(x, how);
    }
}

static void point_fibres(muscle *m, double x, double y, double z)
{
    const double fibre[3] = {x, y, z};
    for (size_t c = 0; c < m->mesh.n_elements; c++) memcpy(m->mesh.fibre + 3 * c, fibre, sizeof fibre);
}

/* ---- a wavefront in a slab ---- */

/* A wavefront: excited behind it, at rest ahead of it. */
typedef struct front {
    double at, width; /* mm */
} front;

static double front_of(const double x[3], const void *how)
{
    const front *f = how;
    return -85 + 110 / (1 + exp((x[0] - f->at) / f->width));
}

static double slope_of_front(const front *f, double x)
{
    const double e = exp(-fabs(x - f->at) / f->width);
    return -110 / f->width * e / ((1 + e) * (1 + e));
}

/* Returns the integral of d(1/r)/dx over the cross-section of a slab at x: the solid angle of a rectangle, up to its sign. */
static double solid_angle(const double size[3], double x, const double at[3])
{
    const double d = at[0] - x;
    double sum = 0;
    for (int j = 0; j < 2; j++)
        for (int k = 0; k < 2; k++) {
            const double y = j * size[1] - at[1], z = k * size[2] - at[2];
            sum += (j == k ? 1 : -1) * atan(y * z / (d * sqrt(d * d + y * y + z * z)));
        }
    return sum;
}

/* Simpson's rule; none of its points is in the plane of an electrode. */
static double front_potential(const front *f, const double size[3], double sigma, const double at[3])
{
    enum { STEPS = 100000 };
    const double step = size[0] / STEPS;
    double sum = 0;
    for (size_t k = 0; k <= STEPS; k++) {
        const double x = step * (double)k, weight = k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2;
        sum += weight * step / 3 * slope_of_front(f, x) * solid_angle(size, x, at);
    }
    return -sigma / (4 * M_PI * BATH) * sum;
}

enum { PLACES = 4 };
static const double SLAB[3] = {10, 2, 1};
static const mt_electrode around[PLACES] = {{"ahead", {11.001, 0.7, 0.4}}, {"behind", {-2.003, 1, 0.5}},
    {"above", {5.1007, 1, 2}}, {"far", {30.01, -20, 15}}};

/* Returns the largest difference at any electrode and time, relative to the largest potential there. */
static double front_error(double edge, mt_slab_cut cut, bool along, bool at_vertices)
{
    static const double times[] = {3, 4.4, 5.9, 7};
    double worst = 0, largest[PLACES] = {0}, off[PLACES] = {0};
    muscle m = slab(SLAB[0], SLAB[1], SLAB[2], edge, cut);
    m.at_vertices = at_vertices;
    if (!along) point_fibres(&m, 0, 0.6, 0.8);
    for (size_t t = 0; t < 4; t++) {
        const front f = {times[t], 0.3};
        double phi[PLACES];
        set(&m, front_of, &f);
        potentials(&m, &inside, PLACES, around, phi);
        for (size_t e = 0; e < PLACES; e++) {
            const double sigma = along ? inside.sigma_l_mS_mm : inside.sigma_t_mS_mm;
            const double exact = front_potential(&f, SLAB, sigma, around[e].at_mm);
            largest[e] = fmax(largest[e], fabs(exact));
            off[e] = fmax(off[e], fabs(phi[e] - exact));
        }
    }
    for (size_t e = 0; e < PLACES; e++) worst = fmax(worst, off[e] / largest[e]);
    mt_arena_free(&m.arena);
    return worst;
}

static void expect_second_order(mt_slab_cut cut, bool along, bool at_vertices)
{
    const double coarse = front_error(0.25, cut, along, at_vertices),
                 fine = front_error(0.125, cut, along, at_vertices);
    cr_log_info("%s, %s: %.5f %.5f", mt_slab_cut_name[cut], along ? "along" : "across", coarse, fine);
    cr_expect_lt(fine, 0.005, "%g", fine);
    cr_expect_lt(fine, coarse / 3.2, "%g after %g", fine, coarse);
}

Test(ecg, the_ecg_of_a_longitudinal_wavefront_matches_the_closed_form)
{
    expect_second_order(MT_SLAB_MIRRORED, true, false);
}
Test(ecg, the_ecg_of_a_transverse_wavefront_matches_the_closed_form)
{
    expect_second_order(MT_SLAB_KUHN, false, false);
}

Test(ecg, the_ecg_of_voltages_at_vertices_matches_the_closed_form)
{
    expect_second_order(MT_SLAB_MIRRORED, true, true);
    expect_second_order(MT_SLAB_KUHN, false, true);
}

/* At one element size above the surface 1/r varies nonlinearly within an element. */
Test(ecg, the_ecg_is_accurate_close_to_the_tissue)
{
    muscle m = slab(SLAB[0], SLAB[1], SLAB[2], 0.25, MT_SLAB_MIRRORED);
    const mt_electrode close[] = {{"first", {4.4007, 0.9, 1.14}}, {"second", {5.9007, 1.12, 1.14}}};
    const front f = {5, 0.5};
    double phi[2];
    set(&m, front_of, &f);
    potentials(&m, &inside, 2, close, phi);
    for (size_t e = 0; e < 2; e++) {
        const double exact = front_potential(&f, SLAB, inside.sigma_l_mS_mm, close[e].at_mm);
        cr_expect_float_eq(phi[e], exact, 0.01 * fabs(exact), "%s: %g, not %g", close[e].name, phi[e], exact);
    }
    mt_arena_free(&m.arena);
}

/* The current of the wavefront flows ahead. */
Test(ecg, the_ecg_is_positive_ahead_of_a_wavefront_and_negative_after_it)
{
    muscle m = slab(SLAB[0], SLAB[1], SLAB[2], 0.5, MT_SLAB_MIRRORED);
    const front f = {5, 0.3};
    double phi[PLACES];
    set(&m, front_of, &f);
    potentials(&m, &inside, PLACES, around, phi);
    cr_expect(phi[0] > 0 && phi[1] < 0);
    mt_arena_free(&m.arena);
}

/* The dipole moment is sigma times the area times the step of V. */
Test(ecg, a_distant_wavefront_is_a_dipole)
{
    muscle m = slab(4, 1, 1, 0.125, MT_SLAB_MIRRORED);
    const front f = {2, 0.15};
    const mt_electrode far[] = {{"x", {202, 0.5, 0.5}}, {"oblique", {2 + 120, 0.5 + 160, 0.5}}};
    double phi[2];
    set(&m, front_of, &f);
    potentials(&m, &inside, 2, far, phi);
    const double moment = inside.sigma_l_mS_mm * 110, at_x = moment / (4 * M_PI * BATH * 200 * 200);
    cr_expect_float_eq(phi[0], at_x, 1e-3 * at_x, "%g, not %g", phi[0], at_x);
    cr_expect_float_eq(phi[1], 0.6 * at_x, 1e-3 * at_x, "%g, not %g", phi[1], 0.6 * at_x);
    mt_arena_free(&m.arena);
}

/* ---- smooth fields in a cube ---- */

static double ball_of(const double x[3], const void *how)
{
    const double middle[3] = {0.5, 0.5, 0.5}, r = sqrt(mt_square3(x, middle));
    (void)how;
    return -85 + 110 / (1 + exp((r - 0.22) / 0.03));
}

/* In an isotropic tissue a closed wavefront subtends no solid angle from outside. */
Test(ecg, a_closed_wavefront_has_no_external_potential)
{
    const mt_electrode near[] = {{"near", {0.4, 0.3, 1.3}}};
    double open, closed;
    const front f = {0.5, 0.03};
    muscle m = slab(1, 1, 1, 0.0625, MT_SLAB_MIRRORED);
    m.tissue.sigma_t_mS_mm = m.tissue.sigma_l_mS_mm;
    set(&m, front_of, &f);
    potentials(&m, &isotropic, 1, near, &open);
    set(&m, ball_of, NULL);
    potentials(&m, &isotropic, 1, near, &closed);
    cr_expect_lt(fabs(closed), 0.01 * fabs(open), "%g beside %g", closed, open);
    mt_arena_free(&m.arena);
}

/* Fibres at 35 degrees to x in the xy plane. On the wall x = 0 the flux a u_x + b u_y vanishes although u_x and u_y do not. The
 * intracellular current does not vanish, since the anisotropy is higher: u = X(x) (G(y) - (b/a) x G'(y)) Z(z), X = cos^2(pi x / 2), G =
 * sin^4(pi y), Z = 1 + cos(pi z) / 2. */
static const double ANGLE = 35 * M_PI / 180;
static const double OBLIQUE_L = 1, OBLIQUE_T = 0.2;

static double ratio(void)
{
    const double c = cos(ANGLE), s = sin(ANGLE);
    return (OBLIQUE_L - OBLIQUE_T) * c * s / (OBLIQUE_T + (OBLIQUE_L - OBLIQUE_T) * c * c);
}

typedef struct factors {
    double X[2], G[3], Z[2];
} factors;

static factors factors_at(const double x[3])
{
    const double p = M_PI, s = sin(p * x[1]), c = cos(p * x[1]);
    return (factors){{(1 + cos(p * x[0])) / 2, -p * sin(p * x[0]) / 2},
        {s * s * s * s, 4 * p * s * s * s * c, 4 * p * p * s * s * (3 * c * c - s * s)},
        {1 + cos(p * x[2]) / 2, -p * sin(p * x[2]) / 2}};
}

static double oblique_of(const double x[3], const void *how)
{
    const factors f = factors_at(x);
    (void)how;
    return f.X[0] * (f.G[0] - ratio() * x[0] * f.G[1]) * f.Z[0];
}

static double oblique_source(const double x[3], const double at[3])
{
    const factors f = factors_at(x);
    const double q = ratio(), middle = f.G[0] - q * x[0] * f.G[1];
    const double slope[3] = {(f.X[1] * middle - f.X[0] * q * f.G[1]) * f.Z[0],
        f.X[0] * (f.G[1] - q * x[0] * f.G[2]) * f.Z[0], f.X[0] * middle * f.Z[1]};
    const double fibre[3] = {cos(ANGLE), sin(ANGLE), 0};
    double sigma[3][3], to[3], sum = 0;
    mt_tissue_tensor(inside.sigma_l_mS_mm, inside.sigma_t_mS_mm, fibre, sigma);
    mt_minus3(at, x, to);
    for (int i = 0; i < 3; i++) sum += to[i] * mt_dot3(sigma[i], slope);
    return sum / pow(mt_dot3(to, to), 1.5);
}

/* Gauss quadrature with three points per axis in the cells of a cube. */
static double oblique_potential(const double at[3])
{
    enum { CELLS = 16 };
    static const double node[3] = {-0.774596669241483377, 0, 0.774596669241483377}, weight[3] = {5, 8, 5};
    double sum = 0;
    for (int i = 0; i < 3 * CELLS; i++)
        for (int j = 0; j < 3 * CELLS; j++)
            for (int k = 0; k < 3 * CELLS; k++) {
                const double x[3] = {(i / 3 + 0.5 + node[i % 3] / 2) / CELLS,
                    (j / 3 + 0.5 + node[j % 3] / 2) / CELLS, (k / 3 + 0.5 + node[k % 3] / 2) / CELLS};
                sum += weight[i % 3] * weight[j % 3] * weight[k % 3] * oblique_source(x, at);
            }
    return -sum / (18.0 * 18 * 18 * CELLS * CELLS * CELLS) / (4 * M_PI * BATH);
}

static double oblique_error(muscle m)
{
    static const mt_electrode near[] = {
        {"left", {-0.3, 0.6, 0.4}}, {"right", {1.4, 0.2, 0.7}}, {"below", {0.3, 0.45, -0.5}}};
    double phi[3], worst = 0, largest = 0;
    m.tissue.sigma_l_mS_mm = OBLIQUE_L, m.tissue.sigma_t_mS_mm = OBLIQUE_T;
    point_fibres(&m, cos(ANGLE), sin(ANGLE), 0);
    set(&m, oblique_of, NULL);
    potentials(&m, &inside, 3, near, phi);
    for (size_t e = 0; e < 3; e++) {
        const double exact = oblique_potential(near[e].at_mm);
        largest = fmax(largest, fabs(exact));
        worst = fmax(worst, fabs(phi[e] - exact));
    }
    mt_arena_free(&m.arena);
    return worst / largest;
}

static muscle gmsh_muscle(double edge)
{
    muscle m = {0};
    gmsh_box(&m.arena, edge, &m.mesh);
    return of_mesh(m);
}

Test(ecg, the_ecg_with_oblique_fibres_matches_the_integral)
{
    const double coarse = oblique_error(slab(1, 1, 1, 0.1, MT_SLAB_KUHN)),
                 fine = oblique_error(slab(1, 1, 1, 0.05, MT_SLAB_KUHN));
    cr_log_info("%.5f %.5f", coarse, fine);
    cr_expect_lt(fine, 0.01, "%g", fine);
    cr_expect_lt(fine, coarse / 3, "%g after %g", fine, coarse);
}

Test(ecg, the_ecg_with_oblique_fibres_converges_on_an_unstructured_mesh)
{
    const double coarse = oblique_error(gmsh_muscle(0.1)), fine = oblique_error(gmsh_muscle(0.05));
    cr_log_info("%.5f %.5f", coarse, fine);
    cr_expect_lt(fine, 0.01, "%g", fine);
    cr_expect_lt(fine, coarse / 2.5, "%g after %g", fine, coarse);
}

/* ---- the sum ---- */

Test(ecg, a_uniform_voltage_has_no_ecg)
{
    muscle m = slab(4, 2, 1, 0.25, MT_SLAB_MIRRORED);
    double phi[PLACES];
    mt_ecg ecg;
    cr_assert_eq(make(&m, &inside, PLACES, around, &ecg), MT_OK, "%s", mt_message());
    for (size_t c = 0; c < m.mesh.n_elements; c++) m.v[c] = -85.23;
    mt_ecg_potentials(&ecg, m.v, phi);
    for (size_t e = 0; e < PLACES; e++) {
        double sum = 0, size = 0;
        for (size_t c = 0; c < ecg.n_unknowns; c++) {
            sum += (double)ecg.weight[e * ecg.n_unknowns + c];
            size += fabs((double)ecg.weight[e * ecg.n_unknowns + c]);
        }
        cr_expect(
            phi[e] == 0 && fabs(sum) < 1e-8 * size, "%s: %g, %g of %g", around[e].name, phi[e], sum, size);
    }
    mt_arena_free(&m.arena);
}

/* 9,828 elements are not a multiple of the block size of the sum. */
Test(ecg, all_elements_count_once_and_the_ecg_is_bit_identical_for_any_threads)
{
    muscle m = slab(3.9, 1.4, 0.3, 0.1, MT_SLAB_MIRRORED);
    const size_t n = m.mesh.n_elements;
    double phi[3][PLACES];
    mt_ecg ecg[3];
    uint64_t state = 7;
    for (size_t c = 0; c < n; c++) m.v[c] = between(&state, -90, 40);
    for (int threads = 1; threads <= 3; threads++) {
        omp_set_num_threads(threads);
        cr_assert_eq(make(&m, &inside, PLACES, around, &ecg[threads - 1]), MT_OK, "%s", mt_message());
        mt_ecg_potentials(&ecg[threads - 1], m.v, phi[threads - 1]);
    }
    for (int k = 1; k < 3; k++) {
        cr_expect_eq(memcmp(ecg[k].weight, ecg[0].weight, PLACES * n * sizeof(float)), 0);
        cr_expect_eq(memcmp(phi[k], phi[0], sizeof phi[0]), 0);
    }
    for (size_t e = 0; e < PLACES; e++) {
        long double plain = 0;
        for (size_t c = 0; c < n; c++)
            plain += (long double)ecg[0].weight[e * n + c] * ((long double)m.v[c] - (long double)m.v[0]);
        cr_expect_float_eq(phi[0][e], (double)plain, 1e-12 * fabs((double)plain));
    }
    mt_arena_free(&m.arena);
}

/* The part with the wavefront has doubled intracellular and extracellular conductivities. V is constant at its border, so no current
 * arises there. */
Test(ecg, conductivities_can_differ_between_regions)
{
    muscle m = slab(SLAB[0], SLAB[1], SLAB[2], 0.25, MT_SLAB_MIRRORED);
    const size_t n = m.mesh.n_elements;
    const front f = {2.5, 0.2};
    const intracellular better = {2 * inside.sigma_l_mS_mm, 2 * inside.sigma_t_mS_mm};
    mt_medium media[] = {medium_of(&m, &inside), medium_of(&m, &better)};
    uint16_t *of = mt_arena_alloc(&m.arena, n, sizeof *of);
    double uniform[PLACES], twice[PLACES];
    mt_ecg ecg;
    set(&m, front_of, &f);
    potentials(&m, &inside, PLACES, around, uniform);
    for (size_t c = 0; c < n; c++) {
        double x[3];
        mt_mesh_centroid(&m.mesh, c, x);
        of[c] = x[0] < 5;
    }
    cr_assert_eq(make_in(&m, &(mt_media){.n = 2, .medium = media, .of = of}, BATH, PLACES, around, &ecg),
        MT_OK, "%s", mt_message());
    mt_ecg_potentials(&ecg, m.v, twice);
    for (size_t e = 0; e < PLACES; e++)
        cr_expect_float_eq(twice[e], 2 * uniform[e], 1e-4 * fabs(uniform[e]), "%s", around[e].name);
    mt_arena_free(&m.arena);
}

/* ---- refused input ---- */

static void expect_refused(
    muscle *m, const intracellular *sigma, size_t n, const mt_electrode *electrode, const char *words)
{
    mt_ecg ecg;
    cr_expect_eq(make(m, sigma, n, electrode, &ecg), MT_INPUT);
    cr_expect(strstr(mt_message(), words), "'%s' has no '%s'", mt_message(), words);
}

/* Edges of 0.5 mm: elements of 0.275 mm. */
Test(ecg, an_electrode_inside_or_on_the_tissue_is_rejected)
{
    muscle m = slab(4, 2, 1, 0.5, MT_SLAB_MIRRORED);
    const mt_electrode in[] = {{"far", {9, 9, 9}}, {"V1", {1.3, 0.9, 0.4}}}, on[] = {{"V2", {1.3, 0.9, 1}}},
                       close[] = {{"V3", {4.2, 0.9, 0.4}}}, beside[] = {{"V4", {4.3, 0.9, 0.4}}};
    mt_ecg ecg;
    expect_refused(&m, &inside, 2, in, "electrode 'V1' at [1.3, 0.9, 0.4] mm is in the tissue, in element ");
    expect_refused(&m, &inside, 1, on, "electrode 'V2' at [1.3, 0.9, 1] mm is in the tissue, in element ");
    expect_refused(&m, &inside, 1, close, "'V3' at [4.2, 0.9, 0.4] mm is 0.2 mm from element ");
    expect_refused(&m, &inside, 1, close, "at least 0.275 mm");
    cr_expect_eq(make(&m, &inside, 1, beside, &ecg), MT_OK, "%s", mt_message());
    mt_arena_free(&m.arena);
}

Test(ecg, invalid_input_is_rejected)
{
    muscle m = slab(4, 2, 1, 0.5, MT_SLAB_MIRRORED);
    const mt_electrode good = {"a", {9, 9, 9}};
    const mt_electrode same[] = {good, {"b", {8, 8, 8}}, {"a", {7, 7, 7}}}, unnamed[] = {{"", {9, 9, 9}}},
                       nowhere[] = {{"c", {9, NAN, 9}}};
    mt_medium usual = medium_of(&m, &inside);
    mt_ecg ecg;
    expect_refused(&m, &inside, 3, same, "two electrodes have the name 'a'");
    expect_refused(&m, &inside, 1, unnamed, "electrode 1 has no name");
    expect_refused(&m, &inside, 1, nowhere, "electrode 'c' is at [9, nan, 9]");
    expect_refused(&m, &inside, 0, &good, "0 electrodes");
    cr_expect_eq(make_in(&m, &(mt_media){.n = 1, .medium = &usual}, 0, 1, &good, &ecg), MT_INPUT);
    cr_expect(strstr(mt_message(), "bath"));
    m.mesh.fibre = NULL;
    m.tissue.sigma_t_mS_mm = m.tissue.sigma_l_mS_mm;
    expect_refused(&m, &inside, 1, &good, "no fibres");
    cr_expect_eq(make(&m, &isotropic, 1, &good, &ecg), MT_OK, "%s", mt_message());
    mt_arena_free(&m.arena);
}

Test(ecg, out_of_memory_is_reported)
{
    muscle m = slab(1, 1, 1, 0.5, MT_SLAB_MIRRORED);
    mt_ecg ecg;
    for (size_t k = 1; k <= 3; k++) {
        mt_arena_fail_at(k);
        cr_expect_eq(make(&m, &inside, 1, around, &ecg), MT_MEMORY);
    }
    mt_arena_fail_at(0);
    mt_arena_free(&m.arena);
}
