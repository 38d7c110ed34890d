#include "solver/outputs/velocity.h"

#include <math.h>
#include <stdbool.h>

#include "data/vec3.h"
#include "solver/outputs/linear_fit.h"

enum { PLACES_MAX = 1 + MT_DIFFUSION_ROW, PLACES_LEAST = 5 };

typedef struct field {
    const double (*centre)[3]; /* [n] of elements */
    mt_pattern pattern;
    const double *activation_ms;
    const uint8_t *stimulated; /* NULL: none */
} field;

/* Places and times from those of an element, of which the first is the element itself. */
typedef struct neighbourhood {
    size_t n;
    double offset_mm[PLACES_MAX][3], later_ms[PLACES_MAX];
} neighbourhood;

/* Was it activated by a wave? */
static bool conducted(const field *f, size_t element)
{
    return isfinite(f->activation_ms[element]) && !(f->stimulated && f->stimulated[element]);
}

static void add_place(const field *f, size_t element, size_t other, neighbourhood *near)
{
    mt_minus3(f->centre[other], f->centre[element], near->offset_mm[near->n]);
    near->later_ms[near->n++] = f->activation_ms[other] - f->activation_ms[element];
}

static neighbourhood neighbours_of(const field *f, size_t element)
{
    neighbourhood near = {0};
    add_place(f, element, element, &near);
    uint32_t ring[MT_RING_MAX];
    const uint32_t *column = mt_pattern_row(&f->pattern, element, ring);
    for (size_t k = 0; k < MT_DIFFUSION_ROW; k++) {
        const size_t other = column[k];
        if (other != element && conducted(f, other)) add_place(f, element, other, &near);
    }
    return near;
}

/* Does the fit explain the times, but for the share that is allowed? */
static bool is_linear(const neighbourhood *near, const mt_linear_function *fit)
{
    const double n = (double)near->n;
    double mean = 0, total = 0, residual = 0;
    for (size_t k = 0; k < near->n; k++) mean += near->later_ms[k] / n;
    for (size_t k = 0; k < near->n; k++) {
        const double from_mean = near->later_ms[k] - mean,
                     left = near->later_ms[k] - fit->value - mt_dot3(fit->slope, near->offset_mm[k]);
        total += from_mean * from_mean;
        residual += left * left;
    }
    return residual / (n - 4) <= MT_VELOCITY_UNEXPLAINED * total / (n - 1);
}

static void find_velocity(const field *f, size_t element, double velocity_mm_ms[3])
{
    for (int axis = 0; axis < 3; axis++) velocity_mm_ms[axis] = NAN;
    if (!conducted(f, element)) return;
    const neighbourhood near = neighbours_of(f, element);
    if (near.n < PLACES_LEAST) return;
    mt_linear_fit fit = {0};
    mt_linear_function fitted;
    for (size_t k = 0; k < near.n; k++) mt_linear_fit_add(&fit, near.offset_mm[k], near.later_ms[k]);
    if (!mt_linear_fit_solve(&fit, &fitted) || !is_linear(&near, &fitted)) return;
    const double square = mt_dot3(fitted.slope, fitted.slope);
    if (!(square * MT_VELOCITY_MOST_MM_MS * MT_VELOCITY_MOST_MM_MS >= 1)) return;
    for (int axis = 0; axis < 3; axis++) velocity_mm_ms[axis] = fitted.slope[axis] / square;
}

static mt_status find_all(mt_arena *scratch, const mt_mesh *mesh, field *f, double *velocity_mm_ms)
{
    double(*centre)[3];
    MT_ALLOC(scratch, centre, mesh->n_elements);
#pragma omp parallel for schedule(static)
    for (size_t c = 0; c < mesh->n_elements; c++) mt_mesh_centroid(mesh, c, centre[c]);
    f->centre = (const double(*)[3])centre;
#pragma omp parallel for schedule(static)
    for (size_t c = 0; c < mesh->n_elements; c++) find_velocity(f, c, velocity_mm_ms + 3 * c);
    return MT_OK;
}

mt_status mt_velocity(const mt_mesh *mesh, const mt_diffusion *diffusion, const double *activation_ms,
    const uint8_t *stimulated, double *velocity_mm_ms)
{
    mt_arena scratch = {0};
    field f = {
        .pattern = mt_diffusion_pattern(diffusion), .activation_ms = activation_ms, .stimulated = stimulated};
    const mt_status status = find_all(&scratch, mesh, &f, velocity_mm_ms);
    mt_arena_free(&scratch);
    return status;
}
