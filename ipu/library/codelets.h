/* The codelets of this library, for loading a program that uses them (ipu/compile/executable_file.h).
 *
 *     const ipu_codelet *codelets[200] = {&mine};
 *     MT_TRY(ipu_executable_load(arena, path, codelets, 1 + ipu_library_codelets(codelets + 1), &executable)); */
#pragma once

#include "ipu/graph/graph.h"

/* Writes all of them to `list` (may be NULL); returns their number. */
size_t ipu_library_codelets(const ipu_codelet **list);
