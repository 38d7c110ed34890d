#include "mesh/cut/members.h"

#include <string.h>

static void link_element(mt_members *members, uint32_t element, uint32_t part)
{
    const uint32_t head = members->first[part];
    members->next[element] = head;
    members->previous[element] = MT_NO_MEMBER;
    if (head != MT_NO_MEMBER) members->previous[head] = element;
    members->first[part] = element;
    members->part[element] = part;
    members->size[part]++;
}

mt_status mt_members_make(
    mt_arena *arena, size_t n_elements, uint32_t n_parts, uint32_t *part, mt_members *members)
{
    members->part = part;
    MT_ALLOC(arena, members->size, n_parts);
    MT_ALLOC(arena, members->first, n_parts);
    MT_ALLOC(arena, members->next, n_elements);
    MT_ALLOC(arena, members->previous, n_elements);
    memset(members->first, 0xff, n_parts * sizeof *members->first);
    for (size_t c = n_elements; c-- > 0;) link_element(members, (uint32_t)c, part[c]);
    return MT_OK;
}

void mt_members_move(mt_members *members, uint32_t element, uint32_t to)
{
    const uint32_t next = members->next[element], previous = members->previous[element];
    const uint32_t from = members->part[element];
    if (next != MT_NO_MEMBER) members->previous[next] = previous;
    if (previous != MT_NO_MEMBER)
        members->next[previous] = next;
    else
        members->first[from] = next;
    members->size[from]--;
    link_element(members, element, to);
}
