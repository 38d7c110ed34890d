/* `mesh purkinje`: files, tables and messages. */
#include <criterion/criterion.h>

#include "mesh/network/network_files.h"
#include "mesh/network/purkinje.h"
#include "mesh/vtk/vtkhdf.h"
#include "tests/app/program.h"
#include "tests/json.h"
#include "tests/mesh/shell.h"

static mt_arena arena;

static void end(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(purkinje_command, .init = enter_room, .fini = end);

/* A left ventricle with the apex at -z, and an inner radius of 20 mm, as "lv.hdf". */
static void write_shell(void)
{
    const shell s = {6, 2, 1};
    mt_mesh mesh;
    shell_make(&arena, &s, &mesh);
    cr_assert_eq(mt_vtkhdf_write("lv.hdf", &mesh, 0, NULL), MT_OK, "%s", mt_message());
}

static mt_network read_network(const char *path)
{
    mt_network network;
    cr_assert_eq(mt_network_read(&arena, path, NULL, &network), MT_OK, "%s", mt_message());
    return network;
}

/* The default root is 20 mm (sin(a), 0, -cos(a)) with a = 0.85 x 90 degrees around from the septum at +y. */
Test(purkinje_command, the_table_describes_the_network_in_the_file)
{
    double length_mm[MT_PURKINJE_KINDS] = {0};
    write_shell();
    char *text = works("mesh purkinje lv.hdf -o out.vtp --septum 0,1,0 --generations 4 --format json");
    const mt_network n = read_network("out.vtp");
    for (size_t s = 0; s < n.n_segments; s++) length_mm[n.kind[s]] += mt_network_length_mm(&n, s);
    cr_assert_eq(json_property(text, "nodes"), (double)n.n_nodes);
    cr_assert_eq(json_property(text, "segments"), (double)n.n_nodes - 1);
    cr_assert_float_eq(json_property(text, "his_bundle_mm"), 10, 1e-9);
    cr_assert_float_eq(length_mm[MT_PURKINJE_HIS], 10, 1e-9);
    cr_assert_float_eq(json_property(text, "length_mm"), length_mm[1] + length_mm[2] + length_mm[4], 1e-9);
    cr_assert(strstr(text, "\"left\"") && !strstr(text, "\"right\""), "%s", text);
    const double *root = n.xyz_mm + 30; /* after ten segments of the His bundle */
    cr_assert(fabs(root[0]) < 1 && fabs(root[1] - 19.4) < 0.5 && fabs(root[2] + 4.7) < 0.7, "(%g, %g, %g)",
        root[0], root[1], root[2]);
    free(text);
    text = works("mesh info out.vtp --format json");
    cr_assert_eq(json_property(text, "components"), 1);
    cr_assert_eq(json_property(text, "loops"), 0);
    free(text);
}

/* Each option changes the network as its help says. */
Test(purkinje_command, every_option_has_its_effect)
{
    static const char usual[] =
        "mesh purkinje lv.hdf -o out.csv --septum 0,1,0 --generations 4 --branch-mm 5 --force ";
    static const struct {
        const char *option;
        bool same_count;
    } options[] = {{"", true}, {"--seed 2", false}, {"--angle-deg 30", false}, {"--repulsion 0.5", false},
        {"--false-tendons 2", false}, {"--segment-mm 0.5", false}, {"--coverage 0.01", false},
        {"--depth-mm 2", true}, {"--left-root 19,3,-6", false}};
    write_shell();
    free(works("%s", usual));
    const mt_network first = read_network("out.csv");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char line[256];
        (void)snprintf(line, sizeof line, "%s%s", usual, options[i].option);
        free(works("%s", line));
        const mt_network n = read_network("out.csv");
        const bool same =
            n.n_nodes == first.n_nodes && !memcmp(n.xyz_mm, first.xyz_mm, 3 * n.n_nodes * sizeof *n.xyz_mm);
        cr_assert_eq(same, i == 0, "%s", options[i].option);
        if (options[i].same_count) cr_assert_eq(n.n_nodes, first.n_nodes, "%s", options[i].option);
    }
}

Test(purkinje_command, an_arbitrary_septum_is_reported)
{
    write_shell();
    char *table, *text = warnings(&table, "mesh purkinje lv.hdf -o out.vtp --generations 1");
    cr_assert(strstr(text, "lv.hdf: no right ventricle") && strstr(text, "(1.000, 0.000, "), "%s", text);
    free(text), free(table);
}

Test(purkinje_command, invalid_input_is_rejected_and_writes_nothing)
{
    write_shell();
    refuses(2, ".vtp", "mesh purkinje lv.hdf -o out.hdf");
    refuses(2, "--left-root 1,2; allowed: 3 numbers", "mesh purkinje lv.hdf -o out.vtp --left-root 1,2");
    refuses(2, "angle_deg: 3; allowed: 6 to 80", "mesh purkinje lv.hdf -o out.vtp --angle-deg 3");
    refuses(
        2, "lv.hdf: the left root (0, 0, 50) mm is", "mesh purkinje lv.hdf -o out.vtp --left-root 0,0,50");
    refuses(2, "lv.hdf: a right root is given", "mesh purkinje lv.hdf -o out.vtp --right-root 0,20,0");
    refuses(2, "--seed", "mesh purkinje lv.hdf -o out.vtp --seed -1");
    refuses(2, "--false-tendons 11; allowed: ", "mesh purkinje lv.hdf -o out.vtp --false-tendons 11");
    free(works("mesh slab -o slab.hdf --size-mm 2,2,2 --edge-mm 1"));
    refuses(2, "slab.hdf", "mesh purkinje slab.hdf -o out.vtp");
    cr_assert_neq(access("out.vtp", F_OK), 0);
}

Test(purkinje_command, a_bare_ventricle_gives_a_warning)
{
    char *out;
    write_shell();
    char *text =
        warnings(&out, "mesh purkinje lv.hdf -o out.vtp --septum 0,1,0 --generations 0 --format json");
    cr_expect(strstr(text, "lv.hdf: Purkinje fibres cover 0.0 % of the left endocardium; usual: 80 to 100 %"),
        "%s", text);
    free(text), free(out);
}
