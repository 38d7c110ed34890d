#include "mesh/files/formats.h"

#include <stdio.h>
#include <string.h>

#include "mesh/files/carp.h"
#include "mesh/files/gmsh.h"
#include "mesh/files/obj.h"
#include "mesh/files/stl.h"
#include "mesh/files/tetgen.h"
#include "mesh/files/vtk.h"
#include "mesh/files/vtkhdf.h"

static mt_status read_vtkhdf(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh)
{
    MT_TRY(mt_vtkhdf_read(arena, path, mesh));
    if (unit_mm == 1) return MT_OK;
    for (size_t k = 0; k < 3 * mesh->n_vertices; k++) mesh->xyz_mm[k] *= unit_mm;
    return mt_mesh_check_content(mesh, path); /* coordinates may overflow */
}

static mt_status write_vtkhdf(const char *path, const mt_mesh *mesh)
{
    return mt_vtkhdf_write(path, mesh, 0, NULL);
}

static const mt_mesh_format formats[] = {
    {".hdf", "VTKHDF", "mm", true, true, read_vtkhdf, write_vtkhdf, mt_file_check},
    {".msh", "MSH", "mm", false, false, mt_gmsh_read, mt_gmsh_write, mt_file_check},
    {".pts", "CARP", "um", true, false, mt_carp_read, mt_carp_write, mt_carp_check},
    {".elem", "CARP", "um", true, false, mt_carp_read, mt_carp_write, mt_carp_check},
    {".vtu", "VTK XML", "mm", true, true, mt_vtu_read, mt_vtu_write, mt_file_check},
    {".vtp", "VTK XML", "mm", true, true, mt_vtu_read, NULL, NULL},
    {".vtk", "VTK", "mm", true, true, mt_vtk_read, NULL, NULL},
    {".node", "TetGen", "mm", true, false, mt_tetgen_read, NULL, NULL},
    {".ele", "TetGen", "mm", true, false, mt_tetgen_read, NULL, NULL},
    {".obj", "OBJ", "mm", false, false, mt_obj_read, NULL, NULL},
    {".stl", "STL", "mm", false, false, mt_stl_read, NULL, NULL},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

/* The formats there are, as ".hdf (VTKHDF), .msh (MSH), ...". */
static void list_formats(bool to_write, char *out, size_t size)
{
    size_t n = 0;
    for (int f = 0; f < N_FORMATS; f++) {
        if (n >= size || (to_write && !formats[f].write)) continue;
        const int more =
            snprintf(out + n, size - n, "%s%s (%s)", n > 0 ? ", " : "", formats[f].ending, formats[f].name);
        n += more > 0 ? (size_t)more : 0;
    }
}

mt_status mt_mesh_format_find(const char *path, bool to_write, const mt_mesh_format **format)
{
    const size_t n = strlen(path);
    char allowed[256];
    list_formats(to_write, allowed, sizeof allowed);
    for (int f = 0; f < N_FORMATS; f++) {
        const size_t m = strlen(formats[f].ending);
        if (n <= m || strcmp(path + n - m, formats[f].ending) != 0) continue;
        *format = &formats[f];
        if (!to_write || formats[f].write) return MT_OK;
        return mt_fail(
            MT_INPUT, "%s: %s files are only read; to write: %s", path, formats[f].ending, allowed);
    }
    return mt_fail(MT_INPUT, "%s: the ending tells the format; allowed: %s", path, allowed);
}

mt_status mt_mesh_format_check(const char *path, mt_file_replace replace, const mt_mesh_format **format)
{
    MT_TRY(mt_mesh_format_find(path, true, format));
    return (*format)->check(path, replace);
}

mt_status mt_unit_mm(const char *name, double *mm)
{
    static const struct {
        const char *name;
        double mm;
    } units[] = {{"um", 1e-3}, {"mm", 1}, {"cm", 10}, {"m", 1000}};
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        if (strcmp(name, units[u].name) == 0) {
            *mm = units[u].mm;
            return MT_OK;
        }
    return mt_fail(MT_INPUT, "unit %s; allowed: um, mm, cm, m", name);
}

mt_status mt_mesh_read_as(
    mt_arena *arena, const char *path, const mt_mesh_format *format, double unit_mm, mt_mesh *mesh)
{
    MT_TRY(format->read(arena, path, unit_mm, mesh));
    if (mesh->n_elements == 0)
        return mt_fail(MT_INPUT,
            "%s: a surface of %zu triangles without elements; `myotile mesh fill` makes a mesh of it", path,
            mesh->n_faces);
    return MT_OK;
}

mt_status mt_mesh_read(mt_arena *arena, const char *path, mt_mesh *mesh)
{
    const mt_mesh_format *format = NULL;
    double unit_mm = 1;
    MT_TRY(mt_mesh_format_find(path, false, &format));
    MT_TRY(mt_unit_mm(format->unit, &unit_mm));
    MT_TRY(mt_mesh_read_as(arena, path, format, unit_mm, mesh));
    const mt_status status = mt_mesh_check(mesh);
    if (status == MT_OK) return MT_OK;
    return mt_fail(
        status, "%s: %s; `myotile mesh convert %s OUT.hdf --repair` may mend it", path, mt_message(), path);
}
