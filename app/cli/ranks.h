/* The processes that a launcher (mpirun, srun) has started together, by MPI.
 *
 * The first of them, rank 0, talks to the person and writes files; the others are silent and leave signals to it. A process that no
 * launcher has started is alone and does not wake MPI. Built without MPI (CMake's MT_MPI) it must be alone. */
#pragma once

#include <stdbool.h>

#include "data/core/communicator.h"

/* Finds the others, if there are any. MT_INPUT: there are, and MPI is not built in, or another than the launcher's. */
MT_NODISCARD mt_status mt_ranks_begin(void);

/* All of them; NULL: the process is alone. */
const mt_communicator *mt_ranks(void);

/* Is this the one that talks? */
bool mt_ranks_speaks(void);

/* Makes all of one mind on how something went (mt_communicator_agree); of a process that is alone, what it was. */
MT_NODISCARD mt_status mt_ranks_agree(mt_status status);

/* Before the process exits, with how it went. Waits for the others, but not longer than two seconds where it failed here: they may be waiting
 * for this one forever. Answers whether it is to print its message: of those that failed the lowest rank, or who waited in vain. The message
 * names the rank where that is not 0. */
bool mt_ranks_end(mt_status status);

/* Behind that message, with the exit code: ends all, if some did not come. Otherwise nobody leaves before the message is printed: a launcher
 * ends the others when one has left with a failure. */
void mt_ranks_leave(int code);
