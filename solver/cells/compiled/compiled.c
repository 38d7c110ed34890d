#include "solver/cells/compiled/compiled.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/core/child.h"
#include "data/core/progress.h"
#include "data/files/cache.h"
#include "data/files/file.h"
#include "data/files/scan.h"
#include "solver/cells/compiled/c_source.h"
#include "solver/cells/row.h"
#include "solver/cells/tabulated.h"
#include "solver/kernels/kernels.h"

/* The comparisons with the interpreter (compiled_kernel.c): true if all bits are the same. */
typedef bool same_float(const mt_cell_model *model, const float *constants, double dt_ms,
    mt_cell_kernel_float *step, mt_cell_multirate_float *multirate);
typedef bool same_double(const mt_cell_model *model, const double *constants, double dt_ms,
    mt_cell_kernel_double *step, mt_cell_multirate_double *multirate);
typedef bool same_tabulated(const mt_cell_model *const model[2], const float *constants, double dt_ms,
    mt_cell_tabulated_float *step, mt_cell_tabulated_multirate_float *multirate);
extern same_float mt_cell_compiled_same_float_base, mt_cell_compiled_same_float_avx2,
    mt_cell_compiled_same_float_avx512;
extern same_double mt_cell_compiled_same_double_base, mt_cell_compiled_same_double_avx2,
    mt_cell_compiled_same_double_avx512;
extern same_tabulated mt_cell_compiled_tabulated_same_float_base, mt_cell_compiled_tabulated_same_float_avx2,
    mt_cell_compiled_tabulated_same_float_avx512;

enum { SINGLE, DOUBLE, ARITHMETICS };

/* The machine code for one arithmetic. */
typedef struct code {
    char key[MT_HASH_SIZE], path[MT_FILE_PATH_MAX];
    const char **words; /* the call of the compiler */
} code;

typedef struct work {
    mt_arena *scratch;
    const char *source;
    bool cached, tabulated;
    char folder[MT_FILE_PATH_MAX], source_path[MT_FILE_PATH_MAX];
    code code[ARITHMETICS];
} work;

/* ---- the call of the compiler ---- */

/* Sets the words of the call: $CC, or cc, then the flags and the files. */
static mt_status make_words(work *w, int arithmetic, const char *const *flags)
{
    code *c = &w->code[arithmetic];
    const char *others[] = {"-w", "-shared", "-fPIC", "-o", c->path, w->source_path, "-lm"},
               *named = getenv("CC");
    size_t n = 0, n_flags = 0;
    char *text = mt_arena_text(w->scratch, named && *named ? named : "cc"), *rest = NULL;
    if (!text) return MT_MEMORY;
    while (flags[n_flags]) n_flags++;
    MT_ALLOC(w->scratch, c->words, strlen(text) + n_flags + 2 + sizeof others / sizeof *others + 1);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        c->words[n++] = word;
    if (n == 0) return mt_fail(MT_FILE, "CC: found '%s'; allowed: a C compiler", named);
    for (; *flags; flags++) c->words[n++] = *flags;
    if (arithmetic == DOUBLE) c->words[n++] = "-DMT_DOUBLE";
    if (arithmetic == SINGLE && w->tabulated) c->words[n++] = MT_COMPILED_TABLES;
    memcpy(c->words + n, others, sizeof others);
    return MT_OK;
}

/* Computes the key: of the source and the words, without the paths. */
static mt_status make_key(const work *w, code *c)
{
    mt_hash hash;
    MT_TRY(mt_hash_begin(&hash));
    mt_hash_add(&hash, w->source, strlen(w->source) + 1);
    for (const char **word = c->words; *word; word++)
        if (*word != c->path && *word != w->source_path) mt_hash_add(&hash, *word, strlen(*word) + 1);
    mt_hash_end(&hash, c->key);
    return MT_OK;
}

/* ---- files ---- */

static const char kind[] = "compiled";

static mt_status name_files(work *w)
{
    const char *folder = getenv("TMPDIR");
    const int n = snprintf(w->folder, sizeof w->folder - 16, "%s/myotile-XXXXXX", folder ? folder : "/tmp");
    if (n >= (int)sizeof w->folder - 16) return mt_fail(MT_FILE, "TMPDIR: the path is too long");
    if (!mkdtemp(w->folder)) return mt_fail(MT_FILE, "%s: cannot be created", w->folder);
    (void)snprintf(w->source_path, sizeof w->source_path, "%.*s/model.c", n, w->folder);
    for (int a = 0; a < ARITHMETICS; a++)
        (void)snprintf(w->code[a].path, sizeof w->code[a].path, "%.*s/%s.so", n, w->folder,
            a == DOUBLE ? "double" : "float");
    return MT_OK;
}

static void delete_files(const work *w)
{
    (void)unlink(w->source_path);
    for (int a = 0; a < ARITHMETICS; a++) (void)unlink(w->code[a].path);
    (void)rmdir(w->folder);
}

/* Stores the compiler's result in the cache. */
static mt_status store_result(const work *w, const code *c)
{
    mt_scan scan;
    MT_TRY(mt_scan_open(w->scratch, c->path, &scan));
    mt_cache_store(kind, c->key, scan.begin, mt_scan_left(&scan));
    return MT_OK;
}

/* Compiles the code that the cache does not have, for both arithmetics at the same time. */
static mt_status compile(work *w)
{
    mt_child child[ARITHMETICS];
    code *made[ARITHMETICS];
    size_t n = 0;
    for (int a = 0; a < ARITHMETICS; a++) {
        code *c = &w->code[a];
        const void *bytes;
        size_t n_bytes;
        if (w->cached && mt_cache_find(w->scratch, kind, c->key, &bytes, &n_bytes))
            MT_TRY(mt_file_write_text(c->path, bytes, n_bytes));
        else
            child[n] = (mt_child){.words = c->words}, made[n++] = c;
    }
    if (n == 0) return MT_OK;
    mt_progress_stage("compiling the ionic model");
    MT_TRY(mt_file_write_text(w->source_path, w->source, strlen(w->source)));
    MT_TRY(mt_children_run(n, child));
    for (size_t k = 0; k < n; k++) {
        const char *name = child[k].words[0];
        if (child[k].code == MT_CHILD_NOT_STARTED)
            return mt_fail(MT_FILE, "%s: found no such compiler", name);
        if (child[k].code != 0) return mt_fail(MT_FILE, "%s: failed with exit code %d", name, child[k].code);
        if (w->cached) MT_TRY(store_result(w, made[k]));
    }
    return MT_OK;
}

/* ---- loading ---- */

typedef void function(void);

static mt_status find(void *library, const char *path, const char *name, function **found)
{
    void *address = library ? dlsym(library, name) : NULL;
    if (!address) return mt_fail(MT_FILE, "%s: cannot be loaded: %s", path, dlerror());
    memcpy(found, &address, sizeof address);
    return MT_OK;
}

/* Finds the kernels with two names in the code for an arithmetic. */
static mt_status load(
    const code *c, const char *step_name, const char *multirate_name, function **step, function **multirate)
{
    void *library = dlopen(c->path, RTLD_NOW | RTLD_LOCAL);
    MT_TRY(find(library, c->path, step_name, step));
    return find(library, c->path, multirate_name, multirate);
}

static mt_status load_all(const work *w, mt_isa set, mt_cell_model *row)
{
    function *step, *multirate;
    MT_TRY(load(&w->code[SINGLE], MT_COMPILED_STEP, MT_COMPILED_MULTIRATE, &step, &multirate));
    row->kernel_float[set] = (mt_cell_kernel_float *)step;
    row->multirate_float[set] = (mt_cell_multirate_float *)multirate;
    MT_TRY(load(&w->code[DOUBLE], MT_COMPILED_STEP, MT_COMPILED_MULTIRATE, &step, &multirate));
    row->kernel_double[set] = (mt_cell_kernel_double *)step;
    row->multirate_double[set] = (mt_cell_multirate_double *)multirate;
    if (!w->tabulated) return MT_OK;
    MT_TRY(load(&w->code[SINGLE], MT_COMPILED_TABULATED, MT_COMPILED_TABULATED_MULTIRATE, &step, &multirate));
    row->tabulated_float[set] = (mt_cell_tabulated_float *)step;
    row->tabulated_multirate_float[set] = (mt_cell_tabulated_multirate_float *)multirate;
    return MT_OK;
}

/* ---- comparison ---- */

static const char *const differs = "the compiled kernels do not have the bits of the interpreter";

/* Compares the kernels that read tables. Those of the first variant serve both: the bits do not depend on what tables mean. */
static mt_status compare_tabulated(
    const mt_cell_model *model, const mt_cell_model *compiled, mt_isa set, const float *constants)
{
    static same_tabulated *const same[MT_ISAS] = MT_CELL_KERNELS(compiled_tabulated_same, float);
    MT_SCRATCH(scratch);
    const double dt_ms = model->dt_max_ms / 2;
    const mt_cell_variant variant[2] = {model->variants[0], model->variants[0]};
    const mt_cell_model *with[2];
    double error;
    for (int multirate = 0; multirate < 2; multirate++)
        MT_TRY(mt_cell_tabulate(scratch, model, variant, 2, dt_ms, multirate != 0, &with[multirate], &error));
    return same[set](with, constants, dt_ms, compiled->tabulated_float[set],
               compiled->tabulated_multirate_float[set])
               ? MT_OK
               : mt_fail(MT_NUMERICS, "%s", differs);
}

/* Compares the kernels with those of the interpreter, for the model's first variant and one with other parameters. */
static mt_status compare(
    const mt_cell_model *model, const mt_cell_model *compiled, mt_isa set, bool tabulated)
{
    static same_float *const single[MT_ISAS] = MT_CELL_KERNELS(compiled_same, float);
    static same_double *const twice[MT_ISAS] = MT_CELL_KERNELS(compiled_same, double);
    MT_SCRATCH(scratch);
    const size_t n = model->n_constants;
    mt_cell_variant variant[2] = {model->variants[0], model->variants[0]};
    double *parameters, *constants_double;
    float *constants_float;
    MT_COPY(scratch, parameters, variant[0].parameters, model->n_parameters);
    MT_ALLOC(scratch, constants_double, 2 * n);
    MT_ALLOC(scratch, constants_float, 2 * n);
    for (size_t k = 0; k < model->n_parameters; k++) parameters[k] *= 1 + 0.001 * (double)(k % 7);
    variant[1].parameters = parameters;
    mt_cell_constants_double(model, variant, 2, constants_double);
    mt_cell_constants_float(model, variant, 2, constants_float);
    const double dt_ms = model->dt_max_ms / 2;
    if (!single[set](
            model, constants_float, dt_ms, compiled->kernel_float[set], compiled->multirate_float[set]) ||
        !twice[set](
            model, constants_double, dt_ms, compiled->kernel_double[set], compiled->multirate_double[set]))
        return mt_fail(MT_NUMERICS, "%s", differs);
    return tabulated ? compare_tabulated(model, compiled, set, constants_float) : MT_OK;
}

static mt_status fill_row(const work *w, const mt_cell_model *model, mt_isa set, mt_cell_model *row)
{
    *row = *model;
    row->compiled = true;
    MT_TRY(load_all(w, set, row));
    return compare(model, row, set, w->tabulated);
}

bool mt_compile_pays(const mt_cell_model *model, double evaluations)
{
    const mt_cell_program *program = model->program;
    return program && !model->compiled &&
           evaluations * (double)program->step.n_instructions > MT_COMPILE_PAYS;
}

mt_status mt_cell_compile(
    mt_arena *arena, const mt_cell_model *model, bool tabulated, bool cached, const mt_cell_model **compiled)
{
    MT_SCRATCH(scratch);
    const mt_isa set = mt_kernels_used()->set;
    work w = {.scratch = scratch, .cached = cached, .tabulated = tabulated && model->n_functions > 0};
    mt_cell_model *row;
    *compiled = model;
    if (!model->program || model->compiled) return MT_OK;
    MT_ALLOC(arena, row, 1);
    MT_TRY(mt_cell_program_source(scratch, model->program, &w.source));
    MT_TRY(name_files(&w));
    mt_status status = MT_OK;
    for (int a = 0; a < ARITHMETICS && status == MT_OK; a++) {
        status = make_words(&w, a, mt_cell_program_flags(set));
        if (status == MT_OK) status = make_key(&w, &w.code[a]);
    }
    if (status == MT_OK) status = compile(&w);
    if (status == MT_OK) status = fill_row(&w, model, set, row);
    delete_files(&w);
    if (status == MT_OK) *compiled = row;
    return status;
}
