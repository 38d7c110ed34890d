/* One temporary file for each test, that `path` names: enter before the test, leave behind it. To be included last. */
#ifndef TESTS_ONE_FILE_H
#define TESTS_ONE_FILE_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static inline void enter(void)
{
    strcpy(path, "/tmp/myotile_XXXXXX.file");
    int fd = mkstemps(path, 5);
    cr_assert(fd >= 0);
    (void)close(fd);
}

static inline void leave(void) { (void)unlink(path); }

#endif
