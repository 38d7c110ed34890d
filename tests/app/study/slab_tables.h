/* For tests of commands that reproduce tables of a heart: a small slab, a machine of three tiles, and the tables as JSON. */
#pragma once

#include "tests/app/program.h"
#include "tests/json.h"

static mt_arena arena;

/* 12 x 8 x 4 cubes of 6 elements. */
enum { SLAB_ELEMENTS = 12 * 8 * 4 * 6 };

static inline void enter_tables(void)
{
    enter_room();
    free(works("mesh slab --size-mm 6,4,2 --edge-mm 0.5 --cut kuhn -o slab.hdf"));
    write_machine("three.yaml", 3);
}

static inline void leave_tables(void)
{
    mt_arena_free(&arena);
    leave_room();
}

/* Runs a command and returns its tables. */
static inline const json *tables_of(const char *line)
{
    return json_parse_and_free(&arena, works("%s --format json", line));
}

/* Returns the row with this number, from 0. */
static inline const json *table_row(const json *tables, const char *table, size_t k)
{
    const json *row = json_rows(tables, table)->first;
    for (; k > 0; k--) row = row->next;
    return row;
}
