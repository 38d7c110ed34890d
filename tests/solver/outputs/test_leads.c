/* Leads computed from potentials. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "solver/outputs/leads.h"
#include "tests/random.h"

static mt_arena arena;

static void leave(void) { mt_arena_free(&arena); }

TestSuite(leads, .fini = leave);

static mt_leads make(size_t n, const char *const *electrode)
{
    mt_leads leads;
    cr_assert_eq(mt_leads_make(&arena, n, electrode, &leads), MT_OK, "%s", mt_message());
    return leads;
}

static double value_of(const mt_leads *leads, const double *value, const char *name)
{
    for (size_t k = 0; k < leads->n; k++)
        if (strcmp(leads->name[k], name) == 0) return value[k];
    cr_assert_fail("no lead %s", name);
    return NAN;
}

/* The electrodes in another order than the leads need, with additional ones. */
static const char *const all[] = {"V6", "LL", "V2", "V3", "back", "V1", "RA", "RL", "V4", "LA", "V5"};
enum { ALL = sizeof all / sizeof *all };

Test(leads, the_twelve_leads_are_in_standard_order_followed_by_others)
{
    static const char *const expected[] = {
        "I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6", "back"};
    const mt_leads leads = make(ALL, all);
    cr_assert_eq(leads.n, sizeof expected / sizeof *expected);
    cr_expect_eq(leads.n_standard, MT_LEADS_STANDARD);
    for (size_t k = 0; k < leads.n; k++) cr_expect_str_eq(leads.name[k], expected[k]);
}

/* Simple numbers: RA 1, LA 4, LL 10, so the terminal is 5. */
Test(leads, each_lead_matches_its_definition)
{
    const mt_leads leads = make(ALL, all);
    const double phi[ALL] = {16, 10, 12, 13, 77, 11, 1, 99, 14, 4, 15};
    static const double expected[] = {3, 9, 6, -6, -1.5, 7.5, 6, 7, 8, 9, 10, 11, 77};
    double value[ALL + MT_LEADS_STANDARD];
    mt_leads_values(&leads, phi, value);
    for (size_t k = 0; k < leads.n; k++)
        cr_expect_float_eq(value[k], expected[k], 1e-14, "%s: %g", leads.name[k], value[k]);
}

Test(leads, einthoven_and_goldberger_relations_hold)
{
    const mt_leads leads = make(ALL, all);
    double phi[ALL], value[ALL + MT_LEADS_STANDARD];
    uint64_t state = 3;
    for (int round = 0; round < 100; round++) {
        for (size_t e = 0; e < ALL; e++) phi[e] = between(&state, -2, 2);
        mt_leads_values(&leads, phi, value);
        const double one = value_of(&leads, value, "I"), two = value_of(&leads, value, "II"),
                     three = value_of(&leads, value, "III");
        cr_expect_lt(fabs(one + three - two), 1e-14);
        cr_expect_lt(fabs(value_of(&leads, value, "aVR") + value_of(&leads, value, "aVL") +
                          value_of(&leads, value, "aVF")),
            1e-14);
        cr_expect_lt(fabs(value_of(&leads, value, "aVF") - (two + three) / 2), 1e-14);
    }
}

/* RA 1, LA 4, LL 10: the terminal is 5. V5 precedes V2; the other chest electrodes are absent. */
Test(leads, limb_leads_need_no_chest_electrodes_and_chest_leads_use_the_wilson_terminal)
{
    static const char *const limbs[] = {"LL", "RA", "back", "LA"},
                             *const some[] = {"V5", "LL", "RA", "V2", "LA"},
                             *const names[] = {"I", "II", "III", "aVR", "aVL", "aVF", "V2", "V5"};
    const double phi[] = {10, 1, 7, 4}, more[] = {50, 10, 1, 20, 4},
                 expected[] = {3, 9, 6, -6, -1.5, 7.5, 15, 45};
    double value[10];
    mt_leads leads = make(4, limbs);
    cr_assert(leads.n == 7 && leads.n_standard == 6);
    mt_leads_values(&leads, phi, value);
    for (size_t k = 0; k < 6; k++)
        cr_expect(value[k] == expected[k] && strcmp(leads.name[k], names[k]) == 0, "%s", leads.name[k]);
    cr_expect(value[6] == 7 && strcmp(leads.name[6], "back") == 0);
    leads = make(5, some);
    cr_assert(leads.n == 8 && leads.n_standard == 8);
    mt_leads_values(&leads, more, value);
    for (size_t k = 0; k < 8; k++)
        cr_expect(value[k] == expected[k] && strcmp(leads.name[k], names[k]) == 0, "%s", leads.name[k]);
}

Test(leads, without_all_limb_electrodes_each_electrode_is_its_own_lead)
{
    static const char *const some[] = {"RA", "LA", "V1", "V2", "V3", "V4", "V5", "V6", "RL"};
    const double phi[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    double value[9];
    const mt_leads leads = make(9, some);
    cr_assert(leads.n == 9 && leads.n_standard == 0);
    mt_leads_values(&leads, phi, value);
    cr_expect_eq(memcmp(value, phi, sizeof phi), 0);
    for (size_t k = 0; k < 9; k++) cr_expect_str_eq(leads.name[k], some[k]);
}

Test(leads, the_number_of_standard_leads_follows_from_the_names)
{
    static const char *const few[] = {"I", "II", "III", "aVR", "aVL", "V1"}, *const limbs[] = {
                                                                                 "LL", "RA", "V9", "LA"};
    const mt_leads twelve = make(ALL, all), six = make(4, limbs);
    cr_expect_eq(mt_leads_standard(twelve.n, twelve.name), 12);
    cr_expect_eq(mt_leads_standard(six.n, six.name), 6);
    cr_expect_eq(mt_leads_standard(6, few), 0);
    cr_expect_eq(mt_leads_standard(ALL, all), 0);
    cr_expect(mt_leads_chest("V1") == 0 && mt_leads_chest("V6") == 5 && mt_leads_chest("V9") == MT_CHEST);
}

/* The electrode of a chest lead has the name of that lead. Without standard leads any name is allowed. */
Test(leads, lead_names_are_unique)
{
    static const char *const names[] = {"I", "II", "III", "aVR", "aVL", "aVF"};
    const char *with[ALL];
    mt_leads leads;
    memcpy(with, all, sizeof all);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        with[4] = names[k]; /* in place of "back" */
        cr_expect_eq(mt_leads_make(&arena, ALL, with, &leads), MT_INPUT, "%s", names[k]);
        cr_expect_not_null(strstr(mt_message(), names[k]));
    }
    with[6] = "back"; /* in place of "RA" */
    leads = make(ALL, with);
    cr_expect_eq(leads.n, ALL);
}

Test(leads, out_of_memory_is_reported)
{
    mt_leads leads;
    for (size_t k = 1; k <= 2; k++) {
        mt_arena_fail_at(k);
        cr_expect_eq(mt_leads_make(&arena, ALL, all, &leads), MT_MEMORY);
    }
    mt_arena_fail_at(0);
}
