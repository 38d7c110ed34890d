#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "solver/cells/import/scoped_names.h"

static mt_arena arena;

static void leave(void) { mt_arena_free(&arena); }

TestSuite(names, .fini = leave);

enum { SCOPES = 300, NAMES = 20 };

Test(names, equal_names_of_different_scopes_are_different)
{
    mt_scoped_names names = {0};
    static char text[NAMES][8];
    cr_assert_null(mt_scoped_names_find(&names, 0, "a", 1));
    for (size_t k = 0; k < NAMES; k++) (void)snprintf(text[k], sizeof text[k], "n%zu", k);
    for (size_t scope = 0; scope < SCOPES; scope += 2)
        for (size_t k = 0; k < NAMES; k++)
            cr_assert_eq(
                mt_scoped_names_add(&arena, &names, scope, text[k], strlen(text[k]), scope * NAMES + k),
                MT_OK);
    cr_assert_eq(names.n, SCOPES / 2 * NAMES);
    for (size_t scope = 0; scope < SCOPES; scope++)
        for (size_t k = 0; k < NAMES; k++) {
            const mt_scoped_name *found = mt_scoped_names_find(&names, scope, text[k], strlen(text[k]));
            cr_assert_eq(found != NULL, scope % 2 == 0);
            if (found) cr_assert_eq(found->value, scope * NAMES + k);
        }
    cr_assert_null(mt_scoped_names_find(&names, 0, "n", 1));
    cr_assert_null(mt_scoped_names_find(&names, 0, "n20", 3));
}
