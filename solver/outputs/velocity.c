#include "solver/outputs/velocity.h"

#include <math.h>
#include <omp.h>
#include <stdbool.h>

#include "data/core/vec3.h"
#include "mesh/unknowns.h"
#include "solver/diffusion/nodal.h"
#include "solver/outputs/quadratic_fit.h"

const char *const mt_velocity_key[MT_VELOCITY_REASONS] = {[MT_VELOCITY_DEFINED] = "defined",
    [MT_VELOCITY_NOT_ACTIVATED] = "not_activated",
    [MT_VELOCITY_STIMULATED] = "stimulated",
    [MT_VELOCITY_FEW] = "few_elements",
    [MT_VELOCITY_UNEVEN] = "uneven",
    [MT_VELOCITY_TURNS] = "collision_or_origin",
    [MT_VELOCITY_FLAT] = "no_gradient"};

const char *const mt_velocity_label[MT_VELOCITY_REASONS] = {[MT_VELOCITY_DEFINED] = "defined",
    [MT_VELOCITY_NOT_ACTIVATED] = "undefined: not activated",
    [MT_VELOCITY_STIMULATED] = "undefined: stimulated",
    [MT_VELOCITY_FEW] = "undefined: too little activated tissue nearby",
    [MT_VELOCITY_UNEVEN] = "undefined: irregular activation",
    [MT_VELOCITY_TURNS] = "undefined: wavefronts collide or originate",
    [MT_VELOCITY_FLAT] = "undefined: no gradient of activation time"};

const char *const mt_velocity_short[MT_VELOCITY_REASONS] = {[MT_VELOCITY_DEFINED] = "none",
    [MT_VELOCITY_NOT_ACTIVATED] = "not activated",
    [MT_VELOCITY_STIMULATED] = "stimulated",
    [MT_VELOCITY_FEW] = "with too little tissue nearby",
    [MT_VELOCITY_UNEVEN] = "uneven",
    [MT_VELOCITY_TURNS] = "at collisions or origins",
    [MT_VELOCITY_FLAT] = "without a gradient"};

/* Ratio of successive radii, and ratio of a patch's radius to that of its first fit. */
static const double growth = 1.2, patch_share = 0.25;

enum { ROOM = MT_VELOCITY_ROOM };

typedef struct field {
    size_t n;
    double (*centre)[3];   /* [n] */
    const mt_nodal *nodal; /* of voltages at the vertices, with their neighbours; else NULL */
    mt_pattern pattern;    /* of elements */
    const double *activation_ms;
    const uint8_t *stimulated; /* NULL: none */
    const bool *wanted;        /* NULL: all */
    double radius_mm;
    size_t places, enough; /* MT_VELOCITY_PLACES, MT_VELOCITY_ENOUGH, or those of vertices */
    uint32_t n_patches;
    uint32_t *patch;  /* [n] patch of a conducting element */
    uint32_t *middle; /* [n_patches] its central element */
} field;

/* The fitted activation time of a patch. */
typedef struct patch {
    mt_velocity_reason reason;
    double radius_mm;
    mt_quadratic_function later_ms; /* fitted in positions relative to the central element, over radius_mm */
} patch;

/* The elements of a ball, found by neighbours. */
typedef struct ball {
    size_t n;
    uint32_t *element; /* [ROOM] */
    uint64_t *met;     /* [n_elements] bits; all 0 between searches */
} ball;

/* True if the element was activated by conduction. */
static bool conducted(const field *f, size_t element)
{
    return isfinite(f->activation_ms[element]) && !(f->stimulated && f->stimulated[element]);
}

static bool is_wanted(const field *f, size_t element) { return !f->wanted || f->wanted[element]; }

static mt_status make_ball(mt_arena *arena, size_t n, ball *b)
{
    *b = (ball){0};
    MT_ALLOC(arena, b->element, ROOM);
    MT_ALLOC(arena, b->met, n / 64 + 1);
    return MT_OK;
}

static bool has_met(const ball *b, uint32_t element) { return b->met[element / 64] >> element % 64 & 1; }

/* For an element that has not been met. */
static void meet(ball *b, uint32_t element)
{
    if (b->n == ROOM) return;
    b->met[element / 64] |= (uint64_t)1 << element % 64;
    b->element[b->n++] = element;
}

static void forget(ball *b)
{
    for (size_t k = 0; k < b->n; k++) b->met[b->element[k] / 64] = 0;
    b->n = 0;
}

/* Returns the neighbours of an element or vertex and their number. The rings of elements are stored. */
static const uint32_t *neighbours(const field *f, uint32_t of, size_t *n)
{
    if (f->nodal) {
        *n = f->nodal->start[of + 1] - f->nodal->start[of];
        return f->nodal->column + f->nodal->start[of];
    }
    const uint32_t *near = f->pattern.columns + f->pattern.width * of;
    *n = 0;
    while (*n < MT_RING_MAX && near[*n] != of) ++*n;
    return near;
}

/* Finds the elements within a radius of an element's centre, through neighbours that conducted, at most ROOM. */
static void find_ball(const field *f, uint32_t middle, double radius_mm, ball *b)
{
    const double most = radius_mm * radius_mm;
    forget(b);
    meet(b, middle);
    for (size_t k = 0; k < b->n; k++) {
        size_t n;
        const uint32_t *near = neighbours(f, b->element[k], &n);
        for (size_t j = 0; j < n; j++)
            if (!has_met(b, near[j]) && conducted(f, near[j]) &&
                mt_square3(f->centre[near[j]], f->centre[middle]) <= most)
                meet(b, near[j]);
    }
}

/* Fits the activation times of a ball's elements. */
static mt_velocity_reason fit_ball(const field *f, const ball *b, patch *p)
{
    const uint32_t middle = b->element[0];
    mt_quadratic_fit fit = {0};
    for (size_t k = 0; k < b->n; k++) {
        double u[3];
        mt_minus3(f->centre[b->element[k]], f->centre[middle], u);
        for (int axis = 0; axis < 3; axis++) u[axis] /= p->radius_mm;
        mt_quadratic_fit_add(&fit, u, f->activation_ms[b->element[k]] - f->activation_ms[middle]);
    }
    if (fit.n < f->places || !mt_quadratic_fit_solve(&fit, &p->later_ms)) return MT_VELOCITY_FEW;
    const bool even =
        p->later_ms.unexplained <= MT_VELOCITY_UNEXPLAINED && p->later_ms.slope_error <= MT_VELOCITY_ERROR;
    return even ? MT_VELOCITY_DEFINED : MT_VELOCITY_UNEVEN;
}

/* Fits the activation times around the middle of a patch. The ball grows until it has enough elements and the fit is good, or until its
 * largest size. */
static void fit_patch(const field *f, uint32_t middle, ball *b, patch *p)
{
    p->radius_mm = f->radius_mm;
    for (;; p->radius_mm *= growth) {
        find_ball(f, middle, p->radius_mm, b);
        const bool largest = b->n >= f->enough || p->radius_mm * growth > MT_VELOCITY_GROWTH * f->radius_mm;
        if (b->n < f->places && !largest) continue;
        p->reason = fit_ball(f, b, p);
        if (p->reason == MT_VELOCITY_DEFINED || largest) return;
    }
}

/* True if the fitted time has an extremum along its gradient within MT_VELOCITY_TURN of the radius. */
static bool turns(const mt_quadratic_function *later, const double gradient[3], double square)
{
    double along[3];
    for (int k = 0; k < 3; k++) along[k] = mt_dot3(later->curvature[k], gradient);
    const double second = mt_dot3(along, gradient) / square; /* along the unit vector */
    return fabs(second) > sqrt(square) / MT_VELOCITY_TURN;
}

static mt_velocity_reason find_velocity(
    const field *f, const patch *patches, size_t element, double velocity[3])
{
    double u[3], gradient[3];
    for (int axis = 0; axis < 3; axis++) velocity[axis] = NAN;
    if (!isfinite(f->activation_ms[element])) return MT_VELOCITY_NOT_ACTIVATED;
    if (!conducted(f, element)) return MT_VELOCITY_STIMULATED;
    const patch *p = &patches[f->patch[element]];
    if (p->reason != MT_VELOCITY_DEFINED) return p->reason;
    mt_minus3(f->centre[element], f->centre[f->middle[f->patch[element]]], u);
    for (int axis = 0; axis < 3; axis++) u[axis] /= p->radius_mm;
    mt_quadratic_gradient(&p->later_ms, u, gradient);
    const double square = mt_dot3(gradient, gradient), radius = p->radius_mm;
    if (!(square * MT_VELOCITY_MOST_MM_MS * MT_VELOCITY_MOST_MM_MS >= radius * radius))
        return MT_VELOCITY_FLAT;
    if (turns(&p->later_ms, gradient, square)) return MT_VELOCITY_TURNS;
    for (int axis = 0; axis < 3; axis++) velocity[axis] = gradient[axis] * radius / square;
    return MT_VELOCITY_DEFINED;
}

/* Assigns each conducting element to the patch with the nearest middle. The first element without a patch becomes the middle of the next
 * patch, with the elements around it within patch_share of the radius. */
static mt_status make_patches(mt_arena *arena, field *f)
{
    ball b;
    MT_TRY(make_ball(arena, f->n, &b));
    MT_ALLOC(arena, f->patch, f->n);
    MT_ALLOC(arena, f->middle, f->n);
    for (size_t c = 0; c < f->n; c++) f->patch[c] = UINT32_MAX;
    for (size_t c = 0; c < f->n; c++) {
        if (f->patch[c] != UINT32_MAX || !conducted(f, c)) continue;
        find_ball(f, (uint32_t)c, patch_share * f->radius_mm, &b);
        for (size_t k = 0; k < b.n; k++) {
            const uint32_t other = b.element[k], had = f->patch[other];
            if (had == UINT32_MAX || mt_square3(f->centre[other], f->centre[c]) <
                                         mt_square3(f->centre[other], f->centre[f->middle[had]]))
                f->patch[other] = f->n_patches;
        }
        f->middle[f->n_patches++] = (uint32_t)c;
    }
    return MT_OK;
}

/* Fits the patches of wanted elements. */
static mt_status fit_patches(mt_arena *arena, const field *f, patch **patches)
{
    const size_t n_threads = (size_t)omp_get_max_threads();
    ball *balls;
    bool *used;
    MT_ALLOC(arena, balls, n_threads);
    MT_ALLOC(arena, *patches, f->n_patches);
    MT_ALLOC(arena, used, f->n_patches);
    for (size_t c = 0; c < f->n; c++)
        if (conducted(f, c) && is_wanted(f, c)) used[f->patch[c]] = true;
    for (size_t t = 0; t < n_threads; t++) MT_TRY(make_ball(arena, f->n, &balls[t]));
#pragma omp parallel for schedule(dynamic, 64) num_threads((int)n_threads)
    for (uint32_t p = 0; p < f->n_patches; p++)
        if (used[p]) fit_patch(f, f->middle[p], &balls[omp_get_thread_num()], &(*patches)[p]);
    return MT_OK;
}

/* Stores the rings of all elements, as balls overlap and read each of them many times. */
static mt_status store_rings(mt_arena *scratch, field *f)
{
    uint32_t *ring;
    if (f->pattern.columns || f->nodal) return MT_OK;
    MT_ALLOC(scratch, ring, MT_RING_MAX * f->n);
#pragma omp parallel for schedule(static)
    for (size_t c = 0; c < f->n; c++)
        (void)mt_adjacency_ring(f->pattern.adjacency, c, ring + MT_RING_MAX * c);
    f->pattern.columns = ring;
    return MT_OK;
}

static mt_status find_all(
    mt_arena *scratch, const mt_unknowns *unknowns, field *f, double *velocity_mm_ms, uint8_t *reason)
{
    patch *patches;
    MT_ALLOC(scratch, f->centre, f->n);
#pragma omp parallel for schedule(static)
    for (size_t c = 0; c < f->n; c++) mt_unknowns_place(unknowns, c, f->centre[c]);
    MT_TRY(store_rings(scratch, f));
    MT_TRY(make_patches(scratch, f));
    MT_TRY(fit_patches(scratch, f, &patches));
#pragma omp parallel for schedule(static)
    for (size_t c = 0; c < f->n; c++) {
        if (!is_wanted(f, c)) continue;
        const mt_velocity_reason found = find_velocity(f, patches, c, velocity_mm_ms + 3 * c);
        if (reason) reason[c] = (uint8_t)found;
    }
    return MT_OK;
}

mt_status mt_velocity(const mt_mesh *mesh, const mt_diffusion *diffusion, double radius_mm,
    const double *activation_ms, const uint8_t *stimulated, const bool *wanted, double *velocity_mm_ms,
    uint8_t *reason)
{
    MT_SCRATCH(scratch);
    const mt_unknowns unknowns = {mesh, diffusion->nodal != NULL};
    field f = {.n = mt_unknowns_count(&unknowns),
        .nodal = diffusion->nodal,
        .pattern = mt_diffusion_pattern(diffusion),
        .activation_ms = activation_ms,
        .stimulated = stimulated,
        .wanted = wanted,
        .radius_mm = radius_mm,
        .places = unknowns.at_vertices ? MT_VELOCITY_VERTICES : MT_VELOCITY_PLACES,
        .enough = unknowns.at_vertices ? MT_VELOCITY_VERTICES_ENOUGH : MT_VELOCITY_ENOUGH};
    return find_all(scratch, &unknowns, &f, velocity_mm_ms, reason);
}
