/* One run of a case, from what was asked for to its results in a folder. */
#ifndef MT_APP_COMMANDS_RUN_ONE_RUN_H
#define MT_APP_COMMANDS_RUN_ONE_RUN_H

#include "app/cli/command.h"
#include "app/results/report.h"
#include "app/run/checkpoints.h"
#include "app/run/mapping.h"
#include "app/run/shared.h"

extern const mt_command mt_command_run;

/* What is asked for. */
typedef struct mt_one_run {
    const char *path;    /* of the case, for messages; of the checkpoint where only that has it */
    const char *resumed; /* the folder to go on from; NULL: from rest */
    mt_checkpoint from;  /* there */
    mt_case input;
    const mt_backend *backend;
    mt_mapping_choice choice;
    bool cached;         /* mt_operator_make */
    const char *details; /* the folder for all files of the machine's profile; NULL: only profile.json */
    bool trace;
    mt_tracing tracing;
    const char *what; /* in the line of progress */
} mt_one_run;

/* Gives what the arguments of `run` ask for, and `also` a value of the case, if it is not NULL, behind those of --set. What can be
 * told without the mesh is checked. MT_INPUT. MT_FILE: the case, a checkpoint or a machine's file cannot be read. MT_MEMORY. */
MT_NODISCARD mt_status mt_one_run_read(
    mt_arena *arena, const mt_arguments *arguments, const mt_yaml_override *also, mt_one_run *run);

/* The part of a rank that is not 0 in mt_one_run_make on rank 0: it waits until that is ready (mt_ranks_agree), is given its part of the
 * problem, and computes what it is asked to. Fails as that. */
MT_NODISCARD mt_status mt_one_run_make_part(const mt_one_run *run);

/* What is done with a run that has ended or was stopped. */
typedef mt_status mt_one_run_results(void *user, mt_arena *arena, const mt_run *done);

/* Runs it and hands its results over; `folder`, and that of the details, were entered. `shared` is what it shares with others; NULL:
 * nothing. Warns of what is unusual. MT_STOPPED: a signal came; its results are handed over where a step was done. */
MT_NODISCARD mt_status mt_one_run_make(mt_arena *arena, mt_one_run *run, mt_shared *shared,
    const char *folder, mt_one_run_results *results, void *user);

#endif
