/* A case: everything that decides a run, as it stands in a YAML file. Units are in the key names.
 *
 * data/cases/ holds cases that run, with every key explained. Reading one says what is wrong with it in one
 * line (data/yaml.h); what two keys must agree on is checked here. */
#ifndef MT_SOLVER_CASE_H
#define MT_SOLVER_CASE_H

#include <stdbool.h>

#include "data/yaml.h"
#include "mesh/mesh.h"
#include "solver/monodomain.h"
#include "solver/site.h"
#include "solver/tissue.h"

/* Where, when and how much. */
typedef struct mt_case_stimulus {
    mt_site site;
    double start_ms, duration_ms;
    double period_ms; /* from one pulse's start to the next one's; NaN = one pulse */
    size_t count;     /* pulses */
    double strength_uA_mm3;
} mt_case_stimulus;

/* A place whose activation time is asked for. */
typedef struct mt_case_point {
    const char *name;
    double at_mm[3];
} mt_case_point;

/* Times are whole numbers of dt_ms but for so much of one, which is what decimals leave: 100 ms are 3000.003 steps of 0.0333333.
 * An end that is none is refused; of stimuli, the times used are the nearest that are. */
#define MT_CASE_PART_OF_A_STEP 0.01

typedef struct mt_case {
    const char *title;
    struct {
        const char *file; /* "" = make a slab */
        struct {
            double size_mm[3], edge_mm; /* edge 0 = none */
            int cut;                    /* mt_slab_cut */
        } slab;
    } mesh;
    struct {
        double intracellular_l_mS_mm, intracellular_t_mS_mm; /* along and across the fibre */
        double extracellular_l_mS_mm, extracellular_t_mS_mm;
        double chi_per_mm, cm_uF_mm2;
    } tissue;
    struct {
        const char *model; /* of the table of cell models */
        const char *type;  /* of its variants, or "layers": as the mesh's say */
    } cell;
    struct {
        double dt_ms, end_ms;
        size_t pde_steps; /* 0 = as many as the operator's measured limit needs */
    } time;
    mt_case_stimulus *stimuli;
    size_t n_stimuli;
    mt_case_point *points;
    size_t n_points;
    struct {
        double from_mm[3], to_mm[3];
        size_t points; /* 0 = no line */
    } line;
    struct {
        int backend; /* index into mt_backends (solver/backends/backend.h) */
        const char *target;
        size_t ipus;           /* how many targets */
        size_t tiles;          /* of each; 0 = all */
        const char *partition; /* a method of mesh/cut/partition.h, or "saved": the mesh file's own */
        double imbalance;
        bool balance_halo;
        const char *scheme; /* of separators */
        size_t ranges;      /* the most of a tile, for a scheme with such a limit; 0 = its usual one */
        bool checked;
    } machine;
} mt_case;

extern const mt_yaml_table mt_case_table;

/* Reads a case with "path.to.key=value" overrides. Gives its strings and lists in `arena`. Fails as
 * mt_yaml_load, and with MT_INPUT where keys contradict each other. */
MT_NODISCARD mt_status mt_case_load(
    mt_arena *arena, const char *path, const char *const *overrides, size_t n_overrides, mt_case *out);

/* The monodomain tissue of the case: sigma = intracellular * extracellular / (their sum), along and across.
 */
mt_tissue mt_case_tissue(const mt_case *from);

/* The cell model of a case that was loaded. */
const mt_cell_model *mt_case_model(const mt_case *from);

/* Sets model, variant and variant_of of the problem; gives the last where the case takes it from the mesh's layers, else it is
 * NULL. MT_INPUT where the mesh has none, or one that is none of mt_layer. */
MT_NODISCARD mt_status mt_case_cells(
    mt_arena *arena, const mt_case *from, const mt_mesh *mesh, mt_monodomain *problem);

/* The case's stimuli on a mesh: gives for each the cells it reaches. Fails as mt_site_cells; the message
 * names the stimulus. */
MT_NODISCARD mt_status mt_case_stimuli(
    mt_arena *arena, const mt_case *from, const mt_mesh *mesh, mt_stimulus **stimuli);

#endif
