/* Common parts of the commands `reproduce ...` about the machine: a mesh, IPU counts, and the halos of the mesh for each count.
 * They simulate nothing, since the cost of a step does not depend on its values. (`reproduce figure1`, `figure3`, `figure4` and
 * `reproduce waves` simulate hearts or tissue; `reproduce math` tests the functions of the ionic models, `reproduce precision` cells.) */
#pragma once

#include "app/cli/table.h"
#include "app/cli/tiling_options.h"
#include "solver/backends/backend.h"
#include "solver/plan/costs.h"

extern const mt_command mt_command_reproduce_figure1, mt_command_reproduce_figure4;
extern const mt_command mt_command_reproduce_table1, mt_command_reproduce_table2, mt_command_reproduce_table3,
    mt_command_reproduce_figure3, mt_command_reproduce_figure5, mt_command_reproduce_figure6,
    mt_command_reproduce_waves, mt_command_reproduce_math, mt_command_reproduce_machine,
    mt_command_reproduce_implicit, mt_command_reproduce_precision, mt_command_reproduce_nodes,
    mt_command_reproduce_machines;

enum { MT_REPRODUCE_SCHEMES = 16 };

typedef struct mt_reproduce {
    mt_tiling tiling;
    const char *picture; /* path, or NULL */
    size_t n_ipus, n_schemes;
    uint32_t ipus[MT_TILING_COUNTS];
    mt_scheme scheme[MT_REPRODUCE_SCHEMES];
    bool machine_of_study; /* true for the unchanged GC200 of data/machines */
    /* name of the study's mesh with the same number of elements within a tenth, or NULL. Set by mt_reproduce_mesh; remains valid
     * after the mesh is freed */
    const char *like;
    /* valid from mt_reproduce_mesh to mt_reproduce_free_mesh */
    mt_arena mesh_arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_pattern pattern;
} mt_reproduce;

/* For option tables. */
#define MT_REPRODUCE_MESH                                                                                    \
    {                                                                                                        \
        .name = "--mesh", .value = "MESH.hdf",                                                               \
        .help = "mesh of a heart; default: one like heart04, generated with gmsh"                            \
    }
#define MT_REPRODUCE_IPUS                                                                                    \
    {                                                                                                        \
        .name = "--ipus", .value = "N,...", .help = "numbers of IPUs; default: 1,2,4,8,16"                   \
    }

/* Reads all options except the schemes. Refuses a picture that cannot be written. */
MT_NODISCARD mt_status mt_reproduce_parse(
    mt_arena *arena, const mt_arguments *arguments, mt_reproduce *reproduce);

/* Reads a list of schemes separated by commas; NULL: all schemes. `ranges`: limit of the schemes that have one, 0 for the default.
 * Fails with MT_INPUT; the message names the option. */
MT_NODISCARD mt_status mt_reproduce_schemes(
    const char *option, const char *names, uint32_t ranges, mt_reproduce *reproduce);

/* Reads a list of at most `most` backends separated by commas. Fails with MT_INPUT; the message names --backends. */
MT_NODISCARD mt_status mt_reproduce_backends(
    const char *names, size_t most, size_t *n, const mt_backend **backend);

/* Reads the mesh of a file; NULL: generates a heart like the study's heart04 with gmsh. */
MT_NODISCARD mt_status mt_reproduce_mesh(const char *path, mt_reproduce *reproduce);
void mt_reproduce_free_mesh(mt_reproduce *reproduce);

/* True if the mesh is mapped as in the study: an unchanged GC200 with all its 1,472 tiles, a flat METIS partition with an imbalance
 * of 3 %, and the scheme `mixed-clean` without balanced halos. Only such runs are compared with the published numbers. */
bool mt_reproduce_as_studied(const mt_reproduce *reproduce, const mt_scheme *scheme);

/* Visits the halo for ipus[i] and scheme[k]. */
typedef mt_status mt_reproduce_visit(void *context, size_t i, size_t k, const mt_halo *halo);

/* Partitions the mesh for each count of IPUs, optionally balances the halos for each scheme, and visits the halo of each scheme.
 * Stops at the first failure and returns it. */
MT_NODISCARD mt_status mt_reproduce_each(
    const mt_reproduce *reproduce, mt_reproduce_visit *visit, void *context);

/* Warns that a scheme does not fit on this number of IPUs. */
void mt_reproduce_warn(const mt_scheme *scheme, uint32_t ipus, const mt_costs *costs);

/* Formats "1 IPU", "2 IPUs". */
typedef char mt_reproduce_name[32];
void mt_reproduce_ipus(uint32_t ipus, mt_reproduce_name name);
