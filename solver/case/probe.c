#include "solver/case/probe.h"

#include <math.h>
#include <string.h>

#include "data/core/vec3.h"
#include "mesh/scale.h"
#include "solver/outputs/linear_fit.h"

enum { PASS = 4096 }; /* number of centres computed at a time */

/* Finds the nearest of the elements [first, first + n), if nearer than the nearest so far. */
static void find_among(const double (*centre)[3], size_t first, size_t n, const double xyz_mm[3],
    double *least, uint32_t *element)
{
    for (size_t k = 0; k < n; k++) {
        double distance = mt_square3(centre[k], xyz_mm);
        if (distance < *least) {
            *least = distance;
            *element = (uint32_t)(first + k);
        }
    }
}

static double reach_of(const mt_mesh *mesh, size_t element)
{
    double centre[3], farthest = 0;
    mt_mesh_centroid(mesh, element, centre);
    for (size_t k = 0; k < 4; k++)
        farthest = fmax(
            farthest, mt_square3(centre, mesh->xyz_mm + 3 * (size_t)mesh->element_vertex[4 * element + k]));
    return 1.5 * sqrt(farthest);
}

/* Returns the first probe outside the mesh, given the nearest elements; n if there is none. */
static size_t first_outside(const mt_mesh *mesh, size_t n, const double *xyz_mm, const uint32_t *element)
{
    size_t p = 0;
    for (; p < n; p++) {
        double centre[3];
        mt_mesh_centroid(mesh, element[p], centre);
        if (!(sqrt(mt_square3(centre, xyz_mm + 3 * p)) <= reach_of(mesh, element[p]))) break;
    }
    return p;
}

static mt_status refuse(const mt_mesh *mesh, const double at_mm[3], size_t element)
{
    double centre[3], low[3], high[3];
    mt_mesh_centroid(mesh, element, centre);
    mt_mesh_box(mesh, low, high);
    return mt_fail(MT_INPUT,
        "[%g, %g, %g] mm is outside the mesh: %.4g mm from the centre of the nearest element, %zu at [%.4g, "
        "%.4g, %.4g]; the mesh extends from [%.4g, %.4g, %.4g] to [%.4g, %.4g, %.4g] mm%s",
        at_mm[0], at_mm[1], at_mm[2], sqrt(mt_square3(centre, at_mm)), element, centre[0], centre[1],
        centre[2], low[0], low[1], low[2], high[0], high[1], high[2],
        mt_scale_advice(mt_scale_extent_mm(low, high), mt_scale_distance_mm(low, high, at_mm)));
}

mt_status mt_probe_find(const mt_mesh *mesh, size_t n, const double *xyz_mm, uint32_t *element)
{
    MT_SCRATCH(scratch);
    double(*centre)[3], *least;
    MT_ALLOC(scratch, centre, PASS);
    MT_ALLOC(scratch, least, n);
    for (size_t p = 0; p < n; p++) least[p] = INFINITY;
    for (size_t first = 0; first < mesh->n_elements; first += PASS) {
        const size_t count = mesh->n_elements - first < PASS ? mesh->n_elements - first : PASS;
        for (size_t k = 0; k < count; k++) mt_mesh_centroid(mesh, first + k, centre[k]);
#pragma omp parallel for schedule(static)
        for (size_t p = 0; p < n; p++)
            find_among((const double(*)[3])centre, first, count, xyz_mm + 3 * p, &least[p], &element[p]);
    }
    const size_t outside = first_outside(mesh, n, xyz_mm, element);
    return outside < n ? refuse(mesh, xyz_mm + 3 * outside, element[outside]) : MT_OK;
}

enum {
    TIES = 64
}; /* elements that can be equally near: 48 meet in a vertex of a mirrored slab (mesh/make/slab.h) */

typedef struct ties {
    size_t n, element[TIES];
} ties;

static double distance_mm(const mt_mesh *mesh, size_t element, const double xyz_mm[3])
{
    double x[3];
    mt_mesh_centroid(mesh, element, x);
    return sqrt(mt_square3(x, xyz_mm));
}

static void add_tie(ties *t, const mt_mesh *mesh, size_t element, const double xyz_mm[3], double least_mm)
{
    if (t->n == TIES || distance_mm(mesh, element, xyz_mm) > (1 + 1e-9) * least_mm) return;
    for (size_t k = 0; k < t->n; k++)
        if (t->element[k] == element) return;
    t->element[t->n++] = element;
}

/* Finds all nearest elements: the known one, and equally near ones at most two rows away from one of them. */
static ties find_ties(
    const mt_mesh *mesh, const mt_diffusion *diffusion, const double xyz_mm[3], size_t element)
{
    const double least_mm = distance_mm(mesh, element, xyz_mm);
    const mt_pattern pattern = mt_diffusion_pattern(diffusion);
    ties t = {1, {element}};
    for (size_t found = 0; found < t.n; found++) {
        uint32_t ring[MT_RING_MAX], farther[MT_RING_MAX];
        const uint32_t *near = mt_pattern_row(&pattern, t.element[found], ring);
        for (size_t k = 0; k < MT_DIFFUSION_ROW; k++) {
            const uint32_t *far = mt_pattern_row(&pattern, near[k], farther);
            for (size_t j = 0; j < MT_DIFFUSION_ROW; j++) add_tie(&t, mesh, far[j], xyz_mm, least_mm);
        }
    }
    return t;
}

/* The values of a field for a probe, and their fit. */
typedef struct sample {
    mt_linear_fit fit; /* around the probe */
    double nearest;    /* mean of the nearest elements; not finite if a value is not */
    double low, high;  /* range of the fitted values */
    bool complete;     /* true if all values are finite */
} sample;

static void add_element(
    sample *s, const mt_mesh *mesh, size_t element, const double xyz_mm[3], const double *field)
{
    double x[3];
    mt_mesh_centroid(mesh, element, x);
    mt_minus3(x, xyz_mm, x);
    mt_linear_fit_add(&s->fit, x, field[element]);
    s->low = fmin(s->low, field[element]);
    s->high = fmax(s->high, field[element]);
}

static sample sample_field(const mt_mesh *mesh, const mt_diffusion *diffusion, const double *field,
    const double xyz_mm[3], uint32_t element)
{
    const mt_pattern pattern = mt_diffusion_pattern(diffusion);
    const ties nearest = find_ties(mesh, diffusion, xyz_mm, element);
    sample s = {.low = INFINITY, .high = -INFINITY, .complete = true};
    for (size_t t = 0; t < nearest.n; t++) {
        const size_t own = nearest.element[t];
        if (!isfinite(field[own])) return (sample){.nearest = field[own]};
        s.nearest += field[own] / (double)nearest.n;
        add_element(&s, mesh, own, xyz_mm, field);
        uint32_t ring[MT_RING_MAX];
        const uint32_t *row = mt_pattern_row(&pattern, own, ring);
        for (size_t k = 0; k < MT_DIFFUSION_ROW; k++) {
            if (row[k] == own) continue;
            if (isfinite(field[row[k]]))
                add_element(&s, mesh, row[k], xyz_mm, field);
            else
                s.complete = false;
        }
    }
    return s;
}

static double fitted_value(const sample *s)
{
    mt_linear_function fitted;
    return isfinite(s->nearest) && mt_linear_fit_solve(&s->fit, &fitted) ? fitted.value : s->nearest;
}

double mt_probe_fit(const mt_mesh *mesh, const mt_diffusion *diffusion, const double *field,
    const double xyz_mm[3], uint32_t element)
{
    const sample s = sample_field(mesh, diffusion, field, xyz_mm, element);
    return fitted_value(&s);
}

double mt_probe_state(const mt_mesh *mesh, const mt_diffusion *diffusion, const double *field,
    const double xyz_mm[3], uint32_t element)
{
    const sample s = sample_field(mesh, diffusion, field, xyz_mm, element);
    return isfinite(s.nearest) ? fmin(fmax(fitted_value(&s), s.low), s.high) : s.nearest;
}

void mt_probe_needs(const mt_mesh *mesh, const mt_diffusion *diffusion, const double xyz_mm[3],
    uint32_t element, uint8_t *needed)
{
    const mt_pattern pattern = mt_diffusion_pattern(diffusion);
    const ties nearest = find_ties(mesh, diffusion, xyz_mm, element);
    for (size_t t = 0; t < nearest.n; t++) {
        uint32_t ring[MT_RING_MAX];
        const uint32_t *row = mt_pattern_row(&pattern, nearest.element[t], ring);
        needed[nearest.element[t]] = 1;
        for (size_t k = 0; k < MT_DIFFUSION_ROW; k++) needed[row[k]] = 1;
    }
}

/* ---- probes of a case ---- */

/* Sets the places: the points as given, then the line at equal distances. */
static void set_places(const mt_case *input, double *xyz_mm)
{
    const size_t n_line = input->line.points;
    for (size_t k = 0; k < input->n_points; k++, xyz_mm += 3)
        memcpy(xyz_mm, input->points[k].at_mm, 3 * sizeof *xyz_mm);
    for (size_t k = 0; k < n_line; k++, xyz_mm += 3) {
        const double along = n_line > 1 ? (double)k / (double)(n_line - 1) : 0;
        for (int axis = 0; axis < 3; axis++)
            xyz_mm[axis] =
                input->line.from_mm[axis] + along * (input->line.to_mm[axis] - input->line.from_mm[axis]);
    }
}

/* Adds the probe's key in the case to the newest failure message. */
static mt_status name_outside(const mt_case *input, const mt_mesh *mesh, const mt_probes *probes)
{
    const size_t probe = first_outside(mesh, probes->n, probes->xyz_mm, probes->element);
    if (probe < probes->n_points)
        return mt_fail(MT_INPUT, "points.%zu, '%.100s': %s", probe, input->points[probe].name, mt_message());
    return mt_fail(MT_INPUT, "line, point %zu of %zu: %s", probe - probes->n_points + 1, input->line.points,
        mt_message());
}

mt_status mt_probes_make(mt_arena *arena, const mt_case *input, const mt_mesh *mesh, mt_probes *probes)
{
    *probes = (mt_probes){.n = input->n_points + input->line.points, .n_points = input->n_points};
    MT_ALLOC(arena, probes->xyz_mm, 3 * probes->n);
    MT_ALLOC(arena, probes->element, probes->n);
    set_places(input, probes->xyz_mm);
    const mt_status status = mt_probe_find(mesh, probes->n, probes->xyz_mm, probes->element);
    return status == MT_INPUT ? name_outside(input, mesh, probes) : status;
}

/* ---- probes with voltages at the vertices ---- */

/* A place in an element: its barycentric coordinates, without negative ones, and the squared distance from the probe. */
typedef struct location {
    double weight[4], square_mm2;
    size_t element;
} location;

/* Computes the coordinates of x in an element. */
static location locate_in(const mt_mesh *mesh, size_t element, const double x[3])
{
    location at = {.element = element};
    const double six_mm3 = 6 * mt_mesh_volume_mm3(mesh, element);
    double sum = 0, place[3] = {0};
    for (size_t k = 0; k < 4; k++) {
        double area[3], way[3]; /* the face opposite the vertex, with an outward normal */
        const uint32_t on = mesh->element_vertex[4 * element + mt_mesh_face[k][0]];
        mt_mesh_face_area(mesh, element, k, area);
        mt_minus3(mesh->xyz_mm + 3 * (size_t)on, x, way);
        at.weight[k] = fmax(0, 2 * mt_dot3(way, area) / six_mm3);
        sum += at.weight[k];
    }
    for (size_t k = 0; k < 4; k++) {
        at.weight[k] /= sum;
        for (int axis = 0; axis < 3; axis++)
            place[axis] +=
                at.weight[k] * mesh->xyz_mm[3 * (size_t)mesh->element_vertex[4 * element + k] + (size_t)axis];
    }
    at.square_mm2 = mt_square3(place, x);
    return at;
}

/* Replaces the location by one in this element if that is nearer. Far elements are skipped by a sphere around their centre. */
static void locate_nearer(const mt_mesh *mesh, size_t element, const double x[3], location *best)
{
    double centre[3];
    mt_mesh_centroid(mesh, element, centre);
    const double reach_mm = reach_of(mesh, element) / 1.5;
    if (sqrt(mt_square3(centre, x)) > reach_mm + sqrt(best->square_mm2)) return;
    const location at = locate_in(mesh, element, x);
    if (at.square_mm2 < best->square_mm2) *best = at;
}

static location locate(const mt_mesh *mesh, const double x[3])
{
    location best = {.square_mm2 = INFINITY, .element = MT_NO_ELEMENT};
    for (size_t e = 0; e < mesh->n_elements; e++) locate_nearer(mesh, e, x, &best);
    return best;
}

/* A place on the border of the conducting elements belongs to them, to 1e-9 of the size of the element. */
mt_status mt_probes_locate(mt_arena *arena, const mt_mesh *whole, const mt_mesh *mesh, mt_probes *probes)
{
    MT_ALLOC(arena, probes->weight, 4 * probes->n);
#pragma omp parallel for schedule(dynamic, 1)
    for (size_t p = 0; p < probes->n; p++) {
        const double *x = probes->xyz_mm + 3 * p;
        const location at = locate(mesh, x), any = mesh->number ? locate(whole, x) : at;
        const double border_mm = 1e-9 * reach_of(mesh, at.element);
        const bool conducts = sqrt(at.square_mm2) <= sqrt(any.square_mm2) + border_mm;
        probes->element[p] = conducts ? (uint32_t)at.element : MT_NO_ELEMENT;
        memcpy(probes->weight + 4 * p, at.weight, sizeof at.weight);
    }
    return MT_OK;
}

/* Returns the interpolated value at a probe; vertices without a weight do not count. */
static double interpolate(const mt_probes *probes, size_t probe, const mt_mesh *mesh, const double *field)
{
    const uint32_t *vertex = mesh->element_vertex + 4 * (size_t)probes->element[probe];
    const double *weight = probes->weight + 4 * probe;
    double sum = 0;
    for (size_t k = 0; k < 4; k++)
        if (weight[k] > 0) sum += weight[k] * field[vertex[k]];
    return sum;
}

double mt_probes_state(const mt_probes *probes, size_t probe, const mt_mesh *mesh,
    const mt_diffusion *diffusion, const double *field)
{
    if (probes->element[probe] == MT_NO_ELEMENT) return NAN;
    if (probes->weight) return interpolate(probes, probe, mesh, field);
    return mt_probe_state(mesh, diffusion, field, probes->xyz_mm + 3 * probe, probes->element[probe]);
}

void mt_probes_needs(const mt_probes *probes, size_t probe, const mt_mesh *mesh,
    const mt_diffusion *diffusion, uint8_t *needed)
{
    const uint32_t element = probes->element[probe];
    if (element == MT_NO_ELEMENT) return;
    if (!probes->weight) {
        mt_probe_needs(mesh, diffusion, probes->xyz_mm + 3 * probe, element, needed);
        return;
    }
    for (size_t k = 0; k < 4; k++) needed[mesh->element_vertex[4 * (size_t)element + k]] = 1;
}

double mt_probe_activation_ms(const mt_probes *probes, size_t probe, const mt_mesh *mesh,
    const mt_diffusion *diffusion, const double *activation_ms, double reached_ms)
{
    if (probes->element[probe] == MT_NO_ELEMENT) return NAN;
    if (probes->weight) {
        const double at_ms = interpolate(probes, probe, mesh, activation_ms);
        return isfinite(at_ms) ? at_ms : NAN;
    }
    const sample s =
        sample_field(mesh, diffusion, activation_ms, probes->xyz_mm + 3 * probe, probes->element[probe]);
    const double t_ms = fitted_value(&s);
    return isfinite(t_ms) && (s.complete || t_ms <= reached_ms) ? t_ms : NAN;
}
