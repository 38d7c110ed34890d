/* Kinds: combinations of cell properties on a mesh. Each element starts as one of the ionic model's variants. Parts of the heart are then
 * changed in sequence, each change on top of the previous ones. Finally every combination in use becomes a variant. */
#pragma once

#include "solver/monodomain.h"
#include "solver/cells/parameters.h"

/* A combination under construction. */
typedef struct mt_kind {
    const char *name; /* "epi, region 2": its initial variant, and the causes of its changes */
    size_t base;      /* its current variant of the model */
    mt_cell_changes changes;
} mt_kind;

typedef struct mt_kinds {
    const mt_cell_model *model;
    size_t n_elements;
    uint32_t *of; /* [n_elements] kind of each element */
    mt_kind *kind;
    size_t n, room;
} mt_kinds;

/* Begins, in `arena`, with the elements' variants by the problem's model, variant and variant_of. MT_MEMORY. */
MT_NODISCARD mt_status mt_kinds_begin(
    mt_arena *arena, const mt_monodomain *problem, size_t n_elements, mt_kinds *kinds);

#define MT_KINDS_SAME_BASE SIZE_MAX

/* Sets the base variant of the listed elements, unless it is MT_KINDS_SAME_BASE, and changes parameters; others are unchanged. `by`: cause
 * of the change, for names. Returns the errors of mt_cell_changes_add. MT_MEMORY. */
MT_NODISCARD mt_status mt_kinds_change(mt_arena *arena, mt_kinds *kinds, const char *by, size_t n,
    const uint32_t *elements, size_t base, const mt_cell_request *asked);

/* Sets the problem's variants in `arena`, all distinct, and the variant of each element. The arena of the kinds can then be freed. MT_INPUT
 * if a combination cannot be computed (mt_cell_variant_with), or if there are more than 65,535. MT_MEMORY. */
MT_NODISCARD mt_status mt_kinds_end(mt_arena *arena, const mt_kinds *kinds, mt_monodomain *problem);
