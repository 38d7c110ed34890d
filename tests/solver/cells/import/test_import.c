#include <criterion/criterion.h>

#include <string.h>

#include "solver/cells/import/import.h"
#include "solver/cells/model.h"
#include "tests/answers.h"

Test(import, a_file_is_read_by_the_reader_for_its_ending)
{
    mt_arena arena = {0};
    mt_equations *equations;
    ok(mt_import_read(&arena, "tests/solver/cells/import/hodgkin_huxley.cellml", &equations));
    cr_assert_str_eq(equations->format, "CellML 1.0");
    cr_assert_eq(equations->n_warnings, 0, "%s", equations->warning[0]);
    mt_arena_free(&arena);
}

Test(import, an_unknown_ending_is_refused_with_the_known_ones)
{
    static const char *const names[] = {"model.xml", "cellml", ".cellml", "a.cellml/b", "a.cellml.gz"};
    mt_arena arena = {0};
    mt_equations *equations;
    cr_assert(mt_import_is_file("a.cellml"));
    cr_assert(mt_import_is_file("folder/a.b.cellml"));
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        cr_assert(!mt_import_is_file(names[k]), "%s", names[k]);
        cr_assert_eq(mt_import_read(&arena, names[k], &equations), MT_INPUT);
        assert_message("the ending is not that of a file with an ionic model; allowed: .cellml (CellML), "
                       ".mmt (Myokit), .ode (gotran), .model (EasyML)");
    }
}

Test(import, every_format_has_an_ending_that_users_are_told_a_name_and_a_reader)
{
    for (const mt_import_format *f = mt_import_formats; f->ending; f++) {
        cr_assert_eq(f->ending[0], '.');
        cr_assert(f->name && f->read);
        cr_assert(strstr(MT_CELL_MODEL_FILES, f->ending), "%s", f->ending);
    }
}
