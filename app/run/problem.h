/* The problem of a case: its mesh, the diffusion operator, and the monodomain problem that the time loop solves.
 *
 * Non-conducting elements are not part of it. It is solved on the mesh of the other elements, with faces to non-conducting elements as
 * boundary faces: these elements are in no row of the operator and on no tile, and receive no current. They are removed from all inputs
 * that refer to elements of the complete mesh (probes, stimuli, a saved partition). In results, elements have their numbers in the
 * complete mesh.
 *
 * With voltages at the vertices (mesh/unknowns.h), the mesh of the problem has only the vertices of conducting elements. */
#pragma once

#include "app/heart/case_places.h"
#include "app/run/placing.h"
#include "app/run/fronts.h"
#include "data/core/progress.h"
#include "mesh/anatomy/channels.h"
#include "solver/case/case.h"
#include "solver/conduction/junctions.h"
#include "solver/monodomain.h"
#include "solver/case/probe.h"

/* Channels with a warning of their own, the narrowest relative to their element size; a further warning counts the others. */
#define MT_PROBLEM_CHANNELS_WARNED 3

typedef struct mt_problem {
    mt_mesh whole;        /* the complete mesh, as read or generated */
    mt_mesh mesh;         /* its conducting elements; equal to `whole`, without numbers, if all conduct */
    mt_unknowns unknowns; /* of `mesh` */
    mt_adjacency adjacency;
    mt_media media;     /* of the conducting elements */
    mt_placing placing; /* of the discretisation, if that of the case is auto */
    mt_fronts fronts;
    mt_channels channels; /* of the complete mesh; `of` is NULL if all elements conduct */
    mt_diffusion diffusion;
    mt_probes probes;
    /* True if the labels base, epicardium and endocardia of the triangles were confirmed (mt_anatomy_confirm). */
    bool confirmed;
    mt_case_places places;    /* found on `whole`, which then has ventricular coordinates */
    mt_monodomain monodomain; /* points to `mesh` and `diffusion`: a problem must not be copied */
    /* Warnings and notes of getting the mesh, of its regions, of the chosen discretisation, and of the operator. True: mt_problem_make_like repeats them for the parts
     * that it takes, and so reports the same as mt_problem_make. */
    mt_messages mesh_said, regions_said, placing_said, operator_said;
    bool repeats_messages;
} mt_problem;

/* Builds the problem of a case in `arena`, with all cells at rest. Reports progress and warns of unusual values (solver/case/findings.h)
 * and of channels (mesh/anatomy/channels.h). A discretisation auto is chosen; mt_problem_fix stores the choice in the case.
 * `cached`: as in `mt_operator_make`. Fails with MT_INPUT or MT_NUMERICS if the case does not fit its mesh (the message names the key), and
 * with MT_FILE if a file cannot be read. */
MT_NODISCARD mt_status mt_problem_make(
    mt_arena *arena, const mt_case *input, bool cached, mt_problem *problem);

/* Same, on a given mesh instead of the case's own. Borrows its arrays for the lifetime of the problem. */
MT_NODISCARD mt_status mt_problem_make_on(
    mt_arena *arena, const mt_mesh *mesh, const mt_case *input, bool cached, mt_problem *problem);

/* Builds the parts of a problem that need no operator, for activation times without time steps (app/eikonal): mesh, media, stimuli, probes,
 * cells and conduction system. Its diffusion has only the pattern and the volumes of the unknowns; fronts and the time loop are omitted. A
 * discretisation auto becomes that at the vertices, unless a key of the case excludes it. Reports progress. Returns the errors of
 * `mt_problem_make`. */
MT_NODISCARD mt_status mt_problem_make_still(
    mt_arena *arena, const mt_case *input, bool cached, mt_problem *problem);

/* Chooses the discretisation of a case with auto, on a mesh (NULL: that of the case). Returns the errors of `mt_problem_make`. */
MT_NODISCARD mt_status mt_problem_choose(
    const mt_mesh *mesh, const mt_case *input, bool cached, mt_placing *placing);

/* Same, for a case that agrees with that of the problem `made` in all keys that affect the problem but diffusion.discretisation and its
 * accuracy. */
MT_NODISCARD mt_status mt_problem_choose_like(
    const mt_problem *made, const mt_case *input, bool cached, mt_placing *placing);

/* Stores the values that were found for a problem in its case, so that it fixes them: time.pde_steps, the discretisation, the laws of the
 * fronts and the places. Strings are in `arena`. MT_MEMORY. */
MT_NODISCARD mt_status mt_problem_fix(mt_arena *arena, const mt_problem *problem, mt_case *input);

/* Same, with the default laws of spreading for all cells instead of measured ones, and without warnings, for a case without auto. */
MT_NODISCARD mt_status mt_problem_make_unmeasured(
    mt_arena *arena, const mt_mesh *mesh, const mt_case *input, mt_problem *problem);

/* Builds the problem of another case with mesh, tissue and non-conducting elements of the existing problem `made`, and borrows its
 * arrays; also its operator, unless the cells need another spreading (app/run/fronts.h). Stimuli, probes, cells of the same model, time
 * steps and recorded quantities are taken from the case. The cases must agree in the keys that affect the problem (MT_AFFECTS_PROBLEM),
 * without auto. `placing`: the choice of the discretisation, if it was auto. Returns the errors of `mt_problem_make`. */
MT_NODISCARD mt_status mt_problem_make_like(mt_arena *arena, const mt_problem *made, const mt_case *input,
    const mt_placing *placing, bool cached, mt_problem *problem);

/* Checks that `mt_problem_make_like` accepts the case, without calibrating its cells and coupling its conduction system, and without
 * warnings of the latter. */
MT_NODISCARD mt_status mt_problem_check_like(const mt_problem *made, const mt_case *input);

/* Makes the paths of all files of a case absolute, so that `used.yaml` is valid in any folder. Fails with MT_FILE if a file does not exist;
 * the message names it. */
MT_NODISCARD mt_status mt_problem_find_files(mt_arena *arena, mt_case *input);

/* Returns the tissue of a complete problem for the junctions of a conduction system. */
mt_junctions_tissue mt_problem_tissue(const mt_problem *problem);

/* Sets the initial state of the cells, also of the conduction system, by the pre-pacing of the case (app/run/prepace.h). A run that
 * resumes from a checkpoint does not need it. Returns the errors of `mt_prepace`. */
MT_NODISCARD mt_status mt_problem_prepace(
    mt_arena *arena, const mt_case *input, bool cached, mt_problem *problem);

/* Replaces stimuli and probes of a problem by those from another case with the same mesh, tissue and cells. The stimuli are in `arena`.
 * Places of the case have been found (app/heart/case_places.h). Fails with MT_INPUT if they do not fit the mesh (the message names the
 * key), or with MT_FILE. */
MT_NODISCARD mt_status mt_problem_set_stimuli_and_probes(
    mt_arena *arena, const mt_case *input, mt_problem *problem);
