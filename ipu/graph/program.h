/* The control program of a machine, as a tree: sequences, repeats, conditions, compute sets, copies, and transfers from and to
 * the host.
 *
 * A *predicate* is a control value on the machine: one IPU_UNSIGNED_INT element. It is true if it is not 0; of a switch it is
 * the number of the program to run. Every tile needs its value, so it is first sent to all tiles (ipu/cost/control.h has the
 * cost).
 *
 * Programs are immutable and may share parts; a shared part takes compile time at every place where it occurs. By construction
 * no tree contains itself. */
#pragma once

#include "ipu/graph/graph.h"

typedef enum ipu_program_kind {
    IPU_SEQUENCE,   /* children in order */
    IPU_REPEAT,     /* the one child, `count` times */
    IPU_EXECUTE,    /* one compute set: sync, exchange, compute */
    IPU_HOST_WRITE, /* stream to tensor */
    IPU_HOST_READ,  /* tensor to stream */
    IPU_IF,         /* the first child if the predicate is true; otherwise the second, if present */
    IPU_SWITCH,     /* the child with the predicate's number; the last child for all other numbers */
    /* the first child, then the predicate; while it is true: the second child, the first, the predicate */
    IPU_REPEAT_WHILE
} ipu_program_kind;

typedef struct ipu_program {
    ipu_program_kind kind;
    const struct ipu_program **children; /* SEQUENCE, REPEAT, IF, SWITCH, REPEAT_WHILE */
    size_t n_children;
    uint64_t count;       /* REPEAT; REPEAT_WHILE: the limit of turns */
    uint32_t compute_set; /* EXECUTE */
    uint32_t stream;      /* HOST_* */
    ipu_tensor tensor;    /* HOST_*; IF, SWITCH, REPEAT_WHILE: the predicate */
} ipu_program;

/* True if the program itself (not one of its children) tests a predicate, or transfers data from or to the host. */
static inline bool ipu_program_has_predicate(const ipu_program *program)
{
    return program->kind == IPU_IF || program->kind == IPU_SWITCH || program->kind == IPU_REPEAT_WHILE;
}

static inline bool ipu_program_is_transfer(const ipu_program *program)
{
    return program->kind == IPU_HOST_WRITE || program->kind == IPU_HOST_READ;
}

/* All functions below build a program in `arena`, which borrows its parts. They fail with MT_MEMORY. */
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

/* `otherwise`: optional; without it nothing is done if the predicate is false. */
MT_NODISCARD mt_status ipu_program_if(mt_arena *arena, ipu_tensor predicate, const ipu_program *then,
    const ipu_program *otherwise, const ipu_program **program);
/* Runs cases[i] if the predicate is i, and `otherwise` (optional) if it is `n` or more. `n` is at least 1. */
MT_NODISCARD mt_status ipu_program_switch(mt_arena *arena, ipu_tensor predicate,
    const ipu_program *const *cases, size_t n, const ipu_program *otherwise, const ipu_program **program);
/* Runs `condition`; while the predicate is then true, runs `body` and `condition`. Every loop ends: a predicate that is still
 * true after `limit` turns stops the run with MT_NUMERICS. */
MT_NODISCARD mt_status ipu_program_repeat_while(mt_arena *arena, const ipu_program *condition,
    ipu_tensor predicate, const ipu_program *body, uint64_t limit, const ipu_program **program);

/* Adds a compute set with this name that contains only a copy, and builds the program that executes it, in the arena of the
 * graph. Returns the errors of `ipu_graph_add_copy`. */
MT_NODISCARD mt_status ipu_program_copy(
    ipu_graph *graph, const char *name, ipu_tensor from, ipu_tensor to, const ipu_program **program);

/* Checks that all compute sets, streams and tensors of the tree belong to the graph, that types match, that each predicate has
 * one element, and that no constant is written. Fails with MT_INPUT otherwise. */
MT_NODISCARD mt_status ipu_program_check(const ipu_program *program, const ipu_graph *graph);
