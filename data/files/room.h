/* How much memory this process may still get. */
#pragma once

#include <stddef.h>

/* Bytes: the least of what the system says is available (/proc/meminfo: MemAvailable, and free swap), what the limits of
 * the process leave (ulimit -v, -d), and what its control group allows in all (memory.max, cgroup 2, its own group). The
 * true number may be less, for others take memory too, and is not more. SIZE_MAX where none of these is known. */
size_t mt_room_left(void);
