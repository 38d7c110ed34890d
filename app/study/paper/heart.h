/* A heart as the study shows it in its figures 1 and 4: stimulated at the apex of the left ventricle, until the wave has passed.
 *
 * All values are those of the case data/cases/ventricles.yaml but for the mesh: a file, or ventricles made with gmsh. A mesh without
 * fibres gets them by the rule of `mesh fibres`, as usual there. */
#pragma once

#include "app/cli/table.h"
#include "app/run/mapping.h"
#include "app/run/problem.h"
#include "app/run/run.h"

enum { MT_HEART_NAME = 96 };

typedef struct mt_heart {
    const char *path;       /* of the case */
    const char *file;       /* of the mesh; NULL: ventricles are made */
    unsigned long elements; /*   of so many elements */
    bool cached;            /* mt_operator_make */
    bool ruled;             /* its fibres were made here */
    mt_case input;
    mt_mapping_choice choice;
    mt_arena mesh_arena; /* from mt_heart_make to mt_heart_drop; problem and mapping borrow it */
    mt_problem problem;  /* as the next, stays where it was made */
    mt_mapping mapping;
    char name[MT_HEART_NAME]; /* for titles: "tof.hdf, 381672 elements" */
} mt_heart;

/* For the tables of options. */
#define MT_HEART_OPTIONS                                                                                     \
    {.name = "--mesh",                                                                                       \
        .value = "MESH",                                                                                     \
        .help = "a heart with its surfaces; default: ventricles like heart04, made with the gmsh program"},  \
        {.name = "--elements", .value = "N", .help = "of ventricles that are made; default: heart04's"},     \
        {.name = "--set",                                                                                    \
            .value = "path.to.key=value",                                                                    \
            .help = "use this value in place of the case's, data/cases/ventricles.yaml",                     \
            .repeats = true},                                                                                \
        MT_OPTION_NO_CACHE

/* Reads the options and the case, which ends at end_ms; NaN: when it says itself. MT_INPUT names the option or the key: keys for which
 * there are options cannot be set. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_heart_parse(
    mt_arena *arena, const mt_arguments *arguments, double end_ms, mt_heart *heart);

/* Makes the mesh, its fibres, the problem and its mapping, in `arena`, with progress. Fails as mt_mesh_read, mt_gmsh_ventricles,
 * mt_anatomy_choose, mt_fibres_make, mt_problem_make and mt_mapping_make. */
MT_NODISCARD mt_status mt_heart_make(mt_arena *arena, const mt_arguments *arguments, mt_heart *heart);

void mt_heart_drop(mt_heart *heart);

/* Gives what is to be simulated by a backend; borrows the heart. */
mt_run mt_heart_run(const mt_heart *heart, const mt_backend *backend);

/* Gives a table of what the study did and what was done here, where the two differ or the study does not tell. */
MT_NODISCARD mt_status mt_heart_differences(mt_arena *arena, const mt_heart *heart, mt_table *table);
