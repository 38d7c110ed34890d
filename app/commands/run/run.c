/* myotile run: simulates a case file and writes its tables and files. */
#include <errno.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/commands/run/ensemble.h"
#include "app/commands/run/one_run.h"
#include "app/results/network_files.h"
#include "data/core/progress.h"
#include "app/cli/ranks.h"
#include "data/files/folder.h"

static const mt_option options[] = {
    {.name = "--output",
        .letter = 'o',
        .value = "DIR",
        .help = "folder for the results (created if missing); default: the name of the case"},
    {.name = "--resume",
        .value = "DIR",
        .help = "resume a stopped run from the newest checkpoint in this folder; results are also written "
                "there, unless --output is given. With CASE.yaml, which must be the case of that run, start "
                "at 0 ms if there is no checkpoint yet"},
    {.name = "--set", .value = "path.to.key=value", .help = "replace a value of the case", .repeats = true},
    {.name = "--sweep",
        .value = "path.to.key=A,B,C",
        .help = "run the case once for each value, as with --set, each in its own subfolder of the output "
                "folder (edge_mm=0.2), and print a table of all runs. Commas within [], {} or quotes do not "
                "separate values: cell.scale=[g_Kr=0.5],[g_Kr=0.5,g_Ks=0.5]"},
    {.name = "--ensemble",
        .value = "TABLE.csv",
        .help =
            "run the case once for each row of a table, whose columns are keys of the case, as in --set, "
            "each "
            "in its own subfolder of the output folder (001, or as in a first column `name`), and write a "
            "table of all results. Repeated with the same folder, it does not repeat complete runs"},
    {.name = "--jobs",
        .value = "N",
        .help = "with --ensemble or --sweep: N runs at once, in processes with an N-th of the threads each; "
                "default: 1. On several ranks (mpirun) each rank executes a run at a time"},
    MT_OPTION_MACHINE_SET,
    {.name = "--profile",
        .value = "DIR",
        .help = "folder (created if missing) for profile.json and tables of the load and memory of each tile "
                "and link; default: only profile.json, in the output folder"},
    {.name = "--trace",
        .value = "FIRST:LAST",
        .help = "also write trace.json, for Perfetto, next to profile.json: the phases of each tile in these "
                "time steps, counted from 0"},
    {.name = "--trace-tiles",
        .value = "FIRST:LAST",
        .help = "limit the trace to these tiles, counted from 0; default: all"},
    MT_OPTION_NO_CACHE, MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

static mt_status run(mt_arena *arena, const mt_arguments *arguments);

const mt_command mt_command_run = {
    .name = "run",
    .operands = "[CASE.yaml]",
    .n_optional = 1,
    .summary = "simulate a case; print activation times and cycles; write maps, a picture and a profile",
    .example = "myotile run data/cases/niederer-0.5.yaml --set time.end_ms=20 --output quick",
    .options = options,
    .ranks = true,
    .run = run,
};

/* ---- the folder ---- */

/* Returns DIR, or the name of the case file without folder and extension. */
static const char *folder_name(const char *asked, const char *case_path, char *name, size_t size)
{
    if (asked) return asked;
    (void)snprintf(name, size, "%s", basename(case_path));
    char *dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = 0;
    else
        (void)strncat(name, ".out", size - strlen(name) - 1);
    return name;
}

/* ---- the results ---- */

/* Destinations of the results. */
typedef struct printing {
    const char *folder;
    const mt_arguments *arguments;
} printing;

/* Prints the names of the files. */
static bool print_files(const mt_run *done, const char *folder, bool page, FILE *out)
{
    char profile[128], samples[128];
    mt_sample_files_names(done->sampling, samples, sizeof samples);
    const bool apart = mt_run_has_profile_folder(done, folder);
    (void)snprintf(profile, sizeof profile, "%s%s%s", done->profile ? "profile.json" : "",
        done->details ? ", tables of the tiles" : "", done->trace ? ", trace.json" : "");
    (void)fprintf(out,
        "\nIn %s/: %sresult.hdf (for ParaView), activation.csv, "
        "%s%s%s%s%s%sused.yaml\n",
        folder, done->input->output.pictures ? "activation.png (the picture), " : "",
        mt_run_network_names(done), samples, samples[0] ? ", " : "", apart ? "" : profile,
        apart || !done->profile ? "" : ", ", page ? "report.html (for a browser), " : "");
    if (apart) (void)fprintf(out, "In %s/: %s\n", done->details, profile);
    return fflush(out) == 0 && !ferror(out);
}

/* Writes the files, then prints the tables, so that a failure of the output stream does not lose results. */
static mt_status write_and_print(void *user, mt_arena *arena, const mt_run *done)
{
    const printing *to = user;
    mt_table tables[MT_RUN_TABLES];
    size_t n;
    bool page;
    const mt_status written = mt_one_run_write(done, to->folder, &page);
    char why[512] = "";
    if (written != MT_OK) (void)snprintf(why, sizeof why, "%s", mt_message());
    MT_TRY(mt_run_tables(arena, done, tables, &n));
    mt_status status = mt_print_tables(to->arguments, tables, n);
    if (written != MT_OK)
        return mt_fail(written, "%s; %s", why,
            status == MT_OK ? "the tables are printed" : "the tables cannot be printed either");
    if (status == MT_OK && to->arguments->format == MT_FORMAT_TEXT &&
        !print_files(done, to->folder, page, to->arguments->out))
        status = mt_fail(MT_FILE, "standard output: %s", strerror(errno));
    if (status != MT_FILE && status != MT_MEMORY) return status;
    return mt_fail(status, "%s; the results are in %s/", mt_message(), to->folder);
}

/* ---- the command ---- */

/* Executes the run in this folder, which has been entered, and enters the folder of the profile. */
static mt_status run_beside(mt_arena *arena, mt_one_run *r, const char *folder, const mt_arguments *arguments)
{
    printing to = {folder, arguments};
    mt_folder profile;
    if (r->run.details && mt_file_same(r->run.details, folder)) r->run.details = folder;
    const bool apart = r->run.details && r->run.details != folder;
    mt_status status =
        apart ? mt_folder_enter(r->run.details, mt_option_replace(arguments), &profile) : MT_OK;
    if (status != MT_OK) return mt_ranks_agree(status);
    status = mt_one_run_execute(arena, r, NULL, folder, write_and_print, &to);
    if (apart) mt_folder_close(&profile);
    return status;
}

static mt_status run(mt_arena *arena, const mt_arguments *arguments)
{
    mt_one_run r;
    mt_folder folder;
    char name[MT_FILE_PATH_MAX];
    const char *output = mt_option_value(arguments, "--output", mt_option_value(arguments, "--resume", NULL));
    const char *several = mt_option_given(arguments, "--ensemble") ? "--ensemble" : "--sweep";
    if (mt_option_given(arguments, several))
        return mt_ensemble(
            arena, arguments, folder_name(output, mt_operand(arguments, 0), name, sizeof name));
    if (mt_option_given(arguments, "--jobs"))
        return mt_fail(MT_INPUT, "--jobs with a single run; allowed: with --ensemble or --sweep");
    MT_TRY(mt_one_run_read(arena, arguments, NULL, &r));
    if (!mt_ranks_prints()) return mt_one_run_make_part(&r);
    mt_status status = mt_folder_enter(
        folder_name(output, r.run.path, name, sizeof name), mt_option_replace(arguments), &folder);
    if (status != MT_OK) return mt_ranks_agree(status); /* the other ranks wait for it */
    status = run_beside(arena, &r, folder.path, arguments);
    mt_folder_close(&folder);
    return status;
}
