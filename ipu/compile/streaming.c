#include "ipu/compile/streaming.h"

#include "ipu/machine/integer.h"

bool ipu_streaming_any(const ipu_graph *graph)
{
    for (size_t v = 0; v < graph->n_variables; v++)
        if (graph->variables[v].dram) return true;
    return false;
}

/* The ranges of a tile are in the order of their offsets. */
const ipu_variable *ipu_streaming_variable(const ipu_executable *e, size_t tile, size_t offset)
{
    const size_t first = e->first_tile_range[tile];
    size_t low = first, high = e->first_tile_range[tile + 1];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (e->ranges[e->tile_range[middle]].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == first) return NULL;
    const ipu_range *range = &e->ranges[e->tile_range[low - 1]];
    const ipu_variable *v = &e->graph->variables[range->variable];
    return v->dram && offset < range->offset + range->n * ipu_type_bytes(v->type) ? v : NULL;
}

static void add_field(const ipu_executable *e, size_t tile, const ipu_task *task, size_t f, ipu_streaming *s)
{
    const ipu_field *field = &task->codelet->fields[f];
    size_t n;
    const ipu_place *place = ipu_task_places(e, task, f, &n);
    for (size_t k = 0; k < n; k++) {
        const uint64_t bytes = place[k].n * ipu_type_bytes(field->type);
        if (bytes == 0 || !ipu_streaming_variable(e, tile, place[k].offset)) continue;
        s->use.bytes += bytes;
        if (field->direction != IPU_OUTPUT) s->use.read += bytes;
        if (field->direction != IPU_INPUT) s->use.written += bytes;
        s->interleaved |= task->codelet->interleaved >> f & 1;
    }
}

ipu_streaming ipu_streaming_of(const ipu_executable *e, const ipu_superstep *step, size_t tile)
{
    ipu_streaming s = {0};
    for (size_t i = step->first_task[tile]; i < step->first_task[tile + 1]; i++)
        for (size_t f = 0; f < e->tasks[i].codelet->n_fields; f++) add_field(e, tile, &e->tasks[i], f, &s);
    return s;
}

/* ---- check ---- */

static mt_status check_task(const ipu_executable *e, const char *set, size_t tile, const ipu_task *task)
{
    const ipu_codelet *codelet = task->codelet;
    for (size_t f = 0; f < codelet->n_fields; f++) {
        size_t n;
        const ipu_place *place = ipu_task_places(e, task, f, &n);
        if (codelet->streamed >> f & 1) continue;
        for (size_t k = 0; k < n; k++) {
            const ipu_variable *v = place[k].n > 0 ? ipu_streaming_variable(e, tile, place[k].offset) : NULL;
            if (v)
                return mt_fail(MT_INPUT,
                    "compute set '%s': field '%s' of codelet '%s' takes variable '%s', which is outside of "
                    "the chip; allowed: fields that the codelet streams",
                    set, codelet->fields[f].name, codelet->name, v->name);
        }
    }
    return MT_OK;
}

static mt_status check_message(const ipu_executable *e, const char *set, size_t tile, const ipu_message *m)
{
    const ipu_variable *from = ipu_streaming_variable(e, m->source_tile, m->source),
                       *to = ipu_streaming_variable(e, tile, m->destination);
    if (!from && !to) return MT_OK;
    return mt_fail(MT_INPUT,
        "compute set '%s': tile %zu copies or receives elements of variable '%s', which is outside of the "
        "chip; allowed: vertices on the tile of the elements that take them as one range",
        set, tile, from ? from->name : to->name);
}

static mt_status check_superstep(const ipu_executable *e, const ipu_superstep *step)
{
    for (size_t t = 0; t < e->graph->target.tiles; t++) {
        for (size_t i = step->first_message[t]; i < step->first_message[t + 1]; i++)
            MT_TRY(check_message(e, step->name, t, &e->messages[i]));
        for (size_t i = step->first_task[t]; i < step->first_task[t + 1]; i++)
            MT_TRY(check_task(e, step->name, t, &e->tasks[i]));
    }
    return MT_OK;
}

static mt_status check_predicate(const ipu_executable *e, const ipu_control *control)
{
    if (!ipu_program_has_predicate(control->program)) return MT_OK;
    const ipu_variable *v = ipu_streaming_variable(e, control->tile, control->place);
    if (!v) return MT_OK;
    return mt_fail(MT_INPUT,
        "a predicate is in variable '%s', which is outside of the chip; allowed: a variable on a tile",
        v->name);
}

/* Checks that the memory of each chip has room. */
static mt_status check_room(const ipu_executable *e)
{
    const ipu_target *target = &e->graph->target;
    MT_SCRATCH(scratch);
    uint64_t *bytes; /* [chips] */
    MT_ALLOC(scratch, bytes, ipu_larger(1, target->ipus));
    for (size_t v = 0; v < e->graph->n_variables; v++)
        for (size_t r = e->first_range[v]; e->graph->variables[v].dram && r < e->first_range[v + 1]; r++) {
            const size_t chip = target->ipus > 1 ? ipu_target_chip(target, e->ranges[r].tile) : 0;
            bytes[chip] += e->ranges[r].n * ipu_type_bytes(e->graph->variables[v].type);
            if (bytes[chip] > target->dram.bytes)
                return mt_fail(MT_FIT,
                    "%s: more than dram.bytes = %zu bytes outside of chip %zu, with variable '%s'; allowed: "
                    "at most these",
                    target->name, target->dram.bytes, chip, e->graph->variables[v].name);
        }
    return MT_OK;
}

mt_status ipu_streaming_check(const ipu_executable *e)
{
    if (!ipu_streaming_any(e->graph)) return MT_OK;
    for (size_t s = 0; s < e->graph->n_compute_sets; s++) MT_TRY(check_superstep(e, &e->supersteps[s]));
    for (size_t c = 0; c < e->n_controls; c++) MT_TRY(check_predicate(e, &e->controls[c]));
    return check_room(e);
}
