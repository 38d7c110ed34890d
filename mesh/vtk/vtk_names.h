/* The names under which files carry regions, fibres and sheets: one table for all formats whose arrays have names, and the list of the
 * arrays that a mesh does not use. */
#pragma once

#include "mesh/mesh.h"

typedef enum mt_vtk_role {
    MT_VTK_REGION,
    MT_VTK_FIBRE,
    MT_VTK_SHEET,
    MT_VTK_DEPTH,
    MT_VTK_LAYER,
    MT_VTK_GROUPS,
    MT_VTK_ROLES
} mt_vtk_role;

/* An array that a mesh uses, by its name. */
typedef struct mt_vtk_known {
    mt_vtk_role role;
    const char *name;
} mt_vtk_known;

/* Returns the meaning of an array of this name with this number of components, or NULL if a mesh does not use it. Small and capital
 * letters are the same, and blanks, '_' and '-' do not count; the names of depth, layer and groups are exact. Of two arrays for one
 * role the better one has the lower address. Points have only directions. */
const mt_vtk_known *mt_vtk_known_find(const char *name, size_t components, bool of_points);

/* Returns the number of components of an array of this role. */
size_t mt_vtk_components(mt_vtk_role role);

/* The values of an array of regions that are no whole numbers of 32 bits; all zero: none. */
typedef struct mt_vtk_odd {
    size_t n;
    double first; /* the first value, and the number of its element or cell */
    size_t at;
} mt_vtk_odd;

/* Stores a value as a whole number of 32 bits. False if it is none: *number is left alone, and the value is counted unless it is nan,
 * which stands for none. */
bool mt_vtk_whole(double value, size_t at, int32_t *number, mt_vtk_odd *odd);

/* Adds a note on the counted values of an array to the mesh; nothing if there are none. `of`: "element" or "cell". MT_MEMORY. */
MT_NODISCARD mt_status mt_vtk_odd_note(
    mt_arena *arena, const mt_vtk_odd *odd, const char *array, const char *of, mt_mesh *mesh);

enum { MT_VTK_UNUSED_MOST = 12, MT_VTK_UNUSED_NAME = 48 };

/* The arrays of a file that its mesh does not use, each once; all zero is an empty list. */
typedef struct mt_vtk_unused {
    size_t n; /* those beyond the most are counted only */
    struct {
        char name[MT_VTK_UNUSED_NAME];
        bool of_points;
        size_t components;
    } array[MT_VTK_UNUSED_MOST];
} mt_vtk_unused;

/* Adds an array. Those that follow from others (normal = fibre x sheet) or that only number points and cells are left out. */
void mt_vtk_unused_add(mt_vtk_unused *list, const char *name, bool of_points, size_t components);

/* Adds the list as one line to the notes of the mesh; nothing if it is empty. MT_MEMORY. */
MT_NODISCARD mt_status mt_vtk_unused_note(mt_arena *arena, const mt_vtk_unused *list, mt_mesh *mesh);
