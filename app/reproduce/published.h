/* Numbers that others have published, in data/reference/published.csv: each with its source. They are there to be put
 * beside ours, never to compute with. */
#ifndef MT_APP_REPRODUCE_PUBLISHED_H
#define MT_APP_REPRODUCE_PUBLISHED_H

#include <stdbool.h>

#include "data/status.h"

typedef struct mt_published_number {
    double low, high; /* the two ends; equal where it is one number; both NaN where there is no such key */
    char unit[32];    /* "" for none */
    bool derived;     /* not told by the source, but computed from what it tells */
} mt_published_number;

/* Gives what was published under this key. MT_FILE: the file cannot be read. */
MT_NODISCARD mt_status mt_published_find(const char *key, mt_published_number *number);

/* The same, only the two ends. */
MT_NODISCARD mt_status mt_published(const char *key, double *low, double *high);

/* Gives the number of cells of a heart of the published study, "heart04" or "heart05". MT_INPUT: another name. */
MT_NODISCARD mt_status mt_published_cells(const char *name, unsigned long *cells);

#endif
