/* A case on its mesh: the tissue of the elements, which of them conduct, the cells of the unknowns, and the stimulated ones. The unknowns
 * are the elements that conduct, or their vertices (mesh/unknowns.h, solver/tissue/region.h). */
#pragma once

#include "solver/case/case.h"

/* Sets model, variants, variant and variant_of of the problem for the unknowns, on all elements of `whole` or the conducting ones
 * (mt_case_conducting). Regions are searched in `whole`. variant_of is NULL if all cells are equal. variants are the model's unless the
 * case changes parameters or regions change types; they start at the resting state of the model's variants. Each vertex belongs to the
 * layer with the largest volume of its elements, the inner one of equals. MT_INPUT if required layers are missing or not in mt_layer. Also
 * returns the errors of mt_region_elements, mt_region_vertices and mt_kinds_end. */
MT_NODISCARD mt_status mt_case_cells(mt_arena *arena, const mt_case *from, const mt_mesh *whole,
    const mt_unknowns *unknowns, mt_monodomain *problem);

/* Returns in `arena` the media of the mesh's elements by the case's tissue and regions; `mesh` has all elements of `whole` or the
 * conducting ones. Changes are numbered by their regions. MT_INPUT if a conductivity normal to the sheets is given for a mesh without
 * sheets; the message names the key. Also returns the errors of mt_region_elements and mt_media_change. */
MT_NODISCARD mt_status mt_case_media(
    mt_arena *arena, const mt_case *from, const mt_mesh *whole, const mt_mesh *mesh, mt_media *media);

/* Returns conducting[n_elements]: 0 for non-conducting elements by the case's regions, 1 for all others; NULL if all conduct. Returns the
 * errors of mt_region_elements, with the region in the message; MT_INPUT also if no element conducts. */
MT_NODISCARD mt_status mt_case_conducting(
    mt_arena *arena, const mt_case *from, const mt_mesh *mesh, uint8_t **conducting);

/* Returns the case's stimuli with the unknowns of each. A site can be empty if other sites own its unknowns. Returns the errors of
 * mt_region_elements and mt_region_vertices, with the stimulus in the message; MT_INPUT also if no element of a stimulus conducts. */
MT_NODISCARD mt_status mt_case_stimuli(mt_arena *arena, const mt_case *from, const mt_mesh *whole,
    const mt_unknowns *unknowns, mt_stimulus **stimuli);
