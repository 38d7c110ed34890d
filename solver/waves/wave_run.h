/* The computation of a wave until all elements are activated or propagation has failed. */
#pragma once

#include "solver/monodomain.h"

/* A wave to compute; all pointers are borrowed. */
typedef struct mt_wave_run {
    const mt_monodomain *problem;
    const char *what; /* its name in the progress line, of static lifetime */
    double end_ms;    /* time limit */
    double dead_ms;   /* propagation has failed if no element was activated for this time */
    /* Optional: called after each time step with all voltages. */
    void (*look)(void *user, const double *v_mV);
    void *user;
} mt_wave_run;

/* Runs it on the backend cpu and fills activation_ms [n_elements], infinite for elements that were not activated. Works in `arena`. Returns
 * the errors of `mt_backend_run`. */
MT_NODISCARD mt_status mt_wave_run_make(mt_arena *arena, const mt_wave_run *run, double *activation_ms);

/* True if the activation is to be checked after this step: once a millisecond. */
bool mt_wave_run_check_due(double dt_ms, size_t steps_done);

/* True if all n places are activated, or if propagation has failed. Reports progress. */
bool mt_wave_run_has_ended(
    const char *what, double dead_ms, size_t n, const double *activation_ms, double now_ms);
