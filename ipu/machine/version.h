/* Which version of the library this is. */
#ifndef IPU_MACHINE_VERSION_H
#define IPU_MACHINE_VERSION_H

/* "0.1.0". Valid for ever. */
const char *ipu_version(void);

#endif
