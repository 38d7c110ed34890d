#include "solver/capture.h"

#include <math.h>

static bool is_on(const mt_stimulus *s, double dt_ms, size_t step)
{
    return mt_stimulus_is_on(s, dt_ms, step);
}

static bool begins(const mt_stimulus *s, double dt_ms, size_t step)
{
    return is_on(s, dt_ms, step) && (step == 0 || !is_on(s, dt_ms, step - 1));
}

static bool ends(const mt_stimulus *s, double dt_ms, size_t step)
{
    return step > 0 && is_on(s, dt_ms, step - 1) && !is_on(s, dt_ms, step);
}

void mt_capture_begin(mt_capture *capture, const mt_stimulus *stimulus, double dt_ms, size_t step)
{
    *capture = (mt_capture){.begun = step == 0 && is_on(stimulus, dt_ms, 0), .excitable = true};
}

bool mt_capture_due(const mt_capture *capture, const mt_stimulus *stimulus, double dt_ms, size_t step)
{
    if (stimulus->delay) return false;
    return begins(stimulus, dt_ms, step) || ends(stimulus, dt_ms, step) ||
           (capture->due > 0 && step >= capture->due);
}

void mt_capture_observe(mt_capture *capture, const mt_stimulus *stimulus, double dt_ms, size_t step,
    double threshold_mV, double low_mV, double high_mV)
{
    if (capture->due > 0 && step >= capture->due) {
        const bool captured = capture->excitable && high_mV >= threshold_mV;
        if (!captured && capture->lost++ == 0) capture->first_lost_ms = (double)capture->begin * dt_ms;
        capture->judged++;
        capture->due = 0;
    }
    if (begins(stimulus, dt_ms, step)) {
        capture->begun = true;
        capture->excitable = low_mV < threshold_mV;
        capture->begin = step;
        capture->due = 0;
    }
    if (ends(stimulus, dt_ms, step) && capture->begun) {
        capture->begun = false;
        if (stimulus->duration_ms <= MT_CAPTURE_PULSE_MOST_MS)
            capture->due = step + (size_t)llround(MT_CAPTURE_AFTER_MS / dt_ms);
    }
}
