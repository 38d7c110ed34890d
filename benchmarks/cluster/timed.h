/* A communicator that measures the time of its rank in the functions of another communicator. */
#pragma once

#include "data/core/communicator.h"

/* Where the time of a rank is spent: in broadcasts, reductions, send and receive, exchanges (start and finish); elsewhere. */
typedef enum timed_place {
    TIMED_BROADCAST,
    TIMED_REDUCE,
    TIMED_LETTERS,
    TIMED_EXCHANGE,
    TIMED_ELSEWHERE
} timed_place;
enum { TIMED_PLACES = TIMED_ELSEWHERE + 1 };

/* Returns the communicator of this process, around `inner` (kept). */
const mt_communicator *timed_around(const mt_communicator *inner);

/* Returns seconds of a monotonic clock; under SMPI, of the simulated computer. */
double timed_now_s(void);

/* The first starts the measurement; the second returns the seconds since then. */
void timed_begin(void);
void timed_tell(double seconds[TIMED_PLACES]);
