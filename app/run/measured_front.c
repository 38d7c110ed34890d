#include "app/run/measured_front.h"

#include <math.h>
#include <string.h>

#include "data/files/cache.h"

static const char kind[] = "front";

/* A change of the content of an entry must increment this. */
enum { VERSION = 2 };

static void add_number(mt_hash *hash, uint64_t number) { mt_hash_add(hash, &number, sizeof number); }

static mt_status make_key(const mt_measuring *m, char key[MT_HASH_SIZE])
{
    const mt_corner *corner = m->corner;
    const mt_cell_model *model = corner->model;
    const mt_cell_variant *cells = corner->cells;
    const double numbers[] = {corner->at_vertices, corner->length_mm, corner->dt_ms,
        mt_tissue_diffusivity_l(corner->tissue), mt_tissue_diffusivity_t(corner->tissue), m->scheme->damping,
        m->scheme->spreading, m->scheme->front_ms, isnan(m->interval_ms) ? 0 : m->interval_ms,
        m->strength ? *m->strength : -1, m->fits_other, m->other};
    mt_hash hash;
    MT_TRY(mt_hash_begin(&hash));
    add_number(&hash, VERSION);
    add_number(&hash, MT_CALIBRATION_VERSION);
    add_number(&hash, m->scheme->correction);
    mt_hash_add(&hash, model->identity, strlen(model->identity) + 1);
    add_number(&hash, model->n_parameters);
    add_number(&hash, model->n_states);
    mt_hash_add(&hash, cells->parameters, model->n_parameters * sizeof(double));
    mt_hash_add(&hash, &cells->v_mV, sizeof(double));
    mt_hash_add(&hash, cells->states, model->n_states * sizeof(double));
    mt_hash_add(&hash, numbers, sizeof numbers);
    mt_hash_add(&hash, m->upstroke, MT_CALIBRATION_UPSTROKE * sizeof *m->upstroke);
    mt_hash_end(&hash, key);
    return MT_OK;
}

static mt_status calibrate(
    const mt_corner *corner, const mt_diffusion_scheme *scheme, const double *strength, mt_calibration *found)
{
    return corner->at_vertices ? mt_calibrate_nodal(corner, strength ? *strength : 1, found)
                               : mt_calibrate(corner, scheme, strength, found);
}

/* Measures premature beats, unless there are none or the cells do not conduct. `early`: their cables. */
static mt_status find_early(const mt_measuring *m, const mt_corner *corner, mt_corner_cables *early,
    const mt_diffusion_scheme *scheme, const mt_calibration *found, bool *conducts, mt_corner_errors *errors)
{
    const mt_corner_method method = {scheme, &found->law, &found->nodal};
    mt_corner at = *corner;
    if (isnan(m->interval_ms) || isnan(found->speed_l_mm_ms)) return MT_OK;
    at.cables = early;
    return mt_calibration_early(&at, &method, m->interval_ms, conducts, errors);
}

/* Measures the default of the other discretisation. `early`: cables of premature beats. */
static mt_status find_other(
    const mt_measuring *m, const mt_corner *corner, mt_corner_cables *early, mt_measured *measured)
{
    mt_corner at = *corner;
    mt_calibration other;
    mt_diffusion_scheme scheme = mt_diffusion_scheme_default;
    bool conducts;
    scheme.front_ms = corner->model->front_ms;
    at.at_vertices = !corner->at_vertices;
    MT_TRY(calibrate(&at, &scheme, m->fits_other || at.at_vertices ? NULL : &scheme.spreading, &other));
    measured->other = other.errors;
    return m->other == MT_OTHER_EARLY
               ? find_early(m, &at, early, &scheme, &other, &conducts, &measured->other_early)
               : MT_OK;
}

static mt_status compute(const mt_measuring *m, mt_measured *measured)
{
    MT_SCRATCH(scratch);
    mt_cell_variant rested;
    mt_corner at = *m->corner;
    mt_corner_cables cables = {.arena = scratch}, early = {.arena = scratch};
    mt_calibration *found = &measured->calibration;
    measured->conducts_early = true;
    MT_TRY(mt_calibration_rest(scratch, at.model, at.cells, &rested));
    at.cells = &rested;
    at.cables = &cables;
    MT_TRY(calibrate(&at, m->scheme, m->strength, found));
    if (m->other != MT_OTHER_NONE) MT_TRY(find_other(m, &at, &early, measured));
    return find_early(m, &at, &early, m->scheme, found, &measured->conducts_early, &measured->early);
}

mt_status mt_measured_find(const mt_measuring *m, bool cached, mt_measured *measured)
{
    MT_SCRATCH(scratch);
    char key[MT_HASH_SIZE];
    const void *bytes;
    size_t n;
    memset(measured, 0, sizeof *measured); /* with its padding, which is stored */
    if (!cached) return compute(m, measured);
    MT_TRY(make_key(m, key));
    if (mt_cache_find(scratch, kind, key, &bytes, &n) && n == sizeof *measured) {
        memcpy(measured, bytes, n);
        return MT_OK;
    }
    MT_TRY(compute(m, measured));
    mt_cache_store(kind, key, measured, sizeof *measured);
    return MT_OK;
}
