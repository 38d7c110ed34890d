/* The equations of the model of Bueno-Orovio, Cherry and Fenton: one explicit step of LANES cells at once.
 *
 * If a function has two branches of voltage, both are computed and one is selected. (1 + tanh(x)) / 2 is 1 / (1 + exp(-2 x)). */
#include "solver/kernels/functions.h"
#include "solver/cells/gates.h"
#include "solver/cells/bueno_orovio/bueno_orovio.h"

#define MODEL cell_bueno_orovio
#define MODEL_MULTIRATE cell_bueno_orovio_multirate
#define MODEL_CURRENTS cell_bueno_orovio_currents
enum { STATES = BO_STATES, CONSTANTS = BO_CONSTANTS, CURRENTS = BO_CURRENTS };

static inline lanes u_of(lanes v_mV) { return (v_mV - K(BO_REST_MV)) * K(1 / BO_SPAN_MV); }

/* Advances a gate: over many time steps by relaxation, over one by forward Euler; to its target if that is within the time step. */
static inline lanes gate_step(pace p, lanes gate, lanes target, lanes rate)
{
    const lanes euler = gate + lanes_at_least(-p.step * rate, K(-1)) * (gate - target);
    if (!p.relaxes) return euler;
    return pace_choose(p, euler, relax(p.dt, gate, target, rate));
}

/* Computes the currents [pA/pF], positive outwards. */
static inline void cell_currents(
    pace p, const lanes c[CONSTANTS], lanes v_mV, const lanes s[STATES], lanes i[CURRENTS])
{
    (void)p;
    const lanes u = u_of(v_mV), none = u * K(0);
    i[BO_J_FI] = lanes_select_less(
        u, c[BO_THETA_V], none, c[BO_G_FI] * s[BO_V] * (u - c[BO_THETA_V]) * (u - c[BO_U_U]));

    const lanes tau_so = c[BO_TAU_SO2] + c[BO_RANGE_SO] * logistic(c[BO_SLOPE_SO] * (u - c[BO_U_SO]));
    i[BO_J_SO] = lanes_select_less(u, c[BO_THETA_W],
        (u - c[BO_U_O]) * lanes_select_less(u, c[BO_THETA_O], c[BO_G_O1], c[BO_G_O2]),
        K(BO_SPAN_MV) / tau_so);
    i[BO_J_SI] = lanes_select_less(u, c[BO_THETA_W], none, -(c[BO_G_SI] * s[BO_W] * s[BO_S]));
}

static inline lanes cell_step(
    pace p, const lanes c[CONSTANTS], lanes v_mV, const lanes s[STATES], lanes next[STATES])
{
    const lanes u = u_of(v_mV), none = u * K(0), one = none + K(1);
    lanes i[CURRENTS];

    next[BO_V] = gate_step(p, s[BO_V],
        lanes_select_less(u, c[BO_THETA_V], lanes_select_less(u, c[BO_THETA_V_MINUS], one, none), none),
        lanes_select_less(u, c[BO_THETA_V],
            lanes_select_less(u, c[BO_THETA_V_MINUS], c[BO_RATE_V1_MINUS], c[BO_RATE_V2_MINUS]),
            c[BO_RATE_V_PLUS]));

    const lanes w_inf = lanes_select_less(
                    u, c[BO_THETA_O], K(1) - lanes_at_least(u, K(0)) * c[BO_DROP_W], c[BO_W_INF_STAR]),
                tau_w_minus =
                    c[BO_TAU_W2_MINUS] + c[BO_RANGE_W] * logistic(c[BO_SLOPE_W] * (u - c[BO_U_W_MINUS]));
    next[BO_W] = gate_step(p, s[BO_W], lanes_select_less(u, c[BO_THETA_W], w_inf, none),
        lanes_select_less(u, c[BO_THETA_W], K(1) / tau_w_minus, c[BO_RATE_W_PLUS]));

    next[BO_S] = gate_step(p, s[BO_S], logistic(c[BO_SLOPE_S] * (c[BO_U_S] - u)),
        lanes_select_less(u, c[BO_THETA_W], c[BO_RATE_S1], c[BO_RATE_S2]));

    /* With gates as of the last evaluation, many steps ago, action potentials would be up to 0.4 % longer. */
    lanes now[STATES];
    for (int k = 0; k < STATES; k++) now[k] = pace_choose(p, s[k], next[k]);
    cell_currents(p, c, v_mV, now, i);
    return -(p.step * (i[BO_J_FI] + i[BO_J_SO] + i[BO_J_SI]));
}

#ifdef MT_TALLY
/* All constants are loaded. */
static inline void compiled_in(const real *loaded, lanes c[CONSTANTS])
{
    for (int k = 0; k < CONSTANTS; k++) c[k] = loaded[k];
}
#endif

#include "solver/cells/kernel.h"
