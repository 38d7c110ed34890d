/* The options of commands that send waves through slabs: of which elements the slab is, and whose tissue, cells, scheme and time steps
 * it has.
 *
 * The size is told by one of --edge-mm and --length-mm, or is that of the mesh of --case; so is the family, which else is that of
 * mirrored boxes. Without --case what is taken from one comes from the Niederer benchmark. */
#pragma once

#include "app/cli/command.h"
#include "app/waves/slab_family.h"
#include "solver/case/case.h"

/* `what` is what --edge-mm does beside. */
#define MT_SLAB_OPTIONS(what)                                                                                \
    {.name = "--edge-mm",                                                                                    \
        .value = "H",                                                                                        \
        .help =                                                                                              \
            what "size of the elements: the edge of the boxes, or that gmsh is asked for, which its mean "   \
                 "edge comes close to; default: the case's mesh"},                                           \
        {.name = "--length-mm",                                                                              \
            .value = "L",                                                                                    \
            .help = "the same as the cube root of the elements' mean volume, the characteristic length of "  \
                    "`mesh info`: use this for a mesh that you have"},                                       \
        {.name = "--family",                                                                                 \
            .value = "kuhn|mirrored|gmsh",                                                                   \
            .help = "meshes of boxes that are cut alike, or each as the mirror image of the next; "          \
                    "unstructured ones by the gmsh program; default: the case's, or mirrored"},              \
    {                                                                                                        \
        .name = "--seed", .value = "N", .help = "of gmsh's random numbers; default: 1"                       \
    }

/* Gives the case, with these values in place of its own. Fails as mt_case_load. */
MT_NODISCARD mt_status mt_slab_options_case(mt_arena *arena, const mt_arguments *arguments, size_t n_sets,
    const mt_yaml_override *sets, mt_case *input);

/* Gives the family and the size. Shows progress where it reads the mesh of the case. MT_INPUT: no size, two of them, or no such
 * family. Failures of mt_mesh_read. */
MT_NODISCARD mt_status mt_slab_options_kind(
    const mt_arguments *arguments, const mt_case *input, mt_slab_kind *kind);

/* Warns where a case has regions or gradients of tissue or cells: the command does not look at them. */
void mt_slab_options_warn(const char *command, const mt_case *input);
