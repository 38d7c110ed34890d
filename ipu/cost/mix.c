#include "ipu/cost/mix.h"

double ipu_mix_cycles(const ipu_mix *mix, const ipu_instruction_costs *costs)
{
    const unsigned *n = mix->count;
    return mix->bundles + n[IPU_OP_DIVIDE] * (costs->f32_div - 1) +
           (n[IPU_OP_EXP] + n[IPU_OP_EXPM1]) * (costs->f32_exp - 1) + n[IPU_OP_EXPM1] +
           n[IPU_OP_LOG] * (costs->f32_log - 1) + n[IPU_OP_SQRT] * (costs->f32_sqrt - 1);
}
