#include <criterion/criterion.h>

/* Our files as read by other programs: ParaView, h5py and meshio, with the scripts viewers_*.py. And the files of VTK and meshio, as read
 * by us. */

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mesh/files/formats.h"
#include "mesh/files/gmsh.h"
#include "mesh/make/slab.h"
#include "mesh/network/network_hdf.h"
#include "mesh/vtk/series.h"
#include "mesh/vtk/vtk.h"
#include "mesh/vtk/vtkhdf.h"
#include "tests/answers.h"

static const char needed[] = "the programs that this test asks are installed by: .ci/install slow";

static char room[64], source[1024];
static mt_arena arena;
static mt_mesh heart;
static float *activation;
static mt_partition partition;

/* ---- programs */

/* Starts a program with its output in a file; it ends with this test. `keep` stays open in it. */
static pid_t start(char *const *words, const char *output, int keep)
{
    const pid_t parent = getpid(), child = fork();
    cr_assert_geq(child, 0);
    if (child > 0) return child;
    const int to = open(output, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent || to < 0) _exit(127);
    (void)dup2(to, STDOUT_FILENO), (void)dup2(to, STDERR_FILENO);
    if (keep >= 0) (void)fcntl(keep, F_SETFD, 0);
    (void)execvp(words[0], words);
    _exit(127);
}

static char *text_of(const char *path)
{
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    char *text = calloc(1, 1 << 20);
    (void)fread(text, 1, (1 << 20) - 1, file);
    (void)fclose(file);
    return text;
}

/* Runs a script of this folder to its end; returns its output, which the caller frees. */
static char *ask(const char *program, const char *script)
{
    char path[1200], name[32];
    int status = 0;
    (void)snprintf(path, sizeof path, "%s/tests/mesh/files/%s", source, script);
    (void)strcpy(name, program);
    const pid_t child = start((char *[]){name, path, NULL}, "said", -1);
    cr_assert_eq(waitpid(child, &status, 0), child);
    char *said = text_of("said");
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s %s: status %d: %s\n%s", program, script,
        status, said, needed);
    return said;
}

/* Starts an X server without a screen, on a free display that it chooses, so that numbers cannot clash. It does not restart after its last
 * client ends: during a restart it would refuse the next one. */
static pid_t start_display(void)
{
    char number[16], display[20] = ":";
    int ends[2];
    cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
    (void)snprintf(number, sizeof number, "%d", ends[1]);
    const pid_t server = start((char *[]){"Xvfb", "-displayfd", number, "-screen", "0", "1280x1024x24",
                                   "-nolisten", "tcp", "-noreset", NULL},
        "xvfb", ends[1]);
    (void)close(ends[1]);
    size_t n = 0;
    for (ssize_t more = 1; more > 0 && !strchr(display, '\n') && n < sizeof display - 2; n += (size_t)more)
        more = read(ends[0], display + 1 + n, sizeof display - 2 - n); /* in pieces; 0 if the server ends */
    (void)close(ends[0]);
    cr_assert_gt(n, 1, "Xvfb did not start: %s\n%s", text_of("xvfb"), needed);
    display[strcspn(display, "\n")] = 0;
    cr_assert_eq(setenv("DISPLAY", display, 1), 0);
    return server;
}

static void stop(pid_t server)
{
    (void)kill(server, SIGTERM);
    (void)waitpid(server, NULL, 0);
}

/* ---- the files */

static const double time_ms[] = {0, 2.5, 7};

/* The values of a frame of the series. */
static float at_frame(size_t frame, size_t c) { return activation[c] * (float)(frame + 1); }

static mt_status give(void *context, size_t frame, size_t field, float *values)
{
    (void)context, (void)field;
    for (size_t c = 0; c < heart.n_elements; c++) values[c] = at_frame(frame, c);
    return MT_OK;
}

/* A network of three lines, with a field and the frames of another one. */
static double strand_mm[] = {0, 0, 5, 1, 0, 4, 2, 1, 3, 2, -1, 3};
static uint32_t strand[] = {0, 1, 1, 2, 1, 3};
static int32_t strand_kind[] = {7, -2, 5};
static const double strand_ms[] = {0.5, 1, 2, 3};

static float strand_mV(size_t frame, size_t point) { return 10 * (float)frame + (float)point - 80; }

static mt_status give_strand(void *context, size_t frame, float *values)
{
    (void)context;
    for (size_t k = 0; k < 4; k++) values[k] = strand_mV(frame, k);
    return MT_OK;
}

static void make_network(void)
{
    const mt_lines lines = {.n_points = 4,
        .n_segments = 3,
        .xyz_mm = strand_mm,
        .segment_point = strand,
        .kind = strand_kind,
        .n_fields = 1,
        .field = &(mt_line_field){"activation", strand_ms}};
    ok(mt_network_hdf_write("network.hdf", &(mt_network_series){.lines = &lines,
                                               .field_unit = "ms",
                                               .n_frames = sizeof time_ms / sizeof *time_ms,
                                               .time_ms = time_ms,
                                               .name = "V",
                                               .unit = "mV",
                                               .give = give_strand}));
}

/* A bent slab with all optional data of a mesh. */
static void make(void)
{
    ok(mt_slab_make(&arena, (double[]){8, 4, 2}, 0.5, &heart));
    heart.sheet = mt_arena_alloc(&arena, 3 * heart.n_elements, sizeof *heart.sheet);
    heart.depth = mt_arena_alloc(&arena, heart.n_elements, sizeof *heart.depth);
    heart.layer = mt_arena_alloc(&arena, heart.n_elements, sizeof *heart.layer);
    activation = mt_arena_alloc(&arena, heart.n_elements, sizeof *activation);
    cr_assert(heart.sheet && heart.depth && heart.layer && activation);
    partition = (mt_partition){.n_parts = 40, .parts_per_group = 10, .n_elements = heart.n_elements};
    partition.part = mt_arena_alloc(&arena, heart.n_elements, sizeof *partition.part);
    cr_assert_not_null(partition.part);
    for (size_t c = 0; c < heart.n_elements; c++) partition.part[c] = (uint32_t)(5 * c % 40);
    for (size_t v = 0; v < heart.n_vertices; v++) {
        double *x = heart.xyz_mm + 3 * v;
        x[2] += x[0] * x[0] / 30;
    }
    for (size_t c = 0; c < heart.n_elements; c++) {
        const double a = 0.01 * (double)c, fibre[3] = {cos(a), sin(a), 0.1},
                     sheet[3] = {-sin(a), cos(a), 0.3};
        cr_assert(mt_mesh_put_directions(&heart, c, fibre, sheet));
        heart.region[c] = 1 + (int32_t)c % 4;
        heart.depth[c] = a / 7;
        heart.layer[c] = 1 + (int32_t)c % 3;
        activation[c] = (float)a * 3;
    }
    ok(mt_mesh_new_faces(&arena, 8, &heart));
    for (uint32_t f = 0; f < 8; f++) {
        for (uint32_t k = 0; k < 3; k++) heart.face_vertex[3 * f + k] = heart.element_vertex[4 * f + k];
        heart.face_tag[f] = 1 + (int32_t)f / 2;
    }
    const mt_vtkhdf_field field = {.name = "activation", .unit = "ms", .f32 = activation};
    const mt_series series = {.mesh = &heart,
        .n_fields = 1,
        .n_frames = sizeof time_ms / sizeof *time_ms,
        .fields = &(mt_series_field){"V", "mV"},
        .time_ms = time_ms,
        .give = give};
    ok(mt_mesh_check(&heart));
    ok(mt_series_write("series.hdf", &series));
    ok(mt_vtkhdf_write("heart.hdf", &heart, 0, NULL));
    ok(mt_vtkhdf_write("result.hdf", &heart, 1, &field));
    ok(mt_vtkhdf_write_partition("parts.hdf", &(mt_unknowns){.mesh = &heart}, &partition));
    ok(mt_vtu_write("heart.vtu", &heart));
    ok(mt_gmsh_write("heart.msh", &heart));
}

static void enter(void)
{
    cr_assert_not_null(getcwd(source, sizeof source));
    (void)strcpy(room, "/tmp/test_viewers.XXXXXX");
    cr_assert_not_null(mkdtemp(room));
    cr_assert_eq(chdir(room), 0);
    make();
    make_network();
}

static int remove_thing(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static void leave(void)
{
    mt_arena_free(&arena);
    if (chdir(source) == 0) (void)nftw(room, remove_thing, 8, FTW_DEPTH | FTW_PHYS);
}

TestSuite(viewers, .init = enter, .fini = leave);

/* ---- results */

/* Checks that the script printed exactly these numbers for this item of this file, each to `relative` of the largest. */
static void expect(
    const char *said, const char *file, const char *what, size_t n, const double *values, double relative)
{
    char mark[128];
    double largest = 0;
    (void)snprintf(mark, sizeof mark, "%s %s ", file, what);
    const char *line = strstr(said, mark);
    cr_assert_not_null(line, "no '%s' in: %s", mark, said);
    line += strlen(mark);
    for (size_t k = 0; k < n; k++) largest = fmax(largest, fabs(values[k]));
    for (size_t k = 0; k < n; k++) {
        char *end;
        const double seen = strtod(line, &end);
        cr_assert(end > line && fabs(seen - values[k]) <= relative * largest, "%s: %.17g, not %.17g", mark,
            seen, values[k]);
        line = end;
    }
    cr_assert_eq(*line, '\n', "%s: more numbers: %.80s", mark, line);
}

static void expect_one(const char *said, const char *file, const char *what, double value, double relative)
{
    expect(said, file, what, 1, &value, relative);
}

/* Checks counts and extent bitwise: points, and elements with or without the triangles. */
static void expect_shape(const char *said, const char *file, bool triangles)
{
    double bounds[6] = {INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (size_t k = 0; k < 3 * heart.n_vertices; k++) {
        bounds[2 * (k % 3)] = fmin(bounds[2 * (k % 3)], heart.xyz_mm[k]);
        bounds[2 * (k % 3) + 1] = fmax(bounds[2 * (k % 3) + 1], heart.xyz_mm[k]);
    }
    expect_one(said, file, "points", (double)heart.n_vertices, 0);
    expect_one(said, file, "elements", (double)(heart.n_elements + (triangles ? heart.n_faces : 0)), 0);
    expect(said, file, "bounds", 6, bounds, 0);
}

/* The sum of a thousand positive volumes, in another order and from other products: 1e-12 is far above its rounding error. */
static void expect_volume(const char *said, const char *file)
{
    double volume = 0;
    for (size_t c = 0; c < heart.n_elements; c++) volume += mt_mesh_volume_mm3(&heart, c);
    expect_one(said, file, "volume", volume, 1e-12);
}

/* Checks all data of element 7 bitwise. */
static void expect_data(const char *said, const char *file)
{
    double normal[3];
    mt_mesh_normal(&heart, 7, normal);
    expect_one(said, file, "region[7]", heart.region[7], 0);
    expect(said, file, "fibre[7]", 3, heart.fibre + 21, 0);
    expect(said, file, "sheet[7]", 3, heart.sheet + 21, 0);
    expect(said, file, "normal[7]", 3, normal, 0);
    expect_one(said, file, "depth[7]", heart.depth[7], 0);
    expect_one(said, file, "layer[7]", heart.layer[7], 0);
}

static void expect_parts(const char *said)
{
    expect_one(said, "parts.hdf", "ipu[7]", partition.part[7] / 10, 0);
    expect_one(said, "parts.hdf", "tile[7]", partition.part[7] % 10, 0);
    expect(said, "parts.hdf", "ipus_and_tiles", 2, (double[]){4, 10}, 0);
}

/* Checks each frame of the series: its time, the mesh, and the values of two elements, bitwise. */
static void expect_series(const char *said, const char *reader)
{
    const size_t last = heart.n_elements - 1;
    for (size_t k = 0; k < sizeof time_ms / sizeof *time_ms; k++) {
        char what[32];
        (void)snprintf(what, sizeof what, "frame%zu", k);
        expect(said, reader, what, 7,
            (double[]){time_ms[k], (double)heart.n_vertices, (double)heart.n_elements, heart.region[7],
                heart.region[last], (double)at_frame(k, 7), (double)at_frame(k, last)},
            0);
    }
}

/* Checks each frame of the network: its time, points, lines, and the values of the last ones, bitwise. */
static void expect_network(const char *said, const char *reader)
{
    for (size_t k = 0; k < sizeof time_ms / sizeof *time_ms; k++) {
        char what[32];
        (void)snprintf(what, sizeof what, "network%zu", k);
        expect(said, reader, what, 8,
            (double[]){time_ms[k], 4, 3, 2, strand[5], strand_kind[2], strand_ms[3], (double)strand_mV(k, 3)},
            0);
    }
}

static bool same(const void *a, const void *b, size_t bytes) { return memcmp(a, b, bytes) == 0; }

static bool close_to(const double *a, const double *b, size_t n, double relative)
{
    for (size_t k = 0; k < n; k++)
        if (!(fabs(a[k] - b[k]) <= relative * fabs(b[k]))) return false;
    return true;
}

static void expect_heart(const char *name, const mt_mesh *mesh, double relative)
{
    const size_t n = heart.n_elements;
    cr_assert(mesh->n_vertices == heart.n_vertices && mesh->n_elements == n, "%s", name);
    cr_assert(mesh->n_faces == heart.n_faces && mesh->sheet && mesh->depth && mesh->layer, "%s", name);
    cr_assert(close_to(mesh->xyz_mm, heart.xyz_mm, 3 * heart.n_vertices, relative), "%s", name);
    cr_assert(close_to(mesh->fibre, heart.fibre, 3 * n, relative), "%s", name);
    cr_assert(close_to(mesh->sheet, heart.sheet, 3 * n, relative), "%s", name);
    cr_assert(close_to(mesh->depth, heart.depth, n, relative), "%s", name);
    cr_assert(same(mesh->element_vertex, heart.element_vertex, 4 * n * sizeof(uint32_t)), "%s", name);
    cr_assert(same(mesh->region, heart.region, n * sizeof(int32_t)), "%s", name);
    cr_assert(same(mesh->layer, heart.layer, n * sizeof(int32_t)), "%s", name);
    cr_assert(same(mesh->face_vertex, heart.face_vertex, 3 * heart.n_faces * sizeof(uint32_t)), "%s", name);
    cr_assert(same(mesh->face_tag, heart.face_tag, heart.n_faces * sizeof(int32_t)), "%s", name);
}

/* Checks that every file of the folder with this beginning is our mesh; there are `n`. Bitwise, except for text of 11 digits written by
 * others: VTK in legacy files, meshio. */
static void expect_ours(const char *begin, size_t n)
{
    size_t seen = 0;
    DIR *dir = opendir(".");
    for (struct dirent *entry; (entry = readdir(dir));) {
        const char *name = entry->d_name;
        const bool rounded = strncmp(name, "vtk_1_", 6) == 0 || strcmp(name, "meshio_ascii.vtu") == 0;
        mt_arena own = {0};
        mt_mesh mesh;
        const mt_mesh_format *format = NULL;
        if (strncmp(name, begin, strlen(begin)) != 0) continue;
        if (mt_mesh_format_find(name, false, &format) != MT_OK) continue; /* the numbers of XDMF */
        ok(format->read(&own, name, 1, &mesh));
        expect_heart(name, &mesh, rounded ? 5e-11 : 0);
        mt_arena_free(&own);
        seen++;
    }
    (void)closedir(dir);
    cr_assert_eq(seen, n, "%zu files %s*", seen, begin);
}

/* 4 storage modes, plain or compressed, 2 headers, 2 byte orders; 2 kinds and 2 versions of legacy files. */
Test(viewers, paraview_reads_our_files_and_we_read_files_of_vtk, .timeout = 300)
{
    struct stat info;
    const pid_t server = start_display();
    char *said = ask("pvpython", "viewers_paraview.py"), last[32];
    stop(server);
    static const char *const files[] = {"heart.hdf", "result.hdf", "parts.hdf", "heart.vtu"};
    for (int f = 0; f < 4; f++) {
        char picture[32];
        expect_shape(said, files[f], f == 3);
        expect_volume(said, files[f]);
        expect_data(said, files[f]);
        (void)snprintf(picture, sizeof picture, "%s.png", files[f]);
        cr_assert(stat(picture, &info) == 0 && info.st_size > 500, "%s", picture);
    }
    expect_one(said, "result.hdf", "activation[7]", activation[7], 0);
    expect_parts(said);
    (void)snprintf(last, sizeof last, "region[%zu]", heart.n_elements + heart.n_faces - 1);
    expect_one(said, "heart.vtu", last, heart.face_tag[heart.n_faces - 1], 0);
    expect_series(said, "Xdmf3ReaderS");
    expect_series(said, "Xdmf3ReaderT");
    expect_series(said, "XDMFReader");
    expect_network(said, "Xdmf3ReaderS");
    expect_network(said, "Xdmf3ReaderT");
    expect_network(said, "XDMFReader");
    expect_ours("vtk_", 4 * 2 * 2 * 2 + 4);
    free(said);
}

Test(viewers, h5py_reads_our_files, .timeout = 120)
{
    char *said = ask("/usr/bin/python3", "viewers_h5py.py");
    static const char *const files[] = {"heart.hdf", "result.hdf", "parts.hdf"};
    const uint32_t *v = heart.face_vertex + 9;
    for (int f = 0; f < 3; f++) {
        expect_shape(said, files[f], false);
        expect_data(said, files[f]);
        expect(said, files[f], "face_vertex[3]", 3, (double[]){v[0], v[1], v[2]}, 0);
        expect_one(said, files[f], "face_tag[3]", heart.face_tag[3], 0);
    }
    expect_one(said, "result.hdf", "activation[7]", activation[7], 0);
    expect_parts(said);
    expect_series(said, "series.hdf");
    free(said);
}

/* MSH stores its elements sorted by region, after the triangles. */
Test(viewers, meshio_reads_our_files_and_we_read_its_files, .timeout = 120)
{
    char *said = ask("/usr/bin/python3", "viewers_meshio.py");
    expect_shape(said, "heart.msh", true);
    expect_volume(said, "heart.msh");
    expect_one(said, "heart.msh", "gmsh:physical[7]", heart.face_tag[7], 0);
    expect_one(said, "heart.msh", "gmsh:physical[last]", 4, 0);
    expect_shape(said, "heart.vtu", true);
    expect_volume(said, "heart.vtu");
    expect_data(said, "heart.vtu");
    expect_one(said, "heart.vtu", "region[last]", heart.face_tag[heart.n_faces - 1], 0);
    expect_ours("meshio_", 8);
    free(said);
}
