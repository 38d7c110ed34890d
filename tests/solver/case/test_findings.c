#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh/make/slab.h"
#include "solver/cells/tp06/tp06.h"
#include "solver/case/case_on_mesh.h"
#include "solver/case/findings.h"
#include "data/core/progress.h"
#include "tests/solver/small_case.h"
#include "tests/sets.h"

static const char small[] =
    SMALL_SLAB USUAL_TISSUE "time: {end_ms: 8}\n" SMALL_STIMULUS("2") "machine: {backend: cpu}\n";

/* All findings, one per line. */
static char said[4096];

static void add(const char *kind, const char *text)
{
    const size_t used = strlen(said);
    cr_assert_str_eq(kind, "warning");
    (void)snprintf(said + used, sizeof said - used, "%s\n", text);
}

static void begin(void)
{
    static const mt_listener listener = {.message = add};
    said[0] = 0;
    mt_listen(&listener);
}

/* Returns the findings of the small case with one or two settings, before it runs. */
static const char *said_of_case(const char *set, const char *other)
{
    const char *const sets[] = {set, other};
    mt_arena arena = {0};
    mt_case c;
    const size_t n = other ? 2 : set ? 1 : 0;
    cr_assert_eq(mt_yaml_read(&arena, "small.yaml", small, &mt_case_table, sets_of(sets, n), n, &c), MT_OK,
        "%s", mt_message());
    begin();
    mt_findings_of_case("small.yaml", &c);
    mt_arena_free(&arena);
    return said;
}

static void expect(const char *found, const char *finding)
{
    char expected[512];
    (void)snprintf(expected, sizeof expected, "small.yaml: %s", finding);
    cr_expect(strstr(found, expected), "no '%s' in: %s", expected, found);
}

static void expect_silence(const char *found) { cr_expect_str_empty(found, "%s", found); }

Test(findings, a_typical_case_has_no_findings)
{
    expect_silence(said_of_case(NULL, NULL));
    /* whole numbers within the precision of decimals: 100 ms of 1/30 ms, and tenths in binary */
    expect_silence(said_of_case("time.dt_ms=0.0333333", "time.end_ms=100"));
    expect_silence(said_of_case("time.dt_ms=0.04", "stimuli.0.start_ms=0.36"));
    expect_silence(said_of_case("time.dt_ms=0.01", "stimuli.0.duration_ms=0.57"));
}

Test(findings, a_sampling_interval_too_long_for_qrs_durations_is_reported_if_there_are_electrodes)
{
    static const char electrode[] = "electrodes=[{name: V1, at_mm: [9, 0, 0]}]";
    expect(said_of_case("ecg.every_ms=5", electrode),
        "ecg.every_ms: found 5 ms, which limits the accuracy of QRS durations; usual: at most 2 ms\n");
    expect_silence(said_of_case("ecg.every_ms=2", electrode));
    expect_silence(said_of_case("ecg.every_ms=5", NULL));
}

/* More than a factor of four beyond measured values. Isotropic tissues, and three times the surface-to-volume ratio, are within it. */
Test(findings, cells_that_beat_without_stimuli_before_the_end_are_reported)
{
    static const char model[] = "cell={model: stewart, type: default}";
    expect(said_of_case(model, "time.end_ms=100"), "cell.model: found stewart; without stimuli its cells "
                                                   "activate at 98.6 ms, then about every 1224 ms");
    expect_silence(said_of_case(model, "time.end_ms=90"));
    expect_silence(
        said_of_case("cell={model: stewart, type: default, scale: [g_fNa=0]}", "time.end_ms=2000"));
    expect_silence(said_of_case("cell={model: courtemanche, type: default}", "time.end_ms=2000"));
}

Test(findings, tissue_values_far_from_measured_ones_are_reported_by_their_key)
{
    static const char *const wrong[][2] = {
        {"tissue.intracellular_l_mS_mm=1.7",
            "tissue.intracellular_l_mS_mm: found 1.7 mS/mm; usual 0.17 to 0.34\n"},
        {"tissue.intracellular_t_mS_mm=1.9",
            "tissue.intracellular_t_mS_mm: found 1.9 mS/mm; usual 0.019 to 0.06\n"},
        {"tissue.extracellular_l_mS_mm=62",
            "tissue.extracellular_l_mS_mm: found 62 mS/mm; usual 0.12 to 0.62\n"},
        {"tissue.extracellular_t_mS_mm=0.01",
            "tissue.extracellular_t_mS_mm: found 0.01 mS/mm; usual 0.08 to 0.24\n"},
        {"tissue.chi_per_mm=1400", "tissue.chi_per_mm: found 1400 per mm; usual 140 to 200\n"},
        {"tissue.cm_uF_mm2=1", "tissue.cm_uF_mm2: found 1 uF/mm^2; usual 0.01 to 0.02\n"},
        {"tissue.cm_uF_mm2=1", "tissue, chi times Cm: found 140 uF/mm^3; usual 1.4 to 4\n"},
        {"tissue.cm_uF_mm2=1",
            "tissue, longitudinal diffusivity: found 0.000953 mm^2/ms; usual 0.06 to 0.15\n"},
        {"tissue.cm_uF_mm2=1",
            "tissue, transverse diffusivity: found 0.0001258 mm^2/ms; usual 0.012 to 0.15\n"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        expect(said_of_case(wrong[k][0], NULL), wrong[k][1]);
    expect_silence(said_of_case("tissue.intracellular_t_mS_mm=0.17", "tissue.extracellular_t_mS_mm=0.62"));
    expect_silence(said_of_case("tissue.chi_per_mm=400", NULL));
}

Test(findings, stimulus_times_between_steps_are_reported_with_the_times_used)
{
    expect(said_of_case("stimuli.0.duration_ms=0.51", NULL),
        "stimuli.0.duration_ms: found 0.51 ms, which are 25.5 steps of 0.02 ms; used: 26 steps, 0.52 ms\n");
    expect(said_of_case("stimuli.0.start_ms=0.03", NULL),
        "stimuli.0.start_ms: found 0.03 ms, which are 1.5 steps of 0.02 ms; used: 2 steps, 0.04 ms\n");
    expect(said_of_case("stimuli.0.period_ms=3.009", "stimuli.0.count=2"),
        "stimuli.0.period_ms: found 3.009 ms, which are 150.45 steps of 0.02 ms; used: 150 steps, 3 ms\n");
}

/* Builds the case and its parts for a slab in boxes of 0.5 mm with some settings. */
static void make_parts(mt_arena *arena, const char *const *sets, size_t n, mt_case *c, mt_case_parts *parts)
{
    mt_mesh mesh;
    mt_media media;
    cr_assert_eq(mt_slab_make(arena, (double[]){3, 2, 1}, 0.5, &mesh), MT_OK);
    cr_assert_eq(mt_yaml_read(arena, "small.yaml", small, &mt_case_table, sets_of(sets, n), n, c), MT_OK,
        "%s", mt_message());
    cr_assert_eq(mt_case_media(arena, c, &mesh, &mesh, &media), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_case_parts_make(arena, &mesh, &media, parts), MT_OK);
}

/* Returns the findings for a slab in boxes of 0.5 mm, with elements of 0.275 mm, and up to three settings. */
static const char *said_of_slab(const char *set, const char *other, const char *third)
{
    const char *const sets[] = {set, other, third};
    const size_t n = third ? 3 : other ? 2 : set ? 1 : 0;
    mt_arena arena = {0};
    mt_case c;
    mt_case_parts parts;
    make_parts(&arena, sets, n, &c, &parts);
    begin();
    cr_assert_eq(mt_findings_of_mesh(&c, &parts), MT_OK, "%s", mt_message());
    mt_arena_free(&arena);
    return said;
}

static void expect_part(const char *found, const char *part)
{
    cr_expect(strstr(found, part), "no '%s' in: %s", part, found);
}

/* With an eighth of the diffusivity the elements correspond to 0.778 mm in the usual tissue, between two rows of the table. */
Test(findings, coarse_elements_are_reported_with_the_expected_activation_delay)
{
    const mt_cell_delay *row = &mt_cell_tp06.delays[2];
    const double length = 0.5 / cbrt(6) * sqrt(8),
                 part = (length - row[0].length_mm) / (row[1].length_mm - row[0].length_mm);
    char expected[256];
    expect_silence(said_of_slab(NULL, NULL, NULL));
    said_of_slab("tissue.chi_per_mm=1120", NULL, NULL);
    expect_part(said,
        "mesh.slab: conduction velocity (CV) is underestimated on this mesh: found element size 0.275 mm "
        "(cube root of the mean volume; mean edge length 0.618 mm); expected: activation times about ");
    (void)snprintf(expected, sizeof expected,
        "; expected: activation times about %.2g %% late (root mean square over all directions), as measured "
        "with tp06 at an element size of 0.778 mm in the default tissue, dt 0.02 ms; `myotile mesh refine` "
        "halves the element size",
        row[0].usual_percent + part * (row[1].usual_percent - row[0].usual_percent));
    expect_part(said, expected);
    said_of_slab("tissue.chi_per_mm=1400", NULL, NULL);
    expect_part(said, " % or more late (root mean square over all directions), as measured with tp06 at an "
                      "element size of 0.8 mm in the default tissue, dt ");
    /* a tenth of the diffusivity: the measured size scales with its square root */
    expect_part(
        said, "; propagation may fail with elements of more than 0.253 mm, the largest that were measured");
}

/* An eighth of the diffusivity in one half, applied twice in a quarter. The finding reports the region by its worst part. A region with
 * a smaller delay than the default tissue is not reported. */
Test(findings, regions_with_coarse_elements_are_reported_by_their_number)
{
    const char *slow =
        "regions=[{min_mm: [0, 0, 0], max_mm: [1.5, 2, 1], chi_per_mm: 1120}, {min_mm: [2, 0, 0], max_mm: "
        "[3, 2, 1], conductivity_factor: 4}, {min_mm: [0, 0, 0], max_mm: [1, 2, 1], cm_uF_mm2: 0.009}]";
    char whole[2048];
    (void)snprintf(whole, sizeof whole, "%s", said_of_slab("tissue.chi_per_mm=1120", NULL, NULL));
    said_of_slab(slow, NULL, NULL);
    expect_part(said, "mesh.slab: regions.0: conduction velocity (CV) is underestimated on this mesh: found "
                      "element size 0.275 mm ");
    expect_part(said, strstr(whole, "; expected: "));
    expect_part(said, "mesh.slab: regions.2: conduction velocity");
    cr_expect(!strstr(said, "mesh.slab: conduction") && !strstr(said, "regions.1"), "%s", said);
    said_of_slab("tissue.chi_per_mm=1120",
        "regions=[{min_mm: [0, 0, 0], max_mm: [1.5, 2, 1], chi_per_mm: 800}]", NULL);
    expect_part(said, "mesh.slab: conduction velocity");
    cr_expect(!strstr(said, "regions"), "%s", said);
}

/* Each part uses the size of its own elements, so a region with fine elements can be the one that requires short steps. */
Test(findings, a_region_that_needs_too_many_diffusion_steps_is_reported)
{
    const char *const sets[] = {"regions=[{min_mm: [0, 0, 0], max_mm: [1, 2, 1], type: mid}, {min_mm: [0, 0, "
                                "0], max_mm: [1, 2, 1], conductivity_factor: 1000, cm_uF_mm2: 1.0e-6}]",
        "time.pde_steps=1"};
    mt_arena arena = {0};
    mt_case c;
    mt_case_parts parts;
    make_parts(&arena, sets, 1, &c, &parts);
    cr_expect_eq(mt_case_check_scale(&c, &parts), MT_INPUT);
    cr_expect_eq(strncmp(mt_message(), "mesh.slab: regions.1: at least ", 31), 0, "%s", mt_message());
    expect_part(mt_message(), "element size 0.275 mm (cube root of the mean volume; mean edge length 0.6");
    make_parts(&arena, sets, 2, &c, &parts);
    cr_expect_eq(mt_case_check_scale(&c, &parts), MT_OK);
    mt_arena_free(&arena);
}

Test(findings, the_element_size_of_a_tissue_is_that_of_its_elements)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_case_parts parts;
    uint16_t of[6 * 8];
    mt_medium medium[2] = {{1, 1, NAN, 1, 1, NAN, 1, 1}, {2, 2, NAN, 2, 2, NAN, 1, 1}};
    size_t by[2] = {MT_MEDIA_WHOLE, 3};
    cr_assert_eq(mt_slab_make(&arena, (double[]){2, 2, 2}, 1, &mesh), MT_OK);
    for (size_t v = 0; v < mesh.n_vertices; v++)
        if (mesh.xyz_mm[3 * v] == 2) mesh.xyz_mm[3 * v] = 9; /* boxes of eight times the size beyond 1 mm */
    for (size_t c = 0; c < mesh.n_elements; c++) of[c] = mt_mesh_volume_mm3(&mesh, c) > 1;
    cr_assert_eq(mt_case_parts_make(&arena, &mesh, &(mt_media){2, medium, of, by}, &parts), MT_OK);
    cr_assert_eq(parts.n, 2);
    cr_expect_float_eq(parts.part[0].length_mm, 1 / cbrt(6), 1e-12);
    cr_expect_float_eq(parts.part[1].length_mm, 2 / cbrt(6), 1e-12);
    cr_expect(parts.part[0].region == MT_MEDIA_WHOLE && parts.part[1].region == 3);
    cr_expect_float_eq(parts.part[1].tissue.sigma_l_mS_mm, 1, 1e-15);
    for (size_t k = 0; k < 2; k++) { /* each with the edge lengths of its own elements */
        mt_mesh own;
        mt_element_size size;
        uint8_t keep[6 * 8];
        char text[MT_CASE_PART_SIZE], expected[MT_CASE_PART_SIZE];
        for (size_t c = 0; c < mesh.n_elements; c++) keep[c] = of[c] == k;
        cr_assert_eq(mt_mesh_select(&arena, &mesh, keep, &own), MT_OK);
        cr_assert_eq(mt_element_size_find(&own, &size), MT_OK);
        (void)snprintf(expected, sizeof expected,
            "%.3g mm (cube root of the mean volume; mean edge length %.3g mm)", size.length_mm, size.edge_mm);
        cr_assert_eq(mt_case_part_size(&parts, &parts.part[k], text), MT_OK);
        cr_expect_str_eq(text, expected);
    }
    mt_arena_free(&arena);
}

/* With a quarter of the transverse conductivities only, lengths increase by 4^(1/3). */
Test(findings, element_size_limits_scale_with_the_geometric_mean_diffusivity)
{
    expect_part(said_of_slab("tissue.intracellular_t_mS_mm=0.00475", "tissue.extracellular_t_mS_mm=0.06",
                    "diffusion.spreading=0"),
        "found element size 0.275 mm ");
    said_of_slab("tissue.intracellular_t_mS_mm=0.0011875", "tissue.extracellular_t_mS_mm=0.015", NULL);
    expect_part(said,
        " at an element size of 0.693 mm in the default tissue, dt "); /* a sixteenth: 0.27516 16^(1/3) = 0.69336 */
}

/* Linear interpolation between the rows. */
Test(findings, without_spreading_delays_are_larger_and_other_schemes_have_no_estimate)
{
    const mt_cell_delay *row = mt_cell_tp06.delays;
    const double length = 0.5 / cbrt(6),
                 part = (length - row[0].length_mm) / (row[1].length_mm - row[0].length_mm);
    char expected[256];
    said_of_slab("diffusion.spreading=0", "diffusion.damping=1.5", "diffusion.correction=over-relaxed");
    (void)snprintf(expected, sizeof expected,
        "; expected: activation times about %.2g %% late (root mean square over all directions), as measured "
        "with tp06 at an element size of 0.275 mm in the default tissue, dt ",
        row[0].plain_percent + part * (row[1].plain_percent - row[0].plain_percent));
    expect_part(said, expected);
    expect_part(said_of_slab("diffusion.spreading=0.02", NULL, NULL),
        "; the error of this diffusion scheme is unknown: `myotile reproduce waves --model tp06 --spreading "
        "0.02 --damping 1.6 --correction minimum` measures it");
    /* so fine that the plain scheme suffices */
    expect_silence(said_of_slab("diffusion.spreading=0.02", "tissue.chi_per_mm=14", NULL));
}

/* With such a wide wavefront spreading overcorrects: activation is early. */
Test(findings, each_ionic_model_has_its_own_delays)
{
    const char *model = "cell.model=mitchell-schaeffer", *type = "cell.type=standard";
    expect_silence(said_of_slab(model, type, NULL));
    expect_part(said_of_slab(model, type, "tissue.chi_per_mm=1400"),
        " % or more early (root mean square over all directions), as measured with mitchell-schaeffer at an "
        "element size of 0.8 mm in the default tissue, dt ");
}

/* Returns the findings after a run to 100 ms of four elements with these activation times. */
static const char *said_of_four(double activation_ms[4])
{
    const mt_diffusion four = {.n_unknowns = 4};
    const mt_monodomain problem = {.diffusion = &four};
    begin();
    mt_findings_of_run("a.yaml", NULL, &problem,
        &(mt_results){.n_beats = 1, .beats = &(mt_records){.activation_ms = activation_ms}}, 100);
    return said;
}

Test(findings, extinguished_activation_is_not_reported_as_ongoing_propagation)
{
    const char *died = "a.yaml: found 1 of 4 elements (25 %) not activated, and no activation after 94 ms, "
                       "although the run continued to ",
               *on = ": time.end_ms: found activation still propagating at 100 ms: 1 of 4 elements (25 %) "
                     "are not activated yet; usual: an end after the last activation";
    cr_expect(strstr(said_of_four((double[]){1, 94, INFINITY, 3}), died), "%s", said);
    cr_expect(strstr(said_of_four((double[]){1, 96, INFINITY, 3}), on), "%s", said);
    expect_silence(said_of_four((double[]){1, 99.9, 2, 3}));
    expect_silence(said_of_four((double[]){INFINITY, INFINITY, INFINITY, INFINITY}));
}

/* Boxes of 6 mm with six elements each; those of the upper half of x are not activated and of another variant. The nearest to the last
 * activated element is named. */
Test(findings, the_place_where_propagation_stopped_is_named)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    double activation_ms[12], last_mm[3] = {0}, near_mm[3] = {0}, nearest = INFINITY;
    uint16_t variant_of[12];
    char place[80];
    const mt_cell_variant variants[] = {{.name = "epi"}, {.name = "epi, region 0"}};
    cr_assert_eq(mt_slab_make(&arena, (double[]){12, 6, 6}, 6, &mesh), MT_OK, "%s", mt_message());
    for (size_t c = 0; c < 12; c++) {
        double x[3];
        mt_mesh_centroid(&mesh, c, x);
        variant_of[c] = x[0] > 6;
        activation_ms[c] = x[0] > 6 ? INFINITY : c == 4 ? 50 : 10;
        if (c == 4) memcpy(last_mm, x, sizeof last_mm);
    }
    for (size_t c = 0; c < 12; c++) {
        double x[3];
        mt_mesh_centroid(&mesh, c, x);
        const double distance = hypot(hypot(x[0] - last_mm[0], x[1] - last_mm[1]), x[2] - last_mm[2]);
        if (variant_of[c] == 0 || distance >= nearest) continue;
        nearest = distance;
        memcpy(near_mm, x, sizeof near_mm);
    }
    const mt_diffusion twelve = {.n_unknowns = 12};
    const mt_monodomain problem = {
        .diffusion = &twelve, .variants = variants, .n_variants = 2, .variant_of = variant_of, .mesh = &mesh};
    begin();
    mt_findings_of_run("a.yaml", NULL, &problem,
        &(mt_results){.n_beats = 1, .beats = &(mt_records){.activation_ms = activation_ms}}, 100);
    (void)snprintf(place, sizeof place, "near [%.4g, %.4g, %.4g]", near_mm[0], near_mm[1], near_mm[2]);
    cr_expect(strstr(said, place), "%s in %s", place, said);
    cr_expect(strstr(said, ", in cells \"epi, region 0\" with an element size of 3.3 mm"), "%s", said);
    mt_arena_free(&arena);
}

/* A spiral wave with one beat per turn: an element that one turn does not activate has its activation time in another. */
Test(findings, elements_activated_in_any_beat_cause_no_finding)
{
    const mt_diffusion four = {.n_unknowns = 4};
    const mt_monodomain problem = {.diffusion = &four};
    mt_records beats[2] = {{.activation_ms = (double[]){1, 20, INFINITY, INFINITY}},
        {.activation_ms = (double[]){60, -INFINITY, 70, 80}}};
    begin();
    mt_findings_of_run("a.yaml", NULL, &problem, &(mt_results){.n_beats = 2, .beats = beats}, 100);
    expect_silence(said);
    beats[1].activation_ms[3] = INFINITY;
    begin();
    mt_findings_of_run("a.yaml", NULL, &problem, &(mt_results){.n_beats = 2, .beats = beats}, 100);
    cr_expect(strstr(said, ": found 1 of 4 elements (25 %) not activated, and no activation after 70 ms, "
                           "although the run continued to "),
        "%s", said);
}

/* S2 in tissue that S1 has made refractory. */
Test(findings, capture_by_a_stimulus_is_assessed_in_its_own_beat)
{
    const mt_diffusion four = {.n_unknowns = 4};
    const uint32_t first = 0, second = 1;
    const mt_stimulus stimuli[2] = {{.duration_ms = 2, .rise_mV_ms = 35, .n_elements = 1, .element = &first},
        {.start_ms = 60, .duration_ms = 2, .rise_mV_ms = 35, .n_elements = 1, .element = &second}};
    double peak_mV[2] = {20, 30};
    const size_t steps[2] = {0, 600};
    const mt_monodomain problem = {.diffusion = &four,
        .dt_ms = 0.1,
        .n_stimuli = 2,
        .stimulus = stimuli,
        .record = {.all = true, .n_beats = 2, .beat = steps}};
    const mt_case input = {.n_stimuli = 2,
        .stimuli = (mt_case_stimulus[]){{.duration_ms = 2, .strength_uA_mm3 = 50},
            {.start_ms = 60, .duration_ms = 2, .strength_uA_mm3 = 50}}};
    mt_records beats[2] = {{.activation_ms = (double[]){1, 2, 3, 4}},
        {.activation_ms = (double[]){-INFINITY, -INFINITY, 70, 71}}};
    const mt_results results = {.n_beats = 2, .beats = beats, .peak_mV = peak_mV};
    begin();
    mt_findings_of_run("a.yaml", &input, &problem, &results, 100);
    cr_expect(
        strstr(said, "stimuli.1: found no activation by 100 ms: it raised V of its 1 element to 30.0 mV"),
        "%s", said);
    cr_expect(!strstr(said, "stimuli.0"), "%s", said);
    beats[1].activation_ms[1] = 61;
    begin();
    mt_findings_of_run("a.yaml", &input, &problem, &results, 100);
    expect_silence(said);
}

/* Returns the findings about positions in the small case, in a slab of 3 x 2 x 1 mm, with this stimulus and electrode. */
static const char *said_of_places(const char *stimulus, const char *electrode)
{
    const char *const sets[] = {stimulus, electrode};
    mt_arena arena = {0};
    mt_case c;
    mt_case_parts parts;
    mt_mesh mesh;
    mt_stimulus *stimuli;
    make_parts(&arena, sets, 2, &c, &parts);
    cr_assert_eq(mt_slab_make(&arena, (double[]){3, 2, 1}, 0.5, &mesh), MT_OK);
    cr_assert_eq(mt_case_stimuli(&arena, &c, &mesh, &(mt_unknowns){&mesh, false}, &stimuli), MT_OK, "%s",
        mt_message());
    const mt_monodomain problem = {.n_stimuli = c.n_stimuli, .stimulus = stimuli};
    begin();
    cr_assert_eq(mt_findings_of_places("small.yaml", &c, &mesh, &problem), MT_OK, "%s", mt_message());
    mt_arena_free(&arena);
    return said;
}

Test(findings, positions_in_a_wrong_unit_are_reported_with_the_likely_one)
{
    expect_silence(
        said_of_places("stimuli.0.max_mm=[1.5, 2, 1]", "electrodes=[{name: V1, at_mm: [33, 0, 0]}]"));
    said_of_places("stimuli.0.max_mm=[2, 2, 1]", "electrodes=[{name: V1, at_mm: [0, 15000, 0]}]");
    expect_part(said,
        "small.yaml: stimuli.0: found 66.7 % of the tissue volume in this stimulus; usual: less than half\n");
    expect_part(said,
        "small.yaml: electrodes.0, 'V1': found 1.5e+04 mm from the mesh, which has a largest extent of "
        "3 mm; usual: at most 10 times that; this appears to be in micrometres: 1 mm = 1000 um\n");
    expect_part(said_of_places("stimuli.0.max_mm=[1000, 1000, 1000]", "electrodes=[]"),
        ": found 100 % of the tissue volume in this stimulus; usual: less than half; this appears to be in "
        "micrometres: 1 mm = 1000 um\n");
}
