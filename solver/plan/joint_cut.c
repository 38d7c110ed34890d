#include "solver/plan/joint_cut.h"

#include <math.h>
#include <stdlib.h>

#include "data/core/grow.h"
#include "data/core/offsets.h"
#include "solver/plan/codelets.h"
#include "solver/plan/network_codelets.h"

/* Pairs of nodes, the lower one first. */
typedef struct pairs {
    size_t n, room;
    uint64_t *pair;
} pairs;

static mt_status add_pair(mt_arena *arena, pairs *p, size_t a, size_t b)
{
    if (a == b) return MT_OK;
    MT_GROW(arena, p->pair, p->n, 1, p->room);
    p->pair[p->n++] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    return MT_OK;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Finds the edges of the chains. */
static mt_status find_pairs(mt_arena *arena, const mt_conduction *conduction, size_t first, pairs *p)
{
    MT_SCRATCH(scratch);
    const mt_cables *c = &conduction->cables;
    const mt_junctions *j = &conduction->junctions;
    uint32_t *chain_of;
    size_t n = 0;
    MT_ALLOC(scratch, chain_of, c->n_points);
    for (uint32_t k = 0; k < c->n_chains; k++)
        for (size_t i = c->chain[k].first; i < c->chain[k].end; i++) chain_of[i] = k;
    for (size_t k = 0; k < j->n; k++)
        for (size_t i = j->start[k]; i < j->start[k + 1]; i++)
            MT_TRY(add_pair(arena, p, j->unknown[j->slot[i]], first + chain_of[j->point[k]]));
    qsort(p->pair, p->n, sizeof *p->pair, compare);
    for (size_t k = 0; k < p->n; k++)
        if (n == 0 || p->pair[n - 1] != p->pair[k]) p->pair[n++] = p->pair[k];
    p->n = n;
    return MT_OK;
}

/* Joins the rows of the tissue with the pairs. */
static mt_status join(mt_arena *arena, const mt_cut_graph *tissue, const pairs *p, mt_cut_graph *joint)
{
    size_t *start, *at, n;
    uint32_t *near;
    MT_SCRATCH(scratch);
    MT_ALLOC(arena, start, joint->n_nodes + 1);
    for (size_t node = 0; node < tissue->n_nodes; node++) {
        const uint32_t *list = mt_cut_graph_near(tissue, node, &n);
        for (size_t k = 0; k < n; k++) start[node + 1] += list[k] != MT_NO_ELEMENT;
    }
    for (size_t k = 0; k < p->n; k++) {
        start[(p->pair[k] >> 32) + 1]++;
        start[(p->pair[k] & UINT32_MAX) + 1]++;
    }
    mt_offsets_sum(start, joint->n_nodes + 1);
    MT_ALLOC(arena, near, start[joint->n_nodes]);
    MT_COPY(scratch, at, start, joint->n_nodes + 1);
    for (size_t node = 0; node < tissue->n_nodes; node++) {
        const uint32_t *list = mt_cut_graph_near(tissue, node, &n);
        for (size_t k = 0; k < n; k++)
            if (list[k] != MT_NO_ELEMENT) near[at[node]++] = list[k];
    }
    for (size_t k = 0; k < p->n; k++) {
        const uint32_t a = (uint32_t)(p->pair[k] >> 32), b = (uint32_t)p->pair[k];
        near[at[a]++] = b;
        near[at[b]++] = a;
    }
    joint->start = start;
    joint->near = near;
    return MT_OK;
}

/* Returns the worker cycles of an element in a time step. */
static double element_cycles(const mt_monodomain *problem, const ipu_target *target)
{
    const bool spread = mt_monodomain_spreads(problem);
    const mt_ode_context context = {.model = problem->model,
        .mixed = problem->variant_of != NULL,
        .spread = spread,
        .multirate = problem->stepping == MT_STEPPING_MULTIRATE};
    const ipu_mix *record = mt_codelet_mix(mt_codelet_record(problem->record.all, spread)->name),
                  *step = mt_codelet_mix(
                      problem->accumulation == MT_ACCUMULATION_DOUBLE_WORD ? "pde_double_word" : "pde");
    return mt_codelet_ode_cycles(target, &context) + ipu_mix_cycles(record, &target->instructions) +
           (double)problem->pde_steps * ipu_mix_cycles(step, &target->instructions);
}

mt_status mt_joint_graph_make(mt_arena *arena, const mt_monodomain *problem, const mt_cut_graph *tissue,
    const ipu_target *target, mt_cut_graph *joint)
{
    MT_SCRATCH(scratch);
    const mt_conduction *conduction = problem->conduction;
    const mt_cables *c = &conduction->cables;
    const mt_ode_context context = {.model = conduction->model,
        .multirate = conduction->stepping == MT_STEPPING_MULTIRATE,
        .increments = true};
    const double point = (double)conduction->steps *
                         (mt_codelet_ode_cycles(target, &context) + mt_network_point_cycles(target)),
                 element = tissue->weight ? 0 : element_cycles(problem, target);
    pairs p = {0};
    uint32_t *weight;
    *joint = (mt_cut_graph){.n_nodes = tissue->n_nodes + c->n_chains};
    MT_TRY(find_pairs(scratch, conduction, tissue->n_nodes, &p));
    MT_TRY(join(arena, tissue, &p, joint));
    MT_ALLOC(arena, weight, joint->n_nodes);
    for (size_t k = 0; k < tissue->n_nodes; k++)
        weight[k] = tissue->weight ? tissue->weight[k] : (uint32_t)lround(element);
    for (size_t k = 0; k < c->n_chains; k++) /* with one hub */
        weight[tissue->n_nodes + k] =
            (uint32_t)lround(point * (double)(c->chain[k].end - c->chain[k].first + 1));
    joint->weight = weight;
    return MT_OK;
}

/* A chain with its weight. */
typedef struct heavy {
    uint32_t weight, chain;
} heavy;

static int heaviest_first(const void *a, const void *b)
{
    const heavy *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    return (x->chain > y->chain) - (x->chain < y->chain);
}

mt_status mt_joint_place(
    mt_arena *arena, const mt_cut_graph *joint, const mt_partition *tissue, uint32_t **chain_part)
{
    MT_SCRATCH(scratch);
    const size_t n_chains = joint->n_nodes - tissue->n_elements;
    uint64_t *load;
    heavy *chain;
    MT_ALLOC(arena, *chain_part, n_chains);
    MT_ALLOC(scratch, load, tissue->n_parts);
    MT_ALLOC(scratch, chain, n_chains);
    for (size_t k = 0; k < tissue->n_elements; k++) load[tissue->part[k]] += joint->weight[k];
    for (size_t k = 0; k < n_chains; k++)
        chain[k] = (heavy){joint->weight[tissue->n_elements + k], (uint32_t)k};
    qsort(chain, n_chains, sizeof *chain, heaviest_first);
    for (size_t k = 0; k < n_chains; k++) {
        uint32_t part = 0;
        for (uint32_t q = 1; q < tissue->n_parts; q++)
            if (load[q] < load[part]) part = q;
        (*chain_part)[chain[k].chain] = part;
        load[part] += chain[k].weight;
    }
    return MT_OK;
}
