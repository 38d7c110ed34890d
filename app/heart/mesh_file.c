#include "app/heart/mesh_file.h"

#include "data/core/progress.h"
#include "mesh/names.h"

#include <string.h>

mt_status mt_read_mesh(mt_arena *arena, const char *path, mt_mesh *mesh)
{
    MT_TRY(mt_mesh_read(arena, path, mesh));
    mt_print_notes(path, mesh->notes);
    return MT_OK;
}

/* Warns of names and groups that a format loses. Surface names are preserved as file names. */
static void warn_of_names(const char *path, const mt_mesh_format *to, const mt_mesh *mesh)
{
    size_t n = 0;
    for (size_t k = 0; k < mesh->n_names; k++) {
        const mt_mesh_name *name = mesh->names + k;
        n += name->dimension != MT_NAMES_FACES || mt_names_surface_of(mesh, name->tag) != name->tag;
    }
    if (to->keeps_names || n + mesh->n_groups == 0) return;
    if (mesh->n_groups == 0)
        mt_warn("%s: %s does not store tag names (%zu are lost)", path, to->name, n);
    else if (n == 0)
        mt_warn("%s: %s does not store groups (%zu are lost)", path, to->name, mesh->n_groups);
    else
        mt_warn("%s: %s does not store tag names (%zu are lost) and groups (%zu are lost)", path, to->name, n,
            mesh->n_groups);
}

mt_status mt_write_mesh(const char *path, const mt_mesh_format *to, const mt_mesh *mesh)
{
    MT_TRY(to->write(path, mesh));
    if ((mesh->depth || mesh->layer) && !to->keeps_depth)
        mt_warn("%s: %s does not store transmural depth and layers", path, to->name);
    if (mesh->segment && !to->keeps_segments) mt_warn("%s: %s does not store segments", path, to->name);
    if (mesh->coordinate[0] && !to->keeps_segments)
        mt_warn("%s: %s does not store ventricular coordinates", path, to->name);
    warn_of_names(path, to, mesh);
    return MT_OK;
}

/* The longest side of a heart is 20 mm (ventricles of a rabbit) to 300 mm (a large human heart). Beyond, the unit is probably wrong
 * by a factor of ten or more. */
static const double heart_mm[2] = {20, 300};

/* Suggests the unit in which a heart has this length; "" if there is none. */
static const char *likely_unit(double length_mm)
{
    static const struct {
        double mm;
        const char *advice;
    } units[] = {{1e-3, "; this appears to be in micrometres (--unit um)"},
        {10, "; this appears to be in centimetres (--unit cm)"},
        {1000, "; this appears to be in metres (--unit m)"}};
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (length_mm * units[k].mm >= heart_mm[0] && length_mm * units[k].mm <= heart_mm[1])
            return units[k].advice;
    return "";
}

void mt_warn_of_size(const char *path, const double low_mm[3], const double high_mm[3])
{
    const double longest_mm = mt_scale_extent_mm(low_mm, high_mm);
    if (longest_mm >= heart_mm[0] && longest_mm <= heart_mm[1]) return;
    mt_warn("%s: the longest side is %g mm; usual for a heart: %g to %g mm; check --unit%s", path, longest_mm,
        heart_mm[0], heart_mm[1], likely_unit(longest_mm));
}

void mt_warn_of_scale(const char *path, const double low_mm[3], const double high_mm[3])
{
    const double longest_mm = mt_scale_extent_mm(low_mm, high_mm);
    if (longest_mm >= MT_SCALE_LEAST_MM && longest_mm <= MT_SCALE_MOST_MM) return;
    mt_warn("%s: the longest side is %g mm; usual: %g to %g mm%s", path, longest_mm, MT_SCALE_LEAST_MM,
        MT_SCALE_MOST_MM, likely_unit(longest_mm));
}
