#include "mesh/formats.h"

#include <string.h>

#include "mesh/carp.h"
#include "mesh/gmsh.h"
#include "mesh/obj.h"
#include "mesh/stl.h"
#include "mesh/vtkhdf.h"

static mt_status read_vtkhdf(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh)
{
    MT_TRY(mt_vtkhdf_read(arena, path, mesh));
    if (unit_mm == 1) return MT_OK;
    for (size_t k = 0; k < 3 * mesh->n_vertices; k++) mesh->xyz_mm[k] *= unit_mm;
    return mt_mesh_check(mesh); /* cells may vanish */
}

static mt_status write_vtkhdf(const char *path, const mt_mesh *mesh)
{
    return mt_vtkhdf_write(path, mesh, 0, NULL);
}

static mt_status refuse_surface(const char *path, const mt_mesh *mesh)
{
    return mt_fail(
        MT_INPUT, "%s: no place for %zu cells; surfaces (.obj, .stl) are only read", path, mesh->n_cells);
}

static const mt_mesh_format formats[] = {
    {".hdf", "VTKHDF", "mm", true, true, read_vtkhdf, write_vtkhdf},
    {".msh", "MSH", "mm", false, true, mt_gmsh_read, mt_gmsh_write},
    {".pts", "CARP", "um", true, false, mt_carp_read, mt_carp_write},
    {".elem", "CARP", "um", true, false, mt_carp_read, mt_carp_write},
    {".obj", "OBJ", "mm", false, true, mt_obj_read, refuse_surface},
    {".stl", "STL", "mm", false, true, mt_stl_read, refuse_surface},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

mt_status mt_mesh_format_find(const char *path, const mt_mesh_format **format)
{
    const size_t n = strlen(path);
    for (int f = 0; f < N_FORMATS; f++) {
        const size_t m = strlen(formats[f].ending);
        if (n <= m || strcmp(path + n - m, formats[f].ending) != 0) continue;
        *format = &formats[f];
        return MT_OK;
    }
    return mt_fail(MT_INPUT,
        "%s: the ending tells the format; allowed: .hdf, .msh (Gmsh), .pts or .elem (CARP), .obj or .stl "
        "(surfaces)",
        path);
}

mt_status mt_mesh_need_cells(const char *path, const mt_mesh *mesh)
{
    if (mesh->n_cells > 0) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: a surface of %zu triangles without cells; myotile mesh fill makes a mesh of it", path,
        mesh->n_faces);
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

mt_status mt_mesh_read(mt_arena *arena, const char *path, mt_mesh *mesh)
{
    const mt_mesh_format *format = NULL;
    double unit_mm = 1;
    MT_TRY(mt_mesh_format_find(path, &format));
    MT_TRY(mt_unit_mm(format->unit, &unit_mm));
    MT_TRY(format->read(arena, path, unit_mm, mesh));
    return mt_mesh_need_cells(path, mesh);
}
