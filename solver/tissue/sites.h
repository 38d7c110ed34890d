/* Sites of early activation: a table of places and times, from maps of a patient's heart or the ends of its conduction system.
 *
 *     x_mm,y_mm,z_mm,start_ms,radius_mm
 *     12.5,-3,40.25,0,1
 *     14,-2.5,41,2.5,
 *
 * CSV: the first line names the columns, in any order. x_mm, y_mm and z_mm are required. A site with missing or empty start_ms begins at 0
 * ms; with missing or empty radius_mm the caller chooses the radius. Text after a '#' is a comment, and lines can be empty. */
#pragma once

#include "data/core/arena.h"
#include "data/core/status.h"

typedef struct mt_site {
    double xyz_mm[3], start_ms;
    double radius_mm; /* NaN: not stated */
    size_t line;      /* of the file, from 1 */
} mt_site;

/* Reads the sites of a file into `arena`, at least one and at most `most`. MT_FILE if it cannot be read. MT_MEMORY. MT_INPUT, with file and
 * line, if a column is unknown, missing or duplicate; if a line has more or fewer cells; if a cell is not a number, a time is negative or a
 * radius is not positive; if there are no sites, or too many. */
MT_NODISCARD mt_status mt_sites_read(
    mt_arena *arena, const char *path, size_t most, size_t *n, mt_site **sites);
