/* The activation wavefronts of a problem: for each kind of cells in each tissue its conduction velocity, its law of reaction spreading, and
 * the expected error of activation times on this mesh.
 *
 * The default law is right for the model's own cells in tissue of ordinary anisotropy, if it was measured with the model
 * (mt_cell_model.delays). Other cells, and cells in tissue with D_l / D_t different from that of the default tissue by more than
 * MT_FRONTS_ANISOTROPY, are measured, and a law of their own is fitted if the error of the default law is too large
 * (solver/waves/calibration.h). This takes about a second of processor time each and is cached (data/files/cache.h). Kinds of cells with
 * the same upstroke at the start, such as those that differ in potassium currents, share one law. D_l / D_t different by more than
 * MT_FRONTS_MEASURED counts as a difference by that factor. With a scheme other than the default one errors are measured, but the law is
 * that of the scheme. `diffusion.spreading_of_cells` of a case fixes the laws.
 *
 * With voltages at the vertices all cells are measured, and a law is fitted to them; if diffusion.nodal_spreading is not 1, it is that
 * of a chain with this factor. The cells of an element are those of most of its vertices, the first of equals.
 *
 * With several beats the errors are also measured for cells at the shortest coupling interval of the case, in uniformly recovered tissue:
 * each cell is stimulated alone, and the wavefront starts after that interval. No law corrects these errors. */
#pragma once

#include "solver/case/case.h"
#include "solver/monodomain.h"
#include "solver/tissue/medium.h"
#include "solver/waves/calibration.h"

#define MT_FRONTS_ANISOTROPY 1.5
#define MT_FRONTS_MEASURED 8

/* Errors from this value on are warned of. */
#define MT_FRONTS_WARN_PERCENT 5

/* Cells are considered recovered after this interval; pulses that are closer than the other are not beats. */
#define MT_FRONTS_RECOVERED_MS 600
#define MT_FRONTS_BEAT_MS 150

typedef struct mt_front {
    size_t variant, medium; /* of the problem */
    const char *name;       /* of the variant */
    size_t n_elements;
    /* element size: root mean square, weighted by volume, of the cube root of the mean volume of an element and its neighbours; errors are
     * proportional to squares of sizes */
    double length_mm;
    bool measured; /* false: the default law, without a measurement; the rest is zero-initialised */
    bool shared;   /* measured for an earlier front with the same upstroke */
    bool fits; /* with voltages at the elements a law is fitted to it; otherwise it has that of the case */
    mt_calibration calibration; /* of the cells at rest */
    mt_corner_errors
        other;           /* the same with voltages at the vertices instead of the elements, or the reverse */
    bool conducts_early; /* after the shortest coupling interval */
    mt_corner_errors early; /* errors after it */
    mt_corner_errors
        other_early; /* same, of the other discretisation; 0 without diffusion.accuracy_percent */
} mt_front;

typedef struct mt_fronts {
    size_t n;
    double interval_ms; /* the shortest coupling interval of the case; NaN: none */
    mt_front *front;    /* [n] in the order of their first elements */
    mt_spreading
        spreading; /* [n] the laws; n is 0 if all elements have the law of the scheme, or with voltages at the vertices */
    mt_nodal_spreading
        nodal; /* [n] the laws with voltages at the vertices; n is 0 without spreading; law is NULL with voltages at elements */
    const uint16_t *
        of_unknown; /* [unknowns] the front of each; of a vertex that of its cells in the tissue with the largest volume */
} mt_fronts;

/* Finds the fronts of a problem with its cells and media, in `arena`. `cached`: true to use the cache. With diffusion.accuracy_percent the
 * errors at the shortest coupling interval are measured for both discretisations. Reports progress. Fails with
 * MT_INPUT if the case fixes the laws of another number of fronts (the message names the key), and with the errors of `mt_calibrate`. */
MT_NODISCARD mt_status mt_fronts_make(mt_arena *arena, const mt_case *input, const mt_mesh *mesh,
    const mt_adjacency *adjacency, const mt_media *media, const mt_monodomain *cells, bool cached,
    mt_fronts *fronts);

/* Measures the error of a front, also at the coupling interval, with one discretisation and another element size. `input`: the case with
 * that discretisation. Returns the errors of `mt_calibrate`. */
MT_NODISCARD mt_status mt_front_resize(const mt_case *input, const mt_media *media,
    const mt_monodomain *cells, bool cached, double interval_ms, double length_mm, const mt_front *front,
    double *rms);

/* True if both have the same laws in all n_elements. */
bool mt_fronts_same(const mt_fronts *a, const mt_fronts *b, size_t n_elements);

/* True if the activation times of a measured front have an expected error of MT_FRONTS_WARN_PERCENT or more. */
bool mt_front_is_inaccurate(const mt_front *front);

/* Stores the strengths of the laws in a case, in `arena`, so that it fixes them. MT_MEMORY. */
MT_NODISCARD mt_status mt_fronts_fix(mt_arena *arena, const mt_fronts *fronts, mt_case *input);

/* Warns of the measured fronts with an expected error of MT_FRONTS_WARN_PERCENT or more, and above allowed_percent, and of non-conducting
 * ones. `name`: the mesh. */
void mt_fronts_warn(const char *name, const mt_fronts *fronts, double allowed_percent);

/* Warns after a run of each stimulus with a pulse without capture (mt_capture; not at sites) in cells whose activation is inaccurate at the
 * shortest coupling interval: the block may be due to the element size. `path`: the case. */
void mt_fronts_warn_of_block(const char *path, const mt_case *input, const mt_monodomain *problem,
    const mt_results *results, const mt_fronts *fronts);
