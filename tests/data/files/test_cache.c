#include <criterion/criterion.h>

#include "tests/room.h"

#include "data/files/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

/* An entry is found by its kind and key; another or a damaged one is detected. */

enum { NAME = 512 };

static const char key[] = "0123456789abcdef0123456789abcdef";

static void enter(void)
{
    char path[128];
    enter_room();
    (void)snprintf(path, sizeof path, "%s/cache", room);
    cr_assert_eq(setenv("XDG_CACHE_HOME", path, 1), 0);
}

TestSuite(cache, .init = enter, .fini = leave_room);

static bool finds(const char *kind, const char *by, const void *bytes, size_t n)
{
    mt_arena arena = {0};
    const void *found;
    size_t n_found;
    const bool there = mt_cache_find(&arena, kind, by, &found, &n_found);
    if (there) cr_assert(n_found == n && memcmp(found, bytes, n) == 0 && (uintptr_t)found % 16 == 0);
    mt_arena_free(&arena);
    return there;
}

static void rename_to(const char *other)
{
    char from[NAME], to[NAME];
    (void)snprintf(from, sizeof from, "cache/myotile/%s", key);
    (void)snprintf(to, sizeof to, "cache/myotile/%s", other);
    cr_assert_eq(rename(from, to), 0);
}

Test(cache, entries_are_found_by_their_kind_and_key_only)
{
    static const char other[] = "0123456789abcdef0123456789abcdee";
    cr_expect_not(finds("word", key, "", 0));
    mt_cache_store("word", key, "", 0);
    cr_expect(finds("word", key, "", 0), "an empty entry");
    mt_cache_store("word", key, "some bytes", 10);
    cr_expect(finds("word", key, "some bytes", 10), "the newest entry");
    cr_expect_not(finds("words", key, NULL, 0));
    cr_expect_not(finds("word", other, NULL, 0));
    rename_to(other);
    cr_expect_not(finds("word", other, NULL, 0), "the file has another key");
}

static void write_bytes(const char *name, const char *bytes, size_t n)
{
    FILE *file = fopen(name, "wb");
    cr_assert(file && fwrite(bytes, 1, n, file) == n && fclose(file) == 0);
}

Test(cache, damaged_entries_are_detected)
{
    char name[NAME];
    size_t n;
    mt_cache_store("word", key, "some bytes", 10);
    (void)snprintf(name, sizeof name, "cache/myotile/%s", key);
    char *bytes = bytes_of(name, &n);
    for (size_t k = 0; k < n; k++) {
        bytes[k] ^= 1;
        write_bytes(name, bytes, n);
        bytes[k] ^= 1;
        cr_expect_not(finds("word", key, NULL, 0), "byte %zu", k);
        write_bytes(name, bytes, k);
        cr_expect_not(finds("word", key, NULL, 0), "%zu bytes", k);
    }
    write_bytes(name, bytes, n);
    cr_expect(finds("word", key, "some bytes", 10));
    free(bytes);
}

static size_t files_in(const char *folder)
{
    size_t n = 0;
    DIR *in = opendir(folder);
    for (struct dirent *entry; in && (entry = readdir(in));) n += entry->d_name[0] != '.';
    if (in) (void)closedir(in);
    return n;
}

/* The least recently used file is deleted first; files of others remain. */
Test(cache, the_size_of_the_cache_is_limited)
{
    mt_arena arena = {0};
    const void *bytes;
    size_t n;
    char by[MT_HASH_SIZE], name[NAME];
    for (int k = 0; k < MT_CACHE_FILES + 20; k++) {
        (void)snprintf(by, sizeof by, "%032x", k);
        mt_cache_store("word", by, by, MT_HASH_SIZE - 1);
        if (k == 0) write_text("cache/myotile/mine.txt", "mine");
        struct timespec old[2] = {{.tv_sec = 1000 + k}, {.tv_sec = 1000 + k}};
        (void)snprintf(name, sizeof name, "cache/myotile/%s", by);
        cr_assert_eq(utimensat(AT_FDCWD, name, old, 0), 0);
        (void)snprintf(by, sizeof by, "%032x", 1);
        cr_assert_eq(
            mt_cache_find(&arena, "word", by, &bytes, &n), k >= 1, "an entry in constant use remains");
    }
    cr_assert_eq(files_in("cache/myotile"), MT_CACHE_FILES + 1);
    (void)snprintf(by, sizeof by, "%032x", 0);
    cr_assert_not(mt_cache_find(&arena, "word", by, &bytes, &n));
    cr_assert(there("cache/myotile/mine.txt"));
    mt_arena_free(&arena);
}
