/* The equations of the Courtemanche-Ramirez-Nattel 1998 model: one explicit step of LANES cells at once.
 *
 * Source of every equation and constant: see solver/cells/courtemanche/courtemanche.h. Units: mV, ms, mM, pA/pF (= mV/ms), nS/pF.
 *
 * If a function has two branches of voltage, both are computed and one is selected, so that all lanes do the same. Quotients of the form
 * x / (exp(x) - 1), 0/0 at x = 0, are computed from expm1 (bernoulli); the published rates of gates m, d, xr, xs and w are rearranged into
 * sums of these, which no V makes infinite. */
#include "solver/kernels/functions.h"
#include "solver/cells/gates.h"
#include "solver/cells/courtemanche/courtemanche.h"

#define MODEL cell_courtemanche
#define MODEL_MULTIRATE cell_courtemanche_multirate
#define MODEL_CURRENTS cell_courtemanche_currents
#define MODEL_TABULATED cell_courtemanche_tabulated
#define MODEL_TABULATED_MULTIRATE cell_courtemanche_tabulated_multirate
#define MODEL_FUNCTIONS cell_courtemanche_functions
enum { STATES = CRN_STATES, CONSTANTS = CRN_CONSTANTS, CURRENTS = CRN_CURRENTS, FUNCTIONS = CRN_FUNCTIONS };

/* A function of V: its value, or the number in its table. */
#define OF_V(name, value) function_of_v(p, CRN_OF_V_##name, value)

static inline lanes cube(lanes x) { return x * x * x; }

/* x / (exp(x) - 1), which is 1 for x = 0 */
static inline lanes bernoulli(lanes x)
{
    return lanes_select_below(x * x, K(1e-36), x * K(0) + K(1), x / lanes_expm1(x)); /* only if x = 0 */
}

/* Advances a gate: over many time steps by relaxation, over one by forward Euler. The rates of h, j, oa, ua, ui and w exceed 1 / dt at
 * voltages outside any action potential, which stimuli and wavefronts on coarse meshes cause for a moment: with a dt of 0.05 ms h below
 * -114 mV, j below -188 mV, w above 128 mV, oa and ua above 167 mV, ui above 188 mV. Such a gate is set to its target. */
static inline lanes gate_step(pace p, lanes gate, lanes target, lanes rate)
{
    const lanes euler = gate + lanes_at_least(-p.step * rate, K(-1)) * (gate - target);
    return pace_choose(p, euler, p.relaxes ? relax(p.dt, gate, target, rate) : euler);
}

/* Same, for a gate that opens and closes with the rates alpha and beta, which depend on V only: functions k and k + 1. */
static inline lanes gate_between(pace p, int k, lanes gate, lanes alpha, lanes beta)
{
    return gate_step(
        p, gate, function_of_v(p, k, alpha / (alpha + beta)), function_of_v(p, k + 1, alpha + beta));
}

/* Gates m, h and j of the sodium current. Below and above -40 mV the rates of h and j are different functions. */
static inline void sodium_gates(pace p, lanes v, const lanes s[STATES], lanes next[STATES])
{
    const lanes m_alpha = K(3.2) * bernoulli(K(-0.1) * (v + K(47.13))),
                m_beta = K(0.08) * lanes_exp(lanes_over(v, K(-11)));
    const lanes m_inf = OF_V(M, m_alpha / (m_alpha + m_beta)),
                m_left = decay_of(p, CRN_OF_V_M_LEFT, m_alpha + m_beta);
    next[CRN_M] = m_inf + (s[CRN_M] - m_inf) * m_left;

    const real knee = K(-40);
    const lanes none = v * K(0);
    lanes h_alpha = lanes_select_below(v, knee, K(0.135) * lanes_exp(lanes_over(v + K(80), K(-6.8))), none);
    lanes h_beta =
        lanes_select_below(v, knee, K(3.56) * lanes_exp(K(0.079) * v) + K(3.1e5) * lanes_exp(K(0.35) * v),
            K(1 / 0.13) * logistic(lanes_over(v + K(10.66), K(-11.1))));
    next[CRN_H] = gate_between(p, CRN_OF_V_H, s[CRN_H], h_alpha, h_beta);

    lanes j_alpha = lanes_select_below(v, knee,
        (K(-127140) * lanes_exp(K(0.2444) * v) - K(3.474e-5) * lanes_exp(K(-0.04391) * v)) * (v + K(37.78)) *
            logistic(K(0.311) * (v + K(79.23))),
        none);
    lanes j_beta = lanes_select_below(v, knee,
        K(0.1212) * lanes_exp(K(-0.01052) * v) * logistic(K(-0.1378) * (v + K(40.14))),
        K(0.3) * lanes_exp(K(-2.535e-7) * v) * logistic(K(-0.1) * (v + K(32))));
    next[CRN_J] = gate_between(p, CRN_OF_V_J, s[CRN_J], j_alpha, j_beta);
}

/* Gates of the potassium currents: to, Kur, Kr and Ks. oa and ua have the same rate. lanes_over is not exact for 27.48. */
static inline void potassium_gates(
    pace p, const lanes c[CONSTANTS], lanes v, const lanes s[STATES], lanes next[STATES])
{
    lanes a_alpha = K(0.65) /
                    (lanes_exp(lanes_over(v + K(10), K(-8.5))) + lanes_exp(lanes_over(v - K(30), K(-59)))),
          a_beta = K(0.65) / (K(2.5) + lanes_exp(lanes_over(v + K(82), K(17)))),
          a_rate = OF_V(A_RATE, c[CRN_K_Q10] * (a_alpha + a_beta));
    next[CRN_OA] = gate_step(p, s[CRN_OA], OF_V(OA, logistic(lanes_over(v + K(20.47), K(-17.54)))), a_rate);
    next[CRN_UA] = gate_step(p, s[CRN_UA], OF_V(UA, logistic(lanes_over(v + K(30.3), K(-9.6)))), a_rate);

    lanes oi_alpha = K(1) / (K(18.53) + lanes_exp(lanes_over(v + K(113.7), K(10.95)))),
          oi_beta = K(1) / (K(35.56) + lanes_exp(lanes_over(v + K(1.26), K(-7.44))));
    next[CRN_OI] = gate_step(p, s[CRN_OI], OF_V(OI, logistic(lanes_over(v + K(43.1), K(5.3)))),
        OF_V(OI_RATE, c[CRN_K_Q10] * (oi_alpha + oi_beta)));

    lanes ui_alpha = K(1) / (K(21) + lanes_exp(lanes_over(v - K(185), K(-28)))),
          ui_beta = lanes_exp(lanes_over(v - K(158), K(16)));
    next[CRN_UI] = gate_step(p, s[CRN_UI], OF_V(UI, logistic((v - K(99.45)) / K(27.48))),
        OF_V(UI_RATE, c[CRN_K_Q10] * (ui_alpha + ui_beta)));

    lanes xr_alpha = K(3e-4 * 5) * bernoulli(lanes_over(v + K(14.1), K(-5))),
          xr_beta = K(7.3898e-5 * 5.1237) * bernoulli(lanes_over(v - K(3.3328), K(5.1237)));
    next[CRN_XR] = gate_step(p, s[CRN_XR], OF_V(XR, logistic(lanes_over(v + K(14.1), K(-6.5)))),
        OF_V(XR_RATE, xr_alpha + xr_beta));

    lanes xs_v = v - K(19.9), xs_alpha = K(4e-5 * 17) * bernoulli(lanes_over(xs_v, K(-17))),
          xs_beta = K(3.5e-5 * 9) * bernoulli(lanes_over(xs_v, K(9)));
    next[CRN_XS] =
        gate_step(p, s[CRN_XS], OF_V(XS, K(1) / lanes_sqrt(K(1) + lanes_exp(lanes_over(xs_v, K(-12.7))))),
            OF_V(XS_RATE, K(2) * (xs_alpha + xs_beta)));
}

/* Gates of the calcium current: d, f and fCa. With x = -(V + 10) / 6.24 the rate of d is 0.035 * 6.24 x (exp(x) + 1) / (exp(x) - 1). */
static inline void calcium_gates(pace p, lanes v, const lanes s[STATES], lanes next[STATES])
{
    lanes x = lanes_over(v + K(10), K(-6.24));
    next[CRN_D] = gate_step(p, s[CRN_D], OF_V(D, logistic(lanes_over(v + K(10), K(-8)))),
        OF_V(D_RATE, K(0.035 * 6.24) * (K(2) * bernoulli(x) + x)));

    lanes f_rate = K(0.0197 / 9) * lanes_exp(K(-0.0337 * 0.0337) * square(v + K(10))) + K(0.02 / 9);
    next[CRN_F] =
        gate_step(p, s[CRN_F], OF_V(F, logistic(lanes_over(v + K(28), K(6.9)))), OF_V(F_RATE, f_rate));

    next[CRN_FCA] = gate_step(p, s[CRN_FCA], K(1) / (K(1) + s[CRN_CAI] * K(1 / 3.5e-4)), lanes_all(K(0.5)));
}

/* Computes the currents [pA/pF], positive outwards. */
static inline void cell_currents(
    pace p, const lanes c[CONSTANTS], lanes v, const lanes s[STATES], lanes i[CRN_CURRENTS])
{
    const lanes nai = s[CRN_NAI], cai = s[CRN_CAI];

    lanes v_na = v - K(CRN_RT_F) * lanes_log(c[CRN_NA_O] / nai);
    lanes v_k = v - K(CRN_RT_F) * lanes_log(c[CRN_K_O] / s[CRN_KI]);
    lanes v_ca = v - K(0.5 * CRN_RT_F) * lanes_log(c[CRN_CA_O] / cai);

    i[CRN_I_NA] = c[CRN_G_NA] * cube(s[CRN_M]) * s[CRN_H] * s[CRN_J] * v_na;
    i[CRN_I_BNA] = c[CRN_G_BNA] * v_na;

    i[CRN_I_CAL] = c[CRN_G_CAL] * s[CRN_D] * s[CRN_F] * s[CRN_FCA] * (v - K(65));
    i[CRN_I_BCA] = c[CRN_G_BCA] * v_ca;
    i[CRN_I_PCA] = c[CRN_I_PCA_MAX] * cai / (cai + K(5e-4));

    i[CRN_I_TO] = c[CRN_G_TO] * cube(s[CRN_OA]) * s[CRN_OI] * v_k;
    lanes kur = c[CRN_G_KUR] * OF_V(KUR, K(1) + K(10) * logistic(lanes_over(v - K(15), K(-13))));
    i[CRN_I_KUR] = kur * cube(s[CRN_UA]) * s[CRN_UI] * v_k;
    i[CRN_I_KR] = c[CRN_G_KR] * s[CRN_XR] * OF_V(KR, logistic(lanes_over(v + K(15), K(22.4)))) * v_k;
    i[CRN_I_KS] = c[CRN_G_KS] * square(s[CRN_XS]) * v_k;
    i[CRN_I_K1] = c[CRN_G_K1] * OF_V(K1, logistic(K(0.07) * (v + K(80)))) * v_k;

    lanes up = OF_V(NACA_UP, lanes_exp(c[CRN_NACA_UP] * v));       /* exp(gamma V F / RT) */
    lanes down = OF_V(NACA_DOWN, lanes_exp(c[CRN_NACA_DOWN] * v)); /* exp((gamma - 1) V F / RT) */
    i[CRN_I_NACA] = c[CRN_NACA_FACTOR] * (up * cube(nai) * c[CRN_CA_O] - down * cai * c[CRN_NACA_OUTSIDE]) /
                    (K(1) + c[CRN_K_SAT] * down);
    lanes free = c[CRN_K_MNAI] / nai;
    i[CRN_I_NAK] = c[CRN_NAK_FACTOR] / ((K(1) + free * lanes_sqrt(free)) *
                                           OF_V(NAK, K(1) + K(0.1245) * lanes_exp(K(-0.1 / CRN_RT_F) * v) +
                                                         c[CRN_NAK_SIGMA] * lanes_exp(K(-1 / CRN_RT_F) * v)));
}

/* Computes the release of calcium [mM/ms] and advances its gates u, v and w. In units of its scale 13.67e-16 umol/ms, F_n opens u above
 * 3.4175e-13 / 13.67e-16 = 250 and closes v above 6.835e-14 / 13.67e-16 = 50. With x = -(V - 7.9) / 5 the rate of w is
 * x (1 + 0.3 exp(x)) / (exp(x) - 1) * 5 / 6. */
static inline lanes release(pace p, const lanes c[CONSTANTS], lanes v, const lanes s[STATES],
    const lanes i[CRN_CURRENTS], lanes next[STATES])
{
    const double scale = 13.67e-16;
    lanes i_rel = c[CRN_K_REL] * square(s[CRN_U]) * s[CRN_V] * s[CRN_W] * (s[CRN_CAREL] - s[CRN_CAI]);
    lanes flux = K(1e-12 * CRN_VREL / scale) * i_rel -
                 K(5e-13 * CRN_CM / (CRN_FARADAY * scale)) * (K(0.5) * i[CRN_I_CAL] - K(0.2) * i[CRN_I_NACA]);
    lanes open = logistic(K(250) - flux);
    next[CRN_U] = relax(p.dt, s[CRN_U], open, lanes_all(K(0.125)));
    next[CRN_V] = relax(p.dt, s[CRN_V], logistic(flux - K(50)), K(1) / (K(1.91) + K(2.09) * open));
    lanes x = lanes_over(v - K(7.9), K(-5));
    next[CRN_W] = gate_step(p, s[CRN_W], OF_V(W, logistic(lanes_over(v - K(40), K(17)))),
        OF_V(W_RATE, K(5. / 6 * 1.3) * bernoulli(x) + K(5. / 6 * 0.3) * x));
    return i_rel;
}

/* Sums of the currents [pA/pF] by ion. */
typedef struct sums {
    lanes sodium, potassium, calcium;
} sums;

static inline sums sums_of(const lanes i[CRN_CURRENTS])
{
    return (sums){
        .sodium = i[CRN_I_NA] + i[CRN_I_BNA] + K(3) * (i[CRN_I_NAK] + i[CRN_I_NACA]),
        .potassium =
            i[CRN_I_TO] + i[CRN_I_KUR] + i[CRN_I_KR] + i[CRN_I_KS] + i[CRN_I_K1] - K(2) * i[CRN_I_NAK],
        .calcium = i[CRN_I_CAL] + i[CRN_I_BCA] + i[CRN_I_PCA] - K(2) * i[CRN_I_NACA],
    };
}

/* Advances sodium, potassium, and calcium in the cytoplasm and in both compartments of the sarcoplasmic reticulum. */
static inline void concentrations(lanes dt, const lanes c[CONSTANTS], const sums *sum, lanes i_rel,
    const lanes s[STATES], lanes next[STATES])
{
    const lanes cai = s[CRN_CAI], caup = s[CRN_CAUP], carel = s[CRN_CAREL];
    const double per_current = CRN_CM / (CRN_VI * CRN_FARADAY);

    lanes i_up = c[CRN_I_UP_MAX] * cai / (cai + c[CRN_K_UP]);
    lanes i_net = i_up - c[CRN_LEAK] * caup;
    lanes i_tr = (caup - carel) / c[CRN_TAU_TR];

    next[CRN_NAI] = s[CRN_NAI] - dt * sum->sodium * K(per_current);
    next[CRN_KI] = s[CRN_KI] - dt * sum->potassium * K(per_current);
    lanes buffer = K(1) + c[CRN_BUFFER_TRPN] / square(cai + c[CRN_K_MTRPN]) +
                   c[CRN_BUFFER_CMDN] / square(cai + c[CRN_K_MCMDN]);
    next[CRN_CAI] = cai + dt *
                              (i_rel * K(CRN_VREL / CRN_VI) - i_net * K(CRN_VUP / CRN_VI) -
                                  sum->calcium * K(0.5 * per_current)) /
                              buffer;
    next[CRN_CAUP] = caup + dt * (i_net - i_tr * K(CRN_VREL / CRN_VUP));
    lanes buffer_rel = K(1) + c[CRN_BUFFER_CSQN] / square(carel + c[CRN_K_MCSQN]);
    next[CRN_CAREL] = carel + dt * (i_tr - i_rel) / buffer_rel;
}

static inline lanes cell_step(
    pace p, const lanes c[CONSTANTS], lanes v, const lanes s[STATES], lanes next[STATES])
{
    lanes i[CRN_CURRENTS];
    sodium_gates(p, v, s, next);
    potassium_gates(p, c, v, s, next);
    calcium_gates(p, v, s, next);
    cell_currents(p, c, v, s, i);
    const lanes i_rel = release(p, c, v, s, i, next);
    const sums sum = sums_of(i);
    concentrations(p.dt, c, &sum, i_rel, s, next);
    return -(p.step * (sum.sodium + sum.potassium + sum.calcium));
}

#ifdef MT_TALLY
/* All constants of the only variant are known to the compiler. */
static inline void compiled_in(const real *loaded, lanes c[CONSTANTS])
{
    const double usual[CRN_PARAMETERS] = {CRN_IN_DEFAULT};
    double exact[CONSTANTS];
    (void)loaded;
    crn_constants(usual, 7, exact);
#    pragma clang loop unroll(full)
    for (int k = 0; k < CONSTANTS; k++) c[k] = (real)exact[k];
}
#endif

#include "solver/cells/kernel.h"
