#include "app/eikonal/eikonal_map.h"

#include <math.h>
#include <stdio.h>

#include "app/eikonal/cell_speeds.h"
#include "data/core/progress.h"
#include "solver/backends/backend.h"
#include "solver/conduction/conduction.h"

/* ---- the case ---- */

/* Warns of a key without effect. */
static void warn_of(const mt_eikonal_map *map, bool found, const char *key, const char *why)
{
    if (found)
        mt_warn("%s: %s: ignored by the eikonal equation: %s; `myotile run` uses it", map->path, key, why);
}

static void warn_of_later_pulses(const mt_eikonal_map *map)
{
    bool later = false;
    for (size_t s = 0; s < map->input.n_stimuli; s++) later |= map->input.stimuli[s].count > 1;
    for (size_t s = 0; s < map->input.network.n_stimuli; s++)
        later |= map->input.network.stimuli[s].count > 1;
    warn_of(map, later, "stimuli: count", "it has the first activation only, not later beats");
}

mt_status mt_eikonal_map_begin(mt_arena *arena, mt_eikonal_map *map)
{
    mt_case *c = &map->input;
    const uint32_t activation = (uint32_t)1 << MT_MAP_ACTIVATION;
    if (c->start.state[0])
        return mt_fail(MT_INPUT,
            "start.state: found %s; allowed with the eikonal equation: none, as tissue is at rest",
            c->start.state);
    warn_of_later_pulses(map);
    warn_of(map, (c->output.maps & ~activation) != 0, "output.maps", "it has activation times only");
    warn_of(map, mt_moments_any(&c->traces.when) || mt_moments_any(&c->series.samples.when),
        "traces and series", "it has no voltages");
    warn_of(map, c->n_electrodes > 0, "electrodes", "it has no currents");
    c->output.maps = activation;
    c->output.beats = MT_CASE_BEATS_FIRST;
    c->traces.when = c->series.samples.when = (mt_moments_request){.every_ms = NAN};
    c->n_electrodes = 0;
    return mt_problem_find_files(arena, c);
}

/* ---- fronts ---- */

static void add_front(const mt_cell_speeds *of, size_t variant, size_t medium, mt_eikonal_front *front)
{
    const mt_tissue *tissue = &of->tissues.tissue[medium];
    const double d[] = {
        mt_tissue_diffusivity_l(tissue), mt_tissue_diffusivity_t(tissue), mt_tissue_diffusivity_n(tissue)};
    *front = (mt_eikonal_front){.variant = variant, .medium = medium, .name = of->variants[variant].name};
    for (size_t k = 0; k < 3; k++)
        front->speed_mm_ms[k] = of->speed_mm_ms[variant] * sqrt(d[k] / of->default_mm2_ms);
}

/* Lists the pairs of cells and tissue. */
static mt_status list_fronts(mt_arena *arena, const mt_cell_speeds *of, mt_eikonal_map *map)
{
    MT_SCRATCH(scratch);
    const mt_problem *p = of->problem;
    size_t *number;
    MT_ALLOC(scratch, number, of->n_variants * p->media.n);
    for (size_t c = 0; c < p->mesh.n_elements; c++)
        number[mt_cell_speeds_variant(p, c) * p->media.n + (p->media.of ? p->media.of[c] : 0)]++;
    for (size_t k = 0; k < of->n_variants * p->media.n; k++) map->n_fronts += number[k] > 0;
    MT_ALLOC(arena, map->front, map->n_fronts);
    for (size_t k = 0, n = 0; k < of->n_variants * p->media.n; k++) {
        if (number[k] == 0) continue;
        add_front(of, k / p->media.n, k % p->media.n, &map->front[n]);
        map->front[n++].n_elements = number[k];
    }
    return MT_OK;
}

/* ---- sources ---- */

/* The sources of all stimuli. */
typedef struct sources {
    size_t n;
    mt_eikonal_source *source;
} sources;

static void add_source(const mt_problem *p, uint32_t unknown, double time_ms, sources *to)
{
    if (p->unknowns.at_vertices) {
        to->source[to->n++] = (mt_eikonal_source){unknown, time_ms};
        return;
    }
    for (size_t k = 0; k < 4; k++)
        to->source[to->n++] = (mt_eikonal_source){p->mesh.element_vertex[4 * (size_t)unknown + k], time_ms};
}

static mt_status start_stimulus(
    const mt_eikonal_map *map, const mt_cell_speeds *of, size_t part, sources *to, mt_eikonal_start *start)
{
    const mt_monodomain *m = &map->problem.monodomain;
    const mt_stimulus *s = &m->stimulus[part];
    const size_t variant = m->variant_of ? m->variant_of[s->element[0]] : m->variant;
    const mt_cell_front front = {m->model, &of->variants[variant], map->input.time.dt_ms};
    *start = (mt_eikonal_start){.stimulus = mt_monodomain_stimulus_of(m, part),
        .n_unknowns = s->n_elements,
        .start_ms = s->start_ms,
        .latency = {NAN, NAN},
        .earliest_ms = NAN};
    if (isnan(of->speed_mm_ms[variant])) return MT_OK;
    MT_TRY(mt_cell_front_latency(&front, s->rise_mV_ms, s->duration_ms, map->cached, &start->latency));
    if (isnan(start->latency.launch_ms)) {
        mt_warn("%s: stimuli.%zu: found no capture of a cable with cells \"%s\" by this strength and "
                "duration; it is left out",
            map->path, start->stimulus, of->variants[variant].name);
        return MT_OK;
    }
    for (size_t k = 0; k < s->n_elements; k++)
        add_source(&map->problem, s->element[k], s->start_ms + start->latency.launch_ms, to);
    return MT_OK;
}

static mt_status find_sources(mt_arena *arena, const mt_cell_speeds *of, mt_eikonal_map *map, sources *to)
{
    const mt_monodomain *m = &map->problem.monodomain;
    size_t n = map->edges.n_sources;
    for (size_t part = 0; part < m->n_stimuli; part++) n += 4 * m->stimulus[part].n_elements;
    MT_ALLOC(arena, to->source, n);
    MT_ALLOC(arena, map->start, m->n_stimuli);
    for (size_t k = 0; k < map->edges.n_sources; k++) to->source[to->n++] = map->edges.source[k];
    for (size_t part = 0; part < m->n_stimuli; part++) {
        if (m->stimulus[part].n_elements == 0) continue; /* a site whose unknowns belong to others */
        MT_TRY(start_stimulus(map, of, part, to, &map->start[map->n_starts++]));
    }
    if (to->n > 0) return MT_OK;
    return mt_fail(MT_INPUT, "stimuli: found none that activates tissue; needed: at least one");
}

/* ---- times ---- */

/* Stores the times of the vertices at the unknowns. */
static void put_times(const mt_problem *p, const double *time_ms, double *activation_ms)
{
    const size_t n = mt_unknowns_count(&p->unknowns);
    for (size_t k = 0; k < n; k++) {
        const uint32_t *vertex = p->mesh.element_vertex + 4 * k;
        activation_ms[k] =
            p->unknowns.at_vertices
                ? time_ms[k]
                : (time_ms[vertex[0]] + time_ms[vertex[1]] + time_ms[vertex[2]] + time_ms[vertex[3]]) / 4;
    }
}

/* Gives the stimulated unknowns the times of their own depolarisation, which can precede that of the wavefront. */
static void put_stimulated(const mt_eikonal_map *map, double *activation_ms)
{
    const mt_monodomain *m = &map->problem.monodomain;
    for (size_t k = 0, part = 0; part < m->n_stimuli; part++) {
        const mt_stimulus *s = &m->stimulus[part];
        if (s->n_elements == 0) continue;
        const mt_eikonal_start *start = &map->start[k++];
        if (isnan(start->latency.launch_ms)) continue;
        const double at_ms = start->start_ms + start->latency.direct_ms;
        for (size_t i = 0; i < s->n_elements; i++)
            activation_ms[s->element[i]] = fmin(activation_ms[s->element[i]], at_ms);
    }
}

/* Finds the activated volume and the last activation. */
static void summarise(mt_eikonal_map *map)
{
    const mt_problem *p = &map->problem;
    const double *activation_ms = map->run.results.beats[0].activation_ms, *volume = p->diffusion.volume_mm3;
    const size_t n = mt_unknowns_count(&p->unknowns);
    double all = 0;
    (void)mt_record_activated(n, activation_ms, &map->latest_ms);
    map->activated_mm3 = 0;
    for (size_t k = 0; k < n; k++) {
        all += volume[k];
        if (isfinite(activation_ms[k])) map->activated_mm3 += volume[k];
    }
    map->activated_percent = 100 * (map->activated_mm3 / all);
}

/* Warns of stimuli in tissue that was activated before. A site can be activated before. */
static void check_starts(mt_eikonal_map *map)
{
    const mt_monodomain *m = &map->problem.monodomain;
    const double *activation_ms = map->run.results.beats[0].activation_ms;
    for (size_t k = 0, part = 0; part < m->n_stimuli; part++) {
        const mt_stimulus *s = &m->stimulus[part];
        if (s->n_elements == 0) continue;
        mt_eikonal_start *start = &map->start[k++];
        double latest = -INFINITY;
        start->earliest_ms = INFINITY;
        for (size_t i = 0; i < s->n_elements; i++) {
            start->earliest_ms = fmin(start->earliest_ms, activation_ms[s->element[i]]);
            latest = fmax(latest, activation_ms[s->element[i]]);
        }
        const bool site = map->input.stimuli[start->stimulus].site;
        if (isnan(start->latency.launch_ms) || site || !(latest < start->start_ms)) continue;
        mt_warn("%s: stimuli.%zu: found its tissue activated before its start at %.9g ms; it has no effect, "
                "as each place has "
                "one activation",
            map->path, start->stimulus, start->start_ms);
    }
}

/* Fills in the results of the run. */
static mt_status put_results(mt_arena *arena, const double *time_ms, mt_eikonal_map *map)
{
    const mt_problem *p = &map->problem;
    mt_results *results = &map->run.results;
    results->n_beats = 1;
    MT_TRY(mt_records_new(arena, &p->monodomain.record, mt_unknowns_count(&p->unknowns), &results->beats));
    put_times(p, time_ms, results->beats[0].activation_ms);
    put_stimulated(map, results->beats[0].activation_ms);
    if (p->monodomain.conduction) {
        const mt_conduction *c = p->monodomain.conduction;
        MT_ALLOC(arena, results->conduction_ms, 1);
        MT_ALLOC(arena, results->conduction_ms[0], c->cables.n_points + c->junctions.n);
        mt_fast_edges_times(
            p, time_ms + p->mesh.n_vertices, results->beats[0].activation_ms, results->conduction_ms[0]);
    }
    summarise(map);
    check_starts(map);
    const double reached_ms = isnan(map->latest_ms) ? 0 : map->latest_ms;
    map->run.n_steps = (size_t)ceil(reached_ms / map->input.time.dt_ms) + 1;
    return MT_OK;
}

/* Adds the curvature to the times. */
static mt_status add_curvature(const mt_cell_speeds *of, const sources *from, const mt_eikonal *eikonal,
    double *time_ms, mt_eikonal_map *map)
{
    MT_SCRATCH(scratch);
    double *tau_ms;
    size_t n = 0;
    const double begin_s = mt_now_s();
    MT_ALLOC(scratch, tau_ms, eikonal->n_elements);
    for (size_t c = 0; c < map->problem.mesh.n_elements; c++) {
        const double ms = mt_cell_speeds_tau_ms(of, c);
        if (!isnan(ms)) tau_ms[n++] = ms;
    }
    const mt_curvature curvature = {&map->problem.mesh, tau_ms, MT_CURVATURE_TOLERANCE_MS};
    MT_TRY(mt_curvature_add(eikonal, &curvature, from->n, from->source, time_ms, &map->curved));
    map->curvature_s = mt_now_s() - begin_s;
    return MT_OK;
}

/* Prepares and solves the equations. */
static mt_status solve(mt_arena *arena, const mt_cell_speeds *of, const sources *from, mt_eikonal_map *map)
{
    MT_SCRATCH(scratch);
    mt_eikonal eikonal;
    double *time_ms;
    const mt_eikonal_problem problem = {&map->problem.mesh, mt_cell_speeds_velocity, of, map->edges.n_points,
        map->edges.n_links, map->edges.link};
    const double begin_s = mt_now_s();
    mt_progress_stage("preparing the eikonal equation");
    MT_TRY(mt_eikonal_make(scratch, &problem, &eikonal));
    MT_ALLOC(scratch, time_ms, eikonal.n_points);
    map->n_points = eikonal.n_points;
    map->bytes = scratch->bytes;
    const double prepared_s = mt_now_s();
    mt_progress_stage(NULL);
    MT_TRY(mt_eikonal_solve(&eikonal, from->n, from->source, MT_EIKONAL_TOLERANCE_MS, time_ms, &map->report));
    map->prepare_s = prepared_s - begin_s;
    map->solve_s = mt_now_s() - prepared_s;
    if (map->curvature) MT_TRY(add_curvature(of, from, &eikonal, time_ms, map));
    return put_results(arena, time_ms, map);
}

static void begin_run(mt_eikonal_map *map)
{
    map->run = (mt_run){.path = map->path,
        .input = &map->input,
        .problem = &map->problem,
        .backend = mt_case_backend(&map->input),
        .sampling = &map->sampling,
        .what = "eikonal"};
}

mt_status mt_eikonal_map_on(mt_arena *arena, mt_eikonal_map *map)
{
    mt_cell_speeds of;
    sources from = {0};
    const double begin_s = mt_now_s();
    begin_run(map);
    mt_progress_stage("measuring the CV of the cells");
    MT_TRY(mt_cell_speeds_make(arena, map->path, &map->input, &map->problem, map->cached, &of));
    MT_TRY(list_fronts(arena, &of, map));
    MT_TRY(mt_fast_edges_make(arena, &map->input, &map->problem, map->junction_ms, &map->edges));
    mt_progress_stage("measuring the latency of the stimuli");
    MT_TRY(find_sources(arena, &of, map, &from));
    map->measure_s = mt_now_s() - begin_s;
    return solve(arena, &of, &from, map);
}

mt_status mt_eikonal_map_make(mt_arena *arena, mt_eikonal_map *map)
{
    MT_TRY(mt_problem_make_still(arena, &map->input, map->cached, &map->problem));
    mt_case_fix_discretisation(&map->input, map->problem.unknowns.at_vertices);
    mt_case_places_put(&map->problem.places, &map->input);
    MT_TRY(mt_sampling_make(arena, &map->input, &map->problem, &map->sampling));
    MT_TRY(mt_problem_prepace(arena, &map->input, map->cached, &map->problem));
    return mt_eikonal_map_on(arena, map);
}
