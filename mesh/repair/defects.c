#include "mesh/repair/defects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/order.h"
#include "mesh/adjacency.h"
#include "mesh/repair/form.h"
#include "mesh/repair/pieces.h"
#include "mesh/repair/runs.h"

const mt_defect_kind mt_defect_kinds[MT_DEFECT_KINDS] = {
    [MT_DEFECT_INVERTED] = {"inverted_elements", "inverted elements", "element", true},
    [MT_DEFECT_FLAT] = {"flat_elements", "flat elements", "element", true},
    [MT_DEFECT_DUPLICATE] = {"duplicate_elements", "duplicate elements", "element", true},
    [MT_DEFECT_CROWDED] = {"crowded_faces", "faces shared by more than two elements", "element", true},
    [MT_DEFECT_TRIANGLE] = {"degenerate_triangles", "tagged triangles with a repeated vertex", "triangle",
        true},
    [MT_DEFECT_FOLD] = {"folded_faces", "faces with both elements on one side", "element", false},
    [MT_DEFECT_DANGLING] = {"unreferenced_vertices", "unreferenced vertices", "vertex", false},
    [MT_DEFECT_PIECE] = {"detached_pieces", "pieces detached from the largest", "element", false},
    [MT_DEFECT_STRAY] = {"stray_triangles", "tagged triangles that are not faces", "triangle", false},
};

/* ---- search ---- */

typedef struct search {
    const mt_mesh *mesh;
    mt_defects *defects;
    mt_faces faces;
    mt_pieces pieces;
} search;

/* Counts a defect and stores its number if it is among the lowest. */
static void note(mt_defects *defects, mt_defect kind, size_t number)
{
    mt_defect_list *list = &defects->of[kind];
    size_t k = list->count < MT_DEFECT_PLACES ? list->count : MT_DEFECT_PLACES;
    list->count++;
    defects->fatal = defects->fatal || mt_defect_kinds[kind].fatal;
    if (k == MT_DEFECT_PLACES && number >= list->number[k - 1]) return;
    if (k == MT_DEFECT_PLACES) k--;
    for (; k > 0 && list->number[k - 1] > number; k--) list->number[k] = list->number[k - 1];
    list->number[k] = number;
}

static bool has_volume(const mt_mesh *mesh, size_t element)
{
    const mt_form form = mt_form_of(mesh, element);
    return form == MT_FORM_SOUND || form == MT_FORM_INVERTED;
}

static void search_run(void *context, mt_face *run, size_t n)
{
    search *s = context;
    const mt_mesh *mesh = s->mesh;
    const mt_face *first[2] = {NULL, NULL};
    size_t different = 0;
    uint32_t lowest = UINT32_MAX;
    mt_pieces_join(&s->pieces, run, n);
    if (n < 2) return;
    n = mt_run_order(mesh, run, n);
    for (size_t k = 0; k < n; k++) {
        const uint32_t top = mt_run_opposite(mesh, &run[k]);
        const bool again = k > 0 && mt_run_opposite(mesh, &run[k - 1]) == top;
        lowest = run[k].element < lowest ? run[k].element : lowest;
        /* a duplicate is counted once: at its face opposite its highest vertex */
        if (again && top > run[k].high) note(s->defects, MT_DEFECT_DUPLICATE, run[k].element);
        if (again) continue;
        if (different < 2) first[different] = &run[k];
        different++;
    }
    if (different > 2) note(s->defects, MT_DEFECT_CROWDED, lowest);
    if (different == 2 && has_volume(mesh, first[0]->element) && has_volume(mesh, first[1]->element) &&
        mt_run_side(mesh, first[0]) == mt_run_side(mesh, first[1]))
        note(s->defects, MT_DEFECT_FOLD, lowest);
}

MT_ORDER(compare_corners, mt_face, middle, high)

static bool is_face(const mt_faces *faces, const uint32_t v[3])
{
    uint32_t corner[3] = {v[0], v[1], v[2]};
    mt_face_sort(corner);
    const mt_face key = {.middle = corner[1], .high = corner[2]};
    const size_t *start = faces->start + corner[0];
    return bsearch(&key, faces->face + start[0], start[1] - start[0], sizeof key, compare_corners) != NULL;
}

static void search_triangles(search *s)
{
    for (size_t f = 0; f < s->mesh->n_faces; f++) {
        const uint32_t *v = s->mesh->face_vertex + 3 * f;
        if (mt_mesh_triangle_repeats(v))
            note(s->defects, MT_DEFECT_TRIANGLE, f);
        else if (!is_face(&s->faces, v))
            note(s->defects, MT_DEFECT_STRAY, f);
    }
}

static void search_elements(search *s)
{
    for (size_t c = 0; c < s->mesh->n_elements; c++) {
        const mt_form form = mt_form_of(s->mesh, c);
        if (form == MT_FORM_INVERTED) note(s->defects, MT_DEFECT_INVERTED, c);
        if (form == MT_FORM_FLAT || form == MT_FORM_REPEATED) note(s->defects, MT_DEFECT_FLAT, c);
    }
}

static void find_places(const mt_mesh *mesh, mt_defects *defects)
{
    for (int kind = 0; kind < MT_DEFECT_KINDS; kind++) {
        mt_defect_list *list = &defects->of[kind];
        for (size_t k = 0; k < list->count && k < MT_DEFECT_PLACES; k++) {
            const size_t number = list->number[k];
            double *at = list->at_mm[k];
            if (strcmp(mt_defect_kinds[kind].of, "element") == 0)
                mt_mesh_centroid(mesh, number, at);
            else if (strcmp(mt_defect_kinds[kind].of, "vertex") == 0)
                memcpy(at, mesh->xyz_mm + 3 * number, 3 * sizeof *at);
            else
                for (size_t i = 0; i < 9; i++)
                    at[i % 3] += mesh->xyz_mm[3 * (size_t)mesh->face_vertex[3 * number + i / 3] + i % 3] / 3;
        }
    }
}

mt_status mt_defects_find(const mt_mesh *mesh, mt_defects *defects)
{
    MT_SCRATCH(scratch);
    search s = {.mesh = mesh, .defects = defects};
    uint8_t *used;
    *defects = (mt_defects){0};
    MT_TRY(mt_mesh_used(scratch, mesh, &used));
    for (size_t v = 0; v < mesh->n_vertices; v++)
        if (!used[v]) note(defects, MT_DEFECT_DANGLING, v);
    search_elements(&s);
    MT_TRY(mt_faces_make(scratch, mesh, &s.faces));
    MT_TRY(mt_pieces_begin(scratch, mesh->n_elements, &s.pieces));
    mt_runs_each(&s.faces, search_run, &s);
    search_triangles(&s);
    MT_TRY(mt_pieces_end(scratch, mesh, &s.pieces));
    for (size_t c = 0; c < mesh->n_elements; c++)
        if (s.pieces.first[c] == c && c != s.pieces.largest) note(defects, MT_DEFECT_PIECE, c);
    find_places(mesh, defects);
    return MT_OK;
}

/* ---- messages ---- */

void mt_defect_text(const mt_defects *defects, mt_defect kind, char *out, size_t size)
{
    const mt_defect_list *list = &defects->of[kind];
    size_t used;
    (void)snprintf(out, size, "%s: %zu", mt_defect_kinds[kind].name, list->count);
    for (size_t k = 0; k < list->count && k < MT_DEFECT_PLACES; k++) {
        used = strlen(out);
        (void)snprintf(out + used, size - used, "%s%s %zu at %.6g %.6g %.6g mm", k == 0 ? " (" : ",",
            k == 0 ? mt_defect_kinds[kind].of : "", list->number[k], list->at_mm[k][0], list->at_mm[k][1],
            list->at_mm[k][2]);
    }
    used = strlen(out);
    if (list->count > 0)
        (void)snprintf(out + used, size - used, "%s)", list->count > MT_DEFECT_PLACES ? ", ..." : "");
}

mt_status mt_defects_refuse(const mt_defects *defects, const char *path)
{
    static const char *const cures[MT_DEFECT_KINDS] = {[MT_DEFECT_INVERTED] = "reorients inverted elements",
        [MT_DEFECT_FLAT] = "closes or removes flat ones",
        [MT_DEFECT_DUPLICATE] = "removes duplicates",
        [MT_DEFECT_CROWDED] = "removes the smaller elements of crowded faces",
        [MT_DEFECT_TRIANGLE] = "removes such triangles"};
    char what[800] = "", cure[200] = "";
    if (!defects->fatal) return MT_OK;
    for (int kind = 0; kind < MT_DEFECT_KINDS; kind++) {
        const size_t used = strlen(what), told = strlen(cure);
        if (!mt_defect_kinds[kind].fatal || defects->of[kind].count == 0) continue;
        (void)snprintf(what + used, sizeof what - used, "%s", used ? "; " : "");
        mt_defect_text(defects, (mt_defect)kind, what + strlen(what), sizeof what - strlen(what));
        (void)snprintf(cure + told, sizeof cure - told, "%s%s", told ? ", " : "", cures[kind]);
    }
    return mt_fail(MT_INPUT, "%.200s: %s; --repair %s", path, what, cure);
}
