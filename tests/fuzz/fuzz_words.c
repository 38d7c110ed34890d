/* A fuzzer of user inputs other than meshes and cases, with clang's libFuzzer. FUZZ_ENDINGS is the kind of input:
 *
 *    .machine  a machine file. It is read, or refused with its name; it can be written and read again, and `machine show` accepts or
 *              refuses it in the same way. A topology of several such chips is built, or refused.
 *    .set      values of --set, one per line, applied to a case and to a machine. Refused values are named.
 *    .words    a command line, one word per line. Its words are parsed without work: no file can be opened, and the first allocation
 *              for work fails. The status is one of three codes, 2 and 3 with a message of one line. */
#include <fcntl.h>
#include <omp.h>
#include <sys/resource.h>

#include "app/cli/program.h"
#include "app/commands/commands.h"
#include "ipu/machine/topology.h"
#include "solver/case/case.h"
#include "tests/fuzz/room.h"

enum { LINES_MOST = 32 };

static char path[96], name[] = "myotile", nonsense[] = "--nonsense";
static FILE *nowhere;
static rlim_t files_most;
static int here;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    struct rlimit limit;
    enter();
    (void)snprintf(path, sizeof path, "%s/in.yaml", folder);
    nowhere = fopen("/dev/null", "w");
    if (!nowhere || getrlimit(RLIMIT_NOFILE, &limit) != 0) die("no /dev/null");
    files_most = limit.rlim_cur;
    (void)omp_get_max_threads(); /* clang's OpenMP opens a file at its start, so before the limit */
    here = open(".", O_RDONLY);
    if (here < 0) die("no way back");
    return 0;
}

/* ---- a machine ---- */

static void join_chips(mt_arena *arena, const ipu_target *one)
{
    static const size_t counts[] = {1, 2, 3, 16};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        ipu_target several;
        ipu_topology *topology;
        size_t row, column;
        const mt_status status = ipu_target_several(one, counts[k], &several);
        if (status == MT_INPUT) continue;
        if (status != MT_OK || ipu_topology_of(arena, &several.links, counts[k], &topology) != MT_OK)
            die("chips not joined");
        const uint32_t last = (uint32_t)counts[k] - 1;
        size_t links = 0;
        for (ipu_way way = ipu_topology_way(topology, 0, last); way.at != last; (void)ipu_way_next(&way))
            if (++links >= counts[k]) die("a long route");
        ipu_target_place(&several, several.tiles - 1, &row, &column);
        if (ipu_target_partner(&several, several.tiles - 1) >= several.tiles) die("no partner");
    }
}

static void show_machine(const char *bytes, size_t n)
{
    mt_arena arena = {0};
    ipu_target target, again;
    const char *text;
    write_bytes(path, bytes, n);
    const mt_status status = ipu_target_load(&arena, path, NULL, 0, &target);
    if (status == MT_OK) {
        if (mt_yaml_write(&arena, &ipu_target_table, &target, &text) != MT_OK ||
            mt_yaml_read(&arena, path, text, &ipu_target_table, NULL, 0, &again) != MT_OK)
            die("a machine that cannot be written and read again");
        join_chips(&arena, &target);
    } else if (status != MT_INPUT || strncmp(mt_message(), path, strlen(path)) != 0) {
        die("another status code, or the message does not begin with a file name");
    }
    char machine[] = "machine", show[] = "show";
    if (mt_program_main(mt_commands, 4, (char *[]){name, machine, show, path}, nowhere, nowhere) !=
        (int)status)
        die("`machine show` returns another status");
    mt_arena_free(&arena);
}

/* ---- lines of a text */

/* Splits a copy of the text into lines; returns their number. */
static int cut(char *text, char *lines[LINES_MOST])
{
    int n = 0;
    for (char *save, *line = strtok_r(text, "\n", &save); line && n < LINES_MOST;
         line = strtok_r(NULL, "\n", &save))
        lines[n++] = line;
    return n;
}

/* Checks that a failure names a value of --set, or, if two values contradict each other, the file that they are applied to. */
static void check_set(mt_status status, const char *file)
{
    if (status == MT_OK) return;
    if (status != MT_INPUT) die("another status code");
    if (strncmp(mt_message(), "--set", 5) != 0 && strncmp(mt_message(), file, strlen(file)) != 0)
        die("neither --set nor the file is named");
}

static void set_values(char *text)
{
    static const char case_file[] = MT_DATA_DIR "/cases/niederer-0.5.yaml",
                      machine_file[] = MT_DATA_DIR "/machines/gc200.yaml";
    mt_arena arena = {0};
    mt_case c, c_again;
    ipu_target target;
    const char *written;
    char *lines[LINES_MOST];
    mt_yaml_override sets[LINES_MOST];
    const size_t n = (size_t)cut(text, lines);
    for (size_t k = 0; k < n; k++) sets[k] = (mt_yaml_override){"--set", lines[k]};
    mt_status status = mt_case_load(&arena, case_file, sets, n, &c);
    check_set(status, case_file);
    if (status == MT_OK &&
        (mt_yaml_write(&arena, &mt_case_table, &c, &written) != MT_OK ||
            mt_yaml_read(&arena, "again", written, &mt_case_table, NULL, 0, &c_again) != MT_OK))
        die("a case that cannot be written and read again");
    check_set(ipu_target_load(&arena, machine_file, sets, n, &target), machine_file);
    mt_arena_free(&arena);
}

/* ---- a command line */

static int command_without_work(int n, char *const *words, FILE *said)
{
    const struct rlimit none = {0, files_most}, all = {files_most, files_most};
    if (chdir(folder) != 0 || setrlimit(RLIMIT_NOFILE, &none) != 0) die("files can be opened");
    mt_arena_fail_at(1);
    const int code = mt_program_main(mt_commands, n, words, nowhere, said);
    mt_arena_fail_at(0);
    if (fchdir(here) != 0 || setrlimit(RLIMIT_NOFILE, &all) != 0) die("no file can be opened");
    return code;
}

/* Parses a command line. `cell` would compute before it allocates memory, so it receives an unknown option, twice in case the
 * first is parsed as the value of the previous option. */
static void look_at_words(char *text)
{
    char *words[LINES_MOST + 3] = {name}, *message = NULL;
    size_t size;
    int n = 1 + cut(text, words + 1);
    if (n > 1 && strcmp(words[1], "cell") == 0) words[n++] = nonsense, words[n++] = nonsense;
    FILE *said = open_memstream(&message, &size);
    if (!said) die("no memory");
    const int code = command_without_work(n, words, said);
    (void)fclose(said);
    if (code != MT_OK && code != MT_INPUT && code != MT_FILE) die("another status code");
    const char *end = strchr(message, '\n');
    if (code != MT_OK && n > 1 && (strncmp(message, "myotile: ", 9) != 0 || !end || end[1] != 0))
        die("not one line");
    if (code == MT_OK && *message) die("a message without a failure");
    free(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char *text = malloc(n + 1);
    if (!text) die("no memory");
    memcpy(text, bytes, n);
    text[n] = 0;
    if (strcmp(FUZZ_ENDINGS, ".machine") == 0)
        show_machine(text, n);
    else if (strcmp(FUZZ_ENDINGS, ".set") == 0)
        set_values(text);
    else
        look_at_words(text);
    free(text);
    return 0;
}
