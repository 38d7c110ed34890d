#include <criterion/criterion.h>

#include "tests/app/program.h"

#include "mesh/files/formats.h"

/* Every mesh in a folder of the user and its subfolders is simulated for 10 ms: unchanged and refined once, with its own fibres
 * if it has any and with rule-based ones; closed surfaces are filled first. MYOTILE_MESHES names the folder. */

TestSuite(meshes, .init = enter_room, .fini = leave_room);

enum { CELLS = 15000, PATHS = 256 };

typedef struct found {
    char path[PATHS][1024];
    size_t n;
} found;

static found files;
static size_t ran, failed;

static bool ends(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

static void note(found *list, const char *path)
{
    cr_assert(list->n < PATHS);
    (void)snprintf(list->path[list->n++], sizeof list->path[0], "%s", path);
}

static int look_at(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    static const char *const endings[] = {
        ".hdf", ".msh", ".pts", ".vtk", ".vtu", ".vtp", ".node", ".obj", ".stl", ".xdmf", ".xmf"};
    (void)info, (void)at;
    for (size_t k = 0; kind == FTW_F && k < sizeof endings / sizeof *endings; k++)
        if (ends(path, endings[k])) note(&files, path);
    return 0;
}

static int compare(const void *a, const void *b) { return strcmp(a, b); }

/* Reports the result of a line; returns its table, or NULL. The caller frees it. */
static char *try_line(const char *what, const char *line)
{
    reply r = myotile("%s", line);
    (void)fprintf(stderr, "%s: %s%s\n", what, r.code == 0 ? "done" : "", r.said);
    free(r.said);
    if (r.code == 0) return r.out;
    free(r.out);
    return NULL;
}

static bool must(const char *what, const char *line)
{
    char *table = try_line(what, line);
    free(table);
    failed += table == NULL;
    return table != NULL;
}

/* The activation starts at the smallest x. */
static void write_case(const char *mesh)
{
    mt_arena arena = {0};
    mt_mesh m;
    double low[3], high[3];
    char text[2048];
    cr_assert_eq(mt_mesh_read(&arena, mesh, &m), MT_OK, "%s", mt_message());
    mt_mesh_box(&m, low, high);
    (void)snprintf(text, sizeof text,
        "mesh: {file: %s}\ntissue: {intracellular_l_mS_mm: 0.17, intracellular_t_mS_mm: 0.019, "
        "extracellular_l_mS_mm: 0.62, extracellular_t_mS_mm: 0.24, chi_per_mm: 140, cm_uF_mm2: 0.01}\n"
        "cell: {type: epi}\ntime: {end_ms: 10}\nstimuli:\n  - {min_mm: [%g, %g, %g], max_mm: [%g, %g, %g], "
        "duration_ms: 2, strength_uA_mm3: 50}\nmachine: {backend: cpu}\n",
        mesh, low[0] - 1, low[1] - 1, low[2] - 1, low[0] + 10, high[1] + 1, high[2] + 1);
    mt_arena_free(&arena);
    write_text("case.yaml", text);
}

static void runs(const char *name, const char *how, const char *mesh)
{
    char what[1200];
    (void)snprintf(what, sizeof what, "%s, %s: 10 ms", name, how);
    write_case(mesh);
    ran += must(what, "run case.yaml --output out --format json");
}

/* Runs the mesh unchanged, and refined once. */
static void runs_fine_too(const char *name, const char *how, const char *mesh)
{
    char line[2048], finer[64];
    runs(name, how, mesh);
    (void)snprintf(line, sizeof line, "mesh refine %s -o fine.hdf --format json", mesh);
    (void)snprintf(finer, sizeof finer, "%s, refined", how);
    if (must(name, line)) runs(name, finer, "fine.hdf");
}

static void try_mesh(const char *name, const char *path)
{
    char line[2048];
    (void)snprintf(line, sizeof line, "mesh info %s --format json", path);
    char *table = try_line(name, line);
    failed += table == NULL;
    if (!table) return;
    if (strstr(table, "\"fibres\": \"yes")) runs_fine_too(name, "its own fibres", path);
    free(table);
    (void)snprintf(line, sizeof line, "mesh fibres %s -o ruled.hdf --format json", path);
    if (must(name, line)) runs_fine_too(name, "fibres by rule", "ruled.hdf");
}

/* Surfaces that do not enclose a body (an endocardium, a cloud of points) are reported and skipped. */
static void try_surface(const char *names)
{
    char line[8192];
    (void)snprintf(line, sizeof line, "mesh fill %s --elements %d -o filled.hdf --format json", names, CELLS);
    char *table = try_line(names, line);
    if (table) try_mesh(names, "filled.hdf");
    free(table);
}

static size_t folder_length(const char *path) { return (size_t)(strrchr(path, '/') - path); }

/* The .obj files of one folder form one body. */
static void try_objs(size_t *k)
{
    char names[4096] = "";
    const char *first = files.path[*k];
    for (; *k < files.n && ends(files.path[*k], ".obj") &&
           folder_length(files.path[*k]) == folder_length(first) &&
           strncmp(files.path[*k], first, folder_length(first)) == 0;
         ++*k) {
        (void)strcat(names, *names ? " " : "");
        (void)strcat(names, files.path[*k]);
    }
    try_surface(names);
}

static void try_file(const char *path)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    const mt_status status = mt_mesh_read(&arena, path, &mesh);
    mt_arena_free(&arena);
    if (status == MT_OK)
        try_mesh(path, path);
    else if (strstr(mt_message(), "without elements"))
        try_surface(path);
    else
        (void)fprintf(stderr, "%s: left out: %s\n", path, mt_message());
}

Test(meshes, meshes_from_other_sources_run_unmodified_and_refined)
{
    const char *folder = getenv("MYOTILE_MESHES");
    if (!folder) {
        (void)fprintf(stderr, "SKIPPED: MYOTILE_MESHES names no folder\n");
        return;
    }
    cr_assert_eq(nftw(folder, look_at, 8, FTW_PHYS), 0, "%s cannot be traversed", folder);
    qsort(files.path, files.n, sizeof files.path[0], compare);
    for (size_t k = 0; k < files.n;) {
        if (ends(files.path[k], ".obj"))
            try_objs(&k);
        else
            try_file(files.path[k++]);
    }
    (void)fprintf(stderr, "%zu runs, %zu failures\n", ran, failed);
    cr_assert(ran > 0 && failed == 0);
}
