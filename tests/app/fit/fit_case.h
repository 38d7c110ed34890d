/* For tests of `myotile fit`: tissue with rotating fibres, and LAT that were made on another mesh. */
#pragma once

#include "tests/app/program.h"

#include "data/files/csv.h"
#include "mesh/make/slab.h"
#include "mesh/vtk/vtkhdf.h"
#include "tests/mesh/shell.h"
#include "tests/random.h"

#define FIT_TISSUE(factor_l, factor_t)                                                                       \
    "tissue: {intracellular_l_mS_mm: " factor_l ", intracellular_t_mS_mm: " factor_t                         \
    ", extracellular_l_mS_mm: 0.62, extracellular_t_mS_mm: 0.24, chi_per_mm: 140, cm_uF_mm2: 0.01}\n"
#define FIT_CELLS                                                                                            \
    "cell: {model: mitchell-schaeffer, type: standard}\ntime: {dt_ms: 0.05, end_ms: 300}\n"                  \
    "diffusion: {discretisation: nodes}\nmachine: {backend: cpu}\noutput: {vertices: [csv], report: "        \
    "false}\n"
#define FIT_PULSE "duration_ms: 2, strength_uA_mm3: 50"

/* Sets the fibre of an element: in the plane of `round` and `up`, at an angle from `round` that changes linearly with the depth from
 * `degrees` at depth 0 to its negative. */
static inline void fit_put_fibre(
    mt_mesh *mesh, size_t element, const double round[3], const double up[3], double depth, double degrees)
{
    const double angle = degrees * (1 - 2 * depth) * M_PI / 180;
    double *fibre = mesh->fibre + 3 * element;
    for (int k = 0; k < 3; k++) fibre[k] = cos(angle) * round[k] + sin(angle) * up[k];
}

/* Writes a slab, with fibres at an angle from x, which rotates along z to its negative if `rotates`. */
static inline void fit_write_slab(
    const char *path, const double size_mm[3], double edge_mm, double degrees, bool rotates)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    cr_assert_eq(mt_slab_make(&arena, size_mm, edge_mm, &mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_mesh_new_fibres(&arena, &mesh), MT_OK);
    for (size_t c = 0; c < mesh.n_elements; c++) {
        double x[3];
        mt_mesh_centroid(&mesh, c, x);
        fit_put_fibre(
            &mesh, c, (double[]){1, 0, 0}, (double[]){0, 1, 0}, rotates ? x[2] / size_mm[2] : 0, degrees);
    }
    cr_assert_eq(mt_vtkhdf_write(path, &mesh, 0, NULL), MT_OK, "%s", mt_message());
    mt_arena_free(&arena);
}

/* Writes a half spherical shell, with helix angles from `degrees` at the endocardium to the negative. */
static inline void fit_write_shell(const char *path, size_t half, size_t layers, double degrees)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    const shell s = {half, layers, 1};
    shell_make(&arena, &s, &mesh);
    cr_assert_eq(mt_mesh_new_fibres(&arena, &mesh), MT_OK);
    mesh.depth = mt_arena_alloc(&arena, mesh.n_elements, sizeof *mesh.depth);
    for (size_t c = 0; c < mesh.n_elements; c++) {
        double x[3], r, round[3], up[3];
        mt_mesh_centroid(&mesh, c, x);
        r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        const double across = fmax(hypot(x[0], x[1]), 1e-9);
        round[0] = -x[1] / across, round[1] = x[0] / across, round[2] = 0;
        up[0] = -x[2] * x[0] / (r * across), up[1] = -x[2] * x[1] / (r * across), up[2] = across / r;
        mesh.depth[c] = fmin(fmax((r - SHELL_INNER_MM) / (SHELL_OUTER_MM - SHELL_INNER_MM), 0), 1);
        fit_put_fibre(&mesh, c, round, up, mesh.depth[c], degrees);
    }
    cr_assert_eq(mt_vtkhdf_write(path, &mesh, 0, NULL), MT_OK, "%s", mt_message());
    mt_arena_free(&arena);
}

/* Returns a normal number. */
static inline double fit_normal(uint64_t *seed)
{
    const double u = between(seed, 1e-12, 1);
    return sqrt(-2 * log(u)) * cos(2 * M_PI * between(seed, 0, 1));
}

/* The vertices of a folder's activation_vertices.csv that points are drawn from. */
typedef struct fit_vertices {
    mt_arena arena;
    mt_csv csv;
    size_t n, *row;
} fit_vertices;

static inline fit_vertices fit_read_vertices(const char *folder)
{
    fit_vertices v = {0};
    char path[64];
    (void)snprintf(path, sizeof path, "%s/activation_vertices.csv", folder);
    cr_assert_eq(mt_csv_read(&v.arena, path, &v.csv), MT_OK, "%s", mt_message());
    v.row = mt_arena_alloc(&v.arena, v.csv.n_rows, sizeof *v.row);
    return v;
}

/* Draws n of the vertices, adds offset and noise, writes points.csv, and frees them. */
static inline void fit_draw(fit_vertices *v, size_t n, double offset_ms, double noise_ms, uint64_t seed)
{
    cr_assert_gt(v->n, n, "%zu of %zu rows", v->n, v->csv.n_rows);
    FILE *file = fopen("points.csv", "w");
    (void)fprintf(file, "x_mm,y_mm,z_mm,lat_ms\n");
    for (size_t k = 0; k < n; k++) {
        const size_t at = k + draw(&seed, v->n - k), chosen = v->row[at];
        v->row[at] = v->row[k];
        (void)fprintf(file, "%.9g,%.9g,%.9g,%.9g\n", mt_csv_number(&v->csv, chosen, 0),
            mt_csv_number(&v->csv, chosen, 1), mt_csv_number(&v->csv, chosen, 2),
            mt_csv_number(&v->csv, chosen, 3) + offset_ms + noise_ms * fit_normal(&seed));
    }
    (void)fclose(file);
    mt_arena_free(&v->arena);
}

typedef bool fit_selected(const double x[3]);

/* Draws n of the selected vertices of a folder. */
static inline void fit_draw_points(
    const char *folder, fit_selected *selected, size_t n, double offset_ms, double noise_ms, uint64_t seed)
{
    fit_vertices v = fit_read_vertices(folder);
    for (size_t k = 0; k < v.csv.n_rows; k++) {
        const double x[] = {
            mt_csv_number(&v.csv, k, 0), mt_csv_number(&v.csv, k, 1), mt_csv_number(&v.csv, k, 2)};
        if (selected(x)) v.row[v.n++] = k;
    }
    fit_draw(&v, n, offset_ms, noise_ms, seed);
}

/* Draws n of the vertices of a folder that are on surfaces of its mesh with one of the tags from first to last. */
static inline void fit_draw_surface_points(const char *folder, const char *path, int32_t first, int32_t last,
    size_t n, double offset_ms, double noise_ms, uint64_t seed)
{
    fit_vertices v = fit_read_vertices(folder);
    mt_mesh mesh;
    cr_assert_eq(mt_vtkhdf_read(&v.arena, path, &mesh), MT_OK, "%s", mt_message());
    cr_assert_eq(mesh.n_vertices, v.csv.n_rows);
    bool *on = mt_arena_alloc(&v.arena, mesh.n_vertices, sizeof *on);
    for (size_t f = 0; f < mesh.n_faces; f++)
        for (int k = 0; k < 3; k++)
            if (mesh.face_tag[f] >= first && mesh.face_tag[f] <= last)
                on[mesh.face_vertex[3 * f + (size_t)k]] = true;
    for (size_t k = 0; k < mesh.n_vertices; k++)
        if (on[k]) v.row[v.n++] = k;
    fit_draw(&v, n, offset_ms, noise_ms, seed);
}

/* Writes a mesh with its coordinates multiplied by a factor. */
static inline void fit_scale_mesh(const char *from, const char *to, double factor)
{
    mt_arena arena = {0};
    mt_mesh mesh;
    cr_assert_eq(mt_vtkhdf_read(&arena, from, &mesh), MT_OK, "%s", mt_message());
    for (size_t k = 0; k < 3 * mesh.n_vertices; k++) mesh.xyz_mm[k] *= factor;
    cr_assert_eq(mt_vtkhdf_write(to, &mesh, 0, NULL), MT_OK, "%s", mt_message());
    mt_arena_free(&arena);
}

/* True if the row of a parameter in a table in JSON has this remark. */
static inline bool fit_has_remark(const char *table, const char *parameter, const char *remark)
{
    char row[96];
    (void)snprintf(row, sizeof row, "{\"parameter\": \"%s\"", parameter);
    const char *at = strstr(table, row), *found = at ? strstr(at, remark) : NULL;
    cr_assert_not_null(at, "no '%s' in %s", parameter, table);
    return found && found < strchr(at, '}');
}

/* Returns a number in a row of a site in a table in JSON. */
static inline double fit_site_number(const char *table, int site, const char *key)
{
    char row[32], name[64];
    (void)snprintf(row, sizeof row, "{\"site\": %d,", site);
    (void)snprintf(name, sizeof name, "\"%s\": ", key);
    const char *at = strstr(table, row), *value = at ? strstr(at, name) : NULL;
    cr_assert_not_null(value, "no '%s' in %s", key, table);
    return strtod(value + strlen(name), NULL);
}

/* Returns the distance of the nearest fitted site from a point. */
static inline double fit_nearest_site(const char *table, int n, const double x[3])
{
    double least = INFINITY;
    for (int s = 1; s <= n; s++) {
        const double d[] = {fit_site_number(table, s, "x_mm") - x[0],
            fit_site_number(table, s, "y_mm") - x[1], fit_site_number(table, s, "z_mm") - x[2]};
        least = fmin(least, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    }
    return least;
}
