/* Two tables that compare our numbers with published ones and say why they differ. */
#pragma once

#include "app/cli/table.h"

enum { MT_COMPARISON_TABLES = 2, MT_COMPARISON_REASONS_MAX = 16 };

typedef struct mt_comparison {
    bool comparable; /* false: the published numbers are left out */
    size_t n_reasons;
    const char *reason[MT_COMPARISON_REASONS_MAX]; /* borrowed */
    mt_table numbers, reasons;
} mt_comparison;

/* Gives an empty comparison. The columns of numbers: the quantity (its item is the key of the published number), the published
 * number (the lower end of a range), "to" (the upper end, if there is a range), "basis": how it is known ("published", or "derived"
 * from published numbers), our number, the unit of both, the difference from the middle of the published range (%; "points" where
 * both are %), and the number of its reason in the second table. */
mt_comparison mt_comparison_begin(mt_arena *arena, const char *title, bool comparable);

/* Adds a row for the number published under `key` (app/study/published.h); ours has the same unit; NaN: we have none.
 * Reasons with the same words become one; the texts are borrowed until the last row. MT_FILE: the file of published numbers
 * cannot be read; MT_INPUT: more reasons than there is room for. */
MT_NODISCARD mt_status mt_comparison_add(
    mt_comparison *comparison, const char *quantity, const char *key, double ours, const char *reason);

/* Adds a line below the reasons that belongs to no row. */
void mt_comparison_note(mt_comparison *comparison, const char *words);

/* Gives the tables to print and returns how many: without reasons, one. */
size_t mt_comparison_tables(const mt_comparison *comparison, mt_table tables[MT_COMPARISON_TABLES]);
