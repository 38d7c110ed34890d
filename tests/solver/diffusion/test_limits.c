#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/make/slab.h"
#include "solver/diffusion/diffusion.h"
#include "solver/diffusion/limits.h"
#include "tests/random.h"

/* Stored results of the analysis of an operator: the key covers all input, damaged bytes are detected, and an operator built from stored
 * results is the same. */

static const mt_tissue muscle = {0.0953 * 1.4, 0.0126 * 1.4, 140, 0.01, 0};
static const mt_tissues one = {1, &muscle, NULL};
enum { ROW = MT_DIFFUSION_ROW };

static const mt_diffusion_scheme weak = {.damping = 1, .correction = MT_CORRECTION_OVER_RELAXED};

typedef struct problem {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_diffusion op;
    mt_limits known;
} problem;

/* Builds a unit cube of boxes with displaced inner vertices; some elements are limited. */
static void make(problem *p)
{
    uint64_t seed = 1;
    *p = (problem){0};
    cr_assert_eq(mt_slab_make_cut(&p->arena, (double[]){1, 1, 1}, 0.2, MT_SLAB_KUHN, &p->mesh), MT_OK);
    for (size_t k = 0; k < 3 * p->mesh.n_vertices; k++) {
        double move = 0.25 * 0.2 * between(&seed, -1, 1), *x = p->mesh.xyz_mm + k;
        if (*x > 1e-9 && *x < 1 - 1e-9) *x += move;
    }
    for (size_t c = 0; c < p->mesh.n_elements; c++) {
        double x[3], f[3], length = 0;
        mt_mesh_centroid(&p->mesh, c, x);
        f[0] = cos(3 * x[2]) + 0.4 * sin(3 * x[1]);
        f[1] = sin(3 * x[2]) + 0.5 * cos(3 * x[0]);
        f[2] = 0.6 * sin(3 * (x[0] + x[1])) + 0.2;
        for (size_t k = 0; k < 3; k++) length += f[k] * f[k];
        for (size_t k = 0; k < 3; k++) p->mesh.fibre[3 * c + k] = f[k] / sqrt(length);
    }
    cr_assert_eq(mt_adjacency_make(&p->arena, &p->mesh, &p->adjacency), MT_OK);
    cr_assert_eq(mt_diffusion_make(&p->arena, &p->mesh, &p->adjacency, &muscle, &weak, &p->op), MT_OK, "%s",
        mt_message());
    cr_assert(p->op.n_limited > 0);
    cr_assert_eq(mt_diffusion_limits(&p->arena, &p->op, &p->known), MT_OK);
}

static void same_operator(const mt_diffusion *a, const mt_diffusion *b)
{
    const size_t n = a->n_unknowns;
    cr_assert_eq(memcmp(a->rate, b->rate, ROW * n * sizeof *a->rate), 0);
    cr_assert_eq(memcmp(a->column, b->column, ROW * n * sizeof *a->column), 0);
    cr_assert_eq(memcmp(a->theta, b->theta, n * sizeof *a->theta), 0);
    cr_assert_eq(memcmp(a->volume_mm3, b->volume_mm3, n * sizeof *a->volume_mm3), 0);
    cr_assert(a->limit_dt_ms == b->limit_dt_ms && a->top_per_ms == b->top_per_ms);
    cr_assert(a->n_indefinite == b->n_indefinite && a->n_limited == b->n_limited &&
              a->n_slivers == b->n_slivers && a->n_rounds == b->n_rounds);
}

/* Counts the calls of the progress function during the search. */
static bool count_searches(void *user, const char *stage, double done)
{
    cr_assert(done >= 0 && done <= 1, "%s: %g", stage, done);
    *(size_t *)user += strstr(stage, "coupling") == NULL;
    return true;
}

static void make_known(problem *p, const mt_limits *known, size_t *searches)
{
    mt_diffusion op;
    *searches = 0;
    const mt_diffusion_options options = {.known = known, .watch = {count_searches, searches}};
    cr_assert_eq(
        mt_diffusion_make_with(&p->arena, &p->mesh, &p->adjacency, &one, &weak, &options, &op), MT_OK);
    same_operator(&p->op, &op);
}

Test(limits, known_limits_skip_the_search_and_yield_the_same_bits)
{
    problem p;
    size_t searches;
    make(&p);
    make_known(&p, NULL, &searches);
    cr_assert(searches > 0);
    make_known(&p, &p.known, &searches);
    cr_assert_eq(searches, 0);
    mt_arena_free(&p.arena);
}

/* Each is intact as bytes but cannot belong to this mesh, so the analysis is repeated. */
Test(limits, known_limits_that_do_not_fit_the_mesh_are_ignored)
{
    problem p;
    size_t searches;
    make(&p);
    const uint32_t wrong[4][2] = {
        {(uint32_t)p.op.n_unknowns, 0}, {0, 1}, {p.known.limited[0], p.known.limited[0]}, {UINT32_MAX, 1}};
    for (int k = 0; k < 7; k++) {
        mt_limits known = p.known;
        if (k < 4) known.limited = wrong[k], known.n_limited = 2;
        if (k == 4) known.limit_dt_ms = -1;
        if (k == 5) known.top_per_ms = NAN;
        if (k == 6) known.n_indefinite = known.n_limited - 1;
        make_known(&p, &known, &searches);
        cr_assert(searches > 0, "%d", k);
    }
    mt_arena_free(&p.arena);
}

static void key_of(
    const problem *p, const mt_tissue *tissue, const mt_diffusion_scheme *scheme, char key[MT_HASH_SIZE])
{
    cr_assert_eq(mt_limits_key(&p->mesh, &(mt_tissues){1, tissue, NULL}, scheme, NULL, key), MT_OK);
}

static void expect_new_key(const problem *p, const mt_tissues *tissues, size_t *n, char keys[][MT_HASH_SIZE])
{
    cr_assert_eq(mt_limits_key(&p->mesh, tissues, &mt_diffusion_scheme_default, NULL, keys[*n]), MT_OK);
    for (size_t k = 0; k < *n; k++) cr_expect_str_neq(keys[*n], keys[k], "%zu and %zu", *n, k);
    (*n)++;
}

Test(limits, the_key_depends_on_the_tissues_their_elements_and_relevant_sheets)
{
    problem p;
    size_t n = 0;
    char keys[8][MT_HASH_SIZE], again[MT_HASH_SIZE];
    make(&p);
    const size_t n_elements = p.mesh.n_elements;
    uint16_t *of = mt_arena_alloc(&p.arena, n_elements, sizeof *of);
    double *sheet = mt_arena_alloc(&p.arena, 3 * n_elements, sizeof *sheet);
    mt_tissue two[2] = {muscle, muscle};
    for (size_t c = 0; c < n_elements; c++) sheet[3 * c + 1] = 1;
    two[1].sigma_l_mS_mm *= 2;
    expect_new_key(&p, &one, &n, keys);
    of[0] = 1;
    expect_new_key(&p, &(mt_tissues){2, two, of}, &n, keys);
    of[1] = 1;
    expect_new_key(&p, &(mt_tissues){2, two, of}, &n, keys);
    two[1].sigma_t_mS_mm *= 2;
    expect_new_key(&p, &(mt_tissues){2, two, of}, &n, keys);
    two[1].chi_per_mm *= 2;
    expect_new_key(&p, &(mt_tissues){2, two, of}, &n, keys);
    p.mesh.sheet = sheet;
    cr_assert_eq(mt_limits_key(&p.mesh, &one, &mt_diffusion_scheme_default, NULL, again), MT_OK);
    cr_expect_str_eq(again, keys[0], "sheets that no tissue knows");
    two[1].sigma_n_mS_mm = 0.01;
    expect_new_key(&p, &(mt_tissues){2, two, of}, &n, keys);
    expect_new_key(&p, &(mt_tissues){1, &two[1], NULL}, &n, keys);
    sheet[1] = -1;
    expect_new_key(&p, &(mt_tissues){2, two, of}, &n, keys);
    mt_arena_free(&p.arena);
}

Test(limits, the_key_depends_on_the_laws_of_the_spreading)
{
    problem p;
    char keys[5][MT_HASH_SIZE];
    make(&p);
    uint16_t *of = mt_arena_alloc(&p.arena, p.mesh.n_elements, sizeof *of);
    mt_spreading_law law[2] = {{0.055, 0.1, false}, {0.1, 0.1, false}};
    const mt_spreading spreading = {2, law, of};
    for (int k = 0; k < 5; k++) {
        if (k == 2) of[3] = 1;
        if (k == 3) law[1].reaction_ms = 0.2;
        if (k == 4) law[1].limits_kappa = true;
        cr_assert_eq(
            mt_limits_key(&p.mesh, &one, &mt_diffusion_scheme_default, k > 0 ? &spreading : NULL, keys[k]),
            MT_OK);
        for (int i = 0; i < k; i++) cr_expect_str_neq(keys[k], keys[i], "%d and %d", k, i);
    }
    mt_arena_free(&p.arena);
}

Test(limits, the_key_depends_on_everything_that_affects_the_limits)
{
    problem p;
    const mt_diffusion_scheme scheme = mt_diffusion_scheme_default;
    char key[MT_HASH_SIZE], other[MT_HASH_SIZE];
    make(&p);
    key_of(&p, &muscle, &scheme, key);
    key_of(&p, &muscle, &scheme, other);
    cr_assert_str_eq(key, other);
    for (int k = 0; k < 4; k++) {
        mt_tissue tissue = muscle;
        double *value = &tissue.sigma_l_mS_mm + k;
        *value = nextafter(*value, 1e9);
        key_of(&p, &tissue, &scheme, other);
        cr_assert_str_neq(key, other, "tissue %d", k);
    }
    mt_diffusion_scheme other_scheme[] = {scheme, scheme, scheme, scheme};
    other_scheme[0].damping = nextafter(scheme.damping, 2);
    other_scheme[1].spreading = nextafter(scheme.spreading, 2);
    other_scheme[2].front_ms = nextafter(scheme.front_ms, 2);
    other_scheme[3].correction = MT_CORRECTION_OVER_RELAXED;
    for (int k = 0; k < 4; k++) {
        key_of(&p, &muscle, &other_scheme[k], other);
        cr_assert_str_neq(key, other, "scheme %d", k);
    }
    mt_diffusion_scheme plain[] = {mt_diffusion_scheme_plain, mt_diffusion_scheme_plain};
    plain[1].front_ms = 1; /* used only with spreading */
    key_of(&p, &muscle, &plain[0], key);
    key_of(&p, &muscle, &plain[1], other);
    cr_assert_str_eq(key, other);
    key_of(&p, &muscle, &scheme, key);
    double *of_mesh[2] = {
        p.mesh.xyz_mm + 3 * p.mesh.n_vertices - 1, p.mesh.fibre + 3 * p.mesh.n_elements - 1};
    for (int k = 0; k < 2; k++) {
        const double was = *of_mesh[k];
        *of_mesh[k] = nextafter(was, 1e9);
        key_of(&p, &muscle, &scheme, other);
        *of_mesh[k] = was;
        cr_assert_str_neq(key, other, "of the mesh, %d", k);
    }
    uint32_t *v = p.mesh.element_vertex;
    const uint32_t first = v[0];
    v[0] = v[1], v[1] = v[2], v[2] = first;
    key_of(&p, &muscle, &scheme, other);
    cr_assert_str_neq(key, other, "elements");
    p.mesh.fibre = NULL;
    key_of(&p, &muscle, &scheme, key);
    cr_assert_str_neq(key, other, "without fibres");
    mt_arena_free(&p.arena);
}

Test(limits, limits_are_restored_from_their_bytes)
{
    problem p;
    void *bytes;
    size_t n;
    mt_limits back;
    make(&p);
    cr_assert_eq(mt_limits_pack(&p.arena, &p.known, &bytes, &n), MT_OK);
    cr_assert_eq(n, 80 + 4 * p.known.n_limited);
    cr_assert(mt_limits_unpack(bytes, n, &back));
    cr_assert(back.limit_dt_ms == p.known.limit_dt_ms && back.top_per_ms == p.known.top_per_ms &&
              back.n_indefinite == p.known.n_indefinite && back.n_rounds == p.known.n_rounds);
    cr_assert_eq(back.n_limited, p.known.n_limited);
    cr_assert_eq(memcmp(back.limited, p.known.limited, back.n_limited * sizeof *back.limited), 0);
    cr_assert(!mt_limits_unpack(bytes, n - 1, &back) && !mt_limits_unpack(bytes, 28, &back));
    mt_arena_free(&p.arena);
}

/* ---- values of a lean operator ---- */

static const mt_diffusion_scheme spread = {
    .damping = 1, .correction = MT_CORRECTION_OVER_RELAXED, .spreading = 0.5, .front_ms = 0.01};

/* Counts all calls of the progress function. */
static bool count_calls(void *user, const char *stage, double done)
{
    (void)stage, (void)done;
    ++*(size_t *)user;
    return true;
}

/* Builds a lean operator. `calls`: of the progress function; 0 if no stars were computed. */
static void make_lean(
    problem *p, const mt_diffusion_scheme *scheme, const mt_limits *known, mt_diffusion *op, size_t *calls)
{
    *calls = 0;
    const mt_diffusion_options options = {.known = known, .lean = true, .watch = {count_calls, calls}};
    cr_assert_eq(
        mt_diffusion_make_with(&p->arena, &p->mesh, &p->adjacency, &one, scheme, &options, op), MT_OK);
}

static void same_lean(problem *p, mt_diffusion *a, mt_diffusion *b)
{
    char hash[2][MT_HASH_SIZE];
    const size_t n = a->n_unknowns;
    cr_assert_eq(mt_diffusion_fingerprint(a, hash[0]), MT_OK);
    cr_assert_eq(mt_diffusion_fingerprint(b, hash[1]), MT_OK);
    cr_assert_str_eq(hash[0], hash[1]);
    cr_assert(!a->kappa_ms == !b->kappa_ms && !a->slowed == !b->slowed && a->n_slowed == b->n_slowed);
    if (a->slowed) cr_assert_eq(memcmp(a->slowed, b->slowed, n * sizeof *a->slowed), 0);
    if (a->kappa_ms) cr_assert_eq(memcmp(a->kappa_ms, b->kappa_ms, n * sizeof *a->kappa_ms), 0);
    cr_assert_eq(mt_diffusion_keep_rows(&p->arena, a), MT_OK);
    cr_assert_eq(mt_diffusion_keep_rows(&p->arena, b), MT_OK);
    same_operator(a, b);
}

/* Stores the values of a lean operator as bytes and restores them. */
static void restore(problem *p, const mt_diffusion *op, mt_limits *known)
{
    mt_limits found;
    void *bytes;
    size_t n;
    cr_assert_eq(mt_diffusion_limits(&p->arena, op, &found), MT_OK);
    cr_assert_eq(mt_limits_pack(&p->arena, &found, &bytes, &n), MT_OK);
    cr_assert_eq(n, 80 + 8 * found.n_limited + 16 * found.n_raised + 8 * found.n_kappa);
    cr_assert(mt_limits_unpack(bytes, n, known));
    mt_limits other;
    cr_assert(!mt_limits_unpack(bytes, n - 4, &other) && !mt_limits_unpack(bytes, n - 8, &other));
}

Test(limits, a_lean_operator_is_rebuilt_from_its_values_without_stars)
{
    const mt_diffusion_scheme *const schemes[2] = {&weak, &spread};
    problem p;
    make(&p);
    for (int k = 0; k < 2; k++) {
        mt_diffusion first, again;
        mt_limits known;
        size_t calls;
        make_lean(&p, schemes[k], NULL, &first, &calls);
        cr_assert(calls > 0 && first.n_limited > 0 && (k == 0 || first.n_slowed > 0), "%d", k);
        restore(&p, &first, &known);
        make_lean(&p, schemes[k], &known, &again, &calls);
        cr_assert_eq(calls, 0);
        same_lean(&p, &first, &again);
    }
    mt_arena_free(&p.arena);
}

/* Each has intact bytes but cannot belong to this operator, so that it is computed. */
Test(limits, values_that_do_not_fit_the_mesh_are_ignored)
{
    problem p;
    mt_diffusion first, again;
    mt_limits known;
    size_t calls;
    make(&p);
    const uint32_t descending[2] = {1, 0}, beyond[2] = {0, (uint32_t)p.op.n_unknowns};
    const double bad_volume[2] = {1, NAN};
    const float bad_slowed[2] = {1, 0.5F}, bad_theta = 2;
    make_lean(&p, &spread, NULL, &first, &calls);
    restore(&p, &first, &known);
    cr_assert(known.n_raised >= 2 && known.n_limited > 0);
    for (int k = 0; k < 7; k++) {
        mt_limits wrong = known;
        if (k < 4) wrong.n_raised = 2;
        if (k == 0) wrong.raised = descending;
        if (k == 1) wrong.raised = beyond;
        if (k == 2) wrong.volume_mm3 = bad_volume;
        if (k == 3) wrong.slowed = bad_slowed;
        if (k == 4) wrong.theta = &bad_theta, wrong.n_limited = 1;
        if (k == 5) wrong.n_kappa = 0;
        if (k == 6) wrong.has_values = false;
        make_lean(&p, &spread, &wrong, &again, &calls);
        cr_assert(calls > 0, "%d", k);
    }
    mt_arena_free(&p.arena);
}

/* Results of another version of the algorithm must not be reused. If these numbers change, MT_LIMITS_VERSION must be increased; they
 * must not change otherwise. The limit is determined to a thousandth by a fixed number of steps: another compiler can change only
 * rounding. */
Test(limits, results_match_the_version_number_of_the_algorithm)
{
    problem p;
    make(&p);
    cr_assert_eq(MT_LIMITS_VERSION, 6);
    cr_assert_float_eq(p.op.limit_dt_ms, 0.00643301809571627, 1e-9 * 0.0064, "%.17g", p.op.limit_dt_ms);
    cr_assert_eq(p.op.n_limited, 1, "%zu", p.op.n_limited);
    mt_arena_free(&p.arena);
}

/* ---- the progress function ---- */

typedef struct patience {
    size_t calls, allowed;
} patience;

static bool lose_patience(void *user, const char *stage, double done)
{
    (void)stage, (void)done;
    patience *p = user;
    return ++p->calls <= p->allowed;
}

/* At any stage the construction stops when the function returns false, without another call. */
Test(limits, construction_can_be_interrupted_at_any_point)
{
    problem p;
    make(&p);
    patience all = {0, SIZE_MAX};
    for (size_t allowed = 0; allowed <= all.calls || all.calls == 0; allowed += 1 + allowed / 8) {
        mt_arena arena = {0};
        mt_diffusion op;
        patience some = {0, all.calls == 0 ? SIZE_MAX : allowed};
        const mt_diffusion_options options = {.watch = {lose_patience, &some}};
        const mt_status status =
            mt_diffusion_make_with(&arena, &p.mesh, &p.adjacency, &one, &weak, &options, &op);
        if (all.calls == 0) {
            cr_assert_eq(status, MT_OK);
            all = some;
            allowed = 0;
        } else {
            cr_assert_eq(status, allowed < all.calls ? MT_STOPPED : MT_OK);
            cr_assert_eq(some.calls, allowed < all.calls ? allowed + 1 : all.calls);
        }
        mt_arena_free(&arena);
    }
    cr_assert(all.calls > 40, "%zu", all.calls);
    mt_arena_free(&p.arena);
}
