#include "app/results/ensemble_quantities.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the columns ---- */

/* A table that is being searched. */
typedef struct search {
    mt_arena *arena;
    const mt_table *table;
    mt_ensemble_quantities *found;
    size_t room;
} search;

static const mt_value *cell(const search *s, size_t row, size_t column)
{
    return &s->table->values[row * s->table->n_columns + column];
}

/* Finds the beat of each row: a member without results has no beat. */
static mt_status find_beats(search *s)
{
    mt_ensemble_quantities *q = s->found;
    const mt_table *t = s->table;
    size_t beat = t->n_columns;
    for (size_t c = 0; c < t->n_columns; c++)
        if (strcmp(t->columns[c].key, "beat") == 0) beat = c;
    q->beats = beat < t->n_columns;
    MT_ALLOC(s->arena, q->beat, q->n_rows);
    for (size_t r = 0; r < q->n_rows && q->beats; r++)
        q->beat[r] = cell(s, r, beat)->number > 0 ? (size_t)cell(s, r, beat)->number : 0;
    return MT_OK;
}

/* Adds a quantity without values. There is room for each. */
static mt_status add(search *s, size_t column, const char *label, const char *unit, bool is_result,
    mt_ensemble_quantity **added)
{
    *added = &s->found->of[s->found->n];
    **added = (mt_ensemble_quantity){
        .label = label, .unit = unit, .key = s->table->columns[column].key, .is_result = is_result};
    MT_ALLOC(s->arena, (*added)->value, s->found->n_rows);
    s->found->n++;
    return MT_OK;
}

/* Fills in the numbers of a column. *n: their number. */
static void take_numbers(const search *s, size_t column, mt_ensemble_quantity *q, size_t *n)
{
    *n = 0;
    for (size_t r = 0; r < s->found->n_rows; r++) {
        const mt_value *v = cell(s, r, column);
        q->value[r] = v->is_number && isfinite(v->number) ? v->number : NAN;
        *n += isnan(q->value[r]) ? 0 : 1;
    }
}

/* Fills in the categories of a column of words. */
static mt_status take_words(const search *s, size_t column, mt_ensemble_quantity *q)
{
    MT_ALLOC(s->arena, q->word, s->found->n_rows);
    for (size_t r = 0; r < s->found->n_rows; r++) {
        const char *text = cell(s, r, column)->text;
        size_t k = 0;
        q->value[r] = NAN;
        if (!text) continue;
        while (k < q->n_words && strcmp(q->word[k], text) != 0) k++;
        if (k == q->n_words) q->word[q->n_words++] = text;
        q->value[r] = (double)k;
    }
    return MT_OK;
}

/* ---- lists of factors ---- */

/* Returns the next entry of a list after `at`; its end if there is none. */
static const char *next_entry(const char *at)
{
    at += strcspn(at, ",");
    return at + strspn(at, ", ");
}

static const char *first_entry(const char *text) { return text + strspn(text, "[ "); }

/* Returns the number of "name=number" in the text of a cell that has this name, up to n characters; NaN if there is none. */
static double named_number(const char *text, const char *name, size_t n)
{
    if (!text) return NAN;
    for (const char *at = first_entry(text); *at; at = next_entry(at)) {
        char *end;
        if (strncmp(at, name, n) != 0 || at[n] != '=') continue;
        const double number = strtod(at + n + 1, &end);
        return end > at + n + 1 && strchr(",] ", *end) ? number : NAN;
    }
    return NAN;
}

/* Returns the number of named entries in the list of the first row; 0 if it is no list. */
static size_t count_factors(const search *s, size_t column)
{
    size_t n = 0;
    const char *text = s->found->n_rows > 0 ? cell(s, 0, column)->text : NULL;
    if (!text || text[0] != '[') return 0;
    for (const char *at = first_entry(text); *at; at = next_entry(at)) n += at[strcspn(at, "=,]")] == '=';
    return n;
}

static mt_status add_factors(search *s, size_t column)
{
    for (const char *at = first_entry(cell(s, 0, column)->text); *at; at = next_entry(at)) {
        const size_t n = strcspn(at, "=,]");
        mt_ensemble_quantity *q;
        char *name;
        if (at[n] != '=') continue;
        MT_ALLOC(s->arena, name, n + 1);
        memcpy(name, at, n);
        MT_TRY(add(s, column, name, "", false, &q));
        q->is_factor = true;
        for (size_t r = 0; r < s->found->n_rows; r++)
            q->value[r] = named_number(cell(s, r, column)->text, name, n);
    }
    return MT_OK;
}

/* ---- all ---- */

static mt_status add_key(search *s, size_t column)
{
    mt_ensemble_quantity *q;
    size_t n;
    if (count_factors(s, column) > 0) return add_factors(s, column);
    MT_TRY(add(s, column, s->table->columns[column].label, "", false, &q));
    take_numbers(s, column, q, &n);
    return n > 0 ? MT_OK : take_words(s, column, q);
}

static mt_status add_result(search *s, size_t column)
{
    const mt_column *c = &s->table->columns[column];
    const bool of_point = strncmp(c->key, "activation_", 11) == 0;
    mt_ensemble_quantity *q;
    char *label;
    size_t n;
    if (strcmp(c->key, "beat") == 0) return MT_OK;
    MT_ALLOC(s->arena, label, strlen(c->label) + 12);
    (void)snprintf(label, strlen(c->label) + 12, "%s%s", of_point ? "activation " : "", c->label);
    MT_TRY(add(s, column, label, c->unit, true, &q));
    take_numbers(s, column, q, &n);
    if (n == 0) s->found->n--; /* a column of words, or empty */
    return MT_OK;
}

mt_status mt_ensemble_quantities_find(
    mt_arena *arena, const mt_table *table, size_t n_keys, mt_ensemble_quantities *found)
{
    search s = {.arena = arena, .table = table, .found = found};
    *found = (mt_ensemble_quantities){0};
    MT_TRY(table->status);
    found->n_rows = table->n_columns ? table->n_values / table->n_columns : 0;
    MT_TRY(find_beats(&s));
    size_t most = table->n_columns;
    for (size_t c = 1; c <= n_keys; c++) most += count_factors(&s, c);
    MT_ALLOC(arena, found->of, most);
    for (size_t c = 1; c <= n_keys; c++) MT_TRY(add_key(&s, c));
    for (size_t c = 1 + n_keys; c < table->n_columns; c++) MT_TRY(add_result(&s, c));
    return MT_OK;
}

/* ---- statistics ---- */

/* Returns the percentile of n sorted numbers. */
static double percentile(const double *sorted, size_t n, double percent)
{
    const double rank = (double)(n - 1) * percent / 100, below = floor(rank);
    const size_t k = (size_t)below;
    return k + 1 < n ? sorted[k] + (rank - below) * (sorted[k + 1] - sorted[k]) : sorted[n - 1];
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

mt_status mt_ensemble_statistics_of(const mt_ensemble_quantities *quantities, size_t quantity, size_t beat,
    mt_ensemble_statistics *statistics)
{
    MT_SCRATCH(scratch);
    const double *value = quantities->of[quantity].value;
    double *sorted;
    size_t n = 0;
    *statistics = (mt_ensemble_statistics){0, NAN, NAN, NAN, NAN, NAN};
    MT_ALLOC(scratch, sorted, quantities->n_rows);
    for (size_t r = 0; r < quantities->n_rows; r++)
        if (!isnan(value[r]) && (beat == 0 || quantities->beat[r] == beat)) sorted[n++] = value[r];
    if (n == 0) return MT_OK;
    qsort(sorted, n, sizeof *sorted, compare);
    *statistics = (mt_ensemble_statistics){n, sorted[0], percentile(sorted, n, 5), percentile(sorted, n, 50),
        percentile(sorted, n, 95), sorted[n - 1]};
    return MT_OK;
}
