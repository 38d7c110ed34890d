#include "app/reproduce/slab_waves.h"

#include <math.h>

#include "app/cli/progress.h"
#include "data/line_fit.h"
#include "solver/backends/backend.h"

const double mt_slab_waves_size_mm[2] = {20, 7};

static const double stimulated_mm = 3, from_mm = 6, to_mm = 18; /* scaled */
static const double speed_to_mm = 12; /* where the speeds of lines are measured, from from_mm */
static const double duration_ms = 2, current_uA_mm3 = 50;
static const double end_ms = 500; /* no wave takes that long */
static const double dead_ms = 20; /* a wave that activates nothing for so long has died out */

static double rise_mV_ms(void)
{
    return current_uA_mm3 / (mt_tissue_usual.chi_per_mm * mt_tissue_usual.cm_uF_mm2);
}

/* ---- the lines ---- */

static mt_status run_line(
    mt_arena *arena, const mt_slab_references *r, bool round, double to, double dt_ms, mt_line_wave *wave)
{
    const mt_line line = {.model = r->model,
        .round = round,
        .diffusivity_mm2_ms = mt_tissue_diffusivity_l(&mt_tissue_usual),
        .length_mm = to + 2, /* a wave is faster near an end */
        .dx_mm = 0.02,
        .dt_ms = dt_ms,
        .end_ms = end_ms,
        .stimulated_mm = stimulated_mm,
        .duration_ms = duration_ms,
        .rise_mV_ms = rise_mV_ms(),
        .far_mm = from_mm};
    MT_TRY(mt_line_run(arena, &line, wave));
    if (!isfinite(wave->activation_ms[wave->n - 1]))
        return mt_fail(MT_NUMERICS, "%s: no wave runs along a line of %g mm", r->model->name, line.length_mm);
    return MT_OK;
}

mt_status mt_slab_references_make(
    mt_arena *arena, const mt_cell_model *model, double dt_ms, mt_slab_references *r)
{
    mt_line_wave limit;
    *r = (mt_slab_references){.model = model,
        .dt_ms = dt_ms,
        .limit_dt_ms = dt_ms / 10,
        .scale = sqrt(mt_tissue_diffusivity_l(&mt_tissue_usual) / mt_tissue_diffusivity_t(&mt_tissue_usual))};
    MT_TRY(run_line(arena, r, true, to_mm, dt_ms, &r->round));
    MT_TRY(run_line(arena, r, false, to_mm, dt_ms, &r->plane));
    MT_TRY(run_line(arena, r, false, speed_to_mm, r->limit_dt_ms, &limit));
    r->speed_mm_ms = mt_line_speed(&r->plane, from_mm, speed_to_mm);
    r->limit_speed_mm_ms = mt_line_speed(&limit, from_mm, speed_to_mm);
    r->peak_mV = fmax(r->round.peak_mV, r->plane.peak_mV);
    return MT_OK;
}

/* ---- a wave through a slab ---- */

enum { CORNER, ALONG, ACROSS, WAVES };
static const char *const wave_name[WAVES] = {"out of a corner", "along the fibres", "across the fibres"};

typedef struct slab {
    const mt_slab_references *references;
    mt_diffusion diffusion;
    size_t n;
    double *place_mm;             /* [n][2] of centres: x and y, scaled */
    double *distance_mm;          /* [n] of the wave's elements from where it starts, scaled */
    double *v_mV, *activation_ms; /* [n] */
    /* while it runs */
    const mt_backend *backend;
    void *self;
    int wave;
    mt_slab_waves *waves;
    mt_status status; /* of reading */
    bool ended;       /* the wave has passed all elements, or died out */
} slab;

static double distance_of(const double place_mm[2], int wave)
{
    return wave == ALONG ? place_mm[0] : wave == ACROSS ? place_mm[1] : hypot(place_mm[0], place_mm[1]);
}

/* Has the wave passed all elements, or died out? */
static bool has_ended(const slab *s, double now_ms)
{
    double newest_ms = 0;
    size_t n_activated = 0;
    for (size_t c = 0; c < s->n; c++)
        if (isfinite(s->activation_ms[c])) n_activated++, newest_ms = fmax(newest_ms, s->activation_ms[c]);
    mt_progress_stage_part(wave_name[s->wave], (double)n_activated / (double)s->n);
    return n_activated == s->n || now_ms > newest_ms + dead_ms;
}

/* After each step: V, and in each millisecond what is activated. */
static bool watch(void *user, size_t steps_done)
{
    slab *s = user;
    const size_t steps_a_ms = (size_t)ceil(1 / s->references->dt_ms);
    const bool looks = steps_done % steps_a_ms == 0;
    const double rest_mV = s->references->model->variants[0].v_mV;
    s->status = s->backend->read(s->self, s->v_mV, looks ? s->activation_ms : NULL);
    if (s->status != MT_OK) return false;
    for (size_t c = 0; c < s->n; c++) {
        s->waves->low_mV = fmin(s->waves->low_mV, s->v_mV[c] - rest_mV);
        if (s->distance_mm[c] >= from_mm) s->waves->peak_mV = fmax(s->waves->peak_mV, s->v_mV[c]);
    }
    s->ended = looks && has_ended(s, (double)steps_done * s->references->dt_ms);
    return !s->ended;
}

static mt_status run_problem(mt_arena *arena, slab *s, const mt_monodomain *problem)
{
    const size_t n_steps = (size_t)ceil(end_ms / problem->dt_ms);
    s->backend = &mt_backend_cpu;
    MT_TRY(s->backend->open(arena, problem, NULL, &s->self));
    const mt_status status = mt_backend_run(problem, s->backend, s->self, n_steps, watch, s);
    MT_TRY(s->status);
    if (status != MT_OK && !s->ended) return status;
    return s->backend->read(s->self, NULL, s->activation_ms);
}

static mt_status run_wave(slab *s)
{
    mt_arena arena = {0};
    uint32_t *element = mt_arena_alloc(&arena, s->n, sizeof *element);
    if (!element) return MT_MEMORY;
    mt_stimulus stimulus = {.duration_ms = duration_ms, .rise_mV_ms = rise_mV_ms(), .element = element};
    for (size_t c = 0; c < s->n; c++) {
        s->distance_mm[c] = distance_of(s->place_mm + 2 * c, s->wave);
        if (s->distance_mm[c] < stimulated_mm) element[stimulus.n_elements++] = (uint32_t)c;
    }
    const mt_monodomain problem = {.diffusion = &s->diffusion,
        .model = s->references->model,
        .dt_ms = s->references->dt_ms,
        .pde_steps = mt_monodomain_pde_steps(&s->diffusion, s->references->dt_ms),
        .n_stimuli = 1,
        .stimulus = &stimulus};
    const mt_status status = run_problem(&arena, s, &problem);
    mt_arena_free(&arena);
    return status;
}

/* ---- what came of it ---- */

/* The slopes of activation times over the reference's, of the elements in each sector; sector 0 is all of a plane wave. */
static void find_slopes(const slab *s, const mt_line_wave *reference, double *slope)
{
    const double degrees = 90. / MT_SLAB_SECTORS;
    mt_line_fit fit[MT_SLAB_SECTORS] = {0};
    for (size_t c = 0; c < s->n; c++) {
        const double *at = s->place_mm + 2 * c, distance = s->distance_mm[c];
        if (distance < from_mm || distance > to_mm) continue;
        const double angle = s->wave == CORNER ? atan2(at[1], at[0]) * 180 / M_PI : 0;
        mt_line_fit_add(
            &fit[(size_t)(angle / degrees)], mt_line_time(reference, distance), s->activation_ms[c]);
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

static mt_status prepare(mt_arena *arena, const mt_mesh *mesh, const mt_diffusion_scheme *scheme, slab *s)
{
    mt_adjacency adjacency;
    mt_progress_stage_part("operator", 0);
    MT_TRY(mt_adjacency_make(arena, mesh, &adjacency));
    MT_TRY(mt_diffusion_make(arena, mesh, &adjacency, &mt_tissue_usual, scheme, &s->diffusion));
    MT_ALLOC(arena, s->place_mm, 2 * s->n);
    MT_ALLOC(arena, s->distance_mm, s->n);
    MT_ALLOC(arena, s->v_mV, s->n);
    MT_ALLOC(arena, s->activation_ms, s->n);
    for (size_t c = 0; c < s->n; c++) {
        double centre[3];
        mt_mesh_centroid(mesh, c, centre);
        s->place_mm[2 * c] = centre[0];
        s->place_mm[2 * c + 1] = centre[1] * s->references->scale;
    }
    return MT_OK;
}

static mt_status measure(mt_arena *arena, const mt_mesh *mesh, const mt_diffusion_scheme *scheme, slab *s)
{
    MT_TRY(prepare(arena, mesh, scheme, s));
    s->waves->substep_ms = s->diffusion.limit_dt_ms;
    for (s->wave = 0; s->wave < WAVES; s->wave++) {
        MT_TRY(run_wave(s));
        compare(s);
    }
    return MT_OK;
}

mt_status mt_slab_waves_measure(const mt_mesh *mesh, const mt_diffusion_scheme *scheme,
    const mt_slab_references *references, mt_slab_waves *waves)
{
    mt_arena arena = {0};
    slab s = {.references = references, .n = mesh->n_elements, .waves = waves};
    *waves = (mt_slab_waves){
        .length_mm = mt_mesh_length_mm(mesh), .n_elements = mesh->n_elements, .peak_mV = -INFINITY};
    const mt_status status = measure(&arena, mesh, scheme, &s);
    mt_arena_free(&arena);
    return status;
}
