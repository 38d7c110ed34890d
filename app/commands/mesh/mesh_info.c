/* myotile mesh info. */
#include <math.h>

#include "app/results/mesh_rows.h"
#include "app/cli/command.h"
#include "app/run/operator.h"
#include "data/core/progress.h"
#include "solver/case/findings.h"
#include "app/heart/mesh_file.h"
#include "mesh/files/formats.h"
#include "mesh/network/network_files.h"
#include "mesh/names.h"
#include "mesh/anatomy/patch.h"
#include "solver/diffusion/stability_trial.h"

static mt_status info(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    {.name = "--trial-steps",
        .value = "N",
        .help = "also compute N diffusion substeps of the largest stable size, from random values"},
    MT_OPTION_NO_CACHE, MT_OPTION_FORMAT, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_mesh_info = {
    .name = "mesh info",
    .operands = "MESH",
    .n_operands = 1,
    .summary =
        "print counts, extent, volume, element size, quality, tags and largest stable substep of a mesh, "
        "or counts and lengths of a conduction network",
    .example = "myotile mesh info slab.hdf",
    .options = options,
    .run = info,
};

enum { SHOWN = 8 }; /* maximum rows of the tables of regions and surfaces */

/* ---- shape ---- */

static mt_table info_table(mt_arena *arena, const char *title, const mt_mesh *mesh, const mt_info *i)
{
    mt_table table = mt_table_properties(arena, "mesh", title);
    mt_table_property(&table, "elements", "elements", (double)i->n_elements, "");
    mt_table_property(&table, "vertices", "vertices", (double)i->n_vertices, "");
    mt_table_property(&table, "unreferenced_vertices", "unreferenced vertices", (double)i->n_dangling, "");
    mt_table_property(&table, "edges", "edges", (double)i->n_edges, "");
    mt_table_property(&table, "interior_faces", "interior faces", (double)i->n_inner_faces, "");
    mt_table_property(&table, "boundary_faces", "boundary faces", (double)i->n_boundary_faces, "");
    mt_table_property(&table, "tagged_triangles", "tagged triangles", (double)mesh->n_faces, "");
    mt_table_property(&table, "components", "connected components", (double)i->n_components, "");
    mt_table_property(&table, "regions", "regions", (double)i->n_regions, "");
    mt_content_rows(&table, mesh);
    mt_size_rows(&table, i);
    mt_element_size_rows(&table, &(mt_element_size){i->length_mm, i->edge_mean_mm});
    mt_table_property(&table, "shortest_edge_mm", "shortest edge", i->edge_min_mm, "mm");
    mt_table_property(&table, "longest_edge_mm", "longest edge", i->edge_max_mm, "mm");
    mt_table_property(&table, "worst_radius_ratio", "worst radius ratio 3 r / R", i->quality_min, "");
    mt_table_property(&table, "mean_radius_ratio", "mean radius ratio", i->quality_mean, "");
    mt_table_property(
        &table, "smallest_dihedral_angle_deg", "smallest dihedral angle", i->dihedral_min_deg, "deg");
    return table;
}

/* ---- tags ---- */

static mt_status surface_table(mt_arena *arena, const mt_mesh *mesh, mt_table *table)
{
    mt_info_group *groups;
    size_t n;
    MT_TRY(mt_info_surfaces(arena, mesh, &n, &groups));
    *table = mt_table_begin(
        arena, "tagged_surfaces", n > SHOWN ? "Tagged surfaces, the first" : "Tagged surfaces");
    mt_table_decimals(table, "tag", "tag", "", 0);
    mt_table_strings(table, "name", "name");
    mt_table_strings(table, "surface", "surface");
    mt_table_decimals(table, "triangles", "triangles", "", 0);
    mt_table_digits(table, "area_mm2", "area", "mm^2", 8);
    for (size_t k = 0; k < n && k < SHOWN; k++) {
        mt_table_number(table, groups[k].tag);
        mt_table_text(table, mt_names_text(mesh, MT_NAMES_FACES, groups[k].tag));
        mt_table_text(table, mt_surface_name(mt_names_surface_of(mesh, groups[k].tag)));
        MT_TABLE_NUMBERS(table, (double)groups[k].count, groups[k].size);
    }
    return MT_OK;
}

static mt_status region_table(mt_arena *arena, const mt_mesh *mesh, mt_table *table)
{
    mt_info_group *groups;
    size_t n;
    MT_TRY(mt_info_regions(arena, mesh, &n, &groups));
    *table = mt_table_begin(arena, "regions", n > SHOWN ? "Regions, the first" : "Regions");
    mt_table_decimals(table, "tag", "tag", "", 0);
    mt_table_strings(table, "name", "name");
    mt_table_decimals(table, "elements", "elements", "", 0);
    mt_table_digits(table, "volume_mm3", "volume", "mm^3", 8);
    for (size_t k = 0; k < n && k < SHOWN; k++) {
        mt_table_number(table, groups[k].tag);
        mt_table_text(table, mt_names_text(mesh, MT_NAMES_ELEMENTS, groups[k].tag));
        MT_TABLE_NUMBERS(table, (double)groups[k].count, groups[k].size);
    }
    return MT_OK;
}

/* Lists the sets of elements that can overlap. */
static mt_table group_table(mt_arena *arena, const mt_mesh *mesh)
{
    mt_table table = mt_table_begin(arena, "groups", "Groups (an element can belong to several)");
    mt_table_decimals(&table, "tag", "tag", "", 0);
    mt_table_strings(&table, "name", "name");
    mt_table_decimals(&table, "elements", "elements", "", 0);
    for (size_t g = 0; g < mesh->n_groups; g++) {
        size_t n = 0;
        for (size_t c = 0; c < mesh->n_elements; c++) n += mt_groups_has(mesh, mesh->group_tag[g], c);
        mt_table_number(&table, mesh->group_tag[g]);
        mt_table_text(&table, mt_names_text(mesh, MT_NAMES_ELEMENTS, mesh->group_tag[g]));
        mt_table_number(&table, (double)n);
    }
    return table;
}

/* ---- diffusion ---- */

/* Builds the operator. A mesh without fibres gets the longitudinal conductivity in all directions. If the operator cannot be built,
 * warns with the reason and sets `found` to false; the mesh is described anyway. */
static mt_status make_diffusion(mt_arena *arena, const char *path, const mt_mesh *mesh,
    const mt_adjacency *adjacency, bool cached, mt_diffusion *diffusion, bool *found)
{
    mt_tissue tissue = mt_tissue_default;
    if (!mesh->fibre) tissue.sigma_t_mS_mm = tissue.sigma_l_mS_mm;
    const mt_tissues tissues = mt_tissues_uniform(&tissue);
    mt_progress_stage("computing the diffusion operator");
    const mt_status status = mt_operator_make(
        arena, mesh, adjacency, &tissues, &mt_diffusion_scheme_default, NULL, cached, diffusion);
    mt_progress_stage(NULL);
    *found = status == MT_OK;
    if (*found) mt_findings_of_operator(path, adjacency, diffusion);
    if (status != MT_INPUT && status != MT_NUMERICS) return status;
    mt_warn("%s: no diffusion operator: %s", path, mt_message());
    return MT_OK;
}

static void tell_diffusion(mt_table *table, const mt_mesh *mesh, const mt_diffusion *diffusion, bool found)
{
    mt_table_property(table, "largest_stable_substep_ms",
        mesh->fibre ? "largest stable diffusion substep"
                    : "largest stable diffusion substep, isotropic conductivity",
        found ? diffusion->limit_dt_ms : NAN, "ms");
    mt_operator_rows(table, found ? diffusion : NULL);
}

/* Runs trial substeps, of 1 ms if no coupling limits them. */
static mt_status try_steps(
    mt_arena *arena, mt_table *table, const char *path, mt_diffusion *diffusion, bool found, size_t steps)
{
    mt_stability_trial trial;
    if (!found) return mt_fail(MT_INPUT, "%s: --trial-steps: the mesh has no diffusion operator", path);
    mt_progress_stage("computing trial substeps");
    mt_status status = mt_diffusion_keep_rows(arena, diffusion);
    if (status == MT_OK)
        status = mt_stability_trial_run(
            diffusion, isfinite(diffusion->limit_dt_ms) ? diffusion->limit_dt_ms : 1, steps, &trial);
    mt_progress_stage(NULL);
    MT_TRY(status);
    mt_table_property(table, "trial_substeps", "trial substeps", (double)trial.n_steps, "");
    mt_table_property(table, "noise_ratio", "|V - mean|, final / initial",
        trial.before > 0 ? trial.after / trial.before : NAN, "");
    mt_table_property(
        table, "largest_noise_growth", "largest growth of |V - mean| per substep", trial.most_growth - 1, "");
    return MT_OK;
}

/* ---- conduction networks ---- */

static mt_table network_table(
    mt_arena *arena, const char *title, const mt_network *network, const mt_network_info *i)
{
    static const char *const extents[][2] = {
        {"extent_x_mm", "extent x"}, {"extent_y_mm", "extent y"}, {"extent_z_mm", "extent z"}};
    static const char *const ranges[][4] = {{"x_min_mm", "lowest x", "x_max_mm", "highest x"},
        {"y_min_mm", "lowest y", "y_max_mm", "highest y"}, {"z_min_mm", "lowest z", "z_max_mm", "highest z"}};
    const double n = (double)network->n_segments;
    mt_table table = mt_table_properties(arena, "network", title);
    mt_table_property(&table, "nodes", "nodes", (double)network->n_nodes, "");
    mt_table_property(&table, "segments", "segments", n, "");
    mt_table_property(&table, "branches", "branches", (double)i->n_branches, "");
    mt_table_property(&table, "branch_points", "branch points", (double)i->n_branch_points, "");
    mt_table_property(&table, "terminals", "terminals", (double)i->n_terminals, "");
    mt_table_property(&table, "components", "connected components", (double)i->n_components, "");
    mt_table_property(&table, "loops", "loops", (double)i->n_loops, "");
    mt_table_property(&table, "length_mm", "total length", i->length_mm, "mm");
    mt_table_property(&table, "shortest_segment_mm", "shortest segment", i->shortest_mm, "mm");
    mt_table_property(&table, "mean_segment_mm", "mean segment", i->length_mm / n, "mm");
    mt_table_property(&table, "longest_segment_mm", "longest segment", i->longest_mm, "mm");
    mt_table_property(
        &table, "smallest_radius_mm", "smallest radius", network->radius_mm ? i->radius_low_mm : NAN, "mm");
    mt_table_property(
        &table, "largest_radius_mm", "largest radius", network->radius_mm ? i->radius_high_mm : NAN, "mm");
    for (int k = 0; k < 3; k++)
        mt_table_property(&table, extents[k][0], extents[k][1], i->high_mm[k] - i->low_mm[k], "mm");
    for (int k = 0; k < 3; k++) {
        mt_table_property(&table, ranges[k][0], ranges[k][1], i->low_mm[k], "mm");
        mt_table_property(&table, ranges[k][2], ranges[k][3], i->high_mm[k], "mm");
    }
    return table;
}

static mt_status kind_table(mt_arena *arena, const mt_network *network, mt_table *table)
{
    mt_network_kind *kinds;
    size_t n;
    MT_TRY(mt_network_kinds(arena, network, &n, &kinds));
    *table = mt_table_begin(arena, "kinds", n > SHOWN ? "Kinds, the first" : "Kinds");
    mt_table_decimals(table, "kind", "kind", "", 0);
    mt_table_decimals(table, "segments", "segments", "", 0);
    mt_table_digits(table, "length_mm", "length", "mm", 8);
    for (size_t k = 0; k < n && k < SHOWN; k++)
        MT_TABLE_NUMBERS(table, kinds[k].kind, (double)kinds[k].n_segments, kinds[k].length_mm);
    return MT_OK;
}

static mt_status info_of_network(mt_arena *arena, const mt_arguments *arguments, const char *path)
{
    mt_network network;
    mt_network_info numbers;
    mt_table tables[2];
    size_t n = 1;
    MT_TRY(mt_network_read(arena, path, NULL, &network));
    mt_print_notes(path, network.notes);
    MT_TRY(mt_network_describe(&network, &numbers));
    mt_warn_of_scale(path, numbers.low_mm, numbers.high_mm);
    tables[0] = network_table(arena, path, &network, &numbers);
    if (network.kind) MT_TRY(kind_table(arena, &network, &tables[n++]));
    return mt_print_tables(arguments, tables, n);
}

/* ---- the command ---- */

/* Prints the tables of a mesh after n_steps trial substeps. */
static mt_status info_of_mesh(
    mt_arena *arena, const mt_arguments *arguments, const char *path, size_t n_steps, mt_mesh *mesh)
{
    mt_adjacency adjacency;
    mt_info numbers;
    mt_diffusion diffusion;
    bool found;
    mt_table tables[5];
    size_t n = 1;
    MT_TRY(mt_fail_in(path, mt_adjacency_make(arena, mesh, &adjacency)));
    MT_TRY(mt_info_make(mesh, &adjacency, &numbers));
    mt_warn_of_scale(path, numbers.min_mm, numbers.max_mm);
    MT_TRY(make_diffusion(
        arena, path, mesh, &adjacency, !mt_option_given(arguments, "--no-cache"), &diffusion, &found));
    tables[0] = info_table(arena, path, mesh, &numbers);
    tell_diffusion(&tables[0], mesh, &diffusion, found);
    if (n_steps > 0) MT_TRY(try_steps(arena, &tables[0], path, &diffusion, found, n_steps));
    MT_TRY(region_table(arena, mesh, &tables[n++]));
    if (mesh->n_groups > 0) tables[n++] = group_table(arena, mesh);
    if (mesh->n_faces > 0) MT_TRY(surface_table(arena, mesh, &tables[n++]));
    if (found && mt_operator_is_limited(&diffusion))
        tables[n++] = mt_operator_table(arena, mesh, &adjacency, &diffusion);
    return mt_print_tables(arguments, tables, n);
}

/* Reads the mesh. If it cannot be read because the file holds a network, sets *is_network and returns MT_OK. */
static mt_status read_mesh(mt_arena *arena, const char *path, mt_mesh *mesh, bool *is_network)
{
    char *message;
    const mt_status status = mt_read_mesh(arena, path, mesh);
    *is_network = false;
    if (status != MT_INPUT) return status;
    message = mt_arena_text(arena, mt_message());
    if (!message) return MT_MEMORY;
    *is_network = mt_network_is_file(path);
    return *is_network ? MT_OK : mt_fail(status, "%s", message);
}

static mt_status info(mt_arena *arena, const mt_arguments *arguments)
{
    const char *path = mt_operand(arguments, 0);
    const char *steps = mt_option_value(arguments, "--trial-steps", NULL);
    unsigned long n_steps = 0;
    mt_mesh mesh;
    bool is_network;
    if (steps) MT_TRY(mt_integer("--trial-steps", steps, 1, 100000000, &n_steps));
    MT_TRY(read_mesh(arena, path, &mesh, &is_network));
    if (!is_network) return info_of_mesh(arena, arguments, path, n_steps, &mesh);
    if (n_steps > 0)
        return mt_fail(MT_INPUT, "%s: --trial-steps: a conduction network has no diffusion operator", path);
    return info_of_network(arena, arguments, path);
}
