#include "app/commands/machine/allreduce_sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/progress.h"
#include "app/commands/machine/allreduce_options.h"
#include "app/draw/chart/chart.h"

enum { SIZES_MAX = 64, NAME = 64 };

/* A topology of the chips and a path around them. */
typedef struct shape {
    char physical[NAME];
    mt_collective collective; /* without a plan */
} shape;

/* Times of one vector size on one shape. */
typedef struct timed {
    const shape *shape;
    size_t elements;
    ipu_method method, automatic; /* fastest method; choice of auto */
    size_t steps;
    double us, automatic_us;
} timed;

typedef struct sweep {
    mt_arena *arena;
    const mt_arguments *arguments;
    size_t ipus;
    ipu_method method; /* IPU_AUTO: all methods */
    ipu_collective operation;
    ipu_operator with;
    const char *csv, *picture; /* paths, or NULL */
    const char *machine;       /* its name */
    size_t n_sizes, elements[SIZES_MAX];
    shape *shape;
    size_t n_shapes;
    timed *row; /* [n_sizes * n_shapes]; shapes of each size are sorted by replica size, then by time */
} sweep;

/* ---- options ---- */

static mt_status check_options(const mt_arguments *arguments)
{
    static const char *const alone[] = {
        "--logical", "--routing", "--replica", "--group", "--orthogonal", "--layers", "--faces"};
    for (size_t k = 0; k < sizeof alone / sizeof *alone; k++)
        if (mt_option_given(arguments, alone[k]))
            return mt_fail(MT_INPUT,
                "%s with --sweep; allowed: --ipus and --physical; all logical topologies are tried",
                alone[k]);
    return MT_OK;
}

static mt_status read_sizes(sweep *s)
{
    const char *at = mt_option_value(s->arguments, "--bytes", "4KiB,32KiB,256KiB,2MiB,16MiB,128MiB");
    for (bool more = true; more;) {
        char word[NAME] = "";
        const size_t n = strcspn(at, ",");
        if (s->n_sizes == SIZES_MAX)
            return mt_fail(MT_INPUT, "--bytes: too many sizes; allowed: at most %d", SIZES_MAX);
        (void)snprintf(word, sizeof word, "%.*s", (int)n, at);
        MT_TRY(mt_allreduce_size(word, &s->elements[s->n_sizes++]));
        more = at[n] == ',';
        at += n + 1;
    }
    if (s->picture && s->n_sizes > MT_CHART_GROUPS_MAX)
        return mt_fail(
            MT_INPUT, "--picture with %zu sizes; allowed: at most %d", s->n_sizes, MT_CHART_GROUPS_MAX);
    return MT_OK;
}

static mt_status read_options(sweep *s)
{
    const mt_file_replace replace = mt_option_replace(s->arguments);
    mt_collective words;
    unsigned long ipus;
    MT_TRY(check_options(s->arguments));
    if (!mt_option_given(s->arguments, "--ipus"))
        return mt_fail(MT_INPUT, "--ipus is required with --sweep; allowed: a number of chips");
    MT_TRY(
        mt_integer("--ipus", mt_option_value(s->arguments, "--ipus", ""), 2, MT_ALLREDUCE_IPUS_MAX, &ipus));
    MT_TRY(mt_allreduce_words(s->arguments, &words, &s->method));
    s->ipus = ipus;
    s->operation = words.operation;
    s->with = words.with;
    s->csv = mt_option_value(s->arguments, "--output", NULL);
    s->picture = mt_option_value(s->arguments, "--picture", NULL);
    MT_TRY(mt_allreduce_machine(s->arena, s->arguments, &s->machine));
    MT_TRY(read_sizes(s));
    if (s->csv) MT_TRY(mt_file_check(s->csv, replace));
    if (s->picture) MT_TRY(mt_page_check_name(s->picture, replace));
    return MT_OK;
}

/* ---- shapes ---- */

static shape *new_shape(sweep *s)
{
    shape *new = &s->shape[s->n_shapes];
    *new = (shape){.collective = {.operation = s->operation, .with = s->with}};
    return new;
}

/* Adds all paths around a ladder or torus of this number of chips. */
static mt_status add_rings(sweep *s, const char *joined)
{
    mt_collective chips;
    if (s->ipus % 2 == 1) return MT_OK;
    MT_TRY(mt_allreduce_chips(s->arena, s->arguments, joined, s->ipus, &chips));
    for (int l = 0; l < IPU_PRISM; l++) {
        const ipu_ring_choice choice = mt_default_ring_choice((ipu_logical)l);
        shape *new = new_shape(s);
        (void)snprintf(new->physical, NAME, "%s", joined);
        new->collective.target = chips.target;
        const mt_status status =
            ipu_rings_make(s->arena, chips.target.links.shape, s->ipus, &choice, &new->collective.rings);
        if (status != MT_OK && status != MT_INPUT) return status;
        s->n_shapes += status == MT_OK;
    }
    return MT_OK;
}

/* Adds the prism with the fewest faces. With more faces, links inside layers carry more rings than they have lanes. */
static mt_status add_prism(sweep *s)
{
    size_t faces = 3;
    while (faces <= s->ipus / 2 && s->ipus % faces != 0) faces++;
    if (faces > s->ipus / 2) return MT_OK;
    shape *new = new_shape(s);
    (void)snprintf(new->physical, NAME, "prism, %zu layers of %zu", s->ipus / faces, faces);
    s->n_shapes++;
    return mt_allreduce_prism(s->arena, s->arguments, s->ipus / faces, faces, &new->collective);
}

/* Finds all shapes, or the one of --physical. Prisms define their own links: if --machine-set changes links, they are omitted, or
 * refused if nothing else is possible. */
static mt_status find_shapes(sweep *s)
{
    const bool set = mt_allreduce_links_set(s->arguments) != NULL;
    size_t first = MT_LADDER, last = MT_PRISM;
    if (mt_option_given(s->arguments, "--physical")) {
        MT_TRY(mt_option_word(s->arguments, "--physical", "", mt_physical_name, MT_PHYSICALS, &first));
        last = first;
    }
    MT_ALLOC(s->arena, s->shape, MT_PHYSICALS * IPU_PRISM);
    for (size_t joined = first; joined <= last; joined++) {
        if (joined == MT_PRISM && set && s->n_shapes > 0) continue;
        MT_TRY(joined == MT_PRISM ? add_prism(s) : add_rings(s, mt_physical_name[joined]));
    }
    if (s->n_shapes == 0)
        return mt_fail(MT_INPUT,
            "--sweep over %zu IPUs: no logical topology; allowed: an even number on a ladder or torus, a "
            "multiple of 3 or more in a prism",
            s->ipus);
    return MT_OK;
}

/* ---- times ---- */

static mt_status time_method(const shape *of, ipu_method method, timed *t)
{
    MT_SCRATCH(scratch);
    mt_collective c = of->collective;
    uint64_t cycles = 0;
    const mt_status status = mt_collective_plan(scratch, method, t->elements, &c);
    if (status == MT_INPUT) return MT_OK; /* this shape does not support the method */
    MT_TRY(status);
    MT_TRY(mt_collective_cycles(&c, &cycles));
    const double us = (double)cycles / c.target.clock_hz * 1e6;
    if (!(us >= t->us)) {
        t->method = method;
        t->us = us;
        t->steps = c.plan.n_steps;
    }
    if (method == t->automatic) t->automatic_us = us;
    return MT_OK;
}

/* Times a shape. The anticlockwise method is tried only if requested, since it mirrors the clockwise one. */
static mt_status time_shape(const sweep *s, const shape *of, size_t elements, timed *t)
{
    MT_SCRATCH(scratch);
    mt_collective c = of->collective;
    *t = (timed){.shape = of, .elements = elements, .us = NAN, .automatic_us = NAN};
    MT_TRY(mt_collective_plan(scratch, IPU_AUTO, elements, &c));
    t->automatic = c.plan.method;
    for (int m = IPU_CLOCKWISE; m < IPU_METHODS; m++) {
        if (mt_progress_interrupted()) return mt_fail(MT_STOPPED, "the sweep was stopped");
        if (s->method == IPU_AUTO ? m != IPU_ANTICLOCKWISE : m == (int)s->method)
            MT_TRY(time_method(of, (ipu_method)m, t));
    }
    return MT_OK;
}

/* Shapes without a time, which do not support the method, are last. */
static int by_time(const void *left, const void *right)
{
    const timed *a = left, *b = right;
    const size_t x = a->shape->collective.rings.replica, y = b->shape->collective.rings.replica;
    if (x != y) return x < y ? -1 : 1;
    if (isnan(a->us) || isnan(b->us)) return isnan(a->us) - isnan(b->us);
    return a->us < b->us ? -1 : a->us > b->us;
}

static mt_status time_all(sweep *s)
{
    MT_ALLOC(s->arena, s->row, s->n_sizes * s->n_shapes);
    for (size_t n = 0; n < s->n_sizes; n++) {
        timed *row = &s->row[n * s->n_shapes];
        for (size_t k = 0; k < s->n_shapes; k++) MT_TRY(time_shape(s, &s->shape[k], s->elements[n], &row[k]));
        qsort(row, s->n_shapes, sizeof *row, by_time);
    }
    return MT_OK;
}

/* ---- the table ---- */

static mt_table table_of(const sweep *s)
{
    char title[200];
    (void)snprintf(title, sizeof title, "%s over %zu IPUs: %s, method: %s%s",
        ipu_collective_name[s->operation], s->ipus, s->machine,
        s->method == IPU_AUTO ? "the fastest" : ipu_method_name[s->method],
        s->method == IPU_AUTO ? "" : " only");
    mt_table table = mt_table_begin(s->arena, "sweep", title);
    mt_table_decimals(&table, "bytes", "vector", "bytes", 0);
    mt_table_strings(&table, "physical", "physical topology");
    mt_table_strings(&table, "logical", "logical topology");
    mt_table_decimals(&table, "replica", "replica", "IPUs", 0);
    mt_table_strings(&table, "method", "method");
    mt_table_decimals(&table, "steps", "steps", "", 0);
    mt_table_digits(&table, "time_us", "time", "us", 5);
    mt_table_digits(&table, "bandwidth_gb_per_s", "bandwidth", "GB/s", 4);
    mt_table_strings(&table, "auto_method", "auto selects");
    mt_table_digits(&table, "auto_time_us", "its time", "us", 5);
    for (size_t k = 0; k < s->n_sizes * s->n_shapes; k++) {
        const timed *t = &s->row[k];
        const ipu_rings *rings = &t->shape->collective.rings;
        const double bytes = (double)t->elements * sizeof(float);
        if (isnan(t->us)) continue;
        mt_table_number(&table, bytes);
        mt_table_text(&table, t->shape->physical);
        mt_table_text(&table, ipu_logical_name[rings->logical]);
        mt_table_number(&table, (double)rings->replica);
        mt_table_text(&table, ipu_method_name[t->method]);
        MT_TABLE_NUMBERS(&table, (double)t->steps, t->us, bytes / t->us / 1e3);
        mt_table_text(&table, ipu_method_name[t->automatic]);
        mt_table_number(&table, t->automatic_us);
    }
    return table;
}

/* ---- the picture ---- */

enum { LINES = MT_CHART_KINDS_MAX };

/* Returns the time of a vector size on a shape. */
static double time_on(const sweep *s, const shape *of, size_t size)
{
    size_t k = size * s->n_shapes;
    while (s->row[k].shape != of) k++;
    return s->row[k].us;
}

/* Returns the sum of the logarithms of a shape's times. Infinite for replicas of several chips, which compute another result: one
 * sum per chip of a replica. */
static double log_time_sum(const sweep *s, const shape *of)
{
    double sum = 0;
    if (of->collective.rings.replica > 1) return INFINITY;
    /* NaN: the method is not supported */
    for (size_t n = 0; n < s->n_sizes; n++) sum += log(time_on(s, of, n));
    return isnan(sum) ? INFINITY : sum;
}

/* Selects the shapes with the lowest geometric mean of times, in the order of the sweep, and returns their number. Of shapes with
 * identical times, such as peripheral rings on ladder and torus, only the first is selected. */
static size_t choose_lines(const sweep *s, const shape *line[LINES])
{
    size_t n = 0;
    for (size_t k = 0; k < s->n_shapes; k++) {
        const double sum = log_time_sum(s, &s->shape[k]);
        size_t faster = 0;
        bool again = !isfinite(sum);
        for (size_t i = 0; i < s->n_shapes; i++) {
            const double other = log_time_sum(s, &s->shape[i]);
            faster += other < sum;
            again |= i < k && other == sum;
        }
        if (!again && faster < LINES && n < LINES) line[n++] = &s->shape[k];
    }
    return n;
}

static void size_name(size_t elements, char name[NAME])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    double number = (double)elements * sizeof(float);
    size_t unit = 0;
    for (; number >= 1024 && unit < 3; unit++) number /= 1024;
    (void)snprintf(name, NAME, "%.4g %s", number, units[unit]);
}

static mt_status draw(const sweep *s)
{
    const shape *line[LINES];
    const size_t n_lines = choose_lines(s, line);
    char sizes[MT_CHART_GROUPS_MAX][NAME], lines[LINES][2 * NAME], title[128];
    const char *group[MT_CHART_GROUPS_MAX], *bar[LINES], *kind[] = {""};
    double place[MT_CHART_GROUPS_MAX], value[MT_CHART_GROUPS_MAX * LINES];
    if (n_lines == 0)
        return mt_fail(MT_INPUT, "--picture of %s: no logical topology over all chips supports it",
            ipu_method_name[s->method]);
    for (size_t l = 0; l < n_lines; l++) {
        const ipu_logical logical = line[l]->collective.rings.logical;
        (void)snprintf(lines[l], sizeof lines[l], "%s%s%s", line[l]->physical,
            logical == IPU_PRISM ? "" : ", ", logical == IPU_PRISM ? "" : ipu_logical_name[logical]);
        bar[l] = lines[l];
    }
    for (size_t n = 0; n < s->n_sizes; n++) {
        size_name(s->elements[n], sizes[n]);
        group[n] = sizes[n];
        place[n] = (double)s->elements[n] * sizeof(float);
        for (size_t l = 0; l < n_lines; l++) value[n * n_lines + l] = time_on(s, line[l], n);
    }
    (void)snprintf(
        title, sizeof title, "%s over %zu IPUs, %s", ipu_collective_name[s->operation], s->ipus, s->machine);
    title[0] = (char)(title[0] - 'a' + 'A');
    return mt_chart_write(s->picture,
        &(mt_chart){.title = title,
            .caption = s->method == IPU_AUTO
                           ? "Time [microseconds] by vector size of each chip, with the fastest method"
                           : "Time [microseconds] by vector size of each chip",
            .logarithmic = true,
            .n_groups = s->n_sizes,
            .n_bars = n_lines,
            .n_kinds = 1,
            .group = group,
            .bar = bar,
            .kind = kind,
            .value = value,
            .place = place});
}

/* ---- the sweep ---- */

static mt_status write_csv(const char *path, const mt_table *table)
{
    mt_file file;
    MT_TRY(mt_file_begin(path, &file));
    return mt_file_end(&file, mt_table_put_csv(file.stream, table));
}

static mt_status write_files(const sweep *s, const mt_table *table)
{
    if (s->csv) MT_TRY(write_csv(s->csv, table));
    return s->picture ? draw(s) : MT_OK;
}

mt_status mt_allreduce_sweep(mt_arena *arena, const mt_arguments *arguments)
{
    sweep *s;
    MT_ALLOC(arena, s, 1);
    s->arena = arena;
    s->arguments = arguments;
    MT_TRY(read_options(s));
    MT_TRY(find_shapes(s));
    mt_progress_stage("timing the collectives");
    MT_TRY(time_all(s));
    mt_progress_stage(NULL);
    const mt_table table = table_of(s);
    MT_TRY(mt_file_set_begin());
    MT_TRY(mt_file_set_end(write_files(s, &table)));
    return mt_print_tables(arguments, &table, 1);
}
