#include "app/results/run_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/draw/scene/picture.h"
#include "app/results/network_files.h"
#include "app/results/qrs_tables.h"
#include "app/results/vertex_map.h"
#include "data/files/file.h"
#include "data/files/folder.h"
#include "ipu/run/profile_files.h"
#include "ipu/run/trace_file.h"
#include "mesh/vertex_mean.h"
#include "mesh/vtk/vtkhdf.h"

bool mt_run_has_map(const mt_run *run, mt_map map)
{
    return map == MT_MAP_ACTIVATION || (run->input->output.maps >> map & 1);
}

static mt_map_input map_input(const mt_run *run, size_t beat)
{
    return (mt_map_input){&run->results.beats[beat], &run->problem->monodomain, &run->problem->whole,
        run->input->output.velocity_mm, run->velocities ? &run->velocities[beat] : NULL};
}

mt_status mt_run_map(mt_arena *arena, const mt_run *run, mt_map map, size_t beat, float **values)
{
    const mt_map_input in = map_input(run, beat);
    return mt_map_make(arena, map, &in, values);
}

mt_unknowns mt_run_places(const mt_run *run)
{
    return (mt_unknowns){&run->problem->whole, run->problem->unknowns.at_vertices};
}

/* Returns the values of a map at the elements: `values`, or means of values at the vertices. */
static mt_status at_elements(mt_arena *arena, const mt_run *run, const float *values, const float **means)
{
    float *found;
    *means = values;
    if (!run->problem->unknowns.at_vertices) return MT_OK;
    MT_TRY(mt_element_mean(arena, &run->problem->whole, values, &found));
    *means = found;
    return MT_OK;
}

mt_status mt_run_map_of_elements(mt_arena *arena, const mt_run *run, mt_map map, size_t beat, float **values)
{
    float *found;
    MT_TRY(mt_run_map(arena, run, map, beat, &found));
    *values = found;
    return run->problem->unknowns.at_vertices ? mt_element_mean(arena, &run->problem->whole, found, values)
                                              : MT_OK;
}

const char *mt_run_ended_by(const mt_run *run) { return run->stopped_by ? run->stopped_by : "its end"; }

mt_status mt_run_find_velocities(mt_arena *arena, mt_run *run)
{
    mt_map_velocities *all;
    if (!mt_run_has_map(run, MT_MAP_CONDUCTION_VELOCITY)) return MT_OK;
    MT_ALLOC(arena, all, run->results.n_beats);
    for (size_t beat = 0; beat < run->results.n_beats; beat++) {
        const mt_map_input in = map_input(run, beat);
        MT_TRY(mt_map_velocity(arena, &in, &all[beat]));
    }
    run->velocities = all;
    return MT_OK;
}

/* Appends the number of a beat to the name of a map; nothing for the first. */
static void add_beat(size_t beat, char text[MT_RUN_NAME])
{
    const size_t n = strlen(text);
    if (beat > 0) (void)snprintf(text + n, MT_RUN_NAME - n, "_beat%zu", beat + 1);
}

void mt_run_map_name(const mt_run *run, mt_map map, size_t beat, char text[MT_RUN_NAME])
{
    mt_map_name(map, run->problem->monodomain.record.fraction, text);
    add_beat(beat, text);
}

/* Returns the word for the event that is missing in an element without a value. */
static const char *lacking(mt_map map)
{
    return map == MT_MAP_REPOLARISATION || map == MT_MAP_APD ? "repolarised" : "activated";
}

/* Writes the meaning of a missing value in the complete mesh. */
static void nan_text(const mt_run *run, mt_map map, char *text, size_t size)
{
    const char *or_nonconducting = run->problem->mesh.number ? "non-conducting, or " : "",
               *what = lacking(map);
    if (map == MT_MAP_CONDUCTION_VELOCITY)
        (void)snprintf(text, size,
            "undefined: not activated, stimulated, few elements nearby, irregular activation, "
            "collision or origin, or no gradient");
    else if (run->stopped_by)
        (void)snprintf(text, size, "%snot %s before the run was stopped at %.9g ms", or_nonconducting,
            map == MT_MAP_ACTIVATION ? "activated" : what, mt_run_reached_ms(run));
    else
        (void)snprintf(text, size, "%snot %s within the %.9g ms of the run", or_nonconducting, what,
            mt_run_reached_ms(run));
}

/* Writes the share of elements without a conduction velocity and the most frequent reason. */
static void undefined_text(const mt_run *run, size_t beat, char *text, size_t size)
{
    const size_t *n = run->velocities[beat].n_reason, count = mt_unknowns_count(&run->problem->unknowns);
    int most = MT_VELOCITY_DEFINED + 1;
    for (int k = most; k < MT_VELOCITY_REASONS; k++)
        if (n[k] > n[most]) most = k;
    (void)snprintf(text, size, "%.0f %% undefined, %.0f %% of these: %s",
        100 * (1 - (double)n[MT_VELOCITY_DEFINED] / (double)count),
        100 * (double)n[most] / fmax(1, (double)(count - n[MT_VELOCITY_DEFINED])), mt_velocity_short[most]);
}

/* Writes the meaning of grey for the legend of the picture of a beat. `values`: for the complete mesh. */
static void grey_text(
    const mt_run *run, mt_map map, size_t beat, const float *values, char *text, size_t size)
{
    const mt_mesh *mesh = &run->problem->mesh;
    bool all = true;
    for (size_t c = 0; c < mesh->n_elements; c++) all = all && !isnan(values[mt_mesh_number(mesh, c)]);
    if (all)
        (void)snprintf(text, size, "non-conducting");
    else if (map == MT_MAP_CONDUCTION_VELOCITY)
        undefined_text(run, beat, text, size);
    else if (run->results.n_beats > 1)
        (void)snprintf(text, size, "%snot in this beat", mesh->number ? "non-conducting, or " : "");
    else
        (void)snprintf(text, size, "%snot %s %.6g ms", mesh->number ? "non-conducting, or " : "",
            map == MT_MAP_APD ? "complete at" : "before", mt_run_reached_ms(run));
}

/* Writes a text with each line as a YAML comment. */
static void print_as_comment(FILE *out, const char *text)
{
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        (void)fprintf(out, "#   %.*s\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

mt_status mt_run_used_text(mt_arena *arena, const mt_run *run, const char **text)
{
    const char *body, *machine = NULL;
    char *whole = NULL, *kept = NULL;
    size_t size = 0;
    MT_TRY(mt_yaml_write(arena, &mt_case_table, run->input, &body));
    if (run->profile) MT_TRY(mt_yaml_write(arena, &ipu_target_table, run->layout->target, &machine));
    FILE *memory = open_memstream(&whole, &size);
    if (!memory) return mt_fail(MT_MEMORY, "used.yaml: out of memory");
    (void)fprintf(memory, "# Every value used by a run of myotile %s, compiled with %s. Running this file ",
        MT_VERSION, MT_COMPILER);
    if (run->device.differs[0])
        (void)fprintf(memory,
            "may give results with other last digits: the device %s may not compute the bits of the host: "
            "%s\n%s",
            run->device.name, run->device.differs, body);
    else
        (void)fprintf(memory, "reproduces the results bit by bit.\n%s", body);
    if (machine) {
        (void)fprintf(memory, "# The emulated machine:\n");
        print_as_comment(memory, machine);
    }
    if (fclose(memory) == 0) kept = mt_arena_alloc(arena, size + 1, 1);
    if (kept) *text = memcpy(kept, whole, size);
    free(whole);
    return kept ? MT_OK : mt_fail(MT_MEMORY, "used.yaml: out of memory");
}

/* Builds the field of a map of a beat for the complete mesh. */
static mt_status map_field(
    mt_arena *arena, const mt_run *run, mt_map map, size_t beat, mt_vtkhdf_field *field)
{
    enum { NAN_TEXT = 128 };
    char *name, *nan;
    float *values;
    MT_ALLOC(arena, name, MT_RUN_NAME);
    MT_ALLOC(arena, nan, NAN_TEXT);
    const bool vector = map == MT_MAP_CONDUCTION_VELOCITY;
    if (vector)
        values = run->velocities[beat].velocity;
    else
        MT_TRY(mt_run_map(arena, run, map, beat, &values));
    mt_run_map_name(run, map, beat, name);
    nan_text(run, map, nan, NAN_TEXT);
    *field = (mt_vtkhdf_field){.name = name,
        .unit = mt_map_unit[map],
        .components = vector ? 3 : 1,
        .f32 = values,
        .nan = nan,
        .at_vertices = run->problem->unknowns.at_vertices};
    return MT_OK;
}

/* Builds the fields of all maps, ordered by beat, and adds their number to *n. */
static mt_status map_fields(mt_arena *arena, const mt_run *run, size_t *n, mt_vtkhdf_field *fields)
{
    for (size_t beat = 0; beat < run->results.n_beats; beat++)
        for (int map = 0; map < MT_MAPS; map++)
            if (mt_run_has_map(run, (mt_map)map))
                MT_TRY(map_field(arena, run, (mt_map)map, beat, &fields[(*n)++]));
    return MT_OK;
}

const mt_run_more_map mt_run_residual = {
    "residual", "Measured minus fitted LAT", "ms", "no measured points nearby", NULL};

/* Builds the field of the further map, if any. */
static void more_field(const mt_run *run, size_t *n, mt_vtkhdf_field *fields)
{
    if (!run->more) return;
    fields[(*n)++] = (mt_vtkhdf_field){
        .name = run->more->name, .unit = run->more->unit, .f32 = run->more->values, .nan = run->more->nan};
}

/* Builds the fields with the numbers of the elements and, if any element does not conduct, with the non-conducting ones. */
static mt_status number_fields(mt_arena *arena, const mt_run *run, size_t *n, mt_vtkhdf_field *fields)
{
    const mt_problem *problem = run->problem;
    const size_t n_elements = problem->whole.n_elements;
    int64_t *number, *inert;
    MT_ALLOC(arena, number, n_elements);
    for (size_t c = 0; c < n_elements; c++) number[c] = (int64_t)c;
    fields[(*n)++] = (mt_vtkhdf_field){.name = "element", .i64 = number};
    if (!problem->mesh.number) return MT_OK;
    MT_ALLOC(arena, inert, n_elements);
    for (size_t c = 0; c < n_elements; c++) inert[c] = 1;
    for (size_t c = 0; c < problem->mesh.n_elements; c++) inert[problem->mesh.number[c]] = 0;
    fields[(*n)++] = (mt_vtkhdf_field){.name = "inert", .i64 = inert};
    return MT_OK;
}

/* Writes the title of the picture of a beat, or of all beats (SIZE_MAX): the title of the case, the beat, and if the run was stopped. */
static void picture_title(const mt_run *run, size_t beat, char *title, size_t size)
{
    char of_beat[32] = "", stopped[64] = "";
    if (run->results.n_beats > 1 && beat < run->results.n_beats)
        (void)snprintf(of_beat, sizeof of_beat, "beat %zu", beat + 1);
    if (run->stopped_by)
        (void)snprintf(stopped, sizeof stopped, "(stopped at %.6g ms)", mt_run_reached_ms(run));
    (void)snprintf(title, size, "%.900s%s%s%s%s", run->input->title,
        run->input->title[0] && of_beat[0] ? ", " : "", of_beat,
        (run->input->title[0] || of_beat[0]) && stopped[0] ? " " : "", stopped);
}

enum { NOTES = 8 };

const char mt_run_choice_note[] = "discretisation", mt_run_device_note[] = "device_differs";

/* Writes the notes about the run for files of viewers. */
static mt_status make_notes(mt_arena *arena, const mt_run *run, size_t *n, mt_vtkhdf_note notes[NOTES])
{
    const char *used;
    char *hash, *placing;
    MT_ALLOC(arena, hash, MT_HASH_SIZE);
    MT_ALLOC(arena, placing, MT_PLACING_TEXT);
    MT_TRY(mt_run_used_text(arena, run, &used));
    MT_TRY(mt_mesh_hash(&run->problem->whole, hash));
    notes[0] = (mt_vtkhdf_note){.name = "mesh_hash", .text = hash};
    notes[1] = (mt_vtkhdf_note){.name = "time_reached_ms", .number = mt_run_reached_ms(run)};
    notes[2] = (mt_vtkhdf_note){.name = "end_ms", .number = run->input->time.end_ms};
    notes[3] = (mt_vtkhdf_note){.name = "stopped_by", .text = mt_run_ended_by(run)};
    notes[4] = (mt_vtkhdf_note){.name = "used", .text = used};
    *n = 5;
    if (*mt_placing_text(&run->problem->placing, placing))
        notes[(*n)++] = (mt_vtkhdf_note){.name = mt_run_choice_note, .text = placing};
    if (run->device.name[0]) notes[(*n)++] = (mt_vtkhdf_note){.name = "device", .text = run->device.name};
    if (run->device.differs[0])
        notes[(*n)++] = (mt_vtkhdf_note){.name = mt_run_device_note, .text = run->device.differs};
    return MT_OK;
}

static mt_status write_result(mt_arena *arena, const mt_run *run, const char *path)
{
    mt_vtkhdf_note notes[NOTES];
    mt_vtkhdf_field *fields;
    size_t n = 0, n_notes;
    MT_ALLOC(arena, fields, run->results.n_beats * MT_MAPS + 3);
    MT_TRY(map_fields(arena, run, &n, fields));
    more_field(run, &n, fields);
    MT_TRY(number_fields(arena, run, &n, fields));
    MT_TRY(make_notes(arena, run, &n_notes, notes));
    return mt_vtkhdf_write_result(path, &run->problem->whole, n, fields, n_notes, notes);
}

/* Writes the time series, or deletes files of an earlier run if there are none. */
static mt_status write_samples(const mt_run *run, const char *folder)
{
    MT_SCRATCH(arena);
    mt_vtkhdf_note notes[NOTES];
    char title[1024];
    size_t n_notes;
    mt_status status = make_notes(arena, run, &n_notes, notes);
    picture_title(run, SIZE_MAX, title, sizeof title);
    if (status == MT_OK)
        status = mt_sample_files_write(&(mt_sample_files){run->sampling, title, n_notes, notes}, folder);
    return status;
}

static mt_status write_picture(
    mt_arena *arena, const mt_run *run, mt_map map, size_t beat, const float *values, const char *path)
{
    const mt_mesh *mesh = &run->problem->whole;
    mt_adjacency adjacency = run->problem->adjacency;
    char title[1024], grey[128];
    if (run->problem->mesh.number) MT_TRY(mt_adjacency_make(arena, mesh, &adjacency));
    grey_text(run, map, beat, values, grey, sizeof grey);
    const bool of_times = map == MT_MAP_ACTIVATION || map == MT_MAP_REPOLARISATION;
    const mt_picture_scale scale = {
        mt_map_label[map], mt_map_unit[map], of_times ? "isochrones" : "", grey, !of_times, false};
    picture_title(run, beat, title, sizeof title);
    const bool with_network = map == MT_MAP_ACTIVATION && run->problem->monodomain.conduction;
    mt_network_lines network;
    if (with_network) MT_TRY(mt_run_network_picture(arena, run, beat, &network));
    return mt_picture_map(path, mesh, &adjacency, values, &scale, with_network ? &network : NULL, title);
}

/* Writes a table as a file. */
static mt_status put_csv(const char *path, const mt_table *table)
{
    mt_file file;
    MT_TRY(mt_file_begin(path, &file));
    return mt_file_end(&file, mt_table_put_csv(file.stream, table));
}

static mt_status write_activation_csv(mt_arena *arena, const mt_run *run, const char *path)
{
    const mt_table table = mt_run_probes_table(arena, run, true);
    return put_csv(path, &table);
}

static mt_status write_used(mt_arena *arena, const mt_run *run, const char *path)
{
    const char *text;
    MT_TRY(mt_run_used_text(arena, run, &text));
    return mt_file_write_text(path, text, strlen(text));
}

static mt_status write_network(mt_arena *arena, const mt_run *run, const char *path)
{
    (void)arena;
    return mt_run_network_write(run, path);
}

static mt_status write_network_hdf(mt_arena *arena, const mt_run *run, const char *path)
{
    mt_vtkhdf_note notes[NOTES];
    size_t n_notes;
    MT_TRY(make_notes(arena, run, &n_notes, notes));
    return mt_run_network_write_hdf(run, n_notes, notes, path);
}

/* Does nothing: network.xdmf is written with network.hdf. */
static mt_status written_already(mt_arena *arena, const mt_run *run, const char *path)
{
    (void)arena, (void)run, (void)path;
    return MT_OK;
}

static mt_status write_passages(mt_arena *arena, const mt_run *run, const char *path)
{
    mt_table table;
    MT_TRY(mt_run_network_table(arena, run, &table));
    return put_csv(path, &table);
}

static mt_status write_junctions(mt_arena *arena, const mt_run *run, const char *path)
{
    const mt_table table = mt_run_junctions_table(arena, run);
    return put_csv(path, &table);
}

static mt_status write_qrs(mt_arena *arena, const mt_run *run, const char *path)
{
    mt_table complexes, leads;
    mt_run_qrs_tables(arena, run, &complexes, &leads);
    return put_csv(path, &complexes);
}

static bool wants_network(const mt_case *input) { return input->network.file[0]; }
static bool wants_frames(const mt_case *input)
{
    return wants_network(input) && mt_moments_any(&input->series.samples.when);
}
static bool has_network(const mt_run *run) { return run->problem->monodomain.conduction; }
static bool wants_qrs(const mt_case *input) { return input->n_electrodes > 0; }
static bool has_qrs(const mt_run *run) { return run->qrs; }

typedef mt_status writer(mt_arena *arena, const mt_run *run, const char *path);

/* The main result is first. Files that not every run has: `wanted` by its case, and `has` the data. */
static const struct {
    const char *name;
    writer *write;
    bool (*wanted)(const mt_case *input); /* NULL, with `has`, for a file of every run */
    bool (*has)(const mt_run *run);
} files[] = {{"result.hdf", write_result, NULL, NULL}, {"activation.csv", write_activation_csv, NULL, NULL},
    {"used.yaml", write_used, NULL, NULL}, {"network.vtp", write_network, wants_network, has_network},
    {"network.hdf", write_network_hdf, wants_network, has_network},
    {"network.xdmf", written_already, wants_frames, mt_run_has_network_frames},
    {"network.csv", write_passages, wants_network, has_network},
    {"junctions.csv", write_junctions, wants_network, has_network},
    {"qrs.csv", write_qrs, wants_qrs, has_qrs}};
enum { N_FILES = sizeof files / sizeof *files };

/* Deletes a file of an earlier run. */
static mt_status forget(const char *path)
{
    return access(path, F_OK) == 0 && mt_file_is_ours(path) ? mt_file_remove(path) : MT_OK;
}

static mt_status write_one(const mt_run *run, const char *folder, size_t f)
{
    char path[MT_FILE_PATH_MAX];
    MT_TRY(mt_folder_path(folder, files[f].name, path));
    MT_SCRATCH(arena);
    if (files[f].has && !files[f].has(run)) return forget(path);
    return files[f].write(arena, run, path);
}

static void segment_object(mt_json *json, const mt_segment *s)
{
    mt_json_open(json, NULL, '{');
    mt_json_count(json, "first_step", s->first);
    mt_json_count(json, "last_step", s->end - 1);
    mt_json_text(json, "machine", s->machine[0] ? s->machine : NULL);
    mt_json_text(json, "fingerprint", s->machine[0] ? s->fingerprint : NULL);
    mt_json_count(json, "ipus", s->ipus);
    mt_json_count(json, "tiles", s->tiles);
    mt_json_number(json, "clock_hz", s->clock_hz);
    mt_json_open(json, "phase_cycles", '{');
    for (int p = 0; p < MT_PHASES; p++) mt_json_count(json, mt_phase_words_of[p].key, s->cycles[p]);
    mt_json_close(json);
    mt_json_count(json, "step_cycles", s->step_cycles);
    mt_json_count(json, "host_cycles", s->host_cycles);
    mt_json_close(json);
}

/* Adds the mt_segments of a run to its profile (ipu_profiled.add). The profile covers the last segment. A single one is in the totals. */
static void add_segments(mt_json *json, const void *of)
{
    const mt_segments *segments = of;
    if (!mt_segments_several(segments)) return;
    mt_json_open(json, "segments", '[');
    for (size_t k = 0; k < segments->n; k++)
        if (segments->segment[k].end > segments->segment[k].first)
            segment_object(json, &segments->segment[k]);
    mt_json_close(json);
}

/* Writes the profile, and the trace into the same folder. */
static mt_status write_profile(const mt_run *run, const char *folder)
{
    const ipu_profiled profiled = {.title = run->input->title[0] ? run->input->title : "Run",
        .time_steps = mt_run_profiled_steps(run),
        .profile = run->profile,
        .target = run->layout->target,
        .add = add_segments,
        .context = &run->segments};
    char path[MT_FILE_PATH_MAX];
    MT_TRY(ipu_profile_write(&profiled, folder, run->details != NULL));
    if (!run->trace) return MT_OK;
    MT_TRY(mt_folder_path(folder, "trace.json", path));
    return ipu_trace_write(
        run->trace, profiled.title, run->tracing->first_tile, run->tracing->last_tile, path);
}

/* The files of each map of each beat: apd.png, apd_vertices.csv, apd.dat; apd_beat2.png. */
typedef enum map_file { MAP_PICTURE, MAP_CSV, MAP_DAT, MAP_FILES } map_file;

static const char *const map_file_ending[MAP_FILES] = {
    [MAP_PICTURE] = ".png", [MAP_CSV] = "_vertices.csv", [MAP_DAT] = ".dat"};

static mt_status map_path(
    const char *folder, mt_map map, size_t beat, map_file kind, char path[MT_FILE_PATH_MAX])
{
    char name[MT_RUN_NAME], file[MT_RUN_NAME + 16];
    (void)snprintf(name, sizeof name, "%s", mt_map_words[map]);
    add_beat(beat, name);
    (void)snprintf(file, sizeof file, "%s%s", name, map_file_ending[kind]);
    return mt_folder_path(folder, file, path);
}

/* True if a case requests such a file of a map. */
static bool asks_for(const mt_case *input, mt_map map, map_file kind)
{
    if (map != MT_MAP_ACTIVATION && !(input->output.maps >> map & 1)) return false;
    return kind == MAP_PICTURE
               ? input->output.pictures
               : (input->output.vertices >> (kind == MAP_CSV ? MT_CASE_VERTICES_CSV : MT_CASE_VERTICES_DAT) &
                     1) != 0;
}

static mt_status write_map_file(mt_arena *arena, const mt_run *run, mt_map map, size_t beat, map_file kind,
    const float *values, const char *path)
{
    char name[MT_RUN_NAME];
    const float *means;
    if (kind == MAP_PICTURE) {
        MT_TRY(at_elements(arena, run, values, &means));
        return write_picture(arena, run, map, beat, means, path);
    }
    mt_run_map_name(run, map, beat, name);
    const mt_vertex_map at_vertices = {name, mt_map_unit[map], mt_run_places(run), values};
    return kind == MAP_CSV ? mt_vertex_map_csv(path, &at_vertices) : mt_vertex_map_dat(path, &at_vertices);
}

/* Writes the files of a map of a beat, and deletes the other ones of an earlier run. `any`: set to true if a file was written or deleted.
 * */
static mt_status renew_map_files(
    mt_arena *arena, const mt_run *run, const char *folder, mt_map map, size_t beat, bool *any)
{
    char path[MT_FILE_PATH_MAX];
    float *values = NULL;
    const bool there = beat < run->results.n_beats && mt_run_has_map(run, map);
    if (there) MT_TRY(mt_run_map(arena, run, map, beat, &values));
    for (int kind = 0; kind < MAP_FILES; kind++) {
        const bool has = there && asks_for(run->input, map, (map_file)kind);
        MT_TRY(map_path(folder, map, beat, (map_file)kind, path));
        const bool had = access(path, F_OK) == 0 && mt_file_is_ours(path);
        if (has)
            MT_TRY(write_map_file(arena, run, map, beat, (map_file)kind, values, path));
        else if (had)
            MT_TRY(mt_file_remove(path));
        *any = *any || has || had;
    }
    return MT_OK;
}

/* Writes the files of all maps of all beats, and deletes files of additional beats of an earlier run. */
static mt_status renew_all_map_files(const mt_run *run, const char *folder)
{
    bool any = true;
    for (size_t beat = 0; any; beat++) {
        any = beat < run->results.n_beats;
        for (int map = 0; map < MT_MAPS; map++) {
            MT_SCRATCH(arena);
            MT_TRY(renew_map_files(arena, run, folder, (mt_map)map, beat, &any));
        }
    }
    return MT_OK;
}

const char mt_run_report_page[] = "report.html";

static mt_status forget_page(const char *folder)
{
    char path[MT_FILE_PATH_MAX];
    MT_TRY(mt_folder_path(folder, mt_run_report_page, path));
    return forget(path);
}

static mt_status write_all(const mt_run *run, const char *folder)
{
    for (size_t f = 0; f < N_FILES; f++) MT_TRY(write_one(run, folder, f));
    MT_TRY(renew_all_map_files(run, folder));
    MT_TRY(forget_page(folder));
    if (run->sampling) MT_TRY(write_samples(run, folder));
    /* a profile of an earlier run is deleted if this run has none */
    const bool here = run->profile && !mt_run_has_profile_folder(run, folder);
    return here ? write_profile(run, folder) : ipu_profile_remove(folder);
}

static mt_status write_profile_apart(const mt_run *run)
{
    MT_TRY(mt_file_set_begin());
    const mt_status status = write_profile(run, run->details);
    if (status == MT_OK) mt_folder_keep(run->details);
    return mt_file_set_end(status);
}

bool mt_run_has_profile_folder(const mt_run *run, const char *folder)
{
    return run->details && strcmp(run->details, folder) != 0;
}

mt_status mt_run_files_write(const mt_run *run, const char *folder)
{
    return mt_run_files_write_more(run, folder, NULL, NULL);
}

mt_status mt_run_files_write_more(
    const mt_run *run, const char *folder, mt_run_files_more *more, const void *context)
{
    MT_TRY(mt_file_set_begin());
    mt_status status = write_all(run, folder);
    if (status == MT_OK && more) status = more(context, folder);
    if (status == MT_OK)
        mt_folder_keep(folder);
    else
        status = mt_fail(status, "%s; the other files in %s are unchanged", mt_message(), folder);
    MT_TRY(mt_file_set_end(status));
    return mt_run_has_profile_folder(run, folder) ? write_profile_apart(run) : MT_OK;
}

mt_status mt_run_files_check(
    const char *folder, const mt_case *input, bool profile, const char *details, bool trace)
{
    const char *of_profile = details ? details : folder;
    char path[MT_FILE_PATH_MAX];
    for (int f = 0; f < N_FILES; f++) {
        if (files[f].wanted && !files[f].wanted(input)) continue;
        MT_TRY(mt_folder_path(folder, files[f].name, path));
        MT_TRY(mt_file_check(path, MT_FILE_ANY));
    }
    for (int map = 0; map < MT_MAPS; map++)
        for (int kind = 0; kind < MAP_FILES; kind++) {
            MT_TRY(map_path(folder, (mt_map)map, 0, (map_file)kind, path));
            if (asks_for(input, (mt_map)map, (map_file)kind)) MT_TRY(mt_file_check(path, MT_FILE_ANY));
        }
    MT_TRY(mt_sample_files_check(input, folder));
    if (profile) MT_TRY(ipu_profile_check(of_profile, details != NULL));
    if (!trace) return MT_OK;
    MT_TRY(mt_folder_path(of_profile, "trace.json", path));
    return mt_file_check(path, MT_FILE_ANY);
}
