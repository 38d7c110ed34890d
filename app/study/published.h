/* Published numbers from data/reference/published.csv, each with its source. They are compared with ours; nothing is computed from
 * them. */
#pragma once

#include <stdbool.h>

#include "data/core/status.h"

typedef struct mt_published_number {
    double low, high; /* ends of the range; equal for a single number; NaN if there is no such key */
    char unit[32];    /* "" if none */
    bool derived;     /* true if it follows from the source without being stated there */
} mt_published_number;

/* Returns the number published under this key. Fails with MT_FILE if the file cannot be read. */
MT_NODISCARD mt_status mt_published_find(const char *key, mt_published_number *number);

/* Returns only its two ends. */
MT_NODISCARD mt_status mt_published(const char *key, double *low, double *high);

/* Returns the number of elements of a heart in the published study, "heart04" or "heart05". Fails with MT_INPUT for another name. */
MT_NODISCARD mt_status mt_published_elements(const char *name, unsigned long *elements);
