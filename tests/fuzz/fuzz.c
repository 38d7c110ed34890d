/* A fuzzer of file readers, with clang's libFuzzer. FUZZ_ENDINGS lists the endings of the files of an input, separated by blanks;
 * the first file is read. Properties checked for any input:
 *
 * - the status is MT_OK, or MT_INPUT or MT_FILE with a message that begins with the name of a file;
 * - memory is allocated only in proportion to the files (for data compressed by HDF5: libFuzzer's -malloc_limit_mb);
 * - a mesh that was read passes mt_mesh_check_content. If it has elements, its defects are found, and without fatal defects it
 *   passes the other checks. The repair succeeds or refuses; a repaired mesh passes the checks, has no fatal defects, and every
 *   writer writes it or refuses with a reason. A surface is closed, or refused;
 * - a case that was read can be written and read again, and so can the state of a cell;
 * - the equations of an ionic model that was read can be evaluated. */
#include <math.h>

#include "mesh/repair/closed.h"
#include "mesh/repair/defects.h"
#include "mesh/repair/repair.h"
#include "mesh/files/formats.h"
#include "mesh/anatomy/surfaces.h"
#include "solver/case/case.h"
#include "solver/cells/cell_state.h"
#include "solver/cells/import/import.h"
#include "tests/fuzz/parts.h"
#include "tests/fuzz/room.h"
#include "tests/mesh/check_adjacency.h"
#include "tests/mesh/multiples.h"

enum { FILES_MOST = 8, ROOM = 1 << 20 };

static char endings[] = FUZZ_ENDINGS, *ending[FILES_MOST], path[FILES_MOST][96];
static size_t n_files;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    enter();
    for (char *save, *e = strtok_r(endings, " ", &save); e; e = strtok_r(NULL, " ", &save), n_files++) {
        ending[n_files] = e;
        (void)snprintf(path[n_files], sizeof path[n_files], "%s/in%s", folder, e);
    }
    return 0;
}

/* Writes the files of an input. The last file receives the rest; an empty part is a missing file. */
static void write_parts(const uint8_t *bytes, size_t n)
{
    const size_t gap = strlen(between_parts);
    for (size_t k = 0; k < n_files; k++) {
        const uint8_t *end = k + 1 < n_files ? memmem(bytes, n, between_parts, gap) : NULL;
        const size_t size = end ? (size_t)(end - bytes) : n, used = end ? size + gap : n;
        (void)unlink(path[k]);
        if (size > 0) write_bytes(path[k], bytes, size);
        bytes += used, n -= used;
    }
}

static void check_code(mt_status status)
{
    if (status != MT_OK && status != MT_INPUT && status != MT_FILE) die("another status code");
}

static void check_answer(mt_status status)
{
    check_code(status);
    if (status != MT_OK && strncmp(mt_message(), folder, strlen(folder)) != 0)
        die("the message does not begin with a file name");
}

static void write_everywhere(const mt_mesh *mesh)
{
    static const char *const to[] = {".hdf", ".msh", ".pts", ".vtu"};
    for (size_t k = 0; k < sizeof to / sizeof *to; k++) {
        char out[96];
        const mt_mesh_format *format = NULL;
        (void)snprintf(out, sizeof out, "%s/out%s", folder, to[k]);
        if (mt_mesh_format_find(out, true, &format) != MT_OK) die("no format");
        check_answer(format->write(out, mesh));
    }
}

/* Checks that a mesh without fatal defects passes all checks. */
static void check_sound(mt_arena *arena, const mt_mesh *mesh)
{
    mt_adjacency adjacency;
    if (mt_mesh_check(mesh) != MT_OK) die("a mesh that fails its check");
    if (mt_adjacency_make(arena, mesh, &adjacency) != MT_OK) die("no adjacency");
    if (adjacency_check(&adjacency) != MT_OK) die("a wrong adjacency");
}

static void look_at_elements(mt_arena *arena, mt_mesh *mesh)
{
    mt_defects defects;
    mt_repair repair;
    if (mt_defects_find(mesh, &defects) != MT_OK) die("defects cannot be found");
    if (!defects.fatal) check_sound(arena, mesh);
    const mt_status status = mt_repair_mesh(arena, mesh, &repair);
    if (status != MT_OK && status != MT_INPUT) die("the repair failed");
    if (status != MT_OK) return;
    check_sound(arena, mesh);
    if (mt_defects_find(mesh, &defects) != MT_OK || defects.fatal) die("a repair that leaves fatal defects");
    write_everywhere(mesh);
}

static void look_at_surface(mt_arena *arena, const mt_mesh *surface)
{
    mt_mesh joined;
    mt_closed report;
    mt_sides sides;
    mt_surfaces found;
    if (mt_sides_make(arena, surface, &sides) != MT_OK) die("no sides");
    if (mt_closed_join(arena, (const mt_mesh[]){*surface, *surface}, 2, &joined) != MT_OK) die("not joined");
    const mt_status status = mt_closed_make(&joined, &report);
    check_code(status);
    if (status != MT_OK) return;
    if (mt_mesh_check(&joined) != MT_OK) die("a surface that fails its check");
    if (mt_sides_make(arena, &joined, &sides) != MT_OK || sides.n_single + sides.n_crowded > 0)
        die("a surface that is not closed");
    check_code(mt_surfaces_find(&joined, &found));
}

static size_t multiple(void)
{
    static const char *const packed[] = {".vtu", ".vtp", ".xdmf"};
    for (size_t k = 0; k < sizeof packed / sizeof *packed; k++)
        if (strcmp(ending[0], packed[k]) == 0) return MULTIPLE_PACKED;
    if (strcmp(ending[0], ".msh") == 0) return MULTIPLE_SHARED;
    return strcmp(ending[0], ".vtk") == 0 ? MULTIPLE_BYTES : MULTIPLE;
}

static mt_status read_mesh(mt_arena *arena, size_t n_bytes)
{
    const mt_mesh_format *format = NULL;
    mt_mesh mesh;
    double unit_mm = 1;
    if (mt_mesh_format_find(path[0], false, &format) != MT_OK) die("no format");
    if (mt_unit_mm(format->unit, &unit_mm) != MT_OK) die("no unit");
    const size_t before = mt_arena_allocated();
    const mt_status status = format->read(arena, path[0], unit_mm, &mesh);
    if (strcmp(ending[0], ".hdf") != 0 && mt_arena_allocated() - before > multiple() * n_bytes + ROOM)
        die("too much memory");
    if (status != MT_OK) return status;
    if (mt_mesh_check_content(&mesh, NULL) != MT_OK) die("a content that fails its check");
    if (mesh.n_elements > 0)
        look_at_elements(arena, &mesh);
    else
        look_at_surface(arena, &mesh);
    return MT_OK;
}

static mt_status read_case(mt_arena *arena)
{
    mt_case c, again;
    const char *text;
    MT_TRY(mt_case_load(arena, path[0], NULL, 0, &c));
    if (mt_yaml_write(arena, &mt_case_table, &c, &text) != MT_OK ||
        mt_yaml_read(arena, path[0], text, &mt_case_table, NULL, 0, &again) != MT_OK)
        die("a case that cannot be written and read again");
    return MT_OK;
}

static mt_status read_state(mt_arena *arena)
{
    mt_cell_state state, again;
    char out[96];
    MT_TRY(mt_cell_state_read(arena, path[0], NULL, &state));
    (void)snprintf(out, sizeof out, "%s/out.state", folder);
    if (mt_cell_state_write(out, &state) != MT_OK || mt_cell_state_read(arena, out, NULL, &again) != MT_OK)
        die("a state that cannot be written and read again");
    if (memcmp(state.states, again.states, state.model->n_states * sizeof *state.states) != 0 ||
        strcmp(state.type, again.type) != 0)
        die("another state");
    return MT_OK;
}

/* A number of a few bytes becomes a node, in two graphs that grow by doubling, and values for each node. A template function of Myokit can
 * become 16 nodes for each byte. */
enum { MULTIPLE_EQUATIONS = 256, MULTIPLE_TEMPLATES = 16 * MULTIPLE_EQUATIONS };

static mt_status read_equations(mt_arena *arena, size_t n_bytes)
{
    mt_equations *equations;
    double *value, *rate;
    const size_t before = mt_arena_allocated();
    const size_t times = strcmp(ending[0], ".mmt") == 0 ? MULTIPLE_TEMPLATES : MULTIPLE_EQUATIONS;
    const mt_status status = mt_import_read(arena, path[0], &equations);
    if (mt_arena_allocated() - before > times * n_bytes + 4 * ROOM) die("too much memory");
    if (status != MT_OK) return status;
    MT_ALLOC(arena, value, equations->n);
    MT_ALLOC(arena, rate, equations->n);
    if (mt_equations_values(equations, value, rate) != MT_OK) die("equations without values");
    for (size_t k = 0; k < equations->n; k++)
        if (equations->variable[k].kind == MT_VARIABLE_STATE && !isfinite(value[k])) die("no initial state");
    return MT_OK;
}

static mt_status read_file(mt_arena *arena, size_t n_bytes)
{
    if (mt_import_is_file(path[0])) return read_equations(arena, n_bytes);
    if (strcmp(ending[0], ".yaml") == 0) return read_case(arena);
    return strcmp(ending[0], ".state") == 0 ? read_state(arena) : read_mesh(arena, n_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    mt_arena arena = {0};
    if (n == 0) return 0;
    write_parts(bytes, n);
    check_answer(read_file(&arena, n));
    mt_arena_free(&arena);
    return 0;
}
