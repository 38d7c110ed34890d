/* The maps of a beat: a number for each unknown (mesh/unknowns.h), an element or a vertex, from the record of the time loop
 * (solver/record.h).
 *
 *   activation, repolarisation, rest, peak, upstroke   as recorded
 *   apd                                                repolarisation - activation
 *   conduction_velocity                                local speed of the front, from the activation (solver/outputs/velocity.h)
 *
 * NaN if undefined: in unknowns that were not activated, with an unfinished action potential or an undefined velocity, and in those that do
 * not conduct. */
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

/* Names in cases, terminated by NULL. */
extern const char *const mt_map_words[];

/* Names in tables and pictures, and units. */
extern const char *const mt_map_label[MT_MAPS], *const mt_map_unit[MT_MAPS];

/* Writes the name in files: the word, with the percentage after "apd", "apd90". */
void mt_map_name(mt_map map, double fraction, char text[32]);

/* Returns the quantities to record in addition to the activation, a bit mask by mt_recorded, for a bit mask of maps by mt_map. */
uint32_t mt_maps_recorded(uint32_t maps);

/* The conduction velocities of a beat. */
typedef struct mt_map_velocities {
    float *velocity;                      /* [places][3] of the complete mesh [mm/ms] (mt_map_places) */
    size_t n_reason[MT_VELOCITY_REASONS]; /* number of unknowns of the problem per reason */
} mt_map_velocities;

/* The inputs of a map of one beat, all borrowed. */
typedef struct mt_map_input {
    const mt_records *records;
    const mt_monodomain *problem;
    /* the mesh of the file; problem->mesh contains some or all of its elements (mt_mesh_number) */
    const mt_mesh *whole;
    /* radius of the neighbourhood for conduction velocities (solver/outputs/velocity.h) */
    double velocity_mm;
    const mt_map_velocities *velocities; /* of this beat, for the map of the conduction velocity */
} mt_map_input;

/* Returns the places of the values of maps: the elements or the vertices of the complete mesh. */
mt_unknowns mt_map_places(const mt_map_input *in);

/* Computes the values of a map in `arena`, one for each of mt_map_places. MT_MEMORY. */
MT_NODISCARD mt_status mt_map_make(mt_arena *arena, mt_map map, const mt_map_input *in, float **values);

/* Computes the conduction velocity vectors in `arena`. in->velocities is not used. MT_MEMORY. */
MT_NODISCARD mt_status mt_map_velocity(
    mt_arena *arena, const mt_map_input *in, mt_map_velocities *velocities);

/* The 5th, 50th and 95th percentile of a map; NaN without values. */
typedef struct mt_map_summary {
    size_t n; /* number of values other than NaN */
    double low, median, high;
} mt_map_summary;

/* Computes the percentiles over n values: the median, and of the other two the lower value if they are between two. MT_MEMORY. */
MT_NODISCARD mt_status mt_map_summarise(const float *values, size_t n, mt_map_summary *summary);
