#include "ipu/compile/controls.h"

#include <stdlib.h>

#include "ipu/compile/exchange.h"

static bool is_control(const ipu_program *program)
{
    return ipu_program_has_predicate(program) || ipu_program_is_transfer(program);
}

static size_t count(const ipu_program *program)
{
    size_t n = is_control(program);
    for (size_t i = 0; i < program->n_children; i++) n += count(program->children[i]);
    return n;
}

/* Appends the controls of a program and returns the new end. */
static ipu_control *collect(ipu_control *end, const ipu_program *program)
{
    if (is_control(program)) (end++)->program = program;
    for (size_t i = 0; i < program->n_children; i++) end = collect(end, program->children[i]);
    return end;
}

static int by_program(const void *left, const void *right)
{
    const uintptr_t a = (uintptr_t)((const ipu_control *)left)->program;
    const uintptr_t b = (uintptr_t)((const ipu_control *)right)->program;
    return a < b ? -1 : a > b;
}

static mt_status collect_all(mt_arena *arena, ipu_executable *e)
{
    ipu_control *controls, *end;
    size_t n = 0;
    for (size_t p = 0; p < e->n_programs; p++) n += count(e->programs[p]);
    MT_ALLOC(arena, controls, n);
    end = controls;
    for (size_t p = 0; p < e->n_programs; p++) end = collect(end, e->programs[p]);
    if (n > 1) qsort(controls, n, sizeof *controls, by_program);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || controls[i].program != controls[e->n_controls - 1].program)
            controls[e->n_controls++] = controls[i];
    e->controls = controls;
    return MT_OK;
}

static void place_predicate(const ipu_executable *e, ipu_control *control)
{
    const ipu_slice *slice = &e->graph->slices[control->program->tensor.first_slice];
    const ipu_range *range = &e->ranges[ipu_executable_range(e, slice->variable, slice->from)];
    control->tile = range->tile;
    control->place = range->offset + (slice->from - range->from) * ipu_type_bytes(IPU_UNSIGNED_INT);
}

mt_status ipu_controls_make(mt_arena *arena, ipu_executable *e)
{
    MT_TRY(collect_all(arena, e));
    for (size_t c = 0; c < e->n_controls; c++) {
        if (!ipu_program_has_predicate(e->controls[c].program)) continue;
        place_predicate(e, &e->controls[c]);
        if (!e->untimed) MT_TRY(ipu_exchange_of_predicate(&e->graph->target, &e->controls[c]));
    }
    return MT_OK;
}

const ipu_control *ipu_controls_find(const ipu_executable *e, const ipu_program *program)
{
    const ipu_control wanted = {.program = program};
    return bsearch(&wanted, e->controls, e->n_controls, sizeof *e->controls, by_program);
}
