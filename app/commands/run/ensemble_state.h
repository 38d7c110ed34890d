/* The state of an ensemble while the command `run --ensemble` executes it (app/commands/run/ensemble.h). */
#pragma once

#include "app/commands/run/members.h"
#include "app/commands/run/one_run.h"
#include "app/results/ensemble_table.h"
#include "data/core/hash.h"
#include "data/core/progress.h"

/* A member and its run. */
typedef struct mt_variant {
    mt_one_run run;
    mt_member_row row;
    char fingerprint[MT_HASH_SIZE]; /* of its case */
    char problem[MT_HASH_SIZE];     /* of the keys that affect mesh, operator or mapping */
    mt_messages said;               /* warnings and notes */
    bool complete, resumes;         /* from an earlier command: its results; checkpoints to resume from */
    bool begun;
} mt_variant;

typedef struct mt_ensemble_state {
    const mt_arguments *arguments;
    const mt_communicator *ranks;       /* that share the members; NULL: a single process */
    const char *folder;                 /* entered */
    const char *file_name, *one, *many; /* of the table; words for a member */
    mt_arena *arena;
    mt_members members;
    mt_one_run base;           /* the case of the ensemble, not executed; unused in a sweep */
    mt_messages said;          /* warnings of the complete ensemble */
    const char **name;         /* [n] of the members */
    const char *const **value; /* [n][n_keys] */
    mt_variant *of;            /* [n] */
    size_t n, jobs, n_left;    /* members, processes, members that are not complete at the start */
    size_t *order;             /* [n_left] members in the order of execution */
    size_t n_ended, n_failed;  /* of those */
    mt_shared shared;
    mt_status status; /* of the first failed or stopped run */
    char why[1024];   /* its message */
    /* With several processes: the state of the check (CHECK), the last member of each process, and the times of the progress. */
    enum { UNCHECKED, CHECKING, CHECKED, REFUSED } check;
    size_t *last; /* [jobs] SIZE_MAX: none */
    double begun_s, told_s;
} mt_ensemble_state;
