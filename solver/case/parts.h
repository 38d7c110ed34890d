/* The tissues of a case on its mesh, and what they ask of time steps: whole and regions, each with the size of its own elements. */
#pragma once

#include "mesh/info.h"
#include "solver/case/case.h"

/* The elements of one tissue. */
typedef struct mt_case_part {
    size_t
        region; /* that made it, of several the first; MT_MEDIA_WHOLE: none, it is what the case says of all */
    mt_tissue tissue;
    double length_mm; /* of the elements: the cube root of their mean volume */
} mt_case_part;

typedef struct mt_case_parts {
    size_t n; /* at least 1 */
    mt_case_part *part;
    mt_mesh mesh;   /* borrowed, */
    mt_media media; /* as these: of mt_case_part_size */
} mt_case_parts;

/* Returns in `arena` the parts of a mesh with elements and with the case's media (mt_case_media); keeps the arrays of both. MT_MEMORY. */
MT_NODISCARD mt_status mt_case_parts_make(
    mt_arena *arena, const mt_mesh *mesh, const mt_media *media, mt_case_parts *parts);

/* Writes both measures of the elements of a part, as messages state them: "0.275 mm (cube root of their mean volume; mean edge 0.618
 * mm)". MT_MEMORY. Time and scratch: those of mt_element_size_of. */
enum { MT_CASE_PART_SIZE = 96 };
MT_NODISCARD mt_status mt_case_part_size(
    const mt_case_parts *parts, const mt_case_part *part, char text[MT_CASE_PART_SIZE]);

/* How messages name a part: "mesh.slab", or "mesh.slab: regions.2" where it is not the whole. */
enum { MT_CASE_PART_NAME = 512 };
const char *mt_case_part_name(const mt_case *from, const mt_case_part *part, char text[MT_CASE_PART_NAME]);

/* Diffusion steps in a time step that are made without being asked for: with more of them a run would do little else (the
 * cell model costs as much as some ten), and what asks for them is a wrong unit or a wrong number. */
#define MT_CASE_PDE_STEPS_MOST 10000

/* Before the operator is made: MT_INPUT where any operator on elements of a part's size and of its tissue would need more than
 * MT_CASE_PDE_STEPS_MOST, and the case does not ask for a number of steps itself. */
MT_NODISCARD mt_status mt_case_check_scale(const mt_case *from, const mt_case_parts *parts);

/* Returns the diffusion steps in a time step: those of the case, or else as many as the operator needs (mt_monodomain_pde_steps); 1
 * if they are implicit. MT_INPUT: more than MT_CASE_PDE_STEPS_MOST are needed. */
MT_NODISCARD mt_status mt_case_pde_steps(const mt_case *input, const mt_diffusion *diffusion, size_t *steps);
