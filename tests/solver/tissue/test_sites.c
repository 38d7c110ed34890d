#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mesh/make/slab.h"
#include "solver/case/case_on_mesh.h"
#include "solver/tissue/sites.h"
#include "tests/solver/small_case.h"

/* Sites of early activation: the file, and the stimuli of the case. */

static mt_arena arena;
static char path[64];

static void write_file(const char *text)
{
    (void)snprintf(path, sizeof path, "/tmp/test_sites_%d.csv", (int)getpid());
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void end(void)
{
    (void)unlink(path);
    mt_arena_free(&arena);
}

TestSuite(sites, .fini = end);

static mt_status read_file(const char *text, size_t *n, mt_site **sites)
{
    write_file(text);
    return mt_sites_read(&arena, path, 4, n, sites);
}

Test(sites, columns_can_be_in_any_order_and_optional_ones_omitted)
{
    size_t n;
    mt_site *s;
    cr_assert_eq(
        read_file("# a map\n\n start_ms, z_mm,x_mm,y_mm,radius_mm\r\n2.5,3,1,2,0.5\r\n\n,-3,-1e1,0, # last\n",
            &n, &s),
        MT_OK, "%s", mt_message());
    cr_assert_eq(n, 2);
    cr_expect(s[0].xyz_mm[0] == 1 && s[0].xyz_mm[1] == 2 && s[0].xyz_mm[2] == 3);
    cr_expect(s[0].start_ms == 2.5 && s[0].radius_mm == 0.5 && s[0].line == 4);
    cr_expect(s[1].xyz_mm[0] == -10 && s[1].start_ms == 0 && isnan(s[1].radius_mm) && s[1].line == 6);
    cr_assert_eq(read_file("x_mm,y_mm,z_mm\n1,2,3", &n, &s), MT_OK, "%s", mt_message());
    cr_expect(n == 1 && s[0].start_ms == 0 && isnan(s[0].radius_mm));
}

Test(sites, errors_are_reported_with_their_line)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"", ":1: the file is empty; needed: a header with columns: x_mm, y_mm, z_mm, start_ms, radius_mm"},
        {"x_mm,y_mm\n1,2\n", ":1: no column z_mm; needed: x_mm, y_mm and z_mm"},
        {"x_mm,y_mm,z_mm,t\n", ":1: column 't'; allowed: x_mm, y_mm, z_mm, start_ms, radius_mm"},
        {"x_mm,y_mm,z_mm,x_mm\n", ":1: duplicate column x_mm"},
        {"x_mm,y_mm,z_mm\n", "no sites; needed: at least one"},
        {"x_mm,y_mm,z_mm\n1,2\n", ":2: 2 fields; allowed: 3, as in the header"},
        {"x_mm,y_mm,z_mm\n1,2,3,4\n", ":2: more fields than the 3 of the header"},
        {"x_mm,y_mm,z_mm\n1,2,\n", ":2: z_mm is ''; allowed: a number"},
        {"x_mm,y_mm,z_mm\n1,2,nan\n", ":2: z_mm is 'nan'; allowed: a number"},
        {"x_mm,y_mm,z_mm,start_ms\n1,2,3,-1\n", ":2: start_ms is '-1'; allowed: a number, at least 0"},
        {"x_mm,y_mm,z_mm,radius_mm\n1,2,3,0\n", ":2: radius_mm is '0'; allowed: a number above 0"},
        {"x_mm,y_mm,z_mm\n1,2,3\n1,2,3\n1,2,3\n1,2,3\n1,2,3\n",
            ":6: more than 4 sites; allowed: at most this number"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        size_t n;
        mt_site *s;
        cr_assert_eq(read_file(wrong[k].text, &n, &s), MT_INPUT, "%s", wrong[k].text);
        cr_expect(strncmp(mt_message(), path, strlen(path)) == 0 && strstr(mt_message(), wrong[k].message),
            "%s", mt_message());
    }
    size_t n;
    mt_site *s;
    cr_expect_eq(mt_sites_read(&arena, "/tmp/there/is/no.csv", 4, &n, &s), MT_FILE);
}

static const char begin[] = SMALL_SLAB USUAL_TISSUE "time: {end_ms: 6}\nmachine: {tiles: 3}\n";

static mt_status load(const char *more, mt_case *c)
{
    char text[2048], set[96];
    const mt_yaml_override file = {"test", set};
    (void)snprintf(text, sizeof text, "%s%s", begin, more);
    (void)snprintf(set, sizeof set, "sites.file=%s", path);
    return mt_case_read(&arena, "case", text, &file, 1, c);
}

#define SITES "sites: {radius_mm: 0.8, duration_ms: 2, strength_uA_mm3: 50}\n"

Test(sites, sites_are_appended_to_the_stimuli_of_the_case_and_written_as_such)
{
    mt_case c, again;
    const char *text;
    write_file("x_mm,y_mm,z_mm,start_ms,radius_mm\n1,1,0.5,0.511,\n2,1,0.5,0,0.6\n");
    cr_assert_eq(load(SMALL_STIMULUS("2") SITES, &c), MT_OK, "%s", mt_message());
    cr_assert_eq(c.n_stimuli, 3);
    cr_expect(!c.stimuli[0].site && c.stimuli[1].site && c.stimuli[2].site);
    cr_expect_float_eq(c.stimuli[1].start_ms, 0.52, 1e-15, "on a step");
    cr_expect(c.stimuli[1].region.radius_mm == 0.8 && c.stimuli[2].region.radius_mm == 0.6);
    cr_expect(c.stimuli[2].duration_ms == 2 && c.stimuli[2].strength_uA_mm3 == 50 && c.stimuli[2].count == 1);
    cr_assert_eq(mt_yaml_write(&arena, &mt_case_table, &c, &text), MT_OK);
    cr_assert_eq(mt_case_read(&arena, "again", text, NULL, 0, &again), MT_OK, "%s", mt_message());
    cr_assert_eq(again.n_stimuli, 3);
    cr_expect(again.stimuli[2].site && again.stimuli[1].start_ms == c.stimuli[1].start_ms);
    cr_assert_eq(load(SITES, &c), MT_OK, "%s", mt_message());
    cr_expect_eq(c.n_stimuli, 2);
}

/* Spheres around two close points: no element belongs to both, and every element of either belongs to one. */
Test(sites, an_element_in_several_sites_belongs_to_the_earliest_one)
{
    mt_case c;
    mt_mesh mesh;
    mt_stimulus *s;
    size_t n_first;
    uint32_t *first;
    bool has[288] = {false};
    write_file("x_mm,y_mm,z_mm,start_ms\n1.2,1,0.5,1\n1,1,0.5,0\n1,1,0.5,0\n1,1,0.5,2\n");
    cr_assert_eq(load(SITES, &c), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_slab_make_cut(&arena, c.mesh.slab.size_mm, 0.5, MT_SLAB_MIRRORED, &mesh), MT_OK);
    cr_assert_eq(
        mt_case_stimuli(&arena, &c, &mesh, &(mt_unknowns){&mesh, false}, &s), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_region_elements(&arena, &c.stimuli[1].region, &mesh, &n_first, &first), MT_OK);
    cr_expect_eq(s[1].n_elements, n_first);
    cr_expect(s[0].n_elements > 0 && s[0].n_elements < n_first, "%zu, %zu", s[0].n_elements, n_first);
    cr_expect(s[2].n_elements == 0 && s[3].n_elements == 0);
    for (size_t k = 0; k < 2; k++)
        for (size_t e = 0; e < s[k].n_elements; e++) {
            cr_expect(!has[s[k].element[e]]);
            has[s[k].element[e]] = true;
        }
    /* as plain stimuli all of them act */
    for (size_t k = 0; k < c.n_stimuli; k++) c.stimuli[k].site = false;
    cr_assert_eq(mt_case_stimuli(&arena, &c, &mesh, &(mt_unknowns){&mesh, false}, &s), MT_OK);
    cr_expect_eq(s[3].n_elements, n_first);
}

static void refused(const char *more, const char *message)
{
    mt_case c;
    cr_assert_eq(load(more, &c), MT_INPUT, "%s", more);
    cr_expect(strstr(mt_message(), message), "%s", mt_message());
}

Test(sites, site_settings_of_the_case_must_be_complete)
{
    mt_case c;
    mt_mesh mesh;
    mt_stimulus *s;
    write_file("x_mm,y_mm,z_mm,start_ms\n1,1,0.5,0\n1,1,0.5,7\n");
    refused("sites: {duration_ms: 2, radius_mm: 1}\n",
        "case: sites: strength_uA_mm3 is missing; needed: file, duration_ms");
    refused("sites: {duration_ms: 2, strength_uA_mm3: 50}\n",
        ".csv:2: no radius_mm; needed: this column in the file, or sites.radius_mm");
    refused(SITES, ".csv:3: start_ms: 7; allowed: below end_ms = 6");
    cr_expect_eq(mt_case_read(&arena, "case", begin, NULL, 0, &c), MT_INPUT);
    cr_expect_str_eq(
        mt_message(), "case: stimuli: none; needed: at least one, also in network.stimuli, or sites.file");
    write_file("x_mm,y_mm,z_mm\n1,1,0.5\n100,1,0.5\n");
    cr_assert_eq(load(SITES, &c), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_slab_make_cut(&arena, c.mesh.slab.size_mm, 0.5, MT_SLAB_MIRRORED, &mesh), MT_OK);
    cr_assert_eq(mt_case_stimuli(&arena, &c, &mesh, &(mt_unknowns){&mesh, false}, &s), MT_INPUT);
    cr_expect(
        strstr(mt_message(), ".csv:3: no element centre is within 0.8 mm of [100, 1, 0.5]; the nearest is "),
        "%s", mt_message());
}
