#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>

#include "ipu/target.h"

static const char gc200[] = "data/machines/gc200.yaml";

Test(target, the_gc200_is_as_its_sources_say)
{
    mt_arena arena = {0};
    ipu_target t;
    cr_assert_eq(ipu_target_load(&arena, gc200, NULL, 0, &t), MT_OK, "%s", mt_message());
    cr_expect_str_eq(t.name, "GC200");
    cr_expect_eq(t.tiles, 1472);
    cr_expect_eq(t.bytes_per_tile, 624 * 1024);
    cr_expect_eq(t.worker_contexts, 6);
    cr_expect_eq(t.clock_hz, 1.325e9);
    cr_expect_eq(t.exchange_bytes_per_cycle, 4);
    cr_expect_eq(t.local_copy_bytes_per_cycle, 8);
    cr_expect_eq(t.sync_cycles, 126);
    cr_expect_eq(t.exchange_fixed_cycles, 170 - 160);
    cr_expect_eq(t.exchange_fragment_cycles, 160);
    cr_expect_eq(t.exchange_row_cycles, 2);
    cr_expect_eq(t.exchange_row_tiles, 64);
    cr_expect_eq(t.vertex_entry_cycles, 11);
    cr_expect_eq(t.instructions.f32_div, 3);
    cr_expect_eq(t.instructions.f32_exp, 3);
    cr_expect_eq(t.instructions.f32_log, 6);
    cr_expect_eq(t.instructions.f32_sqrt, 5);
    mt_arena_free(&arena);
}

Test(target, overrides_make_another_machine)
{
    static const char *const sets[] = {"tiles=23552", "exchange.sync_cycles=0", "instructions.f32_div=3.6"};
    mt_arena arena = {0};
    ipu_target t;
    cr_assert_eq(ipu_target_load(&arena, gc200, sets, 3, &t), MT_OK, "%s", mt_message());
    cr_expect_eq(t.tiles, 16 * 1472);
    cr_expect_eq(t.sync_cycles, 0);
    cr_expect_eq(t.instructions.f32_div, 3.6);
    mt_arena_free(&arena);
}

Test(target, a_broken_machine_file_is_named_with_line_and_key)
{
    char path[] = "/tmp/ipu_target_XXXXXX";
    char message[200];
    int handle = mkstemp(path);
    cr_assert(handle >= 0);
    FILE *file = fdopen(handle, "w");
    cr_assert(fputs("name: X\ntiles: 0\n", file) >= 0);
    cr_assert_eq(fclose(file), 0);
    mt_arena arena = {0};
    ipu_target t;
    cr_expect_eq(ipu_target_load(&arena, path, NULL, 0, &t), MT_INPUT);
    (void)snprintf(message, sizeof message, "%s:2: tiles: 0; allowed: at least 1 and at most 1048576", path);
    cr_expect_str_eq(mt_message(), message);
    static const char *const set = "tiles=4";
    cr_expect_eq(ipu_target_load(&arena, path, &set, 1, &t), MT_INPUT);
    (void)snprintf(message, sizeof message,
        "%s:1: bytes_per_tile: missing; allowed: a whole number at least 1 and at most 4294967295", path);
    cr_expect_str_eq(mt_message(), message);
    cr_expect_eq(remove(path), 0);
    mt_arena_free(&arena);
}
