#include "data/files/scan.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "data/files/input.h"

/* ---- the file ---- */

mt_status mt_scan_open(mt_arena *arena, const char *path, mt_scan *scan)
{
    MT_STREAM *file = NULL;
    struct stat info;
    char *bytes;
    MT_TRY(mt_input_open(path, &file));
    if (fstat(fileno(file), &info) != 0)
        return mt_fail(MT_FILE, "%s: cannot be read: %s", path, strerror(errno));
    const size_t n = (size_t)info.st_size;
    MT_ALLOC(arena, bytes, n + 1);
    if (fread(bytes, 1, n, file) != n) return mt_fail(MT_FILE, "%s: cannot be read completely", path);
    *scan = (mt_scan){.path = path, .begin = bytes, .at = bytes, .end = bytes + n, .line = 1};
    return MT_OK;
}

mt_status mt_scan_fail(const mt_scan *scan, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (scan->binary)
        return mt_fail(MT_INPUT, "%s: byte %zu: %s", scan->path, (size_t)(scan->at - scan->begin), what);
    return mt_fail(MT_INPUT, "%s:%zu: %s", scan->path, scan->line, what);
}

size_t mt_scan_left(const mt_scan *scan) { return (size_t)(scan->end - scan->at); }

/* ---- text ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
static bool begins_remark(const mt_scan *scan, char c) { return scan->comment && c == scan->comment; }
static bool ends_word(const mt_scan *scan, char c)
{
    return is_blank(c) || c == '\n' || begins_remark(scan, c);
}

static void skip_blanks(mt_scan *scan)
{
    while (scan->at < scan->end && ends_word(scan, *scan->at)) {
        if (*scan->at == '\n' || begins_remark(scan, *scan->at))
            mt_scan_next_line(scan);
        else
            scan->at++;
    }
}

/* Returns the end of the word that begins at `at`. */
static const char *word_end(const mt_scan *scan, const char *at)
{
    while (at < scan->end && !ends_word(scan, *at)) at++;
    return at;
}

void mt_scan_word(mt_scan *scan, char *out, size_t size)
{
    skip_blanks(scan);
    const char *end = word_end(scan, scan->at);
    size_t n = (size_t)(end - scan->at);
    if (n >= size) n = size - 1;
    memcpy(out, scan->at, n);
    out[n] = 0;
    scan->at = end;
}

bool mt_scan_more(mt_scan *scan)
{
    while (scan->at < scan->end && is_blank(*scan->at)) scan->at++;
    return scan->at < scan->end && *scan->at != '\n' && !begins_remark(scan, *scan->at);
}

size_t mt_scan_words(const mt_scan *scan)
{
    mt_scan copy = *scan;
    size_t n = 0;
    for (; mt_scan_more(&copy); n++) copy.at = word_end(&copy, copy.at);
    return n;
}

void mt_scan_next_line(mt_scan *scan)
{
    const char *end = memchr(scan->at, '\n', mt_scan_left(scan));
    scan->line += end != NULL;
    scan->at = end ? end + 1 : scan->end;
}

mt_status mt_scan_need_more(mt_scan *scan, size_t k, size_t n)
{
    if (scan->binary || mt_scan_more(scan)) return MT_OK;
    return mt_scan_fail(scan, "the line ends after %zu of %zu numbers", k, n);
}

mt_status mt_scan_end_line(mt_scan *scan, const char *what)
{
    char word[41];
    if (scan->binary || !mt_scan_more(scan)) return MT_OK;
    mt_scan_word(scan, word, sizeof word);
    return mt_scan_fail(scan, "'%s' after %s; allowed: the end of the line", word, what);
}

mt_status mt_scan_end_file(mt_scan *scan, const char *what, size_t n)
{
    char word[41];
    mt_scan rest = *scan;
    rest.binary = false;
    mt_scan_word(&rest, word, sizeof word);
    if (!word[0]) return MT_OK;
    if (scan->binary)
        return mt_scan_fail(
            scan, "more data after the last of %zu %s; allowed: the end of the file", n, what);
    return mt_scan_fail(&rest, "'%s' after the last of %zu %s; allowed: the end of the file", word, n, what);
}

bool mt_scan_skip_past(mt_scan *scan, const char *mark)
{
    const char *found = memmem(scan->at, mt_scan_left(scan), mark, strlen(mark));
    if (!found) return false;
    for (const char *c = scan->at; c < found; c++) scan->line += *c == '\n';
    scan->at = found + strlen(mark);
    return true;
}

/* ---- numbers ---- */

/* Reports that the word at `at` is not allowed. */
static mt_status refuse_word(const mt_scan *scan, const char *what, const char *allowed)
{
    const char *end = word_end(scan, scan->at);
    const int n = end - scan->at > 40 ? 40 : (int)(end - scan->at);
    if (n == 0) return mt_scan_fail(scan, "the file ends before the %s; allowed: %s", what, allowed);
    return mt_scan_fail(scan, "%s is '%.*s'; allowed: %s", what, n, scan->at, allowed);
}

static mt_status refuse_int(const mt_scan *scan, const char *what, int64_t least, int64_t most)
{
    char allowed[96];
    (void)snprintf(
        allowed, sizeof allowed, "a whole number from %lld to %lld", (long long)least, (long long)most);
    return refuse_word(scan, what, allowed);
}

static mt_status text_int(mt_scan *scan, const char *what, int64_t least, int64_t most, int64_t *value)
{
    int64_t number = 0;
    skip_blanks(scan);
    const char *at = scan->at;
    const bool minus = at < scan->end && *at == '-';
    if (at < scan->end && (*at == '-' || *at == '+')) at++;
    const char *digits = at;
    for (; at < scan->end && *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, *at - '0', &number))
            return refuse_int(scan, what, least, most);
    if (minus) number = -number;
    if (at == digits || (at < scan->end && !ends_word(scan, *at)) || number < least || number > most)
        return refuse_int(scan, what, least, most);
    scan->at = at;
    *value = number;
    return MT_OK;
}

static mt_status raw(mt_scan *scan, const char *what, size_t n, unsigned char *bytes)
{
    if (mt_scan_left(scan) < n) return mt_scan_fail(scan, "the file ends before the %s", what);
    memcpy(bytes, scan->at, n);
    return MT_OK;
}

static uint64_t little_endian(const unsigned char *bytes, size_t n)
{
    uint64_t value = 0;
    for (size_t k = 0; k < n; k++) value |= (uint64_t)bytes[k] << (8 * k);
    return value;
}

static mt_status give_int(
    mt_scan *scan, const char *what, size_t n, int64_t number, int64_t least, int64_t most, int64_t *value)
{
    if (number < least || number > most)
        return mt_scan_fail(scan, "%s is %lld; allowed: %lld to %lld", what, (long long)number,
            (long long)least, (long long)most);
    scan->at += n;
    *value = number;
    return MT_OK;
}

mt_status mt_scan_int(mt_scan *scan, const char *what, int64_t least, int64_t most, int64_t *value)
{
    unsigned char bytes[4];
    if (!scan->binary) return text_int(scan, what, least, most, value);
    MT_TRY(raw(scan, what, 4, bytes));
    const int64_t number = (int64_t)little_endian(bytes, 4);
    return give_int(
        scan, what, 4, number > INT32_MAX ? number - ((int64_t)1 << 32) : number, least, most, value);
}

mt_status mt_scan_long(mt_scan *scan, const char *what, int64_t least, int64_t most, int64_t *value)
{
    unsigned char bytes[8];
    if (!scan->binary) return text_int(scan, what, least, most, value);
    MT_TRY(raw(scan, what, 8, bytes));
    const uint64_t number = little_endian(bytes, 8);
    if (number > INT64_MAX)
        return mt_scan_fail(scan, "%s is %llu; allowed: %lld to %lld", what, (unsigned long long)number,
            (long long)least, (long long)most);
    return give_int(scan, what, 8, (int64_t)number, least, most, value);
}

mt_status mt_scan_count(mt_scan *scan, const char *what, size_t bytes_each, size_t *count)
{
    int64_t number;
    mt_scan before = *scan;
    MT_TRY(mt_scan_long(scan, what, 0, INT64_MAX, &number));
    const size_t most =
        mt_scan_left(scan) / bytes_each + (scan->binary ? 0 : 1); /* no blank after the last item */
    if ((uint64_t)number > most) {
        if (!scan->binary) skip_blanks(&before);
        return mt_scan_fail(
            &before, "%s is %lld; the rest of the file has space for %zu", what, (long long)number, most);
    }
    *count = (size_t)number;
    return MT_OK;
}

static mt_status refuse_real(const mt_scan *scan, const char *what, double most)
{
    char allowed[96];
    (void)snprintf(allowed, sizeof allowed, "a number from %g to %g", -most, most);
    return refuse_word(scan, what, allowed);
}

mt_status mt_scan_real(mt_scan *scan, const char *what, double most, double *value)
{
    unsigned char bytes[8];
    if (scan->binary) {
        MT_TRY(raw(scan, what, 8, bytes));
        const uint64_t bits = little_endian(bytes, 8);
        double number;
        memcpy(&number, &bits, sizeof number);
        if (!(fabs(number) <= most))
            return mt_scan_fail(scan, "%s is %g; allowed: a number from %g to %g", what, number, -most, most);
        scan->at += 8;
        *value = number;
        return MT_OK;
    }
    skip_blanks(scan);
    if (scan->at == scan->end) return refuse_real(scan, what, most);
    char *end; /* strtod stops at scan->end at the latest */
    const double number = strtod(scan->at, &end);
    if (end == scan->at || (end < scan->end && !ends_word(scan, *end)) || !(fabs(number) <= most))
        return refuse_real(scan, what, most);
    scan->at = end;
    *value = number;
    return MT_OK;
}
