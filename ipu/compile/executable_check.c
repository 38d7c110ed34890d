#include "ipu/compile/exchange.h"

static mt_status check_inside(
    const ipu_executable *e, size_t tile, size_t from, size_t bytes, const char *what)
{
    if (from >= e->tile_offset[tile] && from + bytes <= e->tile_offset[tile + 1]) return MT_OK;
    return mt_fail(MT_INPUT, "executable: %s [%zu, %zu) is not in tile %zu's memory [%zu, %zu)", what, from,
        from + bytes, tile, e->tile_offset[tile], e->tile_offset[tile + 1]);
}

/* Checks an input, and marks the bytes that its messages read and write. */
static mt_status check_input(const ipu_executable *e, const ipu_superstep *step, size_t tile,
    const ipu_input *input, unsigned char *mark)
{
    enum { READ = 1, WRITTEN = 2 };
    for (size_t i = input->first_message; i < input->first_message + input->n_messages; i++) {
        const ipu_message *m = &e->messages[i];
        const bool repeats = ipu_input_repeats(input, m);
        MT_TRY(check_inside(e, m->source_tile, m->source, m->bytes, "a source"));
        MT_TRY(check_inside(e, tile, m->destination, m->bytes, "a destination"));
        for (size_t b = 0; b < m->bytes; b++) {
            if ((!repeats && (mark[m->source + b] & WRITTEN)) || mark[m->destination + b])
                return mt_fail(MT_INPUT, "executable: '%s': message %zu overlaps another", step->name, i);
            if (!repeats) mark[m->source + b] |= READ;
            mark[m->destination + b] |= WRITTEN;
        }
    }
    return MT_OK;
}

static mt_status check_superstep(const ipu_executable *e, const ipu_superstep *step, unsigned char *mark)
{
    for (size_t t = 0; t < e->graph->target.tiles; t++) {
        for (size_t i = step->first_input[t]; i < step->first_input[t + 1]; i++)
            MT_TRY(check_input(e, step, t, &e->inputs[i], mark));
        for (size_t i = step->first_task[t]; i < step->first_task[t + 1]; i++) {
            const ipu_task *task = &e->tasks[i];
            for (size_t f = 0; f < task->codelet->n_fields; f++) {
                const size_t bytes = ipu_type_bytes(task->codelet->fields[f].type);
                size_t n;
                const ipu_place *p = ipu_task_places(e, task, f, &n);
                for (size_t k = 0; k < n; k++)
                    MT_TRY(check_inside(e, t, p[k].offset, p[k].n * bytes, "a field"));
            }
        }
    }
    return MT_OK;
}

/* Checks that a predicate is in the memory of its tile, and that its exchange can run. */
static mt_status check_control(const ipu_executable *e, const ipu_control *control)
{
    const size_t begin = e->tile_offset[control->tile], end = e->tile_offset[control->tile + 1];
    if (!ipu_program_has_predicate(control->program)) return MT_OK;
    if (control->place < begin || control->place + ipu_type_bytes(IPU_UNSIGNED_INT) > end)
        return mt_fail(MT_INPUT, "executable: a predicate at %zu is not in tile %u's memory [%zu, %zu)",
            control->place, control->tile, begin, end);
    return ipu_exchange_check_predicate(&e->graph->target, control);
}

mt_status ipu_executable_check(const ipu_executable *e)
{
    const size_t bytes = e->tile_offset[e->graph->target.tiles];
    for (size_t s = 0; s < e->graph->n_compute_sets; s++) {
        MT_SCRATCH(scratch);
        unsigned char *mark;
        MT_ALLOC(scratch, mark, bytes);
        MT_TRY(check_superstep(e, &e->supersteps[s], mark));
        MT_TRY(ipu_exchange_check_superstep(e, &e->supersteps[s]));
    }
    for (size_t c = 0; c < e->n_controls; c++) MT_TRY(check_control(e, &e->controls[c]));
    return MT_OK;
}
