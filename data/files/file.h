/* Output files that are complete or absent, alone or as a set.
 *
 * A file is written under a temporary name in the folder of its target (data/files/temporary.h) and then renamed, so a reader of
 * the target sees the old content or the new one, never a part. The temporary file is new (O_EXCL) and locked while its writer
 * runs; a temporary file left by a killed writer is deleted when NAME is written next. A symbolic link as target is followed, and
 * an existing target keeps its mode. File and folder are made durable (fsync).
 *
 * Related files are written as a set: between mt_file_set_begin and mt_file_set_end, completed files wait under their temporary
 * names. They are put in place together once all are durable; if one cannot be, no file of the set is (data/files/journal.h).
 * Handled signals (mt_file_abandon) take effect before or after that step, never within it. If the program is killed within it,
 * the next program that writes or reads a set in that folder completes it.
 *
 * A pipe, a terminal or another character device, and the file of the program's own standard output or error, are written
 * directly; other targets that are not regular files are refused. For one thread at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "data/core/arena.h"
#include "data/core/status.h"

enum { MT_FILE_PATH_MAX = 4096 }; /* bytes of the longest path, including the final 0 */

/* An open output file. Zero-initialised: no file. */
typedef struct mt_file {
    FILE *stream;                /* for the data; from mt_file_begin. mt_file_end checks for its errors */
    struct mt_file_part *part;   /* its temporary file; NULL: written directly */
    char path[MT_FILE_PATH_MAX]; /* as requested */
} mt_file;

/* The files that may be replaced: files written by this program, or any file. Its own files have the word "myotile" in their
 * first bytes, or the extended attribute user.myotile with the file's current size and time. A file in a format without room for
 * that word counts as foreign once it was changed. */
typedef enum mt_file_replace { MT_FILE_OURS, MT_FILE_ANY } mt_file_replace;

/* Opens an output file for `path`. MT_FILE: the folder does not exist, there is no space or no permission, or the target is not a
 * file. MT_INPUT: it is an input of the command (data/files/input.h). */
MT_NODISCARD mt_status mt_file_begin(const char *path, mt_file *file);

/* Ends a file. If `status` is MT_OK, puts the file in place or adds it to the open set, and returns MT_FILE if anything could not
 * be written. Otherwise deletes it and returns `status`. */
MT_NODISCARD mt_status mt_file_end(mt_file *file, mt_status status);

/* Creates an empty temporary file for callers that open it themselves by its name; it is never written directly. The name is
 * valid until the end. */
MT_NODISCARD mt_status mt_file_reserve(const char *path, mt_file *file);
const char *mt_file_temporary(const mt_file *file);

/* Deletes the temporary file. Also for files that are needed only temporarily. */
void mt_file_discard(mt_file *file);

/* Opens a set: from now on completed files wait. Sets do not nest: MT_FILE if one is open. */
MT_NODISCARD mt_status mt_file_set_begin(void);

/* Ends the set. If `status`, the result of writing its files, is MT_OK, puts the files in place and deletes the files to be
 * removed; if one of these operations fails, undoes all others and returns MT_FILE. Otherwise deletes the temporary files, leaves
 * the targets unchanged and returns `status`. */
MT_NODISCARD mt_status mt_file_set_end(mt_status status);

/* Removes a file, immediately or at the end of the open set; does nothing if there is no such file. MT_FILE: it cannot be
 * removed. */
MT_NODISCARD mt_status mt_file_remove(const char *path);

/* Deletes all temporary files, as the last action before this signal ends the program. May be called in a signal handler. False
 * while a set is being put in place: the handler must then return, and the signal is raised again afterwards. */
bool mt_file_abandon(int signal_number);

/* Checks, before long work, that a file can be written there and that an existing one may be replaced; creates and deletes a
 * temporary file. MT_FILE with the reason if not. */
MT_NODISCARD mt_status mt_file_check(const char *path, mt_file_replace replace);

/* True if this program wrote this file, or if it does not exist. */
bool mt_file_is_ours(const char *path);

/* True if two paths lead to the same file or folder; false if one does not exist. */
bool mt_file_same(const char *a, const char *b);

/* Writes n bytes as the file `path`. MT_FILE: the file is unchanged. */
MT_NODISCARD mt_status mt_file_write_text(const char *path, const char *text, size_t n);

/* Replaces the path of an existing file by its absolute path in `arena`. MT_FILE: it does not exist. MT_MEMORY. */
MT_NODISCARD mt_status mt_file_absolute(mt_arena *arena, const char **path);

/* Completes or undoes the sets of killed writers in a folder, and deletes the temporary files that they left, if no process holds
 * their lock: of one NAME, or of all if it is NULL. MT_FILE: a set cannot be settled; nothing is deleted. MT_MEMORY. */
MT_NODISCARD mt_status mt_file_sweep(const char *folder, const char *name);

/* Settles the sets in the folder of a path, before a set there is read; deletes nothing. Fails as mt_file_sweep. */
MT_NODISCARD mt_status mt_file_finish_sets(const char *path);

/* Writes to `out` the path of one of several files that share a name: `name` with `ending` instead of its own ending if that is
 * in `endings` (NULL-terminated), otherwise `name` followed by `ending`. MT_INPUT: there is nothing before the ending, or the
 * path is too long. Accesses no file. */
MT_NODISCARD mt_status mt_file_sibling(
    const char *name, const char *const *endings, const char *ending, char out[MT_FILE_PATH_MAX]);
