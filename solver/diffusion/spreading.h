/* Reaction spreading: how much of an element's reaction enters its neighbours at once.
 *
 * Elements with one voltage at their centre fire late, one after the other: the nearer side of an element should have fired
 * before its centre. With V^-1 M the diffusion operator and f the rate of v by the reaction [mV/ms], what is solved is
 *
 *     dv/dt = V^-1 M v + (1 + V^-1 M kappa) f,     kappa_c = beta <|d|^2> / (D_l D_t^2)^(1/3)  [ms]
 *
 * where <|d|^2> is the mean over the element's inner faces of the squared distance to the neighbour's centroid, and the root has
 * the tissue's mean diffusivity, so that kappa is the square of an element's length in the metric of the tissue. V kappa f moves
 * between elements as v does, so no charge is lost; and kappa -> 0 as elements become small. A finite element method with lumped mass
 * on its left and consistent mass on its right does the same: M_lumped v' = K v + M_consistent f.
 *
 * Where f is the same in all elements nothing may move: V^-1 M kappa must vanish. So kappa is made smooth, by the diffusion operator
 * itself, for 40 times its mean: that is over some 1.5 elements in every direction. No element then feels more than
 * about a hundredth of f, where it would be several times f if kappa_c followed each element's size.
 *
 * Large kappa can make sawtooth patterns grow. A pattern that decays at the rate lambda by diffusion, in cells whose reaction draws v
 * back at the rate j = -df/dv, changes at the rate -lambda - (1 - lambda kappa) j: it grows where kappa - 1/lambda > 1/j. Membranes of the
 * ventricles have j < 10 per ms (tests/solver/cells/test_model.c asks all models), so that all is well for kappa < 0.1 ms, which are
 * elements of about 0.3 mm in the usual tissue. In coarser meshes the stiffest elements, those of the largest diagonal a_cc of
 * V^-1 M, hold more charge than their volume has: their V_c is raised until
 *
 *     2 |a_cc| (kappa_c - 0.1 ms) <= 1
 *
 * (2 |a_cc| stands for lambda: no sawtooth decays much faster). At 0.4 mm that is 1 to 2 % of the elements of a Gmsh mesh and half a
 * per cent of its volume; it makes the longest stable step longer. */
#ifndef MT_SOLVER_DIFFUSION_SPREADING_H
#define MT_SOLVER_DIFFUSION_SPREADING_H

#include "solver/diffusion/stars.h"

/* 1/j: no reaction draws v back faster. */
#define MT_SPREADING_REACTION_MS 0.1

/* Finds kappa of all elements for beta > 0 and raises the V_c of some of the stars, once these are limited (else what grows would grow
 * in kappa). Fills kappa_ms [n] and slowed [n], by how much V_c was raised (1: not); gives how many were. MT_MEMORY. MT_STOPPED. */
MT_NODISCARD mt_status mt_spreading_make(
    mt_arena *scratch, mt_stars *stars, double beta, double *kappa_ms, float *slowed, size_t *n_slowed);

#endif
