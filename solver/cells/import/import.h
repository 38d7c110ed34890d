/* Readers of ionic models from files of other programs. A reader is a row of a table, chosen by the ending of the file's name:
 *
 *   .cellml   CellML 1.0, 1.1 and 2.0 (solver/cells/import/cellml.h)
 *   .mmt      Myokit (myokit.h)
 *   .ode      gotran, gotranx (gotran.h)
 *   .model    EasyML of openCARP (easyml.h)
 *
 * A reader takes the whole model or refuses it: MT_INPUT with file, line, the element or word found, and what is supported. */
#pragma once

#include "solver/cells/graph/equations.h"

/* Reads a file into `arena`, up to mt_equations_finish. */
typedef mt_status mt_import_reader(mt_arena *arena, const char *path, mt_equations **equations);

typedef struct mt_import_format {
    const char *ending, *name; /* ".mmt", "Myokit" */
    mt_import_reader *read;
} mt_import_format;

extern const mt_import_format mt_import_formats[]; /* terminated by a row of NULL */

/* True if the name ends like a file that can be imported. */
bool mt_import_is_file(const char *name);

/* Reads the equations of a file with the reader for its ending. MT_INPUT: an unknown ending (the message lists the
 * known ones), or an error of the reader. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_import_read(mt_arena *arena, const char *path, mt_equations **equations);
