#include <criterion/criterion.h>

#include "data/core/progress.h"

#include <stdio.h>
#include <string.h>

static char said[512];
static mt_arena arena;

static void hear(const char *kind, const char *text)
{
    (void)snprintf(said + strlen(said), sizeof said - strlen(said), "%s %s;", kind, text);
}

static const mt_listener listener = {.message = hear};

static void enter(void)
{
    said[0] = 0;
    mt_listen(&listener);
}

static void leave(void)
{
    mt_listen(NULL);
    mt_arena_free(&arena);
}

TestSuite(messages, .init = enter, .fini = leave);

Test(messages, the_innermost_list_receives_and_reports_to_the_outer_one)
{
    mt_messages outer, inner;
    mt_messages_begin(&outer, &arena);
    mt_warn("first");
    mt_messages_begin(&inner, &arena);
    mt_warn("second %d", 2);
    mt_note("file", "third and more", 5);
    mt_messages_end(&inner);
    cr_expect_str_empty(said);
    cr_expect(outer.first == outer.last);
    mt_messages_report(&inner);
    mt_messages_end(&outer);
    cr_expect_str_empty(said);
    mt_messages_report(&outer);
    cr_expect_str_eq(said, "warning first;warning second 2;note file: third;");
    mt_warn("fourth");
    cr_expect_str_eq(said + strlen(said) - 15, "warning fourth;");
}

Test(messages, a_message_without_memory_is_reported)
{
    mt_messages list;
    mt_messages_begin(&list, &arena);
    mt_arena_fail_at(1);
    mt_warn("lost");
    mt_arena_fail_at(0);
    mt_warn("kept");
    mt_messages_end(&list);
    cr_expect_str_eq(said, "warning lost;");
    cr_expect_str_eq(list.first->text, "kept");
    cr_expect_null(list.first->next);
}
