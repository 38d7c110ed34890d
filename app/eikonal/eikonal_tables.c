#include "app/eikonal/eikonal_tables.h"

#include <math.h>
#include <stdio.h>

#include "app/results/network_files.h"
#include "app/results/run_files.h"

static mt_table summary_table(mt_arena *arena, const mt_eikonal_map *map)
{
    const mt_problem *p = &map->problem;
    const char *title = map->input.title;
    mt_table t = mt_table_properties(arena, "eikonal", title[0] ? title : "Eikonal equation");
    mt_table_property(&t, "elements", "elements", (double)p->whole.n_elements, "");
    if (p->mesh.n_elements < p->whole.n_elements)
        mt_table_property(&t, "inert_elements", "non-conducting elements",
            (double)(p->whole.n_elements - p->mesh.n_elements), "");
    mt_table_property(&t, "vertices", "vertices", (double)p->mesh.n_vertices, "");
    mt_table_property_text(&t, "map_at", "map at the", p->unknowns.at_vertices ? "vertices" : "elements");
    mt_table_property(&t, "activated_percent", "activated volume", map->activated_percent, "%");
    mt_table_property(&t, "activated_mm3", "activated volume", map->activated_mm3, "mm^3");
    mt_table_property(&t, "latest_activation_ms", "latest activation", map->latest_ms, "ms");
    mt_table_property(&t, "tolerance_ms", "tolerance", MT_EIKONAL_TOLERANCE_MS, "ms");
    mt_table_property(&t, "rounds", "rounds", (double)map->report.n_rounds, "");
    mt_table_property(&t, "updates_per_vertex", "updates per vertex",
        (double)map->report.n_updates / (double)map->n_points, "");
    mt_table_property(&t, "equations_mb", "memory of the equations", (double)map->bytes / 1e6, "MB");
    mt_table_property(&t, "measure_s", "time to measure CV and latencies", map->measure_s, "s");
    mt_table_property(&t, "prepare_s", "time to prepare the equations", map->prepare_s, "s");
    mt_table_property(&t, "solve_s", "time to solve the equations", map->solve_s, "s");
    if (!map->curvature) return t;
    mt_table_property(&t, "curvature_sweeps", "sweeps for the curvature", (double)map->curved.n_sweeps, "");
    mt_table_property(&t, "curvature_updates_per_vertex", "their updates per vertex",
        (double)map->curved.n_updates / (double)map->n_points, "");
    mt_table_property(&t, "curvature_s", "time to add the curvature", map->curvature_s, "s");
    return t;
}

static mt_table fronts_table(mt_arena *arena, const mt_eikonal_map *map)
{
    mt_table t = mt_table_begin(arena, "fronts", "Converged CV by cells and tissue");
    mt_table_strings(&t, "cells", "cells");
    if (map->problem.media.n > 1) mt_table_decimals(&t, "tissue", "tissue", "", 0);
    mt_table_decimals(&t, "elements", "elements", "", 0);
    mt_table_digits(&t, "along_mm_per_ms", "CV_l", "mm/ms", 4);
    mt_table_digits(&t, "across_mm_per_ms", "CV_t", "mm/ms", 4);
    mt_table_digits(&t, "normal_mm_per_ms", "CV_n", "mm/ms", 4);
    for (size_t k = 0; k < map->n_fronts; k++) {
        const mt_eikonal_front *front = &map->front[k];
        mt_table_text(&t, front->name);
        if (map->problem.media.n > 1) mt_table_number(&t, (double)front->medium);
        mt_table_number(&t, (double)front->n_elements);
        mt_table_numbers(&t, 3, front->speed_mm_ms);
    }
    return t;
}

static mt_table starts_table(mt_arena *arena, const mt_eikonal_map *map)
{
    char title[128];
    (void)snprintf(title, sizeof title, "Stimuli: first pulse, latency, and first activation of their %s",
        mt_unknowns_word(&map->problem.unknowns, 2));
    mt_table t = mt_table_begin(arena, "stimuli", title);
    mt_table_decimals(&t, "stimulus", "stimulus", "", 0);
    mt_table_decimals(&t, "unknowns", mt_unknowns_word(&map->problem.unknowns, 2), "", 0);
    mt_table_decimals(&t, "start_ms", "start", "ms", 2);
    mt_table_decimals(&t, "latency_ms", "latency inside", "ms", 2);
    mt_table_decimals(&t, "launch_ms", "of the wavefront", "ms", 2);
    mt_table_decimals(&t, "activation_ms", "first activation", "ms", 2);
    for (size_t k = 0; k < map->n_starts; k++) {
        const mt_eikonal_start *s = &map->start[k];
        MT_TABLE_NUMBERS(&t, (double)s->stimulus, (double)s->n_unknowns, s->start_ms, s->latency.direct_ms,
            s->latency.launch_ms, isfinite(s->earliest_ms) ? s->earliest_ms : NAN);
    }
    return t;
}

static mt_table network_table(mt_arena *arena, const mt_eikonal_map *map)
{
    const mt_fast_edges *e = &map->edges;
    mt_table t = mt_table_properties(arena, "network", "Conduction network");
    mt_table_property(&t, "points", "points of cables", (double)e->n_points, "");
    mt_table_property(&t, "links", "links", (double)e->n_links, "");
    mt_table_property(&t, "speed_mm_per_ms", "CV of cables with network.radius_mm", e->speed_mm_ms, "mm/ms");
    mt_table_property(&t, "latency_ms", "latency of the first stimulus", e->latency_ms, "ms");
    mt_table_property(&t, "antegrade_ms", "antegrade delay of a junction", e->antegrade_ms, "ms");
    mt_table_property(&t, "retrograde_ms", "retrograde delay of a junction", e->retrograde_ms, "ms");
    return t;
}

/* Adds an error, absolute and relative to the total activation time of the run. */
static void error_row(
    mt_table *t, const mt_eikonal_comparison *c, const char *key, const char *label, double error_ms)
{
    mt_table_item(t, key, label, 0);
    MT_TABLE_NUMBERS(t, error_ms, 100 * error_ms / c->total_ms);
}

static mt_table comparison_table(mt_arena *arena, const mt_eikonal_comparison *c, const char *folder)
{
    char title[256];
    (void)snprintf(title, sizeof title,
        "Difference to the run in %.80s: %zu elements, %zu activated here only, %zu in the run only; total "
        "activation time "
        "%.5g ms",
        folder, c->n, c->n_only, c->n_missing, c->total_ms);
    mt_table t = mt_table_begin(arena, "comparison", title);
    mt_table_strings(&t, "error", "error");
    mt_table_decimals(&t, "ms", "error", "ms", 3);
    mt_table_decimals(&t, "percent", "of the total activation time", "%", 2);
    error_row(&t, c, "mean", "mean", c->mean_ms);
    error_row(&t, c, "rms", "root mean square", c->rms_ms);
    error_row(&t, c, "percentile_95", "95th percentile of the magnitude", c->percentile_95_ms);
    error_row(&t, c, "largest", "largest magnitude", c->largest_ms);
    return t;
}

size_t mt_eikonal_tables(mt_arena *arena, const mt_eikonal_map *map, const mt_eikonal_comparison *comparison,
    const char *compared, mt_table tables[MT_EIKONAL_TABLES])
{
    size_t n = 0;
    tables[n++] = summary_table(arena, map);
    tables[n++] = fronts_table(arena, map);
    if (map->n_starts > 0) tables[n++] = starts_table(arena, map);
    if (map->problem.monodomain.conduction) tables[n++] = network_table(arena, map);
    if (map->problem.probes.n_points > 0) tables[n++] = mt_run_probes_table(arena, &map->run, false);
    if (comparison) tables[n++] = comparison_table(arena, comparison, compared);
    return n;
}
