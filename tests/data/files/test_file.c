#include <criterion/criterion.h>

#include "data/files/file.h"
#include "data/files/folder.h"
#include "tests/answers.h"
#include "tests/faults.h"
#include "tests/leftovers.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char room[64];
static bool listing_fails;

/* Overrides the C library's function. */
DIR *opendir(const char *path)
{
    const int file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = file < 0 || listing_fails ? NULL : fdopendir(file);
    if (!list && file >= 0) (void)close(file);
    if (listing_fails) errno = ENOMEM;
    return list;
}

static void enter(void)
{
    (void)strcpy(room, "/tmp/test_file.XXXXXX");
    cr_assert_not_null(mkdtemp(room));
    cr_assert_eq(chdir(room), 0);
}

static void leave(void)
{
    char line[128];
    (void)snprintf(line, sizeof line, "rm -rf '%s'", room);
    cr_assert_eq(chdir("/"), 0);
    cr_assert_eq(system(line), 0);
}

TestSuite(file, .init = enter, .fini = leave);

static void put(const char *path, const char *text) { ok(mt_file_write_text(path, text, strlen(text))); }

/* Creates a file without this program's writer. */
static void put_foreign(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void holds(const char *path, const char *text)
{
    char found[256] = "";
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s does not exist", path);
    found[fread(found, 1, sizeof found - 1, file)] = 0;
    (void)fclose(file);
    cr_assert_str_eq(found, text, "%s", path);
}

static bool there(const char *path) { return access(path, F_OK) == 0; }

/* ---- existing targets ---- */

Test(file, symbolic_links_are_followed_and_file_modes_kept)
{
    struct stat info;
    cr_assert_eq(mkdir("deep", 0777), 0);
    put("deep/real", "old");
    cr_assert_eq(chmod("deep/real", 0600), 0);
    cr_assert_eq(symlink("real", "deep/second"), 0);
    cr_assert_eq(symlink("deep/second", "link"), 0);
    put("link", "new");
    holds("deep/real", "new");
    cr_assert(lstat("link", &info) == 0 && S_ISLNK(info.st_mode), "the link is still a link");
    cr_assert(stat("deep/real", &info) == 0 && (info.st_mode & 0777) == 0600, "%o", info.st_mode & 0777);
    cr_assert_eq(symlink("deep/none", "nowhere"), 0);
    put("nowhere", "made");
    holds("deep/none", "made");
    cr_assert_eq(symlink("round", "round"), 0);
    cr_assert_eq(mt_file_write_text("round", "x", 1), MT_FILE);
    assert_message("round: cannot be written: its symbolic links cannot be resolved");
}

Test(file, a_new_file_has_the_mode_set_by_the_umask)
{
    struct stat info;
    (void)umask(027);
    put("new", "x");
    cr_assert(stat("new", &info) == 0 && (info.st_mode & 0777) == 0640, "%o", info.st_mode & 0777);
}

Test(file, folders_and_devices_are_not_replaced)
{
    mt_file file;
    struct stat info;
    cr_assert_eq(mkdir("folder", 0777), 0);
    cr_assert_eq(mt_file_write_text("folder", "x", 1), MT_FILE);
    assert_message("folder: is a folder; allowed: a regular file to replace");
    put("/dev/null", "through");
    cr_assert(stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
    cr_assert_eq(mt_file_write_text("/dev/full", "x", 1), MT_FILE);
    assert_message("/dev/full: cannot be written: No space left on device");
    cr_assert_eq(mt_file_reserve("/dev/null", &file), MT_FILE, "a file that is opened by its name");
}

Test(file, a_pipe_is_written_directly)
{
    char text[16] = "";
    cr_assert_eq(mkfifo("pipe", 0600), 0);
    const int end = open("pipe", O_RDONLY | O_NONBLOCK);
    cr_assert_geq(end, 0);
    put("pipe", "through");
    cr_assert_eq(read(end, text, sizeof text), 7);
    cr_assert_str_eq(text, "through");
    (void)close(end);
}

/* `> out.txt -o /dev/stdout`: after the previous output of the program. */
Test(file, standard_output_given_as_a_file_is_written_directly)
{
    const int kept = dup(STDOUT_FILENO), out = open("out.txt", O_WRONLY | O_CREAT, 0666);
    cr_assert(kept >= 0 && dup2(out, STDOUT_FILENO) >= 0);
    cr_assert_eq(write(STDOUT_FILENO, "before ", 7), 7);
    const mt_status status = mt_file_write_text("out.txt", "after", 5);
    (void)dup2(kept, STDOUT_FILENO);
    ok(status);
    holds("out.txt", "before after");
}

Test(file, foreign_files_with_similar_names_are_left_unchanged)
{
    put_foreign("a.part", "mine");
    put_foreign(".a.part", "mine");
    put_foreign(".a.123456.part.old", "mine");
    put("a", "x");
    holds("a.part", "mine"), holds(".a.part", "mine"), holds(".a.123456.part.old", "mine");
}

/* ---- files of other programs ---- */

Test(file, foreign_files_are_replaced_only_if_allowed)
{
    put_foreign("theirs.csv", "t,v\n");
    cr_assert_eq(mt_file_check("theirs.csv", MT_FILE_OURS), MT_FILE);
    assert_message(
        "theirs.csv: already exists, and was apparently not written by myotile; --force replaces it");
    ok(mt_file_check("theirs.csv", MT_FILE_ANY));
    put_foreign("ours.json", "{\"program\": \"myotile\"}");
    ok(mt_file_check("ours.json", MT_FILE_OURS));
    ok(mt_file_check("none.csv", MT_FILE_OURS));
    put("made.csv", "t,v\n");
    if (!mt_file_is_ours("made.csv")) cr_skip("this file system has no extended attributes");
    ok(mt_file_check("made.csv", MT_FILE_OURS));
    put_foreign("made.csv", "t,v\n1,2\n");
    cr_assert_eq(mt_file_check("made.csv", MT_FILE_OURS), MT_FILE, "changed since it was written");
    cr_assert(!there("none.csv") && leftovers("none.csv") == 0);
    holds("theirs.csv", "t,v\n");
    cr_assert_eq(mt_file_check("no/such/folder.csv", MT_FILE_ANY), MT_FILE);
    cr_assert_eq(mt_file_check("theirs.csv/below", MT_FILE_ANY), MT_FILE);
}

/* ---- killed writers ---- */

/* Starts a child that opens the file, reports it, and waits to be killed or for a byte that lets it continue. */
static pid_t begin_elsewhere(const char *path, int *go_on)
{
    int said[2], asked[2];
    char byte = 0;
    cr_assert(pipe(said) == 0 && pipe(asked) == 0);
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        mt_file file;
        (void)close(asked[1]);
        if (mt_file_begin(path, &file) != MT_OK) _exit(1);
        (void)fputs("child", file.stream);
        if (write(said[1], &byte, 1) != 1 || read(asked[0], &byte, 1) != 1) _exit(2);
        _exit(mt_file_end(&file, MT_OK) == MT_OK ? 0 : 3);
    }
    (void)close(said[1]), (void)close(asked[0]);
    cr_assert_eq(read(said[0], &byte, 1), 1, "the child has opened the file");
    (void)close(said[0]);
    *go_on = asked[1];
    return child;
}

Test(file, leftovers_of_a_killed_writer_are_deleted_by_the_next)
{
    int go_on, ended;
    put("a", "old");
    const pid_t child = begin_elsewhere("a", &go_on);
    cr_assert_eq(kill(child, SIGKILL), 0);
    cr_assert_eq(waitpid(child, &ended, 0), child);
    cr_assert_eq(leftovers("a"), 1);
    holds("a", "old");
    put("a", "new");
    cr_assert_eq(leftovers("a"), 0);
    holds("a", "new");
}

Test(file, temporary_files_of_a_running_writer_are_not_deleted)
{
    int go_on, ended;
    const pid_t child = begin_elsewhere("a", &go_on);
    put("a", "parent");
    ok(mt_file_sweep(".", NULL));
    cr_assert_eq(leftovers("a"), 1);
    cr_assert_eq(write(go_on, "", 1), 1);
    cr_assert_eq(waitpid(child, &ended, 0), child);
    cr_assert(WIFEXITED(ended) && WEXITSTATUS(ended) == 0, "status %d", ended);
    holds("a", "child");
    cr_assert_eq(leftovers("a"), 0);
}

Test(file, abandoned_writes_leave_no_partial_files)
{
    mt_file one, two;
    put("a", "old");
    ok(mt_file_begin("a", &one));
    ok(mt_file_begin("b", &two));
    cr_assert(mt_file_abandon(SIGTERM));
    cr_assert(leftovers("a") == 0 && leftovers("b") == 0 && !there("b"));
    holds("a", "old");
    mt_file_discard(&one), mt_file_discard(&two);
}

/* ---- sets ---- */

Test(file, a_file_set_is_put_in_place_when_it_is_committed)
{
    put("a", "old"), put("gone", "old");
    ok(mt_file_set_begin());
    put("a", "new"), put("b", "new");
    ok(mt_file_remove("gone"));
    ok(mt_file_remove("b")); /* it is written again */
    holds("a", "old");
    cr_assert(!there("b") && there("gone"));
    cr_assert_eq(mt_file_set_begin(), MT_FILE, "sets do not nest");
    ok(mt_file_set_end(MT_OK));
    holds("a", "new"), holds("b", "new");
    cr_assert(!there("gone") && leftovers("a") == 0 && leftovers("b") == 0);
}

Test(file, a_failed_file_set_changes_nothing)
{
    put("a", "old"), put("gone", "old");
    ok(mt_file_set_begin());
    put("a", "new"), put("b", "new");
    ok(mt_file_remove("gone"));
    cr_assert_eq(mt_file_set_end(mt_fail(MT_FILE, "the disk is full")), MT_FILE);
    assert_message("the disk is full");
    holds("a", "old"), holds("gone", "old");
    cr_assert(!there("b") && leftovers("a") == 0 && leftovers("b") == 0);
}

Test(file, a_file_set_can_exceed_the_initial_limit_of_open_files)
{
    char name[32];
    struct rlimit limit;
    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = 100;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ok(mt_file_set_begin());
    for (int k = 0; k < 300; k++) {
        (void)snprintf(name, sizeof name, "f%d", k);
        put(name, name);
    }
    ok(mt_file_set_end(MT_OK));
    holds("f299", "f299");
}

/* Replaces a and b, creates new and removes gone, with this fault. Returns the exit code: 77 killed, 1 failed. */
static int write_set(fault what, int at)
{
    int ended;
    const pid_t child = fork();
    if (child == 0) {
        static const char *const name[] = {"a", "b", "new"};
        ok(mt_file_set_begin());
        begin_fault(what, at);
        mt_status status = mt_file_remove("gone");
        for (int k = 0; k < 3 && status == MT_OK; k++) status = mt_file_write_text(name[k], "new", 3);
        _exit(mt_file_set_end(status) == MT_OK ? 0 : 1);
    }
    cr_assert_eq(waitpid(child, &ended, 0), child);
    cr_assert(WIFEXITED(ended));
    return WEXITSTATUS(ended);
}

/* Returns 0 if all four are unchanged; 1 if all are as the set makes them; 2 for a mixture. */
static int state_of_set(void)
{
    char a[4] = "", b[4] = "", made[4] = "";
    const char *name[] = {"a", "b", "new"};
    char *text[] = {a, b, made};
    for (int k = 0; k < 3; k++) {
        FILE *file = fopen(name[k], "rb");
        if (file) text[k][fread(text[k], 1, 3, file)] = 0, (void)fclose(file);
    }
    const bool gone = !there("gone");
    if (!strcmp(a, "old") && !strcmp(b, "old") && !*made && !gone) return 0;
    return !strcmp(a, "new") && !strcmp(b, "new") && !strcmp(made, "new") && gone ? 1 : 2;
}

static void put_old_set(void)
{
    put_foreign("a", "old"), put_foreign("b", "old"), put_foreign("gone", "old"),
        put_foreign("other", "other");
    (void)unlink("new");
}

static int hidden(void)
{
    int n = -2; /* excludes . and .. */
    DIR *list = opendir(".");
    for (struct dirent *e; (e = readdir(list));) n += e->d_name[0] == '.';
    (void)closedir(list);
    return n;
}

/* Faults at every call that changes the folder, until a fault changes nothing any more. A program that was not killed leaves no
 * mixture, unless all its later calls fail. In that case, and after a kill, the next program leaves no mixture. */
Test(file, a_file_set_with_a_fault_at_any_call_is_entirely_old_or_entirely_new)
{
    for (fault what = KILLED; what < FAULTS; what++) {
        int at = 0, n_old = 0;
        for (int code = -1; code != 0 || at < 30; at++) {
            put_old_set();
            code = write_set(what, at);
            const int first = state_of_set();
            cr_assert(what == KILLED || what == FAILS_ALWAYS || (first != 2 && (code == 0 || first == 0)),
                "fault %d at call %d: code %d, state %d", what, at, code, first);
            ok(mt_file_finish_sets("a"));
            const int second = state_of_set();
            cr_assert(second == (code == 0) || (code != 0 && second != 2), "fault %d at call %d: state %d",
                what, at, second);
            ok(mt_file_sweep(".", NULL));
            cr_assert_eq(hidden(), 0, "fault %d at call %d: leftovers", what, at);
            n_old += second == 0;
            holds("other", "other");
        }
        cr_assert(n_old >= 3 && at < 100, "fault %d: %d of %d", what, n_old, at);
    }
}

/* A journal that cannot be settled stops readers, which would read a mixture, and writers of files that it would later replace. */
Test(file, an_unrecoverable_file_set_is_reported_and_kept)
{
    mt_file file;
    put_old_set();
    int at = 0;
    for (; state_of_set() != 2; at++) {
        put_old_set();
        cr_assert_neq(write_set(FAILS_ALWAYS, at), 77);
    }
    begin_fault(FAILS_ALWAYS, 0);
    cr_assert_eq(mt_file_finish_sets("a"), MT_FILE);
    assert_message(".: some files of an earlier run are not in place: ./");
    cr_assert_eq(mt_file_begin("b", &file), MT_FILE);
    cr_assert_eq(mt_file_sweep(".", NULL), MT_FILE);
    begin_fault(NO_FAULT, 0);
    ok(mt_file_finish_sets("a"));
    cr_assert_eq(state_of_set(), 1);
}

Test(file, an_incomplete_journal_is_discarded)
{
    put("a", "old"), put("b", "old");
    put_foreign(".myotile.1-0.journal", "rename .a.123456.part\nremove .b.123456.part\n");
    put_foreign(".a.123456.part", "half");
    ok(mt_file_finish_sets("a"));
    holds("a", "old"), holds("b", "old");
    cr_assert(!there(".myotile.1-0.journal"));
}

/* In a shared folder anyone can leave a journal. */
Test(file, a_journal_writable_by_other_users_is_ignored)
{
    put("b", "old");
    put_foreign(".myotile.1-0.journal", "remove .b.123456.part\nend\n");
    cr_assert_eq(chmod(".myotile.1-0.journal", 0666), 0);
    ok(mt_file_finish_sets("b"));
    holds("b", "old");
    cr_assert_eq(chmod(".myotile.1-0.journal", 0600), 0);
    ok(mt_file_finish_sets("b"));
    cr_assert(!there("b"), "a journal of this user is settled");
}

Test(file, a_file_written_through_a_removed_link_is_kept)
{
    cr_assert_eq(mkdir("deep", 0777), 0);
    put("deep/a", "old");
    cr_assert_eq(symlink("deep/a", "a"), 0);
    ok(mt_file_set_begin());
    ok(mt_file_remove("a"));
    put("a", "new");
    ok(mt_file_set_end(MT_OK));
    holds("a", "new"), holds("deep/a", "new");
}

Test(file, a_file_set_with_a_folder_at_a_file_path_changes_nothing)
{
    put("a", "old"), put("c", "old");
    ok(mt_file_set_begin());
    put("a", "new"), put("b", "new"), put("c", "new");
    cr_assert(mkdir("b", 0777) == 0 && mkdir("b/x", 0777) == 0);
    cr_assert_eq(mt_file_set_end(MT_OK), MT_FILE);
    assert_message("b: cannot be moved into place: Is a directory; no file was replaced");
    holds("a", "old"), holds("c", "old");
    cr_assert(there("b/x") && leftovers("a") == 0 && leftovers("b") == 0 && leftovers("c") == 0);
}

/* ---- folders ---- */

Test(file, a_folder_is_used_by_one_run_at_a_time)
{
    mt_folder folder, other;
    ok(mt_folder_enter("out", MT_FILE_OURS, &folder));
    cr_assert_eq(mt_folder_enter("out", MT_FILE_ANY, &other), MT_FILE);
    cr_expect(!mt_folder_is_taken("out"), "held by this program");
    assert_message(
        "out: another run of myotile is writing in this folder; wait for it, or choose another folder");
    mt_folder_keep("out");
    mt_folder_close(&folder);
    ok(mt_folder_enter("out", MT_FILE_OURS, &folder));
    mt_folder_keep("out");
    mt_folder_close(&folder);
    cr_assert(there("out/.myotile"));
}

Test(file, a_folder_that_cannot_be_listed_for_lack_of_memory_is_reported_as_such)
{
    mt_folder folder;
    cr_assert_eq(mkdir("out", 0777), 0);
    listing_fails = true;
    cr_assert_eq(mt_folder_enter("out", MT_FILE_OURS, &folder), MT_MEMORY);
    assert_message("out: Cannot allocate memory");
    listing_fails = false;
    ok(mt_folder_enter("out", MT_FILE_OURS, &folder));
    mt_folder_close(&folder);
}

Test(file, an_unused_new_folder_is_deleted)
{
    mt_folder folder;
    ok(mt_folder_enter("out", MT_FILE_OURS, &folder));
    mt_folder_close(&folder);
    cr_assert(!there("out"));
    ok(mt_folder_enter("out", MT_FILE_OURS, &folder));
    mt_folder_abandon();
    cr_assert(!there("out"));
    mt_folder_close(&folder);
    cr_assert_eq(mkdir("out", 0777), 0);
    ok(mt_folder_enter("out", MT_FILE_OURS, &folder));
    mt_folder_close(&folder);
    cr_assert(there("out") && !there("out/.myotile"), "the folder existed before");
}

/* The result exists for a moment before a signal arrives; or it was not written after all. */
Test(file, a_folder_is_kept_while_it_is_marked_as_kept)
{
    mt_folder folder;
    ok(mt_folder_enter("out", MT_FILE_OURS, &folder));
    mt_folder_keep("out");
    mt_folder_abandon();
    cr_assert(there("out/.myotile"));
    mt_folder_keep("out");
    mt_folder_unkeep("out");
    mt_folder_abandon();
    cr_assert(there("out/.myotile"), "two results were reported");
    mt_folder_unkeep("out");
    mt_folder_close(&folder);
    cr_assert(!there("out"));
}

Test(file, nested_folders_are_entered_and_left_independently)
{
    mt_folder outer, inner, other;
    ok(mt_folder_enter("out", MT_FILE_OURS, &outer));
    ok(mt_folder_enter("out/inner", MT_FILE_OURS, &inner));
    cr_assert_eq(mt_folder_enter("none/such", MT_FILE_OURS, &other), MT_FILE);
    cr_assert(there("out/.myotile") && there("out/inner/.myotile"), "a failure leaves the outer folders");
    mt_folder_close(&inner);
    cr_assert(there("out/.myotile") && !there("out/inner"));
    ok(mt_folder_enter("inner", MT_FILE_OURS, &inner));
    mt_folder_keep("out");
    mt_folder_abandon();
    cr_assert(there("out/.myotile") && !there("inner"));
    mt_folder_close(&inner);
    mt_folder_close(&outer);
    cr_assert(there("out/.myotile"), "it was reported while an inner folder was entered");
}

Test(file, different_paths_of_one_file_are_recognised)
{
    put("a", "x"), put("b", "x");
    cr_assert_eq(symlink("a", "link"), 0);
    cr_assert(mt_file_same("a", "a") && mt_file_same("a", "./a") && mt_file_same("link", "a"));
    cr_assert(!mt_file_same("a", "b") && !mt_file_same("a", "none") && !mt_file_same("none", "none"));
    cr_assert(mt_file_same(".", room));
}

Test(file, a_folder_with_foreign_files_is_entered_only_if_allowed)
{
    mt_folder folder;
    cr_assert_eq(mkdir("theirs", 0777), 0);
    put_foreign("theirs/notes", "mine");
    cr_assert_eq(mt_folder_enter("theirs", MT_FILE_OURS, &folder), MT_FILE);
    assert_message("theirs: this folder contains files that myotile did not write; choose another folder, or "
                   "use --force to write in it and replace files of the same names");
    ok(mt_folder_enter("theirs", MT_FILE_ANY, &folder));
    mt_folder_close(&folder);
    cr_assert_eq(mt_folder_enter("theirs/notes", MT_FILE_ANY, &folder), MT_FILE);
    assert_message("theirs/notes: is not a folder");
    put_foreign("theirs/used.yaml", "# Every value used by a run of myotile 0.1.0\n");
    ok(mt_folder_enter("theirs", MT_FILE_OURS, &folder)); /* results of a version without marks */
    mt_folder_close(&folder);
}

Test(file, entering_a_folder_deletes_leftovers_of_killed_runs)
{
    int go_on, ended;
    mt_folder folder;
    cr_assert_eq(mkdir("out", 0777), 0);
    const pid_t child = begin_elsewhere("out/result.hdf", &go_on);
    cr_assert_eq(kill(child, SIGKILL), 0);
    cr_assert_eq(waitpid(child, &ended, 0), child);
    put_foreign("out/.myotile", "");
    cr_assert_eq(leftovers("out/result.hdf"), 1);
    ok(mt_folder_enter("out", MT_FILE_OURS, &folder));
    cr_assert_eq(leftovers("out/result.hdf"), 0);
    mt_folder_close(&folder);
}
