#include <criterion/criterion.h>

/* Dependencies between modules and folders. Modules: app -> solver -> {mesh, ipu} -> data. Inside a module each folder is a wing,
 * and a source includes, by names from the root, only files of its own wing and of wings below. No two units (a .c and its .h)
 * need each other, directly or indirectly. CTest runs this in the root of the source. */

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DATA, MESH, IPU, SOLVER, APP, MODULES };

static const struct {
    const char *name, *below; /* the modules that it may include */
} modules[MODULES] = {
    [DATA] = {"data", ""},
    [MESH] = {"mesh", "data"},
    [IPU] = {"ipu", "data"},
    [SOLVER] = {"solver", "mesh ipu data"},
    [APP] = {"app", "solver mesh ipu data"},
};

/* All folders that may contain sources. Inside a module a wing may include wings of a lower floor. */
static const struct wing {
    const char *folder;
    int module, floor;
    bool deep; /* True if subfolders belong to this wing */
} wings[] = {
    {"data/core", DATA, 0, false},
    {"data/files", DATA, 1, false},
    {"data/yaml", DATA, 2, false},
    {"data/opencl", DATA, 1, false},
    {"mesh", MESH, 0, false},
    {"mesh/repair", MESH, 1, false},
    {"mesh/make", MESH, 1, false},
    {"mesh/anatomy", MESH, 1, false},
    {"mesh/cut", MESH, 1, false},
    {"mesh/vtk", MESH, 2, false},
    {"mesh/files", MESH, 3, false},
    {"mesh/network", MESH, 4, false},
    {"ipu/machine", IPU, 0, false},
    {"ipu/graph", IPU, 1, false},
    {"ipu/cost", IPU, 2, false},
    {"ipu/library", IPU, 3, false},
    {"ipu/collectives", IPU, 4, false},
    {"ipu/compile", IPU, 3, false},
    {"ipu/run", IPU, 4, false},
    {"ipu/tally", IPU, 4, false},
    {"ipu/examples", IPU, 5, false},
    {"solver/kernels", SOLVER, 0, false},
    {"solver/cells", SOLVER, 1, true}, /* one folder per model */
    {"solver/diffusion", SOLVER, 1, false},
    {"solver/eikonal", SOLVER, 1, false},
    {"solver", SOLVER, 2, false},
    {"solver/tissue", SOLVER, 3, false},
    {"solver/conduction", SOLVER, 3, false},
    {"solver/outputs", SOLVER, 4, false},
    {"solver/case", SOLVER, 6, false},
    {"solver/device", SOLVER, 3, false},
    {"solver/plan", SOLVER, 4, false},
    {"solver/backends", SOLVER, 5, false},
    {"solver/waves", SOLVER, 7, false},
    {"app/heart", APP, 0, false},
    {"app/run", APP, 1, false},
    {"app/draw", APP, 2, false},
    {"app/draw/scene", APP, 3, false},
    {"app/draw/chart", APP, 4, false},
    {"app/cli", APP, 5, false},
    {"app/waves", APP, 6, false},
    {"app/results", APP, 7, false},
    {"app/study", APP, 7, false},
    {"app/study/validation", APP, 8, false},
    {"app/study/paper", APP, 9, false},
    {"app/study/machine", APP, 9, false},
    {"app/report", APP, 8, false},
    {"app/eikonal", APP, 9, false},
    {"app/fit", APP, 10, false},
    {"app/commands/run", APP, 11, false},
    {"app/commands/mesh", APP, 11, false},
    {"app/commands/machine", APP, 11, false},
    {"app/commands/cell", APP, 11, false},
    {"app/library", APP, 12, false},
    {"app/library/examples", APP, 13, false},
    {"app/commands", APP, 12, false},
    {"app", APP, 13, false},
};
enum {
    WINGS = sizeof wings / sizeof wings[0],
    UNITS_MAX = 1024,
    NAME = 128,
    FOLDER_MAX = 16 /* .c files per folder */
};

static int wing_named(const char *folder, size_t n)
{
    for (int w = 0; w < WINGS; w++)
        if (strlen(wings[w].folder) == n && strncmp(wings[w].folder, folder, n) == 0) return w;
    return -1;
}

/* Returns the wing of a file by its path from the root; -1: no wing. */
static int wing_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const int wing = slash ? wing_named(path, (size_t)(slash - path)) : -1;
    if (!slash || wing >= 0) return wing;
    const char *above = memrchr(path, '/', (size_t)(slash - path));
    const int outer = above ? wing_named(path, (size_t)(above - path)) : -1;
    return outer >= 0 && wings[outer].deep ? outer : -1;
}

static bool is_below(int wing, int other)
{
    const struct wing *a = &wings[wing], *b = &wings[other];
    if (wing == other) return true;
    return a->module == b->module ? a->floor > b->floor
                                  : strstr(modules[a->module].below, modules[b->module].name) != NULL;
}

typedef struct survey {
    size_t files, own_includes, violations, n_units;
    size_t between[MODULES][MODULES]; /* [from][to] allowed includes */
    char worst[2048];                 /* the first violation: "file:line: include", or a cycle */
    char unit[UNITS_MAX][NAME];
    bool needs[UNITS_MAX][UNITS_MAX];
} survey;

static void violation(survey *s, const char *path, int number, const char *what)
{
    if (s->violations++ == 0) (void)snprintf(s->worst, sizeof s->worst, "%s:%d: %s", path, number, what);
}

/* Returns the unit of a source: its path without extension. */
static size_t unit_of(survey *s, const char *path)
{
    char name[NAME];
    const size_t n = strcspn(path, ".");
    cr_assert_lt(n, NAME, "%s", path);
    (void)snprintf(name, sizeof name, "%.*s", (int)n, path);
    for (size_t u = 0; u < s->n_units; u++)
        if (strcmp(s->unit[u], name) == 0) return u;
    cr_assert_lt(s->n_units, UNITS_MAX);
    (void)strcpy(s->unit[s->n_units], name);
    return s->n_units++;
}

/* Returns the name in an #include line, after its quote or bracket; NULL for other lines. */
static const char *included(const char *line)
{
    while (isblank((unsigned char)*line)) line++;
    if (*line++ != '#') return NULL;
    while (isblank((unsigned char)*line)) line++;
    if (strncmp(line, "include", 7) != 0) return NULL;
    line += 7;
    while (isblank((unsigned char)*line)) line++;
    return *line == '"' || *line == '<' ? line : NULL;
}

/* Checks a line: a name in quotes must be in a wing that may be included, a name in brackets in no wing. */
static void look_at_line(survey *s, const char *path, int number, char *line)
{
    const char *name = included(line);
    if (!name) return;
    line[strcspn(line, "\r\n")] = 0;
    char other[1024];
    (void)snprintf(other, sizeof other, "%.*s", (int)strcspn(name + 1, "\">"), name + 1);
    const int wing = wing_of(path), to = wing_of(other);
    if (*name == '<') {
        if (to >= 0) violation(s, path, number, name);
        return;
    }
    s->own_includes++;
    if (wing < 0 || to < 0 || !is_below(wing, to)) {
        violation(s, path, number, name);
        return;
    }
    s->between[wings[wing].module][wings[to].module]++;
    const size_t from = unit_of(s, path), unit = unit_of(s, other);
    if (from != unit) s->needs[from][unit] = true;
}

static void look_at_file(survey *s, const char *root, const char *path)
{
    char line[4096];
    (void)snprintf(line, sizeof line, "%s/%s", root, path);
    FILE *file = fopen(line, "r");
    cr_assert_not_null(file, "%s", path);
    s->files++;
    if (wing_of(path) < 0) violation(s, path, 0, "lies in no wing that the table of this test has");
    for (int number = 1; fgets(line, sizeof line, file); number++) look_at_line(s, path, number, line);
    (void)fclose(file);
}

/* Checks every source in the folder and below. */
static void look_at_folder(survey *s, const char *root, const char *folder)
{
    char path[512], full[1024];
    struct stat info;
    (void)snprintf(full, sizeof full, "%s/%s", root, folder);
    size_t n_sources = 0;
    DIR *dir = opendir(full);
    cr_assert_not_null(dir, "%s does not exist; the test runs in the root of the source", full);
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.') continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        (void)snprintf(full, sizeof full, "%s/%s", root, path);
        const char *dot = strrchr(entry->d_name, '.');
        if (stat(full, &info) == 0 && S_ISDIR(info.st_mode))
            look_at_folder(s, root, path);
        else if (dot && (strcmp(dot, ".c") == 0 || strcmp(dot, ".h") == 0 || strcmp(dot, ".inc") == 0))
            look_at_file(s, root, path);
        n_sources += dot && strcmp(dot, ".c") == 0;
    }
    if (n_sources > FOLDER_MAX) violation(s, folder, 0, "has more than 16 .c files");
    (void)closedir(dir);
}

enum { NEW, OPEN, DONE };

/* Writes a cycle as "a -> b -> a": the units on the path from `first` to its end, and back to it. */
static void name_circle(survey *s, const size_t *way, size_t depth, size_t first)
{
    size_t k = 0, used = 0;
    while (way[k] != first) k++;
    for (; k <= depth && used < sizeof s->worst; k++)
        used += (size_t)snprintf(s->worst + used, sizeof s->worst - used, "%s -> ", s->unit[way[k]]);
    if (used < sizeof s->worst) (void)snprintf(s->worst + used, sizeof s->worst - used, "%s", s->unit[first]);
}

/* Follows the dependencies of a unit; a unit that is already on the path closes a cycle. */
static void follow(survey *s, size_t unit, char *state, size_t *way, size_t depth)
{
    state[unit] = OPEN;
    way[depth] = unit;
    for (size_t other = 0; other < s->n_units; other++) {
        if (!s->needs[unit][other] || state[other] == DONE) continue;
        if (state[other] == NEW)
            follow(s, other, state, way, depth + 1);
        else if (s->violations++ == 0)
            name_circle(s, way, depth, other);
    }
    state[unit] = DONE;
}

static void look_for_circles(survey *s)
{
    char state[UNITS_MAX] = {NEW};
    size_t way[UNITS_MAX];
    for (size_t unit = 0; unit < s->n_units; unit++)
        if (state[unit] == NEW) follow(s, unit, state, way, 0);
}

static const survey *look(const char *root)
{
    static survey s;
    memset(&s, 0, sizeof s);
    for (int m = 0; m < MODULES; m++) look_at_folder(&s, root, modules[m].name);
    look_for_circles(&s);
    return &s;
}

Test(layers, every_source_includes_only_lower_layers_without_cycles)
{
    const survey *s = look(".");
    cr_assert_eq(s->violations, 0, "%zu; the first: %s", s->violations, s->worst);
}

/* Ensures that the test above checks something: every allowed dependency is in use. */
Test(layers, every_module_is_checked_and_uses_lower_layers)
{
    const survey *s = look(".");
    cr_assert(
        s->files >= 200 && s->own_includes >= 500, "%zu files, %zu includes", s->files, s->own_includes);
    for (int m = 0; m < MODULES; m++) cr_assert_gt(s->between[m][m], 0, "%s", modules[m].name);
    cr_assert(s->between[MESH][DATA] > 0 && s->between[IPU][DATA] > 0);
    cr_assert(s->between[SOLVER][MESH] > 0 && s->between[SOLVER][IPU] > 0);
    cr_assert(s->between[APP][SOLVER] > 0);
}

static void plant(const char *root, const char *path, const char *text)
{
    char full[512];
    (void)snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = 0;
        (void)mkdir(full, 0777);
    }
    FILE *file = fopen(full, "w");
    cr_assert_not_null(file, "%s", full);
    (void)fputs(text, file);
    (void)fclose(file);
}

/* Surveys a tree with one file per module and n more in mesh/cut, without violations except for one planted line, which is in a
 * separate file or in one of these. */
static const survey *with_planted(const char *path, const char *line, size_t n)
{
    static const char lawful[] = "#include \"data/core/a.h\"\n#include <stdio.h>\n#include <sys/stat.h>\n\n";
    char root[] = "/tmp/test_layers.XXXXXX", text[512], remove[64];
    cr_assert_not_null(mkdtemp(root));
    for (int m = 0; m < MODULES; m++) {
        (void)snprintf(text, sizeof text, "%s/a.c", modules[m].name);
        if (m == IPU) (void)strcpy(text, "ipu/machine/a.c");
        if (m == DATA) (void)strcpy(text, "data/core/a.c");
        plant(root, text, lawful);
    }
    for (size_t k = 0; k < n; k++) {
        (void)snprintf(text, sizeof text, "mesh/cut/more_%zu.c", k);
        plant(root, text, lawful);
    }
    (void)snprintf(text, sizeof text, "%s%s\n", lawful, line);
    plant(root, path, text);
    const survey *s = look(root);
    (void)snprintf(remove, sizeof remove, "rm -r %s", root);
    cr_assert_eq(system(remove), 0);
    return s;
}

Test(layers, a_planted_violation_is_detected_and_named)
{
    static const struct {
        const char *path, *line;
        bool lawful;
    } cases[] = {
        {"data/core/b.c", "", true},
        {"data/core/b.c", "#include \"mesh/mesh.h\"", false},
        {"data/core/b.c", "#include \"ipu/graph/graph.h\"", false},
        {"mesh/cut/b.c", "#include \"ipu/graph/graph.h\"", false},
        {"mesh/cut/b.c", "#include \"mesh/mesh.h\"", true},
        {"mesh/b.c", "#include \"mesh/cut/halo.h\"", false},        /* a higher floor */
        {"mesh/cut/b.c", "#include \"mesh/repair/flat.h\"", false}, /* the same floor */
        {"mesh/files/b.c", "#include \"mesh/cut/partition.h\"", true},
        {"mesh/vtk/b.c", "#include \"mesh/files/formats.h\"", false},
        {"data/core/b.c", "#include \"data/files/file.h\"", false},
        {"data/yaml/b.c", "#include \"data/files/file.h\"", true},
        {"app/heart/b.c", "#include \"app/run/problem.h\"", false},
        {"app/run/b.c", "#include \"app/commands/run/run.h\"", false},
        {"app/run/b.c", "#include \"app/cli/table.h\"", false}, /* libraries print nothing */
        {"app/heart/b.c", "#include \"app/cli/console.h\"", false},
        {"app/waves/b.c", "#include \"app/cli/table.h\"", true},
        {"mesh/b.c", "#include \"solver/case/case.h\"", false},
        {"ipu/run/b.c", "#include \"ipu/compile/compile.h\"", true},
        {"ipu/compile/b.c", "#include \"ipu/run/engine.h\"", false},
        {"ipu/run/b.c", "#include \"mesh/mesh.h\"", false},
        {"ipu/run/b.c", "#include \"app/cli/table.h\"", false},
        {"solver/b.c", "#include \"mesh/cut/halo.h\"", true},
        {"solver/b.c", "#include \"solver/backends/backend.h\"", false},
        {"solver/b.c", "#include \"app/cli/table.h\"", false},
        {"app/draw/b.c", "#include \"ipu/graph/graph.h\"", true},
        {"app/draw/b.c", "#include \"app/results/run_files.h\"", false},
        {"app/elsewhere/b.c", "", false}, /* an unknown wing */
        {"ipu/run/b.c", "  #  include\t\"mesh/mesh.h\" /* blanks do not hide it */", false},
        {"ipu/run/b.c", "#include <mesh/mesh.h>", false},         /* brackets are checked too */
        {"solver/b.c", "#include \"../app/cli/table.h\"", false}, /* relative paths are not allowed */
        {"app/cli/b.c", "#include \"table.h\"", false},           /* names are from the root */
        {"app/cli/b.c", "#include \"tests/app/program.h\"", false},
        {"data/core/b.c", "/* as #include \"mesh/mesh.h\" would be */", true},
        {"data/core/a.c", "#include \"data/core/a.h\"", true},
        {"data/core/a.h", "#include \"data/core/b.h\"", true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const survey *s = with_planted(cases[k].path, cases[k].line, 0);
        cr_assert_eq(s->violations == 0, cases[k].lawful, "%s in %s: %zu", cases[k].line, cases[k].path,
            s->violations);
        cr_assert(
            cases[k].lawful || strncmp(s->worst, cases[k].path, strlen(cases[k].path)) == 0, "%s", s->worst);
    }
}

Test(layers, a_folder_with_too_many_sources_is_detected_and_named)
{
    cr_assert_eq(with_planted("mesh/cut/b.c", "", FOLDER_MAX - 1)->violations, 0);
    const survey *s = with_planted("mesh/cut/b.c", "", FOLDER_MAX);
    cr_assert(
        s->violations == 1 && strstr(s->worst, "mesh/cut:0: has more than 16 .c files"), "%s", s->worst);
}

Test(layers, a_cyclic_dependency_is_detected_and_named)
{
    static survey s;
    const char *const units[] = {"mesh/a.c", "mesh/b.c", "mesh/c.c", "mesh/d.c"};
    memset(&s, 0, sizeof s);
    for (size_t k = 0; k < 4; k++) cr_assert_eq(unit_of(&s, units[k]), k);
    s.needs[0][1] = s.needs[1][2] = s.needs[0][2] = s.needs[3][1] = true;
    look_for_circles(&s);
    cr_assert_eq(s.violations, 0, "%s", s.worst);
    s.needs[2][1] = true;
    look_for_circles(&s);
    cr_assert(s.violations == 1 && strcmp(s.worst, "mesh/b -> mesh/c -> mesh/b") == 0, "%zu: %s",
        s.violations, s.worst);
}
