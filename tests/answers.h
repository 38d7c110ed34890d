/* Checks of a call's status and message. */
#pragma once

#include <string.h>

#include "data/core/status.h"

static inline void ok(mt_status status) { cr_assert_eq(status, MT_OK, "%s", mt_message()); }

static inline void assert_message(const char *part_of_it)
{
    cr_assert_not_null(strstr(mt_message(), part_of_it), "'%s' is not in: %s", part_of_it, mt_message());
}
