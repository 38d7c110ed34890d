/* A heart's variables on the tiles, and the fields of a part's vertices that are connected to them.
 *
 * The k-th part of group g of the halo's partition lives on the k-th tile of chip g. A
 * variable of the graph holds the values of all elements, part by part in the halo's order, so that each part's values are
 * one run on its tile:
 *
 *   v_a, v_b   [n] float      the potential, twice: a diffusion step reads one and writes the other
 *   d          [n] float      diagonal of the diffusion step
 *   v_low      [n] float      with double words, which need no d: the low part of v between the diffusion steps of a time step, and 0 between time steps
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
 *   substep    [parts] float  with double words: number of the diffusion step in its time step
 *   stimulus k 16-bit         places of the elements that stimulus k reaches
 *
 * The ranges that the halo sends become slices of v_a or v_b in the input of a tile's diffusion vertex; the machine
 * makes messages of them. With an even number of diffusion steps a time step begins and ends in v_a; with an odd one
 * it begins and ends in v_b, and the reaction writes v_a. The other one is not needed between time steps: it is
 * temporary, and so is s. With implicit steps there is one, after which v is in v_a, and d and a are those of G
 * (solver/diffusion/implicit.h). With spreading v_a and v_b hold w between the reaction and the record of activation, which takes s
 * away again; so w is what tiles send each other. */
#pragma once

#include "data/core/communicator.h"
#include "ipu/graph/program.h"
#include "mesh/cut/halo.h"
#include "solver/monodomain.h"

/* Compute sets stand in the graph in this order, then one for each stimulus, then, where there are several beats, the two of
 * mt_codelet_turn; then the others of an implicit step, of which PDE_AB and PDE_BA are the first two. */
enum { MT_PLAN_ODE, MT_PLAN_PDE_AB, MT_PLAN_PDE_BA, MT_PLAN_ACTIVATION, MT_PLAN_STIMULUS };

/* How a problem is laid out on the machine. */
typedef struct mt_layout {
    const ipu_target *target;
    const mt_halo
        *halo;    /* of the operator's columns, one part a tile; of ranks but the first: mt_halo_seen */
    bool checked; /* poison what is stale; slow */
    const mt_communicator *ranks; /* who share it; NULL: nobody */
} mt_layout;

typedef struct mt_plan {
    const mt_monodomain *problem;
    const mt_halo *halo;
    bool spread; /* the reaction is: mt_monodomain_spreads */
    ipu_graph *graph;
    ipu_tensor v_a, v_b, d, a, column, state, of, before, activation, step;
    bool double_words; /* of explicit diffusion steps */
    ipu_tensor v_low, substep;
    ipu_tensor share, s;  /* where it is spread */
    ipu_tensor constants; /* where variants differ, as `of` */
    size_t *rows; /* [n_parts + 1] where each part's begin in it; NULL: all elements are of one variant */
    ipu_tensor recorded[MT_RECORDED]; /* where all is */
    ipu_tensor paced[MT_PACED];       /* with multirate stepping */
    ipu_tensor *elements;             /* [n_stimuli] */
    ipu_tensor *v;                    /* v_a or v_b: where the potential is between time steps */
    struct mt_plan_implicit
        *implicit;     /* of an implicit diffusion step (solver/plan/implicit.h); NULL: explicit ones */
    size_t n_programs; /* one for each set of stimuli that are on together; program 0: none */
    const ipu_program **program;
    bool *on; /* [n_programs][n_stimuli] */
    size_t beat_begins,
        beat_goes_on; /* two more programs, where there are several beats: of mt_codelet_turn */
    /* what the host writes at the start, in the variables' order; lives in the arena `values` */
    float *share_value;                   /* NULL: not spread */
    uint16_t **elements_value, *of_value; /* of_value NULL: one variant */
    float *constants_value;
} mt_plan;

/* The tile of a part: those of group g are on chip g. */
uint32_t mt_plan_tile(const mt_plan *plan, uint32_t part);

/* Where a part's elements begin in the parts' order, and how many there are. */
size_t mt_plan_from(const mt_plan *plan, size_t part);
size_t mt_plan_count(const mt_plan *plan, size_t part);

/* Adds a variable with `entries` values an element, each part's on its tile; or with `entries` values a part. */
MT_NODISCARD mt_status mt_plan_add_per_element(
    mt_plan *plan, const char *name, ipu_type type, size_t entries, ipu_tensor *tensor);
MT_NODISCARD mt_status mt_plan_add_per_part(
    mt_plan *plan, const char *name, ipu_type type, size_t entries, ipu_tensor *tensor);

/* What is nowhere needed between the runs of programs. */
MT_NODISCARD mt_status mt_plan_set_temporary(mt_plan *plan, ipu_tensor whole);

/* Connects a field with the part's piece of a variable with `entries` values an element; or a part. */
MT_NODISCARD mt_status mt_plan_connect(
    mt_plan *plan, size_t vertex, const char *field, ipu_tensor whole, size_t entries, uint32_t part);
MT_NODISCARD mt_status mt_plan_connect_per_part(
    mt_plan *plan, size_t vertex, const char *field, ipu_tensor whole, size_t entries, uint32_t part);

/* Connects a field with a variable in the part's local order: its own elements, then every range it receives. slices: scratch for
 * mt_plan_slices_most. */
MT_NODISCARD mt_status mt_plan_connect_local(
    mt_plan *plan, size_t vertex, const char *field, ipu_tensor whole, uint32_t part, ipu_slice *slices);
size_t mt_plan_slices_most(const mt_halo *halo);

/* Connects the fields d, a and column of a product with the operator. */
MT_NODISCARD mt_status mt_plan_connect_rows(mt_plan *plan, size_t vertex, uint32_t part);
