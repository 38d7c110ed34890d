/* Channels of a problem: warnings, and a table of the run. */
#include "tests/app/program.h"
#include "tests/solver/small_case.h"

#include "app/run/problem.h"

#include <omp.h>
#include <string.h>

#define WIDE_SLAB "mesh:\n  slab: {size_mm: [8, 8, 1], edge_mm: 0.5}\n"
#define REST "time: {end_ms: 1}\nmachine: {backend: cpu}\n" SMALL_STIMULUS("1")
#define WALL(from, to) "  - {min_mm: [2, " from ", 0], max_mm: [6, " to ", 1], non_conducting: true}\n"

/* A slit of one box; one of two boxes and four of one. */
static const char one[] = WIDE_SLAB USUAL_TISSUE REST "regions:\n" WALL("0", "4") WALL("4.5", "8");
static const char five[] = WIDE_SLAB USUAL_TISSUE REST "regions:\n" WALL("0", "0.5") WALL("1.5", "2.5")
    WALL("3", "4") WALL("4.5", "5.5") WALL("6", "7") WALL("7.5", "8");
static const char wide[] = WIDE_SLAB USUAL_TISSUE REST "regions:\n" WALL("0", "3") WALL("5", "8");

static mt_arena arena;

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1);
}

static void leave(void)
{
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(channel_warnings, .init = enter, .fini = leave);

/* Returns the warnings of a run. Its tables are in *table. The caller frees both. */
static char *said_of(const char *text, char **table)
{
    write_text("a.yaml", text);
    return warnings(table, "run a.yaml --output out --format json");
}

static size_t count(const char *text, const char *word)
{
    size_t n = 0;
    for (; (text = strstr(text, word)); text++) n++;
    return n;
}

Test(channel_warnings, a_channel_is_reported_with_its_width_place_and_cells)
{
    char *table, *said = said_of(one, &table);
    cr_expect(strstr(said, "mesh.slab: found a conducting path 0.5 mm (1.8 elements) wide between "
                           "non-conducting elements, at ["),
        "%s", said);
    cr_expect(strstr(said, "in cells \"epi\"; usual: at least"), "%s", said);
    cr_expect(strstr(said, "a smaller mesh.slab.edge_mm resolves it"), "%s", said);
    cr_expect_eq(count(said, "found a conducting path"), 1);
    cr_expect(strstr(table, "\"channels\""), "%s", table);
    cr_expect(strstr(table, "\"width_mm\": 0.5"), "%s", table);
    free(table);
    free(said);
}

Test(channel_warnings, the_three_narrowest_channels_are_reported_and_the_others_counted)
{
    char *table, *said = said_of(five, &table);
    cr_expect_eq(count(said, "found a conducting path 0.5 mm"), 3, "%s", said);
    cr_expect(strstr(said, "mesh.slab: found 2 further conducting paths of less than"), "%s", said);
    cr_expect_eq(count(table, "\"width_mm\""), 6, "a column and five rows: %s", table);
    free(table);
    free(said);
}

Test(channel_warnings, wide_paths_cause_neither_warning_nor_table)
{
    char *table, *said = said_of(wide, &table);
    cr_expect(!strstr(said, "conducting path"), "%s", said);
    cr_expect(!strstr(table, "\"channels\""));
    free(table);
    free(said);
}

Test(channel_warnings, a_problem_on_the_same_mesh_has_the_same_channels)
{
    mt_problem made, like;
    mt_case input;
    cr_assert_eq(mt_case_read(&arena, "a.yaml", one, NULL, 0, &input), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_problem_make(&arena, &input, false, &made), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_problem_make_like(&arena, &made, &input, &(mt_placing){0}, false, &like), MT_OK, "%s",
        mt_message());
    cr_assert_eq(like.channels.n, 1);
    cr_expect_eq(like.channels.channel, made.channels.channel);
    const mt_channel *channel = like.channels.channel;
    cr_expect_eq(made.channels.of[channel->middle], 1);
    double x[3];
    mt_mesh_centroid(&made.whole, channel->middle, x);
    cr_expect_arr_eq(x, channel->middle_mm, sizeof x);
}
