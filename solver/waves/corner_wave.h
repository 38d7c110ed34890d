/* The error of activation times on elements of a given size, for any cells and tissue, with voltages at the elements or at the vertices: an
 * activation wavefront from the corner of a small slab, compared with a converged circular wavefront on a 1-D cable (solver/cable.h).
 *
 * Lengths are scaled: a mm along y counts sqrt(D_l / D_t) mm, so that the conduction velocity is isotropic (as in solver/cable.h). Elements
 * within a radius of 2.5 mm are stimulated, and the wavefront is measured from 5 to 11 mm, all for the default longitudinal diffusivity. In
 * other tissue these lengths scale with the square root of D_l, and with large elements they are at least 1.25, 2 and 5 edges. With the
 * activation times T of the elements and T' of the cable at the same distance, the error of a direction is the slope of T over T', less 1.
 *
 * The slab is unstructured (mesh/make/mosaic.h). Errors are those on Gmsh meshes of the same element size within 3 points
 * (solver/diffusion/README.md). */
#pragma once

#include "mesh/adjacency.h"
#include "mesh/unknowns.h"
#include "solver/cable.h"
#include "solver/cells/model.h"
#include "solver/diffusion/nodal.h"
#include "solver/diffusion/scheme.h"
#include "solver/diffusion/tissue.h"
#include "solver/monodomain.h"

/* The reference solutions of a corner: they do not depend on the discretisation. Zero-initialised with an arena, `mt_corner_make` computes
 * them; the slab of the other discretisation of the same corner then uses them again. */
typedef struct mt_corner_cables {
    mt_arena *arena; /* of the results */
    bool made;
    mt_cable_wave round, plane; /* `plane` only if the circular wavefront reaches the end */
} mt_corner_cables;

/* The cells, the tissue and the elements. */
typedef struct mt_corner {
    const mt_cell_model *model;
    const mt_cell_variant *cells; /* of the model; its V and states are those at the stimulus */
    const mt_tissue *tissue;      /* transversely isotropic: the value normal to the sheets is ignored */
    double length_mm;             /* element size: cube root of the mean volume */
    double dt_ms;
    bool at_vertices;         /* the voltages */
    mt_corner_cables *cables; /* reference solutions for slabs of both discretisations; NULL: not kept */
} mt_corner;

/* How the tissue is discretised: for elements a scheme and a law of its spreading (NULL: that of the scheme), for vertices a law. The
 * others are ignored. All borrowed. */
typedef struct mt_corner_method {
    const mt_diffusion_scheme *scheme;
    const mt_spreading_law *law;
    const mt_nodal_law *nodal;
} mt_corner_method;

/* A slab and its reference solution. */
typedef struct mt_corner_slab {
    const mt_corner *corner; /* borrowed */
    mt_mesh mesh;
    mt_adjacency adjacency;
    mt_unknowns unknowns; /* of the mesh */
    double *place_mm;     /* [unknowns][2] x and y, scaled */
    /* [unknowns] activation time of the cable at the same distance; NaN if not measured there */
    double *expected_ms;
    mt_stimulus stimulus;   /* from time 0 */
    double end_ms, dead_ms; /* limits of a run, as in mt_wave_run */
    double speed_mm_ms;     /* longitudinal CV on a converged cable; NaN: no propagation */
} mt_corner_slab;

/* The stimulus: a change of V [mV/ms], that of 50 uA/mm^3 in the default tissue, and its duration. */
extern const double mt_corner_rise_mV_ms, mt_corner_duration_ms;

enum { MT_CORNER_SECTORS = 9 }; /* of 10 degrees, from the fibre direction on, in scaled lengths */

/* Relative errors of activation times, positive: late; infinite if an unknown of the sector was not activated. */
typedef struct mt_corner_errors {
    double sector[MT_CORNER_SECTORS], mean, rms; /* mean and root mean square over the sectors */
} mt_corner_errors;

/* True if the slab has at most about MT_CORNER_MOST elements, so that a wavefront takes a second at most. It has more if D_l / D_t is above
 * about 120. */
bool mt_corner_fits(const mt_corner *corner);

#define MT_CORNER_MOST 6000

/* Builds slab and reference in `arena`. Without propagation on the cable, speed_mm_ms is NaN and there is no slab. Fails with the errors of
 * `mt_mosaic_make` and `mt_cable_run`. */
MT_NODISCARD mt_status mt_corner_make(mt_arena *arena, const mt_corner *corner, mt_corner_slab *slab);

/* Computes the wavefront through the slab on the backend cpu, and compares it. Reports progress within the current stage under the name
 * `what`. Fails with MT_NUMERICS if V diverges, and with the errors of `mt_diffusion_make_with` and `mt_nodal_diffusion_make`. */
MT_NODISCARD mt_status mt_corner_measure(
    const mt_corner_slab *slab, const mt_corner_method *method, const char *what, mt_corner_errors *errors);
