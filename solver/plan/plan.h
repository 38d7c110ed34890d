/* A heart on the tiles: the monodomain problem as a graph of variables, vertices and programs of the emulated machine.
 *
 * The only place that knows both. Where everything is: solver/plan/variables.h. */
#pragma once

#include "ipu/graph/program.h"
#include "ipu/run/profile.h"
#include "solver/plan/variables.h"

/* Gives the plan in `arena`; borrows problem and layout for as long as the plan is used. `values` NULL: the plan is
 * to be compiled and not run, no value is made, the problem has no stimuli and one variant, and of its operator is only asked whether there is a
 * kappa (mt_monodomain_spreads).
 * MT_FIT: more groups than chips or more parts in one than tiles, or a part with more than 65,536 elements in its local
 * order. */
MT_NODISCARD mt_status mt_plan_make(
    mt_arena *arena, mt_arena *values, const mt_monodomain *problem, const mt_layout *layout, mt_plan *plan);

/* The diffusion step of one part, in the order of its variables: most of what the host writes, so it is made part by part. */
typedef struct mt_plan_matrix {
    float *d, *a;           /* [own], [own][16] in blocks; of implicit steps those of G */
    float norm;             /* of implicit steps: the largest absolute row sum of A, of all parts so far */
    uint16_t *column;       /* [own][16] in blocks */
    mt_diffusion_rows rows; /* scratch, as the next */
    uint32_t *map, *local;
} mt_plan_matrix;

/* Gives room for that of any part; 4 bytes an element, 164 an element of the largest part, and mt_diffusion_rows_room. MT_MEMORY. */
MT_NODISCARD mt_status mt_plan_matrix_room(mt_arena *arena, const mt_plan *plan, mt_plan_matrix *room);

/* Fills the room with that of a part. MT_INPUT: the halo is of another operator. */
MT_NODISCARD mt_status mt_plan_matrix_of(const mt_plan *plan, uint32_t part, mt_plan_matrix *room);

/* The program for a step in which exactly these stimuli are on. */
size_t mt_plan_program(const mt_plan *plan, size_t step);

/* That what a plan was compiled to can run, word by word (ipu_executable_check). MT_NUMERICS: it cannot, which is a
 * fault of this program and of no input. Slow. */
MT_NODISCARD mt_status mt_plan_check(const ipu_executable *executable);

/* What the machine would need for a problem of elements of one variant of a model without stimuli in this layout, whatever its tissue and
 * fibres are, the reaction spread or not, with two diffusion steps in a time step: costs of one run of each compute set, and
 * memory. Gives the profile in `arena`. MT_FIT as above, or that a tile's memory is too small. Where the layout is checked, what was
 * compiled is (mt_plan_check). */
MT_NODISCARD mt_status mt_plan_costs(
    mt_arena *arena, const mt_cell_model *model, bool spread, const mt_layout *layout, ipu_profile *profile);
