/* Surfaces filled with elements by command, and the anatomy of the result. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/app/program.h"

#include "mesh/files/formats.h"
#include "mesh/files/gmsh.h"
#include "mesh/anatomy/surfaces.h"
#include "mesh/vtk/vtk.h"
#include "mesh/names.h"
#include "tests/answers.h"
#include "tests/mesh/bowl.h"

TestSuite(fill, .init = enter_room, .fini = leave_room);

/* Writes the triangles with this tag (0: all) as OBJ, with all points. */
static void write_obj(const char *path, const mt_mesh *mesh, int32_t tag)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    for (size_t v = 0; v < mesh->n_vertices; v++) {
        const double *x = mesh->xyz_mm + 3 * v;
        (void)fprintf(file, "v %.9g %.9g %.9g\n", x[0], x[1], x[2]);
    }
    for (size_t t = 0; t < mesh->n_faces; t++) {
        const uint32_t *v = mesh->face_vertex + 3 * t;
        if (tag == 0 || mesh->face_tag[t] == tag)
            (void)fprintf(file, "f %u %u %u\n", v[0] + 1, v[1] + 1, v[2] + 1);
    }
    cr_assert_eq(fclose(file), 0);
}

static double volume_of(const mt_mesh *mesh)
{
    double volume = 0;
    for (size_t c = 0; c < mesh->n_elements; c++) volume += mt_mesh_volume_mm3(mesh, c);
    return volume;
}

/* Checks that a mesh has about the expected number of elements, that its entire boundary is tagged, and that each surface has its
 * name and about the expected area. */
static void assert_heart(const char *path, double elements, const mt_surfaces *wanted, double tolerance)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_surfaces have;
    ok(mt_mesh_read(&arena, path, &mesh));
    ok(mt_adjacency_make(&arena, &mesh, &adjacency));
    cr_assert(fabs((double)mesh.n_elements / elements - 1) <= 0.05, "%zu elements", mesh.n_elements);
    cr_assert_eq(mesh.n_faces, mt_adjacency_boundary_faces(&adjacency));
    mt_surfaces_count(&mesh, &have);
    for (int s = 0; s < MT_SURFACES; s++)
        cr_assert(fabs(have.area_mm2[s] - wanted->area_mm2[s]) <= tolerance * wanted->area_mm2[s],
            "surface %d: %g, not %g mm^2", s, have.area_mm2[s], wanted->area_mm2[s]);
    for (int s = MT_SURFACE_BASE; s <= MT_SURFACE_LV; s++)
        cr_assert_eq(mt_names_surface_of(&mesh, s), s, "surface %d has its name in the file", s);
    mt_arena_free(&arena);
}

/* Writes a bowl with tags t replaced by renamed[t], named if `names` are given; returns its surfaces. */
static void write_bowl(
    const char *path, const int32_t renamed[4], const char *const names[4], mt_surfaces *wanted)
{
    mt_arena arena = {0};
    mt_mesh bowl;
    bowl_make(&arena, 40, 28, 90, &bowl);
    mt_surfaces_count(&bowl, wanted);
    for (size_t f = 0; f < bowl.n_faces; f++) bowl.face_tag[f] = renamed[bowl.face_tag[f]];
    for (size_t s = 1; names && s < 4; s++)
        ok(mt_names_put(&arena, &bowl, MT_NAMES_FACES, renamed[s], names[s], strlen(names[s])));
    ok(mt_vtu_write(path, &bowl));
    mt_arena_free(&arena);
}

Test(fill, unused_tags_are_reported_with_the_option_that_would_use_them)
{
    mt_surfaces wanted;
    char *text;
    write_bowl("bowl.vtu", (int32_t[]){0, 10, 20, 30}, NULL, &wanted);
    char *said = warnings(&text, "mesh fill bowl.vtu --elements 3000 -o heart.hdf");
    cr_assert(strstr(said, "and are ignored; to use them: `--tags base=10,epi=20,lv=30` (overlap with"), "%s",
        said);
    cr_assert(strstr(text, "found by the flat base"), "%s", text);
    free(said), free(text);
    assert_heart("heart.hdf", 3000, &wanted, 0.1);
}

/* Base and left endocardium have their tags swapped; four fifths of the area are tagged correctly. */
Test(fill, unnamed_tags_that_contradict_the_shape_are_rejected_and_named_tags_accepted)
{
    static const int32_t swapped[] = {0, MT_SURFACE_LV, MT_SURFACE_EPI, MT_SURFACE_BASE};
    static const char *const names[] = {NULL, "base", "epi", "lv"};
    mt_surfaces wanted;
    write_bowl("bowl.vtu", swapped, NULL, &wanted);
    refuses(2, "To use them: `--tags base=3,epi=2,lv=1`", "mesh fill bowl.vtu --elements 3000 -o heart.hdf");
    cr_assert(!there("heart.hdf"));
    free(works("mesh fill bowl.vtu --elements 3000 -o told.hdf --tags base=3,epi=2,lv=1"));
    assert_heart("told.hdf", 3000, &wanted, 0.1);
    write_bowl("named.vtu", swapped, names, &wanted);
    char *text, *said = warnings(&text, "mesh fill named.vtu --elements 3000 -o named.hdf");
    cr_assert(strstr(text, "by the names of their tags"), "%s", text);
    free(said), free(text);
    assert_heart("named.hdf", 3000, &wanted, 0.1);
    write_bowl("plain.vtu", (int32_t[]){0, 1, 2, 3}, NULL, &wanted);
    text = works("mesh fill plain.vtu --elements 3000 -o plain.hdf");
    cr_assert(strstr(text, "identified by their tags, confirmed by the shape"), "%s", text);
    free(text);
    assert_heart("plain.hdf", 3000, &wanted, 0.1);
}

/* The sides of a cube have tags that could be base, epicardium and left endocardium. */
Test(fill, tags_explained_by_neither_names_nor_shape_are_rejected)
{
    static const uint32_t side[6][4] = {
        {0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    mt_arena arena = {0};
    mt_mesh cube;
    ok(mt_mesh_new(&arena, 8, 0, &cube));
    ok(mt_mesh_new_faces(&arena, 12, &cube));
    for (size_t k = 0; k < 24; k++) cube.xyz_mm[k] = k / 3 >> k % 3 & 1 ? 9 : 0;
    for (size_t f = 0; f < 12; f++) {
        const uint32_t *v = side[f / 2], three[3] = {v[0], v[f % 2 + 1], v[f % 2 + 2]};
        memcpy(cube.face_vertex + 3 * f, three, sizeof three);
        cube.face_tag[f] = (int32_t)f % 3 + 1;
    }
    ok(mt_vtu_write("cube.vtu", &cube));
    refuses(2, "cube.vtu: the triangle tags have no names, and the shape does not identify the surfaces: ",
        "mesh fill cube.vtu --elements 2000 -o cube.hdf");
    char *text, *said = warnings(&text, "mesh fill cube.vtu --as - --elements 2000 -o cube.hdf");
    free(said), free(text);
    mt_arena_free(&arena);
}

/* Each surface of the mesh differs from the given one by a few per cent, and its border by less than an element. */
Test(fill, three_surface_files_become_a_heart_with_the_specified_tags)
{
    mt_arena arena = {0};
    mt_mesh bowl;
    mt_surfaces wanted;
    bowl_make(&arena, 40, 28, 90, &bowl);
    mt_surfaces_count(&bowl, &wanted);
    write_obj("epi.obj", &bowl, MT_SURFACE_EPI);
    write_obj("lv.obj", &bowl, MT_SURFACE_LV);
    write_obj("base.obj", &bowl, MT_SURFACE_BASE);
    free(works("mesh fill epi.obj lv.obj base.obj --as epi,lv,base --elements 6000 -o heart.hdf"));
    assert_heart("heart.hdf", 6000, &wanted, 0.1);
    char *text = works("mesh fibres heart.hdf -o fibred.hdf --format json");
    cr_assert(strstr(text, "\"identified by the names of their tags\""), "%s", text);
    free(text);
    mt_arena_free(&arena);
}

Test(fill, one_surface_file_becomes_a_heart_with_surfaces_found_from_the_shape)
{
    mt_arena arena = {0};
    mt_mesh bowl, mesh;
    mt_surfaces wanted;
    bowl_make(&arena, 40, 28, 90, &bowl);
    mt_surfaces_count(&bowl, &wanted);
    for (size_t k = 0; k < 3 * bowl.n_vertices; k++) bowl.xyz_mm[k] /= 10;
    write_obj("heart.obj", &bowl, 0);
    char *text = works("mesh fill heart.obj --unit cm --elements 6000 -o heart.msh --format json");
    cr_assert(is_json(text), "%s", text);
    cr_assert(strstr(text, "found by the flat base") && strstr(text, "\"chosen\""), "%s", text);
    cr_assert_float_eq(json_property(text, "base_area_mm2"), wanted.area_mm2[MT_SURFACE_BASE],
        0.02 * wanted.area_mm2[MT_SURFACE_BASE]);
    const double volume = json_property(text, "enclosed_volume_mm3");
    free(text);
    assert_heart("heart.msh", 6000, &wanted, 0.05);
    ok(mt_mesh_read(&arena, "heart.msh", &mesh));
    cr_assert_float_eq(volume_of(&mesh), volume, 0.02 * volume);
    mt_arena_free(&arena);
}

/* The mean volume is 0.1 of the cube of the edge, up to the tolerance of the count and the shape of elements. At its rim the wall
 * of this bowl is a wedge of about 35 degrees. */
Test(fill, the_mean_edge_is_as_requested_and_a_sharp_rim_becomes_the_base)
{
    mt_arena arena = {0};
    mt_mesh bowl;
    bowl_make(&arena, 40, 40, 90, &bowl);
    for (size_t v = 0; v <= BOWL_HALF; v++) {
        const double down = -bowl.xyz_mm[3 * v + 2] / 90;
        for (size_t k = 0; k < 2; k++) bowl.xyz_mm[3 * v + k] *= 1 + 1.5 * down * (1 - down);
    }
    write_obj("epi.obj", &bowl, MT_SURFACE_EPI);
    write_obj("lv.obj", &bowl, MT_SURFACE_LV);
    char *text = works("mesh fill epi.obj lv.obj --as epi,lv --edge-mm 6 -o heart.hdf --format json");
    cr_assert_gt(json_property(text, "base_area_mm2"), 0);
    free(text);
    text = works("mesh info heart.hdf --format json");
    cr_assert_float_eq(json_property(text, "mean_edge_mm"), 6, 0.6);
    free(text);
    mt_arena_free(&arena);
}

/* 12 triangles of a cube, two of them duplicated, and a mesh without tagged triangles. */
Test(fill, a_body_without_anatomy_is_filled_with_a_warning)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    write_text("cube.obj", "v 0 0 0\nv 9 0 0\nv 9 9 0\nv 0 9 0\nv 0 0 9\nv 9 0 9\nv 9 9 9\nv 0 9 9\n"
                           "f 1 2 3 4\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\nf 4 1 5 8\n");
    char *text = works("mesh fill cube.obj --elements 2000 -o cube.hdf --format json");
    cr_assert_eq(json_property(text, "input_triangles"), 14, "%s", text);
    cr_assert_eq(json_property(text, "degenerate_or_duplicate_triangles"), 2, "%s", text);
    free(text);
    ok(mt_mesh_read(&arena, "cube.hdf", &mesh));
    cr_assert(mesh.n_faces == 0 && fabs((double)mesh.n_elements / 2000 - 1) <= 0.05, "%zu", mesh.n_elements);
    cr_assert_float_eq(volume_of(&mesh), 729, 1e-6);
    refuses(2, "0 cavities; needed: one outer surface", "mesh fibres cube.hdf -o fibred.hdf");
    mt_arena_free(&arena);
}

/* Creates a program that replaces gmsh and fails unless it is asked to keep the triangles, or always. */
static void put_before_gmsh(const char *when_to_go_on)
{
    char script[256], path[4096];
    (void)mkdir("bin", 0755);
    (void)snprintf(script, sizeof script,
        "#!/bin/sh\ncase \"$*\" in *\"%s\"*) PATH=${PATH#*:} exec gmsh \"$@\";; esac\n"
        "exit 1\n",
        when_to_go_on);
    write_text("bin/gmsh", script);
    cr_assert_eq(chmod("bin/gmsh", 0755), 0);
    (void)snprintf(path, sizeof path, "%s/bin:%s", room, getenv("PATH"));
    cr_assert_eq(setenv("PATH", path, 1), 0);
}

Test(fill, if_a_surface_cannot_be_remeshed_its_triangles_are_kept)
{
    mt_arena arena = {0};
    mt_mesh bowl, mesh;
    mt_surfaces wanted, have;
    bowl_make(&arena, 40, 28, 90, &bowl);
    mt_surfaces_count(&bowl, &wanted);
    write_obj("heart.obj", &bowl, 0);
    put_before_gmsh("angle 0");
    char *text = works("mesh fill heart.obj --elements 6000 -o heart.hdf --format json");
    cr_assert(strstr(text, "\"failed\"") && strstr(text, "\"as given\""), "%s", text);
    free(text);
    ok(mt_mesh_read(&arena, "heart.hdf", &mesh));
    mt_surfaces_count(&mesh, &have);
    for (int s = 0; s < MT_SURFACES; s++)
        cr_assert_eq(have.n_triangles[s], wanted.n_triangles[s], "surface %d", s);
    put_before_gmsh("never");
    refuses(5, "gmsh failed", "mesh fill heart.obj --elements 6000 -o other.hdf");
    cr_assert_eq(setenv("PATH", "/nowhere", 1), 0);
    refuses(3, "this command requires gmsh", "mesh fill heart.obj --elements 6000 -o other.hdf");
    mt_arena_free(&arena);
}

/* A gmsh that stops this program and then runs for an hour. */
Test(fill, gmsh_is_terminated_if_the_program_alone_receives_a_signal, .timeout = 60)
{
    mt_arena arena = {0};
    mt_mesh bowl;
    bowl_make(&arena, 40, 28, 90, &bowl);
    write_obj("heart.obj", &bowl, 0);
    put_before_gmsh("never");
    write_text("bin/gmsh", "#!/bin/sh\nkill -TERM $PPID\nexec sleep 3600\n");
    refuses(143, "stopped while gmsh was running", "mesh fill heart.obj --elements 6000 -o heart.hdf");
    mt_arena_free(&arena);
}

/* A gmsh that writes its process id and then runs for an hour; a killed program cannot stop it. */
Test(fill, gmsh_does_not_outlive_a_program_that_is_killed, .timeout = 60)
{
    mt_arena arena = {0};
    mt_mesh bowl;
    int ended, gmsh = 0;
    bowl_make(&arena, 40, 28, 90, &bowl);
    write_obj("heart.obj", &bowl, 0);
    mt_arena_free(&arena);
    put_before_gmsh("never");
    write_text("bin/gmsh", "#!/bin/sh\necho $$ >number.part\nmv number.part number\nexec sleep 3600\n");
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) _exit(myotile("mesh fill heart.obj --elements 6000 -o heart.hdf").code);
    const struct timespec pause = {.tv_nsec = 10000000};
    for (int k = 0; k < 3000 && !there("number"); k++) (void)nanosleep(&pause, NULL);
    FILE *file = fopen("number", "r");
    cr_assert(file && fscanf(file, "%d", &gmsh) == 1 && gmsh > 0);
    (void)fclose(file);
    cr_assert_eq(kill(gmsh, 0), 0, "gmsh is running");
    cr_assert_eq(kill(child, SIGKILL), 0);
    cr_assert_eq(waitpid(child, &ended, 0), child);
    int alive = 1;
    for (int k = 0; k < 1000 && alive; k++) {
        char path[64], state = 'Z';
        (void)snprintf(path, sizeof path, "/proc/%d/stat", gmsh);
        FILE *stat = fopen(path, "r");
        alive = stat && fscanf(stat, "%*d %*s %c", &state) == 1 && state != 'Z';
        if (stat) (void)fclose(stat);
        (void)nanosleep(&pause, NULL);
    }
    cr_assert(!alive, "gmsh is still running");
    cr_assert_eq(mt_file_sweep(".", NULL), MT_OK);
    (void)things();
}

Test(fill, invalid_input_is_rejected_and_leaves_no_file)
{
    mt_arena arena = {0};
    mt_mesh bowl;
    bowl_make(&arena, 40, 28, 90, &bowl);
    write_obj("epi.obj", &bowl, MT_SURFACE_EPI);
    write_obj("all.obj", &bowl, 0);
    mt_arena_free(&arena);
    free(works("mesh slab --size-mm 20,2,2 --edge-mm 1 -o slab.hdf"));
    refuses(2, "epi.obj: the surface is not closed: 32 edges", "mesh fill epi.obj -o a.hdf");
    refuses(2, "slab.hdf: found 480 elements", "mesh fill slab.hdf -o a.hdf");
    refuses(2, "all.obj: a surface of", "mesh info all.obj");
    refuses(2, "all.obj: a surface of", "mesh convert all.obj a.hdf");
    refuses(2, "a.stl: .stl files can only be read; allowed for writing: ", "mesh convert slab.hdf a.stl");
    refuses(3, "none.obj", "mesh fill all.obj none.obj -o a.hdf");
    refuses(2, "a.txt: unknown file name extension", "mesh fill all.obj -o a.txt");
    refuses(2, "--output is required", "mesh fill all.obj");
    refuses(2, "an argument is missing", "mesh fill -o a.hdf");
    refuses(2, "--elements 12; allowed: a whole number from 100", "mesh fill all.obj --elements 12 -o a.hdf");
    refuses(2, "--edge-mm 100 requires about", "mesh fill all.obj --edge-mm 100 -o a.hdf");
    refuses(2, "allowed: one of them", "mesh fill all.obj --edge-mm 1 --elements 1000 -o a.hdf");
    refuses(2, "allowed: one of them", "mesh fill all.obj --as epi --tags epi=1 -o a.hdf");
    refuses(2, "--tags epi=7: no triangle of the mesh has the tag 7; the mesh has 0",
        "mesh fill all.obj --tags epi=7 -o a.hdf");
    refuses(2, "--as epi,lv; allowed: one of base, epi, lv, rv or - for each of the 1",
        "mesh fill all.obj --as epi,lv -o a.hdf");
    refuses(2, "--as epj; allowed", "mesh fill all.obj --as epj -o a.hdf");
    refuses(2, "--as epi; allowed: one of base, epi, lv, rv or - for each of the 2",
        "mesh fill all.obj all.obj --as epi -o a.hdf");
    refuses(2, "unit inch", "mesh fill all.obj --unit inch -o a.hdf");
}

/* ---- the same triangles, given and found ---- */

static void assert_same_fibres(const char *one, const char *two)
{
    mt_arena arena = {0};
    mt_mesh a, b;
    mt_surfaces in_a, in_b;
    ok(mt_mesh_read(&arena, one, &a));
    ok(mt_mesh_read(&arena, two, &b));
    cr_assert_eq(a.n_elements, b.n_elements);
    cr_assert_arr_eq(a.fibre, b.fibre, 3 * a.n_elements * sizeof *a.fibre);
    mt_surfaces_count(&a, &in_a), mt_surfaces_count(&b, &in_b);
    cr_assert_arr_eq(in_a.n_triangles, in_b.n_triangles, sizeof in_a.n_triangles);
    mt_arena_free(&arena);
}

Test(fill, fibres_are_equal_for_tagged_renamed_and_detected_surfaces)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    free(works("mesh ventricles --elements 5200 -o heart.hdf"));
    free(works("mesh fibres heart.hdf -o given.hdf"));
    char *text = works("mesh fibres heart.hdf -o found.hdf --surfaces found --format json");
    cr_assert(strstr(text, "found by the flat base"), "%s", text);
    free(text);
    assert_same_fibres("given.hdf", "found.hdf");

    /* the base as two surfaces, and other tags */
    ok(mt_mesh_read(&arena, "heart.hdf", &mesh));
    for (size_t f = 0; f < mesh.n_faces; f++) {
        const int32_t other[] = {0, f % 2 ? 13 : 4, 2, 1, 25};
        mesh.face_tag[f] = other[mesh.face_tag[f]];
    }
    ok(mt_gmsh_write("other.msh", &mesh));
    text = works("mesh fibres other.msh -o renamed.hdf --tags base=13+4,epi=2,lv=1,rv=25 --format json");
    cr_assert(strstr(text, "\"specified by options\""), "%s", text);
    free(text);
    assert_same_fibres("given.hdf", "renamed.hdf");

    /* without tags: found; without tags but with the option to use them: refused */
    mesh.n_faces = 0;
    ok(mt_gmsh_write("bare.msh", &mesh));
    free(works("mesh fibres bare.msh -o bare.hdf"));
    assert_same_fibres("given.hdf", "bare.hdf");
    refuses(
        2, "no triangle of the mesh is tagged as base", "mesh fibres bare.msh -o no.hdf --surfaces given");
    refuses(2, "no triangle of the mesh is tagged as left",
        "mesh fibres other.msh -o no.hdf --tags base=4,epi=2");
    refuses(
        2, "allowed: one of them", "mesh fibres other.msh -o no.hdf --tags base=4,epi=2 --surfaces found");
    refuses(2, "--surfaces both; allowed: given, found", "mesh fibres other.msh -o no.hdf --surfaces both");
    refuses(2, "--tags base=4,epi=2,lv=1,rv=26: no triangle of the mesh has the tag 26; the mesh has ",
        "mesh fibres other.msh -o no.hdf --tags base=4,epi=2,lv=1,rv=26");
    static const char *const bad[] = {"base", "base=", "base=1,", "base=1,base=2", "base=1,epi=1", "bas=1",
        "base=1+", "=1"},
                             *const unknown[] = {"base=x", "base=99999999999", "base=1;epi=2"};
    for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++)
        refuses(2, " is not a tag name; allowed: of the mesh's triangles: 1 (base)",
            "mesh fibres other.msh -o no.hdf --tags %s", unknown[k]);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        refuses(2, "; allowed: base, epi, lv and rv, each with its tags",
            "mesh fibres other.msh -o no.hdf --tags %s", bad[k]);
    mt_arena_free(&arena);
}
