/* Gmsh's mesh files: MSH 2 (2.0 to 2.2) and 4.1, text or binary, are read; 4.1 binary is written.
 *
 * Tetrahedra and triangles are read; for quadratic ones (types 11 and 9) the corners are used, with a note; points and lines
 * are skipped. A region is the first physical tag of a volume; its other physical tags are groups (mesh/names.h). Version 2
 * lists an element of several physical groups once for each; these become one element, with a note. A tagged triangle belongs
 * to a surface with a physical tag; if the surface has several, the triangle occurs once for each. The sign of a surface is
 * its orientation and is ignored. $PhysicalNames are the names of regions, groups and tags; names of surfaces determine the
 * tags of triangles (mt_names_settle). Fibres and sheets are vector arrays with known names (mesh/vtk/vtk_names.h) in
 * $ElementData or else in $NodeData; node values are averaged over each element, with a note. If no element has a physical
 * tag, a scalar array of $ElementData with the name of a region array provides the regions, with a note. Other arrays are
 * listed in a note. Other sections are ignored.
 *
 * In a mesh partitioned by Gmsh (4.1, $PartitionedEntities), the elements are in parts of volumes and surfaces. A part has
 * the physical tag of its parent entity, or its own if the parent has none. Triangles between partitions are not on the
 * surface of the body and are skipped, whatever their tag. The partitions are ignored, too: meshes are partitioned for tiles
 * by mesh/cut/partition.h. */
#pragma once

#include "mesh/mesh.h"

/* Reads the mesh of a file, with its notes, with coordinates in units of `unit_mm` millimetres:
 *   vertices  of elements and tagged triangles, in file order; others are dropped;
 *   elements  in file order and unchanged, including inverted and flat ones;
 *   region    of a volume without a physical tag: as mt_names_unassigned.
 * The mesh has passed mt_mesh_check_content. MT_FILE: cannot be read. MT_MEMORY. MT_INPUT, with the file and the line or
 * byte: another version or byte order, an unsupported kind of volume or surface element, ghost elements (copies from other
 * partitions, in the file of one partition), triangles of more than MT_GROUPS_MAX physical groups, damage, or no tetrahedra.
 * Time O(n), or O(n log n) if node tags are not ascending; memory about twice the size of the file plus the mesh. */
MT_NODISCARD mt_status mt_gmsh_read(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh);

/* Writes mesh (borrowed) atomically, in mm, with fibres and sheets as $ElementData. Each region becomes a volume and each tag
 * of triangles a surface, with this physical tag and its name. The elements of each set of groups form a volume with all
 * these tags. Elements of region 0, if there are others, are in a volume without a physical tag. Triangles with tag 0 are
 * omitted. Regions, tags, names and groups are preserved; elements and triangles are sorted by them. MT_INPUT: another region
 * below 1, or a tag below 0, which MSH cannot represent. MT_FILE: cannot be written. MT_MEMORY. */
MT_NODISCARD mt_status mt_gmsh_write(const char *path, const mt_mesh *mesh);
