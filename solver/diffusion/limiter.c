#include "solver/diffusion/limiter.h"

#include <math.h>

#include "solver/diffusion/growth.h"
#include "solver/diffusion/proof.h"
#include "solver/diffusion/symmetric.h"

enum { MAX_LANCZOS = 400, MAX_VECTORS = 12, MAX_ROUNDS = 24, REGION_RINGS = 12 };

static const double TOP_ALLOWED = 1e-6; /* [per ms] */
static const double DT_SAFETY = 0.9;    /* margin for the non-symmetric part of M, and for Lanczos */

/* Returns S of all stars, which must have forms. */
static mt_status take_symmetric(mt_arena *scratch, const mt_stars *s, mt_symmetric *symmetric)
{
    *symmetric = (mt_symmetric){.n = s->n,
        .neighbour = s->adjacency->neighbour,
        .back = s->back,
        .form = s->form,
        .root = s->root,
        .null_root = s->null_root,
        .number = s->order->element,
        .watch = s->watch};
    MT_ALLOC(scratch, symmetric->w, 4 * s->n);
    return MT_OK;
}

/* ---- local limiting ---- */

/* An element is limited if it creates at least this fraction of the energy of the worst one. */
static const double SHARE = 0.05;

static const char looking_close_by[] = "searching for growing patterns";

/* Marks the indefinite elements that have this element's star in their patch for another examination. */
static void ask_again(mt_stars *s, const mt_growth_stars *stars, uint32_t element)
{
    mt_growth_patch patch;
    mt_growth_around(stars, element, MT_GROWTH_RINGS, &patch);
    for (size_t k = 0; k < patch.n_elements; k++)
        s->pending[patch.element[k]] = s->indefinite[patch.element[k]];
}

static size_t limit_in_patch(
    mt_stars *s, const mt_growth_stars *stars, const mt_growth_patch *patch, const double *energy)
{
    double most = 0;
    size_t fresh = 0;
    for (size_t k = 0; k < patch->n_stars; k++) most = fmin(most, energy[k]);
    for (size_t k = 0; k < patch->n_stars; k++) {
        if (!(energy[k] < SHARE * most) || mt_stars_limit(s, patch->element[k]) == 0) continue;
        ask_again(s, stars, patch->element[k]);
        fresh++;
    }
    return fresh;
}

/* Limits elements until nothing grows in the patch around an element, or no candidate is left. Returns the number
 * of limited elements. */
static size_t limit_around(mt_stars *s, const mt_growth_stars *stars, uint32_t element)
{
    mt_growth_patch patch;
    double x[MT_GROWTH_ELEMENTS], energy[MT_GROWTH_STARS];
    size_t fresh = 0;
    for (size_t more = 1; more > 0; fresh += more) {
        mt_growth_around(stars, element, MT_GROWTH_RINGS, &patch);
        if (!mt_growth_direction(&patch, TOP_ALLOWED, x)) break;
        mt_growth_energies(stars, &patch, x, energy);
        more = limit_in_patch(s, stars, &patch, energy);
    }
    s->pending[element] = 0;
    return fresh;
}

/* True if something grows around an element, with its x. In most cases a small patch shows that nothing grows. */
static bool grows_around(
    const mt_growth_stars *stars, uint32_t element, mt_growth_patch *patch, double x[MT_GROWTH_ELEMENTS])
{
    for (size_t rings = 1; rings <= MT_GROWTH_RINGS; rings++) {
        mt_growth_around(stars, element, rings, patch);
        if (!mt_growth_direction(patch, TOP_ALLOWED, x)) return false;
    }
    return true;
}

/* Clears `pending` of elements around which nothing grows. Counts the others. */
static mt_status clear_pending(mt_stars *s, const mt_growth_stars *stars, size_t *left)
{
    size_t others = 0;
    for (size_t first = 0; first < s->n; first += MT_STARS_CHUNK) {
        MT_TRY(mt_watch_report(s->watch, looking_close_by, (double)first / (double)s->n));
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : others) if (s->n >= MT_STARS_PARALLEL_FROM)
        for (size_t c = first; c < mt_stars_chunk_end(s, first); c++) {
            mt_growth_patch patch;
            double x[MT_GROWTH_ELEMENTS];
            if (!s->pending[c]) continue;
            s->pending[c] = grows_around(stars, (uint32_t)c, &patch, x);
            others += s->pending[c];
        }
    }
    *left = others;
    return MT_OK;
}

static mt_growth_stars growth_stars_of(const mt_stars *s)
{
    return (mt_growth_stars){s->adjacency, s->star, s->indefinite, s->root};
}

/* Limits until nothing grows around any element that could feed growth; rarely anything remains to be found
 * afterwards. Terminates, since every iteration but the last limits an element or clears all. */
static mt_status limit_close_by(mt_stars *s, size_t *fresh)
{
    const mt_growth_stars stars = growth_stars_of(s);
    size_t left;
    for (;;) {
        MT_TRY(clear_pending(s, &stars, &left));
        if (left == 0) return MT_OK;
        for (size_t e = 0; e < s->n; e++) {
            const size_t c = s->order->place[e];
            if (!s->pending[c]) continue;
            MT_TRY(mt_watch_report(s->watch, looking_close_by, (double)e / (double)s->n));
            *fresh += limit_around(s, &stars, (uint32_t)c);
        }
    }
}

/* ---- limiting by the spectrum ---- */

/* Limits the elements that cause the growth of one vector: the elements that create at least 5 % of the energy of the
 * worst one. There is one, since the energies sum to less than 0. It was not limited before, since its star is
 * indefinite. */
static size_t limit_vector(mt_stars *s, const mt_symmetric *symmetric, const double *x)
{
    double *energy = symmetric->w, most = 0;
#pragma omp parallel for schedule(static) if (s->n >= MT_STARS_PARALLEL_FROM)
    for (size_t c = 0; c < s->n; c++) s->z[c] = s->root[c] * x[c];
#pragma omp parallel for schedule(static) reduction(min : most) if (s->n >= MT_STARS_PARALLEL_FROM)
    for (size_t c = 0; c < s->n; c++) {
        energy[c] = mt_symmetric_energy(symmetric, c, s->z);
        if (energy[c] < most) most = energy[c];
    }
    size_t fresh = 0;
    for (size_t c = 0; c < s->n; c++)
        if (energy[c] < SHARE * most) fresh += mt_stars_limit(s, c);
    return fresh;
}

static size_t limit_all(mt_stars *s)
{
    size_t fresh = 0;
    for (size_t c = 0; c < s->n; c++) fresh += mt_stars_limit(s, c);
    return fresh;
}

static mt_status limit_some(mt_arena *scratch, mt_stars *s, const mt_spectrum *ends, size_t *fresh)
{
    mt_symmetric symmetric;
    size_t count = 0;
    double *values, *vectors;
    MT_TRY(take_symmetric(scratch, s, &symmetric));
    MT_TRY(
        mt_symmetric_vectors(scratch, &symmetric, ends, TOP_ALLOWED, MAX_VECTORS, &count, &values, &vectors));
    for (size_t k = 0; k < count; k++) *fresh += limit_vector(s, &symmetric, vectors + k * s->n);
    return MT_OK;
}

/* A search for growth, which ends early only if it finds some. */
static const mt_spectrum_goal growth = {
    .max_steps = MAX_LANCZOS, .lowest_tolerance = 1e-3, .above = TOP_ALLOWED, .above_tolerance = 1e-2};

/* ---- regions ---- */

/* The elements around given ones. */
typedef struct region {
    size_t n, n_free;  /* the value of element number n_free and of those after it is 0 */
    uint32_t *element; /* [n] */
    uint32_t *place;   /* [elements] index of each; MT_NO_ELEMENT: outside */
} region;

static void add_to_region(region *r, uint32_t element)
{
    if (r->place[element] != MT_NO_ELEMENT) return;
    r->place[element] = (uint32_t)r->n;
    r->element[r->n++] = element;
}

/* Finds the elements at most `rings` faces away from those with a mark, then those at most `fixed` faces farther away, of value 0. */
static mt_status find_region(
    mt_arena *scratch, const mt_stars *s, const uint8_t *mark, size_t rings, size_t fixed, region *r)
{
    *r = (region){0};
    MT_ALLOC(scratch, r->element, s->n);
    MT_ALLOC(scratch, r->place, s->n);
    for (size_t c = 0; c < s->n; c++) r->place[c] = MT_NO_ELEMENT;
    for (size_t c = 0; c < s->n; c++)
        if (mark[c]) add_to_region(r, (uint32_t)c);
    for (size_t ring = 0, first = 0; ring < rings + fixed; ring++) {
        const size_t end = r->n;
        for (; first < end; first++)
            for (size_t f = 0; f < 4; f++)
                add_to_region(
                    r, (uint32_t)mt_adjacency_or_own(s->adjacency->neighbour, r->element[first], f));
        if (ring < rings) r->n_free = r->n;
    }
    return MT_OK;
}

/* Work space for S of a region. */
typedef struct region_room {
    uint32_t *neighbour, *number;
    uint8_t *back;
    double *form, *root, *w;
} region_room;

/* Fills one element of the region. Stars that reach outside are left out. */
static void fill_region(const mt_stars *s, const region *r, size_t k, const region_room *to)
{
    const size_t c = r->element[k];
    bool inside = true;
    to->number[k] = s->order->element[c];
    to->root[k] = k < r->n_free ? s->root[c] : 0;
    for (size_t f = 0; f < 4; f++) {
        const size_t near = mt_adjacency_or_own(s->adjacency->neighbour, c, f);
        const uint32_t n = r->place[near];
        inside = inside && n != MT_NO_ELEMENT;
        to->neighbour[4 * k + f] = near == c ? MT_NO_ELEMENT : n;
        to->back[4 * k + f] = n == MT_NO_ELEMENT ? (uint8_t)f : s->back[4 * c + f];
    }
    for (size_t i = 0; i < 10 && inside; i++) to->form[10 * k + i] = s->form[10 * c + i];
}

static mt_status make_region(mt_arena *scratch, const mt_stars *s, const region *r, mt_symmetric *symmetric)
{
    region_room room;
    MT_ALLOC(scratch, room.neighbour, 4 * r->n);
    MT_ALLOC(scratch, room.number, r->n);
    MT_ALLOC(scratch, room.back, 4 * r->n);
    MT_ALLOC(scratch, room.form, 10 * r->n);
    MT_ALLOC(scratch, room.root, r->n);
    MT_ALLOC(scratch, room.w, 4 * r->n);
    for (size_t k = 0; k < r->n; k++) fill_region(s, r, k, &room);
    *symmetric = (mt_symmetric){.n = r->n,
        .neighbour = room.neighbour,
        .back = room.back,
        .form = room.form,
        .root = room.root,
        .number = room.number,
        .w = room.w,
        .watch = s->watch};
    return MT_OK;
}

/* True if nothing grows in the regions around unpaid debts. Stars that reach outside only dissipate: their debts are paid, or they are
 * definite. Skipped if the regions are most of the mesh. */
static mt_status stable_in_region(mt_arena *scratch, const mt_stars *s, const uint8_t *unpaid, bool *stable)
{
    region r;
    mt_symmetric symmetric;
    mt_spectrum ends;
    *stable = false;
    MT_TRY(find_region(scratch, s, unpaid, REGION_RINGS, 0, &r));
    if (2 * r.n > s->n) return MT_OK;
    MT_TRY(make_region(scratch, s, &r, &symmetric));
    MT_TRY(mt_symmetric_ends(scratch, &symmetric, &growth, &ends));
    *stable = ends.highest <= TOP_ALLOWED;
    return MT_OK;
}

/* True if something grows on the elements close to those where growth is possible, with 0 elsewhere. All stars that touch these elements
 * count, so that the value found is a lower bound of the highest eigenvalue of S. */
static mt_status grows_together(const mt_stars *s, bool *grows)
{
    enum { STEPS = 100, STAR_RINGS = 2 /* all neighbours of stars that touch an element */ };
    const mt_spectrum_goal any = {
        .max_steps = STEPS, .lowest_tolerance = INFINITY, .above = TOP_ALLOWED, .above_tolerance = INFINITY};
    MT_SCRATCH(scratch);
    region r;
    mt_symmetric symmetric;
    mt_spectrum ends;
    MT_TRY(find_region(scratch, s, s->pending, MT_GROWTH_RINGS, STAR_RINGS, &r));
    MT_TRY(make_region(scratch, s, &r, &symmetric));
    MT_TRY(mt_symmetric_ends(scratch, &symmetric, &any, &ends));
    *grows = ends.highest > TOP_ALLOWED;
    return MT_OK;
}

/* True if growth is proved. In most cases the first element with possible growth proves it. The stars must have forms. */
static mt_status surely_grows(mt_stars *s, bool *grows)
{
    const mt_growth_stars stars = growth_stars_of(s);
    mt_growth_patch patch;
    double x[MT_GROWTH_ELEMENTS];
    size_t left;
    *grows = false;
    MT_TRY(clear_pending(s, &stars, &left));
    const bool any_left = left > 0;
    for (size_t e = 0; e < s->n && left > 0 && !*grows; e++) {
        const size_t c = s->order->place[e];
        if (!s->pending[c] || !grows_around(&stars, (uint32_t)c, &patch, x)) continue;
        *grows = mt_growth_rate(&stars, &patch, x) > TOP_ALLOWED;
        left--;
    }
    return any_left && !*grows ? grows_together(s, grows) : MT_OK;
}

/* True if all debts are paid, or if nothing grows around the unpaid ones with the remaining dissipation. The stars
 * must have forms. */
static mt_status is_stable(mt_stars *s, bool *stable)
{
    MT_SCRATCH(scratch);
    uint8_t *unpaid;
    size_t n_unpaid;
    MT_TRY(mt_proof_pay_debts(scratch, s, &unpaid, &n_unpaid));
    *stable = n_unpaid == 0;
    if (*stable) return MT_OK;
    mt_proof_restore_debts(s, unpaid);
    return stable_in_region(scratch, s, unpaid, stable);
}

/* ---- complete search ---- */

/* True if something grows. Checks by increasing cost: by algebra, if no star can create energy; in the first round
 * by the local search; by a proof that nothing grows; by the complete spectrum, in which case `ends` is returned (0
 * steps: not computed). */
static mt_status ask(mt_arena *scratch, mt_stars *s, const mt_limits *found, mt_spectrum *ends, bool *grows)
{
    bool stable;
    mt_symmetric symmetric;
    *ends = (mt_spectrum){0};
    *grows = false;
    if (found->n_limited == found->n_indefinite) return MT_OK;
    MT_TRY(mt_stars_alloc_forms(scratch, s));
    if (found->n_rounds == 1) MT_TRY(surely_grows(s, grows));
    if (*grows) return MT_OK;
    const mt_status proven = is_stable(s, &stable);
    mt_stars_form(s);
    MT_TRY(proven);
    if (stable) return MT_OK;
    mt_spectrum_goal goal = growth;
    if (found->n_rounds == 1) goal.above_tolerance = INFINITY; /* any value above the limit suffices */
    MT_TRY(take_symmetric(scratch, s, &symmetric));
    MT_TRY(mt_symmetric_ends(scratch, &symmetric, &goal, ends));
    *grows = ends->highest > TOP_ALLOWED;
    return MT_OK;
}

/* One round; *last: nothing grew. The forms are those of the round. */
static mt_status find_in_round(mt_arena *scratch, mt_stars *s, mt_limits *found, bool *last)
{
    mt_spectrum ends;
    bool grows;
    size_t fresh = 0;
    found->n_rounds++;
    MT_TRY(ask(scratch, s, found, &ends, &grows));
    *last = !grows;
    if (!grows) return MT_OK;
    if (found->n_rounds == 1) MT_TRY(limit_close_by(s, &fresh));
    if (fresh == 0 && ends.steps == 0) return MT_OK; /* the next round computes the spectrum */
    if (fresh == 0 && found->n_rounds < MAX_ROUNDS) MT_TRY(limit_some(scratch, s, &ends, &fresh));
    if (fresh == 0) fresh = limit_all(s);
    found->n_limited += fresh;
    return MT_OK;
}

/* Limits until nothing grows. The first round only asks whether something grows, and if so limits elements by the
 * local search; later rounds use the spectrum. Each round limits at least one more element. After many rounds, or
 * if rounding hides the cause, all indefinite elements are limited, which guarantees top <= 0 algebraically. */
mt_status mt_limiter_find(mt_stars *s, mt_limits *found)
{
    mt_status status = MT_OK;
    for (bool last = false; status == MT_OK && !last;) {
        MT_SCRATCH(scratch);
        status = find_in_round(scratch, s, found, &last);
        s->form = NULL;
    }
    return status;
}

mt_status mt_limiter_measure(const mt_stars *s, mt_limits *found)
{
    MT_SCRATCH(scratch);
    const mt_spectrum_goal goal = {.max_steps = MAX_LANCZOS, .lowest_only = true, .lowest_tolerance = 1e-3};
    mt_symmetric symmetric;
    mt_spectrum ends;
    MT_TRY(take_symmetric(scratch, s, &symmetric));
    MT_TRY(mt_symmetric_ends(scratch, &symmetric, &goal, &ends));
    if (!ends.settled)
        return mt_fail(MT_NUMERICS, "the lowest eigenvalue, %g per ms, did not converge in %zu Lanczos steps",
            ends.lowest, ends.steps);
    found->limit_dt_ms = ends.lowest < 0 ? DT_SAFETY * 2 / -ends.lowest : INFINITY;
    found->top_per_ms = ends.highest;
    return MT_OK;
}

bool mt_limiter_recall(mt_stars *s, const mt_limits *known)
{
    if (!mt_limits_fit(known, s->n)) return false;
    for (size_t k = 0; k < known->n_limited; k++)
        if (!mt_stars_is_indefinite(s, s->order->place[known->limited[k]])) return false;
    for (size_t k = 0; k < known->n_limited; k++) (void)mt_stars_limit(s, s->order->place[known->limited[k]]);
    return true;
}
