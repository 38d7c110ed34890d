#include "app/commands/run/members.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "app/commands/run/sweep_values.h"
#include "data/core/utf8.h"
#include "data/files/csv.h"

/* ---- sweeps ---- */

mt_status mt_members_of_sweep(mt_arena *arena, const char *text, mt_members *members)
{
    mt_sweep_values values;
    mt_member *member;
    const char **key;
    MT_TRY(mt_sweep_values_read(arena, text, &values));
    MT_ALLOC(arena, key, 1);
    MT_ALLOC(arena, member, values.n);
    key[0] = values.key;
    for (size_t k = 0; k < values.n; k++) {
        mt_yaml_override *set;
        const char **value;
        MT_ALLOC(arena, set, 1);
        MT_ALLOC(arena, value, 1);
        *set = (mt_yaml_override){"--sweep", values.value[k].set};
        *value = values.value[k].text;
        member[k] = (mt_member){values.value[k].name, "--sweep", value, set};
    }
    *members = (mt_members){true, 1, values.n, key, member};
    return MT_OK;
}

/* ---- tables ---- */

/* A table that is being read. */
typedef struct reading {
    mt_arena *arena;
    const char *path;
    const char *const *taken;
    mt_csv csv;
    bool named; /* true if the first column has the names */
    const char **key;
    mt_member *member;
} reading;

/* Copies a text without the blanks at both ends. */
static mt_status trim(mt_arena *arena, const char *text, const char **trimmed)
{
    char *own;
    while (isspace((unsigned char)*text)) text++;
    size_t n = strlen(text);
    while (n > 0 && isspace((unsigned char)text[n - 1])) n--;
    MT_ALLOC(arena, own, n + 1);
    memcpy(own, text, n);
    *trimmed = own;
    return MT_OK;
}

static mt_status read_header(reading *r)
{
    const size_t n = r->csv.n_columns;
    MT_ALLOC(r->arena, r->key, n);
    for (size_t c = 0; c < n; c++) MT_TRY(trim(r->arena, r->csv.column[c], &r->key[c]));
    r->named = strcmp(r->key[0], "name") == 0;
    if (n == (r->named ? 1 : 0))
        return mt_fail(MT_INPUT, "%s:1: no key of the case; allowed: name and at least one key", r->path);
    for (size_t c = 0; c < n; c++) {
        if (!r->key[c][0] || strchr(r->key[c], '='))
            return mt_fail(MT_INPUT, "%s:1: column %zu: '%s'; allowed: a key of the case, or name first",
                r->path, c + 1, mt_utf8_shown(r->key[c]));
        for (size_t other = 0; other < c; other++)
            if (strcmp(r->key[other], r->key[c]) == 0)
                return mt_fail(MT_INPUT, "%s:1: %s in columns %zu and %zu; allowed: once", r->path,
                    mt_utf8_shown(r->key[c]), other + 1, c + 1);
    }
    return MT_OK;
}

/* Returns the line of a row. Cells have no line ends, as read_row checks the rows in their order. */
static size_t line_of(size_t row) { return row + 2; }

/* Returns the reason why a name cannot be that of a folder in the folder of the ensemble; NULL if it can. */
static const char *objection(const reading *r, const char *name)
{
    if (!name[0]) return "no name";
    if (strlen(name) > MT_SWEEP_NAME_MAX) return "too long";
    if (name[0] == '.') return "a dot at the start";
    for (const char *c = name; *c; c++)
        if (*c == '/' || iscntrl((unsigned char)*c)) return "a character that names of folders exclude";
    for (const char *const *taken = r->taken; *taken; taken++)
        if (strcmp(name, *taken) == 0) return "the name of a file of the ensemble";
    return NULL;
}

static mt_status name_member(reading *r, size_t row)
{
    mt_member *m = &r->member[row];
    char *number;
    MT_ALLOC(r->arena, number, 24);
    (void)snprintf(number, 24, "%03zu", row + 1);
    m->name = number;
    if (r->named) MT_TRY(trim(r->arena, r->csv.cell[row * r->csv.n_columns], &m->name));
    const char *why = objection(r, m->name);
    if (why)
        return mt_fail(MT_INPUT,
            "%s:%zu: name: '%s': %s; allowed: at most %d characters without / that do not begin with a dot",
            r->path, line_of(row), mt_utf8_shown(m->name), why, MT_SWEEP_NAME_MAX);
    for (size_t other = 0; other < row; other++)
        if (strcmp(r->member[other].name, m->name) == 0)
            return mt_fail(MT_INPUT, "%s:%zu: name: %s, as in line %zu; allowed: different names", r->path,
                line_of(row), mt_utf8_shown(m->name), line_of(other));
    return MT_OK;
}

/* Reads the value of a key: its text, and "key=text". */
static mt_status read_value(reading *r, size_t row, size_t column, const char **value, mt_yaml_override *set)
{
    char *text;
    MT_TRY(trim(r->arena, r->csv.cell[row * r->csv.n_columns + column], value));
    const char *key = r->key[column];
    if (!**value || strpbrk(*value, "\r\n"))
        return mt_fail(MT_INPUT, "%s:%zu: %s: %s; allowed: a value, as in --set", r->path, line_of(row),
            mt_utf8_shown(key), **value ? "several lines" : "empty");
    const size_t n = strlen(key) + strlen(*value) + 2;
    MT_ALLOC(r->arena, text, n);
    (void)snprintf(text, n, "%s=%s", key, *value);
    *set = (mt_yaml_override){r->member[row].place, text};
    return MT_OK;
}

static mt_status read_row(reading *r, size_t row)
{
    const size_t first = r->named ? 1 : 0, n = r->csv.n_columns - first;
    mt_yaml_override *set;
    const char **value;
    char *place;
    MT_ALLOC(r->arena, set, n);
    MT_ALLOC(r->arena, value, n);
    MT_ALLOC(r->arena, place, strlen(r->path) + 24);
    (void)snprintf(place, strlen(r->path) + 24, "%s:%zu:", r->path, line_of(row));
    r->member[row] = (mt_member){.place = place, .value = value, .set = set};
    MT_TRY(name_member(r, row));
    for (size_t c = 0; c < n; c++) MT_TRY(read_value(r, row, first + c, &value[c], &set[c]));
    return MT_OK;
}

mt_status mt_members_read(mt_arena *arena, const char *path, const char *const *taken, mt_members *members)
{
    reading r = {.arena = arena, .path = path, .taken = taken};
    MT_TRY(mt_csv_read(arena, path, &r.csv));
    MT_TRY(read_header(&r));
    if (r.csv.n_rows == 0)
        return mt_fail(MT_INPUT, "%s: no rows; allowed: a row for each member after the header", path);
    MT_ALLOC(arena, r.member, r.csv.n_rows);
    for (size_t row = 0; row < r.csv.n_rows; row++) MT_TRY(read_row(&r, row));
    const size_t first = r.named ? 1 : 0;
    *members = (mt_members){false, r.csv.n_columns - first, r.csv.n_rows, r.key + first, r.member};
    return MT_OK;
}
