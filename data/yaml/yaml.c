#include "data/yaml/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/files/input.h"
#include "data/yaml/yaml_fill.h"
#include "data/yaml/yaml_set.h"
#include "data/yaml/yaml_write.h"

/* ---- reading ---- */

mt_status mt_yaml_read(mt_arena *arena, const char *name, const char *text, const mt_yaml_table *table,
    const mt_yaml_override *overrides, size_t n_overrides, void *out)
{
    MT_SCRATCH(scratch);
    mt_yaml_node *root;
    char *filled;
    MT_TRY(mt_yaml_node_read(scratch, name, text, &root));
    for (size_t i = 0; i < n_overrides; i++) MT_TRY(mt_yaml_set(scratch, table->keys, &overrides[i], root));
    MT_ALLOC(scratch, filled, table->bytes);
    MT_TRY(mt_yaml_fill(arena, scratch, root, table->keys, filled));
    memcpy(out, filled, table->bytes);
    return MT_OK;
}

mt_status mt_yaml_text(mt_arena *arena, const char *path, const char **out)
{
    MT_STREAM *file = NULL;
    char *text = NULL;
    size_t n = 0, room = 0, more = 1;
    MT_TRY(mt_input_open_stream(path, &file));
    for (; more > 0 && n <= MT_YAML_BYTES_MAX; n += more) {
        if (n == room) {
            const char *before = text;
            room = 2 * n + (1 << 14);
            MT_ALLOC(arena, text, room + 1);
            if (n > 0) memcpy(text, before, n);
        }
        more = fread(text + n, 1, room - n, file);
    }
    if (ferror(file)) return mt_fail(MT_FILE, "%s: cannot be read", path);
    if (n > MT_YAML_BYTES_MAX)
        return mt_fail(MT_INPUT,
            "%s: more than %d bytes; allowed: at most this size (a larger file is probably a mesh or a "
            "result)",
            path, MT_YAML_BYTES_MAX);
    if (memchr(text, 0, n)) return mt_fail(MT_INPUT, "%s: not a text file (it contains a zero byte)", path);
    *out = text;
    return MT_OK;
}

mt_status mt_yaml_load(mt_arena *arena, const char *path, const mt_yaml_table *table,
    const mt_yaml_override *overrides, size_t n_overrides, void *out)
{
    MT_SCRATCH(scratch);
    const char *text = NULL;
    MT_TRY(mt_yaml_text(scratch, path, &text));
    return mt_yaml_read(arena, path, text, table, overrides, n_overrides, out);
}

mt_status mt_yaml_root_word(
    mt_arena *arena, const char *name, const char *text, const char *key, const char **word)
{
    MT_SCRATCH(scratch);
    mt_yaml_node *root;
    MT_TRY(mt_yaml_node_read(scratch, name, text, &root));
    const mt_yaml_node *found = mt_yaml_node_named(root, key);
    const char *copy = mt_arena_text(arena, found && found->kind == MT_YAML_IS_SCALAR ? found->text : "");
    if (copy) *word = copy;
    return copy ? MT_OK : MT_MEMORY;
}

/* ---- writing ---- */

typedef void writer(FILE *to, const mt_yaml_key *keys, const void *structure);

static mt_status write_with(
    mt_arena *arena, writer *write, const mt_yaml_table *table, const void *structure, const char **out)
{
    char *made = NULL, *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&made, &n);
    if (!to) return mt_fail(MT_MEMORY, "out of memory while writing YAML");
    write(to, table->keys, structure);
    if (fclose(to) != 0)
        (void)mt_fail(MT_MEMORY, "out of memory while writing YAML");
    else
        text = mt_arena_alloc(arena, n + 1, 1);
    if (text) memcpy(text, made, n);
    free(made);
    *out = text;
    return text ? MT_OK : MT_MEMORY;
}

mt_status mt_yaml_write(mt_arena *arena, const mt_yaml_table *table, const void *structure, const char **text)
{
    return write_with(arena, mt_yaml_write_keys, table, structure, text);
}

mt_status mt_yaml_write_lines(
    mt_arena *arena, const mt_yaml_table *table, const void *structure, const char **text)
{
    return write_with(arena, mt_yaml_write_paths, table, structure, text);
}
