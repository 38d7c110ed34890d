/* Reaction spreading: how much of an element's reaction enters its neighbours at once.
 *
 * Elements with one voltage at their centre fire late, one after the other: the nearer side of an element should have fired
 * before its centre. With V^-1 M the diffusion operator and f the rate of v by the reaction [mV/ms], what is solved is
 *
 *     dv/dt   = V^-1 M v + (1 + V^-1 M kappa) f
 *     kappa_c = beta t_c^2 / (t_c + t_0)               [ms]
 *     t_c     = <|d|^2> / (D_l D_t D_n)^(1/3)          [ms]
 *
 * where <|d|^2> is the mean over the element's inner faces of the squared distance to the neighbour's centroid, and the root is
 * the tissue's mean diffusivity: t_c is the time of diffusion through the element, the square of its length in the metric of the
 * tissue. V kappa f moves between elements as v does, so no charge is lost. A finite element method with lumped mass on its left
 * and consistent mass on its right does the same: M_lumped v' = K v + M_consistent f.
 *
 * How much is right depends on the front. Through elements much shorter than the front is wide, f hardly differs between
 * neighbours, and the operator by itself is nearly right: what kappa = beta t_c would add makes waves early. Elements much longer than
 * the front fire one by one, and need most. t_0 lies between: the time of diffusion through an element about as long as the front
 * is wide. It belongs to the cell model, whose row has it (front_ms). With t_0 = 0, kappa = beta t_c.
 *
 * beta and tp06's t_0 were chosen together, by the delays of `myotile reproduce waves` with a damping of 1.6. The kappa / t_c with which
 * waves out of a corner are neither late nor early beside a line with dt -> 0, as a mean over all directions, for kuhn, mirrored and
 * gmsh:
 *
 *     length of the elements, mm   0.14   0.27                 0.4                  0.55                 0.8
 *     t_c, ms                      0.65   2.4                  5.3                  10                   21
 *     kappa / t_c                  0.037  0.044, 0.045, 0.044  0.050, 0.050, 0.049  0.054, 0.052, 0.052  -, 0.068, 0.065
 *     beta t_c / (t_c + t_0)       0.031  0.045                0.050                0.052                0.054
 *
 * (Boxes of 0.8 mm that are cut alike are late whatever kappa is.)
 *
 * Where f is the same in all elements nothing may move: V^-1 M kappa must vanish. So t is made smooth, by the diffusion operator
 * itself, for 1.7 times its mean: that is over some 1.5 elements in every direction. In a mesh of several tissues each has its own
 * D, t and mean: a layer that conducts well is spread as it would be alone, but for an element or two at its border. No element then
 * feels more than one or two hundredths of f, at such borders a tenth, where it would be several times f if kappa_c followed each
 * element's size.
 *
 * Large kappa can make sawtooth patterns grow. A pattern that decays at the rate lambda by diffusion, in cells whose reaction draws v
 * back at the rate j = -df/dv, changes at the rate -lambda - (1 - lambda kappa) j: it grows where kappa - 1/lambda > 1/j. Membranes of the
 * ventricles have j < 10 per ms (tests/solver/cells/test_model.c asks all models), so that all is well for kappa < 0.1 ms, which are
 * elements of about 0.3 mm in the usual tissue. In coarser meshes the stiffest elements, those of the largest diagonal a_cc of
 * V^-1 M, hold more charge than their volume has: their V_c is raised until
 *
 *     2 |a_cc| (kappa_c - 0.1 ms) <= 1
 *
 * (2 |a_cc| stands for lambda: no sawtooth decays much faster; time steps are left out, with which kappa + dt stands for kappa: what
 * then grows does so only while V is in a band of some mV below rest, where TP06 has j above 1 / (0.1 ms + dt)). At 0.4 mm that is
 * 3 % of the elements of a Gmsh mesh and 1 % of its volume, at 0.63 mm, in a heart, 25 % and 5 %; it makes the longest stable step
 * longer. */
#pragma once

#include "solver/diffusion/stars.h"

/* 1/j: no reaction draws v back faster. */
#define MT_SPREADING_REACTION_MS 0.1

/* Finds kappa of all elements for the scheme of the stars, whose beta is above 0, and raises the V_c of some of the stars, once
 * these are limited (else what grows would grow in kappa). Fills kappa_ms [n] and slowed [n], by how much V_c was raised (1: not);
 * gives how many were. MT_MEMORY. MT_STOPPED. */
MT_NODISCARD mt_status mt_spreading_make(mt_stars *stars, double *kappa_ms, float *slowed, size_t *n_slowed);
