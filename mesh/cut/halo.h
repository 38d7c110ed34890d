/* Halo exchange of a partition: the elements that each part receives before it computes its rows, and an order of the elements in each part
 * that allows sending few contiguous ranges. Depends on a sparsity pattern and a partition, not on the computation.
 *
 * Terms: a part *owns* elements. An element is *needed* by part q if a row of q reads it and another part owns it. An element that no other
 * part needs is *interior*; the others are *separator* elements. A *range* is a contiguous piece of a part's owned elements that is sent,
 * once, to one or more parts. A *neighbour* of p is a part that needs an element of p.
 *
 * Local order of part q: its owned elements (interior, then separator, in the order of the scheme, mesh/cut/scheme.h), then the received
 * ranges, in the order of in_range.
 *
 * Invariants of a complete halo:
 *   own_element[own_offset[p] .. own_offset[p + 1]) are the elements of part p; own_element is a permutation;
 *   range[range_offset[p] .. range_offset[p + 1]) have source p, n_interior[p] <= begin < end <= owned, and
 *     begins ascend;
 *   to_part[to_offset[r] .. to_offset[r + 1]) are the parts that receive range r: ascending, at least one,
 *     not its source;
 *   in_range[in_offset[q] .. in_offset[q + 1]) are the ranges that q receives: ascending, and so ordered by source,
 *     then begin;
 *   in_range of q contains r if and only if to_part of r contains q;
 *   ranges of one source to one part do not overlap, so nothing is received twice;
 *   q receives every element that it needs;
 *   inbound[q] = sum of (end - begin) over the ranges that q receives >= needed[q]. */
#pragma once

#include "mesh/cut/partition.h"
#include "mesh/cut/pattern.h"
#include "mesh/cut/scheme.h"

typedef struct mt_halo {
    uint32_t n_parts, parts_per_group; /* of the partition */
    size_t n_elements;                 /* owned by parts: all, or the subset of mt_halo_seen */
    size_t *own_offset;                /* [n_parts + 1] */
    uint32_t *own_element;             /* [n_elements] global ids, part by part, in local order */
    uint32_t *n_interior;              /* [n_parts] */
    size_t n_ranges;
    mt_scheme_range *range; /* [n_ranges] ordered by source; each is sent once */
    size_t *range_offset;   /* [n_parts + 1] */
    size_t *to_offset;      /* [n_ranges + 1] */
    uint32_t *to_part;      /* [to_offset[n_ranges]] */
    size_t *in_offset;      /* [n_parts + 1] */
    uint32_t *in_range;     /* [in_offset[n_parts]] */
    size_t *inbound;        /* [n_parts] number of received elements, including unused ones */
    size_t *needed;         /* [n_parts] number of needed elements */
} mt_halo;

/* Builds the halo of a pattern and a partition (both borrowed) in `arena`. MT_INPUT: the pattern has no rows; a column is no element; the
 * partition has another number of elements or is invalid; there are more than 2^32 - 2 ranges. MT_MEMORY. Time: O(entries of the rows), a
 * sort within each part, and the time of the scheme for each part. Memory: O(elements + pairs of an element and a part that needs it). */
MT_NODISCARD mt_status mt_halo_make(mt_arena *arena, const mt_pattern *pattern, const mt_partition *partition,
    const mt_scheme *scheme, mt_halo *halo);

/* Builds, in `arena`, the subset of a halo that concerns the parts [first, end), with the same part numbers. These parts are complete. Of
 * the other parts it contains the ranges that they exchange with these. Another part owns the elements that it sends to these parts, in the
 * original order. If it sends nothing, it owns its first element if it receives a range or if `each` is set and it has elements; else it
 * owns no element. The local order of the parts [first, end) and the ranges that they send and receive are therefore unchanged. The
 * invariants above hold for these parts and for the remaining ranges; `needed` of other parts is 0. MT_MEMORY. Time: O(parts + elements of
 * these parts and of their communication partners + pairs of range and receiver among them), and a sort of the received ranges. */
MT_NODISCARD mt_status mt_halo_seen(
    mt_arena *arena, const mt_halo *halo, uint32_t first, uint32_t end, bool each, mt_halo *seen);

/* Return the number of groups of the partition, and the group of a part. */
uint32_t mt_halo_groups(const mt_halo *halo);
uint32_t mt_halo_group_of(const mt_halo *halo, uint32_t part);

/* Return the number of owned elements of a part, and the length of its local order (owned and received elements). */
size_t mt_halo_own(const mt_halo *halo, uint32_t part);
size_t mt_halo_local(const mt_halo *halo, uint32_t part);

/* Returns the number of pieces that a part receives; adjacent ranges of one source count as one. Time: O(ranges received). */
size_t mt_halo_pieces_in(const mt_halo *halo, uint32_t part);

/* Converts the rows of a part to local indices: local[i][k] is the position, in the part's local order, of column k of the row of its i-th
 * owned element; rows of different lengths follow each other without gaps. `map` [pattern->n_elements] holds UINT32_MAX everywhere before
 * and after the call, also after a failure; threads can process parts concurrently, each with its own map. MT_INPUT: a row reads an element
 * that the part neither owns nor receives (the halo belongs to another pattern). Time: O(local order + entries). */
MT_NODISCARD mt_status mt_halo_columns(
    const mt_halo *halo, const mt_pattern *pattern, uint32_t part, uint32_t *map, uint32_t *local);

/* Sets place[element] of the elements that a part receives to their positions in its local order. */
void mt_halo_number_received(const mt_halo *halo, uint32_t part, uint32_t *place);
