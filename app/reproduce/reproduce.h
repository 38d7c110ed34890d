/* What the commands `reproduce ...` share: a mesh, counts of IPUs, and the halos of the mesh on so many. Nothing
 * is simulated: what a step costs does not depend on its values. */
#ifndef MT_APP_REPRODUCE_REPRODUCE_H
#define MT_APP_REPRODUCE_REPRODUCE_H

#include "app/cli/table.h"
#include "app/stages/tiling.h"

extern const mt_command mt_command_reproduce_table1, mt_command_reproduce_table2, mt_command_reproduce_table3,
    mt_command_reproduce_figure5, mt_command_reproduce_figure6;

enum { MT_REPRODUCE_SCHEMES = 16 };

typedef struct mt_reproduce {
    mt_tiling tiling;
    mt_format format;
    const char *picture; /* NULL: none */
    size_t n_ipus, n_schemes;
    uint32_t ipus[MT_TILING_COUNTS];
    mt_scheme scheme[MT_REPRODUCE_SCHEMES];
    bool machine_of_study; /* the GC200 of data/machines, with no other value */
    /* of mt_reproduce_mesh, and there without the mesh, too: the study's mesh with as many cells, within a tenth; NULL:
     * it has none */
    const char *like;
    /* of mt_reproduce_mesh, until mt_reproduce_drop_mesh */
    mt_arena mesh_arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    uint32_t *columns;
} mt_reproduce;

/* For the tables of options. */
#define MT_REPRODUCE_IPUS                                                                                    \
    {                                                                                                        \
        .name = "--ipus", .value = "N,...", .help = "how many IPUs; default: 1,2,4,8,16"                     \
    }

/* Gives what is asked for, but for the schemes. A picture that cannot be written is refused here. */
MT_NODISCARD mt_status mt_reproduce_parse(
    mt_arena *arena, const mt_arguments *arguments, mt_reproduce *reproduce);

/* Gives the schemes that are named, apart by commas, each with at most `ranges` where that is above 0 and it has such
 * a limit. MT_INPUT names the option. */
MT_NODISCARD mt_status mt_reproduce_schemes(
    const char *option, const char *names, uint32_t ranges, mt_reproduce *reproduce);

/* Gives the mesh of a file; of NULL, a heart like the study's heart04, made with gmsh. */
MT_NODISCARD mt_status mt_reproduce_mesh(const char *path, mt_reproduce *reproduce);
void mt_reproduce_drop_mesh(mt_reproduce *reproduce);

/* Is a mesh put on the machine as the study did it: the GC200 with none of its values changed and all its 1,472 tiles,
 * cut flat as METIS does it with an imbalance of 3 %, halos not balanced, and sent by `mixed-clean`? Only beside that
 * its numbers stand. */
bool mt_reproduce_as_studied(const mt_reproduce *reproduce, const mt_scheme *scheme);

/* Is called for a halo on ipus[i] by scheme[k]. */
typedef mt_status mt_reproduce_visit(void *context, size_t i, size_t k, const mt_halo *halo);

/* Cuts the mesh for each count of IPUs, and visits the halo of each scheme: on one partition but for what
 * balancing does for each. The first failure is handed on. */
MT_NODISCARD mt_status mt_reproduce_each(
    const mt_reproduce *reproduce, mt_reproduce_visit *visit, void *context);

/* Tells on standard error that a scheme on so many IPUs cannot be had. */
void mt_reproduce_warn(const mt_scheme *scheme, uint32_t ipus, const mt_tiling_costs *costs);

/* "1 IPU", "2 IPUs" */
typedef char mt_reproduce_name[32];
void mt_reproduce_ipus(uint32_t ipus, mt_reproduce_name name);

#endif
