/* The cpu backend in double precision: the reference for single precision and for the emulated machine. */
#define MT_LANES_ONE
#define MT_DOUBLE
#include "solver/kernels/lanes.h"
#include "solver/backends/cpu_backend.h"

const mt_backend mt_backend_cpu = CPU_BACKEND("cpu", false);
