#include "ipu/tally/text.h"

#include <stdlib.h>
#include <string.h>

const char *ipu_text_copy_word(const char *at, const char *end, char word[IPU_TEXT_WORD])
{
    while (at < end && *at == ' ') at++;
    size_t n = 0;
    while (at < end && *at != ' ' && *at != ',' && *at != '(') {
        if (n + 1 < IPU_TEXT_WORD) word[n++] = *at;
        at++;
    }
    word[n] = 0;
    return at;
}

void ipu_text_last_word(const char *at, const char *end, char word[IPU_TEXT_WORD])
{
    while (end > at && (end[-1] == ' ' || end[-1] == ')')) end--;
    const char *start = end;
    while (start > at && start[-1] != ' ' && start[-1] != '(') start--;
    (void)ipu_text_copy_word(start, end, word);
}

bool ipu_text_has(const char *line, const char *end, const char *text)
{
    return memmem(line, (size_t)(end - line), text, strlen(text)) != NULL;
}

bool ipu_text_is_word(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0) return true;
    return false;
}

bool ipu_text_is_undefined(const char *word)
{
    static const char *const words[] = {"undef", "poison", NULL};
    return ipu_text_is_word(word, words);
}

const char *ipu_text_end_of_line(const char *line, const char *end)
{
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    return newline ? newline : end;
}

bool ipu_text_is_pair(const char *text, const char *end)
{
    static const char *const types[] = {"<2 x float>", "<4 x half>", "i64"};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        const size_t n = strlen(types[k]);
        if ((size_t)(end - text) >= n && memcmp(text, types[k], n) == 0) return true;
    }
    return false;
}

bool ipu_text_is_of_lanes(const char *operation)
{
    static const char *const operations[] = {
        "insertelement", "extractelement", "shufflevector", "bitcast", NULL};
    return ipu_text_is_word(operation, operations);
}

/* True if a line has an unsupported type: a vector that is no pair, a number of another size, or a word of 64 bits except in memory. */
static bool has_strange_type(const char *operation, const char *line, const char *end)
{
    static const char *const strange[] = {
        " half", "<half", " double", " bfloat", " i128", " x i", "<2 x half", "<8 x half"};
    static const char *const memory[] = {"load", "store", "getelementptr", NULL};
    static const char four[] = "<4 x";
    if (ipu_text_is_of_lanes(operation)) return false;
    if (ipu_text_has(line, end, " i64") && !ipu_text_is_word(operation, memory)) return true;
    for (size_t k = 0; k < sizeof strange / sizeof *strange; k++)
        for (const char *at = line; (at = memmem(at, (size_t)(end - at), strange[k], strlen(strange[k])));
             at++)
            if (k > 0 || at - line < 4 || memcmp(at - 4, four, 4) != 0) return true;
    const char *vector = memchr(line, '<', (size_t)(end - line));
    return vector && !ipu_text_is_pair(vector, end);
}

ipu_statement ipu_text_statement(const char *line, const char *end)
{
    ipu_statement s = {.defines = IPU_NO_VALUE, .end = end};
    const char *whole = line, *whole_end = end;
    const char *converted = memmem(line, (size_t)(end - line), " to i32", 7); /* of zext */
    if (converted) end = converted;
    const char *metadata = memmem(line, (size_t)(end - line), ", !", 3);
    if (metadata) end = metadata;
    while (line < end && *line == ' ') line++;
    const char *equals = memmem(line, (size_t)(end - line), " = ", 3);
    if (*line == '%' && equals) {
        ipu_text_last_word(line, equals, s.defined);
        line = equals + 3;
    }
    line = ipu_text_copy_word(line, end, s.operation);
    if (strcmp(s.operation, "tail") == 0) line = ipu_text_copy_word(line, end, s.operation);
    s.rest = line;
    (void)ipu_text_copy_word(line, end, s.type);
    s.pair = ipu_text_has(whole, whole_end, "<2 x float>") || ipu_text_has(whole, whole_end, "<4 x half>") ||
             strcmp(s.type, "i64") == 0;
    s.strange = has_strange_type(s.operation, whole, whole_end);
    const char *at_sign = memchr(line, '@', (size_t)(end - line));
    if (at_sign) (void)ipu_text_copy_word(at_sign + 1, end, s.called);
    if (at_sign && memchr(at_sign, '(', (size_t)(end - at_sign))) {
        line = memchr(at_sign, '(', (size_t)(end - at_sign));
        const char *close = memchr(line, ')', (size_t)(end - line));
        if (close) end = close;
    }
    while (line < end && s.n_parts < IPU_TEXT_PARTS) {
        const char *comma = memchr(line, ',', (size_t)(end - line));
        ipu_text_last_word(line, comma ? comma : end, s.part[s.n_parts++]);
        line = comma ? comma + 1 : end;
    }
    return s;
}

int ipu_text_number(const char *word)
{
    const size_t digits = *word == '%' ? strspn(word + 1, "0123456789") : 0;
    const bool known = digits > 0 && digits < 6 && word[1 + digits] == 0 && atoi(word + 1) < IPU_TEXT_VALUES;
    return known ? atoi(word + 1) : IPU_NO_VALUE;
}

void ipu_text_operand(const ipu_statement *s, int k, char word[IPU_TEXT_WORD])
{
    const char *from = s->rest, *at = from;
    int depth = 0;
    word[0] = 0;
    for (; at < s->end; at++) {
        if (*at == '<' || *at == '[' || *at == '(') depth++;
        if (*at == '>' || *at == ']' || *at == ')') depth--;
        if (*at != ',' || depth > 0) continue;
        if (k-- == 0) break;
        from = at + 1;
    }
    if (k > 0) return;
    const char *last = at;
    while (last > from && last[-1] == ' ') last--;
    const char *start = last;
    const char stop = last > from && last[-1] == '>' ? '<' : ' ';
    while (start > from && start[-1] != stop) start--;
    if (stop == '<' && start > from) start--;
    if (last - start >= IPU_TEXT_WORD) return;
    memcpy(word, start, (size_t)(last - start));
    word[last - start] = 0;
}

bool ipu_text_index(const char *word, long most, long *index)
{
    char *end;
    *index = strtol(word, &end, 10);
    return end > word && *end == 0 && *index >= 0 && *index < most;
}

bool ipu_text_mask(const char *word, long mask[2])
{
    char part[2][IPU_TEXT_WORD];
    mask[0] = mask[1] = 0;
    if (strcmp(word, "zeroinitializer") == 0) return true;
    const char *comma = strchr(word, ','), *end = strchr(word, '>');
    if (strncmp(word, "<i32 ", 5) != 0 || !comma || !end || strncmp(comma, ", i32 ", 6) != 0 ||
        strchr(comma + 1, ',')) /* of more lanes */
        return false;
    (void)ipu_text_copy_word(word + 5, comma, part[0]);
    (void)ipu_text_copy_word(comma + 6, end, part[1]);
    for (int k = 0; k < 2; k++) {
        if (ipu_text_is_undefined(part[k]))
            mask[k] = -1;
        else if (!ipu_text_index(part[k], 4, &mask[k]))
            return false;
    }
    return true;
}
