/* A case on its mesh: the properties of the elements, which of them conduct, and which are stimulated. */
#pragma once

#include "solver/case/case.h"

/* Sets model, variants, variant and variant_of of the problem on a mesh: all of `whole`, or its conducting elements (mt_case_conducting).
 * Regions are searched in `whole`. variant_of is NULL if all elements are equal. variants are the model's unless the case changes
 * parameters or regions change types; they start at the resting state of the model's variants. MT_INPUT if required layers are missing or
 * not in mt_layer. Also returns the errors of mt_region_elements and mt_kinds_end. */
MT_NODISCARD mt_status mt_case_cells(
    mt_arena *arena, const mt_case *from, const mt_mesh *whole, const mt_mesh *mesh, mt_monodomain *problem);

/* Returns in `arena` the media of the mesh's elements by the case's tissue and regions; `mesh` and `whole` as for mt_case_cells. Changes
 * are numbered by their regions. MT_INPUT if a conductivity normal to the sheets is given for a mesh without sheets; the message names the
 * key. Also returns the errors of mt_region_elements and mt_media_change. */
MT_NODISCARD mt_status mt_case_media(
    mt_arena *arena, const mt_case *from, const mt_mesh *whole, const mt_mesh *mesh, mt_media *media);

/* Returns conducting[n_elements]: 0 for non-conducting elements by the case's regions, 1 for all others; NULL if all conduct. Returns the
 * errors of mt_region_elements, with the region in the message; MT_INPUT also if no element conducts. */
MT_NODISCARD mt_status mt_case_conducting(
    mt_arena *arena, const mt_case *from, const mt_mesh *mesh, uint8_t **conducting);

/* Returns the case's stimuli with the elements of each on a mesh. A site can be empty if other sites own its elements. Returns the errors
 * of mt_region_elements, with the stimulus in the message. */
MT_NODISCARD mt_status mt_case_stimuli(
    mt_arena *arena, const mt_case *from, const mt_mesh *mesh, mt_stimulus **stimuli);
