#include "ipu/cost/issue.h"

#include <limits.h>
#include <stdbool.h>

#include "data/core/arena.h"

enum { NEVER = INT_MAX, NOTHING = IPU_NO_VALUE };

static const int file_size[2] = {IPU_MAIN_REGISTERS, IPU_FLOAT_REGISTERS};

static bool is_main(ipu_operation operation)
{
    switch (operation) {
    case IPU_OP_LOAD:
    case IPU_OP_STORE:
    case IPU_OP_SELECT:
    case IPU_OP_LOGIC:
    case IPU_OP_INTEGER:
    case IPU_OP_ADDRESS:
    case IPU_OP_LOOP:
    case IPU_OP_SPILL:
    case IPU_OP_RELOAD:
    case IPU_OP_TRANSFER:
        return true;
    default:
        return false;
    }
}

/* True if the instruction reads the value. */
static bool among(const ipu_instruction *i, int value)
{
    for (int k = 0; k < i->n_sources; k++)
        if (i->source[k] == value) return true;
    return false;
}

void ipu_instruction_put(
    ipu_instruction *line, int n, ipu_operation operation, int result, int n_sources, const int *source)
{
    ipu_instruction *i = &line[n];
    *i = (ipu_instruction){.operation = operation, .result = result};
    for (int k = 0; k < n_sources; k++)
        if (source[k] != NOTHING && !among(i, source[k])) i->source[i->n_sources++] = source[k];
}

static int width_of(const ipu_turn *t, int value)
{
    return t->width && t->width[value] > 1 ? t->width[value] : 1;
}

/* The instructions that read each value, in ascending order. */
typedef struct readers {
    int *first; /* [n_values + 1] ranges of `line` */
    int *line;
} readers;

static mt_status find_readers(mt_arena *arena, const ipu_turn *t, const ipu_instruction *line, readers *r)
{
    MT_ALLOC(arena, r->first, (size_t)t->n_values + 2);
    MT_ALLOC(arena, r->line, (size_t)IPU_SOURCES_MAX * (size_t)t->n + 1);
    int *end = r->first + 1; /* of each value's range, while it is filled */
    for (int l = 0; l < t->n; l++)
        for (int k = 0; k < line[l].n_sources; k++) r->first[line[l].source[k] + 2]++;
    for (int v = 2; v <= t->n_values + 1; v++) r->first[v] += r->first[v - 1];
    for (int l = 0; l < t->n; l++)
        for (int k = 0; k < line[l].n_sources; k++) r->line[end[line[l].source[k]]++] = l;
    return MT_OK;
}

/* ---- order (rule 7) ---- */

/* Ready instructions that change the pressure on both register files alike are in one heap, the next one on top. */
enum { CHANGE_LEAST = -2 * IPU_SOURCES_MAX, CHANGES = 2 - CHANGE_LEAST + 1, HEAPS = 2 * CHANGES * CHANGES };

typedef struct heap {
    int *rank, n; /* [n] */
} heap;

typedef struct ordering {
    const ipu_turn *t;
    readers readers;
    int *defined_by; /* [n_values] line, or NOTHING */
    int *depth, *waits, *uses_left;
    int *rank, *line_of; /* of each line: its place by depth; and back */
    int *heap_of;        /* of each ready line; NOTHING: not ready, or taken */
    heap heap[HEAPS];
    bool *done;
    int pressure[2];
} ordering;

static bool ends_loop(const ipu_instruction *i)
{
    return i->operation == IPU_OP_LOOP || i->operation == IPU_OP_ADDRESS;
}

static void change_of_pressure(const ordering *o, const ipu_instruction *i, int change[2])
{
    change[0] = change[1] = 0;
    if (i->result != NOTHING && o->t->file[i->result] != IPU_FILE_NONE)
        change[o->t->file[i->result]] += width_of(o->t, i->result);
    for (int k = 0; k < i->n_sources; k++) {
        const int value = i->source[k];
        if (o->defined_by[value] != NOTHING && o->uses_left[value] == 1 && o->t->file[value] != IPU_FILE_NONE)
            change[o->t->file[value]] -= width_of(o->t, value);
    }
}

static void push(heap *h, int rank)
{
    int at = h->n++;
    for (; at > 0 && h->rank[(at - 1) / 2] > rank; at = (at - 1) / 2) h->rank[at] = h->rank[(at - 1) / 2];
    h->rank[at] = rank;
}

static void pop(heap *h)
{
    const int last = h->rank[--h->n];
    int at = 0;
    for (int child; (child = 2 * at + 1) < h->n; at = child) {
        if (child + 1 < h->n && h->rank[child + 1] < h->rank[child]) child++;
        if (h->rank[child] >= last) break;
        h->rank[at] = h->rank[child];
    }
    h->rank[at] = last;
}

/* Puts a ready instruction into the heap for its change of pressure, unless it is there. */
static mt_status make_ready(mt_arena *scratch, ordering *o, int line)
{
    int change[2];
    change_of_pressure(o, &o->t->line[line], change);
    const int at = ((ends_loop(&o->t->line[line]) ? 1 : 0) * CHANGES + change[0] - CHANGE_LEAST) * CHANGES +
                   change[1] - CHANGE_LEAST;
    heap *h = &o->heap[at];
    if (o->heap_of[line] == at) return MT_OK;
    o->heap_of[line] = at;
    /* each instruction is in a heap once: the change of pressure of a ready instruction only decreases */
    if (!h->rank) MT_ALLOC(scratch, h->rank, (size_t)o->t->n);
    push(h, o->rank[line]);
    return MT_OK;
}

static int overfill(const ordering *o, int at)
{
    const int change[2] = {at / CHANGES % CHANGES + CHANGE_LEAST, at % CHANGES + CHANGE_LEAST};
    int over = 0;
    for (int f = 0; f < 2; f++) {
        const int excess = o->pressure[f] + change[f] - file_size[f];
        if (change[f] > 0 && excess > 0) over += excess;
    }
    return over;
}

/* Returns the rank of the best line on top of half of the heaps, from `first` on, or NOTHING: by overfill, depth, and as in the source. */
static int best_of(ordering *o, int first)
{
    int best = NOTHING, best_over = 0;
    for (int at = first; at < first + HEAPS / 2; at++) {
        heap *h = &o->heap[at];
        while (h->n > 0 && o->heap_of[o->line_of[h->rank[0]]] != at) pop(h);
        if (h->n == 0) continue;
        const int over = overfill(o, at);
        if (best != NOTHING && (over > best_over || (over == best_over && h->rank[0] > best))) continue;
        best = h->rank[0];
        best_over = over;
    }
    return best;
}

/* Returns the line that is issued next, or NOTHING; those that end the loop are last. */
static int next_line(ordering *o)
{
    int best = best_of(o, 0);
    if (best == NOTHING) best = best_of(o, HEAPS / 2);
    return best == NOTHING ? NOTHING : o->line_of[best];
}

/* Takes a line: updates the pressure, and what others wait for. */
static mt_status take(mt_arena *scratch, ordering *o, int line)
{
    const ipu_instruction *i = &o->t->line[line];
    int change[2];
    change_of_pressure(o, i, change);
    for (int f = 0; f < 2; f++) o->pressure[f] += change[f];
    o->done[line] = true;
    o->heap_of[line] = NOTHING;
    for (int k = 0; k < i->n_sources; k++) {
        const int value = i->source[k];
        if (--o->uses_left[value] != 1) continue;
        for (int r = o->readers.first[value]; r < o->readers.first[value + 1]; r++) {
            const int reader = o->readers.line[r];
            if (!o->done[reader] && o->waits[reader] == 0) MT_TRY(make_ready(scratch, o, reader));
        }
    }
    if (i->result == NOTHING) return MT_OK;
    for (int r = o->readers.first[i->result]; r < o->readers.first[i->result + 1]; r++) {
        const int reader = o->readers.line[r];
        if (--o->waits[reader] == 0) MT_TRY(make_ready(scratch, o, reader));
    }
    return MT_OK;
}

/* Finds what each line waits for, its depth of dependences, and the pressure before the loop. */
static mt_status begin_order(mt_arena *scratch, ordering *o)
{
    const ipu_turn *t = o->t;
    bool *held;
    MT_ALLOC(scratch, o->defined_by, (size_t)t->n_values);
    MT_ALLOC(scratch, o->uses_left, (size_t)t->n_values);
    MT_ALLOC(scratch, held, (size_t)t->n_values);
    MT_ALLOC(scratch, o->depth, (size_t)t->n);
    MT_ALLOC(scratch, o->waits, (size_t)t->n);
    MT_ALLOC(scratch, o->heap_of, (size_t)t->n);
    MT_ALLOC(scratch, o->done, (size_t)t->n);
    for (int v = 0; v < t->n_values; v++) o->defined_by[v] = NOTHING;
    for (int l = 0; l < t->n; l++) {
        o->heap_of[l] = NOTHING;
        if (t->line[l].result != NOTHING) o->defined_by[t->line[l].result] = l;
    }
    for (int l = 0; l < t->n; l++)
        for (int k = 0; k < t->line[l].n_sources; k++) {
            const int value = t->line[l].source[k], from = o->defined_by[value];
            o->uses_left[value]++;
            if (from == NOTHING) {
                if (!held[value] && t->file[value] != IPU_FILE_NONE)
                    o->pressure[t->file[value]] += width_of(t, value);
                held[value] = true;
                continue;
            }
            o->waits[l]++;
            if (o->depth[from] + 1 > o->depth[l]) o->depth[l] = o->depth[from] + 1;
        }
    o->pressure[IPU_FILE_FLOAT] = 0; /* loop invariants are reloaded at each use */
    return MT_OK;
}

/* Ranks the lines by depth, ties as in the source. */
static mt_status rank_lines(mt_arena *scratch, ordering *o)
{
    const int n = o->t->n;
    int *begin;
    MT_ALLOC(scratch, begin, (size_t)n + 2);
    MT_ALLOC(scratch, o->rank, (size_t)n);
    MT_ALLOC(scratch, o->line_of, (size_t)n);
    for (int l = 0; l < n; l++) begin[o->depth[l] + 1]++;
    for (int d = 1; d <= n; d++) begin[d] += begin[d - 1];
    for (int l = 0; l < n; l++) {
        o->rank[l] = begin[o->depth[l]]++;
        o->line_of[o->rank[l]] = l;
    }
    return MT_OK;
}

static mt_status put_in_order(mt_arena *scratch, const ipu_turn *t, ipu_instruction *ordered)
{
    ordering o = {.t = t};
    MT_TRY(find_readers(scratch, t, t->line, &o.readers));
    MT_TRY(begin_order(scratch, &o));
    MT_TRY(rank_lines(scratch, &o));
    for (int l = 0; l < t->n; l++)
        if (o.waits[l] == 0) MT_TRY(make_ready(scratch, &o, l));
    for (int n = 0; n < t->n; n++) {
        const int line = next_line(&o);
        if (line == NOTHING) return mt_fail(MT_INPUT, "cyclic dependency between values of the loop");
        ordered[n] = t->line[line];
        MT_TRY(take(scratch, &o, line));
    }
    return MT_OK;
}

/* ---- bundles (rule 9) ---- */

static bool goes_alone(const ipu_instruction *i)
{
    return i->operation == IPU_OP_SPILL || i->operation == IPU_OP_RELOAD;
}

static bool pair(const ipu_instruction *first, const ipu_instruction *second)
{
    if (goes_alone(first) || goes_alone(second) || is_main(first->operation) == is_main(second->operation))
        return false;
    if (first->operation == IPU_OP_SELECT || first->operation == IPU_OP_LOOP) return false;
    return first->result == NOTHING || (!among(second, first->result) && second->result != first->result);
}

/* The last bundle, while it has one instruction. */
typedef struct bundler {
    ipu_mix *mix;
    bool open;
    ipu_instruction last;
} bundler;

static void issue(bundler *b, const ipu_instruction *i)
{
    b->mix->count[i->operation]++;
    if (b->open && pair(&b->last, i)) {
        b->mix->pairs++;
        b->open = false;
        return;
    }
    b->mix->bundles++;
    b->open = true;
    b->last = *i;
}

/* ---- registers (rule 8) ---- */

typedef struct allocation {
    const ipu_turn *t;
    const ipu_instruction *in; /* [t->n] in the order of issue */
    readers readers;           /* of these lines */
    bundler out;
    int held[2][IPU_MAIN_REGISTERS]; /* values in registers */
    int n_held[2];
    bool *stored, *defined_here;
} allocation;

static int next_use(const allocation *a, int value, int from)
{
    const int first = a->readers.first[value], end = a->readers.first[value + 1];
    int low = first, high = end;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (a->readers.line[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < end) return a->readers.line[low];
    if (a->defined_here[value] || first == end) return NEVER;
    return a->t->n + a->readers.line[first]; /* live across turns */
}

static int registers_held(const allocation *a, ipu_register_file file)
{
    int n = 0;
    for (int h = 0; h < a->n_held[file]; h++) n += width_of(a->t, a->held[file][h]);
    return n;
}

/* Frees registers of the file for a value that line `from` needs, except those that `spared` reads. */
static void make_room(allocation *a, int value_to_come, int from, const ipu_instruction *spared)
{
    const ipu_register_file file = a->t->file[value_to_come];
    while (registers_held(a, file) + width_of(a->t, value_to_come) > file_size[file]) {
        int victim = NOTHING, farthest = -1;
        for (int h = 0; h < a->n_held[file]; h++) {
            const int use = next_use(a, a->held[file][h], from);
            if (use > farthest && !(spared && among(spared, a->held[file][h]))) {
                farthest = use;
                victim = h;
            }
        }
        const int value = a->held[file][victim];
        a->held[file][victim] = a->held[file][--a->n_held[file]];
        if (farthest != NEVER && !a->stored[value]) {
            a->stored[value] = true;
            issue(&a->out,
                &(const ipu_instruction){
                    .operation = IPU_OP_SPILL, .result = NOTHING, .source = {value}, .n_sources = 1});
        }
    }
}

static bool in_register(const allocation *a, int value)
{
    const ipu_register_file file = a->t->file[value];
    for (int h = 0; h < a->n_held[file]; h++)
        if (a->held[file][h] == value) return true;
    return false;
}

static void drop_dead(allocation *a, int from)
{
    for (int file = 0; file < 2; file++)
        for (int h = 0; h < a->n_held[file];)
            if (next_use(a, a->held[file][h], from) == NEVER)
                a->held[file][h] = a->held[file][--a->n_held[file]];
            else
                h++;
}

static void allocate_line(allocation *a, int line)
{
    const ipu_instruction *i = &a->in[line];
    for (int k = 0; k < i->n_sources; k++) {
        const int value = i->source[k];
        const ipu_register_file file = a->t->file[value];
        if (file == IPU_FILE_NONE || in_register(a, value)) continue;
        make_room(a, value, line, i);
        a->held[file][a->n_held[file]++] = value;
        issue(&a->out, &(const ipu_instruction){.operation = IPU_OP_RELOAD, .result = value});
    }
    drop_dead(a, line + 1);
    if (i->result != NOTHING && a->t->file[i->result] != IPU_FILE_NONE) {
        const ipu_register_file file = a->t->file[i->result];
        make_room(a, i->result, line + 1, NULL);
        a->held[file][a->n_held[file]++] = i->result;
    }
    issue(&a->out, i);
}

static mt_status allocate_registers(mt_arena *scratch, allocation *a)
{
    const ipu_turn *t = a->t;
    MT_TRY(find_readers(scratch, t, a->in, &a->readers));
    MT_ALLOC(scratch, a->stored, (size_t)t->n_values);
    MT_ALLOC(scratch, a->defined_here, (size_t)t->n_values);
    for (int l = 0; l < t->n; l++)
        if (a->in[l].result != NOTHING) a->defined_here[a->in[l].result] = true;
    for (int l = 0; l < t->n; l++) /* live-in values, in the order of first use */
        for (int k = 0; k < a->in[l].n_sources; k++) {
            const int value = a->in[l].source[k];
            const ipu_register_file file = t->file[value];
            if (a->defined_here[value] || file == IPU_FILE_NONE) continue;
            a->stored[value] = true;
            if (registers_held(a, file) + width_of(t, value) <= file_size[file] && !in_register(a, value))
                a->held[file][a->n_held[file]++] = value;
        }
    for (int l = 0; l < t->n; l++) allocate_line(a, l);
    return MT_OK;
}

mt_status ipu_turn_count(const ipu_turn *turn, ipu_mix *mix)
{
    MT_SCRATCH(scratch);
    ipu_instruction *ordered;
    MT_ALLOC(scratch, ordered, (size_t)turn->n);
    MT_TRY(put_in_order(scratch, turn, ordered));
    allocation a = {.t = turn, .in = ordered, .out = {.mix = mix}};
    return allocate_registers(scratch, &a);
}
