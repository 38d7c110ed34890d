#include "mesh/cut/balance.h"

#include <math.h>
#include <stdbool.h>

#include "data/core/pairs.h"
#include "mesh/cut/members.h"

#define NONE MT_NO_MEMBER

/* Weight of a part's own burden relative to others; limits of moves per attempt, evaluated moves per element, and row width. */
enum { OWN_WEIGHT = 3, STEPS = 64, LOOKS = 16, WIDTH = MT_BALANCE_WIDTH };

struct work {
    const mt_pattern *pattern;
    const uint32_t *cost; /* [n_elements] weights of the elements; NULL: all are 1 */
    uint64_t most;        /* largest sum of weights of a part */
    uint64_t *load;       /* [n_parts] sums of weights */
    size_t most_elements; /* largest number of elements of a part */
    uint32_t n_parts, parts_per_group;
    mt_members of;
    int64_t *burden; /* [n_parts] in the chosen measure */
    /* [n_parts] amount that a part adds to the burden of each part that needs its elements; NULL for the measure `needed` */
    int64_t *weight;
    mt_pairs contacts; /* number of elements of one part that another needs; only with weights */
    mt_arena *scratch; /* of `contacts` */
    uint32_t *locked;  /* [n_elements] last attempt that moved this element */
    uint32_t *seen;    /* [n_elements] last search that considered this element for joining the part */
    uint32_t attempt, search;
    int64_t spare;     /* words between groups that moves have saved */
    uint64_t looks;    /* remaining number of moves to evaluate */
    struct step *step; /* [STEPS] moves of an attempt */
};

/* The changes caused by moving an element to another part. */
struct change {
    int64_t crossing; /* change of the words between groups */
    size_t n_parts, n_pairs;
    struct {
        uint32_t part;
        int64_t more;
    } burden[WIDTH + 2]; /* of the giver, the taker, and others */
    struct {
        uint32_t source, reader;
        int32_t more;
    } pair[4 * WIDTH]; /* change of the number of elements of the source that the reader needs */
};

static const uint32_t *row_of(const struct work *work, uint32_t element)
{
    return mt_pattern_row(work->pattern, element, NULL);
}

static size_t length_of(const struct work *work, uint32_t element)
{
    return mt_pattern_length(work->pattern, element);
}

static uint64_t cost_of(const struct work *work, uint32_t element)
{
    return work->cost ? work->cost[element] : 1;
}

/* ---- one move ---- */

/* True if a row of `part`, other than row `but`, reads the element. */
static bool reads(const struct work *work, uint32_t part, uint32_t element, uint32_t but)
{
    const uint32_t *row = row_of(work, element);
    for (size_t k = 0; k < length_of(work, element); k++)
        if (row[k] != but && work->of.part[row[k]] == part) return true;
    return false;
}

static void add_burden(struct change *change, uint32_t part, int64_t more)
{
    size_t k = 0;
    while (k < change->n_parts && change->burden[k].part != part) k++;
    if (k == change->n_parts) {
        change->burden[change->n_parts].part = part;
        change->burden[change->n_parts++].more = 0;
    }
    change->burden[k].more += more;
}

static void add_pair(struct change *change, uint32_t source, uint32_t reader, int32_t more)
{
    size_t k = 0;
    while (k < change->n_pairs && (change->pair[k].source != source || change->pair[k].reader != reader)) k++;
    if (k == change->n_pairs) {
        change->pair[change->n_pairs].source = source;
        change->pair[change->n_pairs].reader = reader;
        change->pair[change->n_pairs++].more = 0;
    }
    change->pair[k].more += more;
}

/* Updates the pairs for the new owner, which sends the element once to each part that reads it. */
static void change_source(
    const struct work *work, uint32_t element, uint32_t giver, uint32_t taker, struct change *change)
{
    const uint32_t *row = row_of(work, element);
    const size_t length = length_of(work, element);
    for (size_t k = 0; k < length; k++) {
        const uint32_t reader = work->of.part[row[k]];
        bool first = row[k] != element;
        for (size_t i = 0; i < k && first; i++) first = row[i] == element || work->of.part[row[i]] != reader;
        if (first && reader != giver) add_pair(change, giver, reader, -1);
        if (first && reader != taker) add_pair(change, taker, reader, 1);
    }
}

/* Updates the burdens for pairs of parts that gain or lose contact. */
static void weigh_pairs(const struct work *work, struct change *change)
{
    for (size_t k = 0; k < change->n_pairs; k++) {
        const uint32_t source = change->pair[k].source, reader = change->pair[k].reader;
        if (change->pair[k].more == 0) continue;
        const int64_t before = mt_pairs_value(&work->contacts, source, reader);
        const int64_t after = before + change->pair[k].more;
        if ((before > 0) != (after > 0))
            add_burden(change, reader, after > 0 ? work->weight[source] : -work->weight[source]);
    }
}

/* Computes the changes of a move. As the pattern is symmetric, an element's readers are the elements of its own row. As elements stay in
 * their group, the words between groups change only by the needs of giver and taker. */
static void find_change(const struct work *work, uint32_t element, uint32_t taker, struct change *change)
{
    const uint32_t giver = work->of.part[element], group = giver / work->parts_per_group;
    const uint32_t *row = row_of(work, element);
    const size_t length = length_of(work, element);
    change->crossing = 0;
    change->n_parts = change->n_pairs = 0;
    add_burden(change, giver, reads(work, giver, element, element));
    add_burden(change, taker, reads(work, taker, element, element) ? -1 : 0);
    for (size_t k = 0; k < length; k++) {
        const uint32_t owner = work->of.part[row[k]];
        if (row[k] == element) continue;
        const bool less = owner != giver && !reads(work, giver, row[k], element);
        const bool more = owner != taker && !reads(work, taker, row[k], element);
        change->burden[0].more -= less;
        change->burden[1].more += more;
        if (less && work->weight) add_pair(change, owner, giver, -1);
        if (more && work->weight) add_pair(change, owner, taker, 1);
        if (owner / work->parts_per_group != group) change->crossing += more - less;
    }
    if (!work->weight) return;
    change_source(work, element, giver, taker, change);
    weigh_pairs(work, change);
}

struct step {
    uint32_t element, giver, taker;
    int64_t worth; /* change of the weighted burden; lower is better */
    struct change change;
};

/* Adds `more`, of either sign, to a count, which never becomes negative. */
static mt_status add_contacts(struct work *work, uint32_t source, uint32_t reader, int32_t more)
{
    uint32_t *count;
    MT_TRY(mt_pairs_at(work->scratch, &work->contacts, source, reader, &count));
    *count += (uint32_t)more;
    return MT_OK;
}

static mt_status take(struct work *work, const struct step *step, bool back)
{
    const struct change *change = &step->change;
    const int32_t sign = back ? -1 : 1;
    for (size_t k = 0; k < change->n_pairs; k++)
        MT_TRY(
            add_contacts(work, change->pair[k].source, change->pair[k].reader, sign * change->pair[k].more));
    for (size_t k = 0; k < change->n_parts; k++)
        work->burden[change->burden[k].part] += sign * change->burden[k].more;
    work->spare -= sign * change->crossing;
    work->load[back ? step->taker : step->giver] -= cost_of(work, step->element);
    work->load[back ? step->giver : step->taker] += cost_of(work, step->element);
    mt_members_move(&work->of, step->element, back ? step->giver : step->taker);
    return MT_OK;
}

/* ---- one part ---- */

/* Computes the worth of a change for a part; returns true if the change is allowed. */
static bool judge(
    const struct work *work, uint32_t part, const struct change *change, int64_t level, int64_t *worth)
{
    *worth = 0;
    for (size_t k = 0; k < change->n_parts; k++) {
        const uint32_t other = change->burden[k].part;
        const int64_t more = change->burden[k].more;
        if (other != part && more > 0 && work->burden[other] + more > level) return false;
        *worth += other == part ? OWN_WEIGHT * more : more;
    }
    return change->crossing <= work->spare;
}

/* Stores the move in `best` if it is allowed and better. */
static void consider(
    struct work *work, uint32_t part, uint32_t element, uint32_t taker, int64_t level, struct step *best)
{
    struct step step; /* large, therefore not zeroed */
    step.element = element;
    step.giver = work->of.part[element];
    step.taker = taker;
    if (work->locked[element] == work->attempt || work->of.size[step.giver] <= 1 ||
        work->load[taker] + cost_of(work, element) > work->most ||
        work->of.size[taker] >= work->most_elements || length_of(work, element) > WIDTH ||
        step.giver / work->parts_per_group != taker / work->parts_per_group || work->looks == 0)
        return;
    work->looks--;
    find_change(work, element, taker, &step.change);
    if (!judge(work, part, &step.change, level, &step.worth)) return;
    if (best->element == NONE || step.worth < best->worth ||
        (step.worth == best->worth && element < best->element))
        *best = step;
}

/* Finds the best move across the border of a part, in either direction; false if there is no move. */
static bool find_step(struct work *work, uint32_t part, int64_t level, struct step *best)
{
    best->element = NONE;
    work->search++;
    for (uint32_t c = work->of.first[part]; c != NONE; c = work->of.next[c]) {
        const uint32_t *row = row_of(work, c);
        const size_t length = length_of(work, c);
        uint32_t last = part;
        for (size_t k = 0; k < length; k++) {
            const uint32_t near = row[k], owner = work->of.part[near];
            if (owner == part) continue;
            if (owner != last) consider(work, part, c, owner, level, best);
            last = owner;
            if (work->seen[near] == work->search) continue;
            work->seen[near] = work->search;
            consider(work, part, near, part, level, best);
        }
    }
    return best->element != NONE;
}

/* Attempts to reduce a part's burden to the level. Returns the number of retained moves in *steps; 0 means no change. */
static mt_status improve(struct work *work, uint32_t part, int64_t level, size_t *steps)
{
    struct step *step = work->step;
    size_t n = 0, keep = 0;
    int64_t least = work->burden[part];
    work->attempt++;
    while (n < STEPS && work->burden[part] > level && find_step(work, part, level, &step[n])) {
        MT_TRY(take(work, &step[n], false));
        work->locked[step[n].element] = work->attempt;
        n++;
        if (work->burden[part] >= least) continue;
        least = work->burden[part];
        keep = n;
    }
    while (n > keep) MT_TRY(take(work, &step[--n], true));
    *steps = keep;
    return MT_OK;
}

/* ---- all parts ---- */

/* Counts the elements that each part needs and, with weights, the contacts and the weight of each part. */
static mt_status count_needed(struct work *work, size_t n_elements)
{
    for (uint32_t c = 0; c < n_elements; c++) {
        const uint32_t *row = row_of(work, c), source = work->of.part[c];
        const size_t length = length_of(work, c);
        uint32_t readers = 0;
        for (size_t k = 0; k < length; k++) {
            const uint32_t reader = work->of.part[row[k]];
            bool first = reader != source;
            for (size_t i = 0; i < k && first; i++) first = work->of.part[row[i]] != reader;
            if (!first) continue;
            work->burden[reader]++;
            readers++;
            if (work->weight) MT_TRY(add_contacts(work, source, reader, 1));
        }
        if (work->weight) work->weight[source] += readers > 1;
    }
    return MT_OK;
}

static void add_weights(struct work *work)
{
    for (size_t k = 0; k < work->contacts.room; k++)
        if (work->contacts.entry[k].value > 0)
            work->burden[work->contacts.entry[k].b] += work->weight[work->contacts.entry[k].a];
}

static void sum_up(const struct work *work, size_t *largest, size_t *total)
{
    *largest = *total = 0;
    for (uint32_t p = 0; p < work->n_parts; p++) {
        const size_t burden = (size_t)work->burden[p];
        *total += burden;
        if (burden > *largest) *largest = burden;
    }
}

static mt_status lower(struct work *work, size_t largest, size_t *moves)
{
    bool stuck = false;
    for (int64_t level = (int64_t)largest - 1; level >= 0 && !stuck; level--)
        for (uint32_t p = 0; p < work->n_parts; p++) {
            size_t steps = 1;
            while (work->burden[p] > level && steps > 0) {
                MT_TRY(improve(work, p, level, &steps));
                *moves += steps;
            }
            stuck = stuck || work->burden[p] > level;
        }
    return MT_OK;
}

/* Returns the largest number of elements of a part, rounded up to a multiple of those that are processed together; SIZE_MAX if none are. */
static size_t most_elements(const mt_members *of, uint32_t n_parts, uint32_t together)
{
    size_t most = 0;
    if (together < 2) return SIZE_MAX;
    for (uint32_t p = 0; p < n_parts; p++) most = of->size[p] > most ? of->size[p] : most;
    return (most + together - 1) / together * together;
}

static mt_status balance_parts(struct work *work, double imbalance, mt_balance_measure measure,
    mt_partition *partition, mt_balance *balance)
{
    const size_t n = partition->n_elements;
    MT_ALLOC(work->scratch, work->burden, work->n_parts);
    MT_ALLOC(work->scratch, work->locked, n);
    MT_ALLOC(work->scratch, work->seen, n);
    MT_ALLOC(work->scratch, work->step, STEPS);
    if (measure == MT_BALANCE_MIXED) MT_ALLOC(work->scratch, work->weight, work->n_parts);
    MT_TRY(mt_members_make(work->scratch, n, work->n_parts, partition->part, &work->of));
    MT_ALLOC(work->scratch, work->load, work->n_parts);
    work->cost = partition->weight;
    uint64_t total = 0;
    for (uint32_t c = 0; c < n; c++)
        work->load[partition->part[c]] += cost_of(work, c), total += cost_of(work, c);
    work->most_elements = most_elements(&work->of, work->n_parts, partition->together);
    work->most = (uint64_t)ceil(imbalance * (double)total / work->n_parts);
    for (uint32_t p = 0; p < work->n_parts; p++)
        if (work->load[p] > work->most) work->most = work->load[p];
    MT_TRY(count_needed(work, n));
    if (work->weight) add_weights(work);
    sum_up(work, &balance->largest_before, &balance->total_before);
    MT_TRY(lower(work, balance->largest_before, &balance->moves));
    sum_up(work, &balance->largest_after, &balance->total_after);
    return MT_OK;
}

/* ---- input ---- */

static size_t times(const mt_pattern *pattern, size_t row, uint32_t element)
{
    const uint32_t *column = mt_pattern_row(pattern, row, NULL);
    size_t n = 0;
    for (size_t k = 0; k < mt_pattern_length(pattern, row); k++) n += column[k] == element;
    return n;
}

/* Checks the columns of a row, which are elements, against those of their rows. */
static mt_status check_row(const mt_pattern *pattern, size_t c)
{
    const uint32_t *row = mt_pattern_row(pattern, c, NULL);
    for (size_t k = 0; k < mt_pattern_length(pattern, c); k++) {
        const uint32_t near = row[k];
        if (near == c) continue;
        const size_t here = times(pattern, c, near), there = times(pattern, near, (uint32_t)c);
        if (here != 1 || there != 1)
            return mt_fail(MT_INPUT,
                "balance: row %zu has element %u %zu times and row %u has element %zu %zu times; it must "
                "be once and once",
                c, near, here, near, c, there);
    }
    return MT_OK;
}

static mt_status check_rows(const mt_pattern *pattern)
{
    for (size_t c = 0; c < pattern->n_elements; c++) {
        const uint32_t *row = mt_pattern_row(pattern, c, NULL);
        for (size_t k = 0; k < mt_pattern_length(pattern, c); k++)
            if (row[k] >= pattern->n_elements)
                return mt_fail(MT_INPUT, "balance: row %zu reads element %u; there are %zu elements", c,
                    row[k], pattern->n_elements);
    }
    for (size_t c = 0; c < pattern->n_elements; c++) MT_TRY(check_row(pattern, c));
    return MT_OK;
}

mt_status mt_balance_halo(const mt_pattern *pattern, double imbalance, mt_balance_measure measure,
    mt_partition *partition, mt_balance *balance)
{
    const size_t n_elements = pattern->n_elements;
    if (partition->n_elements != n_elements || n_elements >= NONE)
        return mt_fail(MT_INPUT,
            "balance: a pattern of %zu elements and a partition of %zu; they must be the same and below %u",
            n_elements, partition->n_elements, NONE);
    if (!pattern->start && pattern->width > WIDTH)
        return mt_fail(
            MT_INPUT, "balance: rows of %zu elements; at most %d are allowed", pattern->width, WIDTH);
    if (!(imbalance > 0 && imbalance <= 2))
        return mt_fail(MT_INPUT, "balance: imbalance %g; above 0, up to 2 is allowed", imbalance);
    MT_TRY(mt_partition_check(partition));
    MT_TRY(check_rows(pattern));
    *balance = (mt_balance){0};
    if (partition->n_parts == 0) return MT_OK;
    MT_SCRATCH(scratch);
    struct work work = {.pattern = pattern,
        .n_parts = partition->n_parts,
        .parts_per_group = partition->parts_per_group,
        .scratch = scratch,
        .looks = (uint64_t)LOOKS * n_elements};
    return balance_parts(&work, imbalance, measure, partition, balance);
}
