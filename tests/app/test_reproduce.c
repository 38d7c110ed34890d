#include <criterion/criterion.h>

#include "tests/app/program.h"

/* 12 x 8 x 4 boxes of 6 cells. */
static void enter(void)
{
    enter_room();
    free(works("mesh slab --size-mm 6,4,2 --edge-mm 0.5 -o slab.hdf"));
    write_machine("three.yaml", 3);
}

TestSuite(reproduce, .init = enter, .fini = leave_room);

/* The number in column `column` (from 0) of the n-th row (from 0, behind title and header) of a table in CSV. */
static double cell_of(const char *csv, int row, int column)
{
    for (row++; row >= 0; row--) {
        csv = strchr(csv, '\n');
        cr_assert_not_null(csv++);
    }
    for (; column > 0; column--) {
        csv = strchr(csv, ',');
        cr_assert_not_null(csv++);
    }
    return *csv == ',' || *csv == '\n' ? NAN : strtod(csv, NULL);
}

enum { IPUS, SCHEME, RECEIVED, RECEIVED_MEDIAN, UNUSED, LARGEST, SHARE, PUBLISHED, DIFFERENCE };
enum { MEMORY = 2, MEMORY_MEDIAN, PIECES, CROSSING, EXCHANGE, MEAN };

/* A row is what `partition` says of the same. */
Test(reproduce, rows_of_table1_are_what_partition_counts)
{
    char *csv = works(
        "reproduce table1 --mesh slab.hdf --target three.yaml --ipus 1,2 --schemes mixed-clean --format csv");
    const char *costs = strstr(csv, "# What it costs");
    cr_assert(strstr(csv, "\nIPUs,scheme,received max,") && costs, "%s", csv);
    for (int row = 0; row < 2; row++) {
        char *json = works("partition slab.hdf --target three.yaml --ipus %d --format json", 1 + row);
        cr_assert_eq(cell_of(csv, row, IPUS), 1 + row);
        cr_assert_eq(
            1024 * cell_of(costs, row, MEMORY), json_number(json, "memory of the fullest tile", "value"));
        cr_assert_eq(1024 * cell_of(costs, row, MEMORY_MEDIAN),
            json_number(json, "memory of the median tile", "value"));
        cr_assert_eq(
            cell_of(csv, row, RECEIVED), json_number(strstr(json, "A tile"), "cells received", "max"));
        cr_assert_eq(cell_of(csv, row, RECEIVED_MEDIAN),
            json_number(strstr(json, "A tile"), "cells received", "median"));
        cr_assert_eq(cell_of(csv, row, UNUSED), json_number(json, "of these unused", "median"));
        cr_assert_eq(cell_of(costs, row, CROSSING), json_number(json, "of these from other IPUs", "value"));
        cr_assert_eq(
            cell_of(costs, row, EXCHANGE), json_number(json, "exchange of a diffusion step", "value"));
        cr_assert_eq(cell_of(csv, row, SHARE), json_number(json, "share of received cells", "value"));
        cr_assert_eq(cell_of(costs, row, PIECES), json_number(json, "pieces received", "max"));
        cr_assert_eq(cell_of(costs, row, MEAN), json_number(json, "mean tile against the slowest", "value"));
        free(json);
    }
    free(csv);
}

/* All schemes there are, on the same partition: so the same cells on the tiles, and nothing received without
 * being sent. */
Test(reproduce, table1_has_every_scheme_unless_told_otherwise)
{
    char *text = works("reproduce table1 --mesh slab.hdf --target three.yaml --ipus 2");
    static const char *const names[] = {"full", "ranged", "mixed-clean", "exact", "budget"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        cr_assert_not_null(strstr(text, names[k]), "%s: %s", names[k], text);
    free(text);
    text =
        works("reproduce table1 --mesh slab.hdf --target three.yaml --ipus 2 --schemes exact --format json");
    cr_assert(is_json(text) && strstr(text, "\"exact\"") && !strstr(text, "\"full\""), "%s", text);
    free(text);
}

/* A small slab is no heart of three million cells. */
Test(reproduce, published_shares_stand_beside_meshes_of_that_size_only)
{
    char *csv = works(
        "reproduce table1 --mesh slab.hdf --target three.yaml --ipus 1 --schemes mixed-clean --format csv");
    cr_assert(isnan(cell_of(csv, 0, PUBLISHED)) && isnan(cell_of(csv, 0, DIFFERENCE)), "%s", csv);
    free(csv);
}

Test(reproduce, table1_is_drawn)
{
    free(works("reproduce table1 --mesh slab.hdf --target three.yaml --ipus 1,2 --picture table1.png"));
    size_t n;
    char *png = bytes_of("table1.png", &n);
    cr_assert(n > 5000 && memcmp(png, "\x89PNG", 4) == 0, "%zu bytes", n);
    free(png);
}

Test(reproduce, bad_options_are_refused)
{
    refuses(
        2, "separator scheme 'best'; there are: ", "reproduce table1 --mesh slab.hdf --schemes full,best");
    refuses(2, "separator scheme ''; there are: ", "reproduce table1 --mesh slab.hdf --schemes full,");
    refuses(2, "--ranges 5; allowed: with a scheme that has such a limit",
        "reproduce table1 --mesh slab.hdf --schemes full,exact --ranges 5");
    refuses(2, "--picture with 13 counts of IPUs and 1 schemes; allowed: at most 12 and 8",
        "reproduce table1 --mesh slab.hdf --schemes full --ipus 1,1,1,1,1,1,1,1,1,1,1,1,1 --picture x.png");
    refuses(2, "--ipus 0; allowed", "reproduce table1 --mesh slab.hdf --ipus 0");
    refuses(3, "none.hdf: ", "reproduce table1 --mesh none.hdf");
}
