#include "data/files/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "data/files/lock.h"
#include "data/files/temporary.h"

static const char prefix[] = ".myotile.", suffix[] = ".journal", rename_word[] = "rename ",
                  remove_word[] = "remove ", last[] = "end\n";
enum { TRIES = 100, PATH = 8192, WORD = sizeof rename_word - 1, UNDO_TRIES = 10 };

/* ---- paths ---- */

/* Bytes of "FOLDER/", or 0. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static bool is_there(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

static bool are_one_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return lstat(a, &of_a) == 0 && lstat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

void mt_journal_sync(const char *path)
{
    char folder[PATH];
    (void)snprintf(folder, sizeof folder, "%.*s.", (int)folder_length(path), path);
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)fsync(fd);
    (void)close(fd);
}

static void sync_folders(size_t n, const mt_change *c)
{
    for (size_t k = 0; k < n; k++) {
        const size_t length = folder_length(c[k].target);
        if (k == 0 || folder_length(c[k - 1].target) != length ||
            strncmp(c[k].target, c[k - 1].target, length) != 0)
            mt_journal_sync(c[k].target);
    }
}

/* ---- one change ---- */

/* Links the previous file under a second name, so that replacing it takes one rename. On file systems without links `make` does
 * it. */
static void keep_previous(const mt_change *c)
{
    char previous[PATH];
    if (c->removes || !is_there(c->part) || !is_there(c->target) || are_one_file(c->part, c->target)) return;
    mt_temporary_previous(c->part, previous, sizeof previous);
    (void)unlink(previous);
    (void)link(c->target, previous);
}

/* Makes a change, which may have been made already; returns errno, or 0. A folder is neither replaced nor removed. */
static int make(const mt_change *c)
{
    char previous[PATH];
    struct stat info;
    if (lstat(c->target, &info) == 0 && S_ISDIR(info.st_mode)) return EISDIR;
    mt_temporary_previous(c->part, previous, sizeof previous);
    if (c->removes) return rename(c->target, previous) && errno != ENOENT ? errno : 0;
    if (!is_there(c->part)) return 0;
    if (are_one_file(c->part, c->target)) return unlink(c->part) ? errno : 0; /* undoing was interrupted */
    if (!is_there(previous) && rename(c->target, previous) && errno != ENOENT) return errno;
    return rename(c->part, c->target) ? errno : 0;
}

/* Undoes a change, which may not have been made; returns errno, or 0. NAME exists at every moment if it existed before. */
static int undo(const mt_change *c)
{
    char previous[PATH];
    mt_temporary_previous(c->part, previous, sizeof previous);
    if (!c->removes && !is_there(c->part) && link(c->target, c->part) && errno != ENOENT &&
        rename(c->target, c->part))
        return errno;
    if (rename(previous, c->target) == 0) {
        (void)unlink(previous); /* two names of one file: rename did nothing */
        return 0;
    }
    if (errno != ENOENT) return errno;
    if (!c->removes && are_one_file(c->part, c->target) && unlink(c->target)) return errno;
    return 0;
}

/* ---- all changes ---- */

static bool undo_all(size_t n, const mt_change *c)
{
    bool undone = true;
    for (size_t k = n; k-- > 0;) undone &= undo(&c[k]) == 0;
    return undone;
}

/* Makes all changes; if one fails, undoes all, and retries the undoing if it fails, because the fault may be transient. */
static mt_status settle(size_t n, const mt_change *c, bool *pending)
{
    int reason = 0;
    size_t k = 0;
    *pending = false;
    for (size_t i = 0; i < n; i++) keep_previous(&c[i]);
    while (k < n && (reason = make(&c[k])) == 0) k++;
    if (k == n) return MT_OK;
    for (int t = 0; t < UNDO_TRIES && (*pending = !undo_all(n, c)); t++)
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000L << (t < 4 ? t : 4)}, NULL);
    return mt_fail(MT_FILE, "%s: cannot be moved into place: %s; %s", c[k].target, strerror(reason),
        *pending ? "some files of the same set are in place; the next run or report of this folder completes "
                   "or reverts the set"
                 : "no file was replaced");
}

/* Deletes the files that are not needed once all changes are made or all undone. */
static void remove_leftovers(size_t n, const mt_change *c)
{
    char previous[PATH];
    for (size_t k = 0; k < n; k++) {
        mt_temporary_previous(c[k].part, previous, sizeof previous);
        (void)unlink(previous);
        if (!c[k].removes) (void)unlink(c[k].part);
    }
}

/* Deletes the journal, so that no program settles it any more. False: it cannot be deleted, and its temporary and previous files
 * must remain. */
static bool retire(const char *journal)
{
    return !*journal || unlink(journal) == 0 || errno == ENOENT || truncate(journal, 0) == 0;
}

/* Settles the changes, and deletes their journal ("": no journal) if nothing remains to be done. */
static mt_status settle_all(size_t n, const mt_change *c, const char *journal, bool *pending)
{
    const mt_status status = settle(n, c, pending);
    sync_folders(n, c);
    if (*pending || (*pending = !retire(journal))) return status;
    remove_leftovers(n, c);
    return status;
}

/* ---- the journal ---- */

static bool is_journal(const char *name)
{
    const size_t n = strlen(name), m = sizeof suffix - 1;
    return n > sizeof prefix - 1 + m && strncmp(name, prefix, sizeof prefix - 1) == 0 &&
           strcmp(name + n - m, suffix) == 0;
}

/* True if the open journal belongs to this user and still exists. In a folder that others may write to (/tmp), anyone can leave a
 * journal; only this user's are settled. A journal deleted after it was opened has been settled. */
static bool is_own(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1 && info.st_uid == geteuid() &&
           (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Creates a journal with its lock in the folder of a path. */
static mt_status create(const char *beside, char path[PATH], FILE **file)
{
    const int folder = (int)folder_length(beside);
    *file = NULL;
    for (int k = 0; k < TRIES && !*file; k++) {
        (void)snprintf(path, PATH, "%.*s%s%d-%d%s", folder, beside, prefix, (int)getpid(), k, suffix);
        const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 && errno == EEXIST) continue;
        if (fd < 0) return mt_fail(MT_FILE, "%s: cannot be written: %s", path, strerror(errno));
        if (mt_lock_try(fd) != MT_LOCK_HELD && is_own(fd)) *file = fdopen(fd, "wb");
        if (!*file) (void)close(fd);
    }
    return *file ? MT_OK : mt_fail(MT_FILE, "%s: cannot be written", path);
}

/* Writes the changes in its folder, and makes them and the names of their temporary files durable. */
static mt_status seal(FILE *file, const char *path, size_t n, const mt_change *c)
{
    const size_t folder = folder_length(path);
    for (size_t k = 0; k < n; k++)
        if (folder_length(c[k].part) == folder && strncmp(c[k].part, path, folder) == 0 &&
            !strchr(c[k].part + folder, '\n'))
            (void)fprintf(file, "%s%s\n", c[k].removes ? remove_word : rename_word, c[k].part + folder);
    (void)fputs(last, file);
    errno = 0;
    if (fflush(file) != 0 || ferror(file) || fsync(fileno(file)) != 0) {
        const int reason = errno ? errno : EIO;
        return mt_fail(MT_FILE, "%s: cannot be written: %s", path, strerror(reason));
    }
    mt_journal_sync(path);
    return MT_OK;
}

mt_status mt_journal_commit(size_t n, const mt_change *change, bool *pending)
{
    char path[PATH] = "";
    FILE *file = NULL;
    *pending = false;
    /* a single change needs no journal */
    mt_status status = n > 1 ? create(change[0].target, path, &file) : MT_OK;
    if (file) status = seal(file, path, n, change);
    if (status == MT_OK)
        status = settle_all(n, change, path, pending);
    else if (file)
        *pending = !retire(path);
    if (file) (void)fclose(file);
    return status;
}

/* ---- finishing the journal of another program ---- */

/* Parses a line as a change with texts that the caller frees; false: it is not a change. */
static bool read_change(const char *folder, char *line, mt_change *c)
{
    char name[PATH], path[2 * PATH];
    line[strcspn(line, "\n")] = 0;
    const char *part = line + WORD;
    const bool renames = strncmp(line, rename_word, WORD) == 0,
               removes = strncmp(line, remove_word, WORD) == 0;
    if ((!renames && !removes) || strchr(part, '/') || !mt_temporary_target(part, name, sizeof name))
        return false;
    (void)snprintf(path, sizeof path, "%s/%s", folder, part);
    char *its = strdup(path);
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    *c = (mt_change){strdup(path), its, removes};
    return true;
}

static void forget(size_t n, mt_change *c)
{
    for (size_t k = 0; k < n; k++) free((char *)c[k].target), free((char *)c[k].part);
    free(c);
}

/* Reads the changes of a sealed journal; a journal without seal has no changes. */
static mt_status read_changes(const char *folder, FILE *file, size_t *n, mt_change **changes)
{
    char *line = NULL;
    size_t size = 0, lines = 0;
    bool sealed = false, memory = true;
    for (; getline(&line, &size, file) >= 0; lines++) sealed = strcmp(line, last) == 0;
    rewind(file);
    *n = 0;
    *changes = calloc(lines + 1, sizeof **changes);
    while (sealed && *changes && memory && *n < lines && getline(&line, &size, file) >= 0)
        if (read_change(folder, line, &(*changes)[*n])) {
            memory = (*changes)[*n].target && (*changes)[*n].part;
            (*n)++;
        }
    free(line);
    if (*changes && memory) return MT_OK;
    if (*changes) forget(*n, *changes);
    return mt_fail(MT_MEMORY, "%s: out of memory", folder);
}

/* Settles a journal of a dead writer, read through its locked descriptor. */
static mt_status finish(const char *folder, const char *path, FILE *file)
{
    size_t n;
    mt_change *changes;
    bool pending = false;
    MT_TRY(read_changes(folder, file, &n, &changes));
    (void)settle_all(n, changes, path, &pending); /* all undone also counts as settled */
    forget(n, changes);
    return pending ? mt_fail(MT_FILE, "%s: some files of an earlier run are not in place: %s", folder,
                         mt_message())
                   : MT_OK;
}

mt_status mt_journal_finish(const char *folder, bool *busy)
{
    char path[PATH];
    mt_status status = MT_OK;
    *busy = false;
    DIR *list = opendir(folder);
    if (!list) return MT_OK;
    for (const struct dirent *e; status == MT_OK && (e = readdir(list)) != NULL;) {
        if (!is_journal(e->d_name)) continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= (int)sizeof path) continue;
        const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd < 0 && errno == EROFS)
            status = mt_fail(
                MT_FILE, "%s: some files of an earlier run are not in place: %s", folder, strerror(errno));
        FILE *file = fd >= 0 && mt_lock_try(fd) == MT_LOCK_TAKEN && is_own(fd) ? fdopen(fd, "r+b") : NULL;
        if (file)
            status = finish(folder, path, file);
        else
            *busy = true;
        if (file)
            (void)fclose(file);
        else if (fd >= 0)
            (void)close(fd);
    }
    (void)closedir(list);
    return status;
}
