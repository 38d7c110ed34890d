#include "mesh/anatomy/tag_meaning.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/vec3.h"
#include "mesh/anatomy/patch.h"
#include "mesh/names.h"
#include "mesh/tags.h"

const char *const mt_tag_meaning_names[MT_SURFACES] = {"", "base", "epi", "lv", "rv"};

/* ---- matching triangles ---- */

typedef struct corners {
    uint32_t sorted[3];
    int32_t surface;
} corners;

static int by_corners(const void *a, const void *b) { return mt_face_compare(a, b); }

static int32_t surface_of(int32_t tag) { return tag >= MT_SURFACE_BASE && tag <= MT_SURFACE_RV ? tag : 0; }

static mt_status sort_corners(mt_arena *scratch, const mt_mesh *found, corners **sorted)
{
    MT_ALLOC(scratch, *sorted, found->n_faces);
    for (size_t f = 0; f < found->n_faces; f++) {
        corners *c = *sorted + f;
        memcpy(c->sorted, found->face_vertex + 3 * f, sizeof c->sorted);
        mt_face_sort(c->sorted);
        c->surface = surface_of(found->face_tag[f]);
    }
    qsort(*sorted, found->n_faces, sizeof **sorted, by_corners);
    return MT_OK;
}

/* Returns the surface that contains triangle f of a mesh; 0 if no surface does. */
static int32_t find_surface(const mt_mesh *mesh, size_t f, const corners *sorted, size_t n)
{
    corners key;
    memcpy(key.sorted, mesh->face_vertex + 3 * f, sizeof key.sorted);
    mt_face_sort(key.sorted);
    const corners *same = bsearch(&key, sorted, n, sizeof *sorted, by_corners);
    return same ? same->surface : 0;
}

/* ---- areas ---- */

mt_status mt_tag_meaning_find(const mt_mesh *tagged, const mt_mesh *found, mt_tag_meaning *m)
{
    MT_SCRATCH(scratch);
    mt_tags tags;
    mt_surfaces counts;
    corners *sorted;
    double shared[MT_SURFACES] = {0}, meant[MT_SURFACES] = {0};
    MT_TRY(mt_tags_make(scratch, tagged->n_faces, tagged->face_tag, &tags));
    if (tags.n == 0 || tags.n > MT_TAG_MEANING_TAGS_MAX)
        return mt_fail(
            MT_INPUT, "triangles of %zu different tags; allowed: 1 to %d", tags.n, MT_TAG_MEANING_TAGS_MAX);
    MT_TRY(sort_corners(scratch, found, &sorted));
    mt_surfaces_count(found, &counts);
    *m = (mt_tag_meaning){.n = tags.n};
    for (size_t t = 0; t < tags.n; t++) {
        double on[MT_SURFACES] = {0}, whole = 0;
        for (size_t k = tags.offset[t]; k < tags.offset[t + 1]; k++) {
            const double area = mt_triangle_mm2(tagged, tags.id[k]);
            on[find_surface(tagged, tags.id[k], sorted, found->n_faces)] += area;
            whole += area;
        }
        m->tag[t] = tags.tag[t];
        for (int32_t s = MT_SURFACE_BASE; s < MT_SURFACES; s++)
            if (on[s] > whole / 2) m->surface[t] = s, shared[s] += on[s], meant[s] += whole;
    }
    for (int s = MT_SURFACE_BASE; s < MT_SURFACES; s++)
        if (meant[s] > 0) m->overlap[s] = shared[s] / (meant[s] + counts.area_mm2[s] - shared[s]);
    return MT_OK;
}

mt_status mt_tag_meaning_by_shape(const mt_mesh *mesh, const mt_adjacency *adjacency, mt_tag_meaning *meaning)
{
    MT_SCRATCH(scratch);
    mt_mesh shape = *mesh;
    mt_surfaces found;
    MT_TRY(mt_boundary_make(scratch, adjacency, &shape));
    MT_TRY(mt_surfaces_find(&shape, &found));
    return mt_tag_meaning_find(mesh, &shape, meaning);
}

size_t mt_tag_meaning_foreign(const mt_mesh *mesh)
{
    size_t foreign = 0, differ = 0;
    for (size_t f = 0; f < mesh->n_faces; f++) {
        foreign += surface_of(mesh->face_tag[f]) == 0;
        differ += mesh->face_tag[f] != 0;
    }
    return differ > 0 ? foreign : 0;
}

bool mt_tag_meaning_contradicts(const mt_tag_meaning *m)
{
    for (size_t t = 0; t < m->n; t++)
        if (surface_of(m->tag[t]) != 0 && m->surface[t] != 0 && m->surface[t] != m->tag[t]) return true;
    return false;
}

/* ---- output as text ---- */

static void add(char text[MT_TAG_MEANING_TEXT], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add(char text[MT_TAG_MEANING_TEXT], const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text + used, MT_TAG_MEANING_TEXT - used, format, arguments);
    va_end(arguments);
}

bool mt_tag_meaning_text(const mt_tag_meaning *m, char text[MT_TAG_MEANING_TEXT])
{
    char overlaps[MT_TAG_MEANING_TEXT] = "";
    (void)strcpy(text, "`--tags");
    for (int32_t s = MT_SURFACE_BASE; s < MT_SURFACES; s++) {
        if (m->overlap[s] == 0) continue;
        const char *before = overlaps[0] ? "," : " ";
        add(text, "%s%s", before, mt_tag_meaning_names[s]);
        add(overlaps, "%s %s %.0f %%", overlaps[0] ? "," : "", mt_tag_meaning_names[s], 100 * m->overlap[s]);
        before = "=";
        for (size_t t = 0; t < m->n; t++)
            if (m->surface[t] == s) add(text, "%s%d", before, m->tag[t]), before = "+";
    }
    add(text, "` (overlap with the surfaces found from the shape:%s)", overlaps);
    if (overlaps[0]) return true;
    (void)strcpy(text, "no tag has more than half of its area on a surface found from the shape");
    return false;
}

void mt_tag_meaning_list(const mt_tag_meaning *m, char *list, size_t size)
{
    enum { SHOWN = 12 };
    size_t used = 0;
    *list = 0;
    for (size_t t = 0; t < m->n && t < SHOWN && used < size; t++) {
        const char *before = t == 0 ? "" : t + 1 == m->n ? " and " : ", ";
        used += (size_t)snprintf(list + used, size - used, "%s%d", before, m->tag[t]);
    }
    if (m->n > SHOWN && used < size) (void)snprintf(list + used, size - used, ", ...");
}

/* ---- the argument of --tags ---- */

int32_t mt_tag_meaning_surface(const char *name, size_t n)
{
    for (int32_t s = MT_SURFACE_BASE; s < MT_SURFACES; s++)
        if (strlen(mt_tag_meaning_names[s]) == n && strncmp(name, mt_tag_meaning_names[s], n) == 0) return s;
    return 0;
}

static mt_status refuse_tags(const char *text)
{
    return mt_fail(MT_INPUT,
        "--tags %s; allowed: base, epi, lv and rv, each with its tags or their names, such "
        "as " MT_TAG_MEANING_EXAMPLE " (each tag once, at most %d)",
        text, MT_TAG_MEANING_TAGS_MAX);
}

/* Parses a tag of n characters: a number or a name of the mesh. */
static mt_status parse_tag(const char *text, const char *at, size_t n, const mt_mesh *mesh, int32_t *tag)
{
    char word[128];
    if (n == 0 || n >= sizeof word) return refuse_tags(text);
    (void)snprintf(word, sizeof word, "%.*s", (int)n, at);
    if (mt_names_find(mesh, MT_NAMES_FACES, word, tag) == MT_OK) return MT_OK;
    char message[MT_NAMES_LIST + 200];
    (void)snprintf(message, sizeof message, "%s", mt_message());
    return mt_fail(MT_INPUT, "--tags %s: %s", text, message);
}

/* Parses the tags of one surface, such as "3+4" or "ENDO+9", and advances *at past them. */
static mt_status parse_list(
    const char *text, const char **at, int32_t surface, const mt_mesh *mesh, mt_tag_meaning *m)
{
    do {
        const size_t n = strcspn(*at, "+,");
        int32_t tag;
        if (m->n == MT_TAG_MEANING_TAGS_MAX) return refuse_tags(text);
        MT_TRY(parse_tag(text, *at, n, mesh, &tag));
        for (size_t k = 0; k < m->n; k++)
            if (m->tag[k] == tag) return refuse_tags(text);
        m->tag[m->n] = tag;
        m->surface[m->n++] = surface;
        *at += n;
    } while (*(*at)++ == '+');
    (*at)--;
    return MT_OK;
}

static mt_status parse_tags(const char *text, const mt_mesh *mesh, mt_tag_meaning *m)
{
    bool named[MT_SURFACES] = {false};
    const char *at = text;
    *m = (mt_tag_meaning){0};
    for (;;) {
        const size_t n = strcspn(at, "=");
        const int32_t surface = mt_tag_meaning_surface(at, n);
        if (surface == 0 || named[surface] || at[n] != '=') return refuse_tags(text);
        named[surface] = true;
        at += n + 1;
        MT_TRY(parse_list(text, &at, surface, mesh, m));
        if (*at == 0) return MT_OK;
        if (*at++ != ',') return refuse_tags(text);
    }
}

mt_status mt_tag_meaning_apply(const char *text, mt_mesh *mesh)
{
    mt_tag_meaning m;
    MT_TRY(parse_tags(text, mesh, &m));
    for (size_t k = 0; k < m.n; k++) {
        if (mt_surface_check(mesh, m.tag[k]) == MT_OK) continue;
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

mt_status mt_tag_meaning_rename(mt_arena *arena, const char *text, mt_mesh *mesh)
{
    int32_t *old;
    MT_COPY(arena, old, mesh->face_tag, mesh->n_faces);
    MT_TRY(mt_tag_meaning_apply(text, mesh));
    for (size_t f = 0; f < mesh->n_faces; f++)
        if (mesh->face_tag[f] == 0 && surface_of(old[f]) == 0) mesh->face_tag[f] = old[f];
    return MT_OK;
}
