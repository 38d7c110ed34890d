#include "app/run/shared.h"

#include <string.h>

#include "app/run/case_lines.h"

/* ---- the problem ---- */

static mt_status agrees(const char *with, const mt_case *input, unsigned affects, bool *agrees)
{
    MT_SCRATCH(scratch);
    mt_case_line before, now;
    const char *lines;
    *agrees = false;
    const mt_status status = with ? mt_yaml_write_lines(scratch, &mt_case_table, input, &lines) : MT_OK;
    if (with && status == MT_OK) *agrees = !mt_case_lines_differ(with, lines, affects, &before, &now);
    return status;
}

static void forget_mapping(mt_shared *s)
{
    mt_arena_free(&s->of_mapping);
    s->mapped_text = NULL;
    s->mapping_said = (mt_messages){0};
}

/* Collects the messages of building data, if they are repeated when it is returned. */
static void begin_to_collect(const mt_shared *s, mt_arena *arena, mt_messages *said)
{
    if (s->repeats_messages) mt_messages_begin(said, arena);
}

/* Ends collecting; reports the messages of a failure, which no later call repeats. */
static mt_status end_collecting(const mt_shared *s, mt_messages *said, mt_status status)
{
    if (!s->repeats_messages) return status;
    mt_messages_end(said);
    if (status != MT_OK) mt_messages_report(said);
    return status;
}

static mt_status fill_problem(mt_shared *s, const mt_case *input, bool cached)
{
    mt_case fixed = *input, bare = *input;
    bare.network.file = "";
    MT_TRY(mt_problem_make(&s->of_problem, &bare, cached, &s->problem));
    s->problem.repeats_messages = s->repeats_messages;
    mt_case_fix_discretisation(&fixed, s->problem.unknowns.at_vertices);
    return mt_yaml_write_lines(&s->of_problem, &mt_case_table, &fixed, &s->case_text);
}

/* Builds the problem, in place of the existing one. */
static mt_status make_problem(mt_shared *s, const mt_case *input, bool cached)
{
    forget_mapping(s);
    mt_arena_free(&s->of_problem);
    s->case_text = NULL;
    MT_SCRATCH(scratch);
    mt_messages said;
    begin_to_collect(s, scratch, &said);
    return end_collecting(s, &said, fill_problem(s, input, cached));
}

/* With auto, whatever its choice will be. */
mt_status mt_shared_has(const mt_shared *shared, const mt_case *input, bool *has)
{
    mt_case fixed = *input;
    mt_case_fix_discretisation(&fixed, shared->case_text && shared->problem.unknowns.at_vertices);
    return agrees(shared->case_text, &fixed, MT_AFFECTS_PROBLEM, has);
}

mt_status mt_shared_make(mt_shared *shared, const mt_case *input, bool cached)
{
    bool has;
    MT_TRY(mt_shared_has(shared, input, &has));
    return has ? MT_OK : make_problem(shared, input, cached);
}

/* Chooses the discretisation of a case with auto: on the mesh of the existing problem, or by building the problem of this case. */
static mt_status choose(mt_shared *shared, bool cached, mt_case *input, mt_placing *placing)
{
    bool has;
    *placing = (mt_placing){0};
    if (!mt_case_is_auto(input)) return MT_OK;
    MT_TRY(mt_shared_has(shared, input, &has));
    if (has)
        MT_TRY(mt_problem_choose_like(&shared->problem, input, cached, placing));
    else
        MT_TRY(make_problem(shared, input, cached));
    if (!has) *placing = shared->problem.placing;
    if (!has && shared->repeats_messages) mt_messages_report(&shared->problem.placing_said);
    mt_case_fix_discretisation(input, placing->at_vertices);
    return MT_OK;
}

mt_status mt_shared_problem(
    mt_shared *shared, mt_arena *arena, const mt_case *input, bool cached, mt_problem *problem)
{
    mt_placing placing;
    mt_case fixed = *input;
    MT_TRY(choose(shared, cached, &fixed, &placing));
    MT_TRY(mt_shared_make(shared, &fixed, cached));
    return mt_problem_make_like(arena, &shared->problem, &fixed, &placing, cached, problem);
}

/* ---- the mapping ---- */

static mt_status fill_mapping(
    mt_shared *s, const mt_case *input, const mt_mapping_choice *choice, const mt_problem *problem)
{
    s->choice = *choice;
    MT_TRY(ipu_target_copy(&s->of_mapping, &choice->target, &s->choice.target));
    MT_TRY(ipu_target_copy(&s->of_mapping, &choice->tiling.one, &s->choice.tiling.one));
    MT_TRY(mt_mapping_make(&s->of_mapping, input, &s->choice, problem, &s->mapping));
    return mt_yaml_write_lines(&s->of_mapping, &mt_case_table, input, &s->mapped_text);
}

mt_status mt_shared_mapping(mt_shared *s, const mt_case *input, const mt_mapping_choice *choice,
    const mt_conduction *conduction, const mt_mapping **mapping)
{
    mt_problem problem = s->problem;
    bool has;
    problem.monodomain.conduction = conduction;
    *mapping = &s->mapping;
    MT_TRY(agrees(s->mapped_text, input, MT_AFFECTS_PROBLEM | MT_AFFECTS_MAPPING, &has));
    if (!has) {
        forget_mapping(s);
        begin_to_collect(s, &s->of_mapping, &s->mapping_said);
        MT_TRY(end_collecting(s, &s->mapping_said, fill_mapping(s, input, choice, &problem)));
    }
    mt_messages_report(&s->mapping_said);
    return MT_OK;
}

void mt_shared_free(mt_shared *shared)
{
    mt_arena_free(&shared->of_problem);
    mt_arena_free(&shared->of_mapping);
    *shared = (mt_shared){0};
}
