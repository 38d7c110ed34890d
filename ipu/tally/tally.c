#include "ipu/tally/tally.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/arena.h"
#include "ipu/cost/issue.h"
#include "ipu/tally/text.h"

const char *const ipu_operation_name[IPU_OPERATIONS] = {"load", "store", "add", "multiply", "divide", "exp",
    "expm1", "log", "sqrt", "constant", "compare", "move", "convert", "transfer", "select", "logic",
    "integer", "address", "loop", "spill", "reload"};

enum {
    MAX_VALUES = 2 * IPU_TEXT_VALUES, /* the later ones are for new values */
    MAX_CODE = 8192,
    NOTHING = IPU_NO_VALUE,
    ZERO = -2 /* of a lane: zero, without a register of its own; NOTHING: undefined */
};

/* The translation of an intermediate value: itself, or an address. */
typedef struct meaning {
    enum { PLAIN, INDEX, OFFSET, POINTER, GATHER } kind;
    int base, offset; /* values: POINTER uses base, GATHER both, OFFSET base */
} meaning;

/* A lane of a pair of floats, or a float: register `at` of a value. */
typedef struct lane {
    int value, at; /* or NOTHING or ZERO */
} lane;

/* The lanes of an intermediate value: two of a pair, one of an extracted float. */
typedef struct lanes {
    int n; /* 0: a single value, or a pair that is one value of two registers */
    lane lane[2];
    bool adjacent; /* True if they are in one pair of registers */
} lanes;

typedef struct code {
    ipu_instruction *line;
    int n;
    ipu_register_file *file; /* [MAX_VALUES] of each value */
    int *width;              /* [MAX_VALUES] number of registers; 0 means one */
    bool *counts; /* [MAX_VALUES] by number in the text: an integer with arithmetic that takes instructions */
    int *uses;    /* [MAX_VALUES] memory accesses through a pointer value */
    bool *walks;  /* [MAX_VALUES] True if the pointer changes in every turn */
    meaning *meaning; /* [MAX_VALUES] by number in the text */
    lanes *lanes;     /* [MAX_VALUES] by number in the text */
    bool *inside;     /* [MAX_VALUES] True if defined in the loop */
    int *defined_at;  /* [MAX_VALUES] by number in the text: its line */
    int *last_use;    /* [MAX_VALUES] the last line that reads it, or a lane of it */
    int *taker;  /* [MAX_VALUES] the last pair, by number in the text, with its register as a lane; 0: none */
    int at_line; /* of the loop, from 1 on; 0: before the loop */
    int n_values; /* the text's numbers come first, new values after them */
    bool strange; /* True if the text had an invalid name, or capacity was exhausted */
} code;

/* ---- translation of statements to instructions ---- */

/* Returns the number of a value in the text, "%12". For any other word returns 0 and marks the code as strange. */
static int value_of(code *c, const char *word)
{
    const int number = ipu_text_number(word);
    if (number == NOTHING) c->strange = true;
    return number == NOTHING ? 0 : number;
}

static int new_value(code *c, ipu_register_file file)
{
    if (c->n_values == MAX_VALUES) {
        c->strange = true;
        return MAX_VALUES - 1;
    }
    c->file[c->n_values] = file;
    c->inside[c->n_values] = c->at_line > 0;
    return c->n_values++;
}

static void emit(code *c, ipu_operation operation, int result, int n, const int *source)
{
    if (c->n == MAX_CODE) {
        c->strange = true;
        return;
    }
    ipu_instruction_put(c->line, c->n++, operation, result, n, source);
}

/* Returns the value that has the register of a float. */
static int float_value(const code *c, int number)
{
    const lanes *l = &c->lanes[number];
    const int value = l->n == 1 ? l->lane[0].value : number;
    return value == ZERO ? NOTHING : value;
}

/* Returns the value of an operand: a number in the text, or a constant built here (rule 4). */
static int operand(code *c, const char *word)
{
    if (*word == '%') return float_value(c, value_of(c, word));
    double number = 0;
    if (strncmp(word, "0x", 2) == 0) {
        uint64_t bits = strtoull(word + 2, NULL, 16);
        memcpy(&number, &bits, sizeof number);
    } else {
        number = strtod(word, NULL);
    }
    float single = (float)number;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    if (bits == 0) return NOTHING;
    int made = new_value(c, IPU_FILE_FLOAT);
    emit(c, IPU_OP_CONSTANT, made, 0, NULL);
    if ((bits & 0xfffffu) == 0 || bits >> 20 == 0) return made;
    int whole = new_value(c, IPU_FILE_FLOAT);
    emit(c, IPU_OP_CONSTANT, whole, 1, &made);
    return whole;
}

/* ---- pairs of floats (rule 2) ---- */

/* Returns a float as a lane. A constant is built in the register of the lane; before the loop this is not counted. */
static lane lane_of(code *c, const char *word)
{
    if (*word == '%') {
        const int number = value_of(c, word);
        if (!c->inside[number]) c->file[number] = IPU_FILE_FLOAT;
        return c->lanes[number].n == 1 ? c->lanes[number].lane[0] : (lane){number, 0};
    }
    if (ipu_text_is_undefined(word)) return (lane){NOTHING, 0};
    if (c->at_line == 0) return (lane){new_value(c, IPU_FILE_FLOAT), 0};
    const int value = operand(c, word);
    return (lane){value == NOTHING ? ZERO : value, 0};
}

/* Returns the lanes of a constant, "<float 1.0, float 2.0>"; equal lanes are built once. */
static lanes lanes_of_constant(code *c, const char *text)
{
    char word[2][IPU_TEXT_WORD];
    lanes l = {.n = 2};
    const char *comma = strchr(text, ','), *end = strchr(text, '>');
    if (strncmp(text, "<float ", 7) != 0 || !comma || !end || strncmp(comma, ", float ", 8) != 0) {
        c->strange = true;
        return l;
    }
    (void)ipu_text_copy_word(text + 7, comma, word[0]);
    (void)ipu_text_copy_word(comma + 8, end, word[1]);
    l.lane[0] = lane_of(c, word[0]);
    l.lane[1] = strcmp(word[0], word[1]) == 0 ? l.lane[0] : lane_of(c, word[1]);
    return l;
}

/* Returns the lanes of a pair. */
static lanes lanes_of(code *c, const char *word)
{
    if (*word == '%') {
        const int number = value_of(c, word);
        if (c->lanes[number].n == 2) return c->lanes[number];
        if (c->lanes[number].n == 1 || (c->inside[number] && c->width[number] != 2)) c->strange = true;
        c->file[number] = IPU_FILE_FLOAT; /* a value from before the loop, too */
        c->width[number] = 2;
        return (lanes){.n = 2, .lane = {{number, 0}, {number, 1}}, .adjacent = true};
    }
    if (ipu_text_is_undefined(word)) return (lanes){.n = 2, .lane = {{NOTHING, 0}, {NOTHING, 0}}};
    if (strcmp(word, "zeroinitializer") == 0) return (lanes){.n = 2, .lane = {{ZERO, 0}, {ZERO, 0}}};
    return lanes_of_constant(c, word);
}

static bool has_register(lane l) { return l.value >= 0; }
static bool same_lane(lane a, lane b) { return a.value == b.value && a.at == b.at; }

/* True if lane k of a pair, number `pair` in the text (NOTHING: used at once) and defined in `line`, can keep its register: no other
 * pair needs it at the same time. */
static bool stays(const code *c, lane l, int k, int pair, int line)
{
    if (l.value == NOTHING) return true;
    if (!has_register(l)) return false;
    if (c->width[l.value] == 2 && (l.at != k || !c->inside[l.value] || c->last_use[l.value] > line))
        return false;
    const int taker = c->taker[l.value];
    return taker == 0 || taker == pair || c->last_use[taker] <= line;
}

/* Puts the lanes of a pair into adjacent registers, by a move for each that cannot stay. Outside of the loop this takes nothing. */
static void join(code *c, lanes *l, int pair, int line)
{
    bool stay[2], inside = false;
    for (int k = 0; k < 2; k++) {
        inside |= has_register(l->lane[k]) && c->inside[l->lane[k].value];
        stay[k] = stays(c, l->lane[k], k, pair, line);
    }
    if (stay[0] && stay[1] && has_register(l->lane[0]) && same_lane(l->lane[0], l->lane[1])) stay[1] = false;
    for (int k = 0; k < 2; k++)
        if (stay[k] && has_register(l->lane[k]) && pair != NOTHING) c->taker[l->lane[k].value] = pair;
    l->adjacent = true;
    if (inside && stay[0] && stay[1]) return;
    int source[2] = {
        l->lane[0].value < 0 ? NOTHING : l->lane[0].value, l->lane[1].value < 0 ? NOTHING : l->lane[1].value};
    const int joined = new_value(c, IPU_FILE_FLOAT);
    c->width[joined] = 2;
    c->inside[joined] = inside;
    c->last_use[joined] = pair == NOTHING ? c->at_line : c->last_use[pair];
    if (inside && !stay[0] && !stay[1]) {
        const int first = new_value(c, IPU_FILE_FLOAT);
        emit(c, IPU_OP_MOVE, first, 1, &source[0]);
        source[0] = first;
    }
    if (inside) emit(c, IPU_OP_MOVE, joined, 2, source);
    l->lane[0] = (lane){joined, 0};
    l->lane[1] = (lane){joined, 1};
}

/* Finds the values that have the registers of an operand: one, or one of each lane. */
static void pair_sources(code *c, const char *word, lanes l, int source[2])
{
    const int number = *word == '%' ? value_of(c, word) : NOTHING;
    if (number != NOTHING) l = lanes_of(c, word); /* another operand may have joined them */
    source[0] = source[1] = NOTHING;
    if (!has_register(l.lane[0]) && l.lane[1].value == l.lane[0].value) return;
    if (!l.adjacent) {
        join(c, &l, number, number == NOTHING ? c->at_line : c->defined_at[number]);
        if (number != NOTHING) c->lanes[number] = l;
    }
    for (int k = 0; k < 2; k++)
        if (has_register(l.lane[k])) source[k] = l.lane[k].value;
}

/* True if both lanes are the same float, which an instruction can read from its single register. */
static bool is_broadcast(const lanes *l)
{
    return has_register(l->lane[0]) && same_lane(l->lane[0], l->lane[1]);
}

/* Translates an instruction on pairs. One operand can be a broadcast: any one of an addition or a multiplication, the first one of a
 * subtraction. */
static void lower_pair(code *c, const ipu_statement *s, ipu_operation operation)
{
    char word[2][IPU_TEXT_WORD];
    lanes of[2];
    int source[4] = {NOTHING, NOTHING, NOTHING, NOTHING};
    const int n = strcmp(s->operation, "fneg") == 0 ? 1 : 2;
    for (int k = 0; k < n; k++) {
        ipu_text_operand(s, k, word[k]);
        of[k] = lanes_of(c, word[k]);
    }
    bool broadcast =
        n == 1 || !ipu_text_has(s->rest, s->end, "<2 x float>"); /* True if no (other) operand can be one */
    for (int k = 0; k < n; k++) {
        if (!broadcast && is_broadcast(&of[k]) && (k == 0 || strcmp(s->operation, "fsub") != 0)) {
            source[2 * k] = of[k].lane[0].value;
            broadcast = true;
        } else {
            pair_sources(c, word[k], of[k], source + 2 * k);
        }
    }
    c->file[s->defines] = IPU_FILE_FLOAT;
    c->width[s->defines] = 2;
    emit(c, operation, s->defines, 4, source);
}

/* A division of each lane. */
static bool lower_quotients(code *c, const ipu_statement *s)
{
    if (!ipu_text_has(s->rest, s->end, "<2 x float>")) return false;
    char word[IPU_TEXT_WORD];
    lanes of[2], quotient = {.n = 2};
    for (int k = 0; k < 2; k++) {
        ipu_text_operand(s, k, word);
        of[k] = lanes_of(c, word);
    }
    for (int k = 0; k < 2; k++) {
        int source[2];
        for (int side = 0; side < 2; side++)
            source[side] = has_register(of[side].lane[k]) ? of[side].lane[k].value : NOTHING;
        quotient.lane[k] = (lane){new_value(c, IPU_FILE_FLOAT), 0};
        emit(c, IPU_OP_DIVIDE, quotient.lane[k].value, 2, source);
    }
    c->lanes[s->defines] = quotient;
    c->defined_at[s->defines] = c->at_line;
    return true;
}

/* A bitcast of pointers, or of pairs of registers; other ones are rejected. */
static bool lower_bits(code *c, const ipu_statement *s)
{
    const char *to = memmem(s->rest, (size_t)(s->end - s->rest), " to ", 4);
    if (!to) return false;
    char word[IPU_TEXT_WORD], type[IPU_TEXT_WORD];
    ipu_text_last_word(s->rest, to, word);
    ipu_text_last_word(to, s->end, type);
    if (*word != '%') return false;
    const int number = value_of(c, word);
    if (type[0] && type[strlen(type) - 1] == '*') {
        const meaning m = c->meaning[number];
        c->meaning[s->defines] =
            m.kind == POINTER || m.kind == GATHER ? m : (meaning){.kind = POINTER, .base = number};
        return true;
    }
    const char *from = s->rest;
    while (from < s->end && *from == ' ') from++;
    if (!ipu_text_is_pair(from, s->end) || !ipu_text_is_pair(to + 4, s->end)) return false;
    c->lanes[s->defines] = lanes_of(c, word);
    c->defined_at[s->defines] = c->at_line;
    return true;
}

/* Lanes are registers: a statement only says which register has which lane. False if no rule covers it. */
static bool lower_lanes(code *c, const ipu_statement *s)
{
    char word[3][IPU_TEXT_WORD];
    long index, mask[2];
    if (strcmp(s->operation, "bitcast") == 0) return lower_bits(c, s);
    if (s->end - s->rest < 12 || memcmp(s->rest, " <2 x float>", 12) != 0) return false;
    for (int k = 0; k < 3; k++) ipu_text_operand(s, k, word[k]);
    lanes l = lanes_of(c, word[0]);
    if (strcmp(s->operation, "extractelement") == 0) {
        if (!ipu_text_index(word[1], 2, &index)) return false;
        c->lanes[s->defines] = (lanes){.n = 1, .lane = {l.lane[index]}};
        return true;
    }
    if (strcmp(s->operation, "insertelement") == 0) {
        if (!ipu_text_index(word[2], 2, &index)) return false;
        l.lane[index] = lane_of(c, word[1]);
    } else {
        const lanes other = lanes_of(c, word[1]);
        if (!ipu_text_mask(word[2], mask)) return false;
        const lane all[4] = {l.lane[0], l.lane[1], other.lane[0], other.lane[1]};
        for (int k = 0; k < 2; k++) l.lane[k] = mask[k] < 0 ? (lane){NOTHING, 0} : all[mask[k]];
    }
    const bool same = has_register(l.lane[0]) && c->width[l.lane[0].value] == 2 && l.lane[0].at == 0 &&
                      l.lane[1].value == l.lane[0].value && l.lane[1].at == 1;
    l.adjacent = same;
    c->lanes[s->defines] = l;
    c->defined_at[s->defines] = c->at_line;
    return true;
}

static void lower_address(code *c, const ipu_statement *s)
{
    int base = value_of(c, s->part[1]);
    meaning of_base = c->meaning[base];
    meaning m = {.kind = POINTER, .base = of_base.kind == POINTER ? of_base.base : base};
    if (s->n_parts > 2 && s->part[2][0] == '%') {
        meaning index = c->meaning[value_of(c, s->part[2])];
        if (index.kind == OFFSET) {
            m = (meaning){.kind = GATHER, .base = m.base, .offset = index.base};
        } else {
            m.base = new_value(c, IPU_FILE_MAIN);
            c->walks[m.base] = true;
        }
    }
    c->meaning[s->defines] = m;
}

static void lower_memory(code *c, const ipu_statement *s)
{
    bool load = strcmp(s->operation, "load") == 0;
    char place[IPU_TEXT_WORD];
    ipu_text_operand(s, 1, place);
    int pointer = value_of(c, place);
    meaning m = c->meaning[pointer];
    if (m.kind != POINTER && m.kind != GATHER) m = (meaning){.kind = POINTER, .base = pointer};
    c->uses[m.base]++;
    int through = m.kind == GATHER ? m.offset : NOTHING;
    if (load) {
        c->file[s->defines] = strcmp(s->type, "float") == 0 || s->pair ? IPU_FILE_FLOAT : IPU_FILE_MAIN;
        c->width[s->defines] = s->pair ? 2 : 1;
        emit(c, IPU_OP_LOAD, s->defines, 2, (int[]){m.base, through});
    } else if (s->pair) {
        int stored[2];
        char word[IPU_TEXT_WORD];
        ipu_text_operand(s, 0, word);
        pair_sources(c, word, lanes_of(c, word), stored);
        emit(c, IPU_OP_STORE, NOTHING, 4, (int[]){stored[0], stored[1], m.base, through});
    } else {
        int stored = operand(c, s->part[0]);
        emit(c, IPU_OP_STORE, NOTHING, 3, (int[]){stored, m.base, through});
    }
}

static void lower_float(code *c, const ipu_statement *s, ipu_operation operation)
{
    int source[2];
    for (int k = 0; k < s->n_parts && k < 2; k++) source[k] = operand(c, s->part[k]);
    c->file[s->defines] = IPU_FILE_FLOAT;
    emit(c, operation, s->defines, s->n_parts < 2 ? s->n_parts : 2, source);
}

static void lower_choice(code *c, const ipu_statement *s)
{
    if (strcmp(s->operation, "fcmp") == 0) {
        int mask = new_value(c, IPU_FILE_FLOAT);
        int first = operand(c, s->part[0]); /* in this order: they may create constants */
        int second = operand(c, s->part[1]);
        emit(c, IPU_OP_COMPARE, mask, 2, (int[]){first, second});
        c->file[s->defines] = IPU_FILE_MAIN;
        emit(c, IPU_OP_TRANSFER, s->defines, 1, &mask);
        return;
    }
    int taken = new_value(c, IPU_FILE_NONE);
    emit(c, IPU_OP_SELECT, taken, 1, (int[]){value_of(c, s->part[0])});
    int first = operand(c, s->part[1]);
    int second = operand(c, s->part[2]);
    c->file[s->defines] = IPU_FILE_FLOAT;
    emit(c, IPU_OP_MOVE, s->defines, 3, (int[]){taken, first, second});
}

/* ---- integers ---- */

static bool is_integer(const char *type)
{
    static const char *const types[] = {
        "i8", "i16", "i32", "nuw", "nsw", "exact", NULL}; /* or an attribute that precedes a type */
    return ipu_text_is_word(type, types);
}

static bool is_arithmetic(const ipu_statement *s)
{
    static const char *const operations[] = {
        "add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor", NULL};
    return ipu_text_is_word(s->operation, operations) && is_integer(s->type);
}

static bool is_conversion(const ipu_statement *s)
{
    static const char *const operations[] = {"zext", "sext", "trunc", NULL};
    return ipu_text_is_word(s->operation, operations);
}

/* Marks the operands from part `first` on. True if any mark is new. */
static bool mark_operands(bool *marked, const ipu_statement *s, int first, int end)
{
    bool changed = false;
    for (int k = first; k < end && k < s->n_parts; k++) {
        const int value = ipu_text_number(s->part[k]);
        if (value == NOTHING || marked[value]) continue;
        marked[value] = changed = true;
    }
    return changed;
}

/* Marks the operands that a statement uses as data: integers that are stored or selected, conditions of selections, and the
 * operands of marked results. */
static bool mark_data(bool *data, const ipu_statement *s)
{
    const int result = ipu_text_number(s->defined);
    const bool needed = result != NOTHING && data[result];
    if (strcmp(s->operation, "store") == 0) return is_integer(s->type) && mark_operands(data, s, 0, 1);
    if (strcmp(s->operation, "select") == 0) return mark_operands(data, s, 0, IPU_TEXT_PARTS);
    if (strcmp(s->operation, "phi") == 0 && needed && is_integer(s->type))
        return mark_operands(data, s, 0, IPU_TEXT_PARTS);
    if (strcmp(s->type, "i1") == 0 && needed) return mark_operands(data, s, 0, IPU_TEXT_PARTS);
    if (needed && (is_arithmetic(s) || is_conversion(s) || strcmp(s->operation, "icmp") == 0))
        return mark_operands(data, s, 0, IPU_TEXT_PARTS);
    return false;
}

/* Marks integers that come from memory, or from floats. */
static bool mark_loaded(bool *loaded, const ipu_statement *s)
{
    const int result = ipu_text_number(s->defined);
    bool from = (strcmp(s->operation, "load") == 0 && is_integer(s->type)) ||
                strcmp(s->called, "mt_int") == 0 || strcmp(s->called, "mt_bits") == 0;
    if (result == NOTHING || loaded[result]) return false;
    if (is_arithmetic(s) || is_conversion(s))
        for (int k = 0; k < s->n_parts; k++) {
            const int value = ipu_text_number(s->part[k]);
            from |= value != NOTHING && loaded[value];
        }
    loaded[result] = from;
    return from;
}

/* Finds the integers of the loop that take instructions (rule 6). */
static mt_status find_integers(mt_arena *scratch, code *c, const char *loop, const char *end)
{
    bool *data = NULL, *loaded = NULL, changed = true;
    MT_ALLOC(scratch, data, MAX_VALUES);
    MT_ALLOC(scratch, loaded, MAX_VALUES);
    while (changed) {
        changed = false;
        for (const char *line = loop, *stop; line < end; line = stop + 1) {
            const char *newline = memchr(line, '\n', (size_t)(end - line));
            stop = newline ? newline : end;
            const ipu_statement s = ipu_text_statement(line, stop);
            changed |= mark_data(data, &s);
            changed |= mark_loaded(loaded, &s);
        }
    }
    for (int v = 0; v < IPU_TEXT_VALUES; v++) c->counts[v] = data[v] || loaded[v];
    return MT_OK;
}

/* Returns an integer before its conversion. */
static int converted_from(const code *c, int value)
{
    return c->meaning[value].kind == OFFSET ? c->meaning[value].base : value;
}

static void lower_integer(code *c, const ipu_statement *s)
{
    int source[2] = {NOTHING, NOTHING};
    for (int k = 0; k < s->n_parts && k < 2; k++)
        if (*s->part[k] == '%') source[k] = converted_from(c, value_of(c, s->part[k]));
    c->file[s->defines] = IPU_FILE_MAIN;
    emit(c, IPU_OP_INTEGER, s->defines, 2, source);
    c->meaning[s->defines] = (meaning){.kind = OFFSET, .base = s->defines};
}

/* Translates logic on conditions; an operand may be a constant. False for anything else. */
static bool lower_logic(code *c, const ipu_statement *s)
{
    int source[2] = {NOTHING, NOTHING};
    if (strcmp(s->type, "i1") != 0 || s->n_parts != 2) return false;
    for (int k = 0; k < 2; k++)
        if (*s->part[k] == '%') source[k] = value_of(c, s->part[k]);
    c->file[s->defines] = IPU_FILE_MAIN;
    emit(c, IPU_OP_LOGIC, s->defines, 2, source);
    return true;
}

/* Translates a move from a float to an integer, converted in the float registers or bitwise, or back. */
static void lower_between(code *c, const ipu_statement *s, bool to_main, bool converts)
{
    int value = operand(c, s->part[0]);
    if (*s->part[0] == '%' && value != NOTHING) value = converted_from(c, value);
    if (to_main && converts) {
        const int converted = new_value(c, IPU_FILE_FLOAT);
        emit(c, IPU_OP_CONVERT, converted, 1, &value);
        value = converted;
    }
    c->file[s->defines] = to_main ? IPU_FILE_MAIN : IPU_FILE_FLOAT;
    const int moved = !to_main && converts ? new_value(c, IPU_FILE_FLOAT) : s->defines;
    emit(c, IPU_OP_TRANSFER, moved, 1, &value);
    if (moved != s->defines) emit(c, IPU_OP_CONVERT, s->defines, 1, &moved);
}

static bool lower_move(code *c, const ipu_statement *s)
{
    static const struct {
        const char *name;
        bool to_main, converts;
    } known[] = {{"mt_int", true, true}, {"mt_bits", true, false}, {"mt_float", false, true},
        {"mt_of_bits", false, false}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (strcmp(s->called, known[k].name) == 0) {
            lower_between(c, s, known[k].to_main, known[k].converts);
            return true;
        }
    return false;
}

static bool lower_call(code *c, const ipu_statement *s)
{
    static const struct {
        const char *name;
        ipu_operation operation;
    } known[] = {{"mt_exp", IPU_OP_EXP}, {"mt_expm1", IPU_OP_EXPM1}, {"mt_log", IPU_OP_LOG},
        {"mt_sqrt", IPU_OP_SQRT}, {"mt_max", IPU_OP_COMPARE}, {"mt_abs", IPU_OP_CONVERT},
        {"mt_whole", IPU_OP_CONVERT}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (strcmp(s->called, known[k].name) == 0) {
            lower_float(c, s, known[k].operation);
            return true;
        }
    return lower_move(c, s);
}

/* True if a statement has no result. */
static bool gives_nothing(const ipu_statement *s)
{
    return strcmp(s->operation, "store") == 0 || strcmp(s->operation, "br") == 0;
}

/* Translates a statement. False if no rule covers it. */
static bool lower_known(code *c, const ipu_statement *s)
{
    static const struct {
        const char *name;
        ipu_operation operation;
    } arithmetic[] = {{"fadd", IPU_OP_ADD}, {"fsub", IPU_OP_ADD}, {"fneg", IPU_OP_ADD},
        {"fmul", IPU_OP_MULTIPLY}, {"fdiv", IPU_OP_DIVIDE}};
    static const char *const counting[] = {"phi", "shl", "mul", "add", "sub", "icmp", "br"};
    for (size_t k = 0; k < sizeof arithmetic / sizeof arithmetic[0]; k++)
        if (strcmp(s->operation, arithmetic[k].name) == 0) {
            if (!s->pair)
                lower_float(c, s, arithmetic[k].operation);
            else if (arithmetic[k].operation == IPU_OP_DIVIDE)
                return lower_quotients(c, s);
            else
                lower_pair(c, s, arithmetic[k].operation);
            return true;
        }
    if (ipu_text_is_of_lanes(s->operation)) return lower_lanes(c, s);
    if (s->defines != NOTHING && c->counts[s->defines] &&
        (is_arithmetic(s) || strcmp(s->operation, "icmp") == 0)) {
        lower_integer(c, s);
        return true;
    }
    if (strcmp(s->operation, "phi") == 0 && (s->pair || strcmp(s->type, "float") == 0)) {
        c->file[s->defines] = IPU_FILE_FLOAT;
        c->width[s->defines] = s->pair ? 2 : 1;
    }
    for (size_t k = 0; k < sizeof counting / sizeof counting[0]; k++)
        if (strcmp(s->operation, counting[k]) == 0) {
            if (s->defines != NOTHING) c->meaning[s->defines].kind = INDEX;
            return true;
        }
    if (strcmp(s->operation, "getelementptr") == 0)
        lower_address(c, s);
    else if (strcmp(s->operation, "load") == 0 || strcmp(s->operation, "store") == 0)
        lower_memory(c, s);
    else if (!s->pair && (strcmp(s->operation, "fcmp") == 0 || strcmp(s->operation, "select") == 0))
        lower_choice(c, s);
    else if (is_conversion(s))
        c->meaning[s->defines] =
            (meaning){.kind = OFFSET, .base = converted_from(c, value_of(c, s->part[0]))};
    else if (strcmp(s->operation, "call") == 0)
        return !s->pair && lower_call(c, s);
    else if (strcmp(s->operation, "or") == 0 && is_integer(s->type))
        c->meaning[s->defines].kind = INDEX; /* an even index and one */
    else if (strcmp(s->operation, "and") == 0 || strcmp(s->operation, "or") == 0 ||
             strcmp(s->operation, "xor") == 0)
        return lower_logic(c, s);
    else
        return false;
    return true;
}

static bool lower(code *c, ipu_statement *s)
{
    if (*s->defined) s->defines = value_of(c, s->defined);
    if (s->defines == NOTHING && !gives_nothing(s)) return false;
    return !s->strange && lower_known(c, s) && !c->strange;
}

/* ---- entry point ---- */

/* Finds the block of a function that branches to itself. */
static bool find_loop(const char *begin, const char *end, const char **loop, const char **loop_end)
{
    const char *block = begin;
    char label[IPU_TEXT_WORD] = "%0";
    for (const char *line = begin; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *stop = newline ? newline : end;
        if (isdigit((unsigned char)*line)) {
            (void)snprintf(label, sizeof label, "%%%d", atoi(line));
            block = stop + 1;
        }
        const char *branch = memmem(line, (size_t)(stop - line), "br ", 3);
        const char *back = branch ? memmem(branch, (size_t)(stop - branch), label, strlen(label)) : NULL;
        while (back && isdigit((unsigned char)back[strlen(label)]))
            back = memmem(back + 1, (size_t)(stop - back - 1), label, strlen(label));
        if (back) {
            *loop = block;
            *loop_end = stop;
            return true;
        }
        line = stop + 1;
    }
    return false;
}

/* Checks that there is no other backward branch, to a block that begins before it. */
static mt_status check_only(const char *begin, const char *end, const char *loop, const char *name)
{
    bool before[MAX_VALUES] = {true}; /* the function begins with block 0 */
    const char *block = begin;
    for (const char *line = begin, *stop; line < end; line = stop + 1) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        stop = newline ? newline : end;
        if (isdigit((unsigned char)*line)) {
            const int label = atoi(line);
            if (label >= 0 && label < MAX_VALUES) before[label] = true;
            block = stop + 1;
        }
        if (block == loop || !ipu_text_has(line, stop, "br ")) continue;
        for (const char *at = line; (at = memmem(at, (size_t)(stop - at), "label %", 7)) != NULL; at += 7) {
            const int label = atoi(at + 7);
            if (label >= 0 && label < MAX_VALUES && before[label])
                return mt_fail(MT_INPUT, "%s: the tally counts one loop, but there is another: %.*s", name,
                    (int)(stop - line), line);
        }
    }
    return MT_OK;
}

/* Notes the values that are defined in the loop, and the lines of a turn that read each. A pair is also read where an extracted lane is,
 * and at the end of the turn if it is carried to the next one. `lines`: their number. */
static mt_status find_uses(mt_arena *scratch, code *c, const char *loop, const char *end, int lines)
{
    const char **start;
    int n = 0;
    MT_ALLOC(scratch, start, (size_t)lines + 1);
    for (const char *line = loop; line < end && n < lines; line = ipu_text_end_of_line(line, end) + 1) {
        const ipu_statement s = ipu_text_statement(line, ipu_text_end_of_line(line, end));
        const int defined = ipu_text_number(s.defined);
        start[++n] = line;
        if (defined != NOTHING) c->inside[defined] = true;
        for (int k = 0; k < s.n_parts && strcmp(s.operation, "phi") == 0; k++)
            if (ipu_text_number(s.part[k]) != NOTHING) c->last_use[ipu_text_number(s.part[k])] = lines + 1;
    }
    for (; n > 0; n--) {
        const char *stop = ipu_text_end_of_line(start[n], end);
        const ipu_statement s = ipu_text_statement(start[n], stop);
        const int defined = ipu_text_number(s.defined);
        const bool renames =
            strcmp(s.operation, "extractelement") == 0 || strcmp(s.operation, "bitcast") == 0;
        const int last = renames && defined != NOTHING && c->last_use[defined] > n ? c->last_use[defined] : n;
        const char *rest = strstr(start[n], " = ");
        for (const char *at = rest && rest < stop ? rest : start[n]; at < stop; at++) {
            if (*at != '%' || at[1] < '0' || at[1] > '9') continue;
            const long read = strtol(at + 1, NULL, 10);
            if (read < IPU_TEXT_VALUES && c->last_use[read] < last) c->last_use[read] = last;
        }
    }
    return MT_OK;
}

/* Puts the pairs that are carried to the next turn into their registers. */
static void join_carried(code *c, const char *loop, const char *end)
{
    for (const char *line = loop; line < end; line = ipu_text_end_of_line(line, end) + 1) {
        const ipu_statement s = ipu_text_statement(line, ipu_text_end_of_line(line, end));
        int source[2];
        for (int k = 0; k < s.n_parts && s.pair && strcmp(s.operation, "phi") == 0; k++)
            if (*s.part[k] == '%' && ipu_text_number(s.part[k]) != NOTHING &&
                c->lanes[ipu_text_number(s.part[k])].n == 2)
                pair_sources(c, s.part[k], c->lanes[ipu_text_number(s.part[k])], source);
    }
}

static mt_status lower_loop(code *c, const char *loop, const char *end)
{
    for (const char *line = loop; line < end;) {
        const char *stop = ipu_text_end_of_line(line, end);
        ipu_statement s = ipu_text_statement(line, stop);
        c->at_line++;
        if (s.operation[0] && !lower(c, &s))
            return mt_fail(MT_INPUT, "the tally has no rule for: %.*s", (int)(stop - line), line);
        line = stop + 1;
    }
    join_carried(c, loop, end);
    for (int v = 0; v < c->n_values; v++)
        if (c->walks[v] && c->uses[v] > 1) emit(c, IPU_OP_ADDRESS, NOTHING, 1, &v);
    emit(c, IPU_OP_LOOP, NOTHING, 0, NULL);
    return c->strange ? mt_fail(MT_INPUT, "a loop of more than %d instructions", MAX_CODE) : MT_OK;
}

/* Counts statements, except those that extract a lane. */
static unsigned lines_between(const char *begin, const char *end)
{
    unsigned n = 0;
    for (const char *at = begin; at < end; at++)
        if (at[0] == '\n' && at[1] == ' ') /* statements are indented, labels are not */
            n += !ipu_text_has(at + 1, ipu_text_end_of_line(at + 1, end), " = extractelement ");
    return n;
}

/* Finds the lanes of pairs that are made before the loop; of others a pair is one value. */
static void find_lanes(code *c, const char *body, const char *loop)
{
    for (const char *line = body; line < loop; line = ipu_text_end_of_line(line, loop) + 1) {
        ipu_statement s = ipu_text_statement(line, ipu_text_end_of_line(line, loop));
        s.defines = ipu_text_number(s.defined);
        if (s.defines == NOTHING || !ipu_text_is_of_lanes(s.operation) || !s.pair) continue;
        if (!lower_lanes(c, &s) || c->strange) c->lanes[s.defines] = (lanes){0};
        c->strange = false;
    }
}

/* Finds the floats that are defined before the loop. */
static mt_status find_floats(code *c, const char *body, const char *loop)
{
    for (const char *at = body; at < loop; at++) {
        if (strncmp(at, " = load float", 13) != 0 && strncmp(at, " = fneg float", 13) != 0) continue;
        char word[IPU_TEXT_WORD];
        ipu_text_last_word(body, at, word);
        c->file[value_of(c, word)] = IPU_FILE_FLOAT;
        if (c->strange)
            return mt_fail(
                MT_INPUT, "the tally supports values from %%0 to %%%d, not '%s'", IPU_TEXT_VALUES - 1, word);
    }
    return MT_OK;
}

static int count_lines(const char *begin, const char *end)
{
    int n = 0;
    for (const char *line = begin; line < end; line = ipu_text_end_of_line(line, end) + 1) n++;
    return n;
}

static mt_status count_in(mt_arena *scratch, const char *body, const char *end, ipu_mix *mix)
{
    code c = {.n_values = IPU_TEXT_VALUES};
    MT_ALLOC(scratch, c.line, MAX_CODE);
    MT_ALLOC(scratch, c.file, MAX_VALUES);
    MT_ALLOC(scratch, c.width, MAX_VALUES);
    MT_ALLOC(scratch, c.counts, MAX_VALUES);
    MT_ALLOC(scratch, c.uses, MAX_VALUES);
    MT_ALLOC(scratch, c.walks, MAX_VALUES);
    MT_ALLOC(scratch, c.meaning, MAX_VALUES);
    MT_ALLOC(scratch, c.lanes, MAX_VALUES);
    MT_ALLOC(scratch, c.inside, MAX_VALUES);
    MT_ALLOC(scratch, c.defined_at, MAX_VALUES);
    MT_ALLOC(scratch, c.last_use, MAX_VALUES);
    MT_ALLOC(scratch, c.taker, MAX_VALUES);
    const char *loop, *loop_end;
    if (!find_loop(body, end, &loop, &loop_end))
        return mt_fail(MT_INPUT, "%s: contains no loop of one basic block", mix->name);
    MT_TRY(check_only(body, end, loop, mix->name));
    MT_TRY(find_floats(&c, body, loop));
    MT_TRY(find_uses(scratch, &c, loop, loop_end, count_lines(loop, loop_end)));
    find_lanes(&c, body, loop);
    MT_TRY(find_integers(scratch, &c, loop, loop_end));
    MT_TRY(lower_loop(&c, loop, loop_end));
    const ipu_turn turn = {
        .line = c.line, .n = c.n, .n_values = c.n_values, .file = c.file, .width = c.width};
    MT_TRY(ipu_turn_count(&turn, mix));
    mix->start = lines_between(body, loop) + lines_between(loop_end, end);
    return MT_OK;
}

mt_status ipu_tally_count(const char *module, const char *function, ipu_mix *mix)
{
    *mix = (ipu_mix){.name = function};
    char name[IPU_TEXT_WORD];
    (void)snprintf(name, sizeof name, "@%s(", function);
    const char *at = module;
    while ((at = strstr(at, "\ndefine ")) != NULL) {
        const char *line_end = strchr(at + 1, '\n');
        const char *found = strstr(at, name);
        if (line_end && found && found < line_end) break;
        at++;
    }
    const char *end = at ? strstr(at, "\n}") : NULL;
    if (!end) return mt_fail(MT_INPUT, "no function %s in the module", function);
    MT_SCRATCH(scratch);
    return count_in(scratch, strchr(at + 1, '\n') + 1, end, mix);
}
