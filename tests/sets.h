/* Overrides of values of a file, as given by --set. */
#pragma once

#include "data/yaml/yaml_schema.h"

enum { SETS_MOST = 8 };

/* Returns overrides that are valid until the next call. */
static inline const mt_yaml_override *sets_of(const char *const *texts, size_t n)
{
    static mt_yaml_override sets[SETS_MOST];
    for (size_t k = 0; k < n && k < SETS_MOST; k++) sets[k] = (mt_yaml_override){"--set", texts[k]};
    return n > 0 ? sets : NULL;
}
