/* A fuzzer's folder, in memory if the system supports that, and its failure exit. */
#pragma once

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/core/status.h"

static char folder[64];

static inline int remove_thing(const char *name, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(name);
}

static inline void leave(void) { (void)nftw(folder, remove_thing, 8, FTW_DEPTH | FTW_PHYS); }

static inline void die(const char *what)
{
    (void)fprintf(stderr, "%s: %s\n", what, mt_message());
    leave();
    abort();
}

static inline void enter(void)
{
    strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/fuzz.XXXXXX" : "/tmp/fuzz.XXXXXX");
    if (!mkdtemp(folder)) die("no folder");
    (void)atexit(leave);
}

static inline void write_bytes(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, n, file) != n || fclose(file) != 0) die("cannot write");
}
