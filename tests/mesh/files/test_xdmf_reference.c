#include <criterion/criterion.h>

#include <stdio.h>

#include "mesh/vtk/xdmf_reference.h"
#include "tests/answers.h"

/* Reads a text as the tree of a file. */
static mt_status read_tree(mt_arena *arena, const char *words, mt_xml_tree *tree)
{
    const mt_scan scan = {
        .path = "a.xml", .begin = words, .at = words, .end = words + strlen(words), .line = 1};
    return mt_xml_tree_read(arena, &scan, MT_XML_DEPTH, tree);
}

/* Follows a reference that is the first child of the root; returns the attribute "id" of the element to which it leads. */
static const char *follow(mt_arena *arena, const char *reference)
{
    char words[1024];
    mt_xml_tree tree;
    const mt_xml_element *at = NULL, *found;
    (void)snprintf(words, sizeof words,
        "<r>%s<g n='a'><t id='1' n='x'/></g><g n='b' k='2'><t id='2'/><h><t id='3'/><t id='4' "
        "n='a/b'/></h></g><g n='b'><u/><t id='5'/></g></r>",
        reference);
    ok(read_tree(arena, words, &tree));
    const mt_status status = mt_xdmf_reference_child(&tree, tree.root, "t", &at, &found);
    if (status == MT_OK) return found ? mt_xml_tree_attribute(found, "id", "") : "none";
    cr_assert_eq(status, MT_INPUT);
    assert_message("a.xml:1: <t>: ");
    return "refused";
}

Test(xdmf_reference, references_resolve_as_in_xpath)
{
    static const struct {
        const char *path, *id;
    } cases[] = {
        {"/r/g/t", "1"},
        {"/r/g[2]/t", "2"},
        {"/r/g[3]/t", "5"},
        {"/r/g[@n='b']/t", "2"},
        {"/r/g[@n=&quot;b&quot;][2]/t", "5"},
        {"/r/g[@k='2']/h/t[2]", "4"},
        {"//h/t", "3"},
        {"//t[@n='a/b']", "4"},
        {"/r/*[3]/t", "2"},
        {"/r/g[2]//t[@n='a/b']", "4"},
        {"/r/g[3]/*[self::t or self::h]", "5"},
        {"/r/g[2]/*[self::h]/t", "3"},
        {"/r/g[4]/t", "refused"},
        {"/r/g[@n='c']/t", "refused"},
        {"/r/g/h", "refused"},
        {"/r/g/*[self::u]", "refused"},
        {"/q/g/t", "refused"},
        {"r/g/t", "refused"},
        {"/r/g[2/t", "refused"},
        {"/r/g]2[/t", "refused"},
        {"/r/g[@n=b]/t", "refused"},
        {"/r//", "refused"},
        {"", "refused"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int form = 0; form < 3; form++) {
            static const char *const forms[] = {"<t Reference=\"%s\"/>", "<t Reference=\"XML\">\n %s\n</t>",
                "<x:include xpointer=\"xpointer(%s)\"/>"};
            char reference[256];
            mt_arena arena = {0};
            /* index 3 of the children is then g[2]; an include without a target is not an error */
            (void)snprintf(reference, sizeof reference, forms[form], cases[k].path);
            const char *expected = form == 2 && strcmp(cases[k].id, "refused") == 0 ? "none" : cases[k].id;
            cr_assert_str_eq(follow(&arena, reference), expected, "%s", reference);
            mt_arena_free(&arena);
        }
}

Test(xdmf_reference, circular_references_are_rejected)
{
    mt_arena arena = {0};
    cr_assert_str_eq(follow(&arena, "<t Reference=\"/r/t[2]\"/><t Reference=\"/r/t[1]\"/>"), "refused");
    mt_arena_free(&arena);
}
