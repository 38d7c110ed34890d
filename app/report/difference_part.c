#include "app/report/difference_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/order.h"

mt_status mt_compared_run_keep(mt_arena *arena, const mt_run_folder *folder, mt_compared_run *kept)
{
    const size_t n = folder->mesh.n_elements;
    *kept = (mt_compared_run){.n_elements = n, .n_maps = folder->n_maps};
    memcpy(kept->positions, folder->positions, sizeof kept->positions);
    MT_ALLOC(arena, kept->maps, folder->n_maps);
    for (size_t m = 0; m < folder->n_maps; m++) {
        MT_COPY(arena, kept->maps[m].values, folder->maps[m].values, n);
        kept->maps[m].name = mt_arena_text(arena, folder->maps[m].name);
        kept->maps[m].unit = mt_arena_text(arena, folder->maps[m].unit);
        if (!kept->maps[m].name || !kept->maps[m].unit) return MT_MEMORY;
    }
    return MT_OK;
}

MT_ORDER_NUMBERS(ascending, double)

/* Interpolates between the two nearest ranks of a sorted list. */
static double percentile(size_t n, const double *sorted, double percent)
{
    const double rank = (double)(n - 1) * percent / 100;
    const size_t k = (size_t)rank, next = k + 1 < n ? k + 1 : k;
    return sorted[k] + (rank - (double)k) * (sorted[next] - sorted[k]);
}

static void put_largest(mt_html_part *part, const mt_mesh *mesh, size_t element, double largest)
{
    double at_mm[3];
    mt_mesh_centroid(mesh, element, at_mm);
    mt_json_number(&part->json, "largest", largest);
    mt_json_count(&part->json, "element", element);
    mt_json_open(&part->json, "at_mm", '[');
    for (int k = 0; k < 3; k++) mt_json_number(&part->json, NULL, at_mm[k]);
    mt_json_close(&part->json);
}

/* Writes the statistics of the difference. `room`: scratch, [n_elements of the mesh]. */
static void put_statistics(
    mt_html_part *part, const mt_mesh *mesh, const float *values, const float *before, double *room)
{
    size_t n = 0, at = 0;
    double sum = 0, squares = 0, largest = -1;
    for (size_t c = 0; c < mesh->n_elements; c++) {
        const double d = (double)values[c] - (double)before[c];
        if (isnan(d)) continue;
        sum += d, squares += d * d, room[n++] = d;
        if (fabs(d) > largest) largest = fabs(d), at = c;
    }
    mt_json_count(&part->json, "n", n);
    mt_json_count(&part->json, "missing", mesh->n_elements - n);
    if (n == 0) return;
    qsort(room, n, sizeof *room, ascending);
    mt_json_number(&part->json, "mean", sum / (double)n);
    mt_json_number(&part->json, "rms", sqrt(squares / (double)n));
    mt_json_number(&part->json, "p5", percentile(n, room, 5));
    mt_json_number(&part->json, "p50", percentile(n, room, 50));
    mt_json_number(&part->json, "p95", percentile(n, room, 95));
    put_largest(part, mesh, at, largest);
}

/* Returns the map of the same name and unit, or NULL. */
static const mt_folder_map *same_map(const mt_compared_run *run, const mt_folder_map *map)
{
    for (size_t m = 0; m < run->n_maps; m++)
        if (strcmp(run->maps[m].name, map->name) == 0 && strcmp(run->maps[m].unit, map->unit) == 0)
            return &run->maps[m];
    return NULL;
}

static void put_run(
    mt_html_part *part, const mt_run_folder *folder, size_t number, const mt_compared_run *run, double *room)
{
    if (run->n_elements != folder->mesh.n_elements || strcmp(run->positions, folder->positions) != 0) return;
    for (size_t m = 0; m < folder->n_maps; m++) {
        const mt_folder_map *before = same_map(run, &folder->maps[m]);
        if (!before) continue;
        mt_json_open(&part->json, NULL, '{');
        mt_json_count(&part->json, "run", number);
        mt_json_text(&part->json, "map", folder->maps[m].name);
        put_statistics(part, &folder->mesh, folder->maps[m].values, before->values, room);
        mt_json_close(&part->json);
    }
}

mt_status mt_difference_part_put(
    mt_html_part *part, const mt_run_folder *folder, size_t n, const mt_compared_run *runs)
{
    MT_SCRATCH(arena);
    double *room;
    MT_ALLOC(arena, room, folder->mesh.n_elements);
    mt_json_open(&part->json, "differences", '[');
    for (size_t k = 0; k < n; k++) put_run(part, folder, k, &runs[k], room);
    mt_json_close(&part->json);
    return MT_OK;
}
