/* Comparison functions for qsort and bsearch.
 *
 *     MT_ORDER(by_place, stretch, tile, from, to)    items of type `stretch` by tile, then by from, then by to; ascending
 *     MT_ORDER_DOWN(by_load, sender, load, tile)     the same, but descending by the first member
 *     MT_ORDER_NUMBERS(by_number, uint32_t)          numbers, ascending
 *
 * Each macro defines a static function of this name. Members are numeric expressions ("mapping.from"), at most five. */
#pragma once

#define MT_ORDER_NUMBERS(name, type)                                                                         \
    static int name(const void *left, const void *right)                                                     \
    {                                                                                                        \
        const type a = *(const type *)left, b = *(const type *)right;                                        \
        return (a > b) - (a < b);                                                                            \
    }

#define MT_ORDER(name, type, ...)                                                                            \
    static int name(const void *left, const void *right)                                                     \
    {                                                                                                        \
        const type *a = left, *b = right;                                                                    \
        MT_ORDER_OF_(__VA_ARGS__, MT_ORDER_5_, MT_ORDER_4_, MT_ORDER_3_, MT_ORDER_2_, MT_ORDER_1_, 0)        \
        (__VA_ARGS__) return 0;                                                                              \
    }

#define MT_ORDER_DOWN(name, type, first, ...)                                                                \
    static int name(const void *left, const void *right)                                                     \
    {                                                                                                        \
        const type *a = left, *b = right;                                                                    \
        if (a->first != b->first) return a->first > b->first ? -1 : 1;                                       \
        MT_ORDER_OF_(__VA_ARGS__, MT_ORDER_5_, MT_ORDER_4_, MT_ORDER_3_, MT_ORDER_2_, MT_ORDER_1_, 0)        \
        (__VA_ARGS__) return 0;                                                                              \
    }

#define MT_ORDER_OF_(m1, m2, m3, m4, m5, chosen, ...) chosen
#define MT_ORDER_1_(member)                                                                                  \
    if (a->member != b->member) return a->member < b->member ? -1 : 1;
#define MT_ORDER_2_(member, ...) MT_ORDER_1_(member) MT_ORDER_1_(__VA_ARGS__)
#define MT_ORDER_3_(member, ...) MT_ORDER_1_(member) MT_ORDER_2_(__VA_ARGS__)
#define MT_ORDER_4_(member, ...) MT_ORDER_1_(member) MT_ORDER_3_(__VA_ARGS__)
#define MT_ORDER_5_(member, ...) MT_ORDER_1_(member) MT_ORDER_4_(__VA_ARGS__)
