#include "app/report/frames_shown.h"

#include <math.h>
#include <string.h>

#include "data/files/h5.h"
#include "mesh/vertex_mean.h"
#include "mesh/unknowns.h"

/* The series that is being read. Values are at elements or vertices. */
typedef struct series {
    mt_h5 *h5;
    const mt_run_folder *folder;
    mt_unknowns places; /* of the complete mesh */
    const char *values_name, *numbers_name;
    size_t n, n_all;     /* number of values of a frame; over all its frames */
    int64_t *number;     /* [n] numbers in the complete mesh; NULL if equal */
    float *some, *whole; /* scratch: [n]; [places] */
} series;

static series series_of(mt_h5 *h5, const mt_run_folder *folder)
{
    const bool at_vertices = mt_case_at_vertices(&folder->input);
    return (series){.h5 = h5,
        .folder = folder,
        .places = {&folder->mesh, at_vertices},
        .values_name = at_vertices ? "VTKHDF/PointData/V" : "VTKHDF/CellData/V",
        .numbers_name = at_vertices ? "VTKHDF/PointData/vertex" : "VTKHDF/CellData/element"};
}

static mt_status check_mesh(const series *s)
{
    char hash[MT_HASH_SIZE];
    MT_TRY(mt_h5_read_text(s->h5, "run", "mesh_hash", hash, sizeof hash));
    if (strcmp(hash, s->folder->mesh_hash) == 0) return MT_OK;
    return mt_fail(MT_INPUT, "%s: mesh %s; result.hdf has mesh %s; both must be the same", s->h5->path, hash,
        s->folder->mesh_hash);
}

static mt_status read_numbers(mt_arena *scratch, series *s)
{
    const size_t n_whole = mt_unknowns_count(&s->places);
    bool has;
    MT_TRY(mt_h5_has(s->h5, s->numbers_name, &has));
    if (!has && s->n != n_whole)
        return mt_fail(MT_INPUT, "%s: values of %zu %s; the mesh has %zu", s->h5->path, s->n,
            mt_unknowns_word(&s->places, s->n), n_whole);
    if (!has) return MT_OK;
    MT_ALLOC(scratch, s->number, s->n);
    MT_TRY(mt_h5_read(s->h5, s->numbers_name, MT_H5_INT64, 1, &s->n, s->number));
    for (size_t k = 0; k < s->n; k++)
        if (s->number[k] < 0 || (size_t)s->number[k] >= n_whole)
            return mt_fail(MT_INPUT, "%s: %s: entry %zu is %lld; allowed: 0 to %zu", s->h5->path,
                s->numbers_name, k, (long long)s->number[k], n_whole - 1);
    return MT_OK;
}

static mt_status begin(mt_arena *scratch, series *s, size_t n_moments)
{
    MT_TRY(check_mesh(s));
    MT_TRY(mt_h5_shape(s->h5, s->values_name, 1, &s->n_all));
    s->n = n_moments > 0 ? s->n_all / n_moments : 0;
    if (s->n == 0 || s->n * n_moments != s->n_all)
        return mt_fail(MT_INPUT, "%s: %s has %zu values; allowed: the same number at each of its %zu times",
            s->h5->path, s->values_name, s->n_all, n_moments);
    MT_TRY(read_numbers(scratch, s));
    MT_ALLOC(scratch, s->some, s->n);
    MT_ALLOC(scratch, s->whole, mt_unknowns_count(&s->places));
    for (size_t k = 0; k < mt_unknowns_count(&s->places); k++) s->whole[k] = NAN;
    return MT_OK;
}

/* Reads the values of the elements at a moment. */
static mt_status read_moment(mt_arena *scratch, const series *s, size_t moment, const float **values)
{
    float *means;
    MT_TRY(mt_h5_read_rows(s->h5, s->values_name, MT_H5_FLOAT, 1, &s->n_all, moment * s->n, s->n, s->some));
    for (size_t k = 0; k < s->n; k++) s->whole[s->number ? (size_t)s->number[k] : k] = s->some[k];
    *values = s->whole;
    if (!s->places.at_vertices) return MT_OK;
    MT_TRY(mt_element_mean(scratch, s->places.mesh, s->whole, &means));
    *values = means;
    return MT_OK;
}

/* Computes the values of a frame at the places of the report. */
static mt_status take_moment(const series *s, size_t moment, size_t frame,
    const mt_vertex_stars *const stars[MT_FRAMES_PLACES], mt_frames_shown *frames)
{
    MT_SCRATCH(scratch);
    const float *values;
    MT_TRY(read_moment(scratch, s, moment, &values));
    for (int w = 0; w < MT_FRAMES_PLACES; w++)
        mt_vertex_stars_mean(stars[w], values, frames->v_mV[w] + frame * stars[w]->n);
    return MT_OK;
}

static mt_status read_chosen(mt_arena *arena, mt_arena *scratch, series *s,
    const mt_vertex_stars *const stars[MT_FRAMES_PLACES], size_t most, mt_frames_shown *frames)
{
    static const char times[] = "VTKHDF/Steps/Values";
    double *time_ms;
    MT_TRY(mt_h5_shape(s->h5, times, 1, &frames->n_there));
    MT_ALLOC(scratch, time_ms, frames->n_there);
    MT_TRY(mt_h5_read(s->h5, times, MT_H5_DOUBLE, 1, &frames->n_there, time_ms));
    MT_TRY(begin(scratch, s, frames->n_there));
    frames->n = frames->n_there < most ? frames->n_there : most;
    MT_ALLOC(arena, frames->time_ms, frames->n);
    for (int w = 0; w < MT_FRAMES_PLACES; w++) MT_ALLOC(arena, frames->v_mV[w], frames->n * stars[w]->n);
    for (size_t k = 0; k < frames->n; k++) {
        const size_t moment = frames->n > 1 ? k * (frames->n_there - 1) / (frames->n - 1) : 0;
        frames->time_ms[k] = time_ms[moment];
        MT_TRY(take_moment(s, moment, k, stars, frames));
    }
    return MT_OK;
}

static mt_status read_file(mt_arena *arena, const mt_run_folder *folder, const char *path,
    const mt_vertex_stars *const stars[MT_FRAMES_PLACES], size_t most, mt_frames_shown *frames)
{
    MT_SCRATCH(scratch);
    MT_H5_SCOPE(h5);
    series s = series_of(h5, folder);
    bool has;
    MT_TRY(mt_h5_open(path, h5));
    MT_TRY(mt_h5_has(h5, s.values_name, &has));
    return has ? read_chosen(arena, scratch, &s, stars, most, frames) : MT_OK;
}

mt_status mt_frames_shown_read(mt_arena *arena, const mt_run_folder *folder,
    const mt_vertex_stars *const stars[MT_FRAMES_PLACES], size_t most, mt_frames_shown *frames)
{
    char path[MT_FILE_PATH_MAX];
    bool has;
    *frames = (mt_frames_shown){0};
    MT_TRY(mt_run_folder_has(folder, "series.hdf", path, &has));
    return has ? read_file(arena, folder, path, stars, most, frames) : MT_OK;
}
