#include "mesh/cut/contacts.h"

/* The place of this pair, or the free one where it would be. No pair is zero: nobody needs what is its own. */
static size_t place_of(const mt_contacts *contacts, uint64_t pair)
{
    size_t k = (size_t)(pair * 0x9e3779b97f4a7c15u >> 20) & (contacts->room - 1);
    while (contacts->pair[k] != 0 && contacts->pair[k] != pair) k = (k + 1) & (contacts->room - 1);
    return k;
}

uint32_t mt_contacts_count(const mt_contacts *contacts, uint32_t source, uint32_t reader)
{
    if (contacts->room == 0) return 0;
    return contacts->count[place_of(contacts, (uint64_t)source << 32 | reader)];
}

static mt_status grow(mt_arena *arena, mt_contacts *contacts)
{
    mt_contacts larger = {.room = contacts->room > 0 ? 2 * contacts->room : 64, .used = contacts->used};
    MT_TAKE(arena, larger.pair, larger.room);
    MT_TAKE(arena, larger.count, larger.room);
    for (size_t k = 0; k < contacts->room; k++) {
        if (contacts->pair[k] == 0) continue;
        const size_t place = place_of(&larger, contacts->pair[k]);
        larger.pair[place] = contacts->pair[k];
        larger.count[place] = contacts->count[k];
    }
    *contacts = larger;
    return MT_OK;
}

mt_status mt_contacts_add(
    mt_arena *arena, mt_contacts *contacts, uint32_t source, uint32_t reader, int32_t more)
{
    const uint64_t pair = (uint64_t)source << 32 | reader;
    if (contacts->room == 0) MT_TRY(grow(arena, contacts));
    size_t place = place_of(contacts, pair);
    if (contacts->pair[place] == 0) {
        if (2 * contacts->used >= contacts->room) MT_TRY(grow(arena, contacts));
        place = place_of(contacts, pair);
        contacts->pair[place] = pair;
        contacts->used++;
    }
    contacts->count[place] += (uint32_t)more;
    return MT_OK;
}
