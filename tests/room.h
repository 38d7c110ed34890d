/* A private folder for each test, which is its working directory. It has a link to data/. */
#pragma once

#include <criterion/criterion.h>

#include <dirent.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/temporary.h"

static char room[64], source_root[1024];

/* Before each test: creates an empty folder, and disables the cache. Every test is a separate process, so no other test is
 * affected. Resets the signals to their defaults: a shell that starts the tests in the background ignores Ctrl-C, nohup ignores
 * SIGHUP, and child processes inherit that. */
static inline void enter_room(void)
{
    char link[1100];
    (void)signal(SIGINT, SIG_DFL), (void)signal(SIGHUP, SIG_DFL);
    cr_assert_not_null(getcwd(source_root, sizeof source_root));
    (void)snprintf(link, sizeof link, "%s/data", source_root);
    temporary_pattern(room, sizeof room, "test_room.XXXXXX");
    cr_assert_not_null(mkdtemp(room));
    cr_assert_eq(chdir(room), 0);
    cr_assert_eq(symlink(link, "data"), 0);
    cr_assert_eq(setenv("XDG_CACHE_HOME", "/dev/null", 1), 0);
}

/* Enables the cache, in a folder next to the room. Commands of the test then measure the same cells in the same tissue once. */
static inline void enable_cache(void)
{
    char path[80];
    (void)snprintf(path, sizeof path, "%s.cache", room);
    cr_assert_eq(setenv("XDG_CACHE_HOME", path, 1), 0);
}

/* Enables the cache that all tests of a run of CTest share (tests/app/shared_cache.c), which then measure the same cells in the same
 * tissue once. */
static inline void share_cache(void)
{
    const char *path = getenv("MT_TEST_CACHE");
    cr_assert_not_null(path);
    cr_assert_eq(setenv("XDG_CACHE_HOME", path, 1), 0);
}

static inline int remove_thing(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static inline void leave_room(void)
{
    if (chdir(source_root) == 0) (void)nftw(room, remove_thing, 8, FTW_DEPTH | FTW_PHYS);
    (void)nftw(strcat(room, ".cache"), remove_thing, 8, FTW_DEPTH | FTW_PHYS);
}

static size_t n_things, n_parts;

static inline int count_thing(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    const size_t n = strlen(path);
    n_things++;
    n_parts += n >= 5 && strcmp(path + n - 5, ".part") == 0;
    return 0;
}

/* Counts files and folders here and below. */
static inline size_t things(void)
{
    n_things = n_parts = 0;
    cr_assert_eq(nftw(".", count_thing, 8, FTW_PHYS), 0);
    cr_assert_eq(n_parts, 0, "a temporary file was left");
    return n_things;
}

static inline bool there(const char *path) { return access(path, F_OK) == 0; }

/* Returns the bytes of a file and a final 0; the caller frees them. */
static inline char *bytes_of(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s does not exist", path);
    (void)fseek(file, 0, SEEK_END);
    *n = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*n + 1);
    cr_assert_eq(fread(bytes, 1, *n, file), *n);
    bytes[*n] = 0;
    (void)fclose(file);
    return bytes;
}

static inline void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert(fputs(text, file) >= 0);
    cr_assert_eq(fclose(file), 0);
}

/* Counts the files and folders in a folder, except hidden ones. */
static inline size_t entries(const char *folder)
{
    size_t n = 0;
    DIR *dir = opendir(folder);
    cr_assert_not_null(dir, "%s does not exist", folder);
    for (struct dirent *entry; (entry = readdir(dir));) n += entry->d_name[0] != '.';
    (void)closedir(dir);
    return n;
}
