/* The slab benchmark of Niederer et al. 2011 (Phil. Trans. R. Soc. A 369:4331-4351, doi 10.1098/rsta.2011.0139) on several
 * meshes, started in several corners, by several backends. All numbers of the benchmark are those of the case
 * data/cases/niederer-0.5.yaml, but for the edge, which is each mesh's own.
 *
 * Corners are those of the base, z = 0: corner 0 is the benchmark's; bit 0 mirrors the slab's stimuli, points and line along x,
 * bit 1 along y. The mesh stays. By symmetry all corners give the same times; by how much they do not is an error of the mesh. */
#pragma once

#include "app/cli/command.h"
#include "app/run/mapping.h"
#include "mesh/info.h"
#include "solver/backends/backend.h"
#include "solver/case/case.h"

enum { MT_NIEDERER_EDGES_MAX = 8, MT_NIEDERER_CORNERS_MAX = 4, MT_NIEDERER_BACKENDS_MAX = 2 };

/* For the tables of options. */
#define MT_NIEDERER_OPTIONS                                                                                  \
    {.name = "--edges-mm",                                                                                   \
        .value = "E,...",                                                                                    \
        .help = "edges of the slab's boxes, whole parts of its size; default: 0.5,0.2; 0.1 takes long"},     \
        {.name = "--gmsh",                                                                                   \
            .help = "beside each, an unstructured mesh of the same edge by the gmsh program"},               \
        {.name = "--corners",                                                                                \
            .value = "N",                                                                                    \
            .help =                                                                                          \
                "start in N corners of the base, one after another, 1 to 4; default: 1, the benchmark's"},   \
        {.name = "--backends",                                                                               \
            .value = "NAME,...",                                                                             \
            .help = "who computes: cpu (double precision), ipu (the emulated machine); default: cpu,ipu"},   \
        {.name = "--dt-ms", .value = "DT", .help = "time step of the cell model; default: the case's"},      \
        {.name = "--set",                                                                                    \
            .value = "path.to.key=value",                                                                    \
            .help = "use this value in place of the case's, data/cases/niederer-0.5.yaml",                   \
            .repeats = true},                                                                                \
        MT_OPTION_NO_CACHE

/* A mesh, and what came of it. */
typedef struct mt_niederer_mesh {
    double edge_mm;
    bool by_gmsh;
    const char *kind; /* "gmsh", or how boxes are cut: "mirrored", "kuhn" */
    size_t n_elements;
    mt_element_size size;
    size_t substeps; /* diffusion substeps in a time step */
    /* Activation times: [n_backends][n_corners][points, then the line's places]; NaN: not reached. */
    double *at_ms;
} mt_niederer_mesh;

typedef struct mt_niederer {
    const char *path; /* of the case */
    mt_case input;    /* its edge is no mesh's */
    mt_mapping_choice choice;
    bool cached; /* mt_operator_make */
    size_t n_meshes, n_corners, n_backends;
    const mt_backend *backend[MT_NIEDERER_BACKENDS_MAX];
    mt_niederer_mesh *mesh; /* [n_meshes] edge by edge; that of gmsh behind the other of its edge */
} mt_niederer;

/* Reads the options and the case. Refuses, before the work, what cannot be run. MT_INPUT names the option or the key: those of
 * the case for which there are options cannot be set. MT_FILE: a file cannot be read. MT_MEMORY. */
MT_NODISCARD mt_status mt_niederer_parse(
    mt_arena *arena, const mt_arguments *arguments, mt_niederer *niederer);

/* Makes the meshes, one at a time, and runs them; gives the rest of their fields in `arena`. Shows progress; warns of what is unusual.
 * Fails as mt_problem_make, mt_gmsh_slab, mt_mapping_make and mt_run_make. */
MT_NODISCARD mt_status mt_niederer_run(mt_arena *arena, mt_niederer *niederer);

/* The times of a run: those of the points, then those of the line. */
const double *mt_niederer_times(const mt_niederer *niederer, size_t mesh, size_t backend, size_t corner);

/* The time at the point of this name, in a run; NaN where there is no such point. */
double mt_niederer_point_ms(
    const mt_niederer *niederer, const char *name, size_t mesh, size_t backend, size_t corner);

/* By how much the time at the point of this name differs among the corners at most; NaN with one corner alone. */
double mt_niederer_spread_ms(const mt_niederer *niederer, const char *name, size_t mesh, size_t backend);

/* The largest difference along the line, over all corners, from the times of the backend cpu; NaN for cpu itself, and where it
 * was not asked for. Places that one of both did not reach do not count. */
double mt_niederer_difference_ms(const mt_niederer *niederer, size_t mesh, size_t backend);

/* A place of the case, such as a corner of the base, seen from another corner. */
double mt_niederer_mirrored_mm(const mt_niederer *niederer, size_t corner, size_t axis, double at_mm);
