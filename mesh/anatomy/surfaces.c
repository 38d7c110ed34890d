#include "mesh/anatomy/surfaces.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/disjoint.h"
#include "data/core/flood.h"
#include "data/core/vec3.h"
#include "data/core/order.h"
#include "mesh/anatomy/nearest.h"

static const double base_cosine = 0.93969262078590838; /* cosine of 20 degrees */
static const double base_thickness = 0.01;             /* of the size, on each side of the plane */
static const double base_area = 0.01;                  /* of the total area, at least */
static const double bowl_least = 0.15;                 /* |Q| of epicardium and cavities, at least */
static const double cavity_area = 0.02;                /* of the total area, at least */
static const double base_bowl = 0.1;                   /* |Q| of a flat base, at most */
static const double rim_share = 0.1;   /* of a patch's rim along epicardium and along cavities, at least */
static const double walls_ratio = 1.1; /* ratio of the thickness of the two walls, at least */
static const double hole_area = 0.01;  /* of the total area; a larger separate component is no hole */

static const double dark = 0.3, bright = 0.7; /* fractions of visible sky */

enum { ROUNDS = 64 }; /* limit of rounds in which patches join their neighbours */

/* parameters of the search for base planes */
enum { BINS_ACROSS = 4, BINS = 6 * BINS_ACROSS * BINS_ACROSS, STARTS = 12, STEPS = 8 };

/* A plane, and the area of the triangles on it. */
typedef struct plane {
    double normal[3], offset, area;
} plane;

/* The class of a triangle or patch; the values up to CAVITY_2 are mt_surface values. */
typedef enum kind { NONE, BASE, EPI, CAVITY_1, CAVITY_2, OPEN, KINDS } kind;

/* The surface and quantities that are computed once. */
typedef struct body {
    const mt_mesh *surface;
    size_t n;
    mt_sides sides;
    double *area;          /* [n] mm^2 */
    double *normal;        /* [n][3] unit normal; 0 if the area is 0 */
    float *turn_deg;       /* [n][3] angle at each side; positive if convex, 0 if the side has no mate */
    double whole, size;    /* total area, and its square root */
    unsigned char *shaded; /* [n] UNSEEN, DARK or BRIGHT by ambient occlusion */
    size_t n_planes;
    plane planes[STARTS];   /* [n_planes] candidates for a flat base */
    unsigned char *side_of; /* [n] classes of the current cut; sides between different classes are cut */
    uint32_t near[3];       /* buffer for the neighbours of a triangle */
} body;

enum { UNSEEN, DARK, ON_PLANE, BRIGHT }; /* values of side_of and shaded */

typedef struct patch {
    double area, bowl; /* Q */
    double volume;
    double rim;       /* length of the rim */
    double rim_to[2]; /* of a flat patch: length along epicardium and along cavities */
    double middle[3]; /* centroid of the rim */
    kind what;
} patch;

/* One way to cut the surface. */
typedef enum way { NOWHERE, AT_PLANE, AT_PLANE_AND_SHADE, AT_SHADE } way;

typedef struct cut {
    way way;
    size_t plane;
    size_t n_patches;
    uint32_t *of; /* [n] patch of each triangle */
    patch *patches;
    size_t n_cavities;
    size_t epi; /* patch of the epicardium; n_patches if there is none */
    bool has_base;
} cut;

/* ---- the surface ---- */

static void side_ends(const mt_mesh *surface, size_t s, const double **from, const double **to)
{
    const uint32_t *v = surface->face_vertex + 3 * (s / 3);
    *from = surface->xyz_mm + 3 * (size_t)v[s % 3];
    *to = surface->xyz_mm + 3 * (size_t)v[(s % 3 + 1) % 3];
}

static double side_length(const mt_mesh *surface, size_t s)
{
    const double *a, *b;
    side_ends(surface, s, &a, &b);
    return sqrt(mt_square3(a, b));
}

/* Returns the angle between the normals at a side; positive if the side is convex. */
static double turn_at(const body *b, size_t s)
{
    const uint32_t other = b->sides.mate[s];
    if (other == MT_NO_TRIANGLE) return 0;
    const double *n = b->normal + 3 * (s / 3), *m = b->normal + 3 * (size_t)(other / 3), *from, *to;
    side_ends(b->surface, s, &from, &to);
    double turn[3], along[3];
    mt_cross3(n, m, turn);
    mt_minus3(to, from, along);
    const double angle = atan2(mt_length3(turn), mt_dot3(n, m)) * (180 / M_PI);
    return mt_dot3(turn, along) > 0 ? angle : -angle;
}

static mt_status look_at(mt_arena *scratch, const mt_mesh *surface, body *b)
{
    *b = (body){.surface = surface, .n = surface->n_faces};
    MT_TRY(mt_sides_make(scratch, surface, &b->sides));
    MT_ALLOC(scratch, b->area, b->n);
    MT_ALLOC(scratch, b->normal, 3 * b->n);
    MT_ALLOC(scratch, b->turn_deg, 3 * b->n);
    MT_ALLOC(scratch, b->side_of, b->n);
    MT_ALLOC(scratch, b->shaded, b->n);
    for (size_t t = 0; t < b->n; t++) {
        double *normal = b->normal + 3 * t;
        mt_triangle_area(surface, t, normal);
        b->area[t] = mt_length3(normal);
        b->whole += b->area[t];
        for (int k = 0; k < 3 && b->area[t] > 0; k++) normal[k] /= b->area[t];
    }
    b->size = sqrt(b->whole);
    for (size_t s = 0; s < 3 * b->n; s++) b->turn_deg[s] = (float)turn_at(b, s);
    return MT_OK;
}

/* ---- the flat base ---- */

/* Returns the bin of a direction: a square on a face of a cube. */
static size_t bin_of(const double n[3])
{
    size_t axis = 0;
    for (size_t k = 1; k < 3; k++)
        if (fabs(n[k]) > fabs(n[axis])) axis = k;
    size_t bin = 2 * axis + (n[axis] < 0);
    for (size_t k = 1; k < 3; k++) {
        const double across = n[(axis + k) % 3] / fabs(n[axis]); /* -1 .. 1 */
        const size_t column = (size_t)fmin(BINS_ACROSS - 1, (across + 1) / 2 * BINS_ACROSS);
        bin = BINS_ACROSS * bin + column;
    }
    return bin;
}

typedef struct level {
    double offset, area;
} level;

MT_ORDER(by_offset, level, offset)

static double offset_of(const body *b, size_t t, const double direction[3])
{
    double corner[3][3];
    mt_triangle_corners(b->surface, t, corner);
    return (mt_dot3(corner[0], direction) + mt_dot3(corner[1], direction) + mt_dot3(corner[2], direction)) /
           3;
}

/* Finds the offset with the largest area of triangles that face along the plane's normal. */
static void find_offset(const body *b, level *levels, plane *p)
{
    size_t n = 0;
    p->area = p->offset = 0;
    for (size_t t = 0; t < b->n; t++)
        if (mt_dot3(b->normal + 3 * t, p->normal) >= base_cosine)
            levels[n++] = (level){offset_of(b, t, p->normal), b->area[t]};
    qsort(levels, n, sizeof *levels, by_offset);
    double area = 0, moment = 0;
    for (size_t low = 0, high = 0; high < n; high++) {
        area += levels[high].area;
        moment += levels[high].area * levels[high].offset;
        for (; levels[high].offset - levels[low].offset > 2 * base_thickness * b->size; low++) {
            area -= levels[low].area;
            moment -= levels[low].area * levels[low].offset;
        }
        if (area > p->area) p->area = area, p->offset = moment / area;
    }
}

static bool on_plane(const body *b, size_t t, const plane *p)
{
    return mt_dot3(b->normal + 3 * t, p->normal) >= base_cosine &&
           fabs(offset_of(b, t, p->normal) - p->offset) <= base_thickness * b->size;
}

/* Sets the plane's normal to the mean normal of the triangles on the plane or, if `all`, of all triangles that face along its normal. */
static void turn_plane(const body *b, bool all, plane *p)
{
    double sum[3] = {0};
    for (size_t t = 0; t < b->n; t++) {
        if (all ? mt_dot3(b->normal + 3 * t, p->normal) < base_cosine : !on_plane(b, t, p)) continue;
        for (size_t k = 0; k < 3; k++) sum[k] += b->area[t] * b->normal[3 * t + k];
    }
    const double length = mt_length3(sum);
    for (int k = 0; k < 3 && length > 0; k++) p->normal[k] = sum[k] / length;
}

/* Searches for flat bases, starting from the directions with the largest area. */
static mt_status find_planes(mt_arena *scratch, body *b)
{
    double bin_area[BINS] = {0}, sum[BINS][3] = {{0}};
    level *levels;
    MT_ALLOC(scratch, levels, b->n);
    for (size_t t = 0; t < b->n; t++) {
        if (!(b->area[t] > 0)) continue;
        const size_t bin = bin_of(b->normal + 3 * t);
        bin_area[bin] += b->area[t];
        for (size_t k = 0; k < 3; k++) sum[bin][k] += b->area[t] * b->normal[3 * t + k];
    }
    for (int start = 0; start < STARTS; start++) {
        size_t most = 0;
        for (size_t bin = 1; bin < BINS; bin++)
            if (bin_area[bin] > bin_area[most]) most = bin;
        const double length = mt_length3(sum[most]);
        bin_area[most] = 0;
        if (!(length > 0)) break;
        plane p = {.normal = {sum[most][0] / length, sum[most][1] / length, sum[most][2] / length}};
        for (int step = 0; step < STEPS; step++)
            turn_plane(b, step < STEPS / 2, &p), find_offset(b, levels, &p);
        if (p.area >= base_area * b->whole) b->planes[b->n_planes++] = p;
    }
    return MT_OK;
}

/* ---- ambient occlusion ---- */

enum { RAYS = 24, LOOKED_AT_MAX = 10000 };

/* Returns a direction around a normal, with cosine-weighted density: a spiral on the unit disc, projected to the hemisphere. */
static void direction_of(const double normal[3], const double along[3], int ray, double out[3])
{
    double across[3];
    mt_cross3(normal, along, across);
    const double square = (ray + 0.5) / RAYS, angle = ray * (M_PI * (3 - sqrt(5))); /* golden angle */
    for (int k = 0; k < 3; k++)
        out[k] =
            sqrt(1 - square) * normal[k] + sqrt(square) * (cos(angle) * along[k] + sin(angle) * across[k]);
}

/* Returns the fraction of the sky that is visible from the centroid of a triangle. */
static double sky_of(const body *b, const mt_nearest *tree, size_t t)
{
    double corner[3][3], from[3], along[3], direction[3];
    size_t longest = 3 * t;
    int seen = 0;
    const double *x, *y;
    for (size_t s = 3 * t + 1; s < 3 * t + 3; s++)
        if (side_length(b->surface, s) > side_length(b->surface, longest)) longest = s;
    side_ends(b->surface, longest, &x, &y);
    mt_triangle_corners(b->surface, t, corner);
    for (int k = 0; k < 3; k++) {
        from[k] = (corner[0][k] + corner[1][k] + corner[2][k]) / 3;
        along[k] = (y[k] - x[k]) / side_length(b->surface, longest);
    }
    for (int ray = 0; ray < RAYS; ray++) {
        direction_of(b->normal + 3 * t, along, ray, direction);
        seen += !mt_nearest_blocks(tree, from, direction, (uint32_t)t);
    }
    return (double)seen / RAYS;
}

typedef struct crossing {
    float turn_deg;
    uint32_t side;
} crossing;

MT_ORDER(by_turn, crossing, turn_deg, side)

/* Spreads DARK and BRIGHT to unclassified triangles, across sides in ascending order of their signed angle, so that the border follows the
 * sharpest convex ridges. */
static mt_status spread_shade(mt_arena *scratch, body *b)
{
    uint32_t *parent;
    crossing *crossings;
    size_t n = 0;
    MT_ALLOC(scratch, parent, b->n);
    MT_ALLOC(scratch, crossings, 3 * b->n);
    mt_disjoint_begin(parent, b->n);
    for (size_t s = 0; s < 3 * b->n; s++)
        if (b->sides.mate[s] != MT_NO_TRIANGLE && s < b->sides.mate[s])
            crossings[n++] = (crossing){b->turn_deg[s], (uint32_t)s};
    qsort(crossings, n, sizeof *crossings, by_turn);
    for (size_t k = 0; k < n; k++) {
        const uint32_t s = crossings[k].side;
        const uint32_t one = mt_disjoint_root(parent, s / 3);
        const uint32_t two = mt_disjoint_root(parent, b->sides.mate[s] / 3);
        if (one == two ||
            (b->shaded[one] != b->shaded[two] && b->shaded[one] != UNSEEN && b->shaded[two] != UNSEEN))
            continue;
        const uint32_t known = b->shaded[one] == UNSEEN ? two : one;
        b->shaded[mt_disjoint_join(parent, one, two)] = b->shaded[known];
    }
    for (size_t t = 0; t < b->n; t++) b->shaded[t] = b->shaded[mt_disjoint_root(parent, (uint32_t)t)];
    return MT_OK;
}

static mt_status find_shade(mt_arena *scratch, body *b)
{
    mt_nearest tree;
    MT_TRY(mt_nearest_make(scratch, b->surface, 0, &tree));
    const size_t step = 1 + b->n / LOOKED_AT_MAX;
#pragma omp parallel for schedule(static)
    for (size_t t = 0; t < b->n; t += step) {
        if (!(b->area[t] > 0)) continue;
        const double sky = sky_of(b, &tree, t);
        b->shaded[t] = sky <= dark ? DARK : sky >= bright ? BRIGHT : UNSEEN;
    }
    return spread_shade(scratch, b);
}

/* ---- patches ---- */

static bool is_cut(const body *b, size_t s)
{
    const uint32_t other = b->sides.mate[s];
    if (other == MT_NO_TRIANGLE) return true;
    return b->side_of[s / 3] != b->side_of[other / 3];
}

/* Returns the neighbours of a triangle across sides that are not cut. */
static size_t neighbours_of(void *context, uint32_t t, const uint32_t **neighbour)
{
    body *b = context;
    for (size_t k = 0; k < 3; k++) {
        const size_t s = 3 * (size_t)t + k;
        b->near[k] = is_cut(b, s) ? MT_FLOOD_NONE : b->sides.mate[s] / 3;
    }
    *neighbour = b->near;
    return 3;
}

static void measure(const body *b, cut *c)
{
    for (size_t s = 0; s < 3 * b->n; s++) {
        const uint32_t mate = b->sides.mate[s];
        patch *p = c->patches + c->of[s / 3];
        if (s % 3 == 0) p->area += b->area[s / 3];
        if (mate != MT_NO_TRIANGLE && c->of[mate / 3] == c->of[s / 3]) continue;
        const double *from, *to, length = side_length(b->surface, s);
        side_ends(b->surface, s, &from, &to);
        p->rim += length;
        for (int k = 0; k < 3; k++) p->middle[k] += length * (from[k] + to[k]) / 2;
    }
    for (size_t i = 0; i < c->n_patches; i++)
        for (int k = 0; k < 3 && c->patches[i].rim > 0; k++) c->patches[i].middle[k] /= c->patches[i].rim;
    for (size_t t = 0; t < b->n; t++) {
        patch *p = c->patches + c->of[t];
        p->volume += mt_triangle_volume_six(b->surface, t, p->middle) / 6;
    }
    for (size_t i = 0; i < c->n_patches; i++) {
        patch *p = c->patches + i;
        p->bowl = p->area > 0 ? 6 * sqrt(M_PI) * p->volume / (p->area * sqrt(p->area)) : 0;
    }
}

/* Classifies the patches. A patch on the base plane consists of triangles on the plane only, as the cut follows the plane. */
static void find_kinds(const body *b, cut *c)
{
    double flat_most = 0;
    c->epi = c->n_patches;
    c->n_cavities = 0;
    for (size_t i = 0; i < c->n_patches; i++) c->patches[i].what = OPEN;
    for (size_t t = 0; t < b->n; t++)
        if (b->side_of[t] == ON_PLANE) c->patches[c->of[t]].what = BASE;
    for (size_t i = 0; i < c->n_patches; i++)
        if (c->patches[i].what == BASE) flat_most = fmax(flat_most, c->patches[i].area);
    for (size_t i = 0; i < c->n_patches; i++) {
        patch *p = c->patches + i;
        if (p->what == BASE && p->area < 0.1 * flat_most) p->what = OPEN; /* fragments next to the base */
        if (p->what == BASE || !(p->rim > 0)) continue;
        if (p->bowl >= bowl_least && (c->epi == c->n_patches || p->volume > c->patches[c->epi].volume))
            c->epi = i;
        if (p->bowl <= -bowl_least && p->area >= cavity_area * b->whole) {
            p->what = c->n_cavities == 0 ? CAVITY_1 : CAVITY_2;
            c->n_cavities++;
        }
    }
    if (c->epi < c->n_patches) c->patches[c->epi].what = EPI;
}

/* Accepts a flat patch as base only if it is between epicardium and cavities; otherwise it could be a flat part of these. */
static void check_base(const body *b, cut *c)
{
    c->has_base = false;
    for (size_t s = 0; s < 3 * b->n; s++) {
        const uint32_t mate = b->sides.mate[s];
        patch *p = c->patches + c->of[s / 3];
        if (p->what != BASE || mate == MT_NO_TRIANGLE) continue;
        const kind other = c->patches[c->of[mate / 3]].what;
        if (other == EPI) p->rim_to[0] += side_length(b->surface, s);
        if (other == CAVITY_1 || other == CAVITY_2) p->rim_to[1] += side_length(b->surface, s);
    }
    for (size_t i = 0; i < c->n_patches; i++) {
        patch *p = c->patches + i;
        if (p->what != BASE) continue;
        if (fmin(p->rim_to[0], p->rim_to[1]) < rim_share * p->rim || fabs(p->bowl) > base_bowl)
            p->what = OPEN;
        c->has_base = c->has_base || p->what == BASE;
    }
}

/* Cuts the surface in the way of `c`; overwrites its patches. */
static void make_cut(body *b, uint32_t *queue, cut *c)
{
    const bool flat = c->way == AT_PLANE || c->way == AT_PLANE_AND_SHADE;
    const bool shade = c->way == AT_SHADE || c->way == AT_PLANE_AND_SHADE;
    for (size_t t = 0; t < b->n; t++) {
        b->side_of[t] = shade ? b->shaded[t] : UNSEEN;
        if (flat && on_plane(b, t, b->planes + c->plane)) b->side_of[t] = ON_PLANE;
    }
    c->n_patches = 0;
    for (size_t t = 0; t < b->n; t++) c->of[t] = MT_NO_TRIANGLE;
    for (size_t t = 0; t < b->n; t++)
        if (c->of[t] == MT_NO_TRIANGLE)
            (void)mt_flood((uint32_t)t, (uint32_t)c->n_patches++, neighbours_of, b, c->of, queue);
    memset(c->patches, 0, c->n_patches * sizeof *c->patches);
    measure(b, c);
    find_kinds(b, c);
    check_base(b, c);
}

/* True if there are cavities, and an epicardium larger than each of them. */
static bool makes_sense(const cut *c)
{
    if (c->epi == c->n_patches || (c->way != AT_SHADE && !c->has_base)) return false;
    for (size_t i = 0; i < c->n_patches; i++)
        if ((c->patches[i].what == CAVITY_1 || c->patches[i].what == CAVITY_2) &&
            -c->patches[i].volume >= c->patches[c->epi].volume)
            return false;
    return c->n_cavities > 0;
}

/* Sets the k-th way to cut; false if k is past the last. */
static bool nth_way(const body *b, size_t k, cut *c)
{
    c->way = k < b->n_planes ? AT_PLANE : k < 2 * b->n_planes ? AT_PLANE_AND_SHADE : AT_SHADE;
    c->plane = k < b->n_planes ? k : k - b->n_planes;
    return k <= 2 * b->n_planes;
}

/* Chooses the best cut, or the last if no cut makes sense, and repeats it. */
static void find_cut(body *b, uint32_t *queue, cut *c)
{
    size_t best = 2 * b->n_planes, most = 0;
    for (size_t k = 0; nth_way(b, k, c); k++) {
        make_cut(b, queue, c);
        if (!makes_sense(c) || c->n_cavities <= most) continue;
        most = c->n_cavities;
        best = k;
    }
    (void)nth_way(b, best, c);
    make_cut(b, queue, c);
}

/* ---- classification of patches ---- */

static int by_area_down(const void *a, const void *b)
{
    const double x = ((const patch *)a)->area, y = ((const patch *)b)->area;
    return (x < y) - (x > y);
}

static mt_status refuse(const body *b, cut *c, const char *what)
{
    char list[256] = "";
    const size_t cavities = c->n_cavities;
    qsort(c->patches, c->n_patches, sizeof *c->patches, by_area_down);
    for (size_t i = 0; i < c->n_patches && i < 6; i++) {
        const size_t used = strlen(list);
        (void)snprintf(
            list + used, sizeof list - used, "%s%.0f", i ? ", " : "", 100 * c->patches[i].area / b->whole);
    }
    static const char *const cut_at[] = {"nowhere", "at a flat base",
        "at a flat base, and between shaded and unshaded parts", "between shaded and unshaded parts"};
    return mt_fail(MT_INPUT,
        "%s: divided %s, the surface has %zu patches (%s%s %% of its area) and %zu cavities; needed: one "
        "outer surface and one or two cavities that open at the base, or triangles tagged as base (1), "
        "epicardium (2), left (3) and right endocardium (4)",
        what, cut_at[c->way], c->n_patches, list, c->n_patches > 6 ? ", ..." : "", cavities);
}

/* Classifies the remaining patches as base, or as the class of a neighbour. */
static mt_status join_patches(mt_arena *scratch, const body *b, cut *c)
{
    double(*shared)[KINDS];
    MT_ALLOC(scratch, shared, c->n_patches);
    for (int round = 0, joined = 1; round < ROUNDS && joined; round++) {
        joined = 0;
        memset(shared, 0, c->n_patches * sizeof *shared);
        for (size_t s = 0; s < 3 * b->n; s++) {
            const uint32_t mate = b->sides.mate[s], mine = c->of[s / 3];
            if (c->patches[mine].what != OPEN || mate == MT_NO_TRIANGLE || c->of[mate / 3] == mine) continue;
            shared[mine][c->patches[c->of[mate / 3]].what] += side_length(b->surface, s);
        }
        for (size_t i = 0; i < c->n_patches; i++) {
            patch *p = c->patches + i;
            if (p->what != OPEN) continue;
            kind most = BASE;
            for (kind k = EPI; k < OPEN; k++)
                if (shared[i][k] > shared[i][most]) most = k;
            if (shared[i][most] == 0) continue;
            const double cavity = shared[i][CAVITY_1] + shared[i][CAVITY_2];
            const bool between = fmin(shared[i][EPI], cavity) >= rim_share * p->rim;
            p->what = between ? BASE : most;
            joined = 1;
        }
    }
    return MT_OK;
}

/* Checks that there is one large component; small components are holes in the muscle. */
static mt_status check_pieces(body *b, uint32_t *queue, cut *c)
{
    size_t n = 0;
    c->way = NOWHERE;
    make_cut(b, queue, c);
    for (size_t i = 0; i < c->n_patches; i++) n += c->patches[i].area >= hole_area * b->whole;
    return n == 1 ? MT_OK : refuse(b, c, "the surface is not connected");
}

/* Tags as base the triangles with a vertex on a line between two of epicardium and cavities. */
static mt_status make_rims(mt_arena *scratch, const mt_mesh *surface, const mt_sides *sides, int32_t *tag)
{
    const uint32_t *vertex = surface->face_vertex;
    unsigned char *rim;
    MT_ALLOC(scratch, rim, surface->n_vertices);
    for (size_t s = 0; s < 3 * surface->n_faces; s++) {
        const uint32_t mate = sides->mate[s];
        if (mate == MT_NO_TRIANGLE) continue;
        const int32_t mine = tag[s / 3], other = tag[mate / 3];
        if (mine == other || mine < MT_SURFACE_EPI || other < MT_SURFACE_EPI) continue;
        rim[vertex[s]] = rim[vertex[s - s % 3 + (s % 3 + 1) % 3]] = 1;
    }
    for (size_t t = 0; t < surface->n_faces; t++)
        if (tag[t] != 0 && (rim[vertex[3 * t]] || rim[vertex[3 * t + 1]] || rim[vertex[3 * t + 2]]))
            tag[t] = MT_SURFACE_BASE;
    return MT_OK;
}

mt_status mt_surfaces_rims(mt_mesh *surface)
{
    MT_SCRATCH(scratch);
    mt_sides sides;
    MT_TRY(mt_sides_make(scratch, surface, &sides));
    return make_rims(scratch, surface, &sides, surface->face_tag);
}

/* ---- left and right ---- */

/* Computes the area-weighted lower quartile of the distance from a cavity's triangles to the epicardium. */
static mt_status wall_of(mt_arena *scratch, const body *b, const mt_nearest *epi, const int32_t *tag,
    int32_t cavity, double *wall_mm)
{
    level *levels;
    double whole = 0, sum = 0;
    size_t n = 0;
    for (size_t t = 0; t < b->n; t++) n += tag[t] == cavity;
    MT_ALLOC(scratch, levels, n);
    *wall_mm = 0;
    n = 0;
    for (size_t t = 0; t < b->n; t++) {
        double corner[3][3], middle[3];
        if (tag[t] != cavity) continue;
        mt_triangle_corners(b->surface, t, corner);
        for (int k = 0; k < 3; k++) middle[k] = (corner[0][k] + corner[1][k] + corner[2][k]) / 3;
        (void)mt_nearest_find(epi, middle, NULL, &levels[n].offset);
        levels[n].area = b->area[t];
        whole += levels[n++].area;
    }
    qsort(levels, n, sizeof *levels, by_offset);
    for (size_t k = 0; k < n && sum <= whole / 4; k++) sum += levels[k].area, *wall_mm = levels[k].offset;
    return MT_OK;
}

/* Tags the cavity with the thicker wall as left. */
static mt_status tell_left(mt_arena *scratch, const body *b, const cut *c, int32_t *tag, double wall_mm[2])
{
    mt_nearest epi;
    mt_mesh tagged = *b->surface;
    tagged.face_tag = tag;
    MT_TRY(mt_nearest_make(scratch, &tagged, EPI, &epi));
    for (size_t k = 0; k < c->n_cavities; k++)
        MT_TRY(wall_of(scratch, b, &epi, tag, CAVITY_1 + (int32_t)k, &wall_mm[k]));
    if (c->n_cavities == 1 || wall_mm[0] >= walls_ratio * wall_mm[1]) return MT_OK;
    if (wall_mm[1] < walls_ratio * wall_mm[0])
        return mt_fail(MT_INPUT,
            "surfaces: the walls of the two cavities are %.3g and %.3g mm thick, too similar to distinguish "
            "left from right; needed: triangles tagged as base (1), epicardium (2), left (3) and right "
            "endocardium (4)",
            wall_mm[0], wall_mm[1]);
    const double thin = wall_mm[0];
    wall_mm[0] = wall_mm[1];
    wall_mm[1] = thin;
    for (size_t t = 0; t < b->n; t++)
        if (tag[t] >= CAVITY_1) tag[t] = CAVITY_1 + CAVITY_2 - tag[t];
    return MT_OK;
}

/* ---- interface ---- */

void mt_surfaces_count(const mt_mesh *surface, mt_surfaces *counts)
{
    *counts = (mt_surfaces){.how = MT_FOUND_NOTHING};
    for (size_t t = 0; t < surface->n_faces; t++) {
        const int32_t tag = surface->face_tag[t];
        const size_t what = tag >= MT_SURFACE_BASE && tag <= MT_SURFACE_RV ? (size_t)tag : 0;
        counts->n_triangles[what]++;
        counts->area_mm2[what] += mt_triangle_mm2(surface, t);
    }
}

mt_status mt_surfaces_find(mt_mesh *surface, mt_surfaces *found)
{
    MT_SCRATCH(scratch);
    body b;
    cut c = {0};
    uint32_t *queue;
    int32_t *tag;
    double wall_mm[2] = {0};
    MT_TRY(look_at(scratch, surface, &b));
    MT_TRY(find_planes(scratch, &b));
    MT_TRY(find_shade(scratch, &b));
    MT_ALLOC(scratch, queue, b.n);
    MT_ALLOC(scratch, c.of, b.n);
    MT_ALLOC(scratch, c.patches, b.n);
    MT_ALLOC(scratch, tag, b.n);
    MT_TRY(check_pieces(&b, queue, &c));
    find_cut(&b, queue, &c);
    if (c.epi == c.n_patches || c.n_cavities == 0 || c.n_cavities > 2)
        return refuse(&b, &c, "the anatomy is ambiguous");
    MT_TRY(join_patches(scratch, &b, &c));
    for (size_t t = 0; t < b.n; t++) {
        const kind what = c.patches[c.of[t]].what;
        tag[t] = what == OPEN ? NONE : (int32_t)what;
    }
    MT_TRY(make_rims(scratch, surface, &b.sides, tag));
    MT_TRY(tell_left(scratch, &b, &c, tag, wall_mm));
    memcpy(surface->face_tag, tag, b.n * sizeof *tag);
    mt_surfaces_count(surface, found);
    found->how = c.way == AT_SHADE ? MT_FOUND_SHADE : MT_FOUND_FLAT;
    memcpy(found->wall_mm, wall_mm, sizeof wall_mm);
    return MT_OK;
}
