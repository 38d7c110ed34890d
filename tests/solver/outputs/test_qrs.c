/* QRS complexes of synthetic leads in closed form. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/outputs/leads.h"
#include "solver/outputs/qrs.h"
#include "tests/random.h"

static mt_arena arena;

static void leave(void) { mt_arena_free(&arena); }

TestSuite(qrs, .fini = leave);

static const char *const standard[] = {
    "I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6"};
enum { I, AVF = 5, V1 };

/* The value of a lead [mV] at a time. */
typedef double lead_of(size_t lead, double t_ms);

/* Returns samples from 0 to end_ms, every dt_ms. */
static mt_qrs_record sample(
    size_t n_leads, size_t n_standard, const char *const *name, lead_of *lead, double end_ms, double dt_ms)
{
    const size_t n = (size_t)llround(end_ms / dt_ms) + 1;
    double *time_ms = mt_arena_alloc(&arena, n, sizeof *time_ms),
           *value = mt_arena_alloc(&arena, n * n_leads, sizeof *value);
    cr_assert(time_ms && value);
    for (size_t k = 0; k < n; k++) {
        time_ms[k] = (double)k * dt_ms;
        for (size_t l = 0; l < n_leads; l++) value[k * n_leads + l] = lead(l, time_ms[k]);
    }
    return (mt_qrs_record){.n = n,
        .n_leads = n_leads,
        .n_standard = n_standard,
        .name = name,
        .time_ms = time_ms,
        .lead_mV = value};
}

static mt_qrs_record sample_twelve(lead_of *lead, double end_ms, double dt_ms)
{
    return sample(MT_LEADS_STANDARD, MT_LEADS_STANDARD, standard, lead, end_ms, dt_ms);
}

static mt_qrs find_in(const mt_qrs_record *record, double from_ms, double to_ms)
{
    mt_qrs qrs;
    cr_assert_eq(mt_qrs_find(&arena, record, from_ms, to_ms, &qrs), MT_OK, "%s", mt_message());
    return qrs;
}

static mt_qrs find(const mt_qrs_record *record) { return find_in(record, 0, INFINITY); }

static double gauss(double t_ms, double centre_ms, double sigma_ms)
{
    const double u = (t_ms - centre_ms) / sigma_ms;
    return exp(-0.5 * u * u);
}

/* Returns the distance from the centre, in sigma, at which the slope of a Gaussian falls to a fraction of its maximum: u exp(-u^2 / 2) =
 * fraction exp(-1 / 2), u > 1, by bisection. */
static double edge_of_gauss(double fraction)
{
    double low = 1, high = 10;
    for (int k = 0; k < 80; k++) {
        const double u = 0.5 * (low + high);
        *(u * exp(-0.5 * u * u) > fraction * exp(-0.5) ? &low : &high) = u;
    }
    return low;
}

/* ---- onset and end ---- */

/* A triangle from 50 to 70 ms, in all leads with different signs and amplitudes. */
static double triangle(size_t lead, double t_ms)
{
    const double sign = lead % 2 ? -1 : 1;
    return sign * (1 + (double)lead) * fmax(0, 1 - fabs(t_ms - 60) / 10);
}

/* s jumps from 0 to its maximum: it is linear between the middles of the two intervals at the jump. */
Test(qrs, a_triangle_starts_and_ends_half_an_interval_outside_its_corners)
{
    static const double dt_ms[] = {0.5, 1, 2, 5};
    for (size_t k = 0; k < sizeof dt_ms / sizeof *dt_ms; k++) {
        const mt_qrs_record record = sample_twelve(triangle, 200, dt_ms[k]);
        const mt_qrs qrs = find(&record);
        const double outside_ms = (0.5 - MT_QRS_THRESHOLD) * dt_ms[k];
        cr_assert(qrs.found && qrs.onset_at == MT_QRS_AT_THRESHOLD && qrs.end_at == MT_QRS_AT_THRESHOLD);
        cr_expect_float_eq(qrs.onset_ms, 50 - outside_ms, 1e-9, "%g", qrs.onset_ms);
        cr_expect_float_eq(qrs.end_ms, 70 + outside_ms, 1e-9, "%g", qrs.end_ms);
        cr_expect_float_eq(
            qrs.shorter_ms, 20 + 2 * (0.5 - 2 * MT_QRS_THRESHOLD) * dt_ms[k], 1e-9, "%g", qrs.shorter_ms);
        cr_expect_float_eq(
            qrs.longer_ms, 20 + 2 * (0.5 - MT_QRS_THRESHOLD / 2) * dt_ms[k], 1e-9, "%g", qrs.longer_ms);
    }
}

enum { SIGMA_MS = 10, CENTRE_MS = 100 };

static double one_gauss(size_t lead, double t_ms)
{
    return (1 + (double)lead) * gauss(t_ms, CENTRE_MS, SIGMA_MS);
}

/* Lines between the values of s at u sigma are above the convex curve, by which they cross a threshold up to dt^2 u / (8 sigma) farther
 * outside; difference quotients add dt^2 u / (24 sigma). Together 0.055 ms for u = 3.3, at 1 ms. */
Test(qrs, a_smooth_complex_is_found_to_a_fraction_of_the_sampling_interval)
{
    const mt_qrs_record record = sample_twelve(one_gauss, 200, 1);
    const mt_qrs qrs = find(&record);
    const double edge_ms = SIGMA_MS * edge_of_gauss(MT_QRS_THRESHOLD);
    cr_expect_float_eq(qrs.onset_ms, CENTRE_MS - edge_ms, 0.06, "%g", qrs.onset_ms - CENTRE_MS + edge_ms);
    cr_expect_float_eq(qrs.end_ms, CENTRE_MS + edge_ms, 0.06, "%g", qrs.end_ms - CENTRE_MS - edge_ms);
    cr_expect_float_eq(qrs.shorter_ms, 2 * SIGMA_MS * edge_of_gauss(2 * MT_QRS_THRESHOLD), 0.12);
    cr_expect_float_eq(qrs.longer_ms, 2 * SIGMA_MS * edge_of_gauss(MT_QRS_THRESHOLD / 2), 0.12);
}

/* A late deflection in V1 only: its slope is 0.1 of the largest one of that lead, and sqrt(0.01 / 12) = 0.029 of the root mean square
 * over twelve leads. */
static double late_in_v1(size_t lead, double t_ms)
{
    return triangle(0, t_ms) + (lead == V1 ? 0.1 * triangle(0, t_ms - 25) : 0);
}

static double v1_alone(size_t lead, double t_ms) { return late_in_v1(V1 + lead, t_ms); }

Test(qrs, slopes_are_averaged_over_the_leads_as_root_mean_square)
{
    const mt_qrs_record twelve = sample_twelve(late_in_v1, 200, 1),
                        alone = sample(1, 0, standard + V1, v1_alone, 200, 1);
    cr_expect_float_eq(find(&twelve).end_ms, 70.45, 1e-9);
    cr_expect_float_eq(
        find(&alone).end_ms, 95 + 0.5 - 10 * MT_QRS_THRESHOLD, 1e-9, "%g", find(&alone).end_ms);
}

/* Other electrodes follow the standard leads; they do not count. */
static double other_is_late(size_t lead, double t_ms)
{
    return triangle(0, lead == MT_LEADS_LIMB ? t_ms - 15 : t_ms);
}

Test(qrs, with_standard_leads_other_electrodes_do_not_move_the_end)
{
    static const char *const names[] = {"I", "II", "III", "aVR", "aVL", "aVF", "back"};
    const mt_qrs_record with = sample(7, MT_LEADS_LIMB, names, other_is_late, 200, 1),
                        all = sample(7, 0, names, other_is_late, 200, 1);
    cr_expect_float_eq(find(&with).end_ms, 70.45, 1e-9);
    cr_expect_float_eq(find(&all).end_ms, 85.5, 0.2);
}

/* A QRS with a T wave of three times its duration and half of its amplitude, with slopes of 17 % of those of QRS: T begins 30 ms
 * after the end of QRS. */
static double with_t(size_t lead, double t_ms)
{
    return triangle(lead, t_ms) + 0.5 * triangle(lead, 60 + (t_ms - 130) / 3);
}

Test(qrs, a_t_wave_with_slopes_above_the_threshold_is_not_part_of_the_complex)
{
    const mt_qrs_record record = sample_twelve(with_t, 400, 1);
    const mt_qrs qrs = find(&record);
    cr_expect_float_eq(qrs.end_ms, 70.45, 1e-9, "%g", qrs.end_ms);
    cr_expect_float_eq(qrs.onset_ms, 49.55, 1e-9, "%g", qrs.onset_ms);
}

/* Two triangles with 10 ms without slopes in between, the second of half the slope: a notch. */
static double with_notch(size_t lead, double t_ms)
{
    return triangle(lead, t_ms) + 0.5 * triangle(lead, t_ms - 30);
}

Test(qrs, a_notch_is_part_of_the_complex)
{
    const mt_qrs_record record = sample_twelve(with_notch, 400, 1);
    const mt_qrs qrs = find(&record);
    cr_expect_float_eq(qrs.onset_ms, 49.55, 1e-9);
    cr_expect_float_eq(qrs.end_ms, 100 + 0.5 - 2 * MT_QRS_THRESHOLD, 1e-9, "%g", qrs.end_ms);
}

static double noisy(size_t lead, double t_ms)
{
    static uint64_t state = 7;
    (void)lead;
    return triangle(0, t_ms) + 3.5 + between(&state, -0.003, 0.003);
}

/* Differences of the noise are up to 0.006 mV in a lead, and 0.0024 mV in the root mean square; the slope of QRS is 0.1 mV/ms, and the
 * threshold is 0.005. A slope of 0.0024 before the corner moves the crossing by 0.0024 / 0.1 ms. */
Test(qrs, noise_and_an_offset_below_the_threshold_do_not_move_the_complex)
{
    const mt_qrs_record record = sample_twelve(noisy, 400, 1);
    const mt_qrs qrs = find(&record);
    cr_expect_float_eq(qrs.onset_ms, 49.55, 0.05, "%g", qrs.onset_ms);
    cr_expect_float_eq(qrs.end_ms, 70.45, 0.05, "%g", qrs.end_ms);
    cr_expect_float_eq(qrs.lead[I].r_mV, 1, 0.006);
    cr_expect_lt(qrs.lead[I].s_mV, 0.006);
    cr_expect_float_eq(qrs.lead[I].area_mV_ms, 10, 0.1);
}

/* Three beats of 300 ms, each with a T wave, at 60, 370 and 680 ms; the third is smaller. */
static double three_beats(size_t lead, double t_ms)
{
    return with_t(lead, t_ms) + with_t(lead, t_ms - 310) + 0.6 * with_t(lead, t_ms - 620);
}

Test(qrs, each_beat_has_its_complex)
{
    const mt_qrs_record record = sample_twelve(three_beats, 900, 1);
    static const double centre_ms[] = {60, 370, 680};
    for (int k = 0; k < 3; k++) {
        const mt_qrs qrs = find_in(&record, 300 * k, 300 * (k + 1));
        cr_expect_float_eq(qrs.onset_ms, centre_ms[k] - 10.45, 1e-9, "%d: %g", k, qrs.onset_ms);
        cr_expect_float_eq(qrs.end_ms, centre_ms[k] + 10.45, 1e-9, "%d: %g", k, qrs.end_ms);
        cr_expect_float_eq(qrs.lead[AVF].s_mV, 6 * (k < 2 ? 1 : 0.6), 1e-9);
    }
    const mt_qrs first = find(&record), late = find_in(&record, 100, 900), none = find_in(&record, 250, 300);
    cr_expect_float_eq(first.onset_ms, 49.55, 1e-9, "the first of a window with several");
    cr_expect_float_eq(late.onset_ms, 359.55, 1e-9, "not the T wave before it");
    cr_expect_not(none.found);
    cr_expect_not(find_in(&record, 950, 1000).found);
}

/* The complex is smaller than the next one: its own slope sets the threshold, 0.05 * 0.6. */
static double growing(size_t lead, double t_ms)
{
    return 0.6 * one_gauss(lead, t_ms) + one_gauss(lead, t_ms - 200);
}

Test(qrs, the_threshold_is_a_fraction_of_the_slope_of_the_complex_itself)
{
    const mt_qrs_record record = sample_twelve(growing, 400, 1);
    const mt_qrs qrs = find(&record);
    cr_expect_float_eq(qrs.onset_ms, CENTRE_MS - SIGMA_MS * edge_of_gauss(MT_QRS_THRESHOLD), 0.06);
}

/* ---- stimuli and the ends of a record ---- */

/* An artefact of 5 mV from 46 to 48 ms in all leads, which leaves an offset of 0.1 mV. */
static double paced(size_t lead, double t_ms)
{
    const double artefact_mV = t_ms > 46 && t_ms < 48 ? 5 : t_ms >= 48 ? 0.1 : 0;
    return triangle(lead, t_ms) + artefact_mV;
}

static const bool *skip(const mt_qrs_record *record, double from_ms, double to_ms)
{
    bool *skipped = mt_arena_alloc(&arena, record->n, sizeof *skipped);
    cr_assert_not_null(skipped);
    for (size_t k = 0; k + 1 < record->n; k++)
        skipped[k] = record->time_ms[k + 1] > from_ms && record->time_ms[k] < to_ms;
    return skipped;
}

Test(qrs, the_artefact_of_a_stimulus_before_the_complex_has_no_effect)
{
    mt_qrs_record record = sample_twelve(paced, 200, 1);
    record.skipped = skip(&record, 46, 48);
    const mt_qrs qrs = find(&record);
    cr_expect_eq(qrs.onset_at, MT_QRS_AT_THRESHOLD);
    cr_expect_float_eq(qrs.onset_ms, 49.55, 1e-9, "%g", qrs.onset_ms);
    cr_expect_float_eq(qrs.lead[I].r_mV, 1, 1e-9, "from the baseline at the onset");
    record.skipped = NULL;
    cr_expect_gt(find(&record).lead[I].s_mV + find(&record).lead[I].r_mV, 4, "the artefact itself");
}

/* The stimulus lasts until 52 ms, when the complex has begun: the onset is its end, and the baseline its beginning. */
Test(qrs, a_complex_that_begins_during_a_stimulus_has_its_onset_at_the_end_and_its_baseline_before)
{
    mt_qrs_record record = sample_twelve(paced, 200, 1);
    record.skipped = skip(&record, 46, 52);
    const mt_qrs qrs = find(&record);
    cr_expect_eq(qrs.onset_at, MT_QRS_AT_STIMULUS);
    cr_expect_eq(qrs.onset_ms, 52);
    cr_expect_float_eq(qrs.lead[I].r_mV, 1.1, 1e-9, "%g", qrs.lead[I].r_mV);
    cr_expect_float_eq(qrs.lead[I].area_mV_ms, 10 - 0.2 + 0.1 * (qrs.end_ms - 52), 1e-9);
}

/* A spike during the complex, at 60 ms, which is skipped from 59 to 61 ms: the peak is bridged by a line from 0.9 to 0.9 mV. */
static double spiked(size_t lead, double t_ms)
{
    return triangle(lead, t_ms) + (fabs(t_ms - 60) < 0.5 ? 7 : 0);
}

Test(qrs, a_stimulus_during_the_complex_is_bridged)
{
    mt_qrs_record record = sample_twelve(spiked, 200, 1);
    record.skipped = skip(&record, 59, 61);
    const mt_qrs qrs = find(&record);
    cr_expect_float_eq(qrs.onset_ms, 49.55, 1e-9);
    cr_expect_float_eq(qrs.end_ms, 70.45, 1e-9);
    cr_expect_float_eq(qrs.lead[I].r_mV, 0.9, 1e-9, "%g", qrs.lead[I].r_mV);
    cr_expect_float_eq(qrs.lead[I].area_mV_ms, 10 - 0.1, 1e-9, "%g", qrs.lead[I].area_mV_ms);
}

Test(qrs, a_complex_that_the_record_cuts_is_marked)
{
    const mt_qrs_record record = sample_twelve(triangle, 200, 1);
    const mt_qrs end = find_in(&record, 0, 66), start = find_in(&record, 54, 200),
                 stimulated = find_in(&(mt_qrs_record){.n = record.n,
                                          .n_leads = record.n_leads,
                                          .n_standard = record.n_standard,
                                          .name = record.name,
                                          .time_ms = record.time_ms,
                                          .lead_mV = record.lead_mV,
                                          .skipped = skip(&record, 64, 90)},
                     0, 200);
    cr_expect(
        end.end_at == MT_QRS_AT_SAMPLE && end.end_ms == 66 && isnan(end.shorter_ms) && isnan(end.longer_ms));
    cr_expect_float_eq(end.onset_ms, 49.55, 1e-9);
    cr_expect(
        start.onset_at == MT_QRS_AT_SAMPLE && start.onset_ms == 54 && start.end_at == MT_QRS_AT_THRESHOLD);
    cr_expect_float_eq(start.lead[I].r_mV, 0.6, 1e-9, "from the first sample");
    cr_expect(stimulated.end_at == MT_QRS_AT_STIMULUS && stimulated.end_ms == 64);
}

static double constant(size_t lead, double t_ms)
{
    (void)t_ms;
    return (double)lead;
}

Test(qrs, constant_leads_and_short_records_have_no_complex)
{
    mt_qrs_record record = sample_twelve(constant, 200, 1);
    cr_expect_not(find(&record).found);
    record.n = 1;
    cr_expect_not(find(&record).found);
    record.n = 0;
    cr_expect_not(find(&record).found);
}

/* ---- axis ---- */

static double direction_degrees;

/* A dipole in the frontal plane from 80 to 120 ms: a raised cosine along a direction, and a sine across it, which has no net area, but
 * amplitudes of both signs. Lead I is the component to the left, II that at 60 degrees; the others follow. */
static double frontal(size_t lead, double t_ms)
{
    const double angle = direction_degrees * M_PI / 180, phase = M_PI * (t_ms - 100) / 20;
    const double along = fabs(phase) < M_PI ? 0.5 * (1 + cos(phase)) : 0,
                 across = fabs(phase) < M_PI ? 0.4 * sin(phase) + 0.3 * sin(2 * phase) : 0;
    const double left = along * cos(angle) - across * sin(angle),
                 down = along * sin(angle) + across * cos(angle);
    const double one = left, two = 0.5 * left + sqrt(3) / 2 * down;
    const double limb[] = {one, two, two - one, -(one + two) / 2, one - two / 2, two - one / 2};
    return 7 + limb[lead];
}

/* The complex begins and ends outside the dipole, so that sums over its samples are exact. */
Test(qrs, the_axis_follows_a_dipole_in_eight_directions)
{
    static const struct {
        double degrees;
        const char *name;
    } to[] = {{0, "normal"}, {45, "normal"}, {89, "normal"}, {135, "right deviation"},
        {179, "right deviation"}, {-135, "extreme deviation"}, {-91, "extreme deviation"},
        {-45, "left deviation"}};
    for (size_t k = 0; k < sizeof to / sizeof *to; k++) {
        direction_degrees = to[k].degrees;
        const mt_qrs_record record = sample(MT_LEADS_LIMB, MT_LEADS_LIMB, standard, frontal, 200, 1);
        const mt_qrs qrs = find(&record);
        cr_expect_float_eq(qrs.axis_degrees, to[k].degrees, 1e-9, "%g: %g", to[k].degrees, qrs.axis_degrees);
        cr_expect_str_eq(mt_qrs_axis_name(qrs.axis_degrees), to[k].name);
        cr_expect(isnan(qrs.transition) && !qrs.transition_first);
    }
}

Test(qrs, the_names_of_axes_change_at_their_limits)
{
    static const struct {
        double degrees;
        const char *name;
    } to[] = {{-179.9, "extreme deviation"}, {-90.1, "extreme deviation"}, {-90, "left deviation"},
        {-30.1, "left deviation"}, {-30, "normal"}, {90, "normal"}, {90.1, "right deviation"},
        {180, "right deviation"}};
    for (size_t k = 0; k < sizeof to / sizeof *to; k++)
        cr_expect_str_eq(mt_qrs_axis_name(to[k].degrees), to[k].name, "%g", to[k].degrees);
    cr_expect_null(mt_qrs_axis_name(NAN));
}

static double only_chest(size_t lead, double t_ms) { return lead < MT_LEADS_LIMB ? 0 : triangle(0, t_ms); }

Test(qrs, without_limb_leads_or_their_areas_there_is_no_axis)
{
    static const char *const names[] = {"V1", "ahead"};
    const mt_qrs_record electrodes = sample(2, 0, names, triangle, 200, 1),
                        flat = sample_twelve(only_chest, 200, 1);
    const mt_qrs without = find(&electrodes);
    cr_expect(without.found && isnan(without.axis_degrees) && isnan(without.transition));
    cr_expect_float_eq(without.lead[1].s_mV, 2, 1e-9, "amplitudes of each electrode");
    cr_expect(find(&flat).found && isnan(find(&flat).axis_degrees));
}

/* ---- amplitudes and transition ---- */

static double net_mV[MT_CHEST];

static double wave(double t_ms, double centre_ms) { return fmax(0, 1 - fabs(t_ms - centre_ms) / 5); }

/* Q of 0.2 mV at 70 ms, R at 85 ms, and S of 1 mV at 100 ms; in a chest lead R is larger than S by net_mV. */
static double progression(size_t lead, double t_ms)
{
    const double r_mV = lead < MT_LEADS_LIMB ? 1 : 1 + net_mV[lead - MT_LEADS_LIMB];
    return -4 - 0.2 * wave(t_ms, 70) + r_mV * wave(t_ms, 85) - wave(t_ms, 100);
}

static mt_qrs find_progression(size_t n, const char *const *name, const double *net)
{
    memcpy(net_mV, net, sizeof *net * (n - MT_LEADS_LIMB));
    const mt_qrs_record record = sample(n, n, name, progression, 200, 1);
    return find(&record);
}

Test(qrs, the_transition_is_interpolated_between_neighbours)
{
    static const double net[MT_CHEST] = {-0.8, -0.6, -0.2, 0.3, -0.1, 0.2};
    const mt_qrs qrs = find_progression(MT_LEADS_STANDARD, standard, net);
    cr_expect_float_eq(qrs.transition, 3.4, 1e-9, "%g", qrs.transition);
    cr_expect_not(qrs.transition_first);
    for (int k = 0; k < MT_CHEST; k++) {
        cr_expect_float_eq(qrs.lead[V1 + k].r_mV, 1 + net[k], 1e-9, "%g", qrs.lead[V1 + k].r_mV);
        cr_expect_float_eq(qrs.lead[V1 + k].s_mV, 1, 1e-9, "%g", qrs.lead[V1 + k].s_mV);
    }
}

Test(qrs, the_transition_skips_missing_leads_and_can_be_absent_or_first)
{
    static const char *const without_v3[] = {"I", "II", "III", "aVR", "aVL", "aVF", "V2", "V4", "V5"};
    static const double net[] = {-0.3, 0.1, 0.2}, never[MT_CHEST] = {-0.5, -0.4, -0.3, -0.2, -0.2, -0.1},
                        at_once[MT_CHEST] = {0, -0.1, 0.2, 0.2, 0.2, 0.2};
    const mt_qrs skips = find_progression(9, without_v3, net),
                 absent = find_progression(MT_LEADS_STANDARD, standard, never),
                 first = find_progression(MT_LEADS_STANDARD, standard, at_once);
    cr_expect_float_eq(skips.transition, 2 + 2 * 0.75, 1e-9, "%g", skips.transition);
    cr_expect(isnan(absent.transition));
    cr_expect(first.transition == 1 && first.transition_first, "%g", first.transition);
}

Test(qrs, a_failed_allocation_is_reported)
{
    const mt_qrs_record record = sample_twelve(triangle, 200, 1);
    mt_qrs qrs;
    for (size_t k = 1; k <= 2; k++) {
        mt_arena_fail_at(k);
        cr_expect_eq(mt_qrs_find(&arena, &record, 0, 200, &qrs), MT_MEMORY);
    }
    mt_arena_fail_at(0);
}
