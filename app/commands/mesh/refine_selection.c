#include "app/commands/mesh/refine_selection.h"

#include <string.h>

#include "app/heart/anatomy.h"
#include "app/run/problem.h"
#include "mesh/anatomy/channels.h"
#include "mesh/anatomy/patch.h"
#include "solver/case/case_on_mesh.h"

typedef struct selecting {
    mt_arena *scratch;
    const mt_arguments *arguments;
    const char *path; /* of the mesh */
    mt_mesh *mesh;
    bool confirmed;      /* the names of surfaces */
    bool has_problem;    /* the next two are valid */
    mt_problem problem;  /* of --case on the mesh */
    uint8_t *conducting; /* [n_elements]; NULL: all conduct */
} selecting;

/* Builds the problem of --case, unless it exists. */
static mt_status make_problem(selecting *s, const char *word)
{
    const char *path = mt_option_value(s->arguments, "--case", NULL);
    mt_case input;
    if (s->has_problem) return MT_OK;
    if (!path)
        return mt_fail(MT_INPUT,
            "--where %s without --case; allowed: with --case CASE.yaml, which has the cells and the scars",
            word);
    MT_TRY(mt_case_load(s->scratch, path, NULL, 0, &input));
    MT_TRY(mt_problem_make_on(s->scratch, s->mesh, &input, true, &s->problem));
    s->has_problem = true;
    return mt_case_conducting(s->scratch, &input, &s->problem.whole, &s->conducting);
}

/* Selects the elements of inaccurate fronts. */
static mt_status select_weak(selecting *s, uint8_t *selected)
{
    MT_TRY(make_problem(s, "weak"));
    const mt_fronts *fronts = &s->problem.fronts;
    for (size_t e = 0; e < s->problem.mesh.n_elements; e++)
        selected[mt_mesh_number(&s->problem.mesh, e)] =
            mt_front_is_inaccurate(&fronts->front[fronts->spreading.of[e]]);
    return MT_OK;
}

static mt_status select_channels(selecting *s, uint8_t *selected)
{
    mt_channels channels;
    MT_TRY(make_problem(s, "channels"));
    MT_TRY(mt_channels_find(s->scratch, s->mesh, s->conducting, &channels));
    for (size_t c = 0; channels.n > 0 && c < s->mesh->n_elements; c++) selected[c] = channels.of[c] > 0;
    return MT_OK;
}

static mt_status select_region(selecting *s, const char *text, uint8_t *selected)
{
    mt_region region;
    uint32_t *elements;
    size_t n;
    MT_TRY(mt_case_read_region(s->scratch, "--where", text, &region));
    if (!s->confirmed && mt_region_uses_surfaces(&region)) {
        s->confirmed = true;
        MT_TRY(mt_anatomy_confirm(s->scratch, s->path, s->mesh));
    }
    MT_TRY(mt_fail_in("--where", mt_region_elements(s->scratch, &region, s->mesh, &n, &elements)));
    for (size_t k = 0; k < n; k++) selected[elements[k]] = 1;
    return MT_OK;
}

/* Returns the faces between selected and other elements as the tagged triangles, with tag 1, of a mesh that borrows all else. */
static mt_status make_border(mt_arena *arena, const mt_mesh *mesh, const uint8_t *selected, mt_mesh *bordered)
{
    mt_adjacency adjacency;
    size_t n = 0;
    *bordered = *mesh;
    MT_TRY(mt_adjacency_make(arena, mesh, &adjacency));
    MT_TRY(mt_mesh_new_faces(arena, 4 * mesh->n_elements, bordered));
    for (size_t k = 0; k < 4 * mesh->n_elements; k++) {
        const uint32_t other = adjacency.neighbour[k];
        if (!selected[k / 4] || other == MT_NO_ELEMENT || selected[other]) continue;
        for (size_t i = 0; i < 3; i++)
            bordered->face_vertex[3 * n + i] = mesh->element_vertex[k / 4 * 4 + mt_mesh_face[k % 4][i]];
        bordered->face_tag[n++] = 1;
    }
    bordered->n_faces = n;
    return MT_OK;
}

/* Adds the elements with a centroid within a distance of a selection. */
static mt_status add_margin(const mt_mesh *mesh, double margin_mm, uint8_t *selected)
{
    MT_SCRATCH(scratch);
    mt_mesh bordered;
    uint8_t *near;
    if (margin_mm == 0) return MT_OK;
    MT_TRY(make_border(scratch, mesh, selected, &bordered));
    if (bordered.n_faces == 0) return MT_OK;
    MT_ALLOC(scratch, near, mesh->n_elements);
    MT_TRY(mt_patch_elements(&bordered, 1, margin_mm, near));
    for (size_t c = 0; c < mesh->n_elements; c++) selected[c] |= near[c];
    return MT_OK;
}

static mt_status read_margin(const mt_arguments *arguments, bool channels, double *margin_mm)
{
    const char *text = mt_option_value(arguments, "--margin-mm", channels ? "1" : "0");
    if (mt_numbers("--margin-mm", text, 1, -1, margin_mm) == MT_OK && *margin_mm >= 0) return MT_OK;
    return mt_fail(MT_INPUT, "--margin-mm %.60s; allowed: a number of at least 0", text);
}

/* Selects the elements of one --where. */
static mt_status select_one(selecting *s, const char *text, uint8_t *selected)
{
    const bool channels = strcmp(text, "channels") == 0, weak = strcmp(text, "weak") == 0;
    double margin_mm;
    size_t n = 0;
    MT_TRY(read_margin(s->arguments, channels, &margin_mm));
    MT_TRY(channels ? select_channels(s, selected)
           : weak   ? select_weak(s, selected)
                    : select_region(s, text, selected));
    for (size_t c = 0; c < s->mesh->n_elements; c++) n += selected[c];
    if (n == 0)
        return mt_fail(MT_INPUT,
            "--where %s: found no such elements in %s; allowed: a selection of at least one", text, s->path);
    MT_TRY(add_margin(s->mesh, margin_mm, selected));
    for (size_t c = 0; (channels || weak) && s->conducting && c < s->mesh->n_elements; c++)
        selected[c] = selected[c] && s->conducting[c];
    return MT_OK;
}

mt_status mt_refine_selection(
    mt_arena *arena, const mt_arguments *arguments, const char *path, mt_mesh *mesh, uint8_t **selected)
{
    MT_SCRATCH(scratch);
    selecting s = {.scratch = scratch, .arguments = arguments, .path = path, .mesh = mesh};
    const char *text;
    MT_ALLOC(arena, *selected, mesh->n_elements);
    for (size_t k = 0; (text = mt_option_nth(arguments, "--where", k)); k++) {
        uint8_t *one;
        MT_ALLOC(scratch, one, mesh->n_elements);
        MT_TRY(select_one(&s, text, one));
        for (size_t c = 0; c < mesh->n_elements; c++) (*selected)[c] |= one[c];
    }
    return MT_OK;
}
