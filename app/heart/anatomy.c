#include "app/heart/anatomy.h"

#include <stdio.h>
#include <string.h>

#include "data/core/progress.h"
#include "mesh/anatomy/fibres.h"
#include "mesh/anatomy/tag_meaning.h"
#include "mesh/info.h"
#include "mesh/names.h"

static const char understood[] = "surface tags are base 1, epi 2, lv 3 and rv 4";

const char *mt_anatomy_text(mt_anatomy anatomy, mt_found how)
{
    static const char
        *const text[] = {[MT_ANATOMY_NONE] = "none",
            [MT_ANATOMY_TOLD] = "specified by options",
            [MT_ANATOMY_NAMED] = "identified by the names of their tags",
            [MT_ANATOMY_AGREED] = "identified by their tags, confirmed by the shape"},
               *const found[] = {
                   [MT_FOUND_FLAT] = "found by the flat base", [MT_FOUND_SHADE] = "found by visibility"};
    return anatomy == MT_ANATOMY_FOUND ? found[how] : text[anatomy];
}

/* Refuses tags that neither names nor the shape explain: surface tags without names (`ours`), or no surface tags at all.
 * mt_message() explains why the shape does not suffice. */
static mt_status refuse_unknown(const char *path, bool ours)
{
    char why[400];
    (void)snprintf(why, sizeof why, "%s", mt_message());
    if (ours)
        return mt_fail(MT_INPUT,
            "%s: the triangle tags have no names, and the shape does not identify the surfaces: %s. "
            "Specify --tags, such as " MT_TAG_MEANING_EXAMPLE
            ", or --surfaces given if the tags are base 1, epi 2, lv 3 and rv 4",
            path, why);
    return mt_fail(MT_INPUT,
        "%s: no triangle has a surface tag (%s); specify the meaning of the tags, such as "
        "--tags " MT_TAG_MEANING_EXAMPLE ". The shape does not identify the surfaces: %s",
        path, understood, why);
}

/* Warns of triangle tags other than surface tags. `meaning`: by the shape; NULL if unknown. */
static void warn_foreign(const char *path, const mt_mesh *mesh, const mt_tag_meaning *meaning)
{
    char text[MT_TAG_MEANING_TEXT], list[160];
    const size_t n_foreign = mt_tag_meaning_foreign(mesh);
    if (n_foreign == 0) return;
    if (!meaning) {
        mt_warn("%s: %zu triangles have tags other than surface tags (%s); specify their meaning, such as "
                "--tags " MT_TAG_MEANING_EXAMPLE,
            path, n_foreign, understood);
        return;
    }
    (void)mt_tag_meaning_text(meaning, text);
    mt_tag_meaning_list(meaning, list, sizeof list);
    mt_warn("%s: the triangle tags are %s; %s; others are ignored. To use all of them: %s", path, list,
        understood, text);
}

/* Evaluates the tags of a mesh by their names or by the shape. Refuses them if none is a surface tag (not `ours`), or if the shape
 * contradicts or does not explain tags without names. Warns of other tags, which may be patches for stimuli. */
static mt_status judge_tags(
    const char *path, const mt_adjacency *adjacency, const mt_mesh *mesh, bool ours, mt_anatomy *anatomy)
{
    mt_tag_meaning m;
    char text[MT_TAG_MEANING_TEXT], list[160];
    const bool named = mt_names_confirm(mesh);
    *anatomy = named ? MT_ANATOMY_NAMED : MT_ANATOMY_AGREED;
    if (named && mt_tag_meaning_foreign(mesh) == 0) return MT_OK;
    const mt_status status = mt_tag_meaning_by_shape(mesh, adjacency, &m);
    if (status == MT_INPUT && !named) return refuse_unknown(path, ours);
    if (status == MT_INPUT) {
        warn_foreign(path, mesh, NULL);
        return MT_OK;
    }
    MT_TRY(status);
    if (named || (ours && !mt_tag_meaning_contradicts(&m))) {
        warn_foreign(path, mesh, &m);
        return MT_OK;
    }
    (void)mt_tag_meaning_text(&m, text);
    mt_tag_meaning_list(&m, list, sizeof list);
    return mt_fail(MT_INPUT,
        "%s: the triangle tags are %s; %s. To use them: %s. To %s instead: --surfaces %s", path, list,
        understood, text, ours ? "use the tags as they are" : "identify the surfaces by shape",
        ours ? "given" : "found");
}

static mt_status find_surfaces(
    mt_arena *arena, const char *path, const mt_adjacency *adjacency, mt_mesh *mesh, mt_surfaces *surfaces)
{
    MT_TRY(mt_boundary_make(arena, adjacency, mesh));
    return mt_fail_in(path, mt_surfaces_find(mesh, surfaces));
}

/* Names the surfaces after their tags are known. `changed`: true if the tags differ from the file, which makes its names invalid. */
static mt_status name_surfaces(mt_arena *arena, bool changed, mt_mesh *mesh)
{
    if (changed) MT_TRY(mt_names_remove(arena, mesh, MT_NAMES_FACES));
    return mt_names_put_surfaces(arena, mesh);
}

mt_status mt_anatomy_choose(mt_arena *arena, const char *tags, const char *from, const char *path,
    const mt_adjacency *adjacency, mt_mesh *mesh, mt_surfaces *surfaces, mt_anatomy *anatomy)
{
    if (from && strcmp(from, "given") != 0 && strcmp(from, "found") != 0)
        return mt_fail(MT_INPUT, "--surfaces %s; allowed: given, found", from);
    const bool find = from && strcmp(from, "found") == 0;
    if (find && tags)
        return mt_fail(MT_INPUT, "--tags and --surfaces found are both given; allowed: one of them");
    if (tags) MT_TRY(mt_tag_meaning_rename(arena, tags, mesh));
    mt_surfaces_count(mesh, surfaces);
    const bool ours = mesh->n_faces > surfaces->n_triangles[0], foreign = mt_tag_meaning_foreign(mesh) > 0;
    *anatomy = MT_ANATOMY_TOLD;
    if (find || (!ours && !foreign && !from && !tags)) {
        MT_TRY(find_surfaces(arena, path, adjacency, mesh, surfaces));
        *anatomy = MT_ANATOMY_FOUND;
    } else if (!tags && (foreign || ours) && !(from && ours)) {
        MT_TRY(judge_tags(path, adjacency, mesh, ours, anatomy));
    }
    mt_triangles_remove_untagged(mesh);
    return name_surfaces(arena, find || tags, mesh);
}

/* Finds the surfaces by the shape alone, as tags in `shape`. */
static mt_status find_shape(
    mt_arena *arena, const mt_adjacency *adjacency, const mt_mesh *mesh, mt_mesh *shape, mt_surfaces *found)
{
    *shape = *mesh;
    if (adjacency)
        MT_TRY(mt_boundary_make(arena, adjacency, shape));
    else
        MT_ALLOC(arena, shape->face_tag, mesh->n_faces);
    return mt_surfaces_find(shape, found);
}

/* Refuses tags without names that the shape contradicts. `way`: advice before the meaning as an option. */
static mt_status refuse_contradicted(const char *path, const mt_tag_meaning *m, const char *way)
{
    char text[MT_TAG_MEANING_TEXT], list[160];
    (void)mt_tag_meaning_text(m, text);
    mt_tag_meaning_list(m, list, sizeof list);
    return mt_fail(MT_INPUT,
        "%s: the triangle tags are %s, without names, and the shape contradicts base 1, epi 2, lv 3 and rv "
        "4. %s %s",
        path, list, way, text);
}

static mt_status confirm_by_shape(mt_arena *scratch, const char *path, const mt_mesh *mesh)
{
    static const char agrees[] = "triangle tags 1 to 4 have no names; the shape identifies them as base, "
                                 "epicardium, left and right endocardium";
    mt_adjacency adjacency;
    mt_tag_meaning m;
    MT_TRY(mt_adjacency_make(scratch, mesh, &adjacency));
    const mt_status status = mt_tag_meaning_by_shape(mesh, &adjacency, &m);
    if (status == MT_INPUT) {
        char why[400];
        (void)snprintf(why, sizeof why, "%s", mt_message());
        return mt_fail(MT_INPUT,
            "%s: the triangle tags have no names, and the shape does not identify the surfaces: %s. `myotile "
            "mesh surfaces` names them: with --tags, such as " MT_TAG_MEANING_EXAMPLE
            ", or with --surfaces given if the tags are base 1, epi 2, lv 3 and rv 4",
            path, why);
    }
    MT_TRY(status);
    if (mt_tag_meaning_contradicts(&m))
        return refuse_contradicted(path, &m, "`myotile mesh surfaces` tags and names them with");
    mt_note(path, agrees, sizeof agrees - 1);
    return MT_OK;
}

mt_status mt_anatomy_confirm(mt_arena *arena, const char *path, mt_mesh *mesh)
{
    static const char by_name[] = "surfaces identified by the names of their tags";
    MT_SCRATCH(scratch);
    mt_surfaces counts;
    mt_surfaces_count(mesh, &counts);
    if (mesh->n_faces == counts.n_triangles[0]) return MT_OK;
    if (mt_names_confirm(mesh)) {
        mt_note(path, by_name, sizeof by_name - 1);
        return MT_OK;
    }
    MT_TRY(confirm_by_shape(scratch, path, mesh));
    return mt_names_put_surfaces(arena, mesh);
}

static mt_status confirm_surface(mt_arena *scratch, const char *path, const mt_mesh *surface)
{
    mt_mesh shape;
    mt_surfaces found;
    mt_tag_meaning m;
    mt_status status = find_shape(scratch, NULL, surface, &shape, &found);
    if (status == MT_OK) status = mt_tag_meaning_find(surface, &shape, &m);
    if (status == MT_INPUT) {
        char why[400];
        (void)snprintf(why, sizeof why, "%s", mt_message());
        return mt_fail(MT_INPUT,
            "%s: the triangle tags have no names, and the shape does not identify the surfaces: %s. "
            "Specify --tags, such as " MT_TAG_MEANING_EXAMPLE
            ", or --as with the surface of each file (- for none)",
            path, why);
    }
    MT_TRY(status);
    return mt_tag_meaning_contradicts(&m) ? refuse_contradicted(path, &m, "To use them:") : MT_OK;
}

mt_status mt_anatomy_confirm_surface(
    const char *path, const mt_mesh *surface, bool named, mt_anatomy *anatomy)
{
    MT_SCRATCH(scratch);
    *anatomy = named ? MT_ANATOMY_NAMED : MT_ANATOMY_AGREED;
    return named ? MT_OK : confirm_surface(scratch, path, surface);
}

/* ---- without options ---- */

/* True if tags specify base, epicardium and left endocardium. */
static bool has_ours(const mt_mesh *mesh)
{
    mt_surfaces counts;
    mt_surfaces_count(mesh, &counts);
    return counts.n_triangles[MT_SURFACE_BASE] > 0 && counts.n_triangles[MT_SURFACE_EPI] > 0 &&
           counts.n_triangles[MT_SURFACE_LV] > 0;
}

static bool has_tags(const mt_mesh *mesh)
{
    for (size_t f = 0; f < mesh->n_faces; f++)
        if (mesh->face_tag[f] != mesh->face_tag[0]) return true;
    return false;
}

mt_status mt_anatomy_decide(mt_arena *arena, const mt_adjacency *adjacency, mt_mesh *mesh,
    mt_surfaces *surfaces, mt_anatomy *anatomy, bool *unused)
{
    mt_mesh shape;
    mt_surfaces found;
    mt_tag_meaning meaning;
    const bool ours = has_ours(mesh), named = ours && mt_names_confirm(mesh);
    const mt_status status = find_shape(arena, adjacency, mesh, &shape, &found);
    if (status == MT_MEMORY) return status;
    *anatomy = named ? MT_ANATOMY_NAMED : status == MT_OK ? MT_ANATOMY_FOUND : MT_ANATOMY_NONE;
    if (ours && !named && status == MT_OK) {
        const mt_status told = mt_tag_meaning_find(mesh, &shape, &meaning);
        if (told == MT_MEMORY) return told;
        if (told == MT_OK && !mt_tag_meaning_contradicts(&meaning)) *anatomy = MT_ANATOMY_AGREED;
    }
    *unused = *anatomy == MT_ANATOMY_FOUND && has_tags(mesh);
    if (*anatomy == MT_ANATOMY_FOUND) *mesh = shape;
    if (*anatomy == MT_ANATOMY_FOUND) *surfaces = found;
    if (*anatomy == MT_ANATOMY_NONE) return MT_OK;
    if (*anatomy != MT_ANATOMY_FOUND) mt_surfaces_count(mesh, surfaces);
    if (adjacency) mt_triangles_remove_untagged(mesh);
    return name_surfaces(arena, *anatomy == MT_ANATOMY_FOUND, mesh);
}

/* ---- ventricular coordinates ---- */

/* Hearts of 5,000 to 3 million elements have 0.02 to 0.11 (mesh/README.md). */
static const double most_nonlinearity = 0.25;

static void note_septum(const char *path, const mt_coordinates *coordinates)
{
    char text[256];
    const double *d = coordinates->to_septum;
    if (!coordinates->arbitrary) return;
    const int n = snprintf(text, sizeof text,
        "no right ventricle; the septum is assumed in the arbitrary direction (%.3f, %.3f, %.3f) from the "
        "long axis; --septum X,Y,Z specifies it",
        d[0], d[1], d[2]);
    mt_note(path, text, (size_t)n);
}

void mt_anatomy_remark_coordinates(const char *path, const mt_coordinates *coordinates)
{
    note_septum(path, coordinates);
    if (!(coordinates->nonlinearity <= most_nonlinearity))
        mt_warn("%s: the transmural coordinate differs from a linear one by %.0f %%; usual: 2 to 11 %%; the "
                "surfaces or the shape may not be those of ventricles",
            path, 100 * coordinates->nonlinearity);
}

mt_status mt_anatomy_coordinates(mt_arena *arena, const char *path, const mt_adjacency *adjacency,
    const mt_mesh *mesh, const double *to_septum, mt_coordinates *coordinates)
{
    mt_info info;
    MT_TRY(mt_fail_in(path, mt_info_make(mesh, adjacency, &info)));
    if (info.n_components != 1)
        return mt_fail(MT_INPUT,
            "%s: %zu connected pieces; allowed: 1; `myotile mesh convert --repair` keeps the largest one",
            path, info.n_components);
    mt_progress_stage("computing ventricular coordinates");
    const mt_status status = mt_coordinates_make(arena, mesh, to_septum, coordinates);
    mt_progress_stage(NULL);
    MT_TRY(mt_fail_in(path, status));
    mt_anatomy_remark_coordinates(path, coordinates);
    return MT_OK;
}
