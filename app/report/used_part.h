/* The case of a run as a part of a page: title, folder, the command that repeats the run, and every value of used.yaml with its unit,
 * default and meaning from the schema of cases. */
#pragma once

#include "app/report/html.h"
#include "app/report/run_folder.h"

/* Writes these values into the part. */
MT_NODISCARD mt_status mt_used_part_put(mt_html_part *part, const mt_run_folder *folder);

/* Writes only the values of a case, as "used". `placing`: the reason of a chosen discretisation, or "". The n varied keys, and keys in
 * them, have other values in other members of an ensemble. */
MT_NODISCARD mt_status mt_used_part_put_case(
    mt_html_part *part, const mt_case *input, const char *placing, size_t n, const char *const *varied);

/* Writes a word in quotes for a shell. */
void mt_used_part_word(FILE *to, const char *word);
