#include "app/run/warnings.h"

static void warn(void *nobody, const char *text)
{
    (void)nobody;
    mt_warn("%s", text);
}

const mt_findings mt_warnings = {.add = warn};
