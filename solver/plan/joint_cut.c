#include "solver/plan/joint_cut.h"

#include <math.h>
#include <stdlib.h>

#include "data/core/vec3.h"
#include "solver/plan/codelets.h"
#include "solver/diffusion/nodal_rows.h"

/* ---- weights ---- */

/* Returns the worker cycles of a cell of the tissue in a time step, and of a point of the cables. */
static double cell_cycles(const mt_monodomain *problem, const ipu_target *target)
{
    const mt_nodal *nodal = problem->diffusion->nodal;
    const bool increments = nodal && nodal->spread;
    const mt_ode_context context = {.model = problem->model,
        .mixed = problem->variant_of != NULL,
        .spread = mt_monodomain_spreads(problem) && !increments,
        .multirate = problem->stepping == MT_STEPPING_MULTIRATE,
        .increments = increments};
    return mt_codelet_ode_cycles(target, &context);
}

static double point_cycles(const mt_conduction *conduction, const ipu_target *target)
{
    const mt_ode_context context = {.model = conduction->model,
        .multirate = conduction->stepping == MT_STEPPING_MULTIRATE,
        .increments = true};
    return (double)conduction->steps * mt_codelet_ode_cycles(target, &context);
}

/* Sets the weights without chains, and those of the chains. */
static mt_status find_weights(mt_arena *arena, const mt_monodomain *problem, const mt_cut_graph *tissue,
    const ipu_target *target, mt_joint_cut *joint)
{
    const mt_conduction *conduction = problem->conduction;
    const mt_cables *c = &conduction->cables;
    const double cell = cell_cycles(problem, target);
    double mean = 0;
    MT_ALLOC(arena, joint->weight, tissue->n_nodes);
    MT_ALLOC(arena, joint->chain_weight, c->n_chains);
    for (size_t k = 0; k < tissue->n_nodes; k++) {
        joint->weight[k] = tissue->weight ? tissue->weight[k] : (uint32_t)lround(cell);
        mean += joint->weight[k] / (double)tissue->n_nodes;
    }
    const double point = mean * point_cycles(conduction, target) / cell;
    for (size_t k = 0; k < c->n_chains; k++)
        joint->chain_weight[k] = (uint32_t)lround(point * (double)(c->chain[k].end - c->chain[k].first + 1));
    return MT_OK;
}

/* ---- places ---- */

/* Computes the middle of a chain: of its middle point, or of its hubs. */
static void middle_of(const mt_cables *c, size_t chain, double x[3])
{
    const mt_cable_chain *of = &c->chain[chain];
    const double *middle = c->xyz_mm + 3 * (size_t)((of->first + of->end) / 2), *left = middle,
                 *right = middle;
    if (of->first == of->end) {
        left = c->xyz_mm + 3 * (size_t)of->left;
        right = c->xyz_mm + 3 * (size_t)of->right;
    }
    for (int k = 0; k < 3; k++) x[k] = (left[k] + right[k]) / 2;
}

/* The coupled unknowns, each with the first junction that it is coupled to. */
typedef struct coupled {
    size_t n;
    double *xyz_mm;
    uint32_t *junction;
    uint32_t *n_attached; /* [n_junctions] chains so far */
} coupled;

static mt_status find_coupled(
    mt_arena *scratch, const mt_unknowns *unknowns, const mt_junctions *j, coupled *c)
{
    *c = (coupled){.n = j->n_unknowns};
    MT_ALLOC(scratch, c->xyz_mm, 3 * c->n);
    MT_ALLOC(scratch, c->junction, c->n);
    MT_ALLOC(scratch, c->n_attached, j->n);
    for (size_t k = 0; k < c->n; k++) mt_unknowns_place(unknowns, j->unknown[k], c->xyz_mm + 3 * k);
    for (size_t k = j->n; k-- > 0;)
        for (size_t i = j->start[k]; i < j->start[k + 1]; i++) c->junction[j->slot[i]] = (uint32_t)k;
    return MT_OK;
}

/* Returns the nearest of the coupled unknowns whose junctions have the fewest chains; the first of several. */
static size_t choose(const coupled *c, const double x[3])
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t k = 0; k < c->n; k++) {
        const double square = mt_square3(c->xyz_mm + 3 * k, x);
        const uint32_t here = c->n_attached[c->junction[k]], there = c->n_attached[c->junction[best]];
        if (here > there || (here == there && square >= least)) continue;
        best = k;
        least = square;
    }
    return best;
}

mt_status mt_joint_cut_make(mt_arena *arena, const mt_monodomain *problem, const mt_cut_graph *tissue,
    const ipu_target *target, mt_joint_cut *joint)
{
    MT_SCRATCH(scratch);
    const mt_unknowns unknowns = mt_monodomain_unknowns(problem);
    const mt_cables *c = &problem->conduction->cables;
    const mt_junctions *j = &problem->conduction->junctions;
    coupled near;
    MT_TRY(find_weights(arena, problem, tissue, target, joint));
    MT_TRY(find_coupled(scratch, &unknowns, j, &near));
    MT_ALLOC(arena, joint->attached, c->n_chains);
    for (size_t k = 0; k < c->n_chains; k++) {
        double x[3];
        middle_of(c, k, x);
        const size_t slot = near.n > 0 ? choose(&near, x) : 0;
        joint->attached[k] = near.n > 0 ? j->unknown[slot] : (uint32_t)(k * tissue->n_nodes / c->n_chains);
        if (near.n > 0) near.n_attached[near.junction[slot]]++;
        joint->weight[joint->attached[k]] += joint->chain_weight[k];
    }
    return MT_OK;
}

/* ---- parts ---- */

/* Returns the part with the largest or least load; the first of several. */
static uint32_t extreme_part(const uint64_t *load, uint32_t n_parts, bool largest)
{
    uint32_t part = 0;
    for (uint32_t q = 1; q < n_parts; q++)
        if (largest ? load[q] > load[part] : load[q] < load[part]) part = q;
    return part;
}

/* Returns the heaviest chain on a part that may weigh `most`; n_chains if there is none. */
static size_t movable(
    const mt_joint_cut *joint, size_t n_chains, const uint32_t *chain_part, uint32_t part, uint64_t most)
{
    size_t found = n_chains;
    for (size_t k = 0; k < n_chains; k++)
        if (chain_part[k] == part && joint->chain_weight[k] <= most &&
            (found == n_chains || joint->chain_weight[k] > joint->chain_weight[found]))
            found = k;
    return found;
}

mt_status mt_joint_cut_parts(mt_arena *arena, const mt_joint_cut *joint, size_t n_chains,
    const mt_partition *partition, uint32_t **chain_part)
{
    MT_SCRATCH(scratch);
    uint64_t *load;
    MT_ALLOC(arena, *chain_part, n_chains);
    MT_ALLOC(scratch, load, partition->n_parts);
    for (size_t k = 0; k < partition->n_elements; k++) load[partition->part[k]] += joint->weight[k];
    for (size_t k = 0; k < n_chains; k++) (*chain_part)[k] = partition->part[joint->attached[k]];
    for (size_t moves = 0; moves < n_chains; moves++) {
        const uint32_t from = extreme_part(load, partition->n_parts, true),
                       to = extreme_part(load, partition->n_parts, false);
        if (load[from] - load[to] < 2) break;
        const size_t chain = movable(joint, n_chains, *chain_part, from, load[from] - load[to] - 1);
        if (chain == n_chains) break;
        load[from] -= joint->chain_weight[chain];
        load[to] += joint->chain_weight[chain];
        (*chain_part)[chain] = to;
    }
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

mt_status mt_joint_cut_place(mt_arena *arena, const mt_joint_cut *joint, size_t n_chains,
    const mt_partition *partition, uint32_t **chain_part)
{
    MT_SCRATCH(scratch);
    uint64_t *load;
    heavy *chain;
    MT_ALLOC(arena, *chain_part, n_chains);
    MT_ALLOC(scratch, load, partition->n_parts);
    MT_ALLOC(scratch, chain, n_chains);
    for (size_t k = 0; k < partition->n_elements; k++) load[partition->part[k]] += joint->weight[k];
    for (size_t k = 0; k < n_chains; k++) {
        load[partition->part[joint->attached[k]]] -= joint->chain_weight[k];
        chain[k] = (heavy){joint->chain_weight[k], (uint32_t)k};
    }
    qsort(chain, n_chains, sizeof *chain, heaviest_first); /* a network has a chain */
    for (size_t k = 0; k < n_chains; k++) {
        uint32_t part = 0;
        for (uint32_t q = 1; q < partition->n_parts; q++)
            if (load[q] < load[part]) part = q;
        (*chain_part)[chain[k].chain] = part;
        load[part] += chain[k].weight;
    }
    return MT_OK;
}
