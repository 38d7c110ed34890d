/* Options of the commands for a single cell: ionic model, type, parameters, initial state and time step.
 *
 * --scale and --set have the meaning of cell.scale and cell.set of a case (solver/cells/parameters.h). They apply on top of the
 * changes in the file of --start. */
#pragma once

#include "app/cli/command.h"
#include "solver/cells/cell_state.h"
#include "solver/cells/pacing.h"

#define MT_CELL_OPTIONS                                                                                      \
    {.name = "--model",                                                                                      \
        .value = "MODEL",                                                                                    \
        .help = "ionic model, a name or the path of a .cellml, .mmt, .ode or .model file; default: that of " \
                "--start, or the first of `cell --list`"},                                                   \
        {.name = "--type",                                                                                   \
            .value = "NAME",                                                                                 \
            .help = "cell type; default: that of --start, or the first of the model"},                       \
        {.name = "--start",                                                                                  \
            .value = "STATE.yaml",                                                                           \
            .help = "start from a state written by `cell --save`; default: the resting state"},              \
        {.name = "--scale",                                                                                  \
            .value = "NAME=F",                                                                               \
            .help = "multiply a parameter by F, such as g_Kr=0.5; `cell --list --type` lists the names",     \
            .repeats = true},                                                                                \
        {.name = "--set",                                                                                    \
            .value = "NAME=V",                                                                               \
            .help = "set a parameter, in the unit of the model, such as K_o=6",                              \
            .repeats = true},                                                                                \
    {                                                                                                        \
        .name = "--dt-ms", .value = "DT",                                                                    \
        .help = "time step; default: that of --start, or 0.02, or the longest stable one of the model"       \
    }

#define MT_CELL_OPTION_STIMULUS                                                                              \
    {.name = "--stimulus",                                                                                   \
        .value = "START,DURATION,STRENGTH",                                                                  \
        .help = "in ms, ms and mV/ms (= pA/pF); start relative to each pacing cycle; default: 1,1,52"},      \
    {                                                                                                        \
        .name = "--carrier", .value = "ION",                                                                 \
        .help = "ion that carries the stimulus current: none (default) or K_i, whose concentration then "    \
                "changes, which matters over hundreds of beats"                                              \
    }

typedef struct mt_chosen_cell {
    const mt_cell_model *model;
    mt_cell_variant variant; /* with the parameter changes of the file and the options */
    bool changed;            /* true if its parameters differ from the defaults of the type */
    double v_mV;             /* initial Vm: at rest, or that of the file */
    const double *states;    /* [n_states] */
    double dt_ms;
    bool started;        /* true if --start was given */
    mt_cell_state start; /* content of that file, if `started` */
} mt_chosen_cell;

/* Reads MT_CELL_OPTIONS. Fails with MT_INPUT if the model, type or parameter does not exist, if the file is invalid or belongs to
 * another cell, or if the model is unstable at the time step. Also fails with MT_FILE or MT_MEMORY. */
MT_NODISCARD mt_status mt_cell_options_read(
    mt_arena *arena, const mt_arguments *arguments, mt_chosen_cell *cell);

/* Writes the name of the cell for titles: "epi cell", "epi cell with other parameters". */
void mt_cell_title(const mt_chosen_cell *cell, char *title, size_t size);

/* Reads start, duration and strength of the pulses, and whether ions carry them. Fails with MT_INPUT if there are not three
 * numbers, or if the ion does not carry stimuli in this model. */
MT_NODISCARD mt_status mt_cell_option_stimulus(
    const mt_arguments *arguments, const mt_cell_model *model, mt_pulses *pulses);
