/* A wave, computed until it has passed everywhere or died out. */
#pragma once

#include "solver/monodomain.h"

/* What is run; borrowed. */
typedef struct mt_wave_run {
    const mt_monodomain *problem;
    const char *what; /* lives on: the part of the caller's stage in the line of progress */
    double end_ms;    /* the wave is given up then */
    double dead_ms;   /* one that activates nothing for so long has died out */
    /* Called after each step with all voltages; NULL: nobody looks. */
    void (*look)(void *user, const double *v_mV);
    void *user;
} mt_wave_run;

/* Runs it on the backend cpu and fills activation_ms [n_elements], infinite where the wave did not come. Takes what it needs from `arena`.
 * MT_NUMERICS: mt_backend_run's. MT_MEMORY. */
MT_NODISCARD mt_status mt_wave_run_make(mt_arena *arena, const mt_wave_run *run, double *activation_ms);

/* Is it time to look at what is activated? It is each millisecond. */
bool mt_wave_run_looks(double dt_ms, size_t steps_done);

/* Has the wave passed all n places, or died out? Shows progress. */
bool mt_wave_run_has_ended(
    const char *what, double dead_ms, size_t n, const double *activation_ms, double now_ms);
