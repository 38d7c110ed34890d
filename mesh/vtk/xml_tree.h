/* The elements of an XML file as a tree, and the references between them, as in XDMF files. mesh/vtk/xml.h
 * specifies the XML that is allowed. */
#pragma once

#include "mesh/vtk/xml.h"

typedef struct mt_xml_element {
    const char *name; /* without a prefix: "include" for "xi:include" */
    const char *const *attributes;
    size_t line;                                         /* of its tag */
    const char *begin, *end;                             /* its text in the file up to the next tag */
    size_t text_line;                                    /* the first line of this text */
    struct mt_xml_element *parent, *first, *last, *next; /* first and last: of its children */
} mt_xml_element;

typedef struct mt_xml_tree {
    mt_scan scan;         /* the file */
    mt_xml_element *root; /* NULL before it is read */
    size_t work;          /* number of elements visited by the search for references */
} mt_xml_tree;

/* Reads the elements between scan->begin and scan->end into `arena`; their text remains in the file. Returns
 * the errors of mt_xml_parse. */
MT_NODISCARD mt_status mt_xml_tree_read(mt_arena *arena, const mt_scan *scan, mt_xml_tree *tree);

/* Returns the value of an attribute, or `missing` if it is absent. */
const char *mt_xml_tree_attribute(const mt_xml_element *element, const char *name, const char *missing);

/* Copies the text of an element without leading and trailing blanks, with XML entities decoded. Returns false
 * if it does not fit. */
bool mt_xml_tree_text(const mt_xml_element *element, char *out, size_t size);

/* Fails with MT_INPUT and the message "file:line: <element>: " followed by `format` (printf rules). */
mt_status mt_xml_tree_fail(const mt_xml_tree *tree, const mt_xml_element *element, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Finds the next child `name` of an element after *at (NULL: the first) and moves *at to it. *found is NULL
 * if there is none. Follows references:
 *   <xi:include xpointer="xpointer(PATH)"/>                      replaced by another element
 *   <NAME Reference="XML">PATH</NAME>, <NAME Reference="PATH"/>  replaced by another element NAME
 * PATH is the subset of XPath that writers of XDMF use: /A/B, //B, B[2], B[@Name='x'], *[self::A or self::B].
 * MT_INPUT: a reference to a missing element, or an include of another file. */
MT_NODISCARD mt_status mt_xml_tree_child(mt_xml_tree *tree, const mt_xml_element *parent, const char *name,
    const mt_xml_element **at, const mt_xml_element **found);
