/* Files that are read. Opening one never waits, and a command writes over none of its inputs.
 *
 * A file that is opened here becomes an input of the command: writing it (data/files/file.h) is refused from then on. A file that was checked
 * for writing first (mt_file_check) cannot be opened for reading. Free of this are files that the command wrote itself, and those that an
 * option lets it change in place. Files are compared by device and inode number, so links and other paths count. */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

#include "data/core/status.h"

/* Opens a regular file. MT_FILE: it cannot be read, or is a pipe, a device, a socket or a folder. MT_INPUT: the command writes it.
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_input_open(const char *path, FILE **file);

/* The same for a text that may also come from a pipe or a terminal. MT_INPUT, too: it is another device, a socket or a folder. MT_FILE, too: a
 * pipe into which no program writes within two seconds. */
MT_NODISCARD mt_status mt_input_open_stream(const char *path, FILE **file);

/* Declares a stream that is closed where its scope ends, after a returned value was computed; NULL is none. */
#define MT_STREAM __attribute__((cleanup(mt_input_close))) FILE

/* Closes a stream that was read, unless it is NULL. */
void mt_input_close(FILE *const *file);

/* Reads up to n first bytes of a regular file, which does not become an input; returns their number, 0 if it cannot be read. */
size_t mt_input_peek(const char *path, char *bytes, size_t n);

/* MT_INPUT if this file, at `path`, is an input, and cannot be written. The second also notes that it will be written. MT_MEMORY. */
MT_NODISCARD mt_status mt_input_check_output(const char *path, const struct stat *file);
MT_NODISCARD mt_status mt_input_note_output(const char *path, const struct stat *file);

/* Lets the command change an input in place. Nothing happens if there is none. MT_MEMORY. */
MT_NODISCARD mt_status mt_input_change_in_place(const char *path);

/* This file is neither an input nor another's output any more: the command writes or replaces it. */
void mt_input_release(const struct stat *file);

/* A command begins or has ended: only between the two the rule holds; all inputs and outputs are forgotten. */
void mt_input_begin_command(void);
void mt_input_end_command(void);

/* Returns the kind of a file that is no regular one, "a pipe". */
const char *mt_input_kind(const struct stat *file);
