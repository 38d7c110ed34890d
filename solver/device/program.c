#include "solver/device/program.h"

#include <stdio.h>
#include <string.h>

#include "solver/cells/compiled/c_source.h"
#include "solver/device/device_text.inc" /* of the build: cmake/device_text.cmake */

/* Joins lines to a text. */
static mt_status join(mt_arena *arena, const char *const *line, const char **text)
{
    size_t n = 1;
    char *to;
    for (const char *const *one = line; *one; one++) n += strlen(*one);
    MT_ALLOC(arena, to, n);
    *text = to;
    for (; *line; line++) to = stpcpy(to, *line);
    return MT_OK;
}

/* Returns the lines of a model's equations; NULL if it is not built in. */
static const char *const *find_lines(const mt_cell_model *model)
{
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (strcmp(texts[k].model, model->name) == 0) return texts[k].line;
    return NULL;
}

mt_status mt_device_program(mt_arena *arena, const mt_cell_model *model, const char *text[MT_DEVICE_TEXTS])
{
    const char *const *const lines = model->program ? NULL : find_lines(model);
    if (!model->program && !lines)
        return mt_fail(MT_INPUT, "the ionic model %s has no program for devices", model->name);
    MT_TRY(join(arena, text_head, &text[0]));
    MT_TRY(model->program ? mt_cell_program_equations(arena, model->program, &text[1])
                          : join(arena, lines, &text[1]));
    return join(arena, text_tail, &text[2]);
}

mt_status mt_device_test_program(mt_arena *arena, const char *more, const char *text[MT_DEVICE_TEST_TEXTS])
{
    MT_TRY(join(arena, text_head, &text[0]));
    text[1] = more;
    return join(arena, text_test, &text[2]);
}

mt_device_shape mt_device_shape_of(const mt_device *device, size_t lanes)
{
    const bool processor = strcmp(device->type, "cpu") == 0;
    if (lanes == 0) lanes = !processor ? 1 : device->vector_floats >= 16 ? 16 : 8;
    return (mt_device_shape){lanes, lanes > 1 ? 16 : 128};
}

void mt_device_options(
    const mt_device *device, const mt_device_shape *shape, bool tabulated, char text[MT_DEVICE_OPTIONS])
{
    (void)snprintf(text, MT_DEVICE_OPTIONS,
        "-cl-std=CL1.2 %s-cl-denorms-are-zero -w -DLANES=%zu -DGROUP=%zu%s",
        device->correct_division ? "-cl-fp32-correctly-rounded-divide-sqrt " : "", shape->lanes, shape->group,
        tabulated ? " " MT_COMPILED_TABLES : "");
}
