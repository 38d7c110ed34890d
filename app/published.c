#include "app/published.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

mt_status mt_published(const char *key, double *low, double *high)
{
    static const char path[] = MT_DATA_DIR "/reference/published.csv";
    char line[1024], found[128];
    FILE *file = fopen(path, "r");
    if (!file) return mt_fail(MT_FILE, "%s: %s", path, strerror(errno));
    *low = *high = NAN;
    while (isnan(*low) && fgets(line, sizeof line, file))
        if (sscanf(line, "%127[^,],%lf,%lf,", found, low, high) != 3 || strcmp(found, key) != 0)
            *low = *high = NAN;
    (void)fclose(file);
    return MT_OK;
}
