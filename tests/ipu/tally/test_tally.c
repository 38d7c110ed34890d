#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "data/core/arena.h"
#include "ipu/tally/tally.h"
#include "tests/random.h"

/* Builds a module with the single function f as clang writes it: a check for n = 0, then the loop over `body`. Numbers: %0 = n, %1 .. %4
 * = pointers, %7 = the counter, %8 .. %89 for the body; %90 and %91 end the turn. There are 3 statements outside the loop. */
static const char *loop_of(const char *body)
{
    static char module[400000];
    int n = snprintf(module, sizeof module,
        "; ModuleID = 'hand'\n"
        "source_filename = \"hand.c\"\n"
        "target datalayout = \"e-m:e-p:32:32\"\n"
        "\n"
        "; Function Attrs: nounwind\n"
        "define dso_local void @f(i32 noundef %%0, ptr noundef %%1, ptr noundef %%2, ptr noundef %%3, ptr "
        "%%4) local_unnamed_addr #0 {\n"
        "  %%5 = icmp eq i32 %%0, 0\n"
        "  br i1 %%5, label %%92, label %%6\n"
        "\n"
        "6:                                                ; preds = %%5, %%6\n"
        "  %%7 = phi i32 [ %%90, %%6 ], [ 0, %%5 ]\n"
        "%s  %%90 = add nuw i32 %%7, 1\n"
        "  %%91 = icmp eq i32 %%90, %%0\n"
        "  br i1 %%91, label %%92, label %%6, !llvm.loop !5\n"
        "\n"
        "92:                                               ; preds = %%6, %%5\n"
        "  ret void\n"
        "}\n"
        "\n"
        "attributes #0 = { nounwind }\n",
        body);
    cr_assert(n > 0 && (size_t)n < sizeof module);
    return module;
}

/* Pieces of bodies: a float read through a pointer, a float written through one. */
#define ADDRESS(number, pointer) "  %" #number " = getelementptr inbounds float, ptr %" #pointer ", i32 %7\n"
#define LOAD(number, address) "  %" #number " = load float, ptr %" #address ", align 4, !tbaa !1\n"
#define STORE(number, address) "  store float %" #number ", ptr %" #address ", align 4, !tbaa !1\n"
#define READ_8_TO_9 ADDRESS(8, 1) LOAD(9, 8)
#define WRITE(number) ADDRESS(88, 2) STORE(number, 88)

typedef struct expectation {
    ipu_operation operation;
    unsigned count;
} expectation;

/* Expects this tally of the loop over `body`: the listed counts, up to a count of 0; all others are zero. */
static void expect(const char *body, const expectation *expected, unsigned bundles, unsigned pairs)
{
    ipu_mix t;
    unsigned want[IPU_OPERATIONS] = {[IPU_OP_LOOP] = 1};
    for (; expected->count; expected++) want[expected->operation] = expected->count;
    cr_assert_eq(ipu_tally_count(loop_of(body), "f", &t), MT_OK, "%s", mt_message());
    for (int o = 0; o < IPU_OPERATIONS; o++)
        cr_expect_eq(t.count[o], want[o], "%s: %u, expected %u", ipu_operation_name[o], t.count[o], want[o]);
    cr_expect_eq(t.bundles, bundles, "%u bundles, expected %u", t.bundles, bundles);
    cr_expect_eq(t.pairs, pairs, "%u pairs, expected %u", t.pairs, pairs);
    cr_expect_eq(t.start, 3);
    cr_expect_str_eq(t.name, "f");
}

#define EXPECT(body, bundles, pairs, ...)                                                                    \
    expect((body), (const expectation[]){__VA_ARGS__, {0, 0}}, bundles, pairs)

/* Each depends on the one before: load, load, multiply, store, loop. A pointer used once steps without an instruction. */
Test(tally, a_loop_of_load_multiply_and_store_is_counted)
{
    EXPECT(READ_8_TO_9 ADDRESS(10, 3) LOAD(11, 10) "  %12 = fmul float %9, %11\n" WRITE(12), 5, 0,
        {IPU_OP_LOAD, 2}, {IPU_OP_STORE, 1}, {IPU_OP_MULTIPLY, 1});
}

Test(tally, every_float_operation_is_one_instruction)
{
    static const struct {
        const char *text;
        ipu_operation operation;
    } known[] = {{"fadd float %9, %9", IPU_OP_ADD}, {"fsub float %9, %9", IPU_OP_ADD},
        {"fneg float %9", IPU_OP_ADD}, {"fmul float %9, %9", IPU_OP_MULTIPLY},
        {"fdiv float %9, %9", IPU_OP_DIVIDE}, {"tail call float @mt_exp(float noundef %9) #3", IPU_OP_EXP},
        {"tail call float @mt_expm1(float noundef %9) #3", IPU_OP_EXPM1},
        {"tail call float @mt_log(float noundef %9) #3", IPU_OP_LOG},
        {"call float @mt_sqrt(float noundef %9)", IPU_OP_SQRT},
        {"tail call float @mt_max(float noundef %9, float noundef %9) #3", IPU_OP_COMPARE}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        char body[512];
        (void)snprintf(body, sizeof body, "%s  %%12 = %s\n%s", READ_8_TO_9, known[k].text, WRITE(12));
        EXPECT(body, 4, 0, {IPU_OP_LOAD, 1}, {IPU_OP_STORE, 1}, {known[k].operation, 1});
    }
}

/* Rule 4. 0 needs no instruction. 1.5 = 0x3fc00000 has zeros in its lower 20 bits: one, in the bundle of the load. 0.1 = 0x3dcccccd has
 * zeros at neither end: two, the first in the bundle of the load. 0x000fffff has zeros in its upper 12 bits. */
Test(tally, constants_take_none_one_or_two_instructions)
{
    EXPECT(READ_8_TO_9 "  %12 = fadd float %9, 0.000000e+00\n" WRITE(12), 4, 0, {IPU_OP_LOAD, 1},
        {IPU_OP_STORE, 1}, {IPU_OP_ADD, 1});
    EXPECT(READ_8_TO_9 "  %12 = fmul float %9, 1.500000e+00\n" WRITE(12), 4, 1, {IPU_OP_LOAD, 1},
        {IPU_OP_STORE, 1}, {IPU_OP_MULTIPLY, 1}, {IPU_OP_CONSTANT, 1});
    EXPECT(READ_8_TO_9 "  %12 = fmul float %9, 0x3FB99999A0000000\n" WRITE(12), 5, 1, {IPU_OP_LOAD, 1},
        {IPU_OP_STORE, 1}, {IPU_OP_MULTIPLY, 1}, {IPU_OP_CONSTANT, 2});
    EXPECT(READ_8_TO_9 "  %12 = fmul float %9, 0x37DFFFFE00000000\n" WRITE(12), 4, 1, {IPU_OP_LOAD, 1},
        {IPU_OP_STORE, 1}, {IPU_OP_MULTIPLY, 1}, {IPU_OP_CONSTANT, 1});
}

/* Order by depth: load + constant 1.5; constant 2.5; add; multiply; store; loop. */
Test(tally, a_constant_is_loaded_at_each_use)
{
    EXPECT(READ_8_TO_9
        "  %12 = fadd float %9, 1.500000e+00\n  %13 = fmul float %12, 1.500000e+00\n" WRITE(13),
        6, 1, {IPU_OP_LOAD, 1}, {IPU_OP_STORE, 1}, {IPU_OP_ADD, 1}, {IPU_OP_MULTIPLY, 1},
        {IPU_OP_CONSTANT, 2});
}

/* load + constant; compare; transfer; branch; move; store; loop. The branch has a bundle of its own. */
Test(tally, a_select_costs_a_compare_a_transfer_a_branch_and_a_move)
{
    EXPECT(READ_8_TO_9 "  %12 = fcmp olt float %9, 0.000000e+00\n"
                       "  %13 = select i1 %12, float %9, float 1.500000e+00\n" WRITE(13),
        7, 1, {IPU_OP_LOAD, 1}, {IPU_OP_STORE, 1}, {IPU_OP_CONSTANT, 1}, {IPU_OP_COMPARE, 1},
        {IPU_OP_TRANSFER, 1}, {IPU_OP_SELECT, 1}, {IPU_OP_MOVE, 1});
}

/* Rule 3: v[column[i]] takes no address step, nor does a write to the same place: the offset is in a register. */
Test(tally, a_gather_needs_no_address_step)
{
    static const char index[] = "  %8 = getelementptr inbounds i16, ptr %1, i32 %7\n"
                                "  %9 = load i16, ptr %8, align 2, !tbaa !1\n"
                                "  %10 = zext i16 %9 to i32\n"
                                "  %11 = getelementptr inbounds float, ptr %3, i32 %10\n" LOAD(12, 11);
    char body[1024];
    (void)snprintf(body, sizeof body, "%s%s", index, WRITE(12));
    EXPECT(body, 4, 0, {IPU_OP_LOAD, 2}, {IPU_OP_STORE, 1});
    (void)snprintf(body, sizeof body, "%s%s", index, "  %13 = fadd float %12, %12\n" STORE(13, 11));
    EXPECT(body, 5, 0, {IPU_OP_LOAD, 2}, {IPU_OP_STORE, 1}, {IPU_OP_ADD, 1});
}

/* Read and written through one pointer, which steps by a separate instruction: load, multiply, store, step, loop. */
Test(tally, a_pointer_used_twice_costs_an_address_step)
{
    EXPECT(READ_8_TO_9 "  %12 = fmul float %9, %9\n" STORE(12, 8), 5, 0, {IPU_OP_LOAD, 1}, {IPU_OP_STORE, 1},
        {IPU_OP_MULTIPLY, 1}, {IPU_OP_ADDRESS, 1});
    /* base + immediate is the same pointer: load, load, multiply, store, step, loop */
    EXPECT(READ_8_TO_9 "  %10 = getelementptr inbounds i8, ptr %8, i32 4\n" LOAD(
               11, 10) "  %12 = fmul float %9, %11\n" WRITE(12),
        6, 0, {IPU_OP_LOAD, 2}, {IPU_OP_STORE, 1}, {IPU_OP_MULTIPLY, 1}, {IPU_OP_ADDRESS, 1});
}

/* Depth 0: load a, load b; 1: a + a, store b; 2: (a + a)^2 ... : load a | load b, a + a | store b, square | store | loop. The add does
 * not need the second load, so the two share a bundle; the same holds for the store of b and the square. */
Test(tally, independent_adjacent_instructions_share_a_bundle)
{
    EXPECT(READ_8_TO_9 ADDRESS(10, 3) LOAD(11, 10) "  %12 = fadd float %9, %9\n" ADDRESS(13, 4)
               STORE(11, 13) "  %14 = fmul float %12, %12\n" WRITE(14),
        5, 2, {IPU_OP_LOAD, 2}, {IPU_OP_STORE, 2}, {IPU_OP_ADD, 1}, {IPU_OP_MULTIPLY, 1});
}

/* By depth: load + constant; a; compare; b + transfer; branch; c; move; sum; store; loop. The multiply c follows the branch and does not
 * depend on it, but still does not share its bundle. */
Test(tally, a_branch_ends_its_bundle)
{
    EXPECT(READ_8_TO_9 "  %10 = fadd float %9, %9\n"
                       "  %11 = fmul float %10, %10\n"
                       "  %12 = fcmp olt float %9, 0.000000e+00\n"
                       "  %13 = select i1 %12, float %9, float 1.500000e+00\n"
                       "  %14 = fmul float %11, %11\n"
                       "  %15 = fadd float %13, %14\n" WRITE(15),
        10, 2, {IPU_OP_LOAD, 1}, {IPU_OP_STORE, 1}, {IPU_OP_ADD, 2}, {IPU_OP_MULTIPLY, 2},
        {IPU_OP_CONSTANT, 1}, {IPU_OP_COMPARE, 1}, {IPU_OP_TRANSFER, 1}, {IPU_OP_SELECT, 1},
        {IPU_OP_MOVE, 1});
}

/* A value read before the loop stays in its register and is not counted again. */
Test(tally, loop_invariant_values_cost_nothing_in_the_loop)
{
    static const char module[] = "\ndefine void @f(i32 %0, ptr %1, ptr %2, ptr %3) {\n"
                                 "  %5 = load float, ptr %3, align 4\n"
                                 "  br label %6\n"
                                 "\n"
                                 "6:\n"
                                 "  %7 = phi i32 [ %12, %6 ], [ 0, %4 ]\n"
                                 "  %8 = getelementptr inbounds float, ptr %1, i32 %7\n"
                                 "  %9 = load float, ptr %8, align 4\n"
                                 "  %10 = fmul float %9, %5\n"
                                 "  %11 = getelementptr inbounds float, ptr %2, i32 %7\n"
                                 "  store float %10, ptr %11, align 4\n"
                                 "  %12 = add nuw i32 %7, 1\n"
                                 "  %13 = icmp eq i32 %12, %0\n"
                                 "  br i1 %13, label %14, label %6\n"
                                 "\n"
                                 "14:\n"
                                 "  ret void\n"
                                 "}\n";
    ipu_mix t;
    cr_assert_eq(ipu_tally_count(module, "f", &t), MT_OK, "%s", mt_message());
    cr_expect_eq(t.count[IPU_OP_LOAD], 1);
    cr_expect_eq(t.count[IPU_OP_RELOAD], 0);
    cr_expect_eq(t.bundles, 4);
    cr_expect_eq(t.pairs, 0);
    cr_expect_eq(t.start, 3);
}

/* Rule 5. A rounded float is converted. To be used as an integer it is also moved, and added; back to a float it is moved and converted. */
Test(tally, conversions_and_moves_between_register_files_take_one_instruction_each)
{
    EXPECT(READ_8_TO_9
        "  %10 = call float @mt_whole(float %9)\n  %11 = call float @mt_abs(float %10)\n" WRITE(11),
        5, 0, {IPU_OP_LOAD, 1}, {IPU_OP_CONVERT, 2}, {IPU_OP_STORE, 1});
    EXPECT(READ_8_TO_9 "  %10 = call i32 @mt_int(float %9)\n  %11 = add i32 %10, 3\n"
                       "  %12 = call float @mt_float(i32 %11)\n" WRITE(12),
        8, 0, {IPU_OP_LOAD, 1}, {IPU_OP_CONVERT, 2}, {IPU_OP_TRANSFER, 2}, {IPU_OP_INTEGER, 1},
        {IPU_OP_STORE, 1});
    EXPECT(READ_8_TO_9 "  %10 = call i32 @mt_bits(float %9)\n  %11 = ashr i32 %10, 23\n"
                       "  %12 = call float @mt_of_bits(i32 %11)\n" WRITE(12),
        6, 0, {IPU_OP_LOAD, 1}, {IPU_OP_TRANSFER, 2}, {IPU_OP_INTEGER, 1}, {IPU_OP_STORE, 1});
}

/* Rule 8. x0 .. x7 are read, t = x0 + ... + x7 is summed, y_k = x_k t is written, so 9 floats are live at once and 8 fit. By depth: 8
 * loads, 7 adds, 8 multiplies, 8 stores, 2 pointer steps, loop. When the first sum needs a register, x1 has the farthest next use (x0 is
 * multiplied first; x2 .. x7 are added before) and is spilled. When x1 is reloaded for y1, y0 (its store is the last of all) is spilled,
 * and reloaded for its store. Spill code does not share bundles, and adds and multiplies do not pair: 34 + 4 bundles, no pair. */
Test(tally, values_that_exceed_8_registers_are_spilled)
{
    char body[4096];
    size_t n = 0;
#define PUT(...) n += (size_t)snprintf(body + n, sizeof body - n, __VA_ARGS__)
    PUT("%s", ADDRESS(8, 1) LOAD(10, 8));
    for (int k = 1; k < 8; k++)
        PUT("  %%%d = getelementptr inbounds i8, ptr %%8, i32 %d\n  %%%d = load float, ptr %%%d, align 4\n",
            20 + k, 4 * k, 10 + k, 20 + k);
    for (int k = 1; k < 8; k++) /* t_1 = x0 + x1, t_k = t_(k-1) + x_k */
        PUT("  %%%d = fadd float %%%d, %%%d\n", 30 + k, k == 1 ? 10 : 29 + k, 10 + k);
    PUT("%s", ADDRESS(40, 2));
    for (int k = 0; k < 8; k++) {
        PUT("  %%%d = fmul float %%%d, %%37\n", 50 + k, 10 + k);
        PUT("  %%%d = getelementptr inbounds i8, ptr %%40, i32 %d\n", 60 + k, 4 * k);
        PUT("  store float %%%d, ptr %%%d, align 4\n", 50 + k, 60 + k);
    }
#undef PUT
    cr_assert(n < sizeof body);
    EXPECT(body, 38, 0, {IPU_OP_LOAD, 8}, {IPU_OP_ADD, 7}, {IPU_OP_MULTIPLY, 8}, {IPU_OP_STORE, 8},
        {IPU_OP_ADDRESS, 2}, {IPU_OP_SPILL, 2}, {IPU_OP_RELOAD, 2});
}

/* With only x0 .. x6, 8 floats are live, and nothing is spilled: 7 + 6 + 7 + 7 + 2 + 1. */
Test(tally, values_that_fit_into_8_registers_are_not_spilled)
{
    char body[4096];
    size_t n = 0;
#define PUT(...) n += (size_t)snprintf(body + n, sizeof body - n, __VA_ARGS__)
    PUT("%s", ADDRESS(8, 1) LOAD(10, 8));
    for (int k = 1; k < 7; k++)
        PUT("  %%%d = getelementptr inbounds i8, ptr %%8, i32 %d\n  %%%d = load float, ptr %%%d, align 4\n",
            20 + k, 4 * k, 10 + k, 20 + k);
    for (int k = 1; k < 7; k++) PUT("  %%%d = fadd float %%%d, %%%d\n", 30 + k, k == 1 ? 10 : 29 + k, 10 + k);
    PUT("%s", ADDRESS(40, 2));
    for (int k = 0; k < 7; k++) {
        PUT("  %%%d = fmul float %%%d, %%36\n", 50 + k, 10 + k);
        PUT("  %%%d = getelementptr inbounds i8, ptr %%40, i32 %d\n", 60 + k, 4 * k);
        PUT("  store float %%%d, ptr %%%d, align 4\n", 50 + k, 60 + k);
    }
#undef PUT
    /* two pairs: the last load with the first sum, which does not depend on it; the last product with the first store */
    EXPECT(body, 28, 2, {IPU_OP_LOAD, 7}, {IPU_OP_ADD, 6}, {IPU_OP_MULTIPLY, 7}, {IPU_OP_STORE, 7},
        {IPU_OP_ADDRESS, 2});
}

/* ---- integers ---- */

#define READ_INTEGER "  %8 = getelementptr inbounds i32, ptr %1, i32 %7\n  %9 = load i32, ptr %8, align 4\n"

/* Arithmetic on loaded or stored integers is counted, as is a comparison of them; a selection by it takes a branch and a move. */
Test(tally, integer_arithmetic_on_data_is_counted)
{
    EXPECT(READ_INTEGER
        "  %10 = add i32 %9, 5\n  %11 = mul i32 %10, %9\n"
        "  %12 = getelementptr inbounds i32, ptr %2, i32 %7\n  store i32 %11, ptr %12, align 4\n",
        5, 0, {IPU_OP_LOAD, 1}, {IPU_OP_INTEGER, 2}, {IPU_OP_STORE, 1});
    EXPECT(READ_INTEGER ADDRESS(10, 2) LOAD(11, 10) "  %12 = icmp sgt i32 %9, 3\n"
                                                    "  %13 = select i1 %12, float %11, float 0.0\n" WRITE(13),
        7, 0, {IPU_OP_LOAD, 2}, {IPU_OP_INTEGER, 1}, {IPU_OP_SELECT, 1}, {IPU_OP_MOVE, 1}, {IPU_OP_STORE, 1});
}

/* v[2 c + 1] with a loaded c: two instructions for the index, and a load through it. v[2 i] with the counter: none. */
Test(tally, an_index_computed_from_memory_is_counted)
{
    EXPECT(READ_INTEGER "  %10 = shl i32 %9, 1\n  %11 = or i32 %10, 1\n"
                        "  %12 = getelementptr inbounds float, ptr %3, i32 %11\n" LOAD(13, 12) WRITE(13),
        6, 0, {IPU_OP_LOAD, 2}, {IPU_OP_INTEGER, 2}, {IPU_OP_STORE, 1});
    EXPECT("  %8 = shl i32 %7, 1\n  %9 = getelementptr inbounds float, ptr %3, i32 %8\n" LOAD(10, 9)
               WRITE(10),
        3, 0, {IPU_OP_LOAD, 1}, {IPU_OP_STORE, 1});
}

/* ---- pairs of floats ---- */

#define PAIR(number, pointer)                                                                                \
    "  %" #number "8 = getelementptr inbounds <2 x float>, ptr %" #pointer ", i32 %7\n"                      \
    "  %" #number "9 = load <2 x float>, ptr %" #number "8, align 8\n"

Test(tally, pairs_of_floats_are_one_instruction_each)
{
    EXPECT(PAIR(1, 1) PAIR(2, 2) "  %30 = fmul <2 x float> %19, %29\n  %31 = fadd <2 x float> %30, %19\n"
                                 "  %38 = getelementptr inbounds <2 x float>, ptr %3, i32 %7\n"
                                 "  store <2 x float> %31, ptr %38, align 8\n",
        6, 0, {IPU_OP_LOAD, 2}, {IPU_OP_MULTIPLY, 1}, {IPU_OP_ADD, 1}, {IPU_OP_STORE, 1});
}

#define FLOAT(number, pointer)                                                                               \
    "  %" #number "8 = getelementptr inbounds float, ptr %" #pointer ", i32 %7\n"                            \
    "  %" #number "9 = load float, ptr %" #number "8, align 4\n"
#define PUT_PAIR(pair, pointer)                                                                              \
    "  %" #pointer "7 = getelementptr inbounds <2 x float>, ptr %" #pointer ", i32 %7\n"                     \
    "  store <2 x float> %" #pair ", ptr %" #pointer "7, align 8\n"
#define SPLAT(number, scalar)                                                                                \
    "  %" #number "0 = insertelement <2 x float> undef, float %" #scalar ", i64 0\n"                         \
    "  %" #number "1 = shufflevector <2 x float> %" #number                                                  \
    "0, <2 x float> poison, <2 x i32> zeroinitializer\n"

/* Rule 10. A row of products with its horizontal sum: load, load, multiply, add of the lanes, store, loop. */
Test(tally, lanes_are_extracted_without_an_instruction)
{
    EXPECT(PAIR(1, 1) PAIR(2, 2) "  %30 = fmul <2 x float> %19, %29\n"
                                 "  %31 = extractelement <2 x float> %30, i64 0\n"
                                 "  %32 = extractelement <2 x float> %30, i64 1\n"
                                 "  %33 = fadd float %31, %32\n" ADDRESS(38, 3) STORE(33, 38),
        6, 0, {IPU_OP_LOAD, 2}, {IPU_OP_MULTIPLY, 1}, {IPU_OP_ADD, 1}, {IPU_OP_STORE, 1});
}

/* Both lanes are computed in the registers of the pair: load, load, multiply, add, store, loop. */
Test(tally, a_pair_of_two_results_is_made_without_an_instruction)
{
    EXPECT(FLOAT(1, 1)
               FLOAT(2, 2) "  %30 = fmul float %19, %29\n"
                           "  %31 = insertelement <2 x float> undef, float %30, i64 0\n"
                           "  %32 = fadd float %19, %29\n"
                           "  %33 = insertelement <2 x float> %31, float %32, i64 1\n" PUT_PAIR(33, 3),
        6, 0, {IPU_OP_LOAD, 2}, {IPU_OP_MULTIPLY, 1}, {IPU_OP_ADD, 1}, {IPU_OP_STORE, 1});
}

/* Lane 1 of the pair x is replaced by a loaded float, and the result is squared. If x is read afterwards, its lane 0 is moved first. By
 * depth: load, load; (move;) multiply (, add); store(s); loop. The add of x does not need the move, but both are auxiliary. */
Test(tally, a_lane_is_inserted_in_place_unless_the_pair_is_read_later)
{
#define SQUARE                                                                                               \
    PAIR(1, 1)                                                                                               \
    FLOAT(2, 2)                                                                                              \
    "  %30 = insertelement <2 x float> %19, float %29, i64 1\n"                                              \
    "  %31 = fmul <2 x float> %30, %30\n" PUT_PAIR(31, 3)
    EXPECT(SQUARE, 5, 0, {IPU_OP_LOAD, 2}, {IPU_OP_MULTIPLY, 1}, {IPU_OP_STORE, 1});
    /* load, load, move, add, multiply | store, store, loop */
    EXPECT(SQUARE "  %32 = fadd <2 x float> %19, %19\n" PUT_PAIR(32, 4), 7, 1, {IPU_OP_LOAD, 2},
        {IPU_OP_MOVE, 1}, {IPU_OP_ADD, 1}, {IPU_OP_MULTIPLY, 1}, {IPU_OP_STORE, 2});
    /* the same if only an extracted lane is read later: load, load, move, add, multiply | store, store, loop */
    EXPECT(PAIR(1, 1) FLOAT(2, 2) "  %33 = extractelement <2 x float> %19, i64 1\n"
                                  "  %30 = insertelement <2 x float> %19, float %29, i64 1\n"
                                  "  %31 = fmul <2 x float> %30, %30\n" PUT_PAIR(
                                      31, 3) "  %34 = fadd float %33, %33\n" ADDRESS(35, 4) STORE(34, 35),
        7, 1, {IPU_OP_LOAD, 2}, {IPU_OP_MOVE, 1}, {IPU_OP_ADD, 1}, {IPU_OP_MULTIPLY, 1}, {IPU_OP_STORE, 2});
}

/* A float in two pairs that exist together: in its register for the first, moved for the second. x is replaced in lane 0 by the second. */
Test(tally, a_float_is_moved_to_the_second_pair_that_has_it)
{
    EXPECT(PAIR(1, 1) FLOAT(2, 2) "  %30 = insertelement <2 x float> %19, float %29, i64 1\n"
                                  "  %31 = insertelement <2 x float> %19, float %29, i64 0\n"
                                  "  %32 = fmul <2 x float> %30, %31\n" PUT_PAIR(32, 3),
        7, 0, {IPU_OP_LOAD, 2}, {IPU_OP_MOVE, 2}, {IPU_OP_MULTIPLY, 1}, {IPU_OP_STORE, 1});
}

/* load, move, move, store, loop. An extracted lane with its square: on its own side without a move, on the other one with it. */
Test(tally, lanes_that_change_sides_are_moved)
{
#define WITH_SQUARE(at_square, at_lane)                                                                      \
    PAIR(1, 1)                                                                                               \
    "  %30 = extractelement <2 x float> %19, i64 1\n"                                                        \
    "  %31 = fmul float %30, %30\n"                                                                          \
    "  %32 = insertelement <2 x float> undef, float %31, i64 " at_square "\n"                                \
    "  %33 = insertelement <2 x float> %32, float %30, i64 " at_lane "\n" PUT_PAIR(33, 3)
    EXPECT(WITH_SQUARE("0", "1"), 4, 0, {IPU_OP_LOAD, 1}, {IPU_OP_MULTIPLY, 1}, {IPU_OP_STORE, 1});
    EXPECT(WITH_SQUARE("1", "0"), 5, 0, {IPU_OP_LOAD, 1}, {IPU_OP_MULTIPLY, 1}, {IPU_OP_MOVE, 1},
        {IPU_OP_STORE, 1});
    EXPECT(PAIR(1, 1) "  %30 = shufflevector <2 x float> %19, <2 x float> undef, <2 x i32> <i32 1, i32 "
                      "0>\n" PUT_PAIR(30, 3),
        5, 0, {IPU_OP_LOAD, 1}, {IPU_OP_MOVE, 2}, {IPU_OP_STORE, 1});
    EXPECT(PAIR(1, 1) "  %30 = shufflevector <2 x float> %19, <2 x float> undef, <2 x i32> <i32 0, i32 "
                      "1>\n" PUT_PAIR(30, 3),
        3, 0, {IPU_OP_LOAD, 1}, {IPU_OP_STORE, 1});
}

/* A stencil with the neighbours of a pair m, of l, m and r: (l1, m0) + (m1, r0), each of two moves. By depth: three loads; a move of l1
 * and one of m1; a second of each; add; store; loop. The first move shares the bundle of the last load. */
Test(tally, a_stencil_on_pairs_moves_four_lanes)
{
    EXPECT(PAIR(1, 1) PAIR(2, 2)
               PAIR(4, 4) "  %50 = shufflevector <2 x float> %19, <2 x float> %29, <2 x i32> <i32 1, i32 2>\n"
                          "  %51 = shufflevector <2 x float> %29, <2 x float> %49, <2 x i32> <i32 1, i32 2>\n"
                          "  %52 = fadd <2 x float> %50, %51\n" PUT_PAIR(52, 3),
        9, 1, {IPU_OP_LOAD, 3}, {IPU_OP_MOVE, 4}, {IPU_OP_ADD, 1}, {IPU_OP_STORE, 1});
}

/* f32v2add and f32v2mul read one register for both lanes of an operand; f32v2sub only for the first. */
Test(tally, equal_lanes_are_read_from_one_register_where_the_machine_can)
{
#define ONE_OF(operation) FLOAT(1, 1) PAIR(2, 2) SPLAT(3, 19) "  %40 = " operation "\n" PUT_PAIR(40, 3)
    EXPECT(
        ONE_OF("fmul <2 x float> %31, %29"), 5, 0, {IPU_OP_LOAD, 2}, {IPU_OP_MULTIPLY, 1}, {IPU_OP_STORE, 1});
    EXPECT(ONE_OF("fadd <2 x float> %29, %31"), 5, 0, {IPU_OP_LOAD, 2}, {IPU_OP_ADD, 1}, {IPU_OP_STORE, 1});
    EXPECT(ONE_OF("fsub <2 x float> %31, %29"), 5, 0, {IPU_OP_LOAD, 2}, {IPU_OP_ADD, 1}, {IPU_OP_STORE, 1});
    /* load, load | move, subtract, store, loop: the float is loaded to one lane and copied to the other */
    EXPECT(ONE_OF("fsub <2 x float> %29, %31"), 5, 1, {IPU_OP_LOAD, 2}, {IPU_OP_MOVE, 1}, {IPU_OP_ADD, 1},
        {IPU_OP_STORE, 1});
    /* both operands: one of them is copied, beside the load of the unused pair */
    EXPECT(ONE_OF("fmul <2 x float> %31, %31"), 5, 1, {IPU_OP_LOAD, 2}, {IPU_OP_MOVE, 1},
        {IPU_OP_MULTIPLY, 1}, {IPU_OP_STORE, 1});
}

/* 1.5 takes one instruction, 0.1 two, as of single floats (rule 4): equal ones once; a zero beside another float is a move. */
Test(tally, constants_are_built_in_the_registers_of_a_pair)
{
#define WITH_CONSTANT(operation) PAIR(1, 1) "  %40 = " operation "\n" PUT_PAIR(40, 3)
    EXPECT(WITH_CONSTANT("fmul <2 x float> %19, <float 1.500000e+00, float 1.500000e+00>"), 4, 1,
        {IPU_OP_LOAD, 1}, {IPU_OP_CONSTANT, 1}, {IPU_OP_MULTIPLY, 1}, {IPU_OP_STORE, 1});
    EXPECT(WITH_CONSTANT("fmul <2 x float> %19, <float 1.500000e+00, float 0x3FB99999A0000000>"), 6, 1,
        {IPU_OP_LOAD, 1}, {IPU_OP_CONSTANT, 3}, {IPU_OP_MULTIPLY, 1}, {IPU_OP_STORE, 1});
    EXPECT(WITH_CONSTANT("fsub <2 x float> zeroinitializer, %19"), 4, 0, {IPU_OP_LOAD, 1}, {IPU_OP_ADD, 1},
        {IPU_OP_STORE, 1});
    EXPECT("  %17 = getelementptr inbounds <2 x float>, ptr %1, i32 %7\n"
           "  store <2 x float> <float 1.500000e+00, float 0.000000e+00>, ptr %17, align 8\n",
        4, 0, {IPU_OP_CONSTANT, 1}, {IPU_OP_MOVE, 1}, {IPU_OP_STORE, 1});
}

/* load, load, divide, divide | store, loop: the quotients are in the registers of the pair; the store needs the second one. */
Test(tally, a_pair_is_divided_lane_by_lane)
{
    EXPECT(PAIR(1, 1) PAIR(2, 2) "  %30 = fdiv <2 x float> %19, %29\n" PUT_PAIR(30, 3), 6, 0,
        {IPU_OP_LOAD, 2}, {IPU_OP_DIVIDE, 2}, {IPU_OP_STORE, 1});
}

/* Words of 64 bits that are only moved, and bits of pairs: load, add, store, loop. */
Test(tally, words_of_64_bits_are_pairs)
{
    static const char word[] = "  %18 = getelementptr inbounds i64, ptr %1, i32 %7\n"
                               "  %19 = load i64, ptr %18, align 8\n"
                               "  %38 = getelementptr inbounds i64, ptr %3, i32 %7\n";
    char body[1024];
    (void)snprintf(body, sizeof body, "%s  store i64 %%19, ptr %%38, align 8\n", word);
    EXPECT(body, 3, 0, {IPU_OP_LOAD, 1}, {IPU_OP_STORE, 1});
    (void)snprintf(body, sizeof body,
        "%s  %%20 = bitcast i64 %%19 to <2 x float>\n  %%21 = fadd <2 x float> %%20, %%20\n"
        "  %%22 = bitcast <2 x float> %%21 to i64\n  store i64 %%22, ptr %%38, align 8\n",
        word);
    EXPECT(body, 4, 0, {IPU_OP_LOAD, 1}, {IPU_OP_ADD, 1}, {IPU_OP_STORE, 1});
    (void)snprintf(body, sizeof body,
        "%s  %%20 = bitcast i64 %%19 to <4 x half>\n  %%21 = fmul <4 x half> %%20, %%20\n"
        "  %%39 = bitcast i64* %%38 to <4 x half>*\n  store <4 x half> %%21, <4 x half>* %%39, align 8\n",
        word);
    EXPECT(body, 4, 0, {IPU_OP_LOAD, 1}, {IPU_OP_MULTIPLY, 1}, {IPU_OP_STORE, 1});
}

/* As clang writes them: a triad with a factor from before the loop, and a dot product with a horizontal sum after it. Triad: load, load,
 * multiply, add, store, loop. Dot: load, load, multiply, add | loop. */
Test(tally, pairs_from_before_the_loop_and_to_the_next_turn_take_no_instruction)
{
    static const char triad[] = "\ndefine void @f(i32 %0, ptr %1, ptr %2, ptr %3, ptr %4) {\n"
                                "  %5 = load float, ptr %4, align 4\n"
                                "  %6 = insertelement <2 x float> undef, float %5, i64 0\n"
                                "  %7 = shufflevector <2 x float> %6, <2 x float> poison, <2 x i32> "
                                "zeroinitializer\n"
                                "  br label %8\n\n"
                                "8:\n"
                                "  %9 = phi i32 [ 0, %4 ], [ %17, %8 ]\n"
                                "  %10 = getelementptr inbounds <2 x float>, ptr %2, i32 %9\n"
                                "  %11 = load <2 x float>, ptr %10, align 8\n"
                                "  %12 = getelementptr inbounds <2 x float>, ptr %3, i32 %9\n"
                                "  %13 = load <2 x float>, ptr %12, align 8\n"
                                "  %14 = fmul <2 x float> %7, %13\n"
                                "  %15 = fadd <2 x float> %11, %14\n"
                                "  %16 = getelementptr inbounds <2 x float>, ptr %1, i32 %9\n"
                                "  store <2 x float> %15, ptr %16, align 8\n"
                                "  %17 = add nuw i32 %9, 1\n"
                                "  %18 = icmp eq i32 %17, %0\n"
                                "  br i1 %18, label %19, label %8\n\n"
                                "19:\n"
                                "  ret void\n}\n";
    static const char dot[] = "\ndefine void @f(i32 %0, ptr %1, ptr %2, ptr %3) {\n"
                              "  br label %5\n\n"
                              "5:\n"
                              "  %6 = phi i32 [ %13, %5 ], [ 0, %4 ]\n"
                              "  %7 = phi <2 x float> [ %12, %5 ], [ zeroinitializer, %4 ]\n"
                              "  %8 = getelementptr inbounds <2 x float>, ptr %1, i32 %6\n"
                              "  %9 = load <2 x float>, ptr %8, align 8\n"
                              "  %10 = getelementptr inbounds <2 x float>, ptr %2, i32 %6\n"
                              "  %15 = load <2 x float>, ptr %10, align 8\n"
                              "  %11 = fmul <2 x float> %9, %15\n"
                              "  %12 = fadd <2 x float> %7, %11\n"
                              "  %13 = add nuw i32 %6, 1\n"
                              "  %14 = icmp eq i32 %13, %0\n"
                              "  br i1 %14, label %16, label %5\n\n"
                              "16:\n"
                              "  %17 = extractelement <2 x float> %12, i64 0\n"
                              "  %18 = extractelement <2 x float> %12, i64 1\n"
                              "  %19 = fadd float %17, %18\n"
                              "  store float %19, ptr %3, align 4\n"
                              "  ret void\n}\n";
    ipu_mix t;
    cr_assert_eq(ipu_tally_count(triad, "f", &t), MT_OK, "%s", mt_message());
    cr_expect(t.bundles == 6 && t.pairs == 0, "%u, %u", t.bundles, t.pairs);
    cr_expect(t.count[IPU_OP_LOAD] == 2 && t.count[IPU_OP_MULTIPLY] == 1 && t.count[IPU_OP_MOVE] == 0);
    cr_assert_eq(ipu_tally_count(dot, "f", &t), MT_OK, "%s", mt_message());
    cr_expect(t.bundles == 4 && t.pairs == 1, "%u, %u", t.bundles, t.pairs);
    cr_expect_eq(
        t.start, 4, "a branch, the sum, its store and the return; extracting its lanes takes nothing");
}

/* A carried pair is put together at the end of the turn: s = (s1 + x, s0). The sum is computed in lane 0, lane 0 is moved to lane 1. */
Test(tally, a_carried_pair_is_joined_in_the_turn)
{
    static const char turn[] =
        "\ndefine void @f(i32 %0, ptr %1, ptr %2) {\n"
        "  br label %4\n\n"
        "4:\n"
        "  %5 = phi <2 x float> [ %11, %4 ], [ zeroinitializer, %3 ]\n"
        "  %6 = phi i32 [ %12, %4 ], [ 0, %3 ]\n"
        "  %7 = extractelement <2 x float> %5, i64 1\n"
        "  %8 = getelementptr inbounds float, ptr %2, i32 %6\n"
        "  %9 = load float, ptr %8, align 4\n"
        "  %10 = fadd float %7, %9\n"
        "  %14 = insertelement <2 x float> undef, float %10, i64 0\n"
        "  %11 = shufflevector <2 x float> %14, <2 x float> %5, <2 x i32> <i32 0, i32 2>\n"
        "  %12 = add nuw i32 %6, 1\n"
        "  %13 = icmp eq i32 %12, %0\n"
        "  br i1 %13, label %15, label %4\n\n"
        "15:\n"
        "  ret void\n}\n";
    ipu_mix t;
    cr_assert_eq(ipu_tally_count(turn, "f", &t), MT_OK, "%s", mt_message());
    cr_expect(t.count[IPU_OP_MOVE] == 1 && t.count[IPU_OP_ADD] == 1 && t.count[IPU_OP_LOAD] == 1);
}

/* With i = 2 k, v[i | 1] is v[i + 1]. */
Test(tally, an_odd_index_takes_no_instruction)
{
    EXPECT("  %8 = shl i32 %7, 1\n  %9 = or i32 %8, 1\n  %10 = getelementptr inbounds float, ptr %3, i32 "
           "%9\n" LOAD(11, 10) WRITE(11),
        3, 0, {IPU_OP_LOAD, 1}, {IPU_OP_STORE, 1});
}

static void expect_refusal(const char *module, const char *message)
{
    ipu_mix t;
    cr_expect_eq(ipu_tally_count(module, "f", &t), MT_INPUT, "%s", message);
    cr_expect(strstr(mt_message(), message) != NULL, "\"%s\" has no \"%s\"", mt_message(), message);
}

Test(tally, unknown_instructions_are_rejected_with_their_line)
{
    expect_refusal(
        loop_of(READ_8_TO_9 "  %12 = fptosi float %9 to i32\n" WRITE(9)), "%12 = fptosi float %9 to i32");
    expect_refusal(loop_of(READ_8_TO_9 "  %12 = frem float %9, %9\n" WRITE(12)), "%12 = frem float %9, %9");
    expect_refusal(loop_of(READ_8_TO_9 "  %12 = call float @sinf(float %9)\n" WRITE(12)), "@sinf(float %9)");
}

Test(tally, unknown_types_are_rejected)
{
    static const char *const lines[] = {"  %12 = fadd half %10, %11\n", "  %12 = fadd <4 x float> %10, %11\n",
        "  %12 = load <4 x float>, ptr %1, align 16\n", "  %12 = load <2 x half>, ptr %1, align 4\n",
        "  %12 = fmul double %10, %11\n", "  %12 = add i64 %10, 1\n", "  %12 = udiv i32 %10, 3\n",
        "  %12 = fdiv <4 x half> %10, %11\n", "  %12 = fadd <4 x half> %10, <half 1.0, half 1.0>\n",
        "  %12 = phi i64 [ %10, %6 ], [ 0, %5 ]\n", "  %12 = fcmp olt <2 x float> %10, %11\n",
        "  %12 = extractelement <2 x float> %10, i32 %7\n", "  %12 = extractelement <2 x float> %10, i64 2\n",
        "  %12 = extractelement <4 x half> %10, i64 0\n", "  %12 = extractelement <2 x i32> %10, i64 0\n",
        "  %12 = insertelement <2 x float> %10, float %11, i32 %7\n",
        "  %12 = insertelement <4 x half> %10, half %11, i64 0\n",
        "  %12 = shufflevector <4 x float> %10, <4 x float> %11, <2 x i32> <i32 0, i32 1>\n",
        "  %12 = shufflevector <2 x float> %10, <2 x float> %11, <2 x i32> <i32 0, i32 4>\n",
        "  %12 = shufflevector <2 x float> %10, <2 x float> %11, <4 x i32> <i32 0, i32 1, i32 2, i32 3>\n",
        "  %12 = bitcast float %9 to i32\n", "  %12 = bitcast <2 x float> %10 to double\n",
        "  %12 = fadd <2 x float> %9, %9\n", "  %12 = fadd <2 x float> %10, <float 1.0>\n"};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        char body[512], message[512];
        (void)snprintf(body, sizeof body, "%s%s%s", READ_8_TO_9, lines[k], WRITE(9));
        (void)snprintf(
            message, sizeof message, "the tally has no rule for: %.*s", (int)strlen(lines[k]) - 1, lines[k]);
        expect_refusal(loop_of(body), message);
    }
}

/* The inner loop is one block; the outer loop branches from its last block back to the first. */
Test(tally, nested_loops_are_rejected)
{
    expect_refusal("\ndefine void @f(i32 %0, ptr %1) {\n"
                   "  br label %2\n\n"
                   "2:\n"
                   "  %3 = phi i32 [ %9, %8 ], [ 0, %1 ]\n"
                   "  br label %4\n\n"
                   "4:\n"
                   "  %5 = phi i32 [ %6, %4 ], [ 0, %2 ]\n"
                   "  %6 = add nuw i32 %5, 1\n"
                   "  %7 = icmp eq i32 %6, %0\n"
                   "  br i1 %7, label %8, label %4\n\n"
                   "8:\n"
                   "  %9 = add nuw i32 %3, 1\n"
                   "  %10 = icmp eq i32 %9, %0\n"
                   "  br i1 %10, label %11, label %2\n\n"
                   "11:\n"
                   "  ret void\n}\n",
        "f: the tally counts one loop, but there is another:   br i1 %10, label %11, label %2");
}

Test(tally, a_missing_function_or_one_without_a_loop_is_rejected)
{
    expect_refusal("\ndefine void @g(i32 %0) {\n  ret void\n}\n", "no function f in the module");
    expect_refusal("\ndefine void @ff(i32 %0) {\n  ret void\n}\n", "no function f in the module");
    expect_refusal("\ndeclare void @f(i32)\n", "no function f in the module");
    expect_refusal(
        "\ndefine void @f(i32 %0) {\n  call void @h(i32 %0)\n  ret void\n}\n", "f: contains no loop");
}

/* The requested function, not an earlier one or one with a longer name of the same beginning. */
Test(tally, the_right_one_of_several_functions_is_counted)
{
    char module[4096];
    (void)snprintf(module, sizeof module, "\ndefine void @g(i32 %%0) {\n  ret void\n}\n%s",
        loop_of(READ_8_TO_9 WRITE(9)));
    ipu_mix t;
    cr_assert_eq(ipu_tally_count(module, "f", &t), MT_OK, "%s", mt_message());
    cr_expect_eq(t.bundles, 3); /* load, store, loop */
}

Test(tally, operations_have_unique_names)
{
    for (int a = 0; a < IPU_OPERATIONS; a++) {
        cr_assert(ipu_operation_name[a] && *ipu_operation_name[a], "%d", a);
        for (int b = 0; b < a; b++) cr_expect_str_neq(ipu_operation_name[a], ipu_operation_name[b]);
    }
}

Test(tally, every_failed_allocation_is_reported)
{
    const char *module = loop_of(READ_8_TO_9 WRITE(9));
    mt_status status = MT_MEMORY;
    size_t n;
    for (n = 1; status != MT_OK && n < 1000; n++) {
        ipu_mix t;
        mt_arena_fail_at(n);
        status = ipu_tally_count(module, "f", &t);
        mt_arena_fail_at(0);
        cr_assert(status == MT_OK || status == MT_MEMORY, "take %zu: %s", n, mt_message());
    }
    cr_expect(status == MT_OK && n > 2, "ended at take %zu", n);
}

/* ---- input that no compiler writes ---- */

static void refuse_body(const char *body, const char *message)
{
    ipu_mix t;
    cr_assert_eq(ipu_tally_count(loop_of(body), "f", &t), MT_INPUT, "%s", body);
    cr_assert(strstr(mt_message(), message), "%s: %s", body, mt_message());
}

/* Numbers index arrays, so they are checked first. */
Test(tally, invalid_values_are_rejected_with_their_line)
{
    static const char *const lines[] = {"  %9 = fadd float %4096, %8\n", "  %4096 = fadd float %8, %8\n",
        "  %99999999999 = fadd float %8, %8\n", "  %9 = fadd float %-1, %8\n", "  %-7 = fadd float %8, %8\n",
        "  %sum = fadd float %8, %8\n", "  %9 = fadd float %8x, %8\n", "  fadd float %8, %8\n",
        "  %9 = getelementptr inbounds float, ptr %70000, i32 %7\n",
        "  %9 = getelementptr inbounds float, ptr %1, i32 %70000\n",
        "  getelementptr inbounds float, ptr %1, i32 %7\n", "  %9 = load float, ptr %123456, align 4\n",
        "  load float, ptr %1, align 4\n", "  store float %8, ptr %8192, align 4\n", "  store float %8\n",
        "  %9 = zext i32 %500000 to i64\n", "  %9 = fcmp olt float %4096, %8\n",
        "  %9 = select i1 %70000, float %8, float %8\n", "  %9 = call float @mt_exp(float %5555555)\n",
        "  %5000 = add i32 %7, 1\n", "  %5000 = icmp eq i32 %7, 1\n"};
    char message[128];
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        (void)snprintf(
            message, sizeof message, "the tally has no rule for: %.*s", (int)strlen(lines[k]) - 1, lines[k]);
        refuse_body(lines[k], message);
    }
}

Test(tally, values_before_the_loop_are_validated_too)
{
    static const char *const lines[] = {
        "  %70000 = load float, ptr %3", "  %x = fneg float %2", " = load float, ptr %3"};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        char module[8192];
        const char *whole = loop_of(READ_8_TO_9 WRITE(9)), *at = strstr(whole, "  br i1 %5");
        (void)snprintf(module, sizeof module, "%.*s%s\n%s", (int)(at - whole), whole, lines[k], at);
        ipu_mix t;
        cr_assert_eq(ipu_tally_count(module, "f", &t), MT_INPUT, "%s", lines[k]);
        cr_assert(strstr(mt_message(), "the tally supports values from %0 to %4095"), "%s", mt_message());
    }
}

Test(tally, cyclic_dependencies_are_rejected)
{
    refuse_body("  %8 = fadd float %9, 1.0\n  %9 = fadd float %8, 1.0\n" WRITE(9), "cyclic dependency");
    refuse_body("  %8 = fadd float %8, 1.0\n" WRITE(8), "cyclic dependency");
}

/* A loop of constants, which create values, and one of sums. */
Test(tally, a_loop_that_is_too_long_is_rejected)
{
    static char body[390000];
    char *to = body;
    for (int k = 0; k < 4200; k++)
        to += sprintf(to, "  %%%d = fadd float 0x3FB99999A0000000, %%6\n", 100 + k % 3000);
    refuse_body(body, "the tally has no rule for: ");
    to = body;
    for (int k = 0; k < 9000; k++) to += sprintf(to, "  %%%d = fadd float %%6, %%6\n", 100 + k % 3000);
    refuse_body(body, "the tally has no rule for: ");
}

/* Bytes changed at random: the input is counted or refused, and under the sanitizers no access is outside an array. */
Test(tally, arbitrary_input_is_either_counted_or_rejected)
{
    static const char letters[] = "%%%0123456789999 ,()<>=\n:-xfptr";
    const char *whole = loop_of(READ_8_TO_9 ADDRESS(10, 3)
            LOAD(11, 10) "  %12 = fmul float %9, 0x3FB99999A0000000\n"
                         "  %13 = fcmp olt float %12, %11\n  %14 = select i1 %13, float %9, float %12\n"
                         "  %15 = call float @mt_exp(float %14)\n"
                         "  %40 = load <2 x float>, ptr %8, align 8\n"
                         "  %41 = insertelement <2 x float> %40, float %15, i64 1\n"
                         "  %42 = shufflevector <2 x float> %41, <2 x float> %40, <2 x i32> <i32 1, i32 2>\n"
                         "  %43 = fdiv <2 x float> %42, <float 1.500000e+00, float 0x3FB99999A0000000>\n"
                         "  %44 = bitcast <2 x float> %43 to i64\n  store i64 %44, ptr %10, align 8\n"
                         "  %45 = extractelement <2 x float> %43, i64 0\n" WRITE(45));
    const size_t n = strlen(whole);
    size_t counted = 0;
    uint64_t state = 7;
    char module[8192];
    for (int round = 0; round < 3000; round++) {
        ipu_mix t;
        memcpy(module, whole, n + 1);
        for (size_t k = 1 + draw(&state, 4); k > 0; k--)
            module[draw(&state, n)] = letters[draw(&state, sizeof letters - 1)];
        const mt_status status = ipu_tally_count(module, "f", &t);
        cr_assert(status == MT_OK || status == MT_INPUT);
        counted += status == MT_OK;
    }
    cr_assert(counted > 100 && counted < 2900, "%zu", counted);
}
