/* The codelets of an implicit diffusion step (solver/diffusion/implicit.h): each tile's part of each phase of
 * BiCGStab, and the scalars on one tile.
 *
 * Fields, in the order of the phases; G is d, a and column, as in solver/plan/codelets.h, and the vectors
 * multiplied by G hold the own elements, then the received ones. A sum has three words of fixed point
 * (solver/kernels/fixed_equations.h). Sums and maxima do not depend on the partition.
 *
 *     INCREMENTS    d a column v                          -> x = G v / theta
 *     START         d a column x                          -> r = p = shadow = x - A x, bound = max |r|, again for |p|, and max residual
 *     FIRST         d a column p  shadow r  scale[2]      -> q = A p, words[6] of (shadow, r) and (shadow, q)
 *     HALF          q  alpha[1]                           -> r = r - alpha q
 *     SECOND        d a column r  shadow  scale[3]        -> t = A r, words[9] of (t, r), (t, t) and (shadow, t)
 *     END           d q t  scalars[3]                     -> x, r, p, bound = max |r|, max |p| and max residual
 *     GAIN          x                                     -> v = v + x
 *     RESET                                               -> iteration = 0
 *     NEXT          bound[3] of all                       -> state, sent, goes_on; iteration + 1   (solver/kernels/bicgstab_scalars.h)
 *     ALPHA         words[6] of all                       -> state, sent
 *     OMEGA         words[9] of all  state                -> sent
 *
 * With voltages at the vertices the rows of G have different lengths (solver/plan/nodal_codelets.h). Vertices of the first, second, third
 * and fifth phase then also have the fields row and width, the last ones. INCREMENTS has d, too, but does not read it. */
#pragma once

#include "ipu/graph/graph.h"
#include "solver/plan/nodal_codelets.h"

typedef enum mt_implicit_part {
    MT_IMPLICIT_INCREMENTS,
    MT_IMPLICIT_START,
    MT_IMPLICIT_FIRST,
    MT_IMPLICIT_HALF,
    MT_IMPLICIT_SECOND,
    MT_IMPLICIT_END,
    MT_IMPLICIT_GAIN,
    MT_IMPLICIT_RESET,
    MT_IMPLICIT_NEXT,
    MT_IMPLICIT_ALPHA,
    MT_IMPLICIT_OMEGA,
    MT_IMPLICIT_PARTS
} mt_implicit_part;

/* Offsets and size of `sent`, which all tiles receive; sizes of the state, of the words and of the bounds. */
enum {
    MT_IMPLICIT_SENT_FIRST = 0,
    MT_IMPLICIT_SENT_SECOND = 2,
    MT_IMPLICIT_SENT_ALPHA = 5,
    MT_IMPLICIT_SENT = 8,
    MT_IMPLICIT_STATE = 7,
    MT_IMPLICIT_WORDS_FIRST = 6,
    MT_IMPLICIT_WORDS_SECOND = 9,
    MT_IMPLICIT_BOUNDS = 3
};

/* The context of the vertices of a tile that multiply by G; the others ignore it. */
typedef struct mt_implicit_context {
    float over_theta; /* 1 / theta */
    const mt_tile_rows
        *rows; /* of voltages at the vertices, whose arrays are also the fields row and width; else NULL */
} mt_implicit_context;

/* Returns the codelet of a part, also for rows of voltages at the vertices (`nodal`); valid as long as the program. */
ipu_codelet mt_codelet_implicit(mt_implicit_part part, bool nodal);
