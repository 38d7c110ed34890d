#include "app/commands/mesh/refine_selection.h"

#include <string.h>

#include "app/heart/anatomy.h"
#include "app/heart/case_places.h"
#include "app/run/problem.h"
#include "mesh/anatomy/patch.h"
#include "mesh/triangles.h"
#include "solver/case/case.h"

typedef struct selecting {
    mt_arena *scratch;
    const mt_arguments *arguments;
    const char *path; /* of the mesh */
    mt_mesh *mesh;
    bool confirmed;     /* the names of surfaces */
    bool has_problem;   /* the next one is valid */
    mt_problem problem; /* of --case on the mesh */
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
    MT_TRY(mt_case_need_elements(path, &input));
    s->has_problem = true;
    return mt_problem_make_on(s->scratch, s->mesh, &input, true, &s->problem);
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
    MT_TRY(make_problem(s, "channels"));
    const mt_channels *channels = &s->problem.channels;
    for (size_t c = 0; channels->n > 0 && c < s->mesh->n_elements; c++) selected[c] = channels->of[c] > 0;
    return MT_OK;
}

/* Removes the elements that do not conduct in the case. */
static mt_status keep_conducting(const selecting *s, uint8_t *selected)
{
    MT_SCRATCH(scratch);
    const mt_mesh *conducting = &s->problem.mesh;
    uint8_t *conducts;
    MT_ALLOC(scratch, conducts, s->mesh->n_elements);
    for (size_t e = 0; e < conducting->n_elements; e++) conducts[mt_mesh_number(conducting, e)] = 1;
    for (size_t c = 0; c < s->mesh->n_elements; c++) selected[c] &= conducts[c];
    return MT_OK;
}

static mt_status select_region(selecting *s, const char *text, uint8_t *selected)
{
    mt_region region;
    mt_mesh mesh;
    uint32_t *elements;
    size_t n;
    MT_TRY(mt_case_read_region(s->scratch, "--where", text, &region));
    const bool computes = mt_position_stated(&region.position) && !s->mesh->coordinate[0];
    if (!s->confirmed && (mt_region_uses_surfaces(&region) || computes)) {
        s->confirmed = true;
        MT_TRY(mt_anatomy_confirm(s->scratch, s->path, s->mesh));
    }
    mesh = *s->mesh; /* coordinates that are computed are not stored in the mesh */
    MT_TRY(mt_fail_in(
        "--where", mt_case_places_find_region(s->scratch, s->path, &mesh, &s->confirmed, &region)));
    MT_TRY(mt_fail_in("--where", mt_region_elements(s->scratch, &region, s->mesh, &n, &elements)));
    for (size_t k = 0; k < n; k++) selected[elements[k]] = 1;
    return MT_OK;
}

/* Adds the elements with a centroid within a distance of a selection. */
static mt_status add_margin(const mt_mesh *mesh, double margin_mm, uint8_t *selected)
{
    MT_SCRATCH(scratch);
    mt_adjacency adjacency;
    mt_mesh border = *mesh;
    uint8_t *near;
    if (margin_mm == 0) return MT_OK;
    MT_TRY(mt_adjacency_make(scratch, mesh, &adjacency));
    MT_TRY(mt_border_make(scratch, &adjacency, selected, &border));
    if (border.n_faces == 0) return MT_OK;
    MT_ALLOC(scratch, near, mesh->n_elements);
    MT_TRY(mt_patch_elements(&border, 1, margin_mm, near));
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
    return channels || weak ? keep_conducting(s, selected) : MT_OK;
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
