/* Variants of an ionic model with changed parameters.
 *
 * A change is a text NAME=NUMBER: a factor of the variant's own value, or a value in the model's units that replaces it. Names and units
 * are those of mt_cell_model.parameters.
 *
 * The ranges include drug effects, disease remodelling and other species: a factor is at most MT_CELL_FACTOR_MOST, and a value is 0 or
 * between a millionth of the smallest and MT_CELL_FACTOR_MOST times the largest value of the model's variants. A voltage is within
 * MT_CELL_VOLTAGE_MOST_mV of 0.
 *
 * The parameters of an imported model are also switches (a cell type of 0, 1 or 2), shifts and charges, and a file has one variant. A
 * value is within MT_CELL_FACTOR_MOST times the magnitude of the file's value, with either sign. If that is 0, its size is unknown: the
 * magnitude is at most MT_CELL_VALUE_MOST. The range of a voltage includes MT_CELL_VOLTAGE_MOST_mV.
 *
 * A changed variant starts at the resting state of its base. This is not its own resting state: a cell with other currents drifts for some
 * hundred beats. */
#pragma once

#include "data/core/arena.h"
#include "data/yaml/yaml_schema.h"
#include "solver/cells/model.h"

#define MT_CELL_FACTOR_MOST 50
#define MT_CELL_VOLTAGE_MOST_mV 500
#define MT_CELL_VALUE_MOST 1e9

/* Factors and values stated together, such as in one place of a case. The texts are borrowed. */
typedef struct mt_cell_request {
    const mt_yaml_override *scales, *sets;
    size_t n_scales, n_sets;
} mt_cell_request;

/* The changes of all parameters of a model. */
typedef struct mt_cell_changes {
    double *factor; /* [n_parameters] factor of the variant's own value; 1: unchanged */
    double *value;  /* [n_parameters] replacement; NaN: none */
} mt_cell_changes;

/* Returns empty changes in `arena`. */
MT_NODISCARD mt_status mt_cell_changes_new(
    mt_arena *arena, const mt_cell_model *model, mt_cell_changes *changes);

/* Adds changes; a later change replaces earlier ones of the same parameter. MT_INPUT if a text names no parameter of the model, or a
 * parameter twice, or if its number is out of range; the message has the text and its place. `changes` is then incomplete. */
MT_NODISCARD mt_status mt_cell_changes_add(
    const mt_cell_model *model, const mt_cell_request *asked, mt_cell_changes *changes);

/* Returns in `arena` a changed variant with the resting state of `base`, which is borrowed; stores the name. MT_INPUT if the variant cannot
 * be computed: a parameter is not finite in single precision, or a step from rest yields non-finite values. */
MT_NODISCARD mt_status mt_cell_variant_with(mt_arena *arena, const mt_cell_model *model,
    const mt_cell_variant *base, const char *name, const mt_cell_changes *changes, mt_cell_variant *variant);

/* Does all of that for the texts of one mt_cell_request, under the name of `base`. Checks the texts one by one, so that the message names
 * the text that cannot be computed. */
MT_NODISCARD mt_status mt_cell_variant_change(mt_arena *arena, const mt_cell_model *model,
    const mt_cell_variant *base, const mt_cell_request *asked, mt_cell_variant *variant);
