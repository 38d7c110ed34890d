/* The files of conduction networks, identified by the ending of their names.
 *
 *   .vtp .vtu .vtk   lines and poly lines of VTK, with cell arrays `radius` and `kind` or regions (mesh/vtk/vtk.h)
 *   .pts .elem       CARP's lines, "Ln v0 v1 [region]" (mesh/files/carp.h)
 *   .csv             one segment per row (below)
 *
 * .vtp and .csv are written. The CSV format is a list of segments, not a list of nodes with parents, because networks have loops and
 * several components, and radius and kind belong to segments. Its header has these columns, in any order:
 *
 *   x0_mm y0_mm z0_mm x1_mm y1_mm z1_mm   the two ends. Ends with equal coordinates are one node
 *   node0 node1                           optional, both or neither: the numbers of the nodes, below twice the number of rows. Without them
 *                                         nodes are numbered in the order of the rows, first end 0, then end 1
 *   radius_mm                             optional
 *   kind                                  optional, a 32-bit integer
 *
 * Other columns are not used, with a note. A file is converted as follows:
 *   nodes      points at exactly the same place become one node, that of the lowest number, with a note; points of no segment are dropped,
 *              with a note. The others keep their order;
 *   segments   keep order and direction. One between two points at the same place, and one that joins the same nodes as another, are
 *              refused. */
#pragma once

#include "data/files/file.h"
#include "mesh/network/network.h"

/* True if the file can only be meant as a network: its ending is .csv, or it has lines and no surface or volume cells. False also if it
 * cannot be read. Replaces mt_message(). */
bool mt_network_is_file(const char *path);

/* Reads a network, with notes; it has passed mt_network_check. `unit`: of coordinates and radii, "um", "mm", "cm" or "m"; NULL: um for CARP
 * and mm otherwise. MT_FILE: cannot be read. MT_MEMORY. MT_INPUT, with the file and the line, cell or segment: another ending or unit, a
 * unit other than mm for .csv, no lines, or damage. */
MT_NODISCARD mt_status mt_network_read(
    mt_arena *arena, const char *path, const char *unit, mt_network *network);

/* Checks that a network can be written there (mt_file_check). MT_INPUT: the ending is neither .vtp nor .csv. */
MT_NODISCARD mt_status mt_network_check_output(const char *path, mt_file_replace replace);

/* Writes a network (borrowed) that has passed mt_network_check, in mm, atomically. mt_network_read returns the same bits. MT_FILE: cannot
 * be written. MT_INPUT: the ending is neither .vtp nor .csv. MT_MEMORY. */
MT_NODISCARD mt_status mt_network_write(const char *path, const mt_network *network);
