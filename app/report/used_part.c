#include "app/report/used_part.h"

#include <stdlib.h>
#include <string.h>

#include "data/yaml_words.h"
#include "data/yaml.h"

/* A word as a shell takes it. */
static void put_word(FILE *to, const char *word)
{
    (void)fputc('\'', to);
    for (; *word; word++) (void)(*word == '\'' ? fputs("'\\''", to) : fputc(*word, to));
    (void)fputc('\'', to);
}

/* To be used where the folder stands. */
static mt_status put_command(mt_html_part *part, const mt_run_folder *folder)
{
    char path[MT_FILE_PATH_MAX], again[MT_FILE_PATH_MAX], *text = NULL;
    size_t n;
    (void)snprintf(path, sizeof path, "%s/used.yaml", folder->name);
    (void)snprintf(again, sizeof again, "%s-again", folder->name);
    FILE *stream = open_memstream(&text, &n);
    if (!stream) return mt_fail(MT_MEMORY, "a report: out of memory");
    (void)fputs("myotile run ", stream), put_word(stream, path);
    (void)fputs(" --output ", stream), put_word(stream, again);
    const mt_status status = fclose(stream) == 0 ? MT_OK : mt_fail(MT_MEMORY, "a report: out of memory");
    if (status == MT_OK) mt_json_text(&part->json, "command", text);
    free(text);
    return status;
}

/* "path.to.key: value", cut in two in place. */
static void put_line(mt_html_part *part, char *line)
{
    char *colon = strchr(line, ':'), *value = colon + 1 + (colon[1] == ' ');
    *colon = 0;
    const mt_yaml_key *key = mt_yaml_key_at(mt_case_table.keys, line);
    mt_json_open(&part->json, NULL, '{');
    mt_json_text(&part->json, "key", line);
    mt_json_text(&part->json, "value", value);
    if (key && *mt_yaml_unit(key)) mt_json_text(&part->json, "unit", mt_yaml_unit(key));
    if (key) mt_json_text(&part->json, "help", key->about);
    if (key && key->missing && strcmp(key->missing, MT_YAML_NONE) != 0)
        mt_json_text(&part->json, "default", key->missing);
    mt_json_close(&part->json);
}

static mt_status put_used(mt_arena *arena, mt_html_part *part, const mt_case *input)
{
    const char *text;
    char *lines;
    MT_TRY(mt_yaml_write_lines(arena, &mt_case_table, input, &text));
    MT_ALLOC(arena, lines, strlen(text) + 1);
    (void)strcpy(lines, text);
    mt_json_open(&part->json, "used", '[');
    for (char *save, *line = strtok_r(lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        if (strchr(line, ':')) put_line(part, line);
    mt_json_close(&part->json);
    return MT_OK;
}

mt_status mt_used_part_put(mt_html_part *part, const mt_run_folder *folder)
{
    mt_arena arena = {0};
    const char *title = folder->input.title;
    mt_json_text(&part->json, "title", title[0] ? title : folder->name);
    mt_json_text(&part->json, "folder", folder->name);
    mt_status status = put_command(part, folder);
    if (status == MT_OK) status = put_used(&arena, part, &folder->input);
    mt_arena_free(&arena);
    return status;
}
