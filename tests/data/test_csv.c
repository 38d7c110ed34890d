#include <criterion/criterion.h>

#include <stdlib.h>

#include "data/csv.h"

Test(csv, fields_that_need_it_are_quoted)
{
    static const struct {
        const char *text, *field;
    } cases[] = {{"plain words", "plain words"}, {"", ""}, {"a,b", "\"a,b\""}, {"\"a\"", "\"\"\"a\"\"\""},
        {"two\nlines", "\"two\nlines\""}, {"end\r", "\"end\r\""}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        mt_csv_field(stream, cases[k].text);
        (void)fclose(stream);
        cr_expect_str_eq(text, cases[k].field);
        free(text);
    }
}
