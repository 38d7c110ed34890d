/* The monodomain problem: the equation, and the order of operations in a time step. Backends solve it (solver/backends/backend.h).
 *
 *       chi (Cm dv/dt + I_ion) = div(sigma grad v) + stimulus,     no flux through the outer surface
 *
 * Godunov splitting, reaction first: in step i, from t = i dt to (i + 1) dt,
 *    1. stimulated elements get dt * rise_mV_ms added to v;
 *    2. every element takes one step of the ionic model (solver/cells/model.h), from v to v*; with multirate stepping some elements evaluate
 *       it, and in the others v changes at its last known rate (solver/kernels/multirate.h);
 *    3. w = v* + s takes pde_steps explicit diffusion steps of dt / pde_steps (solver/diffusion/diffusion.h), or one implicit step
 *       (solver/diffusion/implicit.h). Then v = w - s, with the spread reaction s = (kappa / dt + a) (v* - v)
 *       (solver/diffusion/spreading.h): kappa is 0 for a scheme without spreading, and a is 0 except for the compensated splitting;
 *       With voltages at the vertices, "elements" are vertices here, and increments v* - v first spread to neighbours
 *       (solver/diffusion/nodal.h): w = v* + sum_j s_ij (d_j - d_i) + s with d = v* - v, and s = a d;
 *    4. the action potential is recorded (solver/record.h): at least its activation time, the first passage of v through 0 mV upwards,
 *       interpolated linearly within the step. Before the first step of a beat, elements are released for its action potential.
 *
 * Splitting error and its compensation. Forward Euler in the reaction reduces CV, and forward Euler in the diffusion increases it, both by
 * a fraction proportional to dt. With one diffusion step in a time step the two errors nearly cancel. With many diffusion steps the second
 * error vanishes, and CV is too low. For a single equation v_t = D v'' + f(v) with many diffusion steps, the error of the speed c is
 *
 *       dt (a - 1/2) C + O(dt^2),   C = c / (2 D) S(e f^2) / S(e v'^2),   S(g) = the integral of g along the front,   e = exp(c x / D)
 *
 * (first-order perturbation of the modified equation v_t = D v'' + f + dt ((1/2 + a) D f'' - f_t / 2), with the adjoint e v'). It vanishes
 * for a = 1/2. With p steps,
 *
 *       a = (1 - 1/p) / 2
 *
 * increases from 0 for one step, where nothing changes, to 1/2 for many. Explicit diffusion multiplies a pattern of decay rate lambda by
 * exp(-lambda dt) with an error in the exponent of -(lambda dt)^2 / (2 p). An implicit step is therefore equivalent to p explicit ones: p
 * is infinite for Crank-Nicolson, without this error, and -1 for backward Euler, with the opposite error of one explicit step. Then a = 1.
 *
 * a has a second meaning for any model. A pattern of decay rate lambda under a steady reaction f settles at f / lambda - (kappa + dt) f +
 * O(dt^2), which is then the same for all p; without a, dt is replaced by dt (1 + 1/p) / 2. In cells that restore v at the rate j, a
 * pattern grows if kappa + dt - 1/lambda > 1/j: with p steps no sooner than with one (solver/diffusion/spreading.h). */
#pragma once

#include <stdbool.h>

#include "mesh/unknowns.h"
#include "solver/diffusion/diffusion.h"
#include "solver/cells/model.h"
#include "solver/capture.h"
#include "solver/record.h"
#include "solver/stimulus.h"

/* Splitting of reaction and diffusion: a = 0, or a as above. Names, terminated by NULL. */
typedef enum mt_splitting { MT_SPLITTING_GODUNOV, MT_SPLITTING_COMPENSATED } mt_splitting;
extern const char *const mt_splitting_name[];

/* Time integration of the diffusion: explicit steps, or one implicit step that is solved for. */
typedef enum mt_diffusing {
    MT_DIFFUSING_EXPLICIT,
    MT_DIFFUSING_EULER,
    MT_DIFFUSING_CRANK_NICOLSON
} mt_diffusing;

/* Accumulation of explicit diffusion steps in single precision: plain sums, or sums in double words. The last substep of a time step stores
 * only the high part (solver/kernels/ellpack.h, sliced.h). No effect in double precision. Names, terminated by NULL. */
typedef enum mt_accumulation { MT_ACCUMULATION_SINGLE, MT_ACCUMULATION_DOUBLE_WORD } mt_accumulation;
extern const char *const mt_accumulation_name[];

/* Stepping of the ionic model: evaluated in every time step, or only if needed (multirate). Names, terminated by NULL. */
typedef enum mt_stepping { MT_STEPPING_UNIFORM, MT_STEPPING_MULTIRATE } mt_stepping;
extern const char *const mt_stepping_name[];

/* Evaluation of functions of V in the ionic model: computed, or read from tables (solver/cells/tabulated.h), by the host in single
 * precision and by devices. Names, terminated by NULL. */
typedef enum mt_evaluation { MT_EVALUATION_EXACT, MT_EVALUATION_TABULATED } mt_evaluation;
extern const char *const mt_evaluation_name[];

/* A conduction system that is coupled to the tissue (solver/conduction/conduction.h), and its state (solver/conduction/conducting.h). */
typedef struct mt_conduction mt_conduction;
struct mt_conducting;

/* A monodomain problem. 1 <= pde_steps. Explicit steps: dt_ms / pde_steps <= diffusion->limit_dt_ms (mt_monodomain_check); implicit: 1. */
typedef struct mt_monodomain {
    const mt_diffusion *diffusion;
    const mt_cell_model *model;
    const mt_cell_variant *variants; /* [n_variants] variants of the problem; NULL: the model's own */
    size_t n_variants;
    size_t variant; /* index of the variant of all elements */
    /* [n_elements] index of each element's variant (`variant` is ignored); may be NULL */
    const uint16_t *variant_of;
    double dt_ms;
    size_t pde_steps;
    mt_diffusing diffusing;
    mt_accumulation accumulation; /* of explicit steps */
    double residual_mV;           /* of implicit steps: tolerance of the residual */
    mt_splitting splitting;
    mt_stepping stepping;
    double tolerance_mV;      /* of multirate stepping */
    mt_evaluation evaluation; /* exact for other backends than the host's in single precision */
    size_t n_stimuli;
    const mt_stimulus *stimulus; /* those with delays, which prescribe activation, are last */
    /* [n_stimuli] ascending: stimulus of the case that each is a part of; NULL: the same numbers */
    const size_t *stimulus_of;
    mt_record record;
    const mt_mesh *mesh;             /* optional, for coordinates in messages */
    const mt_conduction *conduction; /* NULL: none */
} mt_monodomain;

/* Returns the unknowns of a problem with a mesh: the places of its voltages. */
static inline mt_unknowns mt_monodomain_unknowns(const mt_monodomain *problem)
{
    return (mt_unknowns){problem->mesh, problem->diffusion && problem->diffusion->nodal};
}

/* Returns the stimulus of the case that a stimulus is a part of. */
static inline size_t mt_monodomain_stimulus_of(const mt_monodomain *problem, size_t part)
{
    return problem->stimulus_of ? problem->stimulus_of[part] : part;
}

/* Returns the number of stimuli without delays. */
size_t mt_monodomain_own_stimuli(const mt_monodomain *problem);

/* Results of the time loop (mt_backend_run). Zero-initialised: no results are stored, and there is one beat. */
typedef struct mt_results {
    size_t n_beats;    /* number of beats that began */
    mt_records *beats; /* [mt_record_beats] records of each; may be NULL */
    /* [n_stimuli] highest Vm of the stimulus elements while on, sampled each ms and at its end; may be NULL */
    double *peak_mV;
    mt_capture *capture; /* [n_stimuli] capture of the pulses of each; may be NULL */
    /* The state of the conduction system, borrowed, if the problem has one; and [beats][its places] activation times. */
    struct mt_conducting *conducting;
    double **conduction_ms;
} mt_results;

/* Allocates all results in `arena`, empty. MT_MEMORY. */
MT_NODISCARD mt_status mt_results_new(mt_arena *arena, const mt_monodomain *problem, mt_results *results);

/* Returns the smallest number of diffusion steps in dt_ms that the operator's measured limit allows. */
size_t mt_monodomain_pde_steps(const mt_diffusion *diffusion, double dt_ms);

/* Fails with MT_NUMERICS if the diffusion step is above the operator's limit; the message has the limit and the required number of
 * steps. */
MT_NODISCARD mt_status mt_monodomain_check(const mt_monodomain *problem);

/* Returns theta of an implicit step (solver/diffusion/implicit.h). */
double mt_diffusing_theta(mt_diffusing diffusing);

/* Returns a of a splitting with `pde_steps` explicit diffusion steps in a time step. */
double mt_splitting_compensation(mt_splitting splitting, size_t pde_steps);

/* True if part of the reaction is spread; and the share that an element spreads: kappa / dt + a. */
bool mt_monodomain_spreads(const mt_monodomain *problem);
double mt_monodomain_share(const mt_monodomain *problem, size_t element);

/* Returns the variants of a problem, its own or the model's, and sets their number. */
const mt_cell_variant *mt_monodomain_variants(const mt_monodomain *problem, size_t *n);

/* Returns the variant of an element. */
const mt_cell_variant *mt_monodomain_variant(const mt_monodomain *problem, size_t element);

/* Returns the first step after `step`, at most `end`, at which a stimulus is switched on or off. */
size_t mt_monodomain_next_switch(const mt_monodomain *problem, size_t step, size_t end);
