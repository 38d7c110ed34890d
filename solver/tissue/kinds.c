#include "solver/tissue/kinds.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* Adds a kind with allocated changes. */
static mt_status add_kind(
    mt_arena *arena, mt_kinds *kinds, const char *name, const char *by, size_t base, uint32_t *added)
{
    if (kinds->n == kinds->room) {
        mt_kind *more;
        kinds->room = 2 * kinds->room + 16;
        MT_ALLOC(arena, more, kinds->room);
        if (kinds->n > 0) memcpy(more, kinds->kind, kinds->n * sizeof *more);
        kinds->kind = more;
    }
    const size_t length = strlen(name) + strlen(by) + 3;
    char *text;
    MT_ALLOC(arena, text, length);
    (void)snprintf(text, length, "%s%s%s", name, *by ? ", " : "", by);
    mt_kind *kind = &kinds->kind[kinds->n];
    *kind = (mt_kind){.name = text, .base = base};
    MT_TRY(mt_cell_changes_new(arena, kinds->model, &kind->changes));
    *added = (uint32_t)kinds->n++;
    return MT_OK;
}

mt_status mt_kinds_begin(mt_arena *arena, const mt_monodomain *problem, size_t n_elements, mt_kinds *kinds)
{
    *kinds = (mt_kinds){.model = problem->model, .n_elements = n_elements};
    MT_ALLOC(arena, kinds->of, n_elements);
    for (size_t v = 0; v < kinds->model->n_variants; v++) {
        uint32_t added;
        MT_TRY(add_kind(arena, kinds, kinds->model->variants[v].name, "", v, &added));
    }
    for (size_t e = 0; e < n_elements; e++)
        kinds->of[e] = (uint32_t)(problem->variant_of ? problem->variant_of[e] : problem->variant);
    return MT_OK;
}

/* Adds the changed version of a kind. */
static mt_status change_kind(mt_arena *arena, mt_kinds *kinds, uint32_t from, const char *by, size_t base,
    const mt_cell_request *asked, uint32_t *to)
{
    const size_t n = kinds->model->n_parameters;
    const mt_kind old = kinds->kind[from];
    MT_TRY(add_kind(arena, kinds, old.name, by, base == MT_KINDS_SAME_BASE ? old.base : base, to));
    const mt_cell_changes *changes = &kinds->kind[*to].changes;
    memcpy(changes->factor, old.changes.factor, n * sizeof *changes->factor);
    memcpy(changes->value, old.changes.value, n * sizeof *changes->value);
    return mt_cell_changes_add(kinds->model, asked, &kinds->kind[*to].changes);
}

mt_status mt_kinds_change(mt_arena *arena, mt_kinds *kinds, const char *by, size_t n,
    const uint32_t *elements, size_t base, const mt_cell_request *asked)
{
    uint32_t *to; /* new kind of each previous one */
    const size_t n_before = kinds->n;
    MT_ALLOC(arena, to, n_before);
    for (size_t k = 0; k < n_before; k++) to[k] = NONE;
    for (size_t e = 0; e < n; e++) {
        uint32_t *of = &kinds->of[elements[e]];
        if (to[*of] == NONE) MT_TRY(change_kind(arena, kinds, *of, by, base, asked, &to[*of]));
        *of = to[*of];
    }
    return MT_OK;
}

/* A variant in a sorted list. */
typedef struct entry {
    const mt_cell_variant *variant;
    size_t n_parameters, kind;
} entry;

static int compare_cells(const entry *a, const entry *b)
{
    const uintptr_t rest_a = (uintptr_t)a->variant->states, rest_b = (uintptr_t)b->variant->states;
    if (rest_a != rest_b) return rest_a < rest_b ? -1 : 1;
    return memcmp(a->variant->parameters, b->variant->parameters, a->n_parameters * sizeof(double));
}

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    const int cells = compare_cells(x, y);
    return cells != 0 ? cells : (x->kind > y->kind) - (x->kind < y->kind);
}

/* Creates variants of the n kinds in use, and finds for each kind the first with equal cells. */
static mt_status make_variants(mt_arena *arena, mt_arena *scratch, const mt_kinds *kinds, size_t n,
    const unsigned char *used, mt_cell_variant *of_kind, uint32_t *first)
{
    entry *list;
    MT_ALLOC(scratch, list, n);
    n = 0;
    for (size_t k = 0; k < kinds->n; k++) {
        const mt_kind *kind = &kinds->kind[k];
        char *name;
        if (!used[k]) continue;
        MT_ALLOC(arena, name, strlen(kind->name) + 1);
        (void)strcpy(name, kind->name);
        MT_TRY(mt_cell_variant_with(
            arena, kinds->model, &kinds->model->variants[kind->base], name, &kind->changes, &of_kind[k]));
        list[n++] = (entry){&of_kind[k], kinds->model->n_parameters, k};
    }
    qsort(list, n, sizeof *list, compare_entries);
    for (size_t i = 0; i < n; i++) {
        const bool same = i > 0 && compare_cells(&list[i - 1], &list[i]) == 0;
        first[list[i].kind] = same ? first[list[i - 1].kind] : (uint32_t)list[i].kind;
    }
    return MT_OK;
}

/* Stores the distinct variants in the problem, and the variant of each kind. */
static mt_status number_variants(mt_arena *arena, const mt_kinds *kinds, const unsigned char *used,
    const mt_cell_variant *of_kind, const uint32_t *first, uint16_t *number, mt_monodomain *problem)
{
    mt_cell_variant *variants;
    size_t n = 0;
    for (size_t k = 0; k < kinds->n; k++) n += used[k] && first[k] == k;
    if (n > UINT16_MAX)
        return mt_fail(MT_INPUT, "%zu different kinds of cells; allowed: at most %d", n, UINT16_MAX);
    MT_ALLOC(arena, variants, n);
    n = 0;
    for (size_t k = 0; k < kinds->n; k++) {
        if (!used[k]) continue;
        if (first[k] == k) variants[n++] = of_kind[k];
        number[k] = first[k] == k ? (uint16_t)(n - 1) : number[first[k]];
    }
    problem->variants = variants;
    problem->n_variants = n;
    return MT_OK;
}

mt_status mt_kinds_end(mt_arena *arena, const mt_kinds *kinds, mt_monodomain *problem)
{
    MT_SCRATCH(scratch);
    unsigned char *used;
    uint16_t *number, *variant_of;
    uint32_t *first;
    mt_cell_variant *of_kind;
    size_t n = 0;
    MT_ALLOC(scratch, used, kinds->n);
    MT_ALLOC(scratch, number, kinds->n);
    MT_ALLOC(scratch, first, kinds->n);
    MT_ALLOC(scratch, of_kind, kinds->n);
    for (size_t e = 0; e < kinds->n_elements; e++) used[kinds->of[e]] = 1;
    for (size_t k = 0; k < kinds->n; k++) n += used[k];
    MT_TRY(make_variants(arena, scratch, kinds, n, used, of_kind, first));
    MT_TRY(number_variants(arena, kinds, used, of_kind, first, number, problem));
    problem->variant = 0;
    problem->variant_of = NULL;
    if (problem->n_variants == 1) return MT_OK;
    MT_ALLOC(arena, variant_of, kinds->n_elements);
    for (size_t e = 0; e < kinds->n_elements; e++) variant_of[e] = number[kinds->of[e]];
    problem->variant_of = variant_of;
    return MT_OK;
}
