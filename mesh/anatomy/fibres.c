#include "mesh/anatomy/fibres.h"

#include <math.h>
#include <string.h>

#include "data/core/vec3.h"
#include "data/core/axes.h"
#include "data/core/select.h"
#include "mesh/anatomy/frame.h"

const mt_fibres_rule mt_fibres_rule_default = {.variant = MT_FIBRES_SMOOTH,
    .endo_deg = 60,
    .epi_deg = -60,
    .layer_share = {1.0 / 3, 1.0 / 3, 1.0 / 3},
    .tolerance = 1e-10,
    .max_iterations = 10000};

/* A smaller difference across an element (gradient times cube root of the volume) is solver error. */
static const double flat = 1e-7;
/* Radius around the apex in which psi is 0, relative to the apex's depth below the base. */
static const double apex_share = 0.05;
/* Largest distance of the apex from the lowest point of the left cavity, relative to the wall thickness there. */
static const double apex_reach = 2;
static const double jump_cosine = 0.86602540378443864676; /* cosine of 30 degrees */

enum {
    BASE = 1 << MT_SURFACE_BASE,
    EPI = 1 << MT_SURFACE_EPI,
    LV = 1 << MT_SURFACE_LV,
    RV = 1 << MT_SURFACE_RV
};
enum { PSI_CONSTANT = 1, UNKNOWN = 2 }; /* flags of an element's directions */

typedef struct plane {
    double centre[3], normal[3]; /* unit normal, from apex to base */
} plane;

static double clamp(double x) { return x > 0 ? (x < 1 ? x : 1) : 0; }

static mt_status check_rule(const mt_fibres_rule *rule)
{
    const double angle[4] = {rule->endo_deg, rule->epi_deg, rule->sheet_endo_deg, rule->sheet_epi_deg};
    for (int k = 0; k < 4; k++)
        if (!(fabs(angle[k]) <= 90))
            return mt_fail(MT_INPUT, "fibres: the %s angle at the %s is %g degrees; -90 .. 90 is allowed",
                k < 2 ? "fibre" : "sheet", k % 2 ? "epicardium" : "endocardium", angle[k]);
    const double *share = rule->layer_share, sum = share[0] + share[1] + share[2];
    if (!(share[0] >= 0 && share[1] >= 0 && share[2] >= 0 && fabs(sum - 1) <= 1e-6))
        return mt_fail(MT_INPUT,
            "fibres: fractions %g, %g, %g of the transmural layers, with sum %.9g; each must be at least 0, "
            "and the sum 1",
            share[0], share[1], share[2], sum);
    return MT_OK;
}

/* Sets surface[v] to the bits of the surfaces that contain vertex v. */
static mt_status mark_surfaces(const mt_mesh *mesh, unsigned char *surface)
{
    static const char *const name[] = {"base", "epicardium", "left endocardium"};
    unsigned there = 0;
    for (size_t f = 0; f < mesh->n_faces; f++) {
        int32_t tag = mesh->face_tag[f];
        if (tag < MT_SURFACE_BASE || tag > MT_SURFACE_RV) continue;
        for (size_t k = 0; k < 3; k++) {
            uint32_t v = mesh->face_vertex[3 * f + k];
            if (v >= mesh->n_vertices)
                return mt_fail(
                    MT_INPUT, "tagged triangle %zu has vertex %u; the mesh has %zu", f, v, mesh->n_vertices);
            surface[v] = (unsigned char)(surface[v] | 1u << tag);
        }
        there |= 1u << tag;
    }
    for (int tag = MT_SURFACE_BASE; tag <= MT_SURFACE_LV; tag++)
        if (!(there & 1u << tag))
            return mt_fail(MT_INPUT,
                "no triangle of the mesh is tagged as %s (%d); base, epicardium and left endocardium are "
                "needed",
                name[tag - MT_SURFACE_BASE], tag);
    return MT_OK;
}

/* Computes the direction of least variance from the second moments `a` of points; 0 if it is not unique. */
static int thinnest(double a[3][3], double direction[3])
{
    double axes[3][3];
    mt_axes_find(a, axes);
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (a[k][k] < a[least][least]) least = k;
    double one = a[(least + 1) % 3][(least + 1) % 3], two = a[(least + 2) % 3][(least + 2) % 3];
    for (int k = 0; k < 3; k++) direction[k] = axes[k][least];
    return fmin(one, two) > 1e-12 * fmax(one, two);
}

/* Fits a plane to the base's vertices by least squares. */
static mt_status fit_base(const mt_mesh *mesh, const unsigned char *surface, plane *base)
{
    double moment[3][3] = {{0}}, mean[3] = {0}, length = 0;
    size_t n = 0;
    *base = (plane){{0}, {0}};
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        int on = (surface[v] & BASE) != 0;
        n += (size_t)on;
        for (size_t k = 0; k < 3; k++) {
            mean[k] += mesh->xyz_mm[3 * v + k] / (double)mesh->n_vertices;
            if (on) base->centre[k] += mesh->xyz_mm[3 * v + k];
        }
    }
    for (int k = 0; k < 3; k++) base->centre[k] /= (double)n;
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        if (!(surface[v] & BASE)) continue;
        double d[3];
        for (size_t k = 0; k < 3; k++) d[k] = mesh->xyz_mm[3 * v + k] - base->centre[k];
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) moment[i][k] += d[i] * d[k];
    }
    if (!thinnest(moment, base->normal))
        return mt_fail(MT_INPUT, "the %zu vertices of the base are collinear; a plane is needed", n);
    for (int k = 0; k < 3; k++) length += base->normal[k] * (base->centre[k] - mean[k]);
    for (int k = 0; k < 3 && length < 0; k++) base->normal[k] = -base->normal[k];
    return MT_OK;
}

static double depth_below(const plane *base, const double *xyz)
{
    double d[3];
    mt_minus3(base->centre, xyz, d);
    return mt_dot3(d, base->normal);
}

static double distance(const double *a, const double *b) { return sqrt(mt_square3(a, b)); }

/* Returns the vertex farthest below the base among the vertices of surface `on` within distance `most` of `from`. */
static size_t find_deepest(const mt_mesh *mesh, const unsigned char *surface, int on, const plane *base,
    const double *from, double most)
{
    double deepest = -INFINITY;
    size_t at = 0;
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        const double *xyz = mesh->xyz_mm + 3 * v;
        if (!(surface[v] & on) || distance(xyz, from) > most) continue;
        double depth = depth_below(base, xyz);
        if (depth > deepest) deepest = depth, at = v;
    }
    return at;
}

static size_t find_apex(const mt_mesh *mesh, const unsigned char *surface, const plane *base)
{
    const double *lowest = mesh->xyz_mm + 3 * find_deepest(mesh, surface, LV, base, base->centre, INFINITY);
    double wall = INFINITY;
    for (size_t v = 0; v < mesh->n_vertices; v++)
        if (surface[v] & EPI) wall = fmin(wall, distance(mesh->xyz_mm + 3 * v, lowest));
    return find_deepest(mesh, surface, EPI, base, lowest, apex_reach * wall);
}

/* Sets apex[v] to 1 for the epicardial vertices around the apex, else to 0; returns their number. */
static size_t mark_apex(
    const mt_mesh *mesh, const unsigned char *surface, const plane *base, unsigned char *apex)
{
    size_t at = find_apex(mesh, surface, base), n = 0;
    const double *tip = mesh->xyz_mm + 3 * at, around = apex_share * depth_below(base, tip);
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        apex[v] = v == at || ((surface[v] & EPI) && distance(mesh->xyz_mm + 3 * v, tip) <= around);
        n += apex[v];
    }
    return n;
}

static mt_status solve_wall(
    const mt_mesh *mesh, const mt_fibres_rule *rule, const unsigned char *surface, mt_fibres *fibres)
{
    MT_SCRATCH(scratch); /* limits the memory to one matrix at a time */
    unsigned char *given;
    mt_laplace problem;
    MT_ALLOC(scratch, given, mesh->n_vertices);
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        given[v] = surface[v] & (EPI | LV | RV);
        fibres->has_rv |= (surface[v] & RV) != 0;
        fibres->phi_rv[v] = (surface[v] & RV) != 0;
        fibres->phi_lv[v] = (surface[v] & LV) && !(surface[v] & RV);
    }
    MT_TRY(mt_laplace_make(scratch, mesh, given, &problem));
    MT_TRY(mt_laplace_solve(&problem, rule->tolerance, rule->max_iterations, fibres->phi_lv, &fibres->lv));
    if (!fibres->has_rv) return MT_OK;
    return mt_laplace_solve(&problem, rule->tolerance, rule->max_iterations, fibres->phi_rv, &fibres->rv);
}

static mt_status solve_length(const mt_mesh *mesh, const mt_fibres_rule *rule, const unsigned char *surface,
    const plane *base, mt_fibres *fibres)
{
    MT_SCRATCH(scratch);
    unsigned char *given, *apex;
    mt_laplace problem;
    MT_ALLOC(scratch, given, mesh->n_vertices);
    MT_ALLOC(scratch, apex, mesh->n_vertices);
    fibres->n_apex = mark_apex(mesh, surface, base, apex);
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        given[v] = apex[v] || (surface[v] & BASE);
        fibres->psi[v] = given[v] && !apex[v];
    }
    MT_TRY(mt_laplace_make(scratch, mesh, given, &problem));
    return mt_laplace_solve(&problem, rule->tolerance, rule->max_iterations, fibres->psi, &fibres->apex_base);
}

static double element_mean(const mt_mesh *mesh, size_t element, const double *phi)
{
    const uint32_t *v = mesh->element_vertex + 4 * element;
    return (phi[v[0]] + phi[v[1]] + phi[v[2]] + phi[v[3]]) / 4;
}

/* The position of an element in the wall, and the directions there. */
typedef struct place {
    double right; /* d: 0 in the left wall, 1 in the right wall */
    double out;   /* w: 0 at the endocardium, 1 at the epicardium */
    double along[3], from_lv[3], to_rv[3], to_epi[3];
    double smallest; /* smaller gradients count as 0 */
} place;

static int32_t layer_at(const double share[3], double depth)
{
    if (depth < share[0]) return MT_LAYER_ENDO;
    if (depth < share[0] + share[1] || share[2] == 0) return share[1] > 0 ? MT_LAYER_MID : MT_LAYER_ENDO;
    return MT_LAYER_EPI;
}

static unsigned char find_place(const mt_mesh *mesh, const plane *base, const mt_fibres_rule *rule,
    mt_fibres *fibres, size_t element, place *at)
{
    double lv = clamp(element_mean(mesh, element, fibres->phi_lv));
    double rv = clamp(element_mean(mesh, element, fibres->phi_rv));
    double epi =
        clamp(1 - element_mean(mesh, element, fibres->phi_lv) - element_mean(mesh, element, fibres->phi_rv));
    fibres->depth[element] = 1 - fmax(lv, rv);
    fibres->layer[element] = layer_at(rule->layer_share, fibres->depth[element]);
    at->right = !fibres->has_rv ? 0 : lv + rv > 0 ? rv / (lv + rv) : 0.5;
    at->out = rule->variant == MT_FIBRES_BAYER ? epi : sqrt(epi);
    at->smallest = flat / cbrt(mt_mesh_volume_mm3(mesh, element));
    mt_laplace_gradient(mesh, element, fibres->psi, at->along);
    mt_laplace_gradient(mesh, element, fibres->phi_lv, at->from_lv);
    mt_laplace_gradient(mesh, element, fibres->phi_rv, at->to_rv);
    for (int k = 0; k < 3; k++) {
        at->from_lv[k] = -at->from_lv[k];
        at->to_epi[k] = at->from_lv[k] - at->to_rv[k];
    }
    if (sqrt(mt_dot3(at->along, at->along)) > at->smallest) return 0;
    for (int k = 0; k < 3; k++) at->along[k] = base->normal[k] / cbrt(mt_mesh_volume_mm3(mesh, element));
    return PSI_CONSTANT;
}

static double radians(double degrees) { return degrees * (M_PI / 180); }

/* Computes the quaternion of the frame of the apex-to-base and transmural directions, rotated by these angles; 0 if there is no frame. */
static int turned_axis(
    const place *at, const double through[3], double fibre_deg, double sheet_deg, double q[4])
{
    mt_frame frame;
    if (!mt_frame_axis(at->along, through, at->smallest, &frame)) return 0;
    frame = mt_frame_turn(&frame, radians(fibre_deg), radians(sheet_deg));
    mt_frame_to_quaternion(&frame, q);
    return 1;
}

/* Interpolates between a and b, or copies the only one that exists; 0 if neither exists. */
static int between(mt_fibres_variant variant, int has_a, int has_b, const double a[4], const double b[4],
    double t, double q[4])
{
    if (has_a && has_b)
        (variant == MT_FIBRES_BAYER ? mt_frame_bislerp : mt_frame_slerp)(a, b, t, q);
    else if (has_a || has_b)
        memcpy(q, has_a ? a : b, 4 * sizeof *q);
    return has_a || has_b;
}

/* Applies the rule of the header; 0 if there is no transmural direction. */
static int apply_rule(const mt_fibres_rule *rule, const place *at, double q[4])
{
    double d = at->right, w = at->out, left[4], right[4], inner[4], outer[4];
    double fibre = rule->endo_deg * (1 - 2 * d), sheet = rule->sheet_endo_deg * (1 - 2 * d);
    int has_left = turned_axis(at, at->from_lv, fibre, sheet, left);
    int has_right = turned_axis(at, at->to_rv, fibre, sheet, right);
    int has_inner = between(rule->variant, has_left, has_right, left, right, d, inner);
    if (has_inner && rule->variant == MT_FIBRES_SMOOTH && d > 0.5) {
        double back[4];
        memcpy(back, inner, sizeof back);
        mt_frame_half_turn(back, 2, inner);
    }
    fibre = rule->endo_deg * (1 - w) + rule->epi_deg * w;
    sheet = rule->sheet_endo_deg * (1 - w) + rule->sheet_epi_deg * w;
    int has_outer = turned_axis(at, at->to_epi, fibre, sheet, outer);
    return between(rule->variant, has_inner, has_outer, inner, outer, w, q);
}

static void store(mt_fibres *fibres, size_t element, const mt_frame *frame)
{
    for (size_t k = 0; k < 3; k++) {
        fibres->fibre[3 * element + k] = frame->column[0][k];
        fibres->sheet[3 * element + k] = frame->column[2][k];
        fibres->normal[3 * element + k] = -frame->column[1][k];
    }
}

/* Computes the directions of all elements; flags elements without a frame as UNKNOWN in `state`. */
static void place_frames(const mt_mesh *mesh, const plane *base, const mt_fibres_rule *rule,
    mt_fibres *fibres, unsigned char *state)
{
#pragma omp parallel for schedule(static)
    for (size_t c = 0; c < mesh->n_elements; c++) {
        place at;
        double q[4];
        state[c] = find_place(mesh, base, rule, fibres, c, &at);
        if (apply_rule(rule, &at, q)) {
            mt_frame frame = mt_frame_of_quaternion(q);
            store(fibres, c, &frame);
        } else {
            state[c] |= UNKNOWN;
        }
    }
}

/* Returns an arbitrary frame with column 1 along u. */
static mt_frame any_frame(const double u[3])
{
    mt_frame frame;
    size_t least = 0;
    for (size_t k = 1; k < 3; k++)
        if (fabs(u[k]) < fabs(u[least])) least = k;
    double v[3] = {least == 0, least == 1, least == 2};
    (void)mt_frame_axis(u, v, 0, &frame);
    return frame;
}

static void copy_element(mt_fibres *fibres, size_t from, size_t to)
{
    double *const field[3] = {fibres->fibre, fibres->sheet, fibres->normal};
    for (int k = 0; k < 3; k++) memcpy(field[k] + 3 * to, field[k] + 3 * from, 3 * sizeof **field);
}

/* Copies directions to elements without them from their neighbours, in rounds. A component without any directions gets a frame of the base
 * normal. */
static mt_status fill_unknown(mt_arena *scratch, const mt_adjacency *adjacency, const plane *base,
    mt_fibres *fibres, unsigned char *state)
{
    uint32_t *todo, *source;
    size_t n = 0, left;
    for (size_t c = 0; c < fibres->n_elements; c++) n += (state[c] & UNKNOWN) != 0;
    fibres->n_copied = n;
    MT_ALLOC(scratch, todo, n);
    MT_ALLOC(scratch, source, n);
    n = 0;
    for (size_t c = 0; c < fibres->n_elements; c++)
        if (state[c] & UNKNOWN) todo[n++] = (uint32_t)c;
    for (; n > 0; n = left) {
        for (size_t i = 0; i < n; i++) {
            source[i] = MT_NO_ELEMENT;
            for (size_t f = 0; f < 4; f++) {
                uint32_t near = adjacency->neighbour[4 * (size_t)todo[i] + f];
                if (near != MT_NO_ELEMENT && !(state[near] & UNKNOWN) && near < source[i]) source[i] = near;
            }
        }
        left = 0;
        for (size_t i = 0; i < n; i++) {
            if (source[i] == MT_NO_ELEMENT) {
                todo[left++] = todo[i];
                continue;
            }
            copy_element(fibres, source[i], todo[i]);
            state[todo[i]] = (unsigned char)(state[todo[i]] & ~UNKNOWN);
        }
        if (left == n) break;
    }
    mt_frame frame = any_frame(base->normal);
    for (size_t i = 0; i < n; i++) store(fibres, todo[i], &frame);
    return MT_OK;
}

static void count_jumps(const mt_adjacency *adjacency, mt_fibres *fibres)
{
    size_t inner = 0, jumps = 0;
#pragma omp parallel for schedule(static) reduction(+ : inner, jumps)
    for (size_t c = 0; c < fibres->n_elements; c++)
        for (size_t f = 0; f < 4; f++) {
            uint32_t near = adjacency->neighbour[4 * c + f];
            if (near == MT_NO_ELEMENT || near < c) continue;
            inner++;
            jumps += fabs(mt_dot3(fibres->fibre + 3 * c, fibres->fibre + 3 * (size_t)near)) < jump_cosine;
        }
    fibres->n_inner_faces = inner;
    fibres->n_jumps = jumps;
}

static void share_volume(const mt_mesh *mesh, mt_fibres *fibres)
{
    double mm3[3] = {0};
    for (size_t c = 0; c < mesh->n_elements; c++)
        mm3[fibres->layer[c] - MT_LAYER_ENDO] += mt_mesh_volume_mm3(mesh, c);
    for (int k = 0; k < 3; k++) fibres->layer_volume[k] = mm3[k] / (mm3[0] + mm3[1] + mm3[2]);
}

mt_status mt_fibres_make(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_fibres_rule *rule, mt_fibres *fibres)
{
    MT_TRY(check_rule(rule));
    *fibres = (mt_fibres){.n_elements = mesh->n_elements, .n_vertices = mesh->n_vertices};
    MT_ALLOC(arena, fibres->fibre, 3 * mesh->n_elements);
    MT_ALLOC(arena, fibres->sheet, 3 * mesh->n_elements);
    MT_ALLOC(arena, fibres->normal, 3 * mesh->n_elements);
    MT_ALLOC(arena, fibres->depth, mesh->n_elements);
    MT_ALLOC(arena, fibres->layer, mesh->n_elements);
    MT_ALLOC(arena, fibres->phi_lv, mesh->n_vertices);
    MT_ALLOC(arena, fibres->phi_rv, mesh->n_vertices);
    MT_ALLOC(arena, fibres->psi, mesh->n_vertices);
    MT_SCRATCH(scratch);
    unsigned char *surface, *state;
    plane base;
    MT_ALLOC(scratch, surface, mesh->n_vertices);
    MT_ALLOC(scratch, state, mesh->n_elements);
    MT_TRY(mark_surfaces(mesh, surface));
    MT_TRY(fit_base(mesh, surface, &base));
    MT_TRY(solve_wall(mesh, rule, surface, fibres));
    MT_TRY(solve_length(mesh, rule, surface, &base, fibres));
    place_frames(mesh, &base, rule, fibres, state);
    for (size_t c = 0; c < mesh->n_elements; c++) fibres->n_psi_constant += (state[c] & PSI_CONSTANT) != 0;
    MT_TRY(fill_unknown(scratch, adjacency, &base, fibres, state));
    count_jumps(adjacency, fibres);
    share_volume(mesh, fibres);
    return MT_OK;
}

/* Computes the centroid of the left endocardium's vertices, and the unit direction from it to the right one's, perpendicular to the base
 * normal. */
static void find_ventricles(
    const mt_mesh *mesh, const unsigned char *surface, const plane *base, double lv_mm[3], double to_rv[3])
{
    double sum[2][3] = {{0}}, n[2] = {0}, above, length;
    for (size_t v = 0; v < mesh->n_vertices; v++)
        for (int side = 0; side < 2; side++) {
            if (!(surface[v] & (side ? RV : LV))) continue;
            for (size_t k = 0; k < 3; k++) sum[side][k] += mesh->xyz_mm[3 * v + k];
            n[side]++;
        }
    for (int k = 0; k < 3; k++) lv_mm[k] = sum[0][k] / n[0];
    for (int k = 0; k < 3; k++) to_rv[k] = n[1] > 0 ? sum[1][k] / n[1] - sum[0][k] / n[0] : 0;
    above = mt_dot3(to_rv, base->normal);
    length = mt_length3(to_rv);
    for (int k = 0; k < 3; k++) to_rv[k] -= above * base->normal[k];
    const double across = mt_length3(to_rv);
    for (int k = 0; k < 3; k++) to_rv[k] = across > 1e-6 * length ? to_rv[k] / across : 0;
}

mt_status mt_landmarks_find(const mt_mesh *mesh, mt_landmarks *landmarks)
{
    MT_SCRATCH(scratch);
    unsigned char *surface;
    plane base;
    MT_ALLOC(scratch, surface, mesh->n_vertices);
    MT_TRY(mark_surfaces(mesh, surface));
    MT_TRY(fit_base(mesh, surface, &base));
    memcpy(landmarks->base_mm, base.centre, sizeof base.centre);
    memcpy(landmarks->up, base.normal, sizeof base.normal);
    find_ventricles(mesh, surface, &base, landmarks->lv_mm, landmarks->to_rv);
    landmarks->apex = find_apex(mesh, surface, &base);
    return MT_OK;
}

mt_status mt_fibres_compare(size_t n_elements, const double *a, const double *b, mt_fibres_angles *angles)
{
    MT_SCRATCH(scratch);
    double *angle, sum = 0;
    *angles = (mt_fibres_angles){0};
    if (n_elements == 0) return MT_OK;
    MT_ALLOC(scratch, angle, n_elements);
    for (size_t c = 0; c < n_elements; c++) {
        const double *f = a + 3 * c, *g = b + 3 * c;
        double turn[3];
        mt_cross3(f, g, turn);
        /* from sine and cosine: accurate for small angles, too */
        angle[c] = atan2(mt_length3(turn), fabs(mt_dot3(f, g))) / radians(1);
        sum += angle[c];
    }
    angles->mean_deg = sum / (double)n_elements;
    angles->median_deg = mt_median(angle, n_elements);
    angles->high_deg = mt_select(angle, n_elements, n_elements - 1 - n_elements / 10);
    return MT_OK;
}
