/* What the heart muscle is to the monodomain equation: conductivities, surface-to-volume ratio, capacitance.
 *
 * Uniform over the mesh; only the fibre direction varies from element to element. Not the cell model. */
#ifndef MT_SOLVER_DIFFUSION_TISSUE_H
#define MT_SOLVER_DIFFUSION_TISSUE_H

#include "data/status.h"

/* All four are finite and above 0 (mt_tissue_check). mS, uF, mm and ms need no factors between them. */
typedef struct mt_tissue {
    double sigma_l_mS_mm; /* monodomain conductivity along the fibre */
    double sigma_t_mS_mm; /* and across it */
    double chi_per_mm;    /* membrane area per volume */
    double cm_uF_mm2;     /* capacitance per membrane area */
} mt_tissue;

/* The tissue of the benchmark of Niederer et al. 2011 (Phil. Trans. R. Soc. A 369:4331, table 2), for whoever is told
 * none: intracellular conductivities 0.17 and 0.019 S/m, extracellular 0.62 and 0.24 S/m, each pair in series; 140 per
 * mm; 0.01 uF per mm^2. */
extern const mt_tissue mt_tissue_usual;

/* Fails with MT_INPUT naming the value that is not finite and above 0. */
MT_NODISCARD mt_status mt_tissue_check(const mt_tissue *tissue);

/* Diffusivities sigma / (chi Cm) along and across the fibre [mm^2/ms]. */
double mt_tissue_diffusivity_l(const mt_tissue *tissue);
double mt_tissue_diffusivity_t(const mt_tissue *tissue);

/* tensor = across I + (along - across) f f', for a unit vector f. With the diffusivities it is D; with their
 * powers it is that power of D. */
void mt_tissue_tensor(double along, double across, const double fibre[3], double tensor[3][3]);

#endif
