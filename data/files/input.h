/* Input files. Opening one never blocks, and a command never overwrites its inputs.
 *
 * A file opened here becomes an input of the command: writing it (data/files/file.h) is refused from then on. A file that was
 * first checked for writing (mt_file_check) cannot be opened for reading. Exceptions are files that the command wrote itself, and
 * files that an option allows it to change in place. Files are compared by device and inode number, so links and other paths are
 * recognised. */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

#include "data/core/status.h"

/* Opens a regular file. MT_FILE: it cannot be read, or is a pipe, a device, a socket or a folder. MT_INPUT: the command writes
 * it. MT_MEMORY. */
MT_NODISCARD mt_status mt_input_open(const char *path, FILE **file);

/* Opens a text that may also come from a pipe or a terminal. Also MT_INPUT: it is another device, a socket or a folder. Also
 * MT_FILE: no program writes to the pipe within two seconds. */
MT_NODISCARD mt_status mt_input_open_stream(const char *path, FILE **file);

/* Declares a stream that is closed at the end of its scope, after the returned value was computed; may be NULL. */
#define MT_STREAM __attribute__((cleanup(mt_input_close))) FILE

/* Closes an input stream, unless it is NULL. */
void mt_input_close(FILE *const *file);

/* Reads up to n first bytes of a regular file, which does not become an input; returns their number, 0 if it cannot be read. */
size_t mt_input_peek(const char *path, char *bytes, size_t n);

/* Return MT_INPUT if the file at `path` is an input and so cannot be written. The second function also records it as an output.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_input_check_output(const char *path, const struct stat *file);
MT_NODISCARD mt_status mt_input_note_output(const char *path, const struct stat *file);

/* Allows the command to change an input in place. Does nothing if the file does not exist. MT_MEMORY. */
MT_NODISCARD mt_status mt_input_change_in_place(const char *path);

/* Removes a file from the inputs and outputs, because the command writes or replaces it. */
void mt_input_release(const struct stat *file);

/* Mark the beginning and the end of a command: the rule applies only in between, and both clear all inputs and outputs. */
void mt_input_begin_command(void);
void mt_input_end_command(void);

/* Returns the kind of a file that is not a regular file, such as "a pipe". */
const char *mt_input_kind(const struct stat *file);
