/* The equations of the ten Tusscher-Panfilov 2006 model: one explicit step of LANES cells at once.
 *
 * Source of every equation and constant: see solver/cells/tp06/tp06.h. Units: mV, ms, mM, pA/pF (= mV/ms), nS/pF. */
#include "solver/kernels/functions.h"
#include "solver/cells/gates.h"
#include "solver/cells/tp06/tp06.h"

#define MODEL cell_tp06
#define MODEL_MULTIRATE cell_tp06_multirate
#define MODEL_CURRENTS cell_tp06_currents
#define MODEL_TABULATED cell_tp06_tabulated
#define MODEL_TABULATED_MULTIRATE cell_tp06_tabulated_multirate
#define MODEL_FUNCTIONS cell_tp06_functions
enum {
    STATES = TP06_STATES,
    CONSTANTS = TP06_CONSTANTS,
    CURRENTS = TP06_CURRENTS,
    FUNCTIONS = TP06_FUNCTIONS
};

#include "solver/cells/tp06/tp06_equations.h"

/* Gates of the transient outward current. */
static inline void transient_outward_gates(
    pace p, const lanes c[CONSTANTS], lanes v, const lanes s[STATES], lanes next[STATES])
{
    lanes s_tau = c[TP06_S_PEAK] * lanes_exp(-square(v + c[TP06_S_CENTRE]) / c[TP06_S_WIDTH]) +
                  c[TP06_S_STEP] * logistic(lanes_over(v - K(20), K(5))) + c[TP06_S_FLOOR];
    next[TP06_S] =
        gate_step(p, TP06_OF_V_S, s[TP06_S], logistic(lanes_over(v + c[TP06_S_HALF], K(5))), s_tau);

    lanes r_tau = K(9.5) * lanes_exp(lanes_over(-square(v + K(40)), K(1800))) + K(0.8);
    next[TP06_R] = gate_step(p, TP06_OF_V_R, s[TP06_R], logistic(lanes_over(K(20) - v, K(6))), r_tau);
}

static inline lanes inward_rectifier(pace p, const lanes c[CONSTANTS], lanes v, lanes v_k)
{
    (void)p, (void)v;
    lanes alpha = K(0.1) / (K(1) + lanes_exp(K(0.06) * (v_k - K(200))));
    lanes beta = (K(3) * lanes_exp(K(2e-4) * (v_k + K(100))) + lanes_exp(K(0.1) * (v_k - K(10)))) /
                 (K(1) + lanes_exp(K(-0.5) * v_k));
    return c[TP06_K1_FACTOR] * (alpha / (alpha + beta)) * v_k;
}

static inline void cell_currents(
    pace p, const lanes c[CONSTANTS], lanes v, const lanes s[STATES], lanes i[TP06_CURRENTS])
{
    (void)common_currents(p, c, v, s, i);
}

static inline lanes cell_step(
    pace p, const lanes c[CONSTANTS], lanes v, const lanes s[STATES], lanes next[STATES])
{
    sodium_gates(p, v, s, next);
    delayed_rectifier_gates(p, v, s, next);
    transient_outward_gates(p, c, v, s, next);
    calcium_gates(p, v, s, next);
    lanes i[TP06_CURRENTS];
    cell_currents(p, c, v, s, i);
    const sums sum = sums_of(i);
    concentrations(p.dt, c, &sum, i[TP06_I_CAL], s, next);
    if (p.relaxes) centre_calcium(p, c, &sum, i[TP06_I_CAL], s, next);
    return -(p.step * sum.total);
}

#ifdef MT_TALLY
/* The constants common to epi, mid and endo are known to the compiler; the others are loaded. */
static inline void compiled_in(const real *loaded, lanes c[CONSTANTS])
{
    static const int differing[] = {TP06_G_KS, TP06_G_TO, TP06_S_HALF, TP06_S_PEAK, TP06_S_CENTRE,
        TP06_S_WIDTH, TP06_S_STEP, TP06_S_FLOOR};
    const double usual[TP06_PARAMETERS] = {TP06_IN_COMMON};
    double exact[CONSTANTS];
    tp06_constants(usual, 1, exact);
#    pragma clang loop unroll(full)
    for (int k = 0; k < CONSTANTS; k++) c[k] = (real)exact[k];
    for (int d = 0; d < (int)(sizeof differing / sizeof *differing); d++) c[differing[d]] = loaded[d];
}
#endif

#include "solver/cells/kernel.h"
