#include "solver/cells/tabulated.h"

#include <math.h>
#include <string.h>

enum {
    NODES = MT_TABLE_COEFFICIENTS,       /* of the interpolation */
    BETWEEN = MT_TABLE_COEFFICIENTS + 1, /* points at which errors are largest */
    POINTS = NODES + BETWEEN,
    TABLES_MAX = 256
};

/* Points of an interval, from -1 to 1: cos((2 k + 1) pi / 10), then cos(k pi / 5), of which the ends stay within the interval, since a
 * function can be another one beyond. */
static const double point[POINTS] = {0.95105651629515357, 0.58778525229247313, 0, -0.58778525229247313,
    -0.95105651629515357, 0.9999, 0.80901699437494742, 0.30901699437494742, -0.30901699437494742,
    -0.80901699437494742, -0.9999};

typedef struct work {
    const mt_cell_model *model;
    size_t stride;
    double v_mV[MT_TABLE_POINTS], *of_v; /* [MT_TABLE_POINTS][n_functions] */
    double *first; /* [n_tables][MT_TABLE_POINTS][n_functions] of the tables made so far */
    double error;
} work;

void mt_table_points(double v_mV[MT_TABLE_POINTS])
{
    const double half_mV = 0.5 * MT_TABLE_WIDTH_mV;
    for (size_t k = 0; k < MT_TABLE_POINTS; k++)
        v_mV[k] = MT_TABLE_FIRST_mV + half_mV * (double)(2 * (k / POINTS) + 1) + half_mV * point[k % POINTS];
}

/* Computes the coefficients of the interpolation of y[NODES], by ascending powers of a number from -1 to 1, from those of Chebyshev
 * polynomials. */
static void interpolate(const double y[NODES], double a[NODES])
{
    double c[NODES] = {0};
    for (int k = 0; k < NODES; k++) {
        double before = 1, now = point[k];
        c[0] += y[k] / NODES;
        for (int j = 1; j < NODES; j++) {
            c[j] += 2 * y[k] * now / NODES;
            const double next = 2 * point[k] * now - before;
            before = now;
            now = next;
        }
    }
    _Static_assert(NODES == 5, "the powers in the Chebyshev polynomials up to degree 4");
    a[0] = c[0] - c[2] + c[4];
    a[1] = c[1] - 3 * c[3];
    a[2] = 2 * c[2] - 8 * c[4];
    a[3] = 4 * c[3];
    a[4] = 8 * c[4];
}

/* Computes the coefficients of a function in an interval from its values at the points, and returns the largest error, relative to the
 * largest magnitude. */
static double fit(const double y[POINTS], double a[NODES])
{
    double largest = 0, error = 0;
    for (int k = 0; k < POINTS; k++) {
        largest = fmax(largest, fabs(y[k]));
        if (!isfinite(y[k])) return INFINITY;
    }
    interpolate(y, a);
    for (int k = NODES; k < POINTS; k++) {
        double sum = 0;
        for (int power = NODES - 1; power >= 0; power--) sum = sum * point[k] + a[power];
        error = fmax(error, fabs(sum - y[k]));
    }
    return largest > 0 ? error / largest : 0;
}

double mt_table_error(const double of_v[MT_TABLE_POINTS])
{
    double error = 0, a[NODES];
    for (size_t k = 0; k < MT_TABLE_POINTS; k += POINTS) error = fmax(error, fit(of_v + k, a));
    return error;
}

/* Fills the coefficients of a function in an interval, and returns the error. */
static double fill_interval(const work *w, size_t interval, size_t function, float *to)
{
    const size_t n = w->model->n_functions;
    double y[POINTS], a[NODES] = {0}, scale = 1;
    for (size_t k = 0; k < POINTS; k++) y[k] = w->of_v[(interval * POINTS + k) * n + function];
    const double error = fit(y, a);
    for (int k = 0; k < NODES; k++) {
        to[(size_t)(NODES - 1 - k) * w->stride] = (float)(a[k] / scale);
        scale *= 0.5 * MT_TABLE_WIDTH_mV;
    }
    return error;
}

/* Fills a table. */
static mt_status fill_table(work *w, float *table)
{
    const size_t n = w->model->n_functions;
    for (size_t interval = 0; interval < MT_TABLE_INTERVALS; interval++)
        for (size_t f = 0; f < n; f++) {
            const double error = fill_interval(w, interval, f, table + interval * NODES * w->stride + f);
            if (!(error <= MT_TABULATED_ERROR))
                return mt_fail(MT_INPUT,
                    "cell.evaluation: tabulated, but between %d and %d mV function %zu of V of %s has an "
                    "error of %.2g in its table; the largest allowed is %g; allowed: exact",
                    MT_TABLE_FIRST_mV + MT_TABLE_WIDTH_mV * (int)interval,
                    MT_TABLE_FIRST_mV + MT_TABLE_WIDTH_mV * (int)(interval + 1), f, w->model->name, error,
                    MT_TABULATED_ERROR);
            w->error = fmax(w->error, error);
        }
    return MT_OK;
}

/* Returns the table with the functions of w->of_v, or n if there is none. */
static size_t find_table(const work *w, size_t n)
{
    const size_t numbers = MT_TABLE_POINTS * w->model->n_functions;
    for (size_t k = 0; k < n; k++)
        if (memcmp(w->first + k * numbers, w->of_v, numbers * sizeof *w->of_v) == 0) return k;
    return n;
}

/* Makes the tables of n variants; those with the same functions share one. */
static mt_status make_tables(mt_arena *arena, work *w, const mt_cell_variant *variants, size_t n,
    double dt_ms, bool multirate, mt_tables *tables)
{
    const mt_cell_model *model = w->model;
    const size_t numbers = MT_TABLE_POINTS * model->n_functions,
                 size = MT_TABLE_INTERVALS * MT_TABLE_COEFFICIENTS * w->stride,
                 most = n < TABLES_MAX ? n : TABLES_MAX;
    mt_cell_functions *functions = model->functions[mt_kernels_used()->set];
    double constants[MT_CELL_CONSTANTS];
    float *coefficient;
    uint16_t *of;
    size_t n_tables = 0;
    MT_SCRATCH(scratch);
    MT_ALLOC(scratch, w->of_v, numbers);
    MT_ALLOC(scratch, w->first, most * numbers);
    MT_ALLOC(arena, coefficient, most * size);
    MT_ALLOC(arena, of, n);
    for (size_t v = 0; v < n; v++) {
        mt_cell_constants_double(model, &variants[v], 1, constants);
        functions(model, constants, dt_ms, multirate, MT_TABLE_POINTS, w->v_mV, w->of_v);
        const size_t table = find_table(w, n_tables);
        of[v] = (uint16_t)table;
        if (table < n_tables) continue;
        if (table == TABLES_MAX)
            return mt_fail(MT_INPUT,
                "cell.evaluation: tabulated, but the functions of V differ between more than %d variants "
                "of %s; allowed: exact",
                TABLES_MAX, model->name);
        MT_TRY(fill_table(w, coefficient + table * size));
        memcpy(w->first + table * numbers, w->of_v, numbers * sizeof *w->of_v);
        n_tables++;
    }
    *tables = (mt_tables){n_tables, coefficient, of};
    return MT_OK;
}

mt_status mt_cell_tabulate(mt_arena *arena, const mt_cell_model *model, const mt_cell_variant *variants,
    size_t n, double dt_ms, bool multirate, const mt_cell_model **tabulated, double *error)
{
    MT_SCRATCH(scratch);
    work *w;
    mt_cell_model *row;
    mt_tables *tables;
    if (model->n_functions == 0)
        return mt_fail(MT_INPUT, "cell.evaluation: found tabulated; allowed for %s: exact", model->name);
    MT_ALLOC(scratch, w, 1);
    MT_ALLOC(arena, row, 1);
    MT_ALLOC(arena, tables, 1);
    w->model = model;
    w->stride = MT_TABLE_STRIDE(model->n_functions);
    mt_table_points(w->v_mV);
    MT_TRY(make_tables(arena, w, variants, n, dt_ms, multirate, tables));
    *row = *model;
    row->tables = tables;
    *tabulated = row;
    *error = w->error;
    return MT_OK;
}
