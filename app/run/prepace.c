#include "app/run/prepace.h"

#include <string.h>

#include "data/core/progress.h"
#include "data/files/cache.h"

/* The pacing of a variant. */
typedef struct pacing {
    const mt_cell_model *model;
    const mt_cell_variant *variant; /* at rest */
    double dt_ms;
    const mt_pulses *pulses;
} pacing;

/* ---- cached data: V and the states ---- */

static const char kind[] = "paced";

static void add_number(mt_hash *hash, uint64_t number) { mt_hash_add(hash, &number, sizeof number); }

/* Computes the key. `first`: [1 + n_states] V and states after the first beat. */
static mt_status make_key(const pacing *p, const double *first, char key[MT_HASH_SIZE])
{
    const mt_cell_model *model = p->model;
    const mt_pulses *pulses = p->pulses;
    const double times[] = {
        p->dt_ms, pulses->bcl_ms, pulses->start_ms, pulses->duration_ms, pulses->rise_mV_ms};
    mt_hash hash;
    MT_TRY(mt_hash_begin(&hash));
    add_number(&hash, MT_PREPACE_VERSION);
    mt_hash_add(&hash, model->identity, strlen(model->identity) + 1);
    add_number(&hash, model->n_parameters);
    add_number(&hash, model->n_states);
    mt_hash_add(&hash, p->variant->parameters, model->n_parameters * sizeof(double));
    mt_hash_add(&hash, &p->variant->v_mV, sizeof(double));
    mt_hash_add(&hash, p->variant->states, model->n_states * sizeof(double));
    mt_hash_add(&hash, times, sizeof times);
    add_number(&hash, pulses->beats);
    if (pulses->carried) add_number(&hash, 1); /* the key of others has no such number */
    mt_hash_add(&hash, first, (1 + model->n_states) * sizeof *first);
    mt_hash_end(&hash, key);
    return MT_OK;
}

/* True if the cache has an entry with this key; then reads its n numbers. */
static bool find(mt_arena *scratch, const char key[MT_HASH_SIZE], size_t n, double *number)
{
    const void *bytes;
    size_t n_bytes;
    if (!mt_cache_find(scratch, kind, key, &bytes, &n_bytes) || n_bytes != n * sizeof *number) return false;
    memcpy(number, bytes, n_bytes);
    return true;
}

/* ---- pacing ---- */

static bool tell(void *user, size_t beats)
{
    const pacing *p = user;
    mt_progress_stage_part(p->variant->name, (double)beats / (double)p->pulses->beats);
    return true;
}

/* Computes V and states at the end of the given number of beats, from rest. */
static mt_status pace(const pacing *p, size_t beats, double *number)
{
    mt_pulses pulses = *p->pulses;
    pacing told = *p;
    pulses.beats = beats;
    number[0] = p->variant->v_mV;
    memcpy(number + 1, p->variant->states, p->model->n_states * sizeof *number);
    return mt_cell_pace(p->model, p->variant, p->dt_ms, &pulses, tell, &told, number, number + 1);
}

static mt_status pace_cached(mt_arena *scratch, const pacing *p, double *number)
{
    const size_t n = 1 + p->model->n_states;
    char key[MT_HASH_SIZE];
    MT_TRY(pace(p, 1, number));
    if (p->pulses->beats == 1) return MT_OK;
    MT_TRY(make_key(p, number, key));
    if (find(scratch, key, n, number)) return MT_OK;
    MT_TRY(pace(p, p->pulses->beats, number));
    mt_cache_store(kind, key, number, n * sizeof *number);
    return MT_OK;
}

/* Replaces the initial state of a variant by the state after pacing. */
static mt_status pace_variant(mt_arena *arena, mt_arena *scratch, const mt_monodomain *problem,
    const mt_pulses *pulses, bool cached, mt_cell_variant *variant)
{
    const mt_cell_variant rest = *variant;
    const pacing p = {problem->model, &rest, problem->dt_ms, pulses};
    double *number; /* V, then the states */
    MT_ALLOC(arena, number, 1 + problem->model->n_states);
    const mt_status status = cached ? pace_cached(scratch, &p, number) : pace(&p, pulses->beats, number);
    variant->v_mV = number[0];
    variant->states = number + 1;
    return mt_fail_in(rest.name, status);
}

static mt_status pace_all(
    mt_arena *arena, mt_arena *scratch, const mt_pulses *pulses, bool cached, mt_monodomain *problem)
{
    size_t n;
    const mt_cell_variant *at_rest = mt_monodomain_variants(problem, &n);
    mt_cell_variant *variants;
    bool *used;
    MT_ALLOC(scratch, used, n);
    MT_COPY(arena, variants, at_rest, n);
    for (size_t e = 0; problem->variant_of && e < problem->diffusion->n_unknowns; e++)
        used[problem->variant_of[e]] = true;
    if (!problem->variant_of) used[problem->variant] = true;
    for (size_t v = 0; v < n; v++)
        if (used[v]) MT_TRY(pace_variant(arena, scratch, problem, pulses, cached, &variants[v]));
    problem->variants = variants;
    problem->n_variants = n;
    return MT_OK;
}

mt_status mt_prepace(mt_arena *arena, const mt_pulses *pulses, bool cached, mt_monodomain *problem)
{
    MT_SCRATCH(scratch);
    if (pulses->beats == 0) return MT_OK;
    mt_progress_stage("pacing the cells");
    return mt_fail_in("prepace", pace_all(arena, scratch, pulses, cached, problem));
}
