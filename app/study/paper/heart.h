/* The heart of the study's figures 1 and 4: stimulated at the apex of the left ventricle and simulated until full activation.
 *
 * All values are taken from data/cases/ventricles.yaml, except the mesh: a file, or ventricles generated with gmsh. A mesh without
 * fibres gets them by the default rule of `mesh fibres`. */
#pragma once

#include "app/cli/table.h"
#include "app/run/mapping.h"
#include "app/run/problem.h"
#include "app/run/run.h"

enum { MT_HEART_NAME = 96 };

typedef struct mt_heart {
    const char *path;       /* of the case */
    const char *file;       /* of the mesh; NULL: generated ventricles */
    unsigned long elements; /* number of their elements */
    bool cached;            /* mt_operator_make */
    bool ruled;             /* true if its fibres were generated here */
    mt_case input;
    mt_mapping_choice choice;
    mt_arena mesh_arena; /* valid from mt_heart_make to mt_heart_free; borrowed by problem and mapping */
    mt_problem problem;  /* like `mapping`, must not be moved */
    mt_mapping mapping;
    char name[MT_HEART_NAME]; /* for titles: "tof.hdf, 381672 elements" */
} mt_heart;

/* For option tables. */
#define MT_HEART_MESH_OPTIONS                                                                                \
    {.name = "--mesh",                                                                                       \
        .value = "MESH",                                                                                     \
        .help = "heart mesh with surfaces; default: ventricles like heart04, generated with gmsh"},          \
        {.name = "--elements",                                                                               \
            .value = "N",                                                                                    \
            .help = "number of elements of generated ventricles; default: that of heart04"},                 \
        MT_OPTION_NO_CACHE
#define MT_HEART_OPTIONS                                                                                     \
    MT_HEART_MESH_OPTIONS,                                                                                   \
    {                                                                                                        \
        .name = "--set", .value = "path.to.key=value",                                                       \
        .help = "replace a value of the case data/cases/ventricles.yaml", .repeats = true                    \
    }

/* Reads the options and the case. `end_ms`: end of the simulation; NaN: that of the case. Fails with MT_INPUT, also if --set
 * changes a key with an option of its own; the message names option or key. Fails with MT_FILE or MT_MEMORY. */
MT_NODISCARD mt_status mt_heart_parse(
    mt_arena *arena, const mt_arguments *arguments, double end_ms, mt_heart *heart);

/* Reads only the options of the mesh, without a case: those of MT_HEART_MESH_OPTIONS. Fails with MT_INPUT or MT_FILE. */
MT_NODISCARD mt_status mt_heart_parse_mesh(const mt_arguments *arguments, mt_heart *heart);

/* Reads or generates only the mesh, with fibres by rule if it has none, and sets `name`. Fails as mt_heart_make. Call mt_heart_free
 * afterwards in any case. */
MT_NODISCARD mt_status mt_heart_mesh(
    mt_arena *arena, mt_heart *heart, mt_mesh *mesh, mt_adjacency *adjacency);

/* Builds mesh, fibres, problem and mapping in `arena`, with progress. Returns the errors of `mt_mesh_read`, `mt_gmsh_ventricles`,
 * `mt_anatomy_choose`, `mt_fibres_make`, `mt_problem_make` and `mt_mapping_make`. */
MT_NODISCARD mt_status mt_heart_make(mt_arena *arena, mt_heart *heart);

void mt_heart_free(mt_heart *heart);

/* Returns a run of the heart by a backend; borrows the heart. */
mt_run mt_heart_run(const mt_heart *heart, const mt_backend *backend);

/* Builds a table of the differences between study and simulation, including points that the study does not specify. */
MT_NODISCARD mt_status mt_heart_differences(mt_arena *arena, const mt_heart *heart, mt_table *table);
