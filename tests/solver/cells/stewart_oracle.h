/* A second implementation of the Stewart et al. 2009 model for tests: scalar code in double precision, from the paper's appendix (Phil. Trans.
 * R. Soc. A 367 (2009) 2225-2255). What it has in common with the ten Tusscher-Panfilov 2006 model is that of tp06_oracle.h without I_to and
 * I_K1. It shares with the solver only the order of the states: y[0..17] as in tp06_state, y[18] = gate y, y[19] = V. */
#pragma once

#include "tests/solver/cells/tp06_oracle.h"

enum { PURKINJE_Y = 18, PURKINJE_V = 19, PURKINJE_N = 20 };

/* The initial state. */
static const double purkinje_start[PURKINJE_N] = {0.00550281999719088, 0.313213286437995, 0.00953708522974789,
    0.0417391656294997, 0.190678733735145, 0.238219836154029, 0.000287906256206415, 0.989328560287987,
    0.995474890442185, 0.999955429598213, 0.96386101799501, 0.00103618091196912, 0.000101878186157052,
    0.991580051907845, 3.10836886659417, 0.000446818714055411, 8.80420286531673, 136.781894160227,
    0.0457562667986602, -69.1370441635924};

/* The parameters: those that are the same as in an epicardial cell of TP06, others with these values, and three more. */
typedef struct purkinje_cell {
    oracle_cell common;
    double g_sus, g_fNa, g_fK;
} purkinje_cell;

static inline purkinje_cell purkinje_cell_of(void)
{
    purkinje_cell cell = {oracle_cell_of(ORACLE_EPI), .g_sus = 0.0227, .g_fNa = 0.0145654, .g_fK = 0.0234346};
    oracle_cell *p = &cell.common;
    p->g_Na = 130.5744, p->g_Kr = 0.0918, p->g_Ks = 0.2352, p->g_K1 = 0.065, p->g_to = 0.08184;
    p->s_half = 27, p->s_centre = 25, p->s_floor = 42;
    return cell;
}

/* Returns the parameter with this name, or NULL. */
static inline double *purkinje_parameter(purkinje_cell *cell, const char *called)
{
    if (strcmp(called, "g_sus") == 0) return &cell->g_sus;
    if (strcmp(called, "g_fNa") == 0) return &cell->g_fNa;
    if (strcmp(called, "g_fK") == 0) return &cell->g_fK;
    return oracle_parameter(&cell->common, called);
}

/* The currents [pA/pF]: those of TP06 by its names, then these. */
enum { PURKINJE_SUS = ORACLE_CURRENTS, PURKINJE_FNA, PURKINJE_FK, PURKINJE_CURRENTS };
static const char *const purkinje_current[] = {"I_sus", "I_fNa", "I_fK"};

typedef struct purkinje_rates {
    double rate[PURKINJE_N], size[PURKINJE_N]; /* as in oracle_rates */
    double m_inf, tau_m;
    oracle_sum current[PURKINJE_CURRENTS];
} purkinje_rates;

static inline void purkinje_gate(purkinje_rates *r, int gate, double y, double inf, double tau)
{
    r->rate[gate] = (inf - y) / tau;
    r->size[gate] = (inf + fabs(y)) / tau;
}

static inline purkinje_rates purkinje_rhs(const purkinje_cell *cell, const double y[PURKINJE_N])
{
    const double V = y[PURKINJE_V], E_K = 8314.472 * 310 / 96485.3415 * log(cell->common.K_o / y[17]),
                 E_Na = 8314.472 * 310 / 96485.3415 * log(cell->common.Na_o / y[16]),
                 per_current = 0.185 / (0.016404 * 96485.3415);
    oracle_cell without = cell->common;
    without.g_K1 = without.g_to = 0;
    double of_tp06[ORACLE_N];
    memcpy(of_tp06, y, sizeof(double[18]));
    of_tp06[ORACLE_V] = V;
    const oracle_rates common = oracle_rhs_of(&without, of_tp06);

    purkinje_rates r = {.m_inf = common.m_inf, .tau_m = common.tau_m};
    memcpy(r.rate, common.rate, sizeof(double[18])), memcpy(r.size, common.size, sizeof(double[18]));
    const oracle_cell *p = &cell->common;
    purkinje_gate(&r, 10, y[10], 1 / (1 + exp((V + p->s_half) / 13)),
        p->s_peak * exp(-pow(V + p->s_centre, 2) / p->s_width) + p->s_step / (1 + exp((V - 40) / 5)) +
            p->s_floor);
    purkinje_gate(&r, 11, y[11], 1 / (1 + exp((20 - V) / 13)), 10.45 * exp(-pow(V + 40, 2) / 1800) + 7.3);
    purkinje_gate(&r, PURKINJE_Y, y[18], 1 / (1 + exp((V + 80.6) / 6.8)),
        4000 / (exp(-2.9 - 0.04 * V) + exp(3.6 + 0.11 * V)));

    const oracle_sum K1 = oracle_ohm(p->g_K1 / (1 + exp(0.1 * (V + 75.44))), V - 8, E_K),
                     to = oracle_ohm(p->g_to * y[11] * y[10], V, E_K),
                     sus = oracle_ohm(cell->g_sus / (1 + exp((5 - V) / 17)), V, E_K),
                     fNa = oracle_ohm(cell->g_fNa * y[18], V, E_Na),
                     fK = oracle_ohm(cell->g_fK * y[18], V, E_K);
    for (int k = 0; k < ORACLE_CURRENTS; k++)
        r.current[k] = (oracle_sum){common.current[k], common.current_size[k]};
    r.current[0] = K1, r.current[3] = to;
    r.current[PURKINJE_SUS] = sus, r.current[PURKINJE_FNA] = fNa, r.current[PURKINJE_FK] = fK;

    oracle_sum dV = {common.rate[ORACLE_V], common.size[ORACLE_V]}, dK = {r.rate[17], r.size[17]},
               dNa = oracle_add((oracle_sum){r.rate[16], r.size[16]}, -per_current, fNa);
    const oracle_sum of_potassium[] = {K1, to, sus, fK};
    for (int k = 0; k < 4; k++) {
        dV = oracle_add(dV, -1, of_potassium[k]);
        dK = oracle_add(dK, -per_current, of_potassium[k]);
    }
    dV = oracle_add(dV, -1, fNa);
    r.rate[16] = dNa.value, r.size[16] = dNa.size;
    r.rate[17] = dK.value, r.size[17] = dK.size;
    r.rate[PURKINJE_V] = dV.value, r.size[PURKINJE_V] = dV.size;
    return r;
}

/* Advances by one step: Rush-Larsen for gate m, forward Euler for all others. `size`: the scale of rounding errors. */
static inline void purkinje_step(
    const purkinje_cell *cell, double dt_ms, double y[PURKINJE_N], double size[PURKINJE_N])
{
    const purkinje_rates r = purkinje_rhs(cell, y);
    const double m = y[3];
    for (int i = 0; i < PURKINJE_N; i++) {
        size[i] = fabs(y[i]) + dt_ms * r.size[i];
        y[i] += dt_ms * r.rate[i];
    }
    y[3] = r.m_inf - (r.m_inf - m) * exp(-dt_ms / r.tau_m);
    size[3] = r.m_inf + m;
}

/* Advances by one classical Runge-Kutta step with `rise` [mV/ms] added to dV/dt. */
static inline void purkinje_runge_kutta(double dt_ms, double rise, double y[PURKINJE_N])
{
    static const double part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    const purkinje_cell cell = purkinje_cell_of();
    double sum[PURKINJE_N] = {0}, k[PURKINJE_N] = {0};
    for (int stage = 0; stage < 4; stage++) {
        double at[PURKINJE_N];
        for (int i = 0; i < PURKINJE_N; i++) at[i] = y[i] + part[stage] * dt_ms * k[i];
        purkinje_rates r = purkinje_rhs(&cell, at);
        r.rate[PURKINJE_V] += rise;
        for (int i = 0; i < PURKINJE_N; i++) {
            k[i] = r.rate[i];
            sum[i] += weight[stage] * k[i];
        }
    }
    for (int i = 0; i < PURKINJE_N; i++) y[i] += dt_ms * sum[i];
}
