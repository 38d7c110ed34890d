/* Reads and writes mesh files with the notes of their readers and warnings of what a format loses or of an unlikely unit. */
#pragma once

#include "mesh/files/formats.h"
#include "mesh/info.h"

/* Prints the notes of the reader of a mesh, a line each. */
void mt_print_notes(const char *path, const mt_mesh *mesh);

/* Reads a mesh (mt_mesh_read) and prints the notes of its reader. */
MT_NODISCARD mt_status mt_read_mesh(mt_arena *arena, const char *path, mt_mesh *mesh);

/* Writes a mesh in this format and warns of content that the format does not keep. Failures: the writer's. */
MT_NODISCARD mt_status mt_write_mesh(const char *path, const mt_mesh_format *to, const mt_mesh *mesh);

/* Warns if the bounding box of a heart does not have a heart's size, and suggests the unit. */
void mt_warn_of_size(const char *path, const double low_mm[3], const double high_mm[3]);

/* Warns if the bounding box of any mesh, also of a slab, is outside MT_SCALE_LEAST_MM .. MT_SCALE_MOST_MM, and suggests the unit. */
void mt_warn_of_scale(const char *path, const double low_mm[3], const double high_mm[3]);
