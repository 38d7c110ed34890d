/* What each part of a partition must be sent before it can compute its rows, and in which order elements lie in
 * a part so that it can be sent as few contiguous ranges. Knows a sparsity pattern and a partition, not what
 * is computed.
 *
 * Words: a part *owns* elements; an element is *needed* by part q where a row of q reads it and another part owns
 * it. An element that no other part needs is *interior*, the others are *separator* elements. A *range* is a
 * contiguous piece of a part's owned elements that is sent, once, to one or more parts; a *neighbour* of p is a
 * part that needs an element of p.
 *
 * Local order of part q: its owned elements (interior, then separator, as the scheme of mesh/cut/scheme.h says), then what it
 * receives: the ranges in in_range, one after the other.
 *
 * Invariants, of a halo that is seen as a whole:
 *   own_element[own_offset[p] .. own_offset[p + 1]) are the elements of part p; all together are a permutation;
 *   range[range_offset[p] .. range_offset[p + 1]) have source p, n_interior[p] <= begin < end <= owned, and
 *     begins ascend;
 *   to_part[to_offset[r] .. to_offset[r + 1]) are the parts that receive range r: ascending, at least one,
 *     not its source;
 *   in_range[in_offset[q] .. in_offset[q + 1]) are the ranges that q receives: ascending, so by source and
 *     then begin;
 *   r stands in q's list exactly where q stands in r's list (the two directions are one relation);
 *   ranges of one source to one part do not overlap, so nothing is received twice;
 *   every element needed by q is received by q;
 *   inbound[q] = sum of (end - begin) over q's ranges >= needed[q]. */
#pragma once

#include "mesh/cut/partition.h"
#include "mesh/cut/pattern.h"
#include "mesh/cut/scheme.h"

typedef struct mt_halo {
    uint32_t n_parts, parts_per_group; /* the partition's */
    size_t n_elements;                 /* that parts own: all, or those that are seen (mt_halo_seen) */
    size_t *own_offset;                /* [n_parts + 1] */
    uint32_t *own_element;             /* [n_elements] global ids, part by part, in local order */
    uint32_t *n_interior;              /* [n_parts] */
    size_t n_ranges;
    mt_scheme_range *range; /* [n_ranges] each sent once, by source */
    size_t *range_offset;   /* [n_parts + 1] */
    size_t *to_offset;      /* [n_ranges + 1] */
    uint32_t *to_part;      /* [to_offset[n_ranges]] */
    size_t *in_offset;      /* [n_parts + 1] */
    uint32_t *in_range;     /* [in_offset[n_parts]] */
    size_t *inbound;        /* [n_parts] elements received, unused ones included */
    size_t *needed;         /* [n_parts] elements that have to be received */
} mt_halo;

/* Gives the halo of a pattern (borrowed, as the partition is). MT_INPUT: a column is no element; the partition is of another
 * number of elements, or broken; more than 2^32 - 2 ranges. MT_MEMORY. Time O(n_elements * width), a sort within parts,
 * and what the scheme takes for each part; memory O(elements + pairs of element and part that needs it). */
MT_NODISCARD mt_status mt_halo_make(mt_arena *arena, const mt_pattern *pattern, const mt_partition *partition,
    const mt_scheme *scheme, mt_halo *halo);

/* Gives in `arena` a halo as it is seen from the parts [first, end): these as they are, and of the others what these receive of them and
 * what they send them; parts keep their numbers. Another part owns the elements that it sends there, in the order that they had. One of which
 * nothing comes owns its first, if something goes to it or if all parts that own elements shall go on doing so (`each`), and else none. So the
 * local order of the parts it is seen from, and the ranges that they send and receive, are the same. Of the invariants above those hold that
 * speak of these parts, and of two parts a range goes between; needed is 0 of the others. MT_MEMORY. Time O(parts + elements of these
 * and of those that they have to do with + pairs of range and receiver among them), and a sort of the ranges received. */
MT_NODISCARD mt_status mt_halo_seen(
    mt_arena *arena, const mt_halo *halo, uint32_t first, uint32_t end, bool each, mt_halo *seen);

/* Groups of parts, as the partition's, and the one of a part. */
uint32_t mt_halo_groups(const mt_halo *halo);
uint32_t mt_halo_group_of(const mt_halo *halo, uint32_t part);

/* Owned elements of a part; together with what it receives (mt_halo_local): the length of its local order. */
size_t mt_halo_own(const mt_halo *halo, uint32_t part);
size_t mt_halo_local(const mt_halo *halo, uint32_t part);

/* Pieces that a part receives: ranges of one source that touch count as one. Time O(ranges received). */
size_t mt_halo_pieces_in(const mt_halo *halo, uint32_t part);

/* The rows of one part in local indices: local[i][k] is where column k of row own_element[i] (i of the part) lies in
 * the part's local order. `map` [pattern->n_elements] holds UINT32_MAX everywhere before and after, also after a failure;
 * with a map for each thread, parts can be done at the same time. MT_INPUT: a row reads what is neither owned
 * nor received (the halo was made of another pattern). Time O(local order + owned * width). */
MT_NODISCARD mt_status mt_halo_columns(
    const mt_halo *halo, const mt_pattern *pattern, uint32_t part, uint32_t *map, uint32_t *local);
