/* myotile reproduce math: accuracy of the ionic models' functions, as in section 5 of the study. */
#include <math.h>

#include "data/core/progress.h"
#include "app/draw/chart/chart.h"
#include "app/study/validation/comparison.h"
#include "app/study/validation/math_run.h"
#include "app/study/published.h"
#include "app/study/reproduce.h"

static mt_status math(mt_arena *arena, const mt_arguments *arguments);

static const mt_option options[] = {
    {.name = "--full",
        .help = "all floats, and as many divisions as in the study; takes minutes; default: a sample"},
    {.name = "--every",
        .value = "N",
        .help = "sample every N-th float, and all floats close to special values; default: 1021"},
    {.name = "--pairs", .value = "N", .help = "number of random divisions; default: 10000000"},
    {.name = "--picture", .value = "OUT.png", .help = "chart of the errors"}, MT_OPTION_FORMAT,
    MT_OPTION_FORCE, MT_OPTION_PROGRESS, MT_OPTIONS_END};

const mt_command mt_command_reproduce_math = {
    .name = "reproduce math",
    .operands = "",
    .summary = "errors of exp, expm1, log, square root and division in single precision",
    .example = "myotile reproduce math --pairs 1000000 --picture math.png",
    .options = options,
    .run = math,
};

/* The functions in the study. */
enum { STUDIED = MT_DIVIDE + 1 };

/* Keys and names of the functions. */
static const struct {
    const char *key, *label, *places; /* key of the published largest error */
} functions[STUDIED] = {[MT_EXP] = {"exp", "exp", "math_exp_places"},
    [MT_EXPM1] = {"expm1", "expm1", "math_expm1_places"},
    [MT_LOG] = {"log", "log", "math_log_places"},
    [MT_SQRT] = {"sqrt", "sqrt", "math_sqrt_places"},
    [MT_DIVIDE] = {"divide", "division", "math_divide_places"}};

typedef struct request {
    mt_math_plan plan;
    const char *picture; /* path, or NULL */
    mt_accuracy accuracy[STUDIED];
} request;

/* ---- options ---- */

static mt_status parse(const mt_arguments *arguments, request *r)
{
    unsigned long every = 1, pairs = 10000000;
    const bool full = mt_option_given(arguments, "--full");
    const char *asked_every = mt_option_value(arguments, "--every", full ? "1" : "1021"),
               *asked_pairs = mt_option_value(arguments, "--pairs", NULL);
    double studied, most;
    MT_TRY(mt_published("math_pairs", &studied, &most));
    if (full && mt_option_given(arguments, "--every"))
        return mt_fail(MT_INPUT, "--full with --every; allowed: one of them");
    MT_TRY(mt_integer("--every", asked_every, 1, 1000000000, &every));
    if (asked_pairs)
        MT_TRY(mt_integer("--pairs", asked_pairs, 1, 1000000000000, &pairs));
    else if (full)
        pairs = (unsigned long)studied;
    r->plan = (mt_math_plan){.every = every, .pairs = pairs};
    r->picture = mt_option_value(arguments, "--picture", NULL);
    return r->picture ? mt_page_check_name(r->picture, mt_option_replace(arguments)) : MT_OK;
}

/* ---- the tables ---- */

enum { ACCURACY, ERRORS, SPECIAL, COMPARED, TABLES = COMPARED + MT_COMPARISON_TABLES };

static double percent(uint64_t part, uint64_t all)
{
    return all > 0 ? 100 * (double)part / (double)all : NAN;
}

static void begin_row(mt_table *table, size_t f)
{
    mt_table_item(table, functions[f].key, functions[f].label, 0);
}

/* Operands as decimal text and as exact hexadecimal text. */
typedef struct operand_words {
    char decimal[64], exact[64];
} operand_words;

static operand_words words_of(size_t f, uint64_t operands)
{
    operand_words w;
    const double x = (double)mt_accuracy_x(operands), by = (double)mt_accuracy_by(operands);
    if (f == MT_DIVIDE) {
        (void)snprintf(w.decimal, sizeof w.decimal, "%.9g / %.9g", x, by);
        (void)snprintf(w.exact, sizeof w.exact, "%a / %a", x, by);
    } else {
        (void)snprintf(w.decimal, sizeof w.decimal, "%.9g", x);
        (void)snprintf(w.exact, sizeof w.exact, "%a", x);
    }
    return w;
}

static mt_table make_accuracy(mt_arena *arena, const request *r)
{
    mt_table table = mt_table_begin(arena, "accuracy",
        r->plan.every == 1 ? "Accuracy for all floats, compared with double precision"
                           : "Accuracy for a sample of floats, compared with double precision");
    mt_table_strings(&table, "function", "function");
    mt_table_decimals(&table, "operands", "operands", "", 0);
    mt_table_decimals(&table, "measured", "measured", "", 0);
    mt_table_digits(&table, "nearest_percent", "nearest float", "%", 8);
    mt_table_digits(&table, "neighbour_percent", "adjacent float", "%", 4);
    mt_table_decimals(&table, "farther", "farther", "", 0);
    mt_table_decimals(&table, "largest_error_ulp", "largest error", "ulp", 6);
    mt_table_strings(&table, "largest_error_of", "operand");
    mt_table_strings(&table, "largest_error_of_exactly", "operand, exactly");
    for (size_t f = 0; f < STUDIED; f++) {
        const mt_accuracy *a = &r->accuracy[f];
        const operand_words of = words_of(f, a->largest);
        begin_row(&table, f);
        MT_TABLE_NUMBERS(&table, (double)a->results, (double)a->measured, percent(a->places[0], a->measured),
            percent(a->places[1], a->measured), (double)a->places[2], a->measured > 0 ? a->largest_ulp : NAN);
        mt_table_text(&table, a->measured > 0 ? of.decimal : NULL);
        mt_table_text(&table, a->measured > 0 ? of.exact : NULL);
    }
    return table;
}

/* Formats the name of a bin of errors: "to 0.5", or "above 1" for the last. */
typedef char bin_name[32];

static void name_bin(size_t bin, bin_name name)
{
    if (bin + 1 < MT_ACCURACY_BINS)
        (void)snprintf(name, sizeof(bin_name), "to %g", mt_accuracy_edge_ulp[bin]);
    else
        (void)snprintf(name, sizeof(bin_name), "above %g", mt_accuracy_edge_ulp[bin - 1]);
}

static mt_table make_errors(mt_arena *arena, const request *r)
{
    mt_table table = mt_table_begin(arena, "errors",
        "Distribution of the errors: share of the results by distance from the exact value in ulps");
    mt_table_strings(&table, "function", "function");
    for (size_t b = 0; b < MT_ACCURACY_BINS; b++) {
        char key[48];
        bin_name label;
        const size_t last = b + 1 == MT_ACCURACY_BINS;
        name_bin(b, label);
        (void)snprintf(key, sizeof key, "%s_%.0f_hundredths_ulp_percent", last ? "above" : "to",
            100 * mt_accuracy_edge_ulp[b - last]);
        mt_table_digits(&table, key, label, "%", 4);
    }
    for (size_t f = 0; f < STUDIED; f++) {
        begin_row(&table, f);
        for (size_t b = 0; b < MT_ACCURACY_BINS; b++)
            mt_table_number(&table, percent(r->accuracy[f].bin[b], r->accuracy[f].measured));
    }
    return table;
}

static mt_table make_special(mt_arena *arena, const request *r)
{
    mt_table table = mt_table_begin(arena, "special", "Results without an error in ulps, and subnormals");
    mt_table_strings(&table, "function", "function");
    mt_table_decimals(&table, "zeros", "0", "", 0);
    mt_table_decimals(&table, "infinities", "infinity", "", 0);
    mt_table_decimals(&table, "nans", "NaN", "", 0);
    mt_table_decimals(&table, "flushed", "subnormal, flushed to 0", "", 0);
    mt_table_decimals(&table, "unflushed", "subnormal, not flushed", "", 0);
    mt_table_decimals(&table, "subnormal_operands", "subnormal operands", "", 0);
    mt_table_decimals(&table, "mismatches", "mismatches", "", 0);
    mt_table_strings(&table, "mismatch_of", "operand");
    for (size_t f = 0; f < STUDIED; f++) {
        const mt_accuracy *a = &r->accuracy[f];
        const operand_words of = words_of(f, a->mismatch);
        begin_row(&table, f);
        MT_TABLE_NUMBERS(&table, (double)a->zeros, (double)a->infinities, (double)a->nans, (double)a->flushed,
            (double)a->unflushed, (double)a->subnormal_operands, (double)a->mismatches);
        mt_table_text(&table, a->mismatches > 0 ? of.exact : NULL);
    }
    return table;
}

static mt_status compare(mt_arena *arena, const request *r, mt_table *tables)
{
    static const char ours[] = "ours use polynomials and fused multiply-adds, the machine's are "
                               "instructions; both can return a neighbour of the nearest float",
                      exact[] = "the host's instruction returns the nearest float",
                      all[] = "as many as in the study", some[] = "--full uses as many as the study",
                      truth[] =
                          "Reference: the C library in double precision; errors are accurate to 2^-28 ulp",
                      flushed[] = "Subnormal operands and results are flushed to 0, as in the study";
    mt_comparison c = mt_comparison_begin(arena, "Comparison with section 5 of the study", true);
    for (size_t f = 0; f < STUDIED; f++) {
        char quantity[64];
        (void)snprintf(quantity, sizeof quantity, "largest error of %s", functions[f].label);
        MT_TRY(mt_comparison_add(&c, quantity, functions[f].places,
            r->accuracy[f].measured > 0 ? (double)r->accuracy[f].largest_places : NAN,
            f < MT_SQRT ? ours : exact));
    }
    const mt_accuracy *exponential = &r->accuracy[MT_EXP], *division = &r->accuracy[MT_DIVIDE];
    MT_TRY(mt_comparison_add(&c, "operands of each function", "math_floats", (double)exponential->results,
        r->plan.every == 1 ? all : some));
    double pairs, most;
    MT_TRY(mt_published("math_pairs", &pairs, &most));
    MT_TRY(mt_comparison_add(&c, "pairs divided", "math_pairs", (double)division->results,
        (double)division->results == pairs ? all : some));
    mt_comparison_note(&c, flushed);
    mt_comparison_note(&c, truth);
    (void)mt_comparison_tables(&c, tables);
    return MT_OK;
}

/* ---- the picture ---- */

/* Draws bars of three colours: the nearest float, other results within 1 ulp, and all others. */
static mt_status draw(const request *r)
{
    enum { KINDS = 3 };
    static const char *const kinds[KINDS] = {
        "to 0.5 ulp: the nearest float", "to 1 ulp: its neighbour", "above 1 ulp"};
    const char *groups[STUDIED], *bars[MT_ACCURACY_BINS];
    bin_name names[MT_ACCURACY_BINS];
    double value[STUDIED * MT_ACCURACY_BINS * KINDS] = {0};
    for (size_t b = 0; b < MT_ACCURACY_BINS; b++) {
        name_bin(b, names[b]);
        bars[b] = names[b];
    }
    for (size_t f = 0; f < STUDIED; f++) {
        groups[f] = functions[f].label;
        for (size_t b = 0; b < MT_ACCURACY_BINS; b++) {
            const double share = percent(r->accuracy[f].bin[b], r->accuracy[f].measured);
            const size_t kind = mt_accuracy_edge_ulp[b] <= 0.5 ? 0 : mt_accuracy_edge_ulp[b] <= 1 ? 1 : 2;
            value[(f * MT_ACCURACY_BINS + b) * KINDS + kind] = isnan(share) ? 0 : share;
        }
    }
    return mt_chart_write(r->picture,
        &(mt_chart){.title = "Errors of the functions in single precision",
            .caption = "Share of the results [%] by distance from the exact value [ulp]; logarithmic axis",
            .logarithmic = true,
            .n_groups = STUDIED,
            .n_bars = MT_ACCURACY_BINS,
            .n_kinds = KINDS,
            .group = groups,
            .bar = bars,
            .kind = kinds,
            .value = value});
}

/* ---- the command ---- */

static void run(request *r)
{
    for (size_t f = 0; f < STUDIED; f++) {
        mt_progress_begin_counting(functions[f].label, f == MT_DIVIDE ? "pairs" : "floats",
            mt_math_millions(&r->plan, (mt_function)f));
        r->accuracy[f] = mt_math_run(&r->plan, (mt_function)f);
        mt_progress_end();
    }
}

static mt_status math(mt_arena *arena, const mt_arguments *arguments)
{
    mt_table tables[TABLES];
    request *r;
    MT_ALLOC(arena, r, 1);
    MT_TRY(parse(arguments, r));
    run(r);
    tables[ACCURACY] = make_accuracy(arena, r);
    tables[ERRORS] = make_errors(arena, r);
    tables[SPECIAL] = make_special(arena, r);
    MT_TRY(compare(arena, r, &tables[COMPARED]));
    if (r->picture) MT_TRY(draw(r));
    return mt_print_tables(arguments, tables, TABLES);
}
