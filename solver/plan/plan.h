/* The monodomain problem on the tiles, as a graph of variables, vertices and programs of the emulated machine.
 *
 * The only module that knows both. solver/plan/variables.h describes the placement. */
#pragma once

#include "ipu/graph/program.h"
#include "ipu/run/profile.h"
#include "solver/plan/variables.h"

/* Builds the plan in `arena`; borrows problem and layout for the lifetime of the plan. `values`: arena of the initial values, or NULL if
 * the plan is compiled but not run. Without values the problem has no stimuli and one variant, and of its operator only the presence of
 * kappa is read (mt_monodomain_spreads), and the lengths of the rows of voltages at the vertices. MT_FIT: more groups than chips, more
 * parts in a group than tiles, or a part with more than 65,536 elements in its local order. */
MT_NODISCARD mt_status mt_plan_make(
    mt_arena *arena, mt_arena *values, const mt_monodomain *problem, const mt_layout *layout, mt_plan *plan);

/* The diffusion step of one part with voltages at the centres of the elements, in the order of its variables. It is most of the data that
 * the host writes, so it is built part by part. */
typedef struct mt_plan_matrix {
    float *d, *a;           /* [own], [own][16] in blocks; of G for implicit steps */
    float norm;             /* for implicit steps: the largest absolute row sum of A, over all parts so far */
    uint16_t *column;       /* [own][16] in blocks */
    mt_diffusion_rows rows; /* scratch, as the next */
    uint32_t *map, *local;
} mt_plan_matrix;

/* Allocates for the largest part: 4 bytes per element, 164 per element of the largest part, and
 * mt_diffusion_rows_allocate. MT_MEMORY. */
MT_NODISCARD mt_status mt_plan_matrix_allocate(mt_arena *arena, const mt_plan *plan, mt_plan_matrix *room);

/* Fills the room with the matrix of a part. MT_INPUT: the halo belongs to another operator. */
MT_NODISCARD mt_status mt_plan_matrix_of(const mt_plan *plan, uint32_t part, mt_plan_matrix *room);

/* Returns the program for the set of stimuli that are on in a step. */
size_t mt_plan_program(const mt_plan *plan, size_t step);

/* Checks word by word that an executable can run (ipu_executable_check). MT_NUMERICS: it cannot, which is an
 * internal error, not one of the input. Slow. */
MT_NODISCARD mt_status mt_plan_check(const ipu_executable *executable);

/* Profiles the machine for a problem of elements of one variant of a model, without stimuli, in this layout, for
 * any tissue and fibres, with or without spreading, with two diffusion steps per time step: costs of one run of
 * each compute set, and memory. The profile is in `arena`. Fails with MT_FIT as above, or if a tile's memory is too
 * small. If the layout is `checked`, checks the executable (mt_plan_check). */
MT_NODISCARD mt_status mt_plan_costs(
    mt_arena *arena, const mt_cell_model *model, bool spread, const mt_layout *layout, ipu_profile *profile);

/* Same for a problem of one variant without stimuli, also with voltages at the vertices. */
MT_NODISCARD mt_status mt_plan_costs_of(
    mt_arena *arena, const mt_monodomain *problem, const mt_layout *layout, ipu_profile *profile);
