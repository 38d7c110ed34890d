/* One run of a case, from what was asked for to its results in a folder. */
#pragma once

#include "app/cli/command.h"
#include "app/results/report.h"
#include "app/run/mapping.h"
#include "app/run/shared.h"

extern const mt_command mt_command_run;

/* A run with all that it is made of; it stays where it was read. */
typedef struct mt_one_run {
    mt_run run;          /* points to what follows */
    mt_case input;       /* completed by mt_one_run_make: absolute paths, and what the case left open */
    const char *resumed; /* the folder to resume from; NULL: from the start */
    bool cached;         /* mt_operator_make */
    mt_mapping_choice choice;
    mt_tracing tracing;
    mt_problem problem;
    const mt_mapping *mapping;
    mt_checkpoint from, start;
    mt_checkpoints checkpoints;
    mt_sampling sampling;
} mt_one_run;

/* Gives what the arguments of `run` ask for, and `also` a value of the case, if it is not NULL, behind those of --set. What can be
 * told without the mesh is checked. MT_INPUT. MT_FILE: the case, a checkpoint or a machine's file cannot be read. MT_MEMORY. */
MT_NODISCARD mt_status mt_one_run_read(
    mt_arena *arena, const mt_arguments *arguments, const mt_yaml_override *also, mt_one_run *run);

/* The part of a rank that is not 0 in mt_one_run_make on rank 0: it waits until that is ready (mt_ranks_agree), is given its part of the
 * problem, and computes what it is asked to. Fails as that. */
MT_NODISCARD mt_status mt_one_run_make_part(const mt_one_run *run);

/* Writes the files of a run that has ended or was stopped, and shows that stage. `page`: report.html is among them. Fails as
 * mt_report_write. */
MT_NODISCARD mt_status mt_one_run_write(const mt_run *run, const char *folder, bool *page);

/* What is done with a run that has ended or was stopped. */
typedef mt_status mt_one_run_results(void *user, mt_arena *arena, const mt_run *done);

/* Makes the run and calls `results`; `folder`, and that of the details, were entered. `shared`: what it shares with others, or NULL. Warns
 * of unusual values. MT_STOPPED: a signal came; `results` was called if a step was done. */
MT_NODISCARD mt_status mt_one_run_make(mt_arena *arena, mt_one_run *run, mt_shared *shared,
    const char *folder, mt_one_run_results *results, void *user);
