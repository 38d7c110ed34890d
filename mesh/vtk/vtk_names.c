#include "mesh/vtk/vtk_names.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Names without blanks, '_' and '-'. Sources: openCARP and meshtool (elemTag, fiber, sheet), the cohorts of Strocchi, Rodero
 * and others (ID, fibres, sheets), FEniCS and ldrb (f0, s0, cell_tags), meshio (gmsh:physical, medit:ref, name_to_read),
 * SimVascular and svFSI (ModelRegionID, DOMAIN_ID, FIB_DIR), TetGen and ParaView (attribute, CellEntityIds, MaterialIds). */
static const mt_vtk_known known[] = {{MT_VTK_REGION, "region"}, {MT_VTK_REGION, "regions"},
    {MT_VTK_REGION, "regionid"}, {MT_VTK_REGION, "regionids"}, {MT_VTK_REGION, "modelregionid"},
    {MT_VTK_REGION, "elemTag"}, {MT_VTK_REGION, "elemTags"}, {MT_VTK_REGION, "elementtag"},
    {MT_VTK_REGION, "elementtags"}, {MT_VTK_REGION, "tag"}, {MT_VTK_REGION, "tags"}, {MT_VTK_REGION, "label"},
    {MT_VTK_REGION, "labels"}, {MT_VTK_REGION, "material"}, {MT_VTK_REGION, "materials"},
    {MT_VTK_REGION, "materialid"}, {MT_VTK_REGION, "materialids"}, {MT_VTK_REGION, "gmsh:physical"},
    {MT_VTK_REGION, "medit:ref"}, {MT_VTK_REGION, "celltag"}, {MT_VTK_REGION, "celltags"},
    {MT_VTK_REGION, "cellmarkers"}, {MT_VTK_REGION, "meshtags"}, {MT_VTK_REGION, "facettags"},
    {MT_VTK_REGION, "facetmarkers"}, {MT_VTK_REGION, "nametoread"}, {MT_VTK_REGION, "subdomains"},
    {MT_VTK_REGION, "domainid"}, {MT_VTK_REGION, "CellEntityIds"}, {MT_VTK_REGION, "partid"},
    {MT_VTK_REGION, "surfaceid"}, {MT_VTK_REGION, "attribute"}, {MT_VTK_REGION, "attributes"},
    {MT_VTK_REGION, "ID"}, {MT_VTK_FIBRE, "fibre"}, {MT_VTK_FIBRE, "fibres"}, {MT_VTK_FIBRE, "fiber"},
    {MT_VTK_FIBRE, "fibers"}, {MT_VTK_FIBRE, "f0"}, {MT_VTK_FIBRE, "fibredirection"},
    {MT_VTK_FIBRE, "fiberdirection"}, {MT_VTK_FIBRE, "fibredirections"}, {MT_VTK_FIBRE, "fiberdirections"},
    {MT_VTK_FIBRE, "FIBDIR"}, {MT_VTK_FIBRE, "fibreorientation"}, {MT_VTK_FIBRE, "fiberorientation"},
    {MT_VTK_FIBRE, "fibreorientations"}, {MT_VTK_FIBRE, "fiberorientations"}, {MT_VTK_FIBRE, "fibreaxis"},
    {MT_VTK_FIBRE, "fiberaxis"}, {MT_VTK_FIBRE, "fibrelongitudinal"}, {MT_VTK_FIBRE, "fiberlongitudinal"},
    {MT_VTK_FIBRE, "longitudinal"}, {MT_VTK_FIBRE, "f"}, {MT_VTK_SHEET, "sheet"}, {MT_VTK_SHEET, "sheets"},
    {MT_VTK_SHEET, "s0"}, {MT_VTK_SHEET, "sheetdirection"}, {MT_VTK_SHEET, "sheetdirections"},
    {MT_VTK_SHEET, "SHEETDIR"}, {MT_VTK_SHEET, "sheetorientation"}, {MT_VTK_SHEET, "sheetorientations"},
    {MT_VTK_SHEET, "transverse"}, {MT_VTK_SHEET, "transversal"}, {MT_VTK_SHEET, "s"}, {MT_VTK_DEPTH, "depth"},
    {MT_VTK_LAYER, "layer"}, {MT_VTK_GROUPS, "groups"}};

size_t mt_vtk_components(mt_vtk_role role) { return role == MT_VTK_FIBRE || role == MT_VTK_SHEET ? 3 : 1; }

static bool counts(char c) { return c != ' ' && c != '_' && c != '-'; }

/* True if the name equals that of the table, which contains no ignored characters. */
static bool is_name(const char *name, const char *of_table)
{
    for (; *name; name++) {
        if (!counts(*name)) continue;
        if (tolower((unsigned char)*name) != tolower((unsigned char)*of_table)) return false;
        of_table++;
    }
    return !*of_table;
}

const mt_vtk_known *mt_vtk_known_find(const char *name, size_t components, bool of_points)
{
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const bool exact = known[k].role >= MT_VTK_DEPTH;
        const size_t n = mt_vtk_components(known[k].role);
        if (components == n && (n == 3 || !of_points) &&
            (exact ? strcmp(known[k].name, name) == 0 : is_name(name, known[k].name)))
            return &known[k];
    }
    return NULL;
}

const mt_vtk_known *mt_vtk_known_find_of_lines(const char *name, size_t components)
{
    static const mt_vtk_known own[] = {{MT_VTK_RADIUS, "radius"}, {MT_VTK_KIND, "kind"}};
    const mt_vtk_known *is = mt_vtk_known_find(name, components, false);
    for (size_t k = 0; components == 1 && k < sizeof own / sizeof *own; k++)
        if (is_name(name, own[k].name)) return &own[k];
    return is && is->role == MT_VTK_REGION ? is : NULL;
}

bool mt_vtk_integer(double value, size_t at, int32_t *number, mt_vtk_odd *odd)
{
    if (value >= INT32_MIN && value <= INT32_MAX && value == nearbyint(value)) {
        *number = (int32_t)value;
        return true;
    }
    if (!isnan(value) && odd->n++ == 0) odd->first = value, odd->at = at;
    return false;
}

mt_status mt_vtk_odd_note(
    mt_arena *arena, const mt_vtk_odd *odd, const char *array, const char *of, mt_mesh *mesh)
{
    if (odd->n == 0) return MT_OK;
    return mt_mesh_note(arena, mesh,
        "%s: %zu values are not 32-bit integers (the first is %.9g, of %s %zu) and are not used as regions",
        array, odd->n, odd->first, of, odd->at);
}

/* True if the array is derived from others or only numbers points and cells. */
static bool is_idle(const char *name)
{
    static const char *const names[] = {"normal", "normals", "n0", "sheetnormal", "vtkoriginalpointids",
        "vtkoriginalcellids", "globalids", "globalnodeid", "globalelementid", "globalpointids",
        "globalcellids", "vtkghosttype", "gmsh:dimtags"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (is_name(name, names[k])) return true;
    return false;
}

void mt_vtk_unused_add(mt_vtk_unused *list, const char *name, bool of_points, size_t components)
{
    char cut[MT_VTK_UNUSED_NAME];
    (void)snprintf(cut, sizeof cut, "%s", name);
    if (is_idle(name)) return;
    for (size_t k = 0; k < list->n && k < MT_VTK_UNUSED_MOST; k++)
        if (strcmp(list->array[k].name, cut) == 0 && list->array[k].of_points == of_points) return;
    if (list->n < MT_VTK_UNUSED_MOST) {
        (void)strcpy(list->array[list->n].name, cut);
        list->array[list->n].of_points = of_points;
        list->array[list->n].components = components;
    }
    list->n++;
}

mt_status mt_vtk_unused_note(mt_arena *arena, const mt_vtk_unused *list, const char **notes)
{
    char text[MT_VTK_UNUSED_MOST * (MT_VTK_UNUSED_NAME + 40)], more[32] = "";
    size_t at = 0;
    if (list->n == 0) return MT_OK;
    for (size_t k = 0; k < list->n && k < MT_VTK_UNUSED_MOST; k++) {
        const size_t components = list->array[k].components;
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s (%s", k > 0 ? ", " : "",
            list->array[k].name, list->array[k].of_points ? "points" : "cells");
        if (components > 1)
            at += (size_t)snprintf(text + at, sizeof text - at, ", %zu components", components);
        at += (size_t)snprintf(text + at, sizeof text - at, ")");
    }
    if (list->n > MT_VTK_UNUSED_MOST)
        (void)snprintf(more, sizeof more, ", and %zu more", list->n - MT_VTK_UNUSED_MOST);
    return mt_notes_add(arena, notes, "found but not used: %s%s", text, more);
}
