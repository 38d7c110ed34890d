/* An executable as a file: it runs later and on other hosts without building its graph or scheduling its exchange again.
 *
 * The file has name, fields and sizes of each codelet, but not its code: the caller of ipu_executable_load passes the codelets.
 * The context of a vertex is saved with the vertex if its codelet specifies the size (context_bytes).
 *
 *     MT_TRY(ipu_executable_save(executable, "stencil.ipu"));
 *     const ipu_codelet *codelets[] = {&stencil, &copy};
 *     MT_TRY(ipu_executable_load(arena, "stencil.ipu", codelets, 2, &executable));
 *
 * A loaded executable has the same results, cycles, profile and memory. Its graph has the variables, tensors, streams and
 * names, so that handles to these remain valid (ipu_graph_variable finds one by its name). It has no vertices and cannot be
 * compiled.
 *
 * The file consists of a line that identifies it, the arrays as in memory, and a fingerprint of everything before it. It is for
 * builds of this library with the same arrays, on hosts of the same byte order. The fingerprint detects damage, not
 * manipulation: load only files from a trusted source. */
#pragma once

#include "ipu/compile/executable.h"

/* Writes the file, complete or not at all. Fails with MT_INPUT if a vertex has a context but its codelet has no context_bytes,
 * MT_FILE if the file cannot be written, or MT_MEMORY. */
MT_NODISCARD mt_status ipu_executable_save(const ipu_executable *executable, const char *path);

/* Builds the executable in `arena`; it borrows the codelets, of which the file may need only some. Fails with MT_INPUT if the
 * file has another kind or version or is damaged, or a codelet with the same fields and sizes is missing; MT_FILE if it cannot
 * be read; MT_MEMORY. */
MT_NODISCARD mt_status ipu_executable_load(mt_arena *arena, const char *path,
    const ipu_codelet *const *codelets, size_t n_codelets, ipu_executable **executable);
