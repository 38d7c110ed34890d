#include "ipu/compile/supersteps.h"

#include <stdlib.h>
#include <string.h>

#include "data/core/order.h"
#include "ipu/compile/exchange.h"
#include "ipu/machine/integer.h"

/* Bytes of the host image that vertices or copies write. */
typedef struct stretch {
    size_t begin, end;
} stretch;

typedef struct making {
    mt_arena *arena;
    ipu_executable *executable;
    const ipu_slots *slots;
    size_t n_tiles;
    stretch *room;       /* scratch for the bytes written by one superstep */
    uint32_t *variables; /* scratch for all variables that one superstep sends or writes */
} making;

MT_ORDER(by_begin, stretch, begin)

/* Lists the bytes that the tasks of a superstep write, sorted, and returns their number. They do not overlap (check_races). */
static size_t find_written(const ipu_executable *e, const ipu_superstep *step, size_t n_tiles, stretch *out)
{
    size_t n = 0;
    for (size_t i = step->first_task[0]; i < step->first_task[n_tiles]; i++) {
        const ipu_task *task = &e->tasks[i];
        for (size_t f = 0; f < task->codelet->n_fields; f++) {
            const ipu_field *field = &task->codelet->fields[f];
            const size_t bytes = ipu_type_bytes(field->type);
            size_t ranges;
            const ipu_place *p = ipu_task_places(e, task, f, &ranges);
            for (size_t k = 0; k < ranges && field->direction != IPU_INPUT; k++)
                if (p[k].n > 0) out[n++] = (stretch){p[k].offset, p[k].offset + p[k].n * bytes};
        }
    }
    if (n > 1) qsort(out, n, sizeof *out, by_begin);
    return n;
}

/* Returns the stretch that overlaps the source of the message; `n` if there is none. Stretches do not overlap. So if any
 * overlaps the source, it is the last one that begins before the end of the source. */
static size_t meets(const stretch *stretches, size_t n, const ipu_message *m)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (stretches[middle].begin < m->source + m->bytes)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && stretches[low - 1].end > m->source ? low - 1 : n;
}

/* `room`: space for all places of the executable. */
static bool sends_what_it_writes(
    const ipu_executable *e, const ipu_superstep *step, size_t n_tiles, stretch *room)
{
    if (step->first_message[0] == step->first_message[n_tiles]) return false;
    const size_t n = find_written(e, step, n_tiles, room);
    for (size_t i = step->first_message[0]; i < step->first_message[n_tiles]; i++)
        if (meets(room, n, &e->messages[i]) < n) return true;
    return false;
}

static bool depends_on_data(const ipu_executable *e, const ipu_superstep *step, size_t n_tiles)
{
    for (size_t i = step->first_task[0]; i < step->first_task[n_tiles]; i++)
        if (e->tasks[i].codelet->compute_timed) return true;
    return false;
}

MT_ORDER_NUMBERS(by_number, uint32_t)

/* Sorts n numbers and returns the distinct ones. */
static mt_status give_distinct(mt_arena *arena, uint32_t *all, size_t n, const uint32_t **out, size_t *n_out)
{
    uint32_t *distinct = NULL;
    if (n > 1) qsort(all, n, sizeof *all, by_number);
    *n_out = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || all[i] != all[*n_out - 1]) all[(*n_out)++] = all[i];
    MT_COPY(arena, distinct, all, *n_out);
    *out = distinct;
    return MT_OK;
}

/* Lists the variables that the superstep sends, and the variables that its vertices write. */
static mt_status find_variables(const making *m, ipu_superstep *step)
{
    const ipu_executable *e = m->executable;
    const size_t last = m->n_tiles;
    uint32_t *room = m->variables;
    size_t n = 0;
    for (size_t i = step->first_message[0]; i < step->first_message[last]; i++)
        if (n == 0 || room[n - 1] != m->slots->sent[i]) room[n++] = m->slots->sent[i];
    MT_TRY(give_distinct(m->arena, room, n, &step->sends, &step->n_sends));
    n = 0;
    for (size_t i = step->first_task[0]; i < step->first_task[last]; i++) {
        const ipu_task *task = &e->tasks[i];
        for (size_t f = 0; f < task->codelet->n_fields; f++) {
            size_t ranges;
            const ipu_place *p = ipu_task_places(e, task, f, &ranges);
            for (size_t k = 0; k < ranges && task->codelet->fields[f].direction != IPU_INPUT; k++)
                if (p[k].n > 0) room[n++] = m->slots->placed[p + k - e->places];
        }
    }
    return give_distinct(m->arena, room, n, &step->writes, &step->n_writes);
}

/* ---- checks of copies ---- */

static size_t find_stored(const making *m, const ipu_superstep *step, stretch *out)
{
    size_t n = 0;
    for (size_t i = step->first_input[0]; i < step->first_input[m->n_tiles]; i++) {
        const ipu_input *input = &m->executable->inputs[i];
        if (input->stored) out[n++] = (stretch){input->offset, input->offset + input->bytes};
    }
    if (n > 1) qsort(out, n, sizeof *out, by_begin);
    return n;
}

static mt_status refuse_copy(const making *m, const ipu_superstep *step, size_t byte, const char *why)
{
    size_t element = 0;
    const ipu_range *range = ipu_executable_range_at(m->executable, byte, &element);
    return mt_fail(MT_INPUT, "compute set '%s': element %zu of variable '%s' is copied to %s", step->name,
        element, range ? m->executable->graph->variables[range->variable].name : "", why);
}

/* Checks that no element of n sorted stretches is a source of this input. Exempt is a copy that repeats its source: it reads
 * elements that it has already written. */
static mt_status check_sources(const making *m, const ipu_superstep *step, const ipu_input *input, size_t n)
{
    const ipu_message *first = &m->executable->messages[input->first_message];
    for (const ipu_message *message = first; message < first + input->n_messages; message++) {
        const size_t met = meets(m->room, n, message);
        if (met == n || ipu_input_repeats(input, message)) continue;
        return refuse_copy(m, step, ipu_larger(m->room[met].begin, message->source),
            "while it is sent or copied elsewhere; allowed: in another compute set");
    }
    return MT_OK;
}

static mt_status check_copies(const making *m, const ipu_superstep *step)
{
    const size_t n = find_stored(m, step, m->room);
    for (size_t i = 1; i < n; i++)
        if (m->room[i].begin < m->room[i - 1].end)
            return refuse_copy(m, step, m->room[i].begin, "twice; allowed: once");
    for (size_t i = step->first_input[0]; n > 0 && i < step->first_input[m->n_tiles]; i++)
        MT_TRY(check_sources(m, step, &m->executable->inputs[i], n));
    return MT_OK;
}

/* ---- entry point ---- */

static mt_status make_superstep(const making *m, size_t set)
{
    ipu_executable *e = m->executable;
    ipu_superstep *step = &e->supersteps[set];
    const ipu_slots *slots = m->slots;
    const size_t first = set * m->n_tiles;
    step->name = e->graph->compute_sets[set];
    step->first_task = slots->first_task + first;
    step->first_message = slots->first_message + first;
    step->first_input = slots->first_input + first;
    step->first_stored = slots->first_stored + first;
    MT_TRY(check_copies(m, step));
    step->receive_all_first = sends_what_it_writes(e, step, m->n_tiles, m->room);
    step->data_dependent = depends_on_data(e, step, m->n_tiles);
    MT_TRY(find_variables(m, step));
    return e->untimed ? MT_OK : ipu_exchange_of_superstep(m->arena, e, step);
}

mt_status ipu_supersteps_make(mt_arena *arena, ipu_executable *e, const ipu_slots *slots)
{
    MT_SCRATCH(scratch);
    making m = {.arena = arena, .executable = e, .slots = slots, .n_tiles = e->graph->target.tiles};
    const size_t n_sets = e->graph->n_compute_sets, n_inputs = slots->first_input[n_sets * m.n_tiles];
    MT_ALLOC(scratch, m.room, ipu_larger(e->n_places, n_inputs));
    MT_ALLOC(scratch, m.variables, ipu_larger(e->n_messages, e->n_places));
    MT_ALLOC(arena, e->supersteps, n_sets);
    for (size_t s = 0; s < n_sets; s++) MT_TRY(make_superstep(&m, s));
    return MT_OK;
}
