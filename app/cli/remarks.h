/* The remarks behind the values of a YAML file, where the numbers of data/machines have their sources:
 *
 *     exchange:
 *       sync_cycles: 126   # specified: target description,
 *                          #   largest delay of a sync
 *
 * gives "exchange.sync_cycles", "126", and for its remark "specified" and "target description, largest delay
 * of a sync". A remark goes on in the lines that hold nothing but a remark and begin right of the key.
 *
 * The entries of a list count from 0: in
 *
 *     list:
 *       - {from: 0, to: 1}   # assumed: as cabled
 *       - from: 1
 *         to: 0
 *
 * there are "list.0", "{from: 0, to: 1}", and "list.1.from" and "list.1.to".
 *
 * Not a YAML reader (data/yaml.h): it looks at lines. It finds every key that stands with its value in a line
 * of its own, in mappings and lists written by indentation; of a file written otherwise it finds less, and takes no
 * harm. */
#ifndef MT_APP_CLI_REMARKS_H
#define MT_APP_CLI_REMARKS_H

#include <stdbool.h>
#include <stddef.h>

#include "data/arena.h"
#include "data/status.h"

enum { MT_REMARKS_DEPTH = 8, MT_REMARKS_KEY = 128 };

/* Characters of the file, borrowed. */
typedef struct mt_span {
    const char *begin, *end;
} mt_span;

typedef struct mt_remark {
    char key[MT_REMARKS_KEY]; /* with those above it: "exchange.sync_cycles" */
    mt_span value;
    mt_span text; /* from behind its first '#' on, as it stands in the file; empty: there is none */
} mt_remark;

/* Where the reading is. */
typedef struct mt_remarks {
    const char *at;
    size_t depth;                     /* mappings and entries of lists that are open */
    size_t indent[MT_REMARKS_DEPTH];  /* of their keys */
    size_t length[MT_REMARKS_DEPTH];  /* of the path up to there */
    size_t entries[MT_REMARKS_DEPTH]; /* met so far of the list that it is */
    char path[MT_REMARKS_KEY];
} mt_remarks;

/* `text`, ended by 0, is borrowed. */
mt_remarks mt_remarks_begin(const char *text);

/* The next key with a value; false at the end. */
bool mt_remarks_next(mt_remarks *remarks, mt_remark *remark);

/* The one of this key, in a text; false: there is none. */
bool mt_remark_find(const char *text, const char *key, mt_remark *remark);

/* Gives the remark as one line in `arena`, taken apart: *known is one of measured, specified, derived, assumed,
 * *source what follows its colon. Without such a word *known is NULL and *source the whole; without a remark
 * both are NULL. MT_MEMORY. */
MT_NODISCARD mt_status mt_remark_source(
    mt_arena *arena, const mt_remark *remark, const char **known, const char **source);

#endif
