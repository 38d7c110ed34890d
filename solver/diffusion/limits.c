#include "solver/diffusion/limits.h"

#include <math.h>
#include <string.h>

/* The bytes before the arrays, which are ordered by descending size of their items. */
typedef struct head {
    double limit_dt_ms, top_per_ms;
    uint64_t n_indefinite, n_rounds, n_limited, has_values, n_slivers, n_slowed, n_raised, n_kappa;
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

/* True if elements ascend and are below n. */
static bool is_list(size_t n_listed, const uint32_t *element, size_t n)
{
    for (size_t k = 0; k < n_listed; k++)
        if (element[k] >= n || (k > 0 && element[k] <= element[k - 1])) return false;
    return true;
}

bool mt_limits_fit(const mt_limits *known, size_t n)
{
    return known->limit_dt_ms > 0 && isfinite(known->top_per_ms) && known->n_limited <= known->n_indefinite &&
           known->n_indefinite <= n && is_list(known->n_limited, known->limited, n);
}

bool mt_limits_values_fit(const mt_limits *known, size_t n, bool spreads)
{
    if (!known->has_values || !mt_limits_fit(known, n) || known->n_kappa != (spreads ? n : 0)) return false;
    if (!is_list(known->n_raised, known->raised, n)) return false;
    for (size_t k = 0; k < known->n_limited; k++)
        if (!(known->theta[k] >= 0 && known->theta[k] < 1)) return false;
    for (size_t k = 0; k < known->n_raised; k++)
        if (!(known->volume_mm3[k] > 0 && isfinite(known->volume_mm3[k]) && known->slowed[k] >= 1))
            return false;
    return true;
}

/* ---- bytes ---- */

static char *put(char *to, const void *from, size_t bytes)
{
    if (bytes > 0) memcpy(to, from, bytes);
    return to + bytes;
}

static const void *get(const char **from, size_t bytes)
{
    const void *here = *from;
    *from += bytes;
    return here;
}

/* Returns the size of the arrays; false if it cannot be represented. */
static bool size_of(const head *h, size_t *bytes)
{
    const uint64_t most = UINT32_MAX, limited = h->has_values ? 8 : 4;
    if (h->n_limited > most || h->n_raised > most || h->n_kappa > most || h->has_values > 1) return false;
    *bytes = (size_t)(limited * h->n_limited + 16 * h->n_raised + 8 * h->n_kappa);
    return true;
}

mt_status mt_limits_pack(mt_arena *arena, const mt_limits *known, void **bytes, size_t *n)
{
    head h = {.limit_dt_ms = known->limit_dt_ms,
        .top_per_ms = known->top_per_ms,
        .n_indefinite = known->n_indefinite,
        .n_rounds = known->n_rounds,
        .n_limited = known->n_limited,
        .has_values = known->has_values};
    char *to;
    size_t arrays = 0;
    if (known->has_values) {
        h.n_slivers = known->n_slivers, h.n_slowed = known->n_slowed;
        h.n_raised = known->n_raised, h.n_kappa = known->n_kappa;
    }
    (void)size_of(&h, &arrays);
    *n = sizeof h + arrays;
    MT_ALLOC(arena, to, *n);
    *bytes = to;
    to = put(to, &h, sizeof h);
    to = put(to, known->kappa_ms, h.n_kappa * sizeof *known->kappa_ms);
    to = put(to, known->volume_mm3, h.n_raised * sizeof *known->volume_mm3);
    to = put(to, known->limited, h.n_limited * sizeof *known->limited);
    to = put(to, known->raised, h.n_raised * sizeof *known->raised);
    to = put(to, known->slowed, h.n_raised * sizeof *known->slowed);
    (void)put(to, known->theta, known->has_values ? h.n_limited * sizeof *known->theta : 0);
    return MT_OK;
}

bool mt_limits_unpack(const void *bytes, size_t n, mt_limits *known)
{
    head h;
    size_t arrays;
    const char *from = bytes;
    if (n < sizeof h) return false;
    memcpy(&h, get(&from, sizeof h), sizeof h);
    if (!size_of(&h, &arrays) || n - sizeof h != arrays) return false;
    *known = (mt_limits){.limit_dt_ms = h.limit_dt_ms,
        .top_per_ms = h.top_per_ms,
        .n_indefinite = h.n_indefinite,
        .n_rounds = h.n_rounds,
        .n_limited = h.n_limited,
        .has_values = h.has_values,
        .n_slivers = h.n_slivers,
        .n_slowed = h.n_slowed,
        .n_raised = h.n_raised,
        .n_kappa = h.n_kappa};
    known->kappa_ms = get(&from, h.n_kappa * sizeof *known->kappa_ms);
    known->volume_mm3 = get(&from, h.n_raised * sizeof *known->volume_mm3);
    known->limited = get(&from, h.n_limited * sizeof *known->limited);
    known->raised = get(&from, h.n_raised * sizeof *known->raised);
    known->slowed = get(&from, h.n_raised * sizeof *known->slowed);
    if (h.has_values) known->theta = get(&from, h.n_limited * sizeof *known->theta);
    return true;
}
