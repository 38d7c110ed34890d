/* Output for programs: the tables of every command as JSON, checked against data/reference/tables.schema.json, and as CSV. Each command runs
 * once: this program is linked with `--wrap` (cmake/tests.cmake), and the functions below print its tables in both formats. */
#include <criterion/criterion.h>

#include "app/cli/table.h"
#include "tests/json.h"
#include "tests/app/program.h"
#include "tests/solver/small_case.h"

#include <omp.h>

static const char small[] = "title: Small slab\n" SMALL_SLAB USUAL_TISSUE
                            "time: {end_ms: 0.1}\n" SMALL_STIMULUS("2") "points:\n"
                                                                        "  - {name: near, at_mm: [0, 0, 0]}\n"
                                                                        "machine: {tiles: 8}\n";

/* Every command with tables, and each of its tables, ordered so that each command creates the input of later ones. */
static const char *const lines[] = {
    "run small.yaml --output out --force",
    "run small.yaml --output out --force --set machine.ipus=2 --set machine.target=eight.yaml",
    "run small.yaml --output out --force --set machine.backend=cpu",
    "eikonal small.yaml --output first --force",
    "eikonal small.yaml --output second --compare first --force",
    "fit small.yaml --lat lat.csv --sites 1 --output fitted --force",
    "report out -o report.html --force",
    "partition slab.hdf --target eight.yaml --ipus 1,2 --balance-halo",
    "mesh ventricles --elements 5200 -o heart.hdf --force",
    "mesh info heart.hdf --trial-steps 2",
    "mesh info network.csv",
    "mesh surfaces heart.hdf -o found.hdf --surfaces found --force",
    "mesh fibres heart.hdf -o fibred.hdf --force",
    "mesh fibres fibred.hdf -o again.hdf --force",
    "mesh coordinates heart.hdf -o coordinates.hdf --force",
    "mesh transfer coordinates.hdf heart.hdf --field segment -o transferred.hdf --force",
    "mesh purkinje heart.hdf -o purkinje.vtp --generations 3 --force",
    "mesh refine slab.hdf -o fine.hdf --force",
    "mesh convert broken.msh repaired.hdf --repair --force",
    "mesh convert apart.msh apart.hdf --force",
    "mesh fill cube.obj --elements 200 -o filled.hdf --force",
    "machine list",
    "devices",
    "machine show gc200",
    "machine allreduce --ipus 2 --bytes 4KiB --machine-set tiles=8",
    "machine allreduce --ipus 2 --sweep --bytes 4KiB,8KiB --machine-set tiles=8",
    "reproduce table1 --mesh slab.hdf --target eight.yaml --ipus 1,2",
    "reproduce table2 --mesh slab.hdf --target eight.yaml --ipus 1,2",
    "reproduce table3 --mesh slab.hdf --target eight.yaml --ipus 1,2",
    "reproduce nodes --mesh slab.hdf --target eight.yaml --ipus 1,2",
    "reproduce figure1 --mesh heart.hdf --set time.end_ms=0.5 --set machine.target=eight.yaml",
    "reproduce figure4 --mesh heart.hdf --times 0.2,0.4 --backends ipu,cpu --set machine.target=eight.yaml",
    "reproduce figure3 --edges-mm 1 --corners 2 --set time.end_ms=1 --set machine.target=eight.yaml",
    "reproduce figure5 --mesh slab.hdf --target eight.yaml --ipus 1,2",
    "reproduce figure6 --mesh slab.hdf --target eight.yaml --ipus 1,2",
    "cell --list",
    "cell --list --type mid --scale g_Kr=0.5",
    "cell --model mitchell-schaeffer --bcl 400 --beats 2",
    "cell --end-ms 400",
    "model import leak.mmt --beats 1 --no-tissue",
    "restitution --model mitchell-schaeffer --beats 1 --intervals-ms 400,360,20",
    "restitution --model mitchell-schaeffer --protocol dynamic --beats 4 --intervals-ms 400,360,20",
    "reproduce waves --model mitchell-schaeffer --dt-ms 0.1 --families mirrored --lengths 1",
    "run small.yaml --set cell.stepping=multirate --output multirate --force",
    "run small.yaml --set diffusion.method=implicit --output implicit --force",
    "reproduce math --every 1000003 --pairs 1000",
    "reproduce precision --beats 1 --bcl 400",
    "reproduce machine --ipus 1",
    "reproduce machines --mesh slab.hdf --machines gc200:1",
    "reproduce implicit small.yaml --ipus 1 --from-ms 3 --steps 2",
    "restitution --cable --model mitchell-schaeffer --dt-ms 0.1 --beats 1 --intervals-ms 400,360,20",
    ("tune --cv-l 0.5 --cv-t 0.4 --edge-mm 1 --family kuhn --set cell.model=mitchell-schaeffer --set "
     "cell.type=standard "
     "--set time.dt_ms=0.1"),
};
enum { N_LINES = sizeof lines / sizeof *lines };

static const char nodes[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n"
                            "1 0 0 0\n2 90 0 0\n3 0 90 0\n4 0 0 90\n5 200 0 0\n6 290 0 0\n7 200 90 0\n8 200 "
                            "0 90\n$EndNodes\n$Elements\n2\n1 4 2 1 1 ";

static mt_arena arena;

static void enter(void)
{
    char text[512];
    enter_room();
    omp_set_num_threads(1);
    write_text("small.yaml", small);
    write_text("lat.csv", "x_mm,y_mm,z_mm,lat_ms\n0,0,0,1\n2,0,0,3\n3,0,1,4.5\n0,2,0,6\n3,2,1,9\n1,1,1,2."
                          "4\n2,2,0,7.5\n1,0,1,1.6\n");
    write_text("network.csv", "x0_mm,y0_mm,z0_mm,x1_mm,y1_mm,z1_mm,kind\n0,0,0,9,0,0,1\n");
    write_text("leak.mmt", "[[model]]\nc.V = -80\n[engine]\ntime = 0 [ms] in [ms] bind time\n[c]\ndot(V) = "
                           "-g * (V + 80)\n    in [mV]\ng = 1\n");
    write_machine("eight.yaml", 8);
    free(works("mesh slab --size-mm 3,2,1 --edge-mm 0.5 -o slab.hdf"));
    (void)snprintf(text, sizeof text, "%s1 3 2 4\n2 4 2 1 1 5 6 7 8\n$EndElements\n", nodes); /* inverted */
    write_text("broken.msh", text);
    (void)snprintf(text, sizeof text, "%s1 2 3 4\n2 4 2 1 1 5 6 7 8\n$EndElements\n", nodes);
    write_text("apart.msh", text);
    write_text("cube.obj", "v 0 0 0\nv 9 0 0\nv 9 9 0\nv 0 9 0\nv 0 0 9\nv 9 0 9\nv 9 9 9\nv 0 9 9\n"
                           "f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 "
                           "8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n");
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(formats, .init = enter, .fini = leave, .timeout = 300);

static bool is_key(const char *text)
{
    return *text >= 'a' && *text <= 'z' && text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == 0;
}

/* Checks that each name is a key and occurs once. */
static void check_keys(const char *line, const json *object)
{
    for (const json *member = object->first; member; member = member->next) {
        cr_assert(is_key(member->key), "%s: '%s'", line, member->key);
        cr_assert_eq(json_find(object, member->key), member, "%s: %s twice", line, member->key);
    }
}

/* Checks that all rows have the columns' keys, in their order. */
static void check_rows(const char *line, const json *table)
{
    const json *columns = json_at(table, "columns");
    for (const json *row = json_at(table, "rows")->first; row; row = row->next) {
        check_keys(line, row);
        cr_assert_eq(json_length(row), json_length(columns), "%s", line);
        for (const json *value = row->first, *column = columns->first; value;
             value = value->next, column = column->next)
            cr_assert_str_eq(value->key, json_at(column, "key")->text, "%s", line);
    }
}

static void check_json(const json *schema, const char *line, const json *tables)
{
    cr_assert(json_obeys(schema, schema, tables, "tables"), "%s: %s", line, json_why);
    cr_assert_not_null(tables->first, "%s", line);
    for (const json *table = tables->first; table; table = table->next) {
        const json *properties = json_find(table, "properties");
        cr_assert(is_key(json_at(table, "table")->text), "%s", line);
        cr_assert_neq(properties == NULL, json_find(table, "rows") == NULL,
            "%s: exactly one of rows and properties", line);
        if (properties)
            check_keys(line, properties);
        else
            check_rows(line, table);
    }
}

/* A single table has no title. */
static void check_csv(const char *line, const json *tables, const char *csv)
{
    for (const json *table = tables->first; table; table = table->next) {
        char title[256], header[2048] = "key,value,unit";
        (void)snprintf(title, sizeof title, "# %s: ", json_at(table, "table")->text);
        const json *columns = json_find(table, "columns");
        size_t used = 0;
        for (const json *c = columns ? columns->first : NULL; c; c = c->next)
            used += (size_t)snprintf(
                header + used, sizeof header - used, "%s%s", used ? "," : "", json_at(c, "key")->text);
        if (tables->first->next || *csv == '#') {
            csv = strstr(csv, title);
            cr_assert(csv && (csv = strchr(csv, '\n')), "%s: no %s", line, title);
            csv++;
        }
        cr_assert(strncmp(csv, header, used ? used : 14) == 0 && csv[used ? used : 14] == '\n',
            "%s: no %s in %s", line, header, csv);
    }
}

static FILE *csv_file; /* NULL: print no CSV */

mt_status __real_mt_print_table(const mt_arguments *arguments, const mt_table *table);
mt_status __wrap_mt_print_table(const mt_arguments *arguments, const mt_table *table);
mt_status __real_mt_print_tables(const mt_arguments *arguments, const mt_table *tables, size_t n);
mt_status __wrap_mt_print_tables(const mt_arguments *arguments, const mt_table *tables, size_t n);

mt_status __wrap_mt_print_table(const mt_arguments *arguments, const mt_table *table)
{
    if (csv_file) MT_TRY(mt_table_print(csv_file, table, MT_FORMAT_CSV));
    return __real_mt_print_table(arguments, table);
}

mt_status __wrap_mt_print_tables(const mt_arguments *arguments, const mt_table *tables, size_t n)
{
    if (csv_file) MT_TRY(mt_tables_print(csv_file, tables, n, MT_FORMAT_CSV));
    return __real_mt_print_tables(arguments, tables, n);
}

/* Runs a line with JSON as output. Returns in `out` and `csv` its tables in both formats, which the caller frees. */
static void print_both(const char *line, char **out, char **csv)
{
    char whole[LINE_SIZE];
    size_t n;
    (void)snprintf(whole, sizeof whole, "%s --format json", line);
    csv_file = open_memstream(csv, &n);
    cr_assert_not_null(csv_file);
    free(warnings(out, whole));
    (void)fclose(csv_file);
    csv_file = NULL;
}

Test(formats, tables_of_every_command_match_their_schema_and_csv_has_the_same_keys)
{
    char path[1100];
    size_t n;
    (void)snprintf(path, sizeof path, "%s/data/reference/tables.schema.json", source_root);
    char *text = bytes_of(path, &n);
    const json *schema = json_parse(&arena, text);
    free(text);
    for (size_t k = 0; k < N_LINES; k++) {
        char *out, *csv;
        print_both(lines[k], &out, &csv);
        const json *tables = json_parse(&arena, out);
        check_json(schema, lines[k], tables);
        check_csv(lines[k], tables, csv);
        free(out), free(csv);
    }
}

Test(formats, every_command_with_tables_is_covered_by_these_tests)
{
    for (const mt_command *const *c = mt_commands; *c; c++) {
        bool has_tables = false, tested = false;
        for (const mt_option *o = (*c)->options; o->name; o++) has_tables |= strcmp(o->name, "--format") == 0;
        for (size_t k = 0; k < N_LINES; k++) {
            const size_t n = strlen((*c)->name);
            tested |= strncmp(lines[k], (*c)->name, n) == 0 && (lines[k][n] == ' ' || !lines[k][n]);
        }
        cr_assert_eq(has_tables, tested, "%s", (*c)->name);
    }
}
