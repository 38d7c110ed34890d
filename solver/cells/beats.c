#include "solver/cells/beats.h"

#include <math.h>
#include <stdbool.h>

static const double fallen[MT_APDS] = {0.9, 0.5, 0.3};

mt_status mt_beats_begin(
    mt_arena *arena, size_t n, size_t cycle, double dt_ms, double v_mV, double calcium_mM, mt_beats *b)
{
    *b = (mt_beats){.n = n, .dt_ms = dt_ms, .cycle = cycle, .before_mV = v_mV, .low_mV = v_mV};
    MT_ALLOC(arena, b->beat, n + 1);
    for (size_t k = 0; k <= n; k++)
        b->beat[k] = (mt_beat){.upstroke_ms = NAN,
            .rest_mV = NAN,
            .peak_mV = NAN,
            .dvdt_mV_ms = -INFINITY,
            .apd_ms = {NAN, NAN, NAN},
            .interval_ms = NAN,
            .calcium_low_mM = NAN,
            .calcium_high_mM = NAN};
    b->beat[0].calcium_low_mM = b->beat[0].calcium_high_mM = calcium_mM;
    return MT_OK;
}

/* Returns the time when V passes a level in the step to v_mV. */
static double passage_ms(const mt_beats *b, double level_mV, double v_mV)
{
    return b->dt_ms * ((double)b->step + (level_mV - b->before_mV) / (v_mV - b->before_mV));
}

static void begin_potential(mt_beats *b, mt_beat *beat, double v_mV)
{
    beat->upstroke_ms = passage_ms(b, 0, v_mV);
    beat->rest_mV = b->low_mV;
    beat->peak_mV = -INFINITY; /* set from the V of this step */
    if (b->now) beat->interval_ms = beat->upstroke_ms - (b->now->upstroke_ms + b->now->apd_ms[MT_APD90]);
    b->now = beat;
}

/* The levels of an action potential are known only after its peak: a new peak resets them. */
static void follow_potential(mt_beats *b, double v_mV)
{
    mt_beat *now = b->now;
    if (v_mV > now->peak_mV) {
        now->peak_mV = b->low_mV = v_mV;
        for (int k = 0; k < MT_APDS; k++) {
            b->level_mV[k] = v_mV - fallen[k] * (v_mV - now->rest_mV);
            now->apd_ms[k] = NAN;
        }
        return;
    }
    for (int k = 0; k < MT_APDS; k++)
        if (v_mV <= b->level_mV[k] && isnan(now->apd_ms[k]))
            now->apd_ms[k] = passage_ms(b, b->level_mV[k], v_mV) - now->upstroke_ms;
}

/* Begins an action potential in a cycle that has one. */
static void begin_further(mt_beats *b, double v_mV)
{
    const double before_ms = b->now->upstroke_ms;
    begin_potential(b, &b->beat[b->n], v_mV);
    b->n_further++;
    b->further_ms += b->now->upstroke_ms - before_ms;
}

/* True if V has fallen so far from the previous peak: otherwise an upward passage of 0 mV is not a new action potential. */
static bool has_fallen(const mt_beats *b, int apd) { return !b->now || !isnan(b->now->apd_ms[apd]); }

void mt_beats_add(mt_beats *b, double v_mV, double calcium_mM)
{
    if (b->at + 1 < b->n && b->step == (b->at + 1) * b->cycle) b->at++;
    mt_beat *beat = &b->beat[b->at];
    beat->dvdt_mV_ms = fmax(beat->dvdt_mV_ms, (v_mV - b->before_mV) / b->dt_ms);
    beat->calcium_low_mM = fmin(beat->calcium_low_mM, calcium_mM);
    beat->calcium_high_mM = fmax(beat->calcium_high_mM, calcium_mM);
    b->low_mV = fmin(b->low_mV, v_mV);
    if (b->before_mV < 0 && v_mV >= 0) {
        if (isnan(beat->upstroke_ms) && has_fallen(b, MT_APD50))
            begin_potential(b, beat, v_mV);
        else if (has_fallen(b, MT_APD90))
            begin_further(b, v_mV);
    }
    if (b->now) follow_potential(b, v_mV);
    b->before_mV = v_mV;
    b->step++;
}

void mt_beats_end(mt_beats *b)
{
    for (size_t k = 0; k < b->n; k++)
        if (isnan(b->beat[k].upstroke_ms)) b->beat[k].dvdt_mV_ms = NAN;
}

double mt_beat_change_ms(const mt_beats *beats, size_t beat)
{
    if (beat == 0) return NAN;
    return beats->beat[beat].apd_ms[MT_APD90] - beats->beat[beat - 1].apd_ms[MT_APD90];
}
