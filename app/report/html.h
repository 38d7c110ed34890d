/* Writing an HTML file that shows runs, from a template and data: JSON and arrays of numbers.
 *
 * The template (data/report/template.html) is a complete page with a line `<!-- data -->`. It is replaced by
 *
 *     <script type="application/json" id="report">{"format": 1, "version": ..., "runs": [...]}</script>
 *     <script type="text/plain" id="r0a0">BASE64</script>      for each array
 *
 * In the JSON <, > and & are escaped, and Base64 has none of them, so that no data can end a script or start another. An array is a zlib
 * stream (RFC 1950) in Base64 (RFC 4648). Its numbers are little-endian, item after item; the JSON has its descriptor:
 *
 *     {"id": "r0a0", "type": "u16", "count": N, "components": K, "offset": o, "scale": s, "missing": 65535 or null, "delta": true}
 *
 * A value is offset + scale * number; a number equal to `missing` is no value. With "delta": true each component is the difference from the
 * same component of the previous item, modulo 2^bits. With "delta_items": D number i is the difference from number i - D. The shortest form
 * is written.
 *
 * Real numbers are quantised over their range to 65,535 or 255 levels, so that the error is at most half of scale; integers within the
 * number of levels are exact. Arrays of integers are exact, with the fewest bytes that hold their range. Times are doubles. A long text is
 * an array of its bytes, of type "text". The file is deterministic. */
#pragma once

#include "data/core/arena.h"
#include "data/files/file.h"
#include "data/files/json.h"

/* The data of one run, open or ended; it must not be copied. */
typedef struct mt_html_part {
    mt_json json; /* its object, open for more values */
    FILE *text, *blocks;
    char *text_bytes, *block_bytes;
    size_t n_text, n_block; /* valid after mt_html_part_size */
    unsigned run, n_arrays;
    mt_status status; /* of the first failure */
} mt_html_part;

/* Starts the object of run number `run`. Freed by `mt_html_part_free`. */
MT_NODISCARD mt_status mt_html_part_begin(unsigned run, mt_html_part *part);

/* Ends the object, and returns the size in the file of the object and its arrays. Fails with MT_MEMORY if data was lost. */
MT_NODISCARD mt_status mt_html_part_end(mt_html_part *part, size_t *bytes);

/* Returns the size so far of an open part. */
MT_NODISCARD mt_status mt_html_part_size(mt_html_part *part, size_t *bytes);

void mt_html_part_free(mt_html_part *part);

/* The number of levels of quantised numbers. */
typedef enum mt_html_levels { MT_HTML_255 = 8, MT_HTML_65535 = 16 } mt_html_levels;

/* Add an array of n items with `components` components under a key of the innermost open object or list (NULL in a list). Real numbers are
 * quantised, and NaN is no value; with a `lag` above 0 they can be written as differences from the number `lag` before. Integers are
 * 0 to 2^32 - 1. Doubles are stored unchanged. `mt_html_part_end` returns errors. */
void mt_html_reals(mt_html_part *part, const char *key, size_t n, size_t components, const double *values,
    mt_html_levels levels, size_t lag);
void mt_html_wholes(mt_html_part *part, const char *key, size_t n, size_t components, const uint32_t *values);
void mt_html_doubles(mt_html_part *part, const char *key, size_t n, const double *values);

/* Adds a text under a key in the same way, compressed. */
void mt_html_text(mt_html_part *part, const char *key, const char *text);

/* The text of the template. */
typedef struct mt_html_template {
    const char *head, *tail; /* before and after the line of data */
} mt_html_template;

/* Reads it into `arena`. Fails with MT_FILE if it cannot be read, or with MT_INPUT unless it has exactly one line `<!-- data -->`. */
MT_NODISCARD mt_status mt_html_template_read(mt_arena *arena, const char *path, mt_html_template *template);

/* Returns the size of a file of n parts without the parts. */
size_t mt_html_frame_bytes(const mt_html_template *template, size_t n);

/* Writes a file of n ended parts, complete or not at all (data/files/file.h), and returns its size. Fails with MT_FILE. */
MT_NODISCARD mt_status mt_html_write(
    const char *path, const mt_html_template *template, size_t n, const mt_html_part *parts, size_t *bytes);
