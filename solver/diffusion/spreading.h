/* Reaction spreading: the fraction of an element's reaction that enters its neighbours at once.
 *
 * With one voltage per element centre, elements fire late and one after the other: the near side of an
 * element should fire before its centre. With V^-1 M the diffusion operator and f the reaction rate of v
 * [mV/ms], the equation solved is
 *
 *     dv/dt   = V^-1 M v + (1 + V^-1 M kappa) f
 *     kappa_c = beta t_c^2 / (t_c + t_0)               [ms]
 *     t_c     = <|d|^2> / (D_l D_t D_n)^(1/3)          [ms]
 *
 * where <|d|^2> is the mean over the inner faces of the squared distance to the neighbour's centroid, and the
 * root is the mean diffusivity of the tissue. t_c is the diffusion time through the element: its squared size
 * in the metric of the tissue. V kappa f moves between elements as v does, so charge is conserved. A finite
 * element method with lumped mass on the left and consistent mass on the right does the same: M_lumped v' = K
 * v + M_consistent f.
 *
 * The right amount depends on the wavefront. Across elements much smaller than the wavefront's width, f
 * hardly differs between neighbours and the plain operator is nearly exact; kappa = beta t_c would
 * overestimate CV. Elements much larger than this width fire one by one and need most spreading. t_0
 * separates both regimes: it is the diffusion time through an element about as large as the wavefront is
 * wide. It belongs to the ionic model and is in its table row (front_ms). With t_0 = 0, kappa = beta t_c.
 *
 * beta and the t_0 of tp06 were fitted together, to the delays of `myotile reproduce waves` with a damping of
 * 1.6. The table has the kappa / t_c for which activation from a corner is neither late nor early compared
 * with a 1-D cable with dt -> 0, as a mean over all directions, for kuhn, mirrored and gmsh:
 *
 *     element size, mm             0.14   0.27                 0.4                  0.55                 0.8
 *     t_c, ms                      0.65   2.4                  5.3                  10                   21
 *     kappa / t_c                  0.037  0.044, 0.045, 0.044  0.050, 0.050, 0.049  0.054, 0.052, 0.052  -, 0.068, 0.065
 *     beta t_c / (t_c + t_0)       0.031  0.045                0.050                0.052                0.054
 *
 * (The kuhn boxes of 0.8 mm are late for every kappa.)
 *
 * A uniform f must not move charge between elements: V^-1 M kappa must vanish. t is therefore smoothed by the
 * diffusion operator for 1.7 times its mean, which is over some 1.5 elements in every direction. Each tissue
 * has its own D, t and mean: a well conducting layer is spread as if alone, except for an element or two at
 * its border. The error is then at most one or two hundredths of f in any element, a tenth at such borders.
 * It would be several times f if kappa_c followed the size of each element.
 *
 * Large kappa can cause sawtooth modes to grow. A mode with diffusive decay rate lambda, in cells with a
 * restoring reaction rate j = -df/dv, changes at the rate -lambda - (1 - lambda kappa) j: it grows if kappa -
 * 1/lambda > 1/j. Ventricular ionic models have j < 10 per ms (tests/solver/cells/test_model.c checks all
 * models), so kappa < 0.1 ms is safe, which means elements of about 0.3 mm in the default tissue. In coarser
 * meshes the stiffest elements, with the largest diagonals a_cc of V^-1 M, hold more charge than their volume
 * has: their V_c is raised until
 *
 *     2 |a_cc| (kappa_c - 0.1 ms) <= 1
 *
 * (2 |a_cc| replaces lambda, since no sawtooth decays much faster. The time step is neglected; with it, kappa
 * + dt replaces kappa, and modes grow only while V is in a band of some mV below rest, where TP06 has j above
 * 1 / (0.1 ms + dt).) At 0.4 mm this affects 3 % of the elements and 1 % of the volume of a Gmsh mesh; at
 * 0.63 mm, in a heart, 25 % and 5 %. It increases the longest stable step.
 *
 * Cells with a slower upstroke need more spreading: with a quarter of TP06's g_Na 2 to 2.3 times as much, with
 * a resting potential of -70 mV about 3 times. The added charge would then reduce CV by more than the
 * spreading increases it. Such cells restore V more slowly, which permits a law of their own
 * (solver/waves/calibration.h measures it) with their own beta and 1/j, in which kappa is limited instead:
 *
 *     kappa_c <= min(1 / |a_cc|, 1/j + 1 / (2 |a_cc|))
 *
 * The second term is the bound above; 1/j is also that of cells below rest, where I_K1 restores V faster than
 * anything in a weak action potential. The first keeps the stiffest elements of irregular meshes, with kappa
 * far above their own diffusion time, from emitting more than they contain. Limited kappa differ between
 * neighbours, so that a uniform reaction would move charge: cells with K_o 10 mM that start 15 mV below their
 * rest would diverge. kappa is therefore averaged twice over each element and its neighbours, and limited again.
 * beta is smoothed by the same diffusion as t, so that kappa does not jump at a border of cells. */
#pragma once

#include "solver/diffusion/stars.h"

/* 1/j of healthy ventricular cells: lower bound of the restoring time of the reaction. */
#define MT_SPREADING_REACTION_MS 0.1

/* Returns the law of a scheme. */
mt_spreading_law mt_spreading_law_of(const mt_diffusion_scheme *scheme);

/* Computes kappa of all elements and raises the V_c of some stars. `by`: the laws of the elements, by their
 * numbers in the mesh; NULL: the law of the scheme. The stars must be limited before, since growing modes would
 * grow in kappa. Fills kappa_ms [n] and slowed [n], the factor of V_c (1 if not raised); returns the number of
 * raised elements. MT_MEMORY. MT_STOPPED. */
MT_NODISCARD mt_status mt_spreading_make(
    mt_stars *stars, const mt_spreading *by, double *kappa_ms, float *slowed, size_t *n_slowed);
