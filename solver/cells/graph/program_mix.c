#include "solver/cells/graph/program_mix.h"

#include <string.h>

#include "ipu/cost/issue.h"

/* What a register of the program holds: a number known to the compiler, a value in a float register, or a condition in a main register. */
typedef struct content {
    enum { NUMBER, FLOAT, CONDITION } kind;
    float number;
    int value;
} content;

/* A comparison that was translated. */
typedef struct comparison {
    mt_code code;
    content a, b;
    int value; /* the condition */
} comparison;

typedef struct writer {
    ipu_instruction *line;
    ipu_register_file *file;
    int n, n_values;
    content *held; /* [n_registers] */
    comparison *comparison;
    size_t n_comparisons;
} writer;

/* ---- instructions ---- */

static int new_value(writer *w, ipu_register_file file)
{
    w->file[w->n_values] = file;
    return w->n_values++;
}

static void put(writer *w, ipu_operation operation, int result, int n, const int *source)
{
    ipu_instruction_put(w->line, w->n++, operation, result, n, source);
}

static content number(double value) { return (content){.kind = NUMBER, .number = (float)value}; }
static content in_float(int value) { return (content){.kind = FLOAT, .value = value}; }
static content in_main(int value) { return (content){.kind = CONDITION, .value = value}; }

/* Builds a number (rule 4). */
static int build(writer *w, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (bits == 0) return IPU_NO_VALUE;
    const int made = new_value(w, IPU_FILE_FLOAT);
    put(w, IPU_OP_CONSTANT, made, 0, NULL);
    if ((bits & 0xfffffU) == 0 || bits >> 20 == 0) return made;
    const int whole = new_value(w, IPU_FILE_FLOAT);
    put(w, IPU_OP_CONSTANT, whole, 1, &made);
    return whole;
}

/* Selects one of two contents, by a branch and a move. */
static content move_if(writer *w, int condition, content yes, content no);

/* Returns the float register of a content. */
static int as_float(writer *w, content x)
{
    if (x.kind == NUMBER) return build(w, x.number);
    return x.kind == FLOAT ? x.value : move_if(w, x.value, number(1), number(0)).value;
}

static content move_if(writer *w, int condition, content yes, content no)
{
    const int taken = new_value(w, IPU_FILE_NONE), result = new_value(w, IPU_FILE_FLOAT);
    put(w, IPU_OP_SELECT, taken, 1, &condition);
    const int first = as_float(w, yes), second = as_float(w, no);
    put(w, IPU_OP_MOVE, result, 3, (const int[]){taken, first, second});
    return in_float(result);
}

static content one_of(writer *w, ipu_operation operation, content x)
{
    const int source = as_float(w, x), result = new_value(w, IPU_FILE_FLOAT);
    put(w, operation, result, 1, &source);
    return in_float(result);
}

static content two_of(writer *w, ipu_operation operation, content x, content y)
{
    const int first = as_float(w, x), second = as_float(w, y), result = new_value(w, IPU_FILE_FLOAT);
    put(w, operation, result, 2, (const int[]){first, second});
    return in_float(result);
}

static content add(writer *w, content x, content y) { return two_of(w, IPU_OP_ADD, x, y); }
static content times(writer *w, content x, content y) { return two_of(w, IPU_OP_MULTIPLY, x, y); }
static content over(writer *w, content x, content y) { return two_of(w, IPU_OP_DIVIDE, x, y); }

/* ---- conditions ---- */

static bool same(content x, content y)
{
    return x.kind == y.kind && (x.kind == NUMBER ? x.number == y.number : x.value == y.value);
}

static bool holds(mt_code code, float a, float b)
{
    return code == MT_CODE_LESS ? a < b : code == MT_CODE_LESS_EQUAL ? a <= b : a == b;
}

/* Compares: the result is a condition, or a number if the compiler knows it. */
static content compare(writer *w, mt_code code, content a, content b)
{
    if (a.kind == NUMBER && b.kind == NUMBER) return number(holds(code, a.number, b.number));
    for (size_t k = 0; k < w->n_comparisons; k++) {
        const comparison *c = &w->comparison[k];
        if (c->code == code && same(c->a, a) && same(c->b, b)) return in_main(c->value);
    }
    const int mask = new_value(w, IPU_FILE_FLOAT), condition = new_value(w, IPU_FILE_MAIN);
    const int first = as_float(w, a), second = as_float(w, b);
    put(w, IPU_OP_COMPARE, mask, 2, (const int[]){first, second});
    put(w, IPU_OP_TRANSFER, condition, 1, &mask);
    w->comparison[w->n_comparisons++] = (comparison){code, a, b, condition};
    return in_main(condition);
}

static content logic(writer *w, int a, int b)
{
    const int result = new_value(w, IPU_FILE_MAIN);
    put(w, IPU_OP_LOGIC, result, 2, (const int[]){a, b});
    return in_main(result);
}

/* Returns a content as a truth value: a condition, or a number. */
static content truth(writer *w, content x)
{
    if (x.kind == NUMBER) return number(x.number != 0);
    if (x.kind == CONDITION) return x;
    const content is_zero = compare(w, MT_CODE_EQUAL, x, number(0));
    return logic(w, is_zero.value, IPU_NO_VALUE);
}

static content both(writer *w, content a, content b)
{
    a = truth(w, a), b = truth(w, b);
    if (a.kind == NUMBER) return a.number != 0 ? b : a;
    if (b.kind == NUMBER) return b.number != 0 ? a : b;
    return logic(w, a.value, b.value);
}

static content either(writer *w, content a, content b)
{
    a = truth(w, a), b = truth(w, b);
    if (a.kind == NUMBER) return a.number != 0 ? a : b;
    if (b.kind == NUMBER) return b.number != 0 ? b : a;
    return logic(w, a.value, b.value);
}

static content not(writer * w, content x)
{
    if (x.kind == FLOAT) return compare(w, MT_CODE_EQUAL, x, number(0));
    return x.kind == NUMBER ? number(x.number == 0) : logic(w, x.value, IPU_NO_VALUE);
}

static content choose(writer *w, content condition, content yes, content no)
{
    if (condition.kind == FLOAT) {
        const content is_zero = compare(w, MT_CODE_EQUAL, condition, number(0));
        return move_if(w, is_zero.value, no, yes);
    }
    if (condition.kind == NUMBER) return condition.number != 0 ? yes : no;
    return move_if(w, condition.value, yes, no);
}

/* ---- functions without an instruction ---- */

/* A polynomial of x with this number of terms, none of which is a short number. */
static content polynomial(writer *w, int terms, content x)
{
    const content term = number(0.1);
    content sum = add(w, times(w, term, x), term);
    for (int k = 2; k < terms; k++) sum = add(w, times(w, sum, x), term);
    return sum;
}

/* Returns t + t z p(z), z = t^2, with a polynomial p. */
static content odd_series(writer *w, int terms, content t)
{
    const content z = times(w, t, t), p = polynomial(w, terms, z), bend = times(w, times(w, t, z), p);
    return add(w, t, bend);
}

/* Returns 1 - z / 2 + z^2 p(z), z = t^2. */
static content even_series(writer *w, int terms, content t)
{
    const content z = times(w, t, t), p = polynomial(w, terms, z), bend = times(w, times(w, z, z), p);
    return add(w, add(w, number(1), times(w, number(0.5), z)), bend);
}

/* Returns sin(x), cos(x) or their quotient by the quadrant n: both polynomials, one of them, and the sign of the quadrant. */
static content sine(writer *w, content x, bool quotient)
{
    const content term = number(0.1), n = one_of(w, IPU_OP_CONVERT, times(w, x, term));
    const content near = add(w, x, times(w, n, term)), r = add(w, near, times(w, n, term));
    const content odd = odd_series(w, 4, r), even = even_series(w, 3, r);
    const int quadrant = new_value(w, IPU_FILE_MAIN), bit = new_value(w, IPU_FILE_MAIN);
    put(w, IPU_OP_TRANSFER, quadrant, 1, &n.value);
    put(w, IPU_OP_INTEGER, bit, 1, &quadrant);
    content result = move_if(w, bit, odd, even);
    if (quotient) result = over(w, result, move_if(w, bit, even, odd));
    return one_of(w, IPU_OP_CONVERT, result);
}

static content arc_sine(writer *w, content x)
{
    const content half = number(0.5), a = one_of(w, IPU_OP_CONVERT, x);
    const content outer = compare(w, MT_CODE_LESS, half, a);
    const content far = one_of(w, IPU_OP_SQRT, times(w, add(w, number(1), a), half));
    const content sum = odd_series(w, 6, choose(w, outer, far, a));
    const content rest = add(w, number(1.57), times(w, number(2), sum));
    return one_of(w, IPU_OP_CONVERT, choose(w, outer, rest, sum));
}

/* Returns atan(x) in three ranges of |x|. */
static content arc_tangent(writer *w, content x)
{
    const content one = number(1), a = one_of(w, IPU_OP_CONVERT, x);
    const content low = compare(w, MT_CODE_LESS, a, number(0.4)),
                  high = compare(w, MT_CODE_LESS, a, number(2.4));
    const content less = add(w, a, number(-1)), more = add(w, a, one);
    const content top = choose(w, high, less, number(-1)), bottom = choose(w, high, more, a);
    const content above = choose(w, low, a, top), below = choose(w, low, one, bottom);
    const content sum = odd_series(w, 5, over(w, above, below));
    const content outer = choose(w, high, number(0.8), number(1.57)),
                  start = choose(w, low, number(0), outer);
    return one_of(w, IPU_OP_CONVERT, add(w, start, sum));
}

static content hyperbolic(writer *w, mt_code code, content x)
{
    const content half = number(0.5), one = number(1);
    if (code == MT_CODE_COSH) {
        const content e = one_of(w, IPU_OP_EXP, x);
        return times(w, half, add(w, e, over(w, one, e)));
    }
    const content e = one_of(w, IPU_OP_EXPM1, code == MT_CODE_TANH ? add(w, x, x) : x);
    if (code == MT_CODE_TANH) return over(w, e, add(w, e, number(2)));
    return times(w, half, add(w, e, over(w, e, add(w, e, one))));
}

static content rare(writer *w, mt_code code, content x, content y)
{
    switch (code) {
    case MT_CODE_SIN:
    case MT_CODE_COS:
        return sine(w, x, false);
    case MT_CODE_TAN:
        return sine(w, x, true);
    case MT_CODE_ASIN:
        return arc_sine(w, x);
    case MT_CODE_ACOS:
        return add(w, number(1.57), arc_sine(w, x));
    case MT_CODE_ATAN:
        return arc_tangent(w, x);
    case MT_CODE_SINH:
    case MT_CODE_COSH:
    case MT_CODE_TANH:
        return hyperbolic(w, code, x);
    case MT_CODE_CBRT: {
        const content size = one_of(w, IPU_OP_LOG, one_of(w, IPU_OP_CONVERT, x));
        return two_of(w, IPU_OP_CONVERT, one_of(w, IPU_OP_EXP, times(w, number(1. / 3), size)), x);
    }
    case MT_CODE_POWER:
        return one_of(w, IPU_OP_EXP, times(w, y, one_of(w, IPU_OP_LOG, x)));
    default: /* MT_CODE_REMAINDER */
        return add(w, x, times(w, y, one_of(w, IPU_OP_CONVERT, over(w, x, y))));
    }
}

/* ---- the program ---- */

/* Largest number of lines of an instruction: a selection by a comparison, of four numbers of two lines; and sine. */
enum { LINES_COMMON = 16, LINES_RARE = 96 };

static bool is_common(uint16_t code)
{
    static const bool uncommon[MT_CODES_PLAIN] = {[MT_CODE_SIN] = true,
        [MT_CODE_COS] = true,
        [MT_CODE_TAN] = true,
        [MT_CODE_ASIN] = true,
        [MT_CODE_ACOS] = true,
        [MT_CODE_ATAN] = true,
        [MT_CODE_SINH] = true,
        [MT_CODE_COSH] = true,
        [MT_CODE_TANH] = true,
        [MT_CODE_CBRT] = true,
        [MT_CODE_POWER] = true,
        [MT_CODE_REMAINDER] = true};
    return !uncommon[code];
}

static content translate(writer *w, const mt_instruction *i)
{
    const content a = w->held[i->operand[0]], b = w->held[i->operand[1]], c = w->held[i->operand[2]],
                  d = w->held[i->operand[3]];
    static const struct {
        ipu_operation operation;
        int operands; /* 0: another case */
    } plain[MT_CODES_PLAIN] = {[MT_CODE_NEGATE] = {IPU_OP_ADD, 1},
        [MT_CODE_SQRT] = {IPU_OP_SQRT, 1},
        [MT_CODE_EXP] = {IPU_OP_EXP, 1},
        [MT_CODE_EXPM1] = {IPU_OP_EXPM1, 1},
        [MT_CODE_LOG] = {IPU_OP_LOG, 1},
        [MT_CODE_ABS] = {IPU_OP_CONVERT, 1},
        [MT_CODE_FLOOR] = {IPU_OP_CONVERT, 1},
        [MT_CODE_CEIL] = {IPU_OP_CONVERT, 1},
        [MT_CODE_ADD] = {IPU_OP_ADD, 2},
        [MT_CODE_SUBTRACT] = {IPU_OP_ADD, 2},
        [MT_CODE_MULTIPLY] = {IPU_OP_MULTIPLY, 2},
        [MT_CODE_DIVIDE] = {IPU_OP_DIVIDE, 2},
        [MT_CODE_MIN] = {IPU_OP_COMPARE, 2},
        [MT_CODE_MAX] = {IPU_OP_COMPARE, 2}};
    if (plain[i->code].operands == 1) return one_of(w, plain[i->code].operation, a);
    if (plain[i->code].operands == 2) return two_of(w, plain[i->code].operation, a, b);
    switch (i->code) {
    case MT_CODE_LESS:
    case MT_CODE_LESS_EQUAL:
    case MT_CODE_EQUAL:
        return compare(w, i->code, a, b);
    case MT_CODE_AND:
        return both(w, a, b);
    case MT_CODE_OR:
        return either(w, a, b);
    case MT_CODE_NOT:
        return not(w, a);
    case MT_CODE_SELECT:
        return choose(w, a, b, c);
    case MT_CODE_SELECT_LESS:
        return choose(w, compare(w, MT_CODE_LESS, a, b), c, d);
    case MT_CODE_SELECT_LESS_EQUAL:
        return choose(w, compare(w, MT_CODE_LESS_EQUAL, a, b), c, d);
    case MT_CODE_SELECT_EQUAL:
        return choose(w, compare(w, MT_CODE_EQUAL, a, b), c, d);
    default:
        return rare(w, i->code, a, b);
    }
}

/* Makes room for all lines of a program. */
static mt_status begin(mt_arena *scratch, writer *w, const mt_cell_program *p)
{
    const mt_program *step = &p->step;
    size_t lines = 16 + 2 * step->n_inputs + 3 * step->n_outputs;
    for (size_t k = 0; k < step->n_instructions; k++)
        lines += is_common(step->instruction[k].code) ? LINES_COMMON : LINES_RARE;
    MT_ALLOC(scratch, w->line, lines);
    MT_ALLOC(scratch, w->file, lines + 16);
    MT_ALLOC(scratch, w->held, step->n_registers);
    MT_ALLOC(scratch, w->comparison, step->n_instructions + 1);
    return MT_OK;
}

static content load(writer *w, int base, int offset)
{
    const int value = new_value(w, IPU_FILE_FLOAT);
    put(w, IPU_OP_LOAD, value, 2, (const int[]){base, offset});
    return in_float(value);
}

static void store(writer *w, content x, int base)
{
    const int value = as_float(w, x);
    put(w, IPU_OP_STORE, IPU_NO_VALUE, 2, (const int[]){value, base});
}

/* Loads the constants of the cell's variant. */
static void load_constants(writer *w, const mt_cell_program *p)
{
    const int variants = new_value(w, IPU_FILE_MAIN), table = new_value(w, IPU_FILE_MAIN),
              variant = new_value(w, IPU_FILE_MAIN);
    put(w, IPU_OP_LOAD, variant, 1, &variants);
    for (size_t k = 0; k < p->n_constants; k++) w->held[p->n_numbers + k] = load(w, table, variant);
}

/* Writes one turn of the loop. */
static void write_turn(
    writer *w, const mt_cell_program *p, const double *constants, bool mixed, bool multirate)
{
    const int state = new_value(w, IPU_FILE_MAIN), v_in = new_value(w, IPU_FILE_MAIN);
    content *const inputs = w->held + p->n_numbers + p->n_constants,
                   dt = in_float(new_value(w, IPU_FILE_FLOAT));
    int since = IPU_NO_VALUE;
    for (size_t k = 0; k < p->n_numbers; k++) w->held[k] = number(p->number[k]);
    for (size_t k = 0; k < p->n_constants; k++) w->held[p->n_numbers + k] = number(constants[k]);
    if (mixed) load_constants(w, p);
    inputs[0] = inputs[1] = dt;
    if (multirate) inputs[0] = times(w, load(w, since = new_value(w, IPU_FILE_MAIN), IPU_NO_VALUE), dt);
    for (size_t k = 0; k < p->n_states; k++) inputs[3 + k] = load(w, state, IPU_NO_VALUE);
    const content v = inputs[2] = load(w, v_in, IPU_NO_VALUE);

    for (size_t k = 0; k < p->step.n_instructions; k++)
        w->held[p->step.instruction[k].to] = translate(w, &p->step.instruction[k]);
    for (size_t k = 0; k < p->n_states; k++) store(w, w->held[p->step.output[k]], state);
    const content change = w->held[p->step.output[p->n_states]];
    store(w, multirate ? change : add(w, v, change), new_value(w, IPU_FILE_MAIN));
    if (multirate) {
        store(w, v, new_value(w, IPU_FILE_MAIN)); /* kept */
        store(w, number(0), since);
        put(w, IPU_OP_ADDRESS, IPU_NO_VALUE, 1, &since);
    }
    if (p->n_states > 0) put(w, IPU_OP_ADDRESS, IPU_NO_VALUE, 1, &state);
    put(w, IPU_OP_LOOP, IPU_NO_VALUE, 0, NULL);
}

/* Drops instructions whose result is not used. */
static mt_status drop_unused(writer *w)
{
    MT_SCRATCH(scratch);
    bool *used;
    int n = 0;
    MT_ALLOC(scratch, used, (size_t)w->n_values);
    for (int l = w->n; l-- > 0;) {
        const ipu_instruction *i = &w->line[l];
        if (i->result != IPU_NO_VALUE && !used[i->result]) continue;
        for (int k = 0; k < i->n_sources; k++) used[i->source[k]] = true;
    }
    for (int l = 0; l < w->n; l++)
        if (w->line[l].result == IPU_NO_VALUE || used[w->line[l].result]) w->line[n++] = w->line[l];
    w->n = n;
    return MT_OK;
}

/* Instructions outside the loop: as in the built-in models, for cells with mixed variants. */
enum { START = 5, START_MULTIRATE = 6 };

mt_status mt_program_mix(
    const mt_cell_program *program, const double *constants, bool mixed, bool multirate, ipu_mix *mix)
{
    static const char *const names[2][2] = {{"ode", "ode_mixed"}, {"ode_multirate", "ode_mixed_multirate"}};
    MT_SCRATCH(scratch);
    writer w = {0};
    *mix = (ipu_mix){.name = names[multirate][mixed], .start = multirate ? START_MULTIRATE : START};
    MT_TRY(begin(scratch, &w, program));
    write_turn(&w, program, constants, mixed, multirate);
    MT_TRY(drop_unused(&w));
    const ipu_turn turn = {.line = w.line, .n = w.n, .n_values = w.n_values, .file = w.file};
    return ipu_turn_count(&turn, mix);
}

mt_status mt_program_mixes(mt_cell_model *row)
{
    MT_SCRATCH(scratch);
    double *constants;
    MT_ALLOC(scratch, constants, row->n_constants);
    mt_cell_constants_double(row, row->variants, 1, constants);
    ipu_mix *const mix[2][2] = {
        {&row->mix.ode, &row->mix.ode_mixed}, {&row->mix.ode_multirate, &row->mix.ode_mixed_multirate}};
    for (int multirate = 0; multirate < 2; multirate++)
        for (int mixed = 0; mixed < 2; mixed++)
            MT_TRY(mt_program_mix(row->program, constants, mixed, multirate, mix[multirate][mixed]));
    return MT_OK;
}
