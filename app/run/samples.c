#include "app/run/samples.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "data/files/folder.h"
#include "data/core/hash.h"
#include "data/files/input.h"
#include "mesh/names.h"
#include "solver/conduction/conducting.h"

static const char *const file_name[MT_SAMPLES] = {[MT_SAMPLE_TRACES] = "traces.frames",
    [MT_SAMPLE_SERIES] = "series.frames",
    [MT_SAMPLE_ECG] = "ecg.frames",
    [MT_SAMPLE_NETWORK] = "network.frames"};

/* ---- requested samples ---- */

/* Returns the number of points of the cables. */
static size_t n_points(const mt_sampling *s) { return s->problem->monodomain.conduction->cables.n_points; }

static const mt_case_samples *asked(const mt_sampling *s, mt_sample what)
{
    return what == MT_SAMPLE_TRACES ? &s->input->traces : &s->input->series.samples;
}

static mt_status list_fields(mt_arena *arena, mt_sampling *s, mt_sample what)
{
    const size_t n = 1 + mt_case_model(s->input)->n_states;
    MT_ALLOC(arena, s->field[what], n);
    for (size_t f = 0; f < n; f++)
        if (mt_case_samples_has(asked(s, what), f)) s->field[what][s->n_fields[what]++] = f;
    return MT_OK;
}

/* Lists the unknowns that the values at the points use. */
static mt_status list_near(mt_arena *arena, mt_sampling *s)
{
    const mt_probes *probes = &s->problem->probes;
    const size_t n = mt_unknowns_count(&s->problem->unknowns);
    uint8_t *needed;
    if (!s->wanted[MT_SAMPLE_TRACES]) return MT_OK;
    MT_ALLOC(arena, needed, n);
    for (size_t p = 0; p < probes->n_points; p++)
        mt_probes_needs(probes, p, &s->problem->mesh, &s->problem->diffusion, needed);
    for (size_t u = 0; u < n; u++) s->n_near += needed[u];
    MT_ALLOC(arena, s->near, s->n_near);
    for (size_t u = 0, k = 0; u < n; u++)
        if (needed[u]) s->near[k++] = (uint32_t)u;
    return MT_OK;
}

/* Removes the vertices of other elements from the part, and lists its vertices in the problem. */
static mt_status select_vertices(mt_arena *arena, mt_sampling *s)
{
    const uint32_t *number = s->problem->mesh.vertex_number;
    size_t v = 0;
    MT_TRY(mt_unknowns_mesh(arena, &s->part, &s->part));
    s->n_part = s->part.n_vertices;
    s->of = NULL;
    if (s->n_part == s->problem->mesh.n_vertices) return MT_OK;
    MT_ALLOC(arena, s->of, s->n_part);
    for (size_t k = 0; k < s->n_part; k++, v++) {
        while ((number ? number[v] : v) != s->part.vertex_number[k]) v++;
        s->of[k] = (uint32_t)v;
    }
    return MT_OK;
}

/* Selects the conducting elements with the tag series.tag. */
static mt_status select_part(mt_arena *arena, mt_sampling *s)
{
    const mt_mesh *mesh = &s->problem->mesh;
    const char *text = s->input->series.tag;
    int32_t tag;
    uint8_t *keep;
    s->part = *mesh;
    s->n_part = mt_unknowns_count(&s->problem->unknowns);
    if (!s->wanted[MT_SAMPLE_SERIES] || !text[0]) return MT_OK;
    MT_TRY(mt_fail_in("series.tag", mt_names_find(&s->problem->whole, MT_NAMES_ELEMENTS, text, &tag)));
    MT_ALLOC(arena, keep, mesh->n_elements);
    MT_ALLOC(arena, s->of, mesh->n_elements);
    size_t n = 0;
    for (size_t e = 0; e < mesh->n_elements; e++) {
        keep[e] = mesh->region[e] == tag;
        if (keep[e]) s->of[n++] = (uint32_t)e;
    }
    if (n == 0)
        return mt_fail(MT_INPUT,
            "series.tag: no conducting element has the tag %.60s; allowed: a tag of the mesh", text);
    MT_TRY(mt_mesh_select(arena, mesh, keep, &s->part));
    for (size_t k = 0; k < n; k++) s->part.number[k] = (uint32_t)mt_mesh_number(mesh, s->of[k]);
    s->n_part = n;
    return s->problem->unknowns.at_vertices ? select_vertices(arena, s) : MT_OK;
}

static mt_status make_ecg(mt_arena *arena, mt_sampling *s)
{
    const mt_case *c = s->input;
    const mt_problem *p = s->problem;
    mt_electrode *electrode;
    if (c->n_electrodes == 0) return MT_OK;
    MT_ALLOC(arena, s->phi_mV, c->n_electrodes);
    MT_ALLOC(arena, electrode, c->n_electrodes);
    for (size_t k = 0; k < c->n_electrodes; k++) {
        electrode[k].name = c->electrodes[k].name;
        memcpy(electrode[k].at_mm, c->electrodes[k].at_mm, sizeof electrode[k].at_mm);
    }
    return mt_fail_in("electrodes", mt_ecg_make(arena, &p->unknowns, &p->adjacency, &p->media,
                                        c->ecg.bath_mS_mm, c->n_electrodes, electrode, &s->ecg));
}

/* The moments of a kind. An ECG has a constant interval, and the network is sampled with the series. */
static mt_moments_request request_of(const mt_sampling *s, mt_sample what)
{
    static const mt_moments_request none = {.every_ms = NAN};
    const mt_case *c = s->input;
    if (what == MT_SAMPLE_ECG)
        return (mt_moments_request){.every_ms = c->n_electrodes > 0 ? c->ecg.every_ms : NAN};
    if (what != MT_SAMPLE_NETWORK) return asked(s, what)->when;
    return s->problem->monodomain.conduction ? c->series.samples.when : none;
}

/* Computes the moments of each kind. */
static mt_status find_moments(mt_arena *arena, mt_sampling *s)
{
    static const char *const key[] = {[MT_SAMPLE_TRACES] = "traces",
        [MT_SAMPLE_SERIES] = "series",
        [MT_SAMPLE_ECG] = "ecg",
        [MT_SAMPLE_NETWORK] = "series"};
    const mt_case *c = s->input;
    for (int k = 0; k < MT_SAMPLES; k++) {
        const mt_moments_request when = request_of(s, (mt_sample)k);
        s->wanted[k] = mt_moments_any(&when);
        s->any |= s->wanted[k];
        MT_TRY(mt_moments_make(arena, key[k], &when, c->time.dt_ms, c->time.end_ms, &s->when[k]));
    }
    return MT_OK;
}

mt_status mt_sampling_make(mt_arena *arena, const mt_case *input, const mt_problem *problem, mt_sampling *s)
{
    *s = (mt_sampling){.input = input, .problem = problem};
    MT_TRY(find_moments(arena, s));
    if (!s->any) return MT_OK;
    s->v_step = SIZE_MAX;
    MT_ALLOC(arena, s->v_mV, mt_unknowns_count(&problem->unknowns));
    MT_ALLOC(arena, s->value, mt_unknowns_count(&problem->unknowns));
    MT_TRY(list_near(arena, s));
    MT_TRY(list_fields(arena, s, MT_SAMPLE_TRACES));
    MT_TRY(list_fields(arena, s, MT_SAMPLE_SERIES));
    MT_TRY(select_part(arena, s));
    if (s->wanted[MT_SAMPLE_NETWORK]) MT_ALLOC(arena, s->network_mV, n_points(s));
    return make_ecg(arena, s);
}

/* ---- the files ---- */

/* Computes a fingerprint of all inputs of the values that a checkpoint does not contain. */
static mt_status fingerprint(const mt_sampling *s, mt_sample what, char text[MT_HASH_SIZE])
{
    const mt_case *c = s->input;
    const mt_case_point *point = what == MT_SAMPLE_ECG ? c->electrodes : c->points;
    const size_t n = what == MT_SAMPLE_ECG ? c->n_electrodes : what == MT_SAMPLE_TRACES ? c->n_points : 0;
    const uint64_t every = s->when[what].every; /* without the list, which may be longer in a resumed run */
    char mesh[MT_HASH_SIZE];                    /* or network */
    mt_hash hash;
    if (what == MT_SAMPLE_NETWORK)
        MT_TRY(mt_conduction_fingerprint(s->problem->monodomain.conduction, mesh));
    else
        MT_TRY(mt_mesh_hash(&s->part, mesh));
    MT_TRY(mt_hash_begin(&hash));
    mt_hash_add(&hash, mesh, strlen(mesh));
    mt_hash_add(&hash, &c->time.dt_ms, sizeof c->time.dt_ms);
    mt_hash_add(&hash, &every, sizeof every);
    if (s->problem->unknowns.at_vertices) mt_hash_add(&hash, "vertices", 8);
    if (what == MT_SAMPLE_ECG) mt_hash_add(&hash, &c->ecg.bath_mS_mm, sizeof c->ecg.bath_mS_mm);
    for (size_t k = 0; k < n; k++) mt_hash_add(&hash, point[k].at_mm, sizeof point[k].at_mm);
    mt_hash_end(&hash, text);
    return MT_OK;
}

/* Returns the number of values of a field in a frame. */
static size_t count_values(const mt_sampling *s, mt_sample what)
{
    switch (what) {
    case MT_SAMPLE_SERIES:
        return s->n_part;
    case MT_SAMPLE_ECG:
        return s->input->n_electrodes;
    case MT_SAMPLE_NETWORK:
        return n_points(s);
    default:
        return s->input->n_points;
    }
}

/* Describes a file of frames; its names and fingerprint are in `arena`. */
static mt_status describe(mt_arena *arena, const mt_sampling *s, mt_sample what, mt_frames_about *about)
{
    const char **name;
    char *print;
    const bool of_ecg = what == MT_SAMPLE_ECG, single = of_ecg || what == MT_SAMPLE_NETWORK;
    *about = (mt_frames_about){.n_values = count_values(s, what), .n_fields = single ? 1 : s->n_fields[what]};
    MT_ALLOC(arena, name, about->n_fields);
    MT_ALLOC(arena, print, MT_HASH_SIZE);
    for (size_t f = 0; f < about->n_fields; f++)
        name[f] = of_ecg ? "phi" : single ? "V" : mt_case_field(s->input, s->field[what][f]).name;
    MT_TRY(fingerprint(s, what, print));
    about->field = name;
    about->fingerprint = print;
    return MT_OK;
}

static mt_status copy_file(const char *from, const char *to)
{
    char buffer[1 << 16];
    mt_file file;
    size_t n;
    FILE *in;
    MT_TRY(mt_input_open(from, &in));
    mt_status status = mt_file_begin(to, &file);
    while (status == MT_OK && (n = fread(buffer, 1, sizeof buffer, in)) > 0)
        (void)fwrite(buffer, 1, n, file.stream);
    (void)fclose(in);
    return status == MT_OK ? mt_file_end(&file, MT_OK) : status;
}

/* Returns the number of frames up to a step. */
static size_t count_due(const mt_moments *when, size_t step)
{
    size_t n = 0;
    for (size_t next = mt_moments_next(when, 0); next <= step; next = mt_moments_next(when, next + 1)) n++;
    return n;
}

/* Opens the frames of a resumed run, which must have each frame that was due. */
static mt_status go_on(mt_arena *arena, mt_sampling *s, mt_sample what, const char *path,
    const mt_frames_about *about, const char *from, size_t from_step)
{
    char there[MT_FILE_PATH_MAX];
    const size_t due = count_due(&s->when[what], from_step);
    MT_TRY(mt_folder_path(from, file_name[what], there));
    if (due == 0 && access(there, F_OK) != 0) return mt_frames_create(arena, path, about, &s->frames[what]);
    if (!mt_file_same(there, path)) MT_TRY(copy_file(there, path));
    MT_TRY(mt_frames_resume(arena, path, about, (int64_t)from_step, &s->frames[what]));
    if (s->frames[what].n == due) return MT_OK;
    return mt_fail(
        MT_INPUT, "%s: found %zu of the %zu frames up to the checkpoint", there, s->frames[what].n, due);
}

static mt_status open_one(
    mt_arena *arena, mt_sampling *s, mt_sample what, const char *path, const char *from, size_t from_step)
{
    mt_frames_about about;
    if (!s->wanted[what]) return mt_file_remove(path);
    MT_TRY(describe(arena, s, what, &about));
    if (from_step > 0) return go_on(arena, s, what, path, &about, from, from_step);
    return mt_frames_create(arena, path, &about, &s->frames[what]);
}

mt_status mt_sampling_open(
    mt_arena *arena, mt_sampling *s, const char *folder, const char *from, size_t from_step)
{
    const bool here = from_step > 0 && mt_file_same(folder, from);
    mt_status status = MT_OK;
    char path[MT_FILE_PATH_MAX];
    if (s->any) mt_folder_keep(folder); /* before the first file exists: a signal may arrive in between */
    for (int k = 0; k < MT_SAMPLES && status == MT_OK; k++) {
        status = mt_folder_path(folder, file_name[k], path);
        if (status == MT_OK) status = open_one(arena, s, (mt_sample)k, path, from, from_step);
        if (status != MT_OK && s->wanted[k] && !here) (void)unlink(path);
    }
    if (status == MT_OK) return MT_OK;
    mt_sampling_close(s, !here);
    if (s->any) mt_folder_unkeep(folder);
    return status;
}

mt_status mt_sampling_open_in_memory(mt_arena *arena, mt_sampling *s)
{
    mt_frames_about about;
    for (int k = 0; k < MT_SAMPLES; k++) {
        if (!s->wanted[k]) continue;
        mt_status status = describe(arena, s, (mt_sample)k, &about);
        if (status == MT_OK) status = mt_frames_create_in_memory(arena, &about, &s->frames[k]);
        if (status == MT_OK) continue;
        mt_sampling_close(s, false);
        return status;
    }
    return MT_OK;
}

mt_status mt_sampling_sync(mt_sampling *s)
{
    for (int k = 0; k < MT_SAMPLES; k++)
        if (s->wanted[k]) MT_TRY(mt_frames_sync(&s->frames[k]));
    return MT_OK;
}

void mt_sampling_close(mt_sampling *s, bool remove)
{
    for (int k = 0; k < MT_SAMPLES; k++) {
        if (!s->frames[k].open) continue;
        mt_frames_close(&s->frames[k]);
        if (remove) (void)unlink(s->frames[k].path);
    }
}

/* ---- taking ---- */

typedef struct taking {
    mt_sampling *s;
    const mt_backend *backend;
    void *self;
    size_t step;
} taking;

/* Streams a field of all unknowns of the problem, or at least of those near the points. V of all is streamed once at a step. */
static mt_status stream_field(const taking *t, size_t field, bool near, const double **value)
{
    mt_sampling *s = t->s;
    const size_t array = field == 0 ? MT_ARRAY_V : mt_array_states(&s->problem->monodomain) + field - 1;
    *value = s->v_mV;
    if (field == 0 && s->v_step == t->step) return MT_OK;
    if (field == 0 && !near) {
        s->v_step = t->step;
        return t->backend->stream(t->self, array, 0, NULL, s->v_mV);
    }
    *value = s->value;
    return t->backend->stream(t->self, array, s->n_near, near ? s->near : NULL, s->value);
}

static mt_status give_points(void *context, size_t field, float *values)
{
    const taking *t = context;
    const mt_sampling *s = t->s;
    const mt_probes *probes = &s->problem->probes;
    const double *value;
    MT_TRY(stream_field(t, s->field[MT_SAMPLE_TRACES][field], true, &value));
    for (size_t k = 0; k < probes->n_points; k++)
        values[k] = (float)mt_probes_state(probes, k, &s->problem->mesh, &s->problem->diffusion, value);
    return MT_OK;
}

static mt_status give_frame(void *context, size_t field, float *values)
{
    const taking *t = context;
    const mt_sampling *s = t->s;
    const double *value;
    MT_TRY(stream_field(t, s->field[MT_SAMPLE_SERIES][field], false, &value));
    for (size_t k = 0; k < s->n_part; k++) values[k] = (float)value[s->of ? s->of[k] : k];
    return MT_OK;
}

static mt_status give_potentials(void *context, size_t field, float *values)
{
    const taking *t = context;
    const mt_sampling *s = t->s;
    const double *v_mV;
    (void)field;
    MT_TRY(stream_field(t, 0, false, &v_mV));
    mt_ecg_potentials(&s->ecg, v_mV, s->phi_mV);
    for (size_t k = 0; k < s->ecg.n; k++) values[k] = (float)s->phi_mV[k];
    return MT_OK;
}

static mt_status give_network(void *context, size_t field, float *values)
{
    const mt_sampling *s = ((const taking *)context)->s;
    (void)field;
    mt_conducting_voltages(s->conducting, s->network_mV);
    for (size_t k = 0; k < n_points(s); k++) values[k] = (float)s->network_mV[k];
    return MT_OK;
}

/* Takes kinds that need V of all elements first, so that later ones reuse it. */
mt_status mt_sampling_take(mt_sampling *s, const mt_backend *backend, void *self, size_t steps_done)
{
    static const struct {
        mt_sample what;
        mt_frames_read_field *give;
    } all[] = {{MT_SAMPLE_ECG, give_potentials}, {MT_SAMPLE_SERIES, give_frame},
        {MT_SAMPLE_TRACES, give_points}, {MT_SAMPLE_NETWORK, give_network}};
    taking t = {s, backend, self, steps_done};
    for (size_t k = 0; s->any && k < sizeof all / sizeof *all; k++) {
        if (mt_moments_next(&s->when[all[k].what], steps_done) != steps_done) continue;
        MT_TRY(mt_frames_append(&s->frames[all[k].what], (int64_t)steps_done,
            (double)steps_done * s->input->time.dt_ms, all[k].give, &t));
    }
    return MT_OK;
}
