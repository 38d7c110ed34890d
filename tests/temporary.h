/* Names of temporary files and folders of tests, in the folder TMPDIR or in /tmp. CTest sets it to a folder in memory (cmake/tests.cmake),
 * since the program waits until its files are on the disk. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

/* Writes the pattern of a name for mkdtemp or mkstemps. `size`: of `path`. */
static inline void temporary_pattern(char *path, size_t size, const char *name)
{
    const char *folder = getenv("TMPDIR");
    (void)snprintf(path, size, "%s/%s", folder && *folder ? folder : "/tmp", name);
}
