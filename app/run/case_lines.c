#include "app/run/case_lines.h"

#include <string.h>

/* The next line that may not differ. */
static mt_case_line next_line(const char **at, mt_case_line_free *may)
{
    while (**at) {
        const mt_case_line line = {*at, strcspn(*at, "\n")};
        *at += line.n + (line.text[line.n] == '\n');
        if (!may(line.text)) return line;
    }
    return (mt_case_line){NULL, 0};
}

bool mt_case_lines_differ(
    const char *was, const char *is, mt_case_line_free *may, mt_case_line *before, mt_case_line *now)
{
    for (;;) {
        *before = next_line(&was, may);
        *now = next_line(&is, may);
        if (!before->text && !now->text) return false;
        if (!before->text || !now->text || before->n != now->n) return true;
        if (memcmp(before->text, now->text, now->n) != 0) return true;
    }
}

bool mt_case_line_begins(const char *line, const char *const *begins)
{
    for (; *begins; begins++)
        if (strncmp(line, *begins, strlen(*begins)) == 0) return true;
    return false;
}
