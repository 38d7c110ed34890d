/* The elements that `mesh refine --where` refines. */
#pragma once

#include "app/cli/command.h"
#include "app/run/fronts.h"
#include "mesh/anatomy/channels.h"

#define MT_REFINE_QUOTED(number) #number
#define MT_REFINE_TEXT(number) MT_REFINE_QUOTED(number)

/* For the option table of the command. */
#define MT_REFINE_SELECTION_OPTIONS                                                                          \
    {.name = "--where",                                                                                      \
        .value = "SELECTION",                                                                                \
        .help = "refine only these elements: the keys of a region of a case, such as 'tag: border_zone' or " \
                "'{surface: epicardium, depth_mm: 2}'; channels: conducting paths narrower "                 \
                "than " MT_REFINE_TEXT(                                                                      \
                    MT_CHANNEL_ELEMENTS) " elements; weak: cells and tissues with a measured "               \
                                         "error of activation times of " MT_REFINE_TEXT(                     \
                                             MT_FRONTS_WARN_PERCENT) " % or more; the "                      \
                                                                     "last two need --case",                 \
        .repeats = true},                                                                                    \
        {.name = "--edge-mm",                                                                                \
            .value = "H",                                                                                    \
            .help = "with --where: the largest mean edge length of the refined elements"},                   \
        {.name = "--margin-mm",                                                                              \
            .value = "M",                                                                                    \
            .help = "with --where: also refine within this distance; default: 0, for channels 1"},           \
    {                                                                                                        \
        .name = "--case", .value = "CASE.yaml", .help = "the case with the cells and the scars of the mesh"  \
    }

/* Returns selected[n_elements] in `arena`: 1 for the elements of all selections and within the margin. Confirms the names of surfaces if
 * a selection uses them. Fails with MT_INPUT if a selection is invalid or empty, and with the errors of mt_region_elements and, with
 * --case, of mt_problem_make_on. */
MT_NODISCARD mt_status mt_refine_selection(
    mt_arena *arena, const mt_arguments *arguments, const char *path, mt_mesh *mesh, uint8_t **selected);
