/* Places of a case by ventricular coordinates, by command. */
#include <criterion/criterion.h>

#include "tests/app/program.h"

#include "mesh/vtk/vtkhdf.h"
#include "tests/mesh/shell.h"

enum { N_ELEMENTS = 24 * 6 * 6 * 3 };
#define EDGE_MM 9.0 /* of the shell: longest along a meridian, an eighth of 60 mm */

/* Isotropic conductivities, which need no fibres. */
static const char with[] =
    "mesh: {file: lv.hdf}\n"
    "tissue:\n"
    "  intracellular_l_mS_mm: 17\n"
    "  intracellular_t_mS_mm: 17\n"
    "  extracellular_l_mS_mm: 62\n"
    "  extracellular_t_mS_mm: 62\n"
    "  chi_per_mm: 140\n"
    "  cm_uF_mm2: 0.01\n"
    "cell: {model: mitchell-schaeffer, type: standard, scale: [tau_in=0.3]}\n"
    "time: {end_ms: 3}\n"
    "regions:\n"
    "  - {at: {apicobasal: 0.8, rotational: 0.5, transmural: mid}, radius_mm: 8, scale: [tau_in=1]}\n"
    "stimuli:\n"
    "  - {at: {apicobasal: mid, rotational: lateral, transmural: endo}, radius_mm: 9, duration_ms: 2,\n"
    "     strength_uA_mm3: 100}\n"
    "points:\n"
    "  - {name: septum, at: {apicobasal: 0.75, rotational: septal, transmural: 0.25}}\n"
    "  - {name: apex, at: apex}\n"
    "  - {name: free, at_mm: [-25, 0, -2]}\n"
    "machine: {backend: cpu}\n";

static void enter(void)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    const shell s = {6, 3, 1};
    enter_room();
    share_cache();
    shell_make(&arena, &s, &mesh);
    cr_assert_eq(mt_vtkhdf_write("lv.hdf", &mesh, 0, NULL), MT_OK, "%s", mt_message());
    mt_arena_free(&arena);
    write_text("case.yaml", with);
}

TestSuite(places, .init = enter, .fini = leave_room);

/* Compares the activation of two runs. */
static void assert_same_activation(const char *one, const char *two)
{
    mt_arena arena = {0};
    double *activation[2];
    size_t n = 0;
    for (int k = 0; k < 2; k++) {
        char path[64];
        (void)snprintf(path, sizeof path, "%s/result.hdf", k ? two : one);
        cr_assert_eq(mt_vtkhdf_read_field(&arena, path, "activation", N_ELEMENTS, &activation[k]), MT_OK,
            "%s", mt_message());
    }
    for (size_t e = 0; e < N_ELEMENTS; e++) n += isfinite(activation[0][e]) ? 1 : 0;
    cr_assert(n > 20 && n < N_ELEMENTS, "%zu", n);
    cr_assert_arr_eq(activation[0], activation[1], N_ELEMENTS * sizeof *activation[0]);
    mt_arena_free(&arena);
}

/* Reads three numbers after the n-th `key` in a file. */
static void read_place(const char *path, const char *key, size_t n, double x[3])
{
    size_t bytes;
    char *text = bytes_of(path, &bytes);
    const char *at = text;
    for (size_t k = 0; k <= n; k++) {
        at = strstr(at, key);
        cr_assert_not_null(at, "%s: %s", key, text);
        at += strlen(key);
    }
    cr_assert_eq(sscanf(at, " [%lf, %lf, %lf]", x, x + 1, x + 2), 3, "%.60s", at);
    free(text);
}

static void expect_near(const char *folder, const char *key, size_t n, double x, double y, double z)
{
    char path[64];
    double found[3];
    (void)snprintf(path, sizeof path, "%s/used.yaml", folder);
    read_place(path, key, n, found);
    const double d = hypot(hypot(found[0] - x, found[1] - y), found[2] - z);
    cr_assert_lt(d, EDGE_MM / 2, "%s %zu: %g %g %g", key, n, found[0], found[1], found[2]);
}

/* Without a right ventricle the septum is assumed at +x, and anterior is +y. An apicobasal coordinate is an angle from -z, of 90 degrees at
 * the base. Lateral is -x; 0.5 is at 120 degrees, septal at 0. */
Test(places, used_yaml_has_the_places_found_and_repeats_the_run)
{
    char *table, *text = warnings(&table, "run case.yaml --output one");
    cr_assert(strstr(text, "lv.hdf: no right ventricle"), "%s", text);
    free(text), free(table);
    expect_near("one", "centre_mm:", 1, -20 * M_SQRT1_2, 0, -20 * M_SQRT1_2);
    const double up = 0.8 * M_PI / 2, out = 25 * sin(up);
    expect_near("one", "centre_mm:", 0, -out / 2, out * sqrt(0.75), -25 * cos(up));
    const double of_septum = 0.75 * M_PI / 2;
    expect_near("one", "at_mm:", 0, 22.5 * sin(of_septum), 0, -22.5 * cos(of_septum));
    expect_near("one", "at_mm:", 1, 0, 0, -30);
    text = warnings(&table, "run one/used.yaml --output two"); /* with coordinates from the cache */
    cr_assert(strstr(text, "lv.hdf: no right ventricle"), "%s", text);
    free(text), free(table);
    cr_assert(same_file("one/used.yaml", "two/used.yaml"));
    assert_same_activation("one", "two");
    free(works("run one/used.yaml --output three --no-cache"));
    cr_assert(same_file("one/used.yaml", "three/used.yaml"));
}

/* The same places in mm select the same elements. */
Test(places, a_position_acts_as_its_centre_in_mm)
{
    double x[3], y[3], p[3];
    free(works("run case.yaml --output one"));
    read_place("one/used.yaml", "centre_mm:", 0, y);
    read_place("one/used.yaml", "centre_mm:", 1, x);
    read_place("one/used.yaml", "at_mm:", 0, p);
    char *text = works("run case.yaml --output two --set "
                       "regions=[{\"centre_mm\":[%.17g,%.17g,%.17g],\"radius_mm\":8,\"scale\":[tau_in=1]}] "
                       "--set "
                       "stimuli=[{\"centre_mm\":[%.17g,%.17g,%.17g],\"radius_mm\":9,\"duration_ms\":2,"
                       "\"strength_uA_mm3\":100}] "
                       "--set points=[{\"name\":septum,\"at_mm\":[%.17g,%.17g,%.17g]}]",
        y[0], y[1], y[2], x[0], x[1], x[2], p[0], p[1], p[2]);
    free(text);
    assert_same_activation("one", "two");
}

/* The file has the septum at +y: anterior is -x, and lateral is -y. */
Test(places, coordinates_of_the_mesh_file_are_used)
{
    free(works("mesh coordinates lv.hdf -o lvc.hdf --septum 0,1,0"));
    char *table, *text = warnings(&table, "run case.yaml --output one --set mesh.file=lvc.hdf");
    cr_assert(!strstr(text, "no right ventricle"), "%s", text);
    free(text), free(table);
    expect_near("one", "centre_mm:", 1, 0, -20 * M_SQRT1_2, -20 * M_SQRT1_2);
    /* also from the result of a run, which has them, and for the vertices */
    free(works("run case.yaml --output two --set mesh.file=one/result.hdf "
               "--set diffusion={\"discretisation\":nodes}"));
    expect_near("two", "centre_mm:", 1, 0, -20 * M_SQRT1_2, -20 * M_SQRT1_2);
}

Test(places, positions_can_be_swept_and_refined)
{
    free(works("run case.yaml --output all --sweep stimuli.0.at.apicobasal=0.25,apex"));
    expect_near("all/apicobasal=0.25", "centre_mm:", 1, -20 * sin(M_PI / 8), 0, -20 * cos(M_PI / 8));
    expect_near("all/apicobasal=apex", "centre_mm:", 1, 0, 0, -20);
    char *text =
        works("mesh refine lv.hdf -o fine.hdf --edge-mm 2 --format json --where "
              "{\"at\":{\"apicobasal\":0.5,\"rotational\":anterior,\"transmural\":epi},\"radius_mm\":4}");
    cr_assert_gt(json_property(text, "elements"), N_ELEMENTS, "%s", text);
    free(text);
}

Test(places, impossible_places_are_rejected_with_a_message)
{
    refuses(2,
        "case.yaml: stimuli.0: at: transmural is missing; needed: apicobasal, rotational and transmural",
        "run case.yaml --set stimuli.0.at={\"apicobasal\":0.5,\"rotational\":0.2}");
    refuses(2,
        "stimuli.0.at.rotational=north: north; allowed: a number at least 0 and at most 1, or inferior",
        "run case.yaml --set stimuli.0.at.rotational=north");
    refuses(2, "at most 1", "run case.yaml --set stimuli.0.at.apicobasal=1.5");
    refuses(2, "tip; allowed: apex, or a mapping with apicobasal, rotational, transmural, ventricle",
        "run case.yaml --set stimuli.0.at=tip");
    refuses(2, "unknown key; allowed here: apicobasal", "run case.yaml --set stimuli.0.at.height=1");
    refuses(2, "/lv.hdf has no such ventricle; allowed: left",
        "run case.yaml --set stimuli.0.at.ventricle=right");
    refuses(2, "case.yaml: stimuli.0: centre_mm: [1, 2, 3] is not the place `at` on ",
        "run case.yaml --set stimuli.0.centre_mm=[1,2,3]");
    refuses(2, "case.yaml: points.0: at_mm: [1, 2, 3] is not the place `at` on ",
        "run case.yaml --set points.0.at_mm=[1,2,3]");
    refuses(2, "case.yaml: points.0: at_mm is missing; needed: at_mm or at",
        "run case.yaml --set points=[{\"name\":a}]");
    refuses(2, "case.yaml: stimuli.0: at is given without radius_mm",
        "run case.yaml --set "
        "stimuli=[{\"at\":{\"apicobasal\":0.5,\"rotational\":0,\"transmural\":0},\"duration_ms\":1,"
        "\"strength_uA_mm3\":9}]");
}

/* A slab has no ventricles. */
Test(places, a_mesh_without_ventricles_is_rejected)
{
    refuses(2,
        "case.yaml: regions.0: at: mesh.slab: the mesh has no ventricular coordinates, and no triangle is "
        "tagged as base; needed: a mesh of ventricles with tagged base, epicardium and lv_endocardium",
        "run case.yaml --set mesh={\"slab\":{\"size_mm\":[5,5,5],\"edge_mm\":1}}");
}
