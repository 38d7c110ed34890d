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
    MT_TRY(mt_problem_make(&s->of_problem, input, cached, &s->problem));
    return mt_yaml_write_lines(&s->of_problem, &mt_case_table, input, &s->case_text);
}

mt_status mt_shared_has(const mt_shared *shared, const mt_case *input, bool *has)
{
    return agrees(shared->case_text, input, MT_AFFECTS_PROBLEM, has);
}

mt_status mt_shared_make(mt_shared *shared, const mt_case *input, bool cached)
{
    bool has;
    MT_TRY(mt_shared_has(shared, input, &has));
    return has ? MT_OK : make_problem(shared, input, cached);
}

mt_status mt_shared_problem(
    mt_shared *shared, mt_arena *arena, const mt_case *input, bool cached, mt_problem *problem)
{
    MT_TRY(mt_shared_make(shared, input, cached));
    return mt_problem_make_like(arena, &shared->problem, input, cached, problem);
}

/* ---- the mapping ---- */

mt_status mt_shared_mapping(
    mt_shared *s, const mt_case *input, const mt_mapping_choice *choice, const mt_mapping **mapping)
{
    bool has;
    *mapping = &s->mapping;
    MT_TRY(agrees(s->mapped_text, input, MT_AFFECTS_PROBLEM | MT_AFFECTS_MAPPING, &has));
    if (has) return MT_OK;
    forget_mapping(s);
    s->choice = *choice;
    MT_TRY(mt_mapping_make(&s->of_mapping, input, &s->choice, &s->problem, &s->mapping));
    return mt_yaml_write_lines(&s->of_mapping, &mt_case_table, input, &s->mapped_text);
}

void mt_shared_free(mt_shared *shared)
{
    mt_arena_free(&shared->of_problem);
    mt_arena_free(&shared->of_mapping);
    *shared = (mt_shared){0};
}
