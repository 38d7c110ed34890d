#include "app/results/mesh_rows.h"
#include "app/results/network_files.h"
#include "app/results/qrs_tables.h"
#include "app/results/run_files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/run/operator.h"
#include "app/run/stepping_error.h"
#include "solver/cells/tabulated.h"
#include "solver/case/findings.h"
#include "solver/diffusion/implicit.h"
#include "solver/plan/phases.h"

size_t mt_run_profiled_steps(const mt_run *run)
{
    const mt_segment *last = &run->segments.segment[run->segments.n - 1];
    return last->end - last->first;
}

/* Adds the shares of activated elements or vertices, and the latest activation. */
static void activation_rows(mt_table *table, const mt_run *run)
{
    static const struct {
        const char *key, *label, *lately_key, *lately_label;
    } words[] = {{"elements_activated_percent", "elements activated",
                     "elements_activated_in_last_5_ms_percent", "elements activated in the last 5 ms"},
        {"vertices_activated_percent", "vertices activated", "vertices_activated_in_last_5_ms_percent",
            "vertices activated in the last 5 ms"}};
    const size_t n = mt_unknowns_count(&run->problem->unknowns), w = run->problem->unknowns.at_vertices;
    const double end_ms = mt_run_reached_ms(run), *activation_ms = run->results.beats[0].activation_ms;
    double latest_ms;
    const size_t activated = mt_record_activated(n, activation_ms, &latest_ms);
    size_t lately = 0;
    for (size_t k = 0; k < n; k++)
        lately += isfinite(activation_ms[k]) && activation_ms[k] > end_ms - MT_FINDINGS_WAVE_MS;
    mt_table_property(table, words[w].key, words[w].label, 100 * (double)activated / (double)n, "%");
    mt_table_property(
        table, words[w].lately_key, words[w].lately_label, 100 * (double)lately / (double)n, "%");
    mt_table_property(table, "latest_activation_ms", "latest activation", latest_ms, "ms");
}

/* Adds the device that computed, if the host did not. */
static void device_rows(mt_table *table, const mt_backend_device *device)
{
    if (!device->name[0]) return;
    mt_table_property_text(table, "device", "OpenCL device", device->name);
    mt_table_property(table, "device_memory_mb", "memory of its buffers", (double)device->bytes / 1e6, "MB");
    mt_table_property_text(table, "device_bits", "bits of the host",
        device->differs[0] ? "no: results may differ in their last digits" : "yes");
}

static mt_table summary_table(mt_arena *arena, const mt_run *run, const mt_element_size *size)
{
    const mt_diffusion *diffusion = &run->problem->diffusion;
    const mt_unknowns *unknowns = &run->problem->unknowns;
    const size_t n_whole = run->problem->whole.n_elements, n = run->problem->mesh.n_elements;
    const mt_tissue tissue = mt_case_tissue(run->input);
    mt_table table = mt_table_properties(arena, "run", run->input->title[0] ? run->input->title : "Run");
    mt_table_property(&table, "elements", "elements", (double)n_whole, "");
    if (n < n_whole)
        mt_table_property(&table, "inert_elements", "non-conducting elements", (double)(n_whole - n), "");
    if (unknowns->at_vertices)
        mt_table_property(
            &table, "vertices", "vertices with voltages", (double)mt_unknowns_count(unknowns), "");
    mt_element_size_rows(&table, size);
    device_rows(&table, &run->device);
    mt_table_property(&table, "diffusivity_along_fibres_mm2_per_ms", "longitudinal diffusivity",
        mt_tissue_diffusivity_l(&tissue), "mm^2/ms");
    mt_table_property(&table, "diffusivity_across_fibres_mm2_per_ms", "transverse diffusivity",
        mt_tissue_diffusivity_t(&tissue), "mm^2/ms");
    if (run->problem->media.n > 1)
        mt_table_property(&table, "tissues", "tissue regions; the diffusivities are of the default tissue",
            (double)run->problem->media.n, "");
    mt_table_property(&table, "time_step_ms", "time step", run->input->time.dt_ms, "ms");
    mt_table_property(&table, "substeps_per_time_step", "diffusion substeps per time step",
        (double)run->input->time.pde_steps, "");
    mt_table_property(&table, "largest_stable_substep_ms", "largest stable diffusion substep",
        diffusion->limit_dt_ms, "ms");
    mt_operator_rows(&table, diffusion);
    mt_table_property(&table, "largest_eigenvalue_per_ms", "lower bound of the largest eigenvalue",
        diffusion->top_per_ms, "1/ms");
    activation_rows(&table, run);
    mt_table_property(&table, "simulated_time_ms", "simulated time", mt_run_reached_ms(run), "ms");
    if (run->input->prepace.beats > 0)
        mt_table_property(&table, "beats_before", "pre-pacing beats of each cell type",
            (double)run->input->prepace.beats, "");
    if (run->profile && mt_run_profiled_steps(run) < run->n_steps)
        mt_table_property(&table, "machine_counted_from_ms", "cycles counted from",
            (double)(run->n_steps - mt_run_profiled_steps(run)) * run->input->time.dt_ms, "ms");
    if (run->stopped_by)
        mt_table_property(&table, "requested_time_ms", "requested time (the run was stopped)",
            run->input->time.end_ms, "ms");
    return table;
}

/* Adds the cycles of the ionic model in a time step: the mean of the counted steps, and of a step that evaluates every cell. */
static void stepping_cycles(const mt_run *run, mt_table *table)
{
    const ipu_profile_step *ode = &run->profile->steps[MT_PLAN_ODE];
    if (ode->runs == 0) return;
    mt_table_property(table, "cell_model_cycles_per_step",
        "cycles of the ionic model, mean of the time steps",
        round((double)ode->total_compute_cycles / (double)ode->runs), "");
    mt_table_property(table, "cell_model_cycles_of_all", "cycles of a step that evaluates all elements",
        (double)ode->compute.max, "");
}

/* Builds the table of the cost of implicit steps. */
static mt_table implicit_table(mt_arena *arena, const mt_run *run)
{
    const mt_monodomain *problem = &run->problem->monodomain;
    const double steps = (double)mt_run_profiled_steps(run),
                 iterations = (double)mt_phases_iterations(run->profile, problem),
                 sums = (double)mt_phases_sum_cycles(run->profile, problem);
    mt_table table = mt_table_properties(arena, "implicit", "Implicit diffusion steps (BiCGStab)");
    mt_table_property(&table, "tolerance_mv", "tolerance", problem->residual_mV, "mV");
    mt_table_property(&table, "iterations", "iterations per time step", iterations / steps, "");
    mt_table_property(&table, "products", "operator products per time step",
        MT_IMPLICIT_PRODUCTS + MT_IMPLICIT_PRODUCTS_OF_AN_ITERATION * iterations / steps, "");
    mt_table_property(&table, "sum_cycles",
        "cycles of sums over tiles per time step, including exchange and sync", round(sums / steps), "");
    mt_table_property(
        &table, "sum_percent", "share of the time step", 100 * sums / (double)mt_run_step_cycles(run), "%");
    return table;
}

/* Builds the table of the choice of the discretisation: that of the run is first. */
static mt_table placing_table(mt_arena *arena, const mt_placing *placing)
{
    static const char *const keys[] = {"elements", "nodes"}, *const labels[] = {"elements", "vertices"};
    char title[MT_PLACING_TEXT + 32], text[MT_PLACING_TEXT];
    (void)snprintf(
        title, sizeof title, "Discretisation, chosen automatically: %s", mt_placing_text(placing, text));
    mt_table table = mt_table_begin(arena, "discretisation", title);
    mt_table_strings(&table, "discretisation", "voltages at the");
    mt_table_strings(&table, "used", "used");
    mt_table_decimals(&table, "error_percent", "expected error RMS", "%", 1);
    mt_table_decimals(&table, "allowed_percent", "allowed", "%", 1);
    for (int k = 0; k < 2; k++) {
        const int at = k == 0 ? placing->at_vertices : !placing->at_vertices;
        mt_table_item(&table, keys[at], labels[at], 0);
        mt_table_text(&table, k == 0 ? "yes" : "no");
        MT_TABLE_NUMBERS(&table, placing->error_percent[at], placing->allowed_percent);
    }
    return table;
}

static bool has_measured_fronts(const mt_fronts *fronts)
{
    for (size_t k = 0; k < fronts->n; k++)
        if (fronts->front[k].measured) return true;
    return false;
}

/* Builds the table of the measured fronts. */
static mt_table fronts_table(mt_arena *arena, const mt_problem *problem)
{
    const mt_fronts *fronts = &problem->fronts;
    const double interval_ms = fronts->interval_ms;
    char label[64];
    mt_table table = mt_table_begin(arena, "fronts",
        "Activation wavefronts by cells and tissue: converged CV, and expected error of activation times on "
        "this mesh");
    mt_table_strings(&table, "cells", "cells");
    if (problem->media.n > 1) mt_table_decimals(&table, "tissue", "tissue", "", 0);
    mt_table_decimals(&table, "elements", "elements", "", 0);
    mt_table_digits(&table, "length_mm", "element size", "mm", 3);
    mt_table_digits(&table, "along_mm_per_ms", "CV_l", "mm/ms", 3);
    mt_table_digits(&table, "across_mm_per_ms", "CV_t", "mm/ms", 3);
    mt_table_digits(&table, "spreading", "spreading", "", 3);
    mt_table_decimals(&table, "mean_error_percent", "mean error", "%", 1);
    mt_table_decimals(&table, "error_percent", "error RMS", "%", 1);
    if (problem->unknowns.at_vertices)
        mt_table_decimals(&table, "error_with_elements_percent", "with elements", "%", 1);
    else
        mt_table_decimals(&table, "error_with_nodes_percent", "with nodes", "%", 1);
    if (!isnan(interval_ms)) {
        (void)snprintf(label, sizeof label, "RMS after %.4g ms", interval_ms);
        mt_table_decimals(&table, "early_error_percent", label, "%", 1);
    }
    for (size_t k = 0; k < fronts->n; k++) {
        const mt_front *front = &fronts->front[k];
        const mt_calibration *c = &front->calibration;
        if (!front->measured) continue;
        mt_table_text(&table, front->name);
        if (problem->media.n > 1) mt_table_number(&table, (double)front->medium);
        MT_TABLE_NUMBERS(&table, (double)front->n_elements, front->length_mm, c->speed_l_mm_ms,
            c->speed_t_mm_ms, problem->unknowns.at_vertices ? c->nodal.strength : c->law.beta,
            100 * c->errors.mean, 100 * c->errors.rms, 100 * front->other.rms);
        if (!isnan(interval_ms))
            mt_table_number(&table, front->conducts_early ? 100 * front->early.rms : NAN);
    }
    return table;
}

/* Builds the table of the channels. */
static mt_table channels_table(mt_arena *arena, const mt_channels *channels)
{
    char title[96];
    (void)snprintf(title, sizeof title,
        "Conducting paths of less than %d elements between non-conducting elements", MT_CHANNEL_ELEMENTS);
    mt_table table = mt_table_begin(arena, "channels", title);
    mt_table_digits(&table, "x_mm", "x", "mm", 4);
    mt_table_digits(&table, "y_mm", "y", "mm", 4);
    mt_table_digits(&table, "z_mm", "z", "mm", 4);
    mt_table_digits(&table, "width_mm", "width", "mm", 3);
    mt_table_digits(&table, "length_mm", "element size", "mm", 3);
    mt_table_decimals(&table, "width_elements", "width", "elements", 1);
    mt_table_decimals(&table, "elements", "elements", "", 0);
    for (size_t k = 0; k < channels->n; k++) {
        const mt_channel *c = &channels->channel[k];
        MT_TABLE_NUMBERS(&table, c->middle_mm[0], c->middle_mm[1], c->middle_mm[2], c->width_mm, c->length_mm,
            c->width_mm / c->length_mm, (double)c->n_elements);
    }
    return table;
}

static mt_status stepping_table(mt_arena *arena, const mt_run *run, mt_table *table)
{
    mt_stepping_error error;
    MT_TRY(mt_stepping_error_find(run->input, &run->problem->monodomain, &error));
    *table = mt_table_properties(arena, "stepping",
        "Multirate stepping: difference to uniform stepping, for a plane wave with the cell of the first "
        "element");
    mt_table_property(table, "tolerance_mv", "tolerance", run->input->cell.tolerance_mV, "mV");
    mt_table_property(
        table, "speed_difference_percent", "CV difference to uniform stepping", error.speed_percent, "%");
    mt_table_property(
        table, "apd90_difference_ms", "APD90 difference to uniform stepping", error.apd90_ms, "ms");
    if (run->profile) stepping_cycles(run, table);
    return MT_OK;
}

/* Makes the tables of functions of V again, to find their error. */
static mt_status evaluation_table(mt_arena *arena, const mt_run *run, mt_table *table)
{
    MT_SCRATCH(scratch);
    const mt_monodomain *problem = &run->problem->monodomain;
    const mt_cell_model *tabulated;
    size_t n;
    double error;
    const mt_cell_variant *variants = mt_monodomain_variants(problem, &n);
    MT_TRY(mt_cell_tabulate(scratch, problem->model, variants, n, problem->dt_ms,
        problem->stepping == MT_STEPPING_MULTIRATE, &tabulated, &error));
    *table = mt_table_properties(
        arena, "evaluation", "Tabulated evaluation: functions of V, as polynomials of degree 4 in intervals");
    mt_table_property(table, "functions", "functions of V", (double)problem->model->n_functions, "");
    mt_table_property(table, "interval_mv", "interval", MT_TABLE_WIDTH_mV, "mV");
    mt_table_property(table, "error", "largest error of a function, relative to its magnitude", error, "");
    return MT_OK;
}

static void probe_columns(mt_table *table, bool beats)
{
    mt_table_strings(table, "point", "point");
    mt_table_decimals(table, "x_mm", "x", "mm", 2);
    mt_table_decimals(table, "y_mm", "y", "mm", 2);
    mt_table_decimals(table, "z_mm", "z", "mm", 2);
    if (beats) mt_table_decimals(table, "beat", "beat", "", 0);
    mt_table_decimals(table, "activation_ms", "activation", "ms", 2);
}

static void probe_row(mt_table *table, const mt_run *run, size_t probe, size_t beat)
{
    const mt_probes *probes = &run->problem->probes;
    mt_table_text(table, probe < probes->n_points ? run->input->points[probe].name : "line");
    for (size_t axis = 0; axis < 3; axis++) mt_table_number(table, probes->xyz_mm[3 * probe + axis]);
    if (run->results.n_beats > 1) mt_table_number(table, (double)beat + 1);
    mt_table_number(
        table, mt_probe_activation_ms(probes, probe, &run->problem->mesh, &run->problem->diffusion,
                   run->results.beats[beat].activation_ms, mt_run_reached_ms(run)));
}

mt_table mt_run_probes_table(mt_arena *arena, const mt_run *run, bool with_line)
{
    const mt_probes *probes = &run->problem->probes;
    mt_table table = mt_table_begin(arena, "activation",
        run->problem->unknowns.at_vertices
            ? "Activation times at the points, interpolated in their elements"
            : "Activation times at the points, from linear fits to the nearest elements");
    probe_columns(&table, run->results.n_beats > 1);
    for (size_t k = 0; k < (with_line ? probes->n : probes->n_points); k++)
        for (size_t beat = 0; beat < run->results.n_beats; beat++) probe_row(&table, run, k, beat);
    return table;
}

/* A phase of the machine's work. Cycles are those of the tiles that have work in a compute set, added up over all runs of its sets. */
typedef struct phase {
    uint64_t runs;
    double min, mean, max;
    double busy, slowest; /* computation cycles of the mean and of the slowest tile, in all runs */
    double instances;     /* number of vertices in a run */
    double tiles;         /* number of tiles that have work in a run */
} phase;

static void add_spread(phase *to, uint64_t runs, const ipu_spread *spread)
{
    if (runs == 0) return;
    double before = (double)to->runs, now = (double)runs;
    to->min += now * (double)spread->min;
    to->mean += now * spread->mean;
    to->max += now * (double)spread->max;
    to->tiles = (to->tiles * before + (double)spread->tiles * now) / (before + now);
    to->runs += runs;
}

/* Adds the vertices of the compute sets [first, last]. */
static void add_vertices(phase *to, const ipu_profile *profile, size_t first, size_t last)
{
    for (size_t v = 0; v < profile->n_vertices; v++) {
        const ipu_profile_vertices *kind = &profile->vertices[v];
        const uint64_t runs = profile->steps[kind->step].runs;
        if (kind->step < first || kind->step > last || runs == 0) continue;
        to->instances += (double)(runs * kind->instances) / (double)to->runs;
    }
}

/* Sums up a phase; work that takes the same time on all tiles has no spread. */
static phase phase_of(const mt_run *run, mt_phase which)
{
    const ipu_profile *profile = run->profile;
    size_t first, last;
    phase p = {0};
    mt_phase_sets(which, &run->problem->monodomain, profile->n_steps, &first, &last);
    for (size_t s = first; s <= last && s < profile->n_steps; s++) {
        const ipu_profile_step *step = &profile->steps[s];
        const ipu_spread *tiles = mt_phase_spread(which, step);
        const uint64_t cycles = mt_phase_cycles(which, step);
        const ipu_spread same = {.min = cycles, .max = cycles, .mean = (double)cycles};
        if (cycles == 0 && tiles != &step->compute) continue;
        ipu_spread here = tiles ? *tiles : same;
        here.max = cycles; /* for an exchange with the latency of its last word */
        add_spread(&p, step->runs, &here);
        if (!tiles) continue;
        p.busy += (double)step->runs * tiles->mean;
        p.slowest += (double)step->runs * (double)tiles->max;
    }
    if ((which < MT_PHASE_GATHER || which >= MT_PHASE_SPREADING) && !mt_phase_is_exchange(which))
        add_vertices(&p, profile, first, last);
    return p;
}

uint64_t mt_run_step_cycles(const mt_run *run) { return run->profile->cycles - run->profile->host_cycles; }

/* Adds a row with the cycles of a phase in one time step, in which it runs runs / mt_run_profiled_steps times. `total`: cycles of all
 * phases. */
static void phase_row(mt_table *table, const mt_run *run, mt_phase which, double total)
{
    const phase found = phase_of(run, which), *p = &found;
    const double steps = (double)mt_run_profiled_steps(run), runs = (double)p->runs / steps;
    mt_table_item(table, mt_phase_words_of[which].key, mt_phase_words_of[which].label, 0);
    MT_TABLE_NUMBERS(table, p->instances > 0 ? p->instances : NAN, p->slowest > 0 ? p->tiles : NAN);
    const bool of_sets = which != MT_PHASE_CONTROL;
    MT_TABLE_NUMBERS(table, of_sets ? runs : NAN, of_sets ? p->min / steps : NAN,
        of_sets ? p->mean / steps : NAN, of_sets ? p->max / steps : total / steps,
        p->slowest > 0 ? 100 * p->busy / p->slowest : NAN, 100 * total / (double)mt_run_step_cycles(run),
        total / run->layout->target->clock_hz);
}

/* Completes a row for the complete time step, which has only cycles and shares. With a global sync, exchange and synchronisation never
 * overlap with computation, so that both are fully exposed. */
static void sum_row(mt_table *table, const mt_run *run, uint64_t cycles)
{
    for (int k = 0; k < 5; k++) mt_table_number(table, NAN);
    MT_TABLE_NUMBERS(table, (double)cycles / (double)mt_run_profiled_steps(run), NAN,
        100 * (double)cycles / (double)mt_run_step_cycles(run),
        (double)cycles / run->layout->target->clock_hz);
}

static mt_table cycles_table(mt_arena *arena, const mt_run *run)
{
    const ipu_profile *profile = run->profile;
    mt_table table = mt_table_begin(arena, "cycles",
        "Cycles of a time step on the emulated machine: min, mean and max over the active tiles");
    mt_table_strings(&table, "phase", "phase");
    mt_table_decimals(&table, "vertices", "vertices", "", 0);
    mt_table_decimals(&table, "tiles", "tiles", "", 0);
    mt_table_decimals(&table, "runs", "runs", "", 2);
    mt_table_decimals(&table, "min_cycles", "min", "cycles", 0);
    mt_table_decimals(&table, "mean_cycles", "mean", "cycles", 0);
    mt_table_decimals(&table, "max_cycles", "max", "cycles", 0);
    mt_table_decimals(&table, "load_balance_percent", "load balance", "%", 1);
    mt_table_decimals(&table, "share_percent", "share", "%", 1);
    mt_table_digits(&table, "whole_run_s", "complete run", "s", 4);
    uint64_t total[MT_PHASES];
    mt_phases_count(profile, &run->problem->monodomain, total);
    const bool several_beats = mt_record_beats(&run->problem->monodomain.record) > 1;
    const bool is_implicit = run->problem->monodomain.diffusing != MT_DIFFUSING_EXPLICIT;
    for (int k = 0; k < MT_PHASES; k++)
        if ((several_beats || k != MT_PHASE_BEATS) &&
            (is_implicit || k < MT_PHASE_SOLVER || k > MT_PHASE_SUMS_EXCHANGE) &&
            (k < MT_PHASE_GATHER || total[k] > 0 || k == MT_PHASE_SYNC))
            phase_row(&table, run, (mt_phase)k, (double)total[k]);
    mt_table_item(&table, "time_step", "time step", 0);
    sum_row(&table, run, mt_run_step_cycles(run));
    if (ipu_clocks_needed(run->layout->target)) {
        mt_table_item(&table, "overlapped", "overlapped phases, subtracted", 1);
        sum_row(&table, run, profile->overlapped_cycles);
    }
    mt_table_item(&table, "time_step_fast", "constants, fast ends", 1);
    sum_row(&table, run, profile->band.at[IPU_FAST]);
    mt_table_item(&table, "time_step_slow", "constants, slow ends", 1);
    sum_row(&table, run, profile->band.at[IPU_SLOW]);
    mt_table_item(&table, "exposed_exchange", "exposed exchange with copies and sync", 1);
    sum_row(&table, run, profile->rearrangement_cycles + profile->exchange_cycles + profile->sync_cycles);
    return table;
}

/* Builds the table of the data exchanged in one run of each compute set that receives data. */
static mt_table exchange_table(mt_arena *arena, const ipu_profile *profile)
{
    const bool crosses = ipu_profile_crosses(profile);
    mt_table table =
        mt_table_begin(arena, "exchange", "Exchange of all tiles in one run of each compute set");
    mt_table_strings(&table, "compute_set", "compute set");
    mt_table_decimals(&table, "runs", "runs", "", 0);
    mt_table_decimals(&table, "pieces_received", "pieces received", "", 0);
    mt_table_decimals(&table, "setup_cycles", "set-up", "cycles", 0);
    mt_table_decimals(&table, "words_cycles", "words", "cycles", 0);
    mt_table_decimals(&table, "waiting_cycles", "waiting", "cycles", 0);
    mt_table_decimals(&table, "received_bytes", "received", "bytes", 0);
    mt_table_decimals(&table, "sent_bytes", "sent", "bytes", 0);
    mt_table_decimals(&table, "copied_bytes", "copied", "bytes", 0);
    if (crosses) mt_table_decimals(&table, "between_ipus_bytes", "between IPUs", "bytes", 0);
    if (crosses) mt_table_decimals(&table, "busiest_link_cycles", "busiest link", "cycles", 0);
    if (crosses) mt_table_strings(&table, "busiest_link", "its name");
    for (size_t s = 0; s < profile->n_steps; s++) {
        const ipu_profile_step *step = &profile->steps[s];
        if (step->ranges_received == 0 || step->runs == 0) continue;
        mt_table_text(&table, step->name);
        mt_table_number(&table, (double)step->runs);
        const ipu_exchange_parts parts = ipu_profile_exchange_parts(step);
        MT_TABLE_NUMBERS(&table, (double)step->ranges_received, (double)parts.setup, (double)parts.words,
            (double)parts.waiting, (double)step->bytes_received, (double)step->bytes_sent,
            (double)step->bytes_copied);
        if (crosses) mt_table_number(&table, (double)step->bytes_crossing);
        if (crosses) mt_table_number(&table, (double)(step->external_cycles - step->external_fixed_cycles));
        if (crosses) mt_table_text(&table, step->busiest_link);
    }
    return table;
}

/* Completes a row of the table of the complete run; streams and bytes are NaN if there are none. */
static void host_row(mt_table *table, const mt_run *run, double streams, double bytes, uint64_t cycles)
{
    MT_TABLE_NUMBERS(table, streams, bytes, (double)cycles, (double)cycles / run->layout->target->clock_hz,
        100 * (double)cycles / (double)run->profile->cycles);
}

/* Builds the table of the transfers from the tiles to the host, and of all time steps. */
static mt_table host_table(mt_arena *arena, const mt_run *run)
{
    const ipu_profile *profile = run->profile;
    mt_table table = mt_table_begin(arena, "host", "Complete run, including transfers to the host");
    mt_table_strings(&table, "part", "part");
    mt_table_decimals(&table, "streams", "streams", "", 0);
    mt_table_decimals(&table, "bytes", "bytes", "", 0);
    mt_table_decimals(&table, "cycles", "cycles", "", 0);
    mt_table_digits(&table, "time_s", "time", "s", 4);
    mt_table_decimals(&table, "share_percent", "share", "%", 1);
    mt_table_item(&table, "time_steps", "time steps", 0);
    host_row(&table, run, NAN, NAN, mt_run_step_cycles(run));
    mt_table_item(&table, "streams", "streams to the host", 0);
    host_row(&table, run, (double)profile->transfers, (double)profile->host_bytes_read, profile->host_cycles);
    mt_table_item(&table, "whole_run", "complete run", 0);
    host_row(&table, run, NAN, NAN, profile->cycles);
    return table;
}

_Static_assert(MT_PHASES + 8 <= MT_TABLE_COLUMNS_MAX, "the table of segments has a column for each phase");

/* True if any segment has cycles in a phase; other phases are omitted. */
static bool in_segments(const mt_segments *segments, int which)
{
    for (size_t k = 0; k < segments->n; k++)
        if (segments->segment[k].cycles[which] > 0) return true;
    return false;
}

/* Adds the row of a segment; without an emulated machine it has only the steps. */
static void segment_row(mt_table *table, const mt_segments *all, const mt_segment *s)
{
    const bool machine = s->machine[0] != 0;
    MT_TABLE_NUMBERS(table, (double)s->first, (double)s->end - 1);
    mt_table_text(table, machine ? s->machine : "cpu");
    MT_TABLE_NUMBERS(table, machine ? (double)s->ipus : NAN, machine ? (double)s->tiles : NAN);
    for (int p = 0; p < MT_PHASES; p++)
        if (in_segments(all, p)) mt_table_number(table, machine ? (double)s->cycles[p] : NAN);
    MT_TABLE_NUMBERS(table, machine ? (double)s->step_cycles : NAN, machine ? (double)s->host_cycles : NAN,
        machine ? (double)(s->step_cycles + s->host_cycles) / s->clock_hz : NAN);
}

/* Builds the table of the segments of the run, each with its machine. */
static mt_table segments_table(mt_arena *arena, const mt_segments *segments)
{
    mt_table table = mt_table_begin(arena, "segments",
        "Segments of the run, each with one machine and one partition: cycles of all time steps of a "
        "segment");
    mt_table_decimals(&table, "first_step", "first step", "", 0);
    mt_table_decimals(&table, "last_step", "last step", "", 0);
    mt_table_strings(&table, "machine", "machine");
    mt_table_decimals(&table, "ipus", "IPUs", "", 0);
    mt_table_decimals(&table, "tiles", "tiles", "", 0);
    for (int p = 0; p < MT_PHASES; p++)
        if (in_segments(segments, p))
            mt_table_decimals(&table, mt_phase_words_of[p].key, mt_phase_words_of[p].label, "cycles", 0);
    mt_table_decimals(&table, "step_cycles", "time steps", "cycles", 0);
    mt_table_decimals(&table, "host_cycles", "streams", "cycles", 0);
    mt_table_digits(&table, "time_s", "time", "s", 4);
    for (size_t k = 0; k < segments->n; k++)
        if (segments->segment[k].end > segments->segment[k].first)
            segment_row(&table, segments, &segments->segment[k]);
    return table;
}

/* Completes a row after its item. `all`: bytes of all tiles, or NaN if they are not applicable. */
static void memory_row(mt_table *table, size_t bytes, double all, const ipu_profile *profile)
{
    MT_TABLE_NUMBERS(table, (double)bytes, 100 * (double)bytes / (double)profile->memory_available, all);
}

/* Keys for the names of ipu_memory_category_name. */
static const char *const category_key[IPU_MEMORY_CATEGORIES] = {[IPU_MEMORY_VARIABLES] = "variables",
    [IPU_MEMORY_TEMPORARIES] = "temporary_variables",
    [IPU_MEMORY_RECEIVED] = "received",
    [IPU_MEMORY_REARRANGEMENT] = "rearrangement",
    [IPU_MEMORY_VERTEX_STATE] = "vertex_state",
    [IPU_MEMORY_VERTEX_CODE] = "vertex_code",
    [IPU_MEMORY_EXCHANGE_CODE] = "exchange_code",
    [IPU_MEMORY_RESERVED] = "reserved"};

static mt_table memory_table(mt_arena *arena, const ipu_profile *profile)
{
    const ipu_tile_memory *tile = &profile->fullest, *all = &profile->memory_all;
    mt_table table = mt_table_begin(arena, "memory", "Memory of a tile");
    mt_table_strings(&table, "item", "item");
    mt_table_decimals(&table, "bytes", "bytes", "", 0);
    mt_table_decimals(&table, "share_percent", "share of tile memory", "%", 1);
    mt_table_decimals(&table, "all_tiles_bytes", "all tiles", "bytes", 0);
    mt_table_item(&table, "median_tile", "median tile", 0);
    memory_row(&table, profile->memory_median, NAN, profile);
    mt_table_item(&table, "fullest_tile", "fullest tile", 0);
    memory_row(&table, profile->memory_max, (double)(all->total + all->gaps), profile);
    for (int k = 0; k < IPU_MEMORY_CATEGORIES; k++) {
        mt_table_item(&table, category_key[k], ipu_memory_category_name[k], 1);
        memory_row(&table, tile->bytes[k], (double)all->bytes[k], profile);
    }
    mt_table_item(&table, "gaps", "gaps", 1);
    memory_row(&table, tile->gaps, (double)all->gaps, profile);
    mt_table_item(&table, "always_live", "fullest tile: always live", 0);
    memory_row(&table, tile->always_live, (double)all->always_live, profile);
    mt_table_item(&table, "temporary_peak", "fullest tile: peak of temporary memory", 0);
    memory_row(&table, tile->not_always_live, NAN, profile);
    mt_table_item(&table, "available", "available", 0);
    memory_row(&table, profile->memory_available, NAN, profile);
    return table;
}

static mt_status map_row(mt_arena *arena, const mt_run *run, mt_map map, size_t beat, mt_table *table)
{
    char name[MT_RUN_NAME];
    float *values;
    mt_map_summary summary;
    const mt_unknowns places = mt_run_places(run);
    MT_TRY(mt_run_map(arena, run, map, beat, &values));
    MT_TRY(mt_map_summarise(values, mt_unknowns_count(&places), &summary));
    mt_run_map_name(run, map, beat, name);
    mt_table_text(table, name);
    mt_table_text(table, mt_map_unit[map]);
    MT_TABLE_NUMBERS(table, (double)summary.n, summary.low, summary.median, summary.high);
    return MT_OK;
}

/* Builds the table of the maps, with a row for each map of each beat. */
static mt_status maps_table(mt_arena *arena, const mt_run *run, mt_table *table)
{
    const mt_unknowns places = mt_run_places(run);
    const char *many = mt_unknowns_word(&places, 2);
    char title[96];
    (void)snprintf(title, sizeof title, "Maps: 5th percentile, median and 95th percentile over the %s", many);
    *table = mt_table_begin(arena, "maps", title);
    mt_table_strings(table, "map", "map");
    mt_table_strings(table, "unit", "unit");
    mt_table_decimals(table, many, many, "", 0);
    mt_table_digits(table, "percentile_5", "5th percentile", "", 5);
    mt_table_digits(table, "median", "median", "", 5);
    mt_table_digits(table, "percentile_95", "95th percentile", "", 5);
    for (size_t beat = 0; beat < run->results.n_beats; beat++)
        for (int map = 0; map < MT_MAPS; map++)
            if (mt_run_has_map(run, (mt_map)map)) MT_TRY(map_row(arena, run, (mt_map)map, beat, table));
    return MT_OK;
}

/* Builds the table of the numbers of unknowns with a defined conduction velocity, and with an undefined one by reason. */
static mt_table velocity_table(mt_arena *arena, const mt_run *run)
{
    char title[96];
    const mt_unknowns *unknowns = &run->problem->unknowns;
    const double n = (double)mt_unknowns_count(unknowns);
    const char *many = mt_unknowns_word(unknowns, 2);
    (void)snprintf(title, sizeof title,
        "Conduction velocity, fitted to activation times within a radius of at least %.9g mm",
        run->input->output.velocity_mm);
    mt_table table = mt_table_begin(arena, "conduction_velocity", title);
    mt_table_strings(&table, "outcome", "CV");
    mt_table_decimals(&table, "beat", "beat", "", 0);
    mt_table_decimals(&table, many, many, "", 0);
    mt_table_decimals(&table, "share_percent", "share", "%", 2);
    for (size_t beat = 0; beat < run->results.n_beats; beat++) {
        const size_t *n_reason = run->velocities[beat].n_reason;
        for (int k = 0; k < MT_VELOCITY_REASONS; k++) {
            mt_table_item(&table, mt_velocity_key[k], mt_velocity_label[k], 0);
            MT_TABLE_NUMBERS(&table, (double)beat + 1, (double)n_reason[k], 100 * (double)n_reason[k] / n);
        }
    }
    return table;
}

/* Adds the tables of QRS complexes, if any: that of the leads only if there are standard leads. */
static void add_qrs(mt_arena *arena, const mt_run *run, mt_table tables[MT_RUN_TABLES], size_t *n)
{
    mt_table leads;
    if (!run->qrs) return;
    mt_run_qrs_tables(arena, run, &tables[(*n)++], &leads);
    if (leads.n_values > 0) tables[(*n)++] = leads;
}

mt_status mt_run_tables(mt_arena *arena, const mt_run *run, mt_table tables[MT_RUN_TABLES], size_t *n)
{
    const mt_problem *problem = run->problem;
    mt_element_size size;
    MT_TRY(mt_element_size_find(&problem->whole, &size));
    tables[0] = summary_table(arena, run, &size);
    *n = 1;
    if (problem->placing.automatic) tables[(*n)++] = placing_table(arena, &problem->placing);
    if (has_measured_fronts(&problem->fronts)) tables[(*n)++] = fronts_table(arena, problem);
    if (problem->channels.n > 0) tables[(*n)++] = channels_table(arena, &problem->channels);
    if (run->problem->monodomain.stepping == MT_STEPPING_MULTIRATE)
        MT_TRY(stepping_table(arena, run, &tables[(*n)++]));
    if (problem->monodomain.evaluation == MT_EVALUATION_TABULATED)
        MT_TRY(evaluation_table(arena, run, &tables[(*n)++]));
    if (run->results.n_beats > 1 || (run->input->output.maps & ~((uint32_t)1 << MT_MAP_ACTIVATION)) != 0)
        MT_TRY(maps_table(arena, run, &tables[(*n)++]));
    if (run->velocities) tables[(*n)++] = velocity_table(arena, run);
    if (mt_operator_is_limited(&problem->diffusion))
        tables[(*n)++] = mt_operator_table(arena, &problem->mesh, &problem->adjacency, &problem->diffusion);
    if (problem->monodomain.conduction) MT_TRY(mt_run_network_table(arena, run, &tables[(*n)++]));
    if (problem->probes.n_points > 0) tables[(*n)++] = mt_run_probes_table(arena, run, false);
    add_qrs(arena, run, tables, n);
    if (run->profile) {
        if (mt_run_profiled_steps(run) > 0) tables[(*n)++] = cycles_table(arena, run);
        if (mt_run_profiled_steps(run) > 0 && problem->monodomain.diffusing != MT_DIFFUSING_EXPLICIT)
            tables[(*n)++] = implicit_table(arena, run);
        tables[(*n)++] = exchange_table(arena, run->profile);
        if (run->profile->transfers > 0) tables[(*n)++] = host_table(arena, run);
        tables[(*n)++] = memory_table(arena, run->profile);
    }
    if (mt_segments_several(&run->segments)) tables[(*n)++] = segments_table(arena, &run->segments);
    return MT_OK;
}
