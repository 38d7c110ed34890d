/* The cost of a time step of a mesh on several counts of IPUs: its diffusion steps and one step of the cell model. Shared by the
 * commands that reproduce the study's times. Stimuli and the recording of activation times are not counted, because the study
 * does not mention them. */
#pragma once

#include "app/study/validation/comparison.h"
#include "app/study/reproduce.h"

/* The phases of a time step. Inside IPUs: the exchange of the diffusion steps and the synchronisation of each
 * IPU's tiles; between them: the busiest link and the synchronisation of all. */
enum { MT_PHASE_ODE, MT_PHASE_PDE, MT_PHASE_INSIDE, MT_PHASE_BETWEEN, MT_PHASES };
extern const char *const mt_phase_names[MT_PHASES];

typedef struct mt_step_costs {
    double
        phase[MT_PHASES]; /* cycles in a time step, for all its diffusion steps; NaN where it does not fit */
    double cycles;        /* their sum */
    double at[IPU_ENDS];  /* the same with the machine's constants at the ends of their bands */
    mt_costs one;         /* of one diffusion step, and one step of the cell model */
} mt_step_costs;

typedef struct mt_steps {
    mt_reproduce base;       /* without its mesh */
    unsigned long pde_asked; /* 0: as many as the study took */
    const char *name;        /* of the mesh */
    size_t n_elements;
    double pde_steps; /* in a time step */
    double ode_steps; /* time steps of the study's run: mt_steps_seconds is for all of them */
    mt_step_costs step[MT_TILING_COUNTS];
} mt_steps;

/* For the tables of options. */
#define MT_STEPS_OPTIONS                                                                                     \
    MT_REPRODUCE_IPUS,                                                                                       \
        {.name = "--scheme",                                                                                 \
            .value = "NAME",                                                                                 \
            .help = "which ranges of elements are sent; default: mixed-clean"},                              \
        {.name = "--pde-steps",                                                                              \
            .value = "P",                                                                                    \
            .help = "diffusion substeps per time step; default: the study's, 4, for heart05 5"},             \
        MT_TILING_OPTIONS, MT_OPTION_FORMAT

/* Reads the options. Inputs come together by copies, as with the vendor's compiler (exchange.copies is always), unless the machine's file or
 * --machine-set says how. MT_INPUT names the option. */
MT_NODISCARD mt_status mt_steps_parse(mt_arena *arena, const mt_arguments *arguments, mt_steps *steps);

/* Gives the costs on each count of IPUs for the mesh of a file (NULL: a heart made with gmsh). Warns of what does not fit. */
MT_NODISCARD mt_status mt_steps_make(const char *path, mt_steps *steps);

/* Gives an empty comparison of the times on one IPU with the study's: comparable where the mesh has the size of heart04 and is
 * treated and cut in the same way for the same machine. MT_FILE: the file of published numbers cannot be read. */
MT_NODISCARD mt_status mt_steps_compare(mt_arena *arena, const mt_steps *steps, mt_comparison *comparison);

/* The costs on one IPU; NULL where they were not asked for or the mesh does not fit. */
const mt_step_costs *mt_steps_on_one(const mt_steps *steps);

/* Seconds that all the study's time steps take with so many cycles each. */
double mt_steps_seconds(const mt_steps *steps, double cycles);

/* "What: a mesh of 3031704 elements on GC200, flat partition, mixed-clean, 4 diffusion steps in a time step" */
enum { MT_STEPS_TITLE = 480, MT_STEPS_SETTING = 320 };
void mt_steps_title(const mt_steps *steps, const char *what, char title[MT_STEPS_TITLE]);

/* "GC200, flat partition, mixed-clean, inputs copied together" */
void mt_steps_setting(const mt_reproduce *base, char setting[MT_STEPS_SETTING]);
