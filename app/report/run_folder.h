/* The folder of a run: what was used, the mesh with its boundary, and every map of result.hdf. */
#pragma once

#include "app/report/decimate.h"
#include "app/results/report.h"
#include "data/files/file.h"
#include "solver/case/case.h"

typedef struct mt_folder_map {
    const char *name; /* of the field in result.hdf: "apd90", "apd90_beat2" */
    const char *label, *unit;
    size_t beat;   /* from 1; 0: of the only one */
    float *values; /* [n_elements]; of a vector its length */
} mt_folder_map;

typedef struct mt_run_folder {
    const char *path, *name; /* as it was given; its last component */
    const char *profile;     /* the folder of its profile; the same where it has none of its own */
    mt_case input;           /* what used.yaml says */
    mt_mesh mesh;
    mt_cells boundary;
    size_t n_maps;
    mt_folder_map *maps;
    double reached_ms, end_ms;
    char stopped_by[32], mesh_hash[MT_HASH_SIZE];
    char positions
        [MT_HASH_SIZE]; /* hash of vertices and elements: runs with the same have maps that can be subtracted */
    bool taken;         /* another run writes there now */
} mt_run_folder;

/* Gives it in `arena`. `profile`: another folder that has its profile; NULL: none. MT_FILE: it is no folder, result.hdf or used.yaml is not there or cannot be read; the message
 * says what is missing and, where a run goes on there or was stopped, that. MT_INPUT: a file is damaged. MT_MEMORY. */
MT_NODISCARD mt_status mt_run_folder_read(
    mt_arena *arena, const char *path, const char *profile, mt_run_folder *folder);

/* Returns the same of a run that has just written its files into the folder, without reading them again. Borrows the run. MT_MEMORY. */
MT_NODISCARD mt_status mt_run_folder_of(
    mt_arena *arena, const mt_run *run, const char *path, const char *profile, mt_run_folder *folder);

/* Gives in `path` where a file in it would be, and whether there is one. MT_INPUT: too long. */
MT_NODISCARD mt_status mt_run_folder_has(
    const mt_run_folder *folder, const char *name, char path[MT_FILE_PATH_MAX], bool *has);
