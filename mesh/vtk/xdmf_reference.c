#include "mesh/vtk/xdmf_reference.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REFERENCES_MOST = 16, PATH_SIZE = 512, WORK_MOST = 2000000 };

typedef mt_xml_element element;

/* ---- paths ---- */

/* A step of a path: "Grid[@GridType='Uniform'][1]". */
typedef struct step {
    const char *name; /* up to its first '[' or its end */
    size_t n_name;
    const char *tests, *end; /* "[...][...]" */
} step;

/* Splits the first step off a path without leading slashes. Returns the rest, or NULL if a bracket or quote is not closed. */
static const char *take_step(const char *path, step *s)
{
    char quote = 0;
    int open = 0;
    const char *at = path;
    *s = (step){.name = path};
    for (; *at && (open > 0 || *at != '/'); at++) {
        if (quote)
            quote = *at == quote ? 0 : quote;
        else if (*at == '\'' || *at == '"')
            quote = *at;
        else if (*at == '[' && open++ == 0 && !s->tests)
            s->tests = at;
        else if (*at == ']' && --open < 0)
            return NULL;
    }
    if (quote || open != 0) return NULL;
    s->end = at;
    if (!s->tests) s->tests = at;
    s->n_name = (size_t)(s->tests - path);
    return at;
}

static bool is_named(const element *e, const char *name, size_t n)
{
    return (n == 1 && *name == '*') || (strlen(e->name) == n && strncmp(e->name, name, n) == 0);
}

/* True if an element passes the test "@Name='value'". */
static bool has_value(const element *e, const char *test, const char *end)
{
    char name[64];
    const char *equals = memchr(test, '=', (size_t)(end - test));
    const size_t n = equals ? (size_t)(equals - test - 1) : sizeof name;
    if (n >= sizeof name || end - equals < 3 || equals[1] != end[-1]) return false;
    memcpy(name, test + 1, n);
    name[n] = 0;
    const char *value = mt_xml_tree_attribute(e, name, NULL);
    const size_t length = (size_t)(end - equals) - 3;
    return value && strlen(value) == length && strncmp(value, equals + 2, length) == 0;
}

/* True if an element passes the test "self::A or self::B". */
static bool is_one_of(const element *e, const char *test, const char *end)
{
    static const char self[] = "self::";
    for (const char *at = test; at < end; at++) {
        if (strncmp(at, self, sizeof self - 1) != 0) continue;
        at += sizeof self - 1;
        size_t n = 0;
        while (at + n < end && !isspace((unsigned char)at[n])) n++;
        if (is_named(e, at, n)) return true;
    }
    return false;
}

/* True if an element matches the name of a step and its tests up to `until`. */
static bool passes(mt_xml_tree *tree, const element *e, const step *s, const char *until)
{
    if (tree->work++ > WORK_MOST || !is_named(e, s->name, s->n_name)) return false;
    for (const char *at = s->tests; at < until;) {
        const char *test = at + 1, *end = memchr(test, ']', (size_t)(s->end - test));
        if (!end) return false;
        if (isdigit((unsigned char)*test)) {
            unsigned long place = 1;
            for (const element *before = e->parent ? e->parent->first : e; before != e; before = before->next)
                place += passes(tree, before, s, at);
            if (place != strtoul(test, NULL, 10)) return false;
        } else if (*test == '@' ? !has_value(e, test, end) : !is_one_of(e, test, end))
            return false;
        at = end + 1;
    }
    return true;
}

/* Finds the first element `name` at the end of a path that starts at `from`; NULL if there is none. */
static const element *follow(mt_xml_tree *tree, const element *from, const char *path, const char *name)
{
    step s;
    if (!*path) return strcmp(from->name, name) == 0 ? from : NULL;
    const bool deep = path[0] == '/' && path[1] == '/'; /* other levels may be in between */
    const char *rest = take_step(path + (*path == '/') + deep, &s);
    if (!rest || s.n_name == 0) return NULL;
    for (const element *e = from->first; e && tree->work <= WORK_MOST; e = e->next) {
        const element *found = passes(tree, e, &s, s.end) ? follow(tree, e, rest, name) : NULL;
        if (!found && deep) found = follow(tree, e, path, name);
        if (found) return found;
    }
    return NULL;
}

/* ---- references ---- */

/* Finds the element `name` at the end of a path in the element `by`. */
static mt_status resolve(
    mt_xml_tree *tree, const element *by, const char *path, const char *name, const element **found)
{
    static const char pointer[] = "xpointer(";
    const element top = {.name = "", .first = tree->root};
    char inner[PATH_SIZE];
    const size_t n = strlen(path),
                 skip = strncmp(path, pointer, sizeof pointer - 1) == 0 ? sizeof pointer - 1 : 0;
    *found = NULL;
    if (n >= sizeof inner) return mt_xml_tree_fail(tree, by, "a path of %zu characters is too long", n);
    strcpy(inner, path + skip);
    if (skip > 0 && path[n - 1] == ')') inner[n - skip - 1] = 0;
    if (inner[0] == '/') *found = follow(tree, &top, inner, name);
    if (tree->work <= WORK_MOST) return MT_OK;
    return mt_xml_tree_fail(tree, by, "resolving the references of this file takes too long");
}

/* Finds the element that an element refers to; the element itself if it has no reference. */
static mt_status follow_reference(mt_xml_tree *tree, const element *e, const element **found)
{
    *found = e;
    for (int k = 0; mt_xml_tree_attribute(*found, "Reference", NULL); k++) {
        const element *by = *found;
        char path[PATH_SIZE];
        const char *reference = mt_xml_tree_attribute(by, "Reference", "");
        if (!mt_xml_tree_text(by, path, sizeof path))
            return mt_xml_tree_fail(tree, by, "its path is too long");
        if (strcmp(reference, "XML") != 0) (void)snprintf(path, sizeof path, "%s", reference);
        MT_TRY(resolve(tree, by, path, by->name, found));
        if (!*found || k == REFERENCES_MOST)
            return mt_xml_tree_fail(
                tree, by, "its reference '%.80s' does not refer to a <%.40s>", path, by->name);
    }
    return MT_OK;
}

mt_status mt_xdmf_reference_child(
    mt_xml_tree *tree, const element *parent, const char *name, const element **at, const element **found)
{
    *found = NULL;
    for (const element *e = *at ? (*at)->next : parent->first; e; e = e->next) {
        *at = e;
        if (strcmp(e->name, name) == 0) return follow_reference(tree, e, found);
        if (strcmp(e->name, "include") != 0) continue;
        const char *file = mt_xml_tree_attribute(e, "href", "");
        if (*file)
            return mt_xml_tree_fail(tree, e, "file '%.80s'; allowed: only elements of this file", file);
        MT_TRY(resolve(tree, e, mt_xml_tree_attribute(e, "xpointer", ""), name, found));
        if (*found) return MT_OK;
    }
    return MT_OK;
}
