/* The maps of a beat: a number for each element, from what the loop recorded of it (solver/record.h).
 *
 *   activation, repolarisation, rest, peak, upstroke   as recorded
 *   apd                                                repolarisation - activation
 *   conduction_velocity                                how fast the front goes there, from the activation (solver/outputs/velocity.h)
 *
 * Not a number where an element has none: where the wave did not come, where an action potential has not ended, where a velocity means
 * nothing, and in inert elements. */
#pragma once

#include "mesh/mesh.h"
#include "solver/monodomain.h"
#include "solver/outputs/velocity.h"

typedef enum mt_map {
    MT_MAP_ACTIVATION,
    MT_MAP_REPOLARISATION,
    MT_MAP_APD,
    MT_MAP_REST,
    MT_MAP_PEAK,
    MT_MAP_UPSTROKE,
    MT_MAP_CONDUCTION_VELOCITY,
    MT_MAPS
} mt_map;

/* As cases name them, NULL behind the last. */
extern const char *const mt_map_words[];

/* What tables and pictures call one, and its unit. */
extern const char *const mt_map_label[MT_MAPS], *const mt_map_unit[MT_MAPS];

/* Its name in files: the word, and behind "apd" the percentage, "apd90". */
void mt_map_name(mt_map map, double fraction, char text[32]);

/* What must be kept beside the activation for these maps: a bit each, by mt_map, and by mt_recorded. */
uint32_t mt_maps_keep(uint32_t maps);

/* The inputs of a map of one beat, all borrowed. */
/* The conduction velocities of a beat. */
typedef struct mt_map_velocities {
    float *velocity;                      /* [n_elements][3] of the whole mesh in mm/ms */
    size_t n_reason[MT_VELOCITY_REASONS]; /* elements of the problem */
} mt_map_velocities;

typedef struct mt_map_input {
    const mt_records *records;
    const mt_monodomain *problem;
    const mt_mesh
        *whole; /* the mesh of the file; the elements of problem->mesh are a part of it (mt_mesh_number) */
    double
        velocity_mm; /* radius of the neighbourhood for conduction velocities (solver/outputs/velocity.h) */
    const mt_map_velocities *velocities; /* of this beat, for the map of the conduction velocity */
} mt_map_input;

/* Gives in `arena` the values of a map by the elements of the whole mesh. MT_MEMORY. */
MT_NODISCARD mt_status mt_map_make(mt_arena *arena, mt_map map, const mt_map_input *in, float **values);

/* Computes the conduction velocity with its direction; the arrays are in `arena`. in->velocities is not used. MT_MEMORY. */
MT_NODISCARD mt_status mt_map_velocity(
    mt_arena *arena, const mt_map_input *in, mt_map_velocities *velocities);

/* What half of the values, and all but a twentieth at either end, lie around; NaN where there is none. */
typedef struct mt_map_summary {
    size_t n; /* elements that have a value */
    double low, median, high;
} mt_map_summary;

/* Percentiles 5, 50 and 95 over the elements, each as the lower of two. MT_MEMORY. */
MT_NODISCARD mt_status mt_map_summarise(const float *values, size_t n, mt_map_summary *summary);
