#include "app/eikonal/eikonal_comparison.h"

#include <math.h>
#include <string.h>

#include "app/report/run_folder.h"
#include "data/core/select.h"

/* Returns the activation map of the first beat. */
static const float *activation_of(const mt_run_folder *folder)
{
    for (size_t m = 0; m < folder->n_maps; m++)
        if (strcmp(folder->maps[m].name, mt_map_words[MT_MAP_ACTIVATION]) == 0) return folder->maps[m].values;
    return NULL;
}

/* Compares n values. magnitude [n]: scratch. */
static void compare(
    size_t n, const float *eikonal, const float *run, double *magnitude, mt_eikonal_comparison *c)
{
    double sum = 0, squares = 0, first = INFINITY, last = -INFINITY;
    *c = (mt_eikonal_comparison){.largest_ms = -1};
    for (size_t e = 0; e < n; e++) {
        const double d = (double)eikonal[e] - (double)run[e];
        c->n_only += !isnan(eikonal[e]) && isnan(run[e]);
        c->n_missing += isnan(eikonal[e]) && !isnan(run[e]);
        if (isnan(d)) continue;
        sum += d, squares += d * d;
        magnitude[c->n++] = fabs(d);
        first = fmin(first, (double)run[e]), last = fmax(last, (double)run[e]);
        if (fabs(d) > c->largest_ms) c->largest_ms = fabs(d), c->largest_element = e;
    }
    if (c->n == 0) return;
    c->mean_ms = sum / (double)c->n;
    c->rms_ms = sqrt(squares / (double)c->n);
    c->percentile_95_ms = mt_select(magnitude, c->n, (c->n - 1) * 19 / 20);
    c->total_ms = last - first;
}

mt_status mt_eikonal_compare(const mt_eikonal_map *map, const char *folder, mt_eikonal_comparison *comparison)
{
    MT_SCRATCH(scratch);
    const mt_mesh *mesh = &map->problem.whole;
    mt_run_folder run;
    float *own;
    double *magnitude;
    MT_TRY(mt_run_folder_read(scratch, folder, NULL, &run));
    const float *of_run = activation_of(&run);
    if (run.mesh.n_elements != mesh->n_elements || run.mesh.n_vertices != mesh->n_vertices ||
        memcmp(run.mesh.xyz_mm, mesh->xyz_mm, 3 * mesh->n_vertices * sizeof *mesh->xyz_mm) != 0 ||
        memcmp(run.mesh.element_vertex, mesh->element_vertex,
            4 * mesh->n_elements * sizeof *mesh->element_vertex) != 0)
        return mt_fail(MT_INPUT,
            "--compare %s: found another mesh (%zu elements); allowed: a run on that of the case (%zu)",
            folder, run.mesh.n_elements, mesh->n_elements);
    MT_TRY(mt_run_map_of_elements(scratch, &map->run, MT_MAP_ACTIVATION, 0, &own));
    MT_ALLOC(scratch, magnitude, mesh->n_elements);
    if (of_run) compare(mesh->n_elements, own, of_run, magnitude, comparison);
    if (of_run && comparison->n > 0) return MT_OK;
    return mt_fail(MT_INPUT,
        "--compare %s: found no element that is activated in both maps; needed: at least one", folder);
}
