/* Files that are whole or not there: written beside the target under `<path>.part`, then renamed.
 *
 * Whoever reads the target sees the old content or the new one, never a part of it. Two writers of one target
 * at the same time are not for this. */
#ifndef MT_DATA_FILE_H
#define MT_DATA_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "data/status.h"

enum { MT_FILE_PATH_MAX = 4096 }; /* bytes of the longest path, with its final 0 */

/* Writes `<path>.part` into out[size]. MT_INPUT where path is empty or out is too short. Touches no file,
 * but mt_file_abandon will remove this one until it is committed or discarded. */
MT_NODISCARD mt_status mt_file_temporary(const char *path, char *out, size_t size);

/* Writes the path of one of several files of a name into out: `name` with `ending` in place of its own,
 * where that is one of `endings` (the last is NULL), else behind it. MT_INPUT: nothing stands before the
 * ending, or the path is too long. Touches no file. */
MT_NODISCARD mt_status mt_file_sibling(
    const char *name, const char *const *endings, const char *ending, char out[MT_FILE_PATH_MAX]);

/* Makes the closed file `temporary` durable (fsync) and renames it to `path`. Where that fails the temporary
 * file is removed, the target is as it was, and the answer is MT_FILE with the path and the reason. */
MT_NODISCARD mt_status mt_file_commit(const char *temporary, const char *path);

/* Removes the temporary file; nothing happens where there is none. */
void mt_file_discard(const char *temporary);

/* Removes the temporary file that was named last, where it is neither in place nor removed yet: the last thing a program
 * does that is being stopped. May be called in a signal handler. */
void mt_file_abandon(void);

/* A file being written piece by piece. Failures of its stream need not be looked at before mt_file_end. */
typedef struct mt_file {
    FILE *stream;
    const char *path; /* the target; borrowed */
    char temporary[MT_FILE_PATH_MAX];
} mt_file;

/* Starts a file for `path` under its temporary name. MT_FILE where that cannot be made. */
MT_NODISCARD mt_status mt_file_begin(const char *path, mt_file *file);

/* Closes it. `status` is how the writing went: with MT_OK the file is put in place, or fails with MT_FILE where
 * anything could not be written; otherwise it goes, and `status` is the answer. */
MT_NODISCARD mt_status mt_file_end(mt_file *file, mt_status status);

/* Can a file be written there? For those who have long work before it: makes the temporary file and takes it away.
 * MT_FILE: no; the message says why. */
MT_NODISCARD mt_status mt_file_check(const char *path);

/* Makes a folder for files, unless it is there. Gives whether it was made, so that who fails later can take it away again.
 * MT_FILE: it cannot be made or written in, or is no folder. */
MT_NODISCARD mt_status mt_file_folder(const char *path, bool *made);

/* Can it be had? For those who have long work before it: makes it as above and takes it away again. */
MT_NODISCARD mt_status mt_file_check_folder(const char *path);

/* The file `path` becomes these n bytes, or stays as it was (MT_FILE). */
MT_NODISCARD mt_status mt_file_write_text(const char *path, const char *text, size_t n);

#endif
