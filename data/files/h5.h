/* HDF5 files: typed arrays with a unit, groups, and attributes. The only place that knows the HDF5 library.
 *
 * A file being written stands under a temporary name until mt_h5_commit, so the target is whole or not there. Nothing in it
 * depends on when or where it is written: equal contents are equal to the byte.
 * Names are paths from the root: "VTKHDF/Points". Not for use by several threads at once (HDF5 is not).
 * HDF5's own printing of errors is switched off for the thread that opens a file. Memory that HDF5 cannot have is MT_MEMORY,
 * whatever it was for.
 *
 *     MT_H5_SCOPE(h5);
 *     MT_TRY(mt_h5_create(path, h5));
 *     MT_TRY(write_arrays(h5));
 *     return mt_h5_commit(h5);      (a file that was not committed is removed at the end of the scope)
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/core/arena.h"
#include "data/files/file.h"
#include "data/core/status.h"

/* The type in memory. In the file it is the same, little-endian, but for UINT32: those are ids, and ids are
 * stored as int64, which is what VTK reads. */
typedef enum mt_h5_type {
    MT_H5_FLOAT,
    MT_H5_DOUBLE,
    MT_H5_INT32,
    MT_H5_INT64,
    MT_H5_UINT8,
    MT_H5_UINT32
} mt_h5_type;

enum { MT_H5_RANK_MAX = 3 };

typedef struct mt_h5 {
    int64_t id; /* HDF5's; valid where `open` */
    bool open;
    mt_file file;                /* of one being written */
    char path[MT_FILE_PATH_MAX]; /* the target */
} mt_h5;                         /* all zero is closed */

/* Starts a new file for `path` under its temporary name; its root says in the attribute "program" who writes it. MT_FILE where
 * that cannot be made. */
MT_NODISCARD mt_status mt_h5_create(const char *path, mt_h5 *h5);

/* Closes a created file and puts it in place of `path`. On failure the target is as it was. */
MT_NODISCARD mt_status mt_h5_commit(mt_h5 *h5);

/* Opens an existing file for reading. MT_FILE: not there, no HDF5 file, or cut off. */
MT_NODISCARD mt_status mt_h5_open(const char *path, mt_h5 *h5);

/* Closes; a created file that was not committed is removed. Nothing happens on a closed one. */
void mt_h5_close(mt_h5 *h5);

/* Declares `name`, a pointer to a closed file. If it is open at the end of its scope, it is closed after a returned value was computed. */
#define MT_H5_SCOPE(name)                                                                                    \
    __attribute__((cleanup(mt_h5_close))) mt_h5 name##_file = {0};                                           \
    mt_h5 *const name = &name##_file

/* Writing. Arrays have 1 <= rank <= MT_H5_RANK_MAX and are row-major; from 1 MiB on they are stored
 * compressed. `unit` becomes the attribute "unit" (NULL: none). Text is stored as fixed-length ASCII.
 * Failures are MT_FILE. */
MT_NODISCARD mt_status mt_h5_group(mt_h5 *h5, const char *name);
MT_NODISCARD mt_status mt_h5_write(mt_h5 *h5, const char *name, mt_h5_type type, size_t rank,
    const size_t *shape, const char *unit, const void *values);
/* The same, never compressed: for what is written often and read once. */
MT_NODISCARD mt_status mt_h5_write_plain(mt_h5 *h5, const char *name, mt_h5_type type, size_t rank,
    const size_t *shape, const char *unit, const void *values);
/* In pieces: an array without its values, plain, too; then rows first .. first + n - 1 of its n_rows x anything. All of its
 * values must be written. MT_INPUT: rows that it does not have. */
MT_NODISCARD mt_status mt_h5_reserve(
    mt_h5 *h5, const char *name, mt_h5_type type, size_t rank, const size_t *shape, const char *unit);
MT_NODISCARD mt_status mt_h5_write_rows(
    mt_h5 *h5, const char *name, mt_h5_type type, size_t first, size_t n, const void *values);
/* An array without values of its own: those of another one of rank 1 in this file, from `first` to first + n - 1 (HDF5 calls it
 * virtual, from 1.10 on). Not for mt_h5_read. MT_INPUT: values that the other does not have, or its name has 256 bytes or more. */
MT_NODISCARD mt_status mt_h5_view(
    mt_h5 *h5, const char *name, mt_h5_type type, const char *of, size_t first, size_t n);
MT_NODISCARD mt_status mt_h5_write_text(
    mt_h5 *h5, const char *object, const char *attribute, const char *text);
MT_NODISCARD mt_status mt_h5_write_number(
    mt_h5 *h5, const char *object, const char *attribute, double number);
MT_NODISCARD mt_status mt_h5_write_integers(
    mt_h5 *h5, const char *object, const char *attribute, size_t n, const int64_t *values);

/* Gives whether there is something of this name. What is there and cannot be opened, is: who reads it is told why. */
MT_NODISCARD mt_status mt_h5_has(mt_h5 *h5, const char *name, bool *has);

/* Datasets are read whose values are in this file, as they are or filtered by shuffle, deflate and fletcher32: a link
 * into another file, values in other files and views of other datasets are refused. They are read only where the bytes that are stored can become what the shape counts (deflate: 1032
 * times as many): so memory may be taken for a shape that was given. MT_INPUT otherwise. */

/* The extents of a dataset, which must have this rank. MT_INPUT where it is missing or has another. */
MT_NODISCARD mt_status mt_h5_shape(mt_h5 *h5, const char *name, size_t rank, size_t *shape);

/* Reads a whole dataset of exactly this shape. Integers are read from any integer type of at most 8 bytes
 * and must fit; floating point numbers from any floating type that is not wider. MT_INPUT: missing,
 * another type or shape, or a number that does not fit. MT_FILE: the values cannot be read. */
MT_NODISCARD mt_status mt_h5_read(
    mt_h5 *h5, const char *name, mt_h5_type type, size_t rank, const size_t *shape, void *values);

/* The same of its rows first .. first + n - 1: `shape` is that of the whole, `values` holds n rows. MT_INPUT, too: rows that it does not
 * have. */
MT_NODISCARD mt_status mt_h5_read_rows(mt_h5 *h5, const char *name, mt_h5_type type, size_t rank,
    const size_t *shape, size_t first, size_t n, void *values);

/* Returns in *has whether a dataset or group has this attribute. MT_INPUT: there is no such object. */
MT_NODISCARD mt_status mt_h5_has_attribute(mt_h5 *h5, const char *object, const char *attribute, bool *has);

/* Finds the extents of a dataset of any rank up to MT_H5_RANK_MAX: `rank` of them, 0 for a single number. MT_INPUT: missing, of more. */
MT_NODISCARD mt_status mt_h5_extents(mt_h5 *h5, const char *name, size_t *rank, size_t shape[MT_H5_RANK_MAX]);

/* Reads a dataset of any shape that holds n numbers, integers or floating point of at most 8 bytes, in the order of the file.
 * MT_INPUT: missing, another count, no numbers. MT_FILE: the values cannot be read. */
MT_NODISCARD mt_status mt_h5_read_numbers(mt_h5 *h5, const char *name, size_t n, double *values);

/* Finds the names of what is in a group, ascending, in `arena`; none if there is no such group. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_h5_list(
    mt_arena *arena, mt_h5 *h5, const char *group, size_t *n, const char ***names);

/* Attributes of a dataset or group. Text may be stored with fixed or variable length and must fit out[size]
 * with its final 0. MT_INPUT: missing, of another kind, or of another size. */
MT_NODISCARD mt_status mt_h5_read_text(
    mt_h5 *h5, const char *object, const char *attribute, char *out, size_t size);
MT_NODISCARD mt_status mt_h5_read_number(
    mt_h5 *h5, const char *object, const char *attribute, double *number);
MT_NODISCARD mt_status mt_h5_read_integers(
    mt_h5 *h5, const char *object, const char *attribute, size_t n, int64_t *values);
