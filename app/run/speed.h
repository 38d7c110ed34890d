/* How fast this computer simulates, measured for an estimate of a run's time before it begins: a slab of 20,160 elements of a case's
 * tissue and cells, one half of which is stimulated, so that there is a front, cells behind it and cells at rest, with the backend cpu. */
#pragma once

#include "solver/case/case.h"

typedef struct mt_speed {
    size_t n_elements;          /* of the slab */
    double element_steps_per_s; /* time steps of an element */
    double setup_s_per_element; /* from a mesh to the first step */
} mt_speed;

/* Takes a second or less. Fails as the backend does. */
MT_NODISCARD mt_status mt_speed_measure(const mt_case *input, mt_speed *speed);
