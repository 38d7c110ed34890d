/* Tables of a page, from CSV files. */
#pragma once

#include "app/report/html.h"
#include "data/files/csv.h"

/* Adds a table with the rows of a file to the innermost open list. A column of numbers has numbers, and null for an empty cell. The unit
 * in the name of a column, "busy[cycles]", "x_mm", is separated from it. */
MT_NODISCARD mt_status mt_table_part_csv(mt_html_part *part, const char *title, const mt_csv *csv);

/* Divides the name of a column into its label and its unit, "" if there is none. */
enum { MT_COLUMN_WORDS = 128 };
void mt_column_words(const char *name, char label[MT_COLUMN_WORDS], char unit[MT_COLUMN_WORDS]);
