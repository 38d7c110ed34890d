#include "mesh/files/element_list.h"

#include "data/files/scan.h"

/* True if there is another word, on this line or a later one. */
static bool goes_on(const mt_scan *scan)
{
    mt_scan copy = *scan;
    char word[2];
    mt_scan_word(&copy, word, sizeof word);
    return word[0] != 0;
}

mt_status mt_element_list_read(mt_arena *arena, const char *path, size_t n_elements, unsigned char **listed)
{
    MT_SCRATCH(scratch);
    mt_scan scan;
    size_t n = 0;
    MT_ALLOC(arena, *listed, n_elements);
    MT_TRY(mt_scan_open(scratch, path, &scan));
    scan.comment = '#';
    for (; goes_on(&scan); n++) {
        int64_t number;
        MT_TRY(mt_scan_int(&scan, "element", 0, (int64_t)n_elements - 1, &number));
        (*listed)[number] = 1;
        MT_TRY(mt_scan_end_line(&scan, "the number of an element"));
    }
    return n > 0 ? MT_OK : mt_scan_fail(&scan, "the list is empty; allowed: one element number per line");
}
