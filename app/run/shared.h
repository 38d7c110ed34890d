/* Mesh, operator and mapping to tiles, shared by the runs of one program. They are rebuilt only for a case that differs in a key that
 * affects them. Results have the same bits with and without sharing.
 *
 * Two cases have the same mesh and operator unless a key differs that affects them (mt_affects, solver/case/case.h). They have the same
 * mapping if the machine is the same, too. */
#pragma once

#include "app/run/mapping.h"
#include "app/run/problem.h"

/* Zero-initialised means that nothing was built yet. */
typedef struct mt_shared {
    mt_arena of_problem, of_mapping;
    /* The cases of the problem and of the mapping, with one line for each value; NULL if not built. */
    const char *case_text, *mapped_text; /* without auto */
    mt_problem problem;                  /* without a conduction system, which each case builds */
    mt_mapping_choice choice;
    mt_mapping mapping;
    /* True: warnings and notes of building the problem and the mapping are reported by every call that returns them, so that each run has
     * the messages of a single run. False: when they are built. */
    bool repeats_messages;
    mt_messages mapping_said; /* if messages are repeated */
} mt_shared;

/* Builds the problem of a case without its conduction system, unless the existing one agrees in all keys that affect it. The case has
 * absolute paths (`mt_problem_find_files`). Returns the errors of `mt_problem_make`. */
MT_NODISCARD mt_status mt_shared_make(mt_shared *shared, const mt_case *input, bool cached);

/* Sets *has to true if `mt_shared_make` would build nothing; with auto, if it would build nothing for either discretisation of the
 * existing problem. */
MT_NODISCARD mt_status mt_shared_has(const mt_shared *shared, const mt_case *input, bool *has);

/* Builds the problem of a case, whose discretisation is chosen as for the case alone: its own parts in `arena`; the shared parts are valid
 * until a problem is built again. Returns the errors of `mt_problem_make`. */
MT_NODISCARD mt_status mt_shared_problem(
    mt_shared *shared, mt_arena *arena, const mt_case *input, bool cached, mt_problem *problem);

/* Returns the mapping of the case of the last requested problem, valid until the next one. Copies the choice, except its ranks.
 * `conduction`: of that problem, or NULL. Returns the errors of `mt_mapping_make`. */
MT_NODISCARD mt_status mt_shared_mapping(mt_shared *shared, const mt_case *input,
    const mt_mapping_choice *choice, const mt_conduction *conduction, const mt_mapping **mapping);

void mt_shared_free(mt_shared *shared);
