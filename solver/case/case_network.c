#include "solver/case/case_network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/progress.h"
#include "data/core/vec3.h"
#include "mesh/network/network_files.h"
#include "mesh/network/purkinje.h"

/* Resting Purkinje fibres are above lower thresholds. */
static const double least_threshold_mV = -50;

static const double *node_of(const mt_network *network, size_t segment, size_t end)
{
    return network->xyz_mm + 3 * (size_t)network->segment_node[2 * segment + end];
}

/* True if a segment belongs to a part; `kind` is that of the part. */
static bool is_in(const mt_case_network_part *part, int32_t kind, const mt_network *network, size_t segment)
{
    double middle[3];
    if (part->kind[0] && network->kind[segment] != kind) return false;
    if (isnan(part->radius_mm)) return true;
    for (size_t x = 0; x < 3; x++)
        middle[x] = 0.5 * (node_of(network, segment, 0)[x] + node_of(network, segment, 1)[x]);
    return mt_square3(middle, part->centre_mm) <= part->radius_mm * part->radius_mm;
}

/* Removes the segments of a part. */
static mt_status block(const mt_case_network_part *part, const mt_network *network, uint8_t *used)
{
    int32_t kind = 0;
    size_t n = 0;
    if (part->kind[0]) MT_TRY(mt_fail_in("kind", mt_purkinje_kind_find(part->kind, &kind)));
    if (part->kind[0] && !network->kind)
        return mt_fail(
            MT_INPUT, "kind: %s, in a network without kinds; allowed: centre_mm and radius_mm", part->kind);
    for (size_t s = 0; s < network->n_segments; s++) {
        if (!is_in(part, kind, network, s)) continue;
        used[s] = 0;
        n++;
    }
    if (n > 0) return MT_OK;
    return mt_fail(MT_INPUT, "contains no segment of the network; needed: at least one");
}

static mt_status find_used(
    mt_arena *arena, const mt_case_network *from, const mt_network *network, uint8_t **used)
{
    MT_ALLOC(arena, *used, network->n_segments);
    memset(*used, 1, network->n_segments);
    for (size_t k = 0; k < from->n_block; k++)
        MT_TRY(mt_case_in_entry("network.block", k, block(&from->block[k], network, *used)));
    for (size_t k = 0; k < network->n_segments; k++)
        if ((*used)[k]) return MT_OK;
    return mt_fail(MT_INPUT, "network.block: blocks all %zu segments of %s; allowed: a part of them",
        network->n_segments, from->file);
}

static mt_status check_node(const mt_network *network, const char *key, size_t node)
{
    if (node < network->n_nodes) return MT_OK;
    return mt_fail(
        MT_INPUT, "%s: %zu; allowed: 0 to %zu, the nodes of the network", key, node, network->n_nodes - 1);
}

/* Checks that the root is a free end. Node 0, the default, need not be one. */
static mt_status check_root(const mt_case_network *from, uint32_t degree)
{
    if (degree == 1 || from->root == 0) return MT_OK;
    return mt_fail(MT_INPUT,
        "network.root: node %zu has %u segments; allowed: a free end, a node with one segment", from->root,
        degree);
}

/* The free ends of the cables, except the root. */
typedef struct free_ends {
    size_t n;
    uint32_t *point;
    uint32_t root_degree; /* segments at the root in the complete network */
} free_ends;

/* Lists the points of the free ends of the complete network, except the root. */
static mt_status find_free_ends(
    mt_arena *arena, size_t root, const mt_network *network, const mt_cables *cables, free_ends *ends)
{
    MT_SCRATCH(scratch);
    uint32_t *degree;
    *ends = (free_ends){.n = 0};
    MT_ALLOC(scratch, degree, network->n_nodes);
    MT_ALLOC(arena, ends->point, network->n_nodes);
    for (size_t k = 0; k < 2 * network->n_segments; k++) degree[network->segment_node[k]]++;
    for (size_t node = 0; node < network->n_nodes; node++)
        if (degree[node] == 1 && node != root && cables->point_of[node] != MT_NO_POINT)
            ends->point[ends->n++] = cables->point_of[node];
    ends->root_degree = degree[root];
    return MT_OK;
}

/* Lists the points near the node of a stimulus. */
static mt_status find_stimulated(mt_arena *arena, const mt_case_network_stimulus *from,
    const mt_network *network, const mt_cables *cables, mt_stimulus *to)
{
    MT_TRY(check_node(network, "node", from->node));
    const double *x = network->xyz_mm + 3 * from->node;
    uint32_t *point;
    MT_ALLOC(arena, point, cables->n_points);
    *to = (mt_stimulus){.start_ms = from->start_ms,
        .duration_ms = from->duration_ms,
        .rise_mV_ms = from->strength_mV_ms,
        .element = point,
        .period_ms = from->count > 1 ? from->period_ms : 0,
        .repeats = from->count - 1};
    for (size_t k = 0; k < cables->n_points; k++)
        if (mt_square3(cables->xyz_mm + 3 * k, x) <= from->radius_mm * from->radius_mm)
            point[to->n_elements++] = (uint32_t)k;
    if (to->n_elements > 0) return MT_OK;
    return mt_fail(MT_INPUT, "found no conducting cable within radius_mm %g of node %zu; needed: one",
        from->radius_mm, from->node);
}

static mt_status find_stimuli(mt_arena *arena, const mt_case_network *from, mt_conduction *c)
{
    mt_stimulus *stimuli;
    MT_ALLOC(arena, stimuli, from->n_stimuli);
    for (size_t s = 0; s < from->n_stimuli; s++)
        MT_TRY(mt_case_in_entry("network.stimuli", s,
            find_stimulated(arena, &from->stimuli[s], c->network, &c->cables, &stimuli[s])));
    c->n_stimuli = from->n_stimuli;
    c->stimulus = stimuli;
    return MT_OK;
}

/* Sets the cells, and the steps of the cables that the model's limit requires. */
static mt_status find_cells(mt_arena *arena, const mt_case *from, mt_conduction *c)
{
    const mt_case_network *network = &from->network;
    size_t type = 0;
    c->model = network->model;
    c->stepping = from->cell.stepping;
    c->tolerance_mV = from->cell.tolerance_mV;
    c->evaluation = from->cell.evaluation;
    c->steps = (size_t)ceil(from->time.dt_ms / network->model->dt_max_ms * (1 - 1e-9));
    if (c->steps == 0) c->steps = 1;
    if (network->type[0]) MT_TRY(mt_cell_variant_find(c->model, network->type, &type));
    return mt_cell_variant_change(arena, c->model, &c->model->variants[type], &network->asked, &c->variant);
}

static void warn_of_root(const mt_case_network *from, const free_ends *ends)
{
    if (ends->root_degree != 1 && ends->n > 0)
        mt_warn("%s: network.root: found %u segments at node 0, so that all %zu free ends are coupled to the "
                "tissue; usual: one segment, at the upper end of the His bundle",
            from->file, ends->root_degree, ends->n);
}

static void warn_of_junctions(const mt_case_network *from, const mt_junctions *j, size_t n_ends)
{
    if (j->n_apart > 0)
        mt_warn("%s: %zu of %zu free ends are farther than %g mm from the tissue, and not coupled to it",
            from->file, j->n_apart, n_ends, fmax(from->reach_mm, MT_JUNCTION_REACH_MM));
    if (j->n_scar > 0)
        mt_warn("%s: %zu of %zu free ends are in non-conducting tissue, and not coupled", from->file,
            j->n_scar, n_ends);
    if (j->n == 0 && from->file[0])
        mt_warn("%s: found no junction with the tissue; usual: the free ends of the network; its coordinates "
                "may have another unit or "
                "origin than those of the mesh",
            from->file);
    if (j->n_single > 0)
        mt_warn("%s: %zu of %zu junctions have no voltage of the tissue within network.junction.radius_mm "
                "%g, and "
                "are coupled to the nearest one; their delay depends on the mesh",
            from->file, j->n_single, j->n, from->reach_mm);
}

/* Makes all of a conduction system but its junctions. */
static mt_status make_cables(
    mt_arena *arena, const mt_case *from, const mt_network *read, mt_conduction *c, free_ends *ends)
{
    const mt_case_network *network = &from->network;
    const mt_cables_rule rule = {network->spacing_mm, network->radius_mm, network->conductivity_mS_mm,
        network->capacitance_uF_mm2, network->fibres};
    uint8_t *used;
    *c =
        (mt_conduction){.network = read, .threshold_mV = fmax(from->output.threshold_mV, least_threshold_mV)};
    MT_TRY(check_node(read, "network.root", network->root));
    MT_TRY(find_used(arena, network, read, &used));
    MT_TRY(mt_fail_in(network->file, mt_cables_make(arena, read, used, &rule, &c->cables)));
    MT_TRY(find_free_ends(arena, network->root, read, &c->cables, ends));
    MT_TRY(check_root(network, ends->root_degree));
    MT_TRY(find_cells(arena, from, c));
    return find_stimuli(arena, network, c);
}

mt_status mt_case_conduction_of(mt_arena *arena, const mt_case *from, const mt_network *read,
    const mt_junctions_tissue *tissue, mt_conduction *c)
{
    const mt_case_network *network = &from->network;
    const mt_junctions_rule junction = {network->resistance_kOhm, network->reach_mm};
    free_ends ends;
    MT_TRY(make_cables(arena, from, read, c, &ends));
    MT_TRY(mt_junctions_make(arena, tissue, &c->cables, ends.n, ends.point, &junction, &c->junctions));
    warn_of_root(network, &ends);
    warn_of_junctions(network, &c->junctions, ends.n);
    return MT_OK;
}

mt_status mt_case_conduction(
    mt_arena *arena, const mt_case *from, const mt_junctions_tissue *tissue, const mt_conduction **conduction)
{
    mt_conduction *made;
    mt_network *network;
    *conduction = NULL;
    if (!from->network.file[0]) return MT_OK;
    MT_ALLOC(arena, made, 1);
    MT_ALLOC(arena, network, 1);
    MT_TRY(mt_network_read(arena, from->network.file, NULL, network));
    mt_print_notes(from->network.file, network->notes);
    *conduction = made;
    return mt_case_conduction_of(arena, from, network, tissue, made);
}

mt_status mt_case_conduction_check(const mt_case *from)
{
    MT_SCRATCH(scratch);
    mt_conduction conduction;
    mt_network network;
    free_ends ends;
    if (!from->network.file[0]) return MT_OK;
    MT_TRY(mt_network_read(scratch, from->network.file, NULL, &network));
    return make_cables(scratch, from, &network, &conduction, &ends);
}
