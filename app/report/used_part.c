#include "app/report/used_part.h"

#include <stdlib.h>
#include <string.h>

#include "data/files/data_folder.h"
#include "data/yaml/yaml.h"
#include "data/yaml/yaml_words.h"
#include "ipu/machine/machines.h"
#include "mesh/cut/scheme.h"

void mt_used_part_word(FILE *to, const char *word)
{
    (void)fputc('\'', to);
    for (; *word; word++) (void)(*word == '\'' ? fputs("'\\''", to) : fputc(*word, to));
    (void)fputc('\'', to);
}

/* Puts the command for the parent of the folder. */
static mt_status put_command(mt_html_part *part, const mt_run_folder *folder)
{
    char path[MT_FILE_PATH_MAX], again[MT_FILE_PATH_MAX], *text = NULL;
    size_t n;
    (void)snprintf(path, sizeof path, "%s/used.yaml", folder->name);
    (void)snprintf(again, sizeof again, "%s-again", folder->name);
    FILE *stream = open_memstream(&text, &n);
    if (!stream) return mt_fail(MT_MEMORY, "a report: out of memory");
    (void)fputs("myotile run ", stream), mt_used_part_word(stream, path);
    (void)fputs(" --output ", stream), mt_used_part_word(stream, again);
    const mt_status status = fclose(stream) == 0 ? MT_OK : mt_fail(MT_MEMORY, "a report: out of memory");
    if (status == MT_OK) mt_json_text(&part->json, "command", text);
    free(text);
    return status;
}

/* ---- defaults ---- */

/* Finds the tiles of a case's machine; 0 if its file cannot be read any more. MT_MEMORY. */
static mt_status tiles_of_machine(mt_arena *arena, const mt_case *input, size_t *tiles)
{
    ipu_target target = {0};
    const char *file;
    mt_status status = ipu_machine_path(arena, mt_machines_folder(), input->machine.target, &file);
    if (status == MT_OK)
        status = ipu_machine_load(arena, file, input->machine.sets, input->machine.n_sets, &target);
    *tiles = status == MT_OK ? target.tiles : 0;
    return status == MT_MEMORY ? MT_MEMORY : MT_OK;
}

/* Puts the default, "" for no value. A required key has none. For a default 0 that the program replaces by a value which it finds, also
 * puts that value, or 0 if it is not known here. */
static void put_default(
    mt_html_part *part, const mt_case *input, size_t tiles, const char *path, const mt_yaml_key *key)
{
    if (!key->missing) return;
    mt_json_text(&part->json, "default", strcmp(key->missing, MT_YAML_NONE) == 0 ? "" : key->missing);
    if (strcmp(path, "machine.tiles") == 0)
        mt_json_count(&part->json, "found", tiles);
    else if (strcmp(path, "machine.ranges") == 0)
        mt_json_count(&part->json, "found", mt_schemes[input->machine.scheme].ranges);
    else if (strcmp(path, "time.pde_steps") == 0)
        mt_json_count(&part->json, "found", 0);
}

/* ---- keys ---- */

/* Puts the explanation of a key; that of a chosen discretisation has its reason. */
static void put_help(mt_html_part *part, const char *placing, const char *path, const mt_yaml_key *key)
{
    char help[2048];
    const bool chosen = placing[0] && strcmp(path, "diffusion.discretisation") == 0;
    (void)snprintf(help, sizeof help, "%s%s%s%s", key->about, chosen ? " Chosen automatically: " : "",
        chosen ? placing : "", chosen ? "." : "");
    mt_json_text(&part->json, "help", help);
}

/* A case whose values are written. */
typedef struct used {
    const mt_case *input;
    const char *placing;
    size_t tiles, n_varied;
    const char *const *varied;
} used;

/* True if a key or one that contains it is varied. */
static bool is_varied(const used *of, const char *path)
{
    for (size_t k = 0; k < of->n_varied; k++) {
        const size_t n = strlen(of->varied[k]);
        if (strncmp(path, of->varied[k], n) == 0 && (path[n] == 0 || path[n] == '.')) return true;
    }
    return false;
}

/* Cuts "path.to.key: value" in two in place. */
static void put_line(mt_html_part *part, const used *of, char *line)
{
    char *colon = strchr(line, ':'), *value = colon + 1 + (colon[1] == ' ');
    *colon = 0;
    const mt_yaml_key *key = mt_yaml_key_at(mt_case_table.keys, line);
    mt_json_open(&part->json, NULL, '{');
    mt_json_text(&part->json, "key", line);
    mt_json_text(&part->json, "value", is_varied(of, line) ? "as in the table of members" : value);
    if (key && *mt_yaml_unit(key)) mt_json_text(&part->json, "unit", mt_yaml_unit(key));
    if (key) put_help(part, of->placing, line, key);
    if (key) put_default(part, of->input, of->tiles, line, key);
    mt_json_close(&part->json);
}

mt_status mt_used_part_put_case(
    mt_html_part *part, const mt_case *input, const char *placing, size_t n, const char *const *varied)
{
    MT_SCRATCH(arena);
    const char *text;
    char *lines;
    used of = {.input = input, .placing = placing, .n_varied = n, .varied = varied};
    MT_TRY(tiles_of_machine(arena, input, &of.tiles));
    MT_TRY(mt_yaml_write_lines(arena, &mt_case_table, input, &text));
    MT_ALLOC(arena, lines, strlen(text) + 1);
    (void)strcpy(lines, text);
    mt_json_open(&part->json, "used", '[');
    for (char *save, *line = strtok_r(lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        if (strchr(line, ':')) put_line(part, &of, line);
    mt_json_close(&part->json);
    return MT_OK;
}

mt_status mt_used_part_put(mt_html_part *part, const mt_run_folder *folder)
{
    const char *title = folder->input.title;
    mt_json_text(&part->json, "title", title[0] ? title : folder->name);
    mt_json_text(&part->json, "folder", folder->name);
    MT_TRY(put_command(part, folder));
    return mt_used_part_put_case(part, &folder->input, folder->placing, 0, NULL);
}
