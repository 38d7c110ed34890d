#include "app/cli/remarks.h"

#include <stdio.h>
#include <string.h>

/* ---- one line ---- */

static const char *end_of_line(const char *at) { return at + strcspn(at, "\n"); }
static const char *behind_line(const char *end) { return *end ? end + 1 : end; }
static const char *behind_blanks(const char *at) { return at + strspn(at, " \t\r"); }

static mt_span trimmed(const char *begin, const char *end)
{
    begin = behind_blanks(begin);
    while (end > begin && strchr(" \t\r", end[-1])) end--;
    return (mt_span){begin, end < begin ? begin : end};
}

/* The '#' that begins the remark of a line, or the line's end: it stands behind a blank and in no quotes. */
static const char *remark_of(const char *value, const char *end)
{
    const char *first = behind_blanks(value);
    char quote = 0;
    for (const char *at = value; at < end; at++) {
        if (quote == '"' && *at == '\\' && at + 1 < end)
            at++;
        else if (quote)
            quote = *at == quote ? 0 : quote;
        else if ((*at == '"' || *at == '\'') && at == first)
            quote = *at;
        else if (*at == '#' && (at[-1] == ' ' || at[-1] == '\t'))
            return at;
    }
    return end;
}

/* The end of a remark that begins in the line which ends at `end`, of a key that is indented so far. */
static const char *end_of_remark(const char *end, size_t indent)
{
    for (;;) {
        const char *line = behind_line(end), *mark = line + strspn(line, " ");
        if (*mark != '#' || (size_t)(mark - line) <= indent) return end;
        end = end_of_line(mark);
    }
}

/* ---- the keys ---- */

mt_remarks mt_remarks_begin(const char *text) { return (mt_remarks){.at = text}; }

/* Closes the mappings that a key of this indentation is not in, and puts it behind the path of the others. Answers the
 * path's length; 0: it is too long. */
static size_t enter(mt_remarks *r, size_t indent, const char *key, size_t n)
{
    while (r->depth > 0 && r->indent[r->depth - 1] >= indent) r->depth--;
    size_t length = r->depth > 0 ? r->length[r->depth - 1] : 0;
    if (length + n + 2 > MT_REMARKS_KEY) return 0;
    if (length > 0) r->path[length++] = '.';
    memcpy(r->path + length, key, n);
    r->path[length + n] = 0;
    return length + n;
}

/* What is entered holds others: they are indented more. */
static void open_entered(mt_remarks *r, size_t indent, size_t length)
{
    if (length == 0 || r->depth == MT_REMARKS_DEPTH) return;
    r->indent[r->depth] = indent;
    r->entries[r->depth] = 0;
    r->length[r->depth++] = length;
}

/* Enters the next entry of the list whose dashes stand at this indentation: as a key between the list's, which may stand
 * in the same column, and the entry's own. Answers the path's length; 0: there is no such list. */
static size_t enter_entry(mt_remarks *r, size_t indent)
{
    char number[24];
    while (r->depth > 0 && r->indent[r->depth - 1] > indent) r->depth--;
    if (r->depth == 0) return 0;
    const int n = snprintf(number, sizeof number, "%zu", r->entries[r->depth - 1]++);
    return enter(r, indent + 1, number, (size_t)n);
}

static bool has_key(const char *at, size_t *n)
{
    *n = strcspn(at, ": \t\r\n#-\"'{[");
    return *n > 0 && at[*n] == ':' && strchr(" \t\r\n", at[*n + 1]);
}

/* The value that begins at `at`, of what was entered with a path of this length; false: there is none in this line. */
static bool take_value(
    const mt_remarks *r, size_t indent, size_t length, const char *at, const char *end, mt_remark *remark)
{
    const char *mark = remark_of(at, end);
    remark->value = trimmed(at, mark);
    if (length == 0 || remark->value.begin == remark->value.end) return false;
    (void)strcpy(remark->key, r->path);
    remark->text = (mt_span){mark, mark};
    if (mark < end) remark->text = (mt_span){mark + 1, end_of_remark(end, indent)};
    return true;
}

bool mt_remarks_next(mt_remarks *r, mt_remark *remark)
{
    while (*r->at) {
        const char *line = r->at, *end = end_of_line(line), *key = line + strspn(line, " ");
        size_t n, length, indent = (size_t)(key - line);
        r->at = behind_line(end);
        if (key[0] == '-' && key[1] == ' ') {
            const char *inside = key + 1 + strspn(key + 1, " ");
            if ((length = enter_entry(r, indent)) == 0) continue;
            if (!has_key(inside, &n) && take_value(r, indent, length, inside, end, remark)) return true;
            open_entered(r, indent + 1, length);
            key = inside;
            indent = (size_t)(key - line);
        }
        if (!has_key(key, &n)) continue;
        length = enter(r, indent, key, n);
        if (take_value(r, indent, length, key + n + 1, end, remark)) return true;
        open_entered(r, indent, length);
    }
    return false;
}

bool mt_remark_find(const char *text, const char *key, mt_remark *remark)
{
    mt_remarks r = mt_remarks_begin(text);
    while (mt_remarks_next(&r, remark))
        if (strcmp(remark->key, key) == 0) return true;
    return false;
}

/* ---- what a remark says ---- */

/* Its lines as one. */
static mt_status join_lines(mt_arena *arena, mt_span text, char **out)
{
    MT_TAKE(arena, *out, (size_t)(text.end - text.begin) + 1);
    char *to = *out;
    for (const char *at = text.begin; at < text.end;) {
        const char *end = end_of_line(at);
        const mt_span words = trimmed(at, end);
        const size_t n = (size_t)(words.end - words.begin);
        if (to > *out && n > 0) *to++ = ' ';
        memcpy(to, words.begin, n);
        to += n;
        at = behind_line(end);
        if (at < text.end) at += strcspn(at, "#") + 1;
    }
    return MT_OK;
}

mt_status mt_remark_source(mt_arena *arena, const mt_remark *remark, const char **known, const char **source)
{
    static const char *const words[] = {"measured", "specified", "derived", "assumed"};
    char *line;
    *known = *source = NULL;
    if (remark->text.begin == remark->text.end) return MT_OK;
    MT_TRY(join_lines(arena, remark->text, &line));
    if (*line) *source = line;
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        const size_t n = strlen(words[k]);
        if (strncmp(line, words[k], n) != 0 || line[n] != ':') continue;
        *known = words[k];
        *source = behind_blanks(line + n + 1);
    }
    return MT_OK;
}
