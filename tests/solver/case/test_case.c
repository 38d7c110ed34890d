#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/yaml/yaml_words.h"
#include "ipu/machine/target.h"
#include "mesh/cut/partition.h"
#include "mesh/cut/scheme.h"
#include "mesh/make/slab.h"
#include "solver/backends/backend.h"
#include "solver/case/case_on_mesh.h"
#include "solver/cells/tp06/tp06.h"
#include "tests/sets.h"

static const char niederer[] = "data/cases/niederer-0.5.yaml";
#define NAME "case.yaml"

/* A minimal case. The messages refer to the line numbers. */
static const char small[] = "mesh:\n"                                      /* 1 */
                            "  slab: {size_mm: [2, 1, 1], edge_mm: 0.5}\n" /* 2 */
                            "tissue:\n"                                    /* 3 */
                            "  intracellular_l_mS_mm: 0.17\n"              /* 4 */
                            "  intracellular_t_mS_mm: 0.019\n"             /* 5 */
                            "  extracellular_l_mS_mm: 0.62\n"              /* 6 */
                            "  extracellular_t_mS_mm: 0.24\n"              /* 7 */
                            "  chi_per_mm: 140\n"                          /* 8 */
                            "  cm_uF_mm2: 0.01\n"                          /* 9 */
                            "cell: {type: mid}\n"                          /* 10 */
                            "time:\n"                                      /* 11 */
                            "  end_ms: 10\n"                               /* 12 */
                            "stimuli:\n"                                   /* 13 */
                            "  - min_mm: [0, 0, 0]\n"                      /* 14 */
                            "    max_mm: [0.5, 1, 1]\n"                    /* 15 */
                            "    duration_ms: 2\n"                         /* 16 */
                            "    strength_uA_mm3: 50\n";                   /* 17 */

/* Writes the small case, with one piece of its text replaced, to a file. The messages start with its name. Returns the name of the file. */
static const char *file_with(const char *from, const char *to)
{
    static char path[64];
    (void)snprintf(path, sizeof path, "/tmp/mt_case_XXXXXX");
    int handle = mkstemp(path);
    cr_assert(handle >= 0);
    FILE *file = fdopen(handle, "w");
    cr_assert_not_null(file);
    const char *at = strstr(small, from);
    cr_assert_not_null(at, "no %s in the text", from);
    cr_assert(fprintf(file, "%.*s%s%s", (int)(at - small), small, to, at + strlen(from)) > 0);
    cr_assert_eq(fclose(file), 0);
    return path;
}

static void expect_failure(const char *from, const char *to, const char *message)
{
    mt_arena arena = {0};
    mt_case c;
    char expected[1200];
    const char *path = file_with(from, to);
    (void)snprintf(expected, sizeof expected, "%s%s", path, message);
    cr_expect_eq(mt_case_load(&arena, path, NULL, 0, &c), MT_INPUT, "%s", message);
    cr_expect_str_eq(mt_message(), expected);
    cr_expect_eq(remove(path), 0);
    mt_arena_free(&arena);
}

static void load(mt_arena *arena, const char *path, const char *const *sets, size_t n, mt_case *c)
{
    cr_assert_eq(mt_case_load(arena, path, sets_of(sets, n), n, c), MT_OK, "%s", mt_message());
}

Test(case, all_case_files_of_the_program_load)
{
    static const struct {
        const char *path;
        double edge_mm;
    } cases[] = {{"data/cases/niederer-0.5.yaml", 0.5}, {"data/cases/niederer-0.2.yaml", 0.2},
        {"data/cases/niederer-0.1.yaml", 0.1}};
    static const double at_mm[9][3] = {{0, 0, 0}, {0, 7, 0}, {20, 0, 0}, {20, 7, 0}, {0, 0, 3}, {0, 7, 3},
        {20, 0, 3}, {20, 7, 3}, {10, 3.5, 1.5}};
    for (size_t k = 0; k < 3; k++) {
        mt_arena arena = {0};
        mt_case c;
        load(&arena, cases[k].path, NULL, 0, &c);
        cr_expect_str_eq(c.mesh.file, "");
        cr_expect(c.mesh.slab.size_mm[0] == 20 && c.mesh.slab.size_mm[1] == 7 && c.mesh.slab.size_mm[2] == 3);
        cr_expect_eq(c.mesh.slab.edge_mm, cases[k].edge_mm);
        cr_expect(mt_case_model(&c) == &mt_cell_tp06 && c.cell.type == TP06_EPI);
        cr_expect_eq(c.n_stimuli, 1);
        cr_expect_eq(c.stimuli[0].start_ms, 0);
        cr_expect_eq(c.stimuli[0].duration_ms, 2);
        cr_expect_eq(c.stimuli[0].strength_uA_mm3, 50);
        cr_assert_eq(c.n_points, 9);
        for (size_t p = 0; p < 9; p++) {
            const char name[] = {'P', (char)('1' + p), 0};
            cr_expect_str_eq(c.points[p].name, name);
            for (int axis = 0; axis < 3; axis++) {
                cr_expect_eq(c.points[p].at_mm[axis], at_mm[p][axis], "%s of %s", name, cases[k].path);
                cr_expect_eq(c.line.from_mm[axis], at_mm[0][axis]);
                cr_expect_eq(c.line.to_mm[axis], at_mm[7][axis]);
            }
        }
        mt_arena_free(&arena);
    }
}

/* 0.17 * 0.62 / 0.79 and 0.019 * 0.24 / 0.259 mS/mm, divided by 140 * 0.01 uF/mm^3 (Niederer et al. 2011). */
Test(case, the_example_heart_of_the_program_loads)
{
    mt_arena arena = {0};
    mt_case c;
    load(&arena, "data/cases/ventricles.yaml", NULL, 0, &c);
    cr_expect_str_eq(c.mesh.file, "fibred.hdf");
    cr_expect_str_eq(c.stimuli[0].region.at, "apex");
    cr_expect_eq(c.n_points, 0);
    mt_arena_free(&arena);
}

/* A case without keys of the diffusion scheme has the default scheme; each key that is present changes only its own value. */
Test(case, the_diffusion_scheme_is_the_default_except_for_specified_values)
{
    static const char *const sets[] = {
        "diffusion.spreading=0", "diffusion.damping=1.5", "diffusion.correction=over-relaxed"};
    const mt_diffusion_scheme *usual = &mt_diffusion_scheme_default,
                              expected[] = {{usual->damping, 0, 0, usual->correction},
                                  {1.5, usual->spreading, 0, usual->correction},
                                  {usual->damping, usual->spreading, 0, MT_CORRECTION_OVER_RELAXED}};
    mt_arena arena = {0};
    mt_case c;
    load(&arena, niederer, NULL, 0, &c);
    mt_diffusion_scheme scheme = mt_case_scheme(&c);
    cr_expect(mt_diffusion_scheme_same(&scheme, usual));
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        load(&arena, niederer, &sets[k], 1, &c);
        scheme = mt_case_scheme(&c);
        cr_expect(mt_diffusion_scheme_same(&scheme, &expected[k]), "%s", sets[k]);
        cr_expect_not(mt_diffusion_scheme_same(&scheme, usual), "%s", sets[k]);
    }
    mt_arena_free(&arena);
}

/* The scheme has the front width of the ionic model of the case; the default scheme has that of the first model. */
Test(case, the_diffusion_scheme_uses_the_wavefront_duration_of_the_ionic_model)
{
    const mt_cell_model *wide;
    const char *cells[] = {"cell.model=mitchell-schaeffer", "cell.type=standard"};
    mt_arena arena = {0};
    mt_case c;
    cr_expect_eq(mt_diffusion_scheme_default.front_ms, mt_cell_models[0]->front_ms);
    load(&arena, niederer, NULL, 0, &c);
    cr_expect_eq(mt_case_scheme(&c).front_ms, mt_cell_tp06.front_ms);
    load(&arena, niederer, cells, 2, &c);
    cr_assert_eq(mt_cell_model_find("mitchell-schaeffer", &wide), MT_OK);
    cr_expect_eq(mt_case_scheme(&c).front_ms, wide->front_ms);
    cr_expect_gt(wide->front_ms, mt_cell_tp06.front_ms);
    mt_arena_free(&arena);
}

Test(case, the_tissue_of_the_benchmark_has_the_published_conductivities)
{
    mt_arena arena = {0};
    mt_case c;
    load(&arena, niederer, NULL, 0, &c);
    const mt_tissue tissue = mt_case_tissue(&c);
    cr_expect_float_eq(tissue.sigma_l_mS_mm, 0.133418, 0.5e-6);
    cr_expect_float_eq(tissue.sigma_t_mS_mm, 0.0176062, 0.5e-7);
    cr_expect_float_eq(mt_tissue_diffusivity_l(&tissue), 0.095298, 1e-6);
    cr_expect_float_eq(mt_tissue_diffusivity_t(&tissue), 0.0125758, 1e-7);
    cr_expect_eq(mt_tissue_check(&tissue), MT_OK);
    cr_expect_eq(
        memcmp(&tissue, &mt_tissue_default, sizeof tissue), 0, "the tissue used if none is specified");
    mt_arena_free(&arena);
}

/* The cube of 1.5 mm contains 3 x 3 x 3 boxes of 0.5 mm, and therefore 162 elements, six per box. */
Test(case, the_stimulus_of_the_benchmark_covers_exactly_the_elements_of_its_cube)
{
    mt_arena arena = {0};
    mt_case c;
    load(&arena, niederer, NULL, 0, &c);
    mt_mesh mesh;
    mt_stimulus *stimulus;
    cr_assert_eq(mt_slab_make(&arena, c.mesh.slab.size_mm, c.mesh.slab.edge_mm, &mesh), MT_OK);
    cr_assert_eq(mt_case_stimuli(&arena, &c, &mesh, &(mt_unknowns){&mesh, false}, &stimulus), MT_OK, "%s",
        mt_message());
    cr_expect_float_eq(stimulus[0].rise_mV_ms, 250.0 / 7, 1e-13 * 36); /* 50 / 1.4, within rounding */
    cr_expect_eq(stimulus[0].start_ms, 0);
    cr_expect_eq(stimulus[0].duration_ms, 2);
    cr_assert_eq(stimulus[0].n_elements, 162);
    size_t k = 0;
    for (size_t element = 0; element < mesh.n_elements; element++) {
        const size_t box = element / 6, x = box % 40, y = box / 40 % 14, z = box / 40 / 14;
        if (x < 3 && y < 3 && z < 3) cr_expect_eq(stimulus[0].element[k++], element);
    }
    cr_expect_eq(k, 162);
    mt_arena_free(&arena);
}

Test(case, every_stimulus_has_its_own_elements_including_those_on_the_border)
{
    static const char *const sets[] = {"mesh.slab={size_mm: [2, 1, 1], edge_mm: 1}", "points=[]",
        ("stimuli=[{min_mm: [0.25, 0, 0], max_mm: [0.25, 1, 1], duration_ms: 1, period_ms: 2.5, count: 4, "
         "strength_uA_mm3: 14}, {min_mm: [-9, -9, -9], max_mm: [9, 9, 9], start_ms: 3, duration_ms: 2, "
         "strength_uA_mm3: 7}]")};
    mt_arena arena = {0};
    mt_case c;
    load(&arena, niederer, sets, 3, &c);
    mt_mesh mesh;
    mt_stimulus *stimulus;
    cr_assert_eq(mt_slab_make(&arena, c.mesh.slab.size_mm, c.mesh.slab.edge_mm, &mesh), MT_OK);
    cr_assert_eq(mt_case_stimuli(&arena, &c, &mesh, &(mt_unknowns){&mesh, false}, &stimulus), MT_OK, "%s",
        mt_message());
    cr_assert_eq(c.n_stimuli, 2);
    cr_expect_eq(stimulus[0].n_elements, 2); /* two of the six centroids of a Kuhn box have x = edge / 4 */
    cr_expect_float_eq(stimulus[0].rise_mV_ms, 10, 1e-12);
    cr_expect_eq(stimulus[1].n_elements, 12);
    for (size_t k = 0; k < stimulus[1].n_elements; k++) cr_expect_eq(stimulus[1].element[k], k);
    cr_expect_float_eq(stimulus[1].rise_mV_ms, 5, 1e-12);
    cr_expect_eq(stimulus[1].start_ms, 3);
    cr_expect(stimulus[0].repeats == 3 && stimulus[0].period_ms == 2.5 && stimulus[1].repeats == 0);
    mt_arena_free(&arena);
}

Test(case, a_stimulus_without_elements_is_rejected)
{
    static const char *const sets[] = {"stimuli.0.min_mm=[21, 0, 0]", "stimuli.0.max_mm=[22.5, 1.5, 1.5]"};
    mt_arena arena = {0};
    mt_case c;
    load(&arena, niederer, sets, 2, &c);
    mt_mesh mesh;
    mt_stimulus *stimulus;
    cr_assert_eq(mt_slab_make(&arena, c.mesh.slab.size_mm, c.mesh.slab.edge_mm, &mesh), MT_OK);
    cr_expect_eq(mt_case_stimuli(&arena, &c, &mesh, &(mt_unknowns){&mesh, false}, &stimulus), MT_INPUT);
    cr_expect_str_eq(mt_message(), "stimuli.0: no element centre is in the box [21, 0, 0] .. [22.5, 1.5, "
                                   "1.5] mm; the nearest is 1.12 mm outside");
    mt_arena_free(&arena);
}

Test(case, cell_types_follow_the_layers_of_the_mesh_on_request)
{
    static const char *const sets[] = {"cell.type=layers"};
    static int32_t layer[6] = {MT_LAYER_EPI, MT_LAYER_ENDO, MT_LAYER_MID, MT_LAYER_MID, MT_LAYER_EPI, 0};
    static const uint16_t types[5] = {TP06_EPI, TP06_ENDO, TP06_MID, TP06_MID, TP06_EPI};
    mt_arena arena = {0};
    mt_mesh mesh = {.n_elements = 5, .layer = layer};
    mt_monodomain problem = {.variant_of = (uint16_t[]){7}};
    mt_case c;
    load(&arena, niederer, NULL, 0, &c);
    cr_assert_eq(mt_case_cells(&arena, &c, &mesh, &(mt_unknowns){&mesh, false}, &problem), MT_OK);
    cr_expect_null(problem.variant_of, "the case has one type for all");
    cr_expect(problem.model == &mt_cell_tp06 && problem.variant == TP06_EPI);
    load(&arena, niederer, sets, 1, &c);
    cr_assert_eq(
        mt_case_cells(&arena, &c, &mesh, &(mt_unknowns){&mesh, false}, &problem), MT_OK, "%s", mt_message());
    cr_expect_arr_eq(problem.variant_of, types, sizeof types);
    mesh.n_elements = 6;
    cr_expect_eq(mt_case_cells(&arena, &c, &mesh, &(mt_unknowns){&mesh, false}, &problem), MT_INPUT);
    cr_expect_not_null(
        strstr(mt_message(), "element 5 is in layer 0; allowed: 1 (endo) to 3"), "%s", mt_message());
    mesh.layer = NULL;
    cr_expect_eq(mt_case_cells(&arena, &c, &mesh, &(mt_unknowns){&mesh, false}, &problem), MT_INPUT);
    cr_expect_not_null(
        strstr(mt_message(), "cell.type: layers; the mesh has no transmural layers: `myotile mesh fibres` "
                             "writes them; allowed without layers: epi, mid or endo"),
        "%s", mt_message());
    mt_arena_free(&arena);
}

/* Only models with a variant for each layer allow layers. */
Test(case, layers_unsupported_by_an_ionic_model_are_rejected_with_its_types)
{
    static const char *const sets[] = {"cell.model=mitchell-schaeffer", "cell.type=layers"};
    mt_arena arena = {0};
    mt_case c;
    cr_assert_eq(mt_case_load(&arena, niederer, sets_of(sets, 2), 2, &c), MT_INPUT);
    cr_expect_str_eq(mt_message(), "--set cell.type=layers: layers; allowed: standard");
    cr_assert_eq(mt_case_load(&arena, niederer, sets_of(sets, 1), 1, &c), MT_INPUT);
    cr_expect_str_eq(mt_message(), "data/cases/niederer-0.5.yaml:17: cell.type: epi; allowed: standard");
    cr_assert_eq(
        mt_case_load(&arena, niederer, sets_of((const char *[]){"cell.model=tp07"}, 1), 1, &c), MT_INPUT);
    cr_expect_str_eq(mt_message(),
        "--set cell.model=tp07: ionic model 'tp07'; allowed: tp06, torord, courtemanche, "
        "stewart, bueno-orovio, mitchell-schaeffer, the path of a .cellml, .mmt, .ode or .model file");
    mt_arena_free(&arena);
}

/* A model made at run time: another name, identity and type. */
static mt_cell_model imported(const mt_cell_variant *types)
{
    mt_cell_model model = mt_cell_tp06;
    model.name = "models/a.mmt";
    model.identity = "a.mmt#1";
    model.variants = types;
    model.n_variants = 1;
    return model;
}

/* used.yaml has the path, a comparison of cases the content. */
Test(case, an_imported_model_is_written_by_its_path_and_compared_by_its_content)
{
    mt_cell_variant type = mt_cell_tp06.variants[TP06_MID];
    type.name = "cell";
    mt_cell_model model = imported(&type), moved = model;
    mt_arena arena = {0};
    mt_case c;
    const char *text, *lines, *other;
    load(&arena, niederer, NULL, 0, &c);
    c.cell.named = model.name;
    c.cell.model = &model;
    c.cell.type = 0;
    cr_assert_eq(mt_yaml_write(&arena, &mt_case_table, &c, &text), MT_OK, "%s", mt_message());
    cr_expect(strstr(text, "\n  model: \"models/a.mmt\"\n  type: cell\n"), "%s", text);
    cr_assert_eq(mt_yaml_write_lines(&arena, &mt_case_table, &c, &lines), MT_OK, "%s", mt_message());
    cr_expect(strstr(lines, "\ncell.model: \"a.mmt#1\"\ncell.type: cell\n"), "%s", lines);
    c.cell.named = moved.name = "/elsewhere/a.mmt";
    c.cell.model = &moved;
    cr_assert_eq(mt_yaml_write_lines(&arena, &mt_case_table, &c, &other), MT_OK, "%s", mt_message());
    cr_expect_str_eq(lines, other);
    moved.identity = "a.mmt#2";
    cr_assert_eq(mt_yaml_write_lines(&arena, &mt_case_table, &c, &other), MT_OK, "%s", mt_message());
    cr_expect_str_neq(lines, other);
    mt_arena_free(&arena);
}

Test(case, a_model_file_that_cannot_be_opened_is_reported_with_its_key)
{
    mt_arena arena = {0};
    mt_case c;
    const mt_yaml_override set = {"--set", "cell.model=models/none.mmt"};
    cr_expect_eq(mt_case_load(&arena, niederer, &set, 1, &c), MT_FILE);
    cr_expect(strstr(mt_message(), "models/none.mmt: cannot be read"), "%s", mt_message());
    mt_arena_free(&arena);
}

/* The limit depends on the model. */
Test(case, the_longest_time_step_is_limited_by_the_ionic_model)
{
    static const char *const sets[] = {
        "cell.model=mitchell-schaeffer", "cell.type=standard", "time.dt_ms=0.1", "time.dt_ms=0.125"};
    mt_arena arena = {0};
    mt_case c;
    load(&arena, niederer, sets, 3, &c);
    cr_assert_eq(mt_case_load(&arena, niederer, sets_of(sets, 4), 4, &c), MT_INPUT);
    cr_expect(
        strstr(mt_message(),
            ": time.dt_ms: 0.125; allowed: at most 0.1, the stability limit of the ionic model mitchell-sch"),
        "%s", mt_message());
    mt_arena_free(&arena);
}

Test(case, optional_keys_have_defaults)
{
    mt_arena arena = {0};
    mt_case c;
    const char *path = file_with("mesh", "mesh");
    load(&arena, path, NULL, 0, &c);
    cr_expect_eq(remove(path), 0);
    cr_expect_str_eq(c.title, "");
    cr_expect(mt_case_model(&c) == &mt_cell_tp06 && c.cell.type == TP06_MID);
    cr_expect_eq(c.time.dt_ms, 0.02);
    cr_expect_eq(c.time.pde_steps, 0);
    cr_expect_eq(c.time.splitting, MT_SPLITTING_COMPENSATED);
    cr_expect_eq(c.stimuli[0].start_ms, 0);
    cr_expect_eq(c.stimuli[0].count, 1);
    cr_expect(isnan(c.stimuli[0].region.radius_mm) && isnan(c.stimuli[0].period_ms));
    cr_expect_str_eq(c.stimuli[0].region.at, "");
    cr_expect_eq(c.n_points, 0);
    cr_expect_eq(c.line.points, 0);
    cr_expect_str_eq(mt_case_backend(&c)->name, "ipu");
    cr_expect_str_eq(c.machine.target, "gc200");
    cr_expect_str_eq(mt_schemes[c.machine.scheme].name, "mixed-clean");
    cr_expect_str_eq(mt_partition_methods[c.machine.partition], "auto");
    cr_expect_eq(c.machine.n_sets, 0);
    cr_expect_eq(c.machine.tiles, 0);
    cr_expect_eq(c.machine.imbalance, 1.03);
    cr_expect_not(c.machine.checked);
    mt_arena_free(&arena);
}

/* Every backend of the table can be selected by both keys, and no other. */
Test(case, every_backend_has_its_keys)
{
    static const char *const backend[] = {"machine.backend=cpu", "machine.backend=ipu",
        "machine.backend=opencl"},
                             *const precision[] = {"machine.precision=single", "machine.precision=double"};
    mt_arena arena = {0};
    mt_case c, d;
    size_t n = 0;
    for (int b = 0; b < 3; b++)
        for (int p = 0; p < 2; p++) {
            const char *const sets[] = {backend[b], precision[p]};
            if (mt_case_load(&arena, niederer, sets_of(sets, 2), 2, &c) != MT_OK) continue;
            const mt_backend *found = mt_case_backend(&c);
            cr_expect_str_eq(found->name, b == 2 ? "opencl" : b ? "ipu" : p ? "cpu" : "cpu-single");
            cr_expect_eq(found->single, p == 0);
            load(&arena, niederer, NULL, 0, &d);
            mt_case_set_backend(&d, found);
            cr_expect(d.machine.backend == c.machine.backend && d.machine.precision == c.machine.precision);
            n++;
        }
    size_t n_backends = 0;
    while (mt_backends[n_backends]) n_backends++;
    cr_expect_eq(n, n_backends);
    cr_expect_str_eq(mt_message(), "data/cases/niederer-0.5.yaml: machine.precision: double; allowed with "
                                   "machine.backend opencl: single");
    const char *const nonsense[] = {"machine.backend=nonsense"};
    cr_assert_eq(mt_case_load(&arena, niederer, sets_of(nonsense, 1), 1, &c), MT_INPUT);
    cr_expect_str_eq(mt_message(), "--set machine.backend=nonsense: nonsense; allowed: cpu, ipu, opencl");
    mt_arena_free(&arena);
}

Test(case, tables_require_a_model_with_tables_and_the_host_in_single_precision)
{
#define TABULATED "cell.evaluation=tabulated"
    static const struct {
        const char *set, *message;
    } refused[] = {
        {"machine.backend=ipu", "with machine.backend ipu; allowed: exact, or cpu, opencl"},
        {"machine.precision=double", "with machine.precision double; allowed: exact, or single"},
        {"cell.model=mitchell-schaeffer",
            "with cell.model mitchell-schaeffer; allowed: exact, or cell.model tp06, torord, courtemanche, "
            "stewart, and those of files with costly functions of V"},
    };
    mt_arena arena = {0};
    mt_case c;
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        const char *const sets[] = {TABULATED, "machine.backend=cpu", refused[k].set, "cell.type=standard"};
        cr_expect_eq(
            mt_case_load(&arena, niederer, sets_of(sets, k == 2 ? 4 : 3), k == 2 ? 4 : 3, &c), MT_INPUT);
        cr_expect(
            strstr(mt_message(), "cell.evaluation: tabulated, ") && strstr(mt_message(), refused[k].message),
            "%s", mt_message());
    }
    const char *const sets[] = {TABULATED, "machine.backend=cpu"};
    load(&arena, niederer, sets, 2, &c);
    cr_expect_eq(c.cell.evaluation, MT_EVALUATION_TABULATED);
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++)
        cr_expect_eq((*m)->n_functions > 0,
            strstr(refused[2].message, (*m)->name) && strcmp((*m)->name, "mitchell-schaeffer") != 0, "%s",
            (*m)->name);
    mt_arena_free(&arena);
}

/* Half of the elements of a slab, in its middle, are non-conducting. Parameters of a region apply to the remaining elements. */
Test(case, regions_change_cells_in_order)
{
    mt_arena arena = {0};
    mt_case c;
    mt_mesh whole, mesh;
    mt_monodomain problem = {0};
    uint8_t *conducting;
    const char *path = file_with("cell: {type: mid}\n",
        "cell: {type: mid, scale: [g_Kr=0.5], set: [K_o=6]}\n"
        "regions:\n"
        "  - {min_mm: [0.5, 0, 0], max_mm: [1.5, 1, 1], non_conducting: true}\n"
        "  - {min_mm: [1, 0, 0], max_mm: [2, 1, 1], scale: [g_Kr=0.25, g_Ks=2]}\n"
        "  - {min_mm: [1, 0, 0], max_mm: [2, 0.5, 1], type: endo, set: [g_Kr=0.2]}\n");
    cr_assert_eq(mt_case_load(&arena, path, NULL, 0, &c), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_slab_make(&arena, c.mesh.slab.size_mm, c.mesh.slab.edge_mm, &whole), MT_OK);
    cr_assert_eq(mt_case_conducting(&arena, &c, &whole, &conducting), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_mesh_select(&arena, &whole, conducting, &mesh), MT_OK);
    cr_assert_eq(mesh.n_elements, whole.n_elements / 2);
    cr_assert_eq(
        mt_case_cells(&arena, &c, &whole, &(mt_unknowns){&mesh, false}, &problem), MT_OK, "%s", mt_message());
    cr_expect_eq(problem.n_variants, 3);
    for (size_t e = 0; e < mesh.n_elements; e++) {
        const mt_cell_variant *found = mt_monodomain_variant(&problem, e);
        double x[3];
        mt_mesh_centroid(&mesh, e, x);
        const bool right = x[0] > 1, low = right && x[1] < 0.5;
        const mt_cell_variant *base = &mt_cell_tp06.variants[low ? TP06_ENDO : TP06_MID];
        cr_assert_eq(found->states, base->states);
        for (size_t k = 0; k < TP06_PARAMETERS; k++) {
            double expected = base->parameters[k];
            if (k == TP06_K_O) expected = 6;
            if (k == TP06_G_KR) expected = low ? 0.2 : expected * (right ? 0.25 : 0.5);
            if (k == TP06_G_KS && right) expected *= 2;
            cr_assert_eq(found->parameters[k], expected, "%s", mt_cell_tp06.parameters[k].name);
        }
    }
    cr_expect_str_eq(mt_monodomain_variant(&problem, mesh.n_elements - 1)->name, "mid, changed, region 1");
    cr_expect_eq(remove(path), 0);
    mt_arena_free(&arena);
}

Test(case, invalid_parameters_are_rejected)
{
    static const char place[] = "regions:\n  - {min_mm: [0, 0, 0], max_mm: [1, 1, 1]";
    static const struct {
        const char *cell, *region, *message;
    } row[] = {
        {"scale: [g_Kx=1]", "",
            ":10: cell.scale.0: g_Kx=1: not a parameter of the ionic model tp06; allowed: g_Na, "},
        {"scale: g_Kr=1", "", ":10: cell.scale: g_Kr=1; allowed: pairs key=value in brackets"},
        {"set: [g_Kr=1, K_o=0]", "",
            ":10: cell.set.1: K_o=0: a step of this cell (mid) does not result in finite numbers"},
        {"scale: [K_o=2], set: [K_o=2]", "",
            ":10: cell.set.0: K_o=2: K_o already has a factor; allowed: one of them"},
        {"scale: []", ", scale: [K_o=0]}",
            ":12: regions.0.scale.0: K_o=0: a step of this cell (mid) does not result in finite numbers"},
        {"scale: []", ", type: endo, set: [K_o=0]}",
            ":12: regions.0.set.0: K_o=0: a step of this cell (endo) does not result in finite numbers"},
        {"scale: []", ", type: purkinje}",
            ": regions.0: type: cell type 'purkinje'; allowed: epi, mid, endo"},
        {"scale: []", "}",
            ": regions.0: sets no property; allowed: at least one of non_conducting, type, "
            "scale, set"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        mt_arena arena = {0};
        mt_case c;
        char text[400];
        (void)snprintf(text, sizeof text, "cell: {type: mid, %s}\n%s%s\n", row[k].cell,
            *row[k].region ? place : "", row[k].region);
        const char *path = file_with("cell: {type: mid}\n", text);
        cr_assert_eq(mt_case_load(&arena, path, NULL, 0, &c), MT_INPUT, "row %zu", k);
        cr_expect(strncmp(mt_message(), path, strlen(path)) == 0 &&
                      strncmp(mt_message() + strlen(path), row[k].message, strlen(row[k].message)) == 0,
            "%s", mt_message());
        cr_expect_eq(remove(path), 0);
        mt_arena_free(&arena);
    }
}

Test(case, the_tissue_of_regions_is_written_and_loaded_unchanged)
{
    static const char *const sets[] = {"tissue.intracellular_n_mS_mm=0.011",
        "regions=[{tag: 1, conductivity_factor: 2.5, cm_uF_mm2: 0.02}, "
        "{tag: 2, extracellular_n_mS_mm: 0.1, chi_per_mm: 70}]"};
    mt_arena arena = {0};
    mt_case c, d;
    const char *text;
    load(&arena, niederer, sets, 2, &c);
    cr_assert_eq(mt_yaml_write(&arena, &mt_case_table, &c, &text), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_yaml_read(&arena, NAME, text, &mt_case_table, NULL, 0, &d), MT_OK, "%s", mt_message());
    cr_assert_eq(d.n_regions, 2);
    cr_expect_arr_eq(&c.tissue, &d.tissue, sizeof c.tissue);
    for (size_t r = 0; r < 2; r++)
        cr_expect_arr_eq(&c.regions[r].tissue, &d.regions[r].tissue, sizeof d.regions[r].tissue);
    cr_expect(isnan(d.tissue.extracellular_n_mS_mm) && d.tissue.intracellular_n_mS_mm == 0.011);
    cr_expect_eq(d.regions[0].tissue.conductivity_factor, 2.5);
    cr_expect(strstr(text, "    tag: 2\n    chi_per_mm") == NULL && strstr(text, "conductivity_factor: 2.5"),
        "%s", text);
    mt_arena_free(&arena);
}

Test(case, sheet_normal_conductivity_defaults_to_the_transverse_one)
{
    static const char *const sets[] = {"tissue.intracellular_n_mS_mm=0.01"};
    mt_arena arena = {0};
    mt_case c;
    load(&arena, niederer, NULL, 0, &c);
    cr_expect_eq(mt_case_tissue(&c).sigma_n_mS_mm, 0);
    load(&arena, niederer, sets, 1, &c);
    cr_expect_float_eq(mt_case_tissue(&c).sigma_n_mS_mm, 0.01 * 0.24 / 0.25, 1e-15);
    mt_arena_free(&arena);
}

/* Every model of the table with each of its variants, and no others. */
Test(case, models_and_types_of_cells_match_the_table)
{
    char model[64], type[64];
    const char *const sets[] = {model, type};
    for (const mt_cell_model *const *m = mt_cell_models; *m; m++)
        for (size_t k = 0; k <= (*m)->n_variants; k++) {
            mt_arena arena = {0};
            mt_case c;
            mt_monodomain problem = {0};
            const char *name = k < (*m)->n_variants ? (*m)->variants[k].name : "nonsense";
            (void)snprintf(model, sizeof model, "cell.model=%s", (*m)->name);
            (void)snprintf(type, sizeof type, "cell.type=%s", name);
            const mt_status status = mt_case_load(&arena, niederer, sets_of(sets, 2), 2, &c);
            cr_assert_eq(
                status, k < (*m)->n_variants ? MT_OK : MT_INPUT, "%s %s: %s", model, type, mt_message());
            if (status == MT_OK) {
                cr_assert_eq(mt_case_cells(&arena, &c, NULL, &(mt_unknowns){0}, &problem), MT_OK);
                cr_expect(problem.model == *m && problem.variant == k && !problem.variant_of);
            } else
                cr_expect(strstr(mt_message(), "--set cell.type=nonsense: nonsense; allowed: ") &&
                              strstr(mt_message(), (*m)->variants[0].name),
                    "%s", mt_message());
            mt_arena_free(&arena);
        }
}

Test(case, invalid_values_are_reported_with_line_key_and_allowed_values)
{
    expect_failure("edge_mm: 0.5", "egde_mm: 0.5",
        ":2: mesh.slab.egde_mm: unknown key; allowed here: size_mm, edge_mm, cut");
    expect_failure(
        "edge_mm: 0.5", "edge_mm: -0.5", ":2: mesh.slab.edge_mm: -0.5; allowed: at least 0 and at most 1000");
    expect_failure("edge_mm: 0.5", "edge_mm: fine",
        ":2: mesh.slab.edge_mm: fine; allowed: a number at least 0 and at most 1000");
    expect_failure("chi_per_mm: 140", "chi_per_mm: 0",
        ":8: tissue.chi_per_mm: 0; allowed: at least 0.001 and at most 1000000");
    expect_failure(
        "type: mid", "type: purkinje", ":10: cell.type: purkinje; allowed: epi, mid, endo, layers");
    expect_failure("end_ms: 10", "end_ms: 10\n  dt_ms: 0.06",
        ": time.dt_ms: 0.06; allowed: at most 0.05, the stability limit of the ionic model tp06");
    expect_failure("  cm_uF_mm2: 0.01\n", "",
        ":4: tissue.cm_uF_mm2: missing; allowed: a number at least 1e-06 and at most 1000");
}

/* Expects that every number of a case and of a machine has both limits. Values of bands have the range of the key that they name. */
static void expect_ranges(const mt_yaml_key *keys, const char *above)
{
    for (; keys->name; keys++) {
        const bool number = keys->type == MT_YAML_TYPE_DOUBLE || keys->type == MT_YAML_TYPE_UNSIGNED ||
                            keys->type == MT_YAML_TYPE_DOUBLES || keys->type == MT_YAML_TYPE_NUMBERS;
        if (keys->keys && strcmp(keys->name, "bands") != 0) expect_ranges(keys->keys, keys->name);
        if (number)
            cr_expect(isfinite(keys->range.low) && isfinite(keys->range.high), "%s.%s", above, keys->name);
    }
}

Test(case, every_number_has_a_range)
{
    expect_ranges(mt_case_table.keys, "case");
    expect_ranges(ipu_target_table.keys, "machine");
}

Test(case, absurd_numbers_are_rejected_before_the_run)
{
    static const char *const row[][2] = {
        {"traces.every_ms=1e-9", ": traces.every_ms"},
        {"series.every_ms=1e-9", ": series.every_ms"},
        {"ecg.bath_mS_mm=1e-300", ": ecg.bath_mS_mm"},
        {"ecg.every_ms=1e300", ": ecg.every_ms"},
        {"time.end_ms=1e300", ": time.end_ms"},
        {"tissue.intracellular_l_mS_mm=1e-300", ": tissue.intracellular_l_mS_mm"},
        {"stimuli.0.duration_ms=1e300", ": stimuli.0.duration_ms"},
        {"stimuli.0.strength_uA_mm3=1e30", ": stimuli.0.strength_uA_mm3"},
        {"points=[{name: P, at_mm: [0, 1e30, 0]}]", ": 1e30; allowed: at least -1000000 and at most"},
        {"electrodes=[{name: P, at_mm: [0, 1e30, 0]}]", ": 1e30; allowed: at least -1000000 and at most"},
        {"gradients=[{parameter: g_Ks, along: x, last: 1e6}]", ": 1e6; allowed: at least 0 and at most 50"},
        {"cell.set=[Na_o=14000]", ": cell.set=[Na_o=14000]: Na_o=14000; allowed after Na_o=: 0, or"},
        {"cell.scale=[g_Na=1e6]",
            ": --set cell.scale=[g_Na=1e6]: g_Na=1e6; allowed after g_Na=: a number at least 0"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        mt_arena arena = {0};
        mt_case c;
        const mt_yaml_override set = {"--set", row[k][0]};
        cr_expect_eq(mt_case_load(&arena, niederer, &set, 1, &c), MT_INPUT, "%s", row[k][0]);
        cr_expect(strstr(mt_message(), "allowed") && strstr(mt_message(), row[k][1] + 2), "%s", mt_message());
        mt_arena_free(&arena);
    }
}

Test(case, contradicting_keys_are_rejected)
{
    expect_failure("mesh:\n", "mesh:\n  file: heart.hdf\n",
        ": mesh: both file and slab are given; needed: either file, or slab with size_mm and edge_mm above "
        "0");
    expect_failure("  slab: {size_mm: [2, 1, 1], edge_mm: 0.5}", "  file: ''",
        ": mesh: neither file nor slab is given; needed: either file, or slab with size_mm and edge_mm above "
        "0");
    expect_failure(
        "max_mm: [0.5, 1, 1]", "max_mm: [0.5, -1, 1]", ": stimuli.0: min_mm 0 is above max_mm -1 on axis y");
    expect_failure("end_ms: 10", "end_ms: 10.01",
        ": time.end_ms: 10.01; allowed: a whole number of steps of dt_ms = 0.02, at least one: 10 or 10.02");
    expect_failure("time:\n", "diffusion: {method: implicit, accumulation: double-word}\ntime:\n",
        ": diffusion.accumulation: double-word, with diffusion.method implicit; allowed: single, or "
        "diffusion.method explicit");
    expect_failure("end_ms: 10", "end_ms: 0.001",
        ": time.end_ms: 0.001; allowed: a whole number of steps of dt_ms = 0.02, at least one: 0.02");
    /* 1,000,000.5 steps: a relative tolerance of one in a million of all steps would accept half a step here */
    expect_failure("end_ms: 10", "end_ms: 20000.01",
        ": time.end_ms: 20000.01; allowed: a whole number of steps of dt_ms = 0.02, at least one: 20000 or "
        "20000.02");
    expect_failure("end_ms: 10", "end_ms: 1e9\n  dt_ms: 1e-4",
        ": time: end_ms 1e+09 is 1e+13 steps of dt_ms 0.0001; allowed: at most 1e+12 steps");

    expect_failure("duration_ms: 2", "duration_ms: 0.005",
        ": stimuli.0.duration_ms: 0.005 is less than one step; allowed: at least dt_ms = 0.02");
    expect_failure("duration_ms: 2", "duration_ms: 2\n    start_ms: 10",
        ": stimuli.0.start_ms: 10; allowed: below end_ms = 10");
    expect_failure("    max_mm: [0.5, 1, 1]\n", "    radius_mm: 2\n",
        ": stimuli.0: min_mm is given alone; allowed: a box with min_mm and max_mm");
    expect_failure("duration_ms: 2", "duration_ms: 2\n    period_ms: 5",
        ": stimuli.0: period_ms is given and count is 1; allowed: period_ms with count above 1, or neither");
    expect_failure("duration_ms: 2", "duration_ms: 2\n    count: 5",
        ": stimuli.0: period_ms is not given and count is 5; allowed: period_ms with count above 1, or "
        "neither");
    expect_failure("duration_ms: 2", "duration_ms: 2\n    period_ms: 2\n    count: 5",
        ": stimuli.0.period_ms: 2; allowed: longer than duration_ms = 2");
    expect_failure("end_ms: 10", "end_ms: 335544.4",
        ": a beat of 16777220 steps of time.dt_ms = 0.02 begins at 0 ms; allowed: at most 16777216 steps, "
        "for example with output: {beats: every, beat_ms: 335544}");
}

#define ELECTRODES(leg)                                                                                      \
    "electrodes:\n"                                                                                          \
    "  - {name: RA, at_mm: [9, 9, 9]}\n"                                                                     \
    "  - {name: LA, at_mm: [9, 9, 8]}\n"                                                                     \
    "  - {name: " leg ", at_mm: [9, 9, 7]}\n"                                                                \
    "  - {name: aVF, at_mm: [9, 6, 9]}\n"

/* Without LL there are no leads, so aVF is a valid name. */
Test(case, electrodes_must_not_have_the_name_of_a_derived_lead)
{
    mt_arena arena = {0};
    mt_case c;
    expect_failure("time:\n", ELECTRODES("LL") "time:\n",
        ": electrodes: electrode 'aVF' has the name of a lead that RA, LA and LL define; allowed: another "
        "name");
    const char *path = file_with("time:\n", ELECTRODES("RL") "time:\n");
    load(&arena, path, NULL, 0, &c);
    cr_expect_eq(c.n_electrodes, 4);
    cr_expect_eq(remove(path), 0);
    mt_arena_free(&arena);
}

Test(case, a_missing_case_file_is_a_file_error)
{
    mt_arena arena = {0};
    mt_case c;
    cr_expect_eq(mt_case_load(&arena, "/tmp/there/is/no.yaml", NULL, 0, &c), MT_FILE);
    cr_expect_str_eq(mt_message(), "/tmp/there/is/no.yaml: cannot be read: No such file or directory");
    mt_arena_free(&arena);
}

/* Compares numbers to the bit, including NaN. */
static void expect_same_stimulus(const mt_case_stimulus *a, const mt_case_stimulus *b)
{
    mt_case_stimulus x = *a, y = *b;
    cr_expect_str_eq(a->region.at, b->region.at);
    cr_expect_str_eq(a->region.surface, b->region.surface);
    cr_expect_str_eq(a->region.vtx, b->region.vtx);
    cr_expect_str_eq(a->region.elements, b->region.elements);
    cr_expect_str_eq(a->region.tag, b->region.tag);
    cr_expect_str_eq(a->region.group, b->region.group);
    cr_expect_str_eq(a->region.segment, b->region.segment);
    x.region.at = y.region.at = x.region.surface = y.region.surface = x.region.vtx = y.region.vtx = NULL;
    x.region.elements = y.region.elements = x.region.tag = y.region.tag = NULL;
    x.region.group = y.region.group = x.region.segment = y.region.segment = NULL;
    cr_expect_arr_eq(&x, &y, sizeof x);
}

static const char every_region[] =
    "stimuli=[{min_mm: [0, 0, 0], max_mm: [1, 1, 1], duration_ms: 2, strength_uA_mm3: 50}, {centre_mm: [0.1, "
    "2, 3], radius_mm: 0.7, start_ms: 3, duration_ms: 1, strength_uA_mm3: 7}, {at: apex, radius_mm: 6, "
    "duration_ms: 2, strength_uA_mm3: 50}, {surface: lv_endocardium, duration_ms: 2, strength_uA_mm3: 50}, "
    "{surface: 17, depth_mm: 0.3, at: apex, radius_mm: 9, duration_ms: 2, period_ms: 10.5, count: 3, "
    "strength_uA_mm3: 50}, {vtx: some place/site.vtx, duration_ms: 2, strength_uA_mm3: 50}, {elements: some "
    "place/list.txt, duration_ms: 2, strength_uA_mm3: 50}, {layer: mid, segment: apex, duration_ms: 2, "
    "strength_uA_mm3: 50}, {at: {apicobasal: mid, rotational: 0.3, transmural: endo, ventricle: right}, "
    "radius_mm: 3, duration_ms: 2, strength_uA_mm3: 50}]";

/* Values that were not specified are not written; defaults chosen by the program are. */
Test(case, every_kind_of_stimulus_is_written_and_loaded_unchanged)
{
    const char *const sets[] = {every_region};
    mt_arena arena = {0};
    mt_case c, d;
    const char *text;
    load(&arena, niederer, sets, 1, &c);
    cr_assert_eq(mt_yaml_write(&arena, &mt_case_table, &c, &text), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_yaml_read(&arena, NAME, text, &mt_case_table, NULL, 0, &d), MT_OK, "%s", mt_message());
    cr_assert_eq(d.n_stimuli, 9);
    cr_expect_eq(d.stimuli[7].region.layer, MT_LAYER_MID - MT_LAYER_ENDO);
    for (size_t k = 0; k < c.n_stimuli; k++) expect_same_stimulus(&c.stimuli[k], &d.stimuli[k]);
    cr_expect(strstr(text, "  - min_mm: [0, 0, 0]\n    max_mm: [1, 1, 1]\n    start_ms: 0"), "%s", text);
    cr_expect(strstr(text, "  - at: \"apex\"\n    radius_mm: 6\n    start_ms: 0"), "%s", text);
    cr_expect(strstr(text, "  - surface: \"lv_endocardium\"\n    depth_mm: 0\n    start_ms: 0"), "%s", text);
    cr_expect(strstr(text, "  - vtx: \"some place/site.vtx\"\n    start_ms: 0"), "%s", text);
    cr_expect_eq(d.stimuli[4].count, 3);
    cr_expect_eq(d.stimuli[4].period_ms, 10.5);
    cr_expect(d.stimuli[8].region.position.apicobasal == 0.5 && d.stimuli[8].region.position.ventricle == 1);
    mt_arena_free(&arena);
}

Test(case, a_written_case_is_loaded_unchanged)
{
    static const char *const sets[] = {"tissue.cm_uF_mm2=0.0123456789012345678", "tissue.chi_per_mm=0.1",
        "machine.checked=true", "title=a: \"b\" # c",
        "machine.set=['links.list=[{from: 0, to: 1, lanes: 4}]', clock_hz=1e9]"};
    mt_arena arena = {0};
    mt_case c, d;
    load(&arena, niederer, sets, 5, &c);
    const char *text, *again;
    cr_assert_eq(mt_yaml_write(&arena, &mt_case_table, &c, &text), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_yaml_read(&arena, NAME, text, &mt_case_table, NULL, 0, &d), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_yaml_write(&arena, &mt_case_table, &d, &again), MT_OK, "%s", mt_message());
    cr_expect_str_eq(text, again);
    cr_expect_str_eq(c.title, "a: \"b\" # c");
    cr_expect_str_eq(c.title, d.title);
    cr_expect_str_eq(c.mesh.file, d.mesh.file);
    cr_expect_arr_eq(&c.mesh.slab, &d.mesh.slab, sizeof c.mesh.slab);
    cr_expect_arr_eq(&c.tissue, &d.tissue, sizeof c.tissue);
    cr_expect(c.cell.model == d.cell.model && c.cell.type == d.cell.type);
    cr_expect_arr_eq(&c.time, &d.time, sizeof c.time);
    cr_expect_eq(d.tissue.cm_uF_mm2, 0.0123456789012345678);
    cr_assert_eq(c.n_stimuli, d.n_stimuli);
    for (size_t k = 0; k < c.n_stimuli; k++) expect_same_stimulus(&c.stimuli[k], &d.stimuli[k]);
    cr_assert_eq(c.n_points, d.n_points);
    for (size_t k = 0; k < c.n_points; k++) {
        cr_expect_str_eq(c.points[k].name, d.points[k].name);
        cr_expect_arr_eq(c.points[k].at_mm, d.points[k].at_mm, sizeof c.points[k].at_mm);
    }
    cr_expect_arr_eq(&c.line, &d.line, sizeof c.line);
    cr_expect_eq(c.machine.backend, d.machine.backend);
    cr_expect_eq(c.machine.precision, d.machine.precision);
    cr_expect_str_eq(c.machine.target, d.machine.target);
    cr_expect_eq(c.machine.tiles, d.machine.tiles);
    cr_expect_eq(c.machine.imbalance, d.machine.imbalance);
    cr_expect(c.machine.scheme == d.machine.scheme && c.machine.partition == d.machine.partition);
    cr_assert_eq(d.machine.n_sets, 2);
    for (size_t k = 0; k < 2; k++) cr_expect_str_eq(c.machine.sets[k].text, d.machine.sets[k].text);
    cr_expect(c.machine.checked && d.machine.checked);
    mt_arena_free(&arena);
}

static mt_status load_and_stimulate(mt_arena *arena, const mt_mesh *mesh)
{
    mt_case c;
    mt_stimulus *stimulus;
    MT_TRY(mt_case_load(arena, niederer, NULL, 0, &c));
    return mt_case_stimuli(arena, &c, mesh, &(mt_unknowns){mesh, false}, &stimulus);
}

Test(case, every_failed_allocation_is_reported)
{
    const double size_mm[3] = {2, 1, 1};
    mt_arena meshes = {0};
    mt_mesh mesh;
    cr_assert_eq(mt_slab_make(&meshes, size_mm, 0.5, &mesh), MT_OK);
    mt_status status = MT_MEMORY;
    size_t n;
    for (n = 1; status != MT_OK && n < 100000; n++) {
        mt_arena arena = {0};
        mt_arena_fail_at(n);
        status = load_and_stimulate(&arena, &mesh);
        mt_arena_fail_at(0);
        cr_assert(status == MT_OK || status == MT_MEMORY, "take %zu: %s", n, mt_message());
        mt_arena_free(&arena);
    }
    cr_expect(status == MT_OK && n > 3, "ended at take %zu", n);
    mt_arena_free(&meshes);
}

static void expect_beats(
    const char *end_ms, const char *stimuli, const char *beat_ms, size_t n, const size_t *first_ms)
{
    mt_arena arena = {0};
    mt_case c;
    mt_record record;
    const char *sets[] = {end_ms, "output.beats=every", stimuli, beat_ms};
    load(&arena, niederer, sets, 4, &c);
    cr_assert_eq(mt_case_record(&arena, &c, &record), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_record_beats(&record), n, "%zu beats", mt_record_beats(&record));
    for (size_t b = 0; b < n; b++)
        cr_expect_eq(mt_record_first(&record, b), first_ms[b] * 50, "%zu", mt_record_first(&record, b));
    cr_expect(record.all);
    mt_arena_free(&arena);
}

#define PULSE(more) "{min_mm: [0, 0, 0], max_mm: [1, 1, 1], duration_ms: 2, strength_uA_mm3: 50, " more "}"

Test(case, a_beat_starts_with_a_pulse_or_when_the_previous_one_exceeds_its_length)
{
    const char *trains = "stimuli=[" PULSE("start_ms: 10, count: 3, period_ms: 100") ", " PULSE(
        "start_ms: 14, count: 2, period_ms: 120") ", " PULSE("start_ms: 300") "]";
    expect_beats("time.end_ms=400", trains, "output.beat_ms=1000", 4, (size_t[]){0, 110, 210, 300});
    expect_beats("time.end_ms=301", trains, "output.beat_ms=1000", 4, (size_t[]){0, 110, 210, 300});
    expect_beats(
        "time.end_ms=500", trains, "output.beat_ms=80", 7, (size_t[]){0, 80, 134, 210, 290, 370, 450});
}

Test(case, a_key_is_found_by_its_path_even_in_a_list_entry)
{
    const mt_yaml_key *keys = mt_case_table.keys;
    cr_expect_str_eq(mt_yaml_key_at(keys, "time.dt_ms")->name, "dt_ms");
    cr_expect_str_eq(mt_yaml_key_at(keys, "stimuli.12.start_ms")->name, "start_ms");
    cr_expect_str_eq(mt_yaml_key_at(keys, "stimuli")->name, "stimuli");
    static const char *const none[] = {
        "stimuli.start_ms", "stimuli.1", "stimuli.1x.start_ms", "time.0.dt_ms", "stimuli.1.start"};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++)
        cr_expect_null(mt_yaml_key_at(keys, none[k]), "%s", none[k]);
}

Test(case, the_ending_of_a_name_determines_its_unit)
{
    const mt_yaml_key *keys = mt_case_table.keys;
    static const char *const in_mV[] = {"cell.tolerance_mV", "diffusion.tolerance_mV", "output.threshold_mV"};
    for (size_t k = 0; k < sizeof in_mV / sizeof *in_mV; k++)
        cr_expect_str_eq(mt_yaml_unit_at(keys, in_mV[k]), "mV", "%s", in_mV[k]);
    size_t ending;
    cr_expect_str_eq(mt_yaml_unit_ending("activation_ms", &ending), "ms");
    cr_expect_eq(ending, 3);
    cr_expect_str_eq(mt_yaml_unit_ending("point", &ending), "");
    cr_expect_eq(ending, 0);
}
