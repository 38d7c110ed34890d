/* How many threads OpenMP starts. */
#pragma once

#include <stdbool.h>

/* Limits the number of threads to what the computer can start: as many as it has processors, if more than 64 and more than four for each
 * processor are requested, or more than the user may have (ulimit -u). Returns true if it reduced the number. Call it before the
 * first parallel region. */
bool mt_threads_bound(void);
