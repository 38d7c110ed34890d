/* The equations of the ten Tusscher-Panfilov 2006 model: one explicit step of LANES cells at once.
 *
 * Included by the kernels after solver/kernels/lanes.h has chosen the arithmetic; the only place where the model stands.
 * Source of every equation and constant: see solver/cells/tp06.h. Units: mV, ms, mM, pA/pF (= mV/ms), nS/pF.
 *
 * As published, term by term. Where two functions hold on two sides of a voltage both are computed and one is chosen,
 * so that all lanes do the same. i_CaL takes its 0/0 at V = 15 mV from expm1: x / (exp(x) - 1) -> 1 for x -> 0. */
#ifndef MT_SOLVER_CELLS_TP06_EQUATIONS_H
#define MT_SOLVER_CELLS_TP06_EQUATIONS_H

#include "solver/cells/tp06.h"

#define K(number) ((real)(number))

/* The step's dt, and what differs between cell types, lane by lane. */
typedef struct tp06_constants {
    real dt;
    lanes g_ks, g_to, s_half, s_peak, s_centre, s_width, s_step, s_floor;
} tp06_constants;

static inline tp06_constants tp06_constants_of(const mt_tp06_type *type, double dt_ms)
{
    return (tp06_constants){
        .dt = K(dt_ms),
        .g_ks = lanes_all(K(type->g_ks)),
        .g_to = lanes_all(K(type->g_to)),
        .s_half = lanes_all(K(type->s_half_mV)),
        .s_peak = lanes_all(K(type->s_peak_ms)),
        .s_centre = lanes_all(K(type->s_centre_mV)),
        .s_width = lanes_all(K(type->s_width_mV2)),
        .s_step = lanes_all(K(type->s_step_ms)),
        .s_floor = lanes_all(K(type->s_floor_ms)),
    };
}

/* Lane by lane the one of three that `type` names. */
static inline lanes tp06_choose(lanes type, lanes epi, lanes mid, lanes endo)
{
    return lanes_select_below(
        type, K(MT_EPI + 0.5), epi, lanes_select_below(type, K(MT_MID + 0.5), mid, endo));
}

/* The constants of LANES cells of different types: of[0 .. LANES) are mt_cell_type. */
static inline tp06_constants tp06_constants_mixed(
    const tp06_constants of_type[MT_CELL_TYPES], const uint16_t *of)
{
    const tp06_constants *epi = &of_type[MT_EPI], *mid = &of_type[MT_MID], *endo = &of_type[MT_ENDO];
    real number[LANES];
    for (int lane = 0; lane < LANES; lane++) number[lane] = (real)of[lane];
    const lanes type = lanes_load(number);
    return (tp06_constants){
        .dt = epi->dt,
        .g_ks = tp06_choose(type, epi->g_ks, mid->g_ks, endo->g_ks),
        .g_to = tp06_choose(type, epi->g_to, mid->g_to, endo->g_to),
        .s_half = tp06_choose(type, epi->s_half, mid->s_half, endo->s_half),
        .s_peak = tp06_choose(type, epi->s_peak, mid->s_peak, endo->s_peak),
        .s_centre = tp06_choose(type, epi->s_centre, mid->s_centre, endo->s_centre),
        .s_width = tp06_choose(type, epi->s_width, mid->s_width, endo->s_width),
        .s_step = tp06_choose(type, epi->s_step, mid->s_step, endo->s_step),
        .s_floor = tp06_choose(type, epi->s_floor, mid->s_floor, endo->s_floor),
    };
}

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
static inline lanes tp06_logistic(lanes x) { return K(1) / (K(1) + lanes_exp(x)); }
static inline lanes tp06_square(lanes x) { return x * x; }

/* Forward Euler for d gate / dt = (target - gate) / tau. */
static inline lanes tp06_euler(real dt, lanes gate, lanes target, lanes tau)
{
    return gate + dt * ((target - gate) / tau);
}

/* Gates m, h and j of the sodium current. Below and above -40 mV the rates of h and j are different
 * functions. */
static inline void tp06_sodium_gates(real dt, lanes v, const lanes s[TP06_STATES], lanes next[TP06_STATES])
{
    lanes m_inf = tp06_square(tp06_logistic((K(-56.86) - v) / K(9.03)));
    lanes m_alpha = tp06_logistic((K(-60) - v) / K(5));
    lanes m_beta = K(0.1) * tp06_logistic((v + K(35)) / K(5)) + K(0.1) * tp06_logistic((v - K(50)) / K(200));
    lanes m_tau = m_alpha * m_beta;
    next[TP06_M] = m_inf + (s[TP06_M] - m_inf) * lanes_exp(-dt / m_tau); /* Rush-Larsen */

    const real knee = K(-40);
    const lanes none = v * K(0);
    lanes inf = tp06_square(tp06_logistic((v + K(71.55)) / K(7.43)));
    lanes h_alpha = lanes_select_below(v, knee, K(0.057) * lanes_exp((v + K(80)) / K(-6.8)), none);
    lanes h_beta =
        lanes_select_below(v, knee, K(2.7) * lanes_exp(K(0.079) * v) + K(3.1e5) * lanes_exp(K(0.3485) * v),
            K(0.77) / (K(0.13) * (K(1) + lanes_exp((v + K(10.66)) / K(-11.1)))));
    next[TP06_H] = tp06_euler(dt, s[TP06_H], inf, K(1) / (h_alpha + h_beta));

    lanes j_alpha = lanes_select_below(v, knee,
        (K(-2.5428e4) * lanes_exp(K(0.2444) * v) - K(6.948e-6) * lanes_exp(K(-0.04391) * v)) *
            (v + K(37.78)) / (K(1) + lanes_exp(K(0.311) * (v + K(79.23)))),
        none);
    lanes j_beta = lanes_select_below(v, knee,
        K(0.02424) * lanes_exp(K(-0.01052) * v) / (K(1) + lanes_exp(K(-0.1378) * (v + K(40.14)))),
        K(0.6) * lanes_exp(K(0.057) * v) / (K(1) + lanes_exp(K(-0.1) * (v + K(32)))));
    next[TP06_J] = tp06_euler(dt, s[TP06_J], inf, K(1) / (j_alpha + j_beta));
}

/* Gates of the potassium currents: Kr, Ks and to. */
static inline void tp06_potassium_gates(
    const tp06_constants *c, lanes v, const lanes s[TP06_STATES], lanes next[TP06_STATES])
{
    const real dt = c->dt;
    lanes xr1_alpha = K(450) / (K(1) + lanes_exp((K(-45) - v) / K(10)));
    lanes xr1_beta = K(6) / (K(1) + lanes_exp((v + K(30)) / K(11.5)));
    next[TP06_XR1] = tp06_euler(dt, s[TP06_XR1], tp06_logistic((K(-26) - v) / K(7)), xr1_alpha * xr1_beta);

    lanes xr2_alpha = K(3) / (K(1) + lanes_exp((K(-60) - v) / K(20)));
    lanes xr2_beta = K(1.12) / (K(1) + lanes_exp((v - K(60)) / K(20)));
    next[TP06_XR2] = tp06_euler(dt, s[TP06_XR2], tp06_logistic((v + K(88)) / K(24)), xr2_alpha * xr2_beta);

    lanes xs_alpha = K(1400) / lanes_sqrt(K(1) + lanes_exp((K(5) - v) / K(6)));
    lanes xs_beta = tp06_logistic((v - K(35)) / K(15));
    next[TP06_XS] =
        tp06_euler(dt, s[TP06_XS], tp06_logistic((K(-5) - v) / K(14)), xs_alpha * xs_beta + K(80));

    lanes s_tau = c->s_peak * lanes_exp(-tp06_square(v + c->s_centre) / c->s_width) +
                  c->s_step * tp06_logistic((v - K(20)) / K(5)) + c->s_floor;
    next[TP06_S] = tp06_euler(dt, s[TP06_S], tp06_logistic((v + c->s_half) / K(5)), s_tau);

    lanes r_tau = K(9.5) * lanes_exp(-tp06_square(v + K(40)) / K(1800)) + K(0.8);
    next[TP06_R] = tp06_euler(dt, s[TP06_R], tp06_logistic((K(20) - v) / K(6)), r_tau);
}

/* Gates of the calcium current: d, f, f2 and fCass. */
static inline void tp06_calcium_gates(real dt, lanes v, const lanes s[TP06_STATES], lanes next[TP06_STATES])
{
    lanes d_alpha = K(1.4) * tp06_logistic((K(-35) - v) / K(13)) + K(0.25);
    lanes d_beta = K(1.4) * tp06_logistic((v + K(5)) / K(5));
    lanes d_gamma = tp06_logistic((K(50) - v) / K(20));
    next[TP06_D] = tp06_euler(dt, s[TP06_D], tp06_logistic((K(-8) - v) / K(7.5)), d_alpha * d_beta + d_gamma);

    lanes f_tau = K(1102.5) * lanes_exp(-tp06_square(v + K(27)) / K(225)) +
                  K(200) * tp06_logistic((K(13) - v) / K(10)) + K(180) * tp06_logistic((v + K(30)) / K(10)) +
                  K(20);
    next[TP06_F] = tp06_euler(dt, s[TP06_F], tp06_logistic((v + K(20)) / K(7)), f_tau);

    lanes f2_tau = K(562) * lanes_exp(-tp06_square(v + K(27)) / K(240)) +
                   K(31) * tp06_logistic((K(25) - v) / K(10)) + K(80) * tp06_logistic((v + K(30)) / K(10));
    next[TP06_F2] = tp06_euler(dt, s[TP06_F2], K(0.67) * tp06_logistic((v + K(35)) / K(7)) + K(0.33), f2_tau);

    lanes held = K(1) + tp06_square(s[TP06_CASS] / K(0.05));
    next[TP06_FCASS] = tp06_euler(dt, s[TP06_FCASS], K(0.6) / held + K(0.4), K(80) / held + K(2));
}

/* The currents [pA/pF] that the concentrations need one by one. */
typedef struct tp06_currents {
    lanes calcium_membrane; /* i_bCa + i_pCa - 2 i_NaCa */
    lanes cal;              /* i_CaL */
    lanes sodium;           /* i_Na + i_bNa + 3 i_NaK + 3 i_NaCa */
    lanes potassium;        /* i_K1 + i_to + i_Kr + i_Ks + i_pK - 2 i_NaK */
    lanes total;            /* all of them */
} tp06_currents;

static inline tp06_currents tp06_currents_at(const tp06_constants *c, lanes v, const lanes s[TP06_STATES])
{
    const lanes nai = s[TP06_NAI], ki = s[TP06_KI], cai = s[TP06_CAI];

    lanes v_na = v - K(TP06_RT_F) * lanes_log(K(TP06_NAO) / nai);
    lanes v_k = v - K(TP06_RT_F) * lanes_log(K(TP06_KO) / ki);
    lanes v_ks = v - K(TP06_RT_F) * lanes_log(K(TP06_KO + 0.03 * TP06_NAO) / (ki + K(0.03) * nai));
    lanes v_ca = v - K(0.5 * TP06_RT_F) * lanes_log(K(TP06_CAO) / cai);

    lanes i_na = K(14.838) * s[TP06_M] * s[TP06_M] * s[TP06_M] * s[TP06_H] * s[TP06_J] * v_na;
    lanes i_bna = K(2.9e-4) * v_na;

    lanes x = (v - K(15)) * K(2 / TP06_RT_F);
    lanes grown = lanes_expm1(x);
    lanes ratio = lanes_select_below(x * x, K(1e-36), x * K(0) + K(1), x / grown); /* only where x = 0 */
    lanes i_cal = K(3.98e-5 * 2 * TP06_FARADAY) * s[TP06_D] * s[TP06_F] * s[TP06_F2] * s[TP06_FCASS] * ratio *
                  (K(0.25) * s[TP06_CASS] * (grown + K(1)) - K(TP06_CAO));

    lanes i_to = c->g_to * s[TP06_R] * s[TP06_S] * v_k;
    lanes i_kr = K(0.153 * TP06_SQRT_KO_5_4) * s[TP06_XR1] * s[TP06_XR2] * v_k;
    lanes i_ks = c->g_ks * s[TP06_XS] * s[TP06_XS] * v_ks;
    lanes k1_alpha = K(0.1) / (K(1) + lanes_exp(K(0.06) * (v_k - K(200))));
    lanes k1_beta = (K(3) * lanes_exp(K(2e-4) * (v_k + K(100))) + lanes_exp(K(0.1) * (v_k - K(10)))) /
                    (K(1) + lanes_exp(K(-0.5) * v_k));
    lanes i_k1 = K(5.405 * TP06_SQRT_KO_5_4) * (k1_alpha / (k1_alpha + k1_beta)) * v_k;
    lanes i_pk = K(0.0146) * v_k / (K(1) + lanes_exp((K(25) - v) / K(5.98)));

    lanes up = lanes_exp(K(0.35 / TP06_RT_F) * v);         /* exp(gamma V F / RT) */
    lanes down = lanes_exp(K((0.35 - 1) / TP06_RT_F) * v); /* exp((gamma - 1) V F / RT) */
    const double naca_scale =
        1000.0 / ((87.5 * 87.5 * 87.5 + TP06_NAO * TP06_NAO * TP06_NAO) * (1.38 + TP06_CAO));
    lanes i_naca =
        K(naca_scale) *
        (up * nai * nai * nai * K(TP06_CAO) - down * cai * K(TP06_NAO * TP06_NAO * TP06_NAO * 2.5)) /
        (K(1) + K(0.1) * down);
    lanes i_nak = K(2.724 * TP06_KO / (TP06_KO + 1)) * (nai / (nai + K(40))) /
                  (K(1) + K(0.1245) * lanes_exp(K(-0.1 / TP06_RT_F) * v) +
                      K(0.0353) * lanes_exp(K(-1 / TP06_RT_F) * v));

    lanes i_pca = K(0.1238) * cai / (cai + K(5e-4));
    lanes i_bca = K(5.92e-4) * v_ca;

    tp06_currents i;
    i.calcium_membrane = i_bca + i_pca - K(2) * i_naca;
    i.cal = i_cal;
    i.sodium = i_na + i_bna + K(3) * (i_nak + i_naca);
    i.potassium = i_k1 + i_to + i_kr + i_ks + i_pk - K(2) * i_nak;
    i.total = i.sodium + i.potassium + i.calcium_membrane + i_cal;
    return i;
}

/* Calcium in its three rooms, sodium, potassium. */
static inline void tp06_concentrations(
    const tp06_constants *c, const tp06_currents *i, const lanes s[TP06_STATES], lanes next[TP06_STATES])
{
    const real dt = c->dt;
    const lanes cai = s[TP06_CAI], casr = s[TP06_CASR], cass = s[TP06_CASS];

    lanes i_up = K(0.006375) / (K(1) + K(2.5e-4 * 2.5e-4) / tp06_square(cai));
    lanes i_leak = K(3.6e-4) * (casr - cai);
    lanes i_xfer = K(0.0038) * (cass - cai);

    lanes kcasr = K(2.5) - K(1.5) / (K(1) + tp06_square(K(1.5) / casr));
    lanes k1 = K(0.15) / kcasr, k2 = K(0.045) * kcasr;
    lanes open = k1 * tp06_square(cass) * s[TP06_RPRIME] / (K(0.06) + k1 * tp06_square(cass));
    lanes i_rel = K(0.102) * open * (casr - cass);
    next[TP06_RPRIME] =
        s[TP06_RPRIME] + dt * (K(0.005) * (K(1) - s[TP06_RPRIME]) - k2 * cass * s[TP06_RPRIME]);

    lanes buffer_i = K(1) / (K(1) + K(0.2 * 0.001) / tp06_square(cai + K(0.001)));
    lanes buffer_sr = K(1) / (K(1) + K(10 * 0.3) / tp06_square(casr + K(0.3)));
    lanes buffer_ss = K(1) / (K(1) + K(0.4 * 2.5e-4) / tp06_square(cass + K(2.5e-4)));
    next[TP06_CAI] = cai + dt * buffer_i *
                               ((i_leak - i_up) * K(TP06_VSR / TP06_VC) + i_xfer -
                                   i->calcium_membrane * K(TP06_CM / (2 * TP06_VC * TP06_FARADAY)));
    next[TP06_CASR] = casr + dt * buffer_sr * (i_up - i_rel - i_leak);
    next[TP06_CASS] = cass + dt * buffer_ss *
                                 (i_rel * K(TP06_VSR / TP06_VSS) - i_xfer * K(TP06_VC / TP06_VSS) -
                                     i->cal * K(TP06_CM / (2 * TP06_VSS * TP06_FARADAY)));
    next[TP06_NAI] = s[TP06_NAI] - dt * i->sodium * K(TP06_CM / (TP06_VC * TP06_FARADAY));
    next[TP06_KI] = s[TP06_KI] - dt * i->potassium * K(TP06_CM / (TP06_VC * TP06_FARADAY));
}

/* One step of LANES cells whose states lie `stride` numbers apart; gives the new V. */
static inline lanes tp06_step(const tp06_constants *c, lanes v, real *state, size_t stride)
{
    lanes s[TP06_STATES], next[TP06_STATES];
    for (size_t k = 0; k < TP06_STATES; k++) s[k] = lanes_load(state + k * stride);
    tp06_sodium_gates(c->dt, v, s, next);
    tp06_potassium_gates(c, v, s, next);
    tp06_calcium_gates(c->dt, v, s, next);
    tp06_currents i = tp06_currents_at(c, v, s);
    tp06_concentrations(c, &i, s, next);
    for (size_t k = 0; k < TP06_STATES; k++) lanes_store(state + k * stride, next[k]);
    return v - c->dt * i.total;
}

#undef K
#endif
