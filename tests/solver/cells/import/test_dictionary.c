#include <criterion/criterion.h>

#include <stdio.h>

#include "solver/cells/import/dictionary.h"
#include "tests/answers.h"

Test(dictionary, names_are_found_in_their_scopes_only)
{
    enum { NAMES = 500, SCOPES = 3 };
    static char names[NAMES][16];
    mt_arena arena = {0};
    mt_dictionary dictionary;
    size_t index = 0;
    ok(mt_dictionary_new(&arena, NAMES * SCOPES, &dictionary));
    cr_assert(!mt_dictionary_find(&dictionary, 0, "", &index));
    for (size_t k = 0; k < NAMES; k++) {
        (void)snprintf(names[k], sizeof names[k], "x%zu", k);
        for (size_t scope = 0; scope < SCOPES; scope++)
            if (k % SCOPES != scope)
                cr_assert(mt_dictionary_add(&dictionary, scope, names[k], 10 * k + scope));
    }
    cr_assert(!mt_dictionary_add(&dictionary, 0, "x1", 7));
    for (size_t k = 0; k < NAMES; k++)
        for (size_t scope = 0; scope < SCOPES; scope++) {
            const bool found = mt_dictionary_find(&dictionary, scope, names[k], &index);
            cr_assert_eq(found, k % SCOPES != scope, "%s in %zu", names[k], scope);
            cr_assert(!found || index == 10 * k + scope);
        }
    mt_arena_free(&arena);
}

Test(dictionary, a_full_dictionary_does_not_have_other_names)
{
    enum { NAMES = 64 };
    static char names[NAMES][16];
    mt_arena arena = {0};
    mt_dictionary dictionary;
    size_t index;
    ok(mt_dictionary_new(&arena, NAMES, &dictionary));
    for (size_t k = 0; k < NAMES; k++) {
        (void)snprintf(names[k], sizeof names[k], "x%zu", k);
        cr_assert(mt_dictionary_add(&dictionary, 0, names[k], k));
    }
    cr_assert(!mt_dictionary_find(&dictionary, 0, "y", &index));
    mt_arena_free(&arena);
}
