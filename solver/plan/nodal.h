/* A time step with voltages at the vertices as a program of the tiles (solver/diffusion/nodal.h, solver/plan/nodal_codelets.h).
 *
 *     reaction: v_a, increments;  spreading: receives increments, v_a = w;  diffusion steps: receive w
 *
 * or one implicit step of w (solver/plan/implicit.h). Without spreading along the rows, the reaction and the share of it are as with
 * voltages at the centres of the elements. */
#pragma once

#include "solver/plan/codelets.h"
#include "solver/plan/nodal_codelets.h"
#include "solver/plan/variables.h"

typedef struct mt_plan_nodal {
    bool spreads;                    /* True if increments spread along the rows */
    mt_tile_rows *rows;              /* [n_parts] */
    mt_tile_words *words;            /* [n_parts] contexts in double words; else NULL */
    size_t *block_from, *value_from; /* [n_parts + 1] first block and first entry of each part */
    ipu_tensor row, width, rate, column;
    ipu_tensor spread, increment; /* if increments spread */
} mt_plan_nodal;

/* Sorts the rows of all parts and stores them in plan->nodal: 4 bytes per vertex. MT_MEMORY. */
MT_NODISCARD mt_status mt_plan_find_nodal(mt_arena *arena, mt_plan *plan);

/* Adds the variables of rows and increments; also plan->d for implicit steps. */
MT_NODISCARD mt_status mt_plan_add_nodal_variables(mt_plan *plan);

/* Adds the vertex of a part to a compute set: a diffusion step from one variable to another; the spreading of increments. slices: scratch,
 * as for mt_plan_connect_local. */
MT_NODISCARD mt_status mt_plan_add_nodal_step(
    mt_plan *plan, uint32_t set, ipu_tensor from, ipu_tensor to, uint32_t part, ipu_slice *slices);
MT_NODISCARD mt_status mt_plan_add_nodal_spreading(
    mt_plan *plan, uint32_t set, uint32_t part, ipu_slice *slices);

/* Connects the fields d, row, width, a and column of a product with G of implicit steps. */
MT_NODISCARD mt_status mt_plan_connect_implicit_nodal(mt_plan *plan, size_t vertex, uint32_t part);

/* Returns the compute set of the spreading; those of the iterations of implicit steps follow it. */
uint32_t mt_plan_nodal_spreading_set(const mt_monodomain *problem);

/* The rows of one part, in the order of its variables. */
typedef struct mt_plan_nodal_values {
    float *rate, *spread; /* rate: of G for implicit steps; spread: NULL without spreading */
    float *d,
        norm; /* for implicit steps: [own] d of G, else NULL; largest absolute row sum of A, over all parts so far */
    uint16_t *column;
    uint32_t *map, *local; /* scratch */
} mt_plan_nodal_values;

/* Allocates for the largest part: 4 bytes per vertex, and at most 14 per entry and 4 per vertex of the largest part. MT_MEMORY. */
MT_NODISCARD mt_status mt_plan_nodal_values_allocate(
    mt_arena *arena, const mt_plan *plan, mt_plan_nodal_values *room);

/* Fills the room with the rows of a part. MT_INPUT: the halo belongs to another operator. */
MT_NODISCARD mt_status mt_plan_nodal_values_of(
    const mt_plan *plan, uint32_t part, mt_plan_nodal_values *room);

/* Computes the cycles of a worker in a time step for each vertex of a problem's operator, the weights of a partition
 * (mesh/cut/cut_graph.h): of its cell, with recording, and of the entries of its row in each pass, without padding. In multirate steps the
 * cell is evaluated, and an implicit step takes two iterations. `weight`: [n_unknowns], in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_plan_nodal_weights(
    mt_arena *arena, const mt_monodomain *problem, const ipu_target *target, uint32_t **weight);
