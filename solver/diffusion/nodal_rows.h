/* The rows of the operator with voltages at the vertices (solver/diffusion/nodal.h). */
#pragma once

#include "mesh/element_order.h"

enum { MT_NODAL_WINDOW = 256 };

/* Rows in compressed form. Row i has the entries start[i] to start[i + 1]; columns ascend and exclude the row itself. */
typedef struct mt_nodal {
    size_t *start;    /* [n_vertices + 1] */
    uint32_t *column; /* [start[n_vertices]] */
    double *rate;     /* [start[n_vertices]] k_ij / V_i per ms */
    double *spread;   /* [start[n_vertices]] s_ij; NULL without spreading */
    double
        lowest_spread; /* of the matrix that bounds the spreading, above -1: its lowest eigenvalue, or a lower bound of it */
    double
        kept; /* fraction of the sum of V_i s_ij that is kept to bound the spreading: 1 for most cells and meshes */
    size_t n_negative;  /* negative rates */
    size_t longest_row; /* entries */
    /* The vertices in an order that is close in space, and in descending order of their entries within each MT_NODAL_WINDOW of it: blocks
     * of consecutive rows need little padding (solver/kernels/sliced.h). */
    mt_element_order order;
} mt_nodal;
