/* A second implementation of the model of Bueno-Orovio, Cherry and Fenton for tests: scalar code of the C library's functions, in the
 * variables u, v, w, s of the paper (J. Theor. Biol. 253 (2008) 544-560), with its Heaviside and tanh functions. It shares with the solver
 * the order of the gates: y[0..2] = v, w, s; y[3] = u. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { ORACLE_U = 3, ORACLE_N = 4, ORACLE_TYPES = 3, ORACLE_CURRENTS = 3 };

/* Table 1 of the paper: EPI, M, ENDO. */
/* clang-format off */
#define ORACLE_PARAMETERS(P) \
    P(u_o, 0, 0, 0) P(u_u, 1.55, 1.61, 1.56) P(theta_v, 0.3, 0.3, 0.3) P(theta_w, 0.13, 0.13, 0.13) \
    P(theta_v_minus, 0.006, 0.1, 0.2) P(theta_o, 0.006, 0.005, 0.006) P(tau_v1_minus, 60, 80, 75) \
    P(tau_v2_minus, 1150, 1.4506, 10) P(tau_v_plus, 1.4506, 1.4506, 1.4506) P(tau_w1_minus, 60, 70, 6) \
    P(tau_w2_minus, 15, 8, 140) P(k_w_minus, 65, 200, 200) P(u_w_minus, 0.03, 0.016, 0.016) P(tau_w_plus, 200, 280, 280) \
    P(tau_fi, 0.11, 0.078, 0.1) P(tau_o1, 400, 410, 470) P(tau_o2, 6, 7, 6) P(tau_so1, 30.0181, 91, 40) \
    P(tau_so2, 0.9957, 0.8, 1.2) P(k_so, 2.0458, 2.1, 2) P(u_so, 0.65, 0.6, 0.65) P(tau_s1, 2.7342, 2.7342, 2.7342) \
    P(tau_s2, 16, 4, 2) P(k_s, 2.0994, 2.0994, 2.0994) P(u_s, 0.9087, 0.9087, 0.9087) P(tau_si, 1.8875, 3.3849, 2.9013) \
    P(tau_w_inf, 0.07, 0.01, 0.0273) P(w_inf_star, 0.94, 0.5, 0.78)
/* clang-format on */

typedef struct oracle_cell {
#define ORACLE_MEMBER(name, epi, mid, endo) double name;
    ORACLE_PARAMETERS(ORACLE_MEMBER)
} oracle_cell;

#define ORACLE_EPI(name, epi, mid, endo) .name = (epi),
#define ORACLE_MID(name, epi, mid, endo) .name = (mid),
#define ORACLE_ENDO(name, epi, mid, endo) .name = (endo),
static const oracle_cell oracle_table_1[ORACLE_TYPES] = {
    {ORACLE_PARAMETERS(ORACLE_EPI)}, {ORACLE_PARAMETERS(ORACLE_MID)}, {ORACLE_PARAMETERS(ORACLE_ENDO)}};

static const char *const oracle_current[ORACLE_CURRENTS] = {"J_fi", "J_so", "J_si"};

/* Returns the parameter with this name, or NULL. */
static inline double *oracle_parameter(oracle_cell *p, const char *called)
{
#define ORACLE_FIND(name, epi, mid, endo)                                                                    \
    if (strcmp(called, #name) == 0) return &p->name;
    ORACLE_PARAMETERS(ORACLE_FIND)
    return NULL;
}

static inline double oracle_mV(double u) { return 85.7 * u - 84; }
static inline double oracle_u(double v_mV) { return (v_mV + 84) / 85.7; }

static inline double oracle_H(double x) { return x < 0 ? 0 : 1; }
/* Returns a for small u and b for large u. */
static inline double oracle_between(double a, double b, double k, double by)
{
    return a + (b - a) * (1 + tanh(k * by)) / 2;
}

/* Computes the currents [1/ms] and the rates of change [1/ms] of v, w, s, u. */
static inline void oracle_rhs(
    const oracle_cell *p, const double y[ORACLE_N], double current[ORACLE_CURRENTS], double rate[ORACLE_N])
{
    const double v = y[0], w = y[1], s = y[2], u = y[ORACLE_U];
    const double m = oracle_H(u - p->theta_v), r = oracle_H(u - p->theta_w),
                 q = oracle_H(u - p->theta_v_minus), o = oracle_H(u - p->theta_o);
    const double tau_v_minus = (1 - q) * p->tau_v1_minus + q * p->tau_v2_minus,
                 tau_w_minus =
                     oracle_between(p->tau_w1_minus, p->tau_w2_minus, p->k_w_minus, u - p->u_w_minus),
                 tau_so = oracle_between(p->tau_so1, p->tau_so2, p->k_so, u - p->u_so),
                 tau_s = (1 - r) * p->tau_s1 + r * p->tau_s2, tau_o = (1 - o) * p->tau_o1 + o * p->tau_o2;
    const double v_inf = 1 - q, w_inf = u < 0 ? 1 - o + o * p->w_inf_star
                                              : (1 - o) * (1 - u / p->tau_w_inf) + o * p->w_inf_star;
    current[0] = -v * m * (u - p->theta_v) * (p->u_u - u) / p->tau_fi;
    current[1] = (u - p->u_o) * (1 - r) / tau_o + r / tau_so;
    current[2] = -r * w * s / p->tau_si;
    rate[0] = (1 - m) * (v_inf - v) / tau_v_minus - m * v / p->tau_v_plus;
    rate[1] = (1 - r) * (w_inf - w) / tau_w_minus - r * w / p->tau_w_plus;
    rate[2] = (oracle_between(0, 1, p->k_s, u - p->u_s) - s) / tau_s;
    rate[ORACLE_U] = -(current[0] + current[1] + current[2]);
}

static inline void oracle_step(const oracle_cell *p, double dt_ms, double y[ORACLE_N])
{
    double current[ORACLE_CURRENTS], rate[ORACLE_N];
    oracle_rhs(p, y, current, rate);
    for (int i = 0; i < ORACLE_N; i++) y[i] += dt_ms * rate[i];
}
