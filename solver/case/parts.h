/* The tissues of a case on its mesh, the default one and one per region, each with its element size; and the time steps they
 * require. */
#pragma once

#include <stdbool.h>

#include "mesh/info.h"
#include "solver/case/case.h"

/* The elements of one tissue. */
typedef struct mt_case_part {
    size_t region; /* the first region with this tissue; MT_MEDIA_WHOLE: the default tissue */
    mt_tissue tissue;
    double length_mm; /* of the elements: cube root of their mean volume */
    bool measured;    /* true if the error of activation times is measured elsewhere; false at first */
} mt_case_part;

typedef struct mt_case_parts {
    size_t n; /* at least 1 */
    mt_case_part *part;
    mt_mesh mesh; /* borrowed arrays */
    /* borrowed arrays, as for the mesh; both are for mt_case_part_size */
    mt_media media;
} mt_case_parts;

/* Returns in `arena` the parts of a non-empty mesh with the case's media (mt_case_media); stores the arrays of both. MT_MEMORY. */
MT_NODISCARD mt_status mt_case_parts_make(
    mt_arena *arena, const mt_mesh *mesh, const mt_media *media, mt_case_parts *parts);

/* Writes both measures of a part's elements for messages: "0.275 mm (cube root of their mean volume; mean edge 0.618 mm)". MT_MEMORY. Time
 * and scratch memory of mt_element_size_of. */
enum { MT_CASE_PART_SIZE = 96 };
MT_NODISCARD mt_status mt_case_part_size(
    const mt_case_parts *parts, const mt_case_part *part, char text[MT_CASE_PART_SIZE]);

/* Writes the name of a part for messages: "mesh.slab", or "mesh.slab: regions.2" for a region. */
enum { MT_CASE_PART_NAME = 512 };
const char *mt_case_part_name(const mt_case *from, const mt_case_part *part, char text[MT_CASE_PART_NAME]);

/* Upper limit of the automatic number of diffusion steps per time step. Above it, diffusion would dominate the run (the ionic model costs
 * as much as about ten steps), and the cause is a wrong unit or a wrong number. */
#define MT_CASE_PDE_STEPS_MOST 10000

/* Checks the element sizes before the operator is built: MT_INPUT if any operator on elements of a part's size and tissue would need more
 * than MT_CASE_PDE_STEPS_MOST steps, unless the case states the number of steps. */
MT_NODISCARD mt_status mt_case_check_scale(const mt_case *from, const mt_case_parts *parts);

/* Returns the number of diffusion steps per time step: from the case, or as the operator requires (mt_monodomain_pde_steps); 1 if implicit.
 * MT_INPUT if more than MT_CASE_PDE_STEPS_MOST are required. */
MT_NODISCARD mt_status mt_case_pde_steps(const mt_case *input, const mt_diffusion *diffusion, size_t *steps);
