#include "app/study/validation/slab_waves.h"

#include <math.h>
#include <string.h>

#include "data/core/progress.h"
#include "app/waves/plane_wave.h"
#include "solver/diffusion/nodal.h"
#include "solver/waves/chain.h"
#include "solver/waves/wave_run.h"
#include "data/core/line_fit.h"
#include "app/study/validation/finite_elements.h"

const double mt_slab_waves_size_mm[2] = {20, 7};

static const double to_mm = 18; /* scaled */

/* ---- references ---- */

mt_status mt_slab_references_make(
    mt_arena *arena, const mt_cell_model *model, const mt_tissue *tissue, double dt_ms, mt_slab_references *r)
{
    *r = (mt_slab_references){.model = model,
        .tissue = tissue,
        .dt_ms = dt_ms,
        .limit_dt_ms = dt_ms / 10,
        .scale = sqrt(mt_tissue_diffusivity_l(tissue) / mt_tissue_diffusivity_t(tissue))};
    MT_TRY(mt_plane_wave_cable(arena, model, 0, true, to_mm, dt_ms, &r->round));
    MT_TRY(mt_plane_wave_cable(arena, model, 0, false, to_mm, dt_ms, &r->plane));
    MT_TRY(mt_plane_wave_cable_speed(model, 0, r->limit_dt_ms, &r->limit_speed_mm_ms));
    r->speed_mm_ms = mt_cable_speed(&r->plane, mt_plane_wave_from_mm, mt_plane_wave_to_mm);
    r->peak_mV = fmax(r->round.peak_mV, r->plane.peak_mV);
    return MT_OK;
}

/* ---- a wave through a slab ---- */

enum { CORNER, ALONG, ACROSS, WAVES };
static const char *const wave_name[WAVES] = {"from a corner", "longitudinal", "transverse"};

typedef struct slab {
    const mt_slab_references *references;
    const mt_mesh *mesh;
    mt_diffusion diffusion; /* of the backend cpu */
    bool consistent;        /* for finite elements */
    size_t n;               /* number of voltages: elements or vertices */
    double *place_mm;       /* [n][2] x and y, scaled */
    double *distance_mm;    /* [n] distance from the start of the wave, scaled */
    double *activation_ms;  /* [n] */
    int wave;               /* current wave */
    mt_slab_waves *waves;
} slab;

static double distance_of(const double place_mm[2], int wave)
{
    return wave == ALONG ? place_mm[0] : wave == ACROSS ? place_mm[1] : hypot(place_mm[0], place_mm[1]);
}

static void look(void *user, const double *v_mV)
{
    slab *s = user;
    const double rest_mV = s->references->model->variants[0].v_mV;
    for (size_t c = 0; c < s->n; c++) {
        s->waves->low_mV = fmin(s->waves->low_mV, v_mV[c] - rest_mV);
        if (s->distance_mm[c] >= mt_plane_wave_from_mm) s->waves->peak_mV = fmax(s->waves->peak_mV, v_mV[c]);
    }
}

/* Observes each step; false ends the wave. */
static bool look_at_vertices(void *user, size_t steps_done, const double *v_mV, const double *activation_ms)
{
    const slab *s = user;
    const double dt_ms = s->references->dt_ms;
    look(user, v_mV);
    return !mt_wave_run_check_due(dt_ms, steps_done) ||
           !mt_wave_run_has_ended(
               wave_name[s->wave], mt_plane_wave_dead_ms, s->n, activation_ms, (double)steps_done * dt_ms);
}

static mt_status run_backend(mt_arena *arena, slab *s)
{
    uint32_t *stimulated;
    MT_ALLOC(arena, stimulated, s->n);
    mt_stimulus stimulus = {.duration_ms = mt_plane_wave_duration_ms,
        .rise_mV_ms = mt_plane_wave_rise_mV_ms(),
        .element = stimulated};
    for (size_t c = 0; c < s->n; c++)
        if (s->distance_mm[c] < mt_plane_wave_stimulated_mm) stimulated[stimulus.n_elements++] = (uint32_t)c;
    const mt_monodomain problem = {.diffusion = &s->diffusion,
        .model = s->references->model,
        .dt_ms = s->references->dt_ms,
        .pde_steps = mt_monodomain_pde_steps(&s->diffusion, s->references->dt_ms),
        .splitting = MT_SPLITTING_COMPENSATED,
        .n_stimuli = 1,
        .stimulus = &stimulus};
    const mt_wave_run run = {.problem = &problem,
        .what = wave_name[s->wave],
        .end_ms = mt_plane_wave_end_ms,
        .dead_ms = mt_plane_wave_dead_ms,
        .look = look,
        .user = s};
    return mt_wave_run_make(arena, &run, s->activation_ms);
}

static mt_status run_finite_elements(mt_arena *arena, slab *s)
{
    mt_finite_elements_wave wave;
    uint8_t *stimulated;
    MT_ALLOC(arena, stimulated, s->n);
    for (size_t v = 0; v < s->n; v++) stimulated[v] = s->distance_mm[v] < mt_plane_wave_stimulated_mm;
    const mt_finite_elements problem = {.mesh = s->mesh,
        .tissue = s->references->tissue,
        .consistent = s->consistent,
        .model = s->references->model,
        .dt_ms = s->references->dt_ms,
        .end_ms = mt_plane_wave_end_ms,
        .splitting = MT_SPLITTING_COMPENSATED,
        .stimulated = stimulated,
        .duration_ms = mt_plane_wave_duration_ms,
        .rise_mV_ms = mt_plane_wave_rise_mV_ms()};
    MT_TRY(mt_finite_elements_run(arena, &problem, look_at_vertices, s, &wave));
    s->waves->substep_ms = wave.limit_dt_ms;
    memcpy(s->activation_ms, wave.activation_ms, s->n * sizeof *s->activation_ms);
    return MT_OK;
}

/* ---- evaluation ---- */

/* Computes the slopes of activation times over those of the reference in each sector; a plane wave uses only sector 0. */
static void find_slopes(const slab *s, const mt_cable_wave *reference, double *slope)
{
    const double degrees = 90. / MT_SLAB_SECTORS;
    mt_line_fit fit[MT_SLAB_SECTORS] = {0};
    for (size_t c = 0; c < s->n; c++) {
        const double *at = s->place_mm + 2 * c, distance = s->distance_mm[c];
        if (distance < mt_plane_wave_from_mm || distance > to_mm) continue;
        const double angle = s->wave == CORNER ? atan2(at[1], at[0]) * 180 / M_PI : 0,
                     /* vertices can be at exactly 90 degrees */
            sector = fmin(angle / degrees, MT_SLAB_SECTORS - 1);
        mt_line_fit_add(&fit[(size_t)sector], mt_cable_time(reference, distance), s->activation_ms[c]);
    }
    for (size_t k = 0; k < (s->wave == CORNER ? MT_SLAB_SECTORS : 1); k++) {
        slope[k] = mt_line_fit_slope(&fit[k]);
        if (!isfinite(slope[k])) slope[k] = NAN;
    }
}

static void compare(slab *s)
{
    mt_slab_waves *waves = s->waves;
    double slope[MT_SLAB_SECTORS], squares = 0;
    find_slopes(s, s->wave == CORNER ? &s->references->round : &s->references->plane, slope);
    if (s->wave == ALONG) waves->along = 1 / slope[0] - 1;
    if (s->wave == ACROSS) waves->across = 1 / slope[0] - 1;
    if (s->wave != CORNER) return;
    for (size_t k = 0; k < MT_SLAB_SECTORS; k++) {
        waves->delay[k] = slope[k] - 1;
        waves->delay_mean += waves->delay[k] / MT_SLAB_SECTORS;
        squares += waves->delay[k] * waves->delay[k];
    }
    waves->delay_rms = sqrt(squares / MT_SLAB_SECTORS);
}

static mt_status make_nodes(mt_arena *arena, slab *s)
{
    const mt_slab_references *r = s->references;
    const mt_tissues tissues = mt_tissues_uniform(r->tissue);
    const mt_chain chain = {r->model, &r->model->variants[0], mt_tissue_diffusivity_l(r->tissue), r->dt_ms};
    mt_chain_fit fit;
    MT_TRY(mt_chain_law(&chain, &fit));
    const mt_nodal_spreading spreading = {.n = 1, .law = &fit.law};
    return mt_nodal_diffusion_make(arena, s->mesh, &tissues, &spreading, &(mt_watch){0}, &s->diffusion);
}

static mt_status make_volumes(mt_arena *arena, const mt_slab_method *method, slab *s)
{
    const mt_tissues tissues = mt_tissues_uniform(s->references->tissue);
    const mt_spreading spreading = {.n = 1, .law = method->law};
    const mt_diffusion_options options = {.spreading = method->law ? &spreading : NULL};
    mt_adjacency adjacency;
    MT_TRY(mt_adjacency_make(arena, s->mesh, &adjacency));
    return mt_diffusion_make_with(
        arena, s->mesh, &adjacency, &tissues, &method->scheme, &options, &s->diffusion);
}

static mt_status make_operator(mt_arena *arena, const mt_slab_method *method, slab *s)
{
    mt_progress_stage_part("operator", 0);
    MT_TRY(method->kind == MT_SLAB_NODES ? make_nodes(arena, s) : make_volumes(arena, method, s));
    s->waves->substep_ms = s->diffusion.limit_dt_ms;
    return MT_OK;
}

static mt_status make_places(mt_arena *arena, bool of_elements, slab *s)
{
    MT_ALLOC(arena, s->place_mm, 2 * s->n);
    MT_ALLOC(arena, s->distance_mm, s->n);
    MT_ALLOC(arena, s->activation_ms, s->n);
    for (size_t c = 0; c < s->n; c++) {
        double at[3];
        if (of_elements)
            mt_mesh_centroid(s->mesh, c, at);
        else
            memcpy(at, s->mesh->xyz_mm + 3 * c, sizeof at);
        s->place_mm[2 * c] = at[0];
        s->place_mm[2 * c + 1] = at[1] * s->references->scale;
    }
    return MT_OK;
}

static mt_status run_waves(bool on_backend, slab *s)
{
    for (s->wave = 0; s->wave < WAVES; s->wave++) {
        MT_SCRATCH(arena);
        for (size_t c = 0; c < s->n; c++) s->distance_mm[c] = distance_of(s->place_mm + 2 * c, s->wave);
        MT_TRY(on_backend ? run_backend(arena, s) : run_finite_elements(arena, s));
        compare(s);
    }
    return MT_OK;
}

static mt_status measure(mt_arena *arena, const mt_slab_method *method, slab *s)
{
    const bool on_backend = method->kind == MT_SLAB_VOLUMES || method->kind == MT_SLAB_NODES;
    if (on_backend) MT_TRY(make_operator(arena, method, s));
    MT_TRY(make_places(arena, method->kind == MT_SLAB_VOLUMES, s));
    return run_waves(on_backend, s);
}

mt_status mt_slab_waves_measure(const mt_mesh *mesh, const mt_slab_method *method,
    const mt_slab_references *references, mt_slab_waves *waves)
{
    MT_SCRATCH(arena);
    slab s = {.references = references,
        .mesh = mesh,
        .consistent = method->kind == MT_SLAB_CONSISTENT_ELEMENTS,
        .n = method->kind == MT_SLAB_VOLUMES ? mesh->n_elements : mesh->n_vertices,
        .waves = waves};
    *waves = (mt_slab_waves){.n_elements = mesh->n_elements, .n_unknowns = s.n, .peak_mV = -INFINITY};
    MT_TRY(mt_element_size_find(mesh, &waves->size));
    return measure(arena, method, &s);
}
