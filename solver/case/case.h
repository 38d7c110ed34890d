/* A case: a YAML file with everything that determines a run. The names of its keys end in their units.
 *
 * data/cases/ holds cases that run, and a README that explains every key; it is made from the schema in case.c. A case that makes
 * no sense is refused with one line (data/yaml/yaml.h). This file also checks that its keys agree with each other. */
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

/* What the elements of a region are, where that is not what the case says of all. Regions are applied in their order: each changes
 * what it names, and leaves the rest as it was there. */
typedef struct mt_case_region {
    mt_region region;
    int inert; /* 1: scar, no cells that conduct; 0: none, in a part of an inert region; -1: not named */
    const char *type;    /* the model's variant; "" = not named */
    mt_cell_asked asked; /* of the model's parameters */
    mt_medium_change tissue;
} mt_case_region;

typedef struct mt_case_stimulus {
    mt_region region;
    double start_ms, duration_ms;
    double period_ms; /* from the start of one pulse to the start of the next; NaN = one pulse */
    size_t count;     /* pulses */
    double strength_uA_mm3;
    bool site; /* an element of several sites belongs to the one that begins first */
    const char
        *from; /* the place in a file of sites, "sites.csv:3", for messages; NULL: it stands in the case */
} mt_case_stimulus;

enum { MT_CASE_STIMULI_MAX = 1024 }; /* in all */

/* Places in a file (solver/tissue/sites.h), and what is given to each. */
typedef struct mt_case_sites {
    const char *file;                               /* "" = none */
    double radius_mm, duration_ms, strength_uA_mm3; /* NaN = not given */
} mt_case_sites;

/* A point whose activation time is reported, or an electrode. */
typedef struct mt_case_point {
    const char *name;
    double at_mm[3];
} mt_case_point;

/* How the diffusion of a time step is done; which beats have maps. */
typedef enum mt_case_method { MT_CASE_EXPLICIT, MT_CASE_IMPLICIT } mt_case_method;
typedef enum mt_case_beats { MT_CASE_BEATS_FIRST, MT_CASE_BEATS_EVERY } mt_case_beats;

/* Formats of maps at the vertices. */
typedef enum mt_case_vertices { MT_CASE_VERTICES_CSV, MT_CASE_VERTICES_DAT } mt_case_vertices;

/* What is written as time passes: the potential, and any states of the cell model. */
typedef struct mt_case_samples {
    mt_moments_asked when;
    uint32_t fields; /* a bit each: 0 is V, then the model's states (mt_case_field) */
} mt_case_samples;

/* When a run ends: at end_ms, or before it at the first whole ms after which every element has been activated; or none was within the last
 * MT_CASE_QUIET_MS, in which the slowest waves go 5 mm, and no pulse of a stimulus is to come: what is left is not reached. */
#define MT_CASE_QUIET_MS 25
typedef enum mt_case_until { MT_CASE_UNTIL_END, MT_CASE_UNTIL_ACTIVATED } mt_case_until;

/* Times must be whole numbers of steps of dt_ms, to within this fraction of a step, which allows for rounded decimals: 100 ms are
 * 3000.003 steps of 0.0333333 ms. An end_ms that is not is refused; stimuli start and end at the nearest step. */
#define MT_CASE_PART_OF_A_STEP 0.01

typedef struct mt_case {
    const char *title;
    struct {
        const char *file; /* "" = a slab is made */
        struct {
            double size_mm[3], edge_mm; /* edge 0 = no slab */
            mt_slab_cut cut;
        } slab;
    } mesh;
    mt_medium tissue;
    struct {
        double spreading, damping;
        mt_correction correction;
        mt_case_method method;
        int scheme; /* of implicit steps: index into "backward-euler", "crank-nicolson" */
        double tolerance_mV;
        mt_accumulation accumulation;
    } diffusion;
    struct {
        int model;           /* index into mt_cell_models */
        int type;            /* of its variants; behind the last: "layers", as the mesh's say */
        mt_cell_asked asked; /* of its parameters */
        mt_stepping stepping;
        double tolerance_mV; /* of multirate stepping */
    } cell;
    struct {
        double dt_ms, end_ms;
        mt_case_until until;
        size_t pde_steps; /* 0 = as many as the operator's measured stability limit requires */
        mt_splitting splitting;
    } time;
    struct {
        double every_minutes; /* of the host's time; 0 = not by that */
        double every_ms;      /* NaN = not by that */
        size_t keep;          /* so many of the newest; 0 = none at all, also at signals */
        bool at_end;
    } checkpoint;
    struct {
        uint32_t maps;     /* a bit each, by mt_map */
        uint32_t vertices; /* the files with maps at the vertices: a bit each, by mt_case_vertices */
        double threshold_mV, repolarisation_percent;
        mt_case_beats beats;
        double beat_ms;     /* the longest that a beat may be; NaN = any */
        double velocity_mm; /* radius of the neighbourhood of conduction velocities */
        bool report;
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
    mt_case_stimulus *stimuli; /* those of the file of sites behind the others */
    size_t n_stimuli;
    mt_case_sites sites; /* none, once they are among the stimuli */
    mt_case_point *points;
    size_t n_points;
    mt_case_point *electrodes;
    size_t n_electrodes;
    struct {
        double from_mm[3], to_mm[3];
        size_t points; /* 0 = no line */
    } line;
    struct {
        int backend; /* index into mt_backends (solver/backends/backend.h) */
        const char *target;
        const mt_yaml_override *sets; /* values of the target */
        size_t n_sets;
        size_t ipus;   /* how many targets */
        size_t tiles;  /* of each; 0 = all */
        int partition; /* index into mt_partition_methods; behind the last: the one saved in the mesh file */
        double imbalance;
        bool balance_halo;
        int scheme;    /* of separators; index into mt_schemes */
        size_t ranges; /* the most a tile sends, for schemes with such a limit; 0 = the scheme's default */
        bool checked;
    } machine;
} mt_case;

/* What a change of a key affects (mt_yaml_affects). Two cases are solved on the same mesh with the same operator if they agree in all keys
 * that affect the first three, and a run can be resumed with another case if they agree in all that affect the state. */
typedef enum mt_affects {
    MT_AFFECTS_MESH = 1,
    MT_AFFECTS_TISSUE = 2, /* conductivities, membrane, and which elements conduct */
    MT_AFFECTS_OPERATOR =
        4, /* beside mesh and tissue: the scheme, with the front time of the ionic model (mt_case_scheme) */
    MT_AFFECTS_MAPPING = 8,  /* to the machine; no voltage */
    MT_AFFECTS_CELLS = 16,   /* the ionic model and its parameters */
    MT_AFFECTS_STATE = 32,   /* V, states or what is recorded of them, from the start on */
    MT_AFFECTS_LATER = 64,   /* the same, but only after a time that the key has */
    MT_AFFECTS_NOTHING = 128 /* of the above */
} mt_affects;
enum { MT_AFFECTS_PROBLEM = MT_AFFECTS_MESH | MT_AFFECTS_TISSUE | MT_AFFECTS_OPERATOR };

extern const mt_yaml_table mt_case_table;

/* Reads a case, with overrides "path.to.key=value", and its file of sites, which become stimuli. Gives its strings and lists in
 * `arena`. Fails as mt_yaml_load and mt_sites_read, and with MT_INPUT if keys contradict each other. */
MT_NODISCARD mt_status mt_case_load(
    mt_arena *arena, const char *path, const mt_yaml_override *overrides, size_t n_overrides, mt_case *out);

/* The same from a text that ends with a NUL; `name` stands for the file in messages. */
MT_NODISCARD mt_status mt_case_read(mt_arena *arena, const char *name, const char *text,
    const mt_yaml_override *overrides, size_t n_overrides, mt_case *out);

/* The monodomain tissue that the case says of the whole (mt_medium_tissue); regions may be others. */
mt_tissue mt_case_tissue(const mt_case *from);

/* How the diffusion of a time step is done. */
mt_diffusing mt_case_diffusing(const mt_case *from);

/* How the case discretises in space. */
mt_diffusion_scheme mt_case_scheme(const mt_case *from);

/* What messages call the mesh: its file, or "mesh.slab". */
const char *mt_case_mesh_name(const mt_case *from);

/* Pulses that begin within this of a beat's first one belong to it: the stimuli at several places that make one activation. */
#define MT_CASE_BEAT_LEAST_MS 50

/* Gives in `arena` what the loop must record for the case's maps, and the beats. MT_MEMORY. */
MT_NODISCARD mt_status mt_case_record(mt_arena *arena, const mt_case *from, mt_record *record);

/* How each kind of cell is paced by itself before the simulation; no beats: not at all. */
mt_pulses mt_case_prepace(const mt_case *from);

/* How many time steps the case has. */
size_t mt_case_steps(const mt_case *from);

/* What one of mt_case_samples.fields is called, and its unit: V, or a state of the model. Its number as an array of a backend is for
 * the caller to find. */
mt_cell_quantity mt_case_field(const mt_case *from, size_t field);

/* The cell model of a case that was loaded. */
const mt_cell_model *mt_case_model(const mt_case *from);

/* ---- for solver/case/case_on_mesh.h, too */

/* Says which entry of a list a failure is about. */
mt_status mt_case_in_entry(const char *list, size_t number, mt_status status);

/* What messages call a key of a stimulus: "stimuli.2.start_ms", and of one in a file "sites.csv:3: start_ms"; "" is the whole. */
enum { MT_CASE_STIMULUS_NAME = 320 };
const char *mt_case_stimulus_name(
    const mt_case *input, size_t stimulus, const char *key, char text[MT_CASE_STIMULUS_NAME]);

/* Does a region say what its cells are? */
bool mt_case_region_says_cells(const mt_case_region *region);

enum { MT_CASE_LAYERS = MT_LAYER_EPI - MT_LAYER_ENDO + 1 };

/* The variants of a model that are named as the layers of a wall. MT_INPUT: it lacks one. */
MT_NODISCARD mt_status mt_case_layers(const mt_cell_model *model, size_t of_layer[MT_CASE_LAYERS]);
