#include "solver/cells/import/cellml_metadata.h"

#include <ctype.h>
#include <string.h>

#include "data/core/utf8.h"

typedef mt_xml_element element;

enum { TEXT = 320 };

static bool is(const element *e, const char *name) { return strcmp(e->name, name) == 0; }

static const element *child(const element *e, const char *name)
{
    const element *found = e->first;
    while (found && !is(found, name)) found = found->next;
    return found;
}

/* Returns the element after `e` in the order of their start tags, without those in `e` if `skip`; NULL after the last in `top`. */
static const element *following(const element *top, const element *e, bool skip)
{
    if (e->first && !skip) return e->first;
    while (e != top && !e->next) e = e->parent;
    return e == top ? NULL : e->next;
}

/* Copies all text in an element in one line, shortened if it is long. Leaves *copy if there is none. */
static mt_status copy_text(mt_arena *arena, const element *e, const char **copy)
{
    char text[TEXT];
    size_t n = 0;
    const bool fits = mt_xml_tree_content(e, text, sizeof text);
    if (!fits) text[mt_utf8_beginning(text, TEXT - 4)] = 0;
    for (const char *c = text; *c; c++) {
        if (!isspace((unsigned char)*c))
            text[n++] = *c;
        else if (n > 0 && text[n - 1] != ' ')
            text[n++] = ' ';
    }
    strcpy(text + n, fits ? "" : "...");
    if (n == 0 || mt_utf8_invalid(text)) return MT_OK;
    *copy = mt_arena_text(arena, text);
    return *copy ? MT_OK : MT_MEMORY;
}

/* Adds the labels in <Description about="#ID"><is resource="...oxford-metadata#LABEL"/></Description>. */
static mt_status read_labels(const element *description, const mt_scoped_names *ids, mt_equations *equations)
{
    static const char vocabulary[] = "oxford-metadata#";
    const char *about = mt_xml_tree_local(description, "about", "");
    size_t index;
    if (*about != '#' || !mt_scoped_names_value(ids, 0, about + 1, &index)) return MT_OK;
    mt_variable *v = &equations->variable[index];
    for (const element *e = description->first; e; e = e->next) {
        const char *label = is(e, "is") ? strstr(mt_xml_tree_local(e, "resource", ""), vocabulary) : NULL;
        if (!label || v->label) continue;
        v->label = mt_arena_text(equations->arena, label + strlen(vocabulary));
        if (!v->label) return MT_MEMORY;
    }
    return MT_OK;
}

/* Titles of a model by the places where they are found, the best first. */
typedef struct titles {
    const char *described, *documented;
} titles;

/* Reads a title: of a publication, if the element has a volume, pages or a journal; of the model, if the element describes the model; of
 * the documentation. */
static mt_status read_title(const element *root, const element *e, mt_equations *equations, titles *found)
{
    const element *title = child(e, "title");
    const char *about = mt_xml_tree_local(e, "about", NULL), *id = mt_xml_tree_local(root, "id", "");
    if (!title) return MT_OK;
    if (child(e, "volume") || child(e, "first_page") || child(e, "Journal")) {
        if (*equations->source) return MT_OK;
        return copy_text(equations->arena, title, &equations->source);
    }
    if (is(e, "article") || is(e, "articleinfo")) {
        if (found->documented) return MT_OK;
        return copy_text(equations->arena, title, &found->documented);
    }
    if (found->described || !about) return MT_OK;
    if (*about && (*about != '#' || strcmp(about + 1, id) != 0)) return MT_OK;
    return copy_text(equations->arena, title, &found->described);
}

mt_status mt_cellml_metadata_read(
    const mt_xml_tree *tree, const mt_scoped_names *ids, mt_equations *equations)
{
    titles found = {.described = NULL};
    for (const element *e = tree->root; e; e = following(tree->root, e, is(e, "math"))) {
        if (is(e, "Description")) MT_TRY(read_labels(e, ids, equations));
        if (e->parent) MT_TRY(read_title(tree->root, e, equations, &found));
    }
    equations->title = found.described    ? found.described
                       : found.documented ? found.documented
                                          : equations->name;
    return MT_OK;
}
