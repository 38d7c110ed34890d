/* A slow reference for the repair of parts, as its header specifies it: each moved element is searched from the beginning, among all
 * elements of a part. */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "mesh/cut/members.h"
#include "mesh/cut/repair.h"

#define NONE MT_NO_MEMBER

struct slow_parts {
    const mt_adjacency *adjacency;
    uint32_t n_parts;
    size_t least, most;
    mt_members of;
    uint32_t *from;          /* [n_parts] in a search: the previous part; NONE: not visited */
    uint32_t *queue, *chain; /* [n_parts] */
    size_t level;            /* no part with spare elements has more than this */
    uint32_t cursor;         /* the parts before this one have fewer */
    size_t moves;
};

static void move_element(struct slow_parts *parts, uint32_t element, uint32_t to)
{
    mt_members_move(&parts->of, element, to);
    parts->moves++;
}

static mt_status begin(mt_arena *scratch, struct slow_parts *parts, uint32_t *part)
{
    MT_ALLOC(scratch, parts->from, parts->n_parts);
    MT_ALLOC(scratch, parts->queue, parts->n_parts);
    MT_ALLOC(scratch, parts->chain, parts->n_parts);
    memset(parts->from, 0xff, parts->n_parts * sizeof *parts->from);
    parts->cursor = parts->n_parts; /* the first call determines the level */
    return mt_members_make(scratch, parts->adjacency->n_elements, parts->n_parts, part, &parts->of);
}

/* ---- selection of the element to move ---- */

static int faces_towards(const struct slow_parts *parts, uint32_t element, uint32_t part)
{
    int n = 0;
    for (size_t f = 0; f < 4; f++) {
        const uint32_t near = parts->adjacency->neighbour[4 * (size_t)element + f];
        n += near != MT_NO_ELEMENT && parts->of.part[near] == part;
    }
    return n;
}

/* Returns the element of `part` to move to `to`: of the elements that touch it the one with the most faces there and the fewest faces to
 * its own part; NONE if none touches it. With to = NONE any element is allowed. */
static uint32_t choose(const struct slow_parts *parts, uint32_t part, uint32_t to)
{
    uint32_t best = NONE;
    int most = 0;
    for (uint32_t c = parts->of.first[part]; c != NONE; c = parts->of.next[c]) {
        const int touching = to == NONE ? 1 : faces_towards(parts, c, to);
        if (touching == 0) continue;
        const int worth = 8 + touching - faces_towards(parts, c, part);
        if (worth > most || (worth == most && c < best)) best = c, most = worth;
    }
    return best;
}

/* ---- chains ---- */

/* Searches from part `start` for the nearest part with fewer than `below` or more than `above` elements, and writes the path, including
 * both ends, to chain[]. Returns its length, or 0 if there is no such part in reach. */
static uint32_t search(struct slow_parts *parts, uint32_t start, size_t below, size_t above)
{
    uint32_t n = 0, found = NONE, length = 0;
    parts->from[start] = start;
    parts->queue[n++] = start;
    for (uint32_t i = 0; i < n && found == NONE; i++)
        for (uint32_t c = parts->of.first[parts->queue[i]]; c != NONE && found == NONE; c = parts->of.next[c])
            for (size_t f = 0; f < 4 && found == NONE; f++) {
                const uint32_t near = parts->adjacency->neighbour[4 * (size_t)c + f];
                if (near == MT_NO_ELEMENT || parts->from[parts->of.part[near]] != NONE) continue;
                const uint32_t p = parts->of.part[near];
                parts->from[p] = parts->queue[i];
                parts->queue[n++] = p;
                if (parts->of.size[p] < below || parts->of.size[p] > above) found = p;
            }
    for (uint32_t p = found; p != NONE; p = p == start ? NONE : parts->from[p]) parts->chain[length++] = p;
    for (uint32_t i = 0; i < n; i++) parts->from[parts->queue[i]] = NONE;
    return length;
}

/* Moves an element from part a to b. Along a shortest chain, from its first part on, there is always one to move: no part of it has lost an
 * element before its turn. */
static void hand(struct slow_parts *parts, uint32_t a, uint32_t b)
{
    const uint32_t element = choose(parts, a, b);
    move_element(parts, element != NONE ? element : choose(parts, a, NONE), b);
}

/* Returns a largest part; called repeatedly while parts above `least` only lose elements. */
static uint32_t largest(struct slow_parts *parts)
{
    for (;;) {
        for (; parts->cursor < parts->n_parts; parts->cursor++)
            if (parts->of.size[parts->cursor] >= parts->level) return parts->cursor;
        parts->cursor = 0;
        parts->level = 0;
        for (uint32_t p = 0; p < parts->n_parts; p++)
            if (parts->of.size[p] > parts->level) parts->level = parts->of.size[p];
    }
}

static void fill(struct slow_parts *parts, uint32_t part)
{
    bool alone = false;
    while (parts->of.size[part] < parts->least) {
        const uint32_t n = alone || parts->of.size[part] == 0 ? 0 : search(parts, part, 0, parts->least);
        alone = n == 0 && parts->of.size[part] > 0;
        if (n == 0) hand(parts, largest(parts), part);
        for (uint32_t i = 0; i + 1 < n; i++) hand(parts, parts->chain[i], parts->chain[i + 1]);
    }
}

static void drain(struct slow_parts *parts, uint32_t part, uint32_t *roomy)
{
    bool alone = false;
    while (parts->of.size[part] > parts->most) {
        const uint32_t n = alone ? 0 : search(parts, part, parts->most, SIZE_MAX);
        alone = n == 0;
        while (n == 0 && parts->of.size[*roomy] >= parts->most) ++*roomy;
        if (n == 0) hand(parts, part, *roomy);
        for (uint32_t i = n; i-- > 1;) hand(parts, parts->chain[i], parts->chain[i - 1]);
    }
}

static mt_status slow_repair_all(mt_arena *scratch, struct slow_parts *parts, uint32_t *part)
{
    uint32_t roomy = 0;
    MT_TRY(begin(scratch, parts, part));
    for (uint32_t p = 0; p < parts->n_parts; p++) fill(parts, p);
    for (uint32_t p = 0; p < parts->n_parts; p++) drain(parts, p, &roomy);
    return MT_OK;
}

static mt_status slow_repair(
    const mt_adjacency *adjacency, uint32_t n_parts, size_t least, size_t most, uint32_t *part, size_t *moves)
{
    const size_t n = adjacency->n_elements;
    if (n_parts == 0 || least > n / n_parts || most < (n + n_parts - 1) / n_parts)
        return mt_fail(MT_INPUT, "%zu elements cannot be partitioned into %u parts of %zu to %zu elements", n,
            n_parts, least, most);
    mt_arena scratch = {0};
    struct slow_parts parts = {.adjacency = adjacency, .n_parts = n_parts, .least = least, .most = most};
    const mt_status status = slow_repair_all(&scratch, &parts, part);
    mt_arena_free(&scratch);
    *moves = parts.moves;
    return status;
}
