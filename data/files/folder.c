#include "data/files/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/files/lock.h"

static const char mark_name[] = ".myotile";

/* The most recently entered folder. */
static _Atomic(mt_folder *) entered;

mt_status mt_folder_path(const char *folder, const char *name, char path[MT_FILE_PATH_MAX])
{
    if (snprintf(path, MT_FILE_PATH_MAX, "%s/%s", folder, name) < MT_FILE_PATH_MAX) return MT_OK;
    return mt_fail(MT_INPUT, "%.60s...: the path is too long", folder);
}

/* Returns in *empty whether a folder is empty; a folder that cannot be listed counts as not empty. */
static mt_status is_empty(const char *path, bool *empty)
{
    DIR *list = opendir(path);
    if (!list && errno == ENOMEM) return mt_fail(MT_MEMORY, "%s: %s", path, strerror(errno));
    *empty = list != NULL;
    for (const struct dirent *e; *empty && (e = readdir(list)) != NULL;)
        *empty = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
    if (list) (void)closedir(list);
    return MT_OK;
}

static bool is_ours(const mt_folder *folder)
{
    char used[MT_FILE_PATH_MAX];
    if (access(folder->mark, F_OK) == 0) return true;
    return mt_folder_path(folder->path, "used.yaml", used) == MT_OK && access(used, F_OK) == 0 &&
           mt_file_is_ours(used);
}

/* Creates and locks the mark; tries again if a run that ends deletes the file before it is locked. */
static mt_status lock_mark(mt_folder *folder)
{
    struct stat info;
    for (int k = 0; k < 100; k++) {
        folder->marked = access(folder->mark, F_OK) != 0;
        folder->lock = open(folder->mark, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        if (folder->lock < 0)
            return mt_fail(MT_FILE, "%s: cannot write in this folder: %s", folder->path, strerror(errno));
        const bool taken = mt_lock_try(folder->lock) == MT_LOCK_HELD;
        if (!taken && fstat(folder->lock, &info) == 0 && info.st_nlink > 0) return MT_OK;
        (void)close(folder->lock);
        if (taken)
            return mt_fail(MT_FILE,
                "%s: another run of myotile is writing in this folder; wait for it, or choose another folder",
                folder->path);
    }
    return mt_fail(MT_FILE, "%s: cannot be locked", folder->path);
}

static mt_status open_folder(mt_file_replace replace, mt_folder *folder)
{
    struct stat info;
    folder->made = mkdir(folder->path, 0777) == 0;
    if (!folder->made && errno != EEXIST)
        return mt_fail(MT_FILE, "%s: this folder cannot be created: %s", folder->path, strerror(errno));
    if (stat(folder->path, &info) != 0 || !S_ISDIR(info.st_mode))
        return mt_fail(MT_FILE, "%s: is not a folder", folder->path);
    if (folder->made || replace != MT_FILE_OURS) return MT_OK;
    bool empty = false;
    MT_TRY(is_empty(folder->path, &empty));
    if (!empty && !is_ours(folder))
        return mt_fail(MT_FILE,
            "%s: this folder contains files that myotile did not write; choose another folder, or use "
            "--force to write in it and replace files of the same names",
            folder->path);
    return MT_OK;
}

static void undo(const mt_folder *folder)
{
    if (folder->n_kept > 0) return;
    if (folder->marked) (void)unlink(folder->mark);
    if (folder->made) (void)rmdir(folder->path);
}

mt_status mt_folder_enter(const char *path, mt_file_replace replace, mt_folder *folder)
{
    *folder = (mt_folder){.lock = -1, .outer = atomic_load(&entered)};
    if (snprintf(folder->path, sizeof folder->path, "%s", path) >= (int)sizeof folder->path)
        return mt_fail(MT_INPUT, "%.60s...: the path is too long", path);
    (void)snprintf(folder->mark, sizeof folder->mark, "%s/%s", folder->path, mark_name);
    if (!path[0]) return mt_fail(MT_INPUT, "the name of the output folder is empty");
    atomic_store(&entered, folder); /* from here on a signal may need it */
    mt_status status = open_folder(replace, folder);
    if (status == MT_OK) status = lock_mark(folder);
    if (status == MT_OK) {
        status = mt_file_sweep(folder->path, NULL);
        if (status == MT_OK) return MT_OK;
        (void)close(folder->lock);
    }
    folder->marked = false; /* the mark belongs to another program, or does not exist */
    undo(folder);
    atomic_store(&entered, folder->outer);
    return status;
}

/* True if the path is the folder or is located in it. */
static bool is_within(const mt_folder *folder, const char *path)
{
    const size_t n = strlen(folder->path);
    return strncmp(folder->path, path, n) == 0 && (path[n] == 0 || path[n] == '/');
}

static void count_kept(const char *path, int change)
{
    for (mt_folder *f = atomic_load(&entered); f; f = f->outer)
        if (is_within(f, path)) f->n_kept += change;
}

void mt_folder_keep(const char *path) { count_kept(path, 1); }

void mt_folder_unkeep(const char *path) { count_kept(path, -1); }

void mt_folder_close(mt_folder *folder)
{
    undo(folder);
    atomic_store(&entered, folder->outer);
    (void)close(folder->lock);
    folder->lock = -1;
}

bool mt_folder_is_taken(const char *path)
{
    char mark[MT_FILE_PATH_MAX];
    for (const mt_folder *f = atomic_load(&entered); f; f = f->outer)
        if (mt_file_same(f->path, path)) return false;
    const int file =
        mt_folder_path(path, mark_name, mark) == MT_OK ? open(mark, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (file < 0) return false;
    const bool taken = mt_lock_is_held(file);
    (void)close(file);
    return taken;
}

void mt_folder_abandon(void)
{
    for (const mt_folder *f = atomic_load(&entered); f; f = f->outer) undo(f);
}
