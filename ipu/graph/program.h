/* What a machine does, as a tree: sequences, repeats, conditions, compute sets, copies, and transfers from and to the host.
 *
 * A *predicate* decides on the machine: one IPU_UNSIGNED_INT element, true where it is not 0, or the number of the program that a
 * switch runs. Every tile must know it, so it is sent to all tiles before it decides (ipu/cost/control.h has the cost).
 *
 * Programs are immutable and may share parts; a shared part takes compile time at every place where it occurs. By construction
 * no tree contains itself. */
#pragma once

#include "ipu/graph/graph.h"

typedef enum ipu_program_kind {
    IPU_SEQUENCE,    /* children in order */
    IPU_REPEAT,      /* the one child, `count` times */
    IPU_EXECUTE,     /* one compute set: sync, exchange, compute */
    IPU_HOST_WRITE,  /* stream -> tensor */
    IPU_HOST_READ,   /* tensor -> stream */
    IPU_IF,          /* the first child if the predicate is true, otherwise the second, if there is one */
    IPU_SWITCH,      /* the child with the predicate's number; the last child for all other numbers */
    IPU_REPEAT_WHILE /* the first child, then the predicate; while it is true the second child, and again */
} ipu_program_kind;

typedef struct ipu_program {
    ipu_program_kind kind;
    const struct ipu_program **children; /* SEQUENCE, REPEAT, IF, SWITCH, REPEAT_WHILE */
    size_t n_children;
    uint64_t count;       /* REPEAT; REPEAT_WHILE: at most so many turns */
    uint32_t compute_set; /* EXECUTE */
    uint32_t stream;      /* HOST_* */
    ipu_tensor tensor;    /* HOST_*; IF, SWITCH, REPEAT_WHILE: the predicate */
} ipu_program;

/* Whether the program itself, not one of its children, decides by a predicate, or transfers from or to the host. */
static inline bool ipu_program_has_predicate(const ipu_program *program)
{
    return program->kind == IPU_IF || program->kind == IPU_SWITCH || program->kind == IPU_REPEAT_WHILE;
}

static inline bool ipu_program_is_transfer(const ipu_program *program)
{
    return program->kind == IPU_HOST_WRITE || program->kind == IPU_HOST_READ;
}

/* Each gives a program in `arena` and keeps its parts. MT_MEMORY. */
MT_NODISCARD mt_status ipu_program_sequence(
    mt_arena *arena, const ipu_program *const *children, size_t n, const ipu_program **program);
MT_NODISCARD mt_status ipu_program_repeat(
    mt_arena *arena, uint64_t count, const ipu_program *child, const ipu_program **program);
MT_NODISCARD mt_status ipu_program_execute(
    mt_arena *arena, uint32_t compute_set, const ipu_program **program);
MT_NODISCARD mt_status ipu_program_host_write(
    mt_arena *arena, uint32_t stream, ipu_tensor tensor, const ipu_program **program);
MT_NODISCARD mt_status ipu_program_host_read(
    mt_arena *arena, ipu_tensor tensor, uint32_t stream, const ipu_program **program);

/* `otherwise` may be NULL: then nothing is done if the predicate is false. */
MT_NODISCARD mt_status ipu_program_if(mt_arena *arena, ipu_tensor predicate, const ipu_program *then,
    const ipu_program *otherwise, const ipu_program **program);
/* Runs cases[i] where the predicate is i, and `otherwise` where it is `n` or more; n is at least 1. `otherwise` may be NULL:
 * then nothing is done. */
MT_NODISCARD mt_status ipu_program_switch(mt_arena *arena, ipu_tensor predicate,
    const ipu_program *const *cases, size_t n, const ipu_program *otherwise, const ipu_program **program);
/* Runs condition; while the predicate is then true, runs body and condition. A predicate that is still true after `limit` bodies
 * ends the run with MT_NUMERICS, so every loop ends. */
MT_NODISCARD mt_status ipu_program_repeat_while(mt_arena *arena, const ipu_program *condition,
    ipu_tensor predicate, const ipu_program *body, uint64_t limit, const ipu_program **program);

/* Adds a compute set of this name that only copies (ipu_graph_add_copy), and gives the program that executes it, in the
 * graph's arena. MT_INPUT, MT_MEMORY: as ipu_graph_add_copy. */
MT_NODISCARD mt_status ipu_program_copy(
    ipu_graph *graph, const char *name, ipu_tensor from, ipu_tensor to, const ipu_program **program);

/* Checks that every compute set, stream and tensor of the tree belongs to the graph, that types agree, that a predicate is
 * one element, and that no constant is written. MT_INPUT: one of these does not hold. */
MT_NODISCARD mt_status ipu_program_check(const ipu_program *program, const ipu_graph *graph);
