#include "app/run/speed.h"

#include <math.h>

#include "data/core/progress.h"
#include "app/run/problem.h"
#include "mesh/make/slab.h"
#include "solver/backends/backend.h"

static const double size_mm[3] = {20, 7, 3}, edge_mm = 0.5, end_ms = 12;

/* Returns a stimulus that activates one half of the resting slab. */
static mt_case_stimulus half_of_it(const mt_case *input)
{
    mt_case_stimulus half = {.region = mt_region_empty,
        .duration_ms = 2,
        .period_ms = NAN,
        .count = 1,
        .strength_uA_mm3 = 36 * input->tissue.chi_per_mm * input->tissue.cm_uF_mm2};
    for (int k = 0; k < 3; k++) half.region.min_mm[k] = 0, half.region.max_mm[k] = size_mm[k];
    half.region.max_mm[0] = size_mm[0] / 2;
    return half;
}

typedef struct timing {
    double until_s;
    size_t steps; /* done */
} timing;

/* Called after each step; returns false to end the measurement. */
static bool watch(void *user, size_t steps_done)
{
    timing *t = user;
    t->steps = steps_done;
    return mt_now_s() < t->until_s;
}

static mt_status measure(mt_arena *arena, mt_case *input, mt_speed *speed)
{
    mt_mesh slab;
    mt_problem *problem;
    void *self;
    const mt_backend *backend = mt_case_backend(input);
    MT_ALLOC(arena, problem, 1);
    MT_TRY(mt_slab_make(arena, size_mm, edge_mm, &slab));
    const double start_s = mt_now_s();
    MT_TRY(mt_problem_make_unmeasured(arena, &slab, input, problem));
    MT_TRY(backend->open(arena, &problem->monodomain, NULL, &self));
    const double ready_s = mt_now_s();
    timing t = {.until_s = ready_s + MT_SPEED_MOST_S};
    const mt_status status =
        mt_backend_run(&problem->monodomain, backend, self, 0, mt_case_steps(input), NULL, watch, &t);
    if (status != MT_OK && status != MT_STOPPED) return status;
    speed->n_elements = slab.n_elements;
    speed->setup_s_per_element = (ready_s - start_s) / (double)slab.n_elements;
    speed->element_steps_per_s = (double)t.steps * (double)slab.n_elements / (mt_now_s() - ready_s);
    return MT_OK;
}

mt_status mt_speed_measure(const mt_case *input, mt_speed *speed)
{
    MT_SCRATCH(arena);
    mt_case_stimulus half = half_of_it(input);
    mt_case slab = *input;
    slab.mesh.file = "";
    slab.machine.backend = MT_CASE_CPU;
    slab.time.end_ms = end_ms;
    slab.stimuli = &half, slab.n_stimuli = 1;
    slab.network.file = "";
    slab.n_regions = slab.n_gradients = slab.n_points = slab.n_electrodes = slab.line.points = 0;
    mt_progress_stage("measuring the speed of this computer");
    const mt_status status = mt_fail_in("the slab for the speed measurement", measure(arena, &slab, speed));
    mt_progress_stage(NULL);
    return status;
}
