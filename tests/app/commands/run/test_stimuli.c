/* Stimuli on tagged surfaces and at the apex, by command. */
#include <criterion/criterion.h>

#include "tests/app/program.h"

#include "mesh/files/formats.h"
#include "mesh/vtk/vtkhdf.h"
#include "mesh/names.h"
#include "tests/mesh/bowl_elements.h"
#include "tests/mesh/tagged_slab.h"

#include <omp.h>

/* The base is z = 3, so the apex, the lowest place of the wall, is on the epicardium x = 2 at z = 0. */
static const double size_mm[3] = {2, 3, 3};
static size_t n_elements;

/* Isotropic conductivities, which need no fibres. */
#define TISSUE                                                                                               \
    "tissue:\n"                                                                                              \
    "  intracellular_l_mS_mm: 0.17\n"                                                                        \
    "  intracellular_t_mS_mm: 0.17\n"                                                                        \
    "  extracellular_l_mS_mm: 0.62\n"                                                                        \
    "  extracellular_t_mS_mm: 0.62\n"                                                                        \
    "  chi_per_mm: 140\n"                                                                                    \
    "  cm_uF_mm2: 0.01\n"

/* All kinds of places. */
static const char wall[] =
    "mesh: {file: wall.hdf}\n" TISSUE
    "cell: {model: mitchell-schaeffer, type: standard, scale: [tau_in=0.3]}\n"
    "time: {end_ms: 3}\n"
    "stimuli:\n"
    "  - {at: apex, radius_mm: 0.8, duration_ms: 2, strength_uA_mm3: 100}\n"
    "  - {surface: lv_endocardium, depth_mm: 0.3, centre_mm: [0, 1, 2], radius_mm: 0.9,\n"
    "     start_ms: 0.5, duration_ms: 0.4, period_ms: 0.7, count: 3, strength_uA_mm3: 110}\n"
    "  - {surface: 1, min_mm: [0, 2, 0], max_mm: [1, 3, 3], start_ms: 1, duration_ms: 1,\n"
    "     strength_uA_mm3: 100}\n"
    "  - {centre_mm: [2, 3, 2], radius_mm: 0.6, start_ms: 1.5, duration_ms: 1,\n"
    "     strength_uA_mm3: 100}\n"
    "machine: {tiles: 4}\n";

static void enter(void)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    enter_room();
    share_cache();
    omp_set_num_threads(1);
    tagged_slab(&arena, size_mm, 0.5, &mesh);
    n_elements = mesh.n_elements;
    cr_assert_eq(mt_vtkhdf_write("wall.hdf", &mesh, 0, NULL), MT_OK, "%s", mt_message());
    mt_arena_free(&arena);
    write_text("wall.yaml", wall);
}

TestSuite(stimuli, .init = enter, .fini = leave_room);

/* The shape of a slab does not identify the surfaces of a heart. */
Test(stimuli, a_site_on_a_surface_with_an_unnamed_tag_is_rejected)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    cr_assert_eq(mt_vtkhdf_read(&arena, "wall.hdf", &mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_names_remove(&arena, &mesh, MT_NAMES_FACES), MT_OK);
    cr_assert_eq(mt_vtkhdf_write("wall.hdf", &mesh, 0, NULL), MT_OK, "%s", mt_message());
    refuses(2, "the triangle tags have no names, and the shape does not identify the surfaces: ",
        "run wall.yaml -o out");
    cr_assert(!there("out"));
    refuses(2, "--surfaces given if the tags are base 1, epi 2, lv 3 and rv 4",
        "mesh surfaces wall.hdf -o no.hdf");
    free(works("mesh surfaces wall.hdf -o wall.hdf --surfaces given"));
    char *text, *said = warnings(&text, "run wall.yaml -o out");
    cr_assert(strstr(said, "wall.hdf: surfaces identified by the names of their tags\n"), "%s", said);
    free(said), free(text);
    mt_arena_free(&arena);
}

static const double *activation_of(mt_arena *arena, const char *folder)
{
    char path[64];
    double *ms;
    (void)snprintf(path, sizeof path, "%s/result.hdf", folder);
    cr_assert_eq(mt_vtkhdf_read_field(arena, path, "activation", n_elements, &ms), MT_OK, "%s", mt_message());
    return ms;
}

/* Checks that the activation times have the same bits, and that some elements are activated. */
static void assert_same_activation(const char *one, const char *two)
{
    mt_arena arena = {0};
    const double *a = activation_of(&arena, one), *b = activation_of(&arena, two);
    size_t n = 0;
    for (size_t c = 0; c < n_elements; c++) n += isfinite(a[c]) ? 1 : 0;
    cr_assert(n > 20, "%zu of %zu", n, n_elements);
    cr_assert_arr_eq(a, b, n_elements * sizeof *a);
    mt_arena_free(&arena);
}

Test(stimuli, all_kinds_are_bit_identical_for_any_number_of_tiles_and_threads)
{
    free(works("run wall.yaml --output one"));
    omp_set_num_threads(2);
    free(works("run wall.yaml --output two --set machine.tiles=17"));
    assert_same_activation("one", "two");
}

Test(stimuli, used_yaml_records_all_kinds_and_reruns_bit_identically)
{
    size_t n;
    free(works("run wall.yaml --output one"));
    char *used = bytes_of("one/used.yaml", &n);
    cr_assert(strstr(used, "- at: \"apex\"\n    radius_mm: 0.8\n    start_ms: 0\n"), "%s", used);
    cr_assert(strstr(used, "surface: \"1\"\n    depth_mm: 0\n"), "%s", used);
    cr_assert(strstr(used, "period_ms: 0.7\n    count: 3\n"), "%s", used);
    free(used);
    free(works("run one/used.yaml --output two"));
    assert_same_activation("one", "two");
    cr_assert(same_file("one/used.yaml", "two/used.yaml"));
    cr_assert(same_file("one/activation.png", "two/activation.png"));
}

/* The earliest element is inside the stimulus, at the apex at the lowest end of the epicardium. */
Test(stimuli, activation_starts_at_the_apex_if_it_is_stimulated)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    double x[3];
    size_t first = 0;
    char only[sizeof wall];
    const char *second = strstr(wall, "  - {surface: lv_"), *machine = strstr(wall, "machine:");
    (void)snprintf(only, sizeof only, "%.*s%s", (int)(second - wall), wall, machine);
    write_text("apex.yaml", only);
    free(works("run apex.yaml --output out"));
    cr_assert_eq(mt_vtkhdf_read(&arena, "out/result.hdf", &mesh), MT_OK);
    const double *ms = activation_of(&arena, "out");
    for (size_t c = 0; c < n_elements; c++)
        if (ms[c] < ms[first] || isnan(ms[first])) first = c;
    mt_mesh_centroid(&mesh, first, x);
    cr_assert(x[0] > 1.2 && x[2] < 0.8, "[%g, %g, %g]", x[0], x[1], x[2]);
    mt_arena_free(&arena);
}

/* A run in another folder finds the list named in used.yaml; the place described there is that of the run. */
Test(stimuli, stimuli_at_listed_vertices_rerun_from_another_folder)
{
    char only[sizeof wall + sizeof "vtx: site.vtx"];
    size_t n;
    const char *first = strstr(wall, "at: apex, radius_mm: 0.8"), *second = strstr(wall, "  - {surface: lv_"),
               *machine = strstr(wall, "machine:");
    (void)snprintf(only, sizeof only, "%.*svtx: site.vtx%.*s%s", (int)(first - wall), wall,
        (int)(second - first) - (int)strlen("at: apex, radius_mm: 0.8"),
        first + strlen("at: apex, radius_mm: 0.8"), machine);
    write_text("site.yaml", only);
    write_text("site.vtx", "3\nintra\n0\n1\n2\n");
    free(works("run site.yaml --output one"));
    char *used = bytes_of("one/used.yaml", &n);
    cr_assert(strstr(used, "- vtx: \"/") && strstr(used, "/site.vtx\"\n"), "%s", used);
    free(used);
    cr_assert(mkdir("elsewhere", 0777) == 0 && chdir("elsewhere") == 0);
    free(works("run ../one/used.yaml --output ../two"));
    cr_assert_eq(chdir(".."), 0);
    assert_same_activation("one", "two");
    refuses(3, "none.vtx: ", "run site.yaml --set stimuli.0.vtx=none.vtx");
    write_text("site.vtx", "1\nintra\n100000\n");
    refuses(2, "site.yaml: stimuli.0: vtx: ", "run site.yaml");
    refuses(2, "/site.vtx:3: vertex is '100000'; allowed: a whole number from 0 to ", "run site.yaml");
}

#define OF_TP06 " --set time.dt_ms=0.05 --set cell.scale=[] --set cell.model=tp06 --set cell.type="

/* The wall's layers as cell types: distinguishing them costs cycles, and the activation times differ. */
Test(stimuli, layered_cell_types_are_bit_identical_for_any_number_of_tiles)
{
    mt_arena arena = {0};
    free(works("mesh fibres wall.hdf -o layered.hdf"));
    refuses(2,
        "cell.type: layers; the mesh has no transmural layers: `myotile mesh fibres` writes them; allowed "
        "without layers: epi, mid or endo",
        "run wall.yaml" OF_TP06 "layers");
    free(works("run wall.yaml --output epi --set mesh.file=layered.hdf" OF_TP06 "epi"));
    free(works("run wall.yaml --output one --set mesh.file=layered.hdf" OF_TP06 "layers"));
    free(works(
        "run wall.yaml --output two --set mesh.file=layered.hdf --set machine.tiles=17" OF_TP06 "layers"));
    free(works("run one/used.yaml --output three"));
    assert_same_activation("one", "two");
    assert_same_activation("one", "three");
    const double *one = activation_of(&arena, "one"), *epi = activation_of(&arena, "epi");
    cr_assert(memcmp(one, epi, n_elements * sizeof *one) != 0);
    mt_arena_free(&arena);
}

/* Sites of a file, one of which loses elements to another; lists of elements, and a layer, as places. */
Test(stimuli, stimuli_from_files_rerun_from_another_folder_on_any_number_of_tiles)
{
    size_t n;
    const char *first = strstr(wall, "at: apex, radius_mm: 0.8"), *second = strstr(wall, "  - {surface: lv_");
    char text[sizeof wall + 256];
    free(works("mesh fibres wall.hdf -o layered.hdf"));
    (void)snprintf(text, sizeof text,
        "%.*selements: list.txt, layer: endo%.*ssites: {file: sites.csv, radius_mm: 0.7, duration_ms: 2, "
        "strength_uA_mm3: 80}\nmachine: {tiles: 4}\n",
        (int)(first - wall), wall, (int)(second - first) - (int)strlen("at: apex, radius_mm: 0.8"),
        first + strlen("at: apex, radius_mm: 0.8"));
    write_text("files.yaml", text);
    write_text("sites.csv", "x_mm,y_mm,z_mm,start_ms\n0,0,3,0.333\n2,3,2,0\n2,3,2,1\n1.8,3,2,0.5\n");
    FILE *list = fopen("list.txt", "w");
    for (size_t c = 0; c < n_elements; c++) (void)fprintf(list, "%zu\n", c);
    (void)fclose(list);
    free(works("run files.yaml --output one --set mesh.file=layered.hdf"));
    char *used = bytes_of("one/used.yaml", &n);
    cr_assert(strstr(used, "- elements: \"/") && strstr(used, "/list.txt\"\n    layer: endo\n"), "%s", used);
    cr_assert(strstr(used, "- centre_mm: [0, 0, 3]\n    radius_mm: 0.7\n    start_ms: 0.34\n"), "%s", used);
    free(used);
    free(works("run files.yaml --output two --set mesh.file=layered.hdf --set machine.tiles=17"));
    assert_same_activation("one", "two");
    cr_assert(mkdir("elsewhere", 0777) == 0 && chdir("elsewhere") == 0);
    free(works("run ../one/used.yaml --output ../three"));
    cr_assert_eq(chdir(".."), 0);
    assert_same_activation("one", "three");
    cr_assert(same_file("one/used.yaml", "three/used.yaml"));
    refuses(2,
        "files.yaml: stimuli.0: layer: endo; the mesh has no transmural layers: `myotile mesh fibres` writes "
        "them",
        "run files.yaml");
    refuses(3, "none.txt: ", "run files.yaml --set stimuli.0.elements=none.txt");
    refuses(3, "none.csv: ", "run files.yaml --set sites.file=none.csv");
    write_text("list.txt", "0\nx\n");
    refuses(2, "files.yaml: stimuli.0: elements: /", "run files.yaml");
    refuses(2, "/list.txt:2: element is 'x'; allowed: a whole number from 0 to ", "run files.yaml");
}

Test(stimuli, impossible_stimuli_are_rejected_with_a_one_line_message)
{
    refuses(2, "stimuli.0.at=tip: tip; allowed: apex, or a mapping with ",
        "run wall.yaml --set stimuli.0.at=tip");
    refuses(2, "stimuli.1: no element centre of the surface is within 0.01 mm of [0, 1, 2]; the nearest is ",
        "run wall.yaml --set stimuli.1.radius_mm=0.01");
    refuses(2, "stimuli.2: surface: rv_endocardium: no triangle of the mesh has the tag 4; the mesh has ",
        "run wall.yaml --set stimuli.2.surface=rv_endocardium");
    free(works("mesh slab --size-mm 2,3,3 --edge-mm 0.5 -o plain.hdf"));
    refuses(2, "`myotile mesh surfaces`", "run wall.yaml --set mesh.file=plain.hdf");
}

/* A ventricle with the tags of another program: ENDO 1, EPI 2, BASE 3. */
static const int32_t foreign[] = {[MT_SURFACE_BASE] = 3, [MT_SURFACE_EPI] = 2, [MT_SURFACE_LV] = 1};

static void write_ventricle(const char *path, bool tags_are_foreign, bool named)
{
    static const char *const names[] = {"ENDO", "EPI", "BASE"};
    const mt_mesh_format *format;
    mt_arena arena = {0};
    mt_mesh mesh;
    bowl_elements(&arena, &mesh);
    for (size_t f = 0; tags_are_foreign && f < mesh.n_faces; f++)
        mesh.face_tag[f] = foreign[mesh.face_tag[f]];
    for (int32_t t = 1; named && t <= 3; t++)
        cr_assert_eq(
            mt_names_put(&arena, &mesh, MT_NAMES_FACES, t, names[t - 1], strlen(names[t - 1])), MT_OK);
    cr_assert_eq(mt_mesh_format_find(path, true, &format), MT_OK);
    cr_assert_eq(format->write(path, &mesh), MT_OK, "%s", mt_message());
    n_elements = mesh.n_elements;
    mt_arena_free(&arena);
}

static const char ventricle[] =
    TISSUE "cell: {model: mitchell-schaeffer, type: standard}\n"
           "time: {end_ms: 0.5}\n"
           "machine: {backend: cpu}\n"
           "output: {report: false}\n"
           "stimuli:\n"
           "  - {surface: lv_endocardium, duration_ms: 0.5, strength_uA_mm3: 500}\n";

/* Runs the case on a mesh; returns the warnings and notes. */
static char *run_ventricle(const char *mesh, const char *folder)
{
    char line[160], *table;
    (void)snprintf(
        line, sizeof line, "run ventricle.yaml --force --output %s --set mesh.file=%s", folder, mesh);
    char *text = warnings(&table, line);
    free(table);
    return text;
}

/* Tags without names are compared with the shape, names decide, and a contradiction ends the run. */
Test(stimuli, unnamed_surface_tags_of_stimuli_are_checked_against_the_shape)
{
    static const char *const meshes[] = {"ventricle.msh", "ventricle.vtu"};
    write_text("ventricle.yaml", ventricle);
    for (size_t k = 0; k < sizeof meshes / sizeof *meshes; k++) {
        write_ventricle(meshes[k], false, false);
        char *text = run_ventricle(meshes[k], "right");
        cr_assert(strstr(text, "the shape identifies them as base, epicardium"), "%s", text);
        free(text);
        write_ventricle(meshes[k], true, true);
        text = run_ventricle(meshes[k], "named");
        cr_assert(!strstr(text, "the shape"), "%s", text);
        free(text);
        assert_same_activation("right", "named");
        write_ventricle(meshes[k], true, false);
        refuses(2, "the shape contradicts base 1", "run ventricle.yaml --output no --set mesh.file=%s",
            meshes[k]);
        refuses(
            2, "--tags base=3,epi=2,lv=1", "run ventricle.yaml --output no --set mesh.file=%s", meshes[k]);
    }
}
