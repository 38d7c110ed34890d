/* myotile mesh purkinje. */
#include <math.h>

#include "app/results/mesh_rows.h"
#include "app/heart/anatomy.h"
#include "app/cli/command.h"
#include "app/cli/table.h"
#include "app/heart/mesh_file.h"
#include "data/core/progress.h"
#include "mesh/anatomy/tag_meaning.h"
#include "mesh/network/network_files.h"
#include "mesh/network/purkinje.h"

static mt_status purkinje(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    MT_OPTION_OUTPUT("NETWORK",
        "the file to write, .vtp or .csv: segments with `kind` 1 His bundle, 2 left bundle branch, "
        "3 right bundle branch, 4 left and 5 right Purkinje fibres"),
    {.name = "--seed", .value = "N", .help = "seed of the random lengths of branches; default: 1"},
    {.name = "--branch-mm", .value = "L", .help = "mean length of branches; default: 5"},
    {.name = "--angle-deg",
        .value = "A",
        .help = "angle of a branch from its parent, at least 6; default: 20"},
    {.name = "--repulsion",
        .value = "W",
        .help = "how strongly branches turn away from others; default: 0.1"},
    {.name = "--segment-mm", .value = "H", .help = "length of segments; default: 1"},
    {.name = "--generations", .value = "N", .help = "largest number of bifurcations in a row; default: 20"},
    {.name = "--coverage",
        .value = "SHARE",
        .help = "stop when this share of the endocardium is within 5 mm of Purkinje fibres; default: 1"},
    {.name = "--depth-mm", .value = "D", .help = "depth of terminals in the wall; default: 0.5"},
    {.name = "--false-tendons",
        .value = "N",
        .help = "bundles through the left cavity, from the septum to the papillary muscles, at most 10; "
                "default: 0"},
    {.name = "--left-root",
        .value = "X,Y,Z",
        .help = "start of the left bundle branch, within 10 mm of its endocardium; default: in the middle of "
                "the septum, at 85 % from apex to base"},
    {.name = "--right-root", .value = "X,Y,Z", .help = "same for the right one"},
    {.name = "--septum", .value = "X,Y,Z", .help = MT_SEPTUM_HELP},
    {.name = "--surfaces", .value = MT_SURFACES_VALUE, .help = MT_SURFACES_HELP},
    {.name = "--tags", .value = MT_TAG_MEANING_EXAMPLE, .help = MT_TAGS_HELP}, MT_OPTION_FORMAT,
    MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_mesh_purkinje = {
    .name = "mesh purkinje",
    .operands = "HEART",
    .n_operands = 1,
    .summary = "generate the conduction system of a heart: bundle branches and Purkinje fibres (Costabal et "
               "al. 2016)",
    .example = "myotile mesh purkinje heart.hdf -o purkinje.vtp",
    .options = options,
    .run = purkinje,
};

/* Numbers from the command line, which the rule borrows or copies. */
typedef struct given {
    mt_purkinje_rule rule;
    double root_mm[2][3], to_septum[3];
    bool septum;
} given;

static mt_status read_options(const mt_arguments *arguments, given *g)
{
    mt_purkinje_rule *r = &g->rule;
    unsigned long seed, generations, tendons;
    *g = (given){.rule = mt_purkinje_default, .septum = mt_option_given(arguments, "--septum")};
    MT_TRY(mt_integer("--seed", mt_option_value(arguments, "--seed", "1"), 0, 1000000000, &seed));
    MT_TRY(mt_integer(
        "--generations", mt_option_value(arguments, "--generations", "20"), 0, 1000, &generations));
    MT_TRY(mt_integer("--false-tendons", mt_option_value(arguments, "--false-tendons", "0"), 0,
        MT_PURKINJE_TENDONS, &tendons));
    r->seed = seed;
    r->false_tendons = tendons;
    r->generations = generations;
    const struct {
        const char *name;
        size_t count;
        double *numbers;
    } numbers[] = {{"--branch-mm", 1, &r->branch_mm}, {"--angle-deg", 1, &r->angle_deg},
        {"--repulsion", 1, &r->repulsion}, {"--segment-mm", 1, &r->segment_mm},
        {"--coverage", 1, &r->coverage}, {"--depth-mm", 1, &r->depth_mm}, {"--left-root", 3, g->root_mm[0]},
        {"--right-root", 3, g->root_mm[1]}, {"--septum", 3, g->to_septum}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        const char *text = mt_option_value(arguments, numbers[k].name, NULL);
        if (text) MT_TRY(mt_numbers(numbers[k].name, text, numbers[k].count, -INFINITY, numbers[k].numbers));
    }
    if (mt_option_given(arguments, "--left-root")) r->left_root_mm = g->root_mm[0];
    if (mt_option_given(arguments, "--right-root")) r->right_root_mm = g->root_mm[1];
    return mt_purkinje_check(r);
}

static mt_table summary_table(mt_arena *arena, const char *title, const mt_purkinje_rule *rule,
    const mt_network *network, const mt_purkinje_info *info, const double seconds[2])
{
    static const char *const keys[MT_PURKINJE_KINDS] = {"", "his_bundle_mm", "left_bundle_branch_mm",
        "right_bundle_branch_mm", "left_purkinje_mm", "right_purkinje_mm"};
    double total_mm = 0;
    for (int k = 0; k < MT_PURKINJE_KINDS; k++) total_mm += info->length_mm[k];
    mt_table table = mt_table_properties(arena, "purkinje", title);
    mt_table_property(&table, "nodes", "nodes", (double)network->n_nodes, "");
    mt_table_property(&table, "segments", "segments", (double)network->n_segments, "");
    mt_table_property(&table, "length_mm", "total length", total_mm, "mm");
    for (int k = 1; k < MT_PURKINJE_KINDS; k++)
        if (info->length_mm[k] > 0)
            mt_table_property(&table, keys[k], mt_purkinje_kind_names[k], info->length_mm[k], "mm");
    if (rule->false_tendons > 0)
        mt_table_property(&table, "false_tendons", "false tendons", (double)info->n_false_tendons, "");
    mt_table_property(&table, "coordinates_s", "time, ventricular coordinates", seconds[0], "s");
    mt_table_property(&table, "network_s", "time, network", seconds[1], "s");
    return table;
}

static mt_table ventricle_table(mt_arena *arena, size_t n, const mt_purkinje_info *i)
{
    static const char *const names[2] = {"left", "right"};
    mt_table table = mt_table_begin(arena, "ventricles", "Ventricles");
    mt_table_strings(&table, "ventricle", "ventricle");
    mt_table_decimals(&table, "terminals", "terminals", "", 0);
    mt_table_decimals(&table, "branches", "branches", "", 0);
    mt_table_decimals(&table, "discarded_branches", "discarded", "", 0);
    mt_table_decimals(&table, "generations", "generations", "", 0);
    mt_table_decimals(&table, "coverage_percent", "coverage", "%", 1);
    mt_table_decimals(&table, "shallow_terminals", "shallow", "", 0);
    for (size_t k = 0; k < 3; k++) {
        static const char *const keys[3][2] = {
            {"root_x_mm", "root x"}, {"root_y_mm", "root y"}, {"root_z_mm", "root z"}};
        mt_table_decimals(&table, keys[k][0], keys[k][1], "mm", 1);
    }
    for (size_t s = 0; s < n; s++) {
        mt_table_text(&table, names[s]);
        MT_TABLE_NUMBERS(&table, (double)i->n_terminals[s], (double)i->n_branches[s],
            (double)i->n_discarded[s], (double)i->n_generations[s], 100 * i->coverage[s],
            (double)i->n_shallow[s], i->root_mm[s][0], i->root_mm[s][1], i->root_mm[s][2]);
    }
    return table;
}

/* Warns of ventricles that have hardly any Purkinje fibres, unless few were requested. */
static void warn_of_bare_ventricles(
    const char *path, size_t n, const mt_purkinje_rule *rule, const mt_purkinje_info *info)
{
    static const double few = 0.2;
    for (size_t s = 0; s < n; s++)
        if (info->coverage[s] < fmin(few, rule->coverage))
            mt_warn("%s: Purkinje fibres cover %.1f %% of the %s endocardium; usual: 80 to 100 %%; the "
                    "size, the unit, the surfaces or the parameters may be wrong",
                path, 100 * info->coverage[s], s == 0 ? "left" : "right");
}

/* Warns if there are fewer false tendons than requested. */
static void warn_of_tendons(const char *path, const mt_purkinje_rule *rule, const mt_purkinje_info *info)
{
    if (info->n_false_tendons < rule->false_tendons)
        mt_warn("%s: found straight lines through the left cavity for %zu of %zu false tendons; the others "
                "are left out",
            path, info->n_false_tendons, rule->false_tendons);
}

static mt_status purkinje(mt_arena *arena, const mt_arguments *arguments)
{
    const char *in = mt_operand(arguments, 0), *out = mt_option_value(arguments, "--output", NULL);
    given g;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_surfaces surfaces;
    mt_anatomy anatomy;
    mt_coordinates c;
    mt_network network;
    mt_purkinje_info info;
    MT_TRY(mt_network_check_output(out, mt_option_replace(arguments)));
    MT_TRY(read_options(arguments, &g));
    MT_TRY(mt_read_mesh(arena, in, &mesh));
    MT_TRY(mt_fail_in(in, mt_adjacency_make(arena, &mesh, &adjacency)));
    MT_TRY(mt_anatomy_choose(arena, mt_option_value(arguments, "--tags", NULL),
        mt_option_value(arguments, "--surfaces", NULL), in, &adjacency, &mesh, &surfaces, &anatomy));
    double time_s[3] = {mt_now_s()};
    MT_TRY(mt_anatomy_coordinates(arena, in, &adjacency, &mesh, g.septum ? g.to_septum : NULL, &c));
    time_s[1] = mt_now_s();
    mt_progress_stage("generating the network");
    const mt_status status = mt_purkinje_make(arena, &mesh, &adjacency, &c, &g.rule, &network, &info);
    time_s[2] = mt_now_s();
    mt_progress_stage(NULL);
    MT_TRY(mt_fail_in(in, status));
    warn_of_bare_ventricles(in, c.has_rv ? 2 : 1, &g.rule, &info);
    warn_of_tendons(in, &g.rule, &info);
    const double seconds[2] = {time_s[1] - time_s[0], time_s[2] - time_s[1]};
    mt_table tables[] = {summary_table(arena, out, &g.rule, &network, &info, seconds),
        ventricle_table(arena, c.has_rv ? 2 : 1, &info)};
    mt_anatomy_rows(&tables[0], &mesh, &surfaces, anatomy);
    MT_TRY(mt_network_write(out, &network));
    return mt_print_tables(arguments, tables, 2);
}
