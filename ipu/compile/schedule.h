/* When every word of an exchange phase leaves its tile and arrives: a schedule that could run.
 *
 * What is asked for: *fragments*. A fragment is a stretch of words that lie side by side in the memory of one tile,
 * its source, and that one other tile, its receiver, takes in their order to one place. Words are of
 * exchange_bytes_per_cycle, and are numbered in the memory of their tile.
 *
 * The machine. In one cycle a tile sends at most one word and takes at most one. Each tile counts its own cycles, 0 is
 * the first after the synchronisation has let it go. A word that leaves in the sender's cycle t is there in the
 * receiver's cycle t + latency(sender, receiver) (ipu/machine/route.h); any number of tiles may take the same word as it
 * passes, each at its own time. So a run of words leaves once for all whose windows overlap in it, and each listens
 * to its own part of it. Before the first word of a fragment its receiver spends exchange_fragment_cycles on its
 * set-up and takes nothing; the words of a fragment then come without a pause, and none of another fragment among
 * them. Sending needs no set-up: a tile may send from cycle 0 on.
 *
 * How long. A single transfer of N words to a tile in row `row` is measured to take 170 + 2 row + N cycles, whoever
 * sends them (data/machines/c600.yaml). Here
 *
 *     first set-up begins   in cycle exchange_fixed_cycles + exchange_row_cycles * row(receiver)
 *     last word is there at   exchange_fixed_cycles + exchange_row_cycles * row + exchange_fragment_cycles + N
 *
 * with 10 + 160 = 170: the set-up of the first fragment is a part of the measured 170, every further one is paid in
 * full, and exchange_fixed_cycles is only what remains of the 170. Nothing is counted twice. The sender lets the words
 * leave so much earlier as they are under way, which is possible for every pair: the longest way is 164 cycles. So
 * positions cost nothing in a single transfer, and delay one where the receiver is ready sooner than words can come (a
 * machine with a short set-up), or where one sender has several receivers: what leaves for one after the other
 * arrives with gaps or late by the difference of their ways, and those who share a run wait for each other.
 *
 * Paired (exchange_paired; off in all machine files). The two tiles of a pair join their 32-bit paths: a sender borrows
 * its partner's way out, and both tiles of a receiving pair take the same two words each cycle. So two fragments may
 * be paired that have the same source and window and go to the two tiles of a pair, all on one chip, where window and
 * places begin and end at even words, and that have 128 words or more (64 items; the source is that of ipu/machine/route.h). The
 * partner of the sender sends nothing meanwhile, but may take words. Any number of pairs may share a run; a tile that
 * takes single words cannot.
 *
 * Bound, below which no schedule can be, in each tile's cycles: fixed + its rows + its words in + set-up of its
 * fragments; and the cycle in which the first of its words may leave + its words out, each word once. For the phase
 * also the latter with the shortest way from there. Words that may be paired count half.
 *
 * Method: list scheduling in the order of time. The tile that is first ready for a new fragment (of equals the one
 * with most left to take) begins one whose words can be there then; if there is none, the one whose words can be there
 * first. Senders with most to send come first. Other tiles that want overlapping words of the sender take them from
 * the same run, where they can wait for it: each spends a share of the cycles by which it stays below the bound, or,
 * for its last fragment, all of them; and more, where it would only wait for the end of the run. For the others the
 * words are sent again, because it is rarely sending that limits.
 *
 * Where the bound is not reached so, all is planned again, and who waits may exceed it by as much as the longest and
 * the shortest way differ. Where paired, both are tried with every pair of fragments found (of equal ones the first),
 * then with none. The shortest of these is taken. The same fragments give the same schedule always. Time grows with
 * fragments x tiles that share a run. */
#ifndef IPU_COMPILE_SCHEDULE_H
#define IPU_COMPILE_SCHEDULE_H

#include "data/arena.h"
#include "ipu/machine/route.h"

enum {
    IPU_PAIRED_WORDS = 2,  /* a cycle */
    IPU_PAIRED_LEAST = 128 /* of a fragment */
};

typedef struct ipu_fragment {
    uint32_t source, receiver; /* tiles, different ones */
    size_t from, words;        /* in the source's memory; at least one word */
    size_t to;                 /* in the receiver's memory; only whether it is even matters */
} ipu_fragment;

/* A run of words that leaves a tile from `cycle` on, one a cycle; two where paired. */
typedef struct ipu_send {
    uint32_t tile;
    size_t from, words;
    uint64_t cycle;
    bool paired;
} ipu_send;

/* A fragment's first word is there in `cycle`, the others in the cycles after it. */
typedef struct ipu_arrival {
    size_t fragment;
    uint64_t cycle;
    bool paired;
} ipu_arrival;

typedef struct ipu_schedule {
    ipu_send *sends; /* by (tile, cycle) */
    size_t n_sends;
    ipu_arrival *arrivals; /* one a fragment, in their order */
    size_t n_arrivals;
    uint64_t *tile_cycles;  /* [tiles]: the tile's last word has left or is there; 0 where there is none */
    uint64_t *tile_bound;   /* [tiles]: no schedule has it sooner */
    uint64_t cycles, bound; /* of all tiles the most, bound of the phase; 0 for an empty phase */
    uint64_t words_sent;    /* a word that leaves twice counts twice */
} ipu_schedule;

/* The cycle in which a tile begins the set-up of its first fragment. */
uint64_t ipu_exchange_begin(const ipu_target *target, size_t receiver);

/* That a fragment may be one of a pair: what stands above, but for its partner. */
bool ipu_fragment_may_pair(const ipu_target *target, const ipu_fragment *fragment);

/* Gives a schedule in `arena`. Fragments in any order. Fails with MT_MEMORY. */
MT_NODISCARD mt_status ipu_schedule_make(mt_arena *arena, const ipu_target *target,
    const ipu_fragment *fragments, size_t n_fragments, ipu_schedule *schedule);

/* Replays a schedule word by word: that no tile sends or takes two words in a cycle, nor sends while its partner sends
 * paired, that every set-up has its time, that a fragment's words are those on the wire when they arrive, that what is
 * paired may be, and both tiles take it, and that each fragment arrives once. Fails with
 * MT_INPUT: the message names tile and cycle; MT_FILE. Slow; for tests and for checked runs. */
MT_NODISCARD mt_status ipu_schedule_check(const ipu_target *target, const ipu_fragment *fragments,
    size_t n_fragments, const ipu_schedule *schedule);

#endif
