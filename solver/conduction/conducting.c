#include "solver/conduction/conducting.h"

#include <math.h>
#include <string.h>

#include "solver/conduction/conducting_functions.h"

static const mt_conducting_functions *functions_of(const mt_conducting *c)
{
    return c->single ? &mt_conducting_single : &mt_conducting_double;
}

static size_t n_points(const mt_conducting *c) { return c->conduction->cables.n_points; }

mt_status mt_conducting_open(
    mt_arena *arena, const mt_conduction *conduction, double dt_ms, bool single, mt_conducting *c)
{
    const size_t n_places = conduction->cables.n_points + conduction->junctions.n;
    *c = (mt_conducting){.conduction = conduction, .dt_ms = dt_ms, .single = single, .n_places = n_places};
    MT_ALLOC(arena, c->activation_ms, n_places);
    MT_ALLOC(arena, c->before_mV, n_places);
    MT_ALLOC(arena, c->now_mV, n_places);
    MT_ALLOC(arena, c->is_free, n_places);
    MT_ALLOC(arena, c->rise_mV, conduction->junctions.n_unknowns);
    MT_TRY(functions_of(c)->open(arena, conduction, dt_ms, &c->part));
    for (size_t k = 0; k < n_places; k++) {
        c->before_mV[k] = k < n_points(c) ? conduction->variant.v_mV : NAN;
        c->is_free[k] = c->before_mV[k] < MT_CONDUCTION_FREE_mV;
    }
    mt_conducting_begin_beat(c);
    return MT_OK;
}

/* Records the activation of a place in a time step. */
static void record(mt_conducting *c, size_t step, size_t place)
{
    const double before = c->before_mV[place], now = c->now_mV[place],
                 threshold = c->conduction->threshold_mV;
    c->before_mV[place] = now;
    if (now < MT_CONDUCTION_FREE_mV) c->is_free[place] = 1;
    if (!c->is_free[place] || now < threshold) return;
    c->is_free[place] = 0;
    if (isfinite(c->activation_ms[place])) return;
    const double part = before < threshold ? (threshold - before) / (now - before) : 0;
    c->activation_ms[place] = ((double)step + part) * c->dt_ms;
}

void mt_conducting_step(mt_conducting *c, size_t step, const double *tissue_mV)
{
    functions_of(c)->step(c->part, step, tissue_mV, c->rise_mV, c->now_mV);
    for (size_t k = 0; k < c->n_places; k++) record(c, step, k);
}

void mt_conducting_begin_beat(mt_conducting *c)
{
    for (size_t k = 0; k < c->n_places; k++) c->activation_ms[k] = INFINITY;
}

/* ---- arrays ---- */

enum { ACTIVATION, BEFORE, FREE, RECORDED };

/* Returns the number of arrays of the points: V, the states, and those of multirate stepping. */
static size_t of_points(const mt_conduction *conduction)
{
    return 1 + conduction->model->n_states + (conduction->stepping == MT_STEPPING_MULTIRATE ? MT_PACED : 0);
}

size_t mt_conducting_arrays(const mt_conduction *conduction) { return of_points(conduction) + RECORDED; }

mt_cell_quantity mt_conducting_array(const mt_conduction *conduction, size_t array, size_t *length)
{
    static const mt_cell_quantity recorded[RECORDED] = {
        [ACTIVATION] = {"activation", "ms"}, [BEFORE] = {"before", "mV"}, [FREE] = {"free", ""}};
    const size_t n_states = conduction->model->n_states, n = of_points(conduction);
    *length = conduction->cables.n_points + (array >= n ? conduction->junctions.n : 0);
    if (array == 0) return (mt_cell_quantity){"V", "mV"};
    if (array >= n) return recorded[array - n];
    return array <= n_states ? conduction->model->states[array - 1] : mt_paced_quantity[array - 1 - n_states];
}

void mt_conducting_read(const mt_conducting *c, size_t array, double *values)
{
    const size_t n = of_points(c->conduction);
    if (array < n)
        functions_of(c)->read(c->part, array, values);
    else if (array - n == FREE)
        for (size_t place = 0; place < c->n_places; place++) values[place] = c->is_free[place];
    else
        memcpy(
            values, array - n == ACTIVATION ? c->activation_ms : c->before_mV, c->n_places * sizeof *values);
}

void mt_conducting_write(mt_conducting *c, size_t array, const double *values)
{
    const size_t n = of_points(c->conduction);
    if (array < n)
        functions_of(c)->write(c->part, array, values);
    else if (array - n == FREE)
        for (size_t place = 0; place < c->n_places; place++) c->is_free[place] = values[place] > 0;
    else
        memcpy(
            array - n == ACTIVATION ? c->activation_ms : c->before_mV, values, c->n_places * sizeof *values);
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

const char *const mt_passage_name[MT_PASSAGES] = {[MT_PASSAGE_NONE] = "none",
    [MT_PASSAGE_ANTEGRADE] = "antegrade",
    [MT_PASSAGE_RETROGRADE] = "retrograde",
    [MT_PASSAGE_ANTEGRADE_FAILED] = "antegrade_failed",
    [MT_PASSAGE_RETROGRADE_FAILED] = "retrograde_failed",
    [MT_PASSAGE_COLLISION] = "collision",
    [MT_PASSAGE_OPEN] = "open"};

mt_passage mt_passage_of(const mt_passage_times *t)
{
    const double first_ms = fmin(t->cable_ms, t->tissue_ms);
    const bool both = isfinite(t->cable_ms) && isfinite(t->tissue_ms);
    if (isinf(first_ms)) return MT_PASSAGE_NONE;
    if (!both && t->end_ms - first_ms < MT_PASSAGE_LONGEST_MS) return MT_PASSAGE_OPEN;
    if (!both) return isinf(t->cable_ms) ? MT_PASSAGE_RETROGRADE_FAILED : MT_PASSAGE_ANTEGRADE_FAILED;
    const double delay_ms = t->tissue_ms - t->cable_ms;
    const bool antegrade = t->inside_ms < t->cable_ms;
    if (fabs(delay_ms) > MT_PASSAGE_LONGEST_MS)
        return delay_ms < 0 ? MT_PASSAGE_RETROGRADE_FAILED : MT_PASSAGE_ANTEGRADE_FAILED;
    if (!antegrade) return MT_PASSAGE_RETROGRADE;
    return delay_ms < -MT_PASSAGE_BEFORE_MS ? MT_PASSAGE_COLLISION : MT_PASSAGE_ANTEGRADE;
}
