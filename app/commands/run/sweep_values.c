#include "app/commands/run/sweep_values.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static mt_status refuse(const char *text, const char *what)
{
    return mt_fail(MT_INPUT, "--sweep %.200s: %s; allowed: path.to.key=A,B,C", text, what);
}

/* Returns the length of the value at this position, up to the next separating comma. */
static size_t value_length(const char *at)
{
    size_t n = 0, depth = 0;
    char quote = 0;
    for (; at[n] && (at[n] != ',' || depth > 0 || quote); n++) {
        const char c = at[n];
        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '[' || c == '{')
            depth++;
        else if ((c == ']' || c == '}') && depth > 0)
            depth--;
    }
    return n;
}

/* Removes blanks at both ends. */
static void trim(const char **at, size_t *n)
{
    for (; *n > 0 && isspace((unsigned char)**at); ++*at) --*n;
    while (*n > 0 && isspace((unsigned char)(*at)[*n - 1])) --*n;
}

static mt_status join(
    mt_arena *arena, const char *before, size_t n_before, const char *value, size_t n, const char **joined)
{
    char *text;
    MT_ALLOC(arena, text, n_before + n + 2);
    memcpy(text, before, n_before);
    if (n_before > 0) text[n_before++] = '=';
    memcpy(text + n_before, value, n);
    *joined = text;
    return MT_OK;
}

static mt_status make_name(mt_arena *arena, const char *key, const mt_sweep_value *v, const char **name)
{
    char *text;
    const size_t n = strlen(key) + strlen(v->text) + 1;
    if (n > MT_SWEEP_NAME_MAX)
        return mt_fail(MT_INPUT,
            "--sweep %.60s...: too long for a folder name; allowed: at most %d characters", v->set,
            MT_SWEEP_NAME_MAX);
    MT_ALLOC(arena, text, n + 1);
    (void)snprintf(text, n + 1, "%s=%s", key, v->text);
    for (char *c = text; *c; c++)
        if (*c == '/' || iscntrl((unsigned char)*c)) *c = '_';
    *name = text;
    return MT_OK;
}

static mt_status check_apart(const char *text, const mt_sweep_values *values, size_t k)
{
    for (size_t other = 0; other < k; other++)
        if (strcmp(values->value[other].name, values->value[k].name) == 0)
            return mt_fail(MT_INPUT,
                "--sweep %.200s: two values have the folder name %s; allowed: different values", text,
                values->value[k].name);
    return MT_OK;
}

mt_status mt_sweep_values_read(mt_arena *arena, const char *text, mt_sweep_values *values)
{
    const char *equals = strchr(text, '='), *at = equals ? equals + 1 : NULL;
    size_t room = 1;
    *values = (mt_sweep_values){0};
    if (!equals || equals == text) return refuse(text, "key or values are missing");
    const size_t n_key = (size_t)(equals - text);
    for (const char *c = at; *c; c++) room += *c == ',';
    MT_ALLOC(arena, values->value, room);
    MT_TRY(join(arena, "", 0, text, n_key, &values->key));
    if (strrchr(values->key, '.')) values->key = strrchr(values->key, '.') + 1;
    for (;; at++) {
        const size_t whole = value_length(at);
        const char *begin = at;
        size_t n = whole;
        mt_sweep_value *v = &values->value[values->n];
        trim(&begin, &n);
        if (n == 0) return refuse(text, "an empty value");
        MT_TRY(join(arena, "", 0, begin, n, &v->text));
        MT_TRY(join(arena, text, n_key, begin, n, &v->set));
        MT_TRY(make_name(arena, values->key, v, &v->name));
        MT_TRY(check_apart(text, values, values->n++));
        at += whole;
        if (!*at) return MT_OK;
    }
}
