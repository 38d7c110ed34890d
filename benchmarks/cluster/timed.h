/* A communicator that tells how long its rank was in the functions of another. */
#pragma once

#include "data/core/communicator.h"

/* Where a rank was: in broadcasts, reductions, send and receive, exchanges (start and finish); everywhere else. */
typedef enum timed_place {
    TIMED_BROADCAST,
    TIMED_REDUCE,
    TIMED_LETTERS,
    TIMED_EXCHANGE,
    TIMED_ELSEWHERE
} timed_place;
enum { TIMED_PLACES = TIMED_ELSEWHERE + 1 };

/* The one of this process, around `inner` (kept). */
const mt_communicator *timed_around(const mt_communicator *inner);

/* Seconds on a clock that only goes forward; those of the simulated computer under SMPI. */
double timed_now_s(void);

/* Begins anew; and tells what it came to since. */
void timed_begin(void);
void timed_tell(double seconds[TIMED_PLACES]);
