/* The 17 segments of the left ventricle (M. D. Cerqueira et al., Circulation 105 (2002) 539), from ventricular coordinates.
 *
 * Three rings of equal apicobasal extent and the apical cap, which has a tenth:
 *
 *   segments  1 to 6    basal   0.7 < apicobasal
 *   segments  7 to 12   mid     0.4 < apicobasal <= 0.7
 *   segments 13 to 16   apical  0.1 < apicobasal <= 0.4
 *   segment  17         apex    apicobasal <= 0.1
 *
 * In the basal and the mid ring, the six sectors have a sixth of the rotational coordinate each, so that the septum (2/3 to 1) has the two
 * septal ones: anterior from 1/2, anteroseptal from 2/3, inferoseptal from 5/6, inferior from 0, inferolateral from 1/6, anterolateral from
 * 1/3. In the apical ring, four sectors have a quarter each, with the septal one in the middle of the septum: anterior from 11/24, septal
 * from 17/24, inferior from 23/24, lateral from 5/24. (Cerqueira et al. divide the ventricle by its cavity, and define the cap as the
 * muscle beyond its end.)
 *
 * An element belongs to the segment of the mean of its vertices' coordinates. The septum belongs to the left ventricle in its full
 * thickness. Elements of the free wall of the right ventricle, where more than two vertices are right ones, belong to no segment. */
#pragma once

#include "mesh/anatomy/coordinates.h"

/* Length of arrays indexed by segment; [0] is for the free wall of the right ventricle. */
enum { MT_SEGMENTS = MT_SEGMENT_LAST + 1 };

typedef struct mt_segment_name {
    const char *key, *name; /* "basal_anterior", "basal anterior" */
} mt_segment_name;

extern const mt_segment_name mt_segment_names[MT_SEGMENTS];

/* Returns the segment, 1 to 17, of a position in the left ventricle. */
int mt_segment_at(double apicobasal, double rotational);

/* Reads a segment: its number, or its key in mt_segment_names. MT_INPUT: neither. */
MT_NODISCARD mt_status mt_segment_parse(const char *text, int32_t *segment);

/* Computes the segment of each element, 0 in the free wall of the right ventricle, and the volume of each segment: segment[n_elements]. */
void mt_segments_find(
    const mt_mesh *mesh, const mt_coordinates *coordinates, int32_t *segment, double volume_ml[MT_SEGMENTS]);
