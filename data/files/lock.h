/* Locks that live as long as an open file: they go with the process that has them, however it ends. */
#pragma once

#include <stdbool.h>

/* unknown: the file system has no locks. */
typedef enum mt_lock { MT_LOCK_TAKEN, MT_LOCK_HELD, MT_LOCK_UNKNOWN } mt_lock;

/* Tries to take the lock of the whole file that is open for writing under this descriptor, for as long as it, or a copy of it,
 * is open. Does not wait: held is by somebody else. */
mt_lock mt_lock_try(int descriptor);

/* Has somebody else the lock of a file that is open under this descriptor, for whatever? Takes nothing. Not where the file system has no
 * locks. */
bool mt_lock_is_held(int descriptor);
