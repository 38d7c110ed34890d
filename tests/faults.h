/* Replacements of the system calls that change a folder: one or more of them fail, or one kills the program. They override the C
 * library's functions in a test that includes this file. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

typedef enum fault { NO_FAULT, KILLED, FAILS_ONCE, FAILS_11_TIMES, FAILS_ALWAYS, FAULTS } fault;
enum { KILLED_CODE = 77 };

static fault fault_now;
static int calls, faulty_call; /* from 0 */

/* Sets the fault of the call of this number, and of all later calls if the fault lasts. */
static inline void begin_fault(fault what, int at)
{
    fault_now = what;
    faulty_call = at;
    calls = 0;
}

static bool is_faulty(void)
{
    const int last = fault_now == FAILS_ONCE ? faulty_call : faulty_call + 10, call = calls++;
    if (fault_now == KILLED && call == faulty_call) _exit(KILLED_CODE);
    return fault_now >= FAILS_ONCE && call >= faulty_call && (fault_now == FAILS_ALWAYS || call <= last);
}

int rename(const char *from, const char *to)
{
    return is_faulty() ? (errno = EIO, -1) : renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int link(const char *from, const char *to)
{
    return is_faulty() ? (errno = EIO, -1) : linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char *path) { return is_faulty() ? (errno = EIO, -1) : unlinkat(AT_FDCWD, path, 0); }

/* Does nothing, because there are no power failures in tests. */
int fsync(int file) { return (void)file, is_faulty() ? (errno = EIO, -1) : 0; }
