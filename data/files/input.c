#include "data/files/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *mt_input_kind(const struct stat *file)
{
    return S_ISDIR(file->st_mode)    ? "a folder"
           : S_ISBLK(file->st_mode)  ? "a block device"
           : S_ISSOCK(file->st_mode) ? "a socket"
           : S_ISFIFO(file->st_mode) ? "a pipe"
           : S_ISCHR(file->st_mode)  ? "a character device"
                                     : "the program's own output";
}

/* ---- inputs and outputs of the command ---- */

/* IS_FREE: this command wrote it, or may change it in place */
typedef enum use { IS_READ, IS_WRITTEN, IS_FREE } use;

typedef struct used {
    dev_t device;
    ino_t number;
    use what;
} used;

static struct {
    bool in_command;
    size_t n, room;
    used *file; /* [n] */
} uses;

static used *find_use(const struct stat *file)
{
    for (size_t k = 0; k < uses.n; k++)
        if (uses.file[k].number == file->st_ino && uses.file[k].device == file->st_dev) return &uses.file[k];
    return NULL;
}

static mt_status note_use(const char *path, const struct stat *file, use what)
{
    if (!uses.in_command) return MT_OK;
    used *found = find_use(file);
    if (!found && uses.n == uses.room) {
        const size_t room = 2 * uses.room + 16;
        used *more = realloc(uses.file, room * sizeof *more);
        if (!more) return mt_fail(MT_MEMORY, "%s: out of memory", path);
        uses.file = more;
        uses.room = room;
    }
    if (!found) found = &uses.file[uses.n++];
    *found = (used){file->st_dev, file->st_ino, what};
    return MT_OK;
}

static mt_status check_use(const char *path, const struct stat *file, use forbidden)
{
    const used *found = find_use(file);
    if (!found || found->what != forbidden) return MT_OK;
    return mt_fail(
        MT_INPUT, "%s: this command would overwrite one of its inputs; allowed: another output", path);
}

mt_status mt_input_check_output(const char *path, const struct stat *file)
{
    return check_use(path, file, IS_READ);
}

mt_status mt_input_note_output(const char *path, const struct stat *file)
{
    MT_TRY(check_use(path, file, IS_READ));
    return find_use(file) ? MT_OK : note_use(path, file, IS_WRITTEN);
}

void mt_input_release(const struct stat *file) { (void)note_use("", file, IS_FREE); }

mt_status mt_input_change_in_place(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? note_use(path, &info, IS_FREE) : MT_OK;
}

void mt_input_begin_command(void) { uses.in_command = true; }

void mt_input_end_command(void)
{
    free(uses.file);
    memset(&uses, 0, sizeof uses);
}

/* ---- opening for reading ---- */

static mt_status open_any(const char *path, int *fd, struct stat *info)
{
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd >= 0 && fstat(*fd, info) == 0) return MT_OK;
    const int reason = errno;
    if (*fd >= 0) (void)close(*fd);
    return mt_fail(MT_FILE, "%s: cannot be read: %s", path, strerror(reason));
}

static mt_status make_stream(const char *path, int fd, mt_status status, FILE **file)
{
    *file = status == MT_OK ? fdopen(fd, "rb") : NULL;
    if (*file) return MT_OK;
    const int reason = errno;
    (void)close(fd);
    return status != MT_OK ? status : mt_fail(MT_FILE, "%s: cannot be read: %s", path, strerror(reason));
}

static mt_status note_input(const char *path, const struct stat *info)
{
    const used *found = find_use(info);
    MT_TRY(check_use(path, info, IS_WRITTEN));
    return found ? MT_OK : note_use(path, info, IS_READ);
}

mt_status mt_input_open(const char *path, FILE **file)
{
    struct stat info;
    int fd;
    *file = NULL;
    MT_TRY(open_any(path, &fd, &info));
    const mt_status status = S_ISREG(info.st_mode) ? note_input(path, &info)
                                                   : mt_fail(MT_FILE, "%s: is %s; allowed: a regular file",
                                                         path, mt_input_kind(&info));
    return make_stream(path, fd, status, file);
}

/* Waits until a program writes to a pipe; `first`: a byte read while waiting, or EOF. */
static mt_status await_writer(const char *path, int fd, int *first)
{
    enum { ROUNDS = 20, ROUND_MS = 100 };
    struct pollfd to_read = {.fd = fd, .events = POLLIN};
    unsigned char byte;
    for (int k = 0; k < ROUNDS; k++) {
        if (poll(&to_read, 1, ROUND_MS) > 0) return MT_OK;
        const ssize_t n = read(fd, &byte, 1);
        if (n > 0) *first = byte;
        if (n > 0 || (n < 0 && errno == EAGAIN)) return MT_OK;
    }
    return mt_fail(MT_FILE, "%s: a pipe to which no program writes", path);
}

mt_status mt_input_open_stream(const char *path, FILE **file)
{
    struct stat info;
    int fd, first = EOF;
    *file = NULL;
    MT_TRY(open_any(path, &fd, &info));
    mt_status status = MT_OK;
    if (S_ISREG(info.st_mode))
        status = note_input(path, &info);
    else if (S_ISFIFO(info.st_mode))
        status = await_writer(path, fd, &first);
    else if (!isatty(fd))
        status =
            mt_fail(MT_INPUT, "%s: is %s; allowed: a regular file, or a pipe", path, mt_input_kind(&info));
    if (status == MT_OK && !S_ISREG(info.st_mode) && fcntl(fd, F_SETFL, O_RDONLY) != 0)
        status = mt_fail(MT_FILE, "%s: cannot be read: %s", path, strerror(errno));
    MT_TRY(make_stream(path, fd, status, file));
    if (first != EOF) (void)ungetc(first, *file);
    return MT_OK;
}

void mt_input_close(FILE *const *file)
{
    if (*file) (void)fclose(*file);
}

size_t mt_input_peek(const char *path, char *bytes, size_t n)
{
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t found = -1;
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) found = read(fd, bytes, n);
    if (fd >= 0) (void)close(fd);
    return found > 0 ? (size_t)found : 0;
}
