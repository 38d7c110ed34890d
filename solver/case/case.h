/* A case: a YAML file with everything that determines a run. The names of its keys end in their units.
 *
 * data/cases/ holds cases that run, and a README with every key, generated from the schema in case.c. An invalid case is refused with one
 * line (data/yaml/yaml.h). This module also checks that the keys are consistent. */
#pragma once

#include <stdbool.h>

#include "data/yaml/yaml.h"
#include "mesh/make/slab.h"
#include "solver/case/moments.h"
#include "solver/tissue/gradient.h"
#include "solver/outputs/maps.h"
#include "solver/tissue/medium.h"
#include "solver/monodomain.h"
#include "solver/tissue/region.h"
#include "solver/stimulus.h"
#include "solver/cells/pacing.h"
#include "solver/cells/parameters.h"
#include "solver/diffusion/scheme.h"
#include "solver/diffusion/tissue.h"

/* Properties of the elements of a region that differ from the rest of the case. Regions are applied in their order: each changes only the
 * properties that it states. */
typedef struct mt_case_region {
    mt_region region;
    /* 1: scar, non-conducting; 0: conducting, in a part of a non-conducting region; -1: not stated */
    int non_conducting;
    const char *type;      /* the model's variant; "" = not stated */
    mt_cell_request asked; /* changes of the model's parameters */
    mt_medium_change tissue;
} mt_case_region;

typedef struct mt_case_stimulus {
    mt_region region;
    double start_ms, duration_ms;
    double period_ms; /* from the start of one pulse to the start of the next; NaN = one pulse */
    size_t count;     /* number of pulses */
    double strength_uA_mm3;
    bool site; /* an element of several sites belongs to the site that is stimulated first */
    /* the line of the file of sites, "sites.csv:3", for messages; NULL: stated in the case */
    const char *from;
} mt_case_stimulus;

enum { MT_CASE_STIMULI_MAX = 1024 }; /* in total */

/* A file of stimulation sites (solver/tissue/sites.h), and the stimulus at each. */
typedef struct mt_case_sites {
    const char *file;                               /* "" = none */
    double radius_mm, duration_ms, strength_uA_mm3; /* NaN = not stated */
} mt_case_sites;

/* A point with a reported activation time, or an electrode. */
typedef struct mt_case_point {
    const char *name;
    const char *at;       /* of a point: "apex", or "" */
    mt_position position; /* of a point: `at` as a mapping */
    double at_mm[3];      /* NaN: not stated */
} mt_case_point;

/* Places of the voltages (mesh/unknowns.h), auto: chosen for the mesh by the expected errors (app/run/placing.h); time integration of the
 * diffusion; and the beats that have maps. */
typedef enum mt_case_discretisation { MT_CASE_ELEMENTS, MT_CASE_NODES, MT_CASE_AUTO } mt_case_discretisation;
#define MT_CASE_ACCURACY_PERCENT 8
typedef enum mt_case_method { MT_CASE_EXPLICIT, MT_CASE_IMPLICIT } mt_case_method;
typedef enum mt_case_beats { MT_CASE_BEATS_FIRST, MT_CASE_BEATS_EVERY } mt_case_beats;

/* A part of a conduction network: the segments of a kind, those with their middle in a sphere, or the intersection of both. */
typedef struct mt_case_network_part {
    const char *kind;               /* a number, or a word of mt_purkinje_kind_names; "" = not stated */
    double centre_mm[3], radius_mm; /* NaN = not stated */
} mt_case_network_part;

/* A stimulus of all cables within a distance of a node. */
typedef struct mt_case_network_stimulus {
    size_t node;
    double radius_mm, start_ms, duration_ms;
    double period_ms; /* NaN = one pulse */
    size_t count;
    double strength_mV_ms;
} mt_case_network_stimulus;

/* A conduction system (solver/conduction/conduction.h). */
typedef struct mt_case_network {
    const char *file; /* "" = none */
    double spacing_mm, radius_mm, conductivity_mS_mm, capacitance_uF_mm2, fibres;
    const char *named; /* the ionic model's name or path */
    const mt_cell_model *model;
    const char *type; /* "" = the model's first variant */
    mt_cell_request asked;
    size_t root;                      /* a node: its free end is not coupled to the tissue */
    double resistance_kOhm, reach_mm; /* of junctions */
    mt_case_network_part *block;
    size_t n_block;
    mt_case_network_stimulus *stimuli;
    size_t n_stimuli;
} mt_case_network;

/* Formats of maps at the vertices. */
typedef enum mt_case_vertices { MT_CASE_VERTICES_CSV, MT_CASE_VERTICES_DAT } mt_case_vertices;

/* Output of a time series: Vm, and any states of the ionic model. */
enum { MT_CASE_FIELD_WORDS = (1 + MT_CELL_STATES + 31) / 32 };
typedef struct mt_case_samples {
    mt_moments_request when;
    uint32_t fields[MT_CASE_FIELD_WORDS]; /* bit mask (mt_case_samples_has) */
} mt_case_samples;

/* End of a run. MT_CASE_UNTIL_END: end_ms. MT_CASE_UNTIL_ACTIVATED: the first whole ms, at most end_ms, after which every element has
 * been activated; or after which no element and no place of the conduction system was activated for MT_CASE_QUIET_MS and no pulse is
 * left. The slowest wavefronts travel 5 mm in that time, so the remaining elements are not reached. */
#define MT_CASE_QUIET_MS 25
/* Compilation of the model of a file (solver/cells/compiled/compiled.h). */
typedef enum mt_case_compile {
    MT_CASE_COMPILE_AUTO,
    MT_CASE_COMPILE_NEVER,
    MT_CASE_COMPILE_ALWAYS
} mt_case_compile;

/* Source of the first activation: the solution of the monodomain equation alone, or prescribed by the eikonal equation
 * (app/eikonal/prescribed.h). */
typedef enum mt_case_activation { MT_CASE_MONODOMAIN, MT_CASE_EIKONAL } mt_case_activation;

typedef enum mt_case_until { MT_CASE_UNTIL_END, MT_CASE_UNTIL_ACTIVATED } mt_case_until;

/* Tolerance for times that must be whole numbers of steps, as a fraction of dt_ms. It allows for rounded decimals: 100 ms are 3000.003
 * steps of 0.0333333 ms. Another end_ms is refused; stimuli start and end at the nearest step. */
#define MT_CASE_PART_OF_A_STEP 0.01

typedef struct mt_case {
    const char *title;
    struct {
        const char *file; /* "" = a generated slab */
        struct {
            double size_mm[3], edge_mm; /* edge 0 = no slab */
            mt_slab_cut cut;
        } slab;
    } mesh;
    mt_medium tissue;
    mt_case_activation activation;
    struct {
        mt_case_discretisation discretisation;
        double accuracy_percent;                        /* with auto; NaN: MT_CASE_ACCURACY_PERCENT */
        double spreading, *spreading_of_cells, damping; /* [n_spreading_of_cells] */
        size_t n_spreading_of_cells;                    /* 0: calibrated */
        double nodal_spreading; /* with nodes: factor of the strength of the laws of the cells */
        mt_correction correction;
        mt_case_method method;
        int scheme; /* of implicit steps: index into "backward-euler", "crank-nicolson" */
        double tolerance_mV;
        mt_accumulation accumulation;
    } diffusion;
    struct {
        const char *named;          /* the ionic model's name or path (mt_cell_model_open) */
        const mt_cell_model *model; /* opened from it */
        int type; /* index of the variant; one past the last: "layers", from the layers of the mesh */
        mt_cell_request asked; /* changes of its parameters */
        mt_stepping stepping;
        double tolerance_mV; /* of multirate stepping */
        mt_evaluation evaluation;
        mt_case_compile compile;
    } cell;
    struct {
        double dt_ms, end_ms;
        mt_case_until until;
        size_t pde_steps; /* 0 = as many as the operator's measured stability limit requires */
        mt_splitting splitting;
    } time;
    struct {
        double every_minutes; /* host time between checkpoints; 0 = never */
        double every_ms;      /* simulated time between checkpoints; NaN = never */
        size_t keep;          /* number of newest checkpoints to keep; 0 = write none, also at signals */
        bool at_end;
    } checkpoint;
    struct {
        uint32_t maps;     /* bit mask by mt_map */
        uint32_t vertices; /* files with maps at the vertices: bit mask by mt_case_vertices */
        double threshold_mV, repolarisation_percent;
        mt_case_beats beats;
        double beat_ms;     /* longest beat; NaN = unlimited */
        double velocity_mm; /* radius of the neighbourhood of conduction velocities */
        bool pictures, report;
    } output;
    mt_case_samples traces; /* at the points */
    struct {
        mt_case_samples samples;
        const char *tag; /* a number or a name; "" = all elements */
    } series;
    struct {
        double every_ms, bath_mS_mm;
    } ecg;
    struct {
        const char *state; /* a file; "" = at rest */
    } start;
    struct {
        double bcl_ms;
        size_t beats; /* 0 = none */
        double start_ms, duration_ms, strength_mV_ms;
        int carrier; /* 0: none; 1: the model's */
    } prepace;
    mt_gradient *gradients;
    size_t n_gradients;
    mt_case_region *regions;
    size_t n_regions;
    mt_case_stimulus *stimuli; /* [n_stimuli]; stimuli of the file of sites are last */
    size_t n_stimuli;
    mt_case_network network;
    mt_case_sites sites; /* empty once the sites are among the stimuli */
    mt_case_point *points;
    size_t n_points;
    mt_case_point *electrodes;
    size_t n_electrodes;
    struct {
        double from_mm[3], to_mm[3];
        size_t points; /* 0 = no line */
    } line;
    struct {
        enum { MT_CASE_CPU, MT_CASE_IPU, MT_CASE_OPENCL } backend;
        enum { MT_CASE_SINGLE, MT_CASE_DOUBLE } precision;
        const char *
            device; /* of OpenCL: a number, or a part of its name; "": the first GPU, or else the first device */
        bool strict; /* the device must have the bits of the host */
        const char *target;
        const mt_yaml_override *sets; /* values of the target */
        size_t n_sets;
        size_t ipus;  /* number of targets */
        size_t tiles; /* of each target; 0 = all */
        /* index into mt_partition_methods; one past the last: the partition saved in the mesh file */
        int partition;
        double imbalance;
        bool balance_halo;
        int scheme; /* separator scheme; index into mt_schemes */
        /* most ranges that a tile sends, for schemes with such a limit; 0 = the scheme's default */
        size_t ranges;
        int streamed; /* an mt_streamed (solver/plan/tiling.h) */
        bool checked;
    } machine;
} mt_case;

/* Effect of changing a key (mt_yaml_affects). Two cases have the same mesh and operator if they agree in all keys that affect the first
 * three. A run can be resumed with another case if both agree in all keys that affect the state. */
typedef enum mt_affects {
    MT_AFFECTS_MESH = 1,
    MT_AFFECTS_TISSUE = 2, /* conductivities, membrane, and non-conducting elements */
    MT_AFFECTS_OPERATOR =
        /* the scheme, with the front time of the ionic model (mt_case_scheme), in addition to mesh and tissue */
    4,
    MT_AFFECTS_MAPPING = 8,  /* mapping to the machine; never a voltage */
    MT_AFFECTS_CELLS = 16,   /* the ionic model and its parameters */
    MT_AFFECTS_STATE = 32,   /* Vm, states or their records, from the start on */
    MT_AFFECTS_LATER = 64,   /* the same, but only after a time stated by the key */
    MT_AFFECTS_NOTHING = 128 /* none of the above */
} mt_affects;
enum { MT_AFFECTS_PROBLEM = MT_AFFECTS_MESH | MT_AFFECTS_TISSUE | MT_AFFECTS_OPERATOR };

extern const mt_yaml_table mt_case_table;

/* Reads a case with overrides "path.to.key=value", and its file of sites, which become stimuli. Strings and lists are in `arena`. Returns
 * the errors of mt_yaml_load and mt_sites_read, and MT_INPUT if keys contradict each other. */
MT_NODISCARD mt_status mt_case_load(
    mt_arena *arena, const char *path, const mt_yaml_override *overrides, size_t n_overrides, mt_case *out);

/* Sets a stimulus of a network to its defaults, at node 0. MT_MEMORY. */
MT_NODISCARD mt_status mt_case_default_network_stimulus(mt_arena *arena, mt_case_network_stimulus *stimulus);

/* Same as mt_case_load, from a NUL-terminated text; `name` replaces the file in messages. */
MT_NODISCARD mt_status mt_case_read(mt_arena *arena, const char *name, const char *text,
    const mt_yaml_override *overrides, size_t n_overrides, mt_case *out);

/* Reads a region alone, from a NUL-terminated text with its keys, such as "tag: 3" or "{centre_mm: [0, 0, 5], radius_mm: 2}". Strings are
 * in `arena`. Returns the errors of mt_yaml_read and mt_region_check; messages begin with `name`. */
MT_NODISCARD mt_status mt_case_read_region(
    mt_arena *arena, const char *name, const char *text, mt_region *region);

/* Returns the monodomain tissue of the case (mt_medium_tissue), without the changes of its regions. */
mt_tissue mt_case_tissue(const mt_case *from);

/* Returns the time integration of the diffusion. */
mt_diffusing mt_case_diffusing(const mt_case *from);

/* Returns the spatial discretisation of the case. */
mt_diffusion_scheme mt_case_scheme(const mt_case *from);

/* True if the voltages are at the vertices of the mesh; otherwise they are at the centres of its elements. With auto, false until the
 * choice is fixed. */
bool mt_case_at_vertices(const mt_case *from);

/* True if the discretisation is chosen for the mesh. */
bool mt_case_is_auto(const mt_case *from);

/* Returns the largest expected error of activation times that the choice allows [%]. */
double mt_case_accuracy_percent(const mt_case *from);

/* Checks that the case has no key that excludes voltages at the vertices. MT_INPUT; the message names the key. */
MT_NODISCARD mt_status mt_case_check_vertices(const mt_case *from);

/* Replaces auto by the discretisation that was chosen, and removes the accuracy. Does nothing without auto. */
void mt_case_fix_discretisation(mt_case *input, bool at_vertices);

/* Refuses a case with voltages at the vertices where only elements are supported; auto becomes elements. MT_INPUT. `path`: of the case, for
 * the message. */
MT_NODISCARD mt_status mt_case_need_elements(const char *path, mt_case *input);

/* Returns the mesh's name for messages: its file, or "mesh.slab". */
const char *mt_case_mesh_name(const mt_case *from);

/* Pulses within this time after the first pulse of a beat belong to that beat: stimuli at several places that start one activation. */
#define MT_CASE_BEAT_LEAST_MS 50

/* Returns in `arena` the recording options that the case's maps need, and the beats. MT_MEMORY. */
MT_NODISCARD mt_status mt_case_record(mt_arena *arena, const mt_case *from, mt_record *record);

/* Returns the pre-pacing pulses of each kind of cell; zero beats without pre-pacing. */
mt_pulses mt_case_prepace(const mt_case *from);

/* Returns the number of time steps. */
size_t mt_case_steps(const mt_case *from);

/* Returns number and period of the pulses of the first stimulus, of the tissue or else of the network; those of all with
 * activation: eikonal. */
void mt_case_pulses(const mt_case *from, size_t *count, double *period_ms);

/* Returns name and unit of a field of mt_case_samples: 0 is Vm, then the model's states. The caller maps it to an array of a backend. */
mt_cell_quantity mt_case_field(const mt_case *from, size_t field);

/* True if a time series has this field. */
bool mt_case_samples_has(const mt_case_samples *samples, size_t field);

/* Returns the backend (solver/backends/backend.h) of machine.backend and machine.precision; and sets both keys. */
const struct mt_backend *mt_case_backend(const mt_case *from);
void mt_case_set_backend(mt_case *input, const struct mt_backend *backend);

/* Returns the ionic model of a loaded case. */
const mt_cell_model *mt_case_model(const mt_case *from);

/* ---- shared with solver/case/case_on_mesh.h */

/* Adds the list entry to the message of a failure. */
mt_status mt_case_in_entry(const char *list, size_t number, mt_status status);

/* Writes the name of a stimulus key for messages: "stimuli.2.start_ms", or "sites.csv:3: start_ms" in a file; `key` "": the stimulus
 * itself. */
enum { MT_CASE_STIMULUS_NAME = 320 };
const char *mt_case_stimulus_name(
    const mt_case *input, size_t stimulus, const char *key, char text[MT_CASE_STIMULUS_NAME]);

/* True if a region changes its cells. */
bool mt_case_region_has_cells(const mt_case_region *region);

enum { MT_CASE_LAYERS = MT_LAYER_EPI - MT_LAYER_ENDO + 1 };

/* Finds the variants of a model that are named after the layers of the wall. MT_INPUT if one is missing. */
MT_NODISCARD mt_status mt_case_layers(const mt_cell_model *model, size_t of_layer[MT_CASE_LAYERS]);
