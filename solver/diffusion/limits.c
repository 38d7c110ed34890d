#include "solver/diffusion/limits.h"

#include <string.h>

enum { KEY = MT_HASH_SIZE - 1 }; /* characters of a fingerprint */

/* What stands before the list of elements; KEY characters of fingerprint stand behind it. No padding inside. */
typedef struct head {
    char what[16], key[KEY];
    double limit_dt_ms, top_per_ms;
    uint64_t n_indefinite, n_rounds, n_limited;
} head;

static const char what[16] = "myotile limits\n";

static void add_number(mt_hash *hash, uint64_t number) { mt_hash_add(hash, &number, sizeof number); }

/* What one tissue without sheets has nothing of. It stands last: what is before it says its own length. */
static void add_tissues(mt_hash *hash, const mt_mesh *mesh, const mt_tissues *tissues)
{
    bool normal = false;
    for (size_t k = 0; k < tissues->n; k++) normal |= tissues->tissue[k].sigma_n_mS_mm > 0;
    if (tissues->n == 1 && !normal) return;
    add_number(hash, tissues->n);
    for (size_t k = 0; k < tissues->n; k++) {
        const mt_tissue *t = &tissues->tissue[k];
        const double numbers[] = {
            t->sigma_l_mS_mm, t->sigma_t_mS_mm, t->sigma_n_mS_mm, t->chi_per_mm, t->cm_uF_mm2};
        mt_hash_add(hash, numbers, sizeof numbers);
    }
    add_number(hash, tissues->of != NULL);
    add_number(hash, normal && mesh->sheet);
    if (tissues->of) mt_hash_add(hash, tissues->of, mesh->n_elements * sizeof *tissues->of);
    if (normal && mesh->sheet) mt_hash_add(hash, mesh->sheet, 3 * mesh->n_elements * sizeof *mesh->sheet);
}

mt_status mt_limits_key(
    const mt_mesh *mesh, const mt_tissues *tissues, const mt_diffusion_scheme *scheme, char key[MT_HASH_SIZE])
{
    const mt_tissue *tissue = &tissues->tissue[0];
    const double numbers[] = {tissue->sigma_l_mS_mm, tissue->sigma_t_mS_mm, tissue->chi_per_mm,
        tissue->cm_uF_mm2, scheme->damping, scheme->spreading, scheme->spreading > 0 ? scheme->front_ms : 0};
    mt_hash hash;
    MT_TRY(mt_hash_begin(&hash));
    add_number(&hash, MT_LIMITS_VERSION);
    mt_hash_add(&hash, numbers, sizeof numbers);
    add_number(&hash, scheme->correction);
    add_number(&hash, mesh->n_vertices);
    add_number(&hash, mesh->n_elements);
    add_number(&hash, mesh->fibre != NULL);
    mt_hash_add(&hash, mesh->xyz_mm, 3 * mesh->n_vertices * sizeof *mesh->xyz_mm);
    mt_hash_add(&hash, mesh->element_vertex, 4 * mesh->n_elements * sizeof *mesh->element_vertex);
    if (mesh->fibre) mt_hash_add(&hash, mesh->fibre, 3 * mesh->n_elements * sizeof *mesh->fibre);
    add_tissues(&hash, mesh, tissues);
    mt_hash_end(&hash, key);
    return MT_OK;
}

mt_status mt_limits_pack(
    mt_arena *arena, const char key[MT_HASH_SIZE], const mt_limits *known, unsigned char **bytes, size_t *n)
{
    const size_t list = known->n_limited * sizeof *known->limited;
    char sum[MT_HASH_SIZE];
    head h = {.limit_dt_ms = known->limit_dt_ms,
        .top_per_ms = known->top_per_ms,
        .n_indefinite = known->n_indefinite,
        .n_rounds = known->n_rounds,
        .n_limited = known->n_limited};
    memcpy(h.what, what, sizeof what);
    memcpy(h.key, key, KEY);
    *n = sizeof h + list + KEY;
    MT_ALLOC(arena, *bytes, *n);
    memcpy(*bytes, &h, sizeof h);
    if (list > 0) memcpy(*bytes + sizeof h, known->limited, list);
    MT_TRY(mt_hash_of(*bytes, sizeof h + list, sum));
    memcpy(*bytes + sizeof h + list, sum, KEY);
    return MT_OK;
}

mt_status mt_limits_unpack(mt_arena *arena, const char key[MT_HASH_SIZE], const unsigned char *bytes,
    size_t n, mt_limits *known, bool *valid)
{
    head h;
    char sum[MT_HASH_SIZE];
    *valid = false;
    if (n < sizeof h + KEY) return MT_OK;
    const size_t list = n - sizeof h - KEY;
    MT_TRY(mt_hash_of(bytes, n - KEY, sum));
    memcpy(&h, bytes, sizeof h);
    if (memcmp(bytes + n - KEY, sum, KEY) != 0 || memcmp(h.what, what, sizeof what) != 0 ||
        memcmp(h.key, key, KEY) != 0 || list % sizeof(uint32_t) != 0 ||
        h.n_limited != list / sizeof(uint32_t))
        return MT_OK;
    uint32_t *limited;
    MT_ALLOC(arena, limited, h.n_limited);
    if (list > 0) memcpy(limited, bytes + sizeof h, list);
    *known = (mt_limits){h.limit_dt_ms, h.top_per_ms, h.n_indefinite, h.n_rounds, h.n_limited, limited};
    *valid = true;
    return MT_OK;
}
