#include "mesh/anatomy/coordinates.h"

#include <math.h>
#include <string.h>

#include "data/core/vec3.h"
#include "mesh/anatomy/level_cut.h"
#include "mesh/anatomy/trajectory.h"
#include "mesh/triangles.h"

static const double tolerance = 1e-8;
static const size_t max_iterations = 10000;
/* A smaller difference across an element (gradient times cube root of the volume) is solver error. */
static const double flat = 1e-7;
/* Half of the sector of the septum in a left ventricle alone. */
static const double half_sector_cosine = 0.5;
/* The smallest cosine between an apicobasal trajectory and grad psi. */
static const double least_rise = 0.3;

/* Rings of straight distances around the apex, a curve through the wall. */
enum { APEX_RINGS = 2 };

enum {
    BASE = 1 << MT_SURFACE_BASE,
    EPI = 1 << MT_SURFACE_EPI,
    LV = 1 << MT_SURFACE_LV,
    RV = 1 << MT_SURFACE_RV
};

/* A mesh on the way: the original, cut along the septal surface, or cut along the ridges, too. Arrays are in scratch memory. */
typedef struct stage {
    const mt_mesh *mesh;
    uint8_t *surface; /* [n_vertices] bits of surfaces */
    uint8_t *right;   /* [n_elements] 1 in the right ventricle */
    uint8_t *septal;  /* [n_vertices] 1 on the septal surface */
    /* [n_elements][3] T_w, but from endocardium to epicardium in both ventricles; 0 where unknown */
    double *across;
} stage;

typedef struct work {
    mt_arena *scratch;
    const mt_mesh *mesh;
    mt_coordinates *result;
    double centre[3];    /* of the left endocardium */
    double tip[3];       /* apex of the left ventricle */
    double posterior[3]; /* unit vector */
    mt_level_cut septum_cut, ridge_cut;
    double *u;      /* [n_vertices] of the original; NULL without a right ventricle */
    double *r;      /* [n_vertices] at the first stage, less the level of the ridges: above 0 in the septum */
    uint8_t *ridge; /* [n_vertices] at the second stage: NO_RIDGE and so on */
    uint8_t *in_septum;  /* [n_elements] at the second stage */
    stage first, second; /* cut along the septal surface; along the ridges, too */
} work;

enum { NO_RIDGE, POSTERIOR, ANTERIOR };

/* ---- surfaces and axes ---- */

static mt_status mark_surfaces(mt_arena *scratch, const mt_mesh *mesh, uint8_t **surface)
{
    MT_ALLOC(scratch, *surface, mesh->n_vertices);
    for (size_t k = 0; k < 3 * mesh->n_faces; k++) {
        const int32_t tag = mesh->face_tag[k / 3];
        if (tag < MT_SURFACE_BASE || tag > MT_SURFACE_RV) continue;
        uint8_t *bits = *surface + mesh->face_vertex[k];
        *bits = (uint8_t)(*bits | 1u << tag);
    }
    return MT_OK;
}

/* Makes a vector perpendicular to a unit vector, then normalises it; returns its length before that. */
static double make_across(const double unit[3], double vector[3])
{
    const double along = mt_dot3(unit, vector);
    for (int k = 0; k < 3; k++) vector[k] -= along * unit[k];
    return mt_normalise3(vector);
}

/* Computes the centre of area of the triangles with a tag. */
static void find_centre(const mt_mesh *mesh, int32_t tag, double centre[3])
{
    double sum[3] = {0}, weight = 0;
    for (size_t f = 0; f < mesh->n_faces; f++) {
        const uint32_t *v = mesh->face_vertex + 3 * f;
        if (mesh->face_tag[f] != tag) continue;
        const double area = mt_triangle_mm2(mesh, f);
        weight += area;
        for (size_t i = 0; i < 3; i++)
            for (size_t k = 0; k < 3; k++) sum[k] += area / 3 * mesh->xyz_mm[3 * (size_t)v[i] + k];
    }
    for (int k = 0; k < 3; k++) centre[k] = sum[k] / weight;
}

/* Computes the centre of the rim between left endocardium and base, from the edges of base triangles on both; returns false if there are
 * none. */
static bool find_rim(const mt_mesh *mesh, const uint8_t *surface, double rim[3])
{
    double sum[3] = {0}, weight = 0;
    for (size_t i = 0; i < 3 * mesh->n_faces; i++) {
        const size_t a = mesh->face_vertex[i], b = mesh->face_vertex[i - i % 3 + (i + 1) % 3];
        if (mesh->face_tag[i / 3] != MT_SURFACE_BASE || !(surface[a] & surface[b] & LV)) continue;
        const double length = sqrt(mt_square3(mesh->xyz_mm + 3 * a, mesh->xyz_mm + 3 * b));
        weight += length;
        for (size_t k = 0; k < 3; k++)
            sum[k] += length * (mesh->xyz_mm[3 * a + k] + mesh->xyz_mm[3 * b + k]) / 2;
    }
    for (int k = 0; k < 3; k++) rim[k] = weight > 0 ? sum[k] / weight : 0;
    return weight > 0;
}

static mt_status find_long_axis(work *w, const uint8_t *surface)
{
    mt_landmarks landmarks;
    double rim[3];
    MT_TRY(mt_landmarks_find(w->mesh, &landmarks));
    memcpy(w->tip, w->mesh->xyz_mm + 3 * landmarks.apex, sizeof w->tip);
    find_centre(w->mesh, MT_SURFACE_LV, w->centre);
    if (!find_rim(w->mesh, surface, rim)) memcpy(rim, landmarks.base_mm, sizeof rim);
    mt_minus3(rim, w->tip, w->result->up);
    if (mt_normalise3(w->result->up) > 0) return MT_OK;
    return mt_fail(MT_INPUT, "coordinates: the apex is at the centre of the base");
}

/* ---- Laplace's equation ---- */

static mt_status solve(work *w, const mt_mesh *mesh, const uint8_t *given, double *phi)
{
    MT_SCRATCH(scratch); /* limits the memory to one matrix at a time */
    mt_laplace problem;
    mt_laplace_convergence report;
    MT_TRY(mt_laplace_make(scratch, mesh, given, &problem));
    MT_TRY(mt_laplace_solve(&problem, tolerance, max_iterations, phi, &report));
    if (report.iterations > w->result->most_iterations) w->result->most_iterations = report.iterations;
    return MT_OK;
}

/* Computes the unit gradients of a function in all elements; 0 where it is constant. */
static void find_directions(const mt_mesh *mesh, const double *phi, double *direction)
{
#pragma omp parallel for schedule(static)
    for (size_t e = 0; e < mesh->n_elements; e++) {
        double *to = direction + 3 * e;
        mt_laplace_gradient(mesh, e, phi, to);
        if (mt_length3(to) * cbrt(mt_mesh_volume_mm3(mesh, e)) > flat)
            mt_normalise3(to);
        else
            memset(to, 0, 3 * sizeof *to);
    }
}

/* Returns d / (d + d'): 1/2 if both are 0 or infinite. */
static double ratio(double d, double other)
{
    if (isinf(d) || isinf(other)) return isinf(d) ? (isinf(other) ? 0.5 : 1) : 0;
    return d + other > 0 ? d / (d + other) : 0.5;
}

/* ---- transventricular ---- */

/* Computes u, and cuts the mesh along the septal surface. */
static mt_status divide_ventricles(work *w, uint8_t *surface)
{
    const mt_mesh *mesh = w->mesh;
    stage *s = &w->first;
    uint8_t *given;
    if (!w->result->has_rv) {
        *s = (stage){.mesh = mesh, .surface = surface};
        MT_ALLOC(w->scratch, s->right, mesh->n_elements);
        MT_ALLOC(w->scratch, s->septal, mesh->n_vertices);
        return MT_OK;
    }
    MT_ALLOC(w->scratch, given, mesh->n_vertices);
    MT_ALLOC(w->scratch, w->u, mesh->n_vertices);
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        given[v] = (surface[v] & (LV | RV)) != 0;
        w->u[v] = (surface[v] & RV) != 0;
    }
    MT_TRY(solve(w, mesh, given, w->u));
    for (size_t v = 0; v < mesh->n_vertices; v++) w->result->transventricular[v] = w->u[v] > 0.5;
    MT_TRY(mt_level_cut_make(w->scratch, mesh, w->u, 0.5, &w->septum_cut));
    *s = (stage){.mesh = &w->septum_cut.mesh, .right = w->septum_cut.above, .septal = w->septum_cut.on};
    return mark_surfaces(w->scratch, s->mesh, &s->surface);
}

/* Computes the direction to the septum from the vector area of the septal surface, as seen from the left ventricle. */
static mt_status find_septal_normal(work *w)
{
    const stage *s = &w->first;
    double *sum = w->result->to_septum;
    for (size_t e = 0; e < s->mesh->n_elements; e++)
        for (size_t f = 0; f < 4 && !s->right[e]; f++) {
            double area[3];
            size_t on = 0;
            for (size_t k = 0; k < 3; k++)
                on += s->septal[s->mesh->element_vertex[4 * e + mt_mesh_face[f][k]]];
            if (on < 3) continue;
            mt_mesh_face_area(s->mesh, e, f, area);
            for (size_t k = 0; k < 3; k++) sum[k] += area[k];
        }
    if (make_across(w->result->up, sum) > 0) return MT_OK;
    return mt_fail(
        MT_INPUT, "coordinates: there is no septal surface between the left and the right endocardium");
}

static mt_status find_septum_direction(work *w, const double *to_septum)
{
    mt_coordinates *c = w->result;
    const double axis[3] = {fabs(c->up[0]) <= M_SQRT1_2, fabs(c->up[0]) > M_SQRT1_2, 0};
    c->arbitrary = !to_septum;
    memcpy(c->to_septum, to_septum ? to_septum : axis, sizeof c->to_septum);
    const double length = mt_normalise3(c->to_septum), across = make_across(c->up, c->to_septum);
    if (length > 0 && across > 1e-6) return MT_OK;
    return mt_fail(MT_INPUT,
        "coordinates: the direction to the septum (%g, %g, %g) is 0 or along the long axis (%g, %g, %g); "
        "allowed: "
        "any other direction",
        to_septum ? to_septum[0] : 0, to_septum ? to_septum[1] : 0, to_septum ? to_septum[2] : 0, c->up[0],
        c->up[1], c->up[2]);
}

/* Moves the centre to the long axis, where the half-planes of the septum meet. */
static void centre_on_axis(work *w)
{
    double x[3];
    mt_minus3(w->centre, w->tip, x);
    const double height = mt_dot3(x, w->result->up);
    for (int k = 0; k < 3; k++) w->centre[k] = w->tip[k] + height * w->result->up[k];
}

/* ---- transmural ---- */

/* Sums volume, thickness and squared nonlinearity of one ventricle. */
static void measure_wall(
    const work *w, uint8_t side, const double *transmural, const double *in, const double *out, double sum[3])
{
    const mt_mesh *mesh = w->first.mesh;
    double wall = 0, volume = 0;
    for (size_t e = 0; e < mesh->n_elements; e++) {
        const uint32_t *v = mesh->element_vertex + 4 * e;
        const double mm3 = mt_mesh_volume_mm3(mesh, e);
        double gradient[3], mean = 0;
        if (w->first.right[e] != side) continue;
        for (int k = 0; k < 4; k++) mean += (in[v[k]] + out[v[k]]) / 4;
        if (!isfinite(mean)) continue;
        mt_laplace_gradient(mesh, e, transmural, gradient);
        const double off = mt_length3(gradient) * mean - 1;
        volume += mm3, wall += mm3 * mean, sum[2] += mm3 * off * off;
    }
    sum[0] += volume, sum[1] += wall;
    w->result->wall_mm[side] = volume > 0 ? wall / volume : 0;
}

/* Computes the transmural coordinate in each ventricle separately, as the trajectories of both meet at the septal surface. `inner` and
 * `outer`: their ends. */
static mt_status measure_transmural(
    work *w, const double *phi, const uint8_t *inner, const uint8_t *outer, double *transmural)
{
    const stage *s = &w->first;
    double *in, *out, sum[3] = {0};
    MT_ALLOC(w->scratch, in, s->mesh->n_vertices);
    MT_ALLOC(w->scratch, out, s->mesh->n_vertices);
    for (uint8_t side = 0; side < (w->result->has_rv ? 2 : 1); side++) {
        mt_trajectories t = {.mesh = s->mesh,
            .active = s->right,
            .active_value = side,
            .direction = s->across,
            .potential = phi,
            .start = inner};
        MT_TRY(mt_trajectory_distance(&t, in));
        t.start = outer, t.upstream = true;
        MT_TRY(mt_trajectory_distance(&t, out));
        for (size_t v = 0; v < s->mesh->n_vertices; v++)
            transmural[v] = inner[v] ? 0 : outer[v] ? 1 : ratio(in[v], out[v]);
        measure_wall(w, side, transmural, in, out, sum);
    }
    w->result->nonlinearity = sqrt(sum[2] / sum[0]);
    return MT_OK;
}

static mt_status find_transmural(work *w, double **transmural)
{
    stage *s = &w->first;
    const size_t n = s->mesh->n_vertices;
    uint8_t *inner, *outer, *given;
    double *phi;
    MT_ALLOC(w->scratch, inner, n);
    MT_ALLOC(w->scratch, outer, n);
    MT_ALLOC(w->scratch, given, n);
    MT_ALLOC(w->scratch, phi, n);
    MT_ALLOC(w->scratch, *transmural, n);
    MT_ALLOC(w->scratch, s->across, 3 * s->mesh->n_elements);
    for (size_t v = 0; v < n; v++) {
        inner[v] = (s->surface[v] & (LV | RV)) != 0;
        outer[v] = !inner[v] && ((s->surface[v] & EPI) || s->septal[v]);
        given[v] = inner[v] || outer[v];
        phi[v] = outer[v];
    }
    MT_TRY(solve(w, s->mesh, given, phi));
    find_directions(s->mesh, phi, s->across);
    return measure_transmural(w, phi, inner, outer, *transmural);
}

/* ---- ridges ---- */

/* Computes r - 1/2 for both ventricles. */
static mt_status solve_ridges(work *w)
{
    const stage *s = &w->first;
    uint8_t *given;
    MT_ALLOC(w->scratch, given, s->mesh->n_vertices);
    for (size_t v = 0; v < s->mesh->n_vertices; v++) {
        const bool epi = s->surface[v] & EPI, septal = s->septal[v];
        given[v] = epi || septal;
        w->r[v] = epi && septal ? 0.5 : septal;
    }
    MT_TRY(solve(w, s->mesh, given, w->r));
    for (size_t v = 0; v < s->mesh->n_vertices; v++) w->r[v] -= 0.5;
    return MT_OK;
}

/* Computes the distance [mm] from the nearer of the two half-planes of the septum of a left ventricle alone. */
static void place_ridges(work *w)
{
    const double sine = sqrt(1 - half_sector_cosine * half_sector_cosine);
    for (size_t v = 0; v < w->mesh->n_vertices; v++) {
        double x[3];
        mt_minus3(w->mesh->xyz_mm + 3 * v, w->tip, x);
        w->r[v] =
            sine * mt_dot3(x, w->result->to_septum) - half_sector_cosine * fabs(mt_dot3(x, w->posterior));
    }
}

static mt_status cut_ridges(work *w)
{
    stage *s = &w->second;
    MT_ALLOC(w->scratch, w->r, w->first.mesh->n_vertices);
    if (w->result->has_rv)
        MT_TRY(solve_ridges(w));
    else
        place_ridges(w);
    MT_TRY(mt_level_cut_make(w->scratch, w->first.mesh, w->r, 0, &w->ridge_cut));
    *s = (stage){.mesh = &w->ridge_cut.mesh};
    MT_TRY(mark_surfaces(w->scratch, s->mesh, &s->surface));
    MT_ALLOC(w->scratch, s->right, s->mesh->n_elements);
    MT_ALLOC(w->scratch, s->across, 3 * s->mesh->n_elements);
    for (size_t e = 0; e < s->mesh->n_elements; e++) {
        const size_t from = w->ridge_cut.element[e];
        s->right[e] = w->first.right[from];
        memcpy(s->across + 3 * e, w->first.across + 3 * from, 3 * sizeof *s->across);
    }
    w->in_septum = w->ridge_cut.above;
    return MT_OK;
}

/* Returns the distance of a vertex on the posterior side of the plane between the ridges. */
static double behind(const work *w, size_t v)
{
    double x[3];
    mt_minus3(w->second.mesh->xyz_mm + 3 * v, w->centre, x);
    return mt_dot3(x, w->posterior);
}

static bool below_centre(const work *w, size_t v)
{
    double x[3];
    mt_minus3(w->second.mesh->xyz_mm + 3 * v, w->centre, x);
    return mt_dot3(x, w->result->up) < 0;
}

/* Classifies the ridges, and marks the vertices of the apex: of each edge between different ridges the end that is closer to the plane. */
static mt_status find_apex(work *w, uint8_t *apex)
{
    const mt_mesh *mesh = w->second.mesh;
    size_t n[3] = {0};
    MT_ALLOC(w->scratch, w->ridge, mesh->n_vertices);
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        if (w->ridge_cut.on[v]) w->ridge[v] = behind(w, v) > 0 ? POSTERIOR : ANTERIOR;
        n[w->ridge[v]]++;
    }
    for (size_t e = 0; e < mesh->n_elements; e++)
        for (size_t k = 0; k < 6; k++) {
            const uint32_t *v = mesh->element_vertex + 4 * e;
            const size_t a = v[mt_mesh_edge[k][0]], b = v[mt_mesh_edge[k][1]];
            if (!w->ridge[a] || !w->ridge[b] || w->ridge[a] == w->ridge[b]) continue;
            const double from_a = fabs(behind(w, a)), from_b = fabs(behind(w, b));
            const size_t at = from_a < from_b || (from_a <= from_b && a < b) ? a : b;
            if (below_centre(w, at)) apex[at] = 1;
        }
    for (size_t v = 0; v < mesh->n_vertices; v++) w->result->n_apex += apex[v];
    if (n[POSTERIOR] > 0 && n[ANTERIOR] > 0 && w->result->n_apex > 0) return MT_OK;
    return mt_fail(MT_INPUT,
        "coordinates: the border between septum and free walls has %zu posterior, %zu anterior and %zu "
        "apical vertices; each must be at least 1. Check the surfaces: `myotile mesh info` counts them",
        n[POSTERIOR], n[ANTERIOR], w->result->n_apex);
}

/* ---- rotational and apicobasal ---- */

/* Computes T_phi from T_w and grad psi. */
static void find_rotational_directions(const work *w, const double *along, double *around)
{
    const stage *s = &w->second;
#pragma omp parallel for schedule(static)
    for (size_t e = 0; e < s->mesh->n_elements; e++) {
        double *to = around + 3 * e;
        const double sign = (s->right[e] != 0) == (w->in_septum[e] != 0) ? 1 : -1;
        mt_cross3(s->across + 3 * e, along + 3 * e, to);
        mt_normalise3(to);
        for (int k = 0; k < 3; k++) to[k] *= sign;
    }
}

/* Computes f, the position between the ridges. The apex belongs to both. */
static mt_status find_between_ridges(work *w, const uint8_t *apex, const double *around, double *f)
{
    const stage *s = &w->second;
    const size_t n = s->mesh->n_vertices;
    uint8_t *given, *posterior, *anterior;
    double *phi, *from, *to;
    MT_ALLOC(w->scratch, given, n);
    MT_ALLOC(w->scratch, posterior, n);
    MT_ALLOC(w->scratch, anterior, n);
    MT_ALLOC(w->scratch, phi, n);
    MT_ALLOC(w->scratch, from, n);
    MT_ALLOC(w->scratch, to, n);
    for (size_t v = 0; v < n; v++) {
        given[v] = w->ridge[v] != NO_RIDGE;
        posterior[v] = w->ridge[v] == POSTERIOR || apex[v];
        anterior[v] = w->ridge[v] == ANTERIOR || apex[v];
        phi[v] = apex[v] ? 0.5 : anterior[v];
    }
    MT_TRY(solve(w, s->mesh, given, phi));
    for (uint8_t part = 0; part < 2; part++) {
        mt_trajectories t = {.mesh = s->mesh,
            .active = w->in_septum,
            .active_value = part,
            .direction = around,
            .potential = phi,
            .start = posterior};
        MT_TRY(mt_trajectory_distance(&t, from));
        t.start = anterior, t.upstream = true;
        MT_TRY(mt_trajectory_distance(&t, to));
    }
    for (size_t v = 0; v < n; v++) f[v] = given[v] ? phi[v] : ratio(from[v], to[v]);
    return MT_OK;
}

/* Computes T_psi from T_w and grad f; where it is far from grad psi (at the apex), grad psi perpendicular to T_w. */
static void find_apicobasal_directions(const work *w, const double *along, const double *f, double *to)
{
    const stage *s = &w->second;
#pragma omp parallel for schedule(static)
    for (size_t e = 0; e < s->mesh->n_elements; e++) {
        double around[3], *direction = to + 3 * e;
        mt_laplace_gradient(s->mesh, e, f, around);
        mt_cross3(s->across + 3 * e, around, direction);
        mt_normalise3(direction);
        const double rise = mt_dot3(direction, along + 3 * e);
        for (int k = 0; k < 3 && rise < 0; k++) direction[k] = -direction[k];
        if (fabs(rise) > least_rise) continue;
        memcpy(direction, along + 3 * e, 3 * sizeof *direction);
        make_across(s->across + 3 * e, direction);
    }
}

static mt_status find_apicobasal(work *w, const uint8_t *apex, const uint8_t *base, const double *psi,
    const double *direction, double *apicobasal)
{
    const stage *s = &w->second;
    double *from, *to;
    mt_trajectories t = {.mesh = s->mesh,
        .direction = direction,
        .potential = psi,
        .start = apex,
        .straight_rings = APEX_RINGS};
    MT_ALLOC(w->scratch, from, s->mesh->n_vertices);
    MT_ALLOC(w->scratch, to, s->mesh->n_vertices);
    MT_TRY(mt_trajectory_distance(&t, from));
    t.start = base, t.upstream = true, t.straight_rings = 0;
    MT_TRY(mt_trajectory_distance(&t, to));
    for (size_t v = 0; v < s->mesh->n_vertices; v++)
        apicobasal[v] = apex[v] ? 0 : base[v] ? 1 : ratio(from[v], to[v]);
    return MT_OK;
}

/* Computes f and the apicobasal coordinate at the second stage. */
static mt_status find_on_surfaces(work *w, double *f, double *apicobasal)
{
    const stage *s = &w->second;
    const size_t n = s->mesh->n_vertices;
    uint8_t *apex, *base, *given;
    double *psi, *along, *direction;
    MT_ALLOC(w->scratch, apex, n);
    MT_ALLOC(w->scratch, base, n);
    MT_ALLOC(w->scratch, given, n);
    MT_ALLOC(w->scratch, psi, n);
    MT_ALLOC(w->scratch, along, 3 * s->mesh->n_elements);
    MT_ALLOC(w->scratch, direction, 3 * s->mesh->n_elements);
    MT_TRY(find_apex(w, apex));
    for (size_t v = 0; v < n; v++) {
        base[v] = !apex[v] && (s->surface[v] & BASE);
        given[v] = apex[v] || base[v];
        psi[v] = base[v];
    }
    MT_TRY(solve(w, s->mesh, given, psi));
    find_directions(s->mesh, psi, along);
    find_rotational_directions(w, along, direction);
    MT_TRY(find_between_ridges(w, apex, direction, f));
    find_apicobasal_directions(w, along, f, direction);
    return find_apicobasal(w, apex, base, psi, direction, apicobasal);
}

/* ---- the result ---- */

static mt_status compute(work *w, const double *to_septum)
{
    mt_coordinates *c = w->result;
    const size_t n = w->mesh->n_vertices;
    uint8_t *surface, *used;
    double *transmural, *f, *apicobasal;
    MT_TRY(mark_surfaces(w->scratch, w->mesh, &surface));
    MT_TRY(mt_mesh_used(w->scratch, w->mesh, &used));
    MT_TRY(find_long_axis(w, surface));
    for (size_t v = 0; v < n; v++) c->has_rv |= (surface[v] & RV) != 0;
    if (c->has_rv && to_septum)
        return mt_fail(MT_INPUT,
            "coordinates: a direction to the septum is given, and the mesh has a right endocardium, which "
            "determines it; allowed: only one of them");
    MT_TRY(divide_ventricles(w, surface));
    MT_TRY(c->has_rv ? find_septal_normal(w) : find_septum_direction(w, to_septum));
    mt_cross3(c->to_septum, c->up, w->posterior);
    if (!c->has_rv) centre_on_axis(w);
    MT_TRY(find_transmural(w, &transmural));
    MT_TRY(cut_ridges(w));
    MT_ALLOC(w->scratch, f, w->second.mesh->n_vertices);
    MT_ALLOC(w->scratch, apicobasal, w->second.mesh->n_vertices);
    MT_TRY(find_on_surfaces(w, f, apicobasal));
    for (size_t v = 0; v < n; v++) {
        if (!used[v]) continue;
        c->transmural[v] = transmural[v];
        c->rotational[v] = w->r[v] > 0 ? 1 - f[v] / 3 : f[v] * 2 / 3;
        c->apicobasal[v] = apicobasal[v];
    }
    return MT_OK;
}

mt_status mt_coordinates_make(
    mt_arena *arena, const mt_mesh *mesh, const double *to_septum, mt_coordinates *coordinates)
{
    MT_SCRATCH(scratch);
    work w = {.scratch = scratch, .mesh = mesh, .result = coordinates};
    *coordinates = (mt_coordinates){.n_vertices = mesh->n_vertices};
    MT_ALLOC(arena, coordinates->transventricular, mesh->n_vertices);
    MT_ALLOC(arena, coordinates->transmural, mesh->n_vertices);
    MT_ALLOC(arena, coordinates->rotational, mesh->n_vertices);
    MT_ALLOC(arena, coordinates->apicobasal, mesh->n_vertices);
    return compute(&w, to_septum);
}

void mt_coordinates_put(const mt_coordinates *coordinates, mt_mesh *mesh)
{
    mesh->coordinate[MT_TRANSVENTRICULAR] = coordinates->transventricular;
    mesh->coordinate[MT_TRANSMURAL] = coordinates->transmural;
    mesh->coordinate[MT_ROTATIONAL] = coordinates->rotational;
    mesh->coordinate[MT_APICOBASAL] = coordinates->apicobasal;
}

double mt_coordinates_mean_rotational(size_t n, const double *rotational)
{
    double sine = 0, cosine = 0;
    for (size_t i = 0; i < n; i++) {
        sine += sin(2 * M_PI * rotational[i]);
        cosine += cos(2 * M_PI * rotational[i]);
    }
    if (sine == 0 && cosine == 0) return 0;
    const double turn = atan2(sine, cosine) / (2 * M_PI);
    return turn < 0 ? turn + 1 : turn;
}
