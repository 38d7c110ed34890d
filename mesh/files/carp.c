#include "mesh/files/carp.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/files/file.h"
#include "data/core/number.h"
#include "data/core/order.h"
#include "data/files/scan.h"
#include "mesh/names.h"
#include "mesh/tags.h"
#include "mesh/files/vtx.h"

static const char *const endings[] = {".pts", ".elem", ".lon", NULL};
static const char surface_ending[] = ".surf", list_ending[] = ".vtx";
static const char *const surface_names[] = {[MT_SURFACE_BASE] = "base",
    [MT_SURFACE_EPI] = "epi",
    [MT_SURFACE_LV] = "lvendo",
    [MT_SURFACE_RV] = "rvendo"};

/* ---- reading ---- */

/* Reads the count of a file with at least `bytes_each` bytes per line. */
static mt_status read_count(mt_scan *scan, const char *what, size_t bytes_each, size_t *n)
{
    MT_TRY(mt_scan_count(scan, what, bytes_each, n));
    if (*n >= UINT32_MAX || *n == 0)
        return mt_scan_fail(scan, "%s is %zu; allowed: 1 to %u", what, *n, UINT32_MAX - 1);
    return mt_scan_end_line(scan, what);
}

static mt_status read_points(mt_scan *scan, double unit_mm, size_t n, double *xyz_mm)
{
    for (size_t v = 0; v < n; v++) {
        for (size_t k = 0; k < 3; k++) {
            double *x = xyz_mm + 3 * v + k;
            if (k > 0) MT_TRY(mt_scan_need_more(scan, k, 3));
            MT_TRY(mt_scan_real(scan, "coordinate", mt_mesh_far_mm / unit_mm, x));
            *x *= unit_mm;
        }
        MT_TRY(mt_scan_end_line(scan, "three coordinates"));
    }
    return mt_scan_end_file(scan, "points", n);
}

/* Reads the elements, and marks those without a region in without[n_elements] (zero-initialised). */
static mt_status read_elements(mt_scan *scan, mt_mesh *mesh, uint8_t *without)
{
    for (size_t c = 0; c < mesh->n_elements; c++) {
        char kind[41];
        int64_t number;
        mt_scan_word(scan, kind, sizeof kind);
        if (strcmp(kind, "Tt") != 0)
            return mt_scan_fail(scan, "%s%s%s; allowed: Tt (a tetrahedron); after %zu of %zu elements",
                kind[0] ? "element '" : "the file ends", kind, kind[0] ? "'" : "", c, mesh->n_elements);
        for (size_t k = 0; k < 4; k++) {
            MT_TRY(mt_scan_need_more(scan, k, 4));
            MT_TRY(mt_scan_int(scan, "vertex", 0, (int64_t)mesh->n_vertices - 1, &number));
            mesh->element_vertex[4 * c + k] = (uint32_t)number;
        }
        without[c] = !mt_scan_more(scan);
        if (without[c]) continue;
        MT_TRY(mt_scan_int(scan, "region", INT32_MIN, INT32_MAX, &number));
        mesh->region[c] = (int32_t)number;
        MT_TRY(mt_scan_end_line(scan, "the region"));
    }
    return mt_scan_end_file(scan, "elements", mesh->n_elements);
}

/* Determines the numbers per line, 3 or 6: from the header or, without one, from the first line. */
static mt_status read_fibre_header(mt_scan *scan, size_t *numbers)
{
    int64_t vectors;
    *numbers = mt_scan_words(scan);
    if (*numbers == 3 || *numbers == 6) return MT_OK;
    if (*numbers != 1)
        return mt_scan_fail(scan, "%zu numbers; allowed: a header of 1 or 2, or lines of 3 or 6", *numbers);
    MT_TRY(mt_scan_int(scan, "number of vectors per element", 1, 2, &vectors));
    *numbers = 3 * (size_t)vectors;
    return MT_OK;
}

static mt_status read_fibres(mt_arena *arena, mt_scan *scan, mt_mesh *mesh)
{
    size_t numbers;
    MT_TRY(read_fibre_header(scan, &numbers));
    MT_TRY(mt_mesh_new_fibres(arena, mesh));
    if (numbers == 6) MT_ALLOC(arena, mesh->sheet, 3 * mesh->n_elements);
    for (size_t c = 0; c < mesh->n_elements; c++) {
        double x[6];
        for (size_t k = 0; k < numbers; k++) {
            if (k > 0) MT_TRY(mt_scan_need_more(scan, k, numbers));
            MT_TRY(mt_scan_real(scan, "component of a fibre", 1e6, &x[k]));
        }
        if (!mt_mesh_put_directions(mesh, c, x, x + 3))
            return mt_scan_fail(scan, "a fibre of length 0 (bath, or isotropic), or a sheet parallel to its "
                                      "fibre; every element needs directions");
        MT_TRY(mt_scan_end_line(scan, "the fibre"));
    }
    return mt_scan_end_file(scan, "fibres", mesh->n_elements);
}

static mt_status read_lon(mt_arena *arena, mt_arena *scratch, const char *name, mt_mesh *mesh)
{
    char path[MT_FILE_PATH_MAX];
    mt_scan scan;
    MT_TRY(mt_file_sibling(name, endings, ".lon", path));
    if (access(path, F_OK) != 0) return MT_OK;
    MT_TRY(mt_scan_open(scratch, path, &scan));
    return read_fibres(arena, &scan, mesh);
}

/* ---- files of surfaces ---- */

/* Parses the name of a file "STEM.SURFACE.surf", with `ending` .surf: its tag, and SURFACE if it is a name (NULL: a number).
 * Returns false if it is not a surface of that mesh. */
static bool tag_of(const char *file, const char *stem, const char *ending, int32_t *tag, const char **surface)
{
    const size_t n = strlen(stem), m = strlen(file), k = strlen(ending);
    char name[16], *end;
    if (m < n + k + 2 || m - n - k - 1 >= sizeof name || strncmp(file, stem, n) != 0 || file[n] != '.' ||
        strcmp(file + m - k, ending) != 0)
        return false;
    memcpy(name, file + n + 1, m - n - k - 1);
    name[m - n - k - 1] = 0;
    *surface = NULL;
    for (int t = MT_SURFACE_BASE; t <= MT_SURFACE_RV; t++)
        if (strcmp(name, surface_names[t]) == 0) {
            *tag = t;
            *surface = surface_names[t];
            return true;
        }
    const long number = strtol(name, &end, 10);
    *tag = (int32_t)number;
    return isdigit((unsigned char)name[name[0] == '-']) && *end == 0 && number >= INT32_MIN &&
           number <= INT32_MAX;
}

/* An open listing of the surface files of a mesh. */
typedef struct listing {
    DIR *folder;
    char stem[MT_FILE_PATH_MAX];       /* of the mesh's files */
    const char *base;                  /* `stem` without the folder */
    const char *ending;                /* of the surface files: surface_ending by default */
    char path[MT_FILE_PATH_MAX + 256]; /* the most recent surface file */
    int32_t tag;                       /* its tag */
    const char *name;                  /* its name; NULL if it is numbered */
} listing;

static void close_listing(const listing *l)
{
    if (l->folder) (void)closedir(l->folder);
}

/* Declares a listing that is closed at the end of its scope, after the return value is computed. */
#define LISTING(name) __attribute__((cleanup(close_listing))) listing name = {.ending = surface_ending}

static mt_status open_listing(const char *name, listing *l)
{
    char folder[MT_FILE_PATH_MAX];
    MT_TRY(mt_file_sibling(name, endings, "", l->stem));
    char *slash = strrchr(l->stem, '/');
    l->base = slash ? slash + 1 : l->stem;
    (void)snprintf(
        folder, sizeof folder, "%.*s", slash ? (int)(slash - l->stem) + 1 : 1, slash ? l->stem : ".");
    l->folder = opendir(folder);
    return l->folder ? MT_OK : mt_fail(MT_FILE, "%s: %s", folder, strerror(errno));
}

static bool next_surface(listing *l)
{
    for (const struct dirent *e; (e = readdir(l->folder)) != NULL;) {
        if (!tag_of(e->d_name, l->base, l->ending, &l->tag, &l->name)) continue;
        (void)snprintf(l->path, sizeof l->path, "%s%s", l->stem, e->d_name + strlen(l->base));
        return true;
    }
    return false;
}

/* A surface file. */
typedef struct found {
    int32_t tag;
    const char *name; /* NULL if it is numbered */
    const char *path;
} found;

MT_ORDER(by_tag, found, tag)

/* Finds the surface files with this ending, in ascending order of tags. */
static mt_status find_files(mt_arena *scratch, const char *name, const char *ending, found **files, size_t *n)
{
    LISTING(l);
    size_t room = 0;
    l.ending = ending;
    MT_TRY(open_listing(name, &l));
    while (next_surface(&l)) room++;
    rewinddir(l.folder);
    MT_ALLOC(scratch, *files, room);
    for (*n = 0; *n < room && next_surface(&l); ++*n) {
        char *path;
        MT_ALLOC(scratch, path, strlen(l.path) + 1);
        (*files)[*n] = (found){l.tag, l.name, strcpy(path, l.path)};
    }
    if (*n > 0) qsort(*files, *n, sizeof **files, by_tag);
    return MT_OK;
}

/* ---- reading surfaces ---- */

/* A file of triangles. */
typedef struct surface {
    mt_scan scan;
    size_t n;
} surface;

static mt_status read_triangles(surface *s, size_t n_vertices, uint32_t *vertex)
{
    for (size_t f = 0; f < s->n; f++) {
        char kind[41];
        int64_t number;
        mt_scan_word(&s->scan, kind, sizeof kind);
        if (strcmp(kind, "Tr") != 0)
            return mt_scan_fail(&s->scan, "%s%s%s; allowed: Tr (a triangle); after %zu of %zu",
                kind[0] ? "element '" : "the file ends", kind, kind[0] ? "'" : "", f, s->n);
        for (size_t k = 0; k < 3; k++) {
            MT_TRY(mt_scan_need_more(&s->scan, k, 3));
            MT_TRY(mt_scan_int(&s->scan, "vertex", 0, (int64_t)n_vertices - 1, &number));
            vertex[3 * f + k] = (uint32_t)number;
        }
        if (!mt_scan_more(&s->scan)) continue;
        MT_TRY(mt_scan_int(&s->scan, "region", INT32_MIN, INT32_MAX, &number));
        MT_TRY(mt_scan_end_line(&s->scan, "the region"));
    }
    return mt_scan_end_file(&s->scan, "triangles", s->n);
}

/* Names the tag of a surface after its file. */
static mt_status put_name(mt_arena *arena, const found *file, mt_mesh *mesh)
{
    if (!file->name) return MT_OK;
    return mt_names_put(arena, mesh, MT_NAMES_FACES, file->tag, file->name, strlen(file->name));
}

static mt_status read_surfaces(mt_arena *arena, mt_arena *scratch, const char *name, mt_mesh *mesh)
{
    found *files;
    surface *surfaces;
    size_t n, n_faces = 0;
    MT_TRY(find_files(scratch, name, surface_ending, &files, &n));
    MT_ALLOC(scratch, surfaces, n);
    for (size_t s = 0; s < n; s++) {
        MT_TRY(mt_scan_open(scratch, files[s].path, &surfaces[s].scan));
        MT_TRY(read_count(&surfaces[s].scan, "number of triangles", sizeof "Tr 0 1 2", &surfaces[s].n));
        n_faces += surfaces[s].n;
    }
    MT_TRY(mt_mesh_new_faces(arena, n_faces, mesh));
    n_faces = 0;
    for (size_t s = 0; s < n; s++) {
        MT_TRY(read_triangles(&surfaces[s], mesh->n_vertices, mesh->face_vertex + 3 * n_faces));
        for (size_t f = 0; f < surfaces[s].n; f++) mesh->face_tag[n_faces + f] = files[s].tag;
        MT_TRY(put_name(arena, &files[s], mesh));
        n_faces += surfaces[s].n;
    }
    return MT_OK;
}

static bool has_tag(const mt_mesh *mesh, int32_t tag)
{
    for (size_t f = 0; f < mesh->n_faces; f++)
        if (mesh->face_tag[f] == tag) return true;
    return false;
}

/* Reads the vertex lists of surfaces without a .surf file. The four named surfaces precede the others, because a numbered
 * list may be only a patch of one of them. */
static mt_status read_lists(mt_arena *arena, mt_arena *scratch, const char *name, mt_mesh *mesh)
{
    found *files;
    mt_vtx *lists;
    size_t n, used = 0;
    MT_TRY(find_files(scratch, name, list_ending, &files, &n));
    MT_ALLOC(scratch, lists, n);
    for (int pass = 0; pass < 2; pass++)
        for (size_t s = 0; s < n; s++) {
            const int32_t tag = files[s].tag;
            if ((files[s].name != NULL) != (pass == 0) || has_tag(mesh, tag)) continue;
            MT_TRY(put_name(arena, &files[s], mesh));
            lists[used].tag = tag;
            MT_TRY(mt_vtx_read(scratch, files[s].path, mesh->n_vertices, &lists[used++]));
        }
    return mt_vtx_tag(arena, used, lists, mesh);
}

mt_status mt_carp_read(mt_arena *arena, const char *name, double unit_mm, mt_mesh *mesh)
{
    MT_TRY(mt_file_finish_sets(name));
    MT_SCRATCH(scratch);
    char points_path[MT_FILE_PATH_MAX], elements_path[MT_FILE_PATH_MAX];
    mt_scan points, elements;
    size_t n_vertices, n_elements;
    uint8_t *without;
    MT_TRY(mt_file_sibling(name, endings, ".pts", points_path));
    MT_TRY(mt_file_sibling(name, endings, ".elem", elements_path));
    MT_TRY(mt_scan_open(scratch, points_path, &points));
    MT_TRY(mt_scan_open(scratch, elements_path, &elements));
    MT_TRY(read_count(&points, "number of points", sizeof "0 0 0", &n_vertices));
    MT_TRY(read_count(&elements, "number of elements", sizeof "Tt 0 1 2 3", &n_elements));
    MT_TRY(mt_mesh_new(arena, n_vertices, n_elements, mesh));
    MT_TRY(read_points(&points, unit_mm, n_vertices, mesh->xyz_mm));
    MT_ALLOC(scratch, without, n_elements);
    MT_TRY(read_elements(&elements, mesh, without));
    MT_TRY(mt_names_unassigned(arena, mesh, without));
    MT_TRY(read_lon(arena, scratch, name, mesh));
    MT_TRY(read_surfaces(arena, scratch, name, mesh));
    MT_TRY(read_lists(arena, scratch, name, mesh));
    MT_TRY(mt_names_settle(arena, mesh));
    return mt_mesh_check_content(mesh, elements_path);
}

/* ---- reading lines ---- */

/* Reads the name of an element's type; returns the number of its vertices. */
static mt_status read_type(mt_scan *scan, size_t c, size_t n_elements, size_t *n_vertices)
{
    static const struct {
        const char *name;
        size_t n;
    } types[] = {{"Ln", 2}, {"Tr", 3}, {"Qd", 4}, {"Tt", 4}, {"Py", 5}, {"Pr", 6}, {"Oc", 6}, {"Hx", 8}};
    char word[41];
    mt_scan_word(scan, word, sizeof word);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (strcmp(word, types[t].name) == 0) {
            *n_vertices = types[t].n;
            return MT_OK;
        }
    return mt_scan_fail(scan,
        "%s%s%s; allowed: Ln (a line), and other elements, which are not used: Tr, Qd, Tt, Py, Pr, Oc, Hx; "
        "after %zu of %zu elements",
        word[0] ? "element '" : "the file ends", word, word[0] ? "'" : "", c, n_elements);
}

/* Reads the vertices and the region of an element into the next segment if it has two vertices. Counts segments and those with a region. */
static mt_status read_line(mt_scan *scan, size_t n, mt_lines *lines, size_t *n_regions)
{
    int64_t vertex[2], region = 0;
    const size_t s = lines->n_segments, line = scan->line;
    for (size_t k = 0; k < n; k++) {
        MT_TRY(mt_scan_need_more(scan, k, n));
        MT_TRY(mt_scan_int(scan, "vertex", 0, (int64_t)lines->n_points - 1, &vertex[k % 2]));
    }
    if (mt_scan_more(scan)) {
        MT_TRY(mt_scan_int(scan, "region", INT32_MIN, INT32_MAX, &region));
        MT_TRY(mt_scan_end_line(scan, "the region"));
        *n_regions += n == 2;
    }
    lines->n_solids += n > 2;
    if (n > 2) return MT_OK;
    for (size_t k = 0; k < 2; k++) lines->segment_point[2 * s + k] = (uint32_t)vertex[k];
    lines->kind[s] = (int32_t)region;
    lines->place[s] = line;
    lines->n_segments++;
    return MT_OK;
}

static mt_status read_lines(mt_arena *arena, mt_scan *scan, size_t n_elements, mt_lines *lines)
{
    size_t n_regions = 0;
    for (size_t c = 0; c < n_elements; c++) {
        size_t n = 0;
        MT_TRY(read_type(scan, c, n_elements, &n));
        MT_TRY(read_line(scan, n, lines, &n_regions));
    }
    MT_TRY(mt_scan_end_file(scan, "elements", n_elements));
    if (lines->n_segments == 0)
        return mt_fail(MT_INPUT, "%s: has no lines (Ln) among its %zu elements", scan->path, n_elements);
    if (n_regions == 0) lines->kind = NULL;
    if (n_regions > 0 && n_regions < lines->n_segments)
        MT_TRY(mt_notes_add(
            arena, &lines->notes, "lines without a region, of kind 0: %zu", lines->n_segments - n_regions));
    if (lines->n_solids == 0) return MT_OK;
    return mt_notes_add(
        arena, &lines->notes, "elements other than lines (Ln), not used: %zu", lines->n_solids);
}

mt_status mt_carp_read_lines(mt_arena *arena, const char *name, double unit_mm, mt_lines *lines)
{
    MT_SCRATCH(scratch);
    char points_path[MT_FILE_PATH_MAX], elements_path[MT_FILE_PATH_MAX];
    mt_scan points, elements;
    size_t n_elements;
    *lines = (mt_lines){.in_text = true};
    MT_TRY(mt_file_finish_sets(name));
    MT_TRY(mt_file_sibling(name, endings, ".pts", points_path));
    MT_TRY(mt_file_sibling(name, endings, ".elem", elements_path));
    MT_TRY(mt_scan_open(scratch, points_path, &points));
    MT_TRY(mt_scan_open(scratch, elements_path, &elements));
    MT_TRY(read_count(&points, "number of points", sizeof "0 0 0", &lines->n_points));
    MT_TRY(read_count(&elements, "number of elements", sizeof "Ln 0 1", &n_elements));
    lines->path = mt_arena_text(arena, elements_path);
    if (!lines->path) return MT_MEMORY;
    MT_ALLOC(arena, lines->xyz_mm, 3 * lines->n_points);
    MT_ALLOC(arena, lines->segment_point, 2 * n_elements);
    MT_ALLOC(arena, lines->place, n_elements);
    MT_ALLOC(arena, lines->kind, n_elements);
    MT_TRY(read_lines(arena, &elements, n_elements, lines));
    return read_points(&points, unit_mm, lines->n_points, lines->xyz_mm);
}

/* ---- writing ---- */

static void put_points(FILE *out, const mt_mesh *mesh)
{
    (void)fprintf(out, "%zu\n", mesh->n_vertices);
    for (size_t k = 0; k < 3 * mesh->n_vertices; k++) {
        char text[MT_NUMBER_SIZE];
        mt_number_text(1000 * mesh->xyz_mm[k], text);
        (void)fprintf(out, "%s%c", text, k % 3 == 2 ? '\n' : ' ');
    }
}

static void put_elements(FILE *out, const mt_mesh *mesh)
{
    (void)fprintf(out, "%zu\n", mesh->n_elements);
    for (size_t c = 0; c < mesh->n_elements; c++) {
        const uint32_t *v = mesh->element_vertex + 4 * c;
        (void)fprintf(out, "Tt %u %u %u %u %d\n", v[0], v[1], v[2], v[3], mesh->region[c]);
    }
}

static void put_fibres(FILE *out, const mt_mesh *mesh)
{
    (void)fputs(mesh->sheet ? "2\n" : "1\n", out);
    for (size_t c = 0; c < mesh->n_elements; c++) {
        const double *f = mesh->fibre + 3 * c;
        (void)fprintf(out, "%.9f %.9f %.9f", f[0], f[1], f[2]);
        if (mesh->sheet) {
            const double *s = mesh->sheet + 3 * c;
            (void)fprintf(out, " %.9f %.9f %.9f", s[0], s[1], s[2]);
        }
        (void)fputc('\n', out);
    }
}

static mt_status write_surface(
    const char *name, const mt_mesh *mesh, int32_t tag, size_t n, const uint32_t *triangle)
{
    char ending[32], path[MT_FILE_PATH_MAX];
    mt_file file;
    if (mt_surface_name(tag) && mt_names_surface_of(mesh, tag) == tag)
        (void)snprintf(ending, sizeof ending, ".%s%s", surface_names[tag], surface_ending);
    else
        (void)snprintf(ending, sizeof ending, ".%d%s", tag, surface_ending);
    MT_TRY(mt_file_sibling(name, endings, ending, path));
    MT_TRY(mt_file_begin(path, &file));
    (void)fprintf(file.stream, "%zu\n", n);
    for (size_t k = 0; k < n; k++) {
        const uint32_t *v = mesh->face_vertex + 3 * (size_t)triangle[k];
        (void)fprintf(file.stream, "Tr %u %u %u\n", v[0], v[1], v[2]);
    }
    return mt_file_end(&file, MT_OK);
}

static mt_status write_surfaces(const char *name, const mt_mesh *mesh, const mt_tags *tags)
{
    LISTING(old); /* files of an earlier mesh with this name, which would be read as surfaces of this one */
    MT_TRY(open_listing(name, &old));
    while (next_surface(&old)) MT_TRY(mt_file_remove(old.path));
    for (size_t t = 0; t < tags->n; t++)
        MT_TRY(write_surface(
            name, mesh, tags->tag[t], tags->offset[t + 1] - tags->offset[t], tags->id + tags->offset[t]));
    return MT_OK;
}

/* Fails if a vertex list of another mesh in the folder would be read as a surface of this mesh. Lists are never deleted,
 * because they belong to the user. A missing folder is reported by the functions that write to it. */
static mt_status refuse_lists(const char *name, const mt_tags *tags)
{
    LISTING(l);
    l.ending = list_ending;
    if (open_listing(name, &l) != MT_OK) return MT_OK;
    while (next_surface(&l)) {
        size_t t = 0;
        while (t < tags->n && tags->tag[t] != l.tag) t++;
        if (t == tags->n)
            return mt_fail(MT_INPUT,
                "%s: this list of vertices would be read as a surface of the written mesh; allowed: another "
                "name for one of them",
                l.path);
    }
    return MT_OK;
}

static mt_status write_all(mt_arena *scratch, const char *name, const mt_mesh *mesh)
{
    static const struct {
        const char *ending;
        void (*put)(FILE *out, const mt_mesh *mesh);
    } parts[] = {{".pts", put_points}, {".elem", put_elements}, {".lon", put_fibres}};
    mt_tags tags;
    MT_TRY(mt_tags_make(scratch, mesh->n_faces, mesh->face_tag, &tags));
    MT_TRY(refuse_lists(name, &tags));
    if (tags.n > MT_CARP_TAGS_MAX)
        return mt_fail(MT_INPUT,
            "%s: triangles of %zu different tags; allowed: at most %d, since this format has one file per "
            "tag",
            name, tags.n, MT_CARP_TAGS_MAX);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        char path[MT_FILE_PATH_MAX];
        mt_file file;
        MT_TRY(mt_file_sibling(name, endings, parts[k].ending, path));
        if (parts[k].put == put_fibres && !mesh->fibre) {
            MT_TRY(mt_file_remove(path));
            continue;
        }
        MT_TRY(mt_file_begin(path, &file));
        parts[k].put(file.stream, mesh);
        MT_TRY(mt_file_end(&file, MT_OK));
    }
    return write_surfaces(name, mesh, &tags);
}

mt_status mt_carp_write(const char *name, const mt_mesh *mesh)
{
    MT_SCRATCH(scratch);
    MT_TRY(mt_file_set_begin());
    return mt_file_set_end(write_all(scratch, name, mesh));
}

mt_status mt_carp_check(const char *name, mt_file_replace replace)
{
    LISTING(l);
    for (size_t k = 0; endings[k]; k++) {
        char path[MT_FILE_PATH_MAX];
        MT_TRY(mt_file_sibling(name, endings, endings[k], path));
        MT_TRY(mt_file_check(path, replace));
    }
    MT_TRY(open_listing(name, &l));
    while (next_surface(&l)) MT_TRY(mt_file_check(l.path, replace));
    return MT_OK;
}
