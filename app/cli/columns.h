/* Prints cells of text in columns, never wider than MT_COLUMNS_WIDTH characters.
 *
 * A table that is too wide is changed in this order, no further than needed:
 *   1. headings are wrapped at blanks, down to 10 characters;
 *   2. columns of text, the widest first, are wrapped at blanks, down to their longest word and MT_COLUMNS_TEXT characters; words of more
 *      than 40 characters are broken; then headings are wrapped down to their longest words;
 *   3. the columns are printed in several parts, each of which repeats the first column.
 * Titles are wrapped at blanks. A character is one of UTF-8. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { MT_COLUMNS_WIDTH = 100, MT_COLUMNS_TEXT = 16, MT_COLUMNS_MAX = 16 };

/* Room for the longest number: a double with a few decimals has 309 digits before the point. */
enum { MT_COLUMNS_CELL = 400 };

typedef struct mt_columns {
    const char *title;
    size_t n;                                                 /* at most MT_COLUMNS_MAX */
    const char *label[MT_COLUMNS_MAX], *unit[MT_COLUMNS_MAX]; /* the unit may be "" */
    bool right[MT_COLUMNS_MAX];                               /* aligned right */
    bool text[MT_COLUMNS_MAX];                                /* may be wrapped */
    size_t least[MT_COLUMNS_MAX]; /* if it may be: the smallest width, that of numbers in it */
    size_t n_rows;
    /* Returns the text of a cell, which may be in the buffer, and its level of indentation. */
    const char *(*cell)(const void *of, size_t row, size_t column, char buffer[MT_COLUMNS_CELL], int *level);
    const void *of;
} mt_columns;

/* Prints the title, the headings between rules, and all rows. */
void mt_columns_print(FILE *stream, const mt_columns *columns);
