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
#include "solver/stimulus.h"
#include "solver/tissue.h"

/* Where, when and how much. */
typedef struct mt_case_stimulus {
    mt_stimulus_region region;
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

enum { MT_CASE_LAYERS = MT_CELL_TYPES }; /* cell.type: as the mesh's layers say */

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
        int type; /* mt_cell_type, or MT_CASE_LAYERS */
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
        int backend; /* index into mt_backends */
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

/* What messages call the mesh: its file, or "mesh.slab". */
const char *mt_case_mesh_name(const mt_case *from);

/* How many time steps the case has. */
size_t mt_case_steps(const mt_case *from);

/* Diffusion steps in a time step that are made without being asked for: with more of them a run would do little else (the
 * cell model costs as much as some ten), and what asks for them is a wrong unit or a wrong number. */
#define MT_CASE_PDE_STEPS_MOST 10000

/* Before the operator is made: MT_INPUT where any operator on a mesh of this scale would need more than
 * MT_CASE_PDE_STEPS_MOST, and the case does not ask for a number of steps itself. */
MT_NODISCARD mt_status mt_case_check_scale(const mt_case *from, const mt_mesh *mesh);

/* Sets time.pde_steps, unless the case asks for a number, to what the operator needs (mt_monodomain_pde_steps). MT_INPUT:
 * more than MT_CASE_PDE_STEPS_MOST. */
MT_NODISCARD mt_status mt_case_choose_steps(mt_case *input, const mt_diffusion *diffusion);

/* Gives the type of each cell where the case takes it from the mesh's layers, else NULL. MT_INPUT where the mesh
 * has none, or one that is none of mt_layer. */
MT_NODISCARD mt_status mt_case_cell_types(
    mt_arena *arena, const mt_case *from, const mt_mesh *mesh, uint16_t **cell_type_of);

/* The case's stimuli on a mesh: gives for each the cells it reaches. Fails as mt_stimulus_region_cells; the message
 * names the stimulus. */
MT_NODISCARD mt_status mt_case_stimuli(
    mt_arena *arena, const mt_case *from, const mt_mesh *mesh, mt_stimulus **stimuli);

#endif
