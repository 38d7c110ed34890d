/* The measured errors of one kind of cells in a tissue on elements of a size, with both discretisations, and the law that was fitted to it.
 *
 * The cells rest first (solver/waves/calibration.h). A measurement takes about a second of processor time, and is cached
 * (data/files/cache.h). */
#pragma once

#include "solver/waves/calibration.h"

/* Measurements of the other discretisation: none; of cells at rest; also of premature beats. */
typedef enum mt_other { MT_OTHER_NONE, MT_OTHER_RESTED, MT_OTHER_EARLY } mt_other;

typedef struct mt_measuring {
    const mt_corner *corner; /* cells, tissue, element size, time step, and the discretisation used */
    const mt_diffusion_scheme *scheme;
    /* the strength of the spreading; NULL, only with voltages at the elements: it is fitted */
    const double *strength;
    /* true if the law of the elements as the other discretisation is fitted; false: it is the default one */
    bool fits_other;
    const double
        *upstroke; /* [MT_CALIBRATION_UPSTROKE] of the cells: it reveals a change of the model's equations */
    double interval_ms; /* coupling interval of premature beats; NaN: none */
    mt_other other;
} mt_measuring;

typedef struct mt_measured {
    mt_calibration calibration; /* of cells at rest */
    mt_corner_errors other;     /* the same with the default of the other discretisation; 0 if not measured */
    mt_corner_errors early, other_early; /* at the coupling interval; 0 if not measured */
    bool conducts_early;                 /* at the interval, on a converged cable */
} mt_measured;

/* Measures it, or finds it in the cache. Returns the errors of `mt_calibrate`, `mt_calibrate_nodal` and `mt_calibration_early`. */
MT_NODISCARD mt_status mt_measured_find(const mt_measuring *measuring, bool cached, mt_measured *measured);
