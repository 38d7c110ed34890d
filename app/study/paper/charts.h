/* The charts of the study's figures 5 and 6, for meshes or for kinds of voltages. */
#pragma once

#include "app/study/validation/steps.h"

/* Time against the number of IPUs: a line of figure 5. All borrowed. */
typedef struct mt_scaling {
    const char *name;
    size_t n; /* number of counts */
    const uint32_t *ipus;
    const double *cycles; /* [n] of a time step; NaN: does not fit */
    double steps;         /* number of time steps */
    double clock_hz;
} mt_scaling;

/* Returns the seconds of all steps with this number of cycles each. */
double mt_scaling_seconds(const mt_scaling *line, double cycles);

/* Returns the index of the fewest IPUs that suffice, the reference of speed-up; SIZE_MAX if there is none. */
size_t mt_scaling_fewest(const mt_scaling *line);

/* Returns the cycles of a time step for ideal scaling from the fewest IPUs; NaN if there are none. */
double mt_scaling_ideal(const mt_scaling *line, size_t i);

/* Columns for the reference, the speed-up and the efficiency, and their numbers on ipus[i]. */
void mt_scaling_columns(mt_table *table);
void mt_scaling_numbers(mt_table *table, const mt_scaling *line, size_t i);

/* Draws lines for the same counts of IPUs in logarithmic axes. MT_FIT: nothing fits. Returns the errors of `mt_chart_write`. */
MT_NODISCARD mt_status mt_scaling_draw(
    mt_arena *arena, const char *picture, const char *title, size_t n_lines, const mt_scaling *lines);

/* The parts of a time step: the bars of figure 6. */
typedef struct mt_shares {
    size_t n_ipus, n_bars;
    const uint32_t *ipus;
    const char *const *bar; /* [n_bars] names */
    const double *cycles;   /* [n_ipus][n_bars][MT_STEPS_PHASES]; NaN: does not fit */
} mt_shares;

/* Draws the shares of the phases. MT_FIT: nothing fits. Returns the errors of `mt_chart_write`. */
MT_NODISCARD mt_status mt_shares_draw(
    mt_arena *arena, const char *picture, const char *title, const mt_shares *shares);
