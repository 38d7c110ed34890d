#include "data/yaml/yaml_fill.h"

#include <assert.h>
#include <string.h>

#include "data/core/number.h"
#include "data/core/progress.h"
#include "data/yaml/yaml_words.h"

static const double largest_unsigned = 9007199254740992.0; /* 2^53; integers are exact up to here */

typedef struct filling {
    mt_arena *arena, *scratch;
} filling;

static mt_status fill_mapping(
    const filling *f, const mt_yaml_node *v, const char *path, const mt_yaml_key *keys, char *base);

/* ---- scalars ---- */

static bool is_within(double x, mt_yaml_range r)
{
    return (r.low_open ? x > r.low : x >= r.low) && (r.high_open ? x < r.high : x <= r.high);
}

static bool is_number(const mt_yaml_node *v, double *x)
{
    return v->kind == MT_YAML_IS_SCALAR && !v->quoted && mt_number_read(v->text, x);
}

/* True if the value is one of the key's names of numbers. */
static bool is_named(const mt_yaml_node *v, const mt_yaml_key *key, double *x)
{
    if (v->kind != MT_YAML_IS_SCALAR) return false;
    for (const mt_named_number *named = key->named; named && named->name; named++)
        if (strcmp(v->text, named->name) == 0) {
            *x = named->number;
            return true;
        }
    return false;
}

static mt_status fill_double(const mt_yaml_node *v, const char *path, const mt_yaml_key *key, char *to)
{
    double x;
    if (!is_named(v, key, &x) && !is_number(v, &x)) return mt_yaml_refuse(v, path, key);
    if (!is_within(x, key->range)) return mt_yaml_refuse_number(v, path, key->range);
    memcpy(to, &x, sizeof x);
    return MT_OK;
}

static mt_status fill_unsigned(const mt_yaml_node *v, const char *path, const mt_yaml_key *key, char *to)
{
    const double most = key->bytes == sizeof(uint32_t) ? (double)UINT32_MAX : largest_unsigned;
    const mt_yaml_range range = {fmax(key->range.low, 0), fmin(key->range.high, most),
        key->range.low >= 0 && key->range.low_open, key->range.high <= most && key->range.high_open};
    double x;
    if (!is_number(v, &x) || x != floor(x)) return mt_yaml_refuse(v, path, key);
    if (!is_within(x, range)) return mt_yaml_refuse_number(v, path, range);
    const uint64_t large = (uint64_t)x;
    const uint32_t small = (uint32_t)x;
    memcpy(to, key->bytes == sizeof small ? (const void *)&small : &large, key->bytes);
    return MT_OK;
}

static mt_status fill_bool(const mt_yaml_node *v, const char *path, const mt_yaml_key *key, char *to)
{
    const bool yes = v->kind == MT_YAML_IS_SCALAR && strcmp(v->text, "true") == 0;
    if (!yes && (v->kind != MT_YAML_IS_SCALAR || strcmp(v->text, "false") != 0))
        return mt_yaml_refuse(v, path, key);
    memcpy(to, &yes, key->bytes);
    return MT_OK;
}

static mt_status fill_word(const mt_yaml_node *v, const char *path, const mt_yaml_key *key, char *base)
{
    const char *word = NULL;
    int i = 0;
    if (v->kind == MT_YAML_IS_SCALAR)
        while ((word = mt_yaml_word(key, base, (size_t)i)) != NULL && strcmp(word, v->text) != 0) i++;
    if (!word) return mt_yaml_refuse_word(v, path, key, base);
    memcpy(base + key->offset, &i, key->bytes);
    return MT_OK;
}

/* Sets the bit of a word in the numbers at `to`. */
static void add_word(const mt_yaml_key *key, size_t i, char *to)
{
    (void)key; /* read by the assertion only */
    uint32_t bits;
    assert(i / 32 < key->bytes / sizeof bits);
    memcpy(&bits, to + i / 32 * sizeof bits, sizeof bits);
    bits |= (uint32_t)1 << i % 32;
    memcpy(to + i / 32 * sizeof bits, &bits, sizeof bits);
}

static mt_status fill_words(const mt_yaml_node *v, const char *path, const mt_yaml_key *key, char *base)
{
    char here[MT_YAML_WORDS];
    if (v->kind != MT_YAML_IS_SEQUENCE) return mt_yaml_refuse(v, path, key);
    memset(base + key->offset, 0, key->bytes);
    for (const mt_yaml_node *c = v->first; c; c = c->next) {
        const char *word = NULL;
        size_t i = 0;
        if (c->kind == MT_YAML_IS_SCALAR)
            while ((word = mt_yaml_word(key, base, i)) != NULL && strcmp(word, c->text) != 0) i++;
        mt_yaml_join_number(here, path, c->number);
        if (!word) return mt_yaml_refuse_word(c, here, key, base);
        add_word(key, i, base + key->offset);
    }
    return MT_OK;
}

static mt_status fill_string(mt_arena *arena, const char *text, char *to)
{
    char *copy;
    MT_ALLOC(arena, copy, strlen(text) + 1);
    (void)strcpy(copy, text);
    memcpy(to, &copy, sizeof copy);
    return MT_OK;
}

/* Stores a text and opens the object that it names. */
static mt_status fill_opened(
    const filling *f, const mt_yaml_node *v, const char *path, const mt_yaml_key *key, char *base)
{
    MT_TRY(fill_string(f->arena, v->text, base + key->offset));
    const mt_status status = key->opener ? key->opener->open(f->arena, base) : MT_OK;
    return status == MT_INPUT ? mt_yaml_fail(v->at, path, "%s", mt_message()) : status;
}

/* ---- mappings, lists and arrays ---- */

/* Stores a word, or fills a mapping; without a word the text is "". */
static mt_status fill_either(
    const filling *f, const mt_yaml_node *v, const char *path, const mt_yaml_key *key, char *base)
{
    const mt_yaml_node none = {.kind = MT_YAML_IS_MAPPING, .at = v->at};
    const bool word = v->kind == MT_YAML_IS_SCALAR;
    const char *const *choice = key->choices;
    while (word && *choice && strcmp(*choice, v->text) != 0) choice++;
    if (v->kind == MT_YAML_IS_SEQUENCE || (word && !*choice)) return mt_yaml_refuse(v, path, key);
    MT_TRY(fill_string(f->arena, word ? *choice : "", base + key->offset));
    return fill_mapping(f, word ? &none : v, path, key->keys, base);
}

/* Fills an array from all children of a sequence; numbers of `bytes` bytes each: double, or uint32_t. */
static mt_status fill_each(
    const mt_yaml_node *v, const char *path, const mt_yaml_key *key, size_t bytes, char *to)
{
    const bool whole = bytes == sizeof(uint32_t);
    char here[MT_YAML_WORDS];
    mt_yaml_key item = *key;
    item.type = whole ? MT_YAML_TYPE_UNSIGNED : MT_YAML_TYPE_DOUBLE;
    item.bytes = bytes;
    for (const mt_yaml_node *c = v->first; c; c = c->next, to += bytes) {
        mt_yaml_join_number(here, path, c->number);
        MT_TRY(whole ? fill_unsigned(c, here, &item, to) : fill_double(c, here, &item, to));
    }
    return MT_OK;
}

static mt_status fill_doubles(const mt_yaml_node *v, const char *path, const mt_yaml_key *key, char *to)
{
    if (v->kind != MT_YAML_IS_SEQUENCE || v->n != key->bytes / sizeof(double))
        return mt_yaml_refuse(v, path, key);
    return fill_each(v, path, key, sizeof(double), to);
}

static mt_status fill_numbers(
    const filling *f, const mt_yaml_node *v, const char *path, const mt_yaml_key *key, char *base)
{
    char *numbers;
    if (v->kind != MT_YAML_IS_SEQUENCE) return mt_yaml_refuse(v, path, key);
    numbers = mt_arena_alloc(f->arena, v->n, key->bytes);
    if (!numbers) return MT_MEMORY;
    memcpy(base + key->offset, &numbers, sizeof numbers);
    memcpy(base + key->count_offset, &v->n, sizeof v->n);
    return fill_each(v, path, key, key->bytes, numbers);
}

static mt_status fill_sets(
    const filling *f, const mt_yaml_node *v, const char *path, const mt_yaml_key *key, char *base)
{
    char here[MT_YAML_WORDS];
    mt_yaml_override *sets;
    if (v->kind != MT_YAML_IS_SEQUENCE) return mt_yaml_refuse(v, path, key);
    MT_ALLOC(f->arena, sets, v->n);
    memcpy(base + key->offset, &sets, sizeof sets);
    memcpy(base + key->count_offset, &v->n, sizeof v->n);
    for (const mt_yaml_node *c = v->first; c; c = c->next, sets++) {
        mt_yaml_join_number(here, path, c->number);
        if (c->kind != MT_YAML_IS_SCALAR) return mt_yaml_refuse(c, here, key);
        MT_TRY(mt_yaml_place_text(f->arena, c->at, here, &sets->from));
        MT_TRY(fill_string(f->arena, c->text, (char *)&sets->text));
    }
    return MT_OK;
}

static mt_status fill_list(
    const filling *f, const mt_yaml_node *v, const char *path, const mt_yaml_key *key, char *base)
{
    char here[MT_YAML_WORDS], *entries;
    const mt_yaml_key entry = {.type = MT_YAML_TYPE_MAPPING, .keys = key->keys};
    if (v->kind != MT_YAML_IS_SEQUENCE || !is_within((double)v->n, key->range))
        return mt_yaml_refuse(v, path, key);
    entries = mt_arena_alloc(f->arena, v->n, key->bytes);
    if (!entries) return MT_MEMORY;
    memcpy(base + key->offset, &entries, sizeof entries);
    memcpy(base + key->count_offset, &v->n, sizeof v->n);
    for (const mt_yaml_node *c = v->first; c; c = c->next, entries += key->bytes) {
        mt_yaml_join_number(here, path, c->number);
        if (c->kind != MT_YAML_IS_MAPPING) return mt_yaml_refuse(c, here, &entry);
        MT_TRY(fill_mapping(f, c, here, key->keys, entries));
    }
    return MT_OK;
}

static mt_status fill_value(
    const filling *f, const mt_yaml_node *v, const char *path, const mt_yaml_key *key, char *base)
{
    char *to = base + key->offset;
    switch (key->type) {
    case MT_YAML_TYPE_DOUBLE:
        return fill_double(v, path, key, to);
    case MT_YAML_TYPE_UNSIGNED:
        return fill_unsigned(v, path, key, to);
    case MT_YAML_TYPE_BOOL:
        return fill_bool(v, path, key, to);
    case MT_YAML_TYPE_ENUM:
        return fill_word(v, path, key, base);
    case MT_YAML_TYPE_WORDS:
        return fill_words(v, path, key, base);
    case MT_YAML_TYPE_STRING:
        if (v->kind != MT_YAML_IS_SCALAR) return mt_yaml_refuse(v, path, key);
        return fill_opened(f, v, path, key, base);
    case MT_YAML_TYPE_DOUBLES:
        return fill_doubles(v, path, key, to);
    case MT_YAML_TYPE_NUMBERS:
        return fill_numbers(f, v, path, key, base);
    case MT_YAML_TYPE_SETS:
        return fill_sets(f, v, path, key, base);
    case MT_YAML_TYPE_MAPPING:
        if (v->kind != MT_YAML_IS_MAPPING) return mt_yaml_refuse(v, path, key);
        return fill_mapping(f, v, path, key->keys, base);
    case MT_YAML_TYPE_EITHER:
        return fill_either(f, v, path, key, base);
    case MT_YAML_TYPE_LIST:
        break;
    }
    return fill_list(f, v, path, key, base);
}

/* ---- omitted keys ---- */

/* Stores the value of an omitted MT_YAML_NONE: NaN, an empty text, or no word. */
static mt_status fill_none(const filling *f, const mt_yaml_key *key, char *to)
{
    const double nan = NAN;
    const int no_word = -1;
    if (key->type == MT_YAML_TYPE_ENUM) {
        memcpy(to, &no_word, sizeof no_word);
        return MT_OK;
    }
    if (key->type == MT_YAML_TYPE_STRING) return fill_string(f->arena, "", to);
    for (size_t i = 0; i < key->bytes / sizeof nan; i++) memcpy(to + i * sizeof nan, &nan, sizeof nan);
    return MT_OK;
}

static mt_status refuse_absence(
    mt_yaml_place at, const char *path, const mt_yaml_key *key, const void *structure)
{
    char allowed[MT_YAML_WORDS];
    mt_yaml_allowed_words(key, structure, allowed);
    if (at.line == 0) return mt_yaml_fail(at, "", "%s is missing; allowed: %s", path, allowed);
    return mt_yaml_fail(at, path, "missing; allowed: %s", allowed);
}

/* Fills in the default, an empty list, or a mapping of defaults; fails if the key is required. */
static mt_status fill_absent(
    const filling *f, mt_yaml_place at, const char *path, const mt_yaml_key *key, char *base)
{
    mt_yaml_node made = {.kind = MT_YAML_IS_MAPPING, .at = at};
    if (key->type == MT_YAML_TYPE_MAPPING) return fill_mapping(f, &made, path, key->keys, base);
    if (key->type == MT_YAML_TYPE_EITHER) return fill_either(f, &made, path, key, base);
    made.kind = MT_YAML_IS_SEQUENCE;
    if (key->type == MT_YAML_TYPE_LIST && is_within(0, key->range))
        return fill_list(f, &made, path, key, base);
    if (!key->missing) return refuse_absence(at, path, key, base);
    if (strcmp(key->missing, MT_YAML_NONE) == 0) return fill_none(f, key, base + key->offset);
    MT_TRY(mt_yaml_node_set(f->scratch, at, key->missing, key->type < MT_YAML_TYPE_DOUBLES, &made));
    return fill_value(f, &made, path, key, base);
}

/* Accepts a removed key. `v` is NULL if it is absent. */
static mt_status pass_removed(
    const filling *f, const mt_yaml_node *v, const char *path, const mt_yaml_key *key)
{
    const char *place;
    if (!v) return MT_OK;
    if (v->kind != MT_YAML_IS_SCALAR) return mt_yaml_refuse(v, path, key);
    if (strcmp(v->text, key->missing) == 0) return MT_OK;
    MT_TRY(mt_yaml_place_text(f->scratch, v->at, path, &place));
    mt_warn("%s no longer used; %s", place, key->instead);
    return MT_OK;
}

static mt_status fill_mapping(
    const filling *f, const mt_yaml_node *v, const char *path, const mt_yaml_key *keys, char *base)
{
    char here[MT_YAML_WORDS];
    const mt_yaml_key *known;
    for (const mt_yaml_node *c = v->first; c; c = c->next)
        MT_TRY(mt_yaml_find_key(keys, c->key_at, path, c->key, strlen(c->key), &known));
    for (const mt_yaml_key *key = keys; key->name; key++) {
        const mt_yaml_node *c = mt_yaml_node_of(v, key);
        mt_yaml_join(here, path, key->name);
        if (c && key->old_name && c != mt_yaml_node_named(v, key->old_name) &&
            mt_yaml_node_named(v, key->old_name))
            return mt_yaml_fail(c->key_at, here, "given twice; its old name is %s", key->old_name);
        MT_TRY(key->instead ? pass_removed(f, c, here, key)
               : c          ? fill_value(f, c, here, key, base)
                            : fill_absent(f, v->at, here, key, base));
    }
    return MT_OK;
}

mt_status mt_yaml_fill(
    mt_arena *arena, mt_arena *scratch, const mt_yaml_node *mapping, const mt_yaml_key *keys, void *out)
{
    return fill_mapping(&(filling){arena, scratch}, mapping, "", keys, out);
}
