#include "solver/case/findings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/core/progress.h"
#include "data/core/vec3.h"
#include "mesh/scale.h"
#include "solver/cells/pacing.h"
#include "solver/case/delay.h"
#include "solver/outputs/qrs.h"

void mt_findings_of_time(const char *file, const char *key, double found_ms, size_t used_steps, double dt_ms)
{
    if (fabs(found_ms / dt_ms - (double)used_steps) <= MT_CASE_PART_OF_A_STEP) return;
    mt_warn("%s: %s: found %.10g ms, which are %.10g steps of %g ms; used: %zu steps, %.10g ms", file, key,
        found_ms, found_ms / dt_ms, dt_ms, used_steps, (double)used_steps * dt_ms);
}

/* ---- case ---- */

enum { FAR = 4 }; /* factor outside the usual range */

/* Warns about a value far outside the usual range; NaN (not stated) is accepted. */
static void tell_if_far(const char *path, const char *where, const char *key, const char *unit, double found,
    double low, double high)
{
    if (isnan(found) || (found >= low / FAR && found <= high * FAR)) return;
    mt_warn("%s: %s%s: found %.4g %s; usual %.4g to %.4g", path, where, key, found, unit, low, high);
}

/* Conductivities: the three measured sets of four for ventricular muscle (S/m = mS/mm: longitudinal and transverse; intracellular, then
 * extracellular), by
 *    L. Clerc, J. Physiol. 255, 1976                             0.17  0.019  0.62  0.24   (used by Niederer et al. 2011)
 *    D. E. Roberts, L. T. Hersh, A. M. Scher, Circ. Res. 44, 1979  0.28  0.026  0.22  0.13
 *    D. E. Roberts, A. M. Scher, Circ. Res. 50, 1982               0.34  0.060  0.12  0.080
 * Membrane: 140 per mm and 0.01 uF/mm^2 (S. A. Niederer et al., Phil. Trans. R. Soc. A 369, 2011), 200 per mm and 0.02 uF/mm^2 (K. H. W. J.
 * ten Tusscher et al., Am. J. Physiol. Heart 286, 2004). Diffusivities: from each set with the membrane of 2011, and the isotropic 0.154
 * mm^2/ms of ten Tusscher's sheets. Normal to the sheets: as transverse. */
static void tell_medium(const char *path, const char *where, const mt_medium *medium)
{
    const struct {
        const char *key, *unit;
        double found, low, high;
    } values[] = {
        {".intracellular_l_mS_mm", "mS/mm", medium->intracellular_l_mS_mm, 0.17, 0.34},
        {".intracellular_t_mS_mm", "mS/mm", medium->intracellular_t_mS_mm, 0.019, 0.06},
        {".intracellular_n_mS_mm", "mS/mm", medium->intracellular_n_mS_mm, 0.019, 0.06},
        {".extracellular_l_mS_mm", "mS/mm", medium->extracellular_l_mS_mm, 0.12, 0.62},
        {".extracellular_t_mS_mm", "mS/mm", medium->extracellular_t_mS_mm, 0.08, 0.24},
        {".extracellular_n_mS_mm", "mS/mm", medium->extracellular_n_mS_mm, 0.08, 0.24},
        {".chi_per_mm", "per mm", medium->chi_per_mm, 140, 200},
        {".cm_uF_mm2", "uF/mm^2", medium->cm_uF_mm2, 0.01, 0.02},
    };
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++)
        tell_if_far(
            path, where, values[k].key, values[k].unit, values[k].found, values[k].low, values[k].high);
}

static void tell_tissue(const char *path, const mt_case *input)
{
    const mt_tissue tissue = mt_case_tissue(input);
    const double l = mt_tissue_diffusivity_l(&tissue), t = mt_tissue_diffusivity_t(&tissue);
    tell_medium(path, "tissue", &input->tissue);
    tell_if_far(path, "tissue", ", chi times Cm", "uF/mm^3", tissue.chi_per_mm * tissue.cm_uF_mm2, 1.4, 4);
    tell_if_far(path, "tissue", ", longitudinal diffusivity", "mm^2/ms", l, 0.06, 0.15);
    tell_if_far(path, "tissue", ", transverse diffusivity", "mm^2/ms", t, 0.012, 0.15);
    for (size_t r = 0; r < input->n_regions; r++) {
        char where[32];
        (void)snprintf(where, sizeof where, "regions.%zu", r);
        tell_medium(path, where, &input->regions[r].tissue.named);
    }
}

/* Warns about pulses that the time loop rounds to steps (solver/monodomain.h). */
static void tell_pulses(const char *path, const mt_case *input, size_t s)
{
    const mt_case_stimulus *stimulus = &input->stimuli[s];
    const double dt_ms = input->time.dt_ms;
    const size_t on = (size_t)llround(stimulus->start_ms / dt_ms),
                 off = (size_t)llround((stimulus->start_ms + stimulus->duration_ms) / dt_ms);
    char key[64];
    (void)snprintf(key, sizeof key, "stimuli.%zu.start_ms", s);
    mt_findings_of_time(path, key, stimulus->start_ms, on, dt_ms);
    (void)snprintf(key, sizeof key, "stimuli.%zu.duration_ms", s);
    mt_findings_of_time(path, key, stimulus->duration_ms, off - on, dt_ms);
    if (stimulus->count == 1) return;
    (void)snprintf(key, sizeof key, "stimuli.%zu.period_ms", s);
    mt_findings_of_time(path, key, stimulus->period_ms, (size_t)llround(stimulus->period_ms / dt_ms), dt_ms);
}

static void tell_prepace(const char *path, const mt_case *input)
{
    const mt_pulses pulses = mt_case_prepace(input);
    mt_pulse_steps s;
    if (pulses.beats == 0 || mt_pulses_in_steps(&pulses, input->time.dt_ms, &s) != MT_OK) return;
    mt_findings_of_time(path, "prepace.bcl_ms", pulses.bcl_ms, s.cycle, input->time.dt_ms);
    mt_findings_of_time(path, "prepace.start_ms", pulses.start_ms, s.on, input->time.dt_ms);
    mt_findings_of_time(path, "prepace.duration_ms", pulses.duration_ms, s.off - s.on, input->time.dt_ms);
}

/* Returns when a cell of the case first activates without stimuli; infinite: not before the end. */
static double first_beat_ms(mt_arena *arena, const mt_case *input)
{
    const mt_cell_model *model = mt_case_model(input);
    const double dt_ms = input->time.dt_ms;
    const size_t steps = (size_t)(fmin(input->time.end_ms, 2 * model->rhythm_ms) / dt_ms);
    mt_cell_variant variant;
    mt_lone_cell cell;
    if ((size_t)input->cell.type >= model->n_variants ||
        mt_cell_variant_change(
            arena, model, &model->variants[input->cell.type], &input->cell.asked, &variant) != MT_OK ||
        mt_lone_cell_make(arena, model, &variant, dt_ms, false, variant.v_mV, variant.states, &cell) != MT_OK)
        return INFINITY;
    for (size_t s = 0; s < steps; s++) {
        const double before_mV = cell.v_mV;
        if (mt_lone_cell_step(&cell, 0) != MT_OK) break;
        if (before_mV < 0 && cell.v_mV >= 0) return (double)s * dt_ms;
    }
    return INFINITY;
}

/* Warns about cells that beat without stimuli before the end of the run. Those of a file or after pre-pacing are not known here. */
static void tell_rhythm(const char *path, const mt_case *input)
{
    MT_SCRATCH(scratch);
    const mt_cell_model *model = mt_case_model(input);
    if (model->rhythm_ms <= 0 || *input->start.state || input->prepace.beats > 0) return;
    const double first_ms = first_beat_ms(scratch, input);
    if (isinf(first_ms)) return;
    mt_warn("%s: cell.model: found %s; without stimuli its cells activate at %.1f ms, then about every "
            "%g ms, and tissue of them at once; usual: cells that stay at rest",
        path, model->name, first_ms, model->rhythm_ms);
}

/* A QRS duration is accurate to within one sampling interval. */
static void tell_samples(const char *path, const mt_case *input)
{
    if (input->n_electrodes == 0 || !(input->ecg.every_ms > MT_QRS_SAMPLES_MS)) return;
    mt_warn("%s: ecg.every_ms: found %g ms, which limits the accuracy of QRS durations; usual: at most %d ms",
        path, input->ecg.every_ms, MT_QRS_SAMPLES_MS);
}

void mt_findings_of_case(const char *path, const mt_case *input)
{
    tell_samples(path, input);
    tell_rhythm(path, input);
    tell_tissue(path, input);
    tell_prepace(path, input);
    for (size_t s = 0; s < input->n_stimuli; s++) tell_pulses(path, input, s);
}

/* ---- mesh ---- */

/* A part, and the delay of activation in it. */
typedef struct delayed {
    const mt_case_part *part;
    double percent;
} delayed;

/* `size`: both measures of the part's elements. */
static void tell_delay(const mt_case *input, const delayed *d, const char *size)
{
    const mt_cell_model *model = mt_case_model(input);
    const double longest_mm = model->delays[model->n_delays - 1].length_mm,
                 measured_mm = mt_delay_default_length_mm(&d->part->tissue, d->part->length_mm);
    const bool beyond = measured_mm > longest_mm;
    char name[MT_CASE_PART_NAME];
    const mt_diffusion_scheme scheme = mt_case_scheme(input);
    char failing[160] = "";
    if (beyond)
        (void)snprintf(failing, sizeof failing,
            "; propagation may fail with elements of more than %.3g mm, the largest that were measured",
            mt_delay_length_mm(model, &scheme, &d->part->tissue, INFINITY));
    mt_warn(
        "%s: conduction velocity (CV) is %s on this mesh: found element size %s; expected: activation times "
        "about %.2g %%%s %s (root mean square over all directions), as measured with %s at an element size "
        "of %.3g mm in the default tissue, dt %g ms%s; `myotile mesh refine` halves the element size",
        mt_case_part_name(input, d->part, name), d->percent > 0 ? "underestimated" : "overestimated", size,
        fabs(d->percent), beyond ? " or more" : "", d->percent > 0 ? "late" : "early", model->name,
        beyond ? longest_mm : measured_mm, MT_CELL_DELAYS_DT_MS, failing);
}

static void tell_unknown_delay(const mt_case *input, const delayed *d, const char *size)
{
    const mt_diffusion_scheme scheme = mt_case_scheme(input);
    char name[MT_CASE_PART_NAME];
    mt_warn("%s: conduction velocity (CV) is inaccurate on coarse meshes: found element size %s; the error "
            "of this diffusion scheme is unknown: `myotile reproduce waves --model %s --spreading %g "
            "--damping %g --correction %s` measures it",
        mt_case_part_name(input, d->part, name), size, mt_case_model(input)->name, scheme.spreading,
        scheme.damping, mt_correction_name[scheme.correction]);
}

/* Returns the part of a region, or of the default tissue, with the largest delay; NULL if no delay exceeds `least`, or if the model has
 * none. */
static delayed worst_of(const mt_case *input, const mt_case_parts *parts, size_t region, double least)
{
    const mt_diffusion_scheme scheme = mt_case_scheme(input);
    delayed worst = {NULL, least};
    if (mt_case_model(input)->n_delays == 0) return worst;
    for (size_t k = 0; k < parts->n; k++) {
        const mt_case_part *part = &parts->part[k];
        if (part->region != region || part->measured) continue;
        const double percent =
            mt_delay_percent(mt_case_model(input), &scheme, &part->tissue, part->length_mm);
        if (fabs(percent) > fabs(worst.percent)) worst = (delayed){part, percent};
    }
    return worst;
}

mt_status mt_findings_of_mesh(const mt_case *input, const mt_case_parts *parts)
{
    const mt_diffusion_scheme scheme = mt_case_scheme(input);
    const bool known = mt_diffusion_scheme_same(&scheme, &mt_diffusion_scheme_default) ||
                       mt_diffusion_scheme_same(&scheme, &mt_diffusion_scheme_plain);
    const delayed whole = worst_of(input, parts, MT_MEDIA_WHOLE, 0);
    for (size_t r = 0; r <= input->n_regions; r++) {
        const delayed d = r == 0 ? whole : worst_of(input, parts, r - 1, whole.percent);
        char size[MT_CASE_PART_SIZE];
        if (!d.part || !(fabs(d.percent) >= MT_FINDINGS_DELAY_PERCENT)) continue;
        MT_TRY(mt_case_part_size(parts, d.part, size));
        if (known)
            tell_delay(input, &d, size);
        else
            tell_unknown_delay(input, &d, size);
    }
    return MT_OK;
}

/* ---- places ---- */

/* Returns the volume of the unknowns of a stimulus of the case. */
static double volume_of(const double *volume_mm3, const mt_monodomain *problem, size_t stimulus)
{
    double sum_mm3 = 0;
    for (size_t part = 0; part < problem->n_stimuli; part++) {
        const mt_stimulus *s = &problem->stimulus[part];
        if (mt_monodomain_stimulus_of(problem, part) != stimulus) continue;
        for (size_t k = 0; k < s->n_elements; k++) sum_mm3 += volume_mm3[s->element[k]];
    }
    return sum_mm3;
}

/* Returns the largest length that a region states; 0 if it states no length. */
static double size_of(const mt_region *region)
{
    double size_mm = isnan(region->radius_mm) ? 0 : region->radius_mm;
    for (int k = 0; k < 3 && !isnan(region->min_mm[0]); k++)
        size_mm = fmax(size_mm, region->max_mm[k] - region->min_mm[k]);
    return size_mm;
}

static mt_status tell_covering(const char *path, const mt_case *input, const mt_mesh *mesh,
    const mt_monodomain *problem, double extent_mm)
{
    MT_SCRATCH(scratch);
    const mt_unknowns unknowns = {mesh, mt_monodomain_unknowns(problem).at_vertices};
    double all_mm3 = 0, *volume_mm3;
    MT_TRY(mt_unknowns_volumes(scratch, &unknowns, &volume_mm3));
    for (size_t k = 0; k < mt_unknowns_count(&unknowns); k++) all_mm3 += volume_mm3[k];
    for (size_t s = 0; s < input->n_stimuli; s++) {
        const double share = volume_of(volume_mm3, problem, s) / all_mm3;
        char name[MT_CASE_STIMULUS_NAME];
        if (!(share > 0.5 * (1 + 1e-9))) continue; /* half, within rounding */
        mt_warn("%s: %s: found %.3g %% of the tissue volume in this stimulus; usual: less than half%s", path,
            mt_case_stimulus_name(input, s, "", name), 100 * share,
            mt_scale_advice(extent_mm, size_of(&input->stimuli[s].region)));
    }
    return MT_OK;
}

mt_status mt_findings_of_places(
    const char *path, const mt_case *input, const mt_mesh *mesh, const mt_monodomain *problem)
{
    double low_mm[3], high_mm[3];
    mt_mesh_box(mesh, low_mm, high_mm);
    const double extent_mm = mt_scale_extent_mm(low_mm, high_mm);
    MT_TRY(tell_covering(path, input, mesh, problem, extent_mm));
    for (size_t k = 0; k < input->n_electrodes; k++) {
        const double away_mm = mt_scale_distance_mm(low_mm, high_mm, input->electrodes[k].at_mm);
        if (!(away_mm > MT_SCALE_FAR * extent_mm)) continue;
        mt_warn("%s: electrodes.%zu, '%.100s': found %.4g mm from the mesh, which has a largest extent of "
                "%.4g mm; usual: at most %d times that%s",
            path, k, input->electrodes[k].name, away_mm, extent_mm, MT_SCALE_FAR,
            mt_scale_advice(extent_mm, away_mm));
    }
    return MT_OK;
}

/* ---- operator ---- */

/* Travel times of plane wavefronts relative to those without limits, in slabs of the default tissue with boxes of 0.25 and 0.5 mm:
 *    theta 0.5 in   1 % of the elements   longitudinal    -0.1 and -0.1 %   transverse -0.1 and +0.1 %
 *                  10                                     -0.6     -0.9                -0.5     +1.4
 *                 100                                     -6       -9                  -6       +6
 *          0.2     10                                     -0.9     -1.3                -0.8     +1.5
 *                 100                                     -8       -13                 -10      +3
 * If all elements are limited, refinement helps less: the order decreases from 2 to about 1. */
static void tell_limits(const char *name, const mt_diffusion *diffusion)
{
    const double share = (double)diffusion->n_limited / (double)diffusion->n_unknowns;
    if (!(share >= 0.01)) return;
    mt_warn("%s: %zu of %zu elements (%.3g %%) have limited gradients, for stability: the CV error is about "
            "1 %% where a tenth of the elements is limited, and up to 13 %% where all are; the cause is "
            "strong anisotropy or poorly shaped elements",
        name, diffusion->n_limited, diffusion->n_unknowns, 100 * share);
}

/* Slivers affect more than their own volume; many slivers together have a noticeable effect. */
static void tell_slivers(const char *name, const mt_diffusion *diffusion)
{
    const double share = (double)diffusion->n_slivers / (double)diffusion->n_unknowns;
    if (!(share >= 0.01)) return;
    mt_warn("%s: %zu of %zu elements (%.3g %%) are slivers (nearly flat) and limited: results in and near "
            "them are less accurate",
        name, diffusion->n_slivers, diffusion->n_unknowns, 100 * share);
}

static void tell_isolated(const char *name, const mt_adjacency *adjacency)
{
    size_t n = 0, first = 0;
    for (size_t c = adjacency->n_elements; c-- > 0;) {
        size_t f = 0;
        while (f < 4 && adjacency->neighbour[4 * c + f] == MT_NO_ELEMENT) f++;
        if (f == 4) n++, first = c;
    }
    if (n == 0 || adjacency->n_elements == 1) return;
    mt_warn("%s: %zu element%s no face with any other, the first is %zu: activation cannot propagate to %s; "
            "`myotile mesh convert IN OUT --repair` retains only the largest connected component",
        name, n, n == 1 ? " shares" : "s share", first, n == 1 ? "it" : "them");
}

void mt_findings_of_operator(const char *name, const mt_adjacency *adjacency, const mt_diffusion *diffusion)
{
    tell_limits(name, diffusion);
    tell_slivers(name, diffusion);
    tell_isolated(name, adjacency);
}

/* ---- run ---- */

/* True if the stimulus activated none of its elements in the beat of its first pulse, or in the last beat if that had not begun. */
static bool reaches_none(const mt_monodomain *problem, const mt_stimulus *stimulus, const mt_results *results)
{
    const size_t first =
                     problem->record.n_beats > 1 ? (size_t)llround(stimulus->start_ms / problem->dt_ms) : 0,
                 beat = mt_record_beat(&problem->record, first + 1);
    const double *activation_ms =
        results->beats[beat < results->n_beats ? beat : results->n_beats - 1].activation_ms;
    for (size_t k = 0; k < stimulus->n_elements; k++)
        if (isfinite(activation_ms[stimulus->element[k]])) return false;
    return true;
}

/* Usual values: the benchmark's stimulus, 50 uA/mm^3 over 1.4 uF/mm^3. */
static void tell_stimulus(const char *path, const mt_unknowns *unknowns, size_t s,
    const mt_case_stimulus *asked, const mt_stimulus *stimulus, double peak_mV, double reached_ms)
{
    char usual[128] = "35.7 mV/ms for 2 ms, to above 0 mV, in tissue that is not refractory";
    if (reached_ms < asked->start_ms + asked->duration_ms)
        (void)snprintf(usual, sizeof usual, "a run that continues after %g ms, when the stimulus ends",
            asked->start_ms + asked->duration_ms);
    mt_warn("%s: stimuli.%zu: found no activation by %g ms: it raised V of its %zu %s to %.1f mV at "
            "most, by %.4g mV/ms (strength_uA_mm3 %g over chi Cm) for %g ms; usual %s",
        path, s, reached_ms, stimulus->n_elements, mt_unknowns_word(unknowns, stimulus->n_elements), peak_mV,
        stimulus->rise_mV_ms, asked->strength_uA_mm3, asked->duration_ms, usual);
}

static void tell_lost(
    const char *path, const mt_unknowns *unknowns, size_t s, const mt_capture *capture, double threshold_mV)
{
    mt_warn("%s: stimuli.%zu: found %zu of %zu pulses without capture, the first at %g ms: no %s was "
            "below %g mV at its start and above that %d ms after its end; usual: pulses of sufficient "
            "strength, in tissue that is not refractory",
        path, s, capture->lost, capture->judged, capture->first_lost_ms, mt_unknowns_word(unknowns, 1),
        threshold_mV, MT_CAPTURE_AFTER_MS);
}

/* Returns an unknown's last activation time; infinite if it was never activated. */
static double last_ms(const mt_results *results, size_t element)
{
    for (size_t k = results->n_beats; k-- > 0;)
        if (isfinite(results->beats[k].activation_ms[element]))
            return results->beats[k].activation_ms[element];
    return INFINITY;
}

/* The unknown without activation that is nearest to the last activated one. */
typedef struct stop {
    size_t unknown;
    double at_mm[3];
} stop;

static stop find_stop(const mt_unknowns *unknowns, const mt_results *results, size_t latest)
{
    stop found = {0};
    double end[3], nearest2 = INFINITY;
    mt_unknowns_place(unknowns, latest, end);
    for (size_t k = 0; k < mt_unknowns_count(unknowns); k++) {
        double x[3];
        if (isfinite(last_ms(results, k))) continue;
        mt_unknowns_place(unknowns, k, x);
        const double square = mt_square3(x, end);
        if (!(square < nearest2)) continue;
        nearest2 = square;
        found.unknown = k;
        memcpy(found.at_mm, x, sizeof found.at_mm);
    }
    return found;
}

/* Returns the size of the elements without activation; NaN with voltages at the vertices. */
static double size_without(const mt_unknowns *unknowns, const mt_results *results)
{
    double volume_mm3 = 0;
    size_t n = 0;
    if (unknowns->at_vertices) return NAN;
    for (size_t c = 0; c < mt_unknowns_count(unknowns); c++)
        if (!isfinite(last_ms(results, c))) volume_mm3 += mt_mesh_volume_mm3(unknowns->mesh, c), n++;
    return cbrt(volume_mm3 / (double)n);
}

/* Writes where propagation stopped, for a message, with the cells there and the size of the elements without activation. Empty without a
 * mesh. */
static void place_text(
    const mt_monodomain *problem, const mt_results *results, size_t latest, char *text, size_t size)
{
    const mt_unknowns unknowns = mt_monodomain_unknowns(problem);
    char of_size[64] = "";
    text[0] = 0;
    if (!problem->mesh) return;
    const stop at = find_stop(&unknowns, results, latest);
    const double size_mm = size_without(&unknowns, results);
    if (!isnan(size_mm)) (void)snprintf(of_size, sizeof of_size, " with an element size of %.3g mm", size_mm);
    (void)snprintf(text, size,
        "; it stopped near [%.4g, %.4g, %.4g], in cells \"%s\"%s: a run on the mesh of `myotile mesh refine` "
        "tells block from an effect of the element size",
        at.at_mm[0], at.at_mm[1], at.at_mm[2], mt_monodomain_variant(problem, at.unknown)->name, of_size);
}

static void tell_wave(
    const char *path, const mt_monodomain *problem, const mt_results *results, double reached_ms)
{
    const mt_unknowns unknowns = mt_monodomain_unknowns(problem);
    const size_t n = problem->diffusion->n_unknowns;
    const char *many = mt_unknowns_word(&unknowns, 2);
    size_t left = 0, latest = 0;
    double latest_ms = -INFINITY;
    char place[320];
    for (size_t c = 0; c < n; c++) {
        const double at_ms = last_ms(results, c);
        if (!isfinite(at_ms))
            left++;
        else if (at_ms > latest_ms)
            latest_ms = at_ms, latest = c;
    }
    if (left == 0 || left == n) return;
    const double percent = 100 * (double)left / (double)n;
    if (latest_ms > reached_ms - MT_FINDINGS_WAVE_MS) {
        mt_warn("%s: time.end_ms: found activation still propagating at %g ms: %zu of %zu %s (%.3g %%) "
                "are not activated yet; usual: an end after the last activation",
            path, reached_ms, left, n, many, percent);
    } else {
        place_text(problem, results, latest, place, sizeof place);
        mt_warn("%s: found %zu of %zu %s (%.3g %%) not activated, and no activation after %.4g ms, "
                "although the run continued to %g ms: propagation failed, or they are not connected to the "
                "activated tissue; usual: all are activated%s",
            path, left, n, many, percent, latest_ms, reached_ms, place);
    }
}

/* A stimulus of the case, merged from its parts in the problem. */
typedef struct whole_stimulus {
    mt_stimulus all; /* with the largest rise; without elements */
    double peak_mV;
    bool reaches_none;
    mt_capture capture; /* of the part with the fewest pulses without capture */
} whole_stimulus;

/* Merges the parts from *next on; *next becomes the first part of the next stimulus. */
static whole_stimulus put_together(const mt_monodomain *problem, const mt_results *results, size_t *next)
{
    const size_t s = mt_monodomain_stimulus_of(problem, *next);
    whole_stimulus w = {.peak_mV = -INFINITY, .reaches_none = true};
    for (; *next < mt_monodomain_own_stimuli(problem) && mt_monodomain_stimulus_of(problem, *next) == s;
         (*next)++) {
        const mt_stimulus *part = &problem->stimulus[*next];
        w.all.n_elements += part->n_elements;
        w.all.rise_mV_ms = fmax(w.all.rise_mV_ms, part->rise_mV_ms);
        w.peak_mV = fmax(w.peak_mV, results->peak_mV[*next]);
        if (results->capture &&
            (w.all.n_elements == part->n_elements || results->capture[*next].lost < w.capture.lost))
            w.capture = results->capture[*next];
        w.reaches_none = w.reaches_none && reaches_none(problem, part, results);
    }
    return w;
}

void mt_findings_of_run(const char *path, const mt_case *input, const mt_monodomain *problem,
    const mt_results *results, double reached_ms)
{
    const mt_unknowns unknowns = mt_monodomain_unknowns(problem);
    const size_t n = mt_monodomain_own_stimuli(problem);
    for (size_t part = 0; part < n;) {
        const size_t s = mt_monodomain_stimulus_of(problem, part);
        const whole_stimulus w = put_together(problem, results, &part);
        /* -INFINITY if it was never on; because of rounding, if it should have been */
        if (w.peak_mV == -INFINITY && input->stimuli[s].start_ms < reached_ms)
            mt_warn("%s: stimuli.%zu: not on in any step before the end at %g ms", path, s, reached_ms);
        else if (w.peak_mV > -INFINITY && w.reaches_none)
            tell_stimulus(path, &unknowns, s, &input->stimuli[s], &w.all, w.peak_mV, reached_ms);
        else if (w.capture.lost > 0 && !input->stimuli[s].site)
            tell_lost(path, &unknowns, s, &w.capture, problem->record.threshold_mV);
    }
    tell_wave(path, problem, results, reached_ms);
}
