#include "mesh/files/gmsh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/order.h"
#include "data/files/file.h"
#include "data/files/scan.h"
#include "mesh/repair/repeats.h"
#include "mesh/triangles.h"
#include "mesh/names.h"
#include "mesh/vtk/directions.h"
#include "mesh/files/gmsh_data.h"
#include "mesh/tags.h"

/* Layouts follow the Gmsh reference manual, "MSH file format" (4.1) and "MSH file format version 2". */

enum { LINE = 1, TRIANGLE = 2, TETRAHEDRON = 4, POINT = 15 };

/* Quadratic elements; their corners come first. */
enum { LINE_3 = 8, TRIANGLE_6 = 9, TETRAHEDRON_10 = 11, NODES_MOST = 10 };

/* ---- reading ---- */

/* An entity of one dimension and its physical tags. */
typedef struct entity {
    int64_t tag;
    int32_t whole; /* parent entity of the same dimension; its own tag if it has none */
    size_t n_physical;
    int32_t *physical; /* [n_physical] */
    bool border;       /* True if it is between partitions */
} entity;

/* The entities of a section, by dimension and in ascending order of tags. */
typedef struct listing {
    bool there;
    size_t n[4];
    entity *of[4];
} listing;

/* Consecutive triangles of an entity with more than one physical tag. */
typedef struct shared_faces {
    size_t first, n;
    const entity *of;
    struct shared_faces *next; /* the previous range; NULL if it is the first */
} shared_faces;

typedef struct node {
    int64_t tag;
    uint32_t index;
} node;

/* State of the reader; arrays are in the scratch arena. */
typedef struct reader {
    mt_scan scan;
    mt_arena *scratch;
    double unit_mm;
    bool old;    /* version 2 */
    bool binary; /* True if the data of sections are binary */
    bool has_nodes, has_elements;
    listing wholes, parts; /* $Entities and $PartitionedEntities */
    size_t n_ghosts;
    entity *ghosts;                  /* [n_ghosts] of copied elements, ascending by tag */
    size_t n_nodes, n_nodes_counted; /* in version 4 the header may count too many */
    double *xyz_mm;                  /* [n_nodes][3] */
    node *nodes;                     /* [n_nodes] ascending by tag */
    size_t n_elements, n_tetrahedra, n_faces;
    uint32_t *tetrahedron_vertex; /* [n_elements][4] node indices; the allocated length is an upper bound */
    int32_t *region;
    int64_t *number; /* [n_elements] numbers of the tetrahedra in the file */
    uint32_t *face_vertex;
    int32_t *face_tag;    /* [n_faces] the first of their physical tags */
    shared_faces *shared; /* the last range; NULL if there is none */
    const entity *of;     /* version 4: the entity of the current elements, or NULL */
    mt_mesh named;        /* the names, and the groups of [n_elements], of the file */
    size_t n_group_lost;  /* memberships lost because there are too many groups */
    size_t n_curved;
    uint8_t *on_edge; /* [n_nodes] nonzero for nodes on edges of curved elements; NULL if there are none */
    mt_gmsh_arrays arrays;
} reader;

/* Skips to the end of a section. Begin and end of a section are text, even if the data are binary. */
static mt_status end_section(reader *r, const char *name)
{
    char mark[80];
    r->scan.binary = false;
    (void)snprintf(mark, sizeof mark, "$End%s", name);
    if (mt_scan_skip_past(&r->scan, mark)) return MT_OK;
    return mt_scan_fail(&r->scan, "section $%s has no %s; the file may be truncated", name, mark);
}

/* Reads the end mark of a section, which must follow immediately: its counts agree with its content. */
static mt_status expect_end(reader *r, const char *name)
{
    char mark[80], word[80];
    (void)snprintf(mark, sizeof mark, "$End%s", name);
    const bool binary = r->scan.binary;
    const mt_scan before = r->scan;
    r->scan.binary = false;
    mt_scan_word(&r->scan, word, sizeof word);
    if (strcmp(word, mark) == 0) return MT_OK;
    if (!binary) return mt_scan_fail(&r->scan, "'%.40s'; expected: %s", word, mark);
    r->scan = before;
    return mt_scan_fail(&r->scan, "section $%s does not have the content that it counts", name);
}

static mt_status read_format(reader *r)
{
    char version[8];
    int64_t binary, bytes, one;
    mt_scan_word(&r->scan, version, sizeof version);
    const bool v2 =
        strcmp(version, "2") == 0 ||
        (version[0] == '2' && version[1] == '.' && version[2] >= '0' && version[2] <= '2' && version[3] == 0);
    if (!v2 && strcmp(version, "4.1") != 0)
        return mt_scan_fail(&r->scan,
            "MSH version '%s'; allowed: 2 to 2.2 and 4.1 (Gmsh converts: gmsh IN -save -format msh41 -o OUT)",
            version);
    r->old = v2;
    MT_TRY(mt_scan_int(&r->scan, "file type (0 text, 1 binary)", 0, 1, &binary));
    MT_TRY(mt_scan_int(&r->scan, "data size", 8, 8, &bytes));
    r->binary = binary == 1;
    if (r->binary) {
        mt_scan_next_line(&r->scan);
        r->scan.binary = true;
        MT_TRY(mt_scan_int(&r->scan, "binary 1 that indicates the byte order", INT32_MIN, INT32_MAX, &one));
        if (one == 1 << 24)
            return mt_scan_fail(&r->scan, "the file is big-endian; allowed: little-endian binary");
        if (one != 1)
            return mt_scan_fail(
                &r->scan, "the binary 1 that indicates the byte order is %lld", (long long)one);
    }
    return expect_end(r, "MeshFormat");
}

/* Switches to the encoding of a section's data. */
static void begin_data(reader *r, bool header_is_text)
{
    if (!r->binary) return;
    if (header_is_text) mt_scan_next_line(&r->scan);
    r->scan.binary = true;
}

MT_ORDER(by_entity_tag, entity, tag)

MT_ORDER(by_node_tag, node, tag)

static mt_status skip_ints(reader *r, size_t n)
{
    int64_t unused;
    for (size_t k = 0; k < n; k++)
        MT_TRY(mt_scan_int(&r->scan, "tag of an entity", INT32_MIN, INT32_MAX, &unused));
    return MT_OK;
}

/* Reads the parent of a part, and its partitions. */
static mt_status read_parent(reader *r, int dimension, entity *e)
{
    int64_t parent_dimension, parent;
    size_t n;
    MT_TRY(mt_scan_int(&r->scan, "dimension of a parent", 0, 3, &parent_dimension));
    MT_TRY(mt_scan_int(&r->scan, "tag of a parent", INT32_MIN, INT32_MAX, &parent));
    if (parent_dimension == dimension) e->whole = (int32_t)parent;
    e->border = parent_dimension > dimension;
    MT_TRY(mt_scan_count(&r->scan, "number of partitions", r->binary ? 4 : 2, &n));
    return skip_ints(r, n);
}

/* Reads physical tags. The sign of a physical tag is an orientation, and is dropped. */
static mt_status read_physical(reader *r, entity *e)
{
    int64_t tag;
    MT_TRY(mt_scan_count(&r->scan, "number of physical tags", r->binary ? 4 : 2, &e->n_physical));
    if (e->n_physical > 0) MT_ALLOC(r->scratch, e->physical, e->n_physical);
    for (size_t k = 0; k < e->n_physical; k++) {
        MT_TRY(mt_scan_int(&r->scan, "physical tag", -INT32_MAX, INT32_MAX, &tag));
        e->physical[k] = (int32_t)(tag < 0 ? -tag : tag);
    }
    return MT_OK;
}

static mt_status read_entity(reader *r, int dimension, bool part, entity *e)
{
    double unused;
    size_t n;
    MT_TRY(mt_scan_int(&r->scan, "tag of an entity", INT32_MIN, INT32_MAX, &e->tag));
    e->whole = (int32_t)e->tag;
    if (part) MT_TRY(read_parent(r, dimension, e));
    for (int k = 0; k < (dimension == 0 ? 3 : 6); k++)
        MT_TRY(mt_scan_real(&r->scan, "extent of an entity", 1e300, &unused));
    MT_TRY(read_physical(r, e));
    if (dimension == 0) return MT_OK;
    MT_TRY(mt_scan_count(&r->scan, "number of bounding entities", r->binary ? 4 : 2, &n));
    return skip_ints(r, n);
}

/* Reads the entities of a section, each of which must be unique. */
static mt_status read_listing(reader *r, bool parts, listing *l)
{
    for (int d = 0; d < 4; d++)
        MT_TRY(mt_scan_count(&r->scan, "number of entities", r->binary ? 36 : 10, &l->n[d]));
    for (int d = 0; d < 4; d++) {
        MT_ALLOC(r->scratch, l->of[d], l->n[d]);
        for (size_t k = 0; k < l->n[d]; k++) MT_TRY(read_entity(r, d, parts, &l->of[d][k]));
        qsort(l->of[d], l->n[d], sizeof(entity), by_entity_tag);
        for (size_t k = 1; k < l->n[d]; k++)
            if (l->of[d][k].tag == l->of[d][k - 1].tag)
                return mt_scan_fail(
                    &r->scan, "duplicate entity %lld of dimension %d", (long long)l->of[d][k].tag, d);
    }
    l->there = true;
    return MT_OK;
}

static mt_status read_entities(reader *r)
{
    begin_data(r, true);
    MT_TRY(read_listing(r, false, &r->wholes));
    return expect_end(r, "Entities");
}

/* Reads the entities of a mesh partitioned by Gmsh; its elements belong to these. */
static mt_status read_partitioned_entities(reader *r)
{
    int64_t unused;
    begin_data(r, true);
    MT_TRY(mt_scan_long(&r->scan, "number of partitions", 0, INT32_MAX, &unused));
    MT_TRY(mt_scan_count(&r->scan, "number of ghost entities", r->binary ? 8 : 4, &r->n_ghosts));
    MT_ALLOC(r->scratch, r->ghosts, r->n_ghosts);
    for (size_t k = 0; k < r->n_ghosts; k++) {
        MT_TRY(mt_scan_int(&r->scan, "tag of an entity", INT32_MIN, INT32_MAX, &r->ghosts[k].tag));
        MT_TRY(mt_scan_int(&r->scan, "number of a partition", INT32_MIN, INT32_MAX, &unused));
    }
    qsort(r->ghosts, r->n_ghosts, sizeof *r->ghosts, by_entity_tag);
    MT_TRY(read_listing(r, true, &r->parts));
    return expect_end(r, "PartitionedEntities");
}

static const entity *find_entity(const entity *entities, size_t n, int64_t tag)
{
    const entity key = {.tag = tag};
    return n > 0 ? bsearch(&key, entities, n, sizeof key, by_entity_tag) : NULL;
}

/* Returns the entity that defines the physical tags of the elements of an entity; NULL if they have none. A border has none:
 * it repeats the tags of its volume. */
static const entity *owner_of(const reader *r, int64_t dimension, int64_t tag)
{
    const entity *part = find_entity(r->parts.of[dimension], r->parts.n[dimension], tag);
    if (part && part->border) return NULL;
    const entity *whole =
        find_entity(r->wholes.of[dimension], r->wholes.n[dimension], part ? part->whole : tag);
    const entity *owner = whole && whole->n_physical > 0 ? whole : part;
    return owner && owner->n_physical > 0 ? owner : NULL;
}

/* Reads the names, "dimension tag "name"" each, which are text even in binary files. */
static mt_status read_names(reader *r)
{
    size_t n;
    int64_t dimension, tag;
    MT_TRY(mt_scan_count(&r->scan, "number of physical names", 5, &n));
    for (size_t k = 0; k < n; k++) {
        MT_TRY(mt_scan_int(&r->scan, "dimension of a name", 0, 3, &dimension));
        MT_TRY(mt_scan_int(&r->scan, "physical tag of a name", -INT32_MAX, INT32_MAX, &tag));
        const char *line_end = memchr(r->scan.at, '\n', mt_scan_left(&r->scan));
        if (!line_end) line_end = r->scan.end;
        const char *begin = memchr(r->scan.at, '"', (size_t)(line_end - r->scan.at));
        while (line_end > r->scan.at && *--line_end != '"') {}
        if (!begin || begin == line_end)
            return mt_scan_fail(&r->scan, "physical tag %lld has no name in double quotes", (long long)tag);
        if (dimension >= 2)
            MT_TRY(mt_fail_in(r->scan.path,
                mt_names_put(r->scratch, &r->named, (int32_t)dimension, (int32_t)(tag < 0 ? -tag : tag),
                    begin + 1, (size_t)(line_end - begin - 1))));
        mt_scan_next_line(&r->scan);
    }
    return expect_end(r, "PhysicalNames");
}

static mt_status read_xyz(reader *r, size_t n)
{
    for (int k = 0; k < 3; k++) {
        double x;
        MT_TRY(mt_scan_real(&r->scan, "coordinate", mt_mesh_far_mm / r->unit_mm, &x));
        r->xyz_mm[3 * n + (size_t)k] = x * r->unit_mm;
    }
    return MT_OK;
}

static mt_status take_nodes(reader *r, size_t n)
{
    if (n >= UINT32_MAX) return mt_scan_fail(&r->scan, "%zu nodes; allowed: fewer than %u", n, UINT32_MAX);
    r->n_nodes = n;
    MT_ALLOC(r->scratch, r->xyz_mm, 3 * n);
    MT_ALLOC(r->scratch, r->nodes, n);
    return MT_OK;
}

static mt_status read_nodes_2(reader *r)
{
    size_t n;
    MT_TRY(mt_scan_count(&r->scan, "number of nodes", r->binary ? 28 : 8, &n));
    MT_TRY(take_nodes(r, n));
    begin_data(r, true);
    for (size_t k = 0; k < n; k++) {
        MT_TRY(mt_scan_int(&r->scan, "number of a node", 0, INT64_MAX, &r->nodes[k].tag));
        r->nodes[k].index = (uint32_t)k;
        MT_TRY(read_xyz(r, k));
    }
    return MT_OK;
}

/* Reads a block: the tags of its nodes, then their coordinates, each with its parameters if the block is parametric. */
static mt_status read_node_block(reader *r, size_t *done)
{
    int64_t dimension, entity_tag, parametric;
    double unused;
    size_t n;
    MT_TRY(mt_scan_int(&r->scan, "dimension of an entity", 0, 3, &dimension));
    MT_TRY(mt_scan_int(&r->scan, "tag of an entity", INT32_MIN, INT32_MAX, &entity_tag));
    MT_TRY(mt_scan_int(&r->scan, "parametric (0 or 1)", 0, 1, &parametric));
    MT_TRY(mt_scan_count(&r->scan, "number of nodes of an entity", r->binary ? 32 : 8, &n));
    if (n > r->n_nodes - *done)
        return mt_scan_fail(&r->scan, "%zu nodes of an entity; $Nodes counts %zu, %zu of them already read",
            n, r->n_nodes, *done);
    for (size_t k = *done; k < *done + n; k++) {
        MT_TRY(mt_scan_long(&r->scan, "tag of a node", 0, INT64_MAX, &r->nodes[k].tag));
        r->nodes[k].index = (uint32_t)k;
    }
    for (size_t k = *done; k < *done + n; k++) {
        MT_TRY(read_xyz(r, k));
        for (int64_t p = 0; parametric && p < dimension; p++)
            MT_TRY(mt_scan_real(&r->scan, "parameter of a node", 1e300, &unused));
    }
    *done += n;
    return MT_OK;
}

/* Reads the nodes. Gmsh 4.8 counts too many nodes in a mesh that it read without boundaries of volumes and saves without its
 * untagged elements. */
static mt_status read_nodes_4(reader *r)
{
    size_t n_blocks, n, done = 0;
    int64_t unused;
    begin_data(r, true);
    MT_TRY(mt_scan_count(&r->scan, "number of blocks of nodes", r->binary ? 20 : 8, &n_blocks));
    MT_TRY(mt_scan_count(&r->scan, "number of nodes", r->binary ? 32 : 8, &n));
    MT_TRY(mt_scan_long(&r->scan, "smallest node tag", 0, INT64_MAX, &unused));
    MT_TRY(mt_scan_long(&r->scan, "largest node tag", 0, INT64_MAX, &unused));
    MT_TRY(take_nodes(r, n));
    for (size_t b = 0; b < n_blocks; b++) MT_TRY(read_node_block(r, &done));
    r->n_nodes_counted = n;
    r->n_nodes = done;
    return MT_OK;
}

static mt_status read_nodes(reader *r)
{
    if (r->has_nodes) return mt_scan_fail(&r->scan, "a second section $Nodes; allowed: one");
    MT_TRY(r->old ? read_nodes_2(r) : read_nodes_4(r));
    bool ascending = true;
    for (size_t k = 1; k < r->n_nodes; k++) ascending = ascending && r->nodes[k].tag > r->nodes[k - 1].tag;
    if (!ascending) qsort(r->nodes, r->n_nodes, sizeof *r->nodes, by_node_tag);
    for (size_t k = 1; k < r->n_nodes; k++)
        if (r->nodes[k].tag == r->nodes[k - 1].tag)
            return mt_scan_fail(&r->scan, "duplicate node %lld", (long long)r->nodes[k].tag);
    r->has_nodes = true;
    return expect_end(r, "Nodes");
}

/* Finds a node by its tag, in constant time if the tags have no gaps. */
static const node *find_node(const reader *r, int64_t tag)
{
    const node key = {.tag = tag};
    if (r->n_nodes == 0 || tag < r->nodes[0].tag) return NULL;
    const uint64_t guess = (uint64_t)(tag - r->nodes[0].tag);
    if (guess < r->n_nodes && r->nodes[guess].tag == tag) return &r->nodes[guess];
    return bsearch(&key, r->nodes, r->n_nodes, sizeof key, by_node_tag);
}

/* Reads the n vertices of an element. */
static mt_status read_vertices(reader *r, int n, uint32_t *vertex)
{
    for (int k = 0; k < n; k++) {
        int64_t tag;
        MT_TRY(r->old ? mt_scan_int(&r->scan, "node of an element", 0, INT64_MAX, &tag)
                      : mt_scan_long(&r->scan, "node of an element", 0, INT64_MAX, &tag));
        const node *found = find_node(r, tag);
        if (!found)
            return mt_scan_fail(&r->scan, "an element has node %lld, which is not in $Nodes", (long long)tag);
        vertex[k] = found->index;
    }
    return MT_OK;
}

/* Reads the `corners` corners of an element, followed by the nodes on its edges if it is curved. */
static mt_status read_corners(reader *r, int corners, int nodes, uint32_t *vertex)
{
    uint32_t all[NODES_MOST];
    MT_TRY(read_vertices(r, nodes, all));
    memcpy(vertex, all, (size_t)corners * sizeof *vertex);
    if (nodes == corners) return MT_OK;
    if (!r->on_edge) MT_ALLOC(r->scratch, r->on_edge, r->n_nodes);
    for (int k = corners; k < nodes; k++) r->on_edge[all[k]] = 1;
    r->n_curved++;
    return MT_OK;
}

/* Stores the additional physical tags of the last tetrahedron. */
static mt_status keep_groups(reader *r)
{
    bool full;
    for (size_t k = 1; k < r->of->n_physical; k++) {
        const int32_t tag = r->of->physical[k];
        if (tag == 0 || tag == r->of->physical[0]) continue;
        MT_TRY(mt_groups_put(r->scratch, &r->named, tag, r->n_tetrahedra - 1, &full));
        r->n_group_lost += full;
    }
    return MT_OK;
}

/* Records the triangles from number `first` on if their entity has additional physical tags. */
static mt_status keep_shared(reader *r, size_t first)
{
    shared_faces *faces;
    if (r->n_faces == first || r->of->n_physical == 1) return MT_OK;
    if (r->of->n_physical > MT_GROUPS_MAX)
        return mt_scan_fail(&r->scan, "triangles of %zu physical groups; allowed: at most %d",
            r->of->n_physical, MT_GROUPS_MAX);
    MT_ALLOC(r->scratch, faces, 1);
    *faces = (shared_faces){first, r->n_faces - first, r->of, r->shared};
    r->shared = faces;
    return MT_OK;
}

/* Reads the vertices of an element; stores tetrahedra and tagged triangles. */
static mt_status read_element(reader *r, int64_t type, int64_t number, int32_t physical)
{
    uint32_t unused[3];
    if (type == POINT) return read_vertices(r, 1, unused);
    if (type == LINE || type == LINE_3) return read_vertices(r, type == LINE ? 2 : 3, unused);
    if (type == TRIANGLE || type == TRIANGLE_6) {
        MT_TRY(read_corners(r, 3, type == TRIANGLE ? 3 : 6, r->face_vertex + 3 * r->n_faces));
        r->face_tag[r->n_faces] = physical;
        r->n_faces += physical != 0;
        return MT_OK;
    }
    MT_TRY(read_corners(r, 4, type == TETRAHEDRON ? 4 : 10, r->tetrahedron_vertex + 4 * r->n_tetrahedra));
    r->number[r->n_tetrahedra] = number;
    r->region[r->n_tetrahedra++] = physical;
    return r->of ? keep_groups(r) : MT_OK;
}

static mt_status check_type(const reader *r, int64_t type)
{
    static const char *const names[] = {[3] = " (quadrangle)",
        [5] = " (hexahedron)",
        [6] = " (prism)",
        [7] = " (pyramid)",
        [29] = " (tetrahedron of 20 nodes)"};
    static const int64_t allowed[] = {POINT, LINE, TRIANGLE, TETRAHEDRON, LINE_3, TRIANGLE_6, TETRAHEDRON_10};
    for (size_t k = 0; k < sizeof allowed / sizeof *allowed; k++)
        if (type == allowed[k]) return MT_OK;
    const char *name = (size_t)type < sizeof names / sizeof *names ? names[type] : NULL;
    return mt_scan_fail(&r->scan,
        "an element of Gmsh's type %lld%s; allowed: tetrahedra (4, 11), triangles (2, 9), points (15) and "
        "lines (1, 8)",
        (long long)type, name ? name : "");
}

static mt_status take_elements(reader *r, size_t n)
{
    if (n >= UINT32_MAX) return mt_scan_fail(&r->scan, "%zu elements; allowed: fewer than %u", n, UINT32_MAX);
    r->n_elements = n;
    MT_ALLOC(r->scratch, r->tetrahedron_vertex, 4 * n);
    MT_ALLOC(r->scratch, r->region, n);
    r->named.n_elements = n;
    r->named.region = r->region;
    MT_ALLOC(r->scratch, r->number, n);
    MT_ALLOC(r->scratch, r->face_vertex, 3 * n);
    MT_ALLOC(r->scratch, r->face_tag, n);
    return MT_OK;
}

/* Reads the tags of an element of version 2; the first is the physical one. */
static mt_status read_tags(reader *r, int64_t n, int32_t *physical)
{
    int64_t tag;
    *physical = 0;
    for (int64_t k = 0; k < n; k++) {
        MT_TRY(mt_scan_int(&r->scan, "tag of an element", -INT32_MAX, INT32_MAX, &tag));
        if (k == 0) *physical = (int32_t)(tag < 0 ? -tag : tag);
    }
    return MT_OK;
}

/* Reads the elements of version 2. Text: "number type n_tags tags nodes" for each. Binary: "type count n_tags", then `count`
 * times "number tags nodes". */
static mt_status read_elements_2(reader *r)
{
    size_t n;
    int64_t number, type, n_tags, count = 1;
    int32_t physical;
    MT_TRY(mt_scan_count(&r->scan, "number of elements", 8, &n));
    MT_TRY(take_elements(r, n));
    begin_data(r, true);
    for (size_t done = 0; done < n;) {
        if (!r->binary) MT_TRY(mt_scan_int(&r->scan, "number of an element", 0, INT64_MAX, &number));
        MT_TRY(mt_scan_int(&r->scan, "type of an element", 0, INT32_MAX, &type));
        MT_TRY(check_type(r, type));
        if (r->binary)
            MT_TRY(mt_scan_int(&r->scan, "number of elements that follow", 1, (int64_t)(n - done), &count));
        MT_TRY(mt_scan_int(&r->scan, "number of tags", 0, 1000, &n_tags));
        for (int64_t k = 0; k < count; k++, done++) {
            if (r->binary) MT_TRY(mt_scan_int(&r->scan, "number of an element", 0, INT32_MAX, &number));
            MT_TRY(read_tags(r, n_tags, &physical));
            MT_TRY(read_element(r, type, number, physical));
        }
    }
    return MT_OK;
}

static mt_status read_element_block(reader *r, size_t *done)
{
    int64_t dimension, entity_tag, type, number;
    size_t n;
    MT_TRY(mt_scan_int(&r->scan, "dimension of an entity", 0, 3, &dimension));
    MT_TRY(mt_scan_int(&r->scan, "tag of an entity", INT32_MIN, INT32_MAX, &entity_tag));
    MT_TRY(mt_scan_int(&r->scan, "type of an element", 0, INT32_MAX, &type));
    MT_TRY(check_type(r, type));
    MT_TRY(mt_scan_count(&r->scan, "number of elements of an entity", r->binary ? 16 : 4, &n));
    if (n > r->n_elements - *done)
        return mt_scan_fail(&r->scan,
            "%zu elements of an entity; $Elements counts %zu, %zu of them already read", n, r->n_elements,
            *done);
    if (n > 0 && dimension == 3 && find_entity(r->ghosts, r->n_ghosts, entity_tag))
        return mt_scan_fail(&r->scan,
            "%zu ghost elements (copies from other partitions); allowed: the complete mesh in one file, "
            "without ghosts (gmsh -part N without -part_split)",
            n);
    r->of = owner_of(r, dimension, entity_tag);
    const int32_t physical = r->of ? r->of->physical[0] : 0;
    const size_t n_faces = r->n_faces;
    for (size_t k = 0; k < n; k++) {
        MT_TRY(mt_scan_long(&r->scan, "tag of an element", 0, INT64_MAX, &number));
        MT_TRY(read_element(r, type, number, physical));
    }
    *done += n;
    return keep_shared(r, n_faces);
}

static mt_status read_elements_4(reader *r)
{
    size_t n_blocks, n, done = 0;
    int64_t unused;
    begin_data(r, true);
    MT_TRY(mt_scan_count(&r->scan, "number of blocks of elements", r->binary ? 20 : 8, &n_blocks));
    MT_TRY(mt_scan_count(&r->scan, "number of elements", r->binary ? 16 : 4, &n));
    MT_TRY(mt_scan_long(&r->scan, "smallest element tag", 0, INT64_MAX, &unused));
    MT_TRY(mt_scan_long(&r->scan, "largest element tag", 0, INT64_MAX, &unused));
    MT_TRY(take_elements(r, n));
    for (size_t b = 0; b < n_blocks; b++) MT_TRY(read_element_block(r, &done));
    if (done == n) return MT_OK;
    return mt_scan_fail(&r->scan, "the blocks of $Elements have %zu elements; it counts %zu", done, n);
}

static mt_status read_elements(reader *r)
{
    if (!r->has_nodes) return mt_scan_fail(&r->scan, "$Elements before $Nodes; allowed: after them");
    if (r->has_elements) return mt_scan_fail(&r->scan, "a second section $Elements; allowed: one");
    MT_TRY(r->old ? read_elements_2(r) : read_elements_4(r));
    r->has_elements = true;
    return expect_end(r, "Elements");
}

/* Checks the place of a section of entities in version 4: it is unique and precedes the elements. */
static mt_status check_listing(const reader *r, const char *name, const listing *l)
{
    if (l->there) return mt_scan_fail(&r->scan, "a second section $%s; allowed: one", name);
    if (r->has_elements) return mt_scan_fail(&r->scan, "$%s after $Elements; allowed: before them", name);
    return MT_OK;
}

/* Reads values of elements or nodes. */
static mt_status read_values(reader *r, const char *name)
{
    MT_TRY(mt_gmsh_data_read(r->scratch, &r->scan, r->binary, name[0] == 'N', &r->arrays));
    return end_section(r, name);
}

static mt_status read_section(reader *r, const char *name)
{
    if (strcmp(name, "ElementData") == 0 || strcmp(name, "NodeData") == 0) return read_values(r, name);
    const bool parts = strcmp(name, "PartitionedEntities") == 0;
    if (strcmp(name, "PhysicalNames") == 0) return read_names(r);
    if (strcmp(name, "Nodes") == 0) return read_nodes(r);
    if (strcmp(name, "Elements") == 0) return read_elements(r);
    if (r->old || (!parts && strcmp(name, "Entities") != 0)) return end_section(r, name);
    MT_TRY(check_listing(r, name, parts ? &r->parts : &r->wholes));
    return parts ? read_partitioned_entities(r) : read_entities(r);
}

static mt_status read_file(reader *r)
{
    char word[72];
    mt_scan_word(&r->scan, word, sizeof word);
    if (strcmp(word, "$MeshFormat") != 0)
        return mt_scan_fail(&r->scan, "not an MSH file: it does not begin with $MeshFormat");
    MT_TRY(read_format(r));
    for (;;) {
        mt_scan_word(&r->scan, word, sizeof word);
        if (!word[0]) break;
        if (word[0] != '$')
            return mt_scan_fail(&r->scan, "'%.20s'; expected: a section, which begins with $", word);
        MT_TRY(read_section(r, word + 1));
    }
    if (r->has_elements && r->n_tetrahedra > 0) return MT_OK;
    return mt_fail(MT_INPUT, "%s: has no tetrahedra", r->scan.path);
}

/* Numbers the vertices in use in new_index[n_nodes], with UINT32_MAX for the others. Returns the number of vertices in use. */
static size_t number_vertices(const reader *r, uint32_t *new_index)
{
    size_t used = 0;
    for (size_t k = 0; k < 4 * r->n_tetrahedra; k++) new_index[r->tetrahedron_vertex[k]] = 1;
    for (size_t k = 0; k < 3 * r->n_faces; k++) new_index[r->face_vertex[k]] = 1;
    for (size_t k = 0; k < r->n_nodes; k++) new_index[k] = new_index[k] ? (uint32_t)used++ : UINT32_MAX;
    return used;
}

/* ---- directions of elements and nodes ---- */

static const mt_gmsh_data *directions(const reader *r, mt_vtk_role role)
{
    return r->arrays.of_elements[role].is ? &r->arrays.of_elements[role] : &r->arrays.of_nodes[role];
}

/* Computes tags[n_nodes], the tag of each node. */
static mt_status tags_of_nodes(const reader *r, int64_t **tags)
{
    MT_ALLOC(r->scratch, *tags, r->n_nodes);
    for (size_t k = 0; k < r->n_nodes; k++) (*tags)[r->nodes[k].index] = r->nodes[k].tag;
    return MT_OK;
}

/* Computes the direction of tetrahedron c; 0 if the file has none for it. Returns true if the directions at its nodes differ
 * strongly. */
static bool find_direction(
    const reader *r, mt_vtk_role role, const int64_t *node_tag, size_t c, double direction[3])
{
    static const double none[3] = {0};
    const mt_gmsh_data *data = directions(r, role);
    const double *of_node[4];
    if (data == &r->arrays.of_elements[role]) {
        const double *found = mt_gmsh_data_at(data, r->number[c]);
        memcpy(direction, found ? found : none, sizeof none);
        return false;
    }
    for (size_t k = 0; k < 4; k++) {
        const double *found = mt_gmsh_data_at(data, node_tag[r->tetrahedron_vertex[4 * c + k]]);
        of_node[k] = found ? found : none;
    }
    return mt_directions_mean(of_node, direction);
}

static mt_status put_directions(mt_arena *arena, const reader *r, mt_mesh *mesh)
{
    static const char *const what[MT_VTK_ROLES] = {[MT_VTK_FIBRE] = "fibres", [MT_VTK_SHEET] = "sheets"};
    size_t n_spread[MT_VTK_ROLES] = {0};
    int64_t *tag;
    if (!directions(r, MT_VTK_FIBRE)->is) return MT_OK;
    MT_TRY(tags_of_nodes(r, &tag));
    MT_TRY(mt_mesh_new_fibres(arena, mesh));
    if (directions(r, MT_VTK_SHEET)->is) MT_ALLOC(arena, mesh->sheet, 3 * mesh->n_elements);
    for (size_t c = 0; c < mesh->n_elements; c++) {
        double fibre[3], sheet[3] = {0};
        n_spread[MT_VTK_FIBRE] += find_direction(r, MT_VTK_FIBRE, tag, c, fibre);
        if (mesh->sheet) n_spread[MT_VTK_SHEET] += find_direction(r, MT_VTK_SHEET, tag, c, sheet);
        if (!mt_directions_put(mesh, c, fibre, sheet))
            return mt_fail(MT_INPUT,
                "%s: element %lld has no %s, or one of length 0; every element needs a direction",
                r->scan.path, (long long)r->number[c], directions(r, MT_VTK_FIBRE)->is->name);
    }
    for (mt_vtk_role role = MT_VTK_FIBRE; role <= MT_VTK_SHEET; role++)
        if (directions(r, role) == &r->arrays.of_nodes[role] && directions(r, role)->is &&
            (role == MT_VTK_FIBRE || mesh->sheet))
            MT_TRY(
                mt_directions_note(arena, mesh, what[role], directions(r, role)->is->name, n_spread[role]));
    return MT_OK;
}

/* ---- the mesh ---- */

/* Takes the regions from $ElementData, if there are any and no element has a physical group. */
static mt_status find_regions(mt_arena *arena, reader *r, mt_mesh *mesh, uint8_t *without)
{
    const mt_gmsh_data *data = &r->arrays.of_elements[MT_VTK_REGION];
    mt_vtk_odd odd = {0};
    bool physical = false;
    for (size_t c = 0; c < mesh->n_elements; c++) {
        without[c] = mesh->region[c] == 0;
        physical |= !without[c];
    }
    if (!data->is) return MT_OK;
    if (physical) {
        mt_vtk_unused_add(&r->arrays.unused, data->is->name, false, 1);
        return MT_OK;
    }
    for (size_t c = 0; c < mesh->n_elements; c++) {
        const double *value = mt_gmsh_data_at(data, r->number[c]);
        without[c] = !value || !mt_vtk_integer(*value, (size_t)r->number[c], &mesh->region[c], &odd);
    }
    MT_TRY(mt_mesh_note(arena, mesh,
        "regions are taken from %s, since the file has no physical groups of elements", data->is->name));
    return mt_vtk_odd_note(arena, &odd, data->is->name, "element", mesh);
}

/* Stores names and groups, and the tag of elements without a region. Version 2 lists an element of several physical groups
 * once for each. */
static mt_status put_groups(mt_arena *arena, const reader *r, mt_mesh *mesh, uint8_t *without)
{
    MT_TRY(mt_names_copy(arena, &r->named, mesh));
    MT_TRY(mt_names_settle(arena, mesh));
    if (mesh->groups) memcpy(mesh->groups, r->named.groups, mesh->n_elements * sizeof *mesh->groups);
    return mt_repeats_settle(arena, mesh, without, r->n_group_lost);
}

static mt_status add_notes(mt_arena *arena, const reader *r, mt_mesh *mesh)
{
    mt_vtk_unused unused = r->arrays.unused;
    size_t n_dropped = 0;
    for (mt_vtk_role role = MT_VTK_FIBRE; role <= MT_VTK_SHEET; role++) {
        const mt_vtk_known *elements = r->arrays.of_elements[role].is, *nodes = r->arrays.of_nodes[role].is;
        const bool used = role == MT_VTK_FIBRE ? mesh->fibre != NULL : mesh->sheet != NULL;
        if (elements && !used) mt_vtk_unused_add(&unused, elements->name, false, 3);
        if (nodes && (elements || !used)) mt_vtk_unused_add(&unused, nodes->name, true, 3);
    }
    for (size_t k = 0; k < 4 * r->n_tetrahedra && r->on_edge; k++) r->on_edge[r->tetrahedron_vertex[k]] = 0;
    for (size_t k = 0; k < r->n_nodes && r->on_edge; k++) n_dropped += r->on_edge[k];
    if (r->n_nodes_counted > r->n_nodes)
        MT_TRY(mt_mesh_note(arena, mesh, "$Nodes has %zu nodes, but counts %zu, as Gmsh 4.8 sometimes does",
            r->n_nodes, r->n_nodes_counted));
    if (r->n_curved > 0) MT_TRY(mt_mesh_note_curved(arena, mesh, r->n_curved, n_dropped));
    return mt_vtk_unused_note(arena, &unused, &mesh->notes);
}

/* False for the first physical tag of an entity, for a repeated one, and for 0. */
static bool is_further(const entity *of, size_t k)
{
    bool before = k == 0;
    for (size_t i = 0; i < k; i++) before |= of->physical[i] == of->physical[k];
    return !before && of->physical[k] != 0;
}

/* Stores the triangles, one for each of their physical tags, as in version 2. */
static mt_status put_faces(mt_arena *arena, const reader *r, const uint32_t *new_index, mt_mesh *mesh)
{
    size_t n = r->n_faces;
    for (const shared_faces *s = r->shared; s; s = s->next)
        for (size_t k = 0; k < s->of->n_physical; k++) n += is_further(s->of, k) ? s->n : 0;
    MT_TRY(mt_mesh_new_faces(arena, n, mesh));
    for (size_t k = 0; k < 3 * r->n_faces; k++) mesh->face_vertex[k] = new_index[r->face_vertex[k]];
    memcpy(mesh->face_tag, r->face_tag, r->n_faces * sizeof *r->face_tag);
    n = r->n_faces;
    for (const shared_faces *s = r->shared; s; s = s->next)
        for (size_t k = 0; k < s->of->n_physical; k++) {
            if (!is_further(s->of, k)) continue;
            memcpy(mesh->face_vertex + 3 * n, mesh->face_vertex + 3 * s->first,
                3 * s->n * sizeof *mesh->face_vertex);
            for (size_t f = 0; f < s->n; f++) mesh->face_tag[n++] = s->of->physical[k];
        }
    return MT_OK;
}

static mt_status make_mesh(mt_arena *arena, reader *r, mt_mesh *mesh)
{
    uint32_t *new_index;
    uint8_t *without;
    MT_ALLOC(r->scratch, new_index, r->n_nodes);
    const size_t used = number_vertices(r, new_index);
    MT_TRY(mt_mesh_new(arena, used, r->n_tetrahedra, mesh));
    MT_TRY(put_faces(arena, r, new_index, mesh));
    for (size_t k = 0; k < r->n_nodes; k++)
        if (new_index[k] != UINT32_MAX)
            memcpy(mesh->xyz_mm + 3 * (size_t)new_index[k], r->xyz_mm + 3 * k, 3 * sizeof *r->xyz_mm);
    for (size_t k = 0; k < 4 * r->n_tetrahedra; k++)
        mesh->element_vertex[k] = new_index[r->tetrahedron_vertex[k]];
    memcpy(mesh->region, r->region, r->n_tetrahedra * sizeof *r->region);
    MT_TRY(put_directions(arena, r, mesh));
    MT_ALLOC(r->scratch, without, mesh->n_elements);
    MT_TRY(find_regions(arena, r, mesh, without));
    MT_TRY(add_notes(arena, r, mesh));
    MT_TRY(put_groups(arena, r, mesh, without));
    return mt_mesh_check_content(mesh, r->scan.path);
}

mt_status mt_gmsh_read(mt_arena *arena, const char *path, double unit_mm, mt_mesh *mesh)
{
    MT_SCRATCH(scratch);
    reader r = {.scratch = scratch, .unit_mm = unit_mm};
    MT_TRY(mt_scan_open(scratch, path, &r.scan));
    MT_TRY(read_file(&r));
    return make_mesh(arena, &r, mesh);
}

/* ---- writing ---- */

/* Entities of one dimension. */
typedef struct entities {
    mt_tags of;       /* items by the number of their entity, from 1 */
    int32_t *tag;     /* [of.n] their first physical tag; 0 if none */
    uint32_t *groups; /* [of.n] bits of the groups that they also belong to */
} entities;

MT_ORDER_NUMBERS(compare_keys, uint64_t)

/* Removes repeated keys; returns the number of different ones. */
static size_t unique(size_t n, uint64_t *sorted)
{
    size_t kept = 0;
    for (size_t k = 0; k < n; k++)
        if (kept == 0 || sorted[k] != sorted[kept - 1]) sorted[kept++] = sorted[k];
    return kept;
}

/* Groups n items into entities, each with one tag and one set of groups (NULL: no groups). */
static mt_status find_entities(
    mt_arena *scratch, size_t n, const int32_t *tag, const uint32_t *groups, entities *e)
{
    uint64_t *key, *sorted;
    int32_t *entity_of;
    MT_ALLOC(scratch, key, n);
    MT_ALLOC(scratch, sorted, n);
    MT_ALLOC(scratch, entity_of, n);
    for (size_t k = 0; k < n; k++)
        key[k] = sorted[k] = (uint64_t)(uint32_t)tag[k] << 32 | (groups ? groups[k] : 0);
    qsort(sorted, n, sizeof *sorted, compare_keys);
    const size_t n_entities = unique(n, sorted);
    for (size_t k = 0; k < n; k++) {
        const uint64_t *at = bsearch(key + k, sorted, n_entities, sizeof *sorted, compare_keys);
        entity_of[k] = (int32_t)(at - sorted) + 1;
    }
    MT_TRY(mt_tags_make(scratch, n, entity_of, &e->of));
    MT_ALLOC(scratch, e->tag, n_entities);
    MT_ALLOC(scratch, e->groups, n_entities);
    for (size_t k = 0; k < n_entities; k++) {
        e->tag[k] = (int32_t)(sorted[k] >> 32);
        e->groups[k] = (uint32_t)sorted[k];
    }
    return MT_OK;
}

/* Checks that MSH can represent all tags. Elements of region 0 are written without a physical tag if others have one. */
static mt_status check_tags(const char *path, const mt_mesh *mesh)
{
    bool some = false;
    for (size_t f = 0; f < mesh->n_faces; f++)
        if (mesh->face_tag[f] < 0)
            return mt_fail(MT_INPUT, "%s: tag of triangles %d; in MSH tags are 1 and above, or 0 for none",
                path, mesh->face_tag[f]);
    for (size_t c = 0; c < mesh->n_elements; c++) {
        some |= mesh->region[c] > 0;
        if (mesh->region[c] < 0 || (mesh->region[c] == 0 && mesh->groups && mesh->groups[c]))
            return mt_fail(MT_INPUT, "%s: region %d%s; in MSH tags are 1 and above", path, mesh->region[c],
                mesh->region[c] == 0 ? " of an element in a group" : "");
    }
    for (size_t g = 0; g < mesh->n_groups; g++)
        if (mesh->group_tag[g] < 1)
            return mt_fail(MT_INPUT, "%s: group %d; in MSH tags are 1 and above", path, mesh->group_tag[g]);
    if (some || mesh->n_elements == 0) return MT_OK;
    return mt_fail(MT_INPUT, "%s: region 0; in MSH tags are 1 and above", path);
}

static void put(FILE *out, uint64_t value, size_t n)
{
    unsigned char bytes[8];
    for (size_t k = 0; k < n; k++) bytes[k] = (unsigned char)(value >> (8 * k));
    (void)fwrite(bytes, 1, n, out);
}

static void put_int(FILE *out, int32_t value) { put(out, (uint32_t)value, 4); }
static void put_long(FILE *out, uint64_t value) { put(out, value, 8); }

static void put_double(FILE *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(out, bits, 8);
}

static void put_names(FILE *out, const mt_mesh *mesh)
{
    if (mesh->n_names == 0) return;
    (void)fprintf(out, "$PhysicalNames\n%zu\n", mesh->n_names);
    for (size_t k = 0; k < mesh->n_names; k++)
        (void)fprintf(
            out, "%d %d \"%s\"\n", mesh->names[k].dimension, mesh->names[k].tag, mesh->names[k].text);
    (void)fputs("$EndPhysicalNames\n", out);
}

static void put_physical(FILE *out, const mt_mesh *mesh, int32_t tag, uint32_t groups)
{
    put_long(out, (uint64_t)(tag != 0) + (uint64_t)__builtin_popcount(groups));
    if (tag != 0) put_int(out, tag);
    for (size_t g = 0; g < mesh->n_groups; g++)
        if (groups >> g & 1) put_int(out, mesh->group_tag[g]);
}

/* Writes surfaces and volumes, numbered from 1, with the extent of the complete mesh and without boundaries. */
static void put_entities(FILE *out, const mt_mesh *mesh, const entities *surfaces, const entities *volumes)
{
    double box[6];
    mt_mesh_box(mesh, box, box + 3);
    (void)fputs("$Entities\n", out);
    put_long(out, 0), put_long(out, 0), put_long(out, surfaces->of.n), put_long(out, volumes->of.n);
    for (int d = 0; d < 2; d++) {
        const entities *e = d == 0 ? surfaces : volumes;
        for (size_t k = 0; k < e->of.n; k++) {
            put_int(out, (int32_t)k + 1);
            for (int i = 0; i < 6; i++) put_double(out, box[i]);
            put_physical(out, mesh, e->tag[k], e->groups[k]);
            put_long(out, 0);
        }
    }
    (void)fputs("\n$EndEntities\n", out);
}

/* Writes the vertices; all belong to the first volume. */
static void put_nodes(FILE *out, const mt_mesh *mesh)
{
    const size_t n = mesh->n_vertices;
    (void)fputs("$Nodes\n", out);
    put_long(out, 1), put_long(out, n), put_long(out, 1), put_long(out, n);
    put_int(out, 3), put_int(out, 1), put_int(out, 0), put_long(out, n);
    for (size_t v = 0; v < n; v++) put_long(out, v + 1);
    for (size_t k = 0; k < 3 * n; k++) put_double(out, mesh->xyz_mm[k]);
    (void)fputs("\n$EndNodes\n", out);
}

/* Writes one block of elements, with n vertices each, per entity. `number`: running number of all elements. */
static void put_blocks(
    FILE *out, const mt_tags *g, int dimension, int type, size_t n, const uint32_t *vertex, size_t *number)
{
    for (size_t t = 0; t < g->n; t++) {
        put_int(out, dimension), put_int(out, (int32_t)t + 1), put_int(out, type);
        put_long(out, g->offset[t + 1] - g->offset[t]);
        for (size_t i = g->offset[t]; i < g->offset[t + 1]; i++) {
            put_long(out, ++*number);
            for (size_t k = 0; k < n; k++) put_long(out, (uint64_t)vertex[n * g->id[i] + k] + 1);
        }
    }
}

/* Writes the directions of the elements, after zeros for the triangles, which put_blocks numbered first: meshio reads only
 * data of all elements, numbered from 1. */
static void put_data(
    FILE *out, const mt_tags *volumes, size_t n_triangles, const char *name, const double *values)
{
    static const double none[3] = {0};
    const size_t n = n_triangles + volumes->offset[volumes->n];
    if (!values) return;
    (void)fprintf(out, "$ElementData\n1\n\"%s\"\n1\n0\n3\n0\n3\n%zu\n", name, n);
    for (size_t i = 0; i < n; i++) {
        const double *value = i < n_triangles ? none : values + 3 * volumes->id[i - n_triangles];
        put_int(out, (int32_t)i + 1);
        for (size_t k = 0; k < 3; k++) put_double(out, value[k]);
    }
    (void)fputs("\n$EndElementData\n", out);
}

/* Copies the mesh without the triangles of tag 0. Readers ignore them, and meshio cannot read surfaces without a tag. */
static mt_status take_tagged(mt_arena *scratch, const mt_mesh *mesh, mt_mesh *tagged)
{
    *tagged = *mesh;
    MT_TRY(mt_mesh_new_faces(scratch, mesh->n_faces, tagged));
    memcpy(tagged->face_vertex, mesh->face_vertex, 3 * mesh->n_faces * sizeof *mesh->face_vertex);
    memcpy(tagged->face_tag, mesh->face_tag, mesh->n_faces * sizeof *mesh->face_tag);
    mt_triangles_remove_untagged(tagged);
    return MT_OK;
}

static mt_status write_mesh(mt_arena *scratch, const char *path, FILE *out, const mt_mesh *mesh)
{
    entities surfaces, volumes;
    size_t number = 0;
    const size_t n = mesh->n_faces + mesh->n_elements;
    MT_TRY(check_tags(path, mesh));
    MT_TRY(find_entities(scratch, mesh->n_faces, mesh->face_tag, NULL, &surfaces));
    MT_TRY(find_entities(scratch, mesh->n_elements, mesh->region, mesh->groups, &volumes));
    (void)fputs("$MeshFormat\n4.1 1 8\n", out);
    put_int(out, 1);
    (void)fputs("\n$EndMeshFormat\n$Comments\nmyotile " MT_VERSION "\n$EndComments\n", out);
    put_names(out, mesh);
    put_entities(out, mesh, &surfaces, &volumes);
    put_nodes(out, mesh);
    (void)fputs("$Elements\n", out);
    put_long(out, surfaces.of.n + volumes.of.n), put_long(out, n), put_long(out, 1), put_long(out, n);
    put_blocks(out, &surfaces.of, 2, TRIANGLE, 3, mesh->face_vertex, &number);
    put_blocks(out, &volumes.of, 3, TETRAHEDRON, 4, mesh->element_vertex, &number);
    (void)fputs("\n$EndElements\n", out);
    put_data(out, &volumes.of, mesh->n_faces, "fibre", mesh->fibre);
    put_data(out, &volumes.of, mesh->n_faces, "sheet", mesh->sheet);
    return MT_OK;
}

mt_status mt_gmsh_write(const char *path, const mt_mesh *mesh)
{
    MT_SCRATCH(scratch);
    mt_file file;
    mt_mesh tagged;
    MT_TRY(take_tagged(scratch, mesh, &tagged));
    MT_TRY(mt_file_begin(path, &file));
    return mt_file_end(&file, write_mesh(scratch, path, file.stream, &tagged));
}
