/* The phases of a time step on the emulated machine, each as a separate program. */
#pragma once

#include "benchmarks/slab.h"
#include "ipu/run/engine.h"

/* PHASE_HALO is PHASE_DIFFUSION with idle vertices, so only the host's copying remains. */
enum { PHASE_CELLS, PHASE_HALO, PHASE_DIFFUSION, PHASE_RECORD, PHASES };

typedef struct phase {
    ipu_engine *engine;
    size_t program;
} phase;

/* Fills phase[PHASES] of one engine, with cells at rest; its data is in the slab's arena. */
void phases_make(slab *s, phase phase[PHASES]);

void phase_go(void *phase);
