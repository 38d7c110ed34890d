#include "app/study/validation/steps.h"

#include <math.h>
#include <string.h>

#include "app/study/published.h"

const char *const mt_steps_phase_names[MT_STEPS_PHASES] = {
    "ODE compute", "PDE compute", "exchange inside IPUs", "exchange between IPUs"};

/* Chooses copies as with the vendor's compiler, which the study used, unless the machine file or an option specifies another
 * method. */
static mt_status choose_copies(mt_arena *arena, const mt_arguments *arguments, ipu_target *one)
{
    static const char key[] = "exchange.copies=";
    const char **sets;
    size_t n;
    if (one->copies != IPU_COPIES_AUTO) return MT_OK;
    MT_TRY(mt_option_all(arena, arguments, "--machine-set", &n, &sets));
    for (size_t k = 0; k < n; k++)
        if (strncmp(sets[k], key, strlen(key)) == 0) return MT_OK;
    one->copies = IPU_COPIES_ALWAYS;
    return MT_OK;
}

mt_status mt_steps_parse(mt_arena *arena, const mt_arguments *arguments, mt_steps *steps)
{
    uint32_t ranges;
    *steps = (mt_steps){0};
    const char *pde_steps = mt_option_value(arguments, "--pde-steps", NULL);
    const char *scheme = mt_option_value(arguments, "--scheme", "mixed-clean");
    MT_TRY(mt_reproduce_parse(arena, arguments, &steps->base));
    MT_TRY(choose_copies(arena, arguments, &steps->base.tiling.one));
    if (ipu_clocks_needed(&steps->base.tiling.one))
        return mt_fail(MT_INPUT,
            "machine %s: without a global sync, or with exchange.overlap, phases of a step do not add up; "
            "allowed: a "
            "machine whose phases do not overlap, or 'reproduce nodes'",
            steps->base.tiling.one.name);
    MT_TRY(mt_tiling_options_ranges(arguments, &ranges));
    MT_TRY(mt_scheme_find(scheme, ranges, &steps->base.scheme[0]));
    steps->base.n_schemes = 1;
    return pde_steps ? mt_integer("--pde-steps", pde_steps, 1, 1000000, &steps->pde_asked) : MT_OK;
}

/* ---- costs ---- */

/* Finds the number of diffusion substeps per time step, and the number of time steps. */
static mt_status find_numbers(mt_steps *s)
{
    char key[64];
    (void)snprintf(key, sizeof key, "%s_pde_steps", s->base.like ? s->base.like : "heart04");
    MT_TRY(mt_published("ode_steps", &s->ode_steps, &s->ode_steps));
    MT_TRY(mt_published(key, &s->pde_steps, &s->pde_steps));
    if (s->pde_asked > 0) s->pde_steps = (double)s->pde_asked;
    return MT_OK;
}

static mt_status add_costs(void *context, size_t i, size_t k, const mt_halo *halo)
{
    mt_steps *s = context;
    mt_steps_costs *step = &s->step[i];
    mt_costs *c = &step->one;
    MT_TRY(mt_costs_find(&s->base.tiling, halo, c));
    if (!c->fits) mt_reproduce_warn(&s->base.scheme[k], s->base.ipus[i], c);
    const double p = c->fits ? s->pde_steps : NAN;
    step->phase[MT_STEPS_ODE] = c->fits ? (double)c->ode.max : NAN;
    step->phase[MT_STEPS_PDE] = p * (double)c->pde.max;
    step->phase[MT_STEPS_BETWEEN] = p * (double)(c->external_cycles + c->external_sync_cycles);
    step->phase[MT_STEPS_INSIDE] =
        p * (double)(c->exchange_cycles + c->sync_cycles) - step->phase[MT_STEPS_BETWEEN];
    step->cycles = 0;
    for (size_t f = 0; f < MT_STEPS_PHASES; f++) step->cycles += step->phase[f];
    for (int end = 0; end < IPU_ENDS; end++)
        step->at[end] = c->fits ? p * (double)c->pde_step.at[end] + (double)c->ode_step.at[end] : NAN;
    return MT_OK;
}

static mt_status make_with(const char *path, mt_steps *s)
{
    MT_TRY(mt_reproduce_mesh(path, &s->base));
    s->name = path ? basename(path) : "heart by gmsh";
    s->n_elements = s->base.mesh.n_elements;
    MT_TRY(find_numbers(s));
    return mt_reproduce_each(&s->base, add_costs, s);
}

mt_status mt_steps_make(const char *path, mt_steps *s)
{
    mt_status status = make_with(path, s);
    mt_reproduce_free_mesh(&s->base);
    return status;
}

/* ---- comparison and titles ---- */

mt_status mt_steps_compare(mt_arena *arena, const mt_steps *s, mt_comparison *comparison)
{
    double low, high;
    MT_TRY(mt_published("heart04_pde_steps", &low, &high));
    const bool comparable = s->base.like && strcmp(s->base.like, "heart04") == 0 && s->pde_steps == low &&
                            mt_reproduce_as_studied(&s->base, &s->base.scheme[0]);
    *comparison = mt_comparison_begin(arena,
        comparable ? "On 1 IPU, compared with heart04 of the study"
                   : "On 1 IPU; the study has no comparable times",
        comparable);
    return MT_OK;
}

const mt_steps_costs *mt_steps_on_one(const mt_steps *s)
{
    for (size_t i = 0; i < s->base.n_ipus; i++)
        if (s->base.ipus[i] == 1 && s->step[i].one.fits) return &s->step[i];
    return NULL;
}

double mt_steps_seconds(const mt_steps *s, double cycles)
{
    return s->ode_steps * cycles / s->base.tiling.one.clock_hz;
}

void mt_steps_setting(const mt_reproduce *base, char setting[MT_STEPS_SETTING])
{
    const ipu_target *machine = &base->tiling.one;
    const bool copies = machine->copies == IPU_COPIES_ALWAYS && !strstr(machine->name, "exchange.copies");
    (void)snprintf(setting, MT_STEPS_SETTING, "%s, %s partition%s, %s%s", machine->name,
        mt_partition_methods[base->tiling.method], base->tiling.balance_halo ? " with balanced halos" : "",
        base->scheme[0].name, copies ? ", inputs gathered by copies" : "");
}

void mt_steps_title(const mt_steps *s, const char *what, char title[MT_STEPS_TITLE])
{
    char setting[MT_STEPS_SETTING];
    mt_steps_setting(&s->base, setting);
    (void)snprintf(title, MT_STEPS_TITLE,
        "%s: mesh of %zu elements on %s, %g diffusion substep%s per time step", what, s->n_elements, setting,
        s->pde_steps, s->pde_steps > 1 ? "s" : "");
}
