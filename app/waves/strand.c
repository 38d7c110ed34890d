#include "app/waves/strand.h"

#include <math.h>

#include "app/run/operator.h"

static double diffusivity(const mt_wave_medium *medium, int axis)
{
    return axis == 0 ? mt_tissue_diffusivity_l(&medium->tissue) : mt_tissue_diffusivity_t(&medium->tissue);
}

double mt_strand_length_scale(const mt_wave_medium *medium, int axis)
{
    return sqrt(diffusivity(medium, axis) / mt_tissue_diffusivity_l(&mt_tissue_default));
}

/* ---- elements ---- */

mt_status mt_strand_of_slab(
    mt_arena *arena, const mt_wave_slab *slab, const mt_wave_medium *medium, mt_strand *strand)
{
    const mt_tissues tissues = mt_tissues_uniform(&medium->tissue);
    *strand = (mt_strand){.mesh = &slab->mesh,
        .place_mm = slab->place_mm,
        .spacing_mm = slab->edge_mm,
        .stimulated_mm = slab->stimulated_mm,
        .from_mm = slab->from_mm,
        .to_mm = slab->to_mm};
    MT_TRY(mt_operator_make(
        arena, &slab->mesh, &slab->adjacency, &tissues, &medium->scheme, NULL, false, &strand->diffusion));
    const mt_monodomain problem = mt_wave_medium_problem(medium, &strand->diffusion, NULL);
    strand->pde_steps = problem.pde_steps;
    strand->splitting = problem.splitting;
    return mt_monodomain_check(&problem);
}

/* ---- points ---- */

static const double dx_mm = 0.05;

/* Builds the diffusion operator of n points. An explicit step is stable up to dt D / dx^2 = 1/2; the limit here is 0.4. Unused entries of a
 * row refer to the point itself, with rate 0. */
static mt_status make_cable(mt_arena *arena, size_t n, double rate_per_ms, double dx, mt_diffusion *d)
{
    *d = (mt_diffusion){.n_unknowns = n, .limit_dt_ms = 0.4 / rate_per_ms};
    MT_ALLOC(arena, d->volume_mm3, n);
    MT_ALLOC(arena, d->rate, n * MT_DIFFUSION_ROW);
    MT_ALLOC(arena, d->column, n * MT_DIFFUSION_ROW);
    for (size_t i = 0; i < n; i++) {
        size_t at = i * MT_DIFFUSION_ROW;
        d->volume_mm3[i] = dx; /* of a cable with a cross-section of 1 mm^2 */
        for (size_t k = 0; k < MT_DIFFUSION_ROW; k++) d->column[at + k] = (uint32_t)i;
        if (i > 0) d->column[at] = (uint32_t)i - 1, d->rate[at++] = rate_per_ms;
        if (i + 1 < n) d->column[at] = (uint32_t)i + 1, d->rate[at] = rate_per_ms;
    }
    return MT_OK;
}

mt_status mt_strand_of_points(mt_arena *arena, const mt_wave_medium *medium, int axis, mt_strand *strand)
{
    const double unit = mt_strand_length_scale(medium, axis), dx = unit * dx_mm;
    const size_t n = (size_t)llround((mt_plane_wave_to_mm + mt_plane_wave_end_mm) / dx_mm);
    double *place_mm;
    if (!(unit > 0))
        return mt_fail(
            MT_INPUT, "tissue: diffusivity %g mm^2/ms; allowed: above 0", diffusivity(medium, axis));
    *strand = (mt_strand){.spacing_mm = dx,
        .splitting = MT_SPLITTING_COMPENSATED,
        .stimulated_mm = unit * mt_plane_wave_stimulated_mm,
        .from_mm = unit * mt_plane_wave_from_mm,
        .to_mm = unit * mt_plane_wave_to_mm};
    MT_TRY(make_cable(arena, n, diffusivity(medium, axis) / (dx * dx), dx, &strand->diffusion));
    strand->pde_steps = mt_monodomain_pde_steps(&strand->diffusion, medium->dt_ms);
    MT_ALLOC(arena, place_mm, n);
    for (size_t i = 0; i < n; i++) place_mm[i] = ((double)i + 0.5) * dx;
    strand->place_mm = place_mm;
    return MT_OK;
}
