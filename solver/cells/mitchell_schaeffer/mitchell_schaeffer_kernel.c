/* The equations of the Mitchell-Schaeffer model: one explicit step of LANES cells at once. */
#include "solver/kernels/lanes.h"
#include "solver/cells/mitchell_schaeffer/mitchell_schaeffer.h"

#define MODEL cell_mitchell_schaeffer
enum { STATES = MS_STATES, CONSTANTS = MS_PARAMETERS };

#define K(number) ((real)(number))

static inline lanes cell_step(
    real dt, const lanes c[CONSTANTS], lanes v_mV, const lanes s[STATES], lanes next[STATES])
{
    const lanes v = (v_mV - K(MS_REST_MV)) * K(1 / MS_SPAN_MV), h = s[MS_H];
    const lanes inward = h * v * v * (K(1) - v) / c[MS_TAU_IN], outward = v / c[MS_TAU_OUT];
    const lanes opening = (K(1) - h) / c[MS_TAU_OPEN], closing = -h / c[MS_TAU_CLOSE];
    next[MS_H] = h + dt * lanes_select_below(v - c[MS_V_GATE], K(0), opening, closing);
    return v_mV + dt * K(MS_SPAN_MV) * (inward - outward);
}

#undef K

#ifdef MT_TALLY
/* Each is loaded. */
static inline void compiled_in(const real *loaded, lanes c[CONSTANTS])
{
    for (int k = 0; k < CONSTANTS; k++) c[k] = loaded[k];
}
#endif

#include "solver/cells/kernel.h"
