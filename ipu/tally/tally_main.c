/* tally MODULE.ll FUNCTION...: counts the loops of the functions and prints lines TALLY(name, instructions, member = count,
 * ...) (ipu/tally/tally.h). */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "ipu/tally/tally.h"

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = NULL;
    size_t size = 0, room = 0;
    for (;;) {
        if (size + 1 >= room) {
            room = room ? 2 * room : 1 << 16;
            char *more = realloc(text, room);
            if (!more) break;
            text = more;
        }
        size_t n = fread(text + size, 1, room - size - 1, file);
        size += n;
        if (n == 0) break;
    }
    (void)fclose(file);
    if (text) text[size] = 0;
    return text;
}

static void print_mix(const ipu_mix *mix)
{
    printf("TALLY(%s, %u, .start = %u, .bundles = %u, .pairs = %u", mix->name,
        mix->start + mix->bundles + mix->pairs, mix->start, mix->bundles, mix->pairs);
    for (int o = 0; o < IPU_OPERATIONS; o++) {
        if (mix->count[o] == 0) continue;
        printf(", .count[IPU_OP_");
        for (const char *c = ipu_operation_name[o]; *c; c++) (void)putchar(toupper((unsigned char)*c));
        printf("] = %u", mix->count[o]);
    }
    printf(")\n");
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        (void)fprintf(stderr, "usage: tally MODULE.ll FUNCTION...\n");
        return MT_INPUT;
    }
    char *module = read_all(argv[1]);
    if (!module) {
        (void)fprintf(stderr, "tally: %s: cannot be read\n", argv[1]);
        return MT_FILE;
    }
    printf("/* Written by the tool `tally` (ipu/tally/tally.h); do not edit. */\n");
    mt_status status = MT_OK;
    for (int f = 2; f < argc && status == MT_OK; f++) {
        ipu_mix mix;
        status = ipu_tally_count(module, argv[f], &mix);
        if (status != MT_OK) break;
        print_mix(&mix);
    }
    free(module);
    if (status != MT_OK) (void)fprintf(stderr, "tally: %s\n", mt_message());
    return (int)status;
}
