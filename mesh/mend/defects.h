/* What is wrong with a mesh that came from outside; mesh/mend/repair.h mends it.
 *
 * A mesh as its reader gives it (mt_mesh_check_content passed) may have elements that are wound the wrong way, elements
 * without volume, elements that are there twice. With the kinds that are `fatal` nothing can run on it; the others are
 * worth a warning. Damaged coordinates that leave every element a volume show up only as folds.
 *
 * Flat elements (mesh/mend/form.h) count as nothing else. */
#pragma once

#include "mesh/mesh.h"

typedef enum mt_defect {
    MT_DEFECT_INVERTED,  /* elements of negative volume */
    MT_DEFECT_FLAT,      /* elements without volume */
    MT_DEFECT_DUPLICATE, /* elements with the same four vertices as an earlier one */
    MT_DEFECT_CROWDED,  /* faces of more than two elements, duplicates counted once; by their first element */
    MT_DEFECT_TRIANGLE, /* tagged triangles that have a vertex twice */
    MT_DEFECT_FOLD,     /* faces whose two elements lie on the same side of it; by the first of the two */
    MT_DEFECT_DANGLING, /* vertices of no element */
    MT_DEFECT_PIECE,    /* pieces, connected by faces, beside the largest one; by their first element */
    MT_DEFECT_STRAY,    /* tagged triangles that are no face of an element */
    MT_DEFECT_KINDS
} mt_defect;

typedef struct mt_defect_kind {
    const char *key;  /* "inverted_elements", for programs */
    const char *name; /* "inverted elements" */
    const char *of;   /* what the numbers of its places number: "element", "vertex" or "triangle" */
    bool fatal;       /* nothing can run on such a mesh */
} mt_defect_kind;
extern const mt_defect_kind mt_defect_kinds[MT_DEFECT_KINDS];

enum { MT_DEFECT_PLACES = 3 };

typedef struct mt_defect_list {
    size_t count;
    size_t number[MT_DEFECT_PLACES]; /* of the first ones, ascending; from 0 */
    double at_mm[MT_DEFECT_PLACES][3];
} mt_defect_list;

typedef struct mt_defects {
    mt_defect_list of[MT_DEFECT_KINDS];
    bool fatal; /* there is a defect of a fatal kind */
} mt_defects;

/* Fills defects; borrows the mesh. MT_MEMORY. Time O(n log n) at worst, in practice O(n); scratch about 80
 * bytes an element and 9 a vertex, freed. */
MT_NODISCARD mt_status mt_defects_find(const mt_mesh *mesh, mt_defects *defects);

/* Writes "inverted elements: 7 (element 3 at 1.5 2 0.25 mm, ...)" into out[size]. */
void mt_defect_text(const mt_defects *defects, mt_defect kind, char *out, size_t size);

/* MT_INPUT where there are fatal defects: the message names the file, each of them with its first places, and what a
 * repair would do. */
MT_NODISCARD mt_status mt_defects_refuse(const mt_defects *defects, const char *path);
