/* The elements of an XML file as a tree. data/files/xml.h specifies the XML that is allowed. */
#pragma once

#include "data/files/xml.h"

typedef struct mt_xml_element {
    const char *name; /* without a prefix: "include" for "xi:include" */
    const char *const *attributes;
    size_t line;               /* of its tag */
    const char *begin, *end;   /* its text in the file up to the next tag */
    size_t text_line;          /* the first line of this text */
    const char *close, *after; /* the bytes of its end tag; in <a/> both are its end */
    struct mt_xml_element *parent, *first, *last, *next; /* first and last: of its children */
} mt_xml_element;

typedef struct mt_xml_tree {
    mt_scan scan;         /* the file */
    mt_xml_element *root; /* NULL before it is read */
    size_t work;          /* number of elements visited by searches, for their limits */
} mt_xml_tree;

/* Reads the elements between scan->begin and scan->end, nested at most depth_max deep, into `arena`; their text remains in the file.
 * Returns the errors of mt_xml_parse. */
MT_NODISCARD mt_status mt_xml_tree_read(
    mt_arena *arena, const mt_scan *scan, size_t depth_max, mt_xml_tree *tree);

/* Returns the value of an attribute, or `missing` if it is absent. */
const char *mt_xml_tree_attribute(const mt_xml_element *element, const char *name, const char *missing);

/* The same for an attribute whose name may have a prefix: "id" finds "cmeta:id". */
const char *mt_xml_tree_local(const mt_xml_element *element, const char *name, const char *missing);

/* Copies the text of an element up to its first child; the text after its end tag up to the next tag; all text in an element and its
 * children. Omits comments and leading and trailing blanks; decodes XML entities and references to ASCII characters. Returns false if it
 * does not fit. */
bool mt_xml_tree_text(const mt_xml_element *element, char *out, size_t size);
bool mt_xml_tree_tail(const mt_xml_element *element, char *out, size_t size);
bool mt_xml_tree_content(const mt_xml_element *element, char *out, size_t size);

/* Fails with MT_INPUT and the message "file:line: <element>: " followed by `format` (printf rules). */
mt_status mt_xml_tree_fail(const mt_xml_tree *tree, const mt_xml_element *element, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
