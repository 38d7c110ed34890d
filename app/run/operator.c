#include "app/run/operator.h"

#include <math.h>

#include "app/run/cache.h"
#include "app/cli/progress.h"
#include "solver/diffusion/limits.h"

enum { SHOWN = 8, CACHED_FROM = 2000 };

static const char kind[] = "limits";

/* ---- making ---- */

static mt_status keep(mt_arena *scratch, const char key[MT_HASH_SIZE], const mt_diffusion *diffusion)
{
    mt_limits found;
    void *bytes;
    size_t n;
    MT_TRY(mt_diffusion_limits(scratch, diffusion, &found));
    MT_TRY(mt_limits_pack(scratch, &found, &bytes, &n));
    mt_cache_keep(kind, key, bytes, n);
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
    MT_TRY(mt_limits_key(mesh, tissues, scheme, key));
    const bool valid = mt_cache_find(scratch, kind, key, &bytes, &n) && mt_limits_unpack(bytes, n, &known);
    if (valid) options->known = &known;
    MT_TRY(mt_diffusion_make_with(arena, mesh, adjacency, tissues, scheme, options, diffusion));
    return valid ? MT_OK : keep(scratch, key, diffusion);
}

static bool tell(void *nobody, const char *part, double done)
{
    (void)nobody;
    mt_progress_stage_part(part, done);
    return true; /* until there is anything to keep, signals end the program at once */
}

mt_status mt_operator_make(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_tissues *tissues, const mt_diffusion_scheme *scheme, bool cached, mt_diffusion *diffusion)
{
    mt_diffusion_options told = {.lean = true, .watch = {.tell = tell}};
    if (!cached || mesh->n_elements < CACHED_FROM)
        return mt_diffusion_make_with(arena, mesh, adjacency, tissues, scheme, &told, diffusion);
    mt_arena scratch = {0};
    const mt_status status = make_cached(arena, &scratch, mesh, adjacency, tissues, scheme, &told, diffusion);
    mt_arena_free(&scratch);
    return status;
}

/* ---- what was limited ---- */

bool mt_operator_limits(const mt_diffusion *diffusion)
{
    return diffusion->n_limited > 0 || diffusion->n_slivers > 0;
}

void mt_operator_rows(mt_table *table, const mt_diffusion *diffusion)
{
    mt_table_property(table, "elements_with_limited_gradients", "elements with limited gradients",
        diffusion ? (double)diffusion->n_limited : NAN, "");
    if (diffusion && diffusion->n_slivers > 0)
        mt_table_property(table, "limited_slivers", "limited slivers", (double)diffusion->n_slivers, "");
    if (diffusion && diffusion->n_slowed > 0)
        mt_table_property(
            table, "slowed_elements", "elements slowed for the spreading", (double)diffusion->n_slowed, "");
}

mt_table mt_operator_table(
    mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency, const mt_diffusion *diffusion)
{
    const bool all = diffusion->n_limited + diffusion->n_slivers <= SHOWN;
    mt_table table =
        mt_table_begin(arena, "limited_elements", all ? "Limited elements" : "Limited elements, the first");
    mt_table_decimals(&table, "element", "element", "", 0);
    mt_table_digits(&table, "x_mm", "x", "mm", 6);
    mt_table_digits(&table, "y_mm", "y", "mm", 6);
    mt_table_digits(&table, "z_mm", "z", "mm", 6);
    mt_table_digits(&table, "volume_mm3", "volume", "mm^3", 4);
    mt_table_digits(&table, "theta", "theta", "", 4);
    mt_table_digits(&table, "worst_cosine", "worst cosine", "", 4);
    mt_table_digits(&table, "capacity_volumes", "capacity", "volumes", 4);
    size_t shown = 0;
    for (size_t c = 0; c < mesh->n_elements && shown < SHOWN; c++) {
        double x[3];
        const mt_diffusion_effect effect = mt_diffusion_effect_on(diffusion, mesh, adjacency, c);
        if (!effect.limited) continue;
        mt_mesh_centroid(mesh, c, x);
        mt_table_number(&table, (double)mt_mesh_number(mesh, c));
        for (int k = 0; k < 3; k++) mt_table_number(&table, x[k]);
        mt_table_number(&table, mt_mesh_volume_mm3(mesh, c));
        mt_table_number(&table, effect.theta);
        mt_table_number(&table, effect.cosine);
        mt_table_number(&table, effect.capacity);
        shown++;
    }
    return table;
}
