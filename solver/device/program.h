/* The program of an OpenCL device for an ionic model, as text: the functions of solver/kernels, the model's equations, and the parts of a
 * time step (steps.cl). The build embeds the text of the same files that the host's kernels are compiled from; the equations of an imported
 * model are written from its program. A device that rounds as it should therefore computes the bits of the host. */
#pragma once

#include "data/opencl/devices.h"
#include "solver/cells/model.h"

enum { MT_DEVICE_TEXTS = 3 };

/* Returns in `arena` the texts whose concatenation is the program. MT_MEMORY. */
MT_NODISCARD mt_status mt_device_program(
    mt_arena *arena, const mt_cell_model *model, const char *text[MT_DEVICE_TEXTS]);

/* Same for the program of the self-test (solver/device/self_test.h), with more text, borrowed, before its operations ("" for none). */
enum { MT_DEVICE_TEST_TEXTS = 3 };
MT_NODISCARD mt_status mt_device_test_program(
    mt_arena *arena, const char *more, const char *text[MT_DEVICE_TEST_TEXTS]);

/* Numbers of unknowns of a work-item (LANES), and of work-items of a work-group (GROUP). */
typedef struct mt_device_shape {
    size_t lanes, group;
} mt_device_shape;

/* Returns the shape for a device with this number of lanes; 0: as many as its vectors have, and one on GPUs, whose units compute one number
 * each. */
mt_device_shape mt_device_shape_of(const mt_device *device, size_t lanes);

/* Writes the options for the device's compiler: divisions and square roots are correctly rounded, if the device can, and subnormal numbers
 * are flushed, as on the emulated machine. tabulated: functions of V are read from tables (solver/kernels/tables.h). */
enum { MT_DEVICE_OPTIONS = 160 };
void mt_device_options(
    const mt_device *device, const mt_device_shape *shape, bool tabulated, char text[MT_DEVICE_OPTIONS]);
