#include "mesh/vtk/vtk_grid.h"

enum { POLY_VERTEX = 2, LINE = 3, POLY_LINE = 4 };

static bool is_line(const mt_vtk_cells *cells, size_t k)
{
    const int type = mt_vtk_cells_type(cells, k);
    return type == LINE || type == POLY_LINE;
}

/* Checks the number of points of a line. */
static mt_status check_line(const mt_vtk_grid *grid, const mt_vtk_cells *cells, size_t k, size_t cell)
{
    const bool single = mt_vtk_cells_type(cells, k) == LINE;
    const size_t n = mt_vtk_cells_points(cells, k);
    if (single ? n == 2 : n >= 2) return MT_OK;
    return mt_fail(MT_INPUT, "%s: cell %zu, a %s, has %zu points; allowed: %s", grid->path, cell,
        single ? "line" : "poly line", n, single ? "2" : "2 or more");
}

/* Checks all cells, and counts segments, surface and volume cells, and all cells that are not lines. */
static mt_status count(const mt_vtk_grid *grid, mt_lines *lines, size_t *n_others)
{
    size_t cell = 0, n_segments = 0, n_solids = 0;
    *n_others = 0;
    for (const mt_vtk_cells *cells = grid->cells; cells; cells = cells->next)
        for (size_t k = 0; k < cells->n; k++, cell++) {
            MT_TRY(mt_vtk_grid_check_cell(grid, cells, k, cell));
            if (is_line(cells, k)) {
                MT_TRY(check_line(grid, cells, k, cell));
                n_segments += mt_vtk_cells_points(cells, k) - 1;
                continue;
            }
            ++*n_others;
            n_solids += mt_vtk_cells_type(cells, k) > POLY_VERTEX;
        }
    lines->n_segments = n_segments;
    lines->n_solids = n_solids;
    if (n_segments > 0) return MT_OK;
    return mt_fail(MT_INPUT, "%s: has no lines among its %zu cells; allowed: lines (VTK's types 3 and 4)",
        grid->path, cell);
}

static mt_status make_arrays(mt_arena *arena, const mt_vtk_grid *grid, mt_lines *lines)
{
    if (grid->n_points >= UINT32_MAX)
        return mt_fail(
            MT_INPUT, "%s: %zu points; allowed: fewer than %u", grid->path, grid->n_points, UINT32_MAX);
    lines->n_points = grid->n_points;
    lines->path = grid->path;
    MT_ALLOC(arena, lines->xyz_mm, 3 * lines->n_points);
    MT_ALLOC(arena, lines->segment_point, 2 * lines->n_segments);
    MT_ALLOC(arena, lines->place, lines->n_segments);
    if (grid->of_cells[MT_VTK_RADIUS].is) MT_ALLOC(arena, lines->radius_mm, lines->n_segments);
    if (grid->of_cells[MT_VTK_KIND].is || grid->of_cells[MT_VTK_REGION].is)
        MT_ALLOC(arena, lines->kind, lines->n_segments);
    return MT_OK;
}

/* Stores the segments of a line from number *n on, and counts them. */
static mt_status put_line(const mt_vtk_grid *grid, const mt_vtk_cells *cells, size_t k, size_t cell,
    double unit_mm, mt_lines *lines, size_t *n)
{
    const size_t begin = mt_vtk_cells_begin(cells, k), n_points = mt_vtk_cells_points(cells, k);
    const mt_vtk_role role = grid->of_cells[MT_VTK_KIND].is ? MT_VTK_KIND : MT_VTK_REGION;
    int64_t kind = 0;
    if (lines->kind) MT_TRY(mt_vtk_grid_whole(grid, role, cell, INT32_MIN, INT32_MAX, &kind));
    for (size_t i = 1; i < n_points; i++, ++*n) {
        uint32_t *point = lines->segment_point + 2 * *n;
        MT_TRY(mt_vtk_grid_corner(grid, cells, begin + i - 1, cell, &point[0]));
        MT_TRY(mt_vtk_grid_corner(grid, cells, begin + i, cell, &point[1]));
        lines->place[*n] = cell;
        if (lines->radius_mm) lines->radius_mm[*n] = unit_mm * grid->of_cells[MT_VTK_RADIUS].values[cell];
        if (lines->kind) lines->kind[*n] = (int32_t)kind;
    }
    return MT_OK;
}

static mt_status put_lines(const mt_vtk_grid *grid, double unit_mm, mt_lines *lines)
{
    size_t cell = 0, n = 0;
    for (const mt_vtk_cells *cells = grid->cells; cells; cells = cells->next)
        for (size_t k = 0; k < cells->n; k++, cell++)
            if (is_line(cells, k)) MT_TRY(put_line(grid, cells, k, cell, unit_mm, lines, &n));
    return MT_OK;
}

static mt_status add_notes(mt_arena *arena, const mt_vtk_grid *grid, size_t n_others, mt_lines *lines)
{
    mt_vtk_unused unused = grid->unused;
    const mt_vtk_known *region = grid->of_cells[MT_VTK_REGION].is;
    if (region && grid->of_cells[MT_VTK_KIND].is) mt_vtk_unused_add(&unused, region->name, false, 1);
    if (n_others > 0)
        MT_TRY(mt_notes_add(
            arena, &lines->notes, "cells other than lines (VTK's types 3 and 4), not used: %zu", n_others));
    return mt_vtk_unused_note(arena, &unused, &lines->notes);
}

mt_status mt_vtk_grid_lines(mt_arena *arena, const mt_vtk_grid *grid, double unit_mm, mt_lines *lines)
{
    size_t n_others;
    MT_TRY(count(grid, lines, &n_others));
    MT_TRY(make_arrays(arena, grid, lines));
    MT_TRY(mt_vtk_grid_coordinates(grid, unit_mm, lines->xyz_mm));
    MT_TRY(put_lines(grid, unit_mm, lines));
    return add_notes(arena, grid, n_others, lines);
}
