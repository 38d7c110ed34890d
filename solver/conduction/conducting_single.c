/* Conduction systems in single precision. */
#define MT_LANES_ONE
#include "solver/kernels/lanes.h"
#include "solver/conduction/conducting_part.h"

const mt_conducting_functions mt_conducting_single = PART_FUNCTIONS;
