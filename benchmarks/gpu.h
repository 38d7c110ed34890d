/* An OpenCL device compared with cpu-single. Seconds are wall-clock time here: a processor that waits for a GPU uses no processor time. */
#pragma once

#include "benchmarks/slab.h"
#include "benchmarks/rounds.h"
#include "data/opencl/opencl.h"

/* Unknowns at the centres of the elements or at the vertices, with their operator; a problem without stimuli at rest. */
typedef struct gpu_unknowns {
    const char *name; /* "elements" or "vertices" */
    mt_diffusion diffusion;
    mt_monodomain problem;
} gpu_unknowns;

enum { GPU_ELEMENTS, GPU_VERTICES, GPU_UNKNOWNS };

/* Builds both for a mesh with its adjacency. */
void gpu_make_unknowns(slab *s, gpu_unknowns unknowns[GPU_UNKNOWNS]);

/* Prints the name and the driver of the device: a line of text, or a JSON object. */
void gpu_print_device(const bench_list *list, const mt_device *device);

/* Adds a copy within the device's memory [B/s], read and written bytes; returns its figure, the limit of others. */
int gpu_add_copy(bench_list *list, mt_opencl *opencl);

/* Adds the ionic models of the table: n cells at rest, uniform and multirate, on the device and by all threads of the host. */
void gpu_add_cells(bench_list *list, mt_arena *arena, mt_opencl *opencl, size_t n);

/* Adds the record of a time step on the device for n cells at rest: of activation alone, and of all quantities. `copy`: their limit. */
void gpu_add_records(bench_list *list, mt_arena *arena, mt_opencl *opencl, size_t n, int copy);
