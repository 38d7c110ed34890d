/* The file formats of meshes, identified by the ending of a file's name. */
#pragma once

#include "data/files/file.h"
#include "mesh/mesh.h"
#include "mesh/scale.h"

typedef struct mt_mesh_format {
    const char *ending; /* of a file's name, with its point */
    const char *name;
    const char *unit;    /* usual unit of its coordinates (mt_mesh_unit) */
    bool keeps_depth;    /* True if depth and layers are stored */
    bool keeps_segments; /* True if segments and ventricular coordinates are stored */
    bool keeps_names;    /* True if the names of all tags, and groups, are stored */
    /* Reads the mesh of a file with coordinates in units of unit_mm millimetres, without repairs. It has passed only
     * mt_mesh_check_content, and may be a surface: triangles and no elements. */
    mt_status (*read)(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh);
    /* Writes the mesh atomically. NULL if this format is only read. */
    mt_status (*write)(const char *path, const mt_mesh *mesh);
    /* Checks that the file can be written (mt_file_check). NULL if `write` is NULL. */
    mt_status (*check)(const char *path, mt_file_replace replace);
    /* Returns the unit that a file states, "" if it states none. NULL if files of this format never state it. */
    mt_status (*stated_unit)(const char *path, char unit[MT_UNIT_SIZE]);
} mt_mesh_format;

/* Finds the format of a file of this name. `to_write`: only formats that can be written. MT_INPUT lists the known endings. */
MT_NODISCARD mt_status mt_mesh_format_find(const char *path, bool to_write, const mt_mesh_format **format);

/* Finds the format of an output file and checks that it can be written, before long computations. MT_INPUT: as above.
 * MT_FILE: as mt_file_check, for each file of the format. */
MT_NODISCARD mt_status mt_mesh_format_check(
    const char *path, mt_file_replace replace, const mt_mesh_format **format);

/* Returns in *unit_mm the unit of a file's coordinates in millimetres: the unit `asked` (NULL: none), else the unit that the
 * file states, else the usual one of the format. MT_INPUT: a unit other than um, mm, cm and m, or the file states another
 * unit than `asked`. */
MT_NODISCARD mt_status mt_mesh_unit(
    const char *path, const mt_mesh_format *format, const char *asked, double *unit_mm);

/* Reads the mesh of a file of this format with its `read`. Returns the errors of `read`, and MT_INPUT if the file contains a
 * surface. */
MT_NODISCARD mt_status mt_mesh_read_as(
    mt_arena *arena, const char *path, const mt_mesh_format *format, double unit_mm, mt_mesh *mesh);

/* The same, with the format found by the ending, in the unit that the file states or the usual one; the mesh has passed
 * mt_mesh_check. */
MT_NODISCARD mt_status mt_mesh_read(mt_arena *arena, const char *path, mt_mesh *mesh);
