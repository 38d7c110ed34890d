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

/* slow_mm, stop_mm: plane waves in slabs of the usual tissue, along and across the fibres, in boxes that mirror each other,
 * against a converged line (0.333 and 0.121 mm/ms):
 *   elements of 0.28 mm   -1 and  +2 %   (cube root of the volume)
 *               0.55      -5     +11
 *               0.83      -9     +15
 *               1.65     -21     +10
 *               2.75     -33      -5
 *               4.4      -50     -42     larger ones were not tried */

const mt_cell_model mt_cell_mitchell_schaeffer = {
    .name = "mitchell-schaeffer",
    .title = "Mitchell-Schaeffer 2003",
    .source = "Bull. Math. Biol. 65, 767, doi 10.1016/S0092-8240(03)00041-7",
    .n_states = MS_STATES,
    .n_parameters = MS_PARAMETERS,
    .n_variants = MS_VARIANTS,
    .states = states,
    .parameters = parameters,
    .variants = variants,
    .dt_max_ms = 0.1,
    .kernel_float = MT_CELL_KERNELS(mitchell_schaeffer, float),
    .kernel_double = MT_CELL_KERNELS(mitchell_schaeffer, double),
    .mix =
        {
#include "solver/cells/mitchell_schaeffer/mitchell_schaeffer_tally.inc"
        },
    .slow_mm = 2.75,
    .stop_mm = 4.4,
};
