#include "app/run/operator.h"

#include "data/files/cache.h"
#include "data/core/progress.h"
#include "solver/diffusion/limits.h"

enum { CACHED_FROM = 2000 };

static const char kind[] = "limits";

/* ---- building ---- */

/* Stores the limits; their values only if the cache keeps them with several other meshes. */
static mt_status keep(mt_arena *scratch, const char key[MT_HASH_SIZE], const mt_diffusion *diffusion)
{
    mt_limits found;
    void *bytes;
    size_t n;
    MT_TRY(mt_diffusion_limits(scratch, diffusion, &found));
    MT_TRY(mt_limits_pack(scratch, &found, &bytes, &n));
    if (n > MT_CACHE_BYTES / 4) {
        found.has_values = false;
        MT_TRY(mt_limits_pack(scratch, &found, &bytes, &n));
    }
    mt_cache_store(kind, key, bytes, n);
    return MT_OK;
}

static mt_status make_cached(mt_arena *arena, mt_arena *scratch, const mt_mesh *mesh,
    const mt_adjacency *adjacency, const mt_tissues *tissues, const mt_diffusion_scheme *scheme,
    mt_diffusion_options *options, mt_diffusion *diffusion)
{
    char key[MT_HASH_SIZE];
    mt_limits known;
    const void *bytes;
    size_t n;
    MT_TRY(mt_limits_key(mesh, tissues, scheme, options->spreading, key));
    const bool valid = mt_cache_find(scratch, kind, key, &bytes, &n) && mt_limits_unpack(bytes, n, &known);
    if (valid) options->known = &known;
    MT_TRY(mt_diffusion_make_with(arena, mesh, adjacency, tissues, scheme, options, diffusion));
    return valid ? MT_OK : keep(scratch, key, diffusion);
}

static bool tell(void *nobody, const char *part, double done)
{
    (void)nobody;
    mt_progress_stage_part(part, done);
    return true; /* there are no results yet, so that signals end the program at once */
}

mt_status mt_operator_make(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_tissues *tissues, const mt_diffusion_scheme *scheme, const mt_spreading *spreading, bool cached,
    mt_diffusion *diffusion)
{
    mt_diffusion_options told = {.spreading = spreading, .lean = true, .watch = {.tell = tell}};
    if (!cached || mesh->n_elements < CACHED_FROM)
        return mt_diffusion_make_with(arena, mesh, adjacency, tissues, scheme, &told, diffusion);
    MT_SCRATCH(scratch);
    return make_cached(arena, scratch, mesh, adjacency, tissues, scheme, &told, diffusion);
}

mt_status mt_operator_make_nodal(mt_arena *arena, const mt_mesh *mesh, const mt_tissues *tissues,
    const mt_nodal_spreading *spreading, mt_diffusion *diffusion)
{
    return mt_nodal_diffusion_make(
        arena, mesh, tissues, spreading->n > 0 ? spreading : NULL, &(mt_watch){.tell = tell}, diffusion);
}

/* ---- limited elements ---- */

bool mt_operator_is_limited(const mt_diffusion *diffusion)
{
    return diffusion->n_limited > 0 || diffusion->n_slivers > 0;
}
