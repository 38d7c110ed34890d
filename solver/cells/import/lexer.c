#include "solver/cells/import/lexer.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "data/core/number.h"
#include "data/core/utf8.h"

enum { NUMBER_LENGTH = 200, TAB = 8 };

/* Returns the k-th character from here; 0 after the end. */
static char ahead(const mt_lexer *l, size_t k) { return k < (size_t)(l->end - l->at) ? l->at[k] : 0; }

static bool at_text(const mt_lexer *l, const char *text)
{
    return text && strlen(text) <= (size_t)(l->end - l->at) && memcmp(l->at, text, strlen(text)) == 0;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool starts_name(char c)
{
    return c == '_' || (isascii((unsigned char)c) && isalpha((unsigned char)c));
}
static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

/* Moves over n characters, and counts lines. */
static void move(mt_lexer *l, size_t n)
{
    for (; n > 0; n--)
        if (*l->at++ == '\n') {
            l->line++;
            l->line_from = l->at;
        }
}

/* Moves past the next `mark`; false, at the end, if there is none. */
static bool move_past(mt_lexer *l, const char *mark)
{
    while (l->at < l->end && !at_text(l, mark)) move(l, 1);
    if (l->at == l->end) return false;
    move(l, strlen(mark));
    return true;
}

/* Starts a token here, whose `indentation` is that of its line. */
static void start(mt_lexer *l, mt_token_kind kind)
{
    mt_token *t = &l->token;
    *t = (mt_token){
        .kind = kind, .text = l->at, .line = l->line, .indentation = t->indentation, .first = t->first};
    t->column = (size_t)(l->at - l->line_from) + 1;
}

static void damaged(mt_lexer *l, const char *fault)
{
    l->token.kind = MT_TOKEN_DAMAGED;
    l->fault = fault;
}

/* Returns the number of characters of a line end that is joined with the next line: `\`, blanks, line feed; else 0. */
static size_t joins(const mt_lexer *l)
{
    if (!l->dialect->line_ends || ahead(l, 0) != '\\') return 0;
    size_t n = 1;
    while (is_blank(ahead(l, n))) n++;
    return ahead(l, n) == '\n' ? n + 1 : 0;
}

/* Moves over a comment, up to the end of its line. False if there is none here, or a token was made: a comment without end. */
static bool skip_comment(mt_lexer *l, bool *made)
{
    const bool quoted = l->dialect->quoted_comments && l->at == l->line_from && at_text(l, "\"\"\"");
    if (quoted || (l->dialect->block_comments && at_text(l, "/*"))) {
        start(l, MT_TOKEN_SYMBOL);
        move(l, 2 + quoted);
        if (move_past(l, quoted ? "\"\"\"" : "*/")) return true;
        damaged(l, "a comment without end");
        *made = true;
        return false;
    }
    for (size_t k = 0; k < 2; k++)
        if (at_text(l, l->dialect->comment[k])) {
            while (l->at < l->end && *l->at != '\n') l->at++;
            return true;
        }
    return false;
}

/* Moves to the next token. True if a token was made: a line end, or a damaged one. `fresh`: nothing but blanks was found in this line. */
static bool skip_blanks(mt_lexer *l, bool *fresh)
{
    const bool after_end = l->token.kind == MT_TOKEN_LINE_END;
    bool made = false;
    while (l->at < l->end) {
        if (is_blank(*l->at)) {
            l->at++;
        } else if (*l->at == '\n') {
            if (l->dialect->line_ends && l->depth == 0 && !after_end) {
                start(l, MT_TOKEN_LINE_END);
                l->token.length = 1;
                move(l, 1);
                return true;
            }
            move(l, 1);
            *fresh |= l->depth == 0;
        } else if (joins(l) > 0) {
            move(l, joins(l));
        } else if (!skip_comment(l, &made)) {
            return made;
        }
    }
    return false;
}

/* Counts the columns before the current place. */
static size_t indentation(const mt_lexer *l)
{
    size_t column = 0;
    for (const char *c = l->line_from; c < l->at; c++)
        column = *c == '\t' ? (column / TAB + 1) * TAB : column + 1;
    return column;
}

static void read_number(mt_lexer *l)
{
    size_t n = 0;
    while (is_digit(ahead(l, n))) n++;
    if (ahead(l, n) == '.') n++;
    while (is_digit(ahead(l, n))) n++;
    if (ahead(l, n) == 'e' || ahead(l, n) == 'E') {
        size_t e = n + 1;
        if (ahead(l, e) == '+' || ahead(l, e) == '-') e++;
        if (is_digit(ahead(l, e))) n = e;
        while (n == e && is_digit(ahead(l, e))) n = ++e;
    }
    start(l, MT_TOKEN_NUMBER);
    l->token.length = n;
    char text[NUMBER_LENGTH + 1];
    if (n > NUMBER_LENGTH) {
        damaged(l, "a number of more than 200 characters");
    } else {
        memcpy(text, l->at, n);
        text[n] = 0;
        if (!mt_number_read(text, &l->token.value)) damaged(l, "a number outside the range of doubles");
    }
    l->at += n;
}

static void read_name(mt_lexer *l)
{
    size_t n = 1;
    for (;; n++) {
        const char c = ahead(l, n);
        const bool dot = c == '.' && l->dialect->dots && starts_name(ahead(l, n + 1));
        if (!starts_name(c) && !is_digit(c) && !dot) break;
    }
    start(l, MT_TOKEN_NAME);
    l->token.length = n;
    l->at += n;
}

/* Reads a text in one quote, which ends with its line, or in three. */
static void read_string(mt_lexer *l)
{
    const char quote[] = {*l->at, *l->at, *l->at, 0};
    const bool three = at_text(l, quote);
    start(l, MT_TOKEN_STRING);
    move(l, three ? 3 : 1);
    l->token.text = l->at;
    while (l->at < l->end && !at_text(l, three ? quote : quote + 2) && (three || *l->at != '\n'))
        move(l, *l->at == '\\' && ahead(l, 1) != 0 && ahead(l, 1) != '\n' ? 2 : 1);
    l->token.length = (size_t)(l->at - l->token.text);
    if (l->at == l->end || *l->at == '\n') {
        damaged(l, "a text without closing quote");
        return;
    }
    move(l, three ? 3 : 1);
}

static void read_symbol(mt_lexer *l)
{
    static const char *const two[] = {"==", "!=", "<=", ">=", "&&", "||", "**", "//"};
    start(l, MT_TOKEN_SYMBOL);
    size_t n = 1;
    for (size_t k = 0; k < sizeof two / sizeof *two; k++)
        if (at_text(l, two[k])) n = 2;
    if (!isascii((unsigned char)*l->at)) {
        char character[5] = {0};
        for (size_t k = 0; k < 4; k++) character[k] = ahead(l, k);
        n = mt_utf8_character(character, NULL);
        if (n == 0) n = 1;
    }
    if (*l->at == '(') l->depth++;
    if (*l->at == ')' && l->depth > 0) l->depth--;
    l->token.length = n;
    l->at += n;
}

void mt_lexer_next(mt_lexer *l)
{
    bool fresh = l->token.kind == MT_TOKEN_LINE_END;
    l->token.first = false;
    if (skip_blanks(l, &fresh)) return;
    l->token.first = fresh;
    if (fresh) l->token.indentation = indentation(l);
    if (l->at == l->end) {
        start(l, MT_TOKEN_END);
    } else if (is_digit(*l->at) || (*l->at == '.' && is_digit(ahead(l, 1)))) {
        read_number(l);
    } else if (starts_name(*l->at)) {
        read_name(l);
    } else if (l->dialect->strings && (*l->at == '"' || *l->at == '\'')) {
        read_string(l);
    } else {
        read_symbol(l);
    }
}

void mt_lexer_start(mt_lexer *lexer, const mt_dialect *dialect, const char *path, const char *text,
    size_t length, size_t line)
{
    *lexer = (mt_lexer){
        .dialect = dialect, .path = path, .at = text, .end = text + length, .line_from = text, .line = line};
    lexer->token.kind = MT_TOKEN_LINE_END; /* empty lines at the beginning are skipped */
    mt_lexer_next(lexer);
}

void mt_lexer_skip_line(mt_lexer *l)
{
    if (l->token.kind != MT_TOKEN_LINE_END) {
        while (l->at < l->end && *l->at != '\n') l->at++;
        if (l->at < l->end) move(l, 1);
        l->token.kind = MT_TOKEN_LINE_END;
    }
    l->depth = 0;
    mt_lexer_next(l);
}

bool mt_lexer_line_ends(const mt_lexer *lexer)
{
    return lexer->token.kind == MT_TOKEN_LINE_END || lexer->token.kind == MT_TOKEN_END;
}

bool mt_token_is(const mt_token *token, const char *text)
{
    return (token->kind == MT_TOKEN_SYMBOL || token->kind == MT_TOKEN_NAME) &&
           token->length == strlen(text) && memcmp(token->text, text, token->length) == 0;
}

bool mt_lexer_is(const mt_lexer *lexer, const char *text) { return mt_token_is(&lexer->token, text); }

bool mt_lexer_take(mt_lexer *lexer, const char *text)
{
    if (!mt_lexer_is(lexer, text)) return false;
    mt_lexer_next(lexer);
    return true;
}

const char *mt_token_shown(const mt_token *token, char text[MT_TOKEN_SHOWN])
{
    enum { COPIED = MT_UTF8_SHOWN + 4 };
    char copy[COPIED + 1] = {0};
    const size_t n = token->length < COPIED ? token->length : COPIED;
    if (token->kind == MT_TOKEN_END) return "the end of the text";
    if (token->kind == MT_TOKEN_LINE_END) return "the end of the line";
    memcpy(copy, token->text, n);
    const unsigned char first = (unsigned char)copy[0];
    if (token->kind == MT_TOKEN_SYMBOL && n == 1 && (!isascii(first) || !isprint(first)))
        (void)snprintf(text, MT_TOKEN_SHOWN, "the byte 0x%02x", first);
    else
        (void)snprintf(text, MT_TOKEN_SHOWN, "`%s`", mt_utf8_shown(copy));
    return text;
}

mt_status mt_lexer_fail(const mt_lexer *lexer, const mt_token *token, const char *format, ...)
{
    enum { TEXT = 800 };
    char text[TEXT];
    va_list rest;
    va_start(rest, format);
    (void)vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    return mt_fail(MT_INPUT, "%s:%zu:%zu: %s", lexer->path, token->line, token->column, text);
}

mt_status mt_lexer_expected(const mt_lexer *lexer, const char *expected)
{
    char shown[MT_TOKEN_SHOWN];
    const mt_token *t = &lexer->token;
    if (t->kind == MT_TOKEN_DAMAGED) return mt_lexer_fail(lexer, t, "found %s", lexer->fault);
    return mt_lexer_fail(lexer, t, "found %s, expected %s", mt_token_shown(t, shown), expected);
}

mt_status mt_lexer_need(mt_lexer *lexer, const char *text, const char *after)
{
    enum { EXPECTED = 128 };
    char expected[EXPECTED];
    if (mt_lexer_take(lexer, text)) return MT_OK;
    (void)snprintf(expected, sizeof expected, "`%s` after %s", text, after);
    return mt_lexer_expected(lexer, expected);
}
