/* What the heart muscle is to the monodomain equation: conductivities, surface-to-volume ratio, capacitance. Not the cell model. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "data/core/status.h"

/* All are finite and above 0 (mt_tissue_check), but that normal to the sheets may be 0: there is none. mS, uF, mm and ms need no
 * factors between them. */
typedef struct mt_tissue {
    double sigma_l_mS_mm; /* monodomain conductivity along the fibre */
    double sigma_t_mS_mm; /* and across it: in the sheet, and normal to it unless the last says otherwise */
    double chi_per_mm;    /* membrane area per volume */
    double cm_uF_mm2;     /* capacitance per membrane area */
    double sigma_n_mS_mm; /* normal to the sheet; 0: as across */
} mt_tissue;

/* The tissues that the elements of a mesh are of: what differs from element to element beside the direction of the fibres. */
typedef struct mt_tissues {
    size_t n;                /* at least 1 */
    const mt_tissue *tissue; /* [n] borrowed */
    const uint16_t *of;      /* [n_elements] borrowed; NULL: all are of the first */
} mt_tissues;

/* The tissue of the benchmark of Niederer et al. 2011 (Phil. Trans. R. Soc. A 369:4331, table 2), for whoever is told
 * none: intracellular conductivities 0.17 and 0.019 S/m, extracellular 0.62 and 0.24 S/m, each pair in series; 140 per
 * mm; 0.01 uF per mm^2. */
extern const mt_tissue mt_tissue_usual;

/* Fails with MT_INPUT naming the value that is not finite and above 0. */
MT_NODISCARD mt_status mt_tissue_check(const mt_tissue *tissue);

/* The same of all, of which there must be at least one; also MT_INPUT: an element of a tissue that is none of them. */
MT_NODISCARD mt_status mt_tissues_check(const mt_tissues *tissues, size_t n_elements);

/* One tissue everywhere; borrows it. */
mt_tissues mt_tissues_uniform(const mt_tissue *tissue);

/* Diffusivities sigma / (chi Cm) along and across the fibre, and normal to the sheet [mm^2/ms]. */
double mt_tissue_diffusivity_l(const mt_tissue *tissue);
double mt_tissue_diffusivity_t(const mt_tissue *tissue);
double mt_tissue_diffusivity_n(const mt_tissue *tissue);

/* tensor = across I + (along - across) f f', for a unit vector f. With the diffusivities it is D; with their
 * powers it is that power of D. */
void mt_tissue_tensor(double along, double across, const double fibre[3], double tensor[3][3]);

/* tensor += more n n' with the normal n = fibre x sheet of two perpendicular unit vectors: a tissue that conducts by so much
 * better normal to its sheets than across the fibre within them. */
void mt_tissue_tensor_add_normal(
    double more, const double fibre[3], const double sheet[3], double tensor[3][3]);
