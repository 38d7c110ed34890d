#include <criterion/criterion.h>

#include "tests/app/program.h"

TestSuite(command, .init = enter_room, .fini = leave_room);

/* In the order in which the output of one is the input of the next. */
static const char *const names[] = {"mesh slab", "mesh info", "mesh convert", "mesh ventricles",
    "mesh fibres", "mesh coordinates", "mesh transfer", "mesh purkinje", "mesh refine", "mesh fill",
    "partition", "cell", "restitution", "model import", "machine list", "machine show", "machine allreduce",
    "devices", "run", "eikonal", "fit", "report", "reproduce table1", "reproduce table2", "reproduce table3",
    "reproduce figure1", "reproduce figure3", "reproduce figure4", "reproduce figure5", "reproduce figure6",
    "reproduce waves", "reproduce math", "reproduce precision", "reproduce nodes", "tune"};
enum { NAMES = sizeof names / sizeof names[0] };

Test(command, overview_names_every_command_and_every_exit_code)
{
    char *text = works("--help");
    for (int k = 0; k < NAMES; k++) cr_assert(strstr(text, names[k]), "%s", names[k]);
    static const char *const exits[] = {"\n  0  ", "  done\n", "\n  2  ", "  invalid case or arguments\n",
        "\n  3  ", "  file error or out of memory\n", "\n  4  ", "  does not fit the machine\n", "\n  5  ",
        "  numerical failure\n", "\n  6  ", "  failure of an OpenCL device\n", "\n  130, 143 or 129 ",
        " stopped by Ctrl-C, SIGTERM or SIGHUP\n"};
    for (size_t k = 0; k < sizeof exits / sizeof *exits; k++)
        cr_assert(strstr(text, exits[k]), "%s", exits[k]);
    cr_assert(strstr(text, "MYOTILE_ISA") && strstr(text, "MYOTILE_OPENCL"));
    char *same = works("help");
    cr_assert_str_eq(text, same);
    free(text), free(same);
}

Test(command, without_a_command_the_overview_is_printed_and_the_exit_code_is_an_error)
{
    reply r = myotile("%s", "");
    cr_assert_eq(r.code, 2);
    cr_assert(strstr(r.out, "usage: myotile COMMAND"));
    forget(&r);
}

Test(command, version_is_one_line)
{
    char *text = works("--version");
    cr_assert(strncmp(text, "myotile ", 8) == 0 && strchr(text, '\n') == text + strlen(text) - 1, "%s", text);
    free(text);
}

Test(command, every_help_shows_usage_options_and_an_example)
{
    for (int k = 0; k < NAMES; k++) {
        char *text = works("%s --help", names[k]), usage[64], example[64];
        (void)snprintf(usage, sizeof usage, "\nusage: myotile %s ", names[k]);
        (void)snprintf(example, sizeof example, "\nexample:\n  myotile %s ", names[k]);
        cr_assert(strstr(text, usage) && !strstr(strstr(text, usage) + 8, "  [options]"), "%s", text);
        cr_assert(strstr(text, example), "%s", text);
        cr_assert(strstr(text, "\n  -") || strstr(text, "\n      --"), "%s", text);
        free(text);
    }
}

Test(command, the_short_option_prints_the_help_too)
{
    static const char *const lines[] = {"", "mesh ", "run ", "mesh slab --edge-mm 1 "};
    char *group = works("mesh -h");
    cr_assert(strstr(group, "mesh slab") && !strstr(group, "partition"), "%s", group);
    free(group);
    for (int k = 0; k < 4; k++) {
        char *text = works("%s-h", lines[k]), *same = works("%s--help", lines[k]);
        cr_assert_str_eq(text, same, "%s", lines[k]);
        free(text), free(same);
    }
}

/* Also after wrong arguments: a request for help is always answered. */
Test(command, help_takes_precedence_over_other_arguments)
{
    char *text = works("cell --nonsense 3 --help");
    cr_assert(strstr(text, "example:"));
    free(text);
}

/* Changes that make an example quick: words appended to it, or other digits. gmsh meets 5,200 elements with few attempts. The
 * unchanged examples are run in test_waves_command_slow.c. */
#define FEW_TILES " --machine-set tiles=64"
#define FEW_TILES_IN_CASE " --set machine.tiles=64"
static const struct {
    const char *name, *behind, *shown, *instead;
} quicker[] = {{"mesh ventricles", "", "--elements 10000", "--elements 5200"},
    {"partition", FEW_TILES, NULL, NULL}, {"machine allreduce", FEW_TILES, NULL, NULL},
    {"model import", " --beats 1 --no-tissue", NULL, NULL}, {"cell", "", "--beats 10", "--beats 2"},
    {"restitution", " --dt-ms 0.05", "--beats 5 --intervals-ms 800,300,50",
        "--beats 2 --intervals-ms 800,300,250"},
    {"run", FEW_TILES_IN_CASE " --set time.end_ms=1", NULL, NULL},
    {"reproduce table1", FEW_TILES, NULL, NULL}, {"reproduce table2", FEW_TILES, NULL, NULL},
    {"reproduce table3", FEW_TILES, NULL, NULL},
    {"reproduce figure1", FEW_TILES_IN_CASE, "time.end_ms=20", "time.end_ms=2"},
    {"reproduce figure3", FEW_TILES_IN_CASE, "time.end_ms=5", "time.end_ms=1"},
    {"reproduce figure4", FEW_TILES_IN_CASE, NULL, NULL}, {"reproduce figure5", FEW_TILES, NULL, NULL},
    {"reproduce figure6", FEW_TILES, NULL, NULL},
    {"reproduce waves", " --model mitchell-schaeffer --dt-ms 0.1", NULL, NULL},
    {"reproduce math", " --every 100003", "--pairs 1000000", "--pairs 10000"},
    {"reproduce precision", " --beats 2", NULL, NULL}, {"reproduce nodes", FEW_TILES, NULL, NULL},
    {"tune", " --set cell.model=mitchell-schaeffer --set cell.type=standard --set time.dt_ms=0.1", NULL,
        NULL}};

static void run_quickly(const char *name, char *line)
{
    const char *behind = "";
    for (size_t k = 0; k < sizeof quicker / sizeof *quicker; k++) {
        if (strcmp(quicker[k].name, name) != 0) continue;
        behind = quicker[k].behind;
        if (!quicker[k].shown) continue;
        char *at = strstr(line, quicker[k].shown), *rest = at + strlen(quicker[k].shown);
        cr_assert_not_null(at, "%s: no %s", line, quicker[k].shown);
        *at = 0;
        free(works("%s%s%s%s", line, quicker[k].instead, rest, behind));
        return;
    }
    free(works("%s%s", line, behind));
}

/* The examples in the help must work, so they are run as shown, except changes that shorten them. */
Test(command, every_example_of_the_help_runs_unmodified)
{
    for (int k = 0; k < NAMES; k++) {
        char *help = works("%s --help", names[k]);
        char *line = strstr(help, "example:\n  myotile ");
        cr_assert_not_null(line);
        line += strlen("example:\n  myotile ");
        *strchr(line, '\n') = 0;
        run_quickly(names[k], line);
        free(help);
    }
    cr_assert(there("slab.hdf") && there("trace.csv") && there("quick/activation.png") &&
              there("figure1.png") && there("figure3.png") && there("figure4.png") && there("figure5.png"));
    (void)things(); /* no incomplete files */
}

Test(command, unknown_commands_are_named_in_the_error_message)
{
    refuses(2, "'simulate' is not a command; see myotile --help", "simulate");
    refuses(2, "'simulate' is not a command", "simulate case.yaml"); /* not part of the name */
    refuses(2, "'mesh cube' is not a command", "mesh cube --edge-mm 1");
    refuses(2, "'mesh slabs' is not a command", "mesh slabs");
    refuses(2, "'machine' is not a command", "machine --format json");
    refuses(2, "'ru' is not a command", "ru");
    refuses(2, "'--verbose' is not a command", "--verbose");
}

Test(command, a_command_group_without_a_subcommand_is_rejected_with_its_subcommands)
{
    refuses(2,
        "'mesh' is not a command; allowed after mesh: slab, info, convert, ventricles, fill, surfaces, "
        "fibres, coordinates, transfer, purkinje, refine; see",
        "mesh");
    refuses(2, "'machine' is not a command; allowed after machine: list, show, allreduce; see", "machine");
    refuses(2, "'machine file.yaml' is not a command; allowed after machine: list, show, allreduce; see",
        "machine file.yaml");
    refuses(2,
        "'reproduce' is not a command; allowed after reproduce: table1, table2, table3, figure1, figure3, "
        "figure4, figure5, figure6, waves, math, machine, implicit, precision, nodes, machines; see",
        "reproduce");
}

Test(command, unknown_options_are_rejected_by_every_command)
{
    for (int k = 0; k < NAMES; k++) refuses(2, "unknown option '--nonsense'", "%s --nonsense 1", names[k]);
    refuses(2, "unknown option '-x'", "run case.yaml -x folder");
    refuses(2, "unknown option '--out'", "run case.yaml --out folder"); /* no abbreviations of names */
    refuses(2, "unknown option '--Format'", "partition --Format json mesh.hdf");
    refuses(2, "unknown option '--formats=json'", "partition --formats=json mesh.hdf");
    refuses(2, "unknown option '-o=m.hdf'", "mesh slab --size-mm 1,1,1 --edge-mm 1 -o=m.hdf");
}

Test(command, repeated_options_are_rejected_unless_repetition_is_allowed)
{
    refuses(2, "cell: --type is given twice", "cell --type epi -o a.csv --type mid");
    refuses(2, "partition: --check is given twice", "partition mesh.hdf --check --check");
    refuses(3, "case.yaml", "run case.yaml --set a=1 --set a=1");
}

Test(command, an_option_without_its_value_is_rejected)
{
    refuses(2, "run: --output requires DIR", "run case.yaml --output");
    refuses(2, "run: --set requires path.to.key=value", "run case.yaml --set");
    refuses(2, "cell: --output requires TRACE.csv", "cell -o");
    refuses(2, "mesh slab: --size-mm requires X,Y,Z", "mesh slab --edge-mm 0.5 --size-mm");
    refuses(2, "partition: --ipus requires N", "partition mesh.hdf --ipus");
    refuses(2, "mesh info: --format requires text|json|csv", "mesh info mesh.hdf --format");
}

/* "--name=value" is equivalent to "--name value", even if the value contains a '='. */
Test(command, an_option_accepts_its_value_after_an_equals_sign)
{
    free(works("mesh slab --size-mm=2,1,1 --edge-mm=1 -o a.hdf"));
    char *text = works("mesh info a.hdf --format=json"), *same = works("mesh info a.hdf --format json");
    cr_assert(is_json(text), "%s", text);
    cr_assert_str_eq(text, same);
    free(text), free(same);
    char *const words[] = {"--set=a=1", "the.yaml", "--set", "b=2", "--output=c=3"};
    mt_arena arena = {0};
    mt_arguments arguments;
    cr_assert_eq(mt_arguments_read(&arena, &mt_command_run, 5, words, NULL, &arguments), MT_OK);
    cr_assert_str_eq(mt_operand(&arguments, 0), "the.yaml");
    cr_assert_str_eq(mt_option_nth(&arguments, "--set", 0), "a=1");
    cr_assert_str_eq(mt_option_nth(&arguments, "--set", 1), "b=2");
    cr_assert_null(mt_option_nth(&arguments, "--set", 2));
    cr_assert_str_eq(mt_option_value(&arguments, "--output", "x"), "c=3");
    cr_assert(mt_option_given(&arguments, "--output") && !mt_option_given(&arguments, "--out"));
    mt_arena_free(&arena);
    refuses(2, "run: --output is given twice", "run a.yaml --output=b --output c");
    refuses(2, "run: --output requires DIR", "run a.yaml --output=");
    refuses(2, "run: --set requires path.to.key=value", "run a.yaml --set --output=b");
    refuses(2, "run: --no-cache=yes; allowed: --no-cache, which takes no value", "run a.yaml --no-cache=yes");
}

/* The next option is not parsed as the value: no file called "--type" is created. */
Test(command, an_option_is_not_accepted_as_the_value_of_another)
{
    refuses(2, "cell: --output requires TRACE.csv", "cell -o --type epi");
    refuses(2, "mesh slab: --size-mm requires X,Y,Z", "mesh slab --size-mm --edge-mm 0.5 -o f.hdf");
    refuses(2, "run: --output requires DIR", "run case.yaml --output --format json");
}

Test(command, too_few_and_too_many_arguments_are_rejected_with_the_usage)
{
    refuses(2, "run: CASE.yaml or --resume DIR is required; see myotile run --help", "run");
    refuses(2, "an argument is missing; usage: myotile mesh info MESH [options]", "mesh info");
    refuses(2, "an argument is missing", "partition --ipus 2");
    refuses(2, "unexpected argument 'b.yaml'; usage: myotile run [CASE.yaml]", "run a.yaml b.yaml");
    refuses(2, "unexpected argument 'epi'; usage: myotile cell [options]", "cell epi -o trace.csv");
}

Test(command, an_unknown_format_is_rejected)
{
    static const char *const with_format[] = {"run case.yaml", "mesh info m.hdf", "partition m.hdf"};
    for (int k = 0; k < 3; k++)
        refuses(2, "--format xml; allowed: text, json, csv", "%s --format xml", with_format[k]);
}

/* If standard output is a full disk or a closed pipe, the command fails. */
Test(command, unwritable_output_is_a_failure)
{
    FILE *full = fopen("/dev/full", "w");
    if (!full) cr_skip("there is no /dev/full here");
    char *const words[] = {"myotile", "mesh", "slab", "--size-mm", "1,1,1", "--edge-mm", "1", "-o", "m.hdf"};
    char *said = NULL;
    size_t n;
    FILE *messages = open_memstream(&said, &n);
    cr_assert_eq(mt_program_main(mt_commands, 9, words, full, messages), 3);
    (void)fclose(messages), (void)fclose(full);
    cr_assert(strstr(said, "standard output"), "%s", said);
    free(said);
}

/* ---- functions shared by commands ---- */

Test(command, numbers_with_trailing_characters_are_rejected)
{
    double x[3];
    cr_assert_eq(mt_numbers("-x", "1,-2.5,3e2", 3, -INFINITY, x), MT_OK);
    cr_assert(x[0] == 1 && x[1] == -2.5 && x[2] == 300);
    static const char *const bad[] = {"", "1", "1,2", "1,2,", "1,2,3,", "1,2,3,4", "1,2,3x", "1;2;3", "a,b,c",
        "1,,3", "1,2,inf", "1,2,nan", "1,2,1e999"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        cr_assert_eq(mt_numbers("-x", bad[k], 3, -INFINITY, x), MT_INPUT, "'%s'", bad[k]);
        cr_assert(strstr(mt_message(), "-x") && strstr(mt_message(), "3 numbers"), "%s", mt_message());
    }
    cr_assert_eq(mt_numbers("-x", "0", 1, 0, x), MT_INPUT); /* above 0, not equal */
    cr_assert(strstr(mt_message(), "1 number above 0"), "%s", mt_message());
    cr_assert_eq(mt_numbers("-x", "1e-9", 1, 0, x), MT_OK);
}

Test(command, integers_must_be_whole_and_within_their_range)
{
    unsigned long n;
    cr_assert_eq(mt_integer("-n", "7", 1, 7, &n), MT_OK);
    cr_assert_eq(n, 7);
    static const char *const bad[] = {
        "", "0", "8", "-1", "2.0", "1e0", "two", "2 ", "99999999999999999999999"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        cr_assert_eq(mt_integer("-n", bad[k], 1, 7, &n), MT_INPUT, "'%s'", bad[k]);
    cr_assert(strstr(mt_message(), "-n 9999") && strstr(mt_message(), "from 1 to 7"), "%s", mt_message());
}

/* An option's value may look like an operand and vice versa: each is recognised by its position. */
Test(command, options_and_operands_are_distinguished_in_any_order)
{
    char *const words[] = {"--set", "a=1", "-o", "case.yaml", "--", "--the.yaml"};
    mt_arena arena = {0};
    mt_arguments arguments;
    cr_assert_eq(mt_arguments_read(&arena, &mt_command_run, 6, words, NULL, &arguments), MT_OK);
    cr_assert_str_eq(mt_operand(&arguments, 0), "--the.yaml");
    cr_assert_str_eq(mt_operand(&arguments, 1), "");
    cr_assert_str_eq(mt_option_value(&arguments, "--output", "x"), "case.yaml");
    cr_assert_str_eq(mt_option_value(&arguments, "--format", "text"), "text");
    cr_assert(mt_option_given(&arguments, "--set") && !mt_option_given(&arguments, "--force"));
    mt_arena_free(&arena);
}

/* ---- other uses of the table of commands ---- */

/* Returns the completions that bash offers after a line with the script printed by the program; the words are sorted. */
static char *offered(const char *line)
{
    char *script = works("--completion"), *text = NULL;
    size_t size = 0;
    write_text("completion", script);
    write_text("ask",
        "source ./completion\nIFS=$'\\n' read -r -d '' -a COMP_WORDS < <(printf '%s\\n' \"$@\")\n"
        "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_myotile\necho \"${COMPREPLY[*]}\"\n");
    char command[512];
    (void)snprintf(command, sizeof command, "bash ./ask %s", line);
    FILE *answer = popen(command, "r");
    cr_assert_not_null(answer);
    cr_assert(getline(&text, &size, answer) > 0, "%s", line);
    cr_assert_eq(pclose(answer), 0);
    text[strcspn(text, "\n")] = 0;
    free(script);
    return text;
}

Test(command, shell_completion_offers_commands_options_and_values)
{
    static const char *const cases[][2] = {
        {"myotile m", "mesh model machine"}, {"myotile mesh s", "slab surfaces"},
        {"myotile machine show --f", "--format"}, {"myotile mesh slab --cut k", "kuhn"},
        {"myotile run case.yaml --format '=' j", "json"},
        {"myotile run case.yaml --format json --prog", "--progress"},
        {"myotile run ca", ""}, /* files are completed by bash */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *words = offered(cases[k][0]);
        cr_assert_str_eq(words, cases[k][1], "%s: '%s'", cases[k][0], words);
        free(words);
    }
}

/* The page contains every command and one option. After a dot at the beginning of a line, only the first letter of a macro (.TH,
 * .SH, .PP, .RS, .B, .I) is checked. */
Test(command, the_manual_page_lists_every_command)
{
    char *page = works("--manual"), head[64];
    for (int k = 0; k < NAMES; k++) {
        (void)snprintf(head, sizeof head, "\n.SS myotile %s", names[k]);
        cr_assert(strstr(page, head), "%s", head);
    }
    cr_assert(strstr(page, "\\-\\-machine\\-set") && strstr(page, "\n.SH EXIT STATUS"));
    for (const char *line = page; (line = strchr(line, '\n')); line++)
        cr_assert(line[1] != '.' || strchr("TSBPRI", line[2]), "%.40s", line + 1);
    free(page);
}

Test(command, error_messages_truncate_long_values)
{
    static const char *const lines[] = {"%s", "mesh %s", "run case.yaml --%s", "run case.yaml --progress %s",
        "run case.yaml --format %s", "run case.yaml --set %s", "run case.yaml --set time.end_ms=%s",
        "run case.yaml --set cell.scale=[%s=1]", "run case.yaml --set output.maps=[%s]", "mesh info %s",
        "mesh convert %s a.hdf", "mesh convert a.hdf b.hdf --unit %s", "mesh slab --edge-mm %s -o a.hdf",
        "machine show %s", "partition a.hdf --scheme %s", "cell --model %s", "cell --type %s",
        "cell --bcl %s", "machine allreduce --ipus %s"};
    char value[601];
    memset(value, 'x', 600);
    value[600] = 0;
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        char line[LINE_SIZE];
        (void)snprintf(line, sizeof line, lines[k], value);
        reply r = myotile("%s", line);
        size_t longest = 0;
        for (const char *at = r.said, *next; *at; at = next + (*next != 0)) {
            next = at + strcspn(at, "x");
            longest = strspn(next, "x") > longest ? strspn(next, "x") : longest;
            next += strspn(next, "x");
            if (*next == 0) break;
        }
        cr_expect_neq(r.code, 0);
        cr_expect(longest <= 80, "%s: %zu", lines[k], longest);
        forget(&r);
    }
}
