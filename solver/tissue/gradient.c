#include "solver/tissue/gradient.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/core/vec3.h"
#include "mesh/anatomy/fibres.h"
#include "mesh/vertex_mean.h"

const char *const mt_gradient_along_name[] = {[MT_GRADIENT_DEPTH] = "depth",
    [MT_GRADIENT_APEX_TO_BASE] = "apex_to_base",
    [MT_GRADIENT_X] = "x",
    [MT_GRADIENT_Y] = "y",
    [MT_GRADIENT_Z] = "z",
    NULL};

/* The origin and direction of s if it is a height. */
typedef struct ruler {
    double from_mm[3], toward[3], length_mm;
} ruler;

static mt_status heart_ruler(const mt_mesh *whole, ruler *r)
{
    mt_landmarks landmarks;
    double way[3];
    MT_TRY(mt_fail_in("along: apex_to_base", mt_landmarks_find(whole, &landmarks)));
    memcpy(r->from_mm, whole->xyz_mm + 3 * landmarks.apex, sizeof r->from_mm);
    memcpy(r->toward, landmarks.up, sizeof r->toward);
    mt_minus3(landmarks.base_mm, r->from_mm, way);
    r->length_mm = mt_dot3(way, r->toward);
    return MT_OK;
}

static void box_ruler(const mt_mesh *whole, int axis, ruler *r)
{
    double high_mm[3];
    mt_mesh_box(whole, r->from_mm, high_mm);
    r->toward[axis] = 1;
    r->length_mm = high_mm[axis] - r->from_mm[axis];
}

static double height_of(const ruler *r, const mt_unknowns *unknowns, size_t unknown)
{
    double place[3], way[3];
    mt_unknowns_place(unknowns, unknown, place);
    mt_minus3(place, r->from_mm, way);
    return mt_dot3(way, r->toward) / r->length_mm;
}

/* Computes the depth of each unknown. */
static mt_status find_depths(mt_arena *scratch, const mt_unknowns *unknowns, double **depth)
{
    const mt_mesh *mesh = unknowns->mesh;
    float *single;
    *depth = mesh->depth;
    if (!unknowns->at_vertices) return MT_OK;
    MT_ALLOC(scratch, single, mesh->n_elements);
    for (size_t e = 0; e < mesh->n_elements; e++) single[e] = (float)mesh->depth[e];
    return mt_vertex_mean(scratch, mesh, single, depth);
}

static uint8_t step_at(double s)
{
    return (uint8_t)fmin(fmax(floor(s * MT_GRADIENT_STEPS), 0), MT_GRADIENT_STEPS - 1);
}

double mt_gradient_factor(const mt_gradient *gradient, uint8_t step)
{
    return gradient->first + (gradient->last - gradient->first) * (step + 0.5) / MT_GRADIENT_STEPS;
}

mt_status mt_gradient_steps(mt_arena *arena, const mt_gradient *gradient, const mt_mesh *whole,
    const mt_unknowns *unknowns, uint8_t **step)
{
    MT_SCRATCH(scratch);
    const bool by_depth = gradient->along == MT_GRADIENT_DEPTH;
    const size_t n = mt_unknowns_count(unknowns);
    ruler r = {.length_mm = 0};
    double *depth = NULL;
    MT_ALLOC(arena, *step, n);
    if (by_depth && !whole->depth)
        return mt_fail(MT_INPUT, "along: depth; the mesh has no depth: `myotile mesh fibres` writes it");
    if (by_depth) MT_TRY(find_depths(scratch, unknowns, &depth));
    if (gradient->along == MT_GRADIENT_APEX_TO_BASE) MT_TRY(heart_ruler(whole, &r));
    if (gradient->along >= MT_GRADIENT_X) box_ruler(whole, (int)gradient->along - MT_GRADIENT_X, &r);
    for (size_t k = 0; k < n; k++) (*step)[k] = step_at(by_depth ? depth[k] : height_of(&r, unknowns, k));
    return MT_OK;
}

/* Applies a factor to the unknowns of a step. */
static mt_status apply_factor(mt_arena *scratch, const mt_gradient *gradient, double factor, size_t n,
    const uint32_t *elements, mt_kinds *kinds)
{
    char text[128], by[64];
    const mt_yaml_override scale = {.from = "parameter:", .text = text};
    if (n == 0) return MT_OK;
    (void)snprintf(text, sizeof text, "%.64s=%.17g", gradient->parameter, factor);
    (void)snprintf(by, sizeof by, "%.32s %.4g", gradient->parameter, factor);
    return mt_kinds_change(scratch, kinds, by, n, elements, MT_KINDS_SAME_BASE,
        &(mt_cell_request){.scales = &scale, .n_scales = 1});
}

mt_status mt_gradient_apply(mt_arena *scratch, const mt_gradient *gradient, const mt_mesh *whole,
    const mt_unknowns *unknowns, mt_kinds *kinds)
{
    const size_t count = mt_unknowns_count(unknowns);
    uint8_t *step;
    uint32_t *list;
    MT_TRY(mt_gradient_steps(scratch, gradient, whole, unknowns, &step));
    MT_ALLOC(scratch, list, count);
    for (uint8_t here = 0; here < MT_GRADIENT_STEPS; here++) {
        size_t n = 0;
        for (size_t k = 0; k < count; k++)
            if (step[k] == here) list[n++] = (uint32_t)k;
        MT_TRY(apply_factor(scratch, gradient, mt_gradient_factor(gradient, here), n, list, kinds));
    }
    return MT_OK;
}
