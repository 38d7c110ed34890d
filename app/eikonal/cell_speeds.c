#include "app/eikonal/cell_speeds.h"

#include <math.h>

#include "app/eikonal/cell_front.h"
#include "data/core/progress.h"
#include "solver/waves/calibration.h"

size_t mt_cell_speeds_variant(const mt_problem *p, size_t element)
{
    const uint16_t *variant_of = p->monodomain.variant_of;
    const uint32_t *vertex = p->mesh.element_vertex + 4 * element;
    size_t most = 0, variant = p->monodomain.variant;
    if (!variant_of) return variant;
    if (!p->unknowns.at_vertices) return variant_of[element];
    for (size_t i = 0; i < 4; i++) {
        size_t n = 0;
        for (size_t j = 0; j < 4; j++) n += variant_of[vertex[j]] == variant_of[vertex[i]];
        if (n > most) most = n, variant = variant_of[vertex[i]];
    }
    return variant;
}

/* Measures CV of a variant, unless an earlier one has the same upstroke. upstroke [variants]: of those that were measured. */
static mt_status measure_variant(const char *path, const mt_case *input, bool cached, const uint8_t *used,
    double (*upstroke)[MT_CALIBRATION_UPSTROKE], size_t variant, mt_cell_speeds *of)
{
    const mt_cell_model *model = of->problem->monodomain.model;
    const mt_cell_front front = {model, &of->variants[variant], input->time.dt_ms};
    mt_calibration_upstroke(model, &of->variants[variant], input->time.dt_ms, upstroke[variant]);
    for (size_t v = 0; v < variant; v++)
        if (used[v] && mt_calibration_same_upstroke(upstroke[v], upstroke[variant])) {
            of->speed_mm_ms[variant] = of->speed_mm_ms[v];
            return MT_OK;
        }
    MT_TRY(mt_cell_front_speed(&front, cached, &of->speed_mm_ms[variant]));
    if (isnan(of->speed_mm_ms[variant]))
        mt_warn("%s: cells \"%s\": found no propagation along a converged cable; they do not conduct", path,
            of->variants[variant].name);
    return MT_OK;
}

mt_status mt_cell_speeds_make(mt_arena *arena, const char *path, const mt_case *input, const mt_problem *p,
    bool cached, mt_cell_speeds *of)
{
    MT_SCRATCH(scratch);
    double(*upstroke)[MT_CALIBRATION_UPSTROKE];
    uint8_t *used;
    *of = (mt_cell_speeds){.problem = p, .default_mm2_ms = mt_tissue_diffusivity_l(&mt_tissue_default)};
    of->variants = mt_monodomain_variants(&p->monodomain, &of->n_variants);
    MT_ALLOC(arena, of->speed_mm_ms, of->n_variants);
    MT_ALLOC(scratch, upstroke, of->n_variants);
    MT_ALLOC(scratch, used, of->n_variants);
    for (size_t c = 0; c < p->mesh.n_elements; c++) used[mt_cell_speeds_variant(p, c)] = 1;
    for (size_t v = 0; v < of->n_variants; v++) {
        of->speed_mm_ms[v] = NAN;
        mt_progress_stage_part("CV of the cells", (double)v / (double)of->n_variants);
        if (used[v]) MT_TRY(measure_variant(path, input, cached, used, upstroke, v, of));
    }
    MT_TRY(mt_media_tissues(arena, &p->media, &of->tissues));
    return mt_fail_in(
        mt_case_mesh_name(input), mt_tissue_field_make(arena, &p->mesh, &of->tissues, &of->field));
}

bool mt_cell_speeds_squared(const mt_cell_speeds *of, size_t element, double along_axes[3])
{
    const mt_tissue_axes *axes = mt_tissue_field_at(&of->field, element);
    const double speed = of->speed_mm_ms[mt_cell_speeds_variant(of->problem, element)];
    for (size_t k = 0; k < 3; k++)
        along_axes[k] = speed * speed * axes->d[k] / (axes->capacity * of->default_mm2_ms);
    return !isnan(speed);
}

double mt_cell_speeds_tau_ms(const mt_cell_speeds *of, size_t element)
{
    const double speed = of->speed_mm_ms[mt_cell_speeds_variant(of->problem, element)];
    return of->default_mm2_ms / (speed * speed);
}

bool mt_cell_speeds_velocity(const void *context, size_t element, double squared[3][3])
{
    const mt_cell_speeds *of = context;
    double along_axes[3];
    if (!mt_cell_speeds_squared(of, element, along_axes)) return false;
    mt_tissue_field_tensor(&of->field, element, along_axes, squared);
    return true;
}
