/* A case on its mesh: what its elements are, which of them live, and where it is stimulated. */
#pragma once

#include "solver/case/case.h"

/* Sets model, variants, variant and variant_of of the problem on a mesh: the live elements (mt_case_live) of `whole`, in which
 * regions are looked for, or all of it. Gives variant_of where elements differ, else it is NULL, and variants where the case
 * changes parameters or regions their types, else they are the model's; they stand at rest where the model's types do. MT_INPUT:
 * the mesh lacks layers that are asked for, or has one that is none of mt_layer; or as mt_region_elements and mt_kinds_end. */
MT_NODISCARD mt_status mt_case_cells(
    mt_arena *arena, const mt_case *from, const mt_mesh *whole, const mt_mesh *mesh, mt_monodomain *problem);

/* Gives in `arena` what the elements of a mesh are made of by the case's tissue and regions: as mt_case_cells has it, `mesh` is the
 * live elements of `whole`. Changes have the numbers of their regions. MT_INPUT: a conductivity normal to the sheets is given, and
 * the mesh has none; the message names the key. Fails also as mt_region_elements and mt_media_change. */
MT_NODISCARD mt_status mt_case_media(
    mt_arena *arena, const mt_case *from, const mt_mesh *whole, const mt_mesh *mesh, mt_media *media);

/* Gives live[n_elements]: 0 for the elements that the case's regions make inert, 1 for all others; NULL where none is inert. Fails
 * as mt_region_elements, the message names the region; MT_INPUT also where all are inert. */
MT_NODISCARD mt_status mt_case_live(
    mt_arena *arena, const mt_case *from, const mt_mesh *mesh, uint8_t **live);

/* Gives the case's stimuli with the elements that each reaches on a mesh; of a site, whose elements others have, there may be none.
 * Fails as mt_region_elements; the message names the stimulus. */
MT_NODISCARD mt_status mt_case_stimuli(
    mt_arena *arena, const mt_case *from, const mt_mesh *mesh, mt_stimulus **stimuli);
