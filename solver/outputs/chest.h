/* Where the nine electrodes of the twelve standard leads are around a heart, from where its apex, its base and its right ventricle are.
 *
 * The heart lies in a chest with its apex to the left, to the front and down: 45 degrees from the front and 30 below the horizontal, and
 * the right ventricle beside the left one on a level, to the right and to the front. Places in the chest are mm to the left, to the back
 * and up from the middle of the heart, that of its volume. V1 and V2 stand at the sternum's edges, 8 cm before the middle of the heart, V4
 * under the left nipple, V5 and V6 as high in the armpit's front and middle, and V3 between V2 and V4; arms and the left leg count from
 * where they join the trunk. A grown person's chest, whatever the size of the heart. */
#pragma once

#include "mesh/anatomy/fibres.h"
#include "solver/outputs/ecg.h"

enum { MT_CHEST_ELECTRODES = 9 };

/* Fills the electrodes RA, LA, LL and V1 to V6 of a heart with these landmarks. MT_INPUT, with the reason: the heart has no right
 * ventricle, so that it may lie any way round its axis, or is so large that an electrode would be within 10 mm of one of its vertices. */
MT_NODISCARD mt_status mt_chest_electrodes(
    const mt_mesh *mesh, const mt_landmarks *landmarks, mt_electrode electrode[MT_CHEST_ELECTRODES]);
