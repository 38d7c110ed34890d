/* Options of `machine allreduce`: the machine, the path around its chips, and the vector sizes. */
#pragma once

#include "app/cli/command.h"
#include "app/commands/machine/collective.h"
#include "ipu/collectives/prism.h"

enum { MT_ALLREDUCE_IPUS_MAX = 256 };

/* Network topologies of the chips. Machine files do not have the last one. */
enum { MT_LADDER, MT_TORUS, MT_PRISM, MT_PHYSICALS };
extern const char *const mt_physical_name[MT_PHYSICALS];

/* Reads the number of elements of a vector: "64KiB" are 16384. Fails with MT_INPUT unless the size is a multiple of 4 bytes up to 1
 * GiB. */
MT_NODISCARD mt_status mt_allreduce_size(const char *text, size_t *elements);

/* Reads the method, and sets operation and operator. Fails with MT_INPUT if a word is unknown. */
MT_NODISCARD mt_status mt_allreduce_words(
    const mt_arguments *arguments, mt_collective *collective, ipu_method *method);

/* Returns the name of the machine of --target. Returns the errors of `ipu_machine_load`. */
MT_NODISCARD mt_status mt_allreduce_machine(
    mt_arena *arena, const mt_arguments *arguments, const char **name);

/* Sets the target: n chips of --target in this topology; NULL: that of the machine. Returns the errors of `ipu_machine_load` and
 * `ipu_target_several`. */
MT_NODISCARD mt_status mt_allreduce_chips(mt_arena *arena, const mt_arguments *arguments, const char *shape,
    size_t ipus, mt_collective *collective);

/* Returns the first --machine-set that changes the links between chips, which a prism defines itself; NULL if there is none. */
const char *mt_allreduce_links_set(const mt_arguments *arguments);

/* Sets target and rings of a prism. Of the links of --target it uses only the rates and times. Also fails with MT_INPUT if there
 * are too many chips, or if mt_allreduce_links_set is not NULL. */
MT_NODISCARD mt_status mt_allreduce_prism(
    mt_arena *arena, const mt_arguments *arguments, size_t layers, size_t faces, mt_collective *collective);

/* Returns the path around the chips with the routing and the replicas that it is designed for. */
ipu_ring_choice mt_default_ring_choice(ipu_logical logical);
