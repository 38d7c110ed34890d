/* Expressions as code for registers: what an interpreter executes (cell_program_kernel.c), and of which the cost
 * on a tile is counted (program_mix.h).
 *
 * An operand is the number of a register. The first registers hold the inputs, in the order in which the caller lists them; an instruction
 * writes a register that is not an input, and registers are reused after the last use of their value. All instructions are executed in
 * order, without branches. The inputs are of two kinds: uniform ones, the same for all cells of a run (constants of a variant), and varying
 * ones. */
#pragma once

#include "solver/cells/graph/algebra.h"

/* Instructions: those of mt_op that an algebra leaves, and a comparison with its selection. */
typedef enum mt_code {
    MT_CODE_NEGATE,
    MT_CODE_SQRT,
    MT_CODE_EXP,
    MT_CODE_EXPM1,
    MT_CODE_LOG,
    MT_CODE_ABS,
    MT_CODE_FLOOR,
    MT_CODE_CEIL,
    MT_CODE_SIN,
    MT_CODE_COS,
    MT_CODE_TAN,
    MT_CODE_ASIN,
    MT_CODE_ACOS,
    MT_CODE_ATAN,
    MT_CODE_SINH,
    MT_CODE_COSH,
    MT_CODE_TANH,
    MT_CODE_CBRT,
    MT_CODE_NOT,
    MT_CODE_ADD,
    MT_CODE_SUBTRACT,
    MT_CODE_MULTIPLY,
    MT_CODE_DIVIDE,
    MT_CODE_POWER,
    MT_CODE_MIN,
    MT_CODE_MAX,
    MT_CODE_REMAINDER,
    MT_CODE_LESS,
    MT_CODE_LESS_EQUAL,
    MT_CODE_EQUAL,
    MT_CODE_AND,
    MT_CODE_OR,
    MT_CODE_SELECT,            /* a != 0 ? b : c */
    MT_CODE_SELECT_LESS,       /* a < b ? c : d */
    MT_CODE_SELECT_LESS_EQUAL, /* a <= b ? c : d */
    MT_CODE_SELECT_EQUAL,      /* a == b ? c : d */
    MT_CODES_PLAIN,
    /* Pairs of the above, of which the first has no other use: MT_CODE_PAIR(first, form), exponentials of a result, and more
     * around them. Each operation is rounded as if it were alone. */
    MT_CODE_EXP_NEGATE = MT_CODES_PLAIN,
    MT_CODE_EXP_MULTIPLY,
    MT_CODE_EXP_DIVIDE,
    MT_CODE_LOGISTIC,          /* c / (b + exp(a)) */
    MT_CODE_LOGISTIC_MULTIPLY, /* d / (c + exp(a b)) */
    MT_CODE_EXP_SCALED,        /* exp(a b) c */
    MT_CODE_PAIRS,
    MT_CODES = MT_CODE_PAIRS + 4 * 6
} mt_code;

/* The forms of the second operation of a pair, with the result r = a first b and the third operand c; `first`: MT_CODE_ADD to
 * MT_CODE_DIVIDE. */
typedef enum mt_pair_form {
    MT_PAIR_ADD,           /* r + c */
    MT_PAIR_SUBTRACT,      /* r - c */
    MT_PAIR_SUBTRACT_FROM, /* c - r */
    MT_PAIR_MULTIPLY,      /* r c */
    MT_PAIR_DIVIDE,        /* r / c */
    MT_PAIR_DIVIDE_BY,     /* c / r */
    MT_PAIR_FORMS
} mt_pair_form;
#define MT_CODE_PAIR(first, form) (MT_CODE_PAIRS + (int)((first)-MT_CODE_ADD) * MT_PAIR_FORMS + (int)(form))

typedef struct mt_instruction {
    uint16_t code, to, operand[4]; /* unused operands are 0 */
} mt_instruction;

typedef struct mt_program {
    size_t n_inputs, n_registers, n_instructions, n_outputs;
    const mt_instruction *instruction; /* [n_instructions] */
    const uint16_t *output; /* [n_outputs] register of each result; no result's register is reused */
} mt_program;

enum { MT_PROGRAM_REGISTERS_MAX = 4096 };

/* Translates expressions into a program in `arena`: inputs[n_inputs] are nodes whose values the caller provides, outputs[n_outputs] the
 * results. `pairs`: combines pairs of operations in one instruction, for interpreters. MT_INPUT: a result depends on a variable that is no
 * input, or more than MT_PROGRAM_REGISTERS_MAX registers. MT_MEMORY. */
MT_NODISCARD mt_status mt_program_make(mt_arena *arena, const mt_graph *graph, size_t n_inputs,
    const mt_node *inputs, size_t n_outputs, const mt_node *outputs, bool pairs, mt_program *program);
