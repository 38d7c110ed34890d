/* HDF5 files: typed arrays with a unit, groups, and attributes. The only unit that uses the HDF5 library.
 *
 * A file has a temporary name until mt_h5_commit, so the target is complete or absent. The contents do not depend on when or
 * where the file is written: equal data produce equal bytes. Names are paths from the root: "VTKHDF/Points". Not for concurrent
 * use by several threads, because HDF5 is not thread-safe. Opening a file disables HDF5's own error output for the thread. If
 * HDF5 runs out of memory, every function returns MT_MEMORY.
 *
 *     MT_H5_SCOPE(h5);
 *     MT_TRY(mt_h5_create(path, h5));
 *     MT_TRY(write_arrays(h5));
 *     return mt_h5_commit(h5);                  (a file that was not committed is removed at the end of the scope)
 * */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/files/file.h"
#include "data/core/status.h"

/* The type of values in memory. The file has the same type, little-endian, except for UINT32: these are ids, stored as int64, the
 * type that VTK reads. */
typedef enum mt_h5_type {
    MT_H5_FLOAT,
    MT_H5_DOUBLE,
    MT_H5_INT32,
    MT_H5_INT64,
    MT_H5_UINT8,
    MT_H5_UINT32
} mt_h5_type;

enum { MT_H5_RANK_MAX = 3 };

/* HDF5's error output of a process that uses HDF5 itself. */
typedef struct mt_h5_printing {
    void (*function)(void);
    void *data;
} mt_h5_printing;

/* Store and restore it, and leave HDF5's exit handler to the process: for a library, which calls them around all uses of files. */
void mt_h5_shared_begin(mt_h5_printing *printing);
void mt_h5_shared_end(const mt_h5_printing *printing);

typedef struct mt_h5 {
    int64_t id; /* HDF5's; valid if `open` */
    bool open;
    mt_file file;                /* the output file if it is being written */
    char path[MT_FILE_PATH_MAX]; /* the target */
} mt_h5;                         /* zero-initialised: closed */

/* Creates a file for `path` under its temporary name; the attribute "program" of its root names the program. MT_FILE if it cannot
 * be created. */
MT_NODISCARD mt_status mt_h5_create(const char *path, mt_h5 *h5);

/* Closes a created file and puts it in place as `path`. On failure the target is unchanged. */
MT_NODISCARD mt_status mt_h5_commit(mt_h5 *h5);

/* Opens an existing file for reading. MT_FILE: it does not exist, is not an HDF5 file, or is truncated. */
MT_NODISCARD mt_status mt_h5_open(const char *path, mt_h5 *h5);

/* Closes a file; deletes a created file that was not committed. Does nothing if the file is closed. */
void mt_h5_close(mt_h5 *h5);

/* Declares `name`, a pointer to a closed file. If it is open at the end of its scope, it is closed after the returned value was
 * computed. */
#define MT_H5_SCOPE(name)                                                                                    \
    __attribute__((cleanup(mt_h5_close))) mt_h5 name##_file = {0};                                           \
    mt_h5 *const name = &name##_file

/* Writing. Arrays have 1 <= rank <= MT_H5_RANK_MAX and are row-major; arrays of at least 1 MiB are compressed. `unit` becomes the
 * attribute "unit" (NULL: no unit). Text is stored as fixed-length ASCII. Errors are MT_FILE. */
MT_NODISCARD mt_status mt_h5_group(mt_h5 *h5, const char *name);
MT_NODISCARD mt_status mt_h5_write(mt_h5 *h5, const char *name, mt_h5_type type, size_t rank,
    const size_t *shape, const char *unit, const void *values);
/* Writes an array without compression, for data that is written often and read once. */
MT_NODISCARD mt_status mt_h5_write_plain(mt_h5 *h5, const char *name, mt_h5_type type, size_t rank,
    const size_t *shape, const char *unit, const void *values);
/* Write in pieces, without compression: first an array without its values; then its rows first .. first + n - 1. All its values
 * must be written. MT_INPUT: rows out of range. */
MT_NODISCARD mt_status mt_h5_reserve(
    mt_h5 *h5, const char *name, mt_h5_type type, size_t rank, const size_t *shape, const char *unit);
MT_NODISCARD mt_status mt_h5_write_rows(
    mt_h5 *h5, const char *name, mt_h5_type type, size_t first, size_t n, const void *values);
/* Creates a virtual dataset (HDF5 1.10 and later): the values first .. first + n - 1 of a dataset of rank 1 in this file.
 * mt_h5_read refuses it. MT_INPUT: values out of range, or the name of the other dataset has 256 bytes or more. */
MT_NODISCARD mt_status mt_h5_view(
    mt_h5 *h5, const char *name, mt_h5_type type, const char *of, size_t first, size_t n);
MT_NODISCARD mt_status mt_h5_write_text(
    mt_h5 *h5, const char *object, const char *attribute, const char *text);
MT_NODISCARD mt_status mt_h5_write_number(
    mt_h5 *h5, const char *object, const char *attribute, double number);
MT_NODISCARD mt_status mt_h5_write_integers(
    mt_h5 *h5, const char *object, const char *attribute, size_t n, const int64_t *values);

/* Returns in *has whether an object of this name exists. An object that exists but cannot be opened counts as present; reading it
 * returns the error. */
MT_NODISCARD mt_status mt_h5_has(mt_h5 *h5, const char *name, bool *has);

/* Reading accepts only datasets with their values in this file, unfiltered or with the filters shuffle, deflate and fletcher32.
 * Links to other files, external storage and virtual datasets are refused. The stored bytes must be enough for the shape (deflate
 * expands by at most 1032), so memory may be allocated for a shape that was returned. MT_INPUT otherwise. */

/* Returns the extents of a dataset of this rank. MT_INPUT: it is missing or has another rank. */
MT_NODISCARD mt_status mt_h5_shape(mt_h5 *h5, const char *name, size_t rank, size_t *shape);

/* Reads an entire dataset of exactly this shape. Integers are converted from any integer type of at most 8 bytes and must fit;
 * floating-point numbers from any floating-point type that is not wider. MT_INPUT: it is missing, has another type or shape, or a
 * number does not fit. MT_FILE: the values cannot be read. */
MT_NODISCARD mt_status mt_h5_read(
    mt_h5 *h5, const char *name, mt_h5_type type, size_t rank, const size_t *shape, void *values);

/* Reads its rows first .. first + n - 1: `shape` is that of the entire dataset, `values` holds n rows. Also MT_INPUT: rows out of
 * range. */
MT_NODISCARD mt_status mt_h5_read_rows(mt_h5 *h5, const char *name, mt_h5_type type, size_t rank,
    const size_t *shape, size_t first, size_t n, void *values);

/* Returns in *has whether a dataset or group has this attribute. MT_INPUT: there is no such object. */
MT_NODISCARD mt_status mt_h5_has_attribute(mt_h5 *h5, const char *object, const char *attribute, bool *has);

/* Returns the extents of a dataset of any rank up to MT_H5_RANK_MAX; a scalar has rank 0. MT_INPUT: it is missing or has a higher
 * rank. */
MT_NODISCARD mt_status mt_h5_extents(mt_h5 *h5, const char *name, size_t *rank, size_t shape[MT_H5_RANK_MAX]);

/* Reads a dataset of any shape with n numbers, integers or floating point of at most 8 bytes, in file order. MT_INPUT: it is
 * missing, has another count, or does not contain numbers. MT_FILE: the values cannot be read. */
MT_NODISCARD mt_status mt_h5_read_numbers(mt_h5 *h5, const char *name, size_t n, double *values);

/* Returns the names of the objects in a group, ascending, in `arena`; no names if there is no such group. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_h5_list(
    mt_arena *arena, mt_h5 *h5, const char *group, size_t *n, const char ***names);

/* Read attributes of a dataset or group. Text may be stored with fixed or variable length and must fit out[size] with its final
 * 0. MT_INPUT: the attribute is missing, or has another type or size. */
MT_NODISCARD mt_status mt_h5_read_text(
    mt_h5 *h5, const char *object, const char *attribute, char *out, size_t size);
MT_NODISCARD mt_status mt_h5_read_number(
    mt_h5 *h5, const char *object, const char *attribute, double *number);
MT_NODISCARD mt_status mt_h5_read_integers(
    mt_h5 *h5, const char *object, const char *attribute, size_t n, int64_t *values);
