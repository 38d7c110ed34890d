#include "solver/cells/compiled/c_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/cells/graph/instructions.h"
#include "solver/cells/compiled/kernel_text.inc" /* of the build: cmake/kernel_text.cmake */

#define TEXT(code, value) [code] = #value,
static const char *const values[MT_CODES_PLAIN] = {MT_INSTRUCTIONS(TEXT, TEXT)};

/* Writes the value in a register: an input of the program, or the result of an instruction. */
static void put_register(FILE *out, const mt_cell_program *p, const size_t *made_by, size_t reg)
{
    const size_t constants = p->n_numbers, dt = constants + p->n_constants, states = dt + 3;
    if (reg < constants)
        (void)fprintf(out, "K(%a)", p->number[reg]);
    else if (reg < dt)
        (void)fprintf(out, "c[%zu]", reg - constants);
    else if (reg < states)
        (void)fputs((const char *[]){"p.dt", "step", "v"}[reg - dt], out);
    else if (reg < p->step.n_inputs)
        (void)fprintf(out, "s[%zu]", reg - states);
    else
        (void)fprintf(out, "t%zu", made_by[reg]);
}

/* Writes the statement of the i-th instruction: its value, with operands in place of A, B, C and D. */
static void put_instruction(FILE *out, const mt_cell_program *p, size_t *made_by, size_t i)
{
    const mt_instruction *one = &p->step.instruction[i];
    (void)fprintf(out, "    const lanes t%zu = ", i);
    for (const char *at = values[one->code]; *at; at++)
        if (*at >= 'A' && *at <= 'D')
            put_register(out, p, made_by, one->operand[*at - 'A']);
        else
            (void)fputc(*at, out);
    (void)fputs(";\n", out);
    made_by[one->to] = i;
}

static void put_step(FILE *out, const mt_cell_program *p, size_t *made_by)
{
    (void)fprintf(out,
        "struct mt_cell_model;\n"
        "#define MT_KERNEL(name) name\n"
        "#define MODEL " MT_COMPILED_STEP "\n"
        "#define MODEL_MULTIRATE " MT_COMPILED_MULTIRATE "\n"
        "#define K(number) lanes_all((real)(number))\n"
        "enum { STATES = %zu, CONSTANTS = %zu };\n"
        "static inline lanes cell_step(\n"
        "    pace p, const lanes c[CONSTANTS], lanes v, const lanes s[STATES], lanes next[STATES])\n{\n"
        "    const lanes zero = K(0), one = K(1), step = lanes_all(p.step);\n",
        p->n_states, p->n_constants);
    for (size_t i = 0; i < p->step.n_instructions; i++) put_instruction(out, p, made_by, i);
    for (size_t k = 0; k <= p->n_states; k++) {
        if (k < p->n_states)
            (void)fprintf(out, "    next[%zu] = ", k);
        else
            (void)fputs("    return ", out);
        put_register(out, p, made_by, p->step.output[k]);
        (void)fputs(";\n", out);
    }
    (void)fputs("}\n", out);
}

static void put_lines(FILE *out, const char *const *line)
{
    for (; *line; line++) (void)fputs(*line, out);
}

mt_status mt_cell_program_source(mt_arena *arena, const mt_cell_program *p, const char **source)
{
    MT_SCRATCH(scratch);
    char *written = NULL, *kept = NULL;
    size_t size, *made_by;
    MT_ALLOC(scratch, made_by, p->step.n_registers);
    FILE *out = open_memstream(&written, &size);
    if (!out) return mt_fail(MT_MEMORY, "out of memory");
    put_lines(out, kernel_head);
    put_step(out, p, made_by);
    put_lines(out, kernel_tail);
    const bool failed = ferror(out) != 0;
    if (fclose(out) == 0 && !failed) kept = mt_arena_alloc(arena, size + 1, 1);
    if (kept) memcpy(kept, written, size + 1);
    free(written);
    *source = kept;
    return kept ? MT_OK : mt_fail(MT_MEMORY, "out of memory");
}

const char *const *mt_cell_program_flags(mt_isa set)
{
    return set == MT_ISA_AVX512 ? flags_avx512 : set == MT_ISA_AVX2 ? flags_avx2 : flags_base;
}
