/* Conduction systems in double precision. */
#define MT_DOUBLE
#define MT_LANES_ONE
#include "solver/kernels/lanes.h"
#include "solver/conduction/conducting_part.h"

const mt_conducting_functions mt_conducting_double = PART_FUNCTIONS;
