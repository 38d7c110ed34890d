#include "solver/diffusion/tissue.h"

#include <math.h>
#include <stdbool.h>

#include "data/core/vec3.h"

const mt_tissue mt_tissue_default = {
    .sigma_l_mS_mm = 0.17 * 0.62 / (0.17 + 0.62),
    .sigma_t_mS_mm = 0.019 * 0.24 / (0.019 + 0.24),
    .chi_per_mm = 140,
    .cm_uF_mm2 = 0.01,
};

mt_status mt_tissue_check(const mt_tissue *tissue)
{
    const char *names[] = {"sigma_l_mS_mm", "sigma_t_mS_mm", "chi_per_mm", "cm_uF_mm2", "sigma_n_mS_mm"};
    const double values[] = {tissue->sigma_l_mS_mm, tissue->sigma_t_mS_mm, tissue->chi_per_mm,
        tissue->cm_uF_mm2, tissue->sigma_n_mS_mm};
    const size_t n = sizeof values / sizeof values[0] - (tissue->sigma_n_mS_mm == 0);
    for (size_t k = 0; k < n; k++)
        if (!(values[k] > 0) || !isfinite(values[k]))
            return mt_fail(MT_INPUT, "%s is %g; it must be finite and above 0", names[k], values[k]);
    return MT_OK;
}

mt_status mt_tissues_check(const mt_tissues *tissues, size_t n_elements)
{
    if (tissues->n == 0) return mt_fail(MT_INPUT, "no tissue; at least one is needed");
    for (size_t k = 0; k < tissues->n; k++) MT_TRY(mt_tissue_check(&tissues->tissue[k]));
    for (size_t c = 0; tissues->of && c < n_elements; c++)
        if (tissues->of[c] >= tissues->n)
            return mt_fail(MT_INPUT, "element %zu is of tissue %u; there are %zu, from 0", c, tissues->of[c],
                tissues->n);
    return MT_OK;
}

mt_tissues mt_tissues_uniform(const mt_tissue *tissue) { return (mt_tissues){.n = 1, .tissue = tissue}; }

double mt_tissue_diffusivity_l(const mt_tissue *tissue)
{
    return tissue->sigma_l_mS_mm / (tissue->chi_per_mm * tissue->cm_uF_mm2);
}

double mt_tissue_diffusivity_t(const mt_tissue *tissue)
{
    return tissue->sigma_t_mS_mm / (tissue->chi_per_mm * tissue->cm_uF_mm2);
}

double mt_tissue_diffusivity_n(const mt_tissue *tissue)
{
    return tissue->sigma_n_mS_mm > 0 ? tissue->sigma_n_mS_mm / (tissue->chi_per_mm * tissue->cm_uF_mm2)
                                     : mt_tissue_diffusivity_t(tissue);
}

/* Finds fibres and sheets, if a tissue needs them. */
static mt_status find_directions(mt_arena *arena, const mt_mesh *mesh, mt_tissue_field *field)
{
    mt_mesh any = {.n_elements = mesh->n_elements};
    bool along = false, normal = false;
    for (size_t k = 0; k < field->n; k++) {
        along |= field->tissue[k].d[0] != field->tissue[k].d[1];
        normal |= field->tissue[k].d[2] != field->tissue[k].d[1];
    }
    if (normal && !mesh->sheet)
        return mt_fail(MT_INPUT,
            "the mesh has no sheets, which orthotropic tissue requires (conductivity normal to the "
            "sheets differs from the transverse one); `myotile mesh fibres` writes them");
    field->sheet = normal ? mesh->sheet : NULL;
    field->fibre = mesh->fibre;
    if (field->fibre) return MT_OK;
    if (along)
        return mt_fail(MT_INPUT, "the mesh has no fibres, which anisotropic tissue requires; `myotile mesh "
                                 "fibres` writes them; isotropic tissue needs none");
    MT_TRY(mt_mesh_new_fibres(arena, &any));
    field->fibre = any.fibre;
    return MT_OK;
}

mt_status mt_tissue_field_make(
    mt_arena *arena, const mt_mesh *mesh, const mt_tissues *tissues, mt_tissue_field *field)
{
    mt_tissue_axes *axes;
    const mt_tissue *first = &tissues->tissue[0];
    MT_ALLOC(arena, axes, tissues->n);
    for (size_t k = 0; k < tissues->n; k++) {
        mt_tissue here = tissues->tissue[k];
        axes[k].capacity = here.chi_per_mm * here.cm_uF_mm2 / (first->chi_per_mm * first->cm_uF_mm2);
        here.chi_per_mm = first->chi_per_mm, here.cm_uF_mm2 = first->cm_uF_mm2;
        axes[k].d[0] = mt_tissue_diffusivity_l(&here);
        axes[k].d[1] = mt_tissue_diffusivity_t(&here);
        axes[k].d[2] = mt_tissue_diffusivity_n(&here);
    }
    *field = (mt_tissue_field){.n = tissues->n, .tissue = axes, .of = tissues->of};
    return find_directions(arena, mesh, field);
}

void mt_tissue_field_tensor(
    const mt_tissue_field *field, size_t element, const double of_axis[3], double tensor[3][3])
{
    const double *fibre = field->fibre + 3 * element;
    mt_tissue_tensor(of_axis[0], of_axis[1], fibre, tensor);
    if (field->sheet)
        mt_tissue_tensor_add_normal(of_axis[2] - of_axis[1], fibre, field->sheet + 3 * element, tensor);
}

void mt_tissue_tensor(double along, double across, const double fibre[3], double tensor[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            tensor[i][j] = (i == j ? across : 0) + (along - across) * fibre[i] * fibre[j];
}

void mt_tissue_tensor_add_normal(
    double more, const double fibre[3], const double sheet[3], double tensor[3][3])
{
    double normal[3];
    mt_cross3(fibre, sheet, normal);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) tensor[i][j] += more * normal[i] * normal[j];
}
