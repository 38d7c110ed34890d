/* A single run of a case, from its arguments to its results in a folder. */
#pragma once

#include "app/cli/command.h"
#include "app/results/run_files.h"
#include "app/run/mapping.h"
#include "app/run/shared.h"

extern const mt_command mt_command_run;

/* A run with all its data. It must not be moved after it was read. */
typedef struct mt_one_run {
    mt_run run;                   /* points to the members below */
    mt_case input;                /* completed by mt_one_run_execute: absolute paths and default values */
    const char *resumed;          /* folder of the run to resume; NULL: a new run */
    bool cached;                  /* mt_operator_make */
    const mt_communicator *ranks; /* that share the run; NULL: a single process */
    mt_mapping_choice choice;
    mt_placing given; /* the discretisation of a case with auto, if it is known before the problem is built */
    bool placing_told; /* true if the caller has reported the discretisation */
    mt_tracing tracing;
    mt_problem problem;
    const mt_mapping *mapping;
    mt_checkpoint from, start;
    mt_checkpoints checkpoints;
    mt_sampling sampling;
} mt_one_run;

/* Changes of a member of an ensemble to the case of the arguments. */
typedef struct mt_one_run_variant {
    /* values that are applied before all --set, and after them */
    size_t n_before, n_after;
    const mt_yaml_override *before, *after;
    const char *resumed; /* folder to resume from, in place of the option --resume; NULL: a new run */
} mt_one_run_variant;

/* Reads the arguments of `run`. `variant`: of an ensemble, which a single rank executes, or NULL. Checks everything that does not need the
 * mesh. Fails with MT_INPUT; with MT_FILE if the case, a checkpoint or a machine file cannot be read; or with MT_MEMORY. */
MT_NODISCARD mt_status mt_one_run_read(
    mt_arena *arena, const mt_arguments *arguments, const mt_one_run_variant *variant, mt_one_run *run);

/* The same for a case and its values, without other arguments, and without checkpoints. Borrows `path`, `sets` and `ranks`. */
MT_NODISCARD mt_status mt_one_run_of_case(mt_arena *arena, const char *path, const mt_yaml_override *sets,
    size_t n_sets, bool cached, const mt_communicator *ranks, mt_one_run *run);

/* Sets the discretisation of a case with auto in advance. */
void mt_one_run_give(mt_one_run *run, const mt_placing *placing);

/* Counterpart of mt_one_run_execute on ranks other than 0: waits until rank 0 is ready, receives its part of the
 * problem, and computes as instructed. Returns the errors of `mt_one_run_execute`. */
MT_NODISCARD mt_status mt_one_run_make_part(const mt_one_run *run);

/* Writes the files of a completed or stopped run, and shows this as a stage. `page`: true if report.html was written. Returns the
 * errors of `mt_run_files_write`. */
MT_NODISCARD mt_status mt_one_run_write(const mt_run *run, const char *folder, bool *page);

/* Prepares a run: problem, initial cells, mapping and samples. `shared`: data shared with other runs, or NULL. `folder`: entered, for the
 * samples and checkpoints of the run; NULL: samples are in memory, and there are no checkpoints. Warns of unusual values. */
MT_NODISCARD mt_status mt_one_run_prepare(
    mt_arena *arena, mt_shared *shared, const char *folder, mt_one_run *run);

/* Warns of unusual results of a run that was not stopped. */
void mt_one_run_warn(const mt_one_run *run);

/* Processes the results of a completed or stopped run. */
typedef mt_status mt_one_run_results(void *user, mt_arena *arena, const mt_run *done);

/* Prepares (mt_one_run_prepare) and executes the run, then calls `results`. `folder` and that of the details have been entered. Fails with
 * MT_STOPPED after a signal; `results` was called if at least one
 * step was completed. */
MT_NODISCARD mt_status mt_one_run_execute(mt_arena *arena, mt_one_run *run, mt_shared *shared,
    const char *folder, mt_one_run_results *results, void *user);
