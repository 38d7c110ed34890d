/* The data outside of a chip (ipu_graph_set_dram) that the vertices of a tile stream in a compute set; ipu/cost/dram.h has the time. */
#pragma once

#include "ipu/compile/executable.h"
#include "ipu/cost/dram.h"

/* Sums over the fields of the vertices of a tile. */
typedef struct ipu_streaming {
    ipu_dram_use use;
    bool interleaved; /* True if a codelet needs a field in interleaved memory */
} ipu_streaming;

/* True if a variable of the graph is outside of its chip. */
bool ipu_streaming_any(const ipu_graph *graph);

/* Returns the variable outside of the chip that has a byte of the host image on its tile; NULL if there is none. */
const ipu_variable *ipu_streaming_variable(const ipu_executable *executable, size_t tile, size_t offset);

/* Returns the data of a tile in a compute set: zeros if ipu_streaming_any is false, which the caller can ask first. Time: log(ranges of the
 * tile) for each field. */
ipu_streaming ipu_streaming_of(const ipu_executable *executable, const ipu_superstep *step, size_t tile);

/* Checks that variables outside of a chip are accessed only by vertices of their own tile, as one range, in fields of ipu_codelet.streamed,
 * and that they fit. Fails with MT_INPUT; the message names the variable. MT_FIT: dram.bytes is too small. MT_MEMORY. */
MT_NODISCARD mt_status ipu_streaming_check(const ipu_executable *executable);
