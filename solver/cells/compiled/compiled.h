/* The kernels of an imported model as machine code, made by the C compiler of the system while the program runs, in place of the
 * interpreter (solver/cells/graph/cell_program.h). They compute the same bits, at about the rate of a built-in model.
 *
 * The compiler is $CC, with words separated by blanks, or cc. It compiles one source (c_source.h) for single and for double precision, for
 * the instruction set in use (mt_kernels_used). Temporary files are in a new folder in $TMPDIR, or in /tmp. The machine code is cached
 * (data/files/cache.h) by its source and flags.
 *
 * Before use, steps of cells with arbitrary states are compared with those of the interpreter, so that a compiler that rounds differently
 * is noticed. */
#pragma once

#include "solver/cells/model.h"

/* Number of evaluations times instructions from which compiling takes less time than it saves: about 20 s of interpretation on one
 * core. */
#define MT_COMPILE_PAYS 1e11

/* True if compiling an imported model takes less time than it saves in this number of evaluations of a cell. False for models that are not
 * interpreted. */
bool mt_compile_pays(const mt_cell_model *model, double evaluations);

/* Copies the row of an imported model to `arena`, with kernels of machine code; it remains loaded until the process ends. A model that is
 * not interpreted is returned itself. `tabulated`: also the kernels that read tables, if it has them; compiling then takes longer. `cached`:
 * true to use the cache. Reports progress. MT_FILE: the compiler fails or does not exist, or a file cannot be written. MT_NUMERICS: the bits
 * differ. MT_STOPPED. MT_MEMORY. */
MT_NODISCARD mt_status mt_cell_compile(
    mt_arena *arena, const mt_cell_model *model, bool tabulated, bool cached, const mt_cell_model **compiled);
