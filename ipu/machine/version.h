/* The version of the library. */
#pragma once

/* Returns "0.1.0". Static storage. */
const char *ipu_version(void);
