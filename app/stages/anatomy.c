#include "app/stages/anatomy.h"

#include <stdio.h>
#include <string.h>

#include "app/cli/warning.h"
#include "mesh/anatomy/fibres.h"
#include "mesh/anatomy/meaning.h"
#include "mesh/names.h"

static const char understood[] = "base 1, epi 2, lv 3 and rv 4 are understood";

/* Where their shape does not tell, the person must. */
static mt_status refuse_unknown(const char *path)
{
    return mt_fail(MT_INPUT,
        "%s: none of its tagged triangles has the tag of a surface (%s); --tags " MT_MEANING_EXAMPLE
        " says what others mean. By the shape they cannot be told: %s",
        path, understood, mt_message());
}

/* Warns about tags whose meaning the shape of the mesh does not show. */
static void warn_unsure(const char *path, size_t n_foreign)
{
    if (n_foreign > 0)
        mt_warn("%s: %zu tagged triangles have other tags than surfaces have (%s); "
                "--tags " MT_MEANING_EXAMPLE " says what they mean",
            path, n_foreign, understood);
    else
        mt_warn("%s: its tags have no names, and its shape does not show their meaning: assumed: %s; "
                "--tags " MT_MEANING_EXAMPLE " says another meaning",
            path, understood);
}

/* Compares tags without names, and tags other than ours, with the surfaces found by the shape. Refuses if none is ours, or if ours
 * mean other surfaces; other tags get a warning, as they may be patches for stimuli. */
static mt_status judge_tags(const char *path, const mt_adjacency *adjacency, const mt_mesh *mesh, bool ours)
{
    mt_meaning m;
    char text[MT_MEANING_TEXT], list[160];
    const size_t n_foreign = mt_meaning_foreign(mesh);
    const mt_status status = mt_meaning_by_shape(mesh, adjacency, &m);
    if (status == MT_INPUT && !ours) return refuse_unknown(path);
    if (status == MT_INPUT) {
        warn_unsure(path, n_foreign);
        return MT_OK;
    }
    MT_TRY(status);
    (void)mt_meaning_text(&m, text);
    mt_meaning_list(&m, list, sizeof list);
    if (!ours || mt_meaning_contradicts(&m))
        return mt_fail(MT_INPUT,
            "%s: the tags of its triangles are %s; %s. To use them: %s. To %s instead: --surfaces %s", path,
            list, understood, text, ours ? "take them as they are" : "find the surfaces by the shape",
            ours ? "given" : "found");
    if (n_foreign > 0)
        mt_warn("%s: the tags of its triangles are %s; %s, the others are no surfaces here. To use "
                "all of "
                "them: %s",
            path, list, understood, text);
    return MT_OK;
}

static mt_status find_surfaces(
    mt_arena *arena, const char *path, const mt_adjacency *adjacency, mt_mesh *mesh, mt_surfaces *surfaces)
{
    MT_TRY(mt_boundary_make(arena, adjacency, mesh));
    return mt_fail_in(path, mt_surfaces_find(mesh, surfaces));
}

/* Names the surfaces once their tags are known. `changed`: the tags are not those of the file, and its names mean nothing now. */
static mt_status name_surfaces(mt_arena *arena, bool changed, mt_mesh *mesh)
{
    if (changed) MT_TRY(mt_names_forget(arena, mesh, MT_NAMES_FACES));
    return mt_names_put_surfaces(arena, mesh);
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
    if (tags) MT_TRY(mt_meaning_rename(arena, tags, mesh));
    mt_surfaces_count(mesh, surfaces);
    const bool ours = mesh->n_faces > surfaces->n_triangles[0], foreign = mt_meaning_foreign(mesh) > 0;
    if (find || (!ours && !foreign && !from && !tags))
        MT_TRY(find_surfaces(arena, path, adjacency, mesh, surfaces));
    else if ((foreign || (ours && !mt_names_confirm(mesh))) && !tags && !(from && ours))
        MT_TRY(judge_tags(path, adjacency, mesh, ours));
    mt_triangles_drop_untagged(mesh);
    return name_surfaces(arena, find || tags, mesh);
}

static mt_status confirm_by_shape(mt_arena *scratch, const char *path, const mt_mesh *mesh)
{
    static const char agrees[] =
        "tags 1 to 4 of triangles have no names; by the shape they are base, epicardium, "
        "left and right endocardium";
    mt_adjacency adjacency;
    mt_meaning m;
    char text[MT_MEANING_TEXT], list[160];
    MT_TRY(mt_adjacency_make(scratch, mesh, &adjacency));
    const mt_status status = mt_meaning_by_shape(mesh, &adjacency, &m);
    if (status == MT_INPUT) {
        mt_warn("%s: the tags of its triangles have no names, and its shape does not show their meaning: "
                "assumed: base 1, epi 2, "
                "lv 3, rv 4; `myotile mesh surfaces` with --tags names them",
            path);
        return MT_OK;
    }
    MT_TRY(status);
    if (!mt_meaning_contradicts(&m)) {
        mt_note(path, agrees, sizeof agrees - 1);
        return MT_OK;
    }
    (void)mt_meaning_text(&m, text);
    mt_meaning_list(&m, list, sizeof list);
    return mt_fail(MT_INPUT,
        "%s: the tags of its triangles are %s without names, and by the shape they are other surfaces than "
        "base 1, epi 2, lv 3, "
        "rv 4: `myotile mesh surfaces` with %s tags and names them",
        path, list, text);
}

mt_status mt_anatomy_confirm(const char *path, const mt_mesh *mesh)
{
    mt_arena scratch = {0};
    mt_surfaces counts;
    mt_surfaces_count(mesh, &counts);
    if (mesh->n_faces == counts.n_triangles[0] || mt_names_confirm(mesh)) return MT_OK;
    const mt_status status = confirm_by_shape(&scratch, path, mesh);
    mt_arena_free(&scratch);
    return status;
}

/* ---- without being told ---- */

/* Do the tags say where base, epicardium and left endocardium are? */
static bool has_ours(const mt_mesh *mesh)
{
    mt_surfaces counts;
    mt_surfaces_count(mesh, &counts);
    return counts.n_triangles[MT_SURFACE_BASE] > 0 && counts.n_triangles[MT_SURFACE_EPI] > 0 &&
           counts.n_triangles[MT_SURFACE_LV] > 0;
}

/* Its surfaces by the shape alone, in `shape`. */
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
    mt_meaning meaning;
    const bool ours = has_ours(mesh);
    const mt_status status = find_shape(arena, adjacency, mesh, &shape, &found);
    if (status == MT_MEMORY) return status;
    *anatomy = status == MT_OK ? MT_ANATOMY_FOUND : ours ? MT_ANATOMY_GIVEN : MT_ANATOMY_NONE;
    if (ours && status == MT_OK) {
        const mt_status told = mt_meaning_find(mesh, &shape, &meaning);
        if (told == MT_MEMORY) return told;
        if (told != MT_OK || !mt_meaning_contradicts(&meaning)) *anatomy = MT_ANATOMY_GIVEN;
    }
    *unused = *anatomy == MT_ANATOMY_FOUND && has_tags(mesh);
    if (*anatomy == MT_ANATOMY_FOUND) *mesh = shape;
    if (*anatomy == MT_ANATOMY_FOUND) *surfaces = found;
    if (*anatomy == MT_ANATOMY_GIVEN) mt_surfaces_count(mesh, surfaces);
    if (*anatomy == MT_ANATOMY_NONE) return MT_OK;
    if (adjacency) mt_triangles_drop_untagged(mesh);
    return name_surfaces(arena, *anatomy == MT_ANATOMY_FOUND, mesh);
}

void mt_anatomy_rows(mt_table *table, const mt_mesh *mesh, const mt_surfaces *surfaces)
{
    size_t others = mesh->n_faces;
    static const char *const how[] = {"given", "found by the flat base", "found by visibility"};
    static const struct {
        const char *count_key, *count, *area_key, *area;
    } row[MT_SURFACES] = {
        [MT_SURFACE_BASE] = {"base_triangles", "triangles of the base", "base_area_mm2", "area of the base"},
        [MT_SURFACE_EPI] = {"epicardium_triangles", "triangles of the epicardium", "epicardium_area_mm2",
            "area of the epicardium"},
        [MT_SURFACE_LV] = {"left_endocardium_triangles", "triangles of the left endocardium",
            "left_endocardium_area_mm2", "area of the left endocardium"},
        [MT_SURFACE_RV] = {"right_endocardium_triangles", "triangles of the right endocardium",
            "right_endocardium_area_mm2", "area of the right endocardium"}};
    mt_table_property_text(table, "surfaces", "surfaces", how[surfaces->how]);
    for (int s = MT_SURFACE_BASE; s < MT_SURFACES; s++) {
        mt_table_property(table, row[s].count_key, row[s].count, (double)surfaces->n_triangles[s], "");
        mt_table_property(table, row[s].area_key, row[s].area, surfaces->area_mm2[s], "mm^2");
        others -= surfaces->n_triangles[s];
    }
    mt_table_property(table, "other_triangles", "triangles with other tags", (double)others, "");
    mt_table_property(table, "triangles_dropped", "triangles on no surface, dropped",
        (double)(surfaces->n_triangles[0] - others), "");
}

mt_status mt_anatomy_apex_rows(mt_table *table, const mt_mesh *mesh)
{
    mt_landmarks landmarks;
    MT_TRY(mt_landmarks_find(mesh, &landmarks));
    const double *apex = mesh->xyz_mm + 3 * landmarks.apex;
    mt_table_property(table, "apex_x_mm", "apex x", apex[0], "mm");
    mt_table_property(table, "apex_y_mm", "apex y", apex[1], "mm");
    mt_table_property(table, "apex_z_mm", "apex z", apex[2], "mm");
    return MT_OK;
}
