/* The box of elements that are partitioned by their positions. */
#pragma once

#include <math.h>

typedef struct mt_part_box {
    double low[3], high[3]; /* mm */
} mt_part_box;

static const mt_part_box mt_part_box_empty = {
    {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static inline void mt_part_box_add(mt_part_box *box, const double xyz_mm[3])
{
    for (int k = 0; k < 3; k++) {
        box->low[k] = xyz_mm[k] < box->low[k] ? xyz_mm[k] : box->low[k];
        box->high[k] = xyz_mm[k] > box->high[k] ? xyz_mm[k] : box->high[k];
    }
}

/* Returns the axis along which the box is longest; of equal ones the first. */
static inline int mt_part_box_axis(const mt_part_box *box)
{
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (box->high[k] - box->low[k] > box->high[axis] - box->low[axis]) axis = k;
    return axis;
}
