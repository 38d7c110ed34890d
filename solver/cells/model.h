/* The table of cell models: what everything else asks about the cells of a heart.
 *
 * A model is a folder here and a line in model.c; solver/README.md says how to add one. A cell has a membrane potential V [mV]
 * and further states. One step is explicit: all right-hand sides are of the values at the step's start. No current is injected:
 * the caller adds a stimulus to V before the step.
 *
 * The equations stand once, in the model's kernel file, compiled for float and double and for each instruction set of the host
 * (solver/cells/kernel.h); every version of one arithmetic gives the same bits. */
#pragma once

#include "data/core/status.h"
#include "ipu/cost/mix.h"
#include "solver/kernels/multirate.h"
#include "solver/kernels/kernels.h"

/* A state, a parameter or a current. */
typedef struct mt_cell_quantity {
    const char *name, *unit; /* unit "": none */
} mt_cell_quantity;

/* What is held of a cell for multirate stepping (solver/kernels/multirate.h); their names and units, and their values at the start. */
typedef enum mt_paced { MT_PACED_KEPT, MT_PACED_CHANGE, MT_PACED_SINCE, MT_PACED } mt_paced;
extern const mt_cell_quantity mt_paced_quantity[MT_PACED];
extern const double mt_paced_start[MT_PACED];

/* Cells of one model that differ in its parameters and in where they rest. */
typedef struct mt_cell_variant {
    const char *name;
    const double *parameters; /* [n_parameters] */
    double v_mV;              /* at rest */
    const double *states;     /* [n_states] at rest */
} mt_cell_variant;

/* What a model's equations take in place of a variant's parameters: numbers that no step changes, some made of several
 * parameters. Fills constants[n_constants] from parameters[n_parameters]. */
typedef void mt_cell_constants(const double *parameters, double *constants);

enum { MT_CELL_CONSTANTS = 64, MT_CELL_VARIANTS = 8 }; /* the most that a model has of each, by itself */

/* Takes n cells one step of dt_ms: reads v_in and the states, writes v_out and the states, which lie in blocks
 * (solver/kernels/block.h). constants: [n_variants][n_constants], at most 65,536 variants. `of` NULL: all cells are of the first;
 * else cell c is of variant of[c] and gets the bits it would get among its like. Cells of 16 neighbours that are alike cost as much as
 * if all were. */
typedef void mt_cell_kernel_float(const float *constants, size_t n_variants, const uint16_t *of, double dt_ms,
    size_t n, float *state, const float *v_in_mV, float *v_out_mV);
typedef void mt_cell_kernel_double(const double *constants, size_t n_variants, const uint16_t *of,
    double dt_ms, size_t n, double *state, const double *v_in_mV, double *v_out_mV);

/* The same with multirate stepping (solver/kernels/multirate.h): kept, change and since [n] are read and written, too. */
typedef void mt_cell_multirate_float(const float *constants, size_t n_variants, const uint16_t *of,
    const mt_multirate_step *step, size_t n, float *state, float *kept_mV, float *change_mV, float *since,
    const float *v_in_mV, float *v_out_mV);
typedef void mt_cell_multirate_double(const double *constants, size_t n_variants, const uint16_t *of,
    const mt_multirate_step *step, size_t n, double *state, double *kept_mV, double *change_mV, double *since,
    const double *v_in_mV, double *v_out_mV);

/* The currents [n_currents] of one cell with these constants [n_constants] in this state, by the expressions that its step is made
 * of, in double precision. */
typedef void mt_cell_currents(const double *constants, double v_mV, const double *states, double *current);

/* How late waves are in a mesh of the usual tissue, whose elements have this length (the cube root of their mean volume), with time
 * steps of MT_CELL_DELAYS_DT_MS: by the usual scheme of diffusion, and by the plain one (solver/diffusion/scheme.h). It is what
 * `myotile reproduce waves --plain` calls the delay, the root mean square over all directions, as a mean of its three families of
 * meshes; below 0 where waves are early on the whole. */
typedef struct mt_cell_delay {
    double length_mm, usual_percent, plain_percent;
} mt_cell_delay;

#define MT_CELL_DELAYS_DT_MS 0.02

/* A row of the table. */
typedef struct mt_cell_model {
    const char *name, *title, *source; /* as cases say it, as people do, and where it was published */
    size_t n_states, n_parameters, n_constants, n_variants;
    const mt_cell_quantity *states, *parameters; /* without V */
    mt_cell_constants *constants;                /* NULL: they are the parameters */
    const mt_cell_variant *variants;             /* the first is the usual one */
    size_t n_currents;                           /* 0: the model tells none, and the next two are NULL */
    const mt_cell_quantity *currents;
    mt_cell_currents *currents_of;
    /* The ions that may carry the charge of a stimulus: a state, and by how much it changes with 1 mV; 0: the model has none. */
    size_t carrier;
    double carrier_per_mV;
    double dt_max_ms; /* the longest step that is stable */
    double front_ms;  /* t_0 of the spreading (solver/diffusion/spreading.h): larger for wider fronts */
    mt_cell_kernel_float *kernel_float[MT_ISAS];
    mt_cell_kernel_double *kernel_double[MT_ISAS];
    mt_cell_multirate_float *multirate_float[MT_ISAS];
    mt_cell_multirate_double *multirate_double[MT_ISAS];
    struct
    { /* a cell's step on a tile: of one variant, and where each cell has its own; and its evaluation with multirate stepping */
        ipu_mix ode, ode_mixed, ode_multirate, ode_mixed_multirate;
    } mix;
    size_t n_delays;
    const mt_cell_delay *delays; /* [n_delays] by ascending length; the schemes' magnitudes ascend, too */
} mt_cell_model;

extern const mt_cell_model *const mt_cell_models[]; /* the first is the usual one; NULL ends the table */

/* The names of a model's variants: "epi, mid, endo". */
void mt_cell_variant_names(const mt_cell_model *model, char *text, size_t size);

/* MT_INPUT: there is none; the message has the names that there are. */
MT_NODISCARD mt_status mt_cell_model_find(const char *name, const mt_cell_model **model);
MT_NODISCARD mt_status mt_cell_variant_find(const mt_cell_model *model, const char *name, size_t *variant);

/* Fills constants[n][n_constants] for n variants of a model, rounded to the arithmetic of the kernels that take them. */
void mt_cell_constants_float(
    const mt_cell_model *model, const mt_cell_variant *variant, size_t n, float *constants);
void mt_cell_constants_double(
    const mt_cell_model *model, const mt_cell_variant *variant, size_t n, double *constants);

/* One step of n cells on this host: the kernel for its instruction set. v_in_mV and v_out_mV may be the same array. */
void mt_cell_react_float(const mt_cell_model *model, const float *constants, size_t n_variants,
    const uint16_t *of, double dt_ms, size_t n, float *state, const float *v_in_mV, float *v_out_mV);
void mt_cell_react_double(const mt_cell_model *model, const double *constants, size_t n_variants,
    const uint16_t *of, double dt_ms, size_t n, double *state, const double *v_in_mV, double *v_out_mV);

/* The same with multirate stepping. */
void mt_cell_multirate_react_float(const mt_cell_model *model, const float *constants, size_t n_variants,
    const uint16_t *of, const mt_multirate_step *step, size_t n, float *state, float *kept_mV,
    float *change_mV, float *since, const float *v_in_mV, float *v_out_mV);
void mt_cell_multirate_react_double(const mt_cell_model *model, const double *constants, size_t n_variants,
    const uint16_t *of, const mt_multirate_step *step, size_t n, double *state, double *kept_mV,
    double *change_mV, double *since, const double *v_in_mV, double *v_out_mV);

/* Uniform stepping with the model's own variants, all cells of one, or where variant_of is not NULL each of its own. */
void mt_cell_step_float(const mt_cell_model *model, size_t variant, const uint16_t *variant_of, double dt_ms,
    size_t n, float *state, const float *v_in_mV, float *v_out_mV);
void mt_cell_step_double(const mt_cell_model *model, size_t variant, const uint16_t *variant_of, double dt_ms,
    size_t n, double *state, const double *v_in_mV, double *v_out_mV);
