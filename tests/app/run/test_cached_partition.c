#include <criterion/criterion.h>

#include "data/files/data_folder.h"
#include "app/run/cached_partition.h"
#include "ipu/machine/machines.h"
#include "mesh/make/slab.h"
#include "tests/app/program.h"

TestSuite(cached_partition, .init = enter_room, .fini = leave_room);

typedef struct problem {
    mt_arena arena;
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_tiling tiling;
    mt_scheme scheme;
    mt_partition partition;
    char key[MT_HASH_SIZE];
} problem;

/* Returns the key of the partition of the elements. */
static void find_key(const problem *p, const mt_tiling *tiling, uint32_t ipus, char key[MT_HASH_SIZE])
{
    const mt_cut_graph graph = mt_cut_graph_of(&p->adjacency);
    cr_assert_eq(mt_cached_partition_key(tiling, &p->scheme, ipus, &graph, key), MT_OK);
}

/* Builds a slab with a given partition, and an empty cache. */
static void make(problem *p)
{
    *p = (problem){0};
    cr_assert_eq(setenv("XDG_CACHE_HOME", room, 1), 0);
    cr_assert_eq(mt_slab_make(&p->arena, (double[]){3, 2, 2}, 0.5, &p->mesh), MT_OK);
    cr_assert_eq(mt_adjacency_make(&p->arena, &p->mesh, &p->adjacency), MT_OK);
    const char *machine;
    cr_assert_eq(mt_scheme_find("exact", 0, &p->scheme), MT_OK);
    cr_assert_eq(ipu_machine_path(&p->arena, mt_machines_folder(), "gc200", &machine), MT_OK);
    cr_assert_eq(ipu_machine_load(&p->arena, machine, NULL, 0, &p->tiling.one), MT_OK, "%s", mt_message());
    p->tiling.imbalance = 1.03;
    p->tiling.tiles = 4;
    p->partition = (mt_partition){.n_parts = 8, .parts_per_group = 4, .n_elements = p->mesh.n_elements};
    p->partition.part = mt_arena_alloc(&p->arena, p->mesh.n_elements, sizeof *p->partition.part);
    for (size_t c = 0; c < p->mesh.n_elements; c++) p->partition.part[c] = (uint32_t)(c * 5 % 8);
    p->partition.edge_cut = mt_partition_edge_cut(&p->adjacency, p->partition.part);
    find_key(p, &p->tiling, 2, p->key);
}

Test(cached_partition, a_stored_partition_is_restored_unchanged)
{
    problem p;
    mt_partition back;
    bool found;
    make(&p);
    cr_assert(mt_cached_partition_find(&p.arena, p.key, p.mesh.n_elements, &back, &found) == MT_OK && !found);
    cr_assert_eq(mt_cached_partition_store(p.key, &p.partition), MT_OK);
    cr_assert(mt_cached_partition_find(&p.arena, p.key, p.mesh.n_elements, &back, &found) == MT_OK && found);
    cr_assert(back.n_parts == 8 && back.parts_per_group == 4 && back.n_elements == p.mesh.n_elements);
    cr_assert(back.edge_cut == p.partition.edge_cut && back.metis_failures == 0);
    cr_assert_eq(memcmp(back.part, p.partition.part, back.n_elements * sizeof *back.part), 0);
    cr_assert(
        mt_cached_partition_find(&p.arena, p.key, p.mesh.n_elements - 1, &back, &found) == MT_OK && !found);
    mt_arena_free(&p.arena);
}

Test(cached_partition, partitions_after_a_metis_failure_are_not_stored)
{
    problem p;
    mt_partition back;
    bool found;
    make(&p);
    p.partition.metis_failures = 1;
    cr_assert_eq(mt_cached_partition_store(p.key, &p.partition), MT_OK);
    cr_assert(mt_cached_partition_find(&p.arena, p.key, p.mesh.n_elements, &back, &found) == MT_OK && !found);
    mt_arena_free(&p.arena);
}

static void expect_other_key(const problem *p, const mt_tiling *tiling, uint32_t ipus, const char *what)
{
    char key[MT_HASH_SIZE];
    find_key(p, tiling, ipus, key);
    cr_expect_str_neq(key, p->key, "%s", what);
}

Test(cached_partition, the_key_depends_on_everything_that_affects_the_partition)
{
    problem p;
    char key[MT_HASH_SIZE], balanced[MT_HASH_SIZE];
    make(&p);
    expect_other_key(&p, &p.tiling, 3, "IPUs");
    mt_tiling other = p.tiling;
    other.method = MT_PARTITION_HIERARCHICAL;
    expect_other_key(&p, &other, 2, "method");
    other = p.tiling, other.tiles = 5;
    expect_other_key(&p, &other, 2, "tiles");
    other = p.tiling, other.imbalance = 1.05;
    expect_other_key(&p, &other, 2, "imbalance");
    other = p.tiling, other.one.tiles = 7;
    expect_other_key(&p, &other, 2, "machine");
    other = p.tiling, other.balance_halo = true;
    expect_other_key(&p, &other, 2, "balance");
    find_key(&p, &other, 2, balanced);
    cr_assert_eq(mt_scheme_find("full", 0, &p.scheme), MT_OK);
    find_key(&p, &other, 2, key);
    cr_expect_str_neq(key, balanced, "scheme, if halos are balanced");
    find_key(&p, &p.tiling, 2, key);
    cr_expect_str_eq(key, p.key, "a scheme without effect");
    p.adjacency.neighbour[0]++;
    expect_other_key(&p, &p.tiling, 2, "adjacency");
    mt_arena_free(&p.arena);
}

Test(cached_partition, the_key_depends_on_positions_if_the_partition_does)
{
    problem p;
    double xyz_mm[9] = {1, 0, 0, 2, 0, 0, 3, 0, 0};
    size_t start[4] = {0};
    const mt_cut_graph graph = {.n_nodes = 3, .start = start, .xyz_mm = xyz_mm};
    char before[MT_HASH_SIZE], after[MT_HASH_SIZE], last[MT_HASH_SIZE] = "";
    make(&p);
    for (int method = MT_PARTITION_FLAT; method <= MT_PARTITION_BISECTION; method++) {
        const bool uses = method >= MT_PARTITION_CURVE;
        p.tiling.method = (mt_partition_method)method;
        cr_assert_eq(mt_cached_partition_key(&p.tiling, &p.scheme, 2, &graph, before), MT_OK);
        xyz_mm[8] += 0.125;
        cr_assert_eq(mt_cached_partition_key(&p.tiling, &p.scheme, 2, &graph, after), MT_OK);
        cr_expect_eq(strcmp(before, after) != 0, uses, "%s", mt_partition_methods[method]);
        cr_expect_str_neq(before, last, "%s", mt_partition_methods[method]);
        strcpy(last, after);
    }
    p.tiling.one.fabric.width++;
    cr_assert_eq(mt_cached_partition_key(&p.tiling, &p.scheme, 2, &graph, after), MT_OK);
    cr_expect_str_neq(after, last, "width");
    mt_arena_free(&p.arena);
}

/* A chain of three vertices, whose weights are the costs of their rows. */
Test(cached_partition, the_key_of_vertices_depends_on_their_edges_and_costs)
{
    problem p;
    char key[MT_HASH_SIZE], other[5][MT_HASH_SIZE];
    size_t start[] = {0, 1, 3, 4};
    uint32_t near[] = {1, 0, 2, 1}, weight[] = {5, 7, 5};
    mt_cut_graph graph = {.n_nodes = 3, .start = start, .near = near, .weight = weight, .together = 6};
    make(&p);
    cr_assert_eq(mt_cached_partition_key(&p.tiling, &p.scheme, 2, &graph, key), MT_OK);
    cr_expect_str_neq(key, p.key);
    for (int k = 0; k < 5; k++) {
        if (k == 0) weight[0]++;
        if (k == 1) near[3] = 0;
        if (k == 2) start[1] = 2;
        if (k == 3) graph.together = 4;
        if (k == 4) graph.weight = NULL;
        cr_assert_eq(mt_cached_partition_key(&p.tiling, &p.scheme, 2, &graph, other[k]), MT_OK);
        cr_expect_str_neq(other[k], k > 0 ? other[k - 1] : key, "change %d", k);
    }
    mt_arena_free(&p.arena);
}
