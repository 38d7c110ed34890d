/* Input and output of mesh files, with the notes of their readers, and warnings of data lost by a format or of an implausible unit. */
#pragma once

#include "mesh/files/formats.h"
#include "mesh/info.h"

/* Reads a mesh (mt_mesh_read) and prints the reader's notes. */
MT_NODISCARD mt_status mt_read_mesh(mt_arena *arena, const char *path, mt_mesh *mesh);

/* Writes a mesh in a format and warns of data that the format does not store. Returns the errors of the writer. */
MT_NODISCARD mt_status mt_write_mesh(const char *path, const mt_mesh_format *to, const mt_mesh *mesh);

/* Warns if a bounding box does not have the size of a heart, and suggests a unit. */
void mt_warn_of_size(const char *path, const double low_mm[3], const double high_mm[3]);

/* Warns if the bounding box of any mesh, such as a slab, is outside MT_SCALE_LEAST_MM .. MT_SCALE_MOST_MM, and suggests a unit. */
void mt_warn_of_scale(const char *path, const double low_mm[3], const double high_mm[3]);
