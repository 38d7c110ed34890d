/* Other programs, run as children of this one, without input and output. A child dies with this program. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "data/core/status.h"

enum { MT_CHILD_NOT_STARTED = 127 };

typedef struct mt_child {
    const char *const *words; /* the program, searched in PATH, and its arguments; terminated by NULL */
    bool fixed_addresses;     /* true to disable address randomisation, if the system allows it */
    int code; /* result: the exit code, MT_CHILD_NOT_STARTED, or 128 plus the number of the signal that ended it */
} mt_child;

/* Runs n programs at the same time and waits for all. A signal ends them and returns MT_STOPPED; mt_progress_exit_on_interrupt
 * (data/core/progress.h) then handles signals again. MT_FILE: the system cannot start a process. */
MT_NODISCARD mt_status mt_children_run(size_t n, mt_child *child);
