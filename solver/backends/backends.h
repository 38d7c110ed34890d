/* The rows of the table of backends. Private to solver. */
#ifndef MT_SOLVER_BACKENDS_BACKENDS_H
#define MT_SOLVER_BACKENDS_BACKENDS_H

#include "solver/backends/backend.h"

extern const mt_backend mt_backend_cpu, mt_backend_ipu;

#endif
