/* A backend distributed over several ranks, presented as one: rank 0 leads, the others serve.
 *
 * The leader is a backend of the complete problem. Its functions make all ranks call the corresponding functions
 * for their parts. Time loop and output therefore run on rank 0 only, and other ranks store only their part of the
 * problem (solver/backends/share.h). Arrays are gathered to rank 0 and scattered from it as the own elements of
 * each rank, in the order of the parts. */
#pragma once

#include "solver/backends/backend.h"

/* Opens a backend on all ranks of the layout, which must not be NULL. Rank 0 passes the complete problem, with a
 * lean operator, and the layout, and gets the leading backend; its data is in `arena`. Other ranks pass no problem
 * and a layout without halo, receive both from rank 0 in `arena`, and pass the result to mt_backend_serve. A
 * failure of one rank is returned by all; but if a rank has no memory for its part, the others wait for it forever.
 * Fails as the backend's open. Collective. */
MT_NODISCARD mt_status mt_backend_open_on_ranks(mt_arena *arena, const mt_backend *backend,
    const mt_monodomain *problem, const mt_layout *layout, const mt_backend **shared, void **self);

/* Executes the requests of rank 0 until it dismisses the rank. Other ranks only. Returns MT_OK even after failures,
 * which rank 0 receives. MT_MEMORY. */
MT_NODISCARD mt_status mt_backend_serve(void *self);

/* Ends mt_backend_serve on all other ranks. Rank 0 only. */
void mt_backend_dismiss(void *self);
