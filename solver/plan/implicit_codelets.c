#include "solver/plan/implicit_codelets.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "solver/kernels/ellpack.h"
#include "solver/plan/codelets.h"

#define MT_LANES_ONE
#include "solver/kernels/lanes.h"
#include "solver/kernels/bicgstab_equations.h"
#include "solver/kernels/bicgstab_scalars.h"

_Static_assert(sizeof(bicgstab_sent) == MT_IMPLICIT_SENT * sizeof(float), "what is sent is floats");
_Static_assert(offsetof(bicgstab_sent, scale_r) == MT_IMPLICIT_SENT_FIRST * sizeof(float) &&
                   offsetof(bicgstab_sent, scale_ts) == MT_IMPLICIT_SENT_SECOND * sizeof(float) &&
                   offsetof(bicgstab_sent, alpha) == MT_IMPLICIT_SENT_ALPHA * sizeof(float),
    "in this order");
enum { SUMS_FIRST = 2, SUMS_SECOND = 3, HELD = 2 }; /* products summed; words per sum and worker */
_Static_assert((int)MT_IMPLICIT_WORDS_FIRST == SUMS_FIRST * FIXED_WORDS, "words of the first product's sums");
_Static_assert((int)MT_IMPLICIT_WORDS_SECOND == SUMS_SECOND * FIXED_WORDS, "and of the second's");
_Static_assert(sizeof(bicgstab_state) == MT_IMPLICIT_STATE * sizeof(float), "and so is the state");

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- the elements of a tile ---- */

enum { ROWS_D, ROWS_A, ROWS_COLUMN, ROWS_V, ROWS_OUT, ROWS_FIELDS };
#define ROWS(v, out)                                                                                         \
    [ROWS_D] = {"d", IPU_INPUT, IPU_FLOAT}, [ROWS_A] = {"a", IPU_INPUT, IPU_FLOAT},                          \
    [ROWS_COLUMN] = {"column", IPU_INPUT, IPU_UNSIGNED_SHORT}, [ROWS_V] = {v, IPU_INPUT, IPU_FLOAT},         \
    [ROWS_OUT] = {out, IPU_OUTPUT, IPU_FLOAT}

/* The last fields of products, with voltages at the vertices. */
enum { NODAL_FIELDS = 2 };
#define NODAL_ROWS                                                                                           \
    {"row", IPU_INPUT, IPU_UNSIGNED_SHORT}, { "width", IPU_INPUT, IPU_UNSIGNED_SHORT }
#define NODAL_AT(fields) (COUNT(fields) - NODAL_FIELDS)

/* out = G v; the fields of rows of different lengths, if there are such rows, begin at `nodal`. */
static void multiply(const ipu_span *f, const mt_implicit_context *context, size_t nodal)
{
    const ipu_span *out = &f[ROWS_OUT];
    if (context->rows) {
        const ipu_span rows[] = {f[nodal], f[nodal + 1], f[ROWS_A], f[ROWS_COLUMN], f[ROWS_V]};
        mt_tile_rows_multiply(rows, out->data);
        return;
    }
    mt_ellpack_rows_float16(
        out->n, f[ROWS_D].data, f[ROWS_A].data, f[ROWS_COLUMN].data, f[ROWS_V].n, f[ROWS_V].data, out->data);
}

/* out = A v. */
static void apply(const ipu_span *f, const mt_implicit_context *context, size_t nodal)
{
    const float *d = f[ROWS_D].data, *v = f[ROWS_V].data;
    float *out = f[ROWS_OUT].data;
    multiply(f, context, nodal);
    for (size_t i = 0; i < f[ROWS_OUT].n; i++) out[i] = bicgstab_product(d[i], v[i], out[i]);
}

static const ipu_field increments_fields[] = {ROWS("v", "x"), NODAL_ROWS};

static void increments_compute(const ipu_span *f, const void *context)
{
    const mt_implicit_context *c = context;
    float *x = f[ROWS_OUT].data;
    multiply(f, c, NODAL_AT(increments_fields));
    for (size_t i = 0; i < f[ROWS_OUT].n; i++) x[i] *= c->over_theta;
}

enum { START_P = ROWS_FIELDS, START_SHADOW, START_BOUND };
static const ipu_field start_fields[] = {ROWS("x", "r"), [START_P] = {"p", IPU_OUTPUT, IPU_FLOAT},
    [START_SHADOW] = {"shadow", IPU_OUTPUT, IPU_FLOAT}, [START_BOUND] = {"bound", IPU_OUTPUT, IPU_FLOAT},
    NODAL_ROWS};

static void start_compute(const ipu_span *f, const void *context)
{
    const float *d = f[ROWS_D].data, *x = f[ROWS_V].data;
    float *r = f[ROWS_OUT].data, *bound = f[START_BOUND].data, most = 0, most_residual = 0;
    multiply(f, context, NODAL_AT(start_fields));
    for (size_t i = 0; i < f[ROWS_OUT].n; i++) {
        r[i] = bicgstab_start(d[i], x[i], r[i]);
        most = bicgstab_larger(r[i], most);
        most_residual = bicgstab_larger(bicgstab_residual(d[i], r[i]), most_residual);
    }
    memcpy(f[START_P].data, r, f[ROWS_OUT].n * sizeof *r);
    memcpy(f[START_SHADOW].data, r, f[ROWS_OUT].n * sizeof *r);
    bound[0] = bound[1] = most;
    bound[2] = most_residual;
}

/* Computes the three words of a sum of products of two vectors. */
static void sum_products(size_t n, float scale, const float *x, const float *y, int32_t *word)
{
    fixed_sum sum = {0};
    for (size_t i = 0; i < n; i++) fixed_add_product(&sum, scale, x[i], y[i]);
    fixed_words(sum.high, sum.low, word);
}

enum { FIRST_SHADOW = ROWS_FIELDS, FIRST_R, FIRST_SCALE, FIRST_WORDS };
static const ipu_field first_fields[] = {ROWS("p", "q"), [FIRST_SHADOW] = {"shadow", IPU_INPUT, IPU_FLOAT},
    [FIRST_R] = {"r", IPU_INPUT, IPU_FLOAT}, [FIRST_SCALE] = {"scale", IPU_INPUT, IPU_FLOAT},
    [FIRST_WORDS] = {"words", IPU_OUTPUT, IPU_INT}, NODAL_ROWS};

static void first_compute(const ipu_span *f, const void *context)
{
    const float *scale = f[FIRST_SCALE].data, *shadow = f[FIRST_SHADOW].data;
    int32_t *word = f[FIRST_WORDS].data;
    apply(f, context, NODAL_AT(first_fields));
    sum_products(f[ROWS_OUT].n, scale[0], shadow, f[FIRST_R].data, word);
    sum_products(f[ROWS_OUT].n, scale[1], shadow, f[ROWS_OUT].data, word + FIXED_WORDS);
}

enum { HALF_R, HALF_Q, HALF_ALPHA };
static const ipu_field half_fields[] = {[HALF_R] = {"r", IPU_INOUT, IPU_FLOAT},
    [HALF_Q] = {"q", IPU_INPUT, IPU_FLOAT},
    [HALF_ALPHA] = {"alpha", IPU_INPUT, IPU_FLOAT}};

static void half_compute(const ipu_span *f, const void *context)
{
    const float alpha = *(const float *)f[HALF_ALPHA].data, *q = f[HALF_Q].data;
    float *r = f[HALF_R].data;
    (void)context;
    for (size_t i = 0; i < f[HALF_R].n; i++) r[i] = bicgstab_half(alpha, r[i], q[i]);
}

enum { SECOND_SHADOW = ROWS_FIELDS, SECOND_SCALE, SECOND_WORDS };
static const ipu_field second_fields[] = {ROWS("r", "t"), [SECOND_SHADOW] = {"shadow", IPU_INPUT, IPU_FLOAT},
    [SECOND_SCALE] = {"scale", IPU_INPUT, IPU_FLOAT}, [SECOND_WORDS] = {"words", IPU_OUTPUT, IPU_INT},
    NODAL_ROWS};

static void second_compute(const ipu_span *f, const void *context)
{
    const float *scale = f[SECOND_SCALE].data, *t = f[ROWS_OUT].data;
    int32_t *word = f[SECOND_WORDS].data;
    apply(f, context, NODAL_AT(second_fields));
    sum_products(f[ROWS_OUT].n, scale[0], t, f[ROWS_V].data, word);
    sum_products(f[ROWS_OUT].n, scale[1], t, t, word + FIXED_WORDS);
    sum_products(f[ROWS_OUT].n, scale[2], f[SECOND_SHADOW].data, t, word + 2 * FIXED_WORDS);
}

enum { END_X, END_R, END_P, END_D, END_Q, END_T, END_SCALARS, END_BOUND };
static const ipu_field end_fields[] = {[END_X] = {"x", IPU_INOUT, IPU_FLOAT},
    [END_R] = {"r", IPU_INOUT, IPU_FLOAT},
    [END_P] = {"p", IPU_INOUT, IPU_FLOAT},
    [END_D] = {"d", IPU_INPUT, IPU_FLOAT},
    [END_Q] = {"q", IPU_INPUT, IPU_FLOAT},
    [END_T] = {"t", IPU_INPUT, IPU_FLOAT},
    [END_SCALARS] = {"scalars", IPU_INPUT, IPU_FLOAT},
    [END_BOUND] = {"bound", IPU_OUTPUT, IPU_FLOAT}};

static void end_compute(const ipu_span *f, const void *context)
{
    const float *d = f[END_D].data, *q = f[END_Q].data, *t = f[END_T].data, *scalars = f[END_SCALARS].data;
    float *x = f[END_X].data, *r = f[END_R].data, *p = f[END_P].data, *bound = f[END_BOUND].data;
    const bicgstab_scalars c = {scalars[0], scalars[1], scalars[2]};
    float most_r = 0, most_p = 0, most_residual = 0;
    (void)context;
    for (size_t i = 0; i < f[END_X].n; i++) {
        bicgstab_end(c, q[i], t[i], &x[i], &r[i], &p[i]);
        most_r = bicgstab_larger(r[i], most_r);
        most_p = bicgstab_larger(p[i], most_p);
        most_residual = bicgstab_larger(bicgstab_residual(d[i], r[i]), most_residual);
    }
    bound[0] = most_r;
    bound[1] = most_p;
    bound[2] = most_residual;
}

enum { GAIN_V, GAIN_X };
static const ipu_field gain_fields[] = {
    [GAIN_V] = {"v", IPU_INOUT, IPU_FLOAT}, [GAIN_X] = {"x", IPU_INPUT, IPU_FLOAT}};

static void gain_compute(const ipu_span *f, const void *context)
{
    const float *x = f[GAIN_X].data;
    float *v = f[GAIN_V].data;
    (void)context;
    for (size_t i = 0; i < f[GAIN_V].n; i++) v[i] += x[i];
}

/* ---- the scalars ---- */

static const ipu_field reset_fields[] = {{"iteration", IPU_OUTPUT, IPU_UNSIGNED_INT}};

static void reset_compute(const ipu_span *f, const void *context)
{
    (void)context;
    *(uint32_t *)f[0].data = 0;
}

enum { SCALARS_STATE, SCALARS_SENT, SCALARS_FOUND, NEXT_TURN, NEXT_GOES_ON };
static const ipu_field next_fields[] = {[SCALARS_STATE] = {"state", IPU_INOUT, IPU_FLOAT},
    [SCALARS_SENT] = {"sent", IPU_INOUT, IPU_FLOAT},
    [SCALARS_FOUND] = {"found", IPU_INPUT, IPU_FLOAT},
    [NEXT_TURN] = {"iteration", IPU_INOUT, IPU_UNSIGNED_INT},
    [NEXT_GOES_ON] = {"goes_on", IPU_OUTPUT, IPU_UNSIGNED_INT}},
                       alpha_fields[] = {[SCALARS_STATE] = {"state", IPU_INOUT, IPU_FLOAT},
                           [SCALARS_SENT] = {"sent", IPU_INOUT, IPU_FLOAT},
                           [SCALARS_FOUND] = {"found", IPU_INPUT, IPU_INT}},
                       omega_fields[] = {[SCALARS_STATE] = {"state", IPU_INPUT, IPU_FLOAT},
                           [SCALARS_SENT] = {"sent", IPU_INOUT, IPU_FLOAT},
                           [SCALARS_FOUND] = {"found", IPU_INPUT, IPU_INT}};

static void next_compute(const ipu_span *f, const void *context)
{
    const float *bound = f[SCALARS_FOUND].data;
    uint32_t *iteration = f[NEXT_TURN].data, *goes_on = f[NEXT_GOES_ON].data;
    (void)context;
    *goes_on = (uint32_t)bicgstab_next(
        (int32_t)*iteration, bound[0], bound[1], bound[2], f[SCALARS_STATE].data, f[SCALARS_SENT].data);
    *iteration += 1;
}

static void alpha_compute(const ipu_span *f, const void *context)
{
    (void)context;
    bicgstab_alpha(f[SCALARS_FOUND].data, f[SCALARS_STATE].data, f[SCALARS_SENT].data);
}

static void omega_compute(const ipu_span *f, const void *context)
{
    (void)context;
    bicgstab_omega(f[SCALARS_FOUND].data, f[SCALARS_STATE].data, f[SCALARS_SENT].data);
}

/* ---- costs ---- */

/* The cost model of a phase: field `size` has one entry per element of work; each worker ends with `held` words,
 * from which the tile computes `words` words. */
typedef struct kind {
    const char *name;
    const ipu_field *fields;
    size_t n_fields;
    void (*compute)(const ipu_span *, const void *);
    const char *mix; /* NULL: negligible */
    size_t size, held, words;
    bool alone; /* True if one worker does it */
    /* with rows of voltages at the vertices: name, and mix of a row; NULL if the phase has no rows */
    const char *nodal_name, *nodal_mix;
} kind;

#define KIND(lower, mix_, size_, held_, words_, alone_)                                                      \
    {                                                                                                        \
        .name = #lower, .fields = lower##_fields, .n_fields = COUNT(lower##_fields),                         \
        .compute = lower##_compute, .mix = (mix_), .size = (size_), .held = (held_), .words = (words_),      \
        .alone = (alone_)                                                                                    \
    }
#define PRODUCT(lower, mix_, held_, words_)                                                                  \
    {                                                                                                        \
        .name = #lower, .fields = lower##_fields, .n_fields = NODAL_AT(lower##_fields),                      \
        .compute = lower##_compute, .mix = (mix_), .size = ROWS_OUT, .held = (held_), .words = (words_),     \
        .nodal_name = "nodal_" #lower, .nodal_mix = "nodal_" #lower "_row"                                   \
    }
static const kind kinds[MT_IMPLICIT_PARTS] = {
    [MT_IMPLICIT_INCREMENTS] = PRODUCT(increments, "increments", 0, 0),
    [MT_IMPLICIT_START] = PRODUCT(start, "start", 2, MT_IMPLICIT_BOUNDS),
    [MT_IMPLICIT_FIRST] = PRODUCT(first, "first_product", HELD *SUMS_FIRST, MT_IMPLICIT_WORDS_FIRST),
    [MT_IMPLICIT_HALF] = KIND(half, "half_way", HALF_R, 0, 0, false),
    [MT_IMPLICIT_SECOND] = PRODUCT(second, "second_product", HELD *SUMS_SECOND, MT_IMPLICIT_WORDS_SECOND),
    [MT_IMPLICIT_END] = KIND(end, "end_iteration", END_X, MT_IMPLICIT_BOUNDS, MT_IMPLICIT_BOUNDS, false),
    [MT_IMPLICIT_GAIN] = KIND(gain, "gain", GAIN_V, 0, 0, false),
    [MT_IMPLICIT_RESET] = KIND(reset, NULL, 0, 0, 0, true),
    [MT_IMPLICIT_NEXT] = KIND(next, "next_iteration", SCALARS_STATE, 0, 0, true),
    [MT_IMPLICIT_ALPHA] = KIND(alpha, "find_alpha", SCALARS_STATE, 0, 0, true),
    [MT_IMPLICIT_OMEGA] = KIND(omega, "find_omega", SCALARS_STATE, 0, 0, true),
};

/* Cycles of the supervisor after the workers. It loads each of their words and adds it, or takes the maximum; for
 * non-negative floats this is the maximum of the bits. Then it shifts, masks and stores the words to send. */
static uint64_t together(const ipu_target *target, const kind *k)
{
    return 2 * target->worker_contexts * k->held + 3 * k->words;
}

static ipu_cycles cost_of(
    const kind *k, const ipu_target *target, const size_t *n, const mt_implicit_context *context)
{
    const ipu_mix *mix = k->mix ? mt_codelet_mix(k->mix) : NULL;
    if (!mix) return (ipu_cycles){.entry = target->vertex_entry_cycles, .worker = 1};
    if (k->alone)
        return (ipu_cycles){.entry = target->vertex_entry_cycles,
            .worker = (uint64_t)ceil((double)mix->start + ipu_mix_cycles(mix, &target->instructions))};
    const size_t in_a_turn =
        k->nodal_mix ? 1 : target->instructions.f32_lanes; /* 1: the product loads by columns */
    ipu_cycles cycles = k->nodal_mix && context->rows ? mt_tile_rows_cost(target, context->rows, k->nodal_mix)
                                                      : mt_codelet_cost(target, mix, n[k->size], in_a_turn);
    cycles.entry += together(target, k);
    return cycles;
}

#define COST(lower, upper)                                                                                   \
    static ipu_cycles lower##_cost(const ipu_target *target, const size_t *n, const void *context)           \
    {                                                                                                        \
        return cost_of(&kinds[upper], target, n, context);                                                   \
    }
COST(increments, MT_IMPLICIT_INCREMENTS)
COST(start, MT_IMPLICIT_START)
COST(first, MT_IMPLICIT_FIRST)
COST(half, MT_IMPLICIT_HALF)
COST(second, MT_IMPLICIT_SECOND)
COST(end, MT_IMPLICIT_END)
COST(gain, MT_IMPLICIT_GAIN)
COST(reset, MT_IMPLICIT_RESET)
COST(next, MT_IMPLICIT_NEXT)
COST(alpha, MT_IMPLICIT_ALPHA)
COST(omega, MT_IMPLICIT_OMEGA)

/* Returns the codelet of a product with rows of voltages at the vertices. */
static ipu_codelet nodal_product(const kind *k, ipu_codelet codelet)
{
    codelet.name = k->nodal_name;
    codelet.n_fields += NODAL_FIELDS;
    codelet.code_bytes = mt_tile_rows_code_bytes(k->nodal_mix);
    codelet.vertex_bytes = mt_codelet_vertex_bytes(codelet.n_fields);
    return codelet;
}

ipu_codelet mt_codelet_implicit(mt_implicit_part part, bool nodal)
{
    static ipu_cycles (*const costs[MT_IMPLICIT_PARTS])(const ipu_target *, const size_t *, const void *) = {
        increments_cost, start_cost, first_cost, half_cost, second_cost, end_cost, gain_cost, reset_cost,
        next_cost, alpha_cost, omega_cost};
    enum { RESET_CODE_BYTES = 8 };
    const kind *k = &kinds[part];
    const ipu_codelet codelet = {.name = k->name,
        .n_fields = k->n_fields,
        .fields = k->fields,
        .compute = k->compute,
        .cost = costs[part],
        .code_bytes = k->mix ? mt_codelet_code_bytes(mt_codelet_mix(k->mix)) : RESET_CODE_BYTES,
        .vertex_bytes = mt_codelet_vertex_bytes(k->n_fields),
        .kind = k->alone ? IPU_SINGLE_WORKER : IPU_MULTI_WORKER};
    return nodal && k->nodal_mix ? nodal_product(k, codelet) : codelet;
}
