/* Compiled models have the bits of the interpreter; a compiler that rounds differently, or fails, is noticed; machine code is cached. */
#include "tests/room.h"

#include "solver/cells/compiled/compiled.h"
#include "solver/cells/open.h"

static mt_arena arena;

static void enter(void)
{
    char temporary[128];
    enter_room();
    (void)snprintf(temporary, sizeof temporary, "%s/temporary", room);
    cr_assert_eq(mkdir(temporary, 0700), 0);
    cr_assert_eq(setenv("TMPDIR", temporary, 1), 0);
    cr_assert_eq(unsetenv("CC"), 0);
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(compiled, .init = enter, .fini = leave);

static const mt_cell_model *open_file(const char *path)
{
    const mt_cell_model *model;
    cr_assert_eq(mt_cell_model_open(&arena, path, &model), MT_OK, "%s", mt_message());
    return model;
}

static const mt_cell_model *open_small(void)
{
    char path[1200];
    (void)snprintf(path, sizeof path, "%s/tests/solver/cells/graph/mitchell_schaeffer.mmt", source_root);
    return open_file(path);
}

static void write_compiler(const char *text)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/compiler", room);
    write_text(path, text);
    cr_assert_eq(chmod(path, 0700), 0);
    cr_assert_eq(setenv("CC", path, 1), 0);
}

/* Without optimisation compiling takes half of the time. tests/app/commands/run/test_run.c compiles with it, as users do. */
#define QUICKLY "exec cc \"$@\" -O0\n"

/* $CC is divided at blanks. */
Test(compiled, a_compiled_model_is_a_copy_of_the_row_with_kernels_of_one_instruction_set)
{
    const mt_cell_model *model = open_small(), *compiled, *again;
    const mt_isa used = mt_kernels_used()->set;
    char words[160];
    write_compiler("#!/bin/sh\n" QUICKLY);
    (void)snprintf(words, sizeof words, "env  %s", getenv("CC"));
    cr_assert_eq(setenv("CC", words, 1), 0);
    cr_assert_eq(mt_cell_compile(&arena, model, false, false, &compiled), MT_OK, "%s", mt_message());
    cr_expect(compiled->compiled && !model->compiled && mt_cell_model_same(model, compiled));
    for (int set = 0; set < MT_ISAS; set++) {
        const bool other = set != (int)used;
        cr_expect_eq(compiled->kernel_float[set] == model->kernel_float[set], other);
        cr_expect_eq(compiled->kernel_double[set] == model->kernel_double[set], other);
        cr_expect_eq(compiled->multirate_float[set] == model->multirate_float[set], other);
        cr_expect_eq(compiled->multirate_double[set] == model->multirate_double[set], other);
    }
    cr_expect_eq(mt_cell_compile(&arena, compiled, false, false, &again), MT_OK);
    cr_expect_eq(again, compiled, "compiled twice");
    cr_expect_eq(entries("temporary"), 0);
}

/* The exponential is a function of V, which is read from a table. */
Test(compiled, kernels_that_read_tables_are_compiled_on_demand)
{
    write_text("gate.mmt", "[[model]]\nc.V = -80\nc.m = 0\n[engine]\ntime = 0 [ms] in [ms] bind time\n[c]\n"
                           "dot(V) = -0.1 * (V + 80) - 10 * m\n    in [mV]\ndot(m) = exp(V / 50) - m\n");
    const mt_cell_model *model = open_file("gate.mmt"), *compiled;
    const mt_isa used = mt_kernels_used()->set;
    write_compiler("#!/bin/sh\n" QUICKLY);
    for (int tabulated = 0; tabulated < 2; tabulated++) {
        cr_assert_eq(mt_cell_compile(&arena, model, tabulated, false, &compiled), MT_OK, "%s", mt_message());
        cr_expect_eq(compiled->tabulated_float[used] != model->tabulated_float[used], tabulated);
        cr_expect_eq(
            compiled->tabulated_multirate_float[used] != model->tabulated_multirate_float[used], tabulated);
    }
}

Test(compiled, built_in_models_are_returned_themselves)
{
    const mt_cell_model *compiled;
    cr_expect_eq(mt_cell_compile(&arena, mt_cell_models[0], false, false, &compiled), MT_OK);
    cr_expect_eq(compiled, mt_cell_models[0]);
    cr_expect_not(mt_compile_pays(mt_cell_models[0], 1e20));
}

Test(compiled, compiling_pays_only_for_long_runs)
{
    const mt_cell_model *model = open_small();
    cr_expect_not(mt_compile_pays(model, 1e6));
    cr_expect(mt_compile_pays(model, 1e10));
}

static void expect_failure(mt_status status, const char *message)
{
    const mt_cell_model *model = open_small(), *compiled;
    cr_expect_eq(mt_cell_compile(&arena, model, false, false, &compiled), status);
    cr_expect_not_null(strstr(mt_message(), message), "%s", mt_message());
    cr_expect_eq(compiled, model, "it remains interpreted");
    cr_expect_eq(entries("temporary"), 0);
}

Test(compiled, a_missing_compiler_is_named)
{
    cr_assert_eq(setenv("CC", "no-compiler -O3", 1), 0);
    expect_failure(MT_FILE, "no-compiler: found no such compiler");
}

Test(compiled, a_compiler_that_fails_is_named)
{
    write_compiler("#!/bin/sh\nexit 3\n");
    expect_failure(MT_FILE, "compiler: failed with exit code 3");
}

Test(compiled, a_compiler_that_writes_no_library_is_noticed)
{
    write_compiler("#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\necho nothing >\"$2\"\n");
    expect_failure(MT_FILE, "float.so: cannot be loaded");
}

/* Sums in another order: of the many in this model one at least is rounded differently. */
Test(compiled, a_compiler_that_rounds_differently_is_noticed)
{
    write_compiler("#!/bin/sh\nexec cc \"$@\" -O1 -ffast-math\n");
    expect_failure(MT_NUMERICS, "do not have the bits of the interpreter");
}

Test(compiled, machine_code_is_cached_by_its_source)
{
    char cache[128];
    const mt_cell_model *model = open_small(), *other = open_small(), *compiled;
    (void)snprintf(cache, sizeof cache, "%s/cache", room);
    cr_assert_eq(setenv("XDG_CACHE_HOME", cache, 1), 0);
    write_compiler("#!/bin/sh\necho call >>calls\n" QUICKLY);
    for (int turn = 0; turn < 2; turn++) {
        size_t n;
        cr_assert_eq(
            mt_cell_compile(&arena, turn ? other : model, false, true, &compiled), MT_OK, "%s", mt_message());
        cr_expect(compiled->compiled);
        free(bytes_of("calls", &n));
        cr_expect_eq(n, 2 * strlen("call\n"), "turn %d: %zu bytes", turn, n);
    }
}
