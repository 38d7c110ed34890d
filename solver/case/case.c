#include "solver/backends/backend.h"
#include "solver/case/case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh/cut/partition.h"
#include "mesh/cut/scheme.h"
#include "mesh/make/slab.h"
#include "mesh/network/purkinje.h"
#include "solver/outputs/ecg.h"
#include "solver/outputs/leads.h"
#include "solver/plan/tiling.h"
#include "solver/tissue/kinds.h"
#include "solver/tissue/sites.h"
#include "solver/cells/open.h"

static const char *const truths[] = {"false", "true", NULL};
static const char *const beats[] = {[MT_CASE_BEATS_FIRST] = "first", [MT_CASE_BEATS_EVERY] = "every", NULL};
static const char *const vertices[] = {[MT_CASE_VERTICES_CSV] = "csv", [MT_CASE_VERTICES_DAT] = "dat", NULL};
static const char *const untils[] = {
    [MT_CASE_UNTIL_END] = "end", [MT_CASE_UNTIL_ACTIVATED] = "activated", NULL};
static const char *const activations[] = {
    [MT_CASE_MONODOMAIN] = "monodomain", [MT_CASE_EIKONAL] = "eikonal", NULL};
static const char *const backends[] = {
    [MT_CASE_CPU] = "cpu", [MT_CASE_IPU] = "ipu", [MT_CASE_OPENCL] = "opencl", NULL};
static const char *const precisions[] = {[MT_CASE_SINGLE] = "single", [MT_CASE_DOUBLE] = "double", NULL};
/* The models with kernels that read tables (mt_cell_model.n_functions). */
#define TABULATED_MODELS "tp06, torord, courtemanche, stewart, and those of files with costly functions of V"

static const char *const compiles[] = {[MT_CASE_COMPILE_AUTO] = "auto",
    [MT_CASE_COMPILE_NEVER] = "never",
    [MT_CASE_COMPILE_ALWAYS] = "always",
    NULL};

mt_status mt_case_layers(const mt_cell_model *model, size_t of_layer[MT_CASE_LAYERS])
{
    static const char *const names[] = {
        [MT_LAYER_ENDO] = "endo", [MT_LAYER_MID] = "mid", [MT_LAYER_EPI] = "epi"};
    for (int layer = 0; layer < MT_CASE_LAYERS; layer++)
        MT_TRY(mt_cell_variant_find(model, names[MT_LAYER_ENDO + layer], &of_layer[layer]));
    return MT_OK;
}

/* ---- words */

static mt_status open_model(mt_arena *arena, void *input)
{
    mt_case *c = input;
    return mt_cell_model_open(arena, c->cell.named, &c->cell.model);
}

static const char *identity_of_model(const void *input) { return mt_case_model(input)->identity; }

static const mt_yaml_opener model_opener = {open_model, identity_of_model};

static mt_status open_network_model(mt_arena *arena, void *input)
{
    mt_case *c = input;
    return mt_cell_model_open(arena, c->network.named, &c->network.model);
}

static const char *identity_of_network_model(const void *input)
{
    return ((const mt_case *)input)->network.model->identity;
}

static const mt_yaml_opener network_model_opener = {open_network_model, identity_of_network_model};

/* Returns the model of a case; without a case, all models of the table. */
static const mt_cell_model *const *models_of(const void *input)
{
    return input ? &((const mt_case *)input)->cell.model : mt_cell_models;
}

/* True if a model of the table before *m has a variant of this name. */
static bool is_variant_before(const mt_cell_model *const *m, const char *name)
{
    for (const mt_cell_model *const *before = mt_cell_models; before < m; before++)
        for (size_t k = 0; k < (*before)->n_variants; k++)
            if (strcmp((*before)->variants[k].name, name) == 0) return true;
    return false;
}

/* The model's variants, and "layers" if it has all of them; without a case, the variants of all models, each name once, and "layers". */
static const char *type_word(const void *input, size_t i)
{
    size_t found[MT_CASE_LAYERS];
    const mt_cell_model *const *m = models_of(input);
    if (input) {
        if (i < (*m)->n_variants) return (*m)->variants[i].name;
        return i == (*m)->n_variants && mt_case_layers(*m, found) == MT_OK ? "layers" : NULL;
    }
    for (; *m; m++)
        for (size_t k = 0; k < (*m)->n_variants; k++)
            if (!is_variant_before(m, (*m)->variants[k].name) && i-- == 0) return (*m)->variants[k].name;
    return i == 0 ? "layers" : NULL;
}

/* True if a model of the table before *m has a state of this name. */
static bool is_state_before(const mt_cell_model *const *m, const char *name)
{
    for (const mt_cell_model *const *before = mt_cell_models; before < m; before++)
        for (size_t k = 0; k < (*before)->n_states; k++)
            if (strcmp((*before)->states[k].name, name) == 0) return true;
    return false;
}

/* Vm, then the states of the model; without a case, the states of all models, each name once. */
static const char *field_word(const void *input, size_t i)
{
    const mt_cell_model *const *m = models_of(input);
    if (i == 0) return "V";
    if (input) return i <= (*m)->n_states ? (*m)->states[i - 1].name : NULL;
    for (; *m; m++)
        for (size_t k = 0; k < (*m)->n_states; k++)
            if (!is_state_before(m, (*m)->states[k].name) && --i == 0) return (*m)->states[k].name;
    return NULL;
}

/* "none", and the ions that carry the stimuli of the model; without a case, of any model. */
static const char *carrier_word(const void *input, size_t i)
{
    const mt_cell_model *const *m = models_of(input);
    if (i == 0) return "none";
    return i == 1 && (*m)->carrier_per_mV > 0 ? (*m)->states[(*m)->carrier].name : NULL;
}

static const char *partition_word(const void *input, size_t i)
{
    (void)input;
    return i < MT_PARTITION_METHODS ? mt_partition_methods[i] : i == MT_PARTITION_METHODS ? "saved" : NULL;
}

static const char *scheme_word(const void *input, size_t i)
{
    (void)input;
    return mt_schemes[i].name;
}

/* ---- keys */

/* Ranges that include every real study and exclude errors in units and digits: times up to 11 days, in steps of at least the smallest
 * `time.dt_ms`; coordinates up to 1 km, so that a geometry in micrometres gets a message about its unit (solver/case/findings.h);
 * conductivities from nearly zero to twenty times that of sea water, which is 5 mS/mm. */
#define AT_TIME MT_YAML_WITHIN(0, 1e9)
#define TIME_SPAN MT_YAML_WITHIN(1e-4, 1e9)
#define FRACTION MT_YAML_WITHIN(0, 1)
#define COORDINATE MT_YAML_WITHIN(-1e6, 1e6)
#define DISTANCE MT_YAML_WITHIN(1e-6, 1e6)
#define CONDUCTIVITY MT_YAML_WITHIN(1e-9, 100)
#define CURRENT_DENSITY MT_YAML_WITHIN(1e-6, 1e6)
#define FACTOR MT_YAML_WITHIN(0, MT_CELL_FACTOR_MOST)

/* A number as part of a string literal. */
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

static const mt_yaml_key slab_keys[] = {
    MT_YAML_DOUBLES(mt_case, mesh.slab.size_mm, "size_mm", "[0, 0, 0]", MT_YAML_WITHIN(0, 1e4),
        "Size along x (the fibre direction), y and z."),
    MT_YAML_DOUBLE(mt_case, mesh.slab.edge_mm, "edge_mm", "0", MT_YAML_WITHIN(0, 1e3),
        "Edge length of the slab's boxes, each divided into six tetrahedra. 0: no slab."),
    MT_YAML_ENUM(mt_case, mesh.slab.cut, "cut", "mirrored", mt_slab_cut_name,
        "Division of the boxes into tetrahedra. mirrored: each box is the mirror image of its neighbours, so "
        "that propagation has no preferred diagonal; kuhn: all boxes alike."),
    MT_YAML_END};
static const mt_yaml_key mesh_keys[] = {
    MT_YAML_STRING(mt_case, mesh.file, "file", "", "Path of a mesh file, relative to the working directory.",
        .affects = MT_AFFECTS_MESH),
    MT_YAML_MAPPING("slab", slab_keys, "A rectangular slab of tissue, generated for the run."), MT_YAML_END};
/* Keys of a struct with an mt_medium. `needed`: default of the values that a complete tissue requires; `else_normal`: text on the omitted
 * conductivity normal to the sheets. */
#define MEDIUM_KEYS(structure, member, needed, else_normal)                                                  \
    MT_YAML_DOUBLE(structure, member.intracellular_l_mS_mm, "intracellular_l_mS_mm", needed, CONDUCTIVITY,   \
        "Intracellular longitudinal conductivity."),                                                         \
        MT_YAML_DOUBLE(structure, member.intracellular_t_mS_mm, "intracellular_t_mS_mm", needed,             \
            CONDUCTIVITY, "Intracellular transverse conductivity."),                                         \
        MT_YAML_DOUBLE(structure, member.intracellular_n_mS_mm, "intracellular_n_mS_mm", MT_YAML_NONE,       \
            CONDUCTIVITY,                                                                                    \
            "Intracellular conductivity normal to the sheets; requires a mesh with sheets. "                 \
            "Default: " else_normal),                                                                        \
        MT_YAML_DOUBLE(structure, member.extracellular_l_mS_mm, "extracellular_l_mS_mm", needed,             \
            CONDUCTIVITY, "Extracellular longitudinal conductivity."),                                       \
        MT_YAML_DOUBLE(structure, member.extracellular_t_mS_mm, "extracellular_t_mS_mm", needed,             \
            CONDUCTIVITY, "Extracellular transverse conductivity."),                                         \
        MT_YAML_DOUBLE(structure, member.extracellular_n_mS_mm, "extracellular_n_mS_mm", MT_YAML_NONE,       \
            CONDUCTIVITY,                                                                                    \
            "Extracellular conductivity normal to the sheets; requires a mesh with sheets. "                 \
            "Default: " else_normal),                                                                        \
        MT_YAML_DOUBLE(structure, member.chi_per_mm, "chi_per_mm", needed, MT_YAML_WITHIN(1e-3, 1e6),        \
            "Surface-to-volume ratio: membrane area per tissue volume, mm²/mm³."),                           \
        MT_YAML_DOUBLE(structure, member.cm_uF_mm2, "cm_uF_mm2", needed, MT_YAML_WITHIN(1e-6, 1e3),          \
            "Membrane capacitance per area.")
static const mt_yaml_key tissue_keys[] = {
    MEDIUM_KEYS(mt_case, tissue, NULL, "equal to the transverse conductivity."), MT_YAML_END};
static const char *const method_name[] =
    {[MT_CASE_EXPLICIT] = "explicit", [MT_CASE_IMPLICIT] = "implicit", NULL},
                         *const implicit_name[] = {"backward-euler", "crank-nicolson", NULL};
static const char *const discretisation_name[] = {
    [MT_CASE_ELEMENTS] = "elements", [MT_CASE_NODES] = "nodes", [MT_CASE_AUTO] = "auto", NULL};
static const mt_yaml_key diffusion_keys[] = {
    MT_YAML_ENUM(mt_case, diffusion.discretisation, "discretisation", "elements", discretisation_name,
        "Places of the voltages. elements: the centres of the elements, with finite volumes; nodes: the "
        "vertices of the mesh, with linear finite elements (see above); auto: nodes, which take a fifth of "
        "the time, if their expected error is at most "
        "`accuracy_percent`, otherwise elements."),
    MT_YAML_DOUBLE(mt_case, diffusion.accuracy_percent, "accuracy_percent", MT_YAML_NONE,
        MT_YAML_WITHIN(0.1, 100),
        "With auto: the largest expected error of activation times, as a root mean square over all "
        "directions; without auto it has no effect. Default: " TEXT(MT_CASE_ACCURACY_PERCENT) ".",
        .affects = MT_AFFECTS_NOTHING),
    MT_YAML_DOUBLE(mt_case, diffusion.spreading, "spreading", "0.055", MT_YAML_WITHIN(0, 1),
        "Factor of reaction spreading: a share of each element's reaction enters its neighbours at once, "
        "which reduces the CV error on coarse meshes. 0: off (see `solver/diffusion/README.md`). With the "
        "default, cells with changed parameters, and tissue of unusual anisotropy, have their own factors, "
        "which are calibrated."),
    MT_YAML_NUMBERS(mt_case, diffusion.spreading_of_cells, diffusion.n_spreading_of_cells,
        "spreading_of_cells", MT_YAML_WITHIN(0, 1),
        "The same factor for each kind of cells in each tissue, in the order of their first elements, as "
        "`used.yaml` of an earlier run has them. Default: calibrated for the cells, their tissue and their "
        "element size."),
    MT_YAML_DOUBLE(mt_case, diffusion.nodal_spreading, "nodal_spreading", "1", MT_YAML_WITHIN(0, 1),
        "With nodes, in place of the two keys above: a factor of the spreading that is right for the cells. "
        "0: off."),
    MT_YAML_DOUBLE(mt_case, diffusion.damping, "damping", "1.6", MT_YAML_WITHIN(0.1, 10),
        "Damping of sawtooth patterns."),
    MT_YAML_ENUM(mt_case, diffusion.correction, "correction", "minimum", mt_correction_name,
        "Correction of the damping at faces that are oblique to the line between the centres of their "
        "elements. minimum: less damping there; over-relaxed: more."),
    MT_YAML_ENUM(mt_case, diffusion.method, "method", "explicit", method_name,
        "explicit: forward Euler, in as many substeps per time step as stability requires; implicit: one "
        "step per time step, by an iterative solver."),
    MT_YAML_ENUM(mt_case, diffusion.scheme, "scheme", "backward-euler", implicit_name,
        "Scheme of implicit steps. backward-euler damps all patterns; crank-nicolson is second-order, but "
        "oscillates on poor meshes."),
    MT_YAML_DOUBLE(mt_case, diffusion.tolerance_mV, "tolerance_mV", "1e-4", MT_YAML_WITHIN(1e-6, 1),
        "With implicit steps: the largest residual allowed at a voltage. Single precision resolves about "
        "1e-5."),
    MT_YAML_ENUM(mt_case, diffusion.accumulation, "accumulation", "single", mt_accumulation_name,
        "Accumulation of explicit steps in single precision. single: in single precision; double-word: of "
        "the "
        "increments, in pairs of single-precision numbers, which takes more cycles (see `solver/README.md`). "
        "Double precision ignores this key."),
    MT_YAML_END};
#define FACTOR_MOST TEXT(MT_CELL_FACTOR_MOST)
#define VOLTAGE_MOST TEXT(MT_CELL_VOLTAGE_MOST_mV)
/* Keys of a struct with an mt_cell_request. */
#define ASKED_KEYS(structure, member)                                                                        \
    MT_YAML_SETS(structure, member.scales, member.n_scales, "scale",                                         \
        "Factors of the ionic model's parameters, as `scale: [g_Kr=0.5]`, 0 to " TEXT(                       \
            MT_CELL_FACTOR_MOST) ", applied to the values of the cell type. The message about an unknown "   \
                                 "name lists all names.",                                                    \
        .affects = MT_AFFECTS_CELLS | MT_AFFECTS_STATE),                                                     \
        MT_YAML_SETS(structure, member.sets, member.n_sets, "set",                                           \
            "Values of the ionic model's parameters in its units, as `set: [K_o=8]`: 0, or between a "       \
            "millionth of the smallest and " FACTOR_MOST " times the largest value among the model's cell "  \
            "types; voltages within " VOLTAGE_MOST " mV of 0. With a model of a file: within " FACTOR_MOST   \
            " times the magnitude of the value there, or any value if that is 0.",                           \
            .affects = MT_AFFECTS_CELLS | MT_AFFECTS_STATE)
static const mt_yaml_key cell_keys[] = {
    MT_YAML_OPENED(mt_case, cell.named, "model", "tp06", mt_cell_model_word, &model_opener,
        "Ionic model. `myotile cell --list` lists the built-in ones with the papers that published them. The "
        "path of a file is relative to the working directory; a copy of the file elsewhere is the same "
        "model, but an edited file is another one. Types, states and parameters are those of the model.",
        .affects = MT_AFFECTS_OPERATOR | MT_AFFECTS_CELLS | MT_AFFECTS_STATE),
    MT_YAML_ENUM_OF(mt_case, cell.type, "type", NULL, type_word,
        "Type of all cells, one of the model's; `myotile cell --list` lists them. layers: each transmural "
        "layer has its own type; requires a mesh with transmural layers."),
    ASKED_KEYS(mt_case, cell.asked),
    MT_YAML_ENUM(mt_case, cell.stepping, "stepping", "uniform", mt_stepping_name,
        "uniform: every cell is evaluated in each time step. multirate: each cell is evaluated as often as "
        "its V requires, at least every " TEXT(
            MT_MULTIRATE_MOST) " steps; faster, with a small error (see `solver/README.md`).",
        .affects = MT_AFFECTS_STATE),
    MT_YAML_DOUBLE(mt_case, cell.tolerance_mV, "tolerance_mV", "0.1", MT_YAML_WITHIN(0, 10),
        "With multirate stepping: the change of V after which a cell is evaluated again.",
        .affects = MT_AFFECTS_STATE),
    MT_YAML_ENUM(mt_case, cell.evaluation, "evaluation", "exact", mt_evaluation_name,
        "exact: all functions in the model's equations are computed. tabulated: functions of V are read from "
        "tables of polynomials, which is faster, with errors like those of single precision (see "
        "`solver/README.md`); with machine.backend cpu in single precision, or opencl, for the "
        "models " TABULATED_MODELS ".",
        .affects = MT_AFFECTS_STATE),
    MT_YAML_ENUM(mt_case, cell.compile, "compile", "auto", compiles,
        "Execution of the ionic model of a file. never: it is interpreted. always: it is compiled by the C "
        "compiler of the system ($CC, or cc). auto: it is compiled for a long run, if there is a compiler. "
        "The results are the same bits. Built-in models are always compiled.",
        .affects = MT_AFFECTS_NOTHING),
    MT_YAML_END};
static const mt_yaml_key time_keys[] = {
    MT_YAML_DOUBLE(mt_case, time.dt_ms, "dt_ms", "0.02", MT_YAML_WITHIN(1e-4, 1),
        "Time step of the ionic model, at most its stability limit, which `myotile cell --list` prints."),
    MT_YAML_DOUBLE(mt_case, time.end_ms, "end_ms", NULL, TIME_SPAN,
        "Simulated time; a multiple of the time step.", .affects = MT_AFFECTS_LATER),
    MT_YAML_ENUM(mt_case, time.until, "until", "end", untils,
        "end: the run ends at `end_ms`. activated: it ends at the first whole ms by which every cell has "
        "been activated, or no element has been activated for " TEXT(
            MT_CASE_QUIET_MS) " ms and no stimulus pulse remains, at `end_ms` at the latest. Results equal "
                              "those of a run with that `end_ms`.",
        .affects = MT_AFFECTS_LATER),
    MT_YAML_UNSIGNED(mt_case, time.pde_steps, "pde_steps", "0", MT_YAML_WITHIN(0, 1000000),
        "Diffusion substeps per time step. 0: as many as stability requires."),
    MT_YAML_ENUM(mt_case, time.splitting, "splitting", "compensated", mt_splitting_name,
        "Operator splitting of reaction and diffusion. godunov: first-order splitting, reaction first; "
        "compensated: the same, with a correction of its CV error for several diffusion substeps (see "
        "`solver/README.md`)."),
    MT_YAML_END};
static const mt_yaml_key output_keys[] = {
    MT_YAML_WORD_LIST(mt_case, output.maps, "maps", "[activation]", mt_map_words,
        "Maps of the action potential of each cell, written as files, pictures and a table. The "
        "activation time is always included. `solver/record.h` has the definitions."),
    MT_YAML_WORD_LIST(mt_case, output.vertices, "vertices", "[]", vertices,
        "Each map also at the vertices, in the order of the mesh file: the volume-weighted mean of the "
        "adjacent elements that have a value, or the vertex' own with nodes. csv: `apd_vertices.csv`, with "
        "coordinates, and nan for no "
        "value; dat: `apd.dat`, CARP's format, with -1 for no value (nan for potentials)."),
    MT_YAML_DOUBLE(mt_case, output.threshold_mV, "threshold_mV", "0", MT_YAML_WITHIN(-80, 20),
        "Activation threshold: a cell is activated when V crosses it upwards."),
    MT_YAML_DOUBLE(mt_case, output.repolarisation_percent, "repolarisation_percent", "90",
        MT_YAML_WITHIN(100 * MT_RECORD_FRACTION_LEAST, 99),
        "Repolarisation level: a cell is repolarised when V has fallen by this percentage of its "
        "amplitude.",
        .unit = "%"),
    MT_YAML_ENUM(mt_case, output.beats, "beats", "first", beats,
        "first: one map of the entire run, of each cell's first action potential. every: maps of each "
        "beat. A beat begins with a stimulus pulse; pulses that begin within " TEXT(
            MT_CASE_BEAT_LEAST_MS) " ms of it belong to the same beat."),
    MT_YAML_DOUBLE(mt_case, output.beat_ms, "beat_ms", MT_YAML_NONE, MT_YAML_WITHIN(1, 1e9),
        "With `beats: every`: cycle window. A new beat also begins this long after the start of the previous "
        "one, for example in self-sustained re-entry."),
    MT_YAML_DOUBLE(mt_case, output.velocity_mm, "velocity_mm", TEXT(MT_VELOCITY_RADIUS_MM),
        MT_YAML_WITHIN(0.1, 20),
        "Conduction velocity: radius of the neighbourhood in which activation times are fitted. It is "
        "enlarged until it holds at least " TEXT(MT_VELOCITY_PLACES) " elements, or " TEXT(
            MT_VELOCITY_VERTICES) " vertices.",
        .unit = "mm"),
    MT_YAML_BOOL(mt_case, output.pictures, "pictures", "true",
        "true: draws each map as a PNG. In an ensemble the default is false, as for `report`, since pictures "
        "can "
        "take a fifth of the time.",
        .affects = MT_AFFECTS_NOTHING),
    MT_YAML_BOOL(mt_case, output.report, "report", "true",
        "true: writes the results also as one file for a browser, `report.html`, as `myotile report` does. A "
        "run stopped by a signal writes none. An ensemble writes `ensemble.html`; its members write none by "
        "default.",
        .affects = MT_AFFECTS_NOTHING),
    MT_YAML_END};
static const mt_yaml_key trace_keys[] = {
    MT_YAML_DOUBLE(mt_case, traces.when.every_ms, "every_ms", MT_YAML_NONE, TIME_SPAN,
        "Sampling interval; the first sample is at the start. Without this key and `at_ms`: no traces."),
    MT_YAML_NUMBERS(mt_case, traces.when.at_ms, traces.when.n_at, "at_ms", AT_TIME,
        "Further sampling times, or the only ones if `every_ms` is absent: ascending, rounded to whole "
        "steps, none after `time.end_ms`.",
        .affects = MT_AFFECTS_LATER),
    MT_YAML_WORD_LIST_OF(mt_case, traces.fields, "fields", "[V]", field_word, "Quantities to write."),
    MT_YAML_END};
static const mt_yaml_key series_keys[] = {
    MT_YAML_DOUBLE(mt_case, series.samples.when.every_ms, "every_ms", MT_YAML_NONE, TIME_SPAN,
        "Interval between frames; the first frame is at the start. Without this key and `at_ms`: no series."),
    MT_YAML_NUMBERS(mt_case, series.samples.when.at_ms, series.samples.when.n_at, "at_ms", AT_TIME,
        "Times of further frames, or of the only ones if `every_ms` is absent, as `at_ms: [5, 10, 250]`: "
        "ascending, rounded to whole steps, none after `time.end_ms`.",
        .affects = MT_AFFECTS_LATER),
    MT_YAML_WORD_LIST_OF(
        mt_case, series.samples.fields, "fields", "[V]", field_word, "Quantities in each frame."),
    MT_YAML_STRING(mt_case, series.tag, "tag", MT_YAML_NONE,
        "Only the elements of the region with this tag or name in the mesh file. Default: all conducting "
        "elements."),
    MT_YAML_REMOVED("movie", "false", "report.html plays the frames of the series"), MT_YAML_END};
static const mt_yaml_key ecg_keys[] = {
    MT_YAML_DOUBLE(mt_case, ecg.every_ms, "every_ms", "1", TIME_SPAN, "Sampling interval."),
    MT_YAML_DOUBLE(mt_case, ecg.bath_mS_mm, "bath_mS_mm", "1", CONDUCTIVITY,
        "Conductivity of the bath, an unbounded volume conductor; potentials are inversely proportional to "
        "it."),
    MT_YAML_END};
static const mt_yaml_key start_keys[] = {
    MT_YAML_STRING(mt_case, start.state, "state", "",
        "Initial V and states. Either a checkpoint of another simulation on the same mesh with the same "
        "ionic model (see `at_end`); different cells or tissue cause a warning. Or the state of a cell saved "
        "by `myotile cell --save`, used for all cells, which must have its model and type; different "
        "parameters (`scale`, `set`) cause a warning, since they change at time 0. Default: the resting "
        "state, or the result of `prepace`."),
    MT_YAML_END};
static const mt_yaml_key prepace_keys[] = {
    MT_YAML_DOUBLE(mt_case, prepace.bcl_ms, "bcl_ms", "1000", TIME_SPAN,
        "Basic cycle length (BCL), from one stimulus to the next."),
    MT_YAML_UNSIGNED(mt_case, prepace.beats, "beats", "0", MT_YAML_WITHIN(0, 1000000),
        "Number of pacing cycles, each with one stimulus. 0: no pre-pacing; cells begin in the model's "
        "resting state."),
    MT_YAML_DOUBLE(
        mt_case, prepace.start_ms, "start_ms", "1", AT_TIME, "Start of the stimulus in each cycle."),
    MT_YAML_DOUBLE(mt_case, prepace.duration_ms, "duration_ms", "1", AT_TIME, "Duration of the stimulus."),
    MT_YAML_DOUBLE(mt_case, prepace.strength_mV_ms, "strength_mV_ms", "52", MT_YAML_WITHIN(-1e6, 1e6),
        "Stimulus strength, as the rate at which it raises V; 1 mV/ms is 1 pA/pF.", .unit = "mV/ms"),
    MT_YAML_ENUM_OF(mt_case, prepace.carrier, "carrier", "none", carrier_word,
        "Ion that carries the stimulus current. none: V rises without ions, and the cell loses potassium "
        "over hundreds of beats; K_i: the stimulus charge raises this concentration, as in the CellML "
        "versions of models."),
    MT_YAML_END};
static const mt_yaml_key checkpoint_keys[] = {
    MT_YAML_DOUBLE(mt_case, checkpoint.every_minutes, "every_minutes", "10", MT_YAML_WITHIN(0, 1e6),
        "Interval between checkpoints, in minutes of wall-clock time. 0: none by wall-clock time."),
    MT_YAML_DOUBLE(mt_case, checkpoint.every_ms, "every_ms", MT_YAML_NONE, TIME_SPAN,
        "Interval between checkpoints in simulated time."),
    MT_YAML_UNSIGNED(mt_case, checkpoint.keep, "keep", "2", MT_YAML_WITHIN(0, 1000),
        "Number of newest checkpoints to retain. 0: none is written, not even when a signal stops the run."),
    MT_YAML_BOOL(mt_case, checkpoint.at_end, "at_end", "false",
        "true: a last checkpoint is written at the end and retained; false: a completed run deletes all "
        "checkpoints."),
    MT_YAML_END};
/* Keys of a position by ventricular coordinates, a member of a struct. */
#define POSITION_KEYS(structure, member)                                                                     \
    MT_YAML_NAMED_DOUBLE(structure, member.apicobasal, "apicobasal", MT_YAML_NONE, FRACTION,                 \
        mt_position_apicobasal, "Position from the apex, 0, to the base, 1. mid: 0.5."),                     \
        MT_YAML_NAMED_DOUBLE(structure, member.rotational, "rotational", MT_YAML_NONE, FRACTION,             \
            mt_position_rotational,                                                                          \
            "Position around the ventricle: from the inferior junction of the ventricles, 0, through the "   \
            "free wall to the anterior one, 2/3, and through the septum to 1. The names are the middles of " \
            "segments: inferior 1/12, inferolateral 1/4, lateral 1/3, anterolateral 5/12, anterior 7/12, "   \
            "anteroseptal 3/4, septal 5/6, inferoseptal 11/12."),                                            \
        MT_YAML_NAMED_DOUBLE(structure, member.transmural, "transmural", MT_YAML_NONE, FRACTION,             \
            mt_position_transmural,                                                                          \
            "Position across the wall: endo, 0, is the endocardium of the ventricle, and epi, 1, the "       \
            "epicardium, or in the septum the surface between the ventricles. mid: 0.5."),                   \
        MT_YAML_ENUM(structure, member.ventricle, "ventricle", MT_YAML_NONE, ventricles,                     \
            "Ventricle of the position; left if not stated."),                                               \
        MT_YAML_END
static const char *const ventricles[] = {"left", "right", NULL};
static const mt_yaml_key region_position_keys[] = {POSITION_KEYS(mt_case_region, region.position)},
                         stimulus_position_keys[] = {POSITION_KEYS(mt_case_stimulus, region.position)},
                         point_position_keys[] = {POSITION_KEYS(mt_case_point, position)};
/* Keys of a struct with an mt_region. */
#define REGION_KEYS(structure, position_keys)                                                                \
    MT_YAML_EITHER(structure, region.at, "at", mt_region_at, position_keys,                                  \
        "Centre of a sphere, with `radius_mm`. apex: the apex of the left ventricle; a mapping: a position " \
        "by ventricular coordinates, from the mesh file (`myotile mesh coordinates`) or else computed."),    \
        MT_YAML_DOUBLES(structure, region.centre_mm, "centre_mm", MT_YAML_NONE, COORDINATE,                  \
            "Centre of a sphere, with `radius_mm`. With a mapping `at`: the position that was found, as in " \
            "`used.yaml`; the run stops if it is not the one on this mesh."),                                \
        MT_YAML_DOUBLE(                                                                                      \
            structure, region.radius_mm, "radius_mm", MT_YAML_NONE, DISTANCE, "Radius of the sphere."),      \
        MT_YAML_DOUBLES(structure, region.min_mm, "min_mm", MT_YAML_NONE, COORDINATE,                        \
            "Lowest corner of a box, with `max_mm`."),                                                       \
        MT_YAML_DOUBLES(                                                                                     \
            structure, region.max_mm, "max_mm", MT_YAML_NONE, COORDINATE, "Highest corner of the box."),     \
        MT_YAML_STRING(structure, region.surface, "surface", MT_YAML_NONE,                                   \
            "A surface of the mesh: base, epicardium, lv_endocardium, rv_endocardium, or a tag or name of "  \
            "its triangles. Selects the elements with a face on it."),                                       \
        MT_YAML_DOUBLE(structure, region.depth_mm, "depth_mm", MT_YAML_NONE, MT_YAML_WITHIN(0, 1e6),         \
            "With `surface`: also selects the elements with a centre within this distance of it."),          \
        MT_YAML_STRING(structure, region.vtx, "vtx", MT_YAML_NONE,                                           \
            "A list of mesh vertices, in a file in openCARP's format. Selects the elements that have one "   \
            "of them."),                                                                                     \
        MT_YAML_STRING(structure, region.elements, "elements", MT_YAML_NONE,                                 \
            "A file with a list of elements: one number per line, from 0 in the order of the mesh file "     \
            "(`element` in result.hdf). `#` begins a comment."),                                             \
        MT_YAML_STRING(structure, region.tag, "tag", MT_YAML_NONE,                                           \
            "The elements of the region with this tag or name in the mesh file."),                           \
        MT_YAML_STRING(structure, region.group, "group", MT_YAML_NONE,                                       \
            "The elements of the group with this tag or name in the mesh file, and those of a region with "  \
            "it. An element belongs to one region and to any number of groups."),                            \
        MT_YAML_ENUM(structure, region.layer, "layer", MT_YAML_NONE, mt_region_layers,                       \
            "The elements in this transmural layer; requires a mesh with transmural layers, which `myotile " \
            "mesh fibres` writes."),                                                                         \
        MT_YAML_STRING(structure, region.segment, "segment", MT_YAML_NONE,                                   \
            "The elements in this segment of the left ventricle: 1 to 17, or a name such as mid_anterior; "  \
            "requires a mesh with segments, which `myotile mesh coordinates` writes.")
static const mt_yaml_key region_keys[] = {REGION_KEYS(mt_case_region, region_position_keys),
    MT_YAML_ENUM(mt_case_region, non_conducting, "non_conducting", MT_YAML_NONE, truths,
        "true: scar, without cells and currents, with a no-flux boundary around it. "
        "false: excitable tissue again, in a part of an earlier non-conducting region.",
        .old_name = "inert"),
    MT_YAML_STRING(mt_case_region, type, "type", MT_YAML_NONE,
        "Type of the region's cells, one of the ionic model's; `myotile cell --list` lists them.",
        .affects = MT_AFFECTS_CELLS | MT_AFFECTS_STATE),
    ASKED_KEYS(mt_case_region, asked),
    MT_YAML_DOUBLE(mt_case_region, tissue.conductivity_factor, "conductivity_factor", MT_YAML_NONE,
        MT_YAML_WITHIN(1e-6, 1e3),
        "A factor of all intracellular and extracellular conductivities of `tissue`. CV is proportional to "
        "its square root: 4 doubles CV. A conductivity that the region also sets has that value instead."),
    MEDIUM_KEYS(mt_case_region, tissue.named, MT_YAML_NONE, "the value of `tissue` or of an earlier region."),
    MT_YAML_END};
static const mt_yaml_key gradient_keys[] = {MT_YAML_STRING(mt_gradient, parameter, "parameter", NULL,
                                                "A parameter of the ionic model, as in `cell.scale`."),
    MT_YAML_ENUM(mt_gradient, along, "along", NULL, mt_gradient_along_name,
        "Direction of the gradient: from endocardium to epicardium (depth), from apex to base, or from one "
        "end of the mesh to the other (x, y, z)."),
    MT_YAML_DOUBLE(mt_gradient, first, "first", "1", FACTOR, "Factor at the start of the gradient."),
    MT_YAML_DOUBLE(mt_gradient, last, "last", "1", FACTOR, "Factor at the end of the gradient."),
    MT_YAML_END};
static const mt_yaml_key stimulus_keys[] = {REGION_KEYS(mt_case_stimulus, stimulus_position_keys),
    MT_YAML_DOUBLE(mt_case_stimulus, start_ms, "start_ms", "0", AT_TIME, "Start of the first pulse."),
    MT_YAML_DOUBLE(mt_case_stimulus, duration_ms, "duration_ms", NULL, TIME_SPAN, "Duration of a pulse."),
    MT_YAML_DOUBLE(mt_case_stimulus, period_ms, "period_ms", MT_YAML_NONE, TIME_SPAN,
        "Period, from the start of a pulse to the start of the next; requires `count` above 1."),
    MT_YAML_UNSIGNED(mt_case_stimulus, count, "count", "1", MT_YAML_WITHIN(1, 1000), "Number of pulses."),
    MT_YAML_DOUBLE(mt_case_stimulus, strength_uA_mm3, "strength_uA_mm3", NULL, CURRENT_DENSITY,
        "Stimulus current per tissue volume."),
    MT_YAML_BOOL(mt_case_stimulus, site, "site", "false",
        "true: an element in several sites is stimulated only by the earliest. false: where stimuli overlap, "
        "all of them act."),
    MT_YAML_END};
static const mt_yaml_key site_keys[] = {
    MT_YAML_STRING(mt_case, sites.file, "file", "",
        "Path of a CSV file, relative to the working directory: a header with the columns `x_mm,y_mm,z_mm` "
        "and optionally `start_ms` and `radius_mm`, and a line for each site."),
    MT_YAML_DOUBLE(mt_case, sites.radius_mm, "radius_mm", MT_YAML_NONE, DISTANCE,
        "Radius of the sites without a radius in the file."),
    MT_YAML_DOUBLE(mt_case, sites.duration_ms, "duration_ms", MT_YAML_NONE, TIME_SPAN,
        "Duration of the pulse; required with `file`, like `strength_uA_mm3`."),
    MT_YAML_DOUBLE(mt_case, sites.strength_uA_mm3, "strength_uA_mm3", MT_YAML_NONE, CURRENT_DENSITY,
        "Stimulus current per tissue volume."),
    MT_YAML_END};
static const mt_yaml_key point_keys[] = {
    MT_YAML_STRING(mt_case_point, name, "name", NULL, "Name of the point."),
    MT_YAML_EITHER(mt_case_point, at, "at", mt_region_at, point_position_keys,
        "Instead of `at_mm`. apex: the apex of the left ventricle; a mapping: a position by ventricular "
        "coordinates, as for `regions`."),
    MT_YAML_DOUBLES(mt_case_point, at_mm, "at_mm", MT_YAML_NONE, COORDINATE,
        "Coordinates. With `at`: the point that was found, as in `used.yaml`; the run stops if it is not the "
        "one on this mesh."),
    MT_YAML_END};
static const mt_yaml_key electrode_keys[] = {
    MT_YAML_STRING(mt_case_point, name, "name", NULL, "Name of the electrode."),
    MT_YAML_DOUBLES(mt_case_point, at_mm, "at_mm", NULL, COORDINATE, "Coordinates."), MT_YAML_END};
static const mt_yaml_key line_keys[] = {
    MT_YAML_DOUBLES(mt_case, line.from_mm, "from_mm", "[0, 0, 0]", COORDINATE, "Start of the line."),
    MT_YAML_DOUBLES(mt_case, line.to_mm, "to_mm", "[0, 0, 0]", COORDINATE, "End of the line."),
    MT_YAML_UNSIGNED(mt_case, line.points, "points", "0", MT_YAML_WITHIN(0, 1000),
        "Number of points on the line, including both ends. 0: no line."),
    MT_YAML_END};
static const mt_yaml_key machine_keys[] = {
    MT_YAML_ENUM(mt_case, machine.backend, "backend", "ipu", backends,
        "ipu: the emulated machine; cpu: the host, without a machine "
        "model; opencl: a GPU or another OpenCL device, without a "
        "machine model. In single precision all compute the same bits."),
    MT_YAML_ENUM(mt_case, machine.precision, "precision", "single", precisions,
        "Precision of voltages and states. double: only with the backend cpu."),
    MT_YAML_STRING(mt_case, machine.device, "device", "",
        "With the backend opencl: the device, by its number in `myotile devices` or a part of its name. "
        "Empty: the "
        "first GPU, or the first device if there is no GPU. Several ranks take the devices that match, or "
        "those "
        "of its type, in turn."),
    MT_YAML_BOOL(mt_case, machine.strict, "strict", "true",
        "With the backend opencl: true: a device that does not compute the bits of the host is refused; "
        "false: its "
        "results may differ in their last digits."),
    MT_YAML_STRING(mt_case, machine.target, "target", "gc200",
        "A machine of `data/machines` (gc200, gc2, bow, c600), or the path of a machine file."),
    MT_YAML_SETS(mt_case, machine.sets, machine.n_sets, "set",
        "Replacements for values of the machine file, as `set: [links.shape=torus]`; "
        "`data/machines/README.md` has the keys."),
    MT_YAML_UNSIGNED(mt_case, machine.ipus, "ipus", "1", MT_YAML_WITHIN(1, 4096),
        "Number of IPUs. A heart of 7 million tetrahedra needs two."),
    MT_YAML_UNSIGNED(mt_case, machine.tiles, "tiles", "0", MT_YAML_WITHIN(0, 1 << 20),
        "Number of tiles used on each IPU. 0: all. With the partitions bisection and curve at most this "
        "number: the fewest with the same largest part."),
    MT_YAML_ENUM_OF(mt_case, machine.partition, "partition", "auto", partition_word,
        "Partitioning of the mesh. flat: to all tiles at once, by METIS; hierarchical: to IPUs first, then "
        "to the "
        "tiles of each; bisection: by positions, together with the grid of tiles; curve: along space-filling "
        "curves through the mesh and the grid of tiles; auto: bisection for tiles in a mesh or torus, else "
        "flat; saved: the partition in the mesh file, of its elements or vertices."),
    MT_YAML_DOUBLE(mt_case, machine.imbalance, "imbalance", "1.03",
        MT_YAML_WITHIN(MT_IMBALANCE_LEAST, MT_IMBALANCE_MOST),
        "Largest part that a tile can receive in partitioning, relative to the mean."),
    MT_YAML_BOOL(mt_case, machine.balance_halo, "balance_halo", "false",
        "true: moves elements between tiles to reduce the largest halo."),
    MT_YAML_ENUM_OF(mt_case, machine.scheme, "scheme", "mixed-clean", scheme_word,
        "Separator scheme: how tiles send each other the elements at their borders (see `mesh/README.md`)."),
    MT_YAML_UNSIGNED(mt_case, machine.ranges, "ranges", "0", MT_YAML_WITHIN(0, 1000000),
        "For the scheme budget: the largest number of ranges that a tile sends. 0: the default (see "
        "`mesh/README.md`)."),
    MT_YAML_ENUM(mt_case, machine.streamed, "stream", "none", mt_streamed_words,
        "Variables in memory outside of the IPU, of a machine file with `dram`, from which tiles stream "
        "them. none; states: "
        "those of the ionic model; all: also the rows of the diffusion step and the record.",
        .affects = MT_AFFECTS_MAPPING),
    MT_YAML_BOOL(mt_case, machine.checked, "checked", "false",
        "true: the run stops at any value that a tile reads but never received. Slow."),
    MT_YAML_END};
static const mt_yaml_key network_cell_keys[] = {
    MT_YAML_OPENED(mt_case, network.named, "model", "stewart", mt_cell_model_word, &network_model_opener,
        "Ionic model of the Purkinje cells, as for `cell.model`. A cell of stewart that nothing excites "
        "beats "
        "spontaneously after 99 ms, and then every 1.2 s; `scale: [g_fNa=0]` makes it quiescent, and "
        "`prepace` "
        "starts it at the end of a cycle."),
    MT_YAML_STRING(mt_case, network.type, "type", "", "Type of the cells. Empty: the model's first."),
    ASKED_KEYS(mt_case, network.asked), MT_YAML_END};
static const mt_yaml_key junction_keys[] = {
    MT_YAML_DOUBLE(mt_case, network.resistance_kOhm, "resistance_kOhm", "2", MT_YAML_WITHIN(1e-3, 1e9),
        "Resistance between a free end and all of the tissue that it is coupled to. A higher one delays "
        "activation, and blocks it in the end."),
    MT_YAML_DOUBLE(mt_case, network.reach_mm, "radius_mm", "1", MT_YAML_WITHIN(1e-3, 100),
        "Radius of the tissue around a free end that is coupled to it, with a weight that decreases to 0 at "
        "this distance."),
    MT_YAML_END};
static const mt_yaml_key block_keys[] = {
    MT_YAML_STRING(mt_case_network_part, kind, "kind", MT_YAML_NONE,
        "The segments of a kind: a number, or his, left_bundle, right_bundle, left_purkinje, right_purkinje "
        "for 1 to 5, the kinds of `myotile mesh purkinje`."),
    MT_YAML_DOUBLES(mt_case_network_part, centre_mm, "centre_mm", MT_YAML_NONE, COORDINATE,
        "The segments with their middle in a sphere, with `radius_mm`."),
    MT_YAML_DOUBLE(
        mt_case_network_part, radius_mm, "radius_mm", MT_YAML_NONE, DISTANCE, "Radius of the sphere."),
    MT_YAML_END};
static const mt_yaml_key network_stimulus_keys[] = {
    MT_YAML_UNSIGNED(mt_case_network_stimulus, node, "node", "0", MT_YAML_WITHIN(0, 4e9),
        "Node of the network. 0 is the upper end of the His bundle in a generated network."),
    MT_YAML_DOUBLE(mt_case_network_stimulus, radius_mm, "radius_mm", "2", DISTANCE,
        "All cables within this distance of the node are stimulated."),
    MT_YAML_DOUBLE(mt_case_network_stimulus, start_ms, "start_ms", "0", AT_TIME, "Start of the first pulse."),
    MT_YAML_DOUBLE(
        mt_case_network_stimulus, duration_ms, "duration_ms", "1", TIME_SPAN, "Duration of a pulse."),
    MT_YAML_DOUBLE(mt_case_network_stimulus, period_ms, "period_ms", MT_YAML_NONE, TIME_SPAN,
        "Period, from the start of a pulse to the start of the next; requires `count` above 1."),
    MT_YAML_UNSIGNED(
        mt_case_network_stimulus, count, "count", "1", MT_YAML_WITHIN(1, 1000), "Number of pulses."),
    MT_YAML_DOUBLE(mt_case_network_stimulus, strength_mV_ms, "strength_mV_ms", "100",
        MT_YAML_WITHIN(1e-3, 1e4), "Rate at which the pulse raises V.", .unit = "mV/ms"),
    MT_YAML_END};
static const mt_yaml_key network_keys[] = {
    MT_YAML_STRING(mt_case, network.file, "file", "",
        "Path of a conduction network, relative to the working directory (`mesh/README.md`). Empty: none."),
    MT_YAML_DOUBLE(mt_case, network.spacing_mm, "spacing_mm", "0.2", MT_YAML_WITHIN(1e-3, 10),
        "Longest distance of the points of a cable. At 0.2 mm the conduction velocity is within 1.5 % of "
        "the converged one."),
    MT_YAML_DOUBLE(mt_case, network.radius_mm, "radius_mm", "0.05", MT_YAML_WITHIN(1e-4, 10),
        "Radius of cables without a radius in the file."),
    MT_YAML_DOUBLE(mt_case, network.conductivity_mS_mm, "conductivity_mS_mm", "0.45", CONDUCTIVITY,
        "Axial conductivity. CV is proportional to the square root of radius and conductivity."),
    MT_YAML_DOUBLE(mt_case, network.capacitance_uF_mm2, "cm_uF_mm2", "0.01", MT_YAML_WITHIN(1e-6, 1e3),
        "Membrane capacitance per area of the cables' surface."),
    MT_YAML_DOUBLE(mt_case, network.fibres, "fibres", "1000", MT_YAML_WITHIN(1e-3, 1e6),
        "Parallel fibres in each cable. They do not change the conduction velocity, but the current "
        "that a free end can supply: it stands for all fibres that end near it."),
    MT_YAML_UNSIGNED(mt_case, network.root, "root", "0", MT_YAML_WITHIN(0, 4e9),
        "Node whose free end is not coupled to the tissue: the upper end of the His bundle. If node 0 is "
        "not a free end, all free ends are coupled, with a warning."),
    MT_YAML_MAPPING("cell", network_cell_keys, "The Purkinje cells.",
        .affects = MT_AFFECTS_CELLS | MT_AFFECTS_MAPPING | MT_AFFECTS_STATE),
    MT_YAML_MAPPING("junction", junction_keys, "Junctions of the free ends with the tissue."),
    MT_YAML_LIST(mt_case, network.block, network.n_block, "block", 0, 64, block_keys,
        "Parts of the network that do not conduct, such as `[{kind: left_bundle}]`: a segment of one of "
        "these parts is removed."),
    MT_YAML_LIST(mt_case, network.stimuli, network.n_stimuli, "stimuli", 0, MT_CASE_STIMULI_MAX,
        network_stimulus_keys, "Stimuli of the network."),
    MT_YAML_END};
/* Keys without `affects` affect the state. */
static const mt_yaml_key case_keys[] = {MT_YAML_STRING(mt_case, title, "title", "",
                                            "Title of pictures and tables.", .affects = MT_AFFECTS_NOTHING),
    MT_YAML_MAPPING("mesh", mesh_keys, "The geometry: either a file or a slab.",
        .affects = MT_AFFECTS_MESH | MT_AFFECTS_STATE),
    MT_YAML_MAPPING("tissue", tissue_keys,
        "Conductivities and membrane of the tissue. The monodomain conductivity is i e / (i + e), with i the "
        "intracellular and e the extracellular conductivity.",
        .affects = MT_AFFECTS_TISSUE | MT_AFFECTS_STATE),
    MT_YAML_ENUM(mt_case, activation, "activation", "monodomain", activations,
        "Source of the first activation. monodomain: the stimuli, and propagation by diffusion; eikonal: in "
        "addition each cell receives a current at its activation time of the eikonal equation, so that "
        "coarse meshes and time steps are sufficient (see `app/README.md`)."),
    MT_YAML_MAPPING("diffusion", diffusion_keys, "Discretisation of the diffusion.",
        .affects = MT_AFFECTS_OPERATOR | MT_AFFECTS_STATE),
    MT_YAML_MAPPING("cell", cell_keys, "The ionic model.", .affects = MT_AFFECTS_CELLS | MT_AFFECTS_STATE),
    MT_YAML_MAPPING("time", time_keys, "Duration of the simulation, and its time steps."),
    MT_YAML_MAPPING("output", output_keys, "Recorded quantities and files."),
    MT_YAML_MAPPING(
        "traces", trace_keys, "Time series of V and states at the points: `traces.csv` and a picture."),
    MT_YAML_MAPPING("series", series_keys,
        "Time series of fields on the mesh, for ParaView: `series.hdf`, and `series.xdmf` for versions "
        "before 5.12."),
    MT_YAML_MAPPING("ecg", ecg_keys,
        "Potentials at `electrodes` in a bath around the tissue: `ecg.csv` and a picture. The electrodes RA, "
        "LA and LL define the six limb leads, and, with these, each of V1 to V6 its chest lead (see "
        "`solver/outputs/leads.h`)."),
    MT_YAML_MAPPING("start", start_keys, "Initial state of the simulation."),
    MT_YAML_MAPPING("prepace", prepace_keys,
        "Pre-pacing: each kind of cell is paced alone before the simulation, in double precision with steps "
        "of `time.dt_ms`, as `myotile cell` does. The tissue starts from the resulting states."),
    MT_YAML_MAPPING("checkpoint", checkpoint_keys,
        "Checkpoints from which `myotile run --resume DIR` resumes an interrupted run. One is also written "
        "when SIGINT, SIGTERM or SIGHUP stops the run.",
        .affects = MT_AFFECTS_NOTHING),
    MT_YAML_LIST(mt_case, gradients, n_gradients, "gradients", 0, 16, gradient_keys,
        "Gradients of parameters along the heart, as a factor in " TEXT(
            MT_GRADIENT_STEPS) " steps. It replaces the parameter's factor in `cell.scale`; regions are "
                               "applied after it.",
        .affects = MT_AFFECTS_CELLS | MT_AFFECTS_STATE),
    MT_YAML_LIST(mt_case, regions, n_regions, "regions", 0, 64, region_keys,
        "Properties of parts of the mesh. A region is a sphere, a box, a surface, a list of vertices or of "
        "elements, a tag, a group, a layer or a segment, or the intersection of several of these. Each sets "
        "at least "
        "one of `non_conducting`, `type`, `scale`, `set`, `conductivity_factor` and the keys of `tissue`. "
        "Regions are applied in order. A region changes only what it sets, and the last factor or value of a "
        "parameter or conductivity applies.",
        .affects = MT_AFFECTS_TISSUE | MT_AFFECTS_CELLS | MT_AFFECTS_STATE),
    MT_YAML_LIST(mt_case, stimuli, n_stimuli, "stimuli", 0, MT_CASE_STIMULI_MAX, stimulus_keys,
        "Stimuli: place, as for regions, time and strength. At least one stimulus, also of the network, or a "
        "file of sites is required."),
    MT_YAML_MAPPING("network", network_keys,
        "A conduction network whose cables drive the tissue and are driven by it (see `solver/README.md`). "
        "With machine.backend ipu on one process only.",
        .affects = MT_AFFECTS_MAPPING | MT_AFFECTS_STATE),
    MT_YAML_MAPPING("sites", site_keys,
        "Sites of early activation, read from a file: spheres, each stimulated once at its own time. They "
        "are added to the stimuli with `site: true`, also in `used.yaml`. Times are rounded to whole steps."),
    MT_YAML_LIST(mt_case, points, n_points, "points", 0, 10000, point_keys,
        "Points at which activation times are printed."),
    MT_YAML_LIST(mt_case, electrodes, n_electrodes, "electrodes", 0, MT_ELECTRODES_MAX, electrode_keys,
        "Electrodes of an ECG, outside the tissue."),
    MT_YAML_MAPPING("line", line_keys, "A line along which activation times are written."),
    MT_YAML_MAPPING("machine", machine_keys,
        "Backend, emulated machine and mapping to tiles. Tiles, IPUs and partition change the modelled time, "
        "but not a bit of any voltage.",
        .affects = MT_AFFECTS_MAPPING),
    MT_YAML_END};

const mt_yaml_table mt_case_table = {case_keys, sizeof(mt_case)};

/* The machine counts the steps of a beat in single precision. */
enum { STEPS_MAX = 1 << 24, BEATS_MAX = 10000 };
static const double run_steps_max = 1e12;

const char *mt_case_stimulus_name(
    const mt_case *c, size_t s, const char *key, char text[MT_CASE_STIMULUS_NAME])
{
    const char *from = c->stimuli[s].from;
    if (from)
        (void)snprintf(text, MT_CASE_STIMULUS_NAME, "%.250s%s%s", from, key[0] ? ": " : "", key);
    else
        (void)snprintf(text, MT_CASE_STIMULUS_NAME, "stimuli.%zu%s%s", s, key[0] ? "." : "", key);
    return text;
}

/* The pulses of a stimulus of the tissue or of the network. */
typedef struct stimulus_pulses {
    const mt_case *of;
    bool in_network;
    size_t stimulus;
    double start_ms, duration_ms, period_ms;
    size_t count;
} stimulus_pulses;

static stimulus_pulses pulses_of(const mt_case *c, size_t s)
{
    const mt_case_stimulus *of = &c->stimuli[s];
    return (stimulus_pulses){c, false, s, of->start_ms, of->duration_ms, of->period_ms, of->count};
}

static stimulus_pulses network_pulses_of(const mt_case *c, size_t s)
{
    const mt_case_network_stimulus *of = &c->network.stimuli[s];
    return (stimulus_pulses){c, true, s, of->start_ms, of->duration_ms, of->period_ms, of->count};
}

/* Writes the name of a key for messages; `key` "": the stimulus. */
static const char *name_of(const stimulus_pulses *p, const char *key, char text[MT_CASE_STIMULUS_NAME])
{
    if (!p->in_network) return mt_case_stimulus_name(p->of, p->stimulus, key, text);
    (void)snprintf(
        text, MT_CASE_STIMULUS_NAME, "network.stimuli.%zu%s%s", p->stimulus, key[0] ? "." : "", key);
    return text;
}

/* Computes the number of steps of a pulse. Refuses values that overflow an integer before they are rounded. */
static mt_status check_duration(const char *path, const stimulus_pulses *p, long long *steps)
{
    const double dt_ms = p->of->time.dt_ms, end = (p->start_ms + p->duration_ms) / dt_ms;
    char name[MT_CASE_STIMULUS_NAME];
    name_of(p, "duration_ms", name);
    if (!(end <= run_steps_max))
        return mt_fail(MT_INPUT, "%s: %s: %g ends after %.4g steps of dt_ms = %g; allowed: at most %g steps",
            path, name, p->duration_ms, end, dt_ms, run_steps_max);
    *steps = llround(end) - llround(p->start_ms / dt_ms);
    if (*steps > 0) return MT_OK;
    return mt_fail(MT_INPUT, "%s: %s: %g is less than one step; allowed: at least dt_ms = %g", path, name,
        p->duration_ms, dt_ms);
}

static mt_status check_pulses(const char *path, const stimulus_pulses p)
{
    const double dt_ms = p.of->time.dt_ms, end_ms = p.of->time.end_ms;
    long long steps = 0;
    char name[MT_CASE_STIMULUS_NAME];
    if (p.start_ms >= end_ms)
        return mt_fail(MT_INPUT, "%s: %s: %g; allowed: below end_ms = %g", path,
            name_of(&p, "start_ms", name), p.start_ms, end_ms);
    MT_TRY(check_duration(path, &p, &steps));
    if (isnan(p.period_ms) != (p.count == 1))
        return mt_fail(MT_INPUT,
            "%s: %s: period_ms is %sgiven and count is %zu; allowed: period_ms with count above 1, or "
            "neither",
            path, name_of(&p, "", name), isnan(p.period_ms) ? "not " : "", p.count);
    if (p.count > 1 && llround(p.period_ms / dt_ms) <= steps)
        return mt_fail(MT_INPUT, "%s: %s: %g; allowed: longer than duration_ms = %g", path,
            name_of(&p, "period_ms", name), p.period_ms, p.duration_ms);
    return MT_OK;
}

/* end_ms must be a whole number of steps. Rounding errors of decimals are ignored; a larger fraction of a step is an error, for any number
 * of steps. */
static mt_status check_end(const char *path, const mt_case *c)
{
    const double dt_ms = c->time.dt_ms, steps = c->time.end_ms / dt_ms;
    char below[64] = "";
    if (steps > run_steps_max)
        return mt_fail(MT_INPUT, "%s: time: end_ms %g is %.10g steps of dt_ms %g; allowed: at most %g steps",
            path, c->time.end_ms, steps, dt_ms, run_steps_max);
    if (round(steps) >= 1 && fabs(steps - round(steps)) <= fmin(1e-6 * steps, MT_CASE_PART_OF_A_STEP))
        return MT_OK;
    if (steps > 1) (void)snprintf(below, sizeof below, "%.12g or ", floor(steps) * dt_ms);
    return mt_fail(MT_INPUT,
        "%s: time.end_ms: %.12g; allowed: a whole number of steps of dt_ms = %g, at least one: %s%.12g", path,
        c->time.end_ms, dt_ms, below, ceil(steps) * dt_ms);
}

/* ---- beats */

/* Returns the first step at `step` or later of a pulse of a stimulus; SIZE_MAX if there is none. */
static size_t next_pulse_of(const stimulus_pulses p, size_t step)
{
    const double dt_ms = p.of->time.dt_ms;
    const size_t on = (size_t)llround(p.start_ms / dt_ms),
                 period = p.count > 1 ? (size_t)llround(p.period_ms / dt_ms) : 1,
                 pulse = step > on ? (step - on + period - 1) / period : 0;
    return pulse < p.count ? on + pulse * period : SIZE_MAX;
}

/* Returns the first step of the first pulse at `step` or later, of the tissue or the network; SIZE_MAX if there is none. */
static size_t next_pulse(const mt_case *c, size_t step)
{
    size_t next = SIZE_MAX;
    for (size_t s = 0; s < c->n_stimuli + c->network.n_stimuli; s++) {
        const size_t pulse =
            next_pulse_of(s < c->n_stimuli ? pulses_of(c, s) : network_pulses_of(c, s - c->n_stimuli), step);
        if (pulse < next) next = pulse;
    }
    return next;
}

static size_t steps_of(const mt_case *c, double ms) { return (size_t)llround(ms / c->time.dt_ms); }

/* Returns the first step of the beat after the one that starts at `begin`; SIZE_MAX if there is none. The first beat starts with the run,
 * but its pulses with the first pulse. */
static size_t next_beat(const mt_case *c, size_t begin)
{
    const size_t pulse = begin == 0 ? next_pulse(c, 0) : begin, least = steps_of(c, MT_CASE_BEAT_LEAST_MS);
    size_t next = pulse == SIZE_MAX ? SIZE_MAX : next_pulse(c, pulse + least);
    if (!isnan(c->output.beat_ms) && begin + steps_of(c, c->output.beat_ms) < next)
        next = begin + steps_of(c, c->output.beat_ms);
    return next < mt_case_steps(c) ? next : SIZE_MAX;
}

/* Steps are counted from the beginning of each beat. */
static mt_status check_beats(const char *path, const mt_case *c)
{
    if (c->time.until == MT_CASE_UNTIL_ACTIVATED && c->output.beats != MT_CASE_BEATS_FIRST)
        return mt_fail(MT_INPUT,
            "%s: time.until: activated, and output.beats is every; allowed: with beats: first", path);
    const size_t end = mt_case_steps(c);
    size_t n = 0;
    if (c->output.beats == MT_CASE_BEATS_FIRST && !isnan(c->output.beat_ms))
        return mt_fail(MT_INPUT, "%s: output.beat_ms: %g, and output.beats is first; allowed: with every",
            path, c->output.beat_ms);
    for (size_t begin = 0, next; begin != SIZE_MAX; begin = next) {
        next = c->output.beats == MT_CASE_BEATS_FIRST ? SIZE_MAX : next_beat(c, begin);
        const size_t steps = (next == SIZE_MAX ? end : next) - begin;
        if (steps > STEPS_MAX)
            return mt_fail(MT_INPUT,
                "%s: a beat of %zu steps of time.dt_ms = %g begins at %.9g ms; allowed: at most %d steps, "
                "for example with output: {beats: every, beat_ms: %g}",
                path, steps, c->time.dt_ms, (double)begin * c->time.dt_ms, STEPS_MAX,
                floor(STEPS_MAX * c->time.dt_ms));
        if (++n > BEATS_MAX)
            return mt_fail(MT_INPUT,
                "%s: more than %d beats; allowed: a longer output.beat_ms, a shorter time.end_ms", path,
                BEATS_MAX);
    }
    return MT_OK;
}

/* There is one implicit step in a time step. */
static mt_status check_substeps(const char *path, const mt_case *c)
{
    if (mt_case_diffusing(c) == MT_DIFFUSING_EXPLICIT || c->time.pde_steps <= 1) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: time.pde_steps: %zu, with diffusion.method implicit; allowed: 0 or 1, as there is one implicit "
        "step per time step",
        path, c->time.pde_steps);
}

/* The solver defines the accumulation of implicit steps. */
static mt_status check_accumulation(const char *path, const mt_case *c)
{
    if (mt_case_diffusing(c) == MT_DIFFUSING_EXPLICIT || c->diffusion.accumulation == MT_ACCUMULATION_SINGLE)
        return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: diffusion.accumulation: %s, with diffusion.method implicit; allowed: single, or "
        "diffusion.method explicit",
        path, mt_accumulation_name[c->diffusion.accumulation]);
}

/* Checks that all times in ms are valid in steps. */
static mt_status check_times(const char *path, const mt_case *c)
{
    MT_TRY(check_substeps(path, c));
    MT_TRY(check_end(path, c));
    for (size_t s = 0; s < c->n_stimuli; s++) MT_TRY(check_pulses(path, pulses_of(c, s)));
    for (size_t s = 0; s < c->network.n_stimuli; s++) MT_TRY(check_pulses(path, network_pulses_of(c, s)));
    return check_beats(path, c);
}

/* Checks the pulses in steps, and that only one key defines the initial state of the cells. */
static mt_status check_prepace(const char *path, const mt_case *c)
{
    const mt_pulses pulses = mt_case_prepace(c);
    mt_pulse_steps steps;
    if (pulses.beats == 0) return MT_OK;
    if (c->start.state[0])
        return mt_fail(MT_INPUT,
            "%s: prepace.beats: %zu, and start.state also sets the initial state; allowed: one of them", path,
            pulses.beats);
    return mt_fail_in(path, mt_fail_in("prepace", mt_pulses_in_steps(&pulses, c->time.dt_ms, &steps)));
}

mt_status mt_case_in_entry(const char *list, size_t number, mt_status status)
{
    char where[64];
    (void)snprintf(where, sizeof where, "%s.%zu", list, number);
    return mt_fail_in(where, status);
}

/* Checks that tables are possible. */
static mt_status check_evaluation(const char *path, const mt_case *c)
{
    static const char *const message = "%s: cell.evaluation: tabulated, with %s %s; allowed: exact, or %s";
    const mt_cell_model *model = mt_case_model(c);
    if (c->cell.evaluation == MT_EVALUATION_EXACT) return MT_OK;
    if (model->n_functions == 0)
        return mt_fail(MT_INPUT, message, path, "cell.model", model->name, "cell.model " TABULATED_MODELS);
    if (c->machine.backend == MT_CASE_IPU)
        return mt_fail(
            MT_INPUT, message, path, "machine.backend", backends[c->machine.backend], "cpu, opencl");
    if (c->machine.backend == MT_CASE_CPU && c->machine.precision != MT_CASE_SINGLE)
        return mt_fail(MT_INPUT, message, path, "machine.precision", "double", "single");
    return MT_OK;
}

/* Checks that the model is stable with the time step, and its evaluation. */
static mt_status check_cells(const char *path, const mt_case *c)
{
    const mt_cell_model *model = mt_case_model(c);
    MT_TRY(check_evaluation(path, c));
    if (c->time.dt_ms <= model->dt_max_ms) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: time.dt_ms: %g; allowed: at most %g, the stability limit of the ionic model %s", path,
        c->time.dt_ms, model->dt_max_ms, model->name);
}

/* Returns the variant that a case's parameters are checked with: the variant of all cells, or the first if there are layers. */
static const mt_cell_variant *usual_variant(const mt_case *c)
{
    const mt_cell_model *model = mt_case_model(c);
    return &model->variants[(size_t)c->cell.type < model->n_variants ? c->cell.type : 0];
}

static mt_status check_asked(const mt_case *c, const mt_cell_variant *base, const mt_cell_request *asked)
{
    MT_SCRATCH(scratch);
    mt_cell_variant variant;
    return mt_cell_variant_change(scratch, mt_case_model(c), base, asked, &variant);
}

/* Checks that the model has the parameter, and that both factors yield a valid model. */
static mt_status check_gradient(const char *path, const mt_case *c, size_t g)
{
    const mt_gradient *gradient = &c->gradients[g];
    for (int end = 0; end < 2; end++) {
        char text[128];
        const mt_yaml_override scale = {.from = "parameter:", .text = text};
        (void)snprintf(
            text, sizeof text, "%.100s=%g", gradient->parameter, end == 0 ? gradient->first : gradient->last);
        MT_TRY(mt_fail_in(path,
            mt_case_in_entry("gradients", g,
                check_asked(c, usual_variant(c), &(mt_cell_request){.scales = &scale, .n_scales = 1}))));
    }
    return MT_OK;
}

bool mt_case_region_has_cells(const mt_case_region *region)
{
    return region->type[0] || region->asked.n_scales > 0 || region->asked.n_sets > 0;
}

static mt_status check_region(const char *path, const mt_case *c, size_t r)
{
    mt_case_region *region = &c->regions[r];
    const mt_cell_variant *base = usual_variant(c);
    size_t type;
    MT_TRY(mt_fail_in(path, mt_case_in_entry("regions", r, mt_region_check(&region->region))));
    if (region->non_conducting < 0 && !mt_case_region_has_cells(region) &&
        !mt_medium_change_names(&region->tissue))
        return mt_fail(MT_INPUT,
            "%s: regions.%zu: sets no property; allowed: at least one of non_conducting, type, scale, set, "
            "conductivity_factor and the keys of tissue",
            path, r);
    if (region->type[0]) {
        MT_TRY(mt_fail_in(
            path, mt_case_in_entry("regions", r,
                      mt_fail_in("type", mt_cell_variant_find(mt_case_model(c), region->type, &type)))));
        base = &mt_case_model(c)->variants[type];
    }
    return check_asked(c, base, &region->asked);
}

static mt_status check_moments(
    const char *path, const char *key, const mt_case *c, const mt_moments_request *asked)
{
    mt_arena scratch = {0};
    mt_moments moments;
    const mt_status status = mt_moments_make(&scratch, key, asked, c->time.dt_ms, c->time.end_ms, &moments);
    mt_arena_free(&scratch);
    return mt_fail_in(path, status);
}

bool mt_case_samples_has(const mt_case_samples *samples, size_t field)
{
    return samples->fields[field / 32] >> field % 32 & 1;
}

static bool has_fields(const mt_case_samples *samples)
{
    uint32_t any = 0;
    for (size_t k = 0; k < MT_CASE_FIELD_WORDS; k++) any |= samples->fields[k];
    return any != 0;
}

/* Checks that the sampling intervals of a time series are valid. */
static mt_status check_samples(const char *path, const mt_case *c)
{
    const bool traces = mt_moments_any(&c->traces.when);
    MT_TRY(check_moments(path, "traces", c, &c->traces.when));
    MT_TRY(check_moments(path, "series", c, &c->series.samples.when));
    if (traces && c->n_points == 0)
        return mt_fail(MT_INPUT, "%s: traces.%s: set, but there are no points; allowed: with points", path,
            isnan(c->traces.when.every_ms) ? "at_ms" : "every_ms");
    if (!has_fields(&c->traces) || !has_fields(&c->series.samples))
        return mt_fail(MT_INPUT, "%s: %s.fields: empty; allowed: one or more of V and the states", path,
            !has_fields(&c->traces) ? "traces" : "series");
    return MT_OK;
}

/* Checks that a point has a place. */
static mt_status check_point(mt_case_point *point)
{
    MT_TRY(mt_region_check_position(&point->position));
    if (!isnan(point->at_mm[0]) || point->at[0] || mt_position_stated(&point->position)) return MT_OK;
    return mt_fail(MT_INPUT, "at_mm is missing; needed: at_mm or at");
}

/* Checks that the columns of an ECG have distinct names. */
static mt_status check_electrodes(const char *path, const mt_case *c)
{
    mt_arena scratch = {0};
    const char *name[MT_ELECTRODES_MAX];
    mt_leads leads;
    for (size_t k = 0; k < c->n_electrodes; k++) name[k] = c->electrodes[k].name;
    const mt_status status = mt_leads_make(&scratch, c->n_electrodes, name, &leads);
    mt_arena_free(&scratch);
    return mt_fail_in(path, mt_fail_in("electrodes", status));
}

/* Checks that there is a stimulus. */
static mt_status check_any(const char *path, const mt_case *c)
{
    if (c->n_stimuli + c->network.n_stimuli > 0) return MT_OK;
    return mt_fail(
        MT_INPUT, "%s: stimuli: none; needed: at least one, also in network.stimuli, or sites.file", path);
}

/* Checks that devices compute what is requested. */
static mt_status check_device(const char *path, const mt_case *c)
{
    if (c->machine.backend != MT_CASE_OPENCL || mt_case_diffusing(c) == MT_DIFFUSING_EXPLICIT) return MT_OK;
    return mt_fail(
        MT_INPUT, "%s: diffusion.method: implicit; allowed with machine.backend opencl: explicit", path);
}

static mt_status check_precision(const char *path, const mt_case *c)
{
    if (c->machine.backend == MT_CASE_CPU || c->machine.precision == MT_CASE_SINGLE) return MT_OK;
    return mt_fail(MT_INPUT, "%s: machine.precision: double; allowed with machine.backend %s: single", path,
        backends[c->machine.backend]);
}

/* ---- discretisation */

/* Fails with the message about a key with voltages at the vertices, unless it is allowed. */
static mt_status unless_allowed(bool allowed, const char *key, const char *value, const char *instead)
{
    if (allowed) return MT_OK;
    return mt_fail(MT_INPUT, "%s: %s; allowed with diffusion.discretisation nodes: %s", key, value, instead);
}

static mt_status unless_number(double found, double allowed, const char *key, const char *instead)
{
    char value[32], usual[32];
    (void)snprintf(value, sizeof value, "%.9g", found);
    (void)snprintf(usual, sizeof usual, "%.9g", allowed);
    return unless_allowed(found == allowed, key, value, instead ? instead : usual);
}

static mt_status check_scheme(const mt_case *c)
{
    const mt_diffusion_scheme *usual = &mt_diffusion_scheme_default;
    char value[64];
    MT_TRY(unless_number(c->diffusion.spreading, usual->spreading, "diffusion.spreading",
        "the default; diffusion.nodal_spreading sets the spreading"));
    (void)snprintf(value, sizeof value, "%zu numbers", c->diffusion.n_spreading_of_cells);
    MT_TRY(unless_allowed(c->diffusion.n_spreading_of_cells == 0, "diffusion.spreading_of_cells", value,
        "none; diffusion.nodal_spreading sets the spreading"));
    MT_TRY(unless_number(c->diffusion.damping, usual->damping, "diffusion.damping", NULL));
    return unless_allowed(c->diffusion.correction == usual->correction, "diffusion.correction",
        mt_correction_name[c->diffusion.correction], mt_correction_name[usual->correction]);
}

/* Checks that a case sets no key that exists for the other discretisation only, unless to its default. */
static mt_status check_discretisation(const mt_case *c)
{
    if (!mt_case_at_vertices(c))
        return c->diffusion.nodal_spreading == 1
                   ? MT_OK
                   : mt_fail(MT_INPUT,
                         "diffusion.nodal_spreading: %g, with diffusion.discretisation %s; allowed: 1; "
                         "diffusion.spreading sets the spreading",
                         c->diffusion.nodal_spreading, discretisation_name[c->diffusion.discretisation]);
    return check_scheme(c);
}

/* ---- network */

/* Checks a part of the network: it states something, and a sphere completely. */
static mt_status check_part(const mt_case_network_part *part)
{
    const bool centre = !isnan(part->centre_mm[0]), radius = !isnan(part->radius_mm);
    int32_t kind;
    if (part->kind[0]) MT_TRY(mt_fail_in("kind", mt_purkinje_kind_find(part->kind, &kind)));
    if (centre != radius)
        return mt_fail(MT_INPUT, "%s is missing; needed: both centre_mm and radius_mm",
            centre ? "radius_mm" : "centre_mm");
    if (part->kind[0] || centre) return MT_OK;
    return mt_fail(MT_INPUT, "names no part; needed: kind, or centre_mm and radius_mm");
}

static mt_status check_network_cells(const mt_case_network *network)
{
    MT_SCRATCH(scratch);
    mt_cell_variant variant;
    size_t type = 0;
    if (network->type[0])
        MT_TRY(mt_fail_in("type", mt_cell_variant_find(network->model, network->type, &type)));
    return mt_cell_variant_change(
        scratch, network->model, &network->model->variants[type], &network->asked, &variant);
}

static mt_status check_network(const mt_case *c)
{
    const mt_case_network *network = &c->network;
    if (!network->file[0] && (network->n_stimuli > 0 || network->n_block > 0))
        return mt_fail(MT_INPUT, "network: %s without a file; needed: network.file",
            network->n_stimuli > 0 ? "stimuli" : "block");
    if (!network->file[0]) return MT_OK;
    for (size_t k = 0; k < network->n_block; k++)
        MT_TRY(mt_case_in_entry("network.block", k, check_part(&network->block[k])));
    return mt_fail_in("network.cell", check_network_cells(network));
}

/* ---- activation */

/* Checks that a stimulus has the pulses of the first one. */
static mt_status check_like_first(size_t count, double period_ms, size_t first_count, double first_ms)
{
    if (count == first_count && (count == 1 || period_ms == first_ms)) return MT_OK;
    return mt_fail(MT_INPUT,
        "%zu pulses every %g ms, with activation: eikonal; allowed: those of the first stimulus, %zu every "
        "%g ms, as later beats repeat the first",
        count, period_ms, first_count, first_ms);
}

/* Checks that the spreading of the reaction is 0, or the default, which becomes 0. */
static mt_status check_no_spreading(const mt_case *c)
{
    const bool nodes = mt_case_at_vertices(c);
    const double value = nodes ? c->diffusion.nodal_spreading : c->diffusion.spreading,
                 usual = nodes ? 1 : mt_diffusion_scheme_default.spreading;
    if (c->diffusion.n_spreading_of_cells > 0)
        return mt_fail(MT_INPUT,
            "diffusion.spreading_of_cells: %zu numbers, with activation: eikonal; allowed: none",
            c->diffusion.n_spreading_of_cells);
    if (value == 0 || value == usual) return MT_OK;
    return mt_fail(MT_INPUT,
        "diffusion.%sspreading: %g, with activation: eikonal; allowed: 0, as it would move the wavefront",
        nodes ? "nodal_" : "", value);
}

/* Sets what a prescribed activation requires: no spreading, and for auto voltages at the vertices unless a key excludes them. */
static void settle_activation(mt_case *c)
{
    if (c->activation == MT_CASE_MONODOMAIN) return;
    mt_case_fix_discretisation(c, mt_case_check_vertices(c) == MT_OK);
    *(mt_case_at_vertices(c) ? &c->diffusion.nodal_spreading : &c->diffusion.spreading) = 0;
}

/* Checks that all stimuli have the same pulses, so that later activations repeat the first, from rest. */
static mt_status check_activation(const mt_case *c)
{
    char name[MT_CASE_STIMULUS_NAME];
    size_t count = 0;
    double period_ms = NAN;
    if (c->activation == MT_CASE_MONODOMAIN) return MT_OK;
    if (c->start.state[0])
        return mt_fail(MT_INPUT,
            "start.state: found %s; allowed with activation: eikonal: none, as tissue is at rest",
            c->start.state);
    MT_TRY(check_no_spreading(c));
    mt_case_pulses(c, &count, &period_ms);
    for (size_t s = 0; s < c->n_stimuli; s++)
        MT_TRY(mt_fail_in(mt_case_stimulus_name(c, s, "", name),
            check_like_first(c->stimuli[s].count, c->stimuli[s].period_ms, count, period_ms)));
    for (size_t s = 0; s < c->network.n_stimuli; s++)
        MT_TRY(mt_case_in_entry("network.stimuli", s,
            check_like_first(
                c->network.stimuli[s].count, c->network.stimuli[s].period_ms, count, period_ms)));
    return MT_OK;
}

void mt_case_pulses(const mt_case *c, size_t *count, double *period_ms)
{
    *count = c->n_stimuli ? c->stimuli[0].count : c->network.stimuli[0].count;
    *period_ms = c->n_stimuli ? c->stimuli[0].period_ms : c->network.stimuli[0].period_ms;
}

/* ---- all checks */

static mt_status check(const char *path, const mt_case *c)
{
    char name[MT_CASE_STIMULUS_NAME];
    const bool file = c->mesh.file[0] != 0, slab = c->mesh.slab.edge_mm > 0;
    if (file == slab)
        return mt_fail(MT_INPUT,
            "%s: mesh: %s; needed: either file, or slab with size_mm and edge_mm above 0", path,
            file ? "both file and slab are given" : "neither file nor slab is given");
    MT_TRY(check_any(path, c));
    MT_TRY(check_cells(path, c));
    MT_TRY(check_accumulation(path, c));
    MT_TRY(check_precision(path, c));
    MT_TRY(check_device(path, c));
    MT_TRY(mt_fail_in(path, check_network(c)));
    MT_TRY(mt_fail_in(path, check_discretisation(c)));
    MT_TRY(check_times(path, c));
    MT_TRY(mt_fail_in(path, check_activation(c)));
    MT_TRY(check_prepace(path, c));
    MT_TRY(check_samples(path, c));
    MT_TRY(check_electrodes(path, c));
    MT_TRY(check_asked(c, usual_variant(c), &c->cell.asked));
    for (size_t g = 0; g < c->n_gradients; g++) MT_TRY(check_gradient(path, c, g));
    for (size_t p = 0; p < c->n_points; p++)
        MT_TRY(mt_fail_in(path, mt_case_in_entry("points", p, check_point(&c->points[p]))));
    for (size_t r = 0; r < c->n_regions; r++) MT_TRY(check_region(path, c, r));
    for (size_t s = 0; s < c->n_stimuli; s++)
        MT_TRY(mt_fail_in(
            path, mt_fail_in(mt_case_stimulus_name(c, s, "", name), mt_region_check(&c->stimuli[s].region))));
    return MT_OK;
}

/* ---- sites */

static mt_status add_site(mt_arena *arena, const mt_case *c, const mt_site *site, mt_case_stimulus *to)
{
    enum { FROM = 256 };
    const mt_case_sites *sites = &c->sites;
    const double steps = round(site->start_ms / c->time.dt_ms);
    char *from;
    MT_ALLOC(arena, from, FROM);
    (void)snprintf(from, FROM, "%.220s:%zu", sites->file, site->line);
    *to = (mt_case_stimulus){.region = mt_region_empty,
        .start_ms = steps <= run_steps_max ? steps * c->time.dt_ms : site->start_ms,
        .duration_ms = sites->duration_ms,
        .period_ms = NAN,
        .count = 1,
        .strength_uA_mm3 = sites->strength_uA_mm3,
        .site = true,
        .from = from};
    memcpy(to->region.centre_mm, site->xyz_mm, sizeof site->xyz_mm);
    to->region.radius_mm = isnan(site->radius_mm) ? sites->radius_mm : site->radius_mm;
    if (!isnan(to->region.radius_mm)) return MT_OK;
    return mt_fail(MT_INPUT, "%s: no radius_mm; needed: this column in the file, or sites.radius_mm", from);
}

static mt_status check_sites(const mt_case_sites *sites)
{
    const bool file = sites->file[0] != 0, duration = !isnan(sites->duration_ms),
               strength = !isnan(sites->strength_uA_mm3);
    if (file && duration && strength) return MT_OK;
    if (!file && !duration && !strength && isnan(sites->radius_mm)) return MT_OK;
    return mt_fail(MT_INPUT, "sites: %s is missing; needed: file, duration_ms and strength_uA_mm3",
        !file       ? "file"
        : !duration ? "duration_ms"
                    : "strength_uA_mm3");
}

/* Appends the sites of the case's file to its stimuli. */
static mt_status add_sites(mt_arena *arena, mt_case *c)
{
    mt_case_stimulus *all;
    mt_site *sites;
    size_t n;
    MT_TRY(check_sites(&c->sites));
    if (!c->sites.file[0]) return MT_OK;
    MT_TRY(mt_fail_in(
        "sites", mt_sites_read(arena, c->sites.file, MT_CASE_STIMULI_MAX - c->n_stimuli, &n, &sites)));
    MT_ALLOC(arena, all, c->n_stimuli + n);
    for (size_t s = 0; s < c->n_stimuli; s++) all[s] = c->stimuli[s];
    for (size_t k = 0; k < n; k++) MT_TRY(add_site(arena, c, &sites[k], &all[c->n_stimuli + k]));
    c->stimuli = all;
    c->n_stimuli += n;
    c->sites = (mt_case_sites){"", NAN, NAN, NAN};
    return MT_OK;
}

/* Removes the accuracy of a case that states its discretisation. */
static void remove_accuracy(mt_case *c)
{
    if (!mt_case_is_auto(c)) c->diffusion.accuracy_percent = NAN;
}

/* Adds the sites of a case that was read, checks it, and sets what depends on several keys. */
static mt_status complete(mt_arena *arena, const char *path, mt_case *c)
{
    MT_TRY(mt_fail_in(path, add_sites(arena, c)));
    remove_accuracy(c);
    MT_TRY(check(path, c));
    settle_activation(c);
    return MT_OK;
}

mt_status mt_case_load(
    mt_arena *arena, const char *path, const mt_yaml_override *overrides, size_t n_overrides, mt_case *out)
{
    MT_TRY(mt_yaml_load(arena, path, &mt_case_table, overrides, n_overrides, out));
    return complete(arena, path, out);
}

mt_status mt_case_read(mt_arena *arena, const char *name, const char *text, const mt_yaml_override *overrides,
    size_t n_overrides, mt_case *out)
{
    MT_TRY(mt_yaml_read(arena, name, text, &mt_case_table, overrides, n_overrides, out));
    return complete(arena, name, out);
}

mt_status mt_case_read_region(mt_arena *arena, const char *name, const char *text, mt_region *region)
{
    static const mt_yaml_key keys[] = {REGION_KEYS(mt_case_stimulus, stimulus_position_keys), MT_YAML_END};
    static const mt_yaml_table table = {keys, sizeof(mt_case_stimulus)};
    mt_case_stimulus read;
    MT_TRY(mt_yaml_read(arena, name, text, &table, NULL, 0, &read));
    *region = read.region;
    return mt_fail_in(name, mt_region_check(region));
}

mt_tissue mt_case_tissue(const mt_case *from) { return mt_medium_tissue(&from->tissue); }

mt_diffusing mt_case_diffusing(const mt_case *from)
{
    if (from->diffusion.method == MT_CASE_EXPLICIT) return MT_DIFFUSING_EXPLICIT;
    return from->diffusion.scheme == 0 ? MT_DIFFUSING_EULER : MT_DIFFUSING_CRANK_NICOLSON;
}

mt_diffusion_scheme mt_case_scheme(const mt_case *from)
{
    return (mt_diffusion_scheme){.damping = from->diffusion.damping,
        .spreading = from->diffusion.spreading,
        .front_ms = mt_case_model(from)->front_ms,
        .correction = from->diffusion.correction};
}

bool mt_case_at_vertices(const mt_case *from) { return from->diffusion.discretisation == MT_CASE_NODES; }

bool mt_case_is_auto(const mt_case *from) { return from->diffusion.discretisation == MT_CASE_AUTO; }

double mt_case_accuracy_percent(const mt_case *from)
{
    return isnan(from->diffusion.accuracy_percent) ? MT_CASE_ACCURACY_PERCENT
                                                   : from->diffusion.accuracy_percent;
}

void mt_case_fix_discretisation(mt_case *input, bool at_vertices)
{
    if (!mt_case_is_auto(input)) return;
    input->diffusion.discretisation = at_vertices ? MT_CASE_NODES : MT_CASE_ELEMENTS;
    input->diffusion.accuracy_percent = NAN;
}

mt_status mt_case_check_vertices(const mt_case *from)
{
    mt_case nodes = *from;
    nodes.diffusion.discretisation = MT_CASE_NODES;
    nodes.diffusion.accuracy_percent = NAN;
    return check_discretisation(&nodes);
}

mt_status mt_case_need_elements(const char *path, mt_case *input)
{
    mt_case_fix_discretisation(input, false);
    if (!mt_case_at_vertices(input)) return MT_OK;
    return mt_fail(MT_INPUT, "%s: diffusion.discretisation: nodes; allowed here: elements", path);
}

const char *mt_case_mesh_name(const mt_case *from)
{
    return from->mesh.file[0] ? from->mesh.file : "mesh.slab";
}

static mt_status find_beats(mt_arena *arena, const mt_case *from, mt_record *record)
{
    size_t n = 1, *beat;
    if (from->output.beats == MT_CASE_BEATS_FIRST) return MT_OK;
    for (size_t step = 0; (step = next_beat(from, step)) != SIZE_MAX;) n++;
    MT_ALLOC(arena, beat, n);
    for (size_t b = 1; b < n; b++) beat[b] = next_beat(from, beat[b - 1]);
    record->beat = beat;
    record->n_beats = n;
    return MT_OK;
}

mt_status mt_case_record(mt_arena *arena, const mt_case *from, mt_record *record)
{
    *record = (mt_record){.threshold_mV = from->output.threshold_mV,
        .fraction = from->output.repolarisation_percent / 100,
        .stored = mt_maps_recorded(from->output.maps)};
    MT_TRY(find_beats(arena, from, record));
    record->all = record->stored != 0 || record->threshold_mV != 0 || record->n_beats > 1;
    return MT_OK;
}

mt_pulses mt_case_prepace(const mt_case *from)
{
    return (mt_pulses){from->prepace.bcl_ms, from->prepace.beats, from->prepace.start_ms,
        from->prepace.duration_ms, from->prepace.strength_mV_ms, from->prepace.carrier == 1};
}

size_t mt_case_steps(const mt_case *from) { return (size_t)llround(from->time.end_ms / from->time.dt_ms); }

mt_cell_quantity mt_case_field(const mt_case *from, size_t field)
{
    return field == 0 ? (mt_cell_quantity){"V", "mV"} : mt_case_model(from)->states[field - 1];
}

const mt_backend *mt_case_backend(const mt_case *from)
{
    if (from->machine.backend == MT_CASE_IPU) return &mt_backend_ipu;
    if (from->machine.backend == MT_CASE_OPENCL) return &mt_backend_opencl;
    return from->machine.precision == MT_CASE_SINGLE ? &mt_backend_cpu_single : &mt_backend_cpu;
}

void mt_case_set_backend(mt_case *input, const mt_backend *backend)
{
    input->machine.backend = backend == &mt_backend_ipu      ? MT_CASE_IPU
                             : backend == &mt_backend_opencl ? MT_CASE_OPENCL
                                                             : MT_CASE_CPU;
    input->machine.precision = backend->single ? MT_CASE_SINGLE : MT_CASE_DOUBLE;
}

const mt_cell_model *mt_case_model(const mt_case *from) { return from->cell.model; }

mt_status mt_case_default_network_stimulus(mt_arena *arena, mt_case_network_stimulus *stimulus)
{
    static const mt_yaml_table table = {network_stimulus_keys, sizeof *stimulus};
    return mt_yaml_read(arena, "network.stimuli", "node: 0\n", &table, NULL, 0, stimulus);
}
