#include "ipu/cost/mix.h"

#include <math.h>

#include "ipu/machine/integer.h"

/* Returns the cycles of an operation that is executed once. */
static double cycles_of(const ipu_instruction_costs *costs, ipu_operation operation)
{
    switch (operation) {
    case IPU_OP_LOAD:
    case IPU_OP_STORE:
    case IPU_OP_SPILL:
    case IPU_OP_RELOAD:
        return costs->memory;
    case IPU_OP_ADD:
    case IPU_OP_MULTIPLY:
    case IPU_OP_COMPARE:
    case IPU_OP_MOVE:
    case IPU_OP_CONVERT:
    case IPU_OP_TRANSFER:
    case IPU_OP_SELECT:
    case IPU_OP_LOGIC:
        return costs->floats;
    case IPU_OP_CONSTANT:
    case IPU_OP_INTEGER:
    case IPU_OP_ADDRESS:
    case IPU_OP_LOOP:
        return costs->integer;
    case IPU_OP_DIVIDE:
        return costs->f32_div;
    case IPU_OP_EXP:
        return costs->f32_exp;
    case IPU_OP_EXPM1:
        return costs->f32_exp + (costs->issue == IPU_SINGLE ? costs->floats : 1);
    case IPU_OP_LOG:
        return costs->f32_log;
    case IPU_OP_SQRT:
        return costs->f32_sqrt;
    case IPU_OPERATIONS:
        break;
    }
    return 0;
}

double ipu_mix_cycles(const ipu_mix *mix, const ipu_instruction_costs *costs)
{
    const bool single = costs->issue == IPU_SINGLE;
    double cycles = single ? 0 : mix->bundles;
    for (int k = 0; k < IPU_OPERATIONS; k++) {
        const double each = cycles_of(costs, (ipu_operation)k);
        if (mix->count[k] > 0 && (single || each > 1)) cycles += mix->count[k] * (single ? each : each - 1);
    }
    return cycles;
}

size_t ipu_mix_turns(size_t n, size_t lanes) { return ipu_divide_up(n, lanes > 1 ? lanes : 1); }

uint64_t ipu_mix_loop(const ipu_mix *mix, const ipu_instruction_costs *costs, size_t n, size_t lanes)
{
    return (uint64_t)ceil((double)ipu_mix_turns(n, lanes) * ipu_mix_cycles(mix, costs));
}
