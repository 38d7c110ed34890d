/* Tables of voltages at the vertices and at the elements, side by side: those of the study's tables 1 to 3 and figures 5 and 6, and the
 * largest heart. */
#pragma once

#include "app/study/paper/charts.h"
#include "app/study/reproduce.h"
#include "solver/plan/step_costs.h"

/* Kinds of rows: places of the voltages, and weights of the partition. */
enum { MT_NODES_ELEMENTS, MT_NODES_WEIGHTED, MT_NODES_UNWEIGHTED, MT_NODES_KINDS };
typedef struct mt_nodes_kind {
    const char *voltages, *weights, *name;
} mt_nodes_kind;
extern const mt_nodes_kind mt_nodes_kinds[MT_NODES_KINDS];

typedef struct mt_nodes_row {
    mt_step_costs *schemes; /* [n_schemes] the first: of all tables */
    double tiles;           /* with at least one unknown */
} mt_nodes_row;

/* The costs of all kinds. */
typedef struct mt_nodes_costs {
    mt_reproduce base;  /* without its mesh */
    const char *heart;  /* name of the mesh */
    size_t n_elements;  /* of the mesh */
    double substeps[2]; /* of elements, of vertices */
    double ode_steps;   /* time steps of the study's run */
    mt_nodes_row rows[MT_TILING_COUNTS][MT_NODES_KINDS];
    double *cycles[MT_NODES_KINDS]; /* [n_ipus] of a time step; NaN: does not fit */
    mt_scaling line[MT_NODES_KINDS];
} mt_nodes_costs;

enum { MT_NODES_TABLES = 6 };

/* Builds the tables in `arena`. */
void mt_nodes_tables(mt_arena *arena, const mt_nodes_costs *costs, mt_table tables[MT_NODES_TABLES]);

/* Draws the shares of a time step. Returns the errors of `mt_shares_draw`. */
MT_NODISCARD mt_status mt_nodes_draw_shares(
    mt_arena *arena, const mt_nodes_costs *costs, const char *picture, const char *title);
