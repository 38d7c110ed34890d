#include "mesh/balance.h"

#include <math.h>
#include <stdbool.h>

#include "mesh/members.h"

#define NONE MT_NO_MEMBER

/* How much a part's own needed counts against the other part's, cells that an attempt may move, and looks for each cell. */
enum { OWN_WEIGHT = 3, STEPS = 64, LOOKS = 16 };

struct work {
    size_t width, most; /* of a row; cells of a part */
    const uint32_t *columns;
    uint32_t n_parts, parts_per_group;
    mt_members of;
    int64_t *needed;  /* [n_parts] */
    uint32_t *locked; /* [n_cells] the last attempt that moved this cell */
    uint32_t *seen;   /* [n_cells] the last search that looked at this cell from outside */
    uint32_t attempt, search;
    int64_t spare;  /* words between groups that moves have saved so far */
    uint64_t looks; /* that may still be taken */
};

/* What giving a cell to another part adds to the needed of the giver and the taker, and to the words between groups. */
struct change {
    int64_t giver, taker, crossing;
};

static const uint32_t *row_of(const struct work *work, uint32_t cell)
{
    return work->columns + work->width * cell;
}

/* ---- one move ---- */

/* Whether `part` reads this cell, which is another's, by a row other than that of cell `but`. */
static bool reads(const struct work *work, uint32_t part, uint32_t cell, uint32_t but)
{
    const uint32_t *row = row_of(work, cell);
    for (size_t k = 0; k < work->width; k++)
        if (row[k] != but && work->of.part[row[k]] == part) return true;
    return false;
}

/* The rows of a cell's readers are its own row, as the pattern is symmetric. Cells stay in their group, so that words
 * between groups change only with what giver and taker need. */
static struct change change_of(const struct work *work, uint32_t cell, uint32_t taker)
{
    const uint32_t giver = work->of.part[cell], group = giver / work->parts_per_group;
    const uint32_t *row = row_of(work, cell);
    struct change change = {reads(work, giver, cell, cell), reads(work, taker, cell, cell) ? -1 : 0, 0};
    for (size_t k = 0; k < work->width; k++) {
        const uint32_t owner = work->of.part[row[k]];
        if (row[k] == cell) continue;
        const bool less = owner != giver && !reads(work, giver, row[k], cell);
        const bool more = owner != taker && !reads(work, taker, row[k], cell);
        change.giver -= less;
        change.taker += more;
        if (owner / work->parts_per_group != group) change.crossing += more - less;
    }
    return change;
}

struct step {
    uint32_t cell, giver, taker;
    struct change change;
    int64_t worth; /* the less the better */
};

static void take(struct work *work, const struct step *step, bool back)
{
    const int64_t sign = back ? -1 : 1;
    work->needed[step->giver] += sign * step->change.giver;
    work->needed[step->taker] += sign * step->change.taker;
    work->spare -= sign * step->change.crossing;
    mt_members_move(&work->of, step->cell, back ? step->giver : step->taker);
}

/* ---- one part ---- */

/* Keeps the step in `best` if it is allowed and better. */
static void consider(
    struct work *work, uint32_t part, uint32_t cell, uint32_t taker, int64_t level, struct step *best)
{
    const uint32_t giver = work->of.part[cell], other = giver == part ? taker : giver;
    if (work->locked[cell] == work->attempt || work->of.size[giver] <= 1 ||
        work->of.size[taker] >= work->most ||
        giver / work->parts_per_group != taker / work->parts_per_group || work->looks == 0)
        return;
    work->looks--;
    const struct change change = change_of(work, cell, taker);
    const int64_t own = giver == part ? change.giver : change.taker,
                  others = change.giver + change.taker - own;
    if (change.crossing > work->spare || (others > 0 && work->needed[other] + others > level)) return;
    const int64_t worth = OWN_WEIGHT * own + others;
    if (best->cell == NONE || worth < best->worth || (worth == best->worth && cell < best->cell))
        *best = (struct step){cell, giver, taker, change, worth};
}

/* Gives the best step of a part, in or out, across its border; false: there is none. */
static bool find_step(struct work *work, uint32_t part, int64_t level, struct step *best)
{
    best->cell = NONE;
    work->search++;
    for (uint32_t c = work->of.first[part]; c != NONE; c = work->of.next[c]) {
        const uint32_t *row = row_of(work, c);
        uint32_t last = part;
        for (size_t k = 0; k < work->width; k++) {
            const uint32_t near = row[k], owner = work->of.part[near];
            if (owner == part) continue;
            if (owner != last) consider(work, part, c, owner, level, best);
            last = owner;
            if (work->seen[near] == work->search) continue;
            work->seen[near] = work->search;
            consider(work, part, near, part, level, best);
        }
    }
    return best->cell != NONE;
}

/* One attempt to bring a part's needed down to the level; the steps that stay, 0: it is where it was. */
static size_t improve(struct work *work, uint32_t part, int64_t level)
{
    struct step step[STEPS];
    size_t n = 0, keep = 0;
    int64_t least = work->needed[part];
    work->attempt++;
    while (n < STEPS && work->needed[part] > level && find_step(work, part, level, &step[n])) {
        take(work, &step[n], false);
        work->locked[step[n].cell] = work->attempt;
        n++;
        if (work->needed[part] >= least) continue;
        least = work->needed[part];
        keep = n;
    }
    while (n > keep) take(work, &step[--n], true);
    return keep;
}

/* ---- all parts ---- */

static void count_needed(struct work *work, size_t n_cells)
{
    for (uint32_t c = 0; c < n_cells; c++) {
        const uint32_t *row = row_of(work, c);
        for (size_t k = 0; k < work->width; k++) {
            const uint32_t reader = work->of.part[row[k]];
            bool first = reader != work->of.part[c];
            for (size_t i = 0; i < k && first; i++) first = work->of.part[row[i]] != reader;
            work->needed[reader] += first;
        }
    }
}

static void sum_up(const struct work *work, size_t *largest, size_t *total)
{
    *largest = *total = 0;
    for (uint32_t p = 0; p < work->n_parts; p++) {
        const size_t needed = (size_t)work->needed[p];
        *total += needed;
        if (needed > *largest) *largest = needed;
    }
}

static size_t lower(struct work *work, size_t largest)
{
    size_t moves = 0;
    bool stuck = false;
    for (int64_t level = (int64_t)largest - 1; level >= 0 && !stuck; level--)
        for (uint32_t p = 0; p < work->n_parts; p++) {
            while (work->needed[p] > level) {
                const size_t steps = improve(work, p, level);
                moves += steps;
                if (steps == 0) break;
            }
            stuck = stuck || work->needed[p] > level;
        }
    return moves;
}

static mt_status balance_parts(
    mt_arena *scratch, struct work *work, mt_partition *partition, mt_balance *balance)
{
    const size_t n = partition->n_cells;
    MT_TAKE(scratch, work->needed, work->n_parts);
    MT_TAKE(scratch, work->locked, n);
    MT_TAKE(scratch, work->seen, n);
    MT_TRY(mt_members_make(scratch, n, work->n_parts, partition->part, &work->of));
    for (uint32_t p = 0; p < work->n_parts; p++)
        if (work->of.size[p] > work->most) work->most = work->of.size[p];
    count_needed(work, n);
    sum_up(work, &balance->largest_before, &balance->total_before);
    balance->moves = lower(work, balance->largest_before);
    sum_up(work, &balance->largest_after, &balance->total_after);
    return MT_OK;
}

/* ---- what is handed in ---- */

static size_t times(const uint32_t *row, size_t width, uint32_t cell)
{
    size_t n = 0;
    for (size_t k = 0; k < width; k++) n += row[k] == cell;
    return n;
}

static mt_status check_rows(size_t n_cells, size_t width, const uint32_t *columns)
{
    for (size_t k = 0; k < n_cells * width; k++)
        if (columns[k] >= n_cells)
            return mt_fail(MT_INPUT, "balance: row %zu reads cell %u; there are %zu cells", k / width,
                columns[k], n_cells);
    for (size_t c = 0; c < n_cells; c++)
        for (size_t k = 0; k < width; k++) {
            const uint32_t near = columns[c * width + k];
            if (near == c) continue;
            const size_t here = times(columns + c * width, width, near);
            const size_t there = times(columns + near * width, width, (uint32_t)c);
            if (here != 1 || there != 1)
                return mt_fail(MT_INPUT,
                    "balance: row %zu has cell %u %zu times and row %u has cell %zu %zu times; it must be "
                    "once "
                    "and once",
                    c, near, here, near, c, there);
        }
    return MT_OK;
}

mt_status mt_balance_halo(size_t n_cells, size_t width, const uint32_t *columns, double imbalance,
    mt_partition *partition, mt_balance *balance)
{
    if (partition->n_cells != n_cells || n_cells >= NONE)
        return mt_fail(MT_INPUT,
            "balance: a pattern of %zu cells and a partition of %zu; they must be the same and below %u",
            n_cells, partition->n_cells, NONE);
    if (!(imbalance > 0 && imbalance <= 2))
        return mt_fail(MT_INPUT, "balance: imbalance %g; above 0, up to 2 is allowed", imbalance);
    MT_TRY(mt_partition_check(partition));
    MT_TRY(check_rows(n_cells, width, columns));
    *balance = (mt_balance){0};
    if (partition->n_parts == 0) return MT_OK;
    struct work work = {.width = width,
        .most = (size_t)ceil(imbalance * (double)n_cells / partition->n_parts),
        .columns = columns,
        .n_parts = partition->n_parts,
        .parts_per_group = partition->parts_per_group,
        .looks = (uint64_t)LOOKS * n_cells};
    mt_arena scratch = {0};
    const mt_status status = balance_parts(&scratch, &work, partition, balance);
    mt_arena_free(&scratch);
    return status;
}
