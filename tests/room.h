/* A folder of its own for each test, the working directory meanwhile. It has a link to data/. */
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

static char room[64], source_root[1024];

/* Before each test: a fresh folder, and no cache. Every test is a process of its own, so nobody else is moved. Signals do what they usually
 * do: a shell that starts the tests in the background has Ctrl-C ignored, nohup SIGHUP, and who ignores it inherits that. */
static inline void enter_room(void)
{
    char link[1100];
    (void)signal(SIGINT, SIG_DFL), (void)signal(SIGHUP, SIG_DFL);
    cr_assert_not_null(getcwd(source_root, sizeof source_root));
    (void)snprintf(link, sizeof link, "%s/data", source_root);
    (void)strcpy(room, "/tmp/test_room.XXXXXX");
    cr_assert_not_null(mkdtemp(room));
    cr_assert_eq(chdir(room), 0);
    cr_assert_eq(symlink(link, "data"), 0);
    cr_assert_eq(setenv("XDG_CACHE_HOME", "/dev/null", 1), 0);
}

static inline int remove_thing(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static inline void leave_room(void)
{
    if (chdir(source_root) == 0) (void)nftw(room, remove_thing, 8, FTW_DEPTH | FTW_PHYS);
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

/* Files and folders here and below. */
static inline size_t things(void)
{
    n_things = n_parts = 0;
    cr_assert_eq(nftw(".", count_thing, 8, FTW_PHYS), 0);
    cr_assert_eq(n_parts, 0, "a half-written file was left");
    return n_things;
}

static inline bool there(const char *path) { return access(path, F_OK) == 0; }

/* The bytes of a file and a final 0; to be freed. */
static inline char *bytes_of(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s is not there", path);
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

/* How many files and folders a folder has, hidden ones aside. */
static inline size_t entries(const char *folder)
{
    size_t n = 0;
    DIR *dir = opendir(folder);
    cr_assert_not_null(dir, "%s is not there", folder);
    for (struct dirent *entry; (entry = readdir(dir));) n += entry->d_name[0] != '.';
    (void)closedir(dir);
    return n;
}
