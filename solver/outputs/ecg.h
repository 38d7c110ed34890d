/* The pseudo-ECG: potentials at electrodes in a bath around the tissue that is infinite, of one conductivity, and does not act back.
 *
 * The current inside the cells makes each volume dV of tissue a dipole -sigma_i grad V dV, and
 *
 *     phi(x_e) = -1 / (4 pi sigma_b) * integral over the tissue of (sigma_i grad V) . grad(1 / |x - x_e|) dV
 *
 * with the gradients taken at the source, x: the field of a current in an unbounded conductor (R. Plonsey and R. C. Barr, Bioelectricity,
 * 3rd ed., Springer 2007), used so by K. Gima and Y. Rudy (Circ. Res. 90:889, 2002) and, as "recovery" of the potential, by
 * M. J. Bishop and G. Plank (IEEE Trans. Biomed. Eng. 58:2297, 2011). It solves sigma_b div grad phi = -div(sigma_i grad V), with no
 * sigma_i outside the tissue, and vanishes far away: potentials are against infinity. Signs: a front that comes towards an electrode
 * makes it positive, one that goes away negative. sigma_i are the conductivities inside the cells, not those of the monodomain
 * equation. The space outside the cells counts as bath, also in the tissue.
 *
 * The current of a stimulus is not a source in this formula, so the potential does not jump when a stimulus begins or ends. But the stimulus
 * drives V of all its elements at once, and the potential changes as fast as V: see solver/case/stimulated.h.
 *
 * How it is computed. An element has one V and a gradient that is linear in its own voltage and its neighbours': that of the diffusion
 * operator (mt_diffusion_gradients), which has no conormal part through the outer surface, as V has none. The integral of
 * grad(1 / |x - x_e|) over an element is taken at four points. The error falls with the square of the edges
 * (tests/solver/outputs/test_ecg.c). So the potential is a sum of weights times voltages, and the weights are made once:
 *
 *     phi_e = sum_c w_ec (V_c - V_0)
 *
 * The weights of an electrode add up to 0. V_0, the voltage of the first element, makes that exact: equal voltages give 0. It also makes
 * single precision enough for them: what is rounded is 6e-8 of what each V_c - V_0 contributes, and at random. */
#pragma once

#include "mesh/adjacency.h"
#include "mesh/mesh.h"
#include "solver/tissue/medium.h"

enum { MT_ELECTRODES_MAX = 256 };

typedef struct mt_electrode {
    const char *name;
    double at_mm[3];
} mt_electrode;

typedef struct mt_ecg {
    size_t n_elements;
    size_t n;      /* electrodes */
    float *weight; /* [n][n_elements], no unit */
} mt_ecg;

/* Gives the weights in `arena`: 4 bytes an element and electrode, and 152 an element on the way. Borrows the rest. `media` say what
 * conducts inside the cells, and by the monodomain tissue that they make what no flux through the surface is. The mesh is what V is
 * computed on, so scar that was taken out of it counts as bath. O(n n_elements). Deterministic.
 *
 * MT_INPUT: no electrode or too many; one without a name, with that of another or not at a finite place; one that lies in the tissue,
 * or closer to an element than the cube root of that element's volume, with the distance; a conductivity of the bath that is not finite
 * and above 0; a mesh without elements; media as mt_diffusion_make_with refuses them. MT_MEMORY. */
MT_NODISCARD mt_status mt_ecg_make(mt_arena *arena, const mt_mesh *mesh, const mt_adjacency *adjacency,
    const mt_media *media, double bath_mS_mm, size_t n, const mt_electrode *electrode, mt_ecg *ecg);

/* Fills phi_mV [n] from v_mV [n_elements]. The same bits for any number of threads. */
void mt_ecg_potentials(const mt_ecg *ecg, const double *v_mV, double *phi_mV);
