/* Tissue parameters of the monodomain equation: conductivities, surface-to-volume ratio, membrane
 * capacitance. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"
#include "mesh/mesh.h"

/* Parameters of one tissue, all finite and above 0 (mt_tissue_check); sigma_n may be 0, which means
 * transversely isotropic. The units mS, uF, mm and ms need no conversion factors. */
typedef struct mt_tissue {
    double sigma_l_mS_mm; /* longitudinal monodomain conductivity */
    double sigma_t_mS_mm; /* transverse: within the sheet, and normal to it if sigma_n is 0 */
    double chi_per_mm;    /* surface-to-volume ratio */
    double cm_uF_mm2;     /* membrane capacitance per area */
    double sigma_n_mS_mm; /* normal to the sheet; 0: equal to sigma_t */
} mt_tissue;

/* The tissues of a mesh and the index of each element's tissue. */
typedef struct mt_tissues {
    size_t n;                /* at least 1 */
    const mt_tissue *tissue; /* [n] borrowed */
    const uint16_t *of;      /* [n_elements] borrowed; NULL if all are of the first */
} mt_tissues;

/* The tissue of the benchmark of Niederer et al. 2011 (Phil. Trans. R. Soc. A 369:4331, table 2), the
 * default: intracellular conductivities 0.17 and 0.019 S/m, extracellular 0.62 and 0.24 S/m, each pair in
 * series; 140 per mm; 0.01 uF per mm^2. */
extern const mt_tissue mt_tissue_default;

/* Fails with MT_INPUT and the name of the value that is not finite or not above 0. */
MT_NODISCARD mt_status mt_tissue_check(const mt_tissue *tissue);

/* Checks all tissues. Fails with MT_INPUT also if there is none, or if the tissue index of an element is out
 * of range. */
MT_NODISCARD mt_status mt_tissues_check(const mt_tissues *tissues, size_t n_elements);

/* Returns one tissue for all elements; borrows it. */
mt_tissues mt_tissues_uniform(const mt_tissue *tissue);

/* Return the longitudinal, transverse and sheet-normal diffusivities sigma / (chi Cm) [mm^2/ms]. */
double mt_tissue_diffusivity_l(const mt_tissue *tissue);
double mt_tissue_diffusivity_t(const mt_tissue *tissue);
double mt_tissue_diffusivity_n(const mt_tissue *tissue);

/* Diffusion coefficients of a tissue. Fluxes of all tissues are relative to the chi Cm of the first, so that their unit is the same on both
 * sides of a border. The capacity of an element is then its volume times the ratio of its own chi Cm to it. */
typedef struct mt_tissue_axes {
    /* longitudinal, transverse, normal to the sheet: conductivities over the chi Cm of the first tissue [mm^2/ms] */
    double d[3];
    double capacity; /* chi Cm relative to the first tissue */
} mt_tissue_axes;

/* Tissues and their axes on a mesh. */
typedef struct mt_tissue_field {
    size_t n;
    const mt_tissue_axes *tissue; /* [n] */
    const uint16_t *of;           /* [n_elements] borrowed; NULL if all elements are of the first tissue */
    const double *fibre; /* [n_elements][3] borrowed; (1, 0, 0) if the mesh has none and needs none */
    const double *sheet; /* [n_elements][3] borrowed; NULL if no tissue is orthotropic */
} mt_tissue_field;

/* Builds the field in `arena`. MT_INPUT: the mesh lacks the fibres or sheets that a tissue needs. MT_MEMORY. */
MT_NODISCARD mt_status mt_tissue_field_make(
    mt_arena *arena, const mt_mesh *mesh, const mt_tissues *tissues, mt_tissue_field *field);

/* Returns the coefficients of an element. */
static inline const mt_tissue_axes *mt_tissue_field_at(const mt_tissue_field *field, size_t element)
{
    return &field->tissue[field->of ? field->of[element] : 0];
}

/* Computes the tensor of an element with other values along its axes; with powers of its own values, this is that power of its tensor. */
void mt_tissue_field_tensor(
    const mt_tissue_field *field, size_t element, const double of_axis[3], double tensor[3][3]);

/* Computes tensor = across I + (along - across) f f', for a unit vector f. The diffusivities yield D; their
 * powers yield that power of D. */
void mt_tissue_tensor(double along, double across, const double fibre[3], double tensor[3][3]);

/* Adds more n n' to the tensor, with the normal n = fibre x sheet of two perpendicular unit vectors:
 * orthotropic tissue, with `more` the sheet-normal minus the transverse value. */
void mt_tissue_tensor_add_normal(
    double more, const double fibre[3], const double sheet[3], double tensor[3][3]);
