#include "data/yaml.h"

#include <cyaml/cyaml.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

#include "data/number.h"

/* The way of a file: libyaml's events become nodes that know their line; overrides replace nodes; the nodes are
 * checked against the table and written, defaults included, as one plain text; libcyaml loads that text. */

enum { PATH_CHARS = 256, ALLOWED_CHARS = 512, MAX_DEPTH = 32, NUMBER_CHARS = 40, SHOWN_CHARS = 40 };
const char mt_yaml_none[] = "";
static const double largest_unsigned = 9007199254740992.0; /* 2^53; up to here whole numbers are exact */

/* ---- a growing text; a failure to grow sticks and is looked at once, at the end ---- */

typedef struct text {
    mt_arena *arena;
    char *data;
    size_t n, capacity;
    bool failed;
} text;

static void put_bytes(text *t, const char *bytes, size_t n)
{
    if (t->failed) return;
    if (t->n + n + 1 > t->capacity) {
        size_t capacity = 2 * (t->n + n + 1) + 256;
        char *data = mt_arena_take(t->arena, capacity, 1);
        t->failed = data == NULL;
        if (t->failed) return;
        if (t->n > 0) memcpy(data, t->data, t->n);
        t->data = data;
        t->capacity = capacity;
    }
    memcpy(t->data + t->n, bytes, n);
    t->n += n;
    t->data[t->n] = 0;
}

static void put(text *t, const char *bytes) { put_bytes(t, bytes, strlen(bytes)); }

/* The character of UTF-8 that begins at `s`: its bytes, or 0 where there is none; and its number. */
static size_t character(const char *s, uint32_t *number)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char first = (unsigned char)*s;
    const size_t n = first < 0x80   ? 1
                     : first < 0xC0 ? 0
                     : first < 0xE0 ? 2
                     : first < 0xF0 ? 3
                     : first < 0xF8 ? 4
                                    : 0;
    *number = n < 2 ? first : first & (0x7FU >> n);
    for (size_t i = 1; i < n; i++) {
        if (((unsigned char)s[i] & 0xC0) != 0x80) return 0;
        *number = *number << 6 | ((unsigned char)s[i] & 0x3F);
    }
    if (n == 0 || *number < least[n] || *number > 0x10FFFF || (*number >= 0xD800 && *number <= 0xDFFF))
        return 0;
    return n;
}

/* The first byte that begins no character; NULL: there is none. */
static const char *no_utf8(const char *s)
{
    uint32_t number;
    for (size_t n; *s; s += n) {
        n = character(s, &number);
        if (n == 0) return s;
    }
    return NULL;
}

/* May it stand in YAML as it is, and means there nothing but itself? */
static bool stands_for_itself(uint32_t c)
{
    if (c < 0x7F) return c >= 0x20 && c != '"' && c != '\\';
    return c >= 0xA0 && c != 0x2028 && c != 0x2029 && c != 0xFEFF && c != 0xFFFE && c != 0xFFFF;
}

static void put_quoted(text *t, const char *s)
{
    put(t, "\"");
    while (*s) {
        char escape[16];
        uint32_t c;
        const size_t n = character(s, &c);
        if (n > 0 && stands_for_itself(c)) {
            put_bytes(t, s, n);
        } else {
            if (c == '"' || c == '\\')
                (void)snprintf(escape, sizeof escape, "\\%c", (int)c);
            else if (n < 2)
                (void)snprintf(escape, sizeof escape, "\\x%02X", (unsigned)(unsigned char)*s);
            else
                (void)snprintf(escape, sizeof escape, "\\U%08X", (unsigned)c);
            put(t, escape);
        }
        s += n > 0 ? n : 1;
    }
    put(t, "\"");
}

static void put_double(text *t, double x)
{
    char number[MT_NUMBER_SIZE];
    mt_number_text(x, number);
    put(t, number);
}

static void put_unsigned(text *t, uint64_t x)
{
    char number[NUMBER_CHARS];
    (void)snprintf(number, sizeof number, "%llu", (unsigned long long)x);
    put(t, number);
}

/* ---- nodes ---- */

typedef enum node_kind { SCALAR, SEQUENCE, MAPPING } node_kind;

typedef struct node node;
struct node {
    node_kind kind;
    bool quoted;
    const char *origin; /* the file, or "--set ..." with line 0 */
    size_t line;
    const char *key;  /* in a mapping */
    size_t key_line;  /* where the key stands */
    const char *text; /* SCALAR */
    size_t n;         /* children */
    size_t number;    /* among its parent's */
    node *first, *last, *next;
};

static void append(node *parent, node *child)
{
    child->next = NULL;
    child->number = parent->n;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->n++;
}

static node *child_named(const node *mapping, const char *key, size_t length)
{
    if (mapping->kind != MAPPING) return NULL;
    for (node *c = mapping->first; c; c = c->next)
        if (strlen(c->key) == length && memcmp(c->key, key, length) == 0) return c;
    return NULL;
}

static node *child_numbered(const node *sequence, size_t i)
{
    node *c = sequence->first;
    while (c && i-- > 0) c = c->next;
    return c;
}

/* MT_INPUT with "file:line: path: ..." or "--set ...: ..."; line 0 = no line, path "" = none. */
__attribute__((format(printf, 4, 5))) static mt_status complain(
    const char *origin, size_t line, const char *path, const char *format, ...)
{
    char what[ALLOWED_CHARS + PATH_CHARS];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (line == 0) return mt_fail(MT_INPUT, "%s: %s", origin, what);
    return mt_fail(MT_INPUT, "%s:%zu: %s%s%s", origin, line, path, *path ? ": " : "", what);
}

static void join(char out[PATH_CHARS], const char *path, const char *key)
{
    (void)snprintf(out, PATH_CHARS, "%.120s%s%.120s", path, *path ? "." : "", key);
}

/* The beginning of what a file says: it may be any file, and a message is no place to print it. */
static const char *shorten(const char *s, char out[PATH_CHARS])
{
    size_t n = SHOWN_CHARS;
    if (strlen(s) <= n) return s;
    while (n > 0 && ((unsigned char)s[n] & 0xC0) == 0x80) n--; /* not inside a character */
    (void)snprintf(out, PATH_CHARS, "%.*s...", (int)n, s);
    return out;
}

static const char *found(const node *v, char out[PATH_CHARS])
{
    char value[PATH_CHARS];
    if (v->kind == MAPPING)
        (void)snprintf(out, PATH_CHARS, "a mapping");
    else if (v->kind == SEQUENCE)
        (void)snprintf(out, PATH_CHARS, "a sequence of %zu", v->n);
    else if (v->quoted)
        (void)snprintf(out, PATH_CHARS, "\"%.100s\"", shorten(v->text, value));
    else
        (void)snprintf(out, PATH_CHARS, "%.100s", *v->text ? shorten(v->text, value) : "nothing");
    return out;
}

/* ---- from libyaml's events to nodes ---- */

typedef struct reading {
    mt_arena *arena;
    yaml_parser_t *parser;
    const char *origin;
    size_t first_line; /* 1 for a file, 0 for text without lines */
} reading;

static char *copy_text(mt_arena *arena, const char *s, size_t n)
{
    char *copy = mt_arena_take(arena, n + 1, 1);
    if (copy) memcpy(copy, s, n);
    return copy;
}

static size_t line_of(const reading *r, yaml_mark_t mark)
{
    return r->first_line ? mark.line + r->first_line : 0;
}

/* To be deleted by the caller. */
static mt_status next_event(const reading *r, yaml_event_t *event)
{
    if (yaml_parser_parse(r->parser, event)) return MT_OK;
    if (r->parser->error == YAML_MEMORY_ERROR)
        return mt_fail(MT_MEMORY, "out of memory while reading %s", r->origin);
    return complain(r->origin, line_of(r, r->parser->problem_mark), "", "not YAML: %s", r->parser->problem);
}

static mt_status take_node(const reading *r, const yaml_event_t *event, size_t depth, node **out);

static mt_status take_scalar(const reading *r, const yaml_event_t *from, node *v)
{
    const char *s = (const char *)from->data.scalar.value;
    size_t n = from->data.scalar.length;
    if (memchr(s, 0, n)) return complain(r->origin, v->line, "", "a zero byte inside a value");
    v->kind = SCALAR;
    v->quoted = from->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    v->text = copy_text(r->arena, s, n);
    return v->text ? MT_OK : MT_MEMORY;
}

/* The next node, or *out = NULL where the mapping or sequence ends. */
static mt_status take_next(const reading *r, size_t depth, node **out)
{
    yaml_event_t event;
    *out = NULL;
    MT_TRY(next_event(r, &event));
    mt_status status = MT_OK;
    if (event.type != YAML_MAPPING_END_EVENT && event.type != YAML_SEQUENCE_END_EVENT)
        status = take_node(r, &event, depth, out);
    yaml_event_delete(&event);
    return status;
}

static int by_key(const void *left, const void *right)
{
    const node *const *a = left;
    const node *const *b = right;
    const int order = strcmp((*a)->key, (*b)->key);
    return order != 0 ? order : (*a)->number < (*b)->number ? -1 : (*a)->number > (*b)->number;
}

/* The message is for the first one that stands there again. */
static mt_status check_keys_differ(const reading *r, const node *v)
{
    char shown[PATH_CHARS];
    const node **sorted, *again = NULL;
    size_t n = 0, first_line = 0;
    if (v->n < 2) return MT_OK;
    MT_TAKE(r->arena, sorted, v->n);
    for (const node *c = v->first; c; c = c->next) sorted[n++] = c;
    qsort(sorted, n, sizeof *sorted, by_key);
    for (size_t i = 1; i < n; i++) {
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) != 0 || (again && sorted[i]->number > again->number))
            continue;
        again = sorted[i];
        first_line = sorted[i - 1]->key_line;
    }
    if (!again) return MT_OK;
    return complain(
        r->origin, again->key_line, shorten(again->key, shown), "given twice; first in line %zu", first_line);
}

static mt_status take_mapping(const reading *r, size_t depth, node *v)
{
    v->kind = MAPPING;
    for (;;) {
        node *key = NULL;
        node *value = NULL;
        MT_TRY(take_next(r, depth + 1, &key));
        if (!key) return check_keys_differ(r, v);
        if (key->kind != SCALAR) return complain(r->origin, key->line, "", "a key must be a word");
        MT_TRY(take_next(r, depth + 1, &value));
        value->key = key->text;
        value->key_line = key->line;
        append(v, value);
    }
}

static mt_status take_sequence(const reading *r, size_t depth, node *v)
{
    v->kind = SEQUENCE;
    for (;;) {
        node *item = NULL;
        MT_TRY(take_next(r, depth + 1, &item));
        if (!item) return MT_OK;
        append(v, item);
    }
}

/* The tag where there is one that does not say what the node is anyway; else NULL. */
static const char *strange_tag(const yaml_event_t *event)
{
    const yaml_char_t *tag = event->data.scalar.tag;
    const char *plain = YAML_DEFAULT_SCALAR_TAG;
    if (event->type == YAML_MAPPING_START_EVENT) {
        tag = event->data.mapping_start.tag;
        plain = YAML_DEFAULT_MAPPING_TAG;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        tag = event->data.sequence_start.tag;
        plain = YAML_DEFAULT_SEQUENCE_TAG;
    }
    const char *found_tag = (const char *)tag;
    return !found_tag || strcmp(found_tag, "!") == 0 || strcmp(found_tag, plain) == 0 ? NULL : found_tag;
}

static mt_status take_node(const reading *r, const yaml_event_t *event, size_t depth, node **out)
{
    char shown[PATH_CHARS];
    node *v = NULL;
    MT_TAKE(r->arena, v, 1);
    v->origin = r->origin;
    v->line = line_of(r, event->start_mark);
    v->key_line = v->line;
    if (event->type == YAML_ALIAS_EVENT)
        return complain(r->origin, v->line, "", "anchors and aliases are not allowed here");
    if (strange_tag(event))
        return complain(r->origin, v->line, "", "the tag %s; tags are not allowed here",
            shorten(strange_tag(event), shown));
    if (depth > MAX_DEPTH) return complain(r->origin, v->line, "", "nested more than %d deep", MAX_DEPTH);
    *out = v;
    if (event->type == YAML_SCALAR_EVENT) return take_scalar(r, event, v);
    return event->type == YAML_MAPPING_START_EVENT ? take_mapping(r, depth, v) : take_sequence(r, depth, v);
}

/* What begins or ends a stream or a document; *type tells which. */
static mt_status pass_event(const reading *r, yaml_event_type_t *type)
{
    yaml_event_t event;
    MT_TRY(next_event(r, &event));
    *type = event.type;
    yaml_event_delete(&event);
    return MT_OK;
}

/* The only document as nodes; *out stays NULL where there is none. */
static mt_status take_document(const reading *r, node **out)
{
    yaml_event_type_t type;
    node *second = NULL;
    MT_TRY(pass_event(r, &type));
    MT_TRY(pass_event(r, &type));
    if (type != YAML_DOCUMENT_START_EVENT) return MT_OK;
    MT_TRY(take_next(r, 0, out));
    MT_TRY(pass_event(r, &type));
    MT_TRY(pass_event(r, &type));
    if (type != YAML_DOCUMENT_START_EVENT) return MT_OK;
    MT_TRY(take_next(r, 0, &second));
    return complain(r->origin, second->line, "", "a second document; one is allowed");
}

static mt_status parse(mt_arena *arena, const char *origin, size_t first_line, const char *source, node **out)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return mt_fail(MT_MEMORY, "out of memory: no YAML parser for %s", origin);
    yaml_parser_set_input_string(&parser, (const unsigned char *)source, strlen(source));
    *out = NULL;
    const mt_status status = take_document(&(reading){arena, &parser, origin, first_line}, out);
    yaml_parser_delete(&parser);
    return status;
}

/* ---- text that is no UTF-8 ---- */

static const char unread[] =
    "\xF4\x8F\xBF\xBF"; /* stands where such a byte stood; no character has this number */

/* The path of the first value with an unread byte. */
static bool find_unread(const node *v, const char *path, char out[PATH_CHARS])
{
    if (v->kind == SCALAR && strstr(v->text, unread)) {
        (void)snprintf(out, PATH_CHARS, "%s", path);
        return true;
    }
    for (const node *c = v->first; c; c = c->next) {
        char here[PATH_CHARS], number[NUMBER_CHARS], shown[PATH_CHARS];
        (void)snprintf(number, sizeof number, "%zu", c->number);
        join(here, path, v->kind == MAPPING ? shorten(c->key, shown) : number);
        if (find_unread(c, here, out)) return true;
    }
    return false;
}

/* MT_INPUT for the byte at `bad`; looks for the key in whose value it stands. */
static mt_status complain_of_byte(mt_arena *arena, const char *origin, const char *source, const char *bad)
{
    char path[PATH_CHARS] = "";
    text mended = {.arena = arena};
    node *root = NULL;
    size_t line = 1;
    for (const char *s = source; s < bad; s++) line += *s == '\n';
    const char *from = source;
    for (const char *at = bad; at; at = no_utf8(from)) {
        put_bytes(&mended, from, (size_t)(at - from));
        put(&mended, unread);
        from = at + 1;
    }
    put(&mended, from);
    if (mended.failed) return MT_MEMORY;
    if (parse(arena, origin, 1, mended.data, &root) == MT_OK && root) (void)find_unread(root, "", path);
    return complain(origin, line, path, "the byte 0x%02X here is no character; allowed: text in UTF-8",
        (unsigned)(unsigned char)*bad);
}

/* ---- what is allowed, in words ---- */

static const mt_yaml_key *key_named(const mt_yaml_key *keys, const char *name, size_t length)
{
    for (; keys->name; keys++)
        if (strlen(keys->name) == length && memcmp(keys->name, name, length) == 0) return keys;
    return NULL;
}

static void list_keys(const mt_yaml_key *keys, char out[ALLOWED_CHARS])
{
    size_t n = 0;
    out[0] = 0;
    for (size_t i = 0; keys[i].name && n < ALLOWED_CHARS; i++)
        n += (size_t)snprintf(out + n, ALLOWED_CHARS - n, "%s%s", i ? ", " : "", keys[i].name);
}

static void range_words(mt_yaml_range r, char out[PATH_CHARS])
{
    char low[NUMBER_CHARS + 16] = "";
    char high[NUMBER_CHARS + 16] = "";
    if (r.low > -INFINITY)
        (void)snprintf(low, sizeof low, "%s %.10g", r.low_open ? "above" : "at least", r.low);
    if (r.high < INFINITY)
        (void)snprintf(high, sizeof high, "%s %.10g", r.high_open ? "below" : "at most", r.high);
    (void)snprintf(out, PATH_CHARS, "%s%s%s", low, *low && *high ? " and " : "", high);
}

static void choice_words(const char *const *choices, char out[ALLOWED_CHARS])
{
    size_t n = 0;
    out[0] = 0;
    for (size_t i = 0; choices[i] && n < ALLOWED_CHARS; i++)
        n += (size_t)snprintf(out + n, ALLOWED_CHARS - n, "%s%s", i ? ", " : "", choices[i]);
}

/* What a key takes: for a wrong type and for a missing key. */
static void allowed_words(const mt_yaml_key *key, char out[ALLOWED_CHARS])
{
    char range[PATH_CHARS];
    char inner[ALLOWED_CHARS - 64];
    range_words(key->range, range);
    const char *space = *range ? " " : "";
    switch (key->type) {
    case MT_YAML_TYPE_DOUBLE:
        (void)snprintf(out, ALLOWED_CHARS, "a number%s%s", space, range);
        return;
    case MT_YAML_TYPE_UNSIGNED:
        (void)snprintf(out, ALLOWED_CHARS, "a whole number%s%s", space, range);
        return;
    case MT_YAML_TYPE_BOOL:
        (void)snprintf(out, ALLOWED_CHARS, "true, false");
        return;
    case MT_YAML_TYPE_STRING:
        (void)snprintf(out, ALLOWED_CHARS, "a text");
        return;
    case MT_YAML_TYPE_ENUM:
        choice_words(key->choices, out);
        return;
    case MT_YAML_TYPE_DOUBLES:
        (void)snprintf(out, ALLOWED_CHARS, "%zu numbers in brackets%s%s%s", key->bytes / sizeof(double),
            *range ? ", each" : "", space, range);
        return;
    case MT_YAML_TYPE_MAPPING:
        list_keys(key->keys, out);
        (void)snprintf(inner, sizeof inner, "%.400s", out);
        (void)snprintf(out, ALLOWED_CHARS, "a mapping with %s", inner);
        return;
    case MT_YAML_TYPE_LIST:
        (void)snprintf(out, ALLOWED_CHARS, "a list of mappings, their number %s", range);
        return;
    }
}

static mt_status refuse(const node *v, const char *path, const mt_yaml_key *key)
{
    char allowed[ALLOWED_CHARS];
    char what[PATH_CHARS];
    allowed_words(key, allowed);
    return complain(v->origin, v->line, path, "%s; allowed: %s", found(v, what), allowed);
}

static mt_status refuse_value(const node *v, const char *path, mt_yaml_range range)
{
    char allowed[PATH_CHARS];
    char what[PATH_CHARS];
    range_words(range, allowed);
    return complain(v->origin, v->line, path, "%s; allowed: %s", found(v, what), allowed);
}

/* ---- overrides ---- */

/* Finds the place that "a.b.0.c" names below `root`, making mappings on the way; the key it ends at in *key
 * and in *slot a node whose content is to be replaced. */
static mt_status find_slot(mt_arena *arena, const char *origin, const char *path, size_t length,
    const mt_yaml_key *keys, node *at, const mt_yaml_key **key, node **slot)
{
    char allowed[ALLOWED_CHARS];
    for (const char *end = path + length;;) {
        size_t n = strcspn(path, ".=");
        *key = key_named(keys, path, n);
        list_keys(keys, allowed);
        if (!*key) return complain(origin, 0, "", "unknown key; allowed here: %s", allowed);
        node *child = child_named(at, path, n);
        if (!child) {
            MT_TAKE(arena, child, 1);
            *child = (node){.kind = MAPPING, .origin = origin, .key = (*key)->name};
            append(at, child);
        }
        path += n;
        if ((*key)->type == MT_YAML_TYPE_LIST && path < end) {
            char *after = NULL;
            size_t i = strtoul(path + 1, &after, 10);
            node *entry = child->kind == SEQUENCE && after > path + 1 ? child_numbered(child, i) : NULL;
            if (!entry || after >= end || *after != '.')
                return complain(origin, 0, "", "%s has %zu entries; name one by its number from 0, and a key",
                    (*key)->name, child->kind == SEQUENCE ? child->n : 0);
            child = entry;
            path = after;
        }
        *slot = child;
        if (path >= end) return MT_OK;
        if (!(*key)->keys) return complain(origin, 0, "", "%s is a value and has no keys", (*key)->name);
        if (child->kind != MAPPING) return refuse(child, (*key)->name, *key);
        keys = (*key)->keys;
        at = child;
        path++;
    }
}

/* A node from the text of a value: scalars as they are, everything else through the parser. */
static mt_status value_node(
    mt_arena *arena, const char *origin, const mt_yaml_key *key, const char *source, node *out)
{
    bool scalar = key->type < MT_YAML_TYPE_DOUBLES;
    node *parsed = NULL;
    if (!scalar) MT_TRY(parse(arena, origin, 0, source, &parsed));
    node fresh = parsed ? *parsed : (node){.kind = SCALAR, .origin = origin, .text = source};
    fresh.key = out->key;
    fresh.next = out->next;
    *out = fresh;
    return MT_OK;
}

static mt_status apply_override(mt_arena *arena, const mt_yaml_table *table, const char *override, node *root)
{
    size_t n = strlen(override) + sizeof "--set ";
    char *origin = mt_arena_take(arena, n, 1);
    if (!origin) return MT_MEMORY;
    (void)snprintf(origin, n, "--set %s", override);
    const char *value = strchr(origin, '='), *bad = no_utf8(origin);
    if (bad) {
        const unsigned byte = (unsigned char)*bad;
        origin[(value && bad > value ? value : bad) - origin] = 0;
        return complain(origin, 0, "", "the byte 0x%02X in it is no character; allowed: text in UTF-8", byte);
    }
    if (!value) return complain(origin, 0, "", "no value; allowed: key=value");
    const char *path = origin + strlen("--set ");
    const mt_yaml_key *key = NULL;
    node *slot = NULL;
    MT_TRY(find_slot(arena, origin, path, (size_t)(value - path), table->keys, root, &key, &slot));
    return value_node(arena, origin, key, value + 1, slot);
}

/* ---- the checks; what passes is written as plain text for libcyaml ---- */

static bool number_of(const node *v, double *x)
{
    if (v->kind != SCALAR || v->quoted || !*v->text) return false;
    if (v->text[strspn(v->text, "+-.0123456789eE")]) return false;
    char *end = NULL;
    *x = strtod(v->text, &end);
    return *end == 0 && isfinite(*x);
}

static bool within(double x, mt_yaml_range r)
{
    return (r.low_open ? x > r.low : x >= r.low) && (r.high_open ? x < r.high : x <= r.high);
}

static mt_status check_number(const node *v, const char *path, const mt_yaml_key *key, text *out)
{
    double x = 0;
    if (!number_of(v, &x)) return refuse(v, path, key);
    if (key->type == MT_YAML_TYPE_UNSIGNED) {
        double most = key->bytes == 4 ? (double)UINT32_MAX : largest_unsigned;
        mt_yaml_range range = {fmax(key->range.low, 0), fmin(key->range.high, most),
            key->range.low >= 0 && key->range.low_open, key->range.high <= most && key->range.high_open};
        if (x != floor(x)) return refuse(v, path, key);
        if (!within(x, range)) return refuse_value(v, path, range);
        put_unsigned(out, (uint64_t)x);
        return MT_OK;
    }
    if (!within(x, key->range)) return refuse_value(v, path, key->range);
    put_double(out, x);
    return MT_OK;
}

static mt_status check_word(const node *v, const char *path, const mt_yaml_key *key, text *out)
{
    static const char *const truth[] = {"false", "true", NULL};
    const char *const *choices = key->type == MT_YAML_TYPE_BOOL ? truth : key->choices;
    if (v->kind != SCALAR) return refuse(v, path, key);
    for (; *choices; choices++)
        if (strcmp(*choices, v->text) == 0) break;
    if (!*choices) return refuse(v, path, key);
    if (key->type == MT_YAML_TYPE_BOOL)
        put(out, *choices);
    else
        put_quoted(out, *choices);
    return MT_OK;
}

static mt_status check_doubles(const node *v, const char *path, const mt_yaml_key *key, text *out)
{
    char here[PATH_CHARS];
    char number[NUMBER_CHARS];
    mt_yaml_key item = *key;
    item.type = MT_YAML_TYPE_DOUBLE;
    if (v->kind != SEQUENCE || v->n != key->bytes / sizeof(double)) return refuse(v, path, key);
    put(out, "[");
    size_t i = 0;
    for (const node *c = v->first; c; c = c->next, i++) {
        (void)snprintf(number, sizeof number, "%zu", i);
        join(here, path, number);
        if (i > 0) put(out, ", ");
        MT_TRY(check_number(c, here, &item, out));
    }
    put(out, "]");
    return MT_OK;
}

static mt_status check_mapping(
    mt_arena *arena, const node *v, const char *path, const mt_yaml_key *keys, text *out);

static mt_status check_list(
    mt_arena *arena, const node *v, const char *path, const mt_yaml_key *key, text *out)
{
    char here[PATH_CHARS];
    char number[NUMBER_CHARS];
    mt_yaml_key entry = {.name = key->name, .type = MT_YAML_TYPE_MAPPING, .keys = key->keys};
    if (v->kind != SEQUENCE || !within((double)v->n, key->range)) return refuse(v, path, key);
    put(out, "[");
    size_t i = 0;
    for (const node *c = v->first; c; c = c->next, i++) {
        (void)snprintf(number, sizeof number, "%zu", i);
        join(here, path, number);
        if (i > 0) put(out, ", ");
        if (c->kind != MAPPING) return refuse(c, here, &entry);
        MT_TRY(check_mapping(arena, c, here, key->keys, out));
    }
    put(out, "]");
    return MT_OK;
}

static mt_status check_value(
    mt_arena *arena, const node *v, const char *path, const mt_yaml_key *key, text *out)
{
    switch (key->type) {
    case MT_YAML_TYPE_DOUBLE:
    case MT_YAML_TYPE_UNSIGNED:
        return check_number(v, path, key, out);
    case MT_YAML_TYPE_BOOL:
    case MT_YAML_TYPE_ENUM:
        return check_word(v, path, key, out);
    case MT_YAML_TYPE_STRING:
        if (v->kind != SCALAR) return refuse(v, path, key);
        put_quoted(out, v->text);
        return MT_OK;
    case MT_YAML_TYPE_DOUBLES:
        return check_doubles(v, path, key, out);
    case MT_YAML_TYPE_MAPPING:
        if (v->kind != MAPPING) return refuse(v, path, key);
        return check_mapping(arena, v, path, key->keys, out);
    case MT_YAML_TYPE_LIST:
        break;
    }
    return check_list(arena, v, path, key, out);
}

/* Not a number, or no text, as libcyaml reads them. */
static void put_none(const mt_yaml_key *key, text *out)
{
    if (key->type == MT_YAML_TYPE_STRING)
        put(out, "\"\"");
    else if (key->type == MT_YAML_TYPE_DOUBLE)
        put(out, "nan");
    else
        for (size_t i = 0; i <= key->bytes / sizeof(double); i++)
            put(out, i == 0 ? "[nan" : i < key->bytes / sizeof(double) ? ", nan" : "]");
}

/* A key that is not there: its default, an empty list, a mapping of defaults, or an error. */
static mt_status check_absent(
    mt_arena *arena, const node *parent, const char *path, const mt_yaml_key *key, text *out)
{
    node made = {.kind = MAPPING, .origin = parent->origin, .line = parent->line};
    if (key->type == MT_YAML_TYPE_MAPPING) return check_mapping(arena, &made, path, key->keys, out);
    made.kind = SEQUENCE;
    if (key->type == MT_YAML_TYPE_LIST && within(0, key->range))
        return check_list(arena, &made, path, key, out);
    if (key->missing == mt_yaml_none) {
        put_none(key, out);
        return MT_OK;
    }
    if (key->missing) {
        MT_TRY(value_node(arena, parent->origin, key, key->missing, &made));
        made.line = parent->line;
        return check_value(arena, &made, path, key, out);
    }
    char allowed[ALLOWED_CHARS];
    allowed_words(key, allowed);
    if (parent->line == 0)
        return complain(parent->origin, 0, "", "%s is missing; allowed: %s", path, allowed);
    return complain(parent->origin, parent->line, path, "missing; allowed: %s", allowed);
}

static mt_status check_mapping(
    mt_arena *arena, const node *v, const char *path, const mt_yaml_key *keys, text *out)
{
    char here[PATH_CHARS];
    char allowed[ALLOWED_CHARS];
    char shown[PATH_CHARS];
    for (const node *c = v->first; c; c = c->next) {
        if (key_named(keys, c->key, strlen(c->key))) continue;
        join(here, path, shorten(c->key, shown));
        list_keys(keys, allowed);
        return complain(c->origin, c->key_line, here, "unknown key; allowed here: %s", allowed);
    }
    put(out, "{");
    for (const mt_yaml_key *key = keys; key->name; key++) {
        const node *c = child_named(v, key->name, strlen(key->name));
        join(here, path, key->name);
        if (key > keys) put(out, ", ");
        put(out, key->name);
        put(out, ": ");
        if (c)
            MT_TRY(check_value(arena, c, here, key, out));
        else
            MT_TRY(check_absent(arena, v, here, key, out));
    }
    put(out, "}");
    return MT_OK;
}

/* ---- libcyaml ---- */

/* libcyaml's memory, in an arena: freeing does nothing, the size stands in front. It lets a list grow by one entry at a
 * time, and what is outgrown stays in the arena: so what grows gets twice as much. */
static void *arena_memory(void *context, void *pointer, size_t size)
{
    enum { HEADER = 64 };
    if (size == 0 || size > SIZE_MAX - HEADER) return NULL;
    size_t before = 0;
    if (pointer) memcpy(&before, (char *)pointer - HEADER, sizeof before);
    if (size <= before) return pointer;
    if (pointer && size <= (SIZE_MAX - HEADER) / 2) size *= 2;
    char *block = mt_arena_take(context, 1, size + HEADER);
    if (!block) return NULL;
    memcpy(block, &size, sizeof size);
    if (pointer) memcpy(block + HEADER, pointer, before);
    return block + HEADER;
}

static mt_status make_fields(
    mt_arena *arena, const mt_yaml_key *keys, size_t bytes, cyaml_schema_field_t **out);

static mt_status make_enum(mt_arena *arena, const mt_yaml_key *key, cyaml_schema_value_t *value)
{
    size_t n = 0;
    cyaml_strval_t *strings = NULL;
    while (key->choices[n]) n++;
    MT_TAKE(arena, strings, n);
    for (size_t i = 0; i < n; i++) strings[i] = (cyaml_strval_t){key->choices[i], (int64_t)i};
    value->type = CYAML_ENUM;
    value->flags = CYAML_FLAG_STRICT;
    value->enumeration.strings = strings;
    value->enumeration.count = (uint32_t)n;
    return MT_OK;
}

/* A sequence of `count` doubles, or of any number of mappings of `bytes`. */
static mt_status make_sequence(mt_arena *arena, const mt_yaml_key *key, cyaml_schema_value_t *value)
{
    cyaml_schema_value_t *entry = NULL;
    cyaml_schema_field_t *fields = NULL;
    MT_TAKE(arena, entry, 1);
    value->sequence.entry = entry;
    if (key->type == MT_YAML_TYPE_DOUBLES) {
        *entry = (cyaml_schema_value_t){.type = CYAML_FLOAT, .data_size = sizeof(double)};
        value->type = CYAML_SEQUENCE_FIXED;
        value->sequence.min = value->sequence.max = (uint32_t)(key->bytes / sizeof(double));
        value->data_size = sizeof(double);
        return MT_OK;
    }
    MT_TRY(make_fields(arena, key->keys, key->bytes, &fields));
    *entry = (cyaml_schema_value_t){
        .type = CYAML_MAPPING, .data_size = (uint32_t)key->bytes, .mapping.fields = fields};
    value->type = CYAML_SEQUENCE;
    value->flags = CYAML_FLAG_POINTER;
    value->sequence.max = CYAML_UNLIMITED;
    return MT_OK;
}

static mt_status make_value(
    mt_arena *arena, const mt_yaml_key *key, size_t bytes, cyaml_schema_value_t *value)
{
    cyaml_schema_field_t *fields = NULL;
    value->data_size = (uint32_t)key->bytes;
    switch (key->type) {
    case MT_YAML_TYPE_DOUBLE:
        value->type = CYAML_FLOAT;
        return MT_OK;
    case MT_YAML_TYPE_UNSIGNED:
        value->type = CYAML_UINT;
        return MT_OK;
    case MT_YAML_TYPE_BOOL:
        value->type = CYAML_BOOL;
        return MT_OK;
    case MT_YAML_TYPE_STRING:
        value->type = CYAML_STRING;
        value->flags = CYAML_FLAG_POINTER;
        value->data_size = sizeof(char);
        value->string.max = CYAML_UNLIMITED;
        return MT_OK;
    case MT_YAML_TYPE_ENUM:
        return make_enum(arena, key, value);
    case MT_YAML_TYPE_MAPPING:
        MT_TRY(make_fields(arena, key->keys, bytes, &fields));
        value->type = CYAML_MAPPING;
        value->data_size = (uint32_t)bytes;
        value->mapping.fields = fields;
        return MT_OK;
    case MT_YAML_TYPE_DOUBLES:
    case MT_YAML_TYPE_LIST:
        break;
    }
    return make_sequence(arena, key, value);
}

static mt_status make_fields(
    mt_arena *arena, const mt_yaml_key *keys, size_t bytes, cyaml_schema_field_t **out)
{
    size_t n = 0;
    cyaml_schema_field_t *fields = NULL;
    while (keys[n].name) n++;
    MT_TAKE(arena, fields, n + 1);
    for (size_t i = 0; i < n; i++) {
        fields[i].key = keys[i].name;
        fields[i].data_offset = (uint32_t)keys[i].offset;
        fields[i].count_offset = (uint32_t)keys[i].count_offset;
        fields[i].count_size = keys[i].type == MT_YAML_TYPE_LIST ? sizeof(size_t) : 0;
        MT_TRY(make_value(arena, &keys[i], bytes, &fields[i].value));
    }
    *out = fields;
    return MT_OK;
}

static mt_status load_plain(
    mt_arena *arena, mt_arena *scratch, const mt_yaml_table *table, const text *plain, void *out)
{
    cyaml_schema_field_t *fields = NULL;
    MT_TRY(make_fields(scratch, table->keys, table->bytes, &fields));
    cyaml_schema_value_t root = {.type = CYAML_MAPPING,
        .flags = CYAML_FLAG_POINTER,
        .data_size = (uint32_t)table->bytes,
        .mapping.fields = fields};
    cyaml_config_t config = {.mem_fn = arena_memory, .mem_ctx = arena, .log_level = CYAML_LOG_ERROR};
    void *loaded = NULL;
    cyaml_err_t error =
        cyaml_load_data((const uint8_t *)plain->data, plain->n, &config, &root, &loaded, NULL);
    if (error == CYAML_ERR_OOM) return mt_fail(MT_MEMORY, "out of memory while loading YAML");
    if (error != CYAML_OK || !loaded)
        return mt_fail(MT_INPUT, "libcyaml: %s in %.600s", cyaml_strerror(error), plain->data);
    memcpy(out, loaded, table->bytes);
    return MT_OK;
}

static mt_status read_within(mt_arena *arena, mt_arena *scratch, const char *name, const char *source,
    const mt_yaml_table *table, const char *const *overrides, size_t n_overrides, void *out)
{
    node *root = NULL;
    text plain = {.arena = scratch};
    const char *bad = no_utf8(source);
    if (bad) return complain_of_byte(scratch, name, source, bad);
    MT_TRY(parse(scratch, name, 1, source, &root));
    if (!root) {
        MT_TAKE(scratch, root, 1);
        *root = (node){.kind = MAPPING, .origin = name, .line = 1};
    }
    char what[PATH_CHARS];
    if (root->kind != MAPPING)
        return complain(name, root->line, "", "%s; allowed: lines of key: value", found(root, what));
    for (size_t i = 0; i < n_overrides; i++) MT_TRY(apply_override(scratch, table, overrides[i], root));
    MT_TRY(check_mapping(scratch, root, "", table->keys, &plain));
    if (plain.failed) return MT_MEMORY;
    return load_plain(arena, scratch, table, &plain, out);
}

mt_status mt_yaml_read(mt_arena *arena, const char *name, const char *source, const mt_yaml_table *table,
    const char *const *overrides, size_t n_overrides, void *out)
{
    mt_arena scratch = {0};
    mt_status status = read_within(arena, &scratch, name, source, table, overrides, n_overrides, out);
    mt_arena_free(&scratch);
    return status;
}

/* Devices may give bytes for ever; a terminal gives what is typed. */
static mt_status check_kind(FILE *file, const char *path)
{
    struct stat info;
    if (fstat(fileno(file), &info) != 0) return mt_fail(MT_FILE, "%s: %s", path, strerror(errno));
    if (S_ISREG(info.st_mode) || S_ISFIFO(info.st_mode) || isatty(fileno(file))) return MT_OK;
    return mt_fail(MT_INPUT, "%s: %s; allowed: a file, or a pipe", path,
        S_ISDIR(info.st_mode) ? "a folder" : "not a regular file");
}

/* The whole file in `arena`, with a NUL behind it. */
static mt_status read_whole(mt_arena *arena, FILE *file, const char *path, const char **out)
{
    text t = {.arena = arena};
    char piece[4096];
    size_t n = 0;
    put(&t, "");
    while (t.n <= MT_YAML_BYTES_MAX && (n = fread(piece, 1, sizeof piece, file)) > 0) put_bytes(&t, piece, n);
    if (ferror(file)) return mt_fail(MT_FILE, "%s: cannot be read", path);
    if (t.failed) return MT_MEMORY;
    if (t.n > MT_YAML_BYTES_MAX)
        return mt_fail(MT_INPUT,
            "%s: more than %d bytes; allowed: at most so many, for such files are written by hand and what "
            "is "
            "larger is something else (a mesh, a result)",
            path, MT_YAML_BYTES_MAX);
    if (memchr(t.data, 0, t.n)) return mt_fail(MT_INPUT, "%s: not a text (it holds a zero byte)", path);
    *out = t.data;
    return MT_OK;
}

static mt_status slurp(mt_arena *arena, const char *path, const char **out)
{
    FILE *file = fopen(path, "rb");
    if (!file) return mt_fail(MT_FILE, "%s: %s", path, strerror(errno));
    mt_status status = check_kind(file, path);
    if (status == MT_OK) status = read_whole(arena, file, path, out);
    (void)fclose(file);
    return status;
}

mt_status mt_yaml_load(mt_arena *arena, const char *path, const mt_yaml_table *table,
    const char *const *overrides, size_t n_overrides, void *out)
{
    mt_arena scratch = {0};
    const char *source = NULL;
    mt_status status = slurp(&scratch, path, &source);
    if (status == MT_OK) status = mt_yaml_read(arena, path, source, table, overrides, n_overrides, out);
    mt_arena_free(&scratch);
    return status;
}

/* ---- writing ---- */

static void write_keys(text *t, const mt_yaml_key *keys, const char *base, size_t indent, bool dash);

static void put_indent(text *t, size_t n)
{
    while (n-- > 0) put(t, " ");
}

static void write_doubles(text *t, const mt_yaml_key *key, const char *at)
{
    put(t, "[");
    for (size_t i = 0; i < key->bytes / sizeof(double); i++) {
        double x = 0;
        memcpy(&x, at + i * sizeof x, sizeof x);
        if (i > 0) put(t, ", ");
        put_double(t, x);
    }
    put(t, "]");
}

static void write_scalar(text *t, const mt_yaml_key *key, const char *at)
{
    if (key->type == MT_YAML_TYPE_DOUBLES) {
        write_doubles(t, key, at);
    } else if (key->type == MT_YAML_TYPE_DOUBLE) {
        double x = 0;
        memcpy(&x, at, sizeof x);
        put_double(t, x);
    } else if (key->type == MT_YAML_TYPE_UNSIGNED) {
        uint32_t small = 0;
        uint64_t x = 0;
        memcpy(&small, at, sizeof small);
        if (key->bytes == sizeof x) memcpy(&x, at, sizeof x);
        put_unsigned(t, key->bytes == sizeof x ? x : small);
    } else if (key->type == MT_YAML_TYPE_BOOL) {
        bool x = false;
        memcpy(&x, at, sizeof x);
        put(t, x ? "true" : "false");
    } else if (key->type == MT_YAML_TYPE_ENUM) {
        int x = 0;
        memcpy(&x, at, sizeof x);
        put(t, key->choices[x]);
    } else {
        const char *x = NULL;
        memcpy(&x, at, sizeof x);
        put_quoted(t, x);
    }
}

static void write_list(text *t, const mt_yaml_key *key, const char *base, size_t indent)
{
    const char *entries = NULL;
    size_t n = 0;
    memcpy(&entries, base + key->offset, sizeof entries);
    memcpy(&n, base + key->count_offset, sizeof n);
    put(t, n > 0 ? "\n" : " []\n");
    for (size_t i = 0; i < n; i++) write_keys(t, key->keys, entries + i * key->bytes, indent + 4, true);
}

/* Was a key that may be left out left out? */
static bool is_none(const mt_yaml_key *key, const char *at)
{
    if (key->missing != mt_yaml_none) return false;
    if (key->type == MT_YAML_TYPE_STRING) {
        const char *x = NULL;
        memcpy(&x, at, sizeof x);
        return !*x;
    }
    double x = 0;
    memcpy(&x, at, sizeof x);
    return isnan(x);
}

/* One line a key; with `dash` the first stands behind "- ". */
static void write_keys(text *t, const mt_yaml_key *keys, const char *base, size_t indent, bool dash)
{
    for (const mt_yaml_key *key = keys; key->name; key++) {
        if (is_none(key, base + key->offset)) continue;
        put_indent(t, dash ? indent - 2 : indent);
        if (dash) put(t, "- ");
        dash = false;
        put(t, key->name);
        put(t, ":");
        if (key->type == MT_YAML_TYPE_MAPPING) {
            put(t, "\n");
            write_keys(t, key->keys, base, indent + 2, false);
        } else if (key->type == MT_YAML_TYPE_LIST) {
            write_list(t, key, base, indent);
        } else {
            put(t, " ");
            write_scalar(t, key, base + key->offset);
            put(t, "\n");
        }
    }
}

mt_status mt_yaml_write(mt_arena *arena, const mt_yaml_table *table, const void *structure, const char **out)
{
    text t = {.arena = arena};
    put(&t, "");
    write_keys(&t, table->keys, structure, 0, false);
    if (t.failed) return MT_MEMORY;
    *out = t.data;
    return MT_OK;
}
