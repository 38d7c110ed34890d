#include "app/results/member_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/core/hash.h"
#include "data/core/number.h"
#include "data/files/csv.h"
#include "data/files/folder.h"
#include "data/files/input.h"

static const char record_name[] = ".myotile.member";

/* ---- the case ---- */

/* Adds size and time of a file. */
static void add_file(mt_hash *hash, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return;
    const int64_t numbers[] = {
        (int64_t)info.st_size, (int64_t)info.st_mtim.tv_sec, (int64_t)info.st_mtim.tv_nsec};
    mt_hash_add(hash, numbers, sizeof numbers);
}

/* Adds the files that the region names. */
static void add_region(mt_hash *hash, const mt_region *region)
{
    add_file(hash, region->vtx);
    add_file(hash, region->elements);
}

/* Adds all files of a case. Names that are no files, such as those of ionic models, add nothing. */
static void add_files(mt_hash *hash, const mt_case *input)
{
    const char *const path[] = {input->mesh.file, input->cell.named, input->start.state, input->network.file,
        input->network.named, input->machine.target};
    for (size_t k = 0; k < sizeof path / sizeof *path; k++) add_file(hash, path[k]);
    for (size_t r = 0; r < input->n_regions; r++) add_region(hash, &input->regions[r].region);
    for (size_t s = 0; s < input->n_stimuli; s++) add_region(hash, &input->stimuli[s].region);
}

mt_status mt_member_fingerprint(const mt_case *input, char fingerprint[MT_HASH_SIZE])
{
    MT_SCRATCH(scratch);
    mt_hash hash;
    const char *lines;
    MT_TRY(mt_yaml_write_lines(scratch, &mt_case_table, input, &lines));
    MT_TRY(mt_hash_begin(&hash));
    mt_hash_add(&hash, MT_VERSION, sizeof MT_VERSION);
    mt_hash_add(&hash, lines, strlen(lines) + 1);
    for (size_t k = 0; k < input->machine.n_sets; k++)
        mt_hash_add(&hash, input->machine.sets[k].text, strlen(input->machine.sets[k].text) + 1);
    add_files(&hash, input);
    mt_hash_end(&hash, fingerprint);
    return MT_OK;
}

/* Computes the fingerprint of used.yaml in a folder; "" unless the folder has it and result.hdf. It does not become an input. */
static mt_status find_used(const char *folder, char used[MT_HASH_SIZE])
{
    MT_SCRATCH(scratch);
    char path[MT_FILE_PATH_MAX], *text;
    used[0] = 0;
    MT_TRY(mt_folder_path(folder, "result.hdf", path));
    if (access(path, F_OK) != 0) return MT_OK;
    MT_TRY(mt_folder_path(folder, "used.yaml", path));
    MT_ALLOC(scratch, text, MT_YAML_BYTES_MAX);
    const size_t n = mt_input_peek(path, text, MT_YAML_BYTES_MAX);
    return n > 0 ? mt_hash_of(text, n, used) : MT_OK;
}

/* ---- the columns ---- */

enum { NUMBERS = 5 + 3 * MT_MAPS };

/* The numbers of a beat, in the order of their columns. */
static void numbers_of(mt_member_beat *beat, double *number[NUMBERS])
{
    double **to = number;
    *to++ = &beat->activated_percent, *to++ = &beat->latest_ms, *to++ = &beat->junctions_failed;
    *to++ = &beat->junctions_open, *to++ = &beat->qrs_ms;
    for (int map = 0; map < MT_MAPS; map++) {
        *to++ = &beat->map[map].low;
        *to++ = &beat->map[map].median;
        *to++ = &beat->map[map].high;
    }
}

static const char *const first_columns[] = {
    "case", "used", "outcome", "error", "messages", "chosen", "maps", "step_cycles", "beat"};
enum { CASE, USED, OUTCOME, ERROR, MESSAGES, CHOSEN, MAPS, CYCLES, BEAT, FIRST };

/* ---- writing ---- */

static void put_number(FILE *out, double number)
{
    char text[MT_NUMBER_SIZE];
    mt_number_text(number, text);
    (void)fprintf(out, ",%s", isnan(number) ? "" : text);
}

static const char *const message_kinds[] = {"warning: ", "note: "};

/* Writes the messages as one cell with a line for each. */
static mt_status put_messages(FILE *out, const mt_messages *messages)
{
    MT_SCRATCH(scratch);
    size_t room = 1;
    char *text, *to;
    for (const mt_message_line *line = messages->first; line; line = line->next)
        room += strlen(message_kinds[line->is_note]) + strlen(line->text) + 1;
    MT_ALLOC(scratch, text, room);
    to = text;
    for (const mt_message_line *line = messages->first; line; line = line->next) {
        to = stpcpy(stpcpy(to, message_kinds[line->is_note]), line->text);
        if (line->next) *to++ = '\n';
    }
    mt_csv_field(out, text);
    return MT_OK;
}

static void put_header(FILE *out, const mt_member_row *row)
{
    for (size_t k = 0; k < FIRST; k++) (void)fprintf(out, "%s%s", k > 0 ? "," : "", first_columns[k]);
    (void)fprintf(out, ",activated,latest,junctions_failed,junctions_open,qrs");
    for (int map = 0; map < MT_MAPS; map++)
        (void)fprintf(
            out, ",p5_%s,median_%s,p95_%s", mt_map_words[map], mt_map_words[map], mt_map_words[map]);
    for (size_t p = 0; p < row->n_points; p++) {
        (void)fputc(',', out);
        mt_csv_field(out, row->point[p]);
    }
    (void)fputc('\n', out);
}

/* Writes a row. `number`: of the beat, from 1; 0 without results. The first row has the messages. */
static mt_status put_row(FILE *out, const mt_member_record *record, const char *used, size_t number)
{
    const mt_member_row *row = &record->row;
    double *value[NUMBERS];
    (void)fprintf(out, "%s,%s,", record->fingerprint, used);
    mt_csv_field(out, row->outcome);
    (void)fputc(',', out);
    mt_csv_field(out, row->error);
    (void)fputc(',', out);
    if (number <= 1) MT_TRY(put_messages(out, &record->messages));
    (void)fprintf(out, ",%s,%u", row->chosen ? row->chosen : "", (unsigned)row->maps);
    put_number(out, row->step_cycles);
    put_number(out, number > 0 ? (double)number : NAN);
    if (number > 0) numbers_of(&row->beat[number - 1], value);
    for (size_t k = 0; k < NUMBERS; k++) put_number(out, number > 0 ? *value[k] : NAN);
    for (size_t p = 0; p < row->n_points; p++)
        put_number(out, number > 0 ? row->beat[number - 1].point_ms[p] : NAN);
    (void)fputc('\n', out);
    return MT_OK;
}

mt_status mt_member_record_write(const char *folder, const mt_member_record *record)
{
    char path[MT_FILE_PATH_MAX], used[MT_HASH_SIZE] = "";
    mt_file file;
    if (record->complete) MT_TRY(find_used(folder, used));
    MT_TRY(mt_folder_path(folder, record_name, path));
    MT_TRY(mt_file_begin(path, &file));
    put_header(file.stream, &record->row);
    mt_status status = MT_OK;
    if (record->row.n_beats == 0) status = put_row(file.stream, record, used, 0);
    for (size_t beat = 1; beat <= record->row.n_beats && status == MT_OK; beat++)
        status = put_row(file.stream, record, used, beat);
    return mt_file_end(&file, status);
}

void mt_member_record_remove(const char *folder)
{
    char path[MT_FILE_PATH_MAX];
    if (mt_folder_path(folder, record_name, path) == MT_OK) (void)unlink(path);
}

/* ---- reading ---- */

static mt_status read_beat(
    mt_arena *arena, const mt_csv *csv, size_t row, size_t n_points, mt_member_beat *beat)
{
    double *value[NUMBERS];
    numbers_of(beat, value);
    for (size_t k = 0; k < NUMBERS; k++) *value[k] = mt_csv_number(csv, row, FIRST + k);
    MT_ALLOC(arena, beat->point_ms, n_points);
    for (size_t p = 0; p < n_points; p++) beat->point_ms[p] = mt_csv_number(csv, row, FIRST + NUMBERS + p);
    return MT_OK;
}

/* Reads the messages of a cell. */
static mt_status read_messages(mt_arena *arena, const char *cell, mt_messages *messages)
{
    MT_SCRATCH(scratch);
    char *text = mt_arena_text(scratch, cell);
    if (!text) return MT_MEMORY;
    *messages = (mt_messages){.arena = arena};
    for (char *save, *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        for (int is_note = 0; is_note < 2; is_note++) {
            const size_t n = strlen(message_kinds[is_note]);
            if (strncmp(line, message_kinds[is_note], n) == 0)
                MT_TRY(mt_messages_add(messages, is_note, line + n));
        }
    return MT_OK;
}

/* Reads the record from its file, which has all columns and at least one row. */
static mt_status take_record(mt_arena *arena, const mt_csv *csv, mt_member_record *record)
{
    mt_member_row *row = &record->row;
    (void)snprintf(record->fingerprint, sizeof record->fingerprint, "%s", csv->cell[CASE]);
    *row = (mt_member_row){.outcome = csv->cell[OUTCOME],
        .error = csv->cell[ERROR],
        .chosen = csv->cell[CHOSEN],
        .maps = (uint32_t)strtoul(csv->cell[MAPS], NULL, 10),
        .step_cycles = mt_csv_number(csv, 0, CYCLES),
        .n_points = csv->n_columns - FIRST - NUMBERS};
    row->point = csv->column + FIRST + NUMBERS;
    MT_TRY(read_messages(arena, csv->cell[MESSAGES], &record->messages));
    if (isnan(mt_csv_number(csv, 0, BEAT))) return MT_OK;
    MT_ALLOC(arena, row->beat, csv->n_rows);
    row->n_beats = csv->n_rows;
    for (size_t beat = 0; beat < row->n_beats; beat++)
        MT_TRY(read_beat(arena, csv, beat, row->n_points, &row->beat[beat]));
    return MT_OK;
}

mt_status mt_member_record_read(mt_arena *arena, const char *folder, mt_member_record *record)
{
    char path[MT_FILE_PATH_MAX], used[MT_HASH_SIZE];
    mt_csv csv;
    *record = (mt_member_record){.row = {.outcome = "", .error = "", .chosen = "", .step_cycles = NAN}};
    MT_TRY(mt_folder_path(folder, record_name, path));
    if (access(path, F_OK) != 0 || mt_file_finish_sets(path) != MT_OK) return MT_OK;
    MT_TRY(mt_input_change_in_place(path));
    const mt_status status = mt_csv_read(arena, path, &csv);
    if (status != MT_OK) return status == MT_MEMORY ? status : MT_OK;
    if (csv.n_columns < FIRST + NUMBERS || csv.n_rows == 0) return MT_OK;
    for (size_t k = 0; k < FIRST; k++)
        if (strcmp(csv.column[k], first_columns[k]) != 0) return MT_OK;
    MT_TRY(take_record(arena, &csv, record));
    MT_TRY(find_used(folder, used));
    record->complete = used[0] && strcmp(used, csv.cell[USED]) == 0;
    return MT_OK;
}
