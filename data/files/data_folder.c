#include "data/files/data_folder.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "data/files/file.h"

const char *mt_data_folder(void)
{
    static char folder[PATH_MAX + 32];
    if (folder[0]) return folder;
    char program[PATH_MAX] = "";
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    for (int k = 0; n > 0 && k < 2; k++) { /* /usr/bin/myotile: /usr */
        char *slash = strrchr(program, '/');
        if (slash) *slash = 0;
    }
    (void)snprintf(folder, sizeof folder, "%s/share/myotile", program);
    if (access(folder, X_OK) != 0) (void)snprintf(folder, sizeof folder, "%s", MT_DATA_DIR);
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
