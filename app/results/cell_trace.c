#include "app/results/cell_trace.h"

#include <math.h>

#include "data/core/number.h"

static void write_names(FILE *to, size_t n, const mt_cell_quantity *quantities)
{
    for (size_t k = 0; k < n; k++) {
        (void)fprintf(to, ",%s", quantities[k].name);
        if (*quantities[k].unit) (void)fprintf(to, "[%s]", quantities[k].unit);
    }
}

/* Writes numbers as cells; NaN is an empty cell. */
static void write_numbers(FILE *to, size_t n, const double *values)
{
    char number[MT_NUMBER_SIZE];
    for (size_t k = 0; k < n; k++) {
        mt_number_text(values[k], number);
        (void)fprintf(to, ",%s", isnan(values[k]) ? "" : number);
    }
}

mt_status mt_cell_trace_begin(mt_arena *arena, FILE *stream, const mt_cell_model *model, size_t first,
    double every, mt_cell_trace *trace)
{
    *trace = (mt_cell_trace){.stream = stream, .every = every, .first = first, .next = first};
    MT_ALLOC(arena, trace->current, model->n_currents);
    (void)fputs("t[ms],V[mV]", stream);
    write_names(stream, model->n_states, model->states);
    write_names(stream, model->n_currents, model->currents);
    (void)fputc('\n', stream);
    return MT_OK;
}

void mt_cell_trace_add(mt_cell_trace *trace, size_t steps, const mt_lone_cell *cell)
{
    static const double part_of_a_step = 1e-6; /* tolerance for rounding of the interval */
    if (steps < trace->next) return;
    const mt_cell_model *model = cell->model;
    const double *states = mt_lone_cell_states(cell);
    char time[MT_NUMBER_SIZE];
    mt_number_text((double)steps * cell->dt_ms, time);
    (void)fputs(time, trace->stream);
    write_numbers(trace->stream, 1, &cell->v_mV);
    write_numbers(trace->stream, model->n_states, states);
    if (model->currents_of) model->currents_of(model, cell->parameters, cell->v_mV, states, trace->current);
    write_numbers(trace->stream, model->n_currents, trace->current);
    (void)fputc('\n', trace->stream);
    trace->rows++;
    trace->next = trace->first + (size_t)ceil((double)trace->rows * trace->every - part_of_a_step);
}
