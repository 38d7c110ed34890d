/* The headline figures of a run, compared with values computed here from the same mesh and case; and the use of the case's tissue. */
#include <criterion/criterion.h>

#include "tests/answers.h"
#include "tests/app/program.h"
#include "tests/random.h"

#include <omp.h>

#include "mesh/make/slab.h"
#include "mesh/vtk/vtkhdf.h"
#include "solver/backends/backend.h"
#include "solver/cells/tp06/tp06.h"

static void enter(void)
{
    enter_room();
    share_cache();
    omp_set_num_threads(1); /* the meshes are small */
}

TestSuite(headlines, .init = enter, .fini = leave_room);

/* ---- a mesh with unusual values of all figures ---- */

/* Writes a cube of 1 mm of 5 x 5 x 5 boxes with poor elements and rotating fibres, so that some elements must be limited. */
static void write_cube(mt_arena *arena, mt_mesh *mesh)
{
    uint64_t state = 2;
    ok(mt_slab_make_cut(arena, (double[]){1, 1, 1}, 0.2, MT_SLAB_KUHN, mesh));
    for (size_t k = 0; k < 3 * mesh->n_vertices; k++) {
        double *x = mesh->xyz_mm + k;
        const double move = between(&state, -0.06, 0.06);
        if (*x > 1e-9 && *x < 1 - 1e-9) *x += move;
    }
    for (size_t c = 0; c < mesh->n_elements; c++) {
        double at[3];
        mt_mesh_centroid(mesh, c, at);
        const double turn = 3 * at[2], rise = 2 * at[0];
        const double fibre[3] = {cos(turn) * cos(rise), sin(turn) * cos(rise), sin(rise)};
        memcpy(mesh->fibre + 3 * c, fibre, sizeof fibre);
    }
    ok(mt_vtkhdf_write("cube.hdf", mesh, 0, NULL));
}

static const char cube_case[] = "title: Cube\n"
                                "mesh: {file: cube.hdf}\n"
                                "tissue:\n"
                                "  intracellular_l_mS_mm: 0.3\n"
                                "  intracellular_t_mS_mm: 0.025\n"
                                "  extracellular_l_mS_mm: 0.45\n"
                                "  extracellular_t_mS_mm: 0.1\n"
                                "  chi_per_mm: 125\n"
                                "  cm_uF_mm2: 0.012\n"
                                "cell: {type: endo}\n"
                                "time: {dt_ms: 0.025, end_ms: 1.5}\n"
                                "stimuli:\n"
                                "  - {min_mm: [0, 0, 0], max_mm: [0.4, 1, 1], duration_ms: 1,\n"
                                "     strength_uA_mm3: 150}\n"
                                "machine: {backend: cpu, precision: double}\n";

/* 0.3 0.45 / 0.75 = 0.18 and 0.025 0.1 / 0.125 = 0.02 mS/mm in series, divided by chi Cm = 125 per mm times 0.012 uF/mm^2 = 1.5 uF/mm^3. */
static const mt_tissue cube_tissue = {0.18, 0.02, 125, 0.012, 0};
static const double cube_along = 0.12, cube_across = 0.02 / 1.5;

/* Computes activation times with a backend that is set up here. */
static double *activate_cube(
    mt_arena *arena, const mt_mesh *mesh, const mt_diffusion *diffusion, mt_splitting splitting)
{
    uint32_t *elements = mt_arena_alloc(arena, mesh->n_elements, sizeof *elements);
    double *activation = mt_arena_alloc(arena, mesh->n_elements, sizeof *activation);
    size_t n = 0;
    void *self = NULL;
    for (uint32_t c = 0; c < mesh->n_elements; c++) {
        double at[3];
        mt_mesh_centroid(mesh, c, at);
        if (at[0] <= 0.4) elements[n++] = c;
    }
    const mt_stimulus stimulus = {
        .duration_ms = 1, .rise_mV_ms = 150 / 1.5, .n_elements = n, .element = elements};
    const mt_monodomain problem = {.diffusion = diffusion,
        .model = &mt_cell_tp06,
        .variant = TP06_ENDO,
        .dt_ms = 0.025,
        .pde_steps = (size_t)ceil(0.025 / diffusion->limit_dt_ms),
        .splitting = splitting,
        .n_stimuli = 1,
        .stimulus = &stimulus};
    const mt_backend *cpu = mt_backend_find("cpu");
    ok(cpu->open(arena, &problem, NULL, &self));
    ok(mt_backend_run(&problem, cpu, self, 0, 60, NULL, NULL, NULL));
    cpu->read(self, MT_ARRAY_ACTIVATION, activation);
    return activation;
}

/* Returns 1.8 / |lowest eigenvalue| of the symmetric part of V^1/2 (V^-1 M) V^-1/2, by power iteration. */
static double step_limit(mt_arena *arena, const mt_diffusion *op)
{
    const size_t n = op->n_unknowns;
    double *s = mt_arena_alloc(arena, n * n, sizeof *s), *x = mt_arena_alloc(arena, n, sizeof *x);
    double *y = mt_arena_alloc(arena, n, sizeof *y), norm = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < MT_DIFFUSION_ROW; k++) {
            const size_t j = op->column[MT_DIFFUSION_ROW * i + k];
            const double rate = op->rate[MT_DIFFUSION_ROW * i + k],
                         half = rate * sqrt(op->volume_mm3[i] / op->volume_mm3[j]) / 2;
            s[i * n + i] -= rate;
            s[i * n + j] += half, s[j * n + i] += half;
        }
    uint64_t state = 5;
    for (size_t i = 0; i < n; i++) x[i] = between(&state, -1, 1);
    for (int round = 0; round < 300; round++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            y[i] = 0;
            for (size_t j = 0; j < n; j++) y[i] += s[i * n + j] * x[j];
            sum += y[i] * y[i];
        }
        norm = sqrt(sum);
        for (size_t i = 0; i < n; i++) x[i] = y[i] / norm;
    }
    return 1.8 / norm;
}

/* The limits, by Lanczos' method and by power iteration, are each some tenths of a per cent above the end of the spectrum. Other figures
 * have the same arithmetic, with at most one more rounding (result.hdf has single precision). */
Test(headlines, key_figures_of_a_run_match_its_mesh_tissue_and_activation)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_diffusion op;
    double *in_file, latest = 0, earliest = INFINITY;
    size_t activated = 0, limited = 0;
    write_cube(&arena, &mesh);
    write_text("cube.yaml", cube_case);
    char *text = works("run cube.yaml --output out --format json");
    ok(mt_adjacency_make(&arena, &mesh, &adjacency));
    ok(mt_diffusion_make(&arena, &mesh, &adjacency, &cube_tissue, &mt_diffusion_scheme_default, &op));
    const double *activation = activate_cube(&arena, &mesh, &op, MT_SPLITTING_COMPENSATED);
    ok(mt_vtkhdf_read_field(&arena, "out/result.hdf", "activation", mesh.n_elements, &in_file));
    for (size_t c = 0; c < mesh.n_elements; c++) {
        limited += op.theta[c] < 1;
        cr_assert_eq(isfinite(activation[c]), isfinite(in_file[c]), "element %zu", c);
        if (!isfinite(activation[c])) continue;
        cr_assert_eq((float)activation[c], (float)in_file[c], "element %zu", c);
        activated++;
        latest = fmax(latest, activation[c]), earliest = fmin(earliest, activation[c]);
    }
    cr_assert(activated > 0 && activated < mesh.n_elements && latest > 1.2 * earliest && limited > 0,
        "%zu activated, %g to %g ms, %zu limited: nothing to tell apart", activated, earliest, latest,
        limited);

    cr_expect_eq(json_property(text, "elements"), 750);
    cr_expect_float_eq(json_property(text, "diffusivity_along_fibres_mm2_per_ms"), cube_along, 1e-15);
    cr_expect_float_eq(json_property(text, "diffusivity_across_fibres_mm2_per_ms"), cube_across, 1e-15);
    cr_expect_eq(json_property(text, "time_step_ms"), 0.025);
    const double limit = step_limit(&arena, &op);
    cr_expect_float_eq(json_property(text, "largest_stable_substep_ms"), limit, 0.01 * limit);
    cr_expect_eq(json_property(text, "substeps_per_time_step"), ceil(0.025 / limit));
    cr_expect_gt(ceil(0.025 / limit), 1);
    cr_expect_eq(json_property(text, "elements_with_limited_gradients"), (double)limited);
    cr_expect_float_eq(
        json_property(text, "largest_eigenvalue_per_ms"), op.top_per_ms, 1e-6 * fabs(op.top_per_ms));
    cr_expect_float_eq(
        json_property(text, "elements_activated_percent"), 100 * (double)activated / 750, 1e-12);
    cr_expect_float_eq(json_property(text, "latest_activation_ms"), latest, 1e-12);
    cr_expect_float_eq(json_property(text, "simulated_time_ms"), 1.5, 1e-12);
    free(text);
    mt_arena_free(&arena);
}

/* The cube needs several diffusion substeps in a time step, so that the splittings differ. */
Test(headlines, a_run_uses_the_requested_splitting)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_diffusion op;
    double *activation[2], *in_file;
    write_cube(&arena, &mesh);
    write_text("cube.yaml", cube_case);
    ok(mt_adjacency_make(&arena, &mesh, &adjacency));
    ok(mt_diffusion_make(&arena, &mesh, &adjacency, &cube_tissue, &mt_diffusion_scheme_default, &op));
    for (int k = MT_SPLITTING_GODUNOV; mt_splitting_name[k]; k++) {
        char path[64];
        free(works(
            "run cube.yaml --output %s --set time.splitting=%s", mt_splitting_name[k], mt_splitting_name[k]));
        (void)snprintf(path, sizeof path, "%s/result.hdf", mt_splitting_name[k]);
        ok(mt_vtkhdf_read_field(&arena, path, "activation", mesh.n_elements, &in_file));
        activation[k] = activate_cube(&arena, &mesh, &op, (mt_splitting)k);
        for (size_t c = 0; c < mesh.n_elements; c++)
            if (isfinite(activation[k][c]))
                cr_assert_eq((float)activation[k][c], (float)in_file[c], "element %zu", c);
    }
    cr_expect(memcmp(activation[0], activation[1], mesh.n_elements * sizeof(double)) != 0);
    mt_arena_free(&arena);
}

Test(headlines, without_activation_there_is_no_latest_activation_time)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    write_cube(&arena, &mesh);
    write_text("cube.yaml", cube_case);
    char *text = works("run cube.yaml --output out --format json --set time.end_ms=0.1");
    cr_assert_eq(json_property(text, "elements_activated_percent"), 0);
    cr_assert(isnan(json_property(text, "latest_activation_ms")));
    free(text);
    mt_arena_free(&arena);
}

/* ---- velocities are proportional to the square root of the diffusivity ---- */

static const char wave_case[] =
    "mesh: {slab: {size_mm: %s, edge_mm: %g}}\n"
    "tissue: {intracellular_l_mS_mm: %g, intracellular_t_mS_mm: %g,\n"
    "  extracellular_l_mS_mm: %g, extracellular_t_mS_mm: %g,\n"
    "  chi_per_mm: %g, cm_uF_mm2: %g}\n"
    "cell: {type: epi}\n"
    "time: {end_ms: %g}\n"
    "stimuli: [{min_mm: [0, 0, 0], max_mm: %s, duration_ms: 2, strength_uA_mm3: %g}]\n"
    "machine: {backend: cpu, precision: double}\n";

typedef struct wave {
    const char *size, *stimulated;
    double edge_mm, conductivity[4], chi, cm, strength, end_ms;
} wave;

/* Runs the case, reads its mesh, and returns the activation time of each element. */
static const double *activate(mt_arena *arena, const wave *w, mt_mesh *mesh)
{
    char text[1024];
    double *activation;
    (void)snprintf(text, sizeof text, wave_case, w->size, w->edge_mm, w->conductivity[0], w->conductivity[1],
        w->conductivity[2], w->conductivity[3], w->chi, w->cm, w->end_ms, w->stimulated, w->strength);
    write_text("wave.yaml", text);
    char *table, *said = warnings(&table, "run wave.yaml --output out --format json");
    free(table), free(said);
    ok(mt_vtkhdf_read(arena, "out/result.hdf", mesh));
    ok(mt_vtkhdf_read_field(arena, "out/result.hdf", "activation", mesh->n_elements, &activation));
    return activation;
}

/* Three times the conductivities, half the surface-to-volume ratio and 1.5 times the capacitance yield four times the diffusivity. On a
 * mesh of twice the size all entries of the operator, and so all activation times, are the same: the velocity is doubled. Single precision
 * in the files rounds by 6e-8; the operators differ by rounding only. */
Test(headlines, four_times_the_diffusivity_doubles_the_cv)
{
    mt_arena arena = {0};
    mt_mesh small, large;
    const double *usual = activate(&arena,
        &(wave){"[6, 2, 1]", "[1.5, 1.5, 1]", 0.5, {0.17, 0.019, 0.62, 0.24}, 140, 0.01, 50, 13}, &small);
    const double *unusual = activate(&arena,
        &(wave){"[12, 4, 2]", "[3, 3, 2]", 1, {0.51, 0.057, 1.86, 0.72}, 70, 0.015, 37.5, 13}, &large);
    cr_assert(small.n_elements == 12 * 4 * 2 * 6 && large.n_elements == small.n_elements);
    for (size_t c = 0; c < small.n_elements; c++) {
        cr_assert(isfinite(usual[c]), "element %zu is not activated", c);
        cr_assert_float_eq(
            usual[c], unusual[c], 2e-6, "element %zu: %.9g and %.9g ms", c, usual[c], unusual[c]);
    }
    mt_arena_free(&arena);
}

/* Returns the mean activation time of all elements. */
static double mean_time(mt_arena *arena, const wave *w, mt_mesh *mesh)
{
    const double *activation = activate(arena, w, mesh);
    double sum = 0;
    for (size_t c = 0; c < mesh->n_elements; c++) {
        cr_assert(isfinite(activation[c]), "element %zu is not reached", c);
        sum += activation[c] / (double)mesh->n_elements;
    }
    return sum;
}

/* 0.2 and 0.2 in series, and 0.125 and 0.5 in series, are 0.1 mS/mm, both longitudinal and transverse. The division of a cube does not
 * change if its axes are exchanged, so that CV is the same along y and x. In the default tissue the transverse CV is lower by sqrt(7.6),
 * so that a run that confuses the directions would fail. */
Test(headlines, equal_longitudinal_and_transverse_conductivity_yield_equal_cv)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    const wave along = {"[4, 1, 1]", "[1, 1, 1]", 0.5, {0.2, 0.125, 0.2, 0.5}, 140, 0.01, 50, 16};
    wave across = along;
    across.size = "[1, 4, 1]";
    const double x = mean_time(&arena, &along, &mesh), y = mean_time(&arena, &across, &mesh);
    cr_assert_float_eq(x, y, 2e-6, "%.9g ms along, %.9g ms across", x, y);
    mt_arena_free(&arena);
}
