#include "data/yaml/yaml_write.h"

#include <string.h>

#include "data/core/number.h"
#include "data/core/utf8.h"
#include "data/yaml/yaml_words.h"

/* ---- values ---- */

/* True if the character needs no escape in a quoted YAML text. */
static bool stands_for_itself(uint32_t c)
{
    if (c < 0x7F) return c >= 0x20 && c != '"' && c != '\\';
    return c >= 0xA0 && c != 0x2028 && c != 0x2029 && c != 0xFEFF && c != 0xFFFE && c != 0xFFFF;
}

void mt_yaml_write_text(FILE *to, const char *s)
{
    (void)fputc('"', to);
    while (*s) {
        uint32_t c = (unsigned char)*s;
        const size_t n = mt_utf8_character(s, &c);
        if (n > 0 && stands_for_itself(c))
            (void)fwrite(s, 1, n, to);
        else if (c == '"' || c == '\\')
            (void)fprintf(to, "\\%c", (int)c);
        else
            (void)fprintf(to, n < 2 ? "\\x%02X" : "\\U%08X", (unsigned)c);
        s += n > 0 ? n : 1;
    }
    (void)fputc('"', to);
}

/* Writes the double at `at` so that it reads back exactly. */
static void write_double(FILE *to, const char *at)
{
    char number[MT_NUMBER_SIZE];
    double x;
    memcpy(&x, at, sizeof x);
    mt_number_text(x, number);
    (void)fputs(number, to);
}

static void write_uint32(FILE *to, const char *at)
{
    uint32_t x;
    memcpy(&x, at, sizeof x);
    (void)fprintf(to, "%u", x);
}

/* Writes n numbers of `bytes` bytes: double, or uint32_t. */
static void write_each(FILE *to, const char *at, size_t n, size_t bytes)
{
    for (size_t i = 0; i < n; i++) {
        (void)fputs(i > 0 ? ", " : "[", to);
        (bytes == sizeof(uint32_t) ? write_uint32 : write_double)(to, at + i * bytes);
    }
    (void)fputc(']', to);
}

static void write_numbers(FILE *to, const mt_yaml_key *key, const char *base)
{
    const char *numbers;
    size_t n;
    memcpy(&numbers, base + key->offset, sizeof numbers);
    memcpy(&n, base + key->count_offset, sizeof n);
    if (n > 0)
        write_each(to, numbers, n, key->bytes);
    else
        (void)fputs("[]", to);
}

/* True if a text is one of its key's words. */
static bool is_word(const mt_yaml_key *key, const char *base, const char *text)
{
    const char *word;
    for (size_t i = 0; key->words && (word = key->words(base, i)) != NULL; i++)
        if (strcmp(word, text) == 0) return true;
    return false;
}

static void write_word(FILE *to, const mt_yaml_key *key, const char *base)
{
    union {
        uint32_t small;
        uint64_t large;
        bool truth;
        int choice;
        const char *text;
    } value = {0};
    memcpy(&value, base + key->offset, key->bytes);
    if (key->type == MT_YAML_TYPE_UNSIGNED)
        (void)fprintf(
            to, "%llu", (unsigned long long)(key->bytes == sizeof value.small ? value.small : value.large));
    else if (key->type == MT_YAML_TYPE_BOOL)
        (void)fputs(value.truth ? "true" : "false", to);
    else if (key->type == MT_YAML_TYPE_ENUM)
        (void)fputs(mt_yaml_word(key, base, (size_t)value.choice), to);
    else if (is_word(key, base, value.text))
        (void)fputs(value.text, to);
    else
        mt_yaml_write_text(to, value.text);
}

static void write_sets(FILE *to, const mt_yaml_key *key, const char *base)
{
    const mt_yaml_override *sets;
    size_t n;
    memcpy(&sets, base + key->offset, sizeof sets);
    memcpy(&n, base + key->count_offset, sizeof n);
    (void)fputc('[', to);
    for (size_t i = 0; i < n; i++) {
        (void)fputs(i > 0 ? ", " : "", to);
        mt_yaml_write_text(to, sets[i].text);
    }
    (void)fputc(']', to);
}

static void write_words(FILE *to, const mt_yaml_key *key, const char *base)
{
    (void)fputc('[', to);
    for (size_t i = 0, n = 0; mt_yaml_word(key, base, i); i++) {
        uint32_t bits;
        memcpy(&bits, base + key->offset + i / 32 * sizeof bits, sizeof bits);
        if (bits >> i % 32 & 1) (void)fprintf(to, "%s%s", n++ > 0 ? ", " : "", mt_yaml_word(key, base, i));
    }
    (void)fputc(']', to);
}

static void write_value(FILE *to, const mt_yaml_key *key, const char *base)
{
    const char *at = base + key->offset;
    if (key->type == MT_YAML_TYPE_DOUBLES)
        write_each(to, at, key->bytes / sizeof(double), sizeof(double));
    else if (key->type == MT_YAML_TYPE_DOUBLE)
        write_double(to, at);
    else if (key->type == MT_YAML_TYPE_NUMBERS)
        write_numbers(to, key, base);
    else if (key->type == MT_YAML_TYPE_SETS)
        write_sets(to, key, base);
    else if (key->type == MT_YAML_TYPE_WORDS)
        write_words(to, key, base);
    else
        write_word(to, key, base);
}

/* ---- keys ---- */

static void write_mapping(
    FILE *to, const mt_yaml_key *keys, const char *base, int indent, const char *before_first);

static void write_list(FILE *to, const mt_yaml_key *key, const char *base, int indent)
{
    const char *entries;
    size_t n;
    memcpy(&entries, base + key->offset, sizeof entries);
    memcpy(&n, base + key->count_offset, sizeof n);
    (void)fputs(n > 0 ? "\n" : " []\n", to);
    for (size_t i = 0; i < n; i++) write_mapping(to, key->keys, entries + i * key->bytes, indent + 4, "- ");
}

/* True if the key has no value (MT_YAML_NONE). */
static bool is_none(const mt_yaml_key *key, const char *base)
{
    const char *text, *at = base + key->offset;
    double x;
    int word;
    if (!key->missing || strcmp(key->missing, MT_YAML_NONE) != 0) return false;
    if (key->type == MT_YAML_TYPE_ENUM) {
        memcpy(&word, at, sizeof word);
        return word < 0;
    }
    if (key->type != MT_YAML_TYPE_STRING && key->type != MT_YAML_TYPE_EITHER) {
        memcpy(&x, at, sizeof x);
        return isnan(x);
    }
    memcpy(&text, at, sizeof text);
    if (*text || key->type == MT_YAML_TYPE_STRING) return !*text;
    for (const mt_yaml_key *nested = key->keys; nested->name; nested++)
        if (!is_none(nested, base)) return false;
    return true;
}

/* True if the value is a mapping. */
static bool is_mapping(const mt_yaml_key *key, const char *base)
{
    const char *text;
    if (key->type != MT_YAML_TYPE_EITHER) return key->type == MT_YAML_TYPE_MAPPING;
    memcpy(&text, base + key->offset, sizeof text);
    return !*text;
}

/* Writes one line per key; the first follows `before_first` ("- " or ""). */
static void write_mapping(
    FILE *to, const mt_yaml_key *keys, const char *base, int indent, const char *before_first)
{
    for (const mt_yaml_key *key = keys; key->name; key++) {
        if (key->instead || is_none(key, base)) continue;
        (void)fprintf(to, "%*s%s:", indent, before_first, key->name);
        before_first = "";
        if (is_mapping(key, base)) {
            (void)fputc('\n', to);
            write_mapping(to, key->keys, base, indent + 2, "");
        } else if (key->type == MT_YAML_TYPE_LIST) {
            write_list(to, key, base, indent);
        } else {
            (void)fputc(' ', to);
            write_value(to, key, base);
            (void)fputc('\n', to);
        }
    }
}

void mt_yaml_write_keys(FILE *to, const mt_yaml_key *keys, const void *structure)
{
    write_mapping(to, keys, structure, 0, "");
}

/* Writes a value, or the identity of the object that it names. */
static void write_identity(FILE *to, const mt_yaml_key *key, const char *base)
{
    const char *identity = key->opener && key->opener->identity ? key->opener->identity(base) : NULL;
    if (!identity)
        write_value(to, key, base);
    else if (is_word(key, base, identity))
        (void)fputs(identity, to);
    else
        mt_yaml_write_text(to, identity);
}

static void write_paths(FILE *to, const mt_yaml_key *keys, const char *base, const char *path);

static void write_list_paths(FILE *to, const mt_yaml_key *key, const char *base, const char *path)
{
    char entry[MT_YAML_WORDS], number[32];
    const char *entries;
    size_t n;
    memcpy(&entries, base + key->offset, sizeof entries);
    memcpy(&n, base + key->count_offset, sizeof n);
    if (n == 0) (void)fprintf(to, "%s: []\n", path);
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(number, sizeof number, "%zu", i);
        mt_yaml_join(entry, path, number);
        write_paths(to, key->keys, entries + i * key->bytes, entry);
    }
}

static void write_paths(FILE *to, const mt_yaml_key *keys, const char *base, const char *path)
{
    char here[MT_YAML_WORDS];
    for (const mt_yaml_key *key = keys; key->name; key++) {
        if (key->instead || is_none(key, base)) continue;
        mt_yaml_join(here, path, key->name);
        if (is_mapping(key, base)) {
            write_paths(to, key->keys, base, here);
        } else if (key->type == MT_YAML_TYPE_LIST) {
            write_list_paths(to, key, base, here);
        } else {
            (void)fprintf(to, "%s: ", here);
            write_identity(to, key, base);
            (void)fputc('\n', to);
        }
    }
}

void mt_yaml_write_paths(FILE *to, const mt_yaml_key *keys, const void *structure)
{
    write_paths(to, keys, structure, "");
}

/* ---- the page ---- */

static void write_row(FILE *to, const char *path, const mt_yaml_key *key)
{
    char here[MT_YAML_WORDS], allowed[MT_YAML_WORDS];
    mt_yaml_join(here, path, key->name);
    mt_yaml_allowed_words(key, NULL, allowed);
    (void)fprintf(to, "| `%s` | ", here);
    if (!key->missing)
        (void)fputs("required", to);
    else if (!*key->missing || strcmp(key->missing, MT_YAML_NONE) == 0)
        (void)fputs("none", to);
    else
        (void)fprintf(to, "`%s`", key->missing);
    (void)fprintf(to, " | %s | %s | %s |\n", mt_yaml_unit(key), allowed, key->about);
}

static void write_section(FILE *to, const char *path, const mt_yaml_key *keys);

/* Writes the heading, the sentence and the keys of a mapping or list. */
static void write_nested(FILE *to, const char *path, const mt_yaml_key *key)
{
    char here[MT_YAML_WORDS], entry[MT_YAML_WORDS], range[MT_YAML_WORDS];
    mt_yaml_join(here, path, key->name);
    (void)fprintf(to, "\n## %s\n\n%s\n", here,
        key->type == MT_YAML_TYPE_EITHER ? "The keys of the mapping." : key->about);
    if (key->type != MT_YAML_TYPE_LIST) {
        write_section(to, here, key->keys);
        return;
    }
    mt_yaml_range_words(key->range, range);
    (void)fprintf(to, "A list of %s entries.\n", range);
    mt_yaml_join(entry, here, "N");
    write_section(to, entry, key->keys);
}

static void write_section(FILE *to, const char *path, const mt_yaml_key *keys)
{
    bool rows = false;
    for (const mt_yaml_key *key = keys; key->name; key++) {
        if ((key->keys && key->type != MT_YAML_TYPE_EITHER) || key->instead) continue;
        if (!rows) (void)fputs("\n| key | default | unit | allowed | meaning |\n|---|---|---|---|---|\n", to);
        rows = true;
        write_row(to, path, key);
    }
    for (const mt_yaml_key *key = keys; key->name; key++)
        if (key->keys) write_nested(to, path, key);
}

void mt_yaml_write_page(FILE *to, const mt_yaml_key *keys) { write_section(to, "", keys); }
