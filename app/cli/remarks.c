#include "app/cli/remarks.h"

#include <stdbool.h>
#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

mt_status mt_remarks_begin(mt_arena *arena, const char *text, mt_remarks *remarks)
{
    size_t n = 1;
    for (const char *at = text; *at; at++) n += *at == '\n';
    *remarks = (mt_remarks){.n = n};
    MT_ALLOC(arena, remarks->line, n);
    for (size_t k = 0; k < n; k++, text += strcspn(text, "\n") + 1) remarks->line[k] = text;
    return MT_OK;
}

/* Returns the text after the '#' of a line's remark; NULL if it has no remark. A '#' inside quotes or a word does not count. */
static const char *behind_mark(const char *line)
{
    char quote = 0, before = ' ';
    for (const char *at = line; *at && *at != '\n'; before = *at++) {
        if (quote == '"' && *at == '\\' && at[1])
            at++;
        else if (quote)
            quote = *at == quote ? 0 : quote;
        else if ((*at == '"' || *at == '\'') && (is_blank(before) || strchr(",:[{", before)))
            quote = *at;
        else if (*at == '#' && is_blank(before))
            return at + 1;
    }
    return NULL;
}

/* Appends the words from `at` to the end of the line to a text. Returns its new end. */
static char *add_words(char *to, const char *begin, const char *at)
{
    const char *end = at + strcspn(at, "\n");
    while (at < end && is_blank(*at)) at++;
    while (end > at && is_blank(end[-1])) end--;
    if (to > begin && at < end) *to++ = ' ';
    memcpy(to, at, (size_t)(end - at));
    return to + (end - at);
}

/* Returns the text after the '#' of a line that contains only a remark and is indented further than `indent`; NULL for any other
 * line. */
static const char *behind_next_mark(const char *line, size_t indent)
{
    const size_t n = strspn(line, " ");
    return n > indent && line[n] == '#' ? line + n + 1 : NULL;
}

/* Returns the complete remark of line k, counted from 0, as one line; NULL if it has no remark. */
static mt_status join_lines(mt_arena *arena, const mt_remarks *r, size_t k, char **out)
{
    const char *first = behind_mark(r->line[k]);
    const size_t indent = strspn(r->line[k], " ");
    size_t last = k;
    *out = NULL;
    if (!first) return MT_OK;
    while (last + 1 < r->n && behind_next_mark(r->line[last + 1], indent)) last++;
    const char *end = r->line[last] + strcspn(r->line[last], "\n");
    MT_ALLOC(arena, *out, (size_t)(end - first) + 1);
    char *to = add_words(*out, *out, first);
    while (++k <= last) to = add_words(to, *out, behind_next_mark(r->line[k], indent));
    return MT_OK;
}

mt_status mt_remark_of_line(
    mt_arena *arena, const mt_remarks *remarks, size_t line, const char **known, const char **source)
{
    static const char *const words[] = {"measured", "specified", "derived", "assumed"};
    char *whole;
    *known = *source = NULL;
    if (line == 0 || line > remarks->n) return MT_OK;
    MT_TRY(join_lines(arena, remarks, line - 1, &whole));
    if (!whole || !*whole) return MT_OK;
    *source = whole;
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        const size_t n = strlen(words[k]);
        if (strncmp(whole, words[k], n) != 0 || whole[n] != ':') continue;
        *known = words[k];
        *source = whole + n + 1 + strspn(whole + n + 1, " \t");
    }
    return MT_OK;
}
