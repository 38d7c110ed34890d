#include "app/run/case_lines.h"

#include <string.h>

#include "data/yaml/yaml_words.h"
#include "solver/case/case.h"

/* Returns the next line with a key that affects any of `affects`. */
static mt_case_line next_line(const char **at, unsigned affects)
{
    while (**at) {
        const mt_case_line line = {*at, strcspn(*at, "\n")};
        unsigned found = mt_yaml_affects(mt_case_table.keys, *at);
        if (!found) found = MT_AFFECTS_STATE;
        *at += line.n + (line.text[line.n] == '\n');
        if (found & affects) return line;
    }
    return (mt_case_line){NULL, 0};
}

bool mt_case_lines_differ(
    const char *was, const char *is, unsigned affects, mt_case_line *before, mt_case_line *now)
{
    do {
        *before = next_line(&was, affects);
        *now = next_line(&is, affects);
        if (before->n != now->n ||
            strncmp(before->text ? before->text : "", now->text ? now->text : "", now->n) != 0)
            return true;
    } while (before->text);
    return false;
}

mt_status mt_case_lines_hash(const char *lines, unsigned affects, char text[MT_HASH_SIZE])
{
    mt_hash hash;
    MT_TRY(mt_hash_begin(&hash));
    for (mt_case_line line = next_line(&lines, affects); line.text; line = next_line(&lines, affects)) {
        mt_hash_add(&hash, line.text, line.n);
        mt_hash_add(&hash, "\n", 1);
    }
    mt_hash_end(&hash, text);
    return MT_OK;
}
