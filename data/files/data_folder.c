#include "data/files/data_folder.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/files/file.h"

/* Writes the path of the shared library that contains this code, or of the program. */
static void find_code(char path[PATH_MAX])
{
    Dl_info info;
    char *own = NULL;
    if (dladdr(MT_DATA_DIR, &info) != 0 && strstr(info.dli_fname, ".so"))
        own = realpath(info.dli_fname, NULL);
    const ssize_t n = own ? 0 : readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[n > 0 ? n : 0] = 0;
    if (own) (void)snprintf(path, PATH_MAX, "%s", own);
    free(own);
}

/* Writes the folder share/myotile of the installation that has this code, or that of the source tree. */
static void find_folder(char *folder, size_t size)
{
    enum {
        LEVELS = 3
    }; /* /usr/bin/myotile, /usr/lib/libmyotile.so, /usr/lib/x86_64-linux-gnu/libmyotile.so: /usr */
    char path[PATH_MAX] = "";
    find_code(path);
    for (int k = 0; k < LEVELS; k++) {
        char *slash = strrchr(path, '/');
        if (slash) *slash = 0;
        (void)snprintf(folder, size, "%s/share/myotile", path);
        if (slash && k > 0 && access(folder, X_OK) == 0) return;
    }
    (void)snprintf(folder, size, "%s", MT_DATA_DIR);
}

const char *mt_data_folder(void)
{
    static char folder[PATH_MAX + 32];
    if (!folder[0]) find_folder(folder, sizeof folder);
    return folder;
}

const char *mt_machines_folder(void)
{
    static char folder[PATH_MAX + 64];
    (void)snprintf(folder, sizeof folder, "%s/machines", mt_data_folder());
    return folder;
}

mt_status mt_data_path(mt_arena *arena, const char *file, const char **path)
{
    char *text;
    MT_ALLOC(arena, text, MT_FILE_PATH_MAX);
    if (snprintf(text, MT_FILE_PATH_MAX, "%s/%s", mt_data_folder(), file) >= MT_FILE_PATH_MAX)
        return mt_fail(MT_INPUT, "%s: the path is too long", file);
    *path = text;
    return MT_OK;
}
