#include "ipu/compile/assembly.h"

#include <stdlib.h>

#include "data/core/order.h"
#include "ipu/machine/integer.h"

enum {
    BUFFER_ALIGNMENT = 8,
    LEAST_ROWS = 4 /* of a strided copy */
};

uint64_t ipu_copies_cycles(const ipu_target *target, const ipu_copying *c)
{
    if (c->ranges + c->rows == 0) return 0;
    return target->copy_call_cycles + target->copy_range_cycles * c->ranges +
           target->copy_row_cycles * c->rows + ipu_divide_up(c->bytes, target->local_copy_bytes_per_cycle);
}

/* Words [from, to) of a tile's memory. */
typedef struct stretch {
    uint32_t tile;
    size_t from, to;
} stretch;

/* The words that an input takes from one other tile: ranges [first, first + n) of its stretches, `words` in total. */
typedef struct group {
    size_t first, n, words;
    bool gathered;
} group;

/* A range that a tile copies to one of its inputs. */
typedef struct piece {
    uint32_t source_tile;
    bool row; /* True if it belongs to a strided copy */
    size_t source, destination, bytes;
} piece;

typedef struct assembling {
    const ipu_executable *executable;
    const ipu_target *target;
    size_t word;
    size_t beyond;      /* the first word after all tiles' memory; buffer words are numbered from here on */
    stretch *stretches; /* of the current input, from other tiles: by (tile, from), merged if adjacent */
    group *groups;      /* of the current input, by tile */
    size_t n_groups;
    piece *pieces; /* of the current tile, copied after the exchange */
    size_t n_pieces;
    ipu_assembly *out;
} assembling;

size_t ipu_words_of(const ipu_target *target, size_t from, size_t bytes)
{
    const size_t word = target->exchange_bytes_per_cycle;
    return ipu_divide_up(from + bytes, word) - from / word;
}

MT_ORDER(by_place, stretch, tile, from, to)

/* True if the copy takes fewer bytes than the code that it saves. */
static bool worth_gathering(const assembling *a, const group *g)
{
    return g->words * a->word < 2 * (g->n - 1) * a->target->memory.exchange_code_bytes;
}

/* ---- strided copies ---- */

MT_ORDER(by_destination, piece, row, source_tile, destination, source)
MT_ORDER(by_origin, piece, row, source_tile, source, destination)

/* True if a piece continues the strided copy of the two before it. */
static bool continues(const piece *p)
{
    return p->source_tile == p[-1].source_tile && p->bytes == p[-1].bytes &&
           p->source - p[-1].source == p[-1].source - p[-2].source &&
           p->destination - p[-1].destination == p[-1].destination - p[-2].destination;
}

static bool alike(const piece *a, const piece *b)
{
    return a->source_tile == b->source_tile && a->bytes == b->bytes;
}

/* Marks the rows among n pieces in this order, and counts them and their copies. */
static void mark_rows(piece *p, size_t n, ipu_copying *c)
{
    for (size_t i = 0, end; i < n; i = end) {
        end = i + 1;
        if (end < n && alike(&p[i], &p[end]))
            for (end++; end < n && continues(&p[end]);) end++;
        if (end - i < LEAST_ROWS) {
            end = i + 1;
            continue;
        }
        for (size_t k = i; k < end; k++) p[k].row = true;
        c->rows += end - i;
        c->strided++;
    }
}

/* Returns the copies of n pieces, reordering them. */
static ipu_copying copies_of(piece *p, size_t n)
{
    ipu_copying c = {0};
    for (size_t i = 0; i < n; i++) c.bytes += p[i].bytes;
    if (n > 1) qsort(p, n, sizeof *p, by_destination);
    mark_rows(p, n, &c);
    if (n > 1) qsort(p, n, sizeof *p, by_origin); /* rows are last */
    mark_rows(p, n - c.rows, &c);
    c.ranges = n - c.rows;
    return c;
}

/* ---- sources ---- */

/* Finds the words that the input takes from each other tile. */
static void find_groups(assembling *a, uint32_t tile, const ipu_input *input)
{
    size_t n = 0, joined = 0;
    for (size_t i = input->first_message; i < input->first_message + input->n_messages; i++) {
        const ipu_message *m = &a->executable->messages[i];
        if (m->source_tile == tile) continue;
        const size_t from = m->source / a->word;
        a->stretches[n++] =
            (stretch){m->source_tile, from, from + ipu_words_of(a->target, m->source, m->bytes)};
    }
    if (n > 1) qsort(a->stretches, n, sizeof *a->stretches, by_place);
    a->n_groups = 0;
    for (size_t i = 0; i < n; i++) {
        const stretch s = a->stretches[i];
        stretch *last = joined > 0 ? &a->stretches[joined - 1] : NULL;
        const bool same_tile = last && last->tile == s.tile;
        if (same_tile && s.from <= last->to) {
            last->to = ipu_larger(last->to, s.to);
            continue;
        }
        if (!same_tile) a->groups[a->n_groups++] = (group){.first = joined};
        a->stretches[joined++] = s;
        a->groups[a->n_groups - 1].n++;
    }
    for (size_t g = 0; g < a->n_groups; g++) {
        for (size_t i = 0; i < a->groups[g].n; i++) {
            const stretch *s = &a->stretches[a->groups[g].first + i];
            a->groups[g].words += s->to - s->from;
        }
        a->groups[g].gathered = worth_gathering(a, &a->groups[g]);
    }
}

/* ---- the two methods ---- */

static ipu_copying own_copies(const assembling *a, uint32_t tile, const ipu_input *input)
{
    ipu_copying c = {0};
    for (size_t i = input->first_message; i < input->first_message + input->n_messages; i++) {
        if (a->executable->messages[i].source_tile != tile) continue;
        c.ranges++;
        c.bytes += a->executable->messages[i].bytes;
    }
    return c;
}

static ipu_copying all_copies(const ipu_input *input)
{
    return (ipu_copying){.ranges = input->n_messages + (input->tail_at > 0), .bytes = input->bytes};
}

/* Returns the copies of a gather. Its pieces use the room after those of the receiver. */
static ipu_copying gathering(const assembling *a, const group *g)
{
    piece *p = a->pieces + a->n_pieces;
    size_t to = 0;
    for (size_t i = 0; i < g->n; i++) {
        const stretch *s = &a->stretches[g->first + i];
        p[i] = (piece){s->tile, false, s->from * a->word, to, (s->to - s->from) * a->word};
        to += p[i].bytes;
    }
    return copies_of(p, g->n);
}

static bool fewer_cycles_by_copies(const assembling *a, uint32_t tile, const ipu_input *input)
{
    const ipu_copying own = own_copies(a, tile, input), all = all_copies(input);
    uint64_t copying = 0, direct = 0, gather = 0;
    for (size_t k = 0; k < a->n_groups; k++) {
        const group *g = &a->groups[k];
        const ipu_copying one = {.ranges = g->n, .bytes = g->words * a->word};
        if (g->gathered) {
            copying += ipu_target_turn(a->target, g->words);
            gather = ipu_larger(gather, ipu_copies_cycles(a->target, &one));
        }
        for (size_t i = 0; i < g->n && !g->gathered; i++) {
            const stretch *s = &a->stretches[g->first + i];
            copying += ipu_target_turn(a->target, s->to - s->from);
        }
    }
    for (size_t i = input->first_message; i < input->first_message + input->n_messages; i++) {
        const ipu_message *m = &a->executable->messages[i];
        if (m->source_tile != tile)
            direct += ipu_target_turn(a->target, ipu_words_of(a->target, m->source, m->bytes));
    }
    return copying + ipu_copies_cycles(a->target, &all) + gather <
           direct + ipu_copies_cycles(a->target, &own);
}

static void add_fragment(assembling *a, ipu_fragment fragment)
{
    a->out->fragments[a->out->n_fragments++] = fragment;
}

static void add_copies(ipu_copying *to, ipu_copying c)
{
    to->ranges += c.ranges;
    to->rows += c.rows;
    to->strided += c.strided;
    to->bytes += c.bytes;
}

/* Adds pieces of the current tile: all of an input, or those of the tile itself. */
static void add_pieces(assembling *a, uint32_t tile, const ipu_input *input, bool own)
{
    for (size_t i = input->first_message; i < input->first_message + input->n_messages; i++) {
        const ipu_message *m = &a->executable->messages[i];
        if (own && m->source_tile != tile) continue;
        a->pieces[a->n_pieces++] = (piece){m->source_tile, false, m->source, m->destination, m->bytes};
    }
}

/* Allocates `words` words in a tile's buffers. */
static size_t take_buffer(const assembling *a, uint32_t tile, size_t words)
{
    size_t *used = &a->out->buffer_bytes[tile];
    const size_t at = a->beyond + *used / a->word;
    *used += ipu_round_up(words * a->word, BUFFER_ALIGNMENT);
    return at;
}

static void receive_directly(assembling *a, uint32_t tile, const ipu_input *input)
{
    for (size_t i = input->first_message; i < input->first_message + input->n_messages; i++) {
        const ipu_message *m = &a->executable->messages[i];
        if (m->source_tile == tile) continue;
        add_fragment(a, (ipu_fragment){m->source_tile, tile, m->source / a->word,
                            ipu_words_of(a->target, m->source, m->bytes), m->destination / a->word});
    }
    add_pieces(a, tile, input, true);
}

static void receive_to_copy(assembling *a, uint32_t tile, const ipu_input *input)
{
    for (size_t g = 0; g < a->n_groups; g++) {
        const group *from = &a->groups[g];
        const stretch *s = &a->stretches[from->first];
        if (from->gathered) {
            add_copies(&a->out->before[s->tile], gathering(a, from));
            add_fragment(a, (ipu_fragment){s->tile, tile, take_buffer(a, s->tile, from->words), from->words,
                                take_buffer(a, tile, from->words)});
            continue;
        }
        for (size_t i = 0; i < from->n; i++)
            add_fragment(a, (ipu_fragment){s[i].tile, tile, s[i].from, s[i].to - s[i].from,
                                take_buffer(a, tile, s[i].to - s[i].from)});
    }
    add_pieces(a, tile, input, false);
    if (input->tail_at > 0)
        a->pieces[a->n_pieces++] = (piece){tile, false, input->offset, input->offset, input->tail_at};
}

/* True if a message would transfer, or overwrite, part of a word that belongs to other data. Bytes after the end of a buffer
 * are unused. */
static bool tears_words(const assembling *a, uint32_t tile, const ipu_input *input)
{
    for (size_t i = input->first_message; i < input->first_message + input->n_messages; i++) {
        const ipu_message *m = &a->executable->messages[i];
        const size_t end = m->destination + m->bytes;
        if (m->source_tile == tile) continue;
        if (m->source % a->word != 0 || m->destination % a->word != 0) return true;
        if (end % a->word != 0 && (input->stored || i + 1 < input->first_message + input->n_messages))
            return true;
    }
    return false;
}

/* Returns true if the input is assembled by copies. */
static bool add_input(assembling *a, uint32_t tile, const ipu_input *input)
{
    find_groups(a, tile, input);
    const bool copied = a->target->copies == IPU_COPIES_ALWAYS || tears_words(a, tile, input) ||
                        (a->target->copies == IPU_COPIES_AUTO && fewer_cycles_by_copies(a, tile, input));
    if (copied)
        receive_to_copy(a, tile, input);
    else
        receive_directly(a, tile, input);
    return copied;
}

static mt_status add_inputs(mt_arena *scratch, assembling *a, const ipu_superstep *step)
{
    const size_t n = step->first_input[a->target->tiles];
    size_t most = 0, most_of_tile = 0;
    for (size_t i = step->first_input[0]; i < n; i++)
        most = ipu_larger(most, a->executable->inputs[i].n_messages);
    for (uint32_t t = 0; t < a->target->tiles; t++)
        most_of_tile = ipu_larger(most_of_tile, step->first_message[t + 1] - step->first_message[t] +
                                                    step->first_input[t + 1] - step->first_input[t]);
    MT_ALLOC(scratch, a->stretches, most);
    MT_ALLOC(scratch, a->groups, most);
    MT_ALLOC(scratch, a->pieces, most_of_tile + most);
    for (uint32_t t = 0; t < a->target->tiles; t++) {
        a->n_pieces = 0;
        for (size_t i = step->first_input[t]; i < step->first_input[t + 1]; i++)
            a->out->copied[i - step->first_input[0]] = add_input(a, t, &a->executable->inputs[i]);
        a->out->after[t] = copies_of(a->pieces, a->n_pieces);
    }
    return MT_OK;
}

mt_status ipu_assembly_make(mt_arena *arena, mt_arena *fragments, const ipu_executable *e,
    const ipu_superstep *step, ipu_assembly *assembly)
{
    const ipu_target *target = &e->graph->target;
    const size_t word = target->exchange_bytes_per_cycle;
    MT_SCRATCH(scratch);
    *assembly = (ipu_assembly){0};
    MT_ALLOC(fragments, assembly->fragments, step->first_message[target->tiles] - step->first_message[0]);
    MT_ALLOC(arena, assembly->copied, step->first_input[target->tiles] - step->first_input[0]);
    MT_ALLOC(arena, assembly->before, target->tiles);
    MT_ALLOC(arena, assembly->after, target->tiles);
    MT_ALLOC(arena, assembly->buffer_bytes, target->tiles);
    assembling a = {.executable = e,
        .target = target,
        .word = word,
        .beyond = ipu_round_up(e->tile_offset[target->tiles], BUFFER_ALIGNMENT) / word,
        .out = assembly};
    return add_inputs(scratch, &a, step);
}
