/* The lines of a file, as segments between points, as a reader found them: points can coincide or belong to no segment, and radii are
 * unchecked. mesh/network/network_files.h makes a conduction network of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A field at the points, for files that are written. */
typedef struct mt_line_field {
    const char *name;
    const double *values; /* [n_points] */
} mt_line_field;

typedef struct mt_lines {
    size_t n_points, n_segments;
    size_t n_solids;         /* surface and volume cells, which are unused; known even if reading fails */
    double *xyz_mm;          /* [n_points][3] */
    uint32_t *segment_point; /* [n_segments][2] points, all below n_points */
    double *radius_mm;       /* [n_segments]; NULL if unknown */
    int32_t *kind;           /* [n_segments]; NULL if unknown */
    size_t n_fields;         /* to write; 0 after reading */
    const mt_line_field *field;
    size_t *place;     /* [n_segments] for messages: the cell, from 0, or the line of the file, from 1 */
    const char *path;  /* the file of the places */
    bool in_text;      /* True if places are lines of the file */
    bool apart;        /* True if the file has no points of its own, but the ends of each segment */
    const char *notes; /* of the reader, one per line; NULL if there are no notes */
} mt_lines;
