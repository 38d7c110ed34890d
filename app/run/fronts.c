#include "app/run/fronts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/run/measured_front.h"
#include "data/core/progress.h"
#include "mesh/vertex_share.h"
#include "solver/diffusion/spreading.h"

enum { PARALLEL_FROM = 16384 }; /* elements */

/* ---- the kinds of cells in each tissue ---- */

typedef struct finding {
    mt_arena *arena;
    const mt_case *input;
    const mt_mesh *mesh;
    const mt_adjacency *adjacency;
    const mt_media *media;
    const mt_monodomain *cells;
    const mt_cell_variant *variants;
    size_t n_variants;
    mt_diffusion_scheme scheme;
    bool cached, fits;         /* fits: false if the strengths are given */
    bool at_vertices, chooses; /* chooses: the errors of both discretisations are compared */
    bool alone;                /* only one discretisation is measured */
    mt_tissue *tissue;         /* [media.n] */
    double (*upstroke)[MT_CALIBRATION_UPSTROKE]; /* [fronts] of the measured ones */
    mt_fronts *fronts;
} finding;

/* Computes the element size of each front, with the sizes of elements and their neighbours. */
static mt_status find_lengths(const finding *f)
{
    MT_SCRATCH(scratch);
    const size_t n = f->mesh->n_elements;
    double *volume_mm3, *weighted, *of_front_mm3;
    mt_fronts *fronts = f->fronts;
    MT_ALLOC(scratch, volume_mm3, n);
    MT_ALLOC(scratch, weighted, n);
    MT_ALLOC(scratch, of_front_mm3, fronts->n);
    mt_mesh_volumes_mm3(f->mesh, volume_mm3);
#pragma omp parallel for schedule(static) if (n >= PARALLEL_FROM)
    for (size_t e = 0; e < n; e++) {
        double sum_mm3 = volume_mm3[e];
        for (size_t side = 0; side < 4; side++)
            sum_mm3 += volume_mm3[mt_adjacency_or_own(f->adjacency->neighbour, e, side)];
        const double around_mm = cbrt(sum_mm3 / 5);
        weighted[e] = volume_mm3[e] * around_mm * around_mm;
    }
    for (size_t e = 0; e < n; e++) { /* in the order of the elements, which defines the rounding */
        const size_t k = fronts->spreading.of[e];
        fronts->front[k].length_mm += weighted[e];
        of_front_mm3[k] += volume_mm3[e];
    }
    for (size_t k = 0; k < fronts->n; k++)
        fronts->front[k].length_mm = sqrt(fronts->front[k].length_mm / of_front_mm3[k]);
    return MT_OK;
}

/* Finds the front of each vertex: its cells in the tissue with the largest volume of its elements, the first of equals. Without such
 * elements the first front of its cells, or 0. */
static mt_status find_of_vertices(const finding *f)
{
    MT_SCRATCH(scratch);
    const size_t n = f->mesh->n_vertices, n_media = f->media->n;
    const uint16_t *variant_of = f->cells->variant_of;
    uint16_t *of, *medium = NULL, *first;
    MT_ALLOC(f->arena, of, n);
    MT_ALLOC(scratch, first, f->n_variants * n_media);
    if (f->media->of) MT_TRY(mt_vertex_share_largest(scratch, f->mesh, n_media, f->media->of, &medium));
    for (size_t pair = 0; pair < f->n_variants * n_media; pair++) {
        const mt_front *front = f->fronts->front;
        size_t same = 0, k = 0;
        for (; k < f->fronts->n && front[k].variant * n_media + front[k].medium != pair; k++) {}
        for (; same < f->fronts->n && front[same].variant != pair / n_media; same++) {}
        first[pair] = (uint16_t)(k < f->fronts->n ? k : same < f->fronts->n ? same : 0);
    }
    for (size_t v = 0; v < n; v++)
        of[v] = first[(variant_of ? variant_of[v] : f->cells->variant) * n_media + (medium ? medium[v] : 0)];
    f->fronts->of_unknown = of;
    return MT_OK;
}

/* Returns the variant of an element: of most of its vertices, the first of equals, if the cells are there. */
static size_t variant_at(const finding *f, size_t element)
{
    const uint16_t *variant_of = f->cells->variant_of;
    const uint32_t *vertex = f->mesh->element_vertex + 4 * element;
    size_t most = 0, variant = f->cells->variant;
    if (!variant_of) return variant;
    if (!f->at_vertices) return variant_of[element];
    for (size_t i = 0; i < 4; i++) {
        size_t n = 0;
        for (size_t j = 0; j < 4; j++) n += variant_of[vertex[j]] == variant_of[vertex[i]];
        if (n > most) most = n, variant = variant_of[vertex[i]];
    }
    return variant;
}

/* Numbers the pairs of variant and medium in use, in the order of their first elements. */
static mt_status number_fronts(finding *f)
{
    MT_SCRATCH(scratch);
    const size_t n_media = f->media->n, n_pairs = n_media * f->n_variants;
    uint16_t *number, *of;
    mt_fronts *fronts = f->fronts;
    MT_ALLOC(scratch, number, n_pairs);
    MT_ALLOC(f->arena, of, f->mesh->n_elements);
    MT_ALLOC(f->arena, fronts->front, n_pairs < UINT16_MAX ? n_pairs : UINT16_MAX);
    for (size_t e = 0; e < f->mesh->n_elements; e++) {
        const size_t variant = variant_at(f, e), medium = f->media->of ? f->media->of[e] : 0,
                     pair = variant * n_media + medium;
        if (number[pair] == 0) {
            if (fronts->n == UINT16_MAX)
                return mt_fail(MT_INPUT,
                    "more than %d combinations of cells and tissues; allowed: at most %d", UINT16_MAX,
                    UINT16_MAX);
            fronts->front[fronts->n++] =
                (mt_front){.variant = variant, .medium = medium, .name = f->variants[variant].name};
            number[pair] = (uint16_t)fronts->n;
        }
        of[e] = (uint16_t)(number[pair] - 1);
        fronts->front[of[e]].n_elements++;
    }
    fronts->spreading.of = of;
    fronts->of_unknown = of;
    if (f->at_vertices) MT_TRY(find_of_vertices(f));
    return find_lengths(f);
}

/* True if the cells are a variant of the model with its own parameters. */
static bool has_own_parameters(const mt_cell_model *model, const mt_cell_variant *variant)
{
    for (size_t v = 0; v < model->n_variants; v++)
        if (memcmp(model->variants[v].parameters, variant->parameters,
                model->n_parameters * sizeof *variant->parameters) == 0)
            return false;
    return true;
}

/* Returns D_l / D_t relative to the default tissue. */
static double relative_anisotropy(const mt_tissue *tissue)
{
    return mt_tissue_diffusivity_l(tissue) / mt_tissue_diffusivity_t(tissue) *
           (mt_tissue_diffusivity_t(&mt_tissue_default) / mt_tissue_diffusivity_l(&mt_tissue_default));
}

static bool has_unusual_anisotropy(const mt_tissue *tissue)
{
    const double ratio = relative_anisotropy(tissue);
    return fmax(ratio, 1 / ratio) > MT_FRONTS_ANISOTROPY;
}

/* Returns the tissue in which the wavefronts are measured: with another transverse conductivity if the anisotropy is out of range. */
static mt_tissue measured_tissue(const mt_tissue *tissue)
{
    const double ratio = relative_anisotropy(tissue);
    mt_tissue measured = *tissue;
    measured.sigma_t_mS_mm *= ratio / fmin(fmax(ratio, 1 / MT_FRONTS_MEASURED), MT_FRONTS_MEASURED);
    return measured;
}

/* Returns the strength in the case, or the default strength of the scheme. */
static double given_strength(const finding *f, const mt_front *front)
{
    const size_t k = (size_t)(front - f->fronts->front);
    if (f->at_vertices) return f->input->diffusion.nodal_spreading;
    return f->input->diffusion.n_spreading_of_cells > 0 ? f->input->diffusion.spreading_of_cells[k]
                                                        : f->scheme.spreading;
}

/* Returns an earlier front in the same tissue, on elements of nearly the same size, with the same upstroke and strength; NULL if there is
 * none. A case with the strengths that were found has the same pairs. */
static const mt_front *find_like(const finding *f, size_t k)
{
    const mt_front *front = &f->fronts->front[k];
    for (size_t i = 0; i < k; i++) {
        const mt_front *other = &f->fronts->front[i];
        const double ratio = other->length_mm / front->length_mm;
        if (!other->measured || other->medium != front->medium || fmax(ratio, 1 / ratio) > 1.1) continue;
        if (given_strength(f, other) != given_strength(f, front)) continue;
        if (mt_calibration_same_upstroke(f->upstroke[i], f->upstroke[k])) return other;
    }
    return NULL;
}

/* True if a variant of the model has this upstroke. */
static bool is_of_model(const finding *f, const double *upstroke)
{
    const mt_cell_model *model = f->cells->model;
    for (size_t v = 0; v < model->n_variants; v++) {
        double own[MT_CALIBRATION_UPSTROKE];
        mt_calibration_upstroke(model, &model->variants[v], f->input->time.dt_ms, own);
        if (mt_calibration_same_upstroke(own, upstroke)) return true;
    }
    return false;
}

/* Measures a front, whose upstroke is known. */
static mt_status measure_with(const finding *f, const double *upstroke, mt_front *front)
{
    const mt_tissue tissue = measured_tissue(&f->tissue[front->medium]);
    const double strength = given_strength(f, front);
    const mt_corner corner = {.model = f->cells->model,
        .cells = &f->variants[front->variant],
        .tissue = &tissue,
        .length_mm = front->length_mm,
        .dt_ms = f->input->time.dt_ms,
        .at_vertices = f->at_vertices};
    const mt_measuring measuring = {.corner = &corner,
        .scheme = &f->scheme,
        .strength = front->fits && !f->at_vertices ? NULL : &strength,
        .fits_other = front->fits,
        .upstroke = upstroke,
        .interval_ms = f->fronts->interval_ms,
        .other = f->alone     ? MT_OTHER_NONE
                 : f->chooses ? MT_OTHER_EARLY
                              : MT_OTHER_RESTED};
    mt_measured measured;
    MT_TRY(mt_measured_find(&measuring, f->cached, &measured));
    front->measured = true;
    front->calibration = measured.calibration;
    front->other = measured.other;
    front->early = measured.early;
    front->other_early = measured.other_early;
    front->conducts_early = measured.conducts_early;
    return MT_OK;
}

/* Copies the measurement of another front. */
static void share(const mt_front *from, mt_front *front)
{
    const mt_front own = *front;
    *front = *from;
    front->variant = own.variant, front->medium = own.medium;
    front->name = own.name;
    front->n_elements = own.n_elements;
    front->length_mm = own.length_mm;
    front->fits = own.fits;
    front->shared = true;
}

static mt_status measure_front(finding *f, size_t k)
{
    mt_front *front = &f->fronts->front[k];
    const mt_cell_variant *cells = &f->variants[front->variant];
    const mt_tissue tissue = measured_tissue(&f->tissue[front->medium]);
    const bool known = f->cells->model->n_delays > 0, unusual = has_unusual_anisotropy(&tissue),
               own = !known || has_own_parameters(f->cells->model, cells),
               needed = f->at_vertices || !isnan(f->fronts->interval_ms) ||
                        given_strength(f, front) != f->scheme.spreading;
    bool ordinary = !own;
    if (ordinary && !unusual && !needed) return MT_OK;
    mt_calibration_upstroke(f->cells->model, cells, f->input->time.dt_ms, f->upstroke[k]);
    if (own) ordinary = known && is_of_model(f, f->upstroke[k]);
    if (ordinary && !unusual && !needed) return MT_OK;
    front->fits = f->fits && (!ordinary || unusual);
    const bool shares = f->fits || f->input->diffusion.n_spreading_of_cells > 0;
    const mt_front *like = shares ? find_like(f, k) : NULL;
    if (!like) return measure_with(f, f->upstroke[k], front);
    share(like, front);
    return MT_OK;
}

/* ---- the laws ---- */

static mt_status set_nodal_laws(finding *f)
{
    mt_fronts *fronts = f->fronts;
    mt_nodal_law *law;
    MT_ALLOC(f->arena, law, fronts->n);
    for (size_t k = 0; k < fronts->n; k++) law[k] = fronts->front[k].calibration.nodal;
    const size_t n = f->input->diffusion.nodal_spreading > 0 ? fronts->n : 0;
    fronts->nodal = (mt_nodal_spreading){n, law, fronts->spreading.of};
    return MT_OK;
}

static mt_status set_laws(finding *f)
{
    mt_fronts *fronts = f->fronts;
    if (f->at_vertices) return set_nodal_laws(f);
    const mt_spreading_law of_scheme = mt_spreading_law_of(&f->scheme);
    mt_spreading_law *law;
    bool own = false;
    MT_ALLOC(f->arena, law, fronts->n);
    for (size_t k = 0; k < fronts->n; k++) {
        const mt_front *front = &fronts->front[k];
        law[k] = front->measured ? front->calibration.law : of_scheme;
        own |= law[k].beta != of_scheme.beta;
    }
    fronts->spreading.law = law;
    fronts->spreading.n = own ? fronts->n : 0;
    return MT_OK;
}

/* Returns the shortest interval between two pulses that is a coupling interval; NaN if cells recover before every pulse. */
static double shortest_interval(const mt_case *input)
{
    double shortest_ms = NAN;
    for (size_t a = 0; a < input->n_stimuli; a++)
        for (size_t b = 0; b < input->n_stimuli; b++) {
            const double first = input->stimuli[a].start_ms, second = input->stimuli[b].start_ms,
                         period = input->stimuli[b].count > 1 ? input->stimuli[b].period_ms : INFINITY,
                         between[] = {second - first, period};
            for (int k = 0; k < 2; k++)
                if (between[k] >= MT_FRONTS_BEAT_MS && between[k] < MT_FRONTS_RECOVERED_MS)
                    shortest_ms = fmin(shortest_ms, between[k]);
        }
    return shortest_ms;
}

/* Prepares the measurement of fronts, without a mesh. */
static mt_status begin(mt_arena *scratch, const mt_case *input, const mt_media *media,
    const mt_monodomain *cells, bool cached, mt_fronts *fronts, finding *f)
{
    *f = (finding){.input = input,
        .media = media,
        .cells = cells,
        .scheme = mt_case_scheme(input),
        .cached = cached,
        .at_vertices = mt_case_at_vertices(input),
        .chooses = !isnan(input->diffusion.accuracy_percent),
        .fronts = fronts};
    f->variants = mt_monodomain_variants(cells, &f->n_variants);
    f->fits = mt_diffusion_scheme_same(&f->scheme, &mt_diffusion_scheme_default) &&
              input->diffusion.n_spreading_of_cells == 0;
    MT_ALLOC(scratch, f->tissue, media->n);
    for (size_t k = 0; k < media->n; k++) f->tissue[k] = mt_medium_tissue(&media->medium[k]);
    return MT_OK;
}

mt_status mt_fronts_make(mt_arena *arena, const mt_case *input, const mt_mesh *mesh,
    const mt_adjacency *adjacency, const mt_media *media, const mt_monodomain *cells, bool cached,
    mt_fronts *fronts)
{
    MT_SCRATCH(scratch);
    finding f;
    *fronts = (mt_fronts){.interval_ms = shortest_interval(input)};
    MT_TRY(begin(scratch, input, media, cells, cached, fronts, &f));
    f.arena = arena;
    f.mesh = mesh;
    f.adjacency = adjacency;
    MT_TRY(number_fronts(&f));
    const size_t n_fixed = input->diffusion.n_spreading_of_cells;
    if (n_fixed > 0 && n_fixed != fronts->n)
        return mt_fail(MT_INPUT,
            "diffusion.spreading_of_cells: %zu numbers; allowed: %zu, one for each kind of cells in each "
            "tissue",
            n_fixed, fronts->n);
    MT_ALLOC(scratch, f.upstroke, fronts->n);
    mt_progress_stage("calibrating the reaction spreading");
    for (size_t k = 0; k < fronts->n; k++) MT_TRY(mt_fail_in(fronts->front[k].name, measure_front(&f, k)));
    return set_laws(&f);
}

mt_status mt_front_resize(const mt_case *input, const mt_media *media, const mt_monodomain *cells,
    bool cached, double interval_ms, double length_mm, const mt_front *front, double *rms)
{
    MT_SCRATCH(scratch);
    mt_front at = *front;
    mt_fronts alone = {.n = 1, .interval_ms = interval_ms, .front = &at};
    double upstroke[MT_CALIBRATION_UPSTROKE];
    finding f;
    MT_TRY(begin(scratch, input, media, cells, cached, &alone, &f));
    f.alone = true;
    mt_calibration_upstroke(cells->model, &f.variants[at.variant], input->time.dt_ms, upstroke);
    at.length_mm = length_mm;
    MT_TRY(measure_with(&f, upstroke, &at));
    *rms = fmax(at.calibration.errors.rms, at.conducts_early ? at.early.rms : 0);
    return MT_OK;
}

bool mt_fronts_same(const mt_fronts *a, const mt_fronts *b, size_t n_elements)
{
    const mt_spreading *x = &a->spreading, *y = &b->spreading;
    const mt_nodal_spreading *v = &a->nodal, *w = &b->nodal;
    if (v->n != w->n) return false;
    for (size_t e = 0; v->n > 0 && e < n_elements; e++)
        if (memcmp(&v->law[v->of[e]], &w->law[w->of[e]], sizeof *v->law) != 0) return false;
    if (x->n == 0 || y->n == 0) return x->n == y->n;
    for (size_t e = 0; e < n_elements; e++) {
        const mt_spreading_law *p = &x->law[x->of[e]], *q = &y->law[y->of[e]];
        if (p->beta != q->beta || p->reaction_ms != q->reaction_ms || p->limits_kappa != q->limits_kappa)
            return false;
    }
    return true;
}

mt_status mt_fronts_fix(mt_arena *arena, const mt_fronts *fronts, mt_case *input)
{
    const size_t n = fronts->spreading.n;
    double *beta;
    if (n == 0 || input->diffusion.n_spreading_of_cells > 0) return MT_OK;
    MT_ALLOC(arena, beta, n);
    for (size_t k = 0; k < n; k++) beta[k] = fronts->spreading.law[k].beta;
    input->diffusion.spreading_of_cells = beta;
    input->diffusion.n_spreading_of_cells = n;
    return MT_OK;
}

/* ---- warnings ---- */

static bool is_large(const mt_corner_errors *errors) { return !(100 * errors->rms < MT_FRONTS_WARN_PERCENT); }

bool mt_front_is_inaccurate(const mt_front *front)
{
    return front->measured && !isnan(front->calibration.speed_l_mm_ms) &&
           is_large(&front->calibration.errors);
}

/* Writes "about 12 % off", with the directions, or that propagation fails. */
static void error_text(const mt_corner_errors *errors, char *text, size_t size)
{
    if (!isfinite(errors->mean))
        (void)snprintf(text, size,
            "none: in a slab of such elements propagation fails, on a converged cable it succeeds");
    else
        (void)snprintf(text, size,
            "about %.*f %% off (root mean square over all directions; longitudinal %+.0f %%, transverse "
            "%+.0f %%; positive: late)",
            errors->rms < 0.1 ? 1 : 0, 100 * errors->rms, 100 * errors->sector[0],
            100 * errors->sector[MT_CORNER_SECTORS - 1]);
}

static void warn_of_early(const char *name, const mt_front *front, double interval_ms, double allowed_percent)
{
    char text[160];
    if (isnan(interval_ms)) return;
    if (!front->conducts_early) {
        mt_warn("%s: cells \"%s\": found %.4g ms as the shortest coupling interval; these cells do not "
                "conduct then, not even along a converged cable",
            name, front->name, interval_ms);
        return;
    }
    if (!is_large(&front->early) || 100 * front->early.rms <= allowed_percent) return;
    error_text(&front->early, text, sizeof text);
    mt_warn("%s: cells \"%s\": found element size %.3g mm; expected activation times at the shortest "
            "coupling interval, %.4g ms: %s; block may be due to the element size",
        name, front->name, front->length_mm, interval_ms, text);
}

void mt_fronts_warn(const char *name, const mt_fronts *fronts, double allowed_percent)
{
    for (size_t k = 0; k < fronts->n; k++) {
        const mt_front *front = &fronts->front[k];
        char text[160];
        if (!front->measured || front->shared) continue;
        if (isnan(front->calibration.speed_l_mm_ms)) {
            mt_warn("%s: cells \"%s\": found no propagation along a converged cable; these %zu elements will "
                    "not conduct",
                name, front->name, front->n_elements);
            continue;
        }
        if (mt_front_is_inaccurate(front) && !(100 * front->calibration.errors.rms <= allowed_percent)) {
            error_text(&front->calibration.errors, text, sizeof text);
            mt_warn("%s: cells \"%s\": found element size %.3g mm; expected activation times: %s; `myotile "
                    "mesh refine` halves the element size",
                name, front->name, front->length_mm, text);
        }
        warn_of_early(name, front, fronts->interval_ms, allowed_percent);
    }
}

/* A pulse of a stimulus of the case without capture in any of its parts. */
typedef struct lost {
    const mt_capture *capture; /* of the last part; NULL: a part captured, or there are no parts */
    const mt_front *front; /* the most inaccurate at the shortest coupling interval; NULL: all are accurate */
} lost;

/* Replaces the front by a more inaccurate one of the unknowns of a stimulus. */
static void find_inaccurate(const mt_fronts *fronts, const mt_stimulus *stimulus, const mt_front **worst)
{
    for (size_t k = 0; k < stimulus->n_elements; k++) {
        const mt_front *front = &fronts->front[fronts->of_unknown[stimulus->element[k]]];
        if (!front->measured || !front->conducts_early || !is_large(&front->early)) continue;
        if (!*worst || !(front->early.rms <= (*worst)->early.rms)) *worst = front;
    }
}

static lost find_lost(
    const mt_monodomain *problem, const mt_results *results, const mt_fronts *fronts, size_t stimulus)
{
    lost l = {0};
    for (size_t part = 0; part < problem->n_stimuli; part++) {
        if (mt_monodomain_stimulus_of(problem, part) != stimulus) continue;
        if (results->capture[part].lost == 0) return (lost){0};
        l.capture = &results->capture[part];
        find_inaccurate(fronts, &problem->stimulus[part], &l.front);
    }
    return l;
}

void mt_fronts_warn_of_block(const char *path, const mt_case *input, const mt_monodomain *problem,
    const mt_results *results, const mt_fronts *fronts)
{
    if (isnan(fronts->interval_ms) || !results->capture) return;
    for (size_t s = 0; s < input->n_stimuli; s++) {
        const lost l = find_lost(problem, results, fronts, s);
        char text[160];
        if (!l.capture || !l.front || input->stimuli[s].site) continue;
        error_text(&l.front->early, text, sizeof text);
        mt_warn(
            "%s: stimuli.%zu: found no capture at %.5g ms in cells \"%s\" with an element size of %.3g mm; "
            "expected activation times at the shortest coupling interval, %.4g ms: %s; this block may be "
            "due to the element size: a run on the mesh of `myotile mesh refine` decides",
            path, s, l.capture->first_lost_ms, l.front->name, l.front->length_mm, fronts->interval_ms, text);
    }
}
