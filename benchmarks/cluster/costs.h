/* Computation costs of the time loop on a simulated processor, specified instead of measured, so that a simulation is
 * reproducible.
 *
 * CLUSTER_NS="CELL ROW LOOK" in the environment: ns per element of a time step without diffusion (ionic model and bookkeeping),
 * of a diffusion substep, and of the check of its V. Without it SMPI measures the computation on the host. */
#pragma once

/* Reads the costs; called once at the beginning. */
void costs_begin(void);

/* Advances the simulated time by the cost of the computation since the last call. */
void costs_pay(void);
