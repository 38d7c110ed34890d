/* myotile reproduce machine: published measurements on real machines, compared with the emulated machines. */
#include <math.h>
#include <stdlib.h>

#include "data/files/data_folder.h"
#include "data/core/progress.h"
#include "app/study/machine/epiphany_programs.h"
#include "app/study/machine/wafer_programs.h"
#include "app/study/published.h"
#include "app/study/reproduce.h"
#include "ipu/compile/assembly.h"
#include "ipu/machine/machines.h"

static mt_status machine(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {{.name = "--ipus",
                                        .value = "N",
                                        .help = "omit measurements on more IPUs, and that of a whole wafer "
                                                "if N is below 16; default: 16, which takes about "
                                                "two minutes"},
    MT_OPTION_FORMAT, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_reproduce_machine = {
    .name = "reproduce machine",
    .operands = "",
    .summary =
        "measurements on real machines, compared with the emulated ones, and the sources of their constants",
    .example = "myotile reproduce machine --ipus 1",
    .options = options,
    .run = machine,
};

/* Times of the emulated machines for programs with known times. Inputs are gathered by copies, as with the vendor's compiler. */
enum { FLOAT, HALF, TYPES };
enum { ONE, TWO, FOUR, EIGHT, SIXTEEN, COUNTS };

/* Blurs of 2,200 x 1,122 pixels that did not fit on a GC2; the compiler's message has the bytes of a tile. */
static const struct {
    const char *key, *what;
    size_t ipus, rows, columns, tile; /* the least rows and columns per tile */
} memories[] = {{"machine_blur_memory_36", "blur, 36 x 128 pixels a tile: memory", 1, 36, 128, 9},
    {"machine_blur_memory_48", "blur, 48 x 128 pixels: memory", 1, 48, 128, 0},
    {"machine_blur_memory_72", "blur, 72 x 128 pixels: memory", 1, 72, 128, 0},
    {"machine_blur2_memory_48", "on 2 IPUs, 48 x 128 pixels: memory", 2, 48, 128, 0},
    {"machine_blur2_memory_72", "on 2 IPUs, 72 x 128 pixels: memory", 2, 72, 128, 0},
    {"machine_blur4_memory_48", "on 4 IPUs, 48 x 128 pixels: memory", 4, 48, 128, 0},
    {"machine_blur4_memory_72", "on 4 IPUs, 72 x 128 pixels: memory", 4, 72, 128, 0},
    {"machine_blur8_memory_48", "on 8 IPUs, 48 x 128 pixels: memory", 8, 48, 128, 0},
    {"machine_blur8_memory_72", "on 8 IPUs, 72 x 128 pixels: memory", 8, 72, 128, 0},
    {"machine_blur16_memory_72", "on 16 IPUs, 72 x 128 pixels: memory", 16, 72, 128, 0}};
enum { MEMORIES = sizeof memories / sizeof *memories };

typedef struct measured {
    unsigned long ipus; /* maximum number; programs on more do not run and have no rows */
    ipu_target gc2, gc200, bow, c600, wse1, wse2, epiphany;
    mt_program_cycles picture[TYPES][2][MT_ATS];      /* the same image on 1 and on 16 chips */
    mt_program_cycles growing[TYPES][COUNTS][MT_ATS]; /* image sizes proportional to the chips */
    mt_program_cycles tutorial[MT_TUTORIAL_SETS][MT_ATS];
    double memory[MEMORIES]; /* of a tile [KiB] */
} measured;

static mt_status load(mt_arena *arena, const char *name, ipu_target *target)
{
    const char *path;
    MT_TRY(ipu_machine_path(arena, mt_machines_folder(), name, &path));
    MT_TRY(ipu_machine_load(arena, path, NULL, 0, target));
    target->copies = IPU_COPIES_ALWAYS;
    return MT_OK;
}

static mt_status run_blur(const measured *m, const mt_blur *blur, mt_program_cycles cycles[MT_ATS])
{
    return blur->ipus <= m->ipus ? mt_blur_cycles(&m->gc2, blur, cycles) : MT_OK;
}

/* Runs the blurs with image sizes of lbm-graphcore, experiments/gaussian-blur-scaling, raw_results.txt and weak-scaling.sh. The profile on
 * 16 chips is that of a grid: the busiest worker of a grid has 96 values, that of strips 132, and the compute phase of 1 chip divided by
 * its 1,504 values and multiplied by 96 is 13,420 cycles, measured 13,152. */
static mt_status run_blurs(measured *m, bool half)
{
    const mt_blur one = {.width = 2200, .height = 1122, .ipus = 1, .half = half, .least = 1},
                  many = {.width = 2200, .height = 1122, .ipus = 16, .half = half, .grid = true, .least = 1};
    MT_TRY(run_blur(m, &one, m->picture[half][0]));
    MT_TRY(run_blur(m, &many, m->picture[half][1]));
    for (int k = 0; k < COUNTS; k++) {
        const mt_blur growing = {
            .width = 500U << k, .height = 1000, .ipus = 1U << k, .half = half, .least = 6};
        MT_TRY(run_blur(m, &growing, m->growing[half][k]));
    }
    return MT_OK;
}

static mt_status run_memories(measured *m)
{
    for (size_t k = 0; k < MEMORIES; k++) {
        const mt_blur blur = {
            .width = 2200, .height = 1122, .ipus = memories[k].ipus, .least = memories[k].rows};
        ipu_tile_memory memory;
        if (blur.ipus > m->ipus) continue;
        MT_TRY(mt_blur_memory(&m->gc2, &blur, memories[k].columns, memories[k].tile, &memory));
        m->memory[k] = (double)(memory.total + memory.gaps) / 1024;
    }
    return MT_OK;
}

static mt_status measure(mt_arena *arena, measured *m)
{
    MT_TRY(load(arena, "gc2", &m->gc2));
    MT_TRY(load(arena, "gc200", &m->gc200));
    MT_TRY(load(arena, "bow", &m->bow));
    MT_TRY(load(arena, "c600", &m->c600));
    MT_TRY(load(arena, "wse1", &m->wse1));
    MT_TRY(load(arena, "wse2", &m->wse2));
    MT_TRY(load(arena, "epiphany64", &m->epiphany));
    mt_progress_stage("the matrix-vector product");
    MT_TRY(mt_tutorial_cycles(&m->gc200, m->tutorial));
    mt_progress_stage("the blur stencil");
    MT_TRY(run_blurs(m, false));
    MT_TRY(run_blurs(m, true));
    mt_progress_stage("the memory of the blur stencil");
    return run_memories(m);
}

/* ---- rows ---- */

typedef struct row {
    const char *key, *what, *machine;
    double ours[MT_ATS];
    const char *from; /* constants derived from it; NULL: none, so it is an independent test */
    mt_published_number published;
} row;

typedef struct rows {
    row row[96];
    size_t n;
} rows;

static row *add(rows *r, const char *key, const char *what, const char *machine, const char *from)
{
    row *to = &r->row[r->n++];
    *to = (row){.key = key, .what = what, .machine = machine, .from = from};
    return to;
}

static double sum_of(const mt_program_cycles *c)
{
    return c->gather + c->sync + c->exchange + c->external + c->scatter + c->store;
}

/* Adds the increase of a step's time in weak scaling, from half the chips [us]. The lower end is the smaller of both types with the
 * fast constants, the upper end the larger with the slow ones. */
static void add_growth(rows *r, const measured *m, int k, const char *key, const char *what, const char *from)
{
    if (1UL << k > m->ipus) return;
    row *to = add(r, key, what, "GC2", from);
    for (int at = 0; at < MT_ATS; at++) {
        double us[TYPES];
        for (int t = 0; t < TYPES; t++)
            us[t] =
                (sum_of(&m->growing[t][k][at]) - sum_of(&m->growing[t][k - 1][at])) / m->gc2.clock_hz * 1e6;
        to->ours[at] = at == MT_AT_VALUES ? (us[FLOAT] + us[HALF]) / 2
                       : at == MT_AT_FAST ? fmin(us[FLOAT], us[HALF])
                                          : fmax(us[FLOAT], us[HALF]);
    }
}

static double copies(const mt_program_cycles *c) { return c->gather + c->scatter + c->store; }
static double exchange(const mt_program_cycles *c) { return c->exchange; }
static double sync_of(const mt_program_cycles *c) { return c->sync; }
static double both(const mt_program_cycles *c) { return c->sync + c->exchange; }

/* Adds the phases of a step of the blur, on 1 chip (0) or 16 (1). */
static void add_blur(rows *r, rows *sources, const measured *m)
{
    static const struct {
        const char *key, *what;
        int type, chips;
        double (*of)(const mt_program_cycles *cycles);
        const char *from;
    } phases[] = {{"machine_blur_copies_float", "blur, 16 bytes a pixel: copies", FLOAT, 0, copies,
                      "exchange.copy_row_cycles"},
        {"machine_blur_copies_half", "blur, 8 bytes a pixel: copies", HALF, 0, copies, NULL},
        {"machine_blur_exchange_float", "blur, 16 bytes: exchange", FLOAT, 0, exchange, NULL},
        {"machine_blur_exchange_half", "blur, 8 bytes: exchange", HALF, 0, exchange,
            "exchange.fixed_cycles of the GC2"},
        {"machine_blur_both_float", "blur, 16 bytes: sync plus exchange", FLOAT, 0, both, NULL},
        {"machine_blur_both_half", "blur, 8 bytes: sync plus exchange", HALF, 0, both, NULL},
        {"machine_blur16_copies_float", "on 16 IPUs, 16 bytes: copies", FLOAT, 1, copies, NULL},
        {"machine_blur16_copies_half", "on 16 IPUs, 8 bytes: copies", HALF, 1, copies, NULL},
        {"machine_blur16_exchange_float", "on 16 IPUs, 16 bytes: internal exchange", FLOAT, 1, exchange,
            NULL},
        {"machine_blur16_exchange_half", "on 16 IPUs, 8 bytes: internal exchange", HALF, 1, exchange, NULL},
        {"machine_blur16_sync", "on 16 IPUs: sync", FLOAT, 1, sync_of, NULL},
        {"machine_blur16_both_float", "on 16 IPUs, 16 bytes: sync and internal exchange", FLOAT, 1, both,
            NULL},
        {"machine_blur16_both_half", "on 16 IPUs, 8 bytes: sync and internal exchange", HALF, 1, both, NULL}};
    for (size_t k = 0; k < sizeof phases / sizeof *phases; k++) {
        if (phases[k].chips == 1 && m->ipus < 16) continue;
        row *to = add(phases[k].from ? sources : r, phases[k].key, phases[k].what, "GC2", phases[k].from);
        for (int at = 0; at < MT_ATS; at++)
            to->ours[at] = phases[k].of(&m->picture[phases[k].type][phases[k].chips][at]);
    }
}

static void add_memories(rows *r, const measured *m)
{
    for (size_t k = 0; k < MEMORIES; k++) {
        if (memories[k].ipus > m->ipus) continue;
        row *to = add(r, memories[k].key, memories[k].what, "GC2", NULL);
        for (int at = 0; at < MT_ATS; at++) to->ours[at] = m->memory[k];
    }
}

/* Adds steps of the blur in weak scaling, on 1 chip and on 16, and its compute phase on 16 chips, with the compute phase measured on 1
 * chip in proportion to the values of the busiest worker. */
static mt_status add_steps(rows *r, const measured *m)
{
    static const struct {
        const char *compute, *compute16, *steps[2], *what16, *names[2];
    } of[TYPES] = {
        {"machine_blur_compute_float", "machine_blur_compute16_float",
            {"machine_blur_step_float", "machine_blur_step16_float"}, "blur on 16 IPUs, 16 bytes: compute",
            {"weak scaling of the blur, floats: a step on 1 IPU", "floats: a step on 16 IPUs"}},
        {"machine_blur_compute_half", "machine_blur_compute16_half",
            {"machine_blur_step_half", "machine_blur_step16_half"}, "blur on 16 IPUs, 8 bytes: compute",
            {"weak scaling of the blur, halves: a step on 1 IPU", "halves: a step on 16 IPUs"}}};
    for (int t = 0; t < TYPES; t++) {
        double compute, high;
        MT_TRY(mt_published(of[t].compute, &compute, &high));
        const double each = compute / m->picture[t][0][MT_AT_VALUES].channels;
        for (int k = 0; k < (m->ipus < 16 ? 1 : 2); k++) {
            row *step = add(r, of[t].steps[k], of[t].names[k], "GC2", NULL);
            for (int at = 0; at < MT_ATS; at++) {
                const mt_program_cycles *c = &m->growing[t][k == 0 ? ONE : SIXTEEN][at];
                step->ours[at] = (sum_of(c) + each * c->channels) / m->gc2.clock_hz * 1e6;
            }
        }
        if (m->ipus < 16) continue;
        row *on_16 = add(r, of[t].compute16, of[t].what16, "GC2", NULL);
        for (int at = 0; at < MT_ATS; at++) on_16->ours[at] = each * m->picture[t][1][at].channels;
    }
    return MT_OK;
}

/* Adds the least time of an exchange: the sync and a word, from tile 0 to 1 alone, and from each tile to the next. */
static mt_status add_messages(rows *r, const measured *m)
{
    row *alone = add(r, "machine_least_alone", "sync and a word to the next tile, alone", "GC2", NULL),
        *loaded = add(r, "machine_least_loaded", "the same from all tiles", "GC2", NULL);
    for (int at = 0; at < MT_ATS; at++) {
        MT_SCRATCH(scratch);
        const ipu_target t = mt_program_target(&m->gc2, at);
        ipu_fragment *all = NULL;
        ipu_schedule schedule;
        MT_ALLOC(scratch, all, t.tiles);
        for (size_t k = 0; k < t.tiles; k++)
            all[k] =
                (ipu_fragment){.source = (uint32_t)k, .receiver = (uint32_t)((k + 1) % t.tiles), .words = 1};
        MT_TRY(ipu_schedule_make(scratch, &t, all, 1, &schedule));
        alone->ours[at] = (double)(t.sync_cycles + schedule.cycles) / t.clock_hz * 1e9;
        MT_TRY(ipu_schedule_make(scratch, &t, all, t.tiles, &schedule));
        loaded->ours[at] = (double)(t.sync_cycles + schedule.cycles) / t.clock_hz * 1e9;
    }
    return MT_OK;
}

/* Adds calls of the library's vertices. */
static mt_status add_library(rows *r, rows *sources, const measured *m)
{
    static const struct {
        const char *key, *what;
        size_t n;
        bool scaled;
        const char *from;
    } of[] = {{"machine_scaled_add_64", "scaled addition of 64 floats", 64, true, "vertex.launch_cycles"},
        {"machine_scaled_add_128", "scaled addition of 128 floats", 128, true, NULL},
        {"machine_scaled_add_256", "scaled addition of 256 floats", 256, true, NULL},
        {"machine_scaled_add_512", "scaled addition of 512 floats", 512, true, NULL},
        {"machine_add_10", "addition of 10 floats", 10, false, NULL}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        row *to = add(of[k].from ? sources : r, of[k].key, of[k].what, "Bow", of[k].from);
        for (int at = 0; at < MT_ATS; at++) {
            const ipu_target t = mt_program_target(&m->bow, at);
            MT_TRY(mt_addition_cycles(&t, of[k].n, of[k].scaled, &to->ours[at]));
        }
    }
    return MT_OK;
}

/* Adds programs on a few tiles of a wafer: their published times do not depend on the number of tiles. */
static mt_status add_seismic(rows *r, const measured *m)
{
    enum { TILES = 12, STEPS = 100000 };
    static const struct {
        const char *key, *what;
        size_t nz;
    } of[] = {{"machine_seismic_100", "25-point stencil, 100 floats a tile: a step", 100},
        {"machine_seismic_400", "400 floats a tile", 400},
        {"machine_seismic_1000", "1,000 floats a tile", 1000}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        row *to = add(r, of[k].key, of[k].what, "WSE-2", NULL);
        for (int at = 0; at < MT_ATS; at++) {
            const ipu_target t = mt_program_target(&m->wse2, at);
            MT_TRY(mt_wafer_seismic(&t, TILES, of[k].nz, &to->ours[at]));
            to->ours[at] *= STEPS / t.clock_hz;
        }
    }
    return MT_OK;
}

static mt_status add_rectangles(rows *r, const measured *m)
{
    enum { TILES = 5 };
    static const struct {
        const char *key, *what;
        size_t width, height;
    } of[] = {{"machine_stencil_1x1", "5-point stencil, 1 x 1 floats a tile: a step", 1, 1},
        {"machine_stencil_2x2", "5-point stencil, 2 x 2 floats", 2, 2},
        {"machine_stencil_5x5", "5-point stencil, 5 x 5 floats", 5, 5},
        {"machine_stencil_10x10", "5-point stencil, 10 x 10 floats", 10, 10},
        {"machine_stencil_14x9", "5-point stencil, 14 x 9 floats", 14, 9},
        {"machine_stencil_20x20", "5-point stencil, 20 x 20 floats", 20, 20},
        {"machine_stencil_64x64", "5-point stencil, 64 x 64 floats", 64, 64},
        {"machine_stencil_86x14", "5-point stencil, 86 x 14 floats", 86, 14}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        row *to = add(r, of[k].key, of[k].what, "WSE-2", NULL);
        for (int at = 0; at < MT_ATS; at++) {
            const ipu_target t = mt_program_target(&m->wse2, at);
            MT_TRY(mt_wafer_stencil(&t, TILES, of[k].width, of[k].height, &to->ours[at]));
        }
    }
    return MT_OK;
}

static mt_status add_bicgstab(rows *r, const measured *m)
{
    enum { NX = 602, NY = 595, NZ = 1536 };
    ipu_target at[MT_ATS];
    double reduction;
    if (m->ipus < 16) return MT_OK;
    row *iteration =
            add(r, "machine_bicgstab", "BiCGStab, 600 x 595 x 1536 points: an iteration", "WSE-1", NULL),
        *all =
            add(r, "machine_all_reduce", "sum of a float of each of 602 x 595 tiles, to all", "WSE-1", NULL);
    for (int k = 0; k < MT_ATS; k++) at[k] = mt_program_target(&m->wse1, k);
    MT_TRY(mt_wafer_bicgstab(at, NX, NY, NZ, iteration->ours, &reduction));
    for (int k = 0; k < MT_ATS; k++) {
        iteration->ours[k] *= 1e6 / m->wse1.clock_hz;
        all->ours[k] = reduction;
    }
    return MT_OK;
}

static mt_status add_wafers(rows *r, const measured *m)
{
    mt_progress_stage("programs on wafers");
    MT_TRY(add_rectangles(r, m));
    MT_TRY(add_seismic(r, m));
    return add_bicgstab(r, m);
}

static mt_status add_stores(rows *r, rows *sources, const measured *m)
{
    static const struct {
        const char *key, *what, *from;
        uint32_t to;
    } of[] = {{"machine_store_1", "store to the next tile, and a loop that waits", "exchange.way_cycles", 1},
        {"machine_store_2", "store over 2 links", NULL, 2},
        {"machine_store_3", "store over 3 links", NULL, 3},
        {"machine_store_4", "store over 4 links", NULL, 7},
        {"machine_store_5", "store over 5 links", NULL, 11},
        {"machine_store_6", "store over 6 links", NULL, 15}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        row *to = add(of[k].from ? sources : r, of[k].key, of[k].what, "Epiphany-III", of[k].from);
        for (int at = 0; at < MT_ATS; at++) {
            const ipu_target t = mt_program_target(&m->epiphany, at);
            MT_TRY(mt_epiphany_store(&t, of[k].to, &to->ours[at]));
        }
    }
    return MT_OK;
}

static mt_status add_copies(rows *r, rows *sources, const measured *m)
{
    static const struct {
        const char *key, *what, *from;
        size_t bytes;
        bool others;
    } of[] = {
        {"machine_dma_8", "DMA of 8 bytes, and an answer", "the start of DMA, in the program", 8, false},
        {"machine_dma_512", "DMA of 512 bytes", NULL, 512, false},
        {"machine_dma_2048", "DMA of 2 KiB", NULL, 2048, false},
        {"machine_dma_4096", "DMA of 4 KiB", NULL, 4096, false},
        {"machine_dma_8192", "DMA of 8 KiB", NULL, 8192, false},
        {"machine_dma_12288", "DMA of 12 KiB", NULL, 12288, false},
        {"machine_dma_shared", "DMA of 4 KiB, of four tiles over one link", NULL, 4096, true},
        {"machine_dma_rate", "DMA of 8 KiB, another board", "exchange.bytes_per_cycle", 8192, false}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        row *to = add(of[k].from ? sources : r, of[k].key, of[k].what, "Epiphany-III", of[k].from);
        for (int at = 0; at < MT_ATS; at++) {
            const ipu_target t = mt_program_target(&m->epiphany, at);
            MT_TRY(mt_epiphany_copy(&t, at, of[k].bytes, of[k].others, &to->ours[at]));
        }
    }
    return MT_OK;
}

/* Adds the rates of programs on all tiles of a chip [GFLOP/s]. */
static mt_status add_epiphany(rows *r, rows *sources, const measured *m)
{
    static const double stencil_operations = 64 * 60 * 60 * 10.0, product_operations = 2 * 256 * 256 * 256.0;
    mt_progress_stage("programs on an Epiphany");
    MT_TRY(add_stores(r, sources, m));
    MT_TRY(add_copies(r, sources, m));
    row *stencil =
            add(r, "machine_epiphany_stencil", "5-point stencil, 60 x 60 floats a tile", "Epiphany-IV", NULL),
        *product = add(r, "machine_epiphany_product", "product of 256 x 256 floats", "Epiphany-IV", NULL);
    for (int at = 0; at < MT_ATS; at++) {
        const ipu_target t = mt_program_target(&m->epiphany, at);
        double iteration, of_product;
        MT_TRY(mt_epiphany_stencil(&t, at, &iteration));
        MT_TRY(mt_epiphany_product(&t, at, &of_product));
        stencil->ours[at] = stencil_operations / iteration * t.clock_hz * 1e-9;
        product->ours[at] = product_operations / of_product * t.clock_hz * 1e-9;
    }
    return MT_OK;
}

static void add_tutorial(rows *r, const measured *m)
{
    row *to =
        add(r, "machine_tutorial_exchange", "matrix-vector product: exchange, mean tile", "GC200", NULL);
    for (int at = 0; at < MT_ATS; at++)
        for (int k = 0; k < MT_TUTORIAL_SETS; k++) to->ours[at] += m->tutorial[k][at].exchange_mean;
}

static void add_compute(rows *r, const measured *m)
{
    row *to = add(r, "machine_tutorial_compute", "matrix-vector product: compute, mean tile", "GC200", NULL);
    for (int at = 0; at < MT_ATS; at++)
        to->ours[at] = m->tutorial[MT_TUTORIAL_PRODUCTS][at].compute_mean +
                       m->tutorial[MT_TUTORIAL_SUMS][at].compute_mean;
}

/* Computes the cycles to send 1,000 words from tile 0 to a tile in this row of the chip. */
static mt_status transfer_cycles(const ipu_target *target, size_t row_wanted, double *cycles)
{
    MT_SCRATCH(scratch);
    ipu_fragment fragment = {.words = 1000};
    ipu_schedule schedule;
    for (size_t tile = 1, there = SIZE_MAX, column; tile < target->tiles && there != row_wanted; tile++) {
        ipu_target_place(target, tile, &there, &column);
        fragment.receiver = (uint32_t)tile;
    }
    const mt_status status = ipu_schedule_make(scratch, target, &fragment, 1, &schedule);
    if (status == MT_OK) *cycles = (double)schedule.tile_cycles[fragment.receiver];
    return status;
}

/* Computes the rate per chip [GB/s] if each chip sends equal amounts to all others. */
static mt_status all_to_all(const ipu_target *one, size_t ipus, double *rate)
{
    MT_SCRATCH(scratch);
    const double bytes_each = 1e9;
    ipu_topology *network;
    uint64_t *bytes, *load;
    bytes = mt_arena_alloc(scratch, ipus * ipus, sizeof *bytes);
    if (!bytes) return MT_MEMORY;
    for (size_t k = 0; k < ipus * ipus; k++) bytes[k] = k / ipus == k % ipus ? 0 : (uint64_t)bytes_each;
    mt_status status = ipu_topology_of(scratch, &one->links, ipus, &network);
    if (status == MT_OK && !(load = mt_arena_alloc(scratch, network->n_links, sizeof *load)))
        status = MT_MEMORY;
    if (status == MT_OK) {
        ipu_topology_load(network, bytes, load);
        const uint32_t busiest = ipu_topology_busiest(network, load);
        const double seconds = (double)load[busiest] / network->links[busiest].bytes_per_second;
        *rate = (double)(ipus - 1) * bytes_each / seconds / 1e9;
    }
    return status;
}

/* Adds the measurements from which constants were derived. */
static mt_status add_sources(rows *r, const measured *m)
{
    static const char *const links[] = {"machine_links_2", "machine_links_4", "machine_links_8",
        "machine_links_16"},
                             *const of[] = {"all-to-all, 2 IPUs", "all-to-all, 4 IPUs", "all-to-all, 8 IPUs",
                                 "all-to-all, 16 IPUs"};
    const ipu_copying panel = {.ranges = 1, .bytes = 8192};
    row *near = add(
            r, "machine_transfer_near", "1,000 words to a tile in row 0", "C600", "exchange.fixed_cycles"),
        *far =
            add(r, "machine_transfer_far", "1,000 words to a tile in row 22", "C600", "exchange.row_cycles"),
        *copy = add(r, "machine_copy_panel", "on-tile copy of 8 KiB", "C600", "exchange.copy_call_cycles");
    for (int at = 0; at < MT_ATS; at++) {
        const ipu_target t = mt_program_target(&m->c600, at);
        MT_TRY(transfer_cycles(&t, 0, &near->ours[at]));
        MT_TRY(transfer_cycles(&t, t.exchange_rows - 1, &far->ours[at]));
        copy->ours[at] = (double)ipu_copies_cycles(&t, &panel);
    }
    for (size_t k = 0; k < sizeof links / sizeof *links; k++) {
        if (2U << k > m->ipus) continue;
        row *to = add(r, links[k], of[k], "GC200", "links");
        for (int at = 0; at < MT_ATS; at++) {
            const ipu_target t = mt_program_target(&m->gc200, at);
            MT_TRY(all_to_all(&t, 2U << k, &to->ours[at]));
        }
    }
    add_growth(r, m, TWO, "machine_blur_to_2", "weak scaling of the blur, from 1 IPU to 2", "links.setup_ns");
    add_growth(
        r, m, FOUR, "machine_blur_to_4", "weak scaling of the blur, from 2 IPUs to 4", "links.through_ns");
    add_growth(r, m, EIGHT, "machine_blur_to_8", "weak scaling of the blur, from 4 IPUs to 8",
        "links.sync_ns_per_hop, its slow end");
    add_growth(r, m, SIXTEEN, "machine_blur_to_16", "weak scaling of the blur, from 8 IPUs to 16",
        "links.sync_ns_per_hop, its slow end");
    row *sync =
        add(r, "machine_blur_sync", "blur on 1 IPU: sync", "GC2", "exchange.sync_cycles, its fast end");
    for (int at = 0; at < MT_ATS; at++) sync->ours[at] = m->picture[FLOAT][0][at].sync;
    if (m->ipus < 16) return MT_OK;
    row *between[TYPES] = {add(r, "machine_blur16_between_float", "blur on 16 IPUs, 16 bytes: between IPUs",
                               "GC2", "links.setup_ns"),
        add(r, "machine_blur16_between_half", "blur on 16 IPUs, 8 bytes: between IPUs", "GC2",
            "links.setup_ns")};
    for (int at = 0; at < MT_ATS; at++)
        for (int t = 0; t < TYPES; t++) between[t]->ours[at] = m->picture[t][1][at].external;
    return MT_OK;
}

/* ---- the tables ---- */

/* Returns the difference to the middle of the measurements [%]. */
static double difference_of(const row *r)
{
    return 100 * (r->ours[MT_AT_VALUES] / ((r->published.low + r->published.high) / 2) - 1);
}

static int by_difference(const void *x, const void *y)
{
    const double a = fabs(difference_of(x)), b = fabs(difference_of(y));
    return (a < b) - (a > b);
}

/* Sorts rows by their difference, the largest first. */
static mt_status sort_rows(rows *r)
{
    for (size_t k = 0; k < r->n; k++) MT_TRY(mt_published_find(r->row[k].key, &r->row[k].published));
    qsort(r->row, r->n, sizeof *r->row, by_difference);
    return MT_OK;
}

static mt_status make_table(
    mt_arena *arena, const char *name, const char *title, rows *r, bool sources, mt_table *table)
{
    MT_TRY(sort_rows(r));
    *table = mt_table_begin(arena, name, title);
    mt_table_strings(table, "quantity", "quantity");
    mt_table_strings(table, "machine", "machine");
    mt_table_digits(table, "measured_low", "measured", "", 5);
    mt_table_digits(table, "measured_high", "up to", "", 5);
    mt_table_digits(table, "ours", "emulated", "", 5);
    mt_table_digits(table, "ours_low", "lowest", "", 5);
    mt_table_digits(table, "ours_high", "highest", "", 5);
    mt_table_strings(table, "unit", "unit");
    mt_table_decimals(table, "difference_percent", "difference", "%", 0);
    if (sources) mt_table_strings(table, "constant", "constant");
    for (size_t k = 0; k < r->n; k++) {
        const row *one = &r->row[k];
        const mt_published_number n = one->published;
        mt_table_item(table, one->key, one->what, 0);
        mt_table_text(table, one->machine);
        MT_TABLE_NUMBERS(table, n.low, n.high > n.low ? n.high : NAN, one->ours[MT_AT_VALUES],
            fmin(one->ours[MT_AT_FAST], one->ours[MT_AT_SLOW]),
            fmax(one->ours[MT_AT_FAST], one->ours[MT_AT_SLOW]));
        mt_table_text(table, n.unit);
        mt_table_number(table, difference_of(one));
        if (sources) mt_table_text(table, one->from);
    }
    return MT_OK;
}

static mt_status machine(mt_arena *arena, const mt_arguments *arguments)
{
    measured *m;
    rows *held, *sources;
    mt_table tables[2];
    MT_ALLOC(arena, m, 1);
    MT_TRY(mt_integer("--ipus", mt_option_value(arguments, "--ipus", "16"), 1, 16, &m->ipus));
    MT_ALLOC(arena, held, 1);
    MT_ALLOC(arena, sources, 1);
    MT_TRY(measure(arena, m));
    add_tutorial(held, m);
    add_compute(held, m);
    add_blur(held, sources, m);
    add_memories(held, m);
    MT_TRY(add_steps(held, m));
    MT_TRY(add_messages(held, m));
    MT_TRY(add_library(held, sources, m));
    MT_TRY(add_wafers(held, m));
    MT_TRY(add_epiphany(held, sources, m));
    MT_TRY(add_sources(sources, m));
    MT_TRY(make_table(arena, "validation",
        "Validation: measurements from which no constant was derived; inputs are gathered by copies, as by "
        "the vendor's compiler",
        held, false, &tables[0]));
    MT_TRY(make_table(arena, "calibration",
        "Calibration: measurements from which constants were derived; no test of the model", sources, true,
        &tables[1]));
    return mt_print_tables(arguments, tables, 2);
}
