/* myotile mesh fibres. */
#include <math.h>
#include <string.h>

#include "app/results/mesh_rows.h"
#include "app/heart/anatomy.h"
#include "app/cli/command.h"
#include "data/core/progress.h"
#include "app/cli/table.h"
#include "app/heart/mesh_file.h"
#include "data/files/file.h"
#include "data/files/input.h"
#include "mesh/anatomy/fibres.h"
#include "mesh/anatomy/tag_meaning.h"
#include "mesh/files/formats.h"

static mt_status fibres(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    MT_OPTION_OUTPUT("OUT", "the file to write: the mesh with fibres, sheets, `depth` and `layer`; its "
                            "ending selects the format"),
    {.name = "--axis",
        .value = "X,Y,Z",
        .help = "uniform fibre direction, for a mesh that is not a heart; requires no surfaces"},
    {.name = "--sheet", .value = "X,Y,Z", .help = "with --axis: uniform sheet direction; default: no sheets"},
    {.name = "--endo-deg", .value = "A", .help = "fibre angle at the endocardium; default: 60"},
    {.name = "--epi-deg", .value = "A", .help = "fibre angle at the epicardium; default: -60"},
    {.name = "--sheet-endo-deg",
        .value = "A",
        .help = "sheet angle to the wall normal at the endocardium; default: 0"},
    {.name = "--sheet-epi-deg", .value = "A", .help = "sheet angle at the epicardium; default: 0"},
    {.name = "--layers",
        .value = "ENDO,MID,EPI",
        .help = "thickness of the transmural layers as fractions of the wall; default: thirds"},
    {.name = "--surfaces", .value = MT_SURFACES_VALUE, .help = MT_SURFACES_HELP},
    {.name = "--tags", .value = MT_TAG_MEANING_EXAMPLE, .help = MT_TAGS_HELP},
    {.name = "--replace-fibres", .help = "allow -o to overwrite MESH and its fibres"},
    {.name = "--variant",
        .value = "smooth|bayer",
        .help = "smooth: the rule without discontinuities inside the walls; bayer: as published; default: "
                "smooth"},
    MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_mesh_fibres = {
    .name = "mesh fibres",
    .operands = "MESH",
    .n_operands = 1,
    .summary =
        "compute rule-based fibres of a heart from its surfaces (Bayer et al. 2012), or set uniform fibres",
    .example = "myotile mesh fibres heart.hdf -o fibred.hdf --endo-deg 60 --epi-deg -60",
    .options = options,
    .run = fibres,
};

/* Warns of an angle other than 0 within +-pi degrees, which is implausibly small: a helix ranges from about 60 degrees at the
 * endocardium to -60 at the epicardium (D. D. Streeter et al., Circ. Res. 24, 1969), 1.05 rad. */
static void warn_of_radians(const char *path, const char *option, size_t n, const double *deg)
{
    if (n != 1 || deg[0] == 0 || fabs(deg[0]) > M_PI) return;
    mt_warn("%s: %s: found %g degrees, possibly meant in radians (%.1f degrees); usual fibre angles: 40 to "
            "80 degrees of either sign",
        path, option, deg[0], deg[0] * 180 / M_PI);
}

static mt_status read_rule(const mt_arguments *arguments, const char *path, mt_fibres_rule *rule)
{
    static const char *const variants[] = {[MT_FIBRES_SMOOTH] = "smooth", [MT_FIBRES_BAYER] = "bayer"};
    size_t variant;
    *rule = mt_fibres_rule_default;
    const struct {
        const char *name;
        size_t count;
        double *numbers;
    } given[] = {{"--endo-deg", 1, &rule->endo_deg}, {"--epi-deg", 1, &rule->epi_deg},
        {"--sheet-endo-deg", 1, &rule->sheet_endo_deg}, {"--sheet-epi-deg", 1, &rule->sheet_epi_deg},
        {"--layers", 3, rule->layer_share}};
    for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
        const char *text = mt_option_value(arguments, given[k].name, NULL);
        if (!text) continue;
        MT_TRY(mt_numbers(given[k].name, text, given[k].count, -INFINITY, given[k].numbers));
        warn_of_radians(path, given[k].name, given[k].count, given[k].numbers);
    }
    MT_TRY(mt_option_word(arguments, "--variant", variants[rule->variant], variants, 2, &variant));
    rule->variant = (mt_fibres_variant)variant;
    return MT_OK;
}

/* `old`: previous fibres of the mesh, or NULL. */
static mt_status add_comparison(mt_table *table, size_t n_elements, const double *fibre, const double *old)
{
    mt_fibres_angles angles;
    if (!old) return MT_OK;
    MT_TRY(mt_fibres_compare(n_elements, old, fibre, &angles));
    mt_table_property(table, "mean_angle_to_previous_fibres_deg", "angle to the previous fibres, mean",
        angles.mean_deg, "degrees");
    mt_table_property(table, "median_angle_to_previous_fibres_deg", "angle to the previous fibres, median",
        angles.median_deg, "degrees");
    mt_table_property(table, "p90_angle_to_previous_fibres_deg",
        "angle to the previous fibres, 90th percentile", angles.high_deg, "degrees");
    return MT_OK;
}

static mt_table fibres_table(mt_arena *arena, const char *title, const mt_fibres *f, double seconds)
{
    mt_table table = mt_table_properties(arena, "fibres", title);
    mt_table_property(&table, "elements", "elements", (double)f->n_elements, "");
    mt_table_property(&table, "ventricles", "ventricles", f->has_rv ? 2 : 1, "");
    mt_table_property(&table, "apex_vertices", "apical vertices", (double)f->n_apex, "");
    mt_table_property(
        &table, "iterations_left_endocardium", "iterations, left endocardium", (double)f->lv.iterations, "");
    mt_table_property(&table, "iterations_right_endocardium", "iterations, right endocardium",
        (double)f->rv.iterations, "");
    mt_table_property(
        &table, "iterations_apex_to_base", "iterations, apex to base", (double)f->apex_base.iterations, "");
    mt_table_property(&table, "largest_residual", "largest residual",
        fmax(fmax(f->lv.residual, f->rv.residual), f->apex_base.residual), "");
    mt_table_property(&table, "elements_with_base_normal", "elements with the normal of the base",
        (double)f->n_psi_constant, "");
    mt_table_property(&table, "elements_with_neighbour_fibre", "elements with the fibre of a neighbour",
        (double)f->n_copied, "");
    mt_table_property(&table, "faces_with_fibre_jump_percent",
        "faces with a fibre discontinuity above 30 degrees",
        f->n_inner_faces ? 100 * (double)f->n_jumps / (double)f->n_inner_faces : 0, "%");
    mt_table_property(
        &table, "inner_layer_percent", "volume of the endocardial layer", 100 * f->layer_volume[0], "%");
    mt_table_property(
        &table, "middle_layer_percent", "volume of the midmyocardial layer", 100 * f->layer_volume[1], "%");
    mt_table_property(
        &table, "outer_layer_percent", "volume of the epicardial layer", 100 * f->layer_volume[2], "%");
    mt_table_property(&table, "time_s", "time", seconds, "s");
    return table;
}

/* Refuses to replace fibres in their own file unless requested, since they may have been measured. */
static mt_status check_replacing(
    const mt_arguments *arguments, const char *in, const char *out, const mt_mesh *mesh)
{
    const char *what = mesh->fibre ? "fibres" : mesh->depth ? "depths" : mesh->layer ? "layers" : NULL;
    if (!what || mt_option_given(arguments, "--replace-fibres") || !mt_file_same(in, out)) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: the mesh has %s, which -o %s would overwrite; allowed: another file, or --replace-fibres. "
        "`myotile mesh surfaces` tags the surfaces and preserves the fibres",
        in, what, out);
}

/* ---- uniform fibres ---- */

/* Refuses options of the rule, which do not apply to uniform fibres. */
static mt_status refuse_rule(const mt_arguments *arguments)
{
    static const char *const of_rule[] = {"--endo-deg", "--epi-deg", "--sheet-endo-deg", "--sheet-epi-deg",
        "--layers", "--surfaces", "--tags", "--variant"};
    for (size_t k = 0; k < sizeof of_rule / sizeof *of_rule; k++)
        if (mt_option_given(arguments, of_rule[k]))
            return mt_fail(MT_INPUT,
                "mesh fibres: --axis and %s are both given; allowed: --axis, with or without --sheet, or "
                "options of the rule",
                of_rule[k]);
    return MT_OK;
}

static mt_status read_direction(const mt_arguments *arguments, const char *option, double direction[3])
{
    const char *text = mt_option_value(arguments, option, NULL);
    MT_TRY(mt_numbers(option, text, 3, -INFINITY, direction));
    const double length = hypot(hypot(direction[0], direction[1]), direction[2]);
    if (length > 0 && length <= 1e6) return MT_OK;
    return mt_fail(MT_INPUT, "%s %s; allowed: three numbers, not all 0, of length at most 1e6", option, text);
}

/* Stores the fibre and the optional sheet in every element. Depth and layers are unchanged. */
static mt_status put_uniform(mt_arena *arena, const mt_arguments *arguments, mt_mesh *mesh)
{
    double fibre[3], sheet[3];
    const bool has_sheet = mt_option_given(arguments, "--sheet");
    MT_TRY(refuse_rule(arguments));
    MT_TRY(read_direction(arguments, "--axis", fibre));
    if (has_sheet) MT_TRY(read_direction(arguments, "--sheet", sheet));
    mesh->sheet = NULL;
    MT_TRY(mt_mesh_new_fibres(arena, mesh));
    if (has_sheet) MT_ALLOC(arena, mesh->sheet, 3 * mesh->n_elements);
    for (size_t c = 0; c < mesh->n_elements; c++)
        if (!mt_mesh_put_directions(mesh, c, fibre, has_sheet ? sheet : NULL))
            return mt_fail(MT_INPUT,
                "--sheet %s is parallel to --axis %s; allowed: a direction that is not parallel",
                mt_option_value(arguments, "--sheet", ""), mt_option_value(arguments, "--axis", ""));
    return MT_OK;
}

/* Writes the mesh with uniform fibres in place of its own. */
static mt_status write_uniform(
    mt_arena *arena, const mt_arguments *arguments, const mt_mesh_format *to, mt_mesh *mesh)
{
    const char *out = mt_option_value(arguments, "--output", NULL);
    const double *old = mesh->fibre;
    MT_TRY(put_uniform(arena, arguments, mesh));
    mt_table table = mt_table_properties(arena, "fibres", out);
    mt_table_property(&table, "elements", "elements", (double)mesh->n_elements, "");
    mt_content_rows(&table, mesh);
    MT_TRY(add_comparison(&table, mesh->n_elements, mesh->fibre, old));
    MT_TRY(mt_write_mesh(out, to, mesh));
    return mt_print_table(arguments, &table);
}

/* ---- the command ---- */

static mt_status fibres(mt_arena *arena, const mt_arguments *arguments)
{
    const char *in = mt_operand(arguments, 0), *out = mt_option_value(arguments, "--output", NULL);
    mt_fibres_rule rule;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_surfaces surfaces;
    mt_anatomy anatomy;
    mt_fibres f;
    const mt_mesh_format *to = NULL;
    const bool uniform = mt_option_given(arguments, "--axis");
    if (mt_option_given(arguments, "--sheet") && !uniform)
        return mt_fail(MT_INPUT, "mesh fibres: --sheet without --axis; allowed: with --axis");
    MT_TRY(mt_mesh_format_check(out, mt_option_replace(arguments), &to));
    MT_TRY(read_rule(arguments, in, &rule));
    /* the output can be the same file, since this only adds to the mesh */
    MT_TRY(mt_input_change_in_place(in));
    MT_TRY(mt_read_mesh(arena, in, &mesh));
    MT_TRY(check_replacing(arguments, in, out, &mesh));
    if (uniform) return write_uniform(arena, arguments, to, &mesh);
    MT_TRY(mt_fail_in(in, mt_adjacency_make(arena, &mesh, &adjacency)));
    MT_TRY(mt_anatomy_choose(arena, mt_option_value(arguments, "--tags", NULL),
        mt_option_value(arguments, "--surfaces", NULL), in, &adjacency, &mesh, &surfaces, &anatomy));
    const double start_s = mt_now_s();
    mt_progress_stage("solving for the transmural and apicobasal coordinates");
    mt_status status = mt_fibres_make(arena, &mesh, &adjacency, &rule, &f);
    mt_progress_stage(NULL);
    MT_TRY(mt_fail_in(in, status));
    const double seconds = mt_now_s() - start_s;
    mt_table table = fibres_table(arena, out, &f, seconds);
    mt_anatomy_rows(&table, &mesh, &surfaces, anatomy);
    MT_TRY(mt_anatomy_apex_rows(&table, &mesh));
    MT_TRY(add_comparison(&table, mesh.n_elements, f.fibre, mesh.fibre));
    mesh.fibre = f.fibre, mesh.sheet = f.sheet, mesh.depth = f.depth, mesh.layer = f.layer;
    MT_TRY(mt_write_mesh(out, to, &mesh));
    return mt_print_table(arguments, &table);
}
