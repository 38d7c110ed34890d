#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>

#include "solver/tissue/kinds.h"
#include "solver/cells/tp06/tp06.h"
#include "tests/random.h"

static mt_arena arena;

static void free_arena(void) { mt_arena_free(&arena); }

TestSuite(cell_variants, .fini = free_arena);

static const mt_cell_model *const model = &mt_cell_tp06;

/* An element as stored by the oracle: the last specified factor and value of each of these parameters. */
enum { NAMED = 4, ELEMENTS = 300 };
static const size_t named[NAMED] = {TP06_G_KR, TP06_G_KS, TP06_K_O, TP06_G_NA};
typedef struct told {
    size_t base;
    double factor[NAMED], value[NAMED]; /* NaN: not specified */
} told;

/* Changes random elements, and the oracle in the same way. */
static void change_randomly(uint64_t *seed, mt_kinds *kinds, told *oracle)
{
    const double number[] = {0.5, 0.75, 1, 2}; /* few, so that combinations occur again */
    char text[NAMED][32], by[16];
    mt_yaml_override scales[NAMED], sets[NAMED];
    mt_cell_request asked = {.scales = scales, .sets = sets};
    uint32_t elements[ELEMENTS];
    size_t n = 0, base = between(seed, 0, 1) < 0.6 ? MT_KINDS_SAME_BASE : (size_t)between(seed, 0, 3);
    const uint32_t from = (uint32_t)between(seed, 0, ELEMENTS), stride = 1 + (uint32_t)between(seed, 0, 4);
    for (uint32_t e = from; e < ELEMENTS; e += stride) elements[n++] = e;
    for (size_t k = 0; k < NAMED; k++) {
        const double chosen = number[(size_t)between(seed, 0, 4)], which = between(seed, 0, 4);
        if (which > 2) continue;
        (void)snprintf(text[k], sizeof text[k], "%s=%g", model->parameters[named[k]].name, chosen);
        if (which < 1) scales[asked.n_scales++] = (mt_yaml_override){"here", text[k]};
        if (which >= 1) sets[asked.n_sets++] = (mt_yaml_override){"here", text[k]};
        for (size_t i = 0; i < n; i++) {
            oracle[elements[i]].factor[k] = which < 1 ? chosen : NAN;
            oracle[elements[i]].value[k] = which < 1 ? NAN : chosen;
        }
    }
    for (size_t i = 0; i < n && base != MT_KINDS_SAME_BASE; i++) oracle[elements[i]].base = base;
    (void)snprintf(by, sizeof by, "region %u", (unsigned)from);
    cr_assert_eq(mt_kinds_change(&arena, kinds, by, n, elements, base, &asked), MT_OK, "%s", mt_message());
}

static double told_value(const told *t, size_t k)
{
    if (!isnan(t->value[k])) return t->value[k];
    return model->variants[t->base].parameters[named[k]] * (isnan(t->factor[k]) ? 1 : t->factor[k]);
}

Test(cell_variants, the_last_change_of_each_element_applies)
{
    uint64_t seed = 11;
    for (size_t round = 0; round < 200; round++) {
        static told oracle[ELEMENTS];
        static uint16_t layers[ELEMENTS];
        mt_kinds kinds;
        mt_monodomain problem = {.model = model, .variant_of = round % 2 ? layers : NULL, .variant = 1};
        for (size_t e = 0; e < ELEMENTS; e++) {
            layers[e] = (uint16_t)(e % 3);
            oracle[e].base = round % 2 ? layers[e] : 1;
            for (size_t k = 0; k < NAMED; k++) oracle[e].factor[k] = oracle[e].value[k] = NAN;
        }
        cr_assert_eq(mt_kinds_begin(&arena, &problem, ELEMENTS, &kinds), MT_OK);
        for (size_t r = 0; r < round % 7; r++) change_randomly(&seed, &kinds, oracle);
        cr_assert_eq(mt_kinds_end(&arena, &kinds, &problem), MT_OK, "%s", mt_message());
        cr_expect_eq(problem.variant_of == NULL, problem.n_variants == 1);
        for (size_t e = 0; e < ELEMENTS; e++) {
            const mt_cell_variant *found = mt_monodomain_variant(&problem, e),
                                  *base = &model->variants[oracle[e].base];
            cr_assert_lt((size_t)(found - problem.variants), problem.n_variants);
            cr_assert(found->v_mV == base->v_mV && found->states == base->states);
            cr_assert_eq(strncmp(found->name, "epi", 3) == 0 || strncmp(found->name, "mid", 3) == 0 ||
                             strncmp(found->name, "endo", 4) == 0,
                true, "%s", found->name);
            for (size_t k = 0; k < TP06_PARAMETERS; k++) {
                double expected = base->parameters[k];
                for (size_t i = 0; i < NAMED; i++)
                    if (named[i] == k) expected = told_value(&oracle[e], i);
                cr_assert_eq(found->parameters[k], expected, "%s", model->parameters[k].name);
            }
        }
        for (size_t v = 0; v < problem.n_variants; v++) {
            bool used = problem.n_variants == 1;
            for (size_t e = 0; e < ELEMENTS && !used; e++) used = problem.variant_of[e] == v;
            cr_assert(used, "variant %zu has no element", v);
            for (size_t w = 0; w < v; w++)
                cr_assert(problem.variants[v].states != problem.variants[w].states ||
                              memcmp(problem.variants[v].parameters, problem.variants[w].parameters,
                                  TP06_PARAMETERS * sizeof(double)) != 0,
                    "%s is %s", problem.variants[v].name, problem.variants[w].name);
        }
    }
}

Test(cell_variants, names_of_cell_variants_state_their_changes)
{
    mt_kinds kinds;
    mt_monodomain problem = {.model = model, .variant = TP06_ENDO};
    const mt_yaml_override half = {"here", "g_Kr=0.5"}, value = {"here", "K_o=6"};
    const mt_cell_request scaled = {.scales = &half, .n_scales = 1}, set = {.sets = &value, .n_sets = 1};
    cr_assert_eq(mt_kinds_begin(&arena, &problem, 3, &kinds), MT_OK);
    cr_assert_eq(
        mt_kinds_change(&arena, &kinds, "changed", 3, (uint32_t[]){0, 1, 2}, MT_KINDS_SAME_BASE, &scaled),
        MT_OK);
    cr_assert_eq(
        mt_kinds_change(&arena, &kinds, "region 2", 1, (uint32_t[]){1}, MT_KINDS_SAME_BASE, &set), MT_OK);
    cr_assert_eq(mt_kinds_end(&arena, &kinds, &problem), MT_OK);
    cr_expect_eq(problem.n_variants, 2);
    cr_expect_str_eq(mt_monodomain_variant(&problem, 0)->name, "endo, changed");
    cr_expect_str_eq(mt_monodomain_variant(&problem, 1)->name, "endo, changed, region 2");
    cr_expect_eq(problem.variant_of[2], problem.variant_of[0]);
}

/* Seventeen changes in all combinations: change b applies to element e if e has bit b. */
Test(cell_variants, more_variants_than_16_bits_can_number_are_rejected)
{
    for (uint32_t n = UINT16_MAX; n <= UINT16_MAX + 1; n++) {
        mt_kinds kinds;
        mt_monodomain problem = {.model = model};
        uint32_t *elements = mt_arena_alloc(&arena, n, sizeof *elements);
        cr_assert_eq(mt_kinds_begin(&arena, &problem, n, &kinds), MT_OK);
        for (size_t bit = 0; bit < 16; bit++) {
            char text[32];
            size_t m = 0;
            for (uint32_t e = 0; e < n; e++)
                if (e >> bit & 1) elements[m++] = e;
            (void)snprintf(text, sizeof text, "%s=1.5", model->parameters[bit].name);
            const mt_yaml_override one = {"here", text};
            const mt_cell_request asked = {.scales = &one, .n_scales = 1};
            cr_assert_eq(mt_kinds_change(&arena, &kinds, "", m, elements, MT_KINDS_SAME_BASE, &asked), MT_OK);
        }
        const mt_status status = mt_kinds_end(&arena, &kinds, &problem);
        cr_expect_eq(status, n > UINT16_MAX ? MT_INPUT : MT_OK, "%s", mt_message());
        if (status == MT_OK) cr_expect_eq(problem.n_variants, UINT16_MAX);
        if (status != MT_OK)
            cr_expect_str_eq(mt_message(), "65536 different kinds of cells; allowed: at most 65535");
        mt_arena_free(&arena);
    }
}
