/* The choice of the discretisation (diffusion.discretisation: auto). */
#include "tests/app/program.h"
#include "tests/solver/small_case.h"

#include "app/run/shared.h"
#include "data/core/progress.h"

#include <omp.h>

/* The ionic model that is quickest to compute. On this slab the expected errors are 4.8 % at the vertices and 1.9 % at the elements. */
static const char small[] = SMALL_SLAB USUAL_TISSUE
    "time: {dt_ms: 0.05, end_ms: 5}\n" SMALL_STIMULUS("2") "machine: {tiles: 4}\n"
                                                           "diffusion: {discretisation: auto}\n";

static mt_arena arena;
static char said[4096];

static void add_message(const char *kind, const char *text)
{
    const size_t used = strlen(said);
    (void)snprintf(said + used, sizeof said - used, "%s: %s\n", kind, text);
}

static void enter(void)
{
    static const mt_listener listener = {.message = add_message};
    enter_room();
    share_cache(); /* most tests need the same measurements */
    omp_set_num_threads(1);
    mt_listen(&listener);
}

static void leave(void)
{
    mt_listen(NULL);
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(placing, .init = enter, .fini = leave);

static void read_case(const char *set, mt_case *input)
{
    const mt_yaml_override sets[] = {
        {"test", "cell.model=mitchell-schaeffer"}, {"test", "cell.type=standard"}, {"test", set}};
    cr_assert_eq(mt_case_read(&arena, "small", small, sets, 3, input), MT_OK, "%s", mt_message());
}

static void make(const char *set, mt_problem *p, mt_case *input)
{
    said[0] = 0;
    read_case(set, input);
    cr_assert_eq(mt_problem_make(&arena, input, true, p), MT_OK, "%s", mt_message());
}

static const char *text_of(const mt_problem *p)
{
    static char text[MT_PLACING_TEXT];
    return mt_placing_text(&p->placing, text);
}

Test(placing, vertices_are_taken_if_their_error_is_at_most_the_allowed_one_otherwise_elements)
{
    static const struct {
        const char *set;
        bool at_vertices;
    } all[] = {{"diffusion.accuracy_percent=20", true}, {"title=default", true},
        {"diffusion.accuracy_percent=5", true}, {"diffusion.accuracy_percent=4.5", false},
        {"diffusion.accuracy_percent=2", false}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        mt_problem p;
        mt_case input;
        make(all[k].set, &p, &input);
        cr_expect_eq(p.unknowns.at_vertices, all[k].at_vertices, "%s: %s", all[k].set, text_of(&p));
        cr_expect_eq(p.placing.at_vertices, all[k].at_vertices);
        cr_expect_float_eq(p.placing.error_percent[1], 4.8, 0.1, "%g %%", p.placing.error_percent[1]);
        cr_expect_float_eq(p.placing.error_percent[0], 1.9, 0.1, "%g %%", p.placing.error_percent[0]);
        cr_expect_str_empty(said, "%s: %s", all[k].set, said);
        cr_assert_eq(mt_problem_fix(&arena, &p, &input), MT_OK);
        cr_expect_not(mt_case_is_auto(&input));
        cr_expect_eq(mt_case_at_vertices(&input), all[k].at_vertices);
    }
}

Test(placing, the_reason_has_both_errors_and_the_allowed_one)
{
    mt_problem p;
    mt_case input;
    make("title=default", &p, &input);
    cr_expect_str_eq(text_of(&p),
        "voltages at the vertices: expected error 4.8 %, allowed 8 %; elements: 1.9 %, "
        "about five times the time");
    make("diffusion.accuracy_percent=2.5", &p, &input);
    cr_expect_str_eq(text_of(&p),
        "voltages at the elements: expected error 1.9 %, allowed 2.5 %; vertices: 4.8 "
        "%, about a fifth of the time");
    make("diffusion.discretisation=nodes", &p, &input);
    cr_expect_str_empty(text_of(&p), "a case that states it");
}

/* Region 1 has a law of its own with elements, too. */
Test(placing, the_problem_is_that_of_a_case_that_states_the_discretisation)
{
    static const char regions[] = "regions=[{min_mm: [2,0,0], max_mm: [3,2,1], scale: [tau_in=1.4]}]";
    for (int at_vertices = 0; at_vertices < 2; at_vertices++) {
        mt_problem p, q;
        mt_case input;
        read_case(regions, &input);
        input.diffusion.accuracy_percent = at_vertices ? 50 : 2.1;
        cr_assert_eq(mt_problem_make(&arena, &input, false, &p), MT_OK, "%s", mt_message());
        cr_assert_eq(p.placing.at_vertices, at_vertices, "%s", text_of(&p));
        mt_case_fix_discretisation(&input, at_vertices);
        cr_assert_eq(mt_problem_make(&arena, &input, false, &q), MT_OK, "%s", mt_message());
        cr_expect(mt_fronts_same(&p.fronts, &q.fronts, p.mesh.n_elements));
        cr_expect_eq(p.fronts.n, 2);
        cr_expect_eq(q.fronts.n, 2);
        cr_expect_eq(p.diffusion.n_unknowns, q.diffusion.n_unknowns);
        cr_expect_eq(p.diffusion.limit_dt_ms, q.diffusion.limit_dt_ms);
        cr_expect_eq(p.monodomain.pde_steps, q.monodomain.pde_steps);
        cr_expect_eq(p.monodomain.stimulus[0].n_elements, q.monodomain.stimulus[0].n_elements);
    }
}

Test(placing, keys_of_the_elements_take_the_elements_and_are_named)
{
    static const char *const sets[][2] = {{"diffusion.damping=2", "diffusion.damping: 2; "},
        {"diffusion.spreading=0.03", "diffusion.spreading: 0.03; "}};
    for (size_t k = 0; k < 2; k++) {
        mt_problem p;
        mt_case input;
        make(sets[k][0], &p, &input);
        cr_expect(!p.unknowns.at_vertices && p.placing.automatic);
        cr_expect(strstr(text_of(&p), "voltages at the elements, since the case has "), "%s", text_of(&p));
        cr_expect(strstr(text_of(&p), sets[k][1]), "%s", text_of(&p));
    }
}

/* The message has an element size; on a slab of that size the accuracy is reached. */
Test(placing, a_missed_accuracy_takes_the_more_accurate_one_and_names_a_size_that_reaches_it)
{
    mt_problem p;
    mt_case input;
    double length_mm = 0;
    char set[96];
    make("diffusion.accuracy_percent=1", &p, &input);
    cr_expect_not(p.unknowns.at_vertices);
    cr_expect(
        strstr(said,
            "warning: mesh.slab: diffusion.accuracy_percent: 1: expected error of activation times: "
            "found 1.9 % with voltages at the elements, in cells \"standard\" with an element size of "
            "0.275 mm (at the vertices: 4.8 %); allowed: at most 1 %, reached with an element size of "),
        "%s", said);
    const char *size = strstr(said, "reached with an element size of ");
    cr_assert(size && sscanf(size, "reached with an element size of %lf mm", &length_mm) == 1);
    cr_expect(length_mm > 0.18 && length_mm < 0.27, "%g mm", length_mm);
    (void)snprintf(set, sizeof set, "mesh.slab={size_mm: [3, 2, 1], edge_mm: %.17g}",
        3 / ceil(3 / (length_mm * cbrt(6))));
    make(set, &p, &input);
    cr_expect(p.placing.error_percent[0] <= 1, "%g %%", p.placing.error_percent[0]);
}

Test(placing, cells_that_do_not_conduct_at_the_vertices_get_elements)
{
    mt_problem p;
    mt_case input;
    const mt_yaml_override sets[] = {
        {"test", "mesh.slab={size_mm: [14, 14, 14], edge_mm: 2.8}"}, {"test", "stimuli.0.max_mm=[3,3,3]"}};
    cr_assert_eq(mt_case_read(&arena, "small", small, sets, 2, &input), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_problem_make(&arena, &input, false, &p), MT_OK, "%s", mt_message());
    cr_assert(isinf(p.placing.error_percent[1]), "%g %%", p.placing.error_percent[1]);
    cr_assert(isfinite(p.placing.error_percent[0]), "%g %%", p.placing.error_percent[0]);
    cr_expect_not(p.unknowns.at_vertices);
}

/* ---- by fronts with given errors ---- */

/* Chooses for 1,000 elements: most of them with errors of 3 % at the vertices and 2 % at the elements, and a few others. */
static mt_placing of_fronts(size_t n_others, double at_vertices, double at_elements, double early)
{
    mt_front front[2] = {{.name = "most",
                             .n_elements = 1000 - n_others,
                             .length_mm = 0.3,
                             .measured = true,
                             .conducts_early = true},
        {.name = "others",
            .n_elements = n_others,
            .length_mm = 0.3,
            .measured = true,
            .conducts_early = true}};
    const mt_fronts fronts = {.n = 2, .front = front, .interval_ms = NAN};
    mt_placing placing;
    mt_case input;
    mt_problem p;
    make("diffusion.discretisation=nodes", &p, &input);
    for (int k = 0; k < 2; k++) front[k].calibration.speed_l_mm_ms = 0.6;
    front[0].calibration.errors.rms = 0.03, front[0].other.rms = 0.02;
    front[1].calibration.errors.rms = at_vertices, front[1].other.rms = at_elements;
    front[1].early.rms = early;
    input.diffusion.accuracy_percent = 8;
    cr_assert_eq(mt_placing_make("mesh", &input, &fronts, 1000, &p.media, &p.monodomain, false, &placing),
        MT_OK, "%s", mt_message());
    return placing;
}

Test(placing, a_hundredth_of_the_elements_can_be_less_accurate_but_must_conduct)
{
    cr_expect(of_fronts(9, 0.2, 0.02, 0).at_vertices);
    cr_expect_float_eq(of_fronts(9, 0.2, 0.02, 0).error_percent[1], 3, 1e-9);
    cr_expect_not(of_fronts(10, 0.2, 0.02, 0).at_vertices);
    cr_expect_float_eq(of_fronts(10, 0.2, 0.02, 0).error_percent[1], 20, 1e-9);
    cr_expect_not(of_fronts(1, INFINITY, 0.02, 0).at_vertices);
    cr_expect(isinf(of_fronts(1, INFINITY, 0.02, 0).error_percent[1]));
}

Test(placing, premature_beats_count)
{
    cr_expect(of_fronts(100, 0.03, 0.02, 0.0799).at_vertices);
    cr_expect_not(of_fronts(100, 0.03, 0.02, 0.0801).at_vertices);
}

/* ---- runs that share a problem ---- */

Test(placing, runs_that_share_a_problem_choose_as_they_do_alone)
{
    static const struct {
        const char *set;
        bool at_vertices;
    } all[] = {{"diffusion.accuracy_percent=8", true}, {"diffusion.accuracy_percent=3", false},
        {"title=default", true}, {"diffusion.discretisation=elements", false}, {"diffusion.damping=2", false},
        {"cell.scale=[tau_in=0.5]", true}, {"mesh.slab={size_mm: [3, 2, 1], edge_mm: 0.25}", true}};
    mt_shared shared = {0};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        mt_problem p, alone;
        mt_case input;
        read_case(all[k].set, &input);
        cr_assert_eq(mt_shared_problem(&shared, &arena, &input, true, &p), MT_OK, "%s", mt_message());
        cr_assert_eq(mt_problem_make(&arena, &input, true, &alone), MT_OK, "%s", mt_message());
        cr_expect_eq(p.unknowns.at_vertices, all[k].at_vertices, "%s: %s", all[k].set, text_of(&p));
        cr_expect_eq(alone.unknowns.at_vertices, all[k].at_vertices, "%s", all[k].set);
        cr_expect_eq(p.diffusion.n_unknowns, alone.diffusion.n_unknowns);
        cr_expect_str_eq(p.placing.why, alone.placing.why);
        if (mt_placing_is_measured(&p.placing))
            cr_expect_eq(p.placing.error_percent[1], alone.placing.error_percent[1]);
        cr_expect(mt_fronts_same(&p.fronts, &alone.fronts, p.mesh.n_elements));
    }
    mt_shared_free(&shared);
}
