/* What tissue is made of, inside the cells and outside, told from the whole to its parts: all elements begin as what a case says of the
 * whole, and parts are then changed one after the other, each on top of what was there.
 *
 * Diffusion needs the monodomain tissue of it (solver/diffusion/tissue.h). Inside and outside stay apart here for whoever needs the
 * currents of one of them: the sources of the electrocardiogram are div(sigma_i grad v). */
#pragma once

#include <stdint.h>

#include "data/core/arena.h"
#include "mesh/mesh.h"
#include "solver/diffusion/tissue.h"

/* Finite and above 0, but those normal to the sheets may be NaN: as across the fibre within them. */
typedef struct mt_medium {
    double intracellular_l_mS_mm, intracellular_t_mS_mm, intracellular_n_mS_mm;
    double extracellular_l_mS_mm, extracellular_t_mS_mm, extracellular_n_mS_mm;
    double chi_per_mm, cm_uF_mm2;
} mt_medium;

/* That of the benchmark of Niederer et al. 2011, of which mt_tissue_usual is the monodomain tissue. */
extern const mt_medium mt_medium_usual;

/* What a part is, where that is not what the whole is. NaN: not named. The factor is of all six conductivities of the whole; where
 * the value of one is named, that counts. */
typedef struct mt_medium_change {
    mt_medium named;
    double conductivity_factor;
} mt_medium_change;

/* The media that elements are of. */
typedef struct mt_media {
    size_t n; /* at least 1 */
    mt_medium *medium;
    uint16_t *of; /* [n_elements]; NULL: all are of the first */
    size_t
        *by; /* [n] the change that made each, by its number; MT_MEDIA_WHOLE: none did. NULL: none did any */
} mt_media;

#define MT_MEDIA_WHOLE SIZE_MAX

/* The most there can be. */
#define MT_MEDIA_MOST 65535

/* Does it change anything? */
bool mt_medium_change_names(const mt_medium_change *change);

/* Does it, or a medium, say what is normal to the sheets? Gives the key that does, or NULL. */
const char *mt_medium_normal_key(const mt_medium *medium);

/* Conductivities inside the cells: along the fibre, across it in the sheet, normal to the sheet [mS/mm]. */
void mt_medium_intracellular(const mt_medium *medium, double along_axes_mS_mm[3]);

/* The monodomain tissue: sigma = intracellular * extracellular / (their sum) along each axis. That normal to the sheets is 0 where it
 * is the one across the fibre. */
mt_tissue mt_medium_tissue(const mt_medium *medium);

/* Gives media in `arena` whose elements are all of `whole`. To be changed, and ended before any other use. MT_MEMORY. */
MT_NODISCARD mt_status mt_media_begin(
    mt_arena *arena, const mt_medium *whole, size_t n_elements, mt_media *media);

/* Changes the listed elements: of the whole's conductivities by the factor, then by what is named; what is not stays as it was
 * there. So of one value the last factor or value counts. `number` is that of the change, for messages. MT_INPUT: more than
 * MT_MEDIA_MOST media. MT_MEMORY. */
MT_NODISCARD mt_status mt_media_change(mt_arena *arena, mt_media *media, const mt_medium *whole, size_t n,
    const uint32_t *elements, const mt_medium_change *change, size_t number);

/* Leaves the media that some element is of, no two of them alike; where that is one, `of` becomes NULL. MT_MEMORY. */
MT_NODISCARD mt_status mt_media_end(mt_arena *arena, size_t n_elements, mt_media *media);

/* What an element is of. */
const mt_medium *mt_media_at(const mt_media *media, size_t element);

/* Conductivity inside the cells of an element, in space [mS/mm]; borrows all. The mesh has fibres where media conduct otherwise along
 * them than across, and sheets where they do so normal to these (mt_diffusion_make_with refuses others). */
void mt_media_intracellular_tensor(
    const mt_media *media, const mt_mesh *mesh, size_t element, double tensor_mS_mm[3][3]);

/* Gives the monodomain tissues in `arena`; `of` is that of the media. MT_MEMORY. */
MT_NODISCARD mt_status mt_media_tissues(mt_arena *arena, const mt_media *media, mt_tissues *tissues);
