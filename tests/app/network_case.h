/* A slab of tissue with a small conduction network, and the files of its runs. A test adds the time and any other keys to the case. */
#pragma once

#include "tests/app/program.h"

#include "data/files/h5.h"

#include <stdint.h>

/* 2400 elements, of a model that devices compile quickly. */
#define NETWORK_TISSUE                                                                                       \
    "tissue:\n"                                                                                              \
    "  intracellular_l_mS_mm: 0.17\n"                                                                        \
    "  intracellular_t_mS_mm: 0.019\n"                                                                       \
    "  extracellular_l_mS_mm: 0.62\n"                                                                        \
    "  extracellular_t_mS_mm: 0.24\n"                                                                        \
    "  chi_per_mm: 140\n"                                                                                    \
    "  cm_uF_mm2: 0.01\n"
#define NETWORK_MESH "mesh: {slab: {size_mm: [5, 5, 2], edge_mm: 0.5}}\n"
#define NETWORK_SLAB NETWORK_MESH NETWORK_TISSUE "cell: {model: mitchell-schaeffer, type: standard}\n"

/* Keys of `network` that determine delays: a test does not depend on their defaults. */
#define NETWORK_CABLES                                                                                       \
    "  radius_mm: 0.05\n"                                                                                    \
    "  conductivity_mS_mm: 0.44\n"                                                                           \
    "  fibres: 300\n"                                                                                        \
    "  junction: {resistance_kOhm: 3, radius_mm: 1}\n"

enum { SLAB_ELEMENTS = 2400, SLAB_VERTICES = 11 * 11 * 5 };

/* A trunk from node 0 above the slab to node 1, a loop of the nodes 1, 2 and 3, and from it a branch to each of three free ends in the
 * slab: nodes 4 and 5, which share tissue, on the left, and node 6 on the right. */
static const char small_network[] = "x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm,kind\n"
                                    "2.5,2.5,7,2.5,2.5,4,1\n"
                                    "2.5,2.5,4,1.5,2,3,2\n"
                                    "2.5,2.5,4,3.5,3,3,3\n"
                                    "1.5,2,3,3.5,3,3,7\n"
                                    "1.5,2,3,1,1,1,4\n"
                                    "1.5,2,3,1.8,1.2,1,4\n"
                                    "3.5,3,3,4,4,1,5\n";

/* ---- junctions.csv ---- */

typedef struct junction_row {
    int junction, beat;
    double x_mm[3], cable_ms, tissue_ms, delay_ms; /* NaN: empty */
    char passage[32];
} junction_row;

enum { ROWS_MOST = 64 };

/* Returns the number of a field and moves to the next one. */
static inline double next_number(char **at)
{
    char *field = *at, *end = strchr(field, ',');
    cr_assert_not_null(end, "no number in '%s'", field);
    *at = end + 1;
    return end == field ? NAN : strtod(field, NULL);
}

/* Reads the rows of a folder's junctions.csv. Returns their number. */
static inline size_t read_junctions(const char *folder, junction_row row[ROWS_MOST])
{
    static const char header[] = "junction,x_mm,y_mm,z_mm,beat,cable_ms,tissue_ms,delay_ms,passage\n";
    char path[300];
    size_t n_bytes, n = 0;
    (void)snprintf(path, sizeof path, "%s/junctions.csv", folder);
    char *text = bytes_of(path, &n_bytes);
    cr_assert(strncmp(text, header, strlen(header)) == 0, "%s", text);
    for (char *at = text + strlen(header); *at; n++) {
        cr_assert_lt(n, ROWS_MOST);
        row[n].junction = (int)next_number(&at);
        for (int x = 0; x < 3; x++) row[n].x_mm[x] = next_number(&at);
        row[n].beat = (int)next_number(&at);
        row[n].cable_ms = next_number(&at);
        row[n].tissue_ms = next_number(&at);
        row[n].delay_ms = next_number(&at);
        char *end = strchr(at, '\n');
        cr_assert_not_null(end);
        (void)snprintf(row[n].passage, sizeof row[n].passage, "%.*s", (int)(end - at), at);
        at = end + 1;
    }
    free(text);
    return n;
}

/* ---- network.vtp ---- */

/* Decodes base64 without padding inside. Returns the number of bytes. */
static inline size_t decode(const char *text, size_t length, unsigned char *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t held = 0;
    size_t n = 0;
    int n_bits = 0;
    for (size_t k = 0; k < length && text[k] != '='; k++) {
        const char *digit = strchr(digits, text[k]);
        if (!digit) continue;
        held = held << 6 | (uint32_t)(digit - digits);
        n_bits += 6;
        if (n_bits < 8) continue;
        n_bits -= 8;
        bytes[n++] = (unsigned char)(held >> n_bits);
        held &= (1U << n_bits) - 1;
    }
    return n;
}

/* Reads an array of doubles from a folder's network.vtp; NULL if there is none of this name. The caller frees it. */
static inline double *read_network_array(const char *folder, const char *name, size_t *n)
{
    char path[300], mark[100];
    size_t n_bytes;
    (void)snprintf(path, sizeof path, "%s/network.vtp", folder);
    (void)snprintf(mark, sizeof mark, "<DataArray type=\"Float64\" Name=\"%s\"", name);
    char *text = bytes_of(path, &n_bytes), *at = strstr(text, mark);
    double *values = NULL;
    *n = 0;
    if (at) {
        char *begin = strchr(at, '>') + 1, *end = strchr(begin, '<');
        unsigned char *bytes = malloc((size_t)(end - begin));
        const size_t n_decoded = decode(begin, (size_t)(end - begin), bytes);
        uint64_t size;
        memcpy(&size, bytes, sizeof size);
        cr_assert_eq(n_decoded, size + sizeof size, "%s: %s", path, name);
        values = malloc(size);
        memcpy(values, bytes + sizeof size, size);
        *n = size / sizeof *values;
        free(bytes);
    }
    free(text);
    return values;
}

/* Returns the value of a field at the point of the network nearest to a place. */
static inline double network_value(const char *folder, const char *name, double x, double y, double z)
{
    size_t n, n_xyz, nearest = 0;
    double *field = read_network_array(folder, name, &n),
           *xyz_mm = read_network_array(folder, "Points", &n_xyz), least = INFINITY;
    cr_assert(field && n > 0 && n_xyz == 3 * n, "%s: %s", folder, name);
    for (size_t k = 0; k < n; k++) {
        const double *p = xyz_mm + 3 * k,
                     square = (p[0] - x) * (p[0] - x) + (p[1] - y) * (p[1] - y) + (p[2] - z) * (p[2] - z);
        if (square >= least) continue;
        least = square;
        nearest = k;
    }
    const double value = field[nearest];
    free(field), free(xyz_mm);
    return value;
}

/* ---- result.hdf ---- */

/* Reads a field of the elements or vertices of a folder's result.hdf. `values` [n]. */
static inline void read_result(const char *folder, const char *field, size_t n, float *values)
{
    MT_H5_SCOPE(h5);
    char path[300], name[100];
    (void)snprintf(path, sizeof path, "%s/result.hdf", folder);
    (void)snprintf(name, sizeof name, "VTKHDF/%sData/%s", n == SLAB_VERTICES ? "Point" : "Cell", field);
    cr_assert_eq(mt_h5_open(path, h5), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_h5_read(h5, name, MT_H5_FLOAT, 1, &n, values), MT_OK, "%s", mt_message());
}
