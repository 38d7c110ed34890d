#include "data/files/xml_tree.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef mt_xml_element element;

/* ---- attributes, text, failures ---- */

const char *mt_xml_tree_attribute(const element *e, const char *name, const char *missing)
{
    return mt_xml_attribute(e->attributes, name, missing);
}

const char *mt_xml_tree_local(const element *e, const char *name, const char *missing)
{
    for (const char *const *a = e->attributes; *a; a += 2) {
        const char *colon = strchr(*a, ':');
        if (strcmp(colon ? colon + 1 : *a, name) == 0) return a[1];
    }
    return missing;
}

/* Returns the character of a reference such as &#10; or &#xa;, and its length. 0: there is none, or not to ASCII. */
static char decode_number(const char *at, const char *end, size_t *length)
{
    if (end - at < 4 || at[0] != '&' || at[1] != '#') return 0;
    const bool hexadecimal = at[2] == 'x';
    const char *digits = at + 2 + hexadecimal, *c = digits;
    unsigned code = 0;
    for (; c < end && isxdigit((unsigned char)*c) && code < 128; c++) {
        if (!hexadecimal && !isdigit((unsigned char)*c)) return 0;
        const unsigned digit =
            isdigit((unsigned char)*c) ? (unsigned)(*c - '0') : (unsigned)(*c | 32) - 'a' + 10;
        code = code * (hexadecimal ? 16 : 10) + digit;
    }
    if (c == digits || c == end || *c != ';' || code >= 128) return 0;
    *length = (size_t)(c + 1 - at);
    return (char)code;
}

/* Returns the character of the XML entity at `at`, or the character at `at` if there is none, and its length. */
static char decode(const char *at, const char *end, size_t *length)
{
    static const struct {
        const char *name;
        char is;
    } entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t k = 0; k < sizeof entities / sizeof *entities; k++) {
        *length = strlen(entities[k].name);
        if ((size_t)(end - at) >= *length && strncmp(at, entities[k].name, *length) == 0)
            return entities[k].is;
    }
    const char numbered = decode_number(at, end, length);
    if (numbered) return numbered;
    *length = 1;
    return *at;
}

/* Returns the end of the comment or, if `tags`, of the tag at `at`; NULL if neither ends before `end`. */
static const char *markup_end(const char *at, const char *end, bool tags)
{
    static const char comment[] = "<!--", comment_end[] = "-->";
    const size_t left = (size_t)(end - at);
    if (left >= strlen(comment) && strncmp(at, comment, strlen(comment)) == 0) {
        const char *last = memmem(at, left, comment_end, strlen(comment_end));
        return last ? last + strlen(comment_end) : NULL;
    }
    const char *last = tags ? memchr(at, '>', left) : NULL;
    return last ? last + 1 : NULL;
}

/* Copies the text from `at` to `end`, up to the next tag or, if `tags`, without tags. */
static bool copy_text(const char *at, const char *end, bool tags, char *out, size_t size)
{
    size_t n = 0, length;
    bool fits = true;
    for (; at < end; at += length) {
        if (*at == '<') {
            const char *after = markup_end(at, end, tags);
            if (!after) break;
            length = (size_t)(after - at);
            continue;
        }
        const char c = decode(at, end, &length);
        const bool blank = isspace((unsigned char)c);
        if (n == 0 && blank) continue;
        if (n + 1 < size)
            out[n++] = c;
        else
            fits &= blank;
    }
    while (n > 0 && isspace((unsigned char)out[n - 1])) n--;
    out[n] = 0;
    return fits;
}

bool mt_xml_tree_text(const element *e, char *out, size_t size)
{
    return copy_text(e->begin, e->close, false, out, size);
}

bool mt_xml_tree_tail(const element *e, char *out, size_t size)
{
    return copy_text(e->after, e->parent->close, false, out, size);
}

bool mt_xml_tree_content(const element *e, char *out, size_t size)
{
    return copy_text(e->begin, e->close, true, out, size);
}

mt_status mt_xml_tree_fail(const mt_xml_tree *tree, const element *e, const char *format, ...)
{
    char text[400];
    va_list arguments;
    mt_scan scan = tree->scan;
    scan.line = e->line;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return mt_scan_fail(&scan, "<%.40s>: %s", e->name, text);
}

/* ---- reading ---- */

typedef struct reader {
    mt_xml_tree *tree;
    mt_arena *arena;
    element *open;
} reader;

static mt_status copy_attributes(mt_arena *arena, const char *const *attributes, element *e)
{
    size_t n = 0, bytes = 0;
    const char **copies;
    char *text;
    for (; attributes[n]; n++) bytes += strlen(attributes[n]) + 1;
    MT_ALLOC(arena, copies, n + 1);
    MT_ALLOC(arena, text, bytes);
    for (size_t k = 0; k < n; k++) {
        copies[k] = text;
        text = stpcpy(text, attributes[k]) + 1;
    }
    e->attributes = copies;
    return MT_OK;
}

static mt_status start_element(void *context, mt_xml_tag *tag)
{
    reader *r = context;
    element *e;
    const mt_scan *scan = &r->tree->scan;
    const char *colon = strchr(tag->name, ':');
    MT_ALLOC(r->arena, e, 1);
    *e = (element){.line = scan->line, .text_line = tag->end_line, .parent = r->open, .begin = tag->end};
    e->name = mt_arena_text(r->arena, colon ? colon + 1 : tag->name);
    if (!e->name) return MT_MEMORY;
    MT_TRY(copy_attributes(r->arena, tag->attributes, e));
    e->end = memchr(e->begin, '<', (size_t)(scan->end - e->begin));
    if (!e->end) e->end = scan->end;
    if (!r->open)
        r->tree->root = e;
    else if (r->open->last)
        r->open->last->next = e;
    else
        r->open->first = e;
    if (r->open) r->open->last = e;
    r->open = e;
    return MT_OK;
}

static void end_element(void *context, const char *begin, const char *after)
{
    reader *r = context;
    r->open->close = begin;
    r->open->after = after;
    r->open = r->open->parent;
}

mt_status mt_xml_tree_read(mt_arena *arena, const mt_scan *scan, size_t depth_max, mt_xml_tree *tree)
{
    const mt_xml_acts acts = {start_element, end_element, depth_max};
    reader r = {.tree = tree, .arena = arena};
    *tree = (mt_xml_tree){.scan = *scan};
    return mt_xml_parse(&tree->scan, &acts, &r);
}
