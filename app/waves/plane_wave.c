#include "app/waves/plane_wave.h"

#include <math.h>

#include "app/run/operator.h"
#include "solver/waves/wave_run.h"
#include "data/core/line_fit.h"
#include "data/core/vec3.h"
#include "solver/outputs/velocity.h"

const double mt_plane_wave_stimulated_mm = 3, mt_plane_wave_from_mm = 6, mt_plane_wave_to_mm = 12;
const double mt_plane_wave_duration_ms = 2;
const double mt_plane_wave_dead_ms = 20, mt_plane_wave_end_ms = 500;

static const double current_uA_mm3 = 50;
const double mt_plane_wave_end_mm = 2;
const char *const mt_plane_wave_direction[2] = {"along", "across"};

double mt_plane_wave_rise_mV_ms(void)
{
    return current_uA_mm3 / (mt_tissue_default.chi_per_mm * mt_tissue_default.cm_uF_mm2);
}

/* ---- along a cable ---- */

mt_status mt_plane_wave_cable(mt_arena *arena, const mt_cell_model *model, size_t variant, bool round,
    double to_mm, double dt_ms, mt_cable_wave *wave)
{
    const mt_cable cable = {.model = model,
        .variant = variant,
        .round = round,
        .diffusivity_mm2_ms = mt_tissue_diffusivity_l(&mt_tissue_default),
        .length_mm = to_mm + mt_plane_wave_end_mm,
        .dx_mm = 0.02,
        .dt_ms = dt_ms,
        .end_ms = mt_plane_wave_end_ms,
        .splitting = MT_SPLITTING_COMPENSATED,
        .stimulated_mm = mt_plane_wave_stimulated_mm,
        .duration_ms = mt_plane_wave_duration_ms,
        .rise_mV_ms = mt_plane_wave_rise_mV_ms(),
        .far_mm = mt_plane_wave_from_mm};
    MT_TRY(mt_cable_run(arena, &cable, wave));
    if (!isfinite(wave->activation_ms[wave->n - 1]))
        return mt_fail(
            MT_NUMERICS, "%s: no propagation along a 1-D cable of %g mm", model->name, cable.length_mm);
    return MT_OK;
}

mt_status mt_plane_wave_cable_speed(
    const mt_cell_model *model, size_t variant, double dt_ms, double *speed_mm_ms)
{
    MT_SCRATCH(arena);
    mt_cable_wave wave;
    const mt_status status =
        mt_plane_wave_cable(arena, model, variant, false, mt_plane_wave_to_mm, dt_ms, &wave);
    if (status == MT_OK) *speed_mm_ms = mt_cable_speed(&wave, mt_plane_wave_from_mm, mt_plane_wave_to_mm);
    return status;
}

/* ---- stimulus and velocity ---- */

mt_status mt_plane_wave_stimulus(
    mt_arena *arena, size_t n, const double *place_mm, double stimulated_mm, mt_stimulus *stimulus)
{
    uint32_t *element;
    MT_ALLOC(arena, element, n);
    *stimulus = (mt_stimulus){.duration_ms = mt_plane_wave_duration_ms,
        .rise_mV_ms = mt_plane_wave_rise_mV_ms(),
        .element = element};
    for (size_t c = 0; c < n; c++)
        if (place_mm[c] < stimulated_mm) element[stimulus->n_elements++] = (uint32_t)c;
    return MT_OK;
}

double mt_plane_wave_speed(
    size_t n, const double *place_mm, const double *activation_ms, double from_mm, double to_mm)
{
    mt_line_fit fit = {0};
    for (size_t c = 0; c < n; c++)
        if (place_mm[c] >= from_mm && place_mm[c] <= to_mm)
            mt_line_fit_add(&fit, place_mm[c], activation_ms[c]);
    const double speed = 1 / mt_line_fit_slope(&fit);
    return isfinite(speed) && speed > 0 ? speed : NAN;
}

/* ---- a slab ---- */

enum { STIMULATED_EDGES = 2, FROM_EDGES = 6, TO_EDGES = 10, END_EDGES = 3, WIDE_EDGES = 8 };

static mt_status check_size(const double size_mm[3], double edge_mm)
{
    const double elements = 6 * size_mm[0] * size_mm[1] * size_mm[2] / pow(edge_mm, 3);
    if (elements <= MT_WAVE_SLAB_MOST) return MT_OK;
    return mt_fail(MT_INPUT,
        "edges of %g mm: the slab in which this CV can be measured, %.4g x %.4g x %.4g mm, has %.3g "
        "elements; allowed: at most %d",
        edge_mm, size_mm[0], size_mm[1], size_mm[2], elements, MT_WAVE_SLAB_MOST);
}

mt_status mt_wave_slab_make(
    mt_arena *arena, const mt_slab_kind *kind, int axis, double speed_mm_ms, double unit, mt_wave_slab *slab)
{
    const double edge = mt_slab_kind_edge_mm(kind), wide = WIDE_EDGES * edge,
                 from = fmax(unit * mt_plane_wave_from_mm, FROM_EDGES * edge),
                 to = fmax(unit * mt_plane_wave_to_mm, from + TO_EDGES * edge);
    double size_mm[] = {wide, wide, wide};
    *slab = (mt_wave_slab){.axis = axis,
        .speed_mm_ms = speed_mm_ms,
        .edge_mm = edge,
        .stimulated_mm = fmax(unit * mt_plane_wave_stimulated_mm, STIMULATED_EDGES * edge),
        .from_mm = from,
        .to_mm = to};
    size_mm[axis] = to + fmax(unit * mt_plane_wave_end_mm, END_EDGES * edge);
    MT_TRY(check_size(size_mm, edge));
    MT_TRY(mt_slab_kind_make(arena, kind, size_mm, &slab->mesh));
    MT_TRY(mt_adjacency_make(arena, &slab->mesh, &slab->adjacency));
    MT_ALLOC(arena, slab->place_mm, slab->mesh.n_elements);
    for (size_t c = 0; c < slab->mesh.n_elements; c++) {
        double centre[3];
        mt_mesh_centroid(&slab->mesh, c, centre);
        slab->place_mm[c] = centre[axis];
    }
    return MT_OK;
}

/* ---- a wave in a slab ---- */

typedef struct measuring {
    const mt_wave_slab *slab;
    const mt_wave_medium *medium;
    mt_diffusion diffusion;
    size_t n;
    double *activation_ms;
} measuring;

static bool measured_at(const measuring *m, size_t element)
{
    return m->slab->place_mm[element] >= m->slab->from_mm && m->slab->place_mm[element] <= m->slab->to_mm;
}

static mt_status run_wave(mt_arena *arena, measuring *m, mt_plane_wave *wave)
{
    const mt_wave_slab *slab = m->slab;
    mt_stimulus stimulus;
    MT_TRY(mt_plane_wave_stimulus(arena, m->n, slab->place_mm, slab->stimulated_mm, &stimulus));
    mt_monodomain problem = mt_wave_medium_problem(m->medium, &m->diffusion, &stimulus);
    problem.mesh = &slab->mesh;
    wave->pde_steps = problem.pde_steps;
    MT_TRY(mt_monodomain_check(&problem));
    const mt_wave_run run = {.problem = &problem,
        .what = slab->axis == 0 ? "longitudinal" : "transverse",
        .end_ms = 50 + 5 * (slab->to_mm + END_EDGES * slab->edge_mm) / slab->speed_mm_ms,
        .dead_ms = fmax(mt_plane_wave_dead_ms, 4 * slab->edge_mm / slab->speed_mm_ms)};
    return mt_wave_run_make(arena, &run, m->activation_ms);
}

/* Measures how the velocities at single elements vary about that of the wave. */
static mt_status look_at_elements(mt_arena *arena, const measuring *m, mt_plane_wave *wave)
{
    double(*velocity)[3], squares = 0;
    bool *measured;
    size_t n = 0, n_given = 0;
    wave->uneven = wave->given = NAN;
    if (isnan(wave->speed_mm_ms)) return MT_OK;
    MT_ALLOC(arena, velocity, m->n);
    MT_ALLOC(arena, measured, m->n);
    for (size_t c = 0; c < m->n; c++) measured[c] = measured_at(m, c);
    MT_TRY(mt_velocity(&m->slab->mesh, &m->diffusion, MT_VELOCITY_RADIUS_MM, m->activation_ms, NULL, measured,
        velocity[0], NULL));
    for (size_t c = 0; c < m->n; c++) {
        if (!measured[c]) continue;
        const double off = mt_length3(velocity[c]) / wave->speed_mm_ms - 1;
        n++;
        if (!isnan(off)) n_given++, squares += off * off;
    }
    wave->given = (double)n_given / (double)n;
    wave->uneven = sqrt(squares / (double)n_given);
    if (wave->given < MT_PLANE_WAVE_GIVEN) wave->speed_mm_ms = wave->uneven = wave->given = NAN;
    return MT_OK;
}

static mt_status measure(mt_arena *arena, measuring *m, mt_plane_wave *wave)
{
    const mt_tissues tissues = mt_tissues_uniform(&m->medium->tissue);
    MT_ALLOC(arena, m->activation_ms, m->n);
    MT_TRY(mt_operator_make(arena, &m->slab->mesh, &m->slab->adjacency, &tissues, &m->medium->scheme, NULL,
        false, &m->diffusion));
    MT_TRY(run_wave(arena, m, wave));
    wave->speed_mm_ms =
        mt_plane_wave_speed(m->n, m->slab->place_mm, m->activation_ms, m->slab->from_mm, m->slab->to_mm);
    return look_at_elements(arena, m, wave);
}

mt_status mt_plane_wave_measure(const mt_wave_slab *slab, const mt_wave_medium *medium, mt_plane_wave *wave)
{
    MT_SCRATCH(arena);
    measuring m = {.slab = slab, .medium = medium, .n = slab->mesh.n_elements};
    *wave = (mt_plane_wave){0};
    return measure(arena, &m, wave);
}
