/* Costs of the codelets of a conduction system. Their results are compared with those of the host by the runs of network_machine. */
#include <criterion/criterion.h>

#include <math.h>

#include "solver/conduction/junctions.h"
#include "solver/plan/codelets.h"
#include "solver/plan/network_codelets.h"

static ipu_target machine(void)
{
    return (ipu_target){.worker_contexts = 6, .vertex_entry_cycles = 40, .instructions = {0}};
}

static double cycles_of(const ipu_target *target, const char *name, size_t n)
{
    const ipu_mix *mix = mt_codelet_mix(name);
    return (double)mix->start + (double)n * ipu_mix_cycles(mix, &target->instructions);
}

/* Of chains of 17 points, one worker computes each. */
Test(network_codelets, a_chain_costs_as_much_as_its_points_on_one_worker)
{
    static const struct {
        mt_network_part part;
        const char *mix;
        size_t field;
    } list[] = {{MT_NETWORK_FORWARD, "network_forward", 6}, {MT_NETWORK_BACKWARD, "network_backward", 5}};
    const ipu_target target = machine();
    for (size_t k = 0; k < 2; k++) {
        const ipu_codelet codelet = mt_codelet_network(list[k].part);
        size_t n[2 * IPU_MAX_FIELDS] = {0};
        n[list[k].field] = 17;
        const ipu_cycles cost = codelet.cost(&target, n, NULL);
        cr_expect_eq(codelet.kind, IPU_SINGLE_WORKER);
        cr_expect_str_eq(codelet.fields[list[k].field].name, "b");
        cr_expect_eq(cost.entry, 40);
        cr_expect_eq(cost.worker, (uint64_t)ceil(cycles_of(&target, list[k].mix, 17)));
        cr_expect_eq(cost.idle, 0);
    }
}

/* One worker takes a junction of 47 voltages, and six workers the shares of one of 600, whose cost is nearly a sixth. A worker of four has
 * two shares. */
Test(network_codelets, the_workers_divide_the_voltages_of_a_junction)
{
    ipu_target target = machine();
    size_t n[2 * IPU_MAX_FIELDS] = {0};
    const ipu_codelet one = mt_codelet_network(MT_NETWORK_JUNCTION),
                      shared = mt_codelet_network(MT_NETWORK_SHARED);
    const double sums = 2 * cycles_of(&target, "network_hub_end", 6),
                 share = cycles_of(&target, "network_junction", 100);
    cr_expect_str_eq(shared.fields[2].name, "tissue");
    cr_expect_eq(one.kind, IPU_SINGLE_WORKER);
    cr_expect_eq(shared.kind, IPU_MULTI_WORKER);
    n[2] = 600;
    const ipu_cycles alone = one.cost(&target, n, NULL);
    ipu_cycles cost = shared.cost(&target, n, NULL);
    cr_expect_eq(cost.worker, (uint64_t)ceil(share + sums));
    cr_expect_eq(cost.idle, 6 * cost.worker - (uint64_t)ceil(6 * share + sums));
    cr_expect_lt((double)cost.worker, (double)alone.worker / 5);
    target.worker_contexts = 4;
    cost = shared.cost(&target, n, NULL);
    cr_expect_eq(cost.worker, (uint64_t)ceil(2 * share + sums));
}

/* The shares of a junction are nearly equal, and complete. */
Test(network_codelets, shares_depend_on_the_number_of_voltages_alone)
{
    for (size_t n = 0; n < 300; n++) {
        const size_t shares = mt_junction_shares(n);
        cr_assert_eq(shares, n < 48 ? 1 : 6);
        cr_assert_eq(mt_junction_share(n, 0), 0);
        cr_assert_eq(mt_junction_share(n, shares), n);
        for (size_t s = 0; s < shares; s++) {
            const size_t length = mt_junction_share(n, s + 1) - mt_junction_share(n, s);
            cr_assert(length == n / shares || length == n / shares + 1);
        }
    }
}

/* Seven hubs of one level, with two ends each, take two turns of six workers; an eighth above them, with seven entries, one turn. */
Test(network_codelets, hubs_of_a_level_share_the_workers_and_levels_follow_each_other)
{
    enum { N = 8 };
    const ipu_target target = machine();
    uint32_t level[N] = {[7] = 1}, ends[N], entries[N] = {[7] = 7};
    for (int k = 0; k < N; k++) ends[k] = 2;
    const mt_network_hubs up = {N, 2, level, ends, entries}, down = {N, 2, level, NULL, entries};
    const double start = (double)mt_codelet_mix("network_hub")->start,
                 hub = cycles_of(&target, "network_hub", 1) - start,
                 none = cycles_of(&target, "network_hub_entry", 0),
                 seven = cycles_of(&target, "network_hub_entry", 7),
                 two = cycles_of(&target, "network_hub_end", 2);
    const size_t n[2 * IPU_MAX_FIELDS] = {0};
    ipu_cycles cost = mt_codelet_network(MT_NETWORK_UP).cost(&target, n, &up);
    cr_expect_eq(cost.entry, 2 * 40);
    cr_expect_eq(cost.worker, (uint64_t)ceil(start + 2 * (hub + none + two) + start + hub + seven + two));
    cr_expect_lt(cost.idle, 6 * cost.worker);
    cost = mt_codelet_network(MT_NETWORK_DOWN).cost(&target, n, &down);
    cr_expect_eq(cost.worker, (uint64_t)ceil(start + 2 * (hub + none) + start + hub + seven));
}

/* What is received is copied by all workers first. */
Test(network_codelets, received_hubs_are_copied)
{
    const ipu_target target = machine();
    uint32_t zero[1] = {0};
    const mt_network_hubs up = {1, 1, zero, zero, zero};
    size_t n[2 * IPU_MAX_FIELDS] = {0};
    const ipu_codelet codelet = mt_codelet_network(MT_NETWORK_UP);
    const uint64_t before = codelet.cost(&target, n, &up).worker;
    cr_expect_str_eq(codelet.fields[5].name, "got");
    n[5] = 60;
    cr_expect_eq(codelet.cost(&target, n, &up).worker,
        before + (uint64_t)ceil(cycles_of(&target, "network_copy", 10)));
}
