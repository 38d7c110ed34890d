/* The equations of the ten Tusscher-Panfilov 2006 model: one explicit step of LANES cells at once.
 *
 * Source of every equation and constant: see solver/cells/tp06/tp06.h. Units: mV, ms, mM, pA/pF (= mV/ms), nS/pF.
 *
 * As published, term by term. Where two functions hold on two sides of a voltage both are computed and one is chosen,
 * so that all lanes do the same. i_CaL takes its 0/0 at V = 15 mV from expm1: x / (exp(x) - 1) -> 1 for x -> 0. */
#include "solver/kernels/lanes.h"
#include "solver/cells/tp06/tp06.h"

#define MODEL cell_tp06
#define MODEL_CURRENTS cell_tp06_currents
enum {
    STATES = TP06_STATES,
    PARAMETERS = TP06_PARAMETERS,
    VARIANTS = TP06_VARIANTS,
    CURRENTS = TP06_CURRENTS
};

#define K(number) ((real)(number))

/* Physical constants and fixed concentrations. */
#define TP06_GAS 8314.472                                      /* J/(kmol K) */
#define TP06_TEMPERATURE 310.0                                 /* K */
#define TP06_FARADAY 96485.3415                                /* C/mol */
#define TP06_RT_F (TP06_GAS * TP06_TEMPERATURE / TP06_FARADAY) /* mV */
#define TP06_KO 5.4
#define TP06_NAO 140.0
#define TP06_CAO 2.0
#define TP06_CM 0.185 /* uF, of the volumes below [nl] */
#define TP06_VC 0.016404
#define TP06_VSR 0.001094
#define TP06_VSS 5.468e-5
#define TP06_SQRT_KO_5_4 1.0 /* sqrt(KO / 5.4) */

/* 1 / (1 + exp(x)) */
static inline lanes logistic(lanes x) { return K(1) / (K(1) + lanes_exp(x)); }
static inline lanes square(lanes x) { return x * x; }

/* Forward Euler for d gate / dt = (target - gate) / tau. */
static inline lanes euler(real dt, lanes gate, lanes target, lanes tau)
{
    return gate + dt * ((target - gate) / tau);
}

/* Gates m, h and j of the sodium current. Below and above -40 mV the rates of h and j are different
 * functions. */
static inline void sodium_gates(real dt, lanes v, const lanes s[STATES], lanes next[STATES])
{
    lanes m_inf = square(logistic((K(-56.86) - v) / K(9.03)));
    lanes m_alpha = logistic((K(-60) - v) / K(5));
    lanes m_beta = K(0.1) * logistic((v + K(35)) / K(5)) + K(0.1) * logistic((v - K(50)) / K(200));
    lanes m_tau = m_alpha * m_beta;
    next[TP06_M] = m_inf + (s[TP06_M] - m_inf) * lanes_exp(-dt / m_tau); /* Rush-Larsen */

    const real knee = K(-40);
    const lanes none = v * K(0);
    lanes inf = square(logistic((v + K(71.55)) / K(7.43)));
    lanes h_alpha = lanes_select_below(v, knee, K(0.057) * lanes_exp((v + K(80)) / K(-6.8)), none);
    lanes h_beta =
        lanes_select_below(v, knee, K(2.7) * lanes_exp(K(0.079) * v) + K(3.1e5) * lanes_exp(K(0.3485) * v),
            K(0.77) / (K(0.13) * (K(1) + lanes_exp((v + K(10.66)) / K(-11.1)))));
    next[TP06_H] = euler(dt, s[TP06_H], inf, K(1) / (h_alpha + h_beta));

    lanes j_alpha = lanes_select_below(v, knee,
        (K(-2.5428e4) * lanes_exp(K(0.2444) * v) - K(6.948e-6) * lanes_exp(K(-0.04391) * v)) *
            (v + K(37.78)) / (K(1) + lanes_exp(K(0.311) * (v + K(79.23)))),
        none);
    lanes j_beta = lanes_select_below(v, knee,
        K(0.02424) * lanes_exp(K(-0.01052) * v) / (K(1) + lanes_exp(K(-0.1378) * (v + K(40.14)))),
        K(0.6) * lanes_exp(K(0.057) * v) / (K(1) + lanes_exp(K(-0.1) * (v + K(32)))));
    next[TP06_J] = euler(dt, s[TP06_J], inf, K(1) / (j_alpha + j_beta));
}

/* Gates of the potassium currents: Kr, Ks and to. */
static inline void potassium_gates(
    real dt, const lanes p[PARAMETERS], lanes v, const lanes s[STATES], lanes next[STATES])
{
    lanes xr1_alpha = K(450) / (K(1) + lanes_exp((K(-45) - v) / K(10)));
    lanes xr1_beta = K(6) / (K(1) + lanes_exp((v + K(30)) / K(11.5)));
    next[TP06_XR1] = euler(dt, s[TP06_XR1], logistic((K(-26) - v) / K(7)), xr1_alpha * xr1_beta);

    lanes xr2_alpha = K(3) / (K(1) + lanes_exp((K(-60) - v) / K(20)));
    lanes xr2_beta = K(1.12) / (K(1) + lanes_exp((v - K(60)) / K(20)));
    next[TP06_XR2] = euler(dt, s[TP06_XR2], logistic((v + K(88)) / K(24)), xr2_alpha * xr2_beta);

    lanes xs_alpha = K(1400) / lanes_sqrt(K(1) + lanes_exp((K(5) - v) / K(6)));
    lanes xs_beta = logistic((v - K(35)) / K(15));
    next[TP06_XS] = euler(dt, s[TP06_XS], logistic((K(-5) - v) / K(14)), xs_alpha * xs_beta + K(80));

    lanes s_tau = p[TP06_S_PEAK] * lanes_exp(-square(v + p[TP06_S_CENTRE]) / p[TP06_S_WIDTH]) +
                  p[TP06_S_STEP] * logistic((v - K(20)) / K(5)) + p[TP06_S_FLOOR];
    next[TP06_S] = euler(dt, s[TP06_S], logistic((v + p[TP06_S_HALF]) / K(5)), s_tau);

    lanes r_tau = K(9.5) * lanes_exp(-square(v + K(40)) / K(1800)) + K(0.8);
    next[TP06_R] = euler(dt, s[TP06_R], logistic((K(20) - v) / K(6)), r_tau);
}

/* Gates of the calcium current: d, f, f2 and fCass. */
static inline void calcium_gates(real dt, lanes v, const lanes s[STATES], lanes next[STATES])
{
    lanes d_alpha = K(1.4) * logistic((K(-35) - v) / K(13)) + K(0.25);
    lanes d_beta = K(1.4) * logistic((v + K(5)) / K(5));
    lanes d_gamma = logistic((K(50) - v) / K(20));
    next[TP06_D] = euler(dt, s[TP06_D], logistic((K(-8) - v) / K(7.5)), d_alpha * d_beta + d_gamma);

    lanes f_tau = K(1102.5) * lanes_exp(-square(v + K(27)) / K(225)) +
                  K(200) * logistic((K(13) - v) / K(10)) + K(180) * logistic((v + K(30)) / K(10)) + K(20);
    next[TP06_F] = euler(dt, s[TP06_F], logistic((v + K(20)) / K(7)), f_tau);

    lanes f2_tau = K(562) * lanes_exp(-square(v + K(27)) / K(240)) + K(31) * logistic((K(25) - v) / K(10)) +
                   K(80) * logistic((v + K(30)) / K(10));
    next[TP06_F2] = euler(dt, s[TP06_F2], K(0.67) * logistic((v + K(35)) / K(7)) + K(0.33), f2_tau);

    lanes held = K(1) + square(s[TP06_CASS] / K(0.05));
    next[TP06_FCASS] = euler(dt, s[TP06_FCASS], K(0.6) / held + K(0.4), K(80) / held + K(2));
}

/* The currents [pA/pF], outwards above 0. */
static inline void cell_currents(
    const lanes p[PARAMETERS], lanes v, const lanes s[STATES], lanes i[TP06_CURRENTS])
{
    const lanes nai = s[TP06_NAI], ki = s[TP06_KI], cai = s[TP06_CAI];

    lanes v_na = v - K(TP06_RT_F) * lanes_log(K(TP06_NAO) / nai);
    lanes v_k = v - K(TP06_RT_F) * lanes_log(K(TP06_KO) / ki);
    lanes v_ks = v - K(TP06_RT_F) * lanes_log(K(TP06_KO + 0.03 * TP06_NAO) / (ki + K(0.03) * nai));
    lanes v_ca = v - K(0.5 * TP06_RT_F) * lanes_log(K(TP06_CAO) / cai);

    i[TP06_I_NA] = K(14.838) * s[TP06_M] * s[TP06_M] * s[TP06_M] * s[TP06_H] * s[TP06_J] * v_na;
    i[TP06_I_BNA] = K(2.9e-4) * v_na;

    lanes x = (v - K(15)) * K(2 / TP06_RT_F);
    lanes grown = lanes_expm1(x);
    lanes ratio = lanes_select_below(x * x, K(1e-36), x * K(0) + K(1), x / grown); /* only where x = 0 */
    i[TP06_I_CAL] = K(3.98e-5 * 2 * TP06_FARADAY) * s[TP06_D] * s[TP06_F] * s[TP06_F2] * s[TP06_FCASS] *
                    ratio * (K(0.25) * s[TP06_CASS] * (grown + K(1)) - K(TP06_CAO));

    i[TP06_I_TO] = p[TP06_G_TO] * s[TP06_R] * s[TP06_S] * v_k;
    i[TP06_I_KR] = K(0.153 * TP06_SQRT_KO_5_4) * s[TP06_XR1] * s[TP06_XR2] * v_k;
    i[TP06_I_KS] = p[TP06_G_KS] * s[TP06_XS] * s[TP06_XS] * v_ks;
    lanes k1_alpha = K(0.1) / (K(1) + lanes_exp(K(0.06) * (v_k - K(200))));
    lanes k1_beta = (K(3) * lanes_exp(K(2e-4) * (v_k + K(100))) + lanes_exp(K(0.1) * (v_k - K(10)))) /
                    (K(1) + lanes_exp(K(-0.5) * v_k));
    i[TP06_I_K1] = K(5.405 * TP06_SQRT_KO_5_4) * (k1_alpha / (k1_alpha + k1_beta)) * v_k;
    i[TP06_I_PK] = K(0.0146) * v_k / (K(1) + lanes_exp((K(25) - v) / K(5.98)));

    lanes up = lanes_exp(K(0.35 / TP06_RT_F) * v);         /* exp(gamma V F / RT) */
    lanes down = lanes_exp(K((0.35 - 1) / TP06_RT_F) * v); /* exp((gamma - 1) V F / RT) */
    const double naca_scale =
        1000.0 / ((87.5 * 87.5 * 87.5 + TP06_NAO * TP06_NAO * TP06_NAO) * (1.38 + TP06_CAO));
    i[TP06_I_NACA] =
        K(naca_scale) *
        (up * nai * nai * nai * K(TP06_CAO) - down * cai * K(TP06_NAO * TP06_NAO * TP06_NAO * 2.5)) /
        (K(1) + K(0.1) * down);
    i[TP06_I_NAK] = K(2.724 * TP06_KO / (TP06_KO + 1)) * (nai / (nai + K(40))) /
                    (K(1) + K(0.1245) * lanes_exp(K(-0.1 / TP06_RT_F) * v) +
                        K(0.0353) * lanes_exp(K(-1 / TP06_RT_F) * v));

    i[TP06_I_PCA] = K(0.1238) * cai / (cai + K(5e-4));
    i[TP06_I_BCA] = K(5.92e-4) * v_ca;
}

/* Their sums [pA/pF], by what they carry. */
typedef struct sums {
    lanes calcium_membrane; /* without i_CaL, which enters the subspace */
    lanes sodium, potassium;
    lanes total; /* all of them */
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

/* Calcium in its three rooms, sodium, potassium. */
static inline void concentrations(
    real dt, const sums *sum, lanes i_cal, const lanes s[STATES], lanes next[STATES])
{
    const lanes cai = s[TP06_CAI], casr = s[TP06_CASR], cass = s[TP06_CASS];

    lanes i_up = K(0.006375) / (K(1) + K(2.5e-4 * 2.5e-4) / square(cai));
    lanes i_leak = K(3.6e-4) * (casr - cai);
    lanes i_xfer = K(0.0038) * (cass - cai);

    lanes kcasr = K(2.5) - K(1.5) / (K(1) + square(K(1.5) / casr));
    lanes k1 = K(0.15) / kcasr, k2 = K(0.045) * kcasr;
    lanes open = k1 * square(cass) * s[TP06_RPRIME] / (K(0.06) + k1 * square(cass));
    lanes i_rel = K(0.102) * open * (casr - cass);
    next[TP06_RPRIME] =
        s[TP06_RPRIME] + dt * (K(0.005) * (K(1) - s[TP06_RPRIME]) - k2 * cass * s[TP06_RPRIME]);

    lanes buffer_i = K(1) / (K(1) + K(0.2 * 0.001) / square(cai + K(0.001)));
    lanes buffer_sr = K(1) / (K(1) + K(10 * 0.3) / square(casr + K(0.3)));
    lanes buffer_ss = K(1) / (K(1) + K(0.4 * 2.5e-4) / square(cass + K(2.5e-4)));
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

static inline lanes cell_step(
    real dt, const lanes p[PARAMETERS], lanes v, const lanes s[STATES], lanes next[STATES])
{
    sodium_gates(dt, v, s, next);
    potassium_gates(dt, p, v, s, next);
    calcium_gates(dt, v, s, next);
    lanes i[TP06_CURRENTS];
    cell_currents(p, v, s, i);
    const sums sum = sums_of(i);
    concentrations(dt, &sum, i[TP06_I_CAL], s, next);
    return v - dt * sum.total;
}

#include "solver/cells/kernel.h"
