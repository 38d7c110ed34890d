#include "data/temporary.h"

#include <stdio.h>
#include <string.h>

static const char suffix[] = ".part";
enum { DIGITS = 6 };

void mt_temporary_path(const char *target, uint32_t number, char *path, size_t size)
{
    const char *slash = strrchr(target, '/');
    const int folder = slash ? (int)(slash + 1 - target) : 0;
    (void)snprintf(path, size, "%.*s.%s.%0*x%s", folder, target, target + folder, DIGITS,
        (unsigned)(number & 0xffffff), suffix);
}

bool mt_temporary_target(const char *file, char *name, size_t size)
{
    const size_t n = strlen(file), rest = 1 + DIGITS + sizeof suffix - 1;
    if (n < rest + 2 || file[0] != '.' || n - rest > size) return false;
    if (strcmp(file + n - (sizeof suffix - 1), suffix) != 0 || file[n - rest] != '.') return false;
    if (strspn(file + n - rest + 1, "0123456789abcdef") != DIGITS) return false;
    (void)snprintf(name, size, "%.*s", (int)(n - rest - 1), file + 1);
    return true;
}
