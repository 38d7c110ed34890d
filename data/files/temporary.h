/* Names of temporary files, where X is a hexadecimal digit: FOLDER/NAME is first written as FOLDER/.NAME.XXXXXX.part. While a set
 * of files is put in place (data/files/journal.h), the previous FOLDER/NAME is FOLDER/.NAME.XXXXXX.prev. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MT_TEMPORARY_EXTRA = 13 }; /* bytes by which a temporary name is longer than NAME */

/* Writes the temporary path of a target, with the low 24 bits of `number`, to path [size]. */
void mt_temporary_path(const char *target, uint32_t number, char *path, size_t size);

/* Writes the path of the previous file that belongs to a temporary path to path [size]. */
void mt_temporary_previous(const char *temporary, char *path, size_t size);

/* Writes the NAME of a temporary or previous file to name [size]; `file` has no folder. False: it is not such a name, or NAME is
 * too long. */
bool mt_temporary_target(const char *file, char *name, size_t size);
