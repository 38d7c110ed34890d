/* Separator schemes: the order of the owned elements of a part, and the ranges sent to each destination.
 *
 * The input of a scheme is one part: its elements, and the other parts that need each of them. The scheme orders the elements, interior
 * ones first and separator elements after them, and specifies the ranges of the separator to send. Each element that a destination needs
 * must be in exactly one of the ranges sent to it. Elements that are sent but not needed are unused: they cost words and memory, but reduce
 * the number of ranges. The terms interior, separator, range and neighbour are defined in mesh/cut/halo.h, which calls schemes.
 *
 * A scheme is a pure function of the needs, independent of the machine and of other parts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"
#include "mesh/cut/needs.h"

typedef struct mt_scheme_range {
    uint32_t source;
    uint32_t begin, end; /* positions in the source's owned elements */
} mt_scheme_range;

/* A growing list of ranges, the output of a scheme. Zero-initialised means empty; mt_scheme_sink_free frees it. */
typedef struct mt_scheme_sink {
    uint32_t source; /* of the next ranges */
    size_t n_ranges, room_ranges, n_to, room_to;
    mt_scheme_range *range; /* [n_ranges] */
    size_t *to_end;    /* [n_ranges] range r is sent to to_part[to_end[r - 1] (0 if r = 0) .. to_end[r]) */
    uint32_t *to_part; /* [n_to] */
} mt_scheme_sink;

/* Appends a range with its receivers to[n_to], ascending. Ignores a range that is empty or has no receivers. Ranges of a source must be
 * appended in ascending order of `begin`. MT_MEMORY. */
MT_NODISCARD mt_status mt_scheme_send(
    mt_scheme_sink *sink, uint32_t begin, uint32_t end, uint32_t n_to, const uint32_t *to);
void mt_scheme_sink_free(mt_scheme_sink *sink);

typedef struct mt_scheme mt_scheme;

/* Writes the order of the owned elements to order[n_own], interior first, and the number of interior elements to *n_interior.
 * Appends the ranges to `sink` by mt_scheme_send. The caller frees `scratch`. MT_MEMORY. */
typedef mt_status mt_scheme_function(const mt_scheme *scheme, const mt_needs *source, mt_arena *scratch,
    uint32_t *order, uint32_t *n_interior, mt_scheme_sink *sink);

struct mt_scheme {
    const char *name;
    const char *summary; /* short description for help */
    mt_scheme_function *plan;
    uint32_t ranges; /* largest number of ranges of a source; 0 means no limit */
    /* true if elements for two or more parts are sent to all neighbours (MT_BALANCE_MIXED of mesh/cut/balance.h) */
    bool broadcasts;
};

/* The table of schemes; the last entry has a NULL name. A destination set (mesh/cut/sets.h) is the set of parts that need an element.
 *   full         one range, the complete separator, to every neighbour (Burchard et al., Front. Phys. 2023, section 4.1.1).
 *   ranged       to every neighbour the smallest range that encloses the elements that it needs; neighbours with the same
 *                range share it (4.1.2 there). Elements of a destination set are contiguous; mt_sets_order_intervals
 *                orders the sets to minimise the lengths of these ranges.
 *   mixed-clean  elements needed by two or more parts come first, as one range to all neighbours; then elements needed by
 *                one part only, grouped by that part (4.1.3 there).
 *   exact        one range per destination set, without unused elements. The sets of a destination are mostly adjacent
 *                (mt_sets_order_runs), as adjacent ranges arrive as one piece.
 *   budget       as exact, with sets merged until a source has at most `ranges` ranges (mt_sets_merge); 1 is equivalent to
 *                full. A higher limit never increases the number of elements that a destination receives.
 *
 * Costs for a heart of 3 million elements in 1,472 and in 23,552 parts: the most words and the most pieces that a part
 * receives, and the total number of ranges.
 *                full             ranged         mixed-clean    exact           budget
 *     1,472      15513 17    1k   3350 17   15k  4214 33   16k  1441 48    56k  1791 38   30k
 *     23,552      2939 26   24k    634 26  316k  1881 35  215k   320 55  1011k   411 44  517k
 * With its default limit of 22, budget saves 90 to 94 % of the words that exact saves compared with mixed-clean, with 47 to
 * 53 % of the ranges of exact, for 1, 2, 4, 8 and 16 times 1,472 parts.
 *
 * Time and memory per part: see mesh/cut/sets.h. */
extern const mt_scheme mt_schemes[];

/* Finds a scheme by name. `ranges`: largest number of ranges of a source, for schemes with a limit; 0 means the default. MT_INPUT: no such
 * scheme (the message lists all), or it has no limit. */
MT_NODISCARD mt_status mt_scheme_find(const char *name, uint32_t ranges, mt_scheme *scheme);
