/* What the time loop costs a simulated processor: told instead of measured, so that a simulation has the same outcome wherever it runs.
 *
 * CLUSTER_NS="CELL ROW LOOK" in the environment: ns that an element costs in each time step (cells and all that is done besides, but for
 * diffusion), in each diffusion step, and when its V is looked at. Without it SMPI measures what is computed here. */
#pragma once

/* At the beginning. */
void costs_begin(void);

/* Lets pass what was computed since. */
void costs_pay(void);
