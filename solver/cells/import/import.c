#include "solver/cells/import/import.h"

#include <stdio.h>
#include <string.h>

#include "solver/cells/import/cellml.h"
#include "solver/cells/import/easyml.h"
#include "solver/cells/import/gotran.h"
#include "solver/cells/import/myokit.h"

const mt_import_format mt_import_formats[] = {
    {".cellml", "CellML", mt_cellml_read},
    {".mmt", "Myokit", mt_myokit_read},
    {".ode", "gotran", mt_gotran_read},
    {".model", "EasyML", mt_easyml_read},
    {NULL, NULL, NULL},
};

/* Finds the format for a file's ending; NULL if there is none. */
static const mt_import_format *find(const char *name)
{
    const size_t n = strlen(name);
    for (const mt_import_format *format = mt_import_formats; format->ending; format++) {
        const size_t ending = strlen(format->ending);
        if (n > ending && strcmp(name + n - ending, format->ending) == 0) return format;
    }
    return NULL;
}

bool mt_import_is_file(const char *name) { return find(name) != NULL; }

mt_status mt_import_read(mt_arena *arena, const char *path, mt_equations **equations)
{
    char known[256] = "";
    const mt_import_format *format = find(path);
    if (format) return format->read(arena, path, equations);
    for (format = mt_import_formats; format->ending; format++) {
        const size_t n = strlen(known);
        (void)snprintf(known + n, sizeof known - n, "%s%s (%s)", n ? ", " : "", format->ending, format->name);
    }
    return mt_fail(
        MT_INPUT, "%s: the ending is not that of a file with an ionic model; allowed: %s", path, known);
}
