/* Two tables that put what others have published beside what is ours, and say why the two differ. */
#ifndef MT_APP_REPRODUCE_COMPARISON_H
#define MT_APP_REPRODUCE_COMPARISON_H

#include "app/cli/table.h"

enum { MT_COMPARISON_TABLES = 2, MT_COMPARISON_REASONS_MAX = 16 };

typedef struct mt_comparison {
    bool comparable; /* false: what was published is left out */
    size_t n_reasons;
    const char *reason[MT_COMPARISON_REASONS_MAX]; /* borrowed */
    mt_table numbers, reasons;
} mt_comparison;

/* Gives an empty one. The columns of numbers: the quantity, the published number (its lower end) and "to" (its
 * upper one, where it is another), how it is known ("published", or "derived" from what is), ours, the unit of
 * both, the difference from the middle of the published ends (%; "points" where both are %), and the number of its
 * reason in the second table. */
mt_comparison mt_comparison_begin(mt_arena *arena, const char *title, bool comparable);

/* A row, of what was published under `key` (app/reproduce/published.h), whose unit ours must have too; NaN: we have none.
 * Reasons with the same words are one; they must live until the last row. MT_FILE: the file of published numbers
 * cannot be read; MT_INPUT: more reasons than there is room for. */
MT_NODISCARD mt_status mt_comparison_add(
    mt_comparison *comparison, const char *quantity, const char *key, double ours, const char *reason);

/* A line below the reasons, of none of the rows. */
void mt_comparison_note(mt_comparison *comparison, const char *words);

/* Gives the tables to be printed, and answers how many: without reasons, one. */
size_t mt_comparison_tables(const mt_comparison *comparison, mt_table tables[MT_COMPARISON_TABLES]);

#endif
