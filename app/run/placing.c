#include "app/run/placing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/core/progress.h"

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

/* Returns the expected error of a front that was measured with voltages at the vertices; 0 if its cells do not conduct. */
static double error_of(const mt_front *front, bool at_vertices)
{
    const mt_corner_errors *rested = at_vertices ? &front->calibration.errors : &front->other,
                           *early = at_vertices ? &front->early : &front->other_early;
    if (isnan(front->calibration.speed_l_mm_ms)) return 0;
    return 100 * fmax(rested->rms, front->conducts_early ? early->rms : 0);
}

/* True if a front comes before another one in the order of decreasing errors. */
static bool is_before(const mt_fronts *fronts, bool at_vertices, size_t a, size_t b)
{
    const double x = error_of(&fronts->front[a], at_vertices), y = error_of(&fronts->front[b], at_vertices);
    return x > y || (x == y && a < b);
}

/* Returns the front with the expected error of the discretisation. */
static const mt_front *worst_of(const mt_fronts *fronts, bool at_vertices, size_t n_elements)
{
    size_t k = SIZE_MAX, n = 0;
    do {
        size_t next = SIZE_MAX;
        for (size_t i = 0; i < fronts->n; i++)
            if ((k == SIZE_MAX || is_before(fronts, at_vertices, k, i)) &&
                (next == SIZE_MAX || is_before(fronts, at_vertices, i, next)))
                next = i;
        k = next;
        n += fronts->front[k].n_elements;
    } while (isfinite(error_of(&fronts->front[k], at_vertices)) &&
             (double)n < MT_PLACING_SHARE * (double)n_elements);
    return &fronts->front[k];
}

/* ---- a missed accuracy ---- */

typedef struct missed {
    const mt_case *input;
    const mt_media *media;
    const mt_monodomain *cells;
    bool cached, at_vertices;
    double interval_ms, allowed_percent;
} missed;

/* Finds an element size that is accurate enough for a front; NaN if none is found. Errors are not exactly proportional to squares of sizes,
 * as the spreading depends on the size. */
static mt_status find_size(const missed *m, const mt_front *worst, double *length_mm)
{
    enum { TRIALS = 10 };
    mt_front front = *worst;
    double found = error_of(&front, m->at_vertices);
    *length_mm = NAN;
    for (int k = 0; k < TRIALS && !(found <= m->allowed_percent); k++) {
        const double factor = isfinite(found) ? 0.97 * sqrt(m->allowed_percent / found) : 0.7;
        MT_TRY(mt_front_resize(m->input, m->media, m->cells, m->cached, m->interval_ms,
            fmax(factor, 0.4) * front.length_mm, &front));
        found = error_of(&front, m->at_vertices);
    }
    if (found <= m->allowed_percent) *length_mm = front.length_mm;
    return MT_OK;
}

/* Writes an error, such as "6.8 %". */
static const char *percent_text(double percent, char text[32])
{
    if (isfinite(percent))
        (void)snprintf(text, 32, "%.*f %%", percent < 9.95 ? 1 : 0, percent);
    else
        (void)snprintf(text, 32, "propagation fails");
    return text;
}

static mt_status warn_of_missed(
    const char *name, const missed *m, const mt_placing *placing, const mt_front *worst)
{
    char found[32], other[32], reached[96] = "", exact[32];
    double length_mm;
    MT_TRY(find_size(m, worst, &length_mm));
    if (!isnan(length_mm))
        (void)snprintf(reached, sizeof reached, ", reached with an element size of %.3g mm",
            floor(1000 * length_mm) / 1000);
    (void)snprintf(exact, sizeof exact, "%.4g", placing->allowed_percent);
    mt_warn("%s: diffusion.accuracy_percent: %s: found an expected error of activation times of %s with "
            "voltages at the %s, in cells \"%s\" with an element size of %.3g mm (at the %s: %s); allowed: "
            "at most %s %%%s; `myotile mesh refine` halves the element size",
        name, exact, percent_text(placing->error_percent[m->at_vertices], found), places[m->at_vertices],
        worst->name, worst->length_mm, places[!m->at_vertices],
        percent_text(placing->error_percent[!m->at_vertices], other), exact, reached);
    return MT_OK;
}

/* ---- the choice ---- */

mt_status mt_placing_make(const char *name, const mt_case *input, const mt_fronts *fronts, size_t n_elements,
    const mt_media *media, const mt_monodomain *cells, bool cached, mt_placing *placing)
{
    const mt_front *worst[2];
    const double allowed = mt_case_accuracy_percent(input);
    *placing = (mt_placing){.automatic = true, .allowed_percent = allowed};
    for (int at = 0; at < 2; at++) {
        worst[at] = worst_of(fronts, at, n_elements);
        placing->error_percent[at] = error_of(worst[at], at);
    }
    const double of_elements = placing->error_percent[0], of_vertices = placing->error_percent[1];
    const bool taken = of_vertices <= allowed || of_vertices < of_elements;
    placing->at_vertices = taken;
    if (placing->error_percent[taken] <= allowed) return MT_OK;
    const missed m = {input, media, cells, cached, taken, fronts->interval_ms, allowed};
    return warn_of_missed(name, &m, placing, worst[taken]);
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
