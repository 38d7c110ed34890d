/* Words of a text in a dialect, with their places. A reader of a format takes statements apart with it and leaves expressions to
 * solver/cells/import/expression.h. Copying a lexer stores its place: assigning the copy back continues there. */
#pragma once

#include "solver/cells/import/dialect.h"

typedef enum mt_token_kind {
    MT_TOKEN_END,      /* of the text */
    MT_TOKEN_LINE_END, /* one for several empty lines; none inside round brackets, nor if the dialect has none */
    MT_TOKEN_NUMBER,
    MT_TOKEN_NAME,   /* letters, digits, _ and, by dialect, dots */
    MT_TOKEN_STRING, /* `text` without the quotes; escape sequences are not replaced */
    MT_TOKEN_SYMBOL, /* one or two characters; a character that no dialect knows is also one */
    MT_TOKEN_DAMAGED /* a text or comment without end, a number that is too large; mt_lexer_expected reports it */
} mt_token_kind;

typedef struct mt_token {
    mt_token_kind kind;
    const char *text; /* [length], in the text */
    size_t length;
    size_t line, column; /* from 1 */
    size_t indentation;  /* columns before the first token of its line; tabs to multiples of 8 */
    bool first;          /* in its line */
    double value;        /* of a number */
} mt_token;

typedef struct mt_lexer {
    const mt_dialect *dialect;
    const char *path;      /* for messages; borrowed */
    const char *at, *end;  /* after `token`; borrowed; *end is 0 */
    const char *line_from; /* beginning of the line of `at` */
    size_t line, depth;    /* of `at`; number of open round brackets */
    mt_token token;        /* the current one */
    const char *fault;     /* of a damaged token: "a text without end" */
} mt_lexer;

/* Starts at the first token of text[length], which begins in this line. */
void mt_lexer_start(mt_lexer *lexer, const mt_dialect *dialect, const char *path, const char *text,
    size_t length, size_t line);

/* Moves to the next token. At the end it stays there. */
void mt_lexer_next(mt_lexer *lexer);

/* Moves to the beginning of the next line, whatever the rest of this line is, with no brackets open. */
void mt_lexer_skip_line(mt_lexer *lexer);

/* True if the current token ends a line or the text. */
bool mt_lexer_line_ends(const mt_lexer *lexer);

/* True if the current token is this symbol or name: "(", "==", "in". */
bool mt_lexer_is(const mt_lexer *lexer, const char *text);

/* Moves on and returns true if mt_lexer_is. */
bool mt_lexer_take(mt_lexer *lexer, const char *text);

/* MT_INPUT unless the current token is this symbol or name; moves on. `after` describes the place: "the name of a component". */
MT_NODISCARD mt_status mt_lexer_need(mt_lexer *lexer, const char *text, const char *after);

/* Returns MT_INPUT: "file:line:column: found `word`, expected ...". */
mt_status mt_lexer_expected(const mt_lexer *lexer, const char *expected);

/* Returns MT_INPUT with "file:line:column: " of a token before the message (printf format). */
mt_status mt_lexer_fail(const mt_lexer *lexer, const mt_token *token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes a token as messages quote it, shortened: `word`, "the end of the line". */
enum { MT_TOKEN_SHOWN = 64 };
const char *mt_token_shown(const mt_token *token, char text[MT_TOKEN_SHOWN]);

/* True if the token is this symbol or name. */
bool mt_token_is(const mt_token *token, const char *text);
