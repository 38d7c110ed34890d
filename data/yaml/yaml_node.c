#include "data/yaml/yaml_node.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "data/core/utf8.h"

enum { MAX_DEPTH = 32 };

/* ---- messages ---- */

mt_status mt_yaml_fail(mt_yaml_place at, const char *path, const char *format, ...)
{
    char what[2 * MT_YAML_WORDS];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (at.line == 0) return mt_fail(MT_INPUT, "%s: %s", at.origin, what);
    return mt_fail(MT_INPUT, "%s:%zu: %s%s%s", at.origin, at.line, path, *path ? ": " : "", what);
}

mt_status mt_yaml_place_text(mt_arena *arena, mt_yaml_place at, const char *path, const char **text)
{
    const size_t size = strlen(at.origin) + strlen(path) + 32;
    char *made;
    MT_ALLOC(arena, made, size);
    if (at.line == 0)
        (void)snprintf(made, size, "%s:", at.origin);
    else
        (void)snprintf(made, size, "%s:%zu: %s:", at.origin, at.line, path);
    *text = made;
    return MT_OK;
}

void mt_yaml_join(char out[MT_YAML_WORDS], const char *path, const char *key)
{
    (void)snprintf(out, MT_YAML_WORDS, "%.120s%s%.120s", path, *path ? "." : "", key);
}

void mt_yaml_join_number(char out[MT_YAML_WORDS], const char *path, size_t i)
{
    (void)snprintf(out, MT_YAML_WORDS, "%.120s%s%zu", path, *path ? "." : "", i);
}

const char *mt_yaml_found(const mt_yaml_node *v, char out[MT_YAML_WORDS])
{
    const char *quote = v->quoted ? "\"" : "";
    if (v->kind == MT_YAML_IS_MAPPING) return "a mapping";
    if (v->kind == MT_YAML_IS_SCALAR && !v->quoted && !*v->text) return "nothing";
    if (v->kind == MT_YAML_IS_SEQUENCE)
        (void)snprintf(out, MT_YAML_WORDS, "a sequence of %zu", v->n);
    else
        (void)snprintf(out, MT_YAML_WORDS, "%s%s%s", quote, mt_utf8_shown(v->text), quote);
    return out;
}

/* ---- children ---- */

void mt_yaml_node_append(mt_yaml_node *parent, mt_yaml_node *child)
{
    child->next = NULL;
    child->number = parent->n++;
    *(parent->last ? &parent->last->next : &parent->first) = child;
    parent->last = child;
}

mt_yaml_node *mt_yaml_node_named(const mt_yaml_node *mapping, const char *key)
{
    for (mt_yaml_node *c = mapping->kind == MT_YAML_IS_MAPPING ? mapping->first : NULL; c; c = c->next)
        if (strcmp(c->key, key) == 0) return c;
    return NULL;
}

mt_yaml_node *mt_yaml_node_numbered(const mt_yaml_node *sequence, size_t i)
{
    mt_yaml_node *c = sequence->kind == MT_YAML_IS_SEQUENCE ? sequence->first : NULL;
    while (c && i-- > 0) c = c->next;
    return c;
}

/* ---- from libyaml's events to nodes ---- */

typedef struct reader {
    mt_arena *arena;
    yaml_parser_t parser;
    mt_yaml_place start; /* of the source */
} reader;

static mt_yaml_place place_of(const reader *r, yaml_mark_t mark)
{
    return (mt_yaml_place){r->start.origin, r->start.line ? r->start.line + mark.line : 0};
}

static mt_status take_node(reader *r, const yaml_event_t *event, size_t depth, mt_yaml_node **out);

/* Creates the node of the next event; *out = NULL if the event ends a node, or begins or ends a document. */
static mt_status take_next(reader *r, size_t depth, mt_yaml_node **out)
{
    __attribute__((cleanup(yaml_event_delete))) yaml_event_t event = {0};
    *out = NULL;
    if (!yaml_parser_parse(&r->parser, &event)) {
        if (r->parser.error == YAML_MEMORY_ERROR)
            return mt_fail(MT_MEMORY, "out of memory while reading %s", r->start.origin);
        return mt_yaml_fail(place_of(r, r->parser.problem_mark), "", "not YAML: %s", r->parser.problem);
    }
    if (event.type == YAML_SCALAR_EVENT || event.type == YAML_ALIAS_EVENT ||
        event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT)
        return take_node(r, &event, depth, out);
    return MT_OK;
}

static mt_status take_scalar(reader *r, const yaml_event_t *event, mt_yaml_node *v)
{
    const size_t n = event->data.scalar.length;
    char *text;
    if (memchr(event->data.scalar.value, 0, n)) return mt_yaml_fail(v->at, "", "a zero byte inside a value");
    MT_ALLOC(r->arena, text, n + 1);
    memcpy(text, event->data.scalar.value, n);
    v->text = text;
    v->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    v->begin = event->start_mark.index;
    v->end = event->end_mark.index;
    return MT_OK;
}

static int by_key(const void *left, const void *right)
{
    const mt_yaml_node *const *a = left, *const *b = right;
    const int order = strcmp((*a)->key, (*b)->key);
    return order != 0 ? order : (*a)->number < (*b)->number ? -1 : (*a)->number > (*b)->number;
}

/* Refuses duplicate keys; the message names the first duplicate in the file. */
static mt_status check_keys_differ(mt_arena *arena, const mt_yaml_node *v)
{
    const mt_yaml_node **sorted, *before = NULL, *again = NULL;
    size_t n = 0;
    MT_ALLOC(arena, sorted, v->n);
    for (const mt_yaml_node *c = v->first; c; c = c->next) sorted[n++] = c;
    qsort(sorted, n, sizeof *sorted, by_key);
    for (size_t i = 1; i < n; i++) {
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) != 0 || (again && sorted[i]->number > again->number))
            continue;
        before = sorted[i - 1];
        again = sorted[i];
    }
    if (!again) return MT_OK;
    return mt_yaml_fail(
        again->key_at, mt_utf8_shown(again->key), "duplicate key; first in line %zu", before->key_at.line);
}

/* Reads the children of a mapping or a sequence. */
static mt_status take_children(reader *r, size_t depth, mt_yaml_node *v)
{
    for (;;) {
        mt_yaml_node *key = NULL, *child;
        if (v->kind == MT_YAML_IS_MAPPING) {
            MT_TRY(take_next(r, depth + 1, &key));
            if (!key) return check_keys_differ(r->arena, v);
            if (key->kind != MT_YAML_IS_SCALAR) return mt_yaml_fail(key->at, "", "a key must be a word");
        }
        MT_TRY(take_next(r, depth + 1, &child));
        if (!child) return MT_OK;
        child->key = key ? key->text : NULL;
        child->key_at = key ? key->at : child->at;
        mt_yaml_node_append(v, child);
    }
}

/* Refuses a tag that contradicts the kind of the node. */
static mt_status check_tag(const mt_yaml_node *v, const yaml_event_t *event)
{
    static const char *const usual[] = {[MT_YAML_IS_SCALAR] = YAML_DEFAULT_SCALAR_TAG,
        [MT_YAML_IS_SEQUENCE] = YAML_DEFAULT_SEQUENCE_TAG,
        [MT_YAML_IS_MAPPING] = YAML_DEFAULT_MAPPING_TAG};
    const yaml_char_t *given = v->kind == MT_YAML_IS_SCALAR     ? event->data.scalar.tag
                               : v->kind == MT_YAML_IS_SEQUENCE ? event->data.sequence_start.tag
                                                                : event->data.mapping_start.tag;
    const char *tag = (const char *)given;
    if (!tag || strcmp(tag, "!") == 0 || strcmp(tag, usual[v->kind]) == 0) return MT_OK;
    return mt_yaml_fail(v->at, "", "tag %s; tags are not allowed here", mt_utf8_shown(tag));
}

static mt_status take_node(reader *r, const yaml_event_t *event, size_t depth, mt_yaml_node **out)
{
    mt_yaml_node *v;
    MT_ALLOC(r->arena, v, 1);
    v->at = place_of(r, event->start_mark);
    v->kind = event->type == YAML_MAPPING_START_EVENT    ? MT_YAML_IS_MAPPING
              : event->type == YAML_SEQUENCE_START_EVENT ? MT_YAML_IS_SEQUENCE
                                                         : MT_YAML_IS_SCALAR;
    *out = v;
    if (event->type == YAML_ALIAS_EVENT)
        return mt_yaml_fail(v->at, "", "anchors and aliases are not allowed here");
    MT_TRY(check_tag(v, event));
    if (depth > MAX_DEPTH) return mt_yaml_fail(v->at, "", "nested more than %d levels deep", MAX_DEPTH);
    return v->kind == MT_YAML_IS_SCALAR ? take_scalar(r, event, v) : take_children(r, depth, v);
}

static void delete_parser(reader *r) { yaml_parser_delete(&r->parser); }

/* Parses the only document; *out = NULL if there is no document. */
static mt_status parse(mt_arena *arena, mt_yaml_place start, const char *source, mt_yaml_node **out)
{
    __attribute__((cleanup(delete_parser))) reader r = {.arena = arena, .start = start};
    mt_yaml_node *second;
    if (!yaml_parser_initialize(&r.parser))
        return mt_fail(MT_MEMORY, "out of memory: no YAML parser for %s", start.origin);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)source, strlen(source));
    for (int event = 0; event < 3; event++) MT_TRY(take_next(&r, 0, out));
    for (int event = 0; event < 3; event++) MT_TRY(take_next(&r, 0, &second));
    if (!second) return MT_OK;
    return mt_yaml_fail(second->at, "", "a second document; allowed: one");
}

/* ---- a text that is not UTF-8 ---- */

/* Finds the path of the value that contains this character of the source. */
static bool find_character(const mt_yaml_node *v, size_t character, const char *path, char out[MT_YAML_WORDS])
{
    if (v->kind == MT_YAML_IS_SCALAR && v->begin <= character && character < v->end) {
        (void)snprintf(out, MT_YAML_WORDS, "%s", path);
        return true;
    }
    for (const mt_yaml_node *c = v->first; c; c = c->next) {
        char here[MT_YAML_WORDS];
        if (v->kind == MT_YAML_IS_MAPPING)
            mt_yaml_join(here, path, mt_utf8_shown(c->key));
        else
            mt_yaml_join_number(here, path, c->number);
        if (find_character(c, character, here, out)) return true;
    }
    return false;
}

/* Returns MT_INPUT for the first byte that is not part of a character. To find the key of the value that contains it, the text is
 * parsed with an x in place of each such byte. */
static mt_status refuse_byte(mt_arena *arena, const char *origin, const char *source, const char *bad)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF"; /* not part of the text */
    mt_yaml_place at = {origin, 1};
    char path[MT_YAML_WORDS] = "", *repaired;
    mt_yaml_node *root;
    size_t character = 0;
    const char *from = source;
    if (strncmp(from, byte_order_mark, strlen(byte_order_mark)) == 0) from += strlen(byte_order_mark);
    for (; from < bad; from += mt_utf8_character(from, NULL), character++) at.line += *from == '\n';
    MT_ALLOC(arena, repaired, strlen(source) + 1);
    (void)strcpy(repaired, source);
    for (const char *b = repaired; (b = mt_utf8_invalid(b));) repaired[b - repaired] = 'x';
    if (parse(arena, (mt_yaml_place){origin, 1}, repaired, &root) == MT_OK && root)
        (void)find_character(root, character, "", path);
    return mt_yaml_fail(
        at, path, "invalid byte 0x%02X; allowed: text in UTF-8", (unsigned)(unsigned char)*bad);
}

mt_status mt_yaml_node_read(mt_arena *arena, const char *origin, const char *source, mt_yaml_node **root)
{
    const mt_yaml_place start = {origin, 1};
    char words[MT_YAML_WORDS];
    const char *bad = mt_utf8_invalid(source);
    if (bad) return refuse_byte(arena, origin, source, bad);
    MT_TRY(parse(arena, start, source, root));
    if (!*root) {
        MT_ALLOC(arena, *root, 1);
        **root = (mt_yaml_node){.kind = MT_YAML_IS_MAPPING, .at = start};
    }
    if ((*root)->kind == MT_YAML_IS_MAPPING) return MT_OK;
    return mt_yaml_fail((*root)->at, "", "%s; allowed: lines of key: value", mt_yaml_found(*root, words));
}

mt_status mt_yaml_node_set(
    mt_arena *arena, mt_yaml_place at, const char *source, bool scalar, mt_yaml_node *node)
{
    mt_yaml_node *parsed = NULL;
    if (!scalar) MT_TRY(parse(arena, at, source, &parsed));
    mt_yaml_node fresh =
        parsed ? *parsed : (mt_yaml_node){.kind = MT_YAML_IS_SCALAR, .at = at, .text = source};
    fresh.next = node->next;
    fresh.number = node->number;
    fresh.key = node->key;
    fresh.key_at = node->key_at;
    *node = fresh;
    return MT_OK;
}
