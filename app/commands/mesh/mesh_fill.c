/* myotile mesh fill: generates a mesh inside a closed surface with the gmsh program. */
#include <math.h>
#include <string.h>

#include "app/results/mesh_rows.h"
#include "app/heart/anatomy.h"
#include "app/cli/command.h"
#include "app/heart/filling.h"
#include "app/heart/mesh_file.h"
#include "data/core/progress.h"
#include "app/cli/table.h"
#include "data/files/file.h"
#include "data/core/vec3.h"
#include "mesh/files/formats.h"
#include "mesh/anatomy/tag_meaning.h"
#include "mesh/names.h"

static mt_status fill(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    MT_OPTION_OUTPUT("OUT", "the file to write, with surface tags base 1, epicardium 2, LV 3, RV 4"),
    {.name = "--elements", .value = "N", .help = "number of elements, within 5 %; default: 100000"},
    {.name = "--edge-mm", .value = "H", .help = "mean edge length of the elements, instead of --elements"},
    {.name = "--unit", .value = "um|mm|cm|m", .help = "unit of the coordinates in the surfaces; default: mm"},
    {.name = "--as",
        .value = "base|epi|lv|rv|-,...",
        .help = "anatomical surface of each SURFACE, in order; -: none of these"},
    {.name = "--tags",
        .value = MT_TAG_MEANING_EXAMPLE,
        .help = "meaning of the triangle tags, instead of --as"},
    MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_mesh_fill = {
    .name = "mesh fill",
    .operands = "SURFACE...",
    .n_operands = 1,
    .more_operands = true,
    .summary = "generate a tetrahedral mesh of the volume in a closed surface (.obj, .stl, .vtk, .vtp, ...; "
               "one or several files) with gmsh",
    .example = "myotile mesh fill data/geometry/ventricle.obj --elements 10000 -o filled.hdf",
    .options = options,
    .run = fill,
};

/* volume of an element over the mean edge cubed, mean of three hearts */
static const double element_of_edge = 0.1;

typedef struct filling {
    mt_filling body;
    double elements;    /* requested number */
    mt_anatomy anatomy; /* how the surface's tags are known to be mt_surface; MT_ANATOMY_NONE: unknown */
} filling;

/* ---- the surface ---- */

/* Returns the surface that the n-th entry of `as` names. Fails with MT_INPUT if the entry is invalid or missing. */
static mt_status nth_name(const char *as, size_t n, size_t n_files, int32_t *surface)
{
    const char *at = as;
    size_t names = 1;
    for (const char *c = as; *c; c++) names += *c == ',';
    for (size_t k = 0; k < n && at; k++) at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL;
    const size_t length = at ? strcspn(at, ",") : 0;
    *surface = at ? mt_tag_meaning_surface(at, length) : 0;
    if (names == n_files && at && (*surface > 0 || (length == 1 && *at == '-'))) return MT_OK;
    return mt_fail(MT_INPUT, "--as %s; allowed: one of base, epi, lv, rv or - for each of the %zu surfaces",
        as, n_files);
}

static mt_status read_one(mt_arena *arena, const mt_arguments *arguments, const char *path, mt_mesh *surface)
{
    const mt_mesh_format *format = NULL;
    double unit_mm = 1;
    MT_TRY(mt_mesh_format_find(path, false, &format));
    MT_TRY(mt_mesh_unit(path, format, mt_option_value(arguments, "--unit", NULL), &unit_mm));
    MT_TRY(format->read(arena, path, unit_mm, surface));
    mt_print_notes(path, surface->notes);
    if (surface->n_elements > 0)
        return mt_fail(MT_INPUT, "%s: found %zu elements; allowed: a surface without elements", path,
            surface->n_elements);
    return MT_OK;
}

/* True if all triangles have tags, including base, epicardium and left endocardium. */
static bool is_tagged(const mt_mesh *surface)
{
    mt_surfaces counts;
    mt_surfaces_count(surface, &counts);
    return counts.n_triangles[0] == 0 && counts.n_triangles[MT_SURFACE_BASE] > 0 &&
           counts.n_triangles[MT_SURFACE_EPI] > 0 && counts.n_triangles[MT_SURFACE_LV] > 0;
}

/* Decides whether to use the tags of the surface, joined from n parts. */
static mt_status judge_tags(const char *name, const mt_mesh *parts, size_t n, filling *f)
{
    bool named = true;
    if (f->anatomy == MT_ANATOMY_TOLD || !is_tagged(&f->body.surface)) return MT_OK;
    for (size_t k = 0; k < n; k++) named &= mt_names_confirm(parts + k);
    return mt_anatomy_confirm_surface(name, &f->body.surface, named, &f->anatomy);
}

static mt_status read_surface(mt_arena *arena, const mt_arguments *arguments, filling *f)
{
    const char *as = mt_option_value(arguments, "--as", NULL),
               *tags = mt_option_value(arguments, "--tags", NULL);
    char name[MT_FILE_PATH_MAX];
    mt_mesh *parts, joined;
    size_t n = 0;
    if (as && tags)
        return mt_fail(MT_INPUT, "mesh fill: --as and --tags are both given; allowed: one of them");
    while (mt_operand(arguments, n)[0]) n++;
    MT_ALLOC(arena, parts, n);
    for (size_t k = 0; k < n; k++) {
        int32_t surface = 0;
        if (as) MT_TRY(nth_name(as, k, n, &surface));
        MT_TRY(read_one(arena, arguments, mt_operand(arguments, k), parts + k));
        for (size_t t = 0; as && t < parts[k].n_faces; t++) parts[k].face_tag[t] = surface;
    }
    MT_TRY(mt_closed_join(arena, parts, n, &joined));
    if (tags) MT_TRY(mt_tag_meaning_apply(tags, &joined));
    if (as || tags) f->anatomy = MT_ANATOMY_TOLD;
    (void)snprintf(name, sizeof name, "%s%s", mt_operand(arguments, 0), n > 1 ? " and others" : "");
    MT_TRY(mt_filling_begin(name, &joined, &f->body));
    return judge_tags(name, parts, n, f);
}

/* ---- surfaces of the mesh ---- */

/* Finds the surfaces. If the anatomy is unclear, warns and leaves the mesh without tagged triangles. */
static mt_status find_or_warn(mt_mesh *mesh, mt_surfaces *surfaces, mt_anatomy *anatomy)
{
    const mt_status status = mt_surfaces_find(mesh, surfaces);
    if (status == MT_OK) *anatomy = MT_ANATOMY_FOUND;
    if (status != MT_INPUT) return status;
    mt_warn("no tagged surfaces: %s", mt_message());
    mt_surfaces_count(mesh, surfaces);
    return MT_OK;
}

/* Warns of unused tags of the surface. `mesh`: has these tags; `found`: has the tags found by the shape. */
static mt_status warn_of_tags(const mt_mesh *mesh, const mt_mesh *found)
{
    mt_tag_meaning meaning;
    char text[MT_TAG_MEANING_TEXT];
    mt_status status = mt_tag_meaning_find(mesh, found, &meaning);
    if (status == MT_MEMORY) return status;
    if (status != MT_OK || !mt_tag_meaning_text(&meaning, text))
        (void)strcpy(text, "--tags " MT_TAG_MEANING_EXAMPLE);
    mt_warn("the triangle tags of the surface are not base 1, epi 2, lv 3 and rv 4, and are ignored; to use "
            "them: %s",
        text);
    return MT_OK;
}

/* True if there are several tags. */
static bool has_tags(const mt_mesh *surface)
{
    for (size_t f = 0; f < surface->n_faces; f++)
        if (surface->face_tag[f] != surface->face_tag[0]) return true;
    return false;
}

/* Tags the boundary of the mesh with the tags of its surface if their meaning is known, otherwise by the shape. */
static mt_status tag_surfaces(mt_arena *arena, filling *f, mt_mesh *mesh, mt_surfaces *surfaces)
{
    mt_adjacency adjacency;
    mt_mesh shape;
    mt_progress_stage("finding the surfaces");
    MT_TRY(mt_adjacency_make(arena, mesh, &adjacency));
    MT_TRY(mt_boundary_make(arena, &adjacency, mesh));
    shape = *mesh;
    MT_ALLOC(arena, shape.face_tag, mesh->n_faces);
    if (f->anatomy != MT_ANATOMY_NONE || has_tags(&f->body.surface))
        MT_TRY(mt_filling_carry_tags(&f->body.surface, mesh));
    if (f->anatomy != MT_ANATOMY_NONE) {
        MT_TRY(mt_surfaces_rims(mesh));
        mt_surfaces_count(mesh, surfaces);
        return MT_OK;
    }
    MT_TRY(find_or_warn(&shape, surfaces, &f->anatomy));
    mt_progress_stage(NULL);
    if (has_tags(&f->body.surface)) MT_TRY(warn_of_tags(mesh, &shape));
    mesh->face_tag = shape.face_tag;
    return MT_OK;
}

/* ---- the command ---- */

static mt_table fill_table(mt_arena *arena, const char *title, const filling *f, const mt_mesh *mesh,
    const mt_element_size *size, const mt_surfaces *surfaces)
{
    mt_table table = mt_table_properties(arena, "mesh", title);
    const double volume_mm3 = f->body.closed.volume_mm3;
    mt_table_property(&table, "input_triangles", "input triangles", (double)f->body.n_given, "");
    mt_table_property(&table, "points_merged", "points merged", (double)f->body.closed.n_merged, "");
    mt_table_property(&table, "degenerate_or_duplicate_triangles", "degenerate or duplicate triangles",
        (double)(f->body.closed.n_degenerate + f->body.closed.n_duplicate), "");
    mt_table_property(&table, "fragment_triangles_removed", "triangles of small fragments removed",
        (double)f->body.closed.n_chips, "");
    mt_table_property(
        &table, "triangles_reoriented", "triangles reoriented", (double)f->body.closed.n_turned, "");
    mt_table_property(&table, "enclosed_volume_mm3", "enclosed volume", volume_mm3, "mm^3");
    mt_table_property(&table, "elements", "elements", (double)mesh->n_elements, "");
    mt_table_property(&table, "vertices", "vertices", (double)mesh->n_vertices, "");
    mt_element_size_rows(&table, size);
    mt_table_property(
        &table, "worst_radius_ratio", "worst radius ratio 3 r / R", f->body.chosen->quality, "");
    mt_anatomy_rows(&table, mesh, surfaces, f->anatomy);
    return table;
}

static mt_table attempts_table(mt_arena *arena, const filling *f)
{
    mt_table table = mt_table_begin(arena, "attempts", "Meshing attempts");
    mt_table_strings(&table, "surface", "surface");
    mt_table_decimals(&table, "feature_angle_deg", "feature angle", "deg", 0);
    mt_table_digits(&table, "edge_mm", "mean edge", "mm", 4);
    mt_table_decimals(&table, "elements", "elements", "", 0);
    mt_table_decimals(&table, "worst_radius_ratio", "worst radius ratio", "", 4);
    mt_table_decimals(&table, "time_s", "time", "s", 1);
    mt_table_strings(&table, "outcome", "outcome");
    for (size_t k = 0; k < f->body.n_attempts; k++) {
        const mt_filling_attempt *a = f->body.attempts + k;
        mt_table_text(&table, a->angle_deg > 0 ? "remeshed" : "as given");
        MT_TABLE_NUMBERS(&table, a->angle_deg > 0 ? a->angle_deg : NAN, a->edge_mm,
            a->n_elements ? (double)a->n_elements : NAN, a->n_elements ? a->quality : NAN, a->seconds);
        mt_table_text(&table, a == f->body.chosen ? "chosen" : a->n_elements ? "rejected" : "failed");
    }
    return table;
}

static mt_status wanted_elements(const mt_arguments *arguments, filling *f)
{
    const char *elements = mt_option_value(arguments, "--elements", NULL),
               *edge = mt_option_value(arguments, "--edge-mm", NULL);
    unsigned long n;
    double edge_mm;
    if (elements && edge)
        return mt_fail(MT_INPUT, "mesh fill: --elements and --edge-mm are both given; allowed: one of them");
    if (!edge) {
        MT_TRY(mt_integer("--elements", elements ? elements : "100000", 100, 50000000, &n));
        f->elements = (double)n;
        return MT_OK;
    }
    MT_TRY(mt_numbers("--edge-mm", edge, 1, 0, &edge_mm));
    f->elements = f->body.closed.volume_mm3 / (element_of_edge * edge_mm * edge_mm * edge_mm);
    if (f->elements >= 100 && f->elements <= 5e7) return MT_OK;
    return mt_fail(MT_INPUT, "--edge-mm %s requires about %.3g elements for %.4g mm^3; allowed: 100 to 5e7",
        edge, f->elements, f->body.closed.volume_mm3);
}

static mt_status fill_with(mt_arena *arena, mt_arena *body, filling *f, const mt_arguments *arguments)
{
    const char *out = mt_option_value(arguments, "--output", NULL);
    const mt_mesh_format *to = NULL;
    mt_mesh mesh;
    mt_surfaces surfaces;
    MT_TRY(mt_mesh_format_check(out, mt_option_replace(arguments), &to));
    mt_progress_stage("reading the surface");
    MT_TRY(read_surface(arena, arguments, f));
    MT_TRY(wanted_elements(arguments, f));
    MT_TRY(mt_filling_make(body, &f->body, f->elements, out, &mesh));
    MT_TRY(tag_surfaces(arena, f, &mesh, &surfaces));
    mt_progress_stage(NULL);
    mt_triangles_remove_untagged(&mesh);
    MT_TRY(mt_names_put_surfaces(arena, &mesh));
    MT_TRY(mt_write_mesh(out, to, &mesh));
    mt_element_size size;
    MT_TRY(mt_element_size_find(&mesh, &size));
    const mt_table tables[] = {fill_table(arena, out, f, &mesh, &size, &surfaces), attempts_table(arena, f)};
    return mt_print_tables(arguments, tables, 2);
}

static mt_status fill(mt_arena *arena, const mt_arguments *arguments)
{
    MT_SCRATCH(body);
    filling f = {.anatomy = MT_ANATOMY_NONE};
    return fill_with(arena, body, &f, arguments);
}
