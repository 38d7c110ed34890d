#include "app/eikonal/fast_edges.h"

#include <math.h>
#include <string.h>

#include "data/core/progress.h"
#include "solver/conduction/conduction.h"

/* The element sizes of the slab in which a junction is measured: 4,000 to 500,000 elements. */
static const double finest_mm = 0.15, coarsest_mm = 0.5;

/* ---- speeds and delays ---- */

static mt_status measure_cables(const mt_case *input, mt_fast_edges *edges)
{
    mt_network_wave wave;
    mt_progress_stage("measuring the CV of the cables");
    MT_TRY(mt_network_wave_measure(input, NULL, &wave));
    if (isnan(wave.speed_mm_ms)) return mt_fail(MT_NUMERICS, "network: found no propagation along a cable");
    edges->speed_mm_ms = wave.speed_mm_ms;
    return MT_OK;
}

static mt_status measure_junction(const mt_case *input, const mt_problem *p, mt_fast_edges *edges)
{
    const double length_mm = mt_mesh_length_mm(&p->mesh);
    const mt_slab_kind kind = {
        .family = MT_FAMILY_MIRRORED, .length_mm = fmin(fmax(length_mm, finest_mm), coarsest_mm), .seed = 1};
    mt_case used = *input;
    mt_case_fix_discretisation(&used, p->unknowns.at_vertices);
    used.diffusion.n_spreading_of_cells = 0;
    mt_progress_stage("measuring the delays of a junction");
    return mt_junction_delays(&kind, &used, &edges->antegrade_ms, &edges->retrograde_ms);
}

static mt_status find_delays(
    const mt_case *input, const mt_problem *p, const double junction_ms[2], mt_fast_edges *edges)
{
    edges->antegrade_ms = junction_ms[0], edges->retrograde_ms = junction_ms[1];
    if (!isnan(junction_ms[0]) || p->monodomain.conduction->junctions.n == 0) return MT_OK;
    MT_TRY(measure_junction(input, p, edges));
    /* the free end can precede the mean of its tissue */
    if (edges->antegrade_ms < 0) edges->antegrade_ms = 0;
    if (edges->retrograde_ms < 0) edges->retrograde_ms = 0;
    if (isnan(edges->antegrade_ms))
        mt_warn("network.junction: found no antegrade conduction through a junction in this tissue; the "
                "network does not activate it");
    else if (isnan(edges->retrograde_ms))
        mt_warn("network.junction: found no retrograde conduction through a junction in this tissue; the "
                "tissue does not activate the network");
    return MT_OK;
}

/* ---- links ---- */

static void add_link(mt_fast_edges *edges, uint32_t from, uint32_t to, double delay_ms)
{
    if (!isnan(delay_ms)) edges->link[edges->n_links++] = (mt_eikonal_link){from, to, delay_ms};
}

/* Returns the time along a piece. Its length follows from its conductance. */
static double time_of_piece(
    const mt_case_network *from, const mt_conduction *c, size_t piece, double speed_mm_ms)
{
    const double *radius = c->network->radius_mm,
                 radius_mm = radius ? radius[c->cables.segment_of[piece]] : from->radius_mm;
    const double length_mm = from->fibres * from->conductivity_mS_mm * M_PI * radius_mm * radius_mm /
                             c->cables.conductance_mS[piece];
    return length_mm / (speed_mm_ms * sqrt(radius_mm / from->radius_mm));
}

static void add_pieces(const mt_case *input, const mt_conduction *c, uint32_t first, mt_fast_edges *edges)
{
    for (size_t k = 0; k < c->cables.n_chains; k++) {
        const mt_cable_chain *chain = &c->cables.chain[k];
        for (size_t piece = chain->first + k; piece <= chain->end + k; piece++) {
            uint32_t point[2];
            if (c->cables.segment_of[piece] == MT_NO_POINT) continue;
            mt_cables_piece(&c->cables, k, piece, point);
            const double delay_ms = time_of_piece(&input->network, c, piece, edges->speed_mm_ms);
            add_link(edges, first + point[0], first + point[1], delay_ms);
            add_link(edges, first + point[1], first + point[0], delay_ms);
        }
    }
}

/* Returns the number of vertices of an unknown, and lists them. */
static size_t vertices_of(const mt_unknowns *unknowns, uint32_t unknown, uint32_t vertex[4])
{
    if (unknowns->at_vertices) {
        vertex[0] = unknown;
        return 1;
    }
    memcpy(vertex, &unknowns->mesh->element_vertex[4 * (size_t)unknown], 4 * sizeof *vertex);
    return 4;
}

static void add_junctions(const mt_problem *p, uint32_t first, mt_fast_edges *edges)
{
    const mt_junctions *j = &p->monodomain.conduction->junctions;
    for (size_t k = 0; k < j->n; k++)
        for (size_t i = j->start[k]; i < j->start[k + 1]; i++) {
            uint32_t vertex[4];
            const size_t n = vertices_of(&p->unknowns, j->unknown[j->slot[i]], vertex);
            for (size_t v = 0; v < n; v++) {
                add_link(edges, first + j->point[k], vertex[v], edges->antegrade_ms);
                add_link(edges, vertex[v], first + j->point[k], edges->retrograde_ms);
            }
        }
}

/* ---- stimuli ---- */

static mt_status add_stimuli(
    mt_arena *arena, const mt_case *input, const mt_conduction *c, uint32_t first, mt_fast_edges *edges)
{
    size_t n = 0;
    edges->latency_ms = NAN;
    for (size_t s = 0; s < c->n_stimuli; s++) n += c->stimulus[s].n_elements;
    MT_ALLOC(arena, edges->source, n);
    for (size_t s = 0; s < c->n_stimuli; s++) {
        const mt_stimulus *stimulus = &c->stimulus[s];
        mt_network_wave wave;
        MT_TRY(mt_network_wave_measure(input, &input->network.stimuli[s], &wave));
        if (s == 0) edges->latency_ms = wave.latency_ms;
        if (isnan(wave.latency_ms))
            mt_warn("network.stimuli.%zu: found no capture of a cable by this strength and duration; it is "
                    "left out",
                s);
        for (size_t k = 0; k < stimulus->n_elements && !isnan(wave.latency_ms); k++)
            edges->source[edges->n_sources++] =
                (mt_eikonal_source){first + stimulus->element[k], stimulus->start_ms + wave.latency_ms};
    }
    return MT_OK;
}

mt_status mt_fast_edges_make(mt_arena *arena, const mt_case *input, const mt_problem *p,
    const double junction_ms[2], mt_fast_edges *edges)
{
    const mt_conduction *c = p->monodomain.conduction;
    *edges =
        (mt_fast_edges){.speed_mm_ms = NAN, .latency_ms = NAN, .antegrade_ms = NAN, .retrograde_ms = NAN};
    if (!c) return MT_OK;
    const uint32_t first = (uint32_t)p->mesh.n_vertices;
    MT_TRY(measure_cables(input, edges));
    MT_TRY(find_delays(input, p, junction_ms, edges));
    edges->n_points = c->cables.n_points;
    MT_ALLOC(arena, edges->link, 2 * c->cables.n_pieces + 8 * c->junctions.start[c->junctions.n]);
    add_pieces(input, c, first, edges);
    add_junctions(p, first, edges);
    return add_stimuli(arena, input, c, first, edges);
}

void mt_fast_edges_times(
    const mt_problem *p, const double *point_ms, const double *unknown_ms, double *times_ms)
{
    const mt_conduction *c = p->monodomain.conduction;
    const mt_junctions *j = &c->junctions;
    memcpy(times_ms, point_ms, c->cables.n_points * sizeof *times_ms);
    for (size_t k = 0; k < j->n; k++) {
        double sum = 0, weight = 0;
        for (size_t i = j->start[k]; i < j->start[k + 1]; i++) {
            if (!(j->conductance_mS[i] > 0)) continue;
            sum += j->conductance_mS[i] * unknown_ms[j->unknown[j->slot[i]]];
            weight += j->conductance_mS[i];
        }
        times_ms[c->cables.n_points + k] = sum / weight;
    }
}
