/* Two tables that compare our numbers with published ones and explain the differences. */
#pragma once

#include "app/cli/table.h"

enum { MT_COMPARISON_TABLES = 2, MT_COMPARISON_REASONS_MAX = 16 };

typedef struct mt_comparison {
    bool comparable; /* false: omits the published numbers */
    size_t n_reasons;
    const char *reason[MT_COMPARISON_REASONS_MAX]; /* borrowed */
    mt_table numbers, reasons;
} mt_comparison;

/* Returns an empty comparison. The columns of `numbers`: the quantity (its item is the key of the published number); the published
 * number (the lower end of a range); "to" (the upper end of a range); "basis" ("published", or "derived" from published numbers);
 * our number; the unit of both; the difference from the middle of the published range (%; "points" if both are %); and the number
 * of its reason in the second table. */
mt_comparison mt_comparison_begin(mt_arena *arena, const char *title, bool comparable);

/* Adds a row for the number published under `key` (app/study/published.h). `ours` has the same unit; NaN if unknown. Equal reasons
 * are merged; the texts are borrowed until the last row. Fails with MT_FILE if the file of published numbers cannot be read, or
 * with MT_INPUT if there are too many reasons. */
MT_NODISCARD mt_status mt_comparison_add(
    mt_comparison *comparison, const char *quantity, const char *key, double ours, const char *reason);

/* Adds a line without a row below the reasons. */
void mt_comparison_note(mt_comparison *comparison, const char *words);

/* Returns the tables to print and their number: one if there are no reasons. */
size_t mt_comparison_tables(const mt_comparison *comparison, mt_table tables[MT_COMPARISON_TABLES]);
