#include "app/study/validation/comparison.h"

#include <math.h>
#include <string.h>

#include "app/study/published.h"

mt_comparison mt_comparison_begin(mt_arena *arena, const char *title, bool comparable)
{
    mt_comparison c = {.comparable = comparable};
    mt_table *numbers = &c.numbers, *reasons = &c.reasons;
    *numbers = mt_table_begin(arena, "comparison", title);
    mt_table_strings(numbers, "quantity", "quantity");
    mt_table_digits(numbers, "published", "published", "", 4);
    mt_table_digits(numbers, "published_to", "to", "", 4);
    mt_table_strings(numbers, "basis", "basis");
    mt_table_digits(numbers, "ours", "ours", "", 4);
    mt_table_strings(numbers, "unit", "unit");
    mt_table_decimals(numbers, "difference_percent", "difference", "%", 1);
    mt_table_decimals(numbers, "difference_points", "points", "", 1);
    mt_table_decimals(numbers, "reason", "reason", "", 0);
    *reasons = mt_table_begin(arena, "reasons", "Reasons");
    mt_table_decimals(reasons, "reason", "reason", "", 0);
    mt_table_strings(reasons, "explanation", "explanation");
    return c;
}

static void add_words(mt_comparison *c, double number, const char *words)
{
    mt_table_number(&c->reasons, number);
    mt_table_text(&c->reasons, words);
}

/* Returns the number of a reason, counted from 1. */
static mt_status number_of(mt_comparison *c, const char *reason, double *number)
{
    size_t k = 0;
    while (k < c->n_reasons && strcmp(c->reason[k], reason) != 0) k++;
    if (k == MT_COMPARISON_REASONS_MAX)
        return mt_fail(MT_INPUT, "more than %d reasons in one comparison", MT_COMPARISON_REASONS_MAX);
    *number = (double)k + 1;
    if (k < c->n_reasons) return MT_OK;
    c->reason[c->n_reasons++] = reason;
    add_words(c, *number, reason);
    return MT_OK;
}

mt_status mt_comparison_add(
    mt_comparison *c, const char *quantity, const char *key, double ours, const char *reason)
{
    mt_table *table = &c->numbers;
    mt_published_number p;
    double number = NAN;
    MT_TRY(mt_published_find(key, &p));
    if (c->comparable)
        MT_TRY(number_of(c, reason, &number));
    else
        p.low = p.high = NAN;
    const bool points = strcmp(p.unit, "%") == 0;
    const double middle = 0.5 * (p.low + p.high), difference = ours - middle;
    mt_table_item(table, key, quantity, 0);
    MT_TABLE_NUMBERS(table, p.low, p.high > p.low ? p.high : NAN);
    mt_table_text(table, !c->comparable ? NULL : p.derived ? "derived" : "published");
    mt_table_number(table, ours);
    mt_table_text(table, p.unit);
    MT_TABLE_NUMBERS(table, points ? NAN : 100 * difference / middle, points ? difference : NAN, number);
    return MT_OK;
}

void mt_comparison_note(mt_comparison *c, const char *words) { add_words(c, NAN, words); }

size_t mt_comparison_tables(const mt_comparison *c, mt_table tables[MT_COMPARISON_TABLES])
{
    tables[0] = c->numbers;
    tables[1] = c->reasons;
    return c->reasons.n_values > 0 ? 2 : 1;
}
