/* Growth of costs with size: seconds for n, 2 n and 4 n items, reported as ratios to n. Linear costs have ratios of 2 and 4, n
 * log n slightly more, n^2 4 and 16. */
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "benchmarks/benchmarks.h"
#include "data/yaml/yaml.h"
#include "ipu/compile/compile.h"
#include "mesh/adjacency.h"
#include "mesh/cut/repair.h"
#include "mesh/make/slab.h"

/* A task: `prepare` builds the input for n items, `go` does the measured work. */
typedef struct growing {
    const char *of;
    size_t n;
    void *(*prepare)(mt_arena *arena, size_t n);
    void (*go)(mt_arena *arena, void *prepared);
} growing;

/* Prepares each time, because the work may modify its input. */
static double take_growing(void *data)
{
    const growing *g = data;
    mt_arena arena = {0};
    void *prepared = g->prepare(&arena, g->n);
    const double start = bench_processor_s();
    g->go(&arena, prepared);
    const double taken = bench_processor_s() - start;
    mt_arena_free(&arena);
    return taken;
}

/* Returns the bytes that remain in the arena. */
static double take_memory(void *data)
{
    const growing *g = data;
    mt_arena arena = {0};
    void *prepared = g->prepare(&arena, g->n);
    const size_t before = arena.bytes;
    g->go(&arena, prepared);
    const double bytes = (double)(arena.bytes - before);
    mt_arena_free(&arena);
    return bytes;
}

/* Returns a number in [0, 1) by Knuth's linear congruential generator. */
static double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Returns a text of a first line and n copies of a line with its number. */
static void *lines(mt_arena *arena, size_t n, const char *first, const char *line)
{
    const size_t size = strlen(first) + n * (strlen(line) + 24) + 1;
    char *text = bench_take(arena, size, 1);
    size_t used = (size_t)snprintf(text, size, "%s", first);
    for (size_t i = 0; i < n; i++) {
        used += (size_t)snprintf(text + used, size - used, line, i);
    }
    return text;
}

typedef struct entry {
    double x;
    const char *name;
} entry;
typedef struct entries {
    entry *list;
    size_t n;
} entries;
static const mt_yaml_key entry_keys[] = {MT_YAML_DOUBLE(entry, x, "x", NULL, MT_YAML_ANY, "a number"),
    MT_YAML_STRING(entry, name, "name", "none", "a text"), MT_YAML_END};
static const mt_yaml_key list_keys[] = {
    MT_YAML_LIST(entries, list, n, "list", 0, MT_YAML_UNBOUNDED, entry_keys, "entries"), MT_YAML_END};
static const mt_yaml_table list_table = {list_keys, sizeof(entries)};

static void *many_keys(mt_arena *arena, size_t n) { return lines(arena, n, "", "key%zu: 1\n"); }
static void *many_anchors(mt_arena *arena, size_t n)
{
    return lines(arena, n, "", "key%1$zu: &anchor%1$zu 1\n");
}
static void *many_entries(mt_arena *arena, size_t n)
{
    return lines(arena, n, "list:\n", "- {x: %zu, name: \"ten letters\"}\n");
}
static void *many_brackets(mt_arena *arena, size_t n)
{
    char *text = bench_take(arena, n + 8, 1);
    memset(text, '[', n);
    return text;
}

/* Reads the text; it may be refused. */
static void read_yaml(mt_arena *arena, void *text)
{
    entries e;
    (void)!mt_yaml_read(arena, "text", text, &list_table, NULL, 0, &e);
}

static void add_elements(const ipu_span *fields, const void *context) { (void)fields, (void)context; }
static ipu_cycles cost_of_none(const ipu_target *target, const size_t *n, const void *context)
{
    (void)n, (void)context;
    return (ipu_cycles){.entry = target->vertex_entry_cycles, .worker = 1};
}
static const ipu_field two_fields[] = {{"in", IPU_INPUT, IPU_FLOAT}, {"out", IPU_OUTPUT, IPU_FLOAT}};
static const ipu_codelet adder = {
    "add", 2, two_fields, add_elements, cost_of_none, .code_bytes = 64, .vertex_bytes = 16};

/* Returns a graph for four tiles with ample memory. */
static ipu_graph *roomy_graph(mt_arena *arena)
{
    ipu_target target;
    ipu_graph *graph;
    bench_must(ipu_target_load(arena, MT_DATA_DIR "/machines/gc200.yaml", NULL, 0, &target));
    target.tiles = 4;
    target.bytes_per_tile = (size_t)1 << 30;
    target.memory.region0_bytes = (size_t)1 << 29;
    bench_must(ipu_graph_new(arena, &target, &graph));
    return graph;
}

static void connect_adder(
    ipu_graph *graph, uint32_t set, uint32_t tile, const ipu_slice *in, size_t n_in, ipu_slice out)
{
    size_t vertex;
    ipu_tensor tensor;
    bench_must(ipu_graph_add_vertex(graph, set, &adder, tile, NULL, &vertex));
    bench_must(ipu_graph_add_tensor(graph, in, n_in, &tensor));
    bench_must(ipu_graph_connect(graph, vertex, "in", tensor));
    bench_must(ipu_graph_add_tensor(graph, &out, 1, &tensor));
    bench_must(ipu_graph_connect(graph, vertex, "out", tensor));
}

/* Builds n vertices of tile 0, each reading an element of tile 1, one of its own and one that all read. */
static void *many_vertices(mt_arena *arena, size_t n)
{
    ipu_graph *graph = roomy_graph(arena);
    uint32_t far, own, set;
    bench_must(ipu_graph_add_variable(graph, "far", IPU_FLOAT, n, &far));
    bench_must(ipu_graph_add_variable(graph, "own", IPU_FLOAT, 2 * n, &own));
    bench_must(ipu_graph_set_tile_mapping(graph, far, 0, n, 1));
    bench_must(ipu_graph_set_tile_mapping(graph, own, 0, 2 * n, 0));
    bench_must(ipu_graph_add_compute_set(graph, "set", &set));
    for (size_t i = 0; i < n; i++)
        connect_adder(graph, set, 0, (ipu_slice[]){{own, i, 1}, {far, i, 1}, {own, 0, 1}}, 3,
            (ipu_slice){own, n + i, 1});
    return graph;
}

/* Builds n vertices of tile 0 that read the same elements of it; tile 1 reads their output. */
static void *many_readers(mt_arena *arena, size_t n)
{
    ipu_graph *graph = roomy_graph(arena);
    uint32_t read, written, mirror, set;
    bench_must(ipu_graph_add_variable(graph, "read", IPU_FLOAT, 8, &read));
    bench_must(ipu_graph_add_variable(graph, "written", IPU_FLOAT, n, &written));
    bench_must(ipu_graph_add_variable(graph, "mirror", IPU_FLOAT, n, &mirror));
    bench_must(ipu_graph_set_tile_mapping(graph, read, 0, 8, 0));
    bench_must(ipu_graph_set_tile_mapping(graph, written, 0, n, 0));
    bench_must(ipu_graph_set_tile_mapping(graph, mirror, 0, n, 1));
    bench_must(ipu_graph_add_compute_set(graph, "read", &set));
    for (size_t i = 0; i < n; i++)
        connect_adder(graph, set, 0, (ipu_slice[]){{read, 0, 8}}, 1, (ipu_slice){written, i, 1});
    for (size_t i = 0; i < n; i++)
        connect_adder(graph, set, 1, (ipu_slice[]){{read, i % 8, 1}}, 1, (ipu_slice){mirror, i, 1});
    return graph;
}

/* Builds n variables on two tiles and n compute sets, each with a vertex that reads a variable of the other tile. */
static void *many_variables(mt_arena *arena, size_t n)
{
    ipu_graph *graph = roomy_graph(arena);
    for (size_t i = 0; i < n; i++) {
        char name[32];
        uint32_t v, set;
        (void)snprintf(name, sizeof name, "name%zu", i);
        bench_must(ipu_graph_add_variable(graph, name, IPU_FLOAT, 4 + i % 7, &v));
        bench_must(ipu_graph_set_tile_mapping(graph, v, 0, 2, 0));
        bench_must(ipu_graph_set_tile_mapping(graph, v, 2, 2 + i % 7, 1));
        bench_must(ipu_graph_add_compute_set(graph, name, &set));
        connect_adder(graph, set, 0, (ipu_slice[]){{v, 2, 2 + i % 7}}, 1, (ipu_slice){v, 0, 2});
    }
    return graph;
}

/* On a complete GC200, each tile receives an equal share of n fragments of four elements from random tiles. */
static void *many_fragments(mt_arena *arena, size_t n)
{
    enum { PART = 512, LONG = 4 };
    ipu_target target;
    ipu_graph *graph;
    uint32_t own, sum, set;
    uint64_t state = 1;
    bench_must(ipu_target_load(arena, MT_DATA_DIR "/machines/gc200.yaml", NULL, 0, &target));
    const size_t tiles = target.tiles, each = n / tiles;
    ipu_slice *in = bench_take(arena, each + 1, sizeof *in);
    bench_must(ipu_graph_new(arena, &target, &graph));
    bench_must(ipu_graph_add_variable(graph, "own", IPU_FLOAT, tiles * PART, &own));
    bench_must(ipu_graph_add_variable(graph, "sum", IPU_FLOAT, tiles, &sum));
    bench_must(ipu_graph_add_compute_set(graph, "set", &set));
    for (uint32_t t = 0; t < tiles; t++) {
        bench_must(ipu_graph_set_tile_mapping(graph, own, t * (size_t)PART, PART, t));
        bench_must(ipu_graph_set_tile_mapping(graph, sum, t, 1, t));
    }
    for (uint32_t t = 0; t < tiles; t++) {
        in[0] = (ipu_slice){own, t * (size_t)PART, PART};
        for (size_t i = 1; i <= each; i++) {
            const size_t from = (t + 1 + (size_t)(draw(&state) * (double)(tiles - 1))) % tiles;
            in[i] = (ipu_slice){own, from * PART + (size_t)(draw(&state) * (PART - LONG)), LONG};
        }
        connect_adder(graph, set, t, in, each + 1, (ipu_slice){sum, t, 1});
    }
    return graph;
}

static void compile_graph(mt_arena *arena, void *graph)
{
    ipu_executable *executable;
    bench_must(ipu_compile(arena, graph, NULL, 0, &executable));
}

/* A slab of about n elements, for parts of 16 elements. */
typedef struct uneven {
    mt_adjacency slab;
    uint32_t *part, n_parts;
} uneven;

static uneven *make_uneven(mt_arena *arena, size_t n)
{
    mt_mesh mesh;
    uneven *u = bench_take(arena, 1, sizeof *u);
    const double size_mm = cbrt((double)n / 6);
    bench_must(mt_slab_make(arena, (double[]){round(size_mm), round(size_mm), round(size_mm)}, 1, &mesh));
    bench_must(mt_adjacency_make(arena, &mesh, &u->slab));
    u->n_parts = (uint32_t)(mesh.n_elements / 16);
    u->part = bench_take(arena, mesh.n_elements, sizeof *u->part);
    return u;
}

/* Assigns all elements to one part, as a partitioner may do. */
static void *one_full_part(mt_arena *arena, size_t n) { return make_uneven(arena, n); }

/* Assigns to every second part three quarters of the elements of two parts. */
static void *uneven_parts(mt_arena *arena, size_t n)
{
    uneven *u = make_uneven(arena, n);
    for (size_t c = 0; c < u->slab.n_elements; c++) {
        const size_t part = c / 32 * 2 + (c % 32 >= 24);
        u->part[c] = part < u->n_parts ? (uint32_t)part : u->n_parts - 1;
    }
    return u;
}

static void repair_parts(mt_arena *arena, void *prepared)
{
    uneven *u = prepared;
    size_t moves;
    const mt_cut_graph graph = mt_cut_graph_of(&u->slab);
    (void)arena;
    bench_must(mt_repair_parts(&graph, u->n_parts, 1, 17, u->part, &moves));
}

static const growing all[] = {{"keys of a YAML file", 40000, many_keys, read_yaml},
    {"anchors of a YAML file", 40000, many_anchors, read_yaml},
    {"entries of a YAML list", 10000, many_entries, read_yaml},
    {"brackets that YAML opens", 100000, many_brackets, read_yaml},
    {"vertices of a tile that receive", 16000, many_vertices, compile_graph},
    {"vertices of a tile that read one place", 16000, many_readers, compile_graph},
    {"variables with compute sets", 2000, many_variables, compile_graph},
    {"fragments on 1,472 tiles", 250000, many_fragments, compile_graph},
    {"elements, half of the parts too large", 400000, uneven_parts, repair_parts},
    {"elements that are all in one part", 4000, one_full_part, repair_parts}};
enum { ALL = sizeof all / sizeof all[0], TIMES = 3 };

void bench_growth(bench_list *list, const char *mesh)
{
    growing each[ALL][TIMES];
    (void)mesh;
    /* Keep freed memory in the process: new pages cost kernel time, and their number would depend on earlier frees. */
    (void)mallopt(M_MMAP_MAX, 0);
    (void)mallopt(M_TRIM_THRESHOLD, INT_MAX);
    for (size_t k = 0; k < ALL; k++)
        for (int first = 0, t = 0; t < TIMES; t++) {
            each[k][t] = all[k];
            each[k][t].n <<= t;
            const int number = bench_add(list,
                (bench_figure){
                    .unit = "s", .take = take_growing, .data = &each[k][t], .items = 1, .baseline = first},
                "%zu %s", each[k][t].n, all[k].of);
            if (t == 0) first = number;
        }
    growing fragments = {.n = 1000000, .prepare = many_fragments, .go = compile_graph};
    (void)bench_add(list,
        (bench_figure){
            .unit = "B/fragment", .take = take_memory, .data = &fragments, .items = (double)fragments.n},
        "memory of an executable, a fragment");
    bench_measure(list);
}
