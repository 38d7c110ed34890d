#include "mesh/cut/members.h"

#include <string.h>

static void link_cell(mt_members *members, uint32_t cell, uint32_t part)
{
    const uint32_t head = members->first[part];
    members->next[cell] = head;
    members->previous[cell] = MT_NO_MEMBER;
    if (head != MT_NO_MEMBER) members->previous[head] = cell;
    members->first[part] = cell;
    members->part[cell] = part;
    members->size[part]++;
}

mt_status mt_members_make(
    mt_arena *arena, size_t n_cells, uint32_t n_parts, uint32_t *part, mt_members *members)
{
    members->part = part;
    MT_TAKE(arena, members->size, n_parts);
    MT_TAKE(arena, members->first, n_parts);
    MT_TAKE(arena, members->next, n_cells);
    MT_TAKE(arena, members->previous, n_cells);
    memset(members->first, 0xff, n_parts * sizeof *members->first);
    for (size_t c = n_cells; c-- > 0;) link_cell(members, (uint32_t)c, part[c]);
    return MT_OK;
}

void mt_members_move(mt_members *members, uint32_t cell, uint32_t to)
{
    const uint32_t next = members->next[cell], previous = members->previous[cell];
    const uint32_t from = members->part[cell];
    if (next != MT_NO_MEMBER) members->previous[next] = previous;
    if (previous != MT_NO_MEMBER)
        members->next[previous] = next;
    else
        members->first[from] = next;
    members->size[from]--;
    link_cell(members, cell, to);
}
