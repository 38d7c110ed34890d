#include <criterion/criterion.h>

#include "tests/app/program.h"

#include "data/files/cache.h"
#include "mesh/make/slab.h"
#include "mesh/vtk/vtkhdf.h"
#include "solver/diffusion/diffusion.h"
#include "tests/random.h"
#include "tests/solver/slivers.h"

#include <dirent.h>
#include <omp.h>
#include <sys/wait.h>

/* The diffusion operator of the commands: the cache, and messages about limited elements. */

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1);
}

TestSuite(operator, .init = enter, .fini = leave_room);

enum { NAME = 512 };

static void ok(mt_status status) { cr_assert_eq(status, MT_OK, "%s", mt_message()); }

/* Builds 8 x 7 x 7 cubes of tall, distorted elements. Some are limited, and there are enough elements for the cache. */
static void crooked(mt_arena *arena, mt_mesh *mesh)
{
    uint64_t state = 1;
    ok(mt_slab_make(arena, (double[]){0.8, 0.7, 0.7}, 0.1, mesh));
    for (size_t k = 0; k < 3 * mesh->n_vertices; k++) {
        const double at = mesh->xyz_mm[k], shift = between(&state, -1, 1);
        if (at > 0.05 && at < 0.65) mesh->xyz_mm[k] += 0.015 * shift;
        if (k % 3 == 2) mesh->xyz_mm[k] *= 4;
    }
}

static void write_crooked(const char *path)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    crooked(&arena, &mesh);
    ok(mt_vtkhdf_write(path, &mesh, 0, NULL));
    mt_arena_free(&arena);
}

static char *table_of(const char *line)
{
    char *table;
    free(warnings(&table, line));
    return table;
}

static void same_table(const char *line, const char *expected)
{
    char *table = table_of(line);
    cr_assert_str_eq(table, expected, "%s", line);
    free(table);
}

/* Counts the files in the cache, and returns the name of one. */
static size_t cached(char name[NAME])
{
    size_t n = 0;
    DIR *in = opendir("cache/myotile");
    for (struct dirent *entry; in && (entry = readdir(in));)
        if (entry->d_name[0] != '.') n++, (void)snprintf(name, NAME, "cache/myotile/%s", entry->d_name);
    if (in) (void)closedir(in);
    return n;
}

static void use_cache(void)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/cache", room);
    cr_assert_eq(setenv("XDG_CACHE_HOME", path, 1), 0);
}

static const char info[] = "mesh info a.hdf --format json";

/* The cache is used: a planted limit is reported; damaged or missing entries are computed again. */
Test(operator, cached_limits_are_used_to_build_the_operator)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_limits known;
    const void *bytes;
    void *packed;
    char name[NAME], key[MT_HASH_SIZE];
    size_t n;
    write_crooked("a.hdf");
    char *without = table_of(info);
    use_cache();
    same_table("mesh info a.hdf --format json --no-cache", without);
    cr_assert_eq(cached(name), 0);
    same_table(info, without);
    cr_assert_eq(cached(name), 1);
    same_table(info, without);

    ok(mt_vtkhdf_read(&arena, "a.hdf", &mesh));
    ok(mt_limits_key(
        &mesh, &(mt_tissues){1, &mt_tissue_default, NULL}, &mt_diffusion_scheme_default, NULL, key));
    cr_assert(mt_cache_find(&arena, "limits", key, &bytes, &n));
    cr_assert(mt_limits_unpack(bytes, n, &known) && known.n_limited > 0);
    known.limit_dt_ms = 0.125;
    ok(mt_limits_pack(&arena, &known, &packed, &n));
    mt_cache_store("limits", key, packed, n);
    char *planted = table_of(info);
    cr_assert_eq(json_property(planted, "largest_stable_substep_ms"), 0.125);
    same_table("mesh info a.hdf --format json --no-cache", without);
    free(planted);

    write_text(name, "damaged");
    same_table(info, without);
    free(bytes_of(name, &n));
    cr_assert(n > 100, "it is stored again");
    cr_assert_eq(remove(name), 0);
    cr_assert_eq(mkdir(name, 0700), 0);
    same_table(info, without);
    free(without);
    mt_arena_free(&arena);
}

/* A run with the cache has the same bits. */
Test(operator, a_run_with_the_cache_equals_one_without)
{
    static const char line[] = "run a.yaml --output %s --set machine.backend=cpu";
    char name[NAME], text[128];
    write_crooked("a.hdf");
    write_text("a.yaml",
        "mesh: {file: a.hdf}\ntissue: {intracellular_l_mS_mm: 0.17, intracellular_t_mS_mm: 0.019, "
        "extracellular_l_mS_mm: 0.62, extracellular_t_mS_mm: 0.24, chi_per_mm: 140, cm_uF_mm2: 0.01}\n"
        "cell: {type: epi}\ntime: {end_ms: 1}\nstimuli:\n  - {min_mm: [0, 0, 0], max_mm: [1, 1, 1], "
        "duration_ms: 1, strength_uA_mm3: 50}\npoints:\n  - {name: far, at_mm: [0.5, 0.5, 0.5]}\n");
    use_cache();
    static const char *const folders[3] = {"one", "two", "three --no-cache"};
    for (int k = 0; k < 3; k++) {
        (void)snprintf(text, sizeof text, line, folders[k]);
        free(table_of(text));
    }
    cr_assert_eq(cached(name), 1);
    cr_assert(same_file("one/activation.csv", "two/activation.csv"));
    cr_assert(same_file("one/activation.csv", "three/activation.csv"));
}

/* Failures of the cache are silent: there is no folder, no file, no message. */
Test(operator, a_run_without_a_cache_works)
{
    write_crooked("a.hdf");
    char *without = table_of(info);
    static const char *const nowhere[4] = {"/dev/null", "relative/path", "/proc/none", ""};
    cr_assert_eq(setenv("HOME", "/dev/null", 1), 0);
    const size_t before = things();
    for (int k = 0; k < 4; k++) {
        cr_assert_eq(setenv("XDG_CACHE_HOME", nowhere[k], 1), 0);
        same_table(info, without);
        cr_assert_eq(things(), before);
    }
    cr_assert_eq(unsetenv("XDG_CACHE_HOME"), 0);
    cr_assert_eq(setenv("HOME", room, 1), 0);
    same_table(info, without);
    cr_assert(there(".cache/myotile"));
    free(without);
}

Test(operator, several_processes_can_build_an_operator_concurrently)
{
    pid_t child[3];
    write_crooked("a.hdf");
    char *without = table_of(info), name[NAME];
    use_cache();
    for (int k = 0; k < 3; k++) {
        child[k] = fork();
        cr_assert(child[k] >= 0);
        if (child[k] > 0) continue;
        int differs = 0;
        for (int turn = 0; turn < 2; turn++) {
            reply r = myotile("%s", info);
            differs |= r.code != 0 || strcmp(r.out, without) != 0;
            forget(&r);
        }
        _exit(differs);
    }
    for (int k = 0; k < 3; k++) {
        int ended = 0;
        cr_assert_eq(waitpid(child[k], &ended, 0), child[k]);
        cr_assert(WIFEXITED(ended) && WEXITSTATUS(ended) == 0, "child %d: %d", k, ended);
    }
    cr_assert_eq(cached(name), 1);
    free(without);
}

/* ---- messages */

static void write_case(const char *path, const char *mesh, const char *transverse)
{
    char text[1024];
    (void)snprintf(text, sizeof text,
        "mesh: {%s}\ntissue: {intracellular_l_mS_mm: 0.17, intracellular_t_mS_mm: %s, extracellular_l_mS_mm: "
        "0.62, extracellular_t_mS_mm: 0.24, chi_per_mm: 140, cm_uF_mm2: 0.01}\n"
        "cell: {model: mitchell-schaeffer, type: standard}\ntime: {end_ms: 0.1}\ndiffusion: "
        "{spreading_of_cells: [0.055]}\nstimuli:\n  - {min_mm: "
        "[-99, -99, -99], max_mm: [99, 99, "
        "99], duration_ms: 1, strength_uA_mm3: 50}\nmachine: {backend: cpu}\n",
        mesh, transverse);
    write_text(path, text);
}

/* The default longitudinal conductivity is about 8 times the transverse one; a hundred times is too much for tall cubes. */
Test(operator, many_limited_elements_cause_a_warning)
{
    char *table, *said;
    write_case("a.yaml", "slab: {size_mm: [2, 2, 2], edge_mm: 0.25}", "0.019");
    said = warnings(&table, "run a.yaml --output out");
    cr_assert(!strstr(said, "limited") && !strstr(said, "slivers"), "%s", said);
    cr_assert(!strstr(table, "Limited elements") && !strstr(table, "slivers"), "%s", table);
    free(said), free(table);
    write_crooked("a.hdf");
    write_case("a.yaml", "file: a.hdf", "0.0001");
    said = warnings(&table, "run a.yaml --output out --format json");
    const double limited = json_property(table, "elements_with_limited_gradients");
    cr_assert(limited > 0.01 * 2352, "%g", limited);
    cr_assert(strstr(said, "a.hdf: ") && strstr(said, "of 2352 elements (") && strstr(said, "up to 13 %"),
        "%s", said);
    cr_assert(strstr(table, "Limited elements, the first") && strstr(table, "\"theta\": "), "%s", table);
    free(said), free(table);
}

Test(operator, meshes_with_slivers_run_and_slivers_are_reported)
{
    mt_arena arena = {0};
    mt_mesh slab, mesh;
    ok(mt_slab_make(&arena, (double[]){3, 2, 2}, 0.5, &slab));
    plant_slivers(&arena, &slab, 5, 1e-7, 1, &mesh);
    ok(mt_vtkhdf_write("a.hdf", &mesh, 0, NULL));
    write_case("a.yaml", "file: a.hdf", "0.019");
    char *table, *said = warnings(&table, "run a.yaml --output out --format json");
    cr_assert_eq(json_property(table, "limited_slivers"), 10);
    cr_assert(strstr(said, "10 of 606 elements (1.65 %) are slivers"), "%s", said);
    cr_assert(strstr(table, "\"worst_cosine\": ") && strstr(table, "\"capacity_volumes\": "), "%s", table);
    free(said), free(table);
    mt_arena_free(&arena);
}

/* An isolated tetrahedron next to a cube. */
Test(operator, an_isolated_element_causes_a_warning)
{
    mt_arena arena = {0};
    mt_mesh box, mesh;
    ok(mt_slab_make(&arena, (double[]){0.5, 0.5, 0.5}, 0.5, &box));
    ok(mt_mesh_new(&arena, 12, 7, &mesh));
    ok(mt_mesh_new_fibres(&arena, &mesh));
    memcpy(mesh.xyz_mm, box.xyz_mm, 24 * sizeof(double));
    memcpy(mesh.xyz_mm + 24, (double[]){5, 0, 0, 6, 0, 0, 5, 1, 0, 5, 0, 1}, 12 * sizeof(double));
    memcpy(mesh.element_vertex, box.element_vertex, 24 * sizeof(uint32_t));
    memcpy(mesh.element_vertex + 24, (uint32_t[]){8, 9, 10, 11}, 4 * sizeof(uint32_t));
    ok(mt_vtkhdf_write("a.hdf", &mesh, 0, NULL));
    write_case("a.yaml", "file: a.hdf", "0.019");
    static const char *const lines[2] = {"run a.yaml --output out", "mesh info a.hdf"};
    for (int k = 0; k < 2; k++) {
        char *table, *said = warnings(&table, lines[k]);
        cr_assert(strstr(said, "a.hdf: 1 element shares no face with any other, the first is 6"), "%s", said);
        free(said), free(table);
    }
    mt_arena_free(&arena);
}

/* An element without volume: the message refers to the mesh, and the command in it repairs the mesh. */
Test(operator, a_zero_volume_element_is_reported_as_a_mesh_defect)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    ok(mt_slab_make(&arena, (double[]){1, 1, 1}, 0.5, &mesh));
    const uint32_t *v = mesh.element_vertex + 4 * 20;
    for (size_t k = 0; k < 3; k++)
        mesh.xyz_mm[3 * (size_t)v[3] + k] =
            (mesh.xyz_mm[3 * (size_t)v[0] + k] + mesh.xyz_mm[3 * (size_t)v[1] + k]) / 2;
    ok(mt_vtkhdf_write("a.hdf", &mesh, 0, NULL));
    write_case("a.yaml", "file: a.hdf", "0.019");
    refuses(2, "a.hdf: element ", "run a.yaml --output out");
    refuses(2, "a.hdf OUT.hdf --repair` may repair it", "run a.yaml --output out");
    free(table_of("mesh convert a.hdf b.hdf --repair"));
    write_case("a.yaml", "file: b.hdf", "0.019");
    free(table_of("run a.yaml --output out"));
    mt_arena_free(&arena);
}

Test(operator, an_excessive_number_of_diffusion_steps_is_rejected_before_the_run)
{
    write_case("a.yaml", "slab: {size_mm: [4.0e-6, 4.0e-6, 4.0e-6], edge_mm: 1.0e-6}", "0.019");
    refuses(2, "a.yaml: mesh.slab: at least ", "run a.yaml --output out");
    refuses(2,
        ", unless time.pde_steps sets more. Check the mesh's unit and the tissue (conductivities, "
        "chi_per_mm, cm_uF_mm2)",
        "run a.yaml --output out");
    write_case("a.yaml", "slab: {size_mm: [1, 1, 1], edge_mm: 0.5}", "0.019");
    refuses(2,
        "; allowed: at most 10000, unless time.pde_steps sets more. Check the mesh's unit and the tissue "
        "(conductivities, chi_per_mm, cm_uF_mm2)",
        "run a.yaml --output out --set tissue.chi_per_mm=0.001 --set tissue.cm_uF_mm2=1e-6");
    refuses(2, " diffusion steps per time.dt_ms 0.02 are needed: ",
        "run a.yaml --output out --set tissue.chi_per_mm=0.001");
}
