#include "solver/diffusion/stability_trial.h"

#include <math.h>

static void fill_noise(size_t n, double *v)
{
    uint64_t state = 1;
    for (size_t c = 0; c < n; c++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        v[c] = (double)(state >> 11) * 0x1p-52 - 1;
    }
}

/* A compensated sum (Neumaier). */
typedef struct sum {
    double high, low;
} sum;

static void add(sum *s, double x)
{
    const double next = s->high + x;
    s->low += fabs(s->high) >= fabs(x) ? (s->high - next) + x : (x - next) + s->high;
    s->high = next;
}

static double value(const sum *s) { return s->high + s->low; }

typedef struct state {
    double norm, largest, farthest; /* |v - mean|, max |v|, max |v - mean| */
} state;

static state look(const mt_diffusion *diffusion, const double *v)
{
    const double *volume = diffusion->volume_mm3;
    sum whole = {0, 0}, weighted = {0, 0}, squares = {0, 0};
    state s = {0};
    for (size_t c = 0; c < diffusion->n_unknowns; c++)
        add(&whole, volume[c]), add(&weighted, volume[c] * v[c]);
    const double mean = value(&weighted) / value(&whole);
    for (size_t c = 0; c < diffusion->n_unknowns; c++) {
        const double off = v[c] - mean;
        add(&squares, volume[c] * (off * off));
        s.largest = fmax(s.largest, fabs(v[c]));
        s.farthest = fmax(s.farthest, fabs(off));
    }
    s.norm = sqrt(value(&squares) / value(&whole));
    return s;
}

/* Returns max_c sum_k |rate_ck|. */
static double largest_row(const mt_diffusion *diffusion)
{
    double most = 0;
    for (size_t c = 0; c < diffusion->n_unknowns; c++) {
        double row = 0;
        for (size_t k = 0; k < MT_DIFFUSION_ROW; k++) row += fabs(diffusion->rate[MT_DIFFUSION_ROW * c + k]);
        most = fmax(most, row);
    }
    return most;
}

static void step(const mt_diffusion *diffusion, double dt_ms, double *v, double *dv)
{
    mt_diffusion_apply(diffusion, v, dv);
    for (size_t c = 0; c < diffusion->n_unknowns; c++) v[c] += dt_ms * dv[c];
}

mt_status mt_stability_trial_run(
    const mt_diffusion *diffusion, double dt_ms, size_t n_steps, mt_stability_trial *trial)
{
    if (!(dt_ms > 0) || !isfinite(dt_ms))
        return mt_fail(MT_INPUT, "a step of %g ms; it must be finite and above 0", dt_ms);
    *trial = (mt_stability_trial){.n_steps = n_steps, .dt_ms = dt_ms};
    MT_SCRATCH(scratch);
    const double u = 0x1p-53, row = largest_row(diffusion);
    double *v, *dv;
    MT_ALLOC(scratch, v, diffusion->n_unknowns);
    MT_ALLOC(scratch, dv, diffusion->n_unknowns);
    if (diffusion->n_unknowns == 0) return MT_OK;
    fill_noise(diffusion->n_unknowns, v);
    state now = look(diffusion, v);
    trial->before = trial->after = now.norm;
    for (size_t k = 1; k <= trial->n_steps; k++) {
        const state old = now;
        step(diffusion, trial->dt_ms, v, dv);
        now = look(diffusion, v);
        const double rounding =
            16 * u * old.norm + u * (fmax(old.largest, now.largest) + 40 * trial->dt_ms * row * old.farthest);
        if (!(now.norm <= old.norm + rounding))
            return mt_fail(MT_NUMERICS,
                "step %zu of %g ms: |V - mean| grew from %.17g to %.17g; it must decrease in every step", k,
                trial->dt_ms, old.norm, now.norm);
        if (old.norm > 0) trial->most_growth = fmax(trial->most_growth, now.norm / old.norm);
        trial->after = now.norm;
    }
    return MT_OK;
}
