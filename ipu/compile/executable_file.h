/* An executable as a file: compiled once, it runs elsewhere and later without its graph being built or its exchange scheduled again.
 *
 * A codelet is code, so the file holds its name, its fields and its sizes, and whoever loads it gives the codelets. The context of a
 * vertex is data where its codelet says how many bytes it has (context_bytes); then it is saved with the vertex.
 *
 *     MT_TRY(ipu_executable_save(executable, "stencil.ipu"));
 *     const ipu_codelet *codelets[] = {&stencil, &copy};
 *     MT_TRY(ipu_executable_load(arena, "stencil.ipu", codelets, 2, &executable));
 *
 * What is loaded gives the same results, cycles, profile and memory. Its graph has the variables, tensors, streams and names, so that
 * handles to these stay valid (ipu_graph_variable finds one by its name), but no vertices: it cannot be compiled.
 *
 * The file holds the arrays as they lie in memory, behind a line that says what it is, and ends with a fingerprint of all that is
 * before. It is for builds of this library with the same arrays, on hosts of the same byte order. The fingerprint shows damage; what
 * somebody made up is run as it is, so load only what you or those you trust have saved. */
#pragma once

#include "ipu/compile/executable.h"

/* Writes the file, whole or not at all. MT_INPUT: a vertex has a context of a codelet without context_bytes. MT_FILE: it cannot be
 * written. MT_MEMORY. */
MT_NODISCARD mt_status ipu_executable_save(const ipu_executable *executable, const char *path);

/* Gives the executable in `arena`; it keeps the codelets, of which the file needs some or all. MT_INPUT: of another kind or
 * version, or damaged; a codelet that is not given, with these fields and sizes. MT_FILE: it cannot be read. MT_MEMORY. */
MT_NODISCARD mt_status ipu_executable_load(mt_arena *arena, const char *path,
    const ipu_codelet *const *codelets, size_t n_codelets, ipu_executable **executable);
