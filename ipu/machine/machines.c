#include "ipu/machine/machines.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/utf8.h"
#include <unistd.h>

static const char ending[] = ".yaml";

static int is_machine(const struct dirent *entry)
{
    const size_t n = strlen(entry->d_name);
    return entry->d_name[0] != '.' && n >= sizeof ending &&
           strcmp(entry->d_name + n - (sizeof ending - 1), ending) == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static mt_status copy_names(mt_arena *arena, struct dirent *const *found, size_t n, const char **names)
{
    for (size_t k = 0; k < n; k++) {
        const size_t length = strlen(found[k]->d_name) - (sizeof ending - 1);
        char *name;
        MT_ALLOC(arena, name, length + 1);
        memcpy(name, found[k]->d_name, length);
        names[k] = name;
    }
    return MT_OK;
}

mt_status ipu_machine_names(mt_arena *arena, const char *folder, size_t *n, const char ***names)
{
    struct dirent **found = NULL;
    *n = 0;
    *names = NULL;
    const int count = scandir(folder, &found, is_machine, by_name);
    if (count < 0 && errno == ENOENT) return MT_OK;
    if (count < 0) return mt_fail(MT_FILE, "%s: cannot be read: %s", folder, strerror(errno));
    *n = (size_t)count;
    *names = mt_arena_alloc(arena, *n, sizeof **names);
    const mt_status status = *names ? copy_names(arena, found, *n, *names) : MT_MEMORY;
    for (size_t k = 0; k < *n; k++) free(found[k]);
    free(found);
    return status;
}

static mt_status unknown_machine(mt_arena *arena, const char *folder, const char *name)
{
    char allowed[512] = "";
    const char **names;
    size_t n;
    MT_TRY(ipu_machine_names(arena, folder, &n, &names));
    for (size_t k = 0; k < n; k++) {
        const size_t used = strlen(allowed);
        (void)snprintf(allowed + used, sizeof allowed - used, "%s, ", names[k]);
    }
    return mt_fail(MT_INPUT, "machine '%s'; allowed: %s%sthe path of a .yaml file", mt_utf8_shown(name),
        allowed, n > 0 ? "or " : "");
}

bool ipu_machine_is_path(const char *name) { return strchr(name, '/') || strstr(name, ".yaml"); }

mt_status ipu_machine_path(mt_arena *arena, const char *folder, const char *name, const char **path)
{
    const bool named = !ipu_machine_is_path(name);
    const size_t size = strlen(folder) + strlen(name) + sizeof "/.yaml";
    char *text;
    MT_ALLOC(arena, text, size);
    (void)snprintf(text, size, "%s%s%s%s", named ? folder : "", named ? "/" : "", name, named ? ".yaml" : "");
    if (named && access(text, R_OK) != 0) return unknown_machine(arena, folder, name);
    *path = text;
    return MT_OK;
}

/* Appends the overrides to the name, "GC200 with links.shape=torus, clock_hz=1.5e9", because the machine differs from its file. */
static mt_status name_changes(mt_arena *arena, const mt_yaml_override *sets, size_t n, const char **name)
{
    size_t size = strlen(*name) + 1, used;
    char *text;
    for (size_t k = 0; k < n; k++) size += strlen(" with ") + strlen(sets[k].text);
    MT_ALLOC(arena, text, size);
    used = (size_t)snprintf(text, size, "%s", *name);
    for (size_t k = 0; k < n; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", k > 0 ? ", " : " with ", sets[k].text);
    *name = text;
    return MT_OK;
}

mt_status ipu_machine_load(
    mt_arena *arena, const char *path, const mt_yaml_override *sets, size_t n_sets, ipu_target *target)
{
    MT_TRY(ipu_target_load(arena, path, sets, n_sets, target));
    return name_changes(arena, sets, n_sets, &target->name);
}
