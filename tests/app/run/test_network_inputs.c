/* Messages about the section `network` of a case, and warnings about its network. */
#include <criterion/criterion.h>

#include "tests/app/network_case.h"

#include <omp.h>

static const char body[] = NETWORK_SLAB "time: {dt_ms: 0.05, end_ms: 3}\n"
                                        "network:\n"
                                        "  file: net.csv\n" NETWORK_CABLES "  stimuli: [{node: 0}]\n"
                                        "output: {maps: [activation]}\n"
                                        "machine: {backend: cpu}\n";

static void enter(void)
{
    enter_room();
    share_cache();
    omp_set_num_threads(1);
    write_text("case.yaml", body);
    write_text("net.csv", small_network);
}

TestSuite(network_inputs, .init = enter, .fini = leave_room);

typedef struct wrong {
    const char *sets, *message;
} wrong;

static void expect_refused(size_t n, const wrong *list)
{
    for (size_t k = 0; k < n; k++) refuses(2, list[k].message, "run case.yaml -o x %s", list[k].sets);
}

#define EXPECT_REFUSED(list) expect_refused(sizeof(list) / sizeof *(list), list)

/* ---- keys that are checked without a mesh ---- */

Test(network_inputs, a_case_without_any_stimulus_is_refused)
{
    refuses(2, "case.yaml: stimuli: none; needed: at least one, also in network.stimuli, or sites.file",
        "run case.yaml -o x --set network.stimuli=[]");
}

Test(network_inputs, keys_of_the_network_need_a_file)
{
    static const wrong list[] = {
        {"--set network.file=", "case.yaml: network: stimuli without a file; needed: network.file"},
        {"--set network.file= --set network.stimuli=[] --set network.block=[{\"kind\":1}] --set "
         "stimuli=[{\"min_mm\":[0,0,0],\"max_mm\":[1,1,1],\"duration_ms\":1,\"strength_uA_mm3\":50}]",
            "case.yaml: network: block without a file; needed: network.file"}};
    EXPECT_REFUSED(list);
}

Test(network_inputs, a_blocked_part_is_a_kind_or_a_complete_sphere)
{
    static const wrong list[] = {
        {"--set network.block=[{\"kind\":\"bundle\"}]",
            "case.yaml: network.block.0: kind: bundle; allowed: a 32-bit integer, or his, left_bundle, "
            "right_bundle, left_purkinje, right_purkinje"},
        {"--set network.block=[{\"kind\":3000000000}]",
            "network.block.0: kind: 3000000000; allowed: a 32-bit"},
        {"--set network.block=[{\"kind\":7},{\"centre_mm\":[1,1,1]}]",
            "case.yaml: network.block.1: radius_mm is missing; needed: both centre_mm and radius_mm"},
        {"--set network.block=[{\"kind\":7,\"radius_mm\":1}]",
            "case.yaml: network.block.0: centre_mm is missing; needed: both centre_mm and radius_mm"},
        {"--set network.block=[{}]",
            "case.yaml: network.block.0: names no part; needed: kind, or centre_mm and radius_mm"}};
    EXPECT_REFUSED(list);
}

Test(network_inputs, the_cells_of_the_network_are_checked)
{
    static const wrong list[] = {
        {"--set network.cell.type=epi", "case.yaml: network.cell: type: cell type 'epi'; allowed: default"},
        {"--set network.cell.model=tp06 --set network.cell.type=atrial",
            "case.yaml: network.cell: type: cell type 'atrial'; allowed: "},
        {"--set network.cell.scale=[g_Xx=1]",
            "g_Xx=1: not a parameter of the ionic model stewart; allowed: g_Na, "},
        {"--set network.cell.set=[g_Na=-1]", "case.yaml: network.cell: --set network.cell.set=[g_Na=-1]: "},
        {"--set network.cell.model=purkinje",
            "network.cell.model=purkinje: ionic model 'purkinje'; allowed: tp06, "},
        {"--set network.cell.model=gone.mmt", "gone.mmt"}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        refuses(strstr(list[k].sets, "gone") ? 3 : 2, list[k].message, "run case.yaml -o x %s", list[k].sets);
}

Test(network_inputs, times_of_stimuli_are_checked)
{
    static const wrong list[] = {{"--set network.stimuli.0.start_ms=3",
                                     "case.yaml: network.stimuli.0.start_ms: 3; allowed: below end_ms = 3"},
        {"--set network.stimuli.0.duration_ms=0.005", "case.yaml: network.stimuli.0.duration_ms: 0.005 is "
                                                      "less than one step; allowed: at least dt_ms = "
                                                      "0.05"},
        {"--set network.stimuli.0.count=2", "case.yaml: network.stimuli.0: period_ms is not given and count "
                                            "is 2; allowed: period_ms with count "
                                            "above 1, or neither"},
        {"--set network.stimuli.0.period_ms=2",
            "case.yaml: network.stimuli.0: period_ms is given and count is 1; "},
        {"--set network.stimuli.0.count=2 --set network.stimuli.0.period_ms=1",
            "case.yaml: network.stimuli.0.period_ms: 1; allowed: longer than duration_ms = 1"}};
    EXPECT_REFUSED(list);
}

/* ---- the network on its mesh ---- */

Test(network_inputs, a_file_that_is_no_network_is_refused)
{
    refuses(3, "none.csv: No such file", "run case.yaml -o x --set network.file=none.csv");
    refuses(2, "case.yaml: not a file name of a conduction network; allowed endings: .vtp, .csv, .vtu",
        "run case.yaml -o x --set network.file=case.yaml");
    write_text("bad.csv", "x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm\n2,2,3,1,1,1\n2,2,3,x,1,1\n");
    refuses(2, "bad.csv:3: x1_mm is 'x'; allowed: a number", "run case.yaml -o x --set network.file=bad.csv");
}

Test(network_inputs, nodes_that_do_not_exist_are_refused)
{
    static const wrong list[] = {
        {"--set network.root=7", "case.yaml: network.root: 7; allowed: 0 to 6, the nodes of the network"},
        {"--set network.root=1",
            "case.yaml: network.root: node 1 has 3 segments; allowed: a free end, a node with one "
            "segment"},
        {"--set network.stimuli.0.node=7",
            "case.yaml: network.stimuli.0: node: 7; allowed: 0 to 6, the nodes of the network"}};
    EXPECT_REFUSED(list);
}

Test(network_inputs, parts_without_a_segment_are_refused)
{
    static const wrong list[] = {
        {"--set network.block=[{\"kind\":7},{\"kind\":12}]",
            "case.yaml: network.block.1: contains no segment of the network; needed: at least one"},
        {"--set network.block=[{\"centre_mm\":[0,0,9],\"radius_mm\":1}]",
            "case.yaml: network.block.0: contains no segment of the network; needed: at least one"},
        {"--set network.block=[{\"kind\":4}] --set network.stimuli.0.node=4 --set "
         "network.stimuli.0.radius_mm=0.5",
            "case.yaml: network.stimuli.0: found no conducting cable within radius_mm 0.5 of node 4; needed: "
            "one"},
        {"--set network.block=[{\"centre_mm\":[0,0,0],\"radius_mm\":100}]",
            "case.yaml: network.block: blocks all 7 segments of "}};
    EXPECT_REFUSED(list);
}

Test(network_inputs, kinds_need_a_network_with_kinds)
{
    write_text("plain.csv", "x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm\n2,2,6,2,2,1\n");
    refuses(2,
        "case.yaml: network.block.0: kind: his, in a network without kinds; allowed: centre_mm and radius_mm",
        "run case.yaml -o x --set network.file=plain.csv --set network.block=[{\"kind\":\"his\"}]");
}

Test(network_inputs, too_many_points_are_refused_before_memory_is_allocated)
{
    write_text("far.csv", "x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm\n-1e6,-1e6,-1e6,1e6,1e6,1e6\n");
    refuses(2, "far.csv: 3.46e+09 points of cables at distances of 0.001 mm; allowed: fewer than 2147483647",
        "run case.yaml -o x --set network.file=far.csv --set network.spacing_mm=0.001");
}

/* Otherwise the tissue would be reported, which is not a number soon afterwards. */
Test(network_inputs, a_stimulus_that_is_too_strong_is_reported_with_its_place)
{
    static const char message[] = " mV at [2.5, 2.5, 7] mm and 0.05 ms; it must stay within -200 .. 200 mV; "
                                  "network.stimuli.0 was on and "
                                  "raises V by 9000 mV/ms: a smaller strength_mV_ms or time.dt_ms may help\n";
    reply r = myotile("run case.yaml -o x --set network.stimuli.0.strength_mV_ms=9000");
    cr_expect_eq(r.code, 5, "%d: %s", r.code, r.said);
    cr_expect(strstr(r.said, "case.yaml: network: V is ") && strstr(r.said, message), "%s", r.said);
    forget(&r);
}

/* Its voltages reach the cables in the same ms. */
Test(network_inputs, a_stimulus_of_the_tissue_that_is_too_strong_is_reported_there)
{
    reply r = myotile(
        "run case.yaml -o x --set "
        "stimuli=[{\"min_mm\":[0,0,0],\"max_mm\":[3,3,2],\"duration_ms\":2,\"strength_uA_mm3\":50000}]");
    cr_expect_eq(r.code, 5, "%d: %s", r.code, r.said);
    cr_expect(
        strstr(r.said, "case.yaml: element ") && strstr(r.said, "; stimuli.0 was on there and raises V by "),
        "%s", r.said);
    forget(&r);
}

/* ---- warnings ---- */

/* Returns the messages of a run of 3 ms, which the caller frees, and the number of junctions. */
static char *said_of(const char *sets, size_t *n_junctions)
{
    static junction_row row[ROWS_MOST];
    char line[400], *table;
    (void)snprintf(line, sizeof line, "run case.yaml -o out %s", sets);
    char *said = warnings(&table, line);
    *n_junctions = read_junctions("out", row);
    free(table);
    return said;
}

static void expect_said(const char *sets, size_t n_junctions, const char *text)
{
    size_t n;
    char *said = said_of(sets, &n);
    cr_expect_eq(n, n_junctions, "%s: %zu", sets, n);
    if (text)
        cr_expect(strstr(said, text), "%s: %s", sets, said);
    else
        cr_expect_not(strstr(said, "network") || strstr(said, "junction") || strstr(said, "free end"),
            "%s: %s", sets, said);
    free(said);
}

/* Node 0 is 5 mm above the slab. */
Test(network_inputs, free_ends_far_from_the_tissue_are_counted_and_not_coupled)
{
    expect_said("", 3, NULL);
    expect_said("--set network.root=4", 2,
        "net.csv: 1 of 3 free ends are farther than 2 mm from the tissue, and not coupled to it\n");
    expect_said("--set network.root=4 --set network.junction.radius_mm=4", 2,
        "net.csv: 1 of 3 free ends are farther than 4 mm from the tissue, and not coupled to it\n");
    expect_said("--set network.root=4 --set network.junction.radius_mm=6", 3, NULL);
}

/* The same network, whose first segment begins at its inner end: that is node 0. */
Test(network_inputs, without_a_free_end_at_node_0_all_free_ends_are_coupled)
{
    static const char trunk[] = "2.5,2.5,7,2.5,2.5,4,1\n";
    char turned[sizeof small_network];
    const char *rest = strstr(small_network, trunk) + strlen(trunk);
    (void)snprintf(turned, sizeof turned, "x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm,kind\n%s%s",
        "2.5,2.5,4,2.5,2.5,7,1\n", rest);
    write_text("net.csv", turned);
    expect_said("--set network.junction.radius_mm=6", 4,
        "net.csv: network.root: found 3 segments at node 0, so that all 4 free ends are coupled to the "
        "tissue;");
    expect_said("--set network.root=1 --set network.junction.radius_mm=6", 3, NULL);
}

/* Scar around node 6, which is 3 mm from the others. */
Test(network_inputs, free_ends_in_scar_are_not_coupled)
{
    expect_said("--set regions=[{\"centre_mm\":[4,4,1],\"radius_mm\":0.9,\"non_conducting\":true}]", 2,
        "net.csv: 1 of 3 free ends are in non-conducting tissue, and not coupled\n");
}

/* 300 free ends within 0.3 mm, each coupled far more strongly than a time step resolves. */
Test(network_inputs, many_junctions_on_the_same_voltages_are_stable)
{
    FILE *star = fopen("star.csv", "w");
    (void)fprintf(star, "x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm\n2.5,2.5,7,2.5,2.5,4\n");
    for (int k = 0; k < 300; k++) (void)fprintf(star, "2.5,2.5,4,%.4f,%.4f,1\n", 2.5 + 0.001 * k, 2.5);
    (void)fclose(star);
    write_text("star.yaml",
        NETWORK_SLAB "time: {dt_ms: 0.05, end_ms: 20}\nmachine: {backend: cpu}\n"
                     "network: {file: star.csv, stimuli: [{node: 0}], junction: {resistance_kOhm: 0.01}}\n");
    free(works("run star.yaml -o star"));
}

/* The free ends are at vertices of the slab's boxes, but 1.8, 1.2, 1 mm, and at no centre of an element. */
Test(network_inputs, junctions_with_a_single_voltage_are_counted)
{
    expect_said("--set network.junction.radius_mm=0.01", 3,
        "net.csv: 3 of 3 junctions have no voltage of the tissue within network.junction.radius_mm 0.01, and "
        "are "
        "coupled to the nearest one; their delay depends on the mesh\n");
    expect_said("--set network.junction.radius_mm=0.01 --set diffusion.discretisation=nodes", 3,
        "net.csv: 1 of 3 junctions have no voltage");
    expect_said("--set network.junction.radius_mm=0.5", 3, NULL);
}

/* Otherwise a misspelt column would be ignored, and its cables would have another radius. */
Test(network_inputs, the_notes_of_the_reader_are_printed)
{
    char *table;
    write_text("thin.csv", "x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm,radius\n2,2,6,2,2,1,0.01\n");
    char *said = warnings(&table, "run case.yaml -o out --set network.file=thin.csv");
    cr_expect(strstr(said, "thin.csv: found but not used: column 'radius'"), "%s", said);
    free(said), free(table);
}
