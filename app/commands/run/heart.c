/* myotile heart: from a surface or a mesh to the maps of a heart, fully automatic. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "data/core/number.h"
#include "data/core/progress.h"
#include "app/cli/command.h"
#include "app/commands/run/one_run.h"
#include "app/heart/heart_case.h"
#include "app/heart/heart_mesh.h"
#include "app/heart/heart_network.h"
#include "app/results/network_files.h"
#include "app/run/problem.h"
#include "app/run/speed.h"
#include "data/files/folder.h"
#include "mesh/files/formats.h"
#include "mesh/network/network_files.h"
#include "mesh/vtk/vtkhdf.h"

static mt_status heart(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    MT_OPTION_OUTPUT("DIR", "folder for mesh, case and results (created if missing)"),
    {.name = "--elements",
        .value = "N",
        .help = "number of elements (for an input mesh, which is only refined uniformly, the upper limit); "
                "default: as required for the CV error of --accuracy"},
    {.name = "--accuracy",
        .value = "PERCENT",
        .help =
            "allowed CV error (expected error of activation times): the voltages are at the vertices of the "
            "mesh, which takes a fifth of the time, if these are accurate enough, otherwise at its elements; "
            "default: 10"},
    {.name = "--unit",
        .value = "um|mm|cm|m",
        .help = "unit of the coordinates in the files; default: um for CARP, otherwise mm"},
    {.name = "--beat",
        .help = "simulate a complete beat, with repolarisation: adds maps of repolarisation and APD, and the "
                "T wave of the ECG"},
    {.name = "--conduction-system",
        .help = "generate the His bundle, bundle branches and Purkinje fibres, and stimulate the His bundle: "
                "sinus rhythm; requires an anatomy"},
    {.name = "--scanner-axes",
        .help =
            "place the electrodes of the ECG by the coordinates of the files, which are those of the "
            "patient in the scanner (DICOM): x to the left, y posterior, z superior; default: by apex, base "
            "and right ventricle, in an average orientation"},
    {.name = "--case-only", .help = "write mesh and case, without simulating"},
    {.name = "--force", .help = "replace mesh and case in DIR, and files that myotile did not write"},
    MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_heart = {
    .name = "heart",
    .operands = "SURFACE...",
    .n_operands = 1,
    .more_operands = true,
    .summary = "simulate a heart, fully automatically, from a closed surface (one or several files) or a "
               "mesh: mesh, fibres, case, run and maps",
    .example = "myotile heart data/geometry/ventricle.obj --elements 100000 -o my-heart",
    .options = options,
    .run = heart,
};

/* Paths of the output. */
typedef struct places {
    const char *folder;
    char mesh[MT_FILE_PATH_MAX], network[MT_FILE_PATH_MAX], case_file[MT_FILE_PATH_MAX];
    char run_again[2 * MT_FILE_PATH_MAX];
} places;

/* ---- options ---- */

/* Reads --accuracy. */
static mt_status read_accuracy(const mt_arguments *arguments, double *percent)
{
    const char *text = mt_option_value(arguments, "--accuracy", NULL);
    *percent = MT_HEART_LATE_PERCENT;
    if (!text) return MT_OK;
    MT_TRY(mt_numbers("--accuracy", text, 1, 0, percent));
    if (*percent >= 0.1 && *percent <= 100) return MT_OK;
    return mt_fail(MT_INPUT, "--accuracy %s; allowed: 0.1 to 100 %%", text);
}

static mt_status read_asked(const mt_arguments *arguments, const places *at, mt_heart_request *asked)
{
    const char *elements = mt_option_value(arguments, "--elements", NULL);
    unsigned long n = 0;
    double mm;
    if (elements) MT_TRY(mt_integer("--elements", elements, 100, 50000000, &n));
    *asked = (mt_heart_request){.n = arguments->n_operands,
        .path = arguments->operand,
        .unit = mt_option_value(arguments, "--unit", NULL),
        .elements = (double)n,
        .mesh = at->mesh};
    MT_TRY(read_accuracy(arguments, &asked->accuracy_percent));
    if (asked->unit) MT_TRY(mt_unit_mm(asked->unit, &mm));
    return MT_OK;
}

static mt_status find_places(const char *folder, places *at)
{
    at->folder = folder;
    MT_TRY(mt_folder_path(folder, "heart.hdf", at->mesh));
    MT_TRY(mt_folder_path(folder, "purkinje.vtp", at->network));
    MT_TRY(mt_folder_path(folder, "case.yaml", at->case_file));
    (void)snprintf(at->run_again, sizeof at->run_again, "myotile run %s -o %s", at->case_file, folder);
    return MT_OK;
}

/* Refuses to replace an existing case, which may have been edited. */
static mt_status check_places(const places *at, mt_file_replace replace)
{
    const bool stopped = mt_checkpoints_any(at->folder);
    if (access(at->case_file, F_OK) == 0 && replace != MT_FILE_ANY)
        return mt_fail(MT_FILE, "%s: exists already; to replace it: --force; to %s%s", at->case_file,
            stopped ? "resume its run: myotile run --resume " : "run it again: ",
            stopped ? at->folder : at->run_again);
    MT_TRY(mt_file_check(at->mesh, replace));
    MT_TRY(mt_file_check(at->network, replace));
    return mt_file_check(at->case_file, replace);
}

/* Returns the name of the first file without folder and extension. */
static const char *title_of(const mt_heart_request *asked, char *title, size_t size)
{
    (void)snprintf(title, size, "%s", basename(asked->path[0]));
    char *dot = strrchr(title, '.');
    if (dot && dot != title) *dot = 0;
    return title;
}

/* ---- mesh and case ---- */

static mt_status write_case(const places *at, const mt_heart_case *chosen)
{
    mt_file file;
    MT_TRY(mt_file_begin(at->case_file, &file));
    mt_heart_case_write(file.stream, chosen, at->run_again);
    return mt_file_end(&file, MT_OK);
}

/* Writes mesh, network (NULL: none) and case, all or none. */
static mt_status write_all(
    const places *at, const mt_heart_mesh *made, const mt_network *network, const mt_heart_case *chosen)
{
    MT_TRY(mt_file_set_begin());
    mt_status status = mt_vtkhdf_write(at->mesh, &made->mesh, 0, NULL);
    if (status == MT_OK && network) status = mt_network_write(at->network, network);
    if (status == MT_OK) status = write_case(at, chosen);
    if (status == MT_OK) mt_folder_keep(at->folder);
    return mt_file_set_end(status);
}

/* Chooses the discretisation of the case, and reports the choice and the estimated duration of the run. `input`: gets the choice. */
static mt_status say_time(
    const mt_heart_mesh *made, const mt_heart_case *chosen, mt_case *input, mt_placing *placing)
{
    mt_speed speed;
    char slab[MT_NUMBER_SIZE], about[32], text[MT_PLACING_TEXT];
    MT_TRY(mt_problem_choose(&made->mesh, input, true, placing));
    mt_progress_stage(NULL);
    mt_decision("discretisation", "%s", mt_placing_text(placing, text));
    mt_case_fix_discretisation(input, placing->at_vertices);
    MT_TRY(mt_speed_measure(input, &speed));
    const double steps = (chosen->beat ? chosen->end_ms : chosen->expected_ms) / input->time.dt_ms,
                 seconds = (double)made->mesh.n_elements *
                           (speed.setup_s_per_element + steps / speed.element_steps_per_s);
    (void)snprintf(about, sizeof about, "%.0f s", ceil(seconds));
    if (seconds > 99)
        (void)snprintf(about, sizeof about, "%.0f:%02.0f min", floor(seconds / 60), fmod(floor(seconds), 60));
    mt_decision("time",
        "about %s for the run, at %.3g million %s per second, as just measured on %s elements", about,
        speed.element_steps_per_s / 1e6, placing->at_vertices ? "element-steps" : "cell-steps",
        mt_number_count_text((double)speed.n_elements, slab));
    return MT_OK;
}

/* What is built. */
typedef struct wanted {
    bool beat, network, scanner_axes;
} wanted;

/* Returns the absolute path of a file in the folder, in `arena`. */
static mt_status path_in(mt_arena *arena, const places *at, const char *name, const char **path)
{
    const char *folder = at->folder;
    char text[MT_FILE_PATH_MAX];
    MT_TRY(mt_file_absolute(arena, &folder));
    MT_TRY(mt_folder_path(folder, name, text));
    *path = mt_arena_text(arena, text);
    return *path ? MT_OK : MT_MEMORY;
}

/* Builds mesh, network and case. The case contains the absolute paths of the others. */
static mt_status make_all(mt_arena *arena, const places *at, const mt_heart_request *asked, wanted what,
    mt_refining *refining, mt_placing *placing)
{
    mt_case input;
    char title[MT_FILE_PATH_MAX];
    const char *mesh;
    mt_heart_mesh *made;
    mt_heart_case *chosen;
    mt_network network;
    MT_ALLOC(arena, made, 1);
    MT_ALLOC(arena, chosen, 1);
    MT_TRY(path_in(arena, at, "heart.hdf", &mesh));
    MT_TRY(mt_heart_mesh_make(asked, refining, made));
    if (what.network) MT_TRY(path_in(arena, at, "purkinje.vtp", &chosen->network));
    if (what.network) MT_TRY(mt_heart_network_make(arena, asked->path[0], made, &network));
    chosen->beat = what.beat;
    chosen->scanner_axes = what.scanner_axes;
    chosen->accuracy_percent = asked->accuracy_percent;
    MT_TRY(mt_heart_case_choose(title_of(asked, title, sizeof title), mesh, made, chosen));
    MT_TRY(write_all(at, made, what.network ? &network : NULL, chosen));
    mt_decision("case", "%s; to run it again after a change: %s", at->case_file, at->run_again);
    MT_TRY(mt_case_load(arena, at->case_file, NULL, 0, &input));
    return say_time(made, chosen, &input, placing);
}

static mt_status make(
    mt_arena *arena, const places *at, const mt_heart_request *asked, wanted what, mt_placing *placing)
{
    mt_arena other[2] = {{0}, {0}};
    mt_refining refining = {.arenas = {&other[0], &other[1]}};
    const mt_status status = make_all(arena, at, asked, what, &refining, placing);
    for (int k = 0; k < 2; k++) mt_arena_free(&other[k]);
    return status;
}

/* Builds all in the folder and leaves it, since the run enters it again. */
static mt_status make_in_folder(
    mt_arena *arena, const places *at, const mt_arguments *arguments, mt_placing *placing)
{
    mt_heart_request asked;
    mt_folder folder;
    const mt_file_replace replace = mt_option_replace(arguments);
    MT_TRY(read_asked(arguments, at, &asked));
    MT_TRY(mt_folder_enter(at->folder, replace, &folder));
    mt_status status = check_places(at, replace);
    const wanted what = {mt_option_given(arguments, "--beat"),
        mt_option_given(arguments, "--conduction-system"), mt_option_given(arguments, "--scanner-axes")};
    if (status == MT_OK) status = make(arena, at, &asked, what, placing);
    mt_folder_close(&folder);
    return status;
}

/* ---- the run ---- */

static void say_activation(const mt_run *done)
{
    const size_t n = mt_unknowns_count(&done->problem->unknowns);
    const char *many = mt_unknowns_word(&done->problem->unknowns, n);
    const double *at_ms = done->results.beats[0].activation_ms;
    double last_ms;
    const size_t activated = mt_record_activated(n, at_ms, &last_ms);
    char all[MT_NUMBER_SIZE], reached[MT_NUMBER_SIZE];
    if (activated == n)
        mt_decision("activation", "all %s %s activated, the last at %.1f ms",
            mt_number_count_text((double)n, all), many, last_ms);
    else
        mt_decision("activation", "%s of %s %s (%.6g %%) activated by %g ms, the last at %.1f ms",
            mt_number_count_text((double)activated, reached), mt_number_count_text((double)n, all), many,
            100 * (double)activated / (double)n, mt_run_reached_ms(done), fmax(last_ms, 0));
}

static mt_status write_results(void *user, mt_arena *arena, const mt_run *done)
{
    const char *folder = user;
    char samples[128];
    bool page;
    (void)arena;
    MT_TRY(mt_one_run_write(done, folder, &page));
    mt_sample_files_names(done->sampling, samples, sizeof samples);
    say_activation(done);
    mt_decision("files", "in %s: %s%sresult.hdf (for ParaView), %s%s%sused.yaml", folder,
        page ? "report.html (for a browser), " : "",
        done->input->output.pictures ? "activation.png (the picture), " : "", mt_run_network_names(done),
        samples, samples[0] ? ", " : "");
    return MT_OK;
}

static mt_status run(
    mt_arena *arena, const places *at, const mt_arguments *arguments, const mt_placing *placing)
{
    char *words[] = {(char *)(uintptr_t)at->case_file, "--output", (char *)(uintptr_t)at->folder, "--force"};
    mt_arguments of_run;
    mt_one_run r;
    mt_folder folder;
    MT_TRY(mt_arguments_read(arena, &mt_command_run, mt_option_given(arguments, "--force") ? 4 : 3, words,
        arguments->out, &of_run));
    MT_TRY(mt_one_run_read(arena, &of_run, NULL, &r));
    mt_one_run_give(&r, placing);
    r.placing_told = true;
    MT_TRY(mt_folder_enter(at->folder, mt_option_replace(arguments), &folder));
    mt_status status = mt_one_run_execute(arena, &r, NULL, folder.path, write_results, folder.path);
    mt_folder_close(&folder);
    return status;
}

/* ---- the command ---- */

static mt_status heart(mt_arena *arena, const mt_arguments *arguments)
{
    places *at;
    mt_placing placing;
    MT_ALLOC(arena, at, 1);
    MT_TRY(find_places(mt_option_value(arguments, "--output", NULL), at));
    MT_TRY(make_in_folder(arena, at, arguments, &placing));
    if (mt_option_given(arguments, "--case-only")) return MT_OK;
    return run(arena, at, arguments, &placing);
}
