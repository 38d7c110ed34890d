/* Gmsh's mesh files: MSH 2 (2.0 to 2.2) and 4.1, text or binary, in; 4.1 binary out.
 *
 * Of the elements, tetrahedra and triangles are taken, of quadratic ones (types 11 and 9) their corners, with a note, and points and
 * lines passed over. A region is the first physical tag of a volume; its other physical tags are groups (mesh/names.h). In version 2
 * an element of several physical groups is there once for each, and becomes one element, with a note. A tagged triangle is one whose
 * surface has a physical tag; if it has several, the triangle is there once for each. A surface's sign is its orientation and is dropped. $PhysicalNames are the names of
 * regions, groups and tags; names that mean surfaces decide the tags of triangles (mt_names_settle). Fibres and sheets are arrays of
 * three numbers of these names (mesh/vtk/vtk_names.h) in $ElementData or else $NodeData, of which the mean over an element's nodes
 * is taken, with a note. If no element has a physical tag, an array of one number with a name of regions in $ElementData has the
 * regions, with a note. Other arrays are listed in a note. Sections of other names are passed over.
 *
 * A mesh that Gmsh partitioned (4.1, $PartitionedEntities) has its elements in parts of volumes and surfaces: a part
 * has the physical tag of the whole, or its own if the whole has none. Triangles between partitions are no
 * surface of the body and are passed over, whatever tag they repeat. So are the partitions: ours are cut for tiles
 * (mesh/cut/partition.h). */
#pragma once

#include "mesh/mesh.h"

/* Gives the mesh, with its notes, of a file whose numbers are of `unit_mm` millimetres each:
 *   vertices  those of elements and tagged triangles, in the order of the file; others are dropped;
 *   elements     in the order of the file and as given there, inverted and flat ones included;
 *   region    of a volume without a physical tag: as mt_names_unassigned.
 * MT_FILE: cannot be read. MT_MEMORY. MT_INPUT, with the file and the line or byte: another version, another
 * order of bytes, another kind of volume or surface element, ghost elements (copies of those of other partitions, in a
 * file of one of them), triangles of more than MT_GROUPS_MAX physical groups, damage; or no tetrahedra. The mesh has passed
 * mt_mesh_check_content. Time O(n), and O(n log n) where node tags do not ascend; memory about twice the file and the
 * mesh. */
MT_NODISCARD mt_status mt_gmsh_read(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh);

/* Writes mesh (borrowed), in mm, with fibres and sheets as $ElementData; the file is whole or as it was. Each region becomes a
 * volume and each tag of triangles a surface, with this physical tag and its name; the elements of each set of groups are a
 * volume with all these tags. Elements of region 0, if there are others, are in a volume without a physical tag. Triangles of tag
 * 0 are left out. Regions, tags, names and groups come back as they are, elements and triangles sorted by them. MT_INPUT: another region below 1, or a tag below 0, which MSH has no room for.
 * MT_FILE: cannot be written. MT_MEMORY. */
MT_NODISCARD mt_status mt_gmsh_write(const char *path, const mt_mesh *mesh);
