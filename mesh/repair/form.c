#include "mesh/repair/form.h"

#include <math.h>

#include "data/core/vec3.h"

/* largest |6 V| of a flat element, relative to the cube of its longest edge */
static const double FLAT = 1e-6;

bool mt_form_repeats(const mt_mesh *mesh, size_t element)
{
    const uint32_t *v = mesh->element_vertex + 4 * element;
    return v[0] == v[1] || v[0] == v[2] || v[0] == v[3] || v[1] == v[2] || v[1] == v[3] || v[2] == v[3];
}

static double longest_edge(const mt_mesh *mesh, size_t element)
{
    double most = 0;
    for (size_t i = 0; i < 4; i++)
        for (size_t j = i + 1; j < 4; j++) {
            const double *a = mesh->xyz_mm + 3 * (size_t)mesh->element_vertex[4 * element + i];
            const double *b = mesh->xyz_mm + 3 * (size_t)mesh->element_vertex[4 * element + j];
            most = fmax(most, mt_square3(a, b));
        }
    return sqrt(most);
}

/* An element also counts as flat if its volume is not finite or underflows. */
mt_form mt_form_of(const mt_mesh *mesh, size_t element)
{
    if (mt_form_repeats(mesh, element)) return MT_FORM_REPEATED;
    const double volume = mt_mesh_volume_mm3(mesh, element), edge = longest_edge(mesh, element);
    if (!(fabs(6 * volume) > FLAT * (edge * edge * edge)) || !isfinite(volume)) return MT_FORM_FLAT;
    return volume < 0 ? MT_FORM_INVERTED : MT_FORM_SOUND;
}
