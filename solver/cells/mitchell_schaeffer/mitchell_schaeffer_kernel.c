/* The equations of the Mitchell-Schaeffer model: one explicit step of LANES cells at once. */
#include "solver/kernels/lanes.h"
#include "solver/cells/mitchell_schaeffer/mitchell_schaeffer.h"

#define MODEL cell_mitchell_schaeffer
enum { STATES = MS_STATES, PARAMETERS = MS_PARAMETERS, VARIANTS = MS_VARIANTS };

#define K(number) ((real)(number))

static inline lanes cell_step(
    real dt, const lanes p[PARAMETERS], lanes v_mV, const lanes s[STATES], lanes next[STATES])
{
    const lanes v = (v_mV - K(MS_REST_MV)) * K(1 / MS_SPAN_MV), h = s[MS_H];
    const lanes inward = h * v * v * (K(1) - v) / p[MS_TAU_IN], outward = v / p[MS_TAU_OUT];
    const lanes opening = (K(1) - h) / p[MS_TAU_OPEN], closing = -h / p[MS_TAU_CLOSE];
    next[MS_H] = h + dt * lanes_select_below(v - p[MS_V_GATE], K(0), opening, closing);
    return v_mV + dt * K(MS_SPAN_MV) * (inward - outward);
}

#undef K

#include "solver/cells/kernel.h"
