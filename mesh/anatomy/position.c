#include "mesh/anatomy/position.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/offsets.h"
#include "data/core/vec3.h"

const mt_position mt_position_empty = {NAN, NAN, NAN, -1};

const mt_named_number mt_position_apicobasal[] = {{"apex", 0}, {"mid", 0.5}, {"base", 1}, {NULL, 0}},
                      mt_position_transmural[] = {{"endo", 0}, {"mid", 0.5}, {"epi", 1}, {NULL, 0}},
                      mt_position_rotational[] = {{"inferior_junction", 0}, {"inferior", 1.0 / 12},
                          {"inferolateral", 1.0 / 4}, {"lateral", 1.0 / 3}, {"anterolateral", 5.0 / 12},
                          {"anterior", 7.0 / 12}, {"anterior_junction", 2.0 / 3}, {"anteroseptal", 3.0 / 4},
                          {"septal", 5.0 / 6}, {"inferoseptal", 11.0 / 12}, {NULL, 0}};

/* Elements with a larger span of rotational coordinates are in polar coordinates. */
static const double most_turn = 1.0 / 8;
/* A barycentric coordinate within it of 0 counts as 0. */
static const double tolerance = 1e-9;
/* The circumference is at least that at this apicobasal coordinate, so that no difference has length 0. */
static const double least_apicobasal = 0.02;
/* Elements above this apicobasal coordinate determine the mean circumference. */
static const double wide_apicobasal = 0.25;

/* An element with a larger stretch is torn. */
static const double most_stretch = 6;

enum { CELLS_MAX = 512 }; /* along a coordinate */

bool mt_position_stated(const mt_position *p)
{
    return !isnan(p->apicobasal) || !isnan(p->rotational) || !isnan(p->transmural) || p->ventricle >= 0;
}

const char *mt_position_text(const mt_position *p, char text[MT_POSITION_TEXT])
{
    (void)snprintf(text, MT_POSITION_TEXT,
        "{apicobasal: %.6g, rotational: %.6g, transmural: %.6g, ventricle: %s}", p->apicobasal, p->rotational,
        p->transmural, p->ventricle == 1 ? "right" : "left");
    return text;
}

/* ---- elements ---- */

/* The coordinates of an element in which they are linear. */
typedef struct chart {
    bool
        polar; /* the first two are apicobasal (cos, sin)(2 pi rotational) instead of apicobasal, rotational */
    double corner[4][3];
    double low[3], high[3]; /* range of apicobasal, rotational and transmural */
} chart;

static bool has_side(const mt_mesh *mesh, size_t element, int side)
{
    const uint32_t *v = mesh->element_vertex + 4 * element;
    bool any = false;
    for (size_t k = 0; k < 4; k++) any |= mesh->coordinate[MT_TRANSVENTRICULAR][v[k]] == side;
    return any;
}

/* Replaces the first two coordinates by polar ones. */
static void make_polar(chart *c)
{
    c->polar = true;
    for (size_t k = 0; k < 4; k++) {
        const double a = c->corner[k][0], angle = 2 * M_PI * c->corner[k][1];
        c->corner[k][0] = a * cos(angle);
        c->corner[k][1] = a * sin(angle);
    }
    c->low[0] = c->low[1] = 0;
    c->high[1] = 1;
}

/* Returns the chart of an element as seen from one ventricle. */
static chart chart_of(const mt_mesh *mesh, size_t element, int side)
{
    const uint32_t *v = mesh->element_vertex + 4 * element;
    const double first = mesh->coordinate[MT_ROTATIONAL][v[0]];
    chart c = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t k = 0; k < 4; k++) {
        const double t = mesh->coordinate[MT_TRANSMURAL][v[k]], turn = mesh->coordinate[MT_ROTATIONAL][v[k]];
        c.corner[k][0] = mesh->coordinate[MT_APICOBASAL][v[k]];
        c.corner[k][1] = turn - round(turn - first);
        c.corner[k][2] = mesh->coordinate[MT_TRANSVENTRICULAR][v[k]] == side ? t : 2 - t;
        for (size_t i = 0; i < 3; i++) {
            c.low[i] = fmin(c.low[i], c.corner[k][i]);
            c.high[i] = fmax(c.high[i], c.corner[k][i]);
        }
    }
    if (c.high[1] - c.low[1] > most_turn || c.low[0] <= 0) make_polar(&c);
    return c;
}

mt_position mt_position_of_vertex(const mt_mesh *mesh, size_t vertex)
{
    return (mt_position){.apicobasal = mesh->coordinate[MT_APICOBASAL][vertex],
        .rotational = mesh->coordinate[MT_ROTATIONAL][vertex],
        .transmural = mesh->coordinate[MT_TRANSMURAL][vertex],
        .ventricle = mesh->coordinate[MT_TRANSVENTRICULAR][vertex] == 1};
}

mt_position mt_position_of_element(const mt_mesh *mesh, size_t element)
{
    const int side = has_side(mesh, element, 0) ? 0 : 1;
    const chart c = chart_of(mesh, element, side);
    double mean[3] = {0};
    for (size_t k = 0; k < 4; k++)
        for (size_t i = 0; i < 3; i++) mean[i] += c.corner[k][i] / 4;
    const double turn = c.polar ? atan2(mean[1], mean[0]) / (2 * M_PI) : mean[1];
    return (mt_position){.apicobasal = c.polar ? hypot(mean[0], mean[1]) : mean[0],
        .rotational = turn - floor(turn),
        .transmural = mean[2] > 1 ? 2 - mean[2] : mean[2],
        .ventricle = mean[2] > 1 ? 1 - side : side};
}

/* ---- lengths ---- */

typedef struct means {
    double volume, gradient[3], wide_volume;
} means;

/* Adds the gradients of an element's coordinates. */
static void add_gradients(const mt_mesh *mesh, size_t element, const chart *c, means *m)
{
    const double mm3 = mt_mesh_volume_mm3(mesh, element);
    double gradient[3][3] = {{0}}, area[3];
    if (c->polar || mm3 <= 0) return;
    for (size_t f = 1; f < 4; f++) {
        mt_mesh_face_area(mesh, element, f, area);
        for (size_t i = 0; i < 3; i++)
            for (size_t k = 0; k < 3; k++)
                gradient[i][k] -= (c->corner[f][i] - c->corner[0][i]) / (3 * mm3) * area[k];
    }
    const bool wide = c->low[0] >= wide_apicobasal;
    m->volume += mm3;
    m->wide_volume += wide ? mm3 : 0;
    for (size_t i = 0; i < 3; i++) m->gradient[i] += i != 1 || wide ? mm3 * mt_length3(gradient[i]) : 0;
}

static void set_lengths(const means *m, mt_position_grid *grid)
{
    grid->long_mm = m->gradient[0] > 0 ? m->volume / m->gradient[0] : 1;
    grid->wall_mm = m->gradient[2] > 0 ? m->volume / m->gradient[2] : 1;
    grid->around_mm = m->gradient[1] > 0 ? m->wide_volume / m->gradient[1] : 2 * M_PI * grid->long_mm;
}

static double mean_edge_mm(const mt_mesh *mesh)
{
    double sum = 0;
    for (size_t e = 0; e < mesh->n_elements; e++)
        for (size_t k = 0; k < 6; k++) {
            const uint32_t *v = mesh->element_vertex + 4 * e;
            sum += sqrt(mt_square3(mesh->xyz_mm + 3 * (size_t)v[mt_mesh_edge[k][0]],
                mesh->xyz_mm + 3 * (size_t)v[mt_mesh_edge[k][1]]));
        }
    return mesh->n_elements > 0 ? sum / (6 * (double)mesh->n_elements) : 0;
}

/* Returns the circumference at an apicobasal coordinate [mm]. */
static double around_mm(const mt_position_grid *grid, double apicobasal)
{
    return fmin(2 * M_PI * grid->long_mm * fmax(apicobasal, least_apicobasal), grid->around_mm);
}

/* Returns the length of the longest edge along the wall by the coordinates, relative to that of the longest edge. */
static double stretch_of(const mt_mesh *mesh, const mt_position_grid *grid, size_t element, const chart *c)
{
    const uint32_t *v = mesh->element_vertex + 4 * element;
    const double second_mm = c->polar ? grid->long_mm : around_mm(grid, (c->low[0] + c->high[0]) / 2);
    double by_chart = 0, square = 0;
    for (size_t k = 0; k < 6; k++) {
        const uint8_t *end = mt_mesh_edge[k];
        const double *a = c->corner[end[0]], *b = c->corner[end[1]];
        by_chart = fmax(by_chart, hypot(grid->long_mm * (a[0] - b[0]), second_mm * (a[1] - b[1])));
        square = fmax(
            square, mt_square3(mesh->xyz_mm + 3 * (size_t)v[end[0]], mesh->xyz_mm + 3 * (size_t)v[end[1]]));
    }
    return square > 0 ? by_chart / sqrt(square) : INFINITY;
}

/* ---- the grid ---- */

/* Sets the numbers of cells, about half that of the elements, with edges of about the same length. */
static void set_cells(size_t n_elements, mt_position_grid *grid)
{
    const double length[3] = {grid->long_mm, grid->around_mm, grid->wall_mm},
                 edge = cbrt(length[0] * length[1] * length[2] / (0.5 * (double)n_elements + 1));
    for (size_t i = 0; i < 3; i++) grid->n[i] = (size_t)fmin(fmax(1, round(length[i] / edge)), CELLS_MAX);
}

/* Returns the cell of a coordinate, or the outermost one. */
static size_t cell_of(double x, size_t n)
{
    return (size_t)fmin(fmax(0, floor(x * (double)n)), (double)n - 1);
}

/* The cells of an element: `n` from `first` on along each coordinate, the rotational ones modulo their number. */
typedef struct cells {
    size_t first[3], n[3];
} cells;

static cells cells_of(const mt_position_grid *grid, const chart *c)
{
    const double slack = 1e-9;
    cells of;
    for (size_t i = 0; i < 3; i++) {
        const double low = c->low[i] - slack, high = c->high[i] + slack;
        if (i == 1) {
            const double n = (double)grid->n[1], from = floor(low * n), to = floor(high * n);
            of.n[1] = (size_t)fmin(to - from + 1, n);
            of.first[1] = cell_of((from + 0.5) / n - floor((from + 0.5) / n), grid->n[1]);
            continue;
        }
        of.first[i] = cell_of(low, grid->n[i]);
        of.n[i] = cell_of(high, grid->n[i]) - of.first[i] + 1;
    }
    return of;
}

static size_t cell_number(const mt_position_grid *grid, size_t along, size_t around, size_t across)
{
    return (along * grid->n[1] + around % grid->n[1]) * grid->n[2] + across;
}

/* Counts the element in its cells, or stores it if `element` is not NULL. */
static void enter(const mt_position_grid *grid, const cells *of, size_t number, uint32_t *element)
{
    for (size_t a = 0; a < of->n[0]; a++)
        for (size_t r = 0; r < of->n[1]; r++)
            for (size_t t = 0; t < of->n[2]; t++) {
                const size_t cell = cell_number(grid, of->first[0] + a, of->first[1] + r, of->first[2] + t);
                if (element)
                    element[grid->start[cell + 1]++] = (uint32_t)number;
                else
                    grid->start[cell + 2]++;
            }
}

static mt_status make_grid(mt_arena *arena, const mt_mesh *mesh, int side, mt_position_grid *grid)
{
    means m = {0};
    size_t n_elements = 0;
    for (size_t e = 0; e < mesh->n_elements; e++) {
        if (!has_side(mesh, e, side)) continue;
        const chart c = chart_of(mesh, e, side);
        add_gradients(mesh, e, &c, &m);
        n_elements++;
    }
    *grid = (mt_position_grid){0};
    if (n_elements == 0) return MT_OK;
    set_lengths(&m, grid);
    set_cells(n_elements, grid);
    const size_t n = grid->n[0] * grid->n[1] * grid->n[2];
    MT_ALLOC(arena, grid->start, n + 2);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t e = 0; e < mesh->n_elements; e++) {
            if (!has_side(mesh, e, side)) continue;
            const chart c = chart_of(mesh, e, side);
            if (stretch_of(mesh, grid, e, &c) > most_stretch) continue;
            const cells of = cells_of(grid, &c);
            enter(grid, &of, e, grid->element);
        }
        if (pass > 0) break;
        mt_offsets_sum(grid->start, n + 2);
        MT_ALLOC(arena, grid->element, grid->start[n + 1]);
    }
    return MT_OK;
}

mt_status mt_positions_make(mt_arena *arena, const mt_mesh *mesh, mt_positions *positions)
{
    *positions = (mt_positions){.mesh = mesh, .edge_mm = mean_edge_mm(mesh)};
    for (int side = 0; side < 2; side++) MT_TRY(make_grid(arena, mesh, side, &positions->grid[side]));
    return MT_OK;
}

/* ---- search ---- */

typedef struct candidate {
    mt_located at;
    double stretch; /* of the element */
} candidate;

/* Writes a position in a chart, and the lengths of the units of its coordinates. */
static void enter_chart(
    const mt_position_grid *grid, const chart *c, const mt_position *p, double x[3], double unit_mm[3])
{
    const double angle = 2 * M_PI * p->rotational, middle = (c->low[1] + c->high[1]) / 2;
    x[0] = c->polar ? p->apicobasal * cos(angle) : p->apicobasal;
    x[1] = c->polar ? p->apicobasal * sin(angle) : p->rotational - round(p->rotational - middle);
    x[2] = p->transmural;
    unit_mm[0] = grid->long_mm;
    unit_mm[1] = c->polar ? grid->long_mm : around_mm(grid, p->apicobasal);
    unit_mm[2] = grid->wall_mm;
}

/* Computes barycentric coordinates of x; returns false if the element is flat in its chart. */
static bool find_weights(double corner[4][3], const double x[3], double weight[4])
{
    double side[3][3], to[3], normal[3];
    for (size_t k = 0; k < 3; k++) mt_minus3(corner[k + 1], corner[0], side[k]);
    mt_minus3(x, corner[0], to);
    mt_cross3(side[1], side[2], normal);
    const double six = mt_dot3(side[0], normal);
    if (!(fabs(six) > 1e-9 * mt_length3(side[0]) * mt_length3(side[1]) * mt_length3(side[2]))) return false;
    weight[0] = 1;
    for (size_t k = 0; k < 3; k++) {
        mt_cross3(side[(k + 1) % 3], side[(k + 2) % 3], normal);
        weight[k + 1] = mt_dot3(to, normal) / six;
        weight[0] -= weight[k + 1];
    }
    return true;
}

/* Sets negative barycentric coordinates, and those of rounding, to 0; returns true if there are no others below 0. */
static bool limit_weights(double weight[4])
{
    double sum = 0, least = 0;
    for (size_t k = 0; k < 4; k++) {
        least = fmin(least, weight[k]);
        sum += weight[k] = weight[k] > tolerance ? weight[k] : 0;
    }
    for (size_t k = 0; k < 4; k++) weight[k] /= sum;
    return least >= -tolerance;
}

/* Finds the point of an element at a position, or one that is near it. Flat elements have no point. */
static candidate locate_in(
    const mt_positions *positions, const mt_position_grid *grid, size_t element, const mt_position *p)
{
    chart c = chart_of(positions->mesh, element, p->ventricle);
    candidate found = {{.element = (uint32_t)element, .distance_mm = INFINITY},
        stretch_of(positions->mesh, grid, element, &c)};
    mt_located *at = &found.at;
    double x[3], unit_mm[3], place[3] = {0};
    enter_chart(grid, &c, p, x, unit_mm);
    for (size_t i = 0; i < 3; i++) {
        x[i] *= unit_mm[i];
        for (size_t k = 0; k < 4; k++) c.corner[k][i] *= unit_mm[i];
    }
    if (!find_weights(c.corner, x, at->weight)) return found;
    const bool inside = limit_weights(at->weight);
    for (size_t k = 0; k < 4; k++)
        for (size_t i = 0; i < 3; i++) place[i] += at->weight[k] * c.corner[k][i];
    at->distance_mm = inside ? 0 : sqrt(mt_square3(place, x));
    return found;
}

/* True if a candidate is better: nearer, or else less stretched, or else of a lower number. */
static bool is_better(const candidate *a, const candidate *b)
{
    if (a->at.distance_mm != b->at.distance_mm) return a->at.distance_mm < b->at.distance_mm;
    if (a->stretch != b->stretch) return a->stretch < b->stretch;
    return a->at.element < b->at.element;
}

static void search_cell(const mt_positions *positions, const mt_position_grid *grid, size_t cell,
    const mt_position *p, candidate *best)
{
    for (size_t k = grid->start[cell]; k < grid->start[cell + 1]; k++) {
        const candidate found = locate_in(positions, grid, grid->element[k], p);
        if (is_better(&found, best)) *best = found;
    }
}

/* Searches the cells that are `ring` cells from a cell along one coordinate, and at most as many along the others. */
static void search_ring(const mt_positions *positions, const mt_position_grid *grid, const size_t home[3],
    long ring, const mt_position *p, candidate *best)
{
    const long n[3] = {(long)grid->n[0], (long)grid->n[1], (long)grid->n[2]};
    const long back = ring < (n[1] - 1) / 2 ? ring : (n[1] - 1) / 2,
               ahead = ring < n[1] / 2 ? ring : n[1] / 2;
    for (long a = -ring; a <= ring; a++)
        for (long r = -back; r <= ahead; r++)
            for (long t = -ring; t <= ring; t++) {
                const long along = (long)home[0] + a, across = (long)home[2] + t;
                if (labs(a) != ring && labs(r) != ring && labs(t) != ring) continue;
                if (along < 0 || along >= n[0] || across < 0 || across >= n[2]) continue;
                search_cell(positions, grid,
                    cell_number(grid, (size_t)along, (size_t)((long)home[1] + r + n[1]), (size_t)across), p,
                    best);
            }
}

/* Returns a lower bound of the distance to elements outside the rings up to `ring`. */
static double beyond_mm(const mt_position_grid *grid, const mt_position *p, long ring)
{
    const double unit_mm[3] = {grid->long_mm, around_mm(grid, p->apicobasal), grid->wall_mm};
    double least = INFINITY;
    for (size_t i = 0; i < 3; i++)
        if ((i == 1 ? 2 * ring : ring + 1) < (long)grid->n[i])
            least = fmin(least, (double)ring * unit_mm[i] / (double)grid->n[i]);
    return least;
}

mt_located mt_positions_find(const mt_positions *positions, const mt_position *p)
{
    const mt_position_grid *grid = &positions->grid[p->ventricle == 1];
    candidate best = {{.element = MT_NO_ELEMENT, .distance_mm = INFINITY}, INFINITY};
    if (grid->n[0] == 0) return best.at;
    const size_t home[3] = {cell_of(p->apicobasal, grid->n[0]), cell_of(p->rotational, grid->n[1]),
        cell_of(p->transmural, grid->n[2])};
    for (long ring = 0;; ring++) {
        search_ring(positions, grid, home, ring, p, &best);
        if (best.at.distance_mm <= beyond_mm(grid, p, ring)) return best.at;
    }
}

bool mt_positions_has(const mt_positions *positions, const mt_located *located)
{
    return located->element != MT_NO_ELEMENT && located->distance_mm <= positions->edge_mm;
}

void mt_positions_point(const mt_positions *positions, const mt_located *located, double xyz_mm[3])
{
    const mt_mesh *mesh = positions->mesh;
    const uint32_t *v = mesh->element_vertex + 4 * (size_t)located->element;
    for (size_t i = 0; i < 3; i++) {
        xyz_mm[i] = 0;
        for (size_t k = 0; k < 4; k++) xyz_mm[i] += located->weight[k] * mesh->xyz_mm[3 * (size_t)v[k] + i];
    }
}
