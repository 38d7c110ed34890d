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
}

/* Builds the problem, in place of the existing one. */
static mt_status make_problem(mt_shared *s, const mt_case *input, bool cached)
{
    forget_mapping(s);
    mt_arena_free(&s->of_problem);
    s->case_text = NULL;
    mt_case fixed = *input, bare = *input;
    bare.network.file = "";
    MT_TRY(mt_problem_make(&s->of_problem, &bare, cached, &s->problem));
    mt_case_fix_discretisation(&fixed, s->problem.unknowns.at_vertices);
    return mt_yaml_write_lines(&s->of_problem, &mt_case_table, &fixed, &s->case_text);
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
    MT_TRY(mt_problem_make_like(arena, &shared->problem, &fixed, cached, problem));
    problem->placing = placing;
    return MT_OK;
}

/* ---- the mapping ---- */

mt_status mt_shared_mapping(mt_shared *s, const mt_case *input, const mt_mapping_choice *choice,
    const mt_conduction *conduction, const mt_mapping **mapping)
{
    mt_problem problem = s->problem;
    bool has;
    problem.monodomain.conduction = conduction;
    *mapping = &s->mapping;
    MT_TRY(agrees(s->mapped_text, input, MT_AFFECTS_PROBLEM | MT_AFFECTS_MAPPING, &has));
    if (has) return MT_OK;
    forget_mapping(s);
    s->choice = *choice;
    MT_TRY(ipu_target_copy(&s->of_mapping, &choice->target, &s->choice.target));
    MT_TRY(ipu_target_copy(&s->of_mapping, &choice->tiling.one, &s->choice.tiling.one));
    MT_TRY(mt_mapping_make(&s->of_mapping, input, &s->choice, &problem, &s->mapping));
    return mt_yaml_write_lines(&s->of_mapping, &mt_case_table, input, &s->mapped_text);
}

void mt_shared_free(mt_shared *shared)
{
    mt_arena_free(&shared->of_problem);
    mt_arena_free(&shared->of_mapping);
    *shared = (mt_shared){0};
}
