#include <criterion/criterion.h>

#include <string.h>
#include <unistd.h>

#include "app/cli/machines.h"

Test(machines, a_machine_is_found_by_name_and_by_path)
{
    mt_arena arena = {0};
    const char *path;
    cr_assert_eq(mt_machine_path(&arena, "gc200", &path), MT_OK);
    cr_assert(access(path, R_OK) == 0, "%s", path);
    cr_assert_eq(mt_machine_path(&arena, "my/machine.yaml", &path), MT_OK);
    cr_assert_str_eq(path, "my/machine.yaml");
    cr_assert_eq(mt_machine_path(&arena, "machine.yaml", &path), MT_OK);
    cr_assert_str_eq(path, "machine.yaml");
    cr_assert_eq(mt_machine_path(&arena, "gc9000", &path), MT_INPUT);
    cr_assert(strstr(mt_message(), "'gc9000'"), "%s", mt_message());
    mt_arena_free(&arena);
}
