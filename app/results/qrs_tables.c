#include "app/results/qrs_tables.h"

#include <math.h>
#include <stdio.h>

#include "app/results/sample_files.h"
#include "data/core/select.h"
#include "solver/case/stimulated.h"

static bool has_samples(const mt_run *run)
{
    return run->sampling && run->input->n_electrodes > 0 && run->sampling->frames[MT_SAMPLE_ECG].n > 1;
}

/* Marks the sampling intervals that overlap a stimulus. */
static mt_status find_skipped(mt_arena *arena, const mt_run *run, mt_qrs_record *record)
{
    const double rounding_ms = 1e-6, *time_ms = record->time_ms;
    bool *skipped;
    mt_span *span;
    size_t n;
    MT_TRY(mt_case_stimulated(arena, run->input, &n, &span));
    MT_ALLOC(arena, skipped, record->n);
    for (size_t k = 0, s = 0; k + 1 < record->n; k++) {
        while (s < n && span[s].to_ms < time_ms[k] + rounding_ms) s++;
        skipped[k] = s < n && span[s].from_ms < time_ms[k + 1] - rounding_ms;
    }
    record->skipped = skipped;
    return MT_OK;
}

static mt_status make_record(mt_arena *arena, const mt_run *run, mt_qrs_record *record)
{
    mt_leads leads;
    *record = (mt_qrs_record){0};
    MT_TRY(mt_sample_leads(arena, run->sampling, &leads, &record->n, &record->time_ms, &record->lead_mV));
    record->n_leads = leads.n;
    record->n_standard = leads.n_standard;
    record->name = leads.name;
    return find_skipped(arena, run, record);
}

/* Returns the time by which MT_RUN_QRS_PERCENT of the elements or vertices that a beat activates are activated; NaN if it activates none.
 */
static mt_status find_activated(mt_arena *arena, const mt_run *run, size_t beat, double *at_ms)
{
    const double *activation_ms = run->results.beats[beat].activation_ms;
    const size_t n_all = mt_unknowns_count(&run->problem->unknowns);
    double *found_ms;
    size_t n = 0;
    MT_ALLOC(arena, found_ms, n_all);
    for (size_t k = 0; k < n_all; k++)
        if (isfinite(activation_ms[k])) found_ms[n++] = activation_ms[k];
    *at_ms = n > 0 ? mt_select(found_ms, n, (n - 1) * MT_RUN_QRS_PERCENT / 100) : NAN;
    return MT_OK;
}

/* Measures the complex of a beat, from its first step to that of the next one, or to shortly after the activation. */
static mt_status find_complex(
    mt_arena *arena, const mt_run *run, const mt_qrs_record *record, size_t beat, mt_run_complex *c)
{
    MT_SCRATCH(scratch);
    const mt_record *beats = &run->problem->monodomain.record;
    const double dt_ms = run->input->time.dt_ms, from_ms = (double)mt_record_first(beats, beat) * dt_ms,
                 to_ms = beat + 1 < run->results.n_beats ? (double)mt_record_first(beats, beat + 1) * dt_ms
                                                         : mt_run_reached_ms(run);
    double activated_ms;
    *c = (mt_run_complex){0};
    MT_TRY(find_activated(scratch, run, beat, &activated_ms));
    if (isnan(activated_ms)) return MT_OK;
    c->by_activation = activated_ms + MT_QRS_QUIET_MS < to_ms;
    return mt_qrs_find(arena, record, from_ms, fmin(to_ms, activated_ms + MT_QRS_QUIET_MS), &c->qrs);
}

mt_status mt_run_find_qrs(mt_arena *arena, mt_run *run)
{
    MT_SCRATCH(scratch);
    mt_qrs_record record;
    mt_run_complex *of_beat;
    mt_run_qrs *found;
    if (!has_samples(run)) return MT_OK;
    MT_TRY(make_record(scratch, run, &record));
    MT_ALLOC(arena, found, 1);
    MT_ALLOC(arena, of_beat, run->results.n_beats);
    for (size_t beat = 0; beat < run->results.n_beats; beat++)
        MT_TRY(find_complex(arena, run, &record, beat, &of_beat[beat]));
    *found = (mt_run_qrs){record.n_leads, record.n_standard, NULL, of_beat};
    MT_COPY(arena, found->name, record.name, record.n_leads);
    run->qrs = found;
    return MT_OK;
}

double mt_run_qrs_duration_ms(const mt_run *run, size_t beat)
{
    const mt_qrs *qrs = run->qrs ? &run->qrs->of_beat[beat].qrs : NULL;
    return qrs && qrs->found ? qrs->end_ms - qrs->onset_ms : NAN;
}

/* ---- complexes ---- */

static mt_table begin_complexes(mt_arena *arena, const mt_run *run)
{
    char title[256], label[2][32];
    (void)snprintf(title, sizeof title,
        "QRS complex: dV/dt (root mean square of %zu leads, samples every %.9g ms) above %g %% of its "
        "maximum; durations also at %g %% and %g %%",
        run->qrs->n_standard > 0 ? run->qrs->n_standard : run->qrs->n_leads, run->input->ecg.every_ms,
        100 * MT_QRS_THRESHOLD, 200 * MT_QRS_THRESHOLD, 50 * MT_QRS_THRESHOLD);
    for (int k = 0; k < 2; k++)
        (void)snprintf(label[k], sizeof label[k], "at %g %%", (k == 0 ? 200 : 50) * MT_QRS_THRESHOLD);
    mt_table table = mt_table_begin(arena, "qrs", title);
    mt_table_decimals(&table, "beat", "beat", "", 0);
    mt_table_decimals(&table, "onset_ms", "onset", "ms", 2);
    mt_table_strings(&table, "onset_at", "at");
    mt_table_decimals(&table, "end_ms", "end", "ms", 2);
    mt_table_strings(&table, "end_at", "at");
    mt_table_decimals(&table, "duration_ms", "duration", "ms", 1);
    mt_table_decimals(&table, "shorter_ms", label[0], "ms", 1);
    mt_table_decimals(&table, "longer_ms", label[1], "ms", 1);
    mt_table_decimals(&table, "axis_degrees", "axis", "degrees", 0);
    mt_table_strings(&table, "axis", "its name");
    mt_table_strings(&table, "transition", "transition");
    return table;
}

static const char *limit_text(mt_qrs_limit limit, const char *sample)
{
    return limit == MT_QRS_AT_THRESHOLD ? "threshold" : limit == MT_QRS_AT_STIMULUS ? "stimulus" : sample;
}

static const char *axis_text(const mt_run_qrs *all, double degrees)
{
    const char *name = mt_qrs_axis_name(degrees);
    return all->n_standard == 0 ? "no limb leads" : name ? name : "limb leads have no net area";
}

static void add_transition(mt_table *table, const mt_run_qrs *all, const mt_qrs *qrs)
{
    char text[32];
    if (all->n_standard <= MT_LEADS_LIMB)
        (void)snprintf(text, sizeof text, "no chest leads");
    else if (isnan(qrs->transition))
        (void)snprintf(text, sizeof text, "none");
    else
        (void)snprintf(
            text, sizeof text, qrs->transition_first ? "V%.0f or before" : "V%.1f", qrs->transition);
    mt_table_text(table, text);
}

static void add_complex(mt_table *table, const mt_run_qrs *all, size_t beat)
{
    static const mt_qrs none = {
        .onset_ms = NAN, .end_ms = NAN, .shorter_ms = NAN, .longer_ms = NAN, .axis_degrees = NAN};
    const mt_run_complex *c = &all->of_beat[beat];
    const mt_qrs *qrs = c->qrs.found ? &c->qrs : &none;
    const char *last = c->by_activation ? "activation" : "last sample";
    mt_table_number(table, (double)beat + 1);
    mt_table_number(table, qrs->onset_ms);
    mt_table_text(table, qrs->found ? limit_text(qrs->onset_at, "first sample") : "no QRS");
    mt_table_number(table, qrs->end_ms);
    mt_table_text(table, qrs->found ? limit_text(qrs->end_at, last) : "no QRS");
    MT_TABLE_NUMBERS(table, qrs->end_ms - qrs->onset_ms, qrs->shorter_ms, qrs->longer_ms, qrs->axis_degrees);
    mt_table_text(table, qrs->found ? axis_text(all, qrs->axis_degrees) : NULL);
    if (qrs->found)
        add_transition(table, all, qrs);
    else
        mt_table_text(table, NULL);
}

/* ---- leads ---- */

static mt_table begin_leads(mt_arena *arena)
{
    mt_table table = mt_table_begin(arena, "qrs_leads",
        "QRS complex in each lead: largest deflections from the value at the onset, and net area");
    mt_table_strings(&table, "lead", "lead");
    mt_table_decimals(&table, "beat", "beat", "", 0);
    mt_table_digits(&table, "r_mv", "R", "mV", 4);
    mt_table_digits(&table, "s_mv", "S", "mV", 4);
    mt_table_digits(&table, "net_mv", "R - S", "mV", 4);
    mt_table_digits(&table, "area_mv_ms", "net area", "mV ms", 4);
    return table;
}

static void add_leads(mt_table *table, const mt_run_qrs *all, size_t beat)
{
    const mt_qrs *qrs = &all->of_beat[beat].qrs;
    for (size_t k = 0; qrs->found && k < all->n_standard; k++) {
        const mt_qrs_lead *lead = &qrs->lead[k];
        mt_table_text(table, all->name[k]);
        MT_TABLE_NUMBERS(
            table, (double)beat + 1, lead->r_mV, lead->s_mV, lead->r_mV - lead->s_mV, lead->area_mV_ms);
    }
}

void mt_run_qrs_tables(mt_arena *arena, const mt_run *run, mt_table *complexes, mt_table *leads)
{
    *complexes = begin_complexes(arena, run);
    *leads = begin_leads(arena);
    for (size_t beat = 0; beat < run->results.n_beats; beat++) {
        add_complex(complexes, run->qrs, beat);
        add_leads(leads, run->qrs, beat);
    }
}
