#include "ipu/tally/tally.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/arena.h"
#include "ipu/cost/issue.h"

const char *const ipu_operation_name[IPU_OPERATIONS] = {"load", "store", "add", "multiply", "divide", "exp",
    "expm1", "log", "sqrt", "constant", "compare", "move", "convert", "transfer", "select", "logic",
    "integer", "address", "loop", "spill", "reload"};

enum {
    MAX_VALUES = 8192,
    TEXT_VALUES = MAX_VALUES / 2, /* maximum of value numbers in the text; the others are for new values */
    MAX_CODE = 8192,
    NOTHING = IPU_NO_VALUE
};

/* The translation of an intermediate value: itself, or an address. */
typedef struct meaning {
    enum { PLAIN, INDEX, OFFSET, POINTER, GATHER } kind;
    int base, offset; /* values: POINTER uses base, GATHER both, OFFSET base */
} meaning;

typedef struct code {
    ipu_instruction *line;
    int n;
    ipu_register_file *file; /* [MAX_VALUES] of each value */
    int *width;              /* [MAX_VALUES] number of registers; 0 means one */
    bool *counts; /* [MAX_VALUES] by number in the text: an integer with arithmetic that takes instructions */
    int *uses;    /* [MAX_VALUES] memory accesses through a pointer value */
    bool *walks;  /* [MAX_VALUES] True if the pointer changes in every turn */
    meaning *meaning; /* [MAX_VALUES] by number in the text */
    int n_values;     /* the text's numbers come first, new values after them */
    bool strange;     /* True if the text had an invalid name, or capacity was exhausted */
} code;

/* ---- reading the text ---- */

enum { MAX_PARTS = 6, MAX_WORD = 64 };

/* A line: the value it defines (its number is found later), the operation, the type that follows, and the last word of each
 * part between commas. */
typedef struct statement {
    int defines;
    char defined[MAX_WORD]; /* as written; "" if the line defines nothing */
    char operation[MAX_WORD], type[MAX_WORD], called[MAX_WORD];
    bool pair, strange; /* of two floats; of a type without a rule */
    char part[MAX_PARTS][MAX_WORD];
    int n_parts;
} statement;

static const char *copy_word(const char *at, const char *end, char word[MAX_WORD])
{
    while (at < end && *at == ' ') at++;
    size_t n = 0;
    while (at < end && *at != ' ' && *at != ',' && *at != '(') {
        if (n + 1 < MAX_WORD) word[n++] = *at;
        at++;
    }
    word[n] = 0;
    return at;
}

static void last_word(const char *at, const char *end, char word[MAX_WORD])
{
    while (end > at && (end[-1] == ' ' || end[-1] == ')')) end--;
    const char *start = end;
    while (start > at && start[-1] != ' ' && start[-1] != '(') start--;
    (void)copy_word(start, end, word);
}

static bool has(const char *line, const char *end, const char *text)
{
    return memmem(line, (size_t)(end - line), text, strlen(text)) != NULL;
}

/* True if a line has an unsupported type: a vector of anything but two floats, or a number of another size. */
static bool has_strange_type(const char *line, const char *end)
{
    static const char *const strange[] = {
        " half", " double", " bfloat", " i64", " i128", " x half", " x i", "<float"};
    for (size_t k = 0; k < sizeof strange / sizeof *strange; k++)
        if (has(line, end, strange[k])) return true;
    const char *vector = memchr(line, '<', (size_t)(end - line));
    return vector && strncmp(vector, "<2 x float>", strlen("<2 x float>")) != 0;
}

static statement read_statement(const char *line, const char *end)
{
    statement s = {
        .defines = NOTHING, .pair = has(line, end, "<2 x float>"), .strange = has_strange_type(line, end)};
    const char *converted = memmem(line, (size_t)(end - line), " to i32", 7); /* of zext */
    if (converted) end = converted;
    const char *metadata = memmem(line, (size_t)(end - line), ", !", 3);
    if (metadata) end = metadata;
    while (line < end && *line == ' ') line++;
    const char *equals = memmem(line, (size_t)(end - line), " = ", 3);
    if (*line == '%' && equals) {
        last_word(line, equals, s.defined);
        line = equals + 3;
    }
    line = copy_word(line, end, s.operation);
    if (strcmp(s.operation, "tail") == 0) line = copy_word(line, end, s.operation);
    (void)copy_word(line, end, s.type);
    const char *at_sign = memchr(line, '@', (size_t)(end - line));
    if (at_sign) (void)copy_word(at_sign + 1, end, s.called);
    if (at_sign && memchr(at_sign, '(', (size_t)(end - at_sign))) {
        line = memchr(at_sign, '(', (size_t)(end - at_sign));
        const char *close = memchr(line, ')', (size_t)(end - line));
        if (close) end = close;
    }
    while (line < end && s.n_parts < MAX_PARTS) {
        const char *comma = memchr(line, ',', (size_t)(end - line));
        last_word(line, comma ? comma : end, s.part[s.n_parts++]);
        line = comma ? comma + 1 : end;
    }
    return s;
}

/* ---- translation of statements to instructions ---- */

/* Returns the number of a value in the text, or NOTHING. */
static int number_of(const char *word)
{
    const size_t digits = *word == '%' ? strspn(word + 1, "0123456789") : 0;
    const bool known = digits > 0 && digits < 6 && word[1 + digits] == 0 && atoi(word + 1) < TEXT_VALUES;
    return known ? atoi(word + 1) : NOTHING;
}

/* Returns the number of a value in the text, "%12". For any other word returns 0 and marks the code as strange. */
static int value_of(code *c, const char *word)
{
    const int number = number_of(word);
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

/* Returns the value of an operand: a number in the text, or a constant built here (rule 4). */
static int operand(code *c, const char *word)
{
    if (*word == '%') return value_of(c, word);
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

static void lower_address(code *c, const statement *s)
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

static void lower_memory(code *c, const statement *s)
{
    bool load = strcmp(s->operation, "load") == 0;
    int pointer = value_of(c, s->part[1]);
    meaning m = c->meaning[pointer];
    if (m.kind != POINTER && m.kind != GATHER) m = (meaning){.kind = POINTER, .base = pointer};
    c->uses[m.base]++;
    int through = m.kind == GATHER ? m.offset : NOTHING;
    if (load) {
        c->file[s->defines] = strcmp(s->type, "float") == 0 || s->pair ? IPU_FILE_FLOAT : IPU_FILE_MAIN;
        c->width[s->defines] = s->pair ? 2 : 1;
        emit(c, IPU_OP_LOAD, s->defines, 2, (int[]){m.base, through});
    } else {
        int stored = operand(c, s->part[0]);
        emit(c, IPU_OP_STORE, NOTHING, 3, (int[]){stored, m.base, through});
    }
}

static void lower_float(code *c, const statement *s, ipu_operation operation)
{
    int source[2];
    for (int k = 0; k < s->n_parts && k < 2; k++) source[k] = operand(c, s->part[k]);
    c->file[s->defines] = IPU_FILE_FLOAT;
    c->width[s->defines] = s->pair ? 2 : 1;
    emit(c, operation, s->defines, s->n_parts < 2 ? s->n_parts : 2, source);
}

static void lower_choice(code *c, const statement *s)
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

static bool is_word(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0) return true;
    return false;
}

static bool is_integer(const char *type)
{
    static const char *const types[] = {
        "i8", "i16", "i32", "nuw", "nsw", "exact", NULL}; /* or an attribute that precedes a type */
    return is_word(type, types);
}

static bool is_arithmetic(const statement *s)
{
    static const char *const operations[] = {
        "add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor", NULL};
    return is_word(s->operation, operations) && is_integer(s->type);
}

static bool is_conversion(const statement *s)
{
    static const char *const operations[] = {"zext", "sext", "trunc", NULL};
    return is_word(s->operation, operations);
}

/* Marks the operands from part `first` on. True if any mark is new. */
static bool mark_operands(bool *marked, const statement *s, int first, int end)
{
    bool changed = false;
    for (int k = first; k < end && k < s->n_parts; k++) {
        const int value = number_of(s->part[k]);
        if (value == NOTHING || marked[value]) continue;
        marked[value] = changed = true;
    }
    return changed;
}

/* Marks the operands that a statement uses as data: integers that are stored or selected, conditions of selections, and the
 * operands of marked results. */
static bool mark_data(bool *data, const statement *s)
{
    const int result = number_of(s->defined);
    const bool needed = result != NOTHING && data[result];
    if (strcmp(s->operation, "store") == 0) return is_integer(s->type) && mark_operands(data, s, 0, 1);
    if (strcmp(s->operation, "select") == 0) return mark_operands(data, s, 0, MAX_PARTS);
    if (strcmp(s->operation, "phi") == 0 && needed && is_integer(s->type))
        return mark_operands(data, s, 0, MAX_PARTS);
    if (strcmp(s->type, "i1") == 0 && needed) return mark_operands(data, s, 0, MAX_PARTS);
    if (needed && (is_arithmetic(s) || is_conversion(s) || strcmp(s->operation, "icmp") == 0))
        return mark_operands(data, s, 0, MAX_PARTS);
    return false;
}

/* Marks integers that come from memory, or from floats. */
static bool mark_loaded(bool *loaded, const statement *s)
{
    const int result = number_of(s->defined);
    bool from = (strcmp(s->operation, "load") == 0 && is_integer(s->type)) ||
                strcmp(s->called, "mt_int") == 0 || strcmp(s->called, "mt_bits") == 0;
    if (result == NOTHING || loaded[result]) return false;
    if (is_arithmetic(s) || is_conversion(s))
        for (int k = 0; k < s->n_parts; k++) {
            const int value = number_of(s->part[k]);
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
            const statement s = read_statement(line, stop);
            changed |= mark_data(data, &s);
            changed |= mark_loaded(loaded, &s);
        }
    }
    for (int v = 0; v < TEXT_VALUES; v++) c->counts[v] = data[v] || loaded[v];
    return MT_OK;
}

/* Returns an integer before its conversion. */
static int converted_from(const code *c, int value)
{
    return c->meaning[value].kind == OFFSET ? c->meaning[value].base : value;
}

static void lower_integer(code *c, const statement *s)
{
    int source[2] = {NOTHING, NOTHING};
    for (int k = 0; k < s->n_parts && k < 2; k++)
        if (*s->part[k] == '%') source[k] = converted_from(c, value_of(c, s->part[k]));
    c->file[s->defines] = IPU_FILE_MAIN;
    emit(c, IPU_OP_INTEGER, s->defines, 2, source);
    c->meaning[s->defines] = (meaning){.kind = OFFSET, .base = s->defines};
}

/* Translates logic on conditions; an operand may be a constant. False for anything else. */
static bool lower_logic(code *c, const statement *s)
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
static void lower_between(code *c, const statement *s, bool to_main, bool converts)
{
    int value = *s->part[0] == '%' ? converted_from(c, value_of(c, s->part[0])) : operand(c, s->part[0]);
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

static bool lower_move(code *c, const statement *s)
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

static bool lower_call(code *c, const statement *s)
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
static bool gives_nothing(const statement *s)
{
    return strcmp(s->operation, "store") == 0 || strcmp(s->operation, "br") == 0;
}

/* Translates a statement. False if no rule covers it. */
static bool lower_known(code *c, const statement *s)
{
    static const struct {
        const char *name;
        ipu_operation operation;
    } arithmetic[] = {{"fadd", IPU_OP_ADD}, {"fsub", IPU_OP_ADD}, {"fneg", IPU_OP_ADD},
        {"fmul", IPU_OP_MULTIPLY}, {"fdiv", IPU_OP_DIVIDE}};
    static const char *const counting[] = {"phi", "shl", "mul", "add", "sub", "icmp", "br"};
    for (size_t k = 0; k < sizeof arithmetic / sizeof arithmetic[0]; k++)
        if (strcmp(s->operation, arithmetic[k].name) == 0) {
            lower_float(c, s, arithmetic[k].operation);
            return !s->pair || arithmetic[k].operation != IPU_OP_DIVIDE;
        }
    if (s->defines != NOTHING && c->counts[s->defines] &&
        (is_arithmetic(s) || strcmp(s->operation, "icmp") == 0)) {
        lower_integer(c, s);
        return true;
    }
    if (strcmp(s->operation, "phi") == 0 && strcmp(s->type, "float") == 0)
        c->file[s->defines] = IPU_FILE_FLOAT;
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
    else if (strcmp(s->operation, "and") == 0 || strcmp(s->operation, "or") == 0 ||
             strcmp(s->operation, "xor") == 0)
        return lower_logic(c, s);
    else
        return false;
    return true;
}

static bool lower(code *c, statement *s)
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
    char label[MAX_WORD] = "%0";
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
        if (block == loop || !has(line, stop, "br ")) continue;
        for (const char *at = line; (at = memmem(at, (size_t)(stop - at), "label %", 7)) != NULL; at += 7) {
            const int label = atoi(at + 7);
            if (label >= 0 && label < MAX_VALUES && before[label])
                return mt_fail(MT_INPUT, "%s: the tally counts one loop, but there is another: %.*s", name,
                    (int)(stop - line), line);
        }
    }
    return MT_OK;
}

static mt_status lower_loop(code *c, const char *loop, const char *end)
{
    for (const char *line = loop; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *stop = newline ? newline : end;
        statement s = read_statement(line, stop);
        if (s.operation[0] && !lower(c, &s))
            return mt_fail(MT_INPUT, "the tally has no rule for: %.*s", (int)(stop - line), line);
        line = stop + 1;
    }
    for (int v = 0; v < c->n_values; v++)
        if (c->walks[v] && c->uses[v] > 1) emit(c, IPU_OP_ADDRESS, NOTHING, 1, &v);
    emit(c, IPU_OP_LOOP, NOTHING, 0, NULL);
    return c->strange ? mt_fail(MT_INPUT, "a loop of more than %d instructions", MAX_CODE) : MT_OK;
}

static unsigned lines_between(const char *begin, const char *end)
{
    unsigned n = 0;
    for (const char *at = begin; at < end; at++)
        if (at[0] == '\n' && at[1] == ' ') n++; /* statements are indented, labels are not */
    return n;
}

/* Finds the floats that are defined before the loop. */
static mt_status find_floats(code *c, const char *body, const char *loop)
{
    for (const char *at = body; at < loop; at++) {
        if (strncmp(at, " = load float", 13) != 0 && strncmp(at, " = fneg float", 13) != 0) continue;
        char word[MAX_WORD];
        last_word(body, at, word);
        c->file[value_of(c, word)] = IPU_FILE_FLOAT;
        if (c->strange)
            return mt_fail(
                MT_INPUT, "the tally supports values from %%0 to %%%d, not '%s'", TEXT_VALUES - 1, word);
    }
    return MT_OK;
}

static mt_status count_in(mt_arena *scratch, const char *body, const char *end, ipu_mix *mix)
{
    code c = {.n_values = TEXT_VALUES};
    MT_ALLOC(scratch, c.line, MAX_CODE);
    MT_ALLOC(scratch, c.file, MAX_VALUES);
    MT_ALLOC(scratch, c.width, MAX_VALUES);
    MT_ALLOC(scratch, c.counts, MAX_VALUES);
    MT_ALLOC(scratch, c.uses, MAX_VALUES);
    MT_ALLOC(scratch, c.walks, MAX_VALUES);
    MT_ALLOC(scratch, c.meaning, MAX_VALUES);
    const char *loop, *loop_end;
    if (!find_loop(body, end, &loop, &loop_end))
        return mt_fail(MT_INPUT, "%s: contains no loop of one basic block", mix->name);
    MT_TRY(check_only(body, end, loop, mix->name));
    MT_TRY(find_floats(&c, body, loop));
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
    char name[MAX_WORD];
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
