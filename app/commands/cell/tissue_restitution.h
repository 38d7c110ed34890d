/* Restitution in tissue for `myotile restitution`: conduction velocity and APD90 of S2 against the diastolic interval. Plane waves
 * propagate through a slab of elements (--edge-mm, --length-mm or --case) or along a 1-D cable (--cable).
 *
 * By default the cell options define the cells; tissue, diffusion and splitting are taken from the Niederer benchmark. With --case
 * the case defines all of them and the time step; --set changes its values. */
#pragma once

#include "app/cli/table.h"
#include "app/cli/cell_options.h"
#include "app/waves/premature.h"
#include "app/waves/slab_options.h"
#include "mesh/info.h"

#define MT_TISSUE_RESTITUTION_OPTIONS                                                                        \
    MT_SLAB_OPTIONS("measure in tissue, on a slab; "),                                                       \
        {.name = "--case",                                                                                   \
            .value = "CASE.yaml",                                                                            \
            .help = "in tissue: use tissue, diffusion, cell and time of this case, changed by --set "        \
                    "path.to.key=value; "                                                                    \
                    "default: those of the Niederer benchmark, with the cell of the options above"},         \
        {.name = "--cable", .help = "measure in tissue without a mesh, on a converged 1-D cable"},           \
    {                                                                                                        \
        .name = "--direction", .value = "along|across",                                                      \
        .help = "in tissue: direction of propagation, along or across the fibres; default: along"            \
    }

typedef struct mt_tissue_restitution {
    bool cable;
    mt_slab_kind kind; /* if it is not a cable */
    int axis;
    mt_wave_medium medium;
    /* results of the measurement */
    size_t n_elements;
    mt_element_size size; /* of a cable: twice the point spacing */
    mt_premature_wave s1;
    size_t n;              /* number of intervals at which S2 propagated, beginning with the first */
    mt_premature_wave *s2; /* [n], and one more if a wave was blocked */
    double blocked_ms;     /* interval of that wave; NaN if none was blocked */
} mt_tissue_restitution;

/* Reports whether a measurement in tissue is requested. Fails with MT_INPUT if it is not, but an option belongs to it. */
MT_NODISCARD mt_status mt_tissue_restitution_requested(const mt_arguments *arguments, bool *asked);

/* Reads the options and the cell. Fails with MT_INPUT if options exclude each other. Returns the errors of
 * app/waves/slab_options.h, app/waves/wave_medium.h and app/cli/cell_options.h. */
MT_NODISCARD mt_status mt_tissue_restitution_read(
    mt_arena *arena, const mt_arguments *arguments, mt_tissue_restitution *t, mt_chosen_cell *cell);

/* Measures S2 at n decreasing intervals. Before S1 the cells have the variant's Vm and states. `longest_ms`: time limit of each
 * wave. Fails with MT_NUMERICS if S2 is blocked at the first interval. Returns the errors of app/waves. */
MT_NODISCARD mt_status mt_tissue_restitution_measure(mt_arena *arena, mt_tissue_restitution *t,
    const mt_cell_variant *cells, double longest_ms, size_t n, const double *interval_ms);

/* Builds two tables: the intervals, and the other results. `cell` is named in the title. */
void mt_tissue_restitution_tables(mt_arena *arena, const mt_tissue_restitution *t, const mt_chosen_cell *cell,
    const char *title, mt_table tables[2]);

/* Draws conduction velocity and APD90 against the diastolic interval. Fails with MT_MEMORY or MT_FILE. */
MT_NODISCARD mt_status mt_tissue_restitution_draw(
    mt_arena *arena, const mt_tissue_restitution *t, const char *title, const char *path);
