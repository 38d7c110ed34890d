/* What the runs of one program share: a mesh, its operator, and how it was cut for the tiles. They are made once for cases that
 * agree in all that these depend on, and made again for one that does not. Results do not tell the difference, not by a bit.
 *
 * Of two cases the mesh and the operator are the same unless a key differs that affects them (mt_affects, solver/case/case.h). The mapping
 * to the tiles is the same if the machine is, too. */
#pragma once

#include "app/run/mapping.h"
#include "app/run/problem.h"

/* All zero: nothing was made yet. */
typedef struct mt_shared {
    mt_arena of_problem, of_mapping;
    const char *case_text,
        *mapped_text; /* the cases that they were made for, a line a value; NULL: there is none */
    mt_problem problem;
    mt_mapping_choice choice;
    mt_mapping mapping;
} mt_shared;

/* Creates the problem of a case, unless there is one that agrees in the keys that affect it. Paths are absolute (mt_problem_find_files).
 * Fails as mt_problem_make. */
MT_NODISCARD mt_status mt_shared_make(mt_shared *shared, const mt_case *input, bool cached);

/* Tells whether mt_shared_make would create nothing. MT_MEMORY. */
MT_NODISCARD mt_status mt_shared_has(const mt_shared *shared, const mt_case *input, bool *has);

/* Returns the problem of a case: its own parts in `arena`, the others valid until mt_shared_make creates one. Fails as mt_problem_make. */
MT_NODISCARD mt_status mt_shared_problem(
    mt_shared *shared, mt_arena *arena, const mt_case *input, bool cached, mt_problem *problem);

/* Gives the mapping of the case whose problem was asked for last, until another is. Fails as mt_mapping_make. */
MT_NODISCARD mt_status mt_shared_mapping(
    mt_shared *shared, const mt_case *input, const mt_mapping_choice *choice, const mt_mapping **mapping);

void mt_shared_free(mt_shared *shared);
