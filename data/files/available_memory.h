/* Memory still available to this process. */
#pragma once

#include <stddef.h>

/* Returns the available memory in bytes: the minimum of the system's free memory (/proc/meminfo: MemAvailable plus free swap),
 * the remaining limits of the process (ulimit -v, -d), and the limit of its control group (memory.max, cgroup 2, its own group).
 * This is an upper bound, because other processes allocate memory too. SIZE_MAX if no limit is known. */
size_t mt_memory_available(void);
