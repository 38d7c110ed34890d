/* Tiles of a machine in a page: individually, or in blocks that show the highest values. */
#include "tests/app/report/page_data.h"

#include "app/report/tiles_part.h"

enum { CHIPS = 2, ROWS = 7, COLUMNS = 10, N = CHIPS * ROWS * COLUMNS };

static mt_arena arena;
static uint32_t busy[N];

/* Writes a file of two chips, with shuffled tile numbers; "idle" is 0 on all. */
static void enter(void)
{
    char *text = json_take(&arena, 64 * (N + 1), 1), *at = text;
    enter_room();
    write_text("page.html", bare_page);
    at += sprintf(at, "tile,chip,row,column,compute ode[cycles],idle[bytes],sent a b[bytes],memory[bytes]\n");
    for (uint32_t t = 0; t < N; t++) {
        const uint32_t on_chip = t % (ROWS * COLUMNS);
        busy[t] = 1000 + t * 7919 % 613;
        at += sprintf(at, "%u,%u,%u,%u,%u,0,%u,%u\n", t, t / (ROWS * COLUMNS), on_chip % ROWS, on_chip / ROWS,
            busy[t], t % 3, 5000 + t);
    }
    write_text("tiles.csv", text);
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(tiles_part, .init = enter, .fini = leave);

static const json *tiles_of(mt_tiles_limits limits, page *p, mt_tiles_shown *shown)
{
    mt_html_part part;
    mt_html_template template;
    size_t bytes;
    cr_assert_eq(mt_html_part_begin(0, &part), MT_OK);
    cr_assert_eq(mt_tiles_part_put(&part, ".", &limits, shown), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_html_part_end(&part, &bytes), MT_OK);
    cr_assert_eq(mt_html_template_read(&arena, "page.html", &template), MT_OK);
    cr_assert_eq(mt_html_write("out.html", &template, 1, &part, &bytes), MT_OK);
    mt_html_part_free(&part);
    *p = open_page(&arena, "out.html");
    return json_at(json_at(p->data, "runs")->first, "tiles");
}

Test(tiles_part, up_to_the_limit_each_tile_is_shown_separately)
{
    mt_tiles_shown shown;
    page p;
    size_t n;
    const json *tiles = tiles_of((mt_tiles_limits){N, SIZE_MAX}, &p, &shown);
    cr_expect_eq(json_value(tiles, "n"), N);
    cr_expect_eq(shown.rows * shown.columns, 1);
    cr_expect_eq(shown.measures, 3, "a measure that is 0 on every tile is omitted");
    const json *memory = json_at(tiles, "measures")->first, *compute = memory->next, *sent = compute->next;
    cr_expect_str_eq(json_at(memory, "label")->text, "memory");
    cr_expect_eq(json_at(memory, "phase")->kind, JSON_NULL);
    cr_expect_str_eq(json_at(compute, "label")->text, "compute");
    cr_expect_str_eq(json_at(compute, "phase")->text, "ode");
    cr_expect_str_eq(json_at(sent, "label")->text, "sent");
    cr_expect_str_eq(json_at(sent, "phase")->text, "a b");
    cr_expect_eq(json_at(compute, "all")->kind, JSON_NULL);
    const double *value = array_at(&arena, &p, compute, "value", &n);
    cr_assert_eq(n, N);
    for (size_t t = 0; t < n; t++) cr_assert_eq(value[t], busy[t]);
}

/* Checks the spread, the histogram and the tiles with the highest values by direct computation. */
static void check_all(const page *p, const json *all)
{
    size_t n, below = 0, above = 0;
    double sum = 0, low = INFINITY, high = 0, counted = 0;
    for (size_t t = 0; t < N; t++) {
        sum += busy[t];
        low = fmin(low, busy[t]);
        high = fmax(high, busy[t]);
        below += busy[t] < json_value(all, "median");
        above += busy[t] > json_value(all, "median");
    }
    cr_expect_eq(json_value(all, "n"), N);
    cr_expect_eq(json_value(all, "min"), low);
    cr_expect_eq(json_value(all, "max"), high);
    cr_expect_float_eq(json_value(all, "mean"), sum / N, 1e-9 * sum);
    cr_expect(below <= N / 2 && above <= N / 2);
    const double *counts = array_at(&arena, p, all, "counts", &n);
    for (size_t k = 0; k < n; k++) {
        double here = 0;
        for (size_t t = 0; t < N; t++) {
            const double at = (busy[t] - low) / (high - low) * (double)n;
            here += at >= (double)k && (at < (double)k + 1 || k + 1 == n);
        }
        cr_assert_eq(counts[k], here, "%zu", k);
        counted += counts[k];
    }
    cr_expect_eq(counted, N);
    const double *worst = array_at(&arena, p, all, "worst", &n),
                 *tile = array_at(&arena, p, all, "worst_tile", &n);
    cr_assert_eq(n, 100);
    for (size_t k = 0; k < n; k++) {
        size_t higher = 0;
        cr_assert_eq(busy[(size_t)tile[k]], worst[k]);
        for (size_t t = 0; t < N; t++)
            higher += busy[t] > worst[k] || (busy[t] == worst[k] && t < (size_t)tile[k]);
        cr_assert_eq(higher, k);
    }
}

Test(tiles_part, blocks_show_the_maximum_of_their_tiles)
{
    mt_tiles_shown shown;
    page p;
    size_t n;
    const json *tiles = tiles_of((mt_tiles_limits){40, SIZE_MAX}, &p, &shown),
               *compute = json_at(tiles, "measures")->first->next;
    cr_assert_leq(json_value(tiles, "n"), 40);
    cr_assert_geq(json_value(tiles, "n"), 20, "no coarser than it must be");
    cr_expect_eq(json_value(tiles, "n_tiles"), N);
    const double *chip = array_at(&arena, &p, tiles, "chip", &n),
                 *row = array_at(&arena, &p, tiles, "row", &n),
                 *column = array_at(&arena, &p, tiles, "column", &n),
                 *value = array_at(&arena, &p, compute, "value", &n);
    size_t held = 0;
    for (size_t b = 0; b < n; b++) {
        uint32_t highest = 0;
        for (uint32_t t = 0; t < N; t++) {
            const uint32_t on_chip = t % (ROWS * COLUMNS);
            if (t / (ROWS * COLUMNS) != chip[b] || on_chip % ROWS / shown.rows != row[b] ||
                on_chip / ROWS / shown.columns != column[b])
                continue;
            held++;
            if (busy[t] > highest) highest = busy[t];
        }
        cr_assert_eq(value[b], highest, "block %zu", b);
    }
    cr_expect_eq(held, N, "each tile is in one block");
    check_all(&p, json_at(compute, "all"));
}

Test(tiles_part, tables_of_single_tiles_are_embedded_unchanged)
{
    mt_tiles_shown shown;
    page p;
    size_t n;
    write_text("memory.csv", "tile,what,bytes[bytes],live from\n3,b,7,\n3,\"a, b\",9,2\n4,b,8,\n");
    const json *details = json_at(tiles_of((mt_tiles_limits){N, SIZE_MAX}, &p, &shown), "details");
    cr_assert_eq(json_length(details), 1);
    cr_expect_eq(shown.details, 1);
    const json *what = json_at(details->first, "columns")->first, *bytes = what->next, *live = bytes->next;
    const double *tile = array_at(&arena, &p, details->first, "tile", &n),
                 *word = array_at(&arena, &p, what, "value", &n),
                 *b = array_at(&arena, &p, bytes, "value", &n),
                 *from = array_at(&arena, &p, live, "value", &n);
    cr_assert_eq(n, 3);
    cr_expect(tile[0] == 3 && tile[1] == 3 && tile[2] == 4);
    cr_expect(word[0] == 0 && word[1] == 1 && word[2] == 0);
    cr_expect_str_eq(json_at(what, "words")->first->next->text, "a, b");
    cr_expect(b[0] == 7 && b[1] == 9 && b[2] == 8);
    cr_expect_str_eq(json_at(bytes, "unit")->text, "bytes");
    cr_expect(isnan(from[0]) && from[1] == 2 && isnan(from[2]));
    const json *none = json_at(tiles_of((mt_tiles_limits){N, 1}, &p, &shown), "details");
    cr_expect_eq(json_length(none), 0);
    cr_expect(shown.measures == 1 && shown.all_measures == 3 && shown.all_details == 1);
}

static void refuse(const char *text, const char *why)
{
    mt_html_part part;
    mt_tiles_shown shown;
    const mt_tiles_limits limits = {N, SIZE_MAX};
    write_text("tiles.csv", text);
    cr_assert_eq(mt_html_part_begin(0, &part), MT_OK);
    cr_assert_eq(mt_tiles_part_put(&part, ".", &limits, &shown), MT_INPUT, "%s", text);
    cr_expect_not_null(strstr(mt_message(), why), "%s", mt_message());
    mt_html_part_free(&part);
}

Test(tiles_part, damaged_tables_are_rejected)
{
    refuse("tile,chip,row,memory[bytes]\n0,0,0,5\n",
        "tiles.csv:1: column 4 is 'memory[bytes]'; it must be 'column'");
    refuse("tile,chip,row,column,memory[bytes]\n", "no tiles");
    refuse("tile,chip,row,column,memory[bytes]\n0,0,0,0,-1\n",
        "tiles.csv:2: memory[bytes]: -1; allowed: a whole number");
    refuse(
        "tile,chip,row,column,memory[bytes]\n0,4000000000,0,0,5\n", "allowed: at most the number of tiles");
}
