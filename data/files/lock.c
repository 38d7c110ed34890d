#include "data/files/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

mt_lock mt_lock_try(int descriptor)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(descriptor, F_OFD_SETLK, &whole) == 0) return MT_LOCK_TAKEN;
    return errno == EAGAIN || errno == EACCES ? MT_LOCK_HELD : MT_LOCK_UNKNOWN;
}

bool mt_lock_is_held(int descriptor)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}
