#include "app/results/ensemble_picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/draw/chart/scatter.h"
#include "app/results/ensemble_quantities.h"

/* The quantities of the picture, over the rows of the first beat. */
typedef struct drawn {
    mt_arena *arena;
    mt_ensemble_quantities all;
    size_t n, *row;
    size_t n_results, n_parameters, n_omitted;
    mt_scatter_quantity result[MT_SCATTER_RESULTS_MAX], parameter[MT_SCATTER_PARAMETERS_MAX];
} drawn;

static mt_status find_rows(drawn *d)
{
    MT_ALLOC(d->arena, d->row, d->all.n_rows);
    for (size_t r = 0; r < d->all.n_rows; r++)
        if (d->all.beat[r] <= 1) d->row[d->n++] = r;
    return MT_OK;
}

/* True if at least two values differ. */
static bool varies(size_t n, const double *value)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t k = 0; k < n; k++)
        if (!isnan(value[k])) least = fmin(least, value[k]), most = fmax(most, value[k]);
    return most > least;
}

/* Adds a quantity, unless it is constant or there is no room. */
static mt_status add(drawn *d, size_t most, const mt_ensemble_quantity *q, size_t *n, mt_scatter_quantity *to)
{
    const size_t size = strlen(q->label) + strlen(q->unit) + 3;
    double *value;
    char *name;
    MT_ALLOC(d->arena, value, d->n);
    for (size_t k = 0; k < d->n; k++) value[k] = q->value[d->row[k]];
    if (!varies(d->n, value)) return MT_OK;
    if (*n == most) {
        d->n_omitted++;
        return MT_OK;
    }
    MT_ALLOC(d->arena, name, size);
    (void)snprintf(name, size, "%s%s%s", q->label, q->unit[0] ? ", " : "", q->unit);
    to[(*n)++] = (mt_scatter_quantity){name, value};
    return MT_OK;
}

static mt_status add_parameters(drawn *d)
{
    for (size_t k = 0; k < d->all.n; k++) {
        const mt_ensemble_quantity *q = &d->all.of[k];
        if (!q->is_result && q->n_words == 0)
            MT_TRY(add(d, MT_SCATTER_PARAMETERS_MAX, q, &d->n_parameters, d->parameter));
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

static mt_status add_results(drawn *d)
{
    for (int rank = 0; rank <= 4; rank++)
        for (size_t k = 0; k < d->all.n; k++) {
            const mt_ensemble_quantity *q = &d->all.of[k];
            if (q->is_result && rank_of(q->key) == rank)
                MT_TRY(add(d, MT_SCATTER_RESULTS_MAX, q, &d->n_results, d->result));
        }
    return MT_OK;
}

mt_status mt_ensemble_picture(const char *path, const mt_table *table, size_t n_keys, bool *written)
{
    MT_SCRATCH(scratch);
    drawn d = {.arena = scratch};
    char note[160];
    *written = false;
    MT_TRY(mt_ensemble_quantities_find(scratch, table, n_keys, &d.all));
    MT_TRY(find_rows(&d));
    if (d.n < 2) return MT_OK;
    MT_TRY(add_parameters(&d));
    MT_TRY(add_results(&d));
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
