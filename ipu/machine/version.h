/* Which version of the library this is. */
#pragma once

/* "0.1.0". Valid for ever. */
const char *ipu_version(void);
