/* The pseudo-ECG: potentials at electrodes in an unbounded, homogeneous bath around the tissue that does not act back on it.
 *
 * The intracellular current makes each volume dV of tissue a dipole -sigma_i grad V dV, and
 *
 *     phi(x_e) = -1 / (4 pi sigma_b) * integral over the tissue of (sigma_i grad V) . grad(1 / |x - x_e|) dV
 *
 * with the gradients at the source, x: the field of a current in an unbounded volume conductor (R. Plonsey and R. C. Barr, Bioelectricity,
 * 3rd ed., Springer 2007), as used by K. Gima and Y. Rudy (Circ. Res. 90:889, 2002) and, as "recovery" of the potential, by M. J. Bishop
 * and G. Plank (IEEE Trans. Biomed. Eng. 58:2297, 2011). It solves sigma_b div grad phi = -div(sigma_i grad V), with sigma_i = 0 outside
 * the tissue, and vanishes at infinity, which is the reference. An approaching front makes an electrode positive, a receding one negative.
 * sigma_i are the intracellular conductivities, not those of the monodomain equation. The extracellular space counts as bath, also in the
 * tissue.
 *
 * The current of a stimulus is not a source in this formula, so the potential does not jump when a stimulus begins or ends. But the
 * stimulus drives V of all its elements at once, and the potential changes as fast as V: see solver/case/stimulated.h.
 *
 * Discretisation. An element has one V and a gradient that is linear in its own voltage and those of its neighbours: the gradient of the
 * diffusion operator (mt_diffusion_gradients), without a conormal component at the outer surface. The integral of grad(1 / |x - x_e|) over
 * an element uses four points. The error is of second order in the edge length (tests/solver/outputs/test_ecg.c). The potential is
 * therefore a weighted sum of voltages, with weights computed once:
 *
 *     phi_e = sum_c w_ec (V_c - V_0)
 *
 * With voltages at the vertices (mesh/unknowns.h), grad V is constant in an element and exact for linear finite elements; c are then
 * vertices.
 *
 * The weights of an electrode sum to 0. V_0, the voltage of the first unknown, makes that exact: equal voltages yield 0. Single precision
 * is then sufficient for the weights: their rounding errors are random, at most 6e-8 of each contribution w_ec (V_c - V_0). */
#pragma once

#include "mesh/adjacency.h"
#include "mesh/unknowns.h"
#include "solver/tissue/medium.h"

enum { MT_ELECTRODES_MAX = 256 };

typedef struct mt_electrode {
    const char *name;
    double at_mm[3];
} mt_electrode;

typedef struct mt_ecg {
    size_t n_unknowns; /* elements or vertices */
    size_t n;          /* number of electrodes */
    float *weight;     /* [n][n_unknowns], dimensionless */
} mt_ecg;

/* Computes the weights in `arena`: 4 bytes per unknown and electrode, and 152 per element of temporary memory. Borrows the other arguments.
 * `media` define the intracellular conductivities, and, by their monodomain tissue, the zero-flux condition at the surface. The mesh is
 * that of V, of the unknowns: non-conducting scar excluded from it counts as bath. O(n n_elements). Deterministic.
 *
 * MT_INPUT if there is no electrode or too many; if one has no name, a duplicate name or a position that is not finite; if one is in the
 * tissue or closer to an element than the cube root of its volume (the message has the distance); if the bath's conductivity is not finite
 * and positive; if the mesh has no elements; or if mt_diffusion_make_with refuses the media. MT_MEMORY. */
MT_NODISCARD mt_status mt_ecg_make(mt_arena *arena, const mt_unknowns *unknowns,
    const mt_adjacency *adjacency, const mt_media *media, double bath_mS_mm, size_t n,
    const mt_electrode *electrode, mt_ecg *ecg);

/* Computes phi_mV [n] from v_mV [n_unknowns]. The same bits for any number of threads. */
void mt_ecg_potentials(const mt_ecg *ecg, const double *v_mV, double *phi_mV);
