#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "ipu/compile/memory.h"
#include "tests/ipu/test_ring.h"
#include "tests/random.h"

static mt_arena arena;

static void teardown(void) { mt_arena_free(&arena); }

TestSuite(memory, .fini = teardown);

/* ---- calculated by hand ---- */

static ipu_tile_map map_of(const ipu_executable *e, size_t tile)
{
    ipu_tile_map map;
    cr_assert_eq(ipu_memory_map(&arena, e, tile, &map), MT_OK, "%s", mt_message());
    cr_expect_arr_eq(&map.sums, &e->memory[tile], sizeof map.sums, "the stored sums");
    return map;
}

static const ipu_executable *compiled(const ipu_graph *graph, const ipu_program *program)
{
    ipu_executable *e = NULL;
    cr_assert_eq(ipu_compile(&arena, graph, &program, program != NULL, &e), MT_OK, "%s", mt_message());
    return e;
}

static void expect_refused(const ipu_graph *graph, const char *message)
{
    ipu_executable *e = NULL;
    cr_expect_eq(ipu_compile(&arena, graph, NULL, 0, &e), MT_FIT, "%s", message);
    cr_expect_str_eq(mt_message(), message);
}

typedef struct expected {
    const char *name;
    ipu_memory_category category;
    size_t offset, bytes;
    unsigned region;
    int moment; /* the first live moment; -1: always live */
} expected;

static void expect_map(const ipu_tile_map *map, const expected *items, size_t n)
{
    cr_assert_eq(map->n_items, n, "%zu items", map->n_items);
    for (size_t i = 0; i < n; i++) {
        const ipu_memory_item *item = &map->items[i];
        cr_expect_str_eq(item->name, items[i].name);
        cr_expect_eq(item->category, items[i].category, "item %zu", i);
        cr_expect_eq(item->offset, items[i].offset, "item %zu at %zu", i, item->offset);
        cr_expect_eq(item->bytes, items[i].bytes, "item %zu of %zu", i, item->bytes);
        cr_expect_eq(item->region, items[i].region, "item %zu", i);
        cr_expect_eq(item->live.always, items[i].moment < 0, "item %zu", i);
        if (items[i].moment < 0) continue;
        cr_expect_eq(item->live.first, (uint32_t)items[i].moment, "item %zu", i);
        if (item->category == IPU_MEMORY_RECEIVED)
            cr_expect_eq(item->live.last, item->live.first, "item %zu", i);
    }
}

/* The ring of test_compile: 4 tiles of 10 floats. Code from address 0: "add" 100 -> 104, its exchange code 4 * 36, "copy" 50 -> 56: 304
 * bytes. Data from the next memory element on, by size: v with its tail 48, w 40, states 12 -> 16 and 8. */
Test(memory, the_memory_map_of_a_ring_matches_a_hand_calculation)
{
    static const expected items[] = {{"add", IPU_MEMORY_VERTEX_CODE, 0, 104, 0, -1},
        {"add", IPU_MEMORY_EXCHANGE_CODE, 104, 144, 0, -1}, {"copy", IPU_MEMORY_VERTEX_CODE, 248, 56, 0, -1},
        {"v", IPU_MEMORY_VARIABLES, 16384, 40, 0, -1}, {"add", IPU_MEMORY_RECEIVED, 16424, 8, 0, 0},
        {"w", IPU_MEMORY_VARIABLES, 16432, 40, 0, -1}, {"add", IPU_MEMORY_VERTEX_STATE, 16472, 16, 0, -1},
        {"back", IPU_MEMORY_VERTEX_STATE, 16488, 8, 0, -1},
        {"test", IPU_MEMORY_RESERVED, 637872, 1104, 1, -1}};
    const ipu_target target = ring_target(4);
    ring r;
    cr_assert_eq(ring_make(&arena, &target, 4, 10, RING_TAIL, &r), MT_OK);
    const ipu_tile_map map = map_of(compiled(r.graph, NULL), 2);
    expect_map(&map, items, sizeof items / sizeof items[0]);
    cr_expect_eq(map.sums.total, 304 + 112 + 1104);
    cr_expect_eq(map.sums.gaps, 16384 - 304);
    cr_expect_eq(map.sums.always_live, 304 + 104 + 1104);
    cr_expect_eq(map.sums.not_always_live, 8);
}

/* Two tiles of 1024 bytes: memory elements of 64 bytes, region 0 of 256 bytes, 24 reserved; 10 bytes of code per fragment or run. */
static ipu_target small_target(void)
{
    ipu_target target = ring_target(2);
    target.bytes_per_tile = 1024;
    target.memory = (ipu_memory_rules){.region0_bytes = 256,
        .element_bytes = 64,
        .reserved_bytes = 24,
        .exchange_code_bytes = 10,
        .send_words = 4};
    return target;
}

static ipu_graph *new_graph(const ipu_target *target)
{
    ipu_graph *g = NULL;
    cr_assert_eq(ipu_graph_new(&arena, target, &g), MT_OK);
    return g;
}

static uint32_t variable(ipu_graph *g, const char *name, size_t n, uint32_t tile)
{
    uint32_t id;
    cr_assert_eq(ipu_graph_add_variable(g, name, IPU_FLOAT, n, &id), MT_OK);
    cr_assert_eq(ipu_graph_set_tile_mapping(g, id, 0, n, tile), MT_OK);
    return id;
}

/* A codelet without code or state. */
static const ipu_codelet bare = {"bare", 2, ring_joined_fields, ring_copy, ring_cost, .code_bytes = 0};
static const ipu_codelet wide = {"wide", 2, ring_joined_fields, ring_copy, ring_cost, .interleaved = 1};

static void copy_by(ipu_graph *g, const ipu_codelet *codelet, uint32_t set, uint32_t tile,
    const ipu_slice *from, size_t n, ipu_slice to)
{
    size_t vertex;
    ipu_tensor tensor;
    cr_assert_eq(ipu_graph_add_vertex(g, set, codelet, tile, NULL, &vertex), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(g, from, n, &tensor), MT_OK);
    cr_assert_eq(ipu_graph_connect(g, vertex, "in", tensor), MT_OK);
    cr_assert_eq(ipu_graph_add_tensor(g, &to, 1, &tensor), MT_OK);
    cr_assert_eq(ipu_graph_connect(g, vertex, "out", tensor), MT_OK);
}

static uint32_t compute_set(ipu_graph *g, const char *name)
{
    uint32_t set;
    cr_assert_eq(ipu_graph_add_compute_set(g, name, &set), MT_OK);
    return set;
}

/* Tile 0 has "far" of 6 floats. On tile 1 "first" receives it in an edge buffer of 24 bytes. "second" receives it after "own": 20 bytes
 * with a tail of 24 -> 44 -> 48. "third" receives 4 floats in a buffer of 16. Tile 1 receives one fragment in each: 3 codes of 10 -> 16,
 * in elements of 64. Data by size: own with its tail 64..112, out 112..136. The first edge buffer overlaps the tail of "second" at
 * 88..112, since it must begin at a multiple of 8; so does the third. Tile 0 sends 6, 6 and 4 words in runs of at most 4: codes of 2, 2
 * and 1 times 10. */
Test(memory, receive_buffers_of_different_compute_sets_share_memory)
{
    static const expected items[] = {{"first", IPU_MEMORY_EXCHANGE_CODE, 0, 16, 0, -1},
        {"second", IPU_MEMORY_EXCHANGE_CODE, 16, 16, 0, -1},
        {"third", IPU_MEMORY_EXCHANGE_CODE, 32, 16, 0, -1}, {"own", IPU_MEMORY_VARIABLES, 64, 20, 0, -1},
        {"second", IPU_MEMORY_RECEIVED, 84, 28, 0, 1}, {"first", IPU_MEMORY_RECEIVED, 88, 24, 0, 0},
        {"third", IPU_MEMORY_RECEIVED, 88, 16, 0, 2}, {"out", IPU_MEMORY_VARIABLES, 112, 24, 0, -1},
        {"test", IPU_MEMORY_RESERVED, 1000, 24, 1, -1}};
    static const expected sender[] = {{"first", IPU_MEMORY_EXCHANGE_CODE, 0, 24, 0, -1},
        {"second", IPU_MEMORY_EXCHANGE_CODE, 24, 24, 0, -1},
        {"third", IPU_MEMORY_EXCHANGE_CODE, 48, 16, 0, -1}, {"far", IPU_MEMORY_VARIABLES, 64, 24, 0, -1},
        {"test", IPU_MEMORY_RESERVED, 1000, 24, 1, -1}};
    const ipu_target target = small_target();
    ipu_graph *g = new_graph(&target);
    const uint32_t far = variable(g, "far", 6, 0), own = variable(g, "own", 5, 1),
                   out = variable(g, "out", 6, 1);
    copy_by(g, &bare, compute_set(g, "first"), 1, &(ipu_slice){far, 0, 6}, 1, (ipu_slice){out, 0, 6});
    copy_by(g, &bare, compute_set(g, "second"), 1, (ipu_slice[]){{own, 0, 5}, {far, 0, 6}}, 2,
        (ipu_slice){out, 0, 6});
    copy_by(g, &bare, compute_set(g, "third"), 1, &(ipu_slice){far, 1, 4}, 1, (ipu_slice){out, 0, 4});
    const ipu_executable *e = compiled(g, NULL);
    ipu_tile_map map = map_of(e, 1);
    expect_map(&map, items, sizeof items / sizeof items[0]);
    cr_expect_eq(map.sums.bytes[IPU_MEMORY_RECEIVED], 28, "shared bytes count once");
    cr_expect_eq(map.sums.total, 48 + 20 + 28 + 24 + 24);
    cr_expect_eq(map.sums.gaps, 16);
    cr_expect_eq(map.sums.not_always_live, 28);
    map = map_of(e, 0);
    expect_map(&map, sender, sizeof sender / sizeof sender[0]);
}

/* "a" (8 floats) is written by the first compute set and read by the second, "b" by the third and the fourth: they share bytes. "c" is
 * written by the second and read by the third, so it is live together with both. */
Test(memory, temporary_variables_with_disjoint_lifetimes_share_memory)
{
    const ipu_target target = small_target();
    ipu_graph *g = new_graph(&target);
    const uint32_t in = variable(g, "in", 8, 0), a = variable(g, "a", 8, 0), b = variable(g, "b", 8, 0),
                   c = variable(g, "c", 8, 0), out = variable(g, "out", 8, 0);
    const uint32_t from[] = {in, a, c, b}, to[] = {a, c, b, out};
    for (int s = 0; s < 4; s++)
        copy_by(g, &bare, compute_set(g, "set"), 0, &(ipu_slice){from[s], 0, 8}, 1, (ipu_slice){to[s], 0, 8});
    const ipu_program *p[4], *all;
    for (uint32_t s = 0; s < 4; s++) cr_assert_eq(ipu_program_execute(&arena, s, &p[s]), MT_OK);
    cr_assert_eq(ipu_program_sequence(&arena, p, 4, &all), MT_OK);
    cr_expect_eq(map_of(compiled(g, all), 0).sums.total, 5 * 32 + 24, "nothing is marked");
    cr_assert_eq(ipu_graph_set_temporary(g, a), MT_OK);
    cr_assert_eq(ipu_graph_set_temporary(g, b), MT_OK);
    cr_assert_eq(ipu_graph_set_temporary(g, c), MT_OK);
    const ipu_tile_memory m = map_of(compiled(g, all), 0).sums;
    cr_expect_eq(m.bytes[IPU_MEMORY_VARIABLES], 64);
    cr_expect_eq(m.bytes[IPU_MEMORY_TEMPORARIES], 64);
    cr_expect_eq(m.always_live, 64 + 24);
    cr_expect_eq(m.not_always_live, 64);
    cr_expect_eq(m.gaps, 0);
}

/* Temporaries "t", with 8 floats on tile 0 and 6 on tile 1, and "u", of 4 floats. A vertex on tile 1 writes and reads its part of t;
 * nothing accesses u. */
Test(memory, temporary_variables_have_no_memory_where_nothing_accesses_them)
{
    const ipu_target target = small_target();
    ipu_graph *g = new_graph(&target);
    const uint32_t in = variable(g, "in", 6, 1), out = variable(g, "out", 6, 1), t = variable(g, "t", 14, 0),
                   u = variable(g, "u", 4, 0);
    g->mappings[t] = (ipu_mapping){.variable = t, .tile = 0, .from = 0, .n = 8};
    cr_assert_eq(ipu_graph_set_tile_mapping(g, t, 8, 6, 1), MT_OK);
    copy_by(g, &bare, compute_set(g, "write"), 1, &(ipu_slice){in, 0, 6}, 1, (ipu_slice){t, 8, 6});
    copy_by(g, &bare, compute_set(g, "read"), 1, &(ipu_slice){t, 8, 6}, 1, (ipu_slice){out, 0, 6});
    const ipu_program *p[2], *all;
    for (uint32_t s = 0; s < 2; s++) cr_assert_eq(ipu_program_execute(&arena, s, &p[s]), MT_OK);
    cr_assert_eq(ipu_program_sequence(&arena, p, 2, &all), MT_OK);
    ipu_tile_memory m = map_of(compiled(g, all), 0).sums;
    cr_expect_eq(m.total, 32 + 16 + 24, "nothing is marked");
    cr_assert_eq(ipu_graph_set_temporary(g, t), MT_OK);
    cr_assert_eq(ipu_graph_set_temporary(g, u), MT_OK);
    const ipu_executable *e = compiled(g, all);
    const ipu_tile_map map = map_of(e, 0);
    cr_expect_eq(map.n_items, 1, "only the reserved bytes");
    cr_expect_eq(map.sums.total, 24);
    m = map_of(e, 1).sums;
    cr_expect_eq(m.bytes[IPU_MEMORY_VARIABLES], 48);
    cr_expect_eq(m.bytes[IPU_MEMORY_TEMPORARIES], 24, "all used elements of t are written first");

    ipu_engine *engine;
    float values[8] = {0};
    cr_assert_eq(ipu_engine_new(&arena, e, true, &engine), MT_OK, "%s", mt_message());
    cr_assert_eq(ipu_engine_run(engine, 0), MT_OK, "%s", mt_message());
    cr_expect_eq(ipu_engine_stream(engine, &(ipu_slice){t, 6, 8}, 1, values), MT_INPUT);
    cr_expect(
        strstr(mt_message(), "variable 't' is temporary, and nothing accesses its elements from 0 on, of "
                             "tile 0: they have no memory"),
        "%s", mt_message());
    cr_expect_eq(ipu_engine_stream(engine, &(ipu_slice){t, 8, 6}, 1, values), MT_OK, "%s", mt_message());
    cr_expect_eq(engine->stream_runs, 1);
    ipu_engine_read_slice(engine, &(ipu_slice){t, 0, 1}, values);
    cr_expect(values[0] != values[0], "poison");
}

/* All of region 0 except 8 floats counts as a gap. */
Test(memory, with_an_interleaved_variable_region_0_is_still_fully_usable)
{
    ipu_target target = ring_target(1);
    ipu_graph *g = new_graph(&target);
    const uint32_t v = variable(g, "v", 8, 0), w = variable(g, "w", 8, 0);
    copy_by(g, &wide, compute_set(g, "set"), 0, &(ipu_slice){v, 0, 8}, 1, (ipu_slice){w, 0, 8});
    const ipu_tile_map map = map_of(compiled(g, NULL), 0);
    cr_expect_str_eq(map.items[0].name, "w");
    cr_expect(map.items[0].region == 0 && map.items[0].offset == 0);
    cr_expect_str_eq(map.items[1].name, "v");
    cr_expect(map.items[1].region == 1 && map.items[1].offset == 212992);
    cr_expect_eq(map.sums.total, 32 + 32 + 1104);
    cr_expect_eq(map.sums.total + map.sums.gaps, 212992 + 32 + 1104);
}

/* Two vertices that take the same 6 elements share one edge buffer of 24 bytes, in region 1 because one of them uses wide loads. The
 * other buffer, of 4 elements (16 bytes), is placed there too. */
Test(memory, edge_buffers_are_counted_once_and_interleaved_together)
{
    static const expected items[] = {{"set", IPU_MEMORY_EXCHANGE_CODE, 0, 24, 0, -1},
        {"out", IPU_MEMORY_VARIABLES, 64, 64, 0, -1}, {"set", IPU_MEMORY_RECEIVED, 256, 40, 1, 0},
        {"test", IPU_MEMORY_RESERVED, 1000, 24, 1, -1}};
    const ipu_target target = small_target();
    ipu_graph *g = new_graph(&target);
    const uint32_t far = variable(g, "far", 10, 0), out = variable(g, "out", 16, 1),
                   set = compute_set(g, "set");
    copy_by(g, &bare, set, 1, &(ipu_slice){far, 0, 6}, 1, (ipu_slice){out, 0, 6});
    copy_by(g, &wide, set, 1, &(ipu_slice){far, 0, 6}, 1, (ipu_slice){out, 6, 6});
    copy_by(g, &bare, set, 1, &(ipu_slice){far, 6, 4}, 1, (ipu_slice){out, 12, 4});
    const ipu_tile_map map = map_of(compiled(g, NULL), 1);
    expect_map(&map, items, sizeof items / sizeof items[0]);
}

/* Tile 1, from 64 on, by size: a, 20 bytes, always live, with a tail of 28 in "one"; b, 40; t, 16 bytes, live in "write" and "zero",
 * with a tail of 24 in "zero"; out, 32. At 88, over the tail of a, t itself would fit, but its own tail would overlap b. At 136 its tail
 * would fit, but t itself would overlap b. */
Test(memory, a_part_and_its_tail_are_placed_together)
{
    static const expected items[] = {{"zero", IPU_MEMORY_EXCHANGE_CODE, 0, 16, 0, -1},
        {"one", IPU_MEMORY_EXCHANGE_CODE, 16, 16, 0, -1}, {"a", IPU_MEMORY_VARIABLES, 64, 20, 0, -1},
        {"one", IPU_MEMORY_RECEIVED, 84, 28, 0, 2}, {"b", IPU_MEMORY_VARIABLES, 112, 40, 0, -1},
        {"t", IPU_MEMORY_TEMPORARIES, 152, 16, 0, 0}, {"zero", IPU_MEMORY_RECEIVED, 168, 24, 0, 1},
        {"out", IPU_MEMORY_VARIABLES, 192, 32, 0, -1}, {"test", IPU_MEMORY_RESERVED, 1000, 24, 1, -1}};
    const ipu_target target = small_target();
    ipu_graph *g = new_graph(&target);
    const uint32_t far = variable(g, "far", 6, 0), a = variable(g, "a", 5, 1), b = variable(g, "b", 10, 1),
                   t = variable(g, "t", 4, 1), out = variable(g, "out", 8, 1);
    const ipu_program *p[3], *all;
    copy_by(g, &bare, compute_set(g, "write"), 1, &(ipu_slice){b, 0, 4}, 1, (ipu_slice){t, 0, 4});
    copy_by(g, &bare, compute_set(g, "zero"), 1, (ipu_slice[]){{t, 0, 4}, {far, 0, 5}}, 2,
        (ipu_slice){out, 0, 8});
    copy_by(
        g, &bare, compute_set(g, "one"), 1, (ipu_slice[]){{a, 0, 5}, {far, 0, 6}}, 2, (ipu_slice){out, 0, 8});
    cr_assert_eq(ipu_graph_set_temporary(g, t), MT_OK);
    for (uint32_t s = 0; s < 3; s++) cr_assert_eq(ipu_program_execute(&arena, s, &p[s]), MT_OK);
    cr_assert_eq(ipu_program_sequence(&arena, p, 3, &all), MT_OK);
    const ipu_tile_map map = map_of(compiled(g, all), 1);
    cr_expect_eq(map.items[5].live.last, 1);
    expect_map(&map, items, sizeof items / sizeof items[0]);
}

Test(memory, every_failed_allocation_of_a_map_is_reported)
{
    const ipu_target target = ring_target(4);
    ring r;
    cr_assert_eq(ring_make(&arena, &target, 4, 10, RING_TAIL, &r), MT_OK);
    const ipu_executable *e = compiled(r.graph, NULL);
    for (size_t n = 1;; n++) {
        ipu_tile_map map;
        mt_arena_fail_at(n);
        const mt_status status = ipu_memory_map(&arena, e, 0, &map);
        mt_arena_fail_at(0);
        if (status == MT_OK) {
            cr_assert_eq(n, 11, "ten arrays");
            return;
        }
        cr_assert_eq(status, MT_MEMORY, "take %zu: %s", n, mt_message());
    }
}

/* ---- programs that do not fit ---- */

/* "big" of 1000 - 256 bytes must be in region 1 because of its wide loads, and fits. With one float more only region 0 has enough free
 * bytes. */
Test(memory, memory_exceeded_only_because_of_the_regions_is_reported)
{
    const ipu_target target = small_target();
    for (size_t more = 0; more < 2; more++) {
        ipu_graph *g = new_graph(&target);
        const uint32_t big = variable(g, "big", 186 + more, 0), out = variable(g, "out", 8, 0);
        copy_by(
            g, &wide, compute_set(g, "set"), 0, &(ipu_slice){big, 0, 186 + more}, 1, (ipu_slice){out, 0, 8});
        if (more == 0)
            cr_expect_eq(map_of(compiled(g, NULL), 0).sums.gaps, 256 - 32);
        else
            expect_refused(g, "tile 0: 1032 bytes required, 1024 available; it would fit without the 224 "
                              "bytes of gaps between regions and elements; largest: variables 'big' 752, "
                              "variables 'out' 32, reserved 'test' 24; 1 of 1 tiles in use (the machine has "
                              "2) exceed their memory");
    }
}

/* Code takes 8 bytes of a memory element of 64, so data begins at 64. The variables have 40 and 32 bytes; the 32 cross the border of the
 * regions at 128, and the data ends at 136. */
Test(memory, memory_exceeded_only_because_of_the_memory_elements_is_reported)
{
    static const ipu_codelet coded = {"coded", 2, ring_joined_fields, ring_copy, ring_cost, .code_bytes = 8};
    ipu_target target = small_target();
    target.bytes_per_tile = 64 + 64 + 24;
    target.memory.region0_bytes = 128;
    for (size_t n = 8; n < 10; n++) {
        ipu_graph *g = new_graph(&target);
        const uint32_t in = variable(g, "in", 8, 0), out = variable(g, "out", n, 0);
        copy_by(g, &coded, compute_set(g, "set"), 0, &(ipu_slice){in, 0, 8}, 1, (ipu_slice){out, 0, n});
        if (n == 8)
            (void)compiled(g, NULL);
        else
            expect_refused(g,
                "tile 0: 160 bytes required, 152 available; it would fit without the 56 bytes of gaps "
                "between regions and elements; largest: variables 'out' 40, variables 'in' 32, reserved "
                "'test' 24, code of codelets 'coded' 8; 1 of 1 tiles in use (the machine has 2) exceed their "
                "memory");
    }
}

/* 3 x 3 tiles of a GC200 with 218 x 218 floats each of two variables. The inputs of the workers are their rows with a border of one
 * element. Data takes 91 % of the memory of the middle tile. */
Test(memory, a_stencil_of_padded_boxes_fills_a_tile_as_on_the_hardware)
{
    enum { EDGE = 218, SIDE = 3, WIDTH = EDGE * SIDE, WORKERS = 6 };
    ipu_target target;
    ipu_graph *g;
    uint32_t in, out, set;
    cr_assert_eq(
        ipu_target_load(&arena, "data/machines/gc200.yaml", NULL, 0, &target), MT_OK, "%s", mt_message());
    g = new_graph(&target);
    cr_assert_eq(ipu_graph_add_variable(g, "in", IPU_FLOAT, WIDTH * WIDTH, &in), MT_OK);
    cr_assert_eq(ipu_graph_add_variable(g, "out", IPU_FLOAT, WIDTH * WIDTH, &out), MT_OK);
    set = compute_set(g, "stencil");
    for (uint32_t t = 0; t < SIDE * SIDE; t++) {
        const size_t top = t / SIDE * EDGE, left = t % SIDE * EDGE;
        for (size_t r = top; r < top + EDGE; r++) {
            cr_assert_eq(ipu_graph_set_tile_mapping(g, in, r * WIDTH + left, EDGE, t), MT_OK);
            cr_assert_eq(ipu_graph_set_tile_mapping(g, out, r * WIDTH + left, EDGE, t), MT_OK);
        }
        for (size_t w = 0; w < WORKERS; w++) {
            ipu_slice rows[EDGE], own[EDGE];
            size_t n = 0, n_own = 0, vertex;
            ipu_tensor tensor;
            for (size_t r = top + w * EDGE / WORKERS; r < top + (w + 1) * EDGE / WORKERS; r++)
                own[n_own++] = (ipu_slice){out, r * WIDTH + left, EDGE};
            for (size_t r = own[0].from / WIDTH; r < own[0].from / WIDTH + n_own + 2; r++)
                if (r > 0 && r <= WIDTH) {
                    const size_t from = left > 0 ? left - 1 : 0;
                    const size_t end = left + EDGE < WIDTH ? left + EDGE + 1 : WIDTH;
                    rows[n++] = (ipu_slice){in, (r - 1) * WIDTH + from, end - from};
                }
            cr_assert_eq(ipu_graph_add_vertex(g, set, &bare, t, NULL, &vertex), MT_OK);
            cr_assert_eq(ipu_graph_add_tensor(g, rows, n, &tensor), MT_OK);
            cr_assert_eq(ipu_graph_connect(g, vertex, "in", tensor), MT_OK);
            cr_assert_eq(ipu_graph_add_tensor(g, own, n_own, &tensor), MT_OK);
            cr_assert_eq(ipu_graph_connect(g, vertex, "out", tensor), MT_OK);
        }
    }
    const ipu_tile_memory *m = &compiled(g, NULL)->memory[SIDE * SIDE / 2];
    const size_t data = m->bytes[IPU_MEMORY_VARIABLES] + m->bytes[IPU_MEMORY_RECEIVED];
    cr_expect_geq((double)data, 0.9 * 638976, "%zu", data);
    cr_expect_leq(m->total + m->gaps, 638976);
}

Test(memory, code_too_large_for_region_0_is_reported)
{
    static const ipu_codelet coded = {
        "coded", 2, ring_joined_fields, ring_copy, ring_cost, .code_bytes = 257};
    const ipu_target target = small_target();
    ipu_graph *g = new_graph(&target);
    const uint32_t in = variable(g, "in", 8, 1), out = variable(g, "out", 8, 1);
    copy_by(g, &coded, compute_set(g, "set"), 1, &(ipu_slice){in, 0, 8}, 1, (ipu_slice){out, 0, 8});
    expect_refused(g, "tile 1: 408 bytes required, 1024 available; code is allowed in region 0 only: 264 "
                      "bytes, 256 available; largest: code of codelets 'coded' 264, variables 'in' 32, "
                      "variables 'out' 32, reserved 'test' 24; 1 of 1 tiles in use (the machine has 2) "
                      "exceed their memory");
}

/* From 64 on, after 16 bytes of code: big 1200, the edge buffer 80, b 64, d 48, c 32, a 16, and 24 reserved. */
Test(memory, the_five_largest_items_are_listed)
{
    const ipu_target target = small_target();
    ipu_graph *g = new_graph(&target);
    const uint32_t far = variable(g, "far", 20, 0), big = variable(g, "big", 300, 1);
    const size_t sizes[] = {4, 16, 8, 12};
    for (int k = 0; k < 4; k++) (void)variable(g, (const char *[]){"a", "b", "c", "d"}[k], sizes[k], 1);
    copy_by(g, &bare, compute_set(g, "set"), 1, &(ipu_slice){far, 0, 20}, 1, (ipu_slice){big, 0, 20});
    expect_refused(g,
        "tile 1: 1528 bytes required, 1024 available; largest: variables 'big' 1200, received 'set' 80, "
        "variables 'b' 64, variables 'd' 48, variables 'c' 32; 1 of 2 tiles "
        "exceed their memory");
}
