/* myotile mesh coordinates. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/draw/page.h"
#include "app/draw/scene/picture.h"
#include "app/results/mesh_rows.h"
#include "app/heart/anatomy.h"
#include "app/cli/command.h"
#include "app/cli/table.h"
#include "app/heart/mesh_file.h"
#include "data/core/progress.h"
#include "mesh/anatomy/segments.h"
#include "mesh/anatomy/tag_meaning.h"
#include "mesh/vtk/vtkhdf.h"

static mt_status coordinates(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    MT_OPTION_OUTPUT("OUT.hdf",
        "the file to write: the mesh with `transventricular`, `transmural`, "
        "`rotational` and `apicobasal` at the vertices and `segment` in the elements"),
    {.name = "--septum", .value = "X,Y,Z", .help = MT_SEPTUM_HELP},
    {.name = "--pictures",
        .value = "STEM",
        .help = "draw STEM-transmural.png, STEM-rotational.png, STEM-apicobasal.png and STEM-segment.png"},
    {.name = "--surfaces", .value = MT_SURFACES_VALUE, .help = MT_SURFACES_HELP},
    {.name = "--tags", .value = MT_TAG_MEANING_EXAMPLE, .help = MT_TAGS_HELP}, MT_OPTION_FORMAT,
    MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_mesh_coordinates = {
    .name = "mesh coordinates",
    .operands = "MESH",
    .n_operands = 1,
    .summary = "compute ventricular coordinates of a heart (Schuler et al. 2021) and the 17 segments of its "
               "left ventricle",
    .example = "myotile mesh coordinates heart.hdf -o coordinates.hdf",
    .options = options,
    .run = coordinates,
};

static mt_table summary_table(mt_arena *arena, const char *title, const mt_coordinates *c, double seconds)
{
    mt_table table = mt_table_properties(arena, "coordinates", title);
    mt_table_property(&table, "vertices", "vertices", (double)c->n_vertices, "");
    mt_table_property(&table, "ventricles", "ventricles", c->has_rv ? 2 : 1, "");
    mt_table_property(&table, "apex_vertices", "apical vertices", (double)c->n_apex, "");
    mt_table_property(&table, "left_wall_mm",
        c->has_rv ? "mean thickness, left, to the septal surface" : "mean thickness of the wall",
        c->wall_mm[0], "mm");
    if (c->has_rv)
        mt_table_property(
            &table, "right_wall_mm", "mean thickness, right, to the septal surface", c->wall_mm[1], "mm");
    mt_table_property(&table, "transmural_nonlinearity_percent", "nonlinearity of the transmural coordinate",
        100 * c->nonlinearity, "%");
    const struct {
        const char *key, *label;
        const double *vector;
    } axes[] = {
        {"long_axis", "long axis", c->up}, {"septal_normal", "direction to the septum", c->to_septum}};
    for (size_t a = 0; a < 2; a++)
        for (size_t k = 0; k < 3; k++) {
            char key[40], label[40];
            (void)snprintf(key, sizeof key, "%s_%c", axes[a].key, "xyz"[k]);
            (void)snprintf(label, sizeof label, "%s, %c", axes[a].label, "xyz"[k]);
            mt_table_property(&table, key, label, axes[a].vector[k], "");
        }
    mt_table_property(
        &table, "most_iterations", "iterations of the slowest equation", (double)c->most_iterations, "");
    mt_table_property(&table, "time_s", "time", seconds, "s");
    return table;
}

static mt_table segment_table(mt_arena *arena, bool has_rv, const double volume_ml[MT_SEGMENTS])
{
    double left = 0;
    mt_table table = mt_table_begin(arena, "segments", "Segments of the left ventricle");
    mt_table_decimals(&table, "segment", "segment", "", 0);
    mt_table_strings(&table, "name", "name");
    mt_table_decimals(&table, "volume_ml", "volume", "mL", 2);
    mt_table_decimals(&table, "share_percent", "share of the left ventricle", "%", 1);
    for (int s = 1; s < MT_SEGMENTS; s++) left += volume_ml[s];
    for (int s = 1; s < MT_SEGMENTS; s++) {
        mt_table_number(&table, s);
        mt_table_text(&table, mt_segment_names[s].name);
        mt_table_number(&table, volume_ml[s]);
        mt_table_number(&table, 100 * volume_ml[s] / left);
    }
    if (!has_rv) return table;
    mt_table_number(&table, 0);
    mt_table_text(&table, mt_segment_names[0].name);
    mt_table_number(&table, volume_ml[0]);
    mt_table_number(&table, NAN);
    return table;
}

/* ---- pictures ---- */

/* The pictures: their names, and the vertex coordinates that they show, by their places in mt_coordinates; segments have none. */
enum { TRANSMURAL, ROTATIONAL, APICOBASAL, SEGMENT, PICTURES };
static const char *const picture_names[PICTURES] = {"transmural", "rotational", "apicobasal", "segment"};

static mt_status picture_path(const char *stem, int picture, char path[MT_FILE_PATH_MAX])
{
    const int n = snprintf(path, MT_FILE_PATH_MAX, "%s-%s.png", stem, picture_names[picture]);
    if (n > 0 && n < MT_FILE_PATH_MAX) return MT_OK;
    return mt_fail(MT_INPUT, "--pictures: %d characters with the name of a picture; allowed: below %d", n,
        MT_FILE_PATH_MAX);
}

static mt_status check_pictures(const mt_arguments *arguments)
{
    const char *stem = mt_option_value(arguments, "--pictures", NULL);
    char path[MT_FILE_PATH_MAX];
    for (int p = 0; stem && p < PICTURES; p++) {
        MT_TRY(picture_path(stem, p, path));
        MT_TRY(mt_page_check_name(path, mt_option_replace(arguments)));
    }
    return MT_OK;
}

/* Computes the values of the elements: means of their vertices, those of the rotational coordinate as angles. */
static void find_values(const mt_mesh *mesh, const mt_coordinates *c, int picture, float *value)
{
    const double *const at_vertices[] = {c->transmural, c->rotational, c->apicobasal};
    for (size_t e = 0; e < mesh->n_elements; e++) {
        double x[4], sum = 0;
        if (picture == SEGMENT) {
            value[e] = mesh->segment[e] > 0 ? (float)mesh->segment[e] : NAN;
            continue;
        }
        for (size_t k = 0; k < 4; k++) {
            x[k] = at_vertices[picture][mesh->element_vertex[4 * e + k]];
            sum += x[k];
        }
        value[e] = (float)(picture == ROTATIONAL ? mt_coordinates_mean_rotational(4, x) : sum / 4);
    }
}

/* Draws all pictures, after the mesh has its segments. */
static mt_status draw(const char *stem, const char *in, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_coordinates *c)
{
    MT_SCRATCH(scratch);
    float *value;
    char path[MT_FILE_PATH_MAX], label[64];
    MT_ALLOC(scratch, value, mesh->n_elements);
    for (int p = 0; p < PICTURES; p++) {
        const bool lines = p == TRANSMURAL || p == APICOBASAL;
        const mt_picture_scale scale = {
            label, "", lines ? "isolines" : "", p == SEGMENT ? "right ventricle" : "", false, !lines};
        (void)snprintf(label, sizeof label, "%s%s", picture_names[p], p == SEGMENT ? "" : " coordinate");
        find_values(mesh, c, p, value);
        MT_TRY(picture_path(stem, p, path));
        MT_TRY(mt_picture_map(path, mesh, adjacency, value, &scale, NULL, basename(in)));
    }
    return MT_OK;
}

static mt_status coordinates(mt_arena *arena, const mt_arguments *arguments)
{
    const char *stem = mt_option_value(arguments, "--pictures", NULL);
    const char *in = mt_operand(arguments, 0), *out = mt_option_value(arguments, "--output", NULL);
    const char *septum = mt_option_value(arguments, "--septum", NULL);
    double to_septum[3], volume_ml[MT_SEGMENTS];
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_surfaces surfaces;
    mt_anatomy anatomy;
    mt_coordinates c;
    MT_TRY(mt_vtkhdf_check_name(out));
    MT_TRY(mt_file_check(out, mt_option_replace(arguments)));
    MT_TRY(check_pictures(arguments));
    if (septum) MT_TRY(mt_numbers("--septum", septum, 3, -INFINITY, to_septum));
    MT_TRY(mt_read_mesh(arena, in, &mesh));
    MT_TRY(mt_fail_in(in, mt_adjacency_make(arena, &mesh, &adjacency)));
    MT_TRY(mt_anatomy_choose(arena, mt_option_value(arguments, "--tags", NULL),
        mt_option_value(arguments, "--surfaces", NULL), in, &adjacency, &mesh, &surfaces, &anatomy));
    const double start_s = mt_now_s();
    MT_TRY(mt_anatomy_coordinates(arena, in, &adjacency, &mesh, septum ? to_septum : NULL, &c));
    mt_coordinates_put(&c, &mesh);
    MT_ALLOC(arena, mesh.segment, mesh.n_elements);
    mt_segments_find(&mesh, &c, mesh.segment, volume_ml);
    mt_table tables[] = {
        summary_table(arena, out, &c, mt_now_s() - start_s), segment_table(arena, c.has_rv, volume_ml)};
    mt_anatomy_rows(&tables[0], &mesh, &surfaces, anatomy);
    MT_TRY(mt_vtkhdf_write(out, &mesh, 0, NULL));
    if (stem) MT_TRY(draw(stem, in, &mesh, &adjacency, &c));
    return mt_print_tables(arguments, tables, 2);
}
