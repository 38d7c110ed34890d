#include "solver/diffusion/proof.h"

#include <math.h>

#include "solver/diffusion/spectrum.h"

enum {
    RINGS = 4, /* of paying stars, at most */
    /* of elements around an unpaid debt whose debts remain unpaid; more than RINGS, so that the stars in the middle keep all dissipation */
    LEFT_RINGS = 8,
    PATCH = 1 + 4 * (243 - 1) / 2 /* elements at most one face farther away */
};

/* A debt is paid by this number of rings if it takes at most this fraction of the dissipation of their stars. */
static const double MOST[RINGS + 1] = {0, 0.5, 0.7, 0.9, 0.999};
static const double SINGULAR = 1e-12; /* a pivot below this fraction of its diagonal is 0 */
static const double SOLVED = 1e-8;    /* allowed residual relative to the right-hand side, taken in excess */

/* indices in a form */
static const uint8_t at[4][4] = {{0, 1, 2, 3}, {1, 4, 5, 6}, {2, 5, 7, 8}, {3, 6, 8, 9}};

/* The elements around a star: its own first, then the elements with paying stars. */
typedef struct patch {
    const mt_stars *s;
    size_t n_stars, n_elements;
    uint32_t element[PATCH];
    size_t number[PATCH][4]; /* of the neighbours of elements with stars, in the patch */
    double a[PATCH][PATCH];  /* A, lower half */
    double b[PATCH], x[PATCH];
} patch;

static void gather(const mt_stars *s, size_t c, size_t rings, patch *p)
{
    size_t end[RINGS + 2];
    mt_adjacency_ball(s->adjacency, (uint32_t)c, rings + 1, p->element, end);
    p->s = s;
    p->n_stars = end[rings];
    p->n_elements = end[rings + 1];
    for (size_t j = 0; j < p->n_stars; j++)
        for (size_t f = 0; f < 4; f++) {
            const size_t n = mt_adjacency_or_own(s->adjacency->neighbour, p->element[j], f);
            size_t k = 0;
            while (p->element[k] != n) k++;
            p->number[j][f] = k;
        }
}

static double *form_of(const patch *p, size_t j) { return p->s->form + 10 * (size_t)p->element[j]; }

/* ---- A x = b ---- */

static void add_star(patch *p, size_t j)
{
    const double *form = form_of(p, j);
    const size_t *near = p->number[j], number[5] = {near[0], near[1], near[2], near[3], j};
    double rows[5][5] = {{0}};
    for (size_t f = 0; f < 4; f++)
        for (size_t g = 0; g < 4; g++) {
            const double value = form[at[f][g]];
            rows[f][g] += value;
            rows[f][4] -= value;
            rows[4][g] -= value;
            rows[4][4] += value;
        }
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 5; k++)
            if (number[i] >= number[k]) p->a[number[i]][number[k]] += rows[i][k];
}

static void assemble(patch *p, const double direction[4])
{
    for (size_t i = 0; i < p->n_elements; i++) {
        for (size_t k = 0; k <= i; k++) p->a[i][k] = 0;
        p->b[i] = 0;
    }
    for (size_t j = 0; j < p->n_stars; j++) add_star(p, j);
    for (size_t f = 0; f < 4; f++) {
        p->b[p->number[0][f]] += direction[f];
        p->b[0] -= direction[f];
    }
}

/* Solves for x by elimination from the last element to the first, where x is 0, since constants are in the null
 * space. Other undetermined entries of x are also 0. */
static void solve(patch *p)
{
    double whole[PATCH], *x = p->x;
    for (size_t i = 0; i < p->n_elements; i++) whole[i] = p->a[i][i], x[i] = p->b[i];
    for (size_t i = p->n_elements; i-- > 1;) {
        double *row = p->a[i];
        if (!(row[i] > SINGULAR * whole[i])) row[i] = 0;
        for (size_t k = 1; k < i && row[i] > 0; k++) {
            const double factor = row[k] / row[i];
            if (factor == 0) continue;
            for (size_t m = 1; m <= k; m++) p->a[k][m] -= factor * row[m];
            x[k] -= factor * x[i];
        }
    }
    x[0] = 0;
    for (size_t i = 1; i < p->n_elements; i++) {
        const double *row = p->a[i];
        for (size_t k = 1; k < i; k++) x[i] -= row[k] * x[k];
        x[i] = row[i] > 0 ? x[i] / row[i] : 0;
    }
}

/* Computes K delta(x) of a star; returns delta' K delta. */
static double slopes(const patch *p, size_t j, double slope[4])
{
    const double *form = form_of(p, j);
    double delta[4], energy = 0;
    for (size_t f = 0; f < 4; f++) delta[f] = p->x[p->number[j][f]] - p->x[j];
    for (size_t f = 0; f < 4; f++) {
        slope[f] = 0;
        for (size_t g = 0; g < 4; g++) slope[f] += form[at[f][g]] * delta[g];
        energy += delta[f] * slope[f];
    }
    return energy;
}

/* True if A x = b. */
static bool is_solved(const patch *p)
{
    double left[PATCH], size = 0, most = 0;
    for (size_t i = 0; i < p->n_elements; i++) left[i] = -p->b[i], size = fmax(size, fabs(p->b[i]));
    for (size_t j = 0; j < p->n_stars; j++) {
        double slope[4];
        (void)slopes(p, j, slope);
        for (size_t f = 0; f < 4; f++) left[p->number[j][f]] += slope[f], left[j] -= slope[f];
    }
    for (size_t i = 0; i < p->n_elements; i++) most = fmax(most, fabs(left[i]));
    return most <= SOLVED * size;
}

/* ---- debts ---- */

/* Takes this fraction of its direction from each star. */
static void take(const patch *p, double share)
{
    for (size_t j = 0; j < p->n_stars; j++) {
        double slope[4], *form = form_of(p, j);
        const double energy = slopes(p, j, slope);
        if (!(energy > 0)) continue;
        for (size_t f = 0; f < 4; f++)
            for (size_t g = f; g < 4; g++) form[at[f][g]] -= share * slope[f] * slope[g] / energy;
    }
}

static bool pay_debt(patch *p, double debt, const double direction[4], double most)
{
    double m = 0;
    assemble(p, direction);
    solve(p);
    for (size_t i = 0; i < p->n_elements; i++) m += p->b[i] * p->x[i];
    if (!(m > 0 && debt * m <= most) || !is_solved(p)) return false;
    take(p, (1 + SOLVED) * debt * m);
    return true;
}

/* Computes the eigenvalues of sym(K_c), ascending, and their vectors. */
static void split(const mt_stars *s, size_t c, double value[4], double direction[4][4])
{
    const double *k = s->star + 16 * c;
    double a[4][4];
    for (size_t f = 0; f < 4; f++)
        for (size_t g = 0; g < 4; g++) a[f][g] = (k[4 * f + g] + k[4 * g + f]) / 2;
    mt_spectrum_small(4, a, value, direction);
}

/* Adds `sign` times the debts of a star in the set (one bit per debt) to its form. */
static void add_debts(mt_stars *s, size_t c, uint8_t set, double sign)
{
    double value[4], direction[4][4], *form = s->form + 10 * c;
    split(s, c, value, direction);
    for (size_t k = 0; k < 4; k++)
        for (size_t f = 0; f < 4 && (set >> k & 1); f++)
            for (size_t g = f; g < 4; g++)
                form[at[f][g]] += sign * -value[k] * direction[k][f] * direction[k][g];
}

/* Returns the debts of a star. */
static uint8_t debts_of(const mt_stars *s, size_t c)
{
    double value[4], direction[4][4];
    uint8_t set = 0;
    split(s, c, value, direction);
    for (int k = 0; k < 4; k++)
        if (value[k] < 0) set |= (uint8_t)(1 << k);
    return set;
}

/* Pays as many debts of a set as possible; returns the others. */
static uint8_t pay(const mt_stars *s, size_t c, uint8_t set, size_t rings, patch *p)
{
    double value[4], direction[4][4];
    gather(s, c, rings, p);
    split(s, c, value, direction);
    for (int k = 0; k < 4; k++)
        if ((set >> k & 1) && pay_debt(p, -value[k], direction[k], MOST[rings])) set &= (uint8_t) ~(1 << k);
    return set;
}

/* ---- all debts ---- */

static mt_status sweep(mt_stars *s, size_t rings, const uint8_t *leave, patch *p, uint8_t *unpaid)
{
    for (size_t e = 0; e < s->n; e++) {
        const size_t c = s->order->place[e];
        if (e % MT_STARS_CHUNK == 0)
            MT_TRY(mt_watch_report(s->watch, "proving stability", ((double)rings - 1) / RINGS));
        if (unpaid[c] && !leave[c]) unpaid[c] = pay(s, c, unpaid[c], rings, p);
    }
    return MT_OK;
}

/* Pays from the start, without the debts of elements in `leave`; returns the number of elements with unpaid debts. */
static mt_status pay_all(mt_stars *s, const uint8_t *leave, patch *p, uint8_t *unpaid, size_t *n_unpaid)
{
    mt_stars_form(s);
#pragma omp parallel for schedule(static) if (s->n >= MT_STARS_PARALLEL_FROM)
    for (size_t c = 0; c < s->n; c++) {
        unpaid[c] = s->indefinite[c] ? debts_of(s, c) : 0;
        if (unpaid[c]) add_debts(s, c, unpaid[c], 1);
    }
    for (size_t rings = 1; rings <= RINGS; rings++) MT_TRY(sweep(s, rings, leave, p, unpaid));
    *n_unpaid = 0;
    for (size_t c = 0; c < s->n; c++) *n_unpaid += unpaid[c] != 0;
    return MT_OK;
}

/* Marks the elements at most LEFT_RINGS faces away from those with unpaid debts; near: [n] scratch. */
static void leave_around(const mt_stars *s, const uint8_t *unpaid, uint32_t *near, uint8_t *leave)
{
    size_t n = 0, first = 0;
    for (size_t c = 0; c < s->n; c++)
        if (unpaid[c]) leave[c] = 1, near[n++] = (uint32_t)c;
    for (size_t ring = 0; ring < LEFT_RINGS; ring++)
        for (const size_t end = n; first < end; first++)
            for (size_t f = 0; f < 4; f++) {
                const size_t next = mt_adjacency_or_own(s->adjacency->neighbour, near[first], f);
                if (!leave[next]) leave[next] = 1, near[n++] = (uint32_t)next;
            }
}

mt_status mt_proof_pay_debts(mt_arena *arena, mt_stars *s, uint8_t **unpaid, size_t *n_unpaid)
{
    patch *p;
    uint8_t *leave;
    uint32_t *near;
    MT_ALLOC(arena, p, 1);
    MT_ALLOC(arena, leave, s->n);
    MT_ALLOC(arena, *unpaid, s->n);
    MT_TRY(pay_all(s, leave, p, *unpaid, n_unpaid));
    if (*n_unpaid == 0) return MT_OK;
    MT_ALLOC(arena, near, s->n);
    leave_around(s, *unpaid, near, leave);
    return pay_all(s, leave, p, *unpaid, n_unpaid);
}

void mt_proof_restore_debts(mt_stars *s, const uint8_t *unpaid)
{
    for (size_t c = 0; c < s->n; c++)
        if (unpaid[c]) add_debts(s, c, unpaid[c], -1);
}
