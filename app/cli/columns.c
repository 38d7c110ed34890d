#include "app/cli/columns.h"

#include <string.h>

enum { GAP = 2, INDENT = 2, HEADING = 10 };

/* Longer words are broken; maximum width of text columns in a table of several parts. */
enum { WORD = 40, PART_TEXT = 48 };

/* Returns the number of characters in the first bytes of a UTF-8 text. */
static size_t characters(const char *text, size_t bytes)
{
    size_t n = 0;
    for (size_t k = 0; k < bytes; k++) n += ((unsigned char)text[k] & 0xC0) != 0x80;
    return n;
}

static size_t width(const char *text) { return characters(text, strlen(text)); }

/* Returns the bytes of the first line of a text, of at most `wide` >= 1 characters. It ends before a blank, if it has one. */
static size_t first_line(const char *text, size_t wide)
{
    size_t bytes = 0, blank = 0;
    for (size_t n = 0; text[bytes] && n < wide; n++) {
        do bytes++;
        while (((unsigned char)text[bytes] & 0xC0) == 0x80);
        if (text[bytes] == ' ') blank = bytes;
    }
    return text[bytes] && blank > 0 ? blank : bytes;
}

static const char *after_line(const char *text, size_t bytes)
{
    text += bytes;
    while (bytes > 0 && *text == ' ') text++;
    return text;
}

/* Returns the width of the widest line of a text that is wrapped to `wide` characters. */
static size_t widest_line(const char *text, size_t wide)
{
    size_t most = 0;
    while (*text) {
        const size_t bytes = first_line(text, wide), n = characters(text, bytes);
        if (n > most) most = n;
        text = after_line(text, bytes);
    }
    return most;
}

static size_t longest_word(const char *text)
{
    size_t most = 0;
    while (*text) {
        const size_t bytes = strcspn(text, " "), n = characters(text, bytes);
        if (n > most) most = n;
        text += bytes + strspn(text + bytes, " ");
    }
    return most;
}

/* Width of each column: its cells alone, with its heading, and the minimum of a text column. */
typedef struct widths {
    size_t cells[MT_COLUMNS_MAX], of[MT_COLUMNS_MAX], least[MT_COLUMNS_MAX];
} widths;

static size_t total(const mt_columns *c, const widths *w)
{
    size_t sum = 0;
    for (size_t k = 0; k < c->n; k++) sum += w->of[k] + (k ? GAP : 0);
    return sum;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static void measure_cells(const mt_columns *c, widths *w)
{
    char buffer[MT_COLUMNS_CELL];
    for (size_t k = 0; k < c->n; k++) {
        w->cells[k] = width(c->unit[k]);
        w->least[k] = larger(MT_COLUMNS_TEXT, larger(c->least[k], w->cells[k]));
        for (size_t row = 0; row < c->n_rows; row++) {
            int level = 0;
            const char *text = c->cell(c->of, row, k, buffer, &level);
            const size_t indent = INDENT * (size_t)level, word = longest_word(text);
            w->cells[k] = larger(w->cells[k], width(text) + indent);
            w->least[k] = larger(w->least[k], (word < WORD ? word : WORD) + indent);
        }
    }
}

/* Wraps headings into lines of at most `wide` characters, or of their longest word. */
static void wrap_headings(const mt_columns *c, widths *w, size_t wide)
{
    for (size_t k = 0; k < c->n; k++) {
        const size_t room = larger(w->cells[k], larger(wide, longest_word(c->label[k])));
        w->of[k] = larger(w->cells[k], widest_line(c->label[k], room));
    }
}

/* Narrows the widest text column. False if no column can be narrowed. */
static bool narrow_text(const mt_columns *c, widths *w, size_t excess)
{
    size_t widest = c->n;
    for (size_t k = 0; k < c->n; k++)
        if (c->text[k] && w->cells[k] > w->least[k] && (widest == c->n || w->cells[k] > w->cells[widest]))
            widest = k;
    if (widest == c->n) return false;
    const size_t least = w->least[widest];
    w->cells[widest] = w->cells[widest] > least + excess ? w->cells[widest] - excess : least;
    return true;
}

/* Wraps headings down to `heading` characters. True if the table then fits. */
static bool wrap(const mt_columns *c, widths *w, size_t heading)
{
    for (size_t wide = MT_COLUMNS_WIDTH; wide >= heading; wide--) {
        wrap_headings(c, w, wide);
        if (total(c, w) <= MT_COLUMNS_WIDTH) return true;
    }
    return false;
}

static widths measure(const mt_columns *c)
{
    widths w;
    measure_cells(c, &w);
    bool fits = wrap(c, &w, HEADING);
    while (!fits && narrow_text(c, &w, total(c, &w) - MT_COLUMNS_WIDTH)) fits = wrap(c, &w, HEADING);
    if (!fits && !wrap(c, &w, 1)) {
        measure_cells(c, &w);
        wrap_headings(c, &w, HEADING);
        for (size_t k = 0; k < c->n; k++)
            if (w.of[k] > PART_TEXT && c->text[k]) w.of[k] = larger(PART_TEXT, c->least[k]);
    }
    return w;
}

/* Columns printed in one part. */
typedef struct part {
    size_t n, column[MT_COLUMNS_MAX];
    size_t wide; /* their total width */
} part;

/* Returns the next part, from column `next` on; each part contains the first column. */
static part next_part(const mt_columns *c, const widths *w, size_t *next)
{
    part p = {0};
    if (c->n == 0) return p;
    p = (part){.n = 1, .wide = w->of[0]};
    if (*next == 0) *next = 1;
    for (; *next < c->n; (*next)++) {
        const size_t wide = p.wide + GAP + w->of[*next];
        if (wide > MT_COLUMNS_WIDTH && p.n > 1) break;
        p.column[p.n++] = *next;
        p.wide = wide;
    }
    return p;
}

static void put_blanks(FILE *stream, size_t n)
{
    for (size_t k = 0; k < n; k++) (void)fputc(' ', stream);
}

static void put_rule(FILE *stream, size_t n)
{
    for (size_t k = 0; k < n; k++) (void)fputs("\u2500", stream);
    (void)fputc('\n', stream);
}

/* Prints one line of each text and advances the texts. Blanks are printed only before a text, or before a column of the first line. */
static void put_line(FILE *stream, const mt_columns *c, const widths *w, const part *p, const char **text,
    const size_t *indent, bool first)
{
    size_t blanks = 0;
    for (size_t j = 0; j < p->n; j++) {
        const size_t k = p->column[j], room = w->of[k] - indent[j];
        const size_t bytes = first_line(text[j], room), left = room - characters(text[j], bytes);
        blanks += (j ? GAP : 0) + indent[j] + (c->right[k] ? left : 0);
        if (bytes > 0 || first) {
            put_blanks(stream, blanks);
            blanks = 0;
        }
        (void)fwrite(text[j], 1, bytes, stream);
        if (!c->right[k]) blanks += left;
        text[j] = after_line(text[j], bytes);
    }
    (void)fputc('\n', stream);
}

static bool any_left(size_t n, const char *const *text)
{
    for (size_t j = 0; j < n; j++)
        if (*text[j]) return true;
    return false;
}

static void put_lines(FILE *stream, const mt_columns *c, const widths *w, const part *p, const char **text,
    const size_t *indent)
{
    put_line(stream, c, w, p, text, indent, true);
    while (any_left(p->n, text)) put_line(stream, c, w, p, text, indent, false);
}

static void put_headings(FILE *stream, const mt_columns *c, const widths *w, const part *p)
{
    const size_t indent[MT_COLUMNS_MAX] = {0};
    const char *label[MT_COLUMNS_MAX], *unit[MT_COLUMNS_MAX];
    bool units = false;
    for (size_t j = 0; j < p->n; j++) {
        label[j] = c->label[p->column[j]];
        unit[j] = c->unit[p->column[j]];
        units = units || unit[j][0];
    }
    put_lines(stream, c, w, p, label, indent);
    if (units) put_lines(stream, c, w, p, unit, indent);
}

static void put_row(FILE *stream, const mt_columns *c, const widths *w, const part *p, size_t row)
{
    char buffer[MT_COLUMNS_MAX][MT_COLUMNS_CELL];
    const char *text[MT_COLUMNS_MAX];
    size_t indent[MT_COLUMNS_MAX];
    for (size_t j = 0; j < p->n; j++) {
        int level = 0;
        text[j] = c->cell(c->of, row, p->column[j], buffer[j], &level);
        indent[j] = INDENT * (size_t)level;
        if (indent[j] >= w->of[p->column[j]]) indent[j] = 0;
    }
    put_lines(stream, c, w, p, text, indent);
}

static void put_title(FILE *stream, const char *title)
{
    do {
        const size_t bytes = first_line(title, MT_COLUMNS_WIDTH);
        (void)fprintf(stream, "%.*s\n", (int)bytes, title);
        title = after_line(title, bytes);
    } while (*title);
}

void mt_columns_print(FILE *stream, const mt_columns *columns)
{
    const widths w = measure(columns);
    size_t next = 0;
    put_title(stream, columns->title);
    do {
        const part p = next_part(columns, &w, &next);
        put_rule(stream, p.wide);
        put_headings(stream, columns, &w, &p);
        put_rule(stream, p.wide);
        for (size_t row = 0; row < columns->n_rows; row++) put_row(stream, columns, &w, &p, row);
        put_rule(stream, p.wide);
    } while (next < columns->n);
}
