/* Defects of a mesh from an external file; mesh/repair/repair.h repairs them.
 *
 * A mesh from a reader (mt_mesh_check_content passed) may have inverted elements, elements without volume, and duplicate
 * elements. No computation is possible on a mesh with a defect of a `fatal` kind; the other kinds deserve a warning. Damaged
 * coordinates that leave every element with a positive volume are detected only as folds.
 *
 * Flat elements (mesh/repair/form.h) count as no other defect. */
#pragma once

#include "mesh/mesh.h"

typedef enum mt_defect {
    MT_DEFECT_INVERTED,  /* elements of negative volume */
    MT_DEFECT_FLAT,      /* elements without volume */
    MT_DEFECT_DUPLICATE, /* elements with the same four vertices as an earlier one */
    MT_DEFECT_CROWDED,   /* faces of more than two different elements; located by their first element */
    MT_DEFECT_TRIANGLE,  /* tagged triangles with a repeated vertex */
    MT_DEFECT_FOLD,      /* faces with both elements on the same side; located by the first element */
    MT_DEFECT_DANGLING,  /* vertices of no element */
    MT_DEFECT_PIECE,     /* face-connected pieces other than the largest; located by their first element */
    MT_DEFECT_STRAY,     /* tagged triangles that are not a face of any element */
    MT_DEFECT_KINDS
} mt_defect;

typedef struct mt_defect_kind {
    const char *key;  /* "inverted_elements", for programs */
    const char *name; /* "inverted elements" */
    const char *of;   /* kind of object in its list of places: "element", "vertex" or "triangle" */
    bool fatal;       /* True if no computation is possible on such a mesh */
} mt_defect_kind;
extern const mt_defect_kind mt_defect_kinds[MT_DEFECT_KINDS];

enum { MT_DEFECT_PLACES = 3 };

typedef struct mt_defect_list {
    size_t count;
    size_t number[MT_DEFECT_PLACES]; /* numbers of the first ones, ascending; from 0 */
    double at_mm[MT_DEFECT_PLACES][3];
} mt_defect_list;

typedef struct mt_defects {
    mt_defect_list of[MT_DEFECT_KINDS];
    bool fatal; /* True if there is a defect of a fatal kind */
} mt_defects;

/* Finds the defects of a mesh (borrowed). MT_MEMORY. Time O(n log n) in the worst case, O(n) in practice; scratch about 80
 * bytes per element and 9 per vertex, freed. */
MT_NODISCARD mt_status mt_defects_find(const mt_mesh *mesh, mt_defects *defects);

/* Writes "inverted elements: 7 (element 3 at 1.5 2 0.25 mm, ...)" into out[size]. */
void mt_defect_text(const mt_defects *defects, mt_defect kind, char *out, size_t size);

/* Fails with MT_INPUT if there are fatal defects. The message names the file, each fatal defect with its first places, and
 * the effect of a repair. */
MT_NODISCARD mt_status mt_defects_refuse(const mt_defects *defects, const char *path);
