#include "app/run/mapping.h"

#include "data/files/data_folder.h"
#include "data/core/progress.h"
#include "app/run/cached_partition.h"
#include "data/files/file.h"
#include "ipu/machine/machines.h"
#include "solver/backends/backend.h"
#include "solver/plan/joint_cut.h"
#include "solver/plan/step_costs.h"
#include "mesh/vtk/vtkhdf.h"

static bool has_tiles(const mt_case *input) { return mt_case_backend(input)->profile != NULL; }

static mt_status choose_cut(mt_case *input, mt_mapping_choice *choice)
{
    choice->saved = !mt_partition_methods[input->machine.partition];
    if (choice->saved && !input->mesh.file[0])
        return mt_fail(
            MT_INPUT, "machine.partition: saved; allowed: with mesh.file, which contains the partition");
    if (choice->saved && input->machine.balance_halo)
        return mt_fail(
            MT_INPUT, "machine.balance_halo: true; allowed: with a machine.partition other than saved");
    MT_TRY(mt_fail_in("machine.scheme", mt_scheme_find(mt_schemes[input->machine.scheme].name,
                                            (uint32_t)input->machine.ranges, &choice->scheme)));
    input->machine.ranges = choice->scheme.ranges;
    choice->tiling.imbalance = input->machine.imbalance;
    choice->tiling.balance_halo = input->machine.balance_halo;
    choice->tiling.streamed = (mt_streamed)input->machine.streamed;
    return MT_OK;
}

/* Loads one chip of the machine. Errors about values set in the case already name their place. */
static mt_status load_machine(mt_arena *arena, const char *path, const mt_case *input, ipu_target *one)
{
    const char *file;
    MT_TRY(mt_fail_in(path, ipu_machine_path(arena, mt_machines_folder(), input->machine.target, &file)));
    const mt_status status = ipu_machine_load(arena, file, input->machine.sets, input->machine.n_sets, one);
    return input->machine.n_sets > 0 ? status : mt_fail_in(path, status);
}

static mt_status choose_tiles(mt_arena *arena, mt_case *input, mt_mapping_choice *choice)
{
    mt_tiling *tiling = &choice->tiling;
    if (ipu_machine_is_path(input->machine.target)) MT_TRY(mt_file_absolute(arena, &input->machine.target));
    if (input->machine.tiles == 0) input->machine.tiles = tiling->one.tiles;
    if (input->machine.tiles > tiling->one.tiles)
        return mt_fail(MT_INPUT, "machine.tiles: %zu; allowed: at most %zu, the tiles of %s",
            input->machine.tiles, tiling->one.tiles, tiling->one.name);
    tiling->tiles = (uint32_t)input->machine.tiles;
    if (!choice->saved) mt_tiling_choose(tiling, (mt_partition_method)input->machine.partition);
    MT_TRY(mt_fail_in(
        "machine.ipus", ipu_target_several(&choice->tiling.one, input->machine.ipus, &choice->target)));
    if (!has_tiles(input)) return MT_OK; /* no emulator that needs memory */
    return mt_fail_in("machine.ipus", mt_tiling_check_memory(&choice->tiling, (uint32_t)input->machine.ipus));
}

/* Checks the number of ranks before long computations. */
static mt_status check_ranks(const mt_case *input, const mt_communicator *ranks)
{
    const uint32_t n = ranks ? ranks->n_ranks : 1;
    if (has_tiles(input) && input->network.file[0] && n > 1)
        return mt_fail(MT_INPUT, "machine.backend: %s with a network, on %u ranks; allowed: one rank",
            mt_case_backend(input)->name, n);
    if (has_tiles(input) && input->machine.ipus < n)
        return mt_fail(MT_INPUT, "machine.ipus: %zu, on %u ranks; allowed: at most one rank per IPU",
            input->machine.ipus, n);
    return MT_OK;
}

mt_status mt_mapping_choose(mt_arena *arena, const char *path, mt_case *input, const mt_communicator *ranks,
    mt_mapping_choice *choice)
{
    *choice = (mt_mapping_choice){.ranks = ranks};
    MT_TRY(mt_fail_in(path, choose_cut(input, choice)));
    MT_TRY(mt_fail_in(path, check_ranks(input, ranks)));
    MT_TRY(load_machine(arena, path, input, &choice->tiling.one));
    MT_TRY(mt_fail_in(path, mt_tiling_check_streamed("machine.stream", &choice->tiling)));
    return mt_fail_in(path, choose_tiles(arena, input, choice));
}

/* Returns the graph of the unknowns without weights. */
static mt_cut_graph plain_graph(const mt_problem *problem)
{
    const mt_pattern rows = mt_diffusion_pattern(&problem->diffusion);
    if (!problem->unknowns.at_vertices) return mt_cut_graph_of(&problem->adjacency);
    return (mt_cut_graph){.n_nodes = rows.n_elements, .start = rows.start, .near = rows.columns};
}

/* Reads the partition from the mesh file, and checks that it fits this machine. */
static mt_status read_partition(
    mt_arena *arena, const mt_case *input, const mt_problem *problem, mt_partition *partition)
{
    const uint32_t ipus = (uint32_t)input->machine.ipus, tiles = (uint32_t)input->machine.tiles;
    const mt_unknowns *unknowns = &problem->unknowns, all = {&problem->whole, unknowns->at_vertices};
    const mt_cut_graph graph = plain_graph(problem);
    MT_TRY(mt_vtkhdf_read_partition(
        arena, input->mesh.file, all.at_vertices, mt_unknowns_count(&all), partition));
    partition->n_elements = mt_unknowns_count(unknowns);
    for (size_t c = 0; c < partition->n_elements; c++)
        partition->part[c] = partition->part[mt_unknowns_number(unknowns, c)];
    partition->edge_cut = mt_cut_graph_edges_cut(&graph, partition->part);
    const uint32_t its_ipus = mt_partition_groups(partition), its_tiles = partition->parts_per_group;
    if (its_ipus == ipus && its_tiles == tiles) return MT_OK;
    return mt_fail(MT_INPUT,
        "%s: partition for %u IPUs of %u tiles; machine.ipus and machine.tiles request %u of %u",
        input->mesh.file, its_ipus, its_tiles, ipus, tiles);
}

/* The unknowns to partition. */
typedef struct unknowns_graph {
    mt_cut_graph graph;
    mt_pattern pattern; /* of vertices; empty for elements */
    mt_joint_cut joint; /* with a conduction system on the tiles */
} unknowns_graph;

static bool has_chains(const mt_case *input, const mt_problem *problem)
{
    return has_tiles(input) && problem->monodomain.conduction;
}

/* Returns the graph of the unknowns with the positions that the method needs, of vertices with the costs of their rows, and with the chains
 * that are attached to them. */
static mt_status graph_of(mt_arena *arena, const mt_case *input, const mt_mapping_choice *choice,
    const mt_problem *problem, unknowns_graph *g)
{
    *g = (unknowns_graph){.graph = mt_cut_graph_of(&problem->adjacency)};
    if (problem->unknowns.at_vertices) {
        g->pattern = mt_diffusion_pattern(&problem->diffusion);
        MT_TRY(mt_step_graph_make(
            arena, &problem->monodomain, &problem->adjacency, &choice->tiling, true, &g->graph));
    }
    MT_TRY(mt_tiling_place(arena, &choice->tiling, &problem->unknowns, &g->graph));
    if (!has_chains(input, problem)) return MT_OK;
    MT_TRY(mt_joint_cut_make(arena, &problem->monodomain, &g->graph, &choice->tiling.one, &g->joint));
    g->graph.weight = g->joint.weight;
    return MT_OK;
}

static mt_status cut(mt_arena *arena, const mt_mapping_choice *choice, uint32_t ipus, const unknowns_graph *g,
    mt_partition *partition)
{
    MT_SCRATCH(scratch);
    mt_balance balance;
    mt_pattern pattern = g->pattern;
    if (choice->tiling.balance_halo && g->graph.adjacency)
        MT_TRY(mt_tiling_pattern(scratch, g->graph.adjacency, &pattern));
    MT_TRY(mt_tiling_partition(arena, &choice->tiling, &g->graph, &pattern, ipus, partition, &balance));
    return mt_tiling_balance_sent(&choice->tiling, &choice->scheme, &g->graph, &pattern, partition, &balance);
}

/* Reads the partition from the cache, or computes and stores it. */
static mt_status make_partition(mt_arena *arena, const mt_mapping_choice *choice, uint32_t ipus,
    const unknowns_graph *g, mt_partition *partition)
{
    char key[MT_HASH_SIZE];
    bool found;
    if (!choice->cached || g->graph.n_nodes < MT_PARTITION_KEPT_FROM)
        return cut(arena, choice, ipus, g, partition);
    MT_TRY(mt_cached_partition_key(&choice->tiling, &choice->scheme, ipus, &g->graph, key));
    MT_TRY(mt_cached_partition_find(arena, key, g->graph.n_nodes, partition, &found));
    if (found) return MT_OK;
    MT_TRY(cut(arena, choice, ipus, g, partition));
    return mt_cached_partition_store(key, partition);
}

/* Partitions the unknowns into one part for each rank, as if ranks were tiles of one chip. */
static mt_status cut_for_ranks(
    mt_arena *arena, const mt_mapping_choice *choice, const unknowns_graph *g, mt_partition *partition)
{
    const mt_partition_options options = {.method = MT_PARTITION_FLAT,
        .n_groups = 1,
        .parts_per_group = choice->ranks->n_ranks,
        .imbalance = choice->tiling.imbalance};
    mt_cut_graph graph = g->graph;
    graph.together = 0; /* of a tile */
    return mt_partition_make_of(arena, &graph, &options, partition);
}

/* Finds the partition, unless the mesh file has it, and the parts of the chains. */
static mt_status get_partition(mt_arena *arena, const mt_case *input, const mt_mapping_choice *choice,
    const mt_problem *problem, mt_mapping *m)
{
    MT_SCRATCH(scratch);
    const mt_conduction *conduction = problem->monodomain.conduction;
    const bool saved = choice->saved && has_tiles(input);
    unknowns_graph g;
    if (saved && !has_chains(input, problem)) return MT_OK;
    MT_TRY(graph_of(scratch, input, choice, problem, &g));
    if (!has_tiles(input))
        MT_TRY(cut_for_ranks(arena, choice, &g, &m->partition));
    else if (!saved)
        MT_TRY(make_partition(arena, choice, (uint32_t)input->machine.ipus, &g, &m->partition));
    if (has_chains(input, problem))
        MT_TRY((saved ? mt_joint_cut_place : mt_joint_cut_parts)(
            arena, &g.joint, conduction->cables.n_chains, &m->partition, &m->chain_part));
    m->partition.weight = NULL; /* of the scratch */
    return MT_OK;
}

/* Selects the separator scheme: for tiles the case's; for ranks without tiles `exact`, which sends no unused element, as the cost of a
 * message between ranks depends on its bytes and not on the number of ranges. */
static mt_status choose_scheme(const mt_case *input, const mt_mapping_choice *choice, mt_scheme *scheme)
{
    *scheme = choice->scheme;
    return has_tiles(input) ? MT_OK : mt_scheme_find("exact", 0, scheme);
}

/* Partitions the unknowns for the tiles or ranks, and finds their halo. */
static mt_status make_halo(mt_arena *arena, const mt_case *input, const mt_mapping_choice *choice,
    const mt_problem *problem, mt_mapping *m)
{
    mt_scheme scheme;
    const mt_pattern pattern = mt_diffusion_pattern(&problem->diffusion);
    MT_TRY(choose_scheme(input, choice, &scheme));
    MT_TRY(get_partition(arena, input, choice, problem, m));
    return mt_halo_make(arena, &pattern, &m->partition, &scheme, &m->halo);
}

mt_status mt_mapping_make(mt_arena *arena, const mt_case *input, const mt_mapping_choice *choice,
    const mt_problem *problem, mt_mapping *m)
{
    *m = (mt_mapping){0};
    mt_progress_stage("partitioning the mesh");
    if (choice->saved) MT_TRY(read_partition(arena, input, problem, &m->partition));
    m->layout = (mt_layout){.device = input->machine.device, .lenient = !input->machine.strict};
    if (!has_tiles(input) && !choice->ranks) return MT_OK;
    MT_TRY(make_halo(arena, input, choice, problem, m));
    m->layout.target = &choice->target;
    m->layout.halo = &m->halo;
    m->layout.chain_part = m->chain_part;
    m->layout.streamed = (mt_streamed)input->machine.streamed;
    m->layout.checked = input->machine.checked;
    m->layout.ranks = choice->ranks;
    return MT_OK;
}
