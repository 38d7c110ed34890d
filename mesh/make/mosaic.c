#include "mesh/make/mosaic.h"

#include <math.h>
#include <string.h>

#include "mesh/make/mosaic_block.h"

enum {
    VERTICES = sizeof block_vertex / sizeof *block_vertex,
    ELEMENTS = sizeof block_element / sizeof *block_element
};

/* Returns the length of a unit of the block's coordinates. */
static double unit_mm(double length_mm)
{
    const double volume = (double)block_size[0] * block_size[1] * block_size[2];
    return length_mm / cbrt(volume / ELEMENTS);
}

double mt_mosaic_elements(double length_mm, double area_mm2)
{
    return area_mm2 * block_size[2] * unit_mm(length_mm) / pow(length_mm, 3);
}

static mt_status count_blocks(double length_mm, const double least_mm[2], size_t n[2])
{
    const double unit = unit_mm(length_mm), blocks[2] = {ceil(least_mm[0] / (block_size[0] * unit)),
                                                ceil(least_mm[1] / (block_size[1] * unit))};
    if (!(length_mm > 0) || !isfinite(length_mm) || !(blocks[0] >= 1) || !(blocks[1] >= 1))
        return mt_fail(MT_INPUT, "slab: %g x %g mm of elements of %g mm; each must be finite and above 0",
            least_mm[0], least_mm[1], length_mm);
    if (!(blocks[0] * blocks[1] * ELEMENTS < UINT32_MAX))
        return mt_fail(MT_INPUT, "slab: %.0f elements; fewer than %u are allowed",
            blocks[0] * blocks[1] * ELEMENTS, UINT32_MAX);
    for (int k = 0; k < 2; k++) n[k] = (size_t)blocks[k];
    return MT_OK;
}

/* The slab while its copies are added. */
typedef struct building {
    double unit_mm;
    size_t n[2];      /* copies along x and y */
    uint32_t *number; /* [n[0] n[1]][VERTICES] of each copy's vertices in the mesh */
    mt_mesh *mesh;
} building;

/* Returns a coordinate of a vertex within copy i along an axis. */
static unsigned within(size_t vertex, int axis, size_t i)
{
    const unsigned x = block_vertex[vertex][axis];
    return i % 2 ? block_size[axis] - x : x;
}

/* Numbers and places the vertices of copy (i, j). A vertex on a face shared with an earlier copy has the number that it has there. */
static void add_vertices(building *b, size_t i, size_t j)
{
    uint32_t *number = b->number + (i + b->n[0] * j) * VERTICES;
    const uint32_t *left = number - VERTICES, *below = number - b->n[0] * VERTICES;
    for (size_t v = 0; v < VERTICES; v++) {
        const unsigned x = within(v, 0, i), y = within(v, 1, j);
        if (i > 0 && x == 0)
            number[v] = left[v];
        else if (j > 0 && y == 0)
            number[v] = below[v];
        else {
            double *at = b->mesh->xyz_mm + 3 * b->mesh->n_vertices;
            at[0] = b->unit_mm * (double)(i * block_size[0] + x);
            at[1] = b->unit_mm * (double)(j * block_size[1] + y);
            at[2] = b->unit_mm * block_vertex[v][2];
            number[v] = (uint32_t)b->mesh->n_vertices++;
        }
    }
}

/* A copy mirrored once has inverted elements; exchanging two vertices restores them. */
static void add_elements(building *b, size_t i, size_t j)
{
    const size_t copy = i + b->n[0] * j;
    const uint32_t *number = b->number + copy * VERTICES;
    uint32_t *vertex = b->mesh->element_vertex + 4 * copy * ELEMENTS;
    const bool inverted = (i + j) % 2;
    for (size_t e = 0; e < ELEMENTS; e++)
        for (size_t v = 0; v < 4; v++)
            vertex[4 * e + (inverted && v < 2 ? 1 - v : v)] = number[block_element[e][v]];
}

mt_status mt_mosaic_make(mt_arena *arena, double length_mm, const double least_mm[2], mt_mesh *mesh)
{
    MT_SCRATCH(scratch);
    building b = {.unit_mm = unit_mm(length_mm), .mesh = mesh};
    MT_TRY(count_blocks(length_mm, least_mm, b.n));
    const size_t copies = b.n[0] * b.n[1];
    MT_ALLOC(scratch, b.number, copies * VERTICES);
    MT_TRY(mt_mesh_new(arena, copies * VERTICES, copies * ELEMENTS, mesh));
    mesh->n_vertices = 0;
    for (size_t j = 0; j < b.n[1]; j++)
        for (size_t i = 0; i < b.n[0]; i++) {
            add_vertices(&b, i, j);
            add_elements(&b, i, j);
        }
    for (size_t e = 0; e < mesh->n_elements; e++) mesh->region[e] = 1;
    return mt_mesh_new_fibres(arena, mesh);
}
