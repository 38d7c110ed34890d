#include "data/files/temporary.h"

#include <stdio.h>
#include <string.h>

static const char part[] = ".part", previous[] = ".prev";
enum { DIGITS = 6, SUFFIX = sizeof part - 1 };

void mt_temporary_path(const char *target, uint32_t number, char *path, size_t size)
{
    const char *slash = strrchr(target, '/');
    const int folder = slash ? (int)(slash + 1 - target) : 0;
    (void)snprintf(path, size, "%.*s.%s.%0*x%s", folder, target, target + folder, DIGITS,
        (unsigned)(number & 0xffffff), part);
}

void mt_temporary_previous(const char *temporary, char *path, size_t size)
{
    (void)snprintf(path, size, "%.*s%s", (int)(strlen(temporary) - SUFFIX), temporary, previous);
}

bool mt_temporary_target(const char *file, char *name, size_t size)
{
    const size_t n = strlen(file), rest = 1 + DIGITS + SUFFIX;
    if (n < rest + 2 || file[0] != '.' || n - rest > size) return false;
    const char *suffix = file + n - SUFFIX;
    if ((strcmp(suffix, part) != 0 && strcmp(suffix, previous) != 0) || file[n - rest] != '.') return false;
    if (strspn(file + n - rest + 1, "0123456789abcdef") != DIGITS) return false;
    (void)snprintf(name, size, "%.*s", (int)(n - rest - 1), file + 1);
    return true;
}
