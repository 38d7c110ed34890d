/* The picture of an ECG on millimetre paper. */
#include "tests/app/draw/pixels.h"
#include "tests/temporary.h"

#include <unistd.h>

#include "app/draw/chart/ecg_picture.h"

static char folder[64], path[128], other[128];
static mt_arena arena;

static void enter(void)
{
    temporary_pattern(folder, sizeof folder, "test_ecg_picture.XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/ecg.png", folder);
    (void)snprintf(other, sizeof other, "%s/other.png", folder);
}

static void leave(void)
{
    mt_arena_free(&arena);
    (void)unlink(path);
    (void)unlink(other);
    cr_assert_eq(files_in(folder), 0, "files remain in the folder");
    (void)rmdir(folder);
}

TestSuite(ecg_picture, .init = enter, .fini = leave);

static const char *const standard[] = {
    "I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6"};
static const char *numbered[40];

static double wave(double t, double at, double width, double high)
{
    const double d = (t - at) / width;
    return high * exp(-d * d);
}

/* Returns a simplified beat [mV]; each lead has its own R and S amplitudes. */
static double beat(size_t lead, double t)
{
    static const double r[] = {0.7, 1.1, 0.4, 0.1, 0.2, 0.8, 0.2, 0.5, 0.9, 1.4, 1.2, 0.9},
                        s[] = {0.1, 0.1, 0.1, 0.9, 0.3, 0.1, 1.1, 1.5, 0.9, 0.4, 0.2, 0.1};
    const size_t k = lead % 12;
    return wave(t, 45, 12, r[k]) - wave(t, 75, 14, s[k]) + wave(t, 300, 45, 0.3 * r[k] - 0.1 * s[k]);
}

/* Builds n leads from 0 to end_ms, scaled by a factor. */
static mt_ecg_record record(size_t n, size_t n_standard, double end_ms, double factor)
{
    mt_curve *curve = mt_arena_alloc(&arena, n, sizeof *curve);
    for (size_t k = 0; k < 40; k++) {
        char *name = mt_arena_alloc(&arena, 16, 1);
        (void)snprintf(name, 16, "place %zu", k + 1);
        numbered[k] = k < n_standard ? standard[k] : name;
    }
    for (size_t k = 0; k < n; k++) {
        cr_assert_eq(mt_curve_begin(&arena, 0, end_ms, &curve[k]), MT_OK);
        for (size_t i = 0; i <= 5000; i++) {
            const double t = end_ms * (double)i / 5000;
            mt_curve_add(&curve[k], t, factor * beat(k, fmod(t, 800)));
        }
    }
    return (mt_ecg_record){
        .title = "A title", .n = n, .n_standard = n_standard, .name = numbered, .curve = curve};
}

static mt_ecg_scale scale_of(mt_ecg_record r)
{
    mt_ecg_scale scale;
    cr_assert_eq(mt_ecg_scale_find(&r, &scale), MT_OK, "%s", mt_message());
    return scale;
}

static bool is_near(double x, double y) { return fabs(x - y) < 1e-9 * y; }

static void expect_scale(mt_ecg_scale s, int pixels, double mm_s, double limbs_mm_mV, double chest_mm_mV)
{
    cr_expect(s.pixels_per_mm == pixels && is_near(s.mm_per_s, mm_s) &&
                  is_near(s.mm_per_mV[MT_ECG_LIMBS], limbs_mm_mV) &&
                  is_near(s.mm_per_mV[MT_ECG_CHEST], chest_mm_mV),
        "%d pixels, %g mm/s, %g and %g mm/mV; not %d, %g, %g, %g", s.pixels_per_mm, s.mm_per_s,
        s.mm_per_mV[0], s.mm_per_mV[1], pixels, mm_s, limbs_mm_mV, chest_mm_mV);
}

/* Columns are 4, 16.5, 39 and 54 mm long if there are four, 110 if there are two, 230 and 350 if there is one. The largest range of limb
 * leads is -0.9 to 0.7 mV, that of chest leads -1.5 to 1.2. */
Test(ecg_picture, the_paper_runs_at_25_mm_a_second_with_the_largest_squares_that_fit)
{
    static const struct {
        double end_ms;
        int pixels;
        double mm_s;
    } of[] = {{150, 36, 25}, {600, 16, 25}, {1400, 8, 25}, {2000, 6, 25}, {4000, 6, 25}, {8000, 6, 25},
        {13000, 4, 25}, {20000, 4, 10}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        const mt_ecg_scale s = scale_of(record(12, 12, of[k].end_ms, 0));
        expect_scale(s, of[k].pixels, of[k].mm_s, 10, 10);
        const mt_ecg_record r = record(14, 12, of[k].end_ms, 1);
        cr_expect_eq(mt_ecg_picture(path, &r), MT_OK, "%s", mt_message());
    }
    expect_scale(scale_of(record(3, 0, 600, 0)), 48, 25, 10, 10);
}

Test(ecg_picture, limb_and_chest_leads_each_have_10_mm_per_mV_or_the_largest_gain_that_fits)
{
    expect_scale(scale_of(record(12, 12, 600, 0.4)), 16, 25, 10, 10);
    expect_scale(scale_of(record(12, 12, 600, 0.6)), 16, 25, 10, 5);
    expect_scale(scale_of(record(12, 12, 600, 6)), 16, 25, 1, 0.5);
    expect_scale(scale_of(record(12, 12, 600, 0.006)), 16, 25, 1000, 500);
    expect_scale(scale_of(record(6, 6, 600, 0.4)), 28, 25, 5, 5);
}

static bool is_pink(const unsigned char rgb[3], double least) { return rgb[0] - rgb[1] > (int)least; }
static bool is_dark(const unsigned char rgb[3], double most) { return rgb[0] < (int)most; }

/* Paper from x = 80 and y = 96 with 16 pixels a mm: lines of 5 mm are stronger. */
Test(ecg_picture, the_paper_has_a_millimetre_grid)
{
    const mt_ecg_record r = record(12, 12, 600, 0);
    cr_assert_eq(mt_ecg_picture(path, &r), MT_OK, "%s", mt_message());
    unsigned char *pixels = read_pixels(path);
    for (size_t mm = 0; mm <= 90; mm++) {
        cr_expect(is_pink(pixel_at(pixels, 80 + 16 * mm, 96 + 3), 15), "%zu mm", mm);
        cr_expect_eq(is_pink(pixel_at(pixels, 80 + 16 * mm, 96 + 3), 50), mm % 5 == 0, "%zu mm", mm);
        if (mm < 90) cr_expect(!is_pink(pixel_at(pixels, 80 + 16 * mm + 8, 96 + 3), 15), "%zu mm", mm);
    }
    free(pixels);
}

/* All leads are 0, except 1 mV from 200 to 400 ms in one: 10 mm high, 5 mm long, and only in its box. */
Test(ecg_picture, each_lead_is_in_its_panel_and_to_scale)
{
    mt_ecg_record r = record(12, 12, 600, 0);
    mt_curve *step = (mt_curve *)&r.curve[7]; /* V2: second row, third column */
    for (size_t i = 0; i <= 6000; i++) mt_curve_add(step, 0.1 * (double)i, i >= 2000 && i <= 4000);
    step->part = mt_arena_alloc(&arena, MT_CURVE_PARTS, sizeof *step->part);
    for (size_t i = 0; i <= 6000; i++) mt_curve_add(step, 0.1 * (double)i, i >= 2000 && i <= 4000);
    expect_scale(scale_of(r), 16, 25, 10, 10);
    cr_assert_eq(mt_ecg_picture(path, &r), MT_OK, "%s", mt_message());
    const double left = 16 + 2 * (16.5 + 2);
    const size_t from = 80 + (size_t)(16 * (left + 5)), to = 80 + (size_t)(16 * (left + 10));
    const size_t row[] = {96 + 240, 96 + 480}, flat[] = {from + 4, to - 4}, sides[] = {from - 3, to + 3};
    const size_t within = count_within(path, flat, row, is_dark, 100);
    cr_expect(within >= 2 * (to - from - 8) && within <= 3 * (to - from - 8), "%zu", within);
    cr_expect_geq(count_within(path, sides, row, is_dark, 100), within + 2 * 2 * 156);
    unsigned char *pixels = read_pixels(path);
    size_t top = 0, bottom = 0;
    for (size_t y = row[0]; y < row[1]; y++) {
        if (!top && is_dark(pixel_at(pixels, (from + to) / 2, y), 100)) top = y;
        if (!bottom && is_dark(pixel_at(pixels, to + 20, y), 100)) bottom = y;
    }
    cr_expect_eq(bottom - top, 160);
    free(pixels);
}

/* Measures the rising edges of the pulses of each row, 1 mm from the left and 7 mm before V1: 1 mV is 5 mm high, or 2 mm at the other
 * gain. */
Test(ecg_picture, each_half_of_a_row_has_a_1_mV_calibration_pulse)
{
    const mt_ecg_record r = record(12, 12, 600, 1);
    const size_t half[] = {80 + 16, 80 + 16 * 46};
    expect_scale(scale_of(r), 16, 25, 5, 2);
    cr_assert_eq(mt_ecg_picture(path, &r), MT_OK, "%s", mt_message());
    for (size_t k = 0; k < 6; k++) {
        const size_t x[] = {half[k % 2], half[k % 2] + 1}, y[] = {96 + 240 * (k / 2), 96 + 240 * (k / 2 + 1)};
        const double high = k % 2 ? 32 : 80;
        cr_expect_float_eq(
            (double)count_within(path, x, y, is_dark, 100), high, 3, "row %zu, %zu", k / 2, k % 2);
    }
}

/* Returns the dark pixels of a line of words below the paper: speed and gains, or the note on amplitudes. */
static size_t words_below(const mt_ecg_record *r, size_t from, size_t to)
{
    const size_t x[] = {80, 1100}, y[] = {from, to};
    cr_assert_eq(mt_ecg_picture(path, r), MT_OK, "%s", mt_message());
    return count_within(path, x, y, is_dark, 150);
}

Test(ecg_picture, speed_gains_and_a_note_on_uncalibrated_amplitudes_are_printed)
{
    const mt_ecg_record twelve = record(12, 12, 600, 1);
    const size_t two_gains = words_below(&twelve, 830, 852), note = words_below(&twelve, 860, 882);
    const mt_ecg_record one = record(3, 0, 600, 1);
    const size_t one_gain = words_below(&one, 830, 852);
    cr_expect(one_gain > 300 && two_gains > one_gain + 300, "%zu, %zu", one_gain, two_gains);
    cr_expect_gt(note, 1200, "%zu", note);
    cr_expect_eq(words_below(&one, 860, 882), note);
}

static bool is_blue(const unsigned char rgb[3], double least) { return rgb[2] - rgb[0] > (int)least; }

/* A lead rises by 1 mV during a stimulus from 200 to 204 ms. With the span, nothing is drawn between both levels, and a mark is below. */
Test(ecg_picture, a_stimulus_artefact_is_blanked_and_marked)
{
    static const mt_span span = {200, 204};
    const double left = 16 + 2 * (16.5 + 2) + 5;
    const size_t x[] = {80 + (size_t)(16 * left) - 4, 80 + (size_t)(16 * left) + 6},
                 row[] = {96 + 240, 96 + 465}, page_x[] = {0, MT_PAGE_WIDTH}, paper_y[] = {96, 96 + 720};
    size_t dark[2], blue[2];
    for (size_t blank = 0; blank < 2; blank++) {
        mt_ecg_record r = record(12, 12, 600, 0);
        double time_ms[6001], value[6001];
        mt_curve *step = (mt_curve *)&r.curve[7]; /* V2 */
        step->part = mt_arena_alloc(&arena, MT_CURVE_PARTS, sizeof *step->part);
        for (size_t i = 0; i <= 6000; i++)
            time_ms[i] = 0.1 * (double)i, value[i] = fmax(0, fmin((time_ms[i] - 200) / 4, 1));
        r.n_stimulated = blank, r.stimulated = &span;
        cr_assert(mt_ecg_blank(6001, time_ms, blank, &span, 1, value));
        for (size_t i = 0; i <= 6000; i++)
            if (!isnan(value[i])) mt_curve_add(step, time_ms[i], value[i]);
        cr_assert_eq(mt_ecg_picture(path, &r), MT_OK, "%s", mt_message());
        dark[blank] = count_within(path, x, row, is_dark, 100);
        blue[blank] = count_within(path, page_x, paper_y, is_blue, 60);
    }
    cr_expect_gt(dark[0], dark[1] + 2 * 140, "%zu, %zu", dark[0], dark[1]);
    cr_expect_eq(blue[0], 0);
    cr_expect_geq(blue[1], (size_t)(12 * 12), "one for each lead");
}

Test(ecg_picture, a_subset_of_the_standard_leads_is_drawn)
{
    for (size_t n = 6; n <= 12; n++) {
        mt_ecg_record r = record(n, n, 600, 1);
        if (n == 8) numbered[6] = "V2", numbered[7] = "V5";
        cr_assert_eq(mt_ecg_picture(path, &r), MT_OK, "%s", mt_message());
    }
}

Test(ecg_picture, non_standard_leads_are_drawn_in_separate_rows)
{
    static const size_t numbers[] = {1, 3, 8, 9, 24, 32, 40};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        const mt_ecg_record r = record(numbers[k], 0, 600, 1);
        cr_assert_eq(mt_ecg_picture(path, &r), MT_OK, "%s", mt_message());
    }
    const mt_ecg_record more = record(14, 12, 600, 1);
    cr_assert_eq(mt_ecg_picture(path, &more), MT_OK, "%s", mt_message());
}

Test(ecg_picture, the_same_input_writes_the_same_bytes)
{
    const mt_ecg_record r = record(12, 12, 600, 1);
    cr_assert_eq(mt_ecg_picture(path, &r), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_ecg_picture(other, &r), MT_OK, "%s", mt_message());
    assert_same_bytes(path, other);
}

Test(ecg_picture, invalid_ecgs_are_rejected)
{
    mt_ecg_record r = record(2, 0, 600, 1), none = {.title = "none"};
    cr_expect_eq(mt_ecg_picture(path, &none), MT_INPUT);
    mt_curve_add((mt_curve *)&r.curve[1], 600, NAN);
    cr_expect_eq(mt_ecg_picture(path, &r), MT_INPUT);
    cr_expect(strstr(mt_message(), "'place 2'"), "%s", mt_message());
    r = record(2, 0, 600, 1);
    r.title = "\xff";
    cr_expect_eq(mt_ecg_picture(path, &r), MT_INPUT);
    r.title = "fine";
    cr_expect_eq(mt_ecg_picture("/nowhere/a.png", &r), MT_FILE);
    cr_expect_eq(files_in(folder), 0);
}
