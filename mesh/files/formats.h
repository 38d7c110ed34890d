/* The file formats of meshes that are read and written, by the ending of a file's name. */
#pragma once

#include "data/files/file.h"
#include "mesh/mesh.h"
#include "mesh/scale.h"

typedef struct mt_mesh_format {
    const char *ending; /* of a file's name, with its point */
    const char *name;
    const char *unit; /* the usual one of its numbers (mt_mesh_unit) */
    bool keeps_depth; /* and layers */
    bool keeps_names; /* of all tags, and groups */
    /* Gives the mesh of a file whose numbers are of unit_mm millimetres each, as it stands there: it has passed
     * mt_mesh_check_content and no more, and may be a surface: triangles and no elements. */
    mt_status (*read)(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh);
    /* The file is whole or as it was. NULL: this format is only read. */
    mt_status (*write)(const char *path, const mt_mesh *mesh);
    /* Can it be written there (mt_file_check)? NULL with `write`. */
    mt_status (*check)(const char *path, mt_file_replace replace);
    /* Returns the unit that a file states, "" where it states none. NULL: no file of this format states it. */
    mt_status (*stated_unit)(const char *path, char unit[MT_UNIT_SIZE]);
} mt_mesh_format;

/* Gives the format of a file of this name, one that can be written if it is for that. MT_INPUT lists the
 * known endings. */
MT_NODISCARD mt_status mt_mesh_format_find(const char *path, bool to_write, const mt_mesh_format **format);

/* Gives the format of a file to write, and checks that it can be written, before long work begins. MT_INPUT: as
 * above; MT_FILE: as mt_file_check, for each of the files that a mesh of this format has. */
MT_NODISCARD mt_status mt_mesh_format_check(
    const char *path, mt_file_replace replace, const mt_mesh_format **format);

/* Returns in *unit_mm the millimetres of a file's numbers: of the unit `asked` (NULL: none), or that the file states, or else the
 * format's usual one. MT_INPUT: a unit other than um, mm, cm and m, or the file states another than the one asked. */
MT_NODISCARD mt_status mt_mesh_unit(
    const char *path, const mt_mesh_format *format, const char *asked, double *unit_mm);

/* Gives the mesh of a file of this format as `read` does. Failures: the reader's, and MT_INPUT where the file
 * holds a surface. */
MT_NODISCARD mt_status mt_mesh_read_as(
    mt_arena *arena, const char *path, const mt_mesh_format *format, double unit_mm, mt_mesh *mesh);

/* The same by the file's ending, in the unit that it states or its format's usual one; the mesh has passed mt_mesh_check. */
MT_NODISCARD mt_status mt_mesh_read(mt_arena *arena, const char *path, mt_mesh *mesh);
