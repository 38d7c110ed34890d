#include "app/report/run_folder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/run/checkpoints.h"
#include "data/files/folder.h"
#include "data/files/h5.h"
#include "mesh/adjacency.h"
#include "mesh/vertex_mean.h"
#include "mesh/vtk/vtkhdf.h"

enum { FIELD = 256 };

/* ---- checks ---- */

/* Returns a possible reason for a folder without results. */
static const char *why_none(const char *path)
{
    if (mt_folder_is_taken(path)) return "a run in this folder is in progress and writes it at its end";
    if (mt_checkpoints_any(path))
        return "the run in this folder is incomplete; `myotile run --resume` continues it, and Ctrl-C then "
               "writes the results";
    return "allowed: a results folder of `myotile run`";
}

static mt_status need_file(const char *folder, const char *name, char path[MT_FILE_PATH_MAX])
{
    MT_TRY(mt_folder_path(folder, name, path));
    if (access(path, F_OK) == 0) return MT_OK;
    return mt_fail(MT_FILE, "%s: %s is missing: %s", folder, name, why_none(folder));
}

static mt_status need_folder(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) return mt_fail(MT_FILE, "%s: no such folder", path);
    if (!S_ISDIR(info.st_mode))
        return mt_fail(MT_FILE, "%s: not a folder; allowed: a results folder of `myotile run`", path);
    return MT_OK;
}

/* Finds the last component of the absolute path, also for "." */
static mt_status name_of(mt_arena *arena, const char *path, const char **name)
{
    const char *whole = path;
    MT_TRY(mt_file_absolute(arena, &whole));
    const char *slash = strrchr(whole, '/');
    *name = slash && slash[1] ? slash + 1 : whole;
    return MT_OK;
}

/* ---- maps ---- */

/* Computes the lengths of n vectors. */
static void find_lengths(size_t n, const float *vector, float *length)
{
    for (size_t c = 0; c < n; c++) {
        const float *v = vector + 3 * c;
        length[c] = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
}

static mt_status read_vector(mt_arena *scratch, mt_h5 *h5, const char *field, size_t n, float *length)
{
    float *vector;
    MT_ALLOC(scratch, vector, 3 * n);
    MT_TRY(mt_h5_read(h5, field, MT_H5_FLOAT, 2, (size_t[]){n, 3}, vector));
    find_lengths(n, vector, length);
    return MT_OK;
}

static mt_status read_values(mt_h5 *h5, mt_map map, const char *field, size_t n, float *values)
{
    MT_SCRATCH(scratch);
    return map == MT_MAP_CONDUCTION_VELOCITY ? read_vector(scratch, h5, field, n, values)
                                             : mt_h5_read(h5, field, MT_H5_FLOAT, 1, &n, values);
}

/* Writes the path of the field in the file, with "apd90", or "apd90_beat2" for the second beat. */
static void field_of(const mt_run_folder *folder, mt_map map, size_t beat, char field[FIELD])
{
    char name[64];
    mt_map_name(map, folder->input.output.repolarisation_percent / 100, name);
    const int n = snprintf(
        field, FIELD, "VTKHDF/%s/%s", mt_case_at_vertices(&folder->input) ? "PointData" : "CellData", name);
    if (beat > 0) (void)snprintf(field + n, FIELD - (size_t)n, "_beat%zu", beat + 1);
}

/* Reads values at the vertices, and computes their means over the elements. */
static mt_status read_at_vertices(
    mt_arena *arena, mt_h5 *h5, mt_map map, const char *field, const mt_mesh *mesh, float **values)
{
    MT_SCRATCH(scratch);
    float *at;
    MT_ALLOC(scratch, at, mesh->n_vertices);
    MT_TRY(read_values(h5, map, field, mesh->n_vertices, at));
    return mt_element_mean(arena, mesh, at, values);
}

/* Adds a map; the caller fills in its values. */
static mt_status add_map(
    mt_arena *arena, mt_run_folder *folder, mt_map map, size_t beat, const char *name, mt_folder_map **added)
{
    mt_folder_map *to = *added = &folder->maps[folder->n_maps++];
    *to = (mt_folder_map){.name = mt_arena_text(arena, name),
        .label = mt_map_label[map],
        .unit = mt_map_unit[map],
        .beat = beat + 1};
    return to->name ? MT_OK : MT_MEMORY;
}

static mt_status read_map(mt_arena *arena, mt_h5 *h5, mt_run_folder *folder, mt_map map, size_t beat)
{
    char field[FIELD];
    mt_folder_map *to;
    bool has;
    field_of(folder, map, beat, field);
    MT_TRY(mt_h5_has(h5, field, &has));
    if (!has) return MT_OK;
    MT_TRY(add_map(arena, folder, map, beat, strrchr(field, '/') + 1, &to));
    if (mt_case_at_vertices(&folder->input))
        return read_at_vertices(arena, h5, map, field, &folder->mesh, &to->values);
    MT_ALLOC(arena, to->values, folder->mesh.n_elements);
    return read_values(h5, map, field, folder->mesh.n_elements, to->values);
}

/* Computes the magnitudes of the velocities of a run at the elements, in the same way as those of a file. */
static mt_status take_velocities(
    mt_arena *arena, const mt_run *run, const mt_mesh *mesh, size_t beat, float **values)
{
    const mt_unknowns places = mt_run_places(run);
    float *length;
    MT_ALLOC(arena, length, mt_unknowns_count(&places));
    find_lengths(mt_unknowns_count(&places), run->velocities[beat].velocity, length);
    *values = length;
    return places.at_vertices ? mt_element_mean(arena, mesh, length, values) : MT_OK;
}

static mt_status take_map(mt_arena *arena, const mt_run *run, mt_run_folder *folder, mt_map map, size_t beat)
{
    char name[MT_RUN_NAME];
    mt_folder_map *to;
    if (!mt_run_has_map(run, map)) return MT_OK;
    mt_run_map_name(run, map, beat, name);
    MT_TRY(add_map(arena, folder, map, beat, name, &to));
    return map == MT_MAP_CONDUCTION_VELOCITY ? take_velocities(arena, run, &folder->mesh, beat, &to->values)
                                             : mt_run_map_of_elements(arena, run, map, beat, &to->values);
}

/* Adds a further map, which belongs to no beat; `values`: [elements]. */
static void add_more(mt_run_folder *folder, const mt_run_more_map *map, float *values)
{
    folder->maps[folder->n_maps++] =
        (mt_folder_map){.name = map->name, .label = map->label, .unit = map->unit, .values = values};
}

static mt_status read_more(mt_arena *arena, mt_h5 *h5, const mt_run_more_map *map, mt_run_folder *folder)
{
    char field[FIELD];
    float *values;
    bool has;
    (void)snprintf(field, FIELD, "VTKHDF/CellData/%s", map->name);
    MT_TRY(mt_h5_has(h5, field, &has));
    if (!has) return MT_OK;
    MT_ALLOC(arena, values, folder->mesh.n_elements);
    MT_TRY(mt_h5_read(h5, field, MT_H5_FLOAT, 1, &folder->mesh.n_elements, values));
    add_more(folder, map, values);
    return MT_OK;
}

static mt_status take_more(mt_arena *arena, const mt_run *run, mt_run_folder *folder)
{
    float *values;
    if (!run->more) return MT_OK;
    MT_COPY(arena, values, run->more->values, folder->mesh.n_elements);
    add_more(folder, run->more, values);
    return MT_OK;
}

/* Sets the beat of all maps to 0 if there is only one beat. */
static void number_beats(mt_run_folder *folder, size_t n_beats)
{
    for (size_t k = 0; k < folder->n_maps && n_beats == 1; k++) folder->maps[k].beat = 0;
}

static mt_status count_beats(mt_h5 *h5, const mt_run_folder *folder, size_t *n)
{
    char field[FIELD];
    bool has = true;
    for (*n = 0; has; *n += has) {
        field_of(folder, MT_MAP_ACTIVATION, *n, field);
        MT_TRY(mt_h5_has(h5, field, &has));
    }
    return MT_OK;
}

/* Reads the maps, ordered by beat. */
static mt_status read_maps(mt_arena *arena, mt_h5 *h5, mt_run_folder *folder)
{
    size_t n_beats;
    MT_TRY(count_beats(h5, folder, &n_beats));
    MT_ALLOC(arena, folder->maps, n_beats * MT_MAPS + 1);
    for (size_t beat = 0; beat < n_beats; beat++)
        for (int map = 0; map < MT_MAPS; map++) MT_TRY(read_map(arena, h5, folder, (mt_map)map, beat));
    number_beats(folder, n_beats);
    return read_more(arena, h5, &mt_run_residual, folder);
}

/* ---- result.hdf ---- */

static mt_status read_notes(mt_h5 *h5, mt_run_folder *folder)
{
    bool chosen, differs;
    MT_TRY(mt_h5_has_attribute(h5, "run", mt_run_choice_note, &chosen));
    if (chosen)
        MT_TRY(mt_h5_read_text(h5, "run", mt_run_choice_note, folder->placing, sizeof folder->placing));
    MT_TRY(mt_h5_has_attribute(h5, "run", mt_run_device_note, &differs));
    if (differs)
        MT_TRY(mt_h5_read_text(
            h5, "run", mt_run_device_note, folder->device_differs, sizeof folder->device_differs));
    MT_TRY(mt_h5_read_number(h5, "run", "time_reached_ms", &folder->reached_ms));
    MT_TRY(mt_h5_read_number(h5, "run", "end_ms", &folder->end_ms));
    MT_TRY(mt_h5_read_text(h5, "run", "mesh_hash", folder->mesh_hash, sizeof folder->mesh_hash));
    return mt_h5_read_text(h5, "run", "stopped_by", folder->stopped_by, sizeof folder->stopped_by);
}

/* Finds the boundary; `adjacency`: of the mesh, NULL if it is unknown. */
static mt_status make_boundary(
    mt_arena *arena, const char *path, const mt_adjacency *adjacency, mt_run_folder *folder)
{
    MT_SCRATCH(scratch);
    mt_adjacency made;
    if (!adjacency) {
        MT_TRY(mt_fail_in(path, mt_adjacency_make(scratch, &folder->mesh, &made)));
        adjacency = &made;
    }
    return mt_display_cells_boundary(arena, &folder->mesh, adjacency->neighbour, &folder->boundary);
}

/* Hashes positions and elements. Unlike the hash of the mesh it does not depend on fibres, tags and layers. */
static mt_status hash_positions(mt_run_folder *folder)
{
    const mt_mesh *mesh = &folder->mesh;
    mt_hash hash;
    MT_TRY(mt_hash_begin(&hash));
    mt_hash_add(&hash, mesh->xyz_mm, 3 * mesh->n_vertices * sizeof *mesh->xyz_mm);
    mt_hash_add(&hash, mesh->element_vertex, 4 * mesh->n_elements * sizeof *mesh->element_vertex);
    mt_hash_end(&hash, folder->positions);
    return MT_OK;
}

static mt_status read_result(mt_arena *arena, const char *path, mt_run_folder *folder)
{
    MT_H5_SCOPE(h5);
    MT_TRY(mt_vtkhdf_read(arena, path, &folder->mesh));
    MT_TRY(mt_fail_in(path, mt_mesh_check(&folder->mesh)));
    if (folder->mesh.n_elements == 0) return mt_fail(MT_INPUT, "%s: the mesh has no elements", path);
    MT_TRY(hash_positions(folder));
    MT_TRY(make_boundary(arena, path, NULL, folder));
    MT_TRY(mt_h5_open(path, h5));
    MT_TRY(read_notes(h5, folder));
    return read_maps(arena, h5, folder);
}

mt_status mt_run_folder_read(mt_arena *arena, const char *path, const char *profile, mt_run_folder *folder)
{
    char result[MT_FILE_PATH_MAX], used[MT_FILE_PATH_MAX];
    *folder = (mt_run_folder){.path = path, .profile = profile ? profile : path};
    MT_TRY(need_folder(path));
    if (profile) MT_TRY(need_folder(profile));
    MT_TRY(name_of(arena, path, &folder->name));
    folder->taken = mt_folder_is_taken(path);
    MT_TRY(mt_folder_path(path, "result.hdf", result));
    MT_TRY(mt_file_finish_sets(result));
    MT_TRY(need_file(path, "result.hdf", result));
    MT_TRY(need_file(path, "used.yaml", used));
    MT_TRY(mt_case_load(arena, used, NULL, 0, &folder->input));
    return read_result(arena, result, folder);
}

mt_status mt_run_folder_of(
    mt_arena *arena, const mt_run *run, const char *path, const char *profile, mt_run_folder *folder)
{
    const size_t n_beats = run->results.n_beats;
    *folder = (mt_run_folder){.path = path,
        .profile = profile ? profile : path,
        .input = *run->input,
        .mesh = run->problem->whole,
        .reached_ms = mt_run_reached_ms(run),
        .end_ms = run->input->time.end_ms};
    (void)snprintf(folder->stopped_by, sizeof folder->stopped_by, "%s", mt_run_ended_by(run));
    (void)mt_placing_text(&run->problem->placing, folder->placing);
    (void)strcpy(folder->device_differs, run->device.differs);
    MT_TRY(name_of(arena, path, &folder->name));
    MT_TRY(mt_mesh_hash(&folder->mesh, folder->mesh_hash));
    MT_TRY(hash_positions(folder));
    MT_TRY(make_boundary(arena, path, run->problem->mesh.number ? NULL : &run->problem->adjacency, folder));
    MT_ALLOC(arena, folder->maps, n_beats * MT_MAPS + 1);
    for (size_t beat = 0; beat < n_beats; beat++)
        for (int map = 0; map < MT_MAPS; map++) MT_TRY(take_map(arena, run, folder, (mt_map)map, beat));
    number_beats(folder, n_beats);
    return take_more(arena, run, folder);
}

bool mt_run_folder_is_fit(const mt_run_folder *folder)
{
    for (size_t k = 0; k < folder->n_maps; k++)
        if (strcmp(folder->maps[k].name, mt_run_residual.name) == 0) return true;
    return false;
}

mt_status mt_run_folder_has(
    const mt_run_folder *folder, const char *name, char path[MT_FILE_PATH_MAX], bool *has)
{
    MT_TRY(mt_folder_path(folder->path, name, path));
    *has = access(path, F_OK) == 0;
    return MT_OK;
}
