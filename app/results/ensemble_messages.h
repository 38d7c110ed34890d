/* The warnings and notes of the members of an ensemble, as one list: each different message once, with the members that reported it.
 *
 * Messages that differ only in their numbers are one message, with the text of the first member, since a varied key changes the numbers
 * of a warning in every member. The numbers of keys and names ("stimuli.0", "P1") are no such numbers. */
#pragma once

#include "data/core/progress.h"

/* Appends to a member's messages those that it does not have yet. The name of the member is removed: `named` is the case with it
 * ("slab.yaml, 001"), `plain` the case ("slab.yaml"). The list has its arena. MT_MEMORY. */
MT_NODISCARD mt_status mt_member_messages_add(
    mt_messages *list, const mt_messages *added, const char *named, const char *plain);

/* Builds the list of all members in `arena`: "TEXT (3 of 20 members: 001, 004, 007)", in the order of the members and of their messages.
 * `many`: "members". `name`: [n]. MT_MEMORY. */
MT_NODISCARD mt_status mt_ensemble_messages(mt_arena *arena, size_t n, const mt_messages *const *of_member,
    const char *const *name, const char *many, mt_messages *all);
