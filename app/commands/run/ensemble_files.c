#include "app/commands/run/ensemble_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/report/ensemble_page.h"
#include "app/report/used_part.h"
#include "app/results/ensemble_messages.h"
#include "app/results/ensemble_picture.h"
#include "data/files/folder.h"

/* ---- the table ---- */

static mt_status make_table(mt_arena *arena, const mt_ensemble_state *s, bool exact, mt_table *table)
{
    const char *title = s->of[0].run.input.title;
    mt_member_row *row;
    MT_ALLOC(arena, row, s->n);
    for (size_t k = 0; k < s->n; k++) row[k] = s->of[k].row;
    const mt_ensemble_rows rows = {.title = title[0]           ? title
                                            : s->members.sweep ? "Sweep"
                                                               : "Ensemble",
        .sweep = s->members.sweep,
        .n = s->n,
        .n_keys = s->members.n_keys,
        .key = s->members.key,
        .name = s->name,
        .value = s->value,
        .row = row};
    *table = mt_ensemble_table(arena, &rows, exact);
    return MT_OK;
}

mt_status mt_ensemble_write_table(const mt_ensemble_state *s)
{
    MT_SCRATCH(scratch);
    char path[MT_FILE_PATH_MAX];
    mt_file file;
    mt_table table;
    MT_TRY(make_table(scratch, s, true, &table));
    MT_TRY(mt_folder_path(s->folder, s->file_name, path));
    MT_TRY(mt_file_begin(path, &file));
    mt_folder_keep(s->folder);
    return mt_file_end(&file, mt_table_put_csv(file.stream, &table));
}

static const char picture_name[] = "ensemble.png";

const char *const mt_ensemble_file_names[] = {"ensemble.csv", picture_name, mt_ensemble_page_name, NULL};

mt_status mt_ensemble_check_files(const mt_ensemble_state *s)
{
    char path[MT_FILE_PATH_MAX];
    MT_TRY(mt_folder_path(s->folder, s->file_name, path));
    MT_TRY(mt_file_check(path, MT_FILE_ANY));
    return !s->members.sweep && s->base.input.output.report ? mt_ensemble_page_check(s->folder) : MT_OK;
}

mt_status mt_ensemble_write_picture(const mt_ensemble_state *s, bool *written)
{
    MT_SCRATCH(scratch);
    char path[MT_FILE_PATH_MAX];
    mt_table table;
    *written = false;
    if (s->members.sweep) return MT_OK;
    MT_TRY(make_table(scratch, s, false, &table));
    MT_TRY(mt_folder_path(s->folder, picture_name, path));
    MT_TRY(mt_ensemble_picture(path, &table, s->members.n_keys, written));
    return *written || access(path, F_OK) != 0 ? MT_OK : mt_file_remove(path);
}

/* ---- messages ---- */

/* Builds the list of the messages of all members, and of the ensemble, in `arena`. */
static mt_status list_messages(mt_arena *arena, const mt_ensemble_state *s, mt_messages *all)
{
    const mt_messages **of;
    MT_ALLOC(arena, of, s->n);
    for (size_t k = 0; k < s->n; k++) of[k] = &s->of[k].said;
    MT_TRY(mt_ensemble_messages(arena, s->n, of, s->name, s->many, all));
    for (const mt_message_line *line = s->said.first; line; line = line->next)
        MT_TRY(mt_messages_add(all, line->is_note, line->text));
    return MT_OK;
}

void mt_ensemble_report_messages(const mt_ensemble_state *s)
{
    MT_SCRATCH(scratch);
    mt_messages all;
    if (list_messages(scratch, s, &all) == MT_OK) mt_messages_report(&all);
}

/* ---- the page ---- */

/* Writes the options that change results. */
static void put_options(const mt_arguments *arguments, FILE *to)
{
    static const char *const without[] = {
        "--jobs", "--output", "--resume", "--format", "--progress", "--force"};
    for (size_t k = 0; k < arguments->n_given; k++) {
        const mt_given *given = &arguments->given[k];
        bool left_out = false;
        for (size_t w = 0; w < sizeof without / sizeof *without; w++)
            left_out |= strcmp(given->option->name, without[w]) == 0;
        if (left_out) continue;
        (void)fprintf(to, " %s%s", given->option->name, given->value ? " " : "");
        if (given->value) mt_used_part_word(to, given->value);
    }
}

/* Writes the command that repeats the ensemble in another folder next to its folder. */
static mt_status command_text(mt_arena *arena, const mt_ensemble_state *s, const char **command)
{
    const char *slash = strrchr(s->folder, '/'), *name = slash ? slash + 1 : s->folder;
    char again[MT_FILE_PATH_MAX], *text = NULL;
    size_t n;
    FILE *to = open_memstream(&text, &n);
    if (!to) return mt_fail(MT_MEMORY, "a report: out of memory");
    (void)snprintf(again, sizeof again, "%s-again", name);
    (void)fputs("myotile run ", to), mt_used_part_word(to, mt_operand(s->arguments, 0));
    put_options(s->arguments, to);
    (void)fputs(" --output ", to), mt_used_part_word(to, again);
    *command = fclose(to) == 0 ? mt_arena_text(arena, text) : NULL;
    free(text);
    return *command ? MT_OK : mt_fail(MT_MEMORY, "a report: out of memory");
}

static mt_status write_page(const mt_ensemble_state *s)
{
    MT_SCRATCH(scratch);
    mt_table table;
    mt_messages messages;
    const char *command;
    MT_TRY(make_table(scratch, s, true, &table));
    MT_TRY(list_messages(scratch, s, &messages));
    MT_TRY(command_text(scratch, s, &command));
    const mt_ensemble_page page = {.folder = s->folder,
        .command = command,
        .input = &s->base.input,
        .n_members = s->n,
        .n_keys = s->members.n_keys,
        .key = s->members.key,
        .table = &table,
        .messages = &messages};
    return mt_ensemble_page_write(&page);
}

void mt_ensemble_write_page(const mt_ensemble_state *s, bool *written)
{
    char path[MT_FILE_PATH_MAX];
    *written = false;
    if (s->members.sweep) return;
    mt_status status = mt_folder_path(s->folder, mt_ensemble_page_name, path);
    if (status == MT_OK && s->base.input.output.report) {
        status = write_page(s);
        *written = status == MT_OK;
    } else if (status == MT_OK && access(path, F_OK) == 0) {
        status = mt_file_remove(path);
    }
    if (status != MT_OK) mt_warn("%s is not written: %s", mt_ensemble_page_name, mt_message());
}

/* ---- output ---- */

mt_status mt_ensemble_print_table(const mt_ensemble_state *s, bool picture, bool page)
{
    MT_SCRATCH(scratch);
    FILE *out = s->arguments->out;
    mt_table table;
    MT_TRY(make_table(scratch, s, false, &table));
    MT_TRY(mt_print_tables(s->arguments, &table, 1));
    if (s->arguments->format != MT_FORMAT_TEXT) return MT_OK;
    (void)fprintf(out, "\nIn %s/: %s (this table)%s%s%s%s%s and one folder for each %s: %s/ ...\n", s->folder,
        s->file_name, picture ? ", " : "", picture ? picture_name : "", page ? ", " : "",
        page ? mt_ensemble_page_name : "", page ? " (for a browser)" : "", s->one, s->name[0]);
    if (fflush(out) == 0 && !ferror(out)) return MT_OK;
    return mt_fail(MT_FILE, "standard output: %s; the results are in %s/", strerror(errno), s->folder);
}
