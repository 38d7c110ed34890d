/* Lists of elements as text: one number per line, from 0 in the order of the mesh file, as in the array `element` of
 * result.hdf. A '#' begins a comment; empty lines and repeated elements are allowed. */
#pragma once

#include "mesh/mesh.h"

/* Reads a list into listed[n_elements] in `arena`, nonzero for the listed elements. MT_FILE: cannot be read. MT_MEMORY.
 * MT_INPUT, with file and line: an invalid element number, a second number on a line, or an empty list. */
MT_NODISCARD mt_status mt_element_list_read(
    mt_arena *arena, const char *path, size_t n_elements, unsigned char **listed);
