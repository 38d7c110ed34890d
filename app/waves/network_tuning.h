/* Tuning of a conduction network: the axial conductivity of its cables for a conduction velocity, and the resistance of its junctions for
 * an antegrade delay.
 *
 * Velocity: a straight cable with the properties of the case's network is stimulated at one end; the velocity is that between 40 % and 80 %
 * of its length. It is nearly proportional to the square root of the conductivity, which is corrected until the velocity is within
 * MT_NETWORK_TOLERANCE of the target.
 *
 * Delay: the same cable, vertical, ends 1 mm below the upper surface of a slab of the case's tissue and cells, MT_NETWORK_SLAB_MM wide and
 * half as thick. The delay is that of a junction in a run (solver/conduction/conducting.h): from the activation of the free end to the mean
 * of the tissue that it is coupled to. It increases with the resistance, up to block, and is found by bisection. The retrograde delay is
 * that of the same junction if one side of the slab is stimulated. */
#pragma once

#include "app/waves/slab_family.h"
#include "solver/case/case.h"

#define MT_NETWORK_TOLERANCE 0.002
#define MT_NETWORK_SLAB_MM 8
#define MT_NETWORK_DELAY_MOST_MS 20

typedef struct mt_network_tuning {
    double speed_mm_ms;        /* of the cable; NaN: not measured */
    double diffusivity_mm2_ms; /* sigma a / (2 Cm) */
    size_t n_rounds;
} mt_network_tuning;

typedef struct mt_junction_tuning {
    double antegrade_ms, retrograde_ms; /* with the resistance that was found; NaN: no conduction */
    double
        block_kOhm; /* the lowest resistance, to 5 %, above it, at which antegrade conduction fails; NaN: none found */
    size_t n_runs;
} mt_junction_tuning;

/* Changes network.conductivity_mS_mm of a case so that its cables conduct at asked_mm_ms. MT_INPUT: the velocity is out of range.
 * MT_NUMERICS: the cable does not conduct at this velocity. MT_STOPPED. MT_MEMORY. */
MT_NODISCARD mt_status mt_tune_network(mt_case *input, double asked_mm_ms, mt_network_tuning *found);

/* Changes network.junction.resistance_kOhm of a case so that the antegrade delay is asked_ms, to 2 %, in a slab of this kind. MT_INPUT: the
 * delay is out of range. MT_NUMERICS: no resistance has this delay; the message has the longest one before block. Returns the errors of
 * mt_problem_make_on. */
MT_NODISCARD mt_status mt_tune_junction(
    const mt_slab_kind *kind, mt_case *input, double asked_ms, mt_junction_tuning *found);

/* The wavefront along the cables of a case. */
typedef struct mt_network_wave {
    double speed_mm_ms; /* in cables of network.radius_mm; NaN: no propagation */
    /* from the start of the stimulus to the virtual start of the wavefront at its border; NaN: no propagation */
    double latency_ms;
} mt_network_wave;

/* Measures it, as in mt_tune_network. `stimulus`: NULL: the default one. MT_STOPPED. MT_MEMORY. */
MT_NODISCARD mt_status mt_network_wave_measure(
    const mt_case *input, const mt_case_network_stimulus *stimulus, mt_network_wave *wave);

/* Measures the delays of a junction with the resistance of the case, as in mt_tune_junction; NaN: block. Returns the errors of
 * mt_problem_make_on. */
MT_NODISCARD mt_status mt_junction_delays(
    const mt_slab_kind *kind, const mt_case *input, double *antegrade_ms, double *retrograde_ms);
