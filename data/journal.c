#include "data/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/lock.h"
#include "data/temporary.h"

static const char prefix[] = ".myotile.", suffix[] = ".journal", rename_word[] = "rename ",
                  remove_word[] = "remove ", last[] = "end\n";
enum { TRIES = 100 };

static bool is_journal(const char *name)
{
    const size_t n = strlen(name), m = sizeof suffix - 1;
    return n > sizeof prefix - 1 + m && strncmp(name, prefix, sizeof prefix - 1) == 0 &&
           strcmp(name + n - m, suffix) == 0;
}

/* In a folder that others may write in (/tmp), anybody can leave one; only this user's own is done. It may have been taken away
 * since it was opened: then it has been done. */
static bool is_own(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1 && info.st_uid == geteuid() &&
           (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

mt_status mt_journal_begin(const char *folder, mt_journal *journal)
{
    journal->stream = NULL;
    for (int k = 0; k < TRIES && !journal->stream; k++) {
        (void)snprintf(
            journal->path, sizeof journal->path, "%s/%s%d-%d%s", folder, prefix, (int)getpid(), k, suffix);
        const int fd = open(journal->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 && errno == EEXIST) continue;
        if (fd < 0) return mt_fail(MT_FILE, "%s: cannot be written in: %s", folder, strerror(errno));
        if (mt_lock_try(fd) != MT_LOCK_HELD && is_own(fd)) journal->stream = fdopen(fd, "wb");
        if (!journal->stream) (void)close(fd);
    }
    return journal->stream ? MT_OK : mt_fail(MT_FILE, "%s: no journal can be written there", folder);
}

void mt_journal_rename(mt_journal *journal, const char *temporary)
{
    (void)fprintf(journal->stream, "%s%s\n", rename_word, temporary);
}

void mt_journal_remove(mt_journal *journal, const char *name)
{
    (void)fprintf(journal->stream, "%s%s\n", remove_word, name);
}

mt_status mt_journal_seal(mt_journal *journal)
{
    (void)fputs(last, journal->stream);
    errno = 0;
    if (fflush(journal->stream) == 0 && !ferror(journal->stream) && fsync(fileno(journal->stream)) == 0)
        return MT_OK;
    const int reason = errno ? errno : EIO;
    mt_journal_end(journal);
    return mt_fail(MT_FILE, "%s: cannot be written: %s", journal->path, strerror(reason));
}

void mt_journal_end(mt_journal *journal)
{
    if (!journal->stream) return;
    (void)unlink(journal->path);
    (void)fclose(journal->stream);
    journal->stream = NULL;
}

/* ---- finishing another's ---- */

static void change(const char *folder, const char *line)
{
    char from[MT_JOURNAL_PATH_MAX], to[MT_JOURNAL_PATH_MAX], name[MT_JOURNAL_PATH_MAX / 2];
    const bool renames = strncmp(line, rename_word, sizeof rename_word - 1) == 0,
               removes = strncmp(line, remove_word, sizeof remove_word - 1) == 0;
    const char *file = line + (renames ? sizeof rename_word : sizeof remove_word) - 1;
    if ((!renames && !removes) || strchr(file, '/')) return;
    (void)snprintf(from, sizeof from, "%s/%s", folder, file);
    if (removes) {
        (void)unlink(from);
    } else if (mt_temporary_target(file, name, sizeof name)) {
        (void)snprintf(to, sizeof to, "%s/%s", folder, name);
        (void)rename(from, to); /* what is not there any more is in place */
    }
}

/* One whose writer is gone, read through its lock. */
static void finish(const char *folder, const char *path, FILE *file)
{
    char *line = NULL;
    size_t size = 0;
    bool whole = false;
    while (getline(&line, &size, file) >= 0) whole = strcmp(line, last) == 0;
    rewind(file);
    while (whole && getline(&line, &size, file) >= 0) {
        line[strcspn(line, "\n")] = 0;
        change(folder, line);
    }
    free(line);
    (void)unlink(path);
}

void mt_journal_finish(const char *folder)
{
    char path[MT_JOURNAL_PATH_MAX];
    DIR *list = opendir(folder);
    if (!list) return;
    for (const struct dirent *e; (e = readdir(list)) != NULL;) {
        if (!is_journal(e->d_name)) continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= (int)sizeof path) continue;
        const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        FILE *file = fd >= 0 && mt_lock_try(fd) == MT_LOCK_TAKEN && is_own(fd) ? fdopen(fd, "r+b") : NULL;
        if (file) finish(folder, path, file);
        if (file)
            (void)fclose(file);
        else if (fd >= 0)
            (void)close(fd);
    }
    (void)closedir(list);
}
