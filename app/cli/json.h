/* JSON (RFC 8259) written piece by piece: objects and lists inside one another, commas and line ends in their places.
 *
 *     mt_json json = mt_json_begin(stream);
 *     mt_json_open(&json, NULL, '{');
 *     mt_json_text(&json, "name", "GC200");
 *     mt_json_open(&json, "tiles", '[');
 *     mt_json_count(&json, NULL, 1472);
 *     mt_json_close(&json), mt_json_close(&json);
 *
 * Keys inside objects, NULL inside lists and at the top. Where an object holds only values it stands in one line. Failures of
 * the stream stay with it. */
#ifndef MT_APP_CLI_JSON_H
#define MT_APP_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { MT_JSON_DEPTH_MAX = 16 };

typedef struct mt_json {
    FILE *stream;
    int depth;
    char end[MT_JSON_DEPTH_MAX + 1];    /* of each that is open: '}' or ']' */
    bool filled[MT_JSON_DEPTH_MAX + 1]; /* something is in it */
    bool broken[MT_JSON_DEPTH_MAX + 1]; /* something in it began a line */
} mt_json;

mt_json mt_json_begin(FILE *stream);

/* Opens an object '{' or a list '[', at most MT_JSON_DEPTH_MAX inside one another; closes the newest. The last one
 * closed ends the line. */
void mt_json_open(mt_json *json, const char *key, char bracket);
void mt_json_close(mt_json *json);

/* A value: a number to the bit (null where it is not finite), a whole number, a text (NULL: null). */
void mt_json_number(mt_json *json, const char *key, double value);
void mt_json_count(mt_json *json, const char *key, uint64_t value);
void mt_json_text(mt_json *json, const char *key, const char *text);

/* Can a text stand in JSON as it is: is it UTF-8, with no overlong form, no half of a surrogate pair and nothing beyond
 * U+10FFFF? */
bool mt_json_allows(const char *text);

/* A text with its quotes; what must be is escaped. A byte that is part of no character of UTF-8 (names of files may have any)
 * becomes U+FFFD, the replacement character: it cannot be written in JSON, and the rest stays readable. */
void mt_json_string(FILE *stream, const char *text);

#endif
