/* Small valid files of every readable format, for tests of all formats: damage, and the initial inputs of the fuzzers. A row of `examples`
 * adds a format.
 *
 * Most contain the same mesh: two elements with a common face, the second one inverted. */
#pragma once

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mesh/files/carp.h"
#include "mesh/make/slab.h"
#include "mesh/names.h"
#include "mesh/vtk/vtk.h"
#include "mesh/vtk/vtkhdf.h"
#include "tests/mesh/multiples.h"
#include "tests/mesh/vtk_files.h"
#include "tests/mesh/xdmf_files.h"

enum { EXAMPLE_FILES = 7 };

typedef struct example {
    const char *what;
    const char
        *ending[EXAMPLE_FILES + 1]; /* endings of its files, first the file to read; terminated by NULL */
    bool (*make)(const char *stem); /* writes the files, named `stem` and an ending; false on failure */
    size_t multiple;                /* limit of memory, see multiples.h */
} example;

/* ---- files, byte by byte */

static inline void ints(buffer *b, size_t n, const int32_t *values)
{
    for (size_t k = 0; k < n; k++) word(b, (uint32_t)values[k], 4, false);
}

static inline void longs(buffer *b, size_t n, const uint64_t *values)
{
    for (size_t k = 0; k < n; k++) word(b, values[k], 8, false);
}

static inline void doubles(buffer *b, size_t n, const double *values)
{
    for (size_t k = 0; k < n; k++) {
        uint64_t bits;
        memcpy(&bits, values + k, 8);
        word(b, bits, 8, false);
    }
}

#define INTS(b, ...) ints(b, sizeof(int32_t[]){__VA_ARGS__} / 4, (int32_t[]){__VA_ARGS__})
#define LONGS(b, ...) longs(b, sizeof(uint64_t[]){__VA_ARGS__} / 8, (uint64_t[]){__VA_ARGS__})
#define DOUBLES(b, ...) doubles(b, sizeof(double[]){__VA_ARGS__} / 8, (double[]){__VA_ARGS__})

static inline bool put_file(const char *stem, const char *ending, const void *bytes, size_t n)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s%s", stem, ending);
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    const bool whole = fwrite(bytes, 1, n, file) == n;
    return fclose(file) == 0 && whole;
}

static inline bool put_buffer(const char *stem, const char *ending, buffer b)
{
    return put_file(stem, ending, b.bytes, b.n);
}

static inline bool put_texts(const char *stem, const char *const *endings, size_t n, const char *const *texts)
{
    bool all = true;
    for (size_t k = 0; k < n; k++)
        all = (!texts[k] || put_file(stem, endings[k], texts[k], strlen(texts[k]))) && all;
    return all;
}

/* ---- CARP */

static const char *const carp_endings[] = {".pts", ".elem", ".lon"};

/* The second element has no region. */
static const char *const carp_good[3] = {"5\n1000 0 0\n0 0 0\n0 1e3 0\r\n0 0 1000\n0 0 -1000.0\n",
    "2\nTt 1 0 2 3 -7\nTt  1 0 2\t4\n", "1\n0 0 20\n0.6 0.8 0\n"};

static inline bool make_carp(const char *stem) { return put_texts(stem, carp_endings, 3, carp_good); }

static inline bool make_carp_surfaces(const char *stem)
{
    return make_carp(stem) && put_texts(stem, (const char *const[]){".epi.surf", ".7.surf"}, 2,
                                  (const char *const[]){"2\nTr 1 0 3\nTr 0 2 3 9\n", "1\nTr 1 2 4\n"});
}

/* Six triangles on the boundary: a file has one, one list has one of its own and another list two. */
static const char *const carp_list_endings[] = {".epi.surf", ".base.vtx", ".8.vtx"};
static const char *const carp_lists[] = {"1\nTr 1 0 3\n", "4\nintra\n4\n0\n1\n4\n", "4\nextra\n3 1\n4\n2\n"};

static inline bool make_carp_lists(const char *stem)
{
    return make_carp(stem) && put_texts(stem, carp_list_endings, 3, carp_lists);
}

static inline bool make_carp_sheets(const char *stem)
{
    return put_texts(stem, carp_endings, 3,
        (const char *const[]){carp_good[0], carp_good[1], "2\n0 3 0 1 0 0\n0 1 0 0 0 1\n"});
}

/* A slab of 12 elements, some of them flat: two vertices coincide, and one is the midpoint of two others. */
static inline bool make_carp_flat(const char *stem)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_status status = mt_slab_make(&arena, (double[]){2, 1, 1}, 1, &mesh);
    if (status == MT_OK) {
        memcpy(mesh.xyz_mm, mesh.xyz_mm + 3, 3 * sizeof *mesh.xyz_mm);
        for (size_t k = 0; k < 3; k++) mesh.xyz_mm[30 + k] = (mesh.xyz_mm[27 + k] + mesh.xyz_mm[15 + k]) / 2;
        status = mt_carp_write(stem, &mesh);
    }
    mt_arena_free(&arena);
    return status == MT_OK;
}

/* ---- TetGen */

static const char *const tetgen_endings[] = {".node", ".ele", ".face", ".ortho", ".axi"};

/* Numbered from 1 by TetGen, and from 0 by Chaste. */
static const char *const tetgen_one[] = {
    "# by hand\n5 3 1 1\n\n  1  1 0 0  0.5 0 # first\n 2 0 0 0 7 1\r\n3 0 1e0 0 7 1#\n4 0 0 1 7 1\n"
    "5 0 0 -1.0 7 1\n# end\n",
    "2  4  2\n    1  2 1 3 4  -7 0.5\n    2  2 1 3\t5  1.5 0\n#",
    "3  1\n  1  2 1 3  0\n  2  1 4 2  11  1 -1\n  3  1 5 2  -1\n", NULL, "2\n0 0 20 # fibre\n0.6 0.8 0\n"};
static const char *const tetgen_zero[] = {"5\t3\n0\t1\t0\t0\n1\t0\t0\t0\n2 0 1 0\n3 0 0 1\n4 0 0 -1\n",
    "2\t4\t1\n0\t1\t0\t2\t3\t-7\n1\t1\t0\t2\t4\t1", "3 1\n0 1 0 2 0\n1 0 3 1 11\n2 0 4 1 -1\n",
    "# fibre, sheet, normal\n2\n0 0 2 3 0 0 0 1 0\n.6 .8 0 0 0 1 .8 -.6 0\n", NULL};

static inline bool make_tetgen_one(const char *stem)
{
    return put_texts(stem, tetgen_endings, 5, tetgen_one);
}
static inline bool make_tetgen_zero(const char *stem)
{
    return put_texts(stem, tetgen_endings, 5, tetgen_zero);
}

/* The files in Chaste's binary format, in the order of their endings; the last one is not written. */
static inline buffer tetgen_binary(int file)
{
    buffer b = {.n = 0};
    if (file == 0) text(&b, "5\t3\t0\t0\tBIN\n"), DOUBLES(&b, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1);
    if (file == 1) text(&b, "2\t4\t1\tBIN\n"), INTS(&b, 1, 0, 2, 3), DOUBLES(&b, -7), INTS(&b, 1, 0, 2, 4);
    if (file == 1) DOUBLES(&b, 1.5);
    if (file == 2) text(&b, "# tags\n3\t1\tBIN\n"), INTS(&b, 1, 0, 2), DOUBLES(&b, 0), INTS(&b, 0, 3, 1);
    if (file == 2) DOUBLES(&b, 11), INTS(&b, 0, 4, 1), DOUBLES(&b, -1);
    if (file == 3)
        text(&b, "2 BIN\n"), DOUBLES(&b, 0, 0, 2, 3, 0, 0, 0, 1, 0, .6, .8, 0, 0, 0, 1, .8, -.6, 0);
    text(&b, "#\n# Created by hand\n");
    return b;
}

static inline bool make_tetgen_binary(const char *stem)
{
    bool all = true;
    for (int k = 0; k < 4; k++) {
        const buffer b = tetgen_binary(k);
        all = put_file(stem, tetgen_endings[k], b.bytes, b.n) && all;
    }
    return all;
}

/* ---- Gmsh */

/* The second element has no physical tag; there are a tagged triangle and one without a tag; a point and a line; unordered node tags with
 * gaps, and node 99 is unused. */
static const char msh2[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                           "$PhysicalNames\n1\n2 4 \"rv $Nodes\"\n$EndPhysicalNames\n"
                           "$Nodes\n6\n"
                           "20 1 0 0\n10 0 0 0\n99 5 5 5\n30 0 1 0\n5 0 0 1\n7 0 0 -1\n"
                           "$EndNodes\n"
                           "$Elements\n6\n"
                           "1 15 2 0 1 10\n2 1 2 0 1 10 20\n3 2 2 4 11 10 5 20\n4 2 2 0 12 10 7 20\n"
                           "5 4 3 3 21 0 10 20 30 5\n6 4 2 0 22 10 20 30 7\n"
                           "$EndElements\n"
                           "$NodeData\n1\n\"v\"\n1\n0\n3\n0 1 2\n20 7\n10 8\n$EndNodeData\n";

/* Two tetrahedra of tissue, tag 5; the second is also in the groups scar, tag 7, and 9, without a name. A third one has no physical
 * group. */
#define MSH_GROUP_NAMES                                                                                      \
    "$PhysicalNames\n4\n2 1 \"ENDO\"\n3 5 \"tissue\"\n3 7 \"scar \"core\"\"\n1 7 \"a line\"\n"               \
    "$EndPhysicalNames\n"

static const char msh2_groups[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" MSH_GROUP_NAMES
    "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 -1\n6 0 -1 0\n$EndNodes\n"
    "$Elements\n6\n1 2 2 1 11 1 2 4\n2 4 2 5 21 1 2 3 4\n3 4 2 5 22 1 3 2 5\n4 4 2 7 22 1 3 2 5\n"
    "5 4 0 1 4 2 6\n6 4 2 9 22 5 1 3 2\n$EndElements\n";

static const char msh4_groups[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n" MSH_GROUP_NAMES "$Entities\n0 0 1 3\n11 0 0 0 1 0 1 1 -1 0\n"
    "21 0 0 0 1 1 1 1 5 0\n22 0 0 -1 1 1 0 3 5 7 9 0\n23 0 -1 0 1 0 1 0 0\n$EndEntities\n"
    "$Nodes\n1 6 1 6\n3 21 0 6\n1\n2\n3\n4\n5\n6\n"
    "0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 0 -1\n0 -1 0\n$EndNodes\n"
    "$Elements\n4 4 1 4\n2 11 2 1\n1 1 2 4\n3 21 4 1\n2 1 2 3 4\n3 22 4 1\n3 1 3 2 5\n3 23 4 1\n4 1 4 2 6\n"
    "$EndElements\n";

static const char msh4[] = "$MeshFormat\r\n4.1 0 8\r\n$EndMeshFormat\n"
                           "$Entities\n1 1 2 2\n"
                           "1 0 0 0 0 \n"
                           "1 0 0 0 1 0 0 0 2 1 -1\n"
                           "11 0 0 0 1 0 1 1 -4 0\n"
                           "12 0 0 -1 1 0 0 0 0\n"
                           "22 0 0 -1 1 1 0 0 1 12\n"
                           "21 0 0 0 1 1 1 2 3 8 1 11\n"
                           "$EndEntities\n"
                           "$Nodes\n2 6 5 99\n"
                           "2 11 1 3\n20\n10\n99\n1 0 0 0.5 0.5\n0 0 0 0 0\n5 5 5 1 1\n"
                           "3 21 0 3\n30\n5\n7\n0 1 0\n0 0 1\n0 0 -1\n"
                           "$EndNodes\n"
                           "$Elements\n6 6 1 6\n"
                           "0 1 15 1\n1 10\n1 1 1 1\n2 10 20\n2 11 2 1\n3 10 5 20\n2 12 2 1\n4 10 7 20\n"
                           "3 21 4 1\n5 10 20 30 5\n3 22 4 1\n6 10 20 30 7\n"
                           "$EndElements\n";

/* The same mesh with partitioned surface 11 and volumes; the partition boundary between them has the tag of volume 21. */
static const char msh4_parts[] = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
                                 "$Entities\n0 0 2 2\n"
                                 "11 0 0 0 1 0 1 1 -4 0\n"
                                 "12 0 0 -1 1 0 0 0 0\n"
                                 "21 0 0 0 1 1 1 2 3 8 1 11\n"
                                 "22 0 0 -1 1 1 0 0 1 12\n"
                                 "$EndEntities\n"
                                 "$PartitionedEntities\n2\n1\n50 2\n1 0 3 2\n"
                                 "1 0 7 2 1 2 0 0 0 0\n"
                                 "35 2 11 1 1 0 0 0 1 0 1 0 2 1 -1\n"
                                 "33 3 21 2 1 2 0 0 0 1 1 0 1 3 0\n"
                                 "34 2 12 1 2 0 0 -1 1 0 0 0 0\n"
                                 "42 3 22 1 2 0 0 -1 1 1 0 0 1 34\n"
                                 "41 3 21 1 1 0 0 0 1 1 1 1 3 2 35 33\n"
                                 "$EndPartitionedEntities\n"
                                 "$Nodes\n1 6 5 99\n"
                                 "3 41 0 6\n20\n10\n99\n30\n5\n7\n"
                                 "1 0 0\n0 0 0\n5 5 5\n0 1 0\n0 0 1\n0 0 -1\n"
                                 "$EndNodes\n"
                                 "$Elements\n5 5 1 5\n"
                                 "2 35 2 1\n1 10 5 20\n2 33 2 1\n2 10 20 30\n2 34 2 1\n3 10 7 20\n"
                                 "3 41 4 1\n4 10 20 30 5\n3 42 4 1\n5 10 20 30 7\n"
                                 "$EndElements\n"
                                 "$GhostElements\n1\n4 1 1 2\n$EndGhostElements\n";

static inline buffer binary2(void)
{
    static const int32_t tags[6] = {20, 10, 99, 30, 5, 7};
    static const double xyz[6][3] = {{1, 0, 0}, {0, 0, 0}, {5, 5, 5}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}};
    buffer b = {.n = 0};
    text(&b, "$MeshFormat\n2.2 1 8\n"), INTS(&b, 1), text(&b, "\n$EndMeshFormat\n");
    text(&b, "$PhysicalNames\n1\n2 4 \"rv\"\n$EndPhysicalNames\n$Nodes\n6\n");
    for (int k = 0; k < 6; k++) INTS(&b, tags[k]), doubles(&b, 3, xyz[k]);
    text(&b, "\n$EndNodes\n$Elements\n6\n");
    INTS(&b, 15, 1, 2, 1, 0, 1, 10, 1, 1, 2, 2, 0, 1, 10, 20); /* headers of 3: type, count, tags */
    INTS(&b, 2, 2, 2, 3, 4, 11, 10, 5, 20, 4, 0, 12, 10, 7, 20);
    INTS(&b, 4, 1, 3, 5, 3, 21, 0, 10, 20, 30, 5, 4, 1, 2, 6, 0, 22, 10, 20, 30, 7);
    text(&b, "\n$EndElements\n");
    return b;
}

static inline buffer binary4(void)
{
    buffer b = {.n = 0};
    text(&b, "$MeshFormat\n4.1 1 8\n"), INTS(&b, 1), text(&b, "\n$EndMeshFormat\n$Entities\n");
    LONGS(&b, 1, 1, 2, 2);
    INTS(&b, 1), DOUBLES(&b, 0, 0, 0), LONGS(&b, 0);
    INTS(&b, 1), DOUBLES(&b, 0, 0, 0, 1, 0, 0), LONGS(&b, 0, 2), INTS(&b, 1, -1);
    INTS(&b, 11), DOUBLES(&b, 0, 0, 0, 1, 0, 1), LONGS(&b, 1), INTS(&b, -4), LONGS(&b, 0);
    INTS(&b, 12), DOUBLES(&b, 0, 0, -1, 1, 0, 0), LONGS(&b, 0, 0);
    INTS(&b, 22), DOUBLES(&b, 0, 0, -1, 1, 1, 0), LONGS(&b, 0, 1), INTS(&b, 12);
    INTS(&b, 21), DOUBLES(&b, 0, 0, 0, 1, 1, 1), LONGS(&b, 2), INTS(&b, 3, 8), LONGS(&b, 1), INTS(&b, 11);
    text(&b, "\n$EndEntities\n$Nodes\n"), LONGS(&b, 2, 6, 5, 99);
    INTS(&b, 2, 11, 1), LONGS(&b, 3, 20, 10, 99), DOUBLES(&b, 1, 0, 0, .5, .5, 0, 0, 0, 0, 0, 5, 5, 5, 1, 1);
    INTS(&b, 3, 21, 0), LONGS(&b, 3, 30, 5, 7), DOUBLES(&b, 0, 1, 0, 0, 0, 1, 0, 0, -1);
    text(&b, "\n$EndNodes\n$Elements\n"), LONGS(&b, 6, 6, 1, 6);
    INTS(&b, 0, 1, 15), LONGS(&b, 1, 1, 10), INTS(&b, 1, 1, 1), LONGS(&b, 1, 2, 10, 20);
    INTS(&b, 2, 11, 2), LONGS(&b, 1, 3, 10, 5, 20), INTS(&b, 2, 12, 2), LONGS(&b, 1, 4, 10, 7, 20);
    INTS(&b, 3, 21, 4), LONGS(&b, 1, 5, 10, 20, 30, 5), INTS(&b, 3, 22, 4), LONGS(&b, 1, 6, 10, 20, 30, 7);
    text(&b, "\n$EndElements\n");
    return b;
}

static inline buffer binary4_parts(void)
{
    buffer b = {.n = 0};
    text(&b, "$MeshFormat\n4.1 1 8\n"), INTS(&b, 1), text(&b, "\n$EndMeshFormat\n$Entities\n");
    LONGS(&b, 0, 0, 2, 2);
    INTS(&b, 11), DOUBLES(&b, 0, 0, 0, 1, 0, 1), LONGS(&b, 1), INTS(&b, -4), LONGS(&b, 0);
    INTS(&b, 12), DOUBLES(&b, 0, 0, -1, 1, 0, 0), LONGS(&b, 0, 0);
    INTS(&b, 21), DOUBLES(&b, 0, 0, 0, 1, 1, 1), LONGS(&b, 2), INTS(&b, 3, 8), LONGS(&b, 1), INTS(&b, 11);
    INTS(&b, 22), DOUBLES(&b, 0, 0, -1, 1, 1, 0), LONGS(&b, 0, 1), INTS(&b, 12);
    text(&b, "\n$EndEntities\n$PartitionedEntities\n");
    LONGS(&b, 2, 1), INTS(&b, 50, 2), LONGS(&b, 1, 0, 3, 2);
    INTS(&b, 1, 0, 7), LONGS(&b, 2), INTS(&b, 1, 2), DOUBLES(&b, 0, 0, 0), LONGS(&b, 0);
    INTS(&b, 35, 2, 11), LONGS(&b, 1), INTS(&b, 1), DOUBLES(&b, 0, 0, 0, 1, 0, 1), LONGS(&b, 0, 2);
    INTS(&b, 1, -1, 33, 3, 21), LONGS(&b, 2), INTS(&b, 1, 2), DOUBLES(&b, 0, 0, 0, 1, 1, 0), LONGS(&b, 1);
    INTS(&b, 3), LONGS(&b, 0), INTS(&b, 34, 2, 12), LONGS(&b, 1), INTS(&b, 2);
    DOUBLES(&b, 0, 0, -1, 1, 0, 0), LONGS(&b, 0, 0);
    INTS(&b, 42, 3, 22), LONGS(&b, 1), INTS(&b, 2), DOUBLES(&b, 0, 0, -1, 1, 1, 0), LONGS(&b, 0, 1);
    INTS(&b, 34, 41, 3, 21), LONGS(&b, 1), INTS(&b, 1), DOUBLES(&b, 0, 0, 0, 1, 1, 1), LONGS(&b, 1);
    INTS(&b, 3), LONGS(&b, 2), INTS(&b, 35, 33);
    text(&b, "\n$EndPartitionedEntities\n$Nodes\n"), LONGS(&b, 1, 6, 5, 99);
    INTS(&b, 3, 41, 0), LONGS(&b, 6, 20, 10, 99, 30, 5, 7);
    DOUBLES(&b, 1, 0, 0, 0, 0, 0, 5, 5, 5, 0, 1, 0, 0, 0, 1, 0, 0, -1);
    text(&b, "\n$EndNodes\n$Elements\n"), LONGS(&b, 5, 5, 1, 5);
    INTS(&b, 2, 35, 2), LONGS(&b, 1, 1, 10, 5, 20), INTS(&b, 2, 33, 2), LONGS(&b, 1, 2, 10, 20, 30);
    INTS(&b, 2, 34, 2), LONGS(&b, 1, 3, 10, 7, 20);
    INTS(&b, 3, 41, 4), LONGS(&b, 1, 4, 10, 20, 30, 5), INTS(&b, 3, 42, 4), LONGS(&b, 1, 5, 10, 20, 30, 7);
    text(&b, "\n$EndElements\n");
    return b;
}

static inline bool make_msh2(const char *stem) { return put_file(stem, ".msh", msh2, strlen(msh2)); }
static inline bool make_msh4(const char *stem) { return put_file(stem, ".msh", msh4, strlen(msh4)); }
static inline bool make_msh2_binary(const char *stem) { return put_buffer(stem, ".msh", binary2()); }
static inline bool make_msh4_binary(const char *stem) { return put_buffer(stem, ".msh", binary4()); }
static inline bool make_msh4_parts(const char *stem)
{
    return put_file(stem, ".msh", msh4_parts, strlen(msh4_parts));
}

static inline bool make_msh2_groups(const char *stem)
{
    return put_file(stem, ".msh", msh2_groups, strlen(msh2_groups));
}

static inline bool make_msh4_groups(const char *stem)
{
    return put_file(stem, ".msh", msh4_groups, strlen(msh4_groups));
}

static inline bool make_msh4_parts_binary(const char *stem)
{
    return put_buffer(stem, ".msh", binary4_parts());
}

/* ---- a mesh to write */

/* A slab of six elements with all optional data of a mesh. */
static inline mt_status slab_with_all(mt_arena *arena, mt_mesh *mesh)
{
    MT_TRY(mt_slab_make(arena, (double[]){1, 1, 1}, 1, mesh));
    MT_ALLOC(arena, mesh->sheet, 3 * mesh->n_elements);
    MT_ALLOC(arena, mesh->depth, mesh->n_elements);
    MT_ALLOC(arena, mesh->layer, mesh->n_elements);
    for (size_t c = 0; c < mesh->n_elements; c++)
        mesh->sheet[3 * c + 1] = 1, mesh->layer[c] = (int32_t)c % 3 + 1, mesh->depth[c] = (double)c / 6;
    MT_TRY(mt_mesh_new_faces(arena, 1, mesh));
    memcpy(mesh->face_vertex, (const uint32_t[]){0, 1, 2}, 3 * sizeof *mesh->face_vertex);
    mesh->face_tag[0] = 3;
    MT_TRY(mt_names_put(arena, mesh, MT_NAMES_FACES, 3, "lv", 2));
    MT_TRY(mt_names_put(arena, mesh, MT_NAMES_ELEMENTS, 9, "border zone", 11));
    bool full;
    return mt_groups_put(arena, mesh, 9, 2, &full);
}

/* ---- VTK */

static inline bool make_vtk(const char *stem, int kind)
{
    return put_buffer(stem, ".vtk", vtk_file(&vtk_kinds[kind]));
}
static inline bool make_vtk3(const char *stem) { return make_vtk(stem, 0); }
static inline bool make_vtk3_binary(const char *stem) { return make_vtk(stem, 1); }
static inline bool make_vtk5(const char *stem) { return make_vtk(stem, 2); }
static inline bool make_vtk5_binary(const char *stem) { return make_vtk(stem, 3); }

/* Writes a mesh as a legacy text file: its elements with regions, names and groups. */
static inline buffer vtk_names_file(const mt_mesh *mesh)
{
    buffer b = {.n = 0};
    MT_SCRATCH(scratch);
    const char *names;
    size_t n;
    const size_t cells = mesh->n_elements, faces = mesh->n_faces;
    if (mt_names_make_text(scratch, mesh, &names, &n) != MT_OK) return b;
    text(&b,
        "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\nnames 1 %zu "
        "unsigned_char\n",
        n);
    for (size_t k = 0; k < n; k++) text(&b, "%d ", names[k]);
    text(&b, "\nPOINTS %zu double\n", mesh->n_vertices);
    numbers(&b, 3 * mesh->n_vertices, mesh->xyz_mm);
    text(&b, "CELLS %zu %zu\n", cells + faces, 5 * cells + 4 * faces);
    for (size_t k = 0; k < 4 * cells; k++) text(&b, k % 4 ? "%u " : "4 %u ", mesh->element_vertex[k]);
    for (size_t k = 0; k < 3 * faces; k++) text(&b, k % 3 ? "%u " : "3 %u ", mesh->face_vertex[k]);
    text(&b, "\nCELL_TYPES %zu\n", cells + faces);
    for (size_t c = 0; c < cells + faces; c++) text(&b, "%d ", c < cells ? 10 : 5);
    text(&b, "\nCELL_DATA %zu\nSCALARS region int\nLOOKUP_TABLE default\n", cells + faces);
    for (size_t c = 0; c < cells; c++) text(&b, "%d ", mesh->region[c]);
    for (size_t f = 0; f < faces; f++) text(&b, "%d ", mesh->face_tag[f]);
    text(&b, "\nSCALARS groups unsigned_int\nLOOKUP_TABLE default\n");
    for (size_t c = 0; c < cells + faces; c++)
        text(&b, "%u ", c < cells && mesh->groups ? mesh->groups[c] : 0);
    return b;
}

static inline bool make_vtk_names(const char *stem)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    const bool good =
        slab_with_all(&arena, &mesh) == MT_OK && put_buffer(stem, ".vtk", vtk_names_file(&mesh));
    mt_arena_free(&arena);
    return good;
}

static inline bool make_vtk_surface(const char *stem, int kind)
{
    return put_buffer(stem, ".vtk", vtk_surface(&vtk_kinds[kind]));
}
static inline bool make_vtk3_surface(const char *stem) { return make_vtk_surface(stem, 0); }
static inline bool make_vtk3_binary_surface(const char *stem) { return make_vtk_surface(stem, 1); }
static inline bool make_vtk5_surface(const char *stem) { return make_vtk_surface(stem, 2); }
static inline bool make_vtk5_binary_surface(const char *stem) { return make_vtk_surface(stem, 3); }

static inline bool make_vtu(const char *stem, vtu_kind kind)
{
    return put_buffer(stem, ".vtu", vtu_file(&kind, 1));
}
static inline bool make_vtu_text(const char *stem) { return make_vtu(stem, (vtu_kind){ASCII, .word = 4}); }
static inline bool make_vtu_inline(const char *stem) { return make_vtu(stem, (vtu_kind){INLINE, .word = 4}); }
static inline bool make_vtu_raw(const char *stem)
{
    return make_vtu(stem, (vtu_kind){APPENDED_RAW, .big_endian = true, .word = 8});
}
static inline bool make_vtu_base64(const char *stem)
{
    return make_vtu(stem, (vtu_kind){APPENDED_BASE64, .word = 8, .apart = true});
}
static inline bool make_vtu_zlib(const char *stem)
{
    return make_vtu(stem, (vtu_kind){INLINE, .compressed = true, .word = 4});
}
static inline bool make_vtu_zlib_raw(const char *stem)
{
    return make_vtu(stem, (vtu_kind){APPENDED_RAW, .compressed = true, .word = 4});
}

static inline bool make_vtp(const char *stem)
{
    return put_file(stem, ".vtp", vtp_surface, strlen(vtp_surface));
}

/* ---- XDMF */

static inline bool make_xdmf(const char *stem, int kind)
{
    xdmf_file x;
    return xdmf_sample(stem, &xdmf_kinds[kind], &x) && put_buffer(stem, ".xdmf", x.xml);
}
static inline bool make_xdmf_text(const char *stem) { return make_xdmf(stem, 0); }
static inline bool make_xdmf_bytes(const char *stem) { return make_xdmf(stem, 1); }
static inline bool make_xdmf_hdf5(const char *stem) { return make_xdmf(stem, 3); }

static inline bool make_xdmf_tags(const char *stem)
{
    return put_file(stem, ".xdmf", xdmf_tags, strlen(xdmf_tags));
}
static inline bool make_xdmf_series(const char *stem)
{
    return put_file(stem, ".xdmf", xdmf_series, strlen(xdmf_series));
}

/* ---- OBJ and STL */

/* The surface of a tetrahedron. */
static const char obj_good[] =
    "# four points\nmtllib x.mtl\nv 0 0 0\nv 1 0 0 0.5 0.5 0.5\nv 0 1e0 0\r\no lid\n"
    "vn 0 0 1\nv 0 0 -2.5\ng side\nf 1 2 3\nf 1/1/1 2//1 4/7\nf -4 -2 -1\nf 2 3 4 \n";

static inline bool make_obj(const char *stem) { return put_file(stem, ".obj", obj_good, strlen(obj_good)); }

/* The same surface, correctly oriented. */
static const float stl_corner[4][9] = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 1, 0, 0, 0, -2.5f},
    {0, 0, 0, 0, 0, -2.5f, 1, 0, 0}, {1, 0, 0, 0, 0, -2.5f, 0, 1, 0}};

static const char stl_text[] =
    "solid heart of mine\nfacet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n"
    "  vertex 0 1.0e0 0\n endloop\nendfacet\nfacet normal nan nan nan\r\nouter loop\n"
    "vertex 0 0 0\nvertex 0 1 0\nvertex 0 0 -2.5\nendloop\nendfacet\nendsolid heart\n"
    "solid another\nfacet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 0 0 -2.5\nvertex 1 0 0\nendloop\n"
    "endfacet\nfacet normal 0 0 0\nouter loop\nvertex 1 0 0\nvertex 0 0 -25e-1\nvertex 0 1 0\nendloop\n"
    "endfacet\nendsolid\n";

/* The header begins like a text file, as written by some programs. */
static inline buffer stl_binary(void)
{
    buffer b = {.n = 0};
    text(&b, "%-80s", "solid binary");
    word(&b, 4, 4, false);
    for (size_t t = 0; t < 4; t++) {
        add(&b, (float[3]){0}, 12);
        add(&b, stl_corner[t], sizeof stl_corner[t]);
        word(&b, 0, 2, false);
    }
    return b;
}

static inline bool make_stl(const char *stem) { return put_file(stem, ".stl", stl_text, strlen(stl_text)); }
static inline bool make_stl_binary(const char *stem) { return put_buffer(stem, ".stl", stl_binary()); }

/* ---- VTKHDF */

static inline bool make_vtkhdf(const char *stem)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    char path[256];
    (void)snprintf(path, sizeof path, "%s.hdf", stem);
    mt_status status = slab_with_all(&arena, &mesh);
    uint32_t part[] = {0, 5, 1, 4, 2, 3};
    const mt_partition partition = {.n_parts = 6, .parts_per_group = 3, .n_elements = 6, .part = part};
    if (status == MT_OK) status = mt_vtkhdf_write_partition(path, &(mt_unknowns){.mesh = &mesh}, &partition);
    mt_arena_free(&arena);
    return status == MT_OK;
}

static inline bool make_vtu_names(const char *stem)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    char path[256];
    (void)snprintf(path, sizeof path, "%s.vtu", stem);
    mt_status status = slab_with_all(&arena, &mesh);
    if (status == MT_OK) status = mt_vtu_write(path, &mesh);
    mt_arena_free(&arena);
    return status == MT_OK;
}

static inline bool put_dataset(
    hid_t file, const char *name, hid_t type, int rank, hsize_t n, const void *values)
{
    const hsize_t shape[2] = {n, 3};
    const hid_t space = H5Screate_simple(rank, shape, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    bool good = n == 1 || (H5Pset_chunk(list, rank, shape) >= 0 && H5Pset_shuffle(list) >= 0 &&
                              H5Pset_deflate(list, 4) >= 0);
    const hid_t id = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    good = good && id >= 0 && H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (id >= 0) (void)H5Dclose(id);
    (void)H5Pclose(list), (void)H5Sclose(space);
    return good;
}

static inline bool put_attribute(hid_t group, const char *name, hid_t type, hsize_t n, const void *value)
{
    const hid_t space = n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, NULL);
    const hid_t id = H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool good = id >= 0 && H5Awrite(id, type, value) >= 0;
    if (id >= 0) (void)H5Aclose(id);
    (void)H5Sclose(space);
    return good;
}

/* As written by other programs: in HDF5's older layout without checksums, and in compressed chunks. */
static inline bool make_vtkhdf_old(const char *stem)
{
    static const float xyz[15] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1};
    static const int64_t version[2] = {1, 0}, ids[8] = {1, 0, 2, 3, 1, 0, 4, 2}, counts[] = {5, 2, 8},
                         offsets[] = {0, 4, 8};
    static const uint8_t types[2] = {10, 10};
    static const double fibre[6] = {0, 0, 1, 1, 0, 0};
    char path[256];
    (void)snprintf(path, sizeof path, "%s.hdf", stem);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), word = H5Tcopy(H5T_C_S1);
    const hid_t group = H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                elements = H5Gcreate2(group, "CellData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool good = H5Tset_size(word, 16) >= 0 &&
                      put_attribute(group, "Version", H5T_STD_I64LE, 2, version) &&
                      put_attribute(group, "Type", word, 1, "UnstructuredGrid") &&
                      put_dataset(group, "NumberOfPoints", H5T_STD_I64LE, 1, 1, &counts[0]) &&
                      put_dataset(group, "NumberOfCells", H5T_STD_I64LE, 1, 1, &counts[1]) &&
                      put_dataset(group, "NumberOfConnectivityIds", H5T_STD_I64LE, 1, 1, &counts[2]) &&
                      put_dataset(group, "Points", H5T_IEEE_F32LE, 2, 5, xyz) &&
                      put_dataset(group, "Connectivity", H5T_STD_I64LE, 1, 8, ids) &&
                      put_dataset(group, "Offsets", H5T_STD_I64LE, 1, 3, offsets) &&
                      put_dataset(group, "Types", H5T_STD_U8LE, 1, 2, types) &&
                      put_dataset(elements, "fibre", H5T_IEEE_F64LE, 2, 2, fibre);
    (void)H5Gclose(elements), (void)H5Gclose(group), (void)H5Tclose(word);
    return H5Fclose(file) >= 0 && good;
}

/* ---- all formats */

static const example examples[] = {
    {"VTKHDF", {".hdf"}, make_vtkhdf, MULTIPLE},
    {"VTKHDF of others", {".hdf"}, make_vtkhdf_old, MULTIPLE},
    {"MSH 2.2", {".msh"}, make_msh2, MULTIPLE},
    {"MSH 4.1", {".msh"}, make_msh4, MULTIPLE},
    {"MSH 2.2 binary", {".msh"}, make_msh2_binary, MULTIPLE},
    {"MSH 4.1 binary", {".msh"}, make_msh4_binary, MULTIPLE},
    {"MSH 4.1 partitioned", {".msh"}, make_msh4_parts, MULTIPLE},
    {"MSH 4.1 partitioned, binary", {".msh"}, make_msh4_parts_binary, MULTIPLE},
    {"MSH 2.2 with groups", {".msh"}, make_msh2_groups, MULTIPLE},
    {"MSH 4.1 with groups", {".msh"}, make_msh4_groups, MULTIPLE},
    {"CARP", {".pts", ".elem", ".lon"}, make_carp, MULTIPLE},
    {"CARP with surfaces", {".pts", ".elem", ".lon", ".epi.surf", ".7.surf"}, make_carp_surfaces, MULTIPLE},
    {"CARP with lists", {".pts", ".elem", ".lon", ".epi.surf", ".7.surf", ".base.vtx", ".8.vtx"},
        make_carp_lists, MULTIPLE},
    {"CARP with flat elements", {".pts", ".elem", ".lon"}, make_carp_flat, MULTIPLE},
    {"CARP with sheets", {".pts", ".elem", ".lon"}, make_carp_sheets, MULTIPLE},
    {"TetGen from 1", {".node", ".ele", ".face", ".ortho", ".axi"}, make_tetgen_one, MULTIPLE},
    {"TetGen from 0", {".node", ".ele", ".face", ".ortho", ".axi"}, make_tetgen_zero, MULTIPLE},
    {"TetGen binary", {".node", ".ele", ".face", ".ortho", ".axi"}, make_tetgen_binary, MULTIPLE},
    {"VTK 3.0", {".vtk"}, make_vtk3, MULTIPLE_BYTES},
    {"VTK 3.0 binary", {".vtk"}, make_vtk3_binary, MULTIPLE_BYTES},
    {"VTK 5.1", {".vtk"}, make_vtk5, MULTIPLE_BYTES},
    {"VTK 5.1 binary", {".vtk"}, make_vtk5_binary, MULTIPLE_BYTES},
    {"VTK with names", {".vtk"}, make_vtk_names, MULTIPLE_BYTES},
    {"VTK 3.0 surface", {".vtk"}, make_vtk3_surface, MULTIPLE_BYTES},
    {"VTK 3.0 surface, binary", {".vtk"}, make_vtk3_binary_surface, MULTIPLE_BYTES},
    {"VTK 5.1 surface", {".vtk"}, make_vtk5_surface, MULTIPLE_BYTES},
    {"VTK 5.1 surface, binary", {".vtk"}, make_vtk5_binary_surface, MULTIPLE_BYTES},
    {"VTU", {".vtu"}, make_vtu_text, MULTIPLE_BYTES},
    {"VTU in base64", {".vtu"}, make_vtu_inline, MULTIPLE_BYTES},
    {"VTU appended", {".vtu"}, make_vtu_raw, MULTIPLE_BYTES},
    {"VTU appended in base64", {".vtu"}, make_vtu_base64, MULTIPLE_BYTES},
    {"VTU compressed", {".vtu"}, make_vtu_zlib, MULTIPLE_PACKED},
    {"VTU compressed and appended", {".vtu"}, make_vtu_zlib_raw, MULTIPLE_PACKED},
    {"VTU with names", {".vtu"}, make_vtu_names, MULTIPLE_BYTES},
    {"VTP", {".vtp"}, make_vtp, MULTIPLE_BYTES},
    {"XDMF", {".xdmf", ".bin"}, make_xdmf_text, MULTIPLE_PACKED},
    {"XDMF with bytes", {".xdmf", ".bin"}, make_xdmf_bytes, MULTIPLE_PACKED},
    {"XDMF with HDF5", {".xdmf", ".bin", ".h5"}, make_xdmf_hdf5, MULTIPLE_PACKED},
    {"XDMF with tags", {".xdmf", ".bin"}, make_xdmf_tags, MULTIPLE_PACKED},
    {"XDMF of a time series", {".xdmf", ".bin"}, make_xdmf_series, MULTIPLE_PACKED},
    {"OBJ", {".obj"}, make_obj, MULTIPLE},
    {"STL", {".stl"}, make_stl, MULTIPLE},
    {"STL binary", {".stl"}, make_stl_binary, MULTIPLE},
};
enum { N_EXAMPLES = sizeof examples / sizeof *examples };
