/* The processes that a launcher (mpirun, srun) has started together, by MPI.
 *
 * The first of them, rank 0, talks to the person and writes files; the others are silent and leave signals to it. A process that no
 * launcher has started is alone and does not wake MPI. Built without MPI (CMake's MT_MPI) it must be alone. */
#ifndef MT_APP_CLI_RANKS_H
#define MT_APP_CLI_RANKS_H

#include <stdbool.h>
#include <stdio.h>

#include "data/communicator.h"

/* Finds the others, if there are any. MT_INPUT: there are, and MPI is not built in. */
MT_NODISCARD mt_status mt_ranks_begin(void);

/* All of them; NULL: the process is alone. */
const mt_communicator *mt_ranks(void);

/* Is this the one that talks? */
bool mt_ranks_speaks(void);

/* Before the process exits, with how it went, which becomes how it went anywhere: of several failures that of the lowest rank. Answers whether
 * this one is to print the message, which names its rank where that is not 0. Waits for the others. Where one has failed and others do not come within two
 * seconds, which will wait for it forever, it prints its message, if any, to `messages`, and ends them all. */
bool mt_ranks_end(mt_status *status, FILE *messages);

#endif
