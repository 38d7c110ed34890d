#include "solver/case/parts.h"

#include <math.h>
#include <stdio.h>

mt_status mt_case_parts_make(
    mt_arena *arena, const mt_mesh *mesh, const mt_media *media, mt_case_parts *parts)
{
    MT_SCRATCH(scratch);
    double *volume_mm3;
    size_t *n;
    MT_ALLOC(scratch, volume_mm3, mesh->n_elements);
    MT_ALLOC(scratch, n, media->n);
    mt_mesh_volumes_mm3(mesh, volume_mm3);
    *parts = (mt_case_parts){.n = media->n, .mesh = *mesh, .media = *media};
    MT_ALLOC(arena, parts->part, media->n);
    for (size_t c = 0; c < mesh->n_elements; c++) {
        const size_t k = media->of ? media->of[c] : 0;
        parts->part[k].length_mm += volume_mm3[c];
        n[k]++;
    }
    for (size_t k = 0; k < media->n; k++) {
        mt_case_part *part = &parts->part[k];
        part->region = media->by ? media->by[k] : MT_MEDIA_WHOLE;
        part->tissue = mt_medium_tissue(&media->medium[k]);
        part->length_mm = cbrt(part->length_mm / (double)n[k]);
    }
    return MT_OK;
}

mt_status mt_case_part_size(
    const mt_case_parts *parts, const mt_case_part *part, char text[MT_CASE_PART_SIZE])
{
    mt_element_size size;
    MT_TRY(mt_element_size_of(&parts->mesh, parts->media.of, (size_t)(part - parts->part), &size));
    (void)snprintf(text, MT_CASE_PART_SIZE,
        "%.3g mm (cube root of the mean volume; mean edge length %.3g mm)", size.length_mm, size.edge_mm);
    return MT_OK;
}

const char *mt_case_part_name(const mt_case *from, const mt_case_part *part, char text[MT_CASE_PART_NAME])
{
    char region[64] = "";
    if (part->region != MT_MEDIA_WHOLE) (void)snprintf(region, sizeof region, ": regions.%zu", part->region);
    (void)snprintf(text, MT_CASE_PART_NAME, "%.400s%s", mt_case_mesh_name(from), region);
    return text;
}

/* Checks a number of diffusion steps in a time step; `bound`: kind of bound, `because`: its origin. */
static mt_status check_steps(
    const mt_case *c, const char *where, const char *bound, double steps, const char *because)
{
    if (steps <= MT_CASE_PDE_STEPS_MOST) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: %s%.3g diffusion steps per time.dt_ms %g are needed: %s; allowed: at most %g, unless "
        "time.pde_steps sets more. Check the mesh's unit and the tissue (conductivities, chi_per_mm, "
        "cm_uF_mm2)",
        where, bound, steps, c->time.dt_ms, because, (double)MT_CASE_PDE_STEPS_MOST);
}

/* No mesh allows steps longer than h^2 / D_l of its mean element (slabs a quarter of that). */
mt_status mt_case_check_scale(const mt_case *from, const mt_case_parts *parts)
{
    char because[MT_CASE_PART_SIZE + 64], size[MT_CASE_PART_SIZE], name[MT_CASE_PART_NAME];
    if (from->time.pde_steps > 0 || mt_case_diffusing(from) != MT_DIFFUSING_EXPLICIT) return MT_OK;
    for (size_t k = 0; k < parts->n; k++) {
        const mt_case_part *part = &parts->part[k];
        const double h_mm = part->length_mm, d = mt_tissue_diffusivity_l(&part->tissue),
                     steps = from->time.dt_ms * d / (h_mm * h_mm);
        if (steps <= MT_CASE_PDE_STEPS_MOST) continue;
        MT_TRY(mt_case_part_size(parts, part, size));
        (void)snprintf(because, sizeof because, "element size %s, diffusivity %.3g mm^2/ms", size, d);
        MT_TRY(check_steps(from, mt_case_part_name(from, part, name), "at least ", steps, because));
    }
    return MT_OK;
}

mt_status mt_case_pde_steps(const mt_case *input, const mt_diffusion *diffusion, size_t *steps)
{
    char because[128];
    *steps = mt_case_diffusing(input) == MT_DIFFUSING_EXPLICIT ? input->time.pde_steps : 1;
    if (*steps > 0) return MT_OK;
    (void)snprintf(because, sizeof because, "the longest stable step is %.3g ms", diffusion->limit_dt_ms);
    MT_TRY(check_steps(
        input, mt_case_mesh_name(input), "", input->time.dt_ms / diffusion->limit_dt_ms, because));
    *steps = mt_monodomain_pde_steps(diffusion, input->time.dt_ms);
    return MT_OK;
}
