#include "solver/diffusion/limits.h"

#include <string.h>

/* The bytes before the list of elements. */
typedef struct head {
    double limit_dt_ms, top_per_ms;
    uint64_t n_indefinite, n_rounds;
} head;

static void add_number(mt_hash *hash, uint64_t number) { mt_hash_add(hash, &number, sizeof number); }

/* Adds the data that a single tissue without sheets does not have. It is last, so that it may be missing: the data
 * before it includes its own length. */
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

/* Adds the laws of the elements, which operators of a single law do not have. */
static void add_spreading(mt_hash *hash, const mt_mesh *mesh, const mt_spreading *spreading)
{
    if (!spreading) return;
    add_number(hash, spreading->n);
    for (size_t k = 0; k < spreading->n; k++) {
        const mt_spreading_law *law = &spreading->law[k];
        const double numbers[] = {law->beta, law->reaction_ms, law->limits_kappa};
        mt_hash_add(hash, numbers, sizeof numbers);
    }
    if (spreading->of) mt_hash_add(hash, spreading->of, mesh->n_elements * sizeof *spreading->of);
}

mt_status mt_limits_key(const mt_mesh *mesh, const mt_tissues *tissues, const mt_diffusion_scheme *scheme,
    const mt_spreading *spreading, char key[MT_HASH_SIZE])
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
    add_spreading(&hash, mesh, spreading);
    mt_hash_end(&hash, key);
    return MT_OK;
}

mt_status mt_limits_pack(mt_arena *arena, const mt_limits *known, void **bytes, size_t *n)
{
    const size_t list = known->n_limited * sizeof *known->limited;
    const head h = {known->limit_dt_ms, known->top_per_ms, known->n_indefinite, known->n_rounds};
    char *to;
    *n = sizeof h + list;
    MT_ALLOC(arena, to, *n);
    memcpy(to, &h, sizeof h);
    if (list > 0) memcpy(to + sizeof h, known->limited, list);
    *bytes = to;
    return MT_OK;
}

bool mt_limits_unpack(const void *bytes, size_t n, mt_limits *known)
{
    head h;
    if (n < sizeof h || (n - sizeof h) % sizeof *known->limited != 0) return false;
    memcpy(&h, bytes, sizeof h);
    *known = (mt_limits){.limit_dt_ms = h.limit_dt_ms,
        .top_per_ms = h.top_per_ms,
        .n_indefinite = h.n_indefinite,
        .n_rounds = h.n_rounds,
        .n_limited = (n - sizeof h) / sizeof *known->limited,
        .limited = (const uint32_t *)((const head *)bytes + 1)};
    return true;
}
