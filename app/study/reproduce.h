/* What the commands `reproduce ...` about the machine share: a mesh, counts of IPUs, and the halos of the mesh on each count. Nothing is
 * simulated: the cost of a step does not depend on its values. (`reproduce figure1`, `figure3`, `figure4` and `reproduce waves`
 * are about the heart, and simulate. `reproduce math` is about the cell models' functions.) */
#pragma once

#include "app/cli/table.h"
#include "app/cli/tiling_options.h"
#include "solver/backends/backend.h"
#include "solver/plan/costs.h"

extern const mt_command mt_command_reproduce_figure1, mt_command_reproduce_figure4;
extern const mt_command mt_command_reproduce_table1, mt_command_reproduce_table2, mt_command_reproduce_table3,
    mt_command_reproduce_figure3, mt_command_reproduce_figure5, mt_command_reproduce_figure6,
    mt_command_reproduce_waves, mt_command_reproduce_math, mt_command_reproduce_machine,
    mt_command_reproduce_implicit;

enum { MT_REPRODUCE_SCHEMES = 16 };

typedef struct mt_reproduce {
    mt_tiling tiling;
    const char *picture; /* NULL: none */
    size_t n_ipus, n_schemes;
    uint32_t ipus[MT_TILING_COUNTS];
    mt_scheme scheme[MT_REPRODUCE_SCHEMES];
    bool machine_of_study; /* the GC200 of data/machines, with no other value */
    /* set by mt_reproduce_mesh, and kept when the mesh is dropped: the mesh of the study with the same number of elements, within
     * a tenth; NULL: there is none */
    const char *like;
    /* from mt_reproduce_mesh to mt_reproduce_drop_mesh */
    mt_arena mesh_arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_pattern pattern;
} mt_reproduce;

/* For the tables of options. */
#define MT_REPRODUCE_MESH                                                                                    \
    {                                                                                                        \
        .name = "--mesh", .value = "MESH.hdf",                                                               \
        .help = "a heart; default: one like heart04, made with the gmsh program"                             \
    }
#define MT_REPRODUCE_IPUS                                                                                    \
    {                                                                                                        \
        .name = "--ipus", .value = "N,...", .help = "how many IPUs; default: 1,2,4,8,16"                     \
    }

/* Reads all options but the schemes. Refuses a picture that cannot be written. */
MT_NODISCARD mt_status mt_reproduce_parse(
    mt_arena *arena, const mt_arguments *arguments, mt_reproduce *reproduce);

/* Gives the schemes named in a list separated by commas (NULL: all), with a limit of `ranges` where that is above 0 and the
 * scheme has such a limit. MT_INPUT names the option. */
MT_NODISCARD mt_status mt_reproduce_schemes(
    const char *option, const char *names, uint32_t ranges, mt_reproduce *reproduce);

/* Gives the backends named in a list separated by commas, at most `most`. MT_INPUT names the option --backends. */
MT_NODISCARD mt_status mt_reproduce_backends(
    const char *names, size_t most, size_t *n, const mt_backend **backend);

/* Reads the mesh of a file; NULL: makes a heart like the study's heart04 with gmsh. */
MT_NODISCARD mt_status mt_reproduce_mesh(const char *path, mt_reproduce *reproduce);
void mt_reproduce_drop_mesh(mt_reproduce *reproduce);

/* Does this run map a mesh to the machine as the study did: an unchanged GC200 with all its 1,472 tiles, a flat cut by METIS with
 * an imbalance of 3 %, halos not balanced and sent by `mixed-clean`? Only such runs are compared with its numbers. */
bool mt_reproduce_as_studied(const mt_reproduce *reproduce, const mt_scheme *scheme);

/* Called with the halo on ipus[i] by scheme[k]. */
typedef mt_status mt_reproduce_visit(void *context, size_t i, size_t k, const mt_halo *halo);

/* Cuts the mesh once for each count of IPUs, balances the partition for each scheme if that is asked for, and visits the halo of
 * each scheme. Stops at the first failure and returns it. */
MT_NODISCARD mt_status mt_reproduce_each(
    const mt_reproduce *reproduce, mt_reproduce_visit *visit, void *context);

/* Warns that a scheme does not fit on so many IPUs. */
void mt_reproduce_warn(const mt_scheme *scheme, uint32_t ipus, const mt_costs *costs);

/* "1 IPU", "2 IPUs" */
typedef char mt_reproduce_name[32];
void mt_reproduce_ipus(uint32_t ipus, mt_reproduce_name name);
