#include "app/stages/anatomy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/stages/warnings.h"
#include "mesh/anatomy/fibres.h"
#include "mesh/anatomy/meaning.h"
#include "mesh/anatomy/patch.h"

int32_t mt_anatomy_named(const char *name, size_t n)
{
    for (int32_t s = MT_SURFACE_BASE; s < MT_SURFACES; s++)
        if (strlen(mt_meaning_names[s]) == n && strncmp(name, mt_meaning_names[s], n) == 0) return s;
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
    MT_TRY(parse_tags(text, &m));
    for (size_t k = 0; k < m.n; k++) {
        if (mt_surface_there(mesh, m.tag[k]) == MT_OK) continue;
        return mt_fail(MT_INPUT, "--tags %s: %s", text, mt_message());
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

/* "10, 20 and 30", the first of them where they are many. */
static const char *list_tags(const mt_meaning *m, char *list, size_t size)
{
    enum { SHOWN = 12 };
    size_t used = 0;
    for (size_t t = 0; t < m->n && t < SHOWN && used < size; t++) {
        const char *before = t == 0 ? "" : t + 1 == m->n ? " and " : ", ";
        used += (size_t)snprintf(list + used, size - used, "%s%d", before, m->tag[t]);
    }
    if (m->n > SHOWN && used < size) (void)snprintf(list + used, size - used, ", ...");
    return list;
}

/* Does a tag of 1 to 4 mean another surface than its own? */
static bool contradicts(const mt_meaning *m)
{
    for (size_t t = 0; t < m->n; t++)
        if (m->tag[t] >= MT_SURFACE_BASE && m->tag[t] <= MT_SURFACE_RV && m->surface[t] != 0 &&
            m->surface[t] != m->tag[t])
            return true;
    return false;
}

static const char understood[] = "base 1, epi 2, lv 3 and rv 4 are understood";

/* Where their shape does not tell, the person must. */
static mt_status refuse_unknown(const char *path)
{
    return mt_fail(MT_INPUT,
        "%s: none of its tagged triangles has the tag of a surface (%s); --tags " MT_TAGS_VALUE
        " says what others mean. By the shape they cannot be told: %s",
        path, understood, mt_message());
}

/* A mesh with tags that are none of ours: they must not be passed over in silence. Refused where none is ours, or ours
 * mean something else; otherwise it goes on with a warning, for the rest may be patches for stimuli. */
static mt_status judge_tags(const char *path, const mt_adjacency *adjacency, const mt_mesh *mesh, bool ours)
{
    mt_meaning m;
    char text[MT_MEANING_TEXT], list[160];
    const mt_status status = mt_meaning_by_shape(mesh, adjacency, &m);
    if (status == MT_INPUT && !ours) return refuse_unknown(path);
    if (status == MT_INPUT) {
        mt_warn("%s: %zu tagged triangles have other tags than surfaces have (%s); "
                "--tags " MT_TAGS_VALUE " says what they mean",
            path, mt_meaning_foreign(mesh), understood);
        return MT_OK;
    }
    MT_TRY(status);
    (void)mt_meaning_text(&m, text);
    (void)list_tags(&m, list, sizeof list);
    if (!ours || contradicts(&m))
        return mt_fail(MT_INPUT,
            "%s: the tags of its triangles are %s; %s. To use them: %s. To %s instead: --surfaces %s", path,
            list, understood, text, ours ? "take them as they are" : "find the surfaces by the shape",
            ours ? "given" : "found");
    mt_warn("%s: the tags of its triangles are %s; %s, the others are no surfaces here. To use "
            "all of "
            "them: %s",
        path, list, understood, text);
    return MT_OK;
}

/* Tags that are not named stay, but for those that would mean a surface now. */
static mt_status rename_tags(mt_arena *arena, const char *text, mt_mesh *mesh)
{
    int32_t *old;
    MT_TAKE(arena, old, mesh->n_faces);
    memcpy(old, mesh->face_tag, mesh->n_faces * sizeof *old);
    MT_TRY(mt_anatomy_translate(text, mesh));
    for (size_t f = 0; f < mesh->n_faces; f++)
        if (mesh->face_tag[f] == 0 && (old[f] < MT_SURFACE_BASE || old[f] > MT_SURFACE_RV))
            mesh->face_tag[f] = old[f];
    return MT_OK;
}

static mt_status find_surfaces(
    mt_arena *arena, const char *path, const mt_adjacency *adjacency, mt_mesh *mesh, mt_surfaces *surfaces)
{
    MT_TRY(mt_boundary_make(arena, adjacency, mesh));
    return mt_fail_in(path, mt_surfaces_find(mesh, surfaces));
}

mt_status mt_anatomy_choose(mt_arena *arena, const mt_arguments *arguments, const char *path,
    const mt_adjacency *adjacency, mt_mesh *mesh, mt_surfaces *surfaces)
{
    const char *tags = mt_option_value(arguments, "--tags", NULL),
               *from = mt_option_value(arguments, "--surfaces", NULL);
    if (from && strcmp(from, "given") != 0 && strcmp(from, "found") != 0)
        return mt_fail(MT_INPUT, "--surfaces %s; allowed: given, found", from);
    const bool find = from && strcmp(from, "found") == 0;
    if (find && tags)
        return mt_fail(MT_INPUT, "--tags and --surfaces found are both given; allowed: one of them");
    if (tags) MT_TRY(rename_tags(arena, tags, mesh));
    mt_surfaces_count(mesh, surfaces);
    const bool ours = mesh->n_faces > surfaces->n_triangles[0], foreign = mt_meaning_foreign(mesh) > 0;
    if (find || (!ours && !foreign && !from && !tags))
        MT_TRY(find_surfaces(arena, path, adjacency, mesh, surfaces));
    else if (foreign && !tags && !(from && ours))
        MT_TRY(judge_tags(path, adjacency, mesh, ours));
    mt_anatomy_drop_untagged(mesh);
    return MT_OK;
}

void mt_anatomy_rows(mt_table *table, const mt_mesh *mesh, const mt_surfaces *surfaces)
{
    size_t others = mesh->n_faces;
    static const char *const how[] = {"given", "found by the flat base", "found by light and shade"};
    static const char *const row[][2] = {{"", ""}, {"triangles of the base", "area of the base"},
        {"triangles of the epicardium", "area of the epicardium"},
        {"triangles of the left endocardium", "area of the left endocardium"},
        {"triangles of the right endocardium", "area of the right endocardium"}};
    mt_table_text(table, "surfaces");
    mt_table_text(table, how[surfaces->how]);
    mt_table_text(table, "");
    for (int s = MT_SURFACE_BASE; s < MT_SURFACES; s++) {
        mt_table_property(table, row[s][0], (double)surfaces->n_triangles[s], "");
        mt_table_property(table, row[s][1], surfaces->area_mm2[s], "mm^2");
        others -= surfaces->n_triangles[s];
    }
    mt_table_property(table, "triangles of other tags", (double)others, "");
    mt_table_property(
        table, "triangles of no surface, dropped", (double)(surfaces->n_triangles[0] - others), "");
}

mt_status mt_anatomy_apex_rows(mt_table *table, const mt_mesh *mesh)
{
    mt_landmarks landmarks;
    MT_TRY(mt_landmarks_find(mesh, &landmarks));
    const double *apex = mesh->xyz_mm + 3 * landmarks.apex;
    mt_table_property(table, "apex x", apex[0], "mm");
    mt_table_property(table, "apex y", apex[1], "mm");
    mt_table_property(table, "apex z", apex[2], "mm");
    return MT_OK;
}
