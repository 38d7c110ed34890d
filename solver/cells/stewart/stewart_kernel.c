/* The equations of the Stewart et al. 2009 model: one explicit step of LANES cells at once.
 *
 * Source of every equation and constant: see solver/cells/stewart/stewart.h. Units: mV, ms, mM, pA/pF (= mV/ms), nS/pF. */
#include "solver/kernels/functions.h"
#include "solver/cells/gates.h"
#include "solver/cells/stewart/stewart.h"

#define MODEL cell_stewart
#define MODEL_MULTIRATE cell_stewart_multirate
#define MODEL_CURRENTS cell_stewart_currents
#define MODEL_TABULATED cell_stewart_tabulated
#define MODEL_TABULATED_MULTIRATE cell_stewart_tabulated_multirate
#define MODEL_FUNCTIONS cell_stewart_functions
enum {
    STATES = STEWART_STATES,
    CONSTANTS = STEWART_CONSTANTS,
    CURRENTS = STEWART_CURRENTS,
    FUNCTIONS = STEWART_FUNCTIONS
};

#include "solver/cells/tp06/tp06_equations.h"

/* Gates r and s of the transient outward current. */
static inline void transient_outward_gates(
    pace p, const lanes c[CONSTANTS], lanes v, const lanes s[STATES], lanes next[STATES])
{
    lanes s_tau = c[TP06_S_PEAK] * lanes_exp(-square(v + c[TP06_S_CENTRE]) / c[TP06_S_WIDTH]) +
                  c[TP06_S_STEP] * logistic(lanes_over(v - K(40), K(5))) + c[TP06_S_FLOOR];
    next[TP06_S] =
        gate_step(p, TP06_OF_V_S, s[TP06_S], logistic(lanes_over(v + c[TP06_S_HALF], K(13))), s_tau);

    lanes r_tau = K(10.45) * lanes_exp(lanes_over(-square(v + K(40)), K(1800))) + K(7.3);
    next[TP06_R] = gate_step(p, TP06_OF_V_R, s[TP06_R], logistic(lanes_over(K(20) - v, K(13))), r_tau);
}

/* Gate y of I_f, the funny current, opened by hyperpolarisation. Its tau falls below 0.05 ms above 70 mV. */
static inline void funny_gate(pace p, lanes v, const lanes s[STATES], lanes next[STATES])
{
    lanes tau = K(4000) / (lanes_exp(K(-2.9) - K(0.04) * v) + lanes_exp(K(3.6) + K(0.11) * v));
    next[STEWART_Y] =
        bounded_gate_step(p, STEWART_OF_V_Y, s[STEWART_Y], logistic(lanes_over(v + K(80.6), K(6.8))), tau);
}

static inline lanes inward_rectifier(pace p, const lanes c[CONSTANTS], lanes v, lanes v_k)
{
    return c[TP06_K1_FACTOR] * function_of_v(p, STEWART_OF_V_K1, logistic(K(0.1) * (v + K(75.44)))) *
           (v_k - K(8));
}

static inline void cell_currents(
    pace p, const lanes c[CONSTANTS], lanes v, const lanes s[STATES], lanes i[STEWART_CURRENTS])
{
    const drives from = common_currents(p, c, v, s, i);
    i[STEWART_I_SUS] =
        c[STEWART_SUS] * function_of_v(p, STEWART_OF_V_SUS, logistic(lanes_over(K(5) - v, K(17)))) * from.k;
    i[STEWART_I_FNA] = c[STEWART_FNA] * s[STEWART_Y] * from.na;
    i[STEWART_I_FK] = c[STEWART_FK] * s[STEWART_Y] * from.k;
}

static inline lanes cell_step(
    pace p, const lanes c[CONSTANTS], lanes v, const lanes s[STATES], lanes next[STATES])
{
    sodium_gates(p, v, s, next);
    delayed_rectifier_gates(p, v, s, next);
    transient_outward_gates(p, c, v, s, next);
    funny_gate(p, v, s, next);
    calcium_gates(p, v, s, next);
    lanes i[STEWART_CURRENTS];
    cell_currents(p, c, v, s, i);
    sums sum = sums_of(i);
    sum.sodium += i[STEWART_I_FNA];
    sum.potassium += i[STEWART_I_SUS] + i[STEWART_I_FK];
    sum.total += i[STEWART_I_FNA] + i[STEWART_I_SUS] + i[STEWART_I_FK];
    concentrations(p.dt, c, &sum, i[TP06_I_CAL], s, next);
    if (p.relaxes) centre_calcium(p, c, &sum, i[TP06_I_CAL], s, next);
    return -(p.step * sum.total);
}

#ifdef MT_TALLY
/* All constants of the only variant are known to the compiler. */
static inline void compiled_in(const real *loaded, lanes c[CONSTANTS])
{
    const double usual[STEWART_PARAMETERS] = {STEWART_IN_DEFAULT};
    double exact[CONSTANTS];
    (void)loaded;
    stewart_constants(usual, 1, exact);
#    pragma clang loop unroll(full)
    for (int k = 0; k < CONSTANTS; k++) c[k] = (real)exact[k];
}
#endif

#include "solver/cells/kernel.h"
