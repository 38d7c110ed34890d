#include "mesh/vtk/vtkhdf_grid.h"

#include <string.h>

const char mt_vtkhdf_type[] = "UnstructuredGrid";
const char mt_vtkhdf_names[] = "VTKHDF/FieldData/names";

bool mt_vtkhdf_is_own(const char *name)
{
    static const char *const own[] = {
        "region", "fibre", "sheet", "normal", "depth", "layer", "segment", "groups", "ipu", "tile"};
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (strcmp(name, own[k]) == 0) return true;
    for (size_t k = 0; k < MT_COORDINATES; k++)
        if (strcmp(name, mt_coordinate_name[k]) == 0) return true;
    return false;
}

mt_status mt_vtkhdf_read_names(mt_arena *scratch, mt_h5 *h5, size_t *n, const char **text)
{
    char *bytes;
    bool there;
    *text = NULL;
    MT_TRY(mt_h5_has(h5, mt_vtkhdf_names, &there));
    if (!there) return MT_OK;
    MT_TRY(mt_h5_shape(h5, mt_vtkhdf_names, 1, n));
    MT_ALLOC(scratch, bytes, *n);
    *text = bytes;
    return mt_h5_read(h5, mt_vtkhdf_names, MT_H5_UINT8, 1, n, bytes);
}

mt_status mt_vtkhdf_check_name(const char *path)
{
    size_t n = strlen(path);
    if (n > 4 && strcmp(path + n - 4, ".hdf") == 0) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: name of a mesh file to write; allowed: names ending in .hdf, the only ones that ParaView 5.11 "
        "opens",
        path);
}

mt_status mt_vtkhdf_check_field(const char *name)
{
    if (*name && !strchr(name, '/') && strcmp(name, ".") != 0 && strlen(name) <= 200) return MT_OK;
    return mt_fail(MT_INPUT, "element field '%.200s'; allowed: 1 to 200 characters without '/'", name);
}

static mt_status write_count(mt_h5 *h5, mt_vtkhdf_put *put, const char *name, size_t count)
{
    return put(h5, name, MT_H5_INT64, 1, (size_t[]){1}, NULL, (int64_t[]){(int64_t)count});
}

static mt_status write_elements(mt_arena *scratch, mt_h5 *h5, const mt_mesh *mesh, mt_vtkhdf_put *put)
{
    uint8_t *types;
    int64_t *offsets;
    size_t n = mesh->n_elements;
    MT_ALLOC(scratch, types, n);
    MT_ALLOC(scratch, offsets, n + 1);
    for (size_t c = 0; c <= n; c++) offsets[c] = (int64_t)(4 * c);
    memset(types, MT_VTK_TETRA, n);
    MT_TRY(put(h5, "VTKHDF/Connectivity", MT_H5_UINT32, 1, (size_t[]){4 * n}, NULL, mesh->element_vertex));
    MT_TRY(put(h5, "VTKHDF/Offsets", MT_H5_INT64, 1, (size_t[]){n + 1}, NULL, offsets));
    return put(h5, "VTKHDF/Types", MT_H5_UINT8, 1, (size_t[]){n}, NULL, types);
}

mt_status mt_vtkhdf_put_grid(
    mt_arena *scratch, mt_h5 *h5, const mt_mesh *mesh, int64_t version, mt_vtkhdf_put *put)
{
    MT_TRY(mt_h5_group(h5, "VTKHDF"));
    MT_TRY(mt_h5_write_integers(h5, "VTKHDF", "Version", 2, (int64_t[]){version, 0}));
    MT_TRY(mt_h5_write_text(h5, "VTKHDF", "Type", mt_vtkhdf_type));
    MT_TRY(write_count(h5, put, "VTKHDF/NumberOfPoints", mesh->n_vertices));
    MT_TRY(write_count(h5, put, "VTKHDF/NumberOfCells", mesh->n_elements));
    MT_TRY(write_count(h5, put, "VTKHDF/NumberOfConnectivityIds", 4 * mesh->n_elements));
    MT_TRY(put(h5, "VTKHDF/Points", MT_H5_DOUBLE, 2, (size_t[]){mesh->n_vertices, 3}, "mm", mesh->xyz_mm));
    return write_elements(scratch, h5, mesh, put);
}

mt_status mt_vtkhdf_put_notes(mt_h5 *h5, size_t n, const mt_vtkhdf_note *notes)
{
    static const char run[] = "run";
    if (n > 0) MT_TRY(mt_h5_group(h5, run));
    for (size_t k = 0; k < n; k++)
        MT_TRY(notes[k].text ? mt_h5_write_text(h5, run, notes[k].name, notes[k].text)
                             : mt_h5_write_number(h5, run, notes[k].name, notes[k].number));
    return MT_OK;
}
