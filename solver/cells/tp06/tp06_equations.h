/* What the models of ten Tusscher and Panfilov 2006 and of Stewart et al. 2009 have in common: all equations except those of the gates of
 * I_to, of I_K1, and of the currents that only the latter has.
 *
 * The states, currents, parameters and constants of TP06 are the first of the including model. Include solver/kernels/functions.h and
 * solver/cells/gates.h first, and define STATES and CONSTANTS.
 *
 * As published, term by term. If a function has two branches of voltage, both are computed and one is selected, so that all lanes do the
 * same. i_CaL takes its 0/0 at V = 15 mV from expm1: x / (exp(x) - 1) -> 1 for x -> 0. */
#pragma once

#include "solver/cells/tp06/tp06.h"

/* Solves d gate / dt = (target - gate) / tau: by the solution for a constant V (Rush and Larsen), or over one time step by forward
 * Euler. */
static inline lanes relax_with(lanes tau, lanes dt, lanes gate, lanes target)
{
    return target + (gate - target) * lanes_exp(-dt / tau);
}
static inline lanes computed_gate_step(pace p, lanes gate, lanes target, lanes tau)
{
    const lanes euler = gate + p.step * ((target - gate) / tau);
    return pace_choose(p, euler, p.relaxes ? relax_with(tau, p.dt, gate, target) : euler);
}

/* Same, for a target and a tau that depend on V only. In tables are the target, at k, and the rate 1 / tau, at k + 1, or, over one time
 * step, the part of the distance that the gate moves. */
static inline lanes gate_step(pace p, int k, lanes gate, lanes target, lanes tau)
{
    if (p.functions == FUNCTIONS_READ) {
        const lanes goal = p.of_v[k], rate = p.of_v[k + 1];
        if (!p.relaxes) return lanes_fma(rate, goal - gate, gate);
        return pace_choose(p, lanes_fma(p.step * rate, goal - gate, gate), relax(p.dt, gate, goal, rate));
    }
    if (p.functions == FUNCTIONS_STORED) {
        p.of_v[k] = target;
        p.of_v[k + 1] = p.relaxes ? K(1) / tau : p.step / tau;
    }
    return computed_gate_step(p, gate, target, tau);
}

/* Same, for gates with a tau below dt at voltages outside any action potential, which stimuli and wavefronts on coarse meshes cause for a
 * moment: with a dt of 0.05 ms h below -120 mV, j above 61 mV, Xr1 above 95 mV, Xr2 above 144 mV. Such a gate would oscillate around its
 * target, and diverge if tau < dt / 2. Here it is set to the target. */
static inline lanes bounded_gate_step(pace p, int k, lanes gate, lanes target, lanes tau)
{
    return gate_step(p, k, gate, target, lanes_at_least(tau, p.step));
}

/* Gates m, h and j of the sodium current. Below and above -40 mV the rates of h and j are different functions. */
static inline void sodium_gates(pace p, lanes v, const lanes s[STATES], lanes next[STATES])
{
    lanes m_inf = square(logistic(lanes_over(K(-56.86) - v, K(9.03))));
    lanes m_alpha = logistic(lanes_over(K(-60) - v, K(5)));
    lanes m_beta =
        K(0.1) * logistic(lanes_over(v + K(35), K(5))) + K(0.1) * logistic(lanes_over(v - K(50), K(200)));
    lanes m_tau = m_alpha * m_beta;
    const lanes goal = function_of_v(p, TP06_OF_V_M, m_inf);
    const lanes left = p.functions == FUNCTIONS_COMPUTED ? lanes_exp(-p.dt / m_tau)
                                                         : decay_of(p, TP06_OF_V_M + 1, K(1) / m_tau);
    next[TP06_M] = goal + (s[TP06_M] - goal) * left;

    const real knee = K(-40);
    const lanes none = v * K(0);
    lanes inf = square(logistic(lanes_over(v + K(71.55), K(7.43))));
    lanes h_alpha = lanes_select_below(v, knee, K(0.057) * lanes_exp(lanes_over(v + K(80), K(-6.8))), none);
    lanes h_beta =
        lanes_select_below(v, knee, K(2.7) * lanes_exp(K(0.079) * v) + K(3.1e5) * lanes_exp(K(0.3485) * v),
            K(0.77) / (K(0.13) * (K(1) + lanes_exp(lanes_over(v + K(10.66), K(-11.1))))));
    next[TP06_H] = bounded_gate_step(p, TP06_OF_V_H, s[TP06_H], inf, K(1) / (h_alpha + h_beta));

    lanes j_alpha = lanes_select_below(v, knee,
        (K(-2.5428e4) * lanes_exp(K(0.2444) * v) - K(6.948e-6) * lanes_exp(K(-0.04391) * v)) *
            (v + K(37.78)) / (K(1) + lanes_exp(K(0.311) * (v + K(79.23)))),
        none);
    lanes j_beta = lanes_select_below(v, knee,
        K(0.02424) * lanes_exp(K(-0.01052) * v) / (K(1) + lanes_exp(K(-0.1378) * (v + K(40.14)))),
        K(0.6) * lanes_exp(K(0.057) * v) / (K(1) + lanes_exp(K(-0.1) * (v + K(32)))));
    next[TP06_J] = bounded_gate_step(p, TP06_OF_V_J, s[TP06_J], inf, K(1) / (j_alpha + j_beta));
}

/* Gates of the delayed rectifiers Kr and Ks. */
static inline void delayed_rectifier_gates(pace p, lanes v, const lanes s[STATES], lanes next[STATES])
{
    lanes xr1_alpha = K(450) / (K(1) + lanes_exp(lanes_over(K(-45) - v, K(10))));
    lanes xr1_beta = K(6) / (K(1) + lanes_exp(lanes_over(v + K(30), K(11.5))));
    next[TP06_XR1] = bounded_gate_step(
        p, TP06_OF_V_XR1, s[TP06_XR1], logistic(lanes_over(K(-26) - v, K(7))), xr1_alpha * xr1_beta);

    lanes xr2_alpha = K(3) / (K(1) + lanes_exp(lanes_over(K(-60) - v, K(20))));
    lanes xr2_beta = K(1.12) / (K(1) + lanes_exp(lanes_over(v - K(60), K(20))));
    next[TP06_XR2] = bounded_gate_step(
        p, TP06_OF_V_XR2, s[TP06_XR2], logistic(lanes_over(v + K(88), K(24))), xr2_alpha * xr2_beta);

    lanes xs_alpha = K(1400) / lanes_sqrt(K(1) + lanes_exp(lanes_over(K(5) - v, K(6))));
    lanes xs_beta = logistic(lanes_over(v - K(35), K(15)));
    next[TP06_XS] = gate_step(
        p, TP06_OF_V_XS, s[TP06_XS], logistic(lanes_over(K(-5) - v, K(14))), xs_alpha * xs_beta + K(80));
}

/* Gates of the calcium current: d, f, f2 and fCass. */
static inline void calcium_gates(pace p, lanes v, const lanes s[STATES], lanes next[STATES])
{
    lanes d_alpha = K(1.4) * logistic(lanes_over(K(-35) - v, K(13))) + K(0.25);
    lanes d_beta = K(1.4) * logistic(lanes_over(v + K(5), K(5)));
    lanes d_gamma = logistic(lanes_over(K(50) - v, K(20)));
    next[TP06_D] = gate_step(
        p, TP06_OF_V_D, s[TP06_D], logistic(lanes_over(K(-8) - v, K(7.5))), d_alpha * d_beta + d_gamma);

    lanes f_tau = K(1102.5) * lanes_exp(lanes_over(-square(v + K(27)), K(225))) +
                  K(200) * logistic(lanes_over(K(13) - v, K(10))) +
                  K(180) * logistic(lanes_over(v + K(30), K(10))) + K(20);
    next[TP06_F] = gate_step(p, TP06_OF_V_F, s[TP06_F], logistic(lanes_over(v + K(20), K(7))), f_tau);

    lanes f2_tau = K(562) * lanes_exp(lanes_over(-square(v + K(27)), K(240))) +
                   K(31) * logistic(lanes_over(K(25) - v, K(10))) +
                   K(80) * logistic(lanes_over(v + K(30), K(10)));
    next[TP06_F2] = gate_step(
        p, TP06_OF_V_F2, s[TP06_F2], K(0.67) * logistic(lanes_over(v + K(35), K(7))) + K(0.33), f2_tau);

    lanes held = K(1) + square(lanes_over(s[TP06_CASS], K(0.05)));
    next[TP06_FCASS] = computed_gate_step(p, s[TP06_FCASS], K(0.6) / held + K(0.4), K(80) / held + K(2));
}

/* Computes I_K1 [pA/pF], from V and from V - E_K [mV]. The including model defines it. */
static inline lanes inward_rectifier(pace p, const lanes c[CONSTANTS], lanes v, lanes v_k);

/* V minus the equilibrium potentials of sodium and potassium [mV]. */
typedef struct drives {
    lanes na, k;
} drives;

/* Computes the currents [pA/pF], positive outwards. */
static inline drives common_currents(
    pace p, const lanes c[CONSTANTS], lanes v, const lanes s[STATES], lanes i[TP06_CURRENTS])
{
    const lanes nai = s[TP06_NAI], ki = s[TP06_KI], cai = s[TP06_CAI];

    lanes v_na = v - K(TP06_RT_F) * lanes_log(c[TP06_NA_O] / nai);
    lanes v_k = v - K(TP06_RT_F) * lanes_log(c[TP06_K_O] / ki);
    lanes v_ks = v - K(TP06_RT_F) * lanes_log(c[TP06_KS_OUTSIDE] / (ki + c[TP06_P_KNA] * nai));
    lanes v_ca = v - K(0.5 * TP06_RT_F) * lanes_log(c[TP06_CA_O] / cai);

    i[TP06_I_NA] = c[TP06_G_NA] * s[TP06_M] * s[TP06_M] * s[TP06_M] * s[TP06_H] * s[TP06_J] * v_na;
    i[TP06_I_BNA] = c[TP06_G_BNA] * v_na;

    lanes x = (v - K(15)) * K(2 / TP06_RT_F);
    lanes grown = lanes_expm1(x);
    lanes ratio = function_of_v(p, TP06_OF_V_CAL_RATIO,
        lanes_select_below(x * x, K(1e-36), x * K(0) + K(1), x / grown)); /* only if x = 0 */
    i[TP06_I_CAL] =
        c[TP06_CAL_FACTOR] * s[TP06_D] * s[TP06_F] * s[TP06_F2] * s[TP06_FCASS] * ratio *
        (K(0.25) * s[TP06_CASS] * function_of_v(p, TP06_OF_V_CAL_GROWN, grown + K(1)) - c[TP06_CA_O]);

    i[TP06_I_TO] = c[TP06_G_TO] * s[TP06_R] * s[TP06_S] * v_k;
    i[TP06_I_KR] = c[TP06_KR_FACTOR] * s[TP06_XR1] * s[TP06_XR2] * v_k;
    i[TP06_I_KS] = c[TP06_G_KS] * s[TP06_XS] * s[TP06_XS] * v_ks;
    i[TP06_I_K1] = inward_rectifier(p, c, v, v_k);
    i[TP06_I_PK] =
        c[TP06_G_PK] * v_k / function_of_v(p, TP06_OF_V_PK, K(1) + lanes_exp(lanes_over(K(25) - v, K(5.98))));

    /* exp(gamma V F / RT) and exp((gamma - 1) V F / RT) */
    lanes up = function_of_v(p, TP06_OF_V_NACA_UP, lanes_exp(c[TP06_NACA_UP] * v));
    lanes down = function_of_v(p, TP06_OF_V_NACA_DOWN, lanes_exp(c[TP06_NACA_DOWN] * v));
    i[TP06_I_NACA] = c[TP06_NACA_FACTOR] *
                     (up * nai * nai * nai * c[TP06_CA_O] - down * cai * c[TP06_NACA_OUTSIDE]) /
                     function_of_v(p, TP06_OF_V_NACA_SATURATION, K(1) + c[TP06_K_SAT] * down);
    i[TP06_I_NAK] = c[TP06_NAK_FACTOR] * (nai / (nai + c[TP06_K_MNA])) /
                    function_of_v(p, TP06_OF_V_NAK,
                        K(1) + K(0.1245) * lanes_exp(K(-0.1 / TP06_RT_F) * v) +
                            K(0.0353) * lanes_exp(K(-1 / TP06_RT_F) * v));

    i[TP06_I_PCA] = c[TP06_G_PCA] * cai / (cai + c[TP06_K_PCA]);
    i[TP06_I_BCA] = c[TP06_G_BCA] * v_ca;
    return (drives){v_na, v_k};
}

/* Sums of the currents [pA/pF] by ion. */
typedef struct sums {
    lanes calcium_membrane; /* without i_CaL, which enters the subspace */
    lanes sodium, potassium;
    lanes total; /* all currents */
} sums;

static inline sums sums_of(const lanes i[TP06_CURRENTS])
{
    sums sum;
    sum.calcium_membrane = i[TP06_I_BCA] + i[TP06_I_PCA] - K(2) * i[TP06_I_NACA];
    sum.sodium = i[TP06_I_NA] + i[TP06_I_BNA] + K(3) * (i[TP06_I_NAK] + i[TP06_I_NACA]);
    sum.potassium =
        i[TP06_I_K1] + i[TP06_I_TO] + i[TP06_I_KR] + i[TP06_I_KS] + i[TP06_I_PK] - K(2) * i[TP06_I_NAK];
    sum.total = sum.sodium + sum.potassium + sum.calcium_membrane + i[TP06_I_CAL];
    return sum;
}

/* Advances calcium in its three compartments, sodium and potassium. */
static inline void concentrations(lanes dt, const lanes c[CONSTANTS], const sums *sum, lanes i_cal,
    const lanes s[STATES], lanes next[STATES])
{
    const lanes cai = s[TP06_CAI], casr = s[TP06_CASR], cass = s[TP06_CASS];

    lanes i_up = c[TP06_V_MAXUP] / (K(1) + c[TP06_K_UP_SQUARE] / square(cai));
    lanes i_leak = c[TP06_V_LEAK] * (casr - cai);
    lanes i_xfer = c[TP06_V_XFER] * (cass - cai);

    lanes kcasr = c[TP06_MAX_SR] - c[TP06_SR_SPAN] / (K(1) + square(c[TP06_EC] / casr));
    lanes k1 = c[TP06_K1_PRIME] / kcasr, k2 = c[TP06_K2_PRIME] * kcasr;
    lanes open = k1 * square(cass) * s[TP06_RPRIME] / (c[TP06_K3] + k1 * square(cass));
    lanes i_rel = c[TP06_V_REL] * open * (casr - cass);
    next[TP06_RPRIME] =
        s[TP06_RPRIME] + dt * (c[TP06_K4] * (K(1) - s[TP06_RPRIME]) - k2 * cass * s[TP06_RPRIME]);

    lanes buffer_i = K(1) / (K(1) + c[TP06_BUFFER_C] / square(cai + c[TP06_K_BUF_C]));
    lanes buffer_sr = K(1) / (K(1) + c[TP06_BUFFER_SR] / square(casr + c[TP06_K_BUF_SR]));
    lanes buffer_ss = K(1) / (K(1) + c[TP06_BUFFER_SS] / square(cass + c[TP06_K_BUF_SS]));
    next[TP06_CAI] = cai + dt * buffer_i *
                               ((i_leak - i_up) * K(TP06_VSR / TP06_VC) + i_xfer -
                                   sum->calcium_membrane * K(TP06_CM / (2 * TP06_VC * TP06_FARADAY)));
    next[TP06_CASR] = casr + dt * buffer_sr * (i_up - i_rel - i_leak);
    next[TP06_CASS] = cass + dt * buffer_ss *
                                 (i_rel * K(TP06_VSR / TP06_VSS) - i_xfer * K(TP06_VC / TP06_VSS) -
                                     i_cal * K(TP06_CM / (2 * TP06_VSS * TP06_FARADAY)));
    next[TP06_NAI] = s[TP06_NAI] - dt * sum->sodium * K(TP06_CM / (TP06_VC * TP06_FARADAY));
    next[TP06_KI] = s[TP06_KI] - dt * sum->potassium * K(TP06_CM / (TP06_VC * TP06_FARADAY));
}

/* Over k time steps calcium advances with the rates at the mean time of k Euler steps. Calcium is released on the plateau of V, while k is
 * large: with the rates at the beginning the peak of Ca_i would be 1 to 3 % low. Cells that advance by one time step are unchanged. */
static inline void centre_calcium(
    pace p, const lanes c[CONSTANTS], const sums *sum, lanes i_cal, const lanes s[STATES], lanes next[STATES])
{
    static const int of_calcium[] = {TP06_CAI, TP06_CASR, TP06_CASS, TP06_RPRIME};
    lanes middle[STATES], after[STATES];
    concentrations(K(0.5) * (p.dt - p.step), c, sum, i_cal, s, middle);
    concentrations(p.dt, c, sum, i_cal, middle, after);
    for (int i = 0; i < (int)(sizeof of_calcium / sizeof *of_calcium); i++) {
        const int k = of_calcium[i];
        next[k] = pace_choose(p, next[k], s[k] + (after[k] - middle[k]));
    }
}
