#include "data/communicator.h"

#include <stdio.h>

size_t mt_communicator_share(size_t n, uint32_t n_ranks, uint32_t rank) { return n * rank / n_ranks; }

mt_status mt_communicator_agree(const mt_communicator *c, mt_status status)
{
    struct {
        mt_status status;
        char message[1024];
    } failure = {.status = status};
    uint64_t lowest = status == MT_OK ? c->n_ranks : c->rank;
    c->reduce(c, MT_REDUCE_MIN, &lowest, 1);
    if (lowest == c->n_ranks) return MT_OK;
    (void)snprintf(failure.message, sizeof failure.message, "%s", mt_message());
    c->broadcast(c, (uint32_t)lowest, &failure, sizeof failure);
    return mt_fail(failure.status, "%s", failure.message);
}
