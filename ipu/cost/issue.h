/* Order, registers and bundles of the instructions of a loop, as executed by a worker: rules 7 to 9 of ipu/tally/tally.h. */
#pragma once

#include <stddef.h>

#include "data/core/status.h"
#include "ipu/cost/mix.h"

/* The registers of a worker; NONE: the value takes no register. */
typedef enum ipu_register_file { IPU_FILE_MAIN, IPU_FILE_FLOAT, IPU_FILE_NONE } ipu_register_file;

enum { IPU_MAIN_REGISTERS = 11, IPU_FLOAT_REGISTERS = 8, IPU_SOURCES_MAX = 4, IPU_NO_VALUE = -1 };

/* A machine instruction; values are numbered from 0, the sources are different values. A value has at most one instruction that defines it.
 * A source without such an instruction exists before the loop and after it. */
typedef struct ipu_instruction {
    ipu_operation operation;
    int result; /* IPU_NO_VALUE: none */
    int source[IPU_SOURCES_MAX];
    int n_sources;
} ipu_instruction;

/* One turn of a loop, in the order of its source. */
typedef struct ipu_turn {
    const ipu_instruction *line; /* [n] */
    int n, n_values;
    const ipu_register_file *file; /* [n_values] */
    const int *width; /* [n_values] number of registers, at most 2; 0 means 1; NULL: all take one */
} ipu_turn;

/* Appends an instruction to line[n]; of equal sources one is kept, and IPU_NO_VALUE is no source. */
void ipu_instruction_put(
    ipu_instruction *line, int n, ipu_operation operation, int result, int n_sources, const int *source);

/* Adds the instructions of a turn, with spills and reloads, to count, pairs and bundles of the mix. MT_INPUT: the values depend on each
 * other in a circle. MT_MEMORY. */
MT_NODISCARD mt_status ipu_turn_count(const ipu_turn *turn, ipu_mix *mix);
