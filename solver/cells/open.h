/* Opens ionic models: those of the table by their names, and those of files. */
#pragma once

#include "solver/cells/graph/imported.h"
#include "solver/cells/import/import.h"

/* Opens a model of the table by its name, or else the model of a file (mt_import_is_file), in `arena`. MT_INPUT if it does not exist (the
 * message lists the names), or an error of mt_cell_model_import. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_cell_model_open(
    mt_arena *arena, const char *name_or_path, const mt_cell_model **model);

/* Imports the model of a file into `arena`. MT_INPUT, MT_NUMERICS: the errors of mt_import_read and mt_imported_make. MT_FILE. MT_MEMORY.
 * */
MT_NODISCARD mt_status mt_cell_model_import(
    mt_arena *arena, const char *path, const mt_system_names *names, mt_imported **imported);
