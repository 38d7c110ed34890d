/* The text of LLVM's intermediate representation, by lines: the statements of ipu/tally/tally.h. Functions read [text, end) and do not need
 * a final 0. */
#pragma once

#include <stdbool.h>

#include "ipu/cost/issue.h"

enum {
    IPU_TEXT_PARTS = 6,
    IPU_TEXT_WORD = 64,
    IPU_TEXT_VALUES = 4096 /* maximum of value numbers in the text */
};

/* A line: the value it defines (its number is found later), the operation, the type that follows, and the last word of each
 * part between commas. */
typedef struct ipu_statement {
    int defines;
    char defined[IPU_TEXT_WORD]; /* as written; "" if the line defines nothing */
    char operation[IPU_TEXT_WORD], type[IPU_TEXT_WORD], called[IPU_TEXT_WORD];
    bool pair, strange;     /* of a pair of registers; of a type without a rule */
    const char *rest, *end; /* the text after the operation */
    char part[IPU_TEXT_PARTS][IPU_TEXT_WORD];
    int n_parts;
} ipu_statement;

/* Copies the next word, which ends at a space, a comma or a bracket; returns its end. Longer words are cut. */
const char *ipu_text_copy_word(const char *at, const char *end, char word[IPU_TEXT_WORD]);

/* Copies the last word before `end`, without brackets that close after it. */
void ipu_text_last_word(const char *at, const char *end, char word[IPU_TEXT_WORD]);

/* True if [line, end) contains a text. */
bool ipu_text_has(const char *line, const char *end, const char *text);

/* True if the word is one of a list that ends with NULL. */
bool ipu_text_is_word(const char *word, const char *const *words);

/* True for undef and poison. */
bool ipu_text_is_undefined(const char *word);

/* Returns the newline at the end of a line, or the end of the text. */
const char *ipu_text_end_of_line(const char *line, const char *end);

/* True if a text begins with a type of two registers. */
bool ipu_text_is_pair(const char *text, const char *end);

/* True if an operation treats lanes of a pair one by one, or its bits. */
bool ipu_text_is_of_lanes(const char *operation);

/* Reads a line. Its strings end where they fit. */
ipu_statement ipu_text_statement(const char *line, const char *end);

/* Returns the number of a value, "%12", or IPU_NO_VALUE. */
int ipu_text_number(const char *word);

/* Copies operand k: a value, or a constant with its brackets. "" if there is none. Commas inside brackets do not separate operands. */
void ipu_text_operand(const ipu_statement *s, int k, char word[IPU_TEXT_WORD]);

/* Reads the constant index of a lane, below `most`. False if it is none. */
bool ipu_text_index(const char *word, long most, long *index);

/* Reads the two lanes of a shuffle, "<i32 1, i32 2>" or "zeroinitializer"; undefined ones are -1. False if it has others. */
bool ipu_text_mask(const char *word, long mask[2]);
