/* JSON writer (RFC 8259): nested objects and lists, with commas and line ends.
 *
 *     mt_json json = mt_json_begin(stream, &mt_json_tree);
 *     mt_json_open(&json, NULL, '{');
 *     mt_json_text(&json, "name", "GC200");
 *     mt_json_open(&json, "tiles", '[');
 *     mt_json_count(&json, NULL, 1472);
 *     mt_json_close(&json), mt_json_close(&json);
 *
 * Values in objects have keys; in lists and at the top the key is NULL. An object that contains only values is written in one
 * line. Stream errors stay set in the stream. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { MT_JSON_DEPTH_MAX = 16 };

/* Placement of line ends; white space has no meaning in JSON. */
typedef struct mt_json_style {
    int indent;        /* blanks per level */
    bool list_own_end; /* True if the closing bracket of a multi-line list is on its own line */
    bool top_in_lines; /* True if each value of the outermost object, and its end, is on its own line */
    /* True if <, > and & in texts are written as \u003c, \u003e and \u0026, for JSON in a script of HTML */
    bool in_html;
} mt_json_style;

extern const mt_json_style mt_json_tree; /* every bracket on its own line */
extern const mt_json_style mt_json_rows; /* a list ends after its last entry, in the same line */
extern const mt_json_style mt_json_long; /* no indentation, for long lists of small objects */
extern const mt_json_style mt_json_html; /* as mt_json_long, for HTML */

typedef struct mt_json {
    FILE *stream;
    const mt_json_style *style;
    int depth;
    char end[MT_JSON_DEPTH_MAX + 1];    /* closing bracket of each open level: '}' or ']' */
    bool filled[MT_JSON_DEPTH_MAX + 1]; /* True if the level is not empty */
    bool broken[MT_JSON_DEPTH_MAX + 1]; /* True if an entry of the level began a new line */
} mt_json;

/* Returns a writer that borrows stream and style. */
mt_json mt_json_begin(FILE *stream, const mt_json_style *style);

/* Opens an object '{' or a list '[', nested at most MT_JSON_DEPTH_MAX deep, or closes the innermost. */
void mt_json_open(mt_json *json, const char *key, char bracket);
void mt_json_close(mt_json *json);

/* Write a value: true or false; a number, exactly (null if not finite); an integer; a number of thousandths, with three decimals;
 * a text (NULL: null). A byte that does not belong to a UTF-8 character, as in file names, becomes the replacement character
 * U+FFFD, because JSON cannot represent it. */
void mt_json_truth(mt_json *json, const char *key, bool value);
void mt_json_number(mt_json *json, const char *key, double value);
void mt_json_count(mt_json *json, const char *key, uint64_t value);
void mt_json_thousandths(mt_json *json, const char *key, uint64_t thousandths);
void mt_json_text(mt_json *json, const char *key, const char *text);
