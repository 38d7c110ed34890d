/* A heart's variables on the tiles, and the fields of a part's vertices that are connected to them.
 *
 * The k-th part of group g of the halo's partition is on the k-th tile of chip g. A variable of the graph holds the
 * values of all elements, part by part in the halo's order, so that each part's values are contiguous on its tile:
 *
 *   v_a, v_b   [n] float      the transmembrane voltage, twice: a diffusion step reads one and writes the other
 *   d          [n] float      diagonal of the diffusion step
 *   v_low      [n] float      with double words, which need no d: the low part of v between the diffusion steps of a time step,
 *                             and 0 between time steps
 *   a, column  [n][16]        the off-diagonals, in blocks of each part (solver/kernels/block.h); columns are 16-bit indices in
 *                             the part's local order: its own elements, then the received ones
 *   state      [n][S] float   the S states of the ionic model, in blocks of each part
 *   of         [n] 16-bit     if variants differ between elements: the row of each in its tile's constants
 *   constants  float          also then: the constants of a variant (solver/cells/model.h), one row for each variant on the
 *                             tile. With a single variant its constants are compiled into the codelet
 *   before     [n] float      the voltage at the last record
 *   kept ...   [n] float      with multirate stepping: stored values of a cell (solver/kernels/multirate.h)
 *   share, s   [n] float      with spreading: mt_monodomain_share, and the spread reaction (solver/monodomain.h)
 *   activation [n] float      activation time [ms], infinite if not activated
 *   rest ...   [n] float      the rest of the record (solver/record.h), if all is recorded
 *   step       [parts] float  number of the step in its beat, one on each tile
 *   substep    [parts] float  with double words: number of the diffusion step in its time step
 *   stimulus k 16-bit         local indices of the elements in stimulus k
 *   delay k    16-bit         with delays: those of these elements
 *   elapsed k  [parts] float  with delays: number of the step in the window of stimulus k, one on each tile
 *
 * With voltages at the vertices (solver/diffusion/nodal.h), "elements" are vertices, and d exists for implicit steps only. The rows of a
 * part have different lengths (solver/plan/nodal_codelets.h), one piece of each variable per part:
 *
 *   row        [n] 16-bit     the rows of each part by length
 *   width      16-bit         the entries per row of each block
 *   a, column  per entry      rates of the diffusion step, and columns in the part's local order
 *   spreads    per entry      s_ij, if the reaction spreads along the rows
 *   increment  [n] float      also then: the increments of the reaction; temporary
 *
 * The ranges that the halo sends become slices of v_a or v_b in the input of a tile's diffusion vertex; the machine
 * turns them into messages. With an even number of diffusion steps a time step begins and ends in v_a. With an odd
 * number it begins and ends in v_b, and the reaction writes v_a. The other variable is not needed between time
 * steps: it is temporary, and so is s. An implicit step is a single step, after which v is in v_a; d and a are
 * the rows of G (solver/diffusion/implicit.h). With spreading, v_a and v_b hold w between the reaction and the record
 * of activation, which subtracts s again; so tiles send each other w. */
#pragma once

#include "data/core/communicator.h"
#include "ipu/graph/program.h"
#include "mesh/cut/halo.h"
#include "solver/monodomain.h"
#include "solver/plan/tiling.h"

/* Order of the compute sets in the graph: these, one for each stimulus, the two of mt_codelet_free_elements if there are
 * several beats, the spreading of increments with voltages at the vertices, the others of an implicit step, of which PDE_AB and PDE_BA
 * are the first two, and those of the conduction system (solver/plan/network.h). */
enum { MT_PLAN_ODE, MT_PLAN_PDE_AB, MT_PLAN_PDE_BA, MT_PLAN_ACTIVATION, MT_PLAN_STIMULUS };

/* The layout of a problem on the machine. */
typedef struct mt_layout {
    const ipu_target *target;
    /* of the operator's columns, one part per tile; on ranks other than 0: mt_halo_seen */
    const mt_halo *halo;
    /* [n_chains] part of each chain of the conduction system (solver/plan/network.h); NULL: none, or it is not on the machine */
    const uint32_t *chain_part;
    mt_streamed streamed;
    bool checked; /* True to poison stale data; slow */
    bool fabric;  /* True if costs include the words of the links between tiles in a diffusion step */
    const mt_communicator *ranks; /* ranks that share it; NULL for a single process */
    /* of the backend opencl (solver/backends/opencl.c): as of mt_devices_find, and true if its results may differ from the host's */
    const char *device;
    bool lenient;
    size_t
        lanes; /* unknowns of a work-item: 1, 8 or 16; 0: 1 on GPUs, and the length of a vector on processors */
} mt_layout;

typedef struct mt_plan {
    const mt_monodomain *problem;
    const mt_halo *halo;
    bool spread; /* True if the reaction is spread (mt_monodomain_spreads) */
    ipu_graph *graph;
    ipu_tensor v_a, v_b, d, a, column, state, of, before, activation, step;
    bool double_words; /* True for explicit diffusion steps in double words */
    ipu_tensor v_low, substep;
    ipu_tensor share, s;  /* with spreading */
    ipu_tensor constants; /* if variants differ, as `of` */
    /* [n_parts + 1] first row of each part in `constants`; NULL if all elements are of one variant */
    size_t *rows;
    ipu_tensor recorded[MT_RECORDED];       /* if all is recorded */
    ipu_tensor paced[MT_PACED];             /* with multirate stepping */
    ipu_tensor *elements, *delay, *elapsed; /* [n_stimuli]; the last two are used with delays only */
    ipu_tensor *v;                          /* v_a or v_b: the voltage between time steps */
    /* an implicit diffusion step (solver/plan/implicit.h); NULL for explicit steps */
    struct mt_plan_implicit *implicit;
    struct mt_plan_network *network; /* the conduction system (solver/plan/network.h); NULL: none */
    struct mt_plan_nodal *nodal; /* voltages at the vertices (solver/plan/nodal.h); NULL: at the centres */
    size_t n_programs;           /* one per set of simultaneous stimuli; program 0: no stimulus */
    const ipu_program **program;
    bool *on; /* [n_programs][n_stimuli of the tissue, then of the conduction system] */
    size_t beat_begins,
        beat_goes_on; /* two more programs, if there are several beats: of mt_codelet_free_elements */
    /* Values that the host writes at the start, in the variables' order, in the arena `values`. */
    float *share_value;                                  /* NULL without spreading */
    uint16_t **elements_value, **delay_value, *of_value; /* of_value is NULL if there is one variant */
    float *constants_value;
} mt_plan;

/* Returns the tile of a part; the parts of group g are on chip g. */
uint32_t mt_plan_tile(const mt_plan *plan, uint32_t part);

/* Return the index of a part's first element in the order of the parts, and the number of its elements. */
size_t mt_plan_from(const mt_plan *plan, size_t part);
size_t mt_plan_count(const mt_plan *plan, size_t part);

/* Add a variable with `entries` values per element, each part's on its tile; or with `entries` values per part. */
MT_NODISCARD mt_status mt_plan_add_per_element(
    mt_plan *plan, const char *name, ipu_type type, size_t entries, ipu_tensor *tensor);
MT_NODISCARD mt_status mt_plan_add_per_part(
    mt_plan *plan, const char *name, ipu_type type, size_t entries, ipu_tensor *tensor);

/* Adds a variable with the values from[part] to from[part + 1] of each part on its tile; and connects a field with them. */
MT_NODISCARD mt_status mt_plan_add_pieces(
    mt_plan *plan, const char *name, ipu_type type, const size_t *from, ipu_tensor *tensor);
MT_NODISCARD mt_status mt_plan_connect_pieces(
    mt_plan *plan, size_t vertex, const char *field, ipu_tensor whole, const size_t *from, uint32_t part);

/* Connects a field with n elements of a variable, from `from` on. */
MT_NODISCARD mt_status mt_plan_connect_range(
    mt_plan *plan, size_t vertex, const char *field, ipu_tensor whole, size_t from, size_t n);

/* Moves the variables of `streamed` outside of the chip. MT_INPUT: the machine has no such memory. */
MT_NODISCARD mt_status mt_plan_stream(mt_plan *plan, mt_streamed streamed);

/* Marks a variable that is not needed between runs of programs. */
MT_NODISCARD mt_status mt_plan_set_temporary(mt_plan *plan, ipu_tensor whole);

/* Connect a field with the part's piece of a variable with `entries` values per element; or per part. */
MT_NODISCARD mt_status mt_plan_connect(
    mt_plan *plan, size_t vertex, const char *field, ipu_tensor whole, size_t entries, uint32_t part);
MT_NODISCARD mt_status mt_plan_connect_per_part(
    mt_plan *plan, size_t vertex, const char *field, ipu_tensor whole, size_t entries, uint32_t part);

/* Connects a field with a variable in the part's local order: its own elements, then every range it receives.
 * slices: scratch for mt_plan_slices_most. */
MT_NODISCARD mt_status mt_plan_connect_local(
    mt_plan *plan, size_t vertex, const char *field, ipu_tensor whole, uint32_t part, ipu_slice *slices);
size_t mt_plan_slices_most(const mt_halo *halo);

/* Connects the fields v_low and substep of a diffusion step in double words. */
MT_NODISCARD mt_status mt_plan_connect_double_words(mt_plan *plan, size_t vertex, uint32_t part);

/* Connects the fields d, a and column of a product with the operator. */
MT_NODISCARD mt_status mt_plan_connect_rows(mt_plan *plan, size_t vertex, uint32_t part);
