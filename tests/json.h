/* JSON parsed to a tree, and validation against a JSON Schema: slow and simple, for JSON written by this program. */
#pragma once

#include <criterion/criterion.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/arena.h"

typedef enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT } json_kind;

typedef struct json {
    json_kind kind;
    double number; /* also 0 and 1 for truth values */
    char *text;
    char *key;          /* of an object's member */
    struct json *first; /* first item of a list or an object */
    struct json *next;  /* next sibling */
} json;

static inline void *json_take(mt_arena *arena, size_t n, size_t size)
{
    void *memory = mt_arena_alloc(arena, n, size);
    cr_assert_not_null(memory);
    return memory;
}

static inline void json_blank(const char **at) { *at += strspn(*at, " \n\r\t"); }

/* Reads an escaped character; the tested programs escape only ASCII. */
static inline char json_read_escape(const char **at)
{
    char digits[5] = "";
    const char c = *++*at;
    if (c == 'n' || c == 't') return c == 'n' ? '\n' : '\t';
    if (c != 'u') return c;
    (void)strncpy(digits, *at + 1, 4);
    *at += 4;
    return (char)strtol(digits, NULL, 16);
}

static inline char *json_read_text(mt_arena *arena, const char **at)
{
    size_t n = 0;
    for (const char *end = *at + 1; *end != '"'; end++, n++) {
        if (*end == '\\') end++;
        cr_assert(*end, "unterminated text");
    }
    char *text = json_take(arena, n + 1, 1);
    (*at)++;
    for (size_t k = 0; **at != '"'; k++, (*at)++) text[k] = **at == '\\' ? json_read_escape(at) : **at;
    (*at)++;
    return text;
}

static inline json *json_read(mt_arena *arena, const char **at);

static inline void json_read_members(mt_arena *arena, const char **at, json *value, char end)
{
    json **next = &value->first;
    (*at)++, json_blank(at);
    while (**at != end) {
        char *key = NULL;
        if (end == '}') {
            key = json_read_text(arena, at);
            json_blank(at);
            cr_assert_eq(*(*at)++, ':', "before: %.40s", *at);
        }
        *next = json_read(arena, at);
        (*next)->key = key;
        next = &(*next)->next;
        json_blank(at);
        if (**at == ',') {
            (*at)++, json_blank(at);
            cr_assert_neq(**at, end, "a comma before the end");
        } else
            cr_assert_eq(**at, end, "before: %.40s", *at);
    }
    (*at)++;
}

static inline json *json_read(mt_arena *arena, const char **at)
{
    json *value = json_take(arena, 1, sizeof *value);
    char *end;
    json_blank(at);
    if (**at == '{' || **at == '[') {
        value->kind = **at == '{' ? JSON_OBJECT : JSON_LIST;
        json_read_members(arena, at, value, **at == '{' ? '}' : ']');
    } else if (**at == '"') {
        value->kind = JSON_TEXT;
        value->text = json_read_text(arena, at);
    } else if (strncmp(*at, "null", 4) == 0) {
        *at += 4;
    } else if (strncmp(*at, "true", 4) == 0 || strncmp(*at, "false", 5) == 0) {
        value->kind = JSON_BOOL, value->number = **at == 't';
        *at += **at == 't' ? 4 : 5;
    } else {
        value->kind = JSON_NUMBER;
        value->number = strtod(*at, &end);
        cr_assert(end > *at, "no value: %.40s", *at);
        *at = end;
    }
    return value;
}

/* Parses a text that consists of one value. */
static inline json *json_parse(mt_arena *arena, const char *text)
{
    const char *at = text;
    json *value = json_read(arena, &at);
    json_blank(&at);
    cr_assert_eq(*at, 0, "after the end: %.40s", at);
    return value;
}

/* Returns the member with this key, or NULL. */
/* As json_parse, and frees the text. */
static inline const json *json_parse_and_free(mt_arena *arena, char *text)
{
    const json *parsed = json_parse(arena, text);
    free(text);
    return parsed;
}

static inline const json *json_find(const json *object, const char *key)
{
    const json *member = object->first;
    while (member && strcmp(member->key, key) != 0) member = member->next;
    return member;
}

/* Returns the value at a path, keys separated by points; the test fails if it is missing. */
static inline const json *json_at(const json *value, const char *path)
{
    char key[128];
    for (const char *at = path; *at;) {
        const size_t n = strcspn(at, ".");
        (void)snprintf(key, sizeof key, "%.*s", (int)n, at);
        value = json_find(value, key);
        cr_assert_not_null(value, "no %s of %s", key, path);
        at += n + (at[n] == '.');
    }
    return value;
}

static inline double json_value(const json *value, const char *path) { return json_at(value, path)->number; }

static inline size_t json_length(const json *list)
{
    size_t n = 0;
    for (const json *item = list->first; item; item = item->next) n++;
    return n;
}

/* Returns the first object of a list that has this text under this key. */
static inline const json *json_item(const json *list, const char *key, const char *text)
{
    const json *item = list->first;
    while (item && strcmp(json_at(item, key)->text, text) != 0) item = item->next;
    cr_assert_not_null(item, "no %s '%s'", key, text);
    return item;
}

/* Iterates over the items of a list of objects. */
/* Returns the rows of one of a program's tables. */
static inline const json *json_rows(const json *tables, const char *table)
{
    return json_at(json_item(tables, "table", table), "rows");
}

static inline double json_sum(const json *list, const char *path)
{
    double sum = 0;
    for (const json *item = list->first; item; item = item->next) sum += json_value(item, path);
    return sum;
}

/* ---- JSON Schema: the keywords used by the project's schemas; any other fails the test ---- */

static char json_why[512]; /* reason of the last refusal */

static inline bool json_refuse(const char *path, const char *what)
{
    (void)snprintf(json_why, sizeof json_why, "%.300s: %.200s", path, what);
    return false;
}

static inline bool json_has_type(const json *value, const char *type)
{
    static const char *const names[] = {"null", "boolean", "number", "string", "array", "object"};
    if (strcmp(type, "integer") == 0)
        return value->kind == JSON_NUMBER && value->number == floor(value->number);
    return strcmp(type, names[value->kind]) == 0;
}

static inline bool json_obeys_type(const json *types, const json *value)
{
    if (types->kind == JSON_TEXT) return json_has_type(value, types->text);
    for (const json *type = types->first; type; type = type->next)
        if (json_has_type(value, type->text)) return true;
    return false;
}

static inline bool json_obeys(const json *root, const json *schema, const json *value, const char *path);

static inline bool json_obeys_members(
    const json *root, const json *schema, const json *value, const char *path)
{
    const json *properties = json_find(schema, "properties"), *required = json_find(schema, "required"),
               *items = json_find(schema, "items"), *more = json_find(schema, "additionalProperties");
    char below[256];
    for (const json *key = required ? required->first : NULL; key; key = key->next)
        if (!json_find(value, key->text)) return json_refuse(path, key->text);
    for (const json *member = value->first; member; member = member->next) {
        (void)snprintf(below, sizeof below, "%.120s.%.120s", path, member->key ? member->key : "item");
        const json *of = items ? items : properties ? json_find(properties, member->key) : NULL;
        if (!of && more->kind == JSON_OBJECT) of = more;
        if (!of) return json_refuse(below, "not allowed");
        if (!json_obeys(root, of, member, below)) return false;
    }
    return true;
}

static inline bool json_obeys(const json *root, const json *schema, const json *value, const char *path)
{
    static const char *const known[] = {"$schema", "$defs", "title", "description", "type", "properties",
        "required", "items", "minimum", "maximum", "const", "additionalProperties", "$ref"};
    for (const json *keyword = schema->first; keyword; keyword = keyword->next) {
        size_t k = 0;
        while (k < sizeof known / sizeof *known && strcmp(keyword->key, known[k]) != 0) k++;
        cr_assert(k < sizeof known / sizeof *known, "%s: keyword %s", path, keyword->key);
    }
    const json *reference = json_find(schema, "$ref"), *type = json_find(schema, "type"),
               *least = json_find(schema, "minimum"), *most = json_find(schema, "maximum"),
               *fixed = json_find(schema, "const");
    if (reference) {
        cr_assert(strncmp(reference->text, "#/$defs/", 8) == 0);
        return json_obeys(root, json_at(json_at(root, "$defs"), reference->text + 8), value, path);
    }
    if (type && !json_obeys_type(type, value)) return json_refuse(path, "type");
    if (least && value->number < least->number) return json_refuse(path, "minimum");
    if (most && value->number > most->number) return json_refuse(path, "maximum");
    if (fixed && (fixed->kind != value->kind || fixed->number != value->number ||
                     (fixed->kind == JSON_TEXT && strcmp(fixed->text, value->text) != 0)))
        return json_refuse(path, "const");
    if (value->kind == JSON_OBJECT)
        cr_assert_eq(json_at(schema, "additionalProperties")->number, 0); /* not a schema */
    return value->first == NULL && !json_find(schema, "required")
               ? true
               : json_obeys_members(root, schema, value, path);
}
