#include "data/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char suffix[] = ".part";

/* The temporary file under way, for mt_file_abandon. */
static char under_way[MT_FILE_PATH_MAX];
static volatile sig_atomic_t is_under_way;

mt_status mt_file_temporary(const char *path, char *out, size_t size)
{
    size_t n = strlen(path);
    if (n == 0) return mt_fail(MT_INPUT, "the name of a file to write is empty");
    if (n + sizeof suffix > size)
        return mt_fail(MT_INPUT, "%.60s...: a path of %zu characters; at most %zu are allowed", path, n,
            size > sizeof suffix ? size - sizeof suffix : 0);
    memcpy(out, path, n);
    memcpy(out + n, suffix, sizeof suffix);
    is_under_way = 0;
    if (n + sizeof suffix > sizeof under_way) return MT_OK;
    memcpy(under_way, out, n + sizeof suffix);
    is_under_way = 1;
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
    if (n == 0) return mt_fail(MT_INPUT, "'%s': nothing stands before the ending %s", name, ending);
    if (n + strlen(ending) >= MT_FILE_PATH_MAX)
        return mt_fail(MT_INPUT, "%.60s...: a path of %zu characters is too long", name, n);
    memcpy(out, name, n);
    memcpy(out + n, ending, strlen(ending) + 1);
    return MT_OK;
}

/* errno of making the file durable, or 0. */
static int sync_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno;
    int reason = fsync(fd) ? errno : 0;
    if (close(fd) && !reason) reason = errno;
    return reason;
}

mt_status mt_file_commit(const char *temporary, const char *path)
{
    int reason = sync_file(temporary);
    if (!reason && rename(temporary, path)) reason = errno;
    is_under_way = 0;
    if (!reason) return MT_OK;
    mt_file_discard(temporary);
    return mt_fail(MT_FILE, "%s: cannot be put in place: %s", path, strerror(reason));
}

void mt_file_discard(const char *temporary)
{
    (void)unlink(temporary);
    is_under_way = 0;
}

void mt_file_abandon(void)
{
    if (is_under_way) (void)unlink(under_way);
}

mt_status mt_file_begin(const char *path, mt_file *file)
{
    MT_TRY(mt_file_temporary(path, file->temporary, sizeof file->temporary));
    errno = 0;
    file->path = path;
    file->stream = fopen(file->temporary, "wb");
    return file->stream ? MT_OK : mt_fail(MT_FILE, "%s: cannot be written: %s", path, strerror(errno));
}

mt_status mt_file_end(mt_file *file, mt_status status)
{
    errno = 0;
    const int broken = fflush(file->stream) != 0 || ferror(file->stream) != 0;
    int reason = broken ? errno ? errno : EIO : 0;
    if (fclose(file->stream) && !reason) reason = errno ? errno : EIO;
    if (status == MT_OK && !reason) return mt_file_commit(file->temporary, file->path);
    mt_file_discard(file->temporary);
    if (status != MT_OK) return status;
    return mt_fail(MT_FILE, "%s: cannot be written: %s", file->path, strerror(reason));
}

mt_status mt_file_check(const char *path)
{
    mt_file file;
    MT_TRY(mt_file_begin(path, &file));
    (void)fclose(file.stream);
    mt_file_discard(file.temporary);
    return MT_OK;
}

mt_status mt_file_folder(const char *path, bool *made)
{
    *made = mkdir(path, 0777) == 0;
    if (!*made && errno != EEXIST) return mt_fail(MT_FILE, "%s: %s", path, strerror(errno));
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) return mt_fail(MT_FILE, "%s: is no folder", path);
    if (access(path, W_OK | X_OK) != 0) return mt_fail(MT_FILE, "%s: %s", path, strerror(errno));
    return MT_OK;
}

mt_status mt_file_check_folder(const char *path)
{
    bool made = false;
    const mt_status status = mt_file_folder(path, &made);
    if (made) (void)rmdir(path);
    return status;
}

mt_status mt_file_write_text(const char *path, const char *text, size_t n)
{
    mt_file file;
    MT_TRY(mt_file_begin(path, &file));
    (void)fwrite(text, 1, n, file.stream);
    return mt_file_end(&file, MT_OK);
}
