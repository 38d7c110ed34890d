/* The table of ionic models: the interface between the cells of a heart and all other modules.
 *
 * A model is a folder here and a line in model.c; solver/README.md explains how to add one. A cell has a transmembrane voltage V [mV] and
 * further states. A step is explicit: all right-hand sides are evaluated at its start. No current is injected: the caller adds a stimulus
 * to V before the step.
 *
 * The equations are written once, in the model's kernel file, compiled for float and double and for each instruction set of the host
 * (solver/cells/kernel.h). All versions of one arithmetic compute the same bits. */
#pragma once

#include <stdbool.h>

#include "data/core/arena.h"
#include "data/core/status.h"
#include "ipu/cost/mix.h"
#include "solver/kernels/multirate.h"
#include "solver/kernels/kernels.h"
#include "solver/kernels/tables.h"

/* A state, a parameter or a current. Names have at most MT_CELL_NAME - 1 bytes: letters, digits and underscores. They become keys of YAML
 * files, columns and datasets. No state has the name of another array of a run (mt_array in solver/backends/backend.h): V, activation, a
 * recorded quantity, kept, change, since. */
typedef struct mt_cell_quantity {
    const char *name, *unit; /* unit "": dimensionless */
} mt_cell_quantity;

/* Quantities stored for multirate stepping (solver/kernels/multirate.h); their names and units, and their initial values. */
typedef enum mt_paced { MT_PACED_KEPT, MT_PACED_CHANGE, MT_PACED_SINCE, MT_PACED } mt_paced;
extern const mt_cell_quantity mt_paced_quantity[MT_PACED];
extern const double mt_paced_start[MT_PACED];

/* A variant: cells of one model with certain parameters and a resting state. */
typedef struct mt_cell_variant {
    const char *name;
    const double *parameters; /* [n_parameters] */
    double v_mV;              /* at rest */
    const double *states;     /* [n_states] at rest */
} mt_cell_variant;

struct mt_cell_model;

/* Computes the constants of a model's equations, some from several parameters, which replace a variant's parameters: fills
 * constants[n_constants] from parameters[n_parameters]. */
typedef void mt_cell_constants(
    const struct mt_cell_model *model, const double *parameters, double *constants);

/* Maximum numbers per model. Arrays of these sizes are on the stack, and are not initialised per cell or step. */
enum { MT_CELL_CONSTANTS = 1024, MT_CELL_STATES = 256, MT_CELL_VARIANTS = 8, MT_CELL_NAME = 64 };

enum { MT_CELL_IDENTITY = 96 }; /* bytes of an identity, with the final 0 */

/* Advances n cells by one step of dt_ms: reads v_in and the states, writes v_out and the states, stored in blocks (solver/kernels/block.h).
 * constants: [n_variants][n_constants], at most 65,536 variants. `of` NULL: all cells have the first variant; otherwise cell c has variant
 * of[c], with the same bits as among cells of that variant only. Sixteen neighbouring cells of one variant are as fast as a uniform
 * array. `model`: the row; kernels compiled for one model ignore it. */
typedef void mt_cell_kernel_float(const struct mt_cell_model *model, const float *constants,
    size_t n_variants, const uint16_t *of, double dt_ms, size_t n, float *state, const float *v_in_mV,
    float *v_out_mV);
typedef void mt_cell_kernel_double(const struct mt_cell_model *model, const double *constants,
    size_t n_variants, const uint16_t *of, double dt_ms, size_t n, double *state, const double *v_in_mV,
    double *v_out_mV);

/* Same, with multirate stepping (solver/kernels/multirate.h): also reads and writes kept, change and since [n]. */
typedef void mt_cell_multirate_float(const struct mt_cell_model *model, const float *constants,
    size_t n_variants, const uint16_t *of, const mt_multirate_step *step, size_t n, float *state,
    float *kept_mV, float *change_mV, float *since, const float *v_in_mV, float *v_out_mV);
typedef void mt_cell_multirate_double(const struct mt_cell_model *model, const double *constants,
    size_t n_variants, const uint16_t *of, const mt_multirate_step *step, size_t n, double *state,
    double *kept_mV, double *change_mV, double *since, const double *v_in_mV, double *v_out_mV);

/* Same in single precision, with functions of V from tables (solver/kernels/tables.h). */
typedef void mt_cell_tabulated_float(const struct mt_cell_model *model, const mt_tables *tables,
    const float *constants, size_t n_variants, const uint16_t *of, double dt_ms, size_t n, float *state,
    const float *v_in_mV, float *v_out_mV);
typedef void mt_cell_tabulated_multirate_float(const struct mt_cell_model *model, const mt_tables *tables,
    const float *constants, size_t n_variants, const uint16_t *of, const mt_multirate_step *step, size_t n,
    float *state, float *kept_mV, float *change_mV, float *since, const float *v_in_mV, float *v_out_mV);

/* Computes the functions of V that tables contain, of_v[n][n_functions], at n values of V, for the constants of a variant [n_constants] and
 * the step that they are used in. */
typedef void mt_cell_functions(const struct mt_cell_model *model, const double *constants, double dt_ms,
    bool multirate, size_t n, const double *v_mV, double *of_v);

/* Computes the currents [n_currents] of one cell with parameters [n_parameters] in a state, by the expressions of its step, in double
 * precision. */
typedef void mt_cell_currents(const struct mt_cell_model *model, const double *parameters, double v_mV,
    const double *states, double *current);

/* Delay of activation wavefronts in a mesh of the default tissue with this element length (cube root of the mean volume) and time steps of
 * MT_CELL_DELAYS_DT_MS, for the default and the plain scheme of diffusion (solver/diffusion/scheme.h). The delay is that of `myotile
 * reproduce waves --plain`: the root mean square over all directions, averaged over its three mesh families; negative if wavefronts are
 * early overall. */
typedef struct mt_cell_delay {
    double length_mm, usual_percent, plain_percent;
} mt_cell_delay;

#define MT_CELL_DELAYS_DT_MS 0.02

/* An ionic model: a row of the table, or an imported model, made at run time from a file.
 *
 * `name` opens the model again (solver/cells/open.h). `identity` identifies its content: models have equal identities if they have equal
 * equations, parameters and initial states. Both are the same text for a row of the table. For an imported model,
 *
 *   name       is the path of its file. A relative path refers to the working directory, like the other paths of a case. used.yaml and
 *              the files of cell states contain the absolute path.
 *   identity   is FILE#HASH: the name of the file without folders, and the fingerprint of its content (mt_cell_model_identity).
 *
 * A file that was moved is therefore the same model, and a file that was edited is another one. Keys of caches (fronts, pre-pacing),
 * checkpoints, files of cell states, ranks, and comparisons of two cases use the identity. Messages and tables print the name. */
typedef struct mt_cell_model {
    const char *name, *title, *source; /* title for display; publication */
    const char *identity;
    size_t n_states, n_parameters, n_constants, n_variants;
    const mt_cell_quantity *states, *parameters; /* without V */
    mt_cell_constants *constants;                /* NULL: the parameters themselves */
    const mt_cell_variant *variants;             /* the first is the default */
    size_t n_currents;                           /* 0: none is known */
    const mt_cell_quantity *currents;
    mt_cell_currents *currents_of;
    /* The ions that can carry the charge of a stimulus: index of a state, and its change per mV; 0: none. */
    size_t carrier;
    double carrier_per_mV;
    double dt_max_ms; /* longest stable step */
    double rhythm_ms; /* cycle length of cells that beat without stimuli; 0: none, or an imported model */
    /* Longest step of the states with multirate stepping, in which it can be many time steps; 0: MT_MULTIRATE_MOST of them. Stable and
     * accurate at steady V. */
    double interval_max_ms;
    double front_ms; /* t_0 of the spreading (solver/diffusion/spreading.h): larger for wider fronts */
    mt_cell_kernel_float *kernel_float[MT_ISAS];
    mt_cell_kernel_double *kernel_double[MT_ISAS];
    mt_cell_multirate_float *multirate_float[MT_ISAS];
    mt_cell_multirate_double *multirate_double[MT_ISAS];
    size_t n_functions; /* of V in tables; 0: the model has no kernels with tables */
    mt_cell_functions *functions[MT_ISAS];
    mt_cell_tabulated_float *tabulated_float[MT_ISAS];
    mt_cell_tabulated_multirate_float *tabulated_multirate_float[MT_ISAS];
    /* If not NULL, mt_cell_react_float and mt_cell_multirate_react_float use these kernels (solver/cells/tabulated.h). */
    const mt_tables *tables;
    /* Instruction mixes of a cell's step on a tile: all cells of one variant, or mixed; and of its evaluation with multirate stepping. */
    struct {
        ipu_mix ode, ode_mixed, ode_multirate, ode_mixed_multirate;
    } mix;
    const void *program; /* of an imported model, which its kernels interpret; NULL: a built-in model */
    bool
        compiled; /* true if the kernels are machine code of the program (solver/cells/compiled/compiled.h) */
    size_t n_delays;             /* 0: not measured; each run then measures its fronts (app/run/fronts.h) */
    const mt_cell_delay *delays; /* [n_delays] by ascending length; magnitudes also ascend for both schemes */
} mt_cell_model;

extern const mt_cell_model *const mt_cell_models[]; /* the first is the default; terminated by NULL */

/* Formats of imported models, as allowed values in messages and documentation. */
#define MT_CELL_MODEL_FILES "the path of a .cellml, .mmt, .ode or .model file"

/* Returns the i-th allowed text of a key that names a model: the names, then MT_CELL_MODEL_FILES; NULL after the last (mt_yaml_words). */
const char *mt_cell_model_word(const void *structure, size_t i);

/* Writes the identity of the imported model of a file with this content of n bytes. The content of further files that it includes is part
 * of it. MT_MEMORY. */
MT_NODISCARD mt_status mt_cell_model_identity(
    const char *path, const void *content, size_t n, char identity[MT_CELL_IDENTITY]);

/* True if two models have the same content. */
bool mt_cell_model_same(const mt_cell_model *a, const mt_cell_model *b);

/* Writes the names of a model's variants: "epi, mid, endo". */
void mt_cell_variant_names(const mt_cell_model *model, char *text, size_t size);

/* Find a model of the table or a variant by name. MT_INPUT if it does not exist; the message lists the names. */
MT_NODISCARD mt_status mt_cell_model_find(const char *name, const mt_cell_model **model);
MT_NODISCARD mt_status mt_cell_variant_find(const mt_cell_model *model, const char *name, size_t *variant);

/* Returns the index of the state Ca_i in mM, intracellular calcium; SIZE_MAX: the model has none. */
size_t mt_cell_model_calcium(const mt_cell_model *model);

/* Fill constants[n][n_constants] for n variants of a model, rounded to the arithmetic of the kernels that read them. */
void mt_cell_constants_float(
    const mt_cell_model *model, const mt_cell_variant *variant, size_t n, float *constants);
void mt_cell_constants_double(
    const mt_cell_model *model, const mt_cell_variant *variant, size_t n, double *constants);

/* Advance n cells by one step with the kernel for this host's instruction set. v_in_mV and v_out_mV may be the same array. */
void mt_cell_react_float(const mt_cell_model *model, const float *constants, size_t n_variants,
    const uint16_t *of, double dt_ms, size_t n, float *state, const float *v_in_mV, float *v_out_mV);
void mt_cell_react_double(const mt_cell_model *model, const double *constants, size_t n_variants,
    const uint16_t *of, double dt_ms, size_t n, double *state, const double *v_in_mV, double *v_out_mV);

/* Limits the interval between evaluations to interval_max_ms, in a power of 2 of steps: a step in which it ends is replaced by one in which
 * all cells are evaluated. */
mt_multirate_step mt_cell_limited_step(const mt_cell_model *model, const mt_multirate_step *step);

/* Same, with multirate stepping, evaluated at least every interval_max_ms. */
void mt_cell_multirate_react_float(const mt_cell_model *model, const float *constants, size_t n_variants,
    const uint16_t *of, const mt_multirate_step *step, size_t n, float *state, float *kept_mV,
    float *change_mV, float *since, const float *v_in_mV, float *v_out_mV);
void mt_cell_multirate_react_double(const mt_cell_model *model, const double *constants, size_t n_variants,
    const uint16_t *of, const mt_multirate_step *step, size_t n, double *state, double *kept_mV,
    double *change_mV, double *since, const double *v_in_mV, double *v_out_mV);

/* Advance cells with uniform stepping and the model's own variants: all cells of `variant`, or of variant_of [n] if not NULL. */
void mt_cell_step_float(const mt_cell_model *model, size_t variant, const uint16_t *variant_of, double dt_ms,
    size_t n, float *state, const float *v_in_mV, float *v_out_mV);
void mt_cell_step_double(const mt_cell_model *model, size_t variant, const uint16_t *variant_of, double dt_ms,
    size_t n, double *state, const double *v_in_mV, double *v_out_mV);
