/* One small mesh for the tests of VTK's files, as the file has it and as it must be read. Numbers are exact
 * as float: equality is to the bit. Cells: a vertex, a tetrahedron, a triangle, a line, a tetrahedron of
 * negative volume, a triangle; point 6 belongs to none. */
#ifndef TESTS_MESH_VTK_SAMPLE_H
#define TESTS_MESH_VTK_SAMPLE_H

#include <string.h>

#include "mesh/vtk.h"

enum { N_POINTS = 7, N_CELLS = 6, N_CORNERS = 17 };

static const double sample_xyz[3 * N_POINTS] = {
    1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1.5, 0, 0, -0.25, -8, 0, 0, 5, 5, 5};
static const double sample_type[N_CELLS] = {1, 10, 5, 3, 10, 5};
static const double sample_end[N_CELLS] = {1, 5, 8, 10, 14, 17};
static const double sample_corner[N_CORNERS] = {5, 1, 0, 2, 3, 1, 3, 0, 0, 5, 1, 0, 2, 4, 4, 0, 2};
static const double sample_tag[N_CELLS] = {9, 3, 4, 9, -70000, 2};
static const double sample_fibre[3 * N_CELLS] = {0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};
static const double sample_sheet[3 * N_CELLS] = {0, 0, 0, 0, 4, 4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
static const double sample_depth[N_CELLS] = {7, 0.25, 7, 7, 0.75, 7};
static const double sample_layer[N_CELLS] = {0, 1, 0, 0, 3, 0};

/* An array of the sample's data. */
typedef struct sample_array {
    const char *name, *type; /* in XML */
    size_t components;
    const double *values;
} sample_array;

/* `Tags` is passed over for `elemTag`, which comes first in our list; `other` is nobody's. */
static const sample_array sample_data[] = {{"Tags", "Float32", 1, sample_depth},
    {"elemTag", "Int32", 1, sample_tag}, {"other", "Float32", 1, sample_depth},
    {"Fiber", "Float32", 3, sample_fibre}, {"sheet", "Float64", 3, sample_sheet},
    {"depth", "Float64", 1, sample_depth}, {"layer", "UInt8", 1, sample_layer}};
enum { N_DATA = sizeof sample_data / sizeof *sample_data };

static inline void assert_sample(const mt_mesh *mesh, const char *of)
{
    static const uint32_t cells[8] = {1, 0, 2, 3, 1, 0, 2, 4}, faces[6] = {1, 3, 0, 4, 0, 2};
    static const double fibre[6] = {0, 0, 1, 1, 0, 0}, sheet[6] = {0, 1, 0, 0, 1, 0};
    cr_assert(mesh->n_vertices == N_POINTS && mesh->n_cells == 2 && mesh->n_faces == 2, "%s", of);
    cr_assert_arr_eq(mesh->xyz_mm, sample_xyz, sizeof sample_xyz, "%s", of);
    cr_assert_arr_eq(mesh->cell_vertex, cells, sizeof cells, "%s", of);
    cr_assert_arr_eq(mesh->face_vertex, faces, sizeof faces, "%s", of);
    cr_assert(mesh->region[0] == 3 && mesh->region[1] == -70000, "%s", of);
    cr_assert(mesh->face_tag[0] == 4 && mesh->face_tag[1] == 2, "%s", of);
    cr_assert(mesh->fibre && mesh->sheet && mesh->depth && mesh->layer, "%s", of);
    cr_assert_arr_eq(mesh->fibre, fibre, sizeof fibre, "%s", of);
    for (int k = 0; k < 6; k++) cr_assert_float_eq(mesh->sheet[k], sheet[k], 4e-16, "%s", of);
    cr_assert(mesh->depth[0] == 0.25 && mesh->depth[1] == 0.75, "%s", of);
    cr_assert(mesh->layer[0] == 1 && mesh->layer[1] == 3, "%s", of);
}

/* What a reader may give whatever it reads: indices are vertices, numbers are finite. */
static inline void assert_sound(const mt_mesh *mesh)
{
    for (size_t k = 0; k < 4 * mesh->n_cells; k++) cr_assert_lt(mesh->cell_vertex[k], mesh->n_vertices);
    for (size_t k = 0; k < 3 * mesh->n_faces; k++) cr_assert_lt(mesh->face_vertex[k], mesh->n_vertices);
    for (size_t k = 0; k < 3 * mesh->n_vertices; k++) cr_assert_leq(fabs(mesh->xyz_mm[k]), 1e9);
    for (size_t c = 0; c < mesh->n_cells; c++) {
        const double *f = mesh->fibre ? mesh->fibre + 3 * c : NULL,
                     *s = mesh->sheet ? mesh->sheet + 3 * c : NULL;
        if (f) cr_assert_float_eq(sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]), 1, 1e-6);
        if (s) cr_assert_float_eq(sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]), 1, 1e-6);
        if (s) cr_assert_float_eq(f[0] * s[0] + f[1] * s[1] + f[2] * s[2], 0, 1e-6);
        if (mesh->depth) cr_assert(isfinite(mesh->depth[c]));
    }
}

/* ---- files in memory */

typedef struct buffer {
    unsigned char bytes[16384];
    size_t n;
} buffer;

static inline void add(buffer *b, const void *bytes, size_t n)
{
    cr_assert_leq(b->n + n, sizeof b->bytes);
    if (n > 0) memcpy(b->bytes + b->n, bytes, n);
    b->n += n;
}

static inline void text(buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void text(buffer *b, const char *format, ...)
{
    char words[4096];
    va_list arguments;
    va_start(arguments, format);
    add(b, words, (size_t)vsnprintf(words, sizeof words, format, arguments));
    va_end(arguments);
}

/* The lowest bytes of a word, in this order. */
static inline void word(buffer *b, uint64_t value, size_t bytes, bool big_endian)
{
    for (size_t k = 0; k < bytes; k++) {
        const unsigned char byte = (unsigned char)(value >> (8 * (big_endian ? bytes - 1 - k : k)));
        add(b, &byte, 1);
    }
}

/* Numbers as raw bytes: whole ones of 1, 4 or 8 bytes, or float and double. */
static inline void raw(buffer *b, bool real, size_t bytes, bool big_endian, size_t n, const double *values)
{
    for (size_t k = 0; k < n; k++) {
        const float single = (float)values[k];
        uint32_t low;
        uint64_t bits;
        memcpy(&low, &single, sizeof low);
        memcpy(&bits, &values[k], sizeof bits);
        word(b, !real ? (uint64_t)(int64_t)values[k] : bytes == 4 ? low : bits, bytes, big_endian);
    }
}

static inline void numbers(buffer *b, size_t n, const double *values)
{
    for (size_t k = 0; k < n; k++) text(b, "%.17g%c", values[k], k % 3 == 2 ? '\n' : ' ');
}

/* The buffer with the first `from` in it become `to`. */
static inline void replace(buffer *b, const char *from, const char *to)
{
    const buffer old = *b;
    const unsigned char *at = memmem(old.bytes, old.n, from, strlen(from));
    cr_assert_not_null(at, "no '%s'", from);
    b->n = (size_t)(at - old.bytes);
    add(b, to, strlen(to));
    add(b, at + strlen(from), old.n - (size_t)(at - old.bytes) - strlen(from));
}

#endif
