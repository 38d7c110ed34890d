#include "app/results/network_files.h"

#include <math.h>
#include <stdio.h>

#include "data/core/select.h"
#include "mesh/network/network_hdf.h"
#include "mesh/vtk/vtk.h"
#include "solver/conduction/conducting.h"

static const mt_conduction *conduction_of(const mt_run *run) { return run->problem->monodomain.conduction; }

enum { NAME = 32 };

/* Makes the fields of the points: the activation of each beat. */
static mt_status make_fields(mt_arena *arena, const mt_run *run, mt_lines *lines)
{
    mt_line_field *field;
    lines->n_fields = run->results.n_beats;
    MT_ALLOC(arena, field, lines->n_fields);
    for (size_t b = 0; b < lines->n_fields; b++) {
        char *name;
        double *values;
        MT_ALLOC(arena, name, NAME);
        MT_ALLOC(arena, values, lines->n_points);
        (void)snprintf(name, NAME, b > 0 ? "activation_beat%zu" : "activation", b + 1);
        for (size_t k = 0; k < lines->n_points; k++) {
            const double at_ms = run->results.conduction_ms[b][k];
            values[k] = isinf(at_ms) ? NAN : at_ms;
        }
        field[b] = (mt_line_field){name, values};
    }
    lines->field = field;
    return MT_OK;
}

/* Copies the pieces between two points. */
static void put_pieces(const mt_conduction *conduction, mt_lines *lines)
{
    const mt_cables *c = &conduction->cables;
    const mt_network *network = conduction->network;
    for (size_t k = 0; k < c->n_chains; k++)
        for (size_t piece = c->chain[k].first + k; piece <= c->chain[k].end + k; piece++) {
            const uint32_t segment = c->segment_of[piece];
            const size_t n = lines->n_segments;
            if (segment == MT_NO_POINT) continue;
            mt_cables_piece(c, k, piece, lines->segment_point + 2 * n);
            if (lines->radius_mm) lines->radius_mm[n] = network->radius_mm[segment];
            if (lines->kind) lines->kind[n] = network->kind[segment];
            lines->n_segments++;
        }
}

/* Returns the activation times of a junction in a beat. */
static mt_passage_times times_of(const mt_run *run, size_t beat, size_t junction)
{
    const mt_conduction *c = conduction_of(run);
    const mt_record *record = &run->problem->monodomain.record;
    const double *times_ms = run->results.conduction_ms[beat], dt_ms = run->input->time.dt_ms;
    const uint32_t end = c->junctions.point[junction];
    const bool last = beat + 1 == run->results.n_beats;
    return (mt_passage_times){.inside_ms = times_ms[c->junctions.inside[junction]],
        .cable_ms = times_ms[end],
        .tissue_ms = times_ms[c->cables.n_points + junction],
        .end_ms = last ? mt_run_reached_ms(run) : (double)mt_record_first(record, beat + 1) * dt_ms,
        .share = mt_passage_share(&c->junctions, junction, run->problem->diffusion.volume_mm3,
            run->results.beats[beat].activation_ms, times_ms[end])};
}

static mt_passage passage_of(const mt_run *run, size_t beat, size_t junction)
{
    const mt_passage_times t = times_of(run, beat, junction);
    return mt_passage_of(&t);
}

static bool is_failure(mt_passage passage)
{
    return passage == MT_PASSAGE_ANTEGRADE_FAILED || passage == MT_PASSAGE_RETROGRADE_FAILED;
}

mt_run_junctions mt_run_junctions_count(const mt_run *run, size_t beat)
{
    mt_run_junctions n = {0, 0};
    for (size_t k = 0; k < conduction_of(run)->junctions.n; k++) {
        const mt_passage passage = passage_of(run, beat, k);
        n.failed += is_failure(passage);
        n.open += passage == MT_PASSAGE_OPEN;
    }
    return n;
}

static mt_status make_lines(mt_arena *arena, const mt_run *run, mt_lines *lines)
{
    const mt_conduction *conduction = conduction_of(run);
    const mt_cables *c = &conduction->cables;
    *lines = (mt_lines){.n_points = c->n_points, .xyz_mm = c->xyz_mm};
    MT_ALLOC(arena, lines->segment_point, 2 * c->n_pieces);
    if (conduction->network->radius_mm) MT_ALLOC(arena, lines->radius_mm, c->n_pieces);
    if (conduction->network->kind) MT_ALLOC(arena, lines->kind, c->n_pieces);
    put_pieces(conduction, lines);
    return make_fields(arena, run, lines);
}

mt_status mt_run_network_write(const mt_run *run, const char *path)
{
    MT_SCRATCH(scratch);
    mt_lines lines;
    MT_TRY(make_lines(scratch, run, &lines));
    return mt_vtp_write_lines(path, &lines);
}

static mt_status give_frame(void *context, size_t frame, float *values)
{
    return mt_frames_read(context, frame, 0, values);
}

mt_status mt_run_network_write_hdf(
    const mt_run *run, size_t n_notes, const mt_vtkhdf_note *notes, const char *path)
{
    MT_SCRATCH(scratch);
    mt_frames frames = {0};
    mt_lines lines;
    double *time_ms;
    int64_t step;
    if (run->sampling) frames = run->sampling->frames[MT_SAMPLE_NETWORK];
    MT_TRY(make_lines(scratch, run, &lines));
    MT_ALLOC(scratch, time_ms, frames.n);
    for (size_t k = 0; k < frames.n; k++) MT_TRY(mt_frames_time(&frames, k, &step, &time_ms[k]));
    return mt_network_hdf_write(path, &(mt_network_series){.lines = &lines,
                                          .field_unit = "ms",
                                          .n_frames = frames.n,
                                          .time_ms = time_ms,
                                          .name = "V",
                                          .unit = "mV",
                                          .give = give_frame,
                                          .context = &frames,
                                          .n_notes = n_notes,
                                          .notes = notes});
}

/* Writes the numbers of failed and open junctions; "" if there are none. */
static void write_note(const mt_run *run, size_t beat, char *note, size_t size)
{
    const mt_run_junctions n = mt_run_junctions_count(run, beat);
    char open[32] = "";
    note[0] = '\0';
    if (n.open > 0) (void)snprintf(open, sizeof open, ", %zu open", n.open);
    if (n.failed + n.open > 0)
        (void)snprintf(
            note, size, "%zu of %zu junctions failed%s", n.failed, conduction_of(run)->junctions.n, open);
}

mt_status mt_run_network_picture(mt_arena *arena, const mt_run *run, size_t beat, mt_network_lines *picture)
{
    const mt_conduction *conduction = conduction_of(run);
    const mt_junctions *junctions = &conduction->junctions;
    mt_lines lines;
    float *values;
    uint8_t *failed;
    char *note;
    enum { NOTE = 128 };
    MT_TRY(make_lines(arena, run, &lines));
    MT_ALLOC(arena, values, lines.n_points);
    MT_ALLOC(arena, failed, junctions->n);
    MT_ALLOC(arena, note, NOTE);
    for (size_t k = 0; k < lines.n_points; k++) values[k] = (float)lines.field[beat].values[k];
    for (size_t k = 0; k < junctions->n; k++) failed[k] = is_failure(passage_of(run, beat, k));
    write_note(run, beat, note, NOTE);
    *picture = (mt_network_lines){.n_points = lines.n_points,
        .n_lines = lines.n_segments,
        .xyz_mm = lines.xyz_mm,
        .line = lines.segment_point,
        .values = values,
        .n_ends = junctions->n,
        .end = junctions->point,
        .failed = failed,
        .note = note};
    return MT_OK;
}

static double or_nan(double ms) { return isinf(ms) ? NAN : ms; }

mt_table mt_run_junctions_table(mt_arena *arena, const mt_run *run)
{
    const mt_conduction *conduction = conduction_of(run);
    mt_table table = mt_table_begin(arena, "junctions", "Junctions of the network with the tissue");
    mt_table_decimals(&table, "junction", "junction", "", 0);
    mt_table_decimals(&table, "x_mm", "x", "mm", 2);
    mt_table_decimals(&table, "y_mm", "y", "mm", 2);
    mt_table_decimals(&table, "z_mm", "z", "mm", 2);
    mt_table_decimals(&table, "beat", "beat", "", 0);
    mt_table_decimals(&table, "cable_ms", "cable", "ms", 3);
    mt_table_decimals(&table, "tissue_ms", "tissue", "ms", 3);
    mt_table_decimals(&table, "delay_ms", "delay", "ms", 3);
    mt_table_strings(&table, "passage", "passage");
    for (size_t k = 0; k < conduction->junctions.n; k++)
        for (size_t b = 0; b < run->results.n_beats; b++) {
            const double *x = conduction->cables.xyz_mm + 3 * (size_t)conduction->junctions.point[k];
            const mt_passage_times t = times_of(run, b, k);
            MT_TABLE_NUMBERS(&table, (double)k, x[0], x[1], x[2], (double)b + 1, or_nan(t.cable_ms),
                or_nan(t.tissue_ms), or_nan(t.tissue_ms) - or_nan(t.cable_ms));
            mt_table_text(&table, mt_passage_name[mt_passage_of(&t)]);
        }
    return table;
}

/* The passages of a beat. */
typedef struct passages {
    size_t n[MT_PASSAGES];
    double delay_ms[MT_PASSAGES]; /* medians, NaN if there are none */
    double first_ms, last_ms;     /* activation of the tissue at a junction */
} passages;

/* Finds the median delay of one kind of passage. */
static mt_status find_delay(const mt_run *run, size_t beat, mt_passage kind, double *median_ms)
{
    MT_SCRATCH(scratch);
    const size_t n_all = conduction_of(run)->junctions.n;
    double *delay_ms;
    size_t n = 0;
    MT_ALLOC(scratch, delay_ms, n_all);
    for (size_t k = 0; k < n_all; k++) {
        const mt_passage_times t = times_of(run, beat, k);
        if (mt_passage_of(&t) == kind) delay_ms[n++] = fabs(t.tissue_ms - t.cable_ms);
    }
    *median_ms = mt_median(delay_ms, n);
    return MT_OK;
}

static mt_status count(const mt_run *run, size_t beat, passages *p)
{
    *p = (passages){.first_ms = INFINITY, .last_ms = -INFINITY};
    for (size_t k = 0; k < conduction_of(run)->junctions.n; k++) {
        const mt_passage_times t = times_of(run, beat, k);
        p->n[mt_passage_of(&t)]++;
        p->first_ms = fmin(p->first_ms, t.tissue_ms);
        if (isfinite(t.tissue_ms)) p->last_ms = fmax(p->last_ms, t.tissue_ms);
    }
    MT_TRY(find_delay(run, beat, MT_PASSAGE_ANTEGRADE, &p->delay_ms[MT_PASSAGE_ANTEGRADE]));
    return find_delay(run, beat, MT_PASSAGE_RETROGRADE, &p->delay_ms[MT_PASSAGE_RETROGRADE]);
}

mt_status mt_run_network_table(mt_arena *arena, const mt_run *run, mt_table *result)
{
    const mt_conduction *conduction = conduction_of(run);
    char title[160];
    (void)snprintf(title, sizeof title,
        "Conduction network: %zu points of cables, %zu junctions with %zu voltages",
        conduction->cables.n_points, conduction->junctions.n, conduction->junctions.n_unknowns);
    mt_table table = mt_table_begin(arena, "network", title);
    mt_table_decimals(&table, "beat", "beat", "", 0);
    mt_table_decimals(&table, "antegrade", "antegrade", "", 0);
    mt_table_decimals(&table, "antegrade_delay_ms", "median delay", "ms", 2);
    mt_table_decimals(&table, "retrograde", "retrograde", "", 0);
    mt_table_decimals(&table, "retrograde_delay_ms", "median delay", "ms", 2);
    mt_table_decimals(&table, "antegrade_failed", "antegrade failed", "", 0);
    mt_table_decimals(&table, "retrograde_failed", "retrograde failed", "", 0);
    mt_table_decimals(&table, "collision", "collision", "", 0);
    mt_table_decimals(&table, "open", "open", "", 0);
    mt_table_decimals(&table, "neither", "not activated", "", 0);
    mt_table_decimals(&table, "first_ms", "first in tissue", "ms", 2);
    mt_table_decimals(&table, "last_ms", "last in tissue", "ms", 2);
    for (size_t b = 0; b < run->results.n_beats; b++) {
        passages p;
        MT_TRY(count(run, b, &p));
        MT_TABLE_NUMBERS(&table, (double)b + 1, (double)p.n[MT_PASSAGE_ANTEGRADE],
            p.delay_ms[MT_PASSAGE_ANTEGRADE], (double)p.n[MT_PASSAGE_RETROGRADE],
            p.delay_ms[MT_PASSAGE_RETROGRADE], (double)p.n[MT_PASSAGE_ANTEGRADE_FAILED],
            (double)p.n[MT_PASSAGE_RETROGRADE_FAILED], (double)p.n[MT_PASSAGE_COLLISION],
            (double)p.n[MT_PASSAGE_OPEN], (double)p.n[MT_PASSAGE_NONE], or_nan(p.first_ms),
            or_nan(p.last_ms));
    }
    *result = table;
    return MT_OK;
}

bool mt_run_has_network_frames(const mt_run *run)
{
    return run->sampling && run->sampling->frames[MT_SAMPLE_NETWORK].n > 0;
}

const char *mt_run_network_names(const mt_run *run)
{
    return !conduction_of(run) ? ""
           : mt_run_has_network_frames(run)
               ? "network.vtp, network.hdf, network.xdmf, network.csv, junctions.csv, "
               : "network.vtp, network.hdf, network.csv, junctions.csv, ";
}
