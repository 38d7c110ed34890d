#include "data/files/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/files/file.h"

enum { KEY = MT_HASH_SIZE - 1, KIND = 16 };

/* The header of a file. The bytes follow, then a fingerprint of KEY characters. */
typedef struct head {
    char kind[KIND], key[KEY];
} head;

static head head_of(const char *kind, const char *key)
{
    head h = {0};
    (void)snprintf(h.kind, sizeof h.kind, "%s", kind);
    memcpy(h.key, key, KEY);
    return h;
}

/* ---- the folder ---- */

static bool joined(char out[MT_FILE_PATH_MAX], const char *a, const char *b)
{
    return snprintf(out, MT_FILE_PATH_MAX, "%s/%s", a, b) < MT_FILE_PATH_MAX;
}

/* Finds the folder of the caches of all programs; false if the environment does not name one. A relative path is ignored (XDG Base
 * Directory Specification 0.8). */
static bool caches(char out[MT_FILE_PATH_MAX])
{
    const char *named = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (named && named[0] == '/') return snprintf(out, MT_FILE_PATH_MAX, "%s", named) < MT_FILE_PATH_MAX;
    return home && home[0] == '/' && joined(out, home, ".cache");
}

/* Finds the folder of this cache. `wanted`: true to create it. */
static bool folder(char out[MT_FILE_PATH_MAX], bool wanted)
{
    char all[MT_FILE_PATH_MAX];
    if (!caches(all) || !joined(out, all, "myotile")) return false;
    if (wanted) (void)mkdir(all, 0700), (void)mkdir(out, 0700);
    struct stat info;
    return stat(out, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool path_of(char out[MT_FILE_PATH_MAX], const char *key, bool wanted)
{
    char in[MT_FILE_PATH_MAX];
    return folder(in, wanted) && joined(out, in, key);
}

/* ---- finding ---- */

static bool read_all(mt_arena *arena, int file, unsigned char **bytes, size_t *n)
{
    struct stat info;
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > MT_CACHE_BYTES) return false;
    *n = (size_t)info.st_size;
    *bytes = mt_arena_alloc(arena, *n, 1);
    if (!*bytes) return false;
    for (size_t done = 0; done < *n;) {
        const ssize_t more = read(file, *bytes + done, *n - done);
        if (more <= 0) return false;
        done += (size_t)more;
    }
    return true;
}

/* True if this is an intact file of that kind and key. */
static bool is_sound(const char *kind, const char *key, const unsigned char *file, size_t n)
{
    const head h = head_of(kind, key);
    char sum[MT_HASH_SIZE];
    return n >= sizeof h + KEY && memcmp(file, &h, sizeof h) == 0 &&
           mt_hash_of(file, n - KEY, sum) == MT_OK && memcmp(file + n - KEY, sum, KEY) == 0;
}

bool mt_cache_find(
    mt_arena *arena, const char *kind, const char key[MT_HASH_SIZE], const void **bytes, size_t *n)
{
    char path[MT_FILE_PATH_MAX];
    unsigned char *all;
    size_t n_all;
    if (!path_of(path, key, false)) return false;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return false;
    const bool sound = read_all(arena, file, &all, &n_all) && is_sound(kind, key, all, n_all);
    if (sound) (void)futimens(file, NULL);
    (void)close(file);
    if (!sound) return false;
    *bytes = all + sizeof(head);
    *n = n_all - sizeof(head) - KEY;
    return true;
}

/* ---- storing ---- */

typedef struct kept {
    char name[256];
    struct timespec used;
    off_t size;
} kept;

/* True if the file is an entry, or the temporary file of an entry, left by a program that was killed. */
static bool is_ours(const char *name)
{
    name += name[0] == '.';
    return strspn(name, "0123456789abcdef") >= KEY;
}

static int compare_used(const void *left, const void *right)
{
    const kept *a = left, *b = right;
    if (a->used.tv_sec != b->used.tv_sec) return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
    if (a->used.tv_nsec != b->used.tv_nsec) return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Reads the next file of this cache in a folder; false at its end. */
static bool next_kept(DIR *in, kept *out)
{
    struct stat info;
    for (struct dirent *entry; (entry = readdir(in));) {
        if (!is_ours(entry->d_name) || fstatat(dirfd(in), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(info.st_mode))
            continue;
        (void)snprintf(out->name, sizeof out->name, "%s", entry->d_name);
        out->used = info.st_mtim;
        out->size = info.st_size;
        return true;
    }
    return false;
}

/* Deletes the least recently used of the listed files, until the others are within the limits. */
static void remove_oldest(DIR *in, kept *files, size_t n)
{
    off_t bytes = 0;
    qsort(files, n, sizeof *files, compare_used);
    for (size_t k = n; k-- > 0;) {
        bytes += files[k].size;
        if (n - k > MT_CACHE_FILES || bytes > MT_CACHE_BYTES) (void)unlinkat(dirfd(in), files[k].name, 0);
    }
}

static void tidy(const char *path)
{
    enum { LISTED = 2 * MT_CACHE_FILES }; /* later calls delete any others */
    DIR *in = opendir(path);
    kept *files = malloc(LISTED * sizeof *files);
    size_t n = 0;
    while (in && files && n < LISTED && next_kept(in, &files[n])) n++;
    if (in && files) remove_oldest(in, files, n);
    free(files);
    if (in) (void)closedir(in);
}

/* Builds the content of the file for these bytes. */
static mt_status seal(
    mt_arena *arena, const char *kind, const char *key, const void *bytes, size_t n, char **file)
{
    const head h = head_of(kind, key);
    char sum[MT_HASH_SIZE];
    MT_ALLOC(arena, *file, sizeof h + n + KEY);
    memcpy(*file, &h, sizeof h);
    if (n > 0) memcpy(*file + sizeof h, bytes, n);
    MT_TRY(mt_hash_of(*file, sizeof h + n, sum));
    memcpy(*file + sizeof h + n, sum, KEY);
    return MT_OK;
}

void mt_cache_store(const char *kind, const char key[MT_HASH_SIZE], const void *bytes, size_t n)
{
    char in[MT_FILE_PATH_MAX], path[MT_FILE_PATH_MAX], *file;
    const size_t all = sizeof(head) + n + KEY;
    MT_SCRATCH(scratch);
    if (n > MT_CACHE_BYTES - sizeof(head) - KEY || !folder(in, true) || !joined(path, in, key)) return;
    if (seal(scratch, kind, key, bytes, n, &file) == MT_OK && mt_file_write_text(path, file, all) == MT_OK)
        tidy(in);
}
