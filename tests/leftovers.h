/* True if a writer left its temporary file (data/files/file.h) next to this path. */
#pragma once

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static inline size_t leftovers(const char *path)
{
    char pattern[4200];
    glob_t found;
    const char *slash = strrchr(path, '/');
    const int folder = slash ? (int)(slash - path) + 1 : 0;
    (void)snprintf(pattern, sizeof pattern, "%.*s.%s.*.part", folder, path, path + folder);
    if (glob(pattern, GLOB_PERIOD, NULL, &found) != 0) return 0;
    const size_t n = found.gl_pathc;
    globfree(&found);
    return n;
}
