/* A backend that several ranks have parts of, as one: rank 0 leads, the others serve.
 *
 * The leader holds a backend like any other, of the whole problem, whose functions make all ranks call those of their own part. So what
 * stands above it, the time loop and all that is written, runs on rank 0 alone, and the others hold their parts of the problem
 * (solver/backends/share.h) and no more. What is read comes to rank 0 from each, and what is written goes to each, as its own elements in the
 * parts' order. */
#pragma once

#include "solver/backends/backend.h"

/* Opens a backend on all ranks of the layout, which has some. Rank 0 has the whole problem, whose operator is lean, and layout, and gets what
 * leads the others, in `arena` as its data. These have no problem, and a layout without halo: both come from rank 0, in `arena`; what they
 * get is for mt_backend_serve. A failure of one is that of all, but where memory ends while parts are given: then the others wait for who
 * failed. Fails as the backend's open. Collective. */
MT_NODISCARD mt_status mt_backend_open_on_ranks(mt_arena *arena, const mt_backend *backend,
    const mt_monodomain *problem, const mt_layout *layout, const mt_backend **shared, void **self);

/* On the other ranks: does what rank 0 asks for, until it dismisses them. MT_OK then, whatever became of it: rank 0 has heard of failures. MT_MEMORY. */
MT_NODISCARD mt_status mt_backend_serve(void *self);

/* On rank 0, when nothing more will be asked for. */
void mt_backend_dismiss(void *self);
