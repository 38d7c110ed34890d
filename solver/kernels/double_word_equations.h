/* Double-word arithmetic: a number as a pair of floats, high + low, where high is the sum rounded to a float.
 *
 * Error-free transformations give the rounding error of a sum or a product as a float of its own:
 *
 *   two_sum       Knuth, The Art of Computer Programming 2 (1969), 4.2.2
 *   fast_two_sum  and two_product, with Veltkamp's splitting: Dekker, Numer. Math. 18, 224 (1971)
 *
 * Machines without a fused multiply-add need the splitting, and it has the same bits on all of them. Products whose error is below
 * the smallest normal float lose it where subnormals are flushed. Pairs are added up as by Joldes, Muller and Popescu, ACM Trans.
 * Math. Softw. 44, 15 (2017), algorithm 4, where the summand is a product with its error.
 *
 * Included by the kernels after solver/kernels/lanes.h has chosen the arithmetic, which must be float: names are of LANES pairs. */
#ifndef MT_SOLVER_KERNELS_DOUBLE_WORD_EQUATIONS_H
#define MT_SOLVER_KERNELS_DOUBLE_WORD_EQUATIONS_H

typedef struct double_word {
    lanes high, low;
} double_word;

/* x + y, exactly. */
static inline double_word two_sum(lanes x, lanes y)
{
    const lanes sum = x + y, x_there = sum - y, y_there = sum - x_there;
    return (double_word){sum, (x - x_there) + (y - y_there)};
}

/* The same where |x| >= |y| or x = 0. */
static inline double_word fast_two_sum(lanes x, lanes y)
{
    const lanes sum = x + y;
    return (double_word){sum, y - (sum - x)};
}

/* x as two numbers of at most 12 bits. */
static inline double_word split(lanes x)
{
    const lanes far = (real)4097 * x, high = far - (far - x);
    return (double_word){high, x - high};
}

/* x y, exactly. */
static inline double_word two_product(lanes x, lanes y)
{
    const lanes product = x * y;
    const double_word a = split(x), b = split(y);
    return (double_word){
        product, a.low * b.low - (((product - a.high * b.high) - a.low * b.high) - a.high * b.low)};
}

/* x + p for a product p, to within u^2 (3 |x| + 4 |p|), u = 2^-24. */
static inline double_word double_word_add_product(double_word x, double_word p)
{
    const double_word sum = two_sum(x.high, p.high);
    return fast_two_sum(sum.high, x.low + (sum.low + p.low));
}

#endif
