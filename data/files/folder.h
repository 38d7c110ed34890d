/* Output folders, each written by one program at a time.
 *
 * The file `.myotile` in the folder marks it as written by this program, and carries the lock of the run that is writing. A
 * folder that contains other files, but neither that mark nor a used.yaml of this program, is a foreign one. */
#pragma once

#include <stdbool.h>

#include "data/files/file.h"
#include "data/core/status.h"

typedef struct mt_folder {
    char path[MT_FILE_PATH_MAX], mark[MT_FILE_PATH_MAX + 16];
    bool made, marked; /* set by mt_folder_enter: it created the folder, or its mark */
    int n_kept;        /* number of results in the folder; if not 0, the folder and its mark are kept */
    int lock;
    struct mt_folder *outer; /* the folder entered before this one; NULL: no such folder */
} mt_folder;

/* Creates the folder if it does not exist, takes its lock, and deletes what killed writers left. `replace` states whether a
 * foreign folder may be written to. MT_FILE: it may not, another run holds the lock, the folder cannot be created or written to,
 * or the path is not a folder. MT_MEMORY. Different folders may be entered at once and are left in reverse order; `folder` must
 * not move until then. */
MT_NODISCARD mt_status mt_folder_enter(const char *path, mt_file_replace replace, mt_folder *folder);

/* Reports that a result is about to be put in place in the folder entered by this path: the folder, its mark and the entered
 * folders that contain it are kept. */
void mt_folder_keep(const char *path);

/* Cancels one mt_folder_keep, because the result was not written. */
void mt_folder_unkeep(const char *path);

/* Releases the lock. If no result was kept, deletes what mt_folder_enter created; the folder itself only if it is empty. */
void mt_folder_close(mt_folder *folder);

/* True if another run holds the lock of this folder and so is writing there. False if this is unknown, and for a folder that this
 * program has entered. */
bool mt_folder_is_taken(const char *path);

/* Deletes what mt_folder_close would delete in all entered folders, for a program that is being stopped. May be called in a
 * signal handler. */
void mt_folder_abandon(void);

/* Writes the path of a file in a folder. MT_INPUT: it is too long. */
MT_NODISCARD mt_status mt_folder_path(const char *folder, const char *name, char path[MT_FILE_PATH_MAX]);
