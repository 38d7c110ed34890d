/* One HTML file that shows runs, made of a template and of data: JSON that describes, and arrays of numbers.
 *
 * The template (data/report/template.html) is a whole page with a line `<!-- data -->`. In its place come
 *
 *     <script type="application/json" id="report">{"format": 1, "version": ..., "runs": [...]}</script>
 *     <script type="text/plain" id="r0a0">BASE64</script>      for each array
 *
 * In the JSON <, > and & are escapes, and Base64 has none of them, so nothing in a file can end a script or begin another. An array is a
 * zlib stream (RFC 1950) in Base64 (RFC 4648). Its numbers are little-endian, item after item; the JSON has its descriptor:
 *
 *     {"id": "r0a0", "type": "u16", "count": N, "components": K, "offset": o, "scale": s, "missing": 65535 or null, "delta": true}
 *
 * A value is offset + scale * number; a number equal to `missing` is no value. With "delta": true each component is the difference to that
 * of the item before it, modulo 2^bits; with "delta_items": D number i is the difference to number i - D. Which of these is written is
 * decided by which is shorter.
 *
 * Real numbers are quantised over their range: to 65,535 levels, or to 255. So a value is met to half of scale, and
 * whole ones are met exactly where there are as many levels. Arrays of whole numbers are met
 * exactly, in as few bytes as hold their range. Times are doubles. A long text is an array of its bytes, of type "text". Equal runs give
 * equal bytes. */
#pragma once

#include "data/core/arena.h"
#include "data/files/file.h"
#include "data/files/json.h"

/* What is put in for one run, under way or ended; it stays where it is. */
typedef struct mt_html_part {
    mt_json json; /* its object, open: values may be added */
    FILE *text, *blocks;
    char *text_bytes, *block_bytes;
    size_t n_text, n_block; /* valid after mt_html_part_size */
    unsigned run, n_arrays;
    mt_status status; /* of the first failure */
} mt_html_part;

/* Begins the object of run number `run`. Ended by mt_html_part_forget. MT_MEMORY. */
MT_NODISCARD mt_status mt_html_part_begin(unsigned run, mt_html_part *part);

/* Ends the object, and gives how many bytes of the file it and its arrays take. MT_MEMORY: something of it has been lost. */
MT_NODISCARD mt_status mt_html_part_end(mt_html_part *part, size_t *bytes);

/* Bytes so far, while it is under way. MT_MEMORY. */
MT_NODISCARD mt_status mt_html_part_size(mt_html_part *part, size_t *bytes);

void mt_html_part_forget(mt_html_part *part);

/* How fine real numbers are. */
typedef enum mt_html_levels { MT_HTML_255 = 8, MT_HTML_65535 = 16 } mt_html_levels;

/* Add an array of n items of so many components under a key of the newest object or list (NULL in a list). Real numbers, NaN where there is none:
 * with `lag` (0: none) they may be written as differences to the number so many before. Whole numbers from 0 to 2^32 - 1. Doubles as they
 * are. Failures come out in the end. */
void mt_html_reals(mt_html_part *part, const char *key, size_t n, size_t components, const double *values,
    mt_html_levels levels, size_t lag);
void mt_html_wholes(mt_html_part *part, const char *key, size_t n, size_t components, const uint32_t *values);
void mt_html_doubles(mt_html_part *part, const char *key, size_t n, const double *values);

/* Adds a text under a key in the same way, compressed. */
void mt_html_text(mt_html_part *part, const char *key, const char *text);

/* The template, read. */
typedef struct mt_html_template {
    const char *head, *tail; /* before the line, and behind it */
} mt_html_template;

/* Gives it in `arena`. MT_FILE: it cannot be read. MT_INPUT: the line `<!-- data -->` is not in it exactly once. MT_MEMORY. */
MT_NODISCARD mt_status mt_html_template_read(mt_arena *arena, const char *path, mt_html_template *template);

/* Bytes of a file of n parts that are not the parts'. */
size_t mt_html_frame_bytes(const mt_html_template *template, size_t n);

/* Writes n ended parts, whole or not at all (data/files/file.h), and gives the file's bytes. MT_FILE. */
MT_NODISCARD mt_status mt_html_write(
    const char *path, const mt_html_template *template, size_t n, const mt_html_part *parts, size_t *bytes);
