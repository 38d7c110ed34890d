/* Tables of a page: files of comma-separated values as they are. */
#pragma once

#include "app/report/html.h"
#include "data/files/csv.h"

/* Adds a table with the rows of a file to the newest list. A column of numbers has numbers, and null where a cell is empty. The unit in the name
 * of a column, "busy[cycles]", "x_mm", is separated from it. MT_MEMORY. */
MT_NODISCARD mt_status mt_table_part_csv(mt_html_part *part, const char *title, const mt_csv *csv);

/* Parts the name of a column: the label, in `label`, and answers the unit, "" for none, in `unit`. */
enum { MT_COLUMN_WORDS = 128 };
void mt_column_words(const char *name, char label[MT_COLUMN_WORDS], char unit[MT_COLUMN_WORDS]);
