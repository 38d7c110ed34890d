/* A heart on the tiles: the monodomain problem as a graph of variables, vertices and programs of the emulated machine.
 *
 * The only place that knows both. The k-th part of group g of the halo's partition lives on the k-th tile of chip g. A
 * variable of the graph holds the values of all elements, part by part in the halo's order, so that each part's values are
 * one run on its tile:
 *
 *   v_a, v_b   [n] float      the potential, twice: a diffusion step reads one and writes the other
 *   d          [n] float      diagonal of the diffusion step
 *   a, column  [n][16]        the rest of it, in blocks of each part (solver/kernels/block.h); columns are 16-bit places in
 *                             the part's local order: its own elements, then those received
 *   state      [n][S] float   the S states of the cell model, in blocks of each part
 *   of         [n] 16-bit     where elements differ in their variant: the row of each in its tile's constants
 *   constants  float          there, too: what the cell model takes of a variant (solver/cells/model.h), a row for each that some
 *                             element of the tile has. Where all are of one variant the codelet is compiled with its constants
 *   before     [n] float      the potential at the last record
 *   kept ...   [n] float      with multirate stepping: what is held of a cell (solver/kernels/multirate.h)
 *   share, s   [n] float      with spreading: mt_monodomain_share, and the spread reaction (solver/monodomain.h)
 *   activation [n] float      ms, infinite where not yet
 *   rest ...   [n] float      the rest of the record (solver/record.h), where all is recorded
 *   step       [parts] float  number of the step in its beat, one on each tile
 *   stimulus k 16-bit         places of the elements that stimulus k reaches
 *
 * The ranges that the halo sends become slices of v_a or v_b in the input of a tile's diffusion vertex; the machine
 * makes messages of them. With an even number of diffusion steps a time step begins and ends in v_a; with an odd one
 * it begins and ends in v_b, and the reaction writes v_a. The other one is not needed between time steps: it is
 * temporary, and so is s. With spreading v_a and v_b hold w between the reaction and the record of activation, which takes s
 * away again; so w is what tiles send each other. */
#ifndef MT_SOLVER_PLAN_PLAN_H
#define MT_SOLVER_PLAN_PLAN_H

#include "ipu/graph/program.h"
#include "ipu/run/profile.h"
#include "mesh/cut/halo.h"
#include "solver/monodomain.h"

/* Compute sets stand in the graph in this order, then one for each stimulus, then, where there are several beats, the two of
 * mt_codelet_turn. */
enum { MT_PLAN_ODE, MT_PLAN_PDE_AB, MT_PLAN_PDE_BA, MT_PLAN_ACTIVATION, MT_PLAN_STIMULUS };

/* How a problem is laid out on the machine. */
typedef struct mt_layout {
    const ipu_target *target;
    const mt_halo *halo; /* of the operator's columns, one part a tile */
    bool checked;        /* poison what is stale; slow */
} mt_layout;

typedef struct mt_plan {
    const mt_monodomain *problem;
    const mt_halo *halo;
    bool spread; /* the reaction is: mt_monodomain_spreads */
    ipu_graph *graph;
    ipu_tensor v_a, v_b, d, a, column, state, of, before, activation, step;
    ipu_tensor share, s;  /* where it is spread */
    ipu_tensor constants; /* where variants differ, as `of` */
    size_t *rows; /* [n_parts + 1] where each part's begin in it; NULL: all elements are of one variant */
    ipu_tensor recorded[MT_RECORDED]; /* where all is */
    ipu_tensor paced[MT_PACED];       /* with multirate stepping */
    ipu_tensor *elements;             /* [n_stimuli] */
    ipu_tensor *v;                    /* v_a or v_b: where the potential is between time steps */
    size_t n_programs;                /* one for each set of stimuli that are on together; program 0: none */
    const ipu_program **program;
    bool *on; /* [n_programs][n_stimuli] */
    size_t beat_begins,
        beat_goes_on; /* two more programs, where there are several beats: of mt_codelet_turn */
    /* what the host writes at the start, in the variables' order; lives in the arena `values` */
    float *share_value;                   /* NULL: not spread */
    uint16_t **elements_value, *of_value; /* of_value NULL: one variant */
    float *constants_value;
} mt_plan;

/* Gives the plan in `arena`; borrows problem and layout for as long as the plan is used. `values` NULL: the plan is
 * to be compiled and not run, no value is made, the problem has no stimuli and one variant, and of its operator is only asked whether there is a
 * kappa (mt_monodomain_spreads).
 * MT_FIT: more groups than chips or more parts in one than tiles, or a part with more than 65,536 elements in its local
 * order. */
MT_NODISCARD mt_status mt_plan_make(
    mt_arena *arena, mt_arena *values, const mt_monodomain *problem, const mt_layout *layout, mt_plan *plan);

/* The diffusion step of one part, in the order of its variables: most of what the host writes, so it is made part by part. */
typedef struct mt_plan_matrix {
    float *d, *a;           /* [own], [own][16] in blocks */
    uint16_t *column;       /* [own][16] in blocks */
    mt_diffusion_rows rows; /* scratch, as the next */
    uint32_t *map, *local;
} mt_plan_matrix;

/* Gives room for that of any part; 4 bytes an element, 164 an element of the largest part, and mt_diffusion_rows_room. MT_MEMORY. */
MT_NODISCARD mt_status mt_plan_matrix_room(mt_arena *arena, const mt_plan *plan, mt_plan_matrix *room);

/* Fills the room with that of a part. MT_INPUT: the halo is of another operator. */
MT_NODISCARD mt_status mt_plan_matrix_of(const mt_plan *plan, uint32_t part, const mt_plan_matrix *room);

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

#endif
