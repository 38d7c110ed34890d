/* JSON (RFC 8259) written piece by piece: objects and lists inside one another, commas and line ends in their places.
 *
 *     mt_json json = mt_json_begin(stream, &mt_json_tree);
 *     mt_json_open(&json, NULL, '{');
 *     mt_json_text(&json, "name", "GC200");
 *     mt_json_open(&json, "tiles", '[');
 *     mt_json_count(&json, NULL, 1472);
 *     mt_json_close(&json), mt_json_close(&json);
 *
 * Values inside objects have keys; inside lists and at the top the key is NULL. An object that holds only values stands in one
 * line. Failures of the stream stay with it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { MT_JSON_DEPTH_MAX = 16 };

/* Where lines end; blanks mean nothing in JSON. */
typedef struct mt_json_style {
    int indent;        /* blanks a level */
    bool list_own_end; /* the bracket that ends a list of several lines stands in a line of its own */
    bool top_in_lines; /* each value of the outermost object has a line of its own, and so has its end */
    bool
        in_html; /* in texts <, > and & are written \u003c, \u003e and \u0026: so JSON can stand in a script of HTML */
} mt_json_style;

extern const mt_json_style mt_json_tree; /* every bracket in a line of its own */
extern const mt_json_style mt_json_rows; /* a list ends behind its last entry */
extern const mt_json_style mt_json_long; /* nothing is indented: for long lists of small objects */
extern const mt_json_style mt_json_html; /* the same, in HTML */

typedef struct mt_json {
    FILE *stream;
    const mt_json_style *style;
    int depth;
    char end[MT_JSON_DEPTH_MAX + 1];    /* of each that is open: '}' or ']' */
    bool filled[MT_JSON_DEPTH_MAX + 1]; /* something is in it */
    bool broken[MT_JSON_DEPTH_MAX + 1]; /* something in it began a line */
} mt_json;

/* Borrows stream and style. */
mt_json mt_json_begin(FILE *stream, const mt_json_style *style);

/* Opens an object '{' or a list '[', at most MT_JSON_DEPTH_MAX inside one another; closes the newest. */
void mt_json_open(mt_json *json, const char *key, char bracket);
void mt_json_close(mt_json *json);

/* A value: true or false; a number to the bit (null where it is not finite); a whole number; a number of thousandths, with three decimals; a text
 * (NULL: null). In a text, a byte that is part of no character of UTF-8 (names of files may have any) becomes U+FFFD, the
 * replacement character: JSON has no way to write it, and the rest stays readable. */
void mt_json_truth(mt_json *json, const char *key, bool value);
void mt_json_number(mt_json *json, const char *key, double value);
void mt_json_count(mt_json *json, const char *key, uint64_t value);
void mt_json_thousandths(mt_json *json, const char *key, uint64_t thousandths);
void mt_json_text(mt_json *json, const char *key, const char *text);
