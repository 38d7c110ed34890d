#include "solver/plan/codelets.h"

#include <math.h>
#include <string.h>

#include "solver/kernels/ellpack.h"

#define MT_LANES_ONE
#include "solver/kernels/lanes.h"
#include "solver/kernels/activation_equations.h"

#define TALLY(codelet, ...) TALLY_##codelet,
enum {
#include "solver/plan/codelets_tally.inc"
    N_MIXES
};
#undef TALLY

#define TALLY(codelet, instructions, ...) [TALLY_##codelet] = {.name = #codelet, __VA_ARGS__},
static const ipu_mix mixes[N_MIXES] = {
#include "solver/plan/codelets_tally.inc"
};
#undef TALLY

#define TALLY(codelet, instructions, ...) CODE_BYTES_##codelet = 4 * (instructions),
enum {
#include "solver/plan/codelets_tally.inc"
};
#undef TALLY

const ipu_mix *mt_codelet_mix(const char *name)
{
    for (int t = 0; t < N_MIXES; t++)
        if (strcmp(mixes[t].name, name) == 0) return &mixes[t];
    return NULL;
}

/* n cells, shared out evenly among the workers of a tile. */
static ipu_cycles cost_of(const ipu_target *target, const ipu_mix *mix, size_t n)
{
    size_t cells = (n + target->worker_contexts - 1) / target->worker_contexts;
    const double start = mix->start;
    const double cell = ipu_mix_cycles(mix, &target->instructions);
    const uint64_t worker = (uint64_t)ceil(start + (double)cells * cell);
    const uint64_t there = target->worker_contexts * worker; /* rounding must not make more of them busy */
    const uint64_t busy = (uint64_t)ceil((double)target->worker_contexts * start + (double)n * cell);
    return (ipu_cycles){
        .entry = target->vertex_entry_cycles, .worker = worker, .idle = busy < there ? there - busy : 0};
}

/* A pointer, or a pointer and a length, for each field and a word of context: 4 bytes each. */
#define VERTEX_BYTES(n_fields) (4 * (2 * (n_fields) + 1))
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { PDE_D, PDE_A, PDE_COLUMN, PDE_V, PDE_OUT };
static const ipu_field pde_fields[] = {
    [PDE_D] = {"d", IPU_INPUT, IPU_FLOAT},
    [PDE_A] = {"a", IPU_INPUT, IPU_FLOAT},
    [PDE_COLUMN] = {"column", IPU_INPUT, IPU_UNSIGNED_SHORT},
    [PDE_V] = {"v", IPU_INPUT, IPU_FLOAT},
    [PDE_OUT] = {"out", IPU_OUTPUT, IPU_FLOAT},
};

static void pde_compute(const ipu_span *f, const void *context)
{
    (void)context;
    mt_ellpack_rows_float16(f[PDE_OUT].n, f[PDE_D].data, f[PDE_A].data, f[PDE_COLUMN].data, f[PDE_V].n,
        f[PDE_V].data, f[PDE_OUT].data);
}

static ipu_cycles pde_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)context;
    return cost_of(target, &mixes[TALLY_pde], n[PDE_OUT]);
}

enum { ODE_STATE, ODE_V_IN, ODE_V_OUT };
static const ipu_field ode_fields[] = {
    [ODE_STATE] = {"state", IPU_INOUT, IPU_FLOAT},
    [ODE_V_IN] = {"v_in", IPU_INPUT, IPU_FLOAT},
    [ODE_V_OUT] = {"v_out", IPU_OUTPUT, IPU_FLOAT},
};

static void ode_compute(const ipu_span *f, const void *context)
{
    const mt_ode_context *c = context;
    mt_cell_step_float(c->model, c->variant, NULL, c->dt_ms, f[ODE_V_OUT].n, f[ODE_STATE].data,
        f[ODE_V_IN].data, f[ODE_V_OUT].data);
}

static ipu_cycles ode_cost(const ipu_target *target, const size_t *n, const void *context)
{
    return cost_of(target, &((const mt_ode_context *)context)->model->mix.ode, n[ODE_V_OUT]);
}

enum { MIXED_STATE, MIXED_OF, MIXED_V_IN, MIXED_V_OUT };
static const ipu_field ode_mixed_fields[] = {
    [MIXED_STATE] = {"state", IPU_INOUT, IPU_FLOAT},
    [MIXED_OF] = {"of", IPU_INPUT, IPU_UNSIGNED_SHORT},
    [MIXED_V_IN] = {"v_in", IPU_INPUT, IPU_FLOAT},
    [MIXED_V_OUT] = {"v_out", IPU_OUTPUT, IPU_FLOAT},
};

static void ode_mixed_compute(const ipu_span *f, const void *context)
{
    const mt_ode_context *c = context;
    mt_cell_step_float(c->model, c->variant, f[MIXED_OF].data, c->dt_ms, f[MIXED_V_OUT].n,
        f[MIXED_STATE].data, f[MIXED_V_IN].data, f[MIXED_V_OUT].data);
}

static ipu_cycles ode_mixed_cost(const ipu_target *target, const size_t *n, const void *context)
{
    return cost_of(target, &((const mt_ode_context *)context)->model->mix.ode_mixed, n[MIXED_V_OUT]);
}

enum { ACTIVATION_STEP, ACTIVATION_V, ACTIVATION_BEFORE, ACTIVATION_TIME };
static const ipu_field activation_fields[] = {
    [ACTIVATION_STEP] = {"step", IPU_INOUT, IPU_FLOAT},
    [ACTIVATION_V] = {"v", IPU_INPUT, IPU_FLOAT},
    [ACTIVATION_BEFORE] = {"before", IPU_INOUT, IPU_FLOAT},
    [ACTIVATION_TIME] = {"activation", IPU_INOUT, IPU_FLOAT},
};

static void activation_compute(const ipu_span *f, const void *context)
{
    const float dt_ms = *(const float *)context;
    float *step = f[ACTIVATION_STEP].data, *before = f[ACTIVATION_BEFORE].data,
          *time_ms = f[ACTIVATION_TIME].data;
    const float *v = f[ACTIVATION_V].data;
    const size_t n = f[ACTIVATION_BEFORE].n;
    for (size_t cell = 0; cell < n; cell++) /* without a crossing the step would leave the time as it is */
        if (before[cell] < 0 && v[cell] >= 0)
            time_ms[cell] = activation_step(*step, dt_ms, before[cell], v[cell], time_ms[cell]);
    memcpy(before, v, n * sizeof *before);
    *step += 1; /* exact up to 2^24 steps */
}

static ipu_cycles activation_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)context;
    return cost_of(target, &mixes[TALLY_activation], n[ACTIVATION_BEFORE]);
}

enum { STIMULUS_CELL, STIMULUS_V };
static const ipu_field stimulus_fields[] = {
    [STIMULUS_CELL] = {"cell", IPU_INPUT, IPU_UNSIGNED_SHORT},
    [STIMULUS_V] = {"v", IPU_INOUT, IPU_FLOAT},
};

static void stimulus_compute(const ipu_span *f, const void *context)
{
    const float rise_mV = *(const float *)context;
    const uint16_t *cell = f[STIMULUS_CELL].data;
    float *v = f[STIMULUS_V].data;
    for (size_t k = 0; k < f[STIMULUS_CELL].n; k++) v[cell[k]] += rise_mV;
}

static ipu_cycles stimulus_cost(const ipu_target *target, const size_t *n, const void *context)
{
    (void)context;
    return cost_of(target, &mixes[TALLY_stimulus], n[STIMULUS_CELL]);
}

#define CODELET(kind, bytes)                                                                                 \
    {                                                                                                        \
        .name = #kind, .n_fields = COUNT(kind##_fields), .fields = kind##_fields, .compute = kind##_compute, \
        .cost = kind##_cost, .code_bytes = (bytes), .vertex_bytes = VERTEX_BYTES(COUNT(kind##_fields))       \
    }

const ipu_codelet mt_codelet_pde = CODELET(pde, CODE_BYTES_pde);
const ipu_codelet mt_codelet_activation = CODELET(activation, CODE_BYTES_activation);
const ipu_codelet mt_codelet_stimulus = CODELET(stimulus, CODE_BYTES_stimulus);

/* Four bytes an instruction, as in CODE_BYTES. */
static size_t code_bytes(const ipu_mix *mix) { return 4 * ((size_t)mix->start + mix->bundles + mix->pairs); }

ipu_codelet mt_codelet_ode(const mt_cell_model *model)
{
    return (ipu_codelet)CODELET(ode, code_bytes(&model->mix.ode));
}

ipu_codelet mt_codelet_ode_mixed(const mt_cell_model *model)
{
    return (ipu_codelet)CODELET(ode_mixed, code_bytes(&model->mix.ode_mixed));
}
