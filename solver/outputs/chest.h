/* Positions of the nine electrodes of the twelve standard leads around a heart, from its apex, base and right ventricle.
 *
 * The heart is placed in a chest with its apex to the left, anterior and inferior: 45 degrees from the frontal axis and 30 below the
 * horizontal. The right ventricle is to the right of and anterior to the left one, on the same level. Coordinates in the chest are mm to
 * the left, posterior and superior of the heart's centre of volume. V1 and V2 are at the sternum's edges, 8 cm in front of the heart's
 * centre, V4 below the left nipple, V5 and V6 at the same height on the anterior and the middle axillary line, and V3 between V2 and V4.
 * Electrodes on arms and left leg are placed where the limbs join the trunk. The chest is an adult's, for any size of the heart. */
#pragma once

#include "mesh/anatomy/fibres.h"
#include "solver/outputs/ecg.h"

enum { MT_CHEST_ELECTRODES = 9 };

/* Computes the electrodes RA, LA, LL and V1 to V6 of a heart with these landmarks. MT_INPUT if the heart has no right ventricle, so that
 * its rotation around its axis is unknown, or if an electrode would be within 10 mm of one of its vertices; the message has the reason. */
MT_NODISCARD mt_status mt_chest_electrodes(
    const mt_mesh *mesh, const mt_landmarks *landmarks, mt_electrode electrode[MT_CHEST_ELECTRODES]);
