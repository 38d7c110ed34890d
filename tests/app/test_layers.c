#include <criterion/criterion.h>

/* The order of the modules: app -> solver -> {mesh, ipu} -> data. Each includes only itself and what stands
 * below it, by names from the root. Inside app the wings have such an order, too: commands -> {results, reproduce} -> stages
 * -> draw -> cli. CTest runs this in the root of the source. */

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MODULES = 5 };

static const struct {
    const char *name, *may[MODULES + 1];
} modules[MODULES] = {
    {"data", {"data"}},
    {"mesh", {"mesh", "data"}},
    {"ipu", {"ipu", "data"}},
    {"solver", {"solver", "mesh", "ipu", "data"}},
    {"app", {"app", "solver", "mesh", "ipu", "data"}},
};

static int module_of(const char *name, size_t n)
{
    for (int m = 0; m < MODULES; m++)
        if (strlen(modules[m].name) == n && strncmp(modules[m].name, name, n) == 0) return m;
    return -1;
}

/* What an #include line names, behind its quote or bracket; NULL for other lines. */
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

/* A name in quotes begins with a module that may be included; a name in brackets is none of a module. */
static bool allowed(int module, const char *name)
{
    const char *slash = strpbrk(name + 1, "/\">");
    const int other = *slash == '/' ? module_of(name + 1, (size_t)(slash - name - 1)) : -1;
    if (*name == '<') return other < 0;
    for (int k = 0; other >= 0 && modules[module].may[k]; k++)
        if (strcmp(modules[module].may[k], modules[other].name) == 0) return true;
    return false;
}

static const struct {
    const char *folder;
    int height;
} wings[] = {{"app/cli/", 0}, {"app/draw/", 1}, {"app/stages/", 2}, {"app/results/", 3},
    {"app/reproduce/", 3}, {"app/commands/", 4}};
enum { WINGS = sizeof wings / sizeof *wings };

/* The wing that a path from the root, behind its begin, leads to; -1: none. */
static int wing_of(const char *path)
{
    for (int w = 0; w < WINGS; w++)
        if (strncmp(path, wings[w].folder, strlen(wings[w].folder)) == 0) return w;
    return -1;
}

/* May this file of app include this name in quotes? */
static bool allowed_in_wing(const char *path, const char *name)
{
    const char *app = strstr(path, "app/");
    const int own = app ? wing_of(app) : -1, other = wing_of(name + 1);
    return own < 0 || other < 0 || own == other || wings[other].height < wings[own].height;
}

typedef struct survey {
    size_t files, own_includes, violations;
    size_t between[MODULES][MODULES]; /* allowed includes of the second by the first */
    char worst[2048];                 /* the first violation: "file:line: include" */
} survey;

static void look_at_line(survey *s, int module, const char *path, int number, char *line)
{
    const char *name = included(line);
    if (!name) return;
    line[strcspn(line, "\r\n")] = 0;
    s->own_includes += *name == '"';
    if (allowed(module, name) && allowed_in_wing(path, name)) {
        const int other = *name == '"' ? module_of(name + 1, strcspn(name + 1, "/")) : -1;
        if (other >= 0) s->between[module][other]++;
    } else if (s->violations++ == 0)
        (void)snprintf(s->worst, sizeof s->worst, "%s:%d: %s", path, number, name);
}

static void look_at_file(survey *s, int module, const char *path)
{
    char line[4096];
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    s->files++;
    for (int number = 1; fgets(line, sizeof line, file); number++)
        look_at_line(s, module, path, number, line);
    (void)fclose(file);
}

/* Every source in the folder and below. */
static void look_at_folder(survey *s, int module, const char *folder)
{
    char path[1024];
    struct stat info;
    DIR *dir = opendir(folder);
    cr_assert_not_null(dir, "%s is not there; the test runs in the root of the source", folder);
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.') continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        const char *dot = strrchr(entry->d_name, '.');
        if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
            look_at_folder(s, module, path);
        else if (dot && (strcmp(dot, ".c") == 0 || strcmp(dot, ".h") == 0 || strcmp(dot, ".inc") == 0))
            look_at_file(s, module, path);
    }
    (void)closedir(dir);
}

static survey look(const char *root)
{
    survey s = {0};
    char folder[512];
    for (int m = 0; m < MODULES; m++) {
        (void)snprintf(folder, sizeof folder, "%s/%s", root, modules[m].name);
        look_at_folder(&s, m, folder);
    }
    return s;
}

Test(layers, every_module_includes_only_itself_and_what_stands_below)
{
    survey s = look(".");
    cr_assert_eq(s.violations, 0, "%zu; the first: %s", s.violations, s.worst);
}

Test(layers, wings_of_the_app_point_one_way)
{
    cr_expect(allowed_in_wing("./app/commands/run.c", "\"app/results/report.h\""));
    cr_expect(allowed_in_wing("./app/draw/page.c", "\"app/draw/colour.h\""));
    cr_expect(allowed_in_wing("./app/draw/page.c", "\"data/file.h\""));
    cr_expect(!allowed_in_wing("./app/draw/profile_picture.h", "\"app/results/profile_files.h\""));
    cr_expect(!allowed_in_wing("./app/stages/gmsh.c", "\"app/reproduce/published.h\""));
    cr_expect(!allowed_in_wing("./app/results/report.c", "\"app/reproduce/steps.h\""), "side by side");
}

/* So that the first test cannot pass by looking at nothing: every arrow of the order is in use. */
Test(layers, every_module_is_seen_and_uses_what_stands_below)
{
    survey s = look(".");
    enum { DATA, MESH, IPU, SOLVER, APP };
    cr_assert(s.files >= 50 && s.own_includes >= 100, "%zu files, %zu includes", s.files, s.own_includes);
    for (int m = 0; m < MODULES; m++) cr_assert_gt(s.between[m][m], 0, "%s", modules[m].name);
    cr_assert(s.between[MESH][DATA] > 0 && s.between[IPU][DATA] > 0);
    cr_assert(s.between[SOLVER][MESH] > 0 && s.between[SOLVER][IPU] > 0);
    cr_assert(s.between[APP][SOLVER] > 0);
}

/* A tree of one file a module, all lawful, but for one line planted in one of them. */
static survey with_planted(int module, const char *line)
{
    char root[] = "/tmp/test_layers.XXXXXX", path[256];
    cr_assert_not_null(mkdtemp(root));
    for (int m = 0; m < MODULES; m++) {
        (void)snprintf(path, sizeof path, "%s/%s", root, modules[m].name);
        cr_assert_eq(mkdir(path, 0777), 0);
        (void)strcat(path, "/a.c");
        FILE *file = fopen(path, "w");
        cr_assert_not_null(file);
        (void)fprintf(file,
            "#include \"%s/a.h\"\n#include \"data/a.h\"\n#include <stdio.h>\n#include <sys/stat.h>\n%s\n",
            modules[m].name, m == module ? line : "");
        (void)fclose(file);
    }
    survey s = look(root);
    for (int m = 0; m < MODULES; m++) {
        (void)snprintf(path, sizeof path, "%s/%s/a.c", root, modules[m].name);
        (void)unlink(path);
        *strrchr(path, '/') = 0;
        (void)rmdir(path);
    }
    cr_assert_eq(rmdir(root), 0);
    return s;
}

Test(layers, a_planted_violation_is_seen_and_named)
{
    static const struct {
        const char *module, *line;
        bool lawful;
    } cases[] = {
        {"data", "", true},
        {"data", "#include \"mesh/mesh.h\"", false},
        {"data", "#include \"ipu/graph.h\"", false},
        {"mesh", "#include \"ipu/graph.h\"", false},
        {"mesh", "#include \"solver/case.h\"", false},
        {"ipu", "#include \"mesh/mesh.h\"", false},
        {"ipu", "#include \"app/table.h\"", false},
        {"solver", "#include \"mesh/mesh.h\"", true},
        {"solver", "#include \"ipu/graph.h\"", true},
        {"solver", "#include \"app/table.h\"", false},
        {"app", "#include \"ipu/graph.h\"", true},
        {"ipu", "  #  include\t\"mesh/mesh.h\" /* blanks do not hide it */", false},
        {"ipu", "#include <mesh/mesh.h>", false},         /* nor brackets */
        {"solver", "#include \"../app/table.h\"", false}, /* nor ways round */
        {"app", "#include \"table.h\"", false},           /* names are from the root */
        {"app", "#include \"tests/app/program.h\"", false},
        {"data", "/* as #include \"mesh/mesh.h\" would be */", true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const int module = module_of(cases[k].module, strlen(cases[k].module));
        survey s = with_planted(module, cases[k].line);
        cr_assert_eq(s.violations, cases[k].lawful ? 0 : 1, "%s in %s", cases[k].line, cases[k].module);
        if (cases[k].lawful) continue;
        char where[64];
        (void)snprintf(where, sizeof where, "/%s/a.c:5: ", cases[k].module);
        cr_assert(strstr(s.worst, where), "%s", s.worst);
    }
}
