/* Numbers that others have published: data/reference/published.csv, each with its source. They are for comparison with ours;
 * nothing is computed from them. */
#pragma once

#include <stdbool.h>

#include "data/core/status.h"

typedef struct mt_published_number {
    double low,
        high;      /* the ends of a range; equal for a single number; both NaN where there is no such key */
    char unit[32]; /* "" for none */
    bool derived;  /* the source does not state it: it follows from what the source states */
} mt_published_number;

/* Gives what was published under this key. MT_FILE: the file cannot be read. */
MT_NODISCARD mt_status mt_published_find(const char *key, mt_published_number *number);

/* Gives its two ends alone. */
MT_NODISCARD mt_status mt_published(const char *key, double *low, double *high);

/* Gives the number of elements of a heart of the published study, "heart04" or "heart05". MT_INPUT: another name. */
MT_NODISCARD mt_status mt_published_elements(const char *name, unsigned long *elements);
