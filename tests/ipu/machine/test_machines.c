#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/files/file.h"
#include "ipu/machine/machines.h"
#include "tests/answers.h"
#include "tests/sets.h"

static const char folder[] = "data/machines";
static mt_arena arena;

static void leave(void) { mt_arena_free(&arena); }

TestSuite(machines, .fini = leave);

Test(machines, machines_are_found_by_name_and_by_path)
{
    const char *path;
    ipu_target target;
    ok(ipu_machine_path(&arena, folder, "gc200", &path));
    cr_assert_str_eq(path, "data/machines/gc200.yaml");
    ok(ipu_machine_load(&arena, path, NULL, 0, &target));
    cr_assert_str_eq(target.name, "GC200");
    ok(ipu_machine_path(&arena, folder, "my/machine.yaml", &path));
    cr_assert_str_eq(path, "my/machine.yaml");
    ok(ipu_machine_path(&arena, folder, "machine.yaml", &path));
    cr_assert_str_eq(path, "machine.yaml");
}

Test(machines, an_unknown_machine_is_rejected_with_all_names)
{
    const char *path;
    cr_assert_eq(ipu_machine_path(&arena, folder, "gc9000", &path), MT_INPUT);
    cr_assert_str_eq(mt_message(), "machine 'gc9000'; allowed: bow, c600, epiphany64, gc2, gc200, wse1, "
                                   "wse2, or the path of a .yaml file");
}

Test(machines, names_of_machines_are_the_file_names_in_the_folder)
{
    char mine[] = "/tmp/test_machines.XXXXXX", file[64];
    static const char *const files[] = {"second.yaml", "first.yaml", "README.md"};
    const char **names, *path;
    size_t n;
    cr_assert_not_null(mkdtemp(mine));
    ok(ipu_machine_names(&arena, mine, &n, &names));
    cr_assert_eq(n, 0);
    cr_expect_eq(ipu_machine_path(&arena, mine, "gc200", &path), MT_INPUT);
    assert_message("machine 'gc200'; allowed: the path of a .yaml file");
    for (size_t k = 0; k < 3; k++) {
        (void)snprintf(file, sizeof file, "%s/%s", mine, files[k]);
        ok(mt_file_write_text(file, "name: mine\n", 11));
    }
    ok(ipu_machine_names(&arena, mine, &n, &names));
    cr_assert_eq(n, 2);
    cr_assert(strcmp(names[0], "first") == 0 && strcmp(names[1], "second") == 0);
    cr_expect_eq(ipu_machine_path(&arena, mine, "gc200", &path), MT_INPUT, "that is in another folder");
    assert_message("allowed: first, second, or the path");
    for (size_t k = 0; k < 3; k++) {
        (void)snprintf(file, sizeof file, "%s/%s", mine, files[k]);
        (void)unlink(file);
    }
    cr_assert_eq(rmdir(mine), 0);
}

Test(machines, the_name_of_a_machine_lists_its_overridden_values)
{
    static const char *const sets[] = {"links.shape=torus", "clock_hz=1.5e9"};
    ipu_target target;
    ok(ipu_machine_load(&arena, "data/machines/gc200.yaml", sets_of(sets, 2), 2, &target));
    cr_assert_str_eq(target.name, "GC200 with links.shape=torus, clock_hz=1.5e9");
    cr_assert_eq(target.clock_hz, 1.5e9);
}
