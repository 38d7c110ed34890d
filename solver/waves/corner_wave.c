#include "solver/waves/corner_wave.h"

#include <assert.h>
#include <math.h>

#include "data/core/line_fit.h"
#include "mesh/make/mosaic.h"
#include "solver/waves/wave_run.h"

/* Scaled lengths in the default tissue, and their minima in edges. */
static const double stimulated_mm = 2.5, from_mm = 5, to_mm = 11, end_mm = 1.2;
static const double stimulated_edges = 1.25, from_edges = 2, to_edges = 5;
static const double point_mm = 0.04; /* distance of the cable's points: CV is accurate to 0.3 % */
const double mt_corner_rise_mV_ms = 50 / 1.4, mt_corner_duration_ms = 2;
static const double dead_ms = 20, longest_ms = 500;
/* Of the cable. A stimulated part that is still depolarised can activate its neighbours once they recover, later than a wavefront would. */
static const double cable_dead_ms = 200;

/* ---- the reference ---- */

/* Lengths of a slab. */
typedef struct lengths {
    double unit;                                  /* of the tissue, relative to the default one */
    double scale;                                 /* sqrt(D_l / D_t) */
    double edge_mm;                               /* about the mean edge */
    double stimulated_mm, from_mm, to_mm, end_mm; /* scaled */
} lengths;

static lengths find_lengths(const mt_corner *corner)
{
    const double d_l = mt_tissue_diffusivity_l(corner->tissue), d_t = mt_tissue_diffusivity_t(corner->tissue),
                 unit = sqrt(d_l / mt_tissue_diffusivity_l(&mt_tissue_default)), scale = sqrt(d_l / d_t),
                 edge_mm = cbrt(6) * corner->length_mm, widest_mm = edge_mm * fmax(scale, 1);
    const double to = fmax(unit * to_mm, to_edges * widest_mm);
    return (lengths){.unit = unit,
        .scale = scale,
        .edge_mm = edge_mm,
        .stimulated_mm = fmax(unit * stimulated_mm, stimulated_edges * widest_mm),
        .from_mm = fmax(unit * from_mm, from_edges * widest_mm),
        .to_mm = to,
        .end_mm = to + fmax(unit * end_mm, widest_mm)};
}

static mt_status run_cable(
    mt_arena *arena, const mt_corner *corner, const lengths *l, bool round, mt_cable_wave *wave)
{
    const mt_cable cable = {.model = corner->model,
        .changed = corner->cells,
        .round = round,
        .diffusivity_mm2_ms = mt_tissue_diffusivity_l(corner->tissue),
        .length_mm = l->end_mm,
        .dx_mm = l->unit * point_mm,
        .dt_ms = corner->dt_ms,
        .end_ms = longest_ms,
        .dead_ms = cable_dead_ms,
        .splitting = MT_SPLITTING_COMPENSATED,
        .stimulated_mm = l->stimulated_mm,
        .duration_ms = mt_corner_duration_ms,
        .rise_mV_ms = mt_corner_rise_mV_ms,
        .far_mm = l->from_mm};
    return mt_cable_run(arena, &cable, wave);
}

static mt_status run_cables(const mt_corner *corner, const lengths *l, mt_corner_cables *cables)
{
    assert(!cables->made || cables->round.n == (size_t)llround(l->end_mm / (l->unit * point_mm)));
    if (cables->made) return MT_OK;
    MT_TRY(run_cable(cables->arena, corner, l, true, &cables->round));
    if (isfinite(cables->round.activation_ms[cables->round.n - 1]))
        MT_TRY(run_cable(cables->arena, corner, l, false, &cables->plane));
    cables->made = true;
    return MT_OK;
}

/* ---- the slab ---- */

/* Keeps the elements that are no farther from the corner than the end of the cable: only these are needed. */
static mt_status cut_round(
    mt_arena *arena, const lengths *l, const mt_mesh *whole, bool at_vertices, mt_mesh *mesh)
{
    MT_SCRATCH(scratch);
    uint8_t *near;
    MT_ALLOC(scratch, near, whole->n_elements);
    for (size_t c = 0; c < whole->n_elements; c++) {
        double x[3];
        mt_mesh_centroid(whole, c, x);
        near[c] = hypot(x[0], l->scale * x[1]) < l->end_mm;
    }
    MT_TRY(mt_mesh_select(arena, whole, near, mesh));
    return at_vertices ? mt_unknowns_mesh(arena, mesh, mesh) : MT_OK;
}

bool mt_corner_fits(const mt_corner *corner)
{
    const lengths l = find_lengths(corner);
    const double area_mm2 = M_PI / 4 * l.end_mm * l.end_mm / l.scale;
    return mt_mosaic_elements(corner->length_mm, area_mm2) <= MT_CORNER_MOST;
}

static mt_status make_mesh(mt_arena *arena, const mt_corner *corner, const lengths *l, mt_mesh *mesh)
{
    mt_mesh whole;
    const double size_mm[2] = {l->end_mm, l->end_mm / l->scale};
    MT_TRY(mt_mosaic_make(arena, corner->length_mm, size_mm, &whole));
    return cut_round(arena, l, &whole, corner->at_vertices, mesh);
}

/* Finds places, stimulated unknowns and expected activation times. */
static mt_status make_unknowns(
    mt_arena *arena, const lengths *l, const mt_cable_wave *reference, mt_corner_slab *s)
{
    s->unknowns = (mt_unknowns){&s->mesh, s->corner->at_vertices};
    const size_t n = mt_unknowns_count(&s->unknowns);
    uint32_t *stimulated;
    MT_ALLOC(arena, stimulated, n);
    MT_ALLOC(arena, s->place_mm, 2 * n);
    MT_ALLOC(arena, s->expected_ms, n);
    s->stimulus = (mt_stimulus){
        .duration_ms = mt_corner_duration_ms, .rise_mV_ms = mt_corner_rise_mV_ms, .element = stimulated};
    for (size_t c = 0; c < n; c++) {
        double x[3];
        mt_unknowns_place(&s->unknowns, c, x);
        s->place_mm[2 * c] = x[0], s->place_mm[2 * c + 1] = l->scale * x[1];
        const double distance = hypot(x[0], l->scale * x[1]);
        const bool measured = distance >= l->from_mm && distance <= l->to_mm;
        s->expected_ms[c] = measured ? mt_cable_time(reference, distance) : NAN;
        if (distance < l->stimulated_mm) stimulated[s->stimulus.n_elements++] = (uint32_t)c;
    }
    return MT_OK;
}

mt_status mt_corner_make(mt_arena *arena, const mt_corner *corner, mt_corner_slab *s)
{
    const lengths l = find_lengths(corner);
    MT_SCRATCH(scratch);
    mt_corner_cables own = {.arena = scratch}, *cables = corner->cables ? corner->cables : &own;
    *s = (mt_corner_slab){.corner = corner, .speed_mm_ms = NAN};
    MT_TRY(run_cables(corner, &l, cables));
    const double last_ms = cables->round.activation_ms[cables->round.n - 1];
    if (!isfinite(last_ms)) return MT_OK;
    s->speed_mm_ms = mt_cable_speed(&cables->plane, l.from_mm, l.to_mm);
    s->dead_ms = fmax(dead_ms, 4 * l.edge_mm * fmax(l.scale, 1) / s->speed_mm_ms);
    s->end_ms = 3 * last_ms + dead_ms;
    MT_TRY(make_mesh(arena, corner, &l, &s->mesh));
    MT_TRY(mt_adjacency_make(arena, &s->mesh, &s->adjacency));
    return make_unknowns(arena, &l, &cables->round, s);
}

/* ---- the wavefront ---- */

static void compare(const mt_corner_slab *s, const double *activation_ms, mt_corner_errors *errors)
{
    const double degrees = 90. / MT_CORNER_SECTORS;
    mt_line_fit fit[MT_CORNER_SECTORS] = {0};
    double squares = 0;
    *errors = (mt_corner_errors){.mean = 0};
    for (size_t c = 0; c < mt_unknowns_count(&s->unknowns); c++) {
        const double *at = s->place_mm + 2 * c;
        if (isnan(s->expected_ms[c])) continue;
        /* vertices can be at exactly 90 degrees */
        const size_t sector = (size_t)fmin(atan2(at[1], at[0]) * 180 / M_PI / degrees, MT_CORNER_SECTORS - 1);
        mt_line_fit_add(&fit[sector], s->expected_ms[c], activation_ms[c]);
    }
    for (int k = 0; k < MT_CORNER_SECTORS; k++) {
        const double slope = mt_line_fit_slope(&fit[k]);
        errors->sector[k] = isfinite(slope) ? slope - 1 : INFINITY;
        errors->mean += errors->sector[k] / MT_CORNER_SECTORS;
        squares += errors->sector[k] * errors->sector[k] / MT_CORNER_SECTORS;
    }
    errors->rms = sqrt(squares);
}

static mt_status make_operator(
    mt_arena *arena, const mt_corner_slab *s, const mt_corner_method *method, mt_diffusion *diffusion)
{
    mt_tissue tissue = *s->corner->tissue;
    const mt_spreading spreading = {.n = 1, .law = method->law};
    const mt_nodal_spreading nodal = {.n = 1, .law = method->nodal};
    const mt_diffusion_options options = {.spreading = method->law ? &spreading : NULL};
    tissue.sigma_n_mS_mm = 0;
    const mt_tissues tissues = mt_tissues_uniform(&tissue);
    if (s->unknowns.at_vertices)
        return mt_nodal_diffusion_make(arena, &s->mesh, &tissues, &nodal, &options.watch, diffusion);
    return mt_diffusion_make_with(
        arena, &s->mesh, &s->adjacency, &tissues, method->scheme, &options, diffusion);
}

mt_status mt_corner_measure(
    const mt_corner_slab *s, const mt_corner_method *method, const char *what, mt_corner_errors *errors)
{
    MT_SCRATCH(arena);
    const mt_corner *corner = s->corner;
    mt_cell_model model = *corner->model;
    mt_diffusion diffusion;
    double *activation_ms;
    model.variants = corner->cells;
    model.n_variants = 1;
    MT_TRY(make_operator(arena, s, method, &diffusion));
    const mt_monodomain problem = {.diffusion = &diffusion,
        .model = &model,
        .dt_ms = corner->dt_ms,
        .pde_steps = mt_monodomain_pde_steps(&diffusion, corner->dt_ms),
        .splitting = MT_SPLITTING_COMPENSATED,
        .n_stimuli = 1,
        .stimulus = &s->stimulus,
        .mesh = &s->mesh};
    const mt_wave_run run = {.problem = &problem, .what = what, .end_ms = s->end_ms, .dead_ms = s->dead_ms};
    MT_ALLOC(arena, activation_ms, diffusion.n_unknowns);
    MT_TRY(mt_wave_run_make(arena, &run, activation_ms));
    compare(s, activation_ms, errors);
    return MT_OK;
}
