#include "ipu/machine/route.h"

enum {
    COLUMN = 6, /* cycles between neighbouring columns along the foot */
    SKEW_LEFT = 5,
    SKEW_RIGHT = 3,
    RIGHT_TO_LEFT = 16,
    /* skew + |inlet - outlet| of the shortest route: from a far pair to a near one of the next column */
    SHORTEST = -4
};

ipu_position ipu_route_position(const ipu_target *target, size_t tile)
{
    size_t row = 0, place = 0;
    ipu_target_place(target, tile, &row, &place);
    if (target->exchange_columns == 0) return (ipu_position){.row = row};
    const size_t column = place / 4;
    const int64_t lane = (int64_t)(place / 2 % 2);
    const bool right = column >= target->exchange_columns / 2;
    const int64_t from_edge = (int64_t)(right ? target->exchange_columns - 1 - column : column);
    const bool far = right != (place % 2 != 0);
    return (ipu_position){.row = row,
        .column = from_edge,
        .outlet = COLUMN * from_edge + (far ? COLUMN : 0),
        .inlet = COLUMN * from_edge + (far ? COLUMN - 1 - lane : 1 + lane),
        .right = right};
}

uint64_t ipu_route_cycles(const ipu_target *target, const ipu_position *sender, const ipu_position *receiver)
{
    if (target->exchange_columns == 0) return target->exchange_row_cycles * receiver->row;
    const int64_t foot = receiver->inlet - sender->outlet;
    int64_t skew = (receiver->right ? SKEW_RIGHT : SKEW_LEFT) * (sender->column - receiver->column);
    if (sender->right && !receiver->right) skew += RIGHT_TO_LEFT;
    const int64_t along = skew + (foot < 0 ? -foot : foot) - SHORTEST;
    return target->exchange_way_cycles + target->exchange_row_cycles * sender->row + (uint64_t)along;
}

uint64_t ipu_route_latency(const ipu_target *target, size_t sender, size_t receiver)
{
    const ipu_position from = ipu_route_position(target, sender);
    const ipu_position to = ipu_route_position(target, receiver);
    return ipu_route_cycles(target, &from, &to);
}

uint64_t ipu_route_paired_latency(const ipu_target *target, size_t sender, size_t receiver)
{
    const uint64_t one = ipu_route_latency(target, sender, receiver);
    const uint64_t other = ipu_route_latency(target, sender, ipu_target_partner(target, receiver));
    return one > other ? one : other;
}
