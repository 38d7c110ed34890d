/* A small model, written as a text in a test and read by one of the readers of solver/cells/import. To be included last. */
#pragma once

#include <math.h>
#include <stdio.h>

#include "solver/cells/import/import.h"
#include "tests/one_file.h"

static mt_arena arena;
static mt_equations *model;
static double *value, *rate;

static inline void leave_all(void)
{
    mt_arena_free(&arena);
    leave();
}

static inline mt_status try_model(mt_import_reader *reader, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file);
    cr_assert(fputs(text, file) >= 0);
    cr_assert_eq(fclose(file), 0);
    return reader(&arena, path, &model);
}

/* Reads a model and computes its values and rates. */
static inline void read_model(mt_import_reader *reader, const char *text)
{
    const mt_status status = try_model(reader, text);
    cr_assert_eq(status, MT_OK, "%s", mt_message());
    value = mt_arena_alloc(&arena, model->n, sizeof *value);
    rate = mt_arena_alloc(&arena, model->n, sizeof *rate);
    cr_assert_eq(mt_equations_values(model, value, rate), MT_OK);
}

static inline size_t index_of(const char *name)
{
    size_t index = 0;
    cr_assert(mt_equations_find(model, name, &index), "%s", name);
    return index;
}

static inline const mt_variable *variable_of(const char *name) { return &model->variable[index_of(name)]; }

static inline void check_number(const char *name, double found, double expected)
{
    cr_assert(found == expected || fabs(found - expected) <= 1e-14 * fabs(expected),
        "%s: %.17g, expected %.17g", name, found, expected);
}

static inline void check_value(const char *name, double expected)
{
    check_number(name, value[index_of(name)], expected);
}

static inline void check_rate(const char *name, double expected)
{
    cr_assert_eq(variable_of(name)->kind, MT_VARIABLE_STATE, "%s", name);
    check_number(name, rate[index_of(name)], expected);
}

/* A text that is refused, and the message after the name of the file. */
typedef struct refused {
    const char *text, *message;
} refused;

static inline void check_refused(mt_import_reader *reader, const refused *cases, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const mt_status status = try_model(reader, cases[k].text);
        cr_assert_eq(status, MT_INPUT, "%s: status %d", cases[k].text, status);
        cr_assert_eq(strncmp(mt_message(), path, strlen(path)), 0, "%s", mt_message());
        cr_expect(strcmp(mt_message() + strlen(path), cases[k].message) == 0,
            "of %s: found \"%s\", expected \"%s\"", cases[k].text, mt_message() + strlen(path),
            cases[k].message);
    }
}

/* Lets each allocation of a reader fail once: it returns MT_MEMORY, without a crash. */
static inline void check_memory(mt_import_reader *reader, const char *text)
{
    size_t n = 0;
    for (mt_status status = MT_MEMORY; status == MT_MEMORY; mt_arena_free(&arena)) {
        mt_arena_fail_at(++n);
        status = try_model(reader, text);
        mt_arena_fail_at(0);
        cr_assert(status == MT_MEMORY || status == MT_OK, "allocation %zu: %s", n, mt_message());
    }
    cr_assert_gt(n, 20);
}
