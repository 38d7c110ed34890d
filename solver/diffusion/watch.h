/* Whom to tell how far long work has come. */
#pragma once

#include <stdbool.h>

#include "data/core/status.h"

/* Told many times a second, from the calling thread: what is being done, and how much of that has been (0 to 1). A stage may
 * come several times. False stops the work. */
typedef struct mt_watch {
    bool (*tell)(void *user, const char *stage, double done); /* or NULL */
    void *user;
} mt_watch;

/* Tells it; false: stop. */
static inline bool mt_watch_go_on(const mt_watch *watch, const char *stage, double done)
{
    return !watch->tell || watch->tell(watch->user, stage, done < 1 ? done : 1);
}

/* The same; MT_STOPPED: stop. */
MT_NODISCARD static inline mt_status mt_watch_tell(const mt_watch *watch, const char *stage, double done)
{
    if (mt_watch_go_on(watch, stage, done)) return MT_OK;
    return mt_fail(MT_STOPPED, "stopped while the diffusion operator was made");
}
