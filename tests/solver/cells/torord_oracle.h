/* A second implementation of the ToR-ORd model with dynamic chloride for tests: scalar code in double precision, in the form of the
 * published equations (solver/cells/torord/torord.h). It shares with the solver only the order of the states: y[0..42] as in torord_state,
 * y[43] = V. A stimulus changes only V. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "solver/cells/torord/torord.h"

enum { ORACLE_EPI, ORACLE_MID, ORACLE_ENDO, ORACLE_TYPES };
enum { ORACLE_V = TORORD_STATES, ORACLE_N };

/* The currents [pA/pF] by their names in the solver. */
enum { ORACLE_CURRENTS = 21 };
static const char *const oracle_current[ORACLE_CURRENTS] = {"I_Na", "I_NaL", "I_to", "I_CaL_ss", "I_CaNa_ss",
    "I_CaK_ss", "I_CaL_i", "I_CaNa_i", "I_CaK_i", "I_Kr", "I_Ks", "I_K1", "I_NaCa_i", "I_NaCa_ss", "I_NaK",
    "I_Nab", "I_Kb", "I_pCa", "I_Cab", "I_ClCa", "I_Clb"};

/* The parameters with their values in an endocardial cell. */
/* clang-format off */
#define ORACLE_PARAMETERS(P) \
    P(g_Na, 11.7802) P(g_NaL, 0.0279) P(g_to, 0.16) P(P_Ca, 8.3757e-5) P(g_Kr, 0.0321) P(g_Ks, 0.0011) P(P_KNa, 0.01833) \
    P(g_K1, 0.6992) P(g_Kb, 0.0189) P(g_NaCa, 0.0034) P(P_NaK, 15.4509) P(P_Nab, 1.9239e-9) P(P_Cab, 5.9194e-8) \
    P(g_pCa, 5e-4) P(g_ClCa, 0.2843) P(K_ClCa, 0.1) P(g_Clb, 1.98e-3) P(f_CaL_ss, 0.8) P(f_NaCa_ss, 0.35) \
    P(Na_o, 140) P(K_o, 5) P(Ca_o, 1.8) P(Cl_o, 150) P(J_rel, 1.5378) P(alpha_rel, 0.5 * 4.75) P(beta_tau, 4.75) \
    P(K_jsr, 1.7) P(J_up, 0.005425) P(J_leak, 0.0048825 / 15) P(tau_tr, 60) P(CMDN, 0.05) P(K_CMDN, 0.00238) \
    P(TRPN, 0.07) P(K_TRPN, 0.0005) P(BSR, 0.047) P(K_BSR, 0.00087) P(BSL, 1.124) P(K_BSL, 0.0087) P(CSQN, 10) \
    P(K_CSQN, 0.8) P(CaMK_0, 0.05) P(K_CaM, 0.0015) P(K_CaMK, 0.15) P(delta_epi, 0) P(tau_hL, 200)
/* clang-format on */

#define ORACLE_MEMBER(name, endo) double name;
typedef struct oracle_cell {
    ORACLE_PARAMETERS(ORACLE_MEMBER)
} oracle_cell;

static inline oracle_cell oracle_cell_of(int type)
{
#define ORACLE_VALUE(name, endo) .name = (endo),
    oracle_cell p = {ORACLE_PARAMETERS(ORACLE_VALUE)};
    if (type == ORACLE_EPI) {
        p.g_NaL *= 0.6, p.g_to *= 2, p.P_Ca *= 1.2, p.g_Kr *= 1.3, p.g_Ks *= 1.4, p.g_K1 *= 1.2,
            p.g_NaCa *= 1.1;
        p.P_NaK *= 0.9, p.g_Kb *= 0.6, p.J_up *= 1.3, p.CMDN *= 1.3, p.delta_epi = 0.95;
    }
    if (type == ORACLE_MID) {
        p.g_to *= 2, p.P_Ca *= 2, p.g_Kr *= 0.8, p.g_K1 *= 1.3, p.g_NaCa *= 1.4, p.P_NaK *= 0.7;
        p.alpha_rel *= 1.7;
    }
    return p;
}

/* Returns the parameter with this name, or NULL. */
static inline double *oracle_parameter(oracle_cell *p, const char *called)
{
#define ORACLE_FIND(name, endo)                                                                              \
    if (strcmp(called, #name) == 0) return &p->name;
    ORACLE_PARAMETERS(ORACLE_FIND)
    return NULL;
}

/* A sum of terms, and the sum of their absolute values, the scale of rounding errors. */
typedef struct oracle_sum {
    double value, size;
} oracle_sum;

static inline oracle_sum oracle_add(oracle_sum a, double factor, oracle_sum b)
{
    return (oracle_sum){a.value + factor * b.value, a.size + fabs(factor) * b.size};
}
static inline oracle_sum oracle_positive(double value) { return (oracle_sum){value, fabs(value)}; }

/* conductance * (V - E) */
static inline oracle_sum oracle_ohm(double g, double V, double E)
{
    return (oracle_sum){g * (V - E), fabs(g) * (fabs(V) + fabs(E))};
}

/* A gate: its target and time constant. */
typedef struct oracle_gate {
    double inf, tau;
} oracle_gate;

static inline double boltzmann(double V, double half, double slope)
{
    return 1 / (1 + exp((V - half) / slope));
}

static inline oracle_gate oracle_h_or_j(double V, double inf, int j)
{
    double alpha = 0, beta;
    if (V < -40 && !j) {
        alpha = 0.057 * exp(-(V + 80) / 6.8);
        beta = 2.7 * exp(0.079 * V) + 3.1e5 * exp(0.3485 * V);
    } else if (V < -40) {
        alpha = (-2.5428e4 * exp(0.2444 * V) - 6.948e-6 * exp(-0.04391 * V)) * (V + 37.78) /
                (1 + exp(0.311 * (V + 79.23)));
        beta = 0.02424 * exp(-0.01052 * V) / (1 + exp(-0.1378 * (V + 40.14)));
    } else if (!j) {
        beta = 0.77 / (0.13 * (1 + exp(-(V + 10.66) / 11.1)));
    } else {
        beta = 0.6 * exp(0.057 * V) / (1 + exp(-0.1 * (V + 32)));
    }
    return (oracle_gate){inf, 1 / (alpha + beta)};
}

static inline oracle_gate oracle_nca(double jca, double Ca)
{
    const double k2n = 500, km2n = jca, anca = 1 / (k2n / km2n + pow(1 + 0.002 / Ca, 4));
    return (oracle_gate){anca * k2n / km2n, 1 / km2n};
}

/* All states that are gates; tau is 0 for the others. */
static inline void oracle_gates(const oracle_cell *p, const double *y, oracle_gate g[ORACLE_N])
{
    const double V = y[ORACLE_V];
    memset(g, 0, ORACLE_N * sizeof *g);
    const double tm =
        0.1292 * exp(-pow((V + 45.79) / 15.54, 2)) + 0.06487 * exp(-pow((V - 4.823) / 51.12, 2));
    g[TORORD_M] = (oracle_gate){pow(boltzmann(V, -56.86, -9.03), 2), tm};
    g[TORORD_ML] = (oracle_gate){boltzmann(V, -42.85, -5.264), tm};
    const double hss = pow(boltzmann(V, -71.55, 7.43), 2);
    g[TORORD_H] = oracle_h_or_j(V, hss, 0);
    g[TORORD_HP] = oracle_h_or_j(V, pow(boltzmann(V, -77.55, 7.43), 2), 0);
    g[TORORD_J] = oracle_h_or_j(V, hss, 1);
    g[TORORD_JP] = (oracle_gate){hss, 1.46 * g[TORORD_J].tau};
    g[TORORD_HL] = (oracle_gate){boltzmann(V, -87.61, 7.488), p->tau_hL};
    g[TORORD_HLP] = (oracle_gate){boltzmann(V, -93.81, 7.488), 3 * p->tau_hL};

    const double ta =
        1.0515 / (1 / (1.2089 * (1 + exp(-(V - 18.4099) / 29.3814))) + 3.5 / (1 + exp((V + 100) / 29.3814)));
    const double iss = boltzmann(V, -43.94, 5.711), delta = 1 - p->delta_epi * boltzmann(V, -70, 5);
    const double tiF =
        delta * (4.562 + 1 / (0.3933 * exp(-(V + 100) / 100) + 0.08004 * exp((V + 50) / 16.59)));
    const double tiS =
        delta * (23.62 + 1 / (0.001416 * exp(-(V + 96.52) / 59.05) + 1.78e-8 * exp((V + 114.1) / 8.079)));
    const double slower = (1.354 + 1e-4 / (exp((V - 167.4) / 15.89) + exp(-(V - 12.23) / 0.2154))) *
                          (1 - 0.5 / (1 + exp((V + 70) / 20)));
    g[TORORD_A] = (oracle_gate){boltzmann(V, 14.34, -14.82), ta};
    g[TORORD_AP] = (oracle_gate){boltzmann(V, 24.34, -14.82), ta};
    g[TORORD_IF] = (oracle_gate){iss, tiF};
    g[TORORD_IS] = (oracle_gate){iss, tiS};
    g[TORORD_IFP] = (oracle_gate){iss, tiF * slower};
    g[TORORD_ISP] = (oracle_gate){iss, tiS * slower};

    g[TORORD_D] = (oracle_gate){V >= 31.4978 ? 1 : 1.0763 * exp(-1.0070 * exp(-0.0829 * V)),
        0.6 + 1 / (exp(-0.05 * (V + 6)) + exp(0.09 * (V + 14)))};
    const double fss = boltzmann(V, -19.58, 3.696);
    const double tff = 7 + 1 / (0.0045 * exp(-(V + 20) / 10) + 0.0045 * exp((V + 20) / 10));
    const double tfcaf = 7 + 1 / (0.04 * exp(-(V - 4) / 7) + 0.04 * exp((V - 4) / 7));
    g[TORORD_FF] = (oracle_gate){fss, tff};
    g[TORORD_FS] = (oracle_gate){fss, 1000 + 1 / (3.5e-5 * exp(-(V + 5) / 4) + 3.5e-5 * exp((V + 5) / 6))};
    g[TORORD_FCAF] = (oracle_gate){fss, tfcaf};
    g[TORORD_FCAS] = (oracle_gate){fss, 100 + 1 / (0.00012 * exp(-V / 3) + 0.00012 * exp(V / 7))};
    g[TORORD_JCA] = (oracle_gate){boltzmann(V, -18.08, 2.7916), 72.5};
    g[TORORD_FFP] = (oracle_gate){fss, 2.5 * tff};
    g[TORORD_FCAFP] = (oracle_gate){fss, 2.5 * tfcaf};
    g[TORORD_NCA_I] = oracle_nca(y[TORORD_JCA], y[TORORD_CA_I]);
    g[TORORD_NCA_SS] = oracle_nca(y[TORORD_JCA], y[TORORD_CA_SS]);

    const double xss = boltzmann(V, -11.6, -8.932);
    g[TORORD_XS1] = (oracle_gate){
        xss, 817.3 + 1 / (2.326e-4 * exp((V + 48.28) / 17.8) + 0.001292 * exp(-(V + 210) / 230))};
    g[TORORD_XS2] = (oracle_gate){xss, 1 / (0.01 * exp((V - 50) / 20) + 0.0193 * exp(-(V + 66.54) / 31))};
}

/* Rates [per ms] between C0, C1, C2, O and I: rate[from][to]. */
static inline void oracle_markov(double V, double rate[5][5])
{
    const double x = V * 96485.0 / (8314.0 * 310);
    memset(rate, 0, 25 * sizeof(double));
    rate[0][1] = 0.1161 * exp(0.2990 * x), rate[1][0] = 0.2442 * exp(-1.604 * x);
    rate[1][2] = 0.154375, rate[2][1] = 0.1911;
    rate[2][3] = 0.0578 * exp(0.9710 * x), rate[3][2] = 0.349e-3 * exp(-1.062 * x);
    rate[3][4] = 0.2533 * exp(0.5953 * x), rate[4][3] = 0.06525 * exp(-0.8209 * x);
    rate[2][4] = 0.52e-4 * exp(1.525 * x);
    rate[4][2] = rate[3][2] * rate[4][3] * rate[2][4] / (rate[2][3] * rate[3][4]);
}

/* Steps the five states by backward Euler: solves (1 - dt A) new = old by Gaussian elimination. */
static inline void oracle_markov_step(double dt_ms, double V, double state[5])
{
    double rate[5][5], a[5][6] = {{0}};
    oracle_markov(V, rate);
    for (int i = 0; i < 5; i++) {
        a[i][i] += 1, a[i][5] = state[i];
        for (int j = 0; j < 5; j++) a[i][i] += dt_ms * rate[i][j], a[j][i] -= dt_ms * rate[i][j];
    }
    for (int i = 0; i < 5; i++)
        for (int row = 0; row < 5; row++)
            for (int k = 5; k >= i && row != i; k--) a[row][k] -= a[row][i] / a[i][i] * a[i][k];
    for (int i = 0; i < 5; i++) state[i] = a[i][5] / a[i][i];
}

/* x / (exp(x) - 1), by its series near 0 to avoid cancellation. */
static inline double oracle_bernoulli(double x)
{
    if (fabs(x) < 0.01) return 1 - x / 2 + x * x / 12 - pow(x, 4) / 720; /* then x^6 / 30240 < 1e-16 */
    return (double)(x / (expl((long double)x) - 1));
}

/* P z^2 V F^2 / (R T) (inside exp(z x) - outside) / (exp(z x) - 1) */
static inline oracle_sum oracle_ghk(double P, int z, double V, double inside, double outside)
{
    const double F = 96485, x = z * V * F / (8314.0 * 310);
    const double out = P * z * F * oracle_bernoulli(-x) * inside,
                 in = P * z * F * oracle_bernoulli(x) * outside;
    return (oracle_sum){out - in, fabs(out) + fabs(in)};
}

/* Activity coefficient of an ion of valence z at concentrations in mM. */
static inline double oracle_gamma(int z, double Na, double K, double Cl, double Ca)
{
    const double I = 0.5 * (Na + K + Cl + 4 * Ca) / 1000, A = 1.82e6 * pow(74.0 * 310, -1.5);
    return exp(-A * z * z * (sqrt(I) / (1 + sqrt(I)) - 0.3 * I));
}

static inline oracle_sum oracle_exchanger(const oracle_cell *p, double V, double Na, double Ca)
{
    const double x = V * 96485.0 / (8314.0 * 310), hca = exp(0.167 * x), hna = exp(0.5224 * x);
    const double kna1 = 15, kna2 = 5, kna3 = 88.12, kasymm = 12.5, wna = 6e4, wca = 6e4, wnaca = 5e3;
    const double h1 = 1 + Na / kna3 * (1 + hna), h2 = Na * hna / (kna3 * h1), h3 = 1 / h1;
    const double h4 = 1 + Na / kna1 * (1 + Na / kna2), h5 = Na * Na / (h4 * kna1 * kna2), h6 = 1 / h4;
    const double h7 = 1 + p->Na_o / kna3 * (1 + 1 / hna), h8 = p->Na_o / (kna3 * hna * h7), h9 = 1 / h7;
    const double h10 = kasymm + 1 + p->Na_o / kna1 * (1 + p->Na_o / kna2);
    const double h11 = p->Na_o * p->Na_o / (h10 * kna1 * kna2), h12 = 1 / h10;
    const double k1 = h12 * p->Ca_o * 1.5e6, k2 = 5e3, k3pp = h8 * wnaca, k3 = h9 * wca + k3pp;
    const double k4pp = h2 * wnaca, k4 = h3 * wca / hca + k4pp, k5 = 5e3, k6 = h6 * Ca * 1.5e6;
    const double k7 = h5 * h2 * wna, k8 = h8 * h11 * wna;
    const double x1 = k2 * k4 * (k7 + k6) + k5 * k7 * (k2 + k3),
                 x2 = k1 * k7 * (k4 + k5) + k4 * k6 * (k1 + k8),
                 x3 = k1 * k3 * (k7 + k6) + k8 * k6 * (k2 + k3),
                 x4 = k2 * k8 * (k4 + k5) + k3 * k5 * (k1 + k8);
    const double E1 = x1 / (x1 + x2 + x3 + x4), E2 = x2 / (x1 + x2 + x3 + x4), E3 = x3 / (x1 + x2 + x3 + x4),
                 E4 = x4 / (x1 + x2 + x3 + x4);
    const double allo = 1 / (1 + pow(150e-6 / Ca, 2));
    return (oracle_sum){allo * (3 * (E4 * k7 - E1 * k8) + E3 * k4pp - E2 * k3pp + 2 * (E2 * k2 - E1 * k1)),
        allo * (3 * (E4 * k7 + E1 * k8) + E3 * k4pp + E2 * k3pp + 2 * (E2 * k2 + E1 * k1))};
}

static inline oracle_sum oracle_pump(const oracle_cell *p, double V, double Na, double K)
{
    const double x = V * 96485.0 / (8314.0 * 310), delta = -0.155, H = 1e-7, MgATP = 9.8, Kmgatp = 1.698e-7;
    const double in = Na / (9.073 * exp(delta * x / 3)), out = p->Na_o / (27.78 * exp((1 - delta) * x / 3));
    const double Kki = 0.5, Kko = 0.3582, P = 4.2 / (1 + H / 1.698e-7 + Na / 224 + K / 292);
    const double inside = pow(1 + in, 3) + pow(1 + K / Kki, 2) - 1,
                 outside = pow(1 + out, 3) + pow(1 + p->K_o / Kko, 2) - 1;
    const double a1 = 949.5 * pow(in, 3) / inside, b1 = 182.4 * 0.05, a2 = 687.2,
                 b2 = 39.4 * pow(out, 3) / outside, a3 = 1899 * pow(p->K_o / Kko, 2) / outside,
                 b3 = 79300 * P * H / (1 + MgATP / Kmgatp), a4 = 639 * MgATP / Kmgatp / (1 + MgATP / Kmgatp),
                 b4 = 40 * pow(K / Kki, 2) / inside;
    const double x1 = a4 * a1 * a2 + b2 * b4 * b3 + a2 * b4 * b3 + b3 * a1 * a2,
                 x2 = b2 * b1 * b4 + a1 * a2 * a3 + a3 * b1 * b4 + a2 * a3 * b4,
                 x3 = a2 * a3 * a4 + b3 * b2 * b1 + b2 * b1 * a4 + a3 * a4 * b1,
                 x4 = b4 * b3 * b2 + a3 * a4 * a1 + b2 * a4 * a1 + b3 * b2 * a1, all = x1 + x2 + x3 + x4;
    return (oracle_sum){3 * (x1 / all * a3 - x2 / all * b3) + 2 * (x4 / all * b1 - x3 / all * a1),
        3 * (x1 / all * a3 + x2 / all * b3) + 2 * (x4 / all * b1 + x3 / all * a1)};
}

/* Fraction of CaMKII that is bound to calmodulin, and that of phosphorylated channels. */
static inline double oracle_bound(const oracle_cell *p, const double *y)
{
    return p->CaMK_0 * (1 - y[TORORD_CAMK_T]) / (1 + p->K_CaM / y[TORORD_CA_SS]);
}
static inline double oracle_phosphorylated(const oracle_cell *p, const double *y)
{
    return 1 / (1 + p->K_CaMK / (oracle_bound(p, y) + y[TORORD_CAMK_T]));
}

/* Computes all currents, in the order of their names. */
static inline void oracle_currents(const oracle_cell *p, const double *y, oracle_sum i[ORACLE_CURRENTS])
{
    const double RTF = 8314.0 * 310 / 96485, V = y[ORACLE_V], f = oracle_phosphorylated(p, y);
    const double Nai = y[TORORD_NA_I], Nass = y[TORORD_NA_SS], Ki = y[TORORD_K_I], Kss = y[TORORD_K_SS],
                 Cli = y[TORORD_CL_I], Clss = y[TORORD_CL_SS], Cai = y[TORORD_CA_I], Cass = y[TORORD_CA_SS];
    const double ENa = RTF * log(p->Na_o / Nai), EK = RTF * log(p->K_o / Ki),
                 EKs = RTF * log((p->K_o + p->P_KNa * p->Na_o) / (Ki + p->P_KNa * Nai));
    i[0] = oracle_ohm(p->g_Na * pow(y[TORORD_M], 3) *
                          ((1 - f) * y[TORORD_H] * y[TORORD_J] + f * y[TORORD_HP] * y[TORORD_JP]),
        V, ENa);
    i[1] = oracle_ohm(p->g_NaL * y[TORORD_ML] * ((1 - f) * y[TORORD_HL] + f * y[TORORD_HLP]), V, ENa);
    const double AiF = boltzmann(V, 213.6, 151.2), AiS = 1 - AiF;
    i[2] = oracle_ohm(p->g_to * ((1 - f) * y[TORORD_A] * (AiF * y[TORORD_IF] + AiS * y[TORORD_IS]) +
                                    f * y[TORORD_AP] * (AiF * y[TORORD_IFP] + AiS * y[TORORD_ISP])),
        V, EK);

    const double Afcaf = 0.3 + 0.6 / (1 + exp((V - 10) / 10)), Afcas = 1 - Afcaf;
    const double ff = 0.6 * y[TORORD_FF] + 0.4 * y[TORORD_FS], fp = 0.6 * y[TORORD_FFP] + 0.4 * y[TORORD_FS],
                 fca = Afcaf * y[TORORD_FCAF] + Afcas * y[TORORD_FCAS],
                 fcap = Afcaf * y[TORORD_FCAFP] + Afcas * y[TORORD_FCAS];
    for (int part = 0; part < 2; part++) {
        const double n = part ? y[TORORD_NCA_I] : y[TORORD_NCA_SS],
                     fraction = part ? 1 - p->f_CaL_ss : p->f_CaL_ss;
        const double Na = part ? Nai : Nass, K = part ? Ki : Kss, Cl = part ? Cli : Clss,
                     Ca = part ? Cai : Cass;
        const double PCa = p->P_Ca, PCap = 1.1 * PCa;
        const double open = fraction * y[TORORD_D] *
                            ((1 - f) * PCa * (ff * (1 - n) + y[TORORD_JCA] * fca * n) +
                                f * PCap * (fp * (1 - n) + y[TORORD_JCA] * fcap * n));
        const double in = oracle_gamma(1, Na, K, Cl, Ca),
                     out = oracle_gamma(1, p->Na_o, p->K_o, p->Cl_o, p->Ca_o);
        i[3 + 3 * part] = oracle_ghk(open, 2, V, oracle_gamma(2, Na, K, Cl, Ca) * Ca,
            oracle_gamma(2, p->Na_o, p->K_o, p->Cl_o, p->Ca_o) * p->Ca_o);
        i[4 + 3 * part] = oracle_ghk(0.00125 * open, 1, V, in * Na, out * p->Na_o);
        i[5 + 3 * part] = oracle_ghk(3.574e-4 * open, 1, V, in * K, out * p->K_o);
    }

    i[9] = oracle_ohm(p->g_Kr * sqrt(p->K_o / 5) * y[TORORD_O], V, EK);
    const double KsCa = 1 + 0.6 / (1 + pow(3.8e-5 / Cai, 1.4));
    i[10] = oracle_ohm(p->g_Ks * KsCa * y[TORORD_XS1] * y[TORORD_XS2], V, EKs);
    const double aK1 = 4.094 / (1 + exp(0.1217 * (V - EK - 49.934)));
    const double bK1 = (15.72 * exp(0.0674 * (V - EK - 3.257)) + exp(0.0618 * (V - EK - 594.31))) /
                       (1 + exp(-0.1629 * (V - EK + 14.207)));
    i[11] = oracle_ohm(p->g_K1 * sqrt(p->K_o / 5) * aK1 / (aK1 + bK1), V, EK);
    const oracle_sum none = {0, 0};
    i[12] = oracle_add(none, (1 - p->f_NaCa_ss) * p->g_NaCa, oracle_exchanger(p, V, Nai, Cai));
    i[13] = oracle_add(none, p->f_NaCa_ss * p->g_NaCa, oracle_exchanger(p, V, Nass, Cass));
    i[14] = oracle_add(none, p->P_NaK, oracle_pump(p, V, Nai, Ki));
    i[15] = oracle_ghk(p->P_Nab, 1, V, Nai, p->Na_o);
    i[16] = oracle_ohm(p->g_Kb * boltzmann(V, 10.8968, -23.9871), V, EK);
    i[17] = oracle_positive(p->g_pCa * Cai / (0.0005 + Cai));
    i[18] = oracle_ghk(p->P_Cab, 2, V, oracle_gamma(2, Nai, Ki, Cli, Cai) * Cai,
        oracle_gamma(2, p->Na_o, p->K_o, p->Cl_o, p->Ca_o) * p->Ca_o);
    i[19] = oracle_ohm(p->g_ClCa / (1 + p->K_ClCa / Cass), V, -RTF * log(p->Cl_o / Clss));
    i[20] = oracle_ohm(p->g_Clb, V, -RTF * log(p->Cl_o / Cli));
}

/* Computes the rates of concentrations, release and V. Of calcium in the subspace, d[TORORD_CA_SS] is without diffusion to the cytosol, and
 * d[TORORD_CA_I] is without buffers and without diffusion. */
static inline void oracle_rest(const oracle_cell *p, const double *y, const oracle_sum i[ORACLE_CURRENTS],
    oracle_sum d[ORACLE_N], double *buffer_i, double *buffer_ss)
{
    const oracle_sum none = {0, 0};
    const double F = 96485, L = 0.01, rad = 0.0011, vcell = 1000 * 3.14 * rad * rad * L;
    const double Acap = 2 * (2 * 3.14 * rad * rad + 2 * 3.14 * rad * L);
    const double vmyo = 0.68 * vcell, vnsr = 0.0552 * vcell, vjsr = 0.0048 * vcell, vss = 0.02 * vcell;
    const double ci = Acap / (F * vmyo), css = Acap / (F * vss);
    const double Cai = y[TORORD_CA_I], Cass = y[TORORD_CA_SS], nsr = y[TORORD_CA_NSR], jsr = y[TORORD_CA_JSR];
    for (size_t k = 0; k < ORACLE_N; k++) d[k] = none;
    for (size_t k = 0; k < ORACLE_CURRENTS; k++) d[ORACLE_V] = oracle_add(d[ORACLE_V], -1, i[k]);

    const struct {
        int state, current;
        double factor;
    } flows[] = {{TORORD_NA_I, 0, -ci}, {TORORD_NA_I, 1, -ci}, {TORORD_NA_I, 12, -3 * ci},
        {TORORD_NA_I, 7, -ci}, {TORORD_NA_I, 14, -3 * ci}, {TORORD_NA_I, 15, -ci}, {TORORD_NA_SS, 4, -css},
        {TORORD_NA_SS, 13, -3 * css}, {TORORD_K_I, 2, -ci}, {TORORD_K_I, 9, -ci}, {TORORD_K_I, 10, -ci},
        {TORORD_K_I, 11, -ci}, {TORORD_K_I, 16, -ci}, {TORORD_K_I, 14, 2 * ci}, {TORORD_K_I, 8, -ci},
        {TORORD_K_SS, 5, -css}, {TORORD_CL_I, 20, ci}, {TORORD_CL_SS, 19, css}, {TORORD_CA_I, 6, -ci / 2},
        {TORORD_CA_I, 17, -ci / 2}, {TORORD_CA_I, 18, -ci / 2}, {TORORD_CA_I, 12, ci},
        {TORORD_CA_SS, 3, -css / 2}, {TORORD_CA_SS, 13, css}};
    for (size_t k = 0; k < sizeof flows / sizeof *flows; k++)
        d[flows[k].state] = oracle_add(d[flows[k].state], flows[k].factor, i[flows[k].current]);
    static const int pairs[3][2] = {
        {TORORD_NA_I, TORORD_NA_SS}, {TORORD_K_I, TORORD_K_SS}, {TORORD_CL_I, TORORD_CL_SS}};
    for (int k = 0; k < 3; k++) {
        const double in = y[pairs[k][0]], ss = y[pairs[k][1]];
        const oracle_sum diffusion = {(ss - in) / 2, (ss + in) / 2};
        d[pairs[k][0]] = oracle_add(d[pairs[k][0]], vss / vmyo, diffusion);
        d[pairs[k][1]] = oracle_add(d[pairs[k][1]], -1, diffusion);
    }

    const double f = oracle_phosphorylated(p, y), bound = oracle_bound(p, y);
    const double Jupnp = p->J_up * Cai / (Cai + 0.00092),
                 Jupp = 2.75 * p->J_up * Cai / (Cai + 0.00092 - 0.00017);
    const double uptake = (1 - f) * Jupnp + f * Jupp, leak = p->J_leak * nsr;
    const oracle_sum Jup = {uptake - leak, uptake + leak},
                     Jtr = {(nsr - jsr) / p->tau_tr, (nsr + jsr) / p->tau_tr};
    const oracle_sum Jrel =
        oracle_add(oracle_add(none, (1 - f) * p->J_rel, oracle_positive(y[TORORD_J_REL_NP])), f * p->J_rel,
            oracle_positive(y[TORORD_J_REL_P]));
    *buffer_i = 1 / (1 + p->CMDN * p->K_CMDN / pow(p->K_CMDN + Cai, 2) +
                        p->TRPN * p->K_TRPN / pow(p->K_TRPN + Cai, 2));
    *buffer_ss =
        1 / (1 + p->BSR * p->K_BSR / pow(p->K_BSR + Cass, 2) + p->BSL * p->K_BSL / pow(p->K_BSL + Cass, 2));
    d[TORORD_CA_I] = oracle_add(d[TORORD_CA_I], -vnsr / vmyo, Jup);
    d[TORORD_CA_SS] = oracle_add(d[TORORD_CA_SS], vjsr / vss, Jrel);
    d[TORORD_CA_NSR] = oracle_add(Jup, -vjsr / vnsr, Jtr);
    d[TORORD_CA_JSR] =
        oracle_add(none, 1 / (1 + p->CSQN * p->K_CSQN / pow(p->K_CSQN + jsr, 2)), oracle_add(Jtr, -1, Jrel));
    d[TORORD_CAMK_T] = (oracle_sum){
        0.05 * bound * (bound + y[TORORD_CAMK_T]) - 0.00068 * y[TORORD_CAMK_T], y[TORORD_CAMK_T]};
}

/* Release, which relaxes like a gate; at once in an empty or overdrawn store. */
static inline oracle_sum oracle_release(
    const oracle_cell *p, const double *y, double longer, oracle_sum ICaL_ss, oracle_gate *g)
{
    const double jsr = y[TORORD_CA_JSR], tau = longer * p->beta_tau / (1 + 0.0123 / jsr);
    const oracle_sum none = {0, 0};
    const double open = jsr > 0 ? 1 / (1 + pow(p->K_jsr / jsr, 8)) : 0;
    const oracle_sum inf = oracle_add(none, -longer * p->alpha_rel * open, ICaL_ss);
    *g = (oracle_gate){inf.value, jsr <= 0 || tau < 0.001 ? 0.001 : tau};
    return inf;
}

static const int oracle_rush_larsen[] = {TORORD_M, TORORD_H, TORORD_J, TORORD_HP, TORORD_JP, TORORD_ML,
    TORORD_XS2, TORORD_J_REL_NP, TORORD_J_REL_P};

/* Advances by one step of the solver's scheme (torord.h). `size`: the scale of rounding errors. */
static inline void oracle_step(const oracle_cell *p, double dt_ms, double y[ORACLE_N], double size[ORACLE_N])
{
    oracle_gate g[ORACLE_N];
    oracle_sum i[ORACLE_CURRENTS], d[ORACLE_N];
    double old[ORACLE_N], buffer_i, buffer_ss;
    memcpy(old, y, sizeof old);
    oracle_gates(p, y, g);
    oracle_currents(p, y, i);
    oracle_rest(p, y, i, d, &buffer_i, &buffer_ss);
    const oracle_sum release[2] = {oracle_release(p, y, 1, i[3], &g[TORORD_J_REL_NP]),
        oracle_release(p, y, 1.25, i[3], &g[TORORD_J_REL_P])};
    for (int k = 0; k < ORACLE_N; k++) {
        if (g[k].tau != 0)
            d[k] = (oracle_sum){(g[k].inf - y[k]) / g[k].tau, (g[k].inf + fabs(y[k])) / g[k].tau};
        size[k] = fabs(y[k]) + dt_ms * d[k].size;
        y[k] += dt_ms * d[k].value;
    }
    for (size_t k = 0; k < sizeof oracle_rush_larsen / sizeof *oracle_rush_larsen; k++) {
        const int gate = oracle_rush_larsen[k];
        y[gate] = g[gate].inf + (old[gate] - g[gate].inf) * exp(-dt_ms / g[gate].tau);
        size[gate] = (k < 7 ? g[gate].inf : release[k - 7].size) + fabs(old[gate]);
    }
    double channel[5] = {1, old[TORORD_C1], old[TORORD_C2], old[TORORD_O], old[TORORD_I]};
    for (int k = 1; k < 5; k++) channel[0] -= channel[k];
    oracle_markov_step(dt_ms, old[ORACLE_V], channel);
    static const int markov[5] = {-1, TORORD_C1, TORORD_C2, TORORD_O, TORORD_I};
    for (int k = 1; k < 5; k++) y[markov[k]] = channel[k], size[markov[k]] = 1;

    /* new = old + dt buffer_ss (d - (new - cytosol) / 0.2) */
    const double ss = old[TORORD_CA_SS], cytosol = old[TORORD_CA_I], part = dt_ms * buffer_ss;
    y[TORORD_CA_SS] = (ss + part * (d[TORORD_CA_SS].value + cytosol / 0.2)) / (1 + part / 0.2);
    size[TORORD_CA_SS] = ss + part * (d[TORORD_CA_SS].size + (cytosol + ss) / 0.2);
    y[TORORD_CA_I] =
        cytosol + dt_ms * buffer_i * (d[TORORD_CA_I].value + 0.02 / 0.68 * (y[TORORD_CA_SS] - cytosol) / 0.2);
    size[TORORD_CA_I] =
        cytosol +
        dt_ms * buffer_i * (d[TORORD_CA_I].size + 0.02 / 0.68 * (size[TORORD_CA_SS] + cytosol) / 0.2);
}
