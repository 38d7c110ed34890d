/* What `myotile restitution` does where tissue is asked for: S2's conduction velocity and APD90 by the diastolic interval, of plane waves
 * through a slab of elements (--edge-mm, --length-mm or --case) or along a line of points (--cable).
 *
 * The cells are those of the options about a cell, and tissue, diffusion and splitting those of the Niederer benchmark; or all of it, with
 * the time step, is taken from --case, and --set changes values of the case. */
#pragma once

#include "app/cli/table.h"
#include "app/cli/cell_options.h"
#include "app/waves/premature.h"
#include "app/waves/slab_options.h"
#include "mesh/info.h"

#define MT_TISSUE_RESTITUTION_OPTIONS                                                                        \
    MT_SLAB_OPTIONS("measure waves in tissue, through a slab; "),                                            \
        {.name = "--case",                                                                                   \
            .value = "CASE.yaml",                                                                            \
            .help = "in tissue: take tissue, diffusion, cell and time from this case; --set "                \
                    "path.to.key=value then changes its values; default: the Niederer benchmark with the "   \
                    "cell of the options above"},                                                            \
        {.name = "--cable",                                                                                  \
            .help = "measure waves in tissue without a mesh: along a line of points, as converged"},         \
    {                                                                                                        \
        .name = "--direction", .value = "along|across",                                                      \
        .help = "in tissue: the way of the waves, along the fibres or across them; default: along"           \
    }

typedef struct mt_tissue_restitution {
    bool cable;
    mt_slab_kind kind; /* where it is no cable */
    int axis;
    mt_wave_medium medium;
    /* what was measured */
    size_t n_elements;
    mt_element_size size; /* of a cable: from point to point, twice */
    mt_premature_wave s1;
    size_t n;              /* intervals at which S2 passed, from the first on */
    mt_premature_wave *s2; /* [n], and one more where a wave was blocked: */
    double blocked_ms;     /* at this interval; NaN: at none */
} mt_tissue_restitution;

/* Is tissue asked for? MT_INPUT: no, but an option says something about it. */
MT_NODISCARD mt_status mt_tissue_restitution_asked(const mt_arguments *arguments, bool *asked);

/* Gives what is asked for, and the cell. MT_INPUT: options that do not go together; failures of app/waves/slab_options.h,
 * app/waves/wave_medium.h and app/cli/cell_options.h. */
MT_NODISCARD mt_status mt_tissue_restitution_read(
    mt_arena *arena, const mt_arguments *arguments, mt_tissue_restitution *t, mt_chosen_cell *cell);

/* Measures S2 at n intervals that descend, in cells that begin S1 with the variant's V and states, where each wave has longest_ms.
 * MT_NUMERICS: S2 is blocked at the first interval already. Failures of app/waves. */
MT_NODISCARD mt_status mt_tissue_restitution_measure(mt_arena *arena, mt_tissue_restitution *t,
    const mt_cell_variant *cells, double longest_ms, size_t n, const double *interval_ms);

/* Gives the two tables: the intervals, and the rest. `cell` is what its title calls it. */
void mt_tissue_restitution_tables(mt_arena *arena, const mt_tissue_restitution *t, const mt_chosen_cell *cell,
    const char *title, mt_table tables[2]);

/* Draws the velocity and APD90 over DI. MT_MEMORY. MT_FILE. */
MT_NODISCARD mt_status mt_tissue_restitution_draw(
    mt_arena *arena, const mt_tissue_restitution *t, const char *title, const char *path);
