/* The names of temporary files: what becomes FOLDER/NAME is written as FOLDER/.NAME.XXXXXX.part first, X a hexadecimal digit. */
#ifndef MT_DATA_TEMPORARY_H
#define MT_DATA_TEMPORARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MT_TEMPORARY_EXTRA = 13 }; /* so many bytes is the temporary name longer than NAME */

/* Writes the temporary path of a target, with the low 24 bits of `number`, into path [size]. */
void mt_temporary_path(const char *target, uint32_t number, char *path, size_t size);

/* Writes the NAME of a temporary file into name [size]; `file` has no folder. False: this is not such a name, or NAME too long. */
bool mt_temporary_target(const char *file, char *name, size_t size);

#endif
