#include "solver/cells/open.h"

#include "data/files/scan.h"

/* Returns the identity of a file in `arena`. */
static mt_status identity_of(mt_arena *arena, const char *path, const char **identity)
{
    MT_SCRATCH(scratch);
    mt_scan scan;
    char *text;
    MT_TRY(mt_scan_open(scratch, path, &scan));
    MT_ALLOC(arena, text, MT_CELL_IDENTITY);
    *identity = text;
    return mt_cell_model_identity(path, scan.begin, (size_t)(scan.end - scan.begin), text);
}

mt_status mt_cell_model_import(
    mt_arena *arena, const char *path, const mt_system_names *names, mt_imported **imported)
{
    mt_equations *equations;
    MT_TRY(mt_import_read(arena, path, &equations));
    MT_TRY(mt_imported_make(arena, equations, names, imported));
    return identity_of(arena, path, &(*imported)->row.identity);
}

mt_status mt_cell_model_open(mt_arena *arena, const char *name_or_path, const mt_cell_model **model)
{
    if (mt_import_is_file(name_or_path)) {
        mt_imported *imported;
        MT_TRY(mt_cell_model_import(arena, name_or_path, &(const mt_system_names){0}, &imported));
        *model = &imported->row;
        return MT_OK;
    }
    const mt_status status = mt_cell_model_find(name_or_path, model);
    return status == MT_OK ? status : mt_fail(status, "%s, %s", mt_message(), MT_CELL_MODEL_FILES);
}
