/* What the options of machine allreduce ask for: the machine, the way around its chips, sizes. */
#pragma once

#include "app/cli/command.h"
#include "app/commands/machine/collective.h"
#include "ipu/collectives/prism.h"

enum { MT_ALLREDUCE_IPUS_MAX = 256 };

/* How chips are joined; the last is not a shape of machine files. */
enum { MT_LADDER, MT_TORUS, MT_PRISM, MT_PHYSICALS };
extern const char *const mt_physical_name[MT_PHYSICALS];

/* Gives the elements of a vector: "64KiB" are 16384. MT_INPUT: no multiple of 4 bytes up to 1 GiB. */
MT_NODISCARD mt_status mt_allreduce_size(const char *text, size_t *elements);

/* Gives the method, and fills in operation and operator. MT_INPUT: a word that is none. */
MT_NODISCARD mt_status mt_allreduce_words(
    const mt_arguments *arguments, mt_collective *collective, ipu_method *method);

/* Gives the name of the machine of --target. Fails as ipu_machine_load. */
MT_NODISCARD mt_status mt_allreduce_machine(
    mt_arena *arena, const mt_arguments *arguments, const char **name);

/* Fills in the target: chips of --target, joined in a shape, or, by NULL, as the machine says. Fails as ipu_machine_load,
 * ipu_target_several. */
MT_NODISCARD mt_status mt_allreduce_chips(mt_arena *arena, const mt_arguments *arguments, const char *shape,
    size_t ipus, mt_collective *collective);

/* The first --machine-set of what joins the chips, which a prism has of its own; NULL: there is none. */
const char *mt_allreduce_links_set(const mt_arguments *arguments);

/* Fills in target and rings of a prism; of the links of --target it has the rates and times only. MT_INPUT also: too many chips, or
 * mt_allreduce_links_set. */
MT_NODISCARD mt_status mt_allreduce_prism(
    mt_arena *arena, const mt_arguments *arguments, size_t layers, size_t faces, mt_collective *collective);

/* The way around the chips with the routing and the replicas that it is for. */
ipu_ring_choice mt_usual_choice(ipu_logical logical);
