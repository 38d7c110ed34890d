/* The rings of chips used by collectives, and the combinations that a network supports.
 *
 * A machine's n chips are R replicas of s chips each: replica r has chips r s to r s + s - 1. A collective connects chips with
 * the same position in their replicas. So there are s rings, each over the replicas, or twice that number if the data are split
 * over two. On a ladder or torus chips 2r and 2r + 1 are a rung (ipu/machine/topology.h). Orders, by numbers of replicas:
 *
 *   peripheral-ring  s = 1   0, 1, 3, 5, ..., R - 1, R - 2, ..., 4, 2: up one rail and down the other
 *   ring-on-line     s = 2   the same order, separately on each rail: every second replica upwards, the others downwards
 *   rung-ring-2,4,8  s = 2,4,8  0, 1, 2, ..., R - 1: straight up each rail, and from the top to the bottom
 *   barley-twist     s = 1   two rings at once, X from chip 0 and Y from chip 1: across the rung, up one rung, and again, which
 *                            together use every rail of a torus and every rung's direct link. R / 2 must be even: with an
 *                            odd number of rungs X runs into Y
 *
 * On a torus messages over several links could form a cycle of waits around a rail. Rings with this risk are used in turns:
 * with replicas of s chips, s / 2 of them.
 *
 * (Graphcore, GCL user guide, section 8.2; its pseudocode of the twist takes both steps in one turn.) A routing is the name of
 * a configuration of the links: DNC default, SWNC sliding window, RINGSWNC ring with sliding window, BTNC barley twist. The
 * guide's table 8.1 has the supported combinations; a routing has no other effect here, as routes are those of the topology. */
#pragma once

#include "ipu/machine/topology.h"

typedef enum ipu_logical {
    IPU_PERIPHERAL_RING,
    IPU_BARLEY_TWIST,
    IPU_RING_ON_LINE,
    IPU_RUNG_RING_2,
    IPU_RUNG_RING_4,
    IPU_RUNG_RING_8,
    IPU_PRISM, /* ipu/collectives/prism.h; not for ipu_rings_make */
    IPU_LOGICALS
} ipu_logical;

typedef enum ipu_routing { IPU_DNC, IPU_SWNC, IPU_RINGSWNC, IPU_BTNC, IPU_ROUTINGS } ipu_routing;

/* "peripheral-ring", "DNC"; the last is NULL. */
extern const char *const ipu_logical_name[IPU_LOGICALS + 1];
extern const char *const ipu_routing_name[IPU_ROUTINGS + 1];

/* The groups of replicas: all; consecutive ones, `group` of them; or orthogonal ones: group g has the replicas g, g + R /
 * group, g + 2 R / group, ... Every group has separate rings. */
typedef enum ipu_grouping { IPU_ALL, IPU_CONSECUTIVE, IPU_ORTHOGONAL } ipu_grouping;

/* Chips in order; the last is followed by the first. */
typedef struct ipu_ring {
    uint32_t *chip;
    size_t n;
    unsigned stream; /* index of its part of the data, below `streams` */
    unsigned turn;   /* rings of one turn are used simultaneously, turns one after another */
} ipu_ring;

/* The requested rings. */
typedef struct ipu_ring_choice {
    ipu_logical logical;
    ipu_routing routing;
    size_t replica; /* s, chips of a replica */
    ipu_grouping grouping;
    size_t group; /* replicas of a group; ignored for IPU_ALL */
} ipu_ring_choice;

typedef struct ipu_rings {
    ipu_ring *ring;
    size_t n_rings;
    unsigned streams; /* 2 for a barley twist, else 1 */
    unsigned turns;
    ipu_logical logical;
    ipu_shape shape; /* shape of the network they were built for */
    size_t replica;
} ipu_rings;

/* Returns the rank of a ring's k-th chip: the number of its chips with lower numbers. */
size_t ipu_ring_rank(const ipu_ring *ring, size_t k);

/* Builds in `arena` the rings of n chips joined in a shape. MT_MEMORY. Fails with MT_INPUT if
 *  - table 8.1 does not have this combination (the message has the combinations for the shape);
 *  - the chips are not a multiple of a replica, or the replicas not a multiple of a group;
 *  - groups have fewer than two replicas, or an odd number except on a rung-ring;
 *  - a twist is over an odd number of rungs, or over only some of the chips. */
MT_NODISCARD mt_status ipu_rings_make(
    mt_arena *arena, ipu_shape shape, size_t n_chips, const ipu_ring_choice *choice, ipu_rings *rings);
