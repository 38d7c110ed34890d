#include "solver/cells/compiled/c_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/cells/graph/instructions.h"
#include "solver/cells/compiled/kernel_text.inc" /* of the build: cmake/kernel_text.cmake */

#define TEXT(code, value) [code] = #value,
static const char *const values[MT_CODES_PLAIN] = {MT_INSTRUCTIONS(TEXT, TEXT)};

/* What is being written: instructions of a program, and which of them made the value in each register. */
typedef struct writer {
    FILE *out;
    const mt_cell_program *p;
    size_t *made_by;
} writer;

/* Writes the value in a register: one of n_inputs of a program, or the result of an instruction. */
static void put_register(const writer *w, size_t n_inputs, size_t reg)
{
    const mt_cell_program *p = w->p;
    const size_t constants = p->n_numbers, dt = constants + p->n_constants, states = dt + 3,
                 functions = states + p->n_states;
    if (reg < constants)
        (void)fprintf(w->out, "K(%a)", p->number[reg]);
    else if (reg < dt)
        (void)fprintf(w->out, "c[%zu]", reg - constants);
    else if (reg < states)
        (void)fputs((const char *[]){"p.dt", "step", "v"}[reg - dt], w->out);
    else if (reg < functions)
        (void)fprintf(w->out, "s[%zu]", reg - states);
    else if (reg < n_inputs)
        (void)fprintf(w->out, "p.of_v[%zu]", reg - functions);
    else
        (void)fprintf(w->out, "t%zu", w->made_by[reg]);
}

/* Writes the statement of the i-th instruction: its value, with operands in place of A, B, C and D. */
static void put_instruction(const writer *w, const mt_program *code, size_t i)
{
    const mt_instruction *one = &code->instruction[i];
    (void)fprintf(w->out, "    const lanes t%zu = ", i);
    for (const char *at = values[one->code]; *at; at++)
        if (*at >= 'A' && *at <= 'D')
            put_register(w, code->n_inputs, one->operand[*at - 'A']);
        else
            (void)fputc(*at, w->out);
    (void)fputs(";\n", w->out);
    w->made_by[one->to] = i;
}

/* Writes a function with the parameters of cell_step and the instructions of a program. */
static void put_function(const writer *w, const char *name, const mt_program *code)
{
    (void)fprintf(w->out,
        "static inline lanes %s(\n"
        "    pace p, const lanes c[CONSTANTS], lanes v, const lanes s[STATES], lanes next[STATES])\n{\n"
        "    const lanes zero = K(0), one = K(1), step = lanes_all(p.step);\n",
        name);
    for (size_t i = 0; i < code->n_instructions; i++) put_instruction(w, code, i);
}

static void put_output(const writer *w, const mt_program *code, size_t k)
{
    put_register(w, code->n_inputs, code->output[k]);
    (void)fputs(";\n", w->out);
}

/* Writes a step: the next states and the change of V. */
static void put_step(const writer *w, const char *name, const mt_program *code)
{
    put_function(w, name, code);
    for (size_t k = 0; k < w->p->n_states; k++) {
        (void)fprintf(w->out, "    next[%zu] = ", k);
        put_output(w, code, k);
    }
    (void)fputs("    return ", w->out);
    put_output(w, code, w->p->n_states);
    (void)fputs("}\n", w->out);
}

/* Writes a function that stores the functions of V; 0 for those of the other way of stepping. */
static void put_functions(const writer *w, const char *name, const mt_program *code)
{
    put_function(w, name, code);
    for (size_t k = 0; k < code->n_outputs; k++) {
        (void)fprintf(w->out, "    p.of_v[%zu] = ", k);
        put_output(w, code, k);
    }
    for (size_t k = code->n_outputs; k < w->p->n_functions; k++)
        (void)fprintf(w->out, "    p.of_v[%zu] = zero;\n", k);
    (void)fputs("    return zero;\n}\n", w->out);
}

/* Writes the steps that read functions of V, and cell_step, which selects a step. */
static void put_tabulated(const writer *w)
{
    static const char *const step[] = {"step_uniform", "step_multirate"}, *const functions[] = {
                                                                              "functions_uniform",
                                                                              "functions_multirate"};
    (void)fprintf(w->out,
        "#define MODEL_TABULATED " MT_COMPILED_TABULATED "\n"
        "#define MODEL_TABULATED_MULTIRATE " MT_COMPILED_TABULATED_MULTIRATE "\n"
        "enum { FUNCTIONS = %zu };\n",
        w->p->n_functions);
    for (int multirate = 0; multirate < 2; multirate++) {
        put_step(w, step[multirate], &w->p->tabulated[multirate].step);
        put_functions(w, functions[multirate], &w->p->tabulated[multirate].functions);
    }
    (void)fputs(
        "static inline lanes cell_step(\n"
        "    pace p, const lanes c[CONSTANTS], lanes v, const lanes s[STATES], lanes next[STATES])\n{\n"
        "    if (p.functions == FUNCTIONS_READ)\n"
        "        return p.relaxes ? step_multirate(p, c, v, s, next) : step_uniform(p, c, v, s, next);\n"
        "    if (p.functions == FUNCTIONS_STORED)\n"
        "        return p.relaxes ? functions_multirate(p, c, v, s, next)\n"
        "                         : functions_uniform(p, c, v, s, next);\n"
        "    return step_exact(p, c, v, s, next);\n}\n",
        w->out);
}

static void put_model(const writer *w)
{
    (void)fprintf(w->out,
        "struct mt_cell_model;\n"
        "#define MT_KERNEL(name) name\n"
        "#define MODEL " MT_COMPILED_STEP "\n"
        "#define MODEL_MULTIRATE " MT_COMPILED_MULTIRATE "\n"
        "#define K(number) lanes_all((real)(number))\n"
        "enum { STATES = %zu, CONSTANTS = %zu };\n",
        w->p->n_states, w->p->n_constants);
    put_step(w, "step_exact", &w->p->step);
    (void)fputs("#ifdef TABLES\n", w->out);
    if (w->p->n_functions > 0) put_tabulated(w);
    (void)fputs("#else\n#define cell_step step_exact\n#endif\n", w->out);
}

static void put_lines(FILE *out, const char *const *line)
{
    for (; *line; line++) (void)fputs(*line, out);
}

/* Writes the model, between the headers if `whole`. */
static mt_status write_source(mt_arena *arena, const mt_cell_program *p, bool whole, const char **source)
{
    MT_SCRATCH(scratch);
    char *written = NULL, *kept = NULL;
    size_t size;
    writer w = {.p = p};
    MT_ALLOC(scratch, w.made_by, MT_PROGRAM_REGISTERS_MAX);
    FILE *out = w.out = open_memstream(&written, &size);
    if (!out) return mt_fail(MT_MEMORY, "out of memory");
    if (whole) put_lines(out, kernel_head);
    put_model(&w);
    if (whole) put_lines(out, kernel_tail);
    const bool failed = ferror(out) != 0;
    if (fclose(out) == 0 && !failed) kept = mt_arena_alloc(arena, size + 1, 1);
    if (kept) memcpy(kept, written, size + 1);
    free(written);
    *source = kept;
    return kept ? MT_OK : mt_fail(MT_MEMORY, "out of memory");
}

mt_status mt_cell_program_source(mt_arena *arena, const mt_cell_program *p, const char **source)
{
    return write_source(arena, p, true, source);
}

mt_status mt_cell_program_equations(mt_arena *arena, const mt_cell_program *p, const char **text)
{
    return write_source(arena, p, false, text);
}

const char *const *mt_cell_program_flags(mt_isa set)
{
    return set == MT_ISA_AVX512 ? flags_avx512 : set == MT_ISA_AVX2 ? flags_avx2 : flags_base;
}
