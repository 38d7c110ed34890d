/* Names of the arrays that contain regions, fibres and sheets: one table for all formats with named arrays,
 * and the list of arrays that a mesh does not use. */
#pragma once

#include "mesh/mesh.h"

typedef enum mt_vtk_role {
    MT_VTK_REGION,
    MT_VTK_FIBRE,
    MT_VTK_SHEET,
    MT_VTK_DEPTH,
    MT_VTK_LAYER,
    MT_VTK_GROUPS,
    MT_VTK_RADIUS, /* this and the next: of lines only */
    MT_VTK_KIND,
    MT_VTK_ROLES
} mt_vtk_role;

/* The name and role of an array that a mesh uses. */
typedef struct mt_vtk_known {
    mt_vtk_role role;
    const char *name;
} mt_vtk_known;

/* Returns the table entry for an array with this name and number of components, or NULL if a mesh does not
 * use it. Case, blanks, '_' and '-' are ignored, except in the names of depth, layer and groups, which are
 * exact. If two arrays have one role, the entry at the lower address has priority. Point arrays can only
 * contain directions. */
const mt_vtk_known *mt_vtk_known_find(const char *name, size_t components, bool of_points);

/* The same for the cells of a conduction network: `radius` and `kind`, without regard to case, or a region. */
const mt_vtk_known *mt_vtk_known_find_of_lines(const char *name, size_t components);

/* Returns the number of components of an array with this role. */
size_t mt_vtk_components(mt_vtk_role role);

/* The values of a region array that are not 32-bit integers. Zero-initialised: none. */
typedef struct mt_vtk_odd {
    size_t n;
    double first; /* the first such value, and the number of its element or cell */
    size_t at;
} mt_vtk_odd;

/* Stores a value as a 32-bit integer. Returns false if it is not one; *number is then unchanged, and the
 * value is counted unless it is nan, which means "no region". */
bool mt_vtk_integer(double value, size_t at, int32_t *number, mt_vtk_odd *odd);

/* Adds a note on the counted values of an array to the mesh, if there are any. `of`: "element" or "cell".
 * MT_MEMORY. */
MT_NODISCARD mt_status mt_vtk_odd_note(
    mt_arena *arena, const mt_vtk_odd *odd, const char *array, const char *of, mt_mesh *mesh);

enum { MT_VTK_UNUSED_MOST = 12, MT_VTK_UNUSED_NAME = 48 };

/* The arrays of a file that its mesh does not use, each once. Zero-initialised: an empty list. */
typedef struct mt_vtk_unused {
    size_t n; /* arrays beyond MT_VTK_UNUSED_MOST are only counted */
    struct {
        char name[MT_VTK_UNUSED_NAME];
        bool of_points;
        size_t components;
    } array[MT_VTK_UNUSED_MOST];
} mt_vtk_unused;

/* Adds an array to the list. Ignores arrays that are derived from others (normal = fibre x sheet) or only
 * number points and cells. */
void mt_vtk_unused_add(mt_vtk_unused *list, const char *name, bool of_points, size_t components);

/* Adds the list as one line to the notes (mt_notes_add), unless it is empty. MT_MEMORY. */
MT_NODISCARD mt_status mt_vtk_unused_note(mt_arena *arena, const mt_vtk_unused *list, const char **notes);
