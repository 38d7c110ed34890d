/* In which files a mesh can stand: the formats that are read and written, by the ending of a file's name. */
#ifndef MT_MESH_FORMATS_H
#define MT_MESH_FORMATS_H

#include "mesh/mesh.h"

typedef struct mt_mesh_format {
    const char *ending; /* of a file's name, with its point */
    const char *name;
    const char *unit; /* of its numbers where nothing else is said: see mt_unit_mm */
    bool keeps_fibres, keeps_faces;
    /* Gives the mesh of a file whose numbers are of unit_mm millimetres each: one of cells, or a surface without any
     * (mesh/triangles.h). */
    mt_status (*read)(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh);
    /* The file is whole or as it was. */
    mt_status (*write)(const char *path, const mt_mesh *mesh);
} mt_mesh_format;

/* Gives the format of a file of this name. MT_INPUT names the endings there are. */
MT_NODISCARD mt_status mt_mesh_format_find(const char *path, const mt_mesh_format **format);

/* Gives the millimetres of "um", "mm", "cm" or "m". MT_INPUT names the four. */
MT_NODISCARD mt_status mt_unit_mm(const char *name, double *mm);

/* MT_INPUT where a mesh that was read from `path` is a surface without cells. */
MT_NODISCARD mt_status mt_mesh_need_cells(const char *path, const mt_mesh *mesh);

/* Gives the mesh of a file in its format's usual unit; it has cells and has passed mt_mesh_check.
 * Failures: the reader's and mt_mesh_need_cells. */
MT_NODISCARD mt_status mt_mesh_read(mt_arena *arena, const char *path, mt_mesh *mesh);

#endif
