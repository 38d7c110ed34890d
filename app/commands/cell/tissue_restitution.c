#include "app/commands/cell/tissue_restitution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/progress.h"
#include "app/draw/chart/curves.h"
#include "solver/cells/parameters.h"
#include "data/core/order.h"

/* ---- options ---- */

static const char *const sizes[] = {"--edge-mm", "--length-mm", NULL},
                         *const ways[] = {"--family", "--seed", "--direction", NULL},
                         *const meshes[] = {"--edge-mm", "--length-mm", "--family", "--seed", NULL},
                         *const cells[] = {"--model", "--type", "--start", "--scale", "--dt-ms", NULL};

/* Returns the first option of the list that was given; NULL if there is none. */
static const char *first_given(const mt_arguments *arguments, const char *const *names)
{
    while (*names && !mt_option_given(arguments, *names)) names++;
    return *names;
}

mt_status mt_tissue_restitution_requested(const mt_arguments *arguments, bool *asked)
{
    const char *way = first_given(arguments, ways);
    *asked = first_given(arguments, sizes) || mt_option_given(arguments, "--case") ||
             mt_option_given(arguments, "--cable");
    if (*asked || !way) return MT_OK;
    return mt_fail(MT_INPUT, "%s applies to tissue; required with it: --edge-mm, --length-mm, --case%s", way,
        strcmp(way, "--direction") == 0 ? " or --cable" : "");
}

static mt_status check_options(const mt_arguments *arguments, bool cable)
{
    const char *mesh = first_given(arguments, meshes), *cell = first_given(arguments, cells);
    if (cable && mesh) return mt_fail(MT_INPUT, "--cable and %s; a cable has no mesh", mesh);
    if (mt_option_given(arguments, "--case") && cell)
        return mt_fail(MT_INPUT,
            "--case and %s; cell and time step belong to the case: --set path.to.key=value changes them",
            cell);
    return MT_OK;
}

static mt_status cell_of_case(mt_arena *arena, const mt_case *input, mt_chosen_cell *cell)
{
    const mt_cell_model *model = mt_case_model(input);
    const mt_cell_variant *base = &model->variants[input->cell.type];
    *cell = (mt_chosen_cell){.model = model,
        .changed = input->cell.asked.n_scales + input->cell.asked.n_sets > 0,
        .dt_ms = input->time.dt_ms};
    MT_TRY(mt_cell_variant_change(arena, model, base, &input->cell.asked, &cell->variant));
    cell->v_mV = cell->variant.v_mV;
    cell->states = cell->variant.states;
    return MT_OK;
}

/* Combines tissue and scheme of a case with the cell of the options. */
static mt_status medium_with(const mt_case *input, const mt_chosen_cell *cell, mt_wave_medium *medium)
{
    MT_TRY(mt_wave_medium_of_case(input, medium));
    medium->model = cell->model;
    medium->scheme.front_ms = cell->model->front_ms;
    medium->dt_ms = cell->dt_ms;
    return mt_cell_variant_find(cell->model, cell->variant.name, &medium->variant);
}

mt_status mt_tissue_restitution_read(
    mt_arena *arena, const mt_arguments *arguments, mt_tissue_restitution *t, mt_chosen_cell *cell)
{
    const bool own_case = mt_option_given(arguments, "--case");
    mt_case input;
    mt_yaml_override *sets;
    size_t n_sets, axis;
    *t = (mt_tissue_restitution){.cable = mt_option_given(arguments, "--cable"), .blocked_ms = NAN};
    MT_TRY(check_options(arguments, t->cable));
    MT_TRY(mt_option_word(
        arguments, "--direction", mt_plane_wave_direction[0], mt_plane_wave_direction, 2, &axis));
    t->axis = (int)axis;
    MT_TRY(mt_option_overrides(arena, arguments, "--set", &n_sets, &sets));
    MT_TRY(mt_slab_options_case(arena, arguments, own_case ? n_sets : 0, sets, &input));
    if (!t->cable) MT_TRY(mt_slab_options_kind(arguments, &input, &t->kind));
    if (!own_case) {
        MT_TRY(mt_cell_options_read(arena, arguments, cell));
        return medium_with(&input, cell, &t->medium);
    }
    MT_TRY(mt_wave_medium_of_case(&input, &t->medium));
    mt_slab_options_warn("restitution", &input);
    return cell_of_case(arena, &input, cell);
}

/* ---- the measurement ---- */

/* Builds the strand; it borrows the slab. */
static mt_status make_strand(
    mt_arena *slab_arena, mt_arena *arena, const mt_tissue_restitution *t, mt_wave_slab *slab, mt_strand *s)
{
    mt_progress_stage("reading or generating the mesh");
    if (t->cable) return mt_strand_of_points(arena, &t->medium, t->axis, s);
    MT_TRY(mt_wave_slab_make(
        slab_arena, &t->kind, t->axis, NAN, mt_strand_length_scale(&t->medium, t->axis), slab));
    return mt_strand_of_slab(arena, slab, &t->medium, s);
}

static mt_status measure(
    mt_tissue_restitution *t, const mt_cell_variant *variant, double longest_ms, size_t n)
{
    MT_SCRATCH(slab_arena);
    MT_SCRATCH(scratch);
    mt_wave_slab slab;
    mt_strand strand;
    MT_TRY(make_strand(slab_arena, scratch, t, &slab, &strand));
    t->n_elements = strand.diffusion.n_unknowns;
    t->size = (mt_element_size){strand.spacing_mm, strand.spacing_mm};
    if (!t->cable) MT_TRY(mt_element_size_find(&slab.mesh, &t->size));
    const mt_premature what = {&strand, &t->medium, variant, longest_ms};
    return mt_premature_measure(&what, &t->s1, n, t->s2);
}

mt_status mt_tissue_restitution_measure(mt_arena *arena, mt_tissue_restitution *t,
    const mt_cell_variant *variant, double longest_ms, size_t n, const double *interval_ms)
{
    MT_ALLOC(arena, t->s2, n);
    for (size_t k = 0; k < n; k++) t->s2[k].interval_ms = interval_ms[k];
    const mt_status status = measure(t, variant, longest_ms, n);
    mt_progress_stage(NULL);
    MT_TRY(mt_fail_in("restitution", status));
    while (t->n < n && !isnan(t->s2[t->n].speed_mm_ms)) t->n++;
    if (t->n < n) t->blocked_ms = t->s2[t->n].interval_ms;
    if (t->n > 0) return MT_OK;
    return mt_fail(
        MT_NUMERICS, "restitution: S2 is blocked at %g ms; a longer interval may help", t->s2[0].interval_ms);
}

/* ---- the tables ---- */

static mt_table points(mt_arena *arena, const mt_tissue_restitution *t, const char *title)
{
    mt_table table = mt_table_begin(arena, "s1_s2_tissue", title);
    mt_table_decimals(&table, "s1_s2_interval_ms", "S1 to S2", "ms", 2);
    mt_table_decimals(&table, "diastolic_interval_ms", "DI", "ms", 2);
    mt_table_decimals(&table, "conduction_velocity_mm_per_ms", "CV", "mm/ms", 4);
    mt_table_decimals(&table, "of_s1_percent", "relative CV", "%", 1);
    mt_table_decimals(&table, "apd90_ms", "APD90", "ms", 2);
    for (size_t k = 0; k < t->n; k++) {
        const mt_premature_wave *w = &t->s2[k];
        MT_TABLE_NUMBERS(&table, w->interval_ms, w->diastolic_interval_ms, w->speed_mm_ms,
            100 * w->speed_mm_ms / t->s1.speed_mm_ms, w->apd90_ms);
    }
    return table;
}

static mt_table summary(mt_arena *arena, const mt_tissue_restitution *t, const mt_chosen_cell *cell)
{
    mt_table table = mt_table_properties(arena, "restitution", "Restitution");
    const mt_premature_wave *last = &t->s2[t->n - 1];
    mt_table_property_text(&table, "model", "model", cell->model->name);
    mt_table_property_text(&table, "type", "type", cell->variant.name);
    mt_table_property_text(
        &table, "direction", "direction relative to the fibres", mt_plane_wave_direction[t->axis]);
    mt_table_property_text(
        &table, "family", "mesh family", t->cable ? "none (1-D cable)" : mt_slab_family_name[t->kind.family]);
    mt_table_property(&table, "elements", t->cable ? "points" : "elements", (double)t->n_elements, "");
    mt_table_property(
        &table, "length_mm", t->cable ? "node spacing" : "element size", t->size.length_mm, "mm");
    if (!t->cable) mt_table_property(&table, "mean_edge_mm", "mean edge", t->size.edge_mm, "mm");
    mt_table_property(&table, "time_step_ms", "time step", t->medium.dt_ms, "ms");
    mt_table_property(&table, "s1_conduction_velocity_mm_per_ms", "CV of S1", t->s1.speed_mm_ms, "mm/ms");
    mt_table_property(&table, "s1_apd90_ms", "APD90 of S1", t->s1.apd90_ms, "ms");
    mt_table_property(
        &table, "shortest_interval_ms", "shortest interval with propagation of S2", last->interval_ms, "ms");
    mt_table_property(&table, "shortest_diastolic_interval_ms", "its diastolic interval",
        last->diastolic_interval_ms, "ms");
    mt_table_property(&table, "blocked_interval_ms", "next interval, with block of S2", t->blocked_ms, "ms");
    return table;
}

void mt_tissue_restitution_tables(mt_arena *arena, const mt_tissue_restitution *t, const mt_chosen_cell *cell,
    const char *title, mt_table tables[2])
{
    tables[0] = points(arena, t, title);
    tables[1] = summary(arena, t, cell);
}

/* ---- the picture ---- */

MT_ORDER(by_diastolic_interval, mt_premature_wave, diastolic_interval_ms)

mt_status mt_tissue_restitution_draw(
    mt_arena *arena, const mt_tissue_restitution *t, const char *title, const char *path)
{
    enum { VELOCITY, APD, PANELS };
    mt_premature_wave *w;
    mt_curve curve[PANELS];
    size_t n_panels = APD; /* omits the panel of APD90 if no wave has one */
    MT_COPY(arena, w, t->s2, t->n);
    qsort(w, t->n, sizeof *w, by_diastolic_interval);
    const double last_ms = fmax(w[t->n - 1].diastolic_interval_ms, 1), step = mt_page_step(last_ms, 10),
                 from_ms = step * floor(fmin(w[0].diastolic_interval_ms, 0) / step);
    for (int p = 0; p < PANELS; p++)
        MT_TRY(mt_curve_begin(arena, from_ms, step * ceil(last_ms / step), &curve[p]));
    for (size_t k = 0; k < t->n; k++) {
        mt_curve_add(&curve[VELOCITY], w[k].diastolic_interval_ms, w[k].speed_mm_ms);
        if (isnan(w[k].apd90_ms)) continue;
        mt_curve_add(&curve[APD], w[k].diastolic_interval_ms, w[k].apd90_ms);
        n_panels = PANELS;
    }
    const mt_curve_panel panel[] = {
        {.caption = "CV, mm/ms", .curve = &curve[VELOCITY], .look = MT_CURVE_DOTTED_LINE},
        {.caption = "APD90, ms", .curve = &curve[APD], .look = MT_CURVE_DOTTED_LINE}};
    return mt_curves_write(path, &(mt_curves){title, "diastolic interval, ms", n_panels, panel, NULL});
}
