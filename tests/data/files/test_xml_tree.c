#include <criterion/criterion.h>

#include <stdio.h>

#include "data/files/xml_tree.h"
#include "tests/answers.h"

/* Reads a text as the tree of a file. */
static mt_status read_tree(mt_arena *arena, const char *words, size_t depth_max, mt_xml_tree *tree)
{
    const mt_scan scan = {
        .path = "a.xml", .begin = words, .at = words, .end = words + strlen(words), .line = 1};
    return mt_xml_tree_read(arena, &scan, depth_max, tree);
}

Test(xml_tree, elements_have_their_lines_texts_and_attributes)
{
    char words[16], few[4];
    mt_arena arena = {0};
    mt_xml_tree tree;
    ok(read_tree(&arena, "<a>\n<p:b\n c='1 &amp; 2' q:d='4'>\n x &lt; y <d/></p:b></a>", 3, &tree));
    const mt_xml_element *b = tree.root->first;
    cr_assert_str_eq(b->name, "b");
    cr_assert(b->line == 2 && b->text_line == 3 && b->parent == tree.root && !b->next && b->first == b->last);
    cr_assert_str_eq(mt_xml_tree_attribute(b, "c", ""), "1 & 2");
    cr_assert_str_eq(mt_xml_tree_attribute(b, "e", "none"), "none");
    cr_assert_str_eq(mt_xml_tree_attribute(b, "d", "none"), "none");
    cr_assert_str_eq(mt_xml_tree_local(b, "d", "none"), "4");
    cr_assert_str_eq(mt_xml_tree_local(b, "c", "none"), "1 & 2");
    cr_assert_str_eq(mt_xml_tree_local(b, "q", "none"), "none");
    cr_assert(mt_xml_tree_text(b, words, sizeof words));
    cr_assert_str_eq(words, "x < y");
    cr_assert(!mt_xml_tree_text(b, few, sizeof few));
    mt_arena_free(&arena);
}

Test(xml_tree, text_after_an_element_belongs_to_its_end_tag)
{
    static const char *const forms[] = {"<n>1<s/> -5 </n>", "<n>1<s></s>-5<t>6</t>7</n>",
        "<n><!-- < -->1<!--2--><s x='/'>3<u/>4</s\n><!-- > -->-5<!--</n>--></n>"};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        char words[16];
        mt_arena arena = {0};
        mt_xml_tree tree;
        ok(read_tree(&arena, forms[k], 3, &tree));
        cr_assert(mt_xml_tree_text(tree.root, words, sizeof words));
        cr_assert_str_eq(words, "1", "%s in %s", words, forms[k]);
        cr_assert(mt_xml_tree_tail(tree.root->first, words, sizeof words));
        cr_assert_str_eq(words, "-5", "%s in %s", words, forms[k]);
        cr_assert(mt_xml_tree_tail(tree.root->first, words, 3));
        cr_assert(!mt_xml_tree_tail(tree.root->first, words, 2));
        mt_arena_free(&arena);
    }
}

Test(xml_tree, elements_are_nested_up_to_the_limit)
{
    mt_arena arena = {0};
    mt_xml_tree tree;
    ok(read_tree(&arena, "<a><b>\n<c/></b></a>", 3, &tree));
    cr_assert_eq(read_tree(&arena, "<a><b>\n<c/></b></a>", 2, &tree), MT_INPUT);
    assert_message("a.xml:2: elements are nested more than 2 levels deep");
    mt_arena_free(&arena);
}
