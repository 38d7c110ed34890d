/* Locks with the lifetime of an open file: the system releases them when their process ends, in whatever way. */
#pragma once

#include <stdbool.h>

/* MT_LOCK_UNKNOWN: the file system does not support locks. */
typedef enum mt_lock { MT_LOCK_TAKEN, MT_LOCK_HELD, MT_LOCK_UNKNOWN } mt_lock;

/* Tries, without waiting, to lock the entire file that is open for writing under this descriptor, until it and its copies are
 * closed. MT_LOCK_HELD: another process holds the lock. */
mt_lock mt_lock_try(int descriptor);

/* True if another process holds a lock on the open file. Takes no lock. False if the file system does not support locks. */
bool mt_lock_is_held(int descriptor);
