#include "data/yaml/yaml_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/core/progress.h"
#include "data/core/utf8.h"

/* Appends a word to a list "a, b" of n bytes; returns the new length. */
static size_t add_word(char list[MT_YAML_WORDS], size_t n, const char *word)
{
    if (n >= MT_YAML_WORDS) return n;
    return n + (size_t)snprintf(list + n, MT_YAML_WORDS - n, "%s%s", n > 0 ? ", " : "", word);
}

static void list_keys(const mt_yaml_key *keys, char out[MT_YAML_WORDS])
{
    for (size_t n = 0; keys->name; keys++)
        if (!keys->instead) n = add_word(out, n, keys->name);
}

void mt_yaml_range_words(mt_yaml_range r, char out[MT_YAML_WORDS])
{
    char low[64] = "", high[64] = "";
    if (r.low > -INFINITY)
        (void)snprintf(low, sizeof low, "%s %.10g", r.low_open ? "above" : "at least", r.low);
    if (r.high < INFINITY)
        (void)snprintf(high, sizeof high, "%s %.10g", r.high_open ? "below" : "at most", r.high);
    (void)snprintf(out, MT_YAML_WORDS, "%s%s%s", low, *low && *high ? " and " : "", high);
}

const char *mt_yaml_word(const mt_yaml_key *key, const void *structure, size_t i)
{
    return key->words ? key->words(structure, i) : key->choices[i];
}

static void list_words(const mt_yaml_key *key, const void *structure, char out[MT_YAML_WORDS])
{
    const char *word;
    for (size_t n = 0, i = 0; (word = mt_yaml_word(key, structure, i)) != NULL; i++)
        n = add_word(out, n, word);
}

/* Appends the names of numbers: ", or apex, mid, base". */
static void add_names(const mt_named_number *named, char out[MT_YAML_WORDS])
{
    const char *before = ", or ";
    for (size_t n = strlen(out); named && named->name && n < MT_YAML_WORDS; named++, before = ", ")
        n += (size_t)snprintf(out + n, MT_YAML_WORDS - n, "%s%s", before, named->name);
}

void mt_yaml_allowed_words(const mt_yaml_key *key, const void *structure, char out[MT_YAML_WORDS])
{
    char range[MT_YAML_WORDS], names[MT_YAML_WORDS];
    mt_yaml_range_words(key->range, range);
    const char *space = *range ? " " : "";
    switch (key->type) {
    case MT_YAML_TYPE_DOUBLE:
        (void)snprintf(out, MT_YAML_WORDS, "a number%s%.100s", space, range);
        add_names(key->named, out);
        return;
    case MT_YAML_TYPE_UNSIGNED:
        (void)snprintf(out, MT_YAML_WORDS, "a whole number%s%.100s", space, range);
        return;
    case MT_YAML_TYPE_BOOL:
        (void)strcpy(out, "true, false");
        return;
    case MT_YAML_TYPE_STRING:
        if (key->words)
            list_words(key, structure, out);
        else
            (void)strcpy(out, "a text");
        return;
    case MT_YAML_TYPE_ENUM:
        list_words(key, structure, out);
        return;
    case MT_YAML_TYPE_WORDS:
        list_words(key, structure, names);
        (void)snprintf(out, MT_YAML_WORDS, "any of %.400s, in brackets", names);
        return;
    case MT_YAML_TYPE_SETS:
        (void)strcpy(out, "pairs key=value in brackets");
        return;
    case MT_YAML_TYPE_NUMBERS:
        (void)snprintf(out, MT_YAML_WORDS, "%snumbers in brackets%s%s%.100s",
            key->bytes == sizeof(uint32_t) ? "whole " : "", *range ? ", each" : "", space, range);
        return;
    case MT_YAML_TYPE_DOUBLES:
        (void)snprintf(out, MT_YAML_WORDS, "%zu numbers in brackets%s%s%.100s", key->bytes / sizeof(double),
            *range ? ", each" : "", space, range);
        return;
    case MT_YAML_TYPE_MAPPING:
        list_keys(key->keys, names);
        (void)snprintf(out, MT_YAML_WORDS, "a mapping with %.400s", names);
        return;
    case MT_YAML_TYPE_EITHER:
        list_words(key, structure, range);
        list_keys(key->keys, names);
        (void)snprintf(out, MT_YAML_WORDS, "%.100s, or a mapping with %.300s", range, names);
        return;
    case MT_YAML_TYPE_LIST:
        (void)snprintf(out, MT_YAML_WORDS, "a list of mappings, their number %.100s", range);
        return;
    }
}

static bool is_called(const char *name, const char *by, size_t n)
{
    return name && strncmp(name, by, n) == 0 && name[n] == 0;
}

const char *mt_yaml_unit_ending(const char *name, size_t *ending)
{
    static const char *const units[][2] = {{"_mS_mm", "mS/mm"}, {"_uF_mm2", "µF/mm²"}, {"_uA_mm3", "µA/mm³"},
        {"_per_mm", "1/mm"}, {"_mm", "mm"}, {"_ms", "ms"}, {"_mV", "mV"}, {"_ns_per_hop", "ns"},
        {"_hz", "Hz"}, {"_bits_per_second", "bits/s"}, {"_bytes_per_second", "bytes/s"},
        {"bytes_per_cycle", "bytes/cycle"}, {"bytes_per_tile", "bytes"}, {"_bytes", "bytes"},
        {"_cycles", "tile cycles"}, {"_words", "words"}};
    const size_t length = strlen(name);
    *ending = 0;
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        const size_t n = strlen(units[k][0]);
        if (length < n || strcmp(name + length - n, units[k][0]) != 0) continue;
        *ending = n;
        return units[k][1];
    }
    return "";
}

const char *mt_yaml_unit(const mt_yaml_key *key)
{
    size_t ending;
    return key->unit ? key->unit : mt_yaml_unit_ending(key->name, &ending);
}

/* Finds the key at a path, and collects the flags of the keys along the path. */
static const mt_yaml_key *find(const mt_yaml_key *keys, const char *path, unsigned *affects)
{
    const size_t n = strcspn(path, ".:");
    for (; keys && keys->name; keys++) {
        if (!is_called(keys->name, path, n) && !is_called(keys->old_name, path, n)) continue;
        if (keys->affects) *affects = keys->affects;
        if (path[n] != '.') return keys;
        path += n + 1;
        if (keys->type == MT_YAML_TYPE_MAPPING || keys->type == MT_YAML_TYPE_EITHER)
            return find(keys->keys, path, affects);
        const size_t digits = keys->type == MT_YAML_TYPE_LIST ? strspn(path, "0123456789") : 0;
        return digits > 0 && path[digits] == '.' ? find(keys->keys, path + digits + 1, affects) : NULL;
    }
    return NULL;
}

const mt_yaml_key *mt_yaml_key_at(const mt_yaml_key *keys, const char *path)
{
    unsigned affects;
    return find(keys, path, &affects);
}

unsigned mt_yaml_affects(const mt_yaml_key *keys, const char *path)
{
    unsigned affects = 0;
    return find(keys, path, &affects) ? affects : 0;
}

const char *mt_yaml_unit_at(const mt_yaml_key *keys, const char *path)
{
    const mt_yaml_key *key = mt_yaml_key_at(keys, path);
    return key ? mt_yaml_unit(key) : "";
}

double mt_yaml_number(const mt_yaml_key *key, const void *structure)
{
    const char *member = (const char *)structure + key->offset;
    if (key->type == MT_YAML_TYPE_DOUBLE) return *(const double *)(const void *)member;
    if (key->type != MT_YAML_TYPE_UNSIGNED) return NAN;
    return key->bytes == sizeof(uint32_t) ? *(const uint32_t *)(const void *)member
                                          : (double)*(const uint64_t *)(const void *)member;
}

void mt_yaml_put_number(const mt_yaml_key *key, void *structure, double number)
{
    char *member = (char *)structure + key->offset;
    if (key->type == MT_YAML_TYPE_DOUBLE)
        *(double *)(void *)member = number;
    else if (key->bytes == sizeof(uint32_t))
        *(uint32_t *)(void *)member = (uint32_t)llround(number);
    else
        *(uint64_t *)(void *)member = (uint64_t)llround(number);
}

static mt_status refuse_name(
    const mt_yaml_key *keys, mt_yaml_place at, const char *path, const char *name, size_t n)
{
    char word[MT_YAML_WORDS], unknown[MT_YAML_WORDS], names[MT_YAML_WORDS];
    (void)snprintf(word, sizeof word, "%.*s", (int)n, name);
    mt_yaml_join(unknown, path, mt_utf8_shown(word));
    list_keys(keys, names);
    return mt_yaml_fail(at, unknown, "unknown key; allowed here: %s", names);
}

static void warn_of_old_name(mt_yaml_place at, const char *path, const mt_yaml_key *key)
{
    char old[MT_YAML_WORDS], new[MT_YAML_WORDS];
    mt_yaml_join(old, path, key->old_name);
    mt_yaml_join(new, path, key->name);
    if (at.line == 0)
        mt_warn("%s: %s is now %s", at.origin, old, new);
    else
        mt_warn("%s:%zu: %s is now %s", at.origin, at.line, old, new);
}

mt_status mt_yaml_find_key(const mt_yaml_key *keys, mt_yaml_place at, const char *path, const char *name,
    size_t n, const mt_yaml_key **key)
{
    for (*key = keys; (*key)->name; ++*key)
        if (is_called((*key)->name, name, n)) return MT_OK;
    for (*key = keys; (*key)->name; ++*key)
        if (is_called((*key)->old_name, name, n)) {
            warn_of_old_name(at, path, *key);
            return MT_OK;
        }
    return refuse_name(keys, at, path, name, n);
}

mt_yaml_node *mt_yaml_node_of(const mt_yaml_node *mapping, const mt_yaml_key *key)
{
    mt_yaml_node *node = mt_yaml_node_named(mapping, key->name);
    return node || !key->old_name ? node : mt_yaml_node_named(mapping, key->old_name);
}

mt_status mt_yaml_refuse_word(
    const mt_yaml_node *v, const char *path, const mt_yaml_key *key, const void *structure)
{
    char allowed[MT_YAML_WORDS], found[MT_YAML_WORDS];
    mt_yaml_allowed_words(key, structure, allowed);
    return mt_yaml_fail(v->at, path, "%s; allowed: %s", mt_yaml_found(v, found), allowed);
}

mt_status mt_yaml_refuse(const mt_yaml_node *v, const char *path, const mt_yaml_key *key)
{
    return mt_yaml_refuse_word(v, path, key, NULL);
}

mt_status mt_yaml_refuse_number(const mt_yaml_node *v, const char *path, mt_yaml_range range)
{
    char allowed[MT_YAML_WORDS], found[MT_YAML_WORDS];
    mt_yaml_range_words(range, allowed);
    return mt_yaml_fail(v->at, path, "%s; allowed: %s", mt_yaml_found(v, found), allowed);
}
