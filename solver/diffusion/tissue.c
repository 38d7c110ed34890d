#include "solver/diffusion/tissue.h"

#include <math.h>

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
