/* fuzz_seeds FOLDER: the first inputs of the fuzzers, FOLDER/ENDING/NUMBER for those whose first file ends in
 * ENDING. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/parts.h"
#include "tests/mesh/examples.h"

/* Appends a file, if it is there, to `out` and removes it. */
static bool append(const char *path, FILE *out)
{
    char bytes[4096];
    FILE *in = fopen(path, "rb");
    if (!in) return errno == ENOENT;
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, in)) > 0;) (void)fwrite(bytes, 1, n, out);
    const bool good = !ferror(in) && !ferror(out);
    (void)fclose(in);
    return unlink(path) == 0 && good;
}

static bool write_seed(const char *root, int number)
{
    const example *e = &examples[number];
    char folder[1024], stem[1100], path[1200];
    (void)snprintf(folder, sizeof folder, "%s/%s", root, e->ending[0] + 1);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) return false;
    (void)snprintf(stem, sizeof stem, "%s/part", folder);
    (void)snprintf(path, sizeof path, "%s/%d", folder, number);
    FILE *out = e->make(stem) ? fopen(path, "wb") : NULL;
    if (!out) return false;
    bool good = true;
    for (int k = 0; e->ending[k]; k++) {
        (void)snprintf(path, sizeof path, "%s%s", stem, e->ending[k]);
        if (k > 0) (void)fputs(between_parts, out);
        good = append(path, out) && good;
    }
    return fclose(out) == 0 && good;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fputs("fuzz_seeds FOLDER\n", stderr);
        return 2;
    }
    bool good = mkdir(argv[1], 0777) == 0 || errno == EEXIST;
    for (int k = 0; k < N_EXAMPLES && good; k++) good = write_seed(argv[1], k);
    if (!good) perror(argv[1]);
    return good ? 0 : 3;
}
