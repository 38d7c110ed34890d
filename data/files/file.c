#include "data/files/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "data/files/input.h"
#include "data/files/journal.h"
#include "data/files/lock.h"
#include "data/files/temporary.h"

static const char attribute[] = "user.myotile", word[] = "myotile";
enum { TRIES = 100, LINKS_MAX = 40, LOOKED_AT = 4096 };

/* A temporary file, until it is in place or deleted; or a removal in the open set, for which only a unique temporary name
 * exists. */
struct mt_file_part {
    _Atomic(struct mt_file_part *) next;
    int lock;     /* descriptor of the temporary file; -1: a removal */
    bool waiting; /* True if it was completed and is in the open set */
    char target[MT_FILE_PATH_MAX], temporary[2 * MT_FILE_PATH_MAX];
};

/* List of all temporary files, the newest last; a signal handler may traverse it. */
static _Atomic(struct mt_file_part *) first_part;
static bool set_is_open;

static volatile sig_atomic_t renaming;         /* True while a set is being put in place */
static volatile sig_atomic_t raised_meanwhile; /* a signal that arrived during that time, or 0 */

/* ---- paths ---- */

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Returns the length of "DIR/", or 0. */
static int folder_length(const char *path) { return (int)(name_of(path) - path); }

static void folder_of(const char *path, char folder[MT_FILE_PATH_MAX])
{
    const int n = folder_length(path);
    (void)snprintf(folder, MT_FILE_PATH_MAX, "%.*s", n > 0 ? n : 1, n > 0 ? path : ".");
}

/* Finds the path that the last component leads to after following its symbolic links; it need not exist. False: too many links,
 * or the path is too long. */
static bool follow(const char *path, char target[MT_FILE_PATH_MAX])
{
    char link[MT_FILE_PATH_MAX], next[2 * MT_FILE_PATH_MAX];
    if (snprintf(target, MT_FILE_PATH_MAX, "%s", path) >= MT_FILE_PATH_MAX) return false;
    for (int k = 0; k < LINKS_MAX; k++) {
        const ssize_t n = readlink(target, link, sizeof link - 1);
        if (n < 0) return true;
        link[n] = 0;
        (void)snprintf(next, sizeof next, "%.*s%s", link[0] == '/' ? 0 : folder_length(target), target, link);
        if (snprintf(target, MT_FILE_PATH_MAX, "%s", next) >= MT_FILE_PATH_MAX) return false;
    }
    return false;
}

static mt_status find_target(const char *path, char target[MT_FILE_PATH_MAX])
{
    const size_t room = MT_FILE_PATH_MAX - MT_TEMPORARY_EXTRA - 1, n = strlen(path);
    if (n == 0) return mt_fail(MT_INPUT, "the name of the output file is empty");
    if (n > room)
        return mt_fail(MT_INPUT, "%.60s...: a path of %zu characters; allowed: at most %zu", path, n, room);
    if (!follow(path, target) || strlen(target) > room)
        return mt_fail(MT_FILE, "%s: cannot be written: its symbolic links cannot be resolved", path);
    return MT_OK;
}

/* Returns the descriptor of standard output or error if it is open on this file, otherwise -1. */
static int own_descriptor(const struct stat *file)
{
    struct stat own;
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (fstat(fd, &own) == 0 && own.st_dev == file->st_dev && own.st_ino == file->st_ino) return fd;
    return -1;
}

static bool is_written_through(const struct stat *file)
{
    return S_ISFIFO(file->st_mode) || S_ISCHR(file->st_mode) ||
           (S_ISREG(file->st_mode) && own_descriptor(file) >= 0);
}

/* An existing target must be a regular file that may be written. */
static mt_status check_target(const char *path, const char *target, const struct stat *file)
{
    if (!S_ISREG(file->st_mode) || own_descriptor(file) >= 0)
        return mt_fail(MT_FILE, "%s: is %s; allowed: a regular file to replace", path, mt_input_kind(file));
    if (access(target, W_OK) != 0)
        return mt_fail(MT_FILE, "%s: cannot be written: %s", path, strerror(errno));
    return MT_OK;
}

/* Removes from the inputs the file that is put in place and the one that it replaces: another file may get its inode number. */
static void release_inputs(const struct mt_file_part *part)
{
    struct stat info;
    if (stat(part->target, &info) == 0) mt_input_release(&info);
    if (part->lock >= 0 && fstat(part->lock, &info) == 0) mt_input_release(&info);
}

/* ---- temporary files ---- */

/* Deletes a temporary file of a dead writer; does nothing if the file system does not support locks. */
static void remove_left_behind(const char *path)
{
    const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return;
    if (mt_lock_try(fd) == MT_LOCK_TAKEN)
        (void)unlink(path); /* under the lock: a process that has just created the file notices it */
    (void)close(fd);
}

mt_status mt_file_sweep(const char *folder, const char *name)
{
    char path[2 * MT_FILE_PATH_MAX], its[MT_FILE_PATH_MAX];
    bool busy;
    MT_TRY(mt_journal_finish(folder, &busy));
    /* a set that is being put in place needs all temporary files */
    DIR *list = busy ? NULL : opendir(folder);
    if (!list) return MT_OK;
    for (const struct dirent *e; (e = readdir(list)) != NULL;) {
        if (!mt_temporary_target(e->d_name, its, sizeof its) || (name && strcmp(name, its) != 0)) continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, e->d_name) < (int)sizeof path)
            remove_left_behind(path);
    }
    (void)closedir(list);
    return MT_OK;
}

mt_status mt_file_finish_sets(const char *path)
{
    char folder[MT_FILE_PATH_MAX];
    bool busy;
    folder_of(path, folder);
    return mt_journal_finish(folder, &busy);
}

static mt_status sweep_beside(const char *target)
{
    char folder[MT_FILE_PATH_MAX];
    folder_of(target, folder);
    return mt_file_sweep(folder, name_of(target));
}

static void link_part(struct mt_file_part *part)
{
    _Atomic(struct mt_file_part *) *last = &first_part;
    atomic_store(&part->next, NULL);
    for (struct mt_file_part *p; (p = atomic_load(last)) != NULL;) last = &p->next;
    atomic_store(last, part);
}

static void unlink_part(struct mt_file_part *part)
{
    _Atomic(struct mt_file_part *) *at = &first_part;
    for (struct mt_file_part *p; (p = atomic_load(at)) != NULL; at = &p->next)
        if (p == part) {
            atomic_store(at, atomic_load(&p->next));
            return;
        }
}

/* Unlinks and frees the part of a file that is in place or deleted. */
static void close_part(struct mt_file_part *part)
{
    unlink_part(part);
    if (part->lock >= 0) (void)close(part->lock);
    free(part);
}

static void discard_part(struct mt_file_part *part)
{
    (void)unlink(part->temporary);
    close_part(part);
}

/* Raises the limit of open files to the system's maximum, because all files of a set are open at once. */
static bool allow_more_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return false;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static void name_part(struct mt_file_part *part, int try)
{
    uint32_t number = (uint32_t)(getpid() + try);
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) < 0) number *= 2654435761U;
    mt_temporary_path(part->target, number >> 8, part->temporary, sizeof part->temporary);
}

/* Creates a file with an unused name and locks it. False with errno. */
static bool create_part(struct mt_file_part *part)
{
    for (int k = 0; k < TRIES; k++) {
        struct stat info;
        name_part(part, k);
        part->lock = open(part->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (part->lock < 0 && errno == EMFILE && allow_more_files()) continue;
        if (part->lock < 0 && errno != EEXIST) return false;
        if (part->lock < 0) continue;
        if (mt_lock_try(part->lock) != MT_LOCK_HELD && fstat(part->lock, &info) == 0 && info.st_nlink > 0)
            return true;
        (void)close(part->lock); /* deleted by a sweep between its creation and its lock */
    }
    errno = EEXIST;
    return false;
}

static mt_status begin_part(const char *path, const char *target, const struct stat *there, mt_file *file)
{
    MT_TRY(sweep_beside(target));
    struct mt_file_part *part = calloc(1, sizeof *part);
    if (!part) return mt_fail(MT_MEMORY, "%s: out of memory", path);
    (void)snprintf(part->target, sizeof part->target, "%s", target);
    link_part(part); /* before the file is created: a signal may arrive in between */
    if (!create_part(part)) {
        const int reason = errno;
        unlink_part(part);
        free(part);
        return mt_fail(MT_FILE, "%s: cannot be written: %s", path, strerror(reason));
    }
    if (there) (void)fchmod(part->lock, there->st_mode & 07777);
    file->part = part;
    return MT_OK;
}

/* ---- one file ---- */

static mt_status begin(const char *path, bool through_allowed, mt_file *file, int *through)
{
    char target[MT_FILE_PATH_MAX];
    struct stat there;
    *file = (mt_file){0};
    *through = -1;
    MT_TRY(find_target(path, target));
    (void)snprintf(file->path, sizeof file->path, "%s", path);
    if (through_allowed && stat(path, &there) == 0 && is_written_through(&there)) {
        const int own = own_descriptor(&there);
        errno = 0;
        *through = own >= 0 ? dup(own) : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return *through >= 0 ? MT_OK : mt_fail(MT_FILE, "%s: cannot be written: %s", path, strerror(errno));
    }
    if (stat(target, &there) != 0) return begin_part(path, target, NULL, file);
    MT_TRY(check_target(path, target, &there));
    MT_TRY(mt_input_check_output(path, &there));
    return begin_part(path, target, &there, file);
}

mt_status mt_file_begin(const char *path, mt_file *file)
{
    int fd;
    MT_TRY(begin(path, true, file, &fd));
    if (file->part) fd = fcntl(file->part->lock, F_DUPFD_CLOEXEC, 0);
    if (fd < 0 && errno == EMFILE && allow_more_files()) fd = fcntl(file->part->lock, F_DUPFD_CLOEXEC, 0);
    file->stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (file->stream) return MT_OK;
    const int reason = errno;
    if (fd >= 0) (void)close(fd);
    if (file->part) discard_part(file->part);
    *file = (mt_file){0};
    return mt_fail(MT_FILE, "%s: cannot be written: %s", path, strerror(reason));
}

mt_status mt_file_reserve(const char *path, mt_file *file)
{
    int none;
    return begin(path, false, file, &none);
}

const char *mt_file_temporary(const mt_file *file) { return file->part->temporary; }

/* Describes the current state of a file for the attribute: its size and modification time. */
static void describe(const struct stat *file, char text[64])
{
    (void)snprintf(text, 64, "%lld %lld.%09ld", (long long)file->st_size, (long long)file->st_mtim.tv_sec,
        file->st_mtim.tv_nsec);
}

static void mark(int fd)
{
    struct stat info;
    char text[64];
    if (fstat(fd, &info) != 0) return;
    describe(&info, text);
    (void)fsetxattr(fd, attribute, text, strlen(text), 0);
}

static bool is_marked(const char *path)
{
    struct stat info;
    char text[64], found[64] = "";
    if (stat(path, &info) != 0 || getxattr(path, attribute, found, sizeof found - 1) < 0) return false;
    describe(&info, text);
    return strcmp(text, found) == 0;
}

/* Makes the temporary file durable, opened by name because another library may have written it; returns errno, or 0. */
static int sync_part(const struct mt_file_part *part)
{
    const int fd = open(part->temporary, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno;
    mark(fd);
    int reason = fsync(fd) ? errno : 0;
    if (close(fd) && !reason) reason = errno;
    return reason;
}

static mt_status put_in_place(struct mt_file_part *part)
{
    release_inputs(part);
    const int reason = rename(part->temporary, part->target) ? errno : 0;
    if (!reason) {
        mt_journal_sync(part->target);
        close_part(part);
        return MT_OK;
    }
    mt_status status = mt_fail(MT_FILE, "%s: cannot be moved into place: %s", part->target, strerror(reason));
    discard_part(part);
    return status;
}

mt_status mt_file_end(mt_file *file, mt_status status)
{
    struct mt_file_part *part = file->part;
    int reason = 0;
    errno = 0;
    if (file->stream) {
        const bool broken = fflush(file->stream) != 0 || ferror(file->stream) != 0;
        reason = broken ? errno ? errno : EIO : 0;
        if (fclose(file->stream) && !reason) reason = errno ? errno : EIO;
    }
    file->stream = NULL;
    file->part = NULL;
    if (part && status == MT_OK && !reason) reason = sync_part(part);
    if (status == MT_OK && !reason) {
        if (part && !set_is_open) return put_in_place(part);
        if (part) part->waiting = true;
        return MT_OK;
    }
    if (part) discard_part(part);
    return status != MT_OK ? status
                           : mt_fail(MT_FILE, "%s: cannot be written: %s", file->path, strerror(reason));
}

void mt_file_discard(mt_file *file)
{
    if (file->stream) (void)fclose(file->stream);
    if (file->part) discard_part(file->part);
    *file = (mt_file){0};
}

mt_status mt_file_write_text(const char *path, const char *text, size_t n)
{
    mt_file file;
    MT_TRY(mt_file_begin(path, &file));
    (void)fwrite(text, 1, n, file.stream);
    return mt_file_end(&file, MT_OK);
}

/* ---- sets ---- */

mt_status mt_file_set_begin(void)
{
    if (set_is_open) return mt_fail(MT_FILE, "a set of files is already being written");
    set_is_open = true;
    return MT_OK;
}

static mt_status remove_now(const char *path)
{
    if (unlink(path) == 0 || errno == ENOENT) return MT_OK;
    return mt_fail(MT_FILE, "%s: cannot be removed: %s", path, strerror(errno));
}

mt_status mt_file_remove(const char *path)
{
    if (!set_is_open) return remove_now(path);
    struct mt_file_part *part = calloc(1, sizeof *part);
    if (!part) return mt_fail(MT_MEMORY, "%s: out of memory", path);
    (void)snprintf(part->target, sizeof part->target, "%s", path);
    part->lock = -1;
    part->waiting = true;
    name_part(part, 0);
    link_part(part);
    return MT_OK;
}

static bool is_written(const char *path)
{
    for (const struct mt_file_part *p = atomic_load(&first_part); p; p = atomic_load(&p->next))
        if (p->waiting && p->lock >= 0 && strcmp(p->target, path) == 0) return true;
    return false;
}

/* True for a removal of a file that the set also writes, possibly through a symbolic link. */
static bool is_needless(const struct mt_file_part *part)
{
    char target[MT_FILE_PATH_MAX];
    return part->lock < 0 && is_written(follow(part->target, target) ? target : part->target);
}

/* Makes the changes of the set. `pending`: as in mt_journal_commit. */
static mt_status commit_set(bool *pending)
{
    size_t n = 0, room = 0;
    *pending = false;
    for (const struct mt_file_part *p = atomic_load(&first_part); p; p = atomic_load(&p->next))
        room += p->waiting;
    mt_change *change = calloc(room + 1, sizeof *change);
    if (!change) return mt_fail(MT_MEMORY, "out of memory while moving %zu files into place", room);
    for (const struct mt_file_part *p = atomic_load(&first_part); p; p = atomic_load(&p->next)) {
        if (!p->waiting || is_needless(p)) continue;
        release_inputs(p);
        change[n++] = (mt_change){p->target, p->temporary, p->lock < 0};
    }
    const mt_status status = n > 0 ? mt_journal_commit(n, change, pending) : MT_OK;
    free(change);
    return status;
}

/* Frees the parts of the set; files still under their temporary names are deleted, unless they are pending. */
static void close_set(bool pending)
{
    struct mt_file_part *next;
    for (struct mt_file_part *p = atomic_load(&first_part); p; p = next) {
        next = atomic_load(&p->next);
        if (p->waiting && pending)
            close_part(p);
        else if (p->waiting)
            discard_part(p);
    }
}

mt_status mt_file_set_end(mt_status status)
{
    bool pending = false;
    set_is_open = false;
    renaming = 1;
    if (status == MT_OK) status = commit_set(&pending);
    close_set(pending);
    renaming = 0;
    const int number = raised_meanwhile;
    raised_meanwhile = 0;
    if (number) (void)raise(number);
    return status;
}

bool mt_file_abandon(int signal_number)
{
    if (renaming) {
        raised_meanwhile = signal_number;
        return false;
    }
    for (const struct mt_file_part *p = atomic_load(&first_part); p; p = atomic_load(&p->next))
        (void)unlink(p->temporary);
    return true;
}

/* ---- checks before long work ---- */

bool mt_file_is_ours(const char *path)
{
    char text[LOOKED_AT];
    const size_t n = mt_input_peek(path, text, sizeof text);
    if (n == 0 && access(path, F_OK) != 0) return errno == ENOENT;
    return is_marked(path) || memmem(text, n, word, sizeof word - 1) != NULL;
}

bool mt_file_same(const char *a, const char *b)
{
    struct stat of_a, of_b;
    if (stat(a, &of_a) != 0 || stat(b, &of_b) != 0) return false;
    return of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

mt_status mt_file_check(const char *path, mt_file_replace replace)
{
    char target[MT_FILE_PATH_MAX];
    struct stat there;
    mt_file file;
    MT_TRY(find_target(path, target));
    if (stat(path, &there) == 0 && is_written_through(&there))
        return MT_OK; /* /dev/stdout: no symbolic link to follow */
    if (stat(target, &there) == 0) {
        MT_TRY(check_target(path, target, &there));
        if (replace == MT_FILE_OURS && !mt_file_is_ours(target))
            return mt_fail(MT_FILE,
                "%s: already exists, and was apparently not written by myotile; --force replaces it", path);
        MT_TRY(mt_input_note_output(path, &there));
    }
    MT_TRY(mt_file_reserve(path, &file));
    mt_file_discard(&file);
    return MT_OK;
}

mt_status mt_file_sibling(
    const char *name, const char *const *endings, const char *ending, char out[MT_FILE_PATH_MAX])
{
    size_t n = strlen(name);
    for (; *endings; endings++) {
        const size_t m = strlen(*endings);
        if (n < m || strcmp(name + n - m, *endings) != 0) continue;
        n -= m;
        break;
    }
    if (n == 0) return mt_fail(MT_INPUT, "'%s': no name before the extension %s", name, ending);
    if (n + strlen(ending) >= MT_FILE_PATH_MAX)
        return mt_fail(MT_INPUT, "%.60s...: a path of %zu characters is too long", name, n);
    memcpy(out, name, n);
    memcpy(out + n, ending, strlen(ending) + 1);
    return MT_OK;
}

mt_status mt_file_absolute(mt_arena *arena, const char **path)
{
    char *found = realpath(*path, NULL);
    if (!found) return mt_fail(MT_FILE, "%s: %s", *path, strerror(errno));
    const char *kept = mt_arena_text(arena, found);
    if (kept) *path = kept;
    free(found);
    return kept ? MT_OK : MT_MEMORY;
}
