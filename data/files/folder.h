/* Folders that one program at a time writes its results into.
 *
 * The file `.myotile` in it says that the folder is this program's, and carries the lock of the run that is writing there. A
 * folder with other things in it and without that file (or a used.yaml of ours) is somebody else's. */
#pragma once

#include <stdbool.h>

#include "data/files/file.h"
#include "data/core/status.h"

typedef struct mt_folder {
    char path[MT_FILE_PATH_MAX], mark[MT_FILE_PATH_MAX + 16];
    bool made, marked; /* by mt_folder_enter: the folder, and its mark */
    int n_kept;        /* while it is not 0, these stay */
    int lock;
    struct mt_folder *outer; /* the one that was entered before it; NULL: none */
} mt_folder;

/* Makes the folder where there is none, takes its lock, and clears away what killed writers left in it. `replace` tells whether
 * a folder of somebody else may be written into. MT_FILE: it may not; another run has the lock; it cannot be made or written
 * in, or is no folder. Several folders may be entered, none of them twice; they are left in the reverse order, and `folder` stays
 * where it is until then. */
MT_NODISCARD mt_status mt_folder_enter(const char *path, mt_file_replace replace, mt_folder *folder);

/* Something is about to be put in place in the folder that was entered by this path: from now on it stays, and its mark, and so do
 * entered folders that it lies in. */
void mt_folder_keep(const char *path);

/* One that was told so is not there after all: takes one mt_folder_keep back. */
void mt_folder_keep_no_longer(const char *path);

/* Gives the lock back. Where nothing was kept, what mt_folder_enter made goes again, the folder only when it is empty. */
void mt_folder_leave(mt_folder *folder);

/* Has another run the lock of this folder, that is, does one write there now? Not where that cannot be told, and not of one that this program
 * has entered. */
bool mt_folder_is_taken(const char *path);

/* What goes then, of all folders that are entered, for a program that is being stopped; may be called in a signal handler. */
void mt_folder_abandon(void);

/* The path of a file in it. MT_INPUT: too long. */
MT_NODISCARD mt_status mt_folder_path(const char *folder, const char *name, char path[MT_FILE_PATH_MAX]);
