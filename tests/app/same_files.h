/* Folders of runs that must have the same files. */
#pragma once

#include <dirent.h>

#include "tests/app/program.h"

static inline const char *end_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot : "";
}

static bool skip_checkpoints; /* a test sets it if an emulated machine took part: they have its cycles */

/* Compares all files of two folders, apart from the report. `case_too`: also those that have the case, and with it the backend. Returns
 * their number. */
static inline size_t expect_same_files(const char *a, const char *b, bool case_too)
{
    size_t n = 0;
    DIR *folder = opendir(a);
    cr_assert_not_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        const char *end = end_of(entry->d_name);
        char in_a[300], in_b[300];
        const bool has_case = strcmp(end, ".hdf") == 0 || strcmp(end, ".yaml") == 0;
        if (entry->d_name[0] == '.' || strcmp(end, ".html") == 0 || (has_case && !case_too)) continue;
        (void)snprintf(in_a, sizeof in_a, "%s/%s", a, entry->d_name);
        (void)snprintf(in_b, sizeof in_b, "%s/%s", b, entry->d_name);
        if (skip_checkpoints && strncmp(entry->d_name, "checkpoint-", 11) == 0) continue;
        cr_expect(there(in_b) && same_file(in_a, in_b), "%s and %s", in_a, in_b);
        n++;
    }
    (void)closedir(folder);
    return n;
}

/* Runs and discards table and warnings. */
static inline void run(const char *line)
{
    char *table;
    free(warnings(&table, line));
    free(table);
}
