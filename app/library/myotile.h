/* Myotile as a library: cases are opened once and run many times, and results are arrays in memory.
 *
 *     myotile_case *heart;
 *     myotile_result *r;
 *     const char *slow[] = {"tissue.intracellular_l_mS_mm=0.1"};
 *     if (myotile_open("heart.yaml", NULL, 0, NULL, &heart) != MYOTILE_OK) return puts(myotile_message());
 *     if (myotile_run(heart, slow, 1, NULL, &r) == MYOTILE_OK) {
 *         myotile_map map;
 *         myotile_result_map(r, "activation", 0, &map);   // map.value[0] to map.value[map.n - 1], in ms
 *         myotile_result_free(r);
 *     }
 *     myotile_close(heart);
 *
 * A case is a file as for the program `myotile` (data/cases/README.md has its keys, shape and units). A run has the same bits as the
 * program with the same values. The library prints nothing, never exits, installs no signal handler, starts no MPI and changes no
 * environment variable. It writes files only into the cache of measurements and partitions (myotile_options.no_cache): keys of a case that
 * concern other files have no effect, which are those of `checkpoint`, output.vertices and output.report.
 *
 * Threads. Different cases can be used in different threads at once. Preparations, which read files, then wait for each other; time steps
 * do not, except on OpenCL devices. A case and its results are for one thread at a time. Each thread has its own message and its own
 * OpenMP threads.
 *
 * Errors. Functions return a status; myotile_message has the reason. After a failure outputs are NULL or unchanged. */
#ifndef MYOTILE_H
#define MYOTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As the exit codes of the program. */
typedef enum myotile_status {
    MYOTILE_OK = 0,
    MYOTILE_INPUT = 2,    /* an invalid case, value or mesh */
    MYOTILE_FILE = 3,     /* a file that cannot be read or written */
    MYOTILE_FIT = 4,      /* the problem does not fit the emulated machine */
    MYOTILE_NUMERICS = 5, /* unstable, or not converged */
    MYOTILE_DEVICE = 6,   /* an OpenCL device failed */
    MYOTILE_MEMORY = 12,  /* out of memory */
    MYOTILE_STOPPED = 130 /* by a callback */
} myotile_status;

/* Returns the version of the library, such as "0.1.0". */
const char *myotile_version(void);

/* Returns the message of the last failure in this thread; "" before the first. Valid until the next call in this thread. */
const char *myotile_message(void);

/* Returns the folder of the cases, machines and surfaces that are installed with the library. */
const char *myotile_data_folder(void);

/* All zero: the defaults. */
typedef struct myotile_options {
    int threads;   /* OpenMP threads of each run and preparation; 0: as OpenMP decides */
    bool no_cache; /* true to measure and partition again, without the cache */
    /* A pointer to an MPI_Comm whose ranks share each run, or NULL. All ranks call myotile_open, myotile_run and myotile_close with the
     * same arguments, in threads that may call MPI. Rank 0 has the mesh, the callbacks and the results; others get NULL as result. A
     * build without MPI refuses it. */
    const void *communicator;
    /* Receives warnings and notes of this case, one line each, and decisions such as "stimulus: apex at ...". May be NULL. */
    void (*message)(void *user, const char *kind, const char *text);
    /* Receives progress: a stage, or the time of a run [ms] and its end. True stops as soon as possible. May be NULL; is called in the
     * thread of the run, at most some times per second. */
    bool (*progress)(void *user, const char *what, double done, double total);
    void *user;
} myotile_options;

typedef struct myotile_case myotile_case;
typedef struct myotile_result myotile_result;

/* Reads a case with `n_sets` values "KEY=VALUE", as those of the option --set, and builds its mesh and diffusion operator. Copies its
 * arguments. `options`: NULL for the defaults. Free the case with myotile_close. */
myotile_status myotile_open(const char *path, const char *const *sets, size_t n_sets,
    const myotile_options *options, myotile_case **opened);

/* Frees a case; its results remain. NULL: does nothing. */
void myotile_close(myotile_case *c);

/* The mesh of a case, of the last run that had another one. Borrowed until the next run of the case. Coordinates in mm. */
typedef struct myotile_mesh {
    size_t n_vertices, n_elements;
    const double *xyz_mm;        /* [n_vertices][3] */
    const uint32_t *tetrahedron; /* [n_elements][4] vertices, from 0 */
    const int32_t *tag;          /* [n_elements] region of each element */
} myotile_mesh;
void myotile_mesh_of(const myotile_case *c, myotile_mesh *mesh);

/* The state of a run between two time steps. Valid during the call. */
typedef struct myotile_sample {
    double time_ms;
    size_t n; /* unknowns: the elements of the mesh that conduct, or their vertices */
    bool at_vertices;
    const double *v_mV;     /* [n] transmembrane voltage */
    const uint32_t *number; /* [n] of each unknown in the mesh; NULL: they are all, in order */
} myotile_sample;

/* Called by a run, in its thread. True stops the run. */
typedef bool myotile_observer(void *user, const myotile_sample *sample);

/* Samples of a run. All zero: none. */
typedef struct myotile_watch {
    double every_ms; /* interval of the samples, a multiple of the time step; the first is at 0 ms */
    myotile_observer *sample;
    void *user;
} myotile_watch;

/* Runs a case with `n_sets` further values. Mesh, operator and mapping to tiles are built again only if a value affects them. `watch` may
 * be NULL. Free the result with myotile_result_free. Returns MYOTILE_STOPPED if a callback stopped the time steps, with the result up to
 * then; if it stopped the preparation, the result is NULL. */
myotile_status myotile_run(myotile_case *c, const char *const *sets, size_t n_sets,
    const myotile_watch *watch, myotile_result **result);

void myotile_result_free(myotile_result *r);

/* Returns the simulated time [ms], the number of beats, and the text of a case that repeats the run (as used.yaml of the program). */
double myotile_result_reached_ms(const myotile_result *r);
size_t myotile_result_beats(const myotile_result *r);
const char *myotile_result_used(const myotile_result *r);

/* Returns the modelled cycles and seconds of all time steps on the emulated machine; 0 without one. */
uint64_t myotile_result_cycles(const myotile_result *r);
double myotile_result_machine_s(const myotile_result *r);

/* A map of one beat: `activation`, and those of output.maps by their names in files, such as "apd90". Borrowed from the result. */
typedef struct myotile_map {
    size_t n, components; /* elements or vertices of the complete mesh; 3 for vectors, else 1 */
    bool at_vertices;
    const char *unit;
    const float *value; /* [n][components]; NAN: not activated, or not defined */
} myotile_map;

/* Returns the name of map k; NULL from the number of maps on. */
const char *myotile_result_map_name(const myotile_result *r, size_t k);

/* Finds a map of a beat, counted from 0. MYOTILE_INPUT: there is none; the message has the names. */
myotile_status myotile_result_map(const myotile_result *r, const char *name, size_t beat, myotile_map *map);

/* A table with a row for each time or place. Borrowed from the result. */
typedef struct myotile_table {
    size_t n_rows, n_columns;
    const char *const *row;    /* [n_rows] names of the points; NULL for times */
    const char *const *column; /* [n_columns] names, such as "apex V[mV]" or "activation_ms" */
    const double *time_ms;     /* [n_rows]; NULL for `points` */
    const double *value;       /* [n_rows][n_columns] */
} myotile_table;

/* Finds a table:
 *   traces   V and states at the points of the case, if `traces` samples them
 *   ecg      the leads of the electrodes, in mV
 *   points   for each point of the case its position in mm and its activation time in each beat; NAN: not activated
 * MYOTILE_INPUT: the case has no such table. */
myotile_status myotile_result_table(const myotile_result *r, const char *name, myotile_table *table);

/* The frames of a field of `series`, such as "V". Borrowed from the result. */
typedef struct myotile_frames {
    size_t n_frames, n; /* n: unknowns of a frame */
    bool at_vertices;
    const uint32_t *number; /* [n] of each unknown in the mesh */
    const double *time_ms;  /* [n_frames] */
    const float *value;     /* [n_frames][n] */
} myotile_frames;

/* Returns the name of field k of the frames; NULL from the number of fields on. */
const char *myotile_result_frames_name(const myotile_result *r, size_t k);

/* Finds the frames of a field. MYOTILE_INPUT: there are none. */
myotile_status myotile_result_frames(const myotile_result *r, const char *field, myotile_frames *frames);

#ifdef __cplusplus
}
#endif
#endif
