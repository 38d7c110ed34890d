#include "solver/backends/checkpoint.h"

#include <stdio.h>
#include <string.h>

#include "data/files/h5.h"
#include "solver/conduction/conducting.h"

static const char group[] = "checkpoint";

/* ---- fingerprints ---- */

static mt_status describe(const mt_monodomain *problem, mt_checkpoint *c)
{
    c->at_vertices = problem->diffusion->nodal != NULL;
    (void)snprintf(c->model, sizeof c->model, "%s", problem->model->identity);
    c->records_all = problem->record.all;
    c->stepping = problem->stepping;
    c->stored = problem->record.stored;
    MT_TRY(mt_mesh_hash(problem->mesh, c->mesh));
    if (problem->conduction) MT_TRY(mt_conduction_fingerprint(problem->conduction, c->conduction));
    return mt_diffusion_fingerprint(problem->diffusion, c->diffusion);
}

/* ---- the states of imported models ---- */

/* True if a checkpoint has the names of the states: its model is not in the table. */
static bool lists_states(const mt_checkpoint *c)
{
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++)
        if (strcmp((*m)->identity, c->model) == 0) return false;
    return true;
}

enum { STATES_TEXT = MT_CELL_STATES * MT_CELL_NAME };

static mt_status put_states(mt_arena *scratch, mt_h5 *h5, const mt_cell_model *model)
{
    char *text;
    MT_ALLOC(scratch, text, STATES_TEXT);
    for (size_t k = 0, n = 0; k < model->n_states; k++)
        n += (size_t)snprintf(text + n, STATES_TEXT - n, "%s%s", k > 0 ? "\n" : "", model->states[k].name);
    return mt_h5_write_text(h5, group, "states", text);
}

/* Reads a model that has only names of states. */
static mt_status get_states(mt_arena *arena, mt_h5 *h5, mt_cell_model *model)
{
    char *text, *save;
    mt_cell_quantity *states;
    MT_ALLOC(arena, text, STATES_TEXT);
    MT_ALLOC(arena, states, MT_CELL_STATES);
    MT_TRY(mt_h5_read_text(h5, group, "states", text, STATES_TEXT));
    *model = (mt_cell_model){.states = states};
    for (char *name = strtok_r(text, "\n", &save); name && model->n_states < MT_CELL_STATES;
         name = strtok_r(NULL, "\n", &save))
        states[model->n_states++] = (mt_cell_quantity){name, ""};
    return MT_OK;
}

/* ---- shared by writing and reading ---- */

/* A dataset of the file, and its values in memory. */
typedef struct part {
    char name[96];
    mt_h5_type type;
    size_t n;
    const char *unit;
    void *values;
} part;

static size_t bytes_of(mt_h5_type type)
{
    return type == MT_H5_UINT8 ? 1 : type == MT_H5_FLOAT ? sizeof(float) : sizeof(double);
}

static void add_to_sum(mt_hash *sum, const part *p)
{
    mt_hash_add(sum, p->name, strlen(p->name));
    mt_hash_add(sum, p->values, p->n * bytes_of(p->type));
}

static void add_about_to_sum(mt_hash *sum, const mt_checkpoint *c)
{
    const uint64_t numbers[] = {c->step, c->records_all, c->stored, c->n_beats, (uint64_t)c->stepping};
    mt_hash_add(sum, numbers, sizeof numbers);
    if (c->at_vertices) mt_hash_add(sum, "vertices", 8);
    mt_hash_add(sum, c->backend, strlen(c->backend));
    mt_hash_add(sum, c->model, strlen(c->model));
    mt_hash_add(sum, c->mesh, strlen(c->mesh));
    mt_hash_add(sum, c->diffusion, strlen(c->diffusion));
    mt_hash_add(sum, c->machine, strlen(c->machine));
    mt_hash_add(sum, c->conduction, strlen(c->conduction));
}

static part array_part(const mt_monodomain *problem, size_t array, mt_h5_type type, void *values)
{
    const mt_cell_quantity quantity = mt_array(problem, array);
    part p = {.type = type,
        .n = problem->diffusion->n_unknowns,
        .unit = quantity.unit[0] ? quantity.unit : NULL,
        .values = values};
    (void)snprintf(p.name, sizeof p.name, "array/%s", quantity.name);
    return p;
}

/* Lists the arrays of a beat: the activation, then those of mt_recorded that are kept. Returns their number. */
static size_t beat_parts(
    const mt_checkpoint *c, size_t beat, const mt_records *records, part parts[1 + MT_RECORDED])
{
    size_t n = 0;
    for (int k = -1; k < MT_RECORDED; k++) {
        const mt_cell_quantity what =
            k < 0 ? (mt_cell_quantity){"activation", "ms"} : mt_recorded_quantity[k];
        if (k >= 0 && !(c->stored >> k & 1)) continue;
        part *p = &parts[n++];
        *p = (part){.type = MT_H5_DOUBLE, .n = c->n_elements, .unit = what.unit};
        if (records) p->values = k < 0 ? records->activation_ms : records->recorded[k];
        (void)snprintf(p->name, sizeof p->name, "beat/%zu/%s", beat, what.name);
    }
    return n;
}

enum { SEGMENT_PARTS = 4 };

/* Lists the arrays of segments, which may be filled later. */
static void segment_parts(const mt_segments_flat *flat, part parts[SEGMENT_PARTS])
{
    parts[0] = (part){"segment/begin", MT_H5_INT64, flat->n + 1, NULL, flat->begin};
    parts[1] = (part){"segment/count", MT_H5_INT64, flat->n * MT_SEGMENT_COUNTS, NULL, flat->count};
    parts[2] = (part){"segment/clock", MT_H5_DOUBLE, flat->n, "Hz", flat->clock_hz};
    parts[3] = (part){"segment/words", MT_H5_UINT8, flat->n_words, NULL, flat->words};
}

/* ---- writing ---- */

/* A file being written, with work space for an array in both precisions. */
typedef struct writing {
    mt_h5 *h5;
    mt_hash sum;
    double *values;
    float *single;
} writing;

static mt_status put(writing *w, const part *p)
{
    if (p->n == 0) return MT_OK;
    add_to_sum(&w->sum, p);
    return mt_h5_write_plain(w->h5, p->name, p->type, 1, &p->n, p->unit, p->values);
}

static mt_status put_arrays(writing *w, const mt_monodomain *problem, const mt_backend *backend, void *self)
{
    const size_t n = problem->diffusion->n_unknowns;
    MT_TRY(mt_h5_group(w->h5, "array"));
    for (size_t array = 0; array < mt_arrays(problem); array++) {
        part p = array_part(problem, array, backend->single ? MT_H5_FLOAT : MT_H5_DOUBLE, w->values);
        MT_TRY(backend->read(self, array, w->values));
        for (size_t k = 0; backend->single && k < n; k++) w->single[k] = (float)w->values[k];
        if (backend->single) p.values = w->single;
        MT_TRY(put(w, &p));
    }
    return MT_OK;
}

static mt_status put_beats(writing *w, const mt_checkpoint *c, const mt_results *results)
{
    part parts[1 + MT_RECORDED];
    char name[32];
    if (c->n_beats > 0) MT_TRY(mt_h5_group(w->h5, "beat"));
    for (size_t b = 0; b < c->n_beats; b++) {
        const size_t n = beat_parts(c, b, &results->beats[b], parts);
        (void)snprintf(name, sizeof name, "beat/%zu", b);
        MT_TRY(mt_h5_group(w->h5, name));
        for (size_t k = 0; k < n; k++) MT_TRY(put(w, &parts[k]));
    }
    return MT_OK;
}

static mt_status put_peaks(writing *w, const mt_monodomain *problem, const mt_results *results)
{
    const part p = {"stimulus/peak", MT_H5_DOUBLE, problem->n_stimuli, "mV", results->peak_mV};
    if (!results->peak_mV) return MT_OK;
    MT_TRY(mt_h5_group(w->h5, "stimulus"));
    return put(w, &p);
}

/* Puts the state of the conduction system, and its completed beats. */
static mt_status put_conduction(
    mt_arena *scratch, writing *w, const mt_checkpoint *c, const mt_results *results)
{
    part state = {.name = "conduction/state", .type = MT_H5_DOUBLE},
         beats = {.name = "conduction/beats", .type = MT_H5_DOUBLE};
    double *values, *times_ms;
    if (!results->conducting) return MT_OK;
    const size_t n_places = results->conducting->n_places;
    state.n = mt_conducting_size(results->conducting->conduction);
    beats.n = c->n_beats * n_places;
    MT_ALLOC(scratch, values, state.n);
    MT_ALLOC(scratch, times_ms, beats.n);
    mt_conducting_save(results->conducting, values);
    for (size_t b = 0; b < c->n_beats; b++)
        memcpy(times_ms + b * n_places, results->conduction_ms[b], n_places * sizeof *times_ms);
    state.values = values;
    beats.values = times_ms;
    MT_TRY(mt_h5_group(w->h5, "conduction"));
    MT_TRY(put(w, &state));
    return put(w, &beats);
}

static mt_status put_counts(mt_arena *scratch, writing *w, const mt_backend *backend, void *self)
{
    part p = {.name = "machine/count", .type = MT_H5_INT64};
    uint64_t *counts;
    if (!backend->count) return MT_OK;
    MT_TRY(backend->count(self, scratch, &p.n, &counts));
    p.values = counts;
    MT_TRY(mt_h5_group(w->h5, "machine"));
    return put(w, &p);
}

static mt_status put_segments(mt_arena *scratch, writing *w, const mt_segments *segments)
{
    mt_segments_flat flat;
    part parts[SEGMENT_PARTS];
    MT_TRY(mt_segments_flatten(scratch, segments, &flat));
    MT_TRY(mt_h5_group(w->h5, "segment"));
    segment_parts(&flat, parts);
    for (int k = 0; k < SEGMENT_PARTS; k++) MT_TRY(put(w, &parts[k]));
    return MT_OK;
}

static mt_status put_about(mt_h5 *h5, const mt_checkpoint *c, const char *sum)
{
    const int64_t version = MT_CHECKPOINT_VERSION, step = (int64_t)c->step, record = c->records_all,
                  kept = c->stored, beats = (int64_t)c->n_beats, stepping = c->stepping;
    MT_TRY(mt_h5_group(h5, group));
    MT_TRY(mt_h5_write_integers(h5, group, "version", 1, &version));
    if (c->at_vertices) MT_TRY(mt_h5_write_integers(h5, group, "vertices", 1, (int64_t[]){1}));
    if (c->conduction[0]) MT_TRY(mt_h5_write_text(h5, group, "conduction", c->conduction));
    MT_TRY(mt_h5_write_integers(h5, group, "step", 1, &step));
    MT_TRY(mt_h5_write_integers(h5, group, "record", 1, &record));
    MT_TRY(mt_h5_write_integers(h5, group, "stepping", 1, &stepping));
    MT_TRY(mt_h5_write_integers(h5, group, "kept", 1, &kept));
    MT_TRY(mt_h5_write_integers(h5, group, "beats", 1, &beats));
    MT_TRY(mt_h5_write_text(h5, group, "backend", c->backend));
    MT_TRY(mt_h5_write_text(h5, group, "model", c->model));
    MT_TRY(mt_h5_write_text(h5, group, "mesh", c->mesh));
    MT_TRY(mt_h5_write_text(h5, group, "diffusion", c->diffusion));
    MT_TRY(mt_h5_write_text(h5, group, "machine", c->machine));
    return mt_h5_write_text(h5, group, "sum", sum);
}

static mt_status put_all(mt_arena *scratch, writing *w, const mt_checkpoint *c, const mt_monodomain *problem,
    const mt_results *results, const mt_backend *backend, void *self)
{
    char *text, sum[MT_HASH_SIZE];
    const size_t n = strlen(c->case_text);
    MT_ALLOC(scratch, text, n + 1);
    memcpy(text, c->case_text, n);
    mt_status status = put(w, &(part){"case", MT_H5_UINT8, n, NULL, text});
    if (status == MT_OK) status = put_arrays(w, problem, backend, self);
    if (status == MT_OK) status = put_beats(w, c, results);
    if (status == MT_OK) status = put_peaks(w, problem, results);
    if (status == MT_OK) status = put_conduction(scratch, w, c, results);
    if (status == MT_OK) status = put_counts(scratch, w, backend, self);
    if (status == MT_OK) status = put_segments(scratch, w, &c->segments);
    mt_hash_end(&w->sum, sum);
    if (status == MT_OK) status = put_about(w->h5, c, sum);
    return status == MT_OK && lists_states(c) ? put_states(scratch, w->h5, problem->model) : status;
}

static mt_status write_with(mt_arena *scratch, mt_h5 *h5, const char *path, const mt_monodomain *problem,
    const mt_results *results, const mt_backend *backend, void *self, mt_checkpoint *c)
{
    const size_t n = problem->diffusion->n_unknowns;
    writing w = {.h5 = h5};
    MT_TRY(describe(problem, c));
    if (backend->fingerprint) MT_TRY(backend->fingerprint(self, c->machine));
    MT_ALLOC(scratch, w.values, n);
    if (backend->single) MT_ALLOC(scratch, w.single, n);
    MT_TRY(mt_h5_create(path, h5));
    MT_TRY(mt_hash_begin(&w.sum));
    add_about_to_sum(&w.sum, c);
    MT_TRY(put_all(scratch, &w, c, problem, results, backend, self));
    return mt_h5_commit(h5);
}

mt_status mt_checkpoint_write(const char *path, const mt_monodomain *problem, const mt_results *results,
    const mt_backend *backend, void *self, const mt_segments *segments, const char *case_text)
{
    MT_SCRATCH(scratch);
    MT_H5_SCOPE(h5);
    mt_checkpoint c = {.step = segments->segment[segments->n - 1].end,
        .n_elements = problem->diffusion->n_unknowns,
        .segments = *segments,
        .case_text = case_text};
    if (results->beats) c.n_beats = mt_record_beat(&problem->record, c.step);
    (void)snprintf(c.backend, sizeof c.backend, "%s", backend->name);
    return write_with(scratch, h5, path, problem, results, backend, self, &c);
}

/* ---- reading ---- */

/* A file being read, with work space for an array in both precisions. */
typedef struct reading {
    mt_h5 h5;
    mt_hash sum;
    double *values;
    float *single;
} reading;

static mt_status get(reading *r, const part *p)
{
    MT_TRY(mt_h5_read(&r->h5, p->name, p->type, 1, &p->n, p->values));
    add_to_sum(&r->sum, p);
    return MT_OK;
}

/* Returns the number of values of a dataset, 0 if it does not exist. */
static mt_status look_for(reading *r, const char *name, size_t *n)
{
    bool has;
    *n = 0;
    MT_TRY(mt_h5_has(&r->h5, name, &has));
    return has ? mt_h5_shape(&r->h5, name, 1, n) : MT_OK;
}

/* The destination of the arrays that are read. */
typedef struct destination {
    const mt_backend *backend;
    void *self;
    mt_results *results;
    bool anew;     /* True to read only V and the states, for a new simulation */
    bool counting; /* True if the machine continues its counts, if these have the same size */
} destination;

/* Translates the number of an array in the file to that of the problem; false if the problem does not read it.
 * The numbers of states depend on the number of recorded arrays. */
static bool goes_to(
    const destination *to, const mt_monodomain *there, const mt_monodomain *here, size_t *array)
{
    if (!to || (to->anew && mt_array_is_recorded(there, *array))) return false;
    if (to->anew && *array >= mt_array_paced(there)) return false;
    if (*array >= mt_array_states(there)) *array = *array - mt_array_states(there) + mt_array_states(here);
    return true;
}

/* Reads all arrays; `to` NULL: without storing them. */
static mt_status get_arrays(
    reading *r, const mt_checkpoint *c, const mt_monodomain *problem, bool single, const destination *to)
{
    mt_monodomain there = *problem;
    there.record.all = c->records_all;
    there.stepping = c->stepping;
    for (size_t k = 0; k < mt_arrays(&there); k++) {
        size_t array = k;
        const part p = single ? array_part(&there, k, MT_H5_FLOAT, r->single)
                              : array_part(&there, k, MT_H5_DOUBLE, r->values);
        MT_TRY(get(r, &p));
        for (size_t e = 0; single && e < p.n; e++) r->values[e] = (double)r->single[e];
        if (goes_to(to, &there, problem, &array)) to->backend->write(to->self, array, r->values);
    }
    return MT_OK;
}

/* Reads the arrays of a beat into `records`, if it has any. */
static mt_status get_beat(reading *r, const mt_checkpoint *c, size_t beat, const mt_records *records)
{
    part parts[1 + MT_RECORDED];
    const size_t n = beat_parts(c, beat, records, parts);
    for (size_t k = 0; k < n; k++) {
        if (!parts[k].values) parts[k].values = r->values;
        MT_TRY(get(r, &parts[k]));
    }
    return MT_OK;
}

static mt_status get_beats(reading *r, const mt_checkpoint *c, const destination *to)
{
    const mt_records *beats = to && to->results && !to->anew ? to->results->beats : NULL;
    for (size_t b = 0; b < c->n_beats; b++) MT_TRY(get_beat(r, c, b, beats ? &beats[b] : NULL));
    return MT_OK;
}

static mt_status get_peaks(mt_arena *scratch, reading *r, const mt_monodomain *problem, const destination *to)
{
    part p = {.name = "stimulus/peak", .type = MT_H5_DOUBLE};
    MT_TRY(look_for(r, p.name, &p.n));
    if (p.n == 0) return MT_OK;
    double *peak_mV;
    MT_ALLOC(scratch, peak_mV, p.n);
    p.values = peak_mV;
    MT_TRY(get(r, &p));
    if (to && to->results && !to->anew && to->results->peak_mV && p.n == problem->n_stimuli)
        memcpy(to->results->peak_mV, peak_mV, p.n * sizeof *peak_mV);
    return MT_OK;
}

/* Reads one dataset of the conduction system; *values is NULL if it does not exist. */
static mt_status get_numbers(mt_arena *scratch, reading *r, const char *name, size_t *n, double **values)
{
    part p = {.type = MT_H5_DOUBLE};
    (void)snprintf(p.name, sizeof p.name, "%s", name);
    MT_TRY(look_for(r, name, n));
    *values = NULL;
    if (*n == 0) return MT_OK;
    MT_ALLOC(scratch, *values, *n);
    p.n = *n;
    p.values = *values;
    return get(r, &p);
}

/* Reads the conduction system, and restores it if the problem has one; a new simulation begins without activations. */
static mt_status get_conduction(mt_arena *scratch, reading *r, const mt_checkpoint *c, const destination *to)
{
    mt_conducting *conducting = to && to->results ? to->results->conducting : NULL;
    double *values, *times_ms;
    size_t n, n_times;
    MT_TRY(get_numbers(scratch, r, "conduction/state", &n, &values));
    MT_TRY(get_numbers(scratch, r, "conduction/beats", &n_times, &times_ms));
    if (!conducting) return MT_OK;
    const size_t n_places = conducting->n_places;
    if (n != mt_conducting_size(conducting->conduction) || (!to->anew && n_times != c->n_beats * n_places))
        return mt_fail(
            MT_INPUT, "%s: damaged: %zu and %zu numbers of the conduction system", c->path, n, n_times);
    mt_conducting_restore(conducting, values);
    if (to->anew) mt_conducting_begin_beat(conducting, 0);
    for (size_t b = 0; !to->anew && b < c->n_beats; b++)
        memcpy(to->results->conduction_ms[b], times_ms + b * n_places, n_places * sizeof *times_ms);
    return MT_OK;
}

static mt_status get_counts(mt_arena *scratch, reading *r, destination *to)
{
    part p = {.name = "machine/count", .type = MT_H5_INT64};
    uint64_t *counts, *there;
    size_t n = 0;
    MT_TRY(look_for(r, p.name, &p.n));
    if (to && p.n == 0) to->counting = false;
    if (p.n == 0) return MT_OK;
    MT_ALLOC(scratch, counts, p.n);
    p.values = counts;
    MT_TRY(get(r, &p));
    if (!to || !to->counting) return MT_OK;
    MT_TRY(to->backend->count(to->self, scratch, &n, &there));
    to->counting = n == p.n;
    if (to->counting) to->backend->recount(to->self, counts);
    return MT_OK;
}

/* Reads the arrays of segments into `arena`. */
static mt_status read_segments(mt_arena *arena, mt_h5 *h5, mt_segments_flat *flat)
{
    part parts[SEGMENT_PARTS];
    size_t n_begin;
    MT_TRY(mt_h5_shape(h5, "segment/begin", 1, &n_begin));
    MT_TRY(mt_h5_shape(h5, "segment/words", 1, &flat->n_words));
    flat->n = n_begin > 0 ? n_begin - 1 : 0;
    MT_ALLOC(arena, flat->begin, flat->n + 1);
    MT_ALLOC(arena, flat->count, flat->n * MT_SEGMENT_COUNTS);
    MT_ALLOC(arena, flat->clock_hz, flat->n);
    MT_ALLOC(arena, flat->words, flat->n_words);
    segment_parts(flat, parts);
    for (int k = 0; k < SEGMENT_PARTS; k++)
        MT_TRY(mt_h5_read(h5, parts[k].name, parts[k].type, 1, &parts[k].n, parts[k].values));
    return MT_OK;
}

static mt_status sum_segments(mt_arena *scratch, reading *r)
{
    mt_segments_flat flat;
    part parts[SEGMENT_PARTS];
    MT_TRY(read_segments(scratch, &r->h5, &flat));
    segment_parts(&flat, parts);
    for (int k = 0; k < SEGMENT_PARTS; k++) add_to_sum(&r->sum, &parts[k]);
    return MT_OK;
}

static mt_status refuse(const mt_checkpoint *c, const char *why)
{
    return mt_fail(MT_INPUT, "%s: %s", c->path, why);
}

/* Reads the complete file after the metadata; `to` NULL: only for its checksum. */
static mt_status read_through(
    mt_arena *scratch, reading *r, const mt_checkpoint *c, const mt_monodomain *problem, destination *to)
{
    const mt_backend *from = mt_backend_find(c->backend);
    char sum[MT_HASH_SIZE], found[MT_HASH_SIZE];
    part text = {.name = "case", .type = MT_H5_UINT8, .n = strlen(c->case_text)};
    unsigned char *bytes;
    if (!from) return mt_fail_in(c->path, MT_INPUT);
    MT_ALLOC(scratch, r->values, c->n_elements);
    if (from->single) MT_ALLOC(scratch, r->single, c->n_elements);
    MT_ALLOC(scratch, bytes, text.n);
    text.values = bytes;
    add_about_to_sum(&r->sum, c);
    MT_TRY(get(r, &text));
    MT_TRY(get_arrays(r, c, problem, from->single, to));
    MT_TRY(get_beats(r, c, to));
    MT_TRY(get_peaks(scratch, r, problem, to));
    MT_TRY(get_conduction(scratch, r, c, to));
    MT_TRY(get_counts(scratch, r, to));
    MT_TRY(sum_segments(scratch, r));
    mt_hash_end(&r->sum, found);
    MT_TRY(mt_h5_read_text(&r->h5, group, "sum", sum, sizeof sum));
    return strcmp(sum, found) == 0 ? MT_OK : refuse(c, "damaged: checksum mismatch");
}

static mt_status read_file(const mt_checkpoint *c, const mt_monodomain *problem, destination *to)
{
    MT_SCRATCH(scratch);
    reading r = {0};
    mt_status status = mt_h5_open(c->path, &r.h5);
    if (status == MT_OK) status = mt_hash_begin(&r.sum);
    if (status == MT_OK) status = read_through(scratch, &r, c, problem, to);
    if (r.sum.state) mt_hash_end(&r.sum, (char[MT_HASH_SIZE]){0});
    mt_h5_close(&r.h5);
    return status;
}

static mt_status get_case(mt_arena *arena, mt_h5 *h5, mt_checkpoint *c)
{
    size_t n;
    char *text;
    MT_TRY(mt_h5_shape(h5, "case", 1, &n));
    MT_ALLOC(arena, text, n + 1);
    MT_TRY(mt_h5_read(h5, "case", MT_H5_UINT8, 1, &n, text));
    c->case_text = text;
    return strlen(text) == n ? MT_OK : refuse(c, "damaged: its case is not text");
}

static mt_status get_segments(mt_arena *arena, mt_h5 *h5, mt_checkpoint *c)
{
    mt_segments_flat flat;
    MT_TRY(read_segments(arena, h5, &flat));
    const mt_status status = mt_segments_unflatten(arena, &flat, &c->segments);
    if (status == MT_MEMORY) return status;
    if (status == MT_OK && c->segments.segment[c->segments.n - 1].end == c->step) return MT_OK;
    return refuse(c, "damaged: invalid segments");
}

static mt_status get_about(mt_arena *arena, mt_h5 *h5, mt_checkpoint *c)
{
    int64_t version = 0, step = 0, record = 0, kept = 0, beats = 0, stepping = 0;
    bool has;
    MT_TRY(mt_h5_has(h5, group, &has));
    if (!has) return refuse(c, "not a checkpoint");
    MT_TRY(mt_h5_read_integers(h5, group, "version", 1, &version));
    if (version != MT_CHECKPOINT_VERSION)
        return mt_fail(MT_INPUT, "%s: checkpoint version %lld; allowed: %d", c->path, (long long)version,
            MT_CHECKPOINT_VERSION);
    MT_TRY(mt_h5_read_integers(h5, group, "step", 1, &step));
    MT_TRY(mt_h5_read_integers(h5, group, "record", 1, &record));
    MT_TRY(mt_h5_read_integers(h5, group, "stepping", 1, &stepping));
    MT_TRY(mt_h5_read_integers(h5, group, "kept", 1, &kept));
    MT_TRY(mt_h5_read_integers(h5, group, "beats", 1, &beats));
    MT_TRY(mt_h5_read_text(h5, group, "backend", c->backend, sizeof c->backend));
    MT_TRY(mt_h5_read_text(h5, group, "model", c->model, sizeof c->model));
    MT_TRY(mt_h5_read_text(h5, group, "mesh", c->mesh, sizeof c->mesh));
    MT_TRY(mt_h5_read_text(h5, group, "diffusion", c->diffusion, sizeof c->diffusion));
    MT_TRY(mt_h5_read_text(h5, group, "machine", c->machine, sizeof c->machine));
    MT_TRY(mt_h5_has_attribute(h5, group, "vertices", &c->at_vertices));
    MT_TRY(mt_h5_has_attribute(h5, group, "conduction", &has));
    if (has) MT_TRY(mt_h5_read_text(h5, group, "conduction", c->conduction, sizeof c->conduction));
    if (step < 0 || beats < 0 || kept < 0 || kept >> MT_RECORDED != 0)
        return refuse(c, "damaged: invalid step, number of beats or recorded quantities");
    c->step = (size_t)step;
    c->stored = (uint32_t)kept;
    c->n_beats = (size_t)beats;
    c->records_all = record != 0;
    c->stepping = stepping ? MT_STEPPING_MULTIRATE : MT_STEPPING_UNIFORM;
    MT_TRY(mt_h5_shape(h5, "array/V", 1, &c->n_elements));
    MT_TRY(get_segments(arena, h5, c));
    return get_case(arena, h5, c);
}

/* Verifies a file without a problem. A minimal problem suffices, since only the names of its arrays are read. `named`: has the names of
 * states, if the file lists them. */
static mt_status look_through(const mt_checkpoint *c, const mt_cell_model *named)
{
    const mt_diffusion no_operator = {.n_unknowns = c->n_elements};
    mt_monodomain problem = {.diffusion = &no_operator, .model = named};
    if (!lists_states(c)) MT_TRY(mt_fail_in(c->path, mt_cell_model_find(c->model, &problem.model)));
    return read_file(c, &problem, NULL);
}

mt_status mt_checkpoint_open(mt_arena *arena, const char *path, mt_checkpoint *checkpoint)
{
    MT_H5_SCOPE(h5);
    MT_SCRATCH(scratch);
    mt_cell_model named = {0};
    *checkpoint = (mt_checkpoint){0};
    if (snprintf(checkpoint->path, sizeof checkpoint->path, "%s", path) >= (int)sizeof checkpoint->path)
        return mt_fail(MT_INPUT, "%s: the path is too long", path);
    MT_TRY(mt_h5_open(path, h5));
    MT_TRY(get_about(arena, h5, checkpoint));
    if (lists_states(checkpoint)) MT_TRY(get_states(scratch, h5, &named));
    mt_h5_close(h5);
    return look_through(checkpoint, &named);
}

/* Sets *differs if the conduction system of a checkpoint differs from this one by its stepping alone. */
static mt_status differs_in_stepping(
    const mt_checkpoint *checkpoint, const mt_conduction *conduction, bool *differs)
{
    mt_conduction other = *conduction;
    char text[MT_HASH_SIZE];
    other.stepping = checkpoint->stepping;
    MT_TRY(mt_conduction_fingerprint(&other, text));
    *differs = strcmp(checkpoint->conduction, text) == 0;
    return MT_OK;
}

static mt_status refuse_stepping(const mt_checkpoint *checkpoint, mt_stepping here)
{
    return mt_fail(MT_INPUT, "%s: from a run with %s stepping; here %s", checkpoint->path,
        mt_stepping_name[checkpoint->stepping], mt_stepping_name[here]);
}

static mt_status check_conduction(const mt_checkpoint *checkpoint, const mt_monodomain *problem)
{
    char conduction[MT_HASH_SIZE];
    bool by_stepping;
    if (!problem->conduction) return MT_OK;
    MT_TRY(mt_conduction_fingerprint(problem->conduction, conduction));
    if (strcmp(checkpoint->conduction, conduction) == 0) return MT_OK;
    MT_TRY(differs_in_stepping(checkpoint, problem->conduction, &by_stepping));
    if (by_stepping) return refuse_stepping(checkpoint, problem->conduction->stepping);
    return refuse(checkpoint, checkpoint->conduction[0] ? "from a run with another conduction system"
                                                        : "from a run without a conduction system");
}

mt_status mt_checkpoint_check_start(const mt_checkpoint *checkpoint, const mt_monodomain *problem)
{
    char mesh[MT_HASH_SIZE];
    const bool at_vertices = problem->diffusion->nodal != NULL;
    MT_TRY(mt_mesh_hash(problem->mesh, mesh));
    if (checkpoint->at_vertices != at_vertices)
        return mt_fail(MT_INPUT, "%s: from a run with diffusion.discretisation %s; here %s", checkpoint->path,
            checkpoint->at_vertices ? "nodes" : "elements", at_vertices ? "nodes" : "elements");
    if (checkpoint->n_elements != problem->diffusion->n_unknowns)
        return mt_fail(MT_INPUT, "%s: from another mesh, with %zu conducting %s; here %zu", checkpoint->path,
            checkpoint->n_elements, at_vertices ? "vertices" : "elements", problem->diffusion->n_unknowns);
    if (strcmp(checkpoint->mesh, mesh) != 0)
        return refuse(checkpoint, "from another mesh with the same number of elements");
    MT_TRY(check_conduction(checkpoint, problem));
    if (strcmp(checkpoint->model, problem->model->identity) == 0) return MT_OK;
    return mt_fail(MT_INPUT, "%s: from a run of the ionic model %s; here %s", checkpoint->path,
        checkpoint->model, problem->model->identity);
}

mt_status mt_checkpoint_check(const mt_checkpoint *checkpoint, const mt_monodomain *problem)
{
    char diffusion[MT_HASH_SIZE];
    MT_TRY(mt_checkpoint_check_start(checkpoint, problem));
    if (checkpoint->records_all != problem->record.all || checkpoint->stored != problem->record.stored ||
        checkpoint->n_beats != mt_record_beat(&problem->record, checkpoint->step))
        return refuse(checkpoint, "from a run that recorded other maps");
    if (checkpoint->stepping != problem->stepping) return refuse_stepping(checkpoint, problem->stepping);
    MT_TRY(mt_diffusion_fingerprint(problem->diffusion, diffusion));
    if (strcmp(checkpoint->diffusion, diffusion) == 0) return MT_OK;
    return refuse(checkpoint,
        "from a run with another diffusion operator: another tissue, or another version of myotile");
}

mt_status mt_checkpoint_restore(const mt_checkpoint *checkpoint, const mt_monodomain *problem,
    mt_results *results, const mt_backend *backend, void *self, bool *counted)
{
    char machine[MT_HASH_SIZE] = "";
    if (backend->fingerprint) MT_TRY(backend->fingerprint(self, machine));
    destination to = {
        backend, self, results, false, backend->fingerprint && strcmp(machine, checkpoint->machine) == 0};
    MT_TRY(read_file(checkpoint, problem, &to));
    backend->resume(self, checkpoint->step);
    *counted = to.counting;
    return MT_OK;
}

mt_status mt_checkpoint_start(const mt_checkpoint *checkpoint, const mt_monodomain *problem,
    mt_results *results, const mt_backend *backend, void *self)
{
    MT_TRY(read_file(checkpoint, problem, &(destination){backend, self, results, true, false}));
    backend->resume(self, 0);
    return MT_OK;
}
