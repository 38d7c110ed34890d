/* Arrays and texts of a page: written data is read back. */
#include "tests/app/report/page_data.h"

#include "app/report/html.h"

static mt_arena arena;

static void enter(void)
{
    enter_room();
    write_text("page.html", bare_page);
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(html, .init = enter, .fini = leave);

static void begin(mt_html_part *part)
{
    cr_assert_eq(mt_html_part_begin(0, part), MT_OK, "%s", mt_message());
}

/* Writes a page with one part, reads it, and returns its run. */
static const json *finish(mt_html_part *part, page *p)
{
    mt_html_template template;
    size_t bytes;
    cr_assert_eq(mt_html_template_read(&arena, "page.html", &template), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_html_part_end(part, &bytes), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_html_write("out.html", &template, 1, part, &bytes), MT_OK, "%s", mt_message());
    mt_html_part_free(part);
    *p = open_page(&arena, "out.html");
    cr_assert_eq(bytes, p->n);
    return json_at(p->data, "runs")->first;
}

Test(html, real_numbers_are_decoded_to_half_a_quantisation_step_and_nan_as_nan)
{
    enum { N = 1001 };
    static const struct {
        mt_html_levels levels;
        size_t components, lag;
    } ways[] = {{MT_HTML_65535, 1, 0}, {MT_HTML_65535, 3, 0}, {MT_HTML_255, 1, 0}, {MT_HTML_255, 1, 91}};
    static double value[4][3 * N];
    mt_html_part part;
    char key[16];
    page p;
    size_t n;
    begin(&part);
    for (size_t w = 0; w < 4; w++) {
        for (size_t k = 0; k < N * ways[w].components; k++)
            value[w][k] = k % 17 == 3 ? (double)NAN : 40 * sin(0.01 * (double)k) + 0.1 * (double)(k * k % 11);
        (void)snprintf(key, sizeof key, "way%zu", w);
        mt_html_reals(&part, key, N, ways[w].components, value[w], ways[w].levels, ways[w].lag);
    }
    const json *run = finish(&part, &p);
    for (size_t w = 0; w < 4; w++) {
        (void)snprintf(key, sizeof key, "way%zu", w);
        const json *about = json_at(run, key);
        const double *back = array(&arena, &p, about, &n);
        cr_assert_eq(n, N * ways[w].components);
        cr_expect_lt(json_value(about, "scale"), 82 / (ways[w].levels == MT_HTML_255 ? 254.0 : 65534.0));
        for (size_t k = 0; k < n; k++) {
            cr_assert_eq(isnan(back[k]) != 0, isnan(value[w][k]) != 0, "%zu %zu", w, k);
            if (!isnan(back[k]))
                cr_assert_leq(fabs(back[k] - value[w][k]), half_step(about), "%zu %zu", w, k);
        }
    }
}

Test(html, constant_integer_and_undefined_numbers_are_decoded_exactly)
{
    mt_html_part part;
    page p;
    size_t n;
    begin(&part);
    mt_html_reals(&part, "same", 3, 1, (double[]){-85.23, -85.23, -85.23}, MT_HTML_65535, 0);
    mt_html_reals(&part, "none", 2, 1, (double[]){NAN, NAN}, MT_HTML_65535, 0);
    mt_html_reals(&part, "empty", 0, 3, NULL, MT_HTML_65535, 0);
    mt_html_reals(&part, "tags", 4, 1, (double[]){-3, NAN, 250, 7}, MT_HTML_255, 0);
    mt_html_doubles(&part, "exact", 3, (double[]){0.1, 1e300, -0.0});
    const json *run = finish(&part, &p);
    const double *back = array_at(&arena, &p, run, "same", &n);
    cr_expect(n == 3 && back[0] == -85.23 && back[2] == -85.23);
    back = array_at(&arena, &p, run, "none", &n);
    cr_expect(n == 2 && isnan(back[0]) && isnan(back[1]));
    back = array_at(&arena, &p, run, "tags", &n);
    cr_expect(n == 4 && back[0] == -3 && isnan(back[1]) && back[2] == 250 && back[3] == 7);
    (void)array_at(&arena, &p, run, "empty", &n);
    cr_expect_eq(n, 0);
    back = array_at(&arena, &p, run, "exact", &n);
    cr_expect(n == 3 && back[0] == 0.1 && back[1] == 1e300 && signbit(back[2]));
}

Test(html, integers_are_encoded_in_the_fewest_bytes)
{
    enum { N = 777 };
    static const struct {
        uint32_t low, range;
        const char *type;
    } kinds[] = {{0, 255, "u8"}, {1000, 255, "u8"}, {7, 256, "u16"}, {0, 65535, "u16"}, {3, 65536, "u32"},
        {0, UINT32_MAX, "u32"}};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    static uint32_t value[KINDS][N];
    mt_html_part part;
    char key[16];
    page p;
    size_t n;
    begin(&part);
    for (size_t k = 0; k < KINDS; k++) {
        for (size_t i = 0; i < N; i++)
            value[k][i] =
                kinds[k].low + (i == 5      ? kinds[k].range
                                   : i == 6 ? 0
                                            : (uint32_t)((uint64_t)i * 2654435761u % kinds[k].range));
        (void)snprintf(key, sizeof key, "kind%zu", k);
        mt_html_wholes(&part, key, N / 3, 3, value[k]);
    }
    const json *run = finish(&part, &p);
    for (size_t k = 0; k < KINDS; k++) {
        (void)snprintf(key, sizeof key, "kind%zu", k);
        const double *back = array_at(&arena, &p, run, key, &n);
        cr_expect_str_eq(json_at(json_at(run, key), "type")->text, kinds[k].type);
        cr_assert_eq(n, N);
        for (size_t i = 0; i < N; i++) cr_assert_eq(back[i], value[k][i], "%zu %zu: %g", k, i, back[i]);
    }
}

Test(html, long_texts_are_decoded_exactly)
{
    static const char *const texts[] = {"{\"name\": \"</script>\", \"edge\": \"\xC2\xB5m\"}\n", ""};
    mt_html_part part;
    page p;
    begin(&part);
    mt_html_text(&part, "some", texts[0]);
    mt_html_text(&part, "none", texts[1]);
    const json *run = finish(&part, &p);
    cr_expect_str_eq(json_at(json_at(run, "some"), "type")->text, "text");
    cr_expect_str_eq(text_at(&arena, &p, run, "some"), texts[0]);
    cr_expect_str_eq(text_at(&arena, &p, run, "none"), texts[1]);
}

Test(html, no_text_can_close_or_open_a_script_element)
{
    static const char nasty[] = "</script><script>alert(1)</script><!-- & \"quoted\" \\ back\n";
    mt_html_part part;
    page p;
    begin(&part);
    mt_json_text(&part.json, "title", nasty);
    mt_json_text(&part.json, nasty, "key");
    const json *run = finish(&part, &p);
    cr_expect_str_eq(json_at(run, "title")->text, nasty);
    cr_expect_not_null(json_find(run, nasty));
    cr_expect_null(strstr(p.html, "alert(1)</script>"));
    size_t opened = 0, closed = 0;
    for (const char *at = p.html; (at = strstr(at, "<script")); at++) opened++;
    for (const char *at = p.html; (at = strstr(at, "</script")); at++) closed++;
    cr_expect(opened == 1 && closed == 1, "%zu scripts begin and %zu end", opened, closed);
}

Test(html, the_template_around_the_data_is_unchanged)
{
    mt_html_part part;
    page p;
    begin(&part);
    (void)finish(&part, &p);
    cr_expect_not_null(strstr(p.html, "<!DOCTYPE html>\n<title>Myotile report</title>\n<script type="));
    cr_expect_str_eq(p.html + p.n - strlen("</script>\n<p>end</p>\n"), "</script>\n<p>end</p>\n");
}

Test(html, a_template_without_exactly_one_data_placeholder_is_rejected)
{
    mt_html_template template;
    write_text("none.html", "<p>\n<!--data-->\n</p>\n");
    write_text("two.html", "<p>\n<!-- data -->\n<!-- data -->\n</p>\n");
    cr_assert_eq(mt_html_template_read(&arena, "none.html", &template), MT_INPUT);
    cr_expect_str_eq(mt_message(), "none.html: the line '<!-- data -->' occurs nowhere; allowed: once");
    cr_assert_eq(mt_html_template_read(&arena, "two.html", &template), MT_INPUT);
    cr_expect_str_eq(mt_message(), "two.html: the line '<!-- data -->' occurs several times; allowed: once");
    cr_assert_eq(mt_html_template_read(&arena, "nowhere.html", &template), MT_FILE);
}
