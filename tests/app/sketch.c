#include "tests/app/sketch.h"

#include <stdint.h>
#include <string.h>

#include "app/draw/png.h"
#include "app/draw/scene/picture.h"
#include "data/core/hash.h"

enum { W = 64, H = 8 };

mt_status __real_mt_picture_map(const char *path, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const float *values, const mt_picture_scale *scale, const mt_network_lines *network, const char *title);
mt_status __wrap_mt_picture_map(const char *path, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const float *values, const mt_picture_scale *scale, const mt_network_lines *network, const char *title);

bool sketch_draws = false;

static void add_text(mt_hash *hash, const char *text) { mt_hash_add(hash, text, strlen(text) + 1); }

mt_status __wrap_mt_picture_map(const char *path, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const float *values, const mt_picture_scale *scale, const mt_network_lines *network, const char *title)
{
    uint32_t pixel[H][W];
    char text[MT_HASH_SIZE];
    mt_hash hash;
    if (sketch_draws || mesh->n_elements == 0 || adjacency->n_elements != mesh->n_elements)
        return __real_mt_picture_map(path, mesh, adjacency, values, scale, network, title);
    MT_TRY(mt_hash_begin(&hash));
    mt_hash_add(&hash, mesh->xyz_mm, 3 * mesh->n_vertices * sizeof *mesh->xyz_mm);
    mt_hash_add(&hash, mesh->element_vertex, 4 * mesh->n_elements * sizeof *mesh->element_vertex);
    mt_hash_add(&hash, adjacency->neighbour, 4 * mesh->n_elements * sizeof *adjacency->neighbour);
    mt_hash_add(&hash, values, mesh->n_elements * sizeof *values);
    mt_hash_add(&hash, &scale->trimmed, sizeof scale->trimmed);
    if (network) {
        mt_hash_add(&hash, network->xyz_mm, 3 * network->n_points * sizeof *network->xyz_mm);
        mt_hash_add(&hash, network->values, network->n_points * sizeof *network->values);
        mt_hash_add(&hash, network->line, 2 * network->n_lines * sizeof *network->line);
        mt_hash_add(&hash, network->end, network->n_ends * sizeof *network->end);
        mt_hash_add(&hash, network->failed, network->n_ends);
        add_text(&hash, network->note);
    }
    add_text(&hash, scale->label), add_text(&hash, scale->unit), add_text(&hash, scale->lines);
    add_text(&hash, scale->grey), add_text(&hash, title);
    mt_hash_end(&hash, text);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++) pixel[y][x] = (uint32_t)text[x % strlen(text)];
    return mt_png_write(path, W, H, (const unsigned char *)pixel, sizeof pixel[0]);
}
