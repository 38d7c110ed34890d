/* The parts that all our VTKHDF files have in common: names, the grid of tetrahedra, and the notes of a run.
 * For the writers in this folder. */
#pragma once

#include "data/files/h5.h"
#include "mesh/mesh.h"

enum { MT_VTK_TETRA = 10 };
extern const char mt_vtkhdf_type[]; /* the attribute Type */

/* An attribute of /run; borrowed. */
typedef struct mt_vtkhdf_note {
    const char *name;
    const char *text; /* NULL if the value is `number` */
    double number;
} mt_vtkhdf_note;

/* Checks that a mesh can be written under this name, before long computations. MT_INPUT: it does not end in
 * .hdf. */
MT_NODISCARD mt_status mt_vtkhdf_check_name(const char *path);

extern const char mt_vtkhdf_names[]; /* the dataset of names and tags of groups */

/* True if an array of this name belongs to the mesh. */
bool mt_vtkhdf_is_own(const char *name);

/* Reads the text of names and tags of groups; NULL if the file has none. MT_FILE. MT_MEMORY. MT_INPUT: it is
 * not a list of bytes. */
MT_NODISCARD mt_status mt_vtkhdf_read_names(mt_arena *scratch, mt_h5 *h5, size_t *n, const char **text);

/* Checks the name of an element field. MT_INPUT: it is empty, longer than 200 characters, or not a valid name
 * of a dataset. */
MT_NODISCARD mt_status mt_vtkhdf_check_field(const char *name);

/* mt_h5_write or mt_h5_write_plain. */
typedef mt_status mt_vtkhdf_put(mt_h5 *h5, const char *name, mt_h5_type type, size_t rank,
    const size_t *shape, const char *unit, const void *values);

/* Writes the group VTKHDF of this major version with Type, counts, points and elements of the mesh as one
 * piece. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_vtkhdf_put_grid(
    mt_arena *scratch, mt_h5 *h5, const mt_mesh *mesh, int64_t version, mt_vtkhdf_put *put);

/* Writes notes into the group /run, which is created only if there are any. MT_FILE. */
MT_NODISCARD mt_status mt_vtkhdf_put_notes(mt_h5 *h5, size_t n, const mt_vtkhdf_note *notes);
