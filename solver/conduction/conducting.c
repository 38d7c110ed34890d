#include "solver/conduction/conducting.h"

#include <math.h>
#include <string.h>

#include "solver/conduction/conducting_functions.h"

static size_t n_points(const mt_conducting *c) { return c->conduction->cables.n_points; }

mt_status mt_conducting_open(
    mt_arena *arena, const mt_conduction *conduction, double dt_ms, bool single, mt_conducting *c)
{
    *c = (mt_conducting){.conduction = conduction,
        .dt_ms = dt_ms,
        .n_places = conduction->cables.n_points + conduction->junctions.n,
        .functions = single ? &mt_conducting_single : &mt_conducting_double};
    MT_ALLOC(arena, c->activation_ms, c->n_places);
    MT_ALLOC(arena, c->v_mV, n_points(c));
    MT_ALLOC(arena, c->places, c->n_places);
    MT_ALLOC(arena, c->tissue_mV, conduction->junctions.n_unknowns);
    MT_TRY(c->functions->open(arena, conduction, dt_ms, &c->part));
    mt_conducting_look(c);
    return MT_OK;
}

/* ---- arrays ---- */

/* Returns the number of arrays of the points: V, the states, those of multirate stepping, and the increments. */
static size_t of_points(const mt_conduction *conduction)
{
    return 2 + conduction->model->n_states + (conduction->stepping == MT_STEPPING_MULTIRATE ? MT_PACED : 0);
}

size_t mt_conducting_arrays(const mt_conduction *conduction)
{
    return of_points(conduction) + MT_CONDUCTING_RECORDED;
}

mt_cell_quantity mt_conducting_array(const mt_conduction *conduction, size_t array, size_t *length)
{
    static const mt_cell_quantity recorded[] = {[MT_CONDUCTING_ACTIVATION] = {"activation", "ms"},
        [MT_CONDUCTING_BEFORE] = {"before", "mV"},
        [MT_CONDUCTING_FREE] = {"free", ""}};
    const size_t n_states = conduction->model->n_states, n = of_points(conduction);
    *length = conduction->cables.n_points + (array >= n ? conduction->junctions.n : 0);
    if (array == 0) return (mt_cell_quantity){"V", "mV"};
    if (array >= n) return recorded[array - n];
    if (array == n - 1) return (mt_cell_quantity){"increment", "mV"};
    return array <= n_states ? conduction->model->states[array - 1] : mt_paced_quantity[array - 1 - n_states];
}

void mt_conducting_read(const mt_conducting *c, size_t array, double *values)
{
    size_t n;
    (void)mt_conducting_array(c->conduction, array, &n);
    c->functions->read(c->part, array, n, values);
}

void mt_conducting_write(mt_conducting *c, size_t array, const double *values)
{
    size_t n;
    (void)mt_conducting_array(c->conduction, array, &n);
    c->functions->write(c->part, array, n, values);
}

size_t mt_conducting_size(const mt_conduction *conduction)
{
    size_t size = 0, length;
    for (size_t k = 0; k < mt_conducting_arrays(conduction); k++) {
        mt_conducting_array(conduction, k, &length);
        size += length;
    }
    return size;
}

void mt_conducting_save(const mt_conducting *c, double *values)
{
    for (size_t k = 0, length; k < mt_conducting_arrays(c->conduction); k++, values += length) {
        mt_conducting_array(c->conduction, k, &length);
        mt_conducting_read(c, k, values);
    }
}

void mt_conducting_restore(mt_conducting *c, const double *values)
{
    for (size_t k = 0, length; k < mt_conducting_arrays(c->conduction); k++, values += length) {
        mt_conducting_array(c->conduction, k, &length);
        mt_conducting_write(c, k, values);
    }
}

/* ---- a step ---- */

void mt_conducting_voltages(const mt_conducting *c, double *v_mV)
{
    mt_conducting_read(c, of_points(c->conduction) + MT_CONDUCTING_BEFORE, c->places);
    memcpy(v_mV, c->places, n_points(c) * sizeof *v_mV);
}

void mt_conducting_look(mt_conducting *c)
{
    mt_conducting_read(c, 0, c->v_mV);
    mt_conducting_read(c, of_points(c->conduction) + MT_CONDUCTING_ACTIVATION, c->activation_ms);
    for (size_t k = 0; k < c->n_places; k++) c->activation_ms[k] += (double)c->beat_step * c->dt_ms;
}

void mt_conducting_step(mt_conducting *c, size_t step, const double *tissue_mV)
{
    c->functions->step(c->part, step, step - c->beat_step, tissue_mV, c->tissue_mV);
    mt_conducting_look(c);
}

void mt_conducting_begin_beat(mt_conducting *c, size_t step)
{
    c->beat_step = step;
    for (size_t k = 0; k < c->n_places; k++) c->activation_ms[k] = INFINITY;
    mt_conducting_write(c, of_points(c->conduction) + MT_CONDUCTING_ACTIVATION, c->activation_ms);
}

void mt_conducting_move(mt_conducting *c, const mt_conducting_functions *functions, void *part)
{
    double *values = c->places;
    for (size_t k = 0, n; k < mt_conducting_arrays(c->conduction); k++) {
        (void)mt_conducting_array(c->conduction, k, &n);
        c->functions->read(c->part, k, n, values);
        functions->write(part, k, n, values);
    }
    c->functions = functions;
    c->part = part;
    mt_conducting_look(c);
}

/* ---- passages ---- */

const char *const mt_passage_name[MT_PASSAGES] = {[MT_PASSAGE_NONE] = "none",
    [MT_PASSAGE_ANTEGRADE] = "antegrade",
    [MT_PASSAGE_RETROGRADE] = "retrograde",
    [MT_PASSAGE_ANTEGRADE_FAILED] = "antegrade_failed",
    [MT_PASSAGE_RETROGRADE_FAILED] = "retrograde_failed",
    [MT_PASSAGE_COLLISION] = "collision",
    [MT_PASSAGE_OPEN] = "open"};

double mt_passage_share(const mt_junctions *junctions, size_t junction, const double *volume_mm3,
    const double *activation_ms, double cable_ms)
{
    double all_mm3 = 0, activated_mm3 = 0;
    for (size_t i = junctions->near_start[junction]; i < junctions->near_start[junction + 1]; i++) {
        const uint32_t unknown = junctions->near[i];
        all_mm3 += volume_mm3[unknown];
        if (fabs(activation_ms[unknown] - cable_ms) <= MT_PASSAGE_LONGEST_MS)
            activated_mm3 += volume_mm3[unknown];
    }
    return activated_mm3 / all_mm3;
}

/* Returns the failure of a wavefront that reached one side. */
static mt_passage failure_of(const mt_passage_times *t, bool antegrade)
{
    const double delay_ms = t->tissue_ms - t->cable_ms;
    const bool in_time = fabs(delay_ms) <= MT_PASSAGE_LONGEST_MS;
    if (t->end_ms - fmin(t->cable_ms, t->tissue_ms) < MT_PASSAGE_LONGEST_MS) return MT_PASSAGE_OPEN;
    return (in_time ? antegrade : delay_ms > 0) ? MT_PASSAGE_ANTEGRADE_FAILED : MT_PASSAGE_RETROGRADE_FAILED;
}

mt_passage mt_passage_of(const mt_passage_times *t)
{
    const double delay_ms = t->tissue_ms - t->cable_ms; /* NaN or infinite if one side was not activated */
    const bool in_time = fabs(delay_ms) <= MT_PASSAGE_LONGEST_MS, antegrade = t->inside_ms < t->cable_ms;
    if (isinf(t->cable_ms) && isinf(t->tissue_ms)) return MT_PASSAGE_NONE;
    if (in_time && antegrade && delay_ms < -MT_PASSAGE_BEFORE_MS) return MT_PASSAGE_COLLISION;
    if (in_time && antegrade && t->share > MT_PASSAGE_SHARE) return MT_PASSAGE_ANTEGRADE;
    if (in_time && !antegrade && t->inside_ms - t->tissue_ms <= MT_PASSAGE_LONGEST_MS)
        return MT_PASSAGE_RETROGRADE;
    return failure_of(t, antegrade);
}
