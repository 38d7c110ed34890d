/* Speed of this computer, to estimate the time of a run before it starts. Measured on the backend cpu with a slab of 20,160 elements with
 * the tissue, cells and discretisation of a case without auto. One half of the slab is stimulated, so that there are a wavefront, activated
 * cells and resting cells. */
#pragma once

#include "solver/case/case.h"

typedef struct mt_speed {
    size_t n_elements;          /* of the slab */
    double element_steps_per_s; /* elements times time steps per second */
    double setup_s_per_element; /* from the mesh to the first step */
} mt_speed;

#define MT_SPEED_MOST_S 0.3

/* Measures it, in at most MT_SPEED_MOST_S after the set-up. Returns the errors of the backend. */
MT_NODISCARD mt_status mt_speed_measure(const mt_case *input, mt_speed *speed);
