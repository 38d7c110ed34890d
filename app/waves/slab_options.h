/* Options of the commands that compute plane waves in slabs: the elements of the slab, and a case that sets tissue, cells, scheme and time
 * steps.
 *
 * The element size is set by --edge-mm or --length-mm, or by the mesh of --case. The family is that of --family, or of the case's mesh if
 * that sets the size, or mirrored. Without --case the Niederer benchmark is used. */
#pragma once

#include "app/cli/command.h"
#include "app/waves/slab_family.h"
#include "solver/case/case.h"

/* `what`: start of the help of --edge-mm, such as its effect in addition to the size. */
#define MT_SLAB_OPTIONS(what)                                                                                \
    {.name = "--edge-mm",                                                                                    \
        .value = "H",                                                                                        \
        .help = what "element size: edge of the boxes, or gmsh's target edge, close to the mean edge; "      \
                     "default: that of the case"},                                                           \
        {.name = "--length-mm",                                                                              \
            .value = "L",                                                                                    \
            .help = "element size as the cube root of the mean volume, as printed by `mesh info`: for an "   \
                    "existing mesh"},                                                                        \
        {.name = "--family",                                                                                 \
            .value = "kuhn|mirrored|gmsh",                                                                   \
            .help = "mesh family: kuhn, boxes divided alike; mirrored, each box mirrors the next; gmsh, "    \
                    "unstructured; default: that of the case, or mirrored"},                                 \
    {                                                                                                        \
        .name = "--seed", .value = "N", .help = "seed of gmsh's random numbers; default: 1"                  \
    }

/* Loads the case, with the given values in place of its own. Returns the errors of `mt_case_load`. */
MT_NODISCARD mt_status mt_slab_options_case(mt_arena *arena, const mt_arguments *arguments, size_t n_sets,
    const mt_yaml_override *sets, mt_case *input);

/* Same, also with voltages at the vertices. */
MT_NODISCARD mt_status mt_slab_options_any_case(mt_arena *arena, const mt_arguments *arguments, size_t n_sets,
    const mt_yaml_override *sets, mt_case *input);

/* Finds the family and the size. Reports progress if it reads the mesh of the case. Fails with MT_INPUT if there is no size, or more than
 * one, or if the family is unknown. Other errors come from `mt_mesh_read`. */
MT_NODISCARD mt_status mt_slab_options_kind(
    const mt_arguments *arguments, const mt_case *input, mt_slab_kind *kind);

/* Warns if the case has regions or gradients of tissue or cells: the command ignores them. */
void mt_slab_options_warn(const char *command, const mt_case *input);
