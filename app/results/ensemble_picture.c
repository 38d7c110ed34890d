#include "app/results/ensemble_picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/draw/chart/scatter.h"

/* The quantities of the picture. */
typedef struct drawn {
    mt_arena *arena;
    const mt_table *table;
    size_t n, *row; /* rows of the first beat */
    size_t n_results, n_parameters, n_omitted;
    mt_scatter_quantity result[MT_SCATTER_RESULTS_MAX], parameter[MT_SCATTER_PARAMETERS_MAX];
} drawn;

static const mt_value *cell(const drawn *d, size_t k, size_t column)
{
    return &d->table->values[d->row[k] * d->table->n_columns + column];
}

/* Finds the rows of the first beat: a member without results has no beat. */
static mt_status find_rows(drawn *d)
{
    const mt_table *t = d->table;
    const size_t n_rows = t->n_columns ? t->n_values / t->n_columns : 0;
    size_t beat = t->n_columns;
    for (size_t c = 0; c < t->n_columns; c++)
        if (strcmp(t->columns[c].key, "beat") == 0) beat = c;
    MT_ALLOC(d->arena, d->row, n_rows);
    for (size_t r = 0; r < n_rows; r++)
        if (beat == t->n_columns || !(t->values[r * t->n_columns + beat].number > 1)) d->row[d->n++] = r;
    return MT_OK;
}

/* True if at least two finite values differ, and none is infinite. */
static bool varies(size_t n, const double *value)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t k = 0; k < n; k++)
        if (!isnan(value[k])) least = fmin(least, value[k]), most = fmax(most, value[k]);
    return isfinite(least) && isfinite(most) && most > least;
}

/* Returns the number of "name=number" in the text of a cell that has this name, up to n characters; NaN if there is none. */
static double named_number(const char *text, const char *name, size_t n)
{
    if (!text) return NAN;
    for (const char *at = text + strspn(text, "[ "); *at; at += strcspn(at, ","), at += strspn(at, ", ")) {
        char *end;
        if (strncmp(at, name, n) != 0 || at[n] != '=') continue;
        const double number = strtod(at + n + 1, &end);
        return end > at + n + 1 && strchr(",] ", *end) ? number : NAN;
    }
    return NAN;
}

/* Adds a quantity, unless it is constant or there is no room. */
static void add(
    drawn *d, size_t most, const char *name, const double *value, size_t *n, mt_scatter_quantity *to)
{
    if (!varies(d->n, value)) return;
    if (*n < most)
        to[(*n)++] = (mt_scatter_quantity){name, value};
    else
        d->n_omitted++;
}

static mt_status column_values(const drawn *d, size_t column, double **value)
{
    MT_ALLOC(d->arena, *value, d->n);
    for (size_t k = 0; k < d->n; k++) {
        const mt_value *v = cell(d, k, column);
        (*value)[k] = v->is_number ? v->number : NAN;
    }
    return MT_OK;
}

/* Adds a parameter for each name in the lists of a key. The names are those of the first member. */
static mt_status add_lists(drawn *d, size_t column)
{
    const char *first = cell(d, 0, column)->text;
    if (!first || first[0] != '[') return MT_OK;
    for (const char *at = first + strspn(first, "[ "); *at; at += strcspn(at, ","), at += strspn(at, ", ")) {
        const size_t n = strcspn(at, "=,]");
        double *value;
        char *name;
        if (at[n] != '=') continue;
        MT_ALLOC(d->arena, value, d->n);
        MT_ALLOC(d->arena, name, n + 1);
        memcpy(name, at, n);
        for (size_t k = 0; k < d->n; k++) value[k] = named_number(cell(d, k, column)->text, name, n);
        add(d, MT_SCATTER_PARAMETERS_MAX, name, value, &d->n_parameters, d->parameter);
    }
    return MT_OK;
}

static mt_status add_parameters(drawn *d, size_t n_keys)
{
    for (size_t c = 1; c <= n_keys; c++) {
        double *value;
        MT_TRY(column_values(d, c, &value));
        add(d, MT_SCATTER_PARAMETERS_MAX, d->table->columns[c].label, value, &d->n_parameters, d->parameter);
        MT_TRY(add_lists(d, c));
    }
    return MT_OK;
}

/* Returns the rank of a result: those of a low rank are drawn first. */
static int rank_of(const char *key)
{
    static const char *const beginning[] = {"latest_", "median_", "activation_", "qrs_"};
    for (int k = 0; k < 4; k++)
        if (strncmp(key, beginning[k], strlen(beginning[k])) == 0) return k;
    return 4;
}

static mt_status add_results(drawn *d, size_t n_keys)
{
    for (int rank = 0; rank <= 4; rank++)
        for (size_t c = 1 + n_keys; c < d->table->n_columns; c++) {
            const mt_column *column = &d->table->columns[c];
            double *value;
            char *name;
            if (rank_of(column->key) != rank || strcmp(column->key, "beat") == 0) continue;
            MT_TRY(column_values(d, c, &value));
            const size_t n = strlen(column->label) + strlen(column->unit) + 16;
            MT_ALLOC(d->arena, name, n);
            (void)snprintf(name, n, "%s%s%s%s",
                strncmp(column->key, "activation_", 11) == 0 ? "activation " : "", column->label,
                column->unit[0] ? ", " : "", column->unit);
            add(d, MT_SCATTER_RESULTS_MAX, name, value, &d->n_results, d->result);
        }
    return MT_OK;
}

mt_status mt_ensemble_picture(const char *path, const mt_table *table, size_t n_keys, bool *written)
{
    MT_SCRATCH(scratch);
    drawn d = {.arena = scratch, .table = table};
    char note[160];
    *written = false;
    MT_TRY(table->status);
    MT_TRY(find_rows(&d));
    if (d.n < 2) return MT_OK;
    MT_TRY(add_parameters(&d, n_keys));
    MT_TRY(add_results(&d, n_keys));
    if (d.n_results == 0) return MT_OK;
    (void)snprintf(note, sizeof note, "%zu members; r: Pearson's correlation coefficient", d.n);
    if (d.n_omitted > 0)
        (void)snprintf(note + strlen(note), sizeof note - strlen(note),
            "; %zu further columns are in the table", d.n_omitted);
    const mt_scatter scatter = {.title = table->title,
        .note = note,
        .n = d.n,
        .n_results = d.n_results,
        .n_parameters = d.n_parameters,
        .result = d.result,
        .parameter = d.parameter};
    *written = true;
    return mt_scatter_write(path, &scatter);
}
