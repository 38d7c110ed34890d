#include "app/draw/scene/part_colours.h"

#include <math.h>
#include <string.h>

#include "app/draw/colour.h"
#include "data/core/offsets.h"

/* ---- adjacency of parts ---- */

/* Adjacent parts of the same group; each pair is stored twice per common edge. */
typedef struct graph {
    const mt_view_surface *surface;
    const mt_partition *partition;
    size_t *begin; /* [n_parts + 2] neighbours of p are neighbour[begin[p] .. begin[p + 1]) after filling */
    uint32_t *neighbour; /* NULL while counting, with offsets in begin[p + 2] */
    uint64_t *meets;     /* [MT_PART_GROUPS_MAX] bit h of meets[g]: groups g and h are adjacent */
} graph;

static void add_neighbour(graph *g, uint32_t part, uint32_t other)
{
    if (g->neighbour)
        g->neighbour[g->begin[part + 1]++] = other;
    else
        g->begin[part + 2]++;
}

static void add_meeting(void *context, const mt_face_pair *meeting)
{
    graph *g = context;
    const uint32_t element = g->surface->face_element[meeting->face],
                   near = g->surface->face_element[meeting->other];
    const uint32_t a = g->partition->part[element], b = g->partition->part[near];
    const uint32_t group = mt_partition_group_of(g->partition, element),
                   other = mt_partition_group_of(g->partition, near);
    if (a == b) return;
    if (group == other) {
        add_neighbour(g, a, b);
        add_neighbour(g, b, a);
    } else {
        g->meets[group] |= (uint64_t)1 << other;
        g->meets[other] |= (uint64_t)1 << group;
    }
}

/* Removes duplicate neighbours of each part. */
static mt_status drop_repeats(mt_arena *scratch, graph *g)
{
    const size_t n_parts = g->partition->n_parts;
    uint32_t *seen; /* seen[q]: 1 + the last part with q as its neighbour */
    size_t kept = 0;
    MT_ALLOC(scratch, seen, n_parts);
    for (size_t p = 0; p < n_parts; p++) {
        const size_t from = g->begin[p], to = g->begin[p + 1];
        g->begin[p] = kept;
        for (size_t k = from; k < to; k++) {
            const uint32_t other = g->neighbour[k];
            if (seen[other] == p + 1) continue;
            seen[other] = (uint32_t)p + 1;
            g->neighbour[kept++] = other;
        }
    }
    g->begin[n_parts] = kept;
    return MT_OK;
}

static mt_status make_graph(mt_arena *scratch, graph *g)
{
    const size_t n_parts = g->partition->n_parts;
    MT_ALLOC(scratch, g->begin, n_parts + 2);
    MT_ALLOC(scratch, g->meets, MT_PART_GROUPS_MAX);
    mt_view_surface_meetings(g->surface, add_meeting, g);
    mt_offsets_sum(g->begin, n_parts + 2);
    uint32_t *neighbour;
    MT_ALLOC(scratch, neighbour, g->begin[n_parts + 1]);
    g->neighbour = neighbour;
    mt_view_surface_meetings(g->surface, add_meeting, g);
    return drop_repeats(scratch, g);
}

/* ---- order of parts ---- */

/* The remaining parts, in lists by the number of their remaining neighbours. */
typedef struct lists {
    uint32_t *head;        /* [n_parts]; a list ends with NONE */
    uint32_t *next, *last; /* [n_parts] */
    uint32_t *degree;      /* [n_parts]; NONE for a part that was removed */
} lists;

static const uint32_t NONE = UINT32_MAX;

static void put_first(lists *l, uint32_t part)
{
    const uint32_t degree = l->degree[part], second = l->head[degree];
    l->next[part] = second;
    l->last[part] = NONE;
    if (second != NONE) l->last[second] = part;
    l->head[degree] = part;
}

static void take_out(lists *l, uint32_t part)
{
    const uint32_t next = l->next[part], last = l->last[part];
    if (next != NONE) l->last[next] = last;
    *(last != NONE ? &l->next[last] : &l->head[l->degree[part]]) = next;
}

/* Computes the smallest-last order (D. W. Matula, L. L. Beck, J. ACM 30(3), 1983): the part with the fewest neighbours is last, and
 * so on with the rest. On a surface cut into connected parts, each then has at most five neighbours before it. */
static mt_status sort_parts(mt_arena *scratch, const graph *g, uint32_t *order)
{
    const uint32_t n = g->partition->n_parts;
    lists l;
    MT_ALLOC(scratch, l.head, n);
    MT_ALLOC(scratch, l.next, n);
    MT_ALLOC(scratch, l.last, n);
    MT_ALLOC(scratch, l.degree, n);
    memset(l.head, 0xFF, n * sizeof *l.head);
    for (uint32_t p = n; p-- > 0;) {
        l.degree[p] = (uint32_t)(g->begin[p + 1] - g->begin[p]);
        put_first(&l, p);
    }
    uint32_t degree = 0;
    for (uint32_t left = n; left-- > 0;) {
        while (l.head[degree] == NONE) degree++;
        const uint32_t part = l.head[degree];
        take_out(&l, part);
        l.degree[part] = NONE;
        order[left] = part;
        for (size_t k = g->begin[part]; k < g->begin[part + 1]; k++) {
            const uint32_t other = g->neighbour[k];
            if (l.degree[other] == NONE) continue;
            take_out(&l, other);
            l.degree[other]--;
            put_first(&l, other);
        }
        degree -= degree > 0;
    }
    return MT_OK;
}

/* ---- shades of parts ---- */

/* Returns the shade with the fewest neighbours, if possible none; among equals the least used one. */
static size_t choose_shade(size_t n_shades, const size_t *around, const size_t *used)
{
    size_t best = 0;
    for (size_t s = 1; s < n_shades; s++)
        if (around[s] < around[best] || (around[s] == around[best] && used[s] < used[best])) best = s;
    return best;
}

static mt_status shade_parts(mt_arena *scratch, const graph *g, mt_part_colours *colours)
{
    const size_t n_parts = g->partition->n_parts;
    enum { UNSET = UINT8_MAX };
    size_t used[MT_PART_GROUPS_MAX][MT_PART_SHADES_MAX] = {{0}};
    uint32_t *order;
    MT_ALLOC(scratch, order, n_parts);
    MT_TRY(sort_parts(scratch, g, order));
    memset(colours->shade, UNSET, n_parts);
    for (size_t k = 0; k < n_parts; k++) {
        size_t around[MT_PART_SHADES_MAX] = {0};
        for (size_t i = g->begin[order[k]]; i < g->begin[order[k] + 1]; i++)
            if (colours->shade[g->neighbour[i]] != UNSET) around[colours->shade[g->neighbour[i]]]++;
        size_t *of_group = used[order[k] / g->partition->parts_per_group];
        const size_t shade = choose_shade(colours->n_shades, around, of_group);
        colours->shade[order[k]] = (uint8_t)shade;
        of_group[shade]++;
    }
    return MT_OK;
}

/* ---- hues of groups ---- */

/* Hue k of n on the circle. Many groups alternate between vivid and pale colours. */
typedef struct hue {
    double degrees, chroma;
} hue;

static hue hue_of(size_t k, size_t n)
{
    const bool pale = n > 12 && k % 2;
    return (hue){.degrees = 50 + 360 * (double)k / (double)n, .chroma = pale ? 0.055 : 0.115};
}

/* Returns a measure of the similarity of two hues. */
static double likeness(size_t k, size_t m, size_t n)
{
    const hue a = hue_of(k, n), b = hue_of(m, n);
    const double turn = (a.degrees - b.degrees) * M_PI / 180;
    return 1 / (a.chroma * a.chroma + b.chroma * b.chroma - 2 * a.chroma * b.chroma * cos(turn));
}

/* Returns the similarity of hue `own` of a group to all adjacent groups. */
static double likeness_around(
    const uint64_t *meets, const size_t *of_group, size_t n, size_t group, size_t own)
{
    double sum = 0;
    for (size_t h = 0; h < n; h++)
        if (meets[group] >> h & 1 && of_group[h] != own) sum += likeness(own, of_group[h], n);
    return sum;
}

/* Swaps the hues of two groups as long as this makes adjacent groups less similar. */
static void spread_hues(const uint64_t *meets, size_t n, size_t *of_group)
{
    enum { ROUNDS = 50 };
    bool better = true;
    for (size_t g = 0; g < n; g++) of_group[g] = g;
    for (int round = 0; better && round < ROUNDS; round++) {
        better = false;
        for (size_t g = 0; g < n; g++)
            for (size_t h = 0; h < g; h++) {
                const size_t a = of_group[g], b = of_group[h];
                const double now =
                    likeness_around(meets, of_group, n, g, a) + likeness_around(meets, of_group, n, h, b);
                const double then =
                    likeness_around(meets, of_group, n, g, b) + likeness_around(meets, of_group, n, h, a);
                if (then >= now * (1 - 1e-9)) continue;
                of_group[g] = b, of_group[h] = a;
                better = true;
            }
    }
}

/* ---- colours ---- */

const double mt_part_shade_distance = 0.065;

static void put_colour(double lightness, double chroma, double hue_degrees, double linear[3])
{
    mt_colour_linear(lightness, mt_colour_chroma(lightness, chroma, hue_degrees), hue_degrees, linear);
}

/* Computes six shades of each hue. */
static void colour_groups(const uint64_t *meets, mt_part_colours *colours)
{
    size_t of_group[MT_PART_GROUPS_MAX];
    colours->n_shades = 6;
    spread_hues(meets, colours->n_groups, of_group);
    for (size_t g = 0; g < colours->n_groups; g++)
        for (size_t s = 0; s < colours->n_shades; s++) {
            const hue h = hue_of(of_group[g], colours->n_groups);
            put_colour(0.55 + 0.066 * (double)s, h.chroma, h.degrees, colours->linear[g][s]);
        }
}

/* Computes twelve hues with three alternating lightnesses. */
static void colour_one(mt_part_colours *colours)
{
    colours->n_shades = 12;
    for (size_t s = 0; s < colours->n_shades; s++)
        put_colour(0.64 + 0.11 * (double)(s % 3), 0.10, 20 + 30 * (double)s, colours->linear[0][s]);
}

static mt_status colour(mt_arena *scratch, graph *g, mt_part_colours *colours)
{
    MT_TRY(make_graph(scratch, g));
    if (colours->n_groups == 1)
        colour_one(colours);
    else
        colour_groups(g->meets, colours);
    return shade_parts(scratch, g, colours);
}

mt_status mt_part_colours_make(
    mt_arena *arena, const mt_view_surface *surface, const mt_partition *partition, mt_part_colours *colours)
{
    *colours = (mt_part_colours){.n_groups = mt_partition_groups(partition)};
    if (colours->n_groups > MT_PART_GROUPS_MAX)
        return mt_fail(MT_INPUT, "a picture of %zu groups of parts; allowed: at most %d", colours->n_groups,
            MT_PART_GROUPS_MAX);
    MT_ALLOC(arena, colours->shade, partition->n_parts);
    MT_SCRATCH(scratch);
    return colour(scratch, &(graph){.surface = surface, .partition = partition}, colours);
}
