#include "app/results/ensemble_messages.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the messages of a member ---- */

static bool has(const mt_messages *list, bool is_note, const char *text)
{
    for (const mt_message_line *line = list->first; line; line = line->next)
        if (line->is_note == is_note && strcmp(line->text, text) == 0) return true;
    return false;
}

/* Replaces `named` by `plain`, which is not longer, wherever no letter or digit follows, in place. */
static void remove_name(char *text, const char *named, const char *plain)
{
    const size_t n = strlen(named), shorter = strlen(plain);
    for (char *at = text; (at = strstr(at, named));) {
        if (isalnum((unsigned char)at[n])) {
            at += n;
            continue;
        }
        memcpy(at, plain, shorter);
        memmove(at + shorter, at + n, strlen(at + n) + 1);
        at += shorter;
    }
}

mt_status mt_member_messages_add(
    mt_messages *list, const mt_messages *added, const char *named, const char *plain)
{
    MT_SCRATCH(scratch);
    for (const mt_message_line *line = added->first; line; line = line->next) {
        char *text = mt_arena_text(scratch, line->text);
        if (!text) return MT_MEMORY;
        remove_name(text, named, plain);
        if (!has(list, line->is_note, text)) MT_TRY(mt_messages_add(list, line->is_note, text));
    }
    return MT_OK;
}

/* ---- the list of all ---- */

enum { NAMES = 3, TEXT = 800, LINE = 1024 };

/* A message of the list. */
typedef struct entry {
    struct entry *next;
    bool is_note, differs; /* differs: in numbers */
    const char *text;      /* of the first member */
    size_t n, last;        /* members; the last of them */
    size_t first[NAMES];
} entry;

/* Returns the length of the number at the beginning of a text; 0 if there is none, or if it continues a name. `before`: the character
 * before it. */
static size_t number_length(char before, const char *text)
{
    char *end;
    if (isalnum((unsigned char)before) || before == '.' || before == '_') return 0;
    if (!isdigit((unsigned char)*text) && !(*text == '-' && isdigit((unsigned char)text[1]))) return 0;
    (void)strtod(text, &end);
    return isalpha((unsigned char)*end) || *end == '_' ? 0 : (size_t)(end - text);
}

/* True if two texts are equal apart from numbers. *same: true if their numbers are equal, too. */
static bool alike(const char *a, const char *b, bool *same)
{
    char before = ' ';
    *same = strcmp(a, b) == 0;
    while (*a && *b) {
        const size_t n_a = number_length(before, a), n_b = number_length(before, b);
        if ((n_a > 0) != (n_b > 0) || (n_a == 0 && *a != *b)) return false;
        before = n_a > 0 ? a[n_a - 1] : *a;
        a += n_a > 0 ? n_a : 1;
        b += n_b > 0 ? n_b : 1;
    }
    return *a == *b;
}

/* Adds a message of a member. */
static mt_status add(mt_arena *arena, entry **entries, size_t member, const mt_message_line *line)
{
    entry **at = entries;
    bool same = true;
    while (*at && ((*at)->is_note != line->is_note || !alike((*at)->text, line->text, &same)))
        at = &(*at)->next;
    if (!*at) {
        MT_ALLOC(arena, *at, 1);
        **at = (entry){.is_note = line->is_note, .text = line->text, .last = SIZE_MAX};
        same = true;
    }
    entry *e = *at;
    e->differs |= !same;
    if (e->last == member) return MT_OK;
    e->last = member;
    if (e->n < NAMES) e->first[e->n] = member;
    e->n++;
    return MT_OK;
}

/* Writes "TEXT (3 of 20 members, with different numbers: 001, 004, 007)". */
static void print_entry(const entry *e, size_t n, const char *const *name, const char *many, char line[LINE])
{
    char names[LINE - TEXT - 90] = "";
    for (size_t k = 0; k < e->n && k < NAMES; k++) {
        const size_t used = strlen(names);
        (void)snprintf(names + used, sizeof names - used, "%s%.40s", k > 0 ? ", " : "", name[e->first[k]]);
    }
    (void)snprintf(line, LINE, "%.*s (%zu of %zu %s%s: %s%s)", TEXT, e->text, e->n, n, many,
        e->differs ? ", with different numbers" : "", names, e->n > NAMES ? " ..." : "");
}

mt_status mt_ensemble_messages(mt_arena *arena, size_t n, const mt_messages *const *of_member,
    const char *const *name, const char *many, mt_messages *all)
{
    MT_SCRATCH(scratch);
    entry *entries = NULL;
    char line[LINE];
    for (size_t k = 0; k < n; k++)
        for (const mt_message_line *of = of_member[k]->first; of; of = of->next)
            MT_TRY(add(scratch, &entries, k, of));
    *all = (mt_messages){.arena = arena};
    for (const entry *e = entries; e; e = e->next) {
        print_entry(e, n, name, many, line);
        MT_TRY(mt_messages_add(all, e->is_note, line));
    }
    return MT_OK;
}
