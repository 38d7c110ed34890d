#include "data/yaml/yaml_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/utf8.h"
#include "data/yaml/yaml_words.h"

enum { SHOWN = 80 }; /* bytes of an override quoted in messages */

/* The position in the tree while following the path of an override. */
typedef struct way {
    mt_arena *arena;
    mt_yaml_place here;            /* "--set ..." */
    const char *path, *word, *end; /* the entire path; the rest of it; the '=' after it */
    const mt_yaml_key *key;        /* of the last word read */
    mt_yaml_node *node;            /* the node of that key */
} way;

/* Descends to the child named by the next word; creates an empty mapping if it is missing. */
static mt_status enter(way *w, const mt_yaml_key *keys)
{
    const size_t n = strcspn(w->word, ".=");
    char above[MT_YAML_WORDS];
    (void)snprintf(above, sizeof above, "%.*s", (int)(w->word - w->path - (w->word > w->path)), w->path);
    MT_TRY(mt_yaml_find_key(keys, w->here, above, w->word, n, &w->key));
    mt_yaml_node *child = mt_yaml_node_of(w->node, w->key);
    if (!child) {
        MT_ALLOC(w->arena, child, 1);
        *child = (mt_yaml_node){.kind = MT_YAML_IS_MAPPING, .at = w->here, .key = w->key->name};
        mt_yaml_node_append(w->node, child);
    }
    w->node = child;
    w->word += n;
    return MT_OK;
}

/* Descends to the entry of a list identified by a number between two dots. */
static mt_status enter_entry(way *w)
{
    char *after;
    const size_t i = strtoul(w->word + 1, &after, 10);
    mt_yaml_node *entry = after > w->word + 1 ? mt_yaml_node_numbered(w->node, i) : NULL;
    if (!entry || after >= w->end || *after != '.')
        return mt_yaml_fail(w->here, "",
            "%s has %zu entries; allowed: the number of an entry, from 0, and a key", w->key->name,
            w->node->kind == MT_YAML_IS_SEQUENCE ? w->node->n : 0);
    w->node = entry;
    w->word = after;
    return MT_OK;
}

static mt_status go(way *w, const mt_yaml_key *keys)
{
    for (;;) {
        MT_TRY(enter(w, keys));
        if (w->key->type == MT_YAML_TYPE_LIST && w->word < w->end) MT_TRY(enter_entry(w));
        if (w->word >= w->end) return MT_OK;
        if (!w->key->keys) return mt_yaml_fail(w->here, "", "%s is a value without keys", w->key->name);
        if (w->node->kind != MT_YAML_IS_MAPPING) return mt_yaml_refuse(w->node, w->key->name, w->key);
        keys = w->key->keys;
        w->word++;
    }
}

/* Builds the beginning of messages: "--set " and the first n bytes of the text, shortened. */
static mt_status make_origin(mt_arena *arena, const mt_yaml_override *override, size_t n, const char **origin)
{
    const size_t room = strlen(override->from) + SHOWN + sizeof " ...";
    const size_t shown = n <= SHOWN ? n : mt_utf8_beginning(override->text, SHOWN);
    char *text;
    MT_ALLOC(arena, text, room);
    (void)snprintf(
        text, room, "%s %.*s%s", override->from, (int)shown, override->text, shown < n ? "..." : "");
    *origin = text;
    return MT_OK;
}

mt_status mt_yaml_set(
    mt_arena *arena, const mt_yaml_key *keys, const mt_yaml_override *override, mt_yaml_node *root)
{
    const char *path = override->text, *equals = strchr(path, '='), *bad = mt_utf8_invalid(path);
    const size_t n = bad ? (size_t)((equals && equals < bad ? equals : bad) - path) : strlen(path);
    mt_yaml_place here = {0};
    MT_TRY(make_origin(arena, override, n, &here.origin));
    if (bad)
        return mt_yaml_fail(
            here, "", "invalid byte 0x%02X; allowed: text in UTF-8", (unsigned)(unsigned char)*bad);
    if (!equals) return mt_yaml_fail(here, "", "no value; allowed: key=value");
    way w = {.arena = arena, .here = here, .path = path, .word = path, .end = equals, .node = root};
    MT_TRY(go(&w, keys));
    return mt_yaml_node_set(arena, here, equals + 1, w.key->type < MT_YAML_TYPE_DOUBLES, w.node);
}
