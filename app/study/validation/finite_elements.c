#include "app/study/validation/finite_elements.h"

#include <math.h>

#include "data/core/offsets.h"
#include "data/core/vec3.h"
#include "solver/kernels/block.h"

/* Matrices and state of a run; n: number of vertices. */
typedef struct fe {
    const mt_finite_elements *problem;
    size_t n, substeps;
    size_t *start;                          /* [n + 1] row offsets; each row contains its diagonal */
    uint32_t *column;                       /* [start[n]] */
    double *stiffness;                      /* [start[n]] mm^3/ms */
    double *mass;                           /* [start[n]] mm^3, consistent */
    double *lumped;                         /* [n] mm^3, the row sums */
    double *diagonal;                       /* [n] of the mass matrix */
    double *v, *before;                     /* [n] mV */
    double *s, share;                       /* s: [n] spread reaction; share: its fraction */
    double *states;                         /* in the block layout of mt_block_index */
    double *rate;                           /* [n] M^-1 K v, mV/ms */
    double *residual, *direction, *product; /* [n] work vectors of conjugate gradients */
    mt_finite_elements_wave *wave;
} fe;

/* ---- the matrices ---- */

static bool conducts_by_sheets(const mt_tissue *tissue)
{
    return mt_tissue_diffusivity_n(tissue) != mt_tissue_diffusivity_t(tissue);
}

/* Computes K_e; returns V_e. */
static double element_stiffness(const fe *f, size_t element, double stiffness[4][4])
{
    const mt_mesh *mesh = f->problem->mesh;
    const double volume = mt_mesh_volume_mm3(mesh, element),
                 along = mt_tissue_diffusivity_l(f->problem->tissue),
                 across = mt_tissue_diffusivity_t(f->problem->tissue), any[3] = {1, 0, 0};
    double tensor[3][3], area[4][3];
    mt_tissue_tensor(along, across, mesh->fibre ? mesh->fibre + 3 * element : any, tensor);
    if (conducts_by_sheets(f->problem->tissue))
        mt_tissue_tensor_add_normal(mt_tissue_diffusivity_n(f->problem->tissue) - across,
            mesh->fibre + 3 * element, mesh->sheet + 3 * element, tensor);
    for (size_t i = 0; i < 4; i++) mt_mesh_face_area(mesh, element, i, area[i]);
    for (size_t i = 0; i < 4; i++) {
        double flux[3];
        for (size_t k = 0; k < 3; k++) flux[k] = mt_dot3(tensor[k], area[i]);
        for (size_t j = 0; j < 4; j++) stiffness[i][j] = mt_dot3(flux, area[j]) / (9 * volume);
    }
    return volume;
}

/* Finds the columns of all rows: the vertices of the elements at each vertex. */
static mt_status find_columns(mt_arena *scratch, fe *f)
{
    const mt_mesh *mesh = f->problem->mesh;
    size_t *first, room = 0;
    uint32_t *element, *last_row;
    MT_TRY(mt_offsets_make(scratch, mesh->n_elements, 4, mesh->element_vertex, f->n, &first, &element));
    MT_ALLOC(scratch, f->start, f->n + 1);
    MT_ALLOC(scratch, f->column, 16 * mesh->n_elements);
    MT_ALLOC(scratch, last_row, f->n);
    for (size_t i = 0; i < f->n; i++) {
        f->start[i] = room;
        for (size_t k = first[i]; k < first[i + 1]; k++)
            for (size_t j = 0; j < 4; j++) {
                const uint32_t vertex = mesh->element_vertex[4 * (size_t)element[k] + j];
                if (last_row[vertex] == i + 1) continue;
                last_row[vertex] = (uint32_t)i + 1;
                f->column[room++] = vertex;
            }
        if (first[i] == first[i + 1])
            return mt_fail(MT_INPUT, "finite elements: vertex %zu belongs to no element", i);
    }
    f->start[f->n] = room;
    return MT_OK;
}

static size_t entry_of(const fe *f, uint32_t row, uint32_t column)
{
    size_t k = f->start[row];
    while (f->column[k] != column) k++;
    return k;
}

/* Adds an element to the matrices. Returns the bound of its largest eigenvalue. */
static double add_element(fe *f, size_t element)
{
    const uint32_t *vertex = f->problem->mesh->element_vertex + 4 * element;
    double stiffness[4][4], trace = 0;
    const double volume = element_stiffness(f, element, stiffness);
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 4; j++) {
            const size_t k = entry_of(f, vertex[i], vertex[j]);
            f->stiffness[k] += stiffness[i][j];
            f->mass[k] += volume / 20 * (i == j ? 2 : 1);
        }
        f->lumped[vertex[i]] += volume / 4;
        f->diagonal[vertex[i]] += volume / 10;
        trace += stiffness[i][i];
    }
    return (f->problem->consistent ? 20 : 4) * trace / volume;
}

static mt_status assemble(mt_arena *scratch, fe *f)
{
    double highest_per_ms = 0;
    MT_TRY(find_columns(scratch, f));
    MT_ALLOC(scratch, f->stiffness, f->start[f->n]);
    MT_ALLOC(scratch, f->mass, f->start[f->n]);
    MT_ALLOC(scratch, f->lumped, f->n);
    MT_ALLOC(scratch, f->diagonal, f->n);
    for (size_t c = 0; c < f->problem->mesh->n_elements; c++)
        highest_per_ms = fmax(highest_per_ms, add_element(f, c));
    f->wave->limit_dt_ms = 0.9 * 2 / highest_per_ms;
    f->substeps = (size_t)ceil(f->problem->dt_ms / f->wave->limit_dt_ms);
    f->share = mt_splitting_compensation(f->problem->splitting, f->substeps);
    return MT_OK;
}

static void multiply(const fe *f, const double *matrix, const double *x, double *product)
{
    for (size_t i = 0; i < f->n; i++) {
        double sum = 0;
        for (size_t k = f->start[i]; k < f->start[i + 1]; k++) sum += matrix[k] * x[f->column[k]];
        product[i] = sum;
    }
}

static double dot(const fe *f, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < f->n; i++) sum += a[i] * b[i];
    return sum;
}

/* Solves mass * rate = residual by conjugate gradients with diagonal preconditioning, starting from the previous rate; overwrites
 * the residual. The condition number of the scaled matrix is at most 5 (A. J. Wathen, IMA J. Numer. Anal. 7 (1987) 449), so about
 * 20 iterations suffice. */
static void solve_mass(fe *f)
{
    enum { MOST = 200 };
    double least = 1e-20 * dot(f, f->residual, f->residual), before = 0;
    multiply(f, f->mass, f->rate, f->product);
    for (size_t i = 0; i < f->n; i++) f->residual[i] -= f->product[i];
    for (int k = 0; k < MOST && dot(f, f->residual, f->residual) > least; k++) {
        double now = 0;
        for (size_t i = 0; i < f->n; i++) now += f->residual[i] * f->residual[i] / f->diagonal[i];
        for (size_t i = 0; i < f->n; i++)
            f->direction[i] = f->residual[i] / f->diagonal[i] + (k > 0 ? now / before * f->direction[i] : 0);
        multiply(f, f->mass, f->direction, f->product);
        const double length = now / dot(f, f->direction, f->product);
        for (size_t i = 0; i < f->n; i++) {
            f->rate[i] += length * f->direction[i];
            f->residual[i] -= length * f->product[i];
        }
        before = now;
    }
}

/* ---- the time steps ---- */

/* Advances v to v* + s. */
static void react(fe *f)
{
    const mt_finite_elements *p = f->problem;
    for (size_t i = 0; i < f->n; i++) f->s[i] = -f->v[i];
    mt_cell_step_double(p->model, p->variant, NULL, p->dt_ms, f->n, f->states, f->v, f->v);
    for (size_t i = 0; i < f->n; i++) {
        f->s[i] = f->share * (f->v[i] + f->s[i]);
        f->v[i] += f->s[i];
    }
}

static void diffuse(fe *f)
{
    const double dt_ms = f->problem->dt_ms / (double)f->substeps;
    for (size_t k = 0; k < f->substeps; k++) {
        multiply(f, f->stiffness, f->v, f->residual);
        if (f->problem->consistent)
            solve_mass(f);
        else
            for (size_t i = 0; i < f->n; i++) f->rate[i] = f->residual[i] / f->lumped[i];
        for (size_t i = 0; i < f->n; i++) f->v[i] -= dt_ms * f->rate[i];
    }
}

static mt_status record(fe *f, double from_ms)
{
    for (size_t i = 0; i < f->n; i++) {
        const double before = f->before[i], now = f->v[i];
        if (!isfinite(now))
            return mt_fail(MT_NUMERICS, "finite elements: V is not a number at vertex %zu", i);
        f->before[i] = now;
        if (before < 0 && now >= 0 && isinf(f->wave->activation_ms[i]))
            f->wave->activation_ms[i] = from_ms + f->problem->dt_ms * before / (before - now);
    }
    return MT_OK;
}

static mt_status run(fe *f, mt_finite_elements_watch *watch, void *user)
{
    const mt_finite_elements *p = f->problem;
    const size_t stimulated = (size_t)llround(p->duration_ms / p->dt_ms),
                 end = (size_t)ceil(p->end_ms / p->dt_ms);
    bool goes_on = true;
    for (size_t step = 0; step < end && goes_on; step++) {
        for (size_t i = 0; step < stimulated && i < f->n; i++)
            if (p->stimulated[i]) f->v[i] += p->dt_ms * p->rise_mV_ms;
        react(f);
        diffuse(f);
        for (size_t i = 0; i < f->n; i++) f->v[i] -= f->s[i];
        MT_TRY(record(f, (double)step * p->dt_ms));
        goes_on = watch(user, step + 1, f->v, f->wave->activation_ms);
    }
    return MT_OK;
}

static mt_status begin(mt_arena *arena, mt_arena *scratch, fe *f)
{
    const mt_finite_elements *p = f->problem;
    const mt_cell_variant *variant = &p->model->variants[p->variant];
    const size_t n_states = p->model->n_states;
    MT_ALLOC(arena, f->wave->activation_ms, f->n);
    MT_ALLOC(scratch, f->v, f->n);
    MT_ALLOC(scratch, f->before, f->n);
    MT_ALLOC(scratch, f->s, f->n);
    MT_ALLOC(scratch, f->states, f->n * n_states);
    MT_ALLOC(scratch, f->rate, f->n);
    MT_ALLOC(scratch, f->residual, f->n);
    MT_ALLOC(scratch, f->direction, f->n);
    MT_ALLOC(scratch, f->product, f->n);
    for (size_t i = 0; i < f->n; i++) {
        f->v[i] = f->before[i] = variant->v_mV;
        f->wave->activation_ms[i] = INFINITY;
        for (size_t k = 0; k < n_states; k++)
            f->states[mt_block_index(f->n, n_states, i, k)] = variant->states[k];
    }
    return assemble(scratch, f);
}

static mt_status check(const mt_finite_elements *p)
{
    MT_TRY(mt_tissue_check(p->tissue));
    if (!p->mesh->fibre && mt_tissue_diffusivity_l(p->tissue) != mt_tissue_diffusivity_t(p->tissue))
        return mt_fail(MT_INPUT, "finite elements: the mesh has no fibres; needed for anisotropic tissue");
    if (!p->mesh->sheet && conducts_by_sheets(p->tissue))
        return mt_fail(MT_INPUT, "finite elements: the mesh has no sheets; needed for orthotropic tissue");
    if (p->dt_ms > 0 && p->dt_ms <= p->model->dt_max_ms) return MT_OK;
    return mt_fail(MT_INPUT, "finite elements: dt_ms is %g; %s is stable up to %g", p->dt_ms, p->model->name,
        p->model->dt_max_ms);
}

mt_status mt_finite_elements_run(mt_arena *arena, const mt_finite_elements *problem,
    mt_finite_elements_watch *watch, void *user, mt_finite_elements_wave *wave)
{
    MT_SCRATCH(scratch);
    fe f = {.problem = problem, .n = problem->mesh->n_vertices, .wave = wave};
    MT_TRY(check(problem));
    MT_TRY(begin(arena, scratch, &f));
    return run(&f, watch, user);
}
