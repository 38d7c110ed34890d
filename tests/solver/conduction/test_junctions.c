#include <criterion/criterion.h>

#include "data/core/vec3.h"
#include "mesh/make/slab.h"
#include "solver/conduction/conducting.h"
#include "solver/diffusion/nodal.h"
#include "tests/solver/conduction/explicit_cable.h"
#include "tests/solver/conduction/networks.h"
#include "tests/solver/gmsh_box.h"

enum { ENDS_MOST = 40 };

/* Tissue, and cables that end in it. */
typedef struct heart {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_diffusion diffusion;
    mt_unknowns unknowns;
    mt_junctions_tissue tissue;
    mt_network network;
    mt_cables cables;
    uint32_t point[ENDS_MOST];
    mt_junctions junctions;
} heart;

/* Builds the tissue of a mesh, at its elements or vertices. */
static void make_tissue(heart *h, bool at_vertices)
{
    if (at_vertices) ok(mt_unknowns_mesh(&h->arena, &h->mesh, &h->mesh));
    ok(mt_adjacency_make(&h->arena, &h->mesh, &h->adjacency));
    const mt_tissues tissues = mt_tissues_uniform(&mt_tissue_default);
    if (at_vertices)
        ok(mt_nodal_diffusion_make(&h->arena, &h->mesh, &tissues, NULL, &(mt_watch){0}, &h->diffusion));
    else
        ok(mt_diffusion_make(&h->arena, &h->mesh, &h->adjacency, &mt_tissue_default,
            &mt_diffusion_scheme_default, &h->diffusion));
    h->unknowns = (mt_unknowns){&h->mesh, at_vertices};
    h->tissue = (mt_junctions_tissue){.unknowns = &h->unknowns,
        .adjacency = &h->adjacency,
        .diffusion = &h->diffusion,
        .membrane_uF_mm3 = mt_tissue_default.chi_per_mm * mt_tissue_default.cm_uF_mm2};
}

/* Creates n cables of one piece whose first nodes are at these places. */
static void end_cables_at(heart *h, size_t n, const double *xyz_mm)
{
    mt_cables_rule rule = usual_rule;
    rule.spacing_mm = 1000;
    cr_assert_leq(n, ENDS_MOST);
    ok(mt_network_new(&h->arena, 2 * n, n, &h->network));
    for (uint32_t k = 0; k < n; k++) {
        memcpy(h->network.xyz_mm + 6 * k, xyz_mm + 3 * k, 3 * sizeof *xyz_mm);
        memcpy(h->network.xyz_mm + 6 * k + 3, xyz_mm + 3 * k, 3 * sizeof *xyz_mm);
        h->network.xyz_mm[6 * k + 5] += 30;
        h->network.segment_node[2 * k] = 2 * k;
        h->network.segment_node[2 * k + 1] = 2 * k + 1;
    }
    ok(mt_cables_make(&h->arena, &h->network, NULL, &rule, &h->cables));
    for (size_t k = 0; k < n; k++) h->point[k] = h->cables.point_of[2 * k];
}

static void couple(heart *h, size_t n, double resistance_kOhm, double radius_mm)
{
    const mt_junctions_rule rule = {resistance_kOhm, radius_mm};
    ok(mt_junctions_make(&h->arena, &h->tissue, &h->cables, n, h->point, &rule, &h->junctions));
}

/* ---- an oracle that inspects all pairs of unknowns ---- */

static size_t n_unknowns(const heart *h) { return mt_unknowns_count(&h->unknowns); }

static double distance_of(const heart *h, size_t unknown, const double x[3])
{
    double place_mm[3] = {0};
    const uint32_t *vertex = h->mesh.element_vertex + 4 * unknown;
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < 4; k++)
            place_mm[axis] += h->unknowns.at_vertices ? h->mesh.xyz_mm[3 * unknown + (size_t)axis] / 4
                                                      : h->mesh.xyz_mm[3 * vertex[k] + (size_t)axis] / 4;
    return sqrt(mt_square3(place_mm, x));
}

/* True if two unknowns are neighbours: elements with a common face, or vertices with a common element. */
static bool are_neighbours(const heart *h, uint32_t a, uint32_t b)
{
    const uint32_t *vertex = h->mesh.element_vertex;
    size_t common = 0;
    if (!h->unknowns.at_vertices) {
        for (size_t i = 0; i < 16; i++)
            common += vertex[4 * (size_t)a + i / 4] == vertex[4 * (size_t)b + i % 4];
        return common == 3;
    }
    for (size_t e = 0; e < h->mesh.n_elements; e++) {
        bool has_a = false, has_b = false;
        for (size_t k = 0; k < 4; k++) has_a |= vertex[4 * e + k] == a, has_b |= vertex[4 * e + k] == b;
        if (has_a && has_b) return true;
    }
    return false;
}

/* Sets share[n_unknowns] to the conductances of a free end at x, relative to the total. Returns the distance of the nearest unknown. */
static double find_shares(const heart *h, const double x[3], double radius_mm, double *share)
{
    static uint32_t inside[20000];
    static bool is_in[20000];
    size_t n = 0;
    uint32_t nearest = 0;
    for (uint32_t i = 0; i < n_unknowns(h); i++) {
        share[i] = 0;
        if (distance_of(h, i, x) < distance_of(h, nearest, x)) nearest = i;
        if (distance_of(h, i, x) < radius_mm) is_in[n] = false, inside[n++] = i;
    }
    for (bool more = true; more;) {
        more = false;
        for (size_t a = 0; a < n; a++) {
            if (is_in[a]) continue;
            is_in[a] = inside[a] == nearest;
            for (size_t b = 0; b < n && !is_in[a]; b++)
                is_in[a] = is_in[b] && are_neighbours(h, inside[a], inside[b]);
            more |= is_in[a];
        }
    }
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
        if (!is_in[k]) continue;
        share[inside[k]] =
            h->diffusion.volume_mm3[inside[k]] * (1 - pow(distance_of(h, inside[k], x) / radius_mm, 2));
        sum += share[inside[k]];
    }
    for (size_t k = 0; k < n; k++) share[inside[k]] /= sum;
    if (n == 0) share[nearest] = 1;
    return distance_of(h, nearest, x);
}

/* ---- checks ---- */

static void check_unknowns(const heart *h)
{
    const mt_junctions *j = &h->junctions;
    for (size_t k = 0; k < j->n_unknowns; k++) {
        cr_assert(k == 0 || j->unknown[k] > j->unknown[k - 1], "unknown %u is not above its predecessor",
            j->unknown[k]);
        cr_assert_float_eq(j->capacitance_uF[k], 1.4 * h->diffusion.volume_mm3[j->unknown[k]], 1e-14);
    }
    static uint8_t used[20000];
    memset(used, 0, sizeof used);
    for (size_t i = 0; i < j->start[j->n]; i++) used[j->slot[i]] = 1;
    for (size_t k = 0; k < j->n_unknowns; k++)
        cr_assert(used[k], "unknown %u has no junction", j->unknown[k]);
}

/* Checks that the tissue around a junction are its unknowns and all neighbours of these. */
static void check_near(const heart *h, size_t junction, const double *found)
{
    static uint8_t is_near[20000];
    const mt_junctions *j = &h->junctions;
    size_t n = 0;
    memset(is_near, 0, sizeof is_near);
    for (uint32_t a = 0; a < n_unknowns(h); a++) {
        if (found[a] == 0) continue;
        is_near[a] = 1;
        for (uint32_t b = 0; b < n_unknowns(h); b++)
            if (!is_near[b]) is_near[b] = are_neighbours(h, a, b);
    }
    for (size_t i = 0; i < n_unknowns(h); i++) n += is_near[i];
    cr_assert_eq(j->near_start[junction + 1] - j->near_start[junction], n, "junction %zu", junction);
    for (size_t i = j->near_start[junction]; i < j->near_start[junction + 1]; i++) {
        cr_assert_eq(is_near[j->near[i]], 1, "junction %zu, unknown %u", junction, j->near[i]);
        is_near[j->near[i]] = 0;
    }
}

/* Checks all junctions; expects the ends that have one in the order of the list. */
static void check_junctions(const heart *h, size_t n, double resistance_kOhm, double radius_mm)
{
    const mt_junctions *j = &h->junctions;
    static double share[20000], found[20000];
    size_t k = 0, n_single = 0;
    cr_assert_leq(n_unknowns(h), 20000);
    for (size_t end = 0; end < n; end++) {
        const double *x = h->cables.xyz_mm + 3 * (size_t)h->point[end],
                     nearest_mm = find_shares(h, x, radius_mm, share);
        if (nearest_mm > fmax(radius_mm, 2)) continue;
        cr_assert_lt(k, j->n, "end %zu has no junction", end);
        cr_assert_eq(j->point[k], h->point[end], "junction %zu", k);
        cr_assert_neq(j->inside[k], j->point[k]);
        n_single += nearest_mm >= radius_mm;
        double total_mS = 0;
        memset(found, 0, sizeof found);
        for (size_t i = j->start[k]; i < j->start[k + 1]; i++) {
            double *of = &found[j->unknown[j->slot[i]]];
            cr_assert(*of == 0 && j->conductance_mS[i] > 0, "entry %zu", i);
            *of = j->conductance_mS[i];
            total_mS += j->conductance_mS[i];
        }
        cr_assert_float_eq(total_mS * resistance_kOhm, 1, 1e-12, "end %zu: %.15g mS", end, total_mS);
        for (size_t i = 0; i < n_unknowns(h); i++)
            cr_assert_float_eq(found[i] * resistance_kOhm, share[i], 1e-12,
                "end %zu, unknown %zu: %g, expected %g mS", end, i, found[i], share[i] / resistance_kOhm);
        if (j->start[k + 1] - j->start[k] < 30) check_near(h, k, found);
        k++;
    }
    cr_assert_eq(j->n, k);
    cr_assert_eq(j->n_apart, n - k);
    cr_assert_eq(j->n_single, n_single);
    check_unknowns(h);
}

static void make_slab_heart(heart *h, const double size_mm[3], double edge_mm, bool at_vertices)
{
    *h = (heart){0};
    ok(mt_slab_make(&h->arena, size_mm, edge_mm, &h->mesh));
    make_tissue(h, at_vertices);
}

/* ---- shares ---- */

/* At random places in and around a slab and a Gmsh mesh, some of them far away. */
Test(junctions, conductances_are_shared_by_capacitance_and_distance_and_their_sum_is_that_of_the_junction)
{
    static const double radius_mm[] = {0.5, 0.03, 1.2};
    for (int k = 0; k < 4; k++) {
        heart h = {0};
        uint64_t seed = (uint64_t)k;
        double place_mm[3 * 12];
        if (k < 2)
            make_slab_heart(&h, (const double[]){1.5, 1, 1}, 0.25, k == 1);
        else
            gmsh_box(&h.arena, 0.2, &h.mesh), make_tissue(&h, k == 3);
        for (size_t i = 0; i < 36; i++)
            place_mm[i] = i < 18 ? between(&seed, -0.5, 1.5) : between(&seed, -1.8, 2.8);
        place_mm[0] = 600;
        place_mm[7] = -2.4;
        end_cables_at(&h, 12, place_mm);
        for (size_t r = 0; r < 3; r++) {
            couple(&h, 12, 80, radius_mm[r]);
            check_junctions(&h, 12, 80, radius_mm[r]);
        }
        mt_arena_free(&h.arena);
    }
}

/* The mean distance of the current from a free end inside of the tissue is that of the density 1 - r^2 / rho^2 in a sphere, 5/8 rho. */
Test(junctions, the_distribution_of_the_current_is_that_of_a_sphere_on_fine_meshes)
{
    for (int k = 0; k < 2; k++) {
        heart h;
        const double place_mm[] = {1.02, 0.97, 1.04}, rho_mm = 0.8;
        make_slab_heart(&h, (const double[]){2, 2, 2}, 0.125, k == 1);
        end_cables_at(&h, 1, place_mm);
        couple(&h, 1, 1, rho_mm);
        double mean_mm = 0;
        for (size_t i = 0; i < h.junctions.start[1]; i++)
            mean_mm += h.junctions.conductance_mS[i] *
                       distance_of(&h, h.junctions.unknown[h.junctions.slot[i]], place_mm);
        cr_assert_float_eq(mean_mm, 0.625 * rho_mm, 0.01 * rho_mm, "%g mm", mean_mm);
        mt_arena_free(&h.arena);
    }
}

/* ---- connection ---- */

/* Removes the elements whose centroids are between two planes of x and above a plane of y. */
static void cut(heart *h, double low_mm, double high_mm, double above_mm)
{
    mt_mesh part;
    uint8_t *keep = mt_arena_alloc(&h->arena, h->mesh.n_elements, 1);
    for (size_t e = 0; e < h->mesh.n_elements; e++) {
        double x[3];
        mt_mesh_centroid(&h->mesh, e, x);
        keep[e] = !(x[0] > low_mm && x[0] < high_mm && x[1] > above_mm);
    }
    ok(mt_mesh_select(&h->arena, &h->mesh, keep, &part));
    h->mesh = part;
}

/* A slit as wide as one layer of boxes, which leaves two pieces or not: a free end next to it is not coupled to the other side. */
Test(junctions, a_free_end_is_not_coupled_across_a_cavity)
{
    for (int k = 0; k < 4; k++) {
        heart h = {0};
        const double place_mm[] = {0.95, 1.5, 0.5, 1.3, 1.5, 0.5}, size_mm[] = {2, 2, 1};
        ok(mt_slab_make(&h.arena, size_mm, 0.25, &h.mesh));
        cut(&h, 1, 1.25, k < 2 ? -1 : 0.5);
        make_tissue(&h, k % 2 == 1);
        end_cables_at(&h, 2, place_mm);
        couple(&h, 2, 10, 0.7);
        check_junctions(&h, 2, 10, 0.7);
        cr_assert_eq(h.junctions.n, 2);
        for (size_t end = 0; end < 2; end++)
            for (size_t i = h.junctions.start[end]; i < h.junctions.start[end + 1]; i++) {
                double x[3];
                mt_unknowns_place(&h.unknowns, h.junctions.unknown[h.junctions.slot[i]], x);
                cr_assert(
                    (x[0] > 1.125) == (end == 1), "end %zu is coupled to an unknown at x = %g mm", end, x[0]);
            }
        mt_arena_free(&h.arena);
    }
}

/* ---- distances ---- */

/* The first end is at the same distance from four vertices, of which the first one is coupled. */
Test(junctions, a_free_end_reaches_the_nearest_unknown_within_two_millimetres_or_the_radius)
{
    heart h;
    const double above_mm[] = {0.1, 1.99, 2.01, 2.9};
    double place_mm[12];
    make_slab_heart(&h, (const double[]){1, 1, 1}, 0.5, true);
    for (int k = 0; k < 4; k++)
        place_mm[3 * k] = place_mm[3 * k + 1] = 0.49, place_mm[3 * k + 2] = 1 + above_mm[k];
    place_mm[0] = place_mm[1] = 0.25;
    end_cables_at(&h, 4, place_mm);
    couple(&h, 4, 10, 0.05);
    cr_assert(h.junctions.n == 2 && h.junctions.n_single == 2 && h.junctions.n_apart == 2);
    for (size_t k = 0; k < 2; k++) {
        double x[3];
        cr_assert_eq(h.junctions.start[k + 1] - h.junctions.start[k], 1);
        mt_unknowns_place(&h.unknowns, h.junctions.unknown[h.junctions.slot[k]], x);
        const double expected_mm = k == 0 ? 0 : 0.5;
        cr_assert(x[0] == expected_mm && x[1] == expected_mm && x[2] == 1, "%g %g %g", x[0], x[1], x[2]);
    }
    cr_assert_eq(h.junctions.n_unknowns, 2);
    couple(&h, 4, 10, 3);
    check_junctions(&h, 4, 10, 3);
    cr_assert(h.junctions.n == 4 && h.junctions.n_single == 0 && h.junctions.n_apart == 0);
    couple(&h, 0, 10, 3);
    cr_assert(h.junctions.n == 0 && h.junctions.n_unknowns == 0 && h.junctions.start[0] == 0);
    mt_arena_free(&h.arena);
}

/* Unknowns are searched in cubes as long as the reach, 2 mm, from 2 mm before the first end, which is too far away. */
Test(junctions, the_nearest_unknown_is_found_in_the_next_cube_of_any_direction)
{
    static const double at_mm[] = {-2.5, -1.5, 2.4};
    for (size_t axis = 0; axis < 3; axis++) {
        heart h;
        double place_mm[9];
        make_slab_heart(&h, (const double[]){1, 1, 1}, 0.5, true);
        for (size_t k = 0; k < 9; k++) place_mm[k] = k % 3 == axis ? at_mm[k / 3] : 0.45;
        end_cables_at(&h, 3, place_mm);
        couple(&h, 3, 10, 0.1);
        check_junctions(&h, 3, 10, 0.1);
        cr_assert(h.junctions.n == 2 && h.junctions.n_apart == 1, "axis %zu", axis);
        mt_arena_free(&h.arena);
    }
}

/* ---- memory ---- */

Test(junctions, a_failing_allocation_is_reported)
{
    heart h;
    mt_arena arena = {0};
    size_t n = 0;
    const mt_junctions_rule rule = {10, 1};
    make_slab_heart(&h, (const double[]){2, 2, 1}, 0.25, false);
    end_cables_at(&h, 2, (const double[]){0.5, 0.5, 0.5, 1, 1, 1});
    for (mt_status status = MT_MEMORY; status == MT_MEMORY; mt_arena_free(&arena)) {
        mt_arena_fail_at(++n);
        status = mt_junctions_make(&arena, &h.tissue, &h.cables, 2, h.point, &rule, &h.junctions);
        mt_arena_fail_at(0);
        cr_assert(status == MT_MEMORY || status == MT_OK);
    }
    cr_assert_gt(n, 11);
    mt_arena_free(&h.arena);
}

/* ---- delay and block ---- */

/* A fibre of 6 mm, and a cube of tissue so small that its voltage is uniform, with TP06 cells. The junction is at the end of the fibre. A
 * wavefront starts at its beginning, or in the tissue (`retrograde`). */
static const double FIBRE_MM = 6, PIECE_MM = 0.15, CUBE_MM = 0.1, END_MS = 30;

typedef struct passage {
    const mt_cell_model *model; /* of the fibre */
    bool retrograde;
    double resistance_kOhm, dt_ms;
    double fibre_ms, tissue_ms; /* activation 3 mm from the junction, and of the tissue */
} passage;

/* The tissue: one cell, with the charge that enters it. */
typedef struct patch {
    double capacitance_uF, v, *state, activation_ms;
} patch;

static const mt_cell_model *tp06(void) { return mt_cell_models[0]; }

static patch new_patch(mt_arena *arena)
{
    const mt_cell_variant *variant = &tp06()->variants[0];
    return (patch){.capacitance_uF = 1.4 * pow(CUBE_MM, 3),
        .v = variant->v_mV,
        .state = mt_arena_copy(arena, variant->states, tp06()->n_states, sizeof(double)),
        .activation_ms = INFINITY};
}

static void step_patch(patch *t, const passage *p, size_t step, double charge_nC)
{
    const double before = t->v;
    if (p->retrograde && (double)step * p->dt_ms < 2 - 1e-9) t->v += p->dt_ms * 50 / 1.4;
    mt_cell_step_double(tp06(), 0, NULL, p->dt_ms, 1, t->state, &t->v, &t->v);
    t->v += charge_nC / t->capacitance_uF;
    if (isinf(t->activation_ms) && before < 0 && t->v >= 0)
        t->activation_ms = p->dt_ms * ((double)step + before / (before - t->v));
}

/* By explicit steps of everything. */
static void pass_explicitly(passage *p)
{
    mt_arena arena = {0};
    const size_t n = (size_t)llround(FIBRE_MM / PIECE_MM);
    explicit_cable c = new_explicit_cable(&arena, p->model, 0, n + 1, p->dt_ms);
    patch t = new_patch(&arena);
    const double a = usual_rule.radius_mm;
    for (size_t k = 0; k < n; k++) {
        for (size_t end = 0; end < 2; end++)
            c.capacitance_uF[k + end] += usual_rule.capacitance_uF_mm2 * M_PI * a * PIECE_MM;
        c.conductance_mS[k] = usual_rule.conductivity_mS_mm * M_PI * a * a / PIECE_MM;
    }
    for (size_t step = 0; (double)step * p->dt_ms < END_MS; step++) {
        const bool on = !p->retrograde && (double)step * p->dt_ms < 2 - 1e-9;
        for (size_t k = 0; (double)k * PIECE_MM < 1; k++)
            c.inward_uA[k] = on ? c.capacitance_uF[k] * 50 / 1.4 : 0;
        const double current_uA = (t.v - c.v[n]) / p->resistance_kOhm;
        c.inward_uA[n] = current_uA;
        step_explicit_cable(&c);
        step_patch(&t, p, step, -p->dt_ms * current_uA);
        if (isfinite(c.activation_ms[n / 2] + t.activation_ms)) break;
    }
    p->fibre_ms = c.activation_ms[n / 2];
    p->tissue_ms = t.activation_ms;
    mt_arena_free(&arena);
}

/* A fibre of one chain of points along x, which ends in the middle of the tissue. */
static void make_fibre(heart *h, const passage *p, mt_conduction *conduction)
{
    mt_cables_rule rule = usual_rule;
    rule.spacing_mm = PIECE_MM;
    make_slab_heart(h, (const double[]){CUBE_MM, CUBE_MM, CUBE_MM}, CUBE_MM / 2, true);
    straight_network(&h->arena, 1, FIBRE_MM, &h->network);
    for (size_t k = 0; k < 6; k++) h->network.xyz_mm[k] += CUBE_MM / 2 - (k % 3 == 0 ? FIBRE_MM : 0);
    ok(mt_cables_make(&h->arena, &h->network, NULL, &rule, &h->cables));
    h->point[0] = h->cables.point_of[1];
    couple(h, 1, p->resistance_kOhm, 1);
    *conduction = (mt_conduction){.network = &h->network,
        .cables = h->cables,
        .junctions = h->junctions,
        .model = p->model,
        .variant = p->model->variants[0],
        .steps = 1};
}

/* By a conduction system. The charge that it moves into the unknowns is distributed evenly. */
static void pass(passage *p)
{
    heart h;
    mt_conduction conduction;
    mt_conducting c;
    uint32_t point[50];
    make_fibre(&h, p, &conduction);
    mt_stimulus stimulus = {0, 2, 50 / 1.4, 0, point, 0, 0, NULL, 0, 0, 0, 0};
    for (uint32_t k = 0; k < h.cables.n_points; k++)
        if (h.cables.xyz_mm[3 * k] < CUBE_MM / 2 - FIBRE_MM + 1) point[stimulus.n_elements++] = k;
    conduction.n_stimuli = !p->retrograde;
    conduction.stimulus = &stimulus;
    ok(mt_conducting_open(&h.arena, &conduction, p->dt_ms, false, &c));
    patch t = new_patch(&h.arena);
    double tissue_mV[64];
    const mt_junctions *j = &h.junctions;
    size_t middle = h.cables.n_points;
    for (size_t k = 0; k < h.cables.n_points; k++)
        if (fabs(h.cables.xyz_mm[3 * k] - (CUBE_MM / 2 - FIBRE_MM / 2)) < 1e-6) middle = k;
    cr_assert_lt(middle, h.cables.n_points);
    cr_assert_leq(j->n_unknowns, 64);
    for (size_t step = 0; (double)step * p->dt_ms < END_MS; step++) {
        for (size_t i = 0; i < j->n_unknowns; i++) tissue_mV[i] = t.v;
        mt_conducting_step(&c, step, tissue_mV);
        double charge_nC = 0;
        for (size_t i = 0; i < j->n_unknowns; i++)
            charge_nC += j->capacitance_uF[i] * (c.tissue_mV[i] - tissue_mV[i]);
        step_patch(&t, p, step, charge_nC);
        if (isfinite(c.activation_ms[middle] + t.activation_ms)) break;
    }
    p->fibre_ms = c.activation_ms[middle];
    p->tissue_ms = t.activation_ms;
    mt_arena_free(&h.arena);
}

typedef void passing(passage *p);

/* Returns the delay; infinite in case of block. */
static double delay_of(passing *by, const passage *p, double resistance_kOhm, double dt_ms)
{
    passage q = *p;
    q.resistance_kOhm = resistance_kOhm;
    q.dt_ms = dt_ms;
    by(&q);
    return q.retrograde ? q.fibre_ms - q.tissue_ms : q.tissue_ms - q.fibre_ms;
}

/* Returns the resistance above which the junction blocks, within 1 %. */
static double critical_kOhm(passing *by, const passage *p, double dt_ms)
{
    double low = 300, high = 1e6;
    cr_assert(isfinite(delay_of(by, p, low, dt_ms)));
    cr_assert(isinf(delay_of(by, p, high, dt_ms)));
    while (high / low > 1.01) {
        const double middle = sqrt(low * high);
        if (isfinite(delay_of(by, p, middle, dt_ms)))
            low = middle;
        else
            high = middle;
    }
    return sqrt(low * high);
}

static void check_delays(const passage *p)
{
    static const double resistance_kOhm[] = {100, 1000, 3000};
    for (int k = 0; k < 3; k++) {
        const double found = delay_of(pass, p, resistance_kOhm[k], 0.01),
                     expected = delay_of(pass_explicitly, p, resistance_kOhm[k], 0.003);
        cr_expect_float_eq(found, expected, 0.03 + 0.01 * expected, "%g kOhm: %g, expected %g ms",
            resistance_kOhm[k], found, expected);
    }
}

static void check_block(const passage *p)
{
    const double found = critical_kOhm(pass, p, 0.02), expected = critical_kOhm(pass_explicitly, p, 0.006);
    cr_expect_float_eq(found, expected, 0.05 * expected, "block from %g, expected %g kOhm", found, expected);
}

Test(junctions, delay_and_block_from_fibre_to_tissue_equal_those_of_explicit_steps)
{
    const passage p = {.model = stewart()};
    check_delays(&p);
    check_block(&p);
}

/* Stewart cells beat without stimuli, and with any resistance a current from the tissue makes them beat earlier. Those of TP06 do not. */
Test(junctions, delay_and_block_from_tissue_to_fibre_equal_those_of_explicit_steps)
{
    const passage of_stewart = {.model = stewart(), .retrograde = true},
                  of_tp06 = {.model = tp06(), .retrograde = true};
    check_delays(&of_stewart);
    check_block(&of_tp06);
}
