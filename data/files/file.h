/* Files that are complete or absent, alone or as a set.
 *
 * A file is written beside its target under a name of its own (data/files/temporary.h), and then renamed: whoever reads the
 * target sees the old content or the new one, never a part of it. The temporary file is new (O_EXCL) and locked while
 * its writer lives; what a killed writer left behind goes when NAME is written next. A target that is a symbolic link is
 * followed, and one that stands there already keeps its mode. File and folder are made durable (fsync).
 *
 * Files that belong together are written as a set: between mt_file_set_begin and mt_file_set_end files that have ended well wait
 * under their temporary names, and are put in place together once all of them are durable: all, or if one cannot be, none
 * (data/files/journal.h). Signals that are handled (mt_file_abandon) come before or after that, never between. If the program is killed
 * meanwhile, the next program that writes or reads a set in that folder completes it.
 *
 * A pipe, a terminal or another character device, and the file that is the program's own standard output or error, are
 * written through; other targets that are no regular file are refused. For one thread at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "data/core/arena.h"
#include "data/core/status.h"

enum { MT_FILE_PATH_MAX = 4096 }; /* bytes of the longest path, with its final 0 */

/* A file under way. All zero is none. */
typedef struct mt_file {
    FILE *stream;                /* of mt_file_begin; its failures need not be looked at before mt_file_end */
    struct mt_file_part *part;   /* its temporary file; NULL: written through */
    char path[MT_FILE_PATH_MAX]; /* as it was asked for */
} mt_file;

/* What may be replaced: files that this program wrote, or any file. It knows its own by the word "myotile" in their first bytes,
 * or by the extended attribute user.myotile with the size and time that the file still has: in formats that cannot say who
 * wrote them, a file that was changed since is somebody else's. */
typedef enum mt_file_replace { MT_FILE_OURS, MT_FILE_ANY } mt_file_replace;

/* Starts a file for `path`, to be written through its stream. MT_FILE if that cannot be: no such folder, no room, no permission, a
 * target that is no file. MT_INPUT: it is an input of the command (data/files/input.h). */
MT_NODISCARD mt_status mt_file_begin(const char *path, mt_file *file);

/* Ends it. `status` is how the writing went: with MT_OK the file is put in place, or into the open set, and where anything
 * could not be written the answer is MT_FILE; otherwise it goes, and `status` is the answer. */
MT_NODISCARD mt_status mt_file_end(mt_file *file, mt_status status);

/* The same for those who open the temporary file themselves, by its name: it is there, empty. Never written through. The name
 * stays valid until the end. */
MT_NODISCARD mt_status mt_file_reserve(const char *path, mt_file *file);
const char *mt_file_temporary(const mt_file *file);

/* Ends it without a trace: also for files that are only needed meanwhile. */
void mt_file_discard(mt_file *file);

/* From now on files that end well wait. Sets do not nest: MT_FILE, where one is open. */
MT_NODISCARD mt_status mt_file_set_begin(void);

/* `status` tells whether all files could be written. With MT_OK the files of the set are put in place, and those that were to be removed
 * are removed; if one of these fails, all others are undone, and the answer is MT_FILE. Otherwise the temporary files are deleted, the targets
 * are as they were, and `status` is the answer. */
MT_NODISCARD mt_status mt_file_set_end(mt_status status);

/* Removes a file, in an open set with its end; nothing happens where there is none. MT_FILE: it cannot be removed. */
MT_NODISCARD mt_status mt_file_remove(const char *path);

/* Removes all temporary files that are under way: the last thing a program does that is being stopped by this signal. May be
 * called in a signal handler. False while a set is put in place: the handler must return then, and the signal is raised
 * again behind it. */
bool mt_file_abandon(int signal_number);

/* Can a file be written there, and may what stands there be replaced? For those who have long work before it: makes a temporary
 * file and takes it away. MT_FILE: no; the message says why. */
MT_NODISCARD mt_status mt_file_check(const char *path, mt_file_replace replace);

/* True if this program wrote this file, or if there is none. */
bool mt_file_is_ours(const char *path);

/* True if two paths lead to one file or folder; false if there is none. */
bool mt_file_same(const char *a, const char *b);

/* The file `path` becomes these n bytes, or stays as it was (MT_FILE). */
MT_NODISCARD mt_status mt_file_write_text(const char *path, const char *text, size_t n);

/* Replaces the path of something that is there by one, given in `arena`, that means the same from every folder. MT_FILE: it is
 * not there. MT_MEMORY. */
MT_NODISCARD mt_status mt_file_absolute(mt_arena *arena, const char **path);

/* Settles the sets in a folder that killed writers did not complete, and deletes the temporary files that they left: those whose lock
 * nobody holds, of one NAME or, if that is NULL, of any. MT_FILE: a set cannot be settled; nothing is deleted. MT_MEMORY. */
MT_NODISCARD mt_status mt_file_sweep(const char *folder, const char *name);

/* The same for the folder of a path, before a set there is read; deletes nothing. */
MT_NODISCARD mt_status mt_file_finish_sets(const char *path);

/* Writes the path of one of several files of a name into out: `name` with `ending` in place of its own,
 * where that is one of `endings` (the last is NULL), else behind it. MT_INPUT: nothing stands before the
 * ending, or the path is too long. Touches no file. */
MT_NODISCARD mt_status mt_file_sibling(
    const char *name, const char *const *endings, const char *ending, char out[MT_FILE_PATH_MAX]);
