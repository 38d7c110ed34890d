/* The Mitchell-Schaeffer model of a cardiac membrane: a voltage and one gate, the simplest model with an action potential duration that
 * depends on the preceding diastolic interval.
 *
 * C. C. Mitchell, D. G. Schaeffer, A two-current model for the dynamics of cardiac membrane, Bull. Math. Biol. 65 (2003) 767-793, doi
 * 10.1016/S0092-8240(03)00041-7:
 *
 *   dv/dt = h v^2 (1 - v) / tau_in - v / tau_out,     dh/dt = (1 - h) / tau_open   if v < v_gate
 *                                                             -h / tau_close       otherwise
 *
 * with the paper's parameters. There v rises from 0 at rest to about 1. Here V = 100 v - 80 mV, the scale of another dimensionless model
 * (R. R. Aliev, A. V. Panfilov, Chaos Solitons Fractals 7 (1996) 293-301), so that an upstroke passes 0 mV. An action potential that begins
 * with h below 0.31 stays below 0 mV, and is not counted as an activation; below 0.2 there is none.
 *
 * One step is forward Euler. */
#pragma once

#define MS_REST_MV (-80.0)
#define MS_SPAN_MV 100.0

typedef enum ms_state { MS_H, MS_STATES } ms_state;
typedef enum ms_parameter {
    MS_TAU_IN,
    MS_TAU_OUT,
    MS_TAU_OPEN,
    MS_TAU_CLOSE,
    MS_V_GATE,
    MS_PARAMETERS
} ms_parameter;
typedef enum ms_variant { MS_STANDARD, MS_VARIANTS } ms_variant;
