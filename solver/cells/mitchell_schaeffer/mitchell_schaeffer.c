#include "solver/cells/mitchell_schaeffer/mitchell_schaeffer.h"

#include "solver/cells/row.h"

static const mt_cell_quantity states[] = {[MS_H] = {"h", ""}};

static const mt_cell_quantity parameters[] = {[MS_TAU_IN] = {"tau_in", "ms"},
    [MS_TAU_OUT] = {"tau_out", "ms"},
    [MS_TAU_OPEN] = {"tau_open", "ms"},
    [MS_TAU_CLOSE] = {"tau_close", "ms"},
    [MS_V_GATE] = {"v_gate", ""}};

static const mt_cell_variant variants[] = {
    [MS_STANDARD] = {.name = "standard",
        .parameters = (const double[MS_PARAMETERS]){0.3, 6, 120, 150, 0.13},
        .v_mV = MS_REST_MV,
        .states = (const double[MS_STATES]){1}}};

MT_CELL_DECLARE(mitchell_schaeffer);

/* `myotile reproduce waves --plain --model mitchell-schaeffer`, mean of kuhn, mirrored and gmsh. */
static const mt_cell_delay delays[] = {
    {0.27, -1.8, -2.8}, {0.4, -3.5, -4.8}, {0.55, -5.5, -6.3}, {0.8, -9.8, -8.5}};

const mt_cell_model mt_cell_mitchell_schaeffer = {
    .name = "mitchell-schaeffer",
    .identity = "mitchell-schaeffer",
    .title = "Mitchell-Schaeffer 2003",
    .source = "Bull. Math. Biol. 65, 767, doi 10.1016/S0092-8240(03)00041-7",
    .n_states = MS_STATES,
    .n_parameters = MS_PARAMETERS,
    .n_constants = MS_PARAMETERS,
    .n_variants = MS_VARIANTS,
    .states = states,
    .parameters = parameters,
    .variants = variants,
    .dt_max_ms = 0.1,
    .front_ms = 20,
    .kernel_float = MT_CELL_KERNELS(mitchell_schaeffer, float),
    .kernel_double = MT_CELL_KERNELS(mitchell_schaeffer, double),
    .multirate_float = MT_CELL_KERNELS(mitchell_schaeffer_multirate, float),
    .multirate_double = MT_CELL_KERNELS(mitchell_schaeffer_multirate, double),
    .mix =
        {
#include "solver/cells/mitchell_schaeffer/mitchell_schaeffer_tally.inc"
        },
    .n_delays = sizeof delays / sizeof *delays,
    .delays = delays,
};
