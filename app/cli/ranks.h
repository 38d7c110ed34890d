/* The processes that a launcher (mpirun, srun) has started together, communicating by MPI.
 *
 * The first process, rank 0, prints and writes files; the others are silent and leave signals to it. They share one run, or the members of
 * an ensemble (app/commands/run/workers.h). A process without a launcher is alone and does not initialise MPI. A build without MPI (CMake's
 * MT_MPI) supports only a single process. */
#pragma once

#include <stdbool.h>

#include "data/core/communicator.h"

/* Finds the other ranks, if any. Fails with MT_INPUT if there are several and the build has no MPI, or another MPI than the
 * launcher's. */
MT_NODISCARD mt_status mt_ranks_begin(void);

/* Returns the communicator of all ranks; NULL if the process is alone. */
const mt_communicator *mt_ranks(void);

/* True if this rank prints. */
bool mt_ranks_prints(void);

/* Makes all ranks agree on one status (mt_communicator_agree). Returns `status` if the process is alone. */
MT_NODISCARD mt_status mt_ranks_agree(mt_status status);

/* Announces the status of a rank before its exit and waits for the others. After a failure it waits at most two seconds, since they
 * may be waiting for this rank forever. True if this rank has to print its message: the lowest rank that failed, or one that waited
 * in vain. The message contains the rank unless it is 0. */
bool mt_ranks_end(mt_status status);

/* Leaves the program with this exit code, after the message was printed. Aborts all ranks if some did not arrive. Otherwise no rank
 * leaves before the message is printed, since a launcher ends the others when one rank leaves with a failure. */
void mt_ranks_exit(int code);

/* Makes a communicator of a duplicate of another program's (a pointer to an MPI_Comm), for a library that starts no MPI. Collective.
 * MT_INPUT: MPI is not initialised, or the build has none. MT_MEMORY. */
MT_NODISCARD mt_status mt_ranks_join(const void *comm, mt_communicator *c);

/* Frees it; does nothing for a zero-initialised one. Collective. */
void mt_ranks_leave(mt_communicator *c);
