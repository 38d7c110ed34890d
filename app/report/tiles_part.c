#include "app/report/tiles_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/report/table_part.h"
#include "data/files/csv.h"
#include "data/files/folder.h"
#include "ipu/machine/integer.h"
#include "data/core/order.h"
#include "data/core/select.h"

enum { PLACES = 4, WORST = 100, BINS = 360 }; /* PLACES: columns before the measures */
static const char *const place[PLACES] = {"tile", "chip", "row", "column"};

/* tiles.csv, and the places of its tiles in the drawing. */
typedef struct tiles {
    mt_csv csv;
    const char *path;
    uint32_t *chip, *row, *column; /* [csv.n_rows] */
    size_t rows, columns;          /* size of a block */
    uint32_t *block;               /* [csv.n_rows] */
    size_t n_blocks;
} tiles;

static mt_status take_wholes(const mt_csv *csv, const char *path, size_t column, uint32_t *value)
{
    for (size_t k = 0; k < csv->n_rows; k++) {
        const double number = mt_csv_number(csv, k, column);
        if (!(number >= 0 && number <= UINT32_MAX && number == floor(number)))
            return mt_fail(MT_INPUT, "%s:%zu: %s: %s; allowed: a whole number from 0 to %u", path, k + 2,
                csv->column[column], csv->cell[k * csv->n_columns + column], UINT32_MAX);
        value[k] = (uint32_t)number;
    }
    return MT_OK;
}

/* ---- places and blocks ---- */

static mt_status read_places(mt_arena *arena, tiles *t)
{
    uint32_t **value[PLACES] = {NULL, &t->chip, &t->row, &t->column};
    for (size_t k = 0; k < PLACES; k++)
        if (k >= t->csv.n_columns || strcmp(t->csv.column[k], place[k]) != 0)
            return mt_fail(MT_INPUT, "%s:1: column %zu is '%s'; it must be '%s'", t->path, k + 1,
                k < t->csv.n_columns ? t->csv.column[k] : "", place[k]);
    if (t->csv.n_columns == PLACES)
        return mt_fail(MT_INPUT, "%s:1: no column after column %d; needed: at least one measure of the tiles",
            t->path, PLACES);
    for (size_t k = 1; k < PLACES; k++) {
        MT_ALLOC(arena, *value[k], t->csv.n_rows);
        MT_TRY(take_wholes(&t->csv, t->path, k, *value[k]));
    }
    return MT_OK;
}

static size_t extent(size_t n, const uint32_t *value)
{
    size_t most = 0;
    for (size_t k = 0; k < n; k++)
        if (value[k] >= most) most = value[k] + (size_t)1;
    return most;
}

/* Finds the smallest blocks, about square, with at most `most` blocks in total; or one block for each die. */
static void choose_size(tiles *t, size_t most, const size_t extents[3])
{
    t->rows = t->columns = 1;
    if (t->csv.n_rows <= most) return;
    while (extents[0] * ipu_divide_up(extents[1], t->rows) * ipu_divide_up(extents[2], t->columns) > most) {
        if (t->rows >= extents[1] && t->columns >= extents[2]) return;
        if (t->columns >= extents[2] || (t->rows <= t->columns && t->rows < extents[1]))
            t->rows++;
        else
            t->columns++;
    }
}

/* Numbers the blocks in the order of their first tiles. */
static mt_status number_blocks(mt_arena *arena, tiles *t, const size_t extents[3])
{
    const size_t down = ipu_divide_up(extents[1], t->rows), across = ipu_divide_up(extents[2], t->columns);
    uint32_t *number; /* + 1, of each place of a block */
    MT_ALLOC(arena, t->block, t->csv.n_rows);
    MT_ALLOC(arena, number, extents[0] * down * across);
    for (size_t k = 0; k < t->csv.n_rows; k++) {
        const size_t at = (t->chip[k] * down + t->row[k] / t->rows) * across + t->column[k] / t->columns;
        if (number[at] == 0) number[at] = (uint32_t)++t->n_blocks;
        t->block[k] = number[at] - 1;
    }
    return MT_OK;
}

static mt_status make_blocks(mt_arena *arena, tiles *t, size_t most)
{
    const size_t n = t->csv.n_rows,
                 extents[3] = {extent(n, t->chip), extent(n, t->row), extent(n, t->column)};
    if (extents[0] > n || extents[1] > n || extents[2] > n + 3)
        return mt_fail(MT_INPUT,
            "%s: %zu chips of %zu rows and %zu columns; allowed: at most the number of tiles, %zu", t->path,
            extents[0], extents[1], extents[2], n);
    choose_size(t, most, extents);
    return number_blocks(arena, t, extents);
}

static mt_status put_places(mt_arena *arena, mt_html_part *part, const tiles *t)
{
    const uint32_t *from[] = {t->chip, t->row, t->column};
    const size_t by[] = {1, t->rows, t->columns};
    uint32_t *value;
    MT_ALLOC(arena, value, t->n_blocks);
    mt_json_count(&part->json, "n", t->n_blocks);
    mt_json_count(&part->json, "n_tiles", t->csv.n_rows);
    mt_json_open(&part->json, "block", '[');
    mt_json_count(&part->json, NULL, t->rows);
    mt_json_count(&part->json, NULL, t->columns);
    mt_json_close(&part->json);
    for (size_t k = 0; k < sizeof from / sizeof *from; k++) {
        for (size_t i = 0; i < t->csv.n_rows; i++) value[t->block[i]] = (uint32_t)(from[k][i] / by[k]);
        mt_html_wholes(part, place[k + 1], t->n_blocks, 1, value);
    }
    return MT_OK;
}

/* ---- measures ---- */

/* A tile by its value. */
typedef struct ranked {
    uint32_t value, tile;
} ranked;

MT_ORDER_DOWN(highest_first, ranked, value, tile)

static mt_status put_spread(mt_html_part *part, size_t n, const ranked *order)
{
    MT_SCRATCH(scratch);
    double *value, sum = 0;
    MT_ALLOC(scratch, value, n);
    for (size_t k = 0; k < n; k++) sum += value[k] = order[k].value;
    mt_json_count(&part->json, "n", n);
    mt_json_count(&part->json, "min", order[n - 1].value);
    mt_json_number(&part->json, "median", mt_median(value, n));
    mt_json_number(&part->json, "mean", sum / (double)n);
    mt_json_count(&part->json, "max", order[0].value);
    return MT_OK;
}

/* Writes a histogram with BINS equal intervals from the lowest to the highest value. */
static void put_counts(mt_html_part *part, size_t n, const ranked *order)
{
    const double low = order[n - 1].value, width = order[0].value - low;
    uint32_t count[BINS] = {0};
    for (size_t k = 0; k < n; k++) {
        const double at = width > 0 ? (order[k].value - low) / width * BINS : 0;
        count[at < BINS ? (size_t)at : BINS - 1]++;
    }
    mt_html_wholes(part, "counts", BINS, 1, count);
}

static void put_worst(mt_html_part *part, size_t n, const ranked *order)
{
    const size_t shown = n < WORST ? n : WORST;
    uint32_t tile[WORST], value[WORST];
    for (size_t k = 0; k < shown; k++) {
        tile[k] = order[k].tile;
        value[k] = order[k].value;
    }
    mt_html_wholes(part, "worst_tile", shown, 1, tile);
    mt_html_wholes(part, "worst", shown, 1, value);
}

/* Writes the statistics of a measure over all tiles, which blocks do not show. */
static mt_status put_all(mt_arena *arena, mt_html_part *part, const tiles *t, const uint32_t *value)
{
    ranked *order;
    const size_t n = t->csv.n_rows;
    MT_ALLOC(arena, order, n);
    for (uint32_t k = 0; k < n; k++) order[k] = (ranked){value[k], k};
    qsort(order, n, sizeof *order, highest_first);
    mt_json_open(&part->json, "all", '{');
    MT_TRY(put_spread(part, n, order));
    put_counts(part, n, order);
    put_worst(part, n, order);
    mt_json_close(&part->json);
    return MT_OK;
}

/* Divides the name of a phase of a compute set, "compute pde a to b": the first word is the label, the others are the set. */
static const char *part_phase(char *label, const char *unit)
{
    static const struct {
        const char *word, *unit;
    } kinds[] = {{"gather ", "cycles"}, {"exchange ", "cycles"}, {"scatter ", "cycles"},
        {"compute ", "cycles"}, {"received ", "bytes"}, {"sent ", "bytes"}, {"senders ", "tiles"},
        {"vertices ", "vertices"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const size_t n = strlen(kinds[k].word);
        if (strncmp(label, kinds[k].word, n) != 0 || strcmp(unit, kinds[k].unit) != 0) continue;
        label[n - 1] = 0;
        return label + n;
    }
    return NULL;
}

static mt_status put_measure(
    mt_arena *arena, mt_html_part *part, const tiles *t, size_t column, const uint32_t *value)
{
    char label[MT_COLUMN_WORDS], unit[MT_COLUMN_WORDS];
    uint32_t *highest;
    MT_ALLOC(arena, highest, t->n_blocks);
    for (size_t k = 0; k < t->csv.n_rows; k++)
        if (value[k] > highest[t->block[k]]) highest[t->block[k]] = value[k];
    mt_column_words(t->csv.column[column], label, unit);
    mt_json_open(&part->json, NULL, '{');
    mt_json_text(&part->json, "name", t->csv.column[column]);
    const char *set = part_phase(label, unit);
    mt_json_text(&part->json, "label", label);
    mt_json_text(&part->json, "unit", unit);
    mt_json_text(&part->json, "phase", set);
    mt_html_wholes(part, "value", t->n_blocks, 1, highest);
    if (t->n_blocks < t->csv.n_rows)
        MT_TRY(put_all(arena, part, t, value));
    else
        mt_json_text(&part->json, "all", NULL);
    mt_json_close(&part->json);
    return MT_OK;
}

static bool any(size_t n, const uint32_t *value)
{
    for (size_t k = 0; k < n; k++)
        if (value[k] > 0) return true;
    return false;
}

/* True if the data since the size `before` is within the limit. */
static mt_status has_room(mt_html_part *part, size_t before, const mt_tiles_limits *limits, bool *room)
{
    size_t now;
    MT_TRY(mt_html_part_size(part, &now));
    *room = now - before <= limits->bytes;
    return MT_OK;
}

/* Writes the measures: first the memory in use, the last column, then all others in the order of the file. */
static mt_status put_measures(
    mt_html_part *part, const tiles *t, size_t before, const mt_tiles_limits *limits, mt_tiles_shown *shown)
{
    const size_t n = t->csv.n_columns - PLACES;
    bool room;
    mt_json_open(&part->json, "measures", '[');
    for (size_t k = 0; k < n; k++) {
        MT_SCRATCH(arena);
        const size_t column = PLACES + (k + n - 1) % n;
        uint32_t *value;
        MT_ALLOC(arena, value, t->csv.n_rows);
        MT_TRY(take_wholes(&t->csv, t->path, column, value));
        if (!any(t->csv.n_rows, value)) continue;
        shown->all_measures++;
        MT_TRY(has_room(part, before, limits, &room));
        if (!room && shown->measures > 0) continue;
        MT_TRY(put_measure(arena, part, t, column, value));
        shown->measures++;
    }
    mt_json_close(&part->json);
    return MT_OK;
}

/* ---- details of individual tiles ---- */

static const char *const details[][3] = {{"memory", "memory.csv", "Memory map"},
    {"vertices", "vertices.csv", "Vertices"}, {"received", "received.csv", "Received from"}};

/* True if every cell is a number or empty. */
static bool is_of_numbers(const mt_csv *csv, size_t column)
{
    for (size_t k = 0; k < csv->n_rows; k++)
        if (*csv->cell[k * csv->n_columns + column] && isnan(mt_csv_number(csv, k, column))) return false;
    return true;
}

static mt_status put_numbers(mt_arena *arena, mt_html_part *part, const mt_csv *csv, size_t column)
{
    bool missing = false;
    double *value;
    uint32_t *number;
    MT_ALLOC(arena, value, csv->n_rows);
    MT_ALLOC(arena, number, csv->n_rows);
    for (size_t k = 0; k < csv->n_rows; k++) {
        value[k] = mt_csv_number(csv, k, column);
        missing |= !(value[k] >= 0 && value[k] <= UINT32_MAX && value[k] == floor(value[k]));
        if (!missing) number[k] = (uint32_t)value[k];
    }
    if (missing)
        mt_html_reals(part, "value", csv->n_rows, 1, value, MT_HTML_65535, 0);
    else
        mt_html_wholes(part, "value", csv->n_rows, 1, number);
    return MT_OK;
}

/* Writes each distinct word once, and for each row its index. */
static mt_status put_words(mt_arena *arena, mt_html_part *part, const mt_csv *csv, size_t column)
{
    const char **word;
    uint32_t *number;
    size_t n = 0;
    MT_ALLOC(arena, word, csv->n_rows);
    MT_ALLOC(arena, number, csv->n_rows);
    mt_json_open(&part->json, "words", '[');
    for (size_t k = 0; k < csv->n_rows; k++) {
        const char *cell = csv->cell[k * csv->n_columns + column];
        while (number[k] < n && strcmp(word[number[k]], cell) != 0) number[k]++;
        if (number[k] < n) continue;
        word[n++] = cell;
        mt_json_text(&part->json, NULL, cell);
    }
    mt_json_close(&part->json);
    mt_html_wholes(part, "value", csv->n_rows, 1, number);
    return MT_OK;
}

static mt_status put_detail(
    mt_arena *arena, mt_html_part *part, const char *const detail[3], const char *path)
{
    mt_csv csv;
    uint32_t *tile;
    MT_TRY(mt_csv_read(arena, path, &csv));
    if (strcmp(csv.column[0], place[0]) != 0)
        return mt_fail(
            MT_INPUT, "%s:1: the first column is '%s'; it must be '%s'", path, csv.column[0], place[0]);
    MT_ALLOC(arena, tile, csv.n_rows);
    MT_TRY(take_wholes(&csv, path, 0, tile));
    mt_json_open(&part->json, NULL, '{');
    mt_json_text(&part->json, "name", detail[0]);
    mt_json_text(&part->json, "title", detail[2]);
    mt_html_wholes(part, "tile", csv.n_rows, 1, tile);
    mt_json_open(&part->json, "columns", '[');
    for (size_t k = 1; k < csv.n_columns; k++) {
        char label[MT_COLUMN_WORDS], unit[MT_COLUMN_WORDS];
        const bool number = is_of_numbers(&csv, k);
        mt_column_words(csv.column[k], label, unit);
        mt_json_open(&part->json, NULL, '{');
        mt_json_text(&part->json, "label", label);
        mt_json_text(&part->json, "unit", unit);
        mt_json_truth(&part->json, "number", number);
        MT_TRY((number ? put_numbers : put_words)(arena, part, &csv, k));
        mt_json_close(&part->json);
    }
    mt_json_close(&part->json);
    mt_json_close(&part->json);
    return MT_OK;
}

static mt_status put_details(mt_html_part *part, const char *folder, size_t before,
    const mt_tiles_limits *limits, mt_tiles_shown *shown)
{
    char path[MT_FILE_PATH_MAX];
    bool room;
    mt_json_open(&part->json, "details", '[');
    for (size_t k = 0; k < sizeof details / sizeof *details; k++) {
        MT_SCRATCH(arena);
        MT_TRY(mt_folder_path(folder, details[k][1], path));
        if (access(path, F_OK) != 0) continue;
        shown->all_details++;
        MT_TRY(has_room(part, before, limits, &room));
        if (!room) continue;
        MT_TRY(put_detail(arena, part, details[k], path));
        shown->details++;
    }
    mt_json_close(&part->json);
    return MT_OK;
}

/* ---- complete part ---- */

static mt_status put(mt_arena *arena, mt_html_part *part, const char *folder, const mt_tiles_limits *limits,
    tiles *t, mt_tiles_shown *shown)
{
    size_t before;
    MT_TRY(mt_html_part_size(part, &before));
    MT_TRY(mt_csv_read(arena, t->path, &t->csv));
    if (t->csv.n_rows == 0) return mt_fail(MT_INPUT, "%s: no tiles", t->path);
    MT_TRY(read_places(arena, t));
    MT_TRY(make_blocks(arena, t, limits->tiles));
    *shown = (mt_tiles_shown){.tiles = t->csv.n_rows, .rows = t->rows, .columns = t->columns};
    mt_json_open(&part->json, "tiles", '{');
    MT_TRY(put_places(arena, part, t));
    MT_TRY(put_measures(part, t, before, limits, shown));
    MT_TRY(put_details(part, folder, before, limits, shown));
    mt_json_close(&part->json);
    return MT_OK;
}

mt_status mt_tiles_part_put(
    mt_html_part *part, const char *folder, const mt_tiles_limits *limits, mt_tiles_shown *shown)
{
    MT_SCRATCH(arena);
    char path[MT_FILE_PATH_MAX];
    tiles t = {.path = path};
    *shown = (mt_tiles_shown){0};
    MT_TRY(mt_folder_path(folder, "tiles.csv", path));
    if (access(path, F_OK) != 0) {
        mt_json_text(&part->json, "tiles", NULL);
        return MT_OK;
    }
    return put(arena, part, folder, limits, &t, shown);
}
