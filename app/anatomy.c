#include "app/anatomy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/patch.h"

static const char *const names[MT_SURFACES] = {"", "base", "epi", "lv", "rv"};

int32_t mt_anatomy_named(const char *name, size_t n)
{
    for (int32_t s = MT_SURFACE_BASE; s < MT_SURFACES; s++)
        if (strlen(names[s]) == n && strncmp(name, names[s], n) == 0) return s;
    return 0;
}

/* ---- other people's tags ---- */

enum { TAGS_MAX = 64 };

typedef struct meaning {
    size_t n;
    int32_t tag[TAGS_MAX], surface[TAGS_MAX];
} meaning;

static mt_status refuse_tags(const char *text)
{
    return mt_fail(MT_INPUT,
        "--tags %s; allowed: base, epi, lv and rv, each with its tags, such as " MT_TAGS_VALUE
        " (a tag once, at most %d)",
        text, TAGS_MAX);
}

/* "3+4" from `at` on: tags of one surface; moves behind them. */
static mt_status parse_list(const char *text, const char **at, int32_t surface, meaning *m)
{
    do {
        char *end = NULL;
        const long tag = strtol(*at, &end, 10);
        if (end == *at || tag < INT32_MIN || tag > INT32_MAX || m->n == TAGS_MAX) return refuse_tags(text);
        for (size_t k = 0; k < m->n; k++)
            if (m->tag[k] == tag) return refuse_tags(text);
        m->tag[m->n] = (int32_t)tag;
        m->surface[m->n++] = surface;
        *at = end;
    } while (*(*at)++ == '+');
    (*at)--;
    return MT_OK;
}

static mt_status parse_tags(const char *text, meaning *m)
{
    bool named[MT_SURFACES] = {false};
    const char *at = text;
    m->n = 0;
    for (;;) {
        const size_t n = strcspn(at, "=");
        const int32_t surface = mt_anatomy_named(at, n);
        if (surface == 0 || named[surface] || at[n] != '=') return refuse_tags(text);
        named[surface] = true;
        at += n + 1;
        MT_TRY(parse_list(text, &at, surface, m));
        if (*at == 0) return MT_OK;
        if (*at++ != ',') return refuse_tags(text);
    }
}

mt_status mt_anatomy_translate(const char *text, mt_mesh *mesh)
{
    meaning m;
    char why[256];
    MT_TRY(parse_tags(text, &m));
    for (size_t k = 0; k < m.n; k++) {
        if (mt_surface_there(mesh, m.tag[k]) == MT_OK) continue;
        (void)snprintf(why, sizeof why, "%s", mt_message());
        return mt_fail(MT_INPUT, "--tags %s: %s", text, why);
    }
    for (size_t f = 0; f < mesh->n_faces; f++) {
        int32_t surface = 0;
        for (size_t k = 0; k < m.n; k++)
            if (m.tag[k] == mesh->face_tag[f]) surface = m.surface[k];
        mesh->face_tag[f] = surface;
    }
    return MT_OK;
}

/* ---- given or found ---- */

void mt_anatomy_drop_untagged(mt_mesh *mesh)
{
    size_t n = 0;
    for (size_t f = 0; f < mesh->n_faces; f++) {
        if (mesh->face_tag[f] == 0) continue;
        memmove(mesh->face_vertex + 3 * n, mesh->face_vertex + 3 * f, 3 * sizeof *mesh->face_vertex);
        mesh->face_tag[n++] = mesh->face_tag[f];
    }
    mesh->n_faces = n;
}

mt_status mt_anatomy_choose(mt_arena *arena, const mt_arguments *arguments, const char *path,
    const mt_adjacency *adjacency, mt_mesh *mesh, mt_surfaces *surfaces)
{
    const char *tags = mt_option_value(arguments, "--tags", NULL),
               *from = mt_option_value(arguments, "--surfaces", NULL);
    if (from && strcmp(from, "given") != 0 && strcmp(from, "found") != 0)
        return mt_fail(MT_INPUT, "--surfaces %s; allowed: given, found", from);
    bool find = from && strcmp(from, "found") == 0;
    if (find && tags)
        return mt_fail(MT_INPUT, "--tags and --surfaces found are both given; allowed: one of them");
    if (tags) MT_TRY(mt_anatomy_translate(tags, mesh));
    mt_surfaces_count(mesh, surfaces);
    const size_t n_tagged = mesh->n_faces - surfaces->n_triangles[0];
    if (find || (n_tagged == 0 && !from && !tags)) {
        MT_TRY(mt_boundary_make(arena, adjacency, mesh));
        MT_TRY(mt_in_file(path, mt_surfaces_find(mesh, surfaces)));
    }
    mt_anatomy_drop_untagged(mesh);
    return MT_OK;
}

void mt_anatomy_rows(mt_table *table, const mt_surfaces *surfaces)
{
    static const char *const how[] = {"given", "found by the flat base", "found by light and shade"};
    static const char *const row[] = {"", "area of the base", "area of the epicardium",
        "area of the left endocardium", "area of the right endocardium"};
    mt_table_text(table, "surfaces");
    mt_table_text(table, how[surfaces->how]);
    mt_table_text(table, "");
    for (int s = MT_SURFACE_BASE; s < MT_SURFACES; s++)
        mt_table_property(table, row[s], surfaces->area_mm2[s], "mm^2");
}
