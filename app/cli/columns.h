/* Printing of text cells in columns, at most MT_COLUMNS_WIDTH characters wide.
 *
 * A table that is too wide is reduced in this order, no further than needed:
 * 1. Headings are wrapped at blanks, down to 10 characters.
 * 2. Text columns are wrapped at blanks, the widest first, down to their longest word and MT_COLUMNS_TEXT characters. Words of more
 *    than 40 characters are broken. Then headings are wrapped down to their longest words.
 * 3. The columns are printed in several parts, each of which repeats the first column.
 *
 * Titles are wrapped at blanks. A character is a UTF-8 character. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { MT_COLUMNS_WIDTH = 100, MT_COLUMNS_TEXT = 16, MT_COLUMNS_MAX = 64 };

/* Size of the buffer for the longest number: a double with a few decimals has 309 digits before the point. */
enum { MT_COLUMNS_CELL = 400 };

typedef struct mt_columns {
    const char *title;
    size_t n;                                                 /* at most MT_COLUMNS_MAX */
    const char *label[MT_COLUMNS_MAX], *unit[MT_COLUMNS_MAX]; /* unit: "" if none */
    bool right[MT_COLUMNS_MAX];                               /* true if right-aligned */
    bool text[MT_COLUMNS_MAX];                                /* true if it can be wrapped */
    size_t least[MT_COLUMNS_MAX]; /* minimum width of a text column: that of the numbers in it */
    size_t n_rows;
    /* Returns the text of a cell, possibly stored in `buffer`, and its level of indentation. */
    const char *(*cell)(const void *of, size_t row, size_t column, char buffer[MT_COLUMNS_CELL], int *level);
    const void *of;
} mt_columns;

/* Prints the title, the headings between rules, and all rows. */
void mt_columns_print(FILE *stream, const mt_columns *columns);
