#include "benchmarks/phases.h"

#include <math.h>

#include "benchmarks/rounds.h"
#include "ipu/compile/compile.h"
#include "solver/cells/tp06/tp06.h"
#include "solver/kernels/block.h"
#include "solver/plan/codelets.h"

typedef struct phased {
    mt_plan plan;
    ipu_codelet idle;
    ipu_engine *engine;
} phased;

void phase_go(void *data)
{
    const phase *p = data;
    bench_must(ipu_engine_run(p->engine, p->program));
}

static void do_nothing(const ipu_span *fields, const void *context) { (void)fields, (void)context; }

/* Adds a compute set with idle vertices in place of the vertices of `set`. */
static uint32_t add_idle(phased *p, uint32_t set)
{
    ipu_graph *graph = p->plan.graph;
    const size_t n = graph->n_vertices;
    uint32_t idle;
    bench_must(ipu_graph_add_compute_set(graph, "halo", &idle));
    for (size_t i = 0, vertex; i < n; i++) {
        const ipu_vertex like = graph->vertices[i];
        if (like.compute_set != set) continue;
        bench_must(ipu_graph_add_vertex(graph, idle, &p->idle, like.tile, like.context, &vertex));
        for (size_t f = 0; f < p->idle.n_fields; f++)
            bench_must(ipu_graph_connect(
                graph, vertex, p->idle.fields[f].name, graph->connections[like.first_connection + f].tensor));
    }
    return idle;
}

/* Builds the program of the problem's diffusion substeps, alternating between the two directions. */
static const ipu_program *substeps(slab *s, uint32_t ab, uint32_t ba)
{
    const size_t n = s->problem.pde_steps;
    const ipu_program **step = bench_take(&s->arena, n, sizeof *step), *all;
    for (size_t p = 0; p < n; p++) bench_must(ipu_program_execute(&s->arena, p % 2 ? ba : ab, &step[p]));
    bench_must(ipu_program_sequence(&s->arena, step, n, &all));
    return all;
}

static void write_rest(phased *p)
{
    const mt_halo *halo = p->plan.halo;
    mt_arena scratch = {0};
    float *v = bench_take(&scratch, halo->n_elements, sizeof *v),
          *state = bench_take(&scratch, halo->n_elements * TP06_STATES, sizeof *state);
    for (uint32_t part = 0; part < halo->n_parts; part++)
        for (size_t from = halo->own_offset[part], n = mt_halo_own(halo, part), c = 0; c < n; c++) {
            v[from + c] = (float)mt_cell_tp06.variants[0].v_mV;
            for (size_t k = 0; k < TP06_STATES; k++)
                state[TP06_STATES * from + mt_block_index(n, TP06_STATES, c, k)] =
                    (float)mt_cell_tp06.variants[0].states[k];
        }
    const ipu_tensor *at_rest[] = {&p->plan.v_a, &p->plan.v_b, &p->plan.before};
    for (size_t k = 0; k < 3; k++) ipu_engine_write(p->engine, at_rest[k], v);
    ipu_engine_write(p->engine, &p->plan.state, state);
    mt_arena_free(&scratch);
}

/* Writes a part's piece of a variable, with `entries` values per element. */
static void write_piece(
    phased *p, const ipu_tensor *tensor, uint32_t part, size_t entries, const void *values)
{
    const mt_halo *halo = p->plan.halo;
    const ipu_slice piece = {p->plan.graph->slices[tensor->first_slice].variable,
        entries * halo->own_offset[part], entries * mt_halo_own(halo, part)};
    if (piece.n > 0) ipu_engine_write_slice(p->engine, &piece, values);
}

static void write_matrix(phased *p)
{
    mt_arena scratch = {0};
    mt_plan_matrix m;
    bench_must(mt_plan_matrix_allocate(&scratch, &p->plan, &m));
    for (uint32_t part = 0; part < p->plan.halo->n_parts; part++) {
        bench_must(mt_plan_matrix_of(&p->plan, part, &m));
        write_piece(p, &p->plan.d, part, 1, m.d);
        write_piece(p, &p->plan.a, part, MT_DIFFUSION_ROW, m.a);
        write_piece(p, &p->plan.column, part, MT_DIFFUSION_ROW, m.column);
    }
    mt_arena_free(&scratch);
}

void phases_make(slab *s, phase phases[PHASES])
{
    const ipu_program *programs[PHASES];
    ipu_executable *executable;
    mt_arena values = {0};
    phased *p = bench_take(&s->arena, 1, sizeof *p); /* on the heap: the graph keeps its codelet */
    p->idle = mt_codelet_pde;
    p->idle.compute = do_nothing;
    bench_must(mt_plan_make(&s->arena, &values, &s->problem, &s->layout, &p->plan));
    const uint32_t ab = add_idle(p, MT_PLAN_PDE_AB), ba = add_idle(p, MT_PLAN_PDE_BA);
    bench_must(ipu_program_execute(&s->arena, MT_PLAN_ODE, &programs[PHASE_CELLS]));
    programs[PHASE_HALO] = substeps(s, ab, ba);
    programs[PHASE_DIFFUSION] = substeps(s, MT_PLAN_PDE_AB, MT_PLAN_PDE_BA);
    bench_must(ipu_program_execute(&s->arena, MT_PLAN_ACTIVATION, &programs[PHASE_RECORD]));
    bench_must(ipu_compile(&s->arena, p->plan.graph, programs, PHASES, &executable));
    bench_must(ipu_engine_new(&s->arena, executable, false, &p->engine));
    write_rest(p);
    write_matrix(p);
    mt_arena_free(&values);
    for (size_t k = 0; k < PHASES; k++) phases[k] = (phase){p->engine, k};
}
