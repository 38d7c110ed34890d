#include "mesh/files/formats.h"

#include <stdio.h>
#include <string.h>

#include "mesh/files/carp.h"
#include "mesh/files/gmsh.h"
#include "mesh/files/obj.h"
#include "mesh/files/stl.h"
#include "mesh/files/tetgen.h"
#include "mesh/vtk/vtk.h"
#include "mesh/vtk/vtkhdf.h"
#include "mesh/vtk/xdmf.h"

static mt_status write_vtkhdf(const char *path, const mt_mesh *mesh)
{
    return mt_vtkhdf_write(path, mesh, 0, NULL);
}

static const mt_mesh_format formats[] = {
    {".hdf", "VTKHDF", "mm", true, true, true, mt_vtkhdf_read_in, write_vtkhdf, mt_file_check,
        mt_vtkhdf_stated_unit},
    {".msh", "MSH", "mm", false, false, true, mt_gmsh_read, mt_gmsh_write, mt_file_check, NULL},
    {".pts", "CARP", "um", false, false, false, mt_carp_read, mt_carp_write, mt_carp_check, NULL},
    {".elem", "CARP", "um", false, false, false, mt_carp_read, mt_carp_write, mt_carp_check, NULL},
    {".vtu", "VTK XML", "mm", true, false, true, mt_vtu_read, mt_vtu_write, mt_file_check, NULL},
    {".vtp", "VTK XML", "mm", true, false, true, mt_vtu_read, NULL, NULL, NULL},
    {".vtk", "VTK", "mm", true, false, true, mt_vtk_read, NULL, NULL, NULL},
    {".xdmf", "XDMF", "mm", true, false, true, mt_xdmf_read, NULL, NULL, mt_xdmf_stated_unit},
    {".xmf", "XDMF", "mm", true, false, true, mt_xdmf_read, NULL, NULL, mt_xdmf_stated_unit},
    {".node", "TetGen", "mm", false, false, false, mt_tetgen_read, NULL, NULL, NULL},
    {".ele", "TetGen", "mm", false, false, false, mt_tetgen_read, NULL, NULL, NULL},
    {".obj", "OBJ", "mm", false, false, false, mt_obj_read, NULL, NULL, NULL},
    {".stl", "STL", "mm", false, false, false, mt_stl_read, NULL, NULL, NULL},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

/* Lists the formats as ".hdf (VTKHDF), .msh (MSH), ...". */
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
    char allowed[384];
    list_formats(to_write, allowed, sizeof allowed);
    for (int f = 0; f < N_FORMATS; f++) {
        const size_t m = strlen(formats[f].ending);
        if (n <= m || strcmp(path + n - m, formats[f].ending) != 0) continue;
        *format = &formats[f];
        if (!to_write || formats[f].write) return MT_OK;
        return mt_fail(MT_INPUT, "%s: %s files can only be read; allowed for writing: %s", path,
            formats[f].ending, allowed);
    }
    return mt_fail(MT_INPUT, "%s: unknown file name extension; allowed: %s", path, allowed);
}

mt_status mt_mesh_format_check(const char *path, mt_file_replace replace, const mt_mesh_format **format)
{
    MT_TRY(mt_mesh_format_find(path, true, format));
    return (*format)->check(path, replace);
}

mt_status mt_mesh_unit(const char *path, const mt_mesh_format *format, const char *asked, double *unit_mm)
{
    char stated[MT_UNIT_SIZE] = "";
    double stated_mm;
    MT_TRY(mt_unit_mm(asked ? asked : format->unit, unit_mm));
    if (format->stated_unit) MT_TRY(format->stated_unit(path, stated));
    if (!stated[0]) return MT_OK;
    MT_TRY(mt_unit_mm(stated, &stated_mm));
    if (asked && stated_mm != *unit_mm)
        return mt_fail(MT_INPUT,
            "%s: --unit %s, but the file states %s; allowed: %s, or no --unit; if the stated unit is wrong, "
            "convert the original again",
            path, asked, stated, stated);
    *unit_mm = stated_mm;
    return MT_OK;
}

mt_status mt_mesh_read_as(
    mt_arena *arena, const char *path, const mt_mesh_format *format, double unit_mm, mt_mesh *mesh)
{
    MT_TRY(format->read(arena, path, unit_mm, mesh));
    if (mesh->n_elements == 0)
        return mt_fail(MT_INPUT,
            "%s: a surface of %zu triangles without elements; `myotile mesh fill` generates a mesh from it",
            path, mesh->n_faces);
    return MT_OK;
}

mt_status mt_mesh_read(mt_arena *arena, const char *path, mt_mesh *mesh)
{
    const mt_mesh_format *format = NULL;
    double unit_mm = 1;
    MT_TRY(mt_mesh_format_find(path, false, &format));
    MT_TRY(mt_mesh_unit(path, format, NULL, &unit_mm));
    MT_TRY(mt_mesh_read_as(arena, path, format, unit_mm, mesh));
    const mt_status status = mt_mesh_check(mesh);
    if (status == MT_OK) return MT_OK;
    return mt_fail(
        status, "%s: %s; `myotile mesh convert %s OUT.hdf --repair` may repair it", path, mt_message(), path);
}
