/* The folder of a run: the case, the mesh with its boundary, and all maps of result.hdf. */
#pragma once

#include "app/report/decimate.h"
#include "app/results/run_files.h"
#include "data/files/file.h"
#include "solver/case/case.h"

typedef struct mt_folder_map {
    const char *name; /* of the field in result.hdf: "apd90", "apd90_beat2" */
    const char *label, *unit;
    size_t beat;   /* from 1; 0 if there is only one beat */
    float *values; /* [n_elements]; for a vector its magnitude, of values at vertices the mean of the four */
} mt_folder_map;

typedef struct mt_run_folder {
    const char *path, *name; /* the given path; its last component */
    const char *profile;     /* the folder of its profile; `path` if the profile has no separate one */
    mt_case input;           /* of used.yaml */
    mt_mesh mesh;
    mt_display_cells boundary;
    size_t n_maps;
    mt_folder_map *maps;
    double reached_ms, end_ms;
    char stopped_by[32], mesh_hash[MT_HASH_SIZE];
    char placing[MT_PLACING_TEXT]; /* of the discretisation; "" if the case stated it */
    char device_differs
        [sizeof((mt_backend_device *)0)
                ->differs]; /* why the bits may differ from those of the host; "" if they are the same */
    /* Hash of vertices and elements: maps of runs with equal hashes can be subtracted. */
    char positions[MT_HASH_SIZE];
    bool taken; /* true if another run is writing there now */
} mt_run_folder;

/* Reads it into `arena`. `profile`: separate folder of its profile, or NULL. Fails with
 * - MT_FILE if it is not a folder, or if result.hdf or used.yaml is missing or cannot be read; the message has the reason and reports a run
 *   that is still active there or was stopped;
 * - MT_INPUT if a file is damaged. */
MT_NODISCARD mt_status mt_run_folder_read(
    mt_arena *arena, const char *path, const char *profile, mt_run_folder *folder);

/* Same, for a run that has just written its files into the folder, without reading them. Borrows the run for the lifetime of the result. */
MT_NODISCARD mt_status mt_run_folder_of(
    mt_arena *arena, const mt_run *run, const char *path, const char *profile, mt_run_folder *folder);

/* True if a fit (app/fit) wrote the folder: it has a map of residuals. */
bool mt_run_folder_is_fit(const mt_run_folder *folder);

/* Writes the path of a file in the folder to `path`; *has is true if it exists. Fails with MT_INPUT if the path is too long. */
MT_NODISCARD mt_status mt_run_folder_has(
    const mt_run_folder *folder, const char *name, char path[MT_FILE_PATH_MAX], bool *has);
