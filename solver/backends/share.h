/* The part of a problem that a rank computes, as a separate problem.
 *
 * It has the elements that the rank owns and receives. These include all elements at most two faces away from its
 * own, as its rows require (solver/diffusion/rows.h). They are in the order of the complete problem, so that rows
 * are the same to the bit. Stimuli reach own elements only. A rank thus stores its part, the surface of the part,
 * and a few numbers per part of the partition. Rank 0 has the complete problem and sends the others their parts.
 *
 * With voltages at the vertices, "elements" are vertices: the rank's own, and those at the other ends of their edges.
 * The part has no mesh. It has the complete rows of own vertices; those of received vertices are empty. */
#pragma once

#include "solver/backends/backend.h"

/* Sends all other ranks of the layout their parts of a problem with a lean operator or voltages at the vertices. Rank 0
 * only. If the problem has reductions over all tiles (implicit steps), every part with elements keeps one
 * (mt_halo_seen). MT_MEMORY. */
MT_NODISCARD mt_status mt_share_send(
    const mt_backend *backend, const mt_monodomain *problem, const mt_layout *layout);

/* Receives this rank's part in `arena`, at the same time. Other ranks only. Adds the halo to a layout without one,
 * with the elements numbered as in the part and without the parts that the rank does not communicate with.
 * MT_INPUT, MT_FILE: after the complete transfer, this rank cannot open the ionic model, or its file has other content
 * than on rank 0. MT_MEMORY: the sender waits forever. */
MT_NODISCARD mt_status mt_share_receive(mt_arena *arena, mt_layout *layout, mt_monodomain **part);
