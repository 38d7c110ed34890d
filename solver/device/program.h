/* The program of an OpenCL device for an ionic model, as text: the functions of solver/kernels, the model's equations, and the parts of a
 * time step (steps.cl). The build embeds the text of the same files that the host's kernels are compiled from; the equations of an imported
 * model are written from its program. A device that rounds as it should therefore computes the bits of the host. */
#pragma once

#include "solver/cells/model.h"

enum { MT_DEVICE_TEXTS = 3 };

/* Returns in `arena` the texts whose concatenation is the program. MT_MEMORY. */
MT_NODISCARD mt_status mt_device_program(
    mt_arena *arena, const mt_cell_model *model, const char *text[MT_DEVICE_TEXTS]);

/* The options for the device's compiler (printf format, of the size_t LANES, and the size_t GROUP, items of a work-group): divisions and square roots are correctly rounded, and subnormal numbers are flushed, as on the
 * emulated machine. */
#define MT_DEVICE_OPTIONS                                                                                    \
    "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -cl-denorms-are-zero -w -DLANES=%zu -DGROUP=%zu"
