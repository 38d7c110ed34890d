/* The equations of the Mitchell-Schaeffer model: one explicit step of LANES cells at once. */
#include "solver/kernels/functions.h"
#include "solver/cells/gates.h"
#include "solver/cells/mitchell_schaeffer/mitchell_schaeffer.h"

#define MODEL cell_mitchell_schaeffer
#define MODEL_MULTIRATE cell_mitchell_schaeffer_multirate
enum { STATES = MS_STATES, CONSTANTS = MS_PARAMETERS };

/* Relaxes h with time constant tau: by its solution for a constant V, or over one time step by forward Euler. */
static inline lanes gate_step(pace p, lanes h, lanes v_above_gate, const lanes c[CONSTANTS])
{
    const lanes opening = (K(1) - h) / c[MS_TAU_OPEN], closing = -h / c[MS_TAU_CLOSE],
                euler = h + p.step * lanes_select_below(v_above_gate, K(0), opening, closing);
    if (!p.relaxes) return euler;
    const lanes tau = lanes_select_below(v_above_gate, K(0), c[MS_TAU_OPEN], c[MS_TAU_CLOSE]),
                target = lanes_select_below(v_above_gate, K(0), lanes_all(1), lanes_all(0));
    return pace_choose(p, euler, target + (h - target) * lanes_exp(-p.dt / tau));
}

static inline lanes cell_step(
    pace p, const lanes c[CONSTANTS], lanes v_mV, const lanes s[STATES], lanes next[STATES])
{
    const lanes v = (v_mV - K(MS_REST_MV)) * K(1 / MS_SPAN_MV), h = s[MS_H];
    const lanes inward = h * v * v * (K(1) - v) / c[MS_TAU_IN], outward = v / c[MS_TAU_OUT];
    next[MS_H] = gate_step(p, h, v - c[MS_V_GATE], c);
    return p.step * K(MS_SPAN_MV) * (inward - outward);
}

#undef K

#ifdef MT_TALLY
/* All constants are loaded. */
static inline void compiled_in(const real *loaded, lanes c[CONSTANTS])
{
    for (int k = 0; k < CONSTANTS; k++) c[k] = loaded[k];
}
#endif

#include "solver/cells/kernel.h"
