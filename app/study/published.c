#include "app/study/published.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/files/data_folder.h"
#include "data/files/input.h"

/* Parses a line `key,low,high,unit,source`. True if it has this key. */
static bool read_line(const char *line, const char *key, mt_published_number *number)
{
    char found[128];
    int at = 0;
    if (sscanf(line, "%127[^,],%lf,%lf,%n", found, &number->low, &number->high, &at) != 3 || at == 0 ||
        strcmp(found, key) != 0)
        return false;
    const int n = (int)strcspn(line + at, ",\n");
    (void)snprintf(number->unit, sizeof number->unit, "%.*s", n, line + at);
    number->derived = strncmp(line + at + n, ",\"derived:", strlen(",\"derived:")) == 0;
    return true;
}

mt_status mt_published_find(const char *key, mt_published_number *number)
{
    char path[PATH_MAX], line[1024];
    (void)snprintf(path, sizeof path, "%s/reference/published.csv", mt_data_folder());
    bool found = false;
    FILE *file;
    MT_TRY(mt_input_open(path, &file));
    while (!found && fgets(line, sizeof line, file)) found = read_line(line, key, number);
    if (!found) *number = (mt_published_number){.low = NAN, .high = NAN};
    (void)fclose(file);
    return MT_OK;
}

mt_status mt_published(const char *key, double *low, double *high)
{
    mt_published_number number;
    MT_TRY(mt_published_find(key, &number));
    *low = number.low;
    *high = number.high;
    return MT_OK;
}

mt_status mt_published_elements(const char *name, unsigned long *elements)
{
    char key[64];
    double low, high;
    (void)snprintf(key, sizeof key, "%.40s_elements", name);
    MT_TRY(mt_published(key, &low, &high));
    if (isnan(low)) return mt_fail(MT_INPUT, "--like %s; allowed: heart04, heart05", name);
    *elements = (unsigned long)low;
    return MT_OK;
}
