#include "solver/conduction/junctions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/grow.h"
#include "data/core/offsets.h"
#include "data/core/vec3.h"
#include "solver/diffusion/nodal_rows.h"

/* The unknowns in cells of a grid around the free ends. */
typedef struct grid {
    double low_mm[3], size_mm;
    size_t n[3];
    size_t *start; /* unknowns of cell k: unknown[start[k]] .. */
    uint32_t *unknown;
    double *xyz_mm; /* [unknowns][3] */
} grid;

enum { CELLS_A_SIDE = 128 };

static size_t n_cells(const grid *g) { return g->n[0] * g->n[1] * g->n[2]; }

/* Returns the cell of a place; n_cells if it is outside. */
static size_t cell_of(const grid *g, const double x[3])
{
    size_t cell = 0;
    for (int k = 2; k >= 0; k--) {
        const double at = floor((x[k] - g->low_mm[k]) / g->size_mm);
        if (!(at >= 0 && at < (double)g->n[k])) return n_cells(g);
        cell = cell * g->n[k] + (size_t)at;
    }
    return cell;
}

/* Chooses the cells: at least `reach` wide, around all free ends. */
static void choose_cells(const mt_cables *cables, size_t n, const uint32_t *point, double reach_mm, grid *g)
{
    double high[3] = {-INFINITY, -INFINITY, -INFINITY}, longest = 0;
    for (int k = 0; k < 3; k++) g->low_mm[k] = INFINITY;
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            const double x = cables->xyz_mm[3 * (size_t)point[i] + (size_t)k];
            g->low_mm[k] = fmin(g->low_mm[k], x - reach_mm);
            high[k] = fmax(high[k], x + reach_mm);
        }
    for (int k = 0; k < 3; k++) longest = fmax(longest, high[k] - g->low_mm[k]);
    g->size_mm = fmax(reach_mm, longest / CELLS_A_SIDE);
    for (int k = 0; k < 3; k++) g->n[k] = (size_t)((high[k] - g->low_mm[k]) / g->size_mm) + 1;
}

static mt_status make_grid(mt_arena *scratch, const mt_unknowns *unknowns, const mt_cables *cables, size_t n,
    const uint32_t *point, double reach_mm, grid *g)
{
    const size_t n_unknowns = mt_unknowns_count(unknowns);
    uint32_t *cell;
    choose_cells(cables, n, point, reach_mm, g);
    MT_ALLOC(scratch, g->xyz_mm, 3 * n_unknowns);
    MT_ALLOC(scratch, cell, n_unknowns);
    for (size_t i = 0; i < n_unknowns; i++) {
        mt_unknowns_place(unknowns, i, g->xyz_mm + 3 * i);
        cell[i] = (uint32_t)cell_of(g, g->xyz_mm + 3 * i);
    }
    return mt_offsets_make(scratch, n_unknowns, 1, cell, n_cells(g) + 1, &g->start, &g->unknown);
}

/* Returns the nearest unknown within one cell of a place and its distance; the lowest of equals. MT_NO_ELEMENT: none. */
static uint32_t nearest_unknown(const grid *g, const double x[3], double *distance_mm)
{
    uint32_t found = MT_NO_ELEMENT;
    double least = INFINITY;
    for (int k = 0; k < 27; k++) {
        const double beside[3] = {x[0] + (k % 3 - 1) * g->size_mm, x[1] + (k / 3 % 3 - 1) * g->size_mm,
            x[2] + (k / 9 - 1) * g->size_mm};
        const size_t cell = cell_of(g, beside);
        if (cell == n_cells(g)) continue;
        for (size_t i = g->start[cell]; i < g->start[cell + 1]; i++) {
            const uint32_t unknown = g->unknown[i];
            const double square = mt_square3(g->xyz_mm + 3 * (size_t)unknown, x);
            if (square > least || (square == least && unknown > found)) continue;
            least = square;
            found = unknown;
        }
    }
    *distance_mm = sqrt(least);
    return found;
}

/* A search for the unknowns of one junction after the other. */
typedef struct search {
    const mt_junctions_tissue *tissue;
    const grid *g;
    const grid *whole; /* of the elements of the complete mesh; NULL: all conduct */
    double radius_mm;
    uint32_t *list; /* [n_list] unknowns of all junctions so far */
    size_t n_list, room;
    uint32_t *seen; /* [unknowns] last junction that listed it, from 1 */
    mt_arena *arena;
} search;

static mt_status add(search *s, uint32_t unknown, uint32_t junction)
{
    if (s->seen[unknown] == junction + 1) return MT_OK;
    MT_GROW(s->arena, s->list, s->n_list, 1, s->room);
    s->seen[unknown] = junction + 1;
    s->list[s->n_list++] = unknown;
    return MT_OK;
}

/* Lists the neighbours of an unknown that are inside the sphere. */
static mt_status add_neighbours(search *s, uint32_t unknown, const double x[3], uint32_t junction)
{
    const mt_nodal *nodal = s->tissue->diffusion->nodal;
    const uint32_t *next =
        nodal ? nodal->column + nodal->start[unknown] : s->tissue->adjacency->neighbour + 4 * (size_t)unknown;
    const size_t n = nodal ? nodal->start[unknown + (size_t)1] - nodal->start[unknown] : 4;
    for (size_t k = 0; k < n; k++) {
        if (next[k] == MT_NO_ELEMENT) continue;
        if (mt_square3(s->g->xyz_mm + 3 * (size_t)next[k], x) >= s->radius_mm * s->radius_mm) continue;
        MT_TRY(add(s, next[k], junction));
    }
    return MT_OK;
}

/* Lists the unknowns of a junction: the nearest one first. */
static mt_status find_unknowns(search *s, uint32_t nearest, const double x[3], uint32_t junction)
{
    size_t next = s->n_list;
    MT_TRY(add(s, nearest, junction));
    for (; next < s->n_list; next++) MT_TRY(add_neighbours(s, s->list[next], x, junction));
    return MT_OK;
}

/* True if the element of the complete mesh with the nearest centre does not conduct. */
static bool is_in_scar(const search *s, const double x[3])
{
    const mt_mesh *mesh = s->tissue->unknowns->mesh;
    double distance_mm;
    if (!s->whole) return false;
    const uint32_t nearest = nearest_unknown(s->whole, x, &distance_mm);
    if (nearest == MT_NO_ELEMENT) return false;
    return !bsearch(&nearest, mesh->number, mesh->n_elements, sizeof nearest, mt_compare_ids);
}

/* Finds the junctions and lists their unknowns. */
static mt_status find_junctions(const mt_cables *cables, size_t n, const uint32_t *point, double reach_mm,
    search *s, mt_junctions *junctions)
{
    for (size_t i = 0; i < n; i++) {
        const double *x = cables->xyz_mm + 3 * (size_t)point[i];
        double distance_mm;
        const uint32_t nearest = nearest_unknown(s->g, x, &distance_mm), k = (uint32_t)junctions->n;
        if (nearest == MT_NO_ELEMENT || distance_mm > reach_mm) {
            junctions->n_apart++;
            continue;
        }
        if (is_in_scar(s, x)) {
            junctions->n_scar++;
            continue;
        }
        MT_TRY(find_unknowns(s, nearest, x, k));
        junctions->point[k] = point[i];
        junctions->inside[k] = mt_cables_inside(cables, point[i], MT_JUNCTION_INSIDE);
        junctions->n_single += distance_mm >= s->radius_mm;
        junctions->start[++junctions->n] = s->n_list;
    }
    return MT_OK;
}

/* Lists the tissue around the junctions: their unknowns, which are listed already, and all neighbours of these. */
static mt_status find_near(mt_arena *arena, search *s, mt_junctions *j)
{
    search around = *s;
    MT_SCRATCH(scratch);
    around.arena = scratch;
    around.list = NULL;
    around.n_list = around.room = 0;
    around.radius_mm = INFINITY;
    memset(around.seen, 0, mt_unknowns_count(s->tissue->unknowns) * sizeof *around.seen);
    MT_ALLOC(arena, j->near_start, j->n + 1);
    for (size_t k = 0; k < j->n; k++) {
        const double *nowhere = around.g->xyz_mm;
        for (size_t i = j->start[k]; i < j->start[k + 1]; i++) MT_TRY(add(&around, s->list[i], (uint32_t)k));
        for (size_t i = j->start[k]; i < j->start[k + 1]; i++)
            MT_TRY(add_neighbours(&around, s->list[i], nowhere, (uint32_t)k));
        j->near_start[k + 1] = around.n_list;
    }
    MT_COPY(arena, j->near, around.list, around.n_list);
    return MT_OK;
}

/* Divides the conductance of a junction among its unknowns. */
static void share(const search *s, const mt_cables *cables, double total_mS, size_t k, mt_junctions *j)
{
    const double *x = cables->xyz_mm + 3 * (size_t)j->point[k], square = s->radius_mm * s->radius_mm;
    double sum = 0;
    for (size_t i = j->start[k]; i < j->start[k + 1]; i++) {
        const double part = 1 - mt_square3(s->g->xyz_mm + 3 * (size_t)s->list[i], x) / square;
        j->conductance_mS[i] = fmax(part, 0) * s->tissue->diffusion->volume_mm3[s->list[i]];
        sum += j->conductance_mS[i];
    }
    for (size_t i = j->start[k]; i < j->start[k + 1]; i++)
        j->conductance_mS[i] = sum > 0 ? total_mS * (j->conductance_mS[i] / sum) : total_mS;
}

/* Lists the coupled unknowns once, ascending. */
static mt_status number_unknowns(mt_arena *arena, const search *s, mt_junctions *j)
{
    const size_t n_unknowns = mt_unknowns_count(s->tissue->unknowns);
    uint32_t *slot = s->seen; /* no longer needed */
    memset(slot, 0, n_unknowns * sizeof *slot);
    for (size_t i = 0; i < s->n_list; i++) slot[s->list[i]] = 1;
    for (size_t i = 0; i < n_unknowns; i++) j->n_unknowns += slot[i];
    MT_ALLOC(arena, j->unknown, j->n_unknowns);
    MT_ALLOC(arena, j->capacitance_uF, j->n_unknowns);
    uint32_t n = 0;
    for (size_t i = 0; i < n_unknowns; i++) {
        if (!slot[i]) continue;
        j->unknown[n] = (uint32_t)i;
        j->capacitance_uF[n] = s->tissue->membrane_uF_mm3 * s->tissue->diffusion->volume_mm3[i];
        slot[i] = n++;
    }
    for (size_t i = 0; i < s->n_list; i++) j->slot[i] = slot[s->list[i]];
    return MT_OK;
}

mt_status mt_junctions_make(mt_arena *arena, const mt_junctions_tissue *tissue, const mt_cables *cables,
    size_t n, const uint32_t *point, const mt_junctions_rule *rule, mt_junctions *junctions)
{
    MT_SCRATCH(scratch);
    const double reach_mm = fmax(rule->radius_mm, MT_JUNCTION_REACH_MM);
    grid g, whole;
    search s = {.tissue = tissue, .g = &g, .radius_mm = rule->radius_mm, .arena = scratch};
    *junctions = (mt_junctions){0};
    MT_ALLOC(arena, junctions->start, n + 1);
    MT_ALLOC(arena, junctions->point, n);
    MT_ALLOC(arena, junctions->inside, n);
    if (n == 0 || !tissue->unknowns) return MT_OK;
    MT_ALLOC(scratch, s.seen, mt_unknowns_count(tissue->unknowns));
    MT_TRY(make_grid(scratch, tissue->unknowns, cables, n, point, reach_mm, &g));
    if (tissue->whole) {
        MT_TRY(make_grid(scratch, &(mt_unknowns){tissue->whole, false}, cables, n, point, reach_mm, &whole));
        s.whole = &whole;
    }
    MT_TRY(find_junctions(cables, n, point, reach_mm, &s, junctions));
    MT_ALLOC(arena, junctions->slot, s.n_list);
    MT_ALLOC(arena, junctions->conductance_mS, s.n_list);
    MT_TRY(find_near(arena, &s, junctions));
    for (size_t k = 0; k < junctions->n; k++) share(&s, cables, 1 / rule->resistance_kOhm, k, junctions);
    return number_unknowns(arena, &s, junctions);
}
