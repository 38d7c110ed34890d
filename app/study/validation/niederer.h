/* The slab benchmark of Niederer et al. 2011 (Phil. Trans. R. Soc. A 369:4331-4351, doi 10.1098/rsta.2011.0139) on several meshes,
 * with stimuli in several corners, by several backends. All numbers are taken from data/cases/niederer-0.5.yaml, except the edge of
 * each mesh.
 *
 * The corners are in the base, z = 0: corner 0 is that of the benchmark; bit 0 mirrors stimuli, points and line along x, bit 1
 * along y. The mesh is not mirrored. By symmetry all corners have the same activation times; differences are errors of the mesh. */
#pragma once

#include "app/cli/command.h"
#include "app/run/mapping.h"
#include "mesh/info.h"
#include "solver/backends/backend.h"
#include "solver/case/case.h"

enum { MT_NIEDERER_EDGES_MAX = 8, MT_NIEDERER_CORNERS_MAX = 4, MT_NIEDERER_BACKENDS_MAX = 2 };

/* For option tables. */
#define MT_NIEDERER_OPTIONS                                                                                  \
    {.name = "--edges-mm",                                                                                   \
        .value = "E,...",                                                                                    \
        .help = "edges of the slab's boxes, divisors of its size; default: 0.5,0.2; 0.1 takes long"},        \
        {.name = "--gmsh", .help = "for each edge also an unstructured mesh, generated with gmsh"},          \
        {.name = "--corners",                                                                                \
            .value = "N",                                                                                    \
            .help = "stimulate N corners of the base in turn, 1 to 4; default: 1, as in the benchmark"},     \
        {.name = "--backends",                                                                               \
            .value = "NAME,...",                                                                             \
            .help = "backends: cpu (double precision), cpu-single, ipu (the emulated machine); default: "    \
                    "cpu,ipu"},                                                                              \
        {.name = "--dt-ms",                                                                                  \
            .value = "DT",                                                                                   \
            .help = "time step of the ionic model; default: that of the case"},                              \
        {.name = "--set",                                                                                    \
            .value = "path.to.key=value",                                                                    \
            .help = "replace a value of the case data/cases/niederer-0.5.yaml",                              \
            .repeats = true},                                                                                \
        MT_OPTION_NO_CACHE

/* A mesh and its results. */
typedef struct mt_niederer_mesh {
    double edge_mm;
    bool by_gmsh;
    const char *kind; /* "gmsh", or the cut of the boxes: "mirrored", "kuhn" */
    size_t n_elements;
    mt_element_size size;
    size_t substeps; /* diffusion substeps per time step */
    /* Activation times: [n_backends][n_corners][points, then positions on the line]; NaN: not activated. */
    double *at_ms;
} mt_niederer_mesh;

typedef struct mt_niederer {
    const char *path; /* of the case */
    mt_case input;    /* its edge is not used */
    mt_mapping_choice choice;
    bool cached; /* mt_operator_make */
    size_t n_meshes, n_corners, n_backends;
    const mt_backend *backend[MT_NIEDERER_BACKENDS_MAX];
    mt_niederer_mesh *mesh; /* [n_meshes] by edge; the gmsh mesh after the other one of the same edge */
} mt_niederer;

/* Reads the options and the case. Refuses invalid requests before the work. Fails with MT_INPUT, also if --set changes a key with
 * an option of its own; the message names option or key. Fails with MT_FILE if a file cannot be read, or with MT_MEMORY. */
MT_NODISCARD mt_status mt_niederer_parse(
    mt_arena *arena, const mt_arguments *arguments, mt_niederer *niederer);

/* Builds the meshes, one at a time, and runs them; sets their other members in `arena`. Shows progress and warns of unusual values.
 * Returns the errors of `mt_problem_make`, `mt_gmsh_slab`, `mt_mapping_make` and `mt_run_make`. */
MT_NODISCARD mt_status mt_niederer_run(mt_arena *arena, mt_niederer *niederer);

/* Returns the activation times of a run: of the points, then of the line. */
const double *mt_niederer_times(const mt_niederer *niederer, size_t mesh, size_t backend, size_t corner);

/* Returns the activation time at a named point in a run; NaN if there is no such point. */
double mt_niederer_point_ms(
    const mt_niederer *niederer, const char *name, size_t mesh, size_t backend, size_t corner);

/* Returns the largest difference among the corners of the activation time at a named point; NaN for a single corner. */
double mt_niederer_spread_ms(const mt_niederer *niederer, const char *name, size_t mesh, size_t backend);

/* Returns the largest difference along the line, over all corners, from the backend cpu; NaN for cpu itself, and if cpu was not
 * requested. Positions that only one of them activated are ignored. */
double mt_niederer_difference_ms(const mt_niederer *niederer, size_t mesh, size_t backend);

/* Returns a position of the case, such as a corner of the base, seen from another corner. */
double mt_niederer_mirrored_mm(const mt_niederer *niederer, size_t corner, size_t axis, double at_mm);
