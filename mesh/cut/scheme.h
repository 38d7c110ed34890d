/* Separator schemes: in which order the owned elements of a part lie, and which ranges of them are sent to whom.
 *
 * A scheme sees one part at a time: its elements, and which other parts need each of them. It lays the elements that nobody
 * else needs (interior) first, the others (separator) behind them, and names the ranges of the separator that are sent.
 * Whatever a destination needs must be in the ranges it is sent, and in no two of them; what it is sent but does
 * not need is unused: words and memory spent to have fewer ranges. The words interior, separator, range and
 * neighbour are those of mesh/cut/halo.h, which calls this.
 *
 * A scheme is a pure function of the needs: it knows neither the machine nor other parts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/core/status.h"
#include "mesh/cut/needs.h"

typedef struct mt_scheme_range {
    uint32_t source;
    uint32_t begin, end; /* local positions in the source's owned elements */
} mt_scheme_range;

/* Where a scheme puts its ranges; grows as needed. All zero is an empty one; mt_scheme_sink_free ends it. */
typedef struct mt_scheme_sink {
    uint32_t source; /* of the ranges that follow */
    size_t n_ranges, room_ranges, n_to, room_to;
    mt_scheme_range *range; /* [n_ranges] */
    size_t *to_end;         /* [n_ranges] range r goes to to_part[to_end[r - 1] (0 for r = 0) .. to_end[r]) */
    uint32_t *to_part;      /* [n_to] */
} mt_scheme_sink;

/* Sends a range to these parts, ascending; an empty range, or one to nobody, is dropped. Ranges come in ascending order
 * of begin. MT_MEMORY. */
MT_NODISCARD mt_status mt_scheme_send(
    mt_scheme_sink *sink, uint32_t begin, uint32_t end, uint32_t n_to, const uint32_t *to);
void mt_scheme_sink_free(mt_scheme_sink *sink);

typedef struct mt_scheme mt_scheme;

/* Writes the order of the owned elements to order[n_own], interior first, says the ranges by mt_scheme_send, and gives the
 * number of interior elements. `scratch` is freed by the caller. MT_MEMORY. */
typedef mt_status mt_scheme_function(const mt_scheme *scheme, const mt_needs *source, mt_arena *scratch,
    uint32_t *order, uint32_t *n_interior, mt_scheme_sink *sink);

struct mt_scheme {
    const char *name;
    const char *summary; /* half a line */
    mt_scheme_function *plan;
    uint32_t ranges; /* the most ranges that a source may have; 0: as many as there will be */
    bool
        broadcasts; /* what two or more need goes to all neighbours (MT_BALANCE_MIXED of mesh/cut/balance.h) */
};

/* The schemes there are; the last entry has no name. A destination set (mesh/cut/sets.h) is the parts that need one element.
 *   full         one range, the whole separator, to every neighbour (Burchard et al., Front. Phys. 2023, section 4.1.1).
 *   ranged       to every neighbour the smallest range that encloses what it needs; neighbours with the same range share
 *                it (4.1.2 there). Elements of one destination set stand together, the sets as mt_sets_order_intervals
 *                puts them to keep these ranges short.
 *   mixed-clean  elements needed by two or more parts come first and are sent whole to all neighbours; then those needed by
 *                one part only, grouped by it (4.1.3 there).
 *   exact        a range for each destination set, so nothing is unused; the sets in an order that puts those of a
 *                destination next to each other (mt_sets_order_runs): ranges that touch arrive as one piece.
 *   budget       as exact, but sets are merged until a source has no more than `ranges` (mt_sets_merge); 1 makes it full.
 *                A destination never receives more where more ranges are allowed.
 *
 * What they cost in a heart of 3 million elements in 1,472 and in 23,552 parts: the most words that a part receives, the
 * most pieces in which it does, and ranges in all.
 *                full             ranged         mixed-clean    exact           budget
 *     1,472      15513 17    1k   3350 17   15k  4214 33   16k  1441 48    56k  1791 38   30k
 *     23,552      2939 26   24k    634 26  316k  1881 35  215k   320 55  1011k   411 44  517k
 * Budget's usual 22 saves 90 to 94 % of the words that exact saves against mixed-clean, with 47 to 53 % of its ranges, at
 * 1, 2, 4, 8 and 16 times 1,472 parts.
 *
 * Time and memory are those of mesh/cut/sets.h for each part. */
extern const mt_scheme mt_schemes[];

/* Gives the scheme of this name. `ranges` is the most ranges a source may have, for a scheme that has such a limit; 0:
 * its usual one. MT_INPUT: no such scheme (the message has those there are), or it has no such limit. */
MT_NODISCARD mt_status mt_scheme_find(const char *name, uint32_t ranges, mt_scheme *scheme);
