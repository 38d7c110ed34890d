#include "solver/conduction/hub_groups.h"

#include "data/core/offsets.h"

/* The elimination tree of the hubs, by their places in the order. */
typedef struct tree {
    size_t *size;         /* [n_hubs] of the subtree */
    uint32_t *parent;     /* UINT32_MAX: none */
    uint32_t *group;      /* n_below: the top */
    const uint32_t *rank; /* place of a hub */
} tree;

static mt_status find_tree(mt_arena *scratch, const mt_elimination *e, tree *t)
{
    MT_ALLOC(scratch, t->size, e->n_hubs);
    MT_ALLOC(scratch, t->parent, e->n_hubs);
    MT_ALLOC(scratch, t->group, e->n_hubs);
    for (size_t k = 0; k < e->n_hubs; k++) {
        t->parent[k] = UINT32_MAX;
        t->size[k]++; /* those below have been added */
        for (size_t i = e->column[k]; i < e->column[k + 1]; i++)
            if (t->rank[e->hub[i]] < t->parent[k]) t->parent[k] = t->rank[e->hub[i]];
        if (t->parent[k] != UINT32_MAX) t->size[t->parent[k]] += t->size[k];
    }
    return MT_OK;
}

/* Assigns the hubs to groups, and returns the number of groups below the top. */
static size_t assign_groups(const mt_elimination *e, const tree *t)
{
    size_t most = 1, n = 0;
    while (most * most < e->n_hubs) most++;
    for (size_t k = e->n_hubs; k-- > 0;) {
        const bool in_parents = t->parent[k] != UINT32_MAX && t->size[t->parent[k]] <= most;
        t->group[k] = UINT32_MAX;
        if (t->size[k] <= most) t->group[k] = in_parents ? t->group[t->parent[k]] : (uint32_t)n++;
    }
    for (size_t k = 0; k < e->n_hubs; k++)
        if (t->group[k] == UINT32_MAX) t->group[k] = (uint32_t)n;
    return n;
}

/* Lists the hubs of a list that are in other groups, each once. */
static void list_others(const tree *t, uint32_t group, size_t n, const uint32_t *list, uint8_t *listed,
    uint32_t *got, size_t *n_got)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t rank = t->rank[list[i]];
        if (t->group[rank] == group || listed[rank]) continue;
        listed[rank] = 1;
        got[(*n_got)++] = list[i];
    }
}

/* Finds what a group receives. */
static mt_status find_received(
    mt_arena *arena, const mt_elimination *e, const tree *t, uint32_t group, mt_hub_group *g)
{
    MT_SCRATCH(scratch);
    size_t up = 0, down = 0;
    uint8_t *below, *above;
    for (size_t k = 0; k < g->n; k++) {
        const uint32_t rank = t->rank[g->hub[k]];
        up += e->row[rank + 1] - e->row[rank];
        down += e->column[rank + 1] - e->column[rank];
    }
    MT_ALLOC(arena, g->got_up, up);
    MT_ALLOC(arena, g->got_down, down);
    MT_ALLOC(scratch, below, e->n_hubs);
    MT_ALLOC(scratch, above, e->n_hubs);
    for (size_t k = 0; k < g->n; k++) {
        const uint32_t rank = t->rank[g->hub[k]];
        list_others(t, group, e->row[rank + 1] - e->row[rank], e->earlier + e->row[rank], below, g->got_up,
            &g->n_got_up);
        list_others(t, group, e->column[rank + 1] - e->column[rank], e->hub + e->column[rank], above,
            g->got_down, &g->n_got_down);
    }
    return MT_OK;
}

/* Finds the levels of a group. */
static mt_status find_levels(
    mt_arena *arena, const mt_elimination *e, const tree *t, uint32_t group, mt_hub_group *g)
{
    MT_SCRATCH(scratch);
    uint32_t *level; /* by rank */
    MT_ALLOC(scratch, level, e->n_hubs);
    MT_ALLOC(arena, g->level, g->n);
    for (size_t k = 0; k < g->n; k++) {
        const uint32_t rank = t->rank[g->hub[k]];
        for (size_t i = e->row[rank]; i < e->row[rank + (size_t)1]; i++) {
            const uint32_t below = t->rank[e->earlier[i]];
            if (t->group[below] == group && level[below] >= level[rank]) level[rank] = level[below] + 1;
        }
        g->level[k] = level[rank];
        if (level[rank] + (size_t)1 > g->n_levels) g->n_levels = level[rank] + (size_t)1;
    }
    return MT_OK;
}

mt_status mt_hub_groups_make(mt_arena *arena, const mt_elimination *e, mt_hub_groups *groups)
{
    MT_SCRATCH(scratch);
    tree t;
    size_t *from;
    uint32_t *place;
    *groups = (mt_hub_groups){0};
    MT_ALLOC(arena, groups->rank, e->n_hubs);
    for (size_t k = 0; k < e->n_hubs; k++) groups->rank[e->order[k]] = (uint32_t)k;
    t.rank = groups->rank;
    MT_TRY(find_tree(scratch, e, &t));
    groups->n_below = assign_groups(e, &t);
    MT_TRY(mt_offsets_make(scratch, e->n_hubs, 1, t.group, groups->n_below + 1, &from, &place));
    MT_ALLOC(arena, groups->group, groups->n_below + 1);
    for (uint32_t k = 0; k <= groups->n_below; k++) {
        mt_hub_group *g = &groups->group[k];
        *g = (mt_hub_group){.n = from[k + 1] - from[k]};
        MT_ALLOC(arena, g->hub, g->n);
        for (size_t i = 0; i < g->n; i++) g->hub[i] = e->order[place[from[k] + i]];
        MT_TRY(find_received(arena, e, &t, k, g));
        MT_TRY(find_levels(arena, e, &t, k, g));
    }
    return MT_OK;
}
