/* Lists of elements, as text: a number a line, from 0 in the order of the mesh's file, as `element` in result.hdf has them. What
 * follows a '#' is a remark, lines may be empty, an element may be there twice. */
#pragma once

#include "mesh/mesh.h"

/* Gives listed[n_elements] in `arena`, not 0 for the elements that a file names. MT_FILE: cannot be read. MT_MEMORY. MT_INPUT, with
 * file and line: what is no number of an element, or a second number in a line; also where the list is empty. */
MT_NODISCARD mt_status mt_element_list_read(
    mt_arena *arena, const char *path, size_t n_elements, unsigned char **listed);
