#include <criterion/criterion.h>

#include "tests/app/program.h"
#include "tests/solver/small_case.h"

#include "app/run/shared.h"

#include <omp.h>

static const char small[] =
    SMALL_SLAB USUAL_TISSUE "time: {end_ms: 1}\nregions:\n  - {min_mm: [2, 0, 0], max_mm: [3, 2, 1], type: "
                            "mid, non_conducting: false}\n" SMALL_STIMULUS("2") "machine: {tiles: 4}\n";

static mt_arena arena;
static mt_shared shared;

static void enter(void)
{
    enter_room();
    omp_set_num_threads(1);
}

static void leave(void)
{
    mt_shared_free(&shared);
    mt_arena_free(&arena);
    leave_room();
}

TestSuite(shared, .init = enter, .fini = leave);

/* Requests the problem of the case with n values set, and its mapping. */
static void ask_with(size_t n, const mt_yaml_override *sets)
{
    mt_case input;
    mt_mapping_choice choice;
    mt_problem problem;
    const mt_mapping *mapping;
    cr_assert_eq(mt_case_read(&arena, "small", small, sets, n, &input), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_mapping_choose(&arena, "small", &input, NULL, &choice), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_shared_problem(&shared, &arena, &input, false, &problem), MT_OK, "%s", mt_message());
    cr_assert_eq(mt_shared_mapping(&shared, &input, &choice, NULL, &mapping), MT_OK, "%s", mt_message());
    cr_assert_eq(problem.monodomain.diffusion, &problem.diffusion);
    cr_assert_eq(problem.monodomain.mesh, &problem.mesh);
}

static void ask(const char *set) { ask_with(1, &(mt_yaml_override){"test", set}); }

/* The spreading of reactions depends on the front time of the model. */
Test(shared, another_ionic_model_has_a_separate_operator)
{
    static const mt_yaml_override sets[] = {
        {"test", "regions=[]"}, {"test", "cell.model=mitchell-schaeffer"}, {"test", "cell.type=standard"}};
    double kappa_ms[2];
    for (int k = 0; k < 2; k++) {
        ask_with(k == 0 ? 1 : 3, sets);
        kappa_ms[k] = shared.problem.diffusion.kappa_ms[0];
    }
    cr_expect_neq(kappa_ms[0], kappa_ms[1], "%g ms", kappa_ms[0]);
}

Test(shared, unchanged_parts_of_a_problem_are_built_once)
{
    const size_t mark = 123456789;
    static const struct {
        const char *set;
        bool problem, mapping; /* true if it is rebuilt */
    } all[] = {{"title=other", false, false}, {"cell.type=endo", false, false},
        {"cell.scale=[g_Kr=2]", false, false}, {"cell.set=[K_o=6]", false, false},
        {"regions.0.type=endo", false, false}, {"regions.0.scale=[g_Kr=2]", false, false},
        {"time.dt_ms=0.01", false, false}, {"stimuli.0.strength_uA_mm3=3", false, false},
        {"stimuli.0.max_mm=[1,1,1]", false, false}, {"output.maps=[apd]", false, false},
        {"points=[{name: a, at_mm: [1, 1, 1]}]", false, false}, {"machine.tiles=5", false, true},
        {"machine.scheme=exact", false, true}, {"machine.backend=cpu", false, true},
        {"regions.0.non_conducting=true", true, true}, {"regions.0.max_mm=[3,2,0.5]", true, true},
        {"regions.0.conductivity_factor=2", true, true}, {"mesh.slab.edge_mm=1", true, true},
        {"cell.stepping=multirate", false, false}, {"time.pde_steps=40", false, false},
        {"diffusion.method=implicit", true, true}, {"mesh.slab.cut=kuhn", true, true},
        {"tissue.chi_per_mm=100", true, true}, {"diffusion.damping=2", true, true}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        ask("title=usual");
        shared.problem.probes.n = mark; /* a rebuilt one has no mark */
        shared.mapping.partition.edge_cut = mark;
        ask(all[k].set);
        cr_expect_eq(shared.problem.probes.n != mark, all[k].problem, "%s", all[k].set);
        cr_expect_eq(shared.mapping.partition.edge_cut != mark, all[k].mapping, "%s", all[k].set);
    }
}
