/* Sites of early activation: a table of places and times, as maps of a patient's heart or the ends of its conduction system give them.
 *
 *     x_mm,y_mm,z_mm,start_ms,radius_mm
 *     12.5,-3,40.25,0,1
 *     14,-2.5,41,2.5,
 *
 * CSV: the first line names the columns, in any order. x_mm, y_mm and z_mm are needed; without start_ms, or where it is empty, a site
 * begins at 0 ms; without radius_mm, or where it is empty, its radius is left to the caller. What follows a '#' is a remark, and lines may
 * be empty. */
#pragma once

#include "data/core/arena.h"
#include "data/core/status.h"

typedef struct mt_site {
    double xyz_mm[3], start_ms;
    double radius_mm; /* NaN: not given */
    size_t line;      /* of the file, from 1 */
} mt_site;

/* Gives the sites of a file in `arena`, at least one and at most `most`. MT_FILE: it cannot be read. MT_MEMORY. MT_INPUT, with file and
 * line: a column that is unknown, missing or there twice; a line of more or fewer cells; a cell that is no number, a time below 0 or a
 * radius that is not above 0; none, or too many. */
MT_NODISCARD mt_status mt_sites_read(
    mt_arena *arena, const char *path, size_t most, size_t *n, mt_site **sites);
