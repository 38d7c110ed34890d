/* The case of a checkpoint compared with another case, if the ionic model is a file. */
#include "tests/app/program.h"
#include "tests/solver/small_case.h"

#include "app/run/checkpoints.h"

#include <string.h>

#define REST "time: {end_ms: 1}\n" SMALL_STIMULUS("2")

static mt_arena arena;

static void leave(void) { mt_arena_free(&arena); }

TestSuite(checkpoints, .fini = leave);

/* Compares a checkpoint of a run of this model with a case of tp06. The model was in a file that no longer exists. */
static mt_status compare(const char *identity)
{
    static const char here[] = SMALL_SLAB USUAL_TISSUE REST;
    char there[4096];
    mt_case input;
    cr_assert_eq(mt_case_read(&arena, "small", here, NULL, 0, &input), MT_OK, "%s", mt_message());
    const char *text;
    cr_assert_eq(mt_yaml_write(&arena, &mt_case_table, &input, &text), MT_OK);
    const char *model = strstr(text, "model: tp06\n");
    cr_assert(model && strlen(text) + 100 < sizeof there);
    (void)snprintf(there, sizeof there, "%.*smodel: /nowhere/a.mmt\n%s", (int)(model - text), text,
        model + strlen("model: tp06\n"));
    mt_checkpoint from = {.path = "saved.hdf", .case_text = there};
    (void)snprintf(from.model, sizeof from.model, "%s", identity);
    return mt_checkpoints_agree(&from, &input);
}

Test(checkpoints, a_model_with_equal_content_is_opened_where_the_new_case_has_it)
{
    cr_expect_eq(compare("tp06"), MT_OK, "%s", mt_message());
}

Test(checkpoints, a_model_with_other_content_is_rejected_without_opening_its_file)
{
    cr_expect_eq(compare("a.mmt#1"), MT_INPUT);
    cr_expect_str_eq(mt_message(), "saved.hdf: from a run of the ionic model a.mmt#1; here tp06");
}
