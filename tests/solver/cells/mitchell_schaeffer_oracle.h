/* A second implementation of the Mitchell-Schaeffer model for tests: scalar code in double precision, in the paper's v from 0 to 1
 * (Bull. Math. Biol. 65 (2003) 767-793), and its closed-form results. It shares no code with the solver. */
#pragma once

#include <math.h>

typedef struct ms_times {
    double in, out, open, close; /* ms */
} ms_times;

static const ms_times ms_paper = {0.3, 6, 120, 150};

/* Computes dv/dt and dh/dt [per ms]. */
static inline void ms_rates(const ms_times *t, const double y[2], double rate[2])
{
    rate[0] = y[1] * y[0] * y[0] * (1 - y[0]) / t->in - y[0] / t->out;
    rate[1] = y[0] < 0.13 ? (1 - y[1]) / t->open : -y[1] / t->close;
}

/* Advances by one step of the fourth-order Runge-Kutta method, with `rise` [per ms] added to dv/dt. */
static inline void ms_runge_kutta(const ms_times *t, double dt_ms, double rise, double y[2])
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double rate[2] = {0, 0}, sum[2] = {0, 0};
    for (int stage = 0; stage < 4; stage++) {
        const double there[2] = {y[0] + at[stage] * dt_ms * rate[0], y[1] + at[stage] * dt_ms * rate[1]};
        ms_rates(t, there, rate);
        rate[0] += rise;
        for (int k = 0; k < 2; k++) sum[k] += weight[stage] * rate[k];
    }
    for (int k = 0; k < 2; k++) y[k] += dt_ms * sum[k];
}

/* Returns the h below which there is no plateau: h v (1 - v) = tau_in / tau_out has no root. */
static inline double ms_h_min(const ms_times *t) { return 4 * t->in / t->out; }

/* Returns h after a rest of `rest_ms` following an action potential that ended with h_min. */
static inline double ms_h_after(const ms_times *t, double rest_ms)
{
    return 1 - (1 - ms_h_min(t)) * exp(-rest_ms / t->open);
}

/* Returns the action potential duration after that rest, in leading order for tau_in, tau_out << tau_open, tau_close: the time in which
 * h falls to h_min (the restitution equation of the paper). */
static inline double ms_apd(const ms_times *t, double rest_ms)
{
    return t->close * log(ms_h_after(t, rest_ms) / ms_h_min(t));
}

/* Returns the next order: the lag of v at the end of the plateau. There, with v = 1/2 + x and h = h_min (1 - s / tau_close), s ms later,
 * dx/ds = -(s / tau_close + 4 x^2) / (2 tau_out). This Riccati equation is solved by the logarithmic derivative of the Airy function
 * Ai(-s / (tau_out^2 tau_close)^(1/3)), and the solution ends at its first zero. */
static inline double ms_lag(const ms_times *t)
{
    return 2.338107410459767 * cbrt(t->out * t->out * t->close);
}

/* Returns the conduction velocity into resting tissue, in leading order: h = 1 leaves D v'' + v (v - low) (high - v) / tau_in, and its
 * front from 0 to `high` moves at sqrt(D / (2 tau_in)) (high - 2 low). */
static inline double ms_speed(const ms_times *t, double d_mm2_ms)
{
    const double root = sqrt(1 - ms_h_min(t)), high = (1 + root) / 2, low = (1 - root) / 2;
    return sqrt(d_mm2_ms / (2 * t->in)) * (high - 2 * low);
}
