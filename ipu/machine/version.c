#include "ipu/machine/version.h"

const char *ipu_version(void) { return MT_VERSION; }
