#include "ipu/run/profile_files.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "data/files/csv.h"
#include "data/files/file.h"
#include "data/files/folder.h"
#include "data/files/input.h"
#include "data/core/utf8.h"
#include "ipu/run/details.h"

enum { FORMAT_VERSION = 2 };

mt_status ipu_profile_check_words(const char *title, const char *machine)
{
    static const char refused[] = "%s of a profile is not valid UTF-8";
    if (mt_utf8_invalid(title)) return mt_fail(MT_INPUT, refused, "the title");
    if (mt_utf8_invalid(machine)) return mt_fail(MT_INPUT, refused, "the machine's name");
    return MT_OK;
}

/* ---- JSON ---- */

static void machine_object(mt_json *json, const ipu_target *target)
{
    mt_json_open(json, "machine", '{');
    mt_json_text(json, "name", target->name);
    mt_json_count(json, "ipus", target->ipus);
    mt_json_count(json, "tiles", target->tiles);
    mt_json_number(json, "clock_hz", target->clock_hz);
    mt_json_close(json);
}

/* The syncs of predicates and of host transfers are included in their cycles. */
static void totals_object(mt_json *json, const ipu_target *target, const ipu_profile *profile)
{
    mt_json_open(json, "totals", '{');
    mt_json_count(json, "cycles", profile->cycles);
    mt_json_count(json, "least_cycles", profile->band.at[IPU_FAST]);
    mt_json_count(json, "most_cycles", profile->band.at[IPU_SLOW]);
    mt_json_number(json, "seconds", profile->seconds);
    mt_json_count(json, "internal_sync_cycles", profile->sync_cycles - profile->external_sync_cycles);
    mt_json_count(json, "external_sync_cycles", profile->external_sync_cycles);
    mt_json_count(json, "rearrangement_cycles", profile->rearrangement_cycles);
    mt_json_count(json, "exchange_cycles", profile->exchange_cycles);
    mt_json_count(json, "compute_cycles", profile->compute_cycles);
    if (target->dram.bytes > 0) mt_json_count(json, "dram_cycles", profile->dram_cycles);
    if (ipu_clocks_needed(target)) mt_json_count(json, "overlapped_cycles", profile->overlapped_cycles);
    mt_json_count(json, "predicates", profile->predicates);
    mt_json_count(json, "predicate_cycles", profile->control_cycles);
    mt_json_count(json, "host_transfers", profile->transfers);
    mt_json_count(json, "host_cycles", profile->host_cycles);
    mt_json_count(json, "host_bytes_written", profile->host_bytes_written);
    mt_json_count(json, "host_bytes_read", profile->host_bytes_read);
    mt_json_close(json);
}

static void spread_object(mt_json *json, const char *key, const ipu_spread *spread)
{
    mt_json_open(json, key, '{');
    mt_json_count(json, "tiles", spread->tiles);
    mt_json_count(json, "min", spread->min);
    mt_json_number(json, "mean", spread->mean);
    mt_json_number(json, "sd", spread->sd);
    mt_json_count(json, "max", spread->max);
    mt_json_number(json, "effectiveness", ipu_spread_effectiveness(spread));
    mt_json_close(json);
}

static void step_object(mt_json *json, const ipu_target *target, const ipu_profile_step *step)
{
    mt_json_open(json, NULL, '{');
    mt_json_text(json, "name", step->name);
    mt_json_count(json, "runs", step->runs);
    mt_json_count(json, "cycles", step->cycles);
    mt_json_count(json, "least_cycles", step->band.at[IPU_FAST]);
    mt_json_count(json, "most_cycles", step->band.at[IPU_SLOW]);
    mt_json_count(json, "total_cycles", step->total_cycles);
    mt_json_count(json, "total_compute_cycles", step->total_compute_cycles);
    if (ipu_clocks_needed(target)) mt_json_count(json, "overlapped_cycles", step->overlapped_cycles);
    mt_json_number(json, "workers_busy", step->workers_busy);
    mt_json_count(json, "internal_sync_cycles", step->sync_cycles - step->external_sync_cycles);
    mt_json_count(json, "external_sync_cycles", step->external_sync_cycles);
    const ipu_exchange_parts parts = ipu_profile_exchange_parts(step);
    mt_json_count(json, "rearrangement_cycles", step->rearrangement_phase_cycles);
    mt_json_count(json, "exchange_cycles", step->exchange_phase_cycles);
    mt_json_count(json, "exchange_setup_cycles", parts.setup);
    mt_json_count(json, "exchange_words_cycles", parts.words);
    mt_json_count(json, "exchange_waiting_cycles", parts.waiting);
    mt_json_count(json, "external_exchange_cycles", step->external_cycles);
    mt_json_count(json, "external_fixed_cycles", step->external_fixed_cycles);
    mt_json_count(json, "exchange_bound_cycles", step->exchange_bound_cycles);
    mt_json_text(json, "busiest_link", step->busiest_link);
    spread_object(json, "tile_gather_cycles", &step->gather);
    spread_object(json, "tile_exchange_cycles", &step->exchange);
    spread_object(json, "tile_scatter_cycles", &step->scatter);
    spread_object(json, "tile_compute_cycles", &step->compute);
    mt_json_count(json, "pieces_received", step->ranges_received);
    mt_json_count(json, "bytes_received", step->bytes_received);
    mt_json_count(json, "bytes_sent", step->bytes_sent);
    mt_json_count(json, "bytes_copied", step->bytes_copied);
    mt_json_count(json, "bytes_crossing", step->bytes_crossing);
    if (target->dram.bytes > 0) {
        mt_json_count(json, "dram_cycles", step->dram_cycles);
        mt_json_count(json, "dram_bytes_read", step->dram_read);
        mt_json_count(json, "dram_bytes_written", step->dram_written);
    }
    mt_json_close(json);
}

static void turns_list(mt_json *json, const ipu_profile *profile)
{
    mt_json_open(json, "time_step", '[');
    for (size_t k = 0; k < profile->n_executions; k++) {
        const ipu_profile_execution *execution = &profile->executions[k];
        mt_json_open(json, NULL, '{');
        mt_json_text(json, "compute_set", profile->steps[execution->step].name);
        if (execution->times > 0)
            mt_json_count(json, "times", execution->times);
        else
            mt_json_text(json, "times", NULL);
        mt_json_close(json);
    }
    mt_json_close(json);
}

static void vertices_list(mt_json *json, const ipu_profile *profile)
{
    mt_json_open(json, "vertices", '[');
    for (size_t v = 0; v < profile->n_vertices; v++) {
        const ipu_profile_vertices *kind = &profile->vertices[v];
        const ipu_profile_step *step = &profile->steps[kind->step];
        mt_json_open(json, NULL, '{');
        mt_json_text(json, "codelet", kind->codelet);
        mt_json_text(json, "compute_set", step->name);
        mt_json_count(json, "instances", kind->instances);
        mt_json_count(json, "cycles", kind->cycles);
        mt_json_count(json, "total_cycles", step->runs * kind->cycles);
        mt_json_close(json);
    }
    mt_json_close(json);
}

/* Returns the fraction of an exchange phase in which a link is busy. */
static double share_of(const ipu_profile_step *step, size_t link)
{
    return (double)step->link_cycles[link] / (double)step->exchange_phase_cycles;
}

static void links_list(mt_json *json, const ipu_profile *profile)
{
    mt_json_open(json, "links", '[');
    for (size_t s = 0; s < profile->n_steps; s++) {
        const ipu_profile_step *step = &profile->steps[s];
        for (size_t l = 0; step->link_bytes && l < profile->n_links; l++) {
            mt_json_open(json, NULL, '{');
            mt_json_text(json, "compute_set", step->name);
            mt_json_text(json, "name", profile->links[l].name);
            mt_json_count(json, "from", profile->links[l].from);
            mt_json_count(json, "to", profile->links[l].to);
            mt_json_count(json, "bytes", step->link_bytes[l]);
            mt_json_count(json, "busy_cycles", step->link_cycles[l]);
            mt_json_number(json, "share_of_exchange", share_of(step, l));
            mt_json_close(json);
        }
    }
    mt_json_close(json);
}

static void memory_object(mt_json *json, const ipu_profile *profile)
{
    mt_json_open(json, "memory", '{');
    mt_json_count(json, "bytes_there", profile->memory_available);
    mt_json_count(json, "bytes_median", profile->memory_median);
    mt_json_count(json, "bytes_fullest", profile->memory_max);
    mt_json_count(json, "fullest_tile", profile->fullest_tile);
    mt_json_count(json, "gaps_fullest", profile->fullest.gaps);
    mt_json_count(json, "gaps_all_tiles", profile->memory_all.gaps);
    mt_json_count(json, "always_live_fullest", profile->fullest.always_live);
    mt_json_count(json, "not_always_live_fullest", profile->fullest.not_always_live);
    mt_json_open(json, "categories", '[');
    for (size_t k = 0; k < IPU_MEMORY_CATEGORIES; k++) {
        mt_json_open(json, NULL, '{');
        mt_json_text(json, "name", ipu_memory_category_name[k]);
        mt_json_count(json, "bytes_fullest", profile->fullest.bytes[k]);
        mt_json_count(json, "bytes_all_tiles", profile->memory_all.bytes[k]);
        mt_json_close(json);
    }
    mt_json_close(json);
    mt_json_close(json);
}

static void print_json(FILE *stream, const ipu_profiled *profiled)
{
    mt_json json = mt_json_begin(stream, &mt_json_tree);
    mt_json_open(&json, NULL, '{');
    mt_json_text(&json, "format", "myotile profile");
    mt_json_count(&json, "version", FORMAT_VERSION);
    mt_json_text(&json, "title", profiled->title);
    mt_json_count(&json, "time_steps", profiled->time_steps);
    machine_object(&json, profiled->target);
    totals_object(&json, profiled->target, profiled->profile);
    if (profiled->add) profiled->add(&json, profiled->context);
    mt_json_open(&json, "compute_sets", '[');
    for (size_t s = 0; s < profiled->profile->n_steps; s++)
        step_object(&json, profiled->target, &profiled->profile->steps[s]);
    mt_json_close(&json);
    turns_list(&json, profiled->profile);
    vertices_list(&json, profiled->profile);
    links_list(&json, profiled->profile);
    memory_object(&json, profiled->profile);
    mt_json_close(&json);
    (void)fputc('\n', stream);
}

/* ---- CSV ---- */

static void print_column(FILE *stream, const char *what, const char *of_which, const char *unit)
{
    char name[256];
    (void)snprintf(name, sizeof name, "%s%s%s[%s]", what, *what ? " " : "", of_which, unit);
    (void)fputc(',', stream);
    mt_csv_field(stream, name);
}

static void print_step(FILE *stream, const ipu_profile_step *step, size_t t)
{
    (void)fprintf(stream,
        ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu32,
        step->tile_gather_cycles[t], step->tile_exchange_cycles[t], step->tile_scatter_cycles[t],
        step->tile_compute_cycles[t], step->tile_received[t], step->tile_sent[t], step->tile_senders[t],
        step->tile_vertices[t]);
}

static void print_tiles(FILE *stream, const ipu_profiled *profiled)
{
    const ipu_profile *profile = profiled->profile;
    (void)fputs("tile,chip,row,column", stream);
    for (size_t s = 0; s < profile->n_steps; s++) {
        print_column(stream, "gather", profile->steps[s].name, "cycles");
        print_column(stream, "exchange", profile->steps[s].name, "cycles");
        print_column(stream, "scatter", profile->steps[s].name, "cycles");
        print_column(stream, "compute", profile->steps[s].name, "cycles");
        print_column(stream, "received", profile->steps[s].name, "bytes");
        print_column(stream, "sent", profile->steps[s].name, "bytes");
        print_column(stream, "senders", profile->steps[s].name, "tiles");
        print_column(stream, "vertices", profile->steps[s].name, "vertices");
    }
    for (size_t k = 0; k < IPU_MEMORY_CATEGORIES; k++)
        print_column(stream, "", ipu_memory_category_name[k], "bytes");
    print_column(stream, "", "gaps", "bytes");
    print_column(stream, "", "memory", "bytes");
    (void)fputc('\n', stream);
    for (size_t t = 0; t < profile->n_tiles; t++) {
        size_t row, column;
        ipu_target_place(profiled->target, t, &row, &column);
        (void)fprintf(stream, "%zu,%zu,%zu,%zu", t, ipu_target_chip(profiled->target, t), row, column);
        for (size_t s = 0; s < profile->n_steps; s++) print_step(stream, &profile->steps[s], t);
        const ipu_tile_memory *memory = &profile->memory[t];
        for (size_t k = 0; k < IPU_MEMORY_CATEGORIES; k++) (void)fprintf(stream, ",%zu", memory->bytes[k]);
        (void)fprintf(stream, ",%zu,%zu\n", memory->gaps, memory->total + memory->gaps);
    }
}

/* Prints first and last moment (ipu/compile/liveness.h); empty if it is always live. */
static void print_live(FILE *stream, const ipu_live_range *live)
{
    if (live->always)
        (void)fputs(",,\n", stream);
    else
        (void)fprintf(stream, ",%u,%u\n", live->first, live->last);
}

static void print_map(FILE *stream, uint32_t tile, const ipu_tile_map *map)
{
    for (size_t i = 0; i < map->n_items; i++) {
        const ipu_memory_item *item = &map->items[i];
        (void)fprintf(stream, "%" PRIu32 ",", tile);
        mt_csv_field(stream, ipu_memory_category_name[item->category]);
        (void)fputc(',', stream);
        mt_csv_field(stream, item->name);
        (void)fprintf(stream, ",%u,%zu,%zu", item->region, item->offset, item->bytes);
        print_live(stream, &item->live);
    }
}

static void print_maps(FILE *stream, const ipu_profiled *profiled)
{
    const ipu_details *details = profiled->profile->details;
    (void)fputs("tile,what,name,region,offset[bytes],bytes[bytes],live from,live to\n", stream);
    for (size_t k = 0; k < details->n; k++) print_map(stream, details->tile[k], &details->map[k]);
}

static void print_vertices(FILE *stream, const ipu_profiled *profiled)
{
    const ipu_details *details = profiled->profile->details;
    (void)fputs("tile,compute set,codelet,vertices,cycles[cycles]\n", stream);
    for (size_t k = 0; k < details->n_vertices; k++) {
        const ipu_tile_vertices *row = &details->vertices[k];
        (void)fprintf(stream, "%" PRIu32 ",", row->tile);
        mt_csv_field(stream, profiled->profile->steps[row->step].name);
        (void)fputc(',', stream);
        mt_csv_field(stream, row->codelet);
        (void)fprintf(stream, ",%zu,%" PRIu64 "\n", row->instances, row->cycles);
    }
}

static void print_received(FILE *stream, const ipu_profiled *profiled)
{
    const ipu_details *details = profiled->profile->details;
    (void)fputs("tile,compute set,from,received[bytes]\n", stream);
    for (size_t k = 0; k < details->n_received; k++) {
        const ipu_tile_received *row = &details->received[k];
        (void)fprintf(stream, "%" PRIu32 ",", row->tile);
        mt_csv_field(stream, profiled->profile->steps[row->step].name);
        (void)fprintf(stream, ",%" PRIu32 ",%" PRIu64 "\n", row->from, row->bytes);
    }
}

static void print_links(FILE *stream, const ipu_profiled *profiled)
{
    const ipu_profile *profile = profiled->profile;
    (void)fputs("compute set,link,from,to,load[bytes],busy[cycles]\n", stream);
    for (size_t s = 0; s < profile->n_steps; s++) {
        const ipu_profile_step *step = &profile->steps[s];
        for (size_t l = 0; step->link_bytes && l < profile->n_links; l++) {
            mt_csv_field(stream, step->name);
            (void)fputc(',', stream);
            mt_csv_field(stream, profile->links[l].name);
            (void)fprintf(stream, ",%u,%u,%" PRIu64 ",%" PRIu64 "\n", profile->links[l].from,
                profile->links[l].to, step->link_bytes[l], step->link_cycles[l]);
        }
    }
}

/* ---- files ---- */

typedef void printer(FILE *stream, const ipu_profiled *profiled);

static const struct {
    const char *name;
    printer *print;
    bool detail, of_links;
} files[] = {
    /* without a printer: files of earlier versions, only removed */
    {"profile.json", print_json, false, false},
    {"tiles.csv", print_tiles, true, false},
    {"memory.csv", print_maps, true, false},
    {"vertices.csv", print_vertices, true, false},
    {"received.csv", print_received, true, false},
    {"links.csv", print_links, true, true},
    {"tiles.png", NULL, true, false},
    {"memory.png", NULL, true, false},
    {"links.png", NULL, true, false},
};

mt_status ipu_profile_check(const char *folder, bool details)
{
    char path[MT_FILE_PATH_MAX];
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        if ((files[f].detail && !details) || !files[f].print) continue;
        MT_TRY(mt_folder_path(folder, files[f].name, path));
        MT_TRY(mt_file_check(path, MT_FILE_ANY));
    }
    return MT_OK;
}

bool ipu_profile_is_in(const char *folder)
{
    char path[MT_FILE_PATH_MAX], begin[64] = "";
    if (mt_folder_path(folder, files[0].name, path) != MT_OK) return false;
    (void)mt_input_peek(path, begin, sizeof begin - 1);
    return strstr(begin, "\"format\": \"myotile profile\"") != NULL;
}

static mt_status take_away(const char *folder, const char *name)
{
    char path[MT_FILE_PATH_MAX];
    MT_TRY(mt_folder_path(folder, name, path));
    return mt_file_remove(path);
}

mt_status ipu_profile_remove(const char *folder)
{
    if (!ipu_profile_is_in(folder)) return MT_OK;
    MT_TRY(take_away(folder, "trace.json"));
    for (size_t f = sizeof files / sizeof files[0]; f-- > 0;) MT_TRY(take_away(folder, files[f].name));
    return MT_OK;
}

mt_status ipu_profile_write(const ipu_profiled *profiled, const char *folder, bool details)
{
    const bool links = ipu_profile_crosses(profiled->profile);
    assert(!details || profiled->profile->details);
    MT_TRY(ipu_profile_check_words(profiled->title, profiled->target->name));
    MT_TRY(ipu_profile_remove(folder));
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        char path[MT_FILE_PATH_MAX];
        mt_file file;
        if ((files[f].detail && !details) || (files[f].of_links && !links) || !files[f].print) continue;
        MT_TRY(mt_folder_path(folder, files[f].name, path));
        MT_TRY(mt_file_begin(path, &file));
        files[f].print(file.stream, profiled);
        MT_TRY(mt_file_end(&file, MT_OK));
    }
    return MT_OK;
}
