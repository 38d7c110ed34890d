/* What the elements of a heart are made of, told from the whole to its parts: each begins as one of the cell model's variants, and
 * parts of the heart are then changed one after the other, each on top of what was there. At the end every combination that some
 * element has is a variant. */
#pragma once

#include "solver/monodomain.h"
#include "solver/cells/parameters.h"

/* A combination on the way. */
typedef struct mt_kind {
    const char *name; /* "epi, region 2": the variant it began as, and what changed it */
    size_t base;      /* the model's variant that it is by now */
    mt_cell_changes changes;
} mt_kind;

typedef struct mt_kinds {
    const mt_cell_model *model;
    size_t n_elements;
    uint32_t *of; /* [n_elements] */
    mt_kind *kind;
    size_t n, room;
} mt_kinds;

/* Begins, in `arena`, with what a problem's elements are by its model, variant and variant_of. MT_MEMORY. */
MT_NODISCARD mt_status mt_kinds_begin(
    mt_arena *arena, const mt_monodomain *problem, size_t n_elements, mt_kinds *kinds);

#define MT_KINDS_SAME_BASE SIZE_MAX

/* Makes the listed elements cells of another of the model's variants (or leaves that as it is), and changes parameters; what is not
 * named stays. `by` says what did it, for names. MT_INPUT: as mt_cell_changes_add. MT_MEMORY. */
MT_NODISCARD mt_status mt_kinds_change(mt_arena *arena, mt_kinds *kinds, const char *by, size_t n,
    const uint32_t *elements, size_t base, const mt_cell_asked *asked);

/* Gives the problem its variants in `arena`, no two of them alike, and their elements. The arena of the kinds may be freed then.
 * MT_INPUT: a combination cannot be computed (mt_cell_variant_with), or there are more than 65,535. MT_MEMORY. */
MT_NODISCARD mt_status mt_kinds_end(mt_arena *arena, const mt_kinds *kinds, mt_monodomain *problem);
