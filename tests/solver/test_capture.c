#include <criterion/criterion.h>

#include <math.h>

#include "solver/capture.h"

enum { N = 1000 }; /* steps of 0.1 ms */

/* V of a region of one element: -85 mV except for action potentials [from, to) at 10 mV, and 20 mV higher while a pulse is on. */
typedef struct potentials {
    size_t n, from[3], to[3];
} potentials;

static double v_at(const potentials *p, const mt_stimulus *s, size_t step)
{
    double v_mV = -85;
    for (size_t k = 0; k < p->n; k++)
        if (step >= p->from[k] && step < p->to[k]) v_mV = 10;
    return step > 0 && mt_stimulus_is_on(s, 0.1, step - 1) ? v_mV + 100 : v_mV;
}

/* Evaluates the pulses of a run that starts at step `first`, sampled each ms and whenever a pulse starts or ends. */
static mt_capture follow(const mt_stimulus *s, const potentials *p, size_t first)
{
    mt_capture capture;
    mt_capture_begin(&capture, s, 0.1, first);
    for (size_t step = first + 1; step <= N; step++) {
        const double v_mV = v_at(p, s, step);
        const bool switched = mt_stimulus_is_on(s, 0.1, step) != mt_stimulus_is_on(s, 0.1, step - 1);
        if ((step % 10 == 0 || switched) && mt_capture_due(&capture, s, 0.1, step))
            mt_capture_observe(&capture, s, 0.1, step, 0, v_mV, v_mV);
    }
    return capture;
}

static void expect(const mt_capture *c, size_t judged, size_t lost, double first_lost_ms)
{
    cr_expect_eq(c->judged, judged, "%zu", c->judged);
    cr_expect_eq(c->lost, lost, "%zu", c->lost);
    if (lost > 0) cr_expect_float_eq(c->first_lost_ms, first_lost_ms, 1e-9, "%g", c->first_lost_ms);
}

/* Pulses at 0, 30 and 60 ms. */
static const mt_stimulus three = {.duration_ms = 2, .period_ms = 30, .repeats = 2};

Test(capture, a_pulse_in_the_plateau_or_a_subthreshold_one_does_not_capture)
{
    mt_capture c = follow(&three, &(potentials){3, {10, 310, 610}, {200, 500, 800}}, 0);
    expect(&c, 3, 0, 0);
    c = follow(&three, &(potentials){2, {10, 610}, {400, 800}}, 0); /* the second during the plateau */
    expect(&c, 3, 1, 30);
    c = follow(&three, &(potentials){1, {10}, {200}}, 0); /* the others elicit no action potential */
    expect(&c, 3, 2, 30);
    c = follow(&three, &(potentials){0}, 0);
    expect(&c, 3, 3, 0);
}

Test(capture, undecidable_capture_is_not_reported)
{
    const mt_stimulus late = {.start_ms = 96, .duration_ms = 2}, held = {.duration_ms = 50},
                      dense = {.duration_ms = 2, .period_ms = 4, .repeats = 20};
    mt_capture c = follow(&late, &(potentials){0}, 0);
    expect(&c, 0, 0, 0);
    c = follow(&held, &(potentials){0}, 0);
    expect(&c, 0, 0, 0);
    c = follow(&dense, &(potentials){0}, 0);
    expect(&c, 1, 1, 80);
    c = follow(&three, &(potentials){0}, 305); /* resumed during the second pulse */
    expect(&c, 1, 1, 60);
}
