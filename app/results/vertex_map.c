#include "app/results/vertex_map.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/files/file.h"
#include "data/core/number.h"
#include "mesh/vertex_mean.h"

/* Writes the name with the unit: "upstroke_mV_per_ms". */
static void put_name(FILE *to, const mt_vertex_map *map)
{
    (void)fprintf(to, "%s_", map->name);
    for (const char *c = map->unit; *c; c++) (void)(*c == '/' ? fputs("_per_", to) : fputc(*c, to));
}

static void put_csv(FILE *to, const mt_vertex_map *map, const double *means)
{
    (void)fputs("x_mm,y_mm,z_mm,", to);
    put_name(to, map);
    (void)fputc('\n', to);
    for (size_t v = 0; v < map->places.mesh->n_vertices; v++) {
        for (size_t k = 3 * v; k < 3 * v + 3; k++) {
            char number[MT_NUMBER_SIZE];
            mt_number_text(map->places.mesh->xyz_mm[k], number);
            (void)fprintf(to, "%s,", number);
        }
        (void)(isnan(means[v]) ? fputs("nan\n", to) : fprintf(to, "%.9g\n", means[v]));
    }
}

static void put_dat(FILE *to, const mt_vertex_map *map, const double *means)
{
    const char *missing = strcmp(map->unit, "mV") == 0 ? "nan\n" : "-1\n";
    for (size_t v = 0; v < map->places.mesh->n_vertices; v++)
        (void)(isnan(means[v]) ? fputs(missing, to) : fprintf(to, "%.9g\n", means[v]));
}

/* Returns the values at the vertices, NaN where there are none. */
static mt_status values_of(mt_arena *scratch, const mt_vertex_map *map, double **values)
{
    const size_t n = map->places.mesh->n_vertices;
    if (!map->places.at_vertices) return mt_vertex_mean(scratch, map->places.mesh, map->values, values);
    MT_ALLOC(scratch, *values, n);
    for (size_t v = 0; v < n; v++) (*values)[v] = (double)map->values[v];
    return MT_OK;
}

typedef void putter(FILE *to, const mt_vertex_map *map, const double *means);

static mt_status write(const char *path, const mt_vertex_map *map, putter *put)
{
    MT_SCRATCH(scratch);
    double *means;
    mt_file file;
    mt_status status = values_of(scratch, map, &means);
    if (status == MT_OK) status = mt_file_begin(path, &file);
    if (status == MT_OK) {
        put(file.stream, map, means);
        status = mt_file_end(&file, MT_OK);
    }
    return status;
}

mt_status mt_vertex_map_csv(const char *path, const mt_vertex_map *map) { return write(path, map, put_csv); }

mt_status mt_vertex_map_dat(const char *path, const mt_vertex_map *map) { return write(path, map, put_dat); }
