/* The cpu backend in single precision, with the bits of the emulated machine. */
#define MT_LANES_ONE
#include "solver/kernels/lanes.h"
#include "solver/backends/cpu_backend.h"

const mt_backend mt_backend_cpu_single = CPU_BACKEND("cpu-single", true);
