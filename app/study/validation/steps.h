/* Cost of a time step of a mesh for several counts of IPUs: its diffusion substeps and one step of the ionic model. Used by the
 * commands that reproduce the study's times. Stimuli and the recording of activation times are excluded, since the study does not
 * mention them. */
#pragma once

#include "app/study/validation/comparison.h"
#include "app/study/reproduce.h"

/* Phases of a time step. Inside IPUs: exchange of the diffusion substeps and the sync of each IPU's tiles. Between IPUs: the
 * busiest link and the sync of all. */
enum { MT_STEPS_ODE, MT_STEPS_PDE, MT_STEPS_INSIDE, MT_STEPS_BETWEEN, MT_STEPS_PHASES };
extern const char *const mt_steps_phase_names[MT_STEPS_PHASES];

typedef struct mt_steps_costs {
    /* cycles in a time step, for all its diffusion substeps; NaN if it does not fit */
    double phase[MT_STEPS_PHASES];
    double cycles;       /* their sum */
    double at[IPU_ENDS]; /* same, with constants at the ends of their uncertainty bands */
    mt_costs one;        /* one diffusion substep, and one step of the ionic model */
} mt_steps_costs;

typedef struct mt_steps {
    mt_reproduce base;       /* without its mesh */
    unsigned long pde_asked; /* requested substeps; 0: as in the study */
    const char *name;        /* of the mesh */
    size_t n_elements;
    double pde_steps; /* diffusion substeps per time step */
    double ode_steps; /* time steps of the study's run, as in mt_steps_seconds */
    mt_steps_costs step[MT_TILING_COUNTS];
} mt_steps;

/* For option tables. */
#define MT_STEPS_OPTIONS                                                                                     \
    MT_REPRODUCE_IPUS,                                                                                       \
        {.name = "--scheme", .value = "NAME", .help = "separator scheme; default: mixed-clean"},             \
        {.name = "--pde-steps",                                                                              \
            .value = "P",                                                                                    \
            .help = "diffusion substeps per time step; default: as in the study: 4, heart05: 5"},            \
        MT_TILING_OPTIONS, MT_OPTION_FORMAT

/* Reads the options. Inputs are gathered by copies, as with the vendor's compiler (exchange.copies is always), unless the machine
 * file or --machine-set specifies it. Fails with MT_INPUT; the message names the option. */
MT_NODISCARD mt_status mt_steps_parse(mt_arena *arena, const mt_arguments *arguments, mt_steps *steps);

/* Computes the cost for each count of IPUs. `path`: mesh file; NULL: a heart generated with gmsh. Warns if it does not fit. */
MT_NODISCARD mt_status mt_steps_make(const char *path, mt_steps *steps);

/* Returns an empty comparison with the study's times on one IPU. It is comparable if the mesh has the size of heart04 and the same
 * treatment, partition and machine. Fails with MT_FILE if the file of published numbers cannot be read. */
MT_NODISCARD mt_status mt_steps_compare(mt_arena *arena, const mt_steps *steps, mt_comparison *comparison);

/* Returns the cost on one IPU; NULL if not requested, or if the mesh does not fit. */
const mt_steps_costs *mt_steps_on_one(const mt_steps *steps);

/* Returns the seconds for all time steps of the study, with this number of cycles each. */
double mt_steps_seconds(const mt_steps *steps, double cycles);

/* Formats a title: "WHAT: mesh of 3031704 elements on GC200, flat partition, mixed-clean, 4 diffusion substeps per time step". */
enum { MT_STEPS_TITLE = 480, MT_STEPS_SETTING = 320 };
void mt_steps_title(const mt_steps *steps, const char *what, char title[MT_STEPS_TITLE]);

/* Formats the setting: "GC200, flat partition, mixed-clean, inputs gathered by copies". */
void mt_steps_setting(const mt_reproduce *base, char setting[MT_STEPS_SETTING]);
