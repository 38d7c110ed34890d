/* Positions of the nine electrodes of the twelve standard leads around a heart, from its apex, base and right ventricle.
 *
 * The heart is placed in a chest with its apex to the left, anterior and inferior: 45 degrees from the frontal axis and 30 below the
 * horizontal. The right ventricle is to the right of and anterior to the left one, on the same level. Coordinates in the chest are mm to
 * the left, posterior and superior of the heart's centre of volume. V1 and V2 are at the sternum's edges, 8 cm in front of the heart's
 * centre, V4 below the left nipple, V5 and V6 at the same height on the anterior and the middle axillary line, and V3 between V2 and V4.
 * Electrodes on arms and left leg are placed where the limbs join the trunk. The chest is an adult's, for any size of the heart.
 *
 * Hearts vary: patient 1 of biv-me, in the axes of its scanner, is rotated by 17 degrees from this orientation. If the file has these axes,
 * which are left, posterior and superior in DICOM, they replace it. */
#pragma once

#include "mesh/anatomy/fibres.h"
#include "solver/outputs/ecg.h"

enum { MT_CHEST_ELECTRODES = 9 };

/* Computes the electrodes RA, LA, LL and V1 to V6 of a heart with these landmarks, or, if they are NULL, with the axes of the chest: x is
 * left, y posterior and z superior. MT_INPUT if landmarks have no right ventricle, so that the rotation around the axis is unknown, or if
 * an electrode would be within 10 mm of one of its vertices; the message has the reason. */
MT_NODISCARD mt_status mt_chest_electrodes(
    const mt_mesh *mesh, const mt_landmarks *landmarks, mt_electrode electrode[MT_CHEST_ELECTRODES]);
