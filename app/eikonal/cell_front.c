#include "app/eikonal/cell_front.h"

#include <math.h>
#include <string.h>

#include "data/files/cache.h"
#include "solver/cable.h"
#include "solver/diffusion/tissue.h"
#include "solver/waves/calibration.h"
#include "solver/waves/chain.h"

static const char kind[] = "cell_front";

/* Lengths of the cable for the latency, and its duration. */
static const double dx_mm = 0.025, stimulated_mm = 3, from_mm = 6, to_mm = 12, end_mm = 2, longest_ms = 500,
                    dead_ms = 50;

/* A measurement; with a rise of 0 that of CV. */
typedef struct measuring {
    const mt_cell_front *front;
    double rise_mV_ms, duration_ms;
} measuring;

/* The result of either measurement; the other part is 0. */
typedef struct measured {
    double speed_mm_ms;
    mt_latency latency;
} measured;

/* The upstroke of the cells is part of the key: it reveals a change of the model's equations. */
static mt_status make_key(const measuring *m, char key[MT_HASH_SIZE])
{
    const mt_cell_model *model = m->front->model;
    const mt_cell_variant *cells = m->front->cells;
    double upstroke[MT_CALIBRATION_UPSTROKE];
    const double numbers[] = {MT_CELL_FRONT_VERSION, m->front->dt_ms, m->rise_mV_ms, m->duration_ms,
        mt_tissue_diffusivity_l(&mt_tissue_default)};
    mt_hash hash;
    mt_calibration_upstroke(model, cells, m->front->dt_ms, upstroke);
    MT_TRY(mt_hash_begin(&hash));
    mt_hash_add(&hash, numbers, sizeof numbers);
    mt_hash_add(&hash, model->identity, strlen(model->identity) + 1);
    mt_hash_add(&hash, cells->parameters, model->n_parameters * sizeof(double));
    mt_hash_add(&hash, &cells->v_mV, sizeof(double));
    mt_hash_add(&hash, cells->states, model->n_states * sizeof(double));
    mt_hash_add(&hash, upstroke, sizeof upstroke);
    mt_hash_end(&hash, key);
    return MT_OK;
}

static mt_status measure_speed(const mt_cell_front *front, double *speed_mm_ms)
{
    const mt_chain chain = {.model = front->model,
        .cells = front->cells,
        .diffusivity_mm2_ms = mt_tissue_diffusivity_l(&mt_tissue_default),
        .dt_ms = front->dt_ms};
    return mt_chain_converged(&chain, speed_mm_ms);
}

static mt_status measure_latency(const measuring *m, mt_latency *latency)
{
    MT_SCRATCH(scratch);
    mt_cable_wave wave;
    const mt_cable cable = {.model = m->front->model,
        .changed = m->front->cells,
        .diffusivity_mm2_ms = mt_tissue_diffusivity_l(&mt_tissue_default),
        .length_mm = to_mm + end_mm,
        .dx_mm = dx_mm,
        .dt_ms = m->front->dt_ms,
        .end_ms = longest_ms,
        .dead_ms = dead_ms,
        .splitting = MT_SPLITTING_COMPENSATED,
        .stimulated_mm = stimulated_mm,
        .duration_ms = m->duration_ms,
        .rise_mV_ms = m->rise_mV_ms};
    MT_TRY(mt_cable_run(scratch, &cable, &wave));
    const double middle_mm = (from_mm + to_mm) / 2, speed = mt_cable_speed(&wave, from_mm, to_mm);
    *latency = (mt_latency){NAN, NAN};
    if (!(speed > 0)) return MT_OK;
    latency->direct_ms = mt_cable_time(&wave, 0);
    latency->launch_ms = mt_cable_time(&wave, middle_mm) - (middle_mm - stimulated_mm) / speed;
    return MT_OK;
}

static mt_status measure(const measuring *m, measured *found)
{
    memset(found, 0, sizeof *found);
    return m->rise_mV_ms > 0 ? measure_latency(m, &found->latency)
                             : measure_speed(m->front, &found->speed_mm_ms);
}

static mt_status find(const measuring *m, bool cached, measured *found)
{
    MT_SCRATCH(scratch);
    char key[MT_HASH_SIZE];
    const void *bytes;
    size_t n;
    if (!cached) return measure(m, found);
    MT_TRY(make_key(m, key));
    if (mt_cache_find(scratch, kind, key, &bytes, &n) && n == sizeof *found) {
        memcpy(found, bytes, n);
        return MT_OK;
    }
    MT_TRY(measure(m, found));
    mt_cache_store(kind, key, found, sizeof *found);
    return MT_OK;
}

mt_status mt_cell_front_speed(const mt_cell_front *front, bool cached, double *speed_mm_ms)
{
    measured found;
    MT_TRY(find(&(measuring){front, 0, 0}, cached, &found));
    *speed_mm_ms = found.speed_mm_ms;
    return MT_OK;
}

mt_status mt_cell_front_latency(
    const mt_cell_front *front, double rise_mV_ms, double duration_ms, bool cached, mt_latency *latency)
{
    measured found;
    *latency = (mt_latency){NAN, NAN};
    if (!(rise_mV_ms > 0 && duration_ms > 0)) return MT_OK; /* no depolarisation */
    MT_TRY(find(&(measuring){front, rise_mV_ms, duration_ms}, cached, &found));
    *latency = found.latency;
    return MT_OK;
}
