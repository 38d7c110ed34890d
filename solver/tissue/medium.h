/* Media: intracellular and extracellular properties of the tissue on a mesh. All elements start with the default medium of a case. Parts
 * are then changed in sequence, each change on top of the previous ones.
 *
 * Diffusion uses the monodomain tissue of a medium (solver/diffusion/tissue.h). Intracellular and extracellular values are stored
 * separately, because some results need one of them: the sources of the electrocardiogram are div(sigma_i grad v). */
#pragma once

#include <stdint.h>

#include "data/core/arena.h"
#include "mesh/mesh.h"
#include "solver/diffusion/tissue.h"

/* A medium. Finite and positive; values normal to the sheets may be NaN: equal to the transverse value. */
typedef struct mt_medium {
    double intracellular_l_mS_mm, intracellular_t_mS_mm, intracellular_n_mS_mm;
    double extracellular_l_mS_mm, extracellular_t_mS_mm, extracellular_n_mS_mm;
    double chi_per_mm, cm_uF_mm2;
} mt_medium;

/* The medium of the benchmark of Niederer et al. 2011; its monodomain tissue is mt_tissue_default. */
extern const mt_medium mt_medium_default;

/* Changes of a medium in a part of the mesh. NaN: not stated. The factor applies to all six conductivities of the default medium; stated
 * values have precedence. */
typedef struct mt_medium_change {
    mt_medium named;
    double conductivity_factor;
} mt_medium_change;

/* The media of the elements of a mesh. */
typedef struct mt_media {
    size_t n; /* at least 1 */
    mt_medium *medium;
    uint16_t *of; /* [n_elements]; NULL: all elements have the first medium */
    size_t *by;   /* [n] number of the change that created each; MT_MEDIA_WHOLE: none. NULL: none for all */
} mt_media;

#define MT_MEDIA_WHOLE SIZE_MAX

/* The largest number of media. */
#define MT_MEDIA_MOST 65535

/* True if it changes anything. */
bool mt_medium_change_names(const mt_medium_change *change);

/* Returns the key of a stated value normal to the sheets, in a medium or in the `named` of a change, or NULL. */
const char *mt_medium_normal_key(const mt_medium *medium);

/* Returns the intracellular conductivities: along the fibre, across it in the sheet, and normal to the sheet [mS/mm]. */
void mt_medium_intracellular(const mt_medium *medium, double along_axes_mS_mm[3]);

/* Returns the monodomain tissue: sigma = intracellular * extracellular / (their sum) along each axis. The value normal to the sheets is 0
 * if it equals the transverse one. */
mt_tissue mt_medium_tissue(const mt_medium *medium);

/* Creates media in `arena` with all elements of medium `whole`. Only mt_media_change and mt_media_end may follow. MT_MEMORY. */
MT_NODISCARD mt_status mt_media_begin(
    mt_arena *arena, const mt_medium *whole, size_t n_elements, mt_media *media);

/* Changes the listed elements: the conductivities of `whole` by the factor, then the stated values; others are unchanged. For each value
 * the last factor or stated value is effective. `number`: of the change, for messages. MT_INPUT if there are more than MT_MEDIA_MOST media.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_media_change(mt_arena *arena, mt_media *media, const mt_medium *whole, size_t n,
    const uint32_t *elements, const mt_medium_change *change, size_t number);

/* Removes unused media; the others are distinct. If one remains, `of` becomes NULL. MT_MEMORY. */
MT_NODISCARD mt_status mt_media_end(mt_arena *arena, size_t n_elements, mt_media *media);

/* Returns the medium of an element. */
const mt_medium *mt_media_at(const mt_media *media, size_t element);

/* Computes the intracellular conductivity tensor of an element in space [mS/mm]; borrows all arguments. The mesh has fibres if media are
 * anisotropic, and sheets if they are orthotropic (mt_diffusion_make_with refuses others). */
void mt_media_intracellular_tensor(
    const mt_media *media, const mt_mesh *mesh, size_t element, double tensor_mS_mm[3][3]);

/* Computes the monodomain tissues in `arena`; `of` is that of the media. MT_MEMORY. */
MT_NODISCARD mt_status mt_media_tissues(mt_arena *arena, const mt_media *media, mt_tissues *tissues);
