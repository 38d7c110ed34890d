/* One temporary file for each test, with the name `path`, created before and deleted after the test. To be included last. */
#pragma once

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/temporary.h"

static char path[64];

static inline void enter(void)
{
    temporary_pattern(path, sizeof path, "myotile_XXXXXX.file");
    int fd = mkstemps(path, 5);
    cr_assert(fd >= 0);
    (void)close(fd);
}

static inline void leave(void) { (void)unlink(path); }
