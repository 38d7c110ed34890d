/* Tables of a page: files of comma-separated values as they are. */
#ifndef MT_APP_REPORT_TABLE_PART_H
#define MT_APP_REPORT_TABLE_PART_H

#include "app/report/html.h"
#include "data/files/csv.h"

/* Begins a table in the newest list, or under a key; then its columns; then `rows`, in which each row is a list; and its end. */
void mt_table_part_begin(mt_html_part *part, const char *key, const char *title);
void mt_table_part_column(mt_html_part *part, const char *label, const char *unit, bool number);
void mt_table_part_rows(mt_html_part *part);
void mt_table_part_end(mt_html_part *part);

/* Adds a table with n rows of a file, in this order (NULL: all of them as they are). A column of numbers has numbers, and null where a cell is
 * empty. Units stand in a column's name, "busy[cycles]", "x_mm", and are told apart from it. */
void mt_table_part_csv(
    mt_html_part *part, const char *key, const char *title, const mt_csv *csv, size_t n, const size_t *row);

/* Parts the name of a column: the label, in `label`, and answers the unit, "" for none, in `unit`. */
enum { MT_COLUMN_WORDS = 128 };
void mt_column_words(const char *name, char label[MT_COLUMN_WORDS], char unit[MT_COLUMN_WORDS]);

#endif
