#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "mesh/make/slab.h"
#include "solver/diffusion/diffusion.h"
#include "tests/random.h"

/* Lean operators: rows that are recomputed equal the stored rows, to the bit. */

enum { ROW = MT_DIFFUSION_ROW };

static const mt_tissue tissue[2] = {
    {0.0953 * 1.4, 0.0126 * 1.4, 140, 0.01, 0.004}, {0.05 * 1.4, 0.02 * 1.4, 140, 0.013, 0.01}};

typedef struct problem {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    uint16_t *of;
    mt_tissues tissues;
    mt_diffusion_scheme scheme;
    mt_diffusion kept, lean;
} problem;

static void make_directions(problem *p)
{
    cr_assert_eq(mt_mesh_new_fibres(&p->arena, &p->mesh), MT_OK);
    p->mesh.sheet = mt_arena_alloc(&p->arena, 3 * p->mesh.n_elements, sizeof *p->mesh.sheet);
    p->of = mt_arena_alloc(&p->arena, p->mesh.n_elements, sizeof *p->of);
    for (size_t c = 0; c < p->mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&p->mesh, c, x);
        const double fibre[3] = {cos(3 * x[2]) + 0.4 * sin(3 * x[1]), sin(3 * x[2]) + 0.5 * cos(3 * x[0]),
            0.6 * sin(3 * (x[0] + x[1])) + 0.2},
                     sheet[3] = {x[1], 1, x[0]};
        cr_assert(mt_mesh_put_directions(&p->mesh, c, fibre, sheet));
        p->of[c] = x[0] > 0.5;
    }
}

static void make_operator(problem *p, bool lean, mt_diffusion *op)
{
    const mt_diffusion_options options = {.lean = lean};
    cr_assert_eq(
        mt_diffusion_make_with(&p->arena, &p->mesh, &p->adjacency, &p->tissues, &p->scheme, &options, op),
        MT_OK, "%s", mt_message());
}

/* Builds a unit cube of boxes with displaced inner vertices, two tissues and sheets; some elements are limited, some slowed. */
static void make(problem *p)
{
    uint64_t seed = 1;
    *p = (problem){
        .scheme = {.damping = 1, .spreading = 0.055, .front_ms = 0.5, .correction = MT_CORRECTION_MINIMUM}};
    cr_assert_eq(mt_slab_make_cut(&p->arena, (double[]){1, 1, 1}, 0.2, MT_SLAB_KUHN, &p->mesh), MT_OK);
    for (size_t k = 0; k < 3 * p->mesh.n_vertices; k++) {
        const double move = 0.3 * 0.2 * between(&seed, -1, 1);
        double *x = p->mesh.xyz_mm + k;
        if (*x > 1e-9 && *x < 1 - 1e-9) *x += move;
    }
    (void)mt_mesh_orient(&p->mesh);
    make_directions(p);
    p->tissues = (mt_tissues){2, tissue, p->of};
    cr_assert_eq(mt_adjacency_make(&p->arena, &p->mesh, &p->adjacency), MT_OK);
    make_operator(p, false, &p->kept);
    make_operator(p, true, &p->lean);
    cr_assert(p->kept.n_limited > 0);
}

static void expect_row(const problem *p, uint32_t element, const double *rate)
{
    const mt_pattern pattern = mt_diffusion_pattern(&p->lean);
    uint32_t ring[MT_RING_MAX];
    cr_assert(memcmp(rate, p->kept.rate + ROW * (size_t)element, ROW * sizeof *rate) == 0, "row %u", element);
    cr_assert(memcmp(mt_pattern_row(&pattern, element, ring), p->kept.column + ROW * (size_t)element,
                  sizeof ring) == 0,
        "columns of row %u", element);
}

/* All elements in random order, in lists of 1 to 700. */
Test(rows, recomputed_rows_of_a_lean_operator_do_not_depend_on_the_element_list)
{
    enum { MOST = 700 };
    problem p;
    mt_diffusion_rows rows;
    uint64_t seed = 3;
    make(&p);
    const size_t n = p.mesh.n_elements;
    cr_assert(!p.lean.rate && !p.lean.column && n > MOST);
    uint32_t *element = mt_arena_alloc(&p.arena, n, sizeof *element);
    for (size_t k = 0; k < n; k++) {
        const size_t other = draw(&seed, k + 1);
        element[k] = element[other];
        element[other] = (uint32_t)k;
    }
    cr_assert_eq(mt_diffusion_rows_allocate(&p.arena, &p.lean, MOST, &rows), MT_OK);
    for (size_t first = 0, length = 1; first < n; first += length, length = 1 + draw(&seed, MOST)) {
        if (length > n - first) length = n - first;
        const double *rate = mt_diffusion_rows_of(&rows, length, element + first);
        for (size_t k = 0; k < length; k++) expect_row(&p, element[first + k], rate + ROW * k);
    }
    mt_arena_free(&p.arena);
}

/* Apart from the rows the two operators are equal. */
Test(rows, a_lean_operator_has_the_same_fingerprint_and_accepts_its_rows)
{
    problem p;
    char kept[MT_HASH_SIZE], lean[MT_HASH_SIZE], other[MT_HASH_SIZE];
    make(&p);
    cr_assert_eq(mt_diffusion_fingerprint(&p.kept, kept), MT_OK);
    cr_assert_eq(mt_diffusion_fingerprint(&p.lean, lean), MT_OK);
    cr_assert_str_eq(kept, lean);
    cr_assert_eq(mt_diffusion_keep_rows(&p.arena, &p.lean), MT_OK);
    for (size_t c = 0; c < p.mesh.n_elements; c++) expect_row(&p, (uint32_t)c, p.lean.rate + ROW * c);
    p.kept.rate[7] *= 1 + 1e-15;
    cr_assert_eq(mt_diffusion_fingerprint(&p.kept, other), MT_OK);
    cr_assert_str_neq(kept, other);
    mt_arena_free(&p.arena);
}
