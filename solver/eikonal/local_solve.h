/* The local problem of the eikonal equation: the first arrival at one vertex of a tetrahedron from its opposite face.
 *
 * In a tetrahedron the velocity is constant, so that a straight path of the vector d takes the time |d| = sqrt(d' C^-1 d). Times are
 * linear on the opposite face. By Fermat's principle, the arrival at the vertex v from the face (a, b, c) is the minimum over its points:
 *
 *     T_v = min of  sum_i l_i T_i + |x_v - sum_i l_i x_i|,      l_i >= 0, sum_i l_i = 1
 *
 * The function is convex. With the edges e_1 = x_a - x_c and e_2 = x_b - x_c, their Gram matrix G in the metric, d = x_v - x_c,
 * b_i = e_i . d, t_i = T_i - T_c, and q = t' G^-1 t < 1, it is stationary at
 *
 *     l = G^-1 (b - w t),     w = sqrt(H2 / (1 - q)),     H2 = d . d - b' G^-1 b,     T_v = T_c + t' G^-1 b + sqrt(H2 (1 - q))
 *
 * If a weight l_i is negative there, the minimum is on an edge opposite such a vertex: from any other point of the border a step towards
 * the stationary point stays in the face and decreases the function. If q >= 1 there is no stationary point. An edge has the same formula
 * in one dimension, and a corner the time along one edge of the tetrahedron. The minimum is exact for obtuse elements and any anisotropy.
 * All scalar products follow from the six squared lengths of the edges, in the metric. */
#pragma once

#include <math.h>

/* A tetrahedron in its metric, seen from vertex v: squared lengths of its edges [ms^2]. */
typedef struct mt_local {
    double va, vb, vc; /* from v to the corners of the face */
    double ab, ac, bc; /* of the face */
} mt_local;

/* Returns the arrival at v from the edge ab; times at its ends are finite or infinite. *of_a: weight of a at the minimum; NULL: not
 * required. */
static inline double mt_local_edge(double va, double vb, double ab, double t_a, double t_b, double *of_a)
{
    const double from_a = t_a + sqrt(va), from_b = t_b + sqrt(vb), least = fmin(from_a, from_b),
                 t = t_a - t_b;
    const double open = ab - t * t; /* g (1 - q) */
    if (of_a) *of_a = from_a <= from_b ? 1 : 0;
    if (!(open > 0)) return least; /* also for infinite times */
    const double b = 0.5 * (ab + vb - va), height = fmax(vb * ab - b * b, 0),
                 weight = b - t * sqrt(height / open);
    if (!(weight > 0 && weight < ab)) return least;
    const double inside = t_b + (t * b + sqrt(height * open)) / ab;
    if (of_a && inside <= least) *of_a = weight / ab;
    return fmin(least, inside);
}

/* Replaces *least by the arrival from edge ab, and the weights by those of this edge, if it is earlier. */
static inline void mt_local_try_edge(
    double va, double vb, double ab, const double t[3], const int at[2], double *least, double weight[3])
{
    double of_a;
    const double arrival = mt_local_edge(va, vb, ab, t[at[0]], t[at[1]], weight ? &of_a : NULL);
    if (weight && arrival < *least) {
        weight[0] = weight[1] = weight[2] = 0;
        weight[at[0]] = of_a, weight[at[1]] = 1 - of_a;
    }
    *least = fmin(*least, arrival);
}

/* Returns the arrival at v from the face with the times t[3] at a, b and c, finite or infinite. weight: the weights of its corners at the
 * minimum, 0 if the arrival is infinite; NULL: not required. */
static inline double mt_local_face(const mt_local *l, const double t[3], double weight[3])
{
    const double g11 = l->ac, g22 = l->bc, g12 = 0.5 * (l->ac + l->bc - l->ab);
    const double b1 = 0.5 * (l->ac + l->vc - l->va), b2 = 0.5 * (l->bc + l->vc - l->vb);
    const double t1 = t[0] - t[2], t2 = t[1] - t[2];
    const double det = g11 * g22 - g12 * g12,
                 open = det - (g22 * t1 * t1 - 2 * g12 * t1 * t2 + g11 * t2 * t2);
    if (weight) weight[0] = weight[1] = weight[2] = 0;
    int outside = 7; /* bit i: the stationary point has a negative weight of vertex i */
    if (det > 0 && open > 0) {
        const double m1 = g22 * b1 - g12 * b2, m2 = g11 * b2 - g12 * b1; /* det G^-1 b */
        const double height = fmax(l->vc * det - (b1 * m1 + b2 * m2), 0), w = sqrt(height / open);
        const double l1 = m1 - w * (g22 * t1 - g12 * t2), l2 = m2 - w * (g11 * t2 - g12 * t1);
        outside = (l1 < 0) | (l2 < 0) << 1 | (l1 + l2 > det) << 2;
        if (!outside && weight) weight[0] = l1 / det, weight[1] = l2 / det, weight[2] = 1 - (l1 + l2) / det;
        if (!outside) return t[2] + (t1 * m1 + t2 * m2 + sqrt(height * open)) / det;
    }
    double least = INFINITY;
    if (outside & 1) mt_local_try_edge(l->vb, l->vc, l->bc, t, (const int[]){1, 2}, &least, weight);
    if (outside & 2) mt_local_try_edge(l->va, l->vc, l->ac, t, (const int[]){0, 2}, &least, weight);
    if (outside & 4) mt_local_try_edge(l->va, l->vb, l->ab, t, (const int[]){0, 1}, &least, weight);
    return least;
}
