#include "data/files/h5.h"

#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/planes.h"
#include "data/files/input.h"

/* Arrays of at least this size are stored in chunks of about this size, shuffled and deflated (data/core/planes.h). Indices shrink
 * several times. Level 1 costs about as much time as the smaller file saves.
 * HDF5 keeps chunks of 1 MiB in memory by default. Smaller arrays are contiguous. */
static const size_t chunk_bytes = (size_t)1 << 20;

enum { VIEW_NAME = 256 }; /* bytes of the longest name of a dataset with a view, including its final 0 */

/* Maximum expansion of deflate: 258 bytes from 2 bits. */
static const size_t deflate_most = 1032;

static void close_id(const hid_t *id)
{
    if (*id >= 0) (void)H5Idec_ref(*id);
}

/* Declares HDF5 ids that are closed at the end of their scope, after the returned value was computed; negative: no id. */
#define SCOPED_ID __attribute__((cleanup(close_id))) hid_t

static hid_t memory_type(mt_h5_type type)
{
    const hid_t types[] = {H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE, H5T_NATIVE_INT32, H5T_NATIVE_INT64,
        H5T_NATIVE_UINT8, H5T_NATIVE_UINT32};
    return types[type];
}

static hid_t stored_type(mt_h5_type type)
{
    const hid_t types[] = {
        H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_STD_I32LE, H5T_STD_I64LE, H5T_STD_U8LE, H5T_STD_I64LE};
    return types[type];
}

static const char *type_name(mt_h5_type type)
{
    static const char *const names[] = {"float", "double", "int32", "int64", "uint8", "uint32"};
    return names[type];
}

typedef struct reason {
    char words[256];
    bool memory; /* True if HDF5 ran out of memory */
} reason;

/* Stores the innermost message of HDF5's error stack. If it quotes a system error among addresses, times and byte counts, only
 * the system's words are stored. */
static herr_t keep_first(unsigned n, const H5E_error2_t *error, void *out)
{
    /* `damaged`: past the end of the file; HDF5 classifies this as lack of space */
    static const char mark[] = "error message = '", damaged[] = "ran off the end";
    reason *why = out;
    if (n > 0 || !error->desc) return 0;
    const char *words = strstr(error->desc, mark);
    words = words ? words + sizeof mark - 1 : error->desc;
    const size_t length = words == error->desc ? strlen(words) : strcspn(words, "'");
    (void)snprintf(why->words, sizeof why->words, "%.*s", (int)length, words);
    why->memory = error->maj_num == H5E_RESOURCE && strncmp(words, damaged, sizeof damaged - 1) != 0;
    return 0;
}

/* Returns the reason of the last call, which failed; the next HDF5 call clears it. */
static reason reason_of(void)
{
    reason why = {.words = "unknown reason"};
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &why);
    return why;
}

/* Returns `code`, or MT_MEMORY if HDF5 ran out of memory. */
static mt_status fail_h5(mt_status code, const mt_h5 *h5, const char *name, const char *what)
{
    const reason why = reason_of();
    return mt_fail(why.memory ? MT_MEMORY : code, "%s: %s%s%s (HDF5: %s)", h5->path, name, *name ? ": " : "",
        what, why.words);
}

/* Disables HDF5's exit handler, in which HDF5 1.10 crashes on a file that it could not write completely. This program has closed
 * all its ids by then. Must be called before any other HDF5 function. */
static bool begun;

static void begin_hdf5(void)
{
    if (!begun) (void)H5dont_atexit();
    begun = true;
}

void mt_h5_shared_begin(mt_h5_printing *printing)
{
    H5E_auto2_t function = NULL;
    begun = true; /* without H5dont_atexit */
    *printing = (mt_h5_printing){0};
    if (H5Eget_auto2(H5E_DEFAULT, &function, &printing->data) >= 0)
        printing->function = (void (*)(void))function;
}

void mt_h5_shared_end(const mt_h5_printing *printing)
{
    (void)H5Eset_auto2(H5E_DEFAULT, (H5E_auto2_t)printing->function, printing->data);
}

/* Refuses to follow a link to another file; a callback of HDF5. */
static herr_t refuse_link(const char *file, const char *group, const char *other_file, const char *object,
    unsigned *flags, hid_t access, void *other)
{
    (void)file, (void)group, (void)object, (void)flags, (void)access;
    (void)snprintf(other, MT_FILE_PATH_MAX, "%s", other_file);
    return -1;
}

/* Refuses a name with a path that leads to another file: reading it could block on a pipe, or read a file that the user did not
 * name. The caller handles names that do not exist. */
static mt_status check_links(const mt_h5 *h5, const char *name)
{
    char other[MT_FILE_PATH_MAX] = "";
    SCOPED_ID list = H5Pcreate(H5P_LINK_ACCESS);
    H5O_info_t info;
    if (list < 0 || H5Pset_elink_cb(list, refuse_link, other) < 0)
        return fail_h5(MT_FILE, h5, name, "its links cannot be read");
    (void)H5Oget_info_by_name2(h5->id, name, &info, H5O_INFO_BASIC, list);
    if (!*other) return MT_OK;
    return mt_fail(MT_INPUT, "%s: %s: is a link to another file, %.200s; allowed: data in the file itself",
        h5->path, name, other);
}

static mt_status keep_path(const char *path, mt_h5 *h5)
{
    size_t n = strlen(path);
    if (n >= sizeof h5->path)
        return mt_fail(MT_INPUT, "%.60s...: a path of %zu characters; allowed: at most %zu", path, n,
            sizeof h5->path - 1);
    memset(h5, 0, sizeof *h5);
    memcpy(h5->path, path, n + 1);
    begin_hdf5();
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return MT_OK;
}

/* Creates the file in the layout of HDF5 1.8 where possible, else of 1.10. In this layout metadata have checksums, so damage is
 * detected; in the older default it could mislead the library. Times are not stored, so that equal contents give equal files. The
 * temporary file is already locked by data/files/file.h; a second lock by HDF5 would conflict with it on NFS. */
static mt_status create_file(const char *temporary, mt_h5 *h5)
{
    SCOPED_ID access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
    errno = 0;
    h5->id = H5I_INVALID_HID;
    if (access >= 0 && create >= 0 && H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110) >= 0 &&
        H5Pset_file_locking(access, false, true) >= 0 && H5Pset_obj_track_times(create, false) >= 0)
        h5->id = H5Fcreate(temporary, H5F_ACC_TRUNC, create, access);
    if (h5->id >= 0) return MT_OK;
    return errno ? mt_fail(MT_FILE, "%s: cannot be created: %s", h5->path, strerror(errno))
                 : fail_h5(MT_FILE, h5, "", "cannot be created");
}

mt_status mt_h5_create(const char *path, mt_h5 *h5)
{
    MT_TRY(keep_path(path, h5));
    MT_TRY(mt_file_reserve(path, &h5->file));
    mt_status status = create_file(mt_file_temporary(&h5->file), h5);
    if (status != MT_OK) return mt_file_end(&h5->file, status);
    h5->open = true;
    status = mt_h5_write_text(h5, "/", "program", "myotile " MT_VERSION);
    if (status != MT_OK) mt_h5_close(h5);
    return status;
}

mt_status mt_h5_commit(mt_h5 *h5)
{
    mt_status status = MT_OK;
    if (H5Fflush(h5->id, H5F_SCOPE_LOCAL) < 0) status = fail_h5(MT_FILE, h5, "", "cannot be written");
    h5->open = false;
    if (H5Fclose(h5->id) < 0 && status == MT_OK) status = fail_h5(MT_FILE, h5, "", "cannot be written");
    return mt_file_end(&h5->file, status);
}

mt_status mt_h5_open(const char *path, mt_h5 *h5)
{
    MT_TRY(keep_path(path, h5));
    FILE *file;
    MT_TRY(mt_input_open(path, &file));
    (void)fclose(file);
    h5->id = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (h5->id < 0) return fail_h5(MT_FILE, h5, "", "not an HDF5 file, or incomplete");
    h5->open = true;
    return MT_OK;
}

void mt_h5_close(mt_h5 *h5)
{
    if (!h5->open) return;
    h5->open = false;
    (void)H5Fclose(h5->id);
    mt_file_discard(&h5->file);
}

/* ---- writing ---- */

mt_status mt_h5_group(mt_h5 *h5, const char *name)
{
    SCOPED_ID list = H5Pcreate(H5P_GROUP_CREATE), group = H5I_INVALID_HID;
    if (list >= 0 && H5Pset_obj_track_times(list, false) >= 0)
        group = H5Gcreate2(h5->id, name, H5P_DEFAULT, list, H5P_DEFAULT);
    return group < 0 ? fail_h5(MT_FILE, h5, name, "this group cannot be created") : MT_OK;
}

/* Writes a small attribute of an object. Fails if creation of the type or space failed (negative). */
static mt_status put_attribute(mt_h5 *h5, const char *object, const char *attribute, hid_t file_type,
    hid_t mem_type, hid_t space, const void *value)
{
    static const char failed[] = "an attribute cannot be written";
    if (file_type < 0 || space < 0) return fail_h5(MT_FILE, h5, object, failed);
    const hid_t id =
        H5Acreate_by_name(h5->id, object, attribute, file_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (id < 0) return fail_h5(MT_FILE, h5, object, failed);
    const herr_t result = H5Awrite(id, mem_type, value);
    return H5Aclose(id) < 0 || result < 0 ? fail_h5(MT_FILE, h5, object, failed) : MT_OK;
}

mt_status mt_h5_write_text(mt_h5 *h5, const char *object, const char *attribute, const char *text)
{
    const size_t n = strlen(text);
    SCOPED_ID type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    /* HDF5 has no text of length 0: an empty text is a single 0. */
    const bool set =
        type >= 0 && H5Tset_size(type, n ? n : 1) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0;
    return put_attribute(h5, object, attribute, set ? type : H5I_INVALID_HID, type, space, text);
}

mt_status mt_h5_write_number(mt_h5 *h5, const char *object, const char *attribute, double number)
{
    SCOPED_ID space = H5Screate(H5S_SCALAR);
    return put_attribute(h5, object, attribute, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space, &number);
}

mt_status mt_h5_write_integers(
    mt_h5 *h5, const char *object, const char *attribute, size_t n, const int64_t *values)
{
    SCOPED_ID space = H5Screate_simple(1, (hsize_t[]){n}, NULL);
    return put_attribute(h5, object, attribute, H5T_STD_I64LE, H5T_NATIVE_INT64, space, values);
}

/* Sets the storage of an array: contiguous and allocated early, or compressed chunks of entire rows. */
static herr_t set_layout(hid_t list, hid_t type, size_t rank, const hsize_t *extent, bool plain)
{
    hsize_t chunk[MT_H5_RANK_MAX];
    hsize_t row = H5Tget_size(type);
    if (H5Pset_obj_track_times(list, false) < 0) return -1;
    for (size_t k = 1; k < rank; k++) row *= extent[k];
    if (plain || row == 0 || row > chunk_bytes || extent[0] < chunk_bytes / row ||
        H5Zfilter_avail(H5Z_FILTER_DEFLATE) <= 0)
        return H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY);
    for (size_t k = 1; k < rank; k++) chunk[k] = extent[k];
    chunk[0] = chunk_bytes / row;
    if (H5Pset_chunk(list, (int)rank, chunk) < 0 || H5Pset_shuffle(list) < 0) return -1;
    return H5Pset_deflate(list, 1);
}

/* Writes the compressed chunks of one run of `planes`, from row `first` on. */
static bool put_chunks(hid_t id, const mt_planes *planes, hsize_t first, hsize_t rows, size_t n_chunks)
{
    for (size_t k = 0; k < n_chunks; k++) {
        size_t n;
        const void *bytes = mt_planes_bytes(planes, k, &n);
        const hsize_t at[MT_H5_RANK_MAX] = {first + k * rows};
        if (n == 0 || H5Dwrite_chunk(id, H5P_DEFAULT, 0, at, n, bytes) < 0) return false;
    }
    return true;
}

/* Writes an array in compressed chunks of `rows` rows of `row` values. They are compressed on all threads. */
static mt_status write_chunks(const mt_h5 *h5, const char *name, hid_t id, mt_h5_type type, hsize_t rows,
    size_t row, size_t n, const void *values)
{
    MT_SCRATCH(scratch);
    mt_planes planes;
    const size_t value_bytes = H5Tget_size(memory_type(type)), each = (size_t)rows * row;
    MT_TRY(mt_planes_make(scratch, value_bytes, H5Tget_size(stored_type(type)), each, n, &planes));
    for (size_t at = 0; at < n; at += planes.n_slots * each) {
        const size_t left = n - at, most = planes.n_slots * each, now = left < most ? left : most;
        mt_planes_run(&planes, now, (const char *)values + at * value_bytes);
        if (!put_chunks(id, &planes, at / row, rows, (now + each - 1) / each))
            return fail_h5(MT_FILE, h5, name, "cannot be written");
    }
    return MT_OK;
}

/* Writes all values of a new dataset. */
static mt_status write_values(
    const mt_h5 *h5, const char *name, hid_t id, mt_h5_type type, hid_t space, hid_t list, const void *values)
{
    hsize_t extent[MT_H5_RANK_MAX], chunk[MT_H5_RANK_MAX];
    const bool little_endian = H5Tequal(H5T_NATIVE_INT32, H5T_STD_I32LE) > 0;
    if (little_endian && H5Pget_layout(list) == H5D_CHUNKED) {
        const int rank = H5Sget_simple_extent_dims(space, extent, NULL);
        size_t row = 1;
        if (H5Pget_chunk(list, MT_H5_RANK_MAX, chunk) != rank)
            return fail_h5(MT_FILE, h5, name, "cannot be written");
        for (int k = 1; k < rank; k++) row *= (size_t)extent[k];
        return write_chunks(h5, name, id, type, chunk[0], row, (size_t)extent[0] * row, values);
    }
    if (H5Dwrite(id, memory_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        return fail_h5(MT_FILE, h5, name, "cannot be written");
    return MT_OK;
}

/* Writes the new dataset, unless `values` is NULL; `space` and `list` belong to the caller. Errors are reported immediately,
 * because the next call, even one that closes, makes HDF5 clear the reason. */
static mt_status write_dataset(
    mt_h5 *h5, const char *name, mt_h5_type type, hid_t space, hid_t list, const void *values)
{
    static const char failed[] = "cannot be written";
    hid_t id = H5Dcreate2(h5->id, name, stored_type(type), space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (id < 0) return fail_h5(MT_FILE, h5, name, failed);
    mt_status status = MT_OK;
    if (values) status = write_values(h5, name, id, type, space, list, values);
    if (H5Dclose(id) < 0 && status == MT_OK) status = fail_h5(MT_FILE, h5, name, failed);
    return status;
}

static mt_status write_array(mt_h5 *h5, const char *name, mt_h5_type type, size_t rank, const size_t *shape,
    const char *unit, const void *values, bool plain)
{
    hsize_t extent[MT_H5_RANK_MAX];
    if (rank < 1 || rank > MT_H5_RANK_MAX)
        return mt_fail(MT_INPUT, "%s: %s: rank %zu; allowed: 1 to %d", h5->path, name, rank, MT_H5_RANK_MAX);
    for (size_t k = 0; k < rank; k++) extent[k] = shape[k];
    SCOPED_ID space = H5Screate_simple((int)rank, extent, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    if (space < 0 || list < 0 || set_layout(list, stored_type(type), rank, extent, plain) < 0)
        return fail_h5(MT_FILE, h5, name, "its layout cannot be created");
    MT_TRY(write_dataset(h5, name, type, space, list, values));
    return unit ? mt_h5_write_text(h5, name, "unit", unit) : MT_OK;
}

mt_status mt_h5_write(mt_h5 *h5, const char *name, mt_h5_type type, size_t rank, const size_t *shape,
    const char *unit, const void *values)
{
    return write_array(h5, name, type, rank, shape, unit, values, false);
}

mt_status mt_h5_write_plain(mt_h5 *h5, const char *name, mt_h5_type type, size_t rank, const size_t *shape,
    const char *unit, const void *values)
{
    return write_array(h5, name, type, rank, shape, unit, values, true);
}

mt_status mt_h5_reserve(
    mt_h5 *h5, const char *name, mt_h5_type type, size_t rank, const size_t *shape, const char *unit)
{
    return write_array(h5, name, type, rank, shape, unit, NULL, true);
}

/* Selects entire rows of an array; returns the corresponding space in memory. Negative if that fails. */
static hid_t select_rows(hid_t space, size_t first, size_t n)
{
    hsize_t extent[H5S_MAX_RANK], start[H5S_MAX_RANK] = {first};
    const int rank = H5Sget_simple_extent_dims(space, extent, NULL);
    if (rank < 1 || first > extent[0] || n > extent[0] - first) return H5I_INVALID_HID;
    extent[0] = n;
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, extent, NULL) < 0) return H5I_INVALID_HID;
    return H5Screate_simple(rank, extent, NULL);
}

mt_status mt_h5_write_rows(
    mt_h5 *h5, const char *name, mt_h5_type type, size_t first, size_t n, const void *values)
{
    const hid_t id = H5Dopen2(h5->id, name, H5P_DEFAULT);
    if (id < 0) return fail_h5(MT_FILE, h5, name, "cannot be written");
    SCOPED_ID space = H5Dget_space(id), memory = space < 0 ? space : select_rows(space, first, n);
    mt_status status = MT_OK;
    if (memory < 0)
        status =
            mt_fail(MT_INPUT, "%s: %s: does not have %zu rows from row %zu on", h5->path, name, n, first);
    else if (H5Dwrite(id, memory_type(type), memory, space, H5P_DEFAULT, values) < 0)
        status = fail_h5(MT_FILE, h5, name, "cannot be written");
    if (H5Dclose(id) < 0 && status == MT_OK) status = fail_h5(MT_FILE, h5, name, "cannot be written");
    return status;
}

/* Doubles each %, which has a special meaning in HDF5's names of source datasets. */
static void double_percents(const char *name, char out[2 * VIEW_NAME])
{
    for (; *name; *out++ = *name++)
        if (*name == '%') *out++ = '%';
    *out = 0;
}

mt_status mt_h5_view(mt_h5 *h5, const char *name, mt_h5_type type, const char *of, size_t first, size_t n)
{
    char from[2 * VIEW_NAME];
    if (strlen(of) >= VIEW_NAME)
        return mt_fail(MT_INPUT, "%s: %.60s...: this name is too long for a view", h5->path, of);
    double_percents(of, from);
    SCOPED_ID id = H5Dopen2(h5->id, of, H5P_DEFAULT);
    if (id < 0) return fail_h5(MT_FILE, h5, name, "its array cannot be accessed");
    SCOPED_ID source = H5Dget_space(id), list = H5Pcreate(H5P_DATASET_CREATE),
              space = source < 0 ? source : select_rows(source, first, n);
    if (source >= 0 && space < 0)
        return mt_fail(MT_INPUT, "%s: %s: does not have %zu rows from row %zu on", h5->path, of, n, first);
    if (list < 0 || space < 0 || H5Pset_obj_track_times(list, false) < 0 ||
        H5Pset_virtual(list, space, ".", from, source) < 0)
        return fail_h5(MT_FILE, h5, name, "its layout cannot be created");
    return write_dataset(h5, name, type, space, list, NULL);
}

/* ---- reading ---- */

mt_status mt_h5_has(mt_h5 *h5, const char *name, bool *has)
{
    char path[256];
    const size_t n = strlen(name);
    *has = true;
    for (size_t k = 1; *has && k <= n && k < sizeof path; k++) {
        if (k < n && name[k] != '/') continue;
        memcpy(path, name, k);
        path[k] = 0;
        const htri_t found = H5Lexists(h5->id, path, H5P_DEFAULT);
        if (found < 0 && reason_of().memory)
            return fail_h5(MT_FILE, h5, name, "its existence cannot be determined");
        *has = found != 0;
        if (*has) MT_TRY(check_links(h5, path));
    }
    return MT_OK;
}

static mt_status shape_of(const mt_h5 *h5, const char *name, hid_t id, size_t rank, size_t *shape)
{
    hsize_t extent[H5S_MAX_RANK];
    SCOPED_ID space = H5Dget_space(id);
    const int found = space < 0 ? -1 : H5Sget_simple_extent_dims(space, extent, NULL);
    if (found < 0) return fail_h5(MT_FILE, h5, name, "its shape cannot be read");
    if ((size_t)found != rank)
        return mt_fail(MT_INPUT, "%s: %s: has %d dimensions; allowed: %zu", h5->path, name, found, rank);
    for (size_t k = 0; k < rank; k++) shape[k] = extent[k];
    return MT_OK;
}

/* Returns the bytes of items of a dataset's type in these extents, SIZE_MAX on overflow. */
static size_t bytes_of(hid_t id, int rank, const hsize_t *extent)
{
    SCOPED_ID type = H5Dget_type(id);
    size_t bytes = type < 0 ? 0 : H5Tget_size(type);
    for (int k = 0; k < rank; k++)
        if (__builtin_mul_overflow(bytes, extent[k], &bytes)) return SIZE_MAX;
    return bytes;
}

/* Checks the storage and the filters of a dataset; `growth` is the maximum factor of expansion. MT_INPUT: its values are in other
 * files, or it needs other filters than ours. Must precede reading the extents, for which HDF5 may open other files. */
static mt_status check_storage(const mt_h5 *h5, const char *name, hid_t list, size_t *growth)
{
    *growth = 1;
    if (H5Pget_layout(list) == H5D_VIRTUAL || H5Pget_external_count(list) != 0)
        return mt_fail(MT_INPUT,
            "%s: %s: its values are in other datasets or files; allowed: values in the dataset itself",
            h5->path, name);
    const int n = H5Pget_nfilters(list);
    bool known = n >= 0;
    for (int k = 0; k < n && known; k++) {
        unsigned flags, config;
        size_t n_values = 0;
        const H5Z_filter_t filter =
            H5Pget_filter2(list, (unsigned)k, &flags, &n_values, NULL, 0, NULL, &config);
        if (filter == H5Z_FILTER_DEFLATE && *growth == 1)
            *growth = deflate_most;
        else
            known = filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_FLETCHER32;
    }
    if (known) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: %s: stored with an unknown filter; allowed: none, or shuffle, deflate and fletcher32", h5->path,
        name);
}

/* Checks that the extents of the dataset and the size of one of its chunks are possible for the stored bytes, because a header
 * may claim more values than the file contains. */
static mt_status check_stored(const mt_h5 *h5, const char *name, hid_t id, hid_t list)
{
    hsize_t extent[H5S_MAX_RANK], file_bytes = 0;
    size_t growth, most;
    MT_TRY(check_storage(h5, name, list, &growth));
    const hsize_t stored = H5Dget_storage_size(id);
    SCOPED_ID file = H5Iget_file_id(id), space = H5Dget_space(id);
    const int rank = space < 0 ? -1 : H5Sget_simple_extent_dims(space, extent, NULL);
    if (file >= 0 && H5Fget_filesize(file, &file_bytes) < 0) file_bytes = 0;
    if (rank < 0) return fail_h5(MT_FILE, h5, name, "its shape cannot be read");
    if (__builtin_mul_overflow(stored < file_bytes ? stored : file_bytes, growth, &most)) most = SIZE_MAX;
    size_t counted = bytes_of(id, rank, extent);
    if (H5Pget_layout(list) == H5D_CHUNKED && counted > 0) {
        if (H5Pget_chunk(list, rank, extent) != rank)
            return fail_h5(MT_FILE, h5, name, "its chunks cannot be read");
        const size_t chunk = bytes_of(id, rank, extent);
        if (chunk > counted) counted = chunk;
    }
    if (counted <= most) return MT_OK;
    return mt_fail(MT_INPUT, "%s: %s: has a size of %zu bytes, but its stored data can have at most %zu",
        h5->path, name, counted, most);
}

/* Opens a dataset with possible extents, so that the caller can allocate memory for its shape. The caller closes the id, even
 * after a failure. */
static mt_status open_dataset(const mt_h5 *h5, const char *name, hid_t *id)
{
    MT_TRY(check_links(h5, name));
    *id = H5Dopen2(h5->id, name, H5P_DEFAULT);
    if (*id < 0) return fail_h5(MT_INPUT, h5, name, "this dataset is missing or cannot be opened");
    SCOPED_ID list = H5Dget_create_plist(*id);
    if (list < 0) return fail_h5(MT_FILE, h5, name, "its layout cannot be read");
    return check_stored(h5, name, *id, list);
}

mt_status mt_h5_shape(mt_h5 *h5, const char *name, size_t rank, size_t *shape)
{
    SCOPED_ID id = H5I_INVALID_HID;
    MT_TRY(open_dataset(h5, name, &id));
    return shape_of(h5, name, id, rank, shape);
}

static mt_status check_shape(const mt_h5 *h5, const char *name, hid_t id, size_t rank, const size_t *shape)
{
    size_t found[MT_H5_RANK_MAX];
    if (rank < 1 || rank > MT_H5_RANK_MAX)
        return mt_fail(MT_INPUT, "%s: %s: rank %zu; allowed: 1 to %d", h5->path, name, rank, MT_H5_RANK_MAX);
    MT_TRY(shape_of(h5, name, id, rank, found));
    for (size_t k = 0; k < rank; k++)
        if (found[k] != shape[k])
            return mt_fail(MT_INPUT, "%s: %s: dimension %zu is %zu; allowed: %zu", h5->path, name, k,
                found[k], shape[k]);
    return MT_OK;
}

/* True if all bits of a number type are within its bytes; HDF5 1.10 reads other types out of bounds. */
static bool is_sound(hid_t type)
{
    const size_t bits = 8 * H5Tget_size(type), precision = H5Tget_precision(type);
    const int offset = H5Tget_offset(type);
    size_t sign, exponent, exponent_bits, mantissa, mantissa_bits;
    if (precision == 0 || offset < 0 || (size_t)offset > bits || precision > bits - (size_t)offset)
        return false;
    if (H5Tget_class(type) != H5T_FLOAT) return true;
    return H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits) >= 0 &&
           sign < bits && exponent <= bits && exponent_bits <= bits - exponent && mantissa <= bits &&
           mantissa_bits <= bits - mantissa;
}

/* Finds the class and size of the numbers of a dataset. The class is H5T_NO_CLASS if the type is damaged. */
static mt_status type_of(const mt_h5 *h5, const char *name, hid_t id, H5T_class_t *found, size_t *bytes)
{
    SCOPED_ID stored = H5Dget_type(id);
    if (stored < 0) return fail_h5(MT_FILE, h5, name, "its type cannot be read");
    *found = H5Tget_class(stored);
    *bytes = H5Tget_size(stored);
    if ((*found == H5T_INTEGER || *found == H5T_FLOAT) && !is_sound(stored)) *found = H5T_NO_CLASS;
    return MT_OK;
}

static mt_status check_type(const mt_h5 *h5, const char *name, hid_t id, mt_h5_type type)
{
    H5T_class_t found = H5T_NO_CLASS;
    size_t bytes = 0;
    MT_TRY(type_of(h5, name, id, &found, &bytes));
    bool floating = type == MT_H5_FLOAT || type == MT_H5_DOUBLE;
    bool fits = bytes <= (floating ? H5Tget_size(memory_type(type)) : sizeof(int64_t));
    if (found == (floating ? H5T_FLOAT : H5T_INTEGER) && fits) return MT_OK;
    const char *kind = found == H5T_INTEGER ? "integers"
                       : found == H5T_FLOAT ? "floating point numbers"
                                            : "non-numeric values";
    return mt_fail(
        MT_INPUT, "%s: %s: has %s of %zu bytes; allowed: %s", h5->path, name, kind, bytes, type_name(type));
}

/* Stops a conversion in which HDF5 would clip a number that does not fit. */
static H5T_conv_ret_t refuse(
    H5T_conv_except_t except, hid_t from, hid_t to, void *value, void *result, void *refused)
{
    (void)from, (void)to, (void)value, (void)result;
    if (except != H5T_CONV_EXCEPT_RANGE_HI && except != H5T_CONV_EXCEPT_RANGE_LOW) return H5T_CONV_UNHANDLED;
    *(bool *)refused = true;
    return H5T_CONV_ABORT;
}

/* `memory` and `space`: selections in memory and in the file; H5S_ALL: everything. */
static mt_status read_values(
    const mt_h5 *h5, const char *name, hid_t id, mt_h5_type type, hid_t memory, hid_t space, void *values)
{
    bool refused = false;
    SCOPED_ID list = H5Pcreate(H5P_DATASET_XFER);
    if (list < 0 || H5Pset_type_conv_cb(list, refuse, &refused) < 0)
        return fail_h5(MT_FILE, h5, name, "cannot be read");
    const herr_t result = H5Dread(id, memory_type(type), memory, space, list, values);
    if (refused)
        return mt_fail(
            MT_INPUT, "%s: %s: has a number outside the range of %s", h5->path, name, type_name(type));
    return result < 0 ? fail_h5(MT_FILE, h5, name, "its values cannot be read") : MT_OK;
}

mt_status mt_h5_read(
    mt_h5 *h5, const char *name, mt_h5_type type, size_t rank, const size_t *shape, void *values)
{
    SCOPED_ID id = H5I_INVALID_HID;
    MT_TRY(open_dataset(h5, name, &id));
    MT_TRY(check_shape(h5, name, id, rank, shape));
    MT_TRY(check_type(h5, name, id, type));
    return read_values(h5, name, id, type, H5S_ALL, H5S_ALL, values);
}

mt_status mt_h5_read_rows(mt_h5 *h5, const char *name, mt_h5_type type, size_t rank, const size_t *shape,
    size_t first, size_t n, void *values)
{
    SCOPED_ID id = H5I_INVALID_HID;
    MT_TRY(open_dataset(h5, name, &id));
    MT_TRY(check_shape(h5, name, id, rank, shape));
    MT_TRY(check_type(h5, name, id, type));
    SCOPED_ID space = H5Dget_space(id), memory = space < 0 ? space : select_rows(space, first, n);
    if (memory < 0)
        return mt_fail(MT_INPUT, "%s: %s: does not have %zu rows from row %zu on", h5->path, name, n, first);
    return read_values(h5, name, id, type, memory, space, values);
}

mt_status mt_h5_has_attribute(mt_h5 *h5, const char *object, const char *attribute, bool *has)
{
    const htri_t found = H5Aexists_by_name(h5->id, object, attribute, H5P_DEFAULT);
    *has = found > 0;
    if (found >= 0) return MT_OK;
    return fail_h5(reason_of().memory ? MT_FILE : MT_INPUT, h5, object, "its attributes cannot be read");
}

static mt_status extents_of(
    const mt_h5 *h5, const char *name, hid_t id, size_t *rank, size_t shape[MT_H5_RANK_MAX])
{
    SCOPED_ID space = H5Dget_space(id);
    const int found = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    if (found < 0) return fail_h5(MT_FILE, h5, name, "its shape cannot be read");
    if (found > MT_H5_RANK_MAX)
        return mt_fail(MT_INPUT, "%s: %s: has %d dimensions; allowed: at most %d", h5->path, name, found,
            MT_H5_RANK_MAX);
    *rank = (size_t)found;
    return shape_of(h5, name, id, *rank, shape);
}

mt_status mt_h5_extents(mt_h5 *h5, const char *name, size_t *rank, size_t shape[MT_H5_RANK_MAX])
{
    SCOPED_ID id = H5I_INVALID_HID;
    MT_TRY(open_dataset(h5, name, &id));
    return extents_of(h5, name, id, rank, shape);
}

static mt_status check_numbers(const mt_h5 *h5, const char *name, hid_t id, size_t n)
{
    size_t rank = 0, shape[MT_H5_RANK_MAX], count = 1;
    MT_TRY(extents_of(h5, name, id, &rank, shape));
    for (size_t k = 0; k < rank; k++)
        if (__builtin_mul_overflow(count, shape[k], &count)) count = SIZE_MAX;
    if (count != n)
        return mt_fail(MT_INPUT, "%s: %s: has %zu numbers; allowed: %zu", h5->path, name, count, n);
    H5T_class_t kind = H5T_NO_CLASS;
    size_t bytes = 0;
    MT_TRY(type_of(h5, name, id, &kind, &bytes));
    if ((kind == H5T_INTEGER || kind == H5T_FLOAT) && bytes <= 8) return MT_OK;
    return mt_fail(MT_INPUT, "%s: %s: is not numeric; allowed: numbers of at most 8 bytes", h5->path, name);
}

mt_status mt_h5_read_numbers(mt_h5 *h5, const char *name, size_t n, double *values)
{
    SCOPED_ID id = H5I_INVALID_HID;
    MT_TRY(open_dataset(h5, name, &id));
    MT_TRY(check_numbers(h5, name, id, n));
    return n > 0 ? read_values(h5, name, id, MT_H5_DOUBLE, H5S_ALL, H5S_ALL, values) : MT_OK;
}

/* The names of a group's links; `room` is the capacity. */
typedef struct link_names {
    mt_arena *arena;
    size_t n, room;
    const char **name;
    bool memory; /* True if there was no memory for a name */
} link_names;

static herr_t add_link(hid_t group, const char *name, const H5L_info_t *info, void *all)
{
    link_names *to = all;
    (void)group, (void)info;
    if (to->n == to->room) return -1;
    to->name[to->n] = mt_arena_text(to->arena, name);
    to->memory = !to->name[to->n];
    to->n += !to->memory;
    return to->memory ? -1 : 0;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Lists a group in native order: in any other order HDF5 1.10 first builds a table, and frees its uninitialised members if the
 * group is damaged. */
static mt_status list_group(
    mt_arena *arena, const mt_h5 *h5, const char *name, hid_t group, size_t *n, const char ***names)
{
    H5G_info_t info;
    if (H5Gget_info(group, &info) < 0) return fail_h5(MT_FILE, h5, name, "this group cannot be read");
    link_names all = {.arena = arena, .room = info.nlinks};
    MT_ALLOC(arena, all.name, all.room);
    const bool read = H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, add_link, &all) >= 0;
    if (all.memory) return MT_MEMORY;
    if (!read) return fail_h5(MT_FILE, h5, name, "this group cannot be read");
    if (all.n > 0) qsort(all.name, all.n, sizeof *all.name, compare_names);
    *names = all.name;
    *n = all.n;
    return MT_OK;
}

mt_status mt_h5_list(mt_arena *arena, mt_h5 *h5, const char *group, size_t *n, const char ***names)
{
    bool there;
    *n = 0;
    MT_TRY(mt_h5_has(h5, group, &there));
    if (!there) return MT_OK;
    SCOPED_ID id = H5Gopen2(h5->id, group, H5P_DEFAULT);
    if (id < 0) return fail_h5(MT_FILE, h5, group, "this group cannot be opened");
    return list_group(arena, h5, group, id, n, names);
}

static mt_status open_attribute(const mt_h5 *h5, const char *object, const char *attribute, hid_t *id)
{
    MT_TRY(check_links(h5, object));
    *id = H5Aopen_by_name(h5->id, object, attribute, H5P_DEFAULT, H5P_DEFAULT);
    if (*id >= 0) return MT_OK;
    if (reason_of().memory) return fail_h5(MT_FILE, h5, object, "an attribute cannot be read");
    return mt_fail(MT_INPUT, "%s: %s: has no attribute %s", h5->path, object, attribute);
}

/* Returns MT_MEMORY if the last call failed for lack of memory. */
static mt_status check_memory(const mt_h5 *h5, const char *object)
{
    return reason_of().memory ? fail_h5(MT_FILE, h5, object, "an attribute cannot be read") : MT_OK;
}

/* Returns the number of items of an open attribute, negative if it cannot be read. */
static hssize_t count_items(hid_t id)
{
    SCOPED_ID space = H5Aget_space(id);
    return space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
}

/* Reads the text of the open attribute into out[size]; false if it is not a single text or does not fit. */
static bool take_text(hid_t id, hid_t type, char *out, size_t size)
{
    if (count_items(id) != 1 || H5Tget_class(type) != H5T_STRING) return false;
    memset(out, 0, size);
    if (H5Tis_variable_str(type) <= 0) return H5Tget_size(type) < size && H5Aread(id, type, out) >= 0;
    char *text = NULL;
    if (H5Aread(id, type, &text) < 0 || !text) return false;
    bool fits = strlen(text) < size;
    if (fits) memcpy(out, text, strlen(text));
    (void)H5free_memory(text);
    return fits;
}

mt_status mt_h5_read_text(mt_h5 *h5, const char *object, const char *attribute, char *out, size_t size)
{
    SCOPED_ID id = H5I_INVALID_HID;
    MT_TRY(open_attribute(h5, object, attribute, &id));
    SCOPED_ID type = H5Aget_type(id);
    if (type >= 0 && take_text(id, type, out, size)) return MT_OK;
    MT_TRY(check_memory(h5, object));
    return mt_fail(MT_INPUT, "%s: %s: attribute %s is not a text of fewer than %zu characters", h5->path,
        object, attribute, size);
}

/* Reads n numbers of at most 8 bytes; *good is false if the attribute does not contain them. */
static mt_status take_numbers(const mt_h5 *h5, const char *object, const char *attribute, size_t n,
    H5T_class_t kind, hid_t mem_type, void *values, bool *good)
{
    SCOPED_ID id = H5I_INVALID_HID;
    MT_TRY(open_attribute(h5, object, attribute, &id));
    const bool long_enough = count_items(id) == (hssize_t)n;
    SCOPED_ID type = H5Aget_type(id);
    *good = long_enough && type >= 0 && H5Tget_class(type) == kind && H5Tget_size(type) <= 8 &&
            H5Aread(id, mem_type, values) >= 0;
    return *good ? MT_OK : check_memory(h5, object);
}

mt_status mt_h5_read_integers(mt_h5 *h5, const char *object, const char *attribute, size_t n, int64_t *values)
{
    bool good;
    MT_TRY(take_numbers(h5, object, attribute, n, H5T_INTEGER, H5T_NATIVE_INT64, values, &good));
    if (good) return MT_OK;
    return mt_fail(
        MT_INPUT, "%s: %s: attribute %s does not have %zu integers", h5->path, object, attribute, n);
}

mt_status mt_h5_read_number(mt_h5 *h5, const char *object, const char *attribute, double *number)
{
    bool good;
    MT_TRY(take_numbers(h5, object, attribute, 1, H5T_FLOAT, H5T_NATIVE_DOUBLE, number, &good));
    if (good) return MT_OK;
    return mt_fail(MT_INPUT, "%s: %s: attribute %s is not one number", h5->path, object, attribute);
}
