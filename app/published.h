/* Numbers that others have published, in data/reference/published.csv: each with its source. They are there to be put
 * beside ours, never to compute with. */
#ifndef MT_APP_PUBLISHED_H
#define MT_APP_PUBLISHED_H

#include "data/status.h"

/* Gives the two ends of what was published under this key (equal where it is one number), both NaN where there is no
 * such key. MT_FILE: the file cannot be read. */
MT_NODISCARD mt_status mt_published(const char *key, double *low, double *high);

#endif
