/* What is wrong with a mesh that came from outside, and mending it.
 *
 * A mesh as its reader gives it (mt_mesh_check_content passed) may have cells that are wound the wrong way, cells
 * without volume, cells that are there twice. With the kinds that are `fatal` nothing can run on it; the others are
 * worth a word. Damage to coordinates that leaves every cell its volume is not seen but as folds.
 *
 * A cell is flat where |6 V| <= 1e-6 L^3, L its longest edge (the regular cell has 0.71 L^3): its height is a
 * millionth of its width, and what is left of V may be rounding. A cell that has a vertex twice is flat too. Flat cells
 * count as nothing else. */
#ifndef MT_MESH_MEND_DEFECTS_H
#define MT_MESH_MEND_DEFECTS_H

#include "mesh/adjacency.h"

typedef enum mt_defect {
    MT_DEFECT_INVERTED,  /* cells of negative volume */
    MT_DEFECT_FLAT,      /* cells without volume */
    MT_DEFECT_DUPLICATE, /* cells that have the four vertices of an earlier one */
    MT_DEFECT_CROWDED, /* faces of more than two cells, those that are there twice counted once; by their first cell */
    MT_DEFECT_TRIANGLE, /* tagged triangles that have a vertex twice */
    MT_DEFECT_FOLD,     /* faces whose two cells lie on the same side of it; by the first of the two */
    MT_DEFECT_DANGLING, /* vertices of no cell */
    MT_DEFECT_PIECE,    /* pieces, connected by faces, beside the largest one; by their first cell */
    MT_DEFECT_STRAY,    /* tagged triangles that are no face of a cell */
    MT_DEFECT_KINDS
} mt_defect;

typedef struct mt_defect_kind {
    const char *name; /* "inverted cells" */
    const char *of;   /* what the numbers of its places number: "cell", "vertex" or "triangle" */
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

/* Fills defects; borrows the mesh. MT_FILE: no memory. Time O(n log n) at worst, in practice O(n); scratch about 80
 * bytes a cell and 9 a vertex, freed. */
MT_NODISCARD mt_status mt_defects_find(const mt_mesh *mesh, mt_defects *defects);

/* Writes "inverted cells: 7 (cell 3 at 1.5 2 0.25 mm, ...)" into out[size]. */
void mt_defect_text(const mt_defects *defects, mt_defect kind, char *out, size_t size);

/* MT_INPUT where there are fatal defects: the message names the file, each of them with its first places, and what a
 * repair would do. */
MT_NODISCARD mt_status mt_defects_refuse(const mt_defects *defects, const char *path);

/* What a repair did. */
typedef struct mt_repair {
    size_t turned;          /* inverted cells wound the other way */
    size_t duplicates;      /* cells removed that were there before */
    size_t repeated;        /* cells removed that had a vertex twice: what lay on both their sides meets */
    size_t collapsed_edges; /* edges of flat cells drawn together ... */
    size_t collapsed_cells; /* ... and the cells that vanished with them */
    size_t flat_surface;    /* flat cells taken off the surface */
    size_t flat_inside; /* flat cells removed inside, where each leaves a slit: nothing flows through it */
    size_t overlapping; /* cells removed from faces of more than two */
    size_t pieces;      /* pieces removed ... */
    size_t piece_cells; /* ... and their cells */
    size_t vertices;    /* vertices removed, those drawn together among them */
    size_t triangles;   /* tagged triangles removed */
} mt_repair;

/* Mends a mesh in place (its arrays keep their room); borrows nothing. In this order:
 *   inverted cells are turned;
 *   of cells that are there twice the first stays, cells that have a vertex twice go;
 *   flat cells: the shortest edge is drawn together for which that makes no other cell flat or inverted and leaves the
 *     surface closed, and moves a vertex of the surface only if the edge is below a thousandth of the longest; where
 *     none will do, a cell with a face on the surface goes; then vertices of the surface are moved by whole edges;
 *     at last the cell goes and leaves a slit (mesh/mend/flat.h);
 *   of a face's cells on one side the largest stays, where it has more than two;
 *   of several pieces the largest stays (by volume; the first of equals);
 *   vertices of no cell go.
 * All that is known of a cell goes with it. Tagged triangles go where a vertex of theirs went or two met; they stay
 * where they are no face of a cell, as in any mesh.
 * Afterwards mt_mesh_check and mt_adjacency_make have passed. MT_INPUT: they would not, or no cell is left; the mesh is
 * then of no use. MT_FILE: no memory. Time and scratch as above, and 24 bytes a cell more where cells are flat. */
MT_NODISCARD mt_status mt_defects_repair(mt_mesh *mesh, mt_repair *repair);

/* A cell by itself. */
typedef enum mt_cell_form { MT_CELL_SOUND, MT_CELL_INVERTED, MT_CELL_FLAT, MT_CELL_REPEATED } mt_cell_form;
mt_cell_form mt_cell_form_of(const mt_mesh *mesh, size_t cell);

#endif
