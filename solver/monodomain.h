/* The monodomain problem: what is solved, and in which order. Who does it is another matter (solver/backends/backend.h).
 *
 *     chi (Cm dv/dt + I_ion) = div(sigma grad v) + stimulus,     no flux through the outer surface
 *
 * Godunov splitting, reaction first: in step i, from t = i dt to (i + 1) dt,
 *   1. stimulated elements get dt * rise_mV_ms added to v;
 *   2. every element takes one step of the cell model (solver/cells/model.h), from v to v*; with multirate stepping some evaluate it,
 *      and in the others v changes as it was found to last (solver/kernels/multirate.h);
 *   3. w = v* + s takes pde_steps explicit diffusion steps of dt / pde_steps (solver/diffusion/diffusion.h), or an implicit one
 *      (solver/diffusion/implicit.h), after which v = w - s, with the spread reaction s = (kappa / dt + a) (v* - v)
 *      (solver/diffusion/spreading.h): kappa is 0 for a scheme without, and a is 0 but for the compensated splitting;
 *   4. its action potential is recorded (solver/record.h): at least that it activates the first time v passes 0 mV upwards,
 *      interpolated linearly within the step. Where a beat begins, elements are made free for the next before its first step.
 *
 * What the splitting costs, and how it is compensated. Forward Euler in the reaction makes waves late, and forward Euler in the
 * diffusion makes them early, both by a part of their speed that is proportional to dt. With one diffusion step in a time step the
 * two nearly cancel; with many the second is gone, and waves are late. For a single equation v_t = D v'' + f(v) the speed c of a front
 * with many diffusion steps is off by
 *
 *     dt (a - 1/2) C + O(dt^2),   C = c / (2 D) S(e f^2) / S(e v'^2),   S(g) = the integral of g along the front,   e = exp(c x / D)
 *
 * (first-order perturbation of the modified equation v_t = D v'' + f + dt ((1/2 + a) D f'' - f_t / 2), with the adjoint e v'). It
 * vanishes for a = 1/2. With p steps,
 *
 *     a = (1 - 1/p) / 2
 *
 * goes from 0 for one step, which is as it always was, to 1/2 for many. The diffusion takes a pattern that decays at the rate lambda
 * by exp(-lambda dt) but for -(lambda dt)^2 / (2 p): an implicit step stands in all this for a number p of explicit ones, which is
 * infinite for Crank-Nicolson, which has no such error, and -1 for backward Euler, whose error is the opposite of one explicit step's.
 * Then a = 1.
 *
 * a has a second meaning, for any model: a pattern that decays at the rate lambda under a steady reaction f settles at f / lambda - (kappa
 * + dt) f + O(dt^2), which is then the same for all p; without it dt would be dt (1 + 1/p) / 2. In cells that draw v back at the rate j, a
 * pattern grows by that where kappa + dt - 1/lambda > 1/j: with p steps no sooner than with one (solver/diffusion/spreading.h). */
#pragma once

#include <stdbool.h>

#include "mesh/mesh.h"
#include "solver/diffusion/diffusion.h"
#include "solver/cells/model.h"
#include "solver/capture.h"
#include "solver/record.h"
#include "solver/stimulus.h"

/* How reaction and diffusion make a time step: a = 0, or as above. Names, NULL behind the last. */
typedef enum mt_splitting { MT_SPLITTING_GODUNOV, MT_SPLITTING_COMPENSATED } mt_splitting;
extern const char *const mt_splitting_name[];

/* How the diffusion of a time step is done: by explicit steps, or by one that is solved for. Names, NULL behind the last. */
typedef enum mt_diffusing {
    MT_DIFFUSING_EXPLICIT,
    MT_DIFFUSING_EULER,
    MT_DIFFUSING_CRANK_NICOLSON
} mt_diffusing;

/* How explicit diffusion steps are added up in single precision: number by number, or as double words, of which a time step's last one
 * leaves the high part (solver/kernels/ellpack.h). In double precision there is no difference. Names, NULL behind the last. */
typedef enum mt_accumulation { MT_ACCUMULATION_SINGLE, MT_ACCUMULATION_DOUBLE_WORD } mt_accumulation;
extern const char *const mt_accumulation_name[];

/* Does every element evaluate its cell model in each time step? Names, NULL behind the last. */
typedef enum mt_stepping { MT_STEPPING_UNIFORM, MT_STEPPING_MULTIRATE } mt_stepping;
extern const char *const mt_stepping_name[];

/* 1 <= pde_steps; explicit ones: dt_ms / pde_steps <= diffusion->limit_dt_ms (mt_monodomain_check); implicit: 1. */
typedef struct mt_monodomain {
    const mt_diffusion *diffusion;
    const mt_cell_model *model;
    const mt_cell_variant *variants; /* [n_variants] what there is; or NULL: the model's own */
    size_t n_variants;
    size_t variant;             /* the one of them that all elements are of */
    const uint16_t *variant_of; /* [n_elements] where they differ (variant is not looked at then); or NULL */
    double dt_ms;
    size_t pde_steps;
    mt_diffusing diffusing;
    mt_accumulation accumulation; /* of explicit steps */
    double residual_mV;           /* of implicit steps: solved for to within this */
    mt_splitting splitting;
    mt_stepping stepping;
    double tolerance_mV; /* of multirate stepping */
    size_t n_stimuli;
    const mt_stimulus *stimulus;
    const size_t
        *stimulus_of; /* [n_stimuli] ascending: which of the case's each is a part of; or NULL: the same */
    mt_record record;
    const mt_mesh *mesh; /* for messages, which then tell places; or NULL */
} mt_monodomain;

/* Results of the time loop (mt_backend_run). All NULL: none are wanted, and there is one beat. */
typedef struct mt_results {
    size_t n_beats;    /* that had begun */
    mt_records *beats; /* [mt_record_beats] recorded in each; or NULL */
    double *
        peak_mV; /* [n_stimuli] highest V of the elements of a stimulus while it was on, inspected each ms and at its end; or NULL */
    mt_capture *capture; /* [n_stimuli] pulses of each; or NULL */
} mt_results;

/* Allocates all of them in `arena`: nothing is recorded yet. MT_MEMORY. */
MT_NODISCARD mt_status mt_results_new(mt_arena *arena, const mt_monodomain *problem, mt_results *results);

/* The least number of diffusion steps in dt_ms that the operator's measured limit allows. */
size_t mt_monodomain_pde_steps(const mt_diffusion *diffusion, double dt_ms);

/* MT_NUMERICS where the diffusion step is above the operator's limit, with the limit and the steps needed. */
MT_NODISCARD mt_status mt_monodomain_check(const mt_monodomain *problem);

/* theta of an implicit step (solver/diffusion/implicit.h). */
double mt_diffusing_theta(mt_diffusing diffusing);

/* a of a splitting with so many explicit diffusion steps in a time step. */
double mt_splitting_compensation(mt_splitting splitting, size_t pde_steps);

/* Whether some of the reaction is spread, and what part of it by an element: kappa / dt + a. */
bool mt_monodomain_spreads(const mt_monodomain *problem);
double mt_monodomain_share(const mt_monodomain *problem, size_t element);

/* The variants that a problem has, its own or the model's; gives their number. */
const mt_cell_variant *mt_monodomain_variants(const mt_monodomain *problem, size_t *n);

/* What an element is made of. */
const mt_cell_variant *mt_monodomain_variant(const mt_monodomain *problem, size_t element);

/* The first step after `step`, at most `end`, at which some stimulus is switched on or off. */
size_t mt_monodomain_next_switch(const mt_monodomain *problem, size_t step, size_t end);
