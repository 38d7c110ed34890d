#include <criterion/criterion.h>

#include <string.h>

#include "data/core/status.h"

Test(status, a_message_can_be_an_argument_of_the_next_one)
{
    cr_assert_eq(mt_fail(MT_INPUT, "edge_mm is %g", -1.0), MT_INPUT);
    cr_assert_eq(mt_fail(MT_FIT, "heart: %s; %s", mt_message(), "allowed: above 0"), MT_FIT);
    cr_assert_str_eq(mt_message(), "heart: edge_mm is -1; allowed: above 0");
}

Test(status, the_context_is_prefixed_to_the_message)
{
    cr_assert_eq(mt_fail_in("here", mt_fail(MT_NUMERICS, "why")), MT_NUMERICS);
    cr_assert_str_eq(mt_message(), "here: why");
    cr_assert_eq(mt_fail_in("there", MT_OK), MT_OK);
    cr_assert_str_eq(mt_message(), "here: why", "MT_OK leaves the message unchanged");
}

Test(status, file_failures_and_interrupts_are_passed_on_unchanged)
{
    cr_assert_eq(mt_fail_in("here", mt_fail(MT_FILE, "a.hdf: not there")), MT_FILE);
    cr_assert_str_eq(mt_message(), "a.hdf: not there");
    cr_assert_eq(mt_fail_in("here", mt_fail(MT_STOPPED, "stopped")), MT_STOPPED);
    cr_assert_str_eq(mt_message(), "stopped");
}

Test(status, a_long_value_does_not_hide_the_reason)
{
    char value[3001];
    memset(value, 'x', 3000);
    value[3000] = 0;
    cr_assert_eq(mt_fail(MT_INPUT, "--edge-mm %s: allowed: above 0", value), MT_INPUT);
    cr_expect(
        strlen(mt_message()) < 130 && strstr(mt_message(), "...") && strstr(mt_message(), "allowed: above 0"),
        "%s", mt_message());
}
