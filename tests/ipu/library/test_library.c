/* A program that uses functions of the library, saved and loaded. */
#include <criterion/criterion.h>

#include "ipu/compile/executable_file.h"
#include "ipu/library/codelets.h"
#include "ipu/library/elementwise.h"
#include "ipu/library/loop.h"
#include "ipu/library/reduce.h"
#include "ipu/library/slice.h"
#include "tests/answers.h"
#include "tests/ipu/test_ring.h"
#include "tests/one_file.h"

enum { MOST = 200, TILES = 3, ROWS = 4, COLUMNS = 6 };

static mt_arena arena;

static void teardown(void)
{
    mt_arena_free(&arena);
    leave();
}

TestSuite(library, .init = enter, .fini = teardown);

/* The fields that a file stores of a codelet distinguish it from all others. */
Test(library, library_codelets_are_distinguishable)
{
    const ipu_codelet *list[MOST];
    const size_t n = ipu_library_codelets(NULL);
    cr_assert(n > 20 && n <= MOST);
    cr_expect_eq(ipu_library_codelets(list), n);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < a; b++) {
            bool same = strcmp(list[a]->name, list[b]->name) == 0 && list[a]->n_fields == list[b]->n_fields;
            for (size_t f = 0; same && f < list[a]->n_fields; f++)
                same = list[a]->fields[f].type == list[b]->fields[f].type;
            cr_expect(!same, "'%s', %zu and %zu", list[a]->name, a, b);
        }
}

static ipu_tensor on_tiles(ipu_graph *g, const char *name, ipu_type type, size_t n, size_t tiles)
{
    uint32_t v;
    ipu_tensor whole;
    ok(ipu_graph_add_variable(g, name, type, n, &v));
    for (size_t t = 0; t < tiles; t++)
        ok(ipu_graph_set_tile_mapping(g, v, t * n / tiles, n / tiles, (uint32_t)t));
    ok(ipu_graph_variable_tensor(g, v, &whole));
    return whole;
}

/* Four turns of x = exp(2 + 0.05 x), to half precision and back; x is stored as row `turn` of a matrix. Finally each column is summed. */
static ipu_executable *compiled(void)
{
    static const float some = 0.05F, two = 2;
    const ipu_target target = ring_target(TILES);
    const ipu_program *steps[2], *both, *program;
    ipu_executable *e;
    ipu_graph *g;
    uint32_t fill, scale, exponential, cast, back, put;
    ok(ipu_graph_new(&arena, &target, &g));
    const ipu_tensor x = on_tiles(g, "x", IPU_FLOAT, COLUMNS, TILES),
                     y = on_tiles(g, "y", IPU_FLOAT, COLUMNS, TILES),
                     h = on_tiles(g, "h", IPU_HALF, COLUMNS, TILES),
                     matrix = on_tiles(g, "matrix", IPU_FLOAT, ROWS * COLUMNS, 1),
                     turn = on_tiles(g, "turn", IPU_UNSIGNED_INT, 1, 1),
                     sums = on_tiles(g, "sums", IPU_FLOAT, COLUMNS, TILES);
    const uint32_t *const sets[] = {&fill, &scale, &exponential, &cast, &back, &put};
    const ipu_program *parts[6];
    for (size_t s = 0; s < 6; s++) {
        ok(ipu_graph_add_compute_set(g, "step", (uint32_t *)sets[s]));
        ok(ipu_program_execute(&arena, *sets[s], &parts[s]));
    }
    ok(ipu_add_fill(g, fill, &two, y));
    ok(ipu_add_scaled_add(g, scale, &some, y, x));
    ok(ipu_add_unary(g, exponential, IPU_EXP, y, x));
    ok(ipu_add_cast(g, cast, x, h));
    ok(ipu_add_cast(g, back, h, x));
    ok(ipu_add_dynamic_update(g, put, x, turn, matrix, ROWS));
    ok(ipu_program_sequence(&arena, parts, 6, &both));
    ok(ipu_counted_loop(g, ROWS, turn, both, &steps[0]));
    ok(ipu_reduce(g, IPU_REDUCE_ADD, matrix, sums, &steps[1]));
    ok(ipu_program_sequence(&arena, steps, 2, &program));
    ok(ipu_compile(&arena, g, &program, 1, &e));
    return e;
}

static uint64_t run(const ipu_executable *e, float sums[COLUMNS])
{
    const float x[COLUMNS] = {0, 0.1F, 0.2F, -1, -2, 1};
    ipu_engine *engine;
    uint32_t v, s;
    ok(ipu_graph_variable(e->graph, "x", &v));
    ok(ipu_graph_variable(e->graph, "sums", &s));
    ok(ipu_engine_new(&arena, e, false, &engine));
    ipu_engine_write_slice(engine, &(ipu_slice){v, 0, COLUMNS}, x);
    ok(ipu_engine_run(engine, 0));
    ipu_engine_read_slice(engine, &(ipu_slice){s, 0, COLUMNS}, sums);
    return ipu_engine_cycles(engine);
}

Test(library, a_saved_program_is_loaded_with_the_library_codelets)
{
    const ipu_executable *e = compiled();
    ipu_executable *loaded;
    const ipu_codelet *list[MOST];
    float before[COLUMNS], after[COLUMNS];
    ok(ipu_executable_save(e, path));
    ok(ipu_executable_load(&arena, path, list, ipu_library_codelets(list), &loaded));
    cr_expect_eq(run(loaded, after), run(e, before));
    for (size_t c = 0; c < COLUMNS; c++) cr_expect(before[c] == after[c] && before[c] != 0, "column %zu", c);
}
