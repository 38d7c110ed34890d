/* Tissue with changed cells in a part of it: far from the border each half behaves like a single cell of its kind. */
#include <criterion/criterion.h>

#include <math.h>
#include <omp.h>

#include "solver/cells/parameters.h"
#include "solver/cells/tp06/tp06.h"
#include "tests/solver/slab_problem.h"

static const double dt_ms = 0.02;

/* APD90 of voltages that are passed one by one. */
typedef struct apd {
    double rest_mV, peak_mV, before_mV, rose_ms, length_ms; /* the last two 0: not yet reached */
} apd;

static void look(apd *a, double t_ms, double v_mV)
{
    if (a->before_mV < 0 && v_mV >= 0 && a->rose_ms == 0) a->rose_ms = t_ms;
    a->peak_mV = fmax(a->peak_mV, v_mV);
    const bool over =
        a->rose_ms > 0 && t_ms > a->rose_ms + 50 && v_mV < a->peak_mV - 0.9 * (a->peak_mV - a->rest_mV);
    if (over && a->length_ms == 0) a->length_ms = t_ms - a->rose_ms;
    a->before_mV = v_mV;
}

/* Returns the APD90 of a single cell, stimulated like the tissue. */
static double alone(const mt_cell_variant *variant)
{
    double constants[MT_CELL_CONSTANTS], state[TP06_STATES], v_mV = variant->v_mV;
    apd a = {.rest_mV = v_mV, .peak_mV = v_mV, .before_mV = v_mV};
    mt_cell_constants_double(&mt_cell_tp06, variant, 1, constants);
    memcpy(state, variant->states, sizeof state);
    for (size_t k = 0; a.length_ms == 0 && k < 25000; k++) {
        if (k < 100) v_mV += dt_ms * 50 / 1.4;
        mt_cell_react_double(&mt_cell_tp06, constants, 1, NULL, dt_ms, 1, state, &v_mV, &v_mV);
        look(&a, dt_ms * (double)(k + 1), v_mV);
    }
    return a.length_ms;
}

/* Half of g_Kr from x = 10 mm on; all elements are stimulated at once, so there is no propagation. The halves influence each other
 * within a few mm of the border, and not at the ends. */
Test(region_cells, tissue_with_halved_g_Kr_repolarises_as_late_as_a_cell)
{
    static slab_problem s;
    mt_cell_variant variants[2] = {mt_cell_tp06.variants[TP06_EPI]};
    const mt_yaml_override half = {"here", "g_Kr=0.5"};
    const mt_cell_request asked = {.scales = &half, .n_scales = 1};
    omp_set_num_threads(1); /* too few elements for several threads */
    make_slab_problem(&s, (double[]){20, 1, 1}, 1);
    make_problem(&s, (double[]){21, 2, 2});
    cr_assert_eq(mt_cell_variant_change(&s.arena, &mt_cell_tp06, &variants[0], &asked, &variants[1]), MT_OK);
    uint16_t *of = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *of);
    double *v_mV = mt_arena_alloc(&s.arena, s.mesh.n_elements, sizeof *v_mV);
    size_t at[3] = {0}; /* elements near the left end, the border and the right end */
    for (size_t e = 0; e < s.mesh.n_elements; e++) {
        double x[3];
        mt_mesh_centroid(&s.mesh, e, x);
        of[e] = x[0] > 10;
        if (x[0] < 1) at[0] = e;
        if (x[0] < 10) at[1] = e;
        if (x[0] > 19) at[2] = e;
    }
    s.problem.variants = variants, s.problem.n_variants = 2, s.problem.variant_of = of;
    const mt_backend *backend = mt_backend_find("cpu");
    void *self;
    cr_assert_eq(backend->open(&s.arena, &s.problem, NULL, &self), MT_OK, "%s", mt_message());
    apd a[3];
    for (int k = 0; k < 3; k++) a[k] = (apd){-85.23, -85.23, -85.23, 0, 0};
    for (size_t step = 0; step < 18000; step += 10) {
        cr_assert_eq(backend->advance(self, step, 10), MT_OK);
        backend->read(self, MT_ARRAY_V, v_mV);
        for (int k = 0; k < 3; k++) look(&a[k], dt_ms * (double)(step + 10), v_mV[at[k]]);
    }
    const double usual = alone(&variants[0]), longer = alone(&variants[1]) - usual;
    cr_log_info("APD90 of a single cell %g ms, %g ms longer; in tissue %g, %g and %g ms", usual, longer,
        a[0].length_ms, a[1].length_ms, a[2].length_ms);
    cr_expect(longer > 15 && longer < 30, "%g ms", longer);
    cr_expect_float_eq(a[0].length_ms, usual, 1, "%g ms, not %g", a[0].length_ms, usual);
    cr_expect_float_eq(a[2].length_ms - a[0].length_ms, longer, 1, "%g ms longer, not %g",
        a[2].length_ms - a[0].length_ms, longer);
    cr_expect_float_eq(a[1].length_ms, (a[0].length_ms + a[2].length_ms) / 2, 4, "%g ms", a[1].length_ms);
    mt_arena_free(&s.arena);
}
