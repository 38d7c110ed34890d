#include "mesh/files/gmsh_data.h"

#include <stdlib.h>
#include <string.h>

#include "data/core/order.h"

/* Layout follows the Gmsh reference manual, "MSH file format": the counts of string, real and integer tags, each followed by
 * the tags, as text; then "number value ..." for each element or node, in binary an int32 and doubles. */

enum { TAGS_MOST = 1000, COMPONENTS_MOST = 1000, NAME_SIZE = 128 };

typedef struct row {
    int64_t number;
    double value[3];
} row;

/* Reads the first quoted string of the next line, truncated to `size`. */
static void read_quoted(mt_scan *scan, char *name, size_t size)
{
    size_t n = 0;
    mt_scan_next_line(scan);
    while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '"')) scan->at++;
    for (const char *at = scan->at; at < scan->end && *at != '"' && *at != '\n' && *at != '\r'; at++)
        if (n + 1 < size) name[n++] = *at;
    name[n] = 0;
}

typedef struct head {
    char name[NAME_SIZE];
    int64_t components, n;
} head;

static mt_status read_head(mt_scan *scan, head *h)
{
    int64_t n, tag;
    double unused;
    MT_TRY(mt_scan_int(scan, "number of text tags", 0, TAGS_MOST, &n));
    h->name[0] = 0;
    for (int64_t k = 0; k < n; k++) {
        char other[NAME_SIZE];
        read_quoted(scan, k == 0 ? h->name : other, NAME_SIZE);
    }
    mt_scan_next_line(scan);
    MT_TRY(mt_scan_int(scan, "number of real tags", 0, TAGS_MOST, &n));
    for (int64_t k = 0; k < n; k++) MT_TRY(mt_scan_real(scan, "real tag", 1e300, &unused));
    MT_TRY(mt_scan_int(scan, "number of whole tags", 3, TAGS_MOST, &n));
    for (int64_t k = 0; k < n; k++) {
        MT_TRY(mt_scan_int(scan, "whole tag", INT32_MIN, INT32_MAX, &tag));
        if (k == 1) h->components = tag;
        if (k == 2) h->n = tag;
    }
    return MT_OK;
}

MT_ORDER_NUMBERS(by_number, int64_t)

/* Reads n rows of the values of a role, and sorts them by number. */
static mt_status read_rows(mt_arena *arena, mt_scan *scan, size_t n, bool of_nodes, mt_gmsh_data *data)
{
    const size_t each = mt_vtk_components(data->is->role);
    row *rows;
    MT_ALLOC(arena, rows, n);
    for (size_t k = 0; k < n; k++) {
        MT_TRY(mt_scan_int(
            scan, of_nodes ? "node of a value" : "element of a value", 0, INT32_MAX, &rows[k].number));
        for (size_t i = 0; i < each; i++)
            MT_TRY(mt_scan_real(scan, each == 1 ? "region" : "component of a direction",
                each == 1 ? 1e300 : 1e6, &rows[k].value[i]));
    }
    qsort(rows, n, sizeof *rows, by_number);
    MT_ALLOC(arena, data->number, n);
    MT_ALLOC(arena, data->values, each * n);
    for (size_t k = 0; k < n; k++) {
        data->number[k] = rows[k].number;
        memcpy(data->values + each * k, rows[k].value, each * sizeof *data->values);
    }
    data->n = n;
    return MT_OK;
}

mt_status mt_gmsh_data_read(
    mt_arena *arena, mt_scan *scan, bool binary, bool of_nodes, mt_gmsh_arrays *arrays)
{
    head h = {.components = 0};
    MT_TRY(read_head(scan, &h));
    const size_t components = h.components > 0 ? (size_t)h.components : 0;
    const mt_vtk_known *is = mt_vtk_known_find(h.name, components, of_nodes);
    const bool used = is && is->role <= MT_VTK_SHEET;
    mt_gmsh_data *data = used ? (of_nodes ? arrays->of_nodes : arrays->of_elements) + is->role : NULL;
    if (!data || (data->is && data->is <= is)) {
        mt_vtk_unused_add(&arrays->unused, h.name, of_nodes, components);
        return MT_OK;
    }
    if (data->is) mt_vtk_unused_add(&arrays->unused, data->is->name, of_nodes, components);
    if (binary) {
        mt_scan_next_line(scan);
        scan->binary = true;
    }
    const size_t most = mt_scan_left(scan) / (binary ? 4 + 8 * components : 2 + 2 * components) + 1;
    if (h.n < 0 || (size_t)h.n > most)
        return mt_scan_fail(scan, "%lld values of %s are counted; the rest of the file has space for %zu",
            (long long)h.n, h.name, most);
    data->is = is;
    return read_rows(arena, scan, (size_t)h.n, of_nodes, data);
}

const double *mt_gmsh_data_at(const mt_gmsh_data *data, int64_t number)
{
    const int64_t *at =
        data->n > 0 ? bsearch(&number, data->number, data->n, sizeof number, by_number) : NULL;
    return at ? data->values + mt_vtk_components(data->is->role) * (size_t)(at - data->number) : NULL;
}
