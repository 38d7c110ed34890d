/* Elimination on cables: the solution of (C / dt + G + B) x = b in linear time, in an order that depends on the network alone.
 *
 * G is the matrix of the conductances between points, C / dt and B are diagonal. The points of a chain are eliminated from left to right.
 * Each is then coupled to the next one and to the left hub only, with positive coefficients:
 *
 *     forward    b_next += along b,   b_left += across b          for each point of a chain in turn
 *     hubs       b_k += sum over j factor_kj b_j                  for each hub k in its order, with j the earlier hubs in its row
 *                x_k = inverse b_k + sum over j factor_jk x_j     in the reverse order, with j the later hubs in its column
 *     backward   x = inverse b + along x_next + across x_left     from right to left
 *
 * (M. Hines, Int. J. Bio-Medical Computing 15 (1984) 69, for trees.) Chains are independent of each other; each stores what it adds to its
 * two hubs, and a hub adds these in ascending order of the chains. The hubs are eliminated by least degree, where 1 counts as 2; of these
 * the hub of the lowest round, and of these the lowest number first. A hub's round is one above the highest of the rounds of its neighbours
 * that have been eliminated. Hence trees have at most two entries a hub, and are contracted in a number of rounds that grows like the
 * logarithm of their size, so that hubs can be eliminated at the same time (tree contraction: G. L. Miller and J. H. Reif, 26th IEEE
 * Symposium on Foundations of Computer Science, 1985, 478). Loops add entries. Computed in double precision. The matrix has a positive
 * diagonal and negative other entries, and keeps these signs: with right-hand sides of one sign nothing cancels. */
#pragma once

#include "solver/conduction/cables.h"

typedef struct mt_elimination {
    double *along, *across; /* [n_chained]; the last point's `along` leads to the right hub */
    double *inverse;        /* [n_points] of the eliminated diagonal [1 / mS] */
    size_t n_hubs;
    uint32_t *order; /* [n_hubs] hubs, from 0, as they are eliminated */
    size_t *column;  /* [n_hubs + 1] entries of the hub that is eliminated k-th: column[k] .. column[k + 1] */
    uint32_t *hub;   /* [column[n_hubs]] hubs j, from 0 */
    double *factor;  /* [column[n_hubs]] */
    size_t *
        row; /* [n_hubs + 1] the same entries by row: those of the hub that is eliminated k-th are row[k] .. row[k + 1] */
    uint32_t *earlier;      /* [row[n_hubs]] hubs j, from 0, in their order */
    double *earlier_factor; /* [row[n_hubs]] */
    size_t *ends;           /* ends of chains at hub k: end[ends[k] .. ends[k + 1]) */
    uint32_t *end;          /* ascending: twice the chain, plus 1 for its right end */
} mt_elimination;

/* Factors the matrix with the diagonal C / dt + B [n_points], all positive, in `arena`. MT_MEMORY. Time: O(points) for trees. */
MT_NODISCARD mt_status mt_elimination_make(
    mt_arena *arena, const mt_cables *cables, const double *diagonal_mS, mt_elimination *elimination);
