/* The references between elements of an XDMF file. */
#pragma once

#include "data/files/xml_tree.h"

/* Finds the next child `name` of an element after *at (NULL: the first) and moves *at to it. *found is NULL
 * if there is none. Follows references:
 *   <xi:include xpointer="xpointer(PATH)"/>                      replaced by another element
 *   <NAME Reference="XML">PATH</NAME>, <NAME Reference="PATH"/>  replaced by another element NAME
 * PATH is the subset of XPath that writers of XDMF use: /A/B, //B, B[2], B[@Name='x'], *[self::A or self::B].
 * MT_INPUT: a reference to a missing element, or an include of another file. */
MT_NODISCARD mt_status mt_xdmf_reference_child(mt_xml_tree *tree, const mt_xml_element *parent,
    const char *name, const mt_xml_element **at, const mt_xml_element **found);
