/* Progress reports of long computations. */
#pragma once

#include <stdbool.h>

#include "data/core/status.h"

/* A progress callback, called many times a second from the calling thread with the stage and its completed
 * fraction (0 to 1). A stage may occur several times. It returns false to stop the work. */
typedef struct mt_watch {
    bool (*tell)(void *user, const char *stage, double done); /* may be NULL */
    void *user;
} mt_watch;

/* Reports progress; false to stop. */
static inline bool mt_watch_continues(const mt_watch *watch, const char *stage, double done)
{
    return !watch->tell || watch->tell(watch->user, stage, done < 1 ? done : 1);
}

/* Reports progress; fails with MT_STOPPED to stop. */
MT_NODISCARD static inline mt_status mt_watch_report(const mt_watch *watch, const char *stage, double done)
{
    if (mt_watch_continues(watch, stage, done)) return MT_OK;
    return mt_fail(MT_STOPPED, "stopped while computing the diffusion operator");
}
