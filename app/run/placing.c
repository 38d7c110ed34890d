#include "app/run/placing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/core/progress.h"
#include "solver/case/delay.h"

static const char *const places[] = {"elements", "vertices"};

mt_placing mt_placing_given(bool at_vertices, const char *why)
{
    mt_placing placing = {
        .automatic = true, .at_vertices = at_vertices, .allowed_percent = NAN, .error_percent = {NAN, NAN}};
    (void)snprintf(placing.why, sizeof placing.why, "%s", why);
    return placing;
}

bool mt_placing_is_measured(const mt_placing *placing) { return placing->automatic && !placing->why[0]; }

/* ---- the expected errors ---- */

/* The case and its cells, for the delays that were measured with a model. */
typedef struct fronts_of {
    const mt_case *input;
    const mt_media *media;
    const mt_monodomain *cells;
    const mt_fronts *fronts;
    size_t n_elements;
} fronts_of;

/* Returns the error of a front that was measured with voltages at the vertices; 0 if its cells do not conduct. */
static double measured_error(const mt_front *front, bool at_vertices)
{
    const mt_corner_errors *rested = at_vertices ? &front->calibration.errors : &front->other,
                           *early = at_vertices ? &front->early : &front->other_early;
    if (isnan(front->calibration.speed_l_mm_ms)) return 0;
    return 100 * fmax(rested->rms, front->conducts_early ? early->rms : 0);
}

/* Returns the expected error of a front from the one on the slab: of elements with the default law at least the error that was measured
 * with the model on many meshes. */
static double expected_error(
    const fronts_of *f, const mt_front *front, double length_mm, bool at_vertices, double measured)
{
    const mt_cell_model *model = f->cells->model;
    if (at_vertices || front->fits || model->n_delays == 0 || measured == 0) return measured;
    const mt_tissue tissue = mt_medium_tissue(&f->media->medium[front->medium]);
    return fmax(measured, fabs(mt_delay_percent(model, &mt_diffusion_scheme_default, &tissue, length_mm)));
}

static double error_of(const fronts_of *f, const mt_front *front, bool at_vertices)
{
    return expected_error(f, front, front->length_mm, at_vertices, measured_error(front, at_vertices));
}

/* True if a front comes before another one in the order of decreasing errors. */
static bool is_before(const fronts_of *f, bool at_vertices, size_t a, size_t b)
{
    const double x = error_of(f, &f->fronts->front[a], at_vertices),
                 y = error_of(f, &f->fronts->front[b], at_vertices);
    return x > y || (x == y && a < b);
}

/* Returns the front with the expected error of the discretisation. */
static const mt_front *worst_of(const fronts_of *f, bool at_vertices)
{
    const mt_front *front = f->fronts->front;
    size_t k = SIZE_MAX, n = 0;
    do {
        size_t next = SIZE_MAX;
        for (size_t i = 0; i < f->fronts->n; i++)
            if ((k == SIZE_MAX || is_before(f, at_vertices, k, i)) &&
                (next == SIZE_MAX || is_before(f, at_vertices, i, next)))
                next = i;
        k = next;
        n += front[k].n_elements;
    } while (isfinite(error_of(f, &front[k], at_vertices)) &&
             (double)n < MT_PLACING_SHARE * (double)f->n_elements);
    return &front[k];
}

/* ---- a missed accuracy ---- */

typedef struct missed {
    const fronts_of *of;
    bool cached;
    mt_case input; /* with the discretisation that was taken */
    double allowed_percent;
    const mt_front *worst;
} missed;

/* Measures the expected error with another element size. */
static mt_status measure_size(const missed *m, double length_mm, double *percent)
{
    const fronts_of *f = m->of;
    double rms;
    MT_TRY(mt_front_resize(
        &m->input, f->media, f->cells, m->cached, f->fronts->interval_ms, length_mm, m->worst, &rms));
    *percent = expected_error(f, m->worst, length_mm, mt_case_at_vertices(&m->input), 100 * rms);
    return MT_OK;
}

/* Returns the first element size to try: at most one with which wavefronts are known to propagate. */
static double first_size(const missed *m, double percent)
{
    const double sure_mm = 0.7, of_percent = 12;
    const mt_tissue tissue = mt_medium_tissue(&m->of->media->medium[m->worst->medium]);
    const double ratio = mt_delay_default_length_mm(&tissue, 1);
    return fmin(0.97 * sqrt(m->allowed_percent / fmin(percent, 100)) * m->worst->length_mm,
        sure_mm * sqrt(fmin(m->allowed_percent / of_percent, 1)) / ratio);
}

/* Finds an element size that is accurate enough for a front, and about the largest; NaN if none is found. Errors are not proportional to
 * squares of sizes, as the spreading depends on the size. */
static mt_status find_size(const missed *m, double percent, double *length_mm)
{
    enum { TRIALS = 8, HALVINGS = 3 };
    double reached_mm = first_size(m, percent), missed_mm = m->worst->length_mm;
    *length_mm = NAN;
    for (int k = 0; k < TRIALS; k++) {
        MT_TRY(measure_size(m, reached_mm, &percent));
        if (percent <= m->allowed_percent) break;
        missed_mm = reached_mm;
        reached_mm *= isfinite(percent) ? fmax(0.97 * sqrt(m->allowed_percent / percent), 0.5) : 0.7;
    }
    if (!(percent <= m->allowed_percent)) return MT_OK;
    for (int k = 0; k < HALVINGS; k++) {
        const double middle_mm = sqrt(reached_mm * fmin(missed_mm, 2 * reached_mm));
        MT_TRY(measure_size(m, middle_mm, &percent));
        *(percent <= m->allowed_percent ? &reached_mm : &missed_mm) = middle_mm;
    }
    *length_mm = reached_mm;
    return MT_OK;
}

/* Writes an error, such as "6.8 %". */
static const char *percent_text(double percent, char text[32])
{
    if (isfinite(percent))
        (void)snprintf(text, 32, "%.*f %%", percent < 19.95 ? 1 : 0, percent);
    else
        (void)snprintf(text, 32, "infinite (propagation fails)");
    return text;
}

static mt_status warn_of_missed(const char *name, const missed *m, const mt_placing *placing)
{
    const bool at = placing->at_vertices;
    const mt_front *worst = m->worst;
    char found[32], other[32], reached[96] = "", exact[32];
    double length_mm;
    MT_TRY(find_size(m, placing->error_percent[at], &length_mm));
    if (!isnan(length_mm))
        (void)snprintf(reached, sizeof reached, ", reached with an element size of %.3g mm",
            floor(1000 * length_mm) / 1000);
    (void)snprintf(exact, sizeof exact, "%.4g", placing->allowed_percent);
    mt_warn("%s: diffusion.accuracy_percent: %s: expected error of activation times: found %s with "
            "voltages at the %s, in cells \"%s\" with an element size of %.3g mm (at the %s: %s); allowed: "
            "at most %s %%%s; `myotile mesh refine` halves the element size",
        name, exact, percent_text(placing->error_percent[at], found), places[at], worst->name,
        worst->length_mm, places[!at], percent_text(placing->error_percent[!at], other), exact, reached);
    return MT_OK;
}

/* ---- the choice ---- */

mt_status mt_placing_make(const char *name, const mt_case *input, const mt_fronts *fronts, size_t n_elements,
    const mt_media *media, const mt_monodomain *cells, bool cached, mt_placing *placing)
{
    const fronts_of of = {input, media, cells, fronts, n_elements};
    const mt_front *worst[2];
    const double allowed = mt_case_accuracy_percent(input);
    *placing = (mt_placing){.automatic = true, .allowed_percent = allowed};
    for (int at = 0; at < 2; at++) {
        worst[at] = worst_of(&of, at);
        placing->error_percent[at] = error_of(&of, worst[at], at);
    }
    const bool reached = placing->error_percent[0] <= allowed || placing->error_percent[1] <= allowed;
    placing->at_vertices = reached ? placing->error_percent[1] <= allowed
                                   : error_of(&of, worst[1], true) < measured_error(worst[0], false);
    if (placing->error_percent[placing->at_vertices] <= MT_PLACING_TOLERANCE * allowed) return MT_OK;
    missed m = {&of, cached, *input, allowed, worst[placing->at_vertices]};
    m.input.diffusion.discretisation = placing->at_vertices ? MT_CASE_NODES : MT_CASE_ELEMENTS;
    return warn_of_missed(name, &m, placing);
}

const char *mt_placing_text(const mt_placing *placing, char text[MT_PLACING_TEXT])
{
    char found[32], other[32];
    const bool at = placing->at_vertices;
    text[0] = 0;
    if (!placing->automatic) return text;
    if (placing->why[0])
        (void)snprintf(text, MT_PLACING_TEXT, "voltages at the %s, %s", places[at], placing->why);
    else
        (void)snprintf(text, MT_PLACING_TEXT,
            "voltages at the %s: expected error %s, allowed %.4g %%; %s: %s, about %s the time", places[at],
            percent_text(placing->error_percent[at], found), placing->allowed_percent, places[!at],
            percent_text(placing->error_percent[!at], other), at ? "five times" : "a fifth of");
    return text;
}

void mt_placing_report(const char *path, const mt_placing *placing)
{
    char text[MT_PLACING_TEXT];
    const char *said = mt_placing_text(placing, text);
    if (said[0]) mt_note(path, said, strlen(said));
}
