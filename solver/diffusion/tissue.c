#include "solver/diffusion/tissue.h"

#include <math.h>

const mt_tissue mt_tissue_usual = {
    .sigma_l_mS_mm = 0.17 * 0.62 / (0.17 + 0.62),
    .sigma_t_mS_mm = 0.019 * 0.24 / (0.019 + 0.24),
    .chi_per_mm = 140,
    .cm_uF_mm2 = 0.01,
};

mt_status mt_tissue_check(const mt_tissue *tissue)
{
    const char *names[4] = {"sigma_l_mS_mm", "sigma_t_mS_mm", "chi_per_mm", "cm_uF_mm2"};
    const double values[4] = {
        tissue->sigma_l_mS_mm, tissue->sigma_t_mS_mm, tissue->chi_per_mm, tissue->cm_uF_mm2};
    for (int k = 0; k < 4; k++)
        if (!(values[k] > 0) || !isfinite(values[k]))
            return mt_fail(MT_INPUT, "%s is %g; it must be finite and above 0", names[k], values[k]);
    return MT_OK;
}

double mt_tissue_diffusivity_l(const mt_tissue *tissue)
{
    return tissue->sigma_l_mS_mm / (tissue->chi_per_mm * tissue->cm_uF_mm2);
}

double mt_tissue_diffusivity_t(const mt_tissue *tissue)
{
    return tissue->sigma_t_mS_mm / (tissue->chi_per_mm * tissue->cm_uF_mm2);
}

void mt_tissue_tensor(double along, double across, const double fibre[3], double tensor[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            tensor[i][j] = (i == j ? across : 0) + (along - across) * fibre[i] * fibre[j];
}
