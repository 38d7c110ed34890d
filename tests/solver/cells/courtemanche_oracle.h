/* A second implementation of the Courtemanche-Ramirez-Nattel 1998 model for tests: scalar code of the C library's functions. It follows the
 * appendix of the paper (Am. J. Physiol. 275 (1998) H301-H321) term by term, with total currents [pA], the published rates with their
 * removable singularities, and F_n in umol/ms. It shares with the solver only the order of the states: y[0..19] as in crn_state,
 * y[20] = V. A stimulus changes only V. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { ORACLE_V = 20, ORACLE_N = 21, ORACLE_GATES = 15, ORACLE_CURRENTS = 12 };

/* The resting state: m h j oa oi ua ui xr xs d f fCa u v w, Na_i K_i Ca_i Ca_up Ca_rel, V. In the paper's table, all are rounded to three
 * digits. */
static const double oracle_start[ORACLE_N] = {2.908e-3, 9.649e-1, 9.775e-1, 3.043e-2, 9.992e-1, 4.966e-3,
    9.986e-1, 3.296e-5, 1.869e-2, 1.367e-4, 9.996e-1, 7.755e-1, 0, 1, 9.992e-1, 11.17, 139, 1.013e-4, 1.488,
    1.488, -81.18};
static const double oracle_start_of_paper[ORACLE_N] = {2.91e-3, 9.65e-1, 9.78e-1, 3.04e-2, 9.99e-1, 4.96e-3,
    9.99e-1, 3.29e-5, 1.87e-2, 1.37e-4, 9.99e-1, 7.75e-1, 0, 1, 9.99e-1, 11.2, 139, 1.02e-4, 1.49, 1.49,
    -81.2};

static const char *const oracle_current[ORACLE_CURRENTS] = {
    "I_Na", "I_K1", "I_to", "I_Kur", "I_Kr", "I_Ks", "I_CaL", "I_pCa", "I_NaK", "I_NaCa", "I_bNa", "I_bCa"};

/* Table 1, by the names of the solver: value, and the paper's. */
/* clang-format off */
#define ORACLE_PARAMETERS(P) \
    P(g_Na, 7.8, 7.8) P(g_K1, 0.09, 0.09) P(g_to, 0.1652, 0.1652) P(g_Kur, 0.005, 0.005) P(g_Kr, 0.029411765, 0.0294) \
    P(g_Ks, 0.12941176, 0.129) P(g_CaL, 0.12375, 0.1238) P(g_bCa, 0.001131, 0.00113) P(g_bNa, 0.0006744375, 0.000674) \
    P(I_NaK_max, 0.59933874, 0.60) P(I_NaCa_max, 1600, 1600) P(I_pCa_max, 0.275, 0.275) P(I_up_max, 0.005, 0.005) \
    P(K_Q10, 3, 3) P(gamma, 0.35, 0.35) P(K_mNai, 10, 10) P(K_mKo, 1.5, 1.5) P(K_mNa, 87.5, 87.5) P(K_mCa, 1.38, 1.38) \
    P(k_sat, 0.1, 0.1) P(k_rel, 30, 30) P(K_up, 0.00092, 0.00092) P(Ca_up_max, 15, 15) P(Cmdn_max, 0.05, 0.05) \
    P(Trpn_max, 0.07, 0.07) P(Csqn_max, 10, 10) P(K_mCmdn, 0.00238, 0.00238) P(K_mTrpn, 0.0005, 0.0005) \
    P(K_mCsqn, 0.8, 0.8) P(tau_tr, 180, 180) P(K_o, 5.4, 5.4) P(Na_o, 140, 140) P(Ca_o, 1.8, 1.8)
/* clang-format on */

typedef struct oracle_cell {
#define ORACLE_MEMBER(name, value, paper) double name;
    ORACLE_PARAMETERS(ORACLE_MEMBER)
} oracle_cell;

#define ORACLE_VALUE(name, value, paper) .name = (value),
#define ORACLE_PRINTED(name, value, paper) .name = (paper),
static const oracle_cell oracle_default = {ORACLE_PARAMETERS(ORACLE_VALUE)},
                         oracle_table_1 = {ORACLE_PARAMETERS(ORACLE_PRINTED)};

/* Returns the parameter with this name, or NULL. */
static inline double *oracle_parameter(oracle_cell *p, const char *called)
{
#define ORACLE_FIND(name, value, paper)                                                                      \
    if (strcmp(called, #name) == 0) return &p->name;
    ORACLE_PARAMETERS(ORACLE_FIND)
    return NULL;
}

/* A sum of terms, and the sum of their absolute values: the scale of rounding errors. */
typedef struct oracle_sum {
    double value, size;
} oracle_sum;

static inline void oracle_add(oracle_sum *sum, double factor, oracle_sum term)
{
    sum->value += factor * term.value;
    sum->size += fabs(factor) * term.size;
}

typedef struct oracle_rates {
    double inf[ORACLE_GATES], tau[ORACLE_GATES];
    oracle_sum rate[ORACLE_N]; /* dy/dt [per ms] of the concentrations and V */
    oracle_sum current[ORACLE_CURRENTS];
    oracle_sum F_n; /* umol/ms */
} oracle_rates;

/* x / (1 - exp(-x / width)), by its series where the quotient loses digits */
static inline double oracle_quotient(double x, double width)
{
    const long double r = (long double)x / width;
    if (fabsl(r) < 0.01L) return (double)(width * (1 + r / 2 + r * r / 12 - r * r * r * r / 720));
    return (double)(x / (1 - expl(-r)));
}

static inline void oracle_open_close(oracle_rates *r, int gate, double alpha, double beta)
{
    r->tau[gate] = 1 / (alpha + beta);
    r->inf[gate] = alpha / (alpha + beta);
}

static inline void oracle_membrane_gates(oracle_rates *r, const oracle_cell *p, const double *y)
{
    const double V = y[ORACLE_V];
    oracle_open_close(r, 0, 0.32 * oracle_quotient(V + 47.13, 10), 0.08 * exp(-V / 11));
    if (V >= -40) {
        oracle_open_close(r, 1, 0, 1 / (0.13 * (1 + exp((V + 10.66) / -11.1))));
        oracle_open_close(r, 2, 0, 0.3 * exp(-2.535e-7 * V) / (1 + exp(-0.1 * (V + 32))));
    } else {
        oracle_open_close(r, 1, 0.135 * exp((V + 80) / -6.8), 3.56 * exp(0.079 * V) + 3.1e5 * exp(0.35 * V));
        oracle_open_close(r, 2,
            (-127140 * exp(0.2444 * V) - 3.474e-5 * exp(-0.04391 * V)) * (V + 37.78) /
                (1 + exp(0.311 * (V + 79.23))),
            0.1212 * exp(-0.01052 * V) / (1 + exp(-0.1378 * (V + 40.14))));
    }
    /* oa and ua, oi, ui */
    const double alpha_a = 0.65 / (exp((V + 10) / -8.5) + exp((V - 30) / -59)),
                 beta_a = 0.65 / (2.5 + exp((V + 82) / 17));
    r->tau[3] = r->tau[5] = 1 / (alpha_a + beta_a) / p->K_Q10;
    r->inf[3] = 1 / (1 + exp((V + 20.47) / -17.54));
    r->inf[5] = 1 / (1 + exp((V + 30.3) / -9.6));
    const double alpha_oi = 1 / (18.53 + exp((V + 113.7) / 10.95)),
                 beta_oi = 1 / (35.56 + exp((V + 1.26) / -7.44));
    r->tau[4] = 1 / (alpha_oi + beta_oi) / p->K_Q10;
    r->inf[4] = 1 / (1 + exp((V + 43.1) / 5.3));
    const double alpha_ui = 1 / (21 + exp((V - 185) / -28)), beta_ui = 1 / exp((V - 158) / -16);
    r->tau[6] = 1 / (alpha_ui + beta_ui) / p->K_Q10;
    r->inf[6] = 1 / (1 + exp((V - 99.45) / 27.48));
    /* xr, xs: (V - E) / (exp((V - E) / w) - 1) is the quotient of -(V - E) */
    r->tau[7] = 1 / (0.0003 * oracle_quotient(V + 14.1, 5) + 7.3898e-5 * oracle_quotient(3.3328 - V, 5.1237));
    r->inf[7] = 1 / (1 + exp((V + 14.1) / -6.5));
    r->tau[8] = 0.5 / (4e-5 * oracle_quotient(V - 19.9, 17) + 3.5e-5 * oracle_quotient(19.9 - V, 9));
    r->inf[8] = pow(1 + exp((V - 19.9) / -12.7), -0.5);
    /* d, f, fCa */
    r->tau[9] = 1 / (oracle_quotient(V + 10, 6.24) * 0.035 * (1 + exp((V + 10) / -6.24)));
    r->inf[9] = 1 / (1 + exp((V + 10) / -8));
    r->tau[10] = 9 / (0.0197 * exp(-pow(0.0337 * (V + 10), 2)) + 0.02);
    r->inf[10] = 1 / (1 + exp((V + 28) / 6.9));
    r->tau[11] = 2;
    r->inf[11] = 1 / (1 + y[17] / 0.00035);
    /* w */
    r->tau[14] = 6 / (oracle_quotient(V - 7.9, 5) * (1 + 0.3 * exp((V - 7.9) / -5)));
    r->inf[14] = 1 - 1 / (1 + exp((V - 40) / -17));
}

/* u and v for a flux [umol/ms]; 1 - 1 / (1 + exp(-x)) without cancellation */
static inline void oracle_release_gates(double F_n, double inf[2], double tau[2])
{
    const double open = 1 / (1 + exp((F_n - 3.4175e-13) / -13.67e-16));
    inf[0] = open, tau[0] = 8;
    inf[1] = 1 / (1 + exp((F_n - 6.835e-14) / 13.67e-16)), tau[1] = 1.91 + 2.09 * open;
}

/* conductance * (V - E) */
static inline oracle_sum oracle_ohm(double g, double V, double E)
{
    return (oracle_sum){g * (V - E), fabs(g) * (fabs(V) + fabs(E))};
}

/* Computes the currents [pA/pF], the flux F_n, and the rates of the concentrations and V. */
static inline void oracle_rest(oracle_rates *r, const oracle_cell *p, const double *y)
{
    const double R = 8.3143, T = 310, F = 96.4867, C_m = 100, V_i = 13668, V_up = 1109.52, V_rel = 96.48;
    const double V = y[ORACLE_V], Na_i = y[15], K_i = y[16], Ca_i = y[17], Ca_up = y[18], Ca_rel = y[19];
    const double K_o = p->K_o, Na_o = p->Na_o, Ca_o = p->Ca_o, x = F * V / (R * T);
    const double E_Na = R * T / F * log(Na_o / Na_i), E_K = R * T / F * log(K_o / K_i),
                 E_Ca = R * T / (2 * F) * log(Ca_o / Ca_i);

    const oracle_sum Na = oracle_ohm(p->g_Na * pow(y[0], 3) * y[1] * y[2], V, E_Na);
    const oracle_sum K1 = oracle_ohm(p->g_K1 / (1 + exp(0.07 * (V + 80))), V, E_K);
    const oracle_sum to = oracle_ohm(p->g_to * pow(y[3], 3) * y[4], V, E_K);
    const double g_Kur = p->g_Kur + 10 * p->g_Kur / (1 + exp((V - 15) / -13));
    const oracle_sum Kur = oracle_ohm(g_Kur * pow(y[5], 3) * y[6], V, E_K);
    const oracle_sum Kr = oracle_ohm(p->g_Kr * y[7] / (1 + exp((V + 15) / 22.4)), V, E_K);
    const oracle_sum Ks = oracle_ohm(p->g_Ks * pow(y[8], 2), V, E_K);
    const oracle_sum CaL = oracle_ohm(p->g_CaL * y[9] * y[10] * y[11], V, 65);
    const double pump = p->I_pCa_max * Ca_i / (0.0005 + Ca_i);
    const oracle_sum pCa = {pump, pump};
    const double sigma = (exp(Na_o / 67.3) - 1) / 7,
                 f_NaK = 1 / (1 + 0.1245 * exp(-0.1 * x) + 0.0365 * sigma * exp(-x)),
                 pumped = p->I_NaK_max * f_NaK / (1 + pow(p->K_mNai / Na_i, 1.5)) * K_o / (K_o + p->K_mKo);
    const oracle_sum NaK = {pumped, pumped};
    const double scale = p->I_NaCa_max / ((pow(p->K_mNa, 3) + pow(Na_o, 3)) * (p->K_mCa + Ca_o) *
                                             (1 + p->k_sat * exp((p->gamma - 1) * x))),
                 out = scale * exp(p->gamma * x) * pow(Na_i, 3) * Ca_o,
                 in = scale * exp((p->gamma - 1) * x) * pow(Na_o, 3) * Ca_i;
    const oracle_sum NaCa = {out - in, out + in};
    const oracle_sum bNa = oracle_ohm(p->g_bNa, V, E_Na), bCa = oracle_ohm(p->g_bCa, V, E_Ca);
    const oracle_sum all[ORACLE_CURRENTS] = {Na, K1, to, Kur, Kr, Ks, CaL, pCa, NaK, NaCa, bNa, bCa};
    memcpy(r->current, all, sizeof all);
    for (int k = 0; k < ORACLE_CURRENTS; k++) oracle_add(&r->rate[ORACLE_V], -1, all[k]);

    const double open = p->k_rel * pow(y[12], 2) * y[13] * y[14];
    const oracle_sum rel = {open * (Ca_rel - Ca_i), open * (Ca_rel + Ca_i)};
    oracle_add(&r->F_n, 1e-12 * V_rel, rel);
    oracle_add(&r->F_n, -5e-13 / F * 0.5 * C_m, CaL);
    oracle_add(&r->F_n, 5e-13 / F * 0.2 * C_m, NaCa);
    oracle_release_gates(r->F_n.value, &r->inf[12], &r->tau[12]);

    const oracle_sum tr = {(Ca_up - Ca_rel) / p->tau_tr, (Ca_up + Ca_rel) / p->tau_tr};
    const double filled = p->I_up_max / (1 + p->K_up / Ca_i), leaked = p->I_up_max * Ca_up / p->Ca_up_max;
    const oracle_sum up = {filled, filled}, leak = {leaked, leaked};

    const double per_valence = C_m / (F * V_i);
    oracle_add(&r->rate[15], -3 * per_valence, NaK), oracle_add(&r->rate[15], -3 * per_valence, NaCa);
    oracle_add(&r->rate[15], -per_valence, bNa), oracle_add(&r->rate[15], -per_valence, Na);
    oracle_add(&r->rate[16], 2 * per_valence, NaK);
    for (int k = 1; k <= 5; k++) oracle_add(&r->rate[16], -per_valence, all[k]); /* K1 to Kur Kr Ks */

    const double B_2 = 1 + p->Trpn_max * p->K_mTrpn / pow(Ca_i + p->K_mTrpn, 2) +
                       p->Cmdn_max * p->K_mCmdn / pow(Ca_i + p->K_mCmdn, 2);
    oracle_sum B_1 = {0, 0};
    oracle_add(&B_1, per_valence, NaCa), oracle_add(&B_1, -per_valence / 2, pCa);
    oracle_add(&B_1, -per_valence / 2, CaL), oracle_add(&B_1, -per_valence / 2, bCa);
    oracle_add(&B_1, V_up / V_i, leak), oracle_add(&B_1, -V_up / V_i, up);
    oracle_add(&B_1, V_rel / V_i, rel);
    oracle_add(&r->rate[17], 1 / B_2, B_1);
    oracle_add(&r->rate[18], 1, up), oracle_add(&r->rate[18], -1, leak);
    oracle_add(&r->rate[18], -V_rel / V_up, tr);
    const double free = 1 / (1 + p->Csqn_max * p->K_mCsqn / pow(Ca_rel + p->K_mCsqn, 2));
    oracle_add(&r->rate[19], free, tr), oracle_add(&r->rate[19], -free, rel);
}

static inline oracle_rates oracle_rhs(const oracle_cell *p, const double y[ORACLE_N])
{
    oracle_rates r;
    memset(&r, 0, sizeof r);
    oracle_membrane_gates(&r, p, y);
    oracle_rest(&r, p, y);
    return r;
}

static inline double oracle_relaxed(double gate, double inf, double tau, double dt_ms)
{
    return inf - (inf - gate) * exp(-dt_ms / tau);
}

/* Advances by one step: Rush-Larsen for m, u and v, forward Euler for all others. `allowed`: bounds on differences if each term has a
 * relative error e. An error of F_n can change the targets of u and v completely: bounds from steps with a smaller and a larger flux. */
static inline void oracle_step(
    const oracle_cell *p, double dt_ms, double e, double y[ORACLE_N], double allowed[ORACLE_N])
{
    const oracle_rates r = oracle_rhs(p, y);
    double edge[2][2];
    for (int k = 0; k < 2; k++) {
        double inf[2], tau[2];
        oracle_release_gates(r.F_n.value + (k ? e : -e) * (r.F_n.size + 3.4175e-13), inf, tau);
        for (int g = 0; g < 2; g++) edge[k][g] = oracle_relaxed(y[12 + g], inf[g], tau[g], dt_ms);
    }
    for (int i = 0; i < ORACLE_N; i++) {
        if (i < ORACLE_GATES) {
            allowed[i] = e * (r.inf[i] + y[i]);
            y[i] = i == 0 || i == 12 || i == 13 ? oracle_relaxed(y[i], r.inf[i], r.tau[i], dt_ms)
                                                : y[i] + dt_ms * (r.inf[i] - y[i]) / r.tau[i];
        } else {
            allowed[i] = e * (fabs(y[i]) + dt_ms * r.rate[i].size);
            y[i] += dt_ms * r.rate[i].value;
        }
    }
    for (int g = 0; g < 2; g++) allowed[12 + g] += fabs(edge[1][g] - edge[0][g]);
}

/* Advances by one classical Runge-Kutta step with `rise` [mV/ms] added to dV/dt. */
static inline void oracle_runge_kutta(double dt_ms, double rise, double y[ORACLE_N])
{
    static const double part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    double sum[ORACLE_N] = {0}, k[ORACLE_N] = {0};
    for (int stage = 0; stage < 4; stage++) {
        double at[ORACLE_N];
        for (int i = 0; i < ORACLE_N; i++) at[i] = y[i] + part[stage] * dt_ms * k[i];
        const oracle_rates r = oracle_rhs(&oracle_default, at);
        for (int i = 0; i < ORACLE_N; i++) {
            k[i] = i < ORACLE_GATES ? (r.inf[i] - at[i]) / r.tau[i] : r.rate[i].value;
            if (i == ORACLE_V) k[i] += rise;
            sum[i] += weight[stage] * k[i];
        }
    }
    for (int i = 0; i < ORACLE_N; i++) y[i] += dt_ms * sum[i];
}
