/* The options of commands about one cell: which cell, with which parameters, from which state, in which time steps.
 *
 * --scale and --set say what cell.scale and cell.set of a case say (solver/cells/parameters.h), on top of what the file of --start
 * has changed. */
#pragma once

#include "app/cli/command.h"
#include "solver/cells/cell_state.h"
#include "solver/cells/pacing.h"

#define MT_CELL_OPTIONS                                                                                      \
    {.name = "--model",                                                                                      \
        .value = "NAME",                                                                                     \
        .help = "the cell model; default: that of --start, or the first of `cell --list`"},                  \
        {.name = "--type",                                                                                   \
            .value = "NAME",                                                                                 \
            .help = "the kind of cell; default: that of --start, or the model's first"},                     \
        {.name = "--start",                                                                                  \
            .value = "STATE.yaml",                                                                           \
            .help = "begin with the state that `cell --save` wrote; default: at rest"},                      \
        {.name = "--scale",                                                                                  \
            .value = "NAME=F",                                                                               \
            .help = "a parameter times F, such as g_Kr=0.5; `cell --list --type` names them",                \
            .repeats = true},                                                                                \
        {.name = "--set",                                                                                    \
            .value = "NAME=V",                                                                               \
            .help = "a parameter's value in the model's unit, such as K_o=6",                                \
            .repeats = true},                                                                                \
    {                                                                                                        \
        .name = "--dt-ms", .value = "DT", .help = "time step; default: that of --start, or 0.02"             \
    }

#define MT_CELL_OPTION_STIMULUS                                                                              \
    {.name = "--stimulus",                                                                                   \
        .value = "START,DURATION,STRENGTH",                                                                  \
        .help = "in ms, ms and mV/ms (= pA/pF); the start is that in each cycle; default: 1,1,52"},          \
    {                                                                                                        \
        .name = "--carrier", .value = "ION",                                                                 \
        .help = "the ions that carry the stimulus: none (default), or K_i, whose concentration changes by "  \
                "its charge, which matters over hundreds of beats"                                           \
    }

typedef struct mt_chosen_cell {
    const mt_cell_model *model;
    mt_cell_variant variant; /* with the parameters of the file and the options */
    bool changed;            /* are they not those of the type by itself? */
    double v_mV;             /* where it begins: at rest, or as the file says */
    const double *states;    /* [n_states] */
    double dt_ms;
    bool started;        /* by --start */
    mt_cell_state start; /* there: what that file holds */
} mt_chosen_cell;

/* Gives what MT_CELL_OPTIONS choose. MT_INPUT: no such model, type or parameter, a file that is wrong or about another cell, a time
 * step in which the model is not stable. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_cell_options_read(
    mt_arena *arena, const mt_arguments *arguments, mt_chosen_cell *cell);

/* What titles call it: "epi cell", "epi cell with other parameters". */
void mt_cell_title(const mt_chosen_cell *cell, char *title, size_t size);

/* Fills in the start, duration and rise of pulses, and whether they are carried. MT_INPUT: not three numbers, or ions that do not carry
 * stimuli of this model. */
MT_NODISCARD mt_status mt_cell_option_stimulus(
    const mt_arguments *arguments, const mt_cell_model *model, mt_pulses *pulses);
