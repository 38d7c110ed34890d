/* The parts of the library (app/library/myotile.h): cases, runs and results. */
#pragma once

#include "app/commands/run/one_run.h"
#include "app/library/myotile.h"

struct myotile_case {
    mt_arena arena;
    const char *path;
    mt_yaml_override *sets; /* [n_sets] of myotile_open */
    size_t n_sets;
    myotile_options options;
    mt_shared shared;
    mt_communicator ranks; /* zeros: a single process */
};

/* Returns the communicator of a case; NULL for a single process. */
const mt_communicator *mt_library_ranks(const myotile_case *c);

/* A call of the library for a case, in its thread: receives the reports of its preparations and steps. */
typedef struct mt_library_call {
    const myotile_options *options;
    const char *what; /* current operation */
    double total;     /* simulated time of it [ms]; 0: a stage */
    double told_s;    /* moment of the last progress report */
    bool stop;        /* true if a callback asked for it */
    int threads;      /* of OpenMP before the call */
} mt_library_call;

/* Begins a call: reports of this thread go to its callbacks, and OpenMP has its number of threads. */
void mt_library_begin(mt_library_call *call, const myotile_options *options);

/* Ends it, and returns its status. */
myotile_status mt_library_end(mt_library_call *call, mt_status status);

/* Wait for and leave the preparation, which one thread of the process has at a time: the functions for files, among them HDF5, allow
 * no more (data/files/file.h, data/files/h5.h). HDF5's own error output is as before after it. */
void mt_library_lock(void);
void mt_library_unlock(void);

/* Computes the result of a run that was made: the maps of all beats, the tables, and the frames. Borrows nothing. Fails with MT_MEMORY, or
 * with MT_FILE if the frames cannot be read. */
MT_NODISCARD mt_status mt_library_collect(mt_run *run, myotile_result **result);
