/* What a machine does, as a tree: sequences, repeats, compute sets, transfers from and to the host.
 *
 * Programs are immutable once made and may share parts. A tree never holds itself, by construction. */
#ifndef IPU_PROGRAM_H
#define IPU_PROGRAM_H

#include "ipu/graph.h"

typedef enum ipu_program_kind {
    IPU_SEQUENCE,   /* children in order */
    IPU_REPEAT,     /* the one child, `count` times */
    IPU_EXECUTE,    /* one compute set: sync, exchange, compute */
    IPU_HOST_WRITE, /* stream -> tensor */
    IPU_HOST_READ   /* tensor -> stream */
} ipu_program_kind;

typedef struct ipu_program {
    ipu_program_kind kind;
    const struct ipu_program **children; /* SEQUENCE, REPEAT */
    size_t n_children;
    uint64_t count;       /* REPEAT */
    uint32_t compute_set; /* EXECUTE */
    uint32_t stream;      /* HOST_* */
    ipu_tensor tensor;    /* HOST_* */
} ipu_program;

/* Each gives a program in `arena` and keeps the programs it is made of. MT_FILE: no memory. */
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

/* That every compute set, stream and tensor of the tree is one of the graph's, and types agree (MT_INPUT). */
MT_NODISCARD mt_status ipu_program_check(const ipu_program *program, const ipu_graph *graph);

#endif
