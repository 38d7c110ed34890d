/* A second implementation of the ten Tusscher-Panfilov 2006 model for tests: scalar code in double precision. It follows the published
 * equations (Am. J. Physiol. Heart Circ. Physiol. 291 (2006) H1088-H1100, and for unchanged parts the appendix of the authors' model of
 * 2004, Am. J. Physiol. 286 (2004) H1573-H1589), in the form and with the parameters of the CellML repository. It shares with the solver
 * only the order of the states: y[0..17] as in mt_tp06_state, y[18] = V. A stimulus changes only V. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { ORACLE_EPI, ORACLE_MID, ORACLE_ENDO, ORACLE_TYPES };
enum { ORACLE_V = 18, ORACLE_N = 19 };

/* Initial states of the three cell types: Xr1 Xr2 Xs m h j d f f2 fCass s r Ca_i R' Ca_SR Ca_ss Na_i K_i V. */
static const double oracle_start[ORACLE_TYPES][ORACLE_N] = {
    {0.00621, 0.4712, 0.0095, 0.00172, 0.7444, 0.7045, 3.373e-5, 0.7888, 0.9755, 0.9953, 0.999998, 2.42e-8,
        1.26e-4, 0.9073, 3.64, 3.6e-4, 8.604, 136.89, -85.23},
    {0.0165, 0.473, 0.0174, 0.00165, 0.749, 0.6788, 3.288e-5, 0.7026, 0.9526, 0.9942, 0.999998, 2.347e-8,
        1.53e-4, 0.8978, 4.272, 4.2e-4, 10.132, 138.52, -85.423},
    {0.00448, 0.476, 0.0087, 0.00155, 0.7573, 0.7225, 3.164e-5, 0.8009, 0.9778, 0.9953, 0.3212, 2.235e-8,
        1.3e-4, 0.9068, 3.715, 3.6e-4, 10.355, 138.4, -86.709},
};

/* The currents [pA/pF] by their published names. */
enum { ORACLE_CURRENTS = 12 };
static const char *const oracle_current[ORACLE_CURRENTS] = {
    "I_K1", "I_Kr", "I_Ks", "I_to", "I_pK", "I_Na", "I_bNa", "I_bCa", "I_CaL", "I_NaK", "I_NaCa", "I_pCa"};

/* The parameters by the names of the papers and the CellML repository, with their values in an epicardial cell. */
/* clang-format off */
#define ORACLE_PARAMETERS(P) \
    P(g_Na, 14.838) P(g_bNa, 2.9e-4) P(g_CaL, 3.98e-5) P(g_bCa, 5.92e-4) P(g_to, 0.294) P(g_Kr, 0.153) \
    P(g_Ks, 0.392) P(p_KNa, 0.03) P(g_K1, 5.405) P(g_pK, 0.0146) P(g_pCa, 0.1238) P(K_pCa, 5e-4) \
    P(P_NaK, 2.724) P(K_mK, 1) P(K_mNa, 40) P(k_NaCa, 1000) P(K_mNai, 87.5) P(K_mCa, 1.38) \
    P(k_sat, 0.1) P(gamma, 0.35) P(alpha, 2.5) P(V_maxup, 0.006375) P(K_up, 2.5e-4) P(V_rel, 0.102) \
    P(V_leak, 3.6e-4) P(V_xfer, 0.0038) P(k1_prime, 0.15) P(k2_prime, 0.045) P(k3, 0.06) P(k4, 0.005) \
    P(EC, 1.5) P(max_sr, 2.5) P(min_sr, 1) P(Buf_c, 0.2) P(K_buf_c, 0.001) P(Buf_sr, 10) \
    P(K_buf_sr, 0.3) P(Buf_ss, 0.4) P(K_buf_ss, 2.5e-4) P(K_o, 5.4) P(Na_o, 140) P(Ca_o, 2) \
    P(s_half, 20) P(s_peak, 85) P(s_centre, 45) P(s_width, 320) P(s_step, 5) P(s_floor, 3)
/* clang-format on */

#define ORACLE_MEMBER(name, epi) double name;
typedef struct oracle_cell {
    ORACLE_PARAMETERS(ORACLE_MEMBER)
} oracle_cell;

static inline oracle_cell oracle_cell_of(int type)
{
#define ORACLE_VALUE(name, epi) .name = (epi),
    oracle_cell p = {ORACLE_PARAMETERS(ORACLE_VALUE)};
    if (type == ORACLE_MID) p.g_Ks = 0.098;
    if (type != ORACLE_ENDO) return p;
    p.g_to = 0.073;
    p.s_half = 28, p.s_peak = 1000, p.s_centre = 67, p.s_width = 1000, p.s_step = 0, p.s_floor = 8;
    return p;
}

/* Returns the parameter with this name, or NULL. */
static inline double *oracle_parameter(oracle_cell *p, const char *called)
{
#define ORACLE_FIND(name, epi)                                                                               \
    if (strcmp(called, #name) == 0) return &p->name;
    ORACLE_PARAMETERS(ORACLE_FIND)
    return NULL;
}

typedef struct oracle_rates {
    double rate[ORACLE_N]; /* dy/dt per ms */
    double size[ORACLE_N]; /* the same with absolute values instead of differences: the scale of rounding
                          * errors */
    double m_inf, tau_m;   /* of gate m, for its Rush-Larsen step */
    double current[ORACLE_CURRENTS], current_size[ORACLE_CURRENTS];
} oracle_rates;

static inline double sigmoid(double x) { return 1 / (1 + exp(x)); }

static inline void oracle_gate(oracle_rates *r, int gate, double y, double inf, double tau)
{
    r->rate[gate] = (inf - y) / tau;
    r->size[gate] = (inf + fabs(y)) / tau;
}

static inline void oracle_sodium_gates(oracle_rates *r, const double *y)
{
    const double V = y[ORACLE_V];
    r->m_inf = pow(sigmoid((-56.86 - V) / 9.03), 2);
    r->tau_m = sigmoid((-60 - V) / 5) * (0.1 * sigmoid((V + 35) / 5) + 0.1 * sigmoid((V - 50) / 200));
    oracle_gate(r, 3, y[3], r->m_inf, r->tau_m);
    double alpha_h = 0, alpha_j = 0, beta_h, beta_j;
    if (V < -40) {
        alpha_h = 0.057 * exp(-(V + 80) / 6.8);
        beta_h = 2.7 * exp(0.079 * V) + 3.1e5 * exp(0.3485 * V);
        alpha_j = (-2.5428e4 * exp(0.2444 * V) - 6.948e-6 * exp(-0.04391 * V)) * (V + 37.78) /
                  (1 + exp(0.311 * (V + 79.23)));
        beta_j = 0.02424 * exp(-0.01052 * V) / (1 + exp(-0.1378 * (V + 40.14)));
    } else {
        beta_h = 0.77 / (0.13 * (1 + exp((V + 10.66) / -11.1)));
        beta_j = 0.6 * exp(0.057 * V) / (1 + exp(-0.1 * (V + 32)));
    }
    const double inf = pow(sigmoid((V + 71.55) / 7.43), 2);
    oracle_gate(r, 4, y[4], inf, 1 / (alpha_h + beta_h));
    oracle_gate(r, 5, y[5], inf, 1 / (alpha_j + beta_j));
}

static inline void oracle_other_gates(oracle_rates *r, const oracle_cell *p, const double *y)
{
    const double V = y[ORACLE_V], Ca_ss = y[15];
    oracle_gate(
        r, 0, y[0], sigmoid((-26 - V) / 7), 450 * sigmoid((-45 - V) / 10) * 6 * sigmoid((V + 30) / 11.5));
    oracle_gate(
        r, 1, y[1], sigmoid((V + 88) / 24), 3 * sigmoid((-60 - V) / 20) * 1.12 * sigmoid((V - 60) / 20));
    oracle_gate(
        r, 2, y[2], sigmoid((-5 - V) / 14), 1400 / sqrt(1 + exp((5 - V) / 6)) * sigmoid((V - 35) / 15) + 80);
    oracle_gate(r, 6, y[6], sigmoid((-8 - V) / 7.5),
        (1.4 * sigmoid((-35 - V) / 13) + 0.25) * 1.4 * sigmoid((V + 5) / 5) + sigmoid((50 - V) / 20));
    oracle_gate(r, 7, y[7], sigmoid((V + 20) / 7),
        1102.5 * exp(-pow(V + 27, 2) / 225) + 200 * sigmoid((13 - V) / 10) + 180 * sigmoid((V + 30) / 10) +
            20);
    oracle_gate(r, 8, y[8], 0.67 * sigmoid((V + 35) / 7) + 0.33,
        562 * exp(-pow(V + 27, 2) / 240) + 31 * sigmoid((25 - V) / 10) + 80 * sigmoid((V + 30) / 10));
    const double ss = 1 / (1 + pow(Ca_ss / 0.05, 2));
    oracle_gate(r, 9, y[9], 0.6 * ss + 0.4, 80 * ss + 2);
    oracle_gate(r, 10, y[10], sigmoid((V + p->s_half) / 5),
        p->s_peak * exp(-pow(V + p->s_centre, 2) / p->s_width) + p->s_step * sigmoid((V - 20) / 5) +
            p->s_floor);
    oracle_gate(r, 11, y[11], sigmoid((20 - V) / 6), 9.5 * exp(-pow(V + 40, 2) / 1800) + 0.8);
}

/* A sum of terms, and the sum of their absolute values. */
typedef struct oracle_sum {
    double value, size;
} oracle_sum;

static inline oracle_sum oracle_add(oracle_sum a, double factor, oracle_sum b)
{
    return (oracle_sum){a.value + factor * b.value, a.size + fabs(factor) * b.size};
}

/* conductance * (V - E) */
static inline oracle_sum oracle_ohm(double g, double V, double E)
{
    return (oracle_sum){g * (V - E), fabs(g) * (fabs(V) + fabs(E))};
}

/* x / (exp(x) - 1), by its series near 0 to avoid cancellation. */
static inline double oracle_bernoulli(double x)
{
    if (fabs(x) < 0.01) return 1 - x / 2 + x * x / 12 - pow(x, 4) / 720; /* then x^6 / 30240 < 1e-16 */
    return (double)(x / (expl((long double)x) - 1));
}

/* Computes the currents [pA/pF] and the rates of the concentrations. */
static inline void oracle_rest(oracle_rates *r, const oracle_cell *p, const double *y)
{
    const double R = 8314.472, T = 310, F = 96485.3415, RTF = R * T / F;
    const double Cm = 0.185, V_c = 0.016404, V_sr = 0.001094, V_ss = 5.468e-5;
    const double Ko = p->K_o, Nao = p->Na_o, Cao = p->Ca_o;
    const double V = y[ORACLE_V], Ca_i = y[12], R_prime = y[13], Ca_SR = y[14], Ca_ss = y[15], Na_i = y[16],
                 K_i = y[17];
    const double E_Na = RTF * log(Nao / Na_i), E_K = RTF * log(Ko / K_i),
                 E_Ks = RTF * log((Ko + p->p_KNa * Nao) / (K_i + p->p_KNa * Na_i)),
                 E_Ca = 0.5 * RTF * log(Cao / Ca_i);

    const double alpha_K1 = 0.1 / (1 + exp(0.06 * (V - E_K - 200)));
    const double beta_K1 =
        (3 * exp(0.0002 * (V - E_K + 100)) + exp(0.1 * (V - E_K - 10))) / (1 + exp(-0.5 * (V - E_K)));
    const oracle_sum K1 = oracle_ohm(p->g_K1 * alpha_K1 / (alpha_K1 + beta_K1) * sqrt(Ko / 5.4), V, E_K);
    const oracle_sum Kr = oracle_ohm(p->g_Kr * sqrt(Ko / 5.4) * y[0] * y[1], V, E_K);
    const oracle_sum Ks = oracle_ohm(p->g_Ks * y[2] * y[2], V, E_Ks);
    const oracle_sum to = oracle_ohm(p->g_to * y[11] * y[10], V, E_K);
    const oracle_sum pK = oracle_ohm(p->g_pK / (1 + exp((25 - V) / 5.98)), V, E_K);
    const oracle_sum Na = oracle_ohm(p->g_Na * pow(y[3], 3) * y[4] * y[5], V, E_Na);
    const oracle_sum bNa = oracle_ohm(p->g_bNa, V, E_Na);
    const oracle_sum bCa = oracle_ohm(p->g_bCa, V, E_Ca);

    /* 4 (V - 15) F^2 / (R T) (0.25 Ca_ss e^x - Cao) / (e^x - 1) with x = 2 (V - 15) F / (R T) */
    const double x = 2 * (V - 15) / RTF, open = p->g_CaL * y[6] * y[7] * y[8] * y[9] * 2 * F;
    const double inward = open * oracle_bernoulli(x) * Cao,
                 outward = open * oracle_bernoulli(-x) * 0.25 * Ca_ss;
    const oracle_sum CaL = {outward - inward, outward + inward};

    const double NaK_value = p->P_NaK * Ko / (Ko + p->K_mK) * Na_i / (Na_i + p->K_mNa) /
                             (1 + 0.1245 * exp(-0.1 * V / RTF) + 0.0353 * exp(-V / RTF));
    const oracle_sum NaK = {NaK_value, NaK_value};
    const double scale = p->k_NaCa / ((pow(p->K_mNai, 3) + pow(Nao, 3)) * (p->K_mCa + Cao) *
                                         (1 + p->k_sat * exp((p->gamma - 1) * V / RTF)));
    const double in = scale * exp(p->gamma * V / RTF) * pow(Na_i, 3) * Cao,
                 out = scale * exp((p->gamma - 1) * V / RTF) * pow(Nao, 3) * Ca_i * p->alpha;
    const oracle_sum NaCa = {in - out, in + out};
    const oracle_sum pCa = {p->g_pCa * Ca_i / (Ca_i + p->K_pCa), p->g_pCa * Ca_i / (Ca_i + p->K_pCa)};

    const oracle_sum all[ORACLE_CURRENTS] = {K1, Kr, Ks, to, pK, Na, bNa, bCa, CaL, NaK, NaCa, pCa};
    oracle_sum total = {0, 0};
    for (size_t k = 0; k < ORACLE_CURRENTS; k++) {
        total = oracle_add(total, -1, all[k]);
        r->current[k] = all[k].value, r->current_size[k] = all[k].size;
    }

    const double kcasr = p->max_sr - (p->max_sr - p->min_sr) / (1 + pow(p->EC / Ca_SR, 2));
    const double k1 = p->k1_prime / kcasr, k2 = p->k2_prime * kcasr;
    const double O = k1 * Ca_ss * Ca_ss * R_prime / (p->k3 + k1 * Ca_ss * Ca_ss);
    const oracle_sum rel = {p->V_rel * O * (Ca_SR - Ca_ss), p->V_rel * O * (Ca_SR + Ca_ss)};
    const double up_value = p->V_maxup / (1 + pow(p->K_up / Ca_i, 2));
    const oracle_sum up = {up_value, up_value};
    const oracle_sum leak = {p->V_leak * (Ca_SR - Ca_i), p->V_leak * (Ca_SR + Ca_i)};
    const oracle_sum xfer = {p->V_xfer * (Ca_ss - Ca_i), p->V_xfer * (Ca_ss + Ca_i)};
    const double buffer_c = 1 / (1 + p->Buf_c * p->K_buf_c / pow(Ca_i + p->K_buf_c, 2));
    const double buffer_sr = 1 / (1 + p->Buf_sr * p->K_buf_sr / pow(Ca_SR + p->K_buf_sr, 2));
    const double buffer_ss = 1 / (1 + p->Buf_ss * p->K_buf_ss / pow(Ca_ss + p->K_buf_ss, 2));

    oracle_sum d[ORACLE_N] = {{0, 0}};
    const double c = Cm / (V_c * F);
    const oracle_sum membrane_Ca = oracle_add(oracle_add(bCa, 1, pCa), -2, NaCa);
    d[12] = oracle_add(oracle_add(oracle_add(xfer, V_sr / V_c, leak), -V_sr / V_c, up), -c / 2, membrane_Ca);
    d[13] = (oracle_sum){
        -k2 * Ca_ss * R_prime + p->k4 * (1 - R_prime), k2 * Ca_ss * R_prime + p->k4 * (1 + R_prime)};
    d[14] = oracle_add(oracle_add(up, -1, rel), -1, leak);
    d[15] = oracle_add(
        oracle_add(oracle_add(d[15], -Cm / (2 * V_ss * F), CaL), V_sr / V_ss, rel), -V_c / V_ss, xfer);
    d[16] = oracle_add(oracle_add(oracle_add(oracle_add(d[16], -c, Na), -c, bNa), -3 * c, NaK), -3 * c, NaCa);
    const oracle_sum potassium[] = {K1, to, Kr, Ks, pK};
    for (size_t k = 0; k < 5; k++) d[17] = oracle_add(d[17], -c, potassium[k]);
    d[17] = oracle_add(d[17], 2 * c, NaK);
    d[18] = total;
    const double buffer[ORACLE_N] = {[12] = buffer_c, 1, buffer_sr, buffer_ss, 1, 1, 1};
    for (int k = 12; k < ORACLE_N; k++) {
        r->rate[k] = buffer[k] * d[k].value;
        r->size[k] = buffer[k] * d[k].size;
    }
}

static inline oracle_rates oracle_rhs_of(const oracle_cell *p, const double y[ORACLE_N])
{
    oracle_rates r;
    oracle_sodium_gates(&r, y);
    oracle_other_gates(&r, p, y);
    oracle_rest(&r, p, y);
    return r;
}

static inline oracle_rates oracle_rhs(int type, const double y[ORACLE_N])
{
    const oracle_cell p = oracle_cell_of(type);
    return oracle_rhs_of(&p, y);
}

/* Advances by one step: Rush-Larsen for gate m, forward Euler for all others. `size`: the scale of rounding errors. */
static inline void oracle_step(const oracle_cell *p, double dt_ms, double y[ORACLE_N], double size[ORACLE_N])
{
    const oracle_rates r = oracle_rhs_of(p, y);
    const double m = y[3];
    for (int i = 0; i < ORACLE_N; i++) {
        size[i] = fabs(y[i]) + dt_ms * r.size[i];
        y[i] += dt_ms * r.rate[i];
    }
    y[3] = r.m_inf - (r.m_inf - m) * exp(-dt_ms / r.tau_m);
    size[3] = r.m_inf + m;
}

/* Advances by one classical Runge-Kutta step with `rise` [mV/ms] added to dV/dt. */
static inline void oracle_runge_kutta(int type, double dt_ms, double rise, double y[ORACLE_N])
{
    static const double part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    double sum[ORACLE_N] = {0}, k[ORACLE_N] = {0};
    for (int stage = 0; stage < 4; stage++) {
        double at[ORACLE_N];
        for (int i = 0; i < ORACLE_N; i++) at[i] = y[i] + part[stage] * dt_ms * k[i];
        oracle_rates r = oracle_rhs(type, at);
        r.rate[ORACLE_V] += rise;
        for (int i = 0; i < ORACLE_N; i++) {
            k[i] = r.rate[i];
            sum[i] += weight[stage] * k[i];
        }
    }
    for (int i = 0; i < ORACLE_N; i++) y[i] += dt_ms * sum[i];
}
