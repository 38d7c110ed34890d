#include "mesh/network/purkinje.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/hash.h"
#include "data/core/vec3.h"
#include "mesh/network/tree.h"

enum { LEFT, RIGHT };
enum { SEPTAL = 1 };           /* fascicle */
enum { BUNDLE_MOST = 100000 }; /* segments of a bundle */
enum {
    LANDING_TIPS = 4, /* at the end of a line through a cavity */
    TIPS_MAX = MT_PURKINJE_FASCICLES + LANDING_TIPS * MT_PURKINJE_TENDONS
};

static const char *const names[2] = {"left", "right"}; /* ventricles */

static const double place_near = 0.2;   /* largest distance of a place from its coordinates, in coordinates */
static const double near_share = 0.2;   /* of a segment: least distance of segments that share no node */
static const double least_length = 0.1; /* of the mean: shortest length of a branch before rounding */
static const double least_angle_deg =
    6; /* 2 x 6 degrees separate the first segments of sisters by near_share: sin(12 deg) > 0.2 */

const char *const mt_purkinje_kind_names[MT_PURKINJE_KINDS] = {"", "His bundle", "left bundle branch",
    "right bundle branch", "left Purkinje fibres", "right Purkinje fibres"};

mt_status mt_purkinje_kind_find(const char *text, int32_t *kind)
{
    static const char *const words[MT_PURKINJE_KINDS] = {
        NULL, "his", "left_bundle", "right_bundle", "left_purkinje", "right_purkinje"};
    char *end;
    for (int k = MT_PURKINJE_HIS; k < MT_PURKINJE_KINDS; k++)
        if (strcmp(text, words[k]) == 0) {
            *kind = k;
            return MT_OK;
        }
    errno = 0;
    const long number = strtol(text, &end, 10);
    *kind = (int32_t)number;
    if (errno == 0 && end > text && !*end && number == *kind) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s; allowed: a 32-bit integer, or his, left_bundle, right_bundle, left_purkinje, right_purkinje",
        text);
}

const mt_purkinje_rule mt_purkinje_default = {.seed = 1,
    .segment_mm = 1,
    .branch_mm = 5,
    .deviation = 0.44721359549995793,
    .angle_deg = 20,
    .repulsion = 0.1,
    .collision = 0.2,
    .generations = 20,
    .coverage = 1,
    .coverage_mm = 5,
    .depth_mm = 0.5,
    .his_mm = 10,
    .left_bundle_mm = 5,
    .fascicle = {{0.64, 0.8}, {0.85, 0.72}, {0.97, 0.4}},
    .right_end = 0.5,
    .papillary = {0.4, 0.6},
    .highest = 0.9,
    .root_rotational = 5.0 / 6,
    .root_apicobasal = 0.85,
    .root_far_mm = 10};

/* A ventricle on which a tree grows. */
typedef struct ventricle {
    const mt_purkinje_rule *rule;
    const mt_coordinates *coordinates;
    mt_endocardium surface;
    mt_tree *tree;
    size_t side;              /* LEFT or RIGHT */
    int32_t bundle, purkinje; /* kinds */
    uint8_t *covered;         /* [n_faces] */
    mt_purkinje_info *info;
} ventricle;

/* The end of a branch. */
typedef struct tip {
    uint32_t node, branch;
    mt_endocardium_place place;
    double direction[3];
    size_t n, n_left; /* segments so far, and still to come */
    bool stopped;
} tip;

/* ---- parameters ---- */

mt_status mt_purkinje_check(const mt_purkinje_rule *rule)
{
    const struct {
        const char *name;
        double value, low, high;
    } ranges[] = {{"segment_mm", rule->segment_mm, 0.01, 100}, {"branch_mm", rule->branch_mm, 0.01, 1000},
        {"deviation", rule->deviation, 0, 10}, {"angle_deg", rule->angle_deg, least_angle_deg, 80},
        {"repulsion", rule->repulsion, 0, 10}, {"collision", rule->collision, 0, 10},
        {"generations", (double)rule->generations, 0, 1000}, {"coverage", rule->coverage, 0, 1},
        {"coverage_mm", rule->coverage_mm, 0, 1000}, {"depth_mm", rule->depth_mm, 0, 1000},
        {"his_mm", rule->his_mm, 0.01, 1000}, {"left_bundle_mm", rule->left_bundle_mm, 0, 1000},
        {"fascicle, anterior, rotational", rule->fascicle[0][0], 0, 1},
        {"fascicle, anterior, apicobasal", rule->fascicle[0][1], 0, 1},
        {"fascicle, septal, rotational", rule->fascicle[1][0], 0, 1},
        {"fascicle, septal, apicobasal", rule->fascicle[1][1], 0, 1},
        {"fascicle, posterior, rotational", rule->fascicle[2][0], 0, 1},
        {"fascicle, posterior, apicobasal", rule->fascicle[2][1], 0, 1}, {"right_end", rule->right_end, 0, 1},
        {"papillary, rotational", rule->papillary[0], 0, 1},
        {"papillary, apicobasal", rule->papillary[1], 0, 1}, {"highest", rule->highest, 0, 1},
        {"root_rotational", rule->root_rotational, 0, 1}, {"root_apicobasal", rule->root_apicobasal, 0, 1},
        {"root_far_mm", rule->root_far_mm, 0, 1000}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (!(ranges[i].value >= ranges[i].low && ranges[i].value <= ranges[i].high))
            return mt_fail(MT_INPUT, "%s: %g; allowed: %g to %g", ranges[i].name, ranges[i].value,
                ranges[i].low, ranges[i].high);
    if (rule->false_tendons > MT_PURKINJE_TENDONS)
        return mt_fail(
            MT_INPUT, "false_tendons: %zu; allowed: at most %d", rule->false_tendons, MT_PURKINJE_TENDONS);
    if (rule->branch_mm < rule->segment_mm)
        return mt_fail(
            MT_INPUT, "branch_mm: %g; allowed: at least segment_mm, %g", rule->branch_mm, rule->segment_mm);
    return MT_OK;
}

/* ---- random lengths, and angles ---- */

/* Returns the first pseudo-random number of a key. */
static uint64_t mix(uint64_t key) { return mt_random_bits(key, 0); }

/* Returns the number of segments of a branch of the fractal tree, by its number in its ventricle. */
static size_t random_segments(const ventricle *v, size_t number)
{
    const uint64_t key = mix(mix(v->rule->seed) + 2 * (uint64_t)number + v->side);
    double sum = -6; /* mean 0, variance 1 */
    for (uint64_t i = 0; i < 12; i++) sum += (double)(mix(key + i) >> 11) * 0x1p-53;
    const double share = fmax(least_length, 1 + v->rule->deviation * sum);
    return (size_t)fmax(1, floor(share * v->rule->branch_mm / v->rule->segment_mm + 0.5));
}

/* Computes cosine and sine of an angle of at most 90 degrees by their series, which has the same bits on every machine. */
static void cosine_and_sine(double angle_deg, double *cosine, double *sine)
{
    const double x = angle_deg * (M_PI / 180);
    double term = 1;
    *cosine = *sine = 0;
    for (int k = 0; k < 30; k++, term *= x / k) {
        const double signed_term = k % 4 < 2 ? term : -term;
        if (k % 2)
            *sine += signed_term;
        else
            *cosine += signed_term;
    }
}

/* ---- places by coordinates ---- */

/* Returns the distance of two rotational coordinates, in -1/2 .. 1/2. */
static double rotation(double from, double to)
{
    const double way = to - from;
    return way - floor(way + 0.5);
}

/* Finds the place in a triangle with the coordinates at[2], rotational and apicobasal. Returns false if it is outside. */
static bool place_in(const ventricle *v, uint32_t t, const double at[2], mt_endocardium_place *place)
{
    const uint32_t *vertex = v->surface.surface.face_vertex + 3 * (size_t)t;
    double x[3], y[3];
    for (int k = 0; k < 3; k++) {
        x[k] = rotation(at[0], v->coordinates->rotational[vertex[k]]);
        y[k] = v->coordinates->apicobasal[vertex[k]] - at[1];
        if (fabs(x[k]) > 0.25) return false; /* also on the opposite side */
    }
    *place = (mt_endocardium_place){.triangle = t};
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        place->share[k] = x[(k + 1) % 3] * y[(k + 2) % 3] - x[(k + 2) % 3] * y[(k + 1) % 3];
        sum += place->share[k];
    }
    for (int k = 0; k < 3; k++) {
        place->share[k] /= sum;
        if (!(place->share[k] >= 0)) return false;
    }
    return true;
}

/* Finds the middle of the triangle with the nearest coordinates, at most place_near away: a septum can end below the root. */
static bool find_near(const ventricle *v, const double at[2], mt_endocardium_place *place)
{
    double least = place_near * place_near;
    bool found = false;
    for (uint32_t t = 0; t < v->surface.surface.n_faces; t++) {
        const uint32_t *vertex = v->surface.surface.face_vertex + 3 * (size_t)t;
        double x = 0, y = 0, widest = 0;
        for (int k = 0; k < 3; k++) {
            const double dx = rotation(at[0], v->coordinates->rotational[vertex[k]]);
            x += dx / 3;
            y += (v->coordinates->apicobasal[vertex[k]] - at[1]) / 3;
            widest = fmax(widest, fabs(dx));
        }
        if (widest > 0.25 || !(x * x + y * y < least)) continue;
        least = x * x + y * y;
        *place = (mt_endocardium_place){.triangle = t, .share = {1. / 3, 1. / 3, 1. / 3}};
        found = true;
    }
    return found;
}

/* Finds the place with the coordinates at[2], or one near them. */
static bool find_place(const ventricle *v, const double at[2], mt_endocardium_place *place)
{
    for (uint32_t t = 0; t < v->surface.surface.n_faces; t++)
        if (place_in(v, t, at, place)) return true;
    return find_near(v, at, place);
}

static mt_status find_root(const ventricle *v, mt_endocardium_place *root)
{
    const double at[2] = {v->rule->root_rotational, v->rule->root_apicobasal};
    const double *given = v->side == LEFT ? v->rule->left_root_mm : v->rule->right_root_mm;
    double distance_mm;
    if (!given && find_place(v, at, root)) return MT_OK;
    if (!given)
        return mt_fail(MT_INPUT,
            "no place of the %s endocardium has the rotational coordinate %.3f and the apicobasal one %.3f; "
            "allowed: a given root of its bundle branch (--%s-root)",
            names[v->side], at[0], at[1], names[v->side]);
    if (!isfinite(given[0]) || !isfinite(given[1]) || !isfinite(given[2]))
        return mt_fail(MT_INPUT, "the %s root is not finite", names[v->side]);
    MT_TRY(mt_endocardium_nearest(&v->surface, given, root, &distance_mm));
    if (distance_mm <= v->rule->root_far_mm) return MT_OK;
    return mt_fail(MT_INPUT,
        "the %s root (%g, %g, %g) mm is %.1f mm from the %s endocardium; allowed: at most %g mm",
        names[v->side], given[0], given[1], given[2], distance_mm, names[v->side], v->rule->root_far_mm);
}

/* ---- growth ---- */

/* Turns the direction of a tip away from the nearest node of another branch. */
static void repel(const ventricle *v, tip *t)
{
    double away[3], *d = t->direction;
    const double *here = v->tree->node[t->node].xyz_mm;
    const uint32_t nearest = mt_tree_nearest(v->tree, t->branch, here);
    if (nearest == MT_NO_NODE) return;
    mt_minus3(here, v->tree->node[nearest].xyz_mm, away);
    const double length = mt_length3(away);
    double turned[3];
    for (int k = 0; k < 3; k++) turned[k] = d[k] + (length > 0 ? v->rule->repulsion * away[k] / length : 0);
    if (mt_endocardium_flatten(&v->surface, t->place.triangle, turned)) memcpy(d, turned, sizeof turned);
}

/* Adds the next segment of a branch, or stops it. */
static mt_status grow(const ventricle *v, int32_t kind, tip *t)
{
    const mt_purkinje_rule *r = v->rule;
    mt_endocardium_place place = t->place;
    double direction[3], point[3];
    memcpy(direction, t->direction, sizeof direction);
    t->stopped = true;
    if (!mt_endocardium_walk(&v->surface, r->segment_mm, &place, direction)) return MT_OK;
    mt_endocardium_point(&v->surface, &place, point);
    const double near_mm = near_share * r->segment_mm, far_mm = fmax(near_mm, r->collision * r->branch_mm);
    if (mt_tree_blocked(v->tree, t->node, t->branch, point, near_mm, far_mm)) return MT_OK;
    if (kind == v->purkinje &&
        mt_endocardium_value(&v->surface, &place, v->coordinates->apicobasal) > r->highest)
        return MT_OK;
    MT_TRY(mt_tree_add(v->tree, t->node, t->branch, kind, point, &place, &t->node));
    t->place = place;
    memcpy(t->direction, direction, sizeof direction);
    t->n++, t->n_left--;
    t->stopped = false;
    return MT_OK;
}

/* Starts a branch at the end of another, at an angle from its direction about the inward normal. */
static mt_status start(const ventricle *v, const tip *parent, double angle_deg, size_t n_segments, tip *t)
{
    double inward[3], across[3], cosine, sine;
    *t = (tip){.node = parent->node, .place = parent->place, .n_left = n_segments};
    mt_endocardium_inward(&v->surface, t->place.triangle, inward);
    mt_cross3(inward, parent->direction, across);
    cosine_and_sine(fabs(angle_deg), &cosine, &sine);
    if (angle_deg < 0) sine = -sine;
    for (int k = 0; k < 3; k++) t->direction[k] = cosine * parent->direction[k] + sine * across[k];
    t->stopped = !mt_endocardium_flatten(&v->surface, t->place.triangle, t->direction);
    return mt_tree_add_branch(v->tree, parent->branch, &t->branch);
}

/* ---- bundle branches ---- */

/* Points a tip in the direction of the steepest descent of the apicobasal coordinate, or down the long axis. Returns false if neither is in
 * the plane of the surface. */
static bool descend(const ventricle *v, tip *t)
{
    const mt_coordinates *c = v->coordinates;
    mt_endocardium_gradient(&v->surface, t->place.triangle, c->apicobasal, t->direction);
    for (int k = 0; k < 3; k++) t->direction[k] = -t->direction[k];
    if (mt_endocardium_flatten(&v->surface, t->place.triangle, t->direction)) return true;
    for (int k = 0; k < 3; k++) t->direction[k] = -c->up[k];
    return mt_endocardium_flatten(&v->surface, t->place.triangle, t->direction);
}

static mt_status grow_straight(const ventricle *v, double length_mm, tip *t)
{
    t->n_left = (size_t)floor(length_mm / v->rule->segment_mm + 0.5);
    while (t->n_left > 0 && !t->stopped) MT_TRY(grow(v, v->bundle, t));
    t->stopped = false; /* the tree grows from wherever the bundle ends */
    return MT_OK;
}

/* Starts a bundle at the end of another. Its direction is still unknown. */
static mt_status fork_bundle(const ventricle *v, const tip *parent, tip *t)
{
    *t = (tip){.node = parent->node, .place = parent->place, .n_left = BUNDLE_MOST};
    return mt_tree_add_branch(v->tree, parent->branch, &t->branch);
}

/* Grows a bundle along the surface as long as it approaches a point and is farther from it than a segment. */
static mt_status grow_towards(const ventricle *v, const double target_mm[3], tip *t)
{
    double before = INFINITY, here = 0;
    for (; !t->stopped && t->n_left > 0; before = here) {
        double way[3];
        mt_minus3(target_mm, v->tree->node[t->node].xyz_mm, way);
        here = mt_length3(way);
        if (here < v->rule->segment_mm || here >= before) break;
        if (!mt_endocardium_flatten(&v->surface, t->place.triangle, way)) break;
        memcpy(t->direction, way, sizeof way);
        MT_TRY(grow(v, v->bundle, t));
    }
    t->stopped = false;
    return MT_OK;
}

/* Adds a straight line from the end of a bundle to a place on the other side of its cavity. Its four tips point to the apex, the base, and
 * to both sides. */
static mt_status cross_cavity(
    const ventricle *v, const tip *parent, const mt_endocardium_place *place, tip *tips, size_t *n_tips)
{
    double end_mm[3], inward[3];
    tip end;
    MT_TRY(fork_bundle(v, parent, &end));
    end.place = *place;
    mt_endocardium_point(&v->surface, &end.place, end_mm);
    MT_TRY(mt_tree_add_line(
        v->tree, parent->node, end.branch, v->bundle, v->rule->segment_mm, end_mm, &end.place, &end.node));
    end.stopped = !descend(v, &end);
    mt_endocardium_inward(&v->surface, end.place.triangle, inward);
    for (size_t i = 0; i < LANDING_TIPS; i++) {
        const tip before = end;
        tips[(*n_tips)++] = end;
        mt_cross3(inward, before.direction, end.direction);
    }
    return MT_OK;
}

/* Returns a random number of a false tendon in a range, by the number of its trial and its own number in that. */
static double random_between(
    const ventricle *v, size_t tendon, size_t trial, size_t number, double low, double high)
{
    const uint64_t key = mix(~mix(v->rule->seed) + tendon * MT_PURKINJE_TRIALS + trial);
    return low + (high - low) * ((double)(mix(key + number) >> 11) * 0x1p-53);
}

/* Chooses a false tendon from the lower half of a fascicle: its first node, as a tip, and its end. Returns false if this is no line
 * through the cavity. */
static bool try_tendon(const ventricle *v, const tip *fascicle, size_t tendon, size_t trial, tip *from,
    mt_endocardium_place *end)
{
    static const double papillary[2] = {1.0 / 4, 5.0 / 12}, wide = 0.08, low = 0.25, high = 0.6,
                        steepness = 0.2;
    const double up = floor(random_between(v, tendon, trial, 0, 0, (double)(fascicle->n / 2 + 1))),
                 around = papillary[tendon % 2],
                 at[2] = {random_between(v, tendon, trial, 1, around - wide, around + wide),
                     random_between(v, tendon, trial, 2, low, high)};
    *from = *fascicle;
    from->node -= (uint32_t)up; /* the fascicle has its nodes one after another */
    from->place = v->tree->node[from->node].place;
    return find_place(v, at, end) && mt_endocardium_crosses_cavity(&v->surface, &from->place, end, steepness);
}

/* Adds the false tendons from a fascicle, whose ends are further tips. */
static mt_status false_tendons(const ventricle *v, const tip *fascicle, tip *tips, size_t *n_tips)
{
    for (size_t i = 0; i < v->rule->false_tendons; i++)
        for (size_t trial = 0; trial < MT_PURKINJE_TRIALS; trial++) {
            tip from;
            mt_endocardium_place end;
            if (!try_tendon(v, fascicle, i, trial, &from, &end)) continue;
            MT_TRY(cross_cavity(v, &from, &end, tips, n_tips));
            v->info->n_false_tendons++;
            break;
        }
    return MT_OK;
}

/* Grows the left bundle branch with its fascicles and false tendons, whose ends are the tips. */
static mt_status left_bundle(const ventricle *v, tip *trunk, tip *tips, size_t *n_tips)
{
    const tip *septal = NULL;
    MT_TRY(grow_straight(v, v->rule->left_bundle_mm, trunk));
    for (size_t i = 0; i < MT_PURKINJE_FASCICLES; i++) {
        mt_endocardium_place end;
        double end_mm[3];
        if (!find_place(v, v->rule->fascicle[i], &end)) continue;
        tip *t = &tips[(*n_tips)++];
        mt_endocardium_point(&v->surface, &end, end_mm);
        MT_TRY(fork_bundle(v, trunk, t));
        memcpy(t->direction, trunk->direction, sizeof t->direction);
        MT_TRY(grow_towards(v, end_mm, t));
        if (i == SEPTAL) septal = t;
    }
    if (*n_tips == 0) tips[(*n_tips)++] = *trunk;
    return septal ? false_tendons(v, septal, tips, n_tips) : MT_OK;
}

/* Adds the moderator band from the end of the right bundle branch to the free wall. */
static mt_status moderator_band(const ventricle *v, const tip *trunk, tip *tips, size_t *n_tips)
{
    mt_endocardium_place end;
    return find_place(v, v->rule->papillary, &end) ? cross_cavity(v, trunk, &end, tips, n_tips) : MT_OK;
}

/* Grows the right bundle branch with the moderator band, whose ends are the tips. */
static mt_status right_bundle(const ventricle *v, tip *trunk, tip *tips, size_t *n_tips)
{
    const double *value = v->coordinates->apicobasal;
    double here = mt_endocardium_value(&v->surface, &trunk->place, value), before = INFINITY;
    trunk->n_left = BUNDLE_MOST;
    while (here > v->rule->right_end && here < before && !trunk->stopped && trunk->n_left > 0) {
        if (trunk->n > 0 && !descend(v, trunk)) break;
        MT_TRY(grow(v, v->bundle, trunk));
        before = here;
        here = trunk->stopped ? here : mt_endocardium_value(&v->surface, &trunk->place, value);
    }
    trunk->stopped = false;
    tips[(*n_tips)++] = *trunk;
    return moderator_band(v, trunk, tips, n_tips);
}

/* ---- the fractal tree ---- */

/* Marks the triangles that the Purkinje nodes cover, by their centroids; returns their share of the area. */
static double cover(const ventricle *v)
{
    double covered_mm2 = 0;
    for (uint32_t t = 0; t < v->surface.surface.n_faces; t++) {
        const mt_endocardium_place middle = {t, {1.0 / 3, 1.0 / 3, 1.0 / 3}};
        double point[3];
        mt_endocardium_point(&v->surface, &middle, point);
        if (!v->covered[t]) v->covered[t] = mt_tree_within(v->tree, v->purkinje, point, v->rule->coverage_mm);
        if (v->covered[t]) covered_mm2 += mt_triangle_mm2(&v->surface.surface, t);
    }
    return covered_mm2 / v->surface.area_mm2;
}

/* Grows all branches of a generation together. */
static mt_status grow_together(const ventricle *v, size_t n, tip *tips)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < n; i++) {
            if (tips[i].stopped || tips[i].n_left == 0) continue;
            if (tips[i].n > 0 && v->rule->repulsion > 0) repel(v, &tips[i]);
            MT_TRY(grow(v, v->purkinje, &tips[i]));
            more = true;
        }
    }
    return MT_OK;
}

/* Grows the fractal tree from n tips. */
static mt_status grow_tree(const ventricle *v, size_t n, const tip *tips)
{
    mt_purkinje_info *info = v->info;
    const size_t s = v->side;
    size_t number = 0;
    while (
        n > 0 && info->n_generations[s] < v->rule->generations && !(info->coverage[s] >= v->rule->coverage)) {
        tip *children;
        size_t n_complete = 0;
        MT_ALLOC(v->tree->arena, children, 2 * n);
        for (size_t i = 0; i < 2 * n; i++) {
            const double deg = i % 2 ? -v->rule->angle_deg : v->rule->angle_deg;
            MT_TRY(start(v, &tips[i / 2], deg, random_segments(v, number++), &children[i]));
        }
        MT_TRY(grow_together(v, 2 * n, children));
        for (size_t i = 0; i < 2 * n; i++) {
            *(children[i].n > 0 ? &info->n_branches[s] : &info->n_discarded[s]) += 1;
            if (!children[i].stopped) children[n_complete++] = children[i];
        }
        tips = children;
        n = n_complete;
        info->n_generations[s]++;
        info->coverage[s] = cover(v);
    }
    return MT_OK;
}

/* Adds the terminal segments of a ventricle, whose nodes on the surface begin at `first`. */
static mt_status add_terminals(const ventricle *v, size_t first)
{
    const size_t n = v->tree->n_nodes;
    const double wanted_mm = v->rule->depth_mm;
    for (size_t i = first; i < n; i++) {
        const mt_tree_node node = v->tree->node[i];
        if (node.n_children > 0 || !node.on_surface) continue;
        const double half_mm = mt_endocardium_thickness(&v->surface, &node.place, 2 * wanted_mm) / 2;
        double inward[3], end[3];
        uint32_t added;
        v->info->n_terminals[v->side]++;
        v->info->n_shallow[v->side] += half_mm < wanted_mm;
        mt_endocardium_inward(&v->surface, node.place.triangle, inward);
        for (int k = 0; k < 3; k++) end[k] = node.xyz_mm[k] + half_mm * inward[k];
        if (mt_square3(end, node.xyz_mm) > 0)
            MT_TRY(mt_tree_add(v->tree, (uint32_t)i, node.branch, v->purkinje, end, NULL, &added));
    }
    return MT_OK;
}

/* ---- the network ---- */

static mt_status make_surface(
    mt_arena *scratch, const mt_mesh *mesh, const mt_adjacency *adjacency, ventricle *v)
{
    MT_TRY(mt_endocardium_make(
        scratch, mesh, adjacency, v->side == LEFT ? MT_SURFACE_LV : MT_SURFACE_RV, &v->surface));
    v->info->area_mm2[v->side] = v->surface.area_mm2;
    MT_ALLOC(scratch, v->covered, v->surface.surface.n_faces);
    return MT_OK;
}

/* Grows the tree of a ventricle from node `from`, with a line to the root first. */
static mt_status grow_ventricle(
    ventricle *v, uint32_t from, int32_t line_kind, const mt_endocardium_place *root)
{
    const mt_purkinje_rule *r = v->rule;
    tip trunk = {.place = *root}, tips[TIPS_MAX];
    double low[3], high[3];
    size_t n_tips = 0;
    mt_mesh_box(v->surface.mesh, low, high);
    const double reach_mm = 2 * r->segment_mm + fmax(r->collision * r->branch_mm, r->segment_mm);
    MT_TRY(mt_tree_clear(v->tree, low, high, fmax(reach_mm, r->coverage_mm / 4)));
    if (!descend(v, &trunk))
        return mt_fail(MT_INPUT, "the %s root is where the endocardium is perpendicular to the long axis",
            v->side == LEFT ? "left" : "right");
    MT_TRY(mt_tree_add_branch(v->tree, MT_NO_BRANCH, &trunk.branch));
    const size_t first = v->tree->n_nodes;
    MT_TRY(mt_tree_add_line(
        v->tree, from, trunk.branch, line_kind, r->segment_mm, v->info->root_mm[v->side], root, &trunk.node));
    MT_TRY((v->side == LEFT ? left_bundle : right_bundle)(v, &trunk, tips, &n_tips));
    MT_TRY(grow_tree(v, n_tips, tips));
    return add_terminals(v, first);
}

/* Copies the tree to a network in `arena`. */
static mt_status put_network(
    mt_arena *arena, const mt_tree *tree, mt_network *network, mt_purkinje_info *info)
{
    MT_TRY(mt_network_new(arena, tree->n_nodes, tree->n_nodes - 1, network));
    MT_ALLOC(arena, network->kind, network->n_segments);
    for (size_t i = 0; i < tree->n_nodes; i++) {
        const mt_tree_node *node = tree->node + i;
        memcpy(network->xyz_mm + 3 * i, node->xyz_mm, sizeof node->xyz_mm);
        if (i == 0) continue;
        network->segment_node[2 * (i - 1)] = node->parent;
        network->segment_node[2 * (i - 1) + 1] = (uint32_t)i;
        network->kind[i - 1] = node->kind;
        info->length_mm[node->kind] += sqrt(mt_square3(node->xyz_mm, tree->node[node->parent].xyz_mm));
    }
    return MT_OK;
}

mt_status mt_purkinje_make(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_coordinates *coordinates, const mt_purkinje_rule *rule, mt_network *network,
    mt_purkinje_info *info)
{
    MT_SCRATCH(scratch);
    mt_tree tree = {.arena = scratch};
    const size_t n = coordinates->has_rv ? 2 : 1;
    ventricle both[2];
    mt_endocardium_place root[2];
    double lower[3] = {0}, upper[3];
    uint32_t top, fork;
    *info = (mt_purkinje_info){0};
    MT_TRY(mt_purkinje_check(rule));
    if (n == 1 && rule->right_root_mm)
        return mt_fail(MT_INPUT, "a right root is given, and the mesh has no right ventricle");
    for (size_t s = 0; s < n; s++) {
        both[s] = (ventricle){.rule = rule,
            .coordinates = coordinates,
            .tree = &tree,
            .side = s,
            .bundle = s == LEFT ? MT_PURKINJE_LEFT_BUNDLE : MT_PURKINJE_RIGHT_BUNDLE,
            .purkinje = s == LEFT ? MT_PURKINJE_LEFT : MT_PURKINJE_RIGHT,
            .info = info};
        MT_TRY(make_surface(scratch, mesh, adjacency, &both[s]));
        MT_TRY(find_root(&both[s], &root[s]));
        mt_endocardium_point(&both[s].surface, &root[s], info->root_mm[s]);
        for (int k = 0; k < 3; k++) lower[k] += info->root_mm[s][k] / (double)n;
    }
    for (int k = 0; k < 3; k++) upper[k] = lower[k] + rule->his_mm * coordinates->up[k];
    MT_TRY(mt_tree_add(&tree, MT_NO_NODE, MT_NO_BRANCH, 0, upper, NULL, &top));
    fork = top;
    if (n == 2)
        MT_TRY(mt_tree_add_line(
            &tree, top, MT_NO_BRANCH, MT_PURKINJE_HIS, rule->segment_mm, lower, NULL, &fork));
    for (size_t s = 0; s < n; s++)
        MT_TRY(grow_ventricle(&both[s], fork, n == 1 ? MT_PURKINJE_HIS : both[s].bundle, &root[s]));
    return put_network(arena, &tree, network, info);
}
