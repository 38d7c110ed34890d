#include "app/run/start_cell.h"

#include <math.h>
#include <string.h>

#include "data/core/progress.h"
#include "data/files/input.h"
#include "solver/cells/cell_state.h"

bool mt_start_is_cell(const char *path)
{
    static const char signature[8] = "\x89HDF\r\n\x1a\n";
    char begin[8] = "";
    const char *ending = strrchr(path, '.');
    const bool hdf = mt_input_peek(path, begin, 8) == 8 && memcmp(begin, signature, 8) == 0;
    return !hdf && !(ending && strcmp(ending, ".hdf") == 0);
}

/* Counts the elements of each variant: used[n_variants]. */
static mt_status count_elements(mt_arena *scratch, const mt_monodomain *problem, size_t n, size_t **used)
{
    const size_t n_elements = problem->diffusion->n_unknowns;
    MT_ALLOC(scratch, *used, n);
    for (size_t e = 0; problem->variant_of && e < n_elements; e++) (*used)[problem->variant_of[e]]++;
    if (!problem->variant_of) (*used)[problem->variant] = n_elements;
    return MT_OK;
}

/* Checks that a variant has the type of the saved cell. A variant with changed parameters shares the array of states with its type. */
static mt_status check_type(
    const mt_cell_state *state, const mt_cell_variant *type, const mt_cell_variant *v, size_t elements)
{
    if (v->states == type->states) return MT_OK;
    return mt_fail(MT_INPUT,
        "the state of a cell of type %.40s; %zu elements have type %.80s; allowed: if all elements have the "
        "type of the state; `prepace` pre-paces each cell type separately",
        state->type, elements, v->name);
}

/* Warns about the first parameter that differs from the saved cell. */
static void warn_of_parameters(const char *name, const char *path, const mt_cell_state *state,
    const mt_cell_variant *type, const mt_cell_variant *v)
{
    for (size_t k = 0; k < state->model->n_parameters; k++) {
        const double saved = isnan(state->parameters[k]) ? type->parameters[k] : state->parameters[k];
        if (saved == v->parameters[k]) continue;
        mt_warn("%s: start.state: found cells (%s) with %s %g, in %s %g; usual: the same, unless it changes "
                "at time 0",
            name, v->name, state->model->parameters[k].name, v->parameters[k], path, saved);
        return;
    }
}

static mt_status start_all(
    mt_arena *arena, const char *name, const char *path, const mt_cell_state *state, mt_monodomain *problem)
{
    MT_SCRATCH(scratch);
    size_t n, type, *used;
    mt_cell_variant *variants;
    const mt_cell_variant *at_rest = mt_monodomain_variants(problem, &n);
    if (!mt_cell_model_same(state->model, problem->model))
        return mt_fail(MT_INPUT, "a state of the ionic model %s; here %s", state->model->identity,
            problem->model->identity);
    MT_TRY(mt_cell_variant_find(problem->model, state->type, &type));
    MT_TRY(count_elements(scratch, problem, n, &used));
    MT_COPY(arena, variants, at_rest, n);
    for (size_t v = 0; v < n; v++) {
        if (used[v] == 0) continue;
        MT_TRY(check_type(state, &problem->model->variants[type], &variants[v], used[v]));
        warn_of_parameters(name, path, state, &problem->model->variants[type], &variants[v]);
        variants[v].v_mV = state->v_mV;
        variants[v].states = state->states;
    }
    problem->variants = variants;
    problem->n_variants = n;
    return MT_OK;
}

mt_status mt_start_cell(mt_arena *arena, const char *name, const char *path, mt_monodomain *problem)
{
    mt_cell_state state;
    MT_TRY(mt_fail_in("start.state", mt_cell_state_read(arena, path, problem->model, &state)));
    return mt_fail_in("start.state", mt_fail_in(path, start_all(arena, name, path, &state, problem)));
}
