/* The fronts of a problem: which kinds of cells have a law of their own, and how a case fixes it. */
#include "tests/app/program.h"
#include "tests/solver/small_case.h"

#include "app/run/measured_front.h"
#include "app/run/problem.h"
#include "data/core/progress.h"
#include "solver/cells/tp06/tp06.h"
#include "mesh/make/bisect.h"

#include <math.h>
#include <omp.h>
#include <string.h>

static const char small[] =
    SMALL_SLAB USUAL_TISSUE "time: {dt_ms: 0.05, end_ms: 2000}\n" SMALL_STIMULUS("2") "machine: {tiles: 4}\n";

static mt_arena arena;

static void enter(void)
{
    enter_room();
    share_cache(); /* for problems that are made with it */
    omp_set_num_threads(1);
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(fronts, .init = enter, .fini = leave);

static mt_status try_with(
    const mt_yaml_override *sets, size_t n, bool cached, mt_problem *problem, mt_case *input)
{
    cr_assert_eq(mt_case_read(&arena, "small", small, sets, n, input), MT_OK, "%s", mt_message());
    return mt_problem_make(&arena, input, cached, problem);
}

static mt_status try(const char *set, bool cached, mt_problem *problem, mt_case *input)
{
    return try_with(&(const mt_yaml_override){"test", set}, 1, cached, problem, input);
}

static void make(const char *set, bool cached, mt_problem *problem, mt_case *input)
{
    cr_assert_eq(try(set, cached, problem, input), MT_OK, "%s", mt_message());
}

/* Makes a problem with changed cells of the model that is quickest to compute. D_l / D_t of 17 is twice that of the default tissue, so that
 * they get a law of their own. */
static mt_status try_quick(const char *set, bool cached, mt_problem *problem, mt_case *input)
{
    const mt_yaml_override sets[] = {{"test", "cell.model=mitchell-schaeffer"},
        {"test", "cell.type=standard"}, {"test", "cell.scale=[tau_in=0.5]"}, {"test", "time.dt_ms=0.1"},
        {"test", "tissue.intracellular_t_mS_mm=0.008"}, {"test", set}};
    return try_with(sets, sizeof sets / sizeof *sets, cached, problem, input);
}

static void make_quick(const char *set, bool cached, mt_problem *problem, mt_case *input)
{
    cr_assert_eq(try_quick(set, cached, problem, input), MT_OK, "%s", mt_message());
}

Test(fronts, cells_of_the_model_and_those_with_the_same_upstroke_have_the_default_law)
{
    static const char *const sets[] = {"title=same", "cell.type=endo", "cell.scale=[g_Ks=0.5,g_Kr=2]"};
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        mt_problem p;
        mt_case input;
        make(sets[k], false, &p, &input);
        cr_expect_eq(p.fronts.spreading.n, 0, "%s", sets[k]);
        cr_expect(!p.fronts.front[0].measured, "%s", sets[k]);
    }
}

/* As a model that is imported from a file. */
Test(fronts, cells_of_a_model_without_measured_delays_have_a_law_of_their_own)
{
    mt_cell_model model = mt_cell_tp06;
    mt_problem p;
    mt_case input;
    make("title=same", false, &p, &input);
    model.identity = "a.mmt#1";
    model.n_delays = 0;
    model.delays = NULL;
    input.cell.model = &model;
    cr_assert_eq(mt_problem_make(&arena, &input, false, &p), MT_OK, "%s", mt_message());
    cr_expect_eq(p.monodomain.model, &model);
    cr_expect(p.fronts.front[0].measured && p.fronts.front[0].calibration.speed_l_mm_ms > 0.5);
}

Test(fronts, cells_with_less_sodium_current_have_a_law_of_their_own_in_their_region)
{
    mt_problem p;
    mt_case input;
    make("regions=[{min_mm: [2,0,0], max_mm: [3,2,1], scale: [g_Na=0.5]}]", false, &p, &input);
    const mt_fronts *f = &p.fronts;
    cr_assert_eq(f->n, 2);
    cr_expect_eq(f->spreading.n, 2);
    cr_expect(!f->front[0].measured && f->front[1].measured);
    cr_expect_eq(f->spreading.law[0].beta, input.diffusion.spreading);
    cr_expect_gt(f->spreading.law[1].beta, 1.2 * input.diffusion.spreading);
    for (size_t e = 0; e < p.mesh.n_elements; e++) {
        double x[3];
        mt_mesh_centroid(&p.mesh, e, x);
        cr_expect_eq(f->spreading.of[e], x[0] > 2);
    }
}

Test(fronts, a_case_that_fixes_the_laws_gets_the_same_operator)
{
    mt_problem p, q;
    mt_case input;
    char set[64], fingerprint[2][MT_HASH_SIZE];
    make_quick("title=strong", true, &p, &input);
    cr_assert_eq(p.fronts.spreading.n, 1);
    cr_assert_eq(mt_fronts_fix(&arena, &p.fronts, &input), MT_OK);
    cr_assert_eq(input.diffusion.n_spreading_of_cells, 1);
    const mt_case fixed = input;
    cr_assert_eq(mt_problem_make(&arena, &fixed, true, &q), MT_OK, "%s", mt_message());
    cr_expect(mt_fronts_same(&p.fronts, &q.fronts, p.mesh.n_elements));
    cr_assert_eq(mt_diffusion_fingerprint(&p.diffusion, fingerprint[0]), MT_OK);
    cr_assert_eq(mt_diffusion_fingerprint(&q.diffusion, fingerprint[1]), MT_OK);
    cr_expect_str_eq(fingerprint[0], fingerprint[1]);
    (void)snprintf(set, sizeof set, "diffusion.spreading_of_cells=[0.1,0.2]");
    cr_expect_eq(try_quick(set, false, &q, &input), MT_INPUT);
    cr_expect(
        strstr(mt_message(), "diffusion.spreading_of_cells: 2 numbers; allowed: 1"), "%s", mt_message());
}

/* Cells with the same upstroke share a measurement, also that of the rate at which they restore V. */
Test(fronts, a_case_that_fixes_shared_laws_gets_the_same_operator)
{
    mt_problem p, q;
    mt_case input;
    make_quick("regions=[{min_mm: [2,0,0], max_mm: [3,2,1], scale: [tau_out=1.01]}]", true, &p, &input);
    cr_assert_eq(p.fronts.spreading.n, 2);
    cr_assert(p.fronts.front[1].shared);
    cr_assert_eq(mt_fronts_fix(&arena, &p.fronts, &input), MT_OK);
    cr_assert_eq(input.diffusion.n_spreading_of_cells, 2);
    const mt_case fixed = input;
    cr_assert_eq(mt_problem_make(&arena, &fixed, true, &q), MT_OK, "%s", mt_message());
    cr_expect(mt_fronts_same(&p.fronts, &q.fronts, p.mesh.n_elements));
    cr_expect(q.fronts.front[1].shared);
}

Test(fronts, the_cache_returns_what_was_computed)
{
    mt_problem p, q;
    mt_case input;
    char path[80];
    (void)snprintf(path, sizeof path, "%s/cache", room);
    cr_assert_eq(setenv("XDG_CACHE_HOME", path, 1), 0);
    make_quick("title=strong", true, &p, &input);
    cr_expect(there("cache/myotile"), "nothing was stored");
    make_quick("title=strong", true, &q, &input);
    const mt_calibration *a = &p.fronts.front[0].calibration, *b = &q.fronts.front[0].calibration;
    cr_expect_eq(a->speed_l_mm_ms, b->speed_l_mm_ms);
    cr_expect_eq(a->errors.rms, b->errors.rms);
    cr_expect(mt_fronts_same(&p.fronts, &q.fronts, p.mesh.n_elements));
    make_quick("title=strong", false, &q, &input);
    cr_expect(mt_fronts_same(&p.fronts, &q.fronts, p.mesh.n_elements));
}

/* Of the pulses at 0, 30, 400 and 1400 ms only the third may meet cells that have not recovered. */
Test(fronts, the_shortest_coupling_interval_is_measured)
{
    mt_problem p;
    mt_case input;
    make("stimuli=[{min_mm: [0,0,0], max_mm: [1,2,1], duration_ms: 2, strength_uA_mm3: 50}, {min_mm: "
         "[2,0,0], max_mm: "
         "[3,2,1], start_ms: 30, duration_ms: 2, strength_uA_mm3: 50}, {min_mm: [0,0,0], max_mm: [1,2,1], "
         "start_ms: "
         "400, duration_ms: 2, strength_uA_mm3: 50}, {min_mm: [0,0,0], max_mm: [1,2,1], start_ms: 1400, "
         "duration_ms: 2, strength_uA_mm3: 50}]",
        false, &p, &input);
    const mt_front *front = &p.fronts.front[0];
    cr_expect_eq(p.fronts.interval_ms, 370);
    cr_expect(front->measured && front->conducts_early);
    cr_expect_gt(front->early.rms, front->calibration.errors.rms);
    cr_expect_eq(p.fronts.spreading.n, 0, "a premature beat changed the law");
}

/* Those of the cells at rest are kept for both discretisations, and so are those of the cells at the interval. */
Test(fronts, premature_beats_are_compared_with_cables_of_their_own)
{
    const mt_cell_model *model;
    const double upstroke[MT_CALIBRATION_UPSTROKE] = {0};
    mt_cell_variant rested;
    mt_corner_errors errors;
    mt_measured measured;
    bool conducts;
    cr_assert_eq(mt_cell_model_find("mitchell-schaeffer", &model), MT_OK);
    mt_corner corner = {.model = model,
        .cells = &model->variants[0],
        .tissue = &mt_tissue_default,
        .length_mm = 0.6,
        .dt_ms = 0.1};
    const mt_diffusion_scheme *scheme = &mt_diffusion_scheme_default;
    const mt_measuring measuring = {.corner = &corner,
        .scheme = scheme,
        .strength = &scheme->spreading,
        .upstroke = upstroke,
        .interval_ms = 350,
        .other = MT_OTHER_EARLY};
    cr_assert_eq(mt_measured_find(&measuring, false, &measured), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_calibration_rest(&arena, model, corner.cells, &rested), MT_OK);
    corner.cells = &rested;
    const mt_corner_method method = {.scheme = scheme, .law = &measured.calibration.law};
    cr_assert_eq(mt_calibration_early(&corner, &method, 350, &conducts, &errors), MT_OK, "%s", mt_message());
    cr_expect(conducts && measured.conducts_early);
    cr_expect_eq(
        memcmp(&errors, &measured.early, sizeof errors), 0, "rms %g and %g", errors.rms, measured.early.rms);
    cr_expect_neq(errors.rms, measured.calibration.errors.rms);
}

/* With another scheme the error is measured, but the law is that of the scheme. */
Test(fronts, a_strength_of_the_user_is_kept)
{
    mt_problem p;
    mt_case input;
    make_quick("diffusion.spreading=0.03", false, &p, &input);
    cr_expect_eq(p.fronts.spreading.n, 0);
    cr_expect(p.fronts.front[0].measured);
}

/* D_l / D_t of 21, almost three times that of the default tissue, where the default law makes activation early: a smaller strength fits. */
Test(fronts, cells_of_the_model_get_a_law_of_their_own_in_tissue_of_strong_anisotropy)
{
    mt_problem p;
    mt_case input;
    make("tissue.intracellular_t_mS_mm=0.0065", false, &p, &input);
    const mt_front *front = &p.fronts.front[0];
    cr_assert_eq(p.fronts.spreading.n, 1);
    cr_expect(front->measured);
    cr_expect_lt(front->calibration.law.beta, 0.9 * input.diffusion.spreading);
    cr_expect_lt(fabs(front->calibration.errors.mean), MT_CALIBRATION_KEPT);
    cr_expect_lt(front->calibration.errors.sector[MT_CORNER_SECTORS - 1], 0, "transverse activation is late");
}

/* D_l / D_t of 270 and 450 count as 61, so that the slab is small enough. The second case fixes the law of the first. */
Test(fronts, extreme_anisotropy_counts_as_the_largest_that_is_measured)
{
    mt_problem p, q;
    mt_case input;
    make_quick("tissue.intracellular_t_mS_mm=0.0005", false, &p, &input);
    cr_assert_eq(p.fronts.spreading.n, 1);
    cr_expect(mt_front_is_inaccurate(&p.fronts.front[0]));
    cr_assert_eq(mt_fronts_fix(&arena, &p.fronts, &input), MT_OK);
    input.tissue.intracellular_t_mS_mm = 0.0003;
    cr_assert_eq(mt_problem_make(&arena, &input, false, &q), MT_OK, "%s", mt_message());
    cr_expect(mt_fronts_same(&p.fronts, &q.fronts, q.mesh.n_elements));
    cr_expect(isfinite(q.fronts.front[0].calibration.errors.rms));
    cr_expect_eq(q.fronts.front[0].calibration.errors.rms, p.fronts.front[0].calibration.errors.rms);
}

/* The half of the slab with x above 1.5 mm has much smaller elements. These are many, but the wavefront crosses as much tissue with large
 * ones. Errors are proportional to squares of sizes. */
Test(fronts, many_small_elements_do_not_hide_large_ones)
{
    mt_problem p;
    mt_case input;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_bisected done;
    mt_fronts fronts;
    uint8_t selected[288];
    double sum_mm3 = 0, sum_mm5 = 0, x[3];
    make("title=graded", false, &p, &input);
    cr_assert_eq(p.mesh.n_elements, sizeof selected);
    for (size_t e = 0; e < sizeof selected; e++) {
        mt_mesh_centroid(&p.mesh, e, x);
        selected[e] = x[0] > 1.5;
    }
    cr_assert_eq(mt_bisect(&arena, &p.mesh, selected, 0.15, &mesh, &done), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_adjacency_make(&arena, &mesh, &adjacency), MT_OK, "%s", mt_message());
    for (size_t e = 0; e < mesh.n_elements; e++) {
        const double volume_mm3 = mt_mesh_volume_mm3(&mesh, e);
        sum_mm3 += volume_mm3;
        sum_mm5 += volume_mm3 * pow(volume_mm3, 2. / 3);
    }
    const double expected_mm = sqrt(sum_mm5 / sum_mm3);
    cr_assert_eq(
        mt_fronts_make(&arena, &input, &mesh, &adjacency, &p.media, &p.monodomain, false, &fronts), MT_OK);
    cr_assert_eq(fronts.n, 1);
    cr_expect_float_eq(fronts.front[0].length_mm, expected_mm, 0.1 * expected_mm, "%g, expected %g",
        fronts.front[0].length_mm, expected_mm);
    cr_expect_gt(fronts.front[0].length_mm, 1.5 * mt_mesh_length_mm(&mesh));
}

/* The tissue of a vertex is that with the largest volume of its elements; at x of 1.5 mm both have the same volume. */
Test(fronts, a_vertex_has_the_front_of_its_cells_in_its_tissue)
{
    static const char *const regions[] = {
        "regions=[{min_mm: [1.5,0,0], max_mm: [3,2,1], conductivity_factor: 3}]",
        "regions=[{min_mm: [1.5,0,0], max_mm: [3,2,1], conductivity_factor: 3, scale: [tau_in=0.7]}]"};
    for (int k = 0; k < 2; k++) {
        const mt_yaml_override sets[] = {{"test", "cell.model=mitchell-schaeffer"},
            {"test", "cell.type=standard"}, {"test", "diffusion.discretisation=nodes"}, {"test", regions[k]}};
        mt_problem p;
        mt_case input;
        cr_assert_eq(try_with(sets, 4, true, &p, &input), MT_OK, "%s", mt_message());
        const uint16_t *variant_of = p.monodomain.variant_of;
        for (size_t v = 0; v < p.mesh.n_vertices; v++) {
            const double x_mm = p.mesh.xyz_mm[3 * v];
            const mt_front *front = &p.fronts.front[p.fronts.of_unknown[v]];
            if (x_mm != 1.5) cr_expect_eq(front->medium, x_mm > 1.5, "x %g mm", x_mm);
            cr_expect_eq(front->variant, variant_of ? variant_of[v] : p.monodomain.variant);
        }
    }
}

/* ---- blocks of premature beats ---- */

static char said[2048];

static void add_message(const char *kind, const char *text)
{
    const size_t used = strlen(said);
    (void)snprintf(said + used, sizeof said - used, "%s: %s\n", kind, text);
}

/* Returns the warnings about a second pulse without capture, in cells with this error at an interval of 320 ms. The stimulus has
 * `parts` parts; the second part captures. */
static const char *said_of_block(double early_rms, bool conducts_early, size_t lost, bool site, size_t parts)
{
    static const mt_listener listener = {.message = add_message};
    const uint32_t first = 0, second = 1;
    uint16_t of[2] = {0, 1};
    const mt_stimulus stimuli[3] = {{.duration_ms = 2, .n_elements = 1, .element = &first},
        {.n_elements = 1, .element = &second}, {.n_elements = 1, .element = &second}};
    const size_t stimulus_of[3] = {0, 1, 1};
    const mt_monodomain problem = {.n_stimuli = 1 + parts, .stimulus = stimuli, .stimulus_of = stimulus_of};
    mt_case_stimulus asked[2] = {{.duration_ms = 2}, {.start_ms = 320, .site = site}};
    const mt_case input = {.n_stimuli = 2, .stimuli = asked};
    mt_capture capture[3] = {{.judged = 1}, {.judged = 1, .lost = lost, .first_lost_ms = 320}, {.judged = 1}};
    const mt_results results = {.capture = capture};
    mt_front front[2] = {{.name = "epi", .measured = true, .conducts_early = true, .early = {.rms = 0.01}},
        {.name = "weak",
            .measured = true,
            .length_mm = 0.35,
            .conducts_early = conducts_early,
            .early = {.rms = early_rms, .mean = early_rms}}};
    const mt_fronts fronts = {.n = 2, .interval_ms = 320, .front = front, .of_unknown = of};
    said[0] = 0;
    mt_listen(&listener);
    mt_fronts_warn_of_block("a.yaml", &input, &problem, &results, &fronts);
    return said;
}

Test(fronts, a_premature_pulse_without_capture_is_doubted_where_the_mesh_is_coarse)
{
    const char *text = said_of_block(0.2, true, 1, false, 1);
    cr_expect(
        strstr(text,
            "warning: a.yaml: stimuli.1: found no capture at 320 ms in cells \"weak\" with an element size "
            "of 0.35 mm; expected activation times at the shortest coupling interval, 320 ms: about 20 % "
            "off"),
        "%s", text);
    cr_expect_null(strstr(text, "stimuli.0"));
    cr_expect(strstr(said_of_block(INFINITY, true, 1, false, 1), "propagation fails"), "%s", said);
    cr_expect_str_empty(said_of_block(0.04, true, 1, false, 1), "an error below 5 %%: %s", said);
    cr_expect_str_empty(said_of_block(0, false, 1, false, 1), "block on a converged cable: %s", said);
    cr_expect_str_empty(said_of_block(0.2, true, 0, false, 1), "capture: %s", said);
    cr_expect_str_empty(said_of_block(0.2, true, 1, true, 1), "a site: %s", said);
    cr_expect_str_empty(said_of_block(0.2, true, 1, false, 2), "capture by another part: %s", said);
}
