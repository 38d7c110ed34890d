#include "solver/tissue/sites.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/core/number.h"
#include "data/files/scan.h"

enum { X, Y, Z, START, RADIUS, COLUMNS };

static const char *const column_name[COLUMNS] = {"x_mm", "y_mm", "z_mm", "start_ms", "radius_mm"};
static const char all_columns[] = "x_mm, y_mm, z_mm, start_ms, radius_mm";

enum { CELL = 64 }; /* bytes of the longest cell, including the NUL */

/* Reads the next cell of a line, without surrounding blanks; false at the end of the line. `first`: first cell of the line. */
static bool next_cell(mt_scan *scan, bool first, char cell[CELL])
{
    const char *end = scan->at;
    if (!first && (scan->at == scan->end || *scan->at != ',')) return false;
    if (!first) end = ++scan->at;
    while (end < scan->end && !strchr(",\n#", *end)) end++;
    const char *begin = scan->at;
    scan->at = end;
    while (begin < end && strchr(" \t\r", *begin)) begin++;
    while (end > begin && strchr(" \t\r", end[-1])) end--;
    (void)snprintf(cell, CELL, "%.*s", (int)(end - begin), begin);
    return true;
}

/* Moves to the beginning of the next line that is not empty; false at the end of the file. */
static bool next_line(mt_scan *scan)
{
    while (scan->at < scan->end && !mt_scan_more(scan)) mt_scan_next_line(scan);
    return scan->at < scan->end;
}

/* Reads the header line: the column of each cell, and the number of cells. */
static mt_status read_head(mt_scan *scan, size_t *n, int of_cell[COLUMNS])
{
    char cell[CELL];
    bool has[COLUMNS] = {false};
    *n = 0;
    while (next_cell(scan, *n == 0, cell)) {
        int k = 0;
        while (k < COLUMNS && strcmp(cell, column_name[k]) != 0) k++;
        if (k == COLUMNS) return mt_scan_fail(scan, "column '%s'; allowed: %s", cell, all_columns);
        if (has[k]) return mt_scan_fail(scan, "duplicate column %s", cell);
        has[k] = true;
        of_cell[(*n)++] = k;
    }
    for (int k = X; k <= Z; k++)
        if (!has[k]) return mt_scan_fail(scan, "no column %s; needed: x_mm, y_mm and z_mm", column_name[k]);
    return MT_OK;
}

static mt_status read_cell(const mt_scan *scan, int column, const char *cell, mt_site *site)
{
    double *const to[COLUMNS] = {
        site->xyz_mm, site->xyz_mm + 1, site->xyz_mm + 2, &site->start_ms, &site->radius_mm};
    if (!*cell && column >= START) return MT_OK;
    const bool is_number = mt_number_read(cell, to[column]);
    if (is_number && (column != START || site->start_ms >= 0) && (column != RADIUS || site->radius_mm > 0))
        return MT_OK;
    return mt_scan_fail(scan, "%s is '%s'; allowed: a number%s", column_name[column], cell,
        column == START    ? ", at least 0"
        : column == RADIUS ? " above 0"
                           : "");
}

static mt_status read_site(mt_scan *scan, size_t n, const int of_cell[COLUMNS], mt_site *site)
{
    char cell[CELL];
    size_t k = 0;
    *site = (mt_site){.radius_mm = NAN, .line = scan->line};
    for (; next_cell(scan, k == 0, cell); k++) {
        if (k == n) return mt_scan_fail(scan, "more fields than the %zu of the header", n);
        MT_TRY(read_cell(scan, of_cell[k], cell, site));
    }
    return k == n ? MT_OK : mt_scan_fail(scan, "%zu fields; allowed: %zu, as in the header", k, n);
}

mt_status mt_sites_read(mt_arena *arena, const char *path, size_t most, size_t *n, mt_site **sites)
{
    MT_SCRATCH(scratch);
    mt_scan scan;
    size_t n_cells;
    int of_cell[COLUMNS];
    MT_TRY(mt_scan_open(scratch, path, &scan));
    scan.comment = '#';
    MT_ALLOC(arena, *sites, most);
    if (!next_line(&scan))
        return mt_scan_fail(&scan, "the file is empty; needed: a header with columns: %s", all_columns);
    MT_TRY(read_head(&scan, &n_cells, of_cell));
    mt_scan_next_line(&scan);
    for (*n = 0; next_line(&scan); ++*n) {
        if (*n == most) return mt_scan_fail(&scan, "more than %zu sites; allowed: at most this number", most);
        MT_TRY(read_site(&scan, n_cells, of_cell, &(*sites)[*n]));
        mt_scan_next_line(&scan);
    }
    return *n > 0 ? MT_OK : mt_scan_fail(&scan, "no sites; needed: at least one");
}
