#include <criterion/criterion.h>

#include "tests/app/program.h"

#include "app/run/problem.h"
#include "solver/backends/backend.h"
#include "tests/solver/small_case.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* Tissue regions of a case: media of the elements, the operator, the stimuli, a layer at the surface. */

#define REST "time: {dt_ms: 0.05, end_ms: 6}\nmachine: {backend: cpu}\n"
#define ALL "min_mm: [0, 0, 0], max_mm: [9, 9, 9]"

static mt_arena arena;

static void enter(void)
{
    enter_room();
    share_cache();
    omp_set_num_threads(1);
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(tissue_regions, .init = enter, .fini = leave);

static mt_status try_case(const char *text, const char *regions, mt_case *input, mt_problem *p)
{
    char whole[4000];
    (void)snprintf(whole, sizeof whole, "%s%s", text, regions);
    MT_TRY(mt_case_read(&arena, "a.yaml", whole, NULL, 0, input));
    return mt_problem_make(&arena, input, true, p);
}

/* Builds the problem in place, as a problem must not be copied. */
static void make(const char *text, const char *regions, mt_problem *p)
{
    mt_case *input = mt_arena_alloc(&arena, 1, sizeof *input);
    cr_assert_eq(try_case(text, regions, input, p), MT_OK, "%s", mt_message());
}

static const char small[] = SMALL_SLAB USUAL_TISSUE REST SMALL_STIMULUS("2");

static double x_of(const mt_problem *p, size_t c)
{
    double x[3];
    mt_mesh_centroid(&p->mesh, c, x);
    return x[0];
}

/* ---- media of the elements ---- */

Test(tissue_regions, each_region_changes_its_named_values_and_the_last_one_applies)
{
    mt_problem p;
    make(small,
        "regions:\n"
        "  - {min_mm: [0, 0, 0], max_mm: [2, 9, 9], conductivity_factor: 3, chi_per_mm: 200}\n"
        "  - {min_mm: [1, 0, 0], max_mm: [2, 9, 9], conductivity_factor: 0.5, extracellular_l_mS_mm: 0.7}\n"
        "  - {min_mm: [1.5, 0, 0], max_mm: [9, 9, 9], intracellular_t_mS_mm: 0.05, cm_uF_mm2: 0.02}\n"
        "diffusion: {spreading_of_cells: [0.055, 0.055, 0.055, 0.055]}\n",
        &p);
    cr_assert_eq(p.media.n, 4);
    for (size_t c = 0; c < p.mesh.n_elements; c++) {
        const double x = x_of(&p, c), factor = x < 1 ? 3 : x < 2 ? 0.5 : 1;
        const mt_medium *m = mt_media_at(&p.media, c);
        const bool last = x >= 1.5;
        cr_expect_eq(m->intracellular_l_mS_mm, factor * 0.17);
        cr_expect_eq(m->intracellular_t_mS_mm, last ? 0.05 : factor * 0.019);
        cr_expect_eq(m->extracellular_l_mS_mm, x >= 1 && x < 2 ? 0.7 : factor * 0.62);
        cr_expect_eq(m->extracellular_t_mS_mm, factor * 0.24);
        cr_expect(isnan(m->intracellular_n_mS_mm) && isnan(m->extracellular_n_mS_mm));
        cr_expect_eq(m->chi_per_mm, x < 2 ? 200 : 140);
        cr_expect_eq(m->cm_uF_mm2, last ? 0.02 : 0.01);
    }
}

Test(tissue_regions, non_conducting_elements_belong_to_no_tissue)
{
    mt_problem p;
    make(small,
        "regions:\n  - {min_mm: [2, 0, 0], max_mm: [9, 9, 9], non_conducting: true}\n"
        "  - {min_mm: [1, 0, 0], max_mm: [2.5, 9, 9], conductivity_factor: 2}\n",
        &p);
    cr_assert_lt(p.mesh.n_elements, p.whole.n_elements);
    cr_assert_eq(p.media.n, 2);
    for (size_t c = 0; c < p.mesh.n_elements; c++) cr_expect_eq(p.media.of[c], x_of(&p, c) > 1);
}

/* ---- the operator ---- */

static void expect_same_bits(const mt_problem *a, const mt_problem *b)
{
    const size_t n = a->mesh.n_elements;
    cr_assert_eq(a->diffusion.n_unknowns, b->diffusion.n_unknowns);
    cr_expect(!a->media.of && !b->media.of && !a->diffusion.capacity && !b->diffusion.capacity);
    char rows[2][MT_HASH_SIZE];
    cr_assert_eq(mt_diffusion_fingerprint(&a->diffusion, rows[0]), MT_OK);
    cr_assert_eq(mt_diffusion_fingerprint(&b->diffusion, rows[1]), MT_OK);
    cr_expect_str_eq(rows[0], rows[1]);
    cr_expect_eq(memcmp(a->diffusion.volume_mm3, b->diffusion.volume_mm3, n * sizeof(double)), 0);
    cr_expect_eq(memcmp(a->diffusion.kappa_ms, b->diffusion.kappa_ms, n * sizeof(double)), 0);
    cr_expect_eq(a->diffusion.limit_dt_ms, b->diffusion.limit_dt_ms);
    cr_assert_eq(a->monodomain.n_stimuli, b->monodomain.n_stimuli);
    cr_expect_eq(a->monodomain.stimulus->rise_mV_ms, b->monodomain.stimulus->rise_mV_ms);
}

Test(tissue_regions, a_region_with_the_default_values_changes_no_bit)
{
    mt_problem plain, same;
    make(small, "", &plain);
    make(small,
        "regions:\n  - {min_mm: [0, 0, 0], max_mm: [2, 9, 9], conductivity_factor: 1, chi_per_mm: 140}\n"
        "  - {min_mm: [1, 0, 0], max_mm: [2, 9, 9], intracellular_l_mS_mm: 0.17}\n",
        &same);
    expect_same_bits(&plain, &same);
}

#define ONE_STRENGTH "diffusion: {spreading_of_cells: [0.06]}\n"

Test(tissue_regions, a_region_of_all_elements_is_bit_identical_to_a_case_with_its_values)
{
    static const char other[] = SMALL_SLAB
        "tissue: {intracellular_l_mS_mm: 0.3, intracellular_t_mS_mm: 0.019, extracellular_l_mS_mm: 0.62, "
        "extracellular_t_mS_mm: 0.24, chi_per_mm: 200, cm_uF_mm2: 0.01}\ncell: {type: epi}\n" REST
            SMALL_STIMULUS("2");
    mt_problem plain, same;
    make(other, ONE_STRENGTH, &plain);
    make(small, "regions:\n  - {" ALL ", intracellular_l_mS_mm: 0.3, chi_per_mm: 200}\n" ONE_STRENGTH, &same);
    expect_same_bits(&plain, &same);
}

/* ---- stimuli ---- */

Test(tissue_regions, a_stimulus_current_raises_voltage_by_current_over_membrane_capacitance)
{
    mt_problem p;
    make(SMALL_SLAB USUAL_TISSUE REST
        "stimuli:\n"
        "  - {" ALL ", duration_ms: 1, strength_uA_mm3: 28}\n"
        "  - {min_mm: [2, 0, 0], max_mm: [9, 9, 9], duration_ms: 1, strength_uA_mm3: 14}\n",
        "regions:\n  - {min_mm: [0, 0, 0], max_mm: [1, 9, 9], chi_per_mm: 280}\n"
        "  - {min_mm: [0, 0, 0], max_mm: [2, 9, 9], conductivity_factor: 2}\n",
        &p);
    const mt_monodomain *m = &p.monodomain;
    cr_assert_eq(m->n_stimuli, 3);
    const size_t of[] = {0, 0, 1};
    cr_expect_arr_eq(m->stimulus_of, of, sizeof of);
    const double rise[] = {10, 20, 10};
    size_t n = 0;
    for (size_t s = 0; s < 3; s++) {
        cr_expect_float_eq(m->stimulus[s].rise_mV_ms, rise[s], 1e-12);
        for (size_t k = 0; k < m->stimulus[s].n_elements; k++) {
            const double x = x_of(&p, m->stimulus[s].element[k]);
            cr_expect(s == 0 ? x < 1 : s == 1 ? x > 1 : x > 2);
            cr_expect(k == 0 || m->stimulus[s].element[k] > m->stimulus[s].element[k - 1]);
        }
        if (s < 2) n += m->stimulus[s].n_elements;
    }
    cr_expect_eq(n, p.mesh.n_elements);
}

/* The vertices at x = 1 have half of their volume in either tissue: they have the first medium in the order of the regions. */
Test(tissue_regions, a_vertex_has_the_membrane_of_the_tissue_with_most_of_its_volume)
{
    mt_problem p;
    make(SMALL_SLAB USUAL_TISSUE REST "diffusion: {discretisation: nodes}\nstimuli:\n  - {" ALL
                                      ", duration_ms: 1, strength_uA_mm3: 28}\n",
        "regions:\n  - {min_mm: [0, 0, 0], max_mm: [1, 9, 9], chi_per_mm: 280}\n", &p);
    const mt_monodomain *m = &p.monodomain;
    cr_assert(p.unknowns.at_vertices && m->n_stimuli == 2 && p.media.n == 2);
    const bool other_first = p.media.medium[0].chi_per_mm == 280;
    size_t n = 0;
    for (size_t s = 0; s < 2; s++)
        for (size_t k = 0; k < m->stimulus[s].n_elements; k++, n++) {
            const double x = p.mesh.xyz_mm[3 * (size_t)m->stimulus[s].element[k]];
            const bool low = other_first ? x <= 1 : x < 1;
            cr_expect_float_eq(m->stimulus[s].rise_mV_ms, low ? 10 : 20, 1e-12, "at %g", x);
        }
    cr_expect_eq(n, p.mesh.n_vertices);
}

/* ---- a layer ---- */

/* Returns the activation times of all elements. */
static const double *run(mt_problem *p, double end_ms)
{
    void *self;
    double *activation_ms = mt_arena_alloc(&arena, p->mesh.n_elements, sizeof *activation_ms);
    cr_assert_eq(mt_backend_cpu.open(&arena, &p->monodomain, NULL, &self), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_backend_run(&p->monodomain, &mt_backend_cpu, self, 0,
                     (size_t)llround(end_ms / p->monodomain.dt_ms), NULL, NULL, NULL),
        MT_OK);
    mt_backend_cpu.read(self, MT_ARRAY_ACTIVATION, activation_ms);
    return activation_ms;
}

/* Returns the mean activation time of the elements with x from 5.5 to 6.5 mm, between two heights. */
static double arrival_ms(const mt_problem *p, const double *activation_ms, double from_mm, double to_mm)
{
    double sum = 0;
    size_t n = 0;
    for (size_t c = 0; c < p->mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&p->mesh, c, x);
        if (fabs(x[0] - 6) > 0.5 || x[2] < from_mm || x[2] > to_mm) continue;
        sum += activation_ms[c];
        n++;
    }
    cr_assert_gt(n, 10);
    return sum / (double)n;
}

typedef struct arrivals {
    double in_layer_ms, above_ms;
} arrivals;

/* Measures a slab of cubes with four times the conductivity below height_mm; 0 for none. */
static arrivals arrivals_of(double edge_mm, double height_mm)
{
    char slab[900], layer[200] = "";
    mt_problem p;
    (void)snprintf(slab, sizeof slab,
        "mesh: {slab: {size_mm: [8, 1, 3], edge_mm: %g}}\n" USUAL_TISSUE
        "time: {end_ms: 18}\nmachine: {backend: cpu}\nstimuli:\n"
        "  - {min_mm: [0, 0, 0], max_mm: [1.5, 9, 9], duration_ms: 2, strength_uA_mm3: 50}\n",
        edge_mm);
    if (height_mm > 0)
        (void)snprintf(layer, sizeof layer,
            "regions:\n  - {min_mm: [0, 0, 0], max_mm: [9, 9, %g], conductivity_factor: 4}\n", height_mm);
    make(slab, layer, &p);
    const double *activation_ms = run(&p, 18);
    return (arrivals){arrival_ms(&p, activation_ms, 0, 1), arrival_ms(&p, activation_ms, 2, 3)};
}

/* The layer conducts as fast as uniform tissue of its kind, minus up to a tenth by its load; the tissue above follows. On elements of half
 * the size all times agree to 2 %. */
Test(tissue_regions, a_fast_layer_conducts_ahead_and_the_adjacent_tissue_follows)
{
    const arrivals usual = arrivals_of(0.5, 0), layer = arrivals_of(0.5, 1), fast = arrivals_of(0.5, 3),
                   fine = arrivals_of(0.25, 1);
    cr_log_info(
        "in the layer and above it: without %.3f, %.3f; with %.3f, %.3f; fine %.3f, %.3f; all %.3f ms",
        usual.in_layer_ms, usual.above_ms, layer.in_layer_ms, layer.above_ms, fine.in_layer_ms, fine.above_ms,
        fast.in_layer_ms);
    cr_expect(layer.in_layer_ms >= fast.in_layer_ms && layer.in_layer_ms < 1.1 * fast.in_layer_ms);
    cr_expect_lt(layer.in_layer_ms, 0.7 * usual.in_layer_ms);
    cr_expect(layer.above_ms > layer.in_layer_ms && layer.above_ms < usual.above_ms);
    cr_expect_float_eq(layer.in_layer_ms / fine.in_layer_ms, 1, 0.02);
    cr_expect_float_eq(layer.above_ms / fine.above_ms, 1, 0.02);
}

/* ---- invalid regions ---- */

Test(tissue_regions, error_messages_name_the_key)
{
    static const struct {
        const char *region, *message;
    } row[] = {
        {"conductivity_factor: 0", "conductivity_factor: 0; allowed: at least 1e-06 and at most 1000"},
        {"intracellular_l_mS_mm: -1", "intracellular_l_mS_mm: -1; allowed: at least 1e-09 and at most 100"},
        {"conductivity: 2", "conductivity: unknown key; allowed here: "},
        {"extracellular_n_mS_mm: 0.1", "regions.0: extracellular_n_mS_mm is set, but the mesh has no sheets; "
                                       "allowed: only with sheets, which `myotile mesh fibres` writes"},
        {"conductivity_factor: 1000, cm_uF_mm2: 1.0e-6", "regions.0: at least "},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char regions[200];
        mt_case input;
        mt_problem p;
        (void)snprintf(regions, sizeof regions, "regions:\n  - {" ALL ", %s}\n", row[k].region);
        cr_expect_eq(try_case(small, regions, &input, &p), MT_INPUT, "row %zu", k);
        cr_expect(strstr(mt_message(), row[k].message), "%s", mt_message());
    }
    mt_case input;
    mt_problem p;
    static const char sheeted[] = SMALL_SLAB
        "tissue: {intracellular_l_mS_mm: 0.3, intracellular_t_mS_mm: 0.019, intracellular_n_mS_mm: "
        "0.01,extracellular_l_mS_mm: 0.62, extracellular_t_mS_mm: 0.24, chi_per_mm: 200, cm_uF_mm2: 0.01}\n"
        "cell: {type: epi}\n" REST SMALL_STIMULUS("2");
    cr_expect_eq(try_case(sheeted, "", &input, &p), MT_INPUT);
    cr_expect(strstr(mt_message(), "tissue: intracellular_n_mS_mm is set, but the mesh has no sheets; "
                                   "allowed: only with sheets, which `myotile mesh fibres` writes"),
        "%s", mt_message());
}
