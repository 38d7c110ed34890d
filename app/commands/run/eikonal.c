/* myotile eikonal: the first activation of a case by the eikonal equation, in seconds. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/eikonal/eikonal_tables.h"
#include "app/results/network_files.h"
#include "app/results/run_files.h"
#include "data/core/progress.h"
#include "data/files/folder.h"

static const mt_option options[] = {
    {.name = "--output",
        .letter = 'o',
        .value = "DIR",
        .help = "folder for the results (created if missing); default: the name of the case and -eikonal"},
    {.name = "--compare",
        .value = "RUN_FOLDER",
        .help = "print the difference to the activation map of a run (`myotile run`) on the same mesh"},
    {.name = "--curvature",
        .help = "also solve for the diffusion of activation times: convex wavefronts are slower"},
    {.name = "--set", .value = "path.to.key=value", .help = "replace a value of the case", .repeats = true},
    {.name = "--junction-delay-ms",
        .value = "A,R",
        .help =
            "antegrade and retrograde delay of the junctions of a conduction network; default: measured in "
            "a slab"},
    {.name = "--no-cache", .help = "measure CV and latencies again, even if they are cached"},
    MT_OPTION_FORMAT, MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

static mt_status run(mt_arena *arena, const mt_arguments *arguments);

const mt_command mt_command_eikonal = {
    .name = "eikonal",
    .operands = "CASE.yaml",
    .n_operands = 1,
    .summary =
        "compute the first activation of a case by the anisotropic eikonal equation, in seconds; write the "
        "map and a picture",
    .example = "myotile eikonal data/cases/niederer-0.5.yaml --output quick",
    .options = options,
    .run = run,
};

/* Returns DIR, or the name of the case file without folder and extension, and "-eikonal". */
static const char *folder_name(const char *asked, const char *case_path, char *name, size_t size)
{
    if (asked) return asked;
    (void)snprintf(name, size, "%s", basename(case_path));
    char *dot = strrchr(name, '.');
    if (dot && dot != name) *dot = 0;
    (void)strncat(name, "-eikonal", size - strlen(name) - 1);
    return name;
}

static mt_status read_map(mt_arena *arena, const mt_arguments *arguments, mt_eikonal_map *map)
{
    mt_yaml_override *sets;
    size_t n_sets;
    const char *delays = mt_option_value(arguments, "--junction-delay-ms", NULL);
    *map = (mt_eikonal_map){.path = mt_operand(arguments, 0),
        .cached = !mt_option_given(arguments, "--no-cache"),
        .curvature = mt_option_given(arguments, "--curvature"),
        .junction_ms = {NAN, NAN}};
    if (delays) MT_TRY(mt_numbers("--junction-delay-ms", delays, 2, 0, map->junction_ms));
    MT_TRY(mt_option_overrides(arena, arguments, "--set", &n_sets, &sets));
    MT_TRY(mt_case_load(arena, map->path, sets, n_sets, &map->input));
    if (delays && !map->input.network.file[0])
        return mt_fail(
            MT_INPUT, "--junction-delay-ms with a case without network.file; allowed: with a network");
    return mt_fail_in(map->path, mt_eikonal_map_begin(arena, map));
}

/* Prints the names of the files. */
static mt_status print_files(const mt_arguments *arguments, const mt_eikonal_map *map, const char *folder)
{
    if (arguments->format != MT_FORMAT_TEXT) return MT_OK;
    (void)fprintf(arguments->out,
        "\nIn %s/: activation.png (the picture), result.hdf (for ParaView), activation.csv, %sused.yaml\n",
        folder, mt_run_network_names(&map->run));
    if (fflush(arguments->out) == 0 && !ferror(arguments->out)) return MT_OK;
    return mt_fail(MT_FILE, "standard output: %s", strerror(errno));
}

/* Computes the map and writes its files into the folder, which has been entered. */
static mt_status write_and_print(
    mt_arena *arena, const mt_arguments *arguments, const char *folder, mt_eikonal_map *map)
{
    const char *compared = mt_option_value(arguments, "--compare", NULL);
    mt_eikonal_comparison comparison;
    mt_table tables[MT_EIKONAL_TABLES];
    MT_TRY(mt_run_files_check(folder, &map->input, false, NULL, false));
    MT_TRY(mt_fail_in(map->path, mt_eikonal_map_make(arena, map)));
    if (compared) MT_TRY(mt_eikonal_compare(map, compared, &comparison));
    mt_progress_stage("writing the files");
    MT_TRY(mt_run_files_write(&map->run, folder));
    mt_progress_stage(NULL);
    const size_t n = mt_eikonal_tables(arena, map, compared ? &comparison : NULL, compared, tables);
    MT_TRY(mt_print_tables(arguments, tables, n));
    return print_files(arguments, map, folder);
}

static mt_status run(mt_arena *arena, const mt_arguments *arguments)
{
    char name[MT_FILE_PATH_MAX];
    mt_folder folder;
    mt_eikonal_map *map;
    MT_ALLOC(arena, map, 1);
    MT_TRY(read_map(arena, arguments, map));
    const char *output =
        folder_name(mt_option_value(arguments, "--output", NULL), map->path, name, sizeof name);
    MT_TRY(mt_folder_enter(output, mt_option_replace(arguments), &folder));
    const mt_status status = write_and_print(arena, arguments, folder.path, map);
    mt_folder_close(&folder);
    return status;
}
