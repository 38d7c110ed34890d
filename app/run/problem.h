/* The problem of a case: its mesh, the diffusion operator on it, and what the time loop solves.
 *
 * Inert elements are not part of it. It is solved on a mesh of the others, whose faces towards them are boundary: no row of the
 * operator reaches across, no tile holds them, no current reaches them. What comes in by elements of the whole mesh (probes, stimuli,
 * a saved partition) loses the inert ones, and in results each element has its number in the whole. */
#pragma once

#include "solver/case/case.h"
#include "solver/monodomain.h"
#include "solver/case/probe.h"

typedef struct mt_problem {
    mt_mesh whole; /* as read or made */
    mt_mesh mesh;  /* its elements that are not inert; equal to it, without numbers, where none is */
    mt_adjacency adjacency;
    mt_media media; /* of its elements */
    mt_diffusion diffusion;
    mt_probes probes;
    bool
        confirmed; /* which triangles of the whole are base, epicardium and endocardia (mt_anatomy_confirm) */
    mt_monodomain monodomain; /* points to mesh and diffusion: a problem stays where it was made */
} mt_problem;

/* Creates the problem of a case in `arena`, with all cells at rest. Shows progress, and warns of unusual values (solver/case/findings.h).
 * `cached`: as in mt_operator_make. MT_INPUT, MT_NUMERICS: the case does not fit its mesh; the message names the key. MT_FILE: a file
 * cannot be read. MT_MEMORY. */
MT_NODISCARD mt_status mt_problem_make(
    mt_arena *arena, const mt_case *input, bool cached, mt_problem *problem);

/* The same on a mesh that was made elsewhere, whose arrays the problem keeps; the case's own mesh is not made. */
MT_NODISCARD mt_status mt_problem_make_on(
    mt_arena *arena, const mt_mesh *mesh, const mt_case *input, bool cached, mt_problem *problem);

/* Gives the problem of another case on the mesh, with the tissue, the inert elements and the operator of one that was made, whose
 * arrays it borrows: what is the case's own are stimuli, probes, cells of the same model, time steps and what is recorded. The cases must
 * agree in the keys that affect the problem (MT_AFFECTS_PROBLEM). Fails as mt_problem_make. */
MT_NODISCARD mt_status mt_problem_make_like(
    mt_arena *arena, const mt_problem *made, const mt_case *input, mt_problem *problem);

/* Makes the paths of all files of a case absolute, so that `used.yaml` is valid in any folder. MT_FILE: one does not exist; the message
 * names it. MT_MEMORY. */
MT_NODISCARD mt_status mt_problem_find_files(mt_arena *arena, mt_case *input);

/* Makes the cells of a problem begin where the case's prepace leaves them (app/run/prepace.h). A run that goes on from a checkpoint
 * does not need it. Fails as mt_prepace. */
MT_NODISCARD mt_status mt_problem_prepace(
    mt_arena *arena, const mt_case *input, bool cached, mt_problem *problem);

/* Stimulates a problem, and probes it, as another case of the same mesh, tissue and cells says; the stimuli are given in
 * `arena`. MT_INPUT: they do not fit the mesh; the message names the key. MT_FILE. MT_MEMORY. */
MT_NODISCARD mt_status mt_problem_aim(mt_arena *arena, const mt_case *input, mt_problem *problem);
