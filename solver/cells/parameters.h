/* Variants of an ionic model with changed parameters.
 *
 * A change is a text NAME=NUMBER: a factor of the variant's own value, or a value in the model's units that replaces it. Names and units
 * are those of mt_cell_model.parameters.
 *
 * Both have a range that drug effects, disease and other species stay within: a factor is at most MT_CELL_FACTOR_MOST, and a value 0
 * or between a millionth of the smallest and MT_CELL_FACTOR_MOST times the largest value of the model's variants. A voltage is within
 * MT_CELL_VOLTAGE_MOST_mV of 0.
 *
 * A changed variant starts at the resting state of its base, which is not its own: a cell with other currents drifts for some hundred
 * beats. */
#pragma once

#include "data/core/arena.h"
#include "data/yaml/yaml_schema.h"
#include "solver/cells/model.h"

#define MT_CELL_FACTOR_MOST 50
#define MT_CELL_VOLTAGE_MOST_mV 500

/* Factors and values that are given together, such as in one place of a case. Borrows the texts. */
typedef struct mt_cell_asked {
    const mt_yaml_override *scales, *sets;
    size_t n_scales, n_sets;
} mt_cell_asked;

/* What becomes of each parameter of a model. */
typedef struct mt_cell_changes {
    double *factor; /* [n_parameters] of the variant's own value; 1: as it is */
    double *value;  /* [n_parameters] in place of it; NaN: none */
} mt_cell_changes;

/* Gives changes of nothing in `arena`. */
MT_NODISCARD mt_status mt_cell_changes_new(
    mt_arena *arena, const mt_cell_model *model, mt_cell_changes *changes);

/* Adds what is asked: of a parameter that it names, what was said before counts no longer. MT_INPUT: a text names no
 * parameter of the model, or one twice, or its number is out of range; the message has the text and its place. `changes` is then
 * incomplete. */
MT_NODISCARD mt_status mt_cell_changes_add(
    const mt_cell_model *model, const mt_cell_asked *asked, mt_cell_changes *changes);

/* Gives a variant with these changes in `arena`, at rest where `base` is, whose states it borrows; keeps the name. MT_INPUT: it cannot
 * be computed: a parameter is not finite, in single precision, or a step from rest does not end in numbers. */
MT_NODISCARD mt_status mt_cell_variant_with(mt_arena *arena, const mt_cell_model *model,
    const mt_cell_variant *base, const char *name, const mt_cell_changes *changes, mt_cell_variant *variant);

/* All of that at once, under the name of `base`. Looks at one text after the other, so that the message names the one that cannot be
 * computed. */
MT_NODISCARD mt_status mt_cell_variant_change(mt_arena *arena, const mt_cell_model *model,
    const mt_cell_variant *base, const mt_cell_asked *asked, mt_cell_variant *variant);
