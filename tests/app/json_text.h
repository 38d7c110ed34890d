/* A simple and slow check that a text is JSON. */
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A simple and slow JSON parser: returns the text after the value at `p`, or NULL if there is no value. */
static inline const char *skip_json(const char *p);

static inline const char *skip_json_blank(const char *p) { return p + strspn(p, " \n\t\r"); }

static inline const char *skip_json_string(const char *p)
{
    if (*p++ != '"') return NULL;
    for (; *p != '"'; p++) {
        if ((unsigned char)*p < 0x20) return NULL;
        if (*p != '\\') continue;
        p++;
        if (*p == 'u' && strspn(p + 1, "0123456789abcdefABCDEF") < 4) return NULL;
        if (!*p || !strchr("\"\\/bfnrtu", *p)) return NULL;
    }
    return p + 1;
}

static inline const char *skip_json_list(const char *p, char end, bool keyed)
{
    p = skip_json_blank(p + 1);
    if (*p == end) return p + 1;
    for (;; p++) {
        if (keyed) {
            p = skip_json_string(skip_json_blank(p));
            if (!p || *(p = skip_json_blank(p)) != ':') return NULL;
            p++;
        }
        p = skip_json(p);
        if (!p) return NULL;
        p = skip_json_blank(p);
        if (*p == end) return p + 1;
        if (*p != ',') return NULL;
    }
}

static inline const char *skip_json(const char *p)
{
    p = skip_json_blank(p);
    if (*p == '{') return skip_json_list(p, '}', true);
    if (*p == '[') return skip_json_list(p, ']', false);
    if (*p == '"') return skip_json_string(p);
    if (strncmp(p, "null", 4) == 0) return p + 4;
    if (!strchr("-0123456789", *p) || !*p) return NULL;
    char *end;
    (void)strtod(p, &end);
    return end > p ? end : NULL;
}

/* A name in Latin-1 as JSON text: each byte that is not a character becomes U+FFFD. */

static inline bool is_json(const char *text)
{
    const char *end = skip_json(text);
    return end && *skip_json_blank(end) == 0;
}
