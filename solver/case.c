#include "solver/case.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh/cut/partition.h"
#include "mesh/make/slab.h"

static const char *const backends[] = {"cpu", "ipu", NULL};

static const mt_yaml_key slab_keys[] = {
    MT_YAML_DOUBLES(mt_case, mesh.slab.size_mm, "size_mm", "[0, 0, 0]", MT_YAML_AT_LEAST(0)),
    MT_YAML_DOUBLE(mt_case, mesh.slab.edge_mm, "edge_mm", "0", MT_YAML_AT_LEAST(0)),
    MT_YAML_ENUM(mt_case, mesh.slab.cut, "cut", "mirrored", mt_slab_cut_name), MT_YAML_END};
static const mt_yaml_key mesh_keys[] = {
    MT_YAML_STRING(mt_case, mesh.file, "file", ""), MT_YAML_MAPPING("slab", slab_keys), MT_YAML_END};
static const mt_yaml_key tissue_keys[] = {
    MT_YAML_DOUBLE(mt_case, tissue.intracellular_l_mS_mm, "intracellular_l_mS_mm", NULL, MT_YAML_ABOVE(0)),
    MT_YAML_DOUBLE(mt_case, tissue.intracellular_t_mS_mm, "intracellular_t_mS_mm", NULL, MT_YAML_ABOVE(0)),
    MT_YAML_DOUBLE(mt_case, tissue.extracellular_l_mS_mm, "extracellular_l_mS_mm", NULL, MT_YAML_ABOVE(0)),
    MT_YAML_DOUBLE(mt_case, tissue.extracellular_t_mS_mm, "extracellular_t_mS_mm", NULL, MT_YAML_ABOVE(0)),
    MT_YAML_DOUBLE(mt_case, tissue.chi_per_mm, "chi_per_mm", NULL, MT_YAML_ABOVE(0)),
    MT_YAML_DOUBLE(mt_case, tissue.cm_uF_mm2, "cm_uF_mm2", NULL, MT_YAML_ABOVE(0)), MT_YAML_END};
static const mt_yaml_key cell_keys[] = {
    MT_YAML_STRING(mt_case, cell.model, "model", ""), MT_YAML_STRING(mt_case, cell.type, "type", NULL),
    MT_YAML_END};
static const mt_yaml_key time_keys[] = {
    MT_YAML_DOUBLE(mt_case, time.dt_ms, "dt_ms", "0.02", MT_YAML_WITHIN(1e-4, 1)),
    MT_YAML_DOUBLE(mt_case, time.end_ms, "end_ms", NULL, MT_YAML_ABOVE(0)),
    MT_YAML_UNSIGNED(mt_case, time.pde_steps, "pde_steps", "0", MT_YAML_WITHIN(0, 1000000)), MT_YAML_END};
static const mt_yaml_key stimulus_keys[] = {MT_YAML_STRING(mt_case_stimulus, site.at, "at", MT_YAML_NONE),
    MT_YAML_DOUBLES(mt_case_stimulus, site.centre_mm, "centre_mm", MT_YAML_NONE, MT_YAML_ANY),
    MT_YAML_DOUBLE(mt_case_stimulus, site.radius_mm, "radius_mm", MT_YAML_NONE, MT_YAML_ABOVE(0)),
    MT_YAML_DOUBLES(mt_case_stimulus, site.min_mm, "min_mm", MT_YAML_NONE, MT_YAML_ANY),
    MT_YAML_DOUBLES(mt_case_stimulus, site.max_mm, "max_mm", MT_YAML_NONE, MT_YAML_ANY),
    MT_YAML_STRING(mt_case_stimulus, site.surface, "surface", MT_YAML_NONE),
    MT_YAML_DOUBLE(mt_case_stimulus, site.depth_mm, "depth_mm", MT_YAML_NONE, MT_YAML_AT_LEAST(0)),
    MT_YAML_STRING(mt_case_stimulus, site.vtx, "vtx", MT_YAML_NONE),
    MT_YAML_DOUBLE(mt_case_stimulus, start_ms, "start_ms", "0", MT_YAML_AT_LEAST(0)),
    MT_YAML_DOUBLE(mt_case_stimulus, duration_ms, "duration_ms", NULL, MT_YAML_ABOVE(0)),
    MT_YAML_DOUBLE(mt_case_stimulus, period_ms, "period_ms", MT_YAML_NONE, MT_YAML_WITHIN(1e-4, 1e9)),
    MT_YAML_UNSIGNED(mt_case_stimulus, count, "count", "1", MT_YAML_WITHIN(1, 1000)),
    MT_YAML_DOUBLE(mt_case_stimulus, strength_uA_mm3, "strength_uA_mm3", NULL, MT_YAML_ABOVE(0)),
    MT_YAML_END};
static const mt_yaml_key point_keys[] = {MT_YAML_STRING(mt_case_point, name, "name", NULL),
    MT_YAML_DOUBLES(mt_case_point, at_mm, "at_mm", NULL, MT_YAML_ANY), MT_YAML_END};
static const mt_yaml_key line_keys[] = {
    MT_YAML_DOUBLES(mt_case, line.from_mm, "from_mm", "[0, 0, 0]", MT_YAML_ANY),
    MT_YAML_DOUBLES(mt_case, line.to_mm, "to_mm", "[0, 0, 0]", MT_YAML_ANY),
    MT_YAML_UNSIGNED(mt_case, line.points, "points", "0", MT_YAML_WITHIN(0, 1000)), MT_YAML_END};
static const mt_yaml_key machine_keys[] = {MT_YAML_ENUM(mt_case, machine.backend, "backend", "ipu", backends),
    MT_YAML_STRING(mt_case, machine.target, "target", "gc200"),
    MT_YAML_UNSIGNED(mt_case, machine.ipus, "ipus", "1", MT_YAML_WITHIN(1, 4096)),
    MT_YAML_UNSIGNED(mt_case, machine.tiles, "tiles", "0", MT_YAML_WITHIN(0, 1 << 20)),
    MT_YAML_STRING(mt_case, machine.partition, "partition", "flat"),
    MT_YAML_DOUBLE(mt_case, machine.imbalance, "imbalance", "1.03",
        MT_YAML_WITHIN(MT_IMBALANCE_LEAST, MT_IMBALANCE_MOST)),
    MT_YAML_BOOL(mt_case, machine.balance_halo, "balance_halo", "false"),
    MT_YAML_STRING(mt_case, machine.scheme, "scheme", "mixed-clean"),
    MT_YAML_UNSIGNED(mt_case, machine.ranges, "ranges", "0", MT_YAML_WITHIN(0, 1000000)),
    MT_YAML_BOOL(mt_case, machine.checked, "checked", "false"), MT_YAML_END};
static const mt_yaml_key case_keys[] = {MT_YAML_STRING(mt_case, title, "title", ""),
    MT_YAML_MAPPING("mesh", mesh_keys), MT_YAML_MAPPING("tissue", tissue_keys),
    MT_YAML_MAPPING("cell", cell_keys), MT_YAML_MAPPING("time", time_keys),
    MT_YAML_LIST(mt_case, stimuli, n_stimuli, "stimuli", 1, 64, stimulus_keys),
    MT_YAML_LIST(mt_case, points, n_points, "points", 0, 10000, point_keys),
    MT_YAML_MAPPING("line", line_keys), MT_YAML_MAPPING("machine", machine_keys), MT_YAML_END};

const mt_yaml_table mt_case_table = {case_keys, sizeof(mt_case)};

enum { STEPS_MAX = 1 << 24 }; /* the machine counts steps in single precision */

/* Gives the steps of a pulse. Too many are told of before they are rounded to a whole number that cannot hold them. */
static mt_status check_duration(const char *path, const mt_case *c, size_t s, long long *steps)
{
    const mt_case_stimulus *stimulus = &c->stimuli[s];
    const double dt_ms = c->time.dt_ms, end = (stimulus->start_ms + stimulus->duration_ms) / dt_ms;
    if (!(end <= STEPS_MAX))
        return mt_fail(MT_INPUT,
            "%s: stimuli.%zu.duration_ms: %g ends after %.4g steps of dt_ms = %g; allowed: at most %d steps",
            path, s, stimulus->duration_ms, end, dt_ms, STEPS_MAX);
    *steps = llround(end) - llround(stimulus->start_ms / dt_ms);
    if (*steps > 0) return MT_OK;
    return mt_fail(MT_INPUT, "%s: stimuli.%zu.duration_ms: %g is no whole step; allowed: at least dt_ms = %g",
        path, s, stimulus->duration_ms, dt_ms);
}

static mt_status check_pulses(const char *path, const mt_case *c, size_t s)
{
    const mt_case_stimulus *stimulus = &c->stimuli[s];
    long long steps = 0;
    if (stimulus->start_ms >= c->time.end_ms)
        return mt_fail(MT_INPUT, "%s: stimuli.%zu.start_ms: %g; allowed: below end_ms = %g", path, s,
            stimulus->start_ms, c->time.end_ms);
    MT_TRY(check_duration(path, c, s, &steps));
    if (isnan(stimulus->period_ms) != (stimulus->count == 1))
        return mt_fail(MT_INPUT,
            "%s: stimuli.%zu: period_ms is %sgiven and count is %zu; allowed: period_ms with count "
            "above 1, or neither",
            path, s, isnan(stimulus->period_ms) ? "not " : "", stimulus->count);
    if (stimulus->count > 1 && llround(stimulus->period_ms / c->time.dt_ms) <= steps)
        return mt_fail(MT_INPUT, "%s: stimuli.%zu.period_ms: %g; allowed: longer than duration_ms = %g", path,
            s, stimulus->period_ms, stimulus->duration_ms);
    return MT_OK;
}

/* end_ms is so many steps: what decimals leave of a step is nothing, but a good part of one, of however many, is a mistake. */
static mt_status check_end(const char *path, const mt_case *c)
{
    const double dt_ms = c->time.dt_ms, steps = c->time.end_ms / dt_ms;
    char below[64] = "";
    if (steps > STEPS_MAX)
        return mt_fail(MT_INPUT, "%s: time: end_ms %g is %.10g steps of dt_ms %g; allowed: at most %d steps",
            path, c->time.end_ms, steps, dt_ms, STEPS_MAX);
    if (round(steps) >= 1 && fabs(steps - round(steps)) <= fmin(1e-6 * steps, MT_CASE_PART_OF_A_STEP))
        return MT_OK;
    if (steps > 1) (void)snprintf(below, sizeof below, "%.12g or ", floor(steps) * dt_ms);
    return mt_fail(MT_INPUT,
        "%s: time.end_ms: %.12g; allowed: a whole number of steps of dt_ms = %g, at least one: %s%.12g", path,
        c->time.end_ms, dt_ms, below, ceil(steps) * dt_ms);
}

/* What is asked for in ms must be there in steps. */
static mt_status check_times(const char *path, const mt_case *c)
{
    MT_TRY(check_end(path, c));
    for (size_t s = 0; s < c->n_stimuli; s++) MT_TRY(check_pulses(path, c, s));
    return MT_OK;
}

/* Says whose fault the newest one is; path "" = none. */
static mt_status in_key(const char *path, const char *key)
{
    char message[1024];
    (void)snprintf(message, sizeof message, "%s", mt_message());
    return mt_fail(MT_INPUT, "%s%s%s: %s", path, *path ? ": " : "", key, message);
}

static mt_status in_stimulus(const char *path, size_t s)
{
    char key[64];
    (void)snprintf(key, sizeof key, "stimuli.%zu", s);
    return in_key(path, key);
}

enum { LAYERS = MT_LAYER_EPI - MT_LAYER_ENDO + 1 };

static bool is_of_layers(const mt_case *c) { return strcmp(c->cell.type, "layers") == 0; }

/* The variants of a model that are named as the layers of a wall. MT_INPUT: it lacks one. */
static mt_status find_layers(const mt_cell_model *model, size_t of_layer[LAYERS])
{
    static const char *const names[] = {[MT_LAYER_ENDO] = "endo", [MT_LAYER_MID] = "mid", [MT_LAYER_EPI] = "epi"};
    for (int layer = 0; layer < LAYERS; layer++)
        MT_TRY(mt_cell_variant_find(model, names[MT_LAYER_ENDO + layer], &of_layer[layer]));
    return MT_OK;
}

/* That the model is there, has the cells that are asked for, and is stable in such steps. */
static mt_status check_cells(const char *path, const mt_case *c)
{
    const mt_cell_model *model;
    size_t found[LAYERS];
    char names[256];
    if (mt_cell_model_find(c->cell.model, &model) != MT_OK) return in_key(path, "cell.model");
    const bool layered = find_layers(model, found) == MT_OK;
    if (!(is_of_layers(c) && layered) && mt_cell_variant_find(model, c->cell.type, found) != MT_OK) {
        mt_cell_variant_names(model, names, sizeof names);
        return mt_fail(MT_INPUT, "%s: cell.type: %.40s; allowed: %s%s", path, c->cell.type, names,
            layered ? ", layers" : "");
    }
    if (c->time.dt_ms <= model->dt_max_ms) return MT_OK;
    return mt_fail(MT_INPUT, "%s: time.dt_ms: %g; allowed: at most %g, where the cell model %s is stable", path,
        c->time.dt_ms, model->dt_max_ms, model->name);
}

static mt_status check(const char *path, const mt_case *c)
{
    const bool file = c->mesh.file[0] != 0, slab = c->mesh.slab.edge_mm > 0;
    if (file == slab)
        return mt_fail(MT_INPUT,
            "%s: mesh: %s; needed: either file, or slab with size_mm and edge_mm above 0", path,
            file ? "both file and slab are given" : "neither file nor slab is given");
    MT_TRY(check_cells(path, c));
    MT_TRY(check_times(path, c));
    for (size_t s = 0; s < c->n_stimuli; s++)
        if (mt_site_check(&c->stimuli[s].site) != MT_OK) return in_stimulus(path, s);
    return MT_OK;
}

mt_status mt_case_load(
    mt_arena *arena, const char *path, const char *const *overrides, size_t n_overrides, mt_case *out)
{
    MT_TRY(mt_yaml_load(arena, path, &mt_case_table, overrides, n_overrides, out));
    if (!out->cell.model[0]) out->cell.model = mt_cell_models[0]->name;
    return check(path, out);
}

static double in_series(double a, double b) { return a * b / (a + b); }

mt_tissue mt_case_tissue(const mt_case *from)
{
    return (mt_tissue){
        .sigma_l_mS_mm = in_series(from->tissue.intracellular_l_mS_mm, from->tissue.extracellular_l_mS_mm),
        .sigma_t_mS_mm = in_series(from->tissue.intracellular_t_mS_mm, from->tissue.extracellular_t_mS_mm),
        .chi_per_mm = from->tissue.chi_per_mm,
        .cm_uF_mm2 = from->tissue.cm_uF_mm2,
    };
}

const mt_cell_model *mt_case_model(const mt_case *from)
{
    const mt_cell_model *model = NULL;
    const mt_status status = mt_cell_model_find(from->cell.model, &model);
    assert(status == MT_OK); /* it was checked */
    (void)status;
    return model;
}

mt_status mt_case_cells(mt_arena *arena, const mt_case *from, const mt_mesh *mesh, mt_monodomain *problem)
{
    uint16_t *variant_of;
    size_t of_layer[LAYERS];
    problem->model = mt_case_model(from);
    problem->variant = 0;
    problem->variant_of = NULL;
    if (!is_of_layers(from)) return mt_cell_variant_find(problem->model, from->cell.type, &problem->variant);
    if (!mesh->layer)
        return mt_fail(MT_INPUT, "cell.type: layers; the mesh has none: `myotile mesh fibres` writes them, "
                                 "or take epi, mid or endo");
    MT_TRY(find_layers(problem->model, of_layer));
    MT_TAKE(arena, variant_of, mesh->n_cells);
    for (size_t c = 0; c < mesh->n_cells; c++) {
        const int32_t layer = mesh->layer[c];
        if (layer < MT_LAYER_ENDO || layer > MT_LAYER_EPI)
            return mt_fail(MT_INPUT,
                "cell.type: layers; cell %zu is in layer %d; allowed: %d (endo) to %d (epi)", c, layer,
                MT_LAYER_ENDO, MT_LAYER_EPI);
        variant_of[c] = (uint16_t)of_layer[layer - MT_LAYER_ENDO];
    }
    problem->variant_of = variant_of;
    return MT_OK;
}

mt_status mt_case_stimuli(mt_arena *arena, const mt_case *from, const mt_mesh *mesh, mt_stimulus **stimuli)
{
    MT_TAKE(arena, *stimuli, from->n_stimuli);
    for (size_t s = 0; s < from->n_stimuli; s++) {
        const mt_case_stimulus *asked = &from->stimuli[s];
        size_t n;
        uint32_t *cells;
        mt_status status = mt_site_cells(arena, &asked->site, mesh, &n, &cells);
        if (status == MT_INPUT) return in_stimulus("", s);
        MT_TRY(status);
        (*stimuli)[s] = (mt_stimulus){
            .start_ms = asked->start_ms,
            .duration_ms = asked->duration_ms,
            .rise_mV_ms = asked->strength_uA_mm3 / (from->tissue.chi_per_mm * from->tissue.cm_uF_mm2),
            .n_cells = n,
            .cell = cells,
            .period_ms = asked->count > 1 ? asked->period_ms : 0,
            .repeats = asked->count - 1,
        };
    }
    return MT_OK;
}
